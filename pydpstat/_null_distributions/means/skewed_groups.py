"""Comparisons of group means by noisy sums of records, squares and cubes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.means.group_means import bound_sum_tail, make_thresholds
from pydpstat._null_distributions.means.mean_differences import WelchInterval, choose_refined_pvalue
from pydpstat._null_distributions.means.noisy_t import NoisySums
from pydpstat._null_distributions.means.noisy_welch import compute_upper_mean, estimate_variance
from pydpstat._null_distributions.means.skewed_shapes import (
    RARE_VARIANCE_SHARES,
    BooleanArray,
    CenteredSums,
    compute_centered_cubes,
    compute_centered_powers,
)
from pydpstat._null_distributions.means.skewed_t import (
    DEEP_EXCLUDED_PROBABILITY,
    EXCLUDED_PROBABILITY,
    SKEWNESS_SIDES,
    GroupPosition,
    SkewedTDistribution,
    compare_moments,
    compute_sums_about_mean,
    make_plausible_variances,
    make_skewed_distribution,
)
from pydpstat._null_distributions.simulation import DRAWS_POWER
from pydpstat.r_arithmetic.elementary import Floats

# means are rounded so that their distances from the nearer bound are powers of this ratio
_ROUNDING_RATIO = 2.0**0.125
# binary logarithms of the least number of draws, and of that of weighted ones for two groups and for more
_MIN_DRAWS_POWER, _FAR_DRAWS_POWERS = 10, (14, 12)
# positions among the plausible variances of a shape, from 0 to 1, for alternating groups
_VARIANCE_POSITIONS = ((0.5, 0.5), (0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0))


class GroupSummary(NamedTuple):
    """Mean of a group, and its sums of squares and cubes about the sample mean."""

    mean: Floats
    square: Floats
    cube: Floats


class GroupShape(NamedTuple):
    """Shape of a group's records: side of rare ones, index of their fraction of the variance, and variance."""

    side: float
    share_index: int
    variance: float


def summarize_group(distribution: SkewedTDistribution, sums: CenteredSums, shift: float = 0.0) -> GroupSummary:
    """Return the moments of a group for a comparison; `shift` is added to its mean."""
    n = distribution.t_distribution.n
    square = n * estimate_variance(n, sums.first, sums.second, distribution.t_distribution.noise_variance)
    return GroupSummary(sums.first / n + shift, square, compute_centered_cubes(n, sums))


# cached: rounded means and variances occur in several hypotheses
@lru_cache(maxsize=128)
def _simulate_group_summary(distribution: SkewedTDistribution, shape: GroupShape) -> GroupSummary:
    return GroupSummary(
        *map(
            freeze_array,
            summarize_group(
                distribution,
                distribution.simulate_sums(shape.variance, shape.side, RARE_VARIANCE_SHARES[shape.share_index]),
            ),
        )
    )


def compare_group_means(
    distributions: Sequence[SkewedTDistribution],
    summaries: Sequence[GroupSummary],
    min_squares: Sequence[float],
) -> Floats:
    """Return the signed statistic of two groups, or that of several, with lower limits of their sums of squares.

    Means are weighted by the inverses of their variances. The deviation of each group from the weighted mean is
    corrected for part of its skewness (`correct_for_skewness`): the difference of two means is then corrected
    as by Hall's transformation, up to terms of order 1 / n. The statistic is the difference
    of two corrected means over its standard error, or the weighted sum of squares of several.
    """
    roots, skews = [], []
    for distribution, summary, lowest in zip(distributions, summaries, min_squares):
        square = np.maximum(summary.square, lowest)
        total_square = square + distribution.t_distribution.noise_variance
        roots.append(np.sqrt(total_square) / distribution.t_distribution.n)
        skews.append(distribution.estimate_removed_skewness(summary.cube, square, total_square))
    weights = [1.0 / (root * root) for root in roots]
    total = sum(weights[1:], weights[0])
    middle = sum(weight * summary.mean for weight, summary in zip(weights, summaries)) / total
    corrected = []
    for summary, root, weight, skewness in zip(summaries, roots, weights, skews):
        t = (summary.mean - middle) / root
        scaled_t = skewness * t
        constant = skewness / 6.0 * (1.0 - weight / total)
        corrected.append(summary.mean + root * (constant + t * scaled_t * (1.0 / 3.0 + scaled_t / 27.0)))
    if len(corrected) == 2:
        return np.asarray((corrected[0] - corrected[1]) / np.sqrt(roots[0] ** 2 + roots[1] ** 2))
    middle = sum(weight * corrected_mean for weight, corrected_mean in zip(weights, corrected)) / total
    return np.asarray(
        sum(weight * (corrected_mean - middle) ** 2 for weight, corrected_mean in zip(weights, corrected))
    )


