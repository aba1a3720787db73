"""Intervals of the privacy noise for shares of noisy counts."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen

Floats = npt.NDArray[np.float64]
FREE = "which follows from the released {} at no additional privacy cost"


@dataclass(frozen=True, eq=False)
class RatioIntervals(Frozen):
    """Noise intervals for counts over the sum of themselves and their rests, each with noise.

    Parameters
    ----------
    noise : Noise
        Of one count; symmetric.
    counts, rests : ndarray
        The noisy counts, and the noisy counts of all other records; of one shape.
    noises : ndarray of int, shape (2,) or (2, values)
        How many noises are in each count and in each rest, in C order.

    Notes
    -----
    Fieller's intervals. At the true share p the combination W = (1 - p) count - p rest has the mean 0 and the
    variance v = ((1 - p)^2 k1 + p^2 k2) s^2, with k1 and k2 noises of standard deviation s. The interval has
    the p with abs(W) <= c sqrt(v) + 1, c as in `widest`. The added record is for the steps of the
    distributions of integers. Computed exactly, W is further out with a probability of alpha at most for
    symmetric geometric noise of the rates 0.02 to 8 and discrete Gaussian noise of the deviations 0.3 to 20,
    of up to 400 noises, at all shares and alpha from 0.001 to 0.5. Negative counts are first set to 0, which
    only lengthens the intervals. Where the total may be 0 they are [0, 1].

    References
    ----------
    Fieller, E. C. (1954). Some problems in interval estimation. Journal of the Royal Statistical Society
    B 16.

    Examples
    --------
    >>> from pydpstat.mechanisms import SymmetricGeometricNoise
    >>> noise = SymmetricGeometricNoise(1.0)
    >>> known = RatioIntervals(noise, np.array([40.0, 0.0]), np.array([60.0, 1.0]), np.array([1, 1]))
    >>> low, high = known.noise_interval(0.05)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.368, 0.0], [0.431, 1.0])
    """

    noise: Any
    counts: Floats
    rests: Floats
    noises: npt.NDArray[np.intp]

    def slopes(self) -> Floats:
        """Return the L2 norm of each share's gradient with respect to all noisy counts.

        NaN where the total is below twice its noise: there the delta method says nothing.
        """
        first, second = self._variances()
        total, p = self.counts + self.rests, self.shares()
        said = total > 2.0 * float(self.noise.std()) * np.sqrt(first + second)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(said, np.sqrt((1.0 - p) ** 2 * first + p * p * second) / total, np.nan)

    def shares(self) -> Floats:
        """Return the shares, from 0 to 1; NaN where the noisy counts add up to nothing."""
        total = self.counts + self.rests
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(total > 0.0, np.clip(self.counts / total, 0.0, 1.0), np.nan)

    def noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each share."""
        count, rest = np.maximum(self.counts, 0.0), np.maximum(self.rests, 0.0)
        reach = (widest(self.noise, alpha) * self.noise.std()) ** 2
        first, second = (reach * each for each in self._variances())
        total = count + rest
        a = total * total - first - second
        ends = []
        for record in (-1.0, 1.0):
            # a root of a p^2 - 2 b p + c
            b, c = (count + record) * total - first, (count + record) ** 2 - first
            with np.errstate(divide="ignore", invalid="ignore"):
                root = (b + record * np.sqrt(np.maximum(b * b - a * c, 0.0))) / a
            ends.append(np.where(a > 0.0, np.clip(root, 0.0, 1.0), 0.5 + 0.5 * record))
        return ends[0], ends[1]

    def _variances(self) -> tuple[Floats, Floats]:
        shape = self.counts.shape
        pair = [np.broadcast_to(each, self.counts.size).reshape(shape).astype(float) for each in self.noises]
        return pair[0], pair[1]


def widest(noise: Any, alpha: float) -> float:
    """Return how many standard deviations a weighted sum of such noises may be away.

    It is the noise's own quantile, or the normal one if that is larger: the tails of sums lie between these.

    Examples
    --------
    >>> from pydpstat.mechanisms import DiscreteGaussianNoise, SymmetricGeometricNoise
    >>> noises = SymmetricGeometricNoise(0.01), DiscreteGaussianNoise(50.0)
    >>> [round(widest(noise, 0.05), 2) for noise in noises]
    [2.12, 1.96]
    """
    normal = NormalDist().inv_cdf(1.0 - 0.5 * alpha)
    return max(float(noise.ppf(1.0 - 0.5 * alpha)) / float(noise.std()), normal)
