"""How each function that releases is called with data of a kind, with settings and a budget."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import pydpstat
from pydpstat._data.values import is_missing
from pydpstat.consistency import Hierarchy, release_hierarchy
from tests.neighbors.kinds import Kind, objects

BOUNDS = (0.0, 10.0)
Settings = dict[str, Any]


def one(name: str, **own: Any) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        return getattr(pydpstat, name)(data, **own, **settings, budget=budget)

    return call


def two(name: str) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        function, own = getattr(pydpstat, name), dict(settings)
        if getattr(data, "ndim", 1) == 2:
            return function(data, **own, budget=budget)
        return function(data, data, bounds=(own.pop("bounds"), (-5.0, 5.0)), **own, budget=budget)

    return call


def weighted(name: str, **own: Any) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        function, weights = getattr(pydpstat, name), np.ones(len(data))
        return function(data, weights, max_weight=2.0, **own, **settings, budget=budget)

    return call


def weighted_groups(name: str, **own: Any) -> Callable[..., Any]:
    """By group, with weights and groups in columns of a frame; a record's group is that of its place."""

    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        frame = pd.DataFrame({"x": data, "w": np.ones(len(data)), "group": np.arange(len(data)) % 2 == 0})
        public = {"max_weight": 2.0, "by": "group", "levels": [False, True], **own, **settings}
        return getattr(pydpstat, name)(frame, "w", **public, budget=budget)

    return call


