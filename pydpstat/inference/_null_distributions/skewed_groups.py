"""Means of groups compared by noisy sums of records, squares and cubes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from pydpstat._frozen import frozen
from pydpstat.inference._null_distributions.group_means import add_tails, thresholds
from pydpstat.inference._null_distributions.mean_differences import WelchInterval, deeper
from pydpstat.inference._null_distributions.noisy_t import NoisySums
from pydpstat.inference._null_distributions.noisy_welch import mean_above, variance_estimate
from pydpstat.inference._null_distributions.simulation import POWER
from pydpstat.inference._null_distributions.skewed_shapes import SHARES, Centered, cube_about_mean
from pydpstat.inference._null_distributions.skewed_t import (
    LEAST_LEFT_OUT,
    LEFT_OUT,
    SIDES,
    Among,
    Flags,
    SkewedLaw,
    center_sums,
    compare_moments,
    skewed_law,
    sums_about,
    variances_for,
)
from pydpstat.r_arithmetic.elementary import Floats

# means are rounded so that their distances from the nearer bound are powers of this number
_ROUNDED = 2.0**0.125
# the number of draws is 2 to this power at least, and that of weighted ones for two groups and for more
_LEAST_POWER, _FAR_POWERS = 10, (14, 12)
# among a shape's possible variances, places between the least (0) and the largest (1), for groups by turns
_BETWEEN = ((0.5, 0.5), (0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (1.0, 0.0))


class Part(NamedTuple):
    """A group's mean, and its sums of squares and cubes about the sample's mean."""

    mean: Floats
    square: Floats
    cube: Floats


class Point(NamedTuple):
    """A shape of a group's records: the side of rare ones, the place of their share, and the variance."""

    side: float
    row: int
    variance: float


def part_of(law: SkewedLaw, sums: Centered, shift: float = 0.0) -> Part:
    """Return what a group contributes to a comparison; `shift` is added to its mean."""
    n = law.law.n
    square = n * variance_estimate(n, sums.first, sums.second, law.law.spread)
    return Part(sums.first / n + shift, square, cube_about_mean(n, sums))


# draws at rounded means and variances serve several hypotheses
@lru_cache(maxsize=128)
def _drawn(law: SkewedLaw, point: Point) -> Part:
    return Part(*map(frozen, part_of(law, law.drawn(point.variance, point.side, SHARES[point.row]))))


