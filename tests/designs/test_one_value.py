"""Whether a design's method answers, and with which message, does not depend on the value of one record."""

import io

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.errors import PydpstatError

BOUNDS = {"age": (18, 90), "income": (0, 2e5), "w": (0, 1)}


def people(age: float = 30.0) -> pd.DataFrame:
    """Return 300 records, of which the first has some age."""
    frame = pd.DataFrame({"age": [30.0, 41, 52] * 100, "income": [2e4, 3e4, 5e4] * 100, "w": 1.0})
    frame["sex"] = ["f", "m", "f"] * 100
    frame.loc[0, "age"] = age
    return frame


@pytest.mark.parametrize("age", [30.0, 18.0, 0.0, -5.0, 1e308, np.inf])
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_computed_columns_are_clipped_first_and_never_missing(age, neighbors):
    design = dp.design(people(age), bounds=BOUNDS, neighbors=neighbors, rng=1)
    made = design.assign(log_age="log(age)", per_year="income / age")
    made = made.assign(odd="income / (age - 30)", bounds=(0, 10))
    usual = dp.design(people(), bounds=BOUNDS, neighbors=neighbors, rng=1)
    assert abs(made.mean("log_age", 1000.0).value - np.log([30, 41, 52]).mean()) < 0.01
    assert abs(made.mean("per_year", 1000.0).value - 786.6) < 8.0
    assert 6.6 < made.mean("odd", 1000.0).value < 6.71
    for condition in ("log(age) > 3.5", "sqrt(age - 30) != 2", "not income / (age - 30) < 1"):
        counts = [each.count(condition, 50.0).value for each in (design, usual)]
        assert abs(counts[0] - counts[1]) <= 2


def test_an_undefined_value_is_missing_where_there_is_a_rule():
    design = dp.design(people(), bounds=BOUNDS, missing="drop", rng=1)
    odd = design.assign(odd="1 / (age - 30)", bounds=(0, 1)).mean("odd", 50.0)
    assert abs(odd.noisy_nobs - 200) < 3


@pytest.mark.parametrize("values", [[True, False, None], [True, False, "x"], [1, 0, 10**30], [True, False, 2.5]])
def test_a_column_of_objects_is_compared_value_by_value(values):
    frame = pd.DataFrame({"e": pd.Series([True, False] * 50 + values, dtype=object), "a": np.arange(103.0)})
    design = dp.design(frame, levels={"e": [False, True]}, bounds={"a": (0, 103)}, missing="drop", rng=1)
    truths = sum(each == 1 for each in frame["e"])
    for condition in ("e == 1", "e in (True,)", "e and a >= 0", "not e != True"):
        assert abs(design.count(condition, 50.0).value - truths) <= 1, condition
    assert abs(design.subset("e").count(50.0).value - truths) <= 1


def test_a_blank_field_changes_no_outcome():
    text = "a,e\n" + "\n".join(f"{i},{bool(i % 2)}" for i in range(60))
    counts = []
    for each in (text, text.replace("\n7,True", "\n7,")):
        frame = pd.read_csv(io.StringIO(each))
        design = dp.design(frame, levels={"e": [False, True]}, bounds={"a": (0, 60)}, missing="drop", rng=1)
        made = design.assign(z="e * a")
        counts.append([design.count(each, 50.0).value for each in ("e", "not e")])
        assert abs(made.mean("z", 1000.0).value - 15) < 0.5
    assert counts[0] == [30, 30] and counts[1] == [29, 30]


@pytest.mark.parametrize("column, hidden", [("income", np.nan), ("sex", None), ("w", np.nan)])
def test_the_rule_of_every_column_that_is_read_holds(column, hidden):
    facts = {"bounds": BOUNDS, "levels": {"sex": ["f", "m"]}, "weights": "w", "missing": {column: "drop"}}
    calls = {
        "income": [
            lambda d: d.count("income > 25000", 9.0),
            lambda d: d.assign(high="income > 25000").mean("age", 9.0, by="high"),
            lambda d: d.ols("age ~ income", 9.0),
        ],
        "sex": [lambda d: d.mean("income", 9.0, by="sex"), lambda d: d.count("sex == 'f'", 9.0)],
        "w": [lambda d: d.weighted_mean("income", 9.0)],
    }
    for call in calls[column]:
        frame = people()
        shown = call(dp.design(frame, **facts, rng=1))
        frame.loc[0, column] = hidden
        assert type(call(dp.design(frame, **facts, rng=1))) is type(shown)


@pytest.mark.parametrize("hidden", [None, "f", "m", "x"])
def test_rules_of_several_columns_hold_for_each_alone(hidden):
    facts = {"bounds": BOUNDS, "levels": {"sex": ["f", "m"]}, "missing": {"income": 0.0, "sex": "drop"}}
    frame = people()
    frame.loc[0, "sex"] = hidden
    means = dp.design(frame, **facts, rng=1).mean("income", 1e6, by="sex")
    assert means.estimate.index.tolist() == ["f", "m", "other"]


@pytest.mark.parametrize(
    "call",
    [
        lambda d: d.mean("income", 1, bounds=(0, 1e6)),
        lambda d: d.ttest_ind("income ~ sex", 1, bounds=(0, 1e6)),
        lambda d: d.ols("income ~ age", 1, bounds={"income": (0, 1e6)}),
        lambda d: d.ols("income ~ C(sex)", 1, levels={"sex": ["f", "m", "x"]}),
        lambda d: d.plan("mean", "income", 1, bounds=(0, 1e6), n=100),
        lambda d: d.mean("income", 1, by="sex", levels=["f", "x"]),
    ],
)
def test_a_call_widens_nothing(call):
    design = dp.design(people(), bounds=BOUNDS, levels={"sex": ["f", "m"]}, rng=1)
    with pytest.raises(PydpstatError, match="cannot widen a design"):
        call(design)


def test_a_unit_has_no_more_records_than_declared():
    frame = people().assign(id=np.arange(300) // 2)
    design = dp.design(frame, bounds=BOUNDS, unit="id", max_records=2, rng=1)
    with pytest.raises(PydpstatError, match="max_records must be at most the declared one, 2; got 5"):
        design.mean("income", 1, max_records=5)


def test_a_call_of_a_model_narrows_one_column_beside_the_others():
    design = dp.design(people(), bounds=BOUNDS, levels={"sex": ["f", "m"]}, rng=1)
    fit = design.ols("income ~ age + C(sex)", 1, bounds={"age": (18, 50)}, levels={"sex": ["m", "f"]})
    assert fit.bounds == ((0.0, 2e5), (18.0, 50.0))
    assert "C(sex)[T.f]" in fit.params


def test_units_are_counted_by_group():
    frame = pd.DataFrame({"person": np.arange(900) // 3, "region": np.repeat(["n", "s"], 450)})
    people = dp.design(frame, unit="person", levels={"region": ["n", "s"]}, other=None, rng=1)
    found = people.nunique("person", 50.0, by="region")
    assert found.params.tolist() == [150, 150] and found.guarantee.unit == "person"
