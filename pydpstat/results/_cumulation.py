"""Cumulative sums of a histogram's noisy counts, with intervals of shares and quantiles."""

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
    """Intervals of quantiles, of the population and of the records."""

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the noise interval's limits for each quantile of the records."""


@runtime_checkable
class SupportsQuantiles(Protocol):
    """Inference that has intervals for quantiles of the population."""

    def make_quantile_intervals(
        self, edges: Floats, shares: tuple[float, ...], shape: tuple[int, ...]
    ) -> QuantileInference:
        """Return the intervals of the quantiles at `shares`, group by group, in the given shape."""


@dataclass(frozen=True, eq=False)
class NoisyCumulation(ReadOnlyArrays):
    """Noisy cumulative counts of a histogram at its inner edges."""

    cells: Floats
    # with a public size the count below an edge is also the size minus the count above: use the less noisy one
    size: int | None
    # noise of each cell: symmetric, on the integers
    noise: Noise

    @property
    def _edge_positions(self) -> npt.NDArray[np.intp]:
        return np.arange(1, self.cells.size)

    @property
    def sides(self) -> tuple[Floats, Floats]:
        """Noisy numbers of records below and above each inner edge."""
        return self.cells[:-1].cumsum(), self.cells[:0:-1].cumsum()[::-1]

    def _count_below_edges(self, size: int) -> tuple[Floats, npt.NDArray[np.intp], Floats]:
        """Return the noisy counts below the edges, their numbers of noise terms, and the factors of the noise."""
        below, above = self.sides
        fewer = np.minimum(self._edge_positions, self.cells.size - self._edge_positions)
        is_averaged = 4 * fewer > self.cells.size
        single = np.where(2 * self._edge_positions <= self.cells.size, below, size - above)
        counts = np.where(is_averaged, 0.5 * (below + size - above), single)
        return counts, np.where(is_averaged, self.cells.size, fewer), np.where(is_averaged, 0.5, 1.0)

    def _make_ratios(self) -> RatioIntervals:
        return RatioIntervals(
            self.noise, *self.sides, np.array([self._edge_positions, self.cells.size - self._edge_positions])
        )

    def compute_shares(self) -> Floats:
        """Return the shares of records below the inner edges, clipped to [0, 1] and made monotone."""
        if self.size:
            raw = np.clip(self._count_below_edges(self.size)[0] / self.size, 0.0, 1.0)
        else:
            raw = np.nan_to_num(self._make_ratios().compute_shares(), nan=0.5)
        # the mean of the running maximum and the reversed running minimum is monotone
        return 0.5 * (np.maximum.accumulate(raw) + np.minimum.accumulate(raw[::-1])[::-1]) + 0.0

    def compute_slopes(self) -> Floats:
        """Return the standard deviation of the shares per unit of the cells' noise; NaN if unknown."""
        if not self.size:
            return self._make_ratios().compute_slopes()
        _, terms, factors = self._count_below_edges(self.size)
        return factors * np.sqrt(terms) / self.size

    def compute_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the noise intervals of the shares below the inner edges."""
        if not self.size:
            return self._make_ratios().compute_noise_interval(alpha)
        counts, half_width = self._count_below_edges(self.size)[0], self._compute_half_widths(self.size, alpha)
        # the interval is made about the clipped count, as in ParameterRange
        counts = np.clip(counts, 0.0, self.size)
        return ranges.PROPORTION.clip_values((counts - half_width) / self.size), ranges.PROPORTION.clip_values(
            (counts + half_width) / self.size
        )

    def _compute_half_widths(self, size: int, alpha: float) -> Floats:
        _, terms, factors = self._count_below_edges(size)
        quantiles = {n_terms: compute_noise_sum_quantile(self.noise, n_terms, alpha) for n_terms in set(terms.tolist())}
        return factors * np.array([quantiles[n_terms] for n_terms in terms.tolist()])

    def find_last_edge_below(self, share: float, alpha: float) -> int:
        """Return the index of the last edge below the quantile; wrong with probability at most alpha / 2."""
        if self.size:
            needed = max(math.floor(self.size * share), 1)
            is_below = self._count_below_edges(self.size)[0] - needed < -self._compute_half_widths(self.size, alpha)
        else:
            (below, above), positions = self.sides, self._edge_positions
            # without noise, this exceeds -1 at the first edge above the quantile
            excess = (1.0 - share) * below - share * above + 1.0
            spread = np.sqrt((1.0 - share) ** 2 * positions + share**2 * (self.cells.size - positions))
            # one record corrects for integer steps, as in RatioIntervals
            is_below = excess < -(bound_sum_quantile(self.noise, alpha) * float(self.noise.std()) * spread + 1.0)
        return int(np.argmin(np.append(is_below, False)))

    def compute_quantile(self, share: float, edges: Floats) -> float:
        """Return the estimated quantile, interpolated linearly between edges."""
        below = np.concatenate([[0.0], self.compute_shares(), [1.0]])
        cell = min(max(int(np.searchsorted(below, share, side="right")) - 1, 0), self.cells.size - 1)
        gap = float(below[cell + 1] - below[cell])
        fraction = min(max((share - float(below[cell])) / gap, 0.0), 1.0) if gap > 0.0 else 0.5
        return float((1.0 - fraction) * edges[cell] + fraction * edges[cell + 1])

    def compute_quantile_slope(self, share: float, edges: Floats) -> float:
        """Return the standard deviation of a quantile per unit of the cells' noise.

        NaN if the noise's standard deviation in the share at the quantile exceeds 0.1.
        """
        slopes = self.compute_slopes()
        if not slopes.size:
            return math.nan
        deviation = float(self.noise.std())
        step = deviation * float(np.interp(self.compute_quantile(share, edges), edges[1:-1], slopes))
        if not step <= 0.1:
            return math.nan
        limits = [self.compute_quantile(min(max(q, 0.0), 1.0), edges) for q in (share - step, share + step)]
        return (limits[1] - limits[0]) / (2.0 * deviation)


@lru_cache(maxsize=1024)
def compute_noise_sum_quantile(noise: Noise, terms: int, alpha: float) -> float:
    """Return the 1 - alpha / 2 quantile of a sum of `terms` independent noises; NaN if unknown."""
    distribution = make_noise_sum(noise, terms)
    return math.nan if distribution is None else float(distribution.ppf(1.0 - 0.5 * alpha))


@dataclass(frozen=True, eq=False)
class CumulationIntervals(ReadOnlyArrays):
    """Noise intervals of shares below edges, in the shape of the published values."""

    rows: tuple[NoisyCumulation, ...]
    shape: tuple[int, ...]
    # the outer edges, at which the shares are 0 and 1
    outer: tuple[float, float] | None = None

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for each share."""
        limits = [row.compute_interval(alpha) for row in self.rows]
        low, high = (np.concatenate([pair[side] for pair in limits]).reshape(self.shape) for side in (0, 1))
        return low, high


