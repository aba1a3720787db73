"""R's sorting, ranking, matching and set functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._positions import take_elements
from pydpstat.porting.r._values import (
    Value,
    Vector,
    count_elements,
    drop_attributes,
    find_missing,
    get_element_names,
    get_factor,
    match_shape,
    to_logical_vector,
    to_numeric_vector,
    to_plain_vector,
    to_scalar,
    to_vector,
    with_names,
)  # fmt: skip
from pydpstat.porting.r._vectors import c, compute_rank_codes, to_comparable_vectors, to_element_list
from pydpstat.r_arithmetic._arrays import has_length


def order(*keys: Value, decreasing: Value = False, na_last: bool | None = True) -> Vector:
    """Return the positions, from 1, that sort by one or several keys; ties retain their order.

    Parameters
    ----------
    *keys : vectors or factors
        Strings sort as in `sort`.
    decreasing : bool or one for each key, optional
    na_last : bool or None, optional
        Whether missing values are last or first; None, R's NA, drops them.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> order([3, 1, 2]), order(["b", "a", "b"], [1, 2, 0], decreasing=True)
    (array([2, 3, 1]), array([1, 3, 2]))
    """
    if len({count_elements(key) for key in keys}) > 1:
        raise PydpstatError(f"the keys must have the same length; got {[count_elements(key) for key in keys]}")
    down = np.resize(to_logical_vector(decreasing), len(keys))
    columns, drop = [], np.zeros(count_elements(keys[0]) if keys else 0, bool)
    # lexsort takes the first key last
    for key, reverse in reversed(list(zip(keys, down))):
        codes, gone = compute_rank_codes(key)
        columns += [np.where(gone, 0, -codes if reverse else codes), ~gone if na_last is False else gone]
        drop |= gone
    found = np.lexsort(columns) if keys else np.empty(0, np.int64)
    return (found if na_last is not None else found[~drop[found]]) + 1


def sort(x: Value, decreasing: bool = False, na_last: bool | None = None) -> Value:
    """Sort a vector or factor, with its names, without missing values.

    Strings sort as in R, in the collation order of the locale.

    Examples
    --------
    >>> sort([3, 1, 2]), sort(["b", "a"])
    (array([1, 2, 3]), array(['a', 'b'], dtype=object))
    """
    if not isinstance(decreasing, (bool, np.bool_)):
        raise PydpstatError(f"decreasing must be True or False; got {decreasing!r}")
    values = to_plain_vector(x) if isinstance(x, list) else x
    return take_elements(values, order(values, decreasing=decreasing, na_last=na_last) - 1)


def rank(x: Value, ties_method: str = "average") -> Value:
    """Return the ranks of values, with ties by `ties_method`: average, min, max or first.

    Examples
    --------
    >>> rank([5, 3, 5]), rank([5, 3, 5], "min")
    (array([2.5, 1. , 2.5]), array([2, 1, 2]))
    """
    codes, gone = compute_rank_codes(x)
    if ties_method not in ("average", "min", "max", "first"):
        raise PydpstatError(f"ties.method must be 'average', 'min', 'max' or 'first'; got {ties_method!r}")
    codes = np.where(gone, codes.size + np.cumsum(gone), codes)
    if ties_method == "first":
        result: Vector = np.argsort(np.argsort(codes, kind="stable"), kind="stable") + 1
    else:
        _, inverse, counts = np.unique(codes, return_inverse=True, return_counts=True)
        last = np.cumsum(counts)[inverse.reshape(codes.size)]
        first = last - counts[inverse.reshape(codes.size)] + 1
        result = {"min": first, "max": last}.get(ties_method, (first + last) / 2)
    return match_shape(result, x)


def unique(x: Value) -> Value:
    """Return the distinct values in order of first occurrence, without names.

    Examples
    --------
    >>> unique([2, 1, 2])
    array([2, 1])
    """
    if isinstance(x, pd.DataFrame):
        return x.drop_duplicates()
    if isinstance(x, Mapping) or (isinstance(x, list) and any(has_length(each) for each in x)):
        raise PydpstatError("x must be a vector; got a list. Write unlist(x) for its elements.")
    return take_elements(
        get_factor(x) if get_factor(x) is not None else to_plain_vector(x), np.flatnonzero(~duplicated(x))
    )


def duplicated(x: Value) -> Vector:
    """Return whether each value, or row of a data frame, has occurred before.

    Examples
    --------
    >>> duplicated([2, 1, 2])
    array([False, False,  True])
    """
    values = x if isinstance(x, pd.DataFrame) else pd.Series(to_plain_vector(x))
    return np.asarray(values.duplicated())


def match(x: Value, table: Value, nomatch: float = math.nan) -> Value:
    """Return the positions, from 1, of values in a table; NA if a value is absent.

    Examples
    --------
    >>> match(["b", "z"], ["a", "b"]), match(2, [1, 2])
    (array([ 2., nan]), 2)
    """
    values, known = to_comparable_vectors(x, table)
    first = {None if each != each else each: k + 1 for k, each in reversed(list(enumerate(known.tolist())))}
    found = [first.get(None if each != each else each, nomatch) for each in values.tolist()]
    return match_shape(np.array(found) if found else np.empty(0, np.int64), drop_attributes(x))


def is_in(x: Value, table: Value) -> Value:
    """Return whether each value is in a table, as R's ``%in%``.

    Examples
    --------
    >>> is_in([1, 5], [1, 2]), is_in("a", ["a", "b"])
    (array([ True, False]), True)
    """
    return match_shape(to_plain_vector(match(x, table, 0)) > 0, drop_attributes(x))


def _refuse_frames(*sets: Value) -> None:
    if any(isinstance(each, pd.DataFrame) for each in sets):
        raise PydpstatError("sets of rows are not supported: give vectors, or use merge and distinct")


def union(x: Value, y: Value) -> Value:
    """Return the distinct values of both vectors.

    Examples
    --------
    >>> union([1, 2], [2, 3])
    array([1, 2, 3])
    """
    _refuse_frames(x, y)
    return unique(c(to_vector(x), to_vector(y)))


def intersect(x: Value, y: Value) -> Value:
    """Return the distinct values that are in both vectors.

    Examples
    --------
    >>> intersect([1, 2], [2, 3])
    array([2])
    """
    _refuse_frames(x, y)
    values, others = to_vector(x), to_vector(y)
    return unique(c(values[np.atleast_1d(is_in(values, others))], others[:0]))


def setdiff(x: Value, y: Value) -> Value:
    """Return the distinct values of `x` that are not in `y`.

    Examples
    --------
    >>> setdiff([1, 2], [2, 3])
    array([1])
    """
    _refuse_frames(x, y)
    values = to_vector(x)
    return unique(values[~np.atleast_1d(is_in(values, y))])


def which(x: Value) -> Value:
    """Return the positions, from 1, of the true elements; NA is not true.

    Examples
    --------
    >>> which(np.array([False, True, True]))
    array([2, 3])
    """
    found = np.flatnonzero(to_logical_vector(x))
    names = get_element_names(x)
    return with_names(found + 1, None if names is None else [names[k] for k in found])


def _make_extreme_finder(find_position: Callable[[Vector], Value], name: str) -> Callable[[Value], Value]:
    def find_extreme(x: Value) -> Value:
        values = to_numeric_vector(x).astype(np.float64)
        if find_missing(values).all():
            return np.empty(0, np.int64)
        names, place = get_element_names(x), int(find_position(values))
        return to_scalar(with_names(np.array([place + 1]), None if names is None else [names[place]]))

    find_extreme.__name__ = find_extreme.__qualname__ = name
    find_extreme.__doc__ = f"Return the place, from 1, of the first {name[6:]}imum; it keeps its name for ``names``."
    return find_extreme


which_min, which_max = (
    _make_extreme_finder(np.nanargmin, "which_min"),
    _make_extreme_finder(np.nanargmax, "which_max"),
)


def Position(f: Callable[[Value], Value], x: Value, nomatch: Value = math.nan) -> Value:
    """Return the position, from 1, of the first element for which a function is true.

    Examples
    --------
    >>> Position(lambda v: v > 1, [1, 2, 3])
    2
    """
    return next((k for k, each in enumerate(to_element_list(x), 1) if f(each)), nomatch)


def Find(f: Callable[[Value], Value], x: Value) -> Value:
    """Return the first element for which a function is true, or NULL.

    Examples
    --------
    >>> Find(lambda v: v > 1, [1, 2, 3])
    2
    """
    return next((each for each in to_element_list(x) if f(each)), None)


def Negate(f: Callable[..., Value]) -> Callable[..., Value]:
    """Return the logical negation of a function.

    Examples
    --------
    >>> Negate(isinstance)(1, str)
    True
    """
    return lambda *values, **named: ~np.asarray(answer) if has_length(answer := f(*values, **named)) else not answer
