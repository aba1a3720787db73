"""Exact sums and counts computed by an engine, equal to those of a pass over all records.

The functions return None if the records are in memory, have units, are sampled, or have types for which the
engine cannot compute exact results: the records are then read.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._data.aggregates import (
    UNKNOWN_LEVEL,
    AggregateQuery,
    AggregateRow,
    BinnedColumn,
    ClippedTransform,
    GroupKey,
    SummedColumn,
)
from pydpstat._data.containers import Column
from pydpstat._data.labels import cast_label, get_value_kind, is_label_of_kind
from pydpstat._data.values import make_missing_error, should_fill
from pydpstat._records.group_sums import FoldedSums, GroupSums, split_totals
from pydpstat._records.levels import LevelAxis, PublicLevels
from pydpstat._records.record_grid import ROUNDING_CONSTANT, IndexPairs, RecordGrid, compute_product_unit, sum_records
from pydpstat._records.records import Records
from pydpstat._release.options import Missing

CountArray = npt.NDArray[np.int64]
# largest number of levels, and of edges, with which an engine compares a value
_MAX_LEVELS, _MAX_EDGES = 1000, 64
# within these limits a grid's unit, its square and sums in these units are normal floats
_UNIT_RANGE = (2.0**-200, 2.0**200)


def sum_columns_in_engine(
    records: Records, grids: Sequence[RecordGrid], missing: Missing, pairs: IndexPairs
) -> FoldedSums | None:
    """Return the sums of each column, by group if there are groups."""
    if not all(_UNIT_RANGE[0] < grid.unit < _UNIT_RANGE[1] for grid in grids):
        return None
    names = records.layout.variables
    group_rows = _read_group_rows(
        records, missing, numbers=[make_engine_number(*column_sums, bool(pairs)) for column_sums in zip(names, grids)]
    )
    # each part of a record is at most 2^(bits / 2) units, and up to 2^53 units add up exactly
    max_record_bits = 53 - math.ceil(max(grid.bits for grid in grids) / 2)
    if group_rows is None or sum(row.size for _, row in group_rows) > 1 << max_record_bits:
        return None
    groups = records.n_groups
    column_sums = [
        _sum_column_rows(group_rows, column, grid, missing, pairs, groups or 1) for column, grid in enumerate(grids)
    ]
    return tuple(column_sums if groups is not None else [sums.split_groups()[0] for sums in column_sums])


def _sum_column_rows(
    found: Sequence[tuple[int, AggregateRow]],
    column: int,
    grid: RecordGrid,
    missing: Missing,
    pairs: IndexPairs,
    groups: int,
) -> GroupSums:
    """Return the sums of one column by group, computed in Python integers."""
    counts = np.zeros(groups, dtype=np.int64)
    totals = [[0] * groups for _ in range(1 + len(pairs))]
    units = (grid.unit, compute_product_unit(grid, grid))
    filled = None
    for group_code, row in found:
        n_present, split_sums = row.numbers[column]
        counts[group_code] += n_present
        for total, unit, high, low in zip(totals, units, split_sums[::2], split_sums[1::2]):
            total[group_code] += int(high / unit) + int(low / unit)
        if n_present < row.size and should_fill(row.size - n_present, missing):
            if filled is None:
                filled = sum_records((np.array([missing]),), (grid,), "error", pairs)
            counts[group_code] += row.size - n_present
            for total, fill_total in zip(totals, (*filled.first, *filled.products)):
                total[group_code] += (row.size - n_present) * fill_total
    return GroupSums(counts, np.array([split_totals(total) for total in totals]), 1)


def count_bins_in_engine(records: Records, edges: np.ndarray, missing: Missing) -> tuple[CountArray, CountArray] | None:
    """Count the records of each group in each bin, and the missing values of each group."""
    cell = make_engine_bins(records.layout.variables[:1], edges)
    group_rows = None if cell is None else _read_group_rows(records, missing, bins=[cell])
    if group_rows is None:
        return None
    # the last bin is for missing values
    counts = np.zeros((records.n_groups or 1, edges.size), dtype=np.int64)
    for group_code, row in group_rows:
        counts[group_code, row.bins[0]] += row.size
    shape = (edges.size - 1,) if records.groups is None else (-1, edges.size - 1)
    return counts[:, :-1].reshape(shape), counts[:, -1]


def count_truths_in_engine(records: Records, missing: Missing) -> CountArray | None:
    """Count true and false values, of shape (2, groups, columns); treat missing values as `missing` specifies."""
    group_rows = _read_group_rows(records, missing, numbers=[SummedColumn(name) for name in records.layout.variables])
    if group_rows is None:
        return None
    counts = np.zeros((2, records.n_groups or 1, records.width), dtype=np.int64)
    for group_code, row in group_rows:
        for column, (n_present, (true,)) in enumerate(row.numbers):
            counts[:, group_code, column] += int(true), n_present - int(true)
            if should_fill(row.size - n_present, missing):
                counts[0 if missing else 1, group_code, column] += row.size - n_present
    return counts


def count_cells_in_engine(
    records: Records, public: Sequence[PublicLevels], axes: Sequence[LevelAxis], missing: Missing
) -> CountArray | None:
    """Count the cells of crossed variables; each axis has missing values first, then the levels, then other values."""
    keys = _make_keys(records, records.layout.variables, public, axes, missing)
    rows = None if keys is None else records.compute_in_engine(AggregateQuery(keys))
    if keys is None or rows is None or not _check_missing_keys(records, keys, rows, missing):
        return None
    counts = np.zeros([len(variable_levels.levels) + 2 for variable_levels in public], dtype=np.int64)
    for row in rows:
        # index 0 is for missing values, the last index for values in no level
        counts[tuple(code + 1 if code != UNKNOWN_LEVEL else -1 for code in row.codes)] += row.size
    return counts


def _read_group_rows(
    records: Records,
    missing: Missing,
    numbers: Sequence[SummedColumn] = (),
    bins: Sequence[BinnedColumn] = (),
) -> list[tuple[int, AggregateRow]] | None:
    """Return the engine's rows of all groups with their group codes, without rows in no group."""
    groups = records.groups
    keys: tuple[GroupKey, ...] | None = ()
    if groups is not None:
        keys = _make_keys(records, records.layout.keys, groups.public, groups.axes, missing)
    rows = None if keys is None else records.compute_in_engine(AggregateQuery(keys, tuple(bins), tuple(numbers)))
    if keys is None or rows is None or not _check_missing_keys(records, keys, rows, missing):
        return None
    if groups is None:
        return [(0, row) for row in rows]
    coded_rows = [(_compute_group_code(row.codes, groups.axes), row) for row in rows]
    return [(group_code, row) for group_code, row in coded_rows if group_code >= 0]


