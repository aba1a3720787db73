"""Conversion of data of any engine to tables, and transforms of their records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

from pydpstat._data.aggregates import AggregateQuery, AggregateRow
from pydpstat._data.chunks import Chunk, MapChunk, Merge, Part, Table
from pydpstat._data.containers import find_library, has_columns, has_rows
from pydpstat._frozen import hide_values


class ColumnView(NamedTuple):
    """Columns of a table as a separate argument; `is_single` means that they are one variable."""

    table: Table
    is_single: bool = False

    def __repr__(self) -> str:
        return hide_values(self)


def as_table(data: object) -> Table | None:
    """Return the data of an engine or an iterator as a table; None for data in memory.

    Only the engine of the data is imported. No record is read except for the first chunk of an iterator, which the next
    call with the same iterator still gets.
    """
    if isinstance(data, ColumnView):
        return data.table
    if isinstance(data, type):
        return None
    # a Spark data frame has an attribute of any name
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
    """Function that is applied to each chunk; it treats records separately and can be pickled."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Names of the columns that it reads."""

    @property
    def makes(self) -> tuple[str, ...]:
        """Names of the columns that it adds."""

    @property
    def drops(self) -> bool:
        """Whether it drops records."""

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the transformed chunk."""


@dataclass(frozen=True)
class TransformedTable:
    """A table with a transform of its chunks, and the names of the resulting columns."""

    table: Table
    transform: ChunkTransform
    names: tuple[str, ...]

    @classmethod
    def from_table(cls, table: Table, transform: ChunkTransform) -> TransformedTable:
        """Return a transformed table with all original columns and the added ones."""
        return cls(table, transform, (*table.names, *transform.makes))

    @property
    def ordered(self) -> bool:
        """Whether the records have a fixed order."""
        return self.table.ordered

    def select_columns(self, names: Sequence[str]) -> TransformedTable:
        """Return the table restricted to these columns."""
        needed = [name for name in self.table.names if name in names or name in self.transform.needs]
        # counting records requires at least one column
        return TransformedTable(self.table.select_columns(needed or self.table.names[:1]), self.transform, tuple(names))

    def make_empty_chunk(self) -> Chunk:
        """Return a chunk without records."""
        return _transform_chunk(self.transform, self.names, self.table.make_empty_chunk())

    def count_records(self) -> int | None:
        """Return the number of records; None if records may be dropped or cannot be counted."""
        return None if self.transform.drops else self.table.count_records()

    def compute_aggregates(self, query: AggregateQuery) -> list[AggregateRow] | None:
        """Return None: the engine cannot apply the transform."""
        return None

    def fold(self, map_chunk: MapChunk[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Apply `map_chunk` to every transformed chunk and merge the results."""
        return self.table.fold(partial(_transform_and_map, self.transform, self.names, map_chunk), merge, unit)


def _transform_chunk(transform: ChunkTransform, names: tuple[str, ...], chunk: Chunk) -> Chunk:
    transformed = transform(chunk)
    return Chunk({name: transformed.columns[name] for name in names}, transformed.size)


def _transform_and_map(
    transform: ChunkTransform, names: tuple[str, ...], map_chunk: MapChunk[Part], chunk: Chunk
) -> Part:
    return map_chunk(_transform_chunk(transform, names, chunk))
