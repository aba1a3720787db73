"""Means, variances, standard deviations and quantiles with what intervals for the population need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Data, GivenBounds, bounds_pair, check_filling, one_column
from pydpstat._data.progress import Progress
from pydpstat._data.values import fills
from pydpstat._frozen import Frozen
from pydpstat._release.additive import Query
from pydpstat._release.options import Missing, Options, check_records
from pydpstat._release.statistic import release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.inference._moment_release import Weights, diagonal, unsized_sums, weights
from pydpstat.inference._null_distributions.exact_moments import SpreadInterval
from pydpstat.inference._null_distributions.mean_differences import FLOOR
from pydpstat.inference._null_distributions.noisy_t import NoisySums, NoisyTInterval
from pydpstat.inference._null_distributions.quantiles import (
    FEWEST_BINS,
    MOST_BINS,
    MOST_CELLS,
    QuantileIntervals,
    bin_number,
    quantile_slope,
)
from pydpstat.inference._null_distributions.shares import INDEPENDENT, NOTHING_SAID
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._intervals import Interval
from pydpstat.results._labels import Labels
from pydpstat.results._population import Difference
from pydpstat.results._postprocessing import BetweenEdges, Derived, PostProcessing, Scaled
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import partition, record_grid
from pydpstat.statistics._kernels.candidates import GRID_POINTS
from pydpstat.statistics._kernels.cells import bin_counts, cells_query, group_bin_counts
from pydpstat.statistics._kernels.column_release import added, bounded_columns, note_released
from pydpstat.statistics._kernels.group_sums import by_group
from pydpstat.statistics._kernels.records import Part, Records, records_of
from pydpstat.statistics._kernels.scope import note_groups

NAMES = {"mean": "mean", "var": "variance", "std": "variance"}
SHOWN = ("population", True)


@dataclass(frozen=True)
class Intervals:
    """An interval for each published value."""

    parts: tuple[Interval, ...]
    shape: tuple[int, ...]
    validity: str
    assumptions: tuple[str, ...] = (INDEPENDENT,)

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each value, in the values' shape."""
        with Progress(lambda: len(self.parts), "intervals") as progress:
            ends = [progress.counted(each.ends(alpha)) for each in self.parts]
        low, high = np.array(ends).reshape(-1, 2).T
        return low.reshape(self.shape), high.reshape(self.shape)


@dataclass(frozen=True)
class MeanIntervals(Intervals):
    """Intervals of means, and differences of two of them."""

    def difference(self, first: int, second: int) -> Difference:
        """Compare the means of the groups in these places, of all values one group after the other."""
        from pydpstat.inference._null_distributions.group_comparisons import mean_difference

        one, other = self.parts[first], self.parts[second]
        assert isinstance(one, NoisyTInterval) and isinstance(other, NoisyTInterval)
        statistic, p, interval, tell = mean_difference((one.known, other.known), one.half)
        means = [noisy_mean(each) for each in (one, other)]
        remarks = () if tell else (NOTHING_SAID,)
        name = "Welch's t test of two groups"
        floor, estimate = FLOOR if tell else 0.0, means[0] - means[1]
        return Difference(name, statistic, p, estimate, interval, "measured", remarks, floor)

    def equal(self, places: Sequence[int]) -> tuple[Difference, tuple[int, ...]]:
        """Compare the means of several groups, all of which may be equal; also return those compared."""
        from pydpstat.inference._null_distributions.group_comparisons import compare_means
        from pydpstat.inference._null_distributions.group_means import pvalue_floor

        parts = [self.parts[place] for place in places]
        statistic, p, kept = compare_means([each.known for each in parts if isinstance(each, NoisyTInterval)])
        floor = pvalue_floor(len(kept))
        statistic /= max(len(kept) - 1, 1)
        test = "Welch's one-way analysis of variance"
        return Difference(test, statistic, p, math.nan, None, "measured", (), floor), kept


def noisy_mean(known: NoisyTInterval) -> float:
    """Return the mean that noisy sums say, in the data's unit; the middle where there may be no record."""
    size, first, _ = known.known.sums
    return known.middle + (known.half * min(max(first / size, -1.0), 1.0) if size > 1.0 else 0.0)


