"""Tables of an iterator of frames, dicts of columns or arrays, which can be read only once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pydpstat._checks import format_public_value
from pydpstat._data.aggregates import AggregateQuery, AggregateRow
from pydpstat._data.chunk_columns import convert_arrow_column, convert_column
from pydpstat._data.chunks import (
    CHUNK,
    Chunk,
    MapChunk,
    Merge,
    Part,
    Table,
    check_column_names,
    check_requested_columns,
    has_unit_column,
    run_ordered_fold,
)
from pydpstat._data.containers import (
    Column,
    get_columns,
    get_series_name,
    has_attributes,
    is_frame,
    is_series,
    take_rows,
)
from pydpstat._data.labels import KIND_DESCRIPTIONS, get_value_kind
from pydpstat._data.streams import SinglePass
from pydpstat.errors import PydpstatError


@dataclass(frozen=True)
class IteratorTable:
    """A table of the chunks of an iterator, all with the columns of the first chunk."""

    source: Iterator[object]
    once: SinglePass
    names: tuple[str, ...]
    all_names: tuple[str, ...]
    ordered: bool = True

    def select_columns(self, names: Sequence[str]) -> Table:
        """Return the table restricted to these columns."""
        return replace(self, names=check_requested_columns(names, self.names))

    def make_empty_chunk(self) -> Chunk:
        """Return a chunk without records, with the types of the first chunk."""
        columns = _get_chunk_columns(self.once.read_first(self.source), 1)
        return Chunk({name: _make_empty_column(name, columns[name]) for name in self.names}, 0)

    def count_records(self) -> int | None:
        """Return None: counting would consume the iterator."""
        return None

    def compute_aggregates(self, query: AggregateQuery) -> list[AggregateRow] | None:
        """Return None: an iterator computes no aggregates, so records are read."""
        return None

    def fold(self, map_chunk: MapChunk[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Apply `map_chunk` to every chunk and merge the results; this consumes the iterator."""
        as_one_chunk, empty = has_unit_column(unit, self.names), self.make_empty_chunk()
        return run_ordered_fold(
            self._iterate_chunks(), lambda: empty, map_chunk, merge, engine="the iterator", as_one_chunk=as_one_chunk
        )

    def _iterate_chunks(self) -> Iterator[Chunk]:
        kinds: dict[str, str | None] = {}
        for number, piece in enumerate(self.once.read_pieces(self.source), start=1):
            columns = _get_chunk_columns(piece, number)
            if set(columns) != set(self.all_names):
                raise _make_mismatch_error(
                    number,
                    "columns",
                    format_public_value(list(self.all_names)),
                    format_public_value(list(columns)),
                )
            for name in self.names:
                if _is_list(columns[name]):
                    continue
                kind = get_value_kind(_make_empty_column(name, columns[name]))
                if kinds.setdefault(name, kind) != kind:
                    raise _make_mismatch_error(
                        number, f"column {name!r}", _describe_kind(kinds[name]), _describe_kind(kind)
                    )
            size = _get_chunk_size(columns, number)
            for start in range(0, size, CHUNK):
                cut = slice(start, start + CHUNK)
                chunk_columns = {name: _convert_column(name, take_rows(columns[name], cut)) for name in self.names}
                yield Chunk(chunk_columns, min(CHUNK, size - start))
                del chunk_columns
            del piece, columns


def make_iterator_table(data: Iterator[object]) -> Table:
    """Return a table of an iterator's chunks, after reading the first one.

    A chunk is a pandas or Polars frame, an Arrow table or batch, a dict of columns, a one- or two-dimensional array, a
    series or a list. All chunks must have the same columns, with values of the same kinds if their types determine
    them.
    """
    reading = SinglePass.from_source(data)
    try:
        first_chunk = reading.read_first(data)
    except StopIteration:
        raise PydpstatError(
            "data must provide at least one chunk; got an iterator without any, which is empty or "
            "used up. Create it again for every call."
        ) from None
    names = tuple(_get_chunk_columns(first_chunk, 1))
    return IteratorTable(data, reading, names, names)


def _get_chunk_columns(piece: object, number: int) -> dict[str, Sized]:
    """Return the columns of a chunk by name, not converted."""
    pairs = _get_named_columns(piece)
    if pairs is None:
        raise PydpstatError(
            "data must provide chunks that are data frames, Arrow's tables or batches, dicts of "
            f"columns, arrays or series; got {type(piece).__name__} as chunk {number}. Give one of "
            "these."
        )
    return dict(zip(check_column_names([name for name, _ in pairs]), [column for _, column in pairs]))


def _get_named_columns(piece: object) -> list[tuple[object, Sized]] | None:
    """Return the names and columns of a chunk; None for an unsupported type."""
    if isinstance(piece, Mapping):
        return [(name, _convert_polars(column)) for name, column in piece.items()]
    if is_frame(piece):
        return list(zip(piece.columns, get_columns(piece)))
    if is_series(piece):
        return [(get_series_name(piece) or "", piece)]
    if isinstance(piece, np.ndarray) and piece.ndim == 2:
        return [(str(i), column) for i, column in enumerate(piece.T)]
    if isinstance(piece, (list, tuple, range)) or (isinstance(piece, np.ndarray) and piece.ndim == 1):
        return [("", piece)]
    if not hasattr(piece, "__arrow_c_stream__") and not hasattr(piece, "__arrow_c_array__"):
        return None
    import pyarrow as pa

    arrow = _convert_polars(piece)
    if isinstance(arrow, (pa.Array, pa.ChunkedArray)):
        return [(get_series_name(piece) or "", arrow)]
    table = arrow if isinstance(arrow, pa.RecordBatch) else pa.table(arrow)
    return list(zip(table.schema.names, table.columns))


def _convert_polars(piece: Any) -> Any:
    """Convert a Polars frame or series to Arrow, in a form that every version of pyarrow can read."""
    return piece.to_arrow() if has_attributes(piece, "to_arrow") else piece


def _convert_column(name: str, column: object) -> Column:
    return convert_arrow_column(name, column) if _is_arrow(column) else convert_column(name, column)


def _is_arrow(column: object) -> bool:
    return type(column).__module__.partition(".")[0] == "pyarrow"


def _is_list(column: object) -> bool:
    return isinstance(column, (list, tuple))


def _make_empty_column(name: str, column: object) -> Column:
    """Return a column without values whose type is that of the given one; of objects for a list."""
    if _is_list(column):
        return np.empty(0, dtype=object)
    return _convert_column(name, take_rows(column, slice(0, 0)))


def _get_chunk_size(columns: Mapping[str, Sized], number: int) -> int:
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise PydpstatError(
            "data must provide chunks whose columns have the same length; they differ in chunk "
            f"{number}, in the columns {format_public_value(list(sizes))}. The iterator is used up: fix it, and "
            "create it again."
        )
    return next(iter(sizes.values()))


def _describe_kind(kind: str | None) -> str:
    return "objects" if kind is None else KIND_DESCRIPTIONS[kind]


def _make_mismatch_error(number: int, what: str, first: str, now: str) -> PydpstatError:
    return PydpstatError(
        f"data must provide chunks of the same kind; the {what} of chunk {number}: {now}, and of the "
        f"first chunk: {first}. Nothing was released. The iterator is used up: convert what differs, "
        "and create it again."
    )
