"""The Welch test of two noisy means, and draws that reach far into the tails."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import chdtri, ndtr, ndtri

from pydpstat._frozen import frozen
from pydpstat.inference._null_distributions.noisy_t import (
    LEFT_OUT,
    NoisySums,
    NullLaw,
    beyond,
    least_square,
    null_law,
    possible,
    variance_grid,
)
from pydpstat.inference._null_distributions.simulation import (
    DOWN,
    NORMAL,
    UP,
    Reference,
    centered_sums,
    noise_quantiles,
    reference,
    uniforms,
)
from pydpstat.r_arithmetic.elementary import Floats

# deviations of the mean and estimates of its variance, at each of some variances
_Draws = list[tuple[Floats, Floats]]
TOGETHER = ((NORMAL, NORMAL), (UP, DOWN), (DOWN, UP))
COARSE, FINE = 23, 15
# the estimates of few records can be further below large variances than below none
_FEW = 100


class Group(NamedTuple):
    """A group under the hypothesis: the distribution of its sums, and what was observed of it."""

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


def together(groups: tuple[Group, Group]) -> tuple[tuple[int, int], ...]:
    """Return the pairs of shapes to consider."""
    return TOGETHER[:1] if groups[0].law.normal else TOGETHER


def variance_estimate(n: int, first: Any, second: Any, spread: float) -> Any:
    """Return the estimate of a variance from noisy sums about any number, unbiased for the noise's part."""
    return (second - (first * first - spread) / n) / max(n - 1, 1)


def groups_under(known: tuple[NoisySums, NoisySums], difference: float) -> tuple[Group, Group]:
    """Return both groups where their means differ by so much, about the pooled mean."""
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
    coarse = variance_grid(1.0 - law.mean * law.mean, law.floor, law.n, COARSE)

    @cache
    def flags(place: int) -> tuple[bool, bool]:
        above, variance = [], float(coarse[place])
        for shape in law.shapes(variance):
            _, estimates = group.drawn(variance, shape)
            above.append(int(np.count_nonzero(estimates >= group.variance)))
        tail = 0.5 * LEFT_OUT * estimates.size
        return max(above) <= tail, estimates.size - min(above) <= tail

    first, last = around_possible(coarse.size, flags, law.n >= _FEW)
    return between(law, float(coarse[first]), float(coarse[last]))


def between(law: NullLaw, least: float, most: float) -> Floats:
    """Return variances from a least to a largest one."""
    if least > 0.0:
        return np.geomspace(least, most, FINE + 1)
    # the smallest ones that are looked at are as good as 0
    return variance_grid(most, law.floor, law.n, FINE)


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


def extreme_share(
    groups: tuple[Group, Group], distance: float, alternative: str, enough: float, start: tuple[int, int]
) -> tuple[float, float, tuple[int, int]]:
    """Return the statistic, the largest probability of one as extreme, and at which variances that is.

    The search begins at the variances in the places `start`, and ends early with one above `enough`.

    As in `noisy_t`, the p-value is the largest over the variances that the release leaves possible, here of
    both groups, and over shapes: both normal, or the most skewed ones, to opposite sides. The mean that both
    have under the hypothesis is the estimated one.
    """
    both = _Simulated(groups, distance, alternative)
    size, (first, second) = groups[0].noises[0].size, both.lowest.shape
    share, where = 0.0, start
    # a p-value needs all pairs, a rejection too
    for reach in (0, 2, first + second) if enough < 1.0 else (first + second,):
        rows, columns = (
            slice(max(place - reach, 0), place + reach + 1)
            for place in (min(start[0], first - 1), min(start[1], second - 1))
        )
        counts = np.max([both.counts(shapes, rows, columns) for shapes in together(groups)], axis=0)
        share = float((1 + counts.max()) / (size + 1))
        row, column = np.unravel_index(int(counts.argmax()), counts.shape)
        where = rows.start + int(row), columns.start + int(column)
        if share > enough:
            break
    return distance / math.sqrt(max(both.square, both.floor) + both.noise), share, where


