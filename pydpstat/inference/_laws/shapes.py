"""Sums of records whose distribution has a given mean and variance, for the extreme shapes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, xlog1py, xlogy

from pydpstat.inference._laws.reference import Reference

Floats = npt.NDArray[np.float64]
NORMAL, UP, DOWN = 0, 1, 2
SHAPES = (NORMAL, UP, DOWN)
# above this variance the expansion's quantiles are off by less than one, rarely
_EXPANDED = 400.0


def centered_sums(
    draws: Reference, n: int, mean: float, variance: float, shape: int
) -> tuple[Floats, Floats]:
    """Return the sums of n records about their mean, and of the squares of these distances, at the draws."""
    if shape == NORMAL or variance <= 0.0:
        squares = variance * (draws.normal * draws.normal + draws.chi2)
        return np.sqrt(n * variance) * draws.normal, squares
    far = 1.0 - mean if shape == UP else 1.0 + mean
    near = variance / far
    ordered = binomial_quantiles(n, variance / (variance + far * far), draws.shares, draws.scores)
    count = np.empty_like(ordered)
    count[draws.order] = ordered
    sums = count * (far + near) - n * near
    squares = count * (far * far - near * near) + n * near * near
    return (sums if shape == UP else -sums), squares


def binomial_quantiles(n: int, p: float, shares: Floats, normal: Floats) -> Floats:
    """Return the quantiles of Bin(n, p) at ascending shares, whose normal quantiles are at hand."""
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
    ends[1:] -= ends[:-1].copy()
    return np.repeat(support, ends)
