"""Tests and intervals where units have several records that are alike, of which one counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import special

import pydpstat as dp

Setting = dict[str, Any]
CHUNK = 20
ALPHA = 0.05
BOUNDS = (0.0, 1.0)


def _setting(what: str, units: int, most: int, neighbors: str, epsilon: float = 1.0) -> Setting:
    name = f"{what}, {units} units, 1 to {most} records, {neighbors}, epsilon {epsilon}"
    return {
        "name": name,
        "what": what,
        "units": units,
        "most": most,
        "neighbors": neighbors,
        "epsilon": epsilon,
    }


_BOUNDED = ("any_test", "kendalltau", "kruskal", "kstest", "mannwhitneyu", "ttest_ind", "wilcoxon")
_BOTH = ("binomtest", "median", "proportion", "quantile_test")
SETTINGS = [_setting(what, 60, 8, "bounded") for what in _BOUNDED]
SETTINGS += [_setting(what, 60, 8, neighbors) for what in _BOTH for neighbors in ("bounded", "unbounded")]
SETTINGS += [
    _setting("chi2_contingency", 500, 3, "bounded"),
    _setting("f_oneway", 60, 8, "bounded"),
    _setting("ttest_1samp", 500, 3, "bounded"),
    _setting("ttest_1samp", 500, 3, "unbounded"),
]


def records(setting: Setting, rng: np.random.Generator) -> pd.DataFrame:
    """Draw units and their records, whose correlation within a unit is 0.9; all variables are independent."""
    times = rng.integers(1, setting["most"] + 1, setting["units"])
    ids = np.repeat(np.arange(setting["units"]), times)
    columns = {"unit": ids}
    for name in ("x", "y"):
        own, each = rng.normal(size=setting["units"]), rng.normal(size=ids.size)
        columns[name] = special.ndtr(np.sqrt(0.9) * own[ids] + np.sqrt(0.1) * each)
    frame = pd.DataFrame(columns)
    # all of a unit are in one group
    frame["group"] = rng.choice(["a", "b", "c"], setting["units"])[ids]
    return frame.assign(low=frame.x < 0.3, pair=np.where(frame.group == "c", "b", frame.group))


def _asked(setting: Setting, rng: np.random.Generator) -> Any:
    facts = {"bounds": {"x": BOUNDS, "y": BOUNDS}, "neighbors": setting["neighbors"], "unit": "unit"}
    levels = {"group": ["a", "b", "c"], "pair": ["a", "b"], "low": [False, True]}
    people = dp.design(records(setting, rng), **facts, levels=levels, rng=rng)
    epsilon, what = setting["epsilon"], setting["what"]
    calls = {
        "any_test": lambda: people.any_test("low", _differs, epsilon, blocks=6, level=0.2),
        "binomtest": lambda: people.binomtest("low", epsilon, p=0.3),
        "chi2_contingency": lambda: people.chi2_contingency(["group", "low"], epsilon),
        "f_oneway": lambda: people.f_oneway("x ~ group", epsilon),
        "kendalltau": lambda: people.kendalltau(["x", "y"], epsilon),
        "kruskal": lambda: people.kruskal("x ~ group", epsilon),
        "kstest": lambda: people.kstest("x", "uniform", epsilon),
        "mannwhitneyu": lambda: people.mannwhitneyu("x ~ pair", epsilon),
        "median": lambda: people.median("x", epsilon, population=True),
        "proportion": lambda: people.proportion("low", epsilon),
        "quantile_test": lambda: people.quantile_test("x", epsilon, q=0.5),
        "ttest_1samp": lambda: people.ttest_1samp("x", 0.5, epsilon),
        "ttest_ind": lambda: people.ttest_ind("x ~ pair", epsilon),
        "wilcoxon": lambda: people.wilcoxon(["x", "y"], epsilon),
    }
    return calls[what]()


def _differs(block: Any) -> float:
    from scipy import stats

    return float(stats.binomtest(int(block.sum()), len(block), 0.3).pvalue)


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Count the true hypotheses that are rejected, or the intervals that leave the true parameter out."""
    rng = np.random.default_rng(seed)
    return sum(_rejected(setting, rng) for _ in range(runs))


def _rejected(setting: Setting, rng: np.random.Generator) -> bool:
    found, truth = _asked(setting, rng), {"median": 0.5, "proportion": 0.3}.get(setting["what"])
    if truth is None:
        return bool(found.pvalue <= ALPHA)
    low, high = found.conf_int(ALPHA, kind="population").iloc[0]
    return not low <= truth <= high
