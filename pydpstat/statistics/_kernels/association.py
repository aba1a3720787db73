"""The variables of a covariance or correlation: what is asked of them, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
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
    Placeholder,
    bounds_pair,
    column_bounds,
    numbers_of,
    one_column,
    several_bounds,
)
from pydpstat._release.additive import Query
from pydpstat._release.statistic import Options
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.gaussian import root_above
from pydpstat.r_arithmetic._products import norm
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import Derived, PostProcessing, Publish, Scaled
from pydpstat.statistics._kernels import record_grid
from pydpstat.statistics._kernels.association_interval import Correlated
from pydpstat.statistics._kernels.partition import (
    CORNERS,
    SQUARE,
    SQUARE_NORM,
    Moments,
    corner_weights,
    moments,
    spread,
    square_weights,
    weights_query,
)
from pydpstat.statistics._kernels.record_grid import standard_grid
from pydpstat.statistics.spread import check_squares, spread_of, spread_sensitivity

# places of z1, z2, z1 z2, z1^2, z2^2 in the bases of weights
FIRST, SECOND, PRODUCT, SQUARE1, SQUARE2 = 1, 2, 3, 4, 5


class Statistic(NamedTuple):
    """Which statistic: its function's name, and its name in texts."""

    function: str
    text: str


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
        pairs, shown = column_bounds(bounds, columns)
        check_squares(pairs)
        return Variables(columns, pairs, shown, ("x",))
    first, second = one_column(x, "x"), one_column(y, "y")
    if first.size != second.size:
        raise PydpstatError("x and y must be of the same length, a record in the same place of both.")
    both = Columns(
        first.arrays + second.arrays, first.missing + second.missing, None, _joint(first, second), first.size
    )
    pairs = _two_pairs(bounds)
    check_squares(pairs)
    return Variables(both, pairs, pairs, ("x", "y"))


def _joint(first: Columns, second: Columns) -> str | None:
    names = (first.name, second.name)
    return None if None in names else f"{first.name}, {second.name}"


def _two_pairs(bounds: object) -> Bounds:
    if several_bounds(bounds) and len(bounds) == 2:
        return bounds_pair(bounds[0], "bounds[0]"), bounds_pair(bounds[1], "bounds[1]")
    return (bounds_pair(bounds),) * 2


def _labels(statistic: Statistic, variables: Variables) -> Labels:
    names = variables.columns.names
    if names is None:
        return Labels(variables.columns.name or statistic.function)
    return Labels(statistic.function, dimnames=(names, names))


def bounded_query(statistic: Statistic, variables: Variables, how: Options) -> tuple[Query, Publish]:
    """Ask for covariances in units of their ranges."""
    columns, pairs, n = variables.columns, variables.pairs, variables.columns.size
    grids = record_grid.grids_for(pairs, how, n)
    places = _entries(variables)
    sums = record_grid.sums_of(columns.arrays, grids, how.missing, places)
    ranges = [record_grid.width(pair) for pair in pairs]
    exact, reach = [], Fraction(0)
    for (i, j), product in zip(places, sums.products):
        scale = 1 / (ranges[i] * ranges[j])
        exact.append(scale * spread_of(n, sums.first[i], sums.first[j], product, grids[i], grids[j]))
        reach = max(reach, scale * spread_sensitivity(n, grids[i], grids[j], pairs[i], pairs[j]))
    entries = len(places)
    norm = Fraction(root_above(entries)) if how.norm == 2 else Fraction(entries)
    query = Query(
        statistic.function,
        np.array([float(each) for each in exact]),
        (reach * norm,),
        _labels(statistic, variables),
        nobs=n,
        exact=tuple(exact),
    )
    spans = [float(ranges[i] * ranges[j]) for i, j in places]
    return query, lambda noisy: _covaried(noisy, places, spans, variables)


def _entries(variables: Variables) -> list[tuple[int, int]]:
    if not variables.matrix:
        return [(0, 1)]
    return [(i, j) for i in range(variables.width) for j in range(i, variables.width)]


def _covaried(
    noisy: np.ndarray, places: Sequence[tuple[int, int]], spans: list[float], variables: Variables
) -> tuple[np.ndarray, PostProcessing]:
    if not variables.matrix:
        return np.asarray(noisy[0] * spans[0]), Scaled(spans[0], ("multiplied by the ranges",))
    values, factors = np.empty((variables.width,) * 2), np.empty((variables.width,) * 2)
    for entry, span, (i, j) in zip(noisy, spans, places):
        values[i, j] = values[j, i] = span * (max(entry, 0.0) if i == j else entry)
        factors[i, j] = factors[j, i] = span
    steps = ("multiplied by the ranges", "variances cut at 0")
    return values, Scaled(tuple(factors.ravel(order="F").tolist()), steps)


STEPS: tuple[str, ...] = ("correlation from the noisy sums", "cut to [-1, 1]")
UNKNOWN = "set to 0, as a noisy variance or number of records is too small to divide by"


