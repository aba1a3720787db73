"""Conversion of R, Polars and Arrow data to NumPy and pandas, and reading of whole tables."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from operator import add
from typing import Any

import numpy as np

from pydpstat._data.chunks import Chunk, concatenate_chunks, make_column_type_error, make_integer_column
from pydpstat._data.containers import (
    Column,
    find_library,
    has_columns,
    is_categorical,
    is_pandas_frame,
    is_series,
    to_list,
)
from pydpstat._data.table import Table, as_table
from pydpstat._data.values import fill_masked, to_object_array
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError

_NATIVE_TYPES = (np.ndarray, list, tuple, Chunk)
# time units of NumPy that pandas supports or converts exactly
_PANDAS_TIME_UNITS = ("D", "h", "m", "s", "ms", "us", "ns")
# whether Python runs within R (reticulate), which has loaded its own modules before
_WITHIN_R = "rpycall" in sys.modules


@contextmanager
def name_data_argument(argument: str) -> Iterator[None]:
    """Rename "data" in error messages raised within the block to the argument's name."""
    try:
        yield
    except PydpstatError as error:
        message = str(error)
        if argument == "data" or not message.startswith("data "):
            raise
        raise PydpstatError(argument + message.removeprefix("data")) from error.__cause__


def to_pandas_or_numpy(data: object, argument: str = "data") -> Any:
    """Convert a variable of Polars, Arrow or R, or an R data frame, to pandas or NumPy.

    Anything else, including a table, is returned unchanged.
    """
    if _WITHIN_R:
        data = replace_r_missing(data)
    if type(data) in _NATIVE_TYPES:
        return data
    library = find_library(data)
    if not library:
        return data
    with name_data_argument(argument):
        if library == "rpy2":
            return convert_r_object(data)
        if library == "polars" and not has_columns(data):
            from pydpstat._data.polars_frames import convert_polars_series

            return convert_polars_series(data)
        if library == "pyarrow":
            from pydpstat._data.chunk_columns import convert_arrow_variable

            return convert_arrow_variable("", data)
    return data


def read_all_records(data: object, argument: str, *, needs_order: bool = False) -> Any:
    """Return data with all records in memory; a table as one chunk.

    With `needs_order`, a table must have a fixed order because other variables are given separately.
    """
    data = to_pandas_or_numpy(data, argument)
    if type(data) in _NATIVE_TYPES:
        return data
    with name_data_argument(argument):
        table = as_table(data)
        if table is None:
            return data
        table = require_row_order(table, data) if needs_order else table
        return concatenate_chunks(table.fold(lambda chunk: [chunk], add))


def read_variable(data: object, argument: str = "data", *, needs_order: bool = False) -> Any:
    """Return one variable in memory, converted as by `to_pandas_or_numpy`; of a table its only column.

    With `needs_order`, a table, such as a Dask series, must have a fixed order because other variables are given
    separately.
    """
    records = read_all_records(data, argument, needs_order=needs_order)
    if not isinstance(records, Chunk):
        return records
    check_single(len(records.columns), argument)
    (column,) = records.columns.values()
    # observed strings are not public categories
    return np.asarray(column, dtype=object) if is_categorical(column) else column


def check_single(columns: int, argument: str) -> None:
    """Check that an argument for one variable has exactly one column."""
    if columns != 1:
        raise PydpstatError(f"{argument} must be one variable; got {columns} columns. Give one column at a time.")


def read_frame(data: object, argument: str, *, needs_order: bool = False) -> Any:
    """Return data as `read_all_records` does, but the records of a table as a pandas DataFrame."""
    records = read_all_records(data, argument, needs_order=needs_order)
    if not isinstance(records, Chunk):
        return records
    return pd.DataFrame({name: to_series(column) for name, column in records.columns.items()})


def to_series(values: Any, name: object = None) -> pd.Series:
    """Return one variable as a series of its own type; lists and arrays of objects become objects.

    pandas would infer a common type, which one record could change for all others: with a missing value, 2**53 + 1
    becomes 2**53, and a time equals a string only if the column contains no strings.
    """
    if is_series(values):
        return values if name is None else values.rename(name)
    values = fill_masked(values)
    if isinstance(values, (list, tuple, range)):
        values = to_object_array(values)
    if isinstance(values, np.ndarray):
        values = _to_pandas_dtype(values)
    of_objects = getattr(getattr(values, "dtype", None), "kind", "") == "O" and isinstance(values, np.ndarray)
    return pd.Series(values, name=name, dtype=object if of_objects else None)


def _to_pandas_dtype(values: np.ndarray) -> np.ndarray:
    """Convert an array to a type that pandas preserves; the conversion depends on the type alone."""
    kind = values.dtype.kind
    if kind in "mM":
        unit = np.datetime_data(values.dtype)[0]
        if unit not in _PANDAS_TIME_UNITS:
            return to_object_array(list(values))
        if pd.Series(values[:0]).dtype == values.dtype:
            return values
        seconds = np.dtype(f"{kind}8[s]")
        pandas_dtype = seconds if pd.Series(np.zeros(0, seconds)).dtype == seconds else np.dtype(f"{kind}8[ns]")
        converted = values.astype(pandas_dtype)
        # pandas before 2 has only times from 1677 to 2262; times outside equal no label
        beyond = (converted.astype(values.dtype) != values) & ~np.isnat(values)
        converted[beyond] = np.array(2**63 - 1).astype(pandas_dtype)
        return converted
    if kind in "USV":
        return values.astype(object)
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def to_public_list(values: object, argument: str) -> Any:
    """Return public values of any library's column as a list; return anything else unchanged."""
    return to_list(to_pandas_or_numpy(values, argument))


