"""Reading of a hierarchy's values, noisy ones or records by leaf, and fitting of consistent values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np

from pydpstat._answering import explain_wrong_calls
from pydpstat._data.containers import get_columns, has_rows, is_frame, is_series
from pydpstat._data.labels import encode_labels
from pydpstat._data.native import read_all_records
from pydpstat._data.table import Chunk
from pydpstat._data.values import to_object_array
from pydpstat._lazy import pd
from pydpstat.consistency._tree import Levels, apply, cast_to_integers, check_consistency_method, check_integer_range
from pydpstat.consistency.hierarchy import Hierarchy
from pydpstat.consistency.hierarchy_results import HierarchyFit
from pydpstat.consistency.tables import read_numbers
from pydpstat.errors import PydpstatError

# keeps products of variances far from the limits of floats
_MIN_VARIANCE = 1e-100


def count_leaf_records(data: object, hierarchy: Hierarchy, drop_missing: bool) -> tuple[Levels, bool]:
    """Return counts of records by leaf (one value per node, 0 for parents), and whether records were given.

    Records have a column for each level below the top, or one with leaves' labels; anything else is read as counts.
    """
    if not is_series(data):
        data = read_all_records(data, "data")
        # a Polars series has no row labels
        data = data.to_numpy() if is_series(data) else data
    records = is_frame(data) or isinstance(data, Chunk)
    if records:
        positions = _find_record_leaves(*_get_columns(data), hierarchy)
        lost = int((positions < 0).sum())
        if lost and not drop_missing:
            raise PydpstatError(
                "data must have every record at a leaf of the hierarchy; some are not. Assign them "
                "to leaves, or use missing='drop' with neighbors='unbounded'."
            )
        flat = np.bincount(positions[positions >= 0], minlength=sum(hierarchy.sizes))
    else:
        flat = _read_leaf_counts(data, hierarchy)
    return hierarchy.tree.split_levels(flat.astype(np.int64)), records


def _get_columns(data: Chunk | pd.DataFrame) -> tuple[tuple[object, ...], int]:
    """Return the columns of a frame or of a table's records, and the number of records."""
    return (tuple(data.columns.values()), data.size) if isinstance(data, Chunk) else (get_columns(data), len(data))


def _read_leaf_counts(data: object, hierarchy: Hierarchy) -> np.ndarray:
    """Read counts by leaf into an array of all nodes."""
    if isinstance(data, Mapping):
        keys, values = list(data), read_numbers(list(data.values()), "data", private=True)
        positions = _find_positions_by_key(keys, hierarchy)
    elif is_series(data):
        values = read_numbers(data, "data", private=True)
        if data.index.nlevels > 1:
            positions = _find_record_leaves(*_get_columns(data.index.to_frame(index=False)), hierarchy)
        else:
            positions = _find_positions_by_label(data.index, hierarchy)
    else:
        values = read_numbers(data, "data", private=True).ravel()
        positions = get_leaf_positions(hierarchy)
        if values.size != positions.size:
            raise PydpstatError(
                f"data must have a count for each of the {positions.size} leaves; it has {values.size}. "
                "Give counts in the order of the hierarchy's leaves, or a Series by their labels."
            )
    if (values < 0.0).any() or (values != np.rint(values)).any():
        raise PydpstatError("data must have whole numbers of at least 0 as counts; some are not.")
    check_integer_range(values.sum(keepdims=True))
    if (positions < 0).any() or np.unique(positions).size < positions.size or positions.size < hierarchy.leaves:
        raise PydpstatError(
            f"data must have exactly one count for each of the {hierarchy.leaves} leaves; it has "
            f"{values.size}. Give 0 for a leaf without records."
        )
    flat = np.zeros(hierarchy.nodes)
    flat[positions] = values
    return flat


def get_leaf_positions(hierarchy: Hierarchy) -> np.ndarray:
    """Return the positions of the leaves among all nodes."""
    return np.flatnonzero(np.concatenate(hierarchy.tree.children) == 0)


def _find_positions_by_key(keys: list[Hashable], hierarchy: Hierarchy) -> np.ndarray:
    """Return the positions of leaves given by label, or by the tuple of labels on the path to it."""
    paths = [key for key in keys if isinstance(key, tuple)]
    if paths and len(paths) == len(keys) and len(hierarchy.sizes) > 2:
        depth = max(map(len, paths))
        rows = [(*path, *[None] * (depth - len(path))) for path in paths]
        return _find_record_leaves(*_get_columns(pd.DataFrame(rows, dtype=object)), hierarchy)
    return _find_positions_by_label(to_object_array(keys), hierarchy)


