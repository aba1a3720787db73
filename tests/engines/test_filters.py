"""Subsets that an engine evaluates itself: the records that pandas leaves, one for one."""

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat._data.table import as_table
from pydpstat.designs._conditions import Condition
from pydpstat.designs._views import read_columns, select_columns

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")

N = 400
RNG = np.random.default_rng(20_241_126)
GONE = RNG.random((4, N)) < 0.2
X = np.where(GONE[0], np.nan, RNG.choice([-1.5, 0.0, -0.0, 2.0, 1e300, np.inf, 0.1], N))
# NaN and null at once, integers next to the last that a double has, texts whose case and accents differ
TABLE = pa.table(
    {
        "id": np.arange(N),
        "x": pa.array(X, mask=GONE[1]),
        "whole": pa.array(RNG.choice([-3, 0, 2, 2**53 + 1, 2**62], N), mask=GONE[2]),
        "text": pa.array(RNG.choice(["a", "A", "ä", "", "it's", "\\x41"], N), mask=GONE[3]),
        "true": pa.array(RNG.random(N) < 0.5, mask=GONE[1]),
    }
)
PANDAS = pd.DataFrame(
    {
        "id": np.arange(N),
        "x": np.where(GONE[1], np.nan, X),
        "whole": pd.array(TABLE["whole"].to_pylist(), dtype="Int64"),
        "text": pd.array(TABLE["text"].to_pylist(), dtype="string"),
        "true": pd.array(TABLE["true"].to_pylist(), dtype="boolean"),
    }
)
ENGINES = {
    "polars": lambda: pl.from_arrow(TABLE),
    "lazy": lambda: pl.from_arrow(TABLE).lazy(),
    "duckdb": lambda: duckdb.connect().from_arrow(TABLE),
}
ATOMS = [
    *(f"x {by} {value}" for by in ("<", "<=", ">", ">=", "==", "!=") for value in ("0", "0.1", "-1.5")),
    *(f"whole {by} {value}" for by in ("<", ">=", "==") for value in ("2", "0.5", "9007199254740991")),
    "-1 <= x < 2",
    "2 >= whole",
    "x in (0, 2.0)",
    "whole not in (0, 2)",
    "text == 'a'",
    "text != 'A'",
    'text in ("it\'s", "ä", "")',
    r"text not in ('\\x41', 'none')",
    "true",
    "true == False",
    "true != True",
]


def random_condition(draw, depth=3):
    if depth == 0 or draw.random() < 0.2:
        return str(draw.choice(ATOMS))
    kind, (one, other) = draw.integers(3), (random_condition(draw, depth - 1) for _ in range(2))
    return f"not ({one})" if kind == 0 else f"({one}) {'and' if kind == 1 else 'or'} ({other})"


TREES = [random_condition(np.random.default_rng(seed)) for seed in range(40)]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_keeps_the_records_that_pandas_keeps(engine):
    data = ENGINES[engine]()
    for text in (*ATOMS, *TREES):
        condition = Condition(text)
        assert as_table(data).filter_records(condition.engine_test) is not None
        found = read_columns(select_columns(data, ["id"], condition, (), False))["id"]
        true, _ = condition.evaluate_truths(PANDAS)
        assert np.asarray(found).tolist() == PANDAS["id"][true].tolist(), text


@pytest.mark.parametrize(
    "text",
    ["whole == 9007199254740993", "x < 1e300", "x + 1 > 2", "x < whole", "text in ()", "text in ('a', 1)"],
)
def test_what_engines_round_otherwise_is_left_to_pydpstat(text):
    assert Condition(text).engine_test is None


@pytest.mark.parametrize("engine", ENGINES)
def test_types_that_are_compared_otherwise_are_left_to_pydpstat(engine):
    short = TABLE.set_column(1, "x", TABLE["x"].cast("float32"))
    data = {"polars": pl.from_arrow, "lazy": lambda each: pl.from_arrow(each).lazy()}.get(
        engine, lambda each: duckdb.connect().from_arrow(each)
    )(short)
    assert as_table(data).filter_records(Condition("x < 0.1").engine_test) is None
    assert as_table(data).filter_records(Condition("text == 1").engine_test) is None
    assert as_table(data).filter_records(Condition("text == 'a'").engine_test) is not None


def test_a_collation_does_not_matter():
    base = duckdb.connect()
    base.register("given", TABLE)
    base.execute("CREATE TABLE held AS SELECT id, text COLLATE NOCASE AS text FROM given")
    facts = {"levels": {"text": ["a", "A"]}, "missing": "drop"}
    counts = [
        dp.design(data, **facts).subset("text == 'a'").count(1.0, rng=1).value
        for data in (base.table("held"), PANDAS[["id", "text"]])
    ]
    assert counts[0] == counts[1]
