"""R's functions that construct, combine and reorder vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from pydpstat._data.values import to_object_array
from pydpstat._frozen import freeze_array
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._integers import integers
from pydpstat.porting.r._positions import take_elements
from pydpstat.porting.r._shapes import count_dimensions, get_dimnames, make_list, with_dimnames
from pydpstat.porting.r._shapes import get_names_and_elements as elements_of
from pydpstat.porting.r._values import (
    Names,
    Value,
    Vector,
    concatenate_vectors,
    count_elements,
    drop_attributes,
    find_missing,
    get_element_names,
    get_factor,
    match_shape,
    to_logical_vector,
    to_plain_vector,
    to_scalar,
    to_strings,
    to_vector,
    with_names,
)  # fmt: skip
from pydpstat.r_arithmetic.factor import factor as _factor
from pydpstat.r_arithmetic.factor import make_collation_key
from pydpstat.results import DPResults


def c(*values: Value, **named: Value) -> Value:
    """Combine values into a vector, as R's ``c``; with a list among them, into a list.

    Parameters
    ----------
    *values : vectors, lists, factors or None
        Values; NULL adds no element.
    **named : vectors or lists
        Values with names.

    Returns
    -------
    ndarray, Series, Categorical, list or dict

    Examples
    --------
    >>> c(1, np.array([2, 3])), c("a", 1.5), c(a=1, b=2).to_dict()
    (array([1, 2, 3]), array(['a', '1.5'], dtype=object), {'a': 1, 'b': 2})
    """
    parts = [("", each) for each in values] + list(named.items())
    given = [(name, each) for name, each in parts if each is not None]
    factors = [get_factor(each) for _, each in given]
    if given and all(each is not None for each in factors):
        if named:
            raise PydpstatError("factors that are joined have no names here: write c(as_character(x))")
        levels = dict.fromkeys(level for each in factors for level in each.categories)  # type: ignore[union-attr]
        return pd.Categorical(np.concatenate([to_strings(each) for _, each in given]), categories=list(levels))
    as_list = any(isinstance(each, (list, Mapping)) for _, each in given)
    names = _combine_element_names([(name, get_element_names(each), count_elements(each)) for name, each in given])
    if not as_list:
        return with_names(concatenate_vectors([to_plain_vector(each) for _, each in given]), names) if given else None
    cells = [cell for _, each in given for cell in to_element_list(each)]
    return make_list(cells, names)


def to_element_list(x: Value) -> list[Value]:
    """Return the elements of a list, dict, data frame or vector.

    Examples
    --------
    >>> to_element_list({"a": 1, "b": "x"}), to_element_list([1, 2]), to_element_list(np.array([1.5]))
    ([1, 'x'], [1, 2], [1.5])
    """
    if isinstance(x, (Mapping, pd.DataFrame)):
        return [x[key] for key in x]
    return list(x) if isinstance(x, list) else to_plain_vector(x).tolist()


def _combine_element_names(parts: list[tuple[str, Names, int]]) -> Names:
    names: list[Value] = []
    for outer, inner, n in parts:
        if inner is not None:
            names += [f"{outer}.{each}" if outer and each else outer or each for each in inner]
        else:
            names += [outer] if n == 1 else [f"{outer}{k + 1}" if outer else "" for k in range(n)]
    return names if any(names) else None


def unlist(x: Value, use_names: bool = True) -> Value:
    """Flatten a list, including nested lists, to one vector, as R's ``unlist``.

    Examples
    --------
    >>> unlist([1, [2, 3]]), unlist({"a": 1, "b": [2, 3]}).to_dict()
    (array([1, 2, 3]), {'a': 1, 'b1': 2, 'b2': 3})
    """
    if not isinstance(x, (list, Mapping, pd.DataFrame)):
        return x
    inner = [unlist(each) for each in to_element_list(x)]
    tagged = list(zip(get_element_names(x) or [""] * len(inner), inner))
    given = [(name, each) for name, each in tagged if each is not None]
    names = (
        _combine_element_names([(name, get_element_names(each), count_elements(each)) for name, each in given])
        if use_names
        else None
    )
    whole = c(*(each for _, each in given))
    return whole if get_factor(whole) is not None or not given else with_names(to_plain_vector(whole), names)


def factor(
    x: Value = None, levels: Value = None, labels: Value = None, exclude: Value = None, ordered: bool = False
) -> pd.Categorical:
    """Return a vector as a factor, whose levels are its sorted values by default.

    Examples
    --------
    >>> factor(["b", "a", "b"]).tolist(), list(factor([2, 1], labels=["one", "two"]))
    (['b', 'a', 'b'], ['two', 'one'])
    """
    own = get_factor(x)
    if exclude is not None and not find_missing(exclude).any() and find_missing(x).any():
        raise PydpstatError("exclude must have NA: a missing value is no level here")
    found = _factor(own if own is not None else to_plain_vector(x), None if levels is None else to_strings(levels),
                    (None,) if exclude is None else (None, *to_strings(exclude)))  # fmt: skip
    given = list(found.levels) if labels is None else to_strings(labels).tolist()
    if len(given) == 1 and len(found.levels) > 1:
        given = [f"{given[0]}{k + 1}" for k in range(len(found.levels))]
    if len(given) != len(found.levels):
        raise PydpstatError(f"labels must be one for each of {len(found.levels)} levels; got {len(given)}")
    kept = list(dict.fromkeys(given))
    place = np.array([*(kept.index(each) for each in given), -1])
    ordered = ordered or (own is not None and own.ordered)
    return pd.Categorical.from_codes(place[found.codes], categories=kept, ordered=ordered)


def rev(x: Value) -> Value:
    """Return a vector or list in reverse order.

    Examples
    --------
    >>> rev(np.array([1, 2, 3])), rev({"a": 1, "b": 2})
    (array([3, 2, 1]), {'b': 2, 'a': 1})
    """
    if isinstance(x, pd.DataFrame):
        return x.iloc[:, ::-1]
    return take_elements(x, np.arange(count_elements(x) - 1, -1, -1))


def compute_rank_codes(key: Value) -> tuple[Vector, Vector]:
    """Return the rank of each element's value among the sorted values, and whether it is missing.

    Examples
    --------
    >>> compute_rank_codes([3.5, 1, 3.5])[0]
    array([1, 0, 1])
    """
    values, gone = to_plain_vector(key), find_missing(to_plain_vector(key))
    if values.dtype == object:
        found = sorted({each for each in values if each is not None}, key=make_collation_key)
        position = {each: k for k, each in enumerate(found)}
        return np.array([position.get(each, -1) for each in values], np.int64), gone
    return np.unique(values, return_inverse=True)[1].reshape(values.size), gone


def setNames(object: Value, nm: Value) -> Value:
    """Return a vector or list with new names, or without names for NULL.

    Examples
    --------
    >>> setNames([1, 2], ["a", "b"]), setNames(np.array([1, 2]), ["a", "b"]).to_dict()
    ({'a': 1, 'b': 2}, {'a': 1, 'b': 2})
    """
    if isinstance(object, pd.DataFrame):
        return object.set_axis(list(to_strings(nm)), axis=1)
    if get_factor(object) is not None:
        raise PydpstatError("factors have no names here: write setNames(as_character(x), ...)")
    as_list = isinstance(object, (list, Mapping))
    cells = to_element_list(object) if as_list else to_plain_vector(object)
    if nm is None:
        return cells
    labels = [*to_strings(nm), *[None] * (len(cells) - count_elements(nm))]
    return make_list(cells, labels) if as_list else with_names(cells, labels)  # type: ignore[arg-type]


def names(x: Value) -> Value:
    """Return the names of the elements of a vector, list or data frame, or NULL.

    Examples
    --------
    >>> names({"a": 1}), names([1])
    (array(['a'], dtype=object), None)
    """
    labels = x.labels if isinstance(x, DPResults) else None
    found = get_element_names(x) if labels is None else labels.names or (labels.dimnames or [None])[0]
    return None if found is None else to_object_array(found)


length = count_elements


def append(x: Value, values: Value, after: int | None = None) -> Value:
    """Return a vector or list with further values at the end or after a position.

    Examples
    --------
    >>> append(np.array([1, 2]), 3), append(np.array([1, 2]), 3, after=1)
    (array([1, 2, 3]), array([1, 3, 2]))
    """
    n = count_elements(x)
    cut = n if after is None else int(to_scalar(after))
    return (
        c(take_elements(x, np.arange(cut)), values, take_elements(x, np.arange(cut, n)))
        if 0 < cut < n
        else (c(values, x) if cut <= 0 < n else c(x, values))
    )


def head(x: Value, n: int = 6) -> Value:
    """Return the first `n` elements or rows; with a negative `n`, all but the last ones.

    Examples
    --------
    >>> head(np.arange(9), 2), head(np.arange(9), -7)
    (array([0, 1]), array([0, 1]))
    """
    count, n = len(x) if _has_rows(x) else count_elements(x), int(to_scalar(n))
    return _take_array_rows(x, np.arange(max(0, count + n) if n < 0 else min(n, count)))


def tail(x: Value, n: int = 6) -> Value:
    """Return the last `n` elements or rows; with a negative `n`, all but the first ones.

    Examples
    --------
    >>> tail(np.arange(9), 2), tail(np.arange(9), -7)
    (array([7, 8]), array([7, 8]))
    """
    count, n = len(x) if _has_rows(x) else count_elements(x), int(to_scalar(n))
    return _take_array_rows(x, np.arange(min(-n, count) if n < 0 else max(0, count - n), count), True)


def _has_rows(x: Value) -> bool:
    return isinstance(x, pd.DataFrame) or (isinstance(x, np.ndarray) and x.ndim > 1)


def _take_array_rows(x: Value, places: Vector, tail: bool = False) -> Value:
    if not isinstance(x, np.ndarray) or x.ndim < 2:
        return take_elements(x, places)
    rows, columns = get_dimnames(x)
    # R names the last rows by their numbers
    numbers = [f"[{k + 1},]".rjust(len(str(len(x))) + 3) for k in places] if tail else None
    kept = [rows[k] for k in places] if rows else numbers
    return with_dimnames(np.asarray(x)[places], (kept, columns), getattr(x, "axes", ()))


def to_comparable_vectors(x: Value, y: Value) -> tuple[Vector, Vector]:
    """Return two vectors of a common type for a comparison, factors as their labels.

    Examples
    --------
    >>> to_comparable_vectors([1, 2], ["1"])
    (array(['1', '2'], dtype=object), array(['1'], dtype=object))
    """
    pair = [to_vector(each) for each in (x, y)]
    return tuple(map(to_strings, pair)) if any(e.dtype == object for e in pair) else tuple(pair)  # type: ignore[return-value]


def outer(X: Value, Y: Value, FUN: Value = "*") -> Value:
    """Apply a function or operator to all pairs, as a matrix with a row for each element of `X`.

    Examples
    --------
    >>> outer([1, 2], [3, 4])
    array([[3., 4.],
           [6., 8.]])
    """
    operators: dict[str, Callable[[Value, Value], Value]] = {
        "*": np.multiply, "+": np.add, "-": np.subtract, "/": np.divide, "<": np.less, ">": np.greater,
        "<=": np.less_equal, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
    }  # fmt: skip
    function = operators.get(FUN) if isinstance(FUN, str) else FUN
    if function is None:
        raise PydpstatError(f"FUN must be a function or one of {list(operators)}; got {FUN!r}")
    x, y = to_vector(X), to_vector(Y)
    # R's product of all pairs is computed in doubles
    x = x.astype(np.float64) if FUN == "*" else x
    with np.errstate(all="ignore"):
        result = integers(np.asarray(function(np.tile(x, y.size), np.repeat(y, x.size))))
    if result.size != x.size * y.size:
        raise PydpstatError(f"FUN must be vectorized: it gave {result.size} values for {x.size * y.size} pairs")
    if max(count_dimensions(X), count_dimensions(Y)) > 1:
        if any(each is not None for side in (X, Y) for each in (*get_dimnames(side), get_element_names(side))):
            raise PydpstatError("X and Y must have no names where one is a matrix: write unname(X)")
        return result.reshape((*_get_shape(X), *_get_shape(Y)), order="F")
    return with_dimnames(result.reshape((x.size, y.size), order="F"), (get_element_names(X), get_element_names(Y)))


def _get_shape(x: Value) -> tuple[int, ...]:
    return np.shape(x) if count_dimensions(x) > 1 else (count_elements(x),)


def ifelse(test: Value, yes: Value, no: Value) -> Value:
    """Return elements of `yes` where the test is true, and of `no` where it is false, as R's ``ifelse``.

    Examples
    --------
    >>> ifelse(np.array([True, False]), "a", "b"), ifelse(True, 1, 2)
    (array(['a', 'b'], dtype=object), 1)
    """
    chosen = to_logical_vector(test, "test")
    sides = [(to_plain_vector(yes, "yes"), chosen), (to_plain_vector(no, "no"), ~chosen)]
    # values that are never selected do not affect the type of the result
    kind = concatenate_vectors([values[:0] for values, at in sides if at.any()]).dtype
    first, second = (
        np.resize(to_strings(values) if kind == np.dtype(object) else values, at.size)
        if at.any()
        else np.empty(at.size, kind)
        for values, at in sides
    )
    return match_shape(np.where(chosen, first, second).astype(kind if chosen.size else bool), test)


letters = freeze_array(np.array(list("abcdefghijklmnopqrstuvwxyz"), dtype=object))
LETTERS = freeze_array(np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), dtype=object))


def as_list(x: Value) -> Value:
    """Return a list of the elements, with their names.

    Examples
    --------
    >>> as_list(np.array([1, 2]))
    [1, 2]
    """
    names, values = elements_of(x)
    return make_list(values, names)


def unname(obj: Value) -> Value:
    """Return the elements without their names.

    Examples
    --------
    >>> unname({"a": 1})
    [1]
    """
    if isinstance(obj, (list, dict)):
        return elements_of(obj)[1]
    if isinstance(obj, (str, int, float)):
        return drop_attributes(obj)
    return np.asarray(obj) if np.ndim(obj) > 1 else None if obj is None else drop_attributes(obj)


def set_names(object: Value, names: Value) -> Value:
    """Return a vector after R's ``names(x) <- names``."""
    return unname(object) if names is None else setNames(object, names)


def lengths(x: Value) -> Value:
    """Return the length of each element.

    Examples
    --------
    >>> lengths({"a": [1, 2], "b": 3}).to_dict()
    {'a': 2, 'b': 1}
    """
    return with_names(np.array([count_elements(each) for each in to_element_list(x)], np.int64), get_element_names(x))
