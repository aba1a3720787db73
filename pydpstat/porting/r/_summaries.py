"""Summaries of vectors: sums, extremes, moments and quantiles, to R's last bit."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._elements import _compact
from pydpstat.porting.r._values import (
    Value,
    Vector,
    factor_of,
    joined,
    missing,
    names_of,
    numbers,
    plain,
    recycled,
    shaped,
    single,
    texts,
    truths,
    with_names,
)  # fmt: skip
from pydpstat.porting.r._vectors import rank
from pydpstat.r_arithmetic.factor import collation_key
from pydpstat.r_arithmetic.moments import HAS_80_BIT, double_mean, wide_products, wide_sum


def _known(x: Vector, na_rm: bool) -> Vector:
    return x[~missing(x)] if na_rm else x


def sum(*x: Value, na_rm: bool = False) -> Any:
    """Return the sum of all values; of integers and truth values an exact integer.

    Examples
    --------
    >>> sum([1, 2], 3), sum([0.5, None], na_rm=True)
    (6, 0.5)
    """
    totals = [r_arithmetic.sum(_known(numbers(each), na_rm)) for each in x]
    return builtins.sum(totals)


def prod(*x: Value, na_rm: bool = False) -> float:
    """Return the product of all values.

    Examples
    --------
    >>> prod([2, 3], 4)
    24.0
    """
    total = 1.0
    for each in x:
        values = _known(numbers(each), na_rm).astype(np.longdouble)
        total *= float(np.multiply.reduce(values)) if values.size else 1.0
    return total


def _extreme(name: str, sign: int) -> Callable[..., Any]:
    def best(*x: Value, na_rm: bool = False) -> Any:
        values = _known(joined([plain(each) for each in x]), na_rm)
        if builtins.any(factor_of(each) is not None for each in x):
            raise PydpstatError(
                f"{name} is not meaningful for factors: write as_character(x) or as_integer(x)"
            )
        if not values.size:
            return -sign * math.inf
        if missing(values).any():
            return None if values.dtype == object else math.nan
        if values.dtype == object:
            ordered = sorted(values, key=collation_key)
            return ordered[-1] if sign > 0 else ordered[0]
        # of equal values the first, which tells zeros of both signs apart
        chosen = values[int(np.argmax(values) if sign > 0 else np.argmin(values))].item()
        return int(chosen) if values.dtype == bool else chosen

    best.__name__ = best.__qualname__ = name
    best.__doc__ = f"Return the {name}imum of all values: of strings by R's order, of none an infinity."
    return best


max, min = _extreme("max", 1), _extreme("min", -1)


def range(*x: Value, na_rm: bool = False) -> Vector:
    """Return the least and the largest of all values.

    Examples
    --------
    >>> range([3, 1, 2])
    array([1, 3])
    """
    return joined([plain(min(*x, na_rm=na_rm)), plain(max(*x, na_rm=na_rm))])


def any(*x: Value) -> bool:
    """Tell whether one of the values is true.

    Examples
    --------
    >>> any(np.array([False, True]))
    True
    """
    return builtins.any(truths(each).any() for each in x)


def all(*x: Value) -> bool:
    """Tell whether all values are true.

    Examples
    --------
    >>> all(np.array([False, True]))
    False
    """
    return builtins.all(truths(each).all() for each in x)


def _parallel(name: str, sign: int) -> Callable[..., Value]:
    def best(*x: Value, na_rm: bool = False) -> Value:
        result, *rest = recycled(*(numbers(each) for each in x))
        for each in rest:
            gone = missing(result) | missing(each)
            # of equal values the first
            better = each > result if sign > 0 else each < result
            result, old = np.where(better, each, result), result
            if gone.any():
                other = np.where(missing(old), each, old) if na_rm else math.nan
                result = np.where(gone, other, result)
        return shaped(result.astype(np.int64) if result.dtype == bool else result, *x)

    best.__name__ = best.__qualname__ = name
    best.__doc__ = f"Return the {name[1:]}imum of vectors element by element; shorter ones are recycled."
    return best


pmax, pmin = _parallel("pmax", 1), _parallel("pmin", -1)


def _running(name: str, function: Callable[[Vector], Vector], whole: bool) -> Callable[[Value], Value]:
    def call(x: Value) -> Value:
        values = numbers(x)
        values = values.astype(np.int64) if values.dtype == bool else values
        with np.errstate(all="ignore"):
            result = function(values if whole else values.astype(np.longdouble))
        return with_names(result if whole else result.astype(np.float64), names_of(x))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Return the running {name[3:]} of a vector, as R's ``{name}``."
    return call


cumsum, cumprod = (
    _running("cumsum", r_arithmetic.cumsum, True),
    _running("cumprod", np.multiply.accumulate, False),
)
cummax, cummin = (
    _running("cummax", np.maximum.accumulate, True),
    _running("cummin", np.minimum.accumulate, True),
)


def mean(x: Value, trim: float = 0, na_rm: bool = False) -> float:
    """Return the mean, with `trim` without this share of values at each end.

    Examples
    --------
    >>> mean([1, 2, 6]), mean([1, 2, 3, 90], trim=0.25), mean([1, None], na_rm=True)
    (3.0, 2.5, 1.0)
    """
    values = _known(numbers(x), na_rm)
    if not trim or not values.size:
        return r_arithmetic.mean(values)
    if missing(values).any():
        return math.nan
    if trim >= 0.5:
        return median(values)
    low = math.floor(values.size * trim)
    return r_arithmetic.mean(np.sort(values)[low : values.size - low])


def median(x: Value, na_rm: bool = False) -> float:
    """Return the median.

    Examples
    --------
    >>> median([1, 2, 6, 7])
    4.0
    """
    return r_arithmetic.median(_known(numbers(x), na_rm))


def var(x: Value, y: Value = None, na_rm: bool = False) -> Any:
    """Return the variance with denominator n - 1; of a matrix or frame the covariances of its columns.

    Examples
    --------
    >>> var([1, 2, 4])
    2.3333333333333335
    """
    if na_rm and y is None and not _has_columns(x):
        return r_arithmetic.var(_known(numbers(x), True))
    return cov(x, x if y is None and not _has_columns(x) else y, "complete.obs" if na_rm else "everything")


def sd(x: Value, na_rm: bool = False) -> float:
    """Return the standard deviation, the root of the variance.

    Examples
    --------
    >>> sd([1, 2, 3])
    1.0
    """
    return math.sqrt(r_arithmetic.var(_known(numbers(x), na_rm)))


def _has_columns(x: Value) -> bool:
    return isinstance(x, pd.DataFrame) or (isinstance(x, np.ndarray) and x.ndim == 2)


def cov(x: Value, y: Value = None, use: str = "everything", method: str = "pearson") -> Any:
    """Return the covariance of two vectors, or of the columns of matrices or frames.

    Examples
    --------
    >>> cov([1, 2, 4], [1, 3, 2])
    0.5
    """
    return _moments(x, y, use, method, r_arithmetic.cov)


def cor(x: Value, y: Value = None, use: str = "everything", method: str = "pearson") -> Any:
    """Return the correlation of two vectors, or of the columns of matrices or frames.

    Parameters
    ----------
    x, y : vectors, matrices or frames
    use : {"everything", "complete.obs", "pairwise.complete.obs"}
        Whether rows with missing values are left out.
    method : {"pearson", "spearman"}

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> cor([1, 2, 4], [2, 4, 8]), cor([1, 2, 4], [1, 9, 10], method="spearman")
    (1.0, 1.0)
    """
    whole = y is None
    return _moments(x, y, use, method, lambda a, b: _correlation(a, b, whole))


def _correlation(x: Vector, y: Vector, of_matrix: bool) -> float:
    x, y = x.astype(np.float64), y.astype(np.float64)
    if x.size < 2 or missing(x).any() or missing(y).any():
        return math.nan
    if of_matrix and x is y:
        return 1.0
    spreads = [_spread(each, of_matrix) for each in (x, y)]
    if 0.0 in spreads:
        return math.nan
    return float(np.clip(r_arithmetic.cov(x, y) / (spreads[0] * spreads[1]), -1.0, 1.0))


def _spread(x: Vector, of_matrix: bool) -> float:
    # R takes this root in long double, but that of a matrix's variance in double
    if of_matrix or not HAS_80_BIT:
        return math.sqrt(r_arithmetic.var(x))
    center = double_mean(x)
    return float(np.sqrt(wide_products(x, center, x, center) / (x.size - 1)))


def _moments(x: Value, y: Value, use: str, method: str, function: Callable[[Vector, Vector], float]) -> Any:
    if use not in ("everything", "complete.obs", "pairwise.complete.obs", "all.obs", "na.or.complete"):
        raise PydpstatError(
            f"use must be 'everything', 'complete.obs' or 'pairwise.complete.obs'; got {use!r}"
        )
    if method not in ("pearson", "spearman"):
        raise PydpstatError(f"method must be 'pearson' or 'spearman'; got {method!r}")
    if y is None and not _has_columns(x):
        raise PydpstatError("give a second vector y, or a matrix or frame x")
    left = _columns(x)
    right = left if y is None else _columns(y)
    if len({each.size for each in left + right}) > 1:
        raise PydpstatError("x and y must have the same length")
    if use in ("complete.obs", "na.or.complete") and left:
        kept = ~np.logical_or.reduce([missing(each) for each in left + right])
        if use == "complete.obs" and not kept.any():
            raise PydpstatError("no complete element pairs: x and y have no row without missing values")
        left, right = [e[kept] for e in left], [e[kept] for e in right] if y is not None else []
        right = right or left
    cells = [[_pair(a, b, use, method, function) for b in right] for a in left]
    return np.array(cells) if _has_columns(x) or _has_columns(y) else cells[0][0]


def _pair(a: Vector, b: Vector, use: str, method: str, function: Callable[[Vector, Vector], float]) -> float:
    same = a is b
    if use.startswith("pairwise"):
        kept = ~(missing(a) | missing(b))
        a = a[kept]
        b = a if same else b[kept]
    if method == "spearman":
        if missing(a).any() or missing(b).any():
            return math.nan
        a = plain(rank(a))
        b = a if same else plain(rank(b))
    return function(a, b)


def _columns(x: Value) -> list[Vector]:
    if isinstance(x, pd.DataFrame):
        return [numbers(x[key], str(key)).astype(np.float64) for key in x]
    values = np.asarray(x) if _has_columns(x) else numbers(x)
    return [np.ascontiguousarray(c, np.float64) for c in (values.T if values.ndim == 2 else [values])]


# a and b of each continuous type
_CONTINUOUS = {4: (0, 1), 5: (0.5, 0.5), 6: (0, 0), 7: (1, 1), 8: (1 / 3, 1 / 3), 9: (3 / 8, 3 / 8)}


def quantile(
    x: Value, probs: Value = (0, 0.25, 0.5, 0.75, 1), na_rm: bool = False, names: bool = True, type: int = 7
) -> Value:
    """Return quantiles of one of R's nine types, named by their percentages.

    Parameters
    ----------
    x : vector
        Without missing values, unless `na_rm`.
    probs : float or vector
        In [0, 1].
    na_rm : bool, optional
    names : bool, optional
        Whether the result has names, and so is a Series.
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
    values, p = _known(numbers(x), na_rm).astype(np.float64), numbers(probs, "probs").astype(np.float64)
    if type not in (1, 2, 3, *_CONTINUOUS):
        raise PydpstatError(f"type must be 1 to 9; got {type}")
    if missing(values).any():
        raise PydpstatError("x has missing values, which R's quantile refuses: write na_rm=True")
    found = r_arithmetic.quantile(values, p) if type == 7 or not values.size else _by_type(values, p, type)
    labels = [f"{_compact(100 * each)}%" for each in np.clip(p, 0.0, 1.0)]
    return with_names(found, ["" if each == "nan%" else each for each in labels] if names else None)


