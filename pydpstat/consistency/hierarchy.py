"""Hierarchies: which labels are parts of which, from nested labels, pairs or columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat._frozen import frozen
from pydpstat.consistency._hierarchy_building import Nodes, from_nested, from_pairs, from_rows, listed
from pydpstat.consistency._tree import Tree
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import pandas as pd


class Hierarchy:
    """A tree of labels of any depth: country, states, municipalities.

    Parameters
    ----------
    nested : dict or list
        The labels below the top: a dict from labels to what is below them (a dict, a list of labels, or
        None where nothing is), or a list of labels. Branches may differ in depth.
    root : label, default "total"
        Name of the top.
    levels : list of str, optional
        Names of the levels from the top down; by default "level 0", "level 1", ...

    Attributes
    ----------
    levels : tuple of str
        The levels' names.
    sizes : tuple of int
        How many nodes each level has.
    labels : tuple of ndarray of object
        The labels of each level. The children of a level's nodes follow each other in the next level.
    tree : Tree
        The same as numbers.

    Raises
    ------
    PydpstatError
        Where a label occurs twice below one parent, or there is nothing below the top.

    Notes
    -----
    The hierarchy has to be public. One that is made of the records at hand (`from_columns` of the data)
    tells which labels occur; make it of an official list.

    Examples
    --------
    >>> from pydpstat.consistency import Hierarchy
    >>> country = Hierarchy({"North": ["Aldea", "Burgo"], "South": ["Costa"]}, root="country")
    >>> country.sizes, country.leaves
    ((1, 2, 3), 3)
    >>> country.labels[2].tolist()
    ['Aldea', 'Burgo', 'Costa']
    """

    def __init__(self, nested: Any, *, root: Hashable = "total", levels: Iterable[str] | None = None) -> None:
        self._set(from_nested(nested, root), levels)

    @classmethod
    def from_parents(
        cls, child: Any, parent: Any, *, root: Hashable | None = None, levels: Iterable[str] | None = None
    ) -> Hierarchy:
        """Make a hierarchy of pairs of a child and its parent.

        Parameters
        ----------
        child, parent : array_like of labels, shape (n,)
            Columns of a list of all nodes. Each child occurs once. The top may be there with a missing
            parent, or only as a parent.
        root : label, optional
            Name of a top to be put above several ones. By default there must be one.
        levels : list of str, optional
            Names of the levels from the top down.

        Raises
        ------
        PydpstatError
            Where a child has two parents, a label is above itself, or there are several tops.

        Examples
        --------
        >>> Hierarchy.from_parents(["N", "S", "a", "b", "c"], ["all", "all", "N", "N", "S"]).sizes
        (1, 2, 3)
        """
        made = cls.__new__(cls)
        made._set(from_pairs(child, parent, root), levels)
        return made

    @classmethod
    def from_columns(
        cls, columns: Any, *, root: Hashable = "total", levels: Iterable[str] | None = None
    ) -> Hierarchy:
        """Make a hierarchy of a list of its leaves, with a column for each level below the top.

        Parameters
        ----------
        columns : DataFrame or dict of columns
            One row a leaf, from the highest level to the lowest; missing at the end where a leaf is
            higher than others. Rows that occur twice count once.
        root : label, default "total"
            Name of the top.
        levels : list of str, optional
            Names of the levels from the top down; by default "level 0" and the columns' names.

        Raises
        ------
        PydpstatError
            Where a label is missing above one that is not, or a node is a leaf and has children.

        Examples
        --------
        >>> Hierarchy.from_columns({"state": ["N", "N", "S"], "town": ["a", "b", "a"]}).leaves
        3
        """
        made = cls.__new__(cls)
        nodes, names = from_rows(columns, root)
        made._set(nodes, ("level 0", *names) if levels is None else levels)
        return made

    def _set(self, nodes: Nodes, levels: Iterable[str] | None) -> None:
        self.labels = tuple(map(frozen, nodes.labels))
        self.tree = Tree(nodes.children)
        self.sizes = self.tree.sizes
        names = [f"level {place}" for place in range(len(self.sizes))]
        if levels is not None:
            names = listed(levels, "levels must be a list of names", "Give one for each level.")
        self.levels = tuple(map(str, names))
        if len(set(self.levels)) != len(self.sizes) or len(names) != len(self.sizes):
            raise PydpstatError(
                f"levels must be {len(self.sizes)} different names, from the top down; got {len(names)}. "
                f"The hierarchy has {len(self.sizes)} levels with its top."
            )

    def __setstate__(self, state: dict[str, Any]) -> None:
        # a copied or pickled array comes back writable
        self.__dict__.update(state, labels=tuple(map(frozen, state["labels"])))

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
        import pandas as pd

        levels = np.repeat(np.array(self.levels, dtype=object), self.sizes)
        columns = {"level": levels, "label": np.concatenate(self.labels)}
        return pd.DataFrame(columns, index=pd.Index(self.names(), name="node", dtype=object))

    def __len__(self) -> int:
        return self.nodes

    def __repr__(self) -> str:
        return f"<Hierarchy: {len(self.sizes)} levels of {', '.join(map(str, self.sizes))} nodes>"
