"""The same numbers, keys and units in other types give the same release, from every engine."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat import PydpstatError
from tests.engines import releases
from tests.engines.makers import MAKERS, pa
from tests.engines.releases import FILL, STATISTICS, Statistic, Way, outcome

ENGINES = ("table", "reader", "polars", "lazy", "duckdb", "dask", "frames", "batches")
RNG = np.random.default_rng(2)
SIZE = 300
GONE = RNG.random(SIZE) < 0.1
WHOLE = RNG.integers(0, 7, SIZE)
UNITS = RNG.integers(0, 40, SIZE)
DAYS = [dt.date(2020, 2, 27) + dt.timedelta(days=int(day)) for day in WHOLE]
TEXTS = np.array(["north", "south", "east", "", "Ω", "west", "nord"], dtype=object)[WHOLE]
MEAN = Statistic(dp.mean, (), 1.5, {"bounds": (-1, 8)})
LARGE = pd.DataFrame({"x": WHOLE.astype(float)})


def through(engine, table, folder, parts=3):
    """Return a table of Arrow's in an engine; DuckDB takes it from memory, with its types."""
    if engine == "duckdb":
        return pytest.importorskip("duckdb").from_arrow(table)
    return MAKERS[engine](table, parts, folder)


def array(values, kind):
    """Return an array of Arrow's with the missing values in it."""
    known = [None if gone else value for value, gone in zip(values, GONE)]
    if pa.types.is_dictionary(kind):
        return pa.array(known, kind.value_type).dictionary_encode().cast(kind)
    return pa.array(known, pa.string()).cast(kind) if kind in TEXT_TYPES else pa.array(known, kind)


def text_types():
    views = [pa.string_view()] if hasattr(pa, "string_view") else []
    return [pa.string(), pa.large_string(), *views]


TEXT_TYPES = text_types()
DICTIONARIES = [pa.dictionary(index, pa.string()) for index in (pa.int8(), pa.uint16(), pa.int64())]
INTEGERS = [getattr(pa, f"{sign}int{bits}")() for bits in (8, 16, 32, 64) for sign in ("", "u")]
NUMBERS = [*INTEGERS, pa.float32(), pa.float64(), pa.decimal128(9, 2)]
every_engine = pytest.mark.parametrize("engine", ENGINES)


def of_type(kind):
    return pytest.mark.parametrize("kind", kind, ids=str)


@of_type(NUMBERS)
@every_engine
def test_numbers_of_any_type(engine, kind, tmp_path):
    plain = pd.DataFrame({"x": np.where(GONE, np.nan, WHOLE)})
    values = map(Decimal, WHOLE.tolist()) if pa.types.is_decimal(kind) else WHOLE.tolist()
    data = through(engine, pa.table({"x": array(values, kind)}), tmp_path)
    way = Way({"missing": "drop", "neighbors": "unbounded"})
    assert outcome(MEAN, way, data) == outcome(MEAN, way, plain)


@of_type(NUMBERS)
@every_engine
def test_numbers_of_any_type_as_keys(engine, kind, tmp_path):
    way = Way({"missing": 1.5, "by": "k", "levels": [3, 1, 5]})
    plain = LARGE.assign(k=pd.array(np.where(GONE, None, WHOLE), dtype="Int64"))
    values = map(Decimal, WHOLE.tolist()) if pa.types.is_decimal(kind) else WHOLE.tolist()
    table = pa.table({"x": LARGE["x"].to_numpy(), "k": array(values, kind)})
    assert outcome(MEAN, way, through(engine, table, tmp_path)) == outcome(MEAN, way, plain)


@of_type([*INTEGERS, pa.float32(), pa.float64(), pa.decimal128(9, 2)])
@every_engine
def test_numbers_of_any_type_as_units(engine, kind, tmp_path):
    way = Way({"missing": 1.5, "unit": "u", "max_records": 2})
    plain = LARGE.assign(u=UNITS)
    values = [Decimal(unit) for unit in UNITS.tolist()] if pa.types.is_decimal(kind) else UNITS.tolist()
    table = pa.table({"x": LARGE["x"].to_numpy(), "u": pa.array(values, kind)})
    assert outcome(MEAN, way, through(engine, table, tmp_path)) == outcome(MEAN, way, plain)


@of_type([*TEXT_TYPES, *DICTIONARIES])
@every_engine
def test_texts_of_any_type_as_keys_and_units(engine, kind, tmp_path):
    levels = ["south", "Ω", ""]
    way = Way({"missing": 1.5, "by": "t", "levels": levels, "unit": "u", "max_records": 3})
    plain = LARGE.assign(t=np.where(GONE, None, TEXTS), u=[f"unit {unit}" for unit in UNITS])
    units = pa.array(plain["u"].tolist())
    units = units.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else units.cast(kind)
    table = pa.table({"x": LARGE["x"].to_numpy(), "t": array(TEXTS, kind), "u": units})
    assert outcome(MEAN, way, through(engine, table, tmp_path)) == outcome(MEAN, way, plain)


