"""Small p-values of noisy means, and confidence intervals for the difference of two means."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from pydpstat._null_distributions.means.exact_moments import bound_noise_quantile
from pydpstat._null_distributions.means.noisy_t import (
    EXCLUDED_PROBABILITY,
    NoisySums,
    NoisyTDistribution,
    bound_square_sum,
    compute_t_pvalue,
    find_plausible_sizes,
    find_plausible_variances,
    make_t_distribution,
    make_variance_grid,
)
from pydpstat._null_distributions.means.noisy_t import bound_t_pvalue as plain_floor
from pydpstat._null_distributions.means.noisy_welch import (
    COARSE_POINTS,
    FINE_POINTS,
    QuadraticSums,
    WelchGroup,
    compute_upper_mean,
    compute_welch_pvalue,
    draw_importance_sample,
    estimate_variance,
    find_plausible_range,
    get_shape_pairs,
    make_variance_range,
    make_welch_groups,
    maximize_welch_tail,
    sum_conditional_tails,
)
from pydpstat._null_distributions.simulation import DOWNWARD_SHAPE, PVALUE_FLOOR, UPWARD_SHAPE, find_interval_end
from pydpstat.r_arithmetic.elementary import Floats

IntervalLimits = tuple[float, float]
# probability with which noise alone exceeds a number of records that counts as informative
_NOISE_PROBABILITY = 0.001
# probability that the true variance is outside the wider set, and binary logarithm of the number of draws
_DEEP_EXCLUDED_PROBABILITY = 2e-7
_DRAWS_POWER = 12


def choose_refined_pvalue(first: float, excluded: float, second: float) -> float:
    """Combine a p-value and a second one from wider sets of nuisance parameters.

    The tests of one and of two noisy means exclude variances with probability g and add it to the p-value. If
    that is most of a p-value, a second one replaces it, from wider sets, which exclude 2e-7, and importance
    sampling. With p1 the first p-value and p2 the second one, which is never below p1 - g, the result is

    - p1 if it is above 2 g,
    - else p2 if that is at most g, and 2 g otherwise.

    *The level is that of p1 and p2.* Let q be the probability of a statistic as extreme at the true variances:
    ``p1 >= g + q`` and ``p2 >= q + g2`` unless these were excluded, by the wider set only if also by the
    narrower one. Below 2 g only ``p2 <= a``, for an a up to g, rejects: with probability at most a. At a
    level a of at least 2 g, ``p1 <= a`` or ``p2 <= g`` rejects, so that q is at most a - g, or the narrower set
    is wrong: with probability at most a - g + g.
    """
    if first > 2.0 * excluded:
        return first
    return max(second, PVALUE_FLOOR) if second <= excluded else 2.0 * excluded


def compute_refined_t_pvalue(noisy_sums: NoisySums, mean: float, alternative: str = "two-sided") -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical mean."""
    statistic, simulated = compute_t_pvalue(noisy_sums, mean, alternative)
    excluded = EXCLUDED_PROBABILITY + find_plausible_sizes(noisy_sums)[1]
    if simulated > 2.0 * excluded or not isinstance(noisy_sums.noise_family, str):
        return statistic, simulated
    sizes, excluded_sizes = find_plausible_sizes(noisy_sums, _DEEP_EXCLUDED_PROBABILITY)
    # every second plausible number of records
    sizes = tuple(sorted({*sizes[::2], sizes[-1]}))
    share = 0.0
    for n in sizes:
        distribution = make_t_distribution(noisy_sums, mean, n)
        share = max(
            share,
            _maximize_one_sample_tail(distribution, *distribution.compute_centered_sums(noisy_sums.sums), alternative),
        )
    return statistic, choose_refined_pvalue(simulated, excluded, _DEEP_EXCLUDED_PROBABILITY + excluded_sizes + share)


def get_t_pvalue_floor(noisy_sums: NoisySums) -> float:
    """Return the smallest possible p-value of `compute_refined_t_pvalue`."""
    return PVALUE_FLOOR if isinstance(noisy_sums.noise_family, str) else plain_floor(noisy_sums)


