"""A budget is for one privacy unit: what it refuses, and what its ledger keeps of it."""

from __future__ import annotations

import copy
import csv
import io
import json
import pickle
import re
from dataclasses import replace

import pytest

import pydpstat as dp
from pydpstat import Budget, Guarantee, PydpstatError

PERSON = Guarantee(0.25, neighbors="unbounded", unit="person_id")
OTHERS = {
    "a record": (replace(PERSON, unit=None), "a single record"),
    "another unit": (replace(PERSON, unit="household"), "unit 'household'"),
}


def made(place, **more):
    return Budget(1.0, neighbors="unbounded", unit="person_id", **place, **more)


def charged(guarantee):
    result = dp.count([True, False], 0.25, rng=1)
    return replace(result, guarantee=guarantee, claim=guarantee)


@pytest.mark.parametrize("door", ["spend", "charge"])
@pytest.mark.parametrize("other", OTHERS)
def test_another_unit_is_refused_and_nothing_spent(place, other, door):
    budget, (guarantee, named) = made(place), OTHERS[other]
    consequence = {"spend": "Nothing was released", "charge": "Do not publish the result"}[door]
    with pytest.raises(PydpstatError, match=consequence) as caught:
        budget.spend(guarantee, "a call") if door == "spend" else budget.charge(charged(guarantee))
    text = str(caught.value)
    assert "guarantee must be for unit 'person_id', as the budget is" in text and f"is for {named}." in text
    assert "Release with unit='person_id'" in text
    assert budget.spent.epsilon == 0.0 and not budget.entries


def test_a_record_is_a_unit_of_its_own(place):
    budget = Budget(1.0, neighbors="unbounded", **place)
    with pytest.raises(PydpstatError, match="must be for a single record, as the budget is.*unit person_id"):
        budget.spend(PERSON, "a call")
    with pytest.raises(PydpstatError, match="is for unit .person_id.. Make it a budget for units"):
        budget.charge(charged(PERSON))
    assert not budget.entries
    budget.spend(replace(PERSON, unit=None), "a call")
    assert budget.entries[0].unit is None and budget.unit is None and budget.spent.epsilon == 0.25


def test_the_unit_is_named_before_the_neighbors():
    with pytest.raises(PydpstatError, match="must be for unit 'person_id'"):
        made({}).spend(Guarantee(0.25), "a call")
    with pytest.raises(PydpstatError, match="must be for unbounded neighbors, as the budget is.*unit person"):
        made({}).spend(replace(PERSON, neighbors="bounded"), "a call")


@pytest.mark.parametrize(
    "made_of_records",
    [
        lambda: dp.mean([1.0, 2.0], 0.25, bounds=(0, 3)),
        lambda: dp.median([1.0, 2.0], 0.25, bounds=(0, 3)),
        lambda: dp.symmetric_geometric(3, 0.25),
        lambda: dp.meanDP([1.0, 2.0], 0.25, 0, 3),
        lambda: dp.LogisticRegressionDP("l2", 0.25, 1.0, "output").fit([[0.2], [0.9]], [0, 1], [1], [0]),
    ],
    ids=["mean", "median", "noise", "meanDP", "a model"],
)
@pytest.mark.filterwarnings("ignore::pydpstat.errors.PrivacyWarning")
def test_a_block_refuses_what_protects_a_record(made_of_records):
    with made({}) as budget, pytest.raises(PydpstatError, match="'person_id'"):
        made_of_records()
    assert not budget.entries


def test_a_ledger_keeps_the_unit(place):
    budget = made(place)
    budget.spend(PERSON, "count(x)", label="é")
    budget.charge(charged(PERSON))
    assert budget.unit == "person_id" and [each.unit for each in budget.entries] == ["person_id"] * 2
    assert budget.to_frame()["unit"].tolist() == ["person_id"] * 2
    assert [row["unit"] for row in csv.DictReader(io.StringIO(budget.to_csv()))] == ["person_id"] * 2
    found = json.loads(budget.to_json())
    assert found["unit"] == "person_id" and found["entries"][1]["unit"] == "person_id"
    assert repr(budget).endswith("neighbors='unbounded', unit='person_id')")
    assert budget.plan(2).epsilon == 0.25


