"""Small p-values of noisy means, and intervals for the difference of two means."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np

from pydpstat.inference._null_distributions.exact_moments import noise_reach
from pydpstat.inference._null_distributions.noisy_t import (
    LEFT_OUT,
    NoisySums,
    NullLaw,
    least_square,
    null_law,
    possible,
    pvalue,
    sizes,
    variance_grid,
)
from pydpstat.inference._null_distributions.noisy_t import pvalue_floor as plain_floor
from pydpstat.inference._null_distributions.noisy_welch import (
    COARSE,
    FINE,
    Group,
    Quadratic,
    around_possible,
    between,
    extreme,
    extreme_share,
    groups_under,
    mean_above,
    stretched,
    together,
    variance_estimate,
    welch_pvalue,
)
from pydpstat.inference._null_distributions.simulation import DOWN, FLOOR, UP, outermost
from pydpstat.r_arithmetic.elementary import Floats

Ends = tuple[float, float]
# a number of records that noise alone exceeds so seldom says something
_NOISE_ALONE = 0.001
# the probability that the true variance is outside of the wider set, and draws: 2 to the power
_LEFT_OUT = 2e-7
_POWER = 12


def deeper(first: float, left_out: float, second: float) -> float:
    """Return the p-value of two, the second one from wider sets.

    The tests of one and of two noisy means leave out variances with a probability g and add it to the
    p-value. Where that is most of a p-value, a second one takes its place: with wider sets, which leave out
    2e-7, and probabilities from stretched draws. With p1 the first p-value and p2 the second one, which is
    never below p1 - g, what counts is

    - p1 where it is above 2 g,
    - else p2 where that is at most g, and 2 g otherwise.

    *It keeps the level where p1 and p2 do.* Let q be the probability of a statistic as extreme at the true
    variances: ``p1 >= g + q`` and ``p2 >= q + g2`` unless these were left out, by the wider set only where by
    the narrower one. Below 2 g only ``p2 <= a``, for an a up to g, rejects: with probability a at most. At a
    level a from 2 g on ``p1 <= a`` or ``p2 <= g`` rejects, so that q is at most a - g, or the narrower set is
    wrong: with probability a - g + g at most.
    """
    if first > 2.0 * left_out:
        return first
    return max(second, FLOOR) if second <= left_out else 2.0 * left_out


def t_pvalue(known: NoisySums, mean: float, alternative: str = "two-sided") -> tuple[float, float]:
    """Return the statistic and the p-value of a hypothetical mean."""
    statistic, first = pvalue(known, mean, alternative)
    left_out = LEFT_OUT + sizes(known)[1]
    if first > 2.0 * left_out or not isinstance(known.law, str):
        return statistic, first
    found, outside = sizes(known, _LEFT_OUT)
    # of many that are possible every second one
    found = tuple(sorted({*found[::2], found[-1]}))
    share = 0.0
    for n in found:
        law = null_law(known, mean, n)
        share = max(share, _one_sample(law, *law.centered(known.sums), alternative))
    return statistic, deeper(first, left_out, _LEFT_OUT + outside + share)


def t_floor(known: NoisySums) -> float:
    """Return the smallest p-value that `t_pvalue` returns."""
    return FLOOR if isinstance(known.law, str) else plain_floor(known)


def _one_sample(law: NullLaw, first: float, second: float, alternative: str) -> float:
    """Return the largest probability of a statistic as extreme, over variances that are possible."""
    noise = str(law.law)
    a, b = np.array(law.first_noise), np.array(law.second_noise)
    place = int(np.abs(a).argmax())
    made = stretched(law.n, noise, a.size, _POWER)
    rest = np.delete(a, place) @ np.delete(made.draws.noises, place, axis=0)
    squared = np.delete(b, place) @ np.delete(made.draws.noises, place, axis=0)
    last = b[place] * made.draws.noises[place]
    sign = math.copysign(1.0, a[place])
    sides = _sides(alternative)

    def share(variance: float, shape: int, slack: float = 0.0) -> float:
        sums, squares = made.sums(law.n, law.mean, variance, shape)
        least, squares = law.least(variance), squares + squared
        if slack:
            sums = sums + slack * (squares + last < least)
        form = Quadratic(sign * (sums + rest), abs(a[place]), squares + law.spread, float(b[place]), 0.0)
        t = abs(law.statistic(first, second, variance))
        lowest = t * math.sqrt(least + law.spread)
        chance = extreme(form, (sign * side for side in sides), t, lowest, noise)
        return mean_above(made.weights(shape, place) * chance)

    grid = law.variances()
    flags = np.zeros((2, grid.size), dtype=bool)
    shares = np.zeros(grid.size)
    for index, variance in enumerate(grid.tolist()):
        above, below = [], []
        for shape in law.shapes(variance):
            squares = made.sums(law.n, law.mean, variance, shape)[1] + squared + last
            weights = made.weights(shape)
            above.append(mean_above(weights * (squares >= second)))
            below.append(mean_above(weights * (squares < second)))
            shares[index] = max(shares[index], share(variance, shape))
        flags[:, index] = max(above) <= 0.5 * _LEFT_OUT, max(below) <= 0.5 * _LEFT_OUT
    kept = possible(*flags)
    most, (low, high) = float(shares[kept].max()), grid[kept][[0, -1]].tolist()
    steps = [(shape, *step) for shape in (UP, DOWN) for step in law.steps(shape)]
    return max([most, *(share(v, shape, slack) for shape, v, slack in steps if low <= v <= high)])


def two_sample_pvalue(
    known: tuple[NoisySums, NoisySums], alternative: str = "two-sided"
) -> tuple[float, float]:
    """Return the statistic and the p-value of equal means of two groups with Laplace or normal noise."""
    statistic, first = welch_pvalue(known, 0.0, alternative)
    left_out = 2.0 * LEFT_OUT
    if first > 2.0 * left_out:
        return statistic, first
    return statistic, deeper(first, left_out, deep_difference(groups_under(known, 0.0), 0.0, alternative))


def deep_difference(groups: tuple[Group, Group], difference: float, alternative: str) -> float:
    """Return the p-value of a hypothetical difference of two means, from wider sets of variances."""
    return 2.0 * _LEFT_OUT + _Two(groups, alternative).share(difference)


class _Seen(NamedTuple):
    """A group's mean and what it adds to the variance, at the points; of one noise that may be open."""

    mean: Floats
    zero: Floats
    one: Floats


