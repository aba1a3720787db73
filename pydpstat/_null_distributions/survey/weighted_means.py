"""Confidence intervals of weighted means, their differences and totals, with or without strata."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pydpstat._null_distributions.means.exact_moments import bound_noise_quantile
from pydpstat._null_distributions.means.mean_differences import (
    UninformativeInterval,
    WelchInterval,
    compute_two_sample_pvalue,
    make_welch_interval,
)
from pydpstat._null_distributions.means.noisy_t import (
    EXCLUDED_PROBABILITY,
    NoisySums,
    NoisyTInterval,
    compute_t_pvalue,
    make_t_distribution,
)
from pydpstat._null_distributions.simulation import find_interval_end
from pydpstat.r_arithmetic.elementary import Floats

WEIGHTED_ASSUMPTIONS = (
    "records are drawn independently, each with its weight",
    "the mean is that of records and weights clipped to their bounds",
)


@dataclass(frozen=True)
class WeightedSums:
    """Noisy sums over records z in [-1, 1] with weights v in [0, 1]."""

    linear_sums: tuple[float, ...]
    quadratic_sums: tuple[float, ...]
    remaining_weight: float
    noise_scales: tuple[float, float]
    size: int | None

    def compute_centered_sums(self, mean: float) -> NoisySums:
        """Return the sums of 1, y and y^2 for ``y = mean + v (z - mean)``."""
        first, second = self.noise_scales
        low, high = -1.0 - mean, 1.0 - mean
        # elements: the two sums of weights, the three of squared weights, and the rest
        count = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
        distance = np.array([low, high, 0.0, 0.0, 0.0, 0.0])
        square = np.array([0.0, 0.0, low * low, low * high, high * high, 0.0])
        if self.size is not None:
            count = np.zeros(6)
        scale = np.array([first, first, second, second, second, first])
        noisy = np.array([*self.linear_sums, *self.quadratic_sums, self.remaining_weight])
        size = float(self.size) if self.size is not None else float(count @ noisy)
        values = (size, float(distance @ noisy), float(square @ noisy))
        return convert_centered_noisy_sums(mean, values, (count * scale, distance * scale, square * scale), self.size)

    @property
    def mean(self) -> float:
        """Weighted mean; 0 if the sum of weights is at most 1."""
        return compute_weighted_mean(self.linear_sums)


def compute_weighted_mean(linear_sums: tuple[float, ...]) -> float:
    """Return the weighted mean from the two sums of weights."""
    total = linear_sums[0] + linear_sums[1]
    return min(max((linear_sums[1] - linear_sums[0]) / total, -1.0), 1.0) if total > 1.0 else 0.0


def convert_centered_sums(mean: float, size: Any, distance: Any, square: Any) -> tuple[Any, Any, Any]:
    """Return the sums of 1, y and y^2 from those of 1, y - mean and its square."""
    first = distance + mean * size
    return size, first, square + 2.0 * mean * first - mean * mean * size


def convert_centered_noisy_sums(
    mean: float, values: tuple[float, float, float], noise: Iterable[Floats], size: int | None
) -> NoisySums:
    """Return the sums of 1, y and y^2 from those of 1, y - mean and its square, with their noise."""
    first, second, third = (tuple(each.tolist()) for each in convert_centered_sums(mean, *noise))
    return NoisySums(convert_centered_sums(mean, *values), (first, second, third), "laplace", size)


@dataclass(frozen=True)
class WeightedMeanInterval:
    """Confidence interval of the weighted mean of the population, in units of the data."""

    weighted_sums: AnyWeightedSums
    middle: float
    half_width: float

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval, which misses the mean with probability at most `alpha`."""
        center = self.weighted_sums.mean
        total = max(sum(self.weighted_sums.linear_sums), 1.0)
        sums = self.weighted_sums.compute_centered_sums(center)
        noise = 2.0 * float(np.square(sums.noise[1]).sum() + center**2 * np.square(sums.noise[0]).sum())
        size, first, square = sums.sums
        spread = max(square - 2.0 * center * first + center * center * size, self.weighted_sums.noise_scales[1])
        error = math.sqrt(spread + noise) / total

        def compute_pvalue(mean: float) -> float:
            return compute_t_pvalue(self.weighted_sums.compute_centered_sums(mean), mean, stop_above=alpha)[1]

        ends = [find_interval_end(compute_pvalue, alpha, center, error, side, 1.0) for side in (-1.0, 1.0)]
        low, high = (self.middle + self.half_width * end for end in ends)
        bounds = self.middle - self.half_width, self.middle + self.half_width
        return max(low, bounds[0]), min(high, bounds[1])


