"""Estimation of proportions from counts of answers: estimates, standard errors and confidence intervals.

In a design of k categories a person answers j with probability a if j is not the truth, and with a + s if it is
(`AnswerProbabilities`): the answer's probability is ``a + s p_j``, with p_j the proportion of j.

Intervals invert tests. Each limit is a parameter of the distribution of the number of answers. `SampledAnswerCount`:
the persons are a random sample, each with the probability p of the category; the number of answers is binomial.
`FixedAnswerCount`: T of n persons are in the category; the number is a sum of two binomial variables. In both cases the
distribution has a monotone likelihood ratio in the parameter (a sum of independent 0-1 variables has a log-concave
distribution), which the search for limits relies on. The lower limit for c answers of n is searched; the upper one is
the lower limit of the complement, n - c answers that were not given.
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

# values beyond this many standard deviations plus units are omitted (below 1e-16 by Bernstein's inequality)
_MAX_DEVIATIONS, _EXTRA_UNITS = 9.0, 30.0
# up to this number of products, two windows are convolved directly
_MAX_DIRECT_PRODUCTS = 1 << 20
# accuracy of a proportion
_PARAMETER_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class AnswerProbabilities:
    """Probabilities of one answer: `true` if it is the truth, `other` if not.

    `spread` is their difference and `missed` is ``1 - true``, both computed without cancellation.
    """

    other: float
    true: float
    spread: float
    missed: float

    def get_complement(self) -> AnswerProbabilities:
        """Return the probabilities of not giving the answer."""
        return AnswerProbabilities(self.missed, 1.0 - self.other, self.spread, self.other)


class IntegerDistribution:
    """A distribution on consecutive integers from `start`, with probabilities `mass`."""

    def __init__(self, start: int, mass: Floats) -> None:
        self.start, self.mass = start, mass
        # probabilities of each number or smaller ones, and of it or larger ones
        self.below, self.above = np.cumsum(mass), np.cumsum(mass[::-1])[::-1]

    def compute_lower_tail(self, number: int) -> float:
        """Return the probability of at most `number`."""
        index = number - self.start
        return 0.0 if index < 0 else float(self.below[min(index, self.below.size - 1)])

    def compute_upper_tail(self, number: int) -> float:
        """Return the probability of at least `number`."""
        index = number - self.start
        return 0.0 if index >= self.above.size else float(self.above[max(index, 0)])

    def find_largest_below(self, probability: float) -> int:
        """Return the largest number whose lower tail is at most this probability."""
        return self.start + int(np.searchsorted(self.below, probability, side="right")) - 1

    def find_smallest_above(self, probability: float) -> int:
        """Return the smallest number whose upper tail is at most this probability."""
        return self.start + self.above.size - int(np.searchsorted(self.above[::-1], probability, side="right"))


def compute_binomial_masses(n: int, probability: float) -> tuple[int, Floats]:
    """Return the first number with a relevant probability in a binomial distribution, and the probabilities.

    Log ratios of neighboring probabilities are summed: the relative error is about 1e-13.
    """
    if n == 0 or probability <= 0.0:
        return 0, np.ones(1)
    if probability >= 1.0:
        return n, np.ones(1)
    half_width = _MAX_DEVIATIONS * math.sqrt(n * probability * (1.0 - probability)) + _EXTRA_UNITS
    first = max(math.floor(n * probability - half_width), 0)
    last = min(math.ceil(n * probability + half_width), n)
    k = np.arange(first, last, dtype=np.float64)
    steps = log((n - k) / (k + 1.0)) + (math.log(probability) - math.log1p(-probability))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    mass = exp(logs - logs.max())
    return first, mass / mass.sum()


def _compute_sum_masses(ones: Floats, others: Floats) -> Floats:
    """Return the probabilities of a sum, without `numpy.convolve`, whose last bit depends on BLAS."""
    shorter, longer = sorted((ones, others), key=len)
    padded = np.zeros(longer.size + 2 * (shorter.size - 1))
    padded[shorter.size - 1 : shorter.size - 1 + longer.size] = longer
    windows = np.lib.stride_tricks.sliding_window_view(padded, shorter.size)
    mass: Floats = np.einsum("ij,j->i", windows, shorter[::-1].copy())
    return mass


@dataclass(frozen=True, slots=True)
class _AnswerCount:
    """Distribution of the number of times that n persons give an answer, for a parameter.

    Parameters range from 0 to `max_parameter`. `find_midpoint` returns a parameter between two, or None if they are
    adjacent; `get_previous` returns the largest parameter below one.
    """

    n: int
    response: AnswerProbabilities

    def get_complement(self) -> Self:
        """Return the distribution of the number of times that the answer is not given."""
        return replace(self, response=self.response.get_complement())


class SampledAnswerCount(_AnswerCount):
    """Answers of a random sample; the parameter is the proportion p, which is continuous."""

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
        """Return the distribution of the sum of two binomial variables."""
        count = int(parameter)
        true_start, true_mass = compute_binomial_masses(count, self.response.true)
        other_start, other_mass = compute_binomial_masses(self.n - count, self.response.other)
        if true_mass.size * other_mass.size <= _MAX_DIRECT_PRODUCTS:
            mass = _compute_sum_masses(true_mass, other_mass)
        else:
            from scipy.signal import fftconvolve

            # its absolute error is below 1e-15
            mass = np.maximum(fftconvolve(true_mass, other_mass), 0.0)
        return IntegerDistribution(true_start + other_start, mass)

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
# probabilities this close count as equal because rounding determines which is larger
_TIE_FACTOR = 1.0 + 1e-9
DISTRIBUTIONS: dict[str, type[FixedAnswerCount] | type[SampledAnswerCount]] = {
    "randomization": FixedAnswerCount,
    "population": SampledAnswerCount,
}


def estimate_by_moments(counts: npt.ArrayLike, n: int, response: AnswerProbabilities) -> Floats:
    """Return the proportions for which the expected shares of answers equal the observed ones.

    They are unbiased and may be outside 0 to 1.
    """
    return (np.asarray(counts, dtype=np.float64) / n - response.other) / response.spread


def estimate_by_likelihood(counts: npt.ArrayLike, n: int, response: AnswerProbabilities) -> Floats:
    """Return the maximum-likelihood proportions: nonnegative with sum 1. The counts must sum to n.

    ``sum_j c_j log(a + s p_j)`` is concave; by the Karush-Kuhn-Tucker conditions the probabilities of the answers at
    its maximum are ``max(a, c_j / v)``, with the v for which their sum is 1. If the m most frequent answers are those
    above a, v is the sum of their counts over ``1 - (k - m) a``; the solution has the largest m whose least frequent
    answer is above a.
    """
    observed = np.asarray(counts, dtype=np.float64)
    order = np.argsort(-observed, kind="stable")
    sums = np.cumsum(observed[order])
    # remaining probability for the m most frequent answers: s plus m times a
    capacity = response.spread + response.other * np.arange(1, observed.size + 1)
    above = observed[order] * capacity > response.other * sums
    # the first is always above, as s > 0; once one is not, all later ones are not
    m = int(np.argmin(above)) if not above.all() else observed.size
    ratio = capacity[m - 1] / sums[m - 1]
    result = np.zeros(observed.shape)
    result[order[:m]] = (observed[order[:m]] * ratio - response.other) / response.spread
    return np.clip(result, 0.0, 1.0)


def compute_standard_errors(proportions: npt.ArrayLike, n: int, response: AnswerProbabilities) -> tuple[Floats, Floats]:
    """Return the standard deviations of moment estimates: from randomization alone, and with sampling.

    They are the square roots of ``(p b (1-b) + (1-p) a (1-a)) / n``, for a sample with ``s^2 p (1-p) / n`` added,
    divided by s.
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
    """Return a confidence interval for the proportion, within 0 to 1, for `count` answers.

    Counts below the expected number at a proportion of 0, or above that at 1, are replaced by these expected numbers.
    This makes intervals longer, never shorter, and none is empty.
    """
    min_count, max_count = compute_count_limits(distribution)
    count = min(max(count, min_count), max_count)
    if method == "score":
        return _compute_score_interval(distribution, count, NormalDist().inv_cdf(1.0 - alpha / 2.0))
    mirror = distribution.get_complement()
    low = find_lower_limit(distribution, count, alpha, method)
    high = distribution.max_parameter - find_lower_limit(mirror, distribution.n - count, alpha, method)
    # if no parameter is accepted, the two may be in reverse order
    return min(low, high) / distribution.max_parameter, max(low, high) / distribution.max_parameter


