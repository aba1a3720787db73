"""Tumult Analytics on Spark: means and counts of public groups, half of epsilon each."""

from __future__ import annotations

from pyspark.sql import SparkSession
from serve import BOUNDS, KEYS, LEVELS, Found, main
from tmlt.analytics import AddOneRow, KeySet, PureDPBudget, QueryBuilder, Session

SPARK = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false").getOrCreate()


def release(path: str, epsilon: float) -> Found:
    """Return the mean and the count of every group."""
    data = SPARK.read.parquet(path).select("income", *KEYS)
    session = Session.from_dataframe(PureDPBudget(epsilon), "survey", data, protected_change=AddOneRow())
    grouped = QueryBuilder("survey").groupby(KeySet.from_dict(LEVELS))
    half = PureDPBudget(epsilon / 2.0)
    means = session.evaluate(grouped.average("income", *BOUNDS, name="mean"), half).collect()
    counts = session.evaluate(grouped.count(name="count"), half).collect()
    numbers = {(row["region"], row["sex"]): float(row["count"]) for row in counts}
    return {key: (float(row["mean"]), numbers[key]) for row in means if (key := (row["region"], row["sex"]))}


if __name__ == "__main__":
    main("tmlt.analytics", release)
