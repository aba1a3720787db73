"""Quantiles from a histogram with noisy counts, with intervals for the population's."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from pydpstat._data.columns import Data, GivenBounds, bounds_pair, check_filling, one_column
from pydpstat._data.values import fills
from pydpstat._frozen import Frozen
from pydpstat._release.additive import Spender
from pydpstat._release.named_mechanisms import INTEGER
from pydpstat._release.statistic import Missing, OnlyBounded, check_records, options, release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.inference._laws.geometric_sums import SMALLEST_RATE
from pydpstat.inference._laws.quantile_intervals import (
    MOST_BINS,
    bin_number,
    quantile_ends,
    quantile_slope,
    sample_ends,
)
from pydpstat.inference._laws.share_intervals import INDEPENDENT
from pydpstat.random import source_from
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import BetweenEdges, PostProcessing
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.cells import bin_counts, cells_query
from pydpstat.statistics._kernels.records import Part, records_of
from pydpstat.statistics._kernels.scope import Scope

Floats = npt.NDArray[np.float64]
STEPS = ("between edges of noisy cells",)
_BOUNDED = OnlyBounded(
    "with population=True, whose intervals need the public number of records",
    "Leave out population, or release a histogram.",
)


@dataclass(frozen=True, eq=False)
class CellQuantiles(Frozen):
    """Quantiles of records that noisy cells count, and intervals for those of the population.

    Parameters
    ----------
    cells : ndarray of shape (B,)
        Noisy counts of the records in each cell.
    edges : ndarray of shape (B + 1,)
        Public edges; records beyond them are at the outer ones.
    size : int
        The public number of records; at least 1.
    shares : tuple of float
        Which quantiles.
    rate : float
        Of the cells' symmetric geometric noise.
    shape : tuple of int
        Of the published value.

    Examples
    --------
    >>> cells = CellQuantiles(np.array([2.0, 6.0, 2.0]), np.arange(4.0), 10, (0.5,), 1.0, ())
    >>> cells.quantile(0.5)
    1.5
    >>> low, high = cells.interval(0.05)
    >>> float(low), float(high)
    (0.0, 3.0)
    """

    cells: Floats
    edges: Floats
    size: int
    shares: tuple[float, ...]
    rate: float
    shape: tuple[int, ...]

    validity = "exact"
    assumptions = (INDEPENDENT,)

    def _below(self) -> Floats:
        """Return how many records seem to be below each edge, ascending.

        The mean of what the cells below and those above say has a quarter of the noise of all cells.
        """
        inner = 0.5 * (self.cells[:-1].cumsum() + self.size - self.cells[:0:-1].cumsum()[::-1])
        inner = np.maximum.accumulate(inner.clip(0.0, self.size)) if inner.size else inner
        return np.concatenate([[0.0], inner, [float(self.size)]])

    def quantile(self, share: float) -> float:
        """Return the point below which that share of the records seems to be."""
        below = self._below()
        place = int(np.searchsorted(below, share * self.size, side="right")) - 1
        cell = min(max(place, 0), self.cells.size - 1)
        gap = float(below[cell + 1] - below[cell])
        part = (share * self.size - float(below[cell])) / gap if gap > 0.0 else 0.5
        part = min(max(part, 0.0), 1.0)
        return float((1.0 - part) * self.edges[cell] + part * self.edges[cell + 1])

    def slope(self, share: float) -> float:
        """Return how far noise of a standard deviation of 1 in each cell moves the quantile.

        NaN where the noise of the counts below the quantile is above a tenth of all records.
        """
        deviation = math.sqrt(2.0) / self.rate
        apart = 0.5 * math.sqrt(self.cells.size) * deviation / self.size
        if apart > 0.1:
            return math.nan
        return quantile_slope(self.quantile, share, deviation, apart)

    def interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each quantile of the population."""
        return self._ends(quantile_ends, alpha)

    def noise_interval(self, alpha: float) -> tuple[Floats, Floats]:
        """Return the ends for each quantile of the records."""
        return self._ends(sample_ends, alpha)

    def _ends(self, of: Callable[..., tuple[float, float]], alpha: float) -> tuple[Floats, Floats]:
        found = [(float(self.edges[0]), float(self.edges[-1]))] * len(self.shares)
        if self.rate >= SMALLEST_RATE:
            found = [of(self.cells, self.edges, self.size, q, alpha, self.rate) for q in self.shares]
        low, high = np.array(found).T
        return low.reshape(self.shape), high.reshape(self.shape)


def release_cells(
    function: str,
    x: Data,
    epsilon: float,
    bounds: GivenBounds,
    shares: Sequence[float],
    names: tuple[str, ...] | None,
    own: tuple[tuple[str, object], ...],
    neighbors: str | None,
    missing: Missing,
    scope: Scope,
    rng: object,
    budget: Spender | None,
) -> DPResults:
    """Release the noisy histogram that quantiles follow from; `names` are those of several quantiles."""
    public = (epsilon, 0, "geometric", neighbors, missing)
    how = options(*public, mechanisms=INTEGER[:1], others=False, budget=budget, only=_BOUNDED)
    if scope.by is not None or scope.unit is not None or scope.sample is not None:
        raise PydpstatError(
            "by, unit and sample must be left out with population=True. Leave out population, or release a "
            "histogram by group."
        )
    pair, source = bounds_pair(bounds), source_from(rng)
    check_filling(how.missing, [pair])
    records, how = records_of(x, how, scope, source, one_column, "x")
    finest = cell_edges(pair, MOST_BINS)
    counts, size = records.numbered(
        lambda: records.fold(partial(_counts, edges=finest, missing=how.missing), np.add),
        lambda found: int(found.sum()),
        partial(check_records, how, least=1, statistic=function, argument="x"),
    )
    size = size or 0
    # the number of records is known now; coarser cells are made of the finest ones
    edges = cell_edges(pair, bin_number(size, how.epsilon))
    counts = np.add.reduceat(counts, np.searchsorted(finest, edges[:-1]))
    name = records.name if records.names is None else records.names[0]
    labels = Labels((name or function) if names is None else (name or "quantile"), names=names)
    asked = cells_query(function, counts, labels, size, how)
    rate, shape = how.epsilon / float(asked.sensitivities[0]), () if names is None else (len(shares),)

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        known = CellQuantiles(noisy, edges, size, tuple(shares), rate, shape)
        slopes = tuple(map(known.slope, shares))
        value = np.array(list(map(known.quantile, shares))).reshape(shape)
        return value, BetweenEdges(slopes, STEPS, known, population=known)

    return release_statistic(
        function,
        asked,
        how,
        source,
        budget,
        data=("x",),
        arguments=(*own, ("bounds", pair), ("population", True)),
        bounds=pair,
        publish=publish,
    )


def cell_edges(pair: tuple[float, float], number: int) -> Floats:
    """Return edges of so many cells of equal width, fewer where floats have no room between them.

    For powers of 2 each edge of some cells is one of all finer ones.

    Examples
    --------
    >>> cell_edges((0.0, 4.0), 4).tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    parts = np.arange(number + 1) / number
    return np.unique((1.0 - parts) * pair[0] + parts * pair[1])


def _counts(part: Part, edges: Floats, missing: Missing) -> npt.NDArray[np.int64]:
    """Count the records in each cell, missing ones as `missing` says."""
    counts, gone = bin_counts(part.columns.arrays[0], edges)
    if fills(gone, missing):
        counts = counts + gone * bin_counts(np.array([missing]), edges)[0]
    return counts
