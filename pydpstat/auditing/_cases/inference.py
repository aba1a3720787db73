"""Tests, moments and statistics of records with weights, at their worst neighbors.

All that a result of counts shows follows from its noisy counts, at which the audit looks. Of tests of tables
and of means of groups the release is audited: the tests are functions of it, and simulate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._data.columns import Data, one_column
from pydpstat._release.options import options
from pydpstat._release.scope import NOTHING
from pydpstat.auditing._cases.case import GAUSSIAN, OPEN, UNIT, Options, Release, sound
from pydpstat.inference._cubic_release import release_cubic, tallied_with_cubic
from pydpstat.inference._mean_tests import release_groups
from pydpstat.inference._noisy_tables import noisy_table
from pydpstat.inference._samples import Sample
from pydpstat.inference.blocks import any_interval, any_test
from pydpstat.inference.distances import ks_2samp, kstest
from pydpstat.inference.group_means import release_means
from pydpstat.inference.moments import moments
from pydpstat.inference.proportions import binomtest, proportions_test
from pydpstat.inference.quantiles import quantile_test
from pydpstat.inference.rank_groups import kruskal, mannwhitneyu
from pydpstat.inference.rank_pairs import kendalltau, wilcoxon
from pydpstat.inference.survey import weighted_mean, weighted_proportion
from pydpstat.inference.survey_totals import weighted_quantile, weighted_total
from pydpstat.inference.t_tests import ttest_1samp, ttest_rel
from pydpstat.results import DPResults
from pydpstat.results.inference_results import InferenceResults
from pydpstat.statistics._kernels.records import records_of
from pydpstat.statistics.mean import mean
from pydpstat.statistics.quantiles import median
from pydpstat.statistics.spread import std, var

# most draws: of what maximizes, or sums over distributions, in every call, and of other tests of counts
FEW_DRAWS, MANY_DRAWS = 20_000, 100_000


def _shown(result: InferenceResults) -> dict[str, object]:
    """Return what a result says, its noisy numbers once."""
    found = dict(result.released)
    public = (result.test, result.null, result.claim, result.guarantee, result.nobs, result.record)
    return {**found, "p": result.pvalue, "public": repr((public, result.validity, result.noise_scale))}


def _counted(function: Callable[..., InferenceResults], **options: Any) -> Release:
    return lambda data: _shown(function(data, 1.0, **options))


def _compared(**options: Any) -> Release:
    return lambda data: _shown(proportions_test(data[0], data[1], 1.0, **options))


def _is_large(block: npt.NDArray[np.float64]) -> bool:
    """Reject, or fail where there is no record."""
    return bool(block[0] > 0.5)


def _are_apart(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> bool:
    return bool(one[0] != other[0])


def _mean_of_block(block: npt.NDArray[np.float64]) -> float:
    if block.size and block[0] < 0.0:
        raise ValueError("negative")
    return float(np.mean(block))


def _blocks_test(test: Release = _is_large, **options: Any) -> Release:
    return lambda data: any_test(data, test, 1.0, blocks=1, level=0.5, **options)


def _blocks_interval(**options: Any) -> Release:
    return lambda data: any_interval(data, _mean_of_block, 1.0, range=(0, 1), blocks=1, **options)


UNTRUE, TRUE_ONCE = np.array([False, False]), np.array([False, True])
# a record goes from below the hypothetical quantile to above it: both counts change
BELOW, ABOVE = np.array([-1.0, -1.0]), np.array([-1.0, 1.0])
ONE_ABOVE = np.array([-1.0, -1.0, 1.0])
# a block's only record settles whether it rejects, and in which cell its mean is
ZERO, ONE, NO_RECORD = np.array([0.0]), np.array([1.0]), np.empty(0)

COUNTS = (
    sound("binomtest", _counted(binomtest), UNTRUE, TRUE_ONCE, MANY_DRAWS),
    sound(
        "binomtest, unbounded", _counted(binomtest, **OPEN), UNTRUE, np.array([False, False, True]), FEW_DRAWS
    ),
    sound(
        "binomtest, missing=True",
        _counted(binomtest, missing=True),
        [False, False],
        [False, None],
        MANY_DRAWS,
    ),
    sound("proportions_test", _compared(), (UNTRUE, UNTRUE), (UNTRUE, TRUE_ONCE), FEW_DRAWS),
    sound(
        "proportions_test, ratio",
        _compared(compare="ratio"),
        (TRUE_ONCE, UNTRUE),
        (UNTRUE, UNTRUE),
        FEW_DRAWS,
    ),
    sound("quantile_test", _counted(quantile_test), BELOW, ABOVE, MANY_DRAWS),
    # one of both counts falls
    sound(
        "quantile_test, a tie", _counted(quantile_test), BELOW, np.array([-1.0, 0.0]), MANY_DRAWS, true=0.5
    ),
    sound("quantile_test, no ties", _counted(quantile_test, ties=False), BELOW, ABOVE, MANY_DRAWS),
    sound("quantile_test, unbounded", _counted(quantile_test, **OPEN), BELOW, ONE_ABOVE, FEW_DRAWS),
    sound(
        "quantile_test, unbounded, no ties",
        _counted(quantile_test, ties=False, **OPEN),
        BELOW,
        ONE_ABOVE,
        FEW_DRAWS,
    ),
    sound("any_test", _blocks_test(), ZERO, ONE),
    sound("any_test, unbounded", _blocks_test(**OPEN), NO_RECORD, ONE),
    sound("any_test, two samples", _blocks_test(_are_apart), (ZERO, ZERO), (ZERO, ONE)),
    sound("any_interval", _blocks_interval(), ZERO, ONE),
    sound("any_interval, unbounded", _blocks_interval(**OPEN), NO_RECORD, ONE),
    sound("any_interval, an error", _blocks_interval(), ONE, -ONE),
    sound("any_interval, limits", _blocks_interval(limit="lower", level=0.2), ZERO, ONE),
)


def _moments(**options: Any) -> Release:
    def release(data: Data) -> object:
        found: Any = moments(data, 1.0, **UNIT, **options)
        return found.release

    return release


def _with(function: Release, **options: Any) -> Release:
    return lambda data: function(data, 1.0, **UNIT, population=True, **options)


def _sums(released: Callable[..., tuple[DPResults, object]], neighbors: str = "bounded") -> Release:
    """Return the release of groups of a test, without the test."""
    how = options(1.0, 0, "laplace", neighbors, "error", others=False)

    def release(data: Sequence[Data]) -> object:
        names = tuple(map(str, range(len(data))))
        samples = [Sample(each, NOTHING) for each in data]
        return released(samples, names, names, (0.0, 1.0), how)[0]

    return release


def _cubic(neighbors: str = "bounded") -> Release:
    """Return the release of samples of a test with sums of cubes, without the test."""
    how = options(1.0, 0, "laplace", neighbors, "error", others=False)
    public: Options = {"data": ("a",), "arguments": (), "bounds": (0.0, 1.0)}

    def release(data: Sequence[Data]) -> object:
        found = []
        for each in data:
            records, own = records_of(each, how.one_record(None), one_column, "a")
            found.append(tallied_with_cubic(records, (0.0, 1.0), own, "t test", "a"))
        return release_cubic("ttest_1samp", ["z", "y"][: len(found)], found, own, **public)[0]

    return release


def _weighted(function: Release, *public: float, **options: Any) -> Release:
    return lambda pair: function(*pair, *public, 1.0, max_weight=1.0, **options)


def _weighted_groups(function: Release, *public: float, key: str = "by", **options: Any) -> Release:
    """Return a release by group, or by strata, of values, weights and groups."""
    own = {"max_weight": 1.0, "levels": ["a", "b"], "other": None, **options}
    return lambda data: function(data[0], data[1], *public, 1.0, **{key: data[2]}, **own)


_TTEST = partial(release_groups, "ttest_ind", asked=())
# a record goes from one bound to the other, and the sums alone change; from a bound to the middle, both
LOW, HIGH, HALF = np.array([0.0, 0.0]), np.array([0.0, 1.0]), np.array([0.0, 0.5])
QUARTER = np.array([0.0, 0.25])
FEW, MORE = np.array([0.0]), np.array([0.0, 1.0])
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
WEIGHTED: tuple[tuple[Release, tuple[float, ...], Options], ...] = (
    (weighted_mean, (), UNIT),
    (weighted_total, (), UNIT),
    (weighted_quantile, (0.5,), {**UNIT, **CELLS}),
)
MEANS = (
    sound("moments", _moments(), LOW, HIGH),
    sound("moments, a square", _moments(), LOW, HALF),
    sound("moments, unbounded", _moments(**OPEN), FEW, MORE),
    sound("moments, Gaussian", _moments(**GAUSSIAN), LOW, HIGH),
    sound("moments, two variables", _moments(), CORNER, OPPOSITE),
    sound("moments, two variables, unbounded", _moments(**OPEN), CORNER[:1], OPPOSITE),
    sound("moments, two variables, Laplace", _moments(mechanism="laplace"), CORNER, OPPOSITE),
    sound("moments, three variables", _moments(), TURNED[:1], TURNED[1:]),
    sound("moments, three variables, unbounded", _moments(**OPEN), TURNED[[0, 0]], TURNED[[0, 0, 1]]),
    # at a bound there is no variance to be maximized over
    sound("ttest_1samp", lambda data: ttest_1samp(data, 0, 1.0, **UNIT), LOW, HIGH, FEW_DRAWS),
    sound(
        "ttest_1samp, unbounded", lambda data: ttest_1samp(data, 0, 1.0, **UNIT, **OPEN), FEW, MORE, FEW_DRAWS
    ),
    sound("ttest_1samp, with cubes", _cubic(), (LOW,), (HIGH,)),
    # at a quarter of the bounds' width the cubic is as far from that at 0 as at 1, and the square moves, too
    sound("ttest_1samp, with cubes, a quarter", _cubic(), (LOW,), (QUARTER,), true=0.49375),
    sound("ttest_1samp, with cubes, unbounded", _cubic("unbounded"), (FEW,), (MORE,)),
    sound("ttest_ind, with cubes", _cubic(), (LOW, LOW), (LOW, HIGH)),
    sound("ttest_ind, with cubes, unbounded", _cubic("unbounded"), (LOW, FEW), (LOW, MORE)),
    sound(
        "ttest_1samp, exact",
        lambda data: ttest_1samp(data, 0.5, 1.0, method="exact", **UNIT),
        LOW,
        HIGH,
        FEW_DRAWS,
    ),
    sound("ttest_rel", lambda data: ttest_rel(data, LOW, 1.0, bounds=(0, 1)), LOW, HIGH, FEW_DRAWS),
    sound("ttest_ind", _sums(_TTEST), (LOW, LOW), (HIGH, LOW)),
    sound("ttest_ind, unbounded", _sums(_TTEST, "unbounded"), (FEW, LOW), (MORE, LOW)),
    sound("weighted_mean", _weighted(weighted_mean, **UNIT), HEAVY_LOW, HEAVY_HIGH),
    sound("weighted_mean, unbounded", _weighted(weighted_mean, **UNIT, **OPEN), EMPTY, HEAVY_HIGH),
    sound("weighted_proportion", _weighted(weighted_proportion), NO, YES),
    sound("weighted_total", _weighted(weighted_total, **UNIT), HEAVY_LOW, HEAVY_HIGH),
    sound("weighted_total, unbounded", _weighted(weighted_total, **UNIT, **OPEN), EMPTY, HEAVY_HIGH),
    *(
        sound(
            f"{function.__name__} by group, unbounded",
            _weighted_groups(function, *public, **own, **OPEN),
            FEW_HEAVY,
            MORE_HEAVY,
        )
        for function, public, own in WEIGHTED
    ),
    *(
        sound(
            f"{function.__name__} by group",
            _weighted_groups(function, *public, **own),
            HEAVY_HERE,
            HEAVY_THERE,
        )
        for function, public, own in WEIGHTED
    ),
    *(
        sound(
            f"{function.__name__} by strata",
            _weighted_groups(function, key="strata", **own),
            HEAVY_HERE,
            HEAVY_THERE,
        )
        for function, _, own in WEIGHTED[:2]
    ),
    sound("weighted_quantile", _weighted(weighted_quantile, 0.5, **UNIT, **CELLS), HEAVY_LOW, HEAVY_HIGH),
    sound(
        "weighted_quantile, unbounded",
        _weighted(weighted_quantile, 0.5, **UNIT, **CELLS, **OPEN),
        EMPTY,
        HEAVY_HIGH,
    ),
    # intervals for the population follow from the same sums, and from noisy counts in cells
    sound("mean, population", _with(mean), LOW, HIGH),
    sound("mean, population, unbounded", _with(mean, **OPEN), FEW, MORE),
    sound("var, population", _with(var), LOW, HALF),
    sound("std, population, Gaussian", _with(std, **GAUSSIAN), LOW, HALF),
    sound("median, population", _with(median), LOW[:1], HIGH[1:]),
)

# one record of the smaller group goes from below all others to above them
LOWEST = ([0.0], [1.0, 2.0, 3.0])
HIGHEST = ([9.0], LOWEST[1])
# one of tied records leaves them: the keys of the others settle their order
TIED = ([1.0, 1.0], [1.0, 1.0, 1.0])
UNTIED = ([9.0, 1.0], TIED[1])
# the largest record changes its sign
NEGATIVE = [0.5, -1.0, -2.0, -9.0]
POSITIVE = [0.5, -1.0, -2.0, 9.0]
# a record that agrees with no other one comes to agree with all
AGAINST = ([1.0, 2.0, 3.0, 9.0], [1.0, 2.0, 3.0, 0.0])
ALONG = (AGAINST[0], [1.0, 2.0, 3.0, 9.0])
# the lowest record of a group that lies above the others comes to lie above them, too
MIXED = ([0.0, 11.0, 12.0, 13.0, 14.0], [1.0, 4.0, 5.0, 8.0, 9.0], [2.0, 3.0, 6.0, 7.0, 10.0])
APART = ([15.0, *MIXED[0][1:]], *MIXED[1:])
# and that of a small group, whose distance has no weights
UNEQUAL = ([0.0, 11.0, 12.0], [float(place) for place in range(1, 11)])
UNEQUAL_APART = ([15.0, 11.0, 12.0], UNEQUAL[1])


def _atoms(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the distribution function of a distribution that has one half at 0 and one at 1."""
    return np.where(x < 0.0, 0.0, np.where(x < 1.0, 0.5, 1.0))


