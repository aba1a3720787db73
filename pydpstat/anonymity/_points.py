"""Rows as points: scaled, compared, in groups with means and losses, and their neighbors."""

from __future__ import annotations

import math

import numpy as np

# squares of numbers up to 2^500 in size, and their sums, are far from the ends of the floats
_WIDE = 500
# more dimensions make a tree no faster than looking at all points
_MOST = 8


class Groups:
    """A partition of rows, by each row's group.

    Groups are numbered from 0 and none is left out, whatever the labels given. `starts` is where a group
    begins among the `members`, the rows by group; `losses` are sums of squared distances from the groups'
    `means`.
    """

    def __init__(self, rows: np.ndarray, labels: np.ndarray) -> None:
        self.rows = rows
        self.members, self.starts, self.sizes = by_group(labels)
        self.count = self.sizes.size
        self.labels = np.empty_like(labels)
        self.labels[self.members] = np.repeat(np.arange(self.count), self.sizes)
        ordered = rows.take(self.members, axis=0)
        self.means = np.add.reduceat(ordered, self.starts, axis=0) / self.sizes[:, None]
        ordered -= np.repeat(self.means, self.sizes, axis=0)
        self.losses = np.add.reduceat(squares(ordered), self.starts)

    def padded(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return pairs of groups' members (-1: no second), a line a pair, and which places hold one."""
        one, two = self.sizes[first, None], np.where(second < 0, 0, self.sizes[second])[:, None]
        place = np.arange(int((one + two).max()))[None, :]
        at = np.where(place < one, self.starts[first, None] + place, self.starts[second, None] + place - one)
        there = place < one + two
        return self.members[np.where(there, at, 0)], there


def by_group(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows group by group, in their order within each, where each group begins, and its size.

    Labels are groups' numbers, from 0; numbers may be left out.
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


def uncontested(claims: np.ndarray, rank: np.ndarray, count: int) -> np.ndarray:
    """Tell which lines of claims have the highest rank of all that claim one of the same things.

    Things are numbered from 0 to `count` - 1, and ranks from 0.
    """
    order = rank.argsort()
    top = np.full(count, -1)
    # written in the order of the ranks: the highest one stays
    top[claims[order].ravel()] = rank[order].repeat(claims.shape[1])
    won: np.ndarray = (top[claims] == rank[:, None]).all(axis=1)
    return won


def disjoint(
    changes: np.ndarray, claims: np.ndarray, rank: np.ndarray, count: int, rounds: int
) -> np.ndarray:
    """Choose changes, those of high rank first, so that no group takes part in two of them.

    A line of `claims` has the groups that one of the `changes` is for, `rank` each change's rank, from 0. So
    many `rounds` look at the changes that those chosen leave.
    """
    chosen = []
    for _ in range(rounds):
        winning = uncontested(claims, rank[changes], count)
        won = np.isin(changes, changes[~winning], invert=True)
        chosen.append(np.unique(changes[won]))
        busy = np.zeros(count, dtype=bool)
        busy[claims[won]] = True
        left = np.isin(changes, changes[busy[claims].any(axis=1)], invert=True)
        changes, claims = changes[left], claims[left]
    return np.concatenate(chosen)


def standardized(values: np.ndarray) -> np.ndarray:
    """Return columns with mean 0 and standard deviation 1; a constant one is 0."""
    centered = values - values.mean(axis=1, keepdims=True)
    constant = values.min(axis=1) == values.max(axis=1)
    centered[constant] = 0.0
    spread = np.sqrt((centered * centered).mean(axis=1, keepdims=True))
    return centered / np.where(spread > 0.0, spread, 1.0)


def group_means(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return each row's mean over its group, the very same number for all rows of a group."""
    # rows in one piece are moved about faster than columns
    groups = Groups(np.ascontiguousarray(values.T), labels)
    ordered = groups.rows.take(groups.members, axis=0)
    # rounding must not carry a mean out of its group
    lowest = np.minimum.reduceat(ordered, groups.starts, axis=0)
    highest = np.maximum.reduceat(ordered, groups.starts, axis=0)
    means = np.clip(groups.means, lowest, highest)
    return np.ascontiguousarray(means.take(groups.labels, axis=0).T)


def within_reach(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Return numbers whose squares neither overflow nor vanish, and the power of two to bring them back."""
    power = math.frexp(float(np.abs(values).max()))[1]
    if abs(power) <= _WIDE:
        return values, 0
    return np.ldexp(values, -power), power


def equal_rows(columns: np.ndarray) -> np.ndarray:
    """Number rows so that equal ones have the same number, from 0."""
    order = np.lexsort(columns)
    ordered = columns[:, order]
    fresh = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    labels = np.zeros(order.size, dtype=np.int64)
    labels[order[1:]] = fresh.cumsum()
    return labels


class Space:
    """Where rows' neighbors are looked for: what is near there is likely near among the variables, too.

    Nothing is left out up to eight variables; of more the eight leading principal components are kept.

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
        """Return distances and places of the `count` (or all) points nearest to each of `to`, in lines."""
        from scipy.spatial import cKDTree

        count = min(count, len(points))
        distances, places = cKDTree(self._of(points)).query(self._of(to), k=count)
        return distances.reshape(len(to), count), places.reshape(len(to), count)

    def _of(self, rows: np.ndarray) -> np.ndarray:
        # einsum's order of additions is always the same, BLAS's is not
        return rows if self._components is None else np.einsum("nd,de->ne", rows, self._components)
