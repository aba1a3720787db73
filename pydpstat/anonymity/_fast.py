"""Microaggregation in time that grows about linearly with the rows, with a lower loss than MDAV's.

Groups of near rows come first. A local search lowers their loss.
"""

from __future__ import annotations

import numpy as np

from pydpstat.anonymity._local_search import refine
from pydpstat.anonymity._mdav_search import in_blocks, mdav
from pydpstat.anonymity._points import Space, equal_rows, uncontested

_BLOCK = 256
# up to this k groups are made of all rows' neighbors at once, above it by MDAV in blocks
_FEW = 10
# rows in a block where neighbors are looked for; groups in a block that MDAV works on
_ROWS, _GROUPS = 1 << 19, 1 << 12


def fast(columns: np.ndarray, k: int) -> np.ndarray:
    """Partition rows into groups of at least k with a low loss; `columns` has one finite row a variable."""
    size = columns.shape[1]
    if size < 2 * k:
        return np.zeros(size, dtype=np.int64)
    # neighbors lie together in memory, too: that alone makes the search for them faster
    order, columns = in_blocks(columns, _BLOCK)
    rows = np.ascontiguousarray(columns.T)
    rows -= rows.mean(axis=0)
    space = Space(rows)
    found = equal_rows(columns)
    # k equal rows are a group without any loss
    others = np.bincount(found)[found] < k
    if np.count_nonzero(others) >= k:
        found[others] = found.max() + 1 + initial_groups(rows[others], k, space)
    elif others.any():
        _join_nearest(found, others, rows, space)
    labels = np.empty(size, dtype=np.int64)
    labels[order] = refine(rows, found, k, space)
    return labels


def initial_groups(rows: np.ndarray, k: int, space: Space) -> np.ndarray:
    """Partition rows, of which there are at least k."""
    block = max(_ROWS, 3 * k) if k <= _FEW else _GROUPS * k
    blocks = max(1, len(rows) // block)
    order, _ = in_blocks(np.ascontiguousarray(rows.T), -(-len(rows) // blocks))
    labels, made = np.empty(len(rows), dtype=np.int64), 0
    for part in np.array_split(order, blocks):
        values = rows[part]
        found = _by_neighbors(values, k, space) if k <= _FEW else mdav(np.ascontiguousarray(values.T), k)
        labels[part] = found + made
        made += int(found.max()) + 1
    return labels


def _by_neighbors(rows: np.ndarray, k: int, space: Space) -> np.ndarray:
    """Make groups of a row and its nearest neighbors, the most isolated rows first.

    Whoever is more isolated than all others that want the same rows gets its k rows; all such groups
    are made at once, then the next ones among the rows left.
    """
    labels, made = np.full(len(rows), -1), 0
    free = np.ones(len(rows), dtype=bool)
    while (left := np.flatnonzero(free)).size >= 3 * k:
        distances, places = space.nearest(rows[left], rows[left], 3 * k)
        near = left[places].astype(np.int32)
        rank = distances[:, -1].argsort(kind="stable").argsort()
        # once many have lost most of their neighbors, a new tree finds others
        while left.size and left.size > 0.85 * free.sum():
            wanted, complete = _nearest_free(near, free, k)
            left, near, rank = left[complete], near[complete], rank[complete]
            groups = wanted[uncontested(wanted, rank, len(rows))]
            labels[groups] = made + np.arange(len(groups))[:, None]
            made += len(groups)
            free[groups] = False
            still = free[left]
            left, near, rank = left[still], near[still], rank[still]
    if left.size >= k:
        labels[left] = made + mdav(np.ascontiguousarray(rows[left].T), k)
    elif left.size:
        _join_nearest(labels, free, rows, space)
    return labels


def _nearest_free(near: np.ndarray, free: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first k neighbors that are free, of those rows that have as many, and which these are."""
    there = free[near]
    count = there.cumsum(axis=1, dtype=np.int8)
    complete = count[:, -1] >= k
    there &= count <= k
    return near[complete][there[complete]].reshape(-1, k), complete


def _join_nearest(labels: np.ndarray, joining: np.ndarray, rows: np.ndarray, space: Space) -> None:
    """Give rows the group of the nearest row that has one."""
    nearby = space.nearest(rows[~joining], rows[joining], 1)[1][:, 0]
    labels[joining] = labels[~joining][nearby]
