"""The t test of one mean from noisy sums of records, squares and cubes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.means.mean_differences import choose_refined_pvalue
from pydpstat._null_distributions.means.noisy_t import (
    NoisySums,
    NoisyTDistribution,
    NoisyTInterval,
    Row,
    find_plausible_sizes,
    make_t_distribution,
)
from pydpstat._null_distributions.means.noisy_welch import compute_upper_mean
from pydpstat._null_distributions.means.skewed_shapes import (
    DOWNWARDS,
    RARE_VARIANCE_SHARES,
    UPWARDS,
    BooleanArray,
    CenteredSums,
    MomentExceedances,
    ShapeDraws,
    compute_bound_distance,
    compute_centered_cubes,
    compute_centered_powers,
    compute_shape_moments,
    correct_for_skewness,
    draw_shape_reference,
    simulate_shape_sums,
)
from pydpstat._null_distributions.simulation import DOWNWARD_SHAPE, DRAWS_POWER, UPWARD_SHAPE
from pydpstat.r_arithmetic.elementary import Floats

SKEWNESS_SIDES = (UPWARDS, DOWNWARDS)
# probability that the true variance and shape are excluded, and that for small p-values
EXCLUDED_PROBABILITY, DEEP_EXCLUDED_PROBABILITY = 0.002, 2e-7
# an estimated skewness is shrunk by this multiple of the cubes' noise
_SHRINKAGE = 2.0
# fraction of an estimated skewness that is removed, and the multiple of its standard error by which it is
# shrunk: for a normal sample almost nothing is removed
_REMOVED_SHARE, _SHRINKAGE_ERRORS = 0.7, 2.0
# ratio of successive variances, increased if the grid would have more than the maximal number
_VARIANCE_RATIO, _MAX_VARIANCES = 1.1, 31
# number of variances at which a shape is drawn
_DRAWN_POINTS = 5
# largest slack at a jump of the distribution, relative to the distance and to the number of rare records
_DISTANCE_SLACK, _RECORD_SLACK = 0.12, 0.04
_TINY_VARIANCE = 1e-300


class GroupPosition(NamedTuple):
    """Index of a group among several with independent draws, and binary logarithms of the numbers of draws."""

    group: int
    groups: int
    power: int
    far_power: int


SINGLE_GROUP = GroupPosition(0, 1, DRAWS_POWER, 12)


@dataclass(frozen=True)
class SkewedTDistribution:
    """Null distribution of a t statistic that is corrected for skewness, about a hypothetical mean.

    W, Q and C are the noisy sums of the deviations from the mean, of their squares and of their cubes. The
    statistic is ``T + k / 6 + k T^2 / 3 + k^2 T^3 / 27``, where T is that of `NoisyTDistribution` and k a part of
    the estimated skewness of W: the sum of cubes about the sample mean over ``(Q + var)^1.5``, shrunk
    by the noise and by its error in a normal sample. Its p-value is the largest over the plausible variances and
    shapes (`simulate_shape_sums`): those for which neither q nor ``E = q - c / far`` is too
    small or too large, each with probability g / 4; q and c are Q and C about the sample mean. Records at
    the bound, at a distance ``far``, contribute almost nothing to E, which therefore estimates the variance of the
    others even if the sample has no record there.
    """

    t_distribution: NoisyTDistribution
    third_noise: Row
    has_far_draws: bool = False
    position: GroupPosition = SINGLE_GROUP

    @cached_property
    def draws(self) -> ShapeDraws:
        """Reference draws."""
        power = self.position.far_power if self.has_far_draws else self.position.power
        group_position = self.position.group, self.position.groups
        return draw_shape_reference(
            self.t_distribution.n,
            self.t_distribution.noise_family,
            len(self.third_noise),
            power,
            *group_position,
            has_far_draws=self.has_far_draws,
        )

    @cached_property
    def noises(self) -> CenteredSums:
        """Noises of W, Q and C at the draws."""
        rows = self.t_distribution.first_noise, self.t_distribution.second_noise, self.third_noise
        return CenteredSums(*(freeze_array(np.array(row) @ self.draws.noises) for row in rows))

    @cached_property
    def third_sd(self) -> float:
        """Standard deviation of the noise of C."""
        return math.sqrt(2.0) * float(np.linalg.norm(self.third_noise))

    def simulate_sums(self, variance: float, side: float, share: float) -> CenteredSums:
        """Return the noisy sums of records of a shape."""
        distribution = self.t_distribution
        exact = simulate_shape_sums(self.draws, distribution.n, distribution.mean, variance, side, share)
        return CenteredSums(*(sums + noise for sums, noise in zip(exact, self.noises)))

    def compute_weights(self, share: float) -> Floats:
        """Return the weights of the draws for records of a shape; 1 without importance sampling."""
        normal, rare, noise = self.draws.weights
        return noise * (normal if share < 1.0 else 1.0) * (rare if share > 0.0 else 1.0)

    def compute_statistic(self, sums: CenteredSums, variance: float) -> Floats:
        """Return the statistic of sums under a hypothetical variance."""
        square = np.maximum(sums.second, self.t_distribution.bound_square_sum(variance))
        total = square + self.t_distribution.noise_variance
        skewness = self.estimate_removed_skewness(compute_centered_cubes(self.t_distribution.n, sums), square, total)
        return correct_for_skewness(sums.first / np.sqrt(total), skewness)

    def estimate_removed_skewness(self, cube: Floats, square: Floats, total: Floats) -> Floats:
        """Return the part of the skewness of W to be removed, from sums of cubes and of squares."""
        max_cube = (1.0 + abs(self.t_distribution.mean)) * square
        skewness = np.clip(cube, -max_cube, max_cube) / (total * np.sqrt(total) + _SHRINKAGE * self.third_sd)
        square = skewness * skewness
        return (
            _REMOVED_SHARE
            * skewness
            * square
            / (square + (_SHRINKAGE_ERRORS * math.sqrt(6.0) / self.t_distribution.n) ** 2)
        )

    def compute_sample_moments(self, sums: CenteredSums, side: float) -> tuple[Floats, Floats]:
        """Return the sum of squares about the sample mean, and E, to which records at the bound hardly contribute."""
        square = sums.second - sums.first * sums.first / self.t_distribution.n
        return square, square - compute_centered_cubes(self.t_distribution.n, sums) * (
            side / compute_bound_distance(self.t_distribution.mean, side)
        )

    def compute_noise_scales(self, side: float) -> tuple[float, float]:
        """Return the scales of the noises of Q and E."""
        second, third = np.array(self.t_distribution.second_noise), np.array(self.third_noise)
        usual = second - third * (side / compute_bound_distance(self.t_distribution.mean, side))
        return float(np.linalg.norm(second)), float(np.linalg.norm(usual))

    def get_jump_variances(self, side: float) -> list[tuple[float, float]]:
        """Return the variances of `NoisyTDistribution.get_jump_variances`, with slacks of limited size."""
        n, distance = self.t_distribution.n, compute_bound_distance(self.t_distribution.mean, side)
        variances = []
        for variance, slack in self.t_distribution.get_jump_variances(UPWARD_SHAPE if side > 0.0 else DOWNWARD_SHAPE):
            max_slack = max(_DISTANCE_SLACK * distance, _RECORD_SLACK * n * variance / distance)
            variances.append((variance, min(max(slack, -max_slack), max_slack)))
        return variances


def make_skewed_distribution(
    noisy_sums: NoisySums, mean: float, n: int, has_far_draws: bool = False, position: GroupPosition = SINGLE_GROUP
) -> SkewedTDistribution:
    """Return the distribution for n records with a hypothetical mean."""
    assert noisy_sums.cube_sum is not None
    count, first, second = (np.array(row) for row in noisy_sums.noise)
    third = np.array(noisy_sums.cube_sum.noise) - 3.0 * mean * second + 3.0 * mean**2 * first - mean**3 * count
    return SkewedTDistribution(make_t_distribution(noisy_sums, mean, n), tuple(third.tolist()), has_far_draws, position)


def compute_sums_about_mean(noisy_sums: NoisySums, mean: float) -> CenteredSums:
    """Return the noisy sums about a hypothetical mean."""
    assert noisy_sums.cube_sum is not None
    return compute_centered_powers(mean, *map(np.asarray, (*noisy_sums.sums, noisy_sums.cube_sum.value)))


def compare_moments(
    distribution: SkewedTDistribution, observed: CenteredSums, variances: Floats, side: float, tail: float
) -> MomentExceedances:
    """Compare the moments of a release with those of shapes and variances, each with a tail probability.

    Several releases are along the last axis. Tails are those of a normal sum and Laplace noise. Sums of
    squares are skewed upwards, like chi-square and Poisson variables, by their Cornish-Fisher terms.
    """
    n, bound_distance = distribution.t_distribution.n, compute_bound_distance(distribution.t_distribution.mean, side)
    moments = compute_shape_moments(distribution.t_distribution.mean, variances, side)
    square, usual = distribution.compute_sample_moments(observed, side)
    deviations, scales = -float(ndtri(tail)), -math.log(2.0 * tail)
    skewed = deviations**2 - 1.0
    # shapes that may have a rare record in the sample
    has_rare = n * np.array(RARE_VARIANCE_SHARES)[:, None] * variances > tail * bound_distance * bound_distance
    exceedances = []
    for values, mean, variance, noise_scale, rare in zip(
        (square, usual),
        (moments.square, moments.usual),
        (moments.square_variance, moments.usual_variance),
        distribution.compute_noise_scales(side),
        (bound_distance * bound_distance * (skewed / 6.0 + 0.5) * has_rare, np.zeros(1)),
    ):
        half_width = np.sqrt(deviations**2 * n * variance + (scales * noise_scale) ** 2)
        # centering at the sample mean removes the square of one record
        limits = n * mean + half_width + skewed / 1.5 * moments.square + rare, n * mean - half_width - moments.square
        high, low = (limit if np.ndim(values) == 0 else limit[..., None] for limit in limits)
        exceedances += [values > high, values < low]
    return MomentExceedances(*exceedances)


def make_plausible_variances(distribution: SkewedTDistribution, observed: CenteredSums, tail: float) -> Floats:
    """Return a fine grid over the variances that may be plausible."""
    coarse = distribution.t_distribution.make_variance_grid()
    if coarse.size < 2:
        return coarse
    masks = [compare_moments(distribution, observed, coarse, side, tail).find_plausible() for side in SKEWNESS_SIDES]
    plausible = np.flatnonzero(np.any([mask.any(axis=0) for mask in masks], axis=0))
    first, last = (max(plausible[0] - 1, 0), min(plausible[-1] + 1, coarse.size - 1)) if plausible.size else (0, -1)
    low, high = float(coarse[max(first, 1)]), float(coarse[last])
    # powers of one ratio, so that cached draws of other releases can be reused
    powers = (
        math.floor(math.log(low) / math.log(_VARIANCE_RATIO)),
        math.ceil(math.log(high) / math.log(_VARIANCE_RATIO)),
    )
    step = max(1, math.ceil((powers[1] - powers[0]) / _MAX_VARIANCES))
    exponents = np.arange(powers[0] // step, -(-powers[1] // step) + 1)
    grid = np.unique(np.minimum(_VARIANCE_RATIO ** (step * exponents.astype(np.float64)), coarse[-1]))
    return np.append(0.0, grid) if first == 0 else grid


def _find_nearest_variances(
    distribution: SkewedTDistribution, observed: CenteredSums, variances: Floats, side: float
) -> list[tuple[int, int]]:
    """Return the index of each shape and of its best variance, for shapes that fit the release well."""
    n = distribution.t_distribution.n
    moments = compute_shape_moments(distribution.t_distribution.mean, variances, side)
    square, usual = distribution.compute_sample_moments(observed, side)
    noise, usual_noise = distribution.compute_noise_scales(side)
    distances = (square - n * moments.square) ** 2 / (n * moments.square_variance + 2.0 * noise**2 + _TINY_VARIANCE)
    distances += (usual - n * moments.usual) ** 2 / (n * moments.usual_variance + 2.0 * usual_noise**2 + _TINY_VARIANCE)
    best = distances.argmin(axis=1)
    return [(row, int(column)) for row, column in enumerate(best) if distances[row, column] < 1.0]


def _estimate_extreme_probability(
    distribution: SkewedTDistribution,
    observed_sums: CenteredSums,
    sums: CenteredSums,
    variance: float,
    weights: Floats,
    alternative: str,
) -> float:
    """Return the estimated probability of a statistic as extreme as the observed one."""
    observed = distribution.compute_statistic(observed_sums, variance)
    simulated = distribution.compute_statistic(sums, variance)
    if alternative == "two-sided":
        is_extreme = np.abs(simulated) >= abs(observed)
    else:
        is_extreme = simulated >= observed if alternative == "greater" else simulated <= observed
    if not distribution.has_far_draws:
        return (1 + int(np.count_nonzero(is_extreme))) / (is_extreme.size + 1)
    return compute_upper_mean(is_extreme * weights)


def maximize_skewed_tail(
    distribution: SkewedTDistribution,
    observed: CenteredSums,
    alternative: str,
    excluded: float,
    stop_above: float = 2.0,
) -> float:
    """Return the largest probability of an extreme statistic over plausible variances and shapes.

    The search stops at a probability above `stop_above`.
    """
    tail = 0.25 * excluded
    variances = make_plausible_variances(distribution, observed, tail)

    def estimate_tail(row: int, column: int, side: float) -> float:
        variance, share = float(variances[column]), RARE_VARIANCE_SHARES[row]
        sums, weights = distribution.simulate_sums(variance, side, share), distribution.compute_weights(share)
        return _estimate_extreme_probability(distribution, observed, sums, variance, weights, alternative)

    if stop_above < 1.0:
        # a clearly plausible variance may already exceed the limit
        for side in SKEWNESS_SIDES:
            for row, column in _find_nearest_variances(distribution, observed, variances, side):
                if (probability := estimate_tail(row, column, side)) > stop_above:
                    return probability
    masks = [compare_moments(distribution, observed, variances, side, tail).find_plausible() for side in SKEWNESS_SIDES]
    # the normal shape does not depend on the side and counts once
    masks[0][0] &= masks[1][0]
    masks[1][0] = False
    maximum = 0.0
    for side, mask in zip(SKEWNESS_SIDES, masks):
        for row in range(len(RARE_VARIANCE_SHARES)):
            for column in select_spread_indices(mask[row]):
                maximum = max(maximum, estimate_tail(row, column, side))
                if maximum > stop_above:
                    return maximum
    for side, mask in zip(SKEWNESS_SIDES, masks):
        columns = np.flatnonzero(mask[-1])
        if columns.size == 0:
            continue
        low, high = float(variances[columns[0]]), float(variances[columns[-1]])
        for variance, slack in distribution.get_jump_variances(side):
            if low <= variance <= high and maximum <= stop_above:
                first, second, third = distribution.simulate_sums(variance, side, 1.0)
                moved_sums = CenteredSums(
                    first + slack * (second < distribution.t_distribution.bound_square_sum(variance)), second, third
                )
                maximum = max(
                    maximum,
                    _estimate_extreme_probability(
                        distribution, observed, moved_sums, variance, distribution.compute_weights(1.0), alternative
                    ),
                )
    return maximum


def select_spread_indices(is_plausible: BooleanArray) -> list[int]:
    """Return at most five plausible indices, equally spaced from the first to the last."""
    plausible = np.flatnonzero(is_plausible)
    selected = np.linspace(0, plausible.size - 1, min(_DRAWN_POINTS, plausible.size)).round().astype(int)
    return [int(index) for index in plausible[selected]]


def compute_skewed_pvalue(
    noisy_sums: NoisySums, mean: float, alternative: str = "two-sided", stop_above: float = 2.0
) -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical mean.

    A p-value above `stop_above` may be larger than the one returned.
    """
    distribution = make_skewed_distribution(noisy_sums, mean, find_plausible_sizes(noisy_sums)[0][0])
    observed = compute_sums_about_mean(noisy_sums, mean)
    pvalue = _compute_pvalue_in_stages(noisy_sums, mean, alternative, stop_above, observed)
    return float(distribution.compute_statistic(observed, 0.0)), pvalue


