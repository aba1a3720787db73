"""DPpack's and diffpriv's functions take columns of every engine, or say what to give."""

import numpy as np
import pandas as pd
import pytest

import pydpstat
from tests import mirror_containers as mirrors
from tests.containers import plain
from tests.mirror_containers import MATRICES, OWN, VECTORS, check

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
dd = pytest.importorskip("dask.dataframe")


def arrow(values):
    return pa.array(plain(values))


def table(values):
    return pa.table({"v": arrow(values)})


def relation(found):
    return duckdb.from_arrow(found)


def columns(values):
    return {f"c{place}": values[:, place] for place in range(values.shape[1])}


COLUMNS = {
    "arrow array": arrow,
    "arrow chunks": lambda v: pa.chunked_array([arrow(v[:1]), arrow(v[1:])]),
    "polars": lambda v: pl.Series("v", arrow(v)),
    "pandas of arrow": lambda v: pd.Series(plain(v), dtype=pd.ArrowDtype(arrow(v).type), name="v"),
}
TABLES = {
    "polars frame": lambda v: pl.DataFrame({"v": arrow(v)}),
    "arrow table": table,
    "relation": lambda v: relation(table(v)),
    "dask series": lambda v: dd.from_pandas(pd.Series(v, name="v"), npartitions=2),
    "dask frame": lambda v: dd.from_pandas(pd.DataFrame({"v": v}), npartitions=2),
}
FRAMES = {
    "polars": lambda v: pl.DataFrame(columns(v)),
    "arrow": lambda v: pa.table(columns(v)),
    "relation": lambda v: relation(pa.table(columns(v))),
    "dask": lambda v: dd.from_pandas(pd.DataFrame(columns(v)), npartitions=2),
}
# a statistic of one variable needs no order of the records
ALONE = {"meanDP", "varDP", "sdDP", "histogramDP", "quantileDP", "medianDP", "meanDataAccess"}
ALONE |= {"varDataAccess", "histogramDataAccess", "quantileDataAccess", "pooledVarDP"}


@pytest.mark.parametrize("kind", COLUMNS)
@pytest.mark.parametrize("name, key", VECTORS)
def test_columns_in_memory_are_taken(name, key, kind):
    # R has a list there
    refused = name in OWN or key == "responseSet" and kind == "pandas of arrow"
    check(name, key, COLUMNS[kind], taken=not refused)


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("name, key", VECTORS)
def test_tables_of_one_column_are_a_variable_or_refused(name, key, kind):
    check(name, key, TABLES[kind], taken=name in ALONE and key in ("x", "first", "second"))


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name, key", MATRICES)
def test_tables_are_matrices_where_they_have_an_order(name, key, kind):
    check(name, key, FRAMES[kind], taken=kind in ("polars", "arrow"))


def test_every_mirror_with_data_is_here():
    assert {name for name, _ in VECTORS + MATRICES} > ALONE | {"tableDP", "pooledCovDP", "svmDP.fit"}
    assert set(mirrors.CALLS) > OWN


ROWS = {"a": [1, 1, 2, 2], "b": [1.0, 2.0, 3.0, 4.0]}


@pytest.mark.parametrize(
    "frame, way",
    [
        (pl.DataFrame(ROWS), r"of polars. Give df.to_pandas\(\)"),
        (pa.table(ROWS), r"of pyarrow. Give df.to_pandas\(\)"),
        (relation(pa.table(ROWS)), r"of duckdb. Give df.df\(\)"),
        (dd.from_pandas(pd.DataFrame(ROWS), npartitions=2), r"of dask. Give df.compute\(\)"),
        ([1, 2], r"got list. Give pandas.DataFrame\(df\)"),
    ],
    ids=["polars", "arrow", "relation", "dask", "list"],
)
def test_what_changes_records_takes_frames_of_pandas_and_says_how(frame, way):
    with pytest.raises(pydpstat.PydpstatError, match=way):
        pydpstat.anonymity.microaggregation(frame, 2)


def test_a_table_that_is_computed_later_is_refused():
    with pytest.raises(pydpstat.PydpstatError, match="table must be numbers"):
        pydpstat.consistency.controlled_rounding(FRAMES["dask"](np.ones((2, 2))))
