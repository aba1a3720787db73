"""Intervals for quantiles from noisy counts of cells, of a public or a private number of records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat._data.progress import Progress
from pydpstat._frozen import Frozen
from pydpstat.inference._laws.geometric_sums import SMALLEST_RATE
from pydpstat.inference._laws.private_quantiles import private_ends
from pydpstat.inference._laws.quantile_intervals import quantile_ends, sample_ends
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
    """Intervals for quantiles of the records of a histogram, and of the populations they are samples of."""

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
        """Return the ends for each quantile of the population."""
        return self._ends(alpha, False)

    def noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each quantile of the records."""
        return self._ends(alpha, True)

    def _ends(self, alpha: float, sample: bool) -> tuple[Floats, Floats]:
        rows = self.cells.reshape(-1, self.cells.shape[-1])
        places = [(row, share) for row in rows for share in self.shares]
        with Progress(lambda: len(places), "intervals") as progress:
            ends = [progress.counted(self._row_ends(*each, alpha, sample)) for each in places]
        low, high = np.array(ends).reshape(-1, 2).T
        return low.reshape(self.shape), high.reshape(self.shape)

    def _row_ends(self, cells: Floats, share: float, alpha: float, sample: bool) -> tuple[float, float]:
        if self.rate < SMALLEST_RATE or self.size == 0 or cells.size == 1:
            return float(self.edges[0]), float(self.edges[-1])
        if self.size is None:
            return private_ends(cells, self.edges, share, alpha, self.rate, sample)
        of = sample_ends if sample else quantile_ends
        return of(cells, self.edges, self.size, share, alpha, self.rate)
