"""Neighbors of points, found by a tree in at most eight dimensions."""

from __future__ import annotations

import numpy as np

# more dimensions make a tree no faster than looking at all points
_MOST = 8


def tree_space(rows: np.ndarray) -> np.ndarray:
    """Return a matrix whose rows, where they are near each other, are likely so in the space given.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The rows' values.

    Returns
    -------
    ndarray of shape (d, d) or (d, 8)
        What to multiply rows with: nothing is left out up to eight variables, of more the eight
        leading principal components are kept.
    """
    variables = rows.shape[1]
    if variables <= _MOST:
        return np.eye(variables)
    components = np.linalg.eigh(np.cov(rows, rowvar=False))[1][:, -_MOST:]
    # the last digits and the sign are the processor's
    components *= np.where(components[np.abs(components).argmax(axis=0), np.arange(_MOST)] < 0.0, -1.0, 1.0)
    return components.round(6)


def in_space(rows: np.ndarray, space: np.ndarray) -> np.ndarray:
    """Return rows multiplied with a matrix, in an order of additions that is not BLAS's.

    Examples
    --------
    >>> in_space(np.array([[1.0, 2.0]]), np.eye(2))
    array([[1., 2.]])
    """
    return np.einsum("nd,de->ne", rows, space)


def nearest(points: np.ndarray, to: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return distances and places of the `count` points nearest to each of others, in lines.

    Parameters
    ----------
    points : ndarray of shape (m, d)
        Where to look.
    to : ndarray of shape (n, d)
        Whose neighbors are wanted.
    count : int
        How many; fewer where there are fewer points.
    """
    from scipy.spatial import cKDTree

    count = min(count, len(points))
    distances, places = cKDTree(points).query(to, k=count)
    return distances.reshape(len(to), count), places.reshape(len(to), count)
