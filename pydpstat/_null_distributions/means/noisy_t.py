"""The t test of one noisy mean: its distribution hardly depends on the unknown variance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import ndtri

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.simulation import (
    DOWNWARD_SHAPE,
    DRAWS_POWER,
    SHAPES,
    UPWARD_SHAPE,
    NoiseFamily,
    ReferenceDraws,
    draw_reference,
    find_interval_end,
    simulate_centered_sums,
)
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.r_arithmetic.elementary import Floats

Row = tuple[float, ...]
# probability that the true variance is excluded
EXCLUDED_PROBABILITY = 0.001
VARIANCE_POINTS = 47
# with fewer records, whose squares have few values, plausible variances need not be an interval
MIN_ORDERED_RECORDS = 20
# expected numbers of rare records
_EXPECTED_FAR_RECORDS = freeze_array(np.concatenate([np.arange(0.1, 3.3, 0.1), np.geomspace(3.3, 12.0, 43)]))


class CubeSum(NamedTuple):
    """Noisy sum of z^3, and the coefficients of the noises in it."""

    value: float
    noise: Row


@dataclass(frozen=True)
class NoisySums:
    """Noisy sums of 1, z and z^2 over records z in [-1, 1], and the coefficients of their noises.

    `is_normal`: the records are assumed to be close to normal. `cube_sum` is the sum of cubes, if one was released.
    """

    sums: Row
    noise: tuple[Row, Row, Row]
    noise_family: NoiseFamily
    size: int | None
    is_normal: bool = False
    cube_sum: CubeSum | None = None

    @property
    def unit_variance(self) -> float:
        """Variance of a noise of scale 1."""
        return 2.0 if self.noise_family == "laplace" else 1.0


@dataclass(frozen=True)
class NoisyTDistribution:
    """Null distribution of the t statistic for n records with a hypothetical mean and any variance.

    The noisy sums of 1, z and z^2 over records z in [-1, 1] are known. About a hypothetical mean they give W,
    the sum of the deviations, and Q, that of their squares; both are linear in the noise, so that Q is
    unbiased under the hypothesis. The statistic is ``W / sqrt(max(Q, floor) + var(noise of W))``, where the floor
    depends on the noise and on the hypothetical variance (`bound_square_sum`).

    Its p-value is the largest over all plausible variances, and over three shapes of the records'
    distribution (`simulate_centered_sums`), or over the normal one alone. A variance is plausible unless Q
    is too small or too large for it in every shape, each with probability g / 2; g is added to the p-value
    (Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance
    parameter. Journal of the American Statistical Association 89, 1012-1016).
    """

    n: int
    mean: float
    noise_family: NoiseFamily
    first_noise: Row
    second_noise: Row
    noise_variance: float
    floor: float
    is_normal: bool = False

    def get_reference_draws(self) -> ReferenceDraws:
        """Return the reference draws."""
        return draw_reference(self.n, self.noise_family, len(self.first_noise))

    def compute_noises(self) -> tuple[Floats, Floats]:
        """Return the noises of W and Q at the draws."""
        noises = self.get_reference_draws().noises
        return np.array(self.first_noise) @ noises, np.array(self.second_noise) @ noises

    def make_variance_grid(self) -> Floats:
        """Return the grid of variances: 0 and a geometric sequence up to the largest possible one."""
        return make_variance_grid(1.0 - self.mean * self.mean, self.floor, self.n)

    def get_shapes(self, variance: float) -> tuple[int, ...]:
        """Return the shapes to consider; they coincide if the variance is 0."""
        return SHAPES if variance > 0.0 and not self.is_normal else SHAPES[:1]

    def get_jump_variances(self, shape: int) -> list[tuple[float, float]]:
        """Return variances with few, or all but few, expected rare records, with slacks.

        With little noise the statistic of a skewed distribution has few values, so that its distribution
        jumps with the variance. From one of these variances to the next the expected number grows by 0.1, or
        by 3 per cent; a sum without rare records grows by the slack meanwhile, and is shifted by it.
        """
        distance = 1.0 - self.mean if shape == UPWARD_SHAPE else 1.0 + self.mean
        largest = 1.0 - self.mean * self.mean
        if self.is_normal or self.noise_variance > distance * distance or largest <= 0.0:
            # no jumps, or jumps smaller than the noise
            return []
        counts = _EXPECTED_FAR_RECORDS[_EXPECTED_FAR_RECORDS < self.n]
        variances = np.concatenate([counts / (self.n - counts), (self.n - counts) / counts]) * distance * distance
        variances = np.append(np.unique(variances[variances < largest]), largest)
        slacks = self.n * np.diff(variances, append=largest) / distance
        return list(zip(variances.tolist(), (slacks if shape == DOWNWARD_SHAPE else -slacks).tolist()))

    def bound_square_sum(self, variance: float) -> float:
        """Return the lower limit of the sum of squares under a hypothetical variance."""
        return max(self.floor, bound_square_sum(self.n, self.mean, variance))

    def compute_statistic(self, first: float, second: float, variance: float = 0.0) -> float:
        """Return the studentized sum, with the lower limit of Q under a hypothetical variance."""
        return first / math.sqrt(max(second, self.bound_square_sum(variance)) + self.noise_variance)

    def compute_centered_sums(self, sums: Row) -> tuple[float, float]:
        """Return W and Q from noisy sums of 1, z and z^2."""
        size, first, second = sums
        return first - self.mean * size, second - 2.0 * self.mean * first + self.mean * self.mean * size


def make_t_distribution(noisy_sums: NoisySums, mean: float, n: int) -> NoisyTDistribution:
    """Return the distribution for n records with a hypothetical mean."""
    mix, unit = np.array(noisy_sums.noise), noisy_sums.unit_variance
    first = mix[1] - mean * mix[0]
    second = mix[2] - 2.0 * mean * mix[1] + mean * mean * mix[0]
    variance, floor = unit * float(first @ first), math.sqrt(0.5 * unit * float(mix[2] @ mix[2]))
    noises = tuple(first.tolist()), tuple(second.tolist())
    return NoisyTDistribution(n, mean, noisy_sums.noise_family, *noises, variance, floor, noisy_sums.is_normal)


def bound_square_sum(n: int, mean: float, variance: float) -> float:
    """Return the lower limit of a sum of squares under a hypothetical variance.

    A few records far from the others contribute most of the variance of a skewed distribution. A sample
    without them has a small Q, and a statistic as large as the number of records allows, although the
    mean is near. Half of the expected sum, at most two squares of the longest distance, prevents such
    samples from being extreme; without it the test has almost no power if epsilon is large and n small.
    """
    return min(0.5 * n * variance, 2.0 * (1.0 + abs(mean)) ** 2)


def make_variance_grid(largest_variance: float, floor: float, n: int, points: int = VARIANCE_POINTS) -> Floats:
    """Return 0 and a geometric sequence up to the largest variance, fine at the scale of the noise."""
    if largest_variance <= 0.0:
        return np.zeros(1)
    smallest = min(max(1e-9, min(0.02 * floor / n, 0.1 / n, largest_variance / 10.0)), largest_variance)
    return np.concatenate([[0.0], np.geomspace(smallest, largest_variance, points)])


def find_plausible_variances(
    too_small: npt.NDArray[np.bool_], too_large: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Return a mask of the plausible variances of an ascending grid and of their neighbors.

    The arguments mark the variances that are too small and too large for the release.
    """
    is_inside = ~(too_small | too_large)
    is_plausible = is_inside.copy()
    is_plausible[1:] |= is_inside[:-1]
    is_plausible[:-1] |= is_inside[1:]
    if not is_inside.any():
        # the true variance lies between two points, or beyond an end
        turn = int(np.argmin(too_small)) if not too_small.all() else too_small.size - 1
        is_plausible[max(turn - 1, 0) : turn + 1] = True
    return is_plausible


