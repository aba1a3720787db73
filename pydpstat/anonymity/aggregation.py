"""Microaggregation: rows become the mean of a group of at least k like them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat import _checks as checks
from pydpstat.anonymity import _frames as frames
from pydpstat.anonymity._fast import fast
from pydpstat.anonymity._frames import Names
from pydpstat.anonymity._matrix import group_means, standardized, within_reach
from pydpstat.anonymity._mdav_search import mdav

if TYPE_CHECKING:
    import pandas as pd

METHODS = {"mdav": mdav, "fast": fast}


def microaggregation(
    df: pd.DataFrame, k: int, method: str = "mdav", standardize: bool = False, columns: Names = None
) -> pd.DataFrame:
    """Replace each row by the mean of a group of at least k rows like it.

    Parameters
    ----------
    df : DataFrame
        The table. The columns that are treated must have numbers, none of them missing.
    k : int
        Least rows in a group, from 1 to the number of rows.
    method : {"mdav", "fast"}, default "mdav"
        ``"mdav"`` is maximum distance to average vector, row for row. ``"fast"`` takes a time that grows
        about linearly with the rows, and has a lower loss on most data.
    standardize : bool, default False
        Whether distances are taken in standard deviations of the columns. Otherwise columns with large
        numbers decide alone who is like whom.
    columns : name or sequence of names, optional
        The quasi-identifiers: the columns to be treated. All by default. The others stay as they are.

    Returns
    -------
    DataFrame
        A new table with the same index and columns. Columns of integers or truth values become
        columns of floats; float32 and nullable columns stay so.

    Raises
    ------
    PydpstatError
        Where `k` is no such number, a column is not there or has no numbers, or a value is missing or
        infinite.

    Notes
    -----
    The table returned is k-anonymous in `columns`, whatever other columns say. It is not differentially
    private: a mean of k rows is the plain mean, and whoever knows the other k - 1 computes the last one.

    MDAV: while at least 3k rows are left, r is the row farthest from their mean and s the row farthest
    from r. The k rows nearest to r are a group and leave; the k nearest to s among those left are the
    next. From 2k rows on, the k rows nearest to the row farthest from the mean are a group, and the rest
    is the last one. Distances are Euclidean; of rows at the same distance the first ones are taken. Means
    are correctly rounded, and distances are compared as their squares, added up over the columns in their
    order: so the partition is defined to the last bit. Bounding boxes of blocks of rows keep most
    distances from being computed and change nothing. With n rows, time grows as n^2 / k in the end; in
    few columns and up to a million rows it is about n / k groups at well below a millisecond each.

    ``"fast"``: rows that have k - 1 equals or more are groups at once. Of the others the most isolated
    ones take their nearest neighbors (for k above 10: MDAV in blocks of 4096 k rows or more). Then a local
    search lowers the loss: groups that cost more than their rows would cost in the neighboring groups are
    dissolved, groups of 2k rows are split, pairs of neighboring groups are parted anew, for as long as it
    gains and six rounds at most. Nothing in it is random.

    A constant column stays as it is, and plays no part in the distances. All rows of a group get the very
    same mean, which lies within the group's values.

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
    df = frames.frame(df)
    chosen = frames.places(df, columns)
    size = frames.group_size(k, len(df))
    checks.one_of(method, "method", tuple(METHODS))
    unit = checks.flag(standardize, "standardize")
    values = within_reach(frames.matrix(df, chosen))
    means = group_means(values[0], partition(values[0], size, method, unit))
    changed = [frames.as_before(np.ldexp(mean, values[1]), df.iloc[:, at]) for mean, at in zip(means, chosen)]
    return frames.with_columns(df, chosen, changed)


def partition(values: np.ndarray, k: int, method: str, standardize: bool = False) -> np.ndarray:
    """Return each row's group.

    Parameters
    ----------
    values : ndarray of shape (d, n)
        Finite numbers, one row a variable.
    k : int
        Least rows in a group, from 1 to n.
    method : {"mdav", "fast"}
        How.
    standardize : bool
        Whether distances are taken in standard deviations.
    """
    if k == 1:
        return np.arange(values.shape[1])
    return METHODS[method](standardized(values) if standardize else values, k)
