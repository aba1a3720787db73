"""Local search for a lower loss: groups are dissolved, large ones split, pairs of groups parted anew."""

from __future__ import annotations

import numpy as np

from pydpstat.anonymity._dissolve import dissolve
from pydpstat.anonymity._groups import Groups, squares
from pydpstat.anonymity._neighbors import in_space, nearest
from pydpstat.anonymity._resplit import resplit

# at most so many rounds, each of so many turns over the pairs; one that changes a smaller share of the
# groups is the last
_ROUNDS, _TURNS, _CHANGED = 6, 6, 0.01
# neighbors that a group is paired with
_NEAR = 12
# groups whose means are farther apart than this, in units of their spread, gain nothing from a new cut
_APART = 3.0
# larger groups, in units of k, are made of equal rows mostly and are left alone
_LARGE = 8


def refine(rows: np.ndarray, labels: np.ndarray, k: int, space: np.ndarray) -> np.ndarray:
    """Lower the loss of a partition; each group keeps at least k rows.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        The rows' values.
    labels : ndarray of int, shape (n,)
        Each row's group; each group has at least k rows.
    k : int
        Least rows in a group.
    space : ndarray of shape (d, e)
        What to multiply rows with before neighbors are looked for.

    Returns
    -------
    ndarray of int, shape (n,)
        The new labels, from 0, none left out. The loss is not higher than before, but for rounding.
    """
    groups = Groups(rows, labels)
    for _ in range(_ROUNDS):
        before = groups.losses
        if groups.count > 1:
            groups = Groups(rows, dissolve(rows, groups, space))
        groups = _split(rows, groups, k)
        groups = _pair_up(rows, groups, k, space)
        # a group that is still there has the same loss, to the bit
        if np.isin(groups.losses, before, invert=True).mean() < _CHANGED:
            break
    return groups.labels


def _split(rows: np.ndarray, groups: Groups, k: int) -> Groups:
    """Part groups of at least 2k rows in two."""
    large = np.flatnonzero((groups.sizes >= 2 * k) & (groups.sizes <= _LARGE * k) & (groups.losses > 0.0))
    if large.size == 0:
        return groups
    pairs = np.stack([large, np.full_like(large, -1)], axis=1)
    return Groups(rows, resplit(rows, groups, pairs, k))


def _pair_up(rows: np.ndarray, groups: Groups, k: int, space: np.ndarray) -> Groups:
    """Part pairs of neighbors anew, as long as one of both has changed since the last time."""
    first, second = _neighbors(groups, space)
    small = groups.sizes <= _LARGE * k
    untried = small[first] & small[second]
    for _ in range(_TURNS):
        spread = groups.losses / groups.sizes
        apart = squares(groups.means[first] - groups.means[second])
        tries = np.flatnonzero(untried & (apart < _APART * (spread[first] + spread[second])))
        if tries.size == 0:
            break
        apart = apart[tries] / (spread[first[tries]] + spread[second[tries]])
        tries = tries[_matching(first[tries], second[tries], apart, groups.count)]
        labels = resplit(rows, groups, np.stack([first[tries], second[tries]], axis=1), k)
        untried[tries] = False
        moved = np.zeros(groups.count, dtype=bool)
        moved[labels[labels != groups.labels]] = True
        moved[groups.labels[labels != groups.labels]] = True
        untried |= (moved[first] | moved[second]) & small[first] & small[second]
        groups = Groups(rows, labels)
    return groups


def _neighbors(groups: Groups, space: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of groups near each other, each pair once."""
    points = in_space(groups.means, space)
    near = nearest(points, points, _NEAR + 1)[1]
    one, two = np.arange(groups.count).repeat(near.shape[1]), near.ravel()
    pairs = np.unique(np.minimum(one, two) * groups.count + np.maximum(one, two))
    first, second = np.divmod(pairs, groups.count)
    return first[first != second], second[first != second]


def _matching(first: np.ndarray, second: np.ndarray, weight: np.ndarray, count: int) -> np.ndarray:
    """Choose pairs, those of low weight first, so that no group is in two of them."""
    left, chosen = weight.argsort(kind="stable"), []
    for _ in range(8):
        one, two = first[left], second[left]
        place = np.arange(left.size)
        lowest = np.full(count, left.size)
        # written from the end: the lowest place stays
        lowest[np.stack([one, two], axis=1)[::-1].ravel()] = place[::-1].repeat(2)
        wins = (lowest[one] == place) & (lowest[two] == place)
        chosen.append(left[wins])
        busy = np.zeros(count, dtype=bool)
        busy[one[wins]] = busy[two[wins]] = True
        left = left[~(busy[one] | busy[two])]
    return np.concatenate(chosen)
