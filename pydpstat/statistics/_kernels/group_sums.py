"""Exact sums over the records of each group, and of all of them: a pass over records in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._release.options import Missing
from pydpstat.statistics._kernels.record_grid import (
    BITS,
    CHUNK,
    Pairs,
    RecordGrid,
    Sums,
    chunks,
    completed,
    product_unit,
    rounded,
    sums,
    units,
)
from pydpstat.statistics._kernels.records import Part

# so many records of at most 2^40 units add up to at most 2^53
_EXACT = 1 << 53 - BITS
# from so many groups on, records are split into two numbers instead of being added up a few at a time
_MANY = 4096
# records taken at a time where there are fewer: what they need stays in the processor's cache
_FEW = 1 << 14
# sums are kept in two integers of 64 bits: whole multiples of this and the rest
_LOW = 26

# of each column, or of all together; `GroupSums` where there are groups, else `Sums`
Found = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class GroupSums:
    """Exact sums over the records of each group. Private.

    `totals` are of shape (sums, 2, groups): of the first `variables` variables and then of the products, in
    the units of `Sums`, multiples of 2^26 and what is left.
    """

    counts: npt.NDArray[np.int64]
    totals: npt.NDArray[np.int64]
    variables: int

    def __repr__(self) -> str:
        return "GroupSums(values withheld)"

    def __add__(self, other: GroupSums) -> GroupSums:
        return GroupSums(self.counts + other.counts, self.totals + other.totals, self.variables)

    def each(self) -> list[Sums]:
        """Return the sums of every group, in Python's integers."""
        rows = [_whole(total) for total in self.totals]
        columns = zip(*rows) if rows else ((),) * self.counts.size
        cut = self.variables
        return [Sums(n, row[:cut], row[cut:]) for n, row in zip(self.counts.tolist(), columns)]


def _whole(total: npt.NDArray[np.int64]) -> list[int]:
    return [(high << _LOW) + low for high, low in zip(*total.tolist())]


