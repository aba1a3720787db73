"""Conditions in formulas and tables, powers in R's notation, and what to write in place of a recoding."""

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp

N = 4000
RNG = np.random.default_rng(5)
AGE = RNG.uniform(18, 90, N).round()
SEX = RNG.choice(["f", "m"], N)
INCOME = 1000 + 100 * AGE + 500 * (SEX == "f") + RNG.normal(0, 1500, N)
FRAME = pd.DataFrame({"age": AGE, "sex": SEX, "income": INCOME.clip(0, 20_000)})
FACTS = {"bounds": {"age": (18, 90), "income": (0, 20_000)}, "levels": {"sex": ["f", "m"]}, "rng": 1}


def people(**more):
    return dp.design(FRAME, **FACTS, **more)


@pytest.mark.parametrize("response", ["income > 6000", "I(income > 6000)", "(income > 6000)"])
def test_the_response_of_logit_is_a_condition(response):
    fit = people().logit(f"{response} ~ age + C(sex)", 1e3)
    same = dp.design(FRAME.assign(high=FRAME.income > 6000), **FACTS).logit("high ~ age + C(sex)", 1e3)
    assert list(fit.params.index) == ["Intercept", "age", "C(sex)[T.m]"]
    assert fit.params.to_list() == same.params.to_list()
    assert "income > 6000" in str(fit.summary())
    assert "income > 6000" in fit.call


def test_conditions_are_predictors():
    s = people()
    fit = s.ols("income ~ age + I(sex == 'f')", 1e4)
    assert {*fit.params.index} == {"Intercept", "I(sex == 'f')[T.True]", "age"}
    assert abs(fit.params.filter(like="sex").iloc[0] - 500) < 200
    mixed = s.logit("income > 6000 ~ age + (age > 65)", 1e3)
    assert "age > 65[T.True]" in mixed.params.index
    with pytest.raises(dp.PydpstatError, match="must compare 'age', which has numbers"):
        s.logit("income > 6000 and age ~ C(sex)", 1.0)
    with pytest.raises(dp.PydpstatError, match="must have levels of 'sex'; got 'x'"):
        s.ols("income ~ I(sex == 'x')", 1.0)
    with pytest.raises(dp.PydpstatError, match="on declared columns; got 'agee'"):
        s.ols("income ~ I(agee > 3)", 1.0)


def test_conditions_are_variables_of_a_table():
    s = people(other=None)
    table = s.crosstab(["sex", "age >= 65"], 1e5).estimate
    assert table.columns.tolist() == [False, True]
    assert table.to_numpy().tolist() == pd.crosstab(FRAME.sex, FRAME.age >= 65).to_numpy().tolist()
    assert s.chi2_contingency(["sex", "age >= 65"], 10.0).df == 1


def test_a_function_without_a_design_says_what_to_write():
    with pytest.raises(dp.PydpstatError, match=r"a condition needs a design: .*dp.design\(frame, ...\).logit"):
        dp.logit("income > 6000 ~ age", FRAME, 1.0, bounds={"age": (18, 90)})
    with pytest.raises(dp.PydpstatError, match="numeric response"):
        people().ols("income > 6000 ~ age", 1.0)


@pytest.mark.parametrize(
    "text, same",
    [
        ("age^2", "age**2"),
        ("I(age^2)", "age**2"),
        ("2 * age^2 + 1", "2 * age**2 + 1"),
        ("-age^2", "-age**2"),
        ("np.log(age)", "log(age)"),
        ("I(numpy.log1p(age) / 2)", "log1p(age) / 2"),
        ("np.sqrt(age) > 5", "sqrt(age) > 5"),
        ("age^2 > 900", "age**2 > 900"),
    ],
)
def test_notations_of_r_and_numpy(text, same):
    one, two = people().assign(x=text), people().assign(x=same)
    assert one.facts.bounds.get("x") == two.facts.bounds.get("x")
    release = "count" if ">" in text else "mean"
    assert getattr(one, release)("x", 1e5).value == getattr(two, release)("x", 1e5).value


def test_powers_in_formulas():
    fit, same = people().ols("income ~ age + I(2 * age^2)", 1e4), people().ols("income ~ age + I(2 * age**2)", 1e4)
    assert fit.params.to_list() == same.params.to_list()
    with pytest.raises(dp.PydpstatError, match=r"Write I\(age \*\* 2\)"):
        people().ols("income ~ age^2", 1.0)


def test_a_string_with_a_caret_is_unchanged():
    s = dp.design({"e": ["a^b", "c"] * 50}, levels={"e": ["a^b", "c"]}, rng=1)
    assert s.count("e == 'a^b'", 1e5).value == 50


@pytest.mark.parametrize(
    "text, remedy",
    [
        ("ifelse(age > 50, 1, 0)", "Write the condition alone, 'age > 50'."),
        ("np.where(age > 50, 1, 0)", "Write the condition alone, 'age > 50'."),
        ("1 if age > 50 else 0", "Write the condition alone, 'age > 50'."),
        ("if_else(age > 50, 'old', 'young')", "Write the condition alone, 'age > 50': its levels are False and True."),
        ("ifelse(age > 50, 2, age)", r"assign(x='(2) * is_true + (age) * (1 - is_true)')"),
        ("cut(age, c(0, 30, 60, 90))", "assign(from_30='age >= 30', from_60='age >= 60')"),
        ("pd.cut(age, [18, 65, 90])", "assign(from_65='age >= 65')"),
        ("cut(age, 3)", "by=['from_30', 'from_60']"),
        ("case_when(age > 50 ~ 'old', TRUE ~ 'young')", "Make a condition of each case"),
        ("recode(sex, f=1, m=0)", "Make a condition of each case"),
        ("factor(sex)", "Declare the levels of the column"),
        ("as.numeric(age)", "Write the column alone"),
        ("between(age, 20, 30)", "Write '20 <= age <= 30'."),
        ("age.between(20, 30)", "Write '20 <= age <= 30'."),
        ("pmin(age, 30)", "Declare narrower bounds"),
        ("age - mean(age)", "What depends on other records"),
        ("age // 10", "Make a condition of each limit, assign(from_30='age >= 30'"),
        ("sin(age)", "Compute it in the data first"),
    ],
)
def test_what_to_write_in_place_of_a_recoding(text, remedy):
    with pytest.raises(dp.PydpstatError) as caught:
        people().assign(x=text)
    assert remedy in str(caught.value)
    if "~" not in text and "." not in text and "//" not in text:
        with pytest.raises(dp.PydpstatError) as caught:
            people().ols(f"income ~ I({text})", 1.0)
        assert remedy in str(caught.value) or "C(sex)" in str(caught.value)


def test_what_a_remedy_says_works():
    made = people().assign(is_true="age > 50").assign(x="(2) * is_true + (age) * (1 - is_true)")
    assert abs(made.mean("x", 1e5).value - np.where(AGE > 50, 2, AGE).mean()) < 0.01
    cut = people().assign(from_30="age >= 30", from_60="age >= 60")
    assert cut.mean("income", 10.0, by=["from_30", "from_60"]).value.size >= 4
