"""Conversion of columns of Arrow, pandas, NumPy and lists to columns of a chunk, as they would be in a frame."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat._data.chunks import CHUNK, Chunk, make_column_type_error, make_integer_column
from pydpstat._data.containers import Column, is_categorical, is_index, is_series
from pydpstat._data.values import fill_masked, is_missing, to_object_array
from pydpstat._lazy import pd

if TYPE_CHECKING:
    import pyarrow as pa


def convert_batch(batch: pa.RecordBatch | pa.Table) -> Chunk:
    """Convert an Arrow batch to a chunk, without a copy if the types allow it.

    Integers with missing values become floats, truth values with missing values and decimals become objects, and
    strings a Categorical.
    """
    columns = {name: convert_arrow_column(name, column) for name, column in zip(batch.schema.names, batch.columns)}
    return Chunk(columns, batch.num_rows)


def convert_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[Chunk]:
    """Yield batches as chunks of similar size: large batches are split, small ones are concatenated."""
    for batch in normalize_batch_sizes(batches):
        yield convert_batch(batch)
        del batch


def normalize_batch_sizes(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch | pa.Table]:
    """Yield batches of between half the chunk size and the chunk size, except for the last one."""
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
        # release this batch before the engine makes the next one
        del batch
    if small:
        yield pa.Table.from_batches(small)


def convert_arrow_column(name: str, column: pa.Array | pa.ChunkedArray) -> Column:
    """Convert an Arrow array to a column of a chunk."""
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        if pa.types.is_dictionary(column.type):
            column = column.unify_dictionaries()
        # Arrow cannot concatenate an empty list of chunks
        chunks = column.chunks or [pa.array([], column.type)]
        column = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)
    kind = column.type
    types = pa.types
    if types.is_integer(kind):
        return _convert_integers(column)
    if types.is_dictionary(kind):
        return _convert_dictionary(name, column)
    if _is_text(kind):
        return _encode_texts(column)
    if types.is_timestamp(kind) and kind.tz is not None:
        return _convert_to_utc(column)
    if types.is_decimal(kind) or types.is_null(kind):
        return column.to_numpy(zero_copy_only=False).astype(object)
    plain = types.is_floating, types.is_boolean, types.is_date, types.is_timestamp, types.is_duration
    if any(is_plain(kind) for is_plain in plain):
        return column.to_numpy(zero_copy_only=False)
    raise make_column_type_error(name, kind)


def convert_arrow_variable(name: str, column: object) -> Any:
    """Convert an Arrow array to a variable, as a column of a chunk; return anything else unchanged.

    Strings become an extension array of pandas: as categories of a Categorical, the observed strings would look like
    public levels.
    """
    import pyarrow as pa

    if not isinstance(column, (pa.Array, pa.ChunkedArray)):
        return column
    kind = column.type
    shared = pa.types.is_dictionary(kind)
    if not _is_text(kind.value_type if shared else kind):
        return convert_arrow_column(name, column)
    pieces = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    pieces = [piece.dictionary_decode() if shared else piece for piece in pieces]
    texts = pa.chunked_array(pieces, kind.value_type if shared else kind)
    try:
        return pd.arrays.ArrowStringArray(texts.cast(pa.large_string()))
    except ValueError:  # pandas before 2.2 supports only the type with 32-bit offsets
        return pd.arrays.ArrowStringArray(texts.cast(pa.string()))


def _convert_integers(column: pa.Array) -> Column:
    if not column.null_count:
        return make_integer_column(column.to_numpy(), None)
    absent = column.is_null().to_numpy(zero_copy_only=False)
    return make_integer_column(column.fill_null(0).to_numpy(), absent)


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    # views came with pyarrow 16
    is_view = getattr(pa.types, "is_string_view", None)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or bool(is_view and is_view(kind))


def _encode_texts(column: pa.Array) -> pd.Categorical:
    coded = column.dictionary_encode()
    return _make_arrow_categorical(coded, coded.dictionary)


def _convert_dictionary(name: str, column: pa.DictionaryArray) -> Column:
    """Convert strings of a dictionary array to a Categorical; decode values of other types."""
    labels = column.dictionary
    if not _is_text(labels.type):
        return convert_arrow_column(name, column.dictionary_decode())
    # Arrow allows missing and repeated labels; many labels for few values are slow to convert
    if labels.null_count or len(labels) > max(len(column), 1024) or len(labels.unique()) != len(labels):
        return _encode_texts(column.dictionary_decode())
    return _make_arrow_categorical(column, labels)


def _make_arrow_categorical(column: pa.DictionaryArray, labels: pa.Array) -> pd.Categorical:
    codes = column.indices
    if codes.null_count:
        import pyarrow as pa

        # unsigned codes of one byte cannot represent -1
        codes = codes.cast(pa.int64()).fill_null(-1)
    return make_categorical(codes.to_numpy(), labels.to_numpy(zero_copy_only=False))


def make_categorical(codes: np.ndarray, labels: np.ndarray) -> pd.Categorical:
    """Return a Categorical from codes (-1 for missing values) and the strings that they refer to."""
    # the categories have one type in every chunk, whatever type of strings the engine and pandas use
    categories = pd.Index(labels.astype(object), dtype="string[python]")
    return pd.Categorical.from_codes(codes, categories=categories)


def _convert_to_utc(column: pa.TimestampArray) -> pd.DatetimeIndex:
    import pyarrow as pa

    # all times refer to UTC, which every system supports
    moments = column.cast(pa.timestamp(column.type.unit, "UTC"))
    return pd.DatetimeIndex(moments.to_numpy(zero_copy_only=False), tz="UTC")


_DTYPE_KINDS = "fiubmMO"


def convert_column(name: str, values: object) -> Column:
    """Convert a series, an array or a list to a column of a chunk."""
    if is_categorical(values):
        return getattr(values, "array", values)
    if is_series(values) or is_index(values):
        values = values.array
    if hasattr(values, "__arrow_array__"):
        return _convert_extension(name, values)
    if not isinstance(values, np.ndarray):
        if hasattr(values, "to_numpy"):
            values = values.to_numpy()
        elif isinstance(values, (list, tuple, range)):
            values = _convert_list(values)
        values = np.asarray(values)
    if isinstance(values, np.ma.MaskedArray):
        values = _fill_masked(values)
        if not isinstance(values, np.ndarray):
            # pandas' nullable type represents integers that floats cannot
            return values
    if values.dtype.kind == "U":
        return _encode_text_objects(values.astype(object))
    if values.dtype.kind not in _DTYPE_KINDS or values.ndim != 1:
        raise make_column_type_error(name, values.dtype if values.ndim == 1 else f"array of {values.ndim} dimensions")
    return make_integer_column(values, None) if values.dtype.kind in "iu" else values


def _convert_extension(name: str, values: pd.api.extensions.ExtensionArray) -> Column:
    """Convert an extension array of pandas."""
    kind = values.dtype
    if isinstance(kind, np.dtype):
        return convert_column(name, values.to_numpy())
    if isinstance(kind, pd.DatetimeTZDtype):
        return pd.DatetimeIndex(values).tz_convert("UTC")
    if isinstance(kind, pd.SparseDtype):
        return convert_column(name, np.asarray(values))
    if isinstance(kind, pd.StringDtype):
        return _encode_text_objects(values.to_numpy(dtype=object))
    if isinstance(kind, getattr(pd, "ArrowDtype", ())):
        import pyarrow as pa

        return convert_arrow_column(name, pa.chunked_array(values.__arrow_array__()))
    absent = np.asarray(values.isna())
    numbers = getattr(kind, "numpy_dtype", None)
    if numbers is None:
        raise make_column_type_error(name, kind)
    if numbers.kind == "b":
        plain = values.to_numpy(dtype=object, na_value=None)
        return plain if absent.any() else plain.astype(bool)
    if numbers.kind == "f":
        return values.to_numpy(dtype=numbers, na_value=np.nan)
    return make_integer_column(values.to_numpy(dtype=numbers, na_value=0), absent)


def _convert_list(values: Sequence[object]) -> np.ndarray:
    """Convert a list without inferring a common type, which would depend on every record."""
    plain = fill_masked(values)
    return np.asarray(plain) if isinstance(plain, range) else to_object_array(plain)


def _fill_masked(values: np.ma.MaskedArray) -> np.ndarray:
    absent, data = np.ma.getmaskarray(values), np.ma.getdata(values)
    if data.dtype.kind in "iu":
        return make_integer_column(data, absent)
    if data.dtype.kind in "bUS":
        plain = data.astype(object)
        plain[absent] = None
        return plain if absent.any() else data
    return fill_masked(values)


def _encode_text_objects(values: np.ndarray) -> pd.Categorical:
    absent = np.fromiter(map(is_missing, values), dtype=bool, count=values.size)
    codes = np.full(values.size, -1, dtype=np.int64)
    present_codes, labels = pd.factorize(values[~absent])
    codes[~absent] = present_codes
    return make_categorical(codes, to_object_array(labels))
