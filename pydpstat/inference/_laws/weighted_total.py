"""The totals of a population, from noisy sums of records times their weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.noisy_t import LEFT_OUT, NoisySums
from pydpstat.inference._laws.noisy_t_interval import NoisyTInterval
from pydpstat.inference._laws.spread_interval import noise_reach
from pydpstat.inference._laws.weighted_mean import ASSUMPTIONS

Floats = npt.NDArray[np.float64]
Pair = tuple[float, float]
_MANY = 100.0


@dataclass(frozen=True)
class TotalInterval:
    """The totals of the population, n times a mean that the noisy t test does not reject."""

    mean: NoisyTInterval
    n: int

    validity = "measured"
    assumptions = ASSUMPTIONS

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the interval that misses the total with probability `alpha` at most."""
        low, high = self.mean.ends(alpha)
        return np.asarray(self.n * low), np.asarray(self.n * high)


@dataclass(frozen=True)
class NoisyNumber:
    """A noisy number of records."""

    value: float
    scale: float
    noises: int
    all_counted: bool = True

    def possible(self) -> tuple[int, ...]:
        """Return numbers of records that are possible, with probability 1 - `LEFT_OUT`."""
        reach = noise_reach(np.full(self.noises, self.scale), "laplace", 0.5 * LEFT_OUT)
        low, high = max(self.value - reach, 1.0), max(self.value + reach, 1.0)
        if not self.all_counted:
            return (round(_MANY * high),)
        points = np.geomspace(low, high, 3 if high < 1.3 * low else 5)
        return tuple(sorted({round(each) for each in points.tolist()}))


@dataclass(frozen=True)
class UnsizedTotal:
    """Noisy sums of a domain's products y with bounds, and the noisy number of all records."""

    weights: tuple[float, ...]
    scale: float
    bounds: Pair
    number: NoisyNumber

    def sums(self, size: int) -> NoisySums:
        """Return the sums of 1, z and z^2 of so many records, of which those outside have y = 0."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        zero = -middle / half
        # 1, z and z^2 at the weights' places, and what a record with y = 0 has
        rows = np.array([[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 1.0]])
        outside = np.array([1.0, zero, zero * zero])
        rest = rows - np.outer(outside, rows[0])
        values = rest @ np.array(self.weights) + size * outside
        noise = [tuple(row) for row in (self.scale * rest).tolist()]
        sums = float(size), float(values[1]), float(values[2])
        return NoisySums(sums, (noise[0], noise[1], noise[2]), "laplace", size)

    def ends(self, alpha: float) -> Pair:
        """Return the ends of the interval that misses the total with probability `alpha` at most."""
        middle, half = 0.5 * self.bounds[0] + 0.5 * self.bounds[1], 0.5 * (self.bounds[1] - self.bounds[0])
        found = []
        for size in self.number.possible():
            low, high = NoisyTInterval(self.sums(size), middle, half).ends(alpha - LEFT_OUT)
            found.append((size * low, size * high))
        return min(low for low, _ in found), max(high for _, high in found)
