"""What the anonymization functions accept: frames, some of their columns, numbers in them, equal rows."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TypeGuard, TypeVar

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.containers import floats_of, is_numeric, is_pandas_frame, library_of
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
# columns: one name or several, or None for all
Names = Hashable | Iterable[Hashable] | None


def frame(df: object, argument: str = "df") -> None:
    """Check a pandas frame with at least one row and one column."""
    if not is_pandas_frame(df):
        library = library_of(df)
        # what other libraries have for it
        way = _TO_PANDAS.get(library, f"pandas.DataFrame({argument})").format(argument)
        got = f"{type(df).__name__} of {library}" if library else type(df).__name__
        raise PydpstatError(f"{argument} must be a pandas DataFrame; got {got}. Give {way}.")
    if 0 in df.shape:
        raise PydpstatError(
            f"{argument} must have at least one row and one column; got {df.shape[0]} x {df.shape[1]}."
        )


def places(df: pd.DataFrame, columns: object, argument: str = "columns") -> list[int]:
    """Check a frame, and return where the named columns are; all for None.

    Of columns with one name it is all.
    """
    frame(df)
    if columns is None:
        return list(range(df.shape[1]))
    names = list(columns) if _several(columns, df) else [columns]
    found = [place for name in names for place in _places_of(df, name, argument)]
    if not found:
        raise PydpstatError(f"{argument} must name at least one column; got {checks.shown(columns)}.")
    if len(set(found)) < len(found):
        raise PydpstatError(f"{argument} must name each column once; got {checks.shown(columns)}.")
    return found


def _several(columns: object, df: pd.DataFrame) -> TypeGuard[Iterable[Hashable]]:
    if isinstance(columns, (str, bytes)) or not isinstance(columns, Iterable):
        return False
    # a tuple is a name where the columns have several levels
    return not isinstance(columns, tuple) or columns not in df.columns


def _places_of(df: pd.DataFrame, name: object, argument: str) -> list[int]:
    try:
        place = df.columns.get_loc(name)
    except (KeyError, TypeError, pd.errors.InvalidIndexError) as error:
        names = [str(each) for each in df.columns]
        near = checks.did_you_mean(name, names)
        hint = near if near.startswith("Did") else f"It has {checks.excerpt(names)}."
        raise PydpstatError(
            f"{argument} must name columns of df, every one; got another name of type "
            f"{type(name).__name__}. {hint}"
        ) from error
    # a number, a slice or a mask
    every: list[int] = np.atleast_1d(np.arange(df.shape[1])[place]).tolist()
    return every


def by_column(
    df: pd.DataFrame, value: object, columns: object, argument: str, check: Callable[[object], Option]
) -> tuple[list[int], list[Option]]:
    """Return places and their checked options: one option for all columns, or a dict by column name."""
    if not isinstance(value, Mapping):
        found = [(place, value) for place in places(df, columns)]
    elif columns is not None:
        raise PydpstatError(f"columns must be left out if {argument} is a dict by column.")
    else:
        found = [(place, each) for name, each in value.items() for place in places(df, [name], argument)]
    if not found:
        raise PydpstatError(f"{argument} must name at least one column; got an empty dict.")
    return [place for place, _ in found], [check(each) for _, each in found]


def integer(value: object, argument: str, least: int, most: int) -> int:
    """Check an integer between two limits."""
    return checks.integer(value, argument, least, most, allowed=f"a whole number from {least} to {most}")


def group_size(k: object, rows: int, argument: str = "k") -> int:
    """Check a number of rows: an integer from 1 to the rows that there are."""
    allowed = f"a whole number from 1 to the number of rows, {rows}"
    return checks.integer(k, argument, 1, rows, allowed=allowed)


def floats(df: pd.DataFrame, place: int, argument: str = "df") -> np.ndarray:
    """Return a column of numbers as floats, NaN where a value is missing."""
    column = df.iloc[:, place]
    if not is_numeric(column):
        raise PydpstatError(
            f"{argument} must have numbers in column {checks.excerpt(df.columns[place])}; "
            f"got {column.dtype}. Leave it out with columns=[...], or convert it with astype(float)."
        )
    return floats_of(column)


def matrix(df: pd.DataFrame, chosen: Sequence[int]) -> np.ndarray:
    """Return complete, finite columns as an array of shape (d, n)."""
    values = np.array([floats(df, place) for place in chosen])
    for place, column in zip(chosen, values):
        if not np.isfinite(column).all():
            what = "missing" if np.isnan(column).any() else "infinite"
            raise PydpstatError(
                f"df must have no {what} values in column {checks.excerpt(df.columns[place])}: there is no "
                "distance to them. Fill or drop them first, or leave the column out with columns=[...]."
            )
    return values


def with_columns(df: pd.DataFrame, chosen: Sequence[int], columns: Sequence[object]) -> pd.DataFrame:
    """Return a copy of a frame with other values in some columns."""
    changed = df.copy()
    for place, values in zip(chosen, columns):
        changed.isetitem(place, values)
    return changed


def with_floats(df: pd.DataFrame, chosen: Sequence[int], columns: Iterable[np.ndarray]) -> pd.DataFrame:
    """Return a copy of a frame with floats in some columns, of the kinds that these had."""
    return with_columns(df, chosen, [as_before(each, df.iloc[:, at]) for each, at in zip(columns, chosen)])


def as_before(values: np.ndarray, column: pd.Series) -> object:
    """Return floats as a column's kind of float: float32 stays, a nullable column stays nullable."""
    kind = column.dtype
    if isinstance(kind, np.dtype):
        return values.astype(kind) if kind.kind == "f" else values
    if type(kind).__name__ == "ArrowDtype":
        return pd.array(values, dtype="double[pyarrow]")
    if hasattr(kind, "numpy_dtype"):
        return pd.array(values, dtype="Float32" if str(kind) == "Float32" else "Float64")
    return values


