"""Calls as users from R, pandas, SciPy and statsmodels mistype them, and what they are told.

The texts beside this module have two lines for each: what is typed; then the argument or object, what was
given and the remedy, as the message has them.
"""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from pydpstat.errors import PydpstatError, UsageWarning

HERE = pathlib.Path(__file__).parent


def cases() -> list[tuple[str, list[str]]]:
    """Return what is typed, and what its message has."""
    found = []
    for path in sorted(HERE.glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [(typed, said.strip().split(" | ")) for typed, said in zip(lines[::2], lines[1::2])]
    return found


CASES = cases()


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """Return what a user has at hand: data, releases, a design, a budget, models."""
    seeded = np.random.default_rng(0)
    n, R = 400, ["north", "south", "east"]
    frame = pd.DataFrame(
        {
            "income": seeded.uniform(0, 9e4, n),
            "age": seeded.integers(18, 90, n).astype(float),
            "sex": seeded.choice(["f", "m"], n),
            "region": seeded.choice(R, n),
            "id": np.arange(n) // 2,
            "z": seeded.integers(0, 2, n),
            "code": seeded.integers(1, 3, n),
        }
    )
    B: dict[str, Any] = {"income": (0, 1e5), "age": (18, 90)}
    levels = {"sex": ["f", "m"], "region": R}
    x = frame["age"].to_numpy()
    few = {"bounds": (0, 1e5), "rng": 1}
    keys = {key: levels[key] for key in ("region", "sex")}
    return {
        "dp": dp,
        "np": np,
        "pd": pd,
        "pathlib": pathlib,
        "frame": frame,
        "x": x,
        "y": 100 - x,
        "w": np.ones(n),
        "z": frame["z"],
        "X": frame[["age"]],
        "R": R,
        "B": B,
        "people": dp.design(frame, bounds={**B, "z": (0, 1)}, levels=levels, rng=1),
        "r": dp.mean(x, 1, bounds=(0, 100), rng=1),
        "hist": dp.histogram(x, 1, edges=[0, 50, 100], rng=1),
        "table": dp.histogram(x, 1, edges=[0, 50, 100], rng=1),
        "tab": dp.crosstab(frame[["sex", "region"]], 1, levels=levels, rng=1),
        "by": dp.mean(frame[["income", "sex"]], 1, by="sex", levels=["f", "m"], **few),
        "by2": dp.mean(frame[["income", "sex", "region"]], 1, by=["region", "sex"], levels=keys, **few),
        "t": dp.ttest_1samp(x, 50, 1, bounds=(0, 100), rng=1),
        "m": dp.ols("income ~ age", frame, 5, bounds=B, rng=1),
        "budget": dp.Budget(2),
        "log": dp.LogisticRegressionDP("l2", 1, 1),
        "lap": dp.DPMechLaplace(target=lambda data: float(np.mean(data)), sensitivity=1, dims=1),
        "eps": dp.DPParamsEps(epsilon=1),
    }


def run(typed: str, names: dict[str, Any]) -> Any:
    """Return what is typed, evaluated; an assignment has no value."""
    try:
        code = compile(typed, "typed", "eval")
    except SyntaxError:
        code = compile(typed, "typed", "exec")
    return eval(code, names)


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "said"), CASES, ids=[typed for typed, _ in CASES])
def test_a_mistake_is_answered(typed: str, said: list[str], names: dict[str, Any]) -> None:
    if "sklearn" in typed:
        pytest.importorskip("sklearn", minversion="1.6")
    spent = len(names["budget"].entries)
    with warnings.catch_warnings(), pytest.raises(PydpstatError) as caught:
        warnings.simplefilter("ignore")
        run(typed, names)
    # the argument or object, what was given, and what to write
    assert len(said) == 3
    assert [each for each in said if each not in str(caught.value)] == []
    assert len(names["budget"].entries) == spent


def test_the_collection_is_large_and_has_every_mistake_once() -> None:
    assert len({typed for typed, _ in CASES}) == len(CASES) >= 300


