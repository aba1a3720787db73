"""Isolated copies of blocks: values of their records without any other trace of the data.

Parts of a container other than its values often depend on all records: the row numbers of a default index,
the types of lists, categories and dictionaries in the order of first occurrence, a bitmap of missing values,
an array's base, `attrs` of pandas and Arrow's metadata with the number of rows. With all of these removed, a
block is a function of its records and of public types and names. Adding, removing or replacing a record
therefore changes one block.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from pydpstat._data.containers import (
    Column,
    find_library,
    has_attributes,
    has_rows,
    is_categorical,
    is_frame,
    is_index,
    is_pandas_frame,
)
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    # records in memory, as their library has them
    SampleContainer: TypeAlias = (
        Column | pd.DataFrame | pl.DataFrame | pl.Series | pa.Table | pa.Array | pa.ChunkedArray
    )

_IMMUTABLE_TYPES = {str, bytes, bool, int, float, complex, type(None)}


def to_plain_sample(sample: Any) -> SampleContainer:
    """Convert records to a plain container of pandas, NumPy, Arrow or Polars, without shared dictionaries.

    Subclasses of frames and arrays are converted too: their attributes may depend on all records.
    """
    library = find_library(sample)
    if library == "polars":
        return _convert_polars_categories(sample)
    if library == "pyarrow":
        if not has_attributes(sample, "columns"):
            return _decode_arrow_column(sample)
        return type(sample).from_arrays([*map(_decode_arrow_column, sample.columns)], names=sample.column_names)
    if is_frame(sample):
        return sample if is_pandas_frame(sample) else pd.DataFrame(np.asarray(sample), columns=sample.columns)
    if has_rows(sample):
        return sample if isinstance(sample, pd.Series) else pd.Series(np.asarray(sample), name=sample.name)
    if is_index(sample) or isinstance(sample, pd.api.extensions.ExtensionArray):
        return sample
    return np.asarray(sample)


def _convert_polars_categories(sample: pl.DataFrame | pl.Series) -> pl.DataFrame | pl.Series:
    import polars as pl

    if not has_attributes(sample, "columns"):
        return sample.cast(_convert_polars_type(sample.dtype))
    plain = {name: _convert_polars_type(kind) for name, kind in sample.schema.items()}
    return sample.with_columns(pl.col(name).cast(kind) for name, kind in plain.items())


def _convert_polars_type(kind: pl.DataType) -> pl.DataType:
    """Return the Polars type with strings instead of categories, which depend on the records."""
    import polars as pl

    if kind == pl.Categorical:
        return pl.String
    if isinstance(kind, pl.List):
        return pl.List(_convert_polars_type(kind.inner))
    if isinstance(kind, pl.Array):
        return pl.Array(_convert_polars_type(kind.inner), kind.size)
    if isinstance(kind, pl.Struct):
        return pl.Struct({field.name: _convert_polars_type(field.dtype) for field in kind.fields})
    return kind


def _decode_arrow_column(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    plain = convert_arrow_type(column.type)
    return column if plain.equals(column.type, check_metadata=True) else column.cast(plain)


def convert_arrow_type(kind: pa.DataType) -> pa.DataType:
    """Return the Arrow type with value types instead of dictionaries."""
    import pyarrow as pa

    types = pa.types
    if str(kind) in ("string_view", "binary_view"):
        # Arrow cannot select records of views, which share their buffers
        return pa.large_string() if str(kind) == "string_view" else pa.large_binary()
    if types.is_dictionary(kind):
        return convert_arrow_type(kind.value_type)
    if types.is_struct(kind):
        return pa.struct([_convert_arrow_field(kind.field(index)) for index in range(kind.num_fields)])
    if types.is_map(kind):
        return pa.map_(convert_arrow_type(kind.key_type), convert_arrow_type(kind.item_type), kind.keys_sorted)
    if types.is_fixed_size_list(kind):
        return pa.list_(_convert_arrow_field(kind.value_field), kind.list_size)
    if types.is_large_list(kind):
        return pa.large_list(_convert_arrow_field(kind.value_field))
    if types.is_list(kind):
        return pa.list_(_convert_arrow_field(kind.value_field))
    if types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType):
        raise PydpstatError(
            f"data must have columns of simple values; got one of type {kind}. Convert it to a simple type."
        )
    return kind


def _convert_arrow_field(field: pa.Field) -> pa.Field:
    return field.with_type(convert_arrow_type(field.type)).remove_metadata()


def copy_isolated_block(block: Any) -> SampleContainer:
    """Return a block whose dtype, string width and categories depend on its own records only."""
    library = find_library(block)
    if library == "pyarrow":
        return _copy_arrow_data(block)
    if library == "polars":
        return _copy_polars_data(block)
    if isinstance(block, np.ndarray):
        return _copy_isolated_array(block)
    if is_frame(block):
        columns = {index: _copy_isolated_column(block.iloc[:, index]) for index in range(block.shape[1])}
        copied = pd.DataFrame(columns, index=range(len(block)))
        # an index is mutable: changes to it would reach the next block
        copied.columns = block.columns.copy()
        return copied
    if has_rows(block):
        return _copy_isolated_column(block)
    if has_attributes(block, "levels"):
        keys = [_copy_isolated_column(pd.Series(block.get_level_values(index))) for index in range(block.nlevels)]
        return type(block).from_arrays(keys, names=block.names)
    copied = _copy_isolated_column(pd.Series(block))
    return pd.Index(copied, name=block.name) if is_index(block) else copied.array


def _copy_isolated_column(column: pd.Series) -> pd.Series:
    """Return a column whose index, type, categories and objects depend on its own records only."""
    if is_categorical(column):
        return pd.Series(_copy_used_categories(column.array), name=column.name)
    if not isinstance(column.dtype, np.dtype):
        return pd.Series(_copy_extension_array(column.array), name=column.name)
    values = np.array(column.to_numpy(), copy=True)
    if values.dtype.kind != "O":
        return pd.Series(values, name=column.name)
    copied = pd.Series(_copy_objects(values), name=column.name, dtype=object)
    try:
        return copied.infer_objects()
    except Exception:
        # objects may raise any error, and pandas before 2 converts some integers to floats
        return copied


def _copy_extension_array(array: Any) -> pd.api.extensions.ExtensionArray:
    if not isinstance(array, getattr(pd.arrays, "ArrowExtensionArray", ())):
        return array.copy()
    arrow_array: Any = array
    values = _copy_arrow_data(_decode_arrow_column(arrow_array.__arrow_array__()))
    kind = getattr(arrow_array.dtype, "pyarrow_dtype", None)
    return pd.array(values, dtype=arrow_array.dtype if kind is None else pd.ArrowDtype(values.type))


def _copy_used_categories(column: pd.Categorical) -> pd.Categorical:
    """Return a Categorical with the categories that occur, sorted if they are unordered.

    Unordered categories may be in the order of first occurrence among all records.
    """
    codes = np.asarray(column.codes, dtype=np.int64)
    used, first_indices = np.unique(codes[codes >= 0], return_index=True)
    if not column.ordered:
        used = used[np.argsort(first_indices)]
        # unsortable categories stay in order of occurrence
        with suppress(Exception, SystemExit):
            used = used[column.categories.take(used).argsort()]
    new_codes = np.full(len(column.categories) + 1, -1)
    new_codes[used] = np.arange(used.size)
    categories = pd.Index(_copy_isolated_column(pd.Series(column.categories.take(used), name=None)))
    # code -1 of missing values selects the last element
    return pd.Categorical.from_codes(new_codes[codes], categories=categories, ordered=column.ordered)


def _copy_isolated_array(block: np.ndarray) -> np.ndarray:
    block = np.array(block, copy=True)
    if issubclass(block.dtype.type, np.record):
        return block.view(np.recarray)
    if block.dtype.kind not in "OUS":
        return copy.deepcopy(block) if block.dtype.hasobject else block
    if block.dtype.kind == "O":
        block = _copy_objects(block.ravel()).reshape(block.shape)
    try:
        converted = np.array(block.tolist())
    except (Exception, SystemExit):
        # for example rows of different lengths; an error would reveal information about the records
        return block
    if block.dtype.kind == "O" and converted.dtype.kind in "US":
        texts = np.array(block.tolist(), dtype=object)
        # strings among other objects are not converted
        return converted if all(isinstance(element, (str, bytes)) for element in texts.flat) else block
    return converted


def _copy_objects(records: Sequence[object] | np.ndarray) -> np.ndarray:
    """Return copies of objects, so that a callable's changes to one block do not reach another."""
    objects = records.tolist() if isinstance(records, np.ndarray) else records
    if isinstance(records, np.ndarray) and set(map(type, objects)) <= _IMMUTABLE_TYPES:
        return records
    copies_by_id: dict[int, object] = {}
    return np.fromiter((_copy_object(element, copies_by_id) for element in objects), dtype=object, count=len(records))


