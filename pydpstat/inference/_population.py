"""Means, variances and standard deviations together with what intervals for the population need."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._data.columns import Bounds, Data, GivenBounds
from pydpstat._data.progress import Progress
from pydpstat._release.additive import Query
from pydpstat._release.options import Options, check_records
from pydpstat._release.statistic import release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.inference._moment_release import Weights, diagonal, unsized_sums, weights
from pydpstat.inference._null_distributions.exact_moments import SpreadInterval
from pydpstat.inference._null_distributions.mean_differences import FLOOR
from pydpstat.inference._null_distributions.noisy_t import NoisySums, NoisyTInterval
from pydpstat.inference._null_distributions.shares import INDEPENDENT, NOTHING_SAID
from pydpstat.results import _ranges as ranges
from pydpstat.results._intervals import Interval
from pydpstat.results._population import Difference
from pydpstat.results._postprocessing import Derived, Scaled
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import partition, record_grid
from pydpstat.statistics._kernels.column_release import added, bounded_columns, note_released
from pydpstat.statistics._kernels.group_sums import by_group
from pydpstat.statistics._kernels.records import Records

Floats = npt.NDArray[np.float64]
NAMES = {"mean": "mean", "var": "variance", "std": "variance"}
SHOWN = ("population", True)


@dataclass(frozen=True)
class Intervals:
    """An interval for each published value."""

    parts: tuple[Interval, ...]
    shape: tuple[int, ...]
    validity: str

    assumptions: ClassVar[tuple[str, ...]] = (INDEPENDENT,)

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
        from pydpstat.inference._null_distributions.mean_differences import mean_difference

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
        from pydpstat.inference._null_distributions.group_means import equal_means, pvalue_floor

        parts = [self.parts[place] for place in places]
        statistic, p, kept = equal_means([each.known for each in parts if isinstance(each, NoisyTInterval)])
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
