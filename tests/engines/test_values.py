"""What the values of each of Arrow's types mean, and which types are refused."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat import PydpstatError
from pydpstat._data.columns import read_booleans, read_numbers
from pydpstat._data.labels import encode_labels, get_value_kind
from pydpstat._data.native import to_pandas_or_numpy
from pydpstat._data.table import as_table

pa = pytest.importorskip("pyarrow")


def column_of(array):
    """Return an array of Arrow's as the column that a chunk has."""
    return as_table(pa.table({"a": array})).fold(lambda chunk: chunk.columns["a"], None)


def through(engine, array):
    """Return the same column by way of an engine."""
    table = pa.table({"a": array})
    if engine == "polars":
        table = pytest.importorskip("polars").from_arrow(table)
    elif engine == "lazy":
        table = pytest.importorskip("polars").from_arrow(table).lazy()
    elif engine == "duckdb":
        # the name is found by DuckDB among this function's variables
        table = pytest.importorskip("duckdb").from_arrow(table)
    return as_table(table).fold(lambda chunk: chunk.columns["a"], None)


ENGINES = ("arrow", "polars", "lazy", "duckdb")
DAY, OLD = dt.date(2020, 2, 29), dt.date(1066, 10, 14)
TIME = dt.datetime(2020, 2, 29, 12, 30)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64"])
def test_whole_numbers(engine, name):
    kind = getattr(pa, name)()
    assert through(engine, pa.array([1, 2], kind)).dtype.kind in "iu"
    column = through(engine, pa.array([1, None, 3], kind))
    np.testing.assert_array_equal(column, [1, np.nan, 3])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("gone", [[], [None]])
def test_whole_numbers_that_no_float_has(engine, gone):
    large = 2**53 + 1
    column = through(engine, pa.array([large, *gone], pa.int64()))
    # as pandas' nullable integers: rounded as numbers, exact as labels
    assert float(read_numbers(column).arrays[0][0]) == float(large)
    assert encode_labels(column, [large - 1, large]).tolist() == [1, *(-1 for _ in gone)]


@pytest.mark.parametrize("engine", ENGINES)
def test_floats_and_both_ways_to_be_missing(engine):
    column = through(engine, pa.array([0.5, None, float("nan"), float("inf")]))
    np.testing.assert_array_equal(column, [0.5, np.nan, np.nan, np.inf])
    assert through(engine, pa.array([0.1, None], pa.float32())).dtype == np.float32


@pytest.mark.parametrize("engine", ENGINES)
def test_truth_values(engine):
    column = through(engine, pa.array([True, None, False]))
    truths = read_booleans(column)
    assert truths.arrays[0].tolist() == [True, False, False]
    assert truths.missing[0].tolist() == [False, True, False]
    assert through(engine, pa.array([True, False])).dtype == bool


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary"])
def test_texts(engine, kind):
    array = pa.array(["b", None, "", "b"])
    array = array.dictionary_encode() if kind == "dictionary" else array.cast(getattr(pa, kind)())
    column = through(engine, array)
    assert isinstance(column, pd.Categorical) and get_value_kind(column) == "texts"
    assert encode_labels(column, ["", "b", 1]).tolist() == [1, -1, 0, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_dates_and_times(engine):
    assert encode_labels(through(engine, pa.array([DAY, None, OLD])), [OLD, DAY]).tolist() == [1, -1, 0]
    assert encode_labels(through(engine, pa.array([TIME, None])), [TIME]).tolist() == [0, -1]
    zoned = pa.array([TIME, None], pa.timestamp("us", "Europe/Berlin"))
    column = through(engine, zoned)
    assert get_value_kind(column) == "zoned"
    assert encode_labels(column, [TIME.replace(tzinfo=dt.UTC), TIME]).tolist() == [0, -1]


@pytest.mark.parametrize("engine", ["arrow", "polars", "lazy"])
def test_durations(engine):
    column = through(engine, pa.array([dt.timedelta(hours=1), None]))
    assert column.dtype.kind == "m"
    assert encode_labels(column, [dt.timedelta(hours=1)]).tolist() == [0, -1]


@pytest.mark.parametrize("engine", ENGINES)
def test_decimals(engine):
    column = through(engine, pa.array([Decimal("1.50"), None]))
    np.testing.assert_array_equal(read_numbers(column).arrays[0], [1.5, np.nan])
    assert encode_labels(column, [1.5, Decimal("1.5")]).tolist()[1] == -1


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_every_unit_of_time(unit):
    assert column_of(pa.array([1, None]).cast(pa.timestamp(unit))).dtype == f"M8[{unit}]"
    assert column_of(pa.array([1, None]).cast(pa.duration(unit))).dtype == f"m8[{unit}]"


@pytest.mark.parametrize(
    "labels, codes, found",
    [
        (["a", "a", "b"], [0, 1, 2, None], [0, 0, 1, -1]),
        (["a", None], [0, 1, None], [0, -1, -1]),
        (["b"] + [str(place) for place in range(3000)], [0, 5], [1, 2]),
    ],
    ids=["twice", "missing", "many"],
)
def test_odd_dictionaries(labels, codes, found):
    array = pa.DictionaryArray.from_arrays(pa.array(codes, pa.uint16()), pa.array(labels))
    assert encode_labels(column_of(array), ["a", "b"]).tolist() == found


def test_a_dictionary_of_numbers_is_numbers():
    array = pa.array([3, None, 3]).dictionary_encode()
    np.testing.assert_array_equal(column_of(array), [3, np.nan, 3])


def test_dictionaries_that_differ_from_batch_to_batch():
    batches = [pa.RecordBatch.from_pydict({"a": pa.array([text, "c"]).dictionary_encode()}) for text in "ab"]
    column = as_table(pa.Table.from_batches(batches)).fold(lambda chunk: chunk.columns["a"], None)
    assert list(column) == ["a", "c", "b", "c"]


def test_only_missing_values():
    column = column_of(pa.nulls(2))
    assert np.isnan(read_numbers(column).arrays[0]).all()
    assert encode_labels(column, ["a"]).tolist() == [-1, -1]


def test_views_of_texts():
    if not hasattr(pa, "string_view"):
        pytest.skip("views came with pyarrow 16")
    assert list(column_of(pa.array(["a", "b", "a"], pa.string_view()))) == ["a", "b", "a"]


def test_numbers_are_not_copied():
    array = pa.array(np.arange(1000.0))
    column = column_of(array)
    assert column.__array_interface__["data"][0] == array.buffers()[1].address


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "array, kind",
    [
        (pa.array([[1]]), "list"),
        (pa.array([{"b": 1}]), "struct"),
        (pa.array([b"a"]), "binary"),
        (pa.array([dt.time(1)]), "time64"),
    ],
    ids=["list", "struct", "binary", "time"],
)
def test_types_without_a_meaning_are_named(engine, array, kind):
    with pytest.raises(PydpstatError, match=f"column 'a' of type .*{kind}.*Convert it first"):
        through(engine, array)


