"""What is given in the place of data and has no records: what to write instead."""

from __future__ import annotations

import os
from collections.abc import Mapping


def way_to_values(data: object) -> str:
    """Return what to write instead of something that has no values of records.

    Examples
    --------
    >>> way_to_values({"age": [34, 51]})
    'Make a data frame, pd.DataFrame(data).'
    """
    if isinstance(data, str) and "~" in data:
        return "A formula is the first argument of ols and logit; tests have one in dp.design(frame, ...)."
    if isinstance(data, str) and not _is_path(data):
        return "Give the values, as frame['income']; names and conditions are for dp.design(frame, ...)."
    if isinstance(data, (list, tuple)):
        return "Give one frame, pd.concat(frames), or an iterator of chunks, iter(frames)."
    if isinstance(data, Mapping):
        return "Make a data frame, pd.DataFrame(data)."
    return way_to_columns(data, "Give one value for each record.")


def way_to_columns(data: object, otherwise: str) -> str:
    """Return what to write instead of something that has no columns either.

    Examples
    --------
    >>> way_to_columns("data.csv", "Give a DataFrame.")
    'Read the file first, as in pd.read_csv(path).'
    """
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
    return otherwise


def _is_path(text: str) -> bool:
    """Tell whether a text has what paths have and names of columns rarely do."""
    return "." in text or os.sep in text
