"""Means, variances, standard deviations and quantiles with confidence intervals for the population."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Data, GivenBounds, check_bounds, check_fill_value, read_single_column
from pydpstat._data.progress import Progress
from pydpstat._data.values import should_fill
from pydpstat._frozen import ReadOnlyArrays
from pydpstat._null_distributions.means.exact_moments import VarianceInterval
from pydpstat._null_distributions.means.mean_differences import PVALUE_FLOOR
from pydpstat._null_distributions.means.noisy_t import NoisyTInterval
from pydpstat._null_distributions.proportions.shares import RANDOM_SAMPLE, UNINFORMATIVE_REMARK
from pydpstat._null_distributions.quantiles.sample_quantiles import (
    MAX_BINS,
    MAX_CELLS,
    MIN_BINS,
    QuantileIntervals,
    choose_bin_number,
    compute_quantile_slope,
)
from pydpstat._records import partition, record_grid
from pydpstat._records.candidates import GRID_POINTS
from pydpstat._records.cells import count_bins, count_group_bins, make_cells_query, separate_bounds
from pydpstat._records.column_release import compute_exact_sums, read_bounded_columns, warn_empty_released_groups
from pydpstat._records.group_sums import split_sums_by_group
from pydpstat._records.groups import warn_empty_groups
from pydpstat._records.moment_release import choose_weights, estimate_private_size_moments, estimate_public_size_moments
from pydpstat._records.records import RecordChunk, Records, read_records
from pydpstat._release.options import Missing, Options, check_min_records
from pydpstat._release.pipeline import Query
from pydpstat._release.statistic import release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._intervals import Interval
from pydpstat.results._labels import Labels
from pydpstat.results._population import Difference
from pydpstat.results._postprocessing import DerivedValue, PostProcessing, ScaledValue, ValueWithIntervals
from pydpstat.results.results import DPResults

Released = TypeVar("Released", bound=DPResults)
STATISTIC_NAMES = {"mean": "mean", "var": "variance", "std": "variance"}
POPULATION_ARGUMENT = ("population", True)


@dataclass(frozen=True)
class ValueIntervals:
    """Confidence intervals, one for each published value."""

    parts: tuple[Interval, ...]
    shape: tuple[int, ...]
    validity: str
    assumptions: tuple[str, ...] = (RANDOM_SAMPLE,)

    def compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the lower and the upper limits, each in the shape of the values."""
        with Progress(lambda: len(self.parts), "intervals") as progress:
            limits = [progress.count_one(interval.compute_limits(alpha)) for interval in self.parts]
        low, high = np.array(limits).reshape(-1, 2).T
        return low.reshape(self.shape), high.reshape(self.shape)


@dataclass(frozen=True)
class MeanIntervals(ValueIntervals):
    """Confidence intervals of means, and tests of differences between them."""

    def compare_groups(self, first: int, second: int) -> Difference:
        """Compare the means of two groups, given by their positions among the values."""
        from pydpstat._null_distributions.means.group_comparisons import compare_two_means

        interval1, interval2 = self.parts[first], self.parts[second]
        assert isinstance(interval1, NoisyTInterval) and isinstance(interval2, NoisyTInterval)
        statistic, p, interval, tell = compare_two_means(
            (interval1.noisy_sums, interval2.noisy_sums), interval1.half_width
        )
        means = [estimate_group_mean(group_interval) for group_interval in (interval1, interval2)]
        remarks = () if tell else (UNINFORMATIVE_REMARK,)
        name = "Welch's t test of two groups"
        floor, estimate = PVALUE_FLOOR if tell else 0.0, means[0] - means[1]
        return Difference(name, statistic, p, estimate, interval, "measured", remarks, floor)

    def test_equality(self, places: Sequence[int]) -> tuple[Difference, tuple[int, ...]]:
        """Test whether the means of several groups are equal; also return the indices of the groups compared."""
        from pydpstat._null_distributions.means.group_comparisons import compare_means
        from pydpstat._null_distributions.means.group_means import get_equal_means_floor

        intervals = [self.parts[index] for index in places]
        statistic, p, compared = compare_means(
            [interval.noisy_sums for interval in intervals if isinstance(interval, NoisyTInterval)]
        )
        floor = get_equal_means_floor(len(compared))
        statistic /= max(len(compared) - 1, 1)
        test = "Welch's one-way analysis of variance"
        return Difference(test, statistic, p, math.nan, None, "measured", (), floor), compared


