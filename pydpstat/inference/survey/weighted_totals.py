"""Population quantiles and totals from records with survey weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, GivenBounds, VariableBounds, check_bounds
from pydpstat._null_distributions.means.noisy_t import NoisyTInterval
from pydpstat._null_distributions.survey.weighted_means import (
    STRATA_ASSUMPTIONS,
    WEIGHTED_ASSUMPTIONS,
    NoisySize,
    PrivateSizeTotal,
    StratifiedTotal,
    TotalInterval,
)
from pydpstat._null_distributions.survey.weighted_quantiles import WeightedCells, WeightedQuantileInterval
from pydpstat._records import partition, record_grid
from pydpstat._records.group_sums import merge_sums, split_sums_by_group, sum_columns_jointly
from pydpstat._records.groups import Keys, warn_empty_groups
from pydpstat._records.moment_release import collect_sum_names, make_private_size_sums, release_sums, sum_moments
from pydpstat._records.population import ValueIntervals
from pydpstat._release.declared_facts import is_subset_release
from pydpstat._release.options import Missing
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import guard_release, release_statistic
from pydpstat.inference.survey._weighted_sums import (
    LINEAR_SHARE,
    WeightedRecords,
    compute_cell_sums,
    compute_noise_scales,
    get_sum_sensitivity,
    make_weighted_options,
    make_weighted_query,
    read_weighted_records,
    unscale_weighted_sums,
    warn_empty_weighted_groups,
)
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._intervals import Interval
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import DerivedValue, PostProcessing, ScaledValue, ValueWithIntervals
from pydpstat.results.results import DPResults

_MIN_BINS, _MAX_BINS = 8, 256


@dataclass(frozen=True)
class WeightedQuantiles(ValueIntervals):
    """Intervals for the quantiles of groups, for the population and for the records."""

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for the records' own quantiles."""
        intervals = [part for part in self.parts if isinstance(part, WeightedQuantileInterval)]
        low, high = np.array([part.compute_noise_limits(alpha) for part in intervals]).T
        return low.reshape(self.shape), high.reshape(self.shape)