# what looks like a mistake and is allowed, and what it is the same as
SAME = {
    "dp.mean(x, 1, bounds=(0, 100), rng=123.0)": "dp.mean(x, 1, bounds=(0, 100), rng=123)",
    "dp.mean(x, 1, bounds=(0, 100), rng=np.int64(4))": "dp.mean(x, 1, bounds=(0, 100), rng=4)",
    "dp.meanDP(x, 1, 0, 100, rng=dp.RRandom(123.0))": "dp.meanDP(x, 1, 0, 100, rng=dp.RRandom(123))",
    "dp.RRandom(-1).runif(2).tolist()": "dp.RRandom(-1.0).runif(2).tolist()",
    "dp.median(x, 1, bounds=(0, 100), grid_points=101.0, rng=1)": (
        "dp.median(x, 1, bounds=(0, 100), grid_points=101, rng=1)"
    ),
    "hist['[0, 50)']": "hist.params['[0, 50)']",
    "hist[0]": "hist.params.iloc[0]",
    "tab['f', 'north']": "tab.estimate.loc['f', 'north']",
    "tab['f:north']": "tab.estimate.loc['f', 'north']",
    "tab[:, 'north'].tolist()": "tab.estimate['north'].tolist()",
    "tab['north'].tolist()": "tab.estimate['north'].tolist()",
    "by['f']": "by.params['f']",
    "format(r, '.1f')": "format(float(r), '.1f')",
    "format(hist, '.1f')": "hist.params.map('{:.1f}'.format).to_string()",
    "round(r, 1.0)": "round(float(r), 1)",
    "bool(r)": "True",
    "np.mean(hist)": "hist.params.mean()",
    "repr(frame.groupby('sex').age.apply(lambda s: dp.mean(s, 1, bounds=(0, 99), rng=1)).iloc[0])[:17]": (
        "'<DPResults mean: '[:17]"
    ),
    "dp.crosstab(frame.sex, 1, levels=['f', 'm', 'other'], rng=1).params.to_dict()": (
        "dp.crosstab(frame.sex, 1, levels=['f', 'm'], rng=1).params.to_dict()"
    ),
}


@pytest.mark.parametrize("typed", SAME)
def test_what_is_allowed(typed: str, names: dict[str, Any]) -> None:
    assert run(typed, names) == run(SAME[typed], names)


# what is released, with a note that it may not be what was meant
NOTES = {
    "dp.quantile(x, 1, 0.5, bounds=(0, 100))": "write quantile(x, q=0.5, epsilon=1, ...)",
    "dp.quantiles(x, 1, 0.5, bounds=(0, 100))": "write quantiles(x, qs=0.5, epsilon=1, ...)",
    "dp.quantiles(x, 0.5, 1, bounds=(0, 100))": "",
    "people.quantile('income', 1, 0.5)": "write quantile(x, q=0.5, epsilon=1, ...)",
    "dp.crosstab(frame.sex, 1, levels=['F', 'M'])": "no level of sex, ['F', 'M'], has a larger",
    "dp.crosstab(frame.sex, 1, levels=['F', 'M'], other=None)": "has a larger number of records than noise",
    "dp.crosstab(frame[['region', 'sex']], 1, levels=[R, ['F', 'M']])": "no level of sex, ['F', 'M']",
    "dp.mean(frame[['income', 'sex']], 1, bounds=(0, 1e5), by='sex', levels=['F', 'M'])": "no level of sex",
    "dp.var(frame[['income', 'sex']], 1, bounds=(0, 1e5), by='sex', levels=['F', 'M'])": "no level of sex",
    "people.crosstab('sex', 1, levels=['f'])": "",
    "dp.crosstab(frame.sex, 1, levels=['f', 'M'])": "the level 'M' of sex looks empty",
    "dp.crosstab(frame.sex[:8], 0.1, levels=['F', 'M'])": "",
    "dp.quantile(x, 1, 1, bounds=(0, 100))": "",
    "dp.quantileDP(x, 1.0, 0.5, 0, 100)": "write quantileDP(x, quant=0.5, eps=1, ...)",
    "dp.quantileDP(x, 0.5, 1.0, 0, 100)": "",
    "dp.chisquare([10, 20, 30], 1, levels=[10, 20, 30])": "3 records, no more than there are levels",
    "dp.quantile(x, 0.5, 0.5, bounds=(0, 100))": "",
}


@pytest.mark.parametrize("typed", NOTES)
def test_what_may_not_be_meant_is_said(typed: str, names: dict[str, Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UsageWarning)
        assert isinstance(run(typed, names), (dp.DPResults, dp.InferenceResults))
    notes = [str(each.message) for each in caught if each.category is UsageWarning]
    assert [NOTES[typed] in each for each in notes] == [True] * bool(NOTES[typed])


def test_an_element_that_is_not_there_ends_no_loop(names: dict[str, Any]) -> None:
    # an IndexError would end one silently
    for thing in ("m", "people", "budget"):
        with pytest.raises(TypeError):
            list(names[thing])
    assert len(list(names["hist"])) == 2


def test_objects_that_are_not_made_yet_have_no_names() -> None:
    for kind in (dp.Design, dp.Budget, dp.RRandom, dp.LogisticRegressionDP, dp.DPMechLaplace):
        made = kind.__new__(kind)
        assert not hasattr(made, "__deepcopy__") and not hasattr(made, "_nothing")
    with pytest.raises(AttributeError, match="'columns' of Design is not set"):
        _ = dp.Design.__new__(dp.Design).columns