def iterate_outwards(size: int, start: int, flags: npt.NDArray[np.bool_], is_ordered: bool) -> Iterator[int]:
    """Yield indices outwards from `start`; with `is_ordered`, each side ends at the second implausible one."""
    reached, sides = [start, start], [-1, 1]
    yield start
    if is_ordered:
        # below a variance that is too small all are too small
        sides = [-1] * (not flags[0, start]) + [1] * (not flags[1, start])
    counts = {-1: 0, 1: 0}
    while sides:
        for side in list(sides):
            row = int(side > 0)
            reached[row] += side
            index = reached[row]
            if not 0 <= index < size:
                sides.remove(side)
                continue
            yield index
            counts[side] += bool(flags[row, index])
            if is_ordered and counts[side] == 2:
                sides.remove(side)


class TailMaximum(NamedTuple):
    """Largest probability of a statistic as extreme as the observed one, and the index of its variance."""

    probability: float
    grid_index: int


def maximize_t_tail(
    distribution: NoisyTDistribution,
    first: float,
    second: float,
    alternative: str,
    stop_above: float = 2.0,
    start_index: int = 0,
) -> TailMaximum:
    """Return the largest probability, over plausible variances and shapes, of a statistic as extreme as observed.

    The search begins at the variance with index `start_index`, and stops early at a probability above `stop_above`.
    """
    draws, noises, grid = (
        distribution.get_reference_draws(),
        distribution.compute_noises(),
        distribution.make_variance_grid(),
    )
    size, min_count = noises[0].size, 0.5 * EXCLUDED_PROBABILITY * noises[0].size
    # unvisited variances count as too small below the start, and as too large above it
    flags = np.array([np.arange(grid.size) < start_index, np.arange(grid.size) > start_index])
    shares = np.zeros(grid.size)

    def estimate_tail(sums: Floats, squares: Floats, variance: float, slack: float = 0.0) -> float:
        lowest, observed = (
            distribution.bound_square_sum(variance),
            distribution.compute_statistic(first, second, variance),
        )
        if slack:
            sums = sums + slack * (squares < lowest)
        np.maximum(squares, lowest, out=squares)
        squares += distribution.noise_variance
        count = np.count_nonzero(find_exceedances(sums + noises[0], squares, observed, alternative))
        return (1 + int(count)) / (size + 1)

    for index in iterate_outwards(
        grid.size, min(start_index, grid.size - 1), flags, distribution.n >= MIN_ORDERED_RECORDS
    ):
        above = below = 0
        variance = float(grid[index])
        for shape in distribution.get_shapes(variance):
            sums, squares = simulate_centered_sums(draws, distribution.n, distribution.mean, variance, shape)
            squares = squares + noises[1]
            count = int(np.count_nonzero(squares >= second))
            above, below = max(above, count), max(below, size - count)
            shares[index] = max(shares[index], estimate_tail(sums, squares, variance))
        flags[:, index] = above <= min_count, below <= min_count
        if shares[index] > stop_above and not flags[:, index].any():
            return TailMaximum(float(shares[index]), index)
    is_plausible = find_plausible_variances(*flags)
    shares[~is_plausible] = 0.0
    index = int(np.argmax(shares))
    low, high = float(grid[is_plausible][0]), float(grid[is_plausible][-1])
    maximum = float(shares[index])
    for shape in (UPWARD_SHAPE, DOWNWARD_SHAPE):
        for variance, slack in distribution.get_jump_variances(shape):
            if low <= variance <= high and maximum <= stop_above:
                sums, squares = simulate_centered_sums(draws, distribution.n, distribution.mean, variance, shape)
                maximum = max(maximum, estimate_tail(sums, squares + noises[1], variance, slack))
    return TailMaximum(maximum, index)


