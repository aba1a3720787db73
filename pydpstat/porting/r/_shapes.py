"""What R's vectors, lists, matrices and frames are here, and how results of calls become one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._integers import of_r
from pydpstat.porting.r._named import Named
from pydpstat.porting.r._values import Names, Value, plain
from pydpstat.porting.r._values import Vector as Array
from pydpstat.porting.r._values import missing as missing
from pydpstat.porting.r._values import names_of as names_of
from pydpstat.porting.r._values import vector as vector
from pydpstat.porting.r._values import with_names as with_names
from pydpstat.results.results import DPResults

combined = plain
RESERVED = set(
    "if else repeat while function for next break TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ "
    "NA_character_ in".split()
)


class Matrix(np.ndarray):
    """A matrix or table with names: `dimnames` has those of each axis or None, `axes` a word for a table's.

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
        self.dimnames, self.axes = (None,) * self.ndim, ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Value, **options: Value) -> Value:
        options = {k: tuple(map(np.asarray, v)) if k == "out" else v for k, v in options.items()}
        plain = [np.asarray(each) if isinstance(each, Matrix) else each for each in inputs]
        if method == "__call__" and self.ndim == 2 and ufunc.signature is None:
            plain = [_recycled(each, self.shape) for each in plain]
        result = getattr(ufunc, method)(*plain, **options)
        if method == "__call__" and np.shape(result) == self.shape and ufunc.signature is None:
            return named(result, self.dimnames, self.axes)
        return named(result, (None, None)) if np.ndim(result) == 2 else result

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __getitem__(self, key: Value) -> Value:
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(each, str) for each in keys):
            keys = tuple(_place(k, self.dimnames[a]) if isinstance(k, str) else k for a, k in enumerate(keys))
        found = np.asarray(self)[keys]
        return named(found, (None, None)) if found.ndim == 2 else found


class Words(tuple[str, ...]):
    """Words for the axes of a matrix that is no table: its columns have their own decimals."""


def _recycled(value: Value, shape: tuple[int, ...]) -> Value:
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


def named(cells: Value, dimnames: Sequence[Names], axes: Sequence[str] = ()) -> Array:
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
    result.axes = axes if isinstance(axes, tuple) else tuple(axes)
    return result


def names_given(dimnames: Value, n: int) -> tuple[list[Names], tuple[str, ...]]:
    """Return the names of `n` axes, and what these are called, of R's argument `dimnames`.

    Examples
    --------
    >>> names_given({"row": ["a"], "column": None}, 2)
    ([['a'], None], ('row', 'column'))
    """
    axes = Words(dimnames) if isinstance(dimnames, dict) else ()
    given = [dimnames[axis] for axis in axes] if axes else dimnames or [None] * n
    return [None if each is None else vector(each).tolist() for each in given], axes


def dimnames_of(x: Value) -> tuple[Names, ...]:
    """Return the names of an array's axes, None for those that have none.

    Examples
    --------
    >>> dimnames_of(np.ones((2, 2)))
    (None, None)
    """
    return x.dimnames if isinstance(x, Matrix) else (None,) * np.ndim(x)


def row_name(label: object) -> str:
    """Return the name of a frame's row: R counts from 1 what the index counts from 0.

    Examples
    --------
    >>> row_name(0), row_name("a")
    ('1', 'a')
    """
    return str(label + 1) if isinstance(label, (int, np.integer)) else str(label)


def row_names(x: Value) -> Names:
    """Return the names of the rows of a frame or matrix, and None where they only count the rows.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.5, 2.5]})
    >>> row_names(frame), row_names(frame[1:])
    (None, ['2'])
    """
    if not isinstance(x, pd.DataFrame):
        return dimnames_of(x)[0] if np.ndim(x) > 1 else None
    counted = x.index.dtype.kind in "iu" and np.array_equal(x.index, np.arange(len(x)))
    return None if counted else [row_name(each) for each in x.index]


def column(frame: pd.DataFrame, name: object) -> Value:
    """Return a frame's column as a vector: a Categorical for a factor, else an array.

    Examples
    --------
    >>> column(pd.DataFrame({"a": [1, 2]}), "a")
    array([1, 2])
    """
    if name not in frame:
        raise PydpstatError(f"the data have no column {name!r}: they have {list(frame.columns)}")
    return whole(frame[name])


def whole(x: Value) -> Value:
    """Return a vector: a factor as a Categorical, anything else as an array.

    Examples
    --------
    >>> whole(pd.Series(["a"], dtype="category")).categories.tolist()
    ['a']
    """
    x = (
        x.array
        if isinstance(getattr(x, "dtype", None), pd.CategoricalDtype) and isinstance(x, pd.Series)
        else x
    )
    return x if isinstance(x, pd.Categorical) else vector(x)


def taken(x: Value, places: Value) -> Value:
    """Return the elements of a vector, or the rows of a frame, at places from 0; -1 is a missing one.

    Examples
    --------
    >>> taken(np.array([1.5, 2.5]), np.array([1, -1]))
    array([2.5, nan])
    """
    at = np.asarray(places, dtype=np.intp)
    if isinstance(x, pd.DataFrame):
        return frame_of({name: taken(column(x, name), at) for name in x.columns})
    if names_of(x) is not None:
        return x.iloc[at]
    values = whole(x)
    if isinstance(values, pd.Categorical):
        return pd.Categorical.from_codes(np.where(at < 0, -1, values.codes[at]), dtype=values.dtype)
    if (at >= 0).all():
        return values[at]
    if values.dtype.kind == "b":
        raise PydpstatError("a column of truth values would have missing ones in rows without a match")
    kind, gap = (object, None) if values.dtype.kind == "O" else (np.float64, math.nan)
    return np.array([values[i] if i >= 0 else gap for i in at], dtype=kind)


