"""Groups of rows: their members, sizes, means and losses, computed for all groups at once."""

from __future__ import annotations

import numpy as np


class Groups:
    """A partition of rows.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The rows' values.
    labels : ndarray of int, shape (n,)
        Each row's group, from 0; numbers may be left out.

    Attributes
    ----------
    count : int
        Number of groups.
    labels, sizes, starts, members : ndarray of int
        Each row's group; rows in each group; where a group begins among the members; rows by group.
    means : ndarray of shape (count, d)
        Each group's mean.
    losses : ndarray of shape (count,)
        Each group's sum of squared distances from its mean.
    """

    def __init__(self, rows: np.ndarray, labels: np.ndarray) -> None:
        self.members, self.starts, self.sizes = by_group(labels)
        self.count = self.sizes.size
        self.labels = np.empty_like(labels)
        self.labels[self.members] = np.repeat(np.arange(self.count), self.sizes)
        ordered = rows.take(self.members, axis=0)
        self.means = np.add.reduceat(ordered, self.starts, axis=0) / self.sizes[:, None]
        ordered -= np.repeat(self.means, self.sizes, axis=0)
        self.losses = np.add.reduceat(squares(ordered), self.starts)

    def padded(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the members of pairs of groups, one line a pair, and which places hold one.

        Parameters
        ----------
        first, second : ndarray of int, shape (m,)
            The groups; -1 in `second` for none.
        """
        one, two = self.sizes[first, None], np.where(second < 0, 0, self.sizes[second])[:, None]
        place = np.arange(int((one + two).max()))[None, :]
        at = np.where(place < one, self.starts[first, None] + place, self.starts[second, None] + place - one)
        there = place < one + two
        return self.members[np.where(there, at, 0)], there


def by_group(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows group by group, in their order within each, where each group begins, and its size.

    Parameters
    ----------
    labels : ndarray of int, shape (n,)
        Each row's group, from 0; numbers may be left out.
    """
    from scipy.sparse import csc_matrix

    # one entry in each column: turning it into rows is a counting sort, much faster than argsort
    columns = np.empty(labels.size, dtype=np.int8), labels, np.arange(labels.size + 1)
    lines = csc_matrix(columns, shape=(int(labels.max()) + 1, labels.size)).tocsr()
    sizes = np.diff(lines.indptr)
    used = sizes > 0
    return lines.indices, lines.indptr[:-1][used], sizes[used]


def squares(steps: np.ndarray) -> np.ndarray:
    """Return the squared length of vectors along the last axis."""
    return np.einsum("...d,...d->...", steps, steps)
