"""Confidence intervals for a proportion behind randomised answers, by inverting tests.

Each end is a parameter of the answers' law (`laws`): a proportion, or a number of persons. The lower
end of an interval for c answers of n is searched; the upper one is the lower one of the mirror
image, n - c answers that were not given.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from pydpstat.local._distributions import Counted, Fixed, Law, Sampled, first

METHODS = ("blaker", "clopper-pearson", "score")
KINDS = ("randomization", "population")
# two probabilities this close count as equal: which is the larger one is then a matter of rounding
_TIE = 1.0 + 1e-9
LAWS: dict[str, type[Fixed] | type[Sampled]] = {"randomization": Fixed, "population": Sampled}


def interval(law: Law, count: int, alpha: float, method: str) -> tuple[float, float]:
    """Return an interval for the proportion, from 0 to 1.

    Parameters
    ----------
    law : Law
        How the number of answers depends on the truth.
    count : int
        How often the answer was given.
    alpha : float
        Probability of a miss: at most this with ``"blaker"`` and ``"clopper-pearson"``, about this
        with ``"score"``.
    method : {"blaker", "clopper-pearson", "score"}

    Notes
    -----
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
    >>> from pydpstat.local._estimate import Response
    >>> coins = Sampled(100, Response(0.25, 0.75, 0.5, 0.25))
    >>> [round(end, 3) for end in interval(coins, 35, 0.05, "blaker")]
    [0.015, 0.399]
    """
    least, most = ends(law)
    count = min(max(count, least), most)
    if method == "score":
        return _score(law, count, NormalDist().inv_cdf(1.0 - alpha / 2.0))
    mirror = law.mirrored()
    low = lower_end(law, count, alpha, method)
    high = law.top - lower_end(mirror, law.n - count, alpha, method)
    # where no parameter is accepted the two may have changed places
    return min(low, high) / law.top, max(low, high) / law.top


def ends(law: Law) -> tuple[int, int]:
    """Return the numbers of answers that are expected at the proportions 0 and 1, rounded outwards."""
    # the upper one by the mirror image, so that rounding treats both alike
    return math.floor(law.n * law.response.other), law.n - math.floor(law.n * law.response.missed)


def lower_end(law: Law, count: int, alpha: float, method: str) -> float:
    """Return the smallest parameter that a test of level alpha does not reject, from below.

    Notes
    -----
    Clopper and Pearson's test rejects where count or more answers have a probability of at most
    alpha / 2. Blaker's rejects where that probability u, together with the largest probability of k or
    fewer answers that is at most u, is at most alpha. While k is the same, the sum of both falls first
    and rises then, as the parameter grows (the law is ordered by its likelihood ratio); it starts at
    alpha or below, so it passes alpha once at most. So each stretch with one k is searched by
    bisection. At a stretch's end, where k grows, it begins anew.
    """
    top = law.top

    def up(parameter: float) -> float:
        return law.at(parameter).at_least(count)

    if up(top) <= 0.5 * alpha:
        return top
    start = first(law, 0, top, lambda parameter: up(parameter) > 0.5 * alpha)
    if method == "clopper-pearson":
        return start
    while True:
        here = law.at(start)
        if here.at_least(count) > here.at_most(count) or accepts(here, count, alpha):
            # accepted, or the count is small already, and so it is up to the top
            return start
        k = here.largest_below(here.at_least(count) * _TIE)

        def more(parameter: float) -> bool:
            there = law.at(parameter)
            return there.at_most(k + 1) <= there.at_least(count) * _TIE

        def passed(parameter: float) -> bool:
            there = law.at(parameter)
            return there.at_least(count) + there.at_most(k) > alpha

        ends = more(top)
        following = first(law, start, top, more) if ends else top
        last = law.before(following) if ends else top
        if passed(last):
            return first(law, start, last, passed)
        if not ends:
            return top
        start = following


def accepts(law: Counted, count: int, alpha: float) -> bool:
    """Tell whether Blaker's test of level alpha accepts a law where `count` answers were given."""
    above, below = law.at_least(count), law.at_most(count)
    if above > below:
        return below + law.at_least(law.smallest_above(below * _TIE)) > alpha
    return above + law.at_most(law.largest_below(above * _TIE)) > alpha


def _score(law: Law, count: int, z: float) -> tuple[float, float]:
    """Return the ends where the count is z standard deviations from its mean, cut to 0 and 1."""
    n, design = law.n, law.response
    if isinstance(law, Sampled):
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
