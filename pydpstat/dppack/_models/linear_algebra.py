"""Matrix products added in the order of the reference BLAS, which R uses: column by column, no FMA."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# with fewer rows one pass over all columns is faster than one for each
_FEW = 256


def matrix_vector(X: Floats, w: Floats) -> Floats:
    """Return X w, shape (n,): the columns' multiples added from first to last.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Fastest in column-major order.
    w : ndarray of shape (d,)

    Examples
    --------
    >>> from pydpstat.dppack._models.linear_algebra import matrix_vector
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


class RowProducts:
    """The products X' r for one matrix X and many vectors r, the rows' multiples added from first to last.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Kept as it is where it is row-major.

    Examples
    --------
    >>> from pydpstat.dppack._models.linear_algebra import RowProducts
    >>> RowProducts(np.array([[1.0, 2.0], [3.0, 4.0]]))(np.array([1.0, 10.0]))
    array([31., 42.])
    """

    def __init__(self, X: Floats) -> None:
        from scipy.sparse import bsr_matrix

        n, d = X.shape
        # a block a record: SciPy adds block after block, several times faster than NumPy row after row
        blocks = np.ascontiguousarray(X).reshape(n, d, 1)
        places = np.arange(n, dtype=np.int32), np.array([0, n], dtype=np.int32)
        self._blocks = bsr_matrix((blocks, *places), shape=(d, n))

    def __call__(self, r: Floats) -> Floats:
        """Return X' r, shape (d,), for `r` of shape (n,)."""
        product: Floats = self._blocks @ r
        return product


def dot(a: Floats, b: Floats) -> float:
    """Return the product of two vectors, added from first to last.

    Examples
    --------
    >>> from pydpstat.dppack._models.linear_algebra import dot
    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    total = 0.0
    for x, y in zip(a.tolist(), b.tolist()):
        total += x * y
    return total
