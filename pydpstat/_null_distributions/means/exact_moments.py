"""Confidence intervals of a mean and a variance from noisy sums, valid for every distribution within the bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, ndtri, xlog1py, xlogy

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.means.noisy_t import NoisySums, NoisyTDistribution, make_t_distribution
from pydpstat._null_distributions.simulation import (
    NoiseFamily,
    compute_noise_quantiles,
    find_interval_end,
    tabulate_survival,
)
from pydpstat._search import bisect_up
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.r_arithmetic.elementary import Floats

# probability that the bound on the variance is wrong
EXCLUDED_PROBABILITY = 0.002
_MAX_CUTS = 128
_SMALLEST_TAIL = 1e-12


def compute_bentkus_bound(n: int, p: float, x: Floats) -> Floats:
    """Return Bentkus's upper bounds of P(S >= x) for each x, with T = Bin(n, p) - n p.

    Records z lie in [-1, 1]. Under a hypothetical mean the squared deviations lie in [0, M], and their noisy
    sum bounds the variance; the sum of the deviations is then bounded by the most extreme two-valued
    distribution. Both steps use one inequality: for independent variables with mean 0, at most b and with average
    variance at most s^2, ``P(S >= x) <= inf_h E (T - h)_+^2 / (x - h)^2``, where T is the sum of as many
    independent variables with values b and -s^2 / b. Noise is integrated out by steps from above.
    Bentkus, V. (2004). On Hoeffding's inequalities. Annals of Probability 32, 1650-1673.
    """
    sd = math.sqrt(n * p * (1.0 - p))
    low = max(0, int(n * p - 6.0 * sd - 6.0))
    high = min(n, int(n * p + 14.0 * sd + 60.0))
    support = np.arange(low, high + 1, dtype=np.float64)
    logs = gammaln(n + 1.0) - gammaln(support + 1.0) - gammaln(n - support + 1.0)
    mass = np.exp(logs + xlogy(support, p) + xlog1py(n - support, -p))
    values = support - n * p
    tails = [np.cumsum((mass * values**power)[::-1])[::-1] for power in range(3)]
    # every h gives a valid bound, so a subset of values is enough
    cuts = np.unique(np.linspace(0, support.size - 1, min(_MAX_CUTS, support.size)).astype(int))
    zeroth, first, second = (tail[cuts] for tail in tails)
    max_h = values[cuts]
    below = values[cuts] - 1.0
    thresholds = x[:, None]
    with np.errstate(all="ignore"):
        best = (thresholds * first - second) / (thresholds * zeroth - first)
        h = np.clip(np.where(np.isfinite(best), best, max_h), below, max_h)
        bound = (second - 2.0 * h * first + h * h * zeroth) / np.square(thresholds - h)
    bound = np.where(h < thresholds, np.maximum(bound, 0.0), 1.0)
    bounds = np.minimum(bound.min(axis=1), 1.0)
    # x above the largest possible sum
    bounds = np.where(x > n - n * p + 1e-9 * n, 0.0, bounds)
    return np.where(x <= 0.0, 1.0, bounds)


@lru_cache(maxsize=4)
def _make_probability_steps() -> tuple[Floats, Floats]:
    """Return the probabilities of steps and the tail probabilities at their upper ends; a small remainder is left."""
    upper = np.geomspace(0.5, _SMALLEST_TAIL, 140)
    shares = np.concatenate([np.linspace(0.02, 0.5, 25), 1.0 - upper[1:]])
    tails = np.concatenate([np.linspace(0.98, 0.5, 25), upper[1:]])
    return freeze_array(np.diff(np.concatenate([[0.0], shares]))), freeze_array(tails)


def bound_noise_by_steps(scales: tuple[float, ...], noise_family: NoiseFamily) -> tuple[Floats, Floats, float]:
    """Return a discrete distribution above that of the noise: probabilities, values, and the remaining probability.

    The noise is a sum of two or three independent noises with the given scales.
    """
    weights, tails = _make_probability_steps()
    if noise_family == "normal":
        return weights, -math.hypot(*scales) * ndtri(tails), 1.0 - float(weights.sum())
    large, small = max(scales), min(scales)
    grid = np.linspace(-60.0, 60.0, 4801) * large
    if isinstance(noise_family, tuple):
        return weights, _bound_noise_sum(scales, noise_family, tails), 2.0 * (1.0 - float(weights.sum()))
    if len(scales) > 2:
        survival = _compute_laplace_sum_tail(scales, np.abs(grid))
    elif small > 0.999 * large:
        # both scales are set to the larger one, which increases the noise
        survival = 0.25 * np.exp(-np.abs(grid) / large) * (2.0 + np.abs(grid) / large)
    else:
        ratio = small / large
        correction = ratio * ratio * np.exp(-np.abs(grid) / max(small, 1e-300)) if small > 0.0 else 0.0
        survival = 0.5 * (np.exp(-np.abs(grid) / large) - correction) / (1.0 - ratio * ratio)
    survival = np.where(grid >= 0.0, survival, 1.0 - survival)
    # rounds up to the next grid point
    indices = np.searchsorted(-survival, -tails, side="left")
    return weights, grid[np.minimum(indices, grid.size - 1)], 1.0 - float(weights.sum())


def _bound_noise_sum(scales: tuple[float, ...], noise_family: tuple[Noise, ...], tails: Floats) -> Floats:
    """Return upper bounds of the upper quantiles of a scaled sum of two noises of variance 1."""
    (large, wide_noise), (small, narrow_noise) = sorted(zip(scales, noise_family), key=lambda each: -each[0])
    grid, above = tabulate_survival(wide_noise)
    weights, _ = _make_probability_steps()
    # the narrower noise is replaced by steps from above; rounding down the grid index increases the tail
    steps = compute_noise_quantiles(1.0 - tails[None], (narrow_noise,))[0] * (small / large)
    below = np.floor((grid[:, None] - steps - grid[0]) / (grid[1] - grid[0])).astype(np.intp)
    summed = above[below.clip(0, grid.size - 1)] @ weights
    indices = np.searchsorted(-summed, -tails, side="left")
    return large * grid[np.minimum(indices, grid.size - 1)]


def _compute_laplace_sum_tail(scales: tuple[float, ...], x: Floats) -> Floats:
    """Return P(X >= x) of a sum of Laplace variables, for x >= 0, by partial fractions.

    Scales that are close to each other are increased until they are separated, which increases the noise.
    """
    distinct: list[float] = []
    for scale in sorted(scales):
        distinct.append(max(scale, 1.05 * distinct[-1] if distinct else 1e-3 * max(scales)))
    squares = np.square(distinct)
    tails = np.zeros_like(x)
    for i, scale in enumerate(distinct):
        differing = np.delete(squares, i)
        tails += 0.5 * float(np.prod(squares[i] / (squares[i] - differing))) * np.exp(-x / scale)
    return tails


def compute_expected_bound(n: int, p: float, x: Floats, weights: Floats, remainder: float) -> float:
    """Return the bound of `compute_bentkus_bound` averaged over the noise."""
    if not 0.0 < p < 1.0:
        bounds = (x <= 0.0).astype(np.float64)
    else:
        bounds = compute_bentkus_bound(n, p, x)
    return min(1.0, float(weights @ bounds) + remainder)


def bound_variance(distribution: NoisyTDistribution, square_sum: float) -> float:
    """Return a limit that the variance exceeds with probability at most `EXCLUDED_PROBABILITY`, from Q."""
    max_variance = 1.0 - distribution.mean * distribution.mean
    max_square = (1.0 + abs(distribution.mean)) ** 2
    weights, noise, tail = bound_noise_by_steps(_get_noise_scales(distribution.second_noise), distribution.noise_family)

    def is_too_large(v: float) -> bool:
        x = (distribution.n * v - square_sum - noise) / max_square
        return compute_expected_bound(distribution.n, 1.0 - v / max_square, x, weights, tail) <= EXCLUDED_PROBABILITY

    if not is_too_large(max_variance):
        return max_variance
    return bisect_up(lambda v: not is_too_large(v), 0.0, max_variance, steps=12)[1]


def _get_noise_scales(noise: tuple[float, ...]) -> tuple[float, float]:
    return abs(noise[0]), abs(noise[1])


def _bound_tails(distribution: NoisyTDistribution, deviation_sum: float, square_sum: float) -> tuple[float, float]:
    """Return bounds of the probabilities of a sum at least, and at most, as large as the observed one."""
    variance = bound_variance(distribution, square_sum)
    weights, noise, tail = bound_noise_by_steps(_get_noise_scales(distribution.first_noise), distribution.noise_family)
    tails = []
    for sign in (1.0, -1.0):
        distance = 1.0 - sign * distribution.mean
        if distance <= 0.0 or variance <= 0.0:
            # records cannot lie on that side of the mean
            tails.append(compute_expected_bound(distribution.n, 0.0, sign * deviation_sum - noise, weights, tail))
            continue
        opposite = variance / distance
        x = (sign * deviation_sum - noise) / (distance + opposite)
        tails.append(compute_expected_bound(distribution.n, opposite / (distance + opposite), x, weights, tail))
    return tails[0], tails[1]


def _bound_exact_pvalue(
    distribution: NoisyTDistribution, deviation_sum: float, square_sum: float, alternative: str
) -> float:
    upper_tail, lower_tail = _bound_tails(distribution, deviation_sum, square_sum)
    share = {"greater": upper_tail, "less": lower_tail, "two-sided": 2.0 * min(upper_tail, lower_tail)}[alternative]
    return min(1.0, EXCLUDED_PROBABILITY + share)


def compute_exact_pvalue(noisy_sums: NoisySums, mean: float, alternative: str = "two-sided") -> tuple[float, float]:
    """Return the studentized mean and a p-value valid for every distribution; the number of records is public."""
    distribution = make_t_distribution(noisy_sums, mean, noisy_sums.size or 1)
    first, second = distribution.compute_centered_sums(noisy_sums.sums)
    return distribution.compute_statistic(first, second), _bound_exact_pvalue(distribution, first, second, alternative)


@dataclass(frozen=True)
class ExactMeanInterval:
    """Confidence interval of a mean by the exact test, in units of the data; for arguments see `NoisyTInterval`."""

    noisy_sums: NoisySums
    middle: float
    half_width: float
    alternative: str = "two-sided"

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval, which misses the mean with probability at most `alpha`."""
        size = self.noisy_sums.size or 1
        clipped_sum = min(max(self.noisy_sums.sums[1], -float(size)), float(size))
        center = make_t_distribution(self.noisy_sums, clipped_sum / size, size)
        _, second = center.compute_centered_sums(self.noisy_sums.sums)
        error = math.sqrt(max(second, center.floor) + center.noise_variance) / size

        def compute_pvalue(mean: float) -> float:
            distribution = make_t_distribution(self.noisy_sums, mean, size)
            first, _ = distribution.compute_centered_sums((float(size), clipped_sum, 0.0))
            _, square = distribution.compute_centered_sums(self.noisy_sums.sums)
            return _bound_exact_pvalue(distribution, first, square, self.alternative)

        limits = [-1.0, 1.0]
        for index, (side, one_sided) in enumerate(((-1.0, "greater"), (1.0, "less"))):
            if self.alternative in ("two-sided", one_sided):
                limits[index] = find_interval_end(compute_pvalue, alpha, clipped_sum / size, error, side, 1.0)
        bounds = self.middle - self.half_width, self.middle + self.half_width
        low, high = (min(max(self.middle + self.half_width * end, bounds[0]), bounds[1]) for end in limits)
        return low, high


