"""Data that come as an iterator: which chunks there may be, what they mean, and that none is lost."""

import operator
import pickle

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat import PydpstatError
from pydpstat._data.chunks import CHUNK, Chunk, concatenate_chunks, make_integer_column
from pydpstat._data.columns import Placeholder, read_booleans, read_numbers
from pydpstat._data.labels import encode_labels
from pydpstat._data.table import as_table
from pydpstat._data.values import is_missing


def size(chunk):
    return chunk.size


def lists(chunk):
    return {name: list(column) for name, column in chunk.columns.items()}


def read(*pieces):
    """Return the columns of an iterator's chunks as lists."""

    def merge(one, other):
        return {name: one[name] + other[name] for name in one}

    return as_table(piece for piece in pieces).fold(lists, merge)


@pytest.mark.parametrize(
    "data",
    [
        np.ones(3),
        np.ma.masked_array([1, 2], [True, False]),
        pd.Series([1]),
        pd.DataFrame({"a": [1]}),
        pd.Index([1]),
        pd.Categorical(["a"]),
        [1, 2],
        (1, 2),
        range(3),
        {"a": [1]},
        Placeholder(3),
        "text",
        None,
        1.5,
    ],
    ids=lambda data: type(data).__name__,
)
def test_what_is_in_memory_is_no_table(data):
    assert as_table(data) is None


@pytest.mark.parametrize(
    "piece, columns",
    [
        (pd.DataFrame({"a": [1, 2], "b": [0.5, None]}), {"a": [1, 2], "b": [0.5, None]}),
        ({"a": [1, 2], "b": np.array([True, False])}, {"a": [1, 2], "b": [True, False]}),
        (pd.Series([1, 2], name="a"), {"a": [1, 2]}),
        (pd.Series([1, 2]), {"": [1, 2]}),
        (np.array([1.5, 2]), {"": [1.5, 2]}),
        (np.array([[1, 2], [3, 4]]), {"0": [1, 3], "1": [2, 4]}),
        ([1, None], {"": [1, None]}),
        ({"a": np.ma.masked_array([1, 2], [False, True])}, {"a": [1, None]}),
        ({"a": np.ma.masked_array([True, True], [False, True])}, {"a": [True, None]}),
        ({"a": ["x", None]}, {"a": ["x", None]}),
        ({"a": np.array(["x", "y"])}, {"a": ["x", "y"]}),
    ],
)
def test_chunks_may_be_of_many_kinds(piece, columns):
    found = read(piece)
    assert list(found) == list(columns)
    for name, values in columns.items():
        # NaN is unequal to itself
        assert [None if is_missing(value) else value for value in found[name]] == values


