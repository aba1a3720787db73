"""The law of a noise vector whose density falls with its length: exp(-rate |b|)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from pydpstat.r_arithmetic.elementary import exp

# where a trapezoidal sum in log V stops: its tails are below 1e-17 there
_TAIL = 40.0


@dataclass(frozen=True, slots=True)
class SphericalNoise:
    """Noise vector with density proportional to exp(-rate |b|), each element then divided by a number.

    Its length is Gamma(d, rate) and its direction uniform. Given V, which is
    Gamma((d + 1) / 2, rate^2 / 2), its elements are independent and normal with variance V. So an
    element has standard deviation sqrt(d + 1) / rate, and is Laplace where d is 1.

    Parameters
    ----------
    rate : float
        Above 0; infinity stands for no noise.
    divisors : tuple of float
        One for each element, above 0; their number is d.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109, Algorithm 1.

    Examples
    --------
    >>> from pydpstat.dppack._models.spherical import SphericalNoise
    >>> SphericalNoise(2.0, (1.0, 0.5, 1.0)).std()
    array([1., 2., 1.])
    """

    rate: float
    divisors: tuple[float, ...]

    @property
    def scale(self) -> np.ndarray:
        """Each element's unit: 1 / (rate * divisor)."""
        return 1.0 / (self.rate * np.array(self.divisors))

    def std(self) -> np.ndarray:
        """Return each element's standard deviation."""
        return math.sqrt(len(self.divisors) + 1.0) * self.scale

    def cdf(self, x: Any) -> np.ndarray:
        """Return the probability that an element is at most x, by the element's own unit.

        Parameters
        ----------
        x : float or array broadcast against the d elements

        Returns
        -------
        ndarray
        """
        with np.errstate(divide="ignore"):
            return standard_cdf(np.asarray(x, dtype=np.float64) / self.scale, len(self.divisors))

    def ppf(self, q: Any) -> np.ndarray:
        """Return each element's quantile for one probability q, shape (d,)."""
        return standard_ppf(float(q), len(self.divisors)) * self.scale


def standard_cdf(x: Any, size: int) -> np.ndarray:
    """Return the distribution function of one element of a vector of the given size, at rate 1.

    Examples
    --------
    >>> from pydpstat.dppack._models.spherical import standard_cdf
    >>> round(float(standard_cdf(-1.0, 1)), 6) == round(math.exp(-1) / 2, 6)
    True
    """
    from scipy.special import ndtr

    x = np.asarray(x, dtype=np.float64)
    spread, weights = _mixture(size)
    total = np.zeros(x.shape)
    for each, weight in zip(spread, weights):
        total += weight * ndtr(x / each)
    return np.minimum(total, 1.0)


@lru_cache(maxsize=64)
def standard_ppf(q: float, size: int) -> float:
    """Return the quantile of one element of a vector of the given size, at rate 1."""
    from scipy.optimize import brentq

    if q > 0.5:
        return -standard_ppf(1.0 - q, size)
    if q == 0.5:
        return 0.0
    if q <= 0.0:
        return -math.inf
    low = -1.0
    while standard_cdf(low, size) > q:
        low *= 2.0
    return float(brentq(lambda x: float(standard_cdf(x, size)) - q, low, 0.0, xtol=1e-13, rtol=1e-13))


def _mixture(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes of sqrt(V) and their weights; V / 2 is Gamma((size + 1) / 2) at rate 1."""
    from scipy.special import gammaln

    shape = (size + 1.0) / 2.0
    step = min(0.2, 0.5 / math.sqrt(shape))
    width = _TAIL / math.sqrt(shape)
    logs = math.log(shape) + np.arange(-width, min(width, 10.0) + step, step)
    weights = step * exp(shape * logs - exp(logs) - gammaln(shape))
    return np.sqrt(2.0) * exp(logs / 2.0), weights
