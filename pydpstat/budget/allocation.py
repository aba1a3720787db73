"""An allocation: what is left of a budget, reserved for planned calls, with the accuracy to expect of each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_frozen_changes
from pydpstat._lazy import pd
from pydpstat.budget.amounts import Amount
from pydpstat.budget.reservation import Reservation
from pydpstat.errors import ArgumentError
from pydpstat.results._report import (
    MAX_PAGE_ROWS,
    Facts,
    Plottable,
    Report,
    Rows,
    format_cell_value,
    format_significant,
    make_omission_note,
    make_unit_fact,
    to_json_types,
)

if TYPE_CHECKING:
    from pydpstat.plots._pictures import AmountPicture

# smallest share of the allocated amount that a picture shows as left
_SMALLEST_BAR = 1e-4


class AllocatedCall(NamedTuple):
    """A call with its part of the budget, and the accuracy or power to expect of it; NaN where it is not known."""

    name: str
    call: str
    epsilon: float
    delta: float
    cost: Amount
    wanted: float = math.nan
    accuracy: float = math.nan
    power: float = math.nan


@explain_frozen_changes
@dataclass(frozen=True, repr=False)
class Allocation(Plottable, Report):
    """Allocation of a budget to planned calls, each with a reservation.

    `Budget.allocate` makes it. ``allocation["mean age"]``, or by position ``allocation[0]``, is the `Reservation` of
    a call. Iterating yields the names.

    Parameters
    ----------
    calls : tuple of AllocatedCall
        The calls in their order.
    reservations : tuple of Reservation
        Their reservations.
    left : Amount
        Amount that was left of the budget without the reservations.

    See Also
    --------
    pydpstat.Budget.allocate : make an allocation.

    Examples
    --------
    >>> from pydpstat import Budget, plan
    >>> age = plan("mean", accuracy=0.5, bounds=(0, 100), n=1000)
    >>> allocation = Budget(1.0).allocate({"mean age": age, "adults": plan("count", accuracy=10)})
    >>> allocation.to_frame().round(3)
               call  epsilon  wanted  accuracy
    mean age   mean    0.678     0.5     0.442
    adults    count    0.322    10.0     9.000
    >>> allocation["adults"].epsilon, allocation["adults"].remaining.epsilon
    (0.321828, 0.321828)
    """

    calls: tuple[AllocatedCall, ...]
    reservations: tuple[Reservation, ...]
    left: Amount

    _title = "Allocation of a privacy budget"

    def __getitem__(self, key: object) -> Reservation:
        """Return the reservation of a call, by its name or position."""
        names = list(self)
        if isinstance(key, str) and key in names:
            return self.reservations[names.index(key)]
        if checks.is_number(key) and key == int(checks.as_float(key)) and -len(names) <= key < len(names):
            return self.reservations[int(checks.as_float(key))]
        hint = checks.suggest_spelling(key, names) if isinstance(key, str) else ""
        hint = hint if hint.startswith("Did") else f"It has {checks.format_public_value(names)}."
        raise ArgumentError(f"allocation must have a call of that name; got {checks.describe_option(key)}. {hint}")

    def __len__(self) -> int:
        """Return the number of calls."""
        return len(self.calls)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the calls."""
        return iter([call.name for call in self.calls])

    def _suggest_attribute(self, name: str) -> str:
        if hasattr(Reservation, name):
            return f"a call has it: write allocation[{checks.format_public_value(self.calls[0].name)}].{name}"
        return super()._suggest_attribute(name)

    def release(self) -> None:
        """Return what is left of all reservations to the budget; what was spent stays spent.

        See Also
        --------
        Reservation.release : a single reservation.

        Examples
        --------
        >>> from pydpstat import Budget
        >>> budget = Budget(1.0)
        >>> budget.allocate({"adults": 1, "others": 3}).release()
        >>> budget.remaining.epsilon
        1.0
        """
        self.reservations[0]._ledger.release([each._key for each in self.reservations])

    def to_frame(self) -> pd.DataFrame:
        """Return the calls as a frame, one row per call, indexed by name.

        Returns
        -------
        DataFrame
            Columns ``call``, ``epsilon`` and ``accuracy``: what is released, the epsilon of the call, and the error by
            the noise that it exceeds with the probability of its plan (0.05), in the least accurate element. NaN where
            it depends on the data, or nothing was planned. Where they apply: ``delta``; ``rho``, the cost with the
            accountant "zcdp"; ``wanted``, the accuracy for which the epsilon of the plan was found; ``power`` of tests.

        Examples
        --------
        >>> from pydpstat import Budget
        >>> Budget(1.0).allocate([3, 1]).to_frame()
               call  epsilon  accuracy
        part 1           0.75       NaN
        part 2           0.25       NaN
        """
        return pd.DataFrame(self._collect_columns(), index=list(self))

    def _collect_columns(self) -> dict[str, list[Any]]:
        calls = self.calls
        columns: dict[str, list[Any]] = {
            "call": [call.call for call in calls],
            "epsilon": [call.epsilon for call in calls],
            "delta": [call.delta for call in calls],
            "rho": [math.nan if call.cost.rho is None else call.cost.rho for call in calls],
            "wanted": [call.wanted for call in calls],
            "accuracy": [call.accuracy for call in calls],
            "power": [call.power for call in calls],
        }
        is_used = {name: any(map(_is_given, columns[name])) for name in ("delta", "rho", "wanted", "power")}
        return {name: column for name, column in columns.items() if is_used.get(name, True)}

    def _collect_facts(self) -> Facts:
        first = self.reservations[0]
        return [
            ("No. Calls:", str(len(self))),
            ("Accountant:", first.accountant),
            ("Neighbors:", first.neighbors),
            *make_unit_fact(first.unit),
            ("Allocated:", str(self._sum_costs())),
            ("Left:", str(self.left)),
        ]

    def _sum_costs(self) -> Amount:
        """Return the amount allocated, for display."""
        costs = [call.cost for call in self.calls]
        rho = math.fsum(cost.rho or 0.0 for cost in costs) if costs[0].rho is not None else None
        return Amount(math.fsum(cost.epsilon for cost in costs), math.fsum(cost.delta for cost in costs), rho)

    def _make_all_rows(self) -> Rows:
        return self._make_rows(None)

    def _make_rows(self, max_rows: int | None = MAX_PAGE_ROWS) -> Rows:
        columns = self._collect_columns()
        headers = ("epsilon", *(name for name in columns if name not in ("call", "epsilon")))
        cells = [[format_cell_value(value) for value in row] for row in zip(*(columns[name] for name in headers))]
        return Rows(headers, list(self)[:max_rows], cells[:max_rows])

    def _collect_notes(self) -> list[str]:
        notes = [
            f"Ledger: {self.reservations[0]._ledger.place}. What is not spent stays reserved until it is released."
        ]
        if any(_is_given(call.accuracy) for call in self.calls):
            notes.append("The absolute noise exceeds the accuracy with the probability of the plan, 0.05 by default.")
        if not all(_is_given(call.accuracy) or _is_given(call.power) for call in self.calls):
            notes.append("A dash: the accuracy depends on the data, or no plan was given.")
        return [*notes, *make_omission_note(len(self))]

    def _describe_picture(self, alpha: float) -> AmountPicture:
        from pydpstat.plots._pictures import AmountPicture, PictureHead

        parameter = "epsilon" if self.left.rho is None else "rho"
        values = np.array([getattr(call.cost, parameter) for call in self.calls])
        allocated = f"{parameter} allocated: {format_significant(getattr(self._sum_costs(), parameter))}"
        head = PictureHead(self._title, f"{allocated} (accountant: {self.reservations[0].accountant})")
        left = "left", getattr(self.left, parameter)
        # a rest from rounding is not drawn
        remaining = left if left[1] > _SMALLEST_BAR * values.sum() else None
        return AmountPicture(
            head, [_describe_call(call) for call in self.calls], values, f"{parameter} reserved", remaining
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the calls by name, with the columns of `to_frame` in plain JSON types.

        Examples
        --------
        >>> from pydpstat import Budget
        >>> Budget(1.0).allocate({"adults": 1, "others": 3}).to_dict()["adults"]["epsilon"]
        0.25
        """
        columns = self._collect_columns()
        return {
            name: {column: to_json_types(values[i]) for column, values in columns.items()}
            for i, name in enumerate(self)
        }

    def __str__(self) -> str:
        table = self.to_frame().to_string(float_format=format_significant, max_rows=MAX_PAGE_ROWS, na_rep="-")
        return f"{self._title}: {self._sum_costs()}, {self.left} left\n{table}"

    def __repr__(self) -> str:
        return f"<Allocation of {self._sum_costs()} to {len(self)} calls: {checks.format_public_value(list(self))}>"


def _describe_call(call: AllocatedCall) -> str:
    """Return the name of a call with its accuracy or power, for a picture."""
    numbers = {"accuracy": call.accuracy, "power": call.power}
    text = ", ".join(f"{name} {value:.3g}" for name, value in numbers.items() if _is_given(value))
    return f"{call.name} ({text})" if text else call.name


def _is_given(value: float) -> bool:
    return bool(value) and not math.isnan(value)