def compare(laws: Sequence[SkewedLaw], parts: Sequence[Part], least: Sequence[float]) -> Floats:
    """Return the signed statistic of two groups, or that of several, with sums of squares at least so large.

    Means are weighted by the inverses of their variances. Each group's distance from the weighted mean is
    corrected for part of its skewness (`correct_for_skewness`): the difference of two means is then corrected
    as Hall's transformation corrects it, but for terms of the order of 1 / n. The statistic is the difference
    of two corrected means over its standard error, or the weighted sum of squares of several.
    """
    roots, skews = [], []
    for law, part, lowest in zip(laws, parts, least):
        square = np.maximum(part.square, lowest)
        whole = square + law.law.spread
        roots.append(np.sqrt(whole) / law.law.n)
        skews.append(law.skewness(part.cube, square, whole))
    weights = [1.0 / (root * root) for root in roots]
    total = sum(weights[1:], weights[0])
    middle = sum(weight * part.mean for weight, part in zip(weights, parts)) / total
    moved = []
    for part, root, weight, skewness in zip(parts, roots, weights, skews):
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
    """Groups under a hypothesis about their means, and what was observed of them.

    `alternative` is of two groups; of several, large statistics are extreme.
    """

    laws: tuple[SkewedLaw, ...]
    seen: tuple[Centered, ...]
    shifts: tuple[float, ...]
    alternative: str
    left_out: float

    @cached_property
    def parts(self) -> list[Part]:
        """What the groups contribute to the comparison."""
        return [part_of(*each) for each in zip(self.laws, self.seen, self.shifts)]

    @cached_property
    def possible(self) -> list[dict[float, dict[int, list[float]]]]:
        """Each group's possible variances, ascending, by side and share."""
        tail, found = 0.25 * self.left_out / len(self.laws), []
        for law, seen in zip(self.laws, self.seen):
            variances = variances_for(law, seen, tail)
            kept = [compare_moments(law, seen, variances, side, tail).kept() for side in SIDES]
            # the normal shape has no side
            kept[0][0] &= kept[1][0]
            kept[1][0] = kept[0][0]
            found.append({side: _by_share(variances, each) for side, each in zip(SIDES, kept)})
        return found

    def points(self) -> Iterator[tuple[Point, ...]]:
        """Yield shapes and variances of all groups, skewed to opposite sides by turns."""
        rows = sorted({row for each in self.possible for by_share in each.values() for row in by_share})
        told = set()
        for between in _BETWEEN:
            for row in rows:
                for first in SIDES:
                    found = tuple(
                        self._point(place, first * (1.0 - 2.0 * (place % 2)), row, between[place % 2])
                        for place in range(len(self.laws))
                    )
                    if found not in told:
                        told.add(found)
                        yield found

    def _point(self, place: int, side: float, most: int, between: float) -> Point:
        """Return a group's point with at most a share of rare records on a side, if possible."""
        by_share = self.possible[place][side]
        if not by_share:
            side = -side
            by_share = self.possible[place][side]
            most = min(by_share, default=0)
        if not by_share:
            return Point(side, 0, max(float(self.parts[place].square) / self.laws[place].law.n, 0.0))
        row = max((row for row in by_share if row <= most), default=min(by_share))
        variances = by_share[row]
        # the normal shape has no side
        return Point(side if row else SIDES[0], row, variances[round(between * (len(variances) - 1))])

    def statistic(self, points: Sequence[Point] | None = None) -> float:
        """Return the observed statistic, under the variances of points if they are given."""
        return float(compare(self.laws, self.parts, self._least(points)))

    def _least(self, points: Sequence[Point] | None) -> list[float]:
        variances = [each.variance for each in points] if points else [0.0] * len(self.laws)
        return [law.law.least(variance) for law, variance in zip(self.laws, variances)]

    def drawn(self, points: Sequence[Point]) -> Floats:
        """Return the statistics of the draws."""
        parts = [_drawn(law, point) for law, point in zip(self.laws, points)]
        return compare(self.laws, parts, self._least(points))

    def compare_others(self, sums: Sequence[Floats], points: Sequence[Point]) -> Floats:
        """Return the statistics of other releases, from noisy sums of 1, z, z^2 and z^3 of each group."""
        parts = [
            part_of(law, center_sums(law.law.mean, *each), shift)
            for law, each, shift in zip(self.laws, sums, self.shifts)
        ]
        return compare(self.laws, parts, self._least(points))

    def share(self, enough: float = 2.0) -> float:
        """Return the largest probability of a statistic as extreme as the observed one.

        The search ends at a probability above `enough`.
        """
        most = 0.0
        for points in self.points():
            observed, drawn = self.statistic(points), self.drawn(points)
            if len(points) == 2 and self.alternative == "two-sided":
                extreme = np.abs(drawn) >= abs(observed)
            else:
                extreme = drawn <= observed if self.alternative == "less" else drawn >= observed
            if self.laws[0].far:
                weights = np.ones(extreme.size)
                for law, point in zip(self.laws, points):
                    weights = weights * law.weights(SHARES[point.row])
                most = max(most, mean_above(weights * extreme))
            else:
                most = max(most, (1 + int(np.count_nonzero(extreme))) / (extreme.size + 1))
            if most > enough:
                break
        return most

    def tail(self, place: int, statistic: float) -> Floats:
        """Return the largest probabilities of a group's own square of at least those of thresholds."""
        law, roots = self.laws[place], thresholds(statistic)
        found = np.zeros(roots.size)
        for side, by_share in self.possible[place].items():
            for row, variances in by_share.items():
                weights = law.weights(SHARES[row])
                for variance in {variances[round(each * (len(variances) - 1))] for each in (0.0, 0.5, 1.0)}:
                    sizes = np.abs(law.statistic(law.drawn(variance, side, SHARES[row]), variance))
                    reached = [mean_above(weights * (sizes >= root)) for root in roots.tolist()]
                    found = np.maximum(found, reached)
        found[0] = 1.0
        return np.minimum.accumulate(np.minimum(found, 1.0))


