"""Tests, moments and statistics of weighted records at their worst neighbors.

All content of a result of counts depends on its noisy counts, which the audit examines. For tests of tables and of
means of groups the release is audited: the tests are functions of it, and use simulation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._data.columns import Data, read_single_column
from pydpstat._records.records import read_records
from pydpstat._release.options import options
from pydpstat._release.scope import EMPTY_SCOPE
from pydpstat.auditing._cases.case import GAUSSIAN, UNBOUNDED, UNIT_BOUNDS, Options, Release, make_sound_case
from pydpstat.inference._samples import Sample
from pydpstat.inference.blocks.block_tests import any_interval, any_test
from pydpstat.inference.means._cubic_release import release_cubic, sum_records_with_cubic
from pydpstat.inference.means._mean_tests import release_group_samples
from pydpstat.inference.means.moments import moments
from pydpstat.inference.means.one_way_f_test import release_group_means
from pydpstat.inference.means.t_tests import ttest_1samp, ttest_rel
from pydpstat.inference.proportions import binomtest, proportions_test
from pydpstat.inference.quantiles import quantile_test
from pydpstat.inference.ranks.distances import ks_2samp, kstest
from pydpstat.inference.ranks.rank_groups import kruskal, mannwhitneyu
from pydpstat.inference.ranks.rank_pairs import kendalltau, wilcoxon
from pydpstat.inference.survey.weighted_means import weighted_mean, weighted_proportion
from pydpstat.inference.survey.weighted_totals import weighted_quantile, weighted_total
from pydpstat.inference.tables._noisy_tables import release_noisy_table
from pydpstat.results import DPResults
from pydpstat.results.inference_results import InferenceResults
from pydpstat.statistics.mean import mean
from pydpstat.statistics.quantiles import median
from pydpstat.statistics.spread import std, var

# draws for functions that maximize or sum over distributions in every call, and for other tests of counts
FEW_DRAWS, MANY_DRAWS = 20_000, 100_000


def _collect_outcome(result: InferenceResults) -> dict[str, object]:
    """Return the contents of a result, with its noisy numbers once."""
    outcome = dict(result.released)
    public = (result.test, result.null, result.claim, result.guarantee, result.nobs, result.record)
    return {**outcome, "p": result.pvalue, "public": repr((public, result.validity, result.noise_scale))}


def _make_count_release(function: Callable[..., InferenceResults], **options: Any) -> Release:
    return lambda data: _collect_outcome(function(data, 1.0, **options))


def _make_proportions_release(**options: Any) -> Release:
    return lambda data: _collect_outcome(proportions_test(data[0], data[1], 1.0, **options))


def _is_large(block: npt.NDArray[np.float64]) -> bool:
    """Return the decision of a block test, which fails if there is no record."""
    return bool(block[0] > 0.5)


def _is_different(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> bool:
    return bool(one[0] != other[0])


def _compute_block_mean(block: npt.NDArray[np.float64]) -> float:
    if block.size and block[0] < 0.0:
        raise ValueError("negative")
    return float(np.mean(block))


def _make_block_test(test: Release = _is_large, **options: Any) -> Release:
    return lambda data: any_test(data, test, 1.0, blocks=1, level=0.5, **options)


def _make_block_interval(**options: Any) -> Release:
    return lambda data: any_interval(data, _compute_block_mean, 1.0, range=(0, 1), blocks=1, **options)


UNTRUE, TRUE_ONCE = np.array([False, False]), np.array([False, True])
TRUE_ADDED = np.array([False, False, True])
# a record moves from below the hypothetical quantile to above it: both counts change
BELOW, ABOVE = np.array([-1.0, -1.0]), np.array([-1.0, 1.0])
ONE_ABOVE = np.array([-1.0, -1.0, 1.0])
# a block's only record determines whether it rejects, and the cell of its mean
ZERO, ONE, NO_RECORD = np.array([0.0]), np.array([1.0]), np.empty(0)

COUNTS = (
    make_sound_case("binomtest", _make_count_release(binomtest), UNTRUE, TRUE_ONCE, MANY_DRAWS),
    make_sound_case("binomtest, unbounded", _make_count_release(binomtest, **UNBOUNDED), UNTRUE, TRUE_ADDED, FEW_DRAWS),
    make_sound_case(
        "binomtest, missing=True",
        _make_count_release(binomtest, missing=True),
        [False, False],
        [False, None],
        MANY_DRAWS,
    ),
    make_sound_case("proportions_test", _make_proportions_release(), (UNTRUE, UNTRUE), (UNTRUE, TRUE_ONCE), FEW_DRAWS),
    make_sound_case(
        "proportions_test, ratio",
        _make_proportions_release(compare="ratio"),
        (TRUE_ONCE, UNTRUE),
        (UNTRUE, UNTRUE),
        FEW_DRAWS,
    ),
    make_sound_case("quantile_test", _make_count_release(quantile_test), BELOW, ABOVE, MANY_DRAWS),
    # only one of the two counts decreases
    make_sound_case(
        "quantile_test, a tie", _make_count_release(quantile_test), BELOW, np.array([-1.0, 0.0]), MANY_DRAWS, true=0.5
    ),
    make_sound_case("quantile_test, no ties", _make_count_release(quantile_test, ties=False), BELOW, ABOVE, MANY_DRAWS),
    make_sound_case(
        "quantile_test, unbounded", _make_count_release(quantile_test, **UNBOUNDED), BELOW, ONE_ABOVE, FEW_DRAWS
    ),
    make_sound_case(
        "quantile_test, unbounded, no ties",
        _make_count_release(quantile_test, ties=False, **UNBOUNDED),
        BELOW,
        ONE_ABOVE,
        FEW_DRAWS,
    ),
    make_sound_case("any_test", _make_block_test(), ZERO, ONE),
    make_sound_case("any_test, unbounded", _make_block_test(**UNBOUNDED), NO_RECORD, ONE),
    make_sound_case("any_test, two samples", _make_block_test(_is_different), (ZERO, ZERO), (ZERO, ONE)),
    make_sound_case("any_interval", _make_block_interval(), ZERO, ONE),
    make_sound_case("any_interval, unbounded", _make_block_interval(**UNBOUNDED), NO_RECORD, ONE),
    make_sound_case("any_interval, an error", _make_block_interval(), ONE, -ONE),
    make_sound_case("any_interval, limits", _make_block_interval(limit="lower", level=0.2), ZERO, ONE),
)


def _make_moments_release(**options: Any) -> Release:
    def release_data(data: Data) -> object:
        result: Any = moments(data, 1.0, **UNIT_BOUNDS, **options)
        return result.release

    return release_data


def _make_population_release(function: Release, **options: Any) -> Release:
    return lambda data: function(data, 1.0, **UNIT_BOUNDS, population=True, **options)


def _make_sums_release(release_sums: Callable[..., tuple[DPResults, object]], neighbors: str = "bounded") -> Release:
    """Return the release of groups in a test, without the test."""
    checked_options = options(1.0, 0, "laplace", neighbors, "error", allow_objects=False)

    def release_data(data: Sequence[Data]) -> object:
        names = tuple(map(str, range(len(data))))
        samples = [Sample(sample, EMPTY_SCOPE) for sample in data]
        return release_sums(samples, names, names, (0.0, 1.0), checked_options)[0]

    return release_data


def _make_cubic_release(neighbors: str = "bounded") -> Release:
    """Return the release of samples in a test with sums of cubes, without the test."""
    checked_options = options(1.0, 0, "laplace", neighbors, "error", allow_objects=False)
    public: Options = {"data_names": ("a",), "public_arguments": (), "bounds": (0.0, 1.0)}

    def release_data(data: Sequence[Data]) -> object:
        sums = []
        for sample in data:
            records, record_options = read_records(
                sample, checked_options.use_one_record_per_unit(None), read_single_column, "a"
            )
            sums.append(sum_records_with_cubic(records, (0.0, 1.0), record_options, "t test", "a"))
        return release_cubic("ttest_1samp", ["z", "y"][: len(sums)], sums, record_options, **public)[0]

    return release_data


def _make_weighted_release(function: Release, *public: float, **options: Any) -> Release:
    return lambda pair: function(*pair, *public, 1.0, max_weight=1.0, **options)


def _make_grouped_release(function: Release, *public: float, key: str = "by", **options: Any) -> Release:
    """Return a release by group, or by strata, of values, weights and groups."""
    arguments = {"max_weight": 1.0, "levels": ["a", "b"], "other": None, **options}
    return lambda data: function(data[0], data[1], *public, 1.0, **{key: data[2]}, **arguments)


_TTEST = partial(release_group_samples, "ttest_ind", public_arguments=())
# a record moves from one bound to the other, which changes the sums only, or to the middle, which changes both
LOW, HIGH, HALF = np.array([0.0, 0.0]), np.array([0.0, 1.0]), np.array([0.0, 0.5])
QUARTER = np.array([0.0, 0.25])
FEW, MORE = np.array([0.0]), np.array([0.0, 1.0])
# the first of three variables moves from one bound to the other
TURNED = np.array([[0.0, 1.0, 0.5], [1.0, 1.0, 0.5]])
CORNER, OPPOSITE = np.array([[0.0, 0.0], [0.5, 0.5]]), np.array([[0.0, 0.0], [1.0, 1.0]])

# values and weights: a record of the largest weight moves from one bound to the other, or is added
HEAVY_LOW, HEAVY_HIGH = ([0.0], [1.0]), ([1.0], [1.0])
EMPTY: tuple[list[float], list[float]] = ([], [])
YES, NO = ([True], [1.0]), ([False], [1.0])
# with their groups: a further record in a group, or a record that changes groups
FEW_HEAVY, MORE_HEAVY = ([0.0], [1.0], ["b"]), ([0.0, 1.0], [1.0, 1.0], ["b", "a"])
HEAVY_HERE, HEAVY_THERE = ([0.0, 1.0], [1.0, 1.0], ["b", "a"]), ([0.0, 1.0], [1.0, 1.0], ["b", "b"])
CELLS: Options = {"bins": 8}
WEIGHTED: tuple[tuple[Release, tuple[float, ...], Options], ...] = (
    (weighted_mean, (), UNIT_BOUNDS),
    (weighted_total, (), UNIT_BOUNDS),
    (weighted_quantile, (0.5,), {**UNIT_BOUNDS, **CELLS}),
)
MEANS = (
    make_sound_case("moments", _make_moments_release(), LOW, HIGH),
    make_sound_case("moments, a square", _make_moments_release(), LOW, HALF),
    make_sound_case("moments, unbounded", _make_moments_release(**UNBOUNDED), FEW, MORE),
    make_sound_case("moments, Gaussian", _make_moments_release(**GAUSSIAN), LOW, HIGH),
    make_sound_case("moments, two variables", _make_moments_release(), CORNER, OPPOSITE),
    make_sound_case("moments, two variables, unbounded", _make_moments_release(**UNBOUNDED), CORNER[:1], OPPOSITE),
    make_sound_case("moments, two variables, Laplace", _make_moments_release(mechanism="laplace"), CORNER, OPPOSITE),
    make_sound_case("moments, three variables", _make_moments_release(), TURNED[:1], TURNED[1:]),
    make_sound_case(
        "moments, three variables, unbounded", _make_moments_release(**UNBOUNDED), TURNED[[0, 0]], TURNED[[0, 0, 1]]
    ),
    # at a bound there is no variance to be maximized over
    make_sound_case("ttest_1samp", lambda data: ttest_1samp(data, 0, 1.0, **UNIT_BOUNDS), LOW, HIGH, FEW_DRAWS),
    make_sound_case(
        "ttest_1samp, unbounded",
        lambda data: ttest_1samp(data, 0, 1.0, **UNIT_BOUNDS, **UNBOUNDED),
        FEW,
        MORE,
        FEW_DRAWS,
    ),
    make_sound_case("ttest_1samp, with cubes", _make_cubic_release(), (LOW,), (HIGH,)),
    # at a quarter of the bounds' width the cubic is as far from that at 0 as at 1, and the square changes, too
    make_sound_case("ttest_1samp, with cubes, a quarter", _make_cubic_release(), (LOW,), (QUARTER,), true=0.49375),
    make_sound_case("ttest_1samp, with cubes, unbounded", _make_cubic_release("unbounded"), (FEW,), (MORE,)),
    make_sound_case("ttest_ind, with cubes", _make_cubic_release(), (LOW, LOW), (LOW, HIGH)),
    make_sound_case("ttest_ind, with cubes, unbounded", _make_cubic_release("unbounded"), (LOW, FEW), (LOW, MORE)),
    make_sound_case(
        "ttest_1samp, exact",
        lambda data: ttest_1samp(data, 0.5, 1.0, method="exact", **UNIT_BOUNDS),
        LOW,
        HIGH,
        FEW_DRAWS,
    ),
    make_sound_case("ttest_rel", lambda data: ttest_rel(data, LOW, 1.0, bounds=(0, 1)), LOW, HIGH, FEW_DRAWS),
    make_sound_case("ttest_ind", _make_sums_release(_TTEST), (LOW, LOW), (HIGH, LOW)),
    make_sound_case("ttest_ind, unbounded", _make_sums_release(_TTEST, "unbounded"), (FEW, LOW), (MORE, LOW)),
    make_sound_case("weighted_mean", _make_weighted_release(weighted_mean, **UNIT_BOUNDS), HEAVY_LOW, HEAVY_HIGH),
    make_sound_case(
        "weighted_mean, unbounded", _make_weighted_release(weighted_mean, **UNIT_BOUNDS, **UNBOUNDED), EMPTY, HEAVY_HIGH
    ),
    make_sound_case("weighted_proportion", _make_weighted_release(weighted_proportion), NO, YES),
    make_sound_case("weighted_total", _make_weighted_release(weighted_total, **UNIT_BOUNDS), HEAVY_LOW, HEAVY_HIGH),
    make_sound_case(
        "weighted_total, unbounded",
        _make_weighted_release(weighted_total, **UNIT_BOUNDS, **UNBOUNDED),
        EMPTY,
        HEAVY_HIGH,
    ),
    *(
        make_sound_case(
            f"{function.__name__} by group, unbounded",
            _make_grouped_release(function, *public, **own, **UNBOUNDED),
            FEW_HEAVY,
            MORE_HEAVY,
        )
        for function, public, own in WEIGHTED
    ),
    *(
        make_sound_case(
            f"{function.__name__} by group", _make_grouped_release(function, *public, **own), HEAVY_HERE, HEAVY_THERE
        )
        for function, public, own in WEIGHTED
    ),
    *(
        make_sound_case(
            f"{function.__name__} by strata",
            _make_grouped_release(function, key="strata", **own),
            HEAVY_HERE,
            HEAVY_THERE,
        )
        for function, _, own in WEIGHTED[:2]
    ),
    make_sound_case(
        "weighted_quantile",
        _make_weighted_release(weighted_quantile, 0.5, **UNIT_BOUNDS, **CELLS),
        HEAVY_LOW,
        HEAVY_HIGH,
    ),
    make_sound_case(
        "weighted_quantile, unbounded",
        _make_weighted_release(weighted_quantile, 0.5, **UNIT_BOUNDS, **CELLS, **UNBOUNDED),
        EMPTY,
        HEAVY_HIGH,
    ),
    # intervals for the population are based on the same sums, and on noisy counts in cells
    make_sound_case("mean, population", _make_population_release(mean), LOW, HIGH),
    make_sound_case("mean, population, unbounded", _make_population_release(mean, **UNBOUNDED), FEW, MORE),
    make_sound_case("var, population", _make_population_release(var), LOW, HALF),
    make_sound_case("std, population, Gaussian", _make_population_release(std, **GAUSSIAN), LOW, HALF),
    make_sound_case("median, population", _make_population_release(median), LOW[:1], HIGH[1:]),
)

# one record of the smaller group moves from below all others to above them
LOWEST = ([0.0], [1.0, 2.0, 3.0])
HIGHEST = ([9.0], LOWEST[1])
# one of tied records leaves them: the keys of the others determine their order
TIED = ([1.0, 1.0], [1.0, 1.0, 1.0])
UNTIED = ([9.0, 1.0], TIED[1])
# the largest record changes its sign
NEGATIVE = [0.5, -1.0, -2.0, -9.0]
POSITIVE = [0.5, -1.0, -2.0, 9.0]
# a record that is discordant with all others becomes concordant with all
AGAINST = ([1.0, 2.0, 3.0, 9.0], [1.0, 2.0, 3.0, 0.0])
ALONG = (AGAINST[0], [1.0, 2.0, 3.0, 9.0])
# the lowest record of a group otherwise above the others moves above them, too
MIXED = ([0.0, 11.0, 12.0, 13.0, 14.0], [1.0, 4.0, 5.0, 8.0, 9.0], [2.0, 3.0, 6.0, 7.0, 10.0])
MIXED_SEPARATED = ([15.0, *MIXED[0][1:]], *MIXED[1:])
# the same for a small group, whose distance has no weights
UNEQUAL = ([0.0, 11.0, 12.0], [float(place) for place in range(1, 11)])
UNEQUAL_SEPARATED = ([15.0, 11.0, 12.0], UNEQUAL[1])


def _compute_atom_cdf(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the distribution function of a distribution with probability one half at 0 and at 1."""
    return np.where(x < 0.0, 0.0, np.where(x < 1.0, 0.5, 1.0))