class _Simulated:
    """Means and variances of both groups at the draws, for all possible variances, and what was observed."""

    def __init__(self, groups: tuple[Group, Group], distance: float, alternative: str) -> None:
        self.groups, self.distance, self.alternative = groups, distance, alternative
        self.grids = tuple(_possible_range(each) for each in groups)
        self.noise = sum(each.noise for each in groups)
        self.floor = sum(each.law.floor / each.law.n**2 for each in groups)
        self.square = sum(each.variance / each.law.n for each in groups)
        least = [
            [least_square(each.law.n, each.law.mean, v) / each.law.n**2 for v in grid.tolist()]
            for each, grid in zip(groups, self.grids)
        ]
        self.lowest = np.maximum(self.floor, np.add.outer(*least)) + self.noise
        self.observed = distance / np.sqrt(np.maximum(self.square + self.noise, self.lowest))
        self._made: dict[tuple[int, int, int], tuple[Floats, Floats]] = {}

    def counts(self, shapes: tuple[int, int], rows: slice, columns: slice) -> npt.NDArray[np.int64]:
        """Return how many draws are as extreme as what was observed, for pairs of variances."""
        lowest, observed = self.lowest[rows, columns], self.observed[rows, columns]
        first, second = self._draws(0, rows, shapes[0]), self._draws(1, columns, shapes[1])
        some = self._nearly(first, second, self._least(observed), float(lowest.min()))
        first, second = ([(mean[some], part[some]) for mean, part in each] for each in (first, second))
        found = np.zeros(lowest.shape, dtype=np.int64)
        apart, total = (np.empty(first[0][0].size) for _ in range(2))
        for i, (mean1, part1) in enumerate(first):
            for j, (mean2, part2) in enumerate(second):
                np.add(part1, part2, out=total)
                np.maximum(total, lowest[i, j], out=total)
                np.subtract(mean1, mean2, out=apart)
                extreme = beyond(apart, total, float(observed[i, j]), self.alternative)
                found[i, j] = np.count_nonzero(extreme)
        return found

    @staticmethod
    def _nearly(first: _Draws, second: _Draws, least: float, lowest: float) -> npt.NDArray[np.intp]:
        """Return the draws that can be extreme for any pair: of many, few are."""
        (means1, parts1), (means2, parts2) = zip(*first), zip(*second)
        up = reduce(np.maximum, means1) - reduce(np.minimum, means2)
        down = reduce(np.maximum, means2) - reduce(np.minimum, means1)
        total = np.maximum(reduce(np.minimum, parts1) + reduce(np.minimum, parts2), lowest)
        return np.flatnonzero(np.maximum(up, down) ** 2 >= least * total)

    def _least(self, observed: Floats) -> float:
        """Return a square of the statistic that is below all that are as extreme as one observed."""
        sign = {"greater": 1.0, "less": -1.0}.get(self.alternative, math.copysign(1.0, self.distance))
        least = float((sign * observed).min())
        return (1.0 - 1e-9) * least * least if least > 0.0 else 0.0

    def _draws(self, place: int, some: slice, shape: int) -> _Draws:
        group = self.groups[place]
        for index, variance in list(enumerate(self.grids[place].tolist()))[some]:
            if (place, index, shape) not in self._made:
                mean, estimate = group.drawn(variance, shape)
                estimate /= group.law.n
                self._made[place, index, shape] = mean, estimate + group.noise
        return [self._made[place, index, shape] for index in range(self.grids[place].size)[some]]


