"""Designs over data of engines: the numbers of the same design over pandas, to the last bit."""

from functools import cache, partial

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.designs._signatures import DESIGN_METHODS
from tests.designs import method_calls

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
pytest.importorskip("dask.dataframe")

N = 5000
RNG = np.random.default_rng(20_241_004)
FRAME = pd.DataFrame(
    {
        "person": RNG.integers(0, 2000, N),
        "w": RNG.uniform(0.5, 2.0, N),
        "income": np.where(RNG.random(N) < 0.05, np.nan, RNG.lognormal(10.0, 0.5, N)),
        "age": RNG.integers(0, 100, N).astype(float),
        "region": RNG.choice(["n", "s", "w"], N),
        "employed": RNG.random(N) < 0.6,
    }
)
FACTS = {
    "bounds": {"income": (0, 200_000), "age": (0, 110), "w": (0, 3)},
    "levels": {"region": ["n", "s", "w"], "employed": [False, True]},
    "missing": {"income": "drop"},
    "weights": "w",
}


def dask(frame):
    import dask.dataframe as dd

    return dd.from_pandas(frame, npartitions=3)


def made(people):
    return people.assign(log_income="log(income)", old="age >= 65", bounds={"log_income": (5, 13)})


CONTAINERS = {
    "polars": pl.from_pandas,
    "lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "duckdb": lambda frame: duckdb.connect().from_df(frame),
    "dask": dask,
    "dict": lambda frame: {name: frame[name] for name in frame},
    "iterator": lambda frame: (frame.iloc[start : start + 1300] for start in range(0, len(frame), 1300)),
}
CALLS = {
    "mean": lambda people: people.mean("income", 0.5, rng=5),
    "means": lambda people: people.mean(["income", "age"], 0.5, missing="drop", rng=5),
    "means by": lambda people: people.mean("income", 0.5, by=["region", "employed"], rng=5),
    "number": lambda people: people.count(0.5, rng=5),
    "numbers by": lambda people: people.count(0.5, by="region", rng=5),
    "condition": lambda people: people.proportion("age >= 18 and region != 'n'", 0.5, rng=5),
    "median": lambda people: people.median("age", 0.5, rng=5),
    "histogram": lambda people: people.histogram("age", 0.5, edges=[0, 18, 65, 110], rng=5),
    "crosstab": lambda people: people.crosstab(["region", "employed"], 0.5, rng=5),
    "subset": lambda people: people.subset("age >= 18").mean("income", 0.5, by="region", rng=5),
    "assigned": lambda people: made(people).mean("log_income", 0.5, by="old", rng=5),
    "assigned condition": lambda people: made(people).subset("log_income / w > 9 or old").count(0.5, rng=5),
    "number of a subset": lambda people: people.subset("employed and age < 65").count(0.5, rng=5),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", CONTAINERS)
def test_numbers_are_those_of_pandas(kind, call):
    expected = CALLS[call](dp.design(FRAME, **FACTS))
    found = CALLS[call](dp.design(CONTAINERS[kind](FRAME), **FACTS))
    assert np.array_equal(found.value, expected.value)
    assert str(found.summary()) == str(expected.summary())


@pytest.mark.parametrize("kind", ["polars", "lazy", "arrow", "duckdb", "iterator"])
def test_units_count_in_every_engine(kind):
    facts = {**FACTS, "unit": "person", "missing": "drop"}
    expected = dp.design(FRAME, **facts).subset("age >= 18").mean("income", 0.5, by="region", rng=5)
    found = dp.design(CONTAINERS[kind](FRAME), **facts).subset("age >= 18").mean("income", 0.5, by="region", rng=5)
    assert np.array_equal(found.value, expected.value)


@pytest.mark.parametrize("kind", ["polars", "lazy", "arrow", "dict"])
def test_weights_and_tests_of_whole_columns(kind):
    facts = {**FACTS, "neighbors": "bounded", "missing": "error"}
    frame = FRAME.drop(columns="income")
    facts["bounds"] = {"age": (0, 110), "w": (0, 3)}
    own, other = dp.design(frame, **facts), dp.design(CONTAINERS[kind](frame), **facts)
    for call in (
        lambda people: people.weighted_mean("age", 0.5, rng=5),
        lambda people: people.kendalltau(["age", "w"], 0.5, rng=5),
        lambda people: people.ttest_ind("age ~ employed", 0.5, rng=5),
        lambda people: people.ols("age ~ w + C(region)", 0.5, rng=5),
    ):
        assert str(call(other).summary()) == str(call(own).summary())


def of_design(name, frame, unit, patch):
    """What a method says of a design over a container, of records or of persons."""
    patch.setattr(method_calls, "FRAME", frame)
    ask = method_calls.CASES[name][0]
    # the default argument makes the design
    [how] = ask.__defaults__
    return str(ask(partial(how, unit="person") if unit else how).summary())


@cache
def of_pandas(name, unit):
    with pytest.MonkeyPatch.context() as patch:
        return of_design(name, method_calls.FRAME, unit, patch)


@pytest.mark.parametrize("unit", [False, True], ids=["records", "persons"])
@pytest.mark.parametrize("kind", CONTAINERS)
@pytest.mark.parametrize("name", DESIGN_METHODS)
def test_every_method_says_the_same_of_every_container(name, kind, unit, monkeypatch):
    frame = CONTAINERS[kind](method_calls.FRAME)
    if unit and name == "nunique":
        with pytest.raises(dp.PydpstatError, match="variables must be the unit for nunique"):
            of_design(name, frame, unit, monkeypatch)
        return
    expected = of_pandas(name, unit)
    assert of_design(name, frame, unit, monkeypatch) == expected
