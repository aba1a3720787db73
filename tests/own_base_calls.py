"""A call that works for every public function of the package's own."""

from typing import Any

import numpy as np

import pydpstat
from pydpstat.statistics._catalog import COLUMN_STATISTICS, list_statistics
from tests.junk import echo
from tests.named_call import LABELS, PAIRS, Base, X, Y, positional


def _weighted(epsilon: float) -> dict[str, dict[str, Any]]:
    """Arguments of the statistics of records with weights."""
    either = {"weights": Y, "epsilon": epsilon, "max_weight": 1, "missing": "error"}
    either |= {"neighbors": "bounded", "rng": None, "budget": None}
    return {
        "weighted_mean": {"data": X, "bounds": (0, 1), **either},
        "weighted_proportion": {"condition": X > 0.5, **either},
        "weighted_quantile": {"data": X, "q": 0.5, "bounds": (0, 1), "bins": 16, **either},
        "weighted_total": {"data": X, "bounds": (0, 1), **either},
    }


def echo_half(block: Any) -> float:
    """Return a p-value whatever the block is."""
    return 0.5


def own_calls(epsilon: float = 1.0) -> dict[str, Base]:
    d = pydpstat
    common = {"epsilon": epsilon, "delta": 1e-6, "mechanism": "gaussian", "neighbors": "bounded"}
    common |= {"missing": 0.5, "rng": None, "budget": None}
    choice = {key: common[key] for key in ("epsilon", "neighbors", "missing", "rng", "budget")}
    choice |= {"grid_points": 101, "population": False}
    test = {key: common[key] for key in ("epsilon", "neighbors", "missing", "rng", "budget")}
    t_test = {"bounds": (0, 1), "alternative": "less", **test}
    paid = {"epsilon": epsilon, "rng": None, "budget": None}
    blocks = {"blocks": 2, "neighbors": "bounded", **paid}
    table = {"data": ["a", "b", "b"], "levels": ["a", "b"], "other": "other"}
    calls = {name: {"data": X, "bounds": (0, 1), **common} for name in (*COLUMN_STATISTICS, "moments")}
    for name in ("mean", "var", "std"):
        calls[name]["population"] = True
    calls |= {name: {"x": X, "y": Y, "bounds": ((0, 1), (0, 1)), **common} for name in list_statistics("pairs")}
    calls |= {name: {"condition": X > 0.5, **common, "missing": True} for name in list_statistics("conditions")}
    calls |= {
        "median": {"x": X, "bounds": (0, 1), **choice},
        "quantile": {"x": X, "q": 0.25, "bounds": (0, 1), **choice},
        "quantiles": {"x": X, "qs": [0.25, 0.75], "bounds": (0, 1), **choice},
        "histogram": {"x": X, "edges": [0, 0.5, 1], **common},
        "crosstab": {**table, **common, "missing": "a"},
        "design": {
            **dict(data={"share": X, "group": ["a"] * len(X)}, bounds={"share": (0, 1)}),
            **dict(levels={"group": ["a", "b"]}, unit="group", max_records=2, weights="share"),
            **dict(missing="error", neighbors="unbounded", other="other", budget=None, rng=None),
        },
        "nunique": {
            **dict(data=[1, 2, 2, 3], by=LABELS, levels=[0, 1], other="other", max_groups=2),
            **{**common, "missing": "error"},
        },
        "binomtest": {"condition": X > 0.5, "p": 0.4, "alternative": "less", **test, "missing": True},
        "proportions_test": {
            **dict(condition1=X > 0.5, condition2=Y > 0.5, value=0.1, compare="diff", alternative="less"),
            **{**test, "missing": True},
        },
        "quantile_test": {"x": X, "q": 0.3, "p": 0.25, "alternative": "less", "ties": False, **test},
        **_weighted(epsilon),
        "ttest_1samp": {"a": X, "popmean": 0.5, "method": "exact", **t_test},
        "ttest_rel": {"a": X, "b": Y, "method": "exact", **t_test},
        "ttest_ind": {"a": X, "b": Y, "equal_var": False, **t_test},
        "chisquare": {**table, "f_exp": [1, 2], **test, "missing": "a"},
        "chi2_contingency": {
            **dict(x=["a", "b", "b"], y=["u", "u", "v"], levels=[["a", "b"], ["u", "v"]], other="other"),
            **{**test, "missing": "error"},
        },
        "ols": {
            **dict(formula=Y, data=X, bounds=[(0, 1), (0, 1)], levels=None),
            **dict(method="rank", coefficients=["x1"], null=0.0, interval=True),
            **{**common, "delta": 0, "mechanism": "geometric"},
        },
        "choose": {
            **{"candidates": ["a", "b"], "scores": [1, 2], "sensitivity": 1, "mechanism": "noisy max"},
            **paid,
        },
        "any_test": {"data": X, "test": echo_half, "level": 0.2, "null": None, **blocks},
        "any_interval": {
            **{"data": X, "estimator": np.mean, "range": (0, 1), "limit": "lower", "level": 0.2},
            **blocks,
        },
        "logit": {"formula": LABELS == 1, "data": PAIRS, "bounds": (0, 1), "levels": None, **test},
        "plan": {
            **dict(function="mean", epsilon=epsilon, n=10, columns=None, bounds=(0, 1)),
            **{key: common[key] for key in ("delta", "mechanism", "neighbors", "missing", "rng")},
        },
        "statement": {"releases": [d.count([True, False], 1.0, rng=1)], "budget": None, "delta": 1e-6},
        "compose": {"guarantees": [d.Guarantee(1.0), d.Guarantee(0.5)], "method": "basic", "delta": None},
        "Guarantee": dict(epsilon=1.0, delta=0.0, neighbors="bounded", conditions=(), loss=None, unit=None),
        "Budget": dict(epsilon=1.0, delta=1e-6, path=None, accountant="zcdp", neighbors="bounded", unit=None),
        "calibrate_gaussian": {"epsilon": 1.0, "delta": 1e-6, "sensitivity": 1.0, "method": "analytic"},
        "symmetric_geometric": {"value": [1, 2], "epsilon": 1.0, "sensitivity": 1, "rng": None},
        "symmetric_geometric_noise": dict(size=3, epsilon=1.0, sensitivity=1, method="difference", rng=1),
        "RRandom": {"seed": 1},
    }
    calls |= {
        name: {"x": X, "y": Y, "alternative": "greater", **test}
        for name in ("mannwhitneyu", "wilcoxon", "kendalltau", "ks_2samp")
    }
    calls["wilcoxon"]["cap"] = 2
    calls["kstest"] = {"x": X, "cdf": "norm", "args": (0.0, 1.0), "alternative": "less", **test}
    bases = {name: Base(getattr(d, name), arguments) for name, arguments in calls.items()}
    bases["kruskal"] = Base(positional(d.kruskal, "first", "second"), {"first": X, "second": Y, **test})
    bases["f_oneway"] = Base(
        lambda **arguments: d.f_oneway(arguments.pop("sample1"), arguments.pop("sample2"), **arguments),
        {"sample1": X, "sample2": Y, "bounds": (0, 1), "shape": "any", **test},
    )
    bases["audit"] = Base(
        d.audit,
        dict(release=echo, data=0.0, neighbor=1.0, claim=1.0, samples=500, confidence=0.95, seconds=1.0, rng=1),
        # they go to the release, whatever they are
        ("data", "neighbor"),
    )
    return bases
