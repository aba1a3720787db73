"""Weighted means and totals of samples that were drawn by strata, from noisy sums of every stratum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.inversion import outermost
from pydpstat.inference._laws.noisy_t import LEFT_OUT, NoisySums, null_law, pvalue
from pydpstat.inference._laws.weighted_mean import WeightedSums, moments_from, share_of
from pydpstat.inference._laws.weighted_total import NoisyNumber

Floats = npt.NDArray[np.float64]
Pair = tuple[float, float]
ASSUMPTIONS = (
    "records are drawn independently within strata, each with its weight, in fixed numbers",
    "the mean is that of records and weights clipped to their bounds",
)
# noises of a kind that a sum of many is taken to be made of; fewer have the longer tails
_MOST = 2


@dataclass(frozen=True)
class StratifiedSums:
    """Noisy sums of each stratum, with a private number of records."""

    strata: tuple[WeightedSums, ...]

    assumptions = ASSUMPTIONS

    @property
    def line(self) -> tuple[float, ...]:
        """Sums of v (1 - z) / 2 and v (1 + z) / 2 over all records."""
        low, high = zip(*(each.line for each in self.strata))
        return math.fsum(low), math.fsum(high)

    @property
    def scales(self) -> tuple[float, float]:
        """Scales of the noise of sums of v, and of those of v^2, over all strata."""
        first, second = self.strata[0].scales
        root = math.sqrt(len(self.strata))
        return first * root, second * root

    @property
    def mean(self) -> float:
        """The weighted mean, 0 where the sum of weights is at most 1."""
        return share_of(self.line)

    def about(self, mean: float) -> NoisySums:
        """Return the sums of 1, y and y^2 for ``y = mean + v (z - mean)``, squares those within strata."""
        within = within_strata([each.about(mean) for each in self.strata], mean)
        sums = moments_from(mean, within.size, within.distance, within.square)
        rows = [tuple(each.tolist()) for each in moments_from(mean, *within.noise)]
        return NoisySums(sums, (rows[0], rows[1], rows[2]), "laplace", None)


@dataclass(frozen=True)
class StratifiedTotal:
    """Noisy sums of each stratum's products with bounds, and the noisy number of all records."""

    strata: tuple[NoisySums, ...]
    bounds: Pair
    number: NoisyNumber

    def sums(self, mean: float, size: int) -> NoisySums:
        """Return the sums of 1, z and z^2 where this is the mean of so many z, squares those within strata.

        The noisy number of records has no part in the noisy total.
        """
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        within = within_strata(self.strata, mean)
        count, away, square = within.noise
        # a total is the number of records times the middle, and half the bounds' distance times the sum of z
        far = middle / half + mean
        distance = within.distance + far * (within.size - size)
        sums = moments_from(mean, float(size), distance, within.square)
        mixed = moments_from(mean, 0.0 * count, away + far * count, square)
        rows = [tuple(each.tolist()) for each in mixed]
        return NoisySums(sums, (rows[0], rows[1], rows[2]), "laplace", size)

    def ends(self, alpha: float) -> Pair:
        """Return the ends of the interval that misses the total with probability `alpha` at most."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        found = []
        for size in self.number.possible():
            first = math.fsum(
                each.sums[1] + middle / half * (each.sums[0] - size / len(self.strata))
                for each in self.strata
            )
            center = min(max(first / size, -1.0), 1.0)
            known = self.sums(center, size)
            law = null_law(known, center, size)
            error = math.sqrt(max(law.centered(known.sums)[1], law.floor) + law.spread) / size

            def at(mean: float, size: int = size) -> float:
                return pvalue(self.sums(mean, size), mean, enough=alpha - LEFT_OUT)[1] + LEFT_OUT

            low, high = (outermost(at, alpha, center, error, side, 1.0) for side in (-1.0, 1.0))
            found.append((size * (middle + half * low), size * (middle + half * high)))
        return min(low for low, _ in found), max(high for _, high in found)


class Within(NamedTuple):
    """Sums over all strata: numbers of records, distances to a mean, squares within strata; their noise."""

    size: float
    distance: float
    square: float
    noise: Floats


def within_strata(parts: Sequence[NoisySums], mean: float) -> Within:
    """Return what strata say about a hypothetical mean; all have noise of the same scales."""
    count, row, square = (np.array(each) for each in parts[0].noise)
    distance = row - mean * count
    around = square - 2.0 * mean * row + mean * mean * count
    # two standard deviations of a number of records, one of a distance
    apart, more = math.sqrt(2.0 * float(distance @ distance)), 2.0 * math.sqrt(2.0 * float(count @ count))
    size, total, inside = 0.0, 0.0, 0.0
    for each in parts:
        n, first, squares = each.sums
        away = first - mean * n
        rest = squares - 2.0 * mean * first + mean * mean * n
        rest -= max(abs(away) - apart, 0.0) ** 2 / max(n + more, 1.0)
        size, total = size + n, total + away
        # the divisor n - 1
        inside += rest + max(rest, 0.0) / max(n - 1.0, 1.0)
    number = min(len(parts), _MOST)
    spread = math.sqrt(len(parts) / number)
    return Within(size, total, inside, np.tile(spread * np.array([count, distance, around]), number))
