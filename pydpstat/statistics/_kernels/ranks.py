"""Ranks on a public grid of points: how many records each point has, and how far its ranks are off."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._data.values import fills
from pydpstat._release.options import Missing
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.statistics._kernels.records import Part

Integers = npt.NDArray[np.int64]
# ascending points and how many records each has
Occupied = tuple[Integers, Integers]
# of 32 bits where these are enough
Counts = npt.NDArray[np.signedinteger]
# ascending cells and how many records each has
Cells = tuple[Counts, Counts]

# of 2^40 candidates with exp(-128) times the best one's weight, one is chosen with probability 2^-144
_FARTHEST = 128
# a share is a whole multiple of 2^-20: its product with any number of records below 2^33 is exact
_SHARE = 2.0**20
# a piece of values stays in the second-level cache
_READ = 2**16
# so many values tell near which ones the rank is; their own ranks err by less than so many standard errors
_SAMPLE, _ERRORS = 2**13, 5.0
# up to so many cells have a place in memory each, 64 MB in all
_MOST_DENSE = 2**24
# with so many cells for each record it takes less time to sort the records than to go through all cells
FEW = 4
# a piece of values stays in the second-level cache, or makes the tables of all cells worth while
_PIECE = 2**18


def public_share(q: float) -> float:
    """Round a quantile's share to a multiple of 2^-20, so that q * n is exact up to n = 2^33."""
    return round(q * _SHARE) / _SHARE


def grid_places(x: Floats, lower: float, upper: float, points: int) -> np.ndarray:
    """Return each value's nearest grid point, from 0; values outside the bounds are clipped to them."""
    place = x.clip(lower, upper)
    place -= lower
    place *= (points - 1) / (upper - lower)
    place += 0.5
    return place.astype(np.intp)


def grid_runs(occupied: Integers, records: Integers, points: int) -> tuple[Integers, Integers, Integers]:
    """Divide a grid into its occupied points and the runs of empty points before, between and after.

    The points of a run have the same ranks. With few records there are far fewer runs than points.
    `occupied` are the points that have records, ascending, and `records` how many each has. Of each run
    come the number of records, the first point, and the number of points, which can be 0.
    """
    counts = np.zeros(2 * occupied.size + 1, dtype=np.int64)
    counts[1::2] = records
    ends = np.zeros(counts.size + 1, dtype=np.int64)
    ends[1:-1:2] = occupied
    ends[2::2] = occupied + 1
    ends[-1] = points
    return counts, ends[:-1], ends[1:] - ends[:-1]


def rank_utility(counts: Integers, q: float) -> Floats:
    """Return the depth of the rank q n within the ranks of each grid point, exactly.

    It is ``min(q n - #{x < z}, #{x <= z} - q n)`` for a share q from `public_share`: positive if z has
    records and is the q-quantile, and otherwise minus the number of records in between. `counts` are the
    records at each point, or in each run of `grid_runs`.
    """
    up_to = counts.cumsum()
    aim = q * float(up_to[-1])
    return np.minimum(aim - (up_to - counts), up_to - aim)


