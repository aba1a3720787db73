"""Microaggregation and k-means: rows, or the values of a column, are replaced by means of similar ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat.anonymity import _frames as frames
from pydpstat.anonymity._frames import ColumnNames
from pydpstat.anonymity._groups import (
    NeighborSpace,
    compute_group_means,
    find_uncontested_claims,
    label_equal_points,
    reduce_partition_loss,
    scale_to_safe_range,
    standardize_columns,
)
from pydpstat.anonymity._mdav_search import group_by_mdav, order_in_blocks
from pydpstat.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd

METHODS = ("mdav", "fast")
# number of starts of k-means, of which the best outcome is used
N_STARTS = 10
# for fewer numbers, threads wait for each other longer than they work
_MIN_THREADED_SIZE = 1 << 18
_BLOCK_SIZE = 256
# up to this k, groups are formed from all rows' neighbors at once, above it by MDAV in blocks
_MAX_NEIGHBOR_K = 10
# rows per block for the search of neighbors; groups per block for MDAV
_ROWS_PER_BLOCK, _GROUPS_PER_BLOCK = 1 << 19, 1 << 12


@explain_wrong_calls
def microaggregation(
    df: pd.DataFrame, k: int, method: str = "mdav", standardize: bool = False, columns: ColumnNames = None
) -> pd.DataFrame:
    """Replace each row by the mean of a group of at least k similar rows.

    Parameters
    ----------
    df : DataFrame
        The table. The columns to aggregate must have numbers, none of them missing.
    k : int
        Smallest size of a group, from 1 to the number of rows.
    method : {"mdav", "fast"}, default "mdav"
        ``"mdav"`` is maximum distance to average vector. ``"fast"`` takes about linear time in the number of
        rows, and has a lower loss on most data.
    standardize : bool, default False
        Whether distances are in standard deviations of the columns. Otherwise columns with large
        numbers dominate the distances.
    columns : name or sequence of names, optional
        The quasi-identifiers, which are aggregated; all by default. The others remain unchanged.

    Returns
    -------
    DataFrame
        A new table with the same index and columns. Integer and boolean columns become
        columns of floats; float32 and nullable dtypes are kept.

    Raises
    ------
    PydpstatError
        If `k` is not such a number, a column is not there or has no numbers, or a value is missing or
        infinite.

    See Also
    --------
    k_means : a given number of groups instead of a size.
    k_anonymity : the anonymity achieved.

    Notes
    -----
    The table returned is k-anonymous in `columns`, regardless of other columns. It is not differentially
    private: group means are exact, and anyone who knows k - 1 rows of a group can compute the last one.

    MDAV: while at least 3k rows are left, r is the row farthest from their mean and s the row farthest
    from r. The k rows nearest to r form a group and are removed; the k nearest to s among the remaining ones form
    the next. With 2k to 3k - 1 rows left, the k rows nearest to the row farthest from the mean form a group,
    and the rest is the last one. Distances are Euclidean; ties are broken by the order of rows. Means
    are correctly rounded, and distances are compared by their squares, summed over the columns in
    order, which makes the partition reproducible bit for bit. Bounding boxes of blocks of rows avoid most
    distance computations without changing the result. With n rows, time grows as n^2 / k asymptotically; for
    few columns and up to a million rows it is well below a millisecond for each of about n / k groups.

    ``"fast"``: sets of at least k equal rows form groups first. Of the other rows the most isolated ones
    are grouped with their nearest neighbors (for k above 10: MDAV in blocks of 4096 k rows or more). Then a
    local search lowers the loss: groups that cost more than their rows would cost in the neighboring groups
    are dissolved, groups of 2k rows are split, and pairs of neighboring groups are repartitioned, as long as
    the loss decreases and for at most six rounds. The method is deterministic.

    A constant column remains unchanged, and does not affect the distances. All rows of a group have exactly
    the same mean, which lies within the range of the group's values.

    References
    ----------
    Domingo-Ferrer, J. and Mateo-Sanz, J. M. (2002). Practical data-oriented microaggregation for
    statistical disclosure control. IEEE Transactions on Knowledge and Data Engineering 14(1).
    Domingo-Ferrer, J. and Torra, V. (2005). Ordinal, continuous and heterogeneous k-anonymity through
    microaggregation. Data Mining and Knowledge Discovery 11(2).
    Chang, C.-C., Li, Y.-C. and Huang, W.-H. (2007). TFRP: an efficient microaggregation algorithm for
    statistical disclosure control. Journal of Systems and Software 80(11).

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import microaggregation
    >>> df = pd.DataFrame({"age": [20, 22, 60, 64], "ill": [0, 1, 1, 0]})
    >>> microaggregation(df, k=2, columns=["age"])
        age  ill
    0  21.0    0
    1  21.0    1
    2  62.0    1
    3  62.0    0
    """
    positions = frames.find_column_positions(df, columns)
    size = frames.check_group_size(k, len(df))
    checks.check_choice(method, "method", METHODS)
    unit = checks.check_boolean(standardize, "standardize")
    means = _compute_means_by_group(frames.matrix(df, positions), lambda values: group_rows(values, size, method, unit))
    return frames.replace_float_columns(df, positions, means)


def _compute_means_by_group(values: np.ndarray, make_groups: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Return each row's mean over its group."""
    scaled, power = scale_to_safe_range(values)
    return np.ldexp(compute_group_means(scaled, make_groups(scaled)), power)


