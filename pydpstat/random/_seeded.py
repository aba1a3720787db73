"""Seeded sources, NumPy's generators and R's stream, in floating point, for checking and study."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import exp
from pydpstat.random.r_stream import RRandom as RRandom
from pydpstat.random.secure.continuous import Scale


class SeededSource:
    """Base of the sources that are determined by a seed, for checking and study only.

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

        Two-sided geometric candidates are drawn, then as many uniforms, until enough candidates are accepted.

        Canonne, C. L., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential
        privacy. NeurIPS 2020, algorithm 3.
        """
        steps = math.floor(sd) + 1
        draws = np.empty(0)
        while draws.size < size:
            tries = 2 * (size - draws.size) + 8
            candidates = self.symmetric_geometric(tries, 1.0 / steps)
            away = (np.abs(candidates) - sd * (sd / steps)) / sd
            with np.errstate(over="ignore", under="ignore"):
                accepted = self.uniform(tries) <= exp(-0.5 * away * away)
            draws = np.concatenate([draws, candidates[accepted]])
        return draws[:size]

    def integers(self, size: int, bound: int) -> npt.NDArray[np.int64]:
        """Draw integers from 0 to bound - 1, all equally likely."""
        return np.minimum((self.uniform(size) * bound).astype(np.int64), bound - 1)

    def bernoulli_exp(self, exponents: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Draw one trial for each exponent x >= 0, true with the probability exp(-x)."""
        values = np.asarray(exponents, dtype=np.float64)
        with np.errstate(under="ignore"):
            return self.uniform(values.size) <= exp(-values)


class NumpySource(SeededSource):
    """Noise from a NumPy generator, whose state advances with each draw."""

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def laplace(self, size: int, scale: Scale, grid: float | None = None) -> np.ndarray:
        """Draw Laplace noise of the given scale."""
        return self.generator.laplace(0.0, scale, size)

    def normal(self, size: int, sd: Scale, grid: float | None = None) -> np.ndarray:
        """Draw normal noise of the given standard deviation."""
        return self.generator.normal(0.0, sd, size)

    def uniform(self, size: int) -> np.ndarray:
        """Draw uniform variables in (0, 1)."""
        # a 0 would select a first candidate even if its weight is 0
        return np.maximum(self.generator.random(size), 2.0**-54)

    def gamma(self, shape: int, rate: float) -> float:
        """Draw one Gamma variable."""
        return float(self.generator.standard_gamma(shape)) / rate

    def symmetric_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw the difference of two geometric variables with ratio exp(-rate)."""
        first, second = self._draw_geometric(2 * size, float(rate)).reshape(2, size)
        return first - second

    def sign_geometric(self, size: int, rate: float | Fraction) -> np.ndarray:
        """Draw a random sign times a geometric variable."""
        signs = self.generator.integers(0, 2, size) * 2 - 1
        return signs * self._draw_geometric(size, float(rate))

    def _draw_geometric(self, size: int, rate: float) -> np.ndarray:
        # by inversion because Generator.geometric truncates the tail for small rates
        return np.floor(self.generator.standard_exponential(size) / rate)


class RSource(SeededSource):
    """Noise from R's stream, in the order and with the arithmetic of R's functions."""

    def __init__(self, stream: RRandom) -> None:
        self.stream = stream

    def laplace(self, size: int, scale: Scale, grid: float | None = None) -> np.ndarray:
        """Draw as ``rmutil::rlaplace(size, s = scale)``: one uniform per value."""
        return self.stream.rlaplace(size, 0.0, scale)

    def normal(self, size: int, sd: Scale, grid: float | None = None) -> np.ndarray:
        """Draw as ``rnorm(size, sd = sd)``: two uniforms per value."""
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
    """R's stream with diffpriv's Laplace noise: the difference of two exponential variables."""

    def laplace(self, size: int, scale: Scale, grid: float | None = None) -> np.ndarray:
        """Draw as diffpriv does: `size` exponential variables, minus as many more."""
        return self.stream.rlap(size, 0.0, scale)
