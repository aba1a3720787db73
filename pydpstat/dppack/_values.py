"""Data as R reads them, and statistics without noise: counts, pooled moments, intervals of quantiles."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat import r_arithmetic as r
from pydpstat._data.containers import as_array, find_library, get_series_name, has_columns
from pydpstat._data.native import read_variable, to_pandas_or_numpy
from pydpstat._data.values import suggest_columns
from pydpstat._warn import warn_large_epsilon
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._exponential import Choice
from pydpstat.r_arithmetic._arrays import to_numeric
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.r_arithmetic.factor import is_categorical
from pydpstat.r_arithmetic.histogram import Breaks
from pydpstat.results._labels import Labels

# numbers or Booleans
Numbers = npt.NDArray[np.generic]

SENSITIVITIES = ("bounded", "unbounded", "both")
MECHANISMS = ("Laplace", "Gaussian", "analytic")


def read_flat_numbers(x: object, name: str, *, beside: bool = False) -> Numbers:
    """Read data as a flat array of numbers or Booleans; error messages show only the type of the data.

    The records of data `beside` other data need an order.
    """
    if type(x) is np.ndarray and x.dtype == np.float64 and x.ndim == 1:
        return x
    x = read_variable(x, name, needs_order=beside)
    if isinstance(x, os.PathLike) or not _can_be_numeric(x):
        hint = suggest_columns(x, "Give a list, a NumPy array or a Series of numbers.")
        raise PydpstatError(f"{name} must be a numeric vector; got {type(x).__name__}. {hint}")
    if isinstance(x, (list, tuple)) and not x:
        return np.empty(0)
    return to_numeric(x, name)


def _can_be_numeric(x: object) -> bool:
    """Return whether a value is neither a string nor a list or factor in R."""
    return not (x is None or isinstance(x, (str, dict, set)) or has_columns(x) or is_categorical(x))


def to_plain_array(x: object) -> Numbers | None:
    """Convert data to an array of the same shape; None for data that are not a vector or matrix in R."""
    try:
        return as_array(x) if _can_be_numeric(x) else None
    except (TypeError, ValueError):
        return None


def check_mirror_epsilon(eps: object) -> float:
    """Check the privacy parameter `eps` of a mirror, and warn of a large one."""
    epsilon = checks.check_epsilon(eps, "eps")
    warn_large_epsilon(epsilon, "eps")
    return epsilon


def read_vector(x: npt.ArrayLike, name: str, *, beside: bool = False) -> Numbers:
    """Read data as `read_flat_numbers` does; raise an error for a matrix, as with R's is.vector."""
    x = read_variable(x, name, needs_order=beside)
    values = read_flat_numbers(x, name)
    if np.ndim(x) > 1:
        raise PydpstatError(f"{name} must be a numeric vector; got {np.ndim(x)} dimensions. Give one column.")
    return values


def clip_to_bounds(x: npt.NDArray[np.generic], lower: float | Floats, upper: float | Floats) -> Floats:
    """Clip values to the bounds: first those below `lower`, then those above `upper`.

    Missing values stay missing. With reversed bounds every value becomes `upper`.
    """
    clipped = np.maximum(x, lower, dtype=np.float64)
    return np.minimum(clipped, upper, out=clipped)


def get_column_name(x: object, otherwise: str) -> str:
    """Return the name of a Series, or `otherwise` if it has none."""
    name = None if type(x) is np.ndarray else get_series_name(x)
    return otherwise if name is None else name


# R adds bins one by one; above this number it would take too long
MAX_BINS = 200_000


def count_in_bins(x: np.ndarray, lower: float, upper: float, breaks: object) -> tuple[np.ndarray, Labels]:
    """Count clipped values in bins of equal width that are extended until they span the bounds.

    The labels contain the breaks, which are public only if `breaks` is a vector that spans the bounds.
    """
    counted = r.hist(clip_to_bounds(x, lower, upper), cast(Breaks, breaks))
    if not counted.equidist:
        raise PydpstatError("Only equidistant histogram bins are supported; give equally spaced breaks.")
    if lower == -math.inf or upper == math.inf:
        raise PydpstatError(
            f"lower_bound and upper_bound must be finite for a histogram; got {lower!r} and "
            f"{upper!r}, for which R never returns. Give the public range of the data."
        )
    first, second, last = counted.breaks[[0, 1, -1]]
    with np.errstate(over="ignore"):
        missing = max(first - lower, upper - last) / (second - first)
    if missing > MAX_BINS:
        raise PydpstatError(
            f"lower_bound and upper_bound must be within {MAX_BINS} bins of the breaks; got {lower!r} and "
            f"{upper!r}. Give wider breaks or narrower bounds."
        )
    edges, mids = deque(counted.breaks.tolist()), deque(counted.mids.tolist())
    counts = deque(counted.counts.tolist())
    while lower < edges[0]:
        width = edges[1] - edges[0]
        mids.appendleft(edges[0] - width / 2)
        edges.appendleft(edges[0] - width)
        counts.appendleft(0)
    while edges[-1] < upper:
        width = edges[1] - edges[0]
        mids.append(edges[-1] + width / 2)
        edges.append(edges[-1] + width)
        counts.append(0)
    return np.array(counts, dtype=np.float64), Labels("histogram", breaks=tuple(edges), mids=tuple(mids))


