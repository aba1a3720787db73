"""Reading of data from any container into columns of numbers or truth values.

Whether data are accepted depends on their types and shapes only, never on their values.
"""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.containers import (
    Column,
    get_column_names,
    get_columns,
    get_series_name,
    is_categorical,
    is_frame,
    is_series,
    to_floats,
)
from pydpstat._data.labels import get_value_kind
from pydpstat._data.native import check_single, read_all_records, to_pandas_or_numpy, to_public_list
from pydpstat._data.table import Chunk
from pydpstat._data.values import fill_masked, is_missing, suggest_numbers, suggest_values, to_object_array
from pydpstat._frozen import hide_values
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError


class HasColumns(Protocol):
    """A table or a query of an engine with columns."""

    @property
    def columns(self) -> object:
        """Names of the columns."""


class HasSchema(Protocol):
    """A dataset or reader of Arrow with a schema."""

    @property
    def schema(self) -> object:
        """Names and types of the columns."""


# types that users may give as data and as bounds; the contents are checked at run time
Data = npt.ArrayLike | Collection[object] | Iterator[object] | HasColumns | HasSchema
GivenBounds = npt.ArrayLike | Mapping[str, npt.ArrayLike]
VariableBounds = tuple[float, float]
Bounds = tuple[VariableBounds, ...]


@dataclass(frozen=True, slots=True)
class Placeholder:
    """Stand-in for data in `pydpstat.plan`, with a number of records and, for a frame, the columns' names."""

    size: int
    columns: tuple[str, ...] | None = None


def is_placeholder(data: object) -> bool:
    """Return whether data are a placeholder, or a tuple of variables with at least one placeholder."""
    each = data if isinstance(data, tuple) else (data,)
    return any(isinstance(label, Placeholder) for label in each)


@dataclass(frozen=True, slots=True)
class Columns:
    """Variables of equal length. Private except for the names and, under bounded neighbors, the size.

    The arrays are empty for a `Placeholder`. `missing` has the masks of missing truth values. `names` are the names of
    columns; None for a single variable, which may have a `name`.
    """

    arrays: tuple[Column, ...]
    missing: tuple[np.ndarray | None, ...]
    names: tuple[str, ...] | None
    name: str | None
    size: int

    def __repr__(self) -> str:
        return hide_values(self)


def read_numbers(data: object, argument: str = "data") -> Columns:
    """Read numbers: a vector, or the columns of a frame or matrix; NaN, None and NA are missing."""
    if type(data) is np.ndarray and data.ndim == 1 and data.dtype.kind in "fiub":
        return Columns((data,), (None,), None, None, data.shape[0])
    return read_columns(data, argument, lambda column: (_convert_to_numbers(column, argument), None))


def read_booleans(data: object, argument: str = "condition") -> Columns:
    """Read truth values: a vector, or the columns of a frame or matrix."""
    if type(data) is np.ndarray and data.ndim == 1 and data.dtype.kind == "b":
        return Columns((data,), (None,), None, None, data.shape[0])
    if type(data) in (list, tuple) and checks.to_array(fill_masked(data)).dtype.kind == "f":
        # NumPy converts a list of truth values and NaN to floats
        data = np.asarray(data, dtype=object)
    return read_columns(data, argument, lambda column: _convert_to_booleans(column, argument))


def read_single_column(data: object, argument: str, read_columns: Callable[..., Columns] = read_numbers) -> Columns:
    """Read a single variable: a vector or a frame with one column; all records of a table are read."""
    data = read_all_records(data, argument, needs_order=True)
    # the number of columns is checked before their contents
    check_single(data.shape[1] if is_frame(data) else 1, argument)
    columns = read_columns(data, argument)
    check_single(len(columns.arrays), argument)
    name = (columns.names[0] or None) if columns.names is not None else columns.name
    return Columns(columns.arrays, columns.missing, None, name, columns.size)


Reader = Callable[["np.ndarray | pd.Series"], tuple[np.ndarray, np.ndarray | None]]


