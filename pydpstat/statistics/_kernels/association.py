"""The variables of a covariance or correlation: what is asked of them, and what follows from it."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import combinations
from operator import add
from typing import Any, NamedTuple

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
from pydpstat._release.options import Options, check_records
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import norm
from pydpstat.results import _ranges as ranges
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import Derived, PostProcessing, Publish, Scaled
from pydpstat.statistics._kernels import partition, record_grid
from pydpstat.statistics._kernels.association_interval import Correlated, symmetric
from pydpstat.statistics._kernels.column_release import check_no_ids, summed
from pydpstat.statistics._kernels.group_sums import by_group, joint_sums, square_sums
from pydpstat.statistics._kernels.records import Records, records_of
from pydpstat.statistics.spread import spread_of, spread_sensitivity

# places of the means and of the product that a covariance takes, in the bases of weights
COVARIANCE = (1, 2, 3)
# that of two variables, and the variance of each
SPREADS = (COVARIANCE, (1, 1, 4), (2, 2, 5))
STEPS: tuple[str, ...] = ("correlation from the noisy sums", ranges.CLIPPED)
UNKNOWN = "missing, because a noisy variance or number of records is too small to divide by"


class Variables(NamedTuple):
    """Two variables, or the columns of a frame."""

    records: Records
    pairs: Bounds
    bounds: Bounds | Pair
    data: tuple[str, ...]

    @property
    def matrix(self) -> bool:
        """Whether a matrix is asked for."""
        return self.records.names is not None

    @property
    def width(self) -> int:
        """Number of variables."""
        return self.records.width

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is released for each group."""
        inner = (self.width, self.width) if self.matrix else ()
        number = self.records.group_number
        return inner if number is None else (number, *inner)

    def within(self, size: int | None) -> ranges.ParameterRange:
        """Return the range of the covariances of so many records, None where their number is private."""
        halves = list(map(record_grid.half_width, self.pairs))
        if self.matrix:
            return ranges.covariances(halves, size)
        return ranges.covariance(halves[0], halves[1], size)


def read_variables(x: Data, y: object, bounds: GivenBounds, how: Options) -> tuple[Variables, Options]:
    """Read two variables, or a frame where there is no second one, with their bounds."""
    if y is None:
        records, how = records_of(x, how, _several, "x")
        check_no_ids(bounds, records.names, "x")
        pairs, shown = column_bounds(bounds, records.names, records.width, records.name)
        return Variables(records, pairs, shown, ("x",)), how
    records, how = records_of(Both(x, y), how, both_columns, "x")
    if several_bounds(bounds) and len(bounds) == 2:
        pairs = bounds_pair(bounds[0], "bounds[0]"), bounds_pair(bounds[1], "bounds[1]")
    else:
        pairs = (bounds_pair(bounds),) * 2
    return Variables(records, pairs, pairs, ("x", "y")), how


class Both(NamedTuple):
    """Two variables as they were given. Private."""

    x: object
    y: object


def _several(data: object, argument: str) -> Columns:
    columns = numbers_of(data, argument)
    if columns.names is None or len(columns.names) < 2:
        raise PydpstatError(
            f"{argument} must have at least two columns if no y is given; got one variable. Give the "
            "second one as y."
        )
    return columns


def both_columns(pair: Any, argument: str) -> Columns:
    """Read two variables, a record in the same place of both."""
    first, second = one_column(pair.x, "x"), one_column(pair.y, "y")
    check_lengths(first.size, second.size, "x and y")
    name = None if None in (first.name, second.name) else f"{first.name}, {second.name}"
    return Columns(first.arrays + second.arrays, first.missing + second.missing, None, name, first.size)


def check_lengths(first: int, second: int, called: str) -> None:
    """Check that two variables have a record in the same place of both."""
    if first != second:
        raise PydpstatError(
            f"{called} must have the same length, with a record at the same position of both; the "
            "lengths differ. Give two columns of one data frame."
        )


def _labels(function: str, variables: Variables) -> Labels:
    records = variables.records
    if records.names is None:
        return records.labels(function)
    return records.named(Labels(function, dimnames=(records.names, records.names)))


def bounded_query(variables: Variables, how: Options) -> tuple[Query, Publish]:
    """Ask for covariances in units of their ranges."""
    pairs = variables.pairs
    width = range(variables.width)
    places = [(i, j) for i in width for j in width[i:]] if variables.matrix else [(0, 1)]
    grids, (sums,), n = summed("covariance", variables.records, pairs, how, 2, places, joint_sums, "x")
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
    factors, within = list(map(float, spans)), variables.within(n)
    steps = ("multiplied by the ranges", ranges.CLIPPED)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        if not variables.matrix:
            return within.clip(noisy[0] * factors[0]), Scaled(factors[0], steps, within=within)
        values, scale = np.empty((variables.width,) * 2), np.empty((variables.width,) * 2)
        for entry, factor, (i, j) in zip(noisy, factors, places):
            values[i, j] = values[j, i] = factor * entry
            scale[i, j] = scale[j, i] = factor
        return within.clip(values), Scaled(partition.in_columns(scale, scale.shape), steps, within=within)

    return query, publish


