"""From the numbers of answers to proportions: estimates, their standard errors and confidence intervals.

In a design of k categories the answer j is given with probability a by who is not j, and with
a + s by who is (`Response`): its probability is ``a + s p_j``, with p_j the proportion of j.

Intervals invert tests. Each end is a parameter of the answers' distribution. `Sampled`: the persons are a
random sample, each with the probability p of the category; the number of answers is binomial. `Fixed`: T of
n persons are in the category; the number is a sum of two binomial ones. In both the answers grow with the
truth in the order of the likelihood ratio (a sum of independent 0-1 variables has a log-concave
distribution), which the search for interval ends rests on. The lower end for c answers of n is searched; the
upper one is the lower one of the mirror image, n - c answers that were not given.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Self

import numpy as np
import numpy.typing as npt

from pydpstat._search import bisect_up
from pydpstat.r_arithmetic.elementary import Floats, exp, log

# what lies further from the mean than this many standard deviations, and so many units more, is left out:
# less than 1e-16 by Bernstein's inequality
_SPREADS, _UNITS = 9.0, 30.0
# two windows of up to this many products are multiplied out
_DIRECT = 1 << 20
# how exactly a proportion is found
_CLOSE = 1e-12


@dataclass(frozen=True, slots=True)
class Response:
    """How one answer depends on the truth: its probability `true` where it is the truth, `other` where not.

    Without cancellation, `spread` is the difference, and `missed` one minus `true`.
    """

    other: float
    true: float
    spread: float
    missed: float

    def mirrored(self) -> Response:
        """Return how not giving the answer depends on not being it."""
        return Response(self.missed, 1.0 - self.other, self.spread, self.other)


class Counted:
    """A distribution on the integers from `start` on, whose probabilities are `mass`."""

    def __init__(self, start: int, mass: Floats) -> None:
        self.start, self.mass = start, mass
        # of each number and all smaller ones, and of it and all larger ones
        self.below, self.above = np.cumsum(mass), np.cumsum(mass[::-1])[::-1]

    def at_most(self, number: int) -> float:
        """Return the probability of a number or less."""
        place = number - self.start
        return 0.0 if place < 0 else float(self.below[min(place, self.below.size - 1)])

    def at_least(self, number: int) -> float:
        """Return the probability of a number or more."""
        place = number - self.start
        return 0.0 if place >= self.above.size else float(self.above[max(place, 0)])

    def largest_below(self, probability: float) -> int:
        """Return the largest number such that it or less has at most this probability."""
        return self.start + int(np.searchsorted(self.below, probability, side="right")) - 1

    def smallest_above(self, probability: float) -> int:
        """Return the smallest number such that it or more has at most this probability."""
        return (
            self.start + self.above.size - int(np.searchsorted(self.above[::-1], probability, side="right"))
        )


def binomial(n: int, chance: float) -> tuple[int, Floats]:
    """Return the masses of a binomial distribution where they matter, and where they start.

    Ratios of neighbors are added up on the log scale, from the mode outwards: the relative error stays near
    1e-13.
    """
    if n == 0 or chance <= 0.0:
        return 0, np.ones(1)
    if chance >= 1.0:
        return n, np.ones(1)
    reach = _SPREADS * math.sqrt(n * chance * (1.0 - chance)) + _UNITS
    first = max(math.floor(n * chance - reach), 0)
    last = min(math.ceil(n * chance + reach), n)
    k = np.arange(first, last, dtype=np.float64)
    steps = log((n - k) / (k + 1.0)) + (math.log(chance) - math.log1p(-chance))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    mass = exp(logs - logs.max())
    return first, mass / mass.sum()


def _convolved(ones: Floats, others: Floats) -> Floats:
    """Return the masses of a sum; `numpy.convolve` goes through BLAS, whose last bit is the processor's."""
    short, long = sorted((ones, others), key=len)
    padded = np.zeros(long.size + 2 * (short.size - 1))
    padded[short.size - 1 : short.size - 1 + long.size] = long
    windows = np.lib.stride_tricks.sliding_window_view(padded, short.size)
    mass: Floats = np.einsum("ij,j->i", windows, short[::-1].copy())
    return mass


@dataclass(frozen=True, slots=True)
class _Answers:
    """The number of n answers in a design: its distribution `at` a parameter, which orders it.

    Parameters go from 0 to `top`. Halfway `between` two is another, or None where they are next to each
    other; `before` one is the largest below it.
    """

    n: int
    response: Response

    def mirrored(self) -> Self:
        """Return how often the answer is not given."""
        return replace(self, response=self.response.mirrored())


