"""The noisy t test of a weighted mean, whose weights are as random as its records.

Of records z in [-1, 1] with weights v in [0, 1] there are noisy sums of the weights and of their squares,
each in the records' Bernstein weights. About a hypothetical mean m the numbers ``m + v (z - m)`` lie in [-1,
1] and have the mean m where the weighted mean of the population is m, whatever the weights are: so this is
the test of one mean (`noisy_t`), of numbers that depend on m. Records are independent draws with their
weights, which is the usual approximation of a design by draws with replacement.

Sarndal, C.-E., Swensson, B. and Wretman, J. (1992). Model assisted survey sampling, sections 2.9 and 5.6.
"""

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
    """Noisy sums over records z in [-1, 1] with weights v in [0, 1].

    Parameters
    ----------
    line : tuple of 2 floats
        Sums of v (1 - z) / 2 and v (1 + z) / 2.
    parabola : tuple of 3 floats
        Sums of v^2 times (1 - z)^2 / 4, (1 - z^2) / 2 and (1 + z)^2 / 4.
    rest : float
        The sum of 1 - v, 0 where the number of records is public.
    scales : (float, float)
        Scales of the Laplace noise of the sums of v and 1 - v, and of those of v^2.
    size : int or None
        Number of records, where it is public.
    """

    line: tuple[float, ...]
    parabola: tuple[float, ...]
    rest: float
    scales: tuple[float, float]
    size: int | None

    assumptions = ASSUMPTIONS

    def about(self, mean: float) -> NoisySums:
        """Return the sums of 1, y and y^2 for ``y = mean + v (z - mean)``.

        Examples
        --------
        >>> one = WeightedSums((0.0, 0.5), (0.0, 0.0, 0.25), 0.5, (1.0, 3.0), None)
        >>> one.about(0.5).sums
        (1.0, 0.75, 0.5625)
        """
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
    """Return the mean that two sums of weights say.

    Examples
    --------
    >>> share_of((1.0, 3.0)), share_of((0.2, 0.1))
    (0.5, 0.0)
    """
    total = line[0] + line[1]
    return min(max((line[1] - line[0]) / total, -1.0), 1.0) if total > 1.0 else 0.0


def moments_from(mean: float, size: Any, distance: Any, square: Any) -> tuple[Any, Any, Any]:
    """Return the sums of 1, y and y^2 from those of 1, y - mean and its square.

    Examples
    --------
    >>> moments_from(2.0, 3.0, 1.0, 5.0)
    (3.0, 7.0, 21.0)
    """
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
    """The weighted means of the population that are not rejected, in the data's unit.

    Parameters
    ----------
    known : Known
        What was released.
    middle, half : float
        Which number z = 0 stands for, and how far z = 1 is from it.
    """

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
