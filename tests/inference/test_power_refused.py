"""Plans of tests refuse what they cannot plan, and say what to give."""

import math

import pytest

import pydpstat as dp
from pydpstat.planning import plan as planning
from pydpstat.planning._test_settings import PLANNED_TESTS

ASKED = {"n": 100, "epsilon": 1.0, "effect": 0.4}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": None}, "got n, effect. Give all but one of epsilon, power"),
        ({"power": 0.8}, "got n, epsilon, effect, power. Leave one out"),
        ({"n": 1}, "n must be a whole number of records from 2"),
        ({"n": (50, 60)}, "n must be one number"),
        ({"n": "many"}, "n must be"),
        ({"epsilon": -1.0}, "epsilon must be"),
        ({"effect": 0.0}, "effect must be a number from -20 to 20 and not 0"),
        ({"effect": -1, "alternative": "greater"}, "effect must be a number from 0"),
        ({"effect": math.nan}, "effect must be"),
        ({"effect": None, "power": 0.04}, "power must be above alpha"),
        ({"effect": None, "power": 1.0}, "power must be a number between"),
        ({"alpha": 5}, "alpha must be"),
        ({"alternative": "more"}, "alternative must be"),
        ({"bounds": (1, 0)}, "bounds"),
        ({"sd": 1}, "bounds must be given with sd"),
        ({"popmean": 1}, "bounds must be given with popmean"),
        ({"bounds": (0, 1), "sd": 0}, "sd must be"),
        ({"bounds": (0, 1), "popmean": 2}, "popmean must be within"),
        ({"efect": 0.4}, "Did you mean 'effect'"),
        ({"columns": ["a"]}, "columns must be left out"),
        ({"n": 5, "epsilon": None, "power": 0.99}, "with epsilon 100 it is"),
        ({"n": 5, "epsilon": 0.01, "effect": None, "power": 0.99}, "with the largest effect it is"),
        ({"n": None, "effect": 1.0, "power": 0.9, "alpha": 0.0001}, r"with 10\^9 records it is"),
    ],
)
def test_what_is_refused(arguments, message):
    given = {name: each for name, each in {**ASKED, **arguments}.items() if each is not None}
    with pytest.raises(dp.PydpstatError, match=message):
        dp.plan("ttest_1samp", **given)


@pytest.mark.parametrize(
    ("test", "arguments", "message"),
    [
        ("binomtest", {"effect": 0.6}, "effect must be a number from -0.5 to 0.5"),
        ("binomtest", {"effect": 0.1, "p": 0.0}, "p must be"),
        ("chi2_contingency", {"effect": 0.7, "shape": (3, 3)}, "effect must be a number from 0 to 0.666667"),
        ("chi2_contingency", {"effect": 0.3, "shape": 3}, "shape must be a pair"),
        ("chi2_contingency", {"effect": 0.3, "shape": (1, 3)}, "shape must be two whole numbers"),
        ("kruskal", {"effect": 0.3, "groups": 1}, "groups must be"),
        ("kruskal", {"effect": 0.3, "alternative": "less"}, "plan of kruskal has no argument .alternative"),
        ("kendalltau", {"effect": 1.0}, "effect must be a number from -0.999"),
        ("ttest_rel", {"effect": 0.3, "bounds": (1, 2)}, "bounds must contain 0"),
        ("quantile_test", {"effect": 0.1, "ties": "both"}, "ties must be"),
    ],
)
def test_what_is_refused_of_other_tests(test, arguments, message):
    with pytest.raises(dp.PydpstatError, match=message):
        dp.plan(test, 1.0, n=100, **arguments)


def test_the_names_are_those_of_the_settings():
    assert set(planning.TEST_FUNCTIONS) == set(PLANNED_TESTS)
    assert all(callable(getattr(dp, name)) for name in PLANNED_TESTS)
    with pytest.raises(dp.PydpstatError, match="Did you mean 'wilcoxon'"):
        dp.plan("wilcoxn", 1.0, n=100, effect=0.4)
