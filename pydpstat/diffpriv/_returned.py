"""What the user's functions return, read as R would read it: an oracle's records, a target's numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.containers import has_columns, is_series, library_of, row_names
from pydpstat._warn import note
from pydpstat.diffpriv._slots import Function
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import pandas as pd

Array = npt.NDArray[np.generic]

_NUMBERS = (int, float, np.number)


def with_record(xs: object, x: Any) -> object:
    """Return a data set with one record more, given alone or as a data set of one; neither is changed.

    It is an array, list, series, frame, or a single number or text; of a matrix or a frame, rows are records.
    Any other kind is an error.

    Examples
    --------
    >>> from pydpstat.diffpriv._returned import with_record
    >>> with_record([1, 2], [3]), with_record(["a"], "b")
    ([1, 2, 3], ['a', 'b'])
    """
    xs = data_set(xs)
    if isinstance(xs, np.ndarray) and xs.ndim == 2:
        return np.vstack([xs, x])
    if isinstance(xs, np.ndarray) and xs.ndim == 1 and _is_plain(xs.dtype.kind):
        return np.concatenate((xs, _first(x)))
    if isinstance(xs, list):
        return [*xs, _element(xs, x)]
    if has_columns(xs):
        return _in_frame(xs, x)
    if is_series(xs) and _is_plain(xs.dtype.kind):
        import pandas as pd

        return pd.concat([xs, pd.Series(_first(x))], ignore_index=True)
    raise PydpstatError(
        "oracle must return a list, an array of numbers or strings, or a data frame; got "
        f"{type(xs).__name__}. The rows of a matrix or a data frame are the records."
    )


def data_set(xs: object) -> object:
    """Return what an oracle made as a data set: a number alone as an array of one, a text as a list of one.

    Examples
    --------
    >>> from pydpstat.diffpriv._returned import data_set
    >>> data_set(0.5), data_set("a"), data_set([1, 2])
    (array([0.5]), ['a'], [1, 2])
    """
    if isinstance(xs, str):
        return [xs]
    if isinstance(xs, np.ndarray) and not xs.ndim:
        return xs.reshape(1)
    return np.array([xs]) if isinstance(xs, _NUMBERS) and not isinstance(xs, bool) else xs


def _element(xs: list[object], x: object) -> object:
    """Return a record as an element of a list: of a data set of one record this record."""
    numbers = bool(xs) and all(isinstance(each, _NUMBERS) for each in xs)
    if isinstance(x, list) and len(x) == 1 or numbers and isinstance(x, np.ndarray) and x.size == 1:
        return x[0] if isinstance(x, list) else x.item()
    return x


def _in_frame(xs: pd.DataFrame, x: Any) -> pd.DataFrame:
    import pandas as pd

    if not has_columns(x):
        x = pd.DataFrame([x] if isinstance(x, dict) or is_series(x) else [list(x)], columns=xs.columns)
    return pd.concat([xs, x], ignore_index=True)


def _first(x: npt.ArrayLike) -> Array:
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


def value_at(target: Function, X: object) -> Any:
    """Return a target's value of a data set, which it gets as it was given.

    Raises
    ------
    PydpstatError
        If the data set is an engine's or R's, and the target fails: it may read arrays only.

    Examples
    --------
    >>> value_at(sum, [1, 2])
    3
    """
    try:
        return target(X)
    except Exception as error:
        library = library_of(X)
        if not library:
            raise
        raise PydpstatError(
            f"X must be data that target can read; got {type(X).__name__} of {library}, on which "
            f"target raised {type(error).__name__}. Give an array, a list or a pandas DataFrame, as "
            "target expects."
        ) from error


def exact_numbers(raw: object) -> tuple[npt.NDArray[np.float64], tuple[str, ...] | None]:
    """Return a target's numbers as floats, 0-d for a single number, and their names if they have some."""
    if type(raw) is float:
        return np.array(raw), None
    value = checks.array_of(raw)
    if has_columns(raw) or value.size and value.dtype.kind not in "fiu":
        raise PydpstatError(
            f"target must return numbers; it returned {type(raw).__name__}. "
            "Let it return a number or a vector of numbers."
        )
    if value.ndim > 1:
        raise PydpstatError(
            f"target must return a vector; it returned {value.ndim} dimensions, for which R has no method. "
            "Flatten it."
        )
    return value.astype(np.float64), row_names(raw)


def function_of(value: object) -> Function:
    """Check that a target returned a function."""
    if not callable(value):
        raise PydpstatError(
            f"target must return a function for this mechanism; it returned {type(value).__name__}. "
            "Let it return for example lambda response: X.count(response)."
        )
    return value


def quality(value: object) -> float:
    """Check a response's quality: one number; a boolean counts as 0 or 1."""
    number = checks.unwrap(value)
    if isinstance(number, (bool, np.bool_)) or checks.is_number(number):
        return checks.as_float(number)
    raise PydpstatError(
        f"the quality of a response must be one number; got {type(value).__name__}. "
        "Let the function that target returns give a number."
    )
