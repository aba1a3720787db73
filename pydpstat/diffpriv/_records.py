"""Appending one record to a data set, as diffpriv appends it to each kind that an oracle returns."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat._data.containers import has_columns, is_series
from pydpstat._warn import note
from pydpstat.errors import PydpstatError

_NUMBERS = (int, float, np.number)


def with_record(xs: Any, x: Any) -> Any:
    """Return a data set with one record more; neither is changed.

    Parameters
    ----------
    xs : ndarray, list, Series, DataFrame, or a single number or text
        The data set; of a matrix or a frame, rows are records.
    x : object
        The record, or a data set of one record.

    Returns
    -------
    ndarray, list, Series or DataFrame, as `xs`

    Raises
    ------
    PydpstatError
        Where the data set is of another kind.

    Examples
    --------
    >>> from pydpstat.diffpriv._records import with_record
    >>> with_record([1, 2], [3]), with_record(["a"], "b")
    ([1, 2, 3], ['a', 'b'])
    """
    xs = data_set(xs)
    if isinstance(xs, np.ndarray):
        return _in_array(xs, x)
    if isinstance(xs, list):
        return [*xs, _element(xs, x)]
    if has_columns(xs):
        return _in_frame(xs, x)
    if is_series(xs) and _is_plain(xs.dtype.kind):
        import pandas as pd

        return pd.concat([xs, pd.Series(_first(x))], ignore_index=True)
    raise _unknown(xs)


def data_set(xs: Any) -> Any:
    """Return what an oracle made as a data set: a number alone as an array of one, a text as a list of one.

    Examples
    --------
    >>> from pydpstat.diffpriv._records import data_set
    >>> data_set(0.5), data_set("a"), data_set([1, 2])
    (array([0.5]), ['a'], [1, 2])
    """
    if isinstance(xs, str):
        return [xs]
    if isinstance(xs, np.ndarray) and not xs.ndim:
        return xs.reshape(1)
    return np.array([xs]) if isinstance(xs, _NUMBERS) and not isinstance(xs, bool) else xs


def _element(xs: list[Any], x: Any) -> Any:
    """Return a record as an element of a list: of a data set of one record this record."""
    numbers = bool(xs) and all(isinstance(each, _NUMBERS) for each in xs)
    if isinstance(x, list) and len(x) == 1 or numbers and isinstance(x, np.ndarray) and x.size == 1:
        return x[0] if isinstance(x, list) else x.item()
    return x


def _in_array(xs: np.ndarray, x: Any) -> np.ndarray:
    if xs.ndim == 2:
        return np.vstack([xs, x])
    if xs.ndim == 1 and _is_plain(xs.dtype.kind):
        return np.concatenate((xs, _first(x)))
    raise _unknown(xs)


def _in_frame(xs: Any, x: Any) -> Any:
    import pandas as pd

    if not has_columns(x):
        x = pd.DataFrame([x] if isinstance(x, dict) or is_series(x) else [list(x)], columns=xs.columns)
    return pd.concat([xs, x], ignore_index=True)


def _first(x: Any) -> np.ndarray:
    """Return the one record of a vector; of several the first, as R does."""
    values = np.atleast_1d(x)
    if values.size == 1:
        return values
    if values.size == 0:
        raise PydpstatError("oracle(1) must return one record; it returned none.")
    note(f"oracle(1) returned {values.size} records; the first is taken.")
    return values[:1]


def _is_plain(kind: str) -> bool:
    # numbers, or texts, which pandas keeps as objects; neither booleans nor factors
    return kind in "iufUSO"


def _unknown(xs: Any) -> PydpstatError:
    return PydpstatError(
        f"oracle must return a list, an array of numbers or texts, or a frame; got {type(xs).__name__}. "
        "Of a matrix or a frame, let the rows be the records."
    )
