"""Variables of a covariance or correlation: reading, queries and post-processing."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import combinations
from operator import add
from typing import Any, NamedTuple

import numpy as np

from pydpstat._data.alignment import check_equal_indexes
from pydpstat._data.columns import (
    Bounds,
    Columns,
    Data,
    GivenBounds,
    VariableBounds,
    check_bounds,
    has_several_bounds,
    read_numbers,
    read_single_column,
    resolve_column_bounds,
)
from pydpstat._data.containers import get_series_name
from pydpstat._null_distributions import weight_moments
from pydpstat._null_distributions.correlations import CorrelationValue, make_symmetric_matrices
from pydpstat._records import partition, record_grid
from pydpstat._records.column_release import check_shared_bounds, sum_on_grid
from pydpstat._records.group_sums import split_sums_by_group, sum_columns_jointly, sum_weight_products
from pydpstat._records.records import Records, read_records
from pydpstat._release.options import Options, check_min_records
from pydpstat._release.pipeline import Query
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import norm
from pydpstat.results import _ranges as ranges
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import DerivedValue, PostProcessing, PostProcessor, ScaledValue

# indices of the means and of the product of a covariance, in the bases of weights
COVARIANCE_INDICES = (1, 2, 3)
# covariance of two variables, and the variance of each
SPREAD_INDICES = (COVARIANCE_INDICES, (1, 1, 4), (2, 2, 5))
CORRELATION_STEPS: tuple[str, ...] = ("correlation from the noisy sums", ranges.CLIPPED_STEP)
MISSING_STEP = "missing, because a noisy variance or number of records is too small to divide by"


class AssociationVariables(NamedTuple):
    """Two variables, or the columns of a frame."""

    records: Records
    bounds_by_column: Bounds
    call_bounds: Bounds | VariableBounds
    data: tuple[str, ...]

    @property
    def is_matrix(self) -> bool:
        """Whether a matrix is released."""
        return self.records.names is not None

    @property
    def width(self) -> int:
        """Number of variables."""
        return self.records.width

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the released value, by group if there are groups."""
        inner = (self.width, self.width) if self.is_matrix else ()
        number = self.records.n_groups
        return inner if number is None else (number, *inner)

    def get_parameter_range(self, size: int | None) -> ranges.ParameterRange:
        """Return the range of the covariances of `size` records; None if their number is private."""
        halves = list(map(record_grid.compute_half_width, self.bounds_by_column))
        if self.is_matrix:
            return ranges.make_covariance_matrix_range(halves, size)
        return ranges.make_covariance_range(halves[0], halves[1], size)


def read_variables(x: Data, y: object, bounds: GivenBounds, options: Options) -> tuple[AssociationVariables, Options]:
    """Read two variables, or the columns of a frame if `y` is None, with their bounds."""
    if y is None:
        records, options = read_records(x, options, _read_several_columns, "x")
        check_shared_bounds(bounds, records.names, "x")
        pairs, shown = resolve_column_bounds(bounds, records.names, records.width, records.name)
        return AssociationVariables(records, pairs, shown, ("x",)), options
    records, options = read_records(TwoVariables(x, y), options, read_two_columns, "x")
    if has_several_bounds(bounds) and len(bounds) == 2:
        pairs = check_bounds(bounds[0], "bounds[0]"), check_bounds(bounds[1], "bounds[1]")
    else:
        names = [name for name in map(get_series_name, (x, y)) if name]
        check_shared_bounds(bounds, names, "x", as_list=True)
        pairs = (check_bounds(bounds),) * 2
    return AssociationVariables(records, pairs, pairs, ("x", "y")), options


class TwoVariables(NamedTuple):
    """Two variables as given. Private."""

    x: object
    y: object


def _read_several_columns(data: object, argument: str) -> Columns:
    columns = read_numbers(data, argument)
    if columns.names is None or len(columns.names) < 2:
        raise PydpstatError(
            f"{argument} must have at least two columns if no y is given; got one variable. Give the second one as y."
        )
    return columns


def read_two_columns(variables: Any, argument: str) -> Columns:
    """Read two variables whose records are at the same positions."""
    check_equal_indexes(("x", variables.x), ("y", variables.y))
    x_column, y_column = read_single_column(variables.x, "x"), read_single_column(variables.y, "y")
    check_lengths(x_column.size, y_column.size, "x and y")
    name = None if None in (x_column.name, y_column.name) else f"{x_column.name}, {y_column.name}"
    return Columns(x_column.arrays + y_column.arrays, x_column.missing + y_column.missing, None, name, x_column.size)


