"""A tree as arrays, level by level, and methods to make noisy values on it consistent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._checks import check_boolean, check_choice
from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat.errors import PydpstatError

Levels = list[np.ndarray]
# above this number not every integer is representable as a float
_MAX_EXACT_INTEGER = 2.0**53
# up to this number of children they are added one by one
_MAX_UNROLLED_CHILDREN = 8
# allowed deviation of exact values from adding up, relative to the largest of them
_EXACT_TOLERANCE = 1e-9
# description of each method, and the reason why it has no standard errors; empty if it has
_METHOD_DESCRIPTIONS = {
    "least squares": ("weighted least squares", ""),
    "ratio": (
        "children scaled to their parent",
        "the standard error of a ratio of noisy values depends on the true values",
    ),
    "top-down": (
        "weighted least squares from the top down, none negative",
        "the effect of clipping at 0 depends on the true values",
    ),
}


@dataclass(frozen=True)
class Tree(ReadOnlyArrays):
    """A tree with one root, given by the number of children of each node, level by level; 0 for a leaf.

    The children of a level's nodes are consecutive in the next level.
    """

    children: tuple[npt.NDArray[np.int64], ...]

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Number of nodes on each level."""
        return tuple(counts.size for counts in self.children)

    @cached_property
    def leaves(self) -> int:
        """Number of leaves."""
        return sum(int((counts == 0).sum()) for counts in self.children)

    @cached_property
    def parents(self) -> tuple[npt.NDArray[np.bool_], ...]:
        """Mask of the nodes with children, for each level."""
        return tuple(freeze_array(counts > 0) for counts in self.children)

    @cached_property
    def child_counts(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Numbers of children of the nodes with children, for each level."""
        return tuple(freeze_array(counts[has]) for counts, has in zip(self.children, self.parents))

    @cached_property
    def starts(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Index in the next level of the first child of each node with children, for each level."""
        return tuple(freeze_array(np.cumsum(counts) - counts) for counts in self.child_counts)

    @cached_property
    def uniform_child_counts(self) -> tuple[int, ...]:
        """Common number of children of all nodes with children, for each level; 0 if it differs."""
        return tuple(
            int(counts[0]) if counts.size and (counts == counts[0]).all() else 0 for counts in self.child_counts
        )

    def sum_children(self, level: int, values: np.ndarray) -> np.ndarray:
        """Return the sums of the next level's values, one for each node of this level with children."""
        fan = self.uniform_child_counts[level]
        if not 0 < fan <= _MAX_UNROLLED_CHILDREN:
            return np.add.reduceat(values, self.starts[level])
        # in the same order, but several times faster for few children
        sums = values[::fan].copy()
        for start in range(1, fan):
            sums += values[start::fan]
        return sums

    def copy_to_children(self, level: int, values: np.ndarray) -> np.ndarray:
        """Return for each node of the next level its parent's value; `values` are those of nodes with children."""
        return np.repeat(values, self.uniform_child_counts[level] or self.child_counts[level])

    def sum_from_leaves(self, leaves: Levels) -> Levels:
        """Return the sums for all nodes from `leaves`, which has a value per node; those of parents are ignored."""
        totals = [values.copy() for values in leaves]
        for level in range(len(totals) - 2, -1, -1):
            totals[level][self.parents[level]] = self.sum_children(level, totals[level + 1])
        return totals

    def split_levels(self, values: np.ndarray) -> Levels:
        """Split an array of all nodes, level after level, into levels."""
        return np.split(values, np.cumsum(self.sizes)[:-1])

    def compute_gap(self, values: Levels) -> float:
        """Return the largest absolute difference between a node and the sum of its children."""
        gaps = [
            np.abs(self.sum_children(level, values[level + 1]) - values[level][self.parents[level]]).max()
            for level in range(len(values) - 1)
        ]
        return float(max(gaps, default=0.0))


class ConsistencyMethod(NamedTuple):
    """Checked settings for making values consistent."""

    method: str
    nonnegative: bool
    integer: bool

    @property
    def steps(self) -> tuple[str, ...]:
        """Description of the steps."""
        cut = ("negative values set to 0",) if self.method == "ratio" and self.nonnegative else ()
        rounding = ("rounded to whole numbers that add up",) if self.integer else ()
        return (*cut, _METHOD_DESCRIPTIONS[self.method][0], *rounding)

    @property
    def reason(self) -> str:
        """Reason why there are no standard errors; empty if there are."""
        return _METHOD_DESCRIPTIONS[self.method][1]


def check_consistency_method(
    method: str, nonnegative: bool | None, integer: bool | None, has_integers: bool
) -> ConsistencyMethod:
    """Check the settings for making values consistent; `has_integers` is whether the noisy ones are integers."""
    check_choice(method, "method", tuple(_METHOD_DESCRIPTIONS))
    sign = method == "top-down" if nonnegative is None else check_boolean(nonnegative, "nonnegative")
    if sign and method == "least squares":
        raise PydpstatError(
            "nonnegative must be False for method 'least squares', which may leave negative values; got "
            "True. Use method='top-down'."
        )
    if not sign and method == "top-down":
        raise PydpstatError("nonnegative must be True for method 'top-down'; got False. Use 'least squares'.")
    rounding = method == "top-down" and has_integers if integer is None else check_boolean(integer, "integer")
    return ConsistencyMethod(method, sign, rounding)


def apply(
    tree: Tree, values: Levels, variances: Levels, settings: ConsistencyMethod
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...] | None]:
    """Return consistent values, and their variances before rounding if these are known.

    If a node was not measured, its value is NaN and its variance infinite.
    """
    if settings.method == "least squares":
        estimates, spreads = fit_two_pass(tree, values, variances)
    elif settings.method == "ratio":
        estimates, spreads = scale_to_parents(tree, values, settings.nonnegative), None
    else:
        estimates, spreads = fit_top_down(tree, values, variances), None
    if settings.integer:
        estimates = round_tree(tree, estimates)
    return tuple(estimates), None if spreads is None else tuple(spreads)


