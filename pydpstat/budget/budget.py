"""The budget: its limits, the location of its ledger, and copies."""

from __future__ import annotations

import math
import os
from collections.abc import Callable

from pydpstat import _checks as checks
from pydpstat._files import resolve_path
from pydpstat._warn import warn_large_epsilon
from pydpstat.budget._ledger import Limits, MemoryLedger, SharedLedger, is_url
from pydpstat.budget._views import LedgerViews
from pydpstat.budget.amounts import ACCOUNTANTS
from pydpstat.errors import PydpstatError


class Budget(LedgerViews):
    """A privacy budget: a limit on the total privacy loss, with a ledger.

    pydpstat's functions take it as ``budget=``; the result of a function with R's name is charged with
    `charge`. A release that the budget does not cover raises `BudgetExceeded` before any noise is drawn.

    Parameters
    ----------
    epsilon : float
        Limit of epsilon; above 0 and finite. Above 10 there is a warning.
    delta : float, default 0
        Limit of delta; at least 0 and below 1. The accountant "zcdp" needs one above 0.
    path : str or path-like, optional
        File of the ledger, created if it does not exist; several processes may share it. By default the
        ledger is in the memory of this process and ends with it.
    accountant : {"basic", "zcdp"}, default "basic"
        How the losses of several releases add up. ``"basic"``: epsilons and deltas. ``"zcdp"``:
        zero-concentrated privacy, which allows more releases where they are many or Gaussian.
    neighbors : {"bounded", "unbounded"}, default "bounded"
        Neighbors for which the budget holds. Releases for the others raise an error; pydpstat's own
        releases use the budget's neighbors by default.
    unit : str, optional, keyword only
        Privacy unit for which the budget holds: the name of the column that identifies the person of a
        record. By default it is a single record. Releases for another unit raise an error.
    url : str, optional, keyword only
        A PostgreSQL database instead of a file, for several machines:
        ``"postgresql://user@host:5432/database"``. The ledger is created if it does not exist.
    name : str, default "budget", keyword only
        Name of the ledger in the database; ``?name=`` in the url has the same meaning.

    Raises
    ------
    PydpstatError
        If an argument is invalid, the file or the tables are not a ledger, or it has other limits.
    MissingExtraError
        If psycopg is not installed, which a `url` needs; the message has the command.

    See Also
    --------
    BudgetExceeded : the error for a release that would exceed the limit.
    compose : the joint guarantee of several releases.
    plan : the accuracy for an epsilon, before anything is released.

    Notes
    -----
    Guarantee: all releases charged to the budget together satisfy (epsilon, delta)-DP, even if the analyst
    chooses each release, its epsilon and whether to continue after seeing the earlier results. Both
    accountants are valid filters in this sense (Rogers et al. 2016 and Whitehouse et al. 2023;
    Feldman and Zrnic 2021 and Lecuyer 2021). Privacy loss distributions are not offered here: they
    apply to a list of releases fixed in advance (see `compose`), not to epsilons chosen adaptively.

    With "zcdp" a release costs its rho, ``epsilon * tanh(epsilon / 2)`` where it is pure and
    ``mu**2 / 2`` where it is Gaussian; all together may cost the largest rho from which
    (epsilon, delta) follows. A release for which only a pair with a delta above 0 is known has no
    rho and raises an error.

    Sums are exact. Every epsilon and delta counts as the decimal number that Python prints, so that
    ten releases of 0.1 spend 1 and not more. The floating-point number 0.1 differs from the decimal
    by less than 1.2e-16 of itself; the binary numbers together hence keep the limit times
    1 + 1.2e-16.

    In a file, every spend is one transaction that is on disk before the noise is drawn. A process
    that is killed may leave a spend without its release, never a release without its spend; several
    processes never exceed the limit together. The ledger holds calls, guarantees, times and process
    numbers; no data and no estimates. It belongs on a local disk, as SQLite's locks do not hold over
    every network, and has one name: a file with hard links is an error. A file beside it
    (``-journal``) is part of it while a spend is written. A ledger that is gone, was truncated or damaged, or
    whose limits, total or entries were altered, is an error and never a new one; only ``Budget(...)`` makes
    one, where no file is. Checksums in the ledger, in a file or in a server's tables, detect this. They have no
    secret key: anyone who may write to a ledger can recompute them, or restore an older copy, which is
    noticed only while the budget is in use.

    In PostgreSQL a spend is one transaction as well, which locks the ledger's row and is on the server's
    disk (``synchronous_commit``) before the noise is drawn. If the connection is lost while the commit is
    confirmed, the error says that the spend may be in the ledger; nothing is released then, and there is
    no retry. Tables that are gone or were altered are an error. A password in the url is used, and is
    in no text, error, copy or pickle; a pickle in another process takes it from where libpq finds it
    (``PGPASSWORD``, ``~/.pgpass``).

    Inside ``with budget:`` every release of pydpstat's functions and of the mirrors is charged to the budget
    before its noise is drawn. A release with another ``budget=`` is charged to that one; of nested blocks the
    innermost applies. A function of pydpstat without ``neighbors=`` uses those of the budget that is charged.
    The mirrors are charged their true guarantee, and raise an error if they guarantee nothing. Drawing from
    `pydpstat.random` or a mechanism's own noise is not a release, and neither are the functions of
    `pydpstat.anonymity`. The block is a context variable: an asyncio task has that of the place where it was
    created, a forked process that of its parent (a budget in memory raises an error there), and a new thread or another
    process has none. A block that a generator opens, synchronous or not, is in force while the generator
    runs, and not for releases of its caller between two steps; a generator that contextlib or a pytest
    fixture drives as a context manager opens it for the code that enters it. A task that is started while
    such a generator is suspended, or inside its block, must name its ``budget=``. An
    uncharged release in a thread that was started while the block was open, or in a pool's thread, gives a
    `BudgetWarning` (`pydpstat.errors`).

    References
    ----------
    Rogers, R., Roth, A., Ullman, J. and Vadhan, S. (2016). Privacy odometers and filters:
    pay-as-you-go composition. NeurIPS 2016.
    Whitehouse, J., Ramdas, A., Rogers, R. and Wu, Z. S. (2023). Fully-adaptive composition in
    differential privacy. ICML 2023.
    Feldman, V. and Zrnic, T. (2021). Individual privacy accounting via a Renyi filter. NeurIPS 2021.
    Lecuyer, M. (2021). Practical privacy filters and odometers with Renyi differential privacy and
    applications to differentially private deep learning. arXiv:2103.01379.

    Examples
    --------
    >>> import pydpstat
    >>> budget = pydpstat.Budget(1.0)
    >>> r = pydpstat.meanDP([1, 2, 3, 4], 0.25, 0, 5, rng=pydpstat.RRandom(123))
    >>> budget.charge(r)
    >>> budget.spent.epsilon, budget.remaining.epsilon
    (0.25, 0.75)
    """

    def __init__(
        self,
        epsilon: float,
        delta: float = 0.0,
        path: str | os.PathLike[str] | None = None,
        accountant: str = "basic",
        neighbors: str = "bounded",
        *,
        unit: str | None = None,
        url: str | None = None,
        name: str | None = None,
    ) -> None:
        if isinstance(epsilon, str):
            raise PydpstatError("epsilon must be a number; got a string. For a file write Budget(1.0, path='a.db').")
        self._set_limits(checks.check_epsilon(epsilon), _check_delta(delta, accountant), accountant, neighbors, unit)
        warn_large_epsilon(self.epsilon)
        location = _resolve_location(path, url, name)
        self._ledger = MemoryLedger() if location is None else _open_ledger(location, self._get_limits(), new=True)

    @classmethod
    def odometer(
        cls,
        delta: float = 0.0,
        path: str | os.PathLike[str] | None = None,
        accountant: str = "basic",
        neighbors: str = "bounded",
        *,
        unit: str | None = None,
        url: str | None = None,
        name: str | None = None,
    ) -> Budget:
        """Create a budget without a limit, which only records the amounts spent.

        Parameters
        ----------
        delta : float, default 0
            With "zcdp" the delta at which `spent` states epsilon, above 0; not used with "basic".
        path, accountant, neighbors, unit, url, name
            As for `Budget`.

        Returns
        -------
        Budget
            Its `epsilon` is infinite; an error is raised only for guarantees that are infinite or cannot be counted.

        Raises
        ------
        PydpstatError
            As for `Budget`.

        See Also
        --------
        Budget : one with a limit.

        Notes
        -----
        Guarantee: `spent` is a valid odometer, even if the analyst chooses releases, and when to stop,
        after seeing earlier results. For any epsilon and delta that are fixed in advance, an event
        in which the last reading was at most these has a probability of at most ``exp(epsilon)`` times
        that with a neighbor's data, plus delta. With "basic" the readings are the sums. With "zcdp" they
        rise in steps: rho is covered by one of the levels ``2**k`` times ``2**-16``, and each level has
        the part ``1 / ((k + 1) (k + 2))`` of delta; the reading is hence above what a budget with that
        rho as its limit would state.

        References
        ----------
        Rogers, R., Roth, A., Ullman, J. and Vadhan, S. (2016). Privacy odometers and filters:
        pay-as-you-go composition. NeurIPS 2016.
        Lecuyer, M. (2021). Practical privacy filters and odometers with Renyi differential privacy and
        applications to differentially private deep learning. arXiv:2103.01379 (levels that double).

        Examples
        --------
        >>> from pydpstat import Budget, Guarantee
        >>> odometer = Budget.odometer()
        >>> for check_epsilon in (0.5, 2.0, 0.25):
        ...     odometer.spend(Guarantee(check_epsilon), "a release")
        >>> odometer.spent.epsilon, odometer.remaining.epsilon
        (2.75, inf)
        """
        self = cls.__new__(cls)
        self._set_limits(math.inf, _check_delta(delta, accountant), accountant, neighbors, unit)
        location = _resolve_location(path, url, name)
        self._ledger = MemoryLedger() if location is None else _open_ledger(location, self._get_limits(), new=True)
        return self

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] | None = None, *, url: str | None = None, name: str | None = None
    ) -> Budget:
        """Open an existing ledger with the limits that it was created with.

        Parameters
        ----------
        path : str or path-like, optional
            The ledger's file.
        url, name : str, optional, keyword only
            Ledger in PostgreSQL instead of a file, as for `Budget`.

        Returns
        -------
        Budget

        Raises
        ------
        PydpstatError
            If the file or ledger does not exist, or is not a ledger of pydpstat.
        MissingExtraError
            If psycopg is not installed, which a `url` needs; the message has the command.

        See Also
        --------
        Budget : create a ledger.

        Examples
        --------
        >>> import os, tempfile, pydpstat
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "survey.ledger")
        >>> pydpstat.Budget(2.0, path=path).epsilon
        2.0
        >>> pydpstat.Budget.open(path).epsilon
        2.0
        >>> folder.cleanup()
        """
        location = _resolve_location(path, url, name)
        if location is None:
            raise PydpstatError("path or url must be given; got neither. Give one of them.")
        return cls._open_existing(location)

    @classmethod
    def _open_existing(cls, place: str, limits: Limits | None = None) -> Budget:
        # copies and unpickled budgets open the existing ledger because a new one would have no entries
        self, ledger = cls.__new__(cls), _open_ledger(place, limits)
        epsilon, delta, accountant, neighbors, unit = ledger.limits
        self._set_limits(float(epsilon), float(delta), accountant, neighbors, unit)
        self._ledger = ledger
        return self

    @property
    def path(self) -> str | None:
        """The ledger's file; None if the ledger is not in a file."""
        return getattr(self._ledger, "path", None)

    @property
    def url(self) -> str | None:
        """The ledger's location in PostgreSQL, with its name and without a password; None elsewhere."""
        return self._ledger.place if self.path is None and isinstance(self._ledger, SharedLedger) else None

    def __repr__(self) -> str:
        locations = [
            f", {name}={location!r}" for name, location in (("path", self.path), ("url", self.url)) if location
        ]
        location_text = "".join(locations)
        limits = f"({self._epsilon!r}, " if self._epsilon < math.inf else ".odometer("
        settings = f"accountant={self._name!r}, neighbors={self._neighbors!r}"
        settings += "" if self._unit is None else f", unit={self._unit!r}"
        return f"Budget{limits}{self._delta!r}{location_text}, {settings})"

    def __reduce__(self) -> tuple[Callable[..., Budget], tuple[object, ...]]:
        location = self.path or self.url
        if location is None:
            raise PydpstatError(
                "a budget in memory cannot be copied or pickled: both copies would spend what is left. "
                "Give the budget a path or a url, so that copies share one ledger."
            )
        return self._open_existing, (location, self._get_limits())


