"""The operating system as a source of noise: exact, on a grid, and the same for nobody twice."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pydpstat.random import secure
from pydpstat.random.secure.continuous import Scale


class SystemSource:
    """Noise from the operating system's generator, each draw from exactly its distribution."""

    reproducible = False

    def laplace(self, size: int, scale: Scale, grid: float | None = None) -> np.ndarray:
        """Draw Laplace noise, rounded to integers of grid units."""
        return secure.laplace(size, scale, _needed(grid))

    def normal(self, size: int, sd: Scale, grid: float | None = None) -> np.ndarray:
        """Draw normal noise, rounded to integers of grid units."""
        return secure.normal(size, sd, _needed(grid))

    def uniform(self, size: int) -> np.ndarray:
        """Draw uniform variables in (0, 1), right to rounding only."""
        return secure.uniform(size)

    def gamma(self, shape: int, rate: float) -> float:
        """Draw one Gamma variable, right to rounding only."""
        return secure.gamma(shape, rate)

    def symmetric_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw integers with P(k) proportional to exp(-rate |k|)."""
        return secure.symmetric_geometric(size, rate)

    def sign_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw a random sign times a geometric variable."""
        return secure.sign_geometric(size, rate)

    def discrete_gaussian(self, size: int, sd: float) -> np.ndarray:
        """Draw integers with P(k) proportional to exp(-k^2 / (2 sd^2))."""
        return secure.discrete_gaussian(size, sd)

    def integers(self, size: int, bound: int) -> npt.NDArray[np.int64]:
        """Draw integers from 0 to bound - 1, all equally likely."""
        return secure.integers(size, bound)

    def bernoulli_exp(self, exponents: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Draw one trial for each exponent x >= 0, true with the probability exp(-x)."""
        return secure.bernoulli_exp(exponents)


SYSTEM = SystemSource()


def _needed(grid: float | None) -> float:
    if grid is None:
        raise ValueError("noise from the operating system lies on a grid; none was given")
    return grid
