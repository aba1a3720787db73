"""Data of any size: which engine holds them, and the table that reads them chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pydpstat._data.chunk import Chunk, Part, Table
from pydpstat._data.containers import has_columns, has_rows, library_of

__all__ = ["Chunk", "Part", "Table", "View", "table_of"]


class View(NamedTuple):
    """Some columns of a table, as separate data; `single` tells that they are one variable."""

    table: Table
    single: bool = False

    def __repr__(self) -> str:
        return "View(values withheld)"


def table_of(data: object) -> Table | None:
    """Return data that an engine holds, or an iterator gives, as a table; None for what is in memory.

    Parameters
    ----------
    data : object
        A DataFrame or LazyFrame of Polars; a Table, RecordBatch, Dataset, Scanner or
        RecordBatchReader of pyarrow; a relation of DuckDB; a DataFrame or Series of Dask; a DataFrame of
        Spark, classic or Connect; whatever has ``__arrow_c_stream__``; or an iterator of frames, dicts of
        columns, or arrays.

    Returns
    -------
    Table or None
        None for arrays, lists, and what pandas has. Of an iterator the first chunk is looked at; the next
        call for the same iterator still has it.

    Raises
    ------
    PydpstatError
        If the columns have no names, the same ones, or names that are not texts; if an iterator is used up.

    Notes
    -----
    No engine is imported for data that are not of it. No record is read, but for an iterator's first chunk.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> table_of(np.ones(3)) is None
    True
    >>> halves = (pd.DataFrame({"age": [20 + part, 30 + part]}) for part in range(2))
    >>> table = table_of(halves)
    >>> table.names, table.sample().size
    (('age',), 0)
    >>> table.fold(lambda chunk: int(chunk.columns["age"].sum()), lambda one, other: one + other)
    102
    """
    if isinstance(data, View):
        return data.table
    if isinstance(data, type):
        return None
    # a frame of Spark has an attribute of any name that one asks for
    match library_of(data):
        case "polars" if has_columns(data):
            from pydpstat._data.polars_frames import polars_table

            return polars_table(data)
        case "pyarrow":
            from pydpstat._data.streams import arrow_table

            return arrow_table(data) if hasattr(data, "schema") or hasattr(data, "to_reader") else None
        case "duckdb":
            from pydpstat._data.duckdb_relations import duckdb_table

            return duckdb_table(data)
        case "dask":
            from pydpstat._data.dask_frames import dask_table

            return dask_table(data)
        case "pyspark":
            from pydpstat._data.spark_frames import spark_table

            return spark_table(data)
    if hasattr(data, "__arrow_c_stream__") and not has_rows(data) and not hasattr(data, "dtype"):
        from pydpstat._data.streams import capsule_table

        return capsule_table(data)
    if isinstance(data, Iterator):
        from pydpstat._data.iterators import iterator_table

        return iterator_table(data)
    return None
