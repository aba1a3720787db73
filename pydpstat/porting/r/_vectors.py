"""Vectors made, joined, repeated and ordered."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pydpstat._data.values import objects
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._positions import taken
from pydpstat.porting.r._values import (
    Names,
    Value,
    Vector,
    factor_of,
    joined,
    missing,
    names_of,
    numbers,
    plain,
    shaped,
    single,
    size,
    texts,
    truths,
    with_names,
)  # fmt: skip
from pydpstat.r_arithmetic._arrays import has_length
from pydpstat.r_arithmetic.factor import collation_key
from pydpstat.r_arithmetic.factor import factor as _factor

_SLACK = 1e-10
_SAME = 100 * float(np.finfo(np.float64).eps)


def c(*values: Value, **named: Value) -> Value:
    """Join values into a vector, as R's ``c``; with a list among them it is a list.

    Parameters
    ----------
    *values : vectors, lists, factors or None
        NULL adds nothing.
    **named : vectors or lists
        The names of their elements.

    Returns
    -------
    ndarray, Series, Categorical, list or dict

    Examples
    --------
    >>> c(1, [2, 3]), c("a", 1.5), c(a=1, b=2).to_dict()
    (array([1, 2, 3]), array(['a', '1.5'], dtype=object), {'a': 1, 'b': 2})
    """
    parts = [("", each) for each in values] + list(named.items())
    given = [(name, each) for name, each in parts if each is not None]
    factors = [factor_of(each) for _, each in given]
    if given and all(each is not None for each in factors):
        levels = dict.fromkeys(level for each in factors for level in each.categories)  # type: ignore[union-attr]
        return pd.Categorical(np.concatenate([texts(each) for _, each in given]), categories=list(levels))
    as_list = any(isinstance(each, (list, Mapping)) for _, each in given)
    names = _joined_names([(name, names_of(each), size(each)) for name, each in given])
    if not as_list:
        return with_names(joined([plain(each) for _, each in given]), names) if given else None
    cells = [cell for _, each in given for cell in items(each)]
    return cells if names is None else _different(names, cells)


def _different(names: list[Any], cells: list[Any]) -> dict[Any, Any]:
    if len(set(names)) < len(names):
        raise PydpstatError(f"a list with names needs a different one for each element; got {names}")
    return dict(zip(names, cells))


def items(x: Value) -> list[Any]:
    """Return the elements of a list, dict, frame or vector.

    Examples
    --------
    >>> items({"a": 1, "b": "x"}), items([1, 2]), items(np.array([1.5]))
    ([1, 'x'], [1, 2], [1.5])
    """
    if isinstance(x, (Mapping, pd.DataFrame)):
        return [x[key] for key in x]
    return list(x) if isinstance(x, list) else plain(x).tolist()


def _joined_names(parts: list[tuple[str, Names, int]]) -> Names:
    names: list[Any] = []
    for outer, inner, n in parts:
        if inner is not None:
            names += [f"{outer}.{each}" if outer and each else outer or each for each in inner]
        else:
            names += [outer] if n == 1 else [f"{outer}{k + 1}" if outer else "" for k in range(n)]
    return names if any(names) else None


def unlist(x: Value, use_names: bool = True) -> Value:
    """Return a list's elements, those of lists in it as well, as one vector, as R's ``unlist``.

    Examples
    --------
    >>> unlist([1, [2, 3]]), unlist({"a": 1, "b": [2, 3]}).to_dict()
    (array([1, 2, 3]), {'a': 1, 'b1': 2, 'b2': 3})
    """
    if not isinstance(x, (list, Mapping, pd.DataFrame)):
        return x
    inner = [unlist(each) for each in items(x)]
    tagged = list(zip(names_of(x) or [""] * len(inner), inner))
    given = [(name, each) for name, each in tagged if each is not None]
    names = _joined_names([(name, names_of(each), size(each)) for name, each in given]) if use_names else None
    whole = c(*(each for _, each in given))
    return whole if factor_of(whole) is not None or not given else with_names(plain(whole), names)


def factor(
    x: Value = None, levels: Value = None, labels: Value = None, exclude: Value = None, ordered: bool = False
) -> pd.Categorical:
    """Return a vector as a factor, whose levels are its sorted values unless they are given.

    Examples
    --------
    >>> factor(["b", "a", "b"]).tolist(), list(factor([2, 1], labels=["one", "two"]))
    (['b', 'a', 'b'], ['two', 'one'])
    """
    own = factor_of(x)
    found = _factor(own if own is not None else plain(x), None if levels is None else texts(levels),
                    (None,) if exclude is None else (None, *texts(exclude)))  # fmt: skip
    given = list(found.levels) if labels is None else texts(labels).tolist()
    if len(given) == 1 and len(found.levels) > 1:
        given = [f"{given[0]}{k + 1}" for k in range(len(found.levels))]
    if len(given) != len(found.levels):
        raise PydpstatError(f"labels must be one for each of {len(found.levels)} levels; got {len(given)}")
    kept = list(dict.fromkeys(given))
    place = np.array([*(kept.index(each) for each in given), -1])
    ordered = ordered or (own is not None and own.ordered)
    return pd.Categorical.from_codes(place[found.codes], categories=kept, ordered=ordered)


def rep(x: Value, times: Value = 1, length_out: int | None = None, each: int = 1) -> Value:
    """Repeat a vector, list or factor, or each element, as R's ``rep``.

    Examples
    --------
    >>> rep([1, 2], 2), rep(np.array([1, 2]), each=2), rep(np.array([1, 2]), [1, 3]), rep("a", 2)
    ([1, 2, 1, 2], array([1, 1, 2, 2]), array([1, 2, 2, 2]), array(['a', 'a'], dtype=object))
    """
    places = np.repeat(np.arange(size(x)), int(single(each)))
    if length_out is not None:
        places = np.resize(places, int(single(length_out)))
    elif size(times) == 1:
        places = np.tile(places, int(single(times)))
    elif size(times) != places.size:
        raise PydpstatError(f"times must be one number or one for each of {places.size}; got {size(times)}")
    else:
        places = np.repeat(places, plain(times).astype(np.int64))
    return taken(x, places)


def rep_len(x: Value, length_out: int) -> Value:
    """Repeat a vector up to a length.

    Examples
    --------
    >>> rep_len(np.array([1, 2]), 3)
    array([1, 2, 1])
    """
    return rep(x, length_out=length_out)


def colon(a: Value, b: Value) -> Vector:
    """Return the numbers from `a` to `b` in steps of 1 or -1, as R's ``a:b``.

    Examples
    --------
    >>> colon(1, 3), colon(2, 0), colon(0.5, 2)
    (array([1, 2, 3]), array([2, 1, 0]), array([0.5, 1.5]))
    """
    first, last = (float(single(numbers(each, "an end of a:b"))) for each in (a, b))
    if not math.isfinite(first + last):
        raise PydpstatError(f"the ends of a:b must be finite; got {first} and {last}")
    steps = np.arange(math.floor(abs(last - first) + _SLACK) + 1)
    start = int(first) if first == int(first) else first
    return start + steps if first <= last else start - steps


def seq(
    from_: Value = None,
    to: Value = None,
    by: Value = None,
    length_out: Value = None,
    along_with: Value = None,
) -> Value:
    """Return equally spaced numbers, as R's ``seq``.

    Parameters
    ----------
    from_, to : float, optional
        The ends. `from_` alone gives 1 up to it, or up to its length.
    by : float, optional
        The step.
    length_out : int, optional
        How many.
    along_with : vector, optional
        As many as this has.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> seq(1, 10, 3), seq(0, 1, length_out=3), seq(5)
    (array([ 1,  4,  7, 10]), array([0. , 0.5, 1. ]), array([1, 2, 3, 4, 5]))
    """
    if along_with is not None:
        length_out = size(along_with)
    if to is None and by is None and length_out is None:
        return colon(1, from_) if size(from_) == 1 and plain(from_).dtype != object else seq_along(from_)
    a, b, step = (None if each is None else single(numbers(each)) for each in (from_, to, by))
    if length_out is None:
        if by is None:
            return colon(1 if a is None else a, 1 if b is None else b)
        return _by_step(1 if a is None else a, 1 if b is None else b, step)
    n = math.ceil(single(length_out))
    if n < 0 or None not in (a, b, step):
        raise PydpstatError("seq takes at most three of from, to, by and length.out, and no negative length")
    if step is not None:
        return (
            (1 if a is None else a) + np.arange(n) * step
            if b is None
            else b - np.arange(n - 1, -1, -1) * step
        )
    if a is None and b is None:
        return seq_len(n)
    b = a + (n - 1) if b is None else b
    a = b - (n - 1) if a is None else a
    if n <= 2 or a == b:
        return np.full(n, a) if a == b else np.array([a, b])[:n]
    with np.errstate(all="ignore"):
        values = np.concatenate([[a], a + np.arange(1, n - 1) * ((b - a) / (n - 1)), [b]])
    whole = all(isinstance(each, int) for each in (a, b)) and (b - a) % (n - 1) == 0
    return values.astype(np.int64) if whole else values


def _by_step(a: float, b: float, step: float) -> Value:
    if a == b:
        return np.array([a])
    if step == 0 or (b - a) / step < 0:
        raise PydpstatError(f"by must lead from {a} to {b}; got {step}: change its sign")
    if abs(b - a) / max(abs(a), abs(b)) < _SAME:
        return np.array([a])
    values = a + np.arange(int((b - a) / step + _SLACK) + 1) * step
    return np.minimum(values, b) if step > 0 else np.maximum(values, b)


def seq_len(length_out: Value) -> Vector:
    """Return 1, 2, ..., `length_out`; nothing if it is 0.

    Examples
    --------
    >>> seq_len(3), seq_len(0)
    (array([1, 2, 3]), array([], dtype=int64))
    """
    return np.arange(1, int(single(length_out)) + 1)


def seq_along(along_with: Value) -> Vector:
    """Return the places of a vector's elements, from 1.

    Examples
    --------
    >>> seq_along(["a", "b"])
    array([1, 2])
    """
    return seq_len(size(along_with))


def _filled_with(value: object, name: str) -> Callable[[int], Vector]:
    def make(length: int = 0) -> Vector:
        return np.full(int(single(length)), value, object if isinstance(value, str) else None)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = f"Return a vector of {value!r}, as R's ``{name}``."
    return make


numeric, integer = _filled_with(0.0, "numeric"), _filled_with(0, "integer")
logical, character = _filled_with(False, "logical"), _filled_with("", "character")


def rev(x: Value) -> Value:
    """Return a vector or list from its end to its beginning.

    Examples
    --------
    >>> rev(np.array([1, 2, 3])), rev({"a": 1, "b": 2})
    (array([3, 2, 1]), {'b': 2, 'a': 1})
    """
    return taken(x, np.arange(size(x) - 1, -1, -1))


def ranks(key: Value) -> tuple[Vector, Vector]:
    """Return for each element the place of its value among the sorted ones, and which are missing.

    Examples
    --------
    >>> ranks([3.5, 1, 3.5])[0]
    array([1, 0, 1])
    """
    values, gone = plain(key), missing(plain(key))
    if values.dtype == object:
        found = sorted({each for each in values if each is not None}, key=collation_key)
        position = {each: k for k, each in enumerate(found)}
        return np.array([position.get(each, -1) for each in values], np.int64), gone
    return np.unique(values, return_inverse=True)[1].reshape(values.size), gone


def order(*keys: Value, decreasing: Value = False, na_last: bool | None = True) -> Vector:
    """Return the places, from 1, that sort by one or several keys; ties keep their order.

    Parameters
    ----------
    *keys : vectors or factors
        Strings sort as in `sort`.
    decreasing : bool or one for each key, optional
    na_last : bool or None, optional
        Whether missing values are last or first; None leaves them out, R's NA.

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> order([3, 1, 2]), order(["b", "a", "b"], [1, 2, 0], decreasing=True)
    (array([2, 3, 1]), array([1, 3, 2]))
    """
    if len({size(key) for key in keys}) > 1:
        raise PydpstatError(f"the keys must have the same length; got {[size(key) for key in keys]}")
    down = np.resize(truths(decreasing), len(keys))
    columns, drop = [], np.zeros(size(keys[0]) if keys else 0, bool)
    # lexsort has the first key last
    for key, reverse in reversed(list(zip(keys, down))):
        codes, gone = ranks(key)
        columns += [np.where(gone, 0, -codes if reverse else codes), ~gone if na_last is False else gone]
        drop |= gone
    found = np.lexsort(columns) if keys else np.empty(0, np.int64)
    return (found if na_last is not None else found[~drop[found]]) + 1


def sort(x: Value, decreasing: bool = False, na_last: bool | None = None) -> Value:
    """Return a vector or factor in order, without the missing values; names go with their values.

    Strings sort as in R in the environment's locale.

    Examples
    --------
    >>> sort([3, 1, 2]), sort(["b", "a"])
    (array([1, 2, 3]), array(['a', 'b'], dtype=object))
    """
    values = plain(x) if isinstance(x, list) else x
    return taken(values, order(values, decreasing=decreasing, na_last=na_last) - 1)


def rank(x: Value, ties_method: str = "average") -> Value:
    """Return the ranks of values, of ties as `ties_method` says: average, min, max or first.

    Examples
    --------
    >>> rank([5, 3, 5]), rank([5, 3, 5], "min")
    (array([2.5, 1. , 2.5]), array([2, 1, 2]))
    """
    codes, gone = ranks(x)
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
    return shaped(result, x)


def unique(x: Value) -> Value:
    """Return the different values in the order in which they first occur, without names.

    Examples
    --------
    >>> unique([2, 1, 2])
    array([2, 1])
    """
    if isinstance(x, pd.DataFrame):
        return x.drop_duplicates()
    if isinstance(x, Mapping) or (isinstance(x, list) and any(has_length(each) for each in x)):
        raise PydpstatError("x must be a vector; got a list. Write unlist(x) for its elements.")
    kept = taken(factor_of(x) if factor_of(x) is not None else plain(x), np.flatnonzero(~duplicated(x)))
    return kept


def duplicated(x: Value) -> Vector:
    """Return which values, or rows of a frame, have occurred before.

    Examples
    --------
    >>> duplicated([2, 1, 2])
    array([False, False,  True])
    """
    values = x if isinstance(x, pd.DataFrame) else pd.Series(plain(x))
    return np.asarray(values.duplicated())


def setNames(object: Value, nm: Value) -> Value:
    """Return a vector or list with other names; with NULL, without.

    Examples
    --------
    >>> setNames([1, 2], ["a", "b"]), setNames(np.array([1, 2]), ["a", "b"]).to_dict()
    ({'a': 1, 'b': 2}, {'a': 1, 'b': 2})
    """
    if isinstance(object, pd.DataFrame):
        return object.set_axis(list(texts(nm)), axis=1)
    as_list = isinstance(object, (list, Mapping))
    cells = items(object) if as_list else plain(object)
    if nm is None:
        return cells
    labels = [*texts(nm), *[None] * (len(cells) - size(nm))]
    return _different(labels, cells) if as_list else with_names(cells, labels)


def names(x: Value) -> Value:
    """Return the names of a vector's, list's or frame's elements; NULL without.

    Examples
    --------
    >>> names({"a": 1}), names([1])
    (array(['a'], dtype=object), None)
    """
    found = names_of(x)
    return None if found is None else objects(found)


length = size


def append(x: Value, values: Value, after: int | None = None) -> Value:
    """Return a vector or list with further values, behind its end or an element.

    Examples
    --------
    >>> append(np.array([1, 2]), 3), append(np.array([1, 2]), 3, after=1)
    (array([1, 2, 3]), array([1, 3, 2]))
    """
    n = size(x)
    cut = n if after is None else int(single(after))
    return (
        c(taken(x, np.arange(cut)), values, taken(x, np.arange(cut, n)))
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
    count, n = len(x) if _has_rows(x) else size(x), int(single(n))
    return _rows(x, np.arange(max(0, count + n) if n < 0 else min(n, count)))


def tail(x: Value, n: int = 6) -> Value:
    """Return the last `n` elements or rows; with a negative `n`, all but the first ones.

    Examples
    --------
    >>> tail(np.arange(9), 2), tail(np.arange(9), -7)
    (array([7, 8]), array([7, 8]))
    """
    count, n = len(x) if _has_rows(x) else size(x), int(single(n))
    return _rows(x, np.arange(min(-n, count) if n < 0 else max(0, count - n), count))


def _has_rows(x: Value) -> bool:
    return isinstance(x, pd.DataFrame) or (isinstance(x, np.ndarray) and x.ndim > 1)


def _rows(x: Value, places: Vector) -> Value:
    return x[places] if isinstance(x, np.ndarray) and x.ndim > 1 else taken(x, places)


def rows_of(x: Value, y: Value) -> tuple[Vector, Vector]:
    """Return two vectors of one kind, so that they can be compared: a factor counts as its labels.

    Examples
    --------
    >>> rows_of([1, 2], ["1"])
    (array(['1', '2'], dtype=object), array(['1'], dtype=object))
    """
    pair = [texts(each) if factor_of(each) is not None else plain(each) for each in (x, y)]
    return tuple(map(texts, pair)) if any(e.dtype == object for e in pair) else tuple(pair)  # type: ignore[return-value]


def match(x: Value, table: Value, nomatch: float = math.nan) -> Value:
    """Return the places, from 1, of values in a table; NA if a value is not there.

    Examples
    --------
    >>> match(["b", "z"], ["a", "b"]), match(2, [1, 2])
    (array([ 2., nan]), 2)
    """
    values, known = rows_of(x, table)
    first = {None if each != each else each: k + 1 for k, each in reversed(list(enumerate(known.tolist())))}
    found = [first.get(None if each != each else each, nomatch) for each in values.tolist()]
    return shaped(np.array(found) if found else np.empty(0, np.int64), _bare(x))


def _bare(x: Value) -> Value:
    return plain(x) if has_length(x) else x


def is_in(x: Value, table: Value) -> Value:
    """Tell which values are in a table, as R's ``%in%``.

    Examples
    --------
    >>> is_in([1, 5], [1, 2]), is_in("a", ["a", "b"])
    (array([ True, False]), True)
    """
    return shaped(plain(match(x, table, 0)) > 0, _bare(x))


def union(x: Value, y: Value) -> Value:
    """Return the different values of both vectors.

    Examples
    --------
    >>> union([1, 2], [2, 3])
    array([1, 2, 3])
    """
    return unique(c(plain_label(x), plain_label(y)))


def intersect(x: Value, y: Value) -> Value:
    """Return the different values that both vectors have.

    Examples
    --------
    >>> intersect([1, 2], [2, 3])
    array([2])
    """
    values = plain_label(x)
    return unique(values[np.atleast_1d(is_in(values, y))])


def setdiff(x: Value, y: Value) -> Value:
    """Return the different values of `x` that `y` does not have.

    Examples
    --------
    >>> setdiff([1, 2], [2, 3])
    array([1])
    """
    values = plain_label(x)
    return unique(values[~np.atleast_1d(is_in(values, y))])


def plain_label(x: Value) -> Vector:
    """Return a vector without names, a factor as its labels.

    Examples
    --------
    >>> plain_label(pd.Categorical(["a"]))
    array(['a'], dtype=object)
    """
    return texts(x) if factor_of(x) is not None else plain(x)


def which(x: Value) -> Value:
    """Return the places, from 1, of what is true; NA is not.

    Examples
    --------
    >>> which(np.array([False, True, True]))
    array([2, 3])
    """
    found = np.flatnonzero(truths(x))
    names = names_of(x)
    return with_names(found + 1, None if names is None else [names[k] for k in found])


def _extreme(best: Callable[[Vector], Any], name: str) -> Callable[[Value], Value]:
    def find(x: Value) -> Value:
        values = numbers(x).astype(np.float64)
        if missing(values).all():
            return np.empty(0, np.int64)
        names, place = names_of(x), int(best(values))
        return single(with_names(np.array([place + 1]), None if names is None else [names[place]]))

    find.__name__ = find.__qualname__ = name
    find.__doc__ = f"Return the place, from 1, of the first {name[6:]}imum; it keeps its name for ``names``."
    return find


which_min, which_max = _extreme(np.nanargmin, "which_min"), _extreme(np.nanargmax, "which_max")


def outer(X: Value, Y: Value, FUN: Value = "*") -> Value:
    """Return a function or operator of all pairs, as a matrix with a row for each of `X`.

    Examples
    --------
    >>> outer([1, 2], [3, 4])
    array([[3, 4],
           [6, 8]])
    """
    operators: dict[str, Callable[[Any, Any], Any]] = {
        "*": np.multiply, "+": np.add, "-": np.subtract, "/": np.divide, "<": np.less, ">": np.greater,
        "<=": np.less_equal, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
    }  # fmt: skip
    function = operators.get(FUN) if isinstance(FUN, str) else FUN
    if function is None:
        raise PydpstatError(f"FUN must be a function or one of {list(operators)}; got {FUN!r}")
    x, y = plain_label(X), plain_label(Y)
    result = np.asarray(function(np.tile(x, y.size), np.repeat(y, x.size)))
    if result.size != x.size * y.size:
        raise PydpstatError(
            f"FUN must be vectorized: it gave {result.size} values for {x.size * y.size} pairs"
        )
    return result.reshape((x.size, y.size), order="F")


def ifelse(test: Value, yes: Value, no: Value) -> Value:
    """Return elements of `yes` where the test is true, else of `no`, as R's ``ifelse``.

    Examples
    --------
    >>> ifelse(np.array([True, False]), "a", "b"), ifelse(True, 1, 2)
    (array(['a', 'b'], dtype=object), 1)
    """
    chosen = truths(test, "test")
    sides = [(plain(yes, "yes"), chosen), (plain(no, "no"), ~chosen)]
    # a side that is never chosen does not make numbers of truth values, nor strings of numbers
    kind = joined([values[:0] for values, at in sides if at.any()]).dtype
    first, second = (
        np.resize(texts(values) if kind == object else values, at.size)
        if at.any()
        else np.empty(at.size, kind)
        for values, at in sides
    )
    return shaped(np.where(chosen, first, second).astype(kind if chosen.size else bool), test)