def _compute_group_code(codes: Sequence[int], axes: Sequence[LevelAxis]) -> int:
    """Return the code of a group, the last key's levels fastest; -1 for records that are left out."""
    group_code = 0
    for code, axis in zip(codes, axes):
        position = axis.positions[-2 if code == UNKNOWN_LEVEL else code]
        if position < 0:
            return -1
        group_code = group_code * len(axis.names) + position
    return group_code


def _check_missing_keys(
    records: Records, keys: Sequence[GroupKey], rows: Sequence[AggregateRow], missing: Missing
) -> bool:
    """Raise an error if a key has missing values and ``missing="error"``; return False if the engine cannot tell.

    The engine is queried for missing values only if some values are not levels.
    """
    doubtful = [key.column for index, key in enumerate(keys) if any(row.codes[index] < 0 for row in rows)]
    if missing != "error" or not doubtful:
        return True
    more = records.compute_in_engine(AggregateQuery(present=tuple(doubtful)))
    if more is not None and any(number < row.size for row in more for number in row.present):
        raise make_missing_error()
    return more is not None


def _make_keys(
    records: Records,
    names: Sequence[str],
    public: Sequence[PublicLevels],
    axes: Sequence[LevelAxis],
    missing: Missing,
) -> tuple[GroupKey, ...] | None:
    """Return the keys to query; None for data in memory, or if an engine may compare the levels differently."""
    if records.table is None:
        return None
    columns, keys = records.table.make_empty_chunk().columns, []
    for name, public_levels, axis in zip(names, public, axes):
        levels = None if public_levels.is_closed else _convert_levels(columns[name], public_levels.levels)
        if levels is None:
            return None
        is_separate = missing != "error" and axis.positions[-1] != axis.positions[-2]
        keys.append(GroupKey(name, levels, is_separate))
    return tuple(keys)