def fit_two_pass(tree: Tree, values: Levels, variances: Levels) -> tuple[Levels, Levels]:
    """Return the best linear unbiased estimates of all nodes, and their variances.

    The noises are independent, with variance 0 for exact values and infinity for parents that were not measured.
    Upwards, a parent's measurement and its children's sum are averaged by precision. Downwards, the difference between
    a parent and that sum is divided in proportion to the variances. With u a child's upward variance, U its sum over
    siblings and s the parent's final one, the child's is ``u - (u / U)^2 (U - s)`` (Hay et al. 2010).
    """
    estimates, variances = estimate_upward(tree, values, variances)
    for level in range(len(values) - 1):
        has = tree.parents[level]
        parents, spread = estimates[level][has], variances[level][has]
        sums, variance_sums = (
            tree.sum_children(level, level_values[level + 1]) for level_values in (estimates, variances)
        )
        fixed = variance_sums == 0.0
        if fixed.any():
            hint = " Give the noise's variance, or correct the exact values."
            _check_exact(parents[fixed] - sums[fixed], parents[fixed], hint)
            variance_sums = np.where(fixed, 1.0, variance_sums)
        child_variances = variances[level + 1]
        estimates[level + 1] = estimates[level + 1] + child_variances * tree.copy_to_children(
            level, (parents - sums) / variance_sums
        )
        gained = np.maximum(variance_sums - spread, 0.0) / variance_sums**2
        reduction = child_variances**2 * tree.copy_to_children(level, np.where(fixed, 0.0, gained))
        variances[level + 1] = np.maximum(child_variances - reduction, 0.0)
    return estimates, variances


def estimate_upward(tree: Tree, values: Levels, variances: Levels) -> tuple[Levels, Levels]:
    """Return the best estimates of each node from its own subtree, and their variances."""
    estimates, spreads = list(values), list(variances)
    for level in range(len(values) - 2, -1, -1):
        has = tree.parents[level]
        sums, variance_sums = (
            tree.sum_children(level, level_values[level + 1]) for level_values in (estimates, spreads)
        )
        estimates[level], spreads[level] = values[level].copy(), variances[level].copy()
        estimates[level][has], spreads[level][has] = _combine_estimates(
            values[level][has], variances[level][has], sums, variance_sums
        )
    return estimates, spreads