def _ranked(function: Release, **options: object) -> Release:
    return lambda data: function(*data, 1.0, **options)


def _signed(cap: int | None = None) -> Release:
    return lambda data: wilcoxon(data, 1.0, cap=cap)


RANKS = (
    sound("mannwhitneyu", _ranked(mannwhitneyu), LOWEST, HIGHEST),
    sound("mannwhitneyu, ties", _ranked(mannwhitneyu), TIED, UNTIED),
    sound("wilcoxon", _signed(cap=4), NEGATIVE, POSITIVE),
    sound("wilcoxon, sign test", _signed(cap=1), NEGATIVE, POSITIVE),
    sound("wilcoxon, cap of n and epsilon", _signed(), NEGATIVE, POSITIVE),
    sound("kruskal", lambda data: kruskal(*data, epsilon=1.0), MIXED, APART),
    sound(
        "kruskal, groups of unequal sizes", lambda data: kruskal(*data, epsilon=1.0), UNEQUAL, UNEQUAL_APART
    ),
    sound("kendalltau", _ranked(kendalltau), AGAINST, ALONG),
    sound("kendalltau, of one side", _ranked(kendalltau, alternative="less"), AGAINST, ALONG),
    sound("kstest", lambda data: kstest(data, "uniform", 1.0), [0.0, 0.0], [0.0, 1.0]),
    sound(
        "kstest, a distribution with atoms", lambda data: kstest(data, _atoms, 1.0), [0.0, 0.0], [0.0, 1.0]
    ),
    sound("ks_2samp", _ranked(ks_2samp), ([0.0], [0.0, 0.0, 0.0]), ([9.0], [0.0, 0.0, 0.0])),
)

