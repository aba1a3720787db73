"""Steps of an allocation: the calls and their sizes, their epsilons, and the reservations in the ledger."""

from __future__ import annotations

import itertools
import math
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from pydpstat import _checks as checks
from pydpstat._data.native import to_public_list
from pydpstat.budget._budget_base import BudgetBase
from pydpstat.budget._division import CallCost, divide_amount, make_call_cost
from pydpstat.budget._entry import describe_writer
from pydpstat.budget._state import Reserved
from pydpstat.budget.allocation import AllocatedCall, Allocation
from pydpstat.budget.amounts import ZERO_COST, BudgetExceeded, Cost, compute_shortfall, to_decimal
from pydpstat.budget.reservation import Reservation
from pydpstat.errors import PydpstatError
from pydpstat.privacy import Guarantee

# how often the epsilons are computed again if another process spends in the meantime
_MAX_TRIALS = 5
# smallest share of the limit that is divided
_SMALLEST_SHARE = Fraction(1, 10_000)
_EXAMPLE = "Give for example {'mean age': dp.plan('mean', accuracy=0.5, bounds=(0, 100), n=1000), 'model': 0.3}."


class Scope(NamedTuple):
    """Neighbors, unit and accountant of a budget, which a call without them takes from it."""

    neighbors: str
    unit: str | None
    accountant: str


class Outlook(NamedTuple):
    """The accuracy or the power of a call to expect; NaN where it is not known."""

    accuracy: float = math.nan
    power: float = math.nan


class PlannedCall:
    """Base of plans: of releases, and of tests, whose guarantees are pure."""

    __slots__ = ()

    epsilon: float
    # "epsilon" if an accuracy or a power is wanted
    solved: str

    def _name_call(self) -> str:
        """Return the call in words."""
        raise NotImplementedError

    def _get_delta(self) -> float:
        """Return the delta of the call."""
        return 0.0

    def _compute_guarantee(self, epsilon: float, scope: Scope) -> Guarantee:
        """Return the guarantee of the call with an epsilon, in a budget of this scope."""
        return Guarantee(epsilon, neighbors=scope.neighbors, unit=scope.unit)

    def _compute_outlook(self, epsilon: float, scope: Scope) -> Outlook:
        """Return what to expect of the call with an epsilon, in a budget of this scope."""
        raise NotImplementedError


class _Call(NamedTuple):
    """A call to allocate: its name, its relative size, and its plan, or None if only a number was given."""

    name: str
    size: float
    plan: PlannedCall | None


def make_allocation(budget: BudgetBase, plans: object, weights: object, scale: object) -> Allocation:
    """Allocate what is left of a budget; see `Budget.allocate`."""
    is_scaled = checks.check_boolean(scale, "scale")
    if weights is not None and not is_scaled:
        raise PydpstatError(
            "weights must be left out with scale=False; got both. Weights are relative: leave out scale=False, or give "
            "epsilons in place of plans, {'mean age': 0.5}."
        )
    calls = _read_calls(plans, weights, budget)
    scope = Scope(budget.neighbors, budget.unit, budget.accountant)
    functions = [partial(_compute_guarantee, call.plan, scope=scope) for call in calls]
    costs = [
        make_call_cost(to_decimal(call.size), function, budget._accountant, _get_epsilon(call))
        for call, function in zip(calls, functions)
    ]
    # errors for other neighbors or another unit
    planned = [
        budget._compute_cost(each(_get_epsilon(call)), "Nothing was reserved.") for call, each in zip(calls, functions)
    ]
    for _ in range(_MAX_TRIALS):
        available = budget._compute_remaining()
        epsilons = _choose_epsilons(calls, costs, planned, available, budget, is_scaled)
        reserved = _make_reservations(
            calls, epsilons, [each.compute_cost(value) for each, value in zip(costs, epsilons)]
        )
        remaining = budget._ledger.reserve(budget._limit, reserved)
        if remaining is None:
            break
        # another process or thread may have spent or reserved something in the meantime
        if not is_scaled or remaining == available:
            cost = _add_costs(one.cost for one in reserved.values())
            raise _make_refusal(budget, cost, remaining, "Leave out scale=False to scale them.")
    else:
        raise PydpstatError(
            f"the budget was spent by others {_MAX_TRIALS} times while its division was computed. Nothing was "
            "reserved. Allocate again."
        )
    rows = [
        _describe_call(call, epsilon, one, budget, scope)
        for call, epsilon, one in zip(calls, epsilons, reserved.values())
    ]
    reservations = tuple(Reservation(budget, key, one) for key, one in reserved.items())
    return Allocation(tuple(rows), reservations, budget.remaining)


def _choose_epsilons(
    calls: Sequence[_Call],
    costs: Sequence[CallCost],
    planned: Sequence[Cost],
    available: Cost,
    budget: BudgetBase,
    is_scaled: bool,
) -> list[float]:
    if not is_scaled:
        return [call.size for call in calls]
    wanted = _add_costs(planned)
    # epsilons can be scaled, and deltas cannot
    if wanted[1] > available[1]:
        raise _make_refusal(budget, (Fraction(0), wanted[1]), available, "Plan with smaller deltas.")
    # an earlier allocation leaves a rest from rounding, which nobody means to divide
    if available[0] > _SMALLEST_SHARE * budget._limit[0]:
        epsilons = divide_amount(costs, available, budget._accountant)
        if all(epsilons):
            return epsilons
    raise _make_refusal(budget, wanted, available, "That is too little to divide.")


