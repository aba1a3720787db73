"""Engines that count and add up themselves release what pandas does, to the last bit, over odd data."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pydpstat as dp
from pydpstat._data.aggregates import AggregateQuery, GroupKey
from pydpstat._data.columns import read_numbers
from pydpstat._data.table import as_table
from pydpstat._records.column_release import release_columns
from pydpstat._release.options import options
from pydpstat.statistics.mean import make_mean_query
from tests.engines.makers import pa
from tests.engines.releases import FILL, Statistic, Way, outcome

ENGINES = ("lazy", "polars", "duckdb")
every_engine = pytest.mark.parametrize("engine", ENGINES)
LEVELS = {"t": ["a", "B", "", "it's"], "k": [3, -1, 300]}
ODD = [0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, np.inf, -np.inf, np.nan, 2.0**53 + 2, 1e-300]
# halves of the units of the grid from 0 to 100: a tie is rounded to even
TIES = st.integers(-(2**20), 2**20).map(lambda half: 50.0 + half * 2.0**-35)
FLOATS = st.one_of(st.sampled_from(ODD), TIES, st.floats(-10, 110), st.floats())
WHOLE = st.one_of(st.integers(-5, 105), st.integers(-(2**63), 2**63 - 1), st.sampled_from([2**53 + 1, -(2**53) - 1]))
TEXTS = st.sampled_from(["a", "A", "B", "b", "", "it's", 'a"', "é", "e\u0301", "a "])
TYPES = {
    "x": (pa.float64(), FLOATS),
    "f": (pa.float32(), st.floats(width=32)),
    "i": (pa.int64(), WHOLE),
    "b": (pa.bool_(), st.booleans()),
    "t": (pa.string(), TEXTS),
    "k": (pa.int16(), st.one_of(st.sampled_from([3, -1, 300, 4]), st.integers(-(2**15), 2**15 - 1))),
}
BOUNDS = [(0, 100), (-1, 1), (-1e300, 1e300), (0, 1e-30), (2**53 - 1, 2**53 + 3)]
EDGES = [list(range(0, 101, 10)), [0, 0.1, 0.2, 0.3], [0, 1e-323, 1, 1e300], [0, 1]]


@st.composite
def tables(draw, *names):
    """Return a table of Arrow's of some records, each value perhaps missing."""
    size = draw(st.sampled_from([0, 1, 2, 7, 40]))
    columns = {}
    for name in names:
        kind, values = TYPES[name]
        gone = draw(st.booleans())
        value = st.one_of(st.none(), values) if gone else values
        columns[name] = pa.array(draw(st.lists(value, min_size=size, max_size=size)), kind)
    return pa.table(columns)


def through(engine, table):
    """Return a table of Arrow's as an engine's."""
    if engine == "duckdb":
        return pytest.importorskip("duckdb").from_arrow(table)
    frame = pytest.importorskip("polars").from_arrow(table)
    return frame.lazy() if engine == "lazy" else frame


def in_memory(table):
    """Return the same in pandas, with types that keep integers beside missing ones."""
    return table.to_pandas(types_mapper={pa.int64(): pd.Int64Dtype(), pa.int16(): pd.Int16Dtype()}.get)


WAYS = {
    "alone": Way({"missing": FILL}),
    "dropped": Way({"missing": "drop", "neighbors": "unbounded"}),
    "strict": Way({"missing": "error", "by": "t", "levels": LEVELS["t"]}),
    "by": Way({"missing": FILL, "by": ["t", "k"], "levels": LEVELS}),
    "by, apart": Way({"missing": "drop", "by": ["k", "t"], "levels": LEVELS, "other": "a", "neighbors": "unbounded"}),
    "by, no other": Way(
        {"missing": FILL, "by": ["b", "t"], "levels": {"b": [True, False], "t": LEVELS["t"]}, "other": None}
    ),
}
quickly = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def same(statistic, way, table, engine):
    """Compare a release from an engine with that of pandas."""
    keys = way.options.get("by", [])
    keys = [keys] if isinstance(keys, str) else keys
    chosen = table.select([*statistic.columns, *(key for key in keys if key not in statistic.columns)])
    got = outcome(statistic, way, through(engine, chosen))
    assert got == outcome(statistic, way, in_memory(chosen)), (statistic, way)


@every_engine
@quickly
@given(data=st.data())
def test_sums_of_odd_numbers(engine, data):
    table = data.draw(tables("x", "f", "i", "b", "t", "k"))
    bounds = data.draw(st.sampled_from(BOUNDS))
    column = data.draw(st.sampled_from(["x", "f", "i", "x"]))
    fill = float(bounds[0]) if bounds[1] < 1 else bounds[1] / 3 + bounds[0] / 3 * 2
    function = data.draw(st.sampled_from([dp.mean, dp.sum, dp.var if bounds[1] < 1e100 else dp.sum]))
    way = WAYS[data.draw(st.sampled_from(list(WAYS)))]
    same(Statistic(function, (column,), fill, {"bounds": bounds}), way, table, engine)


