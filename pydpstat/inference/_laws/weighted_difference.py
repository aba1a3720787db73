"""The difference of two groups' weighted means, each from noisy sums."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pydpstat.inference._laws.deep_pvalues import two_sample_pvalue
from pydpstat.inference._laws.group_difference import Whole, mean_interval
from pydpstat.inference._laws.noisy_t import LEFT_OUT, NoisySums
from pydpstat.inference._laws.noisy_welch_interval import WelchInterval
from pydpstat.inference._laws.spread_interval import noise_reach
from pydpstat.inference._laws.weighted_mean import Known, moments_from


@dataclass(frozen=True)
class Rescaled:
    """An interval in another unit, within the largest distance that is possible."""

    inner: WelchInterval | Whole
    unit: float
    most: float

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return both ends."""
        low, high = (self.unit * end for end in self.inner.ends(alpha))
        return max(low, -self.most), min(high, self.most)


def weighted_difference(known: tuple[Known, Known], half: float) -> tuple[float, float, Rescaled, bool]:
    """Return the statistic, the p-value of equal means, the interval, and whether anything can be said.

    Woodruff, R. S. (1971). A simple method for approximating the variance of a complicated estimate. Journal
    of the American Statistical Association 66, 411-414.
    """
    interval = weighted_interval(known, half)
    if isinstance(interval.inner, Whole):
        return 0.0, 1.0, interval, False
    return *two_sample_pvalue(interval.inner.known), interval, True


def weighted_interval(known: tuple[Known, Known], half: float) -> Rescaled:
    """Return the interval of `weighted_difference`."""
    middle = 0.5 * (known[0].mean + known[1].mean)
    parts = []
    for each in known:
        total = sum(each.line)
        if total <= noise_reach(np.full(2, each.scales[0]), "laplace", LEFT_OUT):
            return Rescaled(Whole(-2.0, 2.0), half, 2.0 * half)
        sums = each.about(each.mean)
        # noise may say that weights are larger than 1 on average
        parts.append((sums, each.mean, min(total / max(sums.sums[0], 1.0), 1.0)))
    unit = max(abs(center - middle) + (1.0 + abs(center)) / weight for _, center, weight in parts)
    first, second = (_linear(*part, middle, unit) for part in parts)
    return Rescaled(mean_interval((first, second), 1.0), unit * half, 2.0 * half)


def _linear(known: NoisySums, center: float, weight: float, middle: float, unit: float) -> NoisySums:
    """Return the sums of 1, t and t^2 for ``t = (center + (y - center) / weight - middle) / unit``."""
    sums, noise = ([np.asarray(each) for each in rows] for rows in (known.sums, known.noise))
    found = []
    for size, first, square in (sums, noise):
        distance = first - center * size
        around = square - 2.0 * center * first + center * center * size
        scale = weight * unit
        place = (center - middle) / unit
        found.append(moments_from(place, size, distance / scale, around / scale**2))
    values = tuple(float(each) for each in found[0])
    rows = tuple(tuple(each.tolist()) for each in found[1])
    return NoisySums((values[0], values[1], values[2]), (rows[0], rows[1], rows[2]), known.law, known.size)
