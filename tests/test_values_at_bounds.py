"""Released numbers at a bound, and weights that add up to nothing, are told of, by released numbers alone."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.errors import UsageWarning

DRAW = np.random.default_rng(0)
N = 2000
FRAME = pd.DataFrame(
    {
        "income": DRAW.uniform(5e3, 9e4, N),
        "age": DRAW.integers(18, 90, N).astype(float),
        "sex": DRAW.choice(["f", "m"], N),
        "weight": DRAW.uniform(0.5, 3.0, N),
    }
)
INCOME, WEIGHT = FRAME["income"], FRAME["weight"]
Bounds = tuple[float, float]
RELEASES: dict[str, Callable[[Bounds], Any]] = {
    "mean": lambda bounds: dp.mean(INCOME, 1, bounds=bounds, rng=1),
    "mean, unbounded": lambda bounds: dp.mean(INCOME, 1, bounds=bounds, neighbors="unbounded", rng=1),
    "mean by group": lambda bounds: dp.mean(INCOME, 1, bounds=bounds, by=FRAME["sex"], levels=["f", "m"], rng=1),
    "mean of columns": lambda bounds: dp.mean(FRAME[["age", "income"]], 2, bounds=[(0, 110), bounds], rng=1),
    "mean of a design": lambda bounds: dp.design(FRAME, bounds={"income": bounds}, rng=1).mean("income", 1),
    "median": lambda bounds: dp.median(INCOME, 1, bounds=bounds, rng=1),
    "median by group": lambda bounds: dp.median(INCOME, 1, bounds=bounds, by=FRAME["sex"], levels=["f", "m"], rng=1),
    "quantile": lambda bounds: dp.quantile(INCOME, 0.25, 1, bounds=bounds, rng=1),
    "quantiles": lambda bounds: dp.quantiles(INCOME, [0.25, 0.5], 1, bounds=bounds, rng=1),
    "weighted_mean": lambda bounds: dp.weighted_mean(INCOME, WEIGHT, 1, bounds=bounds, max_weight=3, rng=1),
}


def told(call: Callable[[], Any]) -> list[str]:
    """Return what a call says of its use."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in seen if each.category is UsageWarning]


@pytest.mark.parametrize("name", RELEASES)
def test_all_records_outside_the_bounds_are_told_of(name: str) -> None:
    release = RELEASES[name]
    assert told(lambda: release((0, 1e5))) == []
    for bounds, which in (((0, 100), "upper"), ((1e6, 2e6), "lower")):
        (one,) = told(lambda: release(bounds))
        assert f"the {which} bound. Many records, or all, have this value or lie outside the bounds" in one
        assert "of income" in one and one.endswith("are the bounds in the units of the data?")


def test_what_says_nothing_is_not_told_of() -> None:
    # noise as wide as the bounds, the smallest record, and some of several quantiles
    assert told(lambda: [dp.mean([5.0] * 5, 0.1, bounds=(0, 100), rng=seed) for seed in range(20)]) == []
    assert told(lambda: dp.quantile(np.zeros(500), 0, 1, bounds=(0, 10), rng=1)) == []
    assert told(lambda: dp.quantiles([0.0] * 300 + [5.0] * 300, [0.1, 0.9], 2, bounds=(0, 10), rng=1)) == []
    # a bound is one of few points, and epsilon too small for few records to count against it
    few = [30, 50] * 5
    pairs = [dp.quantiles(few, [0.25, 0.75], 0.25, bounds=(0, 100), rng=seed).value for seed in range(400)]
    assert any(first == second and first in (0, 100) for first, second in pairs)
    assert told(lambda: [dp.quantiles(few, [0.25, 0.75], 0.25, bounds=(0, 100), rng=seed) for seed in range(400)]) == []
    assert len(told(lambda: dp.median(few * 10, 1, bounds=(0, 10), rng=1))) == 1


def test_data_with_the_same_release_have_the_same_warning() -> None:
    # one has all records outside the bounds, the other at them
    outside, at = np.full(N, 900.0), np.full(N, 100.0)
    texts = [told(lambda: dp.mean(data, 1, bounds=(0, 100), rng=1)) for data in (outside, at)]
    assert texts[0] == texts[1] and len(texts[0]) == 1


def test_negative_weights_and_weights_in_the_place_of_values_are_told_of() -> None:
    public = {"bounds": (18, 90), "max_weight": 3, "rng": 1}
    age = FRAME["age"]
    assert told(lambda: dp.weighted_mean(age, WEIGHT, 1, **public)) == []
    (one,) = told(lambda: dp.weighted_mean(age, -WEIGHT, 1, **public))
    assert one.startswith("the weights add up to no more than noise. Those below 0 count as 0")
    (one,) = told(lambda: dp.weighted_quantile(age, -WEIGHT, 0.5, 1, **public))
    assert "are there negative weights, or is max_weight=3 far above them?" in one
    (one,) = told(lambda: dp.weighted_mean(FRAME[["age", "weight"]], "age", 1, **public))
    assert "weighted mean of weight, 18" in one and "lower bound" in one
