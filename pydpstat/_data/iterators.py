"""Tables whose records come as an iterator of frames, dicts of columns, or arrays: they are read once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pydpstat._checks import excerpt
from pydpstat._data.chunk import (
    CHUNK,
    Chunk,
    Merge,
    Part,
    Partial,
    Table,
    chosen,
    column_names,
    fold_in_order,
    with_unit,
)
from pydpstat._data.chunk_columns import column_of, column_of_arrow
from pydpstat._data.containers import Column, columns_of, is_frame, is_series, name_of, offers, rows
from pydpstat._data.lookup import KINDS, kind_of
from pydpstat._data.questions import Question, Row
from pydpstat._data.streams import Once
from pydpstat.errors import PydpstatError


@dataclass(frozen=True)
class Chunks:
    """A table whose records an iterator gives, all of its chunks with the first one's columns."""

    source: Iterator[object]
    once: Once
    names: tuple[str, ...]
    every: tuple[str, ...]
    ordered: bool = True

    def select(self, names: Sequence[str]) -> Table:
        """Return the table of some columns."""
        return replace(self, names=chosen(names, self.names))

    def sample(self) -> Chunk:
        """Return no records of the first chunk."""
        columns = _columns(self.once.peek(self.source), 1)
        return Chunk({name: _emptied(name, columns[name]) for name in self.names}, 0)

    def count(self) -> int | None:
        """Return None: to count is to read."""
        return None

    def ask(self, question: Question) -> list[Row] | None:
        """Return None: records are read."""
        return None

    def fold(self, partial: Partial[Part], merge: Merge[Part], unit: str | None = None) -> Part:
        """Return what `partial` makes of every chunk, merged; the iterator is then used up."""
        whole, empty = with_unit(unit, self.names), self.sample()
        return fold_in_order(
            self._chunks(), lambda: empty, partial, merge, engine="the iterator", whole=whole
        )

    def _chunks(self) -> Iterator[Chunk]:
        first: dict[str, str | None] = {}
        for number, piece in enumerate(self.once.read(self.source), start=1):
            columns = _columns(piece, number)
            if set(columns) != set(self.every):
                raise _differs(number, "columns", excerpt(list(self.every)), excerpt(list(columns)))
            for name in self.names:
                if _is_list(columns[name]):
                    continue
                kind = kind_of(_emptied(name, columns[name]))
                if first.setdefault(name, kind) != kind:
                    raise _differs(number, f"column {name!r}", _said(first[name]), _said(kind))
            size = _size(columns, number)
            for start in range(0, size, CHUNK):
                cut = slice(start, start + CHUNK)
                parts = {name: _column(name, rows(columns[name], cut)) for name in self.names}
                yield Chunk(parts, min(CHUNK, size - start))
                del parts
            del piece, columns


def iterator_table(data: Iterator[object]) -> Table:
    """Return the table of an iterator's chunks, after a look at the first one.

    A chunk is a frame of pandas or Polars, a table or a batch of Arrow, a dict of columns, an array of one
    or two axes, a series, or a list. All must have the same columns, of the same kinds where types say them.
    """
    once = Once.of(data)
    try:
        first = once.peek(data)
    except StopIteration:
        raise PydpstatError(
            "data must provide at least one chunk; got an iterator without any, which is empty or "
            "used up. Create it again for every call."
        ) from None
    names = tuple(_columns(first, 1))
    return Chunks(data, once, names, names)


def _columns(piece: object, number: int) -> dict[str, Sized]:
    """Return a chunk's columns by name, as they come."""
    pairs = _pairs(piece)
    if pairs is None:
        raise PydpstatError(
            "data must provide chunks that are data frames, Arrow's tables or batches, dicts of "
            f"columns, arrays or series; got {type(piece).__name__} as chunk {number}. Give one of "
            "these."
        )
    return dict(zip(column_names([name for name, _ in pairs]), [column for _, column in pairs]))


def _pairs(piece: object) -> list[tuple[object, Sized]] | None:
    """Return names and columns of a chunk; None for what is none."""
    if isinstance(piece, Mapping):
        return [(name, _given(column)) for name, column in piece.items()]
    if is_frame(piece):
        return list(zip(piece.columns, columns_of(piece)))
    if is_series(piece):
        return [(name_of(piece) or "", piece)]
    if isinstance(piece, np.ndarray) and piece.ndim == 2:
        return [(str(place), column) for place, column in enumerate(piece.T)]
    if isinstance(piece, (list, tuple, range)) or (isinstance(piece, np.ndarray) and piece.ndim == 1):
        return [("", piece)]
    if not hasattr(piece, "__arrow_c_stream__") and not hasattr(piece, "__arrow_c_array__"):
        return None
    import pyarrow as pa

    given = _given(piece)
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        return [(name_of(piece) or "", given)]
    table = given if isinstance(given, pa.RecordBatch) else pa.table(given)
    return list(zip(table.schema.names, table.columns))


def _given(piece: Any) -> Any:
    """Return a frame or a series of Polars as one of Arrow's that every version of pyarrow can read."""
    return piece.to_arrow() if offers(piece, "to_arrow") else piece


def _column(name: str, column: object) -> Column:
    return column_of_arrow(name, column) if _is_arrow(column) else column_of(name, column)


def _is_arrow(column: object) -> bool:
    return type(column).__module__.partition(".")[0] == "pyarrow"


def _is_list(column: object) -> bool:
    return isinstance(column, (list, tuple))


def _emptied(name: str, column: object) -> Column:
    """Return no values of a column, whose type says of what kind they are; a list may have anything."""
    if _is_list(column):
        return np.empty(0, dtype=object)
    return _column(name, rows(column, slice(0, 0)))


def _size(columns: Mapping[str, Sized], number: int) -> int:
    sizes = {name: len(column) for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise PydpstatError(
            "data must provide chunks whose columns have the same length; they differ in chunk "
            f"{number}, in the columns {excerpt(list(sizes))}. The iterator is used up: fix it, and "
            "create it again."
        )
    return next(iter(sizes.values()))


def _said(kind: str | None) -> str:
    return "objects" if kind is None else KINDS[kind]


def _differs(number: int, what: str, first: str, now: str) -> PydpstatError:
    return PydpstatError(
        f"data must provide chunks of the same kind; the {what} of chunk {number}: {now}, and of the "
        f"first chunk: {first}. Nothing was released. The iterator is used up: convert what differs, "
        "and create it again."
    )
