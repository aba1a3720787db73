"""Exact sums over the records of each group, and over all records, in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import hide_values
from pydpstat._records.record_grid import (
    GRID_BITS,
    RECORDS_PER_CHUNK,
    ExactSums,
    IndexPairs,
    RecordGrid,
    compute_product_unit,
    fill_missing,
    iterate_chunks,
    round_to_unit,
    sum_in_units,
    sum_records,
)
from pydpstat._records.records import RecordChunk
from pydpstat._release.options import Missing

# this number of records of at most 2^40 units add up to at most 2^53 units
_MAX_EXACT_TERMS = 1 << 53 - GRID_BITS
# from this number of groups on, records are split into two numbers instead of summed in short pieces
_MANY_GROUPS = 4096
# records per chunk for fewer groups; its arrays fit into the processor's cache
_SMALL_CHUNK = 1 << 14
# sums are stored in two 64-bit integers: multiples of 2^26 and the remainder
_LOW_BITS = 26

# sums of each column, or of all columns jointly; `GroupSums` if there are groups, else `ExactSums`
FoldedSums = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class GroupSums:
    """Exact sums over the records of each group. Private.

    `totals` have shape (sums, 2, groups): the sums of the first `n_variables` variables, then of the products, in
    the units of `ExactSums`, each as multiples of 2^26 and a remainder.
    """

    counts: npt.NDArray[np.int64]
    totals: npt.NDArray[np.int64]
    n_variables: int

    def __repr__(self) -> str:
        return hide_values(self)

    def __add__(self, other: GroupSums) -> GroupSums:
        return GroupSums(self.counts + other.counts, self.totals + other.totals, self.n_variables)

    def split_groups(self) -> list[ExactSums]:
        """Return the sums of every group, in Python integers."""
        rows = [_join_totals(total) for total in self.totals]
        columns = zip(*rows) if rows else ((),) * self.counts.size
        cut = self.n_variables
        return [ExactSums(n, row[:cut], row[cut:]) for n, row in zip(self.counts.tolist(), columns)]


def _join_totals(total: npt.NDArray[np.int64]) -> list[int]:
    return [(high << _LOW_BITS) + low for high, low in zip(*total.tolist())]


def split_totals(totals: Sequence[int]) -> npt.NDArray[np.int64]:
    """Split sums into the multiples and remainders of `GroupSums`, of shape (2, groups)."""
    return np.array([[total >> _LOW_BITS for total in totals], [total & (1 << _LOW_BITS) - 1 for total in totals]])


def sum_each_column(
    part: RecordChunk, grids: Sequence[RecordGrid], missing: Missing, pairs: IndexPairs, groups: int | None
) -> FoldedSums:
    """Return the sums of each column, by group if there are groups."""
    group_codes, arrays = part.group_codes, part.columns.arrays
    if groups is None or group_codes is None:
        return tuple([sum_records((x,), (grid,), missing, pairs) for x, grid in zip(arrays, grids)])
    return tuple([sum_by_group((x,), (grid,), missing, pairs, group_codes, groups) for x, grid in zip(arrays, grids)])


def sum_columns_jointly(
    part: RecordChunk, grids: Sequence[RecordGrid], missing: Missing, pairs: IndexPairs, groups: int | None
) -> FoldedSums:
    """Return the sums of all variables over the complete records, by group if there are groups."""
    group_codes, arrays = part.group_codes, part.columns.arrays
    if groups is None or group_codes is None:
        return (sum_records(arrays, grids, missing, pairs),)
    return (sum_by_group(arrays, grids, missing, pairs, group_codes, groups),)


def sum_weight_products(
    part: RecordChunk, grids: Sequence[RecordGrid], missing: Missing, groups: int | None
) -> GroupSums:
    """Return the sums of the nine products of two variables' parabola weights, for every pair and group."""
    group_codes, arrays = part.group_codes, part.columns.arrays
    pairs = list(combinations(range(len(arrays)), 2))
    counts = np.zeros(groups or 1, dtype=np.int64)
    totals = np.zeros((9 * len(pairs), 2, groups or 1), dtype=np.int64)
    unit = 2.0**-GRID_BITS
    if groups is None:
        return _sum_weight_products_of_all(arrays, grids, missing, pairs)
    for placed, at in iterate_grid_values(arrays, grids, missing, group_codes, counts.size):
        counts += np.bincount(at, minlength=counts.size)
        weights = [_compute_parabola_weights(z, unit) for z in placed]
        products = (weight * other_weight for i, j in pairs for weight in weights[i] for other_weight in weights[j])
        for total, product in zip(totals, products):
            add_to_group_totals(total, round_to_unit(product, unit), unit, at)
    return GroupSums(counts, totals, 9 * len(pairs))


