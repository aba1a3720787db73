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
        linear_scale, quadratic_scale = self.noise_scales
        low, high = -1.0 - mean, 1.0 - mean
        # elements: the two sums of weights, the three of squared weights, and the rest
        count = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
        distance = np.array([low, high, 0.0, 0.0, 0.0, 0.0])
        square = np.array([0.0, 0.0, low * low, low * high, high * high, 0.0])
        if self.size is not None:
            count = np.zeros(6)
        scale = np.array([linear_scale, linear_scale, quadratic_scale, quadratic_scale, quadratic_scale, linear_scale])
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
    value_sum = distance + mean * size
    return size, value_sum, square + 2.0 * mean * value_sum - mean * mean * size


def convert_centered_noisy_sums(
    mean: float, values: tuple[float, float, float], noise: Iterable[Floats], size: int | None
) -> NoisySums:
    """Return the sums of 1, y and y^2 from those of 1, y - mean and its square, with their noise."""
    first, second, third = (tuple(coefficients.tolist()) for coefficients in convert_centered_sums(mean, *noise))
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
        square_sum = max(square - 2.0 * center * first + center * center * size, self.weighted_sums.noise_scales[1])
        error = math.sqrt(square_sum + noise) / total

        def compute_pvalue(mean: float) -> float:
            return compute_t_pvalue(self.weighted_sums.compute_centered_sums(mean), mean, stop_above=alpha)[1]

        limits = [find_interval_end(compute_pvalue, alpha, center, error, side, 1.0) for side in (-1.0, 1.0)]
        low, high = (self.middle + self.half_width * end for end in limits)
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
    group_sums = []
    for group in weighted_sums:
        total = sum(group.linear_sums)
        if total <= bound_noise_quantile(np.full(2, group.noise_scales[0]), "laplace", EXCLUDED_PROBABILITY):
            return RescaledInterval(UninformativeInterval(-2.0, 2.0), half_width, 2.0 * half_width)
        sums = group.compute_centered_sums(group.mean)
        # noise can make the mean weight larger than 1
        group_sums.append((sums, group.mean, min(total / max(sums.sums[0], 1.0), 1.0)))
    unit = max(abs(center - middle) + (1.0 + abs(center)) / weight for _, center, weight in group_sums)
    first, second = (_compute_linearized_sums(*group_terms, middle, unit) for group_terms in group_sums)
    return RescaledInterval(make_welch_interval((first, second), 1.0), unit * half_width, 2.0 * half_width)


