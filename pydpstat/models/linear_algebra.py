"""Matrix products added in the order of the reference BLAS, which R uses: column by column, no FMA."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# with fewer rows one pass over all columns is faster than one for each
_FEW = 256
# rows whose products are held at a time: with 20 columns they stay in the second-level cache
_ROWS = 1024


def matrix_vector(X: Floats, w: Floats) -> Floats:
    """Return X w, shape (n,): the columns' multiples added from first to last.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Fastest in column-major order.
    w : ndarray of shape (d,)

    Examples
    --------
    >>> from pydpstat.models.linear_algebra import matrix_vector
    >>> matrix_vector(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
    array([21., 43.])
    """
    with np.errstate(all="ignore"):
        if X.shape[0] < _FEW:
            return sums_of_rows(X * w)
        total = X[:, 0] * w[0]
        term = np.empty_like(total)
        for j in range(1, w.size):
            np.multiply(X[:, j], w[j], out=term)
            total += term
    return total


def sums_of_rows(terms: Floats) -> Floats:
    """Return each row's sum, added from first to last; `numpy.sum` adds in another order."""
    total: Floats = np.add.accumulate(terms, axis=1)[:, -1]
    return total


def vector_rows(r: Floats, X: Floats) -> Floats:
    """Return X' r, shape (d,): the rows' multiples added from first to last.

    Parameters
    ----------
    r : ndarray of shape (n,)
    X : ndarray of shape (n, d)
        Fastest in row-major order.

    Examples
    --------
    >>> from pydpstat.models.linear_algebra import vector_rows
    >>> vector_rows(np.array([1.0, 10.0]), np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([31., 42.])
    """
    n, d = X.shape
    with np.errstate(all="ignore"):
        if d == 1:
            # a single column would be added pairwise
            return np.add.accumulate(X[:, 0] * r)[-1:]
        buffer = np.zeros((min(_ROWS, n) + 1, d))
        for start in range(0, n, _ROWS):
            piece = X[start : start + _ROWS]
            rows = piece.shape[0]
            np.multiply(piece, r[start : start + _ROWS, None], out=buffer[1 : rows + 1])
            buffer[0] = np.add.reduce(buffer[: rows + 1], axis=0)
        return buffer[0].copy()


def dot(a: Floats, b: Floats) -> float:
    """Return the product of two vectors, added from first to last.

    Examples
    --------
    >>> from pydpstat.models.linear_algebra import dot
    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    total = 0.0
    for x, y in zip(a.tolist(), b.tolist()):
        total += x * y
    return total
