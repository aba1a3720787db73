"""What a design declares: checked once, shown, and held record by record."""

import ast

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat as dp
from pydpstat._data.aggregates import AllOf, AnyOf, Comparison, Not
from pydpstat.designs._conditions import Condition, make_engine_test

FRAME = pd.DataFrame({"age": [20.0, np.nan, 41.0], "sex": ["f", None, "m"], "id": [1, 1, 2], "other": 0})


def test_it_shows_what_is_declared_and_what_a_column_lacks():
    people = dp.design(FRAME, bounds={"age": (0, 110)}, levels={"sex": ["f", "m"]}, unit="id", missing="drop")
    assert repr(people).splitlines() == [
        "Design",
        "protects  each id, unbounded neighbors; at most 1 record of each id counts",
        "missing   drop",
        "  age    from 0 to 110",
        "  sex    2 levels ['f', 'm']",
        "  id     unit",
        "  other  nothing declared: no bounds, no levels",
    ]


@pytest.mark.parametrize(
    "facts, said",
    [
        ({"bounds": {"agee": (0, 1)}}, "bounds must name columns of the data.*Did you mean 'age'"),
        ({"bounds": (0, 1)}, "bounds must be a dict by column; got tuple"),
        ({"bounds": {"age": (1, 0)}}, r"bounds\['age'\] must be a pair.*the upper one first"),
        ({"levels": {"sex": "f"}}, r"levels\['sex'\] must be a list of the public levels"),
        ({"levels": {"sex": ["f", "f"]}}, "without repetition.*'f' twice"),
        ({"levels": {"sex": []}}, "must be a list of the public levels"),
        ({"unit": "idd"}, "unit must name columns of the data"),
        ({"max_records": 2}, "max_records must not be given without unit"),
        (
            {"levels": {"sex": ["f", None]}},
            "levels.'sex'. must be strings, numbers or truth values; got None",
        ),
        ({"levels": {"sex": [["f"], ["m"]]}}, "got list of length 1 among them"),
        ({"levels": {"sex": {"f", "m"}}}, "must be a list of the public levels.*got set of length 2"),
        ({"levels": {"sex": "declare"}}, "or 'declared' for those of a Categorical; got 'declare'"),
        ({"levels": ["f", "m"]}, "levels must be a dict by column; got list"),
        ({"bounds": {"age": (0, np.inf)}}, "finite numbers.*got one that is not finite"),
        ({"bounds": {3: (0, 1)}}, "bounds must name columns of the data; got 3"),
        ({"unit": ["id"]}, "unit must name columns of the data; got list of length 1"),
        ({"unit": "id", "max_records": 0}, "max_records must be a whole number of at least 1; got 0"),
        ({"weights": "weight"}, "weights must name columns of the data; got 'weight'.*The columns are"),
        ({"weights": "age"}, "bounds must include those of the weights"),
        ({"weights": "age", "bounds": {"age": (-1, 3)}}, "bounds of the weights 'age' must not be below 0"),
        ({"strata": "sexx"}, "strata must name columns of the data; got 'sexx'.*Did you mean 'sex'"),
        ({"strata": "sex"}, "levels must include those of the strata; 'sex' has none"),
        ({"missing": "drpo"}, "missing must be 'error', 'drop'.*got 'drpo', which is not a declared level"),
        ({"missing": {"age": "eror"}}, "got 'eror'.*Did you mean 'error'"),
        ({"missing": {"agee": "drop"}}, "missing must name columns.*Did you mean 'age'"),
        ({"other": 3}, "other must be a name for values that are in no level, or None; got 3"),
        ({"budget": 1.0}, "budget must be None or a Budget; got 1.0"),
        ({"rng": "x"}, "rng must be None, an int"),
        ({"neighbors": "both"}, "neighbors must be"),
    ],
)
def test_wrong_facts_are_named(facts, said):
    with pytest.raises(dp.PydpstatError, match=said):
        dp.design(FRAME, **facts)


def test_columns_need_names():
    with pytest.raises(dp.PydpstatError, match="data must have columns with names"):
        dp.design(np.ones((3, 2)))
    for frame in (pd.DataFrame({0: [1.0]}), pd.Series([1.0])):
        with pytest.raises(dp.PydpstatError, match="whose names are strings; got the name 0"):
            dp.design(frame)
    with pytest.raises(dp.PydpstatError, match="columns with different names; got two columns 'a'"):
        dp.design(pd.DataFrame(np.ones((2, 2)), columns=["a", "a"]))
    assert dp.design({"age": [1.0, 2.0]}, bounds={"age": (0, 3)}).columns == ("age",)
    assert dp.design(pd.Series([1.0, 2.0], name="age")).columns == ("age",)


