"""Allocations: what is left of a budget, divided among planned calls and reserved in the ledger."""

import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat import Budget, BudgetExceeded, Guarantee, PydpstatError
from pydpstat.budget import Allocation, Reservation
from pydpstat.budget import _file as file
from pydpstat.errors import ArgumentError, AttributeNameError
from tests.budget.processes import run

AGES = [43, 15, 50, 51, 16, 40, 14, 49, 69, 17] * 100


@pytest.fixture(autouse=True)
def no_disk(monkeypatch):
    """What is written here need not last."""
    monkeypatch.setattr(file, "CONNECTION_SETTINGS", ("PRAGMA synchronous = OFF",))


def mean_plan(**more):
    return dp.plan("mean", **{"accuracy": 0.5, "bounds": (0, 100), "n": 1000, **more})


def exact(amounts):
    return sum(Fraction(repr(amount)) for amount in amounts)


def test_weights_divide_what_is_left(place):
    budget = Budget(1.0, **place)
    parts = budget.allocate([0.5, 0.3, 0.2])
    assert [part.epsilon for part in parts.reservations] == [0.5, 0.3, 0.2]
    assert (budget.spent.epsilon, budget.reserved.epsilon, budget.remaining.epsilon) == (0.0, 1.0, 0.0)
    assert list(budget.reservations) == list(parts) == ["part 1", "part 2", "part 3"]


def test_a_reservation_pays_for_its_releases_alone(place):
    budget = Budget(1.0, **place)
    parts = budget.allocate({"mean age": 3, "adults": 1})
    mean = dp.mean(AGES, parts["mean age"].epsilon, bounds=(0, 100), budget=parts["mean age"])
    assert mean.epsilon == 0.75 and list(budget.reservations) == ["adults"]
    with parts["adults"] as part:
        dp.count([age >= 18 for age in AGES], 0.125)
        assert part.remaining.epsilon == 0.125 == part.spent.epsilon
    assert [entry.label for entry in budget.entries] == ["mean age", "adults"]
    assert (budget.spent.epsilon, budget.reserved.epsilon, budget.remaining.epsilon) == (0.875, 0.125, 0.0)
    for payer, who in ((budget, "the budget"), (part, "the reservation 'adults'"), (parts[0], "the reservation 'mean")):
        with pytest.raises(BudgetExceeded, match=f"^{who}.* does not cover this release: it needs epsilon 0.25, and"):
            dp.count([True], 0.25, budget=payer, rng=1)
    parts.release()
    parts.release()
    assert budget.remaining.epsilon == 0.125 and not budget.reservations
    with pytest.raises(BudgetExceeded, match="'adults' does not cover .* epsilon 0 is left"):
        part.spend(Guarantee(0.125), "count(x)")
    budget.spend(Guarantee(0.125), "count(x)")
    assert budget.spent.epsilon == 1.0


def test_plans_are_scaled_by_one_factor():
    budget = Budget(1.0)
    age, adults = mean_plan(accuracy=1.0), dp.plan("count", 0.1)
    parts = budget.allocate({"mean age": age, "adults": adults, "model": 0.3})
    table = parts.to_frame()
    factor = table["epsilon"] / [age.epsilon, 0.1, 0.3]
    assert np.allclose(factor, factor.iloc[0], rtol=1e-5) and factor.iloc[0] > 1.0
    assert 1.0 - 1e-5 < exact(table["epsilon"]) <= 1
    assert list(table) == ["call", "epsilon", "wanted", "accuracy"]
    row = table.loc["mean age"]
    assert row["wanted"] == pytest.approx(age.accuracy()) and row["call"] == "mean"
    again = dp.plan("mean", row["epsilon"], bounds=(0, 100), n=1000)
    assert row["accuracy"] == again.accuracy() and table["accuracy"].isna().tolist() == [False, False, True]
    # Laplace noise: the accuracies have the factor of the epsilons
    assert row["accuracy"] * factor.iloc[0] == pytest.approx(row["wanted"], rel=1e-3)


def test_without_scaling_the_rest_stays_free():
    budget = Budget(1.0)
    age = mean_plan()
    parts = budget.allocate({"mean age": age, "model": 0.25}, scale=False)
    assert [part.epsilon for part in parts.reservations] == [age.epsilon, 0.25]
    assert exact([budget.remaining.epsilon, budget.reserved.epsilon]) == 1
    with pytest.raises(BudgetExceeded, match="these calls: they need epsilon 0.9, and epsilon .* is left. Nothing was"):
        budget.allocate({"another": 0.9}, scale=False)
    with pytest.raises(PydpstatError, match="weights must be left out with scale=False"):
        budget.allocate({"b": age}, {"b": 1}, scale=False)


