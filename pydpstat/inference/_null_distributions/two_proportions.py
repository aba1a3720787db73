"""Two proportions from noisy counts: their difference and their ratio."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtr, ndtri

from pydpstat._frozen import frozen
from pydpstat.inference._null_distributions.noise import (
    SMALLEST_RATE,
    geometric_pmf,
    geometric_sum,
    noise_variance,
)
from pydpstat.inference._null_distributions.proportions import (
    OUTSIDE,
    Floats,
    NoisyPair,
    binomial_points,
    binomial_reach,
    crossing,
    noisy_tails,
    pvalue_of,
    tail_shares,
)
from pydpstat.r_arithmetic.elementary import exp

# values of a noisy count, and pairs of proportions under the hypothesis, at which is computed
_POINTS, _PAIRS = 400, 33
# how improbable the proportions are that are left out: of a p-value, and as a share of alpha
_OUTSIDE, _OUTSIDE_SHARE = 1e-6, 0.02
# left out of the distribution of a noisy count, and counted as a rejection
_CUT = 1e-8
_WITHIN = 1e-7
# places at which limits are known, how far they reach in standard errors, and those between which masses lie
_NODES, _FAR, _FINE = 33, 8.0, 400
# up to so many records each number is looked at
_MANY = 64
_TINY = 1e-15
Counts = tuple[float, float]
Sizes = tuple[int, int]
Pair = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """The pairs of proportions that a hypothesis allows: base + s direction."""

    base: Pair
    direction: Pair

    @classmethod
    def of_difference(cls, difference: float) -> Line:
        """Return the pairs with that difference, first minus second."""
        return cls((difference, 0.0), (1.0, 1.0))

    @classmethod
    def of_angle(cls, angle: float) -> Line:
        """Return the pairs with the ratio tan(angle), first to second; an angle from 0 to pi / 2."""
        return cls((0.0, 0.0), (math.sin(angle), math.cos(angle)))

    @classmethod
    def of_ratio(cls, ratio: float) -> Line:
        """Return the pairs with that ratio, first to second."""
        return cls.of_angle(math.atan(ratio))

    def pairs(self, within: tuple[Pair, Pair]) -> npt.NDArray[np.float64]:
        """Return pairs on the line of which each is within its limits, of shape (2, any number).

        They are evenly spaced in the arc sine of the root of the one that moves more.
        """
        lowest, highest = 0.0, math.inf
        for base, slope, (low, high) in zip(self.base, self.direction, within):
            if slope > 1e-12:
                lowest, highest = max(lowest, (low - base) / slope), min(highest, (high - base) / slope)
            elif not low <= base <= high:
                return np.empty((2, 0))
        if lowest > highest:
            return np.empty((2, 0))
        lead = 0 if self.direction[0] > self.direction[1] else 1
        ends = [self.base[lead] + s * self.direction[lead] for s in (lowest, highest)]
        first, last = (math.asin(math.sqrt(min(max(end, 0.0), 1.0))) for end in ends)
        leading = np.array([math.sin(angle) ** 2 for angle in np.linspace(first, last, _PAIRS).tolist()])
        s = (leading - self.base[lead]) / self.direction[lead]
        return np.clip([base + s * slope for base, slope in zip(self.base, self.direction)], 0.0, 1.0)

    def statistic(
        self, first: Floats, second: Floats, sizes: Sizes, variance: float
    ) -> tuple[Floats, Floats]:
        """Return how far noisy counts are from the line, in standard errors, and the standard error."""
        n1, n2 = sizes
        (b1, b2), (d1, d2) = self.base, self.direction
        s = (d1 * (first - n1 * b1) + d2 * (second - n2 * b2)) / (n1 * d1 * d1 + n2 * d2 * d2)
        # a share that is 0 or 1 has a variance all the same
        edge = min(0.5, (0.5 * math.sqrt(2.0 * variance) + 0.5) / (n1 + n2))
        p1, p2 = np.clip(b1 + s * d1, edge, 1.0 - edge), np.clip(b2 + s * d2, edge, 1.0 - edge)
        binomial = d2 * d2 * p1 * (1.0 - p1) / n1 + d1 * d1 * p2 * (1.0 - p2) / n2
        error = np.sqrt(binomial + variance * ((d2 / n1) ** 2 + (d1 / n2) ** 2))
        return (d2 * (first / n1 - b1) - d1 * (second / n2 - b2)) / error, error


@dataclass(frozen=True)
class NoisyCounts:
    """Two noisy binomial counts of public numbers of trials.

    Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter.
    Journal of the American Statistical Association 89. Farrington, C. P. and Manning, G. (1990). Test
    statistics and sample size formulae for comparative binomial trials with null hypothesis of non-zero risk
    difference or non-unity relative risk. Statistics in Medicine 9.
    """

    counts: Counts
    sizes: Sizes
    rate: float

    @property
    def shares(self) -> Pair:
        """The shares of the groups' records, from 0 to 1."""
        first, second = (min(max(count / n, 0.0), 1.0) for count, n in zip(self.counts, self.sizes))
        return first, second

    @property
    def tell(self) -> bool:
        """Whether one of the groups has more records than its noise may count."""
        return geometric_sum(self.rate, 1).quantile(0.025) < max(self.sizes)

    def statistic(self, line: Line) -> float:
        """Return T, the distance from a hypothesis in standard errors."""
        first, second = map(np.array, self.counts)
        return float(line.statistic(first, second, self.sizes, noise_variance(self.rate))[0])

    def pvalue(self, line: Line, alternative: str) -> float:
        """Return the p-value of a hypothesis."""
        up, low = self.tails(line, _OUTSIDE)
        return pvalue_of(up, low, alternative)

    @staticmethod
    def floor(alternative: str) -> float:
        """Return the smallest p-value, which is that of the proportions left out."""
        return pvalue_of(_OUTSIDE, _OUTSIDE, alternative)

    def possible(self, line: Line, outside: float = _OUTSIDE) -> tuple[npt.NDArray[np.float64], float]:
        """Return pairs on the line that the counts leave possible, and the probability of others."""
        return line.pairs(_limits(self.counts, self.sizes, self.rate, 0.5 * outside)), outside

    def tails(self, line: Line, outside: float) -> tuple[float, float]:
        """Return the p-values of both sides, with that probability of the proportions left out."""
        if self.rate < SMALLEST_RATE:
            return 1.0, 1.0
        pairs, _ = self.possible(line, outside)
        observed = self.statistic(line)
        if not pairs.size:
            # no pair is likely, but the counts are on one side of all of them
            return (outside, 1.0) if observed > 0.0 else (1.0, outside)
        up, low = line_tails(observed, self.sizes, self.rate, line, pairs)
        return min(1.0, float(up.max()) + outside), min(1.0, float(low.max()) + outside)