@every_engine
@quickly
@given(data=st.data())
def test_counts_of_odd_values(engine, data):
    table = data.draw(tables("x", "i", "b", "t", "k"))
    way = WAYS[data.draw(st.sampled_from(list(WAYS)))]
    edges = data.draw(st.sampled_from(EDGES))
    column = data.draw(st.sampled_from(["x", "i"]))
    same(Statistic(dp.histogram, (column,), float(edges[1]) / 2, {"edges": edges}), way, table, engine)
    if "b" not in way.options.get("by", ()):
        same(Statistic(dp.count, ("b",), True), way, table, engine)
        same(Statistic(dp.proportion, ("b",), False), way, table, engine)
    if "by" not in way.options:
        crossed = Statistic(dp.crosstab, ("t", "k"), "a", {"levels": LEVELS})
        crossed = crossed if way.options["missing"] != FILL else crossed._replace(fill="none")
        same(crossed, way, table, engine)


@every_engine
def test_an_engine_answers_where_types_are_plain(engine):
    decimals = pa.array([Decimal(1), Decimal(2)], pa.decimal128(20, 2))
    table = pa.table({"x": [1.0, None], "t": ["a", "b"], "d": decimals})
    held = as_table(through(engine, table))
    (first, second) = sorted(held.compute_aggregates(AggregateQuery((GroupKey("t", ("a", None)),), present=("x",))))
    assert (first.codes, first.size, first.present) == ((-2,), 1, (0,))
    assert (second.codes, second.size, second.present) == ((0,), 1, (1,))
    # a decimal is not rounded everywhere as it is here
    assert held.compute_aggregates(AggregateQuery((GroupKey("d", (1, 2)),))) is None


@every_engine
def test_an_engine_does_not_add_up_what_a_reader_makes(engine):
    def doubled(data, argument):
        columns = read_numbers(data, argument)
        return replace(columns, arrays=tuple(2.0 * np.asarray(each) for each in columns.arrays))

    table = through(engine, pa.table({"x": [1.0, 2.0, 3.0]}))
    how = options(1e6, 0, "laplace", "bounded", "error", rng=1)
    r = release_columns("mean", make_mean_query, table, (0, 10), how, doubled)
    assert r.value == pytest.approx([4.0], abs=1e-3)


@pytest.mark.parametrize("function", [dp.mean, dp.var, dp.sum])
@every_engine
def test_no_record_is_read_where_an_engine_answers(engine, function, monkeypatch):
    table = pa.table({"x": [1.0, 2.0, 3.0] * 9, "t": ["a", "b", "c"] * 9})
    data = through(engine, table)
    monkeypatch.setattr("pydpstat._data.streams.run_ordered_fold", None)
    options = {"bounds": (0, 5), "by": "t", "levels": ["a", "b"], "rng": 1}
    found, wanted = (function(each, 1, **options) for each in (data, table.to_pandas()))
    assert found.estimate.tolist() == wanted.estimate.tolist()


def test_levels_in_another_case_are_others_whatever_the_collation():
    duckdb = pytest.importorskip("duckdb")
    data = duckdb.sql("select 1.0::double as x, unnest(['a', 'A', 'b']) collate nocase as t")
    plain = pd.DataFrame({"x": [1.0] * 3, "t": ["a", "A", "b"]})
    options = {"bounds": (0, 2), "by": "t", "levels": ["a"], "neighbors": "unbounded", "rng": 1}
    found, wanted = (dp.sum(each, 1, **options) for each in (data, plain))
    assert found.estimate.tolist() == wanted.estimate.tolist()


@every_engine
def test_columns_that_are_named_as_what_is_made_of_them(engine):
    names = ["k0", "x0", "y0", "h0", "m0", "size"]
    table = pa.table({name: [float(place), 2.0] for place, name in enumerate(names)} | {"K1": ["a", "b"]})
    options = {"bounds": [(0, 5)] * len(names), "by": "K1", "levels": ["a"], "rng": 1, "missing": 1.0}
    found, wanted = (dp.mean(each, 1, **options) for each in (through(engine, table), table.to_pandas()))
    assert found.estimate.equals(wanted.estimate)


@every_engine
def test_keys_of_very_many_values_make_no_more_groups_than_there_are_levels(engine):
    table = pa.table({"x": np.ones(50_000), "k": np.arange(50_000), "t": list(map(str, range(50_000)))})
    held = as_table(through(engine, table))
    rows = held.compute_aggregates(AggregateQuery((GroupKey("k", (7, 8)), GroupKey("t", ("7", "9"), True))))
    assert len(rows) <= 9 and sum(row.size for row in rows) == 50_000