def read_columns(data: object, argument: str, reader: Reader) -> Columns:
    """Read a vector, or the columns of a frame or matrix, with a `reader` that converts and checks values."""
    data = to_pandas_or_numpy(data, argument)
    if isinstance(data, Placeholder):
        count = 1 if data.columns is None else len(data.columns)
        values, missing = reader(np.empty(0))
        return Columns((values,) * count, (missing,) * count, data.columns, None, data.size)
    if isinstance(data, Chunk):
        names: tuple[str, ...] | None = tuple(data.columns)
        pieces: Sequence[object] = tuple(data.columns.values())
        name, size = None, data.size
    elif is_frame(data):
        names, pieces = get_column_names(data), get_columns(data)
        name, size = None, len(data)
    else:
        values = _to_array_or_series(data, argument)
        if np.ndim(values) == 2:
            names = tuple(str(i) for i in range(values.shape[1]))
            pieces, name, size = list(values.T), None, values.shape[0]
        else:
            names, pieces, size = None, [values], len(values)
            name = get_series_name(data) if is_series(data) else None
    if not pieces or len(set(names or ())) != len(names or ()):
        raise PydpstatError(
            f"{argument} must have at least one column, and different names; got {len(pieces)} "
            "columns. Select or rename them first."
        )
    read_pieces = [reader(piece) for piece in pieces]
    return Columns(
        tuple(values for values, _ in read_pieces),
        tuple(missing for _, missing in read_pieces),
        names,
        name,
        size,
    )


def _to_array_or_series(data: object, argument: str) -> np.ndarray | pd.Series:
    """Return a vector or a matrix as an array; return a pandas object unchanged."""
    if hasattr(data, "to_numpy") and hasattr(data, "dtype"):
        if getattr(data, "ndim", 1) == 1:
            return data
    elif isinstance(data, (list, tuple, range, np.ndarray)) or hasattr(data, "__array__"):
        try:
            # a masked array keeps its mask; array-likes that are tables of columns are not vectors
            values = data if isinstance(data, np.ma.MaskedArray) else np.asarray(fill_masked(data))
        except Exception:
            # whether NumPy can convert a list depends on its records: each is then read separately
            values = to_object_array(data) if isinstance(data, (list, tuple)) else np.empty(())
        if values.ndim in (1, 2):
            # NumPy converts all numbers of a list to strings if one is a string, and a lone NaT to a time
            if isinstance(data, (list, tuple)) and values.dtype.kind in "USmM":
                return to_object_array(data)
            # the dtype that NumPy infers for a list depends on all of its records
            listed = isinstance(data, (list, tuple)) and values.dtype.kind in "fiu"
            return values.astype(np.float64) if listed else values
    raise PydpstatError(
        f"{argument} must be a vector (list, array, Series) or columns (frame, matrix); "
        f"got {_describe_container(data)}. {suggest_values(data)}"
    )


def _describe_container(data: object) -> str:
    dimensions, kind = getattr(data, "ndim", None), type(data).__name__
    return f"{kind} of {dimensions} dimensions" if isinstance(dimensions, int) else kind


def _convert_to_numbers(column: np.ndarray | pd.Series, argument: str) -> np.ndarray:
    """Convert a column to floats, integers or booleans, with missing values as NaN."""
    values = fill_masked(_to_numpy(column, argument))
    if values.dtype.kind == "O":
        values = convert_objects_to_floats(values, argument, column)
    if values.dtype.kind not in "fiub":
        raise PydpstatError(
            f"{argument} must be numbers; got {type(column).__name__} of type {values.dtype}. "
            f"{suggest_numbers(values.dtype.kind, 'Convert it first, as by pd.to_numeric(x).')}"
        )
    return values


