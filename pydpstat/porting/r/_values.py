"""Representation of R's vectors and lists: types, names, missing values and recycling."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pydpstat._data.values import is_missing, to_object_array
from pydpstat.errors import PydpstatError
from pydpstat.porting.r import _integers
from pydpstat.porting.r._attributed import AttributedVector, with_attributes
from pydpstat.porting.r._named import NamedVector
from pydpstat.porting.r._named_numbers import NamedFloat, NamedInt, NamedNumber, NamedText, drop_name
from pydpstat.porting.r._options import CURRENT_OPTIONS
from pydpstat.r_arithmetic import as_character as _text
from pydpstat.r_arithmetic._arrays import has_length
from pydpstat.results.results import DPResults

# a vector of R: one-dimensional, of logical values, int64, float64, or strings as objects with None
Vector = np.ndarray
Names = list[Any] | None
# any value of R: a number, a string, a vector, a list, a data frame, NULL
Value = Any
_SCALAR_TYPES = (str, bool, int, float, np.generic)


def to_plain_vector(x: Value, name: str = "x") -> Vector:
    """Return a vector without its names, NULL as an empty one, a factor as its codes.

    Examples
    --------
    >>> to_plain_vector([1, None, 2.5]), to_plain_vector(["a", None]), to_plain_vector(None)
    (array([1. , nan, 2.5]), array(['a', None], dtype=object), array([], dtype=bool))
    """
    if isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype in (np.float64, np.int64, np.bool_):
        return np.asarray(x)
    if x is None:
        return np.empty(0, bool)
    if _integers.is_double(x):
        return np.array([float(x)])
    if (factor := get_factor(x)) is not None:
        codes = np.asarray(factor.codes, np.int64) + 1
        return codes if codes.all() else np.where(codes, codes.astype(np.float64), math.nan)
    if isinstance(x, (Mapping, pd.DataFrame)):
        x = [x[key] for key in x]
    if isinstance(x, (list, tuple)):
        if not all(each is None or isinstance(each, _SCALAR_TYPES) for each in x):
            return concatenate_vectors([np.array([None]) if is_missing(v) else to_plain_vector(v, name) for v in x])
        return _convert_objects(to_object_array(x), name)
    if isinstance(getattr(x, "dtype", None), pd.StringDtype):
        # NaN are strings here, even if all are missing
        return to_object_array([None if is_missing(each) else _text(each) for each in x])
    array = np.atleast_1d(np.asarray(getattr(x, "counts", x))).ravel(order="F")
    if array.dtype.kind not in "biuf":
        if not array.size:
            return array.astype(object)
        return _convert_objects(array.astype(object), name)
    return array.astype({"b": np.bool_, "f": np.float64}.get(array.dtype.kind, np.int64), copy=False)


def _convert_objects(values: Vector, name: str) -> Vector:
    missing = np.fromiter(map(is_missing, values), bool, values.size)
    known = values[~missing].tolist()
    if wrong := [type(each).__name__ for each in known if not isinstance(each, _SCALAR_TYPES)]:
        raise PydpstatError(f"{name} must be numbers, strings or truth values; got {wrong[0]} in it")
    if any(isinstance(each, str) for each in known):
        return to_object_array([None if gone else _text(each) for each, gone in zip(values, missing)])
    if not known:
        return values if None in values.tolist() else values.astype(np.float64)
    if not missing.any():
        known = [float(each) if _integers.is_double(each) else each for each in known]
        return np.asarray(known) if np.ndim(known[0]) == 0 else values
    if all(isinstance(each, (bool, np.bool_)) for each in known):
        raise _make_missing_truth_error(name)
    return np.array([math.nan if gone else each for each, gone in zip(values, missing)], np.float64)


def _make_missing_truth_error(name: str) -> PydpstatError:
    return PydpstatError(
        f"{name} has missing truth values, which are not supported: filter them first, as by ~r.is_na({name})"
    )


def get_factor(x: Value) -> pd.Categorical | None:
    """Return a factor as a Categorical, and None for any other value.

    Examples
    --------
    >>> get_factor([1]) is None
    True
    """
    x = x.array if isinstance(x, pd.Series) else x
    return x if isinstance(x, pd.Categorical) else None


def concatenate_vectors(vectors: Sequence[Vector]) -> Vector:
    """Concatenate vectors, converted to their common type: logical values, integers, doubles or strings.

    Examples
    --------
    >>> concatenate_vectors([np.array([1.0, np.nan]), np.array(["a"], object)])
    array(['1', None, 'a'], dtype=object)
    """
    if any(part.dtype == object for part in vectors):
        vectors = [to_strings(part) for part in vectors]
    elif any(part.dtype == bool and part.size for part in vectors):
        others = [part for part in vectors if part.dtype != bool and part.size]
        if others and all(find_missing(part).all() for part in others):
            raise _make_missing_truth_error("the vector")
    return np.concatenate([np.empty(0, bool), *vectors])


def refuse_computed_nan(values: Vector) -> None:
    """Refuse text of an undefined result, which is NaN in R and no missing value.

    Undefined results have the sign bit, as processors set it and as elementwise functions here do; R's NA has not.

    Examples
    --------
    >>> refuse_computed_nan(np.array([1.0, math.nan]))
    """
    if values.dtype.kind == "f" and (lost := np.isnan(values)).any() and np.signbit(values[lost]).any():
        raise PydpstatError("a result is NaN in R, as of 0 / 0, which is NA here: leave it out, or write NA")


def to_strings(x: Value) -> Vector:
    """Return a vector as strings, as R's ``as.character``, with None for missing values; a factor's labels.

    Examples
    --------
    >>> to_strings([1e5, np.nan]), to_strings(True)
    (array(['1e+05', None], dtype=object), array(['TRUE'], dtype=object))
    """
    _integers.check_number_text(x)
    if isinstance(x, date):
        return to_object_array([x.strftime("%Y-%m-%d %H:%M:%S" if isinstance(x, datetime) else "%Y-%m-%d")])
    if (factor := get_factor(x)) is None:
        refuse_computed_nan(to_plain_vector(x))
    values = to_plain_vector(x).tolist() if factor is None else factor
    return to_object_array(
        [None if is_missing(each) else _text(each, int(CURRENT_OPTIONS["scipen"])) for each in values]
    )


def to_vector(x: Value, name: str = "x") -> Vector:
    """Return a vector as a one-dimensional array: strings and labels of factors as objects, None if missing.

    Examples
    --------
    >>> to_vector(["a", None]), to_vector(2.5)
    (array(['a', None], dtype=object), array([2.5]))
    """
    if isinstance(x, Mapping):
        raise PydpstatError(f"{name} must be a vector; got a list with names: write unlist({name})")
    return to_plain_vector(x, name) if get_factor(x) is None else to_strings(x)


def get_element_names(x: Value) -> Names:
    """Return the names of the elements of a vector, list or data frame, or None.

    Examples
    --------
    >>> [get_element_names(each) for each in ({"a": 1}, [1], pd.Series([1], index=["b"]), pd.Series([1]))]
    [['a'], None, ['b'], None]
    """
    if isinstance(x, NamedNumber):
        return x.names
    if isinstance(x, (Mapping, pd.DataFrame)):
        return list(x)
    if isinstance(x, DPResults) and x.labels.names is not None:
        return list(x.labels.names)
    if isinstance(x, pd.Series) and (x.index.dtype.kind not in "iuf" or x.index.name is not None):
        return [None if is_missing(each) else str(each) for each in x.index]
    return None


def with_names(values: Value, names: Names, like: Value = None) -> Value:
    """Return a vector with names, or unchanged for None; a table if `like` is one.

    Examples
    --------
    >>> with_names(np.array([1, 2]), ["a", "b"]).to_dict()
    {'a': 1, 'b': 2}
    """
    if names is None:
        return to_plain_vector(values) if isinstance(values, list) else values
    table = like.index.name if isinstance(like, pd.Series) else None
    values = to_plain_vector(values)
    return NamedVector(values, index=pd.Index(names, dtype=object, name=table), dtype=values.dtype)


def to_scalar(x: Value, keep_name: bool = True) -> Value:
    """Return the only element of a vector, with its name.

    Examples
    --------
    >>> int(to_scalar(pd.Series([2], index=["a"])) + 1), to_scalar(pd.Series([2], index=["a"])).names
    (3, ['a'])
    """
    names, value = get_element_names(x), to_plain_vector(x)[0]
    for kind, own in ((float, NamedFloat), (np.integer, NamedInt), (str, NamedText)):
        if keep_name and names is not None and isinstance(value, kind):
            value = own(value)
            value.names = names
            return value
    if isinstance(value, np.integer):
        return _integers.make_r_integer(value)
    if value is None:
        return math.nan
    return value.item() if isinstance(value, np.generic) else value


def make_named_number(x: Value, name: str) -> Value:
    """Return a single number with a name.

    Examples
    --------
    >>> make_named_number(2.5, "t").names
    ['t']
    """
    return to_scalar(with_names(np.array([x]), [name]))


def drop_attributes(x: Value) -> Value:
    """Return a vector without its names and shape, and a single value unchanged.

    Examples
    --------
    >>> drop_attributes(pd.Series([1, 2], index=["a", "b"])), drop_attributes(3)
    (array([1, 2]), 3)
    """
    if get_factor(x) is not None or isinstance(x, list):
        return x
    return to_plain_vector(x) if has_length(x) else drop_name(x)


def to_single_integer(x: Value, name: str = "x") -> int:
    """Return a single number as an integer.

    Examples
    --------
    >>> to_single_integer(2.0), to_single_integer(np.array([3]))
    (2, 3)
    """
    values = to_numeric_vector(x, name)
    if values.size != 1 or find_missing(values).any():
        raise PydpstatError(f"{name} must be one number, and not missing; got {x!r:.60}")
    return int(values[0])


def count_elements(x: Value) -> int:
    """Return the number of elements, as R's ``length``: of a data frame, the number of columns.

    Examples
    --------
    >>> count_elements(None), count_elements("abc"), count_elements([1, 2]), count_elements(np.ones((2, 3)))
    (0, 1, 2, 6)
    """
    if isinstance(x, pd.DataFrame):
        return x.shape[1]
    x = getattr(x, "counts", x)
    return 0 if x is None else x.size if isinstance(x, np.ndarray) else len(x) if has_length(x) else 1


def expand_by_recycling(*vectors: Vector) -> list[Vector]:
    """Recycle vectors to the length of the longest, or to length 0 if one is empty.

    Examples
    --------
    >>> expand_by_recycling(np.array([1, 2]), np.array([0.5]))
    [array([1, 2]), array([0.5, 0.5])]
    """
    n = max((part.size for part in vectors), default=0) if all(part.size for part in vectors) else 0
    return [part if part.size == n else np.resize(part, n) for part in vectors]


def match_shape(values: Value, *like: Value) -> Value:
    """Return an elementwise result as a scalar if all of `like` are, with the names or shape of the first one.

    Examples
    --------
    >>> match_shape(np.array([1]), 5), match_shape(np.array([1]), [5])
    (1, array([1]))
    """
    if not any(map(has_length, like)):
        names = next((each.names for each in like if isinstance(each, NamedNumber)), None)
        return to_scalar(with_names(values, names)) if len(values) else values
    for each in like:
        if isinstance(each, np.ndarray) and each.ndim > 1 and each.size == len(values):
            result = values.reshape(each.shape, order="F").view(type(each))
            vars(result).update(vars(each)) if hasattr(each, "dimnames") else None
            return result
        if isinstance(each, AttributedVector) and each.size == len(values) and values.dtype != bool:
            return with_attributes(values, each.attributes)
        if (names := get_element_names(each)) is not None and len(names) == len(values):
            return with_names(values, names, each)
    return values


def make_elementwise(function: Callable[..., Iterable[object]], name: str, description: str) -> Callable[..., Value]:
    """Return a function of recycled vectors that preserves names, shapes and data frames.

    Examples
    --------
    >>> make_elementwise(lambda x: x + 1, "up", "One more.")([1, 2])
    array([2, 3])
    """

    def apply_to_vectors(x: Value, *more: Value) -> Value:
        if isinstance(x, pd.DataFrame):
            return pd.DataFrame({key: apply_to_vectors(x[key].to_numpy(), *more) for key in x}, index=x.index)
        if x is None and not more:
            raise PydpstatError(f"{name} needs numbers; got NULL")
        parts = expand_by_recycling(*(to_numeric_vector(each) for each in (x, *more)))
        with np.errstate(all="ignore"):
            found = np.asarray(function(*parts))
        if found.dtype.kind == "f" and (lost := np.isnan(found)).any():
            found = np.where(lost & ~np.logical_or.reduce([np.isnan(each) for each in parts]), -math.nan, found)
        return match_shape(found, x, *more)

    apply_to_vectors.__name__ = apply_to_vectors.__qualname__ = name
    apply_to_vectors.__doc__ = f"{description}, of numbers or vectors, as in R."
    return apply_to_vectors


def to_numeric_vector(x: Value, name: str = "x") -> Vector:
    """Return a vector of numbers or logical values; strings and factors raise an error.

    Examples
    --------
    >>> to_numeric_vector([1, 2])
    array([1, 2])
    """
    values = to_plain_vector(x, name)
    if values.dtype == object and values.size and all(map(is_missing, values)):
        return np.full(values.size, math.nan)
    if values.dtype == object or get_factor(x) is not None:
        kind = "strings" if values.dtype == object else "a factor"
        raise PydpstatError(f"{name} must be numeric; got {kind}. Convert it first, as by r.as_numeric({name})")
    return values


def check_flat_vector(x: Value, name: str = "x") -> Value:
    """Return a value that can be written as a vector; a list of vectors or a data frame raises an error.

    Examples
    --------
    >>> check_flat_vector([1, "a"])
    [1, 'a']
    """
    inner = x.values() if isinstance(x, Mapping) else x if isinstance(x, list) else ()
    if isinstance(x, pd.DataFrame) or any(count_elements(each) != 1 for each in inner):
        raise PydpstatError(f"{name} must be a vector; got a list or frame: write unlist({name}), or its columns")
    return x


def find_missing(x: Value) -> npt.NDArray[np.bool_]:
    """Return whether each element is missing.

    Examples
    --------
    >>> find_missing(["a", None])
    array([False,  True])
    """
    if isinstance(x, (list, tuple, Mapping)):
        cells = list(x.values()) if isinstance(x, Mapping) else x
        return np.array([not has_length(v) and is_missing(v) for v in cells], bool)
    values = to_plain_vector(x)
    return np.fromiter(map(is_missing, values), bool, values.size) if values.dtype == object else values != values


def to_logical_vector(x: Value, name: str = "x") -> npt.NDArray[np.bool_]:
    """Return a vector of logical values; numbers other than 0 are true.

    Examples
    --------
    >>> to_logical_vector([0, 2])
    array([False,  True])
    """
    values = to_plain_vector(x, name)
    if find_missing(values).any():
        raise _make_missing_truth_error(name)
    if values.dtype == object:
        raise PydpstatError(f"{name} must be truth values; got strings")
    return values.astype(bool)
