"""Masking of values and columns: rounding, categories, noise, and removal of identifiers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._grid import grid_unit
from pydpstat._lazy import pd
from pydpstat.anonymity import _frames as frames
from pydpstat.anonymity._frames import ColumnNames, label_equal_rows
from pydpstat.errors import PydpstatError
from pydpstat.random import Source, source_from

Bins = int | Sequence[float]
_ALLOWED_BINS = "an integer of at least 1, or increasing edges"
# below this number, an integer and its double fit into 64-bit integers
_MAX_EXACT_INTEGER = 2.0**61
NOISE_FAMILIES = ("laplace", "normal")


@explain_wrong_calls
def round_columns(df: pd.DataFrame, to: float | Mapping[Hashable, float], columns: ColumnNames = None) -> pd.DataFrame:
    """Round numbers to multiples.

    Parameters
    ----------
    df : DataFrame
        The table.
    to : number or dict
        The values are rounded to multiples of this number, above 0: 1000 for thousands, 0.5 for halves. A dict
        has one number for each column to round.
    columns : name or sequence of names, optional
        Columns to round; by default all, or the keys of the dict `to`.

    Returns
    -------
    DataFrame
        A new table. A column keeps its dtype; one of integers becomes one of floats if `to` is not an
        integer. Missing values remain.

    Raises
    ------
    PydpstatError
        If `to` is not such a number, or a column is not there or has no numbers.

    See Also
    --------
    categorize : replace numbers by intervals.
    add_noise : add noise instead of rounding.

    Notes
    -----
    A value halfway between two multiples goes to the even one. Rounding alone does not guarantee any k: see
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
    positions, units = frames.parse_column_options(
        df, to, columns, "to", lambda each: checks.check_positive(each, "to")
    )
    return frames.replace_columns(
        df, positions, [_round_column(df, position, unit) for position, unit in zip(positions, units)]
    )


def _round_column(df: pd.DataFrame, position: int, unit: float) -> object:
    from pandas.api.types import is_bool_dtype, is_integer_dtype

    column = df.iloc[:, position]
    values = frames.read_float_column(df, position)
    if is_bool_dtype(column.dtype):
        raise PydpstatError(
            f"df must have numbers in column {checks.format_public_value(df.columns[position])}; got {column.dtype}."
        )
    largest = float(np.fmax.reduce(np.abs(values), initial=unit))
    if is_integer_dtype(column.dtype) and unit.is_integer() and largest < _MAX_EXACT_INTEGER:
        return _round_integers(column, int(unit))
    return frames.cast_to_column_type(np.rint(values / unit) * unit, column)


def _round_integers(column: pd.Series, unit: int) -> pd.Series:
    """Round integers to multiples, ties to even; a dtype that is too narrow is widened."""
    wide = column.astype(np.int64 if isinstance(column.dtype, np.dtype) else "Int64")
    below, remainder = wide // unit, wide % unit
    is_rounded_up = (2 * remainder > unit) | ((2 * remainder == unit) & (below % 2 == 1))
    rounded = (below + is_rounded_up.astype(wide.dtype)) * unit
    narrow = np.iinfo(getattr(column.dtype, "numpy_dtype", column.dtype))
    if rounded.max() > narrow.max or rounded.min() < narrow.min:
        return rounded
    return rounded.astype(column.dtype)