def test_one_rule_for_missing_values_or_one_by_column():
    people = dp.design(FRAME, bounds={"age": (0, 110), "id": (0, 9)}, missing={"age": "drop"}, rng=1)
    assert people.mean("age", 9.0).value >= 0
    # a column that misses nothing may stand beside others
    assert people.mean(["age", "id"], 1.0).value.shape == (2,)
    people = dp.design(FRAME, bounds={"age": (0, 110), "id": (0, 9)}, missing={"age": "drop", "id": 0}, rng=1)
    assert people.mean(["age", "id"], 1.0).value.shape == (2,)
    assert people.mean(["age", "id"], 1.0, missing="drop").value.shape == (2,)


@pytest.mark.parametrize(
    "text, true, known",
    [
        ("age >= 41", [0, 0, 1], [1, 0, 1]),
        ("18 <= age < 41", [1, 0, 0], [1, 0, 1]),
        ("41 <= age", [0, 0, 1], [1, 0, 1]),
        ("age != 20", [0, 0, 1], [1, 0, 1]),
        ("not age >= 41", [1, 0, 0], [1, 0, 1]),
        ("sex == 'f'", [1, 0, 0], [1, 0, 1]),
        ("sex in ('f', 'x')", [1, 0, 0], [1, 0, 1]),
        ("sex not in ['f']", [0, 0, 1], [1, 0, 1]),
        ("sex in ()", [0, 0, 0], [0, 0, 0]),
        # known whatever is missing
        ("id == 1 or age > 5", [1, 1, 1], [1, 1, 1]),
        ("id == 2 and age > 5", [0, 0, 1], [1, 1, 1]),
    ],
)
@pytest.mark.parametrize("kind", ["frame", "nullable", "categories"])
def test_conditions_follow_kleenes_logic(text, true, known, kind):
    frame = FRAME.drop(columns="other")
    if kind == "nullable":
        frame = frame.convert_dtypes()
    elif kind == "categories":
        frame = frame.astype({"sex": "category"})
    found = Condition(text).evaluate_truths(frame)
    assert (found[0] & found[1]).tolist() == list(map(bool, true))
    assert found[1].tolist() == list(map(bool, known))


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20), st.floats(-5, 5), st.floats(-5, 5))
def test_conditions_are_those_of_numpy(values, low, high):
    x = np.array(values)
    true, known = Condition("x > -1 and (x <= 2 or not x != 4)").evaluate_truths({"x": x})
    assert known.all() and np.array_equal(true, (x > -1) & ((x <= 2) | (x == 4)))
    true, _ = Condition(f"{low!r} <= x < {high!r}").evaluate_truths({"x": x}) if low >= 0 <= high else (None, None)
    assert true is None or np.array_equal(true, (low <= x) & (x < high))


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("age", "must compare 'age', which has numbers, not truth values"),
        ("employed and not age", "must compare 'age'"),
        ("region == 'nrth'", "must have levels of 'region'; got 'nrth'"),
        ("region in ('north', 'q')", "must have levels of 'region'; got 'q'"),
    ],
)
def test_conditions_are_on_what_columns_can_be(condition, message):
    people = dp.design(bounds={"age": (0, 110)}, levels={"region": ["north", "south"], "employed": [False, True]})
    with pytest.raises(dp.PydpstatError, match=message):
        people.subset(condition)
    assert "subset" in repr(people.subset("employed and not region == 'north' and age != 3"))


def test_comparisons_can_be_evaluated_by_engines():
    def test_of(text):
        return make_engine_test(ast.parse(text, mode="eval").body)

    for by in (">=", "<"):
        assert test_of(f"age {by} 65") == AllOf((Comparison("age", by, 65.0),))
    assert test_of("age != 3") == AllOf((Not(AnyOf((Comparison("age", "==", 3.0),))),))
    # numbers that a float would round, and columns on both sides, are not
    assert test_of(f"age > {2**53 + 1}") is None and test_of("age > limit") is None


def test_a_condition_on_a_column_without_facts_says_what_to_declare():
    people = dp.design(FRAME, bounds={"age": (0, 110)})
    with pytest.raises(dp.PydpstatError, match=r"levels=\{'other': \[False, True\]\}"):
        people.subset("other and age > 3")
    with pytest.raises(dp.PydpstatError, match=r"bounds=\{'other': \(lower, upper\)\}"):
        people.subset("other > 3")
