"""How a hierarchy's nodes are put in order: level by level, children of one parent together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pydpstat._checks import shown, shown_option
from pydpstat._data.lookup import objects
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import pandas as pd


class Nodes(NamedTuple):
    """A hierarchy's nodes.

    Parameters
    ----------
    labels : tuple of ndarray of object
        Of each level.
    children : tuple of ndarray of int64
        How many children each node has.
    """

    labels: tuple[np.ndarray, ...]
    children: tuple[np.ndarray, ...]


def listed(values: Any, what: str, hint: str) -> list[Any]:
    """Return the items of a list, tuple, array or other collection; a text is none."""
    try:
        if not isinstance(values, (str, bytes)):
            return list(values)
    except TypeError:
        pass
    raise PydpstatError(f"{what}; got {shown(values)}. {hint}")


def from_nested(nested: Any, root: Hashable) -> Nodes:
    """Order the nodes of nested dicts and lists."""
    labels, children = [objects([root])], []
    below: list[Any] = [nested]
    while below:
        inside = [_inside(each) for each in below]
        children.append(np.array([len(names) for names, _ in inside], dtype=np.int64))
        names = [name for each, _ in inside for name in each]
        below = [branch for _, branches in inside for branch in branches]
        if names:
            labels.append(objects(names))
    if len(labels) == 1:
        raise PydpstatError(
            f"nested must have labels below {shown_option(root)}; there are none. Give a dict or a list."
        )
    return Nodes(tuple(labels), tuple(children))


def _inside(branch: Any) -> tuple[list[Any], list[Any]]:
    """Return the labels right below a node, and what is below each of them."""
    if branch is None:
        return [], []
    if isinstance(branch, Mapping):
        names, branches = list(branch), list(branch.values())
    else:
        names = listed(branch, "nested must be dicts and lists of labels", "Write [label] for one.")
        branches = [None] * len(names)
    try:
        different = len(set(names)) == len(names)
    except TypeError as error:
        raise PydpstatError(
            "nested must have a dict wherever labels have labels below them; got a list inside a list."
        ) from error
    if not different:
        raise PydpstatError(
            f"nested must have a label once below one parent; {shown(names)} has one twice. Rename it."
        )
    return names, branches


def from_pairs(child: Any, parent: Any, root: Hashable | None) -> Nodes:
    """Order the nodes of a list of children and parents."""
    import pandas as pd

    children, parents = _column(child, "child"), _column(parent, "parent")
    if len(children) != len(parents):
        raise PydpstatError(f"child and parent must have one length; got {len(children)} and {len(parents)}.")
    both = [parents, children]
    if both[0].dtype.kind == "f" and both[1].dtype.kind in "iu" and (both[0].dropna() % 1 == 0).all():
        # a missing parent has made floats of whole numbers
        both = [each.astype("Int64") for each in both]
    codes, names = factorized(pd.concat(both, ignore_index=True), "child and parent")
    above, own = np.split(codes, 2)
    if not own.size or (own < 0).any():
        raise PydpstatError("child must have labels, none of them missing. Give a row for each node.")
    if np.unique(own).size < own.size:
        raise PydpstatError(
            "child must have each label once; some have two parents. Rename those that differ."
        )
    up = np.full(len(names), -1)
    up[own] = above
    up = _one_top(up, root)
    if up.size > len(names):
        names = objects([*names, root])
    return _by_level(names, up)


def _column(values: Any, name: str) -> Any:
    """Return a column of labels as a Series."""
    import pandas as pd

    if isinstance(values, (list, tuple, range)) or getattr(values, "ndim", 0) == 1:
        try:
            plain = hasattr(values, "dtype") and (not isinstance(values, np.ndarray) or _is_plain(values))
            return pd.Series(values if plain else objects(list(values))).reset_index(drop=True)
        except (TypeError, ValueError, NotImplementedError):
            pass
    raise PydpstatError(
        f"{name} must be a column of labels; got {type(values).__name__}. Give a list, an array or a Series."
    )


def _is_plain(values: np.ndarray) -> bool:
    """Tell whether pandas takes an array as it is: not other byte orders, dates beyond its range, records."""
    return values.dtype.kind in "iufbO" and values.dtype.isnative


def factorized(column: pd.Series, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return codes (-1 for missing) and the labels that occur."""
    import pandas as pd

    try:
        # an array of objects stays one; pandas would guess a type for a Series of them
        codes, labels = pd.factorize(column.to_numpy() if column.dtype == object else column)
    except (TypeError, OverflowError) as error:
        raise PydpstatError(
            f"{name} must have labels that can be looked up; got lists or the like. Use texts or numbers."
        ) from error
    return codes, objects(labels)