@dataclass(frozen=True)
class ContrastInterval:
    """The interval for the difference or the ratio of two proportions from noisy counts."""

    noisy: NoisyCounts
    ratio: bool
    alternative: str

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return both ends."""
        given = self.noisy
        cut = [min(max(count, 0.0), float(size)) for count, size in zip(given.counts, given.sizes)]
        noisy = NoisyCounts((cut[0], cut[1]), given.sizes, given.rate)
        below, above = tail_shares(alpha, self.alternative)
        first, second = (count / size for count, size in zip(cut, given.sizes))
        error = sum([(0.5 * math.sqrt(size) + 1.0 / given.rate) / size for size in given.sizes])
        line = Line.of_angle if self.ratio else Line.of_difference

        def up(place: float) -> float:
            return noisy.tails(line(place), _OUTSIDE_SHARE * below)[0] - below

        def low(place: float) -> float:
            return noisy.tails(line(place), _OUTSIDE_SHARE * above)[1] - above

        if not self.ratio:
            center, start, end = first - second, -1.0, 1.0
        else:
            center = math.atan2(first, second) if first or second else 0.25 * math.pi
            start, end = 0.0, 0.5 * math.pi
            error /= max(math.hypot(first, second), error)
        lowest = crossing(up, center, start, error, _WITHIN) if below else start
        highest = crossing(low, center, end, error, _WITHIN) if above else end
        if not self.ratio:
            return lowest, highest
        return math.tan(lowest), math.inf if highest >= end else math.tan(highest)


def line_tails(
    observed: float, sizes: Sizes, rate: float, line: Line, pairs: Floats
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return P(T >= t) and P(T <= t) for pairs of proportions on the line, t what was observed."""
    first, first_step, first_laws = _noisy_laws(sizes[0], pairs[0], rate)
    second, second_step, second_laws = _noisy_laws(sizes[1], pairs[1], rate)
    statistic, error = line.statistic(first[:, None], second, sizes, noise_variance(rate))
    excess = statistic - observed
    # how far the statistic moves over a cell, where the values are cells
    d1, d2 = line.direction
    cell = d2 * first_step / sizes[0] * (first_step > 1) + d1 * second_step / sizes[1] * (second_step > 1)
    if cell:
        reached = exceeded = np.clip(0.5 + excess * error / cell, 0.0, 1.0)
    else:
        reached, exceeded = np.where(excess > -1e-9, 1.0, 0.0), np.where(excess > 1e-9, 1.0, 0.0)
    # what the distributions leave out is outside on both sides
    up = 1.0 - _expected(first_laws, 1.0 - reached, second_laws)
    low = 1.0 - _expected(first_laws, exceeded, second_laws)
    return up, low


