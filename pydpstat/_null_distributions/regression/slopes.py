"""Null distributions of statistics of a slope from blocks and from pairs of records."""

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
from pydpstat._null_distributions.ranks.rank_statistics import (
    DiscreteDistribution,
    compute_discordant_variance,
    make_kendall_distribution,
    make_signed_rank_distribution,
)
from pydpstat.r_arithmetic.elementary import Floats

# largest number of records or blocks with an exact distribution; beyond, it is approximated as normal
MAX_COUNTED_RECORDS = 150
# standard deviations from the null for a power slightly above one half
_POWER_DEVIATIONS = 2.3
# largest number of lattice points on either side
_MAX_HALF_LATTICE = 1 << 21
_SCORE_CUTS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class BlockScoreDistribution:
    """Null distribution of the sum over blocks of a random sign times min(rank, top), plus geometric noise.

    Signs are fair and independent. Each of `count` blocks has a rank, by the absolute value of its score. If a
    record is replaced, one block changes, and the statistic by at most 2 top: it is the sum over j = 1, ..., top
    of the sums of the signs of the count - j + 1 largest values, and in each of these one value may leave and
    another one enter, or one change its sign.
    """

    count: int
    top_score: int

    @property
    def sensitivity(self) -> int:
        """Sensitivity of the statistic."""
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
    """Null distribution of concordant minus discordant pairs of `count` records, plus noise.

    A record is in count - 1 pairs, each of which changes the statistic by at most 2.
    """

    count: int

    @property
    def sensitivity(self) -> int:
        """Sensitivity of the statistic."""
        return 2 * (self.count - 1)

    @property
    def variance(self) -> float:
        """Variance without noise."""
        # the statistic is a constant minus twice the number of discordant pairs
        return 4.0 * compute_discordant_variance(self.count)

    def compute_support(self) -> tuple[Floats, Floats]:
        """Return the values and their probabilities."""
        return _convert_to_differences(make_kendall_distribution(self.count))


def _convert_to_differences(distribution: DiscreteDistribution) -> tuple[Floats, Floats]:
    """Return the distribution of positive minus negative parts, from that of the positive part."""
    return 2.0 * distribution.positions - distribution.positions[-1], distribution.masses


def compute_two_sided_pvalue(
    value: int, distribution: BlockScoreDistribution | KendallDistribution, epsilon: float
) -> float:
    """Return the two-sided p-value of a noisy statistic with a distribution symmetric about 0."""
    rate, size = epsilon / distribution.sensitivity, abs(value)
    if distribution.count <= MAX_COUNTED_RECORDS:
        values, chances = distribution.compute_support()
        upper = float(chances @ compute_geometric_tail(size - values, rate))
    else:
        upper = float(compute_normal_laplace_tail(size, math.sqrt(distribution.variance), 1.0 / rate))
    return min(1.0, 2.0 * upper)


@lru_cache(maxsize=256)
def choose_block_plan(records: int, predictors: int, epsilon: float) -> tuple[int, int]:
    """Return the number of records of a block, which is even, and the top score."""
    best, plan = math.inf, (0, 0)
    # outside this range the choice does not change
    epsilon = min(max(epsilon, 1e-6), 1e6)
    # with 2 p records, the smallest possible number, the predictor's residuals are too small
    min_size = 2 * predictors + 2
    for size in sorted({min_size + 2 * round(0.5 * (1.25**k - 1.0)) for k in range(64)}):
        blocks = records // size
        if not blocks:
            break
        for score_cut in _SCORE_CUTS:
            top = max(1, math.ceil(score_cut * blocks))
            distribution = BlockScoreDistribution(blocks, top)
            sd = math.sqrt(distribution.variance / top**2 + 8.0 / epsilon**2)
            max_share = (blocks - 0.5 * top) / blocks
            # penalizes mean scores that cannot be attained
            share = _POWER_DEVIATIONS * sd / blocks / max_share
            gain = 0.8 * math.sqrt(_get_score_efficiency(score_cut)) / max_share
            deviation = float(ndtri(0.5 * (1.0 + min(share, 0.98)))) * (1.0 + max(share - 0.98, 0.0)) / gain
            effect = deviation / math.sqrt(size - predictors - 1)
            if effect < best:
                best, plan = effect, (size, top)
    return plan


def _get_score_efficiency(cut: float) -> float:
    """Return the squared slope of the mean score for a small shift, relative to that of a sign."""
    return {0.25: 0.968, 0.5: 0.872, 0.75: 0.713, 1.0: 0.5}[cut]