def read_table_variables(
    factors: tuple[Any, ...], columns: dict[str, object]
) -> tuple[tuple[object, ...], tuple[str, ...], dict[str, Any]]:
    """Return the variables, their names and R's further arguments of a function of counts.

    A name is that of a column of a frame, of a Series, or a keyword.
    """
    rules: dict[str, Any] = {name: columns[name] for name in ("useNA", "exclude", "dnn") if name in columns}
    columns = {name: to_pandas_or_numpy(column, name) for name, column in columns.items() if name not in rules}
    factors = tuple(to_pandas_or_numpy(variable, "factors") for variable in factors)
    for variable in (*factors, *columns.values()):
        if find_library(variable):
            raise PydpstatError(
                f"variables must be in memory; got {type(variable).__name__}. Give each as a list, an array or a "
                "Series, or all as a DataFrame of pandas."
            )
    if len(factors) == 1 and not columns and (has_columns(factors[0]) or isinstance(factors[0], dict)):
        frame = factors[0]
        return tuple(frame[name] for name in frame), tuple(str(name) for name in frame), rules
    names = (*(get_series_name(variable) or "" for variable in factors), *columns)
    return (*factors, *columns.values()), names, rules


def build_contingency_table(
    factors: tuple[object, ...], names: tuple[str, ...], **rules: Any
) -> tuple[np.ndarray, Labels]:
    """Count the combinations of levels as R's table() does, with one axis per factor.

    The labels contain the levels, which are public only if they do not come from the data.
    """
    counted = r.table(*factors, **rules)
    dimnames = tuple(tuple("NA" if level is None else level for level in levels) for levels in counted.dimnames)
    axis_names = tuple(counted.names) if any(counted.names) else names
    labels = Labels("table", dimnames=dimnames, dimension_names=axis_names if any(axis_names) else ())
    return np.asarray(counted.counts, dtype=np.float64), labels


class PooledStatistic(NamedTuple):
    """Pooled statistic, whose value is private, with the number of records of all groups.

    The value is NaN if a group has fewer than two records. The sensitivities are that for one record replaced
    within its group, and DPpack's for one added or removed.
    """

    value: float
    bounded_sensitivity: float
    unbounded_sensitivity: float
    nobs: int


def compute_pooled_variance(samples: Sequence[np.ndarray], lower: float, upper: float, approx: bool) -> PooledStatistic:
    """Return the pooled variance of groups of shape (n_j,), already clipped.

    With `approx` the factor 1 - 1 / max(n_j), which reveals the size of the largest group, is left out.

    >>> compute_pooled_variance([np.array([1.0, 2.0]), np.array([4.0, 8.0])], 0.0, 10.0, False)
    PooledStatistic(value=4.25, bounded_sensitivity=25.0, unbounded_sensitivity=37.5, nobs=4)
    """
    range_product = (upper - lower) * (upper - lower)
    value, bounded, n, groups = _combine_spreads(samples, [r.var(sample) for sample in samples], range_product, approx)
    # if every group has two records, adding one to a group has a larger effect
    unbounded = bounded if n != 2 * groups else compute_quotient(range_product * (n - 1.0), n * (n - 2.0))
    return PooledStatistic(value, bounded, unbounded, n)


def compute_pooled_covariance(
    samples: Sequence[np.ndarray], bounds1: tuple[float, float], bounds2: tuple[float, float], approx: bool
) -> PooledStatistic:
    """Return the pooled covariance of groups of shape (n_j, 2), already clipped.

    With `approx` the factor 1 - 1 / max(n_j) of the bounded sensitivity is left out.

    >>> group = np.array([[1.0, 2.0], [3.0, 6.0], [5.0, 4.0]])
    >>> compute_pooled_covariance([group], (0.0, 6.0), (0.0, 6.0), True)
    PooledStatistic(value=2.0, bounded_sensitivity=18.0, unbounded_sensitivity=13.5, nobs=3)
    """
    range_product = (bounds1[1] - bounds1[0]) * (bounds2[1] - bounds2[0])
    spreads = [r.cov(pairs[:, 0], pairs[:, 1]) for pairs in samples]
    value, bounded, n, groups = _combine_spreads(samples, spreads, range_product, approx)
    free, unbounded = n - groups - 1, math.nan
    if free > 0:
        factor = 1.0 + n / (4.0 * (n - 1.0 - groups)) - 1.0 / math.sqrt(free)
        unbounded = range_product * factor / (n - groups)
    return PooledStatistic(value, bounded, unbounded, n)