def _by_share(variances: Floats, kept: Flags) -> dict[int, list[float]]:
    return {row: variances[each].tolist() for row, each in enumerate(kept) if each.any()}


def round_mean(mean: float) -> float:
    """Return a mean whose distance from the nearer bound is rounded up."""
    distance = max(1.0 - abs(mean), 1e-9)
    steps = math.ceil(math.log(distance) / math.log(_ROUNDED) - 1e-9)
    return math.copysign(1.0 - min(_ROUNDED**steps, 1.0), mean)


def groups_under(
    known: Sequence[NoisySums],
    difference: float = 0.0,
    alternative: str = "two-sided",
    left_out: float = LEFT_OUT,
    far: bool = False,
) -> SkewedGroups:
    """Return groups whose means are equal, or those of two differ by so much, about the pooled mean."""
    sizes = [each.size or 1 for each in known]
    total, groups = sum(sizes), len(known)
    apart = [difference * (total - sizes[0]) / total, *[-difference * sizes[0] / total] * (groups - 1)]
    pooled = sum(each.sums[1] for each in known) / total
    power = max(_LEAST_POWER, POWER + 1 - (groups - 1).bit_length())
    laws, seen, shifts = [], [], []
    for place, (each, size, own) in enumerate(zip(known, sizes, apart)):
        mean = round_mean(min(max(pooled + own, -1.0), 1.0))
        among = Among(place, groups, power, _FAR_POWERS[groups > 2])
        laws.append(skewed_law(each, mean, size, far, among))
        seen.append(sums_about(each, mean))
        shifts.append(mean - own)
    return SkewedGroups(tuple(laws), tuple(seen), tuple(shifts), alternative, left_out)


def difference_pvalue(
    known: Sequence[NoisySums],
    difference: float = 0.0,
    alternative: str = "two-sided",
    enough: float = 2.0,
) -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical difference of two means.

    A p-value above `enough` is only known to be at least what is returned.
    """
    groups = groups_under(known, difference, alternative)
    limit = max(enough, 2.0 * LEFT_OUT) - LEFT_OUT
    first = min(1.0, LEFT_OUT + groups.share(limit))
    if first > 2.0 * LEFT_OUT or 2.0 * LEFT_OUT <= enough < 1.0:
        return groups.statistic(), first
    deep = groups_under(known, difference, alternative, LEAST_LEFT_OUT, far=True)
    return groups.statistic(), deeper(first, LEFT_OUT, LEAST_LEFT_OUT + deep.share(LEFT_OUT))


def several_pvalue(known: Sequence[NoisySums], enough: float = 2.0) -> tuple[float, float]:
    """Return the statistic and the p-value of equal means.

    A p-value above `enough` is only known to be at least what is returned.
    """
    if len(known) == 2:
        statistic, p = difference_pvalue(known, enough=enough)
        return statistic * statistic, p
    groups, limit = groups_under(known), max(enough, 2.0 * LEFT_OUT) - LEFT_OUT
    first = min(1.0, LEFT_OUT + groups.share(limit))
    if first > 2.0 * LEFT_OUT or 2.0 * LEFT_OUT <= enough < 1.0:
        return groups.statistic(), first
    deep = groups_under(known, left_out=LEAST_LEFT_OUT, far=True)
    least = min(groups.statistic(points) for points in groups.points())
    chance = add_tails([deep.tail(place, least) for place in range(len(known))], least)
    return groups.statistic(), deeper(first, LEFT_OUT, LEAST_LEFT_OUT + chance)


@dataclass(frozen=True)
class SkewedWelchInterval(WelchInterval):
    """The differences of two means that the test with sums of cubes does not reject, in the data's unit."""

    def _pvalues(self, alpha: float, center: float) -> Callable[[float], float]:
        return lambda difference: difference_pvalue(self.known, difference, self.alternative, alpha)[1]
