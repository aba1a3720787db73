"""Quantiles and totals of a population, from records with weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, GivenBounds, Pair, bounds_pair
from pydpstat._release.additive import Spender
from pydpstat._release.declared import of_subset
from pydpstat._release.options import Missing
from pydpstat._release.statistic import quiet, release_statistic
from pydpstat.inference._moment_release import release_sums, sum_names, tallied, unsized_sums
from pydpstat.inference._null_distributions.noisy_t import NoisyTInterval
from pydpstat.inference._null_distributions.weighted_means import (
    ASSUMPTIONS,
    OF_STRATA,
    NoisyNumber,
    StratifiedTotal,
    TotalInterval,
    UnsizedTotal,
)
from pydpstat.inference._null_distributions.weighted_quantiles import WeightedCells, WeightedQuantileInterval
from pydpstat.inference._population import Intervals
from pydpstat.inference._weighted_sums import (
    LINEAR,
    Weighted,
    cell_sums,
    noise_scales,
    note_counted,
    reach,
    read_weighted,
    sums_of,
    weighted_options,
    weighted_query,
)
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._intervals import Interval
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import BetweenEdges, Derived, PostProcessing, Scaled
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import partition, record_grid
from pydpstat.statistics._kernels.group_sums import by_group, joint_sums, merged
from pydpstat.statistics._kernels.scope import Keys, note_groups

_FEWEST, _MOST = 8, 256


@dataclass(frozen=True)
class WeightedQuantiles(Intervals):
    """Intervals of groups' quantiles, for the population and for the records."""

    def noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for the records' own quantiles."""
        parts = [each for each in self.parts if isinstance(each, WeightedQuantileInterval)]
        low, high = np.array([each.noise_ends(alpha) for each in parts]).T
        return low.reshape(self.shape), high.reshape(self.shape)


@quiet
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
    budget: Spender | None = None,
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
    pair = bounds_pair(bounds)
    share = checks.probability(q, "q", "0.5 is the median.")
    allowed = f"a whole number from {_FEWEST} to {_MOST}"
    count = checks.integer(bins, "bins", _FEWEST, _MOST, allowed=allowed, hint="64 is the default.")
    how = weighted_options(epsilon, neighbors, missing, rng, budget)
    how = how.by_groups(by, levels, other, unit).independent()
    known = read_weighted(data, weights, pair, max_weight, how)
    how, shape = known.how, known.records.shape
    places = np.linspace(-1.0, 1.0, count + 1)
    edges = tuple((0.5 * pair[0] + 0.5 * pair[1] + record_grid.half_width(pair) * places).tolist())
    sums, size = known.sums(partial(cell_sums, edges=places))
    scales = noise_scales(how)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        rows = [sums_of(row, count, count) for row in noisy.reshape(len(sums), -1)]
        note_counted(known, rows)
        found = [WeightedCells(*row, edges, scales, size) for row in rows]
        parts = tuple(WeightedQuantileInterval(each, share) for each in found)
        intervals = WeightedQuantiles(parts, shape, "measured", ASSUMPTIONS)
        slopes = tuple(each.slope(share) / float(LINEAR) for each in found)
        post = BetweenEdges(slopes, ("between edges of noisy cells",), intervals, population=intervals)
        return np.array([each.quantile(share) for each in found]).reshape(shape), post

    query = weighted_query("weighted_quantile", sums, count, known, size)
    arguments = (("q", share), ("bounds", pair), ("bins", count), *known.arguments)
    return release_statistic(
        "weighted_quantile",
        query,
        how,
        data=("data", "weights"),
        arguments=arguments,
        bounds=pair,
        publish=publish,
        conditions=known.records.conditions,
    )


SIZED_STEP = "number of records times the noisy mean"
STEP = "total of the noisy sums"


