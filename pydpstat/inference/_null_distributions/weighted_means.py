"""Means, differences of means, and totals of records with weights, also drawn by strata."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pydpstat.inference._null_distributions.exact_moments import noise_reach
from pydpstat.inference._null_distributions.mean_differences import (
    WelchInterval,
    Whole,
    mean_interval,
    two_sample_pvalue,
)
from pydpstat.inference._null_distributions.noisy_t import (
    LEFT_OUT,
    NoisySums,
    NoisyTInterval,
    null_law,
    pvalue,
)
from pydpstat.inference._null_distributions.simulation import outermost
from pydpstat.r_arithmetic.elementary import Floats

ASSUMPTIONS = (
    "records are drawn independently, each with its weight",
    "the mean is that of records and weights clipped to their bounds",
)


@dataclass(frozen=True)
class WeightedSums:
    """Noisy sums over records z in [-1, 1] with weights v in [0, 1]."""

    line: tuple[float, ...]
    parabola: tuple[float, ...]
    rest: float
    scales: tuple[float, float]
    size: int | None

    def about(self, mean: float) -> NoisySums:
        """Return the sums of 1, y and y^2 for ``y = mean + v (z - mean)``."""
        first, second = self.scales
        low, high = -1.0 - mean, 1.0 - mean
        # places: the two of the line, the three of the parabola, and the rest
        count = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
        distance = np.array([low, high, 0.0, 0.0, 0.0, 0.0])
        square = np.array([0.0, 0.0, low * low, low * high, high * high, 0.0])
        if self.size is not None:
            count = np.zeros(6)
        scale = np.array([first, first, second, second, second, first])
        noisy = np.array([*self.line, *self.parabola, self.rest])
        size = float(self.size) if self.size is not None else float(count @ noisy)
        values = (size, float(distance @ noisy), float(square @ noisy))
        return noisy_about(mean, values, (count * scale, distance * scale, square * scale), self.size)

    @property
    def mean(self) -> float:
        """The weighted mean, 0 where the sum of weights is at most 1."""
        return share_of(self.line)


def share_of(line: tuple[float, ...]) -> float:
    """Return the mean that two sums of weights say."""
    total = line[0] + line[1]
    return min(max((line[1] - line[0]) / total, -1.0), 1.0) if total > 1.0 else 0.0


def moments_from(mean: float, size: Any, distance: Any, square: Any) -> tuple[Any, Any, Any]:
    """Return the sums of 1, y and y^2 from those of 1, y - mean and its square."""
    first = distance + mean * size
    return size, first, square + 2.0 * mean * first - mean * mean * size


def noisy_about(
    mean: float, values: tuple[float, float, float], noise: Iterable[Floats], size: int | None
) -> NoisySums:
    """Return the sums of 1, y and y^2 from those of 1, y - mean and its square, with their noise."""
    first, second, third = (tuple(each.tolist()) for each in moments_from(mean, *noise))
    return NoisySums(moments_from(mean, *values), (first, second, third), "laplace", size)


@dataclass(frozen=True)
class WeightedMeanInterval:
    """The weighted means of the population that are not rejected, in the data's unit."""

    known: Known
    middle: float
    half: float

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the mean with probability `alpha` at most."""
        center = self.known.mean
        total = max(sum(self.known.line), 1.0)
        sums = self.known.about(center)
        noise = 2.0 * float(np.square(sums.noise[1]).sum() + center**2 * np.square(sums.noise[0]).sum())
        size, first, square = sums.sums
        spread = max(square - 2.0 * center * first + center * center * size, self.known.scales[1])
        error = math.sqrt(spread + noise) / total

        def at(mean: float) -> float:
            return pvalue(self.known.about(mean), mean, enough=alpha)[1]

        ends = [outermost(at, alpha, center, error, side, 1.0) for side in (-1.0, 1.0)]
        low, high = (self.middle + self.half * end for end in ends)
        bounds = self.middle - self.half, self.middle + self.half
        return max(low, bounds[0]), min(high, bounds[1])


@dataclass(frozen=True)
class Rescaled:
    """An interval in another unit, within the largest distance that is possible."""

    inner: WelchInterval | Whole
    unit: float
    most: float

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return both ends."""
        low, high = (self.unit * end for end in self.inner.ends(alpha))
        return max(low, -self.most), min(high, self.most)


