"""Welch's test of two noisy means, and importance sampling of its tails."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, ndtr, ndtri

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.means.noisy_t import (
    EXCLUDED_PROBABILITY,
    NoisySums,
    NoisyTDistribution,
    bound_square_sum,
    find_exceedances,
    find_plausible_variances,
    make_t_distribution,
    make_variance_grid,
)
from pydpstat._null_distributions.simulation import (
    DOWNWARD_SHAPE,
    NORMAL_SHAPE,
    UPWARD_SHAPE,
    ReferenceDraws,
    compute_noise_quantiles,
    draw_reference,
    make_uniform_points,
    simulate_centered_sums,
)
from pydpstat.r_arithmetic.elementary import Floats

# deviations of the mean and estimates of its variance, for a list of variances
_GroupDraws = list[tuple[Floats, Floats]]
SHAPE_PAIRS = ((NORMAL_SHAPE, NORMAL_SHAPE), (UPWARD_SHAPE, DOWNWARD_SHAPE), (DOWNWARD_SHAPE, UPWARD_SHAPE))
COARSE_POINTS, FINE_POINTS = 23, 15
# with fewer records the plausible variances need not be an interval
_MIN_ORDERED_RECORDS = 100


class WelchGroup(NamedTuple):
    """A group under the hypothesis: the distribution of its sums, draws, and observed moments."""

    distribution: NoisyTDistribution
    draws: ReferenceDraws
    noises: tuple[Floats, Floats]
    mean: float
    variance: float
    noise_variance: float

    def simulate_moments(self, variance: float, shape: int) -> tuple[Floats, Floats]:
        """Return the deviation of the mean and the estimate of the variance at the draws."""
        distribution = self.distribution
        sums, squares = simulate_centered_sums(self.draws, distribution.n, distribution.mean, variance, shape)
        sums = sums + self.noises[0]
        squares = squares + self.noises[1]
        return sums / distribution.n, estimate_variance(distribution.n, sums, squares, distribution.noise_variance)


def get_shape_pairs(groups: tuple[WelchGroup, WelchGroup]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of shapes to consider."""
    return SHAPE_PAIRS[:1] if groups[0].distribution.is_normal else SHAPE_PAIRS


def estimate_variance(n: int, first: Any, second: Any, noise_variance: float) -> Any:
    """Return the estimate of a variance from noisy sums about any number, corrected for the bias by noise."""
    return (second - (first * first - noise_variance) / n) / max(n - 1, 1)


def make_welch_groups(noisy_sums: tuple[NoisySums, NoisySums], difference: float) -> tuple[WelchGroup, WelchGroup]:
    """Return both groups under the hypothesis that their means differ by `difference`, about the pooled mean."""
    n1, n2 = (sums.size or 1 for sums in noisy_sums)
    total = n1 + n2
    first_shift, second_shift = difference * n2 / total, difference * n1 / total
    low, high = max(-1.0 - first_shift, -1.0 + second_shift), min(1.0 - first_shift, 1.0 + second_shift)
    noise_variance = sum(sums.unit_variance * float(np.square(sums.noise[1]).sum()) for sums in noisy_sums)
    pooled = (noisy_sums[0].sums[1] + noisy_sums[1].sums[1]) / total
    offset = min(max(pooled, low), high) - 0.5 * (low + high)
    offset = math.copysign(max(abs(offset) - 2.0 * math.sqrt(noise_variance) / total, 0.0), offset)
    pooled = 0.5 * (low + high) + offset
    groups = []
    for index, (sums, n, mean) in enumerate(zip(noisy_sums, (n1, n2), (pooled + first_shift, pooled - second_shift))):
        distribution = make_t_distribution(sums, min(max(mean, -1.0), 1.0), n)
        first, second = distribution.compute_centered_sums(sums.sums)
        estimate = estimate_variance(n, first, second, distribution.noise_variance)
        draws = draw_reference(n, distribution.noise_family, len(distribution.first_noise), index, 2)
        noises = np.array(distribution.first_noise) @ draws.noises, np.array(distribution.second_noise) @ draws.noises
        groups.append(
            WelchGroup(distribution, draws, noises, sums.sums[1] / n, estimate, distribution.noise_variance / n**2)
        )
    return groups[0], groups[1]


