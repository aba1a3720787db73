"""Elementary functions as the C library rounds them: R's values, and the same with any vector unit.

NumPy's functions of the same names have vector code of their own, chosen by the processor, whose
last bit often differs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

# up to here a plain loop is faster than importing and calling SciPy
_FEW = 16


def log(x: npt.ArrayLike) -> Any:
    """Natural logarithm, rounded as libm's ``log``.

    Parameters
    ----------
    x : float or array_like
        Zero gives ``-inf`` and a negative value gives NaN, without a warning.

    Returns
    -------
    float or ndarray
        A float for a scalar, otherwise an array of the shape of `x`.

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
        return _log(x)
    values = _values(x)
    if isinstance(values, float) or values.size <= _FEW:
        return _each(math.log, _log, values)
    from scipy.special import xlogy

    with np.errstate(all="ignore"):
        return xlogy(1.0, values)


def exp(x: npt.ArrayLike) -> Any:
    """Exponential, rounded as libm's ``exp``.

    Parameters
    ----------
    x : float or array_like
        Values whose exponential is too large give ``inf``, without a warning.

    Returns
    -------
    float or ndarray
        A float for a scalar, otherwise an array of the shape of `x`.

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
        return _exp(x)
    values = _values(x)
    if isinstance(values, float) or values.size <= _FEW:
        return _each(math.exp, _exp, values)
    from scipy.special import inv_boxcox

    with np.errstate(all="ignore"):
        return inv_boxcox(values, 0.0)


def log1p(x: npt.ArrayLike) -> Any:
    """Logarithm of 1 + x, rounded as libm's ``log1p``; argument and result as in `log`.

    Examples
    --------
    >>> log1p(1e-300), log1p(-1.0)
    (1e-300, -inf)
    """
    return _each(math.log1p, _log1p, _values(x))


def expm1(x: npt.ArrayLike) -> Any:
    """Exponential minus 1, rounded as libm's ``expm1``; argument and result as in `exp`.

    Examples
    --------
    >>> expm1(1e-300), expm1(1000.0)
    (1e-300, inf)
    """
    return _each(math.expm1, _expm1, _values(x))


def log10(x: npt.ArrayLike) -> Any:
    """Logarithm to base 10, rounded as libm's ``log10``; argument and result as in `log`.

    Examples
    --------
    >>> log10([0.001, 1000.0]).tolist()
    [-3.0, 3.0]
    """
    return _each(math.log10, _log10, _values(x))


def tanh(x: npt.ArrayLike) -> Any:
    """Hyperbolic tangent, rounded as libm's ``tanh``; a float or an array, as the argument.

    Examples
    --------
    >>> tanh([0.0, 1e300]).tolist()
    [0.0, 1.0]
    """
    return _each(math.tanh, math.tanh, _values(x))


def power(x: npt.ArrayLike, y: npt.ArrayLike) -> Any:
    """``x**y`` for finite x >= 0, rounded as libm's ``pow``; what is too large is ``inf``.

    Examples
    --------
    >>> power(10.0, [0, 1, 400])
    array([ 1., 10., inf])
    """
    first, second = np.broadcast_arrays(_values(x), _values(y))
    powers = map(_power, first.ravel().tolist(), second.ravel().tolist())
    return _shaped(powers, first)


def _values(x: npt.ArrayLike) -> Any:
    """A float, or an array of floats."""
    if isinstance(x, (float, int)):
        return float(x)
    values = np.asarray(x, dtype=np.float64)
    return values if values.ndim else float(values)


def _each(function: Callable[[float], float], whole: Callable[[float], float], values: Any) -> Any:
    """Apply Python's function, or from the first value on where it raises the one that never does."""
    if isinstance(values, float):
        return whole(values)
    each = values.ravel().tolist()
    try:
        return _shaped(map(function, each), values)
    except (OverflowError, ValueError):
        return _shaped(map(whole, each), values)


def _shaped(values: Any, like: npt.NDArray[np.float64]) -> Any:
    found = np.fromiter(values, np.float64, like.size).reshape(like.shape)
    return found if found.ndim else float(found)


# Python's functions raise where C returns an infinity or NaN; these do not


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan


def _log10(x: float) -> float:
    return math.log10(x) if x > 0.0 else -math.inf if x == 0.0 else math.nan


def _log1p(x: float) -> float:
    return math.log1p(x) if x > -1.0 else -math.inf if x == -1.0 else math.nan


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _expm1(x: float) -> float:
    try:
        return math.expm1(x)
    except OverflowError:
        return math.inf


def _power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except (OverflowError, ZeroDivisionError, ValueError):
        # beyond the largest number, or 0 to a negative power
        return math.inf