@quiet
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
    budget: Spender | None = None,
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
    pair = bounds_pair(bounds)
    how = weighted_options(epsilon, neighbors, missing, rng, budget)
    how = how.by_groups(by, levels, other, unit).independent()
    known = read_weighted(data, weights, pair, max_weight, how, strata, products=True)
    if known.how.bounded:
        return _sized(known, known.product_bounds)
    # records of no stratum are no part of the sample; those that groups leave out are
    counted = by is None or other is not None and missing != "drop" and not of_subset()
    return _unsized(known, known.product_bounds, counted)


def _steps(step: str, unit: str | None) -> tuple[str, ...]:
    """Return what is made of the noisy sums; a total over units is less than one over their records."""
    return step if unit is None else f"{step}, in which one record of each {unit} counts", ranges.CLIPPED


def _sized(known: Weighted, ends: Pair) -> DPResults:
    """Release the total of a public number of records."""
    middle, half = 0.5 * ends[0] + 0.5 * ends[1], record_grid.half_width(ends)
    found, n = tallied(known.records, (ends,), known.how, "weighted total", "data")
    release, (made,) = release_sums(
        "weighted_total",
        sum_names(("z",), known.how),
        [(found, n, 1)],
        known.how,
        data=("data", "weights"),
        arguments=(("bounds", known.pair), ("max_weight", known.largest)),
        bounds=known.pair,
    )
    total = n * middle + half * float(release.value[0])
    interval = TotalInterval(NoisyTInterval(made.sums[0], middle, half), n)
    population = Intervals((interval,), (), "measured", ASSUMPTIONS)
    # the sum of z is twice what got the noise
    within = ranges.sums([ends], n)
    post = Scaled(2.0 * half, _steps(SIZED_STEP, known.how.unit), population=population, within=within)
    return replace(
        release,
        value=within.clip(total),
        labels=Labels(known.records.name or "weighted_total"),
        noise_scale=half * float(np.asarray(release.noise_scale)[0]),
        sensitivity=2.0 * half,
        post=post,
        grid=None,
    )


def _unsized(known: Weighted, ends: Pair, all_counted: bool) -> DPResults:
    """Release the totals of private numbers of records, of all or of each group."""
    records, how, shape = known.records, known.how, known.shape
    grids = [record_grid.standard_grid(*ends)]
    add_up = partial(
        joint_sums, grids=grids, missing=how.missing, pairs=((0, 0),), groups=records.group_number
    )
    found = by_group(records.fold(add_up, merged))
    blocks = [partition.weight_sums(each, partition.PARABOLA_WEIGHTS) for (each,) in found]
    query = partition.weights_query("weighted_total", known.labels("weighted_total"), how, blocks, 1)
    # the products at the weights' places
    places = np.array([ends[0], 0.5 * ends[0] + 0.5 * ends[1], ends[1]])
    scale, within = float(reach(how)) / how.epsilon, ranges.sums([ends], None)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        rows = noisy.reshape(-1, 3)
        note_groups(records.groups, rows.sum(axis=1), math.sqrt(6.0) * scale)
        number = NoisyNumber(float(rows.sum()), scale, rows.size, all_counted)
        parts: tuple[Interval, ...] = tuple(
            UnsizedTotal(tuple(row), scale, ends, number) for row in rows.tolist()
        )
        if known.stratified:
            strata = tuple(unsized_sums(row, scale, "laplace") for row in rows)
            parts, rows = (StratifiedTotal(strata, ends, number),), rows.sum(axis=0, keepdims=True)
        # of strata each has the noise of one
        slope = float(np.sqrt((places * places).sum() * len(blocks) / len(parts)))
        slopes = (slope,) * len(parts)
        population = Intervals(parts, shape, "measured", OF_STRATA if known.stratified else ASSUMPTIONS)
        post = Derived(slopes, _steps(STEP, how.unit), population=population, within=within)
        # BLAS rounds as the processor does
        totals = [math.fsum(row) for row in (rows * places).tolist()]
        return within.clip(np.array(totals).reshape(shape)), post

    return release_statistic(
        "weighted_total",
        query,
        how,
        data=("data", "weights"),
        arguments=(("bounds", known.pair), *known.arguments),
        bounds=known.pair,
        publish=publish,
        conditions=records.conditions,
    )