def _by_type(x: Vector, p: Vector, type: int) -> Vector:
    n, gone = x.size, np.isnan(p)
    p = np.clip(np.where(gone, 0.5, p), 0.0, 1.0)
    if type <= 3:
        place = n * p - 0.5 if type == 3 else n * p
        low = np.floor(place)
        h = [place > low, ((place > low) + 1) / 2, (place != low) | (low % 2 == 1)][type - 1].astype(
            np.float64
        )
    else:
        a, b = _CONTINUOUS[type]
        fuzz = 4 * float(np.finfo(np.float64).eps)
        place = a + p * (n + 1 - a - b)
        low = np.floor(place + fuzz)
        h = np.where(np.abs(place - low) < fuzz, 0.0, place - low)
    ordered = np.sort(x)
    ordered = np.concatenate([ordered[[0, 0]], ordered, ordered[[-1, -1]]])
    k = low.astype(np.int64) + 1
    first, second = ordered[k], ordered[k + 1]
    with np.errstate(all="ignore"):
        between = np.where(
            h == 1, second, np.where((h > 0) & (first != second), (1 - h) * first + h * second, first)
        )
    return np.where(gone, math.nan, between)


def fivenum(x: Value, na_rm: bool = True) -> Vector:
    """Return minimum, lower hinge, median, upper hinge and maximum.

    Examples
    --------
    >>> fivenum([1, 2, 4, 8])
    array([1. , 1.5, 3. , 6. , 8. ])
    """
    values = np.sort(_known(numbers(x), na_rm).astype(np.float64))
    n = values.size
    if not n or missing(values).any():
        return np.full(5, math.nan)
    quarter = math.floor((n + 3) / 2) / 2
    d = np.array([1, quarter, (n + 1) / 2, n + 1 - quarter, n])
    return 0.5 * (values[np.floor(d).astype(int) - 1] + values[np.ceil(d).astype(int) - 1])


