"""Sums, means and order statistics with R's arguments; R's arithmetic is in `pydpstat.r_arithmetic`."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._shapes import Array, named, vector
from pydpstat.porting.r._vectors import _flat, _one, _renamed, is_na
from pydpstat.r_arithmetic import elementary


def _numbers(x: Any, na_rm: bool = False, name: str = "x") -> Array:
    if isinstance(x, (pd.Categorical, dict, pd.DataFrame)):
        raise PydpstatError(f"{name} must be numbers; got a {type(x).__name__}")
    values = vector(x, name)
    if values.dtype.kind == "O":
        raise PydpstatError(f"{name} must be numbers; got strings")
    return values[~is_na(values)] if na_rm else values


def sum(*parts: Any, na_rm: bool = False) -> Any:
    """Return R's sum of all parts.

    Examples
    --------
    >>> sum([1, 2], 3.5), sum(np.array([True, True]))
    (6.5, 2)
    """
    if builtins.any(isinstance(each, pd.DataFrame) for each in parts):
        raise PydpstatError("sum of a data frame is not translated: write colSums(x)")
    pieces = [_numbers(each, na_rm) for each in parts if each is not None]
    return r_arithmetic.sum(np.concatenate(pieces) if pieces else np.empty(0))


def mean(x: Any, trim: float = 0, na_rm: bool = False) -> float:
    """Return R's mean; `trim` leaves out this share at either end.

    Examples
    --------
    >>> mean([1, 2, 6]), mean([1, 2, 100], trim=0.4)
    (3.0, 2.0)
    """
    values = _numbers(x, na_rm)
    if trim > 0 and values.size:
        if np.isnan(values.astype(np.float64)).any():
            return math.nan
        if trim >= 0.5:
            return median(values)
        low = math.floor(values.size * trim)
        values = np.sort(values)[low : values.size - low]
    return r_arithmetic.mean(values) if values.size else math.nan


def var(x: Any, y: Any = None, na_rm: bool = False) -> Any:
    """Return R's variance of a vector, or the matrix of a data frame's."""
    if y is not None:
        return cov(x, y)
    return cov(x) if _is_matrix(x) else r_arithmetic.var(_numbers(x, na_rm))


def sd(x: Any, na_rm: bool = False) -> float:
    """Return R's standard deviation."""
    return math.sqrt(r_arithmetic.var(_numbers(x, na_rm)))


def median(x: Any, na_rm: bool = False) -> float:
    """Return R's median."""
    values = _numbers(x, na_rm)
    return r_arithmetic.median(values) if values.size else math.nan


def _is_matrix(x: Any) -> bool:
    return isinstance(x, pd.DataFrame) or np.ndim(x) == 2


def _pairs(x: Any, of: Callable[[Array, Array], float]) -> Array:
    columns = (
        [x[name].to_numpy() for name in x.columns] if isinstance(x, pd.DataFrame) else list(np.asarray(x).T)
    )
    names = list(x.columns) if isinstance(x, pd.DataFrame) else None
    cells = np.array([[of(_numbers(a), _numbers(b)) for b in columns] for a in columns])
    return named(cells, (names, names)) if names else cells


def cov(x: Any, y: Any = None) -> Any:
    """Return R's covariance of two vectors, or the matrix of a data frame's columns."""
    if y is None:
        return _pairs(x, r_arithmetic.cov)
    return r_arithmetic.cov(_numbers(x), _numbers(y, name="y"))


def quantile(x: Any, probs: Any = (0, 0.25, 0.5, 0.75, 1), na_rm: bool = False, names: bool = True) -> Any:
    """Return R's quantiles of type 7, named by their percentages.

    Examples
    --------
    >>> quantile([1, 2, 3, 4], 0.5).to_dict()
    {'50%': 2.5}
    """
    values = _numbers(x, na_rm)
    if np.isnan(values.astype(np.float64)).any():
        raise PydpstatError("x has missing values, which R refuses: write na.rm = TRUE in the script")
    at = vector(probs).astype(np.float64)
    found = np.atleast_1d(r_arithmetic.quantile(values, at))
    if not names:
        return found
    labels = [f"{r_arithmetic.as_character(float(f'{100 * each:.7g}'))}%" for each in at]
    return pd.Series(found, index=pd.Index(labels, dtype=object))