def _one_top(up: np.ndarray, root: Hashable | None) -> np.ndarray:
    """Return each node's parent with one node that has none: a new last one above several."""
    tops = np.flatnonzero(up < 0)
    if root is not None and tops.size > 1:
        up = np.append(np.where(up < 0, up.size, up), -1)
    elif tops.size > 1:
        raise PydpstatError(
            f"parent must lead to one top; there are {tops.size}. Give root='total' to put one above them."
        )
    if not (up < 0).any():
        raise PydpstatError("parent must lead to a top; each label has a parent. Leave the top's parent out.")
    return up


def _by_level(names: np.ndarray, up: np.ndarray) -> Nodes:
    """Order nodes by their depth and their parent's place."""
    order = np.argsort(up, kind="stable")
    # the children of node i are order[first[i]:last[i]]
    first = np.searchsorted(up[order], np.arange(up.size), "left")
    last = np.searchsorted(up[order], np.arange(up.size), "right")
    level, labels, children, seen = np.flatnonzero(up < 0), [], [], 0
    while level.size:
        counts = last[level] - first[level]
        labels.append(names[level])
        children.append(counts.astype(np.int64))
        seen += level.size
        starts = np.repeat(first[level] - (np.cumsum(counts) - counts), counts)
        level = order[starts + np.arange(counts.sum())]
    if seen < up.size:
        raise PydpstatError(
            f"parent must lead to the top from every label; {up.size - seen} labels lead round in a circle."
        )
    return Nodes(tuple(labels), tuple(children))


def from_rows(columns: Any, root: Hashable) -> tuple[Nodes, tuple[str, ...]]:
    """Order the nodes of a list of leaves with a column for each level; return the columns' names, too."""
    names, codes, levels = [], [], []
    for name, column in column_items(columns, "columns"):
        code, level = factorized(column, "columns")
        names.append(str(name))
        codes.append(code)
        levels.append(level)
    if len({code.size for code in codes}) != 1 or not codes[0].size:
        raise PydpstatError("columns must have rows, and all one length. Give a row for each leaf.")
    labels, children = [objects([root])], []
    # a row's node of the level above; -1 from where a row has ended
    node = np.zeros(codes[0].size, dtype=np.int64)
    count = 1
    for code, level in zip(codes, levels):
        here = code >= 0
        if (here & (node < 0)).any() or not (here.all() if count == 1 and len(labels) == 1 else here.any()):
            raise PydpstatError(
                "columns must have labels down to each leaf; one is missing above a label, or a "
                "column is empty."
            )
        ended = np.setdiff1d(node[~here & (node >= 0)], np.array([-1]))
        keys, first, place = np.unique(
            node[here] * len(level) + code[here], return_index=True, return_inverse=True
        )
        above = keys // len(level)
        if np.intersect1d(above, ended).size:
            raise PydpstatError(
                "columns must not have a node that is a leaf in one row and has labels below it in another. "
                "Give the rest a label of its own, such as 'other'."
            )
        # children in the order in which they are first seen
        rank = np.lexsort((first, above))
        position = np.empty(rank.size, dtype=np.int64)
        position[rank] = np.arange(rank.size)
        labels.append(level[keys[rank] % len(level)])
        children.append(np.bincount(above, minlength=count).astype(np.int64))
        node = np.full(node.size, -1)
        node[here] = position[place.ravel()]
        count = keys.size
    children.append(np.zeros(count, dtype=np.int64))
    return Nodes(tuple(labels), tuple(children)), tuple(names)


def column_items(columns: Any, name: str) -> list[tuple[Any, Any]]:
    """Return the names and columns of a frame or a dict of columns."""
    if hasattr(columns, "columns") and hasattr(columns, "iloc"):
        found = [(label, columns.iloc[:, place]) for place, label in enumerate(columns.columns)]
    elif isinstance(columns, Mapping):
        found = list(columns.items())
    else:
        found = []
    if not found:
        raise PydpstatError(
            f"{name} must be a DataFrame or a dict with a column for each level; got "
            f"{type(columns).__name__}."
        )
    return [(label, _column(column, f"{name}[{shown_option(label)}]")) for label, column in found]
