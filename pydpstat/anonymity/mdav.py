"""Maximum distance to average vector (MDAV): groups of k rows, from the outside to the middle."""

from __future__ import annotations

import numpy as np

from pydpstat.anonymity.exact_means import ExactMeans
from pydpstat.anonymity.mdav_search import BLOCK, Remaining, in_blocks


def mdav(columns: np.ndarray, k: int) -> np.ndarray:
    """Partition rows by MDAV.

    Parameters
    ----------
    columns : ndarray of shape (d, n)
        Finite numbers, one row a variable.
    k : int
        Least rows in a group; at most n.

    Returns
    -------
    ndarray of int, shape (n,)
        Each row's group, numbered in the order in which the groups are made.
    """
    numbers, columns = in_blocks(columns, BLOCK)
    remaining, means = Remaining(columns, numbers, BLOCK), ExactMeans(columns)
    groups, made = np.empty(numbers.size, dtype=np.int64), 0

    def take(rows: np.ndarray) -> None:
        nonlocal made
        groups[rows] = made
        made += 1
        remaining.remove(rows)
        means.remove(rows)

    while remaining.count >= 3 * k:
        first = columns[:, remaining.farthest(means.now())]
        second = columns[:, remaining.farthest(first)]
        take(remaining.nearest(first, k))
        take(remaining.nearest(second, k))
    if remaining.count >= 2 * k:
        take(remaining.nearest(columns[:, remaining.farthest(means.now())], k))
    groups[remaining.rows()] = made
    result = np.empty_like(groups)
    result[numbers] = groups
    return result