@pytest.mark.parametrize(
    "series, values",
    [
        (pd.Series([1, None], dtype="Int64"), [1.0, None]),
        (pd.Series([1, 2], dtype="Int64"), [1, 2]),
        (pd.Series([0.5, None], dtype="Float32"), [0.5, None]),
        (pd.Series([True, None], dtype="boolean"), [1, None]),
        (pd.Series(pd.arrays.SparseArray([0, 1])), [0, 1]),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_numbers_of_pandas_mean_what_they_mean_in_a_frame(series, values):
    column = as_table(iter([{"a": series}])).fold(lambda chunk: chunk.columns["a"], None)
    expected = [np.nan if value is None else value for value in values]
    np.testing.assert_array_equal(read_numbers(column).arrays[0], expected)
    np.testing.assert_array_equal(read_numbers(series).arrays[0], expected)


def test_texts_become_codes_and_the_missing_one_is_missing():
    column = as_table(iter([{"a": pd.Series(["x", None, "y", "x"], dtype="string")}])).fold(
        lambda chunk: chunk.columns["a"], None
    )
    assert encode_labels(column, ["y", "x"]).tolist() == [1, -1, 0, 1]


def test_truth_values_with_a_missing_one_are_read_as_such():
    column = as_table(iter([{"a": pd.array([True, None, False], dtype="boolean")}])).fold(
        lambda chunk: chunk.columns["a"], None
    )
    truths = read_booleans(column)
    assert truths.arrays[0].tolist() == [True, False, False]
    assert truths.missing[0].tolist() == [False, True, False]


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_a_large_number_is_read_alike_beside_a_missing_one_and_without(kind):
    large = 2**53 + 1
    values, gone = np.array([large, 3], dtype=kind), np.array([False, True])
    alone = read_numbers(make_integer_column(values, None)).arrays[0]
    beside = read_numbers(make_integer_column(values, gone)).arrays[0]
    assert float(alone[0]) == float(beside[0]) == float(large)
    assert np.isnan(beside[1])
    # as a label it keeps its last digit, but for pandas before 2, which has unsigned ones as floats there
    assert kind is np.uint64 or encode_labels(make_integer_column(values, gone), [large - 1, large]).tolist() == [1, -1]


def test_numbers_up_to_the_limit_stay_as_they_are():
    values = np.array([2**53, -(2**53)])
    assert make_integer_column(values, None) is values
    assert make_integer_column(values, np.array([True, False])).tolist()[1] == -(2**53)
    for beyond in (2**53 + 1, -(2**53) - 1):
        assert int(make_integer_column(np.array([0, beyond]), np.array([True, False]))[1]) == beyond


def test_large_chunks_are_cut():
    sizes = as_table(iter([np.arange(2 * CHUNK + 5)])).fold(lambda chunk: [chunk.size], operator.add)
    assert sizes == [CHUNK, CHUNK, 5]


def test_units_are_together():
    pieces = [{"u": ["a", "b"], "x": [1, 2]}, {"u": ["b", None], "x": [3.5, 4]}]
    chunk = as_table(iter(pieces)).fold(lambda chunk: chunk, None, unit="u")
    assert chunk.size == 4
    assert list(chunk.columns["x"]) == [1, 2, 3.5, 4]


@pytest.mark.parametrize(
    "first, second, expected",
    [
        (np.array([1]), np.array([2.5]), [1, 2.5]),
        (pd.Categorical(["a"]), pd.Categorical(["b"]), ["a", "b"]),
        (np.array([1]), pd.array([2**60], dtype="Int64"), [1, 2**60]),
        (np.array([True]), np.array([None], dtype=object), [True, None]),
        (pd.DatetimeIndex(["2020"], tz="UTC"), pd.DatetimeIndex(["2021"], tz="UTC"), [2020, 2021]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_columns_of_two_chunks_are_joined(first, second, expected):
    found = concatenate_chunks([Chunk({"a": first}, 1), Chunk({"a": second}, 1)]).columns["a"]
    assert [getattr(value, "year", value) for value in found] == expected


def test_the_first_chunk_is_only_looked_at():
    made = []

    def pieces():
        for number in range(3):
            made.append(number)
            yield np.array([number])

    table = as_table(pieces())
    assert table.make_empty_chunk().columns[""].dtype.kind == "i"
    assert (table.names, table.make_empty_chunk().size, table.count_records(), made) == (("",), 0, None, [0])
    assert table.fold(size, operator.add) == 3


@pytest.mark.parametrize("wrap", [iter, lambda pieces: (each for each in pieces), lambda p: map(np.array, p)])
def test_an_iterator_is_read_whole_by_the_second_call_where_the_first_one_ended_early(wrap):
    source = wrap([[1, 2], [3]])
    as_table(source).make_empty_chunk()
    assert as_table(source).fold(size, operator.add) == 3
    with pytest.raises(PydpstatError, match="used up"):
        as_table(source)


@pytest.mark.parametrize("wrap", [iter, lambda pieces: (each for each in pieces), lambda p: map(np.array, p)])
def test_an_iterator_cannot_be_read_again_after_an_error_on_the_way(wrap):
    # the pieces that are left are not taken for all of them
    source = wrap([np.array([1]), np.array(["a"]), np.array([2])])
    with pytest.raises(PydpstatError, match=r"column '' of chunk 2: texts.*numbers.*used up"):
        as_table(source).fold(size, operator.add)
    with pytest.raises(PydpstatError, match="is used up. Create it again for every call"):
        as_table(source).fold(size, operator.add)


@pytest.mark.parametrize(
    "second, message",
    [
        ({"a": [1]}, r"the columns of chunk 2: \['a'\].*\['a', 'b'\]"),
        ({"a": [1], "c": [1]}, r"the columns of chunk 2"),
        ({"a": pd.Series(["x"], dtype="string"), "b": [1]}, r"column 'a' of chunk 2: texts.*numbers"),
        ({"a": np.array(["2020"], dtype="M8[D]"), "b": [1]}, r"column 'a' of chunk 2: dates or times"),
        ({"a": np.array([1, 2]), "b": [1]}, r"have the same length; they differ in chunk 2"),
        (np.ones((1, 3)), r"the columns of chunk 2"),
        ("text", r"got str as chunk 2"),
        (None, r"got NoneType as chunk 2"),
    ],
)
def test_a_chunk_that_differs_is_named(second, message):
    with pytest.raises(PydpstatError, match=message):
        as_table(iter([{"a": np.array([1]), "b": [1]}, second])).fold(size, operator.add)


@pytest.mark.parametrize("last", [None, 4, True, np.float32(4), float("nan")])
def test_a_record_of_a_list_may_be_of_any_kind(last):
    # an error would tell of one record
    value = 0 if last is None or last != last else float(last)
    chunks = [[[1.0, 2.0], [3.0, last]], [[1.0, last], [2.0, 3.0]], [np.array([1.0, 2.0]), [3.0, last]]]
    for each in chunks:
        found = dp.mean(iter(each), epsilon=1e9, bounds=(0, 5), missing=0, rng=1).value
        assert found == pytest.approx((6.0 + value) / 4.0, abs=1e-6)
    people = ({"y": [1.0, 1.0], "u": ids} for ids in ([1, 2], [1, "2"], [2.0, "3"]))
    counted = dp.sum(people, bounds=(0, 1), unit="u", max_records=1, epsilon=1e9, rng=1).value
    assert counted == pytest.approx(4.0, abs=1e-6)


def test_a_chunk_may_have_other_widths_and_another_order():
    first = {"a": np.array([1], dtype="i1"), "b": np.array(["x"])}
    second = {"b": np.array(["y"]), "a": np.array([2.5], dtype="f4")}
    assert read(first, second) == {"a": [1, 2.5], "b": ["x", "y"]}


@pytest.mark.parametrize(
    "piece, message",
    [
        (pd.DataFrame({1: [1]}), r"names are strings; got the name 1 of type int"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), r"two columns 'a'"),
        (pd.DataFrame(index=[1, 2]), r"at least one column"),
        ({"a": np.array([1j])}, r"column 'a' of type complex128"),
        ({"a": np.array([b"x"])}, r"column 'a' of type \|S1"),
        ({"a": np.ones((2, 2))}, r"column 'a' of type array of 2 dimensions"),
        ({"a": pd.Series(pd.period_range("2020", periods=1, freq="D"))}, r"column 'a' of type period"),
    ],
)
def test_columns_that_cannot_be_are_named(piece, message):
    with pytest.raises(PydpstatError, match=message):
        as_table(iter([piece])).make_empty_chunk()


def test_an_iterator_without_chunks_is_an_error():
    with pytest.raises(PydpstatError, match="without any, which is empty or used up"):
        as_table(iter([]))


def test_chunks_without_records_are_no_records():
    assert as_table(iter([{"a": np.empty(0)}, {"a": np.empty(0)}])).fold(size, operator.add) == 0


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(PydpstatError, match=r"a column 'agee'; got the columns .*'age'"):
        as_table(iter([{"age": [1]}])).select_columns(["agee"])


def test_only_the_selected_columns_are_looked_into():
    table = as_table(iter([{"a": [1], "b": np.array([1j])}])).select_columns(["a"])
    assert list(table.make_empty_chunk().columns) == ["a"]
    assert table.fold(lists, None) == {"a": [1]}


def test_an_error_of_the_iterator_is_its_own_and_ours_stay_ours():
    def broken():
        yield [1]
        raise OSError("the disk")

    with pytest.raises(PydpstatError, match=r"engine failed \(the iterator: OSError\)") as caught:
        as_table(broken()).fold(size, operator.add)
    assert isinstance(caught.value.__cause__, OSError)

    def partial(chunk):
        raise PydpstatError("ours")

    with pytest.raises(PydpstatError, match="^ours$"):
        as_table(iter([[1]])).fold(partial, operator.add)


def test_a_chunk_shows_no_values_and_can_be_pickled():
    chunk = as_table(iter([{"a": [43.25], "t": np.array(["Smith"])}])).fold(lambda chunk: chunk, None)
    assert repr(chunk) == "Chunk(values withheld)"
    assert pickle.loads(pickle.dumps(chunk)).size == 1


def test_masked_integers_beyond_floats_are_read_as_others_are():
    for last in (7, 2**63 - 1):
        groups = np.ma.masked_array(np.array([1, 2, 2, 1, last]), [False, False, True, False, False])
        chunks = iter([{"g": groups, "x": np.ones(5)}])
        how = {"by": "g", "levels": [1, 2], "neighbors": "unbounded", "missing": "drop", "rng": 1}
        assert np.abs(dp.sum(chunks, 1e6, bounds=(0, 1), **how).value - [2, 1, 1]).max() < 0.01
