"""Factors and tables: labels, missing values, margins, and every way to number the values."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic import as_character, factor, table

GAPS = ["b", None, "c", "b", math.nan, "b"]


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (0.1 + 0.2, "0.3"), (1e5, "1e+05"), (100000, "100000"), (123456.0, "123456"),
        (1e-4, "1e-04"), (0.00012, "0.00012"), (1234567890123456789.0, "1234567890123456768"),
        (1 / 3, "0.333333333333333"), (-0.0, "0"), (math.inf, "Inf"), (-math.inf, "-Inf"),
        (math.nan, "NaN"), (True, "TRUE"), (np.False_, "FALSE"), (1e300, "1e+300"), (-2.5, "-2.5"),
        (4.46514851698730528317e-09, "4.4651485169873e-09"),
        (8.84254544849659487353e-11, "8.8425454484966e-11"),
        (1.098676605936205e-157, "1.0986766059362e-157"), ("a", "a"),
    ],
)  # fmt: skip
def test_labels_from_r(value, label):
    assert as_character(value) == label


def test_numbers_sort_by_value_and_equal_labels_merge():
    found = factor([10.0, 0.3, 0.1 + 0.2, 2.0])
    assert found.levels == ("0.3", "2", "10")
    assert found.codes.tolist() == [2, 0, 0, 1]
    assert factor([10, 9, 100]).levels == ("9", "10", "100")
    assert factor([True, False]).levels == ("FALSE", "TRUE")
    assert factor([1, "a", 2.5]).levels == ("1", "2.5", "a")


def test_missing_values_of_every_kind():
    for values in (GAPS, np.array(GAPS, dtype=object), pd.Series(GAPS), pd.array(GAPS, "string")):
        found = factor(values)
        assert found.levels == ("b", "c")
        assert found.codes.tolist() == [0, -1, 1, 0, -1, 0]
    assert factor([1, None, 2]).codes.tolist() == [0, -1, 1]
    assert factor(pd.array([1, None, 2], "Int64")).levels == ("1", "2")
    assert factor([1.5, math.nan]).codes.tolist() == [0, -1]
    assert factor(GAPS, exclude=None).levels == ("b", "c", None)
    assert factor(GAPS, exclude="b").levels == ("c", None)


def test_categories_keep_their_order():
    values = pd.Categorical(["x", "y", None, "x"], categories=["y", "unused", "x"])
    for given_values in (values, pd.Series(values)):
        assert table(given_values).dimnames == (("y", "unused", "x"),)
        assert table(given_values).counts.tolist() == [1, 0, 2]
        assert factor(given_values).levels == ("y", "x")
    assert factor(["a", "c"], levels=["c", "b"]).codes.tolist() == [-1, 0]
    assert len(factor(["a", "c"])) == 2


@pytest.mark.parametrize(
    ("arguments", "labels", "counts"),
    [
        ({}, ("b", "c"), [3, 1]),
        ({"useNA": "ifany"}, ("b", "c", None), [3, 1, 2]),
        ({"useNA": "always"}, ("b", "c", None), [3, 1, 2]),
        ({"exclude": None}, ("b", "c", None), [3, 1, 2]),
        ({"exclude": "b"}, ("c", None), [1, 2]),
        ({"exclude": [None, "b"]}, ("c",), [1]),
        ({"exclude": None, "useNA": "no"}, ("b", "c", None), [3, 1, 2]),
        ({"exclude": [None], "useNA": "always"}, ("b", "c", None), [3, 1, 0]),
    ],
)
def test_missing_rules_from_r(arguments, labels, counts):
    result = table(GAPS, **arguments)
    assert result.dimnames == (labels,)
    assert result.counts.tolist() == counts


def test_a_frame_names_its_axes():
    data = {"letter": ["a", "b", "a"], "number": [1, 1, 2]}
    for frame in (data, pd.DataFrame(data)):
        result = table(frame)
        assert result.names == ("letter", "number")
        assert result.counts.tolist() == [[1, 1], [1, 0]]
    assert table(data, dnn=("x", "y")).names == ("x", "y")
    assert table([1], dnn="x").names == ("x",)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(-3, 3), st.sampled_from("abc"), st.booleans()), min_size=1))
def test_margins(rows):
    first, second, third = zip(*rows)
    full = table(first, second, third)
    assert full.counts.sum() == len(rows)
    assert full.counts.sum(axis=(1, 2)).tolist() == table(first).counts.tolist()
    assert full.counts.sum(axis=(0, 2)).tolist() == table(second).counts.tolist()
    assert full.counts.sum(axis=2).tolist() == table(first, second).counts.tolist()
    assert full.names == ("", "", "")


def _check(values, plain):
    result = table(values)
    expected = Counter(plain)
    order = sorted(expected)
    assert result.dimnames == (tuple(as_character(v) for v in order),)
    assert result.counts.tolist() == [expected[v] for v in order]


@pytest.mark.slow
@pytest.mark.parametrize("distinct", [5, 500, 5000])
@pytest.mark.parametrize("width", [1, 2, 7])
def test_long_string_vectors(distinct, width):
    words = [f"{i:0{width}x}"[-width:] for i in range(distinct)]
    pick = np.random.default_rng(distinct).integers(0, distinct, 40_000)
    array = np.array(words)[pick]
    for values in (array, array[::2], array.astype(object), np.array(words, object)[pick],
                   array.tolist(), array.astype(array.dtype.newbyteorder())):  # fmt: skip
        _check(values, [str(v) for v in values])


@pytest.mark.parametrize("distinct", [5, 5000])
def test_long_number_vectors(distinct):
    pick = np.random.default_rng(distinct).integers(0, distinct, 40_000)
    for values in (pick, pick * 2**40, pick * 0.25, (pick % 200).astype(np.uint8),
                   (pick % 256 - 128).astype(np.int8), pick.astype(np.uint64) + 2**63,
                   pick % 2 == 0):  # fmt: skip
        _check(values, values.tolist())


@pytest.mark.parametrize(
    ("factors", "arguments", "message"),
    [
        ((), {}, "factors must be one or more vectors; got none"),
        (([1, 2], [1]), {}, "same length"),
        (([1],), {"useNA": "maybe"}, "useNA"),
        (([1],), {"dnn": ["a", "b"]}, "dnn"),
        ((range(50_000), range(50_000)), {}, "too large"),
        ((np.ones((2, 2)),), {}, "dimension"),
    ],
)
def test_what_is_refused(factors, arguments, message):
    with pytest.raises(PydpstatError, match=message):
        table(*factors, **arguments)


def test_empty_and_scalar():
    assert table([]).counts.shape == (0,)
    assert table("a").counts.tolist() == [1]
    assert table(2.5).dimnames == (("2.5",),)


@pytest.mark.parametrize(
    ("environment", "order"),
    [
        ({"LANG": "es_ES.UTF-8"}, ("_x", "10", "9", "a", "A", "b", "é", "É", "f", "non-USA", "USA")),
        ({"LANG": "C.UTF-8"}, ("_x", "10", "9", "a", "A", "b", "é", "É", "f", "non-USA", "USA")),
        (
            {"LANG": "es_ES.UTF-8", "LC_ALL": "C"},
            ("10", "9", "A", "USA", "_x", "a", "b", "f", "non-USA", "É", "é"),
        ),
        ({}, ("10", "9", "A", "USA", "_x", "a", "b", "f", "non-USA", "É", "é")),
    ],
)
def test_strings_sort_as_in_r_in_the_locale_of_the_environment(monkeypatch, environment, order):
    for name in ("LC_ALL", "LC_COLLATE", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert factor(sorted(order)).levels == order
