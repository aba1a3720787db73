"""A tree as arrays, level by level: sums over children, values for children, integers that add up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen, frozen
from pydpstat.errors import PydpstatError

Levels = list[np.ndarray]
# above it not every integer is a float
_LARGEST = 2.0**53
# as many children are added up one by one
_FEW = 8


@dataclass(frozen=True)
class Tree(Frozen):
    """A tree with one root. The children of a level's nodes follow each other in the next level.

    Parameters
    ----------
    children : tuple of ndarray of int64
        For each level the number of children of each node; 0 for a leaf. The first level has one
        node, and a level's numbers add up to the size of the next.

    Examples
    --------
    >>> tree = Tree((np.array([2]), np.array([3, 0]), np.array([0, 0, 0])))
    >>> tree.sizes, tree.leaves
    ((1, 2, 3), 4)
    """

    children: tuple[npt.NDArray[np.int64], ...]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of nodes of each level."""
        return tuple(counts.size for counts in self.children)

    @cached_property
    def leaves(self) -> int:
        """Number of leaves."""
        return sum(int((counts == 0).sum()) for counts in self.children)

    @cached_property
    def parents(self) -> tuple[npt.NDArray[np.bool_], ...]:
        """For each level which nodes have children."""
        return tuple(frozen(counts > 0) for counts in self.children)

    @cached_property
    def counts(self) -> tuple[npt.NDArray[np.int64], ...]:
        """For each level the numbers of children of those nodes that have some."""
        return tuple(frozen(counts[has]) for counts, has in zip(self.children, self.parents))

    @cached_property
    def starts(self) -> tuple[npt.NDArray[np.int64], ...]:
        """For each level where in the next one the children of those nodes begin."""
        return tuple(frozen(np.cumsum(counts) - counts) for counts in self.counts)

    @cached_property
    def fans(self) -> tuple[int, ...]:
        """For each level the number of children, where all its nodes with children have as many; else 0."""
        return tuple(
            int(counts[0]) if counts.size and (counts == counts[0]).all() else 0 for counts in self.counts
        )

    def sums(self, level: int, values: np.ndarray) -> np.ndarray:
        """Add up the next level's values: one sum for each node of this level that has children."""
        fan = self.fans[level]
        if not 0 < fan <= _FEW:
            return np.add.reduceat(values, self.starts[level])
        # in the same order, and several times faster for few children
        sums = values[::fan].copy()
        for place in range(1, fan):
            sums += values[place::fan]
        return sums

    def spread(self, level: int, values: np.ndarray) -> np.ndarray:
        """Give each node of the next level its parent's value, out of those with children."""
        return np.repeat(values, self.fans[level] or self.counts[level])

    def totals(self, leaves: Levels) -> Levels:
        """Add up from the leaves: `leaves` has a value for every node, that of a parent is not used."""
        totals = [values.copy() for values in leaves]
        for level in range(len(totals) - 2, -1, -1):
            totals[level][self.parents[level]] = self.sums(level, totals[level + 1])
        return totals

    def split(self, values: np.ndarray) -> Levels:
        """Cut an array of all nodes, level after level, into levels."""
        return np.split(values, np.cumsum(self.sizes)[:-1])

    def gap(self, values: Levels) -> float:
        """Return the largest difference between a node and the sum of its children."""
        gaps = [
            np.abs(self.sums(level, values[level + 1]) - values[level][self.parents[level]]).max()
            for level in range(len(values) - 1)
        ]
        return float(max(gaps, default=0.0))


def rounded_tree(tree: Tree, values: Levels) -> Levels:
    """Round a tree whose parents are sums of their children to integers, up or down, of which that is true.

    Notes
    -----
    Each child is rounded down, and those with the largest remainders up instead, as many as the
    parent's integer asks for. That works at every node: the sum of floats, rounded or not, is
    monotone, so a sum lies between that of the floors and that of the ceilings.

    Examples
    --------
    >>> tree = Tree((np.array([3]), np.array([0, 0, 0])))
    >>> rounded_tree(tree, [np.array([4.0]), np.array([1.3, 1.3, 1.4])])
    [array([4]), array([1, 1, 2])]
    """
    real = tree.totals(values)
    check_size(real[0])
    whole = [np.rint(real[0]).astype(np.int64)]
    for level in range(len(real) - 1):
        low = np.floor(real[level + 1])
        missing = whole[level][tree.parents[level]] - tree.sums(level, low.astype(np.int64))
        raised = _largest(tree, level, real[level + 1] - low, missing)
        whole.append(low.astype(np.int64) + raised)
    return whole


def _largest(tree: Tree, level: int, remainders: np.ndarray, how_many: np.ndarray) -> np.ndarray:
    """Mark the largest remainders among siblings, a number for each parent; the first of equal ones."""
    family = tree.spread(level, np.arange(how_many.size))
    order = np.lexsort((-remainders, family))
    rank = np.arange(family.size) - tree.spread(level, tree.starts[level])
    marked = np.empty(family.size, dtype=bool)
    marked[order] = rank < tree.spread(level, how_many)
    return marked


def check_size(values: np.ndarray) -> None:
    """Check that values become integers without loss."""
    if values.size and np.abs(values).max() >= _LARGEST:
        raise PydpstatError("values must be below 2^53 in size to be rounded to whole numbers.")
