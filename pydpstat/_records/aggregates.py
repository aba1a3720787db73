"""Exact sums and counts that an engine forms itself, as a pass over all records would have them.

Each function returns None where the records are in memory, have units, are a sample, or are of types that the
engine cannot be asked for exactly: they are then read.
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
# an engine compares each value with so many levels, or a number with so many edges, at most
_MAX_LEVELS, _MAX_EDGES = 1000, 64
# between these a grid's unit, its square and sums in them are ordinary floats
_UNIT_RANGE = (2.0**-200, 2.0**200)


def sum_columns_in_engine(
    records: Records, grids: Sequence[RecordGrid], missing: Missing, pairs: IndexPairs
) -> FoldedSums | None:
    """Return the sums of every column on its own, by group where there are some."""
    if not all(_UNIT_RANGE[0] < grid.unit < _UNIT_RANGE[1] for grid in grids):
        return None
    names = records.layout.variables
    found = _read_group_rows(
        records, missing, numbers=[make_engine_number(*each, bool(pairs)) for each in zip(names, grids)]
    )
    # each part of a record is at most 2^(bits / 2) of its units, and 2^53 of them add up exactly
    most = 53 - math.ceil(max(grid.bits for grid in grids) / 2)
    if found is None or sum(row.size for _, row in found) > 1 << most:
        return None
    groups = records.n_groups
    each = [_sum_column_rows(found, place, grid, missing, pairs, groups or 1) for place, grid in enumerate(grids)]
    return tuple(each if groups is not None else [one.split_groups()[0] for one in each])


def _sum_column_rows(
    found: Sequence[tuple[int, AggregateRow]],
    column: int,
    grid: RecordGrid,
    missing: Missing,
    pairs: IndexPairs,
    groups: int,
) -> GroupSums:
    """Return one column's sums by group, in Python's integers on the way."""
    counts = np.zeros(groups, dtype=np.int64)
    totals = [[0] * groups for _ in range(1 + len(pairs))]
    units = (grid.unit, compute_product_unit(grid, grid))
    filled = None
    for place, row in found:
        known, parts = row.numbers[column]
        counts[place] += known
        for total, unit, high, low in zip(totals, units, parts[::2], parts[1::2]):
            total[place] += int(high / unit) + int(low / unit)
        if known < row.size and should_fill(row.size - known, missing):
            if filled is None:
                filled = sum_records((np.array([missing]),), (grid,), "error", pairs)
            counts[place] += row.size - known
            for total, one in zip(totals, (*filled.first, *filled.products)):
                total[place] += (row.size - known) * one
    return GroupSums(counts, np.array([split_totals(total) for total in totals]), 1)


def count_bins_in_engine(records: Records, edges: np.ndarray, missing: Missing) -> tuple[CountArray, CountArray] | None:
    """Return how many records of each group are in each bin, and in how many the number is missing."""
    cell = make_engine_bins(records.layout.variables[:1], edges)
    found = None if cell is None else _read_group_rows(records, missing, bins=[cell])
    if found is None:
        return None
    # the last one is for what is missing
    counts = np.zeros((records.n_groups or 1, edges.size), dtype=np.int64)
    for place, row in found:
        counts[place, row.bins[0]] += row.size
    shape = (edges.size - 1,) if records.groups is None else (-1, edges.size - 1)
    return counts[:, :-1].reshape(shape), counts[:, -1]


def count_truths_in_engine(records: Records, missing: Missing) -> CountArray | None:
    """Count true and false values, missing ones as `missing` says; of shape (2, groups, columns)."""
    found = _read_group_rows(records, missing, numbers=[SummedColumn(name) for name in records.layout.variables])
    if found is None:
        return None
    counts = np.zeros((2, records.n_groups or 1, records.width), dtype=np.int64)
    for place, row in found:
        for column, (known, (true,)) in enumerate(row.numbers):
            counts[:, place, column] += int(true), known - int(true)
            if should_fill(row.size - known, missing):
                counts[0 if missing else 1, place, column] += row.size - known
    return counts


def count_cells_in_engine(
    records: Records, public: Sequence[PublicLevels], axes: Sequence[LevelAxis], missing: Missing
) -> CountArray | None:
    """Count the cells of crossed variables, on each axis missing ones first, then the levels and the rest."""
    keys = _make_keys(records, records.layout.variables, public, axes, missing)
    found = None if keys is None else records.compute_in_engine(AggregateQuery(keys))
    if keys is None or found is None or not _check_missing_keys(records, keys, found, missing):
        return None
    counts = np.zeros([len(each.levels) + 2 for each in public], dtype=np.int64)
    for row in found:
        # missing is 0, and no level is the last one
        counts[tuple(code + 1 if code != UNKNOWN_LEVEL else -1 for code in row.codes)] += row.size
    return counts


def _read_group_rows(
    records: Records,
    missing: Missing,
    numbers: Sequence[SummedColumn] = (),
    bins: Sequence[BinnedColumn] = (),
) -> list[tuple[int, AggregateRow]] | None:
    """Ask for every group; each row has its group's place before it, and what is in none is left out."""
    groups = records.groups
    keys: tuple[GroupKey, ...] | None = ()
    if groups is not None:
        keys = _make_keys(records, records.layout.keys, groups.public, groups.axes, missing)
    found = None if keys is None else records.compute_in_engine(AggregateQuery(keys, tuple(bins), tuple(numbers)))
    if keys is None or found is None or not _check_missing_keys(records, keys, found, missing):
        return None
    if groups is None:
        return [(0, row) for row in found]
    placed = [(_compute_group_code(row.codes, groups.axes), row) for row in found]
    return [(place, row) for place, row in placed if place >= 0]


