"""Logarithm and exponential as the C library rounds them, which is what R calls."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt


def log(x: npt.ArrayLike) -> Any:
    """Natural logarithm, rounded as libm's ``log``.

    ``numpy.log`` has its own vector code, whose last bit often differs.

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
    if isinstance(x, (float, int, np.floating, np.integer)):
        value = float(x)
        if value > 0.0:
            return math.log(value)
        return -math.inf if value == 0.0 else math.nan
    from scipy.special import xlogy

    with np.errstate(all="ignore"):
        return _unwrap(xlogy(1.0, np.asarray(x, dtype=np.float64)))


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
    if isinstance(x, (float, int, np.floating, np.integer)):
        try:
            return math.exp(x)
        except OverflowError:
            return math.inf
    from scipy.special import inv_boxcox

    with np.errstate(all="ignore"):
        return _unwrap(inv_boxcox(np.asarray(x, dtype=np.float64), 0.0))


def _unwrap(values: Any) -> Any:
    """A zero-dimensional result as a Python float."""
    return float(values) if np.ndim(values) == 0 else values
