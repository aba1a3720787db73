"""Intervals for quantiles from a histogram with noisy counts, where the number of records is private."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.binomial import Floats, binomial_points
from pydpstat.inference._laws.geometric_sums import (
    SMALLEST_RATE,
    geometric_pmf,
    geometric_sum,
    noise_variance,
)

MOST_CELLS = 1024
# points of the grid on which distributions are added up
_POINTS = 8192
# of the share of misses so much is for numbers of records that are left out
_OUTSIDE_SHARE = 0.02
# so many standard deviations, and lengths of the noise's tail, have all of a distribution
_DEVIATIONS, _TAILS = 12.0, 40.0
_SMALLEST = 1e-300
# below so many records the distribution's shape depends on their number, and others are looked at, too
_FEW = 200


def private_ends(
    noisy_cells: npt.ArrayLike,
    edges: npt.ArrayLike,
    q: float,
    alpha: float,
    rate: float,
    sample: bool = False,
) -> tuple[float, float]:
    """Return an interval that covers a population's q-quantile with a probability of 1 - alpha at least."""
    cells, places = np.asarray(noisy_cells, dtype=np.float64), np.asarray(edges, dtype=np.float64)
    if rate < SMALLEST_RATE or cells.size < 2:
        return float(places[0]), float(places[-1])
    low = _passage(cells, q, 0.5 * alpha, rate, sample)
    high = cells.size - _passage(cells[::-1], 1.0 - q, 0.5 * alpha, rate, sample)
    if low == high:
        # a single point would be the whole interval
        low, high = max(low - 1, 0), min(high + 1, cells.size)
    return float(places[min(low, high)]), float(places[max(low, high)])


def _passage(cells: Floats, q: float, share: float, rate: float, sample: bool) -> int:
    """Return which edge is the last one before the weighted difference is what a quantile's may be."""
    below = cells.cumsum()
    total = float(below[-1])
    weighted = (1.0 - q) * below[:-1] - q * (total - below[:-1])
    outside = 0.0 if sample else _OUTSIDE_SHARE * share
    sizes = (0,) if sample else _sizes(total, cells.size, rate, outside)
    known = _Differences(max(sizes), q, rate, cells.size)
    # no limit is beyond all of a distribution, and none above 0 but by a step of the count
    open_ = np.flatnonzero(weighted > -known.half - 1.0)
    sure = open_[weighted[open_] > 1.0]
    tried = open_ if sure.size == 0 else open_[open_ <= sure[0]]
    if not tried.size:
        return cells.size - 1
    limits = np.min(
        [_Differences(n, q, rate, cells.size).limits(tried + 1, share - outside) for n in sizes], axis=0
    )
    passed = tried[weighted[tried] > limits - (1.0 if sample else 0.0)]
    return int(passed[0]) if passed.size else cells.size - 1


def _sizes(total: float, cells: int, rate: float, outside: float) -> tuple[int, ...]:
    """Return the upper confidence limit of the number of records, and lower numbers where it is small."""
    most = math.ceil(max(total + geometric_sum(rate, cells).quantile(outside), 0.0))
    return (most,) if most > _FEW else tuple({most, most // 2, most // 4})


class _Differences:
    """The distributions of K - q n + (1 - q) N - q N', K binomial (n, q).

    N and N' are the noise of the cells below an edge and above.
    """

    def __init__(self, n: int, q: float, rate: float, cells: int) -> None:
        self.n, self.q, self.rate, self.cells = n, q, rate, cells
        largest = max(q, 1.0 - q) ** 2 * cells * noise_variance(rate)
        self.half = _DEVIATIONS * math.sqrt(n * q * (1.0 - q) + largest) + _TAILS / rate + 1.0

    def limits(self, below: npt.NDArray[np.integer], share: float) -> Floats:
        """Return the largest number that each is at most with that probability, for so many cells below."""
        from scipy import fft

        step = 2.0 * self.half / _POINTS
        values, masses = binomial_points(self.n, self.q)
        count = fft.rfft(_placed((values - self.q * self.n) / step, masses))
        # values that are much closer than the grid's points are joined
        apart = max(1, math.floor(_TAILS / self.rate / _POINTS))
        one = geometric_pmf(self.rate, math.ceil(_TAILS / self.rate / apart), apart)
        lattice = apart / step * np.arange(-(one.size // 2), one.size // 2 + 1)
        # symmetric noise has a real transform, positive but for what the grid adds
        first, second = (
            np.log(np.maximum(fft.rfft(_placed(part * lattice, one)).real, _SMALLEST))
            for part in (1.0 - self.q, self.q)
        )
        # of a median it is the same for all edges
        number = below[:1] if self.q == 0.5 else below
        found = np.empty(number.size)
        for start in range(0, number.size, 64):
            some = number[start : start + 64, None]
            spectra = count * np.exp(some * first + (self.cells - some) * second)
            masses = np.roll(fft.irfft(spectra, _POINTS, axis=1), _POINTS // 2, axis=1)
            found[start : start + 64] = (masses.cumsum(axis=1) <= share).sum(axis=1)
        return np.broadcast_to((found - 2.0 - _POINTS // 2) * step, below.shape)


def _placed(places: npt.NDArray[np.floating[Any]], masses: Floats) -> Floats:
    """Return masses on a circle of points, each divided between the two points around it."""
    lower = np.floor(places)
    part = places - lower
    at = lower.astype(np.int64)
    first: Any = np.bincount(at % _POINTS, masses * (1.0 - part), _POINTS)
    found: Floats = first + np.bincount((at + 1) % _POINTS, masses * part, _POINTS)
    return found
