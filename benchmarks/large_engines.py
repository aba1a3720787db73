"""Engines: how each opens the files, and how it computes the same statistics itself, without privacy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from large_data import BOUNDS, KEYS

WIDTH = (BOUNDS[1] - BOUNDS[0]) / 20
Paths = Sequence[str]


def opened(engine: str, paths: Paths, columns: Sequence[str]) -> Any:
    """Return the files' columns as data of an engine; nothing is read."""
    return _OPENED[engine](list(paths), list(columns))


def _pyarrow(paths: list[str], columns: list[str]) -> Any:
    import pyarrow as pa
    import pyarrow.dataset as ds

    schema = ds.dataset(paths).schema
    return ds.dataset(paths, schema=pa.schema([schema.field(name) for name in columns]))


def _polars(paths: list[str], columns: list[str]) -> Any:
    import polars as pl

    return pl.scan_parquet(paths).select(columns)


def _duckdb(paths: list[str], columns: list[str]) -> Any:
    import duckdb

    return duckdb.read_parquet(paths).project(", ".join(columns))


def _dask(paths: list[str], columns: list[str]) -> Any:
    import dask.dataframe as dd

    return dd.read_parquet(paths, columns=columns, split_row_groups=True)


def _spark(paths: list[str], columns: list[str]) -> Any:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[*]").config("spark.ui.enabled", "false")
    session = session.config("spark.driver.memory", "1g").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session.read.parquet(*paths).select(*columns)


_OPENED: dict[str, Callable[[list[str], list[str]], Any]] = {
    "pyarrow": _pyarrow,
    "polars": _polars,
    "duckdb": _duckdb,
    "dask": _dask,
    "spark": _spark,
}


def aggregated(engine: str, statistic: str, data: Any) -> Any:
    """Return what the engine itself makes of a statistic of each group."""
    return _AGGREGATED[engine](statistic, data)


def _by_pyarrow(statistic: str, data: Any) -> Any:
    import pyarrow.acero as acero
    import pyarrow.compute as pc

    columns = {name: pc.field(name) for name in data.schema.names}
    keys, functions = list(KEYS), {"mean": "hash_mean", "var": "hash_variance"}
    aggregates: list[Any] = [([], "hash_count_all", None, "n")]
    if statistic in functions:
        options = pc.VarianceOptions(ddof=1) if statistic == "var" else None
        aggregates = [("income", functions[statistic], options, "value")]
    if statistic == "histogram":
        columns["bin"] = pc.floor(pc.divide(columns.pop("income"), WIDTH))
        keys.append("bin")
    steps = [
        acero.Declaration("scan", acero.ScanNodeOptions(data, columns=list(data.schema.names))),
        acero.Declaration("project", acero.ProjectNodeOptions(list(columns.values()), list(columns))),
        acero.Declaration("aggregate", acero.AggregateNodeOptions(aggregates, keys)),
    ]
    return acero.Declaration.from_sequence(steps).to_table()


def _by_polars(statistic: str, data: Any) -> Any:
    import polars as pl

    income = pl.col("income")
    grouped = data.group_by(*KEYS, *([(income / WIDTH).floor()] if statistic == "histogram" else []))
    asked = {"mean": income.mean, "var": income.var, "median": income.median}.get(statistic, pl.len)
    return grouped.agg(asked().alias("value")).collect(engine="streaming")


def _by_duckdb(statistic: str, data: Any) -> Any:
    names = {"mean": "avg(income)", "var": "var_samp(income)", "median": "median(income)"}
    keys = [*KEYS, *(["floor(income / 10000)"] if statistic == "histogram" else [])]
    asked = ", ".join([*keys, names.get(statistic, "count(*)")])
    return data.aggregate(asked, ", ".join(keys)).fetchall()


def _by_dask(statistic: str, data: Any) -> Any:
    return getattr(data.groupby(KEYS).income, statistic)().compute()


def _by_spark(statistic: str, data: Any) -> Any:
    from pyspark.sql import functions

    asked = {"mean": functions.avg, "var": functions.var_samp}[statistic]
    return data.groupBy(*KEYS).agg(asked("income")).collect()


_AGGREGATED: dict[str, Callable[[str, Any], Any]] = {
    "pyarrow": _by_pyarrow,
    "polars": _by_polars,
    "duckdb": _by_duckdb,
    "dask": _by_dask,
    "spark": _by_spark,
}