class Noisy(NamedTuple):
    """The noisy sums of a group's variable, and the slopes of its mean and variance in what got the noise."""

    sums: NoisySums
    mean: float
    variance: float
    mean_slope: float
    variance_slope: float


def release_moments(function: str, data: Data, bounds: GivenBounds, how: Options) -> DPResults:
    """Release a mean, a variance or a standard deviation of every column with the noisy sums behind it."""
    records, how, pairs, shown = bounded_columns(data, bounds, how.independent())
    check_apart(how, records)
    query = moments_query(function, records, pairs, how)
    release = release_statistic(
        function,
        query,
        how,
        arguments=(("bounds", shown), SHOWN, *records.arguments),
        bounds=shown,
        conditions=records.conditions,
    )
    found = published(function, release, records, pairs, how)
    note_released(found, records)
    return found


def check_apart(how: Options, records: Records) -> None:
    """Refuse noise that is one of all columns: distributions here are those of each column's own."""
    if how.norm == math.inf and records.width > 1:
        raise PydpstatError(
            "mechanism must be 'laplace' or 'gaussian' for confidence intervals of several columns; "
            f"got {how.mechanism.name!r}, whose noise is joint for all columns. Leave it out."
        )


def moments_query(function: str, records: Records, pairs: Bounds, how: Options) -> Query:
    """Ask for the weighted sums of each column, by group where there are some."""
    grids = [record_grid.standard_grid(*pair) for pair in pairs]
    least = 1 if function == "mean" else 2
    found, size = records.numbered(
        lambda: added(records, grids, how, ((0, 0),)),
        lambda found: found[0].count,
        partial(check_records, how, least=least, statistic=NAMES[function], argument="data"),
    )
    labels = records.labels(function)
    if not how.bounded:
        blocks = [
            partition.weight_sums(each, partition.PARABOLA_WEIGHTS) for row in by_group(found) for each in row
        ]
        return partition.weights_query(function, labels, how, blocks, len(pairs))
    by, unit = weights(1, how.norm, True), Fraction(1, 1 << record_grid.BITS)
    blocks = [[by.first * unit * each.first[0], by.square * unit * each.products[0]] for each in found]
    return partition.weights_query(function, labels, how, blocks, len(pairs), by.reach, size)


def published(function: str, release: DPResults, records: Records, pairs: Bounds, how: Options) -> DPResults:
    """Make the statistic and its intervals of the noisy sums."""
    shape, size = records.shape, release.nobs if how.bounded else None
    law = "normal" if how.mechanism.approximate else "laplace"
    scale = float(np.asarray(release.noise_scale))
    by = weights(1, how.norm, True) if size is not None else None
    rows = release.value.reshape(-1, 2 if size is not None else 3)
    values: list[float] = []
    slopes: list[float] = []
    parts: list[Interval] = []
    for place, row in enumerate(rows):
        pair = pairs[place % len(pairs)]
        half, middle = record_grid.half_width(pair), 0.5 * pair[0] + 0.5 * pair[1]
        if size is not None and by is not None:
            each = _sized(row, by, scale, law, size)
        else:
            each = _unsized(row, scale, law)
        if function == "mean":
            mean = middle + half * each.mean
            values.append(mean)
            slopes.append(half * each.mean_slope)
            parts.append(NoisyTInterval(each.sums, middle, half))
            continue
        variance = float(ranges.spreads([half], size).clip(half * half * each.variance))
        slope, root = half * half * each.variance_slope, function == "std"
        values.append(math.sqrt(variance) if root else variance)
        if root:
            slope = slope / (2.0 * values[-1]) if variance > 0.0 else math.nan
        slopes.append(slope)
        parts.append(SpreadInterval(each.sums, half, root))
    population: Intervals = Intervals(tuple(parts), shape, "exact")
    if function == "mean":
        population = MeanIntervals(tuple(parts), shape, "measured")
    factors = partition.in_columns(slopes, shape)
    halves = list(map(record_grid.half_width, pairs))
    within = ranges.means(pairs) if function == "mean" else ranges.spreads(halves, size, function == "std")
    post: Derived | Scaled
    if function == "mean" and size is not None:
        steps: tuple[str, ...] = ("mean of the noisy sum", ranges.CLIPPED)
        post = Scaled(factors, steps, population=population, within=within)
        # in the statistic's own unit
        one = not shape
        release = replace(
            release,
            noise_scale=scale * factors[0] if one else scale * np.array(factors),
            sensitivity=_times(release.sensitivity, factors),
        )
    else:
        what = "mean" if function == "mean" else "variance"
        steps = (f"{what} of the noisy sums", ranges.CLIPPED, *(("square root",) * (function == "std")))
        sizes = None
        if size is None:
            sizes = partition.in_columns(rows.sum(axis=1), shape)
        post = Derived(factors, steps, population=population, sizes=sizes, within=within)
    value = within.clip(np.array(values).reshape(shape))
    return replace(release, value=value, post=post, grid=None)


