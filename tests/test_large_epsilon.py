"""A large epsilon is told of by everything that takes one, before anything is charged or drawn."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat import local
from pydpstat.errors import LargeEpsilonWarning, UsageWarning

DRAW = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": DRAW.integers(18, 90, 400).astype(float),
        "income": DRAW.uniform(0, 9e4, 400),
        "sex": DRAW.choice(["f", "m"], 400),
        "weight": DRAW.uniform(0.5, 3.0, 400),
        "person": np.arange(400),
    }
)
AGE, INCOME = FRAME["age"], FRAME["income"]
BOUNDS = {"bounds": (18, 90)}
PEOPLE = dp.design(FRAME, bounds={"age": (18, 90), "income": (0, 1e5)}, levels={"sex": ["f", "m"]}, rng=1)
Released = Callable[[float], Any]

RELEASES: dict[str, Released] = {
    "mean": lambda epsilon: dp.mean(AGE, epsilon, **BOUNDS, rng=1),
    "mean by name": lambda epsilon: dp.mean(AGE, epsilon=epsilon, **BOUNDS, rng=1),
    "count": lambda epsilon: dp.count(AGE > 60, epsilon, rng=1),
    "median": lambda epsilon: dp.median(AGE, epsilon, **BOUNDS, rng=1),
    "matrix": lambda epsilon: dp.cov(FRAME[["age", "income"]], epsilon, bounds=[(18, 90), (0, 1e5)], rng=1),
    "choose": lambda epsilon: dp.choose(["a", "b"], [3, 9], epsilon, 20, rng=1),
    "test": lambda epsilon: dp.ttest_1samp(AGE, 50, epsilon, **BOUNDS, rng=1),
    "exact test": lambda epsilon: dp.ttest_1samp(AGE[:5], 50, epsilon, **BOUNDS, method="exact", rng=1),
    "any test": lambda epsilon: dp.any_test(AGE, np.mean, epsilon, rng=1),
    "regression": lambda epsilon: dp.ols("income ~ age", FRAME, epsilon, bounds={"age": (18, 90), "income": (0, 1e5)}),
    "design": lambda epsilon: PEOPLE.mean("age", epsilon, by="sex"),
    "groups of a design": lambda epsilon: PEOPLE.ttest_ind("age ~ sex", epsilon),
    "geometric": lambda epsilon: dp.symmetric_geometric(3, epsilon, rng=1),
    "geometric noise": lambda epsilon: dp.symmetric_geometric_noise(3, epsilon, rng=1),
    "budget": dp.Budget,
    "zCDP budget": lambda epsilon: dp.Budget(epsilon, 1e-6, accountant="zcdp"),
    "randomized response": lambda epsilon: local.RandomizedResponse(epsilon).respond([1], rng=1),
    "local noise": lambda epsilon: local.LaplaceAccess(epsilon, (0, 1)),
    "meanDP": lambda epsilon: dp.meanDP(AGE, epsilon, 18, 90, rng=1),
    "medianDP": lambda epsilon: dp.medianDP(AGE, epsilon, 18, 90, rng=1),
    "tableDP": lambda epsilon: dp.tableDP(pd.Categorical(FRAME["sex"]), eps=epsilon, rng=1),
    "LaplaceMechanism": lambda epsilon: dp.LaplaceMechanism(1.0, epsilon, 20.0, rng=1),
    "ExponentialMechanism": lambda epsilon: dp.ExponentialMechanism([1, 2], epsilon, 20, rng=1),
    "LogisticRegressionDP": lambda epsilon: dp.LogisticRegressionDP("l2", epsilon, 1.0).fit(
        [[0.2], [0.4], [0.9]], [0, 0, 1], [1], [0], rng=1
    ),
    "releaseResponse": lambda epsilon: dp.releaseResponse(
        dp.DPMechLaplace(target=np.mean, sensitivity=20.0, dims=1), dp.DPParamsEps(epsilon=epsilon), X=[1.0, 2.0]
    ),
}
# statements about guarantees, and what is computed before a release
SILENT: dict[str, Released] = {
    "guarantee": dp.Guarantee,
    "composition": lambda epsilon: dp.compose([dp.Guarantee(epsilon)] * 2),
    "plan": lambda epsilon: dp.plan("mean", epsilon, bounds=(18, 90), n=400),
    "plan of a design": lambda epsilon: PEOPLE.plan("mean", "age", epsilon, n=400),
    "number of persons": lambda epsilon: local.required_n(epsilon, 0.1),
    "odometer": lambda epsilon: dp.Budget.odometer().spend(dp.Guarantee(epsilon), "a release"),
}


def told(call: Callable[[], Any]) -> list[warnings.WarningMessage]:
    """Return the warnings of a large epsilon."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [each for each in seen if each.category is LargeEpsilonWarning]


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_with_a_large_epsilon_is_told_of_once(name: str) -> None:
    release = RELEASES[name]
    assert told(lambda: release(10.0)) == []
    (one,) = told(lambda: release(11.0))
    text = str(one.message)
    assert " is above 10, where a guarantee says next to nothing" in text and text.endswith("A value up to 1 is usual.")
    assert one.filename == __file__


