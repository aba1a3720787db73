"""Every export shows a label as text: nothing in one is a command, a link, a tag or a formula."""

import csv
import html.parser
import io
import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat import _markup, anonymity, local
from pydpstat._files import format_csv_cell
from tests.hostile_labels import LABELS

MANY = list(LABELS) * 8
X = np.linspace(0.0, 1.0, len(MANY))
FRAME = pd.DataFrame({"x": X, "y": X[::-1], "g": MANY})
# none of them changes a line, whose end a text page has
FLAT = [" ".join(_markup.join_lines(each).split()) for each in LABELS]


def _ols():
    levels = {"g": list(LABELS)}
    return dp.ols("y ~ x + C(g)", FRAME, 1e6, bounds={"x": (0, 1), "y": (0, 1)}, levels=levels, rng=1)


def _named():
    columns = pd.DataFrame(dict.fromkeys(LABELS, X))
    return dp.mean(columns, 1e6, bounds=[(0, 1)] * len(LABELS), rng=1)


def _moments():
    return dp.moments(pd.DataFrame(dict.fromkeys(LABELS[:4], X)), 1e6, bounds=[(0, 1)] * 4, rng=1)


def _grouped(**more):
    return dp.mean(FRAME[["x", "g"]], 1e6, bounds={"x": (0, 1)}, by="g", levels=list(LABELS), other=None, rng=1, **more)


def _shares():
    return dp.proportion(X > 0.5, 1e6, by=pd.Series(MANY, name=LABELS[0]), levels=list(LABELS), rng=1)


RESULTS = {
    "groups": _grouped,
    "columns": _named,
    "moments": _moments,
    "a table": lambda: dp.crosstab(pd.Series(MANY, name=LABELS[1]), 1e6, levels=list(LABELS), rng=1),
    "two ways": lambda: dp.crosstab(
        {LABELS[2]: MANY, LABELS[7]: MANY}, 1e6, levels=[list(LABELS[:5]), list(LABELS[5:9])], rng=1
    ),
    "pairs": lambda: _shares().pairs(),
    "a difference": lambda: _shares().difference(LABELS[0], LABELS[7]),
    "a regression": _ols,
    "a test": lambda: dp.chisquare(pd.Series(MANY, name=LABELS[10]), 1e6, levels=list(LABELS), rng=1),
    "quantiles": lambda: dp.quantiles(pd.Series(X, name=LABELS[4]), [0.2, 0.8], 1e6, bounds=(0, 1), rng=1),
    "a histogram": lambda: dp.histogram(pd.Series(X, name=LABELS[20]), 1e6, edges=[0, 0.5, 1], rng=1),
    "a choice": lambda: dp.choose(list(LABELS), np.arange(len(LABELS)), 1.0, 1e6, rng=1),
    "local answers": lambda: local.RandomizedResponse(5.0, list(LABELS)).estimate(MANY),
}


class Tags(html.parser.HTMLParser):
    """The tags and the text of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.text.append(data)


ALLOWED = {"table", "caption", "tr", "td", "th", "p", "br", "thead", "tbody", "div", "center"}
# commands that the exports write themselves
OURS = {
    *("begin", "end", "toprule", "midrule", "bottomrule", "textbf", "newline", "cmidrule", "multicolumn"),
    *("setlength", "tabcolsep", "small", "footnotesize", "scriptsize", "endhead", "endfoot", "endfirsthead"),
    *("centering", "caption", "label", "hline", "linewidth", "sloppy", "newcolumntype", "raggedright"),
    *("textbackslash", "textasciitilde", "textasciicircum", "textbar", "textless", "textgreater"),
    *("varepsilon", "delta", "arraybackslash", "let", "hspace", "par"),
}


def check_html(text):
    found = Tags()
    found.feed(text)
    assert found.tags <= ALLOWED and found.attributes <= {"class", "style", "colspan"}, found.tags


def check_latex(text):
    # a comment would go on to the end of its line
    lines = [line for line in text.splitlines() if not line.startswith("%\\caption")]
    assert set(re.findall(r"\\([A-Za-z]+)", "\n".join(lines))) <= OURS
    depth = re.sub(r"\\[\\{}%&$#_]", "", text)
    assert depth.count("{") == depth.count("}")
    assert "%" not in re.sub(r"\\%", "", "\n".join(lines))


def check_markdown(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines}
    assert lines and len(bars) <= 2
    bare = re.sub(r"\\[^A-Za-z0-9]", "", text)
    assert not re.search(r"[<>\[\]`*_~{}$^]", bare), bare


def check_csv(text):
    rows = list(csv.reader(io.StringIO(text)))
    for row in rows:
        for each in row:
            assert not re.match(r"\s*[=+\-@]\s*[A-Za-z(1]", each) or _is_number(each), each


def _is_number(text):
    try:
        return bool(float(text)) or True
    except ValueError:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_labels_as_text(name):
    result = RESULTS[name]()
    page = result.summary()
    check_html(page.as_html())
    check_html(result._repr_html_())
    check_latex(page.as_latex())
    check_csv(page.as_csv())
    if hasattr(result, "to_markdown"):
        check_html(result.to_html())
        check_latex(result.to_latex())
        check_markdown(result.to_markdown())
        check_csv(result.to_csv())
        json.dumps(result.to_dict())


@pytest.mark.slow
def test_a_statement_and_a_budget_show_labels_as_text():
    budget = dp.Budget(1e9)
    named = {}
    for label in LABELS:
        with budget, budget.labeled(label):
            named[label] = dp.mean(pd.Series(X, name=label), 0.5, bounds=(0, 1), rng=1)
    for each in (dp.statement(named), dp.statement(budget)):
        check_html(each._repr_html_())
        check_latex(each.to_latex())
        check_markdown(each.to_markdown())
    check_html(budget._repr_html_())
    check_html(budget.summary().as_html())
    check_latex(budget.summary().as_latex())
    check_csv(budget.summary().as_csv())
    check_csv(budget.to_csv())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["groups", "columns", "pairs", "a table", "two ways", "a histogram"])
def test_a_picture_shows_labels_as_text(name):
    plt = pytest.importorskip("matplotlib.pyplot")
    made = io.StringIO()
    result = RESULTS[name]()
    axes = result.plot()
    figure = np.ravel(axes)[0].figure
    with plt.rc_context({"svg.fonttype": "none"}):
        figure.savefig(made, format="svg")
    plt.close(figure)
    root = ET.fromstring(made.getvalue())
    tags = {each.tag.rpartition("}")[2] for each in root.iter()}
    assert not tags & {"script", "image", "a", "foreignObject"}
    assert not any(key.startswith("on") for each in root.iter() for key in each.attrib)


@pytest.mark.parametrize("label", LABELS)
def test_a_format_has_one_function_that_shows_a_label(label):
    found = Tags()
    found.feed(f"<p>{_markup.as_html(label)}</p>")
    assert found.tags == {"p"} and "".join(found.text) == label
    check_latex(_markup.as_latex(label))
    check_markdown(f"| {_markup.as_markdown(label)} |")
    check_csv(format_csv_cell(label))
    # what the escapes stand for is the label
    plain = re.sub(r"\\([^A-Za-z0-9\s])", r"\1", _markup.as_markdown(label))
    assert plain == _markup.join_lines(label)


def test_the_anonymity_reports_show_labels_as_text():
    frame = pd.DataFrame({label: np.repeat([1.0, 2.0], 20) for label in LABELS})
    result = anonymity.evaluate_anonymization(frame, frame)
    check_html(result._repr_html_())
    check_latex(result.summary().as_latex())
    check_csv(result.summary().as_csv())
