"""Elementary functions with the rounding of the C library and R, and exact sums, equal on all processors.

NumPy's functions of the same names have vectorized code for each processor, whose last bit often differs, as does that
of BLAS. Exact sums are rounded once, for machines without an 80-bit long double.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Protocol, overload

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
# one number or several
Numbers = float | Floats

# up to this number of values a loop is faster than importing and calling SciPy
_FEW_VALUES = 16


class Elementwise(Protocol):
    """A function of a number that takes arrays as well."""

    @overload
    def __call__(self, x: float, /) -> float: ...

    @overload
    def __call__(self, x: Floats, /) -> Floats: ...

    @overload
    def __call__(self, x: npt.ArrayLike, /) -> Numbers: ...


def cast_elementwise(function: Callable[[npt.ArrayLike], Numbers]) -> Elementwise:
    """Return a function unchanged, typed so that a float gives a float and an array an array."""
    return function  # type: ignore[return-value]


@cast_elementwise
def log(x: npt.ArrayLike) -> Numbers:
    """Natural logarithm, rounded as libm's ``log``.

    Parameters
    ----------
    x : float or array_like
        Zero gives ``-inf`` and a negative value gives NaN, without a warning.

    Returns
    -------
    float or ndarray
        A float for a scalar, otherwise an array of the shape of `x`.

    See Also
    --------
    exp : its inverse.

    References
    ----------
    R Core Team, R 4.2.2, ``?log``.

    Examples
    --------
    >>> log(0.0)
    -inf
    >>> log([1.0, 2.0])
    array([0.        , 0.69314718])
    """
    if isinstance(x, float):
        return _compute_log(x)
    values = _to_floats(x)
    if isinstance(values, float) or values.size <= _FEW_VALUES:
        return apply_elementwise(math.log, _compute_log, values)
    from scipy.special import xlogy

    with np.errstate(all="ignore"):
        return xlogy(1.0, values)


@cast_elementwise
def exp(x: npt.ArrayLike) -> Numbers:
    """Exponential, rounded as libm's ``exp``.

    Parameters
    ----------
    x : float or array_like
        Values whose exponential is too large give ``inf``, without a warning.

    Returns
    -------
    float or ndarray
        A float for a scalar, otherwise an array of the shape of `x`.

    See Also
    --------
    log : its inverse.

    References
    ----------
    R Core Team, R 4.2.2, ``?exp``.

    Examples
    --------
    >>> exp(1000.0)
    inf
    >>> exp([0.0, 1.0])
    array([1.        , 2.71828183])
    """
    if isinstance(x, float):
        return _compute_exp(x)
    values = _to_floats(x)
    if isinstance(values, float) or values.size <= _FEW_VALUES:
        return apply_elementwise(math.exp, _compute_exp, values)
    from scipy.special import inv_boxcox

    with np.errstate(all="ignore"):
        return inv_boxcox(values, 0.0)


@cast_elementwise
def log1p(x: npt.ArrayLike) -> Numbers:
    """Logarithm of 1 + x, rounded as libm's ``log1p``; argument and result as in `log`.

    >>> log1p(1e-300), log1p(-1.0)
    (1e-300, -inf)
    """
    return apply_elementwise(math.log1p, _compute_log1p, x)


@cast_elementwise
def expm1(x: npt.ArrayLike) -> Numbers:
    """Exponential minus 1, rounded as libm's ``expm1``; argument and result as in `exp`.

    >>> expm1(1e-300), expm1(1000.0)
    (1e-300, inf)
    """
    return apply_elementwise(math.expm1, _compute_expm1, x)


@cast_elementwise
def log10(x: npt.ArrayLike) -> Numbers:
    """Logarithm to base 10, rounded as libm's ``log10``; argument and result as in `log`.

    >>> log10([0.001, 1000.0]).tolist()
    [-3.0, 3.0]
    """
    return apply_elementwise(math.log10, _compute_log10, x)


@cast_elementwise
def tanh(x: npt.ArrayLike) -> Numbers:
    """Hyperbolic tangent, rounded as libm's ``tanh``; a float or an array, as the argument.

    >>> tanh([0.0, 1e300]).tolist()
    [0.0, 1.0]
    """
    return apply_elementwise(math.tanh, math.tanh, x)


def compute_power(x: npt.ArrayLike, y: npt.ArrayLike) -> Numbers:
    """Compute ``x**y`` for finite x >= 0, rounded as by libm's ``pow``; overflow gives ``inf``.

    >>> compute_power(10.0, [0, 1, 400])
    array([ 1., 10., inf])
    """
    bases, exponents = np.broadcast_arrays(_to_floats(x), _to_floats(y))
    powers = map(_compute_float_power, bases.ravel().tolist(), exponents.ravel().tolist())
    return _fill_array_like(powers, bases)


def _to_floats(x: npt.ArrayLike) -> Numbers:
    """Convert to a float, or to an array of floats."""
    if isinstance(x, (float, int)):
        return float(x)
    values = np.asarray(x, dtype=np.float64)
    return values if values.ndim else float(values)


def apply_elementwise(
    function: Callable[[float], float], fallback: Callable[[float], float], x: npt.ArrayLike
) -> Numbers:
    """Apply a function of Python, or for all values the fallback, which never raises, if it raises an error."""
    values = _to_floats(x)
    if isinstance(values, float):
        return fallback(values)
    listed = values.ravel().tolist()
    try:
        return _fill_array_like(map(function, listed), values)
    except (OverflowError, ValueError):
        return _fill_array_like(map(fallback, listed), values)


def _fill_array_like(values: Iterable[float], like: Floats) -> Numbers:
    filled = np.fromiter(values, np.float64, like.size).reshape(like.shape)
    return filled if filled.ndim else float(filled)


# Python's functions raise where C returns an infinity or NaN; these do not


def _compute_log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan


def _compute_log10(x: float) -> float:
    return math.log10(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan


def _compute_log1p(x: float) -> float:
    return math.log1p(x) if x > -1.0 else -math.inf if x == -1.0 else math.nan


def _compute_exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _compute_expm1(x: float) -> float:
    try:
        return math.expm1(x)
    except OverflowError:
        return math.inf


def _compute_float_power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except (OverflowError, ZeroDivisionError, ValueError):
        # overflow, or 0 to a negative power
        return math.inf


_SCALE = 2.0**64
_SPLITTER = 2.0**27 + 1.0


def compute_inner_product(a: Floats, b: Floats) -> float:
    """Return the sum of the products of two arrays' elements.

    >>> compute_inner_product(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float((a * b).sum())


def norm(a: Floats) -> float:
    """Return the Euclidean length of a vector.

    >>> norm(np.array([3.0, 4.0]))
    5.0
    """
    return math.sqrt(compute_inner_product(a, a))


def sum_exactly(x: Floats) -> float:
    """Return the correctly rounded sum."""
    if not np.isfinite(x).all():
        with np.errstate(invalid="ignore"):
            return float(np.add.reduce(x))
    try:
        return math.fsum(x)
    except OverflowError:
        return math.fsum(x / _SCALE) * _SCALE


def compute_exact_mean(x: Floats) -> float:
    """Return the mean, to within one unit in the last place."""
    total = sum_exactly(x)
    if math.isinf(total) and np.isfinite(x).all():
        return math.fsum(x / _SCALE) / x.size * _SCALE
    return total / x.size


def sum_exact_products(x: Floats, x_center: float, y: Floats, y_center: float) -> float:
    """Return the sum of ``(x - x_center) * (y - y_center)``, to within one unit in the last place."""
    x_rounded, x_errors = _compute_exact_difference(x, x_center)
    y_rounded, y_errors = _compute_exact_difference(y, y_center)
    high, low = compute_exact_product(x_rounded, y_rounded)
    return sum_exactly(np.concatenate([high, low, x_rounded * y_errors, x_errors * y_rounded]))


def _compute_exact_difference(a: Floats, b: float) -> tuple[Floats, Floats]:
    """Return Knuth's error-free difference: the rounded value and the rounding error."""
    rounded = a - b
    back = rounded - a
    return rounded, (a - (rounded - back)) - (b + back)


def compute_exact_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return Dekker's error-free product: the rounded value and the rounding error."""
    rounded = a * b
    a_high, a_low = _split_significand(a)
    b_high, b_low = _split_significand(b)
    error = ((a_high * b_high - rounded) + a_high * b_low + a_low * b_high) + a_low * b_low
    return rounded, error


def _split_significand(a: Floats) -> tuple[Floats, Floats]:
    shifted = _SPLITTER * a
    high = shifted - (shifted - a)
    return high, a - high
