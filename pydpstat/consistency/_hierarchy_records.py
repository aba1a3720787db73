"""How many records each leaf of a hierarchy has."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat._data.containers import columns_of, is_frame, is_series
from pydpstat._data.held import read_whole
from pydpstat._data.lookup import places
from pydpstat._data.table import Chunk
from pydpstat._data.values import objects
from pydpstat.consistency._tree import Levels, check_size
from pydpstat.consistency.tables import numbers
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    from pydpstat.consistency.hierarchy import Hierarchy


def leaf_counts(data: object, hierarchy: Hierarchy, drop: bool) -> tuple[Levels, bool]:
    """Count records by leaf: a value for each node, 0 for one with children; and whether there were records.

    A frame or a table has a record a row: a column for each level below the top, or one with leaves' labels.
    Those at no leaf may be left out. Anything else has the counts of the leaves: by their labels (or paths,
    where labels occur twice), or in the order of the hierarchy.
    """
    if not is_series(data):
        data = read_whole(data, "data")
        # a series of Polars has no labels
        data = data.to_numpy() if is_series(data) else data
    records = is_frame(data) or isinstance(data, Chunk)
    if records:
        places = _places(*_columns(data), hierarchy)
        lost = int((places < 0).sum())
        if lost and not drop:
            raise PydpstatError(
                "data must have every record at a leaf of the hierarchy; some are not. Assign them "
                "to leaves, or use missing='drop' with neighbors='unbounded'."
            )
        flat = np.bincount(places[places >= 0], minlength=sum(hierarchy.sizes))
    else:
        flat = _given(data, hierarchy)
    return hierarchy.tree.split(flat.astype(np.int64)), records


def _columns(data: Any) -> tuple[tuple[Any, ...], int]:
    """Return the columns of a frame or of a table's records, and how many records there are."""
    return (
        (tuple(data.columns.values()), data.size)
        if isinstance(data, Chunk)
        else (columns_of(data), len(data))
    )


def _given(data: object, hierarchy: Hierarchy) -> np.ndarray:
    """Read counts by leaf into an array of all nodes."""
    if isinstance(data, Mapping):
        keys, values = list(data), numbers(list(data.values()), "data", private=True)
        places = _places_of_keys(keys, hierarchy)
    elif is_series(data):
        values = numbers(data, "data", private=True)
        if data.index.nlevels > 1:
            places = _places(*_columns(data.index.to_frame(index=False)), hierarchy)
        else:
            places = _leaf_places(data.index, hierarchy)
    else:
        values = numbers(data, "data", private=True).ravel()
        places = leaf_nodes(hierarchy)
        if values.size != places.size:
            raise PydpstatError(
                f"data must have a count for each of the {places.size} leaves; it has {values.size}. "
                "Give counts in the order of the hierarchy's leaves, or a Series by their labels."
            )
    if (values < 0.0).any() or (values != np.rint(values)).any():
        raise PydpstatError("data must have whole numbers of at least 0 as counts; some are not.")
    check_size(values.sum(keepdims=True))
    if (places < 0).any() or np.unique(places).size < places.size or places.size < hierarchy.leaves:
        raise PydpstatError(
            f"data must have exactly one count for each of the {hierarchy.leaves} leaves; it has "
            f"{values.size}. Give 0 for a leaf without records."
        )
    flat = np.zeros(hierarchy.nodes)
    flat[places] = values
    return flat


def leaf_nodes(hierarchy: Hierarchy) -> np.ndarray:
    """Return the places of the leaves among all nodes."""
    return np.flatnonzero(np.concatenate(hierarchy.tree.children) == 0)


def _places_of_keys(keys: list[Hashable], hierarchy: Hierarchy) -> np.ndarray:
    """Return the places of leaves given by label, or by a tuple of the labels down to it."""
    import pandas as pd

    paths = [key for key in keys if isinstance(key, tuple)]
    if paths and len(paths) == len(keys) and len(hierarchy.sizes) > 2:
        depth = max(map(len, paths))
        rows = [(*path, *[None] * (depth - len(path))) for path in paths]
        return _places(*_columns(pd.DataFrame(rows, dtype=object)), hierarchy)
    return _leaf_places(objects(keys), hierarchy)


def _leaf_places(labels: object, hierarchy: Hierarchy) -> np.ndarray:
    """Return the places of leaves given by label; -1 for a label that is no leaf's."""
    leaves = leaf_nodes(hierarchy)
    own = np.concatenate(hierarchy.labels)[leaves].tolist()
    if len(set(own)) != len(own):
        raise PydpstatError(
            "data must identify leaves by all their labels, as some labels are not unique: give a "
            "column (or an index level) for each level of the hierarchy below its top."
        )
    # the last one is for a label that is no leaf's or missing
    return np.append(leaves, -1)[places(labels, own)]


def _places(columns: tuple[Any, ...], size: int, hierarchy: Hierarchy) -> np.ndarray:
    """Return for each record the place of its leaf among all nodes, or -1."""
    import pandas as pd

    depth = len(hierarchy.sizes) - 1
    if len(columns) != depth:
        if len(columns) == 1:
            return _leaf_places(columns[0], hierarchy)
        raise PydpstatError(
            f"data must have a column for each of the {depth} levels below the top, in their order, or one "
            f"with the leaves' labels; it has {len(columns)} columns."
        )
    start = 0
    # the row's node in the level that has been reached; -1 where it has none, or has reached a leaf above
    node, found = np.zeros(size, dtype=np.int64), np.full(size, -1)
    for level, column in enumerate(columns):
        own, names = pd.factorize(hierarchy.labels[level + 1])
        code = places(column, list(names))
        at_leaf = (node >= 0) & (hierarchy.tree.children[level][node] == 0)
        found[at_leaf] = start + node[at_leaf]
        # below a leaf there is nothing, whatever its name
        found[code >= 0] = -1
        start += hierarchy.sizes[level]
        # a node is known by its parent and its label; one without a label by a number that no row has
        parents = np.repeat(np.arange(hierarchy.sizes[level]), hierarchy.tree.children[level])
        keys = np.where(own < 0, -2 - np.arange(own.size), parents * len(names) + own)
        goes_on = (node >= 0) & ~at_leaf & (code >= 0) & (code < len(names))
        node = pd.Index(keys).get_indexer(np.where(goes_on, node * len(names) + code, -1))
    last = node >= 0
    found[last] = start + node[last]
    return found
