"""Laws of released values that differ from the law of the noise: redrawn, or rounded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Positive:
    """Law of `at` plus noise, drawn again until it is positive.

    Examples
    --------
    >>> from pydpstat.mechanisms import LaplaceNoise
    >>> from r_reference.laws._redrawn import Positive
    >>> float(Positive(LaplaceNoise(1.0), 0.0).cdf(0.0))
    0.0
    """

    noise: Any
    at: float

    def cdf(self, y: Any) -> np.ndarray:
        """Return the probability of at most y."""
        below = self.noise.cdf(-self.at)
        return np.clip((self.noise.cdf(np.asarray(y) - self.at) - below) / (1.0 - below), 0.0, 1.0)

    def ppf(self, q: Any) -> np.ndarray:
        """Return the quantiles."""
        below = self.noise.cdf(-self.at)
        return self.at + np.asarray(self.noise.ppf(below + np.asarray(q) * (1.0 - below)))


@dataclass(frozen=True)
class Rounded:
    """Law of noise rounded to the nearest whole number.

    Examples
    --------
    >>> from pydpstat.mechanisms import LaplaceNoise
    >>> from r_reference.laws._redrawn import Rounded
    >>> float(Rounded(LaplaceNoise(1.0)).ppf(0.5))
    0.0
    """

    noise: Any

    def cdf(self, k: Any) -> np.ndarray:
        """Return the probability of at most k."""
        return np.asarray(self.noise.cdf(np.floor(np.asarray(k)) + 0.5))

    def ppf(self, q: Any) -> np.ndarray:
        """Return the quantiles, whole numbers."""
        # adding 0 turns a zero with a minus sign into a plain one
        return np.ceil(np.asarray(self.noise.ppf(q)) - 0.5) + 0.0
