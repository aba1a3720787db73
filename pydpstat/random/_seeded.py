"""What seeded sources share: draws made of uniform variables, in floating point."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import exp


class SeededSource:
    """Base of the sources that a seed decides: for checking and study only.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.random._seeded import NumpySource
    >>> NumpySource(np.random.default_rng(1)).discrete_gaussian(3, 2.0).shape
    (3,)
    """

    reproducible = True

    def uniform(self, size: int) -> np.ndarray:
        """Draw uniform variables in (0, 1)."""
        raise NotImplementedError

    def symmetric_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw integers with P(k) proportional to exp(-rate |k|)."""
        raise NotImplementedError

    def discrete_gaussian(self, size: int, sd: float) -> np.ndarray:
        """Draw integers with P(k) proportional to exp(-k^2 / (2 sd^2)).

        Two-sided geometric numbers are drawn, then as many uniforms, until enough are kept.

        References
        ----------
        Canonne, C. L., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential
        privacy. NeurIPS 2020, algorithm 3.
        """
        steps = math.floor(sd) + 1
        kept = np.empty(0)
        while kept.size < size:
            tries = 2 * (size - kept.size) + 8
            candidates = self.symmetric_geometric(tries, 1.0 / steps)
            away = (np.abs(candidates) - sd * (sd / steps)) / sd
            with np.errstate(over="ignore", under="ignore"):
                accepted = self.uniform(tries) <= exp(-0.5 * away * away)
            kept = np.concatenate([kept, candidates[accepted]])
        return kept[:size]

    def integers(self, size: int, bound: int) -> npt.NDArray[np.int64]:
        """Draw integers from 0 to bound - 1, all equally likely."""
        return np.minimum((self.uniform(size) * bound).astype(np.int64), bound - 1)

    def bernoulli_exp(self, exponents: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Draw one trial for each exponent x >= 0, true with the probability exp(-x)."""
        values = np.asarray(exponents, dtype=np.float64)
        with np.errstate(under="ignore"):
            return self.uniform(values.size) <= exp(-values)


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
