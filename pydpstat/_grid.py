"""Public grid of a release: exact rounding of values to it, and conversions that round upwards.

The grid's unit is a power of two, so that dividing a float by it and multiplying by it is exact.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction


def grid_unit(scale: float, sensitivity: float) -> float:
    """Return the public grid: the largest power of two at most 2^-20 min(scale, sensitivity).

    Examples
    --------
    >>> grid_unit(1.0, 0.75) == 2.0**-21
    True
    """
    smallest = min(scale, sensitivity) if scale > 0 else sensitivity
    return math.ldexp(1.0, math.frexp(smallest)[1] - 21)


def round_to_grid(exact: Sequence[Fraction | int], grid: float) -> list[int]:
    """Round rationals to the nearest integer multiple of the grid unit, ties to even.

    Examples
    --------
    >>> round_to_grid([Fraction(1, 3), Fraction(3, 8), Fraction(-5, 8)], 0.25)
    [1, 2, -2]
    """
    power = 1 - math.frexp(grid)[1]
    if power >= 0:
        return [_round_ratio(ratio.numerator << power, ratio.denominator) for ratio in exact]
    return [_round_ratio(ratio.numerator, ratio.denominator << -power) for ratio in exact]


def convert_from_grid(total: int, grid: float) -> float:
    """Return the float nearest to an integer multiple of the grid unit; infinite beyond the range of floats."""
    try:
        # a single rounding because the grid unit is a power of two
        return float(total) * grid if grid >= 1.0 else total / _invert_grid(grid)
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def round_up_to_float(exact: float | Fraction) -> float:
    """Return the smallest float that is at least a number.

    Examples
    --------
    >>> round_up_to_float(Fraction(1, 10)) == 0.1, round_up_to_float(Fraction(3, 10)) > 0.3
    (True, True)
    """
    return exact if isinstance(exact, float) else round_up_quotient(exact.numerator, exact.denominator)


def round_up_quotient(numerator: int, denominator: int) -> float:
    """Return the smallest float that is at least a quotient of integers, with a positive denominator.

    Examples
    --------
    >>> round_up_quotient(1, 2), round_up_quotient(1, 3) > 1 / 3
    (0.5, True)
    """
    try:
        nearest = numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -sys.float_info.max
    top, bottom = nearest.as_integer_ratio()
    return nearest if top * denominator >= numerator * bottom else math.nextafter(nearest, math.inf)


def round_up_sum(larger: float, smaller: float) -> float:
    """Return the smallest float that is at least the sum of two nonnegative floats.

    Examples
    --------
    >>> round_up_sum(1.0, 0.5), round_up_sum(1.0, 1e-30) > 1.0
    (1.5, True)
    """
    if larger < smaller:
        larger, smaller = smaller, larger
    total = larger + smaller
    # the rounding error of the addition is computed exactly (Dekker's fast two-sum)
    return math.nextafter(total, math.inf) if smaller > total - larger else total


def round_up_total(values: Iterable[float]) -> float:
    """Return the smallest float that is at least the sum of nonnegative floats.

    Examples
    --------
    >>> round_up_total([0.5, 0.25, 0.25]), round_up_total([0.1] * 10) > 1.0
    (1.0, True)
    """
    each = tuple(values)
    try:
        total = math.fsum(each)
    except OverflowError:
        return math.inf
    # fsum rounds once, so the sign of the remainder is exact
    return math.nextafter(total, math.inf) if total < math.inf and math.fsum((*each, -total)) > 0.0 else total


def round_up_multiple(count: int, value: float) -> float:
    """Return the smallest float that is at least an integer multiple of a nonnegative float.

    Examples
    --------
    >>> round_up_multiple(3, 0.5), round_up_multiple(10, 0.1) > 1.0
    (1.5, True)
    """
    if count == 1 or math.isinf(value):
        return value
    top, bottom = value.as_integer_ratio()
    return round_up_quotient(count * top, bottom)


def _invert_grid(grid: float) -> int:
    return 1 << (1 - math.frexp(grid)[1])


def _round_ratio(numerator: int, denominator: int) -> int:
    quotient, remainder = divmod(numerator, denominator)
    twice = 2 * remainder
    return quotient + (twice > denominator or (twice == denominator and quotient & 1))
