"""All of pydpstat's statistics at neighbors that attain their worst case.

A release of one column is audited as it is, with everything that its result shows. If a function takes many columns,
each column of a wide matrix is a separate release with its own share of epsilon, so that one call gives thousands of
independent draws.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

import pydpstat
from pydpstat.auditing._cases.case import (
    GAUSSIAN,
    UNBOUNDED,
    UNIT_BOUNDS,
    Case,
    Options,
    Release,
    draw_many,
    make_sound_case,
)
from pydpstat.privacy import Guarantee
from pydpstat.statistics._catalog import COLUMN_STATISTICS, STATISTICS, list_statistics
from pydpstat.statistics.association import cov
from pydpstat.statistics.choice import choose
from pydpstat.statistics.counts import count, proportion
from pydpstat.statistics.histograms import histogram
from pydpstat.statistics.integer_noise import symmetric_geometric, symmetric_geometric_noise
from pydpstat.statistics.mean import mean, sum
from pydpstat.statistics.quantiles import median, quantile, quantiles
from pydpstat.statistics.spread import std, var
from pydpstat.statistics.tables import crosstab

# a power of two, so that the columns' shares of epsilon are exact
COLUMNS = 4_096
# draws for properties that show in every draw if at all: scales, labels, shapes, errors
FORM_DRAWS = 20_000
# with few points a choice is fast, and each point is observed often
POINTS = 33
NAN = math.nan


def _make_release(function: Release, epsilon: float = 1.0, **options: object) -> Release:
    """Return a release of the data by one of the package's functions."""
    return lambda data: function(data, epsilon, **options)


def _make_columns_release(function: Release, **options: object) -> Release:
    """Return a release of many copies of one column, each with epsilon 1 and its own noise."""
    options = {"mechanism": "laplace", **options} if function not in (count, proportion) else options

    def release_data(data: npt.ArrayLike, size: int) -> np.ndarray:
        wide = np.repeat(np.asarray(data)[:, None], COLUMNS, axis=1)
        return draw_many(lambda: np.asarray(function(wide, float(COLUMNS), **options)), COLUMNS, size)

    return release_data


def _make_quantile_release(function: Release, shares: float | list[float], **options: object) -> Release:
    return lambda x: function(x, shares, 1.0, bounds=(0, 1), grid_points=POINTS, **options)


def _make_choice_release(mechanism: str) -> Release:
    return lambda scores: choose(["a", "b", "c"], scores, 1.0, 1, mechanism=mechanism)


def _make_pair_release(function: Release, **options: object) -> Release:
    return lambda xy: function(xy[0], xy[1], 1.0, bounds=((0, 1), (0, 1)), **options)


def _make_column_cases(name: str) -> tuple[Case, Case]:
    """Return cases of a statistic of columns: at the fewest records, one of which changes bounds, and unbounded."""
    function = getattr(pydpstat, name)
    low = np.zeros(max(STATISTICS[name].min_records, 1))
    high = np.append(low[1:], 1.0)
    options = {**UNIT_BOUNDS, **UNBOUNDED}
    return (
        make_sound_case(name, _make_release(function, **UNIT_BOUNDS), low, high),
        make_sound_case(f"{name}, unbounded", _make_release(function, **options), WITHOUT_RECORD, WITH_RECORD),
    )


def _make_pair_cases(name: str) -> tuple[Case, Case]:
    """Return cases of a statistic of two variables, in which one record changes both bounds."""
    function = getattr(pydpstat, name)
    without_record, with_record = (WITHOUT_RECORD,) * 2, (WITH_RECORD,) * 2
    return (
        make_sound_case(name, _make_pair_release(function), (LOW, LOW), (HIGH, HIGH)),
        make_sound_case(f"{name}, unbounded", _make_pair_release(function, **UNBOUNDED), without_record, with_record),
    )


def _make_condition_cases(name: str) -> tuple[Case, Case]:
    """Return cases of a statistic of a condition that one more record meets."""
    function, met = getattr(pydpstat, name), np.array([False, False, True])
    return (
        make_sound_case(name, _make_release(function), NO, YES),
        make_sound_case(f"{name}, unbounded", _make_release(function, **UNBOUNDED), NO, met),
    )


def _make_wide_case(name: str, release: Release, data: object, neighbor: object) -> Case:
    return make_sound_case(f"{name}, many columns", release, data, neighbor, claim=Guarantee(1.0))