def ensure_countable(data: object, argument: str) -> Any:
    """Return data whose records can be counted before a pass; data of a single pass are read into memory."""
    data = to_pandas_or_numpy(data, argument)
    with name_data_argument(argument):
        table = as_table(data)
        is_countable = table is None or table.count_records() is not None
    return data if is_countable else read_all_records(data, argument)


def require_row_order(table: Table, data: object) -> Table:
    """Return the table of a variable given separately from others; raise an error if it has no fixed order."""
    if table.ordered:
        return table
    raise PydpstatError(
        "data must have a fixed order if variables are given separately, so that a record has the "
        f"same position in each; got {type(data).__name__}, a query that may return its records in a "
        "different order each time. Give columns of one data frame in memory, as returned by "
        ".collect(), .df(), .compute() or .toPandas()."
    )


# representation of NA in R's integers and logicals
_R_MISSING_INTEGER = -(2**31)
# R classes that do not change the meaning of a vector's values
_PLAIN_R_CLASSES = {"numeric", "integer", "logical", "character", "matrix", "array"}
_R_VECTOR_KINDS = {"FloatSexpVector": "f", "IntSexpVector": "i", "BoolSexpVector": "b", "StrSexpVector": "U"}


def convert_r_object(data: Any) -> pd.DataFrame | Column:
    """Convert an R vector, factor or data frame to NumPy or pandas.

    Integers with NA become floats, logicals with NA become objects, strings a pandas string array, and a factor a
    Categorical with its levels as categories.
    """
    classes = tuple(map(str, data.rclass))
    if "data.frame" in classes:
        return _convert_r_frame(data)
    converted = _convert_r_vector(data, classes)
    if converted is None:
        raise PydpstatError(
            "data from R must be a vector of numbers, truth values or strings, a factor or a data "
            f"frame; got R's class {classes[0]!r}. Convert them first, for example by as.numeric() in "
            "R."
        )
    return converted


def replace_r_missing(data: object) -> object:
    """Replace R's integer NA by missing values in data converted by reticulate.

    reticulate passes the integer that represents NA, which no other value of an R integer vector has.
    """
    if isinstance(data, list):
        has_missing = any(type(value) is int and value == _R_MISSING_INTEGER for value in data)
        return (
            [None if type(value) is int and value == _R_MISSING_INTEGER else value for value in data]
            if has_missing
            else data
        )
    if isinstance(data, np.ndarray) and data.dtype.kind == "i":
        return make_integer_column(data, data == _R_MISSING_INTEGER)
    if is_pandas_frame(data):
        return data.apply(_replace_column_missing)
    return data


def _replace_column_missing(column: pd.Series) -> pd.Series:
    if column.dtype.kind != "i":
        return column
    if not isinstance(column.dtype, np.dtype):
        return column.mask(column == _R_MISSING_INTEGER)
    # as floats, integers would be rounded because another value is missing
    values = column.to_numpy()
    return pd.Series(make_integer_column(values, values == _R_MISSING_INTEGER), index=column.index)


def _convert_r_frame(data: Any) -> pd.DataFrame:
    vector_class = _find_r_class(data, ("ListSexpVector",))
    names = [str(name) for name in data.names]
    columns = []
    for i, name in enumerate(names):
        # bypasses conversions that a user has registered with rpy2
        column = vector_class.__getitem__(data, i)
        converted = _convert_r_vector(column, tuple(map(str, column.rclass)))
        if converted is None or np.ndim(converted) != 1:
            raise make_column_type_error(name, f"R's {column.rclass[0]}")
        columns.append(converted)
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = pd.Index(names, dtype=object)
    return frame


def _find_r_class(data: object, names: Collection[str]) -> Any:
    """Return the low-level rpy2 class that gives a vector's values unconverted; None if there is none."""
    return next((base for base in type(data).__mro__ if base.__name__ in names), None)


def _convert_r_vector(data: Any, classes: tuple[str, ...]) -> Any:
    """Convert a vector, or a matrix of numbers or logicals; return None for other classes."""
    vector_class = _find_r_class(data, _R_VECTOR_KINDS)
    if vector_class is None or not ("factor" in classes or set(classes) <= _PLAIN_R_CLASSES):
        return None
    if vector_class.__name__ == "StrSexpVector":
        return None if {"matrix", "array"} & set(classes) else _convert_r_texts(data, vector_class)
    values = np.asarray(data)
    if vector_class.__name__ == "FloatSexpVector":
        return values
    absent = values == _R_MISSING_INTEGER
    if "factor" in classes:
        return _convert_r_factor(values, data.do_slot("levels")) if values.ndim == 1 else None
    if vector_class.__name__ == "IntSexpVector":
        return make_integer_column(values, absent)
    truths = values != 0
    return np.where(absent, None, truths) if absent.any() else truths


def _convert_r_texts(data: Any, vector_class: Any) -> pd.api.extensions.ExtensionArray:
    values = [vector_class.__getitem__(data, i) for i in range(len(data))]
    texts = [value if isinstance(value, str) else None for value in values]
    return pd.array(texts, dtype=pd.StringDtype("python"))


def _convert_r_factor(codes: np.ndarray, levels: Any) -> pd.Categorical:
    vector_class = _find_r_class(levels, _R_VECTOR_KINDS)
    texts = [vector_class.__getitem__(levels, i) for i in range(len(levels))]
    text_indices = [i for i, text in enumerate(texts) if isinstance(text, str)]
    # a level may itself be NA
    new_codes = np.full(len(texts) + 1, -1)
    new_codes[[i + 1 for i in text_indices]] = np.arange(len(text_indices))
    # a string type, so that levels of another type are detected
    categories = pd.Index([texts[i] for i in text_indices], dtype="string[python]")
    return pd.Categorical.from_codes(new_codes[np.where(codes == _R_MISSING_INTEGER, 0, codes)], categories=categories)
