"""Summaries of vectors: sums, extremes, moments and correlations, exact to R's last bit."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._integers import MAX_INTEGER, integers, make_r_integer
from pydpstat.porting.r._orders import rank
from pydpstat.porting.r._shapes import Names, get_dimnames, with_dimnames
from pydpstat.porting.r._values import (
    Value,
    Vector,
    concatenate_vectors,
    expand_by_recycling,
    find_missing,
    get_element_names,
    get_factor,
    match_shape,
    to_logical_vector,
    to_numeric_vector,
    to_plain_vector,
    to_single_integer,
    with_names,
)  # fmt: skip
from pydpstat.r_arithmetic.factor import make_collation_key
from pydpstat.r_arithmetic.moments import HAS_80_BIT, compute_double_mean, sum_long_double_products


def _drop_missing(x: Vector, na_rm: bool) -> Vector:
    return x[~find_missing(x)] if na_rm else x


def sum(*x: Value, na_rm: bool = False) -> Value:
    """Return the sum of all values; of integers and logical values, an integer within R's range.

    Examples
    --------
    >>> sum([1, 2], 3), sum([0.5, None], na_rm=True)
    (6, 0.5)
    """
    with np.errstate(invalid="ignore"):
        total = builtins.sum(r_arithmetic.sum(_drop_missing(to_numeric_vector(each), na_rm)) for each in x)
    if isinstance(total, (int, np.integer)) and abs(total) <= MAX_INTEGER:
        return make_r_integer(total)
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
        values = _drop_missing(to_numeric_vector(each), na_rm).astype(np.longdouble)
        total *= float(np.multiply.reduce(values)) if values.size else 1.0
    return total


def _make_extreme_function(name: str, sign: int) -> Callable[..., Value]:
    def find_extreme(*x: Value, na_rm: bool = False) -> Value:
        values = _drop_missing(concatenate_vectors([to_plain_vector(each) for each in x]), na_rm)
        if builtins.any(get_factor(each) is not None for each in x):
            raise PydpstatError(f"{name} is not meaningful for factors: write as_character(x) or as_integer(x)")
        if values.dtype == object and (not values.size or find_missing(values).any()):
            raise PydpstatError(f"{name} of no strings, or of missing ones, is NA in R: filter them first")
        if not values.size or find_missing(values).any():
            return math.nan if values.size else -sign * math.inf
        if values.dtype == object:
            ordered = sorted(values, key=make_collation_key)
            return ordered[-1] if sign > 0 else ordered[0]
        # the first of equal values, which matters for zeros of both signs
        chosen = values[int(np.argmax(values) if sign > 0 else np.argmin(values))].item()
        return make_r_integer(chosen) if values.dtype.kind in "bi" else chosen

    find_extreme.__name__ = find_extreme.__qualname__ = name
    find_extreme.__doc__ = f"Return the {name}imum of all values: of strings by R's order, of none an infinity."
    return find_extreme


max, min = _make_extreme_function("max", 1), _make_extreme_function("min", -1)


def range(*x: Value, na_rm: bool = False) -> Vector:
    """Return the minimum and maximum of all values.

    Examples
    --------
    >>> range([3, 1, 2])
    array([1, 3])
    """
    return concatenate_vectors([to_plain_vector(min(*x, na_rm=na_rm)), to_plain_vector(max(*x, na_rm=na_rm))])


def any(*x: Value) -> bool:
    """Return whether any value is true.

    Examples
    --------
    >>> any(np.array([False, True]))
    True
    """
    return builtins.any(to_logical_vector(each).any() for each in x)


def all(*x: Value) -> bool:
    """Return whether all values are true.

    Examples
    --------
    >>> all(np.array([False, True]))
    False
    """
    return builtins.all(to_logical_vector(each).all() for each in x)


def _make_parallel_extreme(name: str, sign: int) -> Callable[..., Value]:
    def find_extremes(*x: Value, na_rm: bool = False) -> Value:
        result, *rest = expand_by_recycling(*(to_numeric_vector(each) for each in x))
        for each in rest:
            gone = find_missing(result) | find_missing(each)
            # the first of equal values
            better = each > result if sign > 0 else each < result
            result, old = np.where(better, each, result), result
            if gone.any():
                other = np.where(find_missing(old), each, old) if na_rm else math.nan
                result = np.where(gone, other, result)
        return match_shape(result.astype(np.int64) if result.dtype == bool else result, *x)

    find_extremes.__name__ = find_extremes.__qualname__ = name
    find_extremes.__doc__ = f"Return the {name[1:]}imum of vectors element by element; shorter ones are recycled."
    return find_extremes


pmax, pmin = _make_parallel_extreme("pmax", 1), _make_parallel_extreme("pmin", -1)


def _make_cumulative_function(name: str, function: Callable[[Vector], Vector], exact: bool) -> Callable[[Value], Value]:
    def compute_cumulative(x: Value) -> Value:
        values = to_numeric_vector(x)
        values = values.astype(np.int64) if values.dtype == bool else values
        with np.errstate(all="ignore"):
            result = function(values if exact else values.astype(np.longdouble))
            result = integers(result) if exact else result.astype(np.float64)
        return with_names(result, get_element_names(x))

    compute_cumulative.__name__ = compute_cumulative.__qualname__ = name
    compute_cumulative.__doc__ = f"Return the running {name[3:]} of a vector, as R's ``{name}``."
    return compute_cumulative


cumsum, cumprod = (
    _make_cumulative_function("cumsum", r_arithmetic.cumsum, True),
    _make_cumulative_function("cumprod", np.multiply.accumulate, False),
)
cummax, cummin = (
    _make_cumulative_function("cummax", np.maximum.accumulate, True),
    _make_cumulative_function("cummin", np.minimum.accumulate, True),
)


def mean(x: Value, trim: float = 0, na_rm: bool = False) -> float:
    """Return the mean, optionally without a share `trim` of the values at each end.

    Examples
    --------
    >>> mean([1, 2, 6]), mean([1, 2, 3, 90], trim=0.25), mean([1, None], na_rm=True)
    (3.0, 2.5, 1.0)
    """
    values = _drop_missing(to_numeric_vector(x), na_rm)
    if not values.size:
        # an undefined result, which is no missing value
        return -math.nan
    if not trim:
        return r_arithmetic.mean(values)
    if find_missing(values).any():
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
    values = _drop_missing(to_numeric_vector(x), na_rm)
    if values.dtype.kind in "bi" and values.size % 2:
        return np.sort(values)[values.size // 2].item()
    return r_arithmetic.median(values)


def var(x: Value, y: Value = None, na_rm: bool = False) -> Value:
    """Return the variance with denominator n - 1; for a matrix or data frame, the covariance matrix.

    Examples
    --------
    >>> var([1, 2, 4])
    2.3333333333333335
    """
    if na_rm and y is None and not _has_columns(x):
        return r_arithmetic.var(_drop_missing(to_numeric_vector(x), True))
    return cov(x, x if y is None and not _has_columns(x) else y, "complete.obs" if na_rm else "everything")


def sd(x: Value, na_rm: bool = False) -> float:
    """Return the standard deviation with denominator n - 1.

    Examples
    --------
    >>> sd([1, 2, 3])
    1.0
    """
    return math.sqrt(r_arithmetic.var(_drop_missing(to_numeric_vector(x), na_rm)))


def _has_columns(x: Value) -> bool:
    return isinstance(x, pd.DataFrame) or (isinstance(x, np.ndarray) and x.ndim == 2)


def cov(x: Value, y: Value = None, use: str = "everything", method: str = "pearson") -> Value:
    """Return the covariance of two vectors, or of the columns of matrices or data frames.

    Examples
    --------
    >>> cov([1, 2, 4], [1, 3, 2])
    0.5
    """
    return _compute_moments(x, y, use, method, r_arithmetic.cov)


def cor(x: Value, y: Value = None, use: str = "everything", method: str = "pearson") -> Value:
    """Return the correlation of two vectors, or of the columns of matrices or data frames.

    Parameters
    ----------
    x, y : vectors, matrices or data frames
    use : {"everything", "complete.obs", "pairwise.complete.obs"}
        Treatment of rows with missing values.
    method : {"pearson", "spearman"}

    Returns
    -------
    float or ndarray

    Examples
    --------
    >>> cor([1, 2, 4], [2, 4, 8]), cor([1, 2, 4], [1, 9, 10], method="spearman")
    (1.0, 1.0)
    """
    return _compute_moments(x, y, use, method, lambda a, b: _compute_correlation(a, b, y is None))


def _compute_correlation(x: Vector, y: Vector, of_matrix: bool) -> float:
    same = x is y
    x, y = x.astype(np.float64), y.astype(np.float64)
    if x.size < 2 or find_missing(x).any() or find_missing(y).any():
        return math.nan
    if of_matrix and same:
        return 1.0
    spreads = [_compute_standard_deviation(each, of_matrix) for each in (x, y)]
    if 0.0 in spreads:
        return math.nan
    return float(np.clip(r_arithmetic.cov(x, y) / (spreads[0] * spreads[1]), -1.0, 1.0))


def _compute_standard_deviation(x: Vector, of_matrix: bool) -> float:
    # R takes this root in long double, but that of a matrix's variance in double
    if of_matrix or not HAS_80_BIT:
        return math.sqrt(r_arithmetic.var(x))
    center = compute_double_mean(x)
    return float(np.sqrt(sum_long_double_products(x, center, x, center) / (x.size - 1)))


def _compute_moments(x: Value, y: Value, use: str, method: str, function: Callable[[Vector, Vector], float]) -> Value:
    if use not in ("everything", "complete.obs", "pairwise.complete.obs", "all.obs", "na.or.complete"):
        raise PydpstatError(f"use must be 'everything', 'complete.obs' or 'pairwise.complete.obs'; got {use!r}")
    if method not in ("pearson", "spearman"):
        raise PydpstatError(f"method must be 'pearson' or 'spearman'; got {method!r}")
    if y is None and not _has_columns(x):
        raise PydpstatError("give a second vector y, or a matrix or frame x")
    left = _split_columns(x)
    right = left if y is None else _split_columns(y)
    if len({each.size for each in left + right}) > 1:
        raise PydpstatError("x and y must have the same length")
    if use in ("complete.obs", "na.or.complete") and left:
        kept = ~np.logical_or.reduce([find_missing(each) for each in left + right])
        if use == "complete.obs" and not kept.any():
            raise PydpstatError("no complete element pairs: x and y have no row without missing values")
        left, right = [e[kept] for e in left], [e[kept] for e in right] if y is not None else []
        right = right or left
    cells = [[_compute_pair_moment(a, b, use, method, function) for b in right] for a in left]
    if not _has_columns(x) and not _has_columns(y):
        return cells[0][0]
    return with_dimnames(np.array(cells), [_get_variable_names(x), _get_variable_names(x if y is None else y)])


def _get_variable_names(x: Value) -> Names:
    return list(x.columns) if isinstance(x, pd.DataFrame) else (get_dimnames(x) + (None,))[1]


def _compute_pair_moment(
    a: Vector, b: Vector, use: str, method: str, function: Callable[[Vector, Vector], float]
) -> float:
    same = a is b
    if use.startswith("pairwise"):
        kept = ~(find_missing(a) | find_missing(b))
        a = a[kept]
        b = a if same else b[kept]
    if method == "spearman":
        if find_missing(a).any() or find_missing(b).any():
            return math.nan
        a = to_plain_vector(rank(a))
        b = a if same else to_plain_vector(rank(b))
    return function(a, b)


def _split_columns(x: Value) -> list[Vector]:
    if isinstance(x, pd.DataFrame):
        return [to_numeric_vector(x[key], str(key)).astype(np.float64) for key in x]
    values = np.asarray(x) if _has_columns(x) else to_numeric_vector(x)
    return [np.ascontiguousarray(c, np.float64) for c in (values.T if values.ndim == 2 else [values])]


def weighted_mean(x: Value, w: Value = None, na_rm: bool = False) -> float:
    """Return the weighted mean.

    Examples
    --------
    >>> weighted_mean([1, 2], [3, 1])
    1.25
    """
    values = to_numeric_vector(x)
    if w is None:
        return mean(values, na_rm=na_rm)
    weights = to_numeric_vector(w, "w").astype(np.float64)
    if weights.size != values.size:
        raise PydpstatError(f"w must have a weight for each of {values.size} values; got {weights.size}")
    kept = ~find_missing(values) if na_rm else np.ones(values.size, bool)
    values, weights = values[kept], weights[kept]
    with np.errstate(all="ignore"):
        return float(np.float64(sum((values * weights)[weights != 0])) / sum(weights))


def diff(x: Value, lag: int = 1, differences: int = 1) -> Value:
    """Return the differences of elements at distance `lag`.

    Examples
    --------
    >>> diff([1, 4, 9]), diff([1, 4, 9], 2)
    (array([3, 5]), array([8]))
    """
    names, values = get_element_names(x), to_numeric_vector(x)
    values = values.astype(np.int64) if values.dtype == bool else values
    lag, differences = to_single_integer(lag, "lag"), to_single_integer(differences, "differences")
    with np.errstate(invalid="ignore"):
        for _ in builtins.range(differences):
            values = values[lag:] - values[: builtins.max(0, values.size - lag)]
    return with_names(integers(values), None if names is None else names[lag * differences :])
