"""Where data or arguments are wrong, nothing is released, nothing spent, and no reading goes on."""

import gc
import threading
import warnings
import weakref
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat import PydpstatError
from pydpstat._data.chunks import CHUNK
from tests.engines import releases
from tests.engines.makers import MAKERS, frame_of, no_records, pa
from tests.engines.releases import STATISTICS

TABLE = releases.COMPLETE
every_engine = pytest.mark.parametrize("engine", MAKERS)
every_statistic = pytest.mark.parametrize("name", STATISTICS)


def running():
    """Return the threads at work; Dask keeps those of its pool."""
    return {each for each in threading.enumerate() if not each.name.startswith("ThreadPoolExecutor")}


def refusal(statistic, data, **options):
    """Return the error of a release, after a look at what it left behind."""
    threads = running()
    unbounded = options.get("neighbors") == "unbounded"
    unit = options.get("unit", statistic.unit)
    unit = unit if isinstance(unit, str) else None
    budget = dp.Budget(epsilon=1, neighbors="unbounded" if unbounded else "bounded", unit=unit)
    unspent = budget.spent
    asked = {"epsilon": 1.0, **statistic.arguments, **options, "rng": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PydpstatError) as caught:
            statistic.function(data, **asked, budget=budget)
    assert budget.spent == unspent and not budget.entries
    assert running() <= threads
    return str(caught.value)


def plainly(statistic):
    """Return the options that a statistic cannot do without: of bounded neighbors no ids are counted."""
    return {"neighbors": "unbounded"} if statistic.unit else {}


def columns(statistic, *more):
    return TABLE.select([*statistic.columns, *more])


BAD = {
    "an unknown key": ({"by": "z", "levels": [1]}, ("t",), "by must be a column of the data; got 'z'"),
    "a misspelled key": ({"by": "T", "levels": ["a"]}, ("t",), "Did you mean 't'?"),
    "an unknown unit": ({"unit": "z", "max_records": 1}, ("u",), "got 'z'; the columns are"),
    "keys beside the data": ({"by": np.ones(9), "levels": [1]}, (), "by must name columns of data"),
    "units beside the data": ({"unit": np.ones(9), "max_records": 1}, (), "unit must name columns of data"),
    "levels of another type": ({"by": "k", "levels": ["a"]}, ("k",), "levels must be numbers"),
    "no levels": ({"by": "k"}, ("k",), "levels must be given with by"),
    "no max_records": ({"unit": "u"}, ("u",), "max_records must be"),
    "levels without by": ({"levels": ["a"]}, (), "levels must not be given without by"),
    "epsilon": ({"epsilon": -1.0}, (), "epsilon must be"),
    "neighbors": ({"neighbors": "both"}, (), "neighbors must be"),
    "missing": ({"missing": "skip"}, (), "missing must be"),
    "a sample with rng": ({"sample": 0.5, "neighbors": "unbounded"}, (), "sample needs"),
    "a sample, bounded": ({"sample": 0.5}, (), "sample needs"),
}


class Capsule:
    """What hands its records over by Arrow's stream interface only."""

    def __init__(self, reader):
        self.reader = reader

    def __arrow_c_stream__(self, requested_schema=None):
        return self.reader.__arrow_c_stream__(requested_schema)


def untouched(engine, table, folder, reads):
    """Return data whose reading is noted, where that can be, and fails."""

    def failing(*_):
        reads.append(1)
        raise ZeroDivisionError("read")

    def batches(first):
        yield from first
        failing()

    match engine:
        case "reader" | "capsule":
            reader = pa.RecordBatchReader.from_batches(table.schema, batches([]))
            return reader if engine == "reader" else Capsule(reader)
        case "batches":
            # what is looked at for its types
            return batches([no_records(table)])
        case "lazy":
            pl = pytest.importorskip("polars")
            frame = pl.from_arrow(table)
            return frame.lazy().map_batches(failing, schema=frame.schema)
        case "dask":
            dd = pytest.importorskip("dask.dataframe")
            return dd.from_map(failing, [0, 1], meta=frame_of(table.slice(0, 0)))
        case "dataset":
            data = MAKERS[engine](table, 2, folder)
            for path in folder.iterdir():
                path.unlink()
            return data
    relation = pytest.importorskip("duckdb").from_arrow(table)
    return relation.filter("error('read')")


LOOKED_AT = ("reader", "capsule", "batches", "lazy", "dask", "dataset", "relation")


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("engine", LOOKED_AT)
def test_arguments_are_checked_before_any_record_is_read(engine, case, tmp_path):
    options, more, said = BAD[case]
    for name in ("mean", "count", "corr"):
        reads, folder = [], tmp_path / name
        folder.mkdir()
        statistic = STATISTICS[name]
        text = refusal(statistic, untouched(engine, columns(statistic, *more), folder, reads), **options)
        assert said in text
        assert not reads


