"""Sums and products of vectors whose last bit does not depend on the processor, as BLAS's does.

The exact ones are rounded once, for machines without an 80-bit long double.
"""

from __future__ import annotations

import math

import numpy as np

from pydpstat.r_arithmetic.elementary import Floats

_SCALE = 2.0**64
_SPLITTER = 2.0**27 + 1.0


def inner(a: Floats, b: Floats) -> float:
    """Return the sum of the products of two arrays' elements.

    Examples
    --------
    >>> inner(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float((a * b).sum())


def norm(a: Floats) -> float:
    """Return the Euclidean length of a vector.

    Examples
    --------
    >>> norm(np.array([3.0, 4.0]))
    5.0
    """
    return math.sqrt(inner(a, a))


def exact_sum(x: Floats) -> float:
    """The correctly rounded sum."""
    if not np.isfinite(x).all():
        with np.errstate(invalid="ignore"):
            return float(np.add.reduce(x))
    try:
        return math.fsum(x)
    except OverflowError:
        return math.fsum(x / _SCALE) * _SCALE


def exact_mean(x: Floats) -> float:
    """The mean, to within one unit in the last place."""
    total = exact_sum(x)
    if math.isinf(total) and np.isfinite(x).all():
        return math.fsum(x / _SCALE) / x.size * _SCALE
    return total / x.size


def exact_products(x: Floats, x_center: float, y: Floats, y_center: float) -> float:
    """The sum of ``(x - x_center) * (y - y_center)``, to within one unit in the last place."""
    left, left_rest = _difference(x, x_center)
    right, right_rest = _difference(y, y_center)
    high, low = _product(left, right)
    return exact_sum(np.concatenate([high, low, left * right_rest, left_rest * right]))


def _difference(a: Floats, b: float) -> tuple[Floats, Floats]:
    """Knuth's error-free difference: the rounded value and what rounding lost."""
    rounded = a - b
    back = rounded - a
    return rounded, (a - (rounded - back)) - (b + back)


def _product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Dekker's error-free product."""
    rounded = a * b
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    rest = ((a_high * b_high - rounded) + a_high * b_low + a_low * b_high) + a_low * b_low
    return rounded, rest


def _split(a: Floats) -> tuple[Floats, Floats]:
    shifted = _SPLITTER * a
    high = shifted - (shifted - a)
    return high, a - high