def estimate_group_mean(interval: NoisyTInterval) -> float:
    """Estimate the mean from noisy sums, in the data's unit; the midpoint if the noisy size is at most 1."""
    size, total, _ = interval.noisy_sums.sums
    return interval.middle + (interval.half_width * min(max(total / size, -1.0), 1.0) if size > 1.0 else 0.0)


def release_column_moments(function: str, data: Data, bounds: GivenBounds, options: Options) -> DPResults:
    """Release the mean, variance or standard deviation of each column together with its noisy sums."""
    records, options, pairs, shown = read_bounded_columns(data, bounds, options.use_independent_records())
    check_separate_noise(options, records)
    query = make_column_sums_query(function, records, pairs, options)
    release = release_statistic(
        function,
        query,
        options,
        public_arguments=(("bounds", shown), POPULATION_ARGUMENT, *records.arguments),
        bounds=shown,
        conditions=records.conditions,
    )
    result = make_population_result(function, release, records, pairs, options)
    warn_empty_released_groups(result, records)
    return result


def check_separate_noise(options: Options, records: Records) -> None:
    """Raise an error for joint noise in several columns: intervals here need independent noise in each column."""
    if options.norm == math.inf and records.width > 1:
        raise PydpstatError(
            "mechanism must be 'laplace' or 'gaussian' for confidence intervals of several columns; "
            f"got {options.mechanism.name!r}, whose noise is joint for all columns. Leave it out."
        )


def make_column_sums_query(function: str, records: Records, pairs: Bounds, options: Options) -> Query:
    """Make the query of the weighted sums of each column, by group if there are groups."""
    grids = [record_grid.make_standard_grid(*pair) for pair in pairs]
    min_records = 1 if function == "mean" else 2
    exact_sums, size = records.sum_with_size(
        lambda: compute_exact_sums(records, grids, options, ((0, 0),)),
        lambda found: found[0].count,
        partial(
            check_min_records, options, min_records=min_records, statistic=STATISTIC_NAMES[function], argument="data"
        ),
    )
    labels = records.make_labels(function)
    if not options.has_public_size:
        blocks = [
            partition.compute_weight_sums(sums, partition.PARABOLA_WEIGHTS)
            for row in split_sums_by_group(exact_sums)
            for sums in row
        ]
        return partition.make_weights_query(function, labels, options, blocks, len(pairs))
    by, unit = choose_weights(1, options.norm, True), Fraction(1, 1 << record_grid.GRID_BITS)
    blocks = [[by.first * unit * sums.first[0], by.square * unit * sums.products[0]] for sums in exact_sums]
    return partition.make_weights_query(function, labels, options, blocks, len(pairs), by.sensitivity, size)


def make_population_result(
    function: str, release: Released, records: Records, pairs: Bounds, options: Options
) -> Released:
    """Compute the statistic and its confidence intervals from the noisy sums."""
    shape, size = records.shape, release.nobs if options.has_public_size else None
    noise_family = "normal" if options.mechanism.approximate else "laplace"
    scale = float(np.asarray(release.noise_scale))
    by = choose_weights(1, options.norm, True) if size is not None else None
    rows = release.value.reshape(-1, 2 if size is not None else 3)
    values: list[float] = []
    slopes: list[float] = []
    intervals: list[Interval] = []
    for index, row in enumerate(rows):
        pair = pairs[index % len(pairs)]
        half, middle = record_grid.compute_half_width(pair), 0.5 * pair[0] + 0.5 * pair[1]
        if size is not None and by is not None:
            moments = estimate_public_size_moments(row, by, scale, noise_family, size)
        else:
            moments = estimate_private_size_moments(row, scale, noise_family)
        if function == "mean":
            mean = middle + half * moments.mean
            values.append(mean)
            slopes.append(half * moments.mean_slope)
            intervals.append(NoisyTInterval(moments.sums, middle, half))
            continue
        variance = float(ranges.make_variance_range([half], size).clip_values(half * half * moments.variance))
        slope, root = half * half * moments.variance_slope, function == "std"
        values.append(math.sqrt(variance) if root else variance)
        if root:
            slope = slope / (2.0 * values[-1]) if variance > 0.0 else math.nan
        slopes.append(slope)
        intervals.append(VarianceInterval(moments.sums, half, root))
    population: ValueIntervals = ValueIntervals(tuple(intervals), shape, "exact")
    if function == "mean":
        population = MeanIntervals(tuple(intervals), shape, "measured")
    factors = partition.convert_to_fortran_order(slopes, shape)
    halves = list(map(record_grid.compute_half_width, pairs))
    within = (
        ranges.make_mean_range(pairs)
        if function == "mean"
        else ranges.make_variance_range(halves, size, function == "std")
    )
    post: DerivedValue | ScaledValue
    if function == "mean" and size is not None:
        steps: tuple[str, ...] = ("mean of the noisy sum", ranges.CLIPPED_STEP)
        post = ScaledValue(factors, steps, population=population, within=within)
        # in the unit of the statistic
        is_single = not shape
        release = replace(
            release,
            noise_scale=scale * factors[0] if is_single else scale * np.array(factors),
            sensitivity=_scale_sensitivity(release.sensitivity, factors),
        )
    else:
        statistic_name = "mean" if function == "mean" else "variance"
        steps = (f"{statistic_name} of the noisy sums", ranges.CLIPPED_STEP, *(("square root",) * (function == "std")))
        sizes = None
        if size is None:
            sizes = partition.convert_to_fortran_order(rows.sum(axis=1), shape)
        post = DerivedValue(factors, steps, population=population, sizes=sizes, within=within)
    value = within.clip_values(np.array(values).reshape(shape))
    return replace(release, value=value, post=post, grid=None)


