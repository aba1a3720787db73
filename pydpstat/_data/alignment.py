"""Variables of the same records that are given as several pandas objects, and their indexes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from pydpstat._data.containers import is_pandas_frame, is_pandas_series
from pydpstat.errors import PydpstatError


def check_equal_indexes(*variables: tuple[str, object]) -> None:
    """Raise an error if pandas objects of equal length have different indexes; each comes with its argument's name.

    Records are paired by position. Whether indexes are equal is treated as public.
    """
    first_argument, first = "", None
    for argument, value in variables:
        for index in _iterate_indexes(value):
            if first is None:
                first_argument, first = argument, index
            elif len(index) == len(first) and not index.is_(first) and not index.equals(first):
                raise _make_index_error(first_argument, argument)


def _iterate_indexes(value: object) -> Iterator[Any]:
    """Yield the indexes of a pandas object, or of those in a tuple or a dict of variables.

    Of a named tuple only the first one is of interest: its parts are arguments, compared with each other elsewhere.
    """
    if is_pandas_series(value) or is_pandas_frame(value):
        yield value.index
    elif isinstance(value, (Mapping, tuple)):
        parts = value.values() if isinstance(value, Mapping) else value
        indexes = (each.index for each in parts if is_pandas_series(each) or is_pandas_frame(each))
        yield from islice(indexes, 1 if hasattr(value, "_fields") else None)


def _make_index_error(first: str, second: str) -> PydpstatError:
    if first == second:
        return PydpstatError(
            f"{first} must have variables with the same index, since records are paired by position; got pandas "
            "objects with different indexes. Put them in one frame, as pd.concat([x, y], axis=1) does by index, or, if "
            "their order is the same, give each with .reset_index(drop=True)."
        )
    return PydpstatError(
        f"{second} must have the same index as {first}, since records are paired by position; got pandas objects with "
        f"different indexes. Put both in one frame, or write {second}.loc[{first}.index]; if their order is the same, "
        "give both with .reset_index(drop=True)."
    )