def farthest(rate: Fraction) -> float:
    """Return a public limit: utilities that are lower can be raised to its negative.

    That saves time where there are many, and it brings no two utilities further apart, so that
    their sensitivity stays. Weights are proportional to exp(rate * utility), the best one's near 1.
    """
    return float(min(-(-_FARTHEST // min(rate, Fraction(1))), 2**53))


@lru_cache(maxsize=256)
def rank_range(q: float, neighbors: str) -> Fraction:
    """Return how far the changes of two points' utilities can lie apart when one record changes.

    It is 2 where a record is replaced, 2 max(q, 1 - q) where one is added or removed, and 1 for the
    minimum and the maximum (q 0 or 1) under both. Weights proportional to exp(epsilon / range * utility)
    keep epsilon, and so does permute-and-flip at this rate. q is a share from `public_share`.

    The utility is the smaller one of q n - #{y < z} and #{y <= z} - q n. A record that is added at x changes
    the first by q for z <= x and by q - 1 for z > x, and the second by -q for z < x and by 1 - q for z >= x;
    removed, by the opposite. Each moves by at most max(q, 1 - q) either way, and so does the smaller one. A
    record that is replaced leaves q n and moves each rank by at most 1, so the utility by at most 1 either
    way. With q = 0 the utility is -#{y < z}, which one record moves to one side only, by 0 or 1; with q = 1
    it is #{y <= z} - n, likewise.
    If all changes of the utility lie in an interval of length r, weights exp(c u) change by factors
    of which any two differ by at most exp(c r), and so does their mean, the total: each probability
    changes by a factor of at most exp(c r). Permute-and-flip depends on differences of utilities alone, so
    the middle of the interval can be subtracted from all changes: these are then at most r / 2, and the rate
    is epsilon / (2 r / 2) (McKenna and Sheldon 2020, theorem 1).

    (Dong, J., Durfee, D. and Rogers, R. (2020). Optimal differential privacy composition for exponential
    mechanisms. ICML 2020: bounded range.)
    """
    share = Fraction(q)
    if share in (0, 1):
        return Fraction(1)
    return Fraction(2) if neighbors == "bounded" else 2 * max(share, 1 - share)


class Near(NamedTuple):
    """A quantile's share, and how far from its rank a point's ranks can lie and still count."""

    share: float
    reach: float


class Window(NamedTuple):
    """How many records each of some successive grid points has. Private.

    The points are successive from `first` on. The first has the records of all points before it, too, and the
    last those of all points after it; `size` is the number of all records.
    """

    size: int
    first: int
    counts: Integers

    def __repr__(self) -> str:
        return "Window(values withheld)"


def window_near(x: Floats, grid: tuple[float, float, int], near: Near) -> Window | None:
    """Count the records at the points whose ranks lie within reach of a share's, in one pass.

    A sample tells which values these are. None where it told wrong, or where a value is missing.
    """
    sample = np.sort(x[:: max(x.size // _SAMPLE, 1)].astype(np.float64, copy=False))
    if np.isnan(sample[-1]):
        return None
    low, high = _ends(sample, grid, Near(near.share, near.reach / x.size))
    below, above, inside = _divided(x, low, high)
    if np.isnan(inside).any():
        return None
    first, stop = grid_places(np.array([low, high]), *grid).tolist()
    counts = np.bincount(grid_places(inside, *grid) - first, minlength=stop - first + 1)
    counts[0] += below
    counts[-1] += above
    aim = near.share * x.size
    # the ranks of the points at the ends that hold others' records, and hence of these others, are too far
    if (below and counts[0] > aim - near.reach) or (above and x.size - counts[-1] < aim + near.reach):
        return None
    return Window(x.size, first, counts)


def _ends(sample: Floats, grid: tuple[float, float, int], near: Near) -> tuple[float, float]:
    """Return grid points between which those within reach of the share's rank lie, as a sorted sample tells.

    The reach is a share of all ranks.
    """
    lower, upper, points = grid
    spare = near.reach + _ERRORS / (2.0 * _SAMPLE**0.5)
    ranks = [math.floor((near.share + sign * spare) * sample.size) for sign in (-1.0, 1.0)]
    places = grid_places(sample[np.clip(ranks, 0, sample.size - 1)], *grid)
    # one point further, so that all records at the points between them are known
    first, stop = (places + (-1, 1)).tolist()
    low = lower + first * ((upper - lower) / (points - 1)) if ranks[0] >= 0 and first > 0 else -np.inf
    high = lower + stop * ((upper - lower) / (points - 1))
    return low, high if ranks[1] < sample.size and stop < points - 1 else np.inf


def _divided(x: Floats, low: float, high: float) -> tuple[int, int, Floats]:
    """Return how many values lie below and above two ends, and all others."""
    below = above = 0
    inside = []
    for start in range(0, x.size, _READ):
        values = x[start : start + _READ].astype(np.float64, copy=False)
        lower, upper = values < low, values > high
        below += int(np.count_nonzero(lower))
        above += int(np.count_nonzero(upper))
        np.logical_or(lower, upper, out=lower)
        inside.append(values[~lower])
    return below, above, np.concatenate(inside)


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


def _kind(most: int) -> type[np.signedinteger]:
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