def _find_positions_by_label(labels: object, hierarchy: Hierarchy) -> np.ndarray:
    """Return the positions of leaves given by label; -1 if a label is not a leaf's."""
    leaves = get_leaf_positions(hierarchy)
    leaf_labels = np.concatenate(hierarchy.labels)[leaves].tolist()
    if len(set(leaf_labels)) != len(leaf_labels):
        raise PydpstatError(
            "data must identify leaves by all their labels, as some labels are not unique: give a "
            "column (or an index level) for each level of the hierarchy below its top."
        )
    # the last element is for labels that are missing or not a leaf's
    return np.append(leaves, -1)[encode_labels(labels, leaf_labels)]


def _find_record_leaves(columns: tuple[object, ...], n_records: int, hierarchy: Hierarchy) -> np.ndarray:
    """Return the position of each record's leaf among all nodes, or -1."""
    depth = len(hierarchy.sizes) - 1
    if len(columns) != depth:
        if len(columns) == 1:
            return _find_positions_by_label(columns[0], hierarchy)
        raise PydpstatError(
            f"data must have a column for each of the {depth} levels below the top, in their order, or one "
            f"with the leaves' labels; it has {len(columns)} columns."
        )
    start = 0
    # the row's node on the current level; -1 if it has none, or reached a leaf above
    node, positions = np.zeros(n_records, dtype=np.int64), np.full(n_records, -1)
    for level, column in enumerate(columns):
        codes, names = pd.factorize(hierarchy.labels[level + 1])
        code = encode_labels(column, list(names))
        at_leaf = (node >= 0) & (hierarchy.tree.children[level][node] == 0)
        positions[at_leaf] = start + node[at_leaf]
        # there are no nodes below a leaf, whatever the label
        positions[code >= 0] = -1
        start += hierarchy.sizes[level]
        # a node is identified by its parent and label; a node without a label by a number that no row has
        parents = np.repeat(np.arange(hierarchy.sizes[level]), hierarchy.tree.children[level])
        keys = np.where(codes < 0, -2 - np.arange(codes.size), parents * len(names) + codes)
        goes_on = (node >= 0) & ~at_leaf & (code >= 0) & (code < len(names))
        node = pd.Index(keys).get_indexer(np.where(goes_on, node * len(names) + code, -1))
    last = node >= 0
    positions[last] = start + node[last]
    return positions


@explain_wrong_calls
def make_consistent(
    hierarchy: Hierarchy,
    noisy: object,
    *,
    method: str = "least squares",
    variances: object = None,
    nonnegative: bool | None = None,
    integer: bool | None = None,
) -> HierarchyFit:
    """Make the noisy values of a hierarchy add up to their parents.

    Parameters
    ----------
    hierarchy : Hierarchy
    noisy : list of array_like, Series, dict or array_like
        The released values: one array per level, from the top down (of any shape; the values in C order), a
        Series or dict by the nodes' names, or one array of all nodes, level by level. NaN for
        a node with children that was not measured.
    method : {"least squares", "ratio", "top-down"}, default "least squares"
        ``"least squares"``: the fit closest to all values, weighted by their noise variances.
        ``"ratio"``: the top is rounded and clipped at 0, then children are scaled to their parent, level by
        level.
        ``"top-down"``: children are fitted to their parent by least squares with none of them negative,
        level by level, each estimated from its own subtree.
    variances : float or sequence, optional
        Variances of the noise: one for all, or one for each level, a number or an array; 0 for exact
        values. By default all values have equal weights, and there are no standard errors.
    nonnegative : bool, optional
        True for ``"top-down"``, False for ``"least squares"``. For ``"ratio"`` (default
        False) True sets negative values to 0 first.
    integer : bool, optional
        Whether the values are rounded to integers (int64). By default for ``"top-down"`` if the
        noisy values are integers.

    Returns
    -------
    HierarchyFit
        With ``noisy`` and ``estimate`` (frames), ``bse`` (exact standard errors for least squares),
        ``summary()``.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or exact values do not add up.

    See Also
    --------
    release_hierarchy : release and make consistent.
    least_squares : make tables consistent.

    Notes
    -----
    Post-processing: it costs no privacy budget, as long as the values were released, or are public.

    Least squares is the generalized least squares estimate for any tree and any variances, in linear
    time; its values are unbiased and may be negative. Ratios divide by noisy sums: they are
    unstable near 0, and do not use the children's information on their parent. Nonnegative fits are
    biased upwards if the true values are near 0.

    References
    ----------
    Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010). Boosting the accuracy of differentially
    private histograms through consistency. VLDB 2010.
    Abowd, J. et al. (2022). The 2020 Census disclosure avoidance system TopDown algorithm. Harvard
    Data Science Review, special issue 2.

    Examples
    --------
    >>> from pydpstat.consistency import Hierarchy, make_consistent
    >>> country = Hierarchy({"North": ["a", "b"], "South": ["c"]})
    >>> fit = make_consistent(country, [[100], [64, 41], [30, 31, 39]], variances=[0, 2, 4])
    >>> fit.estimate.value.round(2).tolist()
    [100.0, 61.36, 38.64, 30.18, 31.18, 38.64]
    >>> make_consistent(country, [[100], [64, 41], [30, 31, 39]], method="top-down").values[2]
    array([31, 31, 39])
    """
    if not isinstance(hierarchy, Hierarchy):
        raise PydpstatError(
            f"hierarchy must be a Hierarchy; got {type(hierarchy).__name__}. Create one: "
            "pydpstat.consistency.Hierarchy({'North': ['a', 'b']})."
        )
    values = _read_noisy_levels(noisy, hierarchy)
    spread = _read_level_variances(1.0 if variances is None else variances, values)
    is_integer = all(bool((level_values[~np.isnan(level_values)] % 1.0 == 0.0).all()) for level_values in values)
    settings = check_consistency_method(method, nonnegative, integer, is_integer)
    estimates, spreads = apply(hierarchy.tree, values, spread, settings)
    if variances is None:
        # the weights are not variances
        spread, spreads = [np.full(level_values.shape, np.nan) for level_values in values], None
    return HierarchyFit(hierarchy, cast_to_integers(values), tuple(spread), estimates, spreads, settings)