def _compute_linearized_sums(
    noisy_sums: NoisySums, center: float, weight: float, middle: float, unit: float
) -> NoisySums:
    """Return the sums of 1, t and t^2 for ``t = (center + (y - center) / weight - middle) / unit``."""
    sums, noise = ([np.asarray(element) for element in rows] for rows in (noisy_sums.sums, noisy_sums.noise))
    linearized = []
    for size, first, square in (sums, noise):
        distance = first - center * size
        square_sum = square - 2.0 * center * first + center * center * size
        scale = weight * unit
        position = (center - middle) / unit
        linearized.append(convert_centered_sums(position, size, distance / scale, square_sum / scale**2))
    values = tuple(float(element) for element in linearized[0])
    rows = tuple(tuple(element.tolist()) for element in linearized[1])
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
        half_width = bound_noise_quantile(
            np.full(self.n_noises, self.noise_scale), "laplace", 0.5 * EXCLUDED_PROBABILITY
        )
        low, high = max(self.value - half_width, 1.0), max(self.value + half_width, 1.0)
        if not self.is_complete:
            return (round(_POPULATION_MULTIPLE * high),)
        sizes = np.geomspace(low, high, 3 if high < 1.3 * low else 5)
        return tuple(sorted({round(size) for size in sizes.tolist()}))


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
        outside_record = np.array([1.0, zero, zero * zero])
        adjusted_rows = rows - np.outer(outside_record, rows[0])
        values = adjusted_rows @ np.array(self.weights) + size * outside_record
        noise = [tuple(row) for row in (self.noise_scale * adjusted_rows).tolist()]
        sums = float(size), float(values[1]), float(values[2])
        return NoisySums(sums, (noise[0], noise[1], noise[2]), "laplace", size)

    def compute_limits(self, alpha: float) -> FloatPair:
        """Return the limits of the interval, which misses the total with probability at most `alpha`."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        total_limits = []
        for size in self.noisy_size.find_plausible_sizes():
            low, high = NoisyTInterval(self.make_sums(size), middle, half).compute_limits(alpha - EXCLUDED_PROBABILITY)
            total_limits.append((size * low, size * high))
        return min(low for low, _ in total_limits), max(high for _, high in total_limits)


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
        low, high = zip(*(stratum.linear_sums for stratum in self.strata))
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
        strata_sums = sum_within_strata([stratum.compute_centered_sums(mean) for stratum in self.strata], mean)
        return convert_centered_noisy_sums(
            mean, (strata_sums.size, strata_sums.distance, strata_sums.square), strata_sums.noise, None
        )


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
        strata_sums = sum_within_strata(self.strata, mean)
        count, deviation, square = strata_sums.noise
        # the total is the number of records times the middle, plus the half width times the sum of z
        offset = middle / half + mean
        distance = strata_sums.distance + offset * (strata_sums.size - size)
        noise = (0.0 * count, deviation + offset * count, square)
        return convert_centered_noisy_sums(mean, (float(size), distance, strata_sums.square), noise, size)

    def compute_limits(self, alpha: float) -> FloatPair:
        """Return the limits of the interval, which misses the total with probability at most `alpha`."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        total_limits = []
        for size in self.noisy_size.find_plausible_sizes():
            value_sum = math.fsum(
                stratum.sums[1] + middle / half * (stratum.sums[0] - size / len(self.strata)) for stratum in self.strata
            )
            center = min(max(value_sum / size, -1.0), 1.0)
            centered_sums = self.make_sums(center, size)
            distribution = make_t_distribution(centered_sums, center, size)
            error = (
                math.sqrt(
                    max(distribution.compute_centered_sums(centered_sums.sums)[1], distribution.floor)
                    + distribution.noise_variance
                )
                / size
            )

            def compute_pvalue(mean: float, size: int = size) -> float:
                return (
                    compute_t_pvalue(self.make_sums(mean, size), mean, stop_above=alpha - EXCLUDED_PROBABILITY)[1]
                    + EXCLUDED_PROBABILITY
                )

            low, high = (find_interval_end(compute_pvalue, alpha, center, error, side, 1.0) for side in (-1.0, 1.0))
            total_limits.append((size * (middle + half * low), size * (middle + half * high)))
        return min(low for low, _ in total_limits), max(high for _, high in total_limits)


class StrataSums(NamedTuple):
    """Sums over all strata: numbers of records, deviations from a mean and squares within strata, with their noise."""

    size: float
    distance: float
    square: float
    noise: Floats


def sum_within_strata(strata: Sequence[NoisySums], mean: float) -> StrataSums:
    """Return the sums over strata for a hypothetical mean; all strata have the same noise scales."""
    count, row, square = (np.array(stratum) for stratum in strata[0].noise)
    distance = row - mean * count
    centered_square = square - 2.0 * mean * row + mean * mean * count
    # one standard deviation of a deviation's noise, and two of a number of records'
    deviation_sd, size_margin = math.sqrt(2.0 * float(distance @ distance)), 2.0 * math.sqrt(2.0 * float(count @ count))
    size, total, square_sum = 0.0, 0.0, 0.0
    for stratum in strata:
        n, first, squares = stratum.sums
        deviation = first - mean * n
        stratum_squares = squares - 2.0 * mean * first + mean * mean * n
        stratum_squares -= max(abs(deviation) - deviation_sd, 0.0) ** 2 / max(n + size_margin, 1.0)
        size, total = size + n, total + deviation
        # the divisor n - 1
        square_sum += stratum_squares + max(stratum_squares, 0.0) / max(n - 1.0, 1.0)
    n_noises = min(len(strata), _MAX_NOISES)
    spread = math.sqrt(len(strata) / n_noises)
    return StrataSums(size, total, square_sum, np.tile(spread * np.array([count, distance, centered_square]), n_noises))
