"""Single values and lists: which are missing, and each as it is; and what is given in their place."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError

Objects = npt.NDArray[np.object_]


# rpy2 has R's NA of an integer, a truth value and a text as objects of their own
_R_MISSING_TYPES = {"NAIntegerType", "NALogicalType", "NACharacterType"}
_MISSING_TYPES = {"NAType", "NaTType", "MaskedConstant", *_R_MISSING_TYPES}


def is_missing(value: object) -> bool:
    """Tell whether a single value is missing: None, NaN, NaT, pandas.NA, NumPy's masked or R's NA."""
    if value is None or type(value).__name__ in _MISSING_TYPES:
        return True
    try:
        if isinstance(value, Decimal):
            # comparing a signalling NaN would raise an error
            return value.is_nan()
        return isinstance(value, (float, np.generic)) and bool(value != value)
    except Exception:  # an object may raise what it likes when it is asked
        return False


def to_object_array(values: Collection[object] | np.ndarray) -> Objects:
    """Return a list's or an array's values as objects, each as it is."""
    if hasattr(values, "dtype"):
        return np.asarray(values, dtype=object)
    # an assignment would take lists of one length for rows
    return np.fromiter(values, dtype=object, count=len(values))


def fill_masked(values: object) -> Any:
    """Return a masked array as a plain one, and a list with masked values or arrays as objects.

    What a mask hides becomes NaN, and so does R's NA in a list; NumPy would give the hidden values, or warn.
    """
    if isinstance(values, np.ma.MaskedArray):
        numeric = values.dtype.kind in "fiub"
        return np.ma.filled(values.astype(np.float64 if numeric else object), np.nan)
    if isinstance(values, (list, tuple)) and _has_masked(values):
        return np.asarray(_fill_nested(values), dtype=object)
    return values


def _has_masked(values: Iterable[object]) -> bool:
    """Tell whether a list, or lists in it, have something masked (NumPy's constant is an array) or R's NA."""
    kinds = set(map(type, values))
    if any(issubclass(kind, np.ma.MaskedArray) or kind.__name__ in _R_MISSING_TYPES for kind in kinds):
        return True
    nested = kinds & {list, tuple}
    rows = [value for value in values if isinstance(value, (list, tuple))] if nested else []
    return any(_has_masked(row) for row in rows if type(row) in nested)


def _fill_nested(value: object) -> object:
    if isinstance(value, np.ma.MaskedArray):
        return np.ma.filled(value.astype(object), np.nan).tolist()
    if type(value).__name__ in _R_MISSING_TYPES:
        return np.nan
    return list(map(_fill_nested, value)) if isinstance(value, (list, tuple)) else value


def make_missing_error() -> PydpstatError:
    """Return the error of data that should be complete and are not."""
    return PydpstatError(
        "missing must say how to treat missing values, because the data have some, which this error "
        "reveals. Give what the function takes: a public value that replaces them (missing=0), or "
        "missing='drop' with neighbors='unbounded'."
    )


def should_fill(n_missing: int, missing: object) -> bool:
    """Tell whether a public value replaces so many missing ones; an error where there may be none."""
    if n_missing and missing == "error":
        raise make_missing_error()
    return n_missing > 0 and missing != "drop"


def suggest_values(data: object) -> str:
    """Return what to write instead of something that has no values of records."""
    if isinstance(data, str) and "~" in data:
        return "A formula is the first argument of ols and logit; tests have one in dp.design(frame, ...)."
    if isinstance(data, str) and not _is_path(data):
        return "Give the values, as frame['income']; names and conditions are for dp.design(frame, ...)."
    if isinstance(data, (list, tuple)):
        return "Give one frame, pd.concat(frames), or an iterator of chunks, iter(frames)."
    if isinstance(data, Mapping):
        return "Make a data frame, pd.DataFrame(data)."
    return suggest_columns(data, "Give one value for each record.")


def suggest_columns(data: object, default: str) -> str:
    """Return what to write instead of something that has no columns either."""
    if isinstance(data, os.PathLike) or isinstance(data, str) and _is_path(data):
        return "Read the file first, as in pd.read_csv(path)."
    if type(data).__name__ == "Design":
        return "A design has each function as a method, as design.mean('income', 1.0)."
    if type(data).__name__.endswith("Results"):
        return "The released numbers are result.estimate; no further release is needed."
    if isinstance(data, type):
        return f"That is the class {data.__name__} itself: give the data."
    if "GroupBy" in type(data).__name__:
        return "Give the data frame, and the columns of the groups in by=."
    return default


def _is_path(text: str) -> bool:
    """Tell whether a text has what paths have and names of columns rarely do."""
    return "." in text or os.sep in text
