"""Every function gives the same numbers bit for bit from Arrow, Polars and DuckDB as from arrays."""

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from tests.containers import CALLS, OF_FRAMES, Container, check, check_frame, in_two, nullable, plain

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
dd = pytest.importorskip("dask.dataframe")


def array(values):
    """Return an array of Arrow's, null where a value is missing."""
    return pa.array(plain(values), pa.array(values).type)


def table(values):
    """Return a table of Arrow's of one column, in two pieces."""
    return pa.concat_tables(pa.table({"v": array(each)}) for each in in_two(values))


def polars(values):
    """Return a series of Polars with a name."""
    return pl.Series("v", array(values))


def relation(values):
    """Return a relation of DuckDB."""
    return duckdb.from_arrow(table(values))


def dask(values):
    """Return a series or a frame of Dask in two parts."""
    return dd.from_pandas(values, npartitions=2, sort=False)


CONTAINERS = {
    "pandas of arrow": Container(lambda v: pd.Series(plain(v), dtype=pd.ArrowDtype(array(v).type), name="v")),
    "arrow array": Container(array),
    "arrow chunks": Container(lambda v: table(v)["v"]),
    "polars series": Container(polars),
    "polars series of no name": Container(lambda v: polars(v).alias("")),
    "arrow table": Container(table, "table"),
    "arrow batch": Container(lambda v: table(v).combine_chunks().to_batches()[0], "table"),
    "polars frame": Container(lambda v: polars(v).to_frame(), "table"),
    "lazy": Container(lambda v: polars(v).to_frame().lazy(), "query"),
    "relation": Container(relation, "query"),
    "dask series": Container(lambda v: dask(nullable(v)), "query"),
    "dask frame": Container(lambda v: dask(nullable(v).to_frame()), "query"),
    "reader": Container(lambda v: table(v).to_reader(), "once"),
    "iterator of batches": Container(lambda v: iter(table(v).to_batches()), "once"),
    "iterator of arrays": Container(lambda v: iter([array(each) for each in in_two(v)]), "once"),
    "iterator of polars series": Container(lambda v: iter([polars(each) for each in in_two(v)]), "once"),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("gap", [False, True], ids=["complete", "gap"])
def test_the_same_numbers(name, container, gap):
    check(name, CONTAINERS[container], gap)


class Stream:
    """A stream of Arrow's that an object of another library hands over."""

    def __init__(self, columns):
        self.table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


FRAMES = {
    "pandas of arrow": lambda columns: pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype),
    "table": pa.table,
    "batch": lambda columns: pa.table(columns).to_batches()[0],
    "reader": lambda columns: pa.table(columns).to_reader(max_chunksize=2),
    "stream": lambda columns: Stream(columns),
    "iterator of batches": lambda columns: iter(pa.table(columns).to_batches(max_chunksize=2)),
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "relation": lambda columns: relation_of(pa.table(columns)),
}


def relation_of(table):
    """Return a relation of DuckDB; it finds the table by its name here."""
    return duckdb.from_arrow(table)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", OF_FRAMES)
def test_the_same_numbers_of_frames(name, frame):
    check_frame(name, FRAMES[frame])


@pytest.mark.parametrize("container", ["polars series", "arrow array"])
@pytest.mark.parametrize("name", [name for name, (_, _, records) in CALLS.items() if len(records) > 1])
def test_an_array_beside_another_container(name, container):
    check(name, CONTAINERS[container], first=True)


def test_samples_have_the_names_of_their_columns():
    pairs = {"before": [1.0, 2.0], "after": [2.0, 3.0]}
    samples = (polars(np.tile(pair, 50)).alias(name) for name, pair in pairs.items())
    found = dp.ttest_ind(*samples, 5.0, bounds=(0, 5))
    assert list(found.to_frame().index) == [
        "mean of before",
        "mean of after",
        "difference of before and after",
    ]
