"""Columns that are made record by record: their numbers, their bounds, and what is refused."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat as dp
from pydpstat.designs._expressions import NumericExpression
from tests.designs.method_calls import AGE, BOUNDS, FRAME, INCOME, LEVELS, OPEN, sized, unsized

EXPRESSIONS = {
    "x + y": lambda x, y: x + y,
    "x - 2 * y": lambda x, y: x - 2.0 * y,
    "-x / (y + 10)": lambda x, y: -x / (y + 10.0),
    "x ** 2 - y ** 3": lambda x, y: x * x - y * y * y,
    "(y + 10) ** -2": lambda x, y: 1.0 / ((y + 10.0) * (y + 10.0)),
    "(x + 6) ** 1.5": lambda x, y: math.pow(x + 6.0, 1.5),
    "abs(x) * sqrt(y + 6)": lambda x, y: abs(x) * math.sqrt(y + 6.0),
    "log(x + 6)": lambda x, y: math.log(x + 6.0),
    "log10(x + 6) + log1p(y + 6)": lambda x, y: math.log10(x + 6.0) + math.log1p(y + 6.0),
    "exp(-x) - 1e-3": lambda x, y: math.exp(-x) - 1e-3,
}
FIVE = st.floats(-5.0, 5.0)


@pytest.mark.parametrize("text", EXPRESSIONS)
@given(st.lists(st.tuples(FIVE, FIVE), min_size=1, max_size=40))
def test_each_number_is_its_records_own_and_within_the_bounds(text, records):
    x, y = np.array(records).T
    expression, alone = NumericExpression(text), EXPRESSIONS[text]
    found = expression.compute_values({"x": x, "y": y})
    # bit for bit, whatever records stand beside it
    assert found.tolist() == [alone(*each) for each in records]
    low, high = expression.compute_bounds({"x": (-5.0, 5.0), "y": (-5.0, 5.0)})
    assert low <= found.min() and found.max() <= high


@pytest.mark.parametrize(
    "text, bounds, expected",
    [
        ("log(x)", (1, math.e), (0.0, 1.0)),
        ("log(x)", (0, 1), (-math.inf, 0.0)),
        ("sqrt(x)", (-4, 9), (0.0, 3.0)),
        ("sqrt(x)", (-4, -1), (-math.inf, math.inf)),
        ("1 / x", (2, 4), (0.25, 0.5)),
        ("1 / x", (-1, 1), (-math.inf, math.inf)),
        ("x ** 2", (-3, 2), (0.0, 9.0)),
        ("x ** 3", (-3, 2), (-27.0, 8.0)),
        ("x ** -2", (-2, -1), (0.25, 1.0)),
        ("x ** 0.5", (-4, 9), (0.0, 3.0)),
        ("abs(x - 1)", (0, 5), (0.0, 4.0)),
        ("-x", (1, 3), (-3.0, -1.0)),
        ("exp(x)", (0, 1000), (1.0, math.inf)),
    ],
)
def test_bounds_follow_by_interval_arithmetic(text, bounds, expected):
    assert NumericExpression(text).compute_bounds({"x": tuple(map(float, bounds))}) == expected


def test_what_is_missing_or_undefined_is_missing():
    nan = math.nan
    x = np.array([0.0, -1.0, 1000.0, nan])
    for text, expected in (
        ("log(x)", [nan, nan, math.log(1000.0), nan]),
        ("1 / x", [nan, -1.0, 0.001, nan]),
        ("x ** -1 * x", [nan, 1.0, 1.0, nan]),
        ("x ** 0.5", [0.0, nan, math.sqrt(1000.0), nan]),
        ("sqrt(x)", [0.0, nan, math.sqrt(1000.0), nan]),
        # an infinite number on the way is none
        ("1 / exp(x)", [1.0, math.e, nan, nan]),
        ("x - x", [0.0, 0.0, 0.0, nan]),
    ):
        assert np.allclose(NumericExpression(text).compute_values({"x": x}), expected, rtol=1e-15, equal_nan=True)
    nullable = pd.array([1, None], dtype="Int64")
    assert np.array_equal(NumericExpression("x + 1").compute_values({"x": nullable}), [2.0, nan], equal_nan=True)
    assert NumericExpression("2 * x").compute_values({"x": np.array([True, False])}).tolist() == [2.0, 0.0]


def test_an_assigned_column_is_as_one_of_the_data():
    people = unsized().assign(root="sqrt(income)", old="age >= 65", months="12 * age")
    root, old = np.sqrt(INCOME), AGE >= 65
    assert people.facts.bounds["root"] == (0.0, math.sqrt(200_000))
    assert people.facts.levels["old"] == (False, True)
    frame = FRAME.assign(root=root, old=old, months=12.0 * AGE)
    own = dp.design(
        frame,
        bounds={**BOUNDS, "root": (0.0, math.sqrt(200_000)), "months": (0, 1320)},
        levels={**LEVELS, "old": [False, True]},
    )
    for call in (
        lambda each: each.mean("root", 0.5, by=["old", "sex"], rng=5),
        lambda each: each.cov(["root", "months"], 0.5, rng=5),
        lambda each: each.crosstab(["old", "region"], 0.5, rng=5),
        lambda each: each.proportion("root > 150 and old", 0.5, rng=5),
        lambda each: each.subset("months < 600 or old").mean("root", 0.5, rng=5),
        lambda each: each.subset("age < 50").count(0.5, by="old", rng=5),
        lambda each: each.subset("root > 12 * age").count(0.5, rng=5),
        lambda each: (
            each.assign(half="months / 2").mean("half", 0.5, rng=5)
            if each is people
            else dp.mean(6.0 * AGE, 0.5, bounds=(0, 660), **OPEN, rng=5)
        ),
    ):
        assert np.array_equal(call(people).value, call(own).value)
    model = sized().assign(log_age="log1p(age)").ols("income ~ log_age + C(sex)", 2.0, rng=5)
    alone = dp.ols(
        "income ~ log_age + C(sex)",
        FRAME.assign(log_age=np.vectorize(math.log1p)(AGE)),
        2.0,
        bounds={"income": BOUNDS["income"], "log_age": (0, math.log1p(110))},
        levels={"sex": LEVELS["sex"]},
        rng=5,
    )
    assert model.params.tolist() == alone.params.tolist()


def test_missing_values_go_on_where_those_of_the_sources_are_dropped():
    frame = pd.DataFrame({"x": [0.0, 1.0, np.nan, 4.0], "y": 1.0})
    people = dp.design(frame, bounds={"x": (0, 9), "y": (0, 1)}, missing={"x": "drop"}, rng=1)
    logs = people.assign(lx="log(x)", ly="log1p(y)", bounds={"lx": (-5, 3)})
    assert logs.facts.get_missing_rule("lx") == "drop" and logs.facts.get_missing_rule("ly") == "error"
    assert 0 < logs.mean("lx", 99.0).value < 1.2
    with pytest.raises(dp.PydpstatError, match="missing"):
        people.assign(z="1 / y - x / x", bounds=(0, 1)).mean("z", 9.0, missing="error")


def test_it_is_shown_written_down_and_planned():
    people = unsized().assign(root="sqrt(income)", old="age >= 65").subset("root > 10")
    assert "  root      sqrt(income), from 0 to 447.214" in repr(people)
    assert "  old       age >= 65, 2 levels (False, True)" in repr(people).replace("[False, True]", "(False, True)")
    facts = people.to_dict()
    assert facts["assigned"] == {"root": "sqrt(income)", "old": "age >= 65"}
    assert facts["subset"] == "root > 10"
    again = dp.design.from_dict(FRAME, facts)
    assert again == people and pickle.loads(pickle.dumps(people)).facts == people.facts
    plans = dp.design.from_dict(None, facts)
    assert plans.plan("sum", "root", 1.0, by="old").result.value.shape == (3,)
    assert people.mean("root", 1.0).guarantee.conditions[0] == ("the declared bounds of root are public")


@pytest.mark.parametrize(
    "columns, said",
    [
        ({"z": "log(income)"}, r"bounds must be given for 'z': 'log\(income\)' has no finite"),
        ({"z": "log(incom)"}, "must be on declared columns; got 'incom'.*Did you mean 'income'"),
        ({"z": "note + 1"}, "must be on declared columns; got 'note'"),
        ({"z": "center(age)"}, r"made of columns and numbers .* got 'center\(age\)'.*released first"),
        ({"z": "age - age.mean()"}, r"got 'age.mean\(\)'"),
        ({"z": "age % 2"}, "got 'age % 2'"),
        ({"z": "age ** age"}, r"must have a number other than 0 as exponent; got 'age \*\* age'"),
        ({"z": "age ** 0"}, "must have a number other than 0"),
        ({"z": "log(age, 2)"}, r"got 'log\(age, 2\)'"),
        ({"z": "log"}, "must be on declared columns; got 'log'"),
        ({"z": "1 + 1"}, "must be of columns; got '1 [+] 1'"),
        ({"z": "1e400 * age"}, "must be made of columns and numbers"),
        ({"z": "age +"}, "must be one that Python can read"),
        ({"z": 3}, "z must be an expression, a string such as.*; got 3"),
        ({"z": lambda x: x}, "z must be an expression"),
        ({"age": "2 * age"}, "assign must make new columns; got 'age', which exists"),
        ({}, "assign must have columns"),
        ({"z": "age", "bounds": {"y": (0, 1)}}, "assign must have columns, and their bounds"),
        ({"z": "age", "y": "age", "bounds": (0, 1)}, "a pair for one column, or a dict by column"),
        ({"z": "age > 3", "bounds": (0, 1)}, "bounds must be left out for 'z'"),
        ({"z": "age", "bounds": (1, 0)}, "bounds of 'z' must be a pair.*upper one first"),
    ],
)
def test_wrong_columns_are_named(columns, said):
    with pytest.raises(dp.PydpstatError, match=said):
        unsized().assign(**columns)


def test_texts_are_no_numbers():
    with pytest.raises(dp.PydpstatError, match="must be of numbers or truth values; 'sex' has the type"):
        unsized().assign(z="sex + 1", bounds=(0, 1)).mean("z", 1.0)


def test_bounds_that_are_not_finite_must_be_given():
    people = dp.design(bounds={"x": (0.0, 1000.0)})
    for text in ("exp(x)", "x * 1e307"):
        with pytest.raises(dp.PydpstatError, match="bounds must be given for 'y'.* has no finite bounds"):
            people.assign(y=text)
        assert people.assign(bounds=(0.0, 10.0), y=text).facts.bounds["y"] == (0.0, 10.0)
