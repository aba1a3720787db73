"""What the DPpack mirrors accept as data, read as R would read it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pydpstat._data.containers import as_array, has_columns, name_of
from pydpstat._data.held import variable
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import numeric
from pydpstat.r_arithmetic.factor import is_categorical

Floats = npt.NDArray[np.float64]
# of numbers or truth values
Numbers = npt.NDArray[np.generic]

SENSITIVITIES = ("bounded", "unbounded", "both")
MECHANISMS = ("Laplace", "Gaussian", "analytic")


def numbers(x: object, name: str, *, beside: bool = False) -> Numbers:
    """Return data as a flat array of numbers or booleans; a message tells only the data's type.

    Of data `beside` others the records need an order.
    """
    if type(x) is np.ndarray and x.dtype == np.float64 and x.ndim == 1:
        return x
    x = variable(x, name, beside=beside)
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


def plain_array(x: object) -> Numbers | None:
    """Return data as an array of their own shape; None for what R has as no vector or matrix."""
    try:
        return as_array(x) if _may_be_numbers(x) else None
    except (TypeError, ValueError):
        return None


def vector(x: npt.ArrayLike, name: str, *, beside: bool = False) -> Numbers:
    """Return data as `numbers` does, and refuse a matrix as R's is.vector does."""
    x = variable(x, name, beside=beside)
    values = numbers(x, name)
    if np.ndim(x) > 1:
        raise PydpstatError(f"{name} must be a numeric vector; got {np.ndim(x)} dimensions. Give one column.")
    return values


def clip(x: npt.NDArray[np.generic], lower: float | Floats, upper: float | Floats) -> Floats:
    """Move values to the bounds: first those below `lower`, then those above `upper`.

    Missing values stay missing. With reversed bounds every value becomes `upper`.
    """
    clipped = np.maximum(x, lower, dtype=np.float64)
    return np.minimum(clipped, upper, out=clipped)


def column_name(x: object, otherwise: str) -> str:
    """Return the name of a Series, or another where it has none."""
    name = None if type(x) is np.ndarray else name_of(x)
    return otherwise if name is None else name