def _resolve_location(path: object, url: object, name: str | None) -> str | None:
    """Return the path of a file or the url of a server with the ledger's name; None if neither is given."""
    if url is None and name is None:
        return None if path is None else resolve_path(path)
    if url is None or path is not None:
        received = "a name without a url" if url is None else "a path and a url"
        raise PydpstatError(
            f"a ledger must have one location: a path, or a url with a name; got {received}. Leave one out."
        )
    from pydpstat.budget._postgres_url import ServerLocation

    return ServerLocation.from_url(url, name).url


def _open_ledger(place: str, limits: Limits | None, new: bool = False) -> SharedLedger:
    """Open a ledger, or create a new one; modules for one kind of ledger are imported on demand."""
    if not is_url(place):
        from pydpstat.budget._file import FileLedger

        return FileLedger(place, limits, new)
    from pydpstat.budget._postgres import ServerLedger
    from pydpstat.budget._postgres_url import ServerLocation

    return ServerLedger(ServerLocation.from_url(place), limits, new)


def _check_delta(delta: float, accountant: str) -> float:
    value = checks.check_scalar(delta, "delta")
    if not 0.0 <= value < 1.0:
        raise PydpstatError(
            f"delta must be at least 0 and below 1; got {checks.describe_value(delta)}. Give for example 1e-6."
        )
    if checks.check_choice(accountant, "accountant", tuple(ACCOUNTANTS)) == "zcdp" and value == 0.0:
        raise PydpstatError(
            f"delta must be above 0 for the accountant 'zcdp'; got {checks.describe_value(delta)}. "
            "Give for example 1e-6."
        )
    return value
