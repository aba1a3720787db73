"""What every noise distribution shares: frozen public parameters, equality, hashing, pickling."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import checks
from pydpstat.errors import PydpstatError


class Noise:
    """Base of the frozen noise distributions: compares and hashes by value, arrays included."""

    def _key(self) -> tuple[Any, ...]:
        values = (getattr(self, item.name) for item in fields(self))  # type: ignore[arg-type]
        return tuple((v.shape, v.tobytes()) if isinstance(v, np.ndarray) else v for v in values)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self._key() == other._key()  # type: ignore[attr-defined,no-any-return]

    def __hash__(self) -> int:
        return hash((type(self), self._key()))

    def __reduce__(self) -> tuple[Any, ...]:
        # through the constructor: a pickled array would come back writeable
        return type(self), tuple(getattr(self, item.name) for item in fields(self))  # type: ignore[arg-type]


def positive_values(value: Any, name: str, hint: str) -> Any:
    """Check that a number, or every number of an array, is finite and above 0.

    Returns a float for a scalar and otherwise a read-only copy as float64.
    """
    if np.ndim(value) == 0:
        return checks.positive(unwrap(value), name, hint)
    array: npt.NDArray[Any] = np.asarray(value)
    if array.dtype.kind not in "iuf" or not np.all((array > 0) & np.isfinite(array)):
        raise PydpstatError(
            f"{name} must be numbers > 0 and finite, every one; got {checks.shown(value)}. {hint}"
        )
    frozen = array.astype(np.float64)
    frozen.flags.writeable = False
    return frozen


def curve_epsilon(epsilon: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Check the epsilons at which a privacy curve is asked for: numbers from 0 on."""
    values = np.asarray(epsilon)
    if values.dtype.kind not in "iuf" or not np.all(values >= 0):
        raise PydpstatError(
            f"epsilon must be at least 0, every one; got {checks.shown(epsilon)}. Give for example 1."
        )
    return values.astype(np.float64)


def unwrap(values: Any) -> Any:
    """Return a zero-dimensional result as a Python float, an array as it is."""
    if isinstance(values, (np.ndarray, np.generic)) and values.ndim == 0:
        return values.item()
    return values


def tail_pair(q: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return a probability (NaN where it is none) and its complement, which is exact from 1/2 on."""
    p = np.asarray(q, dtype=np.float64)
    p = np.where((p >= 0.0) & (p <= 1.0), p, np.nan)
    return p, 1.0 - p
