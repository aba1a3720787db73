"""Ranks on a public grid of points: counts of records, utilities of ranks and their sensitivity."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._data.values import should_fill
from pydpstat._frozen import hide_values
from pydpstat._records.records import RecordChunk
from pydpstat._release.options import Missing
from pydpstat.r_arithmetic.elementary import Floats

IntegerArray = npt.NDArray[np.int64]
# ascending points and the number of records of each
OccupiedPoints = tuple[IntegerArray, IntegerArray]
# of 32 bits if these are sufficient
IntegerCounts = npt.NDArray[np.signedinteger]
# ascending cells and the number of records of each
OccupiedCells = tuple[IntegerCounts, IntegerCounts]

# of 2^40 candidates with exp(-128) times the best one's weight, one is chosen with probability 2^-144
_MAX_LOG_WEIGHT = 128
# a share is a multiple of 2^-20: its product with any number of records below 2^33 is exact
_SHARE_SCALE = 2.0**20
# a chunk of values fits into the second-level cache
_READ_CHUNK = 2**16
# size of the sample that locates the rank, and the assumed maximum error of its ranks in standard errors
_SAMPLE_SIZE, _N_STANDARD_ERRORS = 2**13, 5.0
# largest number of cells with dense counts, 64 MB in total
_MAX_DENSE_CELLS = 2**24
# from this number of cells per record on, sorting the records is faster than visiting all cells
SPARSE_CELLS_PER_RECORD = 4
# a chunk of values fits into the second-level cache, and is large enough for tables of all cells
_PIECE_SIZE = 2**18


def round_share(q: float) -> float:
    """Round a quantile's share to a multiple of 2^-20, so that q * n is exact up to n = 2^33."""
    return round(q * _SHARE_SCALE) / _SHARE_SCALE


def find_grid_indices(x: Floats, lower: float, upper: float, n_points: int) -> np.ndarray:
    """Return the index of each value's nearest grid point, from 0; values are clipped to the bounds."""
    indices = x.clip(lower, upper)
    indices -= lower
    indices *= (n_points - 1) / (upper - lower)
    indices += 0.5
    return indices.astype(np.intp)


def split_grid_into_runs(
    occupied: IntegerArray, record_counts: IntegerArray, n_points: int
) -> tuple[IntegerArray, IntegerArray, IntegerArray]:
    """Divide a grid into its occupied points and the runs of empty points before, between and after.

    The points of a run have the same ranks. With few records there are far fewer runs than points. `occupied` are
    the points that have records, ascending, and `record_counts` their numbers of records. Returned for each run
    are the number of records, the first point, and the number of points, which can be 0.
    """
    counts = np.zeros(2 * occupied.size + 1, dtype=np.int64)
    counts[1::2] = record_counts
    run_edges = np.zeros(counts.size + 1, dtype=np.int64)
    run_edges[1:-1:2] = occupied
    run_edges[2::2] = occupied + 1
    run_edges[-1] = n_points
    return counts, run_edges[:-1], run_edges[1:] - run_edges[:-1]


def compute_rank_utility(counts: IntegerArray, q: float) -> Floats:
    """Return the exact depth of the rank q n within the ranks of each grid point.

    It is ``min(q n - #{x < z}, #{x <= z} - q n)`` for a share q from `round_share`: positive if z has records and
    is the q-quantile, and otherwise minus the number of records between. `counts` are the records at each point,
    or in each run of `split_grid_into_runs`.
    """
    up_to = counts.cumsum()
    aim = q * float(up_to[-1])
    return np.minimum(aim - (up_to - counts), up_to - aim)