def IQR(x: Value, na_rm: bool = False, type: int = 7) -> float:
    """Return the distance between the quartiles.

    Examples
    --------
    >>> IQR([1, 2, 4, 8])
    3.25
    """
    first, third = quantile(x, [0.25, 0.75], na_rm, False, type)
    return float(third - first)


def mad(x: Value, center: Value = None, constant: float = 1.4826, na_rm: bool = False) -> float:
    """Return the median absolute deviation from the median.

    Examples
    --------
    >>> mad([1, 2, 4, 8])
    2.2239
    """
    values = _known(numbers(x), na_rm)
    return float(constant * median(np.abs(values - (median(values) if center is None else single(center)))))


def weighted_mean(x: Value, w: Value = None, na_rm: bool = False) -> float:
    """Return the mean with weights.

    Examples
    --------
    >>> weighted_mean([1, 2], [3, 1])
    1.25
    """
    values = numbers(x)
    if w is None:
        return mean(values, na_rm=na_rm)
    weights = numbers(w, "w").astype(np.float64)
    if weights.size != values.size:
        raise PydpstatError(f"w must have a weight for each of {values.size} values; got {weights.size}")
    kept = ~missing(values) if na_rm else np.ones(values.size, bool)
    values, weights = values[kept], weights[kept]
    with np.errstate(all="ignore"):
        return float(np.float64(sum((values * weights)[weights != 0])) / sum(weights))


