"""Missing values, lists of objects, and hints for arguments that are not data."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.errors import MissingValuesError

Objects = npt.NDArray[np.object_]


# rpy2 represents R's NA of integers, logicals and strings by separate objects
_R_MISSING_TYPES = {"NAIntegerType", "NALogicalType", "NACharacterType"}
# hints for NumPy's kinds of dates and of times between dates
_TIME_HINTS = {
    "M": "Take a number of each date first, as x.dt.year or (x - pd.Timestamp('2020-01-01')).dt.days.",
    "m": "Take a number of each first, as x.dt.days or x.dt.total_seconds().",
}
# readers of pandas by the ending of a file
_READERS = {
    "parquet": "read_parquet(path)",
    "pq": "read_parquet(path)",
    "feather": "read_feather(path)",
    "arrow": "read_feather(path)",
    "orc": "read_orc(path)",
    "sav": "read_spss(path)",
    "zsav": "read_spss(path)",
    "dta": "read_stata(path)",
    "sas7bdat": "read_sas(path)",
    "xpt": "read_sas(path)",
    **dict.fromkeys(("xlsx", "xls", "xlsm", "xlsb", "ods"), "read_excel(path)"),
    "json": "read_json(path)",
    **dict.fromkeys(("jsonl", "ndjson"), "read_json(path, lines=True)"),
    "xml": "read_xml(path)",
    **dict.fromkeys(("tsv", "tab"), "read_csv(path, sep='\\t')"),
}
_R_ENDINGS = ("rds", "rdata", "rda")
_DATABASE_ENDINGS = ("db", "sqlite", "sqlite3", "duckdb")
_COMPRESSIONS = ("gz", "bz2", "xz", "zip", "zst")
_MISSING_TYPES = {"NAType", "NaTType", "MaskedConstant", *_R_MISSING_TYPES}


def is_missing(value: object) -> bool:
    """Return whether a single value is missing: None, NaN, NaT, pandas.NA, NumPy's masked or R's NA."""
    if value is None or type(value).__name__ in _MISSING_TYPES:
        return True
    try:
        if isinstance(value, Decimal):
            # comparing a signalling NaN raises an error
            return value.is_nan()
        return isinstance(value, (float, np.generic)) and bool(value != value)
    except Exception:  # an object may raise anything when it is compared
        return False


def to_object_array(values: Collection[object] | np.ndarray) -> Objects:
    """Return the values of a list or an array as objects, without conversion."""
    if hasattr(values, "dtype"):
        return np.asarray(values, dtype=object)
    # np.array would convert lists of equal length to rows of a matrix
    return np.fromiter(values, dtype=object, count=len(values))


def fill_masked(values: object) -> Any:
    """Return a masked array as a plain one, and a list with masked values or arrays as objects.

    Masked values and R's NA in a list become NaN; NumPy would use the hidden values, or warn.
    """
    if isinstance(values, np.ma.MaskedArray):
        numeric = values.dtype.kind in "fiub"
        return np.ma.filled(values.astype(np.float64 if numeric else object), np.nan)
    if isinstance(values, (list, tuple)) and _has_masked(values):
        return np.asarray(_fill_nested(values), dtype=object)
    return values


def _has_masked(values: Iterable[object]) -> bool:
    """Return whether a list, also a nested one, contains masked values or arrays, or R's NA."""
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


def make_missing_error() -> MissingValuesError:
    """Return the error for missing values in data that must be complete."""
    return MissingValuesError(
        "missing must say how to treat missing values, because the data have some, which this error "
        "reveals. Give what the function takes: a public value that replaces them (missing=0), or "
        "missing='drop' with neighbors='unbounded'."
    )


def should_fill(n_missing: int, missing: object) -> bool:
    """Return whether missing values are replaced by a public value; raise an error if none are allowed."""
    if n_missing and missing == "error":
        raise make_missing_error()
    return n_missing > 0 and missing != "drop"


def suggest_values(data: object) -> str:
    """Return a hint for an argument that has no values of records."""
    if isinstance(data, str) and "~" in data:
        return "A formula is the first argument of ols and logit; tests have one in dp.design(frame, ...)."
    if isinstance(data, str) and not _is_path(data):
        return "Give the values, as frame['income']; names and conditions are for dp.design(frame, ...)."
    if isinstance(data, (list, tuple)):
        return "Give one frame, pd.concat(frames), or an iterator of chunks, iter(frames)."
    if isinstance(data, Mapping):
        return "Make a data frame, pd.DataFrame(data)."
    return suggest_columns(data, "Give one value for each record.")


def suggest_numbers(kind: str, default: str) -> str:
    """Return a hint that makes numbers of values of one of NumPy's kinds, such as dates ("M")."""
    return _TIME_HINTS.get(kind, default)


def suggest_columns(data: object, default: str) -> str:
    """Return a hint for an argument that has neither values nor columns."""
    if isinstance(data, os.PathLike) or isinstance(data, str) and _is_path(data):
        return suggest_reader(os.fspath(data))
    if type(data).__name__ == "Design":
        return "A design has each function as a method, as design.mean('income', 1.0)."
    if type(data).__name__.endswith("Results"):
        return "The released numbers are result.estimate; no further release is needed."
    if isinstance(data, type):
        return f"That is the class {data.__name__} itself: give the data."
    if "GroupBy" in type(data).__name__:
        return "Give the data frame, and the columns of the groups in by=."
    return default


def suggest_reader(path: object) -> str:
    """Return a hint with the function that reads a file, by the ending of its name."""
    endings = os.path.basename(str(path)).lower().split(".")[1:]
    ending = next((ending for ending in reversed(endings) if ending not in _COMPRESSIONS), "")
    if ending in _R_ENDINGS:
        return "Write the file as CSV in R, write.csv(x, 'x.csv', row.names = FALSE), and read it by pd.read_csv(path)."
    if ending in _DATABASE_ENDINGS:
        return "Read a query first, as in pd.read_sql(query, connection)."
    return f"Read the file first, as in pd.{_READERS.get(ending, 'read_csv(path)')}."


def _is_path(text: str) -> bool:
    """Return whether a string looks like a path rather than the name of a column."""
    return "." in text or os.sep in text
