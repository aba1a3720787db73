"""The results object: its figures, its summary, its pictures, and what it does not hold."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pandas as pd
import pytest

from pydpstat import PydpstatError
from pydpstat.anonymity import (
    categorize,
    evaluate_anonymization,
    k_anonymity,
    microaggregation,
    mse_by_col,
    simulate_loans,
)
from tests.anonymity.plain import loans
from tests.privacy_search import reachable


def test_figures():
    df = loans(500)
    anonymized = microaggregation(df, 20)
    r = evaluate_anonymization(df, anonymized)
    sizes = k_anonymity(anonymized, return_sizes=True)
    assert (r.k, r.groups, r.unique_rows, r.nobs) == (20, len(sizes), 0, 500)
    assert r.risk == 1 / 20 and (r.group_sizes.index * r.group_sizes).sum() == 500
    pd.testing.assert_series_equal(r.errors, mse_by_col(df, anonymized))
    assert r.mean_error == pytest.approx(mse_by_col(df, anonymized).mean())
    spread = ((df - df.mean()) ** 2).sum().sum()
    assert r.loss == pytest.approx(((df - anonymized) ** 2).sum().sum() / spread)
    assert r.relative_errors.to_numpy() == pytest.approx(np.sqrt(r.errors) / df.std(ddof=0))
    roots = evaluate_anonymization(df, anonymized, squared_error=False)
    pd.testing.assert_series_equal(roots.errors, np.sqrt(r.errors))
    assert roots.relative_errors.equals(r.relative_errors) and roots.loss == r.loss


def test_extremes():
    df = pd.DataFrame({"x": [1.0, 2.0, 6.0], "same": 4})
    r = evaluate_anonymization(df, df)
    assert (r.k, r.unique_rows, r.loss, r.mean_error) == (1, 3, 0.0, 0.0)
    everything = evaluate_anonymization(df, microaggregation(df, 3))
    assert (everything.k, everything.groups) == (3, 1) and everything.loss == pytest.approx(1.0)
    assert everything.relative_errors.tolist() == pytest.approx([1.0, 0.0])
    constant = pd.DataFrame({"x": [1, 1]})
    assert np.isnan(evaluate_anonymization(constant, constant).loss)
    moved = evaluate_anonymization(constant, constant + 1)
    assert moved.relative_errors["x"] == np.inf


def test_quasi_identifiers_and_columns_without_numbers():
    df = pd.DataFrame({"age": [20, 21, 60, 61], "city": list("abab"), "gap": [1.0, 3.0, np.nan, np.nan]})
    anonymized = categorize(df, [0, 40, 99], ["age"])
    r = evaluate_anonymization(df, anonymized, columns="age")
    assert r.k == 2 and r.columns == ("age",)
    assert np.isnan(r.errors[["age", "city"]]).all() and r.errors["gap"] == 0.0 and r.loss == 0.0
    assert evaluate_anonymization(df, anonymized).k == 1
    text = r.summary().as_text()
    assert "not numeric in one of the tables" in text and "k refers to the columns age." in text


def test_summary():
    df = loans(300)
    r = evaluate_anonymization(df, microaggregation(df, 10))
    page = r.summary()
    text = page.as_text()
    for word in (
        "Anonymization of a table",
        "k:",
        "10 %",
        "300",
        "AMT_CREDIT",
        "not differentially private",
        "original data without noise",
        "RMSE / sd",
    ):
        assert word in text, word
    assert max(map(len, text.splitlines())) <= 80
    assert "<table" in page.as_html() and "tabular" in page.as_latex() and "AMT_CREDIT" in page.as_csv()
    assert "RMSE" in evaluate_anonymization(df, df, squared_error=False).summary().as_text().split("Loss")[0]
    assert repr(r) == f"<AnonymizationResults k = 10: 30 groups of 300 rows, loss {r.loss:.4g}>"
    assert r._repr_html_() == page.as_html()


def test_a_summary_of_many_columns_and_odd_names():
    df = pd.DataFrame(np.arange(160.0).reshape(2, 80), columns=[f"a & b_{i}\n<i>{'x' * 50}" for i in range(80)])
    page = evaluate_anonymization(df, df).summary()
    assert "and 68 more" in page.as_text() and "20 more columns" in page.as_text()
    assert "<i>" not in page.as_html()


def test_plain_types_copies_and_equality():
    df = pd.DataFrame({"x": [1.0, 2.0, 6.0], "s": list("abc")})
    r = evaluate_anonymization(df, df)
    plain = json.loads(json.dumps(r.to_dict(), allow_nan=False))
    assert plain["k"] == 1 and plain["errors"] == [0.0, None] and plain["group_sizes"] == {"1": 3}
    for again in (pickle.loads(pickle.dumps(r)), copy.deepcopy(r)):
        assert again.to_dict() == r.to_dict() and repr(again) == repr(r)


def test_an_infinite_error_is_json_too():
    one, two = (
        pd.DataFrame({"x": [1.0, 1.0], "y": [1.0, 2.0]}),
        pd.DataFrame({"x": [1.0, 2.0], "y": [1.0, 2.0]}),
    )
    result = evaluate_anonymization(one, two)
    assert result.relative_errors["x"] == np.inf
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["relative_errors"] == [None, 0.0]


def test_no_row_is_kept():
    df = loans(200)
    r = evaluate_anonymization(df, microaggregation(df, 7))
    for each in reachable(r):
        assert not isinstance(each, pd.DataFrame)
        assert not (isinstance(each, np.ndarray) and each.size >= 200)


def test_the_picture_of_errors(axes):
    df = loans(200).assign(name="a")
    r = evaluate_anonymization(df, df.assign(**microaggregation(df.drop(columns="name"), 7)))
    assert r.plot(ax=axes) is axes
    axes.figure.canvas.draw()
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(r.relative_errors.dropna().tolist())
    assert [text.get_text() for text in axes.get_yticklabels()] == list(df.columns[:4])
    assert "standard deviations" in axes.get_xlabel() and axes.get_title().startswith("k = 7, 28 groups of 200")


@pytest.mark.parametrize("sizes", [[3, 3, 3], [2, 3, 4, 4], [2] * 5 + [90], list(range(5, 60))])
def test_the_picture_of_sizes(axes, sizes):
    df = pd.DataFrame({"x": np.repeat(np.arange(len(sizes)), sizes)})
    evaluate_anonymization(df, df).plot(axes, kind="sizes")
    axes.figure.canvas.draw()
    assert sum(bar.get_height() for bar in axes.patches) == len(sizes)
    assert axes.get_ylabel().startswith("groups")
    assert axes.get_legend().get_texts()[0].get_text() == f"no group below k = {min(sizes)}"


@pytest.mark.parametrize(
    "change, words",
    [
        (
            {"df_anonym": pd.DataFrame({"x": [1, 2]})},
            ["df and df_anonym must have the same shape; got (3, 1)"],
        ),
        ({"df_anonym": pd.DataFrame({"y": [1, 2, 3]})}, ["same columns"]),
        ({"df_anonym": 3}, ["df_anonym must be a pandas DataFrame; got int"]),
        ({"df": None}, ["df must be a pandas DataFrame"]),
        ({"squared_error": "mse"}, ["squared_error must be"]),
        ({"columns": "z"}, ["columns must name columns of df"]),
    ],
)
def test_bad_input(change, words):
    df = pd.DataFrame({"x": [1, 2, 3]})
    with pytest.raises(PydpstatError) as raised:
        evaluate_anonymization(**{"df": df, "df_anonym": df, **change})
    for word in words:
        assert word in str(raised.value)


def test_plot_kinds(axes):
    df = pd.DataFrame({"x": [1, 2, 3]})
    with pytest.raises(PydpstatError, match="Did you mean 'sizes'"):
        evaluate_anonymization(df, df).plot(axes, kind="size")
    texts = pd.DataFrame({"x": list("abc")})
    with pytest.raises(PydpstatError, match="no column has numbers"):
        evaluate_anonymization(texts, texts).plot(ax=axes)
    assert evaluate_anonymization(texts, texts).plot(axes, kind="sizes").get_title() == "k = 1, 3 groups of 3 rows"


def test_simulated_loans():
    df = simulate_loans(5000)
    assert df.equals(simulate_loans(5000)) and not df.equals(simulate_loans(5000, seed=1))
    assert list(df.columns) == [
        "SK_ID_CURR",
        "TARGET",
        "AMT_INCOME_TOTAL",
        "AMT_CREDIT",
        "DAYS_BIRTH",
        "DAYS_EMPLOYED",
    ]
    assert df["SK_ID_CURR"].is_unique and set(df["TARGET"]) == {0, 1}
    assert (df["AMT_INCOME_TOTAL"] == 1.17e8).sum() == 1 and df["AMT_INCOME_TOTAL"].nlargest(2).iloc[1] < 1e7
    assert 0.1 < (df["DAYS_EMPLOYED"] == 365_243).mean() < 0.3
    assert (df["DAYS_EMPLOYED"][df["DAYS_EMPLOYED"] < 365_243] > df["DAYS_BIRTH"][df["DAYS_EMPLOYED"] < 365_243]).all()
    # the ranks of normal variables with correlation 0.4
    ranks = df[["AMT_INCOME_TOTAL", "AMT_CREDIT"]].rank().corr().iloc[0, 1]
    assert abs(ranks - 6 / np.pi * np.arcsin(0.4 / 2)) < 0.05
    for rows in (0, 1.5, "many", None):
        with pytest.raises(PydpstatError, match="rows must be"):
            simulate_loans(rows)
    for seed in (-1, None, "a"):
        with pytest.raises(PydpstatError, match="seed must be"):
            simulate_loans(5, seed)
