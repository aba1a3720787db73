"""Tests and intervals for a binomial count that was released with noise of known distribution."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.geometric_sums import GeometricNoise, geometric_sum
from pydpstat.inference._laws.tulap import Tulap
from pydpstat.r_arithmetic.elementary import exp, log

Floats = npt.NDArray[np.float64]
# what is left out of the distribution of the count, and added to every p-value
DROPPED = 1e-15
# more values of the count are merged, and still more are looked at in steps
_MERGED, _MOST = 2**14, 2**17


class SymmetricNoise(Protocol):
    """Noise of a symmetric distribution."""

    def tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X >= x)."""


def binomial_reach(n: int, p: float, left_out: float = DROPPED) -> float:
    """Return how far a binomial count may be from n p, but for that probability, by Bernstein's
    inequality.
    """
    depth = math.log(2.0 / left_out)
    return depth / 3.0 + math.sqrt(depth * depth / 9.0 + 2.0 * depth * n * p * (1.0 - p))


def binomial_points(n: int, p: float, left_out: float = DROPPED) -> tuple[Floats, Floats]:
    """Return the values that a binomial count takes, and their probabilities."""
    center, reach = n * p, binomial_reach(n, p, left_out)
    first, last = max(0, math.ceil(center - reach)), min(n, math.floor(center + reach))
    if p == 0.0 or p == 1.0:
        first = last = round(center)
    step = -(-(last - first + 1) // _MOST)
    k = np.arange(float(first), last + 1.0, step)
    # between two values: for a step of 1 this is the logarithm of (n - k + 1) / k
    middle = 0.5 * (k[1:] + k[:-1])
    odds = math.log(p) - math.log1p(-p) if k.size > 1 else 0.0
    steps = step * (np.asarray(log((n - middle + 0.5) / (middle + 0.5))) + odds)
    logs = np.append(0.0, steps.cumsum())
    masses = np.asarray(exp(logs - logs.max()))
    return k, masses / masses.sum()


def noisy_tails(z: float, n: int, p: float, noise: SymmetricNoise) -> tuple[float, float]:
    """Return P(K + N >= z) and P(K + N <= z), K binomial, N noise of a symmetric distribution."""
    values, masses = binomial_points(n, p)
    highest = values
    if values.size > _MERGED:
        starts = np.arange(0, values.size, -(-values.size // _MERGED))
        masses = np.add.reduceat(masses, starts)
        highest = values[np.append(starts[1:] - 1, values.size - 1)]
        values = values[starts]
    up = float((masses * noise.tail(z - highest)).sum()) + DROPPED
    low = float((masses * noise.tail(values - z)).sum()) + DROPPED
    return min(up, 1.0), min(low, 1.0)


def pvalue_of(up: float, low: float, alternative: str) -> float:
    """Return the p-value of an alternative from those of both sides: twice the smaller for two."""
    return {"greater": up, "less": low}.get(alternative, min(1.0, 2.0 * min(up, low)))


def floor_of(alternative: str) -> float:
    """Return the smallest p-value of `noisy_tails`."""
    return pvalue_of(DROPPED, DROPPED, alternative)


def tail_shares(alpha: float, alternative: str) -> tuple[float, float]:
    """Return how much of alpha an interval spends below and above; none where it is one-sided."""
    sides = {"greater": (alpha, 0.0), "less": (0.0, alpha)}
    return sides.get(alternative, (0.5 * alpha, 0.5 * alpha))


def crossing(
    function: Callable[[float], float], inside: float, end: float, step: float, within: float = 1e-13
) -> float:
    """Return where a function falls below 0 on the way from a place to an end; the end where it does not."""
    from scipy.optimize import brentq

    near = inside
    if function(near) < 0.0:
        return near
    while True:
        far = min(near + step, end) if end > inside else max(near - step, end)
        if function(far) < 0.0:
            return float(brentq(function, near, far, xtol=within, rtol=1e-10))
        if far == end:
            return end
        near, step = far, 2.0 * step


@dataclass(frozen=True)
class ProportionInterval:
    """The interval for the probability of a binomial count, from the count with its noise.

    Awan, J. and Slavkovic, A. (2020). Differentially private inference for binomial data. Journal of Privacy
    and Confidentiality 10(1).
    """

    noisy: float
    n: int
    rate: float
    alternative: str
    smooth: bool = True
    terms: int = 1

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return both ends."""
        z = min(max(self.noisy, 0.0), float(self.n))
        noise: SymmetricNoise = Tulap(self.rate) if self.smooth else GeometricNoise(self.rate)
        if self.terms > 1:
            noise = geometric_sum(self.rate, self.terms)
        below, above = tail_shares(alpha, self.alternative)

        def up(p: float) -> float:
            return noisy_tails(z, self.n, p, noise)[0] - below

        def low(p: float) -> float:
            return noisy_tails(z, self.n, p, noise)[1] - above

        center = z / self.n
        step = (0.5 * math.sqrt(self.n) + math.sqrt(self.terms) / self.rate) / self.n
        # a tail is 1/2 or more at one end of the parameter's range, and may be less at the share seen
        lowest = crossing(up, center if up(center) > 0.0 else 1.0, 0.0, step) if below else 0.0
        highest = crossing(low, center if low(center) > 0.0 else 0.0, 1.0, step) if above else 1.0
        return lowest, highest
