"""One pair of bounds for several variables whose names say that they are different is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp

DRAW = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {"age": DRAW.uniform(18, 90, 300), "income": DRAW.uniform(0, 9e4, 300), "ill": DRAW.random(300) < 0.5}
)
BOTH = FRAME[["age", "income"]]
OPEN = {"neighbors": "unbounded"}
PEOPLE = dp.design(FRAME, bounds={"age": (0, 110), "income": (0, 1e5)}, neighbors="bounded", rng=1)
CALLS: dict[str, Callable[[Any], Any]] = {
    **{
        name: lambda bounds, name=name: getattr(dp, name)(BOTH, 1, bounds=bounds, rng=1)
        for name in ("mean", "sum", "var", "std", "cov", "corr", "moments")
    },
    "mean, unbounded": lambda bounds: dp.mean(BOTH, 1, bounds=bounds, **OPEN, rng=1),
    "cov of two": lambda bounds: dp.cov(FRAME["age"], FRAME["income"], 1, bounds=bounds, rng=1),
    "corr of two": lambda bounds: dp.corr(FRAME["age"], FRAME["income"], 1, bounds=bounds, rng=1),
    "ols": lambda bounds: dp.ols("income ~ age", FRAME, 1, bounds=bounds, rng=1),
    "ols of arrays": lambda bounds: dp.ols(FRAME["income"], FRAME[["age"]], 1, bounds=bounds, rng=1),
    "logit": lambda bounds: dp.logit("ill ~ age + income", FRAME, 1, bounds=bounds, rng=1),
    "design": lambda bounds: PEOPLE.mean(["age", "income"], 1, bounds=bounds),
}


@pytest.mark.parametrize("name", CALLS)
def test_one_pair_for_different_variables_is_refused_before_anything_is_charged(name: str) -> None:
    call = CALLS[name]
    with dp.Budget(9) as budget, pytest.raises(dp.PydpstatError) as caught:
        call((0, 100))
    text = str(caught.value)
    assert not budget.entries and "bounds must be a pair for each of different variables" in text
    assert "(0, 100)" in text and "(lower, upper)" in text and text.endswith("bounds=[(0, 100)] * 2.")
    assert "'age': (0, 100)" in text or "'income': (0, 100)" in text or "bounds=[(0, 100), (lower, upper)]" in text
    if name != "design":
        call([(0, 100)] * 2)


def test_names_that_say_nothing_share_a_pair() -> None:
    values = DRAW.uniform(0, 1, (300, 2))
    for names in (["x", "y"], ["q1", "q2"], ["income_2019", "income_2020"], [0, 1]):
        frame = pd.DataFrame(values, columns=names)
        assert dp.mean(frame, 1, bounds=(0, 1), rng=1).params.size == 2
        assert dp.cov(frame.iloc[:, 0], frame.iloc[:, 1], 1, bounds=(0, 1), rng=1).bounds is not None
    assert dp.mean(values, 1, bounds=(0, 1), rng=1).params.size == 2
    assert dp.ols(values[:, 0], values, 1, bounds=(0, 1), rng=1).params.size == 3
    # the same variable twice
    assert dp.cov(FRAME["age"], FRAME["age"], 1, bounds=(0, 110), rng=1).bounds is not None
    # differences are bounded, not the variables
    assert dp.ttest_rel(FRAME["age"], FRAME["income"], 1, bounds=(-1e5, 1e5), rng=1).pvalue >= 0.0