def _sum_weight_products_of_all(
    arrays: Sequence[np.ndarray],
    grids: Sequence[RecordGrid],
    missing: Missing,
    pairs: Sequence[tuple[int, int]],
) -> GroupSums:
    """Return the same sums if there are no groups, by faster sums of whole rows."""
    unit, count, sums_of = 2.0**-GRID_BITS, 0, [0] * (9 * len(pairs))
    for placed, _ in iterate_chunks(arrays, grids, missing):
        count += placed[0].size
        weights = [_compute_parabola_weights(z, unit) for z in placed]
        products = (weight * other_weight for i, j in pairs for weight in weights[i] for other_weight in weights[j])
        for index, product in enumerate(products):
            sums_of[index] += sum_in_units(round_to_unit(product, unit), unit, GRID_BITS) or 0
    totals = np.array([split_totals([total]) for total in sums_of])
    return GroupSums(np.array([count], dtype=np.int64), totals.reshape(-1, 2, 1), len(sums_of))


def _compute_parabola_weights(z: np.ndarray, unit: float) -> list[np.ndarray]:
    s = round_to_unit(z * z, unit)
    return [(1.0 - 2.0 * z + s) * 0.25, (1.0 - s) * 0.5, (1.0 + 2.0 * z + s) * 0.25]


def merge_sums(first: FoldedSums, second: FoldedSums) -> FoldedSums:
    """Add the sums of two parts."""
    return tuple([one + other for one, other in zip(first, second)])


def split_sums_by_group(sums: FoldedSums) -> list[tuple[ExactSums, ...]]:
    """Return the sums of each group and column."""
    return list(zip(*[each.split_groups() if isinstance(each, GroupSums) else [each] for each in sums]))


def sum_by_group(
    arrays: Sequence[np.ndarray],
    grids: Sequence[RecordGrid],
    missing: Missing,
    pairs: IndexPairs,
    group_codes: np.ndarray,
    groups: int,
) -> GroupSums:
    """Sum the records of each group, as `sum_records` does for all records."""
    counts = np.zeros(groups, dtype=np.int64)
    totals = np.zeros((len(arrays) + len(pairs), 2, groups), dtype=np.int64)
    # reuse one buffer for all products: allocation costs more than the arithmetic
    block = np.empty(min(_choose_step(groups), arrays[0].shape[0]) if pairs else 0)
    for placed, at in iterate_grid_values(arrays, grids, missing, group_codes, groups):
        counts += np.bincount(at, minlength=groups)
        for total, y, grid in zip(totals, placed, grids):
            add_to_group_totals(total, y, grid.unit, at)
        for total, (i, j) in zip(totals[len(arrays) :], pairs):
            unit = compute_product_unit(grids[i], grids[j])
            product = np.multiply(placed[i], placed[j], out=block[: at.size])
            add_to_group_totals(total, round_to_unit(product, unit), unit, at)
    return GroupSums(counts, totals, len(arrays))


def _choose_step(groups: int) -> int:
    """Return the number of records per chunk; with many groups each chunk has a fixed cost."""
    return _SMALL_CHUNK if groups < _MANY_GROUPS else RECORDS_PER_CHUNK


def iterate_grid_values(
    arrays: Sequence[np.ndarray],
    grids: Sequence[RecordGrid],
    missing: Missing,
    group_codes: np.ndarray | None,
    groups: int,
) -> Iterator[tuple[list[np.ndarray], np.ndarray]]:
    """Yield chunks of records on their grids with their group codes, with missing values treated."""
    size, step = arrays[0].shape[0], _choose_step(groups)
    blocks = [np.empty(min(step, size)) for _ in arrays]
    for start in range(0, size, step):
        stop = min(start + step, size)
        at = np.zeros(stop - start, dtype=np.intp) if group_codes is None else group_codes[start:stop].astype(np.intp)
        placed = [
            grid.round_records(x[start:stop], block[: stop - start]) for x, grid, block in zip(arrays, grids, blocks)
        ]
        if any(np.isnan(y.sum()) for y in placed):
            placed, is_present = fill_missing(placed, grids, missing)
            at = at if is_present is None else at[is_present]
        yield placed, at


def add_to_group_totals(total: npt.NDArray[np.int64], y: np.ndarray, unit: float, group_codes: np.ndarray) -> None:
    """Add multiples of a unit, each at most 2^40 units, to the exact totals of their groups.

    Floats represent every partial sum of up to 2^13 of them exactly. With many groups each number is split into a
    multiple of 2^20 units and a remainder of at most 2^19, of which 2^33 can be summed exactly.
    """
    groups = total.shape[1]
    if groups < _MANY_GROUPS:
        for start in range(0, y.size, _MAX_EXACT_TERMS):
            piece = slice(start, start + _MAX_EXACT_TERMS)
            _add_to_totals(total, np.bincount(group_codes[piece], y[piece], groups), unit)
        return
    coarse = unit * 2.0**20
    high = round_to_unit(y.copy(), coarse)
    _add_to_totals(total, np.bincount(group_codes, y - high, groups), unit)
    units = np.bincount(group_codes, high, groups) / coarse
    # in multiples of 2^20 units, 2^-6 of the unit of the first integer
    coarse_units = units.astype(np.int64)
    total[0] += coarse_units >> (_LOW_BITS - 20)
    total[1] += (coarse_units & (1 << (_LOW_BITS - 20)) - 1) << 20


def _add_to_totals(total: npt.NDArray[np.int64], increments: np.ndarray, unit: float) -> None:
    increment_units = (increments / unit).astype(np.int64)
    total[0] += increment_units >> _LOW_BITS
    total[1] += increment_units & (1 << _LOW_BITS) - 1