def _make_rank_release(function: Release, **options: object) -> Release:
    return lambda data: function(*data, 1.0, **options)


def _make_wilcoxon_release(cap: int | None = None) -> Release:
    return lambda data: wilcoxon(data, 1.0, cap=cap)


RANKS = (
    make_sound_case("mannwhitneyu", _make_rank_release(mannwhitneyu), LOWEST, HIGHEST),
    make_sound_case("mannwhitneyu, ties", _make_rank_release(mannwhitneyu), TIED, UNTIED),
    make_sound_case("wilcoxon", _make_wilcoxon_release(cap=4), NEGATIVE, POSITIVE),
    make_sound_case("wilcoxon, sign test", _make_wilcoxon_release(cap=1), NEGATIVE, POSITIVE),
    make_sound_case("wilcoxon, cap of n and epsilon", _make_wilcoxon_release(), NEGATIVE, POSITIVE),
    make_sound_case("kruskal", lambda data: kruskal(*data, epsilon=1.0), MIXED, MIXED_SEPARATED),
    make_sound_case(
        "kruskal, groups of unequal sizes", lambda data: kruskal(*data, epsilon=1.0), UNEQUAL, UNEQUAL_SEPARATED
    ),
    make_sound_case("kendalltau", _make_rank_release(kendalltau), AGAINST, ALONG),
    make_sound_case("kendalltau, of one side", _make_rank_release(kendalltau, alternative="less"), AGAINST, ALONG),
    make_sound_case("kstest", lambda data: kstest(data, "uniform", 1.0), [0.0, 0.0], [0.0, 1.0]),
    make_sound_case(
        "kstest, a distribution with atoms", lambda data: kstest(data, _compute_atom_cdf, 1.0), [0.0, 0.0], [0.0, 1.0]
    ),
    make_sound_case("ks_2samp", _make_rank_release(ks_2samp), ([0.0], [0.0, 0.0, 0.0]), ([9.0], [0.0, 0.0, 0.0])),
)

