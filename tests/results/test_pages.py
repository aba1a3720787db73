"""Pages of results: rows, titles and notes that say what is shown."""

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.errors import UsageWarning

RNG = np.random.default_rng(1)
FRAME = pd.DataFrame(
    {
        "income": RNG.uniform(0.0, 100.0, 900),
        "age": RNG.uniform(18.0, 90.0, 900),
        "region": ["n", "s", "w"] * 300,
        "employed": RNG.random(900) < 0.6,
    }
)
LEVELS = {"region": ["n", "s", "w"], "employed": [False, True]}
PUBLIC = dp.design(FRAME, bounds={"income": (0, 100), "age": (18, 90)}, levels=LEVELS, other=None)


def text(result):
    return str(result.summary())


def rows(result):
    return result.summary().tables[0].as_text().splitlines()


def test_a_table_with_margins_shows_them():
    table = PUBLIC.crosstab(["region", "employed"], 0.5, margins=True)
    wide = table.wide()
    assert wide.index[-1] == wide.columns[-1] == "All"
    (head,) = [line for line in rows(table) if "False" in line]
    last = [line for line in rows(table) if line.startswith("All")]
    assert head.split() == ["False", "True", "All"]
    assert last[0].split()[1:] == [f"{each:.6g}" for each in wide.loc["All"]]
    assert "All" not in text(PUBLIC.crosstab(["region", "employed"], 0.5))


def test_a_table_of_three_variables_has_the_last_across():
    table = PUBLIC.assign(old="age >= 50").crosstab(["region", "employed", "old"], 0.5, margins=True)
    shown = [line.split() for line in str(table).splitlines()]
    wide = table.wide()
    for (*keys, last), numbers in zip(wide.index, wide.to_numpy().tolist()):
        assert [":".join(map(str, [*keys, last])).rstrip(":"), *map(str, numbers)] in shown


def test_rows_that_a_page_leaves_out_are_counted_as_rows_of_the_table():
    table = dp.crosstab(
        {"town": np.arange(700) % 70, "sex": ["f", "m"] * 350},
        1.0,
        levels={"town": range(70), "sex": ["f", "m"]},
        other=None,
        rng=1,
    )
    assert "10 more rows: wide() has them all." in str(table)
    assert "10 more rows: wide() has them all." in text(table)


@pytest.mark.slow
def test_moments_name_their_variables_and_groups():
    found = PUBLIC.moments(["income", "age"], 1.0), PUBLIC.moments("income", 1.0, by="region")
    titles = [str(each).splitlines()[0].strip() for each in found]
    assert titles == [f"Moments of income {rest}, differentially private" for rest in ("and age", "by region")]


@pytest.mark.slow
def test_what_follows_from_a_table_has_its_own_title():
    table = PUBLIC.crosstab(["region", "employed"], 0.5)
    for result, title in (
        (table.margins("region"), "Margin of region,"),
        (table.shares(), "Share of region and employed,"),
        (table.shares("region"), "Share of employed within region,"),
        (
            PUBLIC.subset("age >= 40").crosstab(["region", "employed"], 0.5).shares("employed"),
            "Share of region within employed where age >= 40,",
        ),
        (
            dp.crosstab(FRAME[["region", "employed"]], 0.5, levels=LEVELS, other=None).shares("region"),
            "Share of employed within region,",
        ),
    ):
        assert rows(result)[0].strip().startswith(title)
        assert dp.statement(result).cells[0][0] == title[:1].lower() + title[1:-1]


@pytest.mark.parametrize(
    ("ask", "names"), [("corr", ["income:age"]), ("cov", ["income:income", "income:age", "age:age"])]
)
def test_a_matrix_has_each_of_its_numbers_once(ask, names):
    result = getattr(PUBLIC, ask)(["income", "age"], 1.0)
    shown = [line.split()[0] for line in rows(result) if ":" in line]
    assert shown == names and result.value.shape == (2, 2) and len(result.to_frame()) == 4
    assert result.params["income", "age"] == pytest.approx(float(result.value[0, 1]))
    assert "standard deviation 0 " not in dp.statement(result).cells[0][1]


@pytest.mark.slow
def test_degrees_of_freedom_are_those_of_a_table():
    table = PUBLIC.crosstab(["region", "employed"], 1.0)
    for result, df in (
        (table.chi2(), 2),
        (PUBLIC.chi2_contingency("~ region + employed", 1.0), 2),
        (PUBLIC.chisquare("region", 1.0), 2),
    ):
        assert result.df == df == result.to_dict()["df"]
        assert "Degrees of freedom:" in text(result)
    with pytest.raises(dp.PydpstatError, match="no degrees of freedom.*no t, F or chi-square"):
        _ = PUBLIC.ttest_ind("income ~ employed", 1.0).df


