"""Every kind of result as HTML, LaTeX, Markdown and CSV."""

import csv
import io
import re
import sys

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.errors import MissingExtraError, PydpstatError

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
    "moments by group": lambda: dp.moments(FRAME[["x", "h"]], 1.0, by="h", levels=["u", "v"], other=None, **ONE),
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_html_is_what_a_notebook_shows(result):
    assert result.to_html() == result._repr_html_() and result.to_html().count("</table>") == 2


@pytest.mark.slow
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
    means = dp.f_oneway(*(FRAME.x[FRAME.g == g] for g in "abc"), epsilon=1.0, bounds=(0, 1), rng=1)
    for r in (means, RESULTS["test of groups"](), dp.quantile_test(X, 1.0, q=0.5, p=0.5, rng=1)):
        frame = r.to_frame()
        *others, own = frame.index
        told = frame[["statistic", "p-value"]]
        assert own == r.test and others == [name for name, _ in r.estimates]
        assert told.loc[own].tolist() == [r.statistic, r.pvalue] and told.loc[others].isna().all(axis=None)
        assert frame["estimate"].notna().tolist() == [True] * len(others) + [False]


def test_texts_of_the_data_are_no_formula_and_no_markup():
    frame = pd.DataFrame({"x": [0.5, 0.25], "g": ["=1+1", "a|b"]})
    r = dp.mean(frame, 1.0, by="g", levels=["=1+1", "a|b"], **ONE)
    assert "'=1+1," in r.to_csv() and r"a\|b" in r.to_markdown()


WAYS = {"csv": "to_csv", "html": "to_html", "tex": "to_latex", "md": "to_markdown"}


@pytest.mark.parametrize("ending", WAYS)
def test_every_form_is_written_into_a_file(ending, tmp_path):
    r = RESULTS["groups"]()
    write = getattr(r, WAYS[ending])
    file, text = tmp_path / f"mean.{ending}", io.StringIO()
    assert write(file) is write(str(file)) is write(text) is None
    assert file.read_text(encoding="utf-8") == text.getvalue() == write()
    with pytest.raises(PydpstatError, match="path must be a file name or None"):
        write(5)


@pytest.mark.parametrize("ending", WAYS)
def test_decimals_are_asked_for(ending):
    r = RESULTS["groups"]()
    text = getattr(r, WAYS[ending])(digits=2)
    assert f"{r.estimate['a']:.2f}" in text and f"{r.estimate['a']:.3f}" not in text
    for wrong in (-1, 1.5, "1"):
        with pytest.raises(PydpstatError, match="digits must be a whole number of at least 0"):
            getattr(r, WAYS[ending])(digits=wrong)
    test = RESULTS["test"]()
    assert f"{test.pvalue:.3g}" in test.to_markdown(digits=1)


def test_a_caption_and_a_label_make_a_float():
    latex = RESULTS["groups"]().to_latex(caption=r"Mean, 95 % of $x$ \& more", label="tab:x")
    lines = latex.splitlines()
    assert lines[:2] == [r"\begin{table}[htbp]", r"\centering"] and lines[-1] == r"\end{table}"
    assert r"\caption{Mean, 95 \% of $x$ \& more}" in lines and r"\label{tab:x}" in lines
    assert r"\caption{}" in RESULTS["number"]().to_latex(label="a")
    assert "%" not in RESULTS["number"]().to_latex()
    with pytest.raises(PydpstatError, match="caption must be a string or None; got 5"):
        RESULTS["number"]().to_latex(caption=5)


def test_latex_fits_the_page_and_long_tables_go_over_several():
    wide = RESULTS["pairs"]().to_latex()
    assert r"\small" in wide and r"\begin{tabular}{lrrrrrr}" in wide and r"P$" not in wide
    levels = list(map(str, range(50)))
    long = dp.mean(FRAME.assign(g=levels * 8)[["x", "g"]], 1.0, by="g", levels=levels, other=None, **ONE)
    text = long.to_latex(caption="Long")
    assert r"\begin{longtable}" in text and text.count(r"\caption") == 1
    assert text.index(r"\endfirsthead") < text.index(r"\endhead")
    # a row must not begin with what belongs to the end of the row above
    histogram = dp.histogram(X, 1.0, edges=[0, 0.5, 1], rng=1).to_latex()
    assert "\n{[}0, 0.5) & " in histogram and r"\multicolumn{2}{c}{noise interval}" in histogram


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("to_latex(float_format='%.1f')", "write digits=1"),
        ("to_csv(index=False)", r"write result.to_frame\(\).to_csv\(index=False\)"),
        ("to_markdown(buf='mean.md')", r"write to_markdown\('mean.md'\)"),
        ("round(1)", r"Write round\(result, 1\); .* digits=1"),
        ("save('mean.tex')", r"to_latex\('mean.tex'\)"),
        ("statement(format='latex')", r"statement\(...\).to_latex\('statement.tex'\)"),
    ],
)
def test_words_of_pandas_are_answered(typed, told):
    with pytest.raises((TypeError, AttributeError), match=told):
        eval(f"r.{typed}", {"r": RESULTS["groups"]()})