def group_rows(values: np.ndarray, k: int, method: str, standardize: bool = False) -> np.ndarray:
    """Return group codes for groups of at least k rows; `values` has one row per variable, all finite."""
    if k == 1:
        return np.arange(values.shape[1])
    return (group_by_mdav if method == "mdav" else group_by_local_search)(
        standardize_columns(values) if standardize else values, k
    )


@explain_wrong_calls
def k_means(
    df: pd.DataFrame,
    n_clusters: int = 8,
    columns: ColumnNames = None,
    *,
    standardize: bool = False,
    random_state: int = 40,
) -> pd.DataFrame:
    """Replace each row by the mean of its cluster, found by k-means.

    Clusters are formed on all columns jointly.

    Parameters
    ----------
    df : DataFrame
        The table. The columns to aggregate must have numbers, none of them missing.
    n_clusters : int, default 8
        Number of clusters, from 1 to the number of rows.
    columns : name or sequence of names, optional
        Columns to aggregate; all by default.
    standardize : bool, default False
        Whether distances are in standard deviations of the columns.
    random_state : int, default 40
        Seed of scikit-learn's k-means, of which the best of ten starts is used.

    Returns
    -------
    DataFrame
        A new table with the same index and columns. Columns of integers become columns of floats.

    Raises
    ------
    PydpstatError
        If `n_clusters` is not such a number, or a column is not there, has no numbers, or has missing ones.
    MissingExtraError
        If scikit-learn is not installed; the message has the command.

    See Also
    --------
    k_means_by_col : cluster each column separately.
    microaggregation : groups of at least k records.

    Notes
    -----
    scikit-learn stops before its centroids have converged; rows are replaced by their cluster's mean, which
    has the least squared error, instead of the centroid. There is no guarantee of any k: an outlier may
    form its own cluster (`find_isolated`). With fewer distinct rows than clusters the rows remain
    unchanged.

    References
    ----------
    Arthur, D. and Vassilvitskii, S. (2007). k-means++: the advantages of careful seeding. SODA 2007.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import k_means
    >>> df = pd.DataFrame({"age": [20, 22, 60, 64]})
    >>> k_means(df, 2).age.tolist()
    [21.0, 21.0, 62.0, 62.0]
    """
    positions = frames.find_column_positions(df, columns)
    clusters = _make_cluster_function(df, n_clusters, random_state, checks.check_boolean(standardize, "standardize"))
    return frames.replace_float_columns(df, positions, _compute_means_by_group(frames.matrix(df, positions), clusters))


@explain_wrong_calls
def k_means_by_col(
    df: pd.DataFrame, n_clusters: int = 8, columns: ColumnNames = None, *, random_state: int = 40
) -> pd.DataFrame:
    """Replace each value by the mean of its cluster, column by column.

    The clusters are found by k-means.

    Parameters
    ----------
    df, n_clusters, columns, random_state
        As in `k_means`.

    Returns
    -------
    DataFrame
        As from `k_means`.

    Raises
    ------
    PydpstatError, MissingExtraError
        As in `k_means`.

    See Also
    --------
    k_means : cluster all columns jointly.

    Notes
    -----
    d columns with c values each have up to c^d distinct rows: k is smaller than from `k_means` with the same
    number of clusters.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import k_means_by_col
    >>> df = pd.DataFrame({"age": [20, 22, 60, 64], "pay": [1, 9, 1, 9]})
    >>> k_means_by_col(df, 2).to_numpy().tolist()
    [[21.0, 1.0], [21.0, 9.0], [62.0, 1.0], [62.0, 9.0]]
    """
    positions = frames.find_column_positions(df, columns)
    clusters = _make_cluster_function(df, n_clusters, random_state, False)
    means = [_compute_means_by_group(column, clusters)[0] for column in frames.matrix(df, positions)[:, None]]
    return frames.replace_float_columns(df, positions, means)