def IQR(x: Any, na_rm: bool = False) -> float:
    """Return the distance of the quartiles."""
    low, high = quantile(x, (0.25, 0.75), na_rm, names=False)
    return float(high - low)


def _extreme(of: Callable[[Array], Any], empty: float, parts: tuple[Any, ...], na_rm: bool) -> Any:
    values = _flat(parts, na_rm)
    if values.dtype.kind == "O":
        raise PydpstatError("max and min of strings are not translated")
    if not values.size:
        return empty
    return of(values)


def max(*parts: Any, na_rm: bool = False) -> Any:
    """Return the largest number of all parts."""
    return _extreme(np.max, -math.inf, parts, na_rm)


def min(*parts: Any, na_rm: bool = False) -> Any:
    """Return the smallest number of all parts."""
    return _extreme(np.min, math.inf, parts, na_rm)


def range(*parts: Any, na_rm: bool = False) -> Array:
    """Return the smallest and the largest number."""
    return np.array([min(*parts, na_rm=na_rm), max(*parts, na_rm=na_rm)])


def prod(*parts: Any, na_rm: bool = False) -> float:
    """Return the product, rounded as R's, which multiplies in long double."""
    found = np.longdouble(1)
    for each in _flat(parts, na_rm).tolist():
        found *= np.longdouble(each)
    return float(found)


def pmin(*parts: Any) -> Any:
    """Return the smaller of two or more vectors, element by element."""
    return _parallel(np.minimum, parts)


def pmax(*parts: Any) -> Any:
    """Return the larger of two or more vectors, element by element."""
    return _parallel(np.maximum, parts)


def _parallel(of: Callable[[Any, Any], Any], parts: tuple[Any, ...]) -> Any:
    found = parts[0] if not isinstance(parts[0], (list, builtins.range)) else vector(parts[0])
    for each in parts[1:]:
        found = of(found, each if not isinstance(each, (list, builtins.range)) else vector(each))
    return found


def any(*parts: Any, na_rm: bool = False) -> bool:
    """Return whether one is true."""
    return bool(np.any(_flat(parts, na_rm)))


def all(*parts: Any, na_rm: bool = False) -> bool:
    """Return whether all are true."""
    return bool(np.all(_flat(parts, na_rm)))


def diff(x: Any, lag: int = 1) -> Array:
    """Return the differences of elements that are `lag` places apart."""
    values = _numbers(x)
    return values[lag:] - values[:-lag]


def cumsum(x: Any) -> Any:
    """Return the sums up to each element."""
    return _renamed(np.asarray(r_arithmetic.cumsum(_numbers(x))), x)


def log(x: Any, base: Any = None) -> Any:
    """Return R's logarithm, natural or of a base."""
    found = _each(elementary.log, x)
    if base is None:
        return found
    if base == 10:
        return _each(elementary.log10, x)
    if base == 2:
        return _each(np.log2, x)
    return found / elementary.log(base)


def _each(of: Callable[[Any], Any], x: Any) -> Any:
    with np.errstate(all="ignore"):
        if isinstance(x, pd.Series):
            return _renamed(np.asarray(of(_numbers(x))), x)
        return of(vector(x) if isinstance(x, (list, tuple)) else x)


def exp(x: Any) -> Any:
    """Return R's exponential function."""
    return _each(elementary.exp, x)


def log10(x: Any) -> Any:
    """Return R's logarithm to base 10."""
    return _each(elementary.log10, x)


def log1p(x: Any) -> Any:
    """Return the logarithm of 1 + x."""
    return _each(elementary.log1p, x)


def expm1(x: Any) -> Any:
    """Return the exponential function less 1."""
    return _each(elementary.expm1, x)


def sqrt(x: Any) -> Any:
    """Return the square root, nan of negative numbers."""
    return _each(np.sqrt, x)


