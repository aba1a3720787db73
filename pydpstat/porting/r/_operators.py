"""R's operators that NumPy and pandas do not have: remainders, rows, cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic import Table

_EPSILON = float(np.finfo(np.float64).eps)
_LARGEST = 2**31 - 1


def _shaped(function: Callable[..., npt.NDArray[np.float64]], x: object, y: object) -> object:
    both = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    with np.errstate(all="ignore"):
        found = function(*both)
    return float(found) if found.ndim == 0 else found


def modulo(x: npt.ArrayLike, y: npt.ArrayLike) -> object:
    """Return ``x %% y`` as R rounds it.

    Examples
    --------
    >>> modulo(5.5, 2), modulo(-1, 3)
    (1.5, 2.0)
    """

    def remainder(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        wide = b.astype(np.longdouble)
        rest = a.astype(np.longdouble) - np.floor(a / b) * wide
        found = (rest - np.floor((rest / wide).astype(np.float64)) * wide).astype(np.float64)
        small = (np.abs(b) * _EPSILON > 1) & np.isfinite(a) & (np.abs(a) <= np.abs(b))
        unlike = ((a < 0) & (b > 0)) | ((a > 0) & (b < 0))
        near = np.where(np.abs(a) == np.abs(b), 0.0, np.where(unlike, a + b, a))
        return np.asarray(np.where(b == 0, np.nan, np.where(small, near, found)))

    return _shaped(remainder, x, y)


def quotient(x: npt.ArrayLike, y: npt.ArrayLike) -> object:
    """Return ``x %/% y`` as R rounds it.

    Examples
    --------
    >>> quotient(1, 0.2), quotient(-1, 3)
    (4.0, -1.0)
    """

    def whole(a: npt.NDArray[np.float64], b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        q = a / b
        wide = b.astype(np.longdouble)
        rest = a.astype(np.longdouble) - np.floor(q) * wide
        found = (np.floor(q) + np.floor(rest / wide)).astype(np.float64)
        unlike = ((a < 0) & (b > 0)) | ((a > 0) & (b < 0))
        found = np.where(np.abs(q) < 1, np.where((q < 0) | unlike, -1.0, 0.0), found)
        return np.asarray(np.where((b == 0) | ~np.isfinite(q), q, found))

    return _shaped(whole, x, y)


def integers(x: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return integers, if R has them; beyond 2,147,483,647 R's are missing, which is an error here."""
    if np.abs(x).max(initial=0) > _LARGEST:
        raise PydpstatError("the product is beyond R's integers: R's result is NA. Use numbers such as 1.0.")
    return x


def each(x: object) -> Iterable[object]:
    """Return what R's ``for`` goes over: elements, a data frame's columns, a matrix's cells by column."""
    if x is None:
        return []
    if isinstance(x, dict):
        return list(x.values())
    if isinstance(x, pd.DataFrame):
        return [x[name].values for name in x.columns]
    if isinstance(x, list):
        return x
    if isinstance(x, (pd.Series, pd.Categorical)):
        return list(x)
    if isinstance(x, Table):
        return [int(count) for count in x.counts.ravel(order="F")]
    return np.atleast_1d(np.asarray(x)).ravel(order="F")  # type: ignore[no-any-return]


def column_or(frame: pd.DataFrame, name: str, value: object) -> object:
    """Return a column of a data frame where it has it, and else a variable, as R looks for names."""
    return frame[name] if name in frame.columns else value


def slot(object: Any, name: str) -> Any:  # noqa: A002
    """Return a slot of an object, nan where it has no value yet, as R has NA there."""
    found = getattr(object, name)
    return math.nan if found is None else found
