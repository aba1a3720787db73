"""Tails of sums of counts and of noise, by a saddlepoint of their cumulants.

Lugannani, R. and Rice, S. (1980). Saddle point approximation for the distribution of the sum of independent
random variables. Advances in Applied Probability 12, 475-490.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.inference._laws.geometric_sums import noise_variance
from pydpstat.r_arithmetic.elementary import exp, expm1, log

Floats = npt.NDArray[np.float64]
Cumulants = tuple[float, float, float]

# the approximation is up to 6 % off for a single Laplace variable
_SURCHARGE = 1.05
# of vectors that move the sum by less of its standard deviation only the variance matters
_SMALL = 0.05
_NODES = 32
# the smallest p-value of a coefficient, near to where floating-point numbers end
SMALLEST = 1e-300


class Part(Protocol):
    """Independent variables of mean 0 in a sum."""

    @property
    def variance(self) -> float:
        """Their variance."""

    @property
    def most(self) -> float:
        """Up to which argument they have cumulants."""

    def at(self, t: float) -> Cumulants:
        """Return the cumulant generating function at t >= 0, and its first two derivatives."""


class Counts(NamedTuple):
    """Binomial counts less their means, each times a weight."""

    sizes: Floats
    chances: Floats
    weights: Floats

    @property
    def variance(self) -> float:
        """Their variance."""
        return float(self.sizes @ (self.weights**2 * self.chances * (1.0 - self.chances)))

    @property
    def most(self) -> float:
        """Every argument has cumulants; beyond this one the count with the largest weight is full."""
        return 500.0 / max(float(np.abs(self.weights).max(initial=0.0)), 1e-300)

    def at(self, t: float) -> Cumulants:
        """Return the cumulants."""
        w, p = self.weights, self.chances
        grown = p * np.asarray(exp(t * w))
        whole = 1.0 - p + grown
        tilted = grown / whole
        first = self.sizes @ (np.asarray(log(whole)) - t * w * p)
        return (
            float(first),
            float(self.sizes @ (w * (tilted - p))),
            float(self.sizes @ (w * w * tilted * (1.0 - tilted))),
        )


class Geometric(NamedTuple):
    """Symmetric geometric variables of one rate, each times a weight."""

    rate: float
    weights: Floats

    @property
    def variance(self) -> float:
        """Their variance."""
        return noise_variance(self.rate) * float(self.weights @ self.weights)

    @property
    def most(self) -> float:
        """Up to which argument they have cumulants."""
        return self.rate / max(float(np.abs(self.weights).max(initial=0.0)), 1e-300)

    def at(self, t: float) -> Cumulants:
        """Return the cumulants."""
        w = np.abs(self.weights)
        down, up = np.asarray(exp(-self.rate - t * w)), np.asarray(exp(t * w - self.rate))
        whole = 2.0 * w.size * math.log(-math.expm1(-self.rate))
        falls, rises = down / (1.0 - down), up / (1.0 - up)
        value = whole - float(np.sum(log(1.0 - down)) + np.sum(log(1.0 - up)))
        second = (w * w) @ (falls * (1.0 + falls) + rises * (1.0 + rises))
        return value, float(w @ (rises - falls)), float(second)


class Cubes(NamedTuple):
    """Vectors whose density falls with the largest element over the scale, each times a vector of weights.

    The weights have the scale in them already; of vectors of one element they are Laplace variables.
    """

    weights: Floats

    @property
    def variance(self) -> float:
        """Their variance."""
        columns = self.weights.shape[1]
        return (columns + 1.0) * (columns + 2.0) / 3.0 * float(np.square(self.weights).sum())

    @property
    def most(self) -> float:
        """Up to which argument they have cumulants."""
        return 1.0 / max(float(np.abs(self.weights).sum(axis=1).max(initial=0.0)), 1e-300)

    def at(self, t: float) -> Cumulants:
        """Return the cumulants: a Gamma radius times uniform elements, over the radius by quadrature."""
        w = np.abs(self.weights)
        nodes, masses = _radii(w.shape[1])
        left = 1.0 - t * w.sum(axis=1)
        radius = nodes / left[:, None]
        reach = np.maximum(w[:, :, None] * radius[:, None, :], 1e-100)
        x = t * reach
        small = x < 1e-3
        far = np.maximum(x, 1e-3)
        fall = -np.asarray(expm1(-2.0 * far))
        size = np.where(small, 1.0 - x, 0.5 * fall / far)
        rest = 1.0 - fall
        slope = np.where(small, x / 3.0, (1.0 + rest) / fall - 1.0 / far)
        bend = np.where(small, 1.0 / 3.0, 1.0 / far**2 - 4.0 * rest / fall**2)
        weights = masses * np.prod(size, axis=1)
        whole = weights.sum(axis=1)
        weights = weights / whole[:, None]
        first = (reach * slope).sum(axis=1)
        mean = (weights * first).sum(axis=1)
        spread = (weights * (first**2 + (reach**2 * bend).sum(axis=1))).sum(axis=1) - mean**2
        value = np.asarray(log(whole)) - (w.shape[1] + 1.0) * np.asarray(log(left))
        return float(value.sum()), float(mean.sum()), float(spread.sum())


@lru_cache(maxsize=16)
def _radii(columns: int) -> tuple[Floats, Floats]:
    """Return nodes and masses of the Gamma distribution of shape columns + 1."""
    from scipy.special import roots_genlaguerre

    nodes, masses = roots_genlaguerre(_NODES, columns)
    return frozen(nodes), frozen(masses / masses.sum())


def few(cubes: Cubes, variance: float) -> tuple[Cubes, float]:
    """Return the vectors that matter in a sum of so large a variance, and the variance of the others."""
    reach = np.abs(cubes.weights).sum(axis=1)
    kept = reach > _SMALL * math.sqrt(variance)
    return Cubes(cubes.weights[kept]), Cubes(cubes.weights[~kept]).variance


@dataclass(frozen=True)
class WeightedSum:
    """A sum of independent variables: a normal one of this variance, and others."""

    variance: float
    parts: Sequence[Part]

    def _at(self, t: float) -> Cumulants:
        found = [part.at(t) for part in self.parts]
        value, first, second = (math.fsum(each) for each in zip(*found)) if found else (0.0, 0.0, 0.0)
        return value + 0.5 * self.variance * t * t, first + self.variance * t, second + self.variance

    def tail(self, x: float) -> float:
        """Return the probability of a sum of at least x, for x >= 0; 5 % are added."""
        from scipy.special import log_ndtr

        most = min([part.most for part in self.parts], default=math.inf)
        variance = self.variance + math.fsum(part.variance for part in self.parts)
        if not x > 0.0 or variance <= 0.0:
            return 0.5 if not x > 0.0 else 0.0
        low, high = 0.0, most
        t = min(x / variance, 0.5 * most)
        value, first, second = 0.0, 0.0, variance
        for _ in range(60):
            value, first, second = self._at(t)
            if abs(first - x) < 1e-7 * x or high - low < 1e-13 * high:
                break
            low, high = (t, high) if first < x else (low, t)
            step = t + (x - first) / second if second > 0.0 else math.nan
            # Newton's step, or to the middle where it leads out
            t = step if low < step < high else (0.5 * (low + high) if high < math.inf else 2.0 * t)
        root, slope = math.sqrt(max(2.0 * (t * x - value), 0.0)), t * math.sqrt(max(second, 0.0))
        if root < 1e-3 or slope <= 0.0:
            return max(0.0, 0.5 - x / math.sqrt(2.0 * math.pi * variance))
        return min(0.5, _SURCHARGE * math.exp(float(log_ndtr(-(root + math.log(slope / root) / root)))))
