"""Variables of the same records that are pandas objects have the same index, or are refused with the remedy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp

DRAW = np.random.default_rng(0)
N = 300
FRAME = pd.DataFrame(
    {
        "age": DRAW.integers(18, 90, N).astype(float),
        "income": DRAW.uniform(0, 9e4, N),
        "sex": DRAW.choice(["f", "m"], N),
        "region": DRAW.choice(["north", "south"], N),
        "weight": DRAW.uniform(0.5, 3.0, N),
        "rich": DRAW.choice([True, False], N),
        "person": np.arange(N) // 2,
    }
)
AGE, INCOME, SEX = FRAME["age"], FRAME["income"], FRAME["sex"]
BY = {"levels": ["north", "south"], "rng": 1}
TWO = {"levels": [["f", "m"], ["north", "south"]], "rng": 1}
PAIR, BOTH = {"bounds": (18, 90), "rng": 1}, {"bounds": [(0, 1e5), (18, 90)], "rng": 1}
WEIGHTED = {"bounds": (18, 90), "max_weight": 3, "rng": 1}
Paired = Callable[[pd.DataFrame], Any]

# the variables of the other frame are paired with those of FRAME, by position
CALLS: dict[str, tuple[str, Paired]] = {
    "mean by": ("by", lambda other: dp.mean(AGE, 1, by=other["region"], **PAIR, levels=["north", "south"])),
    "mean of columns by": (
        "by",
        lambda other: dp.mean(FRAME[["age", "income"]], 1, by=other["region"], **BOTH, levels=["north", "south"]),
    ),
    "mean by unit": ("unit", lambda other: dp.mean(AGE, 1, unit=other["person"], max_records=2, **PAIR)),
    "count by": ("by", lambda other: dp.count(AGE > 60, 1, by=other["region"], **BY)),
    "count by two": (
        "by",
        lambda other: dp.count(AGE > 60, 1, by=(SEX, other["region"]), **TWO),
    ),
    "median by": ("by", lambda other: dp.median(AGE, 1, by=other["region"], **PAIR, levels=["north", "south"])),
    "histogram by": ("by", lambda other: dp.histogram(AGE, 1, edges=[18, 50, 90], by=other["region"], **BY)),
    "nunique by": ("by", lambda other: dp.nunique(FRAME["person"], 1, by=other["region"], **BY)),
    "crosstab": ("variables", lambda other: dp.crosstab((SEX, other["region"]), 1, **TWO)),
    "crosstab of a dict": (
        "variables",
        lambda other: dp.crosstab({"sex": SEX, "region": other["region"]}, 1, **TWO),
    ),
    "crosstab by unit": (
        "unit",
        lambda other: dp.crosstab(SEX, 1, levels=["f", "m"], unit=other["person"], max_records=2, rng=1),
    ),
    "cov": ("y", lambda other: dp.cov(INCOME, other["age"], 1, **BOTH)),
    "corr": ("y", lambda other: dp.corr(INCOME, other["age"], 1, **BOTH)),
    "corr by": ("by", lambda other: dp.corr(INCOME, AGE, 1, by=other["region"], **BOTH, levels=["north", "south"])),
    "kendalltau": ("y", lambda other: dp.kendalltau(INCOME, other["age"], 1, rng=1)),
    "wilcoxon": ("y", lambda other: dp.wilcoxon(INCOME, other["age"], 1, rng=1)),
    "ttest_rel": ("b", lambda other: dp.ttest_rel(AGE, other["age"], 1, bounds=(-72, 72), rng=1)),
    "chi2_contingency": ("y", lambda other: dp.chi2_contingency(SEX, other["region"], 1, **TWO)),
    "weighted_mean": ("weights", lambda other: dp.weighted_mean(AGE, other["weight"], 1, **WEIGHTED)),
    "weighted_mean of a frame": (
        "weights",
        lambda other: dp.weighted_mean(FRAME[["age"]], other["weight"], 1, **WEIGHTED),
    ),
    "weighted_mean by": (
        "by",
        lambda other: dp.weighted_mean(AGE, FRAME["weight"], 1, by=other["region"], **WEIGHTED, **BY_LEVELS),
    ),
    "weighted_total with strata": (
        "strata",
        lambda other: dp.weighted_total(AGE, FRAME["weight"], 1, strata=other["region"], **WEIGHTED, **BY_LEVELS),
    ),
    "weighted_quantile": ("weights", lambda other: dp.weighted_quantile(AGE, other["weight"], 0.5, 1, **WEIGHTED)),
    "weighted_proportion": (
        "weights",
        lambda other: dp.weighted_proportion(FRAME["rich"], other["weight"], 1, max_weight=3, rng=1),
    ),
    "ols": ("formula", lambda other: dp.ols(other["income"], FRAME[["age"]], 1, **BOTH)),
    "logit": ("formula", lambda other: dp.logit(other["rich"], FRAME[["age"]], 1, bounds={"age": (18, 90)}, rng=1)),
    "ols by unit": (
        "unit",
        lambda other: dp.ols("income ~ age", FRAME, 1, unit=other["person"], **BOTH),
    ),
    "ttest_ind by unit": (
        "unit",
        lambda other: dp.ttest_ind(AGE, INCOME, 1, bounds=(0, 1e5), unit=[FRAME["person"], other["person"]], rng=1),
    ),
    "any_test by unit": ("unit", lambda other: dp.any_test(AGE, np.mean, 1, unit=other["person"], rng=1)),
    "ttest_1samp by unit": ("unit", lambda other: dp.ttest_1samp(AGE, 50, 1, unit=other["person"], **PAIR)),
    "design": ("series", lambda other: dp.design({"age": AGE, "sex": other["sex"]}, bounds={"age": (18, 90)})),
}
BY_LEVELS = {"levels": ["north", "south"]}


@pytest.mark.parametrize("name", CALLS)
def test_another_order_of_rows_is_refused_before_anything_is_charged(name: str) -> None:
    wrong, call = CALLS[name]
    other = FRAME.sample(frac=1.0, random_state=3)
    with dp.Budget(9, neighbors="bounded") as budget, pytest.raises(dp.PydpstatError) as caught:
        call(other)
    assert not budget.entries
    text = str(caught.value)
    assert "the same index" in text and wrong in text, text
    assert "Put" in text and "reset_index(drop=True)" in text or "Give one data frame" in text


@pytest.mark.parametrize("name", CALLS)
def test_equal_indexes_are_accepted(name: str) -> None:
    _, call = CALLS[name]
    call(FRAME)
    # an index that is equal, but another object
    call(FRAME.set_axis(pd.Index([*range(N)])))


@pytest.mark.parametrize("name", CALLS)
def test_what_has_no_index_is_paired_by_position(name: str) -> None:
    _, call = CALLS[name]
    call({label: FRAME[label].to_numpy() for label in FRAME.columns})


def test_the_remedies_work() -> None:
    other = FRAME.sample(frac=1.0, random_state=3)
    right = dp.mean(AGE, 1, by=FRAME["region"], **PAIR, levels=["north", "south"]).estimate
    by = other["region"]
    for data, keys in (
        (AGE, by.loc[AGE.index]),
        (AGE.reset_index(drop=True), FRAME["region"].reset_index(drop=True)),
        (AGE.to_numpy(), FRAME["region"]),
    ):
        found = dp.mean(data, 1, by=keys, **PAIR, levels=["north", "south"]).estimate
        assert np.array_equal(found.to_numpy(), right.to_numpy())


def test_different_samples_may_have_different_indexes() -> None:
    first, second = AGE[SEX == "f"], AGE[SEX == "m"]
    size = min(first.size, second.size)
    assert dp.ttest_ind(first[:size], second[:size], 1, bounds=(18, 90), rng=1).pvalue >= 0.0
    assert dp.mannwhitneyu(first[:size], second[:size], 1, rng=1).pvalue >= 0.0


def test_subsets_and_dropped_records_of_a_design_are_aligned() -> None:
    gaps = FRAME.assign(age=AGE.where(AGE < 80)).set_index("person")
    study = dp.design(
        gaps, bounds={"age": (18, 90), "income": (0, 1e5)}, levels={"sex": ["f", "m"]}, missing="drop", rng=1
    )
    for part in (study, study.subset("sex == 'f'")):
        assert part.mean("age", 1, by="sex").estimate.size == 3
        assert part.corr(["age", "income"], 1).estimate is not None
        assert part.ols("income ~ age", 1).params.size == 2


def test_a_matrix_and_a_polars_series_of_another_length_are_refused() -> None:
    polars = pytest.importorskip("polars")
    short = polars.Series("region", ["north"] * (N - 1))
    data = polars.Series("age", AGE.to_numpy())
    for values in (data, AGE, AGE.to_numpy()):
        with pytest.raises(dp.PydpstatError, match="must have a value for each record"):
            dp.mean(values, 1, by=short, **PAIR, levels=["north", "south"])
        with pytest.raises(dp.PydpstatError, match="the lengths differ"):
            dp.cov(values, polars.Series("b", [1.0] * (N - 1)), 1, bounds=(0, 1e5), rng=1)
    with pytest.raises(dp.PydpstatError, match="different lengths"):
        dp.crosstab((SEX, short), 1, **TWO)
    with pytest.raises(dp.PydpstatError, match="the lengths differ"):
        dp.weighted_mean(data, polars.Series("w", [1.0] * (N - 1)), 1, **WEIGHTED)
    with pytest.raises(dp.PydpstatError, match="different lengths"):
        dp.ols(data, polars.Series("b", [1.0] * (N - 1)), 1, bounds=(0, 1e5), rng=1)
