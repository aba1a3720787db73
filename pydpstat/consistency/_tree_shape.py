"""A tree with nodes of one shape taken together, so that errors are computed once for each shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pydpstat.consistency._tree import Tree

# an odd constant whose multiples are spread over all 64 bits
_STEP = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Shape:
    """The kinds of nodes of a tree: nodes of one kind have the same errors.

    Parameters
    ----------
    counts : tuple of ndarray
        For each level how many nodes there are of each kind.
    parent : tuple of ndarray of int
        For each level the kind of the parent, in the level above.
    leaf : tuple of ndarray of bool
        For each level which kinds are leaves.
    """

    counts: tuple[np.ndarray, ...]
    parent: tuple[np.ndarray, ...]
    leaf: tuple[np.ndarray, ...]

    def error(self, precision: np.ndarray, leaves: bool) -> float:
        """Return the mean variance after least squares: of the leaves, or of the levels' own means.

        Parameters
        ----------
        precision : ndarray, one for each level
            One over the variance of the level's noise: infinite where it is public, 0 where it is not
            measured.
        leaves : bool
        """
        depth = len(self.counts)
        upward: list[np.ndarray] = [np.zeros(0)] * depth
        reaches: list[np.ndarray] = [np.zeros(0)] * depth
        for level in range(depth - 1, -1, -1):
            told = np.full(self.counts[level].size, precision[level])
            if level + 1 < depth:
                each = self.counts[level + 1] / self.counts[level][self.parent[level + 1]]
                reach = np.bincount(self.parent[level + 1], each * upward[level + 1], self.counts[level].size)
                reaches[level] = reach
                has = ~self.leaf[level]
                with np.errstate(divide="ignore"):
                    told[has] += 1.0 / reach[has]
            with np.errstate(divide="ignore"):
                upward[level] = 1.0 / told
        final, sizes = [upward[0]], [float(each.sum()) for each in self.counts]
        for level in range(1, depth):
            parent = self.parent[level]
            share = upward[level] / np.where(reaches[level - 1] > 0.0, reaches[level - 1], 1.0)[parent]
            final.append(upward[level] - share**2 * (reaches[level - 1] - final[level - 1])[parent])
        if leaves:
            total = sum(float((n * s)[leaf].sum()) for n, s, leaf in zip(self.counts, final, self.leaf))
            return total / sum(float(n[leaf].sum()) for n, leaf in zip(self.counts, self.leaf))
        return sum(float((n * s).sum()) / size for n, s, size in zip(self.counts, final, sizes)) / depth


def shape_of(tree: Tree) -> Shape:
    """Find the kinds of a tree's nodes.

    Notes
    -----
    From below, a node's kind is the collection of its children's, as the sum of 64-bit numbers that
    stand for them; from above, it is its kind from below and its parent's kind.
    """
    below: list[np.ndarray] = [np.zeros(0, dtype=np.int64)] * len(tree.sizes)
    for level in range(len(tree.sizes) - 1, -1, -1):
        sign = np.zeros(tree.sizes[level], dtype=np.uint64)
        if level + 1 < len(tree.sizes):
            sign[tree.parents[level]] = tree.sums(level, _mixed(below[level + 1]))
        below[level] = np.unique(sign, return_inverse=True)[1].ravel()
    kind = np.zeros(1, dtype=np.int64)
    counts, parents = [np.ones(1)], [np.zeros(1, dtype=np.int64)]
    leaf = [np.array([False])]
    for level in range(1, len(tree.sizes)):
        above = tree.spread(level - 1, kind[tree.parents[level - 1]])
        width = int(below[level].max()) + 1
        keys, first, place, count = np.unique(
            above * width + below[level], return_index=True, return_inverse=True, return_counts=True
        )
        kind = place.ravel()
        counts.append(count.astype(np.float64))
        parents.append(keys // width)
        leaf.append(~tree.parents[level][first])
    return Shape(tuple(counts), tuple(parents), tuple(leaf))


def _mixed(kinds: np.ndarray) -> np.ndarray:
    """Return 64-bit numbers that stand for kinds, so that sums of them stand for collections."""
    with np.errstate(over="ignore"):
        number = (kinds.astype(np.uint64) + np.uint64(1)) * _STEP
        number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return number ^ (number >> np.uint64(31))
