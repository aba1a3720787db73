"""Columns of pandas, NumPy and lists as those of a chunk, with the meaning that they have in a frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat._checks import as_float
from pydpstat._data.arrow_columns import categorical, column_of_arrow
from pydpstat._data.chunk import refused, whole_numbers
from pydpstat._data.containers import is_categorical, is_index, is_series
from pydpstat._data.values import is_missing, objects, without_mask

_KINDS = "fiubmMO"
_TRUTHS = (bool, np.bool_)
# NumPy's durations count as integers
_NO_NUMBERS = (*_TRUTHS, np.timedelta64)


def column_of(name: str, values: Any) -> Any:
    """Return a series, an array or a list as a column of a chunk.

    Examples
    --------
    >>> import pandas as pd
    >>> column_of("age", pd.Series([1, None], dtype="Int64"))
    array([ 1., nan])
    >>> column_of("sex", np.array(["f", "m"])).codes.tolist()
    [0, 1]
    """
    if is_categorical(values):
        return getattr(values, "array", values)
    if is_series(values) or is_index(values):
        values = values.array
    if hasattr(values, "__arrow_array__"):
        return _extension(name, values)
    if not isinstance(values, np.ndarray):
        if hasattr(values, "to_numpy"):
            values = values.to_numpy()
        elif isinstance(values, (list, tuple, range)):
            values = _listed(values)
        values = np.asarray(values)
    if isinstance(values, np.ma.MaskedArray):
        values = _unmasked(values)
    if values.dtype.kind == "U":
        return _texts(values.astype(object))
    if values.dtype.kind not in _KINDS or values.ndim != 1:
        raise refused(name, values.dtype if values.ndim == 1 else f"array of {values.ndim} dimensions")
    return whole_numbers(values, None) if values.dtype.kind in "iu" else values


def _extension(name: str, values: Any) -> Any:
    """Return an array of a type of pandas' own."""
    import pandas as pd

    kind = values.dtype
    if isinstance(kind, np.dtype):
        return column_of(name, values.to_numpy())
    if isinstance(kind, pd.DatetimeTZDtype):
        return pd.DatetimeIndex(values).tz_convert("UTC")
    if isinstance(kind, pd.SparseDtype):
        return column_of(name, np.asarray(values))
    if isinstance(kind, pd.StringDtype):
        return _texts(values.to_numpy(dtype=object))
    if isinstance(kind, getattr(pd, "ArrowDtype", ())):
        import pyarrow as pa

        return column_of_arrow(name, pa.chunked_array(values.__arrow_array__()))
    absent = np.asarray(values.isna())
    numbers = getattr(kind, "numpy_dtype", None)
    if numbers is None:
        raise refused(name, kind)
    if numbers.kind == "b":
        plain = values.to_numpy(dtype=object, na_value=None)
        return plain if absent.any() else plain.astype(bool)
    if numbers.kind == "f":
        return values.to_numpy(dtype=numbers, na_value=np.nan)
    return whole_numbers(values.to_numpy(dtype=numbers, na_value=0), absent)


def _listed(values: Any) -> np.ndarray:
    if isinstance(values, range):
        return np.asarray(values)
    try:
        array = np.asarray(without_mask(values))
    except (TypeError, ValueError, OverflowError):
        # that NumPy makes no array of them tells of the records
        array = np.empty(0, dtype=object)
    if array.dtype.kind == "b":
        return array
    # the type that NumPy finds for a list is that of all of its records: one changes the others' values
    if array.dtype.kind in "fiu" and not any(isinstance(value, _TRUTHS) for value in values):
        return array.astype(np.float64)
    return objects([_wide(value) for value in values])


def _wide(value: Any) -> Any:
    """Return a number of a list as a float, and all else as it is."""
    number = isinstance(value, (int, float, np.integer, np.floating))
    return as_float(value) if number and not isinstance(value, _NO_NUMBERS) else value


def _unmasked(values: np.ma.MaskedArray) -> np.ndarray:
    absent, known = np.ma.getmaskarray(values), np.ma.getdata(values)
    if known.dtype.kind in "iu":
        return whole_numbers(known, absent)
    if known.dtype.kind in "bUS":
        plain = known.astype(object)
        plain[absent] = None
        return plain if absent.any() else known
    return without_mask(values)


def _texts(values: np.ndarray) -> Any:
    import pandas as pd

    absent = np.fromiter(map(is_missing, values), dtype=bool, count=values.size)
    codes = np.full(values.size, -1, dtype=np.int64)
    found, labels = pd.factorize(values[~absent])
    codes[~absent] = found
    return categorical(codes, objects(labels))