def abs(x: Any) -> Any:
    """Return the size of numbers."""
    return _each(np.abs, x)


def floor(x: Any) -> Any:
    """Return the next integer below."""
    return _each(np.floor, x)


def ceiling(x: Any) -> Any:
    """Return the next integer above."""
    return _each(np.ceil, x)


def trunc(x: Any) -> Any:
    """Return numbers without their decimals."""
    return _each(np.trunc, x)


def sign(x: Any) -> Any:
    """Return -1, 0 or 1."""
    return _each(np.sign, x)


def sin(x: Any) -> Any:
    """Return the sine."""
    return _each(np.vectorize(math.sin, otypes=[float]), x)


def cos(x: Any) -> Any:
    """Return the cosine."""
    return _each(np.vectorize(math.cos, otypes=[float]), x)


def power(x: Any, y: Any) -> Any:
    """Return ``x ^ y``; the square is the product.

    Examples
    --------
    >>> power(3, 2), power([1.0, 2.0], 0.5).tolist(), power(-8, 1 / 3)
    (9.0, [1.0, 1.4142135623730951], nan)
    """
    a, b = (each.to_numpy() if isinstance(each, pd.Series) else each for each in (x, y))
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    with np.errstate(all="ignore"):
        if b.ndim == 0 and b == 2:
            found = a * a
        elif b.size == 1 and a.size != 1:
            found = np.asarray(elementary.power(a, float(b.ravel()[0])))
        else:
            a, b = np.broadcast_arrays(a, b)
            found = np.array(
                [elementary.power(float(p), float(q)) for p, q in zip(a.ravel(), b.ravel())]
            ).reshape(a.shape)
    found = np.where((a < 0) & np.isfinite(b) & (b != np.floor(b)), math.nan, found)
    if isinstance(x, pd.Series):
        return _renamed(found, x)
    return float(found) if found.ndim == 0 else found


def round(x: Any, digits: float = 0) -> Any:
    """Return numbers rounded as R rounds them."""
    if isinstance(x, pd.DataFrame):
        return x.assign(**{name: round(x[name].to_numpy(), digits) for name in x.columns})
    if isinstance(x, pd.Series):
        return _renamed(np.asarray(r_arithmetic.round(_numbers(x), digits)), x)
    return r_arithmetic.round(_numbers(x) if isinstance(x, (list, tuple)) else x, digits)


def weighted_mean(x: Any, w: Any) -> float:
    """Return the mean with weights."""
    weights = _numbers(w, name="w").astype(np.float64)
    return float(r_arithmetic.sum(weights / r_arithmetic.sum(weights) * _numbers(x)))


def hist(x: Any, breaks: Any = "Sturges", plot: bool = False) -> Any:
    """Return R's histogram; nothing is drawn."""
    if plot:
        raise PydpstatError("hist draws a picture: write plot = FALSE, or use matplotlib")
    return r_arithmetic.hist(vector(x), breaks)


def nclass_Sturges(x: Any) -> float:
    """Return Sturges' number of classes."""
    return r_arithmetic.breaks_sturges(vector(x))


def nclass_scott(x: Any) -> float:
    """Return Scott's number of classes."""
    return r_arithmetic.breaks_scott(vector(x))


def nclass_FD(x: Any) -> float:
    """Return Freedman and Diaconis' number of classes."""
    return r_arithmetic.breaks_fd(vector(x))


def qnorm(p: Any) -> Any:
    """Return R's normal quantiles."""
    return r_arithmetic.qnorm(_one(p, "p") if np.size(p) == 1 else vector(p))


def pnorm(q: Any) -> Any:
    """Return R's normal probabilities."""
    return r_arithmetic.pnorm(_one(q, "q") if np.size(q) == 1 else vector(q))


def pretty(x: Any, n: int = 5) -> Array:
    """Return about n + 1 round numbers that cover x."""
    values = _numbers(x)
    return r_arithmetic.pretty(float(np.min(values)), float(np.max(values)), n)
