"""Round break points that cover a range."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError

_ROUNDING = 1e-10
_SHRINK = 0.75
_BIAS = 1.5
_BIAS_5 = 0.5 + 1.5 * _BIAS
_EPSILON = float(np.finfo(np.float64).eps)
_LARGEST = float(np.finfo(np.float64).max)
_SMALLEST_CELL = 2.0**-20 * float(np.finfo(np.float64).tiny)


def pretty(low: float, high: float, n: float = 5, min_n: float | None = None) -> npt.NDArray[np.float64]:
    """About `n` + 1 equally spaced round values that cover ``[low, high]``.

    Steps are 1, 2 or 5 times a power of ten, with R's default biases (``high.u.bias`` 1.5,
    ``u5.bias`` 2.75, ``shrink.sml`` 0.75, ``eps.correct`` 0).

    Parameters
    ----------
    low, high : float
        Finite ends of the range.
    n : int, optional
        Desired number of intervals.
    min_n : int, optional
        Least number of intervals, by default ``n // 3``.

    Returns
    -------
    ndarray
        The break points.

    Raises
    ------
    PydpstatError
        If an end is not finite, or `n` or `min_n` is negative or `min_n` exceeds `n`.

    References
    ----------
    Becker, R. A., Chambers, J. M. and Wilks, A. R. (1988). The New S Language.
    R Core Team, R 4.2.2, ``?pretty``.

    Examples
    --------
    >>> pretty(0.0, 9.3)
    array([ 0.,  2.,  4.,  6.,  8., 10.])
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        raise PydpstatError(f"low and high must be finite, but they are {low} and {high}")
    low, high = min(float(low), float(high)), max(float(low), float(high))
    least = n // 3 if min_n is None else min_n
    if not (math.isfinite(n) and n >= 0 and 0 <= int(least) <= int(n)):
        raise PydpstatError(f"n must be >= 0 and min_n in [0, n], but they are {n} and {least}")
    unit = _unit(low, high, int(n), int(least))
    first, last = _multiples(low, high, unit)
    intervals = int(0.5 + (last - first))
    if intervals < int(least):
        first, last = _widen(first, last, low, high, int(least) - intervals)
        intervals = int(least)
    return _spaced(min(first * unit, low), max(last * unit, high), intervals)


def _unit(low: float, high: float, n: int, least: int) -> float:
    """The step: 1, 2, 5 or 10 times a power of ten, near the desired width."""
    width = high - low
    cell = max(abs(low), abs(high))
    # Below this width the ends differ by rounding only.
    slack = (1.0 + 1.0 / (1.0 + _BIAS)) * max(1, n) * _EPSILON
    if width == 0.0 and high == 0.0:
        cell, small = 1.0, True
    else:
        small = width < cell * slack * 3
    if small:
        if cell > 10:
            cell = 9 + cell / 10
        cell *= _SHRINK
        if least > 1:
            cell /= least
    elif math.isfinite(width):
        cell = width / n if n > 1 else width
    else:
        cell = high / n - low / n if n > 1 else width
    cell = min(max(cell, _SMALLEST_CELL), _LARGEST / 1.25)
    base = math.pow(10.0, math.floor(math.log10(cell)))
    unit = base
    for factor, bias in ((2, _BIAS), (5, _BIAS_5), (10, _BIAS)):
        if factor * base - cell >= bias * (cell - unit):
            break
        unit = factor * base
    return unit


def _multiples(low: float, high: float, unit: float) -> tuple[float, float]:
    """The first and last multiple of the unit that cover the range."""
    first = float(math.floor(low / unit + _ROUNDING))
    last = float(math.ceil(high / unit - _ROUNDING))
    while first * unit > low + _ROUNDING * unit:
        first -= 1.0
    while last * unit < high - _ROUNDING * unit and math.isfinite((last + 1.0) * unit):
        last += 1.0
    return first, last


def _widen(first: float, last: float, low: float, high: float, missing: int) -> tuple[float, float]:
    """Add intervals on both sides, but none across an end that is zero."""
    half, rest = divmod(missing, 2)
    if low == 0.0 and first == 0.0 and high != 0.0:
        return first, last + missing
    if high == 0.0 and last == 0.0 and low != 0.0:
        return first - missing, last
    if first >= 0.0:
        return first - half - rest, last + half
    return first - half, last + half + rest


def _spaced(low: float, high: float, intervals: int) -> npt.NDArray[np.float64]:
    """Equally spaced values between two multiples, exact zero where only rounding is left."""
    if intervals == 0:
        return np.array([low])
    step = (high - low) / intervals
    if not math.isfinite(step):
        step = high / intervals - low / intervals
    values: npt.NDArray[np.float64] = low + np.arange(intervals + 1, dtype=np.float64) * step
    values[-1] = high
    delta = high / intervals - low / intervals
    values[np.abs(values) < 1e-14 * delta] = 0.0
    return values
