"""Neighbors of points, found by a tree in at most eight dimensions."""

from __future__ import annotations

import numpy as np

# more dimensions make a tree no faster than looking at all points
_MOST = 8


class Space:
    """Where neighbors are looked for: what is near there is likely near among the variables, too.

    Nothing is left out up to eight variables; of more the eight leading principal components are kept.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The rows' values.

    Examples
    --------
    >>> points = np.array([[0.0, 0.0], [3.0, 4.0], [9.0, 9.0]])
    >>> Space(points).nearest(points, np.array([[0.0, 1.0]]), 1)
    (array([[1.]]), array([[0]]))
    """

    def __init__(self, rows: np.ndarray) -> None:
        self._components: np.ndarray | None = None
        if rows.shape[1] > _MOST:
            components = np.linalg.eigh(np.cov(rows, rowvar=False))[1][:, -_MOST:]
            # the last digits and the sign are the processor's
            largest = components[np.abs(components).argmax(axis=0), np.arange(_MOST)]
            self._components = (components * np.where(largest < 0.0, -1.0, 1.0)).round(6)

    def nearest(self, points: np.ndarray, to: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
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
        distances, places = cKDTree(self._of(points)).query(self._of(to), k=count)
        return distances.reshape(len(to), count), places.reshape(len(to), count)

    def _of(self, rows: np.ndarray) -> np.ndarray:
        # einsum's order of additions is always the same, BLAS's is not
        return rows if self._components is None else np.einsum("nd,de->ne", rows, self._components)