def weighted_difference(known: tuple[Known, Known], half: float) -> tuple[float, float, Rescaled, bool]:
    """Return the statistic, the p-value of equal means, the interval, and whether anything can be said.

    Woodruff, R. S. (1971). A simple method for approximating the variance of a complicated estimate. Journal
    of the American Statistical Association 66, 411-414.

    With a the released mean and w the released mean weight of a group, ``a + v (z - a) / w`` has the
    population's weighted mean where a and w are near theirs (Taylor's linearization): the noisy Welch test of
    two means tests these, in a unit in which they lie in [-1, 1].
    """
    interval = weighted_interval(known, half)
    if isinstance(interval.inner, Whole):
        return 0.0, 1.0, interval, False
    return *two_sample_pvalue(interval.inner.known), interval, True


def weighted_interval(known: tuple[Known, Known], half: float) -> Rescaled:
    """Return the interval of `weighted_difference`."""
    middle = 0.5 * (known[0].mean + known[1].mean)
    parts = []
    for each in known:
        total = sum(each.line)
        if total <= noise_reach(np.full(2, each.scales[0]), "laplace", LEFT_OUT):
            return Rescaled(Whole(-2.0, 2.0), half, 2.0 * half)
        sums = each.about(each.mean)
        # noise may say that weights are larger than 1 on average
        parts.append((sums, each.mean, min(total / max(sums.sums[0], 1.0), 1.0)))
    unit = max(abs(center - middle) + (1.0 + abs(center)) / weight for _, center, weight in parts)
    first, second = (_linear(*part, middle, unit) for part in parts)
    return Rescaled(mean_interval((first, second), 1.0), unit * half, 2.0 * half)


def _linear(known: NoisySums, center: float, weight: float, middle: float, unit: float) -> NoisySums:
    """Return the sums of 1, t and t^2 for ``t = (center + (y - center) / weight - middle) / unit``."""
    sums, noise = ([np.asarray(each) for each in rows] for rows in (known.sums, known.noise))
    found = []
    for size, first, square in (sums, noise):
        distance = first - center * size
        around = square - 2.0 * center * first + center * center * size
        scale = weight * unit
        place = (center - middle) / unit
        found.append(moments_from(place, size, distance / scale, around / scale**2))
    values = tuple(float(each) for each in found[0])
    rows = tuple(tuple(each.tolist()) for each in found[1])
    return NoisySums((values[0], values[1], values[2]), (rows[0], rows[1], rows[2]), known.law, known.size)


Pair = tuple[float, float]
_MANY = 100.0


@dataclass(frozen=True)
class TotalInterval:
    """The totals of the population, n times a mean that the noisy t test does not reject."""

    mean: NoisyTInterval
    n: int

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the total with probability `alpha` at most."""
        low, high = self.mean.ends(alpha)
        return self.n * low, self.n * high


@dataclass(frozen=True)
class NoisyNumber:
    """A noisy number of records."""

    value: float
    scale: float
    noises: int
    all_counted: bool = True

    def possible(self) -> tuple[int, ...]:
        """Return numbers of records that are possible, with probability 1 - `LEFT_OUT`."""
        reach = noise_reach(np.full(self.noises, self.scale), "laplace", 0.5 * LEFT_OUT)
        low, high = max(self.value - reach, 1.0), max(self.value + reach, 1.0)
        if not self.all_counted:
            return (round(_MANY * high),)
        points = np.geomspace(low, high, 3 if high < 1.3 * low else 5)
        return tuple(sorted({round(each) for each in points.tolist()}))


@dataclass(frozen=True)
class UnsizedTotal:
    """Noisy sums of a domain's products y with bounds, and the noisy number of all records."""

    weights: tuple[float, ...]
    scale: float
    bounds: Pair
    number: NoisyNumber

    def sums(self, size: int) -> NoisySums:
        """Return the sums of 1, z and z^2 of so many records, of which those outside have y = 0."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        zero = -middle / half
        # 1, z and z^2 at the weights' places, and what a record with y = 0 has
        rows = np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 1.0]])
        outside = np.array([1.0, zero, zero * zero])
        rest = rows - np.outer(outside, rows[0])
        values = rest @ np.array(self.weights) + size * outside
        noise = [tuple(row) for row in (self.scale * rest).tolist()]
        sums = float(size), float(values[1]), float(values[2])
        return NoisySums(sums, (noise[0], noise[1], noise[2]), "laplace", size)

    def ends(self, alpha: float) -> Pair:
        """Return the ends of the interval that misses the total with probability `alpha` at most."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        found = []
        for size in self.number.possible():
            low, high = NoisyTInterval(self.sums(size), middle, half).ends(alpha - LEFT_OUT)
            found.append((size * low, size * high))
        return min(low for low, _ in found), max(high for _, high in found)


