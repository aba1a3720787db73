"""Rounding, categories, k-means, identifiers and isolated rows."""

from __future__ import annotations

import sys
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat import PydpstatError
from pydpstat.anonymity import (
    categorize,
    drop_unique_identifiers,
    find_isolated,
    k_anonymity,
    k_means,
    k_means_by_col,
    round_columns,
)
from pydpstat.errors import MissingExtraError
from tests.anonymity.plain import loans


@pytest.mark.slow
@given(st.lists(st.integers(-(2**60), 2**60), min_size=1, max_size=8), st.integers(1, 10_000))
def test_whole_numbers_are_rounded_exactly(values, unit):
    rounded = round_columns(pd.DataFrame({"x": values}), unit)["x"]
    exact = [int((Decimal(v) / unit).quantize(Decimal(1), ROUND_HALF_EVEN)) * unit for v in values]
    assert rounded.dtype == np.int64 and rounded.tolist() == exact


@pytest.mark.parametrize(
    "column, unit, expected, kind",
    [
        ([1234, 1500, 2500, -1500], 1000, [1000, 2000, 2000, -2000], "int64"),
        (np.array([126, 4], dtype=np.int8), 10, [130, 0], "int64"),
        (np.array([121, 4], dtype=np.int8), 10, [120, 0], "int8"),
        (np.array([17, 4], dtype=np.uint16), 5, [15, 5], "uint16"),
        (np.array([2**63 + 5], dtype=np.uint64), 2, [2.0**63], "float64"),
        ([1, 2], 0.5, [1.0, 2.0], "float64"),
        ([1.26, np.nan, 1.125], 0.25, [1.25, np.nan, 1.0], "float64"),
        (np.array([1.3], dtype=np.float32), 0.5, [1.5], "float32"),
        (pd.array([7, None], dtype="Int64"), 5, [5, None], "Int64"),
        (pd.array([7, None], dtype="Int64"), 0.5, [7.0, None], "Float64"),
    ],
)
def test_rounding(column, unit, expected, kind):
    df = pd.DataFrame({"x": column, "y": 1})
    result = round_columns(df, unit, ["x"])
    assert str(result["x"].dtype) == kind and (result["y"] == 1).all()
    pd.testing.assert_series_equal(result["x"], pd.Series(expected, name="x", dtype=kind))


def test_options_by_column():
    df = pd.DataFrame({"pay": [1234, 1777], "age": [31, 38], "name": ["a", "b"]})
    result = round_columns(df, {"pay": 1000, "age": 10})
    assert result.to_dict("list") == {"pay": [1000, 2000], "age": [30, 40], "name": ["a", "b"]}
    cut = categorize(df, {"age": [0, 35, 99]})
    assert cut["age"].astype(str).tolist() == ["(-0.001, 35.0]", "(35.0, 99.0]"] and cut["pay"].tolist() == [
        1234,
        1777,
    ]


def test_categories():
    df = pd.DataFrame({"x": [1.0, 2.0, 3.0, 10.0, np.nan]})
    equal = categorize(df, 3)["x"]
    assert equal.cat.ordered and equal.cat.codes.tolist() == [0, 0, 0, 2, -1]
    assert categorize(df, 2, quantiles=True)["x"].cat.codes.tolist() == [0, 0, 1, 1, -1]
    assert categorize(df, [1, 3, 10])["x"].cat.codes.tolist() == [0, 0, 0, 1, -1]
    assert categorize(df, [-np.inf, 2, np.inf])["x"].cat.codes.tolist() == [0, 0, 1, 1, -1]
    # missing values are a group of their own afterwards
    assert k_anonymity(categorize(df, [-np.inf, 2, np.inf]), return_sizes=True).tolist() == [2, 2, 1]


def test_identifiers():
    df = pd.DataFrame({"id": [7, 8, 9], "key": list("abc"), "age": [30, 30, 41], "pay": [1.5, 2.5, 3.5]})
    result = drop_unique_identifiers(df)
    assert list(result.columns) == ["age", "pay"] and df.columns[0] == "id"
    assert list(drop_unique_identifiers(df, ["pay", "age"]).columns) == ["id", "key", "age"]
    # a number that occurs twice is no identifier
    assert list(drop_unique_identifiers(pd.DataFrame({"id": [1, 1, 2]})).columns) == ["id"]
    with pytest.raises(PydpstatError, match="every column identifies its rows"):
        drop_unique_identifiers(df[["id", "key"]])


def test_isolated_rows():
    df = pd.DataFrame({"x": [1, 1, 9, 4, 4, 4, None]}, index=list("aabcdef"))
    alone = find_isolated(df)
    assert alone.tolist() == [False, False, True, False, False, False, True] and alone.dtype == bool
    assert alone.index.equals(df.index) and len(df[~alone]) == 5
    assert find_isolated(df, size=2).sum() == 4
    for size in (0, 1.5, "1", None, np.nan):
        with pytest.raises(PydpstatError, match="size must be"):
            find_isolated(df, size=size)


