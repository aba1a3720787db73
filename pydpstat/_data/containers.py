"""Type checks and access for users' containers: frames, series, indexes, categoricals, arrays and lists.

A container is recognized by its attributes, or by its type if pandas is loaded. This module does not load pandas.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeGuard, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

# a variable in memory
Column = Union[np.ndarray, "pd.Series", "pd.Index", "pd.api.extensions.ExtensionArray"]


def has_attributes(value: object, *names: str) -> bool:
    """Return whether an object's class has the attributes; labels of pandas' instances do not count."""
    return all(hasattr(type(value), name) for name in names)


def find_library(data: object) -> str:
    """Return the library of an engine's data or of R's (rpy2) by its class's module; "" for others."""
    kind: Any = type(data)
    return _find_class_library(kind)


@lru_cache(maxsize=256)
def _find_class_library(kind: type) -> str:
    for base in kind.__mro__:
        library, _, submodule = base.__module__.partition(".")
        match library.lstrip("_"), base.__name__:
            case "rpy2", _:
                return "rpy2"
            case "polars", "DataFrame" | "LazyFrame" | "Series":
                return "polars"
            case "pyarrow", _:
                return "pyarrow"
            case "duckdb", "DuckDBPyRelation":
                return "duckdb"
            case "dask", "DataFrame" | "Series" if submodule.startswith("dataframe"):
                return "dask"
            case "dask_expr", "DataFrame" | "Series":
                return "dask"
            case "pyspark", "DataFrame" if submodule.startswith("sql"):
                return "pyspark"
    return ""


def is_frame(value: object) -> TypeGuard[pd.DataFrame]:
    """Return whether an object is a frame whose columns can be taken by position."""
    return has_attributes(value, "columns", "iloc")


def has_columns(value: object) -> bool:
    """Return whether an object is a frame of any library."""
    return has_attributes(value, "columns")


def is_series(value: object) -> TypeGuard[pd.Series]:
    """Return whether an object is a series, a column with row labels."""
    return has_attributes(value, "to_frame", "index")


def is_pandas_frame(value: object) -> TypeGuard[pd.DataFrame]:
    """Return whether an object is a pandas DataFrame."""
    return _is_pandas(value, "DataFrame")


def is_pandas_series(value: object) -> TypeGuard[pd.Series]:
    """Return whether an object is a pandas Series."""
    return _is_pandas(value, "Series")


def is_index(value: object) -> TypeGuard[pd.Index]:
    """Return whether an object is a pandas Index."""
    return _is_pandas(value, "Index")


def _is_pandas(value: object, kind: str) -> bool:
    # an object of pandas exists only if pandas has been imported
    return isinstance(value, getattr(sys.modules.get("pandas"), kind, ()))


def has_rows(value: object) -> TypeGuard[pd.DataFrame | pd.Series]:
    """Return whether an object is a frame or a series, whose rows are taken with `iloc`."""
    return has_attributes(value, "iloc")


def take_rows(value: Any, positions: object) -> Any:
    """Return rows of a frame, a series or an array by positions, a slice or a single position."""
    return value.iloc[positions] if has_rows(value) else value[positions]


def is_vector(value: object) -> TypeGuard[Collection[object]]:
    """Return whether an object is one variable: a list, or a one-dimensional array, series or index."""
    if isinstance(value, (list, tuple, range)):
        return True
    return has_attributes(value, "dtype") and getattr(value, "ndim", 0) == 1


def with_default_index(column: pd.Series) -> pd.Series:
    """Return a series with the index 0, 1, ...; `reset_index` of pandas before 2 may infer another type."""
    copy = column.copy(deep=False)
    copy.index = range(len(column))  # type: ignore[assignment]
    return copy


def get_columns(frame: pd.DataFrame) -> tuple[pd.Series, ...]:
    """Return the columns of a frame in order; several columns may have the same name."""
    return tuple(frame.iloc[:, i] for i in range(frame.shape[1]))


def get_column_names(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the names of a frame's columns as strings."""
    return tuple(map(str, frame.columns))


def get_series_name(value: object) -> str | None:
    """Return the name of a series or an index as a string, or None."""
    name = getattr(value, "name", None) if has_attributes(value, "name") else None
    return None if name is None else str(name)


def get_row_labels(value: object) -> tuple[str, ...] | None:
    """Return the row labels of a series as strings; None for anything else."""
    return tuple(map(str, value.index)) if is_series(value) else None


def is_categorical(column: object) -> bool:
    """Return whether a variable is a Categorical, or a series or an index of one."""
    return getattr(getattr(column, "dtype", None), "name", "") == "category"


def get_categorical(column: object) -> pd.Categorical:
    """Return the accessor or Categorical with the codes and categories of a categorical variable."""
    return getattr(column, "cat", column)


def is_numeric(column: pd.Series) -> bool:
    """Return whether a pandas column has real numbers or truth values."""
    from pandas.api.types import is_complex_dtype, is_numeric_dtype

    return is_numeric_dtype(column.dtype) and not is_complex_dtype(column.dtype)


def to_floats(numbers: pd.Series) -> npt.NDArray[np.float64]:
    """Convert a pandas column of numbers to floats, with missing values as NaN."""
    return numbers.to_numpy(dtype=np.float64, na_value=np.nan)


def as_array(values: object) -> np.ndarray:
    """Return values as an array; nullable numbers of pandas as floats."""
    nullable = hasattr(getattr(values, "dtype", None), "na_value")
    return to_floats(values) if nullable else np.asarray(values)


def to_list(values: object) -> Any:
    """Return the values of an array, a series or an index as a list; return anything else unchanged."""
    return values.tolist() if hasattr(values, "tolist") else values
