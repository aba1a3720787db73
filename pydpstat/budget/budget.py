"""The budget: limits, an accountant and a ledger."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from pydpstat import _checks as checks
from pydpstat.budget._accountants import ACCOUNTANTS, Accountant, Cost, missing
from pydpstat.budget._file import FileLedger, Limits
from pydpstat.budget._ledger import Entry, LedgerReport, MemoryLedger
from pydpstat.budget.amounts import Amount, BudgetExceeded
from pydpstat.errors import PydpstatError
from pydpstat.privacy import NEIGHBORS, Guarantee

if TYPE_CHECKING:
    from statsmodels.iolib.summary import Summary


class Budget:
    """A limit on the privacy loss of all releases together, and the ledger of what was spent.

    Own functions take it as ``budget=``; a mirror's result is charged with `charge`. A release that
    the budget does not cover raises `BudgetExceeded` before any noise is drawn.

    Parameters
    ----------
    epsilon : float
        Limit of epsilon; above 0 and finite.
    delta : float, default 0
        Limit of delta; at least 0 and below 1. The accountant "zcdp" needs one above 0.
    path : str or path-like, optional
        The ledger's file, made where there is none; several processes may share it. By default the
        ledger is in the memory of this process and ends with it.
    accountant : {"basic", "zcdp"}, default "basic"
        How the losses of several releases add up. ``"basic"``: epsilons and deltas. ``"zcdp"``:
        zero-concentrated privacy, which allows more releases where they are many or Gaussian.
    neighbors : {"bounded", "unbounded"}, default "bounded"
        The neighbors for which the budget holds. Releases for the others are refused.

    Raises
    ------
    PydpstatError
        If an argument is not allowed, the file is no ledger, or it has other limits.

    Notes
    -----
    Guarantee: all releases that were spent together keep (epsilon, delta), also where the analyst
    chooses each release, its epsilon and whether to go on after seeing the earlier results. Both
    accountants are valid filters in this sense (Rogers et al. 2016 and Whitehouse et al. 2023;
    Feldman and Zrnic 2021 and Lecuyer 2021). Privacy loss distributions are not offered here: they
    hold for a list fixed beforehand (see `compose`), and no such proof covers epsilons chosen on
    the way.

    With "zcdp" a release costs its rho, ``epsilon * tanh(epsilon / 2)`` where it is pure and
    ``mu**2 / 2`` where it is Gaussian; all together may cost the largest rho from which
    (epsilon, delta) follows. A release of which only a pair with a delta above 0 is known has no
    rho and is refused.

    Sums are exact. Every epsilon and delta counts as the decimal number that Python prints, so that
    ten releases of 0.1 spend 1 and not more. The floating-point number 0.1 differs from the decimal
    by less than 1.2e-16 of itself; the binary numbers together hence keep the limit times
    1 + 1.2e-16.

    In a file, every spend is one transaction that is on disk before the noise is drawn. A process
    that is killed may leave a spend without its release, never a release without its spend; several
    processes never exceed the limit together. The ledger holds calls, guarantees, times and process
    numbers; no data and no estimates. It belongs on a local disk, as SQLite's locks do not hold over
    every network, and has one name: a file with hard links is refused. A file beside it
    (``-journal``) is part of it while a spend is written. A ledger that is gone, or was cut off, is
    an error and never a new one; only ``Budget(...)`` makes one, where no file is.

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
    ) -> None:
        self._set(checks.epsilon(epsilon), _delta(delta, accountant), accountant, neighbors)
        self._ledger: MemoryLedger | FileLedger
        if path is None:
            self._ledger = MemoryLedger()
        else:
            self._ledger = FileLedger(_real(path), self._limits(), new=True)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Budget:
        """Open a ledger that exists, with its own limits.

        Parameters
        ----------
        path : str or path-like
            The ledger's file.

        Returns
        -------
        Budget

        Raises
        ------
        PydpstatError
            If there is no such file, or it is no ledger.

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
        return cls._existing(_real(path))

    @classmethod
    def _existing(cls, path: str, limits: Limits | None = None) -> Budget:
        # a copy or a pickle opens its ledger, too: one that was made anew would hold no spend
        self, ledger = cls.__new__(cls), FileLedger(path, limits)
        epsilon, delta, accountant, neighbors = ledger.limits
        self._set(float(epsilon), float(delta), accountant, neighbors)
        self._ledger = ledger
        return self

    def _set(self, epsilon: float, delta: float, accountant: str, neighbors: str) -> None:
        self._epsilon, self._delta = epsilon, delta
        self._neighbors = checks.one_of(neighbors, "neighbors", NEIGHBORS)
        self._name = accountant
        self._accountant: Accountant = ACCOUNTANTS[accountant](epsilon, delta)
        self._limit = self._accountant.limit

    def _limits(self) -> Limits:
        return repr(self._epsilon), repr(self._delta), self._name, self._neighbors

    @property
    def epsilon(self) -> float:
        """Limit of epsilon."""
        return self._epsilon

    @property
    def delta(self) -> float:
        """Limit of delta."""
        return self._delta

    @property
    def accountant(self) -> str:
        """The accountant's name."""
        return self._name

    @property
    def neighbors(self) -> str:
        """The neighbors for which the budget holds."""
        return self._neighbors

    @property
    def path(self) -> str | None:
        """The ledger's file; None in memory."""
        return self._ledger.path if isinstance(self._ledger, FileLedger) else None

    def spend(self, guarantee: Guarantee, call: str) -> None:
        """Spend what a release costs, just before its noise is drawn.

        Parameters
        ----------
        guarantee : Guarantee
            What the release keeps.
        call : str
            The call as text, without data, for the ledger.

        Raises
        ------
        BudgetExceeded
            If the budget does not cover it; nothing is spent then.
        PydpstatError
            If the guarantee is infinite, for other neighbors, or cannot be counted, or the ledger
            cannot be written; nothing is spent then.

        Examples
        --------
        >>> from pydpstat import Budget, Guarantee
        >>> budget = Budget(1.0)
        >>> budget.spend(Guarantee(0.5), "mean(income)")
        >>> budget.remaining.epsilon
        0.5
        """
        self._spend(guarantee, call, "Nothing was released.")

    def charge(self, result: object) -> None:
        """Spend what a finished release really keeps: a mirror's result, a pair of them, or a model.

        Parameters
        ----------
        result : DPResults, DPResultsPair, ModelResults or another result
            Its `guarantee`, what holds, is charged, whatever it claims.

        Raises
        ------
        BudgetExceeded
            If the budget does not cover it. The result was drawn already: do not publish it.
        PydpstatError
            If the result guarantees nothing (an infinite epsilon), or as for `spend`.

        Examples
        --------
        >>> import pydpstat
        >>> budget = pydpstat.Budget(1.0)
        >>> budget.charge(pydpstat.meanDP([1, 2, 3, 4], 0.5, 0, 5, rng=pydpstat.RRandom(1)))
        >>> budget.spent.epsilon
        0.5
        """
        guarantee = getattr(result, "guarantee", None)
        if not isinstance(guarantee, Guarantee):
            hint = "Use spend(guarantee, call)." if isinstance(result, Guarantee) else "Give a release."
            raise PydpstatError(f"result must have a guarantee; got {type(result).__name__}. {hint}")
        call = getattr(getattr(result, "Bounded", result), "call", None)
        self._spend(guarantee, str(call or type(result).__name__), "Do not publish the result.")

    def _spend(self, guarantee: Guarantee, call: str, consequence: str) -> None:
        cost = self._cost(guarantee, consequence)
        if not isinstance(call, str):
            raise PydpstatError(f"call must be a text; got {type(call).__name__}. Give result.call.")
        remaining = self._ledger.spend(self._limit, cost, Entry.of(guarantee, call))
        if remaining is None:
            return
        costs = cost, remaining, missing(cost, remaining)
        requested, left, difference = map(self._accountant.amount, costs)
        text = (
            f"the budget does not cover this release: it needs {requested}, and {left} is left "
            f"({difference} too much). {consequence} Use a smaller epsilon, or stop here."
        )
        raise BudgetExceeded(text, requested, left, difference)

    def _cost(self, guarantee: Guarantee, consequence: str) -> Cost:
        if not isinstance(guarantee, Guarantee):
            raise PydpstatError(
                f"guarantee must be a Guarantee; got {type(guarantee).__name__}. Give result.guarantee."
            )
        if guarantee.epsilon == float("inf") or guarantee.delta == 1.0:
            raise PydpstatError(
                f"guarantee must be finite to be charged; got {guarantee}, and no budget covers a release "
                f"that guarantees nothing. {consequence}"
            )
        if guarantee.neighbors != self._neighbors:
            hint = "Nothing follows for unbounded neighbors: release with neighbors='unbounded'."
            if self._neighbors == "bounded":
                hint = (
                    "Release with neighbors='bounded', or charge what it keeps for one replaced record: "
                    "budget.spend(guarantee.as_bounded(), call)."
                )
            raise PydpstatError(
                f"guarantee must be for {self._neighbors} neighbors, as the budget is; got {guarantee}. "
                f"{hint} {consequence}"
            )
        return self._accountant.cost(guarantee)

    @property
    def spent(self) -> Amount:
        """What was spent: with "basic" the sums; with "zcdp" rho, and its epsilon at the budget's delta."""
        return self._accountant.spent(self._ledger.total())

    @property
    def remaining(self) -> Amount:
        """What is left: with "zcdp" rho, and the largest epsilon of a pure release that it covers."""
        return self._accountant.amount(missing(self._limit, self._ledger.total()))

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Every spend, the oldest first: call, guarantee, time and process."""
        return self._ledger.entries()

    def summary(self) -> Summary:
        """Return the ledger as a table in statsmodels' form.

        Returns
        -------
        statsmodels.iolib.summary.Summary
            Has ``as_text``, ``as_html``, ``as_latex`` and ``as_csv``; printing it shows the text.

        Examples
        --------
        >>> from pydpstat import Budget, Guarantee
        >>> budget = Budget(1.0)
        >>> budget.spend(Guarantee(0.5), "mean(income)")
        >>> "mean(income)" in budget.summary().as_text()
        True
        """
        limits = self.epsilon, self.delta, self.accountant, self.neighbors, self.path
        return LedgerReport(*limits, self.entries, self.spent, self.remaining).summary()

    def _repr_html_(self) -> str:
        return self.summary().as_html()

    def __repr__(self) -> str:
        where = "" if self.path is None else f", path={self.path!r}"
        return (
            f"Budget({self._epsilon!r}, {self._delta!r}{where}, accountant={self._name!r}, "
            f"neighbors={self._neighbors!r})"
        )

    def __reduce__(self) -> tuple[Callable[..., Budget], tuple[object, ...]]:
        if self.path is None:
            raise PydpstatError(
                "a budget in memory cannot be copied or pickled: both copies would spend what is left. "
                "Give the budget a path, so that copies share one ledger."
            )
        return self._existing, (self.path, self._limits())


def _delta(delta: float, accountant: str) -> float:
    value = checks.scalar(delta, "delta")
    if not 0.0 <= value < 1.0:
        raise PydpstatError(
            f"delta must be at least 0 and below 1; got {checks.shown(delta)}. Give for example 1e-6."
        )
    if checks.one_of(accountant, "accountant", tuple(ACCOUNTANTS)) == "zcdp" and value == 0.0:
        raise PydpstatError(
            f"delta must be above 0 for the accountant 'zcdp'; got {checks.shown(delta)}. "
            "Give for example 1e-6."
        )
    return value


def _real(path: str | os.PathLike[str]) -> str:
    try:
        text = os.fspath(path)
    except TypeError:
        text = ""
    if not isinstance(text, str) or not text or "\0" in text:
        raise PydpstatError(
            f"path must be a file's name or None; got {checks.shown_option(path)}. "
            "Give for example 'survey.ledger'."
        )
    # a later change of the working folder or of a symbolic link must not lead to another ledger
    return os.path.realpath(text)
