"""The variables of a covariance or correlation: what is asked of them, and what follows from it."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np

from pydpstat._data.columns import (
    Bounds,
    Columns,
    Data,
    GivenBounds,
    Pair,
    bounds_pair,
    column_bounds,
    numbers_of,
    one_column,
    several_bounds,
)
from pydpstat._release.additive import Query
from pydpstat._release.statistic import Options
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._products import norm
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import Derived, PostProcessing, Publish, Scaled
from pydpstat.statistics._kernels import partition, record_grid
from pydpstat.statistics._kernels.association_interval import Correlated
from pydpstat.statistics.spread import spread_of, spread_sensitivity

# places of the means and of the product that a covariance takes, in the bases of weights
COVARIANCE = (1, 2, 3)
# that of two variables, and the variance of each
SPREADS = (COVARIANCE, (1, 1, 4), (2, 2, 5))
STEPS: tuple[str, ...] = ("correlation from the noisy sums", "cut to [-1, 1]")
UNKNOWN = "set to 0, as a noisy variance or number of records is too small to divide by"


class Variables(NamedTuple):
    """Two variables, or the columns of a frame."""

    columns: Columns
    pairs: Bounds
    bounds: Bounds | Pair
    data: tuple[str, ...]

    @property
    def matrix(self) -> bool:
        """Whether a matrix is asked for."""
        return self.columns.names is not None

    @property
    def width(self) -> int:
        """Number of variables."""
        return len(self.columns.arrays)


def read_variables(x: Data, y: object, bounds: GivenBounds) -> Variables:
    """Read two variables, or a frame where there is no second one, with their bounds."""
    if y is None:
        columns = numbers_of(x, "x")
        if columns.names is None or len(columns.names) < 2:
            raise PydpstatError(
                "x must have at least two columns where no y is given; got one variable. "
                "Give the second one as y."
            )
        return Variables(columns, *column_bounds(bounds, columns), ("x",))
    first, second = one_column(x, "x"), one_column(y, "y")
    if first.size != second.size:
        raise PydpstatError("x and y must be of the same length, a record in the same place of both.")
    name = None if None in (first.name, second.name) else f"{first.name}, {second.name}"
    both = Columns(first.arrays + second.arrays, first.missing + second.missing, None, name, first.size)
    if several_bounds(bounds) and len(bounds) == 2:
        pairs = bounds_pair(bounds[0], "bounds[0]"), bounds_pair(bounds[1], "bounds[1]")
    else:
        pairs = (bounds_pair(bounds),) * 2
    return Variables(both, pairs, pairs, ("x", "y"))


def _labels(function: str, variables: Variables) -> Labels:
    names = variables.columns.names
    if names is None:
        return Labels(variables.columns.name or function)
    return Labels(function, dimnames=(names, names))


def bounded_query(variables: Variables, how: Options) -> tuple[Query, Publish]:
    """Ask for covariances in units of their ranges."""
    columns, pairs, n = variables.columns, variables.pairs, variables.columns.size
    grids = record_grid.grids_for(pairs, how, n)
    width = range(variables.width)
    places = [(i, j) for i in width for j in width[i:]] if variables.matrix else [(0, 1)]
    sums = record_grid.sums(columns.arrays, grids, how.missing, places)
    spans = [record_grid.width(pairs[i]) * record_grid.width(pairs[j]) for i, j in places]
    exact, reach = [], Fraction(0)
    for (i, j), product, span in zip(places, sums.products, spans):
        exact.append(spread_of(n, sums.first[i], sums.first[j], product, grids[i], grids[j]) / span)
        reach = max(reach, spread_sensitivity(n, grids[i], grids[j], pairs[i], pairs[j]) / span)
    query = Query(
        "cov",
        np.array(exact, dtype=np.float64),
        (reach * partition.norm_of(len(places), how),),
        _labels("cov", variables),
        nobs=n,
        exact=tuple(exact),
    )
    factors = list(map(float, spans))

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        if not variables.matrix:
            return np.asarray(noisy[0] * factors[0]), Scaled(factors[0], ("multiplied by the ranges",))
        values, scale = np.empty((variables.width,) * 2), np.empty((variables.width,) * 2)
        for entry, factor, (i, j) in zip(noisy, factors, places):
            values[i, j] = values[j, i] = factor * (max(entry, 0.0) if i == j else entry)
            scale[i, j] = scale[j, i] = factor
        return values, Scaled(_flat(scale), ("multiplied by the ranges", "variances cut at 0"))

    return query, publish


def _flat(matrix: np.ndarray) -> tuple[float, ...]:
    return tuple(matrix.ravel(order="F").tolist())


def corner_query(variables: Variables, how: Options) -> tuple[Query, Publish]:
    """Ask for the four corners' weights of two variables."""
    grids = [record_grid.standard_grid(*pair) for pair in variables.pairs]
    sums = record_grid.sums(variables.columns.arrays, grids, how.missing, ((0, 1),))
    blocks = [partition.weight_sums(sums, partition.CORNER_WEIGHTS)]
    query = partition.weights_query("cov", _labels("cov", variables), how, blocks)
    span = math.prod(map(record_grid.half_width, variables.pairs))

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        value, gradient = partition.spread(partition.moments(noisy, partition.CORNERS), *COVARIANCE)
        steps = ("covariance from the noisy sums",)
        return np.asarray(span * value), Derived((span * norm(gradient),), steps)

    return query, publish


