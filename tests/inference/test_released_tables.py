"""Chi-square tests of tables that are released, and of values that are no level."""

import pandas as pd
import pytest

import pydpstat
from pydpstat._null_distributions import tables
from pydpstat.errors import PydpstatError

ANSWERS = ["a", "b", "b", "c"] * 30


FRAME = pd.DataFrame({"a": ["x", "y"] * 200, "b": (["x"] * 3 + ["y"]) * 100})
LISTS = {"a": ["x", "y"], "b": ["x", "y"]}


@pytest.mark.slow
def test_a_released_table_is_tested_for_nothing():
    alone = pydpstat.chi2_contingency(FRAME.a, FRAME.b, 2.0, levels=LISTS, rng=1)
    budget = pydpstat.Budget(2.0)
    found = pydpstat.crosstab(FRAME, 2.0, levels=LISTS, other=None, rng=1, budget=budget).chi2()
    assert (found.statistic, found.pvalue) == (alone.statistic, alone.pvalue)
    assert found.pvalue_floor == alone.pvalue_floor and found.epsilon == 2.0
    assert budget.spent.epsilon == 2.0 and "Chi-square test of independence" in str(found.summary())
    declared = pydpstat.crosstab(FRAME.astype("category"), 2.0, levels="declared", rng=1).chi2()
    assert declared.pvalue == alone.pvalue


@pytest.mark.slow
@pytest.mark.parametrize(
    ("neighbors", "rate", "named"),
    [("bounded", 0.5, ["x", "y"]), ("unbounded", 1.0, ["x", "y"]), ("unbounded", 1.0, ["x", "y", "other"])],
)
def test_the_level_of_other_values_is_left_out_and_the_number_of_the_rest_is_private(neighbors, rate, named):
    # where "other" is a level that was asked for, it is one
    levels, tested = {"a": named, "b": named}, slice(len(named))
    table = pydpstat.crosstab(FRAME, 1.0, levels=levels, neighbors=neighbors, rng=3)
    expected = tables.compute_independence_pvalue(table.value[tested, tested], None, rate)
    assert (table.chi2().statistic, table.chi2().pvalue) == expected


def test_a_level_that_one_variable_alone_declares_is_left_out_of_the_other():
    levels = {"a": ["x", "y", "other"], "b": ["x", "y"]}
    table = pydpstat.crosstab(FRAME, 1.0, levels=levels, rng=3)
    assert table.value.shape == (3, 3)
    expected = tables.compute_independence_pvalue(table.value[:, :2], None, 0.5)
    assert (table.chi2().statistic, table.chi2().pvalue) == expected


@pytest.mark.parametrize(
    "release_of",
    [
        lambda: pydpstat.crosstab(FRAME.b, 1.0, levels=["x", "y"]),
        lambda: pydpstat.crosstab(FRAME, 1.0, levels=LISTS, mechanism="gaussian", delta=1e-5),
        lambda: pydpstat.crosstab(FRAME, 1.0, levels=LISTS, unit=range(400), max_records=2, neighbors="unbounded"),
    ],
)
def test_what_is_no_table_that_can_be_tested_says_so(release_of):
    release = release_of()
    with pytest.raises(PydpstatError, match="is not a table of two variables that can be tested"):
        release.chi2()


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_values_of_no_level_may_have_one_that_is_not_tested(neighbors):
    how = {"other": "other", "neighbors": neighbors, "rng": 1}
    strange = [*ANSWERS[:-1], "z"]
    one = pydpstat.chisquare(strange, 1e6, levels=["a", "b", "c"], f_exp=[1, 2, 1], **how)
    assert [value for _, value in one.released] == [30.0, 60.0, 29.0, 1.0]
    assert [name for name, _ in one.estimates] == ["share of a", "share of b", "share of c"]
    assert one.estimates[0][1] == pytest.approx(30 / 119) and one.validity == "measured"
    assert "none of the levels are counted as 'other', and not tested" in one.remarks[0]
    # as the table's own test
    frame = pd.DataFrame({"x": strange, "y": ["u", "v", "v", "w"] * 30})
    levels = {"x": ["a", "b", "c"], "y": ["u", "v"]}
    two = pydpstat.chi2_contingency(frame.x, frame.y, 1.0, levels=levels, **how)
    table = pydpstat.crosstab(frame, 1.0, levels=levels, neighbors=neighbors, rng=1)
    assert (two.statistic, two.pvalue) == (table.chi2().statistic, table.chi2().pvalue)
    with pytest.raises(PydpstatError, match="missing values"):
        pydpstat.chisquare([*ANSWERS, None], 1.0, levels=["a", "b", "c"], **how)
    # a level of that name is one of those to test
    named = pydpstat.chisquare(ANSWERS, 1.0, levels=["a", "b", "other"], **how)
    assert len(named.estimates) == 3 and not named.remarks


@pytest.mark.slow
@pytest.mark.parametrize(("call", "variables"), [("chisquare", "x"), ("chi2_contingency", ["x", "y"])])
def test_a_design_counts_values_of_no_level_as_others(call, variables):
    frame = pd.DataFrame({"x": [*ANSWERS[:-1], "z"], "y": ["u", "v", "v", "u"] * 30})
    how = {"levels": {"x": ["a", "b", "c"], "y": ["u", "v"]}, "rng": 1}
    getattr(pydpstat.design(frame, **how, other="other"), call)(variables, 1.0)
    with pytest.raises(PydpstatError, match="not among the levels"):
        getattr(pydpstat.design(frame, **how, other=None), call)(variables, 1.0)
