"""R's stream as a source of noise: each law is drawn as an R user's code draws it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from pydpstat.random._seeded import SeededSource
from pydpstat.random.r_stream import RRandom as RRandom


class RSource(SeededSource):
    """Noise from R's stream, in the order and with the arithmetic of the R originals.

    Parameters
    ----------
    stream : RRandom
        The stream; it moves on with each draw.
    """

    def __init__(self, stream: RRandom) -> None:
        self.stream = stream

    def laplace(self, size: int, scale: Any, grid: float | None = None) -> np.ndarray:
        """Draw as ``rmutil::rlaplace(size, s = scale)``: one uniform a value."""
        return self.stream.rlaplace(size, 0.0, scale)

    def normal(self, size: int, sd: Any, grid: float | None = None) -> np.ndarray:
        """Draw as ``rnorm(size, sd = sd)``: two uniforms a value."""
        return self.stream.rnorm(size, 0.0, sd)

    def uniform(self, size: int) -> np.ndarray:
        """Draw as ``runif(size)``."""
        return self.stream.runif(size)

    def gamma(self, shape: int, rate: float) -> float:
        """Draw as ``rgamma(1, shape, rate = rate)``."""
        return float(self.stream.rgamma(1, shape, rate)[0])

    def symmetric_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw as ``rgeom(size, p) - rgeom(size, p)`` with ``p = 1 - exp(-rate)``."""
        prob = 1.0 - math.exp(-float(rate))
        return self.stream.rgeom(size, prob) - self.stream.rgeom(size, prob)

    def sign_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw as ``sample(c(-1, 1), size, TRUE) * rgeom(size, p)``: signs first."""
        signs = np.asarray(self.stream.sample([-1.0, 1.0], size, replace=True))
        return signs * self.stream.rgeom(size, 1.0 - math.exp(-float(rate)))


class DifferenceSource(RSource):
    """R's stream with diffpriv's Laplace noise: the difference of two exponential variables.

    Parameters
    ----------
    stream : RRandom
        The stream; it moves on with each draw.
    """

    def laplace(self, size: int, scale: Any, grid: float | None = None) -> np.ndarray:
        """Draw as diffpriv does: `size` exponential variables, minus as many more."""
        return self.stream.rlap(size, 0.0, scale)