OF_STRATA = (
    "records are drawn independently within strata, each with its weight, in fixed numbers",
    "the mean is that of records and weights clipped to their bounds",
)
# noises of a kind that a sum of many is taken to be made of; fewer have the longer tails
_MOST = 2


@dataclass(frozen=True)
class StratifiedSums:
    """Noisy sums of each stratum, with a private number of records."""

    strata: tuple[WeightedSums, ...]

    @property
    def line(self) -> tuple[float, ...]:
        """Sums of v (1 - z) / 2 and v (1 + z) / 2 over all records."""
        low, high = zip(*(each.line for each in self.strata))
        return math.fsum(low), math.fsum(high)

    @property
    def scales(self) -> tuple[float, float]:
        """Scales of the noise of sums of v, and of those of v^2, over all strata."""
        first, second = self.strata[0].scales
        root = math.sqrt(len(self.strata))
        return first * root, second * root

    @property
    def mean(self) -> float:
        """The weighted mean, 0 where the sum of weights is at most 1."""
        return share_of(self.line)

    def about(self, mean: float) -> NoisySums:
        """Return the sums of 1, y and y^2 for ``y = mean + v (z - mean)``, squares those within strata."""
        within = within_strata([each.about(mean) for each in self.strata], mean)
        return noisy_about(mean, (within.size, within.distance, within.square), within.noise, None)


Known = WeightedSums | StratifiedSums


@dataclass(frozen=True)
class StratifiedTotal:
    """Noisy sums of each stratum's products with bounds, and the noisy number of all records."""

    strata: tuple[NoisySums, ...]
    bounds: Pair
    number: NoisyNumber

    def sums(self, mean: float, size: int) -> NoisySums:
        """Return the sums of 1, z and z^2 where this is the mean of so many z, squares those within strata.

        The noisy number of records has no part in the noisy total.
        """
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        within = within_strata(self.strata, mean)
        count, away, square = within.noise
        # a total is the number of records times the middle, and half the bounds' distance times the sum of z
        far = middle / half + mean
        distance = within.distance + far * (within.size - size)
        noise = (0.0 * count, away + far * count, square)
        return noisy_about(mean, (float(size), distance, within.square), noise, size)

    def ends(self, alpha: float) -> Pair:
        """Return the ends of the interval that misses the total with probability `alpha` at most."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        found = []
        for size in self.number.possible():
            first = math.fsum(
                each.sums[1] + middle / half * (each.sums[0] - size / len(self.strata))
                for each in self.strata
            )
            center = min(max(first / size, -1.0), 1.0)
            known = self.sums(center, size)
            law = null_law(known, center, size)
            error = math.sqrt(max(law.centered(known.sums)[1], law.floor) + law.spread) / size

            def at(mean: float, size: int = size) -> float:
                return pvalue(self.sums(mean, size), mean, enough=alpha - LEFT_OUT)[1] + LEFT_OUT

            low, high = (outermost(at, alpha, center, error, side, 1.0) for side in (-1.0, 1.0))
            found.append((size * (middle + half * low), size * (middle + half * high)))
        return min(low for low, _ in found), max(high for _, high in found)


class Within(NamedTuple):
    """Sums over all strata: numbers of records, distances to a mean, squares within strata; their noise."""

    size: float
    distance: float
    square: float
    noise: Floats


def within_strata(parts: Sequence[NoisySums], mean: float) -> Within:
    """Return what strata say about a hypothetical mean; all have noise of the same scales."""
    count, row, square = (np.array(each) for each in parts[0].noise)
    distance = row - mean * count
    around = square - 2.0 * mean * row + mean * mean * count
    # two standard deviations of a number of records, one of a distance
    apart, more = math.sqrt(2.0 * float(distance @ distance)), 2.0 * math.sqrt(2.0 * float(count @ count))
    size, total, inside = 0.0, 0.0, 0.0
    for each in parts:
        n, first, squares = each.sums
        away = first - mean * n
        rest = squares - 2.0 * mean * first + mean * mean * n
        rest -= max(abs(away) - apart, 0.0) ** 2 / max(n + more, 1.0)
        size, total = size + n, total + away
        # the divisor n - 1
        inside += rest + max(rest, 0.0) / max(n - 1.0, 1.0)
    number = min(len(parts), _MOST)
    spread = math.sqrt(len(parts) / number)
    return Within(size, total, inside, np.tile(spread * np.array([count, distance, around]), number))