def _maximize_one_sample_tail(distribution: NoisyTDistribution, first: float, second: float, alternative: str) -> float:
    """Return the largest probability of a statistic as extreme as the observed one, over plausible variances."""
    noise = str(distribution.noise_family)
    a, b = np.array(distribution.first_noise), np.array(distribution.second_noise)
    open_index = int(np.abs(a).argmax())
    sample = draw_importance_sample(distribution.n, noise, a.size, _DRAWS_POWER)
    partial_sums = np.delete(a, open_index) @ np.delete(sample.draws.noises, open_index, axis=0)
    squared = np.delete(b, open_index) @ np.delete(sample.draws.noises, open_index, axis=0)
    open_squares = b[open_index] * sample.draws.noises[open_index]
    sign = math.copysign(1.0, a[open_index])
    signs = get_extreme_signs(alternative)

    def estimate_tail(variance: float, shape: int, slack: float = 0.0) -> float:
        sums, squares = sample.compute_sums(distribution.n, distribution.mean, variance, shape)
        min_square, squares = distribution.bound_square_sum(variance), squares + squared
        if slack:
            sums = sums + slack * (squares + open_squares < min_square)
        form = QuadraticSums(
            sign * (sums + partial_sums),
            abs(a[open_index]),
            squares + distribution.noise_variance,
            float(b[open_index]),
            0.0,
        )
        t = abs(distribution.compute_statistic(first, second, variance))
        lowest = t * math.sqrt(min_square + distribution.noise_variance)
        chance = sum_conditional_tails(form, (sign * side for side in signs), t, lowest, noise)
        return compute_upper_mean(sample.compute_weights(shape, open_index) * chance)

    grid = distribution.make_variance_grid()
    flags = np.zeros((2, grid.size), dtype=bool)
    shares = np.zeros(grid.size)
    for index, variance in enumerate(grid.tolist()):
        above, below = [], []
        for shape in distribution.get_shapes(variance):
            squares = (
                sample.compute_sums(distribution.n, distribution.mean, variance, shape)[1] + squared + open_squares
            )
            weights = sample.compute_weights(shape)
            above.append(compute_upper_mean(weights * (squares >= second)))
            below.append(compute_upper_mean(weights * (squares < second)))
            shares[index] = max(shares[index], estimate_tail(variance, shape))
        flags[:, index] = (
            max(above) <= 0.5 * _DEEP_EXCLUDED_PROBABILITY,
            max(below) <= 0.5 * _DEEP_EXCLUDED_PROBABILITY,
        )
    is_plausible = find_plausible_variances(*flags)
    max_tail, (low, high) = float(shares[is_plausible].max()), grid[is_plausible][[0, -1]].tolist()
    steps = [
        (shape, *step) for shape in (UPWARD_SHAPE, DOWNWARD_SHAPE) for step in distribution.get_jump_variances(shape)
    ]
    return max([max_tail, *(estimate_tail(v, shape, slack) for shape, v, slack in steps if low <= v <= high)])


def compute_two_sample_pvalue(
    noisy_sums: tuple[NoisySums, NoisySums], alternative: str = "two-sided"
) -> tuple[float, float]:
    """Return the statistic and the p-value of equal means of two groups with Laplace or normal noise."""
    statistic, simulated = compute_welch_pvalue(noisy_sums, 0.0, alternative)
    excluded = 2.0 * EXCLUDED_PROBABILITY
    if simulated > 2.0 * excluded:
        return statistic, simulated
    return statistic, choose_refined_pvalue(
        simulated, excluded, compute_deep_pvalue(make_welch_groups(noisy_sums, 0.0), 0.0, alternative)
    )


def compute_deep_pvalue(groups: tuple[WelchGroup, WelchGroup], difference: float, alternative: str) -> float:
    """Return the p-value of a hypothetical difference of two means, from wider sets of variances."""
    return 2.0 * _DEEP_EXCLUDED_PROBABILITY + _TwoGroupTail(groups, alternative).maximize_tail(difference)


class _GroupMoments(NamedTuple):
    """Mean of a group and its part of the variance at the draws, as functions of a noise left open, if any."""

    mean: Floats
    constant: Floats
    linear: Floats


