"""Columns of labels, and codes of their values among public labels.

The code of a value depends only on this value and the column's type, not on other values. Adding or replacing a record
therefore never changes the code of another one.
"""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import repeat
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._checks import as_float, describe_option
from pydpstat._data.containers import (
    get_categorical,
    get_columns,
    is_categorical,
    is_frame,
    is_vector,
    to_list,
    with_default_index,
)
from pydpstat._data.values import Objects, is_missing, to_object_array
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError

_CHUNK_SIZE = 32768
# strings are factorized in batches; in small batches the observed strings would be looked up too often
_TEXT_BATCH_SIZE = 1 << 19
# up to this number of strings are looked up one by one
_MAX_DIRECT_LOOKUPS = 128
# integers are looked up in a dense table if it has at most this number of entries per label
_DENSE_FACTOR = 16
# descriptions of the kinds of values, for messages
KIND_DESCRIPTIONS = {
    "numbers": "numbers or truth values",
    "texts": "texts",
    "bytes": "bytes",
    "times": "dates or times",
    "zoned": "times with a time zone",
    "durations": "durations",
}
_KIND_BY_DTYPE = {
    **dict.fromkeys("iufb", "numbers"),
    "U": "texts",
    "S": "bytes",
    "M": "times",
    "m": "durations",
}


def get_value_kind(column: object) -> str | None:
    """Return the kind of a column's values according to its type; None if they can be anything."""
    dtype = getattr(column, "dtype", None)
    if is_categorical(column):
        return get_value_kind(get_categorical(column).categories)
    if dtype is None or isinstance(dtype, np.dtype):
        return _KIND_BY_DTYPE.get(getattr(dtype, "kind", "O"))
    if isinstance(dtype, pd.DatetimeTZDtype):
        return "zoned"
    if isinstance(dtype, pd.SparseDtype):
        return _KIND_BY_DTYPE.get(dtype.subtype.kind)
    if isinstance(dtype, pd.StringDtype):
        return "texts"
    # nullable types and Arrow types have the kind of their values
    kind = _KIND_BY_DTYPE.get(getattr(dtype, "kind", "O"))
    return kind if kind == "numbers" else None


def is_label_of_kind(label: object, kind: str | None) -> bool:
    """Return whether a column of this kind can contain a label."""
    match kind:
        case None:
            return True
        case "numbers":
            # truth values are 0 and 1 in Python; NumPy registers timedelta64 as an integer type
            number = isinstance(label, (numbers.Real, Decimal, np.bool_))
            return number and not isinstance(label, np.timedelta64)
        case "texts":
            return isinstance(label, str)
        case "bytes":
            return isinstance(label, bytes)
        case "durations":
            return isinstance(label, (np.timedelta64, datetime.timedelta))
    aware = isinstance(label, datetime.datetime) and label.tzinfo is not None
    return isinstance(label, (np.datetime64, datetime.date)) and aware == (kind == "zoned")


def encode_labels(column: np.ndarray | pd.Series, labels: Sequence[object]) -> np.ndarray:
    """Encode values by their position in `labels`: -1 for missing values, ``len(labels)`` for unknown ones.

    Numbers are compared in the column's dtype, so 0.1 matches a float32 column. Other objects are compared with ``==``;
    unhashable values are unknown.
    """
    if is_categorical(column):
        categorical = get_categorical(column)
        codes, category_codes = np.asarray(categorical.codes), encode_labels(categorical.categories, labels)
        if category_codes.tolist() == list(range(len(labels))):
            return codes.copy()
        # the last element is for the code -1 (missing); small integers are faster than large ones
        small = np.int16 if len(labels) < 2**15 else np.intp
        return np.append(category_codes, -1).astype(small).take(codes, mode="wrap")
    if isinstance(column, np.ma.MaskedArray):
        label_codes = encode_labels(np.ma.getdata(column), labels)
        label_codes[np.ma.getmaskarray(column)] = -1
        return label_codes
    kind = get_value_kind(column)
    usable = [label if is_label_of_kind(label, kind) else None for label in labels]
    match kind:
        case "numbers":
            return _encode_numbers(column, usable)
        case "times" | "durations" | "zoned":
            return _encode_times(column, kind, usable)
    if kind == "texts" and not isinstance(column.dtype, np.dtype):
        return _encode_texts(column, usable)
    return _encode_objects(to_list(column), usable)


def has_equal_labels(labels: Sequence[object], column: object = None) -> bool:
    """Return whether two labels are equal in Python or in a column's type.

    A record with such a value would be counted twice: 0.1 and 0.10000000001 are the same 32-bit float.
    """
    keys = [_get_label_key(label) for label in labels]
    if len(set(keys)) < len(keys):
        return True
    converted = [each for each in _convert_to_column_type(column, labels) if each is not None]
    return len(set(converted)) < len(converted)


# a date or time is identified by its integer in the first of these units that represents it exactly
_TIME_UNITS = ("D", "s", "ms", "us", "ns", "ps", "fs", "as")


