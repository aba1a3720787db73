"""Columns of Arrow as those of a chunk: what a value means depends on itself and its column's type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat._data.chunk import CHUNK, Chunk, refused, whole_numbers

if TYPE_CHECKING:
    import pyarrow as pa


def chunk_of_batch(batch: pa.RecordBatch | pa.Table) -> Chunk:
    """Return a batch of Arrow's as a chunk, without a copy where the types allow it.

    Whole numbers with a missing one become floats, truth values with one become objects, texts become
    a Categorical, decimals become objects. What has no meaning for a statistic is an error that names the
    column and its type.
    """
    columns = {name: column_of_arrow(name, column) for name, column in zip(batch.schema.names, batch.columns)}
    return Chunk(columns, batch.num_rows)


def empty_chunk(schema: pa.Schema) -> Chunk:
    """Return the chunk of no records that has a schema's columns."""
    return chunk_of_batch(schema.empty_table())


def chunks_of_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[Chunk]:
    """Return batches as chunks of about one size: large ones are split, small ones are joined."""
    for batch in sized(batches):
        yield chunk_of_batch(batch)
        del batch


def sized(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch | pa.Table]:
    """Return batches of between half of a chunk and a chunk, but for the last one."""
    import pyarrow as pa

    small: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        if batch.num_rows >= CHUNK // 2 and small:
            yield pa.Table.from_batches(small)
            small, rows = [], 0
        if batch.num_rows > CHUNK:
            yield from (batch.slice(start, CHUNK) for start in range(0, batch.num_rows, CHUNK))
        elif batch.num_rows >= CHUNK // 2:
            yield batch
        elif batch.num_rows:
            small.append(batch)
            rows += batch.num_rows
            if rows >= CHUNK // 2:
                yield pa.Table.from_batches(small)
                small, rows = [], 0
        # the engine may need the room of this one for the next
        del batch
    if small:
        yield pa.Table.from_batches(small)


def column_of_arrow(name: str, column: pa.Array | pa.ChunkedArray) -> Any:
    """Return an array of Arrow's as a column of a chunk."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        if pa.types.is_dictionary(column.type):
            column = column.unify_dictionaries()
        column = column.chunk(0) if column.num_chunks == 1 else _combined(column)
    kind = column.type
    types = pa.types
    if types.is_integer(kind):
        return _integers(column)
    if types.is_floating(kind):
        return column.to_numpy(zero_copy_only=False)
    if types.is_boolean(kind) or types.is_decimal(kind) or types.is_null(kind):
        values = column.to_numpy(zero_copy_only=False)
        return values.astype(object) if types.is_decimal(kind) or types.is_null(kind) else values
    if types.is_dictionary(kind):
        return _dictionary(name, column)
    if _is_text(kind):
        return _texts(column)
    if types.is_timestamp(kind) and kind.tz is not None:
        return _zoned(column)
    if types.is_date(kind) or types.is_timestamp(kind) or types.is_duration(kind):
        return column.to_numpy(zero_copy_only=False)
    raise refused(name, kind)


def is_array(data: object) -> bool:
    """Tell whether something is an array of Arrow's, in one piece or several."""
    import pyarrow as pa

    return isinstance(data, (pa.Array, pa.ChunkedArray))


def variable_of_arrow(name: str, column: pa.Array | pa.ChunkedArray) -> Any:
    """Return an array of Arrow's as a variable: as a column of a chunk, but for texts.

    Texts are pandas' strings. As a Categorical those that occur would look like levels that are public.
    """
    import pandas as pd
    import pyarrow as pa

    kind = column.type
    shared = pa.types.is_dictionary(kind)
    if not _is_text(kind.value_type if shared else kind):
        return column_of_arrow(name, column)
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    pieces = [piece.dictionary_decode() if shared else piece for piece in pieces]
    texts = pa.chunked_array(pieces, kind.value_type if shared else kind)
    try:
        return pd.arrays.ArrowStringArray(texts.cast(pa.large_string()))
    except ValueError:  # pandas before 2.2 has short texts only
        return pd.arrays.ArrowStringArray(texts.cast(pa.string()))


def _combined(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    if not column.num_chunks:
        return pa.array([], column.type)
    return pa.concat_arrays(column.chunks)


def _integers(column: pa.Array) -> Any:
    if not column.null_count:
        return whole_numbers(column.to_numpy(), None)
    absent = column.is_null().to_numpy(zero_copy_only=False)
    return whole_numbers(column.fill_null(0).to_numpy(), absent)


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    # views came with pyarrow 16
    is_view = getattr(pa.types, "is_string_view", None)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or bool(is_view and is_view(kind))


def _texts(column: pa.Array) -> Any:
    coded = column.dictionary_encode()
    return _categorical(coded, coded.dictionary)


def _dictionary(name: str, column: pa.DictionaryArray) -> Any:
    """Return a dictionary's texts as a Categorical, and other values of one as themselves."""
    labels = column.dictionary
    if not _is_text(labels.type):
        return column_of_arrow(name, column.dictionary_decode())
    # Arrow allows labels that are missing or occur twice; and many labels cost more than few values
    if labels.null_count or len(labels) > max(len(column), 1024) or len(labels.unique()) != len(labels):
        return _texts(column.dictionary_decode())
    return _categorical(column, labels)


def _categorical(column: pa.DictionaryArray, labels: pa.Array) -> Any:
    codes = column.indices
    if codes.null_count:
        import pyarrow as pa

        # codes of one byte without a sign have no -1
        codes = codes.cast(pa.int64()).fill_null(-1)
    return categorical(codes.to_numpy(), labels.to_numpy(zero_copy_only=False))


def categorical(codes: np.ndarray, labels: np.ndarray) -> Any:
    """Return texts by their codes, -1 for a missing one, and the texts that they stand for."""
    import pandas as pd

    # of one type in every chunk, whatever the engine and pandas make of texts
    categories = pd.Index(labels.astype(object), dtype="string[python]")
    return pd.Categorical.from_codes(codes, categories=categories)


def _zoned(column: pa.TimestampArray) -> Any:
    import pandas as pd
    import pyarrow as pa

    # a moment is the same in every zone, and every system knows this one
    moments = column.cast(pa.timestamp(column.type.unit, "UTC"))
    return pd.DatetimeIndex(moments.to_numpy(zero_copy_only=False), tz="UTC")
