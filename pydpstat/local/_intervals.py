"""From the numbers of answers to proportions: estimates, their standard errors and confidence intervals.

In a design of k categories the answer j is given with probability a by who is not j, and with
a + s by who is (`AnswerProbabilities`): its probability is ``a + s p_j``, with p_j the proportion of j.

Intervals invert tests. Each end is a parameter of the answers' distribution. `SampledAnswerCount`: the persons are a
random sample, each with the probability p of the category; the number of answers is binomial. `FixedAnswerCount`: T of
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
_MAX_DEVIATIONS, _EXTRA_UNITS = 9.0, 30.0
# two windows of up to this many products are multiplied out
_MAX_DIRECT_PRODUCTS = 1 << 20
# how exactly a proportion is found
_PARAMETER_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class AnswerProbabilities:
    """How one answer depends on the truth: its probability `true` where it is the truth, `other` where not.

    Without cancellation, `spread` is the difference, and `missed` one minus `true`.
    """

    other: float
    true: float
    spread: float
    missed: float

    def get_complement(self) -> AnswerProbabilities:
        """Return how not giving the answer depends on not being it."""
        return AnswerProbabilities(self.missed, 1.0 - self.other, self.spread, self.other)


class IntegerDistribution:
    """A distribution on the integers from `start` on, whose probabilities are `mass`."""

    def __init__(self, start: int, mass: Floats) -> None:
        self.start, self.mass = start, mass
        # of each number and all smaller ones, and of it and all larger ones
        self.below, self.above = np.cumsum(mass), np.cumsum(mass[::-1])[::-1]

    def compute_lower_tail(self, number: int) -> float:
        """Return the probability of a number or less."""
        place = number - self.start
        return 0.0 if place < 0 else float(self.below[min(place, self.below.size - 1)])

    def compute_upper_tail(self, number: int) -> float:
        """Return the probability of a number or more."""
        place = number - self.start
        return 0.0 if place >= self.above.size else float(self.above[max(place, 0)])

    def find_largest_below(self, probability: float) -> int:
        """Return the largest number such that it or less has at most this probability."""
        return self.start + int(np.searchsorted(self.below, probability, side="right")) - 1

    def find_smallest_above(self, probability: float) -> int:
        """Return the smallest number such that it or more has at most this probability."""
        return self.start + self.above.size - int(np.searchsorted(self.above[::-1], probability, side="right"))


def compute_binomial_masses(n: int, probability: float) -> tuple[int, Floats]:
    """Return the masses of a binomial distribution where they matter, and where they start.

    Ratios of neighbors are added up on the log scale, from the mode outwards: the relative error stays near
    1e-13.
    """
    if n == 0 or probability <= 0.0:
        return 0, np.ones(1)
    if probability >= 1.0:
        return n, np.ones(1)
    reach = _MAX_DEVIATIONS * math.sqrt(n * probability * (1.0 - probability)) + _EXTRA_UNITS
    first = max(math.floor(n * probability - reach), 0)
    last = min(math.ceil(n * probability + reach), n)
    k = np.arange(first, last, dtype=np.float64)
    steps = log((n - k) / (k + 1.0)) + (math.log(probability) - math.log1p(-probability))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    mass = exp(logs - logs.max())
    return first, mass / mass.sum()


def _compute_sum_masses(ones: Floats, others: Floats) -> Floats:
    """Return the masses of a sum; `numpy.convolve` goes through BLAS, whose last bit is the processor's."""
    short, long = sorted((ones, others), key=len)
    padded = np.zeros(long.size + 2 * (short.size - 1))
    padded[short.size - 1 : short.size - 1 + long.size] = long
    windows = np.lib.stride_tricks.sliding_window_view(padded, short.size)
    mass: Floats = np.einsum("ij,j->i", windows, short[::-1].copy())
    return mass


