"""Microaggregation of frames: k-anonymity, dtypes, what stays, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pydpstat import PydpstatError
from pydpstat.anonymity import k_anonymity, microaggregation
from pydpstat.anonymity._groups import compute_group_means, scale_to_safe_range, standardize_columns
from pydpstat.anonymity.aggregation import group_rows
from tests.anonymity.plain import as_partition, frame, loans, plain_mdav, tables

METHODS = ["mdav", "fast"]


@pytest.mark.slow
@given(tables(), st.integers(1, 15), st.sampled_from(METHODS), st.booleans())
@example(np.full((7, 2), 0.1), 3, "mdav", True)
def test_the_result_is_k_anonymous(table, k, method, standardize):
    k = min(k, len(table))
    df = frame(table)
    result = microaggregation(df, k, method, standardize)
    assert k_anonymity(result) >= k
    # a mean lies within its group, so within its column
    assert (result.min() >= df.min()).all() and (result.max() <= df.max()).all()
    total = np.abs(table).sum(axis=0) + 1e-300
    assert (np.abs(result.to_numpy().sum(axis=0) - table.sum(axis=0)) <= 1e-12 * total).all()


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_every_k(method):
    df = loans(61)
    for k in range(1, 62):
        result = microaggregation(df, k, method)
        assert k_anonymity(result) >= k
    assert (result == df.mean().to_numpy()).to_numpy().all() or np.allclose(result, df.mean())


def test_rows_become_the_means_of_the_plain_groups():
    df = loans(150)
    expected = df.astype(float)
    for group in plain_mdav(df.to_numpy(float).tolist(), 7):
        expected.iloc[group] = df.iloc[group].mean().to_numpy()
    pd.testing.assert_frame_equal(microaggregation(df, 7), expected, rtol=1e-14)


def test_k_is_lost_outside_the_columns():
    """A column that is left out tells rows apart."""
    df = loans(600).assign(target=np.arange(600) % 12 == 0)
    result = microaggregation(df, 50, columns=list(df.columns[:4]))
    assert k_anonymity(result, columns=list(df.columns[:4])) >= 50
    assert k_anonymity(result) < 50
    assert (result["target"] == df["target"]).all()


@pytest.mark.parametrize("method", METHODS)
def test_index_columns_and_dtypes(method):
    df = pd.DataFrame(
        {
            "i": np.array([1, 2, 7, 8], dtype=np.int32),
            "f": np.array([0.5, 1.5, 7.0, 8.0], dtype=np.float32),
            "n": pd.array([1, 2, 9, 10], dtype="Int64"),
            "b": [True, False, True, True],
            "s": ["p", "q", "r", "s"],
            "c": pd.Categorical(["u", "v", "u", "v"]),
        },
        index=pd.Index([10, 10, 30, 40], name="who"),
    )
    df.columns.name = "what"
    before = df.copy(deep=True)
    result = microaggregation(df, 2, method, columns=["i", "f", "n", "b"])
    pd.testing.assert_frame_equal(df, before)
    assert result.index.equals(df.index) and result.index.name == "who"
    assert result.columns.equals(df.columns) and result.columns.name == "what"
    assert list(map(str, result.dtypes)) == [
        "float64",
        "float32",
        "Float64",
        "float64",
        str(df["s"].dtype),
        "category",
    ]
    assert result["i"].tolist() == [1.5, 1.5, 7.5, 7.5] and result["n"].tolist() == [1.5, 1.5, 9.5, 9.5]
    assert result["b"].tolist() == [0.5, 0.5, 1.0, 1.0]
    # the result is a table of its own
    result.iloc[0, 4] = "z"
    assert df.iloc[0, 4] == "p"


def test_columns_of_the_same_name_and_of_several_levels():
    twice = pd.DataFrame([[1, 2, "a"], [3, 4, "b"]], columns=["x", "x", "y"])
    assert microaggregation(twice, 2, columns="x").iloc[:, :2].to_numpy().tolist() == [[2, 3], [2, 3]]
    levels = pd.DataFrame([[1, 2, 3], [3, 4, 5]], columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]))
    assert microaggregation(levels, 2, columns=[("a", 2)]).to_numpy().tolist() == [[1, 3, 3], [3, 3, 5]]
    assert microaggregation(levels, 2, columns=("a", 2)).to_numpy().tolist() == [[1, 3, 3], [3, 3, 5]]
    assert microaggregation(levels, 2, columns="a").to_numpy().tolist() == [[2, 3, 3], [2, 3, 5]]


def test_standardized_distances():
    """Raw, the wide column decides alone; in standard deviations both do."""
    rng = np.random.default_rng(1)
    table = rng.normal(size=(60, 2)) * [1e6, 1.0]
    wide = group_rows(table.T[:1].copy(), 5, "mdav")
    assert as_partition(group_rows(table.T.copy(), 5, "mdav")) == as_partition(wide)
    both = group_rows(table.T.copy(), 5, "mdav", standardize=True)
    assert as_partition(both) != as_partition(wide)
    scaled = group_rows(np.ascontiguousarray((table / table.std(axis=0)).T), 5, "mdav")
    assert as_partition(both) == as_partition(scaled)


def test_a_constant_column_plays_no_part():
    df = loans(80)
    constant = df.assign(same=0.1)
    for standardize in (False, True):
        for method in METHODS:
            result = microaggregation(constant, 6, method, standardize)
            assert (result["same"] == 0.1).all()
            pd.testing.assert_frame_equal(
                result.drop(columns="same"), microaggregation(df, 6, method, standardize), rtol=1e-12
            )
    assert (standardize_columns(np.full((1, 7), 0.1)) == 0.0).all()


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1.0, 1e200, 1e308])
@pytest.mark.parametrize("method", METHODS)
def test_numbers_of_any_size(size, method):
    table = np.array([[-1.0], [-0.9], [0.8], [0.9]]) * size
    result = microaggregation(frame(table), 2, method).to_numpy()[:, 0]
    expected = np.array([-0.95, -0.95, 0.85, 0.85]) * size
    assert np.allclose(result / size, expected / size, rtol=1e-12)
    values, power = scale_to_safe_range(table.T.copy())
    assert (np.ldexp(values, power) == table.T).all()


def test_means_stay_within_their_group():
    values = np.array([[0.1, 0.1, 0.1, 5.0], [7.0, 7.0, 7.0, 1.0]])
    assert np.mean([0.1, 0.1, 0.1]) != 0.1
    assert compute_group_means(values, np.array([3, 3, 3, 1])).tolist() == values.tolist()


def test_one_row():
    df = pd.DataFrame({"x": [3]})
    for method in METHODS:
        assert microaggregation(df, 1, method).x.tolist() == [3.0]


@pytest.mark.parametrize(
    "change, words",
    [
        ({"k": 0}, ["k must be a whole number from 1", "9", "got 0"]),
        ({"k": -3}, ["k must"]),
        ({"k": 10}, ["k must", "number of rows, 9"]),
        ({"k": 2.5}, ["k must"]),
        ({"k": np.nan}, ["k must"]),
        ({"k": True}, ["k must"]),
        ({"k": "3"}, ["k must"]),
        ({"k": None}, ["k must"]),
        ({"method": "mdva"}, ["method", "Did you mean 'mdav'?"]),
        ({"standardize": "yes"}, ["standardize must be True or False"]),
        ({"columns": ["incme"]}, ["columns", "type str", "Did you mean 'income'?"]),
        ({"columns": []}, ["columns must name at least one"]),
        ({"columns": ["income", "income"]}, ["each column once"]),
        ({"columns": [["income"]]}, ["columns must name columns of df"]),
        ({"columns": 3.5}, ["columns must name columns of df"]),
        ({"columns": ["name"]}, ["df must have numbers in column 'name'", "columns=[...]", "astype(float)"]),
        ({"columns": ["gap"]}, ["no missing values in column 'gap'", "Fill or drop"]),
        ({"columns": ["far"]}, ["no infinite values in column 'far'"]),
        ({"columns": ["when"]}, ["df must have numbers in column 'when'"]),
        ({"columns": ["turned"]}, ["df must have numbers in column 'turned'"]),
        ({"df": [[1, 2]]}, ["df must be a pandas DataFrame; got list"]),
        ({"df": pd.DataFrame()}, ["at least one row and one column; got 0 x 0"]),
        ({"df": pd.DataFrame({"x": []})}, ["got 0 x 1"]),
    ],
)
def test_bad_input(change, words):
    df = pd.DataFrame(
        {
            "income": range(9),
            "name": list("abcdefghi"),
            "gap": [1.0, np.nan, *range(7)],
            "far": [1.0, np.inf, *range(7)],
            "when": pd.date_range("2020", periods=9),
            "turned": [complex(i) for i in range(9)],
        }
    )
    arguments = {"df": df, "k": 3, "columns": ["income"], **change}
    with pytest.raises(PydpstatError) as raised:
        microaggregation(**arguments)
    for word in words:
        assert word in str(raised.value)


def test_errors_hold_no_data():
    df = pd.DataFrame({"x": [123456789.0, np.nan, 987654321.0]})
    with pytest.raises(PydpstatError) as raised:
        microaggregation(df, 2)
    assert "123456789" not in str(raised.value) and "987654321" not in str(raised.value)
