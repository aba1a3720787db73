"""The noisy t test of a weighted mean, whose weights are as random as its records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.inversion import outermost
from pydpstat.inference._laws.noisy_t import NoisySums, pvalue

Floats = npt.NDArray[np.float64]
ASSUMPTIONS = (
    "records are drawn independently, each with its weight",
    "the mean is that of records and weights clipped to their bounds",
)


@dataclass(frozen=True)
class WeightedSums:
    """Noisy sums over records z in [-1, 1] with weights v in [0, 1]."""

    line: tuple[float, ...]
    parabola: tuple[float, ...]
    rest: float
    scales: tuple[float, float]
    size: int | None

    assumptions = ASSUMPTIONS

    def about(self, mean: float) -> NoisySums:
        """Return the sums of 1, y and y^2 for ``y = mean + v (z - mean)``."""
        first, second = self.scales
        low, high = -1.0 - mean, 1.0 - mean
        # places: the two of the line, the three of the parabola, and the rest
        count = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
        distance = np.array([low, high, 0.0, 0.0, 0.0, 0.0])
        square = np.array([0.0, 0.0, low * low, low * high, high * high, 0.0])
        if self.size is not None:
            count = np.zeros(6)
        scale = np.array([first, first, second, second, second, first])
        noisy = np.array([*self.line, *self.parabola, self.rest])
        size = float(self.size) if self.size is not None else float(count @ noisy)
        sums = moments_from(mean, size, float(distance @ noisy), float(square @ noisy))
        mixed = moments_from(mean, count * scale, distance * scale, square * scale)
        rows = [tuple(each.tolist()) for each in mixed]
        return NoisySums(sums, (rows[0], rows[1], rows[2]), "laplace", self.size)

    @property
    def mean(self) -> float:
        """The weighted mean, 0 where the sum of weights is at most 1."""
        return share_of(self.line)


def share_of(line: tuple[float, ...]) -> float:
    """Return the mean that two sums of weights say."""
    total = line[0] + line[1]
    return min(max((line[1] - line[0]) / total, -1.0), 1.0) if total > 1.0 else 0.0


def moments_from(mean: float, size: Any, distance: Any, square: Any) -> tuple[Any, Any, Any]:
    """Return the sums of 1, y and y^2 from those of 1, y - mean and its square."""
    first = distance + mean * size
    return size, first, square + 2.0 * mean * first - mean * mean * size


class Known(Protocol):
    """Noisy sums of records with weights, whatever they were drawn by."""

    @property
    def line(self) -> tuple[float, ...]:
        """Sums of v (1 - z) / 2 and v (1 + z) / 2."""

    @property
    def scales(self) -> tuple[float, float]:
        """Scales of the noise of sums of v, and of those of v^2."""

    @property
    def mean(self) -> float:
        """The weighted mean."""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is assumed of the sample."""

    def about(self, mean: float) -> NoisySums:
        """Return the sums of 1, y and y^2 about a mean."""


@dataclass(frozen=True)
class WeightedMeanInterval:
    """The weighted means of the population that are not rejected, in the data's unit."""

    known: Known
    middle: float
    half: float

    validity = "measured"

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the interval rests on."""
        return self.known.assumptions

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the mean with probability `alpha` at most."""
        center = self.known.mean
        total = max(sum(self.known.line), 1.0)
        sums = self.known.about(center)
        noise = 2.0 * float(np.square(sums.noise[1]).sum() + center**2 * np.square(sums.noise[0]).sum())
        size, first, square = sums.sums
        spread = max(square - 2.0 * center * first + center * center * size, self.known.scales[1])
        error = math.sqrt(spread + noise) / total

        def at(mean: float) -> float:
            return pvalue(self.known.about(mean), mean, enough=alpha)[1]

        ends = [outermost(at, alpha, center, error, side, 1.0) for side in (-1.0, 1.0)]
        low, high = (self.middle + self.half * end for end in ends)
        bounds = self.middle - self.half, self.middle + self.half
        return max(low, bounds[0]), min(high, bounds[1])

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the same ends as arrays."""
        low, high = self.ends(alpha)
        return np.asarray(low), np.asarray(high)