def welch_pvalue(
    known: tuple[NoisySums, NoisySums],
    difference: float = 0.0,
    alternative: str = "two-sided",
    enough: float = 2.0,
) -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical difference of two means.

    A p-value above `enough` is only known to be at least what is returned.
    """
    groups = groups_under(known, difference)
    distance = groups[0].mean - groups[1].mean - difference
    limit = enough - 2.0 * LEFT_OUT
    value, share, _ = extreme_share(groups, distance, alternative, limit, (FINE, FINE))
    return value, min(1.0, 2.0 * LEFT_OUT + share)


# how far points are stretched: normal variables and binomial shares, chi-square ones, and noises
_FAR, _SQUARES, _NOISES = 3.0, 1.5, 2.5
# errors of the weighted draws that are added
_ERRORS = 2.0


class Stretched(NamedTuple):
    """Weighted reference draws of one of several groups."""

    draws: Reference
    normal: Floats
    binomial: Floats
    noises: Floats

    def weights(self, shape: int, without: int | None = None) -> Floats:
        """Return the weights of points for records of a shape, a noise being left open."""
        found = self.normal if shape == NORMAL else self.binomial
        for place, each in enumerate(self.noises):
            if place != without:
                found = found * each
        return found

    def sums(self, n: int, mean: float, variance: float, shape: int) -> tuple[Floats, Floats]:
        """Return sums of n records about their mean, and of squares, at the points."""
        return centered_sums(self.draws, n, mean, variance, shape)


@lru_cache(maxsize=16)
def stretched(n: int, law: str, noises: int, power: int, group: int = 0, groups: int = 1) -> Stretched:
    """Return weighted draws for n records of one of several groups, whose draws are independent.

    Reference points are moved towards the ends of the unit cube, coordinate by coordinate, and weighted with
    how rare that makes them (importance sampling). Of each point one noise is left open, and the probability
    that it makes the statistic extreme is computed exactly (conditional Monte Carlo): studentized sums are
    extreme where a quadratic form of the noise is positive. With 4,096 points a probability of 1e-6 has a
    relative error of a tenth or two; twice its estimated standard error is added.
    """
    each = 3 + noises
    points = uniforms(each * groups, power)[each * group : each * (group + 1)]
    powers = (_FAR, _SQUARES, _FAR, *[_NOISES] * noises)
    moved = [_stretched(row, stretch) for row, stretch in zip(points, powers)]
    shares, weights = (np.array(each) for each in zip(*moved))
    order = np.argsort(shares[2], kind="stable")
    ordered = shares[2][order]
    chi2 = chdtri(n - 1, 1.0 - shares[1]) if n > 1 else np.zeros(shares.shape[1])
    drawn = noise_quantiles(shares[3:], law)
    parts = (ndtri(shares[0]), chi2, ordered, ndtri(ordered), order, drawn)
    normal, binomial = weights[0] * weights[1], weights[2]
    return Stretched(Reference(*map(frozen, parts)), frozen(normal), frozen(binomial), frozen(weights[3:]))


def _stretched(shares: Floats, power: float) -> tuple[Floats, Floats]:
    """Return shares nearer to 0 and 1, and how much less frequent they are."""
    near = 2.0 * np.minimum(shares, 1.0 - shares)
    moved = 0.5 * near**power
    return np.where(shares < 0.5, moved, 1.0 - moved), power * near ** (power - 1.0)


def survival(y: Floats, law: str) -> Floats:
    """Return how probable a noise of scale 1 above y is."""
    if law == "normal":
        return np.asarray(ndtr(-y))
    side = 0.5 * np.exp(-np.abs(y))
    return np.where(y >= 0.0, side, 1.0 - side)


class Quadratic(NamedTuple):
    """Sums as functions of the noise y that is left open: first + slope y, and zero + one y + two y^2."""

    first: Floats
    slope: float
    zero: Floats
    one: Floats | float
    two: float

    def turned(self) -> Quadratic:
        """Return them with the sign of the first and of the noise changed, which is symmetric."""
        return self._replace(first=-self.first, one=-self.one)


def conditional(sums: Quadratic, t: float, least: float, law: str) -> Floats:
    """Return how probable it is that the first sum is at least t roots of the second one, and `least`."""
    lowest = (least - sums.first) / sums.slope
    a = sums.slope * sums.slope - t * t * sums.two
    b = sums.first * sums.slope - 0.5 * t * t * sums.one
    c = sums.first * sums.first - t * t * sums.zero
    root = np.sqrt(np.maximum(b * b - a * c, 0.0))
    # without cancellation
    far = -b - np.copysign(root, b)
    ends = far / a, np.divide(c, far, out=np.zeros_like(far), where=far != 0.0)
    low = np.maximum(np.minimum(*ends), lowest)
    high = np.maximum(np.maximum(*ends), lowest)
    found = survival(lowest, law) - np.where(root > 0.0, survival(low, law) - survival(high, law), 0.0)
    return np.maximum(found, 0.0)


def extreme(sums: Quadratic, ways: Iterable[float], t: float, least: float, law: str) -> Floats:
    """Return the probabilities of `conditional` for sums as they are (a way of 1), turned (-1), or both."""
    found = np.zeros_like(sums.first)
    for way in ways:
        found += conditional(sums if way > 0.0 else sums.turned(), t, least, law)
    return found


def mean_above(values: Floats) -> float:
    """Return the mean of weighted draws, and some of its standard errors on top."""
    mean = float(values.mean())
    return mean + _ERRORS * math.sqrt(max(float(np.square(values).mean()) - mean * mean, 0.0) / values.size)
