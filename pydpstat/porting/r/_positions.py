"""R's indexing by position, name or logical value, and its assignments to elements."""

from __future__ import annotations

import math
from collections.abc import Mapping
from inspect import isroutine
from types import ModuleType

import numpy as np
import numpy.typing as npt
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._shapes import get_column, get_dimnames, make_list, with_dimnames
from pydpstat.porting.r._values import (
    Names,
    Value,
    Vector,
    _make_missing_truth_error,
    concatenate_vectors,
    count_elements,
    expand_by_recycling,
    find_missing,
    get_element_names,
    get_factor,
    to_plain_vector,
    to_scalar,
    to_strings,
    with_names,
)  # fmt: skip
from pydpstat.r_arithmetic._arrays import has_length
from pydpstat.results import DPResults

PositionArray = npt.NDArray[np.int64]


def take_elements(x: Value, places: PositionArray) -> Value:
    """Return the elements of a vector or list, or rows of a data frame, at zero-based positions; -1 is NA.

    Examples
    --------
    >>> take_elements(["a", "b"], np.array([1, -1])), take_elements(np.array([1, 2]), np.array([1, -1]))
    (['b', None], array([ 2., nan]))
    """
    gone = (places < 0) | (places >= (len(x) if isinstance(x, pd.DataFrame) else count_elements(x)))
    places = np.where(gone, -1, places)
    if x is None or isinstance(x, pd.DataFrame):
        return None if x is None else x.iloc[places]
    if (factor := get_factor(x)) is not None:
        codes = np.append(factor.codes, -1)[np.where(gone, len(factor), places)]
        return pd.Categorical.from_codes(codes, dtype=factor.dtype)
    if isinstance(x, list):
        return [None if p < 0 else x[p] for p in places]
    names = get_element_names(x)
    labels = None if names is None else [None if p < 0 else names[p] for p in places]
    if isinstance(x, Mapping):
        cells = list(x.values())
        return make_list([None if p < 0 else cells[p] for p in places], labels)
    # one element of a table is no table
    return with_names(_take_with_missing(to_plain_vector(x), places), labels, x if places.size != 1 else None)


def _take_with_missing(values: Vector, places: PositionArray) -> Vector:
    gone = places < 0
    if not gone.any():
        return values[places]
    if values.dtype == bool and values.size:
        raise _make_missing_truth_error("an index beyond the vector's end: the result")
    kind = object if values.dtype == object else np.float64
    return np.append(values.astype(kind), np.array([None if kind is object else math.nan], kind))[
        np.where(gone, values.size, places)
    ]


def resolve_vector_index(i: Value, n: int, names: Names) -> tuple[PositionArray, list[Value]]:
    """Return the zero-based positions of an index, with -1 for NA, and the names of new elements at the end.

    Examples
    --------
    >>> resolve_vector_index(-2, 3, None), resolve_vector_index(["b", "z"], 2, ["a", "b"])
    ((array([0, 2]), []), (array([1, 2]), ['z']))
    """
    if np.ndim(i) == 2 and np.asarray(i).dtype.kind != "b":
        raise PydpstatError("the index must be a vector; got a matrix. Write r.cells for each row, or flatten it.")
    chosen = to_plain_vector(i, "the index")
    if i is None or not chosen.size:
        return np.empty(0, np.int64), []
    if chosen.dtype == object:
        known = dict(zip(reversed(names or []), range(n - 1, -1, -1)))
        new = list(dict.fromkeys(each for each in chosen if each not in known and each is not None))
        known.update(zip(new, range(n, n + len(new))))
        return np.array([-1 if each is None else known[each] for each in chosen], np.int64), new
    if chosen.dtype == bool:
        return np.flatnonzero(np.resize(chosen, max(n, chosen.size))), []
    gone = find_missing(chosen)
    whole = np.trunc(np.where(gone, 1.0, chosen)).astype(np.int64)
    if (whole < 0).any():
        if (whole > 0).any():
            raise PydpstatError("an index must be positive or negative throughout; got both, or NA. Give one kind.")
        return np.setdiff1d(np.arange(n), -whole - 1), []
    return np.where(gone, -1, whole - 1)[gone | (whole > 0)], []


