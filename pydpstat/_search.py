"""Searches to floating-point precision: bisection for the end of a condition, and golden-section minimization."""

from __future__ import annotations

import math
from collections.abc import Callable

_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)


def bisect_up(
    holds: Callable[[float], bool],
    low: float = 0.0,
    high: float | None = None,
    *,
    find_middle: Callable[[float, float], float | None] | None = None,
    steps: int = 5000,
) -> tuple[float, float]:
    """Find where a condition ends: return two bracketing numbers, one where it holds and one where it fails.

    The condition is assumed to hold at `low` and to fail at `high`, and is not evaluated there; without `high`, a
    number where it fails is found by doubling from 1. `find_middle` returns the next number to try between two, or None
    to stop; by default the midpoint, until the two are neighboring floats. At most `steps` numbers are tried.
    """
    if high is None:
        high = 1.0
        while holds(high):
            low, high = high, 2.0 * high
    for _ in range(steps):
        middle = 0.5 * (low + high) if find_middle is None else find_middle(low, high)
        if middle is None or not low < middle < high:
            break
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low, high


def minimize_unimodal(
    function: Callable[[float], float], low: float, high: float, sections: int, *, leftmost: bool = False
) -> tuple[float, float]:
    """Return the minimizer and the minimum of a unimodal function, by golden-section search.

    If both inner points have equal values, the search continues on the right, or on the left with `leftmost`. SciPy's
    searches need as many calls for the same accuracy, and half a second to import.
    """
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(sections):
        if at_left < at_right or leftmost and at_left == at_right:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
    return (left, at_left) if at_left < at_right else (right, at_right)
