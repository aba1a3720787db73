"""Groups whose rows are better off with their neighbors are dissolved."""

from __future__ import annotations

import numpy as np

from pydpstat.anonymity._groups import Groups, squares
from pydpstat.anonymity._neighbors import in_space, nearest

# groups with smaller losses are not looked at: little is to be gained
_LARGE = 0.75


def dissolve(rows: np.ndarray, groups: Groups, space: np.ndarray) -> np.ndarray:
    """Give each row of a group to the nearest other group, where that lowers the loss.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The rows' values.
    groups : Groups
        The partition.
    space : ndarray of shape (d, e)
        What to multiply rows with before neighbors are looked for.

    Returns
    -------
    ndarray of int, shape (n,)
        The new labels, of which some are no longer used.
    """
    labels = groups.labels.copy()
    large = groups.losses > np.quantile(groups.losses, _LARGE)
    movers = np.flatnonzero(large[labels])
    target, cost = _nearest_other(rows, movers, groups, space)
    # a guess that is cheap; what passes it is computed exactly
    likely = large & (np.bincount(labels[movers], cost, groups.count) < 2.0 * groups.losses)
    passed = likely[labels[movers]]
    movers, target = movers[passed], target[passed]
    if movers.size == 0:
        return labels
    moves, which = np.unique(labels[movers] * groups.count + target, return_inverse=True)
    source, goal = np.divmod(moves, groups.count)
    gain = groups.losses - np.bincount(source, _price(rows[movers], groups, goal, which), groups.count)
    chosen = _apart(source, goal, np.where(likely & (gain > 1e-9 * groups.losses), gain, 0.0))
    leave = chosen[labels[movers]]
    labels[movers[leave]] = target[leave]
    return labels


def _nearest_other(
    rows: np.ndarray, movers: np.ndarray, groups: Groups, space: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each row the other group that it joins at the lowest cost, and the cost."""
    near = nearest(in_space(groups.means, space), in_space(rows[movers], space), 3)[1]
    size = groups.sizes[near]
    cost = squares(rows[movers, None, :] - groups.means[near]) * (size / (size + 1.0))
    cost[near == groups.labels[movers, None]] = np.inf
    best = cost.argmin(axis=1)
    lines = np.arange(movers.size)
    return near[lines, best], cost[lines, best]


def _price(values: np.ndarray, groups: Groups, goal: np.ndarray, which: np.ndarray) -> np.ndarray:
    """Return what each move, some rows of one group into another, adds to the loss."""
    count = np.bincount(which)
    means = np.stack([np.bincount(which, column) for column in values.T], axis=1) / count[:, None]
    inside = np.bincount(which, squares(values - means[which]))
    size = groups.sizes[goal]
    added: np.ndarray = inside + squares(means - groups.means[goal]) * (size * count / (size + count))
    return added


def _apart(source: np.ndarray, goal: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Choose groups that gain most, so that no group takes part in two changes.

    Parameters
    ----------
    source, goal : ndarray of int, shape (m,)
        Moves: from which group, into which.
    gain : ndarray of shape (groups,)
        What dissolving each group gains; 0 where it is no candidate.
    """
    chosen, open_ = np.zeros(gain.size, dtype=bool), gain > 0.0
    rank = np.empty(gain.size, dtype=np.int64)
    rank[gain.argsort(kind="stable")] = np.arange(gain.size)
    for _ in range(4):
        moves = open_[source]
        source, goal = source[moves], goal[moves]
        top = np.where(open_, rank, -1)
        # the highest rank of those that claim a group, itself included
        np.maximum.at(top, goal, rank[source])
        lost = ~open_ | (top != rank)
        lost[source[top[goal] != rank[source]]] = True
        chosen |= ~lost
        busy = chosen.copy()
        busy[goal[chosen[source]]] = True
        open_ &= ~busy
        open_[source[busy[goal]]] = False
    return chosen
