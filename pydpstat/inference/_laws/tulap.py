"""The Tulap distribution: symmetric geometric noise and a uniform variable between -1/2 and 1/2."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats, exp, log


@dataclass(frozen=True)
class Tulap:
    """The distribution of G + U: P(G = k) proportional to exp(-rate |k|), U uniform on (-1/2, 1/2).

    A count plus this noise is what the uniformly most powerful private tests of a proportion rest on. Awan,
    J. and Slavkovic, A. (2018). Differentially private uniformly most powerful tests for binomial data.
    NeurIPS 2018.
    """

    rate: float

    def cdf(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X <= x)."""
        return self.tail(-np.asarray(x, dtype=np.float64))

    def sf(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X > x), which is P(X >= x)."""
        return self.tail(x)

    def tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X >= x)."""
        values = np.asarray(x, dtype=np.float64)
        y = np.abs(values)
        nearest = np.rint(y)
        b, rest = math.exp(-self.rate), -math.expm1(-self.rate)
        far = np.asarray(exp(-self.rate * nearest)) * ((b + (nearest - y + 0.5) * rest) / (1.0 + b))
        return np.where(values >= 0.0, far, 1.0 - far)

    def ppf(self, u: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the quantiles of shares above 0 and below 1."""
        share = np.asarray(u, dtype=np.float64)
        b, rest = math.exp(-self.rate), -math.expm1(-self.rate)
        mass: Floats = np.minimum(share, 1.0 - share) * (1.0 + b)
        nearest = np.floor(np.maximum(-np.asarray(log(mass)) / self.rate, 0.0))
        within = mass * np.asarray(exp(self.rate * nearest))
        y = nearest + 0.5 - (within - b) / rest
        return np.where(share < 0.5, -y, y)
