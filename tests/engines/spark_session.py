"""Folds of tables of Spark, in a process of their own: ``python spark_session.py classic|connect``.

It prints what came out as one line of JSON.
"""

import json
import os
import sys
import warnings

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pydpstat._data.table import as_table
from pydpstat.errors import PydpstatError
from tests.engines.tallies import example, tally_and_merge, units_and_merge

# of types that pandas has otherwise
ODD = (
    "cast(id as decimal(9, 2)) as dec",
    "date '2020-02-29' as day",
    "timestamp '2020-02-29 12:30:00 UTC' as moment",
    "timestamp_ntz '2020-02-29 12:30:00' as naive",
    "interval '1' hour as lag",
    "cast(null as void) as none",
    "cast(id as tinyint) as tiny",
    "id as `a.b c`",
)


def session(mode):
    """Return a session of one of the two ways."""
    builder = SparkSession.builder.config("spark.ui.enabled", "false")
    if mode == "connect":
        # the server takes a free port then: two may run at once
        os.environ["SPARK_TESTING"] = "1"
        return builder.remote("local[2]").getOrCreate()
    return builder.master("local[2]").config("spark.sql.shuffle.partitions", "5").getOrCreate()


def spark_frame(spark):
    """Return the example as a data frame of Spark; None is missing there, and NaN is, too."""
    rows = [
        tuple(None if value is None or value != value else value for value in row)
        for row in example().astype(object).replace({float("nan"): None}).itertuples(index=False)
    ]
    return spark.createDataFrame(rows, "x double, i bigint, b boolean, t string, u bigint")


def message(call):
    """Return the error that a call ends with, and the name of its cause."""
    try:
        call()
    except PydpstatError as error:
        return [str(error), type(error.__cause__).__name__]
    return None


def odd_types(table):
    """Return the kinds of the columns without records, and of those with some."""

    def kinds(chunk):
        return [{name: str(getattr(column, "dtype", "")) for name, column in chunk.columns.items()}]

    def values(chunk):
        return [{name: str(column[0]) for name, column in chunk.columns.items()}]

    def merge(one, other):
        return one[:1]

    return [kinds(table.make_empty_chunk())[0], table.fold(kinds, merge)[0], table.fold(values, merge)[0]]


def main(mode):
    """Fold, and print what came out."""

    def broken(chunk):
        raise ZeroDivisionError("a task")

    def refusing(chunk):
        raise PydpstatError("ours")

    def total(chunk):
        return int(chunk.columns["a"].sum())

    def added(one, other):
        return one + other

    spark = session(mode)
    frame = spark_frame(spark)
    table = as_table(frame)
    odd = as_table(spark.range(3).repartition(1).selectExpr(*ODD))
    costly = spark.range(10).withColumn("a", F.col("id")).withColumn("b", F.expr("raise_error('read')"))
    found = {
        "module": type(frame).__module__,
        "names": table.names,
        "count": table.count_records(),
        "tallies": [as_table(frame.repartition(n)).fold(*tally_and_merge()) for n in (1, 8)],
        "units": as_table(frame.repartition(8)).select_columns(["u"]).fold(*units_and_merge(), unit="u"),
        "none": as_table(frame.filter("x > 1e9")).fold(*tally_and_merge())["size"],
        "odd": odd_types(odd),
        "failed": message(lambda: table.fold(broken, added)),
        "ours": message(lambda: table.fold(refusing, added)),
        "chosen": as_table(costly).select_columns(["a"]).fold(total, added),
        "nested": message(lambda: as_table(spark.range(3).selectExpr("array(id) as a")).make_empty_chunk()),
        "binary": message(lambda: as_table(spark.range(3).selectExpr("cast('a' as binary) as a")).make_empty_chunk()),
        "twice": message(lambda: as_table(spark.range(3).selectExpr("id as a", "id as a"))),
    }
    print(json.dumps(found))
    spark.stop()


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        main(sys.argv[1])
