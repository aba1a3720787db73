"""R's operators without a counterpart in NumPy and pandas: remainders, quotients and others."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from pydpstat._data.values import is_missing
from pydpstat.errors import PydpstatError
from pydpstat.porting.r._positions import get_component
from pydpstat.porting.r._values import (
    Value,
    Vector,
    count_elements,
    expand_by_recycling,
    make_elementwise,
    match_shape,
    to_plain_vector,
)

_OPERATORS: dict[str, Callable[[Value, Value], Value]] = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv},
    **{"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge},
    **{"&": np.logical_and, "|": np.logical_or},
}
_MACHINE_EPSILON = float(np.finfo(np.float64).eps)


def _make_typed_operator(of_integers: Callable[..., Value], of_doubles: Callable[..., Value]) -> Callable[..., Vector]:
    def apply_operator(x: Vector, y: Vector) -> Vector:
        if "f" in x.dtype.kind + y.dtype.kind:
            return np.asarray(of_doubles(x.astype(np.float64), y.astype(np.float64)))
        if (y == 0).any():
            raise PydpstatError("y has an integer 0, where R has NA: write 0.0 for Inf or NaN of doubles")
        return np.asarray(of_integers(x.astype(np.int64), y))

    return apply_operator


def _compute_remainder(a: Vector, b: Vector) -> Vector:
    wide = b.astype(np.longdouble)
    rest = a.astype(np.longdouble) - np.floor(a / b) * wide
    found = (rest - np.floor((rest / wide).astype(np.float64)) * wide).astype(np.float64)
    small = (np.abs(b) * _MACHINE_EPSILON > 1) & np.isfinite(a) & (np.abs(a) <= np.abs(b))
    unlike = ((a < 0) & (b > 0)) | ((a > 0) & (b < 0))
    near = np.where(np.abs(a) == np.abs(b), 0.0, np.where(unlike, a + b, a))
    return np.where(b == 0, np.nan, np.where(small, near, found))


def _compute_quotient(a: Vector, b: Vector) -> Vector:
    q = a / b
    wide = b.astype(np.longdouble)
    rest = a.astype(np.longdouble) - np.floor(q) * wide
    found = (np.floor(q) + np.floor(rest / wide)).astype(np.float64)
    unlike = ((a < 0) & (b > 0)) | ((a > 0) & (b < 0))
    found = np.where(np.abs(q) < 1, np.where((q < 0) | unlike, -1.0, 0.0), found)
    return np.where((b == 0) | ~np.isfinite(q), q, found)


modulo = make_elementwise(_make_typed_operator(np.mod, _compute_remainder), "modulo", "Remainder, R's ``%%``")
quotient = make_elementwise(
    _make_typed_operator(np.floor_divide, _compute_quotient), "quotient", "Whole quotient, R's ``%/%``"
)


def divide(x: Value, y: Value) -> Value:
    """Return a quotient, which is infinite for division by zero.

    Examples
    --------
    >>> divide(1, 0), divide(6, 3)
    (inf, 2.0)
    """
    try:
        with np.errstate(all="ignore"):
            return x / y
    except ZeroDivisionError:
        # for two Python numbers
        if x == 0:
            raise PydpstatError(
                "0 / 0 is NaN in R, which is NA here: write NA where a number is divided by 0"
            ) from None
        return math.nan if x != x else math.copysign(math.inf, x) * math.copysign(1.0, y)


def recycled(x: Value, sign: str, y: Value) -> Value:
    """Return the result of an operator; the elements of the shorter vector are repeated, as in R.

    Examples
    --------
    >>> recycled(np.array([1, 2, 3, 4]), "*", np.array([1, 10]))
    array([ 1, 20,  3, 40])
    """
    sizes = count_elements(x), count_elements(y)
    vectors = all(isinstance(value, (np.ndarray, pd.Series)) and value.ndim == 1 for value in (x, y))
    if sizes[0] == sizes[1] or 1 in sizes or not vectors:
        with np.errstate(all="ignore"):
            return _OPERATORS[sign](x, y)
    if min(sizes) and max(sizes) % min(sizes):
        warnings.warn("longer object length is not a multiple of shorter object length", stacklevel=2)
    first, second = expand_by_recycling(to_plain_vector(x, "x"), to_plain_vector(y, "y"))
    with np.errstate(all="ignore"):
        return match_shape(_OPERATORS[sign](first, second), x, y)


def each(x: object) -> Iterable[object]:
    """Return the values that R's ``for`` iterates over: elements, columns, or a matrix's cells by column."""
    if x is None:
        return []
    if isinstance(x, dict):
        return list(x.values())
    if isinstance(x, pd.DataFrame):
        return [x[name].values for name in x.columns]
    if isinstance(x, list):
        return x
    if isinstance(x, (pd.Series, pd.Categorical)):
        return [math.nan if is_missing(value) else value for value in x]
    values = np.atleast_1d(np.asarray(getattr(x, "counts", x))).ravel(order="F")
    # None would be NULL
    return [math.nan if value is None else value for value in values] if values.dtype == object else values


def column_or(frame: pd.DataFrame, name: str, value: object) -> object:
    """Return a column of a data frame if it exists, or else the value of a variable, by R's lookup rules."""
    return frame[name] if name in frame.columns else value


def slot(object: Value, name: str) -> Value:  # noqa: A002
    """Return a slot of an object, or nan, R's NA, if it has no value yet."""
    found = get_component(object, name)
    return math.nan if found is None else found
