"""The functions that release, each with the containers it takes and the settings it has."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pydpstat.statistics._catalog import COLUMN_STATISTICS, list_statistics
from tests.neighbors import calls
from tests.neighbors.calls import BOUNDS, Settings
from tests.neighbors.kinds import COUNTS, LABELS, NUMBERS, SCORES, SWAPPED, TRUTHS, Kind


@dataclass(frozen=True)
class Function:
    """A function that releases something of records."""

    # of the function, and of the way it is called
    name: str
    # data, their kind, the settings and a budget in
    call: Callable[[Any, Kind, Settings, Any], Any]
    kinds: tuple[Kind, ...]
    # crossed with the kinds; unless `steps`, each says `neighbors` and `missing`, and `call` leaves out what
    # the function has no argument for
    settings: tuple[Settings, ...]
    # kinds that it takes for none of its own, whatever the values are
    refused: tuple[str, ...] = ()
    # where a choice falls
    shares: tuple[float, ...] = (0.5,)
    # whether a record that is added has to be the last one
    aligned: bool = False
    # whether levels come from the data
    discovers: bool = False
    # whether a record that is no level is treated as a missing one
    closed: bool = False
    # whether numbers that depend on all records are given, and `Kind.odd` has how far they move
    steps: bool = False


def crossed(mechanisms: tuple[Settings, ...], *fills: Any) -> tuple[Settings, ...]:
    """Return all that goes together of neighbors, missing values and mechanisms."""
    rules = [("bounded", "error"), ("unbounded", "error"), ("unbounded", "drop")]
    rules += [(neighbors, fill) for fill in fills for neighbors in ("bounded", "unbounded")]
    return tuple(
        {"neighbors": neighbors, "missing": missing, **mechanism}
        for (neighbors, missing), mechanism in itertools.product(rules, mechanisms)
    )


def _only(neighbors: str, settings: tuple[Settings, ...]) -> tuple[Settings, ...]:
    return tuple(each for each in settings if each["neighbors"] == neighbors)


def _noise(plain: str, epsilon: float = 1.0) -> tuple[Settings, ...]:
    gaussian = {"mechanism": "gaussian", "delta": 1e-3, "epsilon": epsilon}
    return {"mechanism": plain, "epsilon": epsilon}, gaussian


_FITTED: tuple[Settings, ...] = tuple(
    {"epsilon": 1.0, "neighbors": neighbors, "missing": "error"} for neighbors in ("bounded", "unbounded")
)
_BY_MOMENTS = ("moments", "HC3", "predictor")
_REGRESSED = ("moments", "HC3", "rank", "rank, several", "predictor", "rank, predictor")
_INTEGER = _noise("geometric")
_PLAIN = ({"epsilon": 1.0},)
_FILLED, _TRUE_OR_FALSE = crossed(_PLAIN, 3.0), crossed(_PLAIN, True, False)
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
# noise of several numbers together; one number has Laplace noise of it
_TOGETHER = (*_REAL, {"mechanism": "linf", "epsilon": 0.1 + 0.2, "bounds": (-1.0 / 3.0, 7.1)})
_COLUMNS = ("frame", "frame of Int64", "matrix", "matrix of NumPy")
_TRUE_COLUMNS = ("frame", "frame of boolean", "matrix")
_QUANTILES = {"shares": (0.0, 0.2, 0.5, 0.9), "aligned": True, "refused": _COLUMNS}
_GRIDS = ({"grid_points": 9, "epsilon": 1.0}, {"grid_points": 33, "epsilon": 1.0})
_NAMED = crossed(_INTEGER, "gone", "a")
_TESTED = crossed(({"epsilon": 1.0},), "gone", "a")
_GROUP_TESTS = tuple(
    {key: each[key] for key in ("epsilon", "bounds", "neighbors", "missing")} for each in crossed(_REAL[:2], 3.0)
)
_ONE_MORE = _only("unbounded", crossed(_INTEGER))
_HANDED_ON = tuple({**each, "missing": "drop"} for each in _FITTED)
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
_NUMBERED = crossed(_TOGETHER, 3.0)
_BOUNDED = _only("bounded", _NUMBERED)
_NUMBERED_LEVELS = crossed(({"epsilon": 1.0},), 2.0)
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

# a frame's columns, whose types say what they can hold
_COLUMNS_OF_NUMBERS = tuple(
    each for each in NUMBERS if each.name in ("float64", "int64", "Series", "Int64", "Float32", "Float64")
)
_SUBSETS = tuple(
    {"epsilon": epsilon, "neighbors": "unbounded", "missing": missing}
    for epsilon in (1.0, 0.1 + 0.2)
    for missing in ("error", "drop")
)

_UNIT_COUNTS = crossed(_PLAIN)
_UNIT_SUMS = tuple({**each, "bounds": BOUNDS} for each in _UNIT_COUNTS)
# what is told of the function, and its settings, where records are those of units
_OF_UNITS: tuple[tuple[str, tuple[Any, ...], Settings, tuple[Settings, ...]], ...] = (
    ("ttest_1samp", (), {"popmean": 0.0}, _UNIT_SUMS),
    ("ttest_rel", (), {}, tuple({**each, "bounds": (0.0, 5.0)} for each in _UNIT_COUNTS)),
    ("ttest_ind", (), {}, _UNIT_SUMS[:1]),
    ("f_oneway", (), {}, _UNIT_SUMS[:1]),
    ("moments", (), {}, _UNIT_SUMS),
    ("mean", (), {"population": True}, _UNIT_SUMS),
    ("median", (), {"population": True}, _UNIT_SUMS),
    ("quantile_test", (), {"q": 4.0}, _UNIT_COUNTS),
    ("any_test", (calls.large,), {"blocks": 2, "level": 0.2}, _UNIT_COUNTS),
    ("mannwhitneyu", (), {}, _UNIT_COUNTS[:1]),
    ("kruskal", (), {}, _UNIT_COUNTS[:1]),
    ("kendalltau", (), {}, _UNIT_COUNTS[:1]),
    ("kstest", ("norm",), {}, _UNIT_COUNTS[:1]),
)

_OPEN_T_TESTS = _only("unbounded", crossed(_T_TESTS[:1], 3.0))
FUNCTIONS: tuple[Function, ...] = (
    *(Function(name, calls.one(name), NUMBERS, crossed(_TOGETHER, 3.0)) for name in COLUMN_STATISTICS),
    *(
        Function(
            name,
            calls.two(name),
            NUMBERS,
            crossed(_REAL if name == "corr" else _TOGETHER, 3.0),
            refused=("frame of a column",),
        )
        for name in list_statistics("pairs")
    ),
    *(
        Function(label, calls.one(name, bounds=BOUNDS, **own), NUMBERS, crossed(_GRIDS, 3.0), **_QUANTILES)
        for label, name, own in (
            ("quantile, 0", "quantile", {"q": 0}),
            ("quantile, 0.3", "quantile", {"q": 0.3}),
            ("median", "median", {}),
            ("quantiles", "quantiles", {"qs": [0.2, 0.5, 0.75, 0.9]}),
        )
    ),
    Function(
        "histogram",
        calls.one("histogram", edges=[0, 2, 5, 10]),
        NUMBERS,
        crossed(_INTEGER, 3.0),
        refused=_COLUMNS,
    ),
    *(
        Function(name, calls.one(name), TRUTHS, crossed(_INTEGER, True, False))
        for name in list_statistics("conditions")
    ),
    Function("binomtest", calls.one("binomtest", p=0.3), TRUTHS, _TRUE_OR_FALSE, _TRUE_COLUMNS),
    Function("proportions_test", calls.two_groups, TRUTHS, _only("bounded", _TRUE_OR_FALSE), _TRUE_COLUMNS),
    *(
        Function(name, calls.one("quantile_test", q=4.0, ties=ties), NUMBERS, _FILLED, _COLUMNS)
        for name, ties in (("quantile_test, ties", True), ("quantile_test, no ties", False))
    ),
    *(
        Function(name, calls.weighted(name, **own), NUMBERS, _WEIGHED, _COLUMNS)
        for name, own in (("weighted_mean", {}), ("weighted_quantile", {"q": 0.5}), ("weighted_total", {}))
    ),
    Function("weighted_proportion", calls.weighted("weighted_proportion"), TRUTHS, _SHARED, _TRUE_COLUMNS),
    *(
        Function(f"{name}, by group", call, _COLUMNS_OF_NUMBERS, _WEIGHED, aligned=True)
        for name, call in (
            ("weighted_mean", calls.weighted_groups("weighted_mean")),
            ("weighted_quantile", calls.weighted_groups("weighted_quantile", q=0.5, bins=16)),
            ("weighted_total", calls.weighted_groups("weighted_total")),
        )
    ),
    Function("moments", calls.one("moments"), NUMBERS, crossed(_TOGETHER, 3.0)),
    *(
        Function(f"{name}, population", calls.one(name, population=True), NUMBERS, crossed(_REAL, 3.0))
        for name in ("mean", "std")
    ),
    Function(
        "median, population",
        calls.one("median", bounds=BOUNDS, population=True),
        NUMBERS,
        _only("bounded", _FILLED),
        _COLUMNS,
    ),
    Function("ttest_1samp", calls.one_t, NUMBERS, crossed(_T_TESTS, 3.0), refused=_COLUMNS),
    Function(
        "ttest_1samp, with cubes",
        calls.one_t,
        NUMBERS[::3],
        _only("unbounded", crossed(({"epsilon": 5.0, "bounds": BOUNDS},), 3.0)),
        refused=_COLUMNS,
    ),
    Function("ttest_rel", calls.paired_t, NUMBERS, crossed(_T_TESTS, 3.0), refused=_COLUMNS),
    *(
        Function(
            f"{name}, with cubes",
            call,
            _COLUMNS_OF_NUMBERS[:2],
            _only("unbounded", crossed(({"epsilon": 5.0, "bounds": BOUNDS},), 3.0)),
        )
        for name, call in (
            ("ttest_rel", calls.paired_t),
            ("ttest_ind", calls.welch),
            ("f_oneway", calls.oneway),
        )
    ),
    Function("ttest_ind", calls.welch, NUMBERS[::3], _only("bounded", crossed(_T_TESTS[:1], 3.0)), refused=_COLUMNS),
    # their p-values take a while
    Function(
        "ttest_ind, narrow bounds",
        calls.welch,
        _COLUMNS_OF_NUMBERS[:2],
        _only("bounded", crossed(_T_TESTS[1:], 3.0)),
    ),
    Function("ttest_ind, unbounded", calls.welch, _COLUMNS_OF_NUMBERS[:3], _OPEN_T_TESTS),
    Function("crosstab", calls.crosstab, LABELS, _NAMED),
    Function(
        "crosstab, none other",
        calls.crosstab,
        LABELS,
        tuple({**each, "other": "a" if place % 3 else None} for place, each in enumerate(_NAMED)),
    ),
    Function("crosstab, levels in an array", calls.crosstab_array, _ARRAYS, _NAMED),
    Function("crosstab, two columns", calls.crosstab_frame, _TYPED, _NAMED),
    Function("crosstab, two ways", calls.crosstab_two, LABELS, _NAMED),
    Function("crosstab, declared", calls.one("crosstab", levels="declared"), _CATEGORIES, _NAMED),
    Function(
        "crosstab, discover",
        calls.one("crosstab", levels="discover", delta=1e-3),
        _FOUND,
        _TESTED,
        discovers=True,
    ),
    *(
        # what is missing is the callable's own affair
        Function(name, call, NUMBERS, _HANDED_ON, aligned=True)
        for name, call in (("any_test", calls.any_test), ("any_interval", calls.any_interval))
    ),
    Function("logit", calls.logit, NUMBERS, _FITTED[:1], aligned=True),
    Function("logit, unbounded", calls.logit, _COLUMNS_OF_NUMBERS[:3], _FITTED[1:], aligned=True),
    Function("chisquare", calls.chisquare, LABELS, _TESTED, closed=True),
    Function("chisquare, declared", calls.one("chisquare", levels="declared"), _CATEGORIES, _TESTED, closed=True),
    Function("chi2_contingency", calls.contingency, LABELS, _TESTED, closed=True),
    Function("f_oneway", calls.oneway, NUMBERS, _GROUP_TESTS, refused=_COLUMNS),
    Function("nunique", calls.one("nunique"), _FOUND, _ONE_MORE),
    *(
        Function(
            f"ols, {how}",
            calls.ols(how),
            NUMBERS,
            tuple(
                {key: value for key, value in each.items() if how in _BY_MOMENTS or key != "mechanism"}
                for each in (_NUMBERED if how in _BY_MOMENTS else _BOUNDED)
                if how in _BY_MOMENTS or each["mechanism"] == "laplace"
            ),
            refused=_COLUMNS,
            # the other variables are made by place
            aligned=True,
        )
        for how in _REGRESSED
    ),
    Function("ols, levels", calls.ols_levels, LABELS, _NUMBERED_LEVELS, aligned=True),
    Function("logit, levels", calls.logit_levels, LABELS[::5], _FITTED, aligned=True),
    *(
        Function(f"design, {how}", call, _COLUMNS_OF_NUMBERS, _SUBSETS)
        for how, call in (
            ("mean of a subset", calls.subset("mean", "x")),
            ("number of a subset", calls.subset("count")),
            ("numbers of a subset by group", calls.subset("count", by="group")),
            ("median of a subset", calls.subset("median", "x")),
            ("a condition", calls.subset("proportion", "x < 4.5")),
        )
    ),
    *(
        Function(f"{name}, units", calls.of_units(name, *given, **own), _COLUMNS_OF_NUMBERS, settings)
        for name, given, own, settings in _OF_UNITS
    ),
    Function(
        "design, mean of what is undefined for some",
        calls.subset("mean", "log"),
        _COLUMNS_OF_NUMBERS,
        tuple(each for each in _SUBSETS if each["missing"] == "drop"),
    ),
    Function("nunique, by group", calls.nunique, _FOUND, crossed(_INTEGER)),
    Function("release_hierarchy", calls.hierarchy, _FRAMED, _HIERARCHIES, closed=True),
    Function(
        "choose",
        calls.choose,
        SCORES,
        tuple({"epsilon": e, "mechanism": m} for e in (1.0, 0.1, 7.0) for m in ("exponential", "noisy max")),
        refused=("decimals",),
        steps=True,
    ),
    *(
        Function(name, calls.other_sample(name), NUMBERS, _RANKS, refused=_COLUMNS)
        for name in ("mannwhitneyu", "ks_2samp", "kruskal")
    ),
    *(Function(name, calls.paired(name), NUMBERS, _RANKS, refused=_COLUMNS) for name in ("wilcoxon", "kendalltau")),
    Function("wilcoxon, one sample", calls.one("wilcoxon", rng=7, cap=2), NUMBERS, _RANKS, refused=_COLUMNS),
    *(
        Function(f"kstest, {cdf}", calls.one("kstest", cdf=cdf, rng=7), NUMBERS, _RANKS, refused=_COLUMNS)
        for cdf in ("norm", np.tanh)
    ),
    Function("symmetric_geometric", calls.geometric, COUNTS, ({"epsilon": 1.0}, {"epsilon": 0.1}), steps=True),
    *(
        Function(f"release_hierarchy, counts, {neighbors}", calls.counts, kinds, settings, ("objects",), steps=True)
        for neighbors, kinds in (("bounded", SWAPPED), ("unbounded", COUNTS))
        for settings in (({"epsilon": 1.0, "neighbors": neighbors},),)
    ),
)
