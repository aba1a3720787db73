"""Noisy counts: tests and intervals of a proportion, of a public or private number of records."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from pydpstat._frozen import frozen
from pydpstat._search import bisect_up
from pydpstat.inference._null_distributions.noise import (
    SMALLEST_RATE,
    GeometricNoise,
    GeometricSum,
    Tulap,
    geometric_sum,
    noise_variance,
)
from pydpstat.r_arithmetic.elementary import Floats, exp, log

SymmetricNoise = Tulap | GeometricNoise | GeometricSum
# what is left out of the distribution of the count, and added to every p-value
DROPPED = 1e-15
# more values of the count are merged, and still more are looked at in steps
_MERGED, _MOST = 2**14, 2**17


def binomial_reach(n: int, p: float, left_out: float = DROPPED) -> float:
    """Return how far a binomial count may be from n p, but for that probability, by Bernstein's
    inequality.
    """
    depth = math.log(2.0 / left_out)
    return depth / 3.0 + math.sqrt(depth * depth / 9.0 + 2.0 * depth * n * p * (1.0 - p))


def binomial_points(n: int, p: float, left_out: float = DROPPED) -> tuple[Floats, Floats]:
    """Return the values that a binomial count takes, and their probabilities."""
    center, reach = n * p, binomial_reach(n, p, left_out)
    first, last = max(0, math.ceil(center - reach)), min(n, math.floor(center + reach))
    if p == 0.0 or p == 1.0:
        first = last = round(center)
    step = -(-(last - first + 1) // _MOST)
    k = np.arange(float(first), last + 1.0, step)
    # between two values: for a step of 1 this is the logarithm of (n - k + 1) / k
    middle = 0.5 * (k[1:] + k[:-1])
    odds = math.log(p) - math.log1p(-p) if k.size > 1 else 0.0
    steps = step * (np.asarray(log((n - middle + 0.5) / (middle + 0.5))) + odds)
    logs = np.append(0.0, steps.cumsum())
    masses = np.asarray(exp(logs - logs.max()))
    return k, masses / masses.sum()


def noisy_tails(z: float, n: int, p: float, noise: SymmetricNoise) -> tuple[float, float]:
    """Return P(K + N >= z) and P(K + N <= z), K binomial, N noise of a symmetric distribution.

    The sums leave out values of K with a total probability of 1e-15, which is added. More than 16,384
    values, as for n above 3 million, are merged, and moved outwards: to the larger tail. Both tails are hence
    upper bounds, and exact to about 1e-15 otherwise.
    """
    values, masses = binomial_points(n, p)
    highest = values
    if values.size > _MERGED:
        starts = np.arange(0, values.size, -(-values.size // _MERGED))
        masses = np.add.reduceat(masses, starts)
        highest = values[np.append(starts[1:] - 1, values.size - 1)]
        values = values[starts]
    up = float((masses * noise.tail(z - highest)).sum()) + DROPPED
    low = float((masses * noise.tail(values - z)).sum()) + DROPPED
    return min(up, 1.0), min(low, 1.0)


def pvalue_of(up: float, low: float, alternative: str) -> float:
    """Return the p-value of an alternative from those of both sides: twice the smaller for two."""
    return {"greater": up, "less": low}.get(alternative, min(1.0, 2.0 * min(up, low)))


def floor_of(alternative: str) -> float:
    """Return the smallest p-value of `noisy_tails`."""
    return pvalue_of(DROPPED, DROPPED, alternative)


def tail_shares(alpha: float, alternative: str) -> tuple[float, float]:
    """Return how much of alpha an interval spends below and above; none where it is one-sided."""
    sides = {"greater": (alpha, 0.0), "less": (0.0, alpha)}
    return sides.get(alternative, (0.5 * alpha, 0.5 * alpha))


def crossing(
    function: Callable[[float], float], inside: float, end: float, step: float, within: float = 1e-13
) -> float:
    """Return where a function falls below 0 on the way from a place to an end; the end where it does not."""
    from scipy.optimize import brentq

    near = inside
    if function(near) < 0.0:
        return near
    while True:
        far = min(near + step, end) if end > inside else max(near - step, end)
        if function(far) < 0.0:
            return float(brentq(function, near, far, xtol=within, rtol=1e-10))
        if far == end:
            return end
        near, step = far, 2.0 * step


@dataclass(frozen=True)
class ProportionInterval:
    """The interval for the probability of a binomial count, from the count with its noise.

    Awan, J. and Slavkovic, A. (2020). Differentially private inference for binomial data. Journal of Privacy
    and Confidentiality 10(1).

    The lower end is the largest p with P_p(K + N >= z) <= alpha / 2, and 0 where there is none; both tails
    are monotone in p, so this covers p with 1 - alpha for every p (Clopper and Pearson's construction). z is
    first moved into [0, n]. That only lengthens the interval: for z > n the upper end is 1 in either case, as
    P_1(K + N <= n) is at least 1/2, and the lower end goes down with z.
    """

    noisy: float
    n: int
    rate: float
    alternative: str
    smooth: bool = True
    terms: int = 1

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return both ends."""
        z = min(max(self.noisy, 0.0), float(self.n))
        noise: SymmetricNoise = Tulap(self.rate) if self.smooth else GeometricNoise(self.rate)
        if self.terms > 1:
            noise = geometric_sum(self.rate, self.terms)
        below, above = tail_shares(alpha, self.alternative)

        def up(p: float) -> float:
            return noisy_tails(z, self.n, p, noise)[0] - below

        def low(p: float) -> float:
            return noisy_tails(z, self.n, p, noise)[1] - above

        center = z / self.n
        step = (0.5 * math.sqrt(self.n) + math.sqrt(self.terms) / self.rate) / self.n
        # a tail is 1/2 or more at one end of the parameter's range, and may be less at the share seen
        lowest = crossing(up, center if up(center) > 0.0 else 1.0, 0.0, step) if below else 0.0
        highest = crossing(low, center if low(center) > 0.0 else 0.0, 1.0, step) if above else 1.0
        return lowest, highest


# numbers of records that are tried, all of them up to a few, and points of each count's noise
_SIZES, _FEW, _POINTS = 9, 10, 257
# how improbable the noise is that these numbers leave out: of a p-value, and as a share of alpha
OUTSIDE, _OUTSIDE_SHARE = 1e-6, 0.02
# how precise the ends of intervals are
_WITHIN = 1e-8
# no statistic is further out that a test can tell
_FARTHEST = 40.0
# the first step from one number's end to another's, as a part of the one before
_NEXT = 0.02


@dataclass(frozen=True)
class NoisyPair:
    """Noisy counts of the records that meet a condition and of those that do not.

    Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter.
    Journal of the American Statistical Association 89.

    Under the hypothesis p, W = (1 - p) met - p unmet has the mean 0 whatever the number of records n is. It
    is divided by an estimate of its standard deviation from met + unmet, ``T^2 = W^2 / (max(met + unmet, s
    sqrt(2)) p (1 - p) + ((1 - p)^2 j1 + p^2 j0) s^2)`` with s^2 the variance of one noise. For given noises T
    only depends on the binomial count, whose distribution is summed exactly; the noises' distributions are
    summed over all their values, or over 257 cells within which they are taken as uniform. The p-value is the
    largest over 9 numbers of records that the noisy total leaves possible (Berger and Boos), and over all of
    them up to 10, plus the probability g = 1e-6 of leaving out the true one. Of more records T's distribution
    hardly depends on n.
    """

    met: float
    unmet: float
    rate: float
    terms: tuple[int, int] = (1, 1)

    @property
    def share(self) -> float:
        """The share of the records that meet the condition; 1/2 where the noisy counts add up to nothing."""
        total = self.met + self.unmet
        return min(max(self.met / total, 0.0), 1.0) if total > 0.0 else 0.5

    @property
    def tell(self) -> bool:
        """Whether there seem to be more records than the noise of their number."""
        return self.met + self.unmet > geometric_sum(self.rate, sum(self.terms)).quantile(0.025)

    def statistic(self, p: float) -> float:
        """Return T, the distance from the hypothesis in standard errors."""
        return float(_studentized(self.met, self.unmet, p, noise_variance(self.rate), self.terms))

    def pvalue(self, p: float, alternative: str) -> float:
        """Return the p-value of the hypothesis that a record meets the condition with that probability."""
        up, low = self.tails(p, OUTSIDE)
        return pvalue_of(up, low, alternative)

    @staticmethod
    def floor(alternative: str) -> float:
        """Return the smallest p-value, which is that of the numbers of records left out."""
        return pvalue_of(OUTSIDE, OUTSIDE, alternative)

    def tails(self, p: float, outside: float) -> tuple[float, float]:
        """Return the p-values of both sides, with that probability of the numbers of records left out."""
        if self.rate < SMALLEST_RATE:
            return 1.0, 1.0
        observed = self.statistic(p)
        found = [_tails_of(observed, n, p, self.rate, self.terms) for n in self.sizes(outside)]
        up, low = (max(each) for each in zip(*found))
        return min(1.0, up + outside), min(1.0, low + outside)

    def tail(self, p: float, n: int, upper: bool) -> float:
        """Return how probable a statistic at least (or at most) this large is with n records."""
        return _tails_of(self.statistic(p), n, p, self.rate, self.terms)[not upper]

    def sizes(self, outside: float) -> list[int]:
        """Return numbers of records that the noisy total leaves possible but for that probability."""
        total = self.met + self.unmet
        reach = geometric_sum(self.rate, sum(self.terms)).quantile(0.5 * outside)
        lowest, highest = max(0.0, total - reach), max(0.0, total + reach)
        spread = np.rint(np.linspace(lowest, highest, _SIZES)).astype(np.int64).tolist()
        return sorted({*spread, *range(math.floor(lowest), min(math.ceil(highest), _FEW) + 1)})


def pair_power(n: int, rate: float, terms: tuple[int, int], p: float, truth: float, level: float) -> float:
    """Return how often the test of `NoisyPair` finds that the share is above p, where it is the `truth`.

    The critical value is that of n records; those of the other numbers hardly differ.
    """
    if rate < SMALLEST_RATE or level <= OUTSIDE:
        return 0.0

    def probable(statistic: float) -> bool:
        return _tails_of(statistic, n, p, rate, terms)[0] + OUTSIDE > level

    _, limit = bisect_up(probable, -_FARTHEST, _FARTHEST, steps=40)
    return _tails_of(limit, n, p, rate, terms, truth)[0]


@dataclass(frozen=True)
class NoisyPairInterval:
    """The interval for a proportion from noisy counts; the number of records is private."""

    pair: NoisyPair
    alternative: str

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return both ends."""
        below, above = tail_shares(alpha, self.alternative)
        return self.lower(below), self.upper(above)

    def lower(self, share: float) -> float:
        """Return the lower end, which is above the proportion with that probability; 0 where it is 0."""
        return self._end(share, True)

    def upper(self, share: float) -> float:
        """Return the upper end, which is below the proportion with that probability; 1 where it is 0."""
        return self._end(share, False)

    def _end(self, share: float, lower: bool) -> float:
        """Follow one number of records to its end, and those on from there that are still probable."""
        given, furthest = self.pair, 0.0 if lower else 1.0
        if not share or given.rate < SMALLEST_RATE:
            return furthest
        cut = NoisyPair(max(given.met, 0.0), max(given.unmet, 0.0), given.rate, given.terms)
        total, outside = cut.met + cut.unmet, _OUTSIDE_SHARE * share
        step = min(1.0, (0.5 * math.sqrt(total) + 1.0 / cut.rate) / max(total, 1.0))
        sizes = cut.sizes(outside)
        end, n = cut.met / total if total else 0.5, sizes[len(sizes) // 2]
        while True:
            end = crossing(lambda p: cut.tail(p, n, lower) + outside - share, end, furthest, step, _WITHIN)
            tails = [cut.tail(end, each, lower) for each in sizes]
            worst = sizes[int(np.argmax(tails))]
            if end == furthest or worst == n or max(tails) + outside <= share:
                return end
            n, step = worst, _NEXT * step


def _studentized(
    met: float | Floats, unmet: float | Floats, p: float, variance: float, terms: tuple[int, int]
) -> Floats:
    deviation = (1.0 - p) * np.asarray(met) - p * np.asarray(unmet)
    return deviation / _spread(np.asarray(met) + unmet, p, variance, terms)


def _spread(total: Floats, p: float, variance: float, terms: tuple[int, int]) -> Floats:
    noise = ((1.0 - p) ** 2 * terms[0] + p * p * terms[1]) * variance
    # without noise and variance any deviation is infinitely far out
    return np.sqrt(np.maximum(np.maximum(total, math.sqrt(2.0 * variance)) * p * (1.0 - p) + noise, 1e-300))


@lru_cache(maxsize=16)
def _cells(rate: float, terms: int) -> tuple[Floats, Floats, int]:
    """Return the middles, the probabilities and the width of cells of a noise's values."""
    law = geometric_sum(rate, terms)
    reach = law.quantile(1e-10) + 1
    width = -(-(2 * reach + 1) // _POINTS)
    # an odd width has a middle
    width += 1 - width % 2
    half = width // 2
    cells = -(-max(reach - half, 0) // width)
    middles = width * np.arange(-cells, cells + 1.0)
    # between integers
    edges = law.tail(np.append(middles - half, middles[-1] + half + 1.0) - 0.5)
    masses = edges[:-1] - edges[1:]
    return frozen(middles), frozen(masses / masses.sum()), width


@lru_cache(maxsize=16)
def _weights(rate: float, terms: tuple[int, int]) -> Floats:
    """Return the probabilities of both counts' cells together."""
    return frozen(np.outer(_cells(rate, terms[0])[1], _cells(rate, terms[1])[1]))


def _tails_of(
    statistic: float, n: int, p: float, rate: float, terms: tuple[int, int], truth: float | None = None
) -> tuple[float, float]:
    """Return P(T >= t) and P(T <= t) for a number of records, whose share is p, or else the `truth`."""
    first, _, width = _cells(rate, terms[0])
    second = _cells(rate, terms[1])[0]
    values, masses = binomial_points(n, p if truth is None else truth)
    shift = (1.0 - p) * first[:, None] - p * second
    reach = statistic * _spread(n + first[:, None] + second, p, noise_variance(rate), terms)
    # T >= t where the count is at least this
    needed = n * p - shift + reach
    window = (1.0 - p) * width if width > 1 else 0.0
    # a sum of several terms can miss a value that it is equal to
    slack = 0.0 if window else 1e-9 * max(1.0, abs(n * p))
    weights = _weights(rate, terms)
    above = float((weights * _reaching(values, masses, needed - slack, window)).sum())
    if window:
        return above, 1.0 - above
    return above, 1.0 - float((weights * _reaching(values, masses, needed + slack, window)).sum())


def _reaching(values: Floats, masses: Floats, needed: Floats, window: float) -> Floats:
    """Return P(K + V >= x) for the x, V uniform on an interval of that length around 0."""
    step = values[1] - values[0] if values.size > 1 else 1.0
    places, window = (needed - values[0]) / step, window / step
    tails = np.append(masses[::-1].cumsum()[::-1], 0.0)
    if not window:
        return tails[np.clip(np.ceil(places), 0.0, values.size).astype(np.intp)]
    # the integral of the tail, which is linear between integers
    whole = np.append(0.0, tails.cumsum()[:-1])
    grid = np.arange(-1.0, values.size)

    def integral(x: Floats) -> Floats:
        beyond = np.minimum(x, -1.0) + 1.0
        return np.interp(x, grid, whole) + beyond

    upper, lower = places + 0.5 * window, places - 0.5 * window
    return (integral(upper) - integral(lower)) / window
