"""Levels that look empty are told of: which, after which releases, and how often without need."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat._records.groups import warn_unused_levels
from pydpstat._records.levels import LevelAxis
from pydpstat.errors import UsageWarning

DRAW = np.random.default_rng(0)
N = 2000
FRAME = pd.DataFrame(
    {
        "income": DRAW.uniform(0, 9e4, N),
        "age": DRAW.integers(18, 90, N).astype(float),
        "sex": DRAW.choice(["f", "m"], N),
        "weight": DRAW.uniform(0.5, 3, N),
        "rich": DRAW.choice([True, False], N),
        "id": np.arange(N) // 2,
    }
)
BOUNDS = {"income": (0, 1e5), "age": (18, 90)}
WEIGHTED = FRAME[["income", "sex", "weight"]]
Told = Callable[..., Any]


def people(levels: list[str], **how: Any) -> dp.Design:
    return dp.design(FRAME, bounds=BOUNDS, levels={"sex": levels}, rng=1, **how)


def weighted(function: Any, *before: Any) -> Told:
    usual = {"bounds": (0, 1e5), "max_weight": 3, "by": "sex", "rng": 1}
    return lambda levels, **how: function(WEIGHTED, "weight", *before, 1, levels=levels, **usual, **how)


def by_sex(name: str, *arguments: Any, **own: Any) -> Told:
    return lambda levels, **how: getattr(people(levels, **how), name)(*arguments, 1, by="sex", **own)


# records in no level are counted, unless `other` is None
COUNTED: dict[str, Told] = {
    "crosstab": lambda levels, **how: people(levels, **how).crosstab("sex", 1),
    "proportion": by_sex("proportion", "rich"),
    "mean": by_sex("mean", "income"),
    "mean of the population": by_sex("mean", "income", population=True),
    "std": by_sex("std", "income"),
    "median of the population": by_sex("median", "income", population=True),
    "histogram": by_sex("histogram", "income", edges=[0, 1e4, 3e4, 1e5]),
    "moments": by_sex("moments", "income"),
    "weighted_mean": weighted(dp.weighted_mean),
    "weighted_total": weighted(dp.weighted_total),
    "weighted_quantile": weighted(dp.weighted_quantile, 0.5),
}
# only what those of no level add up to tells
ADDED: dict[str, Told] = {
    "count": by_sex("count", "rich"),
    "sum": by_sex("sum", "income"),
    "nunique": lambda levels, **how: dp.nunique(FRAME[["id", "sex"]], 1, by="sex", levels=levels, rng=1, **how),
}
# records of no level are left out, or are in the reference
TESTED: dict[str, Told] = {
    "ttest_ind": lambda levels: people(levels).ttest_ind("income ~ sex", 1),
    "f_oneway": lambda levels: people(levels).f_oneway("income ~ sex", 1),
    "ols": lambda levels: people(levels).ols("income ~ age + sex", 1),
    "logit": lambda levels: people(levels).logit("rich ~ sex", 1),
    "logit with numbers": lambda levels: people(levels).logit("rich ~ sex + age", 1),
    "logit of levels": lambda levels: people(levels).logit("sex ~ age", 1),
    "kruskal": lambda levels: people(levels, neighbors="bounded").kruskal("income ~ sex", 1),
    "mannwhitneyu": lambda levels: people(levels, neighbors="bounded").mannwhitneyu("income ~ sex", 1),
}


def notes(call: Callable[[], Any]) -> list[str]:
    """Return what a call says of its use."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(each.message) for each in caught if each.category is UsageWarning]


@pytest.mark.parametrize("name", [*COUNTED, *ADDED])
def test_misspelled_levels_of_groups_are_told_of(name: str) -> None:
    release = (COUNTED | ADDED)[name]
    assert notes(lambda: release(["f", "m"])) == []
    (both,) = notes(lambda: release(["F", "M"]))
    assert "no level of sex, ['F', 'M'], has a larger" in both and "in none of the levels is about" in both
    (one,) = notes(lambda: release(["f", "M"]))
    assert one.startswith("the level 'M' of sex looks empty: its noisy")
    assert one.endswith("is one misspelled?")
    assert notes(lambda: release(["f", "m", "x"])) == []


@pytest.mark.parametrize("name", COUNTED)
def test_where_records_of_no_level_are_left_out(name: str) -> None:
    assert notes(lambda: COUNTED[name](["f", "m"], other=None)) == []
    (one,) = notes(lambda: COUNTED[name](["f", "M"], other=None))
    assert "the level 'M' of sex looks empty" in one and "the other level has far more" in one


def test_no_level_has_more_than_noise_where_records_are_left_out() -> None:
    (both,) = notes(lambda: COUNTED["mean"](["F", "M"], other=None))
    assert both.startswith("no level of sex has a larger number of records than noise alone.")


@pytest.mark.parametrize("name", TESTED)
def test_misspelled_levels_of_tests_and_models_are_told_of(name: str) -> None:
    assert notes(lambda: TESTED[name](["f", "m"])) == []
    for levels in (["F", "M"], ["f", "M"]):
        (said,) = notes(lambda: TESTED[name](levels))
        assert "Levels must be spelled exactly as in the data" in said


def told(counts: Any, places: tuple[int, ...], sd: float = 1.0, **how: Any) -> bool:
    names = tuple(map(str, range(np.size(counts))))
    return bool(notes(lambda: warn_unused_levels(counts, sd, [("x", LevelAxis(names, places))], **how)))


