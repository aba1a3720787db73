"""Rounding to decimal places as in R 4, pretty break points, and formatting as R's as.character."""

from __future__ import annotations

import math
from typing import overload

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import to_numeric
from pydpstat.r_arithmetic.elementary import Numbers, compute_power, log10
from pydpstat.r_arithmetic.moments import HAS_80_BIT

_LOG10_2 = 0.301029995663981195213738894724
_LARGEST_POWER = 308
_LAST_PLACE = 323
_DOUBLE_DIGITS = 15
_CHUNK_SIZE = 16384
_ROUNDING_TOLERANCE = 1e-10
_SHRINK = 0.75
_BIAS = 1.5
_BIAS_5 = 0.5 + 1.5 * _BIAS
_EPSILON = float(np.finfo(np.float64).eps)
_LARGEST = float(np.finfo(np.float64).max)
_SMALLEST_CELL = 2.0**-20 * float(np.finfo(np.float64).tiny)


@overload
def round(x: float, digits: float = 0) -> float: ...


@overload
def round(x: npt.ArrayLike, digits: float = 0) -> Numbers: ...


def round(x: npt.ArrayLike, digits: float = 0) -> Numbers:
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

    See Also
    --------
    pretty : round numbers that cover a range.

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
    values = to_numeric(x).astype(np.float64, copy=False)
    result = np.rint(values) if digits == 0 else _round_to_places(values, int(np.floor(digits + 0.5)))
    return float(result[0]) if shape == () else result.reshape(shape, order="F")


def _round_to_places(x: npt.NDArray[np.float64], digits: int) -> npt.NDArray[np.float64]:
    if digits > _LAST_PLACE:
        return x.copy()
    if digits < -_LARGEST_POWER:
        return np.zeros_like(x)
    result = np.empty(x.size)
    for start in range(0, x.size, _CHUNK_SIZE):
        result[start : start + _CHUNK_SIZE] = _round_chunk(x[start : start + _CHUNK_SIZE], digits)
    return result


def _round_chunk(x: npt.NDArray[np.float64], digits: int) -> npt.NDArray[np.float64]:
    size = np.abs(x)
    with np.errstate(all="ignore"):
        # a double has 15 significant digits; if no more than these are requested, it is unchanged
        _, exponent = np.frexp(size)
        keep = ~np.isfinite(x) | (x == 0.0)
        keep |= digits + (exponent - 1 + 0.5) * _LOG10_2 > _DOUBLE_DIGITS
        rounded = _select_nearest_decimal(size, digits)
    return np.where(keep, x, np.copysign(rounded, x))


def _select_nearest_decimal(size: npt.NDArray[np.float64], digits: int) -> npt.NDArray[np.float64]:
    """Return the nearer of the two decimals that enclose a positive number."""
    extra = 10.0 ** max(digits - _LARGEST_POWER, 0)
    max_digits = min(digits, _LARGEST_POWER)
    power = compute_power_by_squaring(10.0, abs(max_digits))
    power = power if max_digits >= 0 else 1.0 / power
    scaled = power * size * extra
    floor, ceiling = np.floor(scaled), np.ceil(scaled)
    below, above = floor / power / extra, ceiling / power / extra
    distance_below, distance_above = size - below, above - size
    return np.where(
        (distance_below < distance_above) | ((distance_below == distance_above) & (np.fmod(floor, 2.0) == 0.0)),
        below,
        above,
    )


def compute_power_by_squaring(base: float, exponent: int) -> float:
    """Compute an integer power by repeated squaring, as R does; the C library's pow rounds differently."""
    result = 1.0
    while True:
        if exponent & 1:
            result *= base
        exponent >>= 1
        if not exponent:
            return result
        base *= base


def round_significant(x: npt.ArrayLike, digits: int) -> npt.NDArray[np.float64]:
    """Round to significant digits, as R's ``signif`` for common exponents."""
    values = to_numeric(x).astype(np.float64)
    with np.errstate(all="ignore"):
        decimals = digits - 1 - np.floor(log10(np.abs(values)))
        decimals = np.where(np.isfinite(decimals), decimals, 0.0)
        multiplier = compute_power(10.0, np.maximum(decimals, 0.0))
        divisor = compute_power(10.0, np.maximum(-decimals, 0.0))
        rounded: npt.NDArray[np.float64] = np.rint(values * multiplier / divisor) / multiplier * divisor
    return rounded


