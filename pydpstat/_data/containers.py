"""What users' containers look like: frames, series, indexes, categoricals, arrays and lists.

A container is known by what it can do, or by its type where pandas is loaded. Nothing here loads pandas.
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
    """Tell whether something's class has attributes: pandas makes others of labels, such as one "columns"."""
    return all(hasattr(type(value), name) for name in names)


def find_library(data: object) -> str:
    """Return the engine whose data these are, or R's rpy2, by the modules of its classes; else ""."""
    kind: Any = type(data)
    return _find_class_library(kind)


@lru_cache(maxsize=256)
def _find_class_library(kind: type) -> str:
    for each in kind.__mro__:
        library, _, rest = each.__module__.partition(".")
        match library.lstrip("_"), each.__name__:
            case "rpy2", _:
                return "rpy2"
            case "polars", "DataFrame" | "LazyFrame" | "Series":
                return "polars"
            case "pyarrow", _:
                return "pyarrow"
            case "duckdb", "DuckDBPyRelation":
                return "duckdb"
            case "dask", "DataFrame" | "Series" if rest.startswith("dataframe"):
                return "dask"
            case "dask_expr", "DataFrame" | "Series":
                return "dask"
            case "pyspark", "DataFrame" if rest.startswith("sql"):
                return "pyspark"
    return ""


def is_frame(value: object) -> TypeGuard[pd.DataFrame]:
    """Tell whether something is a frame whose columns can be taken by place."""
    return has_attributes(value, "columns", "iloc")


def has_columns(value: object) -> bool:
    """Tell whether something is a frame, of whatever library."""
    return has_attributes(value, "columns")


def is_series(value: object) -> TypeGuard[pd.Series]:
    """Tell whether something is a column with labels of its rows."""
    return has_attributes(value, "to_frame", "index")


def is_pandas_frame(value: object) -> TypeGuard[pd.DataFrame]:
    """Tell whether something is a frame of pandas."""
    return _is_pandas(value, "DataFrame")


def is_index(value: object) -> TypeGuard[pd.Index]:
    """Tell whether something is an index of pandas."""
    return _is_pandas(value, "Index")


def _is_pandas(value: object, kind: str) -> bool:
    # whoever has an object of pandas has loaded it
    return isinstance(value, getattr(sys.modules.get("pandas"), kind, ()))


def has_rows(value: object) -> TypeGuard[pd.DataFrame | pd.Series]:
    """Tell whether something is a frame or a series, whose rows are taken by place in their own way."""
    return has_attributes(value, "iloc")


def take_rows(value: Any, positions: object) -> Any:
    """Return the rows of a frame, a series or an array at some places, a slice, or a single one."""
    return value.iloc[positions] if has_rows(value) else value[positions]


def is_vector(value: object) -> TypeGuard[Collection[object]]:
    """Tell whether something is one variable: a list, or an array, series or index of one axis."""
    if isinstance(value, (list, tuple, range)):
        return True
    return has_attributes(value, "dtype") and getattr(value, "ndim", 0) == 1


def with_default_index(column: pd.Series) -> pd.Series:
    """Return a series with the index 0, 1, ...; `reset_index` of pandas before 2 may infer another type."""
    found = column.copy(deep=False)
    found.index = range(len(column))  # type: ignore[assignment]
    return found


def get_columns(frame: pd.DataFrame) -> tuple[pd.Series, ...]:
    """Return a frame's columns, in order: of one name there may be several."""
    return tuple(frame.iloc[:, place] for place in range(frame.shape[1]))


def get_column_names(frame: pd.DataFrame) -> tuple[str, ...]:
    """Return the names of a frame's columns as texts."""
    return tuple(map(str, frame.columns))


def get_series_name(value: object) -> str | None:
    """Return the name of a series or an index; None where it has none."""
    name = getattr(value, "name", None) if has_attributes(value, "name") else None
    return None if name is None else str(name)


def get_row_labels(value: object) -> tuple[str, ...] | None:
    """Return the labels of a series as texts; None for anything else."""
    return tuple(map(str, value.index)) if is_series(value) else None


def is_categorical(column: object) -> bool:
    """Tell whether a variable is a Categorical, or a Series or an index of one."""
    return getattr(getattr(column, "dtype", None), "name", "") == "category"


def get_categorical(column: object) -> pd.Categorical:
    """Return what has the codes and the categories of a variable that is categorical."""
    return getattr(column, "cat", column)


def is_numeric(column: pd.Series) -> bool:
    """Tell whether a column of pandas has real numbers or truth values."""
    from pandas.api.types import is_complex_dtype, is_numeric_dtype

    return is_numeric_dtype(column.dtype) and not is_complex_dtype(column.dtype)


def to_floats(numbers: pd.Series) -> npt.NDArray[np.float64]:
    """Return numbers of pandas as floats, NaN where one is missing."""
    return numbers.to_numpy(dtype=np.float64, na_value=np.nan)


def as_array(values: object) -> np.ndarray:
    """Return values as an array: pandas' numbers that can be missing as floats."""
    nullable = hasattr(getattr(values, "dtype", None), "na_value")
    return to_floats(values) if nullable else np.asarray(values)


def to_list(values: object) -> Any:
    """Return an array's, a series' or an index's values as a list, and anything else as it is."""
    return values.tolist() if hasattr(values, "tolist") else values
