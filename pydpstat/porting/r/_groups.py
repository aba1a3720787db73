"""R's functions of groups and of functions: sapply, tapply, split, table and their relatives."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat._data.values import is_missing
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._shapes import (
    Array,
    Matrix,
    Names,
    column,
    combined,
    dimnames_of,
    items,
    listed,
    named,
    simplified,
    vector,
)  # fmt: skip
from pydpstat.r_arithmetic import Table
from pydpstat.r_arithmetic.factor import Factor, categories

Function = Callable[..., Any]


def lapply(X: object, FUN: Function, *args: Any, **named: Any) -> Any:
    """Return a list of the results of a function for each element, as R's ``lapply``.

    Examples
    --------
    >>> lapply({"a": [1, 2], "b": [3]}, len)
    {'a': 2, 'b': 1}
    """
    names, elements = items(X)
    return listed([FUN(each, *args, **named) for each in elements], names)


def sapply(
    X: object, FUN: Function, *args: Any, simplify: bool = True, USE_NAMES: bool = True, **named: Any
) -> Any:
    """Return the results of a function for each element as a vector or matrix, as R's ``sapply``.

    Names of elements, and strings that are elements, become names of the result. Results that are lists or
    frames are refused, where R makes a matrix of lists: write `lapply`.

    Examples
    --------
    >>> sapply([1, 2, 3], lambda i: i**2)
    array([1, 4, 9])
    >>> sapply({"a": [1, 2], "b": [3]}, len).to_dict()
    {'a': 2, 'b': 1}
    """
    names, elements = items(X)
    answers = [FUN(each, *args, **named) for each in elements]
    names = _names(names, elements) if USE_NAMES else None
    return simplified(answers, names) if simplify else listed(answers, names)


def _names(names: Names, elements: list[Any]) -> Names:
    strings = elements and all(isinstance(each, str) for each in elements)
    return elements if names is None and strings else names


def vapply(
    X: object, FUN: Function, FUN_VALUE: object, *args: Any, USE_NAMES: bool = True, **named: Any
) -> Any:
    """Return what `sapply` does, where each result is of the kind and length of `FUN_VALUE`.

    Examples
    --------
    >>> vapply([[1, 2], [3]], len, 0)
    array([2, 1])
    """
    like = vector(FUN_VALUE, "FUN_VALUE")
    if not items(X)[1]:
        return like[:0]

    def checked(each: object, *args: Any, **named: Any) -> Any:
        result = FUN(each, *args, **named)
        values = vector(result, "what FUN returns")
        if values.size != like.size or "biufO".find(values.dtype.kind) > "biufO".find(like.dtype.kind):
            raise PydpstatError(
                f"FUN must return {like.size} of {like.dtype}; got {values.size} of {values.dtype}"
            )
        return result

    return sapply(X, checked, *args, USE_NAMES=USE_NAMES, **named)


def mapply(
    FUN: Function, *vectors: object, MoreArgs: dict[str, Any] | None = None, SIMPLIFY: bool = True,
    USE_NAMES: bool = True, **named: object,
) -> Any:  # fmt: skip
    """Return the results of a function of the first elements, the second ones and so on, as R's ``mapply``.

    Examples
    --------
    >>> mapply(lambda a, b: a + b, [1, 2], [10, 20])
    array([11, 22])
    """
    parts = [items(each) for each in (*vectors, *named.values())]
    lengths = [len(elements) for _, elements in parts]
    n = max(lengths) if lengths and min(lengths) else 0
    if any(n % length for length in lengths if length):
        raise PydpstatError(f"the vectors must have lengths that divide the longest; got {lengths}")
    rows = [[elements[i % len(elements)] for _, elements in parts] for i in range(n)]
    plain = len(vectors)
    answers = [FUN(*row[:plain], **dict(zip(named, row[plain:])), **(MoreArgs or {})) for row in rows]
    names = _names(*parts[0]) if USE_NAMES and parts else None
    return simplified(answers, names) if SIMPLIFY else listed(answers, names)


def Map(f: Function, *vectors: object, **named: object) -> Any:
    """Return `mapply`'s results as a list.

    Examples
    --------
    >>> Map(lambda a, b: a + b, [1, 2], [10, 20])
    [11, 22]
    """
    return mapply(f, *vectors, SIMPLIFY=False, **named)


def Reduce(f: Function, x: object, init: Any = None, right: bool = False, accumulate: bool = False) -> Any:
    """Return a function of two values applied from the first element to the last, as R's ``Reduce``.

    Examples
    --------
    >>> Reduce(lambda a, b: a + b, [1, 2, 3], accumulate=True)
    array([1, 3, 6])
    """
    elements = ([] if init is None else [init]) + items(x)[1]
    if right:
        elements = [init, *items(x)[1][::-1]] if init is not None else elements[::-1]
    step = (lambda a, b: f(b, a)) if right else f
    if not accumulate:
        return functools.reduce(step, elements) if elements else None
    steps = [functools.reduce(step, elements[: i + 1]) for i in range(len(elements))][:: -1 if right else 1]
    single = all(np.ndim(each) == 0 and not isinstance(each, dict) for each in steps)
    return combined(steps) if single else steps


def Filter(f: Function, x: Any) -> Any:
    """Return the elements for which a function is true, as R's ``Filter``.

    Examples
    --------
    >>> Filter(lambda v: v > 1, np.array([1, 2, 3]))
    array([2, 3])
    """
    names, elements = items(x)
    keep = [i for i, each in enumerate(elements) if f(each)]
    if isinstance(x, (pd.DataFrame, pd.Series)):
        return x.iloc[:, keep] if isinstance(x, pd.DataFrame) else x.iloc[keep]
    if isinstance(x, (dict, list)):
        return listed([elements[i] for i in keep], names and [names[i] for i in keep])
    return vector(x)[keep]


def replicate(n: int, expr: Function, simplify: bool = True) -> Any:
    """Return the results of `n` calls of a function without arguments, as R's ``replicate``.

    Examples
    --------
    >>> replicate(3, lambda: 7)
    array([7, 7, 7])
    """
    answers = [expr() for _ in range(int(n))]
    return simplified(answers, None) if simplify else answers


def do_call(what: Function, args: Any) -> Any:
    """Return a call of a function with a list's elements, or with a dict's as named arguments.

    Examples
    --------
    >>> do_call(max, [1, 3, 2])
    3
    """
    return what(**args) if isinstance(args, dict) else what(*args)


def apply(X: Any, MARGIN: int, FUN: Function, *args: Any, **named: Any) -> Any:
    """Return the results of a function for each row (1) or column (2), as R's ``apply``.

    Examples
    --------
    >>> apply(np.array([[1, 2], [3, 4]]), 1, np.sum)
    array([3, 7])
    """
    cells = as_matrix(X)
    if MARGIN not in (1, 2):
        raise PydpstatError(f"MARGIN must be 1 (rows) or 2 (columns); got {MARGIN!r}")
    names, others = dimnames_of(cells)[:: 1 if MARGIN == 1 else -1]
    plain = np.asarray(cells)
    lines: list[Any] = list(plain if MARGIN == 1 else plain.T)
    if others is not None:
        lines = [pd.Series(line, index=pd.Index(others, dtype=object)) for line in lines]
    return simplified([FUN(line, *args, **named) for line in lines], names)


def as_matrix(x: Any) -> Array:
    """Return a frame, table or vector as a matrix; a vector is its only column.

    Examples
    --------
    >>> as_matrix(pd.DataFrame({"a": [1, 2], "b": [0.5, 1]})).dimnames
    (None, ['a', 'b'])
    """
    if isinstance(x, Table):
        return named(x.counts, x.dimnames, x.names)  # type: ignore[arg-type]
    if isinstance(x, pd.DataFrame):
        columns = [vector(x[each]) for each in x.columns]
        if len({each.dtype.kind == "O" for each in columns}) > 1:
            raise PydpstatError("a frame must have numbers or strings only to become a matrix; it has both")
        rows = (
            None
            if isinstance(x.index[:1].tolist()[:1], list) and x.index.dtype.kind in "iu"
            else list(x.index)
        )
        return named(np.column_stack(columns) if columns else np.empty((len(x), 0)), (rows, list(x.columns)))
    if np.ndim(x) < 2:
        names = list(x.index) if isinstance(x, pd.Series) else None
        return named(vector(x)[:, None], (names, None))
    return x if isinstance(x, Matrix) else np.asarray(x)


def _factors(index: Any) -> tuple[list[Factor], list[str]]:
    """The factors by which groups are made, and their names."""
    if isinstance(index, (dict, pd.DataFrame)):
        names = [str(each) for each in index]
        return [
            categories(column(index, n) if isinstance(index, pd.DataFrame) else index[n]) for n in names
        ], names
    several = (
        isinstance(index, (list, tuple)) and index and not isinstance(index[0], str) and np.ndim(index[0])
    )
    vectors = list(index) if several else [index]
    return [categories(each) for each in vectors], [""] * len(vectors)


def _positions(factors: list[Factor], n: int) -> list[Array]:
    """The places of each group's elements, the first factor's levels fastest."""
    if wrong := [len(each) for each in factors if len(each) != n]:
        raise PydpstatError(f"groups must have one value for each of {n} elements; got {wrong[0]}")
    code, stride, known = np.zeros(n, dtype=np.intp), 1, np.ones(n, dtype=bool)
    for each in factors:
        code += each.codes * stride
        known &= each.codes >= 0
        stride *= len(each.levels)
    code[~known] = stride
    ends = np.cumsum(np.bincount(code, minlength=stride + 1))
    return np.split(np.argsort(code, kind="stable"), ends[:-1])[:stride]


def taken(x: Any, places: Array) -> Any:
    """Return the elements of a vector, or the rows of a frame, at places from 0.

    Examples
    --------
    >>> taken(np.array([1.5, 2.5]), np.array([1]))
    array([2.5])
    """
    if isinstance(x, (pd.DataFrame, pd.Series)):
        return x.iloc[places]
    return x[places] if isinstance(x, pd.Categorical) else vector(x)[places]


def split(x: Any, f: Any, drop: bool = False) -> dict[str, Any]:
    """Return a vector's elements or a frame's rows by group, in the order of levels, as R's ``split``.

    Examples
    --------
    >>> split(np.array([1, 2, 3]), ["b", "a", "b"])
    {'a': array([2]), 'b': array([1, 3])}
    """
    factors, _ = _factors(f)
    names = [""]
    for each in reversed(factors):
        names = [f"{a}.{b}" if b else str(a) for b in names for a in each.levels]
    groups = zip(names, _positions(factors, len(x)))
    return {name: taken(x, places) for name, places in groups if places.size or not drop}


def tapply(X: Any, INDEX: Any, FUN: Function, *args: Any, default: Any = math.nan, **named_: Any) -> Any:
    """Return a function's results by one or more factors: a Series, or a matrix with names, as R's ``tapply``.

    Groups without elements have `default`. If results are longer than 1, groups of one factor are a dict.

    Examples
    --------
    >>> tapply([1.0, 2.0, 3.0], ["b", "a", "b"], np.mean).to_dict()
    {'a': 2.0, 'b': 2.0}
    """
    factors, names = _factors(INDEX)
    groups = _positions(factors, len(X))
    answers = [FUN(taken(X, places), *args, **named_) if places.size else None for places in groups]
    given = [each for each, places in zip(answers, groups) if places.size]
    levels = [list(each.levels) for each in factors]
    if any(isinstance(each, (dict, list, pd.DataFrame)) or np.size(each) != 1 for each in given):
        if len(factors) > 1:
            raise PydpstatError("FUN must return a single value for groups of several factors")
        return dict(zip(levels[0], answers))
    flat = combined([vector(a).tolist()[0] if g.size else default for a, g in zip(answers, groups)])
    if len(factors) == 1:
        return pd.Series(flat, index=pd.Index(levels[0], dtype=object))
    return named(flat.reshape([len(each) for each in levels], order="F"), levels, names)


def table(*factors: Any, useNA: str | None = None, exclude: Any = "", dnn: Any = None, **named_: Any) -> Any:
    """Return counts of levels: a Series for one factor, otherwise a matrix with names, as R's ``table``.

    The index of the Series has a name, "" without `dnn`: by this a table is told from a named vector.

    Examples
    --------
    >>> table(["a", "b", "a"]).to_dict()
    {'a': 2, 'b': 1}
    >>> int(table(["a", "b", "a"], [1, 1, 2])["a", "2"])
    1
    """
    if named_:
        dnn, factors = [*([""] * len(factors)), *named_], (*factors, *named_.values())
    excluded = {} if isinstance(exclude, str) and not exclude else {"exclude": exclude}
    found = r_arithmetic.table(*factors, useNA=useNA, dnn=dnn, **excluded)
    if len(found.dimnames) > 1:
        return named(found.counts, found.dimnames, found.names)  # type: ignore[arg-type]
    return _one_way(found.counts, found.dimnames[0], found.names[0])


def _one_way(counts: Array, levels: Any, name: str) -> pd.Series:
    return pd.Series(counts, index=pd.Index(list(levels), dtype=object, name=name))


def is_table(x: object) -> bool:
    """Tell whether a Series is a table of one factor, and no vector with names.

    Examples
    --------
    >>> is_table(table(["a", "b"])), is_table(tapply([1], ["a"], sum))
    (True, False)
    """
    return isinstance(x, pd.Series) and x.index.name is not None


def margin_table(x: Any, margin: int | None = None) -> Any:
    """Return sums of a table's rows (1) or columns (2), or of all, as R's ``marginSums``.

    Examples
    --------
    >>> margin_table(table(["a", "b", "a"], [1, 1, 2]), 1).to_dict()
    {'a': 2, 'b': 1}
    """
    if margin is None or np.ndim(getattr(x, "counts", x)) == 1:
        return r_arithmetic.sum(vector(x)) if margin is None else x
    cells = as_matrix(x)
    sums = [r_arithmetic.sum(line) for line in (np.asarray(cells) if margin == 1 else np.asarray(cells).T)]
    levels = dimnames_of(cells)[margin - 1]
    axes = cells.axes if isinstance(cells, Matrix) else ("", "")
    return np.array(sums) if levels is None else _one_way(np.array(sums), levels, axes[margin - 1])


def prop_table(x: Any, margin: int | None = None) -> Any:
    """Return the shares of a table's cells in all of it, or in their rows (1) or columns (2).

    Examples
    --------
    >>> prop_table(table(["a", "b", "a", "a"])).to_dict()
    {'a': 0.75, 'b': 0.25}
    """
    cells = (
        x if isinstance(x, pd.Series) else vector(x) if np.ndim(getattr(x, "counts", x)) < 2 else as_matrix(x)
    )
    if margin is None or cells.ndim == 1:
        return cells / (margin_table(cells) if margin is None else cells)
    sums = vector(margin_table(cells, margin))
    with np.errstate(invalid="ignore"):
        return cells / (sums[:, None] if margin == 1 else sums)


def addmargins(A: Any) -> Any:
    """Return a table with its sums as a further row and column ``Sum``.

    Examples
    --------
    >>> int(addmargins(table(["a", "b", "a"], [1, 1, 2]))["Sum", "Sum"])
    3
    """
    if isinstance(A, pd.Series):
        return _one_way(np.append(vector(A), margin_table(A)), [*A.index, "Sum"], A.index.name)
    cells = as_matrix(A)
    rows = np.vstack([cells, vector(margin_table(cells, 2))])
    full = np.column_stack([rows, [r_arithmetic.sum(row) for row in rows]])
    names = [None if each is None else [*each, "Sum"] for each in dimnames_of(cells)]
    return named(full, names, getattr(cells, "axes", ()))


def has_missing(x: Any) -> Array:
    """Return which elements of a vector are missing.

    Examples
    --------
    >>> has_missing(["a", None])
    array([False,  True])
    """
    return np.array([is_missing(each) for each in vector(x).tolist()], dtype=bool)