def check_lengths(first: int, second: int, description: str) -> None:
    """Check that two variables have equal lengths."""
    if first != second:
        raise PydpstatError(
            f"{description} must have the same length, with a record at the same position of both; the "
            "lengths differ. Give two columns of one data frame."
        )


def _make_labels(function: str, variables: AssociationVariables) -> Labels:
    records = variables.records
    if records.names is None:
        return records.make_labels(function)
    return records.label_groups(Labels(function, dimnames=(records.names, records.names)))


def make_bounded_query(variables: AssociationVariables, options: Options) -> tuple[Query, PostProcessor]:
    """Make the query of covariances in units of their ranges, for bounded neighbors."""
    pairs = variables.bounds_by_column
    width = range(variables.width)
    index_pairs = [(i, j) for i in width for j in width[i:]] if variables.is_matrix else [(0, 1)]
    grids, (sums,), n = sum_on_grid(
        "covariance", variables.records, pairs, options, 2, index_pairs, sum_columns_jointly, "x"
    )
    spans = [record_grid.compute_width(pairs[i]) * record_grid.compute_width(pairs[j]) for i, j in index_pairs]
    exact, sensitivity = [], Fraction(0)
    for (i, j), product, span in zip(index_pairs, sums.products, spans):
        exact.append(
            record_grid.compute_exact_covariance(n, sums.first[i], sums.first[j], product, grids[i], grids[j]) / span
        )
        sensitivity = max(
            sensitivity, record_grid.compute_covariance_sensitivity(n, grids[i], grids[j], pairs[i], pairs[j]) / span
        )
    query = Query(
        "cov",
        np.array(exact, dtype=np.float64),
        (sensitivity * partition.compute_ones_norm(len(index_pairs), options),),
        _make_labels("cov", variables),
        nobs=n,
        exact=tuple(exact),
    )
    factors, within = list(map(float, spans)), variables.get_parameter_range(n)
    steps = ("multiplied by the ranges", ranges.CLIPPED_STEP)

    def publish_covariances(noisy_values: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        if not variables.is_matrix:
            return within.clip_values(noisy_values[0] * factors[0]), ScaledValue(factors[0], steps, within=within)
        values, scale = np.empty((variables.width,) * 2), np.empty((variables.width,) * 2)
        for entry, factor, (i, j) in zip(noisy_values, factors, index_pairs):
            values[i, j] = values[j, i] = factor * entry
            scale[i, j] = scale[j, i] = factor
        return within.clip_values(values), ScaledValue(
            partition.convert_to_fortran_order(scale, scale.shape), steps, within=within
        )

    return query, publish_covariances


def make_corner_query(variables: AssociationVariables, options: Options) -> tuple[Query, PostProcessor]:
    """Make the query of the four corner weights of two variables, by group if there are groups."""
    product = ((0, 1),)
    _, sums_by_group, _ = sum_on_grid(
        "covariance",
        variables.records,
        variables.bounds_by_column,
        options,
        2,
        product,
        sum_columns_jointly,
        "x",
    )
    blocks = [
        partition.compute_weight_sums(sums, partition.CORNER_WEIGHTS) for (sums,) in split_sums_by_group(sums_by_group)
    ]
    query = partition.make_weights_query("cov", _make_labels("cov", variables), options, blocks, 1)
    span = math.prod(map(record_grid.compute_half_width, variables.bounds_by_column))

    def publish_covariance(noisy_sums: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        at = weight_moments.compute_moments(noisy_sums.reshape(-1, 4), weight_moments.CORNER_BASIS)
        values, gradients = weight_moments.compute_covariance(at, *COVARIANCE_INDICES)
        steps, within = (
            ("covariance from the noisy sums", ranges.CLIPPED_STEP),
            variables.get_parameter_range(None),
        )
        slopes = tuple((span * weight_moments.compute_row_norms(gradients)).tolist())
        return within.clip_values(span * values.reshape(variables.shape)), DerivedValue(slopes, steps, within=within)

    return query, publish_covariance


def make_square_query(function: str, variables: AssociationVariables, options: Options) -> tuple[Query, PostProcessor]:
    """Make the query of the nine weights of every pair of variables, by group if there are groups."""
    grids = [record_grid.make_standard_grid(*pair) for pair in variables.bounds_by_column]
    records = variables.records
    pairs = list(combinations(range(variables.width), 2))
    tally = partial(sum_weight_products, grids=grids, missing=options.missing, groups=records.n_groups)
    group_sums, size = records.sum_with_size(
        lambda: records.fold(tally, add),
        lambda found: int(found.counts[0]),
        partial(check_min_records, options, min_records=2, statistic="correlation", argument="x"),
    )
    blocks = partition.compute_product_weight_sums(group_sums)
    # replacing a record removes one vector and adds another, both without negative elements
    sensitivity = partition.PRODUCT_WEIGHTS_NORM * (
        partition.compute_separate_vectors_norm(2, options) if options.has_public_size else 1
    )
    query = partition.make_weights_query(
        function, _make_labels(function, variables), options, blocks, len(pairs), sensitivity, size
    )

    def publish_matrix(noisy_sums: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        groups = noisy_sums.reshape(-1, len(pairs), 9)
        if function == "corr":
            return _compute_correlations(groups, variables, size)
        values, squares = zip(*[_compute_covariances(blocks, pairs, variables) for blocks in groups])
        slopes = np.sqrt(np.array(squares))
        steps, within = (
            ("covariances from the noisy sums", ranges.CLIPPED_STEP),
            variables.get_parameter_range(None),
        )
        post = DerivedValue(partition.convert_to_fortran_order(slopes, variables.shape), steps, within=within)
        return within.clip_values(np.array(values).reshape(variables.shape)), post

    return query, publish_matrix


def _compute_correlations(
    noisy_sums: np.ndarray, variables: AssociationVariables, size: int | None
) -> tuple[np.ndarray, PostProcessing]:
    """Return correlations, clipped, in the shape of the variables; NaN if the noisy sums determine none."""
    estimates = list(
        map(
            _compute_correlation,
            weight_moments.compute_moments(noisy_sums.reshape(-1, 9), weight_moments.PRODUCT_BASIS).split_rows(),
        )
    )
    unknown = sum(math.isnan(value) for value, _ in estimates)
    values = ranges.CORRELATION.clip_values([value for value, _ in estimates])
    slopes = np.array([slope for _, slope in estimates])
    steps = CORRELATION_STEPS
    if unknown:
        steps += (MISSING_STEP if len(estimates) == 1 else f"{MISSING_STEP}: {unknown} of {len(estimates)} pairs",)
    shape = variables.shape
    if variables.is_matrix:
        values, slopes = (
            make_symmetric_matrices(each, variables.width, on) for each, on in ((values, 1.0), (slopes, 0.0))
        )
    sums = tuple(tuple(block.tolist()) for each in noisy_sums for block in each)
    width = variables.width if variables.is_matrix else None
    post = CorrelationValue(
        partition.convert_to_fortran_order(slopes, shape), steps, sums, size, width, within=ranges.CORRELATION
    )
    return values.reshape(shape), post


def _compute_correlation(moments: weight_moments.NoisyMoments) -> tuple[float, float]:
    """Return the correlation and its slope; NaN if a noisy variance is not positive."""
    spreads = (weight_moments.compute_covariance(moments, *indices) for indices in SPREAD_INDICES)
    (product, d_product), (first, d_first), (second, d_second) = spreads
    if not (first > 0.0 and second > 0.0):
        return math.nan, math.nan
    root = math.sqrt(first) * math.sqrt(second)
    value = float(product / root)
    gradient = d_product / root - 0.5 * value * (d_first / first + d_second / second)
    return value, norm(gradient)


def _compute_covariances(
    noisy_sums: np.ndarray, pairs: list[tuple[int, int]], variables: AssociationVariables
) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix of covariances, and the squares of their slopes."""
    count, half = variables.width, list(map(record_grid.compute_half_width, variables.bounds_by_column))
    values, squares = np.zeros((count, count)), np.zeros((count, count))
    for (i, j), at in zip(pairs, weight_moments.compute_moments(noisy_sums, weight_moments.PRODUCT_BASIS).split_rows()):
        for (a, b), indices in zip(((i, j), (i, i), (j, j)), SPREAD_INDICES):
            value, gradient = weight_moments.compute_covariance(at, *indices)
            # the variance of a variable is the average over its pairs
            share = half[a] * half[b] / (count - 1 if a == b else 1)
            values[a, b] += share * value
            squares[a, b] += (share * norm(gradient)) ** 2
            values[b, a], squares[b, a] = values[a, b], squares[a, b]
    return values, squares