def compute_utility_limit(rate: Fraction) -> float:
    """Return a public limit, to whose negative lower utilities can be raised.

    That saves time if there are many of them, and does not increase the difference of any two utilities, so their
    sensitivity remains valid. Weights are proportional to exp(rate * utility), the best one's near 1.
    """
    return float(min(-(-_MAX_LOG_WEIGHT // min(rate, Fraction(1))), 2**53))


@lru_cache(maxsize=256)
def compute_rank_range(q: float, neighbors: str) -> Fraction:
    """Return the largest distance between the changes of two points' utilities if one record changes.

    It is 2 if a record is replaced, 2 max(q, 1 - q) if one is added or removed, and 1 for the minimum and the
    maximum (q 0 or 1) under both. Weights proportional to exp(epsilon / range * utility) satisfy epsilon, and so
    does permute-and-flip at this rate. q is a share from `round_share`.

    The utility is the smaller one of q n - #{y < z} and #{y <= z} - q n. Adding a record at x changes the first by
    q for z <= x and by q - 1 for z > x, and the second by -q for z < x and by 1 - q for z >= x; removing it, by
    the opposite. Each changes by at most max(q, 1 - q) in either direction, and so does the smaller one. Replacing
    a record leaves q n unchanged and changes each rank by at most 1, so the utility by at most 1 in either
    direction. With q = 0 the utility is -#{y < z}, which one record changes in one direction only, by 0 or 1; with
    q = 1 it is #{y <= z} - n, likewise.
    If all changes of the utility lie in an interval of length r, weights exp(c u) change by factors of which any
    two differ by at most exp(c r), and so does their mean, the total: each probability changes by a factor of at
    most exp(c r). Permute-and-flip depends on differences of utilities only, so the middle of the interval can be
    subtracted from all changes: these are then at most r / 2, and the rate is epsilon / (2 r / 2) (McKenna and
    Sheldon 2020, theorem 1).

    (Dong, J., Durfee, D. and Rogers, R. (2020). Optimal differential privacy composition for exponential
    mechanisms. ICML 2020: bounded range.)
    """
    share = Fraction(q)
    if share in (0, 1):
        return Fraction(1)
    return Fraction(2) if neighbors == "bounded" else 2 * max(share, 1 - share)


class RankTarget(NamedTuple):
    """Share of a quantile, and the largest distance from its rank at which a point's ranks matter."""

    share: float
    tolerance: float


class PointWindow(NamedTuple):
    """Numbers of records at successive grid points. Private.

    The points are successive from `first` on. The first count includes the records of all points before it, and
    the last one those of all points after it; `size` is the number of all records.
    """

    size: int
    first: int
    counts: IntegerArray

    def __repr__(self) -> str:
        return hide_values(self)


def count_window(x: Floats, grid: tuple[float, float, int], target: RankTarget) -> PointWindow | None:
    """Count the records at the points whose ranks are within the target's tolerance, in one pass.

    A sample locates these points. Return None if the sample mislocated them, or if a value is missing.
    """
    sample = np.sort(x[:: max(x.size // _SAMPLE_SIZE, 1)].astype(np.float64, copy=False))
    if np.isnan(sample[-1]):
        return None
    low, high = _find_window_limits(sample, grid, RankTarget(target.share, target.tolerance / x.size))
    below, above, inside = _split_at_limits(x, low, high)
    if np.isnan(inside).any():
        return None
    first_point, last_point = find_grid_indices(np.array([low, high]), *grid).tolist()
    counts = np.bincount(find_grid_indices(inside, *grid) - first_point, minlength=last_point - first_point + 1)
    counts[0] += below
    counts[-1] += above
    aim = target.share * x.size
    # the end points that include records of points outside must have ranks beyond the tolerance
    if (below and counts[0] > aim - target.tolerance) or (above and x.size - counts[-1] < aim + target.tolerance):
        return None
    return PointWindow(x.size, first_point, counts)


def _find_window_limits(sample: Floats, grid: tuple[float, float, int], target: RankTarget) -> tuple[float, float]:
    """Return grid points that enclose those within the target's tolerance, estimated from a sorted sample.

    The tolerance is a share of the number of records.
    """
    lower, upper, points = grid
    spare = target.tolerance + _N_STANDARD_ERRORS / (2.0 * _SAMPLE_SIZE**0.5)
    ranks = [math.floor((target.share + sign * spare) * sample.size) for sign in (-1.0, 1.0)]
    point_indices = find_grid_indices(sample[np.clip(ranks, 0, sample.size - 1)], *grid)
    # one point further, so that the counts of the points between are complete
    first_point, last_point = (point_indices + (-1, 1)).tolist()
    low = lower + first_point * ((upper - lower) / (points - 1)) if ranks[0] >= 0 and first_point > 0 else -np.inf
    high = lower + last_point * ((upper - lower) / (points - 1))
    return low, high if ranks[1] < sample.size and last_point < points - 1 else np.inf


def _split_at_limits(x: Floats, low: float, high: float) -> tuple[int, int, Floats]:
    """Return the numbers of values below and above two limits, and all other values."""
    below = above = 0
    inside = []
    for start in range(0, x.size, _READ_CHUNK):
        values = x[start : start + _READ_CHUNK].astype(np.float64, copy=False)
        lower, upper = values < low, values > high
        below += int(np.count_nonzero(lower))
        above += int(np.count_nonzero(upper))
        np.logical_or(lower, upper, out=lower)
        inside.append(values[~lower])
    return below, above, np.concatenate(inside)


@dataclass(frozen=True, slots=True)
class PointCounts:
    """Exact counts of records in cells; a cell is a point of a group, the points change fastest. Private.

    Counts and cells have 32 bits if these are sufficient. Either `dense` or `sparse` has the counts.

    `size` includes records with missing values. `sparse` has pairs of ascending occupied cells and their numbers
    of records, the longest first.
    """

    size: int
    n_cells: int
    dense: IntegerCounts | None
    sparse: tuple[OccupiedCells, ...]

    def __repr__(self) -> str:
        return hide_values(self)

    def get_counts(self) -> IntegerArray:
        """Return the number of records in every cell."""
        dense = _fill_cells(self) if self.dense is None else self.dense
        return dense.astype(np.int64, copy=False)

    def iterate_groups(self, n_points: int) -> Iterator[OccupiedPoints]:
        """Yield the occupied points of each group, ascending, and their numbers of records.

        Both have 64 bits, converted for some groups at a time.
        """
        step = max(_PIECE_SIZE // n_points, 1) * n_points
        cells, counts = _merge_sparse(self.sparse, self.n_cells, self.size)
        for first_cell in range(0, self.n_cells, step):
            last_cell = min(first_cell + step, self.n_cells)
            if self.dense is None:
                piece = slice(*cells.searchsorted(np.array([first_cell, last_cell], dtype=cells.dtype)))
                at, records = cells[piece].astype(np.int64), counts[piece]
            else:
                at = np.flatnonzero(self.dense[first_cell:last_cell]) + first_cell
                records = self.dense[at]
            records = records.astype(np.int64)
            starts = range(first_cell, last_cell + 1, n_points)
            group_edges = at.searchsorted(starts).tolist()
            for origin, start, stop in zip(starts, group_edges, group_edges[1:]):
                yield at[start:stop] - origin, records[start:stop]


def count_part_points(
    part: RecordChunk, grid: tuple[float, float, int], missing: Missing, groups: int | None
) -> PointCounts:
    """Count the records of a part at their nearest grid points; treat missing values as `missing` specifies."""
    x, group_codes, cells = part.columns.arrays[0], part.group_codes, grid[2] * (groups or 1)
    if cells > _MAX_DENSE_CELLS or x.size * SPARSE_CELLS_PER_RECORD <= cells:
        at = _compute_cells(x, group_codes, grid, missing).astype(_choose_integer_type(cells), copy=False)
        at.sort()
        cell_counts = _count_equal_values(at)
        return PointCounts(
            x.size, cells, None, ((cell_counts[0], cell_counts[1].astype(_choose_integer_type(x.size))),)
        )
    counts = np.zeros(cells, dtype=_choose_integer_type(x.size))
    step = max(_PIECE_SIZE, SPARSE_CELLS_PER_RECORD * cells)
    for start in range(0, x.size, step):
        piece = slice(start, start + step)
        at = _compute_cells(x[piece], None if group_codes is None else group_codes[piece], grid, missing)
        counts += np.bincount(at, minlength=cells)
    return PointCounts(x.size, cells, counts, ())


def merge_point_counts(first: PointCounts, second: PointCounts) -> PointCounts:
    """Add the counts of two parts; dense counts of the first are changed in place.

    Lists of occupied cells are merged if their lengths are similar, so that many small parts cost no more than
    sorting their records.
    """
    size, cells = first.size + second.size, first.n_cells
    if first.dense is not None:
        return PointCounts(
            size, cells, _add_counts(first.dense.astype(_choose_integer_type(size), copy=False), second), ()
        )
    if second.dense is not None:
        return PointCounts(size, cells, _add_counts(second.dense.astype(_choose_integer_type(size)), first), ())
    sparse = sorted((*first.sparse, *second.sparse), key=lambda each: -each[0].size)
    merged_counts = PointCounts(size, cells, None, tuple(sparse))
    if (
        cells <= _MAX_DENSE_CELLS
        and sum(cells_of_part.size for cells_of_part, _ in sparse) * SPARSE_CELLS_PER_RECORD > cells
    ):
        return PointCounts(size, cells, _fill_cells(merged_counts), ())
    while len(sparse) > 1 and 2 * sparse[-1][0].size >= sparse[-2][0].size:
        sparse[-2:] = [_merge_sparse(tuple(sparse[-2:]), cells, size)]
    return PointCounts(size, cells, None, tuple(sparse))


def _compute_cells(
    x: np.ndarray, group_codes: np.ndarray | None, grid: tuple[float, float, int], missing: Missing
) -> npt.NDArray[np.intp]:
    """Return the cell of each record that is counted."""
    cell_blocks = []
    for start in range(0, max(x.size, 1), _PIECE_SIZE):
        values = x[start : start + _PIECE_SIZE].astype(np.float64, copy=False)
        group = None if group_codes is None else group_codes[start : start + _PIECE_SIZE]
        absent = np.isnan(values)
        if should_fill(int(np.count_nonzero(absent)), missing):
            values = np.where(absent, missing, values)
        elif missing == "drop" and absent.any():
            values, group = values[~absent], None if group is None else group[~absent]
        at = find_grid_indices(values, *grid)
        if group is not None:
            at += group.astype(np.intp) * grid[2]
        cell_blocks.append(at)
    return cell_blocks[0] if len(cell_blocks) == 1 else np.concatenate(cell_blocks)


def _choose_integer_type(maximum: int) -> type[np.signedinteger]:
    """Return the smaller integer type that represents all numbers from 0 to `maximum`."""
    return np.int32 if maximum < 2**31 else np.int64


def _count_equal_values(values: IntegerCounts) -> tuple[IntegerCounts, npt.NDArray[np.intp]]:
    """Return the distinct values of an ascending array, and the number of times that each occurs."""
    first_positions = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: values.size])
    return values[first_positions], np.diff(first_positions, append=values.size)


def _merge_sparse(sparse: tuple[OccupiedCells, ...], n_cells: int, size: int) -> OccupiedCells:
    if len(sparse) == 1:
        return sparse[0]
    at = np.concatenate([np.zeros(0, dtype=_choose_integer_type(n_cells)), *[array for array, _ in sparse]])
    counts = np.concatenate([np.zeros(0, dtype=_choose_integer_type(size)), *[array for _, array in sparse]])
    order = np.argsort(at, kind="stable")
    at, counts = at[order], counts[order]
    first_positions = np.flatnonzero(np.append(True, at[1:] != at[:-1])[: at.size])
    return at[first_positions], np.add.reduceat(
        counts, first_positions, dtype=counts.dtype
    ) if first_positions.size else counts


def _fill_cells(point_counts: PointCounts) -> IntegerCounts:
    return _add_counts(np.zeros(point_counts.n_cells, dtype=_choose_integer_type(point_counts.size)), point_counts)


def _add_counts(counts: IntegerCounts, point_counts: PointCounts) -> IntegerCounts:
    """Add counts in place to those of every cell."""
    if point_counts.dense is not None:
        counts += point_counts.dense
    for at, records in point_counts.sparse:
        # the cells of one list are distinct
        counts[at] += records
    return counts