@pytest.mark.parametrize("function", [k_means, k_means_by_col])
def test_k_means(function):
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(1)
    df = pd.DataFrame({"a": np.repeat([0.0, 50.0, 100.0], 20), "b": np.repeat([7, -7, 7], 20)}) + rng.normal(
        size=(60, 2)
    )
    df["c"] = "text"
    before = df.copy(deep=True)
    result = function(df, 3, ["a", "b"])
    pd.testing.assert_frame_equal(df, before)
    pd.testing.assert_frame_equal(function(df, 3, ["a", "b"]), result)
    assert result["a"].nunique() == 3 and (result["c"] == "text").all()
    for part in (slice(0, 20), slice(20, 40), slice(40, 60)):
        assert np.allclose(result["a"].iloc[part], df["a"].iloc[part].mean())
    if function is k_means:
        assert k_anonymity(result) == 20
        assert (result.groupby("a")["b"].nunique() == 1).all()


def test_k_means_leaves_an_outlier_alone():
    """As in the text: it makes a cluster of its own, is found, and is dropped."""
    pytest.importorskip("sklearn")
    df = loans(1000)
    result = k_means(df, 8)
    assert k_anonymity(result) == 1
    alone = find_isolated(result)
    assert (df["AMT_INCOME_TOTAL"][alone] > 1e8).any()
    assert k_anonymity(k_means(df[~alone], 8)) > 1


def test_few_different_rows_stay():
    pytest.importorskip("sklearn")
    df = pd.DataFrame({"x": [1, 1, 5]})
    assert k_means(df, 3)["x"].tolist() == k_means_by_col(df, 3)["x"].tolist() == [1.0, 1.0, 5.0]
    assert k_means(df, 1)["x"].tolist() == [7 / 3] * 3
    big = pd.DataFrame({"x": [1e300, 1.1e300, -1e300, -1.1e300]})
    assert np.allclose(k_means(big, 2)["x"] / 1e300, [1.05, 1.05, -1.05, -1.05])


def test_k_means_far_from_zero():
    """Where floats are 2 apart, clusters are those of the distances."""
    pytest.importorskip("sklearn")
    offsets = np.array([0.0, 2.0, 6.0, 100.0])
    result = k_means(pd.DataFrame({"x": 2.0**53 + offsets}), 3)["x"] - 2.0**53
    assert result.iloc[2:].tolist() == [6.0, 100.0] and result[0] == result[1]


def test_standardized_k_means():
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(1)
    side = np.arange(200) % 2 == 0
    df = pd.DataFrame({"wide": rng.normal(0, 1e6, 200), "apart": side * 10.0})
    assert k_means(df, 2, standardize=True).groupby("apart")["apart"].size().tolist() == [100, 100]
    assert k_means(df, 2)["apart"].between(1, 9).all()


def test_without_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pydpstat\[anonymity\]'"):
        k_means(pd.DataFrame({"x": [1, 2]}), 1)


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda df: round_columns(df, 0), ["to must be a positive finite number"]),
        (lambda df: round_columns(df, "ten"), ["to must be"]),
        (lambda df: round_columns(df, {}), ["to must name at least one column"]),
        (lambda df: round_columns(df, {"y": 10}), ["to must name columns of df"]),
        (lambda df: round_columns(df, {"x": 10}, ["x"]), ["columns must be left out if to is a dict"]),
        (lambda df: round_columns(df.assign(s="t"), 10), ["numbers in column 's'"]),
        (lambda df: round_columns(df.assign(b=True), 10), ["numbers in column 'b'; got bool"]),
        (lambda df: categorize(df, 0), ["bins must be an integer of at least 1, or increasing edges"]),
        (lambda df: categorize(df, [3, 2]), ["bins must be"]),
        (lambda df: categorize(df, [0, 2, 1]), ["bins must be"]),
        (lambda df: categorize(df, [3]), ["bins must be"]),
        (lambda df: categorize(df, [np.nan, 2]), ["bins must be"]),
        (lambda df: categorize(df, "four"), ["bins must be"]),
        (lambda df: categorize(df, [0, 2]), ["cover all values of column 'x'", "-inf"]),
        (lambda df: categorize(df.assign(x=np.nan), 3), ["finite values in column 'x'"]),
        (lambda df: categorize(df, 3, quantiles=2j), ["quantiles must be"]),
        (lambda df: k_means(df, 0), ["n_clusters must be a whole number from 1"]),
        (lambda df: k_means(df, 4), ["number of rows, 3; got 4"]),
        (lambda df: k_means_by_col(df, 4), ["number of rows, 3; got 4"]),
        (lambda df: k_means(df, 2, random_state=-1), ["random_state must be"]),
        (lambda df: k_means(df, 2, random_state=None), ["random_state must be"]),
        (lambda df: k_means(df.assign(x=[1, None, 2]), 2), ["no missing values in column 'x'"]),
        (lambda df: k_means_by_col(df.assign(x=list("abc")), 2), ["numbers in column 'x'"]),
        (lambda df: k_means(df, 2, standardize="z"), ["standardize must be"]),
        (lambda df: find_isolated(df, "y"), ["columns must name columns of df"]),
        (lambda df: drop_unique_identifiers(df, "y"), ["columns must name columns of df"]),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(PydpstatError) as raised:
        call(pd.DataFrame({"x": [1, 2, 3]}))
    for word in words:
        assert word in str(raised.value)