@pytest.mark.slow
def test_an_interval_of_a_test_shows_no_inner_numbers():
    test = PUBLIC.ttest_ind("income ~ employed", 1.0)
    assert repr(test.interval) == "<interval of every level: conf_int(alpha)>"
    assert "interval" not in dir(test) and test.interval.compute_limits(0.05) == test.conf_int()


def test_p_values_say_what_they_come_from():
    for result in (PUBLIC.ols("income ~ age", 1.0), PUBLIC.logit("employed ~ age", 1.0)):
        assert "P-values are of score tests whose distribution includes the noise" in text(result)
    assert "Logistic regression of employed on age" in text(result)
    alone = dp.ols(FRAME.income, FRAME.age, 1.0, bounds=[(0, 100), (18, 90)], method="rank")
    assert "score tests" not in text(alone)


@pytest.mark.slow
def test_corrected_p_values_at_their_floor_are_limits_alike():
    shifted = FRAME.assign(income=FRAME.income * 0.1 + 30.0 * FRAME.region.map({"n": 0, "s": 1, "w": 2}))
    how = {"bounds": (0, 100), "by": "region", "levels": ["n", "s", "w"], "other": None, "population": True}
    means = dp.mean(shifted[["income", "region"]], 50.0, **how)
    for correction in ("holm", "bonferroni", None):
        shown = [line.split("<") for line in rows(means.pairs(correction)) if " - " in line]
        # both p-values of each pair, as all differences are far from 0
        assert [len(each) for each in shown] == [3, 3, 3]
    assert "difference of n and w" in text(means.difference("n", "w"))
    assert "all means are equal" in text(means.f_oneway())


def test_what_the_noise_hides_is_a_dash_with_the_reason():
    design = dp.design(FRAME[:200], bounds=PUBLIC.facts.bounds, levels=LEVELS, other=None, rng=1)
    share = str(design.proportion("employed", 0.001, by="region"))
    assert [line.split()[1:] for line in share.splitlines()[4:6]] == [["-"] * 6] * 2
    assert "the noise interval is all that is possible. The group has few" in " ".join(share.split())
    both = str(design.corr(["age", "income"], 0.01))
    assert "age:income          -          -" in both and "group" not in both
    # what was drawn as it is shown keeps its number
    mean = dp.mean(FRAME[["income"]], 0.001, bounds=(0, 100), rng=1)
    (row,) = [line for line in rows(mean) if line.startswith("income")]
    assert row.split()[1] != "-" and row.split()[3:] == ["-", "-"]


@pytest.mark.slow
def test_a_test_that_says_nothing_prints_why():
    with pytest.warns(UsageWarning):
        design = dp.design(FRAME[:200], bounds=PUBLIC.facts.bounds, levels=LEVELS, other=None, rng=1)
        found = design.ttest_ind("income ~ employed", 0.01)
    assert found.pvalue == 1.0 and "A group may have no records at all" in str(found)
    assert "A group may" not in str(PUBLIC.ttest_ind("income ~ employed", 2.0))


def test_an_interval_without_ends_is_a_dash():
    fit = PUBLIC.ols("income ~ age", 0.005)
    assert not np.isfinite(fit.bse).any()
    shown = [line.split() for line in rows(fit) if line.startswith(("Intercept", "age"))]
    assert [row[-2:] for row in shown] == [["-", "-"]] * 2


def test_variables_in_unlike_units_have_decimals_of_their_own():
    frame = pd.DataFrame({"age": np.linspace(18, 90, 5000), "income": np.linspace(0, 2e5, 5000)})
    found = dp.mean(frame, 1.0, bounds=[(18, 90), (0, 200_000)], rng=1)
    for line, sd in zip(str(found).splitlines()[4:6], found.bse):
        numbers = line.split()[1:]
        decimals = {len(each.partition(".")[2]) for each in numbers}
        assert len(decimals) == 1 and sd > 2.0 * 10.0 ** -decimals.pop()


@pytest.mark.slow
def test_groups_of_what_has_no_name_are_named_by_their_key_alone():
    how = {"bounds": (0, 5), "by": pd.Series(["f", "m"] * 50, name="sex"), "levels": ["f", "m"], "rng": 1}
    budget = dp.Budget(4.0)
    for function, word in ((dp.moments, "moments"), (dp.mean, "mean")):
        found = function([1.0, 2.0] * 50, 1.0, budget=budget, **how)
        assert str(found).splitlines()[0].strip() == f"{word.title()} by sex, differentially private"
        assert budget.entries[-1].label == f"{word} by sex"