# fractions of alpha for the mean and for the number of records
_MEAN_SHARE, _SIZE_SHARE = 0.1, 0.05
_SMALLEST_VARIANCE = 1e-10
_COARSE_CELLS, _FINE_CELLS = 40, 16
# largest distance of a record from the mean
_MAX_DISTANCE = 2.0


@dataclass(frozen=True)
class VarianceInterval:
    """Confidence interval of a variance or a standard deviation from noisy sums, in units of the data.

    Bentkus, V. (2004). On Hoeffding's inequalities. Annals of Probability 32, 1650-1673.

    Let m and v be the mean and the variance of the z, and Y = (z - m)^2, which lies in [0, M] with
    M = (1 + |m|)^2 and has the mean v. The sum of the Y - v is known up to noise: R(m, v) = S2 - 2 m S1 +
    (m^2 - v) S0. For the true (m, v), each of these fails with at most its fraction of alpha:

    - |S1 - m S0| <= t, with t from Bernstein's inequality for the variance v, and from the noise (a tenth);
    - R is neither too large nor too small for variables Y with mean v between 0 and M. Their variance
      is at most v (M - v), and the tail bound is that of Bentkus for sums of such variables
      (`compute_bentkus_bound`), with the noise integrated out;
    - for a private number of records, the number is at most an upper limit from S0 and its noise (a
      twentieth); the bounds above increase with it.

    A v is excluded if every m is excluded for it. R, M and the noise are each evaluated at the least favorable
    m, and towards larger v for a whole range of v jointly, with the t of its upper end: so the interval covers
    v with 1 - alpha for every distribution. No variance is above 1 - m^2. For records with few different
    distances from the mean, such as 0/1 data, the interval is short; for normal data the fourth moments that
    the bounds allow make it about three times as long as one with known fourth moments.
    """

    noisy_sums: NoisySums
    half_width: float
    is_standard_deviation: bool

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval, which misses the parameter with probability at most `alpha`."""
        region = make_plausible_region(self.noisy_sums, alpha)
        low, high = region.find_lowest_variance(), region.find_highest_variance()
        low, high = min(low, high), max(low, high)
        if self.is_standard_deviation:
            return self.half_width * math.sqrt(low), self.half_width * math.sqrt(high)
        return self.half_width * self.half_width * low, self.half_width * self.half_width * high


@dataclass(frozen=True)
class PlausibleRegion:
    """Means and variances that are not excluded by noisy sums, as defined in `VarianceInterval`."""

    sums: tuple[float, float, float]
    noise_coefficients: Floats
    noise_family: str
    max_size: int
    log_probability: float
    noise_bound: float
    tail_probability: float

    def find_mean_range(self, variance: float) -> tuple[float, float]:
        """Return the smallest and the largest plausible mean for variances up to `variance`."""
        size, first, _ = self.sums
        term = self.log_probability * _MAX_DISTANCE / 3.0
        distance = (
            term + math.sqrt(term * term + 2.0 * self.log_probability * self.max_size * variance) + self.noise_bound
        )
        if size <= 0.0:
            return -1.0, 1.0
        low, high = (first - distance) / size, (first + distance) / size
        return max(low, -1.0), min(high, 1.0)

    def find_lowest_variance(self) -> float:
        """Return the smallest variance for which the sum of squares is not too large."""
        above, below = 1.0, _SMALLEST_VARIANCE
        if not self._is_too_small(below):
            return 0.0
        for _ in range(14):
            middle = math.sqrt(below * above)
            below, above = (middle, above) if self._is_too_small(middle) else (below, middle)
        return below

    def find_highest_variance(self) -> float:
        """Return the largest variance for which the sum of squares is not too small."""
        high = self._find_highest_range(
            np.concatenate([[0.0], np.geomspace(_SMALLEST_VARIANCE, 1.0, _COARSE_CELLS + 1)])
        )
        return self._find_highest_range(np.linspace(high[0], high[1], _FINE_CELLS + 1))[1]

    def _find_highest_range(self, edges: Floats) -> tuple[float, float]:
        """Return the uppermost range between edges that is not excluded."""
        pairs = list(zip(edges[:-1].tolist(), edges[1:].tolist()))
        for low, high in reversed(pairs):
            if not self._is_too_large(low, high):
                return low, high
        return pairs[0]

    def _is_too_small(self, variance: float) -> bool:
        means = self.find_mean_range(variance)
        size, first, _ = self.sums
        nearest = min(max(first / size, means[0]), means[1]) if size > 0.0 else 0.0
        min_excess = min(self._compute_square_excess(mean, variance) for mean in (*means, nearest))
        return self._bound_tail(min_excess, variance, means, lambda p: p) <= self.tail_probability

    def _is_too_large(self, low: float, high: float) -> bool:
        """Return whether all variances of a range are too large."""
        means, furthest = self.find_mean_range(high), math.sqrt(1.0 - low)
        # no variance is above 1 - m^2
        means = max(means[0], -furthest), min(means[1], furthest)
        if means[0] > means[1]:
            return True
        largest = max(self._compute_square_excess(mean, low) for mean in means)
        if self.sums[0] <= 0.0:
            return False
        return self._bound_tail(-largest, low, means, lambda p: 1.0 - p) <= self.tail_probability

    def _compute_square_excess(self, mean: float, variance: float) -> float:
        size, first, second = self.sums
        return second - 2.0 * mean * first + (mean * mean - variance) * size

    def _bound_tail(
        self, excess: float, variance: float, means: tuple[float, float], choose_probability: Callable[[float], float]
    ) -> float:
        """Return a bound of the probability of an excess over the expected sum at least as large, on one side."""
        distance = 1.0 + max(map(abs, means))
        weights, noise, tail = bound_noise_by_steps(self._bound_noise_scales(variance, means), self.noise_family)
        p = choose_probability(min(variance / (distance * distance), 1.0))
        return compute_expected_bound(self.max_size, p, (excess - noise) / (distance * distance), weights, tail)

    def _bound_noise_scales(self, variance: float, means: tuple[float, float]) -> tuple[float, ...]:
        """Return the largest scale of each noise in R over the range of means."""
        size, linear, square = self.noise_coefficients
        scales = np.zeros(size.size)
        for index in range(size.size):
            # the absolute value of a parabola is largest at a limit or at its vertex
            vertex = linear[index] / size[index] if size[index] else 0.0
            for mean in (*means, min(max(vertex, means[0]), means[1])):
                scale = square[index] - 2.0 * mean * linear[index] + (mean * mean - variance) * size[index]
                scales[index] = max(scales[index], abs(scale))
        return tuple(scales.tolist())


def make_plausible_region(noisy_sums: NoisySums, alpha: float) -> PlausibleRegion:
    """Return the means and variances that noisy sums do not exclude, with error probability alpha."""
    size, first, second = noisy_sums.sums
    mix, noise_family = np.array(noisy_sums.noise), noisy_sums.noise_family
    assert isinstance(noise_family, str), "spreads have Laplace or normal noise"
    used, max_size = _MEAN_SHARE * alpha, noisy_sums.size or 1
    if noisy_sums.size is None:
        used += _SIZE_SHARE * alpha
        max_size = max(1, math.ceil(size + bound_noise_quantile(np.abs(mix[0]), noise_family, _SIZE_SHARE * alpha)))
    max_sum = max(size, 0.0)
    share = 0.5 * _MEAN_SHARE * alpha
    # the mean is unknown, so each noise has its largest scale
    noise_bound = bound_noise_quantile(np.abs(mix[1]) + np.abs(mix[0]), noise_family, 0.5 * share)
    sums = (size, min(max(first, -max_sum), max_sum), second)
    return PlausibleRegion(sums, mix, noise_family, max_size, math.log(2.0 / share), noise_bound, 0.5 * (alpha - used))


def bound_noise_quantile(scales: Floats, noise_family: str, probability: float) -> float:
    """Return a limit that a sum of independent noises with these scales exceeds with at most `probability`.

    For one Laplace variable it is the quantile, for several Chernoff's bound minimized over a grid.
    """
    scales = scales[scales > 0.0]
    if not scales.size:
        return 0.0
    if noise_family == "normal":
        from scipy.special import ndtri

        return float(-ndtri(probability) * np.sqrt(np.square(scales).sum()))
    if scales.size == 1:
        return float(scales[0]) * math.log(0.5 / probability)
    steps = np.linspace(0.02, 0.995, 100)[:, None] / scales.max()
    bounds = (-math.log(probability) - np.log1p(-np.square(steps * scales)).sum(axis=1)) / steps[:, 0]
    return float(bounds.min())
