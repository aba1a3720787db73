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
    for law, part, lowest in zip(distributions, summaries, min_squares):
        square = np.maximum(part.square, lowest)
        whole = square + law.t_distribution.noise_variance
        roots.append(np.sqrt(whole) / law.t_distribution.n)
        skews.append(law.estimate_removed_skewness(part.cube, square, whole))
    weights = [1.0 / (root * root) for root in roots]
    total = sum(weights[1:], weights[0])
    middle = sum(weight * part.mean for weight, part in zip(weights, summaries)) / total
    moved = []
    for part, root, weight, skewness in zip(summaries, roots, weights, skews):
        t = (part.mean - middle) / root
        lean = skewness * t
        constant = skewness / 6.0 * (1.0 - weight / total)
        moved.append(part.mean + root * (constant + t * lean * (1.0 / 3.0 + lean / 27.0)))
    if len(moved) == 2:
        return np.asarray((moved[0] - moved[1]) / np.sqrt(roots[0] ** 2 + roots[1] ** 2))
    middle = sum(weight * each for weight, each in zip(weights, moved)) / total
    return np.asarray(sum(weight * (each - middle) ** 2 for weight, each in zip(weights, moved)))


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
        return [summarize_group(*each) for each in zip(self.distributions, self.observed_sums, self.shifts)]

    @cached_property
    def plausible_variances(self) -> list[dict[float, dict[int, list[float]]]]:
        """Plausible variances of each group, ascending, by side and index of the rare records' fraction."""
        tail, found = 0.25 * self.excluded / len(self.distributions), []
        for law, seen in zip(self.distributions, self.observed_sums):
            variances = make_plausible_variances(law, seen, tail)
            kept = [compare_moments(law, seen, variances, side, tail).find_plausible() for side in SKEWNESS_SIDES]
            # the normal shape does not depend on the side
            kept[0][0] &= kept[1][0]
            kept[1][0] = kept[0][0]
            found.append({side: _group_by_share(variances, each) for side, each in zip(SKEWNESS_SIDES, kept)})
        return found

    def iterate_shapes(self) -> Iterator[tuple[GroupShape, ...]]:
        """Yield shapes and variances of all groups, skewed to alternating sides."""
        rows = sorted({row for each in self.plausible_variances for by_share in each.values() for row in by_share})
        told = set()
        for between in _VARIANCE_POSITIONS:
            for row in rows:
                for first in SKEWNESS_SIDES:
                    found = tuple(
                        self._choose_group_shape(place, first * (1.0 - 2.0 * (place % 2)), row, between[place % 2])
                        for place in range(len(self.distributions))
                    )
                    if found not in told:
                        told.add(found)
                        yield found

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
        variances = [each.variance for each in shapes] if shapes else [0.0] * len(self.distributions)
        return [law.t_distribution.bound_square_sum(variance) for law, variance in zip(self.distributions, variances)]

    def simulate_statistics(self, shapes: Sequence[GroupShape]) -> Floats:
        """Return the statistics of the draws."""
        parts = [_simulate_group_summary(law, point) for law, point in zip(self.distributions, shapes)]
        return compare_group_means(self.distributions, parts, self._bound_square_sums(shapes))

    def compare_releases(self, sums: Sequence[Floats], shapes: Sequence[GroupShape]) -> Floats:
        """Return the statistics of other releases, from noisy sums of 1, z, z^2 and z^3 of each group."""
        parts = [
            summarize_group(law, compute_centered_powers(law.t_distribution.mean, *each), shift)
            for law, each, shift in zip(self.distributions, sums, self.shifts)
        ]
        return compare_group_means(self.distributions, parts, self._bound_square_sums(shapes))

    def maximize_tail(self, stop_above: float = 2.0) -> float:
        """Return the largest probability of a statistic as extreme as the observed one.

        The search stops at a probability above `stop_above`.
        """
        most = 0.0
        for points in self.iterate_shapes():
            observed, drawn = self.compute_statistic(points), self.simulate_statistics(points)
            if len(points) == 2 and self.alternative == "two-sided":
                extreme = np.abs(drawn) >= abs(observed)
            else:
                extreme = drawn <= observed if self.alternative == "less" else drawn >= observed
            if self.distributions[0].has_far_draws:
                weights = np.ones(extreme.size)
                for law, point in zip(self.distributions, points):
                    weights = weights * law.compute_weights(RARE_VARIANCE_SHARES[point.share_index])
                most = max(most, compute_upper_mean(weights * extreme))
            else:
                most = max(most, (1 + int(np.count_nonzero(extreme))) / (extreme.size + 1))
            if most > stop_above:
                break
        return most

    def maximize_group_tails(self, group_index: int, statistic: float) -> Floats:
        """Return the largest probabilities that the square of a group is at least each threshold."""
        law, roots = self.distributions[group_index], make_thresholds(statistic)
        found = np.zeros(roots.size)
        for side, by_share in self.plausible_variances[group_index].items():
            for row, variances in by_share.items():
                weights = law.compute_weights(RARE_VARIANCE_SHARES[row])
                for variance in {variances[round(each * (len(variances) - 1))] for each in (0.0, 0.5, 1.0)}:
                    sizes = np.abs(
                        law.compute_statistic(law.simulate_sums(variance, side, RARE_VARIANCE_SHARES[row]), variance)
                    )
                    reached = [compute_upper_mean(weights * (sizes >= root)) for root in roots.tolist()]
                    found = np.maximum(found, reached)
        found[0] = 1.0
        return np.minimum.accumulate(np.minimum(found, 1.0))


