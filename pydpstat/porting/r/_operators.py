"""R's operators that NumPy and pandas do not have: remainders, rows, cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable

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


def _positions(index: object, names: Iterable[object], size: int, what: str) -> npt.NDArray[np.int64]:
    """Return the positions from 0 that an index of R chooses; none may be outside or missing."""
    if index is None:
        return np.arange(size)
    given = np.atleast_1d(np.asarray(index))
    if given.dtype.kind in "USO":
        places = {str(name): k for k, name in enumerate(names)}
        if unknown := [each for each in given if str(each) not in places]:
            raise PydpstatError(f"there is no {what} {unknown[0]!r}; there are {', '.join(places)}")
        return np.array([places[str(each)] for each in given], dtype=np.int64)
    if given.dtype.kind == "b":
        if given.size != size:
            raise PydpstatError(f"{given.size} truth values choose among {size} {what}s: give one for each")
        return np.flatnonzero(given)
    if given.dtype.kind == "f" and (np.isnan(given).any() or (given != np.floor(given)).any()):
        raise PydpstatError(f"the index of {what}s has missing or broken numbers")
    found = given.astype(np.int64)
    if (np.abs(found) > size).any() and not (found < 0).all():
        raise PydpstatError(
            f"the index has {found[np.abs(found) > size][0]}, and there are {size} {what}s: R gives NA there"
        )
    if (found < 0).any():
        if (found > 0).any():
            raise PydpstatError("an index cannot have positive and negative numbers")
        return np.setdiff1d(np.arange(size), -found - 1)
    return found[found > 0] - 1


def rows(frame: pd.DataFrame, index: object) -> pd.DataFrame:
    """Return ``frame[index, ]``."""
    return frame.iloc[_positions(index, frame.index, len(frame), "row")]


def columns(frame: pd.DataFrame, index: object) -> pd.DataFrame:
    """Return ``frame[index]``, a data frame of these columns."""
    return frame.iloc[:, _positions(index, frame.columns, len(frame.columns), "column")]


def cells(x: object, row: object, column: object, drop: bool = True) -> object:
    """Return ``x[row, column]`` of a matrix, a table or a data frame; None chooses all."""
    if isinstance(x, pd.DataFrame):
        found = columns(rows(x, row), column)
        return found.iloc[:, 0].values if drop and found.shape[1] == 1 else found
    names: tuple[Iterable[object], Iterable[object]] = ((), ())
    if isinstance(x, Table):
        names, x = (x.dimnames[0], x.dimnames[1]), x.counts
    matrix = np.asarray(x)
    if matrix.ndim != 2:
        raise PydpstatError(
            f"two indices are for a matrix or a data frame, and x has {matrix.ndim} dimensions"
        )
    places = [
        _positions(each, name, size, what)
        for each, name, size, what in zip((row, column), names, matrix.shape, ("row", "column"))
    ]
    found_ = matrix[np.ix_(*places)]
    if not drop or 1 not in found_.shape:
        return found_
    return found_.item() if found_.size == 1 else found_.ravel()


def replaced_cells(x: object, row: object, column: object, value: object) -> object:
    """Return what a matrix or a data frame is after ``x[row, column] <- value``."""
    if isinstance(x, pd.DataFrame):
        frame = x.copy()
        at = _positions(row, x.index, len(x), "row")
        for place in _positions(column, x.columns, len(x.columns), "column"):
            old = (
                frame.iloc[:, place]
                .to_numpy()
                .astype(np.result_type(np.asarray(value), frame.iloc[:, place].to_numpy()))
            )
            old[at] = value
            frame[frame.columns[place]] = old
        return frame
    matrix = np.asarray(x)
    found = matrix.astype(np.result_type(matrix, np.asarray(value)))
    where = np.ix_(
        _positions(row, (), matrix.shape[0], "row"), _positions(column, (), matrix.shape[1], "column")
    )
    given = np.asarray(value)
    shape = found[where].shape
    found[where] = given if given.ndim in (0, 2) or given.size == 1 else given.reshape(shape, order="F")
    return found
