"""Null distributions of what blocks and pairs say of a slope."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.noise import (
    SMALLEST_RATE,
    compute_geometric_tail,
    compute_noise_variance,
    compute_normal_laplace_tail,
    count_below_edges,
    evaluate_noise_spectrum,
)
from pydpstat._null_distributions.ranks.ranks import (
    DiscreteDistribution,
    compute_discordant_variance,
    make_kendall_distribution,
    make_signed_rank_distribution,
)
from pydpstat.r_arithmetic.elementary import Floats

# up to here the distribution without noise is counted out; beyond it is normal
MAX_COUNTED_RECORDS = 150
# standard deviations from the null for a power of somewhat above one half
_POWER_DEVIATIONS = 2.3
# points of a lattice to either side
_MAX_HALF_LATTICE = 1 << 21
_SCORE_CUTS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class BlockScoreDistribution:
    """The null distribution of a sum over blocks of a random sign times min(rank, top), plus geometric
    noise.

    Signs are fair and independent. Of `count` blocks each has a rank, by the size of its value. Where the
    record of one block is replaced, the statistic moves by at most 2 top: it is the sum over j = 1, ..., top
    of the sums of the signs of the count - j + 1 largest values, and in each of these one value may leave and
    another one enter, or one change its sign.
    """

    count: int
    top_score: int

    @property
    def sensitivity(self) -> int:
        """How far one record can move the statistic."""
        return 2 * self.top_score

    @property
    def variance(self) -> float:
        """Variance without noise."""
        k = self.top_score
        return k * (k + 1) * (2 * k + 1) / 6.0 + (self.count - k) * k * k

    def compute_support(self) -> tuple[Floats, Floats]:
        """Return the values and their probabilities."""
        return _convert_to_differences(make_signed_rank_distribution(self.count, min(self.top_score, self.count)))


@dataclass(frozen=True, slots=True)
class KendallDistribution:
    """The null distribution of concordant minus discordant pairs of `count` records, plus noise.

    A record is in count - 1 pairs, each of which moves the statistic by at most 2.
    """

    count: int

    @property
    def sensitivity(self) -> int:
        """How far one record can move the statistic."""
        return 2 * (self.count - 1)

    @property
    def variance(self) -> float:
        """Variance without noise."""
        # less what is discordant twice
        return 4.0 * compute_discordant_variance(self.count)

    def compute_support(self) -> tuple[Floats, Floats]:
        """Return the values and their probabilities."""
        return _convert_to_differences(make_kendall_distribution(self.count))


def _convert_to_differences(distribution: DiscreteDistribution) -> tuple[Floats, Floats]:
    """Return the distribution of what is positive less what is negative, from that of what is positive."""
    return 2.0 * distribution.positions - distribution.positions[-1], distribution.masses


def compute_two_sided_pvalue(
    value: int, distribution: BlockScoreDistribution | KendallDistribution, epsilon: float
) -> float:
    """Return the p-value of a noisy statistic, whose distribution is symmetric about 0."""
    rate, size = epsilon / distribution.sensitivity, abs(value)
    if distribution.count <= MAX_COUNTED_RECORDS:
        values, chances = distribution.compute_support()
        upper = float(chances @ compute_geometric_tail(size - values, rate))
    else:
        upper = float(compute_normal_laplace_tail(size, math.sqrt(distribution.variance), 1.0 / rate))
    return min(1.0, 2.0 * upper)


@lru_cache(maxsize=256)
def choose_block_plan(records: int, predictors: int, epsilon: float) -> tuple[int, int]:
    """Return how many records a block has, an even number, and the top score."""
    best, chosen = math.inf, (0, 0)
    # beyond these nothing changes any more
    epsilon = min(max(epsilon, 1e-6), 1e6)
    # of the fewest possible, 2 p, too little is left of the predictor
    least = 2 * predictors + 2
    for size in sorted({least + 2 * round(0.5 * (1.25**k - 1.0)) for k in range(64)}):
        blocks = records // size
        if not blocks:
            break
        for cut in _SCORE_CUTS:
            top = max(1, math.ceil(cut * blocks))
            law = BlockScoreDistribution(blocks, top)
            sd = math.sqrt(law.variance / top**2 + 8.0 / epsilon**2)
            most = (blocks - 0.5 * top) / blocks
            # a mean score that is never reached costs all the more
            share = _POWER_DEVIATIONS * sd / blocks / most
            gain = 0.8 * math.sqrt(_get_score_efficiency(cut)) / most
            needed = float(ndtri(0.5 * (1.0 + min(share, 0.98)))) * (1.0 + max(share - 0.98, 0.0)) / gain
            effect = needed / math.sqrt(size - predictors - 1)
            if effect < best:
                best, chosen = effect, (size, top)
    return chosen


def _get_score_efficiency(cut: float) -> float:
    """Return the squared growth of the mean score with a small shift, relative to that of a sign."""
    return {0.25: 0.968, 0.5: 0.872, 0.75: 0.713, 1.0: 0.5}[cut]


@lru_cache(maxsize=256)
def _compute_critical_count(blocks: int, cells: int, rate: float, alpha: float) -> float:
    """Return the largest c with P(Bin(blocks, 1/2) + sum of geometrics <= c) <= alpha; -inf where none is."""
    if 40.0 / _MAX_HALF_LATTICE > rate:
        return -math.inf
    spread = math.sqrt(0.25 * blocks + cells * compute_noise_variance(rate))
    half = math.ceil(12.0 * spread + 40.0 / rate) + 2
    if half > _MAX_HALF_LATTICE:
        return -math.inf
    points = 1 << (2 * half).bit_length()
    angle = 2.0 * math.pi * np.arange(points // 2 + 1) / points
    log_size = np.log(np.maximum(np.abs(np.cos(0.5 * angle)), 1e-300)) * blocks
    log_size += cells * np.log(evaluate_noise_spectrum(rate, angle))
    turn = np.exp(-0.5j * angle * (blocks % 2))
    chances = np.fft.irfft(np.exp(log_size) * turn, points)
    chances = np.roll(chances, points // 2)
    below = np.cumsum(np.maximum(chances, 0.0))
    place = int(np.searchsorted(below, alpha, side="right")) - 1
    return -math.inf if place < 0 else blocks // 2 + place - points // 2


def choose_slope_cells(blocks: int, epsilon: float) -> int:
    """Return how many cells a histogram of block estimates has."""
    wanted = 3.0 * math.sqrt(min(max(blocks * epsilon, 1.0), 1e6))
    return min(max(2 ** round(math.log2(wanted)), 8), 256)


def make_slope_edges(cells: int) -> Floats:
    """Return the edges between cells of equal angles that cover all slopes, in the unit of the ranges."""
    return np.tan(math.pi * (np.arange(1, cells) / cells - 0.5))


@dataclass(frozen=True, slots=True)
class MedianSlopeInterval:
    """Intervals for what half of the block estimates lie below, from a noisy histogram of them.

    Let e be the first edge above the true value. As many estimates lie below e as of a binomial variable of
    `blocks` trials with probability 1/2, or more. The lower end is the last edge before the first one whose
    noisy count below exceeds the critical value for its noise. If it is above the true value, e's own count
    did not exceed its critical value, which has the probability alpha / 2 at most: one fixed edge, and any
    distribution of the estimates that has its median at the true value.
    """

    counts: tuple[int, ...]
    edges: tuple[float, ...]
    blocks: int
    epsilon: float

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval; infinite where none can be told."""
        rate = 0.5 * self.epsilon
        known = [
            (edge, count, _compute_critical_count(self.blocks, noises, rate, 0.5 * alpha))
            for edge, (count, noises) in zip(self.edges, count_below_edges(self.counts, self.blocks))
        ]
        low, high = -math.inf, math.inf
        for edge, count, limit in known:
            if count > limit:
                break
            low = edge
        for edge, count, limit in known[::-1]:
            if self.blocks - count > limit:
                break
            high = edge
        return (low, high) if low < high else (high, low)

    def compute_estimate(self) -> float:
        """Return the median of the noisy cells, by the largest count so far, between the outer edges."""
        below = [count for count, _ in count_below_edges(self.counts, self.blocks)]
        rising = np.maximum.accumulate(np.array(below, dtype=np.float64))
        place = int(np.searchsorted(rising, 0.5 * self.blocks))
        if place == 0:
            return self.edges[0]
        if place == len(self.edges):
            return self.edges[-1]
        share = (0.5 * self.blocks - rising[place - 1]) / (rising[place] - rising[place - 1])
        return self.edges[place - 1] + float(share) * (self.edges[place] - self.edges[place - 1])


