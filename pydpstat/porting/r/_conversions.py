"""Conversions between R's vector types, and comparisons of values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import NotSupportedError, PydpstatError
from pydpstat.porting._literals import parse_number
from pydpstat.porting.r._elements import levels
from pydpstat.porting.r._values import (
    Value,
    drop_attributes,
    find_missing,
    get_element_names,
    get_factor,
    match_shape,
    to_logical_vector,
    to_plain_vector,
    to_strings,
    to_vector,
)  # fmt: skip
from pydpstat.r_arithmetic._arrays import has_length


def identical(x: Value, y: Value) -> bool:
    """Return whether two values are the same, including their names.

    Equal numbers raise an error where their types in R, integer or double, are ambiguous in Python.

    Examples
    --------
    >>> identical([1.5, "a"], [1.5, "a"]), identical({"a": 1.5}, {"b": 1.5})
    (True, False)
    """
    if isinstance(x, (list, Mapping, pd.DataFrame)) or isinstance(y, (list, Mapping, pd.DataFrame)):
        if type(x) is not type(y) or get_element_names(x) != get_element_names(y) or len(x) != len(y):
            return False
        pairs = zip(x, y) if isinstance(x, list) else ((x[key], y[key]) for key in x)
        return all(identical(a, b) for a, b in pairs)
    if (x is None) != (y is None) or (get_factor(x) is None) != (get_factor(y) is None):
        return False
    a, b = to_plain_vector(x), to_plain_vector(y)
    if get_element_names(x) != get_element_names(y) or a.size != b.size or np.shape(x)[1:] != np.shape(y)[1:]:
        return False
    if get_factor(x) is not None and not identical(levels(x), levels(y)):
        return False
    kinds = {"number" if each.dtype.kind in "if" else each.dtype.kind for each in (a, b)}
    same = len(kinds) == 1 and bool(((a == b) | (find_missing(a) & find_missing(b))).all())
    if same and (a.dtype != b.dtype or (a.dtype.kind == "i" and int in (type(x), type(y)))):
        raise PydpstatError("identical tells integers from doubles, which may differ here and in R: use all_equal")
    return same


def all_equal(target: Value, current: Value, tolerance: float = 1.5e-8) -> Value:
    """Compare numbers up to a tolerance: True, or R's message on the relative difference.

    Examples
    --------
    >>> all_equal(1.0, 1.0 + 1e-10), all_equal(1.0, 1.1)
    (True, 'Mean relative difference: 0.1')
    """
    a, b = to_plain_vector(target), to_plain_vector(current)
    if (
        a.dtype == object
        or b.dtype == object
        or a.size != b.size
        or get_element_names(target) != get_element_names(current)
    ):
        if a.size == b.size and identical(target, current):
            return True
        raise NotSupportedError("all_equal compares numbers of the same length and names; use identical")
    gone = find_missing(a)
    if (gone != find_missing(b)).any():
        return f"'is.NA' value mismatch: {int(find_missing(b).sum())} in current {int(gone.sum())} in target"
    differ = ~gone & (a != b)
    if not differ.any():
        return True
    a, b = a[differ].astype(np.float64), b[differ].astype(np.float64)
    apart, mean = (r_arithmetic.sum(np.abs(each)) / a.size for each in (a - b, a))
    relative = math.isfinite(mean) and mean > tolerance
    found = apart / mean if relative else apart
    kind = "relative" if relative else "absolute"
    return f"Mean {kind} difference: {_format_compact(found, False)}" if found > tolerance else True


def _format_compact(x: float, fixed: bool = True) -> str:
    """Return a number with 7 significant digits and no trailing zeros."""
    text = f"{x:.7g}"
    if "e" not in text:
        return text
    return f"{float(text):.{max(0, 6 - math.floor(math.log10(x)))}f}".rstrip("0").rstrip(".") if fixed else text


def _make_predicate(name: str, description: str, test: Callable[[Value], bool]) -> Callable[[Value], bool]:
    def check_value(x: Value) -> bool:
        return bool(test(x))

    check_value.__name__ = check_value.__qualname__ = name
    check_value.__doc__ = f"Tell whether a value is {description}."
    return check_value


def _get_vector_kind(x: Value) -> str:
    if x is None or get_factor(x) is not None or isinstance(x, (list, Mapping, pd.DataFrame)) or callable(x):
        return ""
    try:
        return {"b": "truth", "O": "string"}.get(to_plain_vector(x).dtype.kind, "number")
    except PydpstatError:
        return ""


is_numeric = _make_predicate(
    "is_numeric", "a vector of numbers; a factor is none", lambda x: _get_vector_kind(x) == "number"
)
is_character = _make_predicate("is_character", "a vector of strings", lambda x: _get_vector_kind(x) == "string")
is_logical = _make_predicate("is_logical", "a vector of truth values", lambda x: _get_vector_kind(x) == "truth")
is_function = _make_predicate("is_function", "a function", callable)
is_null = _make_predicate("is_null", "NULL", lambda x: x is None)
is_factor = _make_predicate("is_factor", "a factor", lambda x: get_factor(x) is not None)
is_list = _make_predicate("is_list", "a list or a frame", lambda x: isinstance(x, (list, Mapping, pd.DataFrame)))
is_data_frame = _make_predicate("is_data_frame", "a frame", lambda x: isinstance(x, pd.DataFrame))
is_matrix = _make_predicate("is_matrix", "a matrix", lambda x: isinstance(x, np.ndarray) and x.ndim == 2)
isTRUE = _make_predicate(
    "isTRUE", "TRUE", lambda x: _get_vector_kind(x) == "truth" and to_plain_vector(x).tolist() == [True]
)
isFALSE = _make_predicate(
    "isFALSE", "FALSE", lambda x: _get_vector_kind(x) == "truth" and to_plain_vector(x).tolist() == [False]
)


_NUMBER_PATTERN = re.compile(r"\s*([-+]?)(0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)\s*")


_INFINITE_VALUES = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}


def _parse_double(text: str | None) -> float:
    found = _NUMBER_PATTERN.fullmatch(text or "")
    if found is None:
        return _INFINITE_VALUES.get((text or "").strip().lower().replace("inity", ""), math.nan)
    value = parse_number(found[2])[0]
    assert not isinstance(value, complex)
    return -float(value) if found[1] == "-" else float(value)


def as_numeric(x: Value) -> Value:
    """Return doubles without names; a string that is not a number is NA, a factor gives its codes.

    Examples
    --------
    >>> as_numeric(["1.5", "x"]), as_numeric(True)
    (array([1.5, nan]), 1.0)
    """
    values = to_plain_vector(x)
    if values.dtype == object:
        return match_shape(np.array([_parse_double(each) for each in values], np.float64), drop_attributes(x))
    return match_shape(values.astype(np.float64), drop_attributes(x))


def as_integer(x: Value) -> Value:
    """Return integers truncated toward zero, without names; with missing values, as doubles.

    Examples
    --------
    >>> as_integer([1.9, -1.9]), as_integer("7")
    (array([ 1, -1]), 7)
    """
    values = np.trunc(to_plain_vector(as_numeric(to_plain_vector(x))))
    values = np.where(np.abs(values) < 2**31, values, math.nan)
    return match_shape(values if find_missing(values).any() else values.astype(np.int64), drop_attributes(x))


_LOGICAL_VALUES = {
    **dict.fromkeys(("TRUE", "T", "true", "True"), True),
    **dict.fromkeys(("FALSE", "F", "false", "False"), False),
}


def as_logical(x: Value) -> Value:
    """Return logical values without names; a number is true unless it is 0.

    Examples
    --------
    >>> as_logical([0, 2]), as_logical("T")
    (array([False,  True]), True)
    """
    values = to_vector(x)
    if values.dtype == object and None not in values:
        if unknown := [each for each in values if each not in _LOGICAL_VALUES]:
            raise PydpstatError(f"{unknown[0]!r} is neither TRUE nor FALSE, so that R has NA, which is not supported")
        values = np.array([_LOGICAL_VALUES[each] for each in values], bool)
    return match_shape(to_logical_vector(values), drop_attributes(x))


def as_character(x: Value) -> Value:
    """Return strings without names: numbers with up to 15 significant digits, factors as labels.

    Examples
    --------
    >>> as_character([1e5, 0.1]), as_character(True)
    (array(['1e+05', '0.1'], dtype=object), 'TRUE')
    """
    return match_shape(to_strings(x), drop_attributes(x))


def as_vector(x: Value) -> Value:
    """Return a vector without names: the labels of a factor, the columns of a matrix; a list is unchanged.

    Examples
    --------
    >>> as_vector(np.array([[1, 2], [3, 4]]))
    array([1, 3, 2, 4])
    """
    if isinstance(x, (list, Mapping)) or not has_length(x):
        return x
    return to_vector(x)
