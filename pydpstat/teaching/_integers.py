"""Checks of whole numbers, shared by the teaching parts."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from pydpstat._checks import is_number, shown
from pydpstat.errors import PydpstatError

# 64-bit integers hold a few of these added up
LARGEST = 2**60


def whole(value: Any, name: str, least: int | None = None, hint: str = "") -> int:
    """Check a whole number (a float may be one) of at least `least`, and return it as an int.

    Examples
    --------
    >>> from pydpstat.teaching._integers import whole
    >>> whole(5.0, "count")
    5
    """
    number = value.item() if isinstance(value, (np.integer, np.floating)) else value
    fits = is_number(number) and (isinstance(number, numbers.Rational) or math.isfinite(number))
    if fits and abs(number) <= LARGEST and number == int(number) and (least is None or number >= least):
        return int(number)
    wanted = "a whole number" + ("" if least is None else f" of at least {least}")
    raise PydpstatError(f"{name} must be {wanted}; got {shown(value)}. {hint or 'Give for example 5.'}")


def several(values: Any, name: str, example: str) -> list[int]:
    """Check several whole numbers, of any container, and return them as a list.

    Examples
    --------
    >>> from pydpstat.teaching._integers import several
    >>> several((5, 7.0), "answers", "[5, 7]")
    [5, 7]
    """
    try:
        given = None if isinstance(values, (str, bytes)) else iter(values)
    except TypeError:
        given = None
    if given is None:
        raise PydpstatError(
            f"{name} must be several whole numbers; got {type(values).__name__}. Give for example {example}."
        )
    return [whole(value, name, hint=f"Give for example {example}.") for value in given]
