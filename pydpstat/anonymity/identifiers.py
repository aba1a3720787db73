"""Columns that name a person, and rows that stay alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pydpstat._answering import answered
from pydpstat.anonymity import _frames as frames
from pydpstat.anonymity._frames import Names, equal_rows
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import pandas as pd


@answered
def drop_unique_identifiers(df: pd.DataFrame, columns: Names = None) -> pd.DataFrame:
    """Drop columns in which every row has a different value.

    Parameters
    ----------
    df : DataFrame
        The table.
    columns : name or sequence of names, optional
        Where to look. By default all columns but those of floats, since measurements seldom repeat and
        name nobody by that.

    Returns
    -------
    DataFrame
        The other columns.

    Raises
    ------
    PydpstatError
        Where `df` is no frame or has no rows, a column is not there, or no column would be left.

    See Also
    --------
    find_isolated : records that remain unique.

    Notes
    -----
    A missing value is a separate value. In a table of few rows an innocent column may have no value
    twice: look at what is left.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import drop_unique_identifiers
    >>> df = pd.DataFrame({"id": [7, 8, 9], "age": [30, 30, 41], "pay": [1.5, 2.5, 3.5]})
    >>> list(drop_unique_identifiers(df).columns)
    ['age', 'pay']
    """
    from pandas.api.types import is_float_dtype

    looked = frames.places(df, columns)
    if columns is None:
        looked = [place for place in looked if not is_float_dtype(df.dtypes.iloc[place])]
    unique = {place for place in looked if equal_rows(df, [place]).max() == len(df) - 1}
    kept = [place for place in range(df.shape[1]) if place not in unique]
    if not kept:
        raise PydpstatError(
            "df must have a column in which a value occurs twice; every column identifies its rows."
        )
    return df.iloc[:, kept].copy()


@answered
def find_isolated(df: pd.DataFrame, columns: Names = None, size: int = 1) -> pd.Series:
    """Find rows in groups of at most `size` indistinguishable rows.

    Parameters
    ----------
    df : DataFrame
        The table, as a rule an anonymized one: its outliers are those that stay alone.
    columns : name or sequence of names, optional
        The quasi-identifiers; all columns by default.
    size : int, default 1
        Groups of at most so many rows count as isolated.

    Returns
    -------
    Series of bool
        With the table's index: ``df[~find_isolated(df)]`` leaves them out.

    Raises
    ------
    PydpstatError
        Where `df` is no frame or has no rows, a column is not there, or `size` is no integer of at
        least 1.

    See Also
    --------
    k_anonymity : the smallest group's size.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import find_isolated
    >>> df = pd.DataFrame({"pay": [10, 10, 99]})
    >>> df[~find_isolated(df)]
       pay
    0   10
    1   10
    """
    import pandas as pd

    groups = equal_rows(df, frames.places(df, columns))
    number = frames.integer(size, "size", 1, 2**63 - 1)
    return pd.Series(np.bincount(groups)[groups] <= number, index=df.index, name="isolated")
