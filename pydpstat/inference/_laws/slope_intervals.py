"""Intervals of a slope from noisy numbers of pairs of records whose own slope is below public ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.inference._laws.geometric_sums import (
    SMALLEST_RATE,
    counts_below,
    noise_spectrum,
    noise_variance,
)
from pydpstat.inference._laws.rank_laws import discordant_variance

Floats = npt.NDArray[np.float64]
# records of a group beyond which the number of pairs in order is taken as normal
MOST_COUNTED = 150
# frequencies at most; a distribution that needs more tells nothing
_MOST = 1 << 20
# a characteristic function is followed to so many standard deviations
_FOLLOWED = 9.0


class Pairs(NamedTuple):
    """How many groups of records there are, by their numbers of records; a pair is one of a group's."""

    groups: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Pairs:
        """Return groups of such sizes."""
        return cls(tuple(sorted(Counter(sizes).items())))

    @property
    def number(self) -> int:
        """Number of pairs."""
        return sum(count * (size * (size - 1) // 2) for size, count in self.groups)

    @property
    def reach(self) -> int:
        """The largest number of pairs that a record is in."""
        return max(size for size, _ in self.groups) - 1

    @property
    def variance(self) -> float:
        """Variance of the number of pairs out of order, where all orders are as probable."""
        return sum(count * discordant_variance(size) for size, count in self.groups)

    def spectrum(self, angles: Floats) -> Floats:
        """Return the characteristic function of that number about its mean, which is real."""
        found = np.ones_like(angles)
        for size, count in self.groups:
            if size > MOST_COUNTED:
                found *= np.exp(-0.5 * count * discordant_variance(size) * angles * angles)
                continue
            one, base = np.ones_like(angles), np.sin(0.5 * angles)
            for k in range(2, size + 1):
                one *= np.sin(0.5 * k * angles) / (k * base)
            found *= one**count
        return found


@lru_cache(maxsize=256)
def _law(pairs: Pairs, rate: float, terms: int) -> tuple[Floats, Floats] | None:
    """Return frequencies and the characteristic function at them; None where there would be too many.

    The number of pairs out of order is about its mean, with the sum of so many geometric noises.
    """
    if rate < SMALLEST_RATE:
        return None
    own = math.sqrt(pairs.variance)
    reach = 12.0 * math.sqrt(pairs.variance + terms * noise_variance(rate)) + 40.0 / rate + 2.0
    wanted = reach * min(1.0, _FOLLOWED / (math.pi * own) if own else 1.0)
    if not wanted <= _MOST:
        return None
    half = math.ceil(reach)
    angles: Floats = math.pi / half * np.arange(1.0, min(math.ceil(wanted), half) + 1.0)
    size = pairs.spectrum(angles) * noise_spectrum(rate, angles) ** terms
    if angles.size == half:
        # the last one stands on both sides
        size[-1] *= 0.5
    return frozen(angles), frozen(size)


def chance_below(excess: float, pairs: Pairs, rate: float, terms: int) -> float:
    """Return the probability that pairs out of order, less their mean, and noise are `excess` at most."""
    known = _law(pairs, rate, terms)
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
    """The slopes that noisy numbers of pairs do not rule out."""

    edges: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    middle: float

    def scaled(self, scale: float) -> SlopeInterval:
        """Return the same in another unit, of which so many are one of this."""
        edges = tuple(scale * edge for edge in self.edges)
        return SlopeInterval(edges, self.low, self.high, scale * self.middle)

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval; infinite where none can be told."""
        lower, upper = -math.inf, math.inf
        for edge, chance in zip(self.edges, self.low):
            if chance > 0.5 * alpha:
                break
            lower = edge
        for edge, chance in zip(self.edges[::-1], self.high[::-1]):
            if chance > 0.5 * alpha:
                break
            upper = edge
        return (lower, upper) if lower < upper else (upper, lower)

    def pvalue(self, value: float) -> float:
        """Return the smallest alpha whose interval leaves a slope out."""
        below = [chance for edge, chance in zip(self.edges, self.low) if edge < value]
        at = [chance for edge, chance in zip(self.edges, self.low) if edge >= value][:1]
        above = [chance for edge, chance in zip(self.edges[::-1], self.high[::-1]) if edge > value]
        past = [chance for edge, chance in zip(self.edges[::-1], self.high[::-1]) if edge <= value][:1]
        # an edge must be passed beyond the value, and all before it
        lower = max(below + at) if at else 1.0
        upper = max(above + past) if past else 1.0
        return min(1.0, 2.0 * min(lower, upper))


def slope_interval(edges: Floats, counts: npt.NDArray[np.int64], pairs: Pairs, rate: float) -> SlopeInterval:
    """Return what the noisy cells between edges say; the outer cells reach to infinity."""
    number = pairs.number
    known = [(count - 0.5 * number, noises) for count, noises in counts_below(counts.tolist(), number)]
    low = tuple(chance_below(excess, pairs, rate, noises) for excess, noises in known)
    high = tuple(chance_below(-excess, pairs, rate, noises) for excess, noises in known)
    rising = np.maximum.accumulate(np.array([excess for excess, _ in known]))
    return SlopeInterval(tuple(edges.tolist()), low, high, float(np.interp(0.0, rising, edges)))
