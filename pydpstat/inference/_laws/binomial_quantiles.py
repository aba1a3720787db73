"""Quantiles of a binomial law at many sorted probabilities at once, for reference draws."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlog1py, xlogy

Floats = npt.NDArray[np.float64]
# above this variance the expansion's quantiles are off by less than one, rarely
_EXPANDED = 400.0


def binomial_quantiles(n: int, p: float, shares: Floats, normal: Floats) -> Floats:
    """Return the quantiles of Bin(n, p) at ascending shares, whose normal quantiles are at hand.

    Up to a variance of 400 they are those of the exact distribution function. Beyond, they are the
    Cornish-Fisher expansion's, to the third order and rounded: off by 1 at most, where the standard
    deviation is above 20.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.special import ndtri
    >>> shares = np.array([0.01, 0.5, 0.99])
    >>> binomial_quantiles(10, 0.3, shares, ndtri(shares)).tolist()
    [0.0, 3.0, 7.0]
    """
    center, variance = n * p, n * p * (1.0 - p)
    sd = np.sqrt(variance)
    if variance > _EXPANDED:
        skew, excess = (1.0 - 2.0 * p) / sd, (1.0 - 6.0 * p * (1.0 - p)) / variance
        square = normal * normal
        moved = skew / 6.0 * (square - 1.0) + normal * (
            excess / 24.0 * (square - 3.0) - skew * skew / 36.0 * (2.0 * square - 5.0)
        )
        return np.clip(np.rint(center + sd * (normal + moved)), 0.0, n)
    low = max(0, int(center - 9.0 * sd - 9.0))
    high = min(n, int(center + 9.0 * sd + 30.0))
    support = np.arange(low, high + 1, dtype=np.float64)
    logs = -gammaln(support + 1.0) - gammaln(n - support + 1.0)
    logs += xlogy(support, p) + xlog1py(n - support, -p)
    mass = np.exp(logs - logs.max())
    heights = np.cumsum(mass)
    heights /= heights[-1]
    ends = np.searchsorted(shares, heights, side="right")
    ends[-1] = shares.size
    return np.repeat(support, np.diff(ends, prepend=0))