def _copy_object(record: object, memo: dict[int, object]) -> object:
    try:
        return copy.deepcopy(record, memo)
    except (Exception, SystemExit):  # copying an object may raise any error
        return record


def _copy_arrow_data(block: Any) -> Any:
    """Return Arrow data written to a buffer and read again, so that no buffer is shared.

    The result of `take` has a bitmap of missing values if the whole data have one.
    """
    import pyarrow as pa

    is_table = has_attributes(block, "columns")
    table = pa.Table.from_arrays(
        [column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column]) for column in block.columns]
        if is_table
        else [block if isinstance(block, pa.ChunkedArray) else pa.chunked_array([block])],
        names=block.schema.names if is_table else [""],
    ).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    copied_table = pa.ipc.open_stream(sink.getvalue()).read_all()
    if isinstance(block, pa.Table):
        return copied_table
    if is_table:
        return pa.RecordBatch.from_arrays(
            [_join_arrow_chunks(column) for column in copied_table.columns], names=copied_table.column_names
        )
    return copied_table.column(0) if isinstance(block, pa.ChunkedArray) else _join_arrow_chunks(copied_table.column(0))


def _join_arrow_chunks(column: pa.ChunkedArray) -> pa.Array:
    import pyarrow as pa

    # Arrow cannot concatenate an empty list of chunks
    return pa.concat_arrays(column.chunks or [pa.array([], column.type)])


def _copy_polars_data(block: pl.DataFrame | pl.Series) -> pl.DataFrame | pl.Series:
    """Return Polars data written to a buffer and read again; objects are copied."""
    import polars as pl

    frame = block if has_attributes(block, "columns") else block.to_frame()
    objects = [name for name, kind in frame.schema.items() if kind == pl.Object]
    sink = io.BytesIO()
    frame.drop(objects).write_ipc(sink)
    plain = pl.read_ipc(io.BytesIO(sink.getvalue())).rechunk()
    copied_columns = [
        pl.Series(name, list(_copy_objects(frame[name].to_list())), dtype=pl.Object) if name in objects else plain[name]
        for name in frame.columns
    ]
    return pl.DataFrame(copied_columns) if has_attributes(block, "columns") else copied_columns[0]
