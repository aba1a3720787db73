"""Which label a value is depends on this value and the column's type alone."""

import datetime
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from pydpstat._data.labels import encode_labels, get_value_kind, has_equal_labels, is_label_of_kind

SIGNALLING = Decimal("sNaN")
UNHASHABLE = ([1], {"a": 1}, {1}, (1, [2]), SIGNALLING, np.zeros(2))


class Raises:
    """An object that cannot even be looked up."""

    def __hash__(self):
        raise ZeroDivisionError

    def __eq__(self, other):
        raise ZeroDivisionError


@pytest.mark.parametrize("odd", [*UNHASHABLE, Raises()], ids=lambda odd: type(odd).__name__)
def test_one_odd_value_moves_no_other(odd):
    values = ["b", "a", None, odd, "c", "b"]
    expected = [1, 0, -1, -1 if odd is SIGNALLING else 2, 2, 1]
    assert encode_labels(values, ["a", "b"]).tolist() == expected


NANS = [float("nan"), np.float32("nan"), Decimal("NaN"), SIGNALLING]
MISSING = [None, pd.NA, pd.NaT, np.datetime64("NaT"), *NANS]


@pytest.mark.parametrize("value", MISSING, ids=repr)
def test_what_is_missing_is_no_label(value, capfd):
    assert encode_labels([value, "a"], ["a"]).tolist() == [-1, 0]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", ["i1", ">i4", "u8", "f2", ">f8", "g"])
def test_numbers_are_found_in_every_type(kind):
    values = np.array([0, 1, 2, 1, 100]).astype(kind)
    assert encode_labels(values, [2, 1]).tolist() == [2, 1, 0, 1, 2]
    assert encode_labels(values, [2.0, Fraction(1), Decimal(0)]).tolist() == [2, 1, 0, 1, 3]
    # no value of the type can be these
    never = 0.25 if np.dtype(kind).kind in "iu" else 1e300
    assert encode_labels(values, [2**200, -(2**200), never]).tolist() == [3] * 5


def test_numbers_are_compared_as_the_column_has_them():
    assert encode_labels(np.array([0.1, 0.2], dtype=np.float32), [0.2, 0.1]).tolist() == [1, 0]
    assert encode_labels(np.array([0.1 + 0.2]), [0.3]).tolist() == [1]
    large = np.array([2**63 - 1, 2**63 - 2, -(2**63)])
    assert encode_labels(large, [2**63 - 2, -(2**63)]).tolist() == [2, 0, 1]
    assert encode_labels(np.array([2**64 - 1, 1], dtype=np.uint64), [2**64 - 1, -1]).tolist() == [0, 2]
    assert encode_labels(np.array([-0.0, np.inf, -np.inf, np.nan]), [0, np.inf]).tolist() == [0, 1, 2, -1]
    # a whole number beyond all floats is not infinity
    assert encode_labels(np.array([np.inf, -np.inf]), [10**400, -(10**400)]).tolist() == [2, 2]
    assert encode_labels(np.array([np.inf], "f2"), [70_000, Decimal("Infinity")]).tolist() == [1]


@pytest.mark.parametrize("unit", ["D", "s", "ns", "Y"])
def test_dates_and_times_are_found_in_their_own_unit(unit):
    values = np.array(["2020-01-01", "2021-01-01", "NaT", "1999-01-01"], dtype=f"M8[{unit}]")
    labels = [pd.Timestamp("2021-01-01"), datetime.date(2020, 1, 1), np.datetime64("1970-01-01T12")]
    assert encode_labels(values, labels).tolist() == [1, 0, -1, 3]
    assert encode_labels(pd.Series(values), [datetime.datetime(2020, 1, 1)]).tolist() == [0, 1, -1, 1]


@pytest.mark.parametrize(
    ("labels", "is_same"),
    [
        ([np.datetime64("2020-01-01"), np.datetime64("2020-01-01T00", "h")], True),
        ([datetime.date(2020, 1, 1), np.datetime64("2020-01-01T00:00")], True),
        ([datetime.date(2020, 1, 1), np.datetime64("2020-01-01T01:00")], False),
        # texts are not read as times
        (["2020-01-01", "2020-01-01T00:00"], False),
        ([1, "1970-01-02"], False),
    ],
)
def test_times_are_the_same_label_by_their_moment(labels, is_same):
    assert has_equal_labels(labels) == is_same


