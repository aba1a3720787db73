"""Checks of frames, selection of columns, conversion to numbers, and grouping of equal rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeGuard, TypeVar

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.containers import find_library, is_numeric, is_pandas_frame, to_floats
from pydpstat._lazy import pd
from pydpstat.errors import PydpstatError

Option = TypeVar("Option")
_TO_PANDAS = {
    "polars": "{}.to_pandas()",
    "pyarrow": "{}.to_pandas()",
    "duckdb": "{}.df()",
    "dask": "{}.compute()",
    "pyspark": "{}.toPandas()",
}
# one column name, several, or None for all columns
ColumnNames = Hashable | Iterable[Hashable] | None


def check_frame(df: object, argument: str = "df") -> None:
    """Check a pandas frame with at least one row and one column."""
    if not is_pandas_frame(df):
        library = find_library(df)
        # conversion to pandas in other libraries
        conversion = _TO_PANDAS.get(library, f"pandas.DataFrame({argument})").format(argument)
        received = f"{type(df).__name__} of {library}" if library else type(df).__name__
        raise PydpstatError(f"{argument} must be a pandas DataFrame; got {received}. Give {conversion}.")
    if 0 in df.shape:
        raise PydpstatError(f"{argument} must have at least one row and one column; got {df.shape[0]} x {df.shape[1]}.")


def find_column_positions(df: pd.DataFrame, columns: object, argument: str = "columns") -> list[int]:
    """Check a frame, and return the positions of the named columns; all for None.

    A name that occurs several times selects all of its columns.
    """
    check_frame(df)
    if columns is None:
        return list(range(df.shape[1]))
    names = list(columns) if _has_several_names(columns, df) else [columns]
    positions = [position for name in names for position in _find_positions_by_name(df, name, argument)]
    if not positions:
        raise PydpstatError(f"{argument} must name at least one column; got {checks.describe_value(columns)}.")
    if len(set(positions)) < len(positions):
        raise PydpstatError(f"{argument} must name each column once; got {checks.describe_value(columns)}.")
    return positions


def _has_several_names(columns: object, df: pd.DataFrame) -> TypeGuard[Iterable[Hashable]]:
    if isinstance(columns, (str, bytes)) or not isinstance(columns, Iterable):
        return False
    # a tuple is a name if the columns have several levels
    return not isinstance(columns, tuple) or columns not in df.columns


def _find_positions_by_name(df: pd.DataFrame, name: object, argument: str) -> list[int]:
    try:
        location = df.columns.get_loc(name)
    except (KeyError, TypeError, pd.errors.InvalidIndexError) as error:
        names = [str(column) for column in df.columns]
        suggestion = checks.suggest_spelling(name, names)
        hint = suggestion if suggestion.startswith("Did") else f"It has {checks.format_public_value(names)}."
        raise PydpstatError(
            f"{argument} must name columns of df, every one; got another name of type {type(name).__name__}. {hint}"
        ) from error
    # an integer, a slice or a mask
    every: list[int] = np.atleast_1d(np.arange(df.shape[1])[location]).tolist()
    return every


def parse_column_options(
    df: pd.DataFrame, value: object, columns: object, argument: str, check: Callable[[object], Option]
) -> tuple[list[int], list[Option]]:
    """Return column positions and their checked options: one option for all, or a dict by column name."""
    if not isinstance(value, Mapping):
        pairs = [(position, value) for position in find_column_positions(df, columns)]
    elif columns is not None:
        raise PydpstatError(f"columns must be left out if {argument} is a dict by column.")
    else:
        pairs = [
            (position, each) for name, each in value.items() for position in find_column_positions(df, [name], argument)
        ]
    if not pairs:
        raise PydpstatError(f"{argument} must name at least one column; got an empty dict.")
    return [position for position, _ in pairs], [check(each) for _, each in pairs]


def integer(value: object, argument: str, minimum: int, maximum: int) -> int:
    """Check an integer between two limits."""
    return checks.check_integer(
        value, argument, minimum, maximum, allowed=f"a whole number from {minimum} to {maximum}"
    )


def check_group_size(k: object, n_rows: int, argument: str = "k") -> int:
    """Check a number of rows: an integer from 1 to the number of rows of the frame."""
    allowed = f"a whole number from 1 to the number of rows, {n_rows}"
    return checks.check_integer(k, argument, 1, n_rows, allowed=allowed)


def read_float_column(df: pd.DataFrame, position: int, argument: str = "df") -> np.ndarray:
    """Return a column of numbers as floats, with missing values as NaN."""
    column = df.iloc[:, position]
    if not is_numeric(column):
        raise PydpstatError(
            f"{argument} must have numbers in column {checks.format_public_value(df.columns[position])}; "
            f"got {column.dtype}. Leave it out with columns=[...], or convert it with astype(float)."
        )
    return to_floats(column)


def matrix(df: pd.DataFrame, positions: Sequence[int]) -> np.ndarray:
    """Return complete, finite columns as an array of shape (d, n)."""
    values = np.array([read_float_column(df, position) for position in positions])
    for position, column in zip(positions, values):
        if not np.isfinite(column).all():
            problem = "missing" if np.isnan(column).any() else "infinite"
            raise PydpstatError(
                f"df must have no {problem} values in column {checks.format_public_value(df.columns[position])}: there "
                "is no distance to them. Fill or drop them first, or leave the column out with columns=[...]."
            )
    return values


def replace_columns(df: pd.DataFrame, positions: Sequence[int], new_columns: Sequence[object]) -> pd.DataFrame:
    """Return a copy of a frame with new values in some columns."""
    changed = df.copy()
    for position, values in zip(positions, new_columns):
        changed.isetitem(position, values)
    return changed


def replace_float_columns(
    df: pd.DataFrame, positions: Sequence[int], new_columns: Iterable[np.ndarray]
) -> pd.DataFrame:
    """Return a copy of a frame with new floats in some columns, cast to their kinds of float."""
    return replace_columns(
        df,
        positions,
        [cast_to_column_type(new_column, df.iloc[:, position]) for new_column, position in zip(new_columns, positions)],
    )


def cast_to_column_type(values: np.ndarray, column: pd.Series) -> object:
    """Return floats as a column's kind of float: float32 and nullable types are preserved."""
    kind = column.dtype
    if isinstance(kind, np.dtype):
        return values.astype(kind) if kind.kind == "f" else values
    if type(kind).__name__ == "ArrowDtype":
        return pd.array(values, dtype="double[pyarrow]")
    if hasattr(kind, "numpy_dtype"):
        return pd.array(values, dtype="Float32" if str(kind) == "Float32" else "Float64")
    return values


