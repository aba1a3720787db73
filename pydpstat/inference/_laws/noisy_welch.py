"""The Welch test of two noisy means, and of any difference between them.

As in `noisy_t`, the p-value is the largest over the variances that the release leaves possible, here of both
groups, and over shapes: both normal, or the most skewed ones, to opposite sides. The mean that both have
under the hypothesis is the estimated one.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.inversion import outermost
from pydpstat.inference._laws.noisy_t import (
    LEFT_OUT,
    NoisySums,
    NullLaw,
    beyond,
    least_square,
    null_law,
    possible,
    variance_grid,
)
from pydpstat.inference._laws.reference import Reference, reference
from pydpstat.inference._laws.shapes import DOWN, NORMAL, SHAPES, UP, centered_sums

Floats = npt.NDArray[np.float64]
_TOGETHER = ((NORMAL, NORMAL), (UP, DOWN), (DOWN, UP))
_COARSE, _FINE = 23, 15
# the estimates of few records can be further below large variances than below none
_FEW = 100


class Group(NamedTuple):
    """A group under the hypothesis: the law of its sums, and what was observed of it."""

    law: NullLaw
    draws: Reference
    noises: tuple[Floats, Floats]
    mean: float
    variance: float
    noise: float

    def drawn(self, variance: float, shape: int) -> tuple[Floats, Floats]:
        """Return the mean's deviation and the estimate of the variance at the draws."""
        law = self.law
        sums, squares = centered_sums(self.draws, law.n, law.mean, variance, shape)
        sums = sums + self.noises[0]
        squares = squares + self.noises[1]
        return sums / law.n, variance_estimate(law.n, sums, squares, law.spread)


def variance_estimate(n: int, first: Any, second: Any, spread: float) -> Any:
    """Return the estimate of a variance from noisy sums about any number, unbiased for the noise's part."""
    return (second - (first * first - spread) / n) / max(n - 1, 1)


def groups_under(known: tuple[NoisySums, NoisySums], difference: float) -> tuple[Group, Group]:
    """Return both groups where their means differ by so much, about the pooled mean.

    Where noise can have moved that, it is taken two standard deviations nearer to the middle, where the
    largest variances are possible.
    """
    n1, n2 = (each.size or 1 for each in known)
    total = n1 + n2
    up, down = difference * n2 / total, difference * n1 / total
    low, high = max(-1.0 - up, -1.0 + down), min(1.0 - up, 1.0 + down)
    spread = sum(each.unit_variance * float(np.square(each.noise[1]).sum()) for each in known)
    pooled = (known[0].sums[1] + known[1].sums[1]) / total
    off = min(max(pooled, low), high) - 0.5 * (low + high)
    off = math.copysign(max(abs(off) - 2.0 * math.sqrt(spread) / total, 0.0), off)
    pooled = 0.5 * (low + high) + off
    found = []
    for place, (each, n, mean) in enumerate(zip(known, (n1, n2), (pooled + up, pooled - down))):
        law = null_law(each, min(max(mean, -1.0), 1.0), n)
        first, second = law.centered(each.sums)
        estimate = variance_estimate(n, first, second, law.spread)
        draws = reference(n, law.law, len(law.first_noise), place, 2)
        noises = np.array(law.first_noise) @ draws.noises, np.array(law.second_noise) @ draws.noises
        found.append(Group(law, draws, noises, each.sums[1] / n, estimate, law.spread / n**2))
    return found[0], found[1]


def _possible_range(group: Group) -> Floats:
    """Return some of the variances that the estimate leaves possible."""
    law = group.law
    coarse = variance_grid(1.0 - law.mean * law.mean, law.floor, law.n, _COARSE)

    @cache
    def flags(place: int) -> tuple[bool, bool]:
        above, variance = [], float(coarse[place])
        for shape in SHAPES if variance > 0.0 else SHAPES[:1]:
            _, estimates = group.drawn(variance, shape)
            above.append(int(np.count_nonzero(estimates >= group.variance)))
        tail = 0.5 * LEFT_OUT * estimates.size
        return max(above) <= tail, estimates.size - min(above) <= tail

    first, last = around_possible(coarse.size, flags, law.n >= _FEW)
    least, most = float(coarse[first]), float(coarse[last])
    if least > 0.0:
        return np.geomspace(least, most, _FINE + 1)
    # the smallest ones that are looked at are as good as 0
    return variance_grid(most, law.floor, law.n, _FINE)


def around_possible(size: int, flags: Callable[[int], tuple[bool, bool]], ordered: bool) -> tuple[int, int]:
    """Return the first and the last place that is possible, or beside: `flags` are "too small", "too large".

    Where they are `ordered`, the first places are too small, the last ones too large, and few are looked at.
    """
    if ordered and not flags(0)[1]:
        low = bisect_left(range(size), True, key=lambda place: not flags(place)[0])
        high = bisect_left(range(size), True, key=lambda place: flags(place)[1])
        if low < high:
            return max(low - 1, 0), min(high, size - 1)
    kept = np.flatnonzero(possible(*np.array([flags(place) for place in range(size)]).T))
    return int(kept[0]), int(kept[-1])