def compute_count_limits(distribution: AnswerCount) -> tuple[int, int]:
    """Return the expected numbers of answers at the proportions 0 and 1, rounded outwards."""
    n, response = distribution.n, distribution.response
    # the upper one from the complement, so that both are rounded alike
    return math.floor(n * response.other), n - math.floor(n * response.missed)


def find_lower_limit(distribution: AnswerCount, count: int, alpha: float, method: str) -> float:
    """Return the smallest parameter that a test of level alpha does not reject.

    Clopper and Pearson's test rejects if the probability of at least `count` answers is at most alpha / 2. Blaker's
    rejects if that probability u plus the largest probability of at most k answers that is at most u is at most alpha.
    While k is constant, this sum first decreases and then increases in the parameter (monotone likelihood ratio); it
    starts at alpha or below, so it crosses alpha at most once. Therefore each interval with constant k is searched by
    bisection, and the search is repeated from the end of the interval, where k increases.
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
        start_distribution = distribution.get_distribution(start)
        if start_distribution.compute_upper_tail(count) > start_distribution.compute_lower_tail(
            count
        ) or is_accepted_by_blaker(start_distribution, count, alpha):
            # accepted, or the count is below the center here and for all larger parameters
            return start
        k = start_distribution.find_largest_below(start_distribution.compute_upper_tail(count) * _TIE_FACTOR)

        def has_smaller_tail(parameter: float) -> bool:
            candidate = distribution.get_distribution(parameter)
            return candidate.compute_lower_tail(k + 1) <= candidate.compute_upper_tail(count) * _TIE_FACTOR

        def is_accepted(parameter: float) -> bool:
            candidate = distribution.get_distribution(parameter)
            return candidate.compute_upper_tail(count) + candidate.compute_lower_tail(k) > alpha

        is_bounded = has_smaller_tail(top)
        following = find_first_parameter(distribution, start, top, has_smaller_tail) if is_bounded else top
        last = distribution.get_previous(following) if is_bounded else top
        if is_accepted(last):
            return find_first_parameter(distribution, start, last, is_accepted)
        if not is_bounded:
            return top
        start = following


def is_accepted_by_blaker(distribution: IntegerDistribution, count: int, alpha: float) -> bool:
    """Return whether Blaker's test of level alpha accepts a distribution for `count` answers."""
    above, below = distribution.compute_upper_tail(count), distribution.compute_lower_tail(count)
    if above > below:
        return below + distribution.compute_upper_tail(distribution.find_smallest_above(below * _TIE_FACTOR)) > alpha
    return above + distribution.compute_lower_tail(distribution.find_largest_below(above * _TIE_FACTOR)) > alpha


def _compute_score_interval(distribution: AnswerCount, count: int, z: float) -> tuple[float, float]:
    """Return the limits at which the count is z standard deviations from its mean, clipped to 0 and 1."""
    n, design = distribution.n, distribution.response
    if isinstance(distribution, SampledAnswerCount):
        center = (count + 0.5 * z * z) / (n + z * z)
        half_width = z * math.sqrt(count * (1.0 - count / n) + 0.25 * z * z) / (n + z * z)
        limits = [(center + offset - design.other) / design.spread for offset in (-half_width, half_width)]
    else:
        # (m - s t)^2 = z^2 (n v + t w) for the number t of persons, with m the excess of answers over n a
        m = count - n * design.other
        v = design.other * (1.0 - design.other)
        w = design.true * design.missed - v
        s = design.spread
        center = m / s + 0.5 * z * z * w / (s * s)
        half_width = z * math.sqrt(max(n * v + m * w / s + 0.25 * z * z * w * w / (s * s), 0.0)) / s
        limits = [(center + offset) / n for offset in (-half_width, half_width)]
    return min(max(limits[0], 0.0), 1.0), min(max(limits[1], 0.0), 1.0)
