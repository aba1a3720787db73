"""What is done to a noisy value before it is published, and what that does to its uncertainty.

Nothing here sees the data: post-processing costs no privacy (Dwork and Roth 2014, proposition 2.1).
Each step says how the noise's standard deviation and interval carry over to the published value.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class AsDrawn:
    """The published value is the noisy value, perhaps cut or rounded."""

    steps: tuple[str, ...] = ()

    def standard_error(self, noise: Any, value: np.ndarray) -> np.ndarray:
        """Return the noise's standard deviation for each element."""
        return np.broadcast_to(np.asarray(noise.std(), dtype=np.float64), value.shape)

    def interval(self, noise: Any, value: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the value plus and minus the noise's quantile."""
        reach = np.asarray(noise.ppf(1.0 - alpha / 2.0))
        return value - reach, value + reach


@dataclass(frozen=True, slots=True)
class SquareRoot:
    """The published value is the square root of a noisy value above 0."""

    steps: tuple[str, ...] = ("square root",)

    def standard_error(self, noise: Any, value: np.ndarray) -> np.ndarray:
        """Return the delta method's standard error: sd / (2 sqrt(v))."""
        return np.asarray(noise.std() / (2.0 * value))

    def interval(self, noise: Any, value: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the square roots of the squared value's interval, cut at 0."""
        reach = np.asarray(noise.ppf(1.0 - alpha / 2.0))
        squared = value * value
        return np.sqrt(np.maximum(squared - reach, 0.0)), np.sqrt(squared + reach)


@dataclass(frozen=True, slots=True)
class Share:
    """The published values are the noisy values divided by their sum."""

    total: float
    steps: tuple[str, ...] = ("divided by their sum",)

    def standard_error(self, noise: Any, value: np.ndarray) -> np.ndarray:
        """Return the delta method's standard errors, from the noisy total."""
        spread = (1.0 - value) ** 2 + (value.size - 1) * value**2
        return noise.std() / abs(self.total) * np.sqrt(spread)

    def interval(self, noise: Any, value: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the normal interval about the shares by the delta method."""
        reach = NormalDist().inv_cdf(1.0 - alpha / 2.0) * self.standard_error(noise, value)
        return value - reach, value + reach


PostProcessing = AsDrawn | SquareRoot | Share
