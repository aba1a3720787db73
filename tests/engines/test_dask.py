"""Dask: its schedulers, its partitions, units across them, and tasks that fail."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError
from pydpstat._data.clusters import _merge_parts
from pydpstat._data.table import as_table
from tests.engines.tallies import example, expected, tally_and_merge, units_and_merge

dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")
pytest.importorskip("pyarrow")
ROOT = Path(__file__).resolve().parents[2]


def test_the_users_scheduler_computes():
    tally, merge = tally_and_merge()
    frame = example()
    table = as_table(dd.from_pandas(frame, npartitions=9))
    asked = []

    def scheduler(graph, keys, **options):
        asked.append(True)
        return dask.get(graph, keys, **options)

    with dask.config.set(scheduler=scheduler):
        assert table.fold(tally, merge) == expected(frame)
    assert asked


@pytest.mark.parametrize("parts", [1, 8, 9, 64])
def test_units_come_together_from_every_partition(parts):
    count, merge = units_and_merge()
    frame = example()
    table = as_table(dd.from_pandas(frame, npartitions=parts))
    assert table.select_columns(["u"]).fold(count, merge, unit="u") == (frame["u"].nunique(), len(frame))


def test_units_that_are_texts_or_missing():
    count, merge = units_and_merge()
    frame = pd.DataFrame({"u": ["a", None, "b", "a", "c", None] * 5})
    table = as_table(dd.from_pandas(frame, npartitions=6))
    assert table.fold(count, merge, unit="u") == (3, 30)


def test_both_zeros_are_one_unit():
    frame = pd.DataFrame({"u": [0.0, -0.0, 1.0, 2.0] * 10})
    count, merge = units_and_merge()
    assert as_table(dd.from_pandas(frame, npartitions=16)).fold(count, merge, unit="u") == (3, 40)


def test_partitions_without_records():
    tally, merge = tally_and_merge()
    frame = example()
    table = dd.from_pandas(frame, npartitions=8)
    assert as_table(table[table["x"] > 90]).fold(tally, merge) == expected(frame[frame["x"] > 90])
    none = as_table(table[table["x"] > 1e9])
    assert none.count_records() == 0 and none.fold(tally, merge)["size"] == 0


def test_large_partitions_are_cut():
    frame = dd.from_pandas(pd.DataFrame({"a": np.arange(200_000)}), npartitions=1)
    found = as_table(frame).fold(lambda chunk: [chunk.size], lambda one, other: one + other)
    assert sum(found) == 200_000 and max(found) <= 65_536


def test_the_order_of_partitions_is_kept():
    frame = dd.from_pandas(pd.DataFrame({"a": np.arange(100)}), npartitions=70)
    found = as_table(frame).fold(lambda chunk: list(chunk.columns["a"]), lambda one, other: one + other)
    assert found == list(range(100))


def test_a_merging_task_leaves_what_it_was_given():
    def merge(one, other):
        one += other
        return one

    parts = [[np.ones(2)], [], [np.ones(2)], [np.ones(2)]]
    for _ in range(2):
        (found,) = _merge_parts(parts, merge)
        assert found.tolist() == [3.0, 3.0] and _merge_parts([parts[0]], merge)[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_a_release_reads_each_partition_once(neighbors):
    read = []

    def part(number):
        read.append(number)
        return pd.DataFrame({"x": np.arange(100.0) + number})

    meta = pd.DataFrame({"x": np.zeros(0)})
    bounds = {"bounds": (0, 150)}
    for function, how in ((pydpstat.mean, bounds), (pydpstat.median, bounds), (pydpstat.std, bounds)):
        with dask.config.set(scheduler="synchronous"):
            frame = dd.from_map(part, range(11), meta=meta)
            read.clear()
            found = function(frame, 1.0, neighbors=neighbors, rng=1, **how)
        assert sorted(read) == list(range(11))
        alone = pd.concat([part(number) for number in range(11)])
        assert found.value == function(alone, 1.0, neighbors=neighbors, rng=1, **how).value
        assert found.nobs == (1100 if neighbors == "bounded" else None)


def test_a_task_that_fails_is_the_engine_s_error():
    def broken(chunk):
        raise ZeroDivisionError("a task")

    table = as_table(dd.from_pandas(example(), npartitions=3))
    with pytest.raises(PydpstatError, match=r"engine failed \(dask: ZeroDivisionError\)") as caught:
        table.fold(broken, broken)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_an_error_of_ours_comes_as_it_is():
    def refusing(chunk):
        raise PydpstatError("ours")

    with pytest.raises(PydpstatError, match="^ours$"):
        as_table(dd.from_pandas(example(), npartitions=3)).fold(refusing, refusing)


def test_names_that_cannot_be():
    with pytest.raises(PydpstatError, match="got the name 0 of type int"):
        as_table(dd.from_pandas(pd.DataFrame({0: [1]}), npartitions=1))


def test_a_series_is_one_column():
    table = as_table(dd.from_pandas(pd.Series([1.5, 2], name="age"), npartitions=2))
    assert table.names == ("age",)
    assert table.fold(lambda chunk: chunk.columns["age"].sum(), lambda one, other: one + other) == 3.5


CLUSTER = """
import json
import logging

if __name__ == "__main__":
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    from pydpstat._data.table import as_table
    from pydpstat.errors import PydpstatError
    from tests.engines.tallies import example, tally_and_merge, units_and_merge

    def broken(chunk):
        raise ZeroDivisionError("a task")

    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
    ) as cluster, Client(cluster):
        table = as_table(dd.from_pandas(example(), npartitions=20))
        found = {
            "tally": table.fold(*tally_and_merge()),
            "units": table.select_columns(["u"]).fold(*units_and_merge(), unit="u"),
            "count": table.count_records(),
        }
        try:
            table.fold(broken, broken)
        except PydpstatError as error:
            found["error"] = str(error)
            found["cause"] = type(error.__cause__).__name__
    print(json.dumps(found))
"""


@pytest.mark.slow
def test_a_cluster(tmp_path):
    pytest.importorskip("distributed")
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER, encoding="utf-8")
    made = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=made, check=True, timeout=300
    )
    found = json.loads(done.stdout.splitlines()[-1])
    frame = example()
    wanted = json.loads(json.dumps(expected(frame)))
    assert found["tally"] == wanted
    assert found["units"] == [frame["u"].nunique(), len(frame)]
    assert found["count"] == len(frame)
    assert "engine failed (dask: ZeroDivisionError)" in found["error"]
    assert found["cause"] == "ZeroDivisionError"
