"""Whole numbers near real ones in a tree, so that it still adds up."""

from __future__ import annotations

import numpy as np

from pydpstat.consistency._tree import Levels, Tree
from pydpstat.errors import PydpstatError

# above it not every whole number is a float
LARGEST = 2.0**53


def rounded_tree(tree: Tree, values: Levels) -> Levels:
    """Round a consistent tree to whole numbers that are consistent.

    Parameters
    ----------
    tree : Tree
    values : list of ndarray of float64
        Each parent is the sum of its children.

    Returns
    -------
    list of ndarray of int64
        Each is the whole number below or above the value, and each parent is the sum of its children.

    Notes
    -----
    Each child is rounded down, and those with the largest remainders up instead, as many as the
    parent's whole number asks for. That works at every node: the sum of floats, rounded or not, is
    monotone, so a sum lies between that of the floors and that of the ceilings.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.consistency._tree import Tree
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
    """Check that values become whole numbers without loss."""
    if values.size and np.abs(values).max() >= LARGEST:
        raise PydpstatError("values must be below 2^53 in size to be rounded to whole numbers.")