def _make_plausible_grid(group: WelchGroup) -> Floats:
    """Return a grid over the plausible variances of a group."""
    distribution = group.distribution
    coarse = make_variance_grid(
        1.0 - distribution.mean * distribution.mean, distribution.floor, distribution.n, COARSE_POINTS
    )

    @cache
    def compare_estimates(index: int) -> tuple[bool, bool]:
        above, variance = [], float(coarse[index])
        for shape in distribution.get_shapes(variance):
            _, estimates = group.simulate_moments(variance, shape)
            above.append(int(np.count_nonzero(estimates >= group.variance)))
        tail = 0.5 * EXCLUDED_PROBABILITY * estimates.size
        return max(above) <= tail, estimates.size - min(above) <= tail

    first, last = find_plausible_range(coarse.size, compare_estimates, distribution.n >= _MIN_ORDERED_RECORDS)
    return make_variance_range(distribution, float(coarse[first]), float(coarse[last]))


def make_variance_range(distribution: NoisyTDistribution, low: float, high: float) -> Floats:
    """Return a grid of variances from `low` to `high`."""
    if low > 0.0:
        return np.geomspace(low, high, FINE_POINTS + 1)
    # the smallest variances of the grid are equivalent to 0
    return make_variance_grid(high, distribution.floor, distribution.n, FINE_POINTS)


def find_plausible_range(size: int, flags: Callable[[int], tuple[bool, bool]], is_ordered: bool) -> tuple[int, int]:
    """Return the first and the last plausible index, or the adjacent ones; `flags` are "too small" and "too large".

    With `is_ordered` the first indices are too small and the last too large, which allows bisection.
    """
    if is_ordered and not flags(0)[1]:
        low = bisect_left(range(size), True, key=lambda index: not flags(index)[0])
        high = bisect_left(range(size), True, key=lambda index: flags(index)[1])
        if low < high:
            return max(low - 1, 0), min(high, size - 1)
    plausible = np.flatnonzero(find_plausible_variances(*np.array([flags(index) for index in range(size)]).T))
    return int(plausible[0]), int(plausible[-1])


def maximize_welch_tail(
    groups: tuple[WelchGroup, WelchGroup],
    distance: float,
    alternative: str,
    stop_above: float,
    start: tuple[int, int],
) -> tuple[float, float, tuple[int, int]]:
    """Return the statistic, the largest probability of one as extreme, and the indices of its variances.

    The search begins at the variances with indices `start`, and stops early at a probability above `stop_above`.

    As in `noisy_t`, the p-value is the largest over the plausible variances, here of both groups, and over
    shapes: both normal, or the most skewed ones in opposite directions. The common mean under the hypothesis
    is the estimated one.
    """
    simulated = _SimulatedGroups(groups, distance, alternative)
    size, (n_first, n_second) = groups[0].noises[0].size, simulated.min_variances.shape
    # a p-value and a rejection need all pairs; an early stop does not
    for margin in (0, 2, n_first + n_second) if stop_above < 1.0 else (n_first + n_second,):
        rows, columns = (
            slice(max(index - margin, 0), index + margin + 1)
            for index in (min(start[0], n_first - 1), min(start[1], n_second - 1))
        )
        counts = np.max(
            [simulated.count_exceedances(shapes, rows, columns) for shapes in get_shape_pairs(groups)], axis=0
        )
        share = float((1 + counts.max()) / (size + 1))
        row, column = np.unravel_index(int(counts.argmax()), counts.shape)
        indices = rows.start + int(row), columns.start + int(column)
        if share > stop_above:
            break
    return distance / math.sqrt(max(simulated.square, simulated.floor) + simulated.noise_variance), share, indices