def test_heads_of_csv_are_different_names(result):
    head = result.to_csv().splitlines()[0].split(",")
    assert len(set(head)) == len(head)
    corr = dp.corr(FRAME[["x", "y"]], 1.0, bounds=PAIR, rng=1)
    assert corr.to_csv().startswith("term 1,term 2,estimate")


def test_html_has_no_sign_of_markup_in_a_cell():
    test = dp.ttest_1samp(X, 0.05, 100.0, **ONE)
    assert "<td>&lt; 1e-06</td>" in test.to_html() and "< 1e-06" in str(test)


@pytest.mark.slow
def test_both_intervals_are_in_a_frame_by_their_names():
    r = dp.mean(FRAME[["x", "g"]], 1.0, population=True, **BY, **ONE)
    frame = r.to_frame(0.1)
    assert frame.equals(r.to_frame(0.1, kind="population"))
    assert frame.columns.tolist() == [*r.to_frame(kind="noise").columns, "lower", "upper"]
    for ends, kind in ((["noise lower", "noise upper"], "noise"), (["lower", "upper"], "population")):
        assert np.array_equal(frame[ends], r.conf_int(0.1, kind=kind))
    assert r.to_csv().splitlines()[0] == f"g,{','.join(frame.columns)}"
    assert r.to_csv(kind="noise").splitlines()[0] == f"g,{','.join(frame.columns[:4])}"
    counts = dp.histogram(X, 1.0, edges=[0, 0.5, 1], rng=1)
    frame = counts.to_frame()
    assert frame.columns.tolist()[-3:] == ["share", "share lower", "share upper"]
    assert frame["estimate"].dtype == np.int64
    assert frame["share"].between(frame["share lower"], frame["share upper"], "neither").all()
    with pytest.raises(PydpstatError, match="kind must be one of"):
        r.to_frame(kind="both")


def test_polars_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingExtraError, match=r"^to_polars\(\) needs polars: pip install 'pydpstat\[polars\]'"):
        RESULTS["number"]().to_polars()


def test_the_decimals_of_a_column_align():
    from pydpstat.results._numbers import format_column

    assert format_column([2312.93, 2328.7, 2704.0, -0.0]) == ["2312.93", "2328.70", "2704.00", "0.00"]
    assert format_column([0.0001438, 2.5]) == ["0.000144", "2.500000"]
    assert format_column([7943, 12]) == ["7943", "12"] and format_column([2_000_000.0, 5.0]) == [
        "2000000",
        "5",
    ]
    assert format_column([1e20, 1.5]) == ["1e+20", "1.5"] and format_column([1e-9, 250.0]) == ["1e-09", "250"]
    assert format_column([1.25, float("nan"), float("inf"), ""]) == ["1.25", "-", "inf", ""] and format_column([]) == []


@pytest.mark.slow
def test_tables_are_written_whole_also_where_a_page_shows_sixty_rows():
    names = [f"municipality number {place} of the southern districts" for place in range(70)]
    r = dp.mean(np.arange(700) % 50, 1.0, bounds=(0, 50), by=np.repeat(names, 10), levels=names, other=None, rng=1)
    for text in (r.to_markdown(), r.to_markdown(digits=1), r.to_latex(), r.to_csv()):
        assert [name for name in names if name in text] == names
    shown = str(r.summary())
    assert sum(line.startswith("municipality") for line in shown.splitlines()) == 60
    assert "10 more rows" in shown
    letters = list("abcdefghijkl")
    answers = {"by": np.repeat(letters, 50), "levels": letters, "other": None}
    pairs = dp.proportion(np.arange(600) % 3 == 0, 1.0, **answers, rng=1).pairs()
    assert len(pairs.to_markdown().splitlines()) == 2 + 66
    assert "6 more rows" in str(pairs.summary())
