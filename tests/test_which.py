"""The table from R's functions to pydpstat's: every call that it shows runs."""

import re

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp
from tests.filled_pages import read_page

PAGE = read_page("which.md")
ROWS = re.findall(r"^\|(?:[^|\n]*\|)+$", PAGE, flags=re.MULTILINE)
CALLS = sorted(
    {
        code
        for row in ROWS
        for code in re.findall(r"`((?:dp|s|r|m|table)\.[^`]+\))`", row.split("|")[-2])
        if "..." not in code and "to_r" not in code
    }
)


@pytest.fixture(scope="module")
def names():
    draw = np.random.default_rng(5)
    n = 400
    d = pd.DataFrame(
        {
            "person": range(n),
            "age": draw.integers(18, 91, n),
            "income": draw.lognormal(7.8, 0.5, n),
            "before": draw.random(n),
            "after": draw.random(n),
            "w": draw.uniform(0.5, 2, n),
            "region": draw.choice(["north", "south"], n),
            "sex": draw.choice(["f", "m"], n),
            "employed": draw.random(n) < 0.6,
        }
    )
    levels = {"region": ["north", "south"], "sex": ["f", "m"], "employed": [False, True]}
    bounds = {"age": (18, 90), "income": (0, 10_000), "before": (0, 1), "after": (0, 1), "w": (0, 2)}
    s = dp.design(d, bounds=bounds, levels=levels, weights="w", other=None, neighbors="bounded")
    return {
        "dp": dp,
        "d": d,
        "s": s,
        "levels": {name: levels[name] for name in ("region", "sex")},
        **d[["age", "income", "employed", "person"]],
        "r": s.mean("income", 1.0, by="sex", population=True),
        "m": s.ols("income ~ age + C(sex)", 4.0),
        "table": s.crosstab(["region", "sex"], 1.0),
        "new": {"age": [30], "sex": ["f"]},
        "data": d["age"].to_numpy(),
        "candidates": ["north", "south"],
        "scores": [210, 190],
        "test": lambda block: 0.5,
        "estimator": lambda block: 0.5,
    }


def test_the_page_has_its_rows():
    assert len(ROWS) > 60 and len(CALLS) > 40


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_a_call_of_the_table_runs(call, names):
    if ".plot(" in call:
        pytest.importorskip("matplotlib").use("agg")
    assert eval(call, names) is not None


def test_every_statistic_and_test_is_in_the_table():
    homes = ("pydpstat.statistics", "pydpstat.inference")
    own = [name for name in dp.__all__ if getattr(getattr(dp, name), "__module__", "").startswith(homes)]
    functions = [name for name in own if name.islower() and not name.startswith("symmetric")]
    assert len(functions) > 30
    assert [name for name in functions if not re.search(rf"\b(?:dp|s)\.{name}\b", PAGE)] == []