def _to_numpy(column: np.ndarray | pd.Series, argument: str, expected: str = "numbers or truth values") -> np.ndarray:
    """Convert a pandas column to an array; a nullable one to floats or objects."""
    if isinstance(column, np.ndarray):
        return column
    kind = column.dtype
    if is_categorical(column) or get_value_kind(column) == "texts":
        raise _make_label_error(
            argument, expected, column, "a categorical column" if is_categorical(column) else "texts"
        )
    if isinstance(kind, np.dtype):
        return column.to_numpy()
    if getattr(kind, "kind", "O") in "iuf":
        return to_floats(column)
    return column.to_numpy(dtype=object)


def convert_objects_to_floats(values: np.ndarray, argument: str, column: object = None) -> np.ndarray:
    """Convert a column of objects, which must be numbers or missing, to floats with NaN."""
    objects = values.tolist()
    if set(map(type, objects)) <= {int, float}:
        # gives the same floats as conversion one by one, but much faster
        with suppress(OverflowError):
            return np.array(objects, dtype=np.float64)
    flat = []
    for value in objects:
        # NumPy registers timedelta64 as an integer type
        if isinstance(value, (numbers.Real, np.bool_, Decimal)) and not isinstance(value, np.timedelta64):
            flat.append(_to_float(value))
        elif is_missing(value):
            flat.append(np.nan)
        else:
            raise _make_object_error(argument, "numbers", value, column)
    return np.array(flat, dtype=np.float64)


def _to_float(value: object) -> float:
    try:
        return checks.as_float(value)
    except Exception:  # a signalling NaN, or a user-defined number without a float
        return np.nan


def _convert_to_booleans(column: np.ndarray | pd.Series, argument: str) -> tuple[np.ndarray, np.ndarray | None]:
    """Return truth values and the mask of missing ones, or None."""
    if not isinstance(column, np.ndarray) and not isinstance(column.dtype, np.dtype):
        if getattr(column.dtype, "kind", "O") == "b":
            # converting element by element takes 40 times as long
            return column.to_numpy(dtype=bool, na_value=False), np.asarray(column.isna())
    values, mask = _to_numpy(column, argument, "truth values"), None
    if isinstance(values, np.ma.MaskedArray):
        mask, values = np.ma.getmaskarray(values), np.ma.getdata(values)
    if values.dtype.kind == "b":
        return values, mask
    if values.dtype.kind == "O" or values.size == 0:
        flat = values.tolist()
        absent = np.fromiter(map(is_missing, flat), dtype=bool, count=len(flat))
        if mask is not None:
            absent |= mask
        for value, is_absent in zip(flat, absent):
            if not is_absent and not isinstance(value, (bool, np.bool_)):
                raise _make_object_error(argument, "truth values", value, column)
        truths = np.fromiter((not is_absent and bool(v) for v, is_absent in zip(flat, absent)), bool, len(flat))
        return truths, absent
    raise PydpstatError(
        f"{argument} must be truth values, one for each record; got {type(column).__name__} of type "
        f"{values.dtype}. Give a condition, such as age > 65, or x == 1 for 0 and 1."
    )


def _make_label_error(argument: str, expected: str, column: object, got: str) -> PydpstatError:
    name = "" if (label := getattr(column, "name", None)) is None else f" in {label!r}"
    hint = "Convert it, or select other columns, as in frame[['income', 'age']]."
    if expected == "truth values":
        hint = f"Compare it, as {label or 'x'} == 'yes'; crosstab counts and shares all levels."
    return PydpstatError(f"{argument} must be {expected}; got {got}{name}. {hint}")


def _make_object_error(argument: str, expected: str, value: object, column: object) -> PydpstatError:
    if isinstance(value, str) and is_series(column):
        # pandas before 3 stores strings as objects
        return _make_label_error(argument, expected, column, "texts")
    kind = "dates" if isinstance(value, datetime.date) else f"objects of type {type(value).__name__}"
    hint = suggest_numbers("M" if kind == "dates" else "O", "Convert them first, as by pd.to_numeric(x).")
    if expected == "truth values":
        hint = "Write a condition, such as x == 'yes'."
    return PydpstatError(f"{argument} must be {expected}; got {kind} among them. {hint}")