@dataclass(frozen=True, eq=False)
class QuantileNoiseIntervals(ReadOnlyArrays):
    """Noise intervals of quantiles of the records, with edges as limits."""

    # The lower limit exceeds the quantile only if the count below one fixed edge, the first above the
    # quantile, is too small: no correction for the number of edges is needed.

    rows: tuple[NoisyCumulation, ...]
    edges: Floats
    quantiles: tuple[float, ...]
    shape: tuple[int, ...]

    def compute_noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the limits for each quantile."""
        edge_ranges = np.array([self._find_edge_range(row, q, alpha) for row in self.rows for q in self.quantiles])
        low, high = self.edges[edge_ranges.T]
        return low.reshape(self.shape), high.reshape(self.shape)

    def _find_edge_range(self, row: NoisyCumulation, q: float, alpha: float) -> tuple[int, int]:
        mirrored = NoisyCumulation(row.cells[::-1], row.size, row.noise)
        low, high = (
            row.find_last_edge_below(q, alpha),
            row.cells.size - mirrored.find_last_edge_below(1.0 - q, alpha),
        )
        low, high = min(low, high), max(low, high)
        # widen an interval of zero length by one edge on each side
        return (low, high) if low < high else (max(low - 1, 0), min(high + 1, row.cells.size))