@pytest.mark.parametrize("name", SILENT)
def test_what_releases_nothing_is_silent(name: str) -> None:
    assert told(lambda: SILENT[name](1e4)) == []


def test_as_an_error_it_stops_before_anything_is_charged_or_drawn() -> None:
    budget, rng = dp.Budget.odometer(), dp.RRandom(8)
    before = rng.state
    with warnings.catch_warnings():
        warnings.simplefilter("error", LargeEpsilonWarning)
        for release in (dp.mean, dp.median):
            with pytest.raises(LargeEpsilonWarning):
                release(AGE, 20000, **BOUNDS, budget=budget, rng=rng)
        with pytest.raises(LargeEpsilonWarning):
            dp.meanDP(AGE, 20000, 18, 90, rng=rng)
    assert not budget.entries and np.array_equal(rng.state, before)


def test_a_filter_for_usage_covers_it() -> None:
    assert issubclass(LargeEpsilonWarning, UsageWarning)


def test_exchanged_arguments_are_recognized_by_name_and_bounds() -> None:
    hint = "Were popmean and epsilon exchanged? Write both with their names: popmean=, epsilon=."
    bounds = {"bounds": (0, 1e5), "rng": 1}
    for call in (
        lambda: PEOPLE.ttest_1samp("income", 0.5, 20000),
        lambda: PEOPLE.ttest_1samp("income ~ 1", popmean=0.5, epsilon=20000),
        lambda: dp.ttest_1samp(INCOME, 0.5, 20000, **bounds),
        lambda: dp.ttest_1samp(INCOME, epsilon=20000, popmean=0.5, **bounds),
    ):
        (one,) = told(call)
        assert str(one.message).endswith(hint)
    # neither could be the other
    for popmean, epsilon in ((30.0, 20000), (0.5, 2e5), (-1.0, 40), (0.0, 20000)):
        (one,) = told(lambda: dp.ttest_1samp(INCOME, popmean, epsilon, bounds=(-1, 1e5), rng=1))
        assert "exchanged" not in str(one.message)
    (one,) = told(lambda: dp.choose(["a", "b"], [3, 9], 100, 0.5, rng=1))
    assert str(one.message).endswith(
        "Were sensitivity and epsilon exchanged? Write both with their names: sensitivity=, epsilon=."
    )


def test_a_hypothesis_outside_the_bounds_may_be_an_epsilon() -> None:
    with pytest.raises(dp.PydpstatError, match="Were popmean and epsilon exchanged.*popmean=, epsilon="):
        PEOPLE.ttest_1samp("age", 0.5, 40)
    with pytest.raises(dp.PydpstatError, match="The mean of values within the bounds lies there") as caught:
        PEOPLE.ttest_1samp("age", 0.5, 0.4)
    assert "exchanged" not in str(caught.value)