def _combine_spreads(
    samples: Sequence[np.ndarray], spreads: Sequence[float], range_product: float, approx: bool
) -> tuple[float, float, int, int]:
    """Return the mean of spreads weighted by degrees of freedom, its sensitivity, and numbers of records and groups."""
    sizes = [len(sample) for sample in samples]
    n, groups = sum(sizes), len(sizes)
    total = 0.0
    for size, spread in zip(sizes, spreads):
        total = total + (size - 1) * spread
    max_change = range_product if approx else range_product * (1.0 - compute_quotient(1.0, max(sizes)))
    return compute_quotient(total, n - groups), compute_quotient(max_change, n - groups), n, groups


def compute_quotient(a: float, b: float) -> float:
    """Divide as R does, without an error for a divisor of 0."""
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)
    return a / b


# one record changes the rank distance of each interval by at most 1
RANK_SENSITIVITY = 1.0
# exp of its negative is 0: an interval worse than the best one by this is never selected
UNDERFLOW_EXPONENT = 746.0


def compute_rank_utility(first: int, last: int, quant: float, n: int) -> np.ndarray:
    """Return the negative distances of the ranks `first` to `last` from quant * n.

    >>> compute_rank_utility(0, 4, 0.5, 4)
    array([-2., -1., -0., -1., -2.])
    """
    ranks = np.arange(first, last + 1, dtype=np.float64)
    ranks -= quant * n
    np.abs(ranks, out=ranks)
    return np.negative(ranks, out=ranks)


@dataclass(frozen=True, slots=True)
class Intervals:
    """Candidate intervals with their k + 1 ascending edges, and their weights. Private.

    The weights of `choice` are computed from utilities and widths. `first_index` intervals lie below these,
    `max_other_utility` is the best utility of the others, and `make_complete` returns all intervals; None if these
    are all.
    """

    edges: np.ndarray
    choice: Choice
    utility: np.ndarray
    widths: np.ndarray
    first_index: int = 0
    max_other_utility: float = -math.inf
    make_complete: Callable[[], Intervals] | None = None

    def select_point(self, uniforms: np.ndarray) -> float:
        """Select a point: the first uniform selects an interval, the second a position within it."""
        return self.compute_point(self.choice.choose_index(float(uniforms[0])), float(uniforms[1]))

    def compute_point(self, index: int, uniform: float) -> float:
        """Return the point of an interval at the position `uniform` from 0 to 1; `index` counts these intervals."""
        low, high = float(self.edges[index]), float(self.edges[index + 1])
        return uniform * (high - low) + low


def make_quantile_intervals(x: np.ndarray, quant: float, eps: float, lower: float, upper: float) -> Intervals:
    """Weight the intervals between the sorted data for the exponential mechanism.

    The data have no missing values, and `lower` is at most `upper`. Of many intervals only those are returned whose
    weights are not 0 in floating point.
    """
    n = x.size
    clipped = clip_to_bounds(x, lower, upper)

    def make_intervals(inner: np.ndarray, first: int, last: int) -> Intervals:
        """Weight the intervals `first` to `last`, whose ends are `inner` and the bounds."""
        edges = np.concatenate([[lower] if first == 0 else [], inner, [upper] if last == n else []])
        with np.errstate(all="ignore"):
            widths = np.diff(edges)
        utility = compute_rank_utility(first, last, quant, n)
        return Intervals(edges, Choice(utility, eps, RANK_SENSITIVITY, widths), utility, widths)

    def make_complete() -> Intervals:
        return make_intervals(np.sort(clipped), 0, n)

    first, last = _get_reachable_range(n, quant, eps) if math.isfinite(upper - lower) else (0, n)
    if last - first >= n // 4:
        return make_complete()
    # interval i has the edges i - 1 and i, so only these records must be sorted
    low, high = max(first - 1, 0), min(last, n - 1)
    clipped.partition([low, high])
    nearest = min(quant * n - (first - 1) if first else math.inf, last + 1 - quant * n if last < n else math.inf)
    some = make_intervals(np.sort(clipped[low : high + 1]), first, last)
    return replace(some, first_index=first, max_other_utility=-nearest, make_complete=make_complete)


def _get_reachable_range(n: int, quant: float, eps: float) -> tuple[int, int]:
    """Return the first and the last interval whose weight does not underflow to 0."""
    half_width = 2.0 * UNDERFLOW_EXPONENT / eps + 2.0
    middle = quant * n
    return max(0, math.floor(max(middle - half_width, 0.0))), min(n, math.ceil(min(middle + half_width, float(n))))