@of_type([pa.date32(), pa.timestamp("s"), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns")])
@every_engine
def test_dates_as_keys(engine, kind, tmp_path):
    way = Way({"missing": 1.5, "by": "d", "levels": [dt.date(2020, 2, 29), dt.date(2020, 3, 1)]})
    plain = LARGE.assign(d=np.where(GONE, None, np.array(DAYS, dtype=object)))
    table = pa.table({"x": LARGE["x"].to_numpy(), "d": array(DAYS, pa.date32()).cast(kind)})
    assert outcome(MEAN, way, through(engine, table, tmp_path)) == outcome(MEAN, way, plain)


@every_engine
def test_truth_values_as_numbers_and_keys(engine, tmp_path):
    truths = WHOLE > 2
    plain = pd.DataFrame({"x": truths, "k": pd.array(np.where(GONE, None, truths), dtype="boolean")})
    table = pa.table({"x": truths, "k": array(truths.tolist(), pa.bool_())})
    for levels in ([True, False], [0, 1], [True]):
        way = Way({"missing": 0.0, "by": "k", "levels": levels})
        data = through(engine, table, tmp_path)
        assert outcome(MEAN, way, data) == outcome(MEAN, way, plain), levels


FLAVORS = {
    "object": lambda texts: pd.Series(texts, dtype=object),
    "str": lambda texts: pd.Series(texts, dtype="str"),
    "string": lambda texts: pd.Series(texts, dtype="string"),
    "string[pyarrow]": lambda texts: pd.Series(texts, dtype="string[pyarrow]"),
    "ArrowDtype": lambda texts: pd.Series(texts, dtype=pd.ArrowDtype(pa.string())),
    "category": lambda texts: pd.Series(texts, dtype="category"),
    "NA": lambda texts: pd.Series([pd.NA if text is None else text for text in texts], dtype=object),
    "NaN": lambda texts: pd.Series([np.nan if text is None else text for text in texts], dtype=object),
}


@pytest.mark.parametrize("flavor", FLAVORS)
@pytest.mark.parametrize("holder", ["memory", "dask", "iterator"])
def test_texts_of_pandas_s_types(holder, flavor):
    way = Way({"missing": 1.5, "by": "t", "levels": ["south", "Ω"], "unit": "u", "max_records": 3})
    texts = np.where(GONE, None, TEXTS)
    plain = LARGE.assign(t=pd.Series(texts, dtype=object), u=UNITS)
    data = plain.assign(t=FLAVORS[flavor](texts))
    if holder == "dask":
        data = pytest.importorskip("dask.dataframe").from_pandas(data, npartitions=3)
    elif holder == "iterator":
        data = iter([data[:100], data[100:]])
    assert outcome(MEAN, way, data) == outcome(MEAN, way, plain)


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("flavor", ["String", "Categorical", "Enum"])
def test_texts_of_polars_s_types(flavor, lazy):
    pl = pytest.importorskip("polars")
    way = Way({"missing": 1.5, "by": "t", "levels": ["south", "Ω"], "unit": "u", "max_records": 3})
    texts = np.where(GONE, None, TEXTS).tolist()
    kind = pl.Enum(sorted(set(TEXTS))) if flavor == "Enum" else getattr(pl, flavor)
    frame = pl.DataFrame({"x": WHOLE.astype(float), "t": pl.Series(texts, dtype=kind), "u": UNITS})
    plain = LARGE.assign(t=texts, u=UNITS)
    assert outcome(MEAN, way, frame.lazy() if lazy else frame) == outcome(MEAN, way, plain)


@pytest.mark.parametrize("missing", [np.nan, None, pd.NA])
@pytest.mark.parametrize("holder", ["memory", "dask", "iterator", "dict"])
def test_whatever_is_missing_in_a_number_is_missing(holder, missing):
    values = [missing if gone else float(value) for value, gone in zip(WHOLE, GONE)]
    data = pd.DataFrame({"x": pd.Series(values, dtype="Float64" if missing is pd.NA else "float64")})
    plain = pd.DataFrame({"x": np.where(GONE, np.nan, WHOLE)})
    for options in ({"missing": "drop", "neighbors": "unbounded"}, {"missing": 2.5}):
        given = data
        if holder == "dask":
            given = pytest.importorskip("dask.dataframe").from_pandas(data, npartitions=3)
        elif holder == "iterator":
            given = iter([data[:100], data[100:]])
        elif holder == "dict":
            given = iter([{"x": values[:100]}, {"x": values[100:]}])
        assert outcome(MEAN, Way(options), given) == outcome(MEAN, Way(options), plain)


@every_engine
@pytest.mark.parametrize("name", STATISTICS)
def test_columns_with_odd_names(name, engine, tmp_path):
    statistic = STATISTICS[name]
    if name == "crosstab":
        pytest.skip("its levels have the names of its columns")
    renamed = {column: f"{column} 'a\"`. b" for column in statistic.columns}
    unit = None if statistic.unit is None else renamed[statistic.unit]
    statistic = statistic._replace(columns=tuple(renamed.values()), unit=unit)
    rule = {"missing": "drop", "neighbors": "unbounded"} if statistic.fill is None else {"missing": FILL}
    way = Way({**rule, "by": 'a "key".', "levels": [1, 2]})
    columns = {renamed[column]: releases.TABLE[column] for column in renamed}
    table = pa.table({**columns, 'a "key".': releases.TABLE["k"]})
    data = through(engine, table, tmp_path)
    assert outcome(statistic, way, data) == outcome(statistic, way, table.to_pandas())


@every_engine
def test_a_level_that_no_record_can_be_is_refused(engine, tmp_path):
    table = pa.table({"x": LARGE["x"].to_numpy(), "k": WHOLE})
    budget = dp.Budget(epsilon=1)
    with pytest.raises(PydpstatError, match="levels must be numbers"):
        dp.mean(through(engine, table, tmp_path), 1, bounds=(0, 1), by="k", levels=["a"], rng=1, budget=budget)
    assert not budget.entries
