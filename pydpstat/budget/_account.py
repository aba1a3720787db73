"""Accounts: a ledger with its limits, the amounts spent, reserved and left, and plans of what is left."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from weakref import WeakValueDictionary

from pydpstat import _checks as checks
from pydpstat.budget._allocating import PlannedCall, make_allocation
from pydpstat.budget._budget_base import BudgetBase
from pydpstat.budget._entry import Entry
from pydpstat.budget._ledger import Limits, MemoryLedger, SharedLedger
from pydpstat.budget.allocation import Allocation
from pydpstat.budget.amounts import ACCOUNTANTS, Amount, Share
from pydpstat.budget.reservation import Reservation
from pydpstat.errors import PydpstatError
from pydpstat.privacy._units import check_unit
from pydpstat.privacy.guarantee import NEIGHBORS


class Account(BudgetBase):
    """A ledger from which releases spend within the limits of an accountant."""

    _ledger: MemoryLedger | SharedLedger

    def _set_limits(self, epsilon: float, delta: float, accountant: str, neighbors: str, unit: str | None) -> None:
        self._epsilon, self._delta = epsilon, delta
        self._neighbors = checks.check_choice(neighbors, "neighbors", NEIGHBORS)
        self._unit = check_unit(unit)
        self._name = accountant
        self._accountant = ACCOUNTANTS[accountant](epsilon, delta)
        self._limit = self._accountant.limit
        self._charged_records: WeakValueDictionary[int, object] = WeakValueDictionary()

    def _get_limits(self) -> Limits:
        return repr(self._epsilon), repr(self._delta), self._name, self._neighbors, self._unit

    @property
    def spent(self) -> Amount:
        """Amount spent: with "basic" the sums; with "zcdp" rho, and its epsilon at the budget's delta."""
        return self._accountant.convert_spent(self._ledger.read_state().total)

    @property
    def reserved(self) -> Amount:
        """Amount reserved by `allocate` and not spent, as in `remaining`."""
        reserved = self._ledger.read_state().reserved
        return self._accountant.to_amount(reserved) if any(reserved) else self._accountant.convert_spent(reserved)

    @property
    def reservations(self) -> dict[str, Reservation]:
        """The open reservations of this ledger by name, also those of other processes."""
        return {one.name: Reservation(self, key, one) for key, one in self._ledger.read_state().reservations.items()}

    def plan(self, releases: int) -> Share:
        """Compute the amount for each of several equal releases that together use the remaining amount.

        Parameters
        ----------
        releases : int
            Number of releases, at least 1.

        Returns
        -------
        Share
            Its ``epsilon`` is for pure releases, its ``gaussian`` for Gaussian ones. These are the largest amounts
            with which all releases fit.

        Raises
        ------
        PydpstatError
            If `releases` is not an integer of at least 1, or the budget is an odometer.

        See Also
        --------
        Budget.allocate : unequal parts, which are reserved.

        Notes
        -----
        Nothing is spent or reserved. With "basic", epsilon and delta are divided: a delta of 0 leaves no
        Gaussian release. With "zcdp", rho is divided, and a pure release may use more than its share
        of epsilon; a Gaussian one may have ``gaussian.epsilon`` with ``gaussian.delta``, the whole
        budget's, as the deltas of several releases do not add up there.

        Examples
        --------
        >>> from pydpstat import Budget
        >>> budget = Budget(1.0, 1e-6)
        >>> budget.plan(8).epsilon
        0.125
        >>> many = Budget(1.0, 1e-6, accountant="zcdp").plan(1000)
        >>> round(many.epsilon, 5), round(many.gaussian.epsilon, 5)
        (0.00698, 0.02283)
        """
        if isinstance(releases, (list, tuple, dict)):
            raise PydpstatError(
                f"releases must be one number of equal releases; got {checks.describe_value(releases)}. For parts of "
                "other sizes write budget.allocate([0.5, 0.3, 0.2]), with weights or plans."
            )
        count = checks.check_positive_integer(releases, "releases")
        if self._epsilon == math.inf:
            raise PydpstatError("an odometer has no limit, so it cannot plan. Use a Budget with an epsilon.")
        return self._accountant.compute_share(self._compute_remaining(), count)

    def allocate(
        self,
        plans: Mapping[str, PlannedCall | float] | Sequence[PlannedCall | float],
        weights: Mapping[str, float] | Sequence[float] | None = None,
        *,
        scale: bool = True,
    ) -> Allocation:
        """Divide what is left among planned calls, and reserve the part of each in the ledger.

        Parameters
        ----------
        plans : dict by name, or list
            Plans as from `pydpstat.plan` or a design's ``plan``, with an epsilon or an accuracy; or numbers, for calls
            without a plan, such as models. A list is named by its plans.
        weights : dict by name, or list, optional
            Relative epsilons, instead of those of the plans.
        scale : bool, default True, keyword only
            Multiply all epsilons by the same factor, such that they use what is left. With False the epsilons of the
            plans, or the numbers, are reserved as they are, and the rest of the budget stays free.

        Returns
        -------
        Allocation
            With a `Reservation` for each call, ``allocation["mean age"]``, and `summary`, `to_frame` and `plot`.

        Raises
        ------
        BudgetExceeded
            If nothing is left, the deltas exceed what is left, or the epsilons do without scaling. Nothing is reserved
            then.
        PydpstatError
            If an argument is invalid, a plan is for other neighbors or another unit, a name has an open reservation,
            or the budget is an odometer.

        See Also
        --------
        Budget.plan : equal parts, without a reservation.
        Budget.reservations : the open reservations.

        Notes
        -----
        A reservation reduces `remaining` until it is spent or released. It is in the ledger, in a file or a database
        as well: it outlives the process, and other processes find it in `reservations`. All reservations of an
        allocation are made in one transaction, and only what was spent counts as `spent`.

        The epsilons have the ratio of the weights, or of the plans' epsilons, and are rounded down to six significant
        digits; their exact costs add up to at most what is left. The factor is the same for all, and so is, for Laplace
        noise, the factor of the accuracies; for other noise it is so approximately. A delta is not scaled. With "zcdp"
        the sum of the rhos is exhausted, not that of the epsilons. A sampled release costs less than its epsilon.

        Examples
        --------
        >>> import pydpstat as dp
        >>> budget = dp.Budget(1.0)
        >>> age = dp.plan("mean", accuracy=1.0, bounds=(0, 100), n=1000)
        >>> parts = budget.allocate({"mean age": age, "model": 0.3})
        >>> parts["mean age"].epsilon, parts["model"].epsilon, budget.remaining.epsilon
        (0.499749, 0.50025, 1e-06)
        >>> with parts["mean age"] as part:
        ...     r = dp.mean([43, 15, 50] * 333 + [51], part.epsilon, bounds=(0, 100))
        >>> budget.entries[0].label, list(budget.reservations)
        ('mean age', ['model'])
        """
        if self._epsilon == math.inf:
            raise PydpstatError("an odometer has no limit to allocate. Use a Budget with an epsilon.")
        return make_allocation(self, plans, weights, scale)

    def _describe_ways(self) -> str:
        reserved = self.reserved
        return f"Another {reserved} is reserved: see budget.reservations." if reserved.epsilon else ""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries in the order of charging: call, label, guarantee, time, process and host."""
        return self._ledger.read_entries()
