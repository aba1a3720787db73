"""Releases from Spark, in a process of their own: ``python spark_releases.py classic|connect FOLDER``.

It prints what was released, by case, as one line of JSON. Some tasks fail on their first run: Spark runs
each up to four times.
"""

import itertools
import json
import os
import signal
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import pydpstat as dp
from tests.engines.releases import FILL, STATISTICS, TABLE, WAYS, Statistic, Way, columns_for, outcome, scale_of, takes

PARTS = (1, 8)
CHOSEN = ("by two, no other", "unit, by", "bounded", "dropped", "unit", "by, dropped")
# the statistic and the way whose tasks fail in one way each
FAILING = ("means", "unit, by")


def cases():
    """Return statistics, ways and numbers of partitions: each statistic in two ways."""
    found = []
    for place, (name, statistic) in enumerate(STATISTICS.items()):
        ways = [label for label in CHOSEN if takes(statistic, WAYS[label])] * 2
        found += [(name, ways[place % 3 + number], parts) for number, parts in enumerate(PARTS)]
    return found


def session(mode):
    """Return a session of one of the two ways, whose tasks may fail."""
    builder = SparkSession.builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "3")
    if mode == "connect":
        # the server takes a free port then: two may run at once
        os.environ["SPARK_TESTING"] = "1"
        return builder.remote("local[2,4]").getOrCreate()
    return builder.master("local[2,4]").getOrCreate()


def once(folder, fail, late):
    """Return a function of a partition's batches that fails on its first run, before or after them.

    It notes every run in a folder.
    """

    def run(batches):
        kept = list(batches)
        runs = len(list(folder.iterdir()))
        (folder / f"{runs} {os.getpid()} {sum(batch.num_rows for batch in kept)}").touch()
        if runs == 0 and not late:
            fail()
        yield from kept
        if runs == 0 and late:
            fail()

    return run


def killed():
    """End this process at once."""
    os.kill(os.getpid(), signal.SIGKILL)


def broken():
    """Fail as a task does."""
    raise ZeroDivisionError("a task")


def always(batches):
    """Fail on every run."""
    yield from batches
    raise ZeroDivisionError("a task")


def odd_records():
    """Return records with numbers at the ends of types, on ties of the grid, and missing in both ways."""
    x = [0.0, -0.0, 5e-324, 1e308, -1e308, np.inf, -np.inf, np.nan, None, 100.0, 30.0, 2.0**53 + 2]
    x += [50.0 + half * 2.0**-35 for half in range(-6, 7)]
    size = len(x)
    texts = ["a", "A", "B", "", "it's", None, "a "]
    whole = [2**53 + 1, -(2**63), 2**63 - 1, 7, None]
    return pa.table(
        {
            "x": pa.array(x, pa.float64()),
            "i": pa.array([whole[place % 5] for place in range(size)], pa.int64()),
            "t": pa.array([texts[place % 7] for place in range(size)], pa.string()),
            "k": pa.array([[3, -1, 300, None][place % 4] for place in range(size)], pa.int16()),
        }
    )


def odd_cases():
    """Return statistics and ways for odd records."""
    levels = {"t": ["a", "B", "", "it's"], "k": [3, -1, 99_999]}
    keys = {"by": ["t", "k"], "levels": levels}
    bounds = ((0, 100), (-1, 1), (-1e300, 1e300), (2**53 - 1, 2**53 + 3))
    ways = (
        Way({"missing": FILL, **keys}, ("t", "k")),
        Way({"missing": "drop", "neighbors": "unbounded", **keys}, ("t", "k")),
        Way({"missing": "drop", "neighbors": "unbounded", "by": "k", "levels": [3], "other": None}, ("k",)),
    )
    sums = [Statistic(dp.mean, (x,), float(pair[0]), {"bounds": pair}) for x in "xi" for pair in bounds]
    sums += [Statistic(dp.var, ("x",), 1.0, {"bounds": pair}) for pair in bounds[:2]]
    bins = [[0, 10, 20, 30, 40], [0, 0.1, 0.2, 0.3], [0, 1e-323, 1]]
    sums += [Statistic(dp.histogram, ("x",), edges[1] / 2, {"edges": edges}) for edges in bins]
    # each in one way: a query takes Spark a second
    return list(zip(sums, itertools.cycle(ways)))


def main(mode, folder):
    """Release, and print what came out."""
    path = str(folder / "records.parquet")
    pq.write_table(TABLE, path)
    spark = session(mode)
    frame = spark.read.parquet(path)
    found = {}
    for name, label, parts in cases():
        statistic, way = STATISTICS[name], WAYS[label]
        data = frame.select(*columns_for(statistic, way)).repartition(parts)
        found[f"{name} | {label}"] = outcome(statistic, way, data)
    statistic, way = STATISTICS[FAILING[0]], WAYS[FAILING[1]]
    data = frame.select(*columns_for(statistic, way)).repartition(3)
    for fail, late in itertools.product((killed, broken), (False, True)):
        runs = folder / f"{fail.__name__} {late}"
        runs.mkdir()
        failing = data.mapInArrow(once(runs, fail, late), data.schema)
        came = outcome(statistic, way, failing)
        found[f"fails: {runs.name}"] = {"outcome": came, "runs": len(list(runs.iterdir()))}
    found["fails: always"] = outcome(statistic, way, data.mapInArrow(always, data.schema))
    path = str(folder / "odd.parquet")
    pq.write_table(odd_records(), path)
    odd = spark.read.parquet(path)
    plain = odd_records().to_pandas(types_mapper={pa.int64(): pd.Int64Dtype()}.get)
    found["odd"] = []
    for case in odd_cases():
        names = columns_for(*case)
        got, wanted = outcome(*case, odd.select(*names)), outcome(*case, plain[names])
        found["odd"].append([repr(case), got, wanted])
    text = frame.select("t")
    found["texts"] = outcome(STATISTICS["mean"], WAYS["bounded"], text)
    found["missing"] = outcome(STATISTICS["mean"], WAYS["bounded"], frame.select("x"), missing="error")
    options = {**statistic.arguments, **way.options, "missing": 1.5, "epsilon": 0.5}
    found["scale"] = scale_of(statistic.function(data, **options))
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main(sys.argv[1], Path(sys.argv[2]))
