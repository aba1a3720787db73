"""The summary's tables in every form."""

import csv
import io
import re
import warnings
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PydpstatError, RRandom
from pydpstat.results._numbers import format_column
from tests.sample_results import AGES, parts, table


@pytest.fixture
def mean():
    return pydpstat.meanDP(AGES, 1.0, 0, 100, rng=RRandom(123))


class Cells(HTMLParser):
    """Rows of cell texts, and every tag."""

    def __init__(self):
        super().__init__()
        self.tags, self.texts, self.open = set(), [], []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)

    def handle_data(self, text):
        self.texts.append(text.strip())


def cells(html):
    parser = Cells()
    parser.feed(html)
    parser.close()
    return parser


def test_text(mean):
    text = mean.summary().as_text()
    rows = [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]
    assert text.splitlines()[0].strip() == "Mean, differentially private"
    flat = " ".join(text.split())
    facts = ["Mechanism: Laplace", "Noise scale: 10", "Sensitivity: 10", "Bounds: [0, 100]"]
    facts += ["Noise sd: 14.1421", "Epsilon: 1", "Delta: 0", "Neighbors: bounded", "No. Observations: 10"]
    for expected in (*facts, "estimate noise sd noise [0.025 0.975]"):
        assert expected in flat, expected
    low, high = mean.conf_int().iloc[0]
    assert ["mean", *(f"{x:.6g}" for x in (float(mean), mean.bse.iloc[0], low, high))] in rows
    assert max(map(len, text.splitlines())) <= 80 and text.isascii()


def test_it_says_what_must_be_known(mean):
    text = " ".join(mean.summary().as_text().split())
    assert "The interval covers privacy noise only: not sampling, clipping or rounding." in text
    assert "for checking and study only: anyone who knows the seed can remove the noise" in text
    assert "the number of records is public" in text and "Claimed" not in text
    unseeded = " ".join(pydpstat.meanDP(AGES, 1.0, 0, 100).summary().as_text().split())
    assert "noise is exact and lies on a public grid" in unseeded
    assert "checking and study" not in unseeded


def test_it_says_what_holds_beside_what_was_claimed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        variance = pydpstat.varDP(AGES, 1.0, 0, 100, rng=1)
        histogram = pydpstat.histogramDP(AGES, 1.0, 0, 100, rng=1)
    text = " ".join(variance.summary().as_text().split())
    assert "Claimed epsilon: 1" in text and "Guaranteed epsilon: 1.48988" in text
    text = " ".join(histogram.summary().as_text().split())
    assert "Guaranteed epsilon: none" in text
    assert "Nothing is guaranteed: see the PrivacyWarning of histogramDP." in text