ZERO, ONE = np.array([0.0]), np.array([1.0])
LOW, HIGH = np.array([0.0, 0.0]), np.array([0.0, 1.0])
# every column at its other bound
ROWS = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
WITHOUT_RECORD, WITH_RECORD = np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0])
NO, YES = np.array([False, False]), np.array([False, True])
# the lowest of three records moves to the top: almost all points lose a rank, the highest gains one
RANKS, MOVED = np.array([0.0, 0.95, 1.0]), np.array([0.95, 1.0, 1.0])
MIDDLE, SHIFTED = RANKS[:2], MOVED[:2]
TWO_LEVELS: Options = {"levels": ["a", "b"]}
DISCOVERED: Options = {"levels": "discover", "delta": 1e-3}
QUARTILES = [0.25, 0.5, 0.75]
EIGHT = ["a"] * 8
EDGE_OPTIONS: Options = {"edges": [0, 1, 2]}
# true epsilon of a release with epsilon 1 on a sample of half the records
HALF_SAMPLE_EPSILON = math.log1p(0.5 * math.expm1(1.0))
SAMPLED = np.zeros(4), np.array([0.0, 0.0, 0.0, 1.0])

CASES = (
    *(case for name in COLUMN_STATISTICS for case in _make_column_cases(name)),
    *(case for name in list_statistics("pairs") for case in _make_pair_cases(name)),
    *(case for name in list_statistics("conditions") for case in _make_condition_cases(name)),
    make_sound_case("mean, Gaussian", _make_release(mean, **UNIT_BOUNDS, **GAUSSIAN), ZERO, ONE),
    make_sound_case("mean, unbounded, empty", _make_release(mean, **UNIT_BOUNDS, **UNBOUNDED), ZERO[:0], ONE),
    make_sound_case(
        "mean, unbounded, Gaussian",
        _make_release(mean, **UNIT_BOUNDS, **UNBOUNDED, **GAUSSIAN),
        WITHOUT_RECORD,
        WITH_RECORD,
    ),
    _make_wide_case("mean", _make_columns_release(mean, **UNIT_BOUNDS), ZERO, ONE),
    _make_wide_case(
        "mean, unbounded",
        _make_columns_release(mean, **UNIT_BOUNDS, **UNBOUNDED),
        WITHOUT_RECORD,
        WITH_RECORD,
    ),
    _make_wide_case("mean, thirds", _make_columns_release(mean, **UNIT_BOUNDS), [0.1, 0.2, 0.3], [0.1, 0.2, 1.0]),
    make_sound_case("mean, missing=0.5", _make_release(mean, missing=0.5, **UNIT_BOUNDS), [0.25, NAN], [0.25, 1.0]),
    make_sound_case(
        "mean, missing='drop'",
        _make_release(mean, missing="drop", **UNIT_BOUNDS, **UNBOUNDED),
        [0.25],
        [0.25, NAN],
        true=0.0,
    ),
    make_sound_case("mean, an infinity", _make_release(mean, **UNIT_BOUNDS), [0.0], [math.inf]),
    _make_wide_case("sum", _make_columns_release(sum, **UNIT_BOUNDS), ZERO, ONE),
    make_sound_case("sum, Gaussian", _make_release(sum, **UNIT_BOUNDS, **GAUSSIAN), ZERO, ONE),
    _make_wide_case(
        "sum, unbounded", _make_columns_release(sum, **UNIT_BOUNDS, **UNBOUNDED), WITHOUT_RECORD, WITH_RECORD
    ),
    make_sound_case("count, Gaussian", _make_release(count, **GAUSSIAN), NO, YES),
    _make_wide_case("count", _make_columns_release(count), NO, YES),
    _make_wide_case("proportion", _make_columns_release(proportion), NO, YES),
    make_sound_case("var, Gaussian", _make_release(var, **UNIT_BOUNDS, **GAUSSIAN), LOW, HIGH),
    _make_wide_case("var", _make_columns_release(var, **UNIT_BOUNDS), LOW, HIGH),
    _make_wide_case("std", _make_columns_release(std, **UNIT_BOUNDS), LOW, HIGH),
    make_sound_case("quantile", _make_quantile_release(quantile, 1 / 3), RANKS, MOVED),
    make_sound_case("quantile, unbounded", _make_quantile_release(quantile, 1 / 3, **UNBOUNDED), RANKS, RANKS[1:]),
    make_sound_case("quantiles", _make_quantile_release(quantiles, QUARTILES), MIDDLE, SHIFTED),
    make_sound_case(
        "quantiles, unbounded", _make_quantile_release(quantiles, QUARTILES, **UNBOUNDED), RANKS, RANKS[1:]
    ),
    make_sound_case("median", _make_release(median, grid_points=POINTS, **UNIT_BOUNDS), MIDDLE, SHIFTED),
    make_sound_case(
        "median, empty", _make_release(median, grid_points=POINTS, **UNIT_BOUNDS, **UNBOUNDED), ZERO[:0], ONE
    ),
    make_sound_case("histogram", _make_release(histogram, **EDGE_OPTIONS), [0.5, 0.5], [0.5, 1.5]),
    make_sound_case("histogram, outside", _make_release(histogram, **EDGE_OPTIONS), [0.5, -math.inf], [0.5, 1e9]),
    make_sound_case("histogram, unbounded", _make_release(histogram, **EDGE_OPTIONS, **UNBOUNDED), [0.5], [0.5, 1.5]),
    make_sound_case(
        "histogram, Gaussian", _make_release(histogram, **EDGE_OPTIONS, **GAUSSIAN), [0.5, 0.5], [0.5, 1.5]
    ),
    make_sound_case("crosstab", _make_release(crosstab, **TWO_LEVELS), ["a", "a"], ["a", "b"]),
    make_sound_case("crosstab, unbounded", _make_release(crosstab, **TWO_LEVELS, **UNBOUNDED), ["a"], ["a", "b"]),
    make_sound_case("crosstab, another level", _make_release(crosstab, **TWO_LEVELS), ["a", "b"], ["a", "zebra"]),
    make_sound_case("crosstab, Gaussian", _make_release(crosstab, **TWO_LEVELS, **GAUSSIAN), ["a", "a"], ["a", "b"]),
    make_sound_case("crosstab, levels='discover'", _make_release(crosstab, **DISCOVERED), ["a", "a"], ["a", "b"]),
    make_sound_case(
        "crosstab, levels='discover', unbounded",
        _make_release(crosstab, **DISCOVERED, **UNBOUNDED),
        EIGHT,
        [*EIGHT, "b"],
    ),
    make_sound_case("mean, three columns", _make_release(mean, **UNIT_BOUNDS), ROWS[:1], ROWS[1:]),
    make_sound_case(
        "mean, three columns, unbounded",
        _make_release(mean, **UNIT_BOUNDS, **UNBOUNDED),
        ROWS[[0, 0]],
        ROWS[[0, 0, 1]],
    ),
    make_sound_case("sum, three columns", _make_release(sum, **UNIT_BOUNDS), ROWS[:1], ROWS[1:]),
    make_sound_case("var, three columns", _make_release(var, **UNIT_BOUNDS), ROWS[[0, 0]], ROWS),
    make_sound_case(
        "var, three columns, unbounded",
        _make_release(var, **UNIT_BOUNDS, **UNBOUNDED),
        ROWS[[0, 0]],
        ROWS[[0, 0, 1]],
    ),
    make_sound_case("cov, three columns", _make_release(cov, **UNIT_BOUNDS), ROWS[[0, 0]], ROWS),
    make_sound_case(
        "cov, three columns, unbounded",
        _make_release(cov, **UNIT_BOUNDS, **UNBOUNDED),
        ROWS[[0, 0]],
        ROWS[[0, 0, 1]],
    ),
    make_sound_case("mean, sampled", _make_release(mean, sample=2, **UNIT_BOUNDS), *SAMPLED, true=HALF_SAMPLE_EPSILON),
    make_sound_case(
        "mean, unbounded, sampled",
        _make_release(mean, sample=0.5, **UNIT_BOUNDS, **UNBOUNDED),
        WITHOUT_RECORD,
        WITH_RECORD,
        true=HALF_SAMPLE_EPSILON,
    ),
    make_sound_case(
        "count, sampled",
        _make_release(count, sample=0.5, **UNBOUNDED),
        NO,
        np.array([False, False, True]),
        true=HALF_SAMPLE_EPSILON,
    ),
    make_sound_case("choose", _make_choice_release("exponential"), [3, 2, 2], [2, 3, 3]),
    make_sound_case("choose, noisy max", _make_choice_release("noisy max"), [3, 2, 2], [2, 3, 3]),
    make_sound_case("symmetric_geometric", _make_release(symmetric_geometric), 5, 6),
    _make_wide_case(
        "symmetric_geometric_noise", lambda count, size: count + symmetric_geometric_noise(size, 1.0), 5, 6
    ),
    Case(
        "exception",
        "mean, missing='error'",
        _make_release(mean, **UNIT_BOUNDS),
        [0.5, NAN],
        [0.5, 0.5],
        true=math.inf,
        max_draws=FORM_DRAWS,
    ),
)