class _SimulatedGroups:
    """Simulated means and variances of both groups for all plausible variances, and the observed ones."""

    def __init__(self, groups: tuple[WelchGroup, WelchGroup], distance: float, alternative: str) -> None:
        self.groups, self.distance, self.alternative = groups, distance, alternative
        self.grids = tuple(_make_plausible_grid(group) for group in groups)
        self.noise_variance = sum(group.noise_variance for group in groups)
        self.floor = sum(group.distribution.floor / group.distribution.n**2 for group in groups)
        self.square = sum(group.variance / group.distribution.n for group in groups)
        min_squares = [
            [
                bound_square_sum(group.distribution.n, group.distribution.mean, v) / group.distribution.n**2
                for v in grid.tolist()
            ]
            for group, grid in zip(groups, self.grids)
        ]
        self.min_variances = np.maximum(self.floor, np.add.outer(*min_squares)) + self.noise_variance
        self.observed_statistics = distance / np.sqrt(np.maximum(self.square + self.noise_variance, self.min_variances))
        self._cached_draws: dict[tuple[int, int, int], tuple[Floats, Floats]] = {}

    def count_exceedances(self, shapes: tuple[int, int], rows: slice, columns: slice) -> npt.NDArray[np.int64]:
        """Return the number of draws as extreme as the observed statistic, for pairs of variances."""
        lowest, observed = self.min_variances[rows, columns], self.observed_statistics[rows, columns]
        first, second = self._get_draws(0, rows, shapes[0]), self._get_draws(1, columns, shapes[1])
        candidates = self._select_candidate_draws(
            first, second, self._bound_squared_statistic(observed), float(lowest.min())
        )
        first, second = ([(mean[candidates], part[candidates]) for mean, part in draws] for draws in (first, second))
        counts = np.zeros(lowest.shape, dtype=np.int64)
        difference, total = (np.empty(first[0][0].size) for _ in range(2))
        for i, (mean1, part1) in enumerate(first):
            for j, (mean2, part2) in enumerate(second):
                np.add(part1, part2, out=total)
                np.maximum(total, lowest[i, j], out=total)
                np.subtract(mean1, mean2, out=difference)
                extreme = find_exceedances(difference, total, float(observed[i, j]), self.alternative)
                counts[i, j] = np.count_nonzero(extreme)
        return counts

    @staticmethod
    def _select_candidate_draws(
        first: _GroupDraws, second: _GroupDraws, min_square: float, min_variance: float
    ) -> npt.NDArray[np.intp]:
        """Return the indices of the draws that can be extreme for some pair; usually these are few."""
        (means1, parts1), (means2, parts2) = zip(*first), zip(*second)
        max_difference = reduce(np.maximum, means1) - reduce(np.minimum, means2)
        max_reverse = reduce(np.maximum, means2) - reduce(np.minimum, means1)
        total = np.maximum(reduce(np.minimum, parts1) + reduce(np.minimum, parts2), min_variance)
        return np.flatnonzero(np.maximum(max_difference, max_reverse) ** 2 >= min_square * total)

    def _bound_squared_statistic(self, observed: Floats) -> float:
        """Return a lower bound of the squares of all statistics as extreme as an observed one."""
        sign = {"greater": 1.0, "less": -1.0}.get(self.alternative, math.copysign(1.0, self.distance))
        smallest = float((sign * observed).min())
        return (1.0 - 1e-9) * smallest * smallest if smallest > 0.0 else 0.0

    def _get_draws(self, group_index: int, grid_slice: slice, shape: int) -> _GroupDraws:
        group = self.groups[group_index]
        for index, variance in list(enumerate(self.grids[group_index].tolist()))[grid_slice]:
            if (group_index, index, shape) not in self._cached_draws:
                mean, estimate = group.simulate_moments(variance, shape)
                estimate /= group.distribution.n
                self._cached_draws[group_index, index, shape] = mean, estimate + group.noise_variance
        return [
            self._cached_draws[group_index, index, shape] for index in range(self.grids[group_index].size)[grid_slice]
        ]