def _compute_group_code(codes: Sequence[int], axes: Sequence[LevelAxis]) -> int:
    """Return a group's place, the last key's levels the fastest; -1 for what is left out."""
    place = 0
    for code, axis in zip(codes, axes):
        own = axis.positions[-2 if code == UNKNOWN_LEVEL else code]
        if own < 0:
            return -1
        place = place * len(axis.names) + own
    return place


def _check_missing_keys(
    records: Records, keys: Sequence[GroupKey], rows: Sequence[AggregateRow], missing: Missing
) -> bool:
    """Raise an error where a key is missing that may not be; return False where that cannot be told.

    The engine is asked for missing values only where some are no level.
    """
    doubtful = [key.column for place, key in enumerate(keys) if any(row.codes[place] < 0 for row in rows)]
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
    """Return the keys to ask for; None where their levels are of a type of which equality is no plain one."""
    if records.table is None:
        return None
    columns, keys = records.table.make_empty_chunk().columns, []
    for name, each, axis in zip(names, public, axes):
        levels = None if each.is_closed else _convert_levels(columns[name], each.levels)
        if levels is None:
            return None
        apart = missing != "error" and axis.positions[-1] != axis.positions[-2]
        keys.append(GroupKey(name, levels, apart))
    return tuple(keys)


def _convert_levels(column: Column, levels: Sequence[Any]) -> tuple[str | int | None, ...] | None:
    """Return levels as a column has them, None for one that it cannot have; None for other columns."""
    kind = get_value_kind(column)
    usable = [level if is_label_of_kind(level, kind) else None for level in levels]
    own: list[Any] = []
    if kind == "texts":
        # a text of a class of its own may show itself otherwise
        own = [None if level is None else str.__str__(level) for level in usable]
        if not all(level is None or _is_portable_text(level) for level in own):
            return None
    elif kind == "numbers" and column.dtype.kind in "iub":
        dtype = np.dtype(np.uint8) if column.dtype.kind == "b" else column.dtype
        own = [None if level is None else cast_label(level, dtype) for level in usable]
        # beside a missing value integers are read as floats, which are rounded from here on
        if any(level is not None and abs(level) > 2**53 for level in own):
            return None
    return None if len(own) > _MAX_LEVELS or all(level is None for level in own) else tuple(own)


