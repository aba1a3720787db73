"""Distributions of released values that differ from the distribution of the noise: redrawn, or rounded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat.parity.distribution import Noise


@dataclass(frozen=True)
class Positive:
    """Distribution of `at` plus noise, drawn again until it is positive.

    Examples
    --------
    >>> from pydpstat.mechanisms import LaplaceNoise
    >>> from r_reference.distributions._redrawn import Positive
    >>> float(Positive(LaplaceNoise(1.0), 0.0).cdf(0.0))
    0.0
    """

    noise: Noise
    at: float

    def cdf(self, y: npt.ArrayLike) -> np.ndarray:
        """Return the probability of at most y."""
        below = self.noise.cdf(-self.at)
        return np.clip((self.noise.cdf(np.asarray(y) - self.at) - below) / (1.0 - below), 0.0, 1.0)

    def ppf(self, q: npt.ArrayLike) -> np.ndarray:
        """Return the quantiles."""
        below = self.noise.cdf(-self.at)
        return self.at + np.asarray(self.noise.ppf(below + np.asarray(q) * (1.0 - below)))


@dataclass(frozen=True)
class Rounded:
    """Distribution of noise rounded to the nearest integer.

    Examples
    --------
    >>> from pydpstat.mechanisms import LaplaceNoise
    >>> from r_reference.distributions._redrawn import Rounded
    >>> float(Rounded(LaplaceNoise(1.0)).ppf(0.5))
    0.0
    """

    noise: Noise

    def cdf(self, k: npt.ArrayLike) -> np.ndarray:
        """Return the probability of at most k."""
        return np.asarray(self.noise.cdf(np.floor(np.asarray(k)) + 0.5))

    def ppf(self, q: npt.ArrayLike) -> np.ndarray:
        """Return the quantiles, integers."""
        # adding 0 turns a zero with a minus sign into a plain one
        return np.ceil(np.asarray(self.noise.ppf(q)) - 0.5) + 0.0
