"""Columns of labels, as pandas has them: each label as it is, and codes for those that occur."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pydpstat._checks import shown_option
from pydpstat._data.containers import columns_of, is_frame, is_vector
from pydpstat._data.values import Objects, objects
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import pandas as pd


def label_column(values: object, name: str) -> pd.Series:
    """Return a column of labels as a series.

    Examples
    --------
    >>> label_column(("a", 1), "columns").tolist()
    ['a', 1]
    """
    import pandas as pd

    if is_vector(values):
        try:
            plain = hasattr(values, "dtype") and (not isinstance(values, np.ndarray) or _is_plain(values))
            return pd.Series(values if plain else objects(list(values))).reset_index(drop=True)
        except (TypeError, ValueError, NotImplementedError):
            pass
    raise PydpstatError(
        f"{name} must be a column of labels; got {type(values).__name__}. Give a list, an array or a Series."
    )


def _is_plain(values: npt.NDArray[np.generic]) -> bool:
    """Tell whether pandas takes an array as it is: not other byte orders, dates beyond its range, records."""
    return values.dtype.kind in "iufbO" and values.dtype.isnative


def label_columns(columns: object, name: str) -> list[tuple[object, pd.Series]]:
    """Return the names and columns of a frame, or of a dict of columns."""
    found: list[tuple[object, object]] = []
    if is_frame(columns):
        found = list(zip(columns.columns, columns_of(columns)))
    elif isinstance(columns, Mapping):
        found = list(columns.items())
    if not found:
        raise PydpstatError(
            f"{name} must be a DataFrame or a dict with a column for each level; got "
            f"{type(columns).__name__}."
        )
    return [(label, label_column(column, f"{name}[{shown_option(label)}]")) for label, column in found]


def factorized(column: pd.Series, name: str) -> tuple[npt.NDArray[np.intp], Objects]:
    """Return codes (-1 for missing) and the labels that occur."""
    import pandas as pd

    try:
        # an array of objects stays one; pandas would guess a type for a Series of them
        codes, labels = pd.factorize(column.to_numpy() if column.dtype == object else column)
    except (TypeError, OverflowError) as error:
        raise PydpstatError(
            f"{name} must have hashable labels; got lists or similar. Use strings or numbers."
        ) from error
    return codes, objects(labels)