def _times(sensitivity: float | tuple[float, ...], factors: tuple[float, ...]) -> float | tuple[float, ...]:
    one = float(np.ravel(sensitivity)[0])
    return one * factors[0] if len(factors) == 1 else tuple(one * each for each in factors)


def _sized(row: Floats, by: Weights, scale: float, law: str, size: int) -> Noisy:
    """Return what two weighted sums say where the number of records is public."""
    factors = 1.0 / float(by.first), 1.0 / float(by.square)
    first, second = factors[0] * float(row[0]), factors[1] * float(row[1])
    noise = diagonal(0.0, factors[0] * scale, factors[1] * scale)
    known = NoisySums((float(size), first, second), noise, law, size)
    mean, below = first / size, max(size - 1, 1)
    # the noise of the sum makes its square larger
    spread = known.unit_variance * (factors[0] * scale) ** 2
    variance = (second - (first * first - spread) / size) / below
    slope = math.hypot(2.0 * mean * factors[0], factors[1]) / below
    return Noisy(known, mean, variance, factors[0] / size, slope)


def _unsized(row: Floats, scale: float, law: str) -> Noisy:
    """Return what three sums of weights say where the number of records is private."""
    known = unsized_sums(row, scale, law)
    at = partition.moments(row, partition.PARABOLA)
    variance, gradient = partition.spread(at, 1, 1, 2)
    return Noisy(
        known,
        float(at.means[1]),
        float(variance),
        float(partition.lengths(at.gradients[1])),
        float(partition.lengths(gradient)),
    )


STEPS = "between the edges of {} noisy cells {:.3g} wide, of which grid_points= may choose more"
# cells where the number of records is private, which none can be chosen for
CELLS = 128


@dataclass(frozen=True, eq=False)
class CellQuantiles(Frozen):
    """Quantiles of records that noisy cells count."""

    cells: Floats
    edges: Floats
    size: int | None
    rate: float

    @property
    def total(self) -> float:
        """The number of records, or the noisy one, at least 1."""
        return max(float(self.cells.sum()), 1.0) if self.size is None else float(self.size)

    def _below(self) -> Floats:
        """Return how many records seem to be below each edge, ascending.

        The mean of what the cells below and those above say has a quarter of the noise of all cells.
        """
        inner = 0.5 * (self.cells[:-1].cumsum() + self.total - self.cells[:0:-1].cumsum()[::-1])
        inner = np.maximum.accumulate(inner.clip(0.0, self.total)) if inner.size else inner
        return np.concatenate([[0.0], inner, [self.total]])

    def quantile(self, share: float) -> float:
        """Return the point below which that share of the records seems to be."""
        below, wanted = self._below(), share * self.total
        place = int(np.searchsorted(below, wanted, side="right")) - 1
        cell = min(max(place, 0), self.cells.size - 1)
        gap = float(below[cell + 1] - below[cell])
        part = (wanted - float(below[cell])) / gap if gap > 0.0 else 0.5
        part = min(max(part, 0.0), 1.0)
        return float((1.0 - part) * self.edges[cell] + part * self.edges[cell + 1])

    def slope(self, share: float) -> float:
        """Return how far noise of a standard deviation of 1 in each cell moves the quantile.

        NaN where the noise of the counts below the quantile is above a tenth of all records.
        """
        deviation = math.sqrt(2.0) / self.rate
        apart = 0.5 * math.sqrt(self.cells.size) * deviation / self.total
        if apart > 0.1:
            return math.nan
        return quantile_slope(self.quantile, share, deviation, apart)


