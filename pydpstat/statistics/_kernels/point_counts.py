"""How many records each point of a grid has, by group: exact counts that parts of the records add up to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._data.values import fills
from pydpstat._release.statistic import Missing
from pydpstat.statistics._kernels.order_grid import grid_places
from pydpstat.statistics._kernels.records import Part

Integers = npt.NDArray[np.int64]
# ascending points and how many records each has
Occupied = tuple[Integers, Integers]
# of 32 bits where these are enough
Counts = npt.NDArray[np.signedinteger[Any]]
# ascending cells and how many records each has
Cells = tuple[Counts, Counts]

# up to so many cells have a place in memory each, 64 MB in all
_MOST_DENSE = 2**24
# with so many cells for each record it takes less time to sort the records than to go through all cells
FEW = 4
# a piece of values stays in the second-level cache, or makes the tables of all cells worth while
_PIECE = 2**18


@dataclass(frozen=True, slots=True)
class PointCounts:
    """Exact counts of records in cells; a cell is a point of a group, the points change fastest. Private.

    Counts and cells have 32 bits where these are enough. Only one of the two fields has any.

    `size` counts records with missing values, too. `sparse` are pairs of ascending occupied cells and their
    numbers of records; the first are the longest.
    """

    size: int
    cells: int
    dense: Counts | None
    sparse: tuple[Cells, ...]

    def __repr__(self) -> str:
        return "PointCounts(values withheld)"

    def counts(self) -> Integers:
        """Return the number of records of every cell."""
        dense = _filled(self) if self.dense is None else self.dense
        return dense.astype(np.int64, copy=False)

    def rows(self, points: int) -> Iterator[Occupied]:
        """Yield the occupied points of each group, ascending, and their numbers of records.

        Both are of 64 bits, and of some groups at a time.
        """
        step = max(_PIECE // points, 1) * points
        cells, counts = _together(self.sparse, self.cells, self.size)
        for first in range(0, self.cells, step):
            last = min(first + step, self.cells)
            if self.dense is None:
                piece = slice(*cells.searchsorted(np.array([first, last], dtype=cells.dtype)))
                at, records = cells[piece].astype(np.int64), counts[piece]
            else:
                at = np.flatnonzero(self.dense[first:last]) + first
                records = self.dense[at]
            records = records.astype(np.int64)
            starts = range(first, last + 1, points)
            ends = at.searchsorted(starts).tolist()
            for origin, start, stop in zip(starts, ends, ends[1:]):
                yield at[start:stop] - origin, records[start:stop]


def point_counts(
    part: Part, grid: tuple[float, float, int], missing: Missing, groups: int | None
) -> PointCounts:
    """Count the records of a part at the nearest points of a grid, missing ones as `missing` says."""
    x, places, cells = part.columns.arrays[0], part.places, grid[2] * (groups or 1)
    if cells > _MOST_DENSE or x.size * FEW <= cells:
        at = _cells(x, places, grid, missing).astype(_kind(cells), copy=False)
        at.sort()
        found = _runs(at)
        return PointCounts(x.size, cells, None, ((found[0], found[1].astype(_kind(x.size))),))
    counts = np.zeros(cells, dtype=_kind(x.size))
    step = max(_PIECE, FEW * cells)
    for start in range(0, x.size, step):
        piece = slice(start, start + step)
        at = _cells(x[piece], None if places is None else places[piece], grid, missing)
        counts += np.bincount(at, minlength=cells)
    return PointCounts(x.size, cells, counts, ())


def merged(first: PointCounts, second: PointCounts) -> PointCounts:
    """Add up the counts of two parts; a count for each cell of the first is changed in its place.

    Lists of occupied cells are put together where they are of similar lengths, so that many small parts
    cost no more than to sort them.
    """
    size, cells = first.size + second.size, first.cells
    if first.dense is not None:
        return PointCounts(size, cells, _added(first.dense.astype(_kind(size), copy=False), second), ())
    if second.dense is not None:
        return PointCounts(size, cells, _added(second.dense.astype(_kind(size)), first), ())
    sparse = sorted((*first.sparse, *second.sparse), key=lambda each: -each[0].size)
    found = PointCounts(size, cells, None, tuple(sparse))
    if cells <= _MOST_DENSE and sum(each.size for each, _ in sparse) * FEW > cells:
        return PointCounts(size, cells, _filled(found), ())
    while len(sparse) > 1 and 2 * sparse[-1][0].size >= sparse[-2][0].size:
        sparse[-2:] = [_together(tuple(sparse[-2:]), cells, size)]
    return PointCounts(size, cells, None, tuple(sparse))


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


def _kind(most: int) -> type[np.signedinteger[Any]]:
    """Return the smaller type of integers that has all from 0 to `most`."""
    return np.int32 if most < 2**31 else np.int64


def _runs(values: Counts) -> tuple[Counts, npt.NDArray[np.intp]]:
    """Return the different ones among ascending values, and how often each stands there."""
    first = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: values.size])
    return values[first], np.diff(first, append=values.size)


def _together(sparse: tuple[Cells, ...], cells: int, size: int) -> Cells:
    if len(sparse) == 1:
        return sparse[0]
    at = np.concatenate([np.zeros(0, dtype=_kind(cells)), *[each for each, _ in sparse]])
    counts = np.concatenate([np.zeros(0, dtype=_kind(size)), *[each for _, each in sparse]])
    order = np.argsort(at, kind="stable")
    at, counts = at[order], counts[order]
    first = np.flatnonzero(np.append(True, at[1:] != at[:-1])[: at.size])
    return at[first], np.add.reduceat(counts, first, dtype=counts.dtype) if first.size else counts


def _filled(found: PointCounts) -> Counts:
    return _added(np.zeros(found.cells, dtype=_kind(found.size)), found)


def _added(counts: Counts, found: PointCounts) -> Counts:
    """Add counts to those of every cell."""
    if found.dense is not None:
        counts += found.dense
    for at, records in found.sparse:
        # no cell is twice in one list
        counts[at] += records
    return counts