def test_a_type_is_refused_before_any_record_is_read_and_only_where_it_is_chosen():
    table = as_table(pa.table({"a": pa.array([], pa.list_(pa.int8())), "b": [None][:0]}))
    assert table.select_columns(["b"]).make_empty_chunk().size == 0
    with pytest.raises(PydpstatError, match="column 'a' of type list"):
        table.make_empty_chunk()


@pytest.mark.parametrize(
    "table, message",
    [
        (lambda: pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), "two columns 'a'"),
        (lambda: pa.table({}), "at least one column; got none"),
        (lambda: pytest.importorskip("polars").DataFrame(), "at least one column"),
        (lambda: pytest.importorskip("duckdb").sql("select 1 as a, 2 as a"), "two columns 'a'"),
    ],
)
def test_names_that_cannot_be(table, message):
    with pytest.raises(PydpstatError, match=message):
        as_table(table())


def test_a_name_may_have_any_letter():
    name = 'a "b".`c` d'
    for engine in ENGINES:
        table = pa.table({name: [1, 2]})
        if engine in ("polars", "lazy"):
            table = pytest.importorskip("polars").from_arrow(table)
            table = table.lazy() if engine == "lazy" else table
        if engine == "duckdb":
            table = pytest.importorskip("duckdb").from_arrow(table)
        assert as_table(table).select_columns([name]).fold(lambda chunk: list(chunk.columns[name]), None) == [1, 2]


def test_a_series_of_polars_is_one_variable_with_its_name():
    pl = pytest.importorskip("polars")
    data = pl.Series("age", [1.5, None])
    assert as_table(data) is None
    column = to_pandas_or_numpy(data)
    assert column.name == "age"
    np.testing.assert_array_equal(column, [1.5, np.nan])
    assert to_pandas_or_numpy(data.alias("")).name is None
    with pytest.raises(PydpstatError, match="^x must have columns of numbers.*of type large_list"):
        to_pandas_or_numpy(pl.Series([[1]]), "x")


@pytest.mark.parametrize("array", [pa.array([1, None]), pa.chunked_array([[1], [None]], pa.int64())])
def test_arrays_of_arrow_are_variables(array):
    assert as_table(array) is None
    np.testing.assert_array_equal(to_pandas_or_numpy(array), [1, np.nan])


@pytest.mark.parametrize("size", [1, 100])
@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary", "chunks", "polars", "categories"])
def test_texts_of_a_variable_are_no_public_categories(kind, size):
    array = pa.array(["b", None, "", "b"] * size)
    match kind:
        case "large_string":
            array = array.cast(pa.large_string())
        case "dictionary":
            array = array.dictionary_encode()
        case "chunks":
            array = pa.chunked_array([array[:2].dictionary_encode(), array[2:].dictionary_encode()])
        case "polars" | "categories":
            pl = pytest.importorskip("polars")
            array = pl.Series(array, dtype=pl.Categorical if kind == "categories" else pl.String)
    column = to_pandas_or_numpy(array)
    assert get_value_kind(column) == "texts"
    assert encode_labels(column, ["", "b", 1]).tolist() == [1, -1, 0, 1] * size
    with pytest.raises(PydpstatError, match="needs every variable to be a Categorical"):
        dp.crosstab(array, 1.0, levels="declared")
    with pytest.raises(PydpstatError, match="must be numbers or truth values; got texts"):
        read_numbers(array)