@pytest.mark.parametrize("engine", LOOKED_AT)
def test_bounds_are_checked_before_any_record_is_read(engine, tmp_path):
    for name in ("mean", "sum", "var", "cov"):
        reads, folder = [], tmp_path / name
        folder.mkdir()
        statistic = STATISTICS[name]
        data = untouched(engine, columns(statistic), folder, reads)
        text = refusal(statistic, data, bounds=(1, 0))
        assert text.startswith("bounds must be a pair") and not reads


@every_statistic
@pytest.mark.parametrize("engine", LOOKED_AT)
def test_a_reading_that_fails_costs_nothing(engine, name, tmp_path):
    statistic, reads = STATISTICS[name], []
    text = refusal(statistic, untouched(engine, columns(statistic), tmp_path, reads), **plainly(statistic))
    assert "the engine failed" in text and "Nothing was released or spent" in text


TYPES = {
    "text": (pa.array(["a", "b"]), "must be numbers or truth values; got a categorical column"),
    "dates": (pa.array([1, 2], pa.date32()), "must be numbers; got ndarray of type datetime64"),
    "list": (pa.array([[1], [2]]), "data must have columns of numbers"),
    "struct": (pa.array([{"p": 1}, {"p": 2}]), "data must have columns of numbers"),
    "binary": (pa.array([b"a", b"b"]), "data must have columns of numbers"),
    "time": (pa.array([1, 2], pa.time64("us")), "data must have columns of numbers"),
}
# Dask and pandas have objects where Arrow has these: they are seen when they are read
SEEN_BY_TYPE = [name for name in MAKERS if name not in ("dask", "frames", "dicts")]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("engine", SEEN_BY_TYPE)
def test_columns_of_another_type_are_refused(engine, kind, tmp_path):
    values, said = TYPES[kind]
    table = pa.table({"x": values, "u": [1, 2], "t": ["north", "south"]})
    for number, options in enumerate(({}, {"by": "t", "levels": ["north"]}, {"unit": "u", "max_records": 1})):
        folder = tmp_path / str(number)
        folder.mkdir()
        chosen = table.select(["x", *(options[key] for key in ("by", "unit") if key in options)])
        assert said in refusal(STATISTICS["mean"], MAKERS[engine](chosen, 2, folder), **options)


@pytest.mark.parametrize("kind", ["text", "list", "struct", "binary"])
@pytest.mark.parametrize("engine", ["dask", "frames", "dicts"])
def test_objects_of_another_type_are_refused(engine, kind, tmp_path):
    table = pa.table({"x": TYPES[kind][0]})
    text = refusal(STATISTICS["mean"], MAKERS[engine](table, 2, tmp_path))
    assert "must be numbers" in text and "Convert" in text


@every_statistic
@every_engine
def test_a_missing_value_in_the_last_part_costs_nothing(engine, name, tmp_path):
    statistic = STATISTICS[name]
    table = columns(statistic)
    last = pa.table({column: pa.nulls(1, table.schema.field(column).type) for column in table.column_names})
    data = MAKERS[engine](pa.concat_tables([table, last]), 5, tmp_path)
    text = refusal(statistic, data, **plainly(statistic))
    assert text.startswith("missing must say how to treat missing")


@every_engine
def test_a_missing_unit_costs_nothing(engine, tmp_path):
    table = releases.TABLE.select(["i"]).append_column("u", pa.array([*range(599), None]))
    text = refusal(STATISTICS["sum"], MAKERS[engine](table, 5, tmp_path), unit="u", max_records=1, missing=0.0)
    assert "'u' has missing values" in text


def frames(fifth):
    """Return an iterator whose fifth chunk is another one, and what tells which chunks are in memory."""
    alive = []

    def chunks():
        for number in range(1, 8):
            if number == 5 and isinstance(fifth, BaseException):
                raise fifth
            frame = pd.DataFrame({"x": np.arange(10.0)}) if number != 5 else fifth.copy()
            alive.extend([weakref.ref(frame)] if isinstance(frame, pd.DataFrame) else [])
            yield frame
            del frame

    return chunks(), alive