def corner_query(variables: Variables, how: Options) -> tuple[Query, Publish]:
    """Ask for the four corners' weights of two variables, by group where there are some."""
    product = ((0, 1),)
    _, found, _ = summed("covariance", variables.records, variables.pairs, how, 2, product, joint_sums, "x")
    blocks = [partition.weight_sums(sums, partition.CORNER_WEIGHTS) for (sums,) in by_group(found)]
    query = partition.weights_query("cov", _labels("cov", variables), how, blocks, 1)
    span = math.prod(map(record_grid.half_width, variables.pairs))

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        at = partition.moments(noisy.reshape(-1, 4), partition.CORNERS)
        values, gradients = partition.spread(at, *COVARIANCE)
        steps, within = ("covariance from the noisy sums", ranges.CLIPPED), variables.within(None)
        slopes = tuple((span * partition.lengths(gradients)).tolist())
        return within.clip(span * values.reshape(variables.shape)), Derived(slopes, steps, within=within)

    return query, publish


def square_query(function: str, variables: Variables, how: Options) -> tuple[Query, Publish]:
    """Ask for the nine weights of every pair of variables, by group where there are some."""
    grids = [record_grid.standard_grid(*pair) for pair in variables.pairs]
    records = variables.records
    pairs = list(combinations(range(variables.width), 2))
    tally = partial(square_sums, grids=grids, missing=how.missing, groups=records.group_number)
    found, size = records.numbered(
        lambda: records.fold(tally, add),
        lambda found: int(found.counts[0]),
        partial(check_records, how, least=2, statistic="correlation", argument="x"),
    )
    blocks = partition.square_weights(found)
    # of a replaced record one vector is taken away and one added, neither with negative elements
    reach = partition.SQUARE_NORM * (partition.norm_apart(2, how) if how.bounded else 1)
    query = partition.weights_query(
        function, _labels(function, variables), how, blocks, len(pairs), reach, size
    )

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        groups = noisy.reshape(-1, len(pairs), 9)
        if function == "corr":
            return _correlations(groups, variables, size)
        values, squares = zip(*[_covariances(blocks, pairs, variables) for blocks in groups])
        slopes = np.sqrt(np.array(squares))
        steps, within = ("covariances from the noisy sums", ranges.CLIPPED), variables.within(None)
        post = Derived(partition.in_columns(slopes, variables.shape), steps, within=within)
        return within.clip(np.array(values).reshape(variables.shape)), post

    return query, publish


def _correlations(
    noisy: np.ndarray, variables: Variables, size: int | None
) -> tuple[np.ndarray, PostProcessing]:
    """Return correlations, clipped, in their shape; NaN where the noisy sums give none."""
    found = list(map(_correlation, partition.moments(noisy.reshape(-1, 9), partition.SQUARE).each()))
    unknown = sum(math.isnan(value) for value, _ in found)
    values = ranges.CORRELATION.clip([value for value, _ in found])
    slopes = np.array([slope for _, slope in found])
    steps = STEPS
    if unknown:
        steps += (UNKNOWN if len(found) == 1 else f"{UNKNOWN}: {unknown} of {len(found)} pairs",)
    shape = variables.shape
    if variables.matrix:
        values, slopes = (symmetric(each, variables.width, on) for each, on in ((values, 1.0), (slopes, 0.0)))
    sums = tuple(tuple(block.tolist()) for each in noisy for block in each)
    width = variables.width if variables.matrix else None
    post = Correlated(
        partition.in_columns(slopes, shape), steps, sums, size, width, within=ranges.CORRELATION
    )
    return values.reshape(shape), post


def _correlation(at: partition.Moments) -> tuple[float, float]:
    """Return the correlation and its slope; NaN where a noisy variance is not above 0."""
    spreads = (partition.spread(at, *each) for each in SPREADS)
    (product, d_product), (first, d_first), (second, d_second) = spreads
    if not (first > 0.0 and second > 0.0):
        return math.nan, math.nan
    root = math.sqrt(first) * math.sqrt(second)
    value = float(product / root)
    gradient = d_product / root - 0.5 * value * (d_first / first + d_second / second)
    return value, norm(gradient)


def _covariances(
    noisy: np.ndarray, pairs: list[tuple[int, int]], variables: Variables
) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix of covariances, and the squares of their slopes."""
    count, half = variables.width, list(map(record_grid.half_width, variables.pairs))
    values, squares = np.zeros((count, count)), np.zeros((count, count))
    for (i, j), at in zip(pairs, partition.moments(noisy, partition.SQUARE).each()):
        for (a, b), each in zip(((i, j), (i, i), (j, j)), SPREADS):
            value, gradient = partition.spread(at, *each)
            # a variance is the mean of those of its pairs
            share = half[a] * half[b] / (count - 1 if a == b else 1)
            values[a, b] += share * value
            squares[a, b] += (share * norm(gradient)) ** 2
            values[b, a], squares[b, a] = values[a, b], squares[a, b]
    return values, squares
