"""Sums of symmetric geometric variables: the noise of sums of noisy counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.r_arithmetic.elementary import exp

# as far as the tails are followed: standard deviations, and units of 1 / rate
_SPREADS, _DECAYS = 12.0, 40.0


@dataclass(frozen=True, eq=False)
class GeometricSum:
    """The law of a sum of independent symmetric geometric variables, on the integers from -reach to reach.

    Parameters
    ----------
    pmf, tails : ndarray of shape (2 reach + 1,)
        The probability of each integer, and of it or a larger one.
    """

    pmf: npt.NDArray[np.float64]
    tails: npt.NDArray[np.float64]

    @property
    def reach(self) -> int:
        """The largest integer that is looked at."""
        return self.pmf.size // 2

    def tail(self, x: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return P(X >= x)."""
        place = np.ceil(np.asarray(x, dtype=np.float64)) + self.reach
        inside = self.tails[np.clip(place, 0.0, self.pmf.size - 1.0).astype(np.intp)]
        return np.where(place < self.pmf.size, inside, 0.0)

    def quantile(self, share: float) -> int:
        """Return the smallest q with P(X > q) <= share, a share above 0."""
        # the tails fall from 1 on
        return int(np.count_nonzero(self.tails > share)) - 1 - self.reach


@lru_cache(maxsize=64)
def geometric_sum(rate: float, terms: int) -> GeometricSum:
    """Return the law of a sum of so many variables with P(k) proportional to exp(-rate \\|k\\|).

    Parameters
    ----------
    rate : float
        Epsilon over the counts' sensitivity; above 0.
    terms : int
        At least 1.

    Notes
    -----
    The probabilities are the Fourier inverse of the characteristic function's power, on as many integers as
    leave out less than 1e-15; what rounding makes negative is 0. Each is right to about 1e-16.

    Examples
    --------
    >>> law = geometric_sum(1.0, 2)
    >>> law.tail([0, 3]).round(6)
    array([0.640201, 0.082333])
    >>> law.quantile(0.025)
    4
    """
    reach = noise_reach(rate, terms)
    one = geometric_pmf(rate, reach)
    if terms > 1:
        from scipy import fft

        size = fft.next_fast_len(one.size, real=True)
        spectrum = fft.rfft(np.roll(np.append(one, np.zeros(size - one.size)), -reach)).real ** terms
        one = np.roll(fft.irfft(spectrum, size), reach)[: one.size].clip(min=0.0)
    # the two halves are the same but for rounding
    pmf = one + one[::-1]
    pmf /= pmf.sum()
    tails = pmf[::-1].cumsum()[::-1]
    return GeometricSum(frozen(pmf), frozen(tails))


def noise_variance(rate: float) -> float:
    """Return the variance of one symmetric geometric variable.

    Examples
    --------
    >>> round(noise_variance(1.0), 6)
    1.841347
    """
    return 2.0 * math.exp(-rate) / math.expm1(-rate) ** 2


def noise_reach(rate: float, terms: int) -> int:
    """Return how far a sum of so many variables is followed."""
    return math.ceil(_SPREADS * math.sqrt(terms * noise_variance(rate)) + _DECAYS / rate)


def geometric_pmf(rate: float, reach: int) -> npt.NDArray[np.float64]:
    """Return the probabilities of the integers from -reach to reach, which add up to 1."""
    pmf = np.asarray(exp(-rate * np.abs(np.arange(-reach, reach + 1.0))))
    return pmf / pmf.sum()