# records of a group beyond which the number of pairs in order is taken as normal
# frequencies at most; a distribution that needs more tells nothing
_MAX_FREQUENCIES = 1 << 20
# a characteristic function is followed to so many standard deviations
_SPECTRUM_DEVIATIONS = 9.0


class PairGroups(NamedTuple):
    """How many groups of records there are, by their numbers of records; a pair is one of a group's."""

    groups: tuple[tuple[int, int], ...]

    @classmethod
    def from_sizes(cls, sizes: Sequence[int]) -> PairGroups:
        """Return groups of such sizes."""
        return cls(tuple(sorted(Counter(sizes).items())))

    @property
    def n_pairs(self) -> int:
        """Number of pairs."""
        return sum(count * (size * (size - 1) // 2) for size, count in self.groups)

    @property
    def max_pairs(self) -> int:
        """The largest number of pairs that a record is in."""
        return max(size for size, _ in self.groups) - 1

    @property
    def variance(self) -> float:
        """Variance of the number of pairs out of order, where all orders are as probable."""
        return sum(count * compute_discordant_variance(size) for size, count in self.groups)

    def evaluate_spectrum(self, angles: Floats) -> Floats:
        """Return the characteristic function of that number about its mean, which is real."""
        found = np.ones_like(angles)
        for size, count in self.groups:
            if size > MAX_COUNTED_RECORDS:
                found *= np.exp(-0.5 * count * compute_discordant_variance(size) * angles * angles)
                continue
            one, base = np.ones_like(angles), np.sin(0.5 * angles)
            for k in range(2, size + 1):
                one *= np.sin(0.5 * k * angles) / (k * base)
            found *= one**count
        return found


@lru_cache(maxsize=256)
def _tabulate_pair_spectrum(pair_groups: PairGroups, rate: float, n_noises: int) -> tuple[Floats, Floats] | None:
    """Return frequencies and the characteristic function at them; None where there would be too many.

    The number of pairs out of order is about its mean, with the sum of so many geometric noises.
    """
    if rate < SMALLEST_RATE:
        return None
    own = math.sqrt(pair_groups.variance)
    reach = 12.0 * math.sqrt(pair_groups.variance + n_noises * compute_noise_variance(rate)) + 40.0 / rate + 2.0
    wanted = reach * min(1.0, _SPECTRUM_DEVIATIONS / (math.pi * own) if own else 1.0)
    if not wanted <= _MAX_FREQUENCIES:
        return None
    half = math.ceil(reach)
    angles: Floats = math.pi / half * np.arange(1.0, min(math.ceil(wanted), half) + 1.0)
    size = pair_groups.evaluate_spectrum(angles) * evaluate_noise_spectrum(rate, angles) ** n_noises
    if angles.size == half:
        # the last one stands on both sides
        size[-1] *= 0.5
    return freeze_array(angles), freeze_array(size)


def compute_pair_cdf(excess: float, pair_groups: PairGroups, rate: float, n_noises: int) -> float:
    """Return the probability that pairs out of order, less their mean, and noise are `excess` at most.

    The number of pairs out of order has the generating function of inversions, so its characteristic function
    is a product of ``sin(k t / 2) / (k sin(t / 2))``. The distribution function is the Fourier series on a
    period that leaves out less than 1e-15.
    """
    known = _tabulate_pair_spectrum(pair_groups, rate, n_noises)
    if known is None:
        return 0.5
    angles, size = known
    half = math.pi / float(angles[0])
    # half a step above the last value that counts
    x = excess + 0.5
    if abs(x) >= half:
        return float(x > 0.0)
    parts = float((size * np.sin(angles * x) / (2.0 * np.sin(0.5 * angles))).sum())
    return min(max(0.5 + (0.5 * x + parts) / half, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class SlopeInterval:
    """The slopes that noisy numbers of pairs do not rule out.

    Below the true slope are as many pairs as are out of order by chance, and below a larger one no fewer. The
    lower end is the last edge before the first one that so few pairs do not rule out. If it is above the true
    slope, then the first edge above the truth was ruled out, for which the probability is alpha / 2 at most.
    """

    edges: tuple[float, ...]
    lower_tails: tuple[float, ...]
    upper_tails: tuple[float, ...]
    estimate: float

    def scale_interval(self, scale: float) -> SlopeInterval:
        """Return the same in another unit, of which so many are one of this."""
        edges = tuple(scale * edge for edge in self.edges)
        return SlopeInterval(edges, self.lower_tails, self.upper_tails, scale * self.estimate)

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval; infinite where none can be told."""
        lower, upper = -math.inf, math.inf
        for edge, chance in zip(self.edges, self.lower_tails):
            if chance > 0.5 * alpha:
                break
            lower = edge
        for edge, chance in zip(self.edges[::-1], self.upper_tails[::-1]):
            if chance > 0.5 * alpha:
                break
            upper = edge
        return (lower, upper) if lower < upper else (upper, lower)

    def compute_pvalue(self, value: float) -> float:
        """Return the smallest alpha whose interval leaves a slope out."""
        below = [chance for edge, chance in zip(self.edges, self.lower_tails) if edge < value]
        at = [chance for edge, chance in zip(self.edges, self.lower_tails) if edge >= value][:1]
        above = [chance for edge, chance in zip(self.edges[::-1], self.upper_tails[::-1]) if edge > value]
        past = [chance for edge, chance in zip(self.edges[::-1], self.upper_tails[::-1]) if edge <= value][:1]
        # an edge must be passed beyond the value, and all before it
        lower = max(below + at) if at else 1.0
        upper = max(above + past) if past else 1.0
        return min(1.0, 2.0 * min(lower, upper))


def make_slope_interval(
    edges: Floats, cell_counts: npt.NDArray[np.int64], pair_groups: PairGroups, rate: float
) -> SlopeInterval:
    """Return what the noisy cells between edges say; the outer cells reach to infinity."""
    number = pair_groups.n_pairs
    known = [(count - 0.5 * number, noises) for count, noises in count_below_edges(cell_counts.tolist(), number)]
    low = tuple(compute_pair_cdf(excess, pair_groups, rate, noises) for excess, noises in known)
    high = tuple(compute_pair_cdf(-excess, pair_groups, rate, noises) for excess, noises in known)
    rising = np.maximum.accumulate(np.array([excess for excess, _ in known]))
    return SlopeInterval(tuple(edges.tolist()), low, high, float(np.interp(0.0, rising, edges)))
