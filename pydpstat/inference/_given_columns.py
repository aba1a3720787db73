"""Columns of a regression as they are given, in memory or in a table: their types, and what they hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import numbers_of, one_column
from pydpstat._data.containers import has_rows, is_frame, is_vector, name_of
from pydpstat._data.held import about, aligned, in_memory
from pydpstat._data.table import Chunk, Table, table_of
from pydpstat.errors import PydpstatError
from pydpstat.statistics._kernels.levels import variables_of

Array = npt.NDArray[Any]
Reader = Callable[[Any], Array]


class Given(NamedTuple):
    """Columns in memory or of a table. Private but for their names and types."""

    names: tuple[str, ...]
    columns: tuple[Any, ...]
    table: Table | None = None

    def __repr__(self) -> str:
        return "Given(values withheld)"

    def without(self, name: str | None) -> Given:
        """Return all columns but the one of this name."""
        if name not in self.names:
            return self
        stay = [place for place, each in enumerate(self.names) if each != name]
        names, columns = (tuple(each[place] for place in stay) for each in (self.names, self.columns))
        return Given(names, columns, self.table)

    def read(self, readers: Sequence[Reader]) -> list[Array]:
        """Return what a function for each column makes of it: of each value by itself."""
        if self.table is None:
            return [reader(column) for reader, column in zip(readers, self.columns)]
        names = self.names

        def taken(chunk: Chunk) -> list[list[Array]]:
            return [[reader(chunk.columns[name])] for reader, name in zip(readers, names)]

        parts = self.table.select(names).fold(taken, lambda one, other: [a + b for a, b in zip(one, other)])
        return [np.concatenate(part) for part in parts]


def columns_by_name(data: Any, names: Sequence[str], argument: str) -> Given:
    """Return the columns of these names, or those of an array in their order."""
    data = in_memory(data, argument)
    table = table_of(data)
    if table is not None or isinstance(data, Mapping) or is_frame(data):
        given = _named(data, table, argument)
        gone = [name for name in names if name not in given.names]
        if gone:
            shown = checks.excerpt(list(given.names))
            raise PydpstatError(f"{argument} must have a column {gone[0]!r}; it has {shown}.")
        by_name = dict(zip(given.names, given.columns))
        return Given(tuple(names), tuple(by_name[name] for name in names), table)
    arrays = numbers_of(data, argument).arrays
    if argument == "data" or len(arrays) != len(names):
        raise PydpstatError(
            f"{argument} must have the columns {checks.excerpt(list(names))}; got {len(arrays)} "
            f"column{'s' * (len(arrays) != 1)} without names. Give a DataFrame, or a dict of columns."
        )
    return Given(tuple(names), arrays)


def has_column(data: Any, name: str) -> bool:
    """Tell whether data have a column of this name."""
    data = in_memory(data)
    table = table_of(data)
    if table is not None or isinstance(data, Mapping) or is_frame(data):
        return name in _named(data, table, "data").names
    return False


def all_columns(data: Any) -> Given:
    """Return all columns of the predictors; those of an array are called x1, x2 and so on."""
    data = in_memory(data)
    found = table_of(data)
    table = None if found is None else aligned(found, data)
    if table is not None or isinstance(data, Mapping) or is_frame(data):
        return _named(data, table, "data")
    arrays = numbers_of(data).arrays
    single = is_vector(data) and has_rows(data) and name_of(data)
    names = [str(single)] if single else [f"x{place + 1}" for place in range(len(arrays))]
    return Given(tuple(names), arrays)


def response_column(response: object, predictors: Sequence[str], binary: bool = False) -> tuple[str, Given]:
    """Return the name and the one column of a response that is given by itself, in `formula`'s place.

    It has numbers, or anything where it is `binary`. Without a name it is y, or response beside a y.
    """
    unnamed = "response" if "y" in predictors else "y"
    response = in_memory(response, "formula")
    with about("formula"):
        found = table_of(response)
        table = None if found is None else aligned(found, response)
    if binary:
        given = variables_of(response if table is None else table.sample(), "formula")
        if len(given.columns) != 1:
            raise PydpstatError(
                f"formula must be one variable; got {len(given.columns)} columns. Give one column at a time."
            )
        name = given.names[0] or unnamed
        return name, Given((name,), given.columns, table)
    column = one_column(response if table is None else table.sample(), "formula")
    if table is None:
        return name_of(response) or unnamed, Given(("y",), column.arrays)
    return table.names[0] or unnamed, Given(table.names, column.arrays, table)


def _named(data: Any, table: Table | None, argument: str) -> Given:
    if table is not None:
        types = table.sample().columns
        return Given(table.names, tuple(types[name] for name in table.names), table)
    found = variables_of(data, argument)
    return Given(found.names, found.columns)
