"""Sums of a histogram's noisy counts, and the intervals of shares and quantiles that follow from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import ReadOnlyArrays
from pydpstat.mechanisms._noise import make_noise_sum
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results import _ranges as ranges
from pydpstat.results._postprocessing import NO_COST_STEP, PopulationInference, RatioIntervals, bound_sum_quantile

_HISTOGRAM_STEP = NO_COST_STEP.format("histogram")


class QuantileInference(PopulationInference, Protocol):
    """The intervals of quantiles, of populations and of the records."""

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each quantile of the records."""


@runtime_checkable
class SupportsQuantiles(Protocol):
    """What has intervals for the quantiles of populations."""

    def make_quantile_intervals(
        self, edges: Floats, shares: tuple[float, ...], shape: tuple[int, ...]
    ) -> QuantileInference:
        """Return the intervals of these quantiles, of each group's one after another, in that shape."""


@dataclass(frozen=True, eq=False)
class NoisyCumulation(ReadOnlyArrays):
    """How many of the records of a histogram are below its inner edges."""

    cells: Floats
    # where it is public, those below an edge are also all but those above: the less noisy side counts
    size: int | None
    # of each cell: symmetric, on the integers
    noise: Noise

    @property
    def _edge_positions(self) -> npt.NDArray[np.intp]:
        return np.arange(1, self.cells.size)

    @property
    def sides(self) -> tuple[Floats, Floats]:
        """The noisy numbers of records below and above each inner edge."""
        return self.cells[:-1].cumsum(), self.cells[:0:-1].cumsum()[::-1]

    def _count_below_edges(self, size: int) -> tuple[Floats, npt.NDArray[np.intp], Floats]:
        """Return the noisy numbers below the edges, how many noises are in each, and the noises' factors."""
        below, above = self.sides
        fewer = np.minimum(self._edge_positions, self.cells.size - self._edge_positions)
        middle = 4 * fewer > self.cells.size
        one = np.where(2 * self._edge_positions <= self.cells.size, below, size - above)
        found = np.where(middle, 0.5 * (below + size - above), one)
        return found, np.where(middle, self.cells.size, fewer), np.where(middle, 0.5, 1.0)

    def _make_ratios(self) -> RatioIntervals:
        return RatioIntervals(
            self.noise, *self.sides, np.array([self._edge_positions, self.cells.size - self._edge_positions])
        )

    def compute_shares(self) -> Floats:
        """Return the shares of the records below the inner edges: from 0 to 1, and ascending."""
        if self.size:
            raw = np.clip(self._count_below_edges(self.size)[0] / self.size, 0.0, 1.0)
        else:
            raw = np.nan_to_num(self._make_ratios().compute_shares(), nan=0.5)
        # as far from the largest before as from the smallest after
        return 0.5 * (np.maximum.accumulate(raw) + np.minimum.accumulate(raw[::-1])[::-1]) + 0.0

    def compute_slopes(self) -> Floats:
        """Return how far noise of a standard deviation of 1 in each cell moves the shares; NaN if unknown."""
        if not self.size:
            return self._make_ratios().compute_slopes()
        _, terms, factors = self._count_below_edges(self.size)
        return factors * np.sqrt(terms) / self.size

    def compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the noise intervals of the shares below the inner edges."""
        if not self.size:
            return self._make_ratios().compute_noise_interval(alpha)
        found, reach = self._count_below_edges(self.size)[0], self._compute_half_widths(self.size, alpha)
        # counts that are moved into their range lengthen the interval
        found = np.clip(found, 0.0, self.size)
        return ranges.PROPORTION.clip_values((found - reach) / self.size), ranges.PROPORTION.clip_values(
            (found + reach) / self.size
        )

    def _compute_half_widths(self, size: int, alpha: float) -> Floats:
        _, terms, factors = self._count_below_edges(size)
        known = {each: compute_noise_sum_quantile(self.noise, each, alpha) for each in set(terms.tolist())}
        return factors * np.array([known[each] for each in terms.tolist()])

    def find_last_edge_below(self, share: float, alpha: float) -> int:
        """Return the last edge before the quantile, above it with a probability of alpha / 2 at most."""
        if self.size:
            needed = max(math.floor(self.size * share), 1)
            passed = self._count_below_edges(self.size)[0] - needed < -self._compute_half_widths(self.size, alpha)
        else:
            (below, above), places = self.sides, self._edge_positions
            # at the first edge above the quantile this is above -1, but for the noise
            excess = (1.0 - share) * below - share * above + 1.0
            spread = np.sqrt((1.0 - share) ** 2 * places + share**2 * (self.cells.size - places))
            # one record for the steps of integers, as in RatioIntervals
            passed = excess < -(bound_sum_quantile(self.noise, alpha) * float(self.noise.std()) * spread + 1.0)
        return int(np.argmin(np.append(passed, False)))

    def compute_quantile(self, share: float, edges: Floats) -> float:
        """Return the point below which that share of the records seems to be."""
        below = np.concatenate([[0.0], self.compute_shares(), [1.0]])
        place = min(max(int(np.searchsorted(below, share, side="right")) - 1, 0), self.cells.size - 1)
        gap = float(below[place + 1] - below[place])
        part = min(max((share - float(below[place])) / gap, 0.0), 1.0) if gap > 0.0 else 0.5
        return float((1.0 - part) * edges[place] + part * edges[place + 1])

    def compute_quantile_slope(self, share: float, edges: Floats) -> float:
        """Return how far noise of a standard deviation of 1 in each cell moves a quantile.

        NaN where a standard deviation of the noise is above a tenth of all records.
        """
        slopes = self.compute_slopes()
        if not slopes.size:
            return math.nan
        deviation = float(self.noise.std())
        apart = deviation * float(np.interp(self.compute_quantile(share, edges), edges[1:-1], slopes))
        if not apart <= 0.1:
            return math.nan
        ends = [self.compute_quantile(min(max(each, 0.0), 1.0), edges) for each in (share - apart, share + apart)]
        return (ends[1] - ends[0]) / (2.0 * deviation)


@lru_cache(maxsize=1024)
def compute_noise_sum_quantile(noise: Noise, terms: int, alpha: float) -> float:
    """Return how far a sum of so many noises reaches, with probability 1 - alpha; NaN if unknown."""
    known = make_noise_sum(noise, terms)
    return math.nan if known is None else float(known.ppf(1.0 - 0.5 * alpha))


@dataclass(frozen=True, eq=False)
class CumulationIntervals(ReadOnlyArrays):
    """Noise intervals of the shares below edges, in the shape of the published values."""

    rows: tuple[NoisyCumulation, ...]
    shape: tuple[int, ...]
    # the outer edges, at which the shares are 0 and 1
    outer: tuple[float, float] | None = None

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each share."""
        ends = [each.compute_interval(alpha) for each in self.rows]
        low, high = (np.concatenate([pair[place] for pair in ends]).reshape(self.shape) for place in (0, 1))
        return low, high


@dataclass(frozen=True, eq=False)
class QuantileNoiseIntervals(ReadOnlyArrays):
    """Noise intervals of quantiles of the records: the edges between which each must be."""

    # If the lower end is above the quantile, the count below the first edge above the quantile was too small
    # for its noise, and this edge is fixed by the records: one edge alone counts.

    rows: tuple[NoisyCumulation, ...]
    edges: Floats
    quantiles: tuple[float, ...]
    shape: tuple[int, ...]

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each quantile."""
        ends = np.array([self._find_edge_range(row, q, alpha) for row in self.rows for q in self.quantiles])
        low, high = self.edges[ends.T]
        return low.reshape(self.shape), high.reshape(self.shape)

    def _find_edge_range(self, row: NoisyCumulation, q: float, alpha: float) -> tuple[int, int]:
        mirrored = NoisyCumulation(row.cells[::-1], row.size, row.noise)
        low, high = (
            row.find_last_edge_below(q, alpha),
            row.cells.size - mirrored.find_last_edge_below(1.0 - q, alpha),
        )
        low, high = min(low, high), max(low, high)
        # a single point would be the whole interval
        return (low, high) if low < high else (max(low - 1, 0), min(high + 1, row.cells.size))
