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

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from tests.engines.releases import STATISTICS, TABLE, WAYS, columns_for, outcome, scale_of, takes

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
    for batch in batches:
        yield batch
    raise ZeroDivisionError("a task")


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