def _read_noisy_levels(noisy: object, hierarchy: Hierarchy) -> Levels:
    """Read noisy values into one array per level: finite numbers, or NaN for parents only."""
    if isinstance(noisy, (list, tuple)) and len(noisy) == len(hierarchy.sizes):
        levels = [_read_floats(measured, f"noisy[{level}]") for level, measured in enumerate(noisy)]
        for level, (measured, size) in enumerate(zip(levels, hierarchy.sizes)):
            if measured.size != size:
                raise PydpstatError(
                    f"noisy[{level}] must have {size} values, one for each node of that level; it has {measured.size}."
                )
    else:
        has_names = isinstance(noisy, Mapping) or has_rows(noisy)
        flat = _read_values_by_name(noisy, hierarchy) if has_names else _read_floats(noisy, "noisy")
        if flat.size != hierarchy.nodes:
            raise PydpstatError(
                f"noisy must have one array for each of the {len(hierarchy.sizes)} levels, or one value for "
                f"each of the {hierarchy.nodes} nodes; it has {flat.size} values."
            )
        levels = hierarchy.tree.split_levels(flat)
    for level, (measured, parents) in enumerate(zip(levels, hierarchy.tree.parents)):
        if np.isinf(measured).any() or (np.isnan(measured) & ~parents).any():
            raise PydpstatError(
                f"noisy, level {level} must have finite values; some are infinite, or missing at a "
                "leaf. NaN is only for unmeasured nodes with children."
            )
    return levels


def _read_values_by_name(noisy: Mapping[Hashable, object] | pd.Series, hierarchy: Hierarchy) -> np.ndarray:
    series = pd.Series(noisy, dtype=object) if isinstance(noisy, Mapping) else noisy
    names = pd.Index(hierarchy.names())
    if not names.is_unique or not series.index.is_unique:
        raise PydpstatError("noisy must be arrays, as some nodes have the same name. Give one array for each level.")
    positions = series.index.get_indexer(names)
    lacking = int((positions < 0).sum())
    if lacking or len(series) != len(names):
        raise PydpstatError(
            f"noisy must have a value for each node by its name (hierarchy.names()); {lacking} of "
            f"{len(names)} are missing, {len(series) - len(names) + lacking} belong to no node."
        )
    return _read_floats(series.iloc[positions], "noisy")


def _read_floats(values: object, name: str) -> np.ndarray:
    try:
        array = np.asarray(values)
        if array.dtype.kind == "O":
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        array = np.array([""])
    if array.dtype.kind not in "iuf":
        raise PydpstatError(f"{name} must be numbers; got {type(values).__name__}. Give an array of numbers.")
    return array.astype(np.float64).ravel()


def _read_level_variances(variances: object, values: Levels) -> Levels:
    """Read the variances of each level; infinite if a value was not measured."""
    level_variances = variances if isinstance(variances, (list, tuple)) else [variances] * len(values)
    if len(level_variances) != len(values):
        raise PydpstatError(
            f"variances must be one number, or one (or an array) for each of the {len(values)} levels; "
            f"got {len(level_variances)}."
        )
    read = []
    for level, (variance, measured) in enumerate(zip(level_variances, values)):
        spread = _read_floats(variance, f"variances[{level}]")
        usable = (spread == 0.0) | (spread >= _MIN_VARIANCE) & (spread <= 1.0 / _MIN_VARIANCE)
        if spread.size not in (1, measured.size) or not usable.all():
            raise PydpstatError(
                f"variances[{level}] must be one number, or {measured.size}, each from {_MIN_VARIANCE:g} to "
                f"{1.0 / _MIN_VARIANCE:g}, or 0 for an exact value."
            )
        read.append(np.where(np.isnan(measured), np.inf, np.broadcast_to(spread, measured.shape)))
    return read
