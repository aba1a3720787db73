"""A budget that is printed: what was spent and is left, by label; and what a ledger's lines say."""

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.budget._report import group_by_label

FRAME = pd.DataFrame(
    {
        "income": np.linspace(0.0, 100.0, 240),
        "age": np.linspace(18.0, 90.0, 240),
        "sex": ["f", "m"] * 120,
        "region": ["n", "s", "w"] * 80,
        "employed": [True, False, True] * 80,
        "before": np.linspace(0.0, 1.0, 240),
        "after": np.linspace(0.0, 0.9, 240),
    }
)
BOUNDS = {"income": (0, 100), "age": (18, 90), "before": (0, 1), "after": (0, 1)}
LEVELS = {"sex": ["f", "m"], "region": ["n", "s", "w"], "employed": [False, True]}


def study(budget, **more):
    return dp.design(FRAME, bounds=BOUNDS, levels=LEVELS, budget=budget, **more)


@pytest.mark.parametrize(
    ("ask", "label"),
    [
        (lambda of: of.count(0.1), "count of records"),
        (lambda of: of.count("age >= 65", 0.1), "count of records with age >= 65"),
        (lambda of: of.mean("income", 0.1, by="region"), "mean of income by region"),
        (
            lambda of: of.mean(["income", "age"], 0.1, by=["sex", "region"]),
            "mean of income and age by sex and region",
        ),
        (lambda of: of.std("income", 0.1), "standard deviation of income"),
        (lambda of: of.quantiles("income", [0.1, 0.9], 0.1), "quantiles of income"),
        (lambda of: of.crosstab(["region", "sex"], 0.1), "table of region and sex"),
        (lambda of: of.corr(["income", "age"], 0.1), "correlation of income and age"),
        (lambda of: of.moments("income", 0.1), "moments of income"),
        (lambda of: of.ttest_1samp("income ~ 1", 50, 0.1), "one-sample t test of income"),
        (lambda of: of.ttest_ind("income ~ sex", 0.1), "Welch's t test of income by sex"),
        (lambda of: of.ttest_rel("before - after ~ 1", 0.1), "paired t test of before and after"),
        (lambda of: of.f_oneway("income ~ region", 0.1), "analysis of variance of income by region"),
        (lambda of: of.mannwhitneyu("income ~ sex", 0.1), "Mann-Whitney U test of income by sex"),
        (lambda of: of.chi2_contingency("~ region + sex", 0.1), "chi-square test of region and sex"),
        (
            lambda of: of.ols("income ~ age + C(sex) + region", 0.1),
            "regression of income on age, sex and region",
        ),
        (lambda of: of.logit("employed ~ age", 0.1), "logistic regression of employed on age"),
    ],
)
def test_a_line_says_what_a_design_was_asked_for(ask, label):
    budget = dp.Budget(1.0)
    result = ask(study(budget))
    (entry,) = budget.entries
    assert entry.label == label and entry.call == result.record.format_python()
    assert label in str(budget) and result.call.startswith("design.")


def test_a_line_of_a_subset_says_so():
    budget = dp.Budget(1.0, neighbors="unbounded")
    study(budget).subset("age >= 65").mean("income", 0.1, by="sex")
    assert budget.entries[0].label == "mean of income by sex where age >= 65"


def test_lines_of_functions_that_are_called_themselves():
    budget = dp.Budget(9.0)
    income, f = FRAME.income, FRAME.sex == "f"
    with budget:
        dp.var(income, 0.1, bounds=(0, 100))
        dp.ols("income ~ age", FRAME, 0.1, bounds={"income": (0, 100), "age": (18, 90)})
        dp.ols(income.to_numpy(), FRAME.age.to_numpy(), 0.1, bounds=[(0, 100), (18, 90)])
        dp.ttest_ind(income[f].rename("f"), income[~f].rename("m"), 0.1, bounds=(0, 100))
        dp.f_oneway(income[f], income[~f], epsilon=0.1, bounds=(0, 100))
        dp.kendalltau(income, FRAME.age, 0.1)
        dp.ttest_1samp(income.to_numpy(), 50, 0.1, bounds=(0, 100))
        dp.quantiles(income, [0.1, 0.9], 0.1, bounds=(0, 100), population=True)
        dp.meanDP(income, 0.1, 0, 100)
        dp.mean(list(income), 0.1, bounds=(0, 100))
    assert [entry.label for entry in budget.entries] == [
        "variance of income",
        "regression of income on age",
        "regression",
        "Welch's t test of f and m",
        "analysis of variance of income",
        "Kendall's tau of income and age",
        "one-sample t test",
        "quantiles of income",
        "meanDP of income",
        "",
    ]
    # without words a line has its function's name
    assert list(group_by_label(budget.entries))[-1] == "mean"


@pytest.mark.slow
def test_a_test_has_its_variable_and_its_groups_in_its_title():
    income, f = FRAME.income, FRAME.sex == "f"
    asked = study(None, neighbors="bounded")
    for result, title in (
        (asked.ttest_ind("income ~ sex", 0.5), "Welch's t test: income by sex (f, m)"),
        (
            asked.f_oneway("income ~ region", 0.5),
            "Welch's one-way analysis of variance: income by region (n, s, w)",
        ),
        (asked.ttest_1samp("income ~ 1", 50, 0.5), "One-sample t test: income"),
        (
            dp.ttest_ind(income[f].rename("f"), income[~f].rename("m"), 0.5, bounds=(0, 100)),
            "Welch's t test: f and m",
        ),
        (
            dp.chi2_contingency(FRAME.sex, FRAME.region, 0.5, levels=[["f", "m"], ["n", "s", "w"]]),
            "sex and region",
        ),
        (dp.mannwhitneyu(list(income[f]), list(income[~f]), 0.5), "Mann-Whitney U test"),
    ):
        assert title in str(result.summary()).splitlines()[0]


