"""How many records each point of a grid has, by group: exact counts that parts of the records add up to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat._data.values import fills
from pydpstat._release.statistic import Missing
from pydpstat.statistics._kernels.order_grid import grid_places
from pydpstat.statistics._kernels.records import Part

Counts = npt.NDArray[np.int64]
# ascending cells and how many records each has
Occupied = tuple[Counts, Counts]

# up to so many cells have a place in memory each, 128 MB in all
_MOST_DENSE = 2**24
# with so many cells for each record it takes less time to sort the records than to go through all cells
FEW = 4
# a piece of values stays in the second-level cache, or makes the tables of all cells worth while
_PIECE = 2**18


@dataclass(frozen=True, slots=True)
class PointCounts:
    """Exact counts of records in cells; a cell is a point of a group, the points change fastest. Private.

    Parameters
    ----------
    size : int
        Number of records that were read, those with missing values too.
    cells : int
        Number of cells.
    dense : ndarray of int64, shape (cells,), or None
        A count for each cell.
    sparse : tuple of (ndarray of int64, ndarray of int64)
        Further counts: occupied cells, ascending, and their numbers of records. The first are the longest.
    """

    size: int
    cells: int
    dense: Counts | None
    sparse: tuple[Occupied, ...]

    def __repr__(self) -> str:
        return "PointCounts(values withheld)"

    def occupied(self) -> Occupied:
        """Return the occupied cells, ascending, and their numbers of records."""
        if self.dense is None:
            return _together(self.sparse)
        counts = self.counts()
        cells = np.flatnonzero(counts)
        return cells, counts[cells]

    def counts(self) -> Counts:
        """Return the number of records of every cell."""
        return _filled(self.cells, self.dense, self.sparse)

    def rows(self, points: int) -> Iterator[Occupied]:
        """Yield the occupied points of each group, ascending, and their numbers of records."""
        cells, counts = self.occupied()
        ends = cells.searchsorted(np.arange(0, self.cells + 1, points)).tolist()
        for group, (start, stop) in enumerate(zip(ends, ends[1:])):
            yield cells[start:stop] - group * points, counts[start:stop]


def point_counts(
    part: Part, grid: tuple[float, float, int], missing: Missing, groups: int | None
) -> PointCounts:
    """Count the records of a part at the nearest points of a grid, missing ones as `missing` says.

    Examples
    --------
    >>> from pydpstat._data.columns import numbers_of
    >>> part = Part(numbers_of([-5.0, 0.2, 0.9, 2.0, np.nan]), None)
    >>> point_counts(part, (0.0, 1.0, 3), "drop", None).counts()
    array([2, 0, 2])
    """
    x, places, cells = part.columns.arrays[0], part.places, grid[2] * (groups or 1)
    if cells > _MOST_DENSE or x.size * FEW <= cells:
        found = np.unique(_cells(x, places, grid, missing), return_counts=True)
        return PointCounts(x.size, cells, None, (found,) if found[0].size else ())
    counts = np.zeros(cells, dtype=np.int64)
    step = max(_PIECE, FEW * cells)
    for start in range(0, x.size, step):
        piece = slice(start, start + step)
        at = _cells(x[piece], None if places is None else places[piece], grid, missing)
        counts += np.bincount(at, minlength=cells)
    return PointCounts(x.size, cells, counts, ())


def merged(first: PointCounts, second: PointCounts) -> PointCounts:
    """Add up the counts of two parts; neither of them is changed.

    Lists of occupied cells are put together where they are of similar lengths, so that many small parts
    cost no more than to sort them.
    """
    cells, dense = first.cells, first.dense if second.dense is None else second.dense
    if first.dense is not None and second.dense is not None:
        dense = first.dense + second.dense
    sparse = sorted((*first.sparse, *second.sparse), key=lambda each: -each[0].size)
    if cells <= _MOST_DENSE and sum(each.size for each, _ in sparse) * FEW > cells:
        return PointCounts(first.size + second.size, cells, _filled(cells, dense, tuple(sparse)), ())
    while len(sparse) > 1 and 2 * sparse[-1][0].size >= sparse[-2][0].size:
        sparse[-2:] = [_together(tuple(sparse[-2:]))]
    return PointCounts(first.size + second.size, cells, dense, tuple(sparse))


def _cells(
    x: np.ndarray, places: np.ndarray | None, grid: tuple[float, float, int], missing: Missing
) -> npt.NDArray[np.intp]:
    """Return the cell of each record that counts."""
    found = []
    for start in range(0, max(x.size, 1), _PIECE):
        values = x[start : start + _PIECE].astype(np.float64, copy=False)
        group = None if places is None else places[start : start + _PIECE]
        absent = np.isnan(values)
        if fills(int(np.count_nonzero(absent)), missing):
            values = np.where(absent, missing, values)
        elif missing == "drop" and absent.any():
            values, group = values[~absent], None if group is None else group[~absent]
        at = grid_places(values, *grid)
        if group is not None:
            at += group.astype(np.intp) * grid[2]
        found.append(at)
    return found[0] if len(found) == 1 else np.concatenate(found)


def _together(sparse: tuple[Occupied, ...]) -> Occupied:
    if len(sparse) == 1:
        return sparse[0]
    cells = np.concatenate([np.zeros(0, dtype=np.int64), *[each for each, _ in sparse]])
    counts = np.concatenate([np.zeros(0, dtype=np.int64), *[each for _, each in sparse]])
    order = np.argsort(cells, kind="stable")
    cells, counts = cells[order], counts[order]
    first = np.flatnonzero(np.append(True, cells[1:] != cells[:-1])[: cells.size])
    return cells[first], np.add.reduceat(counts, first) if first.size else counts


def _filled(cells: int, dense: Counts | None, sparse: tuple[Occupied, ...]) -> Counts:
    if dense is not None and not sparse:
        return dense
    counts = np.zeros(cells, dtype=np.int64) if dense is None else dense.copy()
    for at, records in sparse:
        # no cell is twice in one list
        counts[at] += records
    return counts
