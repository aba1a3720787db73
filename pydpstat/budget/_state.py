"""State of a ledger: the total spent and the amounts that are reserved, and how each step changes them.

The total of all entries and all reservations never exceeds the limit, so that a spend from a reservation cannot either.
A reservation ends when its epsilon (or rho) is used up, or when it is released; a spend from one that has ended is
refused. No step reduces the total.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from pydpstat import _checks as checks
from pydpstat.budget.amounts import ZERO_COST, Cost, add_cost, compute_shortfall
from pydpstat.errors import PydpstatError

_NO_RESERVATIONS: Mapping[str, Reserved] = MappingProxyType({})


class Reserved(NamedTuple):
    """An open reservation: its name, the parameters of its call, its cost, what is left of it, and who made it."""

    name: str
    epsilon: float
    delta: float
    cost: Cost
    left: Cost
    time: str
    process: int
    host: str


class LedgerState(NamedTuple):
    """The total of all entries, and the open reservations by their identity, in the order in which they were made."""

    total: Cost = ZERO_COST
    reservations: Mapping[str, Reserved] = _NO_RESERVATIONS

    @property
    def reserved(self) -> Cost:
        """The amount that is reserved and not spent."""
        return _sum_costs(self, ZERO_COST)

    def compute_remaining(self, limit: Cost, key: str | None = None) -> Cost:
        """Return the amount left: of a reservation, or else of the limit without all reservations."""
        if key is None:
            return compute_shortfall(limit, _sum_costs(self, self.total))
        return self.reservations[key].left if key in self.reservations else ZERO_COST

    def spend(self, limit: Cost, cost: Cost, key: str | None = None) -> LedgerState | None:
        """Return the state after a spend from a reservation, or from what is left; None if it is not covered."""
        total = add_cost(self.total, cost, limit)
        if total is None:
            return None
        if key is None:
            is_covered = not self.reservations or add_cost(_sum_costs(self, total), ZERO_COST, limit) is not None
            return self._replace(total=total) if is_covered else None
        available = self.compute_remaining(limit, key)
        if cost[0] > available[0] or cost[1] > available[1]:
            return None
        left = available[0] - cost[0], available[1] - cost[1]
        changed = {name: one._replace(left=left) if name == key else one for name, one in self.reservations.items()}
        # a delta alone is of no use
        if not left[0]:
            changed.pop(key, None)
        return LedgerState(total, changed)

    def reserve(self, limit: Cost, new: Mapping[str, Reserved]) -> LedgerState | None:
        """Return the state with further reservations; None if they are not covered, an error if a name is taken."""
        open_names = {one.name for one in self.reservations.values()}
        taken = [one.name for one in new.values() if one.name in open_names]
        if taken:
            raise PydpstatError(
                f"plans must have names without an open reservation; got {checks.format_public_value(taken[0])}, which "
                "is reserved already. Nothing was reserved. Spend from it, budget.reservations[name], release it, "
                "budget.reservations[name].release(), or give another name."
            )
        joined = LedgerState(self.total, {**self.reservations, **new})
        return None if add_cost(_sum_costs(joined, self.total), ZERO_COST, limit) is None else joined

    def release(self, keys: Collection[str]) -> LedgerState:
        """Return the state without these reservations; those that have ended are ignored."""
        return self._replace(reservations={key: one for key, one in self.reservations.items() if key not in keys})


def _sum_costs(state: LedgerState, start: Cost) -> Cost:
    for one in state.reservations.values():
        start = start[0] + one.left[0], start[1] + one.left[1]
    return start


def format_cost(cost: Cost) -> tuple[str, str]:
    """Return a total as strings, which are exact."""
    return str(cost[0]), str(cost[1])


def parse_cost(texts: Collection[object]) -> Cost:
    """Return a total from its strings."""
    first, second = map(str, texts)
    return Fraction(first), Fraction(second)


def format_state(state: LedgerState) -> tuple[str, str, str]:
    """Return a state as strings: both numbers of the total, and the open reservations as JSON."""
    rows = {key: (*one[:3], *map(format_cost, one[3:5]), *one[5:]) for key, one in state.reservations.items()}
    return (*format_cost(state.total), json.dumps(rows))


def parse_state(texts: Collection[object]) -> LedgerState:
    """Return a state from its strings."""
    *total, reservations = texts
    rows = json.loads(str(reservations))
    return LedgerState(
        parse_cost(total),
        {key: Reserved(*row[:3], *map(parse_cost, row[3:5]), *row[5:]) for key, row in rows.items()},
    )