def test_a_time_beyond_nanoseconds_is_not_taken_for_another():
    # 2^64 nanoseconds apart
    near, far = np.datetime64("2084-07-20T23:34:33.709551616"), np.datetime64("1500-01-01")
    assert encode_labels(np.array([near]).astype("M8[ns]"), [far]).tolist() == [1]
    assert encode_labels(np.array([far], dtype="M8[D]"), [far, near]).tolist() == [0]


def test_times_with_a_zone():
    values = pd.Series(pd.date_range("2020-01-01", periods=2, freq="36h", tz="Europe/Berlin"))
    same = datetime.datetime(2019, 12, 31, 23, tzinfo=datetime.UTC)
    assert encode_labels(values, [values[1], same]).tolist() == [1, 0]
    assert not is_label_of_kind(pd.Timestamp("2020-01-01"), get_value_kind(values)) and is_label_of_kind(
        same, get_value_kind(values)
    )


def test_pandas_types():
    whole = pd.Series([1, None, 3], dtype="Int64")
    assert encode_labels(whole, [3, 1]).tolist() == [1, -1, 0]
    assert encode_labels(pd.Series([1.5, None], dtype="Float32"), [1.5]).tolist() == [0, -1]
    assert encode_labels(pd.Series([True, None, False], dtype="boolean"), [False, True]).tolist() == [
        1,
        -1,
        0,
    ]
    assert encode_labels(pd.Series(["a", None, "c"], dtype="string"), ["c", "a"]).tolist() == [1, -1, 0]
    assert encode_labels(pd.Series([0.0, 2.0], dtype="Sparse[float]"), [2]).tolist() == [1, 0]
    assert encode_labels(pd.Categorical(["a", None, "b"]), ["b"]).tolist() == [1, -1, 0]
    assert encode_labels(pd.Series(pd.Categorical([3, 1])), [1]).tolist() == [1, 0]
    months = pd.Series(pd.period_range("2020-01", periods=2, freq="M"))
    assert encode_labels(months, [pd.Period("2020-02", "M")]).tolist() == [1, 0]


def test_every_byte_of_a_truth_value_but_0_is_true():
    truth = np.array([255, 0, 2, 1], dtype=np.uint8).view(np.bool_)
    assert encode_labels(truth, [False, True]).tolist() == [1, 0, 1, 1]
    assert encode_labels(truth, [0, 255]).tolist() == [2, 0, 2, 2]


@pytest.mark.parametrize("label", [np.float64(2.0**63), 10**400, math.inf])
def test_a_label_beyond_an_integers_type_is_no_value_of_it(label):
    assert encode_labels(np.array([1, 2**63 - 1]), [label, 1]).tolist() == [1, 2]


class Raising(float):
    """A number that tells something of itself when it is compared."""

    __hash__ = float.__hash__

    def __ne__(self, other):
        raise ValueError("private")

    __eq__ = __ne__


def test_what_raises_when_it_is_compared_is_another_value():
    assert encode_labels([Raising(3), 1, None], [1, 2]).tolist() == [2, 0, -1]


@pytest.mark.parametrize("labels", [["b", "a"], ["a"], ["a", "b", "c"]])
def test_categories_are_found_by_their_names(labels):
    column = pd.Categorical(["b", None, "a", "b"], categories=["a", "b"])
    found = encode_labels(column, labels)
    assert found.tolist() == encode_labels(["b", None, "a", "b"], labels).tolist()
    # codes are the column's own
    found[:] = 0
    assert column.codes.tolist() == [1, -1, 0, 1]


def test_more_labels_than_two_bytes_can_number():
    labels = list(range(40_000))
    column = pd.Categorical([39_999, 32_767, 5, None, -7])
    assert encode_labels(column, labels).tolist() == [39_999, 32_767, 5, -1, 40_000]


@pytest.mark.parametrize("size", [1, 128, 129])
def test_few_texts_are_found_as_many_are(size):
    values = pd.Series([None, *map(str, range(size - 1))], dtype="string")
    labels = ["0", "100", "none"]
    assert encode_labels(values, labels).tolist() == encode_labels(values.tolist(), labels).tolist()