@dataclass(frozen=True, slots=True)
class _AnswerCount:
    """The number of n answers in a design: its distribution `get_distribution` a parameter, which orders it.

    Parameters go from 0 to `top`. Halfway `between` two is another, or None where they are next to each
    other; `get_previous` one is the largest below it.
    """

    n: int
    response: AnswerProbabilities

    def get_complement(self) -> Self:
        """Return how often the answer is not given."""
        return replace(self, response=self.response.get_complement())


class SampledAnswerCount(_AnswerCount):
    """Answers of a random sample; the parameter is the proportion p, which has none next to it."""

    __slots__ = ()

    max_parameter = 1.0

    def get_distribution(self, parameter: float) -> IntegerDistribution:
        chance = (1.0 - parameter) * self.response.other + parameter * self.response.true
        return IntegerDistribution(*compute_binomial_masses(self.n, chance))

    def find_midpoint(self, low: float, high: float) -> float | None:
        return 0.5 * (low + high) if high - low > _PARAMETER_TOLERANCE else None

    def get_previous(self, parameter: float) -> float:
        return parameter


class FixedAnswerCount(_AnswerCount):
    """Answers of fixed persons; the parameter is the number T of those in the category."""

    __slots__ = ()

    @property
    def max_parameter(self) -> int:
        return self.n

    def get_distribution(self, parameter: float) -> IntegerDistribution:
        """Return the distribution of the sum of two binomial numbers."""
        count = int(parameter)
        first, ones = compute_binomial_masses(count, self.response.true)
        second, others = compute_binomial_masses(self.n - count, self.response.other)
        if ones.size * others.size <= _MAX_DIRECT_PRODUCTS:
            mass = _compute_sum_masses(ones, others)
        else:
            from scipy.signal import fftconvolve

            # its error is below 1e-15, absolutely
            mass = np.maximum(fftconvolve(ones, others), 0.0)
        return IntegerDistribution(first + second, mass)

    def find_midpoint(self, low: float, high: float) -> float | None:
        return (int(low) + int(high)) // 2 if high - low > 1 else None

    def get_previous(self, parameter: float) -> float:
        return parameter - 1


AnswerCount = FixedAnswerCount | SampledAnswerCount


def find_first_parameter(
    distribution: AnswerCount, low: float, high: float, condition: Callable[[float], bool]
) -> float:
    """Return the smallest parameter from low to high at which a monotone condition holds, by bisection."""
    if condition(low):
        return low
    return bisect_up(lambda parameter: not condition(parameter), low, high, find_middle=distribution.find_midpoint)[1]


METHODS = ("blaker", "clopper-pearson", "score")
KINDS = ("randomization", "population")
# two probabilities this close count as equal: which is the larger one is then a matter of rounding
_TIE_FACTOR = 1.0 + 1e-9
DISTRIBUTIONS: dict[str, type[FixedAnswerCount] | type[SampledAnswerCount]] = {
    "randomization": FixedAnswerCount,
    "population": SampledAnswerCount,
}


def estimate_by_moments(counts: npt.ArrayLike, n: int, response: AnswerProbabilities) -> Floats:
    """Return the proportions whose answers have the observed shares of n.

    They are unbiased and may be outside 0 to 1.
    """
    return (np.asarray(counts, dtype=np.float64) / n - response.other) / response.spread


def estimate_by_likelihood(counts: npt.ArrayLike, n: int, response: AnswerProbabilities) -> Floats:
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


def compute_standard_errors(proportions: npt.ArrayLike, n: int, response: AnswerProbabilities) -> tuple[Floats, Floats]:
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


