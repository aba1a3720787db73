"""Difference and ratio of two proportions from noisy counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.interpolate import PchipInterpolator
from scipy.special import ndtr, ndtri

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.noise import (
    SMALLEST_RATE,
    compute_geometric_pmf,
    compute_noise_variance,
    make_geometric_sum,
)
from pydpstat._null_distributions.proportions.one_proportion import (
    EXCLUDED_SIZES_PROBABILITY,
    Floats,
    NoisyBinaryCounts,
    bound_binomial_deviation,
    combine_tails,
    compute_binomial_points,
    compute_noisy_tails,
    find_crossing,
    split_alpha,
)
from pydpstat.r_arithmetic.elementary import exp

# numbers of tabulated values of a noisy count, and of pairs of proportions under the hypothesis
_MAX_LATTICE_POINTS, _PROPORTION_PAIRS = 400, 33
# probability that the true proportions are excluded: for a p-value, and as a fraction of alpha
_EXCLUDED_PROBABILITY, _EXCLUDED_SHARE = 1e-6, 0.02
# probability that is left out of the distribution of a noisy count, and counted as a rejection
_TRUNCATED_PROBABILITY = 1e-8
_LIMIT_TOLERANCE = 1e-7
# number of nodes at which limits are computed, their range in standard errors, and number of interpolation points
_LIMIT_NODES, _NODE_RANGE, _FINE_POINTS = 33, 8.0, 400
# number of records up to which every size is tried
_MAX_TRIED_SIZES = 64
_MIN_PROBABILITY = 1e-15
CountPair = tuple[float, float]
SizePair = tuple[int, int]
ProportionPair = tuple[float, float]


@dataclass(frozen=True)
class ProportionLine:
    """Pairs of proportions under a hypothesis: base + s direction."""

    base: ProportionPair
    direction: ProportionPair

    @classmethod
    def from_difference(cls, difference: float) -> ProportionLine:
        """Return the pairs with a given difference, first minus second."""
        return cls((difference, 0.0), (1.0, 1.0))

    @classmethod
    def from_angle(cls, angle: float) -> ProportionLine:
        """Return the pairs with the ratio tan(angle), first to second; the angle is from 0 to pi / 2."""
        return cls((0.0, 0.0), (math.sin(angle), math.cos(angle)))

    @classmethod
    def from_ratio(cls, ratio: float) -> ProportionLine:
        """Return the pairs with a given ratio, first to second."""
        return cls.from_angle(math.atan(ratio))

    def make_pairs(self, limits: tuple[ProportionPair, ProportionPair]) -> npt.NDArray[np.float64]:
        """Return pairs on the line within limits of both proportions, of shape (2, any number).

        They are equally spaced in the arc sine of the square root of the proportion with the steeper direction.
        """
        lowest, highest = 0.0, math.inf
        for base, slope, (low, high) in zip(self.base, self.direction, limits):
            if slope > 1e-12:
                lowest, highest = max(lowest, (low - base) / slope), min(highest, (high - base) / slope)
            elif not low <= base <= high:
                return np.empty((2, 0))
        if lowest > highest:
            return np.empty((2, 0))
        steeper = 0 if self.direction[0] > self.direction[1] else 1
        limiting = [self.base[steeper] + s * self.direction[steeper] for s in (lowest, highest)]
        first, last = (math.asin(math.sqrt(min(max(end, 0.0), 1.0))) for end in limiting)
        leading = np.array([math.sin(angle) ** 2 for angle in np.linspace(first, last, _PROPORTION_PAIRS).tolist()])
        s = (leading - self.base[steeper]) / self.direction[steeper]
        return np.clip([base + s * slope for base, slope in zip(self.base, self.direction)], 0.0, 1.0)

    def compute_statistics(
        self, first: Floats, second: Floats, sizes: SizePair, variance: float
    ) -> tuple[Floats, Floats]:
        """Return the distances of noisy counts from the line in standard errors, and the standard errors."""
        n1, n2 = sizes
        (b1, b2), (d1, d2) = self.base, self.direction
        s = (d1 * (first - n1 * b1) + d2 * (second - n2 * b2)) / (n1 * d1 * d1 + n2 * d2 * d2)
        # avoids a variance of 0 for proportions of 0 or 1
        edge = min(0.5, (0.5 * math.sqrt(2.0 * variance) + 0.5) / (n1 + n2))
        p1, p2 = np.clip(b1 + s * d1, edge, 1.0 - edge), np.clip(b2 + s * d2, edge, 1.0 - edge)
        binomial = d2 * d2 * p1 * (1.0 - p1) / n1 + d1 * d1 * p2 * (1.0 - p2) / n2
        error = np.sqrt(binomial + variance * ((d2 / n1) ** 2 + (d1 / n2) ** 2))
        return (d2 * (first / n1 - b1) - d1 * (second / n2 - b2)) / error, error


@dataclass(frozen=True)
class NoisyGroupCounts:
    """Two noisy binomial counts with public numbers of trials.

    Berger, R. L. and Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter.
    Journal of the American Statistical Association 89. Farrington, C. P. and Manning, G. (1990). Test
    statistics and sample size formulae for comparative binomial trials with null hypothesis of non-zero risk
    difference or non-unity relative risk. Statistics in Medicine 9.
    """

    counts: CountPair
    sizes: SizePair
    rate: float

    @property
    def proportions(self) -> ProportionPair:
        """Estimated proportions, from 0 to 1."""
        first, second = (min(max(count / n, 0.0), 1.0) for count, n in zip(self.counts, self.sizes))
        return first, second

    @property
    def is_informative(self) -> bool:
        """Whether the size of a group exceeds the upper 2.5 % point of the noise."""
        return make_geometric_sum(self.rate, 1).compute_quantile(0.025) < max(self.sizes)

    def compute_statistic(self, line: ProportionLine) -> float:
        """Return T, the distance from a hypothesis in standard errors."""
        first, second = map(np.array, self.counts)
        return float(line.compute_statistics(first, second, self.sizes, compute_noise_variance(self.rate))[0])

    def compute_pvalue(self, line: ProportionLine, alternative: str) -> float:
        """Return the p-value of a hypothesis."""
        upper, lower = self.compute_tails(line, _EXCLUDED_PROBABILITY)
        return combine_tails(upper, lower, alternative)

    @staticmethod
    def get_pvalue_floor(alternative: str) -> float:
        """Return the smallest possible p-value, from the probability of excluded proportions."""
        return combine_tails(_EXCLUDED_PROBABILITY, _EXCLUDED_PROBABILITY, alternative)

    def find_plausible_pairs(
        self, line: ProportionLine, excluded: float = _EXCLUDED_PROBABILITY
    ) -> tuple[npt.NDArray[np.float64], float]:
        """Return plausible pairs on the line, and the probability that the true pair is excluded."""
        return line.make_pairs(_compute_proportion_limits(self.counts, self.sizes, self.rate, 0.5 * excluded)), excluded

    def compute_tails(self, line: ProportionLine, excluded: float) -> tuple[float, float]:
        """Return the p-values of both sides, with probability `excluded` of excluded proportions."""
        if self.rate < SMALLEST_RATE:
            return 1.0, 1.0
        pairs, _ = self.find_plausible_pairs(line, excluded)
        observed = self.compute_statistic(line)
        if not pairs.size:
            # no pair is plausible; the counts are on one side of the line
            return (excluded, 1.0) if observed > 0.0 else (1.0, excluded)
        upper, lower = compute_line_tails(observed, self.sizes, self.rate, line, pairs)
        return min(1.0, float(upper.max()) + excluded), min(1.0, float(lower.max()) + excluded)


@dataclass(frozen=True)
class ContrastInterval:
    """Confidence interval for the difference or the ratio of two proportions from noisy counts."""

    noisy_counts: NoisyGroupCounts
    is_ratio: bool
    alternative: str

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval."""
        counts = self.noisy_counts
        clipped = [min(max(count, 0.0), float(size)) for count, size in zip(counts.counts, counts.sizes)]
        noisy = NoisyGroupCounts((clipped[0], clipped[1]), counts.sizes, counts.rate)
        below, above = split_alpha(alpha, self.alternative)
        first, second = (count / size for count, size in zip(clipped, counts.sizes))
        error = sum([(0.5 * math.sqrt(size) + 1.0 / counts.rate) / size for size in counts.sizes])
        line = ProportionLine.from_angle if self.is_ratio else ProportionLine.from_difference

        def compute_upper_excess(parameter: float) -> float:
            return noisy.compute_tails(line(parameter), _EXCLUDED_SHARE * below)[0] - below

        def compute_lower_excess(parameter: float) -> float:
            return noisy.compute_tails(line(parameter), _EXCLUDED_SHARE * above)[1] - above

        if not self.is_ratio:
            center, start, end = first - second, -1.0, 1.0
        else:
            center = math.atan2(first, second) if first or second else 0.25 * math.pi
            start, end = 0.0, 0.5 * math.pi
            error /= max(math.hypot(first, second), error)
        lowest = find_crossing(compute_upper_excess, center, start, error, _LIMIT_TOLERANCE) if below else start
        highest = find_crossing(compute_lower_excess, center, end, error, _LIMIT_TOLERANCE) if above else end
        if not self.is_ratio:
            return lowest, highest
        return math.tan(lowest), math.inf if highest >= end else math.tan(highest)