class Sampled(_Answers):
    """Answers of a random sample; the parameter is the proportion p, which has none next to it."""

    __slots__ = ()

    top = 1.0

    def at(self, parameter: float) -> Counted:
        chance = (1.0 - parameter) * self.response.other + parameter * self.response.true
        return Counted(*binomial(self.n, chance))

    def between(self, low: float, high: float) -> float | None:
        return 0.5 * (low + high) if high - low > _CLOSE else None

    def before(self, parameter: float) -> float:
        return parameter


class Fixed(_Answers):
    """Answers of fixed persons; the parameter is the number T of those in the category."""

    __slots__ = ()

    @property
    def top(self) -> int:
        return self.n

    def at(self, parameter: float) -> Counted:
        """Return the distribution of the sum of two binomial numbers."""
        count = int(parameter)
        first, ones = binomial(count, self.response.true)
        second, others = binomial(self.n - count, self.response.other)
        if ones.size * others.size <= _DIRECT:
            mass = _convolved(ones, others)
        else:
            from scipy.signal import fftconvolve

            # its error is below 1e-15, absolutely
            mass = np.maximum(fftconvolve(ones, others), 0.0)
        return Counted(first + second, mass)

    def between(self, low: float, high: float) -> float | None:
        return (int(low) + int(high)) // 2 if high - low > 1 else None

    def before(self, parameter: float) -> float:
        return parameter - 1


Distribution = Fixed | Sampled


def first(distribution: Distribution, low: float, high: float, holds: Callable[[float], bool]) -> float:
    """Return the smallest parameter from low to high at which a monotone condition holds, by bisection."""
    if holds(low):
        return low
    return bisect_up(lambda parameter: not holds(parameter), low, high, between=distribution.between)[1]


METHODS = ("blaker", "clopper-pearson", "score")
KINDS = ("randomization", "population")
# two probabilities this close count as equal: which is the larger one is then a matter of rounding
_TIE = 1.0 + 1e-9
DISTRIBUTIONS: dict[str, type[Fixed] | type[Sampled]] = {"randomization": Fixed, "population": Sampled}


def moment(counts: npt.ArrayLike, n: int, response: Response) -> Floats:
    """Return the proportions whose answers have the observed shares of n.

    They are unbiased and may be outside 0 to 1.
    """
    return (np.asarray(counts, dtype=np.float64) / n - response.other) / response.spread


def likeliest(counts: npt.ArrayLike, n: int, response: Response) -> Floats:
    """Return the maximum-likelihood proportions: at least 0, with the sum 1. The counts' sum is n.

    ``sum_j c_j log(a + s p_j)`` is concave; by the conditions of Karush, Kuhn and Tucker the answers'
    probabilities are ``max(a, c_j / v)`` at its maximum, with the v that makes their sum 1. If the m most
    frequent answers are those above a, v is their sum of counts over ``1 - (k - m) a``; the largest m whose
    least frequent answer is above a is right.
    """
    given = np.asarray(counts, dtype=np.float64)
    order = np.argsort(-given, kind="stable")
    sums = np.cumsum(given[order])
    # what is left of the probability for the m most frequent answers: s plus m times a
    room = response.spread + response.other * np.arange(1, given.size + 1)
    above = given[order] * room > response.other * sums
    # the first one always is, as s > 0; all after the first that is not are not
    m = int(np.argmin(above)) if not above.all() else given.size
    ratio = room[m - 1] / sums[m - 1]
    result = np.zeros(given.shape)
    result[order[:m]] = (given[order[:m]] * ratio - response.other) / response.spread
    return np.clip(result, 0.0, 1.0)


def standard_errors(proportions: npt.ArrayLike, n: int, response: Response) -> tuple[Floats, Floats]:
    """Return the standard deviations of moment estimates: by randomization, and with sampling.

    Those are the roots over s of ``(p b (1-b) + (1-p) a (1-a)) / n``, and with ``s^2 p (1-p)`` added for a
    sample.
    """
    p = np.asarray(proportions, dtype=np.float64)
    if_true = response.true * response.missed
    if_not = response.other * (1.0 - response.other)
    coins = p * if_true + (1.0 - p) * if_not
    sampling = (response.spread * response.spread) * (p * (1.0 - p))
    return np.sqrt(coins / n) / response.spread, np.sqrt((coins + sampling) / n) / response.spread