def _is_portable_text(text: str) -> bool:
    """Tell whether every engine has a text: as UTF-8, and without an end in it."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def make_engine_number(name: str, grid: RecordGrid, has_squares: bool) -> SummedColumn:
    """Return a column of numbers to be placed on a grid and added up, and their squares."""
    half = 2.0 ** (grid.bits // 2)
    unit = compute_product_unit(grid, grid)
    split = (ROUNDING_CONSTANT * unit, ROUNDING_CONSTANT * unit * half) if has_squares else None
    return SummedColumn(name, make_engine_line(grid), ROUNDING_CONSTANT * grid.unit * half, split)


@lru_cache(maxsize=256)
def make_engine_line(grid: RecordGrid) -> ClippedTransform:
    """Return what `RecordGrid.place` does, as a line.

    Each of its steps keeps the order of numbers, so that those which end below the grid's lowest place, and
    those above its highest, are all numbers below one number and above another.
    """
    middle = ROUNDING_CONSTANT * grid.unit
    steps: tuple[tuple[str, float], ...] = (("+", middle if grid.shift is None else grid.shift),)
    if grid.shift is None or grid.factor != 1.0:
        steps = (("*", grid.factor), *steps)
    if grid.shift is None:
        steps = (("-", grid.center), *steps)

    def transform_number(x: float) -> float:
        for operation, by in steps:
            x = x + by if operation == "+" else x - by if operation == "-" else x * by
        return x

    first = _bisect_first_true(lambda x: transform_number(x) >= middle + grid.low)
    last = -_bisect_first_true(lambda x: transform_number(-x) <= middle + grid.high)
    return ClippedTransform(first, last, grid.low, grid.high, (*steps, ("-", middle)))


def _bisect_first_true(condition: Callable[[float], bool]) -> float:
    """Return the smallest finite number from which on a condition holds, which holds for large ones."""
    low, high = -(0x7FEFFFFFFFFFFFFF + 1), 0x7FEFFFFFFFFFFFFF
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if condition(_convert_rank_to_float(middle)) else (middle, high)
    return _convert_rank_to_float(high)


def _convert_rank_to_float(rank: int) -> float:
    """Return a number by its rank among all of them; that of 0 is 0."""
    size = struct.unpack("<d", struct.pack("<q", abs(rank)))[0]
    return float(-size if rank < 0 else size)


def make_engine_bins(names: Sequence[str], edges: np.ndarray) -> BinnedColumn | None:
    """Return the bins of a column; those of one width by the nearest edge, where arithmetic leads back to it.

    Rounding keeps the order: where that of an edge and of the number just below the next one lead to one of
    both edges, so do all numbers between.
    """
    bins = edges.size - 1
    if not names:
        return None
    inner, places = edges[1:-1], np.arange(1.0, bins)
    start, width = float(edges[0]), float((edges[-1] - edges[0]) / bins)
    below = np.nextafter(edges[2:], -np.inf)
    with np.errstate(all="ignore"):
        scale = bins / (edges[-1] - edges[0])
        at, before = ((each - start) * scale + ROUNDING_CONSTANT - ROUNDING_CONSTANT for each in (inner, below))
        leads_back = np.array_equal(places * width + start, inner)
    if bins > 2 and leads_back and np.array_equal(at, places) and np.array_equal(before, places + 1.0):
        steps = (("-", start), ("*", float(scale)), ("+", ROUNDING_CONSTANT), ("-", ROUNDING_CONSTANT))
        line = ClippedTransform(float(inner[0]), float(below[-2]), 0.0, bins - 1.0, steps[0 if start else 1 :])
        return BinnedColumn(names[0], (), line, width, start)
    return BinnedColumn(names[0], tuple(inner.tolist())) if bins <= _MAX_EDGES else None
