"""Every kind of result as HTML, LaTeX, Markdown and CSV."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.errors import PydpstatError

X = np.linspace(0.0, 1.0, 400)
FRAME = pd.DataFrame({"x": X, "y": 0.5 * X, "g": list("abcd") * 100, "h": list("uuvv") * 100})
ONE = {"bounds": (0, 1), "rng": 1}
BY = {"by": "g", "levels": list("abcd")}
PAIR = {"x": (0, 1), "y": (0, 1)}
RESULTS = {
    "number": lambda: dp.mean(X, 1.0, **ONE),
    "columns": lambda: dp.mean(FRAME[["x", "y"]], 1.0, bounds=PAIR, rng=1),
    "groups": lambda: dp.mean(FRAME[["x", "g"]], 1.0, **BY, **ONE),
    "table": lambda: dp.crosstab(FRAME[["g", "h"]], 1.0, levels=[list("abcd"), list("uv")], rng=1),
    "chosen": lambda: dp.median(X, 1.0, **ONE),
    "test": lambda: dp.ttest_1samp(X, 0.5, 1.0, **ONE),
    "test without estimates": lambda: dp.wilcoxon(X, 1.0, rng=1),
    "test of groups": lambda: dp.f_oneway(X, X / 2, epsilon=1.0, **ONE),
    "moments": lambda: dp.moments(FRAME[["x", "y"]], 1.0, bounds=PAIR, rng=1),
    "moments by group": lambda: dp.moments(
        FRAME[["x", "h"]], 1.0, by="h", levels=["u", "v"], other=None, **ONE
    ),
    "pairs": lambda: dp.proportion(X > 0.5, 1.0, by=FRAME.g, levels=list("abcd"), rng=1).pairs(),
    "regression": lambda: dp.ols("y ~ x", FRAME, 1.0, bounds=PAIR, rng=1),
    "hypotheses": lambda: RESULTS["regression"]().t_test("x = 0, x = Intercept"),
    "joint test": lambda: RESULTS["regression"]().f_test("x = 0, Intercept = 0"),
    "predictions": lambda: RESULTS["regression"]().get_prediction({"x": [0.25, 0.5]}),
    "audit": lambda: dp.audit(lambda x: x, 5, 6, claim=1, samples=500),
    "model": lambda: dp.LogisticRegressionDP("l2", 1.0, 1.0, "output").fit(
        FRAME[["x"]], (X > 0.5).astype(float), [1], [0], rng=dp.RRandom(1)
    ),
}


@pytest.fixture(params=RESULTS, scope="module")
def result(request):
    return RESULTS[request.param]()


def test_markdown_has_the_numbers_of_the_page(result):
    lines = result.to_markdown().splitlines()
    heads, rule, *rows = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines]
    text = result.summary().as_text()
    assert rule[0].strip() == "---" and {len(row) for row in rows} == {len(heads)} == {len(rule)}
    assert all(cell.strip().replace("\\", "") in text for row in rows for cell in row)


def test_latex_is_one_tabular(result):
    latex = result.to_latex()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1
    assert not re.search(r"(?<!\\)[_#]", latex)


def test_html_is_what_a_notebook_shows(result):
    assert result.to_html() == result._repr_html_() and result.to_html().count("</table>") == 2


def test_csv_has_the_frame_in_full_precision(result, tmp_path):
    frame = result.to_frame()
    head, *rows = csv.reader(io.StringIO(result.to_csv()))
    levels = frame.index.nlevels
    assert head[levels:] == list(map(str, frame.columns)) and len(rows) == len(frame)
    for row, values in zip(rows, frame.itertuples(index=False, name=None)):
        for text, value in zip(row[levels:], values):
            if isinstance(value, float):
                assert (text == "") == np.isnan(value) and (text == "" or float(text) == value)
    assert result.to_csv(tmp_path / "new.csv") is None
    assert (tmp_path / "new.csv").read_text(encoding="utf-8") == result.to_csv()


def test_a_test_has_its_interval_in_its_parameters_row():
    r = RESULTS["test"]()
    assert r.to_frame(0.1).loc["mean", ["lower", "upper"]].tolist() == list(r.conf_int(0.1))
    assert r.to_frame().loc["mean", "p-value"] == r.pvalue


def test_a_test_of_several_parameters_has_a_row_of_its_own():
    for r in (RESULTS["test of groups"](), dp.quantile_test(X, 1.0, q=0.5, p=0.5, rng=1)):
        *others, own = r.to_frame().index
        told = r.to_frame()[["statistic", "p-value"]]
        assert own == r.test and others == [name for name, _ in r.estimates]
        assert told.loc[own].tolist() == [r.statistic, r.pvalue] and told.loc[others].isna().all(axis=None)


def test_texts_of_the_data_are_no_formula_and_no_markup():
    frame = pd.DataFrame({"x": [0.5, 0.25], "g": ["=1+1", "a|b"]})
    r = dp.mean(frame, 1.0, by="g", levels=["=1+1", "a|b"], **ONE)
    assert "'=1+1," in r.to_csv() and r"a\|b" in r.to_markdown()


def test_a_path_that_is_none_is_named():
    with pytest.raises(PydpstatError, match="path must be a file name or None"):
        RESULTS["number"]().to_csv(5)
