"""Division of what is left of a budget among planned calls, in exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction
from typing import NamedTuple

from pydpstat._search import bisect_up
from pydpstat.budget.amounts import ZERO_COST, Accountant, BasicAccountant, Cost
from pydpstat.privacy import Guarantee

# an epsilon is rounded down to the digits that are printed
_DIGITS = Context(prec=6, rounding=ROUND_DOWN)
# ratio of upper to lower limit at which the search ends
_SEARCH_RATIO = 1.0 + 1e-8


class CallCost(NamedTuple):
    """A call that takes a part: its epsilon relative to the others, and its cost as a function of its epsilon."""

    size: Fraction
    compute_cost: Callable[[float], Cost]
    # whether the cost is that of a pure release, which is quick to compute
    is_pure: bool


def make_call_cost(
    size: Fraction, compute_guarantee: Callable[[float], Guarantee], accountant: Accountant, epsilon: float
) -> CallCost:
    """Return the cost of a call as a function of its epsilon; `epsilon` is one with which it was planned."""

    def compute_cost(value: float) -> Cost:
        return accountant.compute_cost(compute_guarantee(value))

    guarantee = compute_guarantee(epsilon)
    pure = Guarantee(epsilon, neighbors=guarantee.neighbors, unit=guarantee.unit)
    is_pure = accountant.compute_cost(guarantee) == accountant.compute_cost(pure)
    return CallCost(size, compute_cost, is_pure)


def divide_amount(calls: Sequence[CallCost], available: Cost, accountant: Accountant) -> list[float]:
    """Return the largest epsilons in the ratio of the sizes that the available amount covers; zeros if there are none.

    The exact epsilons are rounded down to six digits. All costs increase with epsilon, so the rounded ones fit as well.
    """
    total_size = sum((call.size for call in calls), Fraction(0))

    def scale_sizes(factor: Fraction) -> list[float]:
        return [round_down(factor * call.size) for call in calls]

    def fits(epsilons: Sequence[float], is_quick: bool) -> bool:
        total = ZERO_COST
        for call, epsilon in zip(calls, epsilons):
            is_pure = is_quick and call.is_pure
            cost = accountant.compute_cost(Guarantee(epsilon)) if is_pure else call.compute_cost(epsilon)
            total = total[0] + cost[0], total[1] + cost[1]
        return total[0] <= available[0] and total[1] <= available[1]

    # with basic composition the epsilons add up to the amount itself
    if isinstance(accountant, BasicAccountant) and all(call.is_pure for call in calls):
        epsilons = scale_sizes(Fraction(available[0]) / total_size)
        if not all(epsilons) or fits(epsilons, False):
            return epsilons

    def find_factor(is_quick: bool) -> Fraction:
        factor, _ = bisect_up(
            lambda each: fits([float(Fraction(each) * call.size) for call in calls], is_quick),
            find_middle=_find_middle,
        )
        return Fraction(factor)

    epsilons = scale_sizes(find_factor(True))
    return epsilons if not all(epsilons) or fits(epsilons, False) else scale_sizes(find_factor(False))


def _find_middle(low: float, high: float) -> float | None:
    if high <= low * _SEARCH_RATIO:
        return None
    # from 0 the lower limit is found by steps, since a geometric mean needs two positive numbers
    return high / 16.0 if low == 0.0 and high > 1e-12 else math.sqrt(low * high) if low else None


def round_down(value: Fraction) -> float:
    """Return the decimal number of six digits that is at most this fraction."""
    return float(_DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator)))