def find_exceedances(
    first: Floats, square: Floats, observed: float | Floats, alternative: str
) -> npt.NDArray[np.bool_]:
    """Return whether ``first / sqrt(square)`` is as extreme as the observed statistic; `square` is overwritten."""
    if alternative == "two-sided":
        square *= observed * observed
        return first * first >= square
    np.sqrt(square, out=square)
    square *= observed
    return first >= square if alternative == "greater" else first <= square


def find_plausible_sizes(
    noisy_sums: NoisySums, excluded: float = EXCLUDED_PROBABILITY
) -> tuple[tuple[int, ...], float]:
    """Return plausible numbers of records, and the probability that the true one is outside their range."""
    if noisy_sums.size is not None:
        return (noisy_sums.size,), 0.0
    scales = np.array([scale for scale in noisy_sums.noise[0] if scale])
    margin = float(np.linalg.norm(scales)) * _compute_size_quantile(noisy_sums.noise_family, scales.size, excluded)
    low, high = max(noisy_sums.sums[0] - margin, 1.0), max(noisy_sums.sums[0] + margin, 1.0)
    n_points = 3 if high < 1.3 * low else 9
    return tuple(sorted({round(size) for size in np.geomspace(low, high, n_points)})), excluded


@lru_cache(maxsize=8)
def _compute_size_quantile(noise_family: NoiseFamily, n_noises: int, excluded: float) -> float:
    """Return the quantile of the noise of the number of records, relative to the norm of its scales."""
    if isinstance(noise_family, CubeNoise):
        return float(noise_family.ppf(1.0 - 0.5 * excluded))
    if noise_family == "normal":
        return float(ndtri(1.0 - 0.5 * excluded))
    if n_noises == 1:
        return -math.log(excluded)
    tail = brentq(lambda x: math.exp(-x) * (x * x + 5.0 * x + 8.0) / 16.0 - 0.5 * excluded, 0.0, 50.0)
    return float(tail) / math.sqrt(3.0)


