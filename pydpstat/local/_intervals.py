"""From the numbers of answers to proportions: estimates, their standard errors and confidence intervals.

In a design of k categories the answer j is given with probability a by who is not j, and with
a + s by who is (`Response`): its probability is ``a + s p_j``, with p_j the proportion of j.

Intervals invert tests. Each end is a parameter of the answers' distribution: a proportion, or a number
of persons. The lower end of an interval for c answers of n is searched; the upper one is the lower one
of the mirror image, n - c answers that were not given.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from pydpstat.local._distributions import Counted, Distribution, Fixed, Floats, Response, Sampled, first

METHODS = ("blaker", "clopper-pearson", "score")
KINDS = ("randomization", "population")
# two probabilities this close count as equal: which is the larger one is then a matter of rounding
_TIE = 1.0 + 1e-9
DISTRIBUTIONS: dict[str, type[Fixed] | type[Sampled]] = {"randomization": Fixed, "population": Sampled}


def moment(counts: npt.ArrayLike, n: int, response: Response) -> Floats:
    """Return the proportions whose answers have the observed shares of n; they may be outside 0 to 1.

    It is unbiased, also where the persons are fixed and only their answers are random.

    References
    ----------
    Warner, S. L. (1965). Randomized response: a survey technique for eliminating evasive answer bias.
    Journal of the American Statistical Association 60.

    Examples
    --------
    >>> float(moment(35, 100, Response(0.25, 0.75, 0.5, 0.25)).round(3))
    0.2
    """
    return (np.asarray(counts, dtype=np.float64) / n - response.other) / response.spread


def likeliest(counts: npt.ArrayLike, n: int, response: Response) -> Floats:
    """Return the maximum-likelihood proportions: at least 0, with the sum 1. The counts' sum is n.

    The log-likelihood ``sum_j c_j log(a + s p_j)`` is concave. By the conditions of Karush, Kuhn and
    Tucker the answers' probabilities are ``max(a, c_j / v)`` at its maximum, with the v that makes
    their sum 1. If the m most frequent answers are those above a, v is their sum of counts over
    ``1 - (k - m) a``; the largest m whose least frequent answer is above a is right. So the
    maximum is found by sorting, without iteration. Of two categories it is the moment estimate cut
    to 0 and 1.

    References
    ----------
    van den Hout, A. and van der Heijden, P. G. M. (2002). Randomized response, statistical disclosure
    control and misclassification: a review. International Statistical Review 70.

    Examples
    --------
    >>> likeliest([10, 45, 45], 100, Response(0.25, 0.5, 0.25, 0.5)).round(3)
    array([0. , 0.5, 0.5])
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
    """Return the standard deviations of moment estimates: by randomization alone, and with sampling.

    The first is for n fixed persons, ``p b (1-b) + (1-p) a (1-a)`` an answer; the second, which adds ``s^2 p
    (1-p)``, for a random sample of persons. Both over n, and the root over s. Proportions are from 0 to 1.

    Examples
    --------
    >>> [round(float(each), 4) for each in standard_errors(0.2, 100, Response(0.25, 0.75, 0.5, 0.25))]
    [0.0866, 0.0954]
    """
    p = np.asarray(proportions, dtype=np.float64)
    if_true = response.true * response.missed
    if_not = response.other * (1.0 - response.other)
    coins = p * if_true + (1.0 - p) * if_not
    sampling = (response.spread * response.spread) * (p * (1.0 - p))
    return np.sqrt(coins / n) / response.spread, np.sqrt((coins + sampling) / n) / response.spread


def interval(distribution: Distribution, count: int, alpha: float, method: str) -> tuple[float, float]:
    """Return an interval for the proportion, from 0 to 1, where the answer was given `count` times.

    It misses with a probability of alpha at most with ``"blaker"`` and ``"clopper-pearson"``, of about alpha
    with ``"score"``.

    Answers can be rarer than they are expected at a proportion of 0, or more frequent than at 1. They
    count as those expected numbers then. This makes intervals longer, never shorter, and none is
    empty: few answers by chance are no sharp knowledge that the proportion is 0.

    References
    ----------
    Clopper, C. J. and Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in
    the case of the binomial. Biometrika 26.
    Blaker, H. (2000). Confidence curves and improved exact confidence intervals for discrete
    distributions. Canadian Journal of Statistics 28.
    Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal
    of the American Statistical Association 22.

    Examples
    --------
    >>> from pydpstat.local._distributions import Response
    >>> coins = Sampled(100, Response(0.25, 0.75, 0.5, 0.25))
    >>> [round(end, 3) for end in interval(coins, 35, 0.05, "blaker")]
    [0.015, 0.399]
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