def _correlations(
    noisy: np.ndarray, variables: Variables, size: int | None
) -> tuple[np.ndarray, PostProcessing]:
    """Return correlations, cut, in their shape; 0 where the noisy sums give none."""
    values, slopes = np.eye(variables.width), np.zeros((variables.width,) * 2)
    unknown = 0
    for (i, j), block in zip(combinations(range(variables.width), 2), noisy):
        value, slope = _correlation(moments(block, SQUARE))
        unknown += math.isnan(value)
        values[i, j] = values[j, i] = 0.0 if math.isnan(value) else min(max(value, -1.0), 1.0)
        slopes[i, j] = slopes[j, i] = slope
    steps = STEPS
    if unknown:
        steps += (UNKNOWN if len(noisy) == 1 else f"{UNKNOWN}: {unknown} of {len(noisy)} pairs",)
    sums = tuple(tuple(block.tolist()) for block in noisy)
    if not variables.matrix:
        return values[0, 1].reshape(()), Correlated((float(slopes[0, 1]),), steps, sums, size)
    return values, Correlated(tuple(slopes.ravel(order="F").tolist()), steps, sums, size)


def corner_query(statistic: Statistic, variables: Variables, how: Options) -> tuple[Query, Publish]:
    """Ask for the four corners' weights of two variables."""
    grids = record_grid.grids_for(variables.pairs, how, 0)
    sums = record_grid.sums_of(variables.columns.arrays, grids, how.missing, ((0, 1),))
    query = weights_query("cov", _labels(statistic, variables), how, [corner_weights(sums)])
    span = math.prod(0.5 * upper - 0.5 * lower for lower, upper in variables.pairs)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        at = moments(noisy, CORNERS)
        value, slope = (0.0, math.nan) if at is None else _norm(spread(at, FIRST, SECOND, PRODUCT))
        return np.asarray(span * value), Derived((span * slope,), ("covariance from the noisy sums",))

    return query, publish


def _norm(found: tuple[float, np.ndarray]) -> tuple[float, float]:
    return found[0], norm(found[1])


def square_query(statistic: Statistic, variables: Variables, how: Options) -> tuple[Query, Publish]:
    """Ask for the nine weights of every pair of variables."""
    grids = [standard_grid(lower, upper) for lower, upper in variables.pairs]
    arrays, count = variables.columns.arrays, variables.width
    places = list(combinations(range(count), 2))
    if isinstance(arrays[0], Placeholder):
        blocks = [[Fraction(0)] * 9 for _ in places]
    else:
        blocks = square_weights(arrays, grids, how.missing)
    norm = SQUARE_NORM
    if how.bounded:
        # one vector taken away and one added, neither with negative elements
        norm *= Fraction(root_above(2)) if how.norm == 2 else 2
    query = weights_query(statistic.function, _labels(statistic, variables), how, blocks, norm)
    if how.bounded:
        query = replace(query, nobs=variables.columns.size)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        by_pair = noisy.reshape(len(places), -1)
        if statistic.function == "corr":
            return _correlations(by_pair, variables, query.nobs)
        at = [moments(block, SQUARE) for block in by_pair]
        return _covariances(dict(zip(places, at)), variables)

    return query, publish


def _correlation(at: Moments | None) -> tuple[float, float]:
    """Return the correlation and its slope; NaN where a noisy variance is not above 0."""
    if at is None:
        return math.nan, math.nan
    product, d_product = spread(at, FIRST, SECOND, PRODUCT)
    first, d_first = spread(at, FIRST, FIRST, SQUARE1)
    second, d_second = spread(at, SECOND, SECOND, SQUARE2)
    if not (first > 0.0 and second > 0.0):
        return math.nan, math.nan
    root = math.sqrt(first) * math.sqrt(second)
    value = product / root
    gradient = d_product / root - 0.5 * value * (d_first / first + d_second / second)
    return value, norm(gradient)


def _covariances(
    at: dict[tuple[int, int], Moments | None], variables: Variables
) -> tuple[np.ndarray, PostProcessing]:
    count = variables.width
    half = [0.5 * upper - 0.5 * lower for lower, upper in variables.pairs]
    values, squares = np.zeros((count, count)), np.zeros((count, count))
    for (i, j), each in at.items():
        if each is None:
            squares[i, j] = squares[i, i] = squares[j, j] = math.nan
            continue
        for a, b, found in (
            (i, j, spread(each, FIRST, SECOND, PRODUCT)),
            (i, i, spread(each, FIRST, FIRST, SQUARE1)),
            (j, j, spread(each, SECOND, SECOND, SQUARE2)),
        ):
            # a variance is the mean of those of its pairs
            share = half[a] * half[b] / (count - 1 if a == b else 1)
            values[a, b] += share * found[0]
            squares[a, b] += (share * _norm(found)[1]) ** 2
    diagonal = np.maximum(np.diag(values), 0.0)
    values, squares = _symmetric(values), _symmetric(squares)
    np.fill_diagonal(values, diagonal)
    steps = ("covariances from the noisy sums", "variances cut at 0")
    return values, Derived(tuple(np.sqrt(squares).ravel(order="F").tolist()), steps)


def _symmetric(upper: np.ndarray) -> np.ndarray:
    return np.triu(upper, 1) + np.triu(upper).T
