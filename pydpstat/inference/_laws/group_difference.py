"""Differences of two groups whose numbers of records are private: of means, and of proportions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from pydpstat.inference._laws.binomial import crossing
from pydpstat.inference._laws.noisy_t import NoisySums
from pydpstat.inference._laws.noisy_welch import WelchInterval, welch_pvalue
from pydpstat.inference._laws.private_size import NoisyPair, NoisyPairInterval
from pydpstat.inference._laws.spread_interval import noise_reach

Ends = tuple[float, float]
# a number of records that noise alone exceeds so seldom says something
_NOISE_ALONE = 0.001
# p-values below this are not told apart
_SMALLEST = 1e-8
# how precise a p-value is, and the first step in search of it, as parts of it
_WITHIN, _STEP = 0.005, 0.1


@dataclass(frozen=True)
class Whole:
    """The interval where nothing can be said: all that is possible."""

    low: float
    high: float

    def ends(self, alpha: float) -> Ends:
        """Return both ends, whatever the level."""
        return self.low, self.high


def sized(known: NoisySums) -> NoisySums | None:
    """Return noisy sums with the noisy number of records as their size; None where it may be noise alone.

    The sums are scaled with it to a whole number; the noise of the number stays in that of the sums about a
    hypothetical mean, and a law hardly depends on the number itself.

    Examples
    --------
    >>> mix = ((1.0, 1.0, 1.0), (-1.0, 0.0, 1.0), (1.0, -1.0, 1.0))
    >>> sized(NoisySums((99.5, 49.75, 30.0), mix, "laplace", None)).size
    100
    >>> sized(NoisySums((3.0, 1.0, 2.0), mix, "laplace", None)) is None
    True
    """
    if known.size is not None:
        return known
    count = known.sums[0]
    if count <= noise_reach(np.abs(np.array(known.noise[0])), known.law, _NOISE_ALONE):
        return None
    size = max(1, round(count))
    first, second = (each * (size / count) for each in known.sums[1:])
    return replace(known, sums=(float(size), first, second), size=size)


def mean_difference(
    known: tuple[NoisySums, NoisySums], half: float
) -> tuple[float, float, WelchInterval | Whole, bool]:
    """Return the statistic, the p-value of equal means, the interval, and whether anything can be said.

    It is the noisy Welch test with the noisy numbers of records in the place of public ones.

    Examples
    --------
    >>> mix = ((1.0, 1.0, 1.0), (-1.0, 0.0, 1.0), (1.0, -1.0, 1.0))
    >>> groups = tuple(NoisySums((200.0, first, 40.0), mix, "laplace", None) for first in (60.0, 0.0))
    >>> statistic, p, interval, _ = mean_difference(groups, 50.0)
    >>> statistic > 4.0, p < 0.01
    (True, True)
    """
    first, second = sized(known[0]), sized(known[1])
    if first is None or second is None:
        return 0.0, 1.0, Whole(-2.0 * half, 2.0 * half), False
    statistic, p = welch_pvalue((first, second))
    return statistic, p, WelchInterval((first, second), half), True


@dataclass(frozen=True)
class ShareDifference:
    """The interval for the difference of two proportions, each from noisy counts of two kinds.

    Parameters
    ----------
    first, second : NoisyPair
        The noisy counts of both groups.

    Notes
    -----
    From the distances between the shares and the ends of their own intervals, squared and added: of its
    parts each end takes what is below the one share and above the other.

    References
    ----------
    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: comparison
    of eleven methods. Statistics in Medicine 17, 873-890, method 10.

    Examples
    --------
    >>> given = ShareDifference(NoisyPair(62.0, 41.0, 1.0), NoisyPair(30.0, 72.0, 1.0))
    >>> low, high = given.ends(0.05)
    >>> round(low, 2), round(high, 2), given.pvalue() < 0.001
    (0.17, 0.44, True)
    """

    first: NoisyPair
    second: NoisyPair

    @property
    def estimate(self) -> float:
        """The difference of the shares."""
        return self.first.share - self.second.share

    def ends(self, alpha: float) -> Ends:
        """Return the ends of the interval that misses the difference with probability `alpha` or so."""
        below, above = (self._reach(0.5 * alpha, upper) for upper in (False, True))
        return max(self.estimate - below, -1.0), min(self.estimate + above, 1.0)

    def _reach(self, share: float, upper: bool) -> float:
        """Return how far an end is that is passed with that probability."""
        one, other = (NoisyPairInterval(each, "two-sided") for each in (self.first, self.second))
        if upper:
            first, second = one.upper(share) - self.first.share, self.second.share - other.lower(share)
        else:
            first, second = self.first.share - one.lower(share), other.upper(share) - self.second.share
        return math.hypot(max(first, 0.0), max(second, 0.0))

    def pvalue(self) -> float:
        """Return the smallest level whose interval leaves 0 out, to 1 per cent and upwards."""
        distance, upper = abs(self.estimate), self.estimate < 0.0

        def longer(logarithm: float) -> float:
            return self._reach(0.5 * math.exp(logarithm), upper) - distance

        # as it would be if errors were normal
        error = self._reach(NormalDist().cdf(-1.0), upper)
        guess = 2.0 * NormalDist().cdf(-distance / error) if error else 1.0
        start = math.log(max(guess, _SMALLEST))
        if longer(start) >= 0.0:
            found = crossing(longer, start, 0.0, _STEP, _WITHIN)
        else:
            found = crossing(lambda x: -longer(x), start, math.log(_SMALLEST), _STEP, _WITHIN)
        return min(1.0, math.exp(found + _WITHIN))
