"""Summaries of vectors: sums, extremes, moments and quantiles, to R's last bit."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._integers import LARGEST, integers, of_r
from pydpstat.porting.r._orders import rank
from pydpstat.porting.r._shapes import Names, dimnames_of, named
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
    truths,
    whole,
    with_names,
)  # fmt: skip
from pydpstat.r_arithmetic.factor import collation_key
from pydpstat.r_arithmetic.moments import HAS_80_BIT, double_mean, wide_products


def _known(x: Vector, na_rm: bool) -> Vector:
    return x[~missing(x)] if na_rm else x


def sum(*x: Value, na_rm: bool = False) -> Value:
    """Return the sum of all values; of integers and truth values an integer, if R has it.

    Examples
    --------
    >>> sum([1, 2], 3), sum([0.5, None], na_rm=True)
    (6, 0.5)
    """
    with np.errstate(invalid="ignore"):
        total = builtins.sum(r_arithmetic.sum(_known(numbers(each), na_rm)) for each in x)
    if isinstance(total, (int, np.integer)) and abs(total) <= LARGEST:
        return of_r(total)
    return float(total)


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


def _extreme(name: str, sign: int) -> Callable[..., Value]:
    def best(*x: Value, na_rm: bool = False) -> Value:
        values = _known(joined([plain(each) for each in x]), na_rm)
        if builtins.any(factor_of(each) is not None for each in x):
            raise PydpstatError(
                f"{name} is not meaningful for factors: write as_character(x) or as_integer(x)"
            )
        if values.dtype == object and (not values.size or missing(values).any()):
            raise PydpstatError(f"{name} of no strings, or of missing ones, is NA in R: filter them first")
        if not values.size or missing(values).any():
            return math.nan if values.size else -sign * math.inf
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


def _running(name: str, function: Callable[[Vector], Vector], exact: bool) -> Callable[[Value], Value]:
    def call(x: Value) -> Value:
        values = numbers(x)
        values = values.astype(np.int64) if values.dtype == bool else values
        with np.errstate(all="ignore"):
            result = function(values if exact else values.astype(np.longdouble))
            result = integers(result) if exact else result.astype(np.float64)
        return with_names(result, names_of(x))

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
    values = _known(numbers(x), na_rm)
    if values.dtype.kind in "bi" and values.size % 2:
        return np.sort(values)[values.size // 2].item()
    return r_arithmetic.median(values)


def var(x: Value, y: Value = None, na_rm: bool = False) -> Value:
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


def cov(x: Value, y: Value = None, use: str = "everything", method: str = "pearson") -> Value:
    """Return the covariance of two vectors, or of the columns of matrices or frames.

    Examples
    --------
    >>> cov([1, 2, 4], [1, 3, 2])
    0.5
    """
    return _moments(x, y, use, method, r_arithmetic.cov)


def cor(x: Value, y: Value = None, use: str = "everything", method: str = "pearson") -> Value:
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
    return _moments(x, y, use, method, lambda a, b: _correlation(a, b, y is None))


def _correlation(x: Vector, y: Vector, of_matrix: bool) -> float:
    same = x is y
    x, y = x.astype(np.float64), y.astype(np.float64)
    if x.size < 2 or missing(x).any() or missing(y).any():
        return math.nan
    if of_matrix and same:
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


def _moments(x: Value, y: Value, use: str, method: str, function: Callable[[Vector, Vector], float]) -> Value:
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
    if not _has_columns(x) and not _has_columns(y):
        return cells[0][0]
    return named(np.array(cells), [_column_names(x), _column_names(x if y is None else y)])


def _column_names(x: Value) -> Names:
    return list(x.columns) if isinstance(x, pd.DataFrame) else (dimnames_of(x) + (None,))[1]


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


def diff(x: Value, lag: int = 1, differences: int = 1) -> Value:
    """Return the differences of elements that are `lag` apart.

    Examples
    --------
    >>> diff([1, 4, 9]), diff([1, 4, 9], 2)
    (array([3, 5]), array([8]))
    """
    names, values = names_of(x), numbers(x)
    values = values.astype(np.int64) if values.dtype == bool else values
    lag, differences = whole(lag, "lag"), whole(differences, "differences")
    with np.errstate(invalid="ignore"):
        for _ in builtins.range(differences):
            values = values[lag:] - values[: builtins.max(0, values.size - lag)]
    return with_names(integers(values), None if names is None else names[lag * differences :])