def test_print_shows_the_numbers(mean):
    assert str(mean) == f"mean: {float(mean):.6g}, noise sd 14.1421, (epsilon 1, delta 0), bounded neighbors"
    frame = pd.DataFrame({"age": AGES, "sex": list("fm") * (len(AGES) // 2)})
    ages = pydpstat.mean(frame, 1.0, bounds=(0, 100), by="sex", levels=["f", "m"], rng=1)
    lines = str(ages).splitlines()
    assert lines[0].strip() == "Mean of age by sex, differentially private"
    assert "(epsilon 1, delta 0), bounded neighbors" in lines
    assert lines[-2].startswith("A dash stands for what the noise hides")
    assert any(line.split()[:2] == ["f", f"{ages.estimate['f']:.4f}"] for line in lines)
    wide = str(table(list("aab"), list("xyy"))).splitlines()
    assert next(line.split() for line in wide[2:6] if "---" not in line) == ["x", "y"]
    x = np.linspace(0, 1, 300)
    fit = pydpstat.ols(0.5 * x, x, 5.0, bounds=[(0, 1), (0, 1)], rng=1)
    assert all(each in str(fit) for each in format_column(fit.params))
    assert "regression of" in str(fit)
    assert "p-value" in str(pydpstat.ttest_1samp(x, 0.5, 1.0, bounds=(0, 1), rng=1))
    model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "output")
    assert str(model) == repr(model) == "<LogisticRegressionDP: not fitted>"
    fitted = model.fit([[0.2], [0.9]], [0, 1], [1], [0], rng=RRandom(1))
    assert str(model) == str(fitted) and f"{fitted.params.iloc[0]:.6g}" in str(model)


def test_alpha(mean):
    text = mean.summary(0.1).as_text()
    assert "[0.05" in text and "0.95]" in text and f"{mean.conf_int(0.1).iloc[0, 0]:.6g}" in text
    with pytest.raises(PydpstatError, match="alpha must be above 0 and at most 0.5"):
        mean.summary(2)


def test_it_prints_nothing_and_draws_nothing(mean, capsys):
    stream = RRandom(1)
    result = pydpstat.meanDP(AGES, 1.0, 0, 100, rng=stream)
    before = stream.state
    first, second = result.summary().as_text(), result.summary().as_text()
    assert first == second and np.array_equal(stream.state, before) and capsys.readouterr() == ("", "")


def test_every_release_in_every_form(release):
    for result in parts(release()):
        page = result.summary()
        text, html, latex, table_of_text = page.as_text(), page.as_html(), page.as_latex(), page.as_csv()
        for form in (text, html, latex, table_of_text):
            assert result.statistic.capitalize() in form and result.mechanism in form
        assert result._repr_html_() == html and str(page) == text
        numbers = [
            np.array([float(each) for each in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?", form)])
            for form in (text, table_of_text)
        ]
        values = result.params.to_numpy()
        # as many decimals as the largest has in six significant digits
        near = 1e-5 * max(abs(values))
        assert all(np.abs(found - value).min() <= near for value in values[:20] for found in numbers)
        assert html.count("<table") == html.count("</table>") == 2


def test_long_releases_are_cut():
    result = pydpstat.LaplaceMechanism(np.arange(100.0), 1, 1, rng=1)
    text = result.summary().as_text()
    assert "value[59]" in text and "value[60]" not in text
    assert "40 more rows: to_frame() has them all." in text
    assert len(result.to_frame()) == 100


def test_numbers_have_no_sign_at_zero():
    result = table(["a"] * 3 + ["b"], eps=50.0)
    assert "-0" not in [cell for line in result.summary().as_text().splitlines() for cell in line.split()]


def test_texts_of_the_data_are_no_markup():
    """A level is data: in a notebook it must be shown, not run."""
    evil = "<script>alert(1)</script>"
    for result in (table([evil, "a&b"]), table(pd_series(evil)), table([evil], ["b"], dnn=[evil, "x"])):
        parsed = cells(result._repr_html_())
        assert "script" not in parsed.tags
    shown = cells(table([evil, "a&b"])._repr_html_())
    assert evil in shown.texts and "a&b" in shown.texts


def pd_series(name):
    return pd.Series(["a", "b"], name=name)


def rows_of_csv(result):
    """The rows of the estimates, by name, as a reader of CSV finds them."""
    lines = csv.reader(io.StringIO(result.summary().as_csv()))
    found = [[cell.strip() for cell in row] for row in lines]
    return {row[0]: row[1:] for row in found if len(row) == 5}


def test_csv_can_be_read_back(mean):
    (value, *_), low, high = rows_of_csv(mean)["mean"][:1], *mean.conf_int().iloc[0]
    assert float(value) == pytest.approx(float(mean), rel=1e-5)
    assert [float(cell) for cell in rows_of_csv(mean)["mean"][2:]] == pytest.approx([low, high], rel=1e-5)


@pytest.mark.parametrize("kind", ["histogram", "table"])
def test_csv_with_commas_and_quotes_in_names(kind):
    """The rows of a table have as many cells as its head, also where a name has a comma."""
    result = table(["a,b", 'say "c"'])
    if kind == "histogram":
        result = pydpstat.histogramDP(AGES, 1.0, 0, 75, breaks=[0, 25, 50, 75], rng=1)
    rows = rows_of_csv(result)
    for name, value in result.params.items():
        assert float(rows[str(name)][0]) == pytest.approx(value, rel=1e-5, abs=1e-12)


def latex_lines(result):
    return [line for line in result.summary().as_latex().splitlines() if not line.startswith("%")]


def test_latex_of_odd_names():
    """Characters that LaTeX takes for commands are written out, and every row has its cells."""
    lines = latex_lines(table(["50%", "a_b", "a&b", "#1", "$x$"]))
    body = lines[lines.index(r"\midrule") : lines.index(r"\bottomrule")]
    rows = [line for line in body if line.endswith(r"\\")]
    assert len(rows) == 5
    for line in rows:
        assert len(re.findall(r"(?<!\\)&", line)) == 4 and not re.search(r"(?<!\\)[%_#$]", line), line


def test_latex_of_the_notes(mean):
    """The call is full of underscores, which stop LaTeX outside mathematics."""
    for line in latex_lines(mean):
        assert not re.search(r"(?<!\\)[%_#$]", line), line


def test_long_and_odd_names_stay_in_one_line():
    result = table(["x" * 200, "two\nlines", "tab\there"])
    text = result.summary().as_text()
    assert "x" * 33 not in text and "two\nlines" not in text and max(map(len, text.splitlines())) <= 110
