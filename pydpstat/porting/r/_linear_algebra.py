"""R's products and inverses of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._matrices import as_matrix, t
from pydpstat.porting.r._shapes import Array, dimnames_of, named, sides_of, vector, with_names


def diag(x: Any = 1.0, nrow: int | None = None) -> Array:
    """Return a matrix's diagonal, a matrix with that diagonal, or for one number an identity matrix.

    Examples
    --------
    >>> diag(2)
    array([[1., 0.],
           [0., 1.]])
    """
    if sides_of(x) == 2:
        return np.diagonal(np.asarray(x)).copy()
    values = vector(x)
    if values.size == 1 and nrow is None:
        return np.eye(int(values[0]))
    return np.diag(np.resize(values.astype(np.float64), int(nrow) if nrow else values.size))


def solve(a: Any, b: Any = None) -> Any:
    """Return the solution of ``a %*% x == b``, or the inverse of a matrix, by LAPACK as R does.

    The last bits are those of NumPy's library. What R calls computationally singular is refused.

    Examples
    --------
    >>> solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
    array([1. , 0.5])
    """
    left = np.asarray(as_matrix(a), dtype=np.float64)
    if left.shape[0] != left.shape[1]:
        raise PydpstatError(f"a must have as many rows as columns; got {left.shape}")
    with np.errstate(all="ignore"):
        singular = not np.linalg.slogdet(left)[0] or 1 / np.linalg.cond(left, 1) < np.finfo(float).eps
    if singular:
        raise PydpstatError("a is computationally singular: some of its columns follow from the others")
    rows, columns = dimnames_of(as_matrix(a))
    if b is None:
        return named(np.linalg.inv(left), (columns, rows))
    right = np.asarray(as_matrix(b), dtype=np.float64)
    if len(right) != len(left):
        raise PydpstatError(f"b must have {len(left)} rows, as a has; got {len(right)}")
    found = np.linalg.solve(left, right)
    return (
        named(found, (columns, dimnames_of(b)[1])) if sides_of(b) == 2 else with_names(found[:, 0], columns)
    )


def det(x: Any) -> float:
    """Return the determinant, from its logarithm as R's ``det``.

    Examples
    --------
    >>> round(det([[2.0, 0.0], [0.0, 3.0]]), 12)
    6.0
    """
    sign, size = np.linalg.slogdet(np.asarray(x, dtype=np.float64))
    return float(sign * np.exp(size))


def matmul(x: Any, y: Any) -> Array:
    """Return R's ``x %*% y``, summed in the order of the reference BLAS: a matrix, also of vectors.

    Examples
    --------
    >>> matmul([1, 2], [3, 4]), matmul(np.eye(2), [3, 4])
    (array([[11.]]), array([[3.],
           [4.]]))
    """
    left, right = as_matrix(x), as_matrix(y)
    if sides_of(x) < 2 and (sides_of(y) < 2 or len(left) == len(right)):
        left = t(left)
    if sides_of(y) < 2 and left.shape[1] == 1 != len(right):
        right = t(right)
    if left.shape[1] != right.shape[0]:
        raise PydpstatError(f"x must have as many columns as y has rows; got {left.shape} and {right.shape}")
    a, b = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        # then R sums in long double
        a, b = a.astype(np.longdouble), b.astype(np.longdouble)
    total = np.zeros((len(a), b.shape[1]), dtype=a.dtype)
    with np.errstate(invalid="ignore"):
        for column, row in zip(a.T, b):
            total += np.multiply.outer(column, row)
    return named(total.astype(np.float64), (dimnames_of(left)[0], dimnames_of(right)[1]))


def crossprod(x: Any, y: Any = None) -> Array:
    """Return ``t(x) %*% y``, and ``t(x) %*% x`` without `y`.

    Examples
    --------
    >>> crossprod([1, 2])
    array([[5.]])
    """
    return matmul(t(x), as_matrix(x if y is None else y))


def tcrossprod(x: Any, y: Any = None) -> Array:
    """Return ``x %*% t(y)``, and ``x %*% t(x)`` without `y`.

    Examples
    --------
    >>> tcrossprod([1, 2]).tolist()
    [[1.0, 2.0], [2.0, 4.0]]
    """
    return matmul(as_matrix(x), t(x if y is None else y))


_SIGNS = {"-": np.subtract, "+": np.add, "*": np.multiply, "/": np.divide}


def sweep(x: Any, MARGIN: int, STATS: Any, FUN: str | Callable[..., Any] = "-") -> Any:
    """Return a matrix less a value for each row (1) or column (2), or combined with it by another function.

    Examples
    --------
    >>> sweep(np.array([[1, 2], [3, 4]]), 2, [1, 2])
    array([[0, 0],
           [2, 2]])
    """
    source, stats = as_matrix(x), vector(STATS)
    if stats.size not in (1, source.shape[MARGIN - 1]):
        raise PydpstatError(f"STATS must have {source.shape[MARGIN - 1]} values; got {stats.size}")
    function = _SIGNS[FUN] if isinstance(FUN, str) else FUN
    wide = np.broadcast_to(stats[:, None] if MARGIN == 1 else stats, source.shape)
    result = function(np.asarray(source), wide)
    if isinstance(x, pd.DataFrame):
        return pd.DataFrame(result, columns=x.columns, index=x.index)
    return named(result, dimnames_of(source))
