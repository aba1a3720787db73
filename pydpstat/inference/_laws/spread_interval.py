"""An interval for a variance, from noisy sums of 1, z and z^2, for every distribution between bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.exact_mean import expected_bound, noise_above
from pydpstat.inference._laws.noisy_t import NoisySums

Floats = npt.NDArray[np.float64]
# shares of alpha for the mean, and for the number of records
_MEAN, _SIZE = 0.1, 0.05
_LEAST = 1e-10
_CELLS, _PARTS = 40, 16
# what a record's distance from the mean is at most
_FAR = 2.0


@dataclass(frozen=True)
class SpreadInterval:
    """The variances, or standard deviations, that noisy sums leave possible, in the data's unit.

    Bentkus, V. (2004). On Hoeffding's inequalities. Annals of Probability 32, 1650-1673.
    """

    known: NoisySums
    half: float
    root: bool

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the parameter with probability `alpha` at most."""
        region = region_of(self.known, alpha)
        low, high = region.lower(), region.upper()
        low, high = min(low, high), max(low, high)
        if self.root:
            return self.half * math.sqrt(low), self.half * math.sqrt(high)
        return self.half * self.half * low, self.half * self.half * high


@dataclass(frozen=True)
class Region:
    """The means and variances that noisy sums leave possible: `SpreadInterval` says which."""

    sums: tuple[float, float, float]
    mix: Floats
    law: str
    most: int
    depth: float
    reach: float
    share: float

    def means(self, variance: float) -> tuple[float, float]:
        """Return the smallest and the largest mean that are possible with up to this variance."""
        size, first, _ = self.sums
        third = self.depth * _FAR / 3.0
        distance = third + math.sqrt(third * third + 2.0 * self.depth * self.most * variance) + self.reach
        if size <= 0.0:
            return -1.0, 1.0
        low, high = (first - distance) / size, (first + distance) / size
        return max(low, -1.0), min(high, 1.0)

    def lower(self) -> float:
        """Return the smallest variance for which the squares are not too large."""
        found, below = 1.0, _LEAST
        if not self._too_small(below):
            return 0.0
        for _ in range(14):
            middle = math.sqrt(below * found)
            below, found = (middle, found) if self._too_small(middle) else (below, middle)
        return below

    def upper(self) -> float:
        """Return the largest variance for which the squares are not too small."""
        high = self._first(np.concatenate([[0.0], np.geomspace(_LEAST, 1.0, _CELLS + 1)]))
        return self._first(np.linspace(high[0], high[1], _PARTS + 1))[1]

    def _first(self, edges: Floats) -> tuple[float, float]:
        """Return the uppermost range of variances, of those between edges, that is not left out."""
        pairs = list(zip(edges[:-1].tolist(), edges[1:].tolist()))
        for low, high in reversed(pairs):
            if not self._too_large(low, high):
                return low, high
        return pairs[0]

    def _too_small(self, variance: float) -> bool:
        means = self.means(variance)
        size, first, _ = self.sums
        nearest = min(max(first / size, means[0]), means[1]) if size > 0.0 else 0.0
        least = min(self._squares(mean, variance) for mean in (*means, nearest))
        return self._tail(least, variance, means, lambda p: p) <= self.share

    def _too_large(self, low: float, high: float) -> bool:
        """Return whether all variances of a range are too large."""
        means, furthest = self.means(high), math.sqrt(1.0 - low)
        # no variance is above 1 - m^2
        means = max(means[0], -furthest), min(means[1], furthest)
        if means[0] > means[1]:
            return True
        largest = max(self._squares(mean, low) for mean in means)
        if self.sums[0] <= 0.0:
            return False
        return self._tail(-largest, low, means, lambda p: 1.0 - p) <= self.share

    def _squares(self, mean: float, variance: float) -> float:
        size, first, second = self.sums
        return second - 2.0 * mean * first + (mean * mean - variance) * size

    def _tail(
        self, excess: float, variance: float, means: tuple[float, float], side: Callable[[float], float]
    ) -> float:
        """Return a bound on the probability of so large an excess over the expected sum, on one side."""
        far = 1.0 + max(map(abs, means))
        weights, noise, rest = noise_above(self._scales(variance, means), self.law)
        p = side(min(variance / (far * far), 1.0))
        return expected_bound(self.most, p, (excess - noise) / (far * far), weights, rest)

    def _scales(self, variance: float, means: tuple[float, float]) -> tuple[float, ...]:
        """Return the largest scale that each noise has in R for any of the means."""
        one, first, second = self.mix
        found = np.zeros(one.size)
        for place in range(one.size):
            # a parabola in the mean is largest at an end, or at its vertex
            vertex = first[place] / one[place] if one[place] else 0.0
            for mean in (*means, min(max(vertex, means[0]), means[1])):
                scale = second[place] - 2.0 * mean * first[place] + (mean * mean - variance) * one[place]
                found[place] = max(found[place], abs(scale))
        return tuple(found.tolist())


def region_of(known: NoisySums, alpha: float) -> Region:
    """Return the means and variances that noisy sums leave possible, but for the probability alpha."""
    size, first, second = known.sums
    mix, law = np.array(known.noise), known.law
    assert isinstance(law, str), "spreads have Laplace or normal noise"
    used, most = _MEAN * alpha, known.size or 1
    if known.size is None:
        used += _SIZE * alpha
        most = max(1, math.ceil(size + noise_reach(np.abs(mix[0]), law, _SIZE * alpha)))
    cut = max(size, 0.0)
    share = 0.5 * _MEAN * alpha
    # a mean may be anywhere: each noise has its largest scale
    reach = noise_reach(np.abs(mix[1]) + np.abs(mix[0]), law, 0.5 * share)
    sums = (size, min(max(first, -cut), cut), second)
    return Region(sums, mix, law, most, math.log(2.0 / share), reach, 0.5 * (alpha - used))


def noise_reach(scales: Floats, law: str, share: float) -> float:
    """Return what a sum of independent noises of these scales exceeds with that probability at most.

    One Laplace variable: its quantile. Several: Chernoff's bound, minimized over a grid.
    """
    scales = scales[scales > 0.0]
    if not scales.size:
        return 0.0
    if law == "normal":
        from scipy.special import ndtri

        return float(-ndtri(share) * np.sqrt(np.square(scales).sum()))
    if scales.size == 1:
        return float(scales[0]) * math.log(0.5 / share)
    steps = np.linspace(0.02, 0.995, 100)[:, None] / scales.max()
    bounds = (-math.log(share) - np.log1p(-np.square(steps * scales)).sum(axis=1)) / steps[:, 0]
    return float(bounds.min())