@explain_wrong_calls
def categorize(
    df: pd.DataFrame,
    bins: Bins | Mapping[Hashable, Bins],
    columns: ColumnNames = None,
    quantiles: bool = False,
) -> pd.DataFrame:
    """Replace numbers by the interval that contains them.

    Parameters
    ----------
    df : DataFrame
        The table.
    bins : int, sequence of numbers, or dict
        Number of intervals, or their edges, increasing (with infinite ones no value is outside). A dict has
        bins for each column to convert.
    columns : name or sequence of names, optional
        Columns to convert; by default all, or the keys of the dict `bins`.
    quantiles : bool, default False
        Whether a given number of intervals have about equally many values instead of equal lengths.

    Returns
    -------
    DataFrame
        A new table with ordered Categoricals of intervals, open on the left and closed on the right as
        pandas and R cut them; the lowest edge belongs to the first one. Missing values stay missing.

    Raises
    ------
    PydpstatError
        If `bins` is something else, a value lies outside the edges, or a column is not there or has no
        numbers.

    See Also
    --------
    round_columns : round numbers instead.
    k_anonymity : the anonymity achieved.

    Notes
    -----
    Edges that are computed from the data (a number of bins) reveal the smallest and the largest value, or
    quantiles. Given edges do not depend on the data.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import categorize
    >>> df = pd.DataFrame({"age": [17, 30, 71]})
    >>> inf = float("inf")
    >>> categorize(df, [-inf, 17, 64, inf]).age.astype(str).tolist()
    ['(-inf, 17.0]', '(17.0, 64.0]', '(64.0, inf]']
    """
    by_quantile = checks.check_boolean(quantiles, "quantiles")
    positions, cuts = frames.parse_column_options(df, bins, columns, "bins", _check_bins)
    cut = [_make_categories(df, position, column_cuts, by_quantile) for position, column_cuts in zip(positions, cuts)]
    return frames.replace_columns(df, positions, cut)


def _check_bins(value: object) -> int | np.ndarray:
    if checks.is_number(value):
        if 1 <= value < 2**31 and value == int(value):
            return int(value)
    elif not isinstance(value, str):
        edges = checks.to_array(value)
        if edges.ndim == 1 and edges.size > 1 and edges.dtype.kind in "iuf" and (np.diff(edges) > 0).all():
            return edges.astype(np.float64)
    raise PydpstatError(f"bins must be {_ALLOWED_BINS}, at least two; got {checks.describe_value(value)}.")


def _make_categories(df: pd.DataFrame, position: int, bins: int | np.ndarray, by_quantile: bool) -> pd.Categorical:
    name = checks.format_public_value(df.columns[position])
    values = frames.read_float_column(df, position)
    present = values[~np.isnan(values)]
    if isinstance(bins, int):
        if present.size == 0 or not np.isfinite(present).all():
            raise PydpstatError(
                f"df must have finite values in column {name} to compute edges. Give the edges in bins."
            )
        if by_quantile:
            return pd.qcut(values, bins, duplicates="drop")
    elif present.size and (present.min() < bins[0] or present.max() > bins[-1]):
        raise PydpstatError(
            f"bins must cover all values of column {name}; some lie outside. Begin with -inf and end with inf."
        )
    return pd.cut(values, bins, include_lowest=True)


@explain_wrong_calls
def add_noise(
    df: pd.DataFrame,
    scale: float | Mapping[Hashable, float],
    columns: ColumnNames = None,
    *,
    noise: str = "laplace",
    relative: bool = False,
    rng: object = None,
) -> pd.DataFrame:
    """Add independent noise to each value.

    Parameters
    ----------
    df : DataFrame
        The table.
    scale : number or dict
        The noise's scale in the column's unit, above 0: b for Laplace noise (standard deviation sqrt(2) b),
        the standard deviation for normal noise. A dict has one for each column to which noise is added.
    columns : name or sequence of names, optional
        Columns to which noise is added; by default all, or the keys of the dict `scale`.
    noise : {"laplace", "normal"}, default "laplace"
        The noise's distribution.
    relative : bool, default False
        Whether the scale is in standard deviations of the column, which then must not be constant.
    rng : None, int, numpy.random.Generator or RRandom, optional
        Source of random numbers. By default the operating system's generator; an int seeds a NumPy generator.

    Returns
    -------
    DataFrame
        A new table. Columns with noise have floats; float32 and nullable dtypes are kept. Missing values
        remain missing.

    Raises
    ------
    PydpstatError
        If an argument is invalid, or a column is not there, has no numbers, or has infinite ones.

    See Also
    --------
    round_columns, categorize : other methods of masking.
    pydpstat.mean : a release with a guarantee, which this function does not have.

    Notes
    -----
    This is perturbation in the sense of statistical disclosure control, not differential privacy: values
    are unbounded, and a relative scale is computed from the
    data. Values clipped to public bounds, with Laplace noise of scale d (upper - lower) / epsilon in each of
    d columns, are epsilon-private for each row; no function here states this guarantee. For statistics use
    `pydpstat.mean` and the other releases, which do.

    With ``rng=None`` the noise has its distribution exactly, on a grid of about a millionth of its scale;
    it is added to the value in floating point.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import add_noise
    >>> df = pd.DataFrame({"age": [30, 41], "ill": [0, 1]})
    >>> add_noise(df, 2.0, ["age"], rng=1).round(1)
        age  ill
    0  30.0    0
    1  45.6    1
    """
    checks.check_choice(noise, "noise", NOISE_FAMILIES)
    in_spreads = checks.check_boolean(relative, "relative")
    source = source_from(rng)
    positions, amounts = frames.parse_column_options(
        df, scale, columns, "scale", lambda each: checks.check_positive(each, "scale")
    )
    values = [frames.read_float_column(df, position) for position in positions]
    scales = [
        amount * (_compute_standard_deviation(df, position, column) if in_spreads else 1.0)
        for position, amount, column in zip(positions, amounts, values)
    ]
    noisy = [column + _draw_column_noise(noise, column.size, amount, source) for column, amount in zip(values, scales)]
    return frames.replace_float_columns(df, positions, noisy)