def compute_proportion_interval(
    distribution: AnswerCount, count: int, alpha: float, method: str
) -> tuple[float, float]:
    """Return an interval for the proportion, from 0 to 1, where the answer was given `count` times.

    Answers rarer than expected at a proportion of 0, or more frequent than at 1, count as those expected
    numbers. This makes intervals longer, never shorter, and none is empty.
    """
    least, most = compute_count_limits(distribution)
    count = min(max(count, least), most)
    if method == "score":
        return _compute_score_interval(distribution, count, NormalDist().inv_cdf(1.0 - alpha / 2.0))
    mirror = distribution.get_complement()
    low = find_lower_limit(distribution, count, alpha, method)
    high = distribution.max_parameter - find_lower_limit(mirror, distribution.n - count, alpha, method)
    # where no parameter is accepted the two may have changed places
    return min(low, high) / distribution.max_parameter, max(low, high) / distribution.max_parameter


def compute_count_limits(distribution: AnswerCount) -> tuple[int, int]:
    """Return the numbers of answers that are expected at the proportions 0 and 1, rounded outwards."""
    n, response = distribution.n, distribution.response
    # the upper one by the mirror image, so that rounding treats both alike
    return math.floor(n * response.other), n - math.floor(n * response.missed)


def find_lower_limit(distribution: AnswerCount, count: int, alpha: float, method: str) -> float:
    """Return the smallest parameter that a test of level alpha does not reject, from below.

    Clopper and Pearson's test rejects where count or more answers have a probability of at most
    alpha / 2. Blaker's rejects where that probability u, together with the largest probability of k or
    fewer answers that is at most u, is at most alpha. While k is the same, the sum of both falls first
    and rises then, as the parameter grows (the distribution is ordered by its likelihood ratio); it starts at
    alpha or below, so it passes alpha once at most. So each stretch with one k is searched by
    bisection. At a stretch's end, where k grows, it starts again.
    """
    top = distribution.max_parameter

    def get_upper_tail(parameter: float) -> float:
        return distribution.get_distribution(parameter).compute_upper_tail(count)

    if get_upper_tail(top) <= 0.5 * alpha:
        return top
    start = find_first_parameter(distribution, 0, top, lambda parameter: get_upper_tail(parameter) > 0.5 * alpha)
    if method == "clopper-pearson":
        return start
    while True:
        here = distribution.get_distribution(start)
        if here.compute_upper_tail(count) > here.compute_lower_tail(count) or is_accepted_by_blaker(here, count, alpha):
            # accepted, or the count is small already, and so it is up to the top
            return start
        k = here.find_largest_below(here.compute_upper_tail(count) * _TIE_FACTOR)

        def has_smaller_tail(parameter: float) -> bool:
            there = distribution.get_distribution(parameter)
            return there.compute_lower_tail(k + 1) <= there.compute_upper_tail(count) * _TIE_FACTOR

        def is_accepted(parameter: float) -> bool:
            there = distribution.get_distribution(parameter)
            return there.compute_upper_tail(count) + there.compute_lower_tail(k) > alpha

        ends = has_smaller_tail(top)
        following = find_first_parameter(distribution, start, top, has_smaller_tail) if ends else top
        last = distribution.get_previous(following) if ends else top
        if is_accepted(last):
            return find_first_parameter(distribution, start, last, is_accepted)
        if not ends:
            return top
        start = following


def is_accepted_by_blaker(distribution: IntegerDistribution, count: int, alpha: float) -> bool:
    """Tell whether Blaker's test of level alpha accepts a distribution where `count` answers were given."""
    above, below = distribution.compute_upper_tail(count), distribution.compute_lower_tail(count)
    if above > below:
        return below + distribution.compute_upper_tail(distribution.find_smallest_above(below * _TIE_FACTOR)) > alpha
    return above + distribution.compute_lower_tail(distribution.find_largest_below(above * _TIE_FACTOR)) > alpha


def _compute_score_interval(distribution: AnswerCount, count: int, z: float) -> tuple[float, float]:
    """Return the ends where the count is z standard deviations from its mean, clipped to 0 and 1."""
    n, design = distribution.n, distribution.response
    if isinstance(distribution, SampledAnswerCount):
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
