"""A local search that lowers the loss of groups of near rows.

Groups are dissolved, large ones split, pairs of groups parted again.
"""

from __future__ import annotations

import numpy as np

from pydpstat.anonymity._points import Groups, Space, disjoint, squares

# at most so many rounds, each of so many turns over the pairs; one that changes a smaller share of the
# groups is the last
_ROUNDS, _TURNS, _CHANGED = 6, 6, 0.01
# neighbors that a group is paired with
_NEAR = 12
# groups whose means are farther apart than this, in units of their spread, gain nothing from a new cut
_APART = 3.0
# larger groups, in units of k, are made of equal rows mostly and are left alone
_LARGE = 8
# groups with losses below this quantile are not dissolved: little is to be gained
_LOSSES = 0.75
# numbers in one step of the cuts, so that its arrays stay small
_STEP = 1 << 20
# an improvement must be more than rounding
_GAIN = 1e-9


def refine(rows: np.ndarray, labels: np.ndarray, k: int, space: Space) -> np.ndarray:
    """Lower the loss of a partition; each group has at least k rows and keeps as many.

    The new labels go from 0, none left out. The loss is not higher than before, but for rounding.
    """
    groups = Groups(rows, labels)
    for _ in range(_ROUNDS):
        before = groups.losses
        if groups.count > 1:
            groups = Groups(rows, dissolve(groups, space))
        large = np.flatnonzero((groups.sizes >= 2 * k) & (groups.sizes <= _LARGE * k) & (groups.losses > 0.0))
        if large.size:
            groups = Groups(rows, resplit(groups, large, np.full_like(large, -1), k))
        groups = _pair_up(groups, k, space)
        # a group that is still there has the same loss, to the bit
        if np.isin(groups.losses, before, invert=True).mean() < _CHANGED:
            break
    return groups.labels


def _pair_up(groups: Groups, k: int, space: Space) -> Groups:
    """Part pairs of neighbors again, as long as one of both has changed since the last time."""
    pairs = _neighbors(groups, space)
    pairs = pairs[(groups.sizes[pairs] <= _LARGE * k).all(axis=1)]
    untried = np.ones(len(pairs), dtype=bool)
    for _ in range(_TURNS):
        spreads = (groups.losses / groups.sizes)[pairs].sum(axis=1)
        steps = squares(groups.means[pairs[:, 0]] - groups.means[pairs[:, 1]])
        tries = np.flatnonzero(untried & (steps < _APART * spreads))
        if tries.size == 0:
            break
        # the nearest pairs in units of their spread come first
        tries = tries[(steps[tries] / spreads[tries]).argsort(kind="stable")]
        each = np.arange(tries.size)
        tries = tries[disjoint(each, pairs[tries], each[::-1], groups.count, 8)]
        first, second = pairs[tries].T
        labels = resplit(groups, first, second, k)
        untried[tries] = False
        moved = np.zeros(groups.count, dtype=bool)
        changed = labels != groups.labels
        moved[labels[changed]] = moved[groups.labels[changed]] = True
        untried |= moved[pairs].any(axis=1)
        groups = Groups(groups.rows, labels)
    return groups


def _neighbors(groups: Groups, space: Space) -> np.ndarray:
    """Return pairs of groups near each other, a line a pair, each pair once."""
    near = space.nearest(groups.means, groups.means, _NEAR + 1)[1]
    both = np.stack([np.arange(groups.count).repeat(near.shape[1]), near.ravel()], axis=1)
    both.sort(axis=1)
    pairs = np.unique(both[:, 0] * groups.count + both[:, 1])
    both = np.stack(np.divmod(pairs, groups.count), axis=1)
    return both[both[:, 0] != both[:, 1]]


def dissolve(groups: Groups, space: Space) -> np.ndarray:
    """Return labels where each row of a group joins the nearest other group, if that lowers the loss."""
    labels = groups.labels.copy()
    large = groups.losses > np.quantile(groups.losses, _LOSSES)
    movers = np.flatnonzero(large[labels])
    target, cost = _nearest_other(movers, groups, space)
    # a guess that is cheap; what passes it is computed exactly
    likely = large & (np.bincount(labels[movers], cost, groups.count) < 2.0 * groups.losses)
    passed = likely[labels[movers]]
    movers, target = movers[passed], target[passed]
    if movers.size == 0:
        return labels
    # a move takes the rows of one group that go to the same other one
    moves, which = np.unique(labels[movers] * groups.count + target, return_inverse=True)
    source, goal = np.divmod(moves, groups.count)
    moved, size = Groups(groups.rows[movers], which), groups.sizes[goal]
    apart = squares(moved.means - groups.means[goal]) * (size * moved.sizes / (size + moved.sizes))
    gain = groups.losses - np.bincount(source, moved.losses + apart, groups.count)
    rank = gain.argsort(kind="stable").argsort()
    gains = (likely & (gain > _GAIN * groups.losses))[source]
    source, goal = source[gains], goal[gains]
    chosen = np.zeros(groups.count, dtype=bool)
    chosen[disjoint(source, np.stack([source, goal], axis=1), rank, groups.count, 4)] = True
    leave = chosen[labels[movers]]
    labels[movers[leave]] = target[leave]
    return labels


