"""Sums of symmetric geometric variables: the noise of sums of noisy counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.r_arithmetic.elementary import exp

# as far as the tails are followed: standard deviations, and units of 1 / rate
_SPREADS, _DECAYS = 12.0, 40.0
# of more values than these to either side, those at a distance of a step are looked at
_MOST = 2**16
# with a noise of more than a thousand million records nothing is looked at
SMALLEST_RATE = 1e-9


def geometric_tail(k: npt.ArrayLike, rate: float) -> npt.NDArray[np.float64]:
    """Return P(G >= k) at integers k, with P(G = k) proportional to exp(-rate |k|)."""
    at, ratio = np.asarray(k, dtype=np.float64), math.exp(-rate)
    far = np.exp(-rate * np.where(at > 0.0, at, 1.0 - at)) / (1.0 + ratio)
    return np.where(at > 0.0, far, 1.0 - far)


@dataclass(frozen=True)
class GeometricNoise:
    """Symmetric geometric noise of any rate, as a distribution with a tail."""

    rate: float

    def tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(G >= x)."""
        return geometric_tail(np.ceil(np.asarray(x, dtype=np.float64)), self.rate)


@dataclass(frozen=True, eq=False)
class GeometricSum:
    """The distribution of a sum of independent symmetric geometric variables, on multiples of a step."""

    pmf: npt.NDArray[np.float64]
    tails: npt.NDArray[np.float64]
    step: int = 1

    @property
    def reach(self) -> int:
        """The largest multiple that is looked at."""
        return self.pmf.size // 2

    def tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X >= x)."""
        places = np.asarray(x, dtype=np.float64) / self.step + self.reach
        if self.step > 1:
            ends = np.arange(self.tails.size + 1.0) - 0.5
            return np.interp(places, ends, np.append(self.tails, 0.0))
        whole = np.ceil(places)
        inside = self.tails[np.clip(whole, 0.0, self.pmf.size - 1.0).astype(np.intp)]
        return np.where(whole < self.pmf.size, inside, 0.0)

    def quantile(self, share: float) -> int:
        """Return a q with P(X > q) <= share, a share above 0: the smallest where the step is 1."""
        # the tails fall from 1 on
        return (int(np.count_nonzero(self.tails > share)) - (self.step == 1) - self.reach) * self.step


@lru_cache(maxsize=64)
def geometric_sum(rate: float, terms: int) -> GeometricSum:
    """Return the distribution of a sum of so many variables with P(k) proportional to exp(-rate |k|)."""
    reach = noise_reach(rate, terms)
    step = -(-reach // _MOST)
    pmf = geometric_pmf(rate, -(-reach // step), step)
    if terms > 1:
        from scipy import fft

        size, half = fft.next_fast_len(pmf.size, real=True), pmf.size // 2
        spectrum = fft.rfft(np.roll(np.append(pmf, np.zeros(size - pmf.size)), -half)).real ** terms
        pmf = np.roll(fft.irfft(spectrum, size), half)[: pmf.size].clip(min=0.0)
    # the two halves are the same but for rounding
    pmf = pmf + pmf[::-1]
    pmf /= pmf.sum()
    tails = pmf[::-1].cumsum()[::-1]
    return GeometricSum(frozen(pmf), frozen(tails), step)


def noise_variance(rate: float) -> float:
    """Return the variance of one symmetric geometric variable."""
    # beyond all floats for rates below 1e-150
    return 2.0 * math.exp(-rate) / max(math.expm1(-rate) ** 2, 5e-324)


def noise_spectrum(rate: float, angles: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the characteristic function of one symmetric geometric variable."""
    ratio = math.exp(-rate)
    return (1.0 - ratio) ** 2 / (1.0 - 2.0 * ratio * np.cos(angles) + ratio * ratio)


def counts_below(cells: Sequence[int], total: int) -> list[tuple[int, int]]:
    """Return the numbers below the edges between noisy cells, each from the side with fewer noises."""
    sums = np.cumsum(cells).tolist()
    half, size = len(cells) // 2, len(cells)
    return [
        (count if place <= half else total - (sums[-1] - count), min(place, size - place))
        for place, count in enumerate(sums[:-1], start=1)
    ]


def noise_reach(rate: float, terms: int) -> int:
    """Return how far a sum of so many variables is followed, for rates that are looked at."""
    rate = max(rate, SMALLEST_RATE)
    return math.ceil(_SPREADS * math.sqrt(terms * noise_variance(rate)) + _DECAYS / rate)


def geometric_pmf(rate: float, reach: int, step: int = 1) -> npt.NDArray[np.float64]:
    """Return the probabilities of the multiples of a step, from -reach to reach, for one variable."""
    gap = -math.expm1(-rate * step)
    first = math.exp(-rate) * gap * gap / (step * -math.expm1(-2.0 * rate))
    side = first * np.asarray(exp(-rate * step * np.arange(float(reach))))
    side[-1:] /= gap
    return np.concatenate([side[::-1], [1.0 - 2.0 * first / gap], side])