class _Two:
    """Two groups at stretched points: the group whose mean has the widest noise leaves that open."""

    def __init__(self, groups: tuple[Group, Group], alternative: str) -> None:
        self.groups, self.alternative = groups, alternative
        self.made = [
            stretched(each.law.n, str(each.law.law), len(each.law.first_noise), _POWER, place, 2)
            for place, each in enumerate(groups)
        ]
        widest = [float(np.abs(each.law.first_noise).max()) / each.law.n for each in groups]
        self.open = int(widest[1] > widest[0])
        self.noise = int(np.abs(groups[self.open].law.first_noise).argmax())

    def seen(self, place: int, variance: float, shape: int, kept: int | None) -> _Seen:
        """Return a group at the points, the noise in a place being kept open."""
        law, made = self.groups[place].law, self.made[place]
        a, b, drawn = np.array(law.first_noise), np.array(law.second_noise), made.draws.noises
        sums, squares = made.sums(law.n, law.mean, variance, shape)
        there = np.arange(a.size) != (-1 if kept is None else kept)
        sums, squares = sums + a[there] @ drawn[there], squares + b[there] @ drawn[there]
        below = law.n * max(law.n - 1, 1)
        slope = np.zeros(1) if kept is None else (b[kept] - 2.0 * sums * a[kept] / law.n) / below
        zero = variance_estimate(law.n, sums, squares, law.spread) / law.n + self.groups[place].noise
        return _Seen(sums / law.n, zero, slope)

    def variances(self, place: int) -> Floats:
        """Return variances of a group from one end to the other of those that are possible."""
        group, made = self.groups[place], self.made[place]
        coarse = variance_grid(1.0 - group.law.mean**2, group.law.floor, group.law.n, COARSE)
        observed = group.variance / group.law.n + group.noise

        @cache
        def flags(index: int) -> tuple[bool, bool]:
            above, below = [], []
            for shape in group.law.shapes(float(coarse[index])):
                reached = self.seen(place, float(coarse[index]), shape, None).zero >= observed
                weights = made.weights(shape)
                above.append(mean_above(weights * reached))
                below.append(mean_above(weights * ~reached))
            return max(above) <= 0.5 * _LEFT_OUT, max(below) <= 0.5 * _LEFT_OUT

        first, last = around_possible(coarse.size, flags, False)
        return between(group.law, float(coarse[first]), float(coarse[last]))

    def share(self, difference: float) -> float:
        """Return the largest probability of a statistic as extreme as the one observed."""
        one, other, law = self.groups[self.open], self.groups[1 - self.open], self.groups[0].law
        a = one.law.first_noise[self.noise] / one.law.n
        way = 1.0 - 2.0 * self.open
        sign, two = math.copysign(1.0, way * a), -a * a / max(one.law.n - 1, 1)
        distance = self.groups[0].mean - self.groups[1].mean - difference
        square = sum(each.variance / each.law.n + each.noise for each in self.groups)
        floor = sum(each.law.floor / each.law.n**2 for each in self.groups)
        noise = sum(each.noise for each in self.groups)
        grids = [self.variances(place)[::2].tolist() for place in (self.open, 1 - self.open)]
        most = 0.0
        for shapes in together(self.groups):
            first, second = (
                [self.seen(p, v, shapes[p], kept) for v in grid]
                for p, kept, grid in zip((self.open, 1 - self.open), (self.noise, None), grids)
            )
            weights = self.made[self.open].weights(shapes[self.open], self.noise)
            weights = weights * self.made[1 - self.open].weights(shapes[1 - self.open])
            for v1, mine in zip(grids[0], first):
                for v2, its in zip(grids[1], second):
                    least = sum(
                        least_square(g.law.n, g.law.mean, v) / g.law.n**2 for g, v in ((one, v1), (other, v2))
                    )
                    lowest = max(floor, least) + noise
                    t = abs(distance) / math.sqrt(max(square, lowest))
                    apart = sign * way * (mine.mean - its.mean)
                    form = Quadratic(apart, abs(a), mine.zero + its.zero, mine.one, two)
                    edge = t * math.sqrt(lowest)
                    ways = (sign * side for side in _sides(self.alternative))
                    chance = extreme(form, ways, t, edge, str(law.law))
                    most = max(most, mean_above(weights * chance))
        return most


