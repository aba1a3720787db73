"""What the DPpack mirrors accept as data, read as R would read it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.containers import as_array, has_columns, name_of
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import numeric
from pydpstat.r_arithmetic.factor import is_categorical

SENSITIVITIES = ("bounded", "unbounded", "both")
MECHANISMS = ("Laplace", "Gaussian", "analytic")


def numbers(x: Any, name: str) -> np.ndarray:
    """Return data as a flat array of numbers or booleans; a message tells only the data's type."""
    if type(x) is np.ndarray and x.dtype.kind == "f":
        return numeric(x, name)
    if not _may_be_numbers(x):
        raise PydpstatError(
            f"{name} must be a numeric vector; got {type(x).__name__}. "
            "Give a list, a NumPy array or a Series of numbers."
        )
    if isinstance(x, (list, tuple)) and not x:
        return np.empty(0)
    return numeric(x, name)


def _may_be_numbers(x: object) -> bool:
    """Tell whether something is neither a text nor what R has as a list or a factor."""
    return not (x is None or isinstance(x, (str, dict, set)) or has_columns(x) or is_categorical(x))


def plain_array(x: object) -> np.ndarray | None:
    """Return data as an array of their own shape; None for what R has as no vector or matrix."""
    try:
        return as_array(x) if _may_be_numbers(x) else None
    except (TypeError, ValueError):
        return None


def vector(x: Any, name: str) -> np.ndarray:
    """Return data as `numbers` does, and refuse a matrix as R's is.vector does."""
    values = numbers(x, name)
    if np.ndim(x) > 1:
        raise PydpstatError(f"{name} must be a numeric vector; got {np.ndim(x)} dimensions. Give one column.")
    return values


def bound(value: Any, name: str) -> float:
    """Return a bound: one number, perhaps infinite, not missing."""
    return checks.scalar(value, name)


def column_name(x: Any, otherwise: str) -> str:
    """Return the name of a Series, or another where it has none."""
    name = name_of(x)
    return otherwise if name is None else name