def crosstab(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    return pydpstat.crosstab(data, levels=list(kind.levels), **settings, budget=budget)


def crosstab_array(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    levels = np.array(list(kind.levels), dtype=getattr(data, "dtype", None))
    return pydpstat.crosstab(data, levels=levels, **settings, budget=budget)


def crosstab_two(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    both = {"u": data, "v": ["left"] * len(data)}
    levels = {"u": list(kind.levels), "v": ["left", "right"]}
    return pydpstat.crosstab(both, levels=levels, **settings, budget=budget)


def crosstab_frame(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    frame = pd.DataFrame({"u": data, "v": data})
    return pydpstat.crosstab(frame, levels=[list(kind.levels)] * 2, **settings, budget=budget)


def chisquare(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    levels = list(dict.fromkeys(kind.base or kind.levels))
    return pydpstat.chisquare(data, levels=levels, **settings, budget=budget)


def contingency(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    levels = (list(dict.fromkeys(kind.base or kind.levels)), ["left", "right"])
    return pydpstat.chi2_contingency(data, ["left"] * len(data), levels=levels, **settings, budget=budget)


def oneway(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    return pydpstat.f_oneway(data, [1.5, 2.5, 4.0], **settings, budget=budget)


def nunique(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    sides = ["left"] * len(data)
    return pydpstat.nunique(data, by=sides, levels=["left", "right"], **settings, budget=budget)


def hierarchy(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    own = dict(settings)
    leaves = list(dict.fromkeys(kind.base))
    hierarchy = Hierarchy({"North": leaves[:1], "South": leaves[1:]})
    if own["split"] != "uniform" and own["neighbors"] == "unbounded":
        # the number of all records is private, and gets noise, too
        own["split"] = [1, *own["split"]]
    columns = own.pop("columns")
    # pandas does not find a type for every list
    data = objects(data) if isinstance(data, list) else data
    if columns == "town":
        frame = pd.DataFrame({"town": data})
    elif columns == "state":
        hierarchy = Hierarchy({leaf: ["north", "south"] for leaf in leaves})
        frame = pd.DataFrame({"state": data, "town": ["south"] * len(data)})
    else:
        states = ["North" if _is(town, leaves[0]) else "South" for town in data]
        frame = pd.DataFrame({"state": states, "town": data})
    return release_hierarchy(frame, hierarchy=hierarchy, **own, budget=budget)


def _is(town: Any, leaf: Any) -> bool:
    try:
        return bool(town == leaf)
    except Exception:  # an object may raise what it likes
        return False


def ols(how: str) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        own = dict(settings)
        places = np.arange(len(data)) * 7.0 % 5.0
        method = {"method": "rank", "interval": True} if how.startswith("rank") else {}
        if how == "HC3":
            method = {"cov_type": how}
        pair = own.pop("bounds")
        if how.endswith("predictor"):
            return pydpstat.ols(places, data, bounds=[(0, 5), pair], **method, **own, budget=budget)
        x = np.column_stack([places, places % 3.0]) if how == "rank, several" else places
        bounds = [pair, (0, 5), (0, 3)][: x.ndim + 1]
        return pydpstat.ols(data, x, bounds=bounds, **method, **own, budget=budget)

    return call


def ols_levels(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    y = np.arange(len(data)) * 7.0 % 5.0
    frame = {"y": y, "g": data, "x": y % 3.0}
    levels = {"g": [*kind.levels, "another"]} if len(kind.levels) < 2 else {"g": list(kind.levels)}
    bounds = {"y": (0, 5), "x": (0, 3)}
    return pydpstat.ols("y ~ x + C(g)", frame, bounds=bounds, levels=levels, **settings, budget=budget)


def choose(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    own = dict(settings)
    # as far as a neighbor's scores are away
    reach = float(max(abs(each) for odd in kind.odd for each in odd))
    return pydpstat.choose("a b c".split()[: len(kind.base)], data, sensitivity=reach, **own, budget=budget)


def other_sample(name: str) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        # tests are made for shared keys: of ties the proof says that neighbors have the same ones
        function, own = getattr(pydpstat, name), {**settings, "rng": 7}
        if name == "kruskal":
            return function(data, [2.0, 5.0], [1.5, 3.0, 8.0], **own, budget=budget)
        return function(data, [2.0, 5.0, 8.0], **own, budget=budget)

    return call


def paired(name: str) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        second = np.arange(len(data)) * 7 % 5
        return getattr(pydpstat, name)(data, second, **settings, rng=7, budget=budget)

    return call


def geometric(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    return pydpstat.symmetric_geometric(data, **settings)


def counts(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    named = dict(zip("ab", data)) if kind.name == "list" else data
    return release_hierarchy(named, hierarchy=Hierarchy(["a", "b"]), **settings, budget=budget)


def two_groups(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    others = [True, False, False]
    return pydpstat.proportions_test(data, others, **settings, budget=budget)


def one_t(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    # a bound, where the test is quick: there is no variance to be maximized over
    return pydpstat.ttest_1samp(data, settings["bounds"][0], **settings, budget=budget)


def paired_t(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    own = {**settings, "bounds": (0.0, 5.0)}
    return pydpstat.ttest_rel(data, np.zeros(len(data)), **own, budget=budget)


def welch(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    return pydpstat.ttest_ind(data, [2.0, 5.0, 8.0], **settings, budget=budget)


def any_test(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    # seeded: both data sets are divided into the same blocks
    return pydpstat.any_test(data, large, blocks=2, level=0.2, rng=1, budget=budget, **_open(settings))


def any_interval(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    own = {"range": BOUNDS, "blocks": 2, **_open(settings)}
    return pydpstat.any_interval(data, _middle, rng=1, budget=budget, **own)


def of_units(name: str, *arguments: Any, **own: Any) -> Callable[..., Any]:
    """Every record is there twice, one after the other, and both are of one unit."""

    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        ids = np.repeat(np.arange(len(data)), 2)
        given, unit = (_twice(data),), ids
        if name in ("ttest_ind", "mannwhitneyu", "f_oneway", "kruskal"):
            given, unit = (*given, [2.0, 5.0, 8.0]), [ids, [-1, -2, -3]]
        elif name == "ttest_rel":
            given = (*given, np.zeros(ids.size))
        elif name == "kendalltau":
            given = (*given, ids * 7 % 5)
        public = _open(settings) if name == "any_test" else settings
        function = getattr(pydpstat, name)
        return function(*given, *arguments, **own, **public, unit=unit, rng=7, budget=budget)

    return call


def _twice(data: Any) -> Any:
    return data.repeat(2).reset_index(drop=True) if isinstance(data, pd.Series) else np.repeat(data, 2)


def subset(name: str, *variables: str, **own: Any) -> Callable[..., Any]:
    """A method of the design of the records that have a value of at least 2, with the values' logarithms."""

    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        frame = pd.DataFrame({"x": data, "group": np.zeros(len(data), dtype=bool)})
        facts = {"bounds": {"x": BOUNDS}, "levels": {"group": [False, True]}, "neighbors": "unbounded"}
        people = pydpstat.design(frame, **facts, missing=settings["missing"], budget=budget)
        part = people.assign(log="log(x - 2)", bounds=(-3, 3)).subset("x >= 2")
        return getattr(part, name)(*variables, settings["epsilon"], **own)

    return call


def _open(settings: Settings) -> Settings:
    return {name: each for name, each in settings.items() if name != "missing"}


def large(block: Any) -> bool:
    return _middle(block) > 4.0


def _middle(block: Any) -> float:
    values = np.asarray(block, dtype=object).ravel()
    # every sign of what is missing is the same to it
    return np.nan if any(map(is_missing, values)) else float(np.mean(values.astype(np.float64)))


def logit(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    own = _open(settings)
    return pydpstat.logit(([False, True] * len(data))[: len(data)], data, bounds=BOUNDS, budget=budget, **own)


def logit_levels(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    frame = {"y": ([False, True] * len(data))[: len(data)], "g": data, "x": np.arange(len(data)) * 7.0 % 3.0}
    levels = {"g": [*kind.levels, "another"]} if len(kind.levels) < 2 else {"g": list(kind.levels)}
    formula = "y ~ C(g)" if settings["neighbors"] == "unbounded" else "y ~ x + C(g)"
    bounds = None if settings["neighbors"] == "unbounded" else {"x": (0, 3)}
    return pydpstat.logit(formula, frame, bounds=bounds, levels=levels, **settings, budget=budget)