def compute_welch_pvalue(
    noisy_sums: tuple[NoisySums, NoisySums],
    difference: float = 0.0,
    alternative: str = "two-sided",
    stop_above: float = 2.0,
) -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical difference of two means.

    A p-value above `stop_above` may be larger than the one returned.
    """
    groups = make_welch_groups(noisy_sums, difference)
    distance = groups[0].mean - groups[1].mean - difference
    limit = stop_above - 2.0 * EXCLUDED_PROBABILITY
    value, share, _ = maximize_welch_tail(groups, distance, alternative, limit, (FINE_POINTS, FINE_POINTS))
    return value, min(1.0, 2.0 * EXCLUDED_PROBABILITY + share)


# exponents of the transformation to the tails: normal and binomial variables, chi-square ones, and noises
_NORMAL_STRETCH, _CHI_SQUARE_STRETCH, _NOISE_STRETCH = 3.0, 1.5, 2.5
# standard errors that are added to means of weighted draws
_ADDED_ERRORS = 2.0


class ImportanceDraws(NamedTuple):
    """Weighted reference draws of one of several groups."""

    draws: ReferenceDraws
    normal_weights: Floats
    binomial_weights: Floats
    noise_weights: Floats

    def compute_weights(self, shape: int, open_noise: int | None = None) -> Floats:
        """Return the weights of draws for records of a shape, without that of the noise left open."""
        weights = self.normal_weights if shape == NORMAL_SHAPE else self.binomial_weights
        for index, noise_weight in enumerate(self.noise_weights):
            if index != open_noise:
                weights = weights * noise_weight
        return weights

    def compute_sums(self, n: int, mean: float, variance: float, shape: int) -> tuple[Floats, Floats]:
        """Return the sums of n centered records and of their squares, at the draws."""
        return simulate_centered_sums(self.draws, n, mean, variance, shape)


@lru_cache(maxsize=16)
def draw_importance_sample(
    n: int, noise_family: str, n_noises: int, power: int, group: int = 0, groups: int = 1
) -> ImportanceDraws:
    """Return weighted draws for n records of one of several groups; the draws of groups are independent.

    Reference points are moved towards the faces of the unit cube, coordinate by coordinate, and weighted by
    the density ratio (importance sampling). One noise of each point is left open, and the probability that it
    makes the statistic extreme is computed exactly (conditional Monte Carlo): studentized sums are
    extreme if a quadratic form of the noise is positive. With 4,096 points a probability of 1e-6 has a
    relative error of 10 to 20 %; twice its estimated standard error is added.
    """
    n_coordinates = 3 + n_noises
    points = make_uniform_points(n_coordinates * groups, power)[n_coordinates * group : n_coordinates * (group + 1)]
    powers = (_NORMAL_STRETCH, _CHI_SQUARE_STRETCH, _NORMAL_STRETCH, *[_NOISE_STRETCH] * n_noises)
    transformed = [_transform_to_tails(row, stretch) for row, stretch in zip(points, powers)]
    shares, weights = (np.array(rows) for rows in zip(*transformed))
    order = np.argsort(shares[2], kind="stable")
    ordered_shares = shares[2][order]
    chi2 = chdtri(n - 1, 1.0 - shares[1]) if n > 1 else np.zeros(shares.shape[1])
    noises = compute_noise_quantiles(shares[3:], noise_family)
    arrays = (ndtri(shares[0]), chi2, ordered_shares, ndtri(ordered_shares), order, noises)
    normal, binomial = weights[0] * weights[1], weights[2]
    return ImportanceDraws(
        ReferenceDraws(*map(freeze_array, arrays)),
        freeze_array(normal),
        freeze_array(binomial),
        freeze_array(weights[3:]),
    )


def _transform_to_tails(shares: Floats, power: float) -> tuple[Floats, Floats]:
    """Return uniform points moved towards 0 and 1, and their density ratios."""
    tail_shares = 2.0 * np.minimum(shares, 1.0 - shares)
    lower_half = 0.5 * tail_shares**power
    return np.where(shares < 0.5, lower_half, 1.0 - lower_half), power * tail_shares ** (power - 1.0)


def compute_noise_survival(y: Floats, noise_family: str) -> Floats:
    """Return the probability that a noise of scale 1 exceeds y."""
    if noise_family == "normal":
        return np.asarray(ndtr(-y))
    upper = 0.5 * np.exp(-np.abs(y))
    return np.where(y >= 0.0, upper, 1.0 - upper)


class QuadraticSums(NamedTuple):
    """Sums as functions of the open noise y: first + slope y, and constant + linear y + quadratic y^2."""

    first: Floats
    slope: float
    constant: Floats
    linear: Floats | float
    quadratic: float

    def invert_signs(self) -> QuadraticSums:
        """Return the sums with the signs of the first one and of the noise reversed."""
        return self._replace(first=-self.first, linear=-self.linear)


def compute_conditional_tail(sums: QuadraticSums, t: float, lower_limit: float, noise_family: str) -> Floats:
    """Return the probability that the first sum is at least t roots of the second one and at least `lower_limit`."""
    lowest = (lower_limit - sums.first) / sums.slope
    a = sums.slope * sums.slope - t * t * sums.quadratic
    b = sums.first * sums.slope - 0.5 * t * t * sums.linear
    c = sums.first * sums.first - t * t * sums.constant
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    # avoids cancellation
    larger = -b - np.copysign(root, b)
    roots = larger / a, np.divide(c, larger, out=np.zeros_like(larger), where=larger != 0.0)
    low = np.maximum(np.minimum(*roots), lowest)
    high = np.maximum(np.maximum(*roots), lowest)
    tails = compute_noise_survival(lowest, noise_family) - np.where(
        root > 0.0,
        compute_noise_survival(low, noise_family) - compute_noise_survival(high, noise_family),
        0.0,
    )
    return np.maximum(tails, 0.0)


def sum_conditional_tails(
    sums: QuadraticSums, signs: Iterable[float], t: float, lower_limit: float, noise_family: str
) -> Floats:
    """Return the sum of tails of `compute_conditional_tail` for the given signs of the sums."""
    total = np.zeros_like(sums.first)
    for sign in signs:
        total += compute_conditional_tail(sums if sign > 0.0 else sums.invert_signs(), t, lower_limit, noise_family)
    return total


def compute_upper_mean(values: Floats) -> float:
    """Return the mean of weighted draws plus a multiple of its standard error."""
    mean = float(values.mean())
    return mean + _ADDED_ERRORS * math.sqrt(max(float(np.square(values).mean()) - mean * mean, 0.0) / values.size)