def _scale_sensitivity(sensitivity: float | tuple[float, ...], factors: tuple[float, ...]) -> float | tuple[float, ...]:
    unit_sensitivity = float(np.ravel(sensitivity)[0])
    return (
        unit_sensitivity * factors[0] if len(factors) == 1 else tuple(unit_sensitivity * factor for factor in factors)
    )


QUANTILE_STEP = "a bound, or between the edges of {} noisy cells {:.3g} wide, of which grid_points= may choose more"
# number of cells if the number of records is private, so that it cannot determine them
DEFAULT_CELL_COUNT = 128


@dataclass(frozen=True, eq=False)
class CellQuantiles(ReadOnlyArrays):
    """Quantiles computed from noisy counts of records in cells."""

    cells: Floats
    edges: Floats
    size: int | None
    rate: float

    @property
    def total(self) -> float:
        """Number of records if public, else the noisy total, at least 1."""
        return max(float(self.cells.sum()), 1.0) if self.size is None else float(self.size)

    def _compute_cumulative_counts(self) -> Floats:
        """Return the estimated number of records below each edge, in ascending order.

        If the size is public, averaging the count from below and the size less the count from above gives a quarter
        of the noise variance of all cells.
        """
        inner = 0.5 * (self.cells[:-1].cumsum() + self.total - self.cells[:0:-1].cumsum()[::-1])
        inner = np.maximum.accumulate(inner.clip(0.0, self.total)) if inner.size else inner
        return np.concatenate([[0.0], inner, [self.total]])

    def compute_quantile(self, share: float) -> float:
        """Return the point below which an estimated fraction `share` of the records lies."""
        below, wanted = self._compute_cumulative_counts(), share * self.total
        index = int(np.searchsorted(below, wanted, side="right")) - 1
        cell = min(max(index, 0), self.cells.size - 1)
        gap = float(below[cell + 1] - below[cell])
        fraction = (wanted - float(below[cell])) / gap if gap > 0.0 else 0.5
        fraction = min(max(fraction, 0.0), 1.0)
        return float((1.0 - fraction) * self.edges[cell] + fraction * self.edges[cell + 1])

    def compute_noise_slope(self, share: float) -> float:
        """Return the change of the quantile by noise of standard deviation 1 in each cell.

        NaN if the noise of the counts below the quantile exceeds a tenth of the number of records.
        """
        deviation = math.sqrt(2.0) / self.rate
        step = 0.5 * math.sqrt(self.cells.size) * deviation / self.total
        if step > 0.1:
            return math.nan
        return compute_quantile_slope(self.compute_quantile, share, deviation, step)