def _sides(alternative: str) -> tuple[float, ...]:
    """Return the signs of the statistics that count as extreme."""
    if alternative == "two-sided":
        return 1.0, -1.0
    return (1.0,) if alternative == "greater" else (-1.0,)


@dataclass(frozen=True)
class WelchInterval:
    """The differences of two means that the noisy Welch test does not reject, in the data's unit."""

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
        pvalue = self._pvalues(alpha, center)
        ends = []
        for side, one_sided in ((-1.0, "greater"), (1.0, "less")):
            if self.alternative in ("two-sided", one_sided):
                ends.append(outermost(pvalue, alpha, center, error, side, 2.0))
            else:
                ends.append(2.0 * side)
        return self.half * ends[0], self.half * ends[1]

    def _pvalues(self, alpha: float, center: float) -> Callable[[float], float]:
        start, left_out = (FINE, FINE), 2.0 * LEFT_OUT

        def at(difference: float) -> float:
            nonlocal start
            groups = groups_under(self.known, difference)
            away, enough = center - difference, max(alpha, 2.0 * left_out) - left_out
            _, share, start = extreme_share(groups, away, self.alternative, enough, start)
            if alpha >= 2.0 * left_out or share > left_out:
                return left_out + share
            return deep_difference(groups, difference, self.alternative)

        return at


@dataclass(frozen=True)
class Whole:
    """The interval without information: all possible values."""

    low: float
    high: float

    def ends(self, alpha: float) -> Ends:
        """Return both ends, whatever the level."""
        return self.low, self.high


def sized(known: NoisySums) -> NoisySums | None:
    """Return noisy sums with the noisy number of records as their size; None where it may be noise alone."""
    if known.size is not None:
        return known
    count = known.sums[0]
    assert isinstance(known.law, str), "groups have Laplace or normal noise"
    if count <= noise_reach(np.abs(np.array(known.noise[0])), known.law, _NOISE_ALONE):
        return None
    size = max(1, round(count))
    first, second = (each * (size / count) for each in known.sums[1:])
    third = known.third and known.third._replace(value=known.third.value * (size / count))
    return replace(known, sums=(float(size), first, second), size=size, third=third)


def mean_interval(
    known: tuple[NoisySums, NoisySums], half: float, alternative: str = "two-sided"
) -> WelchInterval | Whole:
    """Return the interval of a difference, with noisy numbers of records where none are public."""
    first, second = sized(known[0]), sized(known[1])
    if first is None or second is None:
        return Whole(-2.0 * half, 2.0 * half)
    return WelchInterval((first, second), half, alternative)