def frame_of(columns: dict[str, Value], index: Value = None) -> pd.DataFrame:
    """Return a frame of equally long vectors.

    Examples
    --------
    >>> frame_of({"a": [1, 2]})["a"].tolist()
    [1, 2]
    """
    return pd.DataFrame(
        {k: v if isinstance(v, pd.Categorical) else np.asarray(v) for k, v in columns.items()}, index
    )


def is_table(x: object) -> bool:
    """Tell whether a Series is a table of one factor, whose index has a name, and no vector with names.

    Examples
    --------
    >>> is_table(pd.Series([1], index=pd.Index(["a"], name="")))
    True
    """
    return isinstance(x, pd.Series) and x.index.name is not None


def is_counts(x: object) -> bool:
    """Tell whether a matrix is a table of several factors.

    Examples
    --------
    >>> is_counts(np.ones((1, 1))), is_counts(named(np.ones((1, 1)), (["a"], ["b"]), ("", "")))
    (False, True)
    """
    return bool(getattr(x, "axes", ())) and not isinstance(getattr(x, "axes"), Words)


def sides_of(x: Any) -> int:
    """Return how many dimensions a value has.

    Examples
    --------
    >>> sides_of([1, 2]), sides_of(np.ones((2, 2)))
    (1, 2)
    """
    return len(np.shape(getattr(x, "counts", x)))


def items(x: Value) -> tuple[Names, list[Value]]:
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
    if isinstance(x, pd.Categorical):
        raise PydpstatError("X must be no factor: write as_character(X) or as_integer(X)")
    return names_of(x), list(x) if isinstance(x, (list, tuple)) else [
        math.nan if each is None else each for each in ([] if x is None else _elements(vector(x)))
    ]


def _elements(x: Array) -> list[Value]:
    return [*map(of_r, x)] if x.dtype.kind == "i" else x.tolist()


def listed(values: list[Value], names: Names) -> Value:
    """Return a list, or a dict of the names.

    Examples
    --------
    >>> listed([1, 2], ["a", "b"])
    {'a': 1, 'b': 2}
    """
    if names is not None and len(set(names)) < len(names):
        raise PydpstatError(f"a list needs different names; got {names}")
    return values if names is None else dict(zip(names, values))


def simplified(answers: list[Value], names: Names) -> Value:
    """Return results as one vector, as a matrix with a column for each, or as a list, as R's sapply does.

    Examples
    --------
    >>> simplified([1, 2.5], None), simplified([np.array([1, 2]), np.array([3, 4])], None).tolist()
    (array([1. , 2.5]), [[1, 3], [2, 4]])
    """
    if len({np.size(each) for each in answers}) != 1 or np.size(answers[0]) == 0 or answers[0] is None:
        return listed(answers, names)
    if all(isinstance(each, (list, dict)) and len(each) == 1 for each in answers):
        inner = [items(each)[0] for each in answers]
        labels = names or ([label for each in inner if each for label in each] or None)
        return listed([items(each)[1][0] for each in answers], labels)
    for each in answers:
        if isinstance(each, (list, dict, pd.DataFrame, pd.Categorical)):
            kind = type(each).__name__
            raise PydpstatError(
                f"FUN must return numbers or strings to be simplified; got {kind}: write lapply"
            )
    parts = [vector(each, "what FUN returns").tolist() for each in answers]
    inner = [names_of(each) for each in answers]
    values = plain([each for part in parts for each in part])
    if len(parts[0]) > 1:
        return named(values.reshape((-1, len(parts)), order="F"), (inner[0], names))
    labels = [".".join(w for w in (a, *(b or [])) if w) for a, b in zip(names or [""] * len(inner), inner)]
    return with_names(values, labels if any(labels) else None)


def refuse_unknown(name: str, given: object, allowed: Sequence[object]) -> None:
    """Raise an error unless an option has one of its values.

    Examples
    --------
    >>> refuse_unknown("type", "link", ("link", "response"))
    """
    if given not in allowed:
        raise PydpstatError(f"{name} must be one of {list(allowed)}; got {given!r}")


def one_way(counts: Value, levels: Value, name: Value) -> pd.Series:
    """Return a table of one factor.

    Examples
    --------
    >>> one_way([2], ["a"], "").to_dict()
    {'a': 2}
    """
    return Named(counts, index=pd.Index(list(levels), dtype=object, name=name))


def released(x: DPResults) -> Value:
    """Return what R has for a mirror's release: a number, a vector with names, or a table.

    Examples
    --------
    >>> from pydpstat import RRandom, dppack
    >>> x = pd.Categorical(["a", "b", "a"], ["a", "b"])
    >>> released(dppack.tableDP(x, eps=1, rng=RRandom(1))).to_dict()
    {'a': 1.0, 'b': 0.0}
    >>> round(released(dppack.meanDP([1, 2, 3], 1, 0, 5, rng=RRandom(1))), 7)
    0.9450656
    """
    levels, axes = x.labels.dimnames or (), x.labels.dimension_names
    cells = np.asarray(x)
    if len(levels) == 1:
        return one_way(cells, levels[0], axes[0] if axes else "")
    if levels:
        return named(cells, list(map(list, levels)), axes or ("",) * len(levels))
    if cells.size == 1 and x.labels.names is None:
        return cells.ravel().tolist()[0]
    names = x.labels.names
    return cells if cells.ndim > 1 or names is None else with_names(cells, list(names))