def scale(x: Value, center: bool = True, scale: bool = True) -> Value:
    """Return values minus the mean, divided by the standard deviation, of each column; of a vector a vector.

    Examples
    --------
    >>> scale([1, 2, 3])
    array([-1.,  0.,  1.])
    """
    columns = []
    for values in _columns(x):
        known = _known(values, True)
        if center:
            middle = float(wide_sum(known) / known.size) if HAS_80_BIT else mean(known)
            values, known = values - middle, known - middle
        if scale:
            values = values / math.sqrt(sum(known * known) / builtins.max(1, known.size - 1))
        columns.append(values)
    return np.column_stack(columns) if _has_columns(x) else columns[0]


def summary(object: Value) -> Value:
    """Return minimum, quartiles, mean and maximum, of a factor its counts; of a model what its own method says.

    Examples
    --------
    >>> summary([1, 2, 4, 8]).to_dict()["3rd Qu."]
    5.0
    """
    if hasattr(object, "summary"):
        return object.summary()
    if (factor := factor_of(object)) is not None:
        counts = np.bincount(factor.codes + 1, minlength=len(factor.categories) + 1)
        labels, counts = (
            [*texts(factor.categories), *["NA's"][: counts[0]]],
            [*counts[1:], *counts[:1][: counts[0]]],
        )
        return with_names(np.array(counts), labels)
    values = numbers(object)
    if values.dtype == bool or isinstance(object, pd.DataFrame):
        raise PydpstatError(
            "object must be a numeric vector or a factor: write table(x), or a column's summary"
        )
    known = _known(values, True)
    parts = [*quantile(known, names=False), known.size - values.size]
    names = ["Min.", "1st Qu.", "Median", "Mean", "3rd Qu.", "Max.", "NA's"]
    found = np.array([*parts[:3], mean(known), *parts[3:5], values.size - known.size])
    return with_names(found, names)[: 7 if known.size < values.size else 6].rename("summary")