FIXED_OPTIONS: Options = {"neighbors": "bounded", "missing": "error", "rng": None, "budget": None, "unit": None}
# a record moves to another cell; the other records have the same pair of levels
HERE = (["a", "a"], ["u", "u"])
THERE = (["b", "a"], ["v", "u"])
# a group's only record moves from one bound to the other, or from a bound to the middle
AT_LOW = ([0.0], [0.5, 0.5])
AT_HIGH = ([1.0], AT_LOW[1])
MIDDLE = ([0.5], AT_LOW[1])
INFINITE = ([math.inf], AT_LOW[1])
# a group has one more record, at a bound
ONE_MORE = ([0.0, 1.0], AT_LOW[1])


def _make_levels_release(**options: Any) -> Release:
    return lambda data: (
        release_noisy_table("chisquare", ("data",), data, 1.0, ["a", "b"], **FIXED_OPTIONS | options).release
    )


def _make_table_release(**options: Any) -> Release:
    levels = [["a", "b"], ["u", "v"]]
    return lambda data: (
        release_noisy_table("chi2_contingency", ("x", "y"), data, 1.0, levels, **FIXED_OPTIONS | options).release
    )


TABLES = (
    make_sound_case("chisquare", _make_levels_release(), ["a", "a"], ["b", "a"]),
    make_sound_case("chisquare, unbounded", _make_levels_release(**UNBOUNDED), ["a"], ["a", "b"]),
    make_sound_case("chisquare, no level and none", _make_levels_release(missing="b"), ["a", "a"], ["a", "zebra"]),
    make_sound_case("chisquare, a missing value", _make_levels_release(missing="b"), ["a", "a"], ["a", None]),
    make_sound_case("chisquare, a level for others", _make_levels_release(other="other"), ["a", "a"], ["a", "zebra"]),
    make_sound_case("chi2_contingency", _make_table_release(), HERE, THERE),
    make_sound_case("chi2_contingency, one variable", _make_table_release(), HERE, (THERE[0], HERE[1])),
    make_sound_case(
        "chi2_contingency, unbounded", _make_table_release(**UNBOUNDED), HERE, tuple(each[1:] for each in HERE)
    ),
    make_sound_case("f_oneway", _make_sums_release(release_group_means), AT_LOW, AT_HIGH),
    make_sound_case("f_oneway, to the middle", _make_sums_release(release_group_means), AT_LOW, MIDDLE),
    make_sound_case("f_oneway, an infinity", _make_sums_release(release_group_means), AT_LOW, INFINITE),
    make_sound_case("f_oneway, unbounded", _make_sums_release(release_group_means, "unbounded"), AT_LOW, ONE_MORE),
    make_sound_case(
        "f_oneway, the larger group", _make_sums_release(release_group_means), ([0.5], [0.0, 0.5]), ([0.5], [1.0, 0.5])
    ),
)