def compute_t_pvalue(
    noisy_sums: NoisySums, mean: float, alternative: str = "two-sided", stop_above: float = 2.0
) -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical mean.

    A p-value above `stop_above` may be larger than the one returned.
    """
    sizes, excluded = find_plausible_sizes(noisy_sums)
    limit = stop_above - EXCLUDED_PROBABILITY - excluded
    share, index, value = 0.0, VARIANCE_POINTS // 2, 0.0
    for i, n in enumerate(sizes):
        distribution = make_t_distribution(noisy_sums, mean, n)
        first, second = distribution.compute_centered_sums(noisy_sums.sums)
        if i == 0:
            value = distribution.compute_statistic(first, second)
        tail = maximize_t_tail(distribution, first, second, alternative, limit, index)
        share, index = max(share, tail.probability), tail.grid_index
        if share > limit:
            break
    return value, min(1.0, EXCLUDED_PROBABILITY + excluded + share)


def bound_t_pvalue(noisy_sums: NoisySums) -> float:
    """Return the smallest possible p-value of `compute_t_pvalue`."""
    return EXCLUDED_PROBABILITY + find_plausible_sizes(noisy_sums)[1] + 1.0 / (2**DRAWS_POWER + 1)


@dataclass(frozen=True)
class NoisyTInterval:
    """Confidence interval of a mean by the noisy t test, in units of the data."""

    noisy_sums: NoisySums
    middle: float
    half_width: float
    alternative: str = "two-sided"

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval, which misses the mean with probability at most `alpha`."""
        limits = []
        for side, one_sided in ((-1.0, "greater"), (1.0, "less")):
            if self.alternative in ("two-sided", one_sided):
                limits.append(
                    find_interval_end(self._make_pvalue_function(alpha), alpha, *self._find_start(), side, 1.0)
                )
            else:
                limits.append(side)
        # rounding may exceed the bounds
        bounds = self.middle - self.half_width, self.middle + self.half_width
        low, high = (min(max(self.middle + self.half_width * end, bounds[0]), bounds[1]) for end in limits)
        return low, high

    def _find_start(self) -> tuple[float, float]:
        size, first, _ = self.noisy_sums.sums
        size = max(size, 1.0)
        mean = min(max(first / size, -1.0), 1.0)
        null = make_t_distribution(self.noisy_sums, mean, find_plausible_sizes(self.noisy_sums)[0][0])
        return mean, math.sqrt(max(self._compute_square_sum(null, mean), null.floor) + null.noise_variance) / size

    def _compute_square_sum(self, distribution: NoisyTDistribution, mean: float) -> float:
        """Return the noisy sum of squares about a mean."""
        return distribution.compute_centered_sums(self.noisy_sums.sums)[1]

    def _make_pvalue_function(self, alpha: float) -> Callable[[float], float]:
        sizes, excluded = find_plausible_sizes(self.noisy_sums)
        excluded += EXCLUDED_PROBABILITY
        size, first, square = self.noisy_sums.sums
        max_sum = max(size, 1.0)
        clipped = min(max(first, -max_sum), max_sum)
        indices = dict.fromkeys(sizes, VARIANCE_POINTS // 2)

        def compute_pvalue(mean: float) -> float:
            share = 0.0
            for n in sizes:
                distribution = make_t_distribution(self.noisy_sums, mean, n)
                # a sum far outside the possible range would reject every mean
                distance, _ = distribution.compute_centered_sums((size, clipped, square))
                _, second = distribution.compute_centered_sums(self.noisy_sums.sums)
                tail = maximize_t_tail(distribution, distance, second, self.alternative, alpha - excluded, indices[n])
                share, indices[n] = max(share, tail.probability), tail.grid_index
                if share > alpha - excluded:
                    break
            return excluded + share

        return compute_pvalue