@dataclass(frozen=True)
class SkewedGroups:
    """Groups under a hypothesis about their means, with observed sums.

    `alternative` applies to two groups; for several, large statistics are extreme.
    """

    distributions: tuple[SkewedTDistribution, ...]
    observed_sums: tuple[CenteredSums, ...]
    shifts: tuple[float, ...]
    alternative: str
    excluded: float

    @cached_property
    def summaries(self) -> list[GroupSummary]:
        """Observed moments of the groups."""
        return [summarize_group(*group) for group in zip(self.distributions, self.observed_sums, self.shifts)]

    @cached_property
    def plausible_variances(self) -> list[dict[float, dict[int, list[float]]]]:
        """Plausible variances of each group, ascending, by side and index of the rare records' fraction."""
        tail, by_group = 0.25 * self.excluded / len(self.distributions), []
        for distribution, observed in zip(self.distributions, self.observed_sums):
            variances = make_plausible_variances(distribution, observed, tail)
            masks = [
                compare_moments(distribution, observed, variances, side, tail).find_plausible()
                for side in SKEWNESS_SIDES
            ]
            # the normal shape does not depend on the side
            masks[0][0] &= masks[1][0]
            masks[1][0] = masks[0][0]
            by_group.append({side: _group_by_share(variances, mask) for side, mask in zip(SKEWNESS_SIDES, masks)})
        return by_group

    def iterate_shapes(self) -> Iterator[tuple[GroupShape, ...]]:
        """Yield shapes and variances of all groups, skewed to alternating sides."""
        rows = sorted(
            {row for by_side in self.plausible_variances for by_share in by_side.values() for row in by_share}
        )
        yielded = set()
        for positions in _VARIANCE_POSITIONS:
            for row in rows:
                for first in SKEWNESS_SIDES:
                    shapes = tuple(
                        self._choose_group_shape(index, first * (1.0 - 2.0 * (index % 2)), row, positions[index % 2])
                        for index in range(len(self.distributions))
                    )
                    if shapes not in yielded:
                        yielded.add(shapes)
                        yield shapes

    def _choose_group_shape(self, group_index: int, side: float, max_share_index: int, position: float) -> GroupShape:
        """Return a plausible shape of a group with at most a given fraction of rare records, if there is one."""
        by_share = self.plausible_variances[group_index][side]
        if not by_share:
            side = -side
            by_share = self.plausible_variances[group_index][side]
            max_share_index = min(by_share, default=0)
        if not by_share:
            return GroupShape(
                side,
                0,
                max(
                    float(self.summaries[group_index].square) / self.distributions[group_index].t_distribution.n,
                    0.0,
                ),
            )
        row = max((row for row in by_share if row <= max_share_index), default=min(by_share))
        variances = by_share[row]
        # the normal shape does not depend on the side
        return GroupShape(side if row else SKEWNESS_SIDES[0], row, variances[round(position * (len(variances) - 1))])

    def compute_statistic(self, shapes: Sequence[GroupShape] | None = None) -> float:
        """Return the observed statistic, with lower limits by the variances of shapes if given."""
        return float(compare_group_means(self.distributions, self.summaries, self._bound_square_sums(shapes)))

    def _bound_square_sums(self, shapes: Sequence[GroupShape] | None) -> list[float]:
        variances = [shape.variance for shape in shapes] if shapes else [0.0] * len(self.distributions)
        return [
            distribution.t_distribution.bound_square_sum(variance)
            for distribution, variance in zip(self.distributions, variances)
        ]

    def simulate_statistics(self, shapes: Sequence[GroupShape]) -> Floats:
        """Return the statistics of the draws."""
        summaries = [
            _simulate_group_summary(distribution, point) for distribution, point in zip(self.distributions, shapes)
        ]
        return compare_group_means(self.distributions, summaries, self._bound_square_sums(shapes))

    def compare_releases(self, sums: Sequence[Floats], shapes: Sequence[GroupShape]) -> Floats:
        """Return the statistics of other releases, from noisy sums of 1, z, z^2 and z^3 of each group."""
        summaries = [
            summarize_group(distribution, compute_centered_powers(distribution.t_distribution.mean, *group_sums), shift)
            for distribution, group_sums, shift in zip(self.distributions, sums, self.shifts)
        ]
        return compare_group_means(self.distributions, summaries, self._bound_square_sums(shapes))

    def maximize_tail(self, stop_above: float = 2.0) -> float:
        """Return the largest probability of a statistic as extreme as the observed one.

        The search stops at a probability above `stop_above`.
        """
        max_tail = 0.0
        for shapes in self.iterate_shapes():
            observed, simulated = self.compute_statistic(shapes), self.simulate_statistics(shapes)
            if len(shapes) == 2 and self.alternative == "two-sided":
                is_extreme = np.abs(simulated) >= abs(observed)
            else:
                is_extreme = simulated <= observed if self.alternative == "less" else simulated >= observed
            if self.distributions[0].has_far_draws:
                weights = np.ones(is_extreme.size)
                for distribution, point in zip(self.distributions, shapes):
                    weights = weights * distribution.compute_weights(RARE_VARIANCE_SHARES[point.share_index])
                max_tail = max(max_tail, compute_upper_mean(weights * is_extreme))
            else:
                max_tail = max(max_tail, (1 + int(np.count_nonzero(is_extreme))) / (is_extreme.size + 1))
            if max_tail > stop_above:
                break
        return max_tail

    def maximize_group_tails(self, group_index: int, statistic: float) -> Floats:
        """Return the largest probabilities that the square of a group is at least each threshold."""
        distribution, roots = self.distributions[group_index], make_thresholds(statistic)
        tails = np.zeros(roots.size)
        for side, by_share in self.plausible_variances[group_index].items():
            for row, variances in by_share.items():
                weights = distribution.compute_weights(RARE_VARIANCE_SHARES[row])
                for variance in {variances[round(fraction * (len(variances) - 1))] for fraction in (0.0, 0.5, 1.0)}:
                    sizes = np.abs(
                        distribution.compute_statistic(
                            distribution.simulate_sums(variance, side, RARE_VARIANCE_SHARES[row]), variance
                        )
                    )
                    variance_tails = [compute_upper_mean(weights * (sizes >= root)) for root in roots.tolist()]
                    tails = np.maximum(tails, variance_tails)
        tails[0] = 1.0
        return np.minimum.accumulate(np.minimum(tails, 1.0))


