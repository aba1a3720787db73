"""The documentation's whole report: it keeps its budget, and its recorded figures are those of its tables."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp

HERE = Path(__file__).resolve().parents[1] / "docs" / "report"
sys.path.insert(0, str(HERE))

import whole_report  # noqa: E402

PERSONS = 3000


@pytest.fixture(scope="module")
def made():
    budget = dp.Budget(2.0, neighbors="unbounded")
    columns = whole_report.with_iterator(PERSONS)
    return whole_report.report(columns, budget, np.random.default_rng(1)), budget


def test_the_budget_is_spent_to_the_last_digit(made):
    tables, budget = made
    assert budget.spent.epsilon == 2.0
    assert [entry.label for entry in budget.entries] == list(tables)
    assert {entry.neighbors for entry in budget.entries} == {"unbounded"}


def test_the_persons_do_not_depend_on_how_many_are_drawn_at_a_time(monkeypatch):
    whole = pd.concat(whole_report.people(PERSONS))
    assert len(whole) == PERSONS
    assert whole["income"].isna().mean() == pytest.approx(1 / 30, rel=0.5)
    assert set(whole["region"]) == set(whole_report.REGIONS)
    assert set(whole["school"]) == set(whole_report.SCHOOLS)
    monkeypatch.setattr(whole_report, "CHUNK", 1000)
    assert [len(frame) for frame in whole_report.people(2500)] == [1000, 1000, 500]


@pytest.mark.slow
def test_every_number_is_exported_with_what_holds(made, tmp_path):
    tables, budget = made
    whole_report.export(tables, budget, tmp_path)
    # pandas reads some numbers to the nearest float but one
    as_written = {"estimate": str}
    numbers = pd.read_csv(tmp_path / "released.csv", keep_default_na=False, dtype=as_written)
    assert len(numbers) == sum(np.size(r.value) for r in tables.values())
    # every number is named, and no two alike
    assert not numbers.duplicated(["label", "element"]).any()
    for label, r in tables.items():
        own = numbers[numbers["label"] == label]
        assert sorted(own["estimate"].astype(float)) == sorted(np.ravel(r.value))
        assert set(own["epsilon"].astype(float)) == {r.epsilon}
    assert sum(numbers.groupby("label")["epsilon"].first().astype(float)) == 2.0

    def refused(word):
        raise AssertionError(f"{word} is not JSON")

    text = (tmp_path / "released.json").read_text(encoding="utf-8")
    released = json.loads(text, parse_constant=refused)
    assert [each["label"] for each in released] == list(tables)
    assert all(each["guarantee"]["neighbors"] == "unbounded" for each in released)
    assert list(pd.read_csv(tmp_path / "ledger.csv")["label"]) == list(tables)


@pytest.mark.slow
def test_the_recorded_run_has_these_tables(made):
    tables, _ = made
    recorded = pd.read_csv(HERE / "released.csv", keep_default_na=False)
    ours = whole_report.numbers(tables)
    names = ["label", "statistic", "element"]
    again = "run: python docs/report/measure.py"
    assert recorded[names].equals(ours[names]), again
    assert np.array_equal(recorded["epsilon"], ours["epsilon"]), again


def test_the_record_is_of_the_whole_file_and_of_no_machine():
    text = (HERE / "measured.json").read_text(encoding="utf-8")
    record = json.loads(text)
    assert record["persons"] == 5_000_000 and record["runs"] >= 3
    assert set(record["engines"]) == {"polars", "dask", "spark"}
    assert not re.search(r"[\\/]|20\d\d-|:\d\d", text)