FIFTH = {
    "a column": (pd.DataFrame({"y": [1.0]}), "the columns of chunk 5: "),
    "a further column": (pd.DataFrame({"x": [1.0], "y": [1.0]}), "the columns of chunk 5: "),
    "no column": (pd.DataFrame(index=[1]), "data must have at least one column"),
    "texts": (pd.DataFrame({"x": pd.array(["a"], dtype="string")}), "column 'x' of chunk 5: texts"),
    "dates": (pd.DataFrame({"x": pd.to_datetime(["2020-01-01"])}), "column 'x' of chunk 5: dates or times"),
    "no frame": ({1, 2}, "got set as chunk 5"),
    "a matrix": ({"x": np.ones((2, 2))}, "array of 2 dimensions"),
    "lengths differ": ({"x": [1.0], "y": [1.0, 2.0]}, "the columns of chunk 5"),
    "a missing value": (pd.DataFrame({"x": [np.nan]}), "missing must say how to treat missing"),
    "an error": (ZeroDivisionError("mine"), "the engine failed (the iterator: ZeroDivisionError)"),
}


@pytest.mark.parametrize("case", FIFTH)
def test_an_iterator_whose_fifth_chunk_is_wrong(case):
    fifth, said = FIFTH[case]
    data, alive = frames(fifth)
    assert said in refusal(STATISTICS["mean"], data)
    # nothing is left of what was read, and the rest is not
    gc.collect()
    assert len(alive) <= 5 and all(each() is None for each in alive)
    text = refusal(STATISTICS["mean"], data)
    assert "used up" in text and "Create it again for every call" in text


@pytest.mark.parametrize("case", ["texts", "dates", "a missing value"])
def test_a_fifth_chunk_that_is_wrong_where_units_are_taken_together(case):
    fifth, said = FIFTH[case]
    data, alive = frames(fifth)
    options = {"unit": "u", "max_records": 99}
    assert said in refusal(STATISTICS["mean"], (frame.assign(u=1) for frame in data), **options)
    gc.collect()
    # the generator above still has the last one
    assert sum(each() is not None for each in alive) <= 1


def test_an_iterator_without_chunks():
    assert "at least one chunk" in refusal(STATISTICS["mean"], iter(()))
    assert "at least one chunk" in refusal(STATISTICS["count"], iter(()))


def open_files():
    """Return how many files and connections this process has open."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no account of a process's files here")
@pytest.mark.parametrize("engine", ["dataset", "scanner", "scan", "relation"])
def test_no_file_is_left_open(engine, tmp_path):
    big = pa.table({"x": np.append(np.zeros(8 * CHUNK), np.nan)})
    data = MAKERS[engine](big, 4, tmp_path)
    refusal(STATISTICS["mean"], MAKERS[engine](big.slice(8 * CHUNK), 1, tmp_path.parent))
    before = open_files()
    assert "missing must" in refusal(STATISTICS["mean"], data)
    assert "missing must" in refusal(STATISTICS["mean"], data) or engine == "scanner"
    del data
    gc.collect()
    assert open_files() <= before


def test_a_task_of_dask_that_fails_costs_nothing():
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame({"x": np.arange(40.0)})

    def broken(part, partition_info=None):
        if part["x"].max() > 35:
            raise ZeroDivisionError("a task")
        return part

    data = dd.from_pandas(frame, npartitions=4).map_partitions(broken, meta=frame[:0])
    text = refusal(STATISTICS["mean"], data)
    assert "the engine failed (dask: ZeroDivisionError)" in text


def test_a_query_of_polars_that_fails_midway_costs_nothing():
    pl = pytest.importorskip("polars")
    texts = ["1"] * (3 * CHUNK) + ["x"]
    data = pl.LazyFrame({"x": texts}).select(pl.col("x").cast(pl.Float64))
    assert "the engine failed (polars: " in refusal(STATISTICS["mean"], data)


def test_a_query_of_duckdb_that_fails_midway_costs_nothing():
    duckdb = pytest.importorskip("duckdb")
    text = f"select case when range > {3 * CHUNK} then error('x') else 1 end as x from range({4 * CHUNK})"
    assert "the engine failed (duckdb: " in refusal(STATISTICS["mean"], duckdb.sql(text))


@pytest.mark.parametrize("options", [{}, {"neighbors": "unbounded"}])
def test_a_connection_of_duckdb_that_is_lost_costs_nothing(options):
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    data = connection.sql("select range as x from range(10)")
    connection.close()
    text = refusal(STATISTICS["mean"], data, **options)
    assert "the engine failed (duckdb: " in text and "Nothing was released or spent" in text


def test_a_budget_that_refuses_has_nothing_read_twice():
    budget = dp.Budget(epsilon=0.5)
    data, _ = frames(pd.DataFrame({"x": [1.0]}))
    with pytest.raises(dp.PydpstatError, match="the budget does not cover this release"):
        dp.mean(data, 1, bounds=(0, 10), rng=1, budget=budget)
    assert not budget.entries