def test_a_record_has_no_unit_to_show(place):
    budget = Budget(1.0, **place)
    budget.spend(Guarantee(0.5), "count(x)")
    assert budget.to_frame()["unit"].isna().tolist() == [True]
    assert next(csv.DictReader(io.StringIO(budget.to_csv())))["unit"] == ""
    found = json.loads(budget.to_json())
    assert found["unit"] is None and found["entries"][0]["unit"] is None
    assert "Unit:" not in budget.summary().as_text() and "unit=" not in repr(budget)


def test_a_frame_of_both_kinds_of_entries_keeps_its_type():
    for budget in (Budget(1.0), made({})):
        assert str(budget.to_frame()["unit"].dtype) == "string"


def test_a_summary_names_the_unit():
    page = made({}).summary()
    assert re.search(r"Unit: +person_id", page.as_text())
    assert "person_id" in page.as_html() and r"person\_id" in page.as_latex()


def test_a_shared_ledger_is_opened_for_its_unit(shared):
    budget = made(shared)
    place = {"path": budget.path} if budget.path else {"url": budget.url}
    copies = [pickle.loads(pickle.dumps(budget)), copy.copy(budget), Budget.open(**place), made(shared)]
    for number, each in enumerate(copies):
        assert each.unit == "person_id" and each.neighbors == "unbounded"
        with pytest.raises(PydpstatError, match="must be for unit 'person_id'"):
            each.spend(replace(PERSON, unit=None), "a call")
        each.spend(PERSON, f"call {number}")
    assert budget.spent.epsilon == 1.0 and {each.unit for each in budget.entries} == {"person_id"}
    for unit, named in ((None, "a single record"), ("household", "unit 'household'")):
        with pytest.raises(PydpstatError, match=f"for unit 'person_id'; got .*for {named}"):
            Budget(1.0, neighbors="unbounded", unit=unit, **shared)


def test_a_shared_ledger_of_records_is_for_no_unit(shared):
    budget = Budget(1.0, neighbors="unbounded", **shared)
    assert pickle.loads(pickle.dumps(budget)).unit is None
    with pytest.raises(PydpstatError, match="for a single record; got .*for unit 'person_id'"):
        made(shared)


@pytest.mark.parametrize("unit", ["é 'x'; --", "%s {} $1", "person's id", "x" * 300])
def test_any_column_can_be_the_unit(place, unit):
    budget = Budget(1.0, unit=unit, **place)
    budget.spend(Guarantee(0.5, unit=unit), "count(x)")
    assert budget.entries[0].unit == unit == budget.unit
    if place:
        assert pickle.loads(pickle.dumps(budget)).unit == unit
    assert budget.summary().as_text() and budget.summary().as_latex()


def test_an_odometer_is_for_one_unit(place):
    odometer = Budget.odometer(neighbors="unbounded", unit="person_id", **place)
    odometer.spend(PERSON, "count(x)")
    with pytest.raises(PydpstatError, match="must be for unit 'person_id'"):
        odometer.spend(replace(PERSON, unit="household"), "count(x)")
    assert odometer.unit == "person_id" and odometer.spent.epsilon == 0.25
    assert repr(odometer).startswith("Budget.odometer(") and "unit='person_id'" in repr(odometer)


@pytest.mark.parametrize("accountant", ["basic", "zcdp"])
def test_the_account_is_that_of_records(accountant):
    budgets = [Budget(1.0, 1e-6, accountant=accountant, unit=unit) for unit in (None, "person_id")]
    for budget in budgets:
        budget.spend(Guarantee(0.1, unit=budget.unit), "count(x)")
    assert budgets[0].spent == budgets[1].spent and budgets[0].remaining == budgets[1].remaining
