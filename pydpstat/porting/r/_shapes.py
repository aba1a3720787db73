"""What R's vectors, lists and matrices are here, and how results of calls become one of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pydpstat._data.values import is_missing
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic import Table, as_character

Array = npt.NDArray[Any]
Names = list[Any] | None


class Matrix(np.ndarray):
    """A matrix or table with names: `dimnames` has those of each axis or None, `axes` a word for each axis.

    Arithmetic keeps the names. ``m["a", "b"]`` is a cell by its names; places count from 0, as in NumPy.

    Examples
    --------
    >>> m = named(np.array([[1, 2], [3, 4]]), (["a", "b"], ["x", "y"]))
    >>> int(m["b", "x"]), (m * 2).dimnames
    (3, (['a', 'b'], ['x', 'y']))
    """

    dimnames: tuple[Names, ...]
    axes: tuple[str, ...]

    def __array_finalize__(self, other: object) -> None:
        self.dimnames, self.axes = (None,) * self.ndim, ("",) * self.ndim

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        options = {k: tuple(map(np.asarray, v)) if k == "out" else v for k, v in options.items()}
        plain = [np.asarray(each) if isinstance(each, Matrix) else each for each in inputs]
        if method == "__call__" and self.ndim == 2 and ufunc.signature is None:
            plain = [_recycled(each, self.shape) for each in plain]
        result = getattr(ufunc, method)(*plain, **options)
        if method == "__call__" and np.shape(result) == self.shape and ufunc.signature is None:
            return named(result, self.dimnames, self.axes)
        return named(result, (None, None)) if np.ndim(result) == 2 else result

    def __getitem__(self, key: Any) -> Any:
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(each, str) for each in keys):
            keys = tuple(_place(k, self.dimnames[a]) if isinstance(k, str) else k for a, k in enumerate(keys))
        found = np.asarray(self)[keys]
        return named(found, (None, None)) if found.ndim == 2 else found


def _recycled(value: Any, shape: tuple[int, ...]) -> Any:
    """Return an operand of a matrix, a vector repeated down its columns as R does."""
    size = np.size(value)
    if np.shape(value) == shape or size == 1:
        return value if np.ndim(value) == 0 or np.shape(value) == shape else np.ravel(value)[0]
    if np.ndim(value) != 1 or not size or math.prod(shape) % size:
        raise PydpstatError(
            f"a matrix of {shape[0]} by {shape[1]} meets an operand of shape {np.shape(value)}"
        )
    return np.resize(value, math.prod(shape)).reshape(shape, order="F")


def _place(name: str, names: Names) -> int:
    if names is None or name not in names:
        raise PydpstatError(f"there is no row or column {name!r}: the names are {names}")
    return names.index(name)


def named(cells: Array, dimnames: Sequence[Names], axes: Sequence[str] = ()) -> Array:
    """Return a matrix with names of its rows and columns, or an array with those of its axes.

    Examples
    --------
    >>> named(np.ones((1, 1)), (["a"], None)).dimnames
    (['a'], None)
    """
    if all(each is None for each in dimnames) and np.ndim(cells) != 2:
        return np.asarray(cells)
    result = np.asarray(cells).view(Matrix)
    result.dimnames = tuple(None if each is None else list(each) for each in dimnames)
    result.axes = tuple(axes) or ("",) * len(dimnames)
    return result


def dimnames_of(x: object) -> tuple[Names, ...]:
    """Return the names of an array's axes, None for those that have none.

    Examples
    --------
    >>> dimnames_of(np.ones((2, 2)))
    (None, None)
    """
    return x.dimnames if isinstance(x, Matrix) else (None,) * np.ndim(x)  # type: ignore[arg-type]


def vector(x: object, name: str = "x") -> Array:
    """Return a vector as a one-dimensional array: strings and labels of factors as objects, None if missing.

    Examples
    --------
    >>> vector(["a", None]), vector(2.5)
    (array(['a', None], dtype=object), array([2.5]))
    """
    if isinstance(x, Table):
        x = x.counts
    array = np.asarray(x, dtype=object if isinstance(x, (list, tuple)) else None).ravel(order="F")
    if array.dtype.kind not in "UOT":
        return array
    known = [each for each in array.tolist() if not is_missing(each)]
    if all(isinstance(each, str) for each in known) and known:
        return np.array([None if is_missing(each) else str(each) for each in array], dtype=object)
    if not all(isinstance(each, (int, float, np.number, np.bool_)) for each in known):
        return combined(array.tolist(), name)
    if len(known) == array.size:
        return np.array(known)
    return np.array([math.nan if is_missing(each) else float(each) for each in array])


def combined(values: Sequence[object], name: str = "the results") -> Array:
    """Return single values as one vector: numbers beside strings become strings.

    Examples
    --------
    >>> combined([1, "a"]), combined([1, 2.5])
    (array(['1', 'a'], dtype=object), array([1. , 2.5]))
    """
    kinds = (bool, int, float, str, np.generic, type(None), type(pd.NA))
    if wrong := [type(each).__name__ for each in values if not isinstance(each, kinds)]:
        raise PydpstatError(f"{name} must be numbers, strings or truth values; got {wrong[0]}")
    if any(isinstance(each, str) for each in values):
        return np.array([None if is_missing(each) else as_character(each) for each in values], dtype=object)
    return np.array([math.nan if is_missing(each) else each for each in values])


def column(frame: pd.DataFrame, name: object) -> Any:
    """Return a frame's column as a vector: a Categorical for a factor, else an array.

    Examples
    --------
    >>> column(pd.DataFrame({"a": [1, 2]}), "a")
    array([1, 2])
    """
    if name not in frame:
        raise PydpstatError(f"the data have no column {name!r}: they have {list(frame.columns)}")
    found = frame[name]
    return found.array if isinstance(found.dtype, pd.CategoricalDtype) else vector(found)


def items(x: object) -> tuple[Names, list[Any]]:
    """Return the names of a list's, vector's or frame's elements, or None, and the elements.

    Examples
    --------
    >>> items({"a": 1, "b": 2}), items(np.array([1, 2]))
    ((['a', 'b'], [1, 2]), (None, [1, 2]))
    """
    if isinstance(x, dict):
        return list(x), list(x.values())
    if isinstance(x, pd.DataFrame):
        return list(x.columns), [column(x, each) for each in x.columns]
    if isinstance(x, pd.Series):
        return list(x.index), vector(x).tolist()
    if isinstance(x, (list, tuple)):
        return None, list(x)
    if isinstance(x, pd.Categorical):
        raise PydpstatError("X must be no factor: write as_character(X) or as_integer(X)")
    return None, [] if x is None else vector(x).tolist()


def listed(values: list[Any], names: Names) -> Any:
    """Return a list, or a dict of the names.

    Examples
    --------
    >>> listed([1, 2], ["a", "b"])
    {'a': 1, 'b': 2}
    """
    if names is not None and len(set(names)) < len(names):
        raise PydpstatError(f"a list needs different names; got {names}")
    return values if names is None else dict(zip(names, values))


def simplified(answers: list[Any], names: Names) -> Any:
    """Return results as one vector, as a matrix with a column for each, or as a list, as R's sapply does.

    Examples
    --------
    >>> simplified([1, 2.5], None), simplified([[1, 2], [3, 4]], None).tolist()
    (array([1. , 2.5]), [[1, 3], [2, 4]])
    """
    for each in answers:
        if isinstance(each, (dict, pd.DataFrame, pd.Categorical)) or np.ndim(each) > 1:
            raise PydpstatError(
                f"FUN must return numbers or strings to be simplified; got {type(each).__name__}: write lapply"
            )
    parts = [np.empty(0) if each is None else vector(each, "what FUN returns") for each in answers]
    lengths = {part.size for part in parts}
    if len(lengths) != 1 or 0 in lengths:
        return listed(answers, names)
    inner = [list(each.index) if isinstance(each, pd.Series) else None for each in answers]
    values = combined([each for part in parts for each in part.tolist()])
    if lengths == {1}:
        labels = _labels(inner, names)
        return values if labels is None else pd.Series(values, index=pd.Index(labels, dtype=object))
    return named(values.reshape((-1, len(parts)), order="F"), (inner[0], names))


def _labels(inner: list[Names], names: Names) -> Names:
    own = [each[0] if each else "" for each in inner]
    outer = names or [""] * len(own)
    labels = [f"{a}.{b}" if a and b else f"{a or b}" for a, b in zip(outer, own)]
    return labels if any(labels) else None


def refuse_unknown(name: str, given: object, allowed: Iterable[object]) -> None:
    """Raise an error unless an option has one of its values.

    Examples
    --------
    >>> refuse_unknown("type", "link", ("link", "response"))
    """
    if given not in (choices := list(allowed)):
        raise PydpstatError(f"{name} must be one of {choices}; got {given!r}")