def compute_line_tails(
    observed: float, sizes: SizePair, rate: float, line: ProportionLine, pairs: Floats
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return P(T >= t) and P(T <= t) for the observed t and pairs of proportions on the line."""
    first, first_step, first_laws = _tabulate_noisy_counts(sizes[0], pairs[0], rate)
    second, second_step, second_laws = _tabulate_noisy_counts(sizes[1], pairs[1], rate)
    statistic, error = line.compute_statistics(first[:, None], second, sizes, compute_noise_variance(rate))
    excess = statistic - observed
    # change of the statistic over a lattice cell, if the lattice is coarser than integers
    d1, d2 = line.direction
    cell = d2 * first_step / sizes[0] * (first_step > 1) + d1 * second_step / sizes[1] * (second_step > 1)
    if cell:
        is_reached = is_exceeded = np.clip(0.5 + excess * error / cell, 0.0, 1.0)
    else:
        is_reached, is_exceeded = np.where(excess > -1e-9, 1.0, 0.0), np.where(excess > 1e-9, 1.0, 0.0)
    # the probability left out of the distributions counts as extreme on both sides
    upper = 1.0 - _compute_expectations(first_laws, 1.0 - is_reached, second_laws)
    lower = 1.0 - _compute_expectations(first_laws, is_exceeded, second_laws)
    return upper, lower


def _compute_expectations(first: Floats, values: Floats, second: Floats) -> npt.NDArray[np.float64]:
    """Return the expected value of a function of two counts, for each row of their distributions."""
    return np.einsum("pj,pj->p", np.einsum("pi,ij->pj", first, values), second)


@lru_cache(maxsize=16)
def _compute_proportion_limits(
    counts: CountPair, sizes: SizePair, rate: float, excluded: float
) -> tuple[ProportionPair, ProportionPair]:
    """Return exact limits for each proportion, which miss it with probability at most `excluded`."""
    noise = make_geometric_sum(rate, 1)
    limits = []
    for count, n in zip(counts, sizes):
        z = min(max(count, 0.0), float(n))
        step = (0.5 * math.sqrt(n) + 1.0 / rate) / n

        def compute_upper_excess(p: float, z: float = z, n: int = n) -> float:
            return compute_noisy_tails(z, n, p, noise)[0] - 0.5 * excluded

        def compute_lower_excess(p: float, z: float = z, n: int = n) -> float:
            return compute_noisy_tails(z, n, p, noise)[1] - 0.5 * excluded

        limits.append(
            (
                find_crossing(compute_upper_excess, z / n, 0.0, step),
                find_crossing(compute_lower_excess, z / n, 1.0, step),
            )
        )
    return limits[0], limits[1]


def _tabulate_noisy_counts(n: int, shares: Floats, rate: float) -> tuple[Floats, int, Floats]:
    """Return lattice values of a noisy count, their step, and their distributions for the proportions, in rows."""
    noise = math.ceil(-math.log(_TRUNCATED_PROBABILITY) / rate)
    lowest, highest = float(shares.min()), float(shares.max())
    first = max(0.0, n * lowest - bound_binomial_deviation(n, lowest, _TRUNCATED_PROBABILITY)) - noise
    last = min(float(n), n * highest + bound_binomial_deviation(n, highest, _TRUNCATED_PROBABILITY)) + noise
    step = max(1, math.ceil((last - first) / _MAX_LATTICE_POINTS))
    start, size = math.floor(first / step), math.ceil(last / step) - math.floor(first / step) + 1
    values = step * np.arange(start, start + size, dtype=np.float64)
    laws = _tabulate_counts(n, shares, values, step)
    return values, step, _add_noise(laws, rate, step, noise)


def _tabulate_counts(n: int, shares: Floats, values: Floats, step: int) -> Floats:
    """Return the distributions of binomial counts on a lattice, in rows."""
    from scipy.special import gammaln, xlog1py, xlogy

    distributions = np.zeros((shares.size, values.size))
    is_possible = (values >= 0.0) & (values <= n)
    k = values[is_possible]
    # wide distributions are evaluated at the lattice points; narrow ones are distributed over them
    is_wide = (n * shares * (1.0 - shares) > 9.0 * step * step) if step > 1 else np.full(shares.size, True)
    if is_wide.any():
        p = shares[is_wide, None]
        logs = xlogy(k, p) + xlog1py(n - k, -p) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
        densities = np.asarray(exp(logs - logs.max(axis=1, keepdims=True)))
        rows = np.zeros((p.size, values.size))
        rows[:, is_possible] = densities / densities.sum(axis=1, keepdims=True)
        distributions[is_wide] = rows
    for row in np.flatnonzero(~is_wide):
        distributions[row] = _split_to_lattice(
            *compute_binomial_points(n, float(shares[row]), _TRUNCATED_PROBABILITY), float(values[0]), step, values.size
        )
    return distributions


def _split_to_lattice(points: Floats, masses: Floats, start: float, step: int, size: int) -> Floats:
    """Distribute masses over a lattice, each between the two adjacent points with its mean preserved."""
    positions = (points - start) / step
    lower = np.floor(positions)
    fraction = positions - lower
    index = lower.astype(np.intp)
    lattice_masses = np.zeros(size)
    lattice_masses += np.bincount(index, masses * (1.0 - fraction), size)
    lattice_masses += np.bincount(np.minimum(index + 1, size - 1), masses * fraction, size)
    return lattice_masses


def _add_noise(masses: Floats, rate: float, step: int, radius: int) -> Floats:
    """Return the distributions of counts plus noise, on the same lattice."""
    from scipy import fft

    cells = math.ceil(radius / step)
    noise = compute_geometric_pmf(rate, cells, step)
    size = fft.next_fast_len(masses.shape[1] + noise.size - 1, real=True)
    spectrum = fft.rfft(masses, size, axis=1) * fft.rfft(noise, size)
    return fft.irfft(spectrum, size, axis=1)[:, cells : cells + masses.shape[1]]


@lru_cache(maxsize=64)
def _tabulate_limits(counts: NoisyBinaryCounts, is_upper: bool) -> tuple[Floats, Floats]:
    """Return points and masses of the distribution whose quantiles are a group's lower, or upper, limits."""
    total = max(counts.successes + counts.failures, 1.0)
    angle, noise = (math.asin(math.sqrt(counts.proportion)), math.sqrt(compute_noise_variance(counts.rate)) / total)
    steep = max(2.0 * math.sqrt(counts.proportion * (1.0 - counts.proportion)), math.sqrt(noise))
    flat = noise / steep if noise else 0.0
    angles = angle + (0.5 / math.sqrt(total) + min(flat, 0.5 * math.pi)) * np.linspace(
        -_NODE_RANGE, _NODE_RANGE, _LIMIT_NODES
    )
    inner = angles.clip(0.0, 0.5 * math.pi)
    angles = np.unique(np.concatenate([[0.0, 0.5 * math.pi], inner]))
    sizes = counts.find_plausible_sizes(EXCLUDED_SIZES_PROBABILITY)
    # for many records the distribution hardly depends on their number
    sizes = sizes if sizes[-1] <= _MAX_TRIED_SIZES else [sizes[0], sizes[len(sizes) // 2], sizes[-1]]
    proportions = np.square(np.sin(angles)).tolist()
    tails = [
        max(counts.compute_tail(share, n, not is_upper) for n in sizes) + EXCLUDED_SIZES_PROBABILITY
        for share in proportions
    ]
    clipped = np.clip(tails, _MIN_PROBABILITY, 1.0 - _MIN_PROBABILITY)
    clipped = np.minimum.accumulate(clipped) if is_upper else np.maximum.accumulate(clipped)
    scores = ndtri(1.0 - clipped if is_upper else clipped)
    # for many records the masses are concentrated in a narrow range
    fine_angles = np.unique(np.concatenate([angles[[0, -1]], np.linspace(inner[0], inner[-1], _FINE_POINTS)]))
    chances = ndtr(PchipInterpolator(angles, scores)(fine_angles))
    chances[-1] = 1.0
    shares = np.square(np.sin(fine_angles))
    # the mass between two points is at their midpoint; the first point has the mass below all
    points = np.append(shares[0], 0.5 * (shares[1:] + shares[:-1]))
    masses = np.diff(chances, prepend=0.0)
    # the limit is at the end of the range if no proportion is excluded with that probability
    points[-1] = shares[-1] if is_upper else points[-1]
    is_positive = masses > 0.0
    return freeze_array(points[is_positive]), freeze_array(masses[is_positive])


@dataclass(frozen=True)
class ShareDifference:
    """Confidence interval for the difference of two proportions, each from noisy counts of two kinds.

    Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: comparison
    of eleven methods. Statistics in Medicine 17, 873-890, method 10. Xie, M. and Singh, K. (2013). Confidence
    distribution, the frequentist distribution estimator of a parameter: a review. International Statistical
    Review 81.
    """

    first: NoisyBinaryCounts
    second: NoisyBinaryCounts

    # smallest p-value: excluded sizes of both groups on two sides, and one more that is added
    pvalue_floor = 5.0 * EXCLUDED_SIZES_PROBABILITY

    @property
    def estimate(self) -> float:
        """Difference of the estimated proportions."""
        return self.first.proportion - self.second.proportion

    def compute_limits(self, alpha: float) -> ProportionPair:
        """Return the limits of the interval, which misses the difference with probability about `alpha`."""
        low, chances = _tabulate_lower_limits(self.first, self.second)
        below = low[min(int(np.searchsorted(chances, 0.5 * alpha, side="right")), low.size - 1)]
        high, reverse_chances = _tabulate_lower_limits(self.second, self.first)
        above = -high[min(int(np.searchsorted(reverse_chances, 0.5 * alpha, side="right")), high.size - 1)]
        return max(min(float(below), self.estimate), -1.0), min(max(float(above), self.estimate), 1.0)

    def compute_pvalue(self) -> float:
        """Return the smallest alpha for which the interval excludes 0."""
        tails = []
        for minuend, subtrahend in ((self.first, self.second), (self.second, self.first)):
            points, chances = _tabulate_lower_limits(minuend, subtrahend)
            index = int(np.searchsorted(points, 0.0, side="right"))
            tails.append(float(chances[index - 1]) if index else 0.0)
        return min(1.0, 2.0 * min(tails) + EXCLUDED_SIZES_PROBABILITY)


@lru_cache(maxsize=64)
def _tabulate_lower_limits(one: NoisyBinaryCounts, other: NoisyBinaryCounts) -> tuple[Floats, Floats]:
    """Return the lower limits of the difference in ascending order, and their cumulative probabilities."""
    if min(one.rate, other.rate) < SMALLEST_RATE:
        return freeze_array(np.array([-1.0])), freeze_array(np.ones(1))
    lower, masses = _tabulate_limits(one, False)
    upper, weights = _tabulate_limits(other, True)
    points = np.subtract.outer(lower, upper).ravel()
    order = points.argsort(kind="stable")
    return freeze_array(points[order]), freeze_array(np.outer(masses, weights).ravel()[order].cumsum())