def _group_by_share(variances: Floats, is_plausible: BooleanArray) -> dict[int, list[float]]:
    return {row: variances[mask].tolist() for row, mask in enumerate(is_plausible) if mask.any()}


def round_mean_outwards(mean: float) -> float:
    """Return a mean with the distance from the nearer bound rounded up."""
    distance = max(1.0 - abs(mean), 1e-9)
    steps = math.ceil(math.log(distance) / math.log(_ROUNDING_RATIO) - 1e-9)
    return math.copysign(1.0 - min(_ROUNDING_RATIO**steps, 1.0), mean)


def make_skewed_groups(
    noisy_sums: Sequence[NoisySums],
    difference: float = 0.0,
    alternative: str = "two-sided",
    excluded: float = EXCLUDED_PROBABILITY,
    has_far_draws: bool = False,
) -> SkewedGroups:
    """Return groups with equal means, or the first with a given difference, about the pooled mean."""
    sizes = [group_sums.size or 1 for group_sums in noisy_sums]
    total, groups = sum(sizes), len(noisy_sums)
    group_shifts = [difference * (total - sizes[0]) / total, *[-difference * sizes[0] / total] * (groups - 1)]
    pooled = sum(group_sums.sums[1] for group_sums in noisy_sums) / total
    power = max(_MIN_DRAWS_POWER, DRAWS_POWER + 1 - (groups - 1).bit_length())
    distributions, observed, shifts = [], [], []
    for index, (group_sums, size, shift) in enumerate(zip(noisy_sums, sizes, group_shifts)):
        mean = round_mean_outwards(min(max(pooled + shift, -1.0), 1.0))
        position = GroupPosition(index, groups, power, _FAR_DRAWS_POWERS[groups > 2])
        distributions.append(make_skewed_distribution(group_sums, mean, size, has_far_draws, position))
        observed.append(compute_sums_about_mean(group_sums, mean))
        shifts.append(mean - shift)
    return SkewedGroups(tuple(distributions), tuple(observed), tuple(shifts), alternative, excluded)