def _nearest_other(movers: np.ndarray, groups: Groups, space: Space) -> tuple[np.ndarray, np.ndarray]:
    """Return for each row the other group that it joins at the lowest cost, and the cost."""
    rows = groups.rows[movers]
    near = space.nearest(groups.means, rows, 3)[1]
    size = groups.sizes[near]
    cost = squares(rows[:, None, :] - groups.means[near]) * (size / (size + 1.0))
    cost[near == groups.labels[movers, None]] = np.inf
    best = cost.argmin(axis=1)
    lines = np.arange(movers.size)
    return near[lines, best], cost[lines, best]


def resplit(groups: Groups, first: np.ndarray, second: np.ndarray, k: int) -> np.ndarray:
    """Part pairs of groups again; each new group has at least k rows and the loss never grows.

    No group is in two pairs. A second -1 asks for one group to be parted into two. Groups that were parted
    get new numbers, from `groups.count`.
    """
    labels = groups.labels.copy()
    totals = groups.sizes[first] + np.where(second < 0, 0, groups.sizes[second])
    # pairs of like size together, so that little is filled up
    order = np.argsort(totals, kind="stable")
    start = 0
    while start < order.size:
        width = int(totals[order[min(start + 64, order.size) - 1]])
        end = start + max(64, _STEP // (width * groups.rows.shape[1]))
        _part(groups, first[order[start:end]], second[order[start:end]], k, labels)
        start = end
    return labels


def _part(groups: Groups, first: np.ndarray, second: np.ndarray, k: int, labels: np.ndarray) -> None:
    """Write the new labels of as many pairs as are computed at once."""
    members, there = groups.padded(first, second)
    totals = there.sum(axis=1)
    values = groups.rows.take(members, axis=0)
    values[~there] = 0.0
    values -= (values.sum(axis=1) / totals[:, None])[:, None, :]
    values[~there] = 0.0
    ones = groups.sizes[first]
    in_first = np.arange(members.shape[1]) < ones[:, None]
    # around the common mean both sums are opposite, and the loss is a constant minus this
    sums = np.einsum("pmd,pm->pd", values, in_first.astype(np.float64))
    best = squares(sums) * (1.0 / ones + 1.0 / np.maximum(totals - ones, 1))
    best += _GAIN * squares(values).sum(axis=1)
    better, side = np.zeros(first.size, dtype=bool), np.zeros(members.shape, dtype=bool)
    for scores in _scores(values, sums):
        gain, parted = _best_cut(values, np.where(there, scores, np.inf), totals, k)
        wins = gain > best
        best[wins], side[wins] = gain[wins], parted[wins]
        better |= wins
    change = better[:, None] & there
    fresh = np.where(second < 0, groups.count + first, second)
    labels[members[change]] = np.where(side, first[:, None], fresh[:, None])[change]


def _scores(values: np.ndarray, sums: np.ndarray) -> list[np.ndarray]:
    """Return orders in which to cut: between the means, by distance from a far row, the widest way."""
    lines = np.arange(len(values))
    far = values[lines, squares(values).argmax(axis=1)]
    steps = values - far[:, None, :]
    way = far
    for _ in range(3):
        along = np.einsum("pmd,pd->pm", values, way)
        way = np.einsum("pmd,pm->pd", values, along)
        way /= np.maximum(np.abs(way).max(axis=1), 1e-300)[:, None]
    return [
        -np.einsum("pmd,pd->pm", values, sums),
        squares(steps),
        np.einsum("pmd,pd->pm", values, way),
    ]


def _best_cut(
    values: np.ndarray, scores: np.ndarray, totals: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return how much the best cut of each line gains, and who is before it."""
    order = scores.argsort(axis=1, kind="stable")
    lines = np.arange(0, order.size, order.shape[1])[:, None]
    sums = values.reshape(order.size, -1).take(lines + order, axis=0).cumsum(axis=1)
    before = np.arange(1, scores.shape[1] + 1)[None, :]
    after = totals[:, None] - before
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = squares(sums) * (1.0 / before + 1.0 / after)
    gain = np.where((before >= k) & (after >= k), gain, -1.0)
    cut = gain.argmax(axis=1)
    first = np.empty(order.shape, dtype=bool)
    np.put_along_axis(first, order, before <= cut[:, None] + 1, axis=1)
    return gain[np.arange(len(gain)), cut], first
