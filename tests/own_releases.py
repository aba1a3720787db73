"""Releases of the package's own functions for the search: every function, noise, neighbors and container."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import pydpstat
from pydpstat.statistics._catalog import COLUMN_STATISTICS, list_statistics

# a number of records that occurs nowhere else, and values with many digits
N = 10_007
PLACES = np.arange(float(N))
# scalar functions: the last bit of NumPy's is the processor's
X = 4.242424242e7 + 1.00731e6 * np.array(list(map(math.sin, PLACES * 1.7))) + 13.37 * PLACES
Y = 7.070707e-3 + 1.31e-3 * np.array(list(map(math.cos, PLACES * 2.3))) + 1.17e-8 * PLACES
BOUNDS, Y_BOUNDS = (4.0e7, 4.5e7), (0.0, 0.01)
LEVELS = ["low", "mid", "high"]
CODES = (PLACES * 7919 % 31 % 3).astype(int)
# where counts are released, so that their noise is no small number like any other
WIDE = 1e-5

Data = tuple[Any, ...]


@dataclass(frozen=True)
class Own:
    """A call of an own function on data that are made anew for it."""

    name: str
    data: Callable[[], Data]
    call: Callable[..., Any]
    bounded: bool

    def __call__(self, data: Data, rng: Any = None, budget: Any = None) -> Any:
        return self.call(*data, rng=rng, budget=budget)


def _of(*values: Any) -> Callable[[], Data]:
    """Return what makes the data anew: copies, so that a search finds whose they are."""
    return lambda: tuple(each.copy() for each in values)


_SIZE, _LARGE = np.array(LEVELS)[CODES], X > 4.25e7
_GAPPED = X.copy()
_GAPPED[::97] = np.nan
_CROSSED = pd.DataFrame({"size": _SIZE, "side": np.where(_LARGE, "left", "right")})
_GROUPS = pd.DataFrame({"x": X, "size": _SIZE})

_vector, _two, _regressed, _weighted, _scores = _of(X), _of(X, Y), _of(Y, X), _of(X, Y), _of(X[:12])
# differences of both signs: the largest signed-rank statistic is public
_moved = _of(X, np.roll(X, 7))
_three = _of(X, X[:5_000], X[2_000:])
_holes = _of(pd.Series(_GAPPED, name="x"))
_truths, _two_truths = _of(_LARGE), _of(_LARGE, Y > 0.007)
_truth_frame = _of(pd.DataFrame({"p": _LARGE, "q": Y > 0.0071}))
_frame = _of(pd.DataFrame({"x": X, "y": Y}))
_factor = _of(pd.Series(pd.Categorical.from_codes(CODES, LEVELS), name="size"))
_factors, _sides = _of(_CROSSED), _of(_CROSSED["size"], _CROSSED["side"])
_grouped, _weighted_groups = _of(_GROUPS), _of(_GROUPS, Y)
_persons = _of(pd.DataFrame({"x": X, "person": (PLACES % 997).astype(int)}))
_responses = _of(Y > 0.007, X)
_responses_by_level = _of(Y > 0.007, pd.DataFrame({"x": X, "g": _SIZE}))

BOTH = {"x": BOUNDS, "y": Y_BOUNDS}
_NOISE = (("laplace", 0), ("gaussian", 1e-6))
_COUNT_NOISE = (("geometric", 0), ("gaussian", 1e-6))


def _families() -> list[tuple[str, str, Callable[[], Data], float, dict[str, Any], Any]]:
    """Name, function, data, epsilon, own arguments, and the noises; None for a choice."""
    real = [
        (f"{name}, {form}", name, data, 1.0, {"bounds": bounds}, _NOISE)
        for name in COLUMN_STATISTICS
        for form, data, bounds in (("vector", _vector, BOUNDS), ("frame", _frame, BOTH))
    ]
    pairs = [
        (f"{name}, {form}", name, data, 1.0, {"bounds": bounds}, _NOISE)
        for name in list_statistics("pairs")
        for form, data, bounds in (("two vectors", _two, (BOUNDS, Y_BOUNDS)), ("frame", _frame, BOTH))
    ]
    counts = [
        (f"{name}, {form}", name, data, WIDE, {}, _COUNT_NOISE)
        for name in list_statistics("conditions")
        for form, data in (("vector", _truths), ("frame", _truth_frame))
    ]
    edges = [4.1e7, 4.2e7, 4.3e7, 4.4e7]
    two_levels = {"size": LEVELS, "side": ["left", "right"]}
    tables = [
        ("histogram", "histogram", _vector, WIDE, {"edges": edges}, _COUNT_NOISE),
        ("crosstab", "crosstab", _factor, WIDE, {"levels": LEVELS}, _COUNT_NOISE),
        ("crosstab, declared", "crosstab", _factor, WIDE, {"levels": "declared"}, _COUNT_NOISE),
        ("crosstab, two ways", "crosstab", _factors, WIDE, {"levels": two_levels}, _COUNT_NOISE),
        ("crosstab, discovered", "crosstab", _factor, 1e-2, {"levels": "discover"}, (("geometric", 1e-6),)),
        ("chisquare", "chisquare", _factor, WIDE, {"levels": LEVELS}, None),
        ("chi2_contingency", "chi2_contingency", _sides, WIDE, {"levels": list(two_levels.values())}, None),
        ("mean, filled", "mean", _holes, 1.0, {"bounds": BOUNDS, "missing": 4.1e7}, _NOISE),
        ("histogram, filled", "histogram", _holes, WIDE, {"edges": edges, "missing": 4.1e7}, _COUNT_NOISE),
    ]
    tests = [
        ("binomtest", "binomtest", _truths, WIDE, {"p": 0.3}, None),
        ("quantile_test", "quantile_test", _vector, WIDE, {"q": 4.25e7}, None),
        ("quantile_test, no ties", "quantile_test", _vector, WIDE, {"q": 4.25e7, "ties": False}, None),
    ]
    means = [
        ("moments", "moments", _vector, 1.0, {"bounds": BOUNDS}, _NOISE),
        ("moments, frame", "moments", _frame, 1.0, {"bounds": BOTH}, _NOISE),
        ("ttest_1samp", "ttest_1samp", _vector, 1.0, {"popmean": 4.25e7, "bounds": BOUNDS}, None),
        ("ttest_rel", "ttest_rel", _two, 1.0, {"bounds": (-1.0, 5.0e7)}, None),
    ]
    ranges = [Y_BOUNDS, BOUNDS]
    regressions = [
        ("ols, moments", "ols", _regressed, 1.0, {"bounds": ranges}, _NOISE),
        ("ols, HC3", "ols", _regressed, 1.0, {"bounds": ranges, "cov_type": "HC3"}, None),
        ("ols, rank", "ols", _regressed, 1.0, {"bounds": ranges, "method": "rank", "interval": True}, None),
    ]
    choices = [
        ("quantile", "quantile", _vector, 1.0, {"q": 0.25, "bounds": BOUNDS}, None),
        ("median", "median", _vector, 1.0, {"bounds": BOUNDS}, None),
        ("quantiles", "quantiles", _vector, 1.0, {"qs": [0.1, 0.5, 0.9], "bounds": BOUNDS}, None),
    ]
    return [*real, *pairs, *counts, *tables, *tests, *means, *choices, *regressions]


_RANK_TESTS: tuple[tuple[str, Callable[[], Data], dict[str, Any]], ...] = (
    ("mannwhitneyu", _two, {}),
    ("wilcoxon", _moved, {"cap": 5_000}),
    ("kruskal", _two, {}),
    ("kendalltau", _two, {}),
    ("kstest", _vector, {"cdf": "norm", "args": (4.25e7, 1e6)}),
    ("ks_2samp", _two, {}),
)


def _caller(function: str, epsilon: float, options: dict[str, Any]) -> Callable[..., Any]:
    def call(*data: Any, rng: Any, budget: Any) -> Any:
        return getattr(pydpstat, function)(*data, epsilon=epsilon, **options, rng=rng, budget=budget)

    return call


def _first(block: Any) -> bool:
    return bool(np.asarray(block).ravel()[0] > 4.25e7)


def _blocks() -> list[Own]:
    """Return tests on blocks and a logistic regression; such epsilons make noise a large number, too."""
    found = []
    for neighbors in ("bounded", "unbounded"):
        own = {"neighbors": neighbors, "blocks": 500}
        for name, each, epsilon in (
            ("any_test", {"test": _first, **own}, 1e-4),
            ("any_interval", {"estimator": np.mean, "range": BOUNDS, **own}, 1e-2),
        ):
            call = _caller(name, epsilon, each)
            found.append(Own(f"{name}, {neighbors}", _vector, call, neighbors == "bounded"))
    found.append(Own("logit", _responses, _caller("logit", 1e-3, {"bounds": BOUNDS}), True))
    own = {"bounds": BOUNDS, "levels": {"g": LEVELS}}
    for neighbors in ("bounded", "unbounded"):
        call = _caller("logit", WIDE, {**own, "neighbors": neighbors})
        found.append(Own(f"logit, levels, {neighbors}", _responses_by_level, call, neighbors == "bounded"))
    return found


def _chooser(mechanism: str) -> Callable[..., Any]:
    names = [f"candidate {place}" for place in range(12)]

    def call(scores: Any, rng: Any, budget: Any) -> Any:
        return pydpstat.choose(names, scores, 1e-7, 1.0, mechanism=mechanism, rng=rng, budget=budget)

    return call


def _all() -> list[Own]:
    releases = []
    for (name, function, data, epsilon, own, noises), neighbors in itertools.product(
        _families(), ("bounded", "unbounded")
    ):
        if name == "ols, rank" and neighbors == "unbounded":
            # it is refused
            continue
        for mechanism, delta in noises or ((None, 0),):
            options = {**own, "neighbors": neighbors}
            if mechanism is not None:
                options |= {"mechanism": mechanism, "delta": delta}
            label = ", ".join(filter(None, (name, mechanism, neighbors)))
            releases.append(Own(label, data, _caller(function, epsilon, options), neighbors == "bounded"))
    dropped = {"bounds": BOUNDS, "missing": "drop", "neighbors": "unbounded"}
    releases.append(Own("mean, dropped, unbounded", _holes, _caller("mean", 1.0, dropped), False))
    releases.append(Own("median, dropped, unbounded", _holes, _caller("median", 1.0, dropped), False))
    for neighbors in ("bounded", "unbounded"):
        # how many records groups and persons have is private under both
        by = {"by": "size", "levels": LEVELS, "neighbors": neighbors}
        unit = {"unit": "person", "max_records": 3, "neighbors": neighbors}
        bins, points = {"edges": [4.1e7, 4.2e7, 4.3e7]}, {"bounds": BOUNDS}
        for form, data, how in (("by group", _grouped, by), ("by unit", _persons, unit)):
            for name, epsilon, own in (
                ("histogram", WIDE, bins),
                ("median", 1.0, points),
                ("quantiles", 1.0, {**points, "qs": [0.1, 0.5]}),
            ):
                call = _caller(name, epsilon, {**own, **how})
                releases.append(Own(f"{name}, {form}, {neighbors}", data, call, False))
        releases.append(Own(f"nunique, by group, {neighbors}", _grouped, _caller("nunique", WIDE, by), False))
        weights = {"bounds": BOUNDS, "max_weight": 0.01, "neighbors": neighbors}
        for name, own in (("weighted_mean", {}), ("weighted_quantile", {"q": 0.5}), ("weighted_total", {})):
            call = _caller(name, 1.0, {**weights, **own})
            releases.append(Own(f"{name}, {neighbors}", _weighted, call, neighbors == "bounded"))
            call = _caller(name, 1.0, {**weights, **own, **by})
            releases.append(Own(f"{name}, by group, {neighbors}", _weighted_groups, call, False))
    releases.append(Own("proportions_test", _two_truths, _caller("proportions_test", WIDE, {}), True))
    # such an epsilon makes the noise a large number, too
    releases += [Own(name, data, _caller(name, 0.1, own), True) for name, data, own in _RANK_TESTS]
    exact = {"popmean": 4.25e7, "bounds": BOUNDS, "method": "exact"}
    releases.append(Own("ttest_1samp, exact", _vector, _caller("ttest_1samp", 1.0, exact), True))
    for name, data in (("ttest_ind", _two), ("f_oneway", _three)):
        for neighbors in ("bounded", "unbounded"):
            # so much noise that no noisy number of records is the true one when it is rounded
            epsilon = 1.0 if neighbors == "bounded" else 0.01
            call = _caller(name, epsilon, {"bounds": BOUNDS, "neighbors": neighbors})
            releases.append(Own(f"{name}, {neighbors}", data, call, neighbors == "bounded"))
    cubes: tuple[tuple[str, Callable[[], Data], dict[str, Any]], ...] = (
        ("ttest_1samp", _vector, {"popmean": 4.25e7}),
        ("ttest_rel", _two, {}),
        ("ttest_ind", _two, {}),
        ("f_oneway", _three, {}),
    )
    for name, data, own in cubes:
        call = _caller(name, 5.0, {**own, "bounds": (-1.0, 5.0e7) if name == "ttest_rel" else BOUNDS})
        releases.append(Own(f"{name}, with cubes", data, call, True))
    releases += _blocks()
    more = {"bounds": BOUNDS, "population": True}
    for name in ("mean", "std", "median"):
        releases.append(Own(f"{name}, population", _vector, _caller(name, 1.0, more), True))
    for mechanism in ("exponential", "noisy max"):
        releases.append(Own(f"choose, {mechanism}", _scores, _chooser(mechanism), True))
    return releases


OWN = _all()