def check_fill_value(missing: object, pairs: Sequence[VariableBounds], name: str = "bounds") -> None:
    """Check that a number that replaces missing values lies within the bounds of every column."""
    if isinstance(missing, float) and not all(lower <= missing <= upper for lower, upper in pairs):
        raise PydpstatError(
            f"missing must be a number within the {name} if it replaces missing values; got "
            f"{checks.describe_value(missing)}. Give a public number that a record could have."
        )


def check_bounds(bounds: object, name: str = "bounds") -> VariableBounds:
    """Check public bounds of one variable: two finite numbers, the first below the second."""
    if type(bounds) is tuple and len(bounds) == 2 and type(bounds[0]) is float and type(bounds[1]) is float:
        if -math.inf < bounds[0] < bounds[1] < math.inf:
            return bounds[0], bounds[1]
    pair = to_public_list(bounds, name)
    received = checks.describe_value(bounds)
    if type(pair) in (tuple, list) and len(pair) == 2 and all(map(checks.is_number, pair)):
        lower, upper = checks.as_float(pair[0]), checks.as_float(pair[1])
        if -math.inf < lower < upper < math.inf:
            return lower, upper
        finite = math.isfinite(lower) and math.isfinite(upper)
        received = "the upper one first" if finite else "one that is not finite"
        if lower == upper:
            received = "the same number twice"
    elif type(pair) in (tuple, list) and len(pair) == 2:
        received = "a pair with " + " and ".join(dict.fromkeys(map(_describe_bound, pair)))
        if any(isinstance(end, (str, datetime.date, np.datetime64)) for end in pair):
            received += ". Of dates make a column of numbers, such as frame['date'].dt.year"
    elif isinstance(pair, Mapping):
        received += ", which is for several columns; for one variable give the pair alone"
    raise PydpstatError(
        f"{name} must be a pair (lower, upper) of finite numbers, lower < upper; got {received}. "
        "Give the public range of the variable, chosen without looking at the data."
    )


def _describe_bound(bound: object) -> str:
    return "a number" if checks.is_number(bound) else "None" if bound is None else type(bound).__name__


def has_several_bounds(bounds: Any) -> TypeGuard[Sequence[object]]:
    """Return whether bounds are a sequence of pairs rather than one pair."""
    listed = isinstance(bounds, (tuple, list)) or isinstance(bounds, np.ndarray) and bounds.ndim > 0
    return listed and len(bounds) > 0 and checks.to_array(bounds[0]).ndim == 1


def check_column_bounds(bounds: object, names: tuple[str, ...] | None, columns: int, name: str | None = None) -> Bounds:
    """Check the bounds of every column: one pair for all, pairs in order, or a mapping by name.

    Without `names` there is a single variable, which may be called `name`.
    """
    if names is None:
        if isinstance(bounds, Mapping) and name is not None:
            (bounds,) = checks.select_by_names(bounds, (name,), "bounds", "column", "(lower, upper)")
        return (check_bounds(bounds),)
    if isinstance(bounds, Mapping):
        pairs = checks.select_by_names(bounds, names, "bounds", "column", "(lower, upper)")
        return tuple(check_bounds(pair, f"bounds[{name!r}]") for name, pair in zip(names, pairs))
    if has_several_bounds(bounds):
        if len(bounds) != columns:
            raise PydpstatError(
                f"bounds must be one pair, or one for each of the {columns} columns; got {len(bounds)} pairs."
            )
        return tuple(check_bounds(pair, f"bounds[{i}]") for i, pair in enumerate(bounds))
    return (check_bounds(bounds),) * columns


def resolve_column_bounds(
    bounds: GivenBounds, names: tuple[str, ...] | None, columns: int, name: str | None = None
) -> tuple[Bounds, Bounds | VariableBounds]:
    """Return the bounds of every column, and the bounds as shown by the result."""
    pairs = check_column_bounds(bounds, names, columns, name)
    return pairs, pairs if names is not None else pairs[0]
