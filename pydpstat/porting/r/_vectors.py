"""R's vectors: made, repeated, ordered, compared, and their elements by place or name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat._data.values import is_missing
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._shapes import Array, column, combined, items, listed, vector
from pydpstat.r_arithmetic import as_character as _label
from pydpstat.r_arithmetic.factor import collation_key

letters = np.array(list("abcdefghijklmnopqrstuvwxyz"), dtype=object)
LETTERS = np.array(list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), dtype=object)
for _each in (letters, LETTERS):
    _each.flags.writeable = False


def _names_of(x: object) -> list[Any] | None:
    return list(x.index) if isinstance(x, pd.Series) else list(x) if isinstance(x, dict) else None


def _renamed(values: Array, x: object, places: Any = slice(None)) -> Any:
    """Return values with the names of a named vector."""
    if isinstance(x, pd.Series):
        return pd.Series(values, index=x.index[places], dtype=values.dtype)
    return values


def c(*parts: Any, **named: Any) -> Any:
    """Return one vector of all parts, numbers beside strings as strings; lists make a list.

    Examples
    --------
    >>> c(1, [2, 3.5], None), c(a=1, b=2).to_dict()
    (array([1. , 2. , 3.5]), {'a': 1, 'b': 2})
    """
    given = [("", each) for each in parts] + list(named.items())
    given = [(name, each) for name, each in given if each is not None]
    if not given:
        return None
    if any(isinstance(each, dict) or _is_list(each) for _, each in given):
        return _joined_lists(given)
    pieces = [(name, each, vector(each)) for name, each in given]
    if any(isinstance(each, pd.Categorical) for _, each, _ in pieces):
        raise PydpstatError("c of factors joins their levels in R: write as_character(x) first")
    labels: list[str] = []
    for name, each, values in pieces:
        inner = _names_of(each) or [""] * values.size
        several = values.size > 1
        labels += [
            f"{name}.{one}" if name and one else name + (str(k + 1) if several and name else "") or str(one)
            for k, one in enumerate(inner)
        ]
    values = _together([values for _, _, values in pieces])
    return pd.Series(values, index=pd.Index(labels, dtype=object)) if any(labels) else values


def _is_list(x: object) -> bool:
    return isinstance(x, list) and any(not _is_scalar(each) for each in x)


def _is_scalar(x: object) -> bool:
    return isinstance(x, (bool, int, float, str, complex, np.generic)) or is_missing(x)


def _joined_lists(given: Sequence[tuple[str, Any]]) -> Any:
    if any(name for name, _ in given):
        raise PydpstatError("c of lists by names is not made: write the list out")
    names: list[Any] = []
    values: list[Any] = []
    for _, each in given:
        inner, found = items(each)
        names += inner or [""] * len(found)
        values += found
    if any(names) and not all(names):
        raise PydpstatError("only some elements of the list would have names")
    return listed(values, names if any(names) else None)


def _together(pieces: Sequence[Array]) -> Array:
    """Return vectors one after the other, of the widest kind."""
    if any(each.dtype.kind == "O" for each in pieces):
        return combined([one for each in pieces for one in each.tolist()], "the parts")
    return np.concatenate(pieces)


def colon(a: float, b: float) -> Array:
    """Return ``a:b``, which goes down where b is smaller.

    Examples
    --------
    >>> colon(1, 3), colon(1, 0), colon(0.5, 2)
    (array([1, 2, 3]), array([1, 0]), array([0.5, 1.5]))
    """
    low, high = float(_one(a, "a")), float(_one(b, "b"))
    if math.isnan(low) or math.isnan(high):
        raise PydpstatError(f"a:b needs two numbers; got {a}:{b}")
    count = int(abs(high - low) + 1e-10) + 1
    step = 1 if low <= high else -1
    if low == int(low):
        return np.arange(int(low), int(low) + step * count, step)
    return low + step * np.arange(count, dtype=np.float64)


def _one(x: Any, name: str) -> Any:
    values = vector(x, name)
    if values.size != 1:
        raise PydpstatError(f"{name} must be one value; got {values.size}")
    return values[0]


def seq(
    from_: Any = 1, to: Any = None, by: Any = None, length_out: Any = None, along_with: Any = None
) -> Array:
    """Return R's ``seq``: from, to, and either the step or the number of values.

    Examples
    --------
    >>> seq(0, 1, by=0.25), seq(2, 8, length_out=3), seq(3)
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([2., 5., 8.]), array([1, 2, 3]))
    """
    if along_with is not None:
        length_out = vector(along_with).size
    if to is None and by is None and length_out is None:
        values = vector(from_)
        return colon(1, values[0]) if values.size == 1 and values[0] >= 1 else np.arange(1, values.size + 1)
    if length_out is not None:
        n = math.ceil(float(_one(length_out, "length_out")))
        if by is not None:
            start = float(_one(from_, "from")) if to is None else float(_one(to, "to")) - (n - 1) * float(by)
            return start + np.arange(n) * float(_one(by, "by"))
        if to is None:
            return float(_one(from_, "from")) + np.arange(n)
        low, high = float(_one(from_, "from")), float(_one(to, "to"))
        if n < 3:
            return np.array([low, high][:n])
        step = (high - low) / (n - 1)
        return np.array([low, *(low + np.arange(1, n - 1) * step), high])
    if by is None:
        return colon(from_, to)
    low, high, step = (float(_one(each, "seq")) for each in (from_, to, by))
    if step == 0 or (high - low) / step < 0:
        if low == high:
            return np.array([low])
        raise PydpstatError(f"by must go from {low:g} to {high:g}; got {step:g}")
    n = int((high - low) / step + 1e-10)
    found = low + np.arange(n + 1) * step
    if all(isinstance(_one(each, "seq"), (int, np.integer)) for each in (from_, by)):
        return found.astype(np.int64)
    return np.minimum(found, high) if step > 0 else np.maximum(found, high)


def rep(x: Any, times: Any = 1, length_out: Any = None, each: int = 1) -> Any:
    """Return a vector repeated, as a whole or each element.

    Examples
    --------
    >>> rep([1, 2], 2), rep(["a", "b"], [2, 1]), rep([1, 2], each=2, length_out=3)
    (array([1, 2, 1, 2]), array(['a', 'a', 'b'], dtype=object), array([1, 1, 2]))
    """
    values = x if isinstance(x, pd.Categorical) else vector(x)
    places = np.repeat(np.arange(len(values)), int(each))
    if length_out is not None:
        return values[np.resize(places, int(_one(length_out, "length_out")))]
    counts = vector(times).astype(np.int64)
    if counts.size == places.size and counts.size > 1:
        return values[np.repeat(places, counts)]
    return values[np.tile(places, int(_one(times, "times")))]


def rep_len(x: Any, length_out: int) -> Any:
    """Return a vector repeated up to a length."""
    return rep(x, length_out=length_out)


def character(length: int = 0) -> Array:
    """Return empty strings."""
    return np.full(int(length), "", dtype=object)


def length(x: Any) -> int:
    """Return how many elements x has; a data frame's are its columns.

    Examples
    --------
    >>> length(5), length([1, 2]), length(None), length(pd.DataFrame({"a": [1, 2]}))
    (1, 2, 0, 1)
    """
    if x is None:
        return 0
    if isinstance(x, pd.DataFrame):
        return len(x.columns)
    return (
        len(x)
        if isinstance(x, (list, dict, tuple, pd.Series, pd.Categorical))
        else int(np.size(np.asarray(x)))
    )


def names(x: Any) -> Array | None:
    """Return the names of a named vector, a list or a data frame; None where there are none."""
    if isinstance(x, pd.DataFrame):
        return np.array(list(x.columns), dtype=object)
    found = _names_of(x)
    return None if found is None else np.array([str(each) for each in found], dtype=object)


def set_names(object: Any, names: Any) -> Any:  # noqa: A002
    """Return a vector or a list with these names; None takes them away."""
    inner, values = items(object)
    if names is None:
        return vector(object) if not isinstance(object, dict) else values
    labels = [str(each) for each in vector(names)]
    if len(labels) != len(values):
        raise PydpstatError(f"names must have {len(values)} elements; got {len(labels)}")
    if isinstance(object, dict) or _is_list(object):
        return listed(values, labels)
    return pd.Series(vector(object), index=pd.Index(labels, dtype="object"))


setNames = set_names


def unlist(x: Any, recursive: bool = True, use_names: bool = True) -> Any:
    """Return all elements of a list as one vector, with the names that they have."""
    if not use_names:
        return as_vector(unlist(x))
    if isinstance(x, dict):
        return c(**{str(name): unlist(each) for name, each in x.items()}) if x else None
    if isinstance(x, (list, tuple)):
        return c(*(unlist(each) for each in x))
    return c(x)


def rev(x: Any) -> Any:
    """Return x from its end to its beginning."""
    return x[::-1] if isinstance(x, (list, pd.Series, pd.Categorical)) else vector(x)[::-1].copy()


# missing values


def is_na(x: Any) -> Any:
    """Return where x is missing.

    Examples
    --------
    >>> is_na([1.0, float("nan")]), is_na("a")
    (array([False,  True]), False)
    """
    if isinstance(x, pd.DataFrame):
        return x.isna().to_numpy()
    if _is_scalar(x):
        return is_missing(x)
    return np.array(
        [is_missing(each) for each in (x if isinstance(x, pd.Categorical) else vector(x))], dtype=bool
    )


def anyNA(x: Any) -> bool:
    """Return whether something in x is missing."""
    return bool(np.any(is_na(x)))


def known(x: Any) -> Any:
    """Return x, if nothing in it is missing; a comparison with what is missing is neither true nor false in R.

    Examples
    --------
    >>> known(3)
    3
    """
    if missing := int(np.sum(is_na(x))):
        raise PydpstatError(
            f"{missing} of the values are missing, so that R's comparison is NA there. "
            "Leave them out before, for example with x[!is.na(x)] in the script."
        )
    return vector(x) if isinstance(x, (list, tuple)) else x


def _compared(x: Any, y: Any) -> tuple[Array, Array]:
    a, b = vector(x), vector(y)
    if (a.dtype.kind == "O") != (b.dtype.kind == "O"):
        a, b = (np.array([_label(one) for one in each], dtype=object) for each in (a, b))
    return a, b


def equal(x: Any, y: Any) -> Any:
    """Return ``x == y``, where numbers become strings beside strings.

    Examples
    --------
    >>> equal([1, 2], "1"), equal("a", "b")
    (array([ True, False]), False)
    """
    a, b = _compared(x, y)
    found = np.asarray(a == b, dtype=bool)
    return bool(found[0]) if _is_scalar(x) and _is_scalar(y) else found


def unequal(x: Any, y: Any) -> Any:
    """Return ``x != y``, where numbers become strings beside strings."""
    return np.logical_not(equal(x, y))


def match(x: Any, table: Any) -> Array:
    """Return the first place, from 1, of each element of x in the table, nan where it has none."""
    a, b = _compared(x, table)
    places: dict[Any, int] = {}
    for k, each in enumerate(b.tolist()):
        places.setdefault("NA" if is_missing(each) else each, k + 1)
    found = [places.get("NA" if is_missing(each) else each, math.nan) for each in a.tolist()]
    return np.array(found) if all(map(np.isfinite, found)) else np.array(found, dtype=np.float64)


def is_in(x: Any, table: Any) -> Any:
    """Return ``x %in% table``.

    Examples
    --------
    >>> is_in(["a", "b"], ["b"]), is_in(2, [1, 2])
    (array([False,  True]), True)
    """
    found = np.isfinite(match(x, [] if table is None else table).astype(np.float64))
    return bool(found[0]) if _is_scalar(x) else found


def ifelse(test: Any, yes: Any, no: Any) -> Any:
    """Return elements of `yes` where `test` is true, and else of `no`, both repeated to its length.

    Examples
    --------
    >>> ifelse(np.array([True, False]), "a", "b"), ifelse(True, 1, 2)
    (array(['a', 'b'], dtype=object), 1)
    """
    if isinstance(yes, pd.Categorical) or isinstance(no, pd.Categorical):
        raise PydpstatError("ifelse of a factor gives its codes in R: write as_character(x)")
    if isinstance(test, (bool, np.bool_)):
        chosen = yes if test else no
        return chosen if _is_scalar(chosen) else vector(chosen)[0]
    where = vector(known(test)).astype(bool)
    picked = [vector(each) for each, wanted in ((yes, where.any()), (no, not where.all())) if wanted]
    if not picked:
        return where
    if len(picked) == 1:
        return _renamed(np.resize(picked[0], where.size), test)
    a, b = (np.resize(each, where.size) for each in picked)
    if "O" in (a.dtype.kind, b.dtype.kind):
        return _renamed(combined(np.where(where, a.astype(object), b.astype(object)).tolist()), test)
    return _renamed(np.where(where, a, b), test)


# order


def _key(values: Array) -> list[Any]:
    if values.dtype.kind == "O":
        return [collation_key(each) for each in values.tolist()]
    return values.tolist()


def order(*keys: Any, decreasing: bool = False, na_last: bool = True) -> npt.NDArray[np.int64]:
    """Return the places, from 1, of the elements in order; later keys decide among equal ones.

    Examples
    --------
    >>> order([3, 1, 2]), order(["b", "a"], decreasing=True)
    (array([2, 3, 1]), array([1, 2]))
    """
    places = list(range(vector(keys[0]).size))
    for each in reversed(keys):
        values = np.asarray(each.codes) if isinstance(each, pd.Categorical) else vector(each)
        missing = is_na(values)
        text = _key(values[~missing])
        ranked = dict(zip(np.flatnonzero(~missing).tolist(), text))
        there = [k for k in places if not missing[k]]
        there.sort(key=lambda k: ranked[k], reverse=decreasing)
        gone = [k for k in places if missing[k]]
        places = there + gone if na_last else gone + there
    return np.array(places, dtype=np.int64) + 1


def sort(x: Any, decreasing: bool = False) -> Any:
    """Return x in order, without what is missing."""
    kept = x[~is_na(x)] if isinstance(x, pd.Series) else vector(x)[~np.atleast_1d(is_na(x))]
    places = order(kept, decreasing=decreasing) - 1
    return kept.iloc[places] if isinstance(kept, pd.Series) else kept[places]


def unique(x: Any) -> Any:
    """Return each value once, in the order in which they come."""
    return vector(x)[~duplicated(x)]


def duplicated(x: Any) -> Array:
    """Return which elements were there before."""
    seen: set[Any] = set()
    found = []
    for each in vector(x).tolist():
        value = "NA" if is_missing(each) else (each,)
        found.append(value in seen)
        seen.add(value)
    return np.array(found, dtype=bool)


def which(x: Any) -> Any:
    """Return the places, from 1, where x is true.

    Examples
    --------
    >>> which(np.array([False, True, True]))
    array([2, 3])
    """
    found = np.flatnonzero(vector(x)) + 1
    return _renamed(found, x, found - 1) if isinstance(x, pd.Series) else found


def which_max(x: Any) -> Any:
    """Return the place, from 1, of the first largest element."""
    place = int(np.nanargmax(vector(x)))
    return _renamed(np.array([place + 1]), x, [place]) if isinstance(x, pd.Series) else place + 1


def which_min(x: Any) -> Any:
    """Return the place, from 1, of the first smallest element."""
    return which_max(-x if isinstance(x, pd.Series) else -vector(x))


def head(x: Any, n: int = 6) -> Any:
    """Return the first elements or rows; with a negative n all but the last."""
    return _end(x, slice(None, int(n)) if n else slice(0, 0))


def tail(x: Any, n: int = 6) -> Any:
    """Return the last elements or rows; with a negative n all but the first."""
    return _end(x, slice(-int(n), None) if n else slice(0, 0))


def _end(x: Any, part: slice) -> Any:
    if isinstance(x, (pd.DataFrame, pd.Series)):
        return x.iloc[part]
    if isinstance(x, dict):
        return dict(list(x.items())[part])
    return x[part] if isinstance(x, (list, pd.Categorical)) or np.ndim(x) == 2 else vector(x)[part]


# elements


def _places(x: Any, i: Any, size: int) -> list[int | None | str]:
    """Return places from 0, None where R gives NA, and new names."""
    if i is None:
        return []
    if isinstance(i, pd.Categorical):
        raise PydpstatError("a factor as an index chooses by its codes in R: write as_character(i)")
    index = vector(i, "the index")
    if index.dtype.kind == "b":
        full = np.resize(index, max(size, index.size)) if index.size else index
        return [int(k) if k < size else None for k in np.flatnonzero(full)]
    if index.dtype.kind == "O":
        known_names = [str(each) for each in _names_of(x) or []]
        return [known_names.index(each) if each in known_names else each for each in index.tolist()]
    if np.isnan(index).any() and (index[~np.isnan(index)] < 0).any():
        raise PydpstatError("a negative index beside a missing one")
    numbers = [None if math.isnan(each) else int(each) for each in index.tolist()]
    negative = [each for each in numbers if each is not None and each < 0]
    if negative:
        if len(negative) < sum(each != 0 for each in numbers):
            raise PydpstatError("an index cannot have positive and negative numbers")
        gone = {-each - 1 for each in negative}
        return [k for k in range(size) if k not in gone]
    return [each - 1 if each is not None and each <= size else None for each in numbers if each != 0]


def index(x: Any, i: Any) -> Any:
    """Return ``x[i]``: by places from 1, negative ones, truth values or names; NA where there is none.

    Examples
    --------
    >>> index([10, 20, 30], [1, 3]), index([10, 20], -1), index([1, 2], 3)
    (array([10, 30]), array([20]), array([nan]))
    """
    if isinstance(x, pd.DataFrame):
        from pydpstat.porting.r._operators import columns

        return columns(x, i)
    if x is None:
        return None
    if isinstance(x, dict) or _is_list(x) or x == [] if isinstance(x, list) else isinstance(x, dict):
        inner, values = items(x)
        places = _places(x, i, len(values))
        if any(not isinstance(each, int) for each in places):
            raise PydpstatError(f"the list has no element {i!r}: R gives NULL there")
        return listed([values[k] for k in places], inner and [inner[k] for k in places])  # type: ignore
    if isinstance(x, pd.Categorical):
        return x[[k for k in _places(x, i, len(x))]]
    values = vector(x)
    places = _places(x, i, values.size)
    inside = [isinstance(each, int) for each in places]
    if all(inside):
        return _renamed(values[places], x, places) if places else values[:0]
    if isinstance(x, pd.Series):
        raise PydpstatError(f"x has no element {[each for each in places if not isinstance(each, int)][0]!r}")
    if values.dtype.kind == "b":
        raise PydpstatError("the index is beyond the end, where R gives NA")
    missing: Any = None if values.dtype.kind == "O" else math.nan
    return combined([values[k] if isinstance(k, int) else missing for k in places])


def element(x: Any, i: Any) -> Any:
    """Return ``x[[i]]``: one element of a vector or a list, or one column of a data frame.

    Examples
    --------
    >>> element([10, 20], 2), element({"a": [1, 2]}, "a")
    (20, [1, 2])
    """
    if isinstance(x, pd.DataFrame):
        key = _one(i, "i")
        return column(x, key if isinstance(key, str) else list(x.columns)[int(key) - 1])
    inner, values = items(x)
    key = _one(i, "i")
    if isinstance(key, str):
        if inner is None or key not in inner:
            if isinstance(x, dict):
                return None
            raise PydpstatError(
                f"x has no element {key!r}" + (f"; it has {', '.join(map(str, inner))}" if inner else "")
            )
        return values[inner.index(key)]
    if not 1 <= key <= len(values):
        raise PydpstatError(f"x has {len(values)} elements; got the index {key}")
    return values[int(key) - 1]


def replaced(x: Any, i: Any, value: Any) -> Any:
    """Return what x is after ``x[i] <- value``; beyond the end R makes x longer.

    Examples
    --------
    >>> replaced([1, 2], 2, 0.5), replaced([1], 3, 5)
    (array([1. , 0.5]), array([ 1., nan,  5.]))
    """
    if isinstance(x, (pd.DataFrame, dict, pd.Categorical)) or _is_list(x):
        raise PydpstatError(f"x[i] <- value of a {type(x).__name__} is not translated: write x[[i]] <- value")
    values = np.empty(0) if x is None or (isinstance(x, list) and not x) else vector(x)
    labels = _names_of(x)
    given = vector(value)
    index_ = vector(i, "the index")
    if index_.dtype.kind == "O":
        labels = [str(each) for each in labels] if labels is not None else [""] * values.size
        for each in index_.tolist():
            if each not in labels:
                labels.append(each)
        places: list[Any] = [labels.index(each) for each in index_.tolist()]
    elif index_.dtype.kind == "b" or (index_ < 0).any():
        places = _places(x, i, values.size)
    else:
        places = [int(each) - 1 for each in index_.tolist() if each != 0 and not math.isnan(each)]
    if any(not isinstance(k, int) for k in places) or (places and not given.size):
        raise PydpstatError("the index is beyond the end, or nothing is assigned")
    size = max([values.size, *(k + 1 for k in places)])
    filler = [None] * (size - values.size) if values.dtype.kind == "O" else [math.nan] * (size - values.size)
    found = values.tolist() + filler
    if len(places) % max(given.size, 1):
        raise PydpstatError(f"{given.size} values for {len(places)} places")
    for k, each in zip(places, np.resize(given, len(places)).tolist()):
        found[k] = each
    if values.size == 0 and given.dtype.kind == "O":
        found = [None if is_missing(each) else each for each in found]
    result = combined(found)
    if values.dtype.kind == "f" and result.dtype.kind in "iub":
        result = result.astype(np.float64)
    if labels is not None:
        labels += [""] * (size - len(labels))
        return pd.Series(result, index=pd.Index(labels, dtype=object))
    return result


def replaced_element(x: Any, i: Any, value: Any) -> Any:
    """Return what x is after ``x[[i]] <- value``, or after ``x$i <- value`` for a name.

    Examples
    --------
    >>> replaced_element([], 1, "a"), replaced_element({"a": 1}, "b", [2, 3])
    (['a'], {'a': 1, 'b': [2, 3]})
    """
    key = _one(i, "i")
    if isinstance(x, pd.DataFrame):
        name = key if isinstance(key, str) else list(x.columns)[int(key) - 1]
        return x.drop(columns=[name]) if value is None else x.assign(**{name: value})
    if x is None:
        x = [] if isinstance(value, (list, dict)) or np.size(value) != 1 or isinstance(key, str) else x
    if not isinstance(x, (list, dict)):
        return replaced(x, i, value)
    inner, values = items(x)
    if isinstance(key, str) and inner is None:
        if values:
            raise PydpstatError("the list has no names, and one of its elements would get one")
        inner = []
    if isinstance(key, str):
        place = inner.index(key) if key in inner else len(inner)  # type: ignore[union-attr, operator, arg-type]
    else:
        place = int(key) - 1
    if value is None:
        return listed(values[:place] + values[place + 1 :], inner and inner[:place] + inner[place + 1 :])
    if place > len(values) and inner is not None:
        raise PydpstatError("the list would get elements without names")
    values += [None] * (place + 1 - len(values))
    values[place] = value
    if inner is not None and place == len(inner):
        if not isinstance(key, str):
            raise PydpstatError("the list would get an element without a name")
        inner = [*inner, key]
    return listed(values, inner)


def part(x: Any, name: str) -> Any:
    """Return ``x$name`` of a list, a data frame or an object; R takes the beginning of a name as well.

    Examples
    --------
    >>> part({"value": 3}, "value"), part({"value": 3}, "other")
    (3, None)
    """
    if isinstance(x, (dict, pd.DataFrame)):
        if name in x:
            return column(x, name) if isinstance(x, pd.DataFrame) else x[name]
        near = [each for each in x if str(each).startswith(name)]
        if near or isinstance(x, pd.DataFrame):
            raise PydpstatError(f"there is no element {name!r}; write one of {', '.join(map(str, x))}")
        return None
    if x is None:
        return None
    if _is_scalar(x) or isinstance(x, (np.ndarray, list, pd.Series)):
        raise PydpstatError(f"$ is for lists and data frames; x is a {type(x).__name__}")
    return getattr(x, name.replace(".", "_"))


def slot(object: Any, name: str) -> Any:  # noqa: A002
    """Return a slot of an object, nan where it has no value yet, as R has NA there."""
    found = getattr(object, name)
    return math.nan if found is None else found


# kinds


def as_numeric(x: Any) -> Any:
    """Return numbers: of strings what they say, of a factor its codes, of truth values 0 and 1.

    Examples
    --------
    >>> as_numeric(["1.5", "x"]), as_numeric(True)
    (array([1.5, nan]), 1.0)
    """
    if isinstance(x, pd.Categorical):
        return np.where(x.codes < 0, math.nan, x.codes + 1.0)
    values = vector(x)
    if values.dtype.kind == "O":
        from pydpstat.porting.r._frames import _number

        values = np.array(
            [math.nan if each is None or (n := _number(each)) is None else n for each in values]
        )
    found = values.astype(np.float64)
    return float(found[0]) if _is_scalar(x) else found


def as_integer(x: Any) -> Any:
    """Return integers, towards zero."""
    found = np.trunc(as_numeric(x))
    if np.isnan(found).any():
        return found
    return np.asarray(found).astype(np.int64)[()]


def as_character(x: Any) -> Any:
    """Return strings; numbers with 15 significant digits."""
    if _is_scalar(x):
        return None if is_missing(x) else _label(x)
    values = np.asarray(x, dtype=object) if isinstance(x, pd.Categorical) else vector(x)
    return np.array([None if is_missing(each) else _label(each) for each in values], dtype=object)


def as_logical(x: Any) -> Any:
    """Return truth values of numbers."""
    found = vector(known(x)).astype(bool)
    return bool(found[0]) if _is_scalar(x) else found


def as_vector(x: Any) -> Any:
    """Return the elements without names or dimensions."""
    return x if isinstance(x, (list, dict)) or _is_scalar(x) else vector(x)


def unname(obj: Any) -> Any:
    """Return x without its names."""
    return as_vector(list(obj.values()) if isinstance(obj, dict) else obj)


def as_list(x: Any) -> Any:
    """Return a list of the elements, with the names that they have."""
    inner, values = items(x)
    return listed(values, inner)


def is_numeric(x: Any) -> bool:
    """Return whether x has numbers."""
    return (
        x is not None
        and not isinstance(x, (pd.Categorical, dict, pd.DataFrame, str))
        and not _is_list(x)
        and (vector(x).dtype.kind in "iuf")
    )


def is_character(x: Any) -> bool:
    """Return whether x has strings."""
    return (
        not isinstance(x, (pd.Categorical, dict, pd.DataFrame))
        and not _is_list(x)
        and vector(x).dtype.kind == "O"
    )


def levels(x: Any) -> Array | None:
    """Return the levels of a factor."""
    if isinstance(x, pd.Series) and isinstance(x.dtype, pd.CategoricalDtype):
        x = x.array
    return np.array(list(x.categories), dtype=object) if isinstance(x, pd.Categorical) else None


def nlevels(x: Any) -> int:
    """Return how many levels a factor has."""
    return length(levels(x))


def factor(x: Any = None, levels: Any = None, labels: Any = None) -> pd.Categorical:
    """Return a factor; its levels are sorted as R sorts them.

    Examples
    --------
    >>> factor(["b", "a"]).categories.tolist()
    ['a', 'b']
    """
    found = r_arithmetic.factor(x, None if levels is None else vector(levels).tolist())
    shown = [str(each) for each in found.levels]
    if labels is not None:
        given = [str(each) for each in vector(labels)]
        if len(given) != len(shown):
            raise PydpstatError(f"labels must have {len(shown)} elements; got {len(given)}")
        shown = given
    return pd.Categorical.from_codes(np.asarray(found.codes, dtype=np.int64), shown)


as_factor = factor


def droplevels(x: pd.Categorical) -> pd.Categorical:
    """Return a factor without the levels that no element has."""
    return x.remove_unused_categories()


def cut(
    x: Any, breaks: Any, labels: Any = None, include_lowest: bool = False, right: bool = True
) -> pd.Categorical:
    """Return the interval of each number as a factor; the breaks are given.

    Examples
    --------
    >>> list(cut([1, 2, 3], [0, 2, 4]))
    ['(0,2]', '(0,2]', '(2,4]']
    """
    points = np.sort(vector(breaks).astype(np.float64))
    if points.size < 2:
        raise PydpstatError(
            "breaks must be the ends of the intervals; a number of intervals is not translated"
        )
    values = vector(x).astype(np.float64)
    places = np.searchsorted(points, values, side="left" if right else "right") - 1
    if include_lowest:
        places = np.where(values == points[0 if right else -1], 0 if right else points.size - 2, places)
    outside = (places < 0) | (places > points.size - 2) | np.isnan(values)
    if labels is False:
        return np.where(outside, math.nan, places + 1.0)  # type: ignore[return-value]
    if labels is None:
        for digits in range(3, 16):
            ends = [f"{each:.{digits}g}".replace("inf", "Inf") for each in points]
            if len(set(ends)) == len(ends):
                break
        ends = [_label(float(each)) for each in ends]
        shown = [f"({a},{b}]" if right else f"[{a},{b})" for a, b in zip(ends, ends[1:])]
        if include_lowest:
            shown[0 if right else -1] = "[" + shown[0][1:] if right else shown[-1][:-1] + "]"
    else:
        shown = [str(each) for each in vector(labels)]
    return pd.Categorical.from_codes(np.where(outside, -1, places), shown)


def _flat(parts: Iterable[Any], na_rm: bool) -> Array:
    values = _together([vector(each) for each in parts if each is not None] or [np.empty(0)])
    return values[~is_na(values)] if na_rm else values
