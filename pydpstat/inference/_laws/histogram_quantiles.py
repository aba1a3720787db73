"""Intervals for the population's quantiles from a released histogram, of a public or a private size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen
from pydpstat.inference._laws.geometric_sums import SMALLEST_RATE
from pydpstat.inference._laws.private_size import OUTSIDE, NoisyPair
from pydpstat.inference._laws.quantile_intervals import quantile_ends
from pydpstat.inference._laws.share_intervals import INDEPENDENT, ShareIntervals

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HistogramIntervals(ShareIntervals):
    """Intervals of the shares of a histogram's bins, and of quantiles."""

    def quantiles(
        self, edges: Floats, shares: tuple[float, ...], shape: tuple[int, ...]
    ) -> QuantileIntervals:
        """Return the intervals of these quantiles, each group's one after another, in that shape."""
        return QuantileIntervals(self.counts, edges, self.size, self.rate, shares, shape)


@dataclass(frozen=True, eq=False)
class QuantileIntervals(Frozen):
    """Intervals for quantiles of the populations that the records of a histogram are random samples of.

    Parameters
    ----------
    cells : ndarray of shape (B,) or (groups, B)
        The noisy counts.
    edges : ndarray of shape (B + 1,)
        The public edges; records beyond them are at the outer ones.
    size : int or None
        The number of records, where it is public.
    rate : float
        Of the noise of each count.
    shares : tuple of float
        Which quantiles.
    shape : tuple of int
        Of the published values.

    Notes
    -----
    A public number of records: `quantile_ends`, which is exact. A private one: the same with another test at
    each edge. The lower end is the last edge before the first one at which the share below is not
    significantly less than the quantile's (`NoisyPair`, at alpha / 2, of the noisy counts below and above).
    If this is above the quantile Q, then the share below the first edge above Q, which is at least the
    quantile's, was found to be less. As that edge is fixed by Q, one test of those at all edges counts.

    Examples
    --------
    >>> cells, edges = np.array([11.0, 19.0, 32.0, 21.0, 10.0, 5.0, 3.0, -1.0]), np.arange(9.0)
    >>> for size in (100, None):
    ...     low, high = QuantileIntervals(cells, edges, size, 1.0, (0.5,), ()).interval(0.05)
    ...     print(low, high)
    2.0 3.0
    2.0 3.0
    """

    cells: Floats
    edges: Floats
    size: int | None
    rate: float
    shares: tuple[float, ...]
    shape: tuple[int, ...]

    assumptions = (INDEPENDENT,)

    @property
    def validity(self) -> str:
        """How far they can be trusted."""
        return "model" if self.size is None else "exact"

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each quantile."""
        rows = self.cells.reshape(-1, self.cells.shape[-1])
        ends = np.array([self._ends(row, share, alpha) for row in rows for share in self.shares])
        low, high = ends.reshape(-1, 2).T
        return low.reshape(self.shape), high.reshape(self.shape)

    def _ends(self, cells: Floats, share: float, alpha: float) -> tuple[float, float]:
        edges = self.edges
        if self.rate < SMALLEST_RATE or self.size == 0:
            return float(edges[0]), float(edges[-1])
        if self.size is not None:
            return quantile_ends(cells, edges, self.size, share, alpha, self.rate)
        low = _passage(cells, share, 0.5 * alpha, self.rate)
        high = cells.size - _passage(cells[::-1], 1.0 - share, 0.5 * alpha, self.rate)
        low, high = min(low, high), max(low, high)
        if low == high:
            # a single point would be the whole interval
            low, high = max(low - 1, 0), min(high + 1, cells.size)
        return float(edges[low]), float(edges[high])


def _passage(cells: Floats, share: float, half: float, rate: float) -> int:
    """Return which edge is the last one before as many records are below as a quantile may need."""
    below, above = cells[:-1].cumsum(), cells[:0:-1].cumsum()[::-1]
    for place in range(1, cells.size):
        pair = NoisyPair(below[place - 1], above[place - 1], rate, (place, cells.size - place))
        if pair.tails(share, OUTSIDE)[1] > half:
            return place - 1
    return cells.size - 1
