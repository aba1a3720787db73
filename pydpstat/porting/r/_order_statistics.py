"""R's quantiles, and grouping of numbers by intervals."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._conversions import _format_compact
from pydpstat.porting.r._summaries import _drop_missing, mean, median
from pydpstat.porting.r._values import (
    Value,
    Vector,
    drop_attributes,
    find_missing,
    get_factor,
    match_shape,
    to_numeric_vector,
    to_scalar,
    to_single_integer,
    to_strings,
    with_names,
)  # fmt: skip

# a and b of each continuous type
_CONTINUOUS_TYPES = {4: (0, 1), 5: (0.5, 0.5), 6: (0, 0), 7: (1, 1), 8: (1 / 3, 1 / 3), 9: (3 / 8, 3 / 8)}


def quantile(
    x: Value, probs: Value = (0, 0.25, 0.5, 0.75, 1), na_rm: bool = False, names: bool = True, type: int = 7
) -> Value:
    """Compute quantiles by one of R's nine types, named by their percentages.

    Parameters
    ----------
    x : vector
        Values, not missing unless `na_rm`.
    probs : float or vector
        In [0, 1].
    na_rm : bool, optional
    names : bool, optional
        Whether the result is a Series with names.
    type : int, optional
        1 to 9.

    Returns
    -------
    Series or ndarray

    Examples
    --------
    >>> quantile([1, 2, 4, 8], 0.5).to_dict(), quantile([1, 2, 4, 8], [0.1, 0.5], names=False, type=6)
    ({'50%': 3.0}, array([1., 3.]))
    """
    values, p = (
        _drop_missing(to_numeric_vector(x), na_rm).astype(np.float64),
        to_numeric_vector(probs, "probs").astype(np.float64),
    )
    if type not in (1, 2, 3, *_CONTINUOUS_TYPES):
        raise PydpstatError(f"type must be 1 to 9; got {type}")
    if find_missing(values).any():
        raise PydpstatError("x has missing values, which R's quantile refuses: write na_rm=True")
    found = (
        r_arithmetic.quantile(values, p) if type == 7 or not values.size else _compute_typed_quantiles(values, p, type)
    )
    labels = [f"{_format_compact(100 * each)}%" for each in np.clip(p, 0.0, 1.0)]
    return with_names(found, ["" if each == "nan%" else each for each in labels] if names else None)


def _compute_typed_quantiles(x: Vector, p: Vector, type: int) -> Vector:
    n, gone = x.size, np.isnan(p)
    p = np.clip(np.where(gone, 0.5, p), 0.0, 1.0)
    if type <= 3:
        place = n * p - 0.5 if type == 3 else n * p
        low = np.floor(place)
        h = [place > low, ((place > low) + 1) / 2, (place != low) | (low % 2 == 1)][type - 1].astype(np.float64)
    else:
        a, b = _CONTINUOUS_TYPES[type]
        fuzz = 4 * float(np.finfo(np.float64).eps)
        place = a + p * (n + 1 - a - b)
        low = np.floor(place + fuzz)
        h = np.where(np.abs(place - low) < fuzz, 0.0, place - low)
    ordered = np.sort(x)
    ordered = np.concatenate([ordered[[0, 0]], ordered, ordered[[-1, -1]]])
    k = low.astype(np.int64) + 1
    first, second = ordered[k], ordered[k + 1]
    with np.errstate(all="ignore"):
        between = np.where(h == 1, second, np.where((h > 0) & (first != second), (1 - h) * first + h * second, first))
    return np.where(gone, math.nan, between)


def fivenum(x: Value, na_rm: bool = True) -> Vector:
    """Return the minimum, lower hinge, median, upper hinge and maximum.

    Examples
    --------
    >>> fivenum([1, 2, 4, 8])
    array([1. , 1.5, 3. , 6. , 8. ])
    """
    values = np.sort(_drop_missing(to_numeric_vector(x), na_rm).astype(np.float64))
    n = values.size
    if not n or find_missing(values).any():
        return np.full(5, math.nan)
    quarter = math.floor((n + 3) / 2) / 2
    d = np.array([1, quarter, (n + 1) / 2, n + 1 - quarter, n])
    with np.errstate(all="ignore"):
        return 0.5 * (values[np.floor(d).astype(int) - 1] + values[np.ceil(d).astype(int) - 1])


def IQR(x: Value, na_rm: bool = False, type: int = 7) -> float:
    """Return the interquartile range.

    Examples
    --------
    >>> IQR([1, 2, 4, 8])
    3.25
    """
    first, third = quantile(x, [0.25, 0.75], na_rm, False, type)
    return float(third - first)


def mad(x: Value, center: Value = None, constant: float = 1.4826, na_rm: bool = False) -> float:
    """Return the median absolute deviation from the median, times `constant`.

    Examples
    --------
    >>> mad([1, 2, 4, 8])
    2.2239
    """
    values = _drop_missing(to_numeric_vector(x), na_rm)
    return float(constant * median(np.abs(values - (median(values) if center is None else to_scalar(center)))))


def summary(object: Value) -> Value:
    """Return minimum, quartiles, mean and maximum; for a factor, its counts; for a model, its summary.

    Examples
    --------
    >>> summary([1, 2, 4, 8]).to_dict()["3rd Qu."]
    5.0
    """
    if hasattr(object, "summary"):
        return object.summary()
    if (factor := get_factor(object)) is not None:
        counts = np.bincount(factor.codes + 1, minlength=len(factor.categories) + 1)
        labels, counts = (
            [*to_strings(factor.categories), *["NA's"][: counts[0]]],
            [*counts[1:], *counts[:1][: counts[0]]],  # type: ignore[assignment]
        )
        return with_names(np.array(counts), labels)
    values = to_numeric_vector(object)
    if values.dtype == bool or isinstance(object, pd.DataFrame):
        raise PydpstatError("object must be a numeric vector or a factor: write table(x), or a column's summary")
    known = _drop_missing(values, True)
    parts = [*quantile(known, names=False), known.size - values.size]
    names = ["Min.", "1st Qu.", "Median", "Mean", "3rd Qu.", "Max.", "NA's"]
    found = np.array([*parts[:3], mean(known), *parts[3:5], values.size - known.size])
    return with_names(found, names)[: 7 if known.size < values.size else 6].rename("summary")


def tabulate(bin: Value, nbins: int | None = None) -> Vector:
    """Count the occurrences of 1, 2, ..., `nbins`.

    Examples
    --------
    >>> tabulate([1, 3, 3])
    array([1, 0, 2])
    """
    codes = _drop_missing(to_numeric_vector(bin), True).astype(np.int64)
    n = builtins.max(1, int(codes.max(initial=0))) if nbins is None else nbins
    return np.bincount(codes[(codes > 0) & (codes <= n)], minlength=n + 1)[1:]


def findInterval(
    x: Value, vec: Value, rightmost_closed: bool = False, all_inside: bool = False, left_open: bool = False
) -> Value:
    """Return the number of the interval between sorted points for each value; 0 is below the first.

    Examples
    --------
    >>> findInterval([0.5, 1, 9], [1, 2])
    array([0, 1, 2])
    """
    values, points = to_numeric_vector(x), to_numeric_vector(vec, "vec")
    if find_missing(values).any() or (np.diff(points) < 0).any():
        raise PydpstatError("x must have no missing values, and vec must be sorted")
    found = np.searchsorted(points, values, "left" if left_open else "right")
    if rightmost_closed and points.size:
        end = values == (points[0] if left_open else points[-1])
        found = np.where(end, 1 if left_open else points.size - 1, found)
    return match_shape(np.clip(found, 1, points.size - 1) if all_inside else found, drop_attributes(x))


def cut(
    x: Value, breaks: Value, labels: Value = None, include_lowest: bool = False, right: bool = True,
    dig_lab: int = 3,
    ordered_result: bool = False,
) -> Value:  # fmt: skip
    """Return the interval of each value, as a factor, as R's ``cut``.

    Parameters
    ----------
    x : vector
    breaks : vector, or one number
        Ends of the intervals, or a number of intervals of equal length.
    labels : vector or False, optional
        Levels of the factor; False returns the numbers of the intervals.
    include_lowest : bool, optional
        Whether the outermost interval is closed at both ends.
    right : bool, optional
        Whether intervals are closed on the right and open on the left, rather than the reverse.
    dig_lab : int, optional
        Significant digits in the levels.
    ordered_result : bool, optional

    Returns
    -------
    Categorical, or ndarray for ``labels=False``

    Examples
    --------
    >>> list(cut([1, 5, 9], [0, 5, 10])), cut([1, 5, 9], 2, labels=False)
    (['(0,5]', '(0,5]', '(5,10]'], array([1, 1, 2]))
    """
    values, points = (
        to_numeric_vector(x).astype(np.float64),
        np.sort(to_numeric_vector(breaks, "breaks").astype(np.float64)),
    )
    if points.size == 1:
        points = _make_equal_breaks(_drop_missing(values, True), points[0])
    if (np.diff(points) == 0).any():
        raise PydpstatError(f"breaks are not unique: {points.tolist()}. Write unique(breaks).")
    n = points.size
    code = np.searchsorted(points, values, "left" if right else "right")
    if include_lowest:
        code = np.where(values == (points[0] if right else points[-1]), 1 if right else n - 1, code)
    code = np.where((code > 0) & (code < n) & ~np.isnan(values), code, 0)
    if labels is False:
        return np.where(code, code, math.nan) if (code == 0).any() else code
    levels = (
        _label_intervals(points, dig_lab, right, include_lowest)
        if labels is None or labels is True
        else to_strings(labels)
    )
    if len(levels) != n - 1:
        raise PydpstatError(f"labels must be one for each of {n - 1} intervals; got {len(levels)}")
    return pd.Categorical.from_codes(code - 1, categories=list(levels), ordered=ordered_result)


def _make_equal_breaks(x: Vector, breaks: float) -> Vector:
    if not breaks >= 2:
        raise PydpstatError(f"breaks must be points, or a number of intervals of at least 2; got {breaks}")
    low, high, n = float(x.min()), float(x.max()), int(breaks + 1)
    margin = (high - low if high > low else abs(low) or 1) / 1000
    if high == low:
        low, high = low - margin, high + margin
    points = np.append(low + np.arange(n - 1) * ((high - low) / (n - 1)), high)
    if x.max() > x.min():
        points[[0, -1]] = low - margin, high + margin
    return points


def _label_intervals(points: Vector, digits: int, right: bool, include_lowest: bool) -> list[str]:
    for used in builtins.range(digits, builtins.max(12, digits) + 1):
        ends = [f"{each + 0.0:.{used}g}" if math.isfinite(each) else f"{each}".title() for each in points]
        if len(set(ends)) == len(ends):
            break
    else:
        return [f"Range_{k}" for k in builtins.range(1, points.size)]
    opening, closing = "(]" if right else "[)"
    levels = [f"{opening}{a},{b}{closing}" for a, b in pairwise(ends)]
    if include_lowest:
        k = 0 if right else -1
        levels[k] = f"[{levels[k][1:-1]}]"
    return levels


def approx(
    x: Value, y: Value, xout: Value = None, method: str = "linear", n: int = 50, rule: int = 1,
    ties: Callable[..., Value] = mean,
) -> dict[str, Vector]:  # fmt: skip
    """Interpolate between points; outside their range, return NA, or with rule 2 the nearest value.

    For points with equal `x`, `ties` combines their `y`.

    Examples
    --------
    >>> approx([1, 2], [10, 20], xout=[1.5, 9])
    {'x': array([1.5, 9. ]), 'y': array([15., nan])}
    """
    at, values = to_numeric_vector(x).astype(np.float64), to_numeric_vector(y, "y").astype(np.float64)
    kept = ~(find_missing(at) | find_missing(values))
    at, values = at[kept], values[kept]
    at, tied = np.unique(at, return_inverse=True)
    values = np.array([ties(values[tied == k]) for k in range(at.size)])
    if method != "linear" or rule not in (1, 2) or at.size < 2:
        raise PydpstatError("approx needs two or more different x, the method 'linear', and rule 1 or 2")
    found = (
        np.linspace(at.min(), at.max(), to_single_integer(n, "n")) if xout is None else to_numeric_vector(xout, "xout")
    )
    k = np.clip(np.searchsorted(at, found) - 1, 0, at.size - 2)
    between = values[k] + (values[k + 1] - values[k]) * ((found - at[k]) / (at[k + 1] - at[k]))
    inside = np.where(found == at[k + 1], values[k + 1], between)
    ends = (math.nan, math.nan) if rule == 1 else (values[0], values[-1])
    result = np.where(found < at[0], ends[0], np.where(found > at[-1], ends[1], inside))
    return {"x": found, "y": np.where(find_missing(found), math.nan, result)}