def _extreme(
    groups: tuple[Group, Group], distance: float, alternative: str, enough: float, start: tuple[int, int]
) -> tuple[float, float, tuple[int, int]]:
    """Return the statistic, the largest probability of one as extreme, and at which variances that is.

    The search begins at the variances in the places `start`, and ends early with one above `enough`.
    """
    grids = tuple(_possible_range(each) for each in groups)
    noise = sum(each.noise for each in groups)
    floor = sum(each.law.floor / each.law.n**2 for each in groups)
    square = sum(each.variance / each.law.n for each in groups)
    least = [
        [least_square(each.law.n, each.law.mean, v) / each.law.n**2 for v in grid.tolist()]
        for each, grid in zip(groups, grids)
    ]
    drawn: list[dict[tuple[int, int], tuple[Floats, Floats]]] = [{}, {}]

    def draws(place: int, index: int, shape: int) -> tuple[Floats, Floats]:
        if (index, shape) not in drawn[place]:
            mean, estimate = groups[place].drawn(float(grids[place][index]), shape)
            estimate /= groups[place].law.n
            drawn[place][index, shape] = mean, estimate + groups[place].noise
        return drawn[place][index, shape]

    size = groups[0].noises[0].size
    largest, where, apart, total = 0.0, start, np.empty(size), np.empty(size)
    pairs = [(i, j) for i in range(grids[0].size) for j in range(grids[1].size)]
    pairs.sort(key=lambda each: abs(each[0] - start[0]) + abs(each[1] - start[1]))
    for i, j in pairs:
        lowest = max(floor, least[0][i] + least[1][j]) + noise
        observed = distance / math.sqrt(max(square + noise, lowest))
        for shapes in _TOGETHER:
            (mean1, part1), (mean2, part2) = draws(0, i, shapes[0]), draws(1, j, shapes[1])
            np.add(part1, part2, out=total)
            np.maximum(total, lowest, out=total)
            np.subtract(mean1, mean2, out=apart)
            share = (1 + beyond(apart, total, observed, alternative)) / (size + 1)
            if share > largest:
                largest, where = share, (i, j)
        if largest > enough:
            break
    return distance / math.sqrt(max(square, floor) + noise), largest, where


def welch_pvalue(
    known: tuple[NoisySums, NoisySums],
    difference: float = 0.0,
    alternative: str = "two-sided",
    enough: float = 2.0,
) -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical difference of two means.

    A p-value above `enough` is only known to be at least what is returned.

    Examples
    --------
    >>> noise = ((0.0, 0.0), (2.0, 0.0), (0.0, 4.0))
    >>> known = tuple(NoisySums((100.0, first, 9.0), noise, "laplace", 100) for first in (21.0, 0.0))
    >>> statistic, p = welch_pvalue(known)
    >>> round(statistic, 2), p < 0.01
    (3.84, True)
    """
    groups = groups_under(known, difference)
    distance = groups[0].mean - groups[1].mean - difference
    limit = enough - 2.0 * LEFT_OUT
    value, share, _ = _extreme(groups, distance, alternative, limit, (_FINE, _FINE))
    return value, min(1.0, 2.0 * LEFT_OUT + share)


@dataclass(frozen=True)
class WelchInterval:
    """The differences of two means that the noisy Welch test does not reject, in the data's unit.

    Parameters
    ----------
    known : tuple of two NoisySums
        What was released.
    half : float
        Half of the bounds' distance.
    alternative : {"two-sided", "less", "greater"}
        One-sided tests have one-sided intervals.
    """

    known: tuple[NoisySums, NoisySums]
    half: float
    alternative: str = "two-sided"

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the difference with probability `alpha` at most."""
        means = [min(max(each.sums[1] / (each.size or 1), -1.0), 1.0) for each in self.known]
        center = means[0] - means[1]
        groups = groups_under(self.known, center)
        square = sum(max(each.variance, each.law.floor / each.law.n) / each.law.n for each in groups)
        error = math.sqrt(square + sum(each.noise for each in groups))
        accepts = self._accepts(alpha - 2.0 * LEFT_OUT, center)
        ends = []
        for side, one_sided in ((-1.0, "greater"), (1.0, "less")):
            if self.alternative in ("two-sided", one_sided):
                ends.append(outermost(accepts, center, error, side, 2.0))
            else:
                ends.append(2.0 * side)
        return self.half * ends[0], self.half * ends[1]

    def _accepts(self, enough: float, center: float) -> Callable[[float], bool]:
        start = (_FINE, _FINE)

        def accepts(difference: float) -> bool:
            nonlocal start
            groups = groups_under(self.known, difference)
            _, share, start = _extreme(groups, center - difference, self.alternative, enough, start)
            return share > enough

        return accepts
