"""Generalization by k-means: rows, or the values of a column, become the mean of their cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from pydpstat import _checks as checks
from pydpstat.anonymity import _frames as frames
from pydpstat.anonymity._frames import Names
from pydpstat.anonymity._matrix import equal_rows, group_means, standardized, within_reach
from pydpstat.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd

# how often k-means starts anew; the best outcome is kept
STARTS = 10
# on fewer numbers threads wait for each other longer than they work
_MANY = 1 << 18


def k_means(
    df: pd.DataFrame,
    n_clusters: int = 8,
    columns: Names = None,
    *,
    standardize: bool = False,
    random_state: int = 40,
) -> pd.DataFrame:
    """Replace each row by the mean of its cluster, found by k-means over all columns together.

    Parameters
    ----------
    df : DataFrame
        The table. The columns that are treated must have numbers, none of them missing.
    n_clusters : int, default 8
        How many clusters, from 1 to the number of rows.
    columns : name or sequence of names, optional
        What to treat; all columns by default.
    standardize : bool, default False
        Whether distances are taken in standard deviations of the columns.
    random_state : int, default 40
        Seed of scikit-learn's k-means; the best of ten starts is kept.

    Returns
    -------
    DataFrame
        A new table with the same index and columns. Columns of integers become columns of floats.

    Raises
    ------
    PydpstatError
        Where `n_clusters` is no such number, or a column is not there, has no numbers or lacks some.
    MissingExtraError
        Where scikit-learn is not installed; the message has the command.

    Notes
    -----
    Nothing is said about k: an outlier makes a cluster of its own and stays alone (`find_isolated`).
    Where there are fewer different rows than clusters, the rows stay as they are.

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
    df = frames.frame(df)
    chosen = frames.places(df, columns)
    count = frames.group_size(n_clusters, len(df), "n_clusters")
    unit = checks.flag(standardize, "standardize")
    seed = _seed(random_state)
    values, power = within_reach(frames.matrix(df, chosen))
    means = group_means(values, _clusters(standardized(values) if unit else values, count, seed))
    return _changed(df, chosen, np.ldexp(means, power))


def k_means_by_col(
    df: pd.DataFrame, n_clusters: int = 8, columns: Names = None, *, random_state: int = 40
) -> pd.DataFrame:
    """Replace each value by the mean of its cluster, found by k-means in each column on its own.

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

    Notes
    -----
    d columns with c values each allow c^d different rows: k is smaller than from `k_means` with as many
    clusters.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import k_means_by_col
    >>> df = pd.DataFrame({"age": [20, 22, 60, 64], "pay": [1, 9, 1, 9]})
    >>> k_means_by_col(df, 2).to_numpy().tolist()
    [[21.0, 1.0], [21.0, 9.0], [62.0, 1.0], [62.0, 9.0]]
    """
    df = frames.frame(df)
    chosen = frames.places(df, columns)
    count = frames.group_size(n_clusters, len(df), "n_clusters")
    seed = _seed(random_state)
    means = []
    for values in frames.matrix(df, chosen):
        scaled, power = within_reach(values[None, :])
        means.append(np.ldexp(group_means(scaled, _clusters(scaled, count, seed))[0], power))
    return _changed(df, chosen, means)


def _changed(df: pd.DataFrame, chosen: list[int], means: Iterable[np.ndarray]) -> pd.DataFrame:
    columns = [frames.as_before(mean, df.iloc[:, place]) for place, mean in zip(chosen, means)]
    return frames.with_columns(df, chosen, columns)


def _clusters(values: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Return each row's cluster."""
    try:
        from sklearn.cluster import KMeans
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise MissingExtraError("k_means()", "scikit-learn", "anonymity") from error
    different = equal_rows(values)
    if different.max() < count:
        return different
    # distances to the mean are the same, and rounding errors smaller
    rows = (values - values.mean(axis=1, keepdims=True)).T
    with threadpool_limits(1 if rows.size < _MANY else None, user_api="openmp"):
        return KMeans(count, n_init=STARTS, random_state=seed).fit(rows).labels_.astype(np.int64)


def _seed(random_state: object) -> int:
    return frames.whole(random_state, "random_state", 0, 2**32 - 1)