@dataclass(frozen=True)
class RescaledInterval:
    """Interval in another unit, limited to the largest possible distance."""

    inner: WelchInterval | UninformativeInterval
    unit: float
    max_distance: float

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval."""
        low, high = (self.unit * end for end in self.inner.compute_limits(alpha))
        return max(low, -self.max_distance), min(high, self.max_distance)


def compare_weighted_means(
    weighted_sums: tuple[AnyWeightedSums, AnyWeightedSums], half_width: float
) -> tuple[float, float, RescaledInterval, bool]:
    """Return the statistic, the p-value of equal means, the interval, and whether the result is informative.

    Woodruff, R. S. (1971). A simple method for approximating the variance of a complicated estimate. Journal
    of the American Statistical Association 66, 411-414.

    With a the released mean and w the released mean weight of a group, the mean of ``a + v (z - a) / w`` is the
    population's weighted mean if a and w are near theirs (Taylor's linearization): the noisy Welch test of
    two means compares these, in a unit in which they lie in [-1, 1].
    """
    interval = make_weighted_interval(weighted_sums, half_width)
    if isinstance(interval.inner, UninformativeInterval):
        return 0.0, 1.0, interval, False
    return *compute_two_sample_pvalue(interval.inner.noisy_sums), interval, True


def make_weighted_interval(
    weighted_sums: tuple[AnyWeightedSums, AnyWeightedSums], half_width: float
) -> RescaledInterval:
    """Return the interval of `compare_weighted_means`."""
    middle = 0.5 * (weighted_sums[0].mean + weighted_sums[1].mean)
    parts = []
    for each in weighted_sums:
        total = sum(each.linear_sums)
        if total <= bound_noise_quantile(np.full(2, each.noise_scales[0]), "laplace", EXCLUDED_PROBABILITY):
            return RescaledInterval(UninformativeInterval(-2.0, 2.0), half_width, 2.0 * half_width)
        sums = each.compute_centered_sums(each.mean)
        # noise can make the mean weight larger than 1
        parts.append((sums, each.mean, min(total / max(sums.sums[0], 1.0), 1.0)))
    unit = max(abs(center - middle) + (1.0 + abs(center)) / weight for _, center, weight in parts)
    first, second = (_compute_linearized_sums(*part, middle, unit) for part in parts)
    return RescaledInterval(make_welch_interval((first, second), 1.0), unit * half_width, 2.0 * half_width)


def _compute_linearized_sums(
    noisy_sums: NoisySums, center: float, weight: float, middle: float, unit: float
) -> NoisySums:
    """Return the sums of 1, t and t^2 for ``t = (center + (y - center) / weight - middle) / unit``."""
    sums, noise = ([np.asarray(each) for each in rows] for rows in (noisy_sums.sums, noisy_sums.noise))
    found = []
    for size, first, square in (sums, noise):
        distance = first - center * size
        around = square - 2.0 * center * first + center * center * size
        scale = weight * unit
        place = (center - middle) / unit
        found.append(convert_centered_sums(place, size, distance / scale, around / scale**2))
    values = tuple(float(each) for each in found[0])
    rows = tuple(tuple(each.tolist()) for each in found[1])
    return NoisySums(
        (values[0], values[1], values[2]),
        (rows[0], rows[1], rows[2]),
        noisy_sums.noise_family,
        noisy_sums.size,
    )


FloatPair = tuple[float, float]
_POPULATION_MULTIPLE = 100.0


@dataclass(frozen=True)
class TotalInterval:
    """Confidence interval of a population total: n times that of a mean by the noisy t test."""

    mean_interval: NoisyTInterval
    size: int

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval, which misses the total with probability at most `alpha`."""
        low, high = self.mean_interval.compute_limits(alpha)
        return self.size * low, self.size * high


