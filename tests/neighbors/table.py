"""The functions that release, each with the containers it takes and the settings it has."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

import pydpstat
from pydpstat._data.values import is_missing
from pydpstat.consistency import Hierarchy, release_hierarchy
from tests.neighbors.kinds import COUNTS, LABELS, NUMBERS, SCORES, SWAPPED, TRUTHS, Kind, objects

BOUNDS = (0.0, 10.0)
Settings = dict[str, Any]


@dataclass(frozen=True)
class Function:
    """A function that releases something of records.

    Parameters
    ----------
    name : str
        Of the function, and of the way it is called.
    call : callable
        Data, their kind, the settings and a budget in.
    kinds : tuple of Kind
        What it is called with.
    settings : tuple of dict
        What it can be told, to be crossed with the kinds. Unless `steps`, each says `neighbors` and
        `missing`; where the function has no such argument, `call` leaves it out.
    refused : tuple of str
        Kinds that it takes for none of its own, whatever the values are.
    shares : tuple of float
        Where a choice falls.
    aligned : bool
        Whether a record that is added has to be the last one.
    discovers : bool
        Whether levels come from the data.
    closed : bool
        Whether a record that is no level is treated as a missing one.
    steps : bool
        Whether numbers that depend on all records are given, and `Kind.odd` has how far they move.
    """

    name: str
    call: Callable[[Any, Kind, Settings, Any], Any]
    kinds: tuple[Kind, ...]
    settings: tuple[Settings, ...]
    refused: tuple[str, ...] = ()
    shares: tuple[float, ...] = (0.5,)
    aligned: bool = False
    discovers: bool = False
    closed: bool = False
    steps: bool = False


def crossed(mechanisms: tuple[Settings, ...], *fills: Any) -> tuple[Settings, ...]:
    """Return all that goes together of neighbors, missing values and mechanisms."""
    rules = [("bounded", "error"), ("unbounded", "error"), ("unbounded", "drop")]
    rules += [(neighbors, fill) for fill in fills for neighbors in ("bounded", "unbounded")]
    return tuple(
        {"neighbors": neighbors, "missing": missing, **mechanism}
        for (neighbors, missing), mechanism in itertools.product(rules, mechanisms)
    )


def _noise(plain: str, epsilon: float = 1.0) -> tuple[Settings, ...]:
    gaussian = {"mechanism": "gaussian", "delta": 1e-3, "epsilon": epsilon}
    return {"mechanism": plain, "epsilon": epsilon}, gaussian


def _one(name: str, **own: Any) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        return getattr(pydpstat, name)(data, **own, **settings, budget=budget)

    return call


def _two(name: str) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        function, own = getattr(pydpstat, name), dict(settings)
        if getattr(data, "ndim", 1) == 2:
            return function(data, **own, budget=budget)
        return function(data, data, bounds=(own.pop("bounds"), (-5.0, 5.0)), **own, budget=budget)

    return call


def _weighted(name: str, **own: Any) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        weights, public = np.ones(len(data)), dict(settings)
        if name == "weighted_total":
            del public["neighbors"]
        return getattr(pydpstat, name)(data, weights, max_weight=2.0, **own, **public, budget=budget)

    return call


def _crosstab(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    return pydpstat.crosstab(data, levels=list(kind.levels), **settings, budget=budget)


def _crosstab_array(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    levels = np.array(list(kind.levels), dtype=getattr(data, "dtype", None))
    return pydpstat.crosstab(data, levels=levels, **settings, budget=budget)


def _crosstab_two(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    both = {"u": data, "v": ["left"] * len(data)}
    levels = {"u": list(kind.levels), "v": ["left", "right"]}
    return pydpstat.crosstab(both, levels=levels, **settings, budget=budget)


def _crosstab_frame(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    frame = pd.DataFrame({"u": data, "v": data})
    return pydpstat.crosstab(frame, levels=[list(kind.levels)] * 2, **settings, budget=budget)


def _chisquare(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    levels = list(dict.fromkeys(kind.base or kind.levels))
    return pydpstat.chisquare(data, levels=levels, **settings, budget=budget)


def _contingency(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    levels = (list(dict.fromkeys(kind.base or kind.levels)), ["left", "right"])
    return pydpstat.chi2_contingency(data, ["left"] * len(data), levels=levels, **settings, budget=budget)


def _oneway(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    return pydpstat.f_oneway(data, [1.5, 2.5, 4.0], **settings, budget=budget)


def _nunique(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    sides = ["left"] * len(data)
    return pydpstat.nunique(data, by=sides, levels=["left", "right"], **settings, budget=budget)


def _hierarchy(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
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


_REGRESSED = ("moments", "rank", "rank, several", "predictor", "rank, predictor")


def _ols(how: str) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        own = dict(settings)
        places = np.arange(len(data)) * 7.0 % 5.0
        method = {"method": "rank", "interval": True} if how.startswith("rank") else {}
        pair = own.pop("bounds")
        if how.endswith("predictor"):
            return pydpstat.ols(places, data, bounds=[(0, 5), pair], **method, **own, budget=budget)
        x = np.column_stack([places, places % 3.0]) if how == "rank, several" else places
        bounds = [pair, (0, 5), (0, 3)][: x.ndim + 1]
        return pydpstat.ols(data, x, bounds=bounds, **method, **own, budget=budget)

    return call


def _ols_levels(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    y = np.arange(len(data)) * 7.0 % 5.0
    frame = {"y": y, "g": data, "x": y % 3.0}
    levels = {"g": [*kind.levels, "another"]} if len(kind.levels) < 2 else {"g": list(kind.levels)}
    bounds = {"y": (0, 5), "x": (0, 3)}
    return pydpstat.ols("y ~ x + C(g)", frame, bounds=bounds, levels=levels, **settings, budget=budget)


def _choose(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    own = dict(settings)
    # as far as a neighbor's scores are away
    reach = float(max(abs(each) for odd in kind.odd for each in odd))
    return pydpstat.choose("a b c".split()[: len(kind.base)], data, sensitivity=reach, **own, budget=budget)


def _other_sample(name: str) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        # tests are made for shared keys: of ties the proof says that neighbors have the same ones
        function, own = getattr(pydpstat, name), {**settings, "rng": 7}
        if name == "kruskal":
            return function(data, [2.0, 5.0], [1.5, 3.0, 8.0], **own, budget=budget)
        return function(data, [2.0, 5.0, 8.0], **own, budget=budget)

    return call


def _paired(name: str) -> Callable[..., Any]:
    def call(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
        second = np.arange(len(data)) * 7 % 5
        return getattr(pydpstat, name)(data, second, **settings, rng=7, budget=budget)

    return call


def _geometric(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    return pydpstat.symmetric_geometric(data, **settings)


def _counts(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    named = dict(zip("ab", data)) if kind.name == "list" else data
    return release_hierarchy(named, hierarchy=Hierarchy(["a", "b"]), **settings, budget=budget)


def _two_groups(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    others = [True, False, False]
    return pydpstat.proportions_test(data, others, **settings, budget=budget)


def _one_t(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    # a bound, where the test is quick: there is no variance to be maximized over
    return pydpstat.ttest_1samp(data, settings["bounds"][0], **settings, budget=budget)


def _paired_t(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    own = {**settings, "bounds": (0.0, 5.0)}
    return pydpstat.ttest_rel(data, np.zeros(len(data)), **own, budget=budget)


def _welch(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    return pydpstat.ttest_ind(data, [2.0, 5.0, 8.0], **settings, budget=budget)


def _any_test(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    # seeded: both data sets are divided into the same blocks
    return pydpstat.any_test(data, _large, blocks=2, level=0.2, rng=1, budget=budget, **_open(settings))


def _any_interval(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    own = {"range": BOUNDS, "blocks": 2, **_open(settings)}
    return pydpstat.any_interval(data, _middle, rng=1, budget=budget, **own)


def _open(settings: Settings) -> Settings:
    return {name: each for name, each in settings.items() if name != "missing"}


def _large(block: Any) -> bool:
    return _middle(block) > 4.0


def _middle(block: Any) -> float:
    values = np.asarray(block, dtype=object).ravel()
    # every sign of what is missing is the same to it
    return np.nan if any(map(is_missing, values)) else float(np.mean(values.astype(np.float64)))


def _logit(data: Any, kind: Kind, settings: Settings, budget: Any) -> Any:
    own = _open(settings)
    return pydpstat.logit(([0.0, 1.0] * len(data))[: len(data)], data, bounds=BOUNDS, budget=budget, **own)


_INTEGER = _noise("geometric")
_PLAIN = ({"epsilon": 1.0},)
_RANKS = tuple(
    {"epsilon": epsilon, "neighbors": "bounded", "missing": missing}
    for missing, epsilon in itertools.product(("error", 3.0), (1.0, 0.1 + 0.2))
)
_T_TESTS: tuple[Settings, ...] = (
    {"epsilon": 1.0, "bounds": BOUNDS},
    {"epsilon": 0.1 + 0.2, "bounds": (2.9999, 3.0001)},
)
# bounds that a grid does not have, and such that lie far from 0
_REAL = (
    {"mechanism": "laplace", "epsilon": 1.0, "bounds": BOUNDS},
    {"mechanism": "laplace", "epsilon": 0.1 + 0.2, "bounds": (-1.0 / 3.0, 7.1)},
    {"mechanism": "gaussian", "epsilon": 3.0, "delta": 1e-3, "bounds": (2.9999, 3.0001)},
)
_COLUMNS = ("frame", "frame of Int64", "matrix", "matrix of NumPy")
_TRUE_COLUMNS = ("frame", "frame of boolean", "matrix")
_QUANTILES = {"shares": (0.0, 0.2, 0.5, 0.9), "aligned": True, "refused": _COLUMNS}
_GRIDS = ({"grid_points": 9, "epsilon": 1.0}, {"grid_points": 33, "epsilon": 1.0})
_NAMED = crossed(_INTEGER, "gone", "a")
_TESTED = crossed(({"epsilon": 1.0},), "gone", "a")
_GROUP_TESTS = tuple(
    {key: each[key] for key in ("epsilon", "bounds", "neighbors", "missing")}
    for each in crossed(_REAL[:2], 3.0)
    if each["neighbors"] == "bounded"
)
_ONE_MORE = tuple(each for each in crossed(_INTEGER) if each["neighbors"] == "unbounded")
_HANDED_ON = tuple(
    {"epsilon": 1.0, "neighbors": neighbors, "missing": "drop"} for neighbors in ("bounded", "unbounded")
)
_HIERARCHIES = tuple(
    {"epsilon": 1.0, "neighbors": neighbors, "missing": missing, "split": split, "method": way, "columns": n}
    for (neighbors, missing), (split, way), n in itertools.product(
        (("bounded", "error"), ("unbounded", "error"), ("unbounded", "drop")),
        (("uniform", "least squares"), ([1, 3], "top-down"), ([0, 1], "ratio")),
        ("town", "state", "both"),
    )
)
_SHARED = crossed(({"epsilon": 1.0}, {"epsilon": 0.1 + 0.2}))
_WEIGHED = tuple({**each, "bounds": BOUNDS} for each in _SHARED)
_TOTALS = ({"epsilon": 1.0, "bounds": BOUNDS, "neighbors": "bounded", "missing": "error"},)
_BOUNDED = tuple(each for each in crossed(_REAL, 3.0) if each["neighbors"] == "bounded")
_BOUNDED_LEVELS = tuple(
    {"neighbors": "bounded", "missing": missing, "epsilon": 1.0} for missing in ("error", 2.0)
)
# pandas before 2 has nanoseconds only
_FRAMED = tuple(kind for kind in LABELS if not kind.name.startswith("masked") and kind.name != "days")
# pandas gives lists and objects a type that their values have
_TYPED = tuple(kind for kind in _FRAMED if not kind.name.startswith(("list", "objects")))
_ARRAYS = tuple(kind for kind in LABELS if isinstance(kind.make([]), np.ndarray))
_CATEGORIES = tuple(kind for kind in LABELS if "ategor" in kind.name)
# types of which a record cannot be a level that is found: lists and the like
_FOUND = tuple(
    Kind(each.name, each.make, each.base, hashable, each.gaps, each.levels)
    for each in LABELS
    if (hashable := tuple(odd for odd in each.odd if type(odd).__hash__ and type(odd) is not tuple))
)

FUNCTIONS: tuple[Function, ...] = (
    *(Function(name, _one(name), NUMBERS, crossed(_REAL, 3.0)) for name in ("mean", "sum", "var", "std")),
    *(
        Function(name, _two(name), NUMBERS, crossed(_REAL, 3.0), ("frame of a column",))
        for name in ("cov", "corr")
    ),
    *(
        Function(
            f"quantile, {q}",
            _one("quantile", bounds=BOUNDS, q=q),
            NUMBERS,
            crossed(_GRIDS, 3.0),
            **_QUANTILES,
        )
        for q in (0, 0.3)
    ),
    Function("median", _one("median", bounds=BOUNDS), NUMBERS, crossed(_GRIDS, 3.0), **_QUANTILES),
    Function(
        "quantiles",
        _one("quantiles", bounds=BOUNDS, qs=[0.2, 0.5, 0.75, 0.9]),
        NUMBERS,
        crossed(_GRIDS, 3.0),
        **_QUANTILES,
    ),
    Function(
        "histogram", _one("histogram", edges=[0, 2, 5, 10]), NUMBERS, crossed(_INTEGER, 3.0), refused=_COLUMNS
    ),
    *(Function(name, _one(name), TRUTHS, crossed(_INTEGER, True, False)) for name in ("count", "proportion")),
    Function(
        "binomtest", _one("binomtest", p=0.3), TRUTHS, crossed(_PLAIN, True, False), refused=_TRUE_COLUMNS
    ),
    Function(
        "proportions_test",
        _two_groups,
        TRUTHS,
        tuple(each for each in crossed(_PLAIN, True, False) if each["neighbors"] == "bounded"),
        refused=_TRUE_COLUMNS,
    ),
    *(
        Function(
            f"quantile_test, {'ties' if ties else 'no ties'}",
            _one("quantile_test", q=4.0, ties=ties),
            NUMBERS,
            crossed(_PLAIN, 3.0),
            refused=_COLUMNS,
        )
        for ties in (True, False)
    ),
    *(
        Function(name, _weighted(name, **own), NUMBERS, _WEIGHED, _COLUMNS)
        for name, own in (("weighted_mean", {}), ("weighted_quantile", {"q": 0.5}))
    ),
    Function(
        "weighted_proportion",
        _weighted("weighted_proportion"),
        TRUTHS,
        _SHARED,
        (*_COLUMNS, "frame of boolean"),
    ),
    Function("weighted_total", _weighted("weighted_total"), NUMBERS, _TOTALS, _COLUMNS),
    Function("moments", _one("moments"), NUMBERS, crossed(_REAL, 3.0)),
    *(
        Function(f"{name}, population", _one(name, population=True), NUMBERS, crossed(_REAL, 3.0))
        for name in ("mean", "std")
    ),
    Function(
        "median, population",
        _one("median", bounds=BOUNDS, population=True),
        NUMBERS,
        tuple(each for each in crossed(_PLAIN, 3.0) if each["neighbors"] == "bounded"),
        refused=_COLUMNS,
    ),
    Function("ttest_1samp", _one_t, NUMBERS, crossed(_T_TESTS, 3.0), refused=_COLUMNS),
    Function("ttest_rel", _paired_t, NUMBERS, crossed(_T_TESTS, 3.0), refused=_COLUMNS),
    Function(
        "ttest_ind",
        _welch,
        NUMBERS,
        tuple(each for each in crossed(_T_TESTS, 3.0) if each["neighbors"] == "bounded"),
        refused=_COLUMNS,
    ),
    Function("crosstab", _crosstab, LABELS, _NAMED),
    Function(
        "crosstab, none other",
        _crosstab,
        LABELS,
        tuple({**each, "other": "a" if place % 3 else None} for place, each in enumerate(_NAMED)),
    ),
    Function("crosstab, levels in an array", _crosstab_array, _ARRAYS, _NAMED),
    Function("crosstab, two columns", _crosstab_frame, _TYPED, _NAMED),
    Function("crosstab, two ways", _crosstab_two, LABELS, _NAMED),
    Function("crosstab, declared", _one("crosstab", levels="declared"), _CATEGORIES, _NAMED),
    Function(
        "crosstab, discover",
        _one("crosstab", levels="discover", delta=1e-3),
        _FOUND,
        crossed(({"epsilon": 1.0},), "gone", "a"),
        discovers=True,
    ),
    *(
        # what is missing is the callable's own affair
        Function(name, call, NUMBERS, _HANDED_ON, aligned=True)
        for name, call in (("any_test", _any_test), ("any_interval", _any_interval))
    ),
    Function("logit", _logit, NUMBERS, ({"epsilon": 1.0, "neighbors": "bounded", "missing": "error"},)),
    Function("chisquare", _chisquare, LABELS, _TESTED, closed=True),
    Function("chisquare, declared", _one("chisquare", levels="declared"), _CATEGORIES, _TESTED, closed=True),
    Function("chi2_contingency", _contingency, LABELS, _TESTED, closed=True),
    Function("f_oneway", _oneway, NUMBERS, _GROUP_TESTS, refused=_COLUMNS),
    Function("nunique", _one("nunique"), _FOUND, _ONE_MORE),
    *(
        Function(
            f"ols, {how}",
            _ols(how),
            NUMBERS,
            tuple(
                {
                    key: value
                    for key, value in each.items()
                    if how in ("moments", "predictor") or key != "mechanism"
                }
                for each in _BOUNDED
                if how in ("moments", "predictor") or each["mechanism"] == "laplace"
            ),
            refused=_COLUMNS,
        )
        for how in _REGRESSED
    ),
    Function("ols, levels", _ols_levels, LABELS, _BOUNDED_LEVELS),
    Function("nunique, by group", _nunique, _FOUND, crossed(_INTEGER)),
    Function("release_hierarchy", _hierarchy, _FRAMED, _HIERARCHIES, closed=True),
    Function(
        "choose",
        _choose,
        SCORES,
        tuple(
            {"epsilon": epsilon, "mechanism": mechanism}
            for epsilon in (1.0, 0.1, 7.0)
            for mechanism in ("exponential", "noisy max")
        ),
        refused=("decimals",),
        steps=True,
    ),
    *(
        Function(name, _other_sample(name), NUMBERS, _RANKS, refused=_COLUMNS)
        for name in ("mannwhitneyu", "ks_2samp", "kruskal")
    ),
    *(
        Function(name, _paired(name), NUMBERS, _RANKS, refused=_COLUMNS)
        for name in ("wilcoxon", "kendalltau")
    ),
    Function("wilcoxon, one sample", _one("wilcoxon", rng=7, cap=2), NUMBERS, _RANKS, refused=_COLUMNS),
    *(
        Function(f"kstest, {cdf}", _one("kstest", cdf=cdf, rng=7), NUMBERS, _RANKS, refused=_COLUMNS)
        for cdf in ("norm", np.tanh)
    ),
    Function("symmetric_geometric", _geometric, COUNTS, ({"epsilon": 1.0}, {"epsilon": 0.1}), steps=True),
    *(
        Function(
            f"release_hierarchy, counts, {neighbors}", _counts, kinds, settings, ("objects",), steps=True
        )
        for neighbors, kinds in (("bounded", SWAPPED), ("unbounded", COUNTS))
        for settings in (({"epsilon": 1.0, "neighbors": neighbors},),)
    ),
)