FIXED: Options = {"neighbors": "bounded", "missing": "error", "rng": None, "budget": None, "unit": None}
# a record leaves a cell and enters another; the other records are of the same pair of levels
HERE = (["a", "a"], ["u", "u"])
THERE = (["b", "a"], ["v", "u"])
# a group's only record goes from one bound to the other, and from a bound to the middle
AT_LOW = ([0.0], [0.5, 0.5])
AT_HIGH = ([1.0], AT_LOW[1])
MIDDLE = ([0.5], AT_LOW[1])
INFINITE = ([math.inf], AT_LOW[1])
# a group has one more record, at a bound
ONE_MORE = ([0.0, 1.0], AT_LOW[1])


def _levels(**options: Any) -> Release:
    return lambda data: noisy_table("chisquare", ("data",), data, 1.0, ["a", "b"], **FIXED | options).release


def _pairs(**options: Any) -> Release:
    levels = [["a", "b"], ["u", "v"]]
    return lambda data: (
        noisy_table("chi2_contingency", ("x", "y"), data, 1.0, levels, **FIXED | options).release
    )


TABLES = (
    sound("chisquare", _levels(), ["a", "a"], ["b", "a"]),
    sound("chisquare, unbounded", _levels(**OPEN), ["a"], ["a", "b"]),
    sound("chisquare, no level and none", _levels(missing="b"), ["a", "a"], ["a", "zebra"]),
    sound("chisquare, a missing value", _levels(missing="b"), ["a", "a"], ["a", None]),
    sound("chisquare, a level for others", _levels(other="other"), ["a", "a"], ["a", "zebra"]),
    sound("chi2_contingency", _pairs(), HERE, THERE),
    sound("chi2_contingency, one variable", _pairs(), HERE, (THERE[0], HERE[1])),
    sound("chi2_contingency, unbounded", _pairs(**OPEN), HERE, tuple(each[1:] for each in HERE)),
    sound("f_oneway", _sums(release_means), AT_LOW, AT_HIGH),
    sound("f_oneway, to the middle", _sums(release_means), AT_LOW, MIDDLE),
    sound("f_oneway, an infinity", _sums(release_means), AT_LOW, INFINITE),
    sound("f_oneway, unbounded", _sums(release_means, "unbounded"), AT_LOW, ONE_MORE),
    sound("f_oneway, the larger group", _sums(release_means), ([0.5], [0.0, 0.5]), ([0.5], [1.0, 0.5])),
)