def _make_cluster_function(
    df: pd.DataFrame, n_clusters: object, random_state: object, standardize: bool
) -> Callable[[np.ndarray], np.ndarray]:
    """Check the settings of k-means, and return a function that assigns a cluster to each row."""
    count = frames.check_group_size(n_clusters, len(df), "n_clusters")
    seed = frames.integer(random_state, "random_state", 0, 2**32 - 1)
    try:
        from sklearn.cluster import KMeans
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise MissingExtraError("k_means()", "scikit-learn", "anonymity") from error

    def find_clusters(values: np.ndarray) -> np.ndarray:
        scaled = standardize_columns(values) if standardize else values
        different = label_equal_points(scaled)
        if different.max() < count:
            return different
        # distances are invariant under centering, and rounding errors smaller
        rows = (scaled - scaled.mean(axis=1, keepdims=True)).T
        with threadpool_limits(1 if rows.size < _MIN_THREADED_SIZE else None, user_api="openmp"):
            return KMeans(count, n_init=N_STARTS, random_state=seed).fit(rows).labels_.astype(np.int64)

    return find_clusters


def group_by_local_search(columns: np.ndarray, k: int) -> np.ndarray:
    """Partition rows into groups of at least k with a low loss: initial groups of near rows, then a local search."""
    size = columns.shape[1]
    if size < 2 * k:
        return np.zeros(size, dtype=np.int64)
    # neighbors are also adjacent in memory, which makes the search for them faster
    order, columns = order_in_blocks(columns, _BLOCK_SIZE)
    rows = np.ascontiguousarray(columns.T)
    rows -= rows.mean(axis=0)
    space = NeighborSpace(rows)
    initial = label_equal_points(columns)
    # k equal rows are a group without loss
    is_small = np.bincount(initial)[initial] < k
    if np.count_nonzero(is_small) >= k:
        initial[is_small] = initial.max() + 1 + make_initial_groups(rows[is_small], k, space)
    elif is_small.any():
        _join_nearest_groups(initial, is_small, rows, space)
    labels = np.empty(size, dtype=np.int64)
    labels[order] = reduce_partition_loss(rows, initial, k, space)
    return labels


def make_initial_groups(rows: np.ndarray, k: int, space: NeighborSpace) -> np.ndarray:
    """Partition at least k rows into initial groups."""
    block_size = max(_ROWS_PER_BLOCK, 3 * k) if k <= _MAX_NEIGHBOR_K else _GROUPS_PER_BLOCK * k
    blocks = max(1, len(rows) // block_size)
    order, _ = order_in_blocks(np.ascontiguousarray(rows.T), -(-len(rows) // blocks))
    labels, n_groups = np.empty(len(rows), dtype=np.int64), 0
    for block in np.array_split(order, blocks):
        values = rows[block]
        block_labels = (
            _group_by_neighbors(values, k, space)
            if k <= _MAX_NEIGHBOR_K
            else group_by_mdav(np.ascontiguousarray(values.T), k)
        )
        labels[block] = block_labels + n_groups
        n_groups += int(block_labels.max()) + 1
    return labels


def _group_by_neighbors(rows: np.ndarray, k: int, space: NeighborSpace) -> np.ndarray:
    """Form groups of a row and its nearest neighbors, the most isolated rows first.

    All groups whose row is more isolated than any other that claims the same rows are formed at once.
    """
    labels, n_groups = np.full(len(rows), -1), 0
    free = np.ones(len(rows), dtype=bool)
    while (remaining := np.flatnonzero(free)).size >= 3 * k:
        distances, indices = space.find_nearest(rows[remaining], rows[remaining], 3 * k)
        nearest = remaining[indices].astype(np.int32)
        rank = distances[:, -1].argsort(kind="stable").argsort()
        # once many rows have lost most of their neighbors, a new tree finds others
        while remaining.size and remaining.size > 0.85 * free.sum():
            candidates, complete = _find_free_neighbors(nearest, free, k)
            remaining, nearest, rank = remaining[complete], nearest[complete], rank[complete]
            groups = candidates[find_uncontested_claims(candidates, rank, len(rows))]
            labels[groups] = n_groups + np.arange(len(groups))[:, None]
            n_groups += len(groups)
            free[groups] = False
            still = free[remaining]
            remaining, nearest, rank = remaining[still], nearest[still], rank[still]
    if remaining.size >= k:
        labels[remaining] = n_groups + group_by_mdav(np.ascontiguousarray(rows[remaining].T), k)
    elif remaining.size:
        _join_nearest_groups(labels, free, rows, space)
    return labels


def _find_free_neighbors(near: np.ndarray, free: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first k free neighbors of the rows that have as many, and the mask of these rows."""
    is_free = free[near]
    count = is_free.cumsum(axis=1, dtype=np.int8)
    complete = count[:, -1] >= k
    is_free &= count <= k
    return near[complete][is_free[complete]].reshape(-1, k), complete


def _join_nearest_groups(labels: np.ndarray, joining: np.ndarray, rows: np.ndarray, space: NeighborSpace) -> None:
    """Assign rows to the group of the nearest row that has one."""
    nearby = space.find_nearest(rows[~joining], rows[joining], 1)[1][:, 0]
    labels[joining] = labels[~joining][nearby]