def release_cells(
    function: str,
    x: Data,
    bounds: GivenBounds,
    shares: Sequence[float],
    names: tuple[str, ...] | None,
    own: tuple[tuple[str, object], ...],
    grid_points: int | None,
    how: Options,
) -> DPResults:
    """Release the noisy histogram that quantiles follow from; `names` are those of several quantiles."""
    if how.scope.sample is not None:
        raise PydpstatError("sample must be left out with population=True. Leave out one of them.")
    pair = bounds_pair(bounds)
    check_filling(how.missing, [pair])
    records, how = records_of(x, how.independent(), one_column, "x")
    number = _cell_number(grid_points, how.bounded)
    finest = cell_edges(pair, MOST_BINS if number is None else number)
    tally = partial(_counts, edges=finest, missing=how.missing, groups=records.group_number)
    counts, size = records.numbered(
        lambda: records.fold(tally, np.add),
        lambda found: int(found.sum()),
        partial(check_records, how, least=1, statistic=function, argument="x"),
    )
    edges = finest
    if number is None:
        # the number of records is known now; coarser cells are made of the finest ones
        edges = cell_edges(pair, bin_number(size or 0, how.epsilon))
        counts = np.add.reduceat(counts, np.searchsorted(finest, edges[:-1]), axis=-1)
    name = records.name if records.names is None else records.names[0]
    labels = records.named(Labels((name or function) if names is None else (name or "quantile"), names=names))
    asked = cells_query(function, counts, labels, size or 0, how)
    rate = how.epsilon / float(asked.sensitivities[0])
    shape = (*counts.shape[:-1], *(() if names is None else (len(shares),)))

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        rows, public = noisy.reshape(-1, edges.size - 1), size if how.bounded else None
        # the geometric noise of a cell has a standard deviation below this
        note_groups(records.groups, rows.sum(axis=1), math.sqrt(2.0 * rows.shape[1]) / rate)
        known = [CellQuantiles(row, edges, public, rate) for row in rows]
        slopes = partition.in_columns([each.slope(share) for each in known for share in shares], shape)
        value = np.array([each.quantile(share) for each in known for share in shares]).reshape(shape)
        intervals = QuantileIntervals(noisy, edges, public, rate, tuple(shares), shape)
        step = STEPS.format(edges.size - 1, edges[1] - edges[0])
        return value, BetweenEdges(slopes, (step,), intervals, population=intervals)

    said = () if number in (None, CELLS) else (("grid_points", number + 1),)
    return release_statistic(
        function,
        asked,
        how,
        data=("x",),
        arguments=(*own, ("bounds", pair), ("population", True), *said, *records.arguments),
        bounds=pair,
        publish=publish,
        conditions=records.conditions,
    )


def _cell_number(grid_points: object, bounded: bool) -> int | None:
    """Return how many cells are counted: one less than edges; None where it follows from n and epsilon."""
    if grid_points is None or checks.is_number(grid_points) and grid_points == GRID_POINTS:
        return None if bounded else CELLS
    allowed = f"a whole number from {FEWEST_BINS + 1} to {MOST_CELLS + 1} with population=True"
    hint = "It is the number of edges of the cells in which records are counted, for example 129."
    return (
        checks.integer(
            grid_points, "grid_points", FEWEST_BINS + 1, MOST_CELLS + 1, allowed=allowed, hint=hint
        )
        - 1
    )


def cell_edges(pair: tuple[float, float], number: int) -> Floats:
    """Return edges of so many cells of equal width, fewer where floats have no room between them.

    For powers of 2 each edge of some cells is one of all finer ones.
    """
    parts = np.arange(number + 1) / number
    return np.unique((1.0 - parts) * pair[0] + parts * pair[1])


def _counts(part: Part, edges: Floats, missing: Missing, groups: int | None) -> npt.NDArray[np.int64]:
    """Count the records in each cell, by group where there are some, missing ones as `missing` says."""
    values, places = part.columns.arrays[0], part.places
    found: Any = bin_counts(values, edges)
    if groups is not None and places is not None:
        found = group_bin_counts(values, places, groups, edges)
    counts, gone = found
    if fills(int(np.sum(gone)), missing):
        counts = counts + np.multiply.outer(gone, bin_counts(np.array([missing]), edges)[0])
    return counts