def _compute_pvalue_in_stages(
    noisy_sums: NoisySums, mean: float, alternative: str, stop_above: float, observed: CenteredSums
) -> float:
    sizes, excluded_sizes = find_plausible_sizes(noisy_sums)
    excluded = EXCLUDED_PROBABILITY + excluded_sizes
    share, limit = 0.0, max(stop_above, 2.0 * excluded) - excluded
    for n in sizes:
        share = max(
            share,
            maximize_skewed_tail(
                make_skewed_distribution(noisy_sums, mean, n), observed, alternative, EXCLUDED_PROBABILITY, limit
            ),
        )
        if share > limit:
            break
    simulated_pvalue = min(1.0, excluded + share)
    if simulated_pvalue > 2.0 * excluded or 2.0 * excluded <= stop_above < 1.0:
        return simulated_pvalue
    sizes, excluded_sizes = find_plausible_sizes(noisy_sums, DEEP_EXCLUDED_PROBABILITY)
    share = 0.0
    # every second plausible number of records
    for n in sorted({*sizes[::2], sizes[-1]}):
        distribution = make_skewed_distribution(noisy_sums, mean, n, has_far_draws=True)
        share = max(
            share, maximize_skewed_tail(distribution, observed, alternative, DEEP_EXCLUDED_PROBABILITY, excluded)
        )
    return choose_refined_pvalue(simulated_pvalue, excluded, DEEP_EXCLUDED_PROBABILITY + excluded_sizes + share)


@dataclass(frozen=True)
class SkewedTInterval(NoisyTInterval):
    """Confidence interval of a mean by the t test with a sum of cubes, in units of the data."""

    def _compute_square_sum(self, distribution: NoisyTDistribution, mean: float) -> float:
        return float(compute_sums_about_mean(self.noisy_sums, mean).second)

    def _make_pvalue_function(self, alpha: float) -> Callable[[float], float]:
        size, first, _ = self.noisy_sums.sums
        max_sum = max(size, 1.0)
        # a sum far outside the possible range would reject every mean
        clipped = min(max(first, -max_sum), max_sum)

        def compute_pvalue(mean: float) -> float:
            observed = compute_sums_about_mean(self.noisy_sums, mean)._replace(first=np.asarray(clipped - mean * size))
            return _compute_pvalue_in_stages(self.noisy_sums, mean, self.alternative, alpha, observed)

        return compute_pvalue
