"""Variables to cross, as the records of a release: each record's levels, and how many records a cell has."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from pydpstat._data.columns import Columns
from pydpstat._data.held import about, in_memory
from pydpstat._data.table import Chunk, table_of
from pydpstat._data.values import missing_values, objects
from pydpstat._release.statistic import Missing, Options
from pydpstat.random import Source
from pydpstat.statistics._kernels.asked import asked_cells
from pydpstat.statistics._kernels.cells import cell_counts
from pydpstat.statistics._kernels.levels import Axis, PublicLevels, Variables, codes_of, variables_of
from pydpstat.statistics._kernels.records import Part, Records, inside, records_of
from pydpstat.statistics._kernels.scope import Scope, origin_of

Counts = npt.NDArray[np.int64]


def variables_in(data: object, scope: Scope, argument: str = "data") -> Variables:
    """Return the variables to cross, without the column of ids; those of a table have no records."""
    data = in_memory(data, argument)
    with about(argument):
        table = table_of(data)
        if table is None and scope.plain:
            return variables_of(data, argument)
        origin = origin_of(data, table, argument)
    unit = scope.paid_for if scope.unit is None else scope.unit
    if origin.names is None:
        return variables_of(data)
    names = tuple(name for name in origin.names if not isinstance(unit, str) or name != unit)
    if table is not None:
        return variables_of(Chunk({name: origin.columns[name] for name in names}, 0))
    return variables_of(inside(data, origin, names))


def coded_records(
    data: object, public: Sequence[PublicLevels], how: Options, scope: Scope, source: Source
) -> tuple[Records, Options]:
    """Read records as the codes of their levels."""
    return records_of(data, how, scope, source, partial(_coded, public=tuple(public)))


def _coded(data: object, argument: str, public: tuple[PublicLevels, ...]) -> Columns:
    variables = variables_of(data)
    codes = tuple(codes_of(column, each) for column, each in zip(variables.columns, public))
    return Columns(codes, (None,) * len(codes), variables.names, None, variables.size)


def found_records(data: object, how: Options, scope: Scope, source: Source) -> tuple[Records, Options]:
    """Read records of one variable as they are."""
    return records_of(data, how, scope, source, _as_they_are)


def _as_they_are(data: object, argument: str) -> Columns:
    variables = variables_of(data)
    column = variables.columns[0]
    held = column if hasattr(column, "dtype") else objects(column)  # type: ignore[arg-type]
    return Columns((held,), (None,), None, None, variables.size)


def table_counts(
    records: Records, public: Sequence[PublicLevels], axes: Sequence[Axis], missing: Missing
) -> tuple[Counts, int]:
    """Count the cells, each axis in its published order, and all records, those that are in no cell too."""
    counts = asked_cells(records, public, axes, missing)
    if counts is None:
        sizes = tuple(len(axis.places) - 1 for axis in axes)
        counts = records.fold(partial(_cells, sizes=sizes), np.add)
    size = int(counts.sum())
    if missing == "error" and any(counts.take(0, axis=axis).any() for axis in range(counts.ndim)):
        raise missing_values()
    for axis, (names, (*places, gone)) in enumerate(axes):
        rows = np.moveaxis(counts, axis, 0)
        moved = np.zeros((len(names), *rows.shape[1:]), dtype=np.int64)
        # missing values come first among the counts
        for row, place in zip(rows, (gone, *places)):
            if place >= 0:
                moved[place] += row
        counts = np.moveaxis(moved, 0, axis)
    return counts, size


def _cells(part: Part, sizes: tuple[int, ...]) -> Counts:
    return cell_counts(part.columns.arrays, sizes)
