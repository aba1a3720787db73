"""A whole report of one large file within one budget.

``python whole_report.py FILE`` makes the file where it is not there, and writes what is released beside it:
every number as CSV, every release with its guarantee as JSON, and the budget's ledger. ``--engine`` says
what reads the file: polars, dask or spark, or iterator for frames of pandas that no file is needed for.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import pydpstat as dp

REGIONS = ["coast", "delta", "forest", "heath", "hills", "islands", "lakes", "plain"]
SHARES = [0.21, 0.17, 0.06, 0.08, 0.11, 0.003, 0.127, 0.24]
SEXES = ["f", "m"]
SCHOOLS = ["none", "basic", "middle", "higher"]
INCOME, HOURS, AGE = (0, 8000), (0, 60), (0, 100)
CHUNK = 250_000


def people(persons: int, seed: int = 2024) -> Iterator[pd.DataFrame]:
    """Draw the persons, some at a time; the same ones for the same seed."""
    for number, start in enumerate(range(0, persons, CHUNK)):
        draw, n = np.random.default_rng([seed, number]), min(CHUNK, persons - start)
        region = draw.choice(len(REGIONS), n, p=SHARES)
        sex = draw.integers(0, 2, n)
        age = np.minimum(draw.gamma(6.5, 7.0, n), 99).astype(np.int64)
        years = draw.poisson(1.4 + 0.01 * (70 - age).clip(0))
        school = np.where(age < 16, 0, np.minimum(years, 3))
        working = (age > 15) & (age < 66)
        chance = np.where(working, 0.55 + 0.1 * school - 0.06 * sex, 0.02)
        employed = draw.random(n) < chance
        hours = np.round(draw.normal(36.0 - 5.0 * sex, 7.0, n)).clip(2, 60)
        typical = 6.9 + 0.22 * school + 0.03 * region + 0.007 * age.clip(0, 60)
        income = np.round(np.exp(draw.normal(typical + 0.4 * employed, 0.45)))
        # children have no income, and one in thirty gave no answer
        income = np.where(age < 16, 0.0, income)
        yield pd.DataFrame(
            {
                "region": np.array(REGIONS)[region],
                "sex": np.array(SEXES)[sex],
                "age": age,
                "school": np.array(SCHOOLS)[school],
                "employed": employed,
                "hours": np.where(employed, hours, 0.0),
                "income": np.where(draw.random(n) < 1 / 30, np.nan, income),
            }
        )


def write(path: Path, persons: int) -> None:
    """Write the persons as one Parquet file; needs pyarrow."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.Table.from_pandas(next(people(1)), preserve_index=False).schema.remove_metadata()
    with pq.ParquetWriter(path, schema) as file:
        for frame in people(persons):
            file.write_table(pa.Table.from_pandas(frame, schema, preserve_index=False))


Columns = Callable[[list[str]], object]


def with_polars(path: Path) -> Columns:
    """Return what gives some columns of the file, in Polars."""
    import polars as pl

    return pl.scan_parquet(path).select


def with_dask(path: Path) -> Columns:
    """Return what gives some columns of the file, in Dask."""
    import dask.dataframe as dd

    return dd.read_parquet(path, split_row_groups=True).__getitem__


def with_spark(path: Path) -> Columns:
    """Return what gives some columns of the file, in Spark."""
    from pyspark.sql import SparkSession

    return SparkSession.builder.getOrCreate().read.parquet(str(path)).select


def with_iterator(persons: int) -> Columns:
    """Return what gives some columns of the persons in frames of pandas, drawn again for each release."""
    return lambda names: (frame[names] for frame in people(persons))


Tables = dict[str, dp.DPResults]


def report(columns: Columns, budget: dp.Budget, rng: object = None) -> Tables:
    """Release the tables, within the budget."""
    tables = {}

    def add(label, function, names, epsilon, **arguments):
        with budget, budget.labeled(label):
            tables[label] = function(columns(names), epsilon, rng=rng, **arguments)

    region = {"by": "region", "levels": REGIONS, "other": None}
    school = {"by": "school", "levels": SCHOOLS, "other": None}
    both = {"by": ["region", "sex"], "levels": {"region": REGIONS, "sex": SEXES}, "other": None}
    income = {"bounds": INCOME, "missing": "drop"}

    add(
        "persons",
        dp.crosstab,
        ["region", "sex", "school"],
        0.125,
        other=None,
        levels={"region": REGIONS, "sex": SEXES, "school": SCHOOLS},
    )
    add("employed", dp.count, ["region", "employed"], 0.125, **region)
    add("share employed", dp.proportion, ["region", "sex", "employed"], 0.25, **both)
    add("mean income", dp.mean, ["region", "sex", "income"], 0.375, **income, **both)
    add(
        "income and hours",
        dp.mean,
        ["school", "income", "hours"],
        0.25,
        bounds={"income": INCOME, "hours": HOURS},
        missing="drop",
        **school,
    )
    add("median income", dp.median, ["region", "income"], 0.375, **income, **region)
    add("total income", dp.sum, ["region", "income"], 0.125, **income, **region)
    add("age", dp.histogram, ["age"], 0.125, edges=[*range(0, 100, 10), 100])
    add(
        "classes of income",
        dp.histogram,
        ["region", "income"],
        0.25,
        missing="drop",
        edges=[0, 500, 1000, 2000, 3000, 5000, 8000],
        **region,
    )
    return tables


def numbers(tables: Tables) -> pd.DataFrame:
    """Return every released number with its noise and what holds for it."""
    parts = []
    for label, r in tables.items():
        frame = r.to_frame()
        keys = [each if isinstance(each, tuple) else (each,) for each in frame.index]
        element = [" / ".join(map(str, key)) for key in keys]
        facts = {"label": label, "statistic": r.statistic, "element": element}
        holds = ("epsilon", "delta", "neighbors", "unit")
        kept = {name: getattr(r, name) for name in holds}
        parts.append(pd.DataFrame({**facts, **frame.to_dict("list"), **kept}))
    return pd.concat(parts, ignore_index=True)


def export(tables: Tables, budget: dp.Budget, folder: Path) -> None:
    """Write all that was released, and what it cost."""
    numbers(tables).to_csv(folder / "released.csv", index=False)
    whole = [{"label": label, **r.to_dict()} for label, r in tables.items()]
    text = json.dumps(whole, indent=1)
    (folder / "released.json").write_text(text, encoding="utf-8")
    budget.to_csv(folder / "ledger.csv")


def main() -> None:
    """Read the command line, release and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--engine", default="polars", choices=["polars", "dask", "spark", "iterator"])
    parser.add_argument("--persons", type=int, default=5_000_000)
    parser.add_argument("--seed", type=int, help="for checking only: anyone who knows it can remove the noise")
    given = parser.parse_args()
    if given.engine != "iterator" and not given.file.exists():
        write(given.file, given.persons)
    opened = {"polars": with_polars, "dask": with_dask, "spark": with_spark}
    open_with = opened.get(given.engine)
    columns = open_with(given.file) if open_with else with_iterator(given.persons)
    budget = dp.Budget(2.0, neighbors="unbounded")
    rng = None if given.seed is None else np.random.default_rng(given.seed)
    export(report(columns, budget, rng), budget, given.file.parent)
    print(budget.summary())


if __name__ == "__main__":
    main()