def same_shape(df1: pd.DataFrame, df2: pd.DataFrame, names: tuple[str, str] = ("df1", "df2")) -> None:
    """Check that two frames have the same rows and columns."""
    frame(df1, names[0])
    frame(df2, names[1])
    if df1.shape != df2.shape:
        raise PydpstatError(
            f"{names[0]} and {names[1]} must have the same shape; got {df1.shape} and {df2.shape}. "
            "Drop the same rows and columns from both."
        )
    if list(df1.columns) != list(df2.columns):
        raise PydpstatError(
            f"{names[0]} and {names[1]} must have the same columns in the same order; got "
            f"{checks.excerpt(list(df1.columns))} and {checks.excerpt(list(df2.columns))}."
        )
    if not df1.index.equals(df2.index):
        raise PydpstatError(
            f"{names[0]} and {names[1]} must have the same index: they are compared row by row. If "
            f"the rows do correspond, use {names[1]}.set_axis({names[0]}.index)."
        )


def mean_squared_error(df1: pd.DataFrame, df2: pd.DataFrame, place: int) -> float:
    """Return the mean squared difference of one column."""
    one, two = floats(df1, place, "df1"), floats(df2, place, "df2")
    missing = np.isnan(one)
    if (missing != np.isnan(two)).any():
        raise PydpstatError(
            "df1 and df2 must have the same missing values; column "
            f"{checks.excerpt(df1.columns[place])} differs. Fill or drop them in both."
        )
    with np.errstate(invalid="ignore"):
        steps = one - two
    # equal infinities do not differ either
    steps[missing | (one == two)] = 0.0
    return float((steps * steps).mean())


def equal_rows(df: pd.DataFrame, chosen: list[int]) -> np.ndarray:
    """Number rows so that equal ones have the same number, from 0; a missing value is a value."""
    groups = np.zeros(len(df), dtype=np.int64)
    for place in chosen:
        try:
            codes, levels = pd.factorize(df.iloc[:, place].values)
        except TypeError as error:
            raise PydpstatError(
                f"df must have simple values in column {checks.excerpt(df.columns[place])}, such as "
                "numbers and strings; some cannot be compared. Convert it with astype(str)."
            ) from error
        # -1 is missing
        groups, _ = pd.factorize(groups * (len(levels) + 1) + codes + 1)
    return groups
