"""What the measures compare: two tables of one shape, their columns, and the rows of one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat import _checks as checks
from pydpstat.anonymity import _frames as frames
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import pandas as pd


def same_shape(df1: pd.DataFrame, df2: pd.DataFrame, names: tuple[str, str] = ("df1", "df2")) -> None:
    """Check that two frames have the same rows and columns."""
    frames.frame(df1, names[0])
    frames.frame(df2, names[1])
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
            f"{names[0]} and {names[1]} must have the same index: they are compared row by row. Where the "
            f"rows do belong together use {names[1]}.set_axis({names[0]}.index)."
        )


def mean_squared_error(df1: pd.DataFrame, df2: pd.DataFrame, place: int) -> float:
    """Return the mean squared difference of one column."""
    one, two = frames.floats(df1, place, "df1"), frames.floats(df2, place, "df2")
    missing = np.isnan(one)
    if (missing != np.isnan(two)).any():
        raise PydpstatError(
            f"df1 and df2 must lack the same values; column {checks.excerpt(df1.columns[place])} differs in "
            "this. Fill or drop them in both."
        )
    with np.errstate(invalid="ignore"):
        steps = one - two
    # equal infinities do not differ either
    steps[missing | (one == two)] = 0.0
    return float((steps * steps).mean())


def equal_rows(df: pd.DataFrame, chosen: list[int]) -> np.ndarray:
    """Number rows so that equal ones have the same number, from 0; a missing value is a value."""
    import pandas as pd

    groups = np.zeros(len(df), dtype=np.int64)
    for place in chosen:
        try:
            codes, levels = pd.factorize(df.iloc[:, place].values)
        except TypeError as error:
            raise PydpstatError(
                f"df must have plain values in column {checks.excerpt(df.columns[place])}, such as numbers "
                "and texts; some cannot be compared. Convert it with astype(str)."
            ) from error
        # -1 is missing
        groups, _ = pd.factorize(groups * (len(levels) + 1) + codes + 1)
    return groups
