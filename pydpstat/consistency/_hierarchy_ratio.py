"""Children scaled to their parent, from the root down; and least squares that stays at 0 or above."""

from __future__ import annotations

import numpy as np

from pydpstat.consistency._hierarchy_least_squares import Upward
from pydpstat.consistency._tree import Levels, Tree
from pydpstat.errors import PydpstatError


def scaled(tree: Tree, values: Levels, nonnegative: bool = False) -> Levels:
    """Scale each node's children so that they add up to it.

    Parameters
    ----------
    tree : Tree
    values : list of ndarray of float64
        What was measured; NaN where a parent was not measured, whose children's sum takes its place.
    nonnegative : bool, default False
        Whether negative values are set to 0 first.

    Returns
    -------
    list of ndarray of float64
        The root is rounded and cut at 0. Children whose sum is 0 get equal shares.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.consistency._tree import Tree
    >>> tree = Tree((np.array([2]), np.array([0, 0])))
    >>> scaled(tree, [np.array([12.0]), np.array([4.0, 6.0])])[1]
    array([4.8, 7.2])
    """
    measured = _filled(tree, [np.maximum(each, 0.0) for each in values] if nonnegative else values)
    fitted = [np.maximum(np.rint(measured[0]), 0.0)]
    for level in range(len(measured) - 1):
        sums, counts = tree.sums(level, measured[level + 1]), tree.counts[level]
        parents = fitted[level][tree.parents[level]]
        nothing = sums == 0.0
        shares = measured[level + 1] / tree.spread(level, np.where(nothing, 1.0, sums))
        if nothing.any():
            equal = tree.spread(level, nothing)
            shares[equal] = tree.spread(level, 1.0 / counts)[equal]
        fitted.append(shares * tree.spread(level, parents))
    return fitted


def _filled(tree: Tree, values: Levels) -> Levels:
    filled = list(values)
    for level in range(len(values) - 2, -1, -1):
        if np.isnan(filled[level]).any():
            sums = np.zeros(filled[level].size)
            sums[tree.parents[level]] = tree.sums(level, filled[level + 1])
            filled[level] = np.where(np.isnan(filled[level]), sums, filled[level])
    return filled


def top_down(tree: Tree, upward: Upward) -> Levels:
    """Fit each node's children to it by weighted least squares, none of them negative, from the root down.

    Parameters
    ----------
    tree : Tree
    upward : Upward
        Each node's best estimate from its own subtree, with its variance.

    Returns
    -------
    list of ndarray of float64
        All at least 0; the children of each node add up to it.

    Notes
    -----
    The children of one node are the point of a simplex that is nearest to their estimates, in the
    norm that the variances give. With some multiplier t it is ``max(0, z - t u)``; t is found by
    leaving out what is negative until nothing is, for all nodes of a level at once.

    References
    ----------
    Michelot, C. (1986). A finite algorithm for finding the projection of a point onto the canonical
    simplex of R^n. Journal of Optimization Theory and Applications 50.
    Abowd, J. et al. (2022). The 2020 Census disclosure avoidance system TopDown algorithm. Harvard
    Data Science Review, special issue 2 (fitting from the top down).
    """
    fitted = [np.maximum(upward.estimates[0], 0.0)]
    for level in range(len(upward.estimates) - 1):
        parents = fitted[level][tree.parents[level]]
        fitted.append(
            _nearest(tree, level, upward.estimates[level + 1], upward.variances[level + 1], parents)
        )
    return fitted


def _nearest(tree: Tree, level: int, start: np.ndarray, spread: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Return the non-negative values nearest to `start` whose sums over siblings are `goal`."""
    kept = tree.spread(level, goal > 0.0) | (spread == 0.0)
    while True:
        reach = tree.sums(level, np.where(kept, spread, 0.0))
        excess = tree.sums(level, np.where(kept, start, 0.0)) - goal
        fixed = reach == 0.0
        _check_goal(excess[fixed], goal[fixed])
        step = np.where(fixed, 0.0, excess / np.where(fixed, 1.0, reach))
        fitted = np.where(kept, start - spread * tree.spread(level, step), 0.0)
        negative = fitted < 0.0
        if not negative.any():
            return fitted
        if (spread[negative] == 0.0).any():
            raise PydpstatError("values with variance 0 must not be negative for a fit that is not.")
        kept &= ~negative


def _check_goal(excess: np.ndarray, goal: np.ndarray) -> None:
    if (np.abs(excess) > 1e-9 * np.maximum(1.0, goal)).any():
        raise PydpstatError(
            "values with variance 0 must add up exactly; those of some children do not make their parent's."
        )