def index(x: Value, i: Value) -> Value:
    """Return elements as R's ``x[i]``: of a data frame its columns, beyond the end NA.

    Parameters
    ----------
    x : vector, list, dict, factor or data frame
    i : numbers, strings or logical values
        Positions from 1; negative ones exclude elements.

    Returns
    -------
    vector, list, dict, factor or data frame
        For a vector and a single position, the scalar, whose name ``names`` returns.

    Examples
    --------
    >>> x = np.array([5.0, 6.0, 7.0])
    >>> index(x, 2), index(x, -1), index(x, [1, 4])
    (6.0, array([6., 7.]), array([ 5., nan]))
    """
    if isinstance(x, pd.DataFrame):
        found, _ = resolve_vector_index(i, x.shape[1], list(x))
        if found.size and not 0 <= found.min() <= found.max() < x.shape[1]:
            raise PydpstatError(f"there is no column {i!r}: the columns are {list(x)}")
        return x.iloc[:, found]
    if x is None:
        return None
    found, _ = resolve_vector_index(i, count_elements(x), get_element_names(x))
    found = np.where(found < count_elements(x), found, -1)
    result = take_elements(x, found)
    scalar = not has_length(i) and found.size == 1 and not isinstance(x, (list, Mapping))
    # a single missing string would be NULL
    return to_scalar(result) if scalar and get_factor(x) is None and to_plain_vector(result)[0] is not None else result


def element(x: Value, i: Value) -> Value:
    """Return one element as R's ``x[[i]]``: an element of a list, a column of a data frame.

    Parameters
    ----------
    x : vector, list, dict, factor or data frame
    i : int or str
        A position from 1, or a name. For a list, an absent name returns NULL.

    Returns
    -------
    value

    Examples
    --------
    >>> element({"a": [1, 2], "b": "x"}, "b"), element([3.5, 4.5], 2)
    ('x', 4.5)
    """
    n, key = count_elements(x), to_plain_vector(i, "the index")
    if key.size != 1:
        raise PydpstatError(f"the index of [[ ]] must be one place or name; got {key.size}. Write one [[ ]] for each.")
    found, new = resolve_vector_index(key, n, get_element_names(x))
    if new and (x is None or isinstance(x, (list, Mapping))):
        return None
    if (key.dtype != object and not key[0] >= 1 and n != 2) or found.size != 1 or not 0 <= found[0] < n:
        raise PydpstatError(f"subscript out of bounds: there is no element {to_scalar(key)!r} of {n}")
    if isinstance(x, (list, Mapping)):
        return x[found[0]] if isinstance(x, list) else x[list(x)[found[0]]]
    if isinstance(x, pd.DataFrame):
        return x.iloc[:, found[0]]
    result = take_elements(x, found)
    return result if get_factor(x) is not None else to_scalar(result, keep_name=False)


def get_component(x: Value, name: str) -> Value:
    """Return a public component of an object; functions and modules have none, as in R.

    Examples
    --------
    >>> get_component(lambda x: x, "__globals__")
    Traceback (most recent call last):
    ...
    pydpstat.errors.PydpstatError: a function has no component '__globals__'
    """
    if isroutine(x) or isinstance(x, (type, ModuleType)):
        raise PydpstatError(f"a function has no component {name!r}")
    if name.startswith("_") or not hasattr(x, name):
        raise PydpstatError(f"{type(x).__name__} has no component {name!r}")
    return getattr(x, name)


