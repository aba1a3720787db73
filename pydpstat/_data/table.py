"""Data of any size: which engine holds them, the table that reads them, and changes of its records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

from pydpstat._data.aggregates import AggregateQuery, AggregateRow
from pydpstat._data.chunks import Chunk, MapChunk, Merge, Part, Table
from pydpstat._data.containers import find_library, has_columns, has_rows


class ColumnView(NamedTuple):
    """Some columns of a table, as separate data; `is_single` tells that they are one variable."""

    table: Table
    is_single: bool = False

    def __repr__(self) -> str:
        return "View(values withheld)"


def as_table(data: object) -> Table | None:
    """Return data that an engine holds, or an iterator gives, as a table; None for what is in memory.

    No engine is imported for data that are not of it. No record is read, but for an iterator's first chunk,
    which the next call for the same iterator still has.
    """
    if isinstance(data, ColumnView):
        return data.table
    if isinstance(data, type):
        return None
    # a frame of Spark has an attribute of any name that one asks for
    match find_library(data):
        case "polars" if has_columns(data):
            from pydpstat._data.polars_frames import make_polars_table

            return make_polars_table(data)
        case "pyarrow":
            from pydpstat._data.streams import make_arrow_table

            return make_arrow_table(data) if hasattr(data, "schema") or hasattr(data, "to_reader") else None
        case "duckdb":
            from pydpstat._data.duckdb_relations import make_duckdb_table

            return make_duckdb_table(data)
        case "dask":
            from pydpstat._data.clusters import make_dask_table

            return make_dask_table(data)
        case "pyspark":
            from pydpstat._data.clusters import make_spark_table

            return make_spark_table(data)
    if hasattr(data, "__arrow_c_stream__") and not has_rows(data) and not hasattr(data, "dtype"):
        from pydpstat._data.streams import make_capsule_table

        return make_capsule_table(data)
    if isinstance(data, Iterator):
        from pydpstat._data.iterators import make_iterator_table

        return make_iterator_table(data)
    return None


class ChunkTransform(Protocol):
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
class TransformedTable:
    """A table with a change, and the columns that it has afterwards."""

    table: Table
    transform: ChunkTransform
    names: tuple[str, ...]

    @classmethod
    def from_table(cls, table: Table, transform: ChunkTransform) -> TransformedTable:
        """Return a table with all of its columns and those that are made."""
        return cls(table, transform, (*table.names, *transform.makes))

    @property
    def ordered(self) -> bool:
        """Whether the records have a fixed order."""
        return self.table.ordered

    def select_columns(self, names: Sequence[str]) -> TransformedTable:
        """Return the table of these columns."""
        needed = [name for name in self.table.names if name in names or name in self.transform.needs]
        # a number of records needs some column
        return TransformedTable(self.table.select_columns(needed or self.table.names[:1]), self.transform, tuple(names))

    def make_empty_chunk(self) -> Chunk:
        """Return a chunk of no records."""
        return _transform_chunk(self.transform, self.names, self.table.make_empty_chunk())

    def count_records(self) -> int | None:
        """Return the number of records; None where that takes reading them."""
        return None if self.transform.drops else self.table.count_records()

    def compute_aggregates(self, query: AggregateQuery) -> list[AggregateRow] | None:
        """Return None: the engine does not know the change."""
        return None

    def fold(self, map_chunk: MapChunk[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Return what `map_chunk` makes of every changed chunk, merged."""
        return self.table.fold(partial(_transform_and_map, self.transform, self.names, map_chunk), merge, unit)


def _transform_chunk(transform: ChunkTransform, names: tuple[str, ...], chunk: Chunk) -> Chunk:
    found = transform(chunk)
    return Chunk({name: found.columns[name] for name in names}, found.size)


def _transform_and_map(
    transform: ChunkTransform, names: tuple[str, ...], map_chunk: MapChunk[Part], chunk: Chunk
) -> Part:
    return map_chunk(_transform_chunk(transform, names, chunk))