def _expected(first: Floats, values: Floats, second: Floats) -> npt.NDArray[np.float64]:
    """Return the expected value of a function of two counts, for each row of their distributions."""
    return np.einsum("pj,pj->p", np.einsum("pi,ij->pj", first, values), second)


@lru_cache(maxsize=16)
def _limits(counts: Counts, sizes: Sizes, rate: float, outside: float) -> tuple[Pair, Pair]:
    """Return exact limits for each proportion, which miss it with that probability at most."""
    noise = geometric_sum(rate, 1)
    found = []
    for count, n in zip(counts, sizes):
        z = min(max(count, 0.0), float(n))
        step = (0.5 * math.sqrt(n) + 1.0 / rate) / n

        def up(p: float, z: float = z, n: int = n) -> float:
            return noisy_tails(z, n, p, noise)[0] - 0.5 * outside

        def low(p: float, z: float = z, n: int = n) -> float:
            return noisy_tails(z, n, p, noise)[1] - 0.5 * outside

        found.append((crossing(up, z / n, 0.0, step), crossing(low, z / n, 1.0, step)))
    return found[0], found[1]


def _noisy_laws(n: int, shares: Floats, rate: float) -> tuple[Floats, int, Floats]:
    """Return values of a noisy count, their distance, and their probabilities for each share, in rows."""
    noise = math.ceil(-math.log(_CUT) / rate)
    lowest, highest = float(shares.min()), float(shares.max())
    first = max(0.0, n * lowest - binomial_reach(n, lowest, _CUT)) - noise
    last = min(float(n), n * highest + binomial_reach(n, highest, _CUT)) + noise
    step = max(1, math.ceil((last - first) / _POINTS))
    start, size = math.floor(first / step), math.ceil(last / step) - math.floor(first / step) + 1
    values = step * np.arange(start, start + size, dtype=np.float64)
    laws = _count_laws(n, shares, values, step)
    return values, step, _with_noise(laws, rate, step, noise)


def _count_laws(n: int, shares: Floats, values: Floats, step: int) -> Floats:
    """Return the distributions of binomial counts on a lattice, in rows."""
    from scipy.special import gammaln, xlog1py, xlogy

    laws = np.zeros((shares.size, values.size))
    inside = (values >= 0.0) & (values <= n)
    k = values[inside]
    # a wide distribution is its density at the lattice's points; a narrow one is moved onto them
    wide = (n * shares * (1.0 - shares) > 9.0 * step * step) if step > 1 else np.full(shares.size, True)
    if wide.any():
        p = shares[wide, None]
        logs = xlogy(k, p) + xlog1py(n - k, -p) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
        densities = np.asarray(exp(logs - logs.max(axis=1, keepdims=True)))
        rows = np.zeros((p.size, values.size))
        rows[:, inside] = densities / densities.sum(axis=1, keepdims=True)
        laws[wide] = rows
    for row in np.flatnonzero(~wide):
        laws[row] = _moved(*binomial_points(n, float(shares[row]), _CUT), float(values[0]), step, values.size)
    return laws


def _moved(points: Floats, masses: Floats, start: float, step: int, size: int) -> Floats:
    """Return masses on a lattice: each is divided between the two points around it, and keeps its mean."""
    place = (points - start) / step
    lower = np.floor(place)
    part = place - lower
    index = lower.astype(np.intp)
    found = np.zeros(size)
    found += np.bincount(index, masses * (1.0 - part), size)
    found += np.bincount(np.minimum(index + 1, size - 1), masses * part, size)
    return found


def _with_noise(laws: Floats, rate: float, step: int, reach: int) -> Floats:
    """Return the distributions of sums of the counts and the noise, on the same lattice."""
    from scipy import fft

    cells = math.ceil(reach / step)
    noise = geometric_pmf(rate, cells, step)
    size = fft.next_fast_len(laws.shape[1] + noise.size - 1, real=True)
    spectrum = fft.rfft(laws, size, axis=1) * fft.rfft(noise, size)
    return fft.irfft(spectrum, size, axis=1)[:, cells : cells + laws.shape[1]]


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

    def ends(self, alpha: float) -> Pair:
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
