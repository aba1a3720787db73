"""Distributions of rank statistics under random signs or order, with noise, and intervals from signs.

Nothing here sees data: the distributions depend on public numbers alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pydpstat.inference._laws.geometric_sums import (
    counts_below,
    geometric_tail,
    noise_spectrum,
    noise_variance,
)
from pydpstat.inference._laws.normal_laplace import normal_laplace_tail
from pydpstat.inference._laws.rank_laws import Law, discordant_variance, kendall_law, signed_rank_law

Floats = npt.NDArray[np.float64]

# up to here the distribution without noise is counted out; beyond it is normal
MOST_COUNTED = 150
# standard deviations from the null for a power of somewhat above one half
_REACH = 2.3
# points of a lattice to either side
_WIDEST = 1 << 21
_CUTS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True)
class ScoreLaw:
    """The null distribution of a sum over blocks of a random sign times min(rank, top), plus geometric
    noise.
    """

    count: int
    top: int

    @property
    def sensitivity(self) -> int:
        """How far one record can move the statistic."""
        return 2 * self.top

    @property
    def variance(self) -> float:
        """Variance without noise."""
        k = self.top
        return k * (k + 1) * (2 * k + 1) / 6.0 + (self.count - k) * k * k

    def support(self) -> tuple[Floats, Floats]:
        """Return the values and their probabilities."""
        return _about_zero(signed_rank_law(self.count, min(self.top, self.count)))


@dataclass(frozen=True, slots=True)
class KendallLaw:
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
        return 4.0 * discordant_variance(self.count)

    def support(self) -> tuple[Floats, Floats]:
        """Return the values and their probabilities."""
        return _about_zero(kendall_law(self.count))


def _about_zero(law: Law) -> tuple[Floats, Floats]:
    """Return the distribution of what is positive less what is negative, from that of what is positive."""
    return 2.0 * law.positions - law.positions[-1], law.masses


def two_sided(value: int, law: ScoreLaw | KendallLaw, epsilon: float) -> float:
    """Return the p-value of a noisy statistic, whose distribution is symmetric about 0."""
    rate, size = epsilon / law.sensitivity, abs(value)
    if law.count <= MOST_COUNTED:
        values, chances = law.support()
        upper = float(chances @ geometric_tail(size - values, rate))
    else:
        upper = float(normal_laplace_tail(size, math.sqrt(law.variance), 1.0 / rate))
    return min(1.0, 2.0 * upper)


@lru_cache(maxsize=256)
def block_plan(records: int, predictors: int, epsilon: float) -> tuple[int, int]:
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
        for cut in _CUTS:
            top = max(1, math.ceil(cut * blocks))
            law = ScoreLaw(blocks, top)
            sd = math.sqrt(law.variance / top**2 + 8.0 / epsilon**2)
            most = (blocks - 0.5 * top) / blocks
            # a mean score that is never reached costs all the more
            share = _REACH * sd / blocks / most
            gain = 0.8 * math.sqrt(_slope(cut)) / most
            needed = float(ndtri(0.5 * (1.0 + min(share, 0.98)))) * (1.0 + max(share - 0.98, 0.0)) / gain
            effect = needed / math.sqrt(size - predictors - 1)
            if effect < best:
                best, chosen = effect, (size, top)
    return chosen


def _slope(cut: float) -> float:
    """Return the squared growth of the mean score with a small shift, relative to that of a sign."""
    return {0.25: 0.968, 0.5: 0.872, 0.75: 0.713, 1.0: 0.5}[cut]


@lru_cache(maxsize=256)
def _critical(blocks: int, cells: int, rate: float, alpha: float) -> float:
    """Return the largest c with P(Bin(blocks, 1/2) + sum of geometrics <= c) <= alpha; -inf where none is."""
    if 40.0 / _WIDEST > rate:
        return -math.inf
    spread = math.sqrt(0.25 * blocks + cells * noise_variance(rate))
    half = math.ceil(12.0 * spread + 40.0 / rate) + 2
    if half > _WIDEST:
        return -math.inf
    points = 1 << (2 * half).bit_length()
    angle = 2.0 * math.pi * np.arange(points // 2 + 1) / points
    log_size = np.log(np.maximum(np.abs(np.cos(0.5 * angle)), 1e-300)) * blocks
    log_size += cells * np.log(noise_spectrum(rate, angle))
    turn = np.exp(-0.5j * angle * (blocks % 2))
    chances = np.fft.irfft(np.exp(log_size) * turn, points)
    chances = np.roll(chances, points // 2)
    below = np.cumsum(np.maximum(chances, 0.0))
    place = int(np.searchsorted(below, alpha, side="right")) - 1
    return -math.inf if place < 0 else blocks // 2 + place - points // 2


def cells_for(blocks: int, epsilon: float) -> int:
    """Return how many cells a histogram of block estimates has."""
    wanted = 3.0 * math.sqrt(min(max(blocks * epsilon, 1.0), 1e6))
    return min(max(2 ** round(math.log2(wanted)), 8), 256)


def slope_edges(cells: int) -> Floats:
    """Return the edges between cells of equal angles that cover all slopes, in the unit of the ranges."""
    return np.tan(math.pi * (np.arange(1, cells) / cells - 0.5))


@dataclass(frozen=True, slots=True)
class MedianOfSigns:
    """Intervals for what half of the block estimates lie below, from a noisy histogram of them."""

    counts: tuple[int, ...]
    edges: tuple[float, ...]
    blocks: int
    epsilon: float

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval; infinite where none can be told."""
        rate = 0.5 * self.epsilon
        known = [
            (edge, count, _critical(self.blocks, noises, rate, 0.5 * alpha))
            for edge, (count, noises) in zip(self.edges, counts_below(self.counts, self.blocks))
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

    def estimate(self) -> float:
        """Return the median of the noisy cells, by the largest count so far, between the outer edges."""
        below = [count for count, _ in counts_below(self.counts, self.blocks)]
        rising = np.maximum.accumulate(np.array(below, dtype=np.float64))
        place = int(np.searchsorted(rising, 0.5 * self.blocks))
        if place == 0:
            return self.edges[0]
        if place == len(self.edges):
            return self.edges[-1]
        share = (0.5 * self.blocks - rising[place - 1]) / (rising[place] - rising[place - 1])
        return self.edges[place - 1] + float(share) * (self.edges[place] - self.edges[place - 1])
