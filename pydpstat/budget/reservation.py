"""A reservation: a part of a budget that only the releases charged to it may spend."""

from __future__ import annotations

from collections.abc import Callable

from pydpstat import _checks as checks
from pydpstat.budget._budget_base import BudgetBase
from pydpstat.budget._state import Reserved
from pydpstat.budget.amounts import Amount, compute_shortfall


class Reservation(BudgetBase):
    """A part of a budget that is reserved in its ledger.

    `Budget.allocate` makes it. It is given to releases in place of the budget, as ``budget=`` or in a ``with``
    block. Its entries are in the budget's ledger, with the reservation's name as their default label.

    Parameters
    ----------
    budget : Budget
        The budget.
    key : str
        Identity of the reservation in the ledger.
    reserved : Reserved
        The reservation in the ledger.

    See Also
    --------
    pydpstat.Budget.allocate : make reservations.

    Notes
    -----
    What is reserved and not spent reduces the budget's `remaining` until it is spent or released, also after the
    process has ended. A release that costs more than what is left of the reservation raises an error before any
    noise is drawn, even if the budget could cover it.

    Examples
    --------
    >>> from pydpstat import Budget, count
    >>> budget = Budget(1.0)
    >>> part = budget.allocate({"adults": 1, "others": 3})["adults"]
    >>> r = count([True, False, True], part.epsilon, budget=part)
    >>> budget.spent.epsilon, budget.reserved.epsilon, budget.entries[0].label
    (0.25, 0.75, 'adults')
    """

    _key: str

    def __init__(self, budget: BudgetBase, key: str, reserved: Reserved) -> None:
        self._budget, self._key, self._reserved = budget, key, reserved
        self._ledger, self._limit, self._accountant = budget._ledger, budget._limit, budget._accountant
        self._epsilon, self._delta, self._name = reserved.epsilon, reserved.delta, budget._name
        self._neighbors, self._unit, self._default_label = budget._neighbors, budget._unit, reserved.name
        # a result that the budget was charged with must not be charged here, and vice versa
        self._charged_records = budget._charged_records

    @property
    def name(self) -> str:
        """Name of the reservation, and the default label of its entries."""
        return self._reserved.name

    @property
    def epsilon(self) -> float:
        """The epsilon to give to the release; `remaining` is what is left of the reservation."""
        return self._epsilon

    @property
    def spent(self) -> Amount:
        """Amount spent or released: with "zcdp" rho, and the epsilon of a pure release of this cost."""
        return self._accountant.to_amount(compute_shortfall(self._reserved.cost, self._compute_remaining()))

    def release(self) -> None:
        """Return what is left of the reservation to the budget; what was spent stays spent.

        Releasing again does nothing. A release that is charged to it afterwards raises `BudgetExceeded`.

        See Also
        --------
        Allocation.release : all reservations of an allocation.

        Examples
        --------
        >>> from pydpstat import Budget
        >>> budget = Budget(1.0)
        >>> budget.allocate({"adults": 1, "others": 3})["adults"].release()
        >>> budget.remaining.epsilon
        0.25
        """
        self._ledger.release((self._key,))

    def _describe(self) -> dict[str, object]:
        """Return what the ledger has of it in plain JSON types."""
        one = self._reserved
        left = self.remaining._asdict()
        writer = {"time": one.time, "process": one.process, "host": one.host}
        return {"name": one.name, "epsilon": one.epsilon, "delta": one.delta, "remaining": left, **writer}

    def _describe_budget(self) -> str:
        return f"the reservation {checks.format_public_value(self.name)}"

    def _describe_ways(self) -> str:
        left = self._budget.remaining
        return f"The budget has {left} left besides its reservations." if left.epsilon else ""

    def __repr__(self) -> str:
        return f"<Reservation {self.name!r}: epsilon {self.epsilon:.6g}, {self._budget!r}>"

    def __reduce__(self) -> tuple[Callable[..., Reservation], tuple[object, ...]]:
        return type(self), (self._budget, self._key, self._reserved)
