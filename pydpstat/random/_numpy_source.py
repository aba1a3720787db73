"""A NumPy generator as a source of noise, for simulation studies."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from pydpstat.random._seeded import SeededSource


class NumpySource(SeededSource):
    """Noise from a NumPy generator.

    Parameters
    ----------
    generator : numpy.random.Generator
        The generator; it moves on with each draw.
    """

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def laplace(self, size: int, scale: Any, grid: float | None = None) -> np.ndarray:
        """Draw Laplace noise of the given scale."""
        return self.generator.laplace(0.0, scale, size)

    def normal(self, size: int, sd: Any, grid: float | None = None) -> np.ndarray:
        """Draw normal noise of the given standard deviation."""
        return self.generator.normal(0.0, sd, size)

    def uniform(self, size: int) -> np.ndarray:
        """Draw uniform variables in (0, 1)."""
        # a 0 would choose a first candidate even where its weight is 0
        return np.maximum(self.generator.random(size), 2.0**-54)

    def gamma(self, shape: int, rate: float) -> float:
        """Draw one Gamma variable."""
        return float(self.generator.standard_gamma(shape)) / rate

    def symmetric_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw the difference of two geometric variables with ratio exp(-rate)."""
        first, second = self._geometric(2 * size, float(rate)).reshape(2, size)
        return first - second

    def sign_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw a random sign times a geometric variable."""
        signs = self.generator.integers(0, 2, size) * 2 - 1
        return signs * self._geometric(size, float(rate))

    def _geometric(self, size: int, rate: float) -> np.ndarray:
        # by inversion: Generator.geometric loses the far tail where rate is small
        return np.floor(self.generator.standard_exponential(size) / rate)
