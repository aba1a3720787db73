"""Data of any size: which engine holds them, the table that reads them, and changes of its records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

from pydpstat._data.chunk import Chunk, Merge, Part, Partial, Table
from pydpstat._data.containers import has_columns, has_rows, library_of
from pydpstat._data.questions import Question, Row


class View(NamedTuple):
    """Some columns of a table, as separate data; `single` tells that they are one variable."""

    table: Table
    single: bool = False

    def __repr__(self) -> str:
        return "View(values withheld)"


def table_of(data: object) -> Table | None:
    """Return data that an engine holds, or an iterator gives, as a table; None for what is in memory.

    No engine is imported for data that are not of it. No record is read, but for an iterator's first chunk,
    which the next call for the same iterator still has.
    """
    if isinstance(data, View):
        return data.table
    if isinstance(data, type):
        return None
    # a frame of Spark has an attribute of any name that one asks for
    match library_of(data):
        case "polars" if has_columns(data):
            from pydpstat._data.polars_frames import polars_table

            return polars_table(data)
        case "pyarrow":
            from pydpstat._data.streams import arrow_table

            return arrow_table(data) if hasattr(data, "schema") or hasattr(data, "to_reader") else None
        case "duckdb":
            from pydpstat._data.duckdb_relations import duckdb_table

            return duckdb_table(data)
        case "dask":
            from pydpstat._data.clusters import dask_table

            return dask_table(data)
        case "pyspark":
            from pydpstat._data.clusters import spark_table

            return spark_table(data)
    if hasattr(data, "__arrow_c_stream__") and not has_rows(data) and not hasattr(data, "dtype"):
        from pydpstat._data.streams import capsule_table

        return capsule_table(data)
    if isinstance(data, Iterator):
        from pydpstat._data.iterators import iterator_table

        return iterator_table(data)
    return None


class Change(Protocol):
    """What is done to each chunk: it looks at one record at a time, and can be pickled."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that it looks at."""

    @property
    def makes(self) -> tuple[str, ...]:
        """The columns that it makes."""

    @property
    def drops(self) -> bool:
        """Whether it leaves records out."""

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the chunk as it is afterwards."""


@dataclass(frozen=True)
class Mapped:
    """A table with a change, and the columns that it has afterwards."""

    table: Table
    change: Change
    names: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, change: Change) -> Mapped:
        """Return a table with all of its columns and those that are made."""
        return cls(table, change, (*table.names, *change.makes))

    @property
    def ordered(self) -> bool:
        """Whether the records have a fixed order."""
        return self.table.ordered

    def select(self, names: Sequence[str]) -> Mapped:
        """Return the table of these columns."""
        needed = [name for name in self.table.names if name in names or name in self.change.needs]
        # a number of records needs some column
        return Mapped(self.table.select(needed or self.table.names[:1]), self.change, tuple(names))

    def sample(self) -> Chunk:
        """Return a chunk of no records."""
        return _changed(self.change, self.names, self.table.sample())

    def count(self) -> int | None:
        """Return the number of records; None where that takes reading them."""
        return None if self.change.drops else self.table.count()

    def ask(self, question: Question) -> list[Row] | None:
        """Return None: the engine does not know the change."""
        return None

    def fold(self, each: Partial[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Return what `each` makes of every changed chunk, merged."""
        return self.table.fold(partial(_then, self.change, self.names, each), merge, unit)


def _changed(change: Change, names: tuple[str, ...], chunk: Chunk) -> Chunk:
    found = change(chunk)
    return Chunk({name: found.columns[name] for name in names}, found.size)


def _then(change: Change, names: tuple[str, ...], each: Partial[Part], chunk: Chunk) -> Part:
    return each(_changed(change, names, chunk))