@lru_cache(maxsize=256)
def _compute_critical_count(blocks: int, cells: int, rate: float, alpha: float) -> float:
    """Return the largest c with P(Bin(blocks, 1/2) + sum of geometrics <= c) <= alpha; -inf if there is none."""
    if 40.0 / _MAX_HALF_LATTICE > rate:
        return -math.inf
    sd = math.sqrt(0.25 * blocks + cells * compute_noise_variance(rate))
    half = math.ceil(12.0 * sd + 40.0 / rate) + 2
    if half > _MAX_HALF_LATTICE:
        return -math.inf
    n_points = 1 << (2 * half).bit_length()
    angle = 2.0 * math.pi * np.arange(n_points // 2 + 1) / n_points
    log_size = np.log(np.maximum(np.abs(np.cos(0.5 * angle)), 1e-300)) * blocks
    log_size += cells * np.log(evaluate_noise_spectrum(rate, angle))
    turn = np.exp(-0.5j * angle * (blocks % 2))
    chances = np.fft.irfft(np.exp(log_size) * turn, n_points)
    chances = np.roll(chances, n_points // 2)
    below = np.cumsum(np.maximum(chances, 0.0))
    index = int(np.searchsorted(below, alpha, side="right")) - 1
    return -math.inf if index < 0 else blocks // 2 + index - n_points // 2


def choose_slope_cells(blocks: int, epsilon: float) -> int:
    """Return the number of cells of a histogram of block estimates."""
    target = 3.0 * math.sqrt(min(max(blocks * epsilon, 1.0), 1e6))
    return min(max(2 ** round(math.log2(target)), 8), 256)


def make_slope_edges(cells: int) -> Floats:
    """Return the edges between cells of equal angles that cover all slopes, in units of the bounds."""
    return np.tan(math.pi * (np.arange(1, cells) / cells - 0.5))


@dataclass(frozen=True, slots=True)
class MedianSlopeInterval:
    """Confidence interval of the median of block estimates, from their noisy histogram.

    Let e be the first edge above the true value. The number of estimates below e is stochastically at least
    binomial with `blocks` trials and probability 1/2. The lower limit is the last edge before the first one whose
    noisy count below exceeds the critical value for its noise. If it is above the true value, the count of e
    did not exceed its critical value, which has probability at most alpha / 2: for one fixed edge, and any
    distribution of the estimates with its median at the true value.
    """

    counts: tuple[int, ...]
    edges: tuple[float, ...]
    blocks: int
    epsilon: float

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval; infinite if uninformative."""
        rate = 0.5 * self.epsilon
        edge_limits = [
            (edge, count, _compute_critical_count(self.blocks, noises, rate, 0.5 * alpha))
            for edge, (count, noises) in zip(self.edges, count_below_edges(self.counts, self.blocks))
        ]
        low, high = -math.inf, math.inf
        for edge, count, limit in edge_limits:
            if count > limit:
                break
            low = edge
        for edge, count, limit in edge_limits[::-1]:
            if self.blocks - count > limit:
                break
            high = edge
        return (low, high) if low < high else (high, low)

    def compute_estimate(self) -> float:
        """Return the median of the noisy cells, from the running maximum of counts, within the outer edges."""
        below = [count for count, _ in count_below_edges(self.counts, self.blocks)]
        rising = np.maximum.accumulate(np.array(below, dtype=np.float64))
        index = int(np.searchsorted(rising, 0.5 * self.blocks))
        if index == 0:
            return self.edges[0]
        if index == len(self.edges):
            return self.edges[-1]
        share = (0.5 * self.blocks - rising[index - 1]) / (rising[index] - rising[index - 1])
        return self.edges[index - 1] + float(share) * (self.edges[index] - self.edges[index - 1])


# largest number of frequencies; a distribution that needs more is uninformative
_MAX_FREQUENCIES = 1 << 20
# truncation point of a characteristic function, in standard deviations
_SPECTRUM_DEVIATIONS = 9.0


class PairGroups(NamedTuple):
    """Pairs (size, number) of groups of records; pairs of records are formed within groups."""

    groups: tuple[tuple[int, int], ...]

    @classmethod
    def from_sizes(cls, sizes: Sequence[int]) -> PairGroups:
        """Return groups with the given sizes."""
        return cls(tuple(sorted(Counter(sizes).items())))

    @property
    def n_pairs(self) -> int:
        """Number of pairs of records."""
        return sum(count * (size * (size - 1) // 2) for size, count in self.groups)

    @property
    def max_pairs(self) -> int:
        """Largest number of pairs of a record."""
        return max(size for size, _ in self.groups) - 1

    @property
    def variance(self) -> float:
        """Variance of the number of discordant pairs if all orders are equally probable."""
        return sum(count * compute_discordant_variance(size) for size, count in self.groups)

    def evaluate_spectrum(self, angles: Floats) -> Floats:
        """Return the characteristic function of the centered number of discordant pairs, which is real."""
        spectrum = np.ones_like(angles)
        for size, count in self.groups:
            if size > MAX_COUNTED_RECORDS:
                spectrum *= np.exp(-0.5 * count * compute_discordant_variance(size) * angles * angles)
                continue
            group_spectrum, base = np.ones_like(angles), np.sin(0.5 * angles)
            for k in range(2, size + 1):
                group_spectrum *= np.sin(0.5 * k * angles) / (k * base)
            spectrum *= group_spectrum**count
        return spectrum


@lru_cache(maxsize=256)
def _tabulate_pair_spectrum(pair_groups: PairGroups, rate: float, n_noises: int) -> tuple[Floats, Floats] | None:
    """Return frequencies and the characteristic function at them; None if there are too many.

    It is that of the centered number of discordant pairs plus `n_noises` geometric noises.
    """
    if rate < SMALLEST_RATE:
        return None
    sd = math.sqrt(pair_groups.variance)
    half_range = 12.0 * math.sqrt(pair_groups.variance + n_noises * compute_noise_variance(rate)) + 40.0 / rate + 2.0
    n_frequencies = half_range * min(1.0, _SPECTRUM_DEVIATIONS / (math.pi * sd) if sd else 1.0)
    if not n_frequencies <= _MAX_FREQUENCIES:
        return None
    half = math.ceil(half_range)
    angles: Floats = math.pi / half * np.arange(1.0, min(math.ceil(n_frequencies), half) + 1.0)
    size = pair_groups.evaluate_spectrum(angles) * evaluate_noise_spectrum(rate, angles) ** n_noises
    if angles.size == half:
        # the last frequency occurs once in the series
        size[-1] *= 0.5
    return freeze_array(angles), freeze_array(size)


def compute_pair_cdf(excess: float, pair_groups: PairGroups, rate: float, n_noises: int) -> float:
    """Return the probability that the centered number of discordant pairs plus noise is at most `excess`.

    The number of discordant pairs has the generating function of inversions, so its characteristic function
    is a product of ``sin(k t / 2) / (k sin(t / 2))``. The distribution function is the Fourier series on a
    period that leaves out less than 1e-15.
    """
    tabulated = _tabulate_pair_spectrum(pair_groups, rate, n_noises)
    if tabulated is None:
        return 0.5
    angles, size = tabulated
    half = math.pi / float(angles[0])
    # half a step above the last value that is included
    x = excess + 0.5
    if abs(x) >= half:
        return float(x > 0.0)
    series = float((size * np.sin(angles * x) / (2.0 * np.sin(0.5 * angles))).sum())
    return min(max(0.5 + (0.5 * x + series) / half, 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class SlopeInterval:
    """Confidence interval of a slope from noisy numbers of pairs.

    The number of pairs with slopes below the true slope is that of discordant pairs by chance, and below a larger
    slope it is not smaller. The lower limit is the last edge before the first one that so few pairs do not rule out.
    If it is above the true slope, the first edge above the true slope was ruled out, which has probability at most
    alpha / 2.
    """

    edges: tuple[float, ...]
    lower_tails: tuple[float, ...]
    upper_tails: tuple[float, ...]
    estimate: float

    def scale_interval(self, scale: float) -> SlopeInterval:
        """Return the interval with all slopes multiplied by `scale`."""
        edges = tuple(scale * edge for edge in self.edges)
        return SlopeInterval(edges, self.lower_tails, self.upper_tails, scale * self.estimate)

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits of the interval; infinite if uninformative."""
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
        """Return the smallest alpha for which the interval excludes a slope."""
        below = [chance for edge, chance in zip(self.edges, self.lower_tails) if edge < value]
        next_above = [chance for edge, chance in zip(self.edges, self.lower_tails) if edge >= value][:1]
        above = [chance for edge, chance in zip(self.edges[::-1], self.upper_tails[::-1]) if edge > value]
        next_below = [chance for edge, chance in zip(self.edges[::-1], self.upper_tails[::-1]) if edge <= value][:1]
        # the limit passes the value if an edge beyond it and all edges before are ruled out
        lower = max(below + next_above) if next_above else 1.0
        upper = max(above + next_below) if next_below else 1.0
        return min(1.0, 2.0 * min(lower, upper))


def make_slope_interval(
    edges: Floats, cell_counts: npt.NDArray[np.int64], pair_groups: PairGroups, rate: float
) -> SlopeInterval:
    """Return the interval from noisy cell counts between edges; the outer cells are unbounded."""
    number = pair_groups.n_pairs
    excesses = [(count - 0.5 * number, noises) for count, noises in count_below_edges(cell_counts.tolist(), number)]
    low = tuple(compute_pair_cdf(excess, pair_groups, rate, noises) for excess, noises in excesses)
    high = tuple(compute_pair_cdf(-excess, pair_groups, rate, noises) for excess, noises in excesses)
    rising = np.maximum.accumulate(np.array([excess for excess, _ in excesses]))
    return SlopeInterval(tuple(edges.tolist()), low, high, float(np.interp(0.0, rising, edges)))
