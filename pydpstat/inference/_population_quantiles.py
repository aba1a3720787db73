"""Quantiles from a histogram with noisy counts, with intervals for the population's."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, GivenBounds, bounds_pair, check_filling, one_column
from pydpstat._data.values import fills
from pydpstat._frozen import Frozen
from pydpstat._release.options import Missing, Options, check_records
from pydpstat._release.statistic import release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.inference._null_distributions.quantiles import (
    FEWEST_BINS,
    MOST_BINS,
    MOST_CELLS,
    QuantileIntervals,
    bin_number,
    quantile_slope,
)
from pydpstat.results._labels import Labels
from pydpstat.results._postprocessing import BetweenEdges, PostProcessing
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import partition
from pydpstat.statistics._kernels.cells import bin_counts, cells_query, group_bin_counts
from pydpstat.statistics._kernels.quantile_points import GRID_POINTS
from pydpstat.statistics._kernels.records import Part, records_of
from pydpstat.statistics._kernels.scope import note_groups

Floats = npt.NDArray[np.float64]
STEPS = "between the edges of {} noisy cells {:.3g} wide, of which grid_points= may choose more"
# cells where the number of records is private, which none can be chosen for
CELLS = 128


@dataclass(frozen=True, eq=False)
class CellQuantiles(Frozen):
    """Quantiles of records that noisy cells count."""

    cells: Floats
    edges: Floats
    size: int | None
    rate: float

    @property
    def total(self) -> float:
        """The number of records, or the noisy one, at least 1."""
        return max(float(self.cells.sum()), 1.0) if self.size is None else float(self.size)

    def _below(self) -> Floats:
        """Return how many records seem to be below each edge, ascending.

        The mean of what the cells below and those above say has a quarter of the noise of all cells.
        """
        inner = 0.5 * (self.cells[:-1].cumsum() + self.total - self.cells[:0:-1].cumsum()[::-1])
        inner = np.maximum.accumulate(inner.clip(0.0, self.total)) if inner.size else inner
        return np.concatenate([[0.0], inner, [self.total]])

    def quantile(self, share: float) -> float:
        """Return the point below which that share of the records seems to be."""
        below, wanted = self._below(), share * self.total
        place = int(np.searchsorted(below, wanted, side="right")) - 1
        cell = min(max(place, 0), self.cells.size - 1)
        gap = float(below[cell + 1] - below[cell])
        part = (wanted - float(below[cell])) / gap if gap > 0.0 else 0.5
        part = min(max(part, 0.0), 1.0)
        return float((1.0 - part) * self.edges[cell] + part * self.edges[cell + 1])

    def slope(self, share: float) -> float:
        """Return how far noise of a standard deviation of 1 in each cell moves the quantile.

        NaN where the noise of the counts below the quantile is above a tenth of all records.
        """
        deviation = math.sqrt(2.0) / self.rate
        apart = 0.5 * math.sqrt(self.cells.size) * deviation / self.total
        if apart > 0.1:
            return math.nan
        return quantile_slope(self.quantile, share, deviation, apart)


def release_cells(
    function: str,
    x: Data,
    bounds: GivenBounds,
    shares: Sequence[float],
    names: tuple[str, ...] | None,
    own: tuple[tuple[str, object], ...],
    grid_points: int,
    how: Options,
) -> DPResults:
    """Release the noisy histogram that quantiles follow from; `names` are those of several quantiles."""
    if how.scope.sample is not None:
        raise PydpstatError("sample must be left out with population=True. Leave out one of them.")
    pair = bounds_pair(bounds)
    check_filling(how.missing, [pair])
    records, how = records_of(x, how.independent(), one_column, "x")
    number = _cell_number(grid_points, how.bounded)
    finest = cell_edges(pair, MOST_BINS if number is None else number)
    tally = partial(_counts, edges=finest, missing=how.missing, groups=records.group_number)
    counts, size = records.numbered(
        lambda: records.fold(tally, np.add),
        lambda found: int(found.sum()),
        partial(check_records, how, least=1, statistic=function, argument="x"),
    )
    edges = finest
    if number is None:
        # the number of records is known now; coarser cells are made of the finest ones
        edges = cell_edges(pair, bin_number(size or 0, how.epsilon))
        counts = np.add.reduceat(counts, np.searchsorted(finest, edges[:-1]), axis=-1)
    name = records.name if records.names is None else records.names[0]
    labels = records.named(Labels((name or function) if names is None else (name or "quantile"), names=names))
    asked = cells_query(function, counts, labels, size or 0, how)
    rate = how.epsilon / float(asked.sensitivities[0])
    shape = (*counts.shape[:-1], *(() if names is None else (len(shares),)))

    def publish(noisy: np.ndarray) -> tuple[np.ndarray, PostProcessing]:
        rows, public = noisy.reshape(-1, edges.size - 1), size if how.bounded else None
        # the geometric noise of a cell has a standard deviation below this
        note_groups(records.groups, rows.sum(axis=1), math.sqrt(2.0 * rows.shape[1]) / rate)
        known = [CellQuantiles(row, edges, public, rate) for row in rows]
        slopes = partition.in_columns([each.slope(share) for each in known for share in shares], shape)
        value = np.array([each.quantile(share) for each in known for share in shares]).reshape(shape)
        intervals = QuantileIntervals(noisy, edges, public, rate, tuple(shares), shape)
        step = STEPS.format(edges.size - 1, edges[1] - edges[0])
        return value, BetweenEdges(slopes, (step,), intervals, population=intervals)

    said = () if number in (None, CELLS) else (("grid_points", number + 1),)
    return release_statistic(
        function,
        asked,
        how,
        data=("x",),
        arguments=(*own, ("bounds", pair), ("population", True), *said, *records.arguments),
        bounds=pair,
        publish=publish,
        conditions=records.conditions,
    )


def _cell_number(grid_points: object, bounded: bool) -> int | None:
    """Return how many cells are counted: one less than edges; None where it follows from n and epsilon."""
    if checks.is_number(grid_points) and grid_points == GRID_POINTS:
        return None if bounded else CELLS
    allowed = f"a whole number from {FEWEST_BINS + 1} to {MOST_CELLS + 1} with population=True"
    hint = "It is the number of edges of the cells in which records are counted, for example 129."
    return (
        checks.integer(
            grid_points, "grid_points", FEWEST_BINS + 1, MOST_CELLS + 1, allowed=allowed, hint=hint
        )
        - 1
    )


def cell_edges(pair: tuple[float, float], number: int) -> Floats:
    """Return edges of so many cells of equal width, fewer where floats have no room between them.

    For powers of 2 each edge of some cells is one of all finer ones.
    """
    parts = np.arange(number + 1) / number
    return np.unique((1.0 - parts) * pair[0] + parts * pair[1])


def _counts(part: Part, edges: Floats, missing: Missing, groups: int | None) -> npt.NDArray[np.int64]:
    """Count the records in each cell, by group where there are some, missing ones as `missing` says."""
    values, places = part.columns.arrays[0], part.places
    found: Any = bin_counts(values, edges)
    if groups is not None and places is not None:
        found = group_bin_counts(values, places, groups, edges)
    counts, gone = found
    if fills(int(np.sum(gone)), missing):
        counts = counts + np.multiply.outer(gone, bin_counts(np.array([missing]), edges)[0])
    return counts