def pretty(low: float, high: float, n: float = 5, min_n: float | None = None) -> npt.NDArray[np.float64]:
    """Compute about `n` + 1 equally spaced round values over ``[low, high]``.

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

    See Also
    --------
    hist : whose breaks it makes.

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
    minimum = n // 3 if min_n is None else min_n
    if not (math.isfinite(n) and n >= 0 and 0 <= int(minimum) <= int(n)):
        raise PydpstatError(f"n must be >= 0 and min_n in [0, n], but they are {n} and {minimum}")
    unit = _select_step(low, high, int(n), int(minimum))
    first, last = _find_multiples(low, high, unit)
    intervals = int(0.5 + (last - first))
    if intervals < int(minimum):
        first, last = _add_intervals(first, last, low, high, int(minimum) - intervals)
        intervals = int(minimum)
    return _make_spaced_values(min(first * unit, low), max(last * unit, high), intervals)


def _select_step(low: float, high: float, n: int, min_intervals: int) -> float:
    """Return the step: 1, 2, 5 or 10 times a power of ten, near the desired width."""
    width = high - low
    cell = max(abs(low), abs(high))
    # below this width the ends differ by rounding only
    slack = (1.0 + 1.0 / (1.0 + _BIAS)) * max(1, n) * _EPSILON
    if width == 0.0 and high == 0.0:
        cell, small = 1.0, True
    else:
        small = width < cell * slack * 3
    if small:
        if cell > 10:
            cell = 9 + cell / 10
        cell *= _SHRINK
        if min_intervals > 1:
            cell /= min_intervals
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


def _find_multiples(low: float, high: float, unit: float) -> tuple[float, float]:
    """Return the first and last multiple of the unit that cover the range."""
    first = float(math.floor(low / unit + _ROUNDING_TOLERANCE))
    last = float(math.ceil(high / unit - _ROUNDING_TOLERANCE))
    # near the largest float, the range itself has the ends
    while not math.isfinite(first * unit):
        first += 1.0
    while not math.isfinite(last * unit):
        last -= 1.0
    while first * unit > low + _ROUNDING_TOLERANCE * unit and math.isfinite((first - 1.0) * unit):
        first -= 1.0
    while last * unit < high - _ROUNDING_TOLERANCE * unit and math.isfinite((last + 1.0) * unit):
        last += 1.0
    return first, last


def _add_intervals(first: float, last: float, low: float, high: float, missing: int) -> tuple[float, float]:
    """Add intervals on both sides, but none beyond an end that is zero."""
    half, odd = divmod(missing, 2)
    if low == 0.0 and first == 0.0 and high != 0.0:
        return first, last + missing
    if high == 0.0 and last == 0.0 and low != 0.0:
        return first - missing, last
    if first >= 0.0:
        return first - half - odd, last + half
    return first - half, last + half + odd


def _make_spaced_values(low: float, high: float, intervals: int) -> npt.NDArray[np.float64]:
    """Return equally spaced values between two multiples, with exact zeros in place of rounding errors."""
    if intervals == 0:
        return np.array([low])
    step, scale = (high - low) / intervals, 1.0
    if not math.isfinite(step):
        # halves, whose multiples do not overflow
        step, scale = high / intervals - low / intervals, 0.5
    multiples = np.arange(intervals + 1, dtype=np.float64) * (scale * step)
    with np.errstate(over="ignore"):
        values: npt.NDArray[np.float64] = (scale * low + multiples) / scale
    values[-1] = high
    delta = high / intervals - low / intervals
    values[np.abs(values) < 1e-14 * delta] = 0.0
    return values


_DIGITS = 15
_MAX_TABLED_POWER = 27


def as_character(value: object, scipen: int = 0) -> str:
    """Format a value as a label, doubles with at most 15 significant digits.

    Parameters
    ----------
    value : bool, int, float or str
        Or one of NumPy's scalars of these kinds.
    scipen : int, optional
        By how much wider than the scientific notation the fixed one may be, as R's option.

    Returns
    -------
    str

    See Also
    --------
    factor : where levels are named by it.

    References
    ----------
    R Core Team, R 4.2.2, ``?as.character``.

    Examples
    --------
    >>> as_character(0.1 + 0.2), as_character(1e5), as_character(100000), as_character(True)
    ('0.3', '1e+05', '100000', 'TRUE')
    """
    if hasattr(value, "dtype") and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return _format_double(value, scipen) if isinstance(value, float) else str(value)


def _format_double(x: float, scipen: int) -> str:
    if x != x:
        return "NaN"
    if x in (float("inf"), float("-inf")):
        return "Inf" if x > 0 else "-Inf"
    if x == 0:
        return "0"
    significant, power = get_digits_and_power(x)
    decimals = max(0, significant - power - 1)
    # fixed notation unless it is wider; the sign counts for both
    fixed_width = max(power, 0) + 1 + (decimals + 1 if decimals else 0)
    scientific_width = significant + (significant > 1) + (5 if abs(power) >= 100 else 4)
    if fixed_width <= scientific_width + scipen:
        text, tail = f"{x:.{decimals}f}", ""
    else:
        text, _, tail = f"{x:.{significant - 1}e}".partition("e")
        tail = f"e{tail}"
    # the digits were counted before the last rounding, which may have left zeros
    return (text.rstrip("0").rstrip(".") if "." in text else text) + tail


def get_digits_and_power(x: float, digits: int = _DIGITS) -> tuple[int, int]:
    """Return the number of significant digits without trailing zeros, at most `digits`, and the power of ten.

    >>> get_digits_and_power(1200.0), get_digits_and_power(0.00123456789, 7)
    ((2, 3), (7, -3))
    """
    mantissa, exponent = f"{abs(x):.{digits + 2}e}".split("e")
    # R counts the digits after scaling in long double, which may round differently near a tie
    if "35" <= mantissa[-3:-1] < "65" and HAS_80_BIT and digits <= _DIGITS:
        return _get_scaled_digits(abs(x), int(exponent), digits)
    mantissa, exponent = f"{abs(x):.{digits - 1}e}".split("e")
    return max(1, len(mantissa.replace(".", "").rstrip("0"))), int(exponent)


def _get_scaled_digits(x: float, power: int, digits: int) -> tuple[int, int]:
    shift = power - digits + 1
    scaled = np.longdouble(x)
    if abs(shift) <= _MAX_TABLED_POWER:
        # R's table is in double precision: beyond 10**22 it is inexact
        factor = np.longdouble(float(f"1e{abs(shift)}"))
        scaled = scaled / factor if shift > 0 else scaled * factor
    else:
        scaled = scaled / np.longdouble(10.0) ** shift
    digits_text = str(int(np.rint(scaled)))
    return max(1, len(digits_text.rstrip("0"))), shift + len(digits_text) - 1