def release_population_quantiles(
    function: str,
    x: Data,
    bounds: GivenBounds,
    shares: Sequence[float],
    names: tuple[str, ...] | None,
    public_arguments: tuple[tuple[str, object], ...],
    grid_points: int | None,
    options: Options,
) -> DPResults:
    """Release the noisy histogram from which quantiles are computed; `names` labels several quantiles."""
    if options.scope.sample is not None:
        raise PydpstatError("sample must be left out with population=True. Leave out one of them.")
    pair = check_bounds(bounds)
    check_fill_value(options.missing, [pair])
    records, options = read_records(x, options.use_independent_records(), read_single_column, "x")
    number = _get_cell_count(grid_points, options.has_public_size)
    finest = make_cell_edges(pair, MAX_BINS if number is None else number)
    tally = partial(_count_cells, edges=finest, pair=pair, missing=options.missing, groups=records.n_groups)
    counts, size = records.sum_with_size(
        lambda: records.fold(tally, np.add),
        lambda found: int(found.sum()),
        partial(check_min_records, options, min_records=1, statistic=function, argument="x"),
    )
    edges = finest
    if number is None:
        # the number of records is known now: merge the finest cells into coarser ones
        edges = make_cell_edges(pair, choose_bin_number(size or 0, options.epsilon))
        starts = [0, *(1 + np.searchsorted(finest, edges[:-1])), finest.size]
        counts = np.add.reduceat(counts, starts, axis=-1)
    step = QUANTILE_STEP.format(edges.size - 1, edges[1] - edges[0])
    # the records at the bounds are cells of no width
    edges = np.concatenate([edges[:1], edges, edges[-1:]])
    name = records.name if records.names is None else records.names[0]
    labels = records.label_groups(Labels((name or function) if names is None else (name or "quantile"), names=names))
    query = make_cells_query(function, counts, labels, size or 0, options)
    rate = options.epsilon / float(query.sensitivities[0])
    shape = (*counts.shape[:-1], *(() if names is None else (len(shares),)))

    def compute_quantiles(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        rows, public = noisy.reshape(-1, edges.size - 1), size if options.has_public_size else None
        # upper bound for the standard deviation of the geometric noise in a cell
        warn_empty_groups(records.groups, rows.sum(axis=1), math.sqrt(2.0 * rows.shape[1]) / rate)
        group_quantiles = [CellQuantiles(row, edges, public, rate) for row in rows]
        slopes = partition.convert_to_fortran_order(
            [cell_quantiles.compute_noise_slope(share) for cell_quantiles in group_quantiles for share in shares], shape
        )
        value = np.array(
            [cell_quantiles.compute_quantile(share) for cell_quantiles in group_quantiles for share in shares]
        ).reshape(shape)
        intervals = QuantileIntervals(noisy, edges, public, rate, tuple(shares), shape)
        return value, ValueWithIntervals(slopes, (step,), intervals, population=intervals)

    grid_arguments = () if number in (None, DEFAULT_CELL_COUNT) else (("grid_points", number + 1),)
    return release_statistic(
        function,
        query,
        options,
        data_names=("x",),
        public_arguments=(
            *public_arguments,
            ("bounds", pair),
            ("population", True),
            *grid_arguments,
            *records.arguments,
        ),
        bounds=pair,
        postprocess=compute_quantiles,
        conditions=records.conditions,
    )


def _get_cell_count(grid_points: object, bounded: bool) -> int | None:
    """Return the number of cells, one less than edges; None if it is computed from n and epsilon."""
    if grid_points is None or checks.is_number(grid_points) and grid_points == GRID_POINTS:
        return None if bounded else DEFAULT_CELL_COUNT
    allowed = f"a whole number from {MIN_BINS + 1} to {MAX_CELLS + 1} with population=True"
    hint = "It is the number of edges of the cells in which records are counted, for example 129."
    return checks.check_integer(grid_points, "grid_points", MIN_BINS + 1, MAX_CELLS + 1, allowed=allowed, hint=hint) - 1


def make_cell_edges(bounds: tuple[float, float], n_cells: int) -> Floats:
    """Return the edges of `n_cells` cells of equal width, fewer if floats cannot resolve them.

    If both numbers of cells are powers of 2, the edges of the coarser cells are edges of the finer ones too.
    """
    fractions = np.arange(n_cells + 1) / n_cells
    return np.unique((1.0 - fractions) * bounds[0] + fractions * bounds[1])


def _count_cells(
    part: RecordChunk, edges: Floats, pair: tuple[float, float], missing: Missing, groups: int | None
) -> npt.NDArray[np.int64]:
    """Count the records in each cell, by group if there are groups; treat missing values as `missing` specifies.

    The records at the bounds, or outside of them, are cells of their own, the first and the last one. Each record is in
    one cell.
    """
    values, group_codes = part.columns.arrays[0], part.group_codes
    bin_counts: Any = count_bins(values, edges)
    if groups is not None and group_codes is not None:
        bin_counts = count_group_bins(values, group_codes, groups, edges)
    else:
        groups, group_codes = None, None
    counts, n_missing = bin_counts
    counts = separate_bounds(counts, values, pair, group_codes, groups)
    if should_fill(int(np.sum(n_missing)), missing):
        filled = np.array([missing], dtype=np.float64)
        one = separate_bounds(count_bins(filled, edges)[0], filled, pair, None, None)
        counts = counts + np.multiply.outer(n_missing, one)
    return counts
