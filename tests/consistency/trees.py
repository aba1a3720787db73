"""Trees for the tests, and the same estimates by dense matrices."""

import numpy as np
from hypothesis import strategies as st
from scipy.linalg import null_space

from pydpstat.consistency._tree import Tree


@st.composite
def trees(draw, most_levels=4, most_children=4):
    """A tree of any shape, with leaves at any depth."""
    children, size = [], 1
    for level in range(draw(st.integers(1, most_levels))):
        counts = draw(st.lists(st.integers(0, most_children), min_size=size, max_size=size))
        if level == 0 and not counts[0]:
            counts = [draw(st.integers(1, most_children))]
        children.append(np.array(counts))
        size = sum(counts)
        if not size or size > 60:
            break
    if size:
        children.append(np.zeros(size, dtype=np.int64))
    return Tree(tuple(children))


def levels(tree, flat):
    """An array of all nodes, cut into levels."""
    return tree.split_levels(np.asarray(flat, dtype=np.float64))


def membership(tree):
    """Which leaves each node is made of: a row a node, a column a leaf, in the order of levels."""
    whole = []
    for level in range(len(tree.sizes) - 1, -1, -1):
        rows = np.zeros((tree.sizes[level], tree.leaves))
        before = sum(int((counts == 0).sum()) for counts in tree.children[:level])
        own = np.flatnonzero(tree.children[level] == 0)
        rows[own, before + np.arange(own.size)] = 1.0
        if whole:
            rows[tree.children[level] > 0] = np.add.reduceat(whole[0], tree.starts[level], axis=0)
        whole.insert(0, rows)
    return np.concatenate(whole)


def dense(tree, values, variances):
    """Generalised least squares by matrices: the nodes' estimates and their variances."""
    nodes = membership(tree)
    y, v = np.concatenate(values), np.concatenate(variances)
    exact, noisy = v == 0.0, np.isfinite(v) & (v > 0.0)
    start = np.linalg.lstsq(nodes[exact], y[exact], rcond=None)[0] if exact.any() else np.zeros(tree.leaves)
    free = null_space(nodes[exact]) if exact.any() else np.eye(tree.leaves)
    root = 1.0 / np.sqrt(v[noisy])[:, None]
    design = root * (nodes[noisy] @ free)
    target = root[:, 0] * (y[noisy] - nodes[noisy] @ start)
    step = np.linalg.lstsq(design, target, rcond=None)[0]
    spread = free @ np.linalg.pinv(design.T @ design) @ free.T
    return nodes @ (start + free @ step), np.einsum("ij,jk,ik->i", nodes, spread, nodes)