def _get_label_key(label: Any) -> object:
    """Return a key that is the same for equal labels: for dates and times, their moment."""
    if is_label_of_kind(label, "durations"):
        kind, letter = "duration", "m"
    elif isinstance(label, (np.datetime64, datetime.date)):
        kind, letter = ("zoned" if is_label_of_kind(label, "zoned") else "time"), "M"
    else:
        return label
    for unit in _TIME_UNITS:
        try:
            moment = _to_time_units(label, np.dtype(f"{letter}8[{unit}]"))
        except (TypeError, ValueError, OverflowError):
            # a number of months is not a fixed number of days
            return label
        if moment is not None:
            return kind, unit, moment
    return label


def _convert_to_column_type(column: Any, labels: Sequence[Any]) -> list[object]:
    """Convert labels to the type of a column, with None for a label that it cannot represent."""
    if is_categorical(column):
        column = get_categorical(column).categories
    kind = get_value_kind(column)
    usable = [label if is_label_of_kind(label, kind) else None for label in labels]
    if kind == "numbers":
        dtype = _get_number_type(column)
        return [None if label is None else cast_label(label, dtype) for label in usable]
    if kind in ("times", "durations"):
        return [None if label is None else _to_time_units(label, np.asarray(column[:0]).dtype) for label in usable]
    return []


def _get_number_type(column: Any) -> np.dtype:
    """Return the NumPy type in which a column's numbers are compared; truth values are bytes."""
    dtype = getattr(column.dtype, "numpy_dtype", None) or getattr(column.dtype, "subtype", column.dtype)
    return np.dtype(np.uint8) if dtype.kind == "b" else dtype


def _find_typed_labels(values: np.ndarray, typed_labels: Sequence[object]) -> np.ndarray:
    """Find the index of each value among labels of its type; None marks an unrepresentable label."""
    sorted_labels = sorted((value, code) for code, value in enumerate(typed_labels) if value is not None)
    codes = np.full(values.size, len(typed_labels), dtype=np.intp)
    if not sorted_labels:
        return codes
    label_values = np.array([value for value, _ in sorted_labels], dtype=values.dtype.newbyteorder("="))
    label_codes = np.array([code for _, code in sorted_labels], dtype=np.intp)
    if (
        label_values.dtype.kind in "iu"
        and int(label_values[-1]) - int(label_values[0]) < _DENSE_FACTOR * label_values.size
    ):
        return _find_dense_labels(values, label_values, label_codes, codes)
    for start in range(0, values.size, _CHUNK_SIZE):
        chunk = values[start : start + _CHUNK_SIZE].astype(label_values.dtype, copy=False)
        positions = label_values.searchsorted(chunk)
        # values above the largest label, and NaN
        positions[positions == label_values.size] = 0
        np.copyto(codes[start : start + _CHUNK_SIZE], label_codes[positions], where=label_values[positions] == chunk)
    return codes


