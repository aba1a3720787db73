"""Intervals for quantiles from a histogram with noisy counts, where the number of records is private.

The null distribution of a weighted difference of the noisy counts on both sides of an edge, which has the
mean 0 whatever the number of records is. `pydpstat.inference._laws.quantile_intervals` has public numbers.
"""

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
    """Return an interval that covers a population's q-quantile with a probability of 1 - alpha at least.

    Parameters
    ----------
    noisy_cells : array_like of shape (B,)
        The counts of records in the cells [a, b), each with independent symmetric geometric noise.
    edges : array_like of shape (B + 1,)
        Public edges of the cells, ascending.
    q : float
        Which quantile, from 0 to 1.
    alpha : float
        Share of misses; above 0 and at most 1/2.
    rate : float
        The noise's rate.
    sample : bool, default False
        Whether the quantile is that of the records themselves.

    Returns
    -------
    low, high : float
        Two of the edges.

    Notes
    -----
    With A_i and B_i the noisy numbers of records below the edge e_i and above,
    ``W_i = (1 - q) A_i - q B_i``. Let Q be the quantile and e_i the first inner edge above it. At least a
    share q of the population is below, so that W_i is stochastically at least
    ``K - q n + (1 - q) N - q N'``, K binomial (n, q), N and N' the noise of the cells below and above. c_i is
    the largest number that this is at most with a probability of alpha / 2. The lower end is the last edge
    before the first one with W_i > c_i: for it to be above Q, W_i has to be at most c_i at that edge, which Q
    fixes. So one edge counts, as with a public number of records. The upper end is the mirror image. n is
    unknown in c_i only, and the distribution is wider for larger n: it is taken at an upper confidence limit,
    which is missed with a fiftieth of alpha / 2, and at smaller numbers where there are few records. For the
    records' own quantile K - q n is -1 at least, whatever n is.

    Distributions are added up on a grid, values between two of its points being divided between these, which
    keeps means and widens the rest; c_i is a step lower than what comes out.

    Examples
    --------
    >>> cells, edges = np.array([11, 19, 32, 21, 10, 5, 3, -1]), np.arange(9.0)
    >>> private_ends(cells, edges, 0.5, 0.05, 1.0)
    (2.0, 3.0)
    """
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
        """Return the largest number that each is at most with that probability, for so many cells below.

        Examples
        --------
        >>> _Differences(100, 0.5, 1.0, 4).limits(np.array([1, 2]), 0.025).round(1)
        array([-10.1, -10.1])
        """
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