@guard_release
def weighted_quantile(
    data: Data,
    weights: Data | str,
    q: float,
    epsilon: float,
    *,
    bounds: GivenBounds,
    max_weight: float,
    neighbors: str | None = None,
    missing: Missing = "error",
    bins: int = 64,
    by: Keys | None = None,
    levels: object = None,
    other: str | None = "other",
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> DPResults:
    """Release a quantile of records with survey weights.

    Parameters
    ----------
    data, weights, epsilon, bounds, max_weight, neighbors, missing, by, levels, other, unit, rng, budget
        As in `weighted_mean`.
    q : float
        Share of the weight below the quantile; between 0 and 1.
    bins : int, default 64
        In how many cells of equal width the weight is counted, from 8 to 256. Few cells are coarse, many have
        much noise together. It must not depend on the data.

    Returns
    -------
    DPResults
        Its estimate is a float, by group a Series, between two edges in proportion. Its intervals end at
        edges; ``conf_int(kind="population")`` is design-based.

    Raises
    ------
    PydpstatError
        As in `weighted_mean`, and where `q` or `bins` is not allowed.

    See Also
    --------
    quantile, median : without weights.
    weighted_mean : the mean.

    Notes
    -----
    Guarantee: epsilon. A record adds its weight v to the sum of one cell, with three quarters of epsilon, and
    v^2 to another sum of the cell with one quarter: at most 1 in all, as in `weighted_mean`. The estimate is
    post-processing of the cells. `bse` is half the distance of the quantiles whose shares are a standard
    deviation of the noise below and above; NaN where the noise of all cells is above a tenth of their weight.
    The noise interval is exact for all records and weights, ties included: it ends at edges whose
    noisy weight below no longer fits the quantile, and has all of the cell in which this is.

    References
    ----------
    Woodruff, R. S. (1952). Confidence intervals for medians and other position measures. Journal of the
    American Statistical Association 47, 635-646.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> income, weight = np.linspace(0, 100, 10_000), np.repeat([1.0, 3.0], 5000)
    >>> r = pydpstat.weighted_quantile(income, weight, 0.5, 1.0, bounds=(0, 100), max_weight=4, rng=1)
    >>> abs(float(r) - 200 / 3) < 2
    True
    """
    pair = check_bounds(bounds)
    share = checks.check_probability(q, "q", "0.5 is the median.")
    allowed = f"a whole number from {_MIN_BINS} to {_MAX_BINS}"
    count = checks.check_integer(bins, "bins", _MIN_BINS, _MAX_BINS, allowed=allowed, hint="64 is the default.")
    options = make_weighted_options(epsilon, neighbors, missing, rng, budget)
    options = options.add_scope(by, levels, other, unit).use_independent_records()
    weighted = read_weighted_records(data, weights, pair, max_weight, options)
    options, shape = weighted.options, weighted.records.shape
    standard_edges = np.linspace(-1.0, 1.0, count + 1)
    edges = tuple((0.5 * pair[0] + 0.5 * pair[1] + record_grid.compute_half_width(pair) * standard_edges).tolist())
    sums, size = weighted.compute_sums(partial(compute_cell_sums, edges=standard_edges))
    scales = compute_noise_scales(options)

    def make_quantiles(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        rows = [unscale_weighted_sums(row, count, count) for row in noisy.reshape(len(sums), -1)]
        warn_empty_weighted_groups(weighted, rows, size)
        groups = [WeightedCells(*row, edges, scales, size) for row in rows]
        quantile_intervals = tuple(WeightedQuantileInterval(group, share) for group in groups)
        intervals = WeightedQuantiles(quantile_intervals, shape, "measured", WEIGHTED_ASSUMPTIONS)
        slopes = tuple(group.compute_slope(share) / float(LINEAR_SHARE) for group in groups)
        post = ValueWithIntervals(slopes, ("between edges of noisy cells",), intervals, population=intervals)
        return np.array([group.compute_quantile(share) for group in groups]).reshape(shape), post

    query = make_weighted_query("weighted_quantile", sums, count, weighted, size)
    arguments = (("q", share), ("bounds", pair), ("bins", count), *weighted.arguments)
    return release_statistic(
        "weighted_quantile",
        query,
        options,
        data_names=("data", "weights"),
        public_arguments=arguments,
        bounds=pair,
        postprocess=make_quantiles,
        conditions=weighted.records.conditions,
    )


PUBLIC_SIZE_STEP = "number of records times the noisy mean"
TOTAL_STEP = "total of the noisy sums"


@guard_release
def weighted_total(
    data: Data,
    weights: Data | str,
    epsilon: float,
    *,
    bounds: GivenBounds,
    max_weight: float,
    neighbors: str | None = None,
    missing: Missing = "error",
    by: Keys | None = None,
    levels: object = None,
    other: str | None = "other",
    strata: Keys | None = None,
    unit: Keys | None = None,
    rng: object = None,
    budget: Chargeable | None = None,
) -> DPResults:
    """Estimate a population total from records and their survey weights.

    It is the noisy sum of the records times their weights.

    Parameters
    ----------
    data, weights, epsilon, bounds, max_weight, neighbors, missing, by, levels, other, strata : optional
        As in `weighted_mean`.
    unit, rng, budget : optional
        As in `weighted_mean`. Where units have several records, the total is that of one record of each, and
        less than that of all: add up the records of each unit first, and release the total of these sums.

    Returns
    -------
    DPResults
        Its estimate is a float, by group a Series; ``conf_int(kind="population")`` is design-based.

    Raises
    ------
    PydpstatError
        As in `weighted_mean`.

    See Also
    --------
    sum : without weights.
    weighted_mean : the mean.

    Notes
    -----
    Guarantee: epsilon. Under bounded neighbors it is a release of the sum of the products and of that of
    their squares, whose noise is that of the sum alone (`moments`).

    Unbounded, and by group: with z the place of a product between its bounds, the sums of (1 - z)^2 / 4,
    (1 - z^2) / 2 and (1 + z)^2 / 4 are released for every group. A record adds three nonnegative numbers
    that add up to 1 to those of one group: the L1 sensitivity is 1, and 2 for bounded neighbors, of whom
    one leaves a group and the other enters one. Totals, sums of squares and the number of all records
    follow from the noisy sums.

    The interval of kind "population" takes the number of all records as given and that of a group's as
    random, as survey packages do: a record of another group has the product 0. Where the number of all
    records is private, the interval holds for each that its noisy value leaves possible. With
    ``other=None`` or ``missing="drop"`` by group, and by group in a design's subset, records are left out and
    not counted: then it holds for any larger number. Otherwise a record with a missing value that is dropped,
    or outside of a design's subset, has the product 0. With `strata` it is by the variances within strata, as
    in `weighted_mean`. Its level was measured.

    References
    ----------
    Hansen, M. H. and Hurwitz, W. N. (1943). On the theory of sampling from finite populations. Annals of
    Mathematical Statistics 14, 333-362.

    Examples
    --------
    >>> import numpy as np, pydpstat
    >>> income, weight = np.repeat([20.0, 60.0], 500), np.repeat([1.0, 3.0], 500)
    >>> r = pydpstat.weighted_total(income, weight, 1.0, bounds=(0, 100), max_weight=4, rng=1)
    >>> abs(float(r) - 100_000) < 3000
    True
    """
    pair = check_bounds(bounds)
    options = make_weighted_options(epsilon, neighbors, missing, rng, budget)
    options = options.add_scope(by, levels, other, unit).use_independent_records()
    weighted = read_weighted_records(data, weights, pair, max_weight, options, strata, products=True)
    if weighted.options.has_public_size:
        return _release_public_size_total(weighted, weighted.product_bounds)
    # records outside all strata are not in the sample, but records outside all groups are
    counted = by is None or other is not None and missing != "drop" and not is_subset_release()
    return _release_private_size_totals(weighted, weighted.product_bounds, counted)


def _collect_steps(step: str, unit: str | None) -> tuple[str, ...]:
    """Return the post-processing steps of a total, with a note if one record of each unit contributes."""
    return step if unit is None else f"{step}, in which one record of each {unit} counts", ranges.CLIPPED_STEP


def _release_public_size_total(weighted: WeightedRecords, product_bounds: VariableBounds) -> DPResults:
    """Release the total of a public number of records."""
    middle, half = (
        0.5 * product_bounds[0] + 0.5 * product_bounds[1],
        record_grid.compute_half_width(product_bounds),
    )
    sums, n = sum_moments(weighted.records, (product_bounds,), weighted.options, "weighted total", "data")
    release, (matrix,) = release_sums(
        "weighted_total",
        collect_sum_names(("z",), weighted.options),
        [(sums, n, 1)],
        weighted.options,
        data_names=("data", "weights"),
        public_arguments=(("bounds", weighted.bounds), ("max_weight", weighted.max_weight)),
        bounds=weighted.bounds,
    )
    total = n * middle + half * float(release.value[0])
    interval = TotalInterval(NoisyTInterval(matrix.sums[0], middle, half), n)
    population = ValueIntervals((interval,), (), "measured", WEIGHTED_ASSUMPTIONS)
    # the released sum is half the sum of z
    within = ranges.make_sum_range([product_bounds], n)
    post = ScaledValue(
        2.0 * half,
        _collect_steps(PUBLIC_SIZE_STEP, weighted.options.unit),
        population=population,
        within=within,
    )
    return replace(
        release,
        value=within.clip_values(total),
        labels=Labels(weighted.records.name or "weighted_total"),
        noise_scale=half * float(np.asarray(release.noise_scale)[0]),
        sensitivity=2.0 * half,
        post=post,
        grid=None,
    )


def _release_private_size_totals(
    weighted: WeightedRecords, product_bounds: VariableBounds, has_all_records: bool
) -> DPResults:
    """Release the totals of a private number of records, for all records or for each group."""
    records, options, shape = weighted.records, weighted.options, weighted.shape
    grids = [record_grid.make_standard_grid(*product_bounds)]
    add_up = partial(
        sum_columns_jointly, grids=grids, missing=options.missing, pairs=((0, 0),), groups=records.n_groups
    )
    group_sums = split_sums_by_group(records.fold(add_up, merge_sums))
    blocks = [partition.compute_weight_sums(sums, partition.PARABOLA_WEIGHTS) for (sums,) in group_sums]
    query = partition.make_weights_query("weighted_total", weighted.make_labels("weighted_total"), options, blocks, 1)
    # coefficients of the product in the three weights
    coefficients = np.array([product_bounds[0], 0.5 * product_bounds[0] + 0.5 * product_bounds[1], product_bounds[1]])
    scale, within = (
        float(get_sum_sensitivity(options)) / options.epsilon,
        ranges.make_sum_range([product_bounds], None),
    )

    def make_totals(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        rows = noisy.reshape(-1, 3)
        warn_empty_groups(records.groups, rows.sum(axis=1), math.sqrt(6.0) * scale)
        number = NoisySize(float(rows.sum()), scale, rows.size, has_all_records)
        intervals: tuple[Interval, ...] = tuple(
            PrivateSizeTotal(tuple(row), scale, product_bounds, number) for row in rows.tolist()
        )
        if weighted.is_stratified:
            strata = tuple(make_private_size_sums(row, scale, "laplace") for row in rows)
            intervals, rows = (StratifiedTotal(strata, product_bounds, number),), rows.sum(axis=0, keepdims=True)
        # the noises of strata are independent: the standard deviation grows with the root of their number
        slope = float(np.sqrt((coefficients * coefficients).sum() * len(blocks) / len(intervals)))
        slopes = (slope,) * len(intervals)
        population = ValueIntervals(
            intervals, shape, "measured", STRATA_ASSUMPTIONS if weighted.is_stratified else WEIGHTED_ASSUMPTIONS
        )
        post = DerivedValue(slopes, _collect_steps(TOTAL_STEP, options.unit), population=population, within=within)
        # the rounding of BLAS products depends on the processor
        totals = [math.fsum(row) for row in (rows * coefficients).tolist()]
        return within.clip_values(np.array(totals).reshape(shape)), post

    return release_statistic(
        "weighted_total",
        query,
        options,
        data_names=("data", "weights"),
        public_arguments=(("bounds", weighted.bounds), *weighted.arguments),
        bounds=weighted.bounds,
        postprocess=make_totals,
        conditions=records.conditions,
    )