class _TwoGroupTail:
    """Tail probability for two groups by importance sampling, with the widest noise integrated exactly."""

    def __init__(self, groups: tuple[WelchGroup, WelchGroup], alternative: str) -> None:
        self.groups, self.alternative = groups, alternative
        self.importance_draws = [
            draw_importance_sample(
                group.distribution.n,
                str(group.distribution.noise_family),
                len(group.distribution.first_noise),
                _DRAWS_POWER,
                index,
                2,
            )
            for index, group in enumerate(groups)
        ]
        widest = [float(np.abs(group.distribution.first_noise).max()) / group.distribution.n for group in groups]
        self.open_group = int(widest[1] > widest[0])
        self.open_noise = int(np.abs(groups[self.open_group].distribution.first_noise).argmax())

    def compute_moments(self, group_index: int, variance: float, shape: int, open_noise: int | None) -> _GroupMoments:
        """Return the moments of a group at the draws, with the noise number `open_noise` left open."""
        distribution, sample = self.groups[group_index].distribution, self.importance_draws[group_index]
        a, b, noises = np.array(distribution.first_noise), np.array(distribution.second_noise), sample.draws.noises
        sums, squares = sample.compute_sums(distribution.n, distribution.mean, variance, shape)
        is_included = np.arange(a.size) != (-1 if open_noise is None else open_noise)
        sums, squares = sums + a[is_included] @ noises[is_included], squares + b[is_included] @ noises[is_included]
        divisor = distribution.n * max(distribution.n - 1, 1)
        slope = (
            np.zeros(1)
            if open_noise is None
            else (b[open_noise] - 2.0 * sums * a[open_noise] / distribution.n) / divisor
        )
        constant = (
            estimate_variance(distribution.n, sums, squares, distribution.noise_variance) / distribution.n
            + self.groups[group_index].noise_variance
        )
        return _GroupMoments(sums / distribution.n, constant, slope)

    def make_plausible_grid(self, group_index: int) -> Floats:
        """Return a grid over the plausible variances of a group."""
        group, sample = self.groups[group_index], self.importance_draws[group_index]
        coarse = make_variance_grid(
            1.0 - group.distribution.mean**2, group.distribution.floor, group.distribution.n, COARSE_POINTS
        )
        observed = group.variance / group.distribution.n + group.noise_variance

        @cache
        def compare_estimates(index: int) -> tuple[bool, bool]:
            above, below = [], []
            for shape in group.distribution.get_shapes(float(coarse[index])):
                is_reached = self.compute_moments(group_index, float(coarse[index]), shape, None).constant >= observed
                weights = sample.compute_weights(shape)
                above.append(compute_upper_mean(weights * is_reached))
                below.append(compute_upper_mean(weights * ~is_reached))
            return max(above) <= 0.5 * _DEEP_EXCLUDED_PROBABILITY, max(below) <= 0.5 * _DEEP_EXCLUDED_PROBABILITY

        first, last = find_plausible_range(coarse.size, compare_estimates, False)
        return make_variance_range(group.distribution, float(coarse[first]), float(coarse[last]))

    def maximize_tail(self, difference: float) -> float:
        """Return the largest probability of a statistic as extreme as the observed one."""
        open_group, other_group, distribution = (
            self.groups[self.open_group],
            self.groups[1 - self.open_group],
            self.groups[0].distribution,
        )
        a = open_group.distribution.first_noise[self.open_noise] / open_group.distribution.n
        group_sign = 1.0 - 2.0 * self.open_group
        sign, quadratic = math.copysign(1.0, group_sign * a), -a * a / max(open_group.distribution.n - 1, 1)
        distance = self.groups[0].mean - self.groups[1].mean - difference
        square = sum(group.variance / group.distribution.n + group.noise_variance for group in self.groups)
        floor = sum(group.distribution.floor / group.distribution.n**2 for group in self.groups)
        noise = sum(group.noise_variance for group in self.groups)
        grids = [self.make_plausible_grid(index)[::2].tolist() for index in (self.open_group, 1 - self.open_group)]
        max_tail = 0.0
        for shapes in get_shape_pairs(self.groups):
            first, second = (
                [self.compute_moments(p, v, shapes[p], open_noise) for v in grid]
                for p, open_noise, grid in zip((self.open_group, 1 - self.open_group), (self.open_noise, None), grids)
            )
            weights = self.importance_draws[self.open_group].compute_weights(shapes[self.open_group], self.open_noise)
            weights = weights * self.importance_draws[1 - self.open_group].compute_weights(shapes[1 - self.open_group])
            for v1, open_moments in zip(grids[0], first):
                for v2, other_moments in zip(grids[1], second):
                    min_square = sum(
                        bound_square_sum(g.distribution.n, g.distribution.mean, v) / g.distribution.n**2
                        for g, v in ((open_group, v1), (other_group, v2))
                    )
                    lowest = max(floor, min_square) + noise
                    t = abs(distance) / math.sqrt(max(square, lowest))
                    difference_sums = sign * group_sign * (open_moments.mean - other_moments.mean)
                    form = QuadraticSums(
                        difference_sums,
                        abs(a),
                        open_moments.constant + other_moments.constant,
                        open_moments.linear,
                        quadratic,
                    )
                    edge = t * math.sqrt(lowest)
                    signs = (sign * side for side in get_extreme_signs(self.alternative))
                    chance = sum_conditional_tails(form, signs, t, edge, str(distribution.noise_family))
                    max_tail = max(max_tail, compute_upper_mean(weights * chance))
        return max_tail