def test_a_charged_result_has_its_words():
    budget = dp.Budget(1.0)
    result = study(None, neighbors="bounded").ttest_ind("income ~ sex", 0.25)
    budget.charge(result)
    assert budget.entries[0].label == "Welch's t test of income by sex"
    called = "ttest_ind('income ~ sex', groups=['f', 'm'], epsilon=0.25, bounds=[0.0, 100.0])"
    assert (budget.entries[0].call, budget.entries[0].mechanism) == (called, "Laplace noise")


@pytest.mark.parametrize(
    ("ask", "mechanism"),
    [
        (lambda of: of.mean("income", 0.1), "Laplace noise"),
        (lambda of: of.median("income", 0.1), "permute-and-flip"),
        (lambda of: of.f_oneway("income ~ region", 0.1), "Laplace noise"),
        (lambda of: of.ols("income ~ age + region", 0.1), "maximum-norm noise"),
        (lambda of: of.ols("income ~ age", 0.1, cov_type="HC3"), "maximum-norm noise"),
        (lambda of: of.ols("income ~ age", 0.1, method="rank", interval=True), "symmetric geometric noise"),
        (lambda of: of.logit("employed ~ age", 0.1), "Laplace noise"),
        (lambda of: of.logit("employed ~ age + sex", 0.1), "maximum-norm noise"),
        (lambda of: of.logit("employed ~ sex", 0.1), "symmetric geometric noise"),
    ],
)
def test_a_line_has_its_mechanism_as_a_statement_of_the_result_says_it(ask, mechanism):
    budget = dp.Budget(1.0)
    result = ask(study(budget))
    (own,), (told,) = budget.statement().cells, dp.statement(result).cells
    assert budget.entries[0].mechanism == mechanism == own[1] == told[1].split(",")[0]
    # bounds, levels and groups are those of the result
    assert own[0] == told[0] and own[2] == told[2] != "-"


def test_a_printed_budget_is_a_table():
    budget = dp.Budget(2.0)
    of = study(budget)
    of.mean("income", 0.5)
    with budget.labeled("tables"):
        of.crosstab("region", 0.125)
        of.crosstab("sex", 0.125)
    assert str(budget) == (
        "Privacy budget of epsilon 2, bounded neighbors, accountant basic\n"
        "\n"
        "                releases  epsilon   share\n"
        "-----------------------------------------\n"
        "mean of income         1      0.5    25 %\n"
        "tables                 2     0.25  12.5 %\n"
        "-----------------------------------------\n"
        "spent                  3     0.75  37.5 %\n"
        "left                         1.25  62.5 %"
    )
    assert repr(budget) == "Budget(2.0, 0.0, accountant='basic', neighbors='bounded')"
    html = budget._repr_html_()
    assert html.count("<tr>") == 5 and ">62.5 %<" in html and "<caption>Privacy budget of epsilon 2" in html


def test_what_adds_up_is_shown_for_each_accountant():
    basic = dp.Budget(2.0, 1e-6, unit="person", neighbors="unbounded")
    basic.spend(dp.Guarantee(0.5, 5e-7, "unbounded", unit="person"), "a release", "one")
    assert "unit person" in str(basic)
    assert str(basic).splitlines()[-2].split() == ["spent", "1", "0.5", "5e-07", "25", "%"]
    zcdp = dp.Budget(2.0, 1e-6, accountant="zcdp")
    dp.count([True] * 9, 0.25, budget=zcdp)
    rho = f"The rho spent corresponds to epsilon {zcdp.spent.epsilon:.6g} at delta 1e-06."
    assert " rho " in str(zcdp) and rho in str(zcdp) and rho in zcdp._repr_html_()
    odometer = dp.Budget.odometer()
    dp.count([True] * 9, 0.5, budget=odometer)
    assert "without a limit" in str(odometer) and "share" not in str(odometer) and "left" not in str(odometer)
    *_, spent, left = str(dp.Budget(1.0)).splitlines()
    assert spent.split() == ["spent", "0", "0", "0", "%"] and left.split() == ["left", "1", "100", "%"]


def test_a_label_with_markup_is_shown_and_a_long_one_is_cut():
    budget = dp.Budget(1.0)
    budget.spend(dp.Guarantee(0.1), "a release", "<b>bold</b>")
    budget.spend(dp.Guarantee(0.1), "a release", "long " * 40)
    assert "&lt;b&gt;bold" in budget._repr_html_() and "<b>" not in budget._repr_html_()
    assert max(map(len, str(budget).splitlines())) < 100


def test_a_ledger_is_written_as_results_are():
    budget = dp.Budget(80.0)
    for place in range(70):
        budget.spend(dp.Guarantee(1.0), f"mean(x{place})", label=f"table {place}")
    for text in (budget.to_markdown(), budget.to_latex(caption="Releases")):
        assert all(f"table {place} " in text for place in range(70))
    assert "<table" in budget.to_html() and "table 69" in budget.to_html()


def test_the_line_above_the_sums_is_in_html_as_well():
    budget = dp.Budget(2.0)
    dp.count([True] * 20, 0.5, rng=1, budget=budget)
    rows = budget._repr_html_().split("<tr>")[2:]
    assert ["border-top: 1px solid" in row for row in rows] == [False, True, False] and ">spent<" in rows[1]


def test_json_is_indented_by_two():
    lines = dp.Budget(1.0).to_json().splitlines()
    assert lines[0] == "{" and lines[1].startswith('  "') and lines[-1] == "}"