def part(x: Value, name: str) -> Value:
    """Return an element by name, as R's ``x$name``: of a list or data frame, or an object's attribute.

    Parameters
    ----------
    x : dict, data frame, Series or object
    name : str
        The full name: a partial name, which R may complete, raises an error.

    Returns
    -------
    value
        NULL if a list has no such element.

    Examples
    --------
    >>> part({"mean": 2.0}, "mean"), part({"mean": 2.0}, "var")
    (2.0, None)
    """
    if x is None:
        return None
    if isinstance(x, (np.ndarray, str, bool, int, float)) or (isinstance(x, pd.Series) and name not in x.index):
        raise PydpstatError(f"$ needs a list or a frame; got {type(x).__name__} for ${name}. Write [[ ]] for a vector.")
    if isinstance(x, DPResults) and x.labels.breaks is not None and name in ("counts", "breaks", "mids"):
        return getattr(x.labels.make_histogram(x.value), name)
    if not isinstance(x, (Mapping, pd.DataFrame, pd.Series, list)):
        return get_component(x, name.replace(".", "_"))
    names = get_element_names(x) or []
    if name not in names and (longer := [each for each in names if str(each).startswith(name)]):
        raise PydpstatError(f"${name} is only the beginning of a name; write ${longer[0]}")
    if isinstance(x, pd.DataFrame) and name not in names:
        raise PydpstatError(f"there is no column {name!r}: the columns are {names}")
    if isinstance(x, pd.DataFrame) and x.index.dtype == object:
        # the row names are not names of a column's elements
        return get_column(x, name)
    return x[name] if name in names else None  # type: ignore[call-overload]


def replaced(x: Value, i: Value, value: Value) -> Value:
    """Return `x` after R's ``x[i] <- value``, as a new object, extended or converted if necessary.

    Parameters
    ----------
    x : vector, list, dict, factor, data frame or None
    i : numbers, strings or logical values
        Positions from 1. Elements between the end and a new position become NA.
    value : value or None
        Recycled. NULL removes elements of a list.

    Returns
    -------
    vector, list, dict, factor or data frame

    Examples
    --------
    >>> replaced(np.array([1, 2]), 4, 0.5), replaced(np.array([1, 2]), 1, "a")
    (array([1. , 2. , nan, 0.5]), array(['a', '2'], dtype=object))
    """
    if isinstance(x, pd.DataFrame):
        return x.mask(_check_mask(i), value) if isinstance(i, pd.DataFrame) else _assign_frame_column(x, i, value)
    if np.ndim(x) == 2:
        flat = replaced(np.ravel(x, order="F"), i, value)
        grown = flat.size > np.size(x)
        return flat if grown else with_dimnames(flat.reshape(np.shape(x), order="F"), get_dimnames(x))
    n, names = count_elements(x), get_element_names(x)
    found, new = resolve_vector_index(i, n, names)
    if isinstance(x, (list, Mapping)) or isinstance(value, (list, Mapping)):
        cells = list(value) if isinstance(value, list) else None
        return _replace_list_elements(
            x, found, new, [*value.values()] if isinstance(value, Mapping) else cells or _collect_replacements(value)
        )
    if get_factor(x) is not None:
        return _replace_factor_values(x, found, value)
    given = to_plain_vector(value, "value")
    if not given.size:
        if found.size:
            raise PydpstatError("the replacement has length zero: give a value for each place, or one")
        return x
    if (found < 0).any():
        if given.size > 1:
            raise PydpstatError("the index has missing values: filter them first, as by ~r.is_na(i)")
        found = found[found >= 0]
    old = to_plain_vector(x)
    kind = concatenate_vectors([old[:0], given[:0]]).dtype
    old, given = (to_strings(each) if kind == np.dtype(object) else each.astype(kind) for each in (old, given))
    after = max(n, int(found.max(initial=-1)) + 1)
    result = (
        _take_with_missing(old, np.where(np.arange(after) < n, np.arange(after), -1))
        if n
        else _make_missing_vector(after, kind)
    )
    if result.dtype == np.float64 and set(found[found >= n].tolist()) >= set(range(n, after)):
        result = np.resize(old, after) if n else np.empty(after, kind)
    result = result.astype(concatenate_vectors([result[:0], given[:0]]).dtype)
    result[found] = np.resize(given, found.size)
    if names is None and not new:
        return result
    grown = [*(names or [""] * n), *[""] * (after - n - len(new)), *new]
    return with_names(result, grown, x)


def _make_missing_vector(n: int, kind: Value) -> Vector:
    return np.full(n, None, object) if kind == np.dtype(object) else np.full(n, math.nan)


