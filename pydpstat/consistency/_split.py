"""Optimal allocation of epsilon to the levels of a hierarchy, for the smallest error after least squares."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np

from pydpstat.consistency._tree import Tree

# smallest weight of a level with leaves, and smallest positive weight of any other level
_MIN_WEIGHT = 0.01
# an odd constant whose multiples are spread over all 64 bits
_HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def find_optimal_weights(
    tree: Tree,
    sensitivities: tuple[int, ...],
    noisy: list[int],
    is_required: list[bool],
    epsilon: float,
    leaves_only: bool,
) -> list[float]:
    """Return the weights of the noisy levels that minimize the error after least squares.

    The error is the mean over levels of their nodes' mean variances, or with `leaves_only` that of the leaves;
    `sensitivities` has each level's sensitivity, and `is_required` whether a noisy level has leaves.
    """
    from scipy.optimize import minimize

    shape = find_node_kinds(tree)

    def compute_log_error(weights: np.ndarray) -> float:
        precision = np.full(len(sensitivities), math.inf)
        for level, weight in zip(noisy, weights):
            # the inverse variance of symmetric geometric noise
            precision[level] = math.cosh(min(epsilon * max(weight, 0.0) / sensitivities[level], 300.0)) - 1.0
        return math.log(shape.compute_mean_variance(precision, leaves_only))

    count = len(noisy)
    bounds = [(_MIN_WEIGHT if is_needed else 0.0, 1.0) for is_needed in is_required]
    equal_weights = np.full(count, 1.0 / count)
    starts = [equal_weights, *(0.2 * equal_weights + 0.8 * np.eye(count))]
    sums = {"type": "eq", "fun": lambda weights: weights.sum() - 1.0}
    with warnings.catch_warnings():
        # a step beyond the bounds is projected onto them
        warnings.simplefilter("ignore", RuntimeWarning)
        optima = [
            minimize(compute_log_error, start, method="SLSQP", bounds=bounds, constraints=sums).x for start in starts
        ]
    min_weights = np.where(is_required, _MIN_WEIGHT, 0.0)
    candidates = [np.maximum(np.where(each < _MIN_WEIGHT, 0.0, each), min_weights) for each in (equal_weights, *optima)]
    best = min((each / each.sum() for each in candidates), key=compute_log_error)
    # the last digits depend on the machine
    return [round(float(weight), 3) for weight in best]


@dataclass(frozen=True)
class NodeKinds:
    """Kinds of nodes of a tree that have the same errors.

    For each level: the number of nodes of each kind, their parents' kinds, and which are leaves.
    """

    counts: tuple[np.ndarray, ...]
    parent: tuple[np.ndarray, ...]
    is_leaf: tuple[np.ndarray, ...]

    def compute_mean_variance(self, precision: np.ndarray, leaves_only: bool) -> float:
        """Return the mean variance after least squares, of the leaves or as the average of the levels' means.

        The precision of a level is infinite if it is public, and 0 if it was not measured.
        """
        depth = len(self.counts)
        upward: list[np.ndarray] = [np.zeros(0)] * depth
        sum_variances: list[np.ndarray] = [np.zeros(0)] * depth
        for level in range(depth - 1, -1, -1):
            precisions = np.full(self.counts[level].size, precision[level])
            if level + 1 < depth:
                n_children = self.counts[level + 1] / self.counts[level][self.parent[level + 1]]
                level_variances = np.bincount(
                    self.parent[level + 1], n_children * upward[level + 1], self.counts[level].size
                )
                sum_variances[level] = level_variances
                has = ~self.is_leaf[level]
                with np.errstate(divide="ignore"):
                    precisions[has] += 1.0 / level_variances[has]
            with np.errstate(divide="ignore"):
                upward[level] = 1.0 / precisions
        final, sizes = [upward[0]], [float(count.sum()) for count in self.counts]
        for level in range(1, depth):
            parent = self.parent[level]
            share = upward[level] / np.where(sum_variances[level - 1] > 0.0, sum_variances[level - 1], 1.0)[parent]
            final.append(upward[level] - share**2 * (sum_variances[level - 1] - final[level - 1])[parent])
        if leaves_only:
            total = sum(float((n * s)[leaf].sum()) for n, s, leaf in zip(self.counts, final, self.is_leaf))
            return total / sum(float(n[leaf].sum()) for n, leaf in zip(self.counts, self.is_leaf))
        return sum(float((n * s).sum()) / size for n, s, size in zip(self.counts, final, sizes)) / depth


def find_node_kinds(tree: Tree) -> NodeKinds:
    """Find the kinds of a tree's nodes.

    From the bottom up, a kind is the multiset of the children's kinds; then the parent's kind is included.
    """
    below: list[np.ndarray] = [np.zeros(0, dtype=np.int64)] * len(tree.sizes)
    for level in range(len(tree.sizes) - 1, -1, -1):
        sign = np.zeros(tree.sizes[level], dtype=np.uint64)
        if level + 1 < len(tree.sizes):
            sign[tree.parents[level]] = tree.sum_children(level, _compute_hashes(below[level + 1]))
        below[level] = np.unique(sign, return_inverse=True)[1].ravel()
    kind = np.zeros(1, dtype=np.int64)
    counts, parents = [np.ones(1)], [np.zeros(1, dtype=np.int64)]
    leaf = [np.array([False])]
    for level in range(1, len(tree.sizes)):
        above = tree.copy_to_children(level - 1, kind[tree.parents[level - 1]])
        width = int(below[level].max()) + 1
        keys, first_indices, positions, count = np.unique(
            above * width + below[level], return_index=True, return_inverse=True, return_counts=True
        )
        kind = positions.ravel()
        counts.append(count.astype(np.float64))
        parents.append(keys // width)
        leaf.append(~tree.parents[level][first_indices])
    return NodeKinds(tuple(counts), tuple(parents), tuple(leaf))


def _compute_hashes(kinds: np.ndarray) -> np.ndarray:
    """Return 64-bit hashes of kinds, so that sums of them identify multisets."""
    with np.errstate(over="ignore"):
        number = (kinds.astype(np.uint64) + np.uint64(1)) * _HASH_MULTIPLIER
        number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return number ^ (number >> np.uint64(31))
