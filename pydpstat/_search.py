"""Searches that end at neighboring numbers: where a condition ends, and where a function is lowest."""

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
    """Narrow down where a condition ends: return a number where it holds, and one where it does not.

    It is asked neither at `low`, where it is taken to hold, nor at `high`, where it does not; by default such
    a number is found by doubling from 1. `find_middle` gives the number to try between two, or None to stop; by
    default halfway, until two floats are neighbors. It stops after `steps` numbers at the latest.
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
    """Return where a function with one valley is lowest, and how low, by golden sections.

    Of two places of equal height the search goes on at the right one, or at the left one for `leftmost`.
    SciPy's searches take as many calls for as many digits, and their import half a second.
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
