"""Representation of R's matrices, lists and data frames, and combination of results to one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._integers import make_r_integer
from pydpstat.porting.r._named import NamedVector
from pydpstat.porting.r._values import Names, Value, to_plain_vector
from pydpstat.porting.r._values import Vector as Array
from pydpstat.porting.r._values import find_missing as find_missing
from pydpstat.porting.r._values import get_element_names as get_element_names
from pydpstat.porting.r._values import to_vector as to_vector
from pydpstat.porting.r._values import with_names as with_names
from pydpstat.results.results import DPResults

combine_values = to_plain_vector
RESERVED_WORDS = set(
    "if else repeat while function for next break TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ "
    "NA_character_ in".split()
)


class Matrix(np.ndarray):
    """A matrix or table with `dimnames`, names of each axis or None, and `axes`, labels of a table's axes.

    Arithmetic preserves the names. ``m["a", "b"]`` is a cell by name; positions count from 0, as in NumPy.

    Examples
    --------
    >>> m = with_dimnames(np.array([[1, 2], [3, 4]]), (["a", "b"], ["x", "y"]))
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
            plain = [_expand_operand(each, self.shape) for each in plain]
        result = getattr(ufunc, method)(*plain, **options)
        if method == "__call__" and np.shape(result) == self.shape and ufunc.signature is None:
            return with_dimnames(result, self.dimnames, self.axes)
        return with_dimnames(result, (None, None)) if np.ndim(result) == 2 else result

    def __repr__(self) -> str:
        return repr(np.asarray(self))

    def __getitem__(self, key: Value) -> Value:
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(each, str) for each in keys):
            keys = tuple(
                _find_label_position(k, self.dimnames[a]) if isinstance(k, str) else k for a, k in enumerate(keys)
            )
        found = np.asarray(self)[keys]
        return with_dimnames(found, (None, None)) if found.ndim == 2 else found


class BlankNamedList(list[Any]):
    """A list whose parts have empty names, as the dimnames of a table of unnamed factors."""

    @property
    def blank_names(self) -> list[str]:
        """An empty name for each part."""
        return [""] * len(self)


class MatrixAxisNames(tuple[str, ...]):
    """Labels for the axes of a matrix that is not a table: its columns have their own decimals."""


def _expand_operand(value: Value, shape: tuple[int, ...]) -> Value:
    """Return an operand of a matrix; a vector is recycled down the columns, as in R."""
    size = np.size(value)
    if np.shape(value) == shape or size == 1:
        return value if np.ndim(value) == 0 or np.shape(value) == shape else np.ravel(value)[0]
    if np.ndim(value) != 1 or not size or math.prod(shape) % size:
        raise PydpstatError(f"a matrix of {shape[0]} by {shape[1]} meets an operand of shape {np.shape(value)}")
    return np.resize(value, math.prod(shape)).reshape(shape, order="F")


def _find_label_position(name: str, names: Names) -> int:
    if names is None or name not in names:
        raise PydpstatError(f"there is no row or column {name!r}: the names are {names}")
    return names.index(name)


def with_dimnames(cells: Value, dimnames: Sequence[Names], axes: Sequence[str] = ()) -> Array:
    """Return a matrix with row and column names, or an array with names of each axis.

    Examples
    --------
    >>> with_dimnames(np.ones((1, 1)), (["a"], None)).dimnames
    (['a'], None)
    """
    if all(each is None for each in dimnames) and np.ndim(cells) != 2:
        return np.asarray(cells)
    result = np.asarray(cells).view(Matrix)
    result.dimnames = tuple(None if each is None else list(each) for each in dimnames)
    result.axes = axes if isinstance(axes, tuple) else tuple(axes)
    return result


def parse_dimnames(dimnames: Value, n: int) -> tuple[list[Names], tuple[str, ...]]:
    """Return the names of `n` axes, and the labels of the axes, from R's argument `dimnames`.

    Examples
    --------
    >>> parse_dimnames({"row": ["a"], "column": None}, 2)
    ([['a'], None], ('row', 'column'))
    """
    axes = MatrixAxisNames(dimnames) if isinstance(dimnames, dict) else ()
    given = [dimnames[axis] for axis in axes] if axes else dimnames or [None] * n
    return [None if each is None else to_vector(each).tolist() for each in given], axes


