"""Hierarchies of labels, from nested labels, pairs or columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from pydpstat._checks import describe_option, describe_value
from pydpstat._data.labels import encode_observed_labels, to_label_column, to_label_columns
from pydpstat._data.values import to_object_array
from pydpstat._frozen import freeze_array
from pydpstat._lazy import pd
from pydpstat.consistency._tree import Tree
from pydpstat.errors import PydpstatError


class Hierarchy:
    """A tree of labels of any depth: country, states, municipalities.

    Parameters
    ----------
    nested : dict or list
        The labels below the top: a dict from labels to their children (a dict, a list of labels, or
        None for a leaf), or a list of labels. Branches may differ in depth.
    root : label, default "total"
        Name of the top.
    levels : list of str, optional
        Names of the levels from the top down; by default "level 0", "level 1", ...

    Attributes
    ----------
    levels : tuple of str
        The levels' names.
    sizes : tuple of int
        Number of nodes of each level.
    labels : tuple of ndarray of object
        The labels of each level. The children of a node are adjacent in the next level.
    tree : Tree
        The same hierarchy as node numbers.

    Raises
    ------
    PydpstatError
        If a label occurs twice below one parent, or there is nothing below the top.

    See Also
    --------
    release_hierarchy : release counts of a hierarchy.

    Notes
    -----
    The hierarchy must be public. One created from the data (`from_columns` of the records) reveals which
    labels occur; create it from an official list.

    Examples
    --------
    >>> from pydpstat.consistency import Hierarchy
    >>> country = Hierarchy({"North": ["Aldea", "Burgo"], "South": ["Costa"]}, root="country")
    >>> country.sizes, country.leaves
    ((1, 2, 3), 3)
    >>> country.labels[2].tolist()
    ['Aldea', 'Burgo', 'Costa']
    """

    def __init__(self, nested: object, *, root: Hashable = "total", levels: Iterable[str] | None = None) -> None:
        self._set_nodes(*_read_nested_labels(nested, root), levels)

    @classmethod
    def from_parents(
        cls,
        child: object,
        parent: object,
        *,
        root: Hashable | None = None,
        levels: Iterable[str] | None = None,
    ) -> Hierarchy:
        """Create a hierarchy from pairs of a child and its parent.

        Parameters
        ----------
        child, parent : array_like of labels, shape (n,)
            Columns of a list of all nodes. Each child occurs once. The top may be included with a missing
            parent, or occur only as a parent.
        root : label, optional
            Name of a new top above several ones. By default there must be a single top.
        levels : list of str, optional
            Names of the levels from the top down.

        Raises
        ------
        PydpstatError
            If a child has two parents, a label is its own ancestor, or there are several tops.

        Examples
        --------
        >>> Hierarchy.from_parents(["N", "S", "a", "b", "c"], ["all", "all", "N", "N", "S"]).sizes
        (1, 2, 3)
        """
        hierarchy = cls.__new__(cls)
        hierarchy._set_nodes(*_read_pairs(child, parent, root), levels)
        return hierarchy

    @classmethod
    def from_columns(
        cls, columns: object, *, root: Hashable = "total", levels: Iterable[str] | None = None
    ) -> Hierarchy:
        """Create a hierarchy from its leaves, with a column for each level below the top.

        Parameters
        ----------
        columns : DataFrame or dict of columns
            One row per leaf, from the highest level to the lowest; missing at the end for leaves on higher
            levels. Duplicate rows count once.
        root : label, default "total"
            Name of the top.
        levels : list of str, optional
            Names of the levels from the top down; by default "level 0" and the columns' names.

        Raises
        ------
        PydpstatError
            If a label is missing above one that is not, or a leaf has children.

        Examples
        --------
        >>> Hierarchy.from_columns({"state": ["N", "N", "S"], "town": ["a", "b", "a"]}).leaves
        3
        """
        hierarchy = cls.__new__(cls)
        names, parent_positions, headers = _read_level_columns(columns, root)
        hierarchy._set_nodes(names, parent_positions, ("level 0", *headers) if levels is None else levels)
        return hierarchy

    def _set_nodes(self, labels: np.ndarray, parent_positions: np.ndarray, levels: Iterable[str] | None) -> None:
        """Set the nodes from labels in any order and the positions of their parents (-1 for the top)."""
        positions_by_level, children = _group_by_level(parent_positions)
        self.labels = tuple(freeze_array(labels[level]) for level in positions_by_level)
        self.tree = Tree(children)
        self.sizes = self.tree.sizes
        depth = len(self.sizes)
        if levels is None:
            levels = [f"level {number}" for number in range(depth)]
        names = _read_items(levels, "levels must be a list of names", "Give one for each level.")
        self.levels = tuple(map(str, names))
        if not len(set(self.levels)) == len(self.levels) == depth:
            raise PydpstatError(
                f"levels must be {depth} different names, from the top down; got {len(self.levels)}. "
                f"The hierarchy has {depth} levels including its top."
            )

    def __setstate__(self, state: dict[str, Any]) -> None:
        # an unpickled array is writable
        self.__dict__.update(state, labels=tuple(map(freeze_array, state["labels"])))

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return sum(self.sizes)

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return self.tree.leaves

    def names(self) -> list[str]:
        """Return each node's labels below the top, joined by " / ", level after level.

        Examples
        --------
        >>> Hierarchy({"N": ["a", "b"], "S": None}).names()
        ['total', 'N', 'S', 'N / a', 'N / b']
        """
        above = list(map(str, self.labels[1]))
        names = [str(self.labels[0][0]), *above]
        for level in range(1, len(self.sizes) - 1):
            parents = np.repeat(np.arange(len(above)), self.tree.children[level])
            below = zip(parents.tolist(), self.labels[level + 1])
            above = [f"{above[parent]} / {label}" for parent, label in below]
            names += above
        return names

    def frame(self) -> pd.DataFrame:
        """Return the nodes as a frame with the columns level (its name) and label, indexed by `names`.

        Examples
        --------
        >>> Hierarchy({"N": ["a", "b"], "S": None}).frame().level.tolist()
        ['level 0', 'level 1', 'level 1', 'level 2', 'level 2']
        """
        levels = np.repeat(np.array(self.levels, dtype=object), self.sizes)
        columns = {"level": levels, "label": np.concatenate(self.labels)}
        return pd.DataFrame(columns, index=pd.Index(self.names(), name="node", dtype=object))

    def __len__(self) -> int:
        return self.nodes

    def __repr__(self) -> str:
        return f"<Hierarchy: {len(self.sizes)} levels of {', '.join(map(str, self.sizes))} nodes>"


def _read_items(values: Any, what: str, hint: str) -> list[object]:
    """Return the items of a list, tuple, array or other collection, but not of a string."""
    try:
        if not isinstance(values, (str, bytes)):
            return list(values)
    except TypeError:
        pass
    raise PydpstatError(f"{what}; got {describe_value(values)}. {hint}")


def _group_by_level(parent_positions: np.ndarray) -> tuple[list[np.ndarray], tuple[np.ndarray, ...]]:
    """Return the positions of each level's nodes, and their numbers of children.

    `parent_positions` has the position of each node's parent, -1 for the top. Children are in the order of their
    parents.
    """
    order = np.argsort(parent_positions, kind="stable")
    # the children of node i are order[first[i]:last[i]]
    first_child = np.searchsorted(parent_positions[order], np.arange(parent_positions.size), "left")
    last_child = np.searchsorted(parent_positions[order], np.arange(parent_positions.size), "right")
    level, positions, children = np.flatnonzero(parent_positions < 0), [], []
    while level.size:
        counts = last_child[level] - first_child[level]
        positions.append(level)
        children.append(counts.astype(np.int64))
        starts = np.repeat(first_child[level] - (np.cumsum(counts) - counts), counts)
        level = order[starts + np.arange(counts.sum())]
    unseen = parent_positions.size - sum(level_positions.size for level_positions in positions)
    if unseen:
        raise PydpstatError(f"parent must lead to the top from every label; {unseen} labels are in a cycle.")
    return positions, tuple(children)


def _read_nested_labels(nested: object, root: Hashable) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of nested dicts and lists, and the positions of their parents."""
    names: list[object] = [root]
    parent_positions, below = [-1], [nested]
    # the loop appends branches while it runs
    for position, branch in enumerate(below):
        inside, branches = _read_branch(branch)
        names += inside
        parent_positions += [position] * len(inside)
        below += branches
    if len(names) == 1:
        raise PydpstatError(
            f"nested must have labels below {describe_option(root)}; it has none. Give a dict or a list."
        )
    return to_object_array(names), np.array(parent_positions)