def _compute_standard_deviation(df: pd.DataFrame, position: int, values: np.ndarray) -> float:
    present = values[~np.isnan(values)]
    spread = float(present.std()) if present.size else 0.0
    if not 0.0 < spread < np.inf:
        raise PydpstatError(
            f"df must have different finite values in column {checks.format_public_value(df.columns[position])} with "
            "relative=True. Give a scale in the column's unit instead."
        )
    return spread


def _draw_column_noise(noise: str, size: int, scale: float, source: Source) -> np.ndarray:
    grid = None if source.reproducible else grid_unit(scale, scale)
    drawn = (source.laplace if noise == "laplace" else source.normal)(size, scale, grid)
    return drawn if grid is None else np.asarray(drawn, dtype=np.float64) * grid


@explain_wrong_calls
def drop_unique_identifiers(df: pd.DataFrame, columns: ColumnNames = None) -> pd.DataFrame:
    """Drop columns in which every row has a different value.

    Parameters
    ----------
    df : DataFrame
        The table.
    columns : name or sequence of names, optional
        Columns to check. By default all except those of floats, since measurements rarely repeat but do not
        identify anyone.

    Returns
    -------
    DataFrame
        The other columns.

    Raises
    ------
    PydpstatError
        If `df` is not a frame or has no rows, a column is not there, or no column would be left.

    See Also
    --------
    find_isolated : records that remain unique.

    Notes
    -----
    A missing value is a separate value. In a table of few rows a column that is not an identifier may have
    distinct values: check the remaining columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from pydpstat.anonymity import drop_unique_identifiers
    >>> df = pd.DataFrame({"id": [7, 8, 9], "age": [30, 30, 41], "pay": [1.5, 2.5, 3.5]})
    >>> list(drop_unique_identifiers(df).columns)
    ['age', 'pay']
    """
    from pandas.api.types import is_float_dtype

    looked = frames.find_column_positions(df, columns)
    if columns is None:
        looked = [position for position in looked if not is_float_dtype(df.dtypes.iloc[position])]
    unique = {position for position in looked if label_equal_rows(df, [position]).max() == len(df) - 1}
    retained = [position for position in range(df.shape[1]) if position not in unique]
    if not retained:
        raise PydpstatError("df must have a column in which a value occurs twice; every column identifies its rows.")
    return df.iloc[:, retained].copy()


@explain_wrong_calls
def find_isolated(df: pd.DataFrame, columns: ColumnNames = None, size: int = 1) -> pd.Series:
    """Find rows in groups of at most `size` indistinguishable rows.

    Parameters
    ----------
    df : DataFrame
        The table, usually an anonymized one: its outliers remain isolated.
    columns : name or sequence of names, optional
        The quasi-identifiers; all columns by default.
    size : int, default 1
        Rows in groups of at most this size count as isolated.

    Returns
    -------
    Series of bool
        With the table's index: ``df[~find_isolated(df)]`` omits these rows.

    Raises
    ------
    PydpstatError
        If `df` is not a frame or has no rows, a column is not there, or `size` is not an integer of at
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
    groups = label_equal_rows(df, frames.find_column_positions(df, columns))
    number = frames.integer(size, "size", 1, 2**63 - 1)
    return pd.Series(np.bincount(groups)[groups] <= number, index=df.index, name="isolated")
