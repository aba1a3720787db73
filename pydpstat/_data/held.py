"""One door for data: what R, Polars and Arrow hold as NumPy and pandas have it, and tables read whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from operator import add
from typing import Any

import numpy as np

from pydpstat._data.chunk import Chunk, joined
from pydpstat._data.containers import has_columns, is_categorical, library_of, listed
from pydpstat._data.table import Table, table_of
from pydpstat.errors import PydpstatError

_HELD = (np.ndarray, list, tuple, Chunk)
# whether R runs this Python, by reticulate, which has loaded its own modules before
_WITHIN_R = "rpycall" in sys.modules


@contextmanager
def about(argument: str) -> Iterator[None]:
    """Tell errors of the data under the name that the argument has."""
    try:
        yield
    except PydpstatError as error:
        said = str(error)
        if argument == "data" or not said.startswith("data "):
            raise
        raise PydpstatError(argument + said.removeprefix("data")) from error.__cause__


def in_memory(data: object, argument: str = "data") -> Any:
    """Return a variable of Polars, Arrow or R, or a data frame of R, as pandas or NumPy have it.

    Anything else is returned as it is, a table among it.

    Parameters
    ----------
    data : object
        A Series of Polars, an Array or ChunkedArray of pyarrow, or an object of rpy2.
    argument : str, default "data"
        The argument's name, for messages.

    Raises
    ------
    PydpstatError
        If the type is none that a statistic takes. The values play no part.

    Examples
    --------
    >>> in_memory([1, 2])
    [1, 2]
    """
    if _WITHIN_R:
        from pydpstat._data.r_objects import with_missing

        data = with_missing(data)
    if type(data) in _HELD:
        return data
    library: Any = library_of(data)
    if not library:
        return data
    with about(argument):
        if library == "rpy2":
            from pydpstat._data.r_objects import object_of_r

            return object_of_r(data)
        if library == "polars" and not has_columns(data):
            from pydpstat._data.polars_frames import variable_of_polars

            return variable_of_polars(data)
        if library == "pyarrow":
            from pydpstat._data.arrow_columns import is_array, variable_of_arrow

            return variable_of_arrow("", data) if is_array(data) else data
    return data


def read_whole(data: object, argument: str, *, beside: bool = False) -> Any:
    """Return data with all of their records in memory, a table's as a chunk.

    Of a table `beside` other variables the records need an order: a record is in the same place of each.
    """
    data = in_memory(data, argument)
    if type(data) in _HELD:
        return data
    with about(argument):
        table = table_of(data)
        if table is None:
            return data
        table = aligned(table, data) if beside else table
        return joined(table.fold(lambda chunk: [chunk], add))


def variable(data: object, argument: str = "data", *, beside: bool = False) -> Any:
    """Return one variable in memory, as `in_memory` does, and the only column of a table.

    A series of Dask is such a table, and so is a column of a relation of DuckDB. Of one `beside` other
    variables the records need an order.

    Raises
    ------
    PydpstatError
        If a table has several columns, or no order where it needs one.

    Examples
    --------
    >>> variable([1, 2])
    [1, 2]
    """
    whole = read_whole(data, argument, beside=beside)
    if not isinstance(whole, Chunk):
        return whole
    if len(whole.columns) != 1:
        raise PydpstatError(
            f"{argument} must be one variable; got {len(whole.columns)} columns. Give one column at a time."
        )
    (column,) = whole.columns.values()
    # texts that occur are no public categories
    return np.asarray(column, dtype=object) if is_categorical(column) else column


def read_frame(data: object, argument: str, *, beside: bool = False) -> Any:
    """Return data as `read_whole` does, but a table's as a frame of pandas.

    Examples
    --------
    >>> read_frame([[1, 2], [3, 4]], "X")
    [[1, 2], [3, 4]]
    """
    whole = read_whole(data, argument, beside=beside)
    if not isinstance(whole, Chunk):
        return whole
    import pandas as pd

    return pd.DataFrame(dict(whole.columns))


def public_list(values: object, argument: str) -> Any:
    """Return public values as a list, whichever library's column they are; anything else as it is.

    Examples
    --------
    >>> public_list(np.array([0, 10]), "edges"), public_list("declared", "levels")
    ([0, 10], 'declared')
    """
    return listed(in_memory(values, argument))


def counted_first(data: object, argument: str) -> Any:
    """Return data whose records can be counted before they are read: what can be read once is read whole."""
    data = in_memory(data, argument)
    with about(argument):
        table = table_of(data)
        known = table is None or table.count() is not None
    return data if known else read_whole(data, argument)


def aligned(table: Table, data: object) -> Table:
    """Return the table of a variable that is given beside others; one without an order is refused."""
    if table.ordered:
        return table
    raise PydpstatError(
        "data must have a fixed order if variables are given separately, so that a record has the "
        f"same position in each; got {type(data).__name__}, a query that may return its records in a "
        "different order each time. Give columns of one data frame in memory, as returned by "
        ".collect(), .df(), .compute() or .toPandas()."
    )
