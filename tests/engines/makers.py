"""The same records in every engine that runs in this process, cut into some parts."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

pa = pytest.importorskip("pyarrow")


def cut(table, parts):
    """Return a table of Arrow's as so many, one after the other."""
    bounds = np.linspace(0, table.num_rows, parts + 1).astype(int)
    return [table.slice(start, stop - start) for start, stop in pairwise(bounds)]


def frame_of(table):
    """Return a frame of pandas whose columns have the same type in every part, whatever is missing there."""
    return table.to_pandas(types_mapper={pa.bool_(): pd.BooleanDtype()}.get)


def _typed(kind):
    """Return the type of pandas' own for what Dask would make a text of, as it does of objects."""
    if pa.types.is_boolean(kind):
        return pd.BooleanDtype()
    return pd.ArrowDtype(kind) if pa.types.is_decimal(kind) or pa.types.is_date(kind) else None


def as_table(table, parts, folder):
    return pa.concat_tables(cut(table, parts))


def as_reader(table, parts, folder):
    return as_table(table, parts, folder).to_reader()


def as_dataset(table, parts, folder):
    ds = pytest.importorskip("pyarrow.dataset")
    return ds.dataset(written(table, parts, folder))


def written(table, parts, folder):
    """Return the folder of so many Parquet files."""
    pq = pytest.importorskip("pyarrow.parquet")
    for number, part in enumerate(cut(table, parts)):
        pq.write_table(part, folder / f"{number:03}.parquet")
    return folder


def as_scanner(table, parts, folder):
    return as_dataset(table, parts, folder).scanner()


def as_capsule(table, parts, folder):
    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return as_table(table, parts, folder).__arrow_c_stream__(requested_schema)

    return Stream()


def as_polars(table, parts, folder):
    pl = pytest.importorskip("polars")
    return pl.concat([pl.from_arrow(part) for part in cut(table, parts)], rechunk=False)


def as_lazy(table, parts, folder):
    return as_polars(table, parts, folder).lazy()


def as_scan(table, parts, folder):
    pl = pytest.importorskip("polars")
    return pl.scan_parquet(written(table, parts, folder) / "*.parquet")


def as_relation(table, parts, folder):
    duckdb = pytest.importorskip("duckdb")
    return duckdb.read_parquet(str(written(table, parts, folder) / "*.parquet"))


def as_dask(table, parts, folder):
    dd = pytest.importorskip("dask.dataframe")
    return dd.from_pandas(table.to_pandas(types_mapper=_typed), npartitions=parts, sort=False)


def as_frames(table, parts, folder):
    return (frame_of(part) for part in cut(table, parts))


def as_batches(table, parts, folder):
    return (batch for part in cut(table, parts) for batch in part.to_batches() or [no_records(table)])


def no_records(table):
    """Return a batch that has a table's columns only."""
    return pa.RecordBatch.from_pylist([], schema=table.schema)


def as_polars_frames(table, parts, folder):
    pl = pytest.importorskip("polars")
    return (pl.from_arrow(part) for part in cut(table, parts))


def as_dicts(table, parts, folder):
    return ({name: frame[name] for name in frame} for frame in as_frames(table, parts, folder))


MAKERS = {name[3:]: value for name, value in list(globals().items()) if name.startswith("as_")}
# after one release nothing is left of them
USED_UP = {"reader", "frames", "batches", "polars_frames", "dicts"}
# a table of them can be read once; a scanner and a capsule give another one
READ_ONCE = {*USED_UP, "scanner", "capsule"}
