"""k-anonymity, l-diversity, risk and errors, against plain counts."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat import PydpstatError, anonymity
from pydpstat.anonymity import k_anonymity, l_diversity, mse_by_col, reidentification_risk

NAN = float("nan")
VALUES = st.sampled_from([0, 1, 2, None, NAN, "a", "b", 0.5])


@pytest.mark.slow
@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=30))
def test_groups_are_those_of_a_plain_count(rows):
    """None and NaN are the same missing value, and a value like any other."""
    plain = [tuple("missing" if x is None or x != x else x for x in row) for row in rows]
    df = pd.DataFrame(rows, columns=["x", "y"], dtype=object)
    counts = Counter(plain)
    assert k_anonymity(df, return_sizes=True).tolist() == sorted(counts.values(), reverse=True)
    assert k_anonymity(df) == min(counts.values())
    assert k_anonymity(df, columns="x") == min(Counter(x for x, _ in plain).values())
    secrets = defaultdict(set)
    for x, y in plain:
        secrets[x].add(y)
    assert l_diversity(df, ["x"], "y") == min(map(len, secrets.values()))


def test_missing_values_are_counted():
    """pandas leaves them out and finds a k that is too large."""
    df = pd.DataFrame({"age": [30, 30, 30, None], "city": ["a", "a", "a", "a"]})
    assert df.value_counts().min() == 3
    assert k_anonymity(df) == 1 and reidentification_risk(df) == 1.0


@pytest.mark.parametrize(
    "column",
    [
        pd.array([1, 1, None, None, 2, 2], dtype="Int64"),
        pd.array(["a", "a", None, None, "b", "b"], dtype="string"),
        pd.Categorical(["a", "a", None, None, "b", "b"], categories=["a", "b", "never"]),
        pd.to_datetime(["2020", "2020", None, None, "2021", "2021"]),
        [True, True, None, None, False, False],
        [0.0, -0.0, NAN, NAN, 1.0, 1.0],
    ],
)
def test_every_kind_of_column(column):
    df = pd.DataFrame({"x": column})
    assert k_anonymity(df, return_sizes=True).tolist() == [2, 2, 2]
    assert k_anonymity(df.assign(y=[1, 1, 2, 2, 3, 3])) == 2


def test_many_columns_with_many_values():
    """Their combinations are more than a 64-bit number can tell apart."""
    rng = np.random.default_rng(1)
    rows = np.repeat(rng.random((500, 30)), 2, axis=0)
    assert k_anonymity(pd.DataFrame(rows)) == 2


def test_risk():
    assert reidentification_risk(1603) == 1 / 1603 and f"{reidentification_risk(1603):.4%}" == "0.0624%"
    df = pd.DataFrame({"x": [1, 1, 2, 2, 2], "y": [1, 2, 3, 3, 3]})
    assert reidentification_risk(df, columns="x") == 0.5 and reidentification_risk(df) == 1.0


def test_errors_by_column():
    one = pd.DataFrame({"a": [1, 2, 3], "b": [1.0, NAN, 5.0]}, index=[7, 8, 9])
    two = pd.DataFrame({"a": [1, 2, 6], "b": [1.0, NAN, 2.0]}, index=[7, 8, 9])
    assert mse_by_col(one, two).to_dict() == {"a": 3.0, "b": 3.0}
    assert mse_by_col(one, two, squared=False)["a"] == np.sqrt(3.0)
    assert (mse_by_col(one, one) == 0.0).all()
    far = pd.DataFrame({"a": [np.inf, 1.0]})
    assert mse_by_col(far, far)["a"] == 0.0


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda df: k_anonymity(df.to_numpy()), ["df must be a pandas DataFrame; got ndarray"]),
        (lambda df: k_anonymity(df, columns=["c"]), ["columns must name columns of df", "another name"]),
        (lambda df: k_anonymity(df, "sizes"), ["return_sizes must be True or False"]),
        (lambda df: k_anonymity(df.iloc[:0]), ["at least one row"]),
        (
            lambda df: k_anonymity(df.assign(z=[[1], [2], [3]])),
            ["simple values in column 'z'", "astype(str)"],
        ),
        (lambda df: l_diversity(df, "a", "a"), ["sensitive must not be one of the quasi_identifiers"]),
        (lambda df: l_diversity(df, "a", ["a", "b"]), ["sensitive must name one column"]),
        (lambda df: l_diversity(df, "a", None), ["sensitive must name one column"]),
        (lambda df: l_diversity(df, "a", "d"), ["sensitive must name columns of df"]),
        (lambda df: l_diversity(df, [], "b"), ["quasi_identifiers must name at least one"]),
        (lambda df: reidentification_risk(0), ["data must be a whole number from 1", "got 0"]),
        (lambda df: reidentification_risk(2.5), ["got 2.5"]),
        (lambda df: reidentification_risk(float("inf")), ["got inf"]),
        (lambda df: reidentification_risk("3"), ["DataFrame; got str"]),
        (lambda df: mse_by_col(df, df.iloc[:2]), ["same shape; got (3, 2) and (2, 2)", "Drop the same rows"]),
        (lambda df: mse_by_col(df, df[["b", "a"]]), ["same columns in the same order"]),
        (lambda df: mse_by_col(df, df.iloc[::-1]), ["same index", "set_axis(df1.index)"]),
        (lambda df: mse_by_col(df, df.assign(b=list("xyz"))), ["df2 must have numbers in column 'b'"]),
        (lambda df: mse_by_col(df, df.assign(b=[1.0, NAN, 2.0])), ["have the same missing values", "'b'"]),
        (lambda df: mse_by_col(df, df, squared=None), ["squared must be True or False"]),
        (lambda df: mse_by_col([1], df), ["df1 must be a pandas DataFrame"]),
    ],
)
def test_bad_input(call, words):
    df = pd.DataFrame({"a": [1, 1, 2], "b": [3, 4, 5]})
    with pytest.raises(PydpstatError) as raised:
        call(df)
    for word in words:
        assert word in str(raised.value)


def test_the_namespace():
    assert (
        sorted(anonymity.__all__) == anonymity.__all__ == [name for name in dir(anonymity) if name in anonymity.__all__]
    )
    for name in anonymity.__all__:
        doc = inspect.getdoc(getattr(anonymity, name))
        assert "Examples\n--------" in doc, name
    with pytest.raises(AttributeError, match="no attribute 'mondrian'"):
        anonymity.mondrian
    # functions, also after modules of like names are imported
    assert callable(anonymity.microaggregation) and callable(anonymity.k_means)


def test_an_import_is_light():
    heavy = ("pandas", "sklearn", "scipy", "matplotlib")
    code = f"import sys, pydpstat.anonymity; print([each for each in {heavy} if each in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
