"""Coarser values: rounded numbers and categories."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import answered
from pydpstat.anonymity import _frames as frames
from pydpstat.anonymity._frames import Names
from pydpstat.errors import PydpstatError

if TYPE_CHECKING:
    import pandas as pd

Bins = int | Sequence[float]
_EDGES = "an integer of at least 1, or increasing edges"
# below it a number and its double are 64-bit integers
_LARGE = 2.0**61


@answered
def round_columns(
    df: pd.DataFrame, to: float | Mapping[Hashable, float], columns: Names = None
) -> pd.DataFrame:
    """Round numbers to multiples.

    Parameters
    ----------
    df : DataFrame
        The table.
    to : number or dict
        Of what the values become multiples, above 0: 1000 for whole thousands, 0.5 for halves. A dict has
        one number for each column that is treated.
    columns : name or sequence of names, optional
        What to round; all columns by default, and the dict's where `to` is one.

    Returns
    -------
    DataFrame
        A new table. A column keeps its dtype; one of integers becomes one of floats where `to` is no
        integer. Missing values stay.

    Raises
    ------
    PydpstatError
        Where `to` is no such number, or a column is not there or has no numbers.

    See Also
    --------
    categorize : classes.
    add_noise : noise in the place of rounding.

    Notes
    -----
    A value halfway between two multiples goes to the even one. Rounding alone promises no k: look at
    `k_anonymity`.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import round_columns
    >>> df = pd.DataFrame({"pay": [1234, 1777], "age": [31, 38]})
    >>> round_columns(df, {"pay": 1000, "age": 10})
        pay  age
    0  1000   30
    1  2000   40
    """
    chosen, units = frames.by_column(df, to, columns, "to", lambda each: checks.positive(each, "to"))
    return frames.with_columns(df, chosen, [_rounded(df, place, unit) for place, unit in zip(chosen, units)])


def _rounded(df: pd.DataFrame, place: int, unit: float) -> object:
    from pandas.api.types import is_bool_dtype, is_integer_dtype

    column = df.iloc[:, place]
    values = frames.floats(df, place)
    if is_bool_dtype(column.dtype):
        raise PydpstatError(
            f"df must have numbers in column {checks.excerpt(df.columns[place])}; got {column.dtype}."
        )
    largest = float(np.fmax.reduce(np.abs(values), initial=unit))
    if is_integer_dtype(column.dtype) and unit.is_integer() and largest < _LARGE:
        return _whole(column, int(unit))
    return frames.as_before(np.rint(values / unit) * unit, column)


def _whole(column: pd.Series, unit: int) -> pd.Series:
    """Round integers to multiples, halves to the even one; a dtype too narrow for them gives way."""
    wide = column.astype(np.int64 if isinstance(column.dtype, np.dtype) else "Int64")
    below, rest = wide // unit, wide % unit
    up = (2 * rest > unit) | ((2 * rest == unit) & (below % 2 == 1))
    rounded = (below + up.astype(wide.dtype)) * unit
    narrow = np.iinfo(getattr(column.dtype, "numpy_dtype", column.dtype))
    if rounded.max() > narrow.max or rounded.min() < narrow.min:
        return rounded
    return rounded.astype(column.dtype)


@answered
def categorize(
    df: pd.DataFrame, bins: Bins | Mapping[Hashable, Bins], columns: Names = None, quantiles: bool = False
) -> pd.DataFrame:
    """Replace numbers by the interval that they lie in.

    Parameters
    ----------
    df : DataFrame
        The table.
    bins : int, sequence of numbers, or dict
        How many intervals, or their edges, increasing (infinite ones leave no value out). A dict has bins
        for each column that is treated.
    columns : name or sequence of names, optional
        What to treat; all columns by default, and the dict's where `bins` is one.
    quantiles : bool, default False
        Whether a number of intervals means intervals with about equally many values, not equally long
        ones.

    Returns
    -------
    DataFrame
        A new table with ordered Categoricals of intervals, open on the left and closed on the right as
        pandas and R cut them; the lowest edge belongs to the first one. Missing values stay missing.

    Raises
    ------
    PydpstatError
        Where `bins` is something else, a value lies outside the edges, or a column is not there or has no
        numbers.

    See Also
    --------
    round_columns : numbers that stay numbers.
    k_anonymity : what it is done for.

    Notes
    -----
    Edges that are computed from the data (a number of bins) tell something of the data: the smallest and
    the largest value, or quantiles. Edges that you choose do not.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import categorize
    >>> df = pd.DataFrame({"age": [17, 30, 71]})
    >>> inf = float("inf")
    >>> categorize(df, [-inf, 17, 64, inf]).age.astype(str).tolist()
    ['(-inf, 17.0]', '(17.0, 64.0]', '(64.0, inf]']
    """
    by_quantile = checks.flag(quantiles, "quantiles")
    chosen, cuts = frames.by_column(df, bins, columns, "bins", _bins)
    cut = [_categories(df, place, each, by_quantile) for place, each in zip(chosen, cuts)]
    return frames.with_columns(df, chosen, cut)


def _bins(value: Any) -> int | np.ndarray:
    if checks.is_number(value):
        if 1 <= value < 2**31 and value == int(value):
            return int(value)
    elif not isinstance(value, str):
        edges = checks.array_of(value)
        if edges.ndim == 1 and edges.size > 1 and edges.dtype.kind in "iuf" and (np.diff(edges) > 0).all():
            return edges.astype(np.float64)
    raise PydpstatError(f"bins must be {_EDGES}, at least two; got {checks.shown(value)}.")


def _categories(df: pd.DataFrame, place: int, bins: int | np.ndarray, by_quantile: bool) -> pd.Categorical:
    import pandas as pd

    name = checks.excerpt(df.columns[place])
    values = frames.floats(df, place)
    known = values[~np.isnan(values)]
    if isinstance(bins, int):
        if known.size == 0 or not np.isfinite(known).all():
            raise PydpstatError(
                f"df must have finite values in column {name} to compute edges. Give the edges in bins."
            )
        if by_quantile:
            return pd.qcut(values, bins, duplicates="drop")
    elif known.size and (known.min() < bins[0] or known.max() > bins[-1]):
        raise PydpstatError(
            f"bins must cover all values of column {name}; some lie outside. Begin with -inf and end "
            "with inf."
        )
    return pd.cut(values, bins, include_lowest=True)