def get_extreme_signs(alternative: str) -> tuple[float, ...]:
    """Return the signs of extreme statistics."""
    if alternative == "two-sided":
        return 1.0, -1.0
    return (1.0,) if alternative == "greater" else (-1.0,)


@dataclass(frozen=True)
class WelchInterval:
    """Confidence interval of a difference of two means by the noisy Welch test, in units of the data."""

    noisy_sums: tuple[NoisySums, NoisySums]
    half_width: float
    alternative: str = "two-sided"

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval, which misses the difference with probability at most `alpha`."""
        means = [min(max(group.sums[1] / (group.size or 1), -1.0), 1.0) for group in self.noisy_sums]
        center = means[0] - means[1]
        groups = make_welch_groups(self.noisy_sums, center)
        square = sum(
            max(group.variance, group.distribution.floor / group.distribution.n) / group.distribution.n
            for group in groups
        )
        error = math.sqrt(square + sum(group.noise_variance for group in groups))
        pvalue = self._make_pvalue_function(alpha, center)
        limits = []
        for side, one_sided in ((-1.0, "greater"), (1.0, "less")):
            if self.alternative in ("two-sided", one_sided):
                limits.append(find_interval_end(pvalue, alpha, center, error, side, 2.0))
            else:
                limits.append(2.0 * side)
        return self.half_width * limits[0], self.half_width * limits[1]

    def _make_pvalue_function(self, alpha: float, center: float) -> Callable[[float], float]:
        start, excluded = (FINE_POINTS, FINE_POINTS), 2.0 * EXCLUDED_PROBABILITY

        def compute_pvalue(difference: float) -> float:
            nonlocal start
            groups = make_welch_groups(self.noisy_sums, difference)
            distance, stop_above = center - difference, max(alpha, 2.0 * excluded) - excluded
            _, share, start = maximize_welch_tail(groups, distance, self.alternative, stop_above, start)
            if alpha >= 2.0 * excluded or share > excluded:
                return excluded + share
            return compute_deep_pvalue(groups, difference, self.alternative)

        return compute_pvalue


@dataclass(frozen=True)
class UninformativeInterval:
    """Interval without information: the whole parameter range."""

    low: float
    high: float

    def compute_limits(self, alpha: float) -> IntervalLimits:
        """Return both limits, whatever alpha."""
        return self.low, self.high


def use_noisy_size(noisy_sums: NoisySums) -> NoisySums | None:
    """Return noisy sums with the noisy number of records as size; None if it may be noise alone."""
    if noisy_sums.size is not None:
        return noisy_sums
    count = noisy_sums.sums[0]
    assert isinstance(noisy_sums.noise_family, str), "groups have Laplace or normal noise"
    if count <= bound_noise_quantile(
        np.abs(np.array(noisy_sums.noise[0])), noisy_sums.noise_family, _NOISE_PROBABILITY
    ):
        return None
    size = max(1, round(count))
    first, second = (value * (size / count) for value in noisy_sums.sums[1:])
    cube_sum = noisy_sums.cube_sum and noisy_sums.cube_sum._replace(value=noisy_sums.cube_sum.value * (size / count))
    return replace(noisy_sums, sums=(float(size), first, second), size=size, cube_sum=cube_sum)


def make_welch_interval(
    noisy_sums: tuple[NoisySums, NoisySums], half_width: float, alternative: str = "two-sided"
) -> WelchInterval | UninformativeInterval:
    """Return the interval of a difference, with noisy numbers of records if these are private."""
    first, second = use_noisy_size(noisy_sums[0]), use_noisy_size(noisy_sums[1])
    if first is None or second is None:
        return UninformativeInterval(-2.0 * half_width, 2.0 * half_width)
    return WelchInterval((first, second), half_width, alternative)