def _convert_levels(column: Column, levels: Sequence[Any]) -> tuple[str | int | None, ...] | None:
    """Convert levels to a column's type, None for one that it cannot contain; None for unsupported columns."""
    kind = get_value_kind(column)
    usable = [level if is_label_of_kind(level, kind) else None for level in levels]
    converted_levels: list[Any] = []
    if kind == "texts":
        # subclasses of str may override __str__
        converted_levels = [None if level is None else str.__str__(level) for level in usable]
        if not all(level is None or _is_portable_text(level) for level in converted_levels):
            return None
    elif kind == "numbers" and column.dtype.kind in "iub":
        dtype = np.dtype(np.uint8) if column.dtype.kind == "b" else column.dtype
        converted_levels = [None if level is None else cast_label(level, dtype) for level in usable]
        # integers with missing values are read as floats, which are inexact above this
        if any(level is not None and abs(level) > 2**53 for level in converted_levels):
            return None
    return (
        None
        if len(converted_levels) > _MAX_LEVELS or all(level is None for level in converted_levels)
        else tuple(converted_levels)
    )


def _is_portable_text(text: str) -> bool:
    """Return whether every engine represents a string: valid in UTF-8, without null characters."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def make_engine_number(name: str, grid: RecordGrid, has_squares: bool) -> SummedColumn:
    """Return a numeric column to be rounded to a grid and summed, with its squares if requested."""
    half = 2.0 ** (grid.bits // 2)
    unit = compute_product_unit(grid, grid)
    split = (ROUNDING_CONSTANT * unit, ROUNDING_CONSTANT * unit * half) if has_squares else None
    return SummedColumn(name, make_engine_line(grid), ROUNDING_CONSTANT * grid.unit * half, split)


@lru_cache(maxsize=256)
def make_engine_line(grid: RecordGrid) -> ClippedTransform:
    """Return the transform of `RecordGrid.round_records` for an engine.

    Each step is monotone, so the inputs that end below the lowest grid value, and those that end above the
    highest, are all inputs below one number and above another.
    """
    middle = ROUNDING_CONSTANT * grid.unit
    steps: tuple[tuple[str, float], ...] = (("+", middle if grid.shift is None else grid.shift),)
    if grid.shift is None or grid.factor != 1.0:
        steps = (("*", grid.factor), *steps)
    if grid.shift is None:
        steps = (("-", grid.center), *steps)

    def transform_number(x: float) -> float:
        for operation, operand in steps:
            x = x + operand if operation == "+" else x - operand if operation == "-" else x * operand
        return x

    lower_limit = _bisect_first_true(lambda x: transform_number(x) >= middle + grid.low)
    upper_limit = -_bisect_first_true(lambda x: transform_number(-x) <= middle + grid.high)
    return ClippedTransform(lower_limit, upper_limit, grid.low, grid.high, (*steps, ("-", middle)))


def _bisect_first_true(condition: Callable[[float], bool]) -> float:
    """Return the smallest finite float that satisfies a condition, which is monotone and true for large numbers."""
    low, high = -(0x7FEFFFFFFFFFFFFF + 1), 0x7FEFFFFFFFFFFFFF
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if condition(_convert_rank_to_float(middle)) else (middle, high)
    return _convert_rank_to_float(high)


def _convert_rank_to_float(rank: int) -> float:
    """Return the float of a rank in the ascending order of all floats; 0 has rank 0."""
    size = struct.unpack("<d", struct.pack("<q", abs(rank)))[0]
    return float(-size if rank < 0 else size)


def make_engine_bins(names: Sequence[str], edges: np.ndarray) -> BinnedColumn | None:
    """Return the bins of a column; those of equal width by rounding to the nearest edge, if that is exact.

    Rounding is monotone: if an edge is rounded to itself, and the number just below the next edge to that next
    edge, all numbers between are rounded to one of the two.
    """
    bins = edges.size - 1
    if not names:
        return None
    inner, bin_indices = edges[1:-1], np.arange(1.0, bins)
    start, width = float(edges[0]), float((edges[-1] - edges[0]) / bins)
    below = np.nextafter(edges[2:], -np.inf)
    with np.errstate(all="ignore"):
        scale = bins / (edges[-1] - edges[0])
        at, before = ((points - start) * scale + ROUNDING_CONSTANT - ROUNDING_CONSTANT for points in (inner, below))
        leads_back = np.array_equal(bin_indices * width + start, inner)
    if bins > 2 and leads_back and np.array_equal(at, bin_indices) and np.array_equal(before, bin_indices + 1.0):
        steps = (("-", start), ("*", float(scale)), ("+", ROUNDING_CONSTANT), ("-", ROUNDING_CONSTANT))
        line = ClippedTransform(float(inner[0]), float(below[-2]), 0.0, bins - 1.0, steps[0 if start else 1 :])
        return BinnedColumn(names[0], (), line, width, start)
    return BinnedColumn(names[0], tuple(inner.tolist())) if bins <= _MAX_EDGES else None
