"""Moments, t tests and statistics of records with weights, at their worst neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat._release.statistic import options
from pydpstat.auditing._cases.case import Case, Release
from pydpstat.inference._mean_tests import release_groups
from pydpstat.inference._samples import Sample
from pydpstat.inference.moments import moments
from pydpstat.inference.survey import weighted_mean, weighted_proportion
from pydpstat.inference.survey_totals import weighted_quantile, weighted_total
from pydpstat.inference.t_tests import ttest_1samp, ttest_rel
from pydpstat.random import source_from
from pydpstat.statistics._kernels.scope import NOTHING
from pydpstat.statistics.mean import mean
from pydpstat.statistics.quantiles import median
from pydpstat.statistics.spread import std, var

Options = dict[str, Any]
UNIT: Options = {"bounds": (0, 1)}
OPEN: Options = {"neighbors": "unbounded"}
GAUSSIAN: Options = {"mechanism": "gaussian", "delta": 1e-3}
# a test maximizes over variances in every call
SLOW = 20_000


def _moments(**options: Any) -> Release:
    def release(data: Any) -> object:
        found: Any = moments(data, 1.0, **UNIT, **options)
        return found.release

    return release


def _with(function: Release, **options: Any) -> Release:
    return lambda data: function(data, 1.0, **UNIT, population=True, **options)


def _groups(neighbors: str) -> Release:
    """Return the release of the test, without the test."""
    how = options(1.0, 0, "laplace", neighbors, "error")

    def release(data: object) -> object:
        samples = [Sample(each, NOTHING) for each in (data, LOW)]
        return release_groups(samples, (0.0, 1.0), how, "two-sided", source_from(None), None)[0]

    return release


def _weighted(function: Any, *public: float, **options: Any) -> Release:
    return lambda pair: function(*pair, *public, 1.0, max_weight=1.0, **options)


def _weighted_groups(function: Any, *public: float, **options: Any) -> Release:
    """Return a release by group of values, weights and groups."""
    own = {"max_weight": 1.0, "levels": ["a", "b"], "other": None, **options}
    return lambda data: function(data[0], data[1], *public, 1.0, by=data[2], **own)


def _by_strata(function: Any, **options: Any) -> Release:
    """Return a release of values, weights and strata."""
    own = {"max_weight": 1.0, "levels": ["a", "b"], "other": None, **options}
    return lambda data: function(data[0], data[1], 1.0, strata=data[2], **own)


def _case(name: str, release: Release, data: object, neighbor: object, most: int = 1_000_000) -> Case:
    return Case("sound", name, release, data, neighbor, true=1.0, most=most)


# a record goes from one bound to the other, and the sums alone change; from a bound to the middle, both
LOW, HIGH, HALF = np.array([0.0, 0.0]), np.array([0.0, 1.0]), np.array([0.0, 0.5])
FEW, MORE = np.array([0.0]), np.array([0.0, 1.0])
# of both variables, and their product
# the first of three variables turns from one bound to the other
TURNED = np.array([[0.0, 1.0, 0.5], [1.0, 1.0, 0.5]])
CORNER, OPPOSITE = np.array([[0.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 0.0], [1.0, 1.0]])

# values and weights: a record of the largest weight moves from one bound to the other, or is added
HEAVY_LOW, HEAVY_HIGH = ([0.0], [1.0]), ([1.0], [1.0])
EMPTY: tuple[list[float], list[float]] = ([], [])
YES, NO = ([True], [1.0]), ([False], [1.0])
# with their groups: one more record in a group, and one that leaves a group and enters another
FEW_HEAVY, MORE_HEAVY = ([0.0], [1.0], ["b"]), ([0.0, 1.0], [1.0, 1.0], ["b", "a"])
HEAVY_HERE, HEAVY_THERE = ([0.0, 1.0], [1.0, 1.0], ["b", "a"]), ([0.0, 1.0], [1.0, 1.0], ["b", "b"])
CELLS: Options = {"bins": 8}
WEIGHTED: tuple[tuple[Any, tuple[float, ...], Options], ...] = (
    (weighted_mean, (), UNIT),
    (weighted_total, (), UNIT),
    (weighted_quantile, (0.5,), {**UNIT, **CELLS}),
)
CASES = (
    _case("moments", _moments(), LOW, HIGH),
    _case("moments, a square", _moments(), LOW, HALF),
    _case("moments, unbounded", _moments(**OPEN), FEW, MORE),
    _case("moments, Gaussian", _moments(**GAUSSIAN), LOW, HIGH),
    _case("moments, two variables", _moments(), CORNER, OPPOSITE),
    _case("moments, two variables, unbounded", _moments(**OPEN), CORNER[:1], OPPOSITE),
    _case("moments, two variables, Laplace", _moments(mechanism="laplace"), CORNER, OPPOSITE),
    _case("moments, three variables", _moments(), TURNED[:1], TURNED[1:]),
    _case("moments, three variables, unbounded", _moments(**OPEN), TURNED[[0, 0]], TURNED[[0, 0, 1]]),
    # at a bound there is no variance to be maximized over
    _case("ttest_1samp", lambda data: ttest_1samp(data, 0, 1.0, **UNIT), LOW, HIGH, SLOW),
    _case("ttest_1samp, unbounded", lambda data: ttest_1samp(data, 0, 1.0, **UNIT, **OPEN), FEW, MORE, SLOW),
    _case(
        "ttest_1samp, exact",
        lambda data: ttest_1samp(data, 0.5, 1.0, method="exact", **UNIT),
        LOW,
        HIGH,
        SLOW,
    ),
    _case("ttest_rel", lambda data: ttest_rel(data, LOW, 1.0, bounds=(0, 1)), LOW, HIGH, SLOW),
    _case("ttest_ind", _groups("bounded"), LOW, HIGH),
    _case("ttest_ind, unbounded", _groups("unbounded"), FEW, MORE),
    _case("weighted_mean", _weighted(weighted_mean, **UNIT), HEAVY_LOW, HEAVY_HIGH),
    _case("weighted_mean, unbounded", _weighted(weighted_mean, **UNIT, **OPEN), EMPTY, HEAVY_HIGH),
    _case("weighted_proportion", _weighted(weighted_proportion), NO, YES),
    _case("weighted_total", _weighted(weighted_total, **UNIT), HEAVY_LOW, HEAVY_HIGH),
    _case("weighted_total, unbounded", _weighted(weighted_total, **UNIT, **OPEN), EMPTY, HEAVY_HIGH),
    *(
        _case(
            f"{function.__name__} by group, unbounded",
            _weighted_groups(function, *public, **own, **OPEN),
            FEW_HEAVY,
            MORE_HEAVY,
        )
        for function, public, own in WEIGHTED
    ),
    *(
        _case(
            f"{function.__name__} by group",
            _weighted_groups(function, *public, **own),
            HEAVY_HERE,
            HEAVY_THERE,
        )
        for function, public, own in WEIGHTED
    ),
    *(
        _case(f"{function.__name__} by strata", _by_strata(function, **own), HEAVY_HERE, HEAVY_THERE)
        for function, _, own in WEIGHTED[:2]
    ),
    _case("weighted_quantile", _weighted(weighted_quantile, 0.5, **UNIT, **CELLS), HEAVY_LOW, HEAVY_HIGH),
    _case(
        "weighted_quantile, unbounded",
        _weighted(weighted_quantile, 0.5, **UNIT, **CELLS, **OPEN),
        EMPTY,
        HEAVY_HIGH,
    ),
    # intervals for the population follow from the same sums, and from noisy counts in cells
    _case("mean, population", _with(mean), LOW, HIGH),
    _case("mean, population, unbounded", _with(mean, **OPEN), FEW, MORE),
    _case("var, population", _with(var), LOW, HALF),
    _case("std, population, Gaussian", _with(std, **GAUSSIAN), LOW, HALF),
    _case("median, population", _with(median), LOW[:1], HIGH[1:]),
)