def _make_reservations(calls: Sequence[_Call], epsilons: Sequence[float], costs: Sequence[Cost]) -> dict[str, Reserved]:
    writer = describe_writer()
    deltas = [0.0 if call.plan is None else call.plan._get_delta() for call in calls]
    return {
        secrets.token_hex(8): Reserved(call.name, epsilon, delta, cost, cost, *writer)
        for call, epsilon, delta, cost in zip(calls, epsilons, deltas, costs)
    }


def _describe_call(call: _Call, epsilon: float, reserved: Reserved, budget: BudgetBase, scope: Scope) -> AllocatedCall:
    cost = budget._accountant.to_amount(reserved.cost)
    if call.plan is None:
        return AllocatedCall(call.name, "", epsilon, reserved.delta, cost)
    wanted = (
        call.plan._compute_outlook(call.plan.epsilon, scope).accuracy if call.plan.solved == "epsilon" else math.nan
    )
    outlook = call.plan._compute_outlook(epsilon, scope)
    return AllocatedCall(call.name, call.plan._name_call(), epsilon, reserved.delta, cost, wanted, *outlook)


def _compute_guarantee(plan: PlannedCall | None, epsilon: float, scope: Scope) -> Guarantee:
    if plan is None:
        return Guarantee(epsilon, neighbors=scope.neighbors, unit=scope.unit)
    return plan._compute_guarantee(epsilon, scope)


def _get_epsilon(call: _Call) -> float:
    """Return the epsilon of the plan; without a plan, the size."""
    return call.size if call.plan is None else call.plan.epsilon


def _read_calls(plans: object, weights: object, budget: BudgetBase) -> list[_Call]:
    """Check the plans and their weights, and name those of a list."""
    named = isinstance(plans, Mapping)
    items = list(plans.items()) if isinstance(plans, Mapping) else [("", plan) for plan in _read_list(plans)]
    if not items:
        raise PydpstatError(f"plans must have at least one plan; got none. {_EXAMPLE}")
    if named and not all(isinstance(name, str) and name.strip() for name, _ in items):
        odd = next(name for name, _ in items if not isinstance(name, str) or not name.strip())
        raise PydpstatError(f"plans must have names that are strings; got {checks.describe_option(odd)}. {_EXAMPLE}")
    calls = [_read_call(str(name), item, place) for place, (name, item) in enumerate(items, 1)]
    if not named:
        taken = {one.name for one in budget._ledger.read_state().reservations.values()}
        calls = list(_iter_distinct(calls, taken))
    if weights is None:
        return calls
    if any(call.plan is None for call in calls):
        raise PydpstatError(
            "weights must be left out where plans are numbers; got both. The numbers are weights themselves: "
            "{'mean age': 3, 'adults': 1}."
        )
    sizes = _read_weights(weights, [call.name for call in calls], named)
    return [call._replace(size=size) for call, size in zip(calls, sizes)]


def _read_list(plans: object) -> list[object]:
    values = to_public_list(plans, "plans")
    if isinstance(values, (list, tuple)):
        return list(values)
    hint = "For equal parts write [1] * 4." if checks.is_number(values) else _EXAMPLE
    raise PydpstatError(f"plans must be a dict of plans by name, or a list; got {checks.describe_value(plans)}. {hint}")


def _read_call(name: str, item: object, place: int) -> _Call:
    if isinstance(item, PlannedCall):
        return _Call(name or item._name_call(), item.epsilon, item)
    argument = f"plans[{name!r}]" if name else f"plans[{place - 1}]"
    if not checks.is_number(checks.unwrap_scalar(item)):
        hint = " A released result has spent already." if hasattr(item, "guarantee") else ""
        raise PydpstatError(
            f"{argument} must be a plan, as from dp.plan('mean', ...) or design.plan('mean', ...), or a number; got "
            f"{checks.describe_value(item)}.{hint} Give a number where there is no plan, relative to the epsilons of "
            "the others."
        )
    return _Call(name or f"part {place}", checks.check_positive(item, argument, "It is an epsilon or a weight."), None)


def _iter_distinct(calls: Iterable[_Call], taken: set[str]) -> Iterator[_Call]:
    """Yield the calls of a list, those with names that are taken under a number in addition."""
    for call in calls:
        names = (call.name if number == 1 else f"{call.name} ({number})" for number in itertools.count(1))
        name = next(name for name in names if name not in taken)
        taken.add(name)
        yield call._replace(name=name)


def _read_weights(weights: object, names: Sequence[str], named: bool) -> list[float]:
    if isinstance(weights, Mapping):
        values = checks.select_by_names(weights, names, "weights", "plan", "a number")
    else:
        values = to_public_list(weights, "weights")
        if named or not isinstance(values, (list, tuple)) or len(values) != len(names):
            example = "a dict by name, weights={'mean age': 3, 'adults': 1}" if named else "a list in the same order"
            raise PydpstatError(
                f"weights must have one number for each of the {len(names)} plans; got "
                f"{checks.describe_value(weights)}. Give {example}."
            )
    return [
        checks.check_positive(value, f"weights[{name!r}]", "It is relative to the others.")
        for name, value in zip(names, values)
    ]


def _add_costs(costs: Iterable[Cost]) -> Cost:
    total = ZERO_COST
    for cost in costs:
        total = total[0] + cost[0], total[1] + cost[1]
    return total


def _make_refusal(budget: BudgetBase, cost: Cost, remaining: Cost, advice: str) -> BudgetExceeded:
    """Return the error for calls that are not covered."""
    costs = cost, remaining, compute_shortfall(cost, remaining)
    requested, available, difference = map(budget._accountant.to_amount, costs)
    text = (
        f"{budget._describe_budget()} does not cover these calls: they need {requested}, and {available} is left. "
        f"Nothing was reserved. {' '.join(filter(None, (advice, budget._describe_ways())))}"
    )
    return BudgetExceeded(text, requested, available, difference)