def interval(distribution: Distribution, count: int, alpha: float, method: str) -> tuple[float, float]:
    """Return an interval for the proportion, from 0 to 1, where the answer was given `count` times.

    Answers rarer than expected at a proportion of 0, or more frequent than at 1, count as those expected
    numbers. This makes intervals longer, never shorter, and none is empty.
    """
    least, most = ends(distribution)
    count = min(max(count, least), most)
    if method == "score":
        return _score(distribution, count, NormalDist().inv_cdf(1.0 - alpha / 2.0))
    mirror = distribution.mirrored()
    low = lower_end(distribution, count, alpha, method)
    high = distribution.top - lower_end(mirror, distribution.n - count, alpha, method)
    # where no parameter is accepted the two may have changed places
    return min(low, high) / distribution.top, max(low, high) / distribution.top


def ends(distribution: Distribution) -> tuple[int, int]:
    """Return the numbers of answers that are expected at the proportions 0 and 1, rounded outwards."""
    n, response = distribution.n, distribution.response
    # the upper one by the mirror image, so that rounding treats both alike
    return math.floor(n * response.other), n - math.floor(n * response.missed)


def lower_end(distribution: Distribution, count: int, alpha: float, method: str) -> float:
    """Return the smallest parameter that a test of level alpha does not reject, from below.

    Clopper and Pearson's test rejects where count or more answers have a probability of at most
    alpha / 2. Blaker's rejects where that probability u, together with the largest probability of k or
    fewer answers that is at most u, is at most alpha. While k is the same, the sum of both falls first
    and rises then, as the parameter grows (the distribution is ordered by its likelihood ratio); it starts at
    alpha or below, so it passes alpha once at most. So each stretch with one k is searched by
    bisection. At a stretch's end, where k grows, it starts again.
    """
    top = distribution.top

    def up(parameter: float) -> float:
        return distribution.at(parameter).at_least(count)

    if up(top) <= 0.5 * alpha:
        return top
    start = first(distribution, 0, top, lambda parameter: up(parameter) > 0.5 * alpha)
    if method == "clopper-pearson":
        return start
    while True:
        here = distribution.at(start)
        if here.at_least(count) > here.at_most(count) or accepts(here, count, alpha):
            # accepted, or the count is small already, and so it is up to the top
            return start
        k = here.largest_below(here.at_least(count) * _TIE)

        def more(parameter: float) -> bool:
            there = distribution.at(parameter)
            return there.at_most(k + 1) <= there.at_least(count) * _TIE

        def passed(parameter: float) -> bool:
            there = distribution.at(parameter)
            return there.at_least(count) + there.at_most(k) > alpha

        ends = more(top)
        following = first(distribution, start, top, more) if ends else top
        last = distribution.before(following) if ends else top
        if passed(last):
            return first(distribution, start, last, passed)
        if not ends:
            return top
        start = following


def accepts(distribution: Counted, count: int, alpha: float) -> bool:
    """Tell whether Blaker's test of level alpha accepts a distribution where `count` answers were given."""
    above, below = distribution.at_least(count), distribution.at_most(count)
    if above > below:
        return below + distribution.at_least(distribution.smallest_above(below * _TIE)) > alpha
    return above + distribution.at_most(distribution.largest_below(above * _TIE)) > alpha


def _score(distribution: Distribution, count: int, z: float) -> tuple[float, float]:
    """Return the ends where the count is z standard deviations from its mean, clipped to 0 and 1."""
    n, design = distribution.n, distribution.response
    if isinstance(distribution, Sampled):
        center = (count + 0.5 * z * z) / (n + z * z)
        reach = z * math.sqrt(count * (1.0 - count / n) + 0.25 * z * z) / (n + z * z)
        ends = [(center + side - design.other) / design.spread for side in (-reach, reach)]
    else:
        # (m - s t)^2 = z^2 (n v + t w) for the number t of persons, with m the answers beyond n a
        m = count - n * design.other
        v = design.other * (1.0 - design.other)
        w = design.true * design.missed - v
        s = design.spread
        center = m / s + 0.5 * z * z * w / (s * s)
        reach = z * math.sqrt(max(n * v + m * w / s + 0.25 * z * z * w * w / (s * s), 0.0)) / s
        ends = [(center + side) / n for side in (-reach, reach)]
    return min(max(ends[0], 0.0), 1.0), min(max(ends[1], 0.0), 1.0)