def compute_difference_pvalue(
    noisy_sums: Sequence[NoisySums],
    difference: float = 0.0,
    alternative: str = "two-sided",
    stop_above: float = 2.0,
) -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical difference of two means.

    A p-value above `stop_above` may be larger than the one returned.
    """
    groups = make_skewed_groups(noisy_sums, difference, alternative)
    limit = max(stop_above, 2.0 * EXCLUDED_PROBABILITY) - EXCLUDED_PROBABILITY
    simulated_pvalue = min(1.0, EXCLUDED_PROBABILITY + groups.maximize_tail(limit))
    if simulated_pvalue > 2.0 * EXCLUDED_PROBABILITY or 2.0 * EXCLUDED_PROBABILITY <= stop_above < 1.0:
        return groups.compute_statistic(), simulated_pvalue
    deep = make_skewed_groups(noisy_sums, difference, alternative, DEEP_EXCLUDED_PROBABILITY, has_far_draws=True)
    return groups.compute_statistic(), choose_refined_pvalue(
        simulated_pvalue, EXCLUDED_PROBABILITY, DEEP_EXCLUDED_PROBABILITY + deep.maximize_tail(EXCLUDED_PROBABILITY)
    )


def compute_several_means_pvalue(noisy_sums: Sequence[NoisySums], stop_above: float = 2.0) -> tuple[float, float]:
    """Return the statistic and the p-value of equal means.

    A p-value above `stop_above` may be larger than the one returned.
    """
    if len(noisy_sums) == 2:
        statistic, p = compute_difference_pvalue(noisy_sums, stop_above=stop_above)
        return statistic * statistic, p
    groups, limit = (
        make_skewed_groups(noisy_sums),
        max(stop_above, 2.0 * EXCLUDED_PROBABILITY) - EXCLUDED_PROBABILITY,
    )
    simulated_pvalue = min(1.0, EXCLUDED_PROBABILITY + groups.maximize_tail(limit))
    if simulated_pvalue > 2.0 * EXCLUDED_PROBABILITY or 2.0 * EXCLUDED_PROBABILITY <= stop_above < 1.0:
        return groups.compute_statistic(), simulated_pvalue
    deep = make_skewed_groups(noisy_sums, excluded=DEEP_EXCLUDED_PROBABILITY, has_far_draws=True)
    min_statistic = min(groups.compute_statistic(shapes) for shapes in groups.iterate_shapes())
    chance = bound_sum_tail(
        [deep.maximize_group_tails(index, min_statistic) for index in range(len(noisy_sums))], min_statistic
    )
    return groups.compute_statistic(), choose_refined_pvalue(
        simulated_pvalue, EXCLUDED_PROBABILITY, DEEP_EXCLUDED_PROBABILITY + chance
    )


@dataclass(frozen=True)
class SkewedWelchInterval(WelchInterval):
    """Confidence interval of a difference of two means by the test with sums of cubes, in units of the data."""

    def _make_pvalue_function(self, alpha: float, center: float) -> Callable[[float], float]:
        return lambda difference: compute_difference_pvalue(self.noisy_sums, difference, self.alternative, alpha)[1]
