"""Rounding to decimal places as R 4 does it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic._arrays import numeric
from pydpstat.r_arithmetic.elementary import log10, power

_LOG10_2 = 0.301029995663981195213738894724
_LARGEST_POWER = 308
_LAST_PLACE = 323
_DOUBLE_DIGITS = 15
_CHUNK = 16384


def round(x: npt.ArrayLike, digits: float = 0) -> Any:
    """Round to `digits` decimal places.

    The result is the nearer one of the two doubles that have that many places and enclose `x`,
    the one with an even last digit if both are equally near.

    Parameters
    ----------
    x : float or array_like
        Numbers.
    digits : int, optional
        Decimal places. Negative values round to tens, hundreds and so on.

    Returns
    -------
    float or ndarray
        A float for a scalar, otherwise an array of the shape of `x`. Negative zero stays.

    Raises
    ------
    PydpstatError
        If `x` is not numeric.

    References
    ----------
    Maechler, M. (2020). Rounding to decimal digits in binary. Vignette of the R package round.
    R Core Team, R 4.2.2, ``?round``.

    Examples
    --------
    >>> round([0.5, 1.5, 2.5])
    array([0., 2., 2.])
    >>> round(0.15, 1), round(1250.0, -2)
    (0.1, 1200.0)
    """
    shape = np.shape(x)
    values = numeric(x).astype(np.float64, copy=False)
    result = np.rint(values) if digits == 0 else _to_places(values, int(np.floor(digits + 0.5)))
    return float(result[0]) if shape == () else result.reshape(shape, order="F")


def _to_places(x: npt.NDArray[np.float64], digits: int) -> npt.NDArray[np.float64]:
    if digits > _LAST_PLACE:
        return x.copy()
    if digits < -_LARGEST_POWER:
        return np.zeros_like(x)
    result = np.empty(x.size)
    for start in range(0, x.size, _CHUNK):
        result[start : start + _CHUNK] = _round_chunk(x[start : start + _CHUNK], digits)
    return result


def _round_chunk(x: npt.NDArray[np.float64], digits: int) -> npt.NDArray[np.float64]:
    size = np.abs(x)
    with np.errstate(all="ignore"):
        # A double has 15 digits to round; with no more than these asked for it stays as it is.
        _, exponent = np.frexp(size)
        keep = ~np.isfinite(x) | (x == 0.0)
        keep |= digits + (exponent - 1 + 0.5) * _LOG10_2 > _DOUBLE_DIGITS
        rounded = _nearest_candidate(size, digits)
    return np.where(keep, x, np.copysign(rounded, x))


def _nearest_candidate(size: npt.NDArray[np.float64], digits: int) -> npt.NDArray[np.float64]:
    """The nearer of the enclosing decimals of a positive number."""
    extra = 10.0 ** max(digits - _LARGEST_POWER, 0)
    power = _power_of_ten(min(digits, _LARGEST_POWER))
    scaled = power * size * extra
    floor, ceiling = np.floor(scaled), np.ceil(scaled)
    below, above = floor / power / extra, ceiling / power / extra
    down, up = size - below, above - size
    return np.where((down < up) | ((down == up) & (np.fmod(floor, 2.0) == 0.0)), below, above)


def _power_of_ten(n: int) -> float:
    """10**n by repeated squaring in double, with the rounding errors that R has."""
    result, factor, rest = 1.0, 10.0, abs(n)
    while rest:
        if rest & 1:
            result *= factor
        rest >>= 1
        if rest:
            factor *= factor
    return result if n >= 0 else 1.0 / result


def significant(x: npt.ArrayLike, digits: int) -> npt.NDArray[np.float64]:
    """Round to significant digits, R's ``signif``, for the usual range of exponents."""
    values = numeric(x).astype(np.float64)
    with np.errstate(all="ignore"):
        places = digits - 1 - np.floor(log10(np.abs(values)))
        places = np.where(np.isfinite(places), places, 0.0)
        up = power(10.0, np.maximum(places, 0.0))
        down = power(10.0, np.maximum(-places, 0.0))
        rounded: npt.NDArray[np.float64] = np.rint(values * up / down) / up * down
    return rounded
