"""A tree as arrays, level by level: sums over children, and values spread to children."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen, frozen

Levels = list[np.ndarray]
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
    >>> import numpy as np
    >>> from pydpstat.consistency._tree import Tree
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