def _combine_estimates(
    own: np.ndarray, variance: np.ndarray, sums: np.ndarray, sums_variance: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Average two measurements of the same numbers with their precisions as weights."""
    unmeasured, exact = np.isinf(variance), (variance == 0.0) & (sums_variance == 0.0)
    with np.errstate(invalid="ignore"):
        weight = np.where(exact, 1.0, np.where(unmeasured, 0.0, sums_variance / (variance + sums_variance)))
        spread = np.where(unmeasured, sums_variance, variance * weight)
    return sums + weight * (np.where(unmeasured, sums, own) - sums), spread


def _check_exact(gaps: np.ndarray, parents: np.ndarray, hint: str = "") -> None:
    if (np.abs(gaps) > _EXACT_TOLERANCE * np.maximum(1.0, np.abs(parents))).any():
        raise PydpstatError(
            f"values with variance 0 must add up exactly; those of some children do not add up to their parent's.{hint}"
        )


def scale_to_parents(tree: Tree, values: Levels, nonnegative: bool = False) -> Levels:
    """Scale each node's children to add up to it; children whose sum is 0 get equal shares.

    A parent that was not measured (NaN) is set to their sum; the root is rounded and clipped at 0.
    """
    measured = _fill_missing_parents(
        tree, [np.maximum(level_values, 0.0) for level_values in values] if nonnegative else values
    )
    fitted = [np.maximum(np.rint(measured[0]), 0.0)]
    for level in range(len(measured) - 1):
        sums = tree.sum_children(level, measured[level + 1])
        nothing = sums == 0.0
        children = np.where(tree.copy_to_children(level, nothing), 1.0, measured[level + 1])
        shares = children / tree.copy_to_children(level, np.where(nothing, tree.child_counts[level], sums))
        fitted.append(shares * tree.copy_to_children(level, fitted[level][tree.parents[level]]))
    return fitted


def _fill_missing_parents(tree: Tree, values: Levels) -> Levels:
    filled = list(values)
    for level in range(len(values) - 2, -1, -1):
        if np.isnan(filled[level]).any():
            sums = np.zeros(filled[level].size)
            sums[tree.parents[level]] = tree.sum_children(level, filled[level + 1])
            filled[level] = np.where(np.isnan(filled[level]), sums, filled[level])
    return filled


def fit_top_down(tree: Tree, values: Levels, variances: Levels) -> Levels:
    """Fit each node's children to it by nonnegative weighted least squares, from the root down.

    With a multiplier t they are ``max(0, z - t u)``; t is found by excluding negative values until there are none
    (Michelot 1986), for all nodes of a level at once.
    """
    estimates, spreads = estimate_upward(tree, values, variances)
    fitted = [np.maximum(estimates[0], 0.0)]
    for level in range(len(estimates) - 1):
        parents = fitted[level][tree.parents[level]]
        fitted.append(_project_nonnegative(tree, level, estimates[level + 1], spreads[level + 1], parents))
    return fitted


def _project_nonnegative(tree: Tree, level: int, start: np.ndarray, spread: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """Return the nonnegative values nearest to `start` whose sums over siblings are `goal`."""
    is_free = tree.copy_to_children(level, goal > 0.0) | (spread == 0.0)
    while True:
        variance_sums = tree.sum_children(level, np.where(is_free, spread, 0.0))
        excess = tree.sum_children(level, np.where(is_free, start, 0.0)) - goal
        fixed = variance_sums == 0.0
        _check_exact(excess[fixed], goal[fixed])
        step = np.where(fixed, 0.0, excess / np.where(fixed, 1.0, variance_sums))
        fitted = np.where(is_free, start - spread * tree.copy_to_children(level, step), 0.0)
        negative = fitted < 0.0
        if not negative.any():
            return fitted
        if (spread[negative] == 0.0).any():
            raise PydpstatError("values with variance 0 must not be negative for a non-negative fit.")
        is_free &= ~negative


def round_tree(tree: Tree, values: Levels) -> Levels:
    """Round a tree whose parents are sums of their children to integers with the same property.

    Each child is rounded down, and those with the largest remainders up, as many as needed for the parent's value. Sums
    of floats are monotone, so this is possible at every node.
    """
    real = tree.sum_from_leaves(values)
    check_integer_range(real[0])
    integers = [np.rint(real[0]).astype(np.int64)]
    for level in range(len(real) - 1):
        low = np.floor(real[level + 1])
        missing = integers[level][tree.parents[level]] - tree.sum_children(level, low.astype(np.int64))
        raised = _select_largest_remainders(tree, level, real[level + 1] - low, missing)
        integers.append(low.astype(np.int64) + raised)
    return integers


def _select_largest_remainders(tree: Tree, level: int, remainders: np.ndarray, n_selected: np.ndarray) -> np.ndarray:
    """Return the mask of the largest remainders among siblings, a number for each parent; ties go to the first."""
    family = tree.copy_to_children(level, np.arange(n_selected.size))
    order = np.lexsort((-remainders, family))
    rank = np.arange(family.size) - tree.copy_to_children(level, tree.starts[level])
    marked = np.empty(family.size, dtype=bool)
    marked[order] = rank < tree.copy_to_children(level, n_selected)
    return marked


def cast_to_integers(values: Levels) -> tuple[np.ndarray, ...]:
    """Return values as integers if all are integers."""
    if all(bool((level_values % 1.0 == 0.0).all()) for level_values in values):
        return tuple(level_values.astype(np.int64) for level_values in values)
    return tuple(values)


def check_integer_range(values: np.ndarray) -> None:
    """Check that values can be converted to integers without loss."""
    if values.size and np.abs(values).max() >= _MAX_EXACT_INTEGER:
        raise PydpstatError("values must be below 2^53 in size to be rounded to whole numbers.")