def check_same_shape(df1: pd.DataFrame, df2: pd.DataFrame, names: tuple[str, str] = ("df1", "df2")) -> None:
    """Check that two frames have the same rows and columns."""
    check_frame(df1, names[0])
    check_frame(df2, names[1])
    if df1.shape != df2.shape:
        raise PydpstatError(
            f"{names[0]} and {names[1]} must have the same shape; got {df1.shape} and {df2.shape}. "
            "Drop the same rows and columns from both."
        )
    if list(df1.columns) != list(df2.columns):
        raise PydpstatError(
            f"{names[0]} and {names[1]} must have the same columns in the same order; got "
            f"{checks.format_public_value(list(df1.columns))} and {checks.format_public_value(list(df2.columns))}."
        )
    if not df1.index.equals(df2.index):
        raise PydpstatError(
            f"{names[0]} and {names[1]} must have the same index: they are compared row by row. If "
            f"the rows do correspond, use {names[1]}.set_axis({names[0]}.index)."
        )


def compute_mean_squared_error(df1: pd.DataFrame, df2: pd.DataFrame, position: int) -> float:
    """Return the mean squared difference of one column in two frames."""
    x, y = read_float_column(df1, position, "df1"), read_float_column(df2, position, "df2")
    missing = np.isnan(x)
    if (missing != np.isnan(y)).any():
        raise PydpstatError(
            "df1 and df2 must have the same missing values; column "
            f"{checks.format_public_value(df1.columns[position])} differs. Fill or drop them in both."
        )
    with np.errstate(invalid="ignore"):
        steps = x - y
    # equal infinities have no difference
    steps[missing | (x == y)] = 0.0
    return float((steps * steps).mean())


def label_equal_rows(df: pd.DataFrame, positions: list[int]) -> np.ndarray:
    """Return group codes of rows, from 0, equal for equal rows; a missing value counts as a value."""
    groups = np.zeros(len(df), dtype=np.int64)
    for position in positions:
        try:
            codes, levels = pd.factorize(df.iloc[:, position].values)
        except TypeError as error:
            raise PydpstatError(
                f"df must have simple values in column {checks.format_public_value(df.columns[position])}, such as "
                "numbers and strings; some cannot be compared. Convert it with astype(str)."
            ) from error
        # -1 is missing
        groups, _ = pd.factorize(groups * (len(levels) + 1) + codes + 1)
    return groups