@dataclass(frozen=True)
class NoisySize:
    """Noisy number of records."""

    value: float
    noise_scale: float
    n_noises: int
    is_complete: bool = True

    def find_plausible_sizes(self) -> tuple[int, ...]:
        """Return plausible numbers of records; the true one is in their range with 1 - `EXCLUDED_PROBABILITY`."""
        reach = bound_noise_quantile(np.full(self.n_noises, self.noise_scale), "laplace", 0.5 * EXCLUDED_PROBABILITY)
        low, high = max(self.value - reach, 1.0), max(self.value + reach, 1.0)
        if not self.is_complete:
            return (round(_POPULATION_MULTIPLE * high),)
        points = np.geomspace(low, high, 3 if high < 1.3 * low else 5)
        return tuple(sorted({round(each) for each in points.tolist()}))


@dataclass(frozen=True)
class PrivateSizeTotal:
    """Noisy sums of bounded products y in a domain, and the noisy number of all records."""

    weights: tuple[float, ...]
    noise_scale: float
    bounds: FloatPair
    noisy_size: NoisySize

    def make_sums(self, size: int) -> NoisySums:
        """Return the sums of 1, z and z^2 over `size` records, with y = 0 for those outside the domain."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        zero = -middle / half
        # coefficients of 1, z and z^2 in the weights, and their values for a record with y = 0
        rows = np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 1.0]])
        outside = np.array([1.0, zero, zero * zero])
        rest = rows - np.outer(outside, rows[0])
        values = rest @ np.array(self.weights) + size * outside
        noise = [tuple(row) for row in (self.noise_scale * rest).tolist()]
        sums = float(size), float(values[1]), float(values[2])
        return NoisySums(sums, (noise[0], noise[1], noise[2]), "laplace", size)

    def compute_limits(self, alpha: float) -> FloatPair:
        """Return the limits of the interval, which misses the total with probability at most `alpha`."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        found = []
        for size in self.noisy_size.find_plausible_sizes():
            low, high = NoisyTInterval(self.make_sums(size), middle, half).compute_limits(alpha - EXCLUDED_PROBABILITY)
            found.append((size * low, size * high))
        return min(low for low, _ in found), max(high for _, high in found)


STRATA_ASSUMPTIONS = (
    "records are drawn independently within strata, each with its weight, in fixed numbers",
    "the mean is that of records and weights clipped to their bounds",
)
# number of noises that approximate a sum of many; fewer have longer tails
_MAX_NOISES = 2


@dataclass(frozen=True)
class StratifiedSums:
    """Noisy sums of each stratum, with a private number of records."""

    strata: tuple[WeightedSums, ...]

    @property
    def linear_sums(self) -> tuple[float, ...]:
        """Sums of v (1 - z) / 2 and v (1 + z) / 2 over all records."""
        low, high = zip(*(each.linear_sums for each in self.strata))
        return math.fsum(low), math.fsum(high)

    @property
    def noise_scales(self) -> tuple[float, float]:
        """Noise scales of the sums of v and of those of v^2 over all strata."""
        first, second = self.strata[0].noise_scales
        root = math.sqrt(len(self.strata))
        return first * root, second * root

    @property
    def mean(self) -> float:
        """Weighted mean; 0 if the sum of weights is at most 1."""
        return compute_weighted_mean(self.linear_sums)

    def compute_centered_sums(self, mean: float) -> NoisySums:
        """Return the sums of 1, y and y^2 for ``y = mean + v (z - mean)``, with squares within strata."""
        within = sum_within_strata([each.compute_centered_sums(mean) for each in self.strata], mean)
        return convert_centered_noisy_sums(mean, (within.size, within.distance, within.square), within.noise, None)