def _collect_replacements(value: Value) -> list[Value]:
    if value is None:
        return []
    return (
        to_plain_vector(value, "value").tolist() if not isinstance(value, (pd.DataFrame, pd.Categorical)) else [value]
    )


def _replace_list_elements(x: Value, positions: PositionArray, new: list[Value], cells: list[Value]) -> Value:
    old = x if isinstance(x, (list, Mapping)) else _collect_replacements(x)
    names, values = (list(old), list(old.values())) if isinstance(old, Mapping) else (get_element_names(x), list(old))
    if not cells:
        kept = [k for k in range(len(values)) if k not in set(positions.tolist())]
        return take_elements(old, np.array(kept, np.int64))
    while len(values) <= positions.max(initial=-1):
        values.append(None)
    for k, place in enumerate(positions):
        values[place] = cells[k % len(cells)]
    if names is None and not new:
        return values
    labels = [*(names or [""] * len(old)), *[""] * (len(values) - len(old) - len(new)), *new]
    return make_list(values, labels)


def _replace_factor_values(x: Value, positions: PositionArray, value: Value) -> pd.Categorical:
    factor, given = get_factor(x), to_strings(value)
    assert factor is not None
    levels = [str(each) for each in factor.categories]
    codes = np.append(factor.codes, np.full(max(0, positions.max(initial=-1) + 1 - len(factor)), -1)).astype(np.int64)
    wanted = [-1 if each is None else levels.index(each) if each in levels else -1 for each in given]
    codes[positions] = np.resize(np.array(wanted, np.int64), positions.size)
    return pd.Categorical.from_codes(codes, dtype=factor.dtype)


def _check_mask(i: pd.DataFrame) -> pd.DataFrame:
    if not all(kind.kind == "b" for kind in i.dtypes):
        raise PydpstatError("the index must be a frame of truth values without missing ones")
    return i


def _assign_frame_column(x: pd.DataFrame, i: Value, value: Value) -> pd.DataFrame:
    found, new = resolve_vector_index(i, x.shape[1], list(x))
    if found.size != 1 or not 0 <= found[0] <= x.shape[1]:
        raise PydpstatError(f"a frame's column is assigned by one name or place; got {i!r}. Assign them one by one.")
    name = new[0] if new else x.columns[found[0]] if found[0] < x.shape[1] else f"V{found[0] + 1}"
    if value is None:
        return x.drop(columns=[name])
    column = get_factor(value)
    if column is None:
        values = to_plain_vector(value, "value")
        if not values.size or x.shape[0] % values.size:
            raise PydpstatError(f"the replacement has {values.size} rows, the frame has {x.shape[0]}")
        column = expand_by_recycling(values, np.empty(x.shape[0]))[0]
    return x.assign(**{name: column})


def replaced_element(x: Value, i: Value, value: Value) -> Value:
    """Return `x` after R's ``x[[i]] <- value`` or ``x$i <- value``; a list's element may be any value.

    Parameters
    ----------
    x : vector, list, dict, data frame or None
    i : int or str
        A position from 1, or a name.
    value : value
        NULL removes an element of a list or a column.

    Returns
    -------
    vector, list, dict or data frame

    Examples
    --------
    >>> replaced_element({"a": 1}, "b", [1, 2]), replaced_element([1, 2], 1, None)
    ({'a': 1, 'b': [1, 2]}, [2])
    """
    if count_elements(i) != 1:
        raise PydpstatError(f"[[ ]] takes one place or name; got {count_elements(i)}: assign to the inner list")
    found, new = resolve_vector_index(i, count_elements(x), get_element_names(x))
    if x is None or isinstance(x, (list, Mapping)):
        return _replace_list_elements(x, found, new, [] if value is None else [value])
    if not isinstance(x, pd.DataFrame) and (isinstance(value, (list, Mapping)) or count_elements(value) != 1):
        raise PydpstatError(
            f"[[ ]] of a vector is assigned one value; got {count_elements(value)}. Write [ ] or use a list."
        )
    return replaced(x, i, value)
