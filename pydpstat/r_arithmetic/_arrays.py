"""Conversion of arguments to one-dimensional arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from pydpstat._data.containers import find_library
from pydpstat._data.native import read_variable
from pydpstat._data.values import fill_masked, is_missing, suggest_numbers
from pydpstat.errors import PydpstatError

# float64, integers or booleans
Numeric = np.ndarray


def to_numeric(x: object, name: str = "x") -> Numeric:
    """Convert to a float64, integer or boolean vector, in column-major order as in R."""
    if type(x) is np.ndarray and x.ndim == 1 and x.dtype == np.float64:
        return x
    if find_library(x) or isinstance(x, Iterator):
        x = read_variable(x, name, needs_order=True)
    if find_library(x):
        raise PydpstatError(
            f"{name} must be numeric; got {type(x).__name__}. Give a list, an array or a Series of numbers."
        )
    try:
        values = np.asarray(fill_masked(x))
    except ValueError as error:
        raise PydpstatError(
            f"{name} must be numeric; got {type(x).__name__} whose rows differ in length. Give one column."
        ) from error
    if values.dtype.kind == "O":
        values = _from_objects(values, name)
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
    elif values.dtype.kind not in "iub":
        hint = suggest_numbers(values.dtype.kind, "Convert it to numbers first.")
        raise PydpstatError(f"{name} must be numeric; got the type {values.dtype}. {hint}")
    return values.ravel(order="F") if values.ndim != 1 else values


def to_doubles(x: object, name: str = "x") -> npt.NDArray[np.float64]:
    """Convert to a float64 vector."""
    return to_numeric(x, name).astype(np.float64, copy=False)


def has_length(value: object) -> TypeGuard[Sized]:
    """Return whether a value is a vector of several values in R's sense; a string is a single value."""
    if isinstance(value, str):
        return False
    try:
        len(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _from_objects(values: npt.NDArray[np.object_], name: str) -> npt.NDArray[np.float64]:
    """Convert numbers with None or pandas.NA among them to a float vector with NaN."""
    flat = values.ravel(order="F").tolist()
    try:
        return np.array([np.nan if is_missing(v) else v for v in flat]).astype(np.float64, casting="same_kind")
    except (TypeError, ValueError) as error:
        raise PydpstatError(
            f"{name} must be numeric; got other objects in it. Convert it first, as by ({name} == 'yes') * 1."
        ) from error
