"""Chi-square tests of tables that are released, and of values that are no level."""

import itertools

import pandas as pd
import pytest

import pydpstat
from pydpstat.errors import PydpstatError
from pydpstat.inference._null_distributions import tables

ANSWERS = ["a", "b", "b", "c"] * 30


def test_a_released_table_is_tested_for_nothing():
    frame = pd.DataFrame({"a": ["x", "y"] * 200, "b": (["x"] * 3 + ["y"]) * 100})
    levels = {"a": ["x", "y"], "b": ["x", "y"]}
    alone = pydpstat.chi2_contingency(frame.a, frame.b, 2.0, levels=levels, rng=1)
    budget = pydpstat.Budget(2.0)
    table = pydpstat.crosstab(frame, 2.0, levels=levels, other=None, rng=1, budget=budget)
    found = table.chi2()
    assert (found.statistic, found.pvalue) == (alone.statistic, alone.pvalue)
    assert found.pvalue_floor == alone.pvalue_floor and found.epsilon == 2.0
    assert budget.spent.epsilon == 2.0 and "Chi-square test of independence" in str(found.summary())
    categories = frame.astype("category")
    declared = pydpstat.crosstab(categories, 2.0, levels="declared", rng=1).chi2()
    assert declared.pvalue == alone.pvalue


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_the_level_of_other_values_is_left_out_and_the_number_of_the_rest_is_private(neighbors):
    frame = pd.DataFrame({"a": ["x", "y"] * 200, "b": (["x"] * 3 + ["y"]) * 100})
    levels = {"a": ["x", "y"], "b": ["x", "y"]}
    table = pydpstat.crosstab(frame, 1.0, levels=levels, neighbors=neighbors, rng=3)
    rate = 0.5 if neighbors == "bounded" else 1.0
    expected = tables.independence_pvalue(table.value[:2, :2], None, rate)
    assert (table.chi2().statistic, table.chi2().pvalue) == expected
    # where "other" is a level that was asked for, it is one
    named = {"a": ["x", "y", "other"], "b": ["x", "y"]}
    table = pydpstat.crosstab(frame, 1.0, levels=named, neighbors=neighbors, rng=3)
    assert table.chi2().pvalue == tables.independence_pvalue(table.value[:3, :2], None, rate)[1]


@pytest.mark.parametrize(
    "release_of",
    [
        lambda frame: pydpstat.mean([1.0, 2.0], 1.0, bounds=(0, 3)),
        lambda frame: pydpstat.crosstab(frame.b, 1.0, levels=["x", "y"]),
        lambda frame: pydpstat.crosstab(frame, 1.0, levels=LISTS, mechanism="gaussian", delta=1e-5),
        lambda frame: pydpstat.crosstab(
            frame.assign(p=range(4)), 1.0, levels=LISTS, unit="p", max_records=2, neighbors="unbounded"
        ),
    ],
)
def test_what_is_no_table_that_can_be_tested_says_so(release_of):
    frame = pd.DataFrame({"a": ["x", "y"] * 2, "b": ["x", "x", "y", "y"]})
    with pytest.raises(pydpstat.PydpstatError, match="is not a table of two variables that can be tested"):
        release_of(frame).chi2()


LISTS = {"a": ["x", "y"], "b": ["x", "y"]}


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
def test_a_design_counts_values_of_no_level_as_others():
    frame = pd.DataFrame({"x": ANSWERS, "y": ["u", "v", "v", "u"] * 30})
    levels = {"x": ["a", "b", "c"], "y": ["u", "v"]}
    for other, call in itertools.product(("other", None), ("chisquare", "chi2_contingency")):
        variables = "x" if call == "chisquare" else ["x", "y"]
        designs = [
            pydpstat.design(data, levels=levels, other=other, rng=1)
            for data in (frame, frame.replace({"x": {"c": "z"}}))
        ]
        getattr(designs[0], call)(variables, 1.0)
        if other is not None:
            getattr(designs[1], call)(variables, 1.0)
            continue
        with pytest.raises(PydpstatError, match="not among the levels"):
            getattr(designs[1], call)(variables, 1.0)
