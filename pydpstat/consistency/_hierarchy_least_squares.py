"""Weighted least squares on a tree in two passes: up and down, in linear time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pydpstat.consistency._tree import Levels, Tree
from pydpstat.errors import PydpstatError

# how far exact values may be from adding up, relative to the largest of them
AGREE = 1e-9


def two_pass(tree: Tree, values: Levels, variances: Levels) -> tuple[Levels, Levels]:
    """Return the best linear unbiased estimates of all nodes, and their variances.

    Parameters
    ----------
    tree : Tree
    values : list of ndarray of float64
        What was measured, level by level, with independent noise.
    variances : list of ndarray of float64
        The noise's variances: 0 where a value is exact, infinite where a parent was not measured.

    Returns
    -------
    estimates, variances : list of ndarray of float64
        Each parent's estimate is the sum of its children's.

    Raises
    ------
    PydpstatError
        Where exact values do not add up.

    Notes
    -----
    Up: a parent's own measurement and the sum of its children's estimates are two independent
    measurements of one number; they are averaged with their precisions as weights. Down: what a
    parent's final estimate differs from its children's sum by is shared among them in proportion to
    their variances. This is the generalised least squares solution for any tree and any variances.
    With u the upward variance of a child, U the sum of these over its siblings and itself, and s the
    parent's final variance, the child's is ``u - (u / U)^2 (U - s)``.

    References
    ----------
    Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010). Boosting the accuracy of differentially
    private histograms through consistency. VLDB 2010 (equal variances and numbers of children).

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.consistency._tree import Tree
    >>> tree = Tree((np.array([2]), np.array([0, 0])))
    >>> one = [np.ones(1), np.ones(2)]
    >>> estimates, variances = two_pass(tree, [np.array([13.0]), np.array([4.0, 6.0])], one)
    >>> estimates[0], estimates[1], variances[1]
    (array([12.]), array([5., 7.]), array([0.66666667, 0.66666667]))
    """
    return down(tree, up(tree, values, variances))


class Upward(NamedTuple):
    """What the upward pass leaves.

    Parameters
    ----------
    estimates, variances : list of ndarray
        The best estimates of each node from its own subtree, and their variances.
    sums, reaches : list of ndarray
        For each level but the last and each of its nodes with children: the sum of the children's
        estimates and that of their variances.
    """

    estimates: Levels
    variances: Levels
    sums: Levels
    reaches: Levels


def up(tree: Tree, values: Levels, variances: Levels) -> Upward:
    """Estimate each node from its own subtree."""
    estimates, spreads = list(values), list(variances)
    sums: Levels = []
    reaches: Levels = []
    for level in range(len(values) - 2, -1, -1):
        sums.append(tree.sums(level, estimates[level + 1]))
        reaches.append(tree.sums(level, spreads[level + 1]))
        has = tree.parents[level]
        if has.all():
            estimates[level], spreads[level] = _averaged(
                values[level], variances[level], sums[-1], reaches[-1]
            )
            continue
        estimates[level], spreads[level] = values[level].copy(), variances[level].copy()
        estimates[level][has], spreads[level][has] = _averaged(
            values[level][has], variances[level][has], sums[-1], reaches[-1]
        )
    return Upward(estimates, spreads, sums[::-1], reaches[::-1])


def _averaged(
    own: np.ndarray, variance: np.ndarray, sums: np.ndarray, reach: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Average two measurements of the same numbers with their precisions as weights."""
    with np.errstate(invalid="ignore"):
        weight = reach / (variance + reach)
        spread = variance * weight
    exact = (variance == 0.0) & (reach == 0.0)
    if exact.any():
        weight[exact] = 1.0
        spread[exact] = 0.0
    unmeasured = np.isinf(variance)
    if unmeasured.any():
        weight[unmeasured] = 0.0
        spread[unmeasured] = reach[unmeasured]
        own = np.where(unmeasured, sums, own)
    return sums + weight * (own - sums), spread


def down(tree: Tree, upward: Upward) -> tuple[Levels, Levels]:
    """Return the final estimates and variances from the upward pass."""
    estimates, variances = list(upward.estimates), list(upward.variances)
    for level, (sums, reach) in enumerate(zip(upward.sums, upward.reaches)):
        has = tree.parents[level]
        parents, spread = estimates[level][has], variances[level][has]
        fixed = reach == 0.0
        if fixed.any():
            _check_exact(parents[fixed], sums[fixed])
            reach = np.where(fixed, 1.0, reach)
        own = variances[level + 1]
        estimates[level + 1] = estimates[level + 1] + own * tree.spread(level, (parents - sums) / reach)
        gained = np.maximum(reach - spread, 0.0) / reach**2
        less = own**2 * tree.spread(level, np.where(fixed, 0.0, gained))
        variances[level + 1] = np.maximum(own - less, 0.0)
    return estimates, variances


def _check_exact(parents: np.ndarray, sums: np.ndarray) -> None:
    if (np.abs(parents - sums) > AGREE * np.maximum(1.0, np.abs(parents))).any():
        raise PydpstatError(
            "values with variance 0 must add up exactly; those of some children do not make their parent's. "
            "Give the noise's variance, or correct the exact values."
        )