def in_two(totals: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return sums as `GroupSums` has them: of shape (2, groups)."""
    return np.array([[total >> _LOW for total in totals], [total & (1 << _LOW) - 1 for total in totals]])


def column_sums(
    part: Part, grids: Sequence[RecordGrid], missing: Missing, pairs: Pairs, groups: int | None
) -> Found:
    """Return the sums of every column on its own, by group where there are some."""
    places, arrays = part.places, part.columns.arrays
    if groups is None or places is None:
        return tuple([sums((x,), (grid,), missing, pairs) for x, grid in zip(arrays, grids)])
    return tuple([sums_by((x,), (grid,), missing, pairs, places, groups) for x, grid in zip(arrays, grids)])


def joint_sums(
    part: Part, grids: Sequence[RecordGrid], missing: Missing, pairs: Pairs, groups: int | None
) -> Found:
    """Return the sums of all variables together, by group where there are some."""
    places, arrays = part.places, part.columns.arrays
    if groups is None or places is None:
        return (sums(arrays, grids, missing, pairs),)
    return (sums_by(arrays, grids, missing, pairs, places, groups),)


def square_sums(part: Part, grids: Sequence[RecordGrid], missing: Missing, groups: int | None) -> GroupSums:
    """Return the sums of the nine products of two variables' parabola weights, for every pair and group."""
    places, arrays = part.places, part.columns.arrays
    pairs = list(combinations(range(len(arrays)), 2))
    counts = np.zeros(groups or 1, dtype=np.int64)
    totals = np.zeros((9 * len(pairs), 2, groups or 1), dtype=np.int64)
    unit = 2.0**-BITS
    if groups is None:
        return _square_sums_of_all(arrays, grids, missing, pairs)
    for placed, at in placed_by_group(arrays, grids, missing, places, counts.size):
        counts += np.bincount(at, minlength=counts.size)
        weights = [_parabola(z, unit) for z in placed]
        products = (one * other for i, j in pairs for one in weights[i] for other in weights[j])
        for total, product in zip(totals, products):
            add_by_group(total, rounded(product, unit), unit, at)
    return GroupSums(counts, totals, 9 * len(pairs))


def _square_sums_of_all(
    arrays: Sequence[np.ndarray],
    grids: Sequence[RecordGrid],
    missing: Missing,
    pairs: Sequence[tuple[int, int]],
) -> GroupSums:
    """Return the same sums where there are no groups: added up with whole rows, which takes less time."""
    unit, count, sums_of = 2.0**-BITS, 0, [0] * (9 * len(pairs))
    for placed, _ in chunks(arrays, grids, missing):
        count += placed[0].size
        weights = [_parabola(z, unit) for z in placed]
        products = (one * other for i, j in pairs for one in weights[i] for other in weights[j])
        for place, product in enumerate(products):
            sums_of[place] += units(rounded(product, unit), unit, BITS) or 0
    totals = np.array([in_two([total]) for total in sums_of])
    return GroupSums(np.array([count], dtype=np.int64), totals.reshape(-1, 2, 1), len(sums_of))


def _parabola(z: np.ndarray, unit: float) -> list[np.ndarray]:
    s = rounded(z * z, unit)
    return [(1.0 - 2.0 * z + s) * 0.25, (1.0 - s) * 0.5, (1.0 + 2.0 * z + s) * 0.25]


def merged(first: Found, second: Found) -> Found:
    """Add up two parts' sums."""
    return tuple([one + other for one, other in zip(first, second)])


def by_group(found: Found) -> list[tuple[Sums, ...]]:
    """Return the sums of each group and column."""
    return list(zip(*[each.each() if isinstance(each, GroupSums) else [each] for each in found]))


def sums_by(
    arrays: Sequence[np.ndarray],
    grids: Sequence[RecordGrid],
    missing: Missing,
    pairs: Pairs,
    places: np.ndarray,
    groups: int,
) -> GroupSums:
    """Add up the records of each group, as `sums` does for all."""
    counts = np.zeros(groups, dtype=np.int64)
    totals = np.zeros((len(arrays) + len(pairs), 2, groups), dtype=np.int64)
    # one block for all products: fetching memory again would take longer than the arithmetic
    block = np.empty(min(_step(groups), arrays[0].shape[0]) if pairs else 0)
    for placed, at in placed_by_group(arrays, grids, missing, places, groups):
        counts += np.bincount(at, minlength=groups)
        for total, y, grid in zip(totals, placed, grids):
            add_by_group(total, y, grid.unit, at)
        for total, (i, j) in zip(totals[len(arrays) :], pairs):
            unit = product_unit(grids[i], grids[j])
            product = np.multiply(placed[i], placed[j], out=block[: at.size])
            add_by_group(total, rounded(product, unit), unit, at)
    return GroupSums(counts, totals, len(arrays))


def _step(groups: int) -> int:
    """Return how many records to take at a time; with many groups each time has its own price."""
    return _FEW if groups < _MANY else CHUNK


def placed_by_group(
    arrays: Sequence[np.ndarray],
    grids: Sequence[RecordGrid],
    missing: Missing,
    places: np.ndarray | None,
    groups: int,
) -> Iterator[tuple[list[np.ndarray], np.ndarray]]:
    """Yield records on their grids with their groups, some at a time, missing values dealt with."""
    size, step = arrays[0].shape[0], _step(groups)
    blocks = [np.empty(min(step, size)) for _ in arrays]
    for start in range(0, size, step):
        stop = min(start + step, size)
        at = np.zeros(stop - start, dtype=np.intp) if places is None else places[start:stop].astype(np.intp)
        placed = [
            grid.place(x[start:stop], block[: stop - start]) for x, grid, block in zip(arrays, grids, blocks)
        ]
        if any(np.isnan(y.sum()) for y in placed):
            placed, kept = completed(placed, grids, missing)
            at = at if kept is None else at[kept]
        yield placed, at


def add_by_group(total: npt.NDArray[np.int64], y: np.ndarray, unit: float, places: np.ndarray) -> None:
    """Add multiples of a unit, at most 2^40 of them each, to their groups' exact sums.

    Floating-point numbers hold every partial sum of up to 2^13 of them. Where there are many groups each
    number is split into a multiple of 2^20 units and a rest of at most 2^19, of which 2^33 can be added up.
    """
    groups = total.shape[1]
    if groups < _MANY:
        for start in range(0, y.size, _EXACT):
            piece = slice(start, start + _EXACT)
            _keep(total, np.bincount(places[piece], y[piece], groups), unit)
        return
    coarse = unit * 2.0**20
    high = rounded(y.copy(), coarse)
    _keep(total, np.bincount(places, y - high, groups), unit)
    units = np.bincount(places, high, groups) / coarse
    # a multiple of 2^20 units: 2^-6 of what the first integer counts
    whole = units.astype(np.int64)
    total[0] += whole >> (_LOW - 20)
    total[1] += (whole & (1 << (_LOW - 20)) - 1) << 20


def _keep(total: npt.NDArray[np.int64], added: np.ndarray, unit: float) -> None:
    whole = (added / unit).astype(np.int64)
    total[0] += whole >> _LOW
    total[1] += whole & (1 << _LOW) - 1