def get_dimnames(x: Value) -> tuple[Names, ...]:
    """Return the names of an array's axes, with None for those without names.

    Examples
    --------
    >>> get_dimnames(np.ones((2, 2)))
    (None, None)
    """
    return x.dimnames if isinstance(x, Matrix) else (None,) * np.ndim(x)


def format_row_name(label: object) -> str:
    """Return the row name of a data frame: R numbers rows from 1, the index from 0.

    Examples
    --------
    >>> format_row_name(0), format_row_name("a")
    ('1', 'a')
    """
    return str(label + 1) if isinstance(label, (int, np.integer)) else str(label)


def get_row_names(x: Value) -> Names:
    """Return the row names of a data frame or matrix, or None for consecutive numbers.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [1.5, 2.5]})
    >>> get_row_names(frame), get_row_names(frame[1:])
    (None, ['2'])
    """
    if not isinstance(x, pd.DataFrame):
        return get_dimnames(x)[0] if np.ndim(x) > 1 else None
    counted = x.index.dtype.kind in "iu" and np.array_equal(x.index, np.arange(len(x)))
    return None if counted else [format_row_name(each) for each in x.index]


def get_column(frame: pd.DataFrame, name: object) -> Value:
    """Return a data frame's column as a vector: a Categorical for a factor, else an array.

    Examples
    --------
    >>> get_column(pd.DataFrame({"a": [1, 2]}), "a")
    array([1, 2])
    """
    if name not in frame:
        raise PydpstatError(f"the data have no column {name!r}: they have {list(frame.columns)}")
    return to_vector_or_factor(frame[name])


def to_vector_or_factor(x: Value) -> Value:
    """Return a factor as a Categorical, and any other vector as an array.

    Examples
    --------
    >>> to_vector_or_factor(pd.Series(["a"], dtype="category")).categories.tolist()
    ['a']
    """
    x = x.array if isinstance(getattr(x, "dtype", None), pd.CategoricalDtype) and isinstance(x, pd.Series) else x
    return x if isinstance(x, pd.Categorical) else to_vector(x)


def take_rows(x: Value, places: Value) -> Value:
    """Return the elements of a vector, or rows of a data frame, at zero-based positions; -1 is a missing one.

    Examples
    --------
    >>> take_rows(np.array([1.5, 2.5]), np.array([1, -1]))
    array([2.5, nan])
    """
    at = np.asarray(places, dtype=np.intp)
    if isinstance(x, pd.DataFrame):
        return make_data_frame({name: take_rows(get_column(x, name), at) for name in x.columns})
    if get_element_names(x) is not None:
        return x.iloc[at]
    values = to_vector_or_factor(x)
    if isinstance(values, pd.Categorical):
        return pd.Categorical.from_codes(np.where(at < 0, -1, values.codes[at]), dtype=values.dtype)
    if (at >= 0).all():
        return values[at]
    if values.dtype.kind == "b":
        raise PydpstatError("a column of truth values would have missing ones in rows without a match")
    kind, gap = (object, None) if values.dtype.kind == "O" else (np.float64, math.nan)
    return np.array([values[i] if i >= 0 else gap for i in at], dtype=kind)


def make_data_frame(columns: dict[str, Value], index: Value = None) -> pd.DataFrame:
    """Return a data frame of vectors of equal length.

    Examples
    --------
    >>> make_data_frame({"a": [1, 2]})["a"].tolist()
    [1, 2]
    """
    return pd.DataFrame({k: v if isinstance(v, pd.Categorical) else np.asarray(v) for k, v in columns.items()}, index)


def is_one_way_table(x: object) -> bool:
    """Return whether a Series is a one-way table, whose index has a name, rather than a named vector.

    Examples
    --------
    >>> is_one_way_table(pd.Series([1], index=pd.Index(["a"], name="")))
    True
    """
    return isinstance(x, pd.Series) and x.index.name is not None


def is_multiway_table(x: object) -> bool:
    """Return whether a matrix is a table of several factors.

    Examples
    --------
    >>> is_multiway_table(np.ones((1, 1))), is_multiway_table(with_dimnames(np.ones((1, 1)), (["a"], ["b"]), ("", "")))
    (False, True)
    """
    axes = getattr(x, "axes", ())
    return bool(axes) and not isinstance(axes, MatrixAxisNames)