def _group_by_share(variances: Floats, is_plausible: BooleanArray) -> dict[int, list[float]]:
    return {row: variances[each].tolist() for row, each in enumerate(is_plausible) if each.any()}


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
    sizes = [each.size or 1 for each in noisy_sums]
    total, groups = sum(sizes), len(noisy_sums)
    apart = [difference * (total - sizes[0]) / total, *[-difference * sizes[0] / total] * (groups - 1)]
    pooled = sum(each.sums[1] for each in noisy_sums) / total
    power = max(_MIN_DRAWS_POWER, DRAWS_POWER + 1 - (groups - 1).bit_length())
    laws, seen, shifts = [], [], []
    for place, (each, size, own) in enumerate(zip(noisy_sums, sizes, apart)):
        mean = round_mean_outwards(min(max(pooled + own, -1.0), 1.0))
        among = GroupPosition(place, groups, power, _FAR_DRAWS_POWERS[groups > 2])
        laws.append(make_skewed_distribution(each, mean, size, has_far_draws, among))
        seen.append(compute_sums_about_mean(each, mean))
        shifts.append(mean - own)
    return SkewedGroups(tuple(laws), tuple(seen), tuple(shifts), alternative, excluded)


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
    first = min(1.0, EXCLUDED_PROBABILITY + groups.maximize_tail(limit))
    if first > 2.0 * EXCLUDED_PROBABILITY or 2.0 * EXCLUDED_PROBABILITY <= stop_above < 1.0:
        return groups.compute_statistic(), first
    deep = make_skewed_groups(noisy_sums, difference, alternative, DEEP_EXCLUDED_PROBABILITY, has_far_draws=True)
    return groups.compute_statistic(), choose_refined_pvalue(
        first, EXCLUDED_PROBABILITY, DEEP_EXCLUDED_PROBABILITY + deep.maximize_tail(EXCLUDED_PROBABILITY)
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
    first = min(1.0, EXCLUDED_PROBABILITY + groups.maximize_tail(limit))
    if first > 2.0 * EXCLUDED_PROBABILITY or 2.0 * EXCLUDED_PROBABILITY <= stop_above < 1.0:
        return groups.compute_statistic(), first
    deep = make_skewed_groups(noisy_sums, excluded=DEEP_EXCLUDED_PROBABILITY, has_far_draws=True)
    least = min(groups.compute_statistic(points) for points in groups.iterate_shapes())
    chance = bound_sum_tail([deep.maximize_group_tails(place, least) for place in range(len(noisy_sums))], least)
    return groups.compute_statistic(), choose_refined_pvalue(
        first, EXCLUDED_PROBABILITY, DEEP_EXCLUDED_PROBABILITY + chance
    )


@dataclass(frozen=True)
class SkewedWelchInterval(WelchInterval):
    """Confidence interval of a difference of two means by the test with sums of cubes, in units of the data."""

    def _make_pvalue_function(self, alpha: float, center: float) -> Callable[[float], float]:
        return lambda difference: compute_difference_pvalue(self.noisy_sums, difference, self.alternative, alpha)[1]