AnyWeightedSums = WeightedSums | StratifiedSums


@dataclass(frozen=True)
class StratifiedTotal:
    """Noisy sums of bounded products in each stratum, and the noisy number of all records."""

    strata: tuple[NoisySums, ...]
    bounds: FloatPair
    noisy_size: NoisySize

    def make_sums(self, mean: float, size: int) -> NoisySums:
        """Return the sums of 1, z and z^2 for a hypothetical mean of `size` values z, with squares within strata.

        The noisy number of records does not enter the noisy total.
        """
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        within = sum_within_strata(self.strata, mean)
        count, away, square = within.noise
        # the total is the number of records times the middle, plus the half width times the sum of z
        far = middle / half + mean
        distance = within.distance + far * (within.size - size)
        noise = (0.0 * count, away + far * count, square)
        return convert_centered_noisy_sums(mean, (float(size), distance, within.square), noise, size)

    def compute_limits(self, alpha: float) -> FloatPair:
        """Return the limits of the interval, which misses the total with probability at most `alpha`."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        found = []
        for size in self.noisy_size.find_plausible_sizes():
            first = math.fsum(
                each.sums[1] + middle / half * (each.sums[0] - size / len(self.strata)) for each in self.strata
            )
            center = min(max(first / size, -1.0), 1.0)
            known = self.make_sums(center, size)
            law = make_t_distribution(known, center, size)
            error = math.sqrt(max(law.compute_centered_sums(known.sums)[1], law.floor) + law.noise_variance) / size

            def compute_pvalue(mean: float, size: int = size) -> float:
                return (
                    compute_t_pvalue(self.make_sums(mean, size), mean, stop_above=alpha - EXCLUDED_PROBABILITY)[1]
                    + EXCLUDED_PROBABILITY
                )

            low, high = (find_interval_end(compute_pvalue, alpha, center, error, side, 1.0) for side in (-1.0, 1.0))
            found.append((size * (middle + half * low), size * (middle + half * high)))
        return min(low for low, _ in found), max(high for _, high in found)


class StrataSums(NamedTuple):
    """Sums over all strata: numbers of records, deviations from a mean and squares within strata, with their noise."""

    size: float
    distance: float
    square: float
    noise: Floats


def sum_within_strata(strata: Sequence[NoisySums], mean: float) -> StrataSums:
    """Return the sums over strata for a hypothetical mean; all strata have the same noise scales."""
    count, row, square = (np.array(each) for each in strata[0].noise)
    distance = row - mean * count
    around = square - 2.0 * mean * row + mean * mean * count
    # one standard deviation of a deviation's noise, and two of a number of records'
    apart, more = math.sqrt(2.0 * float(distance @ distance)), 2.0 * math.sqrt(2.0 * float(count @ count))
    size, total, inside = 0.0, 0.0, 0.0
    for each in strata:
        n, first, squares = each.sums
        away = first - mean * n
        rest = squares - 2.0 * mean * first + mean * mean * n
        rest -= max(abs(away) - apart, 0.0) ** 2 / max(n + more, 1.0)
        size, total = size + n, total + away
        # the divisor n - 1
        inside += rest + max(rest, 0.0) / max(n - 1.0, 1.0)
    number = min(len(strata), _MAX_NOISES)
    spread = math.sqrt(len(strata) / number)
    return StrataSums(size, total, inside, np.tile(spread * np.array([count, distance, around]), number))