def _find_dense_labels(values: np.ndarray, own: np.ndarray, codes: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Find integers among ascending labels that are close together, by a lookup table over their range."""
    low, high = own[0], own[-1]
    table = np.full(int(high) - int(low) + 1, found[0] if found.size else 0, dtype=np.intp)
    table[(own - low).astype(np.intp)] = codes
    for start in range(0, values.size, _CHUNK_SIZE):
        chunk = values[start : start + _CHUNK_SIZE].astype(own.dtype, copy=False)
        inside = chunk >= low
        inside &= chunk <= high
        if inside.all():
            offsets = (chunk - low).astype(np.intp, copy=False)
            table.take(offsets, out=found[start : start + _CHUNK_SIZE], mode="clip")
        else:
            found[start : start + _CHUNK_SIZE][inside] = table[chunk[inside] - low]
    return found


def _encode_numbers(column: pd.Series, labels: Sequence[Any]) -> np.ndarray:
    absent = None
    if isinstance(column.dtype, np.dtype) or not hasattr(column.dtype, "numpy_dtype"):
        values = np.asarray(column)
    else:
        # nullable types and Arrow types of pandas
        kind = column.dtype.numpy_dtype
        absent = np.asarray(column.isna())
        values = column.to_numpy(dtype=kind, na_value=np.nan if kind.kind == "f" else kind.type(0))
    if values.dtype.kind == "b":
        # the byte of a true value may be any nonzero number if the array was viewed from another one
        values = (values.view(np.uint8) != 0).view(np.uint8)
    codes = _find_typed_labels(values, [None if label is None else cast_label(label, values.dtype) for label in labels])
    if values.dtype.kind == "f":
        codes[np.isnan(values)] = -1
    if absent is not None:
        codes[absent] = -1
    return codes


def cast_label(label: float | Decimal | np.number, dtype: np.dtype) -> np.floating | int | None:
    """Convert a number to a numeric type: rounded to a float type; None if an integer type cannot represent it."""
    if dtype.kind == "f":
        with np.errstate(all="ignore"):
            value = dtype.newbyteorder("=").type(label if isinstance(label, np.floating) else as_float(label))
        # a number above the type's largest one must not become infinite
        return value if np.isfinite(value) or label == float(value) else None
    limits = np.iinfo(dtype)
    if not math.isfinite(as_float(label)) or label != int(label):
        return None
    # the limits are compared as integers because floats would round them
    return int(label) if limits.min <= int(label) <= limits.max else None


def _encode_times(column: object, kind: str, labels: Sequence[object]) -> np.ndarray:
    if kind == "zoned":
        values = np.asarray(pd.DatetimeIndex(column).tz_convert("UTC").tz_localize(None))
    else:
        values = np.asarray(column)
    moments = [None if label is None else _to_time_units(label, values.dtype) for label in labels]
    codes = _find_typed_labels(values.astype(values.dtype.newbyteorder("="), copy=False).view(np.int64), moments)
    codes[np.isnat(values)] = -1
    return codes


def _to_time_units(label: Any, dtype: np.dtype) -> int | None:
    """Return a date, time or duration as an integer in a type's units; None if it is not exact."""
    if isinstance(label, datetime.datetime) and label.tzinfo is not None:
        label = label.astimezone(datetime.UTC).replace(tzinfo=None)
    if not isinstance(label, np.generic):
        # pandas' times have nanoseconds, Python's do not
        plain = np.array(label, dtype=f"{dtype.kind}8")[()]
        label = label.to_numpy() if hasattr(label, "to_numpy") else plain
    value = label.astype(dtype.newbyteorder("="))
    # the conversion is checked by converting back because NumPy lets units overflow
    return int(value.view(np.int64)) if value.astype(label.dtype) == label else None


def _encode_texts(column: pd.Series, labels: Sequence[object]) -> np.ndarray:
    """Encode strings of pandas' types: the observed strings are factorized, then looked up."""
    if len(column) <= _MAX_DIRECT_LOOKUPS:
        return _encode_objects(column.tolist(), labels)
    values, codes = getattr(column, "array", column), np.empty(len(column), dtype=np.intp)
    for start in range(0, len(values), _TEXT_BATCH_SIZE):
        distinct_codes, distinct = pd.factorize(values[start : start + _TEXT_BATCH_SIZE])
        # the last element is for the code -1 (missing)
        codes[start : start + _TEXT_BATCH_SIZE] = np.append(_encode_objects(list(distinct), labels), -1)[distinct_codes]
    return codes


def _encode_objects(values: Sequence[object], labels: Sequence[object]) -> np.ndarray:
    """Encode values by Python's equality."""
    none = len(labels)
    code_of: dict[object, int] = {}
    for index, label in enumerate(labels):
        if label is not None:
            code_of.setdefault(label, index)
    try:
        codes = np.fromiter(map(code_of.get, values, repeat(none)), np.intp, len(values))
    except Exception:  # an object may raise anything when it is hashed or compared
        codes = np.array([_encode_value(value, code_of, none) for value in values], dtype=np.intp)
    unknown = np.flatnonzero(codes == none)
    codes[[index for index in unknown.tolist() if is_missing(values[index])]] = -1
    return codes


def _encode_value(value: object, known: dict[object, int], none: int) -> int:
    try:
        return known.get(value, none)
    except Exception:  # such a value is unknown
        return none


def to_label_column(values: object, name: str) -> pd.Series:
    """Return a column of labels as a series."""
    if is_vector(values):
        try:
            plain = hasattr(values, "dtype") and (not isinstance(values, np.ndarray) or _is_pandas_compatible(values))
            values_or_objects: Any = values if plain else to_object_array(list(values))
            # labels from a list or an array of objects keep their types
            return with_default_index(
                pd.Series(values_or_objects, dtype=object if values_or_objects.dtype == object else None)
            )
        except (TypeError, ValueError, NotImplementedError):
            pass
    raise PydpstatError(
        f"{name} must be a column of labels; got {type(values).__name__}. Give a list, an array or a Series."
    )


def _is_pandas_compatible(values: npt.NDArray[np.generic]) -> bool:
    """Return whether pandas can hold an array unchanged: not foreign byte orders, times or records."""
    return values.dtype.kind in "iufbO" and values.dtype.isnative


def to_label_columns(columns: object, name: str) -> list[tuple[object, pd.Series]]:
    """Return the names and columns of a frame or of a dict of columns."""
    pairs: list[tuple[object, object]] = []
    if is_frame(columns):
        pairs = list(zip(columns.columns, get_columns(columns)))
    elif isinstance(columns, Mapping):
        pairs = list(columns.items())
    if not pairs:
        raise PydpstatError(
            f"{name} must be a DataFrame or a dict with a column for each level; got {type(columns).__name__}."
        )
    return [(label, to_label_column(column, f"{name}[{describe_option(label)}]")) for label, column in pairs]


def encode_observed_labels(column: pd.Series, name: str) -> tuple[npt.NDArray[np.intp], Objects]:
    """Return codes (-1 for missing values) and the observed labels."""
    try:
        # arrays of objects stay arrays because pandas would infer a type for a series
        codes, labels = pd.factorize(column.to_numpy() if column.dtype == object else column)
    except (TypeError, OverflowError) as error:
        raise PydpstatError(
            f"{name} must have hashable labels; got lists or similar. Use strings or numbers."
        ) from error
    return codes, to_object_array(labels)
