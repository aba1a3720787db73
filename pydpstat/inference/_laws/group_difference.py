"""Differences of two groups whose numbers of records are private: of means, and of proportions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtr, ndtri

from pydpstat._frozen import frozen
from pydpstat.inference._laws.deep_pvalues import two_sample_pvalue
from pydpstat.inference._laws.geometric_sums import SMALLEST_RATE, noise_variance
from pydpstat.inference._laws.noisy_t import NoisySums
from pydpstat.inference._laws.noisy_welch_interval import WelchInterval
from pydpstat.inference._laws.private_size import OUTSIDE, NoisyPair
from pydpstat.inference._laws.spread_interval import noise_reach

Ends = tuple[float, float]
Floats = npt.NDArray[np.float64]
# a number of records that noise alone exceeds so seldom says something
_NOISE_ALONE = 0.001
# places at which limits are known, how far they reach in standard errors, and those between which masses lie
_NODES, _FAR, _FINE = 33, 8.0, 400
# up to so many records each number is looked at
_MANY = 64
_TINY = 1e-15


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
    return replace(known, sums=(float(size), first, second), size=size)


def mean_difference(
    known: tuple[NoisySums, NoisySums], half: float, alternative: str = "two-sided"
) -> tuple[float, float, WelchInterval | Whole, bool]:
    """Return the statistic, the p-value of equal means, the interval, and whether anything can be said.

    It is the noisy Welch test, with the noisy numbers of records where none are public.
    """
    interval = mean_interval(known, half, alternative)
    if isinstance(interval, Whole):
        return 0.0, 1.0, interval, False
    return *two_sample_pvalue(interval.known, alternative), interval, True


def mean_interval(
    known: tuple[NoisySums, NoisySums], half: float, alternative: str = "two-sided"
) -> WelchInterval | Whole:
    """Return the interval of `mean_difference`."""
    first, second = sized(known[0]), sized(known[1])
    if first is None or second is None:
        return Whole(-2.0 * half, 2.0 * half)
    return WelchInterval((first, second), half, alternative)


@lru_cache(maxsize=64)
def _limit_law(pair: NoisyPair, upper: bool) -> tuple[Floats, Floats]:
    """Return points and masses of the distribution whose quantiles are a group's lower, or upper, limits."""
    total = max(pair.met + pair.unmet, 1.0)
    angle, noise = math.asin(math.sqrt(pair.share)), math.sqrt(noise_variance(pair.rate)) / total
    steep = max(2.0 * math.sqrt(pair.share * (1.0 - pair.share)), math.sqrt(noise))
    flat = noise / steep if noise else 0.0
    places = angle + (0.5 / math.sqrt(total) + min(flat, 0.5 * math.pi)) * np.linspace(-_FAR, _FAR, _NODES)
    inner = places.clip(0.0, 0.5 * math.pi)
    places = np.unique(np.concatenate([[0.0, 0.5 * math.pi], inner]))
    sizes = pair.sizes(OUTSIDE)
    # of many records the distribution hardly depends on their number
    sizes = sizes if sizes[-1] <= _MANY else [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    at = np.square(np.sin(places)).tolist()
    tails = [max(pair.tail(share, n, not upper) for n in sizes) + OUTSIDE for share in at]
    known = np.clip(tails, _TINY, 1.0 - _TINY)
    known = np.minimum.accumulate(known) if upper else np.maximum.accumulate(known)
    scores = ndtri(1.0 - known if upper else known)
    # of many records all masses lie within a narrow part of the range
    fine = np.unique(np.concatenate([places[[0, -1]], np.linspace(inner[0], inner[-1], _FINE)]))
    chances = ndtr(PchipInterpolator(places, scores)(fine))
    chances[-1] = 1.0
    shares = np.square(np.sin(fine))
    # what lies between two places is in the middle; the first has what is below all
    points = np.append(shares[0], 0.5 * (shares[1:] + shares[:-1]))
    masses = np.diff(chances, prepend=0.0)
    # the limit is at an end where no share is excluded with that probability
    points[-1] = shares[-1] if upper else points[-1]
    keep = masses > 0.0
    return frozen(points[keep]), frozen(masses[keep])


@dataclass(frozen=True)
class ShareDifference:
    """The interval for the difference of two proportions, each from noisy counts of two kinds.

    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: comparison
    of eleven methods. Statistics in Medicine 17, 873-890, method 10. Xie, M. and Singh, K. (2013). Confidence
    distribution, the frequentist distribution estimator of a parameter: a review. International Statistical
    Review 81.
    """

    first: NoisyPair
    second: NoisyPair

    # the smallest p-value: each of both groups' limits, on two sides, and what is added
    floor = 5.0 * OUTSIDE

    @property
    def estimate(self) -> float:
        """The difference of the shares."""
        return self.first.share - self.second.share

    def ends(self, alpha: float) -> Ends:
        """Return the ends of the interval that misses the difference with probability `alpha` or so."""
        low, chances = _differences(self.first, self.second)
        below = low[min(int(np.searchsorted(chances, 0.5 * alpha, side="right")), low.size - 1)]
        high, others = _differences(self.second, self.first)
        above = -high[min(int(np.searchsorted(others, 0.5 * alpha, side="right")), high.size - 1)]
        return max(min(float(below), self.estimate), -1.0), min(max(float(above), self.estimate), 1.0)

    def pvalue(self) -> float:
        """Return the smallest level whose interval leaves 0 out."""
        sides = []
        for one, other in ((self.first, self.second), (self.second, self.first)):
            points, chances = _differences(one, other)
            place = int(np.searchsorted(points, 0.0, side="right"))
            sides.append(float(chances[place - 1]) if place else 0.0)
        return min(1.0, 2.0 * min(sides) + OUTSIDE)


@lru_cache(maxsize=64)
def _differences(one: NoisyPair, other: NoisyPair) -> tuple[Floats, Floats]:
    """Return the lower limits of the difference in their order, and how probable each or less is."""
    if min(one.rate, other.rate) < SMALLEST_RATE:
        return frozen(np.array([-1.0])), frozen(np.ones(1))
    lower, masses = _limit_law(one, False)
    upper, weights = _limit_law(other, True)
    points = np.subtract.outer(lower, upper).ravel()
    order = points.argsort(kind="stable")
    return frozen(points[order]), frozen(np.outer(masses, weights).ravel()[order].cumsum())