def _read_branch(branch: object) -> tuple[list[object], list[object]]:
    """Return the labels directly below a node, and the branch below each of them."""
    if branch is None:
        return [], []
    if isinstance(branch, Mapping):
        names, branches = list(branch), list(branch.values())
    else:
        names = _read_items(branch, "nested must be dicts and lists of labels", "Write [label] for one.")
        branches = [None] * len(names)
    try:
        different = len(set(names)) == len(names)
    except TypeError as error:
        raise PydpstatError(
            "nested must have a dict for labels that have labels below them; got a list inside a list."
        ) from error
    if not different:
        raise PydpstatError(
            f"nested must have a label only once below a parent; {describe_value(names)} has one twice. Rename it."
        )
    return names, branches


def _read_pairs(child: object, parent: object, root: Hashable | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels of a list of children and parents, and the positions of their parents."""
    children, parents = to_label_column(child, "child"), to_label_column(parent, "parent")
    if len(children) != len(parents):
        raise PydpstatError(f"child and parent must have the same length; got {len(children)} and {len(parents)}.")
    columns = [parents, children]
    if columns[0].dtype.kind == "f" and columns[1].dtype.kind in "iu" and (columns[0].dropna() % 1 == 0).all():
        # a missing parent converts integers to floats
        columns = [column.astype("Int64") for column in columns]
    codes, names = encode_observed_labels(pd.concat(columns, ignore_index=True), "child and parent")
    parent_codes, child_codes = np.split(codes, 2)
    if not child_codes.size or (child_codes < 0).any():
        raise PydpstatError("child must have labels, none of them missing. Give a row for each node.")
    if np.unique(child_codes).size < child_codes.size:
        raise PydpstatError("child must have each label once; some have two parents. Rename those that differ.")
    parent_positions = np.full(len(names), -1)
    parent_positions[child_codes] = parent_codes
    tops = np.flatnonzero(parent_positions < 0)
    if not tops.size:
        raise PydpstatError("parent must lead to a top; every label has a parent. Leave out the parent of the top.")
    if tops.size > 1:
        if root is None:
            raise PydpstatError(
                f"parent must lead to one top; there are {tops.size}. Give root='total' to put one above them."
            )
        parent_positions[tops] = parent_positions.size
        return to_object_array([*names, root]), np.append(parent_positions, -1)
    return names, parent_positions


def _read_level_columns(columns: object, root: Hashable) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Return the labels of columns for each level, the positions of their parents, and the columns' names."""
    pairs = to_label_columns(columns, "columns")
    codes, levels = zip(*[encode_observed_labels(column, "columns") for _, column in pairs])
    if len({code.size for code in codes}) != 1 or not codes[0].size:
        raise PydpstatError("columns must have rows, and the same length. Give a row for each leaf.")
    names, parent_positions, count = [to_object_array([root])], [np.array([-1])], 1
    # each row's node in the level above; -1 once the row has ended
    node = np.zeros(codes[0].size, dtype=np.int64)
    for code, level in zip(codes, levels):
        is_present = code >= 0
        if (is_present & (node < 0)).any() or not (is_present.all() if count == 1 else is_present.any()):
            raise PydpstatError(
                "columns must have labels down to each leaf; one is missing above a label, or a column is empty."
            )
        # in order of first occurrence
        new_codes, keys = pd.factorize(node[is_present] * len(level) + code[is_present])
        above = keys // len(level)
        if np.isin(above, node[~is_present]).any():
            raise PydpstatError(
                "columns must not have a node that is a leaf in one row and has labels below it in "
                "another. Give the rest a separate label, such as 'other'."
            )
        names.append(level[keys % len(level)])
        parent_positions.append(above)
        node = np.full(node.size, -1)
        node[is_present] = count + new_codes
        count += keys.size
    return np.concatenate(names), np.concatenate(parent_positions), [str(name) for name, _ in pairs]
