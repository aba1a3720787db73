"""The totals of a population, from noisy sums of records times their weights.

With n records a total is n times the mean of the products, which are 0 for records outside of a domain: the
variance of the estimate is n times that of the products of all records (Hansen and Hurwitz), those of a
domain's included whose number is random. Where n is private, each of the numbers is tried that its noisy
value leaves possible.

Sarndal, C.-E., Swensson, B. and Wretman, J. (1992). Model assisted survey sampling, sections 2.9 and 10.3.
"""

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
    """A noisy number of records.

    Parameters
    ----------
    value : float
        What was released.
    scale : float
        Of the Laplace noises that are in it.
    noises : int
        How many these are.
    all_counted : bool
        Whether it is that of all records of the sample.
    """

    value: float
    scale: float
    noises: int
    all_counted: bool = True

    def possible(self) -> tuple[int, ...]:
        """Return numbers of records that are possible, with probability 1 - `LEFT_OUT`.

        Where not all are counted there may be any number more. The variance grows with it, to the sum of the
        squares (Poisson sampling): a hundred times as many come to half a per cent of its root.

        Examples
        --------
        >>> NoisyNumber(1000.0, 1.0, 3).possible()
        (987, 1000, 1013)
        >>> NoisyNumber(1000.0, 1.0, 3, all_counted=False).possible()
        (101333,)
        """
        reach = noise_reach(np.full(self.noises, self.scale), "laplace", 0.5 * LEFT_OUT)
        low, high = max(self.value - reach, 1.0), max(self.value + reach, 1.0)
        if not self.all_counted:
            return (round(_MANY * high),)
        points = np.geomspace(low, high, 3 if high < 1.3 * low else 5)
        return tuple(sorted({round(each) for each in points.tolist()}))


@dataclass(frozen=True)
class UnsizedTotal:
    """Noisy sums of a domain's products y with bounds, and the noisy number of all records.

    Parameters
    ----------
    weights : tuple of 3 floats
        Sums of (1 - z)^2 / 4, (1 - z^2) / 2 and (1 + z)^2 / 4, z the place of y between the bounds.
    scale : float
        Of the Laplace noise of each.
    bounds : (float, float)
        Of the products, 0 within.
    number : NoisyNumber
        That of all records.
    """

    weights: tuple[float, ...]
    scale: float
    bounds: Pair
    number: NoisyNumber

    def sums(self, size: int) -> NoisySums:
        """Return the sums of 1, z and z^2 of so many records, of which those outside have y = 0.

        Examples
        --------
        >>> UnsizedTotal((0.0, 2.0, 3.0), 1.0, (0.0, 10.0), NoisyNumber(7.0, 1.0, 3)).sums(7).sums
        (7.0, 1.0, 3.0)
        """
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