def test_weights_replace_the_epsilons_of_plans():
    plans = {"mean age": mean_plan(), "adults": dp.plan("count", 0.1)}
    by_name = Budget(1.0).allocate(plans, {"adults": 1, "mean age": 3})
    in_order = Budget(1.0).allocate(list(plans.values()), pd.Series([3, 1]))
    for parts, names in ((by_name, ["mean age", "adults"]), (in_order, ["mean", "count"])):
        assert [part.epsilon for part in parts.reservations] == [0.75, 0.25] and list(parts) == names


def test_a_list_is_named_by_its_plans():
    facts = dp.design(bounds={"income": (0, 200_000)}, levels={"sex": ["f", "m"]}, neighbors="unbounded")
    plans = [facts.plan("mean", "income", 0.1, n=2000, by="sex"), facts.plan("count", 0.1), facts.plan("count", 0.1)]
    plans += [dp.plan("binomtest", 0.2, n=100, effect=0.15, neighbors="unbounded"), 0.5]
    budget = Budget(1.0, neighbors="unbounded")
    parts = budget.allocate(plans)
    assert list(parts) == ["mean of income by sex", "count of records", "count of records (2)", "binomtest", "part 5"]
    table = parts.to_frame()
    assert list(table) == ["call", "epsilon", "accuracy", "power"]
    planned = dp.plan("binomtest", table["epsilon"].iloc[3], n=100, effect=0.15, neighbors="unbounded")
    assert table["power"].iloc[3] == planned.power and table["power"].notna().sum() == 1


def test_what_was_reserved_is_what_the_release_costs():
    """Gaussian, sampled, by group and by quantile, with both accountants: the reservation ends with its release."""
    group = {"by": ["a", "b"] * 500, "levels": ["a", "b"]}
    calls = {
        "gaussian": ("mean", {"bounds": (0, 100), "mechanism": "gaussian", "delta": 1e-6}, {"n": 1000}),
        "sampled": ("mean", {"bounds": (0, 100), "sample": 0.1}, {"n": 1000}),
        "groups": ("sum", {"bounds": (0, 100), **group, "other": None}, {"by": "g"}),
        "median": ("median", {"bounds": (0, 100)}, {"n": 1000, "distribution": "normal"}),
    }
    for accountant in ("basic", "zcdp"):
        budget = Budget(1.0, 1e-5, accountant=accountant)
        plans = {name: dp.plan(call, 0.2, **{**more, **facts}) for name, (call, more, facts) in calls.items()}
        parts = budget.allocate(plans)
        limit = budget.reserved.rho or budget.reserved.epsilon
        for name, (call, more, _) in calls.items():
            getattr(dp, call)(AGES, parts[name].epsilon, budget=parts[name], **more)
            assert parts[name].remaining[0] == 0.0 and name not in budget.reservations
        assert (budget.spent.rho or budget.spent.epsilon) == pytest.approx(limit, rel=1e-12)
        assert parts["gaussian"].delta == 1e-6 and budget.entries[0].delta == 1e-6


def test_the_default_neighbors_unit_and_accountant_are_those_of_the_budget():
    plain = dp.plan("mean", 0.5, bounds=(0, 100), n=1000)
    private = Budget(1.0, neighbors="unbounded")
    parts = private.allocate({"mean": plain})
    dp.mean(AGES, parts[0].epsilon, bounds=(0, 100), budget=parts[0])
    assert private.entries[0].neighbors == "unbounded" and parts[0].neighbors == "unbounded"
    there = dp.plan("mean", 1.0, bounds=(0, 100), n=1000, neighbors="unbounded")
    assert parts.to_frame()["accuracy"].iloc[0] == there.accuracy()
    with pytest.raises(PydpstatError, match="guarantee must be for unbounded neighbors.* Nothing was reserved."):
        private.allocate({"mean": dp.plan("mean", 0.5, bounds=(0, 100), n=1000, neighbors="bounded")})


def test_a_delta_that_is_not_left_is_refused():
    gaussian = mean_plan(mechanism="gaussian", delta=1e-6)
    with pytest.raises(BudgetExceeded, match="Plan with smaller deltas") as error:
        Budget(1.0, 1e-6).allocate([gaussian, gaussian])
    assert error.value.difference.delta == 1e-6
    parts = Budget(1.0, 2e-6).allocate([gaussian, gaussian, dp.plan("count", 0.1)])
    assert parts.to_frame()["delta"].tolist() == [1e-6, 1e-6, 0.0]
    assert exact(parts.to_frame()["epsilon"]) <= 1