def square_query(function: str, variables: Variables, how: Options) -> tuple[Query, Publish]:
    """Ask for the nine weights of every pair of variables."""
    grids = [record_grid.standard_grid(*pair) for pair in variables.pairs]
    size = variables.columns.size if how.bounded else None
    pairs = list(combinations(range(variables.width), 2))
    blocks = partition.square_weights(variables.columns.arrays, grids, how.missing)
    # of a replaced record one vector is taken away and one added, neither with negative elements
    reach = partition.SQUARE_NORM * (partition.norm_of(2, how) if how.bounded else 1)
    query = partition.weights_query(function, _labels(function, variables), how, blocks, reach, size)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        blocks = noisy.reshape(len(pairs), -1)
        if function == "corr":
            return _correlations(blocks, pairs, variables, size)
        return _covariances(blocks, pairs, variables)

    return query, publish


def _correlations(
    noisy: np.ndarray, pairs: list[tuple[int, int]], variables: Variables, size: int | None
) -> tuple[np.ndarray, PostProcessing]:
    """Return correlations, cut, in their shape; 0 where the noisy sums give none."""
    values, slopes = np.eye(variables.width), np.zeros((variables.width,) * 2)
    unknown = 0
    for (i, j), block in zip(pairs, noisy):
        value, slope = _correlation(partition.moments(block, partition.SQUARE))
        unknown += math.isnan(value)
        values[i, j] = values[j, i] = 0.0 if math.isnan(value) else min(max(value, -1.0), 1.0)
        slopes[i, j] = slopes[j, i] = slope
    steps = STEPS
    if unknown:
        steps += (UNKNOWN if len(noisy) == 1 else f"{UNKNOWN}: {unknown} of {len(noisy)} pairs",)
    if not variables.matrix:
        values, slopes = values[0, 1].reshape(()), slopes[0, 1]
    return values, Correlated(_flat(slopes), steps, tuple(map(tuple, noisy.tolist())), size)


def _correlation(at: partition.Moments) -> tuple[float, float]:
    """Return the correlation and its slope; NaN where a noisy variance is not above 0."""
    spreads = (partition.spread(at, *each) for each in SPREADS)
    (product, d_product), (first, d_first), (second, d_second) = spreads
    if not (first > 0.0 and second > 0.0):
        return math.nan, math.nan
    root = math.sqrt(first) * math.sqrt(second)
    value = product / root
    gradient = d_product / root - 0.5 * value * (d_first / first + d_second / second)
    return value, norm(gradient)


def _covariances(
    noisy: np.ndarray, pairs: list[tuple[int, int]], variables: Variables
) -> tuple[np.ndarray, PostProcessing]:
    count, half = variables.width, list(map(record_grid.half_width, variables.pairs))
    values, squares = np.zeros((count, count)), np.zeros((count, count))
    for (i, j), block in zip(pairs, noisy):
        at = partition.moments(block, partition.SQUARE)
        for (a, b), each in zip(((i, j), (i, i), (j, j)), SPREADS):
            value, gradient = partition.spread(at, *each)
            # a variance is the mean of those of its pairs
            share = half[a] * half[b] / (count - 1 if a == b else 1)
            values[a, b] += share * value
            squares[a, b] += (share * norm(gradient)) ** 2
            values[b, a], squares[b, a] = values[a, b], squares[a, b]
    np.fill_diagonal(values, np.maximum(np.diag(values), 0.0))
    return values, Derived(_flat(np.sqrt(squares)), ("covariances from the noisy sums", "variances cut at 0"))
