"""What a mechanism's target may return, read as R would read it. All of it is private."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.containers import has_columns, row_names
from pydpstat.errors import PydpstatError


def exact_numbers(raw: Any) -> tuple[npt.NDArray[np.float64], tuple[str, ...] | None]:
    """Return a target's numbers as floats, 0-d for a single number, and their names if they have some."""
    if type(raw) is float:
        return np.array(raw), None
    value = None
    if raw is not None and not isinstance(raw, (str, dict, set)) and not has_columns(raw):
        try:
            value = np.asarray(raw)
        except ValueError:  # a ragged list
            value = None
    if value is None or value.size and value.dtype.kind not in "fiu":
        raise PydpstatError(
            f"target must return numbers; it returned {type(raw).__name__}. "
            "Let it return a number or a vector of numbers."
        )
    if value.ndim > 1:
        raise PydpstatError(
            f"target must return a vector; it returned {value.ndim} dimensions, for which R has no method. "
            "Flatten it."
        )
    return value.astype(np.float64), row_names(raw)


def function_of(value: Any) -> Callable[[Any], Any]:
    """Check that a target returned a function."""
    if not callable(value):
        raise PydpstatError(
            f"target must return a function for this mechanism; it returned {type(value).__name__}. "
            "Let it return for example lambda response: X.count(response)."
        )
    return value  # type: ignore[no-any-return]


def quality(value: Any) -> float:
    """Check a response's quality: one number; a boolean counts as 0 or 1."""
    number = checks.unwrap(value)
    if isinstance(number, (bool, np.bool_)) or checks.is_number(number):
        return checks.as_float(number)
    raise PydpstatError(
        f"the quality of a response must be one number; got {type(value).__name__}. "
        "Let the function that target returns give a number."
    )
