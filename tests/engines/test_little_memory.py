"""How much is read, and how much of it is in memory: only the chosen columns, a little at a time."""

import operator
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from pydpstat import PydpstatError
from pydpstat._data.chunks import CHUNK
from pydpstat._data.table import as_table

pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")
ROOT = Path(__file__).resolve().parents[2]


def sizes(chunk):
    return [chunk.size]


@pytest.mark.parametrize("rows", [1, 1000, CHUNK - 1, CHUNK + 1, 5 * CHUNK])
def test_chunks_are_neither_small_nor_large(rows):
    times = 10 if rows == 1 else max(1, 3 * CHUNK // rows)
    batches = [pa.RecordBatch.from_pydict({"a": np.arange(rows)})] * times
    for data in (pa.Table.from_batches(batches), pa.Table.from_batches(batches).to_reader()):
        found = as_table(data).fold(sizes, operator.add)
        assert sum(found) == rows * len(batches)
        assert max(found) <= CHUNK
        # what is left over of a batch that was cut may be small
        assert rows > CHUNK or min(found[:-1], default=CHUNK) >= CHUNK // 2


@pytest.fixture
def spoilt(tmp_path):
    """Return a Parquet file of which the bytes of one column are spoilt."""
    path = tmp_path / "spoilt.parquet"
    pq.write_table(pa.table({"a": np.arange(1000.0), "b": np.arange(1000.0)}), path)
    place = pq.ParquetFile(path).metadata.row_group(0).column(1)
    start = place.dictionary_page_offset or place.data_page_offset
    content = bytearray(path.read_bytes())
    content[start : start + place.total_compressed_size] = b"\xff" * place.total_compressed_size
    path.write_bytes(content)
    return path


def of_parquet(engine, path):
    if engine == "dataset":
        return ds.dataset(path)
    if engine == "polars":
        return pytest.importorskip("polars").scan_parquet(path)
    return pytest.importorskip("duckdb").read_parquet(str(path))


@pytest.mark.parametrize("engine", ["dataset", "polars", "duckdb"])
def test_only_the_chosen_columns_are_read(engine, spoilt):
    table = as_table(of_parquet(engine, spoilt))
    assert table.select_columns(["a"]).fold(lambda chunk: chunk.columns["a"].sum(), None) == 499500
    assert table.count_records() == 1000
    with pytest.raises(PydpstatError, match=r"engine failed.*Nothing was released or spent") as caught:
        table.select_columns(["b"]).fold(sizes, operator.add)
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize("engine", ["dataset", "polars", "duckdb"])
def test_a_file_that_is_gone_is_the_engine_s_error(engine, spoilt):
    table = as_table(of_parquet(engine, spoilt)).select_columns(["a"])
    spoilt.unlink()
    with pytest.raises(PydpstatError, match="engine failed"):
        table.fold(sizes, operator.add)


def test_a_panic_of_polars_is_no_end_of_the_data(tmp_path, monkeypatch):
    pl = pytest.importorskip("polars")
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": np.arange(10.0)}), path)
    monkeypatch.setenv("POLARS_ROW_GROUP_PREFETCH_SIZE", "0")
    with pytest.raises(PydpstatError, match="engine failed .polars"):
        as_table(pl.scan_parquet(path)).fold(sizes, operator.add)


def test_an_error_in_a_chunk_of_polars_ends_its_query():
    pl = pytest.importorskip("polars")
    before = threading.active_count()

    def partial(chunk):
        raise PydpstatError("ours")

    with pytest.raises(PydpstatError, match="^ours$"):
        as_table(pl.LazyFrame({"a": np.arange(10 * CHUNK)})).fold(partial, operator.add)
    assert "POLARS_ROW_GROUP_PREFETCH_SIZE" not in os.environ
    assert threading.active_count() == before


def test_a_query_that_fails_midway(tmp_path):
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    broken = pl.LazyFrame({"a": ["1"] * (3 * CHUNK) + ["x"]}).select(pl.col("a").cast(pl.Int64))
    with pytest.raises(PydpstatError, match="engine failed .polars"):
        as_table(broken).fold(sizes, operator.add)
    text = f"select case when range > {3 * CHUNK} then error('x') else 1 end as a from range({4 * CHUNK})"
    with pytest.raises(PydpstatError, match="engine failed .duckdb"):
        as_table(duckdb.sql(text)).fold(sizes, operator.add)


def test_a_filter_of_a_user_s_stays():
    duckdb = pytest.importorskip("duckdb")
    pl = pytest.importorskip("polars")
    lazy = pl.LazyFrame({"a": np.arange(100)}).filter(pl.col("a") < 10)
    for data in (duckdb.sql("select range as a from range(100) where range < 10"), lazy):
        assert as_table(data).count_records() == 10
        assert as_table(data).fold(lambda chunk: int(chunk.columns["a"].sum()), operator.add) == 45


ROWS = 20_000_000
READ = """
import sys
import numpy as np
import pydpstat
from pydpstat._data.table import as_table

engine, path = sys.argv[1:]
if engine == "dataset":
    import pyarrow.dataset
    data = pyarrow.dataset.dataset(path)
elif engine == "polars":
    import polars
    data = polars.scan_parquet(path)
else:
    import duckdb
    data = duckdb.read_parquet(path)

def tally(chunk):
    codes = np.asarray(chunk.columns["t"].codes)
    return chunk.size, float(np.nansum(chunk.columns["x"])), int((codes < 0).sum())

def merge(one, other):
    return tuple(a + b for a, b in zip(one, other))

print(*as_table(data).select_columns(["x", "t"]).fold(tally, merge))
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Return a Parquet file of 20 million records, in groups of the size that Polars writes."""
    path = tmp_path_factory.mktemp("large") / "large.parquet"
    rng = np.random.default_rng(3)
    texts = pa.array(["north", "south", "east", "west", None])
    step = 1_000_000
    x = pa.array(rng.integers(-400, 400, step) / 4, mask=rng.random(step) < 0.01)
    part = pa.table(
        {
            "x": x,
            "t": texts.take(pa.array(rng.integers(0, 5, step))),
            "other": rng.random(step),
            "b": rng.random(step) < 0.3,
        }
    )
    with pq.ParquetWriter(path, part.schema) as writer:
        for _ in range(ROWS // step):
            writer.write_table(part, row_group_size=1 << 17)
    expected = (ROWS, ROWS // step * float(np.nansum(x.to_numpy(zero_copy_only=False))))
    return path, (*expected, ROWS // step * part["t"].null_count)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no account of a process's memory here")
@pytest.mark.parametrize("engine", ["dataset", "polars", "duckdb"])
def test_a_large_file_stays_on_the_disk(engine, large):
    pytest.importorskip(engine if engine != "dataset" else "pyarrow")
    path, expected = large
    made = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", READ, engine, str(path)], capture_output=True, text=True, env=made, check=True
    )
    # DuckDB prints a bar before them where a query takes some seconds
    first, second = done.stdout.splitlines()[-2:]
    assert tuple(map(float, first.split())) == expected
    # the records of both columns are 480 MB as Arrow; 120 to 150 MB are Python, NumPy, pandas and the engine
    assert int(second) / 1024 < 300


RELEASE = """
import sys
import pydpstat

engine, path = sys.argv[1:]

def data(*names):
    if engine == "dataset":
        import pyarrow as pa, pyarrow.dataset
        types = {"x": pa.float64(), "t": pa.string(), "b": pa.bool_()}
        return pyarrow.dataset.dataset(path, schema=pa.schema([(name, types[name]) for name in names]))
    if engine == "polars":
        import polars
        return polars.scan_parquet(path).select(names)
    import duckdb
    return duckdb.read_parquet(path).project(", ".join(names))

options = {"missing": "drop", "neighbors": "unbounded", "by": "t", "levels": ["north", "east"], "rng": 1}
found = []
for function, names, more in (
    (pydpstat.mean, ("x", "t"), {"bounds": (-100, 100)}),
    (pydpstat.var, ("x", "t"), {"bounds": (-100, 100)}),
    (pydpstat.count, ("b", "t"), {}),
):
    result = function(data(*names), 1e6, **more, **options)
    found += [result.estimate[level] for level in ("north", "east")]
# what DuckDB prints of its queries may stand before
print()
print(*found)
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no account of a process's memory here")
@pytest.mark.parametrize("engine", ["dataset", "polars", "duckdb"])
def test_releases_by_group_leave_a_large_file_on_the_disk(engine, large):
    pytest.importorskip(engine if engine != "dataset" else "pyarrow")
    path, _ = large
    made = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", RELEASE, engine, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, env=made, check=True)
    numbers, peak = done.stdout.splitlines()[-2:]
    found = np.array(numbers.split(), dtype=float).reshape(3, 2)
    # all parts of the file are the first one
    first = pq.ParquetFile(path).read_row_groups(range(8), columns=["x", "t", "b"]).to_pandas()
    groups = first[:1_000_000].groupby("t")
    for (mean, var, count), level in zip(found.T, ("north", "east")):
        assert mean == pytest.approx(groups["x"].mean()[level], abs=1e-3)
        assert var == pytest.approx(groups["x"].var(ddof=0)[level], rel=1e-4)
        assert count == pytest.approx(ROWS // 1_000_000 * groups["b"].sum()[level], abs=2)
    assert int(peak) / 1024 < 300
