"""Groups of rows with means and losses, and a local search that lowers the loss.

The search dissolves groups, splits large ones, and repartitions pairs of groups.
"""

from __future__ import annotations

import math

import numpy as np

# squares of numbers up to this power of two, and their sums, are far from the limits of floats
_MAX_EXPONENT = 500
# with more dimensions, a tree is not faster than an exhaustive search
_MAX_TREE_DIMENSIONS = 8
# largest numbers of rounds and of passes over the pairs; a round that changes a smaller share of the groups is the last
_MAX_ROUNDS, _MAX_PASSES, _MIN_CHANGED_SHARE = 6, 6, 0.01
# number of neighbors that a group is paired with
_N_NEIGHBORS = 12
# pairs of groups at a larger distance, in units of their spread, are not repartitioned
_MAX_DISTANCE_RATIO = 3.0
# larger groups, in units of k, consist mostly of equal rows and are not changed
_MAX_SIZE_RATIO = 8
# groups with losses below this quantile are not dissolved, since little can be gained
_LOSS_QUANTILE = 0.75
# numbers per step of the cuts, to limit the memory
_NUMBERS_PER_STEP = 1 << 20
# an improvement must exceed rounding errors
_MIN_RELATIVE_GAIN = 1e-9


class Groups:
    """A partition of rows into groups numbered consecutively from 0.

    `members` are the rows sorted by group, and `starts` the index of each group's first member; `losses` are sums of
    squared distances from the `means`.
    """

    def __init__(self, rows: np.ndarray, labels: np.ndarray) -> None:
        self.rows = rows
        self.members, self.starts, self.sizes = sort_rows_by_group(labels)
        self.count = self.sizes.size
        self.labels = np.empty_like(labels)
        self.labels[self.members] = np.repeat(np.arange(self.count), self.sizes)
        ordered = rows.take(self.members, axis=0)
        self.means = np.add.reduceat(ordered, self.starts, axis=0) / self.sizes[:, None]
        ordered -= np.repeat(self.means, self.sizes, axis=0)
        self.losses = np.add.reduceat(compute_squared_norms(ordered), self.starts)

    def get_padded_members(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the members of pairs of groups (-1: no second), padded to one row per pair, and their mask."""
        first_sizes, second_sizes = self.sizes[first, None], np.where(second < 0, 0, self.sizes[second])[:, None]
        offsets = np.arange(int((first_sizes + second_sizes).max()))[None, :]
        indices = np.where(
            offsets < first_sizes, self.starts[first, None] + offsets, self.starts[second, None] + offsets - first_sizes
        )
        is_member = offsets < first_sizes + second_sizes
        return self.members[np.where(is_member, indices, 0)], is_member


def sort_rows_by_group(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows sorted by group (stable), the start of each group, and its size."""
    from scipy.sparse import csc_matrix

    # one entry per column: conversion to rows is a counting sort, much faster than argsort
    columns = np.empty(labels.size, dtype=np.int8), labels, np.arange(labels.size + 1)
    lines = csc_matrix(columns, shape=(int(labels.max()) + 1, labels.size)).tocsr()
    sizes = np.diff(lines.indptr)
    used = sizes > 0
    return lines.indices, lines.indptr[:-1][used], sizes[used]


def compute_squared_norms(vectors: np.ndarray) -> np.ndarray:
    """Return the squared norm of vectors along the last axis."""
    return np.einsum("...d,...d->...", vectors, vectors)


def find_uncontested_claims(claims: np.ndarray, rank: np.ndarray, count: int) -> np.ndarray:
    """Return the mask of the rows of claims with the highest rank among all that claim one of the same items."""
    order = rank.argsort()
    top = np.full(count, -1)
    # assigned in increasing order of rank, so that the highest rank remains
    top[claims[order].ravel()] = rank[order].repeat(claims.shape[1])
    won: np.ndarray = (top[claims] == rank[:, None]).all(axis=1)
    return won


def select_disjoint_changes(
    changes: np.ndarray, claims: np.ndarray, rank: np.ndarray, count: int, rounds: int
) -> np.ndarray:
    """Select changes, those of high rank first, so that no group takes part in two.

    A row of `claims` has the groups that one of the `changes` affects; each round considers the remaining ones.
    """
    selected = []
    for _ in range(rounds):
        winning = find_uncontested_claims(claims, rank[changes], count)
        won = np.isin(changes, changes[~winning], invert=True)
        selected.append(np.unique(changes[won]))
        busy = np.zeros(count, dtype=bool)
        busy[claims[won]] = True
        is_open = np.isin(changes, changes[busy[claims].any(axis=1)], invert=True)
        changes, claims = changes[is_open], claims[is_open]
    return np.concatenate(selected)


def standardize_columns(values: np.ndarray) -> np.ndarray:
    """Return columns with mean 0 and standard deviation 1; constant columns become 0."""
    centered = values - values.mean(axis=1, keepdims=True)
    constant = values.min(axis=1) == values.max(axis=1)
    centered[constant] = 0.0
    spread = np.sqrt((centered * centered).mean(axis=1, keepdims=True))
    return centered / np.where(spread > 0.0, spread, 1.0)


def compute_group_means(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return each row's mean over its group, exactly the same number for all rows of a group."""
    # contiguous rows are gathered faster than columns
    groups = Groups(np.ascontiguousarray(values.T), labels)
    ordered = groups.rows.take(groups.members, axis=0)
    # rounding must not move a mean outside the range of its group
    lowest = np.minimum.reduceat(ordered, groups.starts, axis=0)
    highest = np.maximum.reduceat(ordered, groups.starts, axis=0)
    means = np.clip(groups.means, lowest, highest)
    return np.ascontiguousarray(means.take(groups.labels, axis=0).T)


def scale_to_safe_range(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Return numbers whose squares neither overflow nor underflow, and the power of two to scale back."""
    power = math.frexp(float(np.abs(values).max()))[1]
    if abs(power) <= _MAX_EXPONENT:
        return values, 0
    return np.ldexp(values, -power), power


def label_equal_points(columns: np.ndarray) -> np.ndarray:
    """Return group codes of rows, from 0, equal for equal rows."""
    order = np.lexsort(columns)
    ordered = columns[:, order]
    fresh = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    labels = np.zeros(order.size, dtype=np.int64)
    labels[order[1:]] = fresh.cumsum()
    return labels


class NeighborSpace:
    """Space in which the nearest neighbors of rows are searched.

    With more than eight variables, these are the eight leading principal components.
    """

    def __init__(self, rows: np.ndarray) -> None:
        self._components: np.ndarray | None = None
        if rows.shape[1] > _MAX_TREE_DIMENSIONS:
            components = np.linalg.eigh(np.cov(rows, rowvar=False))[1][:, -_MAX_TREE_DIMENSIONS:]
            # the sign and the last digits depend on the processor
            largest = components[np.abs(components).argmax(axis=0), np.arange(_MAX_TREE_DIMENSIONS)]
            self._components = (components * np.where(largest < 0.0, -1.0, 1.0)).round(6)

    def find_nearest(self, points: np.ndarray, targets: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return distances and indices of the `count` (or all) points nearest to each of `targets`, in rows."""
        from scipy.spatial import cKDTree

        count = min(count, len(points))
        distances, indices = cKDTree(self._project_rows(points)).query(self._project_rows(targets), k=count)
        return distances.reshape(len(targets), count), indices.reshape(len(targets), count)

    def _project_rows(self, rows: np.ndarray) -> np.ndarray:
        # einsum adds in a fixed order, BLAS does not
        return rows if self._components is None else np.einsum("nd,de->ne", rows, self._components)


def reduce_partition_loss(rows: np.ndarray, labels: np.ndarray, k: int, space: NeighborSpace) -> np.ndarray:
    """Reduce the loss of a partition whose groups have, and keep, at least k rows."""
    groups = Groups(rows, labels)
    for _ in range(_MAX_ROUNDS):
        before = groups.losses
        if groups.count > 1:
            groups = Groups(rows, remove_costly_groups(groups, space))
        large = np.flatnonzero((groups.sizes >= 2 * k) & (groups.sizes <= _MAX_SIZE_RATIO * k) & (groups.losses > 0.0))
        if large.size:
            groups = Groups(rows, split_group_pairs(groups, large, np.full_like(large, -1), k))
        groups = _split_neighbors_again(groups, k, space)
        # an unchanged group has exactly the same loss
        if np.isin(groups.losses, before, invert=True).mean() < _MIN_CHANGED_SHARE:
            break
    return groups.labels


def _split_neighbors_again(groups: Groups, k: int, space: NeighborSpace) -> Groups:
    """Repartition pairs of neighboring groups, as long as one of them has changed since the last time."""
    pairs = _find_neighbor_pairs(groups, space)
    pairs = pairs[(groups.sizes[pairs] <= _MAX_SIZE_RATIO * k).all(axis=1)]
    untried = np.ones(len(pairs), dtype=bool)
    for _ in range(_MAX_PASSES):
        spreads = (groups.losses / groups.sizes)[pairs].sum(axis=1)
        steps = compute_squared_norms(groups.means[pairs[:, 0]] - groups.means[pairs[:, 1]])
        tries = np.flatnonzero(untried & (steps < _MAX_DISTANCE_RATIO * spreads))
        if tries.size == 0:
            break
        # the nearest pairs in units of their spread come first
        tries = tries[(steps[tries] / spreads[tries]).argsort(kind="stable")]
        each = np.arange(tries.size)
        tries = tries[select_disjoint_changes(each, pairs[tries], each[::-1], groups.count, 8)]
        first, second = pairs[tries].T
        labels = split_group_pairs(groups, first, second, k)
        untried[tries] = False
        is_changed = np.zeros(groups.count, dtype=bool)
        changed = labels != groups.labels
        is_changed[labels[changed]] = is_changed[groups.labels[changed]] = True
        untried |= is_changed[pairs].any(axis=1)
        groups = Groups(groups.rows, labels)
    return groups


def _find_neighbor_pairs(groups: Groups, space: NeighborSpace) -> np.ndarray:
    """Return pairs of neighboring groups as rows, each pair once."""
    nearest = space.find_nearest(groups.means, groups.means, _N_NEIGHBORS + 1)[1]
    candidates = np.stack([np.arange(groups.count).repeat(nearest.shape[1]), nearest.ravel()], axis=1)
    candidates.sort(axis=1)
    pairs = np.unique(candidates[:, 0] * groups.count + candidates[:, 1])
    candidates = np.stack(np.divmod(pairs, groups.count), axis=1)
    return candidates[candidates[:, 0] != candidates[:, 1]]


def remove_costly_groups(groups: Groups, space: NeighborSpace) -> np.ndarray:
    """Return labels in which each row of a group joins the nearest other group, if that lowers the loss."""
    labels = groups.labels.copy()
    large = groups.losses > np.quantile(groups.losses, _LOSS_QUANTILE)
    movers = np.flatnonzero(large[labels])
    target, cost = _find_nearest_other_group(movers, groups, space)
    # a cheap estimate; the candidates that pass are evaluated exactly
    is_candidate = large & (np.bincount(labels[movers], cost, groups.count) < 2.0 * groups.losses)
    passed = is_candidate[labels[movers]]
    movers, target = movers[passed], target[passed]
    if movers.size == 0:
        return labels
    # a move consists of the rows of one group that go to the same other group
    moves, which = np.unique(labels[movers] * groups.count + target, return_inverse=True)
    source, goal = np.divmod(moves, groups.count)
    moved_groups, size = Groups(groups.rows[movers], which), groups.sizes[goal]
    distances = compute_squared_norms(moved_groups.means - groups.means[goal]) * (
        size * moved_groups.sizes / (size + moved_groups.sizes)
    )
    gain = groups.losses - np.bincount(source, moved_groups.losses + distances, groups.count)
    rank = gain.argsort(kind="stable").argsort()
    gains = (is_candidate & (gain > _MIN_RELATIVE_GAIN * groups.losses))[source]
    source, goal = source[gains], goal[gains]
    is_removed = np.zeros(groups.count, dtype=bool)
    is_removed[select_disjoint_changes(source, np.stack([source, goal], axis=1), rank, groups.count, 4)] = True
    leave = is_removed[labels[movers]]
    labels[movers[leave]] = target[leave]
    return labels


def _find_nearest_other_group(
    movers: np.ndarray, groups: Groups, space: NeighborSpace
) -> tuple[np.ndarray, np.ndarray]:
    """Return for each row the other group that it joins at the lowest cost, and the cost."""
    rows = groups.rows[movers]
    nearest = space.find_nearest(groups.means, rows, 3)[1]
    size = groups.sizes[nearest]
    cost = compute_squared_norms(rows[:, None, :] - groups.means[nearest]) * (size / (size + 1.0))
    cost[nearest == groups.labels[movers, None]] = np.inf
    best = cost.argmin(axis=1)
    lines = np.arange(movers.size)
    return nearest[lines, best], cost[lines, best]


def split_group_pairs(groups: Groups, first: np.ndarray, second: np.ndarray, k: int) -> np.ndarray:
    """Repartition pairs of groups, or split single ones (-1), into groups of at least k rows.

    The loss never increases. Changed groups get new numbers, from `groups.count`.
    """
    labels = groups.labels.copy()
    totals = groups.sizes[first] + np.where(second < 0, 0, groups.sizes[second])
    # pairs of similar size together, to limit the padding
    order = np.argsort(totals, kind="stable")
    start = 0
    while start < order.size:
        width = int(totals[order[min(start + 64, order.size) - 1]])
        end = start + max(64, _NUMBERS_PER_STEP // (width * groups.rows.shape[1]))
        _split_pair_batch(groups, first[order[start:end]], second[order[start:end]], k, labels)
        start = end
    return labels


def _split_pair_batch(groups: Groups, first: np.ndarray, second: np.ndarray, k: int, labels: np.ndarray) -> None:
    """Write the new labels of the pairs of one batch."""
    members, is_member = groups.get_padded_members(first, second)
    totals = is_member.sum(axis=1)
    values = groups.rows.take(members, axis=0)
    values[~is_member] = 0.0
    values -= (values.sum(axis=1) / totals[:, None])[:, None, :]
    values[~is_member] = 0.0
    ones = groups.sizes[first]
    in_first = np.arange(members.shape[1]) < ones[:, None]
    # centered at the common mean both sums are opposite, and the loss is a constant minus this
    sums = np.einsum("pmd,pm->pd", values, in_first.astype(np.float64))
    best = compute_squared_norms(sums) * (1.0 / ones + 1.0 / np.maximum(totals - ones, 1))
    best += _MIN_RELATIVE_GAIN * compute_squared_norms(values).sum(axis=1)
    better, side = np.zeros(first.size, dtype=bool), np.zeros(members.shape, dtype=bool)
    for scores in _compute_cut_scores(values, sums):
        gain, parted = _find_best_cut(values, np.where(is_member, scores, np.inf), totals, k)
        wins = gain > best
        best[wins], side[wins] = gain[wins], parted[wins]
        better |= wins
    change = better[:, None] & is_member
    fresh = np.where(second < 0, groups.count + first, second)
    labels[members[change]] = np.where(side, first[:, None], fresh[:, None])[change]


def _compute_cut_scores(values: np.ndarray, sums: np.ndarray) -> list[np.ndarray]:
    """Return scores that order rows for a cut: between the means, from a far row, and along the main axis."""
    lines = np.arange(len(values))
    farthest = values[lines, compute_squared_norms(values).argmax(axis=1)]
    steps = values - farthest[:, None, :]
    direction = farthest
    for _ in range(3):
        along = np.einsum("pmd,pd->pm", values, direction)
        direction = np.einsum("pmd,pm->pd", values, along)
        direction /= np.maximum(np.abs(direction).max(axis=1), 1e-300)[:, None]
    return [
        -np.einsum("pmd,pd->pm", values, sums),
        compute_squared_norms(steps),
        np.einsum("pmd,pd->pm", values, direction),
    ]


def _find_best_cut(values: np.ndarray, scores: np.ndarray, totals: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the gain of the best cut of each pair, and the mask of the rows before the cut."""
    order = scores.argsort(axis=1, kind="stable")
    lines = np.arange(0, order.size, order.shape[1])[:, None]
    sums = values.reshape(order.size, -1).take(lines + order, axis=0).cumsum(axis=1)
    before = np.arange(1, scores.shape[1] + 1)[None, :]
    after = totals[:, None] - before
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = compute_squared_norms(sums) * (1.0 / before + 1.0 / after)
    gain = np.where((before >= k) & (after >= k), gain, -1.0)
    cut = gain.argmax(axis=1)
    is_first = np.empty(order.shape, dtype=bool)
    np.put_along_axis(is_first, order, before <= cut[:, None] + 1, axis=1)
    return gain[np.arange(len(gain)), cut], is_first