def test_what_is_told_of() -> None:
    open_, shut = (0, 1, 2, -1), (0, 1, 2, -1, -1)
    assert told([0.0, 50.0, 30.0], open_) and not told([0.0, 50.0, 9.0], open_)
    # among several levels a rare one is usual
    assert told([0.0, 50.0], (0, 1, -1, -1)) and not told([0.0, 50.0, 50.0], shut)
    assert told([0.0, 0.0, 0.0], shut) and told([0.0, 0.0, 0.0], shut, has_all_records=False)
    assert not told([0.0, 50.0, 50.0], shut, nobs=101) and told([0.0, 50.0, 50.0], shut, nobs=200)
    # a level of the name of the others' is the others'
    assert told([0.0, 50.0], (0, 1, 1, -1)) and not told([50.0, 0.0], (0, 1, 1, -1))
    # one that missing values have is none that is declared
    assert not told([50.0, 50.0, 0.0], (0, 1, -1, 2))


def test_declared_categories_are_not_misspelled() -> None:
    data = pd.DataFrame({"x": FRAME["income"], "g": pd.Categorical(FRAME["sex"], ["f", "m", "x"])})
    public = {"bounds": (0, 1e5), "by": "g", "levels": "declared", "rng": 1}
    assert notes(lambda: dp.mean(data, 1, **public)) == []
    assert notes(lambda: dp.ols("x ~ g", data, 1, bounds=(0, 1e5), levels="declared", rng=1)) == []


@pytest.mark.parametrize("declared", [False, True])
def test_a_response_of_which_nobody_may_misspell_a_level_is_not_told_of(declared: bool) -> None:
    y = pd.Categorical(["no"] * N, ["no", "yes"]) if declared else np.full(N, False)
    data, public = {"y": y, "x": FRAME["age"]}, {"levels": "declared"} if declared else {}
    found = []
    assert notes(lambda: found.append(dp.logit("y ~ x", data, 1, bounds={"x": (18, 90)}, rng=1, **public))) == []
    told_of = f"records of y = {'yes' if declared else True} cannot be distinguished from 0"
    assert told_of in " ".join(found[0].remarks)


@pytest.mark.parametrize("law", ["laplace", "normal"])
def test_a_level_with_ten_deviations_of_noise_is_hardly_ever_told_of(law: str) -> None:
    draws = 20_000
    noise = getattr(np.random.default_rng(1), law)(0.0, 1.0, (draws, 3))
    counts = np.array([10.0, 1000.0, 1000.0]) + noise / (np.sqrt(2.0) if law == "laplace" else 1.0)
    wrong = (counts[:, 0] < 3.0).mean()
    assert wrong <= 5 / draws
    assert [told(row, (0, 1, 2, -1)) for row in counts[:200]] == [False] * 200


def test_several_variables_are_told_of_together() -> None:
    crossed = FRAME[["sex"]].assign(region="north")
    levels = {"sex": ["F", "M"], "region": ["N", "S"]}
    (said,) = notes(lambda: dp.crosstab(crossed, 1, levels=levels, other=None, neighbors="unbounded", rng=1))
    assert said.startswith("no level of sex and region has a larger number")


def test_an_identifier_among_variables_is_refused_before_anything_is_paid() -> None:
    budget = dp.Budget(9)
    for name in ("id", "ID", "patient_id", "userId", "uuid", "index", "person"):
        data = FRAME[["income", "id"]].rename(columns={"id": name})
        for call in (dp.mean, dp.sum, dp.var, dp.moments, dp.cov):
            with pytest.raises(dp.PydpstatError, match=f"got '{name}', which looks like an identifier. Select"):
                call(data, 1, bounds=(0, 1e5), budget=budget)
    assert not budget.entries
    data = FRAME[["income", "id"]]
    assert dp.mean(data, 1, bounds=[(0, 1e5), (0, 1e4)], rng=1).params.size == 2
    with pytest.raises(dp.PydpstatError, match="a pair for each of different variables"):
        dp.mean(data.rename(columns={"id": "paid"}), 1, bounds=(0, 1e5), rng=1)
    assert dp.mean(data[["id"]], 1, bounds=(0, 1e5), rng=1).params.size == 1


def test_a_test_tells_of_a_group_that_looks_empty_among_several() -> None:
    frame = pd.DataFrame({"v": np.tile(np.arange(4.0), 900), "g": np.repeat(["a", "b", "c"], 1200)})
    levels = {"g": ["A", "b", "c"], "h": ["x", "y"]}
    frame["h"] = np.tile(["x", "y"], 1800)
    study = dp.design(frame, bounds={"v": (0, 4)}, levels=levels, neighbors="unbounded", rng=1)
    (said,) = notes(lambda: study.f_oneway("v ~ g", 2.0))
    assert said.startswith("the level 'A' looks empty") and "the other levels have far more" in said
    (said,) = notes(lambda: study.chi2_contingency("~ g + h", 2.0))
    assert said.startswith("the level 'A' of g looks empty") and "values in none of the levels" in said


@pytest.mark.parametrize("name", ADDED)
def test_sums_and_counts_tell_of_levels_that_are_all_misspelled(name: str) -> None:
    assert notes(lambda: ADDED[name](["f", "m"], other=None)) == []
    (both,) = notes(lambda: ADDED[name](["F", "M"], other=None))
    assert both.startswith("no level of sex has a larger") and "are they misspelled?" in both