def tabulate(bin: Value, nbins: int | None = None) -> Vector:
    """Return how often 1, 2, ..., `nbins` occur.

    Examples
    --------
    >>> tabulate([1, 3, 3])
    array([1, 0, 2])
    """
    codes = _known(numbers(bin), True).astype(np.int64)
    n = builtins.max(1, int(codes.max(initial=0))) if nbins is None else nbins
    return np.bincount(codes[(codes > 0) & (codes <= n)], minlength=n + 1)[1:]


def diff(x: Value, lag: int = 1, differences: int = 1) -> Value:
    """Return the differences of elements that are `lag` apart.

    Examples
    --------
    >>> diff([1, 4, 9]), diff([1, 4, 9], 2)
    (array([3, 5]), array([8]))
    """
    names, values = names_of(x), numbers(x)
    values = values.astype(np.int64) if values.dtype == bool else values
    for _ in builtins.range(differences):
        values, names = values[lag:] - values[: values.size - lag], None if names is None else names[lag:]
    return with_names(values, names)


def findInterval(
    x: Value, vec: Value, rightmost_closed: bool = False, all_inside: bool = False, left_open: bool = False
) -> Value:
    """Return for each value the interval between sorted points that it is in; 0 is below the first.

    Examples
    --------
    >>> findInterval([0.5, 1, 9], [1, 2])
    array([0, 1, 2])
    """
    values, points = numbers(x), numbers(vec, "vec")
    if missing(values).any() or (np.diff(points) < 0).any():
        raise PydpstatError("x must have no missing values, and vec must be sorted")
    found = np.searchsorted(points, values, "left" if left_open else "right")
    if rightmost_closed and points.size:
        end = values == (points[0] if left_open else points[-1])
        found = np.where(end, 1 if left_open else points.size - 1, found)
    return shaped(np.clip(found, 1, points.size - 1) if all_inside else found, x)


def cut(
    x: Value, breaks: Value, labels: Value = None, include_lowest: bool = False, right: bool = True, dig_lab: int = 3,
    ordered_result: bool = False,
) -> Value:  # fmt: skip
    """Return the intervals that values are in, as a factor, as R's ``cut``.

    Parameters
    ----------
    x : vector
    breaks : vector, or one number
        The ends of the intervals, or how many equal ones there are.
    labels : vector or False, optional
        The levels; False gives the intervals' numbers.
    include_lowest : bool, optional
        Whether the outermost interval has both its ends.
    right : bool, optional
        Whether intervals have their right ends, and not the left ones.
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
    values, points = numbers(x).astype(np.float64), np.sort(numbers(breaks, "breaks").astype(np.float64))
    if points.size == 1:
        points = _equal(_known(values, True), points[0])
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
        _intervals(points, dig_lab, right, include_lowest)
        if labels is None or labels is True
        else texts(labels)
    )
    if len(levels) != n - 1:
        raise PydpstatError(f"labels must be one for each of {n - 1} intervals; got {len(levels)}")
    return pd.Categorical.from_codes(code - 1, categories=list(levels), ordered=ordered_result)


def _equal(x: Vector, breaks: float) -> Vector:
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


def _intervals(points: Vector, digits: int, right: bool, lowest: bool) -> list[str]:
    for used in builtins.range(digits, builtins.max(12, digits) + 1):
        ends = [f"{each + 0.0:.{used}g}" if math.isfinite(each) else f"{each}".title() for each in points]
        if len(set(ends)) == len(ends):
            break
    else:
        return [f"Range_{k}" for k in builtins.range(1, points.size)]
    opening, closing = "(]" if right else "[)"
    levels = [f"{opening}{a},{b}{closing}" for a, b in zip(ends, ends[1:])]
    if lowest:
        k = 0 if right else -1
        levels[k] = f"[{levels[k][1:-1]}]"
    return levels
