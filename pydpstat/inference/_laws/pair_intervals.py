"""Intervals for the chance that a pair of records is in order, from the means of independent pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlog1py, xlogy

from pydpstat._search import bisect_up
from pydpstat.inference._laws.normal_laplace import normal_laplace_tail

Floats = npt.NDArray[np.float64]
# beyond so many values of a binomial distribution it is taken as normal
VALUES = 4096
# of noise that is so many steps wide the tail is a line over one of them
_WIDE = 1e5


@dataclass(frozen=True, slots=True)
class PairInterval:
    """The interval of a parameter scale * u + shift, u the mean of a sign that each pair of records has.

    Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the
    American Statistical Association 58, 13-30, section 5.
    """

    center: float
    pairs: int
    noise: float
    alternative: str = "two-sided"
    scale: float = 1.0
    shift: float = 0.0

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends of the interval that misses the parameter with probability `alpha` at most."""
        share = 0.5 * alpha if self.alternative == "two-sided" else alpha
        low = -1.0 if self.alternative == "less" else -self._end(-self.center, share)
        high = 1.0 if self.alternative == "greater" else self._end(self.center, share)
        return self.scale * low + self.shift, self.scale * high + self.shift

    def _end(self, center: float, share: float) -> float:
        """Return the largest u with which so low a center is probable enough."""
        cut = min(max(center, -1.0), 1.0)

        def kept(u: float) -> bool:
            return mean_tail(-u, -cut, self.pairs, self.noise) >= share

        if kept(1.0) or not cut < 1.0:
            return 1.0
        return bisect_up(kept, cut, 1.0, steps=50)[1]


def mean_tail(u: float, x: float, pairs: int, noise: float) -> float:
    """Return the probability that the mean of independent signs of mean u, plus Laplace noise, is at
    least x.
    """
    chance = min(max(0.5 + 0.5 * u, 0.0), 1.0)
    sd = math.sqrt(pairs * chance * (1.0 - chance))
    lowest = max(0, math.floor(pairs * chance - 9.0 * sd - 40.0))
    highest = min(pairs, math.ceil(pairs * chance + 9.0 * sd + 40.0))
    if highest - lowest > VALUES:
        distance, spread = x - u, 2.0 * sd / pairs
        return float(normal_laplace_tail(distance, spread, noise))
    k = np.arange(lowest, highest + 1, dtype=np.float64)
    logs = gammaln(pairs + 1.0) - gammaln(k + 1.0) - gammaln(pairs - k + 1.0)
    masses = np.exp(logs + xlogy(k, chance) + xlog1py(pairs - k, -chance))
    step, distances = 2.0 / pairs, x - (2.0 * k / pairs - 1.0)
    if noise <= _WIDE * step:
        parts = (_tail_sum(distances, noise) - _tail_sum(distances - step, noise)) / step
        return float((masses * parts).sum())
    middle = distances - 0.5 * step
    # without pairs there is no distribution, and the noise is all
    far = 0.5 * np.exp(-np.abs(middle) / noise) if math.isfinite(noise) else np.full(k.size, 0.5)
    return float((masses * np.where(middle >= 0.0, far, 1.0 - far)).sum())


def _tail_sum(x: Floats, noise: float) -> Floats:
    """Return an antiderivative of the Laplace noise's tail."""
    return np.minimum(x, 0.0) - 0.5 * noise * np.exp(-np.abs(x) / noise)
