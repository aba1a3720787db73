"""A first partition in time that grows linearly with the rows; the refinement does the rest."""

from __future__ import annotations

import numpy as np

from pydpstat.anonymity._mdav_search import in_blocks, mdav
from pydpstat.anonymity._neighbors import in_space, nearest

# up to this k groups are made of all rows' neighbors at once, above it by MDAV in blocks
_FEW = 10
# rows in a block where neighbors are looked for; groups in a block that MDAV works on
_ROWS, _GROUPS = 1 << 19, 1 << 12


def start(rows: np.ndarray, k: int, space: np.ndarray) -> np.ndarray:
    """Partition rows into groups of at least k.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The rows' values, at least k rows.
    k : int
        Least rows in a group.
    space : ndarray of shape (d, e)
        What to multiply rows with before neighbors are looked for.

    Returns
    -------
    ndarray of int, shape (n,)
        Each row's group.
    """
    block = max(_ROWS, 3 * k) if k <= _FEW else _GROUPS * k
    blocks = max(1, len(rows) // block)
    order, _ = in_blocks(np.ascontiguousarray(rows.T), -(-len(rows) // blocks))
    labels, made = np.empty(len(rows), dtype=np.int64), 0
    for part in np.array_split(order, blocks):
        values = rows[part]
        if k <= _FEW:
            found = by_neighbors(values, k, in_space(values, space))
        else:
            found = mdav(np.ascontiguousarray(values.T), k)
        labels[part] = found + made
        made += int(found.max()) + 1
    return labels


def by_neighbors(rows: np.ndarray, k: int, points: np.ndarray) -> np.ndarray:
    """Make groups of a row and its nearest neighbors, the most isolated rows first.

    Whoever is more isolated than all others that want the same rows gets its k rows; all such groups
    are made at once, then the next ones among the rows left.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The rows' values.
    k : int
        Least rows in a group.
    points : ndarray of shape (n, e)
        The same rows where neighbors are looked for.
    """
    labels, made = np.full(len(rows), -1), 0
    free = np.ones(len(rows), dtype=bool)
    while (left := np.flatnonzero(free)).size >= 3 * k:
        distances, places = nearest(points[left], points[left], 3 * k)
        near = left[places].astype(np.int32)
        rank = np.empty(left.size, dtype=np.int64)
        rank[distances[:, -1].argsort(kind="stable")] = np.arange(left.size)
        # once many have lost most of their neighbors, a new tree finds others
        while left.size and left.size > 0.85 * free.sum():
            wanted, complete = _nearest_free(near, free, k)
            left, near, rank = left[complete], near[complete], rank[complete]
            groups = wanted[_winners(wanted, rank, len(rows))]
            labels[groups] = made + np.arange(len(groups))[:, None]
            made += len(groups)
            free[groups] = False
            still = free[left]
            left, near, rank = left[still], near[still], rank[still]
    rest = np.flatnonzero(free)
    if rest.size >= k:
        labels[rest] = made + mdav(np.ascontiguousarray(rows[rest].T), k)
    else:
        done = np.flatnonzero(~free)
        labels[rest] = labels[done[nearest(points[done], points[rest], 1)[1][:, 0]]]
    return labels


def _nearest_free(near: np.ndarray, free: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first k neighbors that are free, of those rows that have as many, and which these are."""
    there = free[near]
    count = there.cumsum(axis=1, dtype=np.int8)
    complete = count[:, -1] >= k
    there &= count <= k
    return near[complete][there[complete]].reshape(-1, k), complete


def _winners(wanted: np.ndarray, rank: np.ndarray, size: int) -> np.ndarray:
    """Return the lines that have the highest rank among all that want the same rows."""
    order = rank.argsort()
    top = np.full(size, -1)
    # written in the order of the ranks: the highest one stays
    top[wanted[order].ravel()] = rank[order].repeat(wanted.shape[1])
    won: np.ndarray = (top[wanted] == rank[:, None]).all(axis=1)
    return won