def test_a_rest_of_an_allocation_is_not_divided_again():
    budget = Budget(1.0)
    budget.allocate([1, 1, 1])
    assert 0.0 < budget.remaining.epsilon < 1e-5
    with pytest.raises(BudgetExceeded, match="too little to divide. Another epsilon 0.999999 is reserved: see budget."):
        budget.allocate([1, 1, 1])
    with pytest.raises(PydpstatError, match="got 'part 1', which is reserved already"):
        budget.allocate({"part 1": 1e-7}, scale=False)
    budget.reservations["part 1"].release()
    assert list(budget.allocate([1])) == ["part 1"]


@pytest.mark.parametrize(
    "plans, weights, said",
    [
        (4, None, r"plans must be a dict of plans by name, or a list; got 4. For equal parts write \[1\] \* 4."),
        ("mean", None, "plans must be a dict"),
        (None, None, "plans must be a dict"),
        ([], None, "plans must have at least one plan"),
        ({}, None, "plans must have at least one plan"),
        ({1: 1.0}, None, "plans must have names that are strings; got 1"),
        ({" ": 1.0}, None, "plans must have names that are strings"),
        (["mean"], None, r"plans\[0\] must be a plan, as from dp.plan"),
        ({"a": -1.0}, None, r"plans\['a'\] must be a positive finite number; got -1.0. It is an epsilon or a weight."),
        ([math.nan], None, r"plans\[0\] must be a positive finite number"),
        ([math.inf], None, r"plans\[0\] must be a positive finite number"),
        ([1, 2], [1, 2], "weights must be left out where plans are numbers"),
        ([mean_plan()], [1, 2], "weights must have one number for each of the 1 plans; got list of length 2"),
        ([mean_plan()], 3, "weights must have one number for each"),
        ({"a": mean_plan()}, [1], "Give a dict by name"),
        ({"a": mean_plan()}, {"b": 1}, "weights must name every plan and no other; it lacks 'a'"),
        ({"a": mean_plan()}, {"a": 0}, r"weights\['a'\] must be a positive finite number; got 0"),
    ],
)
def test_wrong_arguments(plans, weights, said):
    budget = Budget(1.0)
    with pytest.raises(PydpstatError, match=said):
        budget.allocate(plans, weights)
    assert budget.remaining.epsilon == 1.0


def test_wrong_names_lead_to_allocate():
    budget = Budget(1.0)
    for name in ("split", "divide", "distribute", "reserve", "share"):
        with pytest.raises(AttributeNameError, match=r"budget.allocate\(\{"):
            getattr(budget, name)
    with pytest.raises(PydpstatError, match=r"releases must be .*budget.allocate\(\[0.5, 0.3, 0.2\]\)"):
        budget.plan([0.5, 0.3, 0.2])
    with pytest.raises(ArgumentError, match=r"with budget.allocate\(\[1\] \* 4\)\[0\]:"), budget.plan(4):
        pass
    parts = budget.allocate({"mean age": 1, "adults": 1})
    with pytest.raises(ArgumentError, match="got 'mean ages'. Did you mean 'mean age'"):
        parts["mean ages"]
    with pytest.raises(ArgumentError, match="got 2. It has"):
        parts[2]
    with pytest.raises(AttributeNameError, match=r"A call has it: write allocation\['mean age'\].epsilon"):
        _ = parts.epsilon
    assert parts[-1] is parts["adults"] and len(parts) == 2
    with pytest.raises(PydpstatError, match="an odometer has no limit"):
        Budget.odometer().allocate([1])


def test_a_design_spends_from_a_reservation():
    frame = pd.DataFrame({"age": AGES})
    budget = Budget(1.0)
    parts = budget.allocate({"mean age": mean_plan(), "adults": 0.1})
    people = dp.design(frame, bounds={"age": (0, 100)}, neighbors="bounded", budget=parts["mean age"])
    people.mean("age", parts["mean age"].epsilon)
    assert budget.entries[0].label == "mean age" and budget.entries[0].call.startswith("mean('age'")


def test_a_result_is_charged_once_in_all():
    budget = Budget(1.0)
    part = budget.allocate({"a": 1, "b": 1})["a"]
    mean = dp.meanDP(AGES, 0.1, 0, 100)
    part.charge(mean)
    with pytest.raises(PydpstatError, match="must not be charged twice"):
        budget.charge(mean)
    with pytest.raises(PydpstatError, match="must not be charged twice"):
        part.charge(mean)
    with part.labeled("other"):
        part.spend(Guarantee(0.01), "mine")
    assert [entry.label for entry in budget.entries] == ["a", "other"]