def count_dimensions(x: Any) -> int:
    """Return the number of dimensions of a value.

    Examples
    --------
    >>> count_dimensions([1, 2]), count_dimensions(np.ones((2, 2)))
    (1, 2)
    """
    return len(np.shape(getattr(x, "counts", x)))


def get_names_and_elements(x: Value) -> tuple[Names, list[Value]]:
    """Return the names of the elements of a list, vector or data frame, or None, and the elements.

    Examples
    --------
    >>> get_names_and_elements({"a": 1, "b": 2}), get_names_and_elements(np.array([1, 2]))
    ((['a', 'b'], [1, 2]), (None, [1, 2]))
    """
    if isinstance(x, dict):
        return list(x), list(x.values())
    if isinstance(x, pd.DataFrame):
        return list(x.columns), [get_column(x, each) for each in x.columns]
    if isinstance(x, pd.Categorical):
        raise PydpstatError("X must be no factor: write as_character(X) or as_integer(X)")
    return get_element_names(x), list(x) if isinstance(x, (list, tuple)) else [
        math.nan if each is None else each for each in ([] if x is None else _to_python_values(to_vector(x)))
    ]


def _to_python_values(x: Array) -> list[Value]:
    return [*map(make_r_integer, x)] if x.dtype.kind == "i" else x.tolist()


def make_list(values: list[Value], names: Names) -> Value:
    """Return a list, or a dict for given names.

    Examples
    --------
    >>> make_list([1, 2], ["a", "b"])
    {'a': 1, 'b': 2}
    """
    if names is not None and len(set(names)) < len(names):
        raise PydpstatError(f"a list needs different names; got {names}")
    return values if names is None else dict(zip(names, values))


def combine_results(results: list[Value], names: Names) -> Value:
    """Combine results to a vector, a matrix with a column for each, or a list, as R's ``sapply``.

    Examples
    --------
    >>> combine_results([1, 2.5], None), combine_results([np.array([1, 2]), np.array([3, 4])], None).tolist()
    (array([1. , 2.5]), [[1, 3], [2, 4]])
    """
    if len({np.size(each) for each in results}) != 1 or np.size(results[0]) == 0 or results[0] is None:
        return make_list(results, names)
    if all(isinstance(each, (list, dict)) and len(each) == 1 for each in results):
        inner = [get_names_and_elements(each)[0] for each in results]
        labels = names or ([label for each in inner if each for label in each] or None)
        return make_list([get_names_and_elements(each)[1][0] for each in results], labels)
    for each in results:
        if isinstance(each, (list, dict, pd.DataFrame, pd.Categorical)):
            kind = type(each).__name__
            raise PydpstatError(f"FUN must return numbers or strings to be simplified; got {kind}: write lapply")
    parts = [to_vector(each, "what FUN returns").tolist() for each in results]
    inner = [get_element_names(each) for each in results]
    values = to_plain_vector([each for part in parts for each in part])
    if len(parts[0]) > 1:
        return with_dimnames(values.reshape((-1, len(parts)), order="F"), (inner[0], names))
    labels = [".".join(w for w in (a, *(b or [])) if w) for a, b in zip(names or [""] * len(inner), inner)]
    return with_names(values, labels if any(labels) else None)


def refuse_unknown(name: str, given: object, allowed: Sequence[object]) -> None:
    """Raise an error unless an option has one of the allowed values.

    Examples
    --------
    >>> refuse_unknown("type", "link", ("link", "response"))
    """
    if given not in allowed:
        raise PydpstatError(f"{name} must be one of {list(allowed)}; got {given!r}")


def make_one_way_table(counts: Value, levels: Value, name: Value) -> pd.Series:
    """Return a table of one factor.

    Examples
    --------
    >>> make_one_way_table([2], ["a"], "").to_dict()
    {'a': 2}
    """
    return NamedVector(counts, index=pd.Index(list(levels), dtype=object, name=name))


def released(x: DPResults) -> Value:
    """Return a mirror's release in R's form: a number, a named vector, or a table.

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
        return make_one_way_table(cells, levels[0], axes[0] if axes else "")
    if levels:
        return with_dimnames(cells, list(map(list, levels)), axes or ("",) * len(levels))
    if cells.size == 1 and x.labels.names is None:
        return cells.ravel().tolist()[0]
    names = x.labels.names
    return cells if cells.ndim > 1 or names is None else with_names(cells, list(names))
