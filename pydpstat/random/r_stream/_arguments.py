"""Checks of the arguments of R's random functions, and recycling as R does it."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from pydpstat._checks import shown
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import doubles

R_LARGEST_INTEGER = 2147483647


def refuse(name: str, value: Any, allowed: str) -> PydpstatError:
    """Return the error for an argument."""
    return PydpstatError(f"{name} must be {allowed}; got {shown(value)}.")


def whole(value: Any, name: str, allowed: str = "a whole number of at least 0") -> int:
    """Check a whole number of at least 0; a float without a fraction will do."""
    if type(value) is int and value >= 0:
        return value
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise refuse(name, value, allowed) from None
    if number < 0:
        raise refuse(name, value, allowed)
    return number


def seed(value: Any) -> int:
    """Check a seed of R's ``set.seed``."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        number = R_LARGEST_INTEGER + 1
    if abs(number) > R_LARGEST_INTEGER:
        raise refuse("seed", value, "a whole number from -2147483647 to 2147483647, as for R's set.seed()")
    return number


def numbers(value: Any, name: str) -> Any:
    """Return a float for one number, or an array of floats, in R's order, for several."""
    if type(value) is float:
        return value
    if isinstance(value, (int, np.floating, np.integer)):
        return float(value)
    array = doubles(value, name)
    if array.size == 0:
        raise refuse(name, value, "at least one number")
    return array if array.size > 1 else float(array[0])


def recycled(value: Any, n: int) -> np.ndarray:
    """Repeat a parameter to n values, or cut it there, as R does."""
    if isinstance(value, float):
        return np.full(n, value)
    return np.resize(value, n)


def require(condition: Any, name: str, value: Any, allowed: str) -> None:
    """Refuse a parameter for which R returns NaN; nothing has been drawn by then."""
    if isinstance(condition, np.ndarray):
        if condition.all():
            return
        value = float(value[np.flatnonzero(~condition)[0]])
    elif condition:
        return
    raise PydpstatError(f"{name} must be {allowed}; got {shown(value)}. R returns NaN there.")