def test_tables_and_pictures():
    pytest.importorskip("matplotlib")
    budget = Budget(1.0, 1e-6, accountant="zcdp")
    parts = budget.allocate({"mean age": mean_plan(), "model": 0.3})
    text = parts.summary().as_text()
    assert "Allocation of a privacy budget" in text and "mean age" in text and "Ledger: in memory" in text
    assert list(parts.to_frame()) == ["call", "epsilon", "rho", "wanted", "accuracy"]
    assert parts.to_dict()["model"]["accuracy"] is None and json.dumps(parts.to_dict())
    assert parts.to_csv().startswith(",call,") or "mean age" in parts.to_csv()
    assert "mean age" in parts.to_latex() and "mean age" in parts.to_markdown() and "mean age" in parts.to_html()
    assert "mean age" in str(parts) and repr(parts).startswith("<Allocation of rho") and "model" in repr(parts[1])
    axes = parts.plot()
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[0].startswith("mean age (accuracy") and names[1:] == ["model"]
    free = Budget(1.0).allocate({"model": 0.3}, scale=False).plot()
    assert [label.get_text() for label in free.get_yticklabels()] == ["model", "left"]
    with pytest.raises(PydpstatError, match="cannot be (changed|set)"):
        parts.calls = ()
    with pytest.raises(PydpstatError, match="cannot be set"):
        parts[0].epsilon = 3.0
    with pytest.raises(PydpstatError, match="a budget in memory cannot be copied or pickled"):
        pickle.dumps(parts)


def test_the_budget_shows_what_is_reserved():
    pytest.importorskip("matplotlib")
    budget = Budget(1.0)
    parts = budget.allocate({"mean age": 3, "adults": 1}, scale=True)
    dp.count([True], 0.125, budget=parts["adults"])
    lines = str(budget).splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["spent", "reserved", "left"]
    assert "0.875" in lines[-2] and "87.5 %" in lines[-2]
    assert "Epsilon reserved:" in budget.summary().as_text() and "reserved" in budget._repr_html_()
    found = json.loads(budget.to_json())
    assert found["reserved"]["epsilon"] == 0.875 and [each["name"] for each in found["reservations"]] == [*parts]
    assert found["reservations"][1]["remaining"]["epsilon"] == 0.125
    names = [label.get_text() for label in budget.plot().get_yticklabels()]
    assert names == ["adults", "reserved", "left"]
    parts.release()
    assert "reserved" not in str(budget) and "reserved" not in budget.summary().as_text()


def test_reservations_outlive_their_process(shared):
    budget = Budget(1.0, **shared)
    parts = budget.allocate({"mean age": 3, "adults": 1})
    copied = pickle.loads(pickle.dumps(parts))
    assert isinstance(copied, Allocation) and copied.to_frame().equals(parts.to_frame())
    copied["mean age"].spend(Guarantee(0.5), "mean(x)")
    assert parts["mean age"].remaining.epsilon == 0.25
    script = (
        "import json, sys, pydpstat as dp\n"
        "budget = dp.Budget.open(**json.loads(sys.argv[1]))\n"
        "part = budget.reservations['mean age']\n"
        "dp.count([True, False], 0.25, budget=part)\n"
        "print(budget.remaining.epsilon, sorted(budget.reservations), part.epsilon)"
    )
    where = json.dumps({name: str(value) for name, value in shared.items()})
    assert run("-c", script, where) == "0.0 ['adults'] 0.75\n"
    assert parts["mean age"].remaining.epsilon == 0.0 and isinstance(budget.reservations["adults"], Reservation)
    again = Budget.open(**shared)
    again.reservations["adults"].release()
    assert budget.remaining.epsilon == 0.25 and budget.spent.epsilon == 0.75
    with pytest.raises(BudgetExceeded):
        parts["adults"].spend(Guarantee(0.25), "count(x)")


def test_a_division_follows_what_others_spend_meanwhile(place, monkeypatch):
    budget = Budget(1.0, **place)
    reserve, calls = type(budget._ledger).reserve, []

    def spent_before(ledger, *arguments):
        calls.append(len(calls))
        if len(calls) < 3:
            budget.spend(Guarantee(0.25), "another release")
        return reserve(ledger, *arguments)

    monkeypatch.setattr(type(budget._ledger), "reserve", spent_before)
    parts = budget.allocate([1, 1])
    assert [part.epsilon for part in parts.reservations] == [0.25, 0.25] and len(calls) == 3
