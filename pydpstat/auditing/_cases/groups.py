"""Releases by group and by unit at neighbors that attain their worst case.

By group, each column of a wide matrix is a separate release with its own share of epsilon, and the values of both
groups are a draw; for functions of one column there are many pairs of groups with separate records, and a pair is a
draw. By unit, a person has a record in every group: each group then has its own share of epsilon, and is a draw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pydpstat._data.columns import Data
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
from pydpstat.results import DPResults
from pydpstat.statistics.association import corr, cov
from pydpstat.statistics.counts import count, proportion
from pydpstat.statistics.histograms import histogram
from pydpstat.statistics.mean import mean, sum
from pydpstat.statistics.quantiles import median, quantile, quantiles
from pydpstat.statistics.spread import std, var
from pydpstat.statistics.tables import crosstab
from pydpstat.statistics.uniques import nunique

TWO_LEVELS: Options = {"levels": ["a", "b"], "other": None}
# a power of two, so that the shares of epsilon are exact
COLUMNS = 1_024
PAIRS_OF_GROUPS = 512
LETTERS = "abcd"
# unbounded and bounded neighbors
_KINDS: tuple[Options, Options] = (UNBOUNDED, {})
_ONE, APPROXIMATE = Guarantee(1.0), Guarantee(1.0, float(GAUSSIAN["delta"]))
NUMBERS: dict[str, Callable[..., DPResults]] = {"mean": mean, "sum": sum, "var": var, "std": std}
TRUTHS: dict[str, Callable[..., DPResults]] = {"count": count, "proportion": proportion}
PAIRS: dict[str, Callable[..., DPResults]] = {"cov": cov, "corr": corr}
# values with their groups; for neighbors with a further record in a group, or a record that changes groups
Keyed = tuple[list[float], list[str]]
# and with their persons
Personal = tuple[list[float], list[str], list[int]]
WITHOUT_RECORD: Keyed = [0.0, 0.0, 0.0, 0.0], ["a", "a", "b", "b"]
WITH_RECORD: Keyed = [*WITHOUT_RECORD[0], 1.0], [*WITHOUT_RECORD[1], "a"]
RECORD_IN_A: Keyed = [*WITHOUT_RECORD[0], 1.0], [*WITHOUT_RECORD[1], "a"]
RECORD_IN_B: Keyed = [*WITHOUT_RECORD[0], 1.0], [*WITHOUT_RECORD[1], "b"]
# values of others in every group, and those of the person
Owned = tuple[list[float], list[float]]
ABSENT: Owned = [0.0, 0.0], []
PRESENT: Owned = [0.0, 0.0], [1.0]
REPLACED: Owned = [0.0, 0.0], [0.0]


def _make_group_release(function: Callable[..., DPResults], kind: type = float, **options: object) -> Release:
    """Return a release by group of many copies of one column, each with epsilon 1."""

    def release_data(data: Keyed, size: int) -> np.ndarray:
        wide: np.ndarray = np.repeat(np.array(data[0], dtype=kind)[:, None], COLUMNS, axis=1)
        arguments = {"by": data[1], **TWO_LEVELS, **options}
        return draw_many(lambda: function(wide, float(COLUMNS), **arguments).value.T, COLUMNS, size)

    return release_data


def _make_two_column_release(function: Callable[..., DPResults], **options: object) -> Release:
    """Return a release by group of the same column twice."""
    return lambda data: function(np.transpose([data[0]] * 2), 1.0, by=data[1], **TWO_LEVELS, **options)


def _make_pairs_release(
    function: Callable[..., DPResults],
    *shares: object,
    kind: type = float,
    twice: bool = False,
    number: int = 2,
    **options: object,
) -> Release:
    """Return a release of many pairs of groups with epsilon 1, each with the records of both groups.

    No record and no person is in two pairs: the output for a pair depends on its records alone, and is a draw. With
    `twice` the values are both variables, and `number` is the number of groups taken together. Data with persons have
    the person's number, below 100, for each record.
    """

    def release_data(data: Keyed | Personal, size: int) -> np.ndarray:
        sample: np.ndarray = np.array(data[0], dtype=kind)
        values = np.tile(sample, PAIRS_OF_GROUPS)
        codes = np.tile([LETTERS.index(name) for name in data[1]], PAIRS_OF_GROUPS)
        pair = np.repeat(np.arange(PAIRS_OF_GROUPS), sample.size)
        variables = (values, values) if twice else (values,)
        levels = range(number * PAIRS_OF_GROUPS)
        scope: Options = {"by": number * pair + codes, "levels": levels, "other": None}
        if len(data) > 2:
            scope["unit"] = 100 * pair + np.tile(np.array(data[2], dtype=int), PAIRS_OF_GROUPS)
        arguments, rows = {**scope, **options}, (PAIRS_OF_GROUPS, -1)
        return draw_many(lambda: function(*variables, *shares, 1.0, **arguments).value.reshape(rows), rows[0], size)

    return release_data


def _make_unit_groups_release(
    function: Callable[..., DPResults], kind: type = float, has_two_variables: bool = False, **options: object
) -> Release:
    """Return a release of many groups, in each of which a person has the given values, each with epsilon 1."""

    def release_data(data: Owned, size: int) -> np.ndarray:
        other_values, unit_values = data
        values: np.ndarray = np.tile(np.array([*other_values, *unit_values], dtype=kind), COLUMNS)
        groups = np.repeat(np.arange(COLUMNS), len(other_values) + len(unit_values))
        # others have one record each
        ids = np.arange(1, values.size + 1)
        ids[np.tile(np.arange(len(other_values) + len(unit_values)) >= len(other_values), COLUMNS)] = 0
        variables = (values, values) if has_two_variables else (values,)
        scope: Options = {"by": groups, "levels": range(COLUMNS), "other": None, "unit": ids}
        own_options = {**scope, "max_records": COLUMNS, **options}
        return draw_many(lambda: function(*variables, float(COLUMNS), **own_options).value, COLUMNS, size)

    return release_data


def _make_group_cases(name: str, functions: Sequence[Release], suffix: str, claim: Guarantee = _ONE) -> list[Case]:
    """Return the cases of a release by group, with one function for each kind of neighbors."""
    open_, bounded = functions
    return [
        make_sound_case(f"{name} by group, unbounded{suffix}", open_, WITHOUT_RECORD, WITH_RECORD, claim=claim),
        make_sound_case(f"{name} by group{suffix}", bounded, RECORD_IN_A, RECORD_IN_B, claim=claim),
    ]


def _make_unit_cases(name: str, functions: Sequence[Release]) -> list[Case]:
    open_, bounded = functions
    return [
        make_sound_case(f"{name} by unit, unbounded, many groups", open_, ABSENT, PRESENT, claim=_ONE),
        make_sound_case(f"{name} by unit, many groups", bounded, REPLACED, PRESENT, claim=_ONE),
    ]


def _make_sum_cases() -> tuple[Case, ...]:
    cases: list[Case] = []
    for name, function in NUMBERS.items():
        alone = {**UNIT_BOUNDS, "mechanism": "laplace"}
        cases += _make_group_cases(
            name, [_make_group_release(function, **alone, **kind) for kind in _KINDS], ", many columns"
        )
        cases += _make_group_cases(
            f"{name} of two columns",
            [_make_two_column_release(function, **UNIT_BOUNDS, **kind) for kind in _KINDS],
            "",
        )
        cases += _make_unit_cases(name, [_make_unit_groups_release(function, **UNIT_BOUNDS, **kind) for kind in _KINDS])
    for name, function in TRUTHS.items():
        cases += _make_group_cases(
            name, [_make_group_release(function, bool, **kind) for kind in _KINDS], ", many columns"
        )
        cases += _make_unit_cases(name, [_make_unit_groups_release(function, bool, **kind) for kind in _KINDS])
    for name, function in PAIRS.items():
        paired = [_make_pairs_release(function, twice=True, **UNIT_BOUNDS, **kind) for kind in _KINDS]
        cases += _make_group_cases(name, paired, ", many pairs")
        cases += _make_unit_cases(
            name,
            [_make_unit_groups_release(function, has_two_variables=True, **UNIT_BOUNDS, **kind) for kind in _KINDS],
        )
    gauss = [_make_pairs_release(mean, **UNIT_BOUNDS, **GAUSSIAN, **kind) for kind in _KINDS]
    cases += _make_group_cases("mean, Gaussian,", gauss, ", many pairs", APPROXIMATE)
    gauss = [_make_pairs_release(count, kind=bool, **GAUSSIAN, **kind) for kind in _KINDS]
    cases += _make_group_cases("count, Gaussian,", gauss, ", many pairs", APPROXIMATE)
    return tuple(cases)


# for quantiles, histograms, tables and counts of units, the data are a variable and a group or unit per record, or both
POINTS = 9
QUANTILE_OPTIONS: Options = {"bounds": (0, 1), "grid_points": POINTS}
EDGE_OPTIONS: Options = {"edges": [0, 1, 2]}
# bounds on the contribution of a unit that keep all of its records, or those in two groups
THREE_RECORDS: Options = {"max_records": 3}
EVERY_GROUP: Options = {"max_records": 2, "max_groups": 2}


def _make_unit_release(function: Release, *shares: object, **options: object) -> Release:
    return lambda data: function(data[0], *shares, 1.0, unit=data[1], **options)


def _count_distinct(values: object, epsilon: float, unit: Data, **scope: Any) -> DPResults:
    return nunique(unit, epsilon, **scope)


def _make_pairs_case(name: str, release: Release, data: object, neighbor: object, claim: Guarantee = _ONE) -> Case:
    return make_sound_case(f"{name}, many pairs", release, data, neighbor, claim=claim)


# the lowest record of one group moves to the other: all points above lose a rank, and gain one there
RANKS = ([0.0, 0.9, 1.0, 0.9, 1.0], [*"aaabb"])
MOVED = (RANKS[0], [*"baabb"])
FEWER = (RANKS[0][1:], RANKS[1][1:])
# two records at the bottom and one at the top belong to one person
PERSONS = ([0.0, 0.0, 0.0, 0.9, 1.0, 1.0], [1, 1, 1, 2, 3, 4])
WITHOUT = (PERSONS[0][3:], PERSONS[1][3:])
OTHER_PERSON = ([1.0, 1.0, 1.0, 0.9, 1.0, 1.0], [5, 5, 5, 2, 3, 4])
# a person in every group
EVERYWHERE = ([0.0, 0.0, 0.9, 1.0, 0.9, 1.0], [*"ababab"], [1, 1, 2, 3, 4, 5])
NOWHERE = tuple(each[2:] for each in EVERYWHERE)
ELSEWHERE = ([1.0, 1.0, 0.9, 1.0, 0.9, 1.0], [*"ababab"], [6, 6, 2, 3, 4, 5])
BINS = ([0.5, 1.5, 0.5, 1.5], [*"aabb"])
OTHER_BIN = (BINS[0], [*"babb"])
ONE_BIN_LESS = (BINS[0][1:], [*"abb"])
ANSWERS = (["a"] * 12 + ["b"] * 3, [*range(12), 20, 20, 20])
ONE_LEVEL = (["a"] * 15, ANSWERS[1])
NO_ANSWER = (["a"] * 12, ANSWERS[1][:12])
# only persons are counted: one is in two groups, another one in two others
IDS = ([0.0] * 4, [*"abab"], [1, 2, 3, 3])
OTHER_ID = ([0.0] * 4, [*"abcd"], [1, 2, 4, 4])
FEWER_IDS = tuple(each[:2] for each in IDS)
IN_ONE = ([0.0] * 3, [*"aba"], [1, 2, 3])
IN_THE_OTHER = ([0.0] * 4, [*"abbb"], [1, 2, 4, 4])
FOUR_LEVELS: Options = {"number": 4, "max_groups": 2}
QUARTILES = [0.25, 0.5, 0.75]
DISCOVERED_LEVELS: Options = {"levels": "discover", "delta": 1e-3}

CASES = (
    *_make_sum_cases(),
    _make_pairs_case("median, by group", _make_pairs_release(median, **QUANTILE_OPTIONS), RANKS, MOVED),
    _make_pairs_case(
        "median, by group, unbounded",
        _make_pairs_release(median, **QUANTILE_OPTIONS, **UNBOUNDED),
        RANKS,
        FEWER,
    ),
    _make_pairs_case("quantile, by group", _make_pairs_release(quantile, 1 / 3, **QUANTILE_OPTIONS), RANKS, MOVED),
    _make_pairs_case(
        "quantile, by group, the minimum", _make_pairs_release(quantile, 0, **QUANTILE_OPTIONS), RANKS, MOVED
    ),
    _make_pairs_case(
        "quantiles, by group", _make_pairs_release(quantiles, QUARTILES, **QUANTILE_OPTIONS), RANKS, MOVED
    ),
    _make_pairs_case(
        "quantiles, by group, unbounded",
        _make_pairs_release(quantiles, QUARTILES, **QUANTILE_OPTIONS, **UNBOUNDED),
        RANKS,
        FEWER,
    ),
    make_sound_case(
        "median, by unit",
        _make_unit_release(median, **QUANTILE_OPTIONS, **THREE_RECORDS),
        PERSONS,
        OTHER_PERSON,
    ),
    make_sound_case(
        "median, by unit, unbounded",
        _make_unit_release(median, **QUANTILE_OPTIONS, **THREE_RECORDS, **UNBOUNDED),
        PERSONS,
        WITHOUT,
    ),
    make_sound_case(
        "quantiles, by unit",
        _make_unit_release(quantiles, QUARTILES, **QUANTILE_OPTIONS, **THREE_RECORDS),
        PERSONS,
        OTHER_PERSON,
    ),
    _make_pairs_case(
        "median, a person in every group",
        _make_pairs_release(median, **EVERY_GROUP, **QUANTILE_OPTIONS),
        EVERYWHERE,
        ELSEWHERE,
    ),
    _make_pairs_case(
        "median, a person in every group, unbounded",
        _make_pairs_release(median, **EVERY_GROUP, **QUANTILE_OPTIONS, **UNBOUNDED),
        EVERYWHERE,
        NOWHERE,
    ),
    _make_pairs_case("histogram, by group", _make_pairs_release(histogram, **EDGE_OPTIONS), BINS, OTHER_BIN),
    _make_pairs_case(
        "histogram, by group, unbounded",
        _make_pairs_release(histogram, **EDGE_OPTIONS, **UNBOUNDED),
        BINS,
        ONE_BIN_LESS,
    ),
    _make_pairs_case(
        "histogram, by group, Gaussian",
        _make_pairs_release(histogram, **EDGE_OPTIONS, **GAUSSIAN),
        BINS,
        OTHER_BIN,
        APPROXIMATE,
    ),
    make_sound_case(
        "histogram, by unit",
        _make_unit_release(histogram, **EDGE_OPTIONS, **THREE_RECORDS),
        PERSONS,
        OTHER_PERSON,
    ),
    make_sound_case(
        "histogram, by unit, Gaussian",
        _make_unit_release(histogram, **EDGE_OPTIONS, **THREE_RECORDS, **GAUSSIAN),
        PERSONS,
        OTHER_PERSON,
    ),
    _make_pairs_case(
        "histogram, a person in every group",
        _make_pairs_release(histogram, **EVERY_GROUP, **EDGE_OPTIONS),
        EVERYWHERE,
        ELSEWHERE,
    ),
    make_sound_case(
        "crosstab, by unit",
        _make_unit_release(crosstab, levels=["a", "b"], **THREE_RECORDS),
        ANSWERS,
        ONE_LEVEL,
    ),
    make_sound_case(
        "crosstab, by unit, unbounded",
        _make_unit_release(crosstab, levels=["a", "b"], **THREE_RECORDS, **UNBOUNDED),
        ANSWERS,
        NO_ANSWER,
    ),
    make_sound_case(
        "crosstab, by unit, levels='discover'",
        _make_unit_release(crosstab, **DISCOVERED_LEVELS, **THREE_RECORDS),
        ANSWERS,
        ONE_LEVEL,
    ),
    make_sound_case(
        "crosstab, by unit, levels='discover', unbounded",
        _make_unit_release(crosstab, **DISCOVERED_LEVELS, **THREE_RECORDS, **UNBOUNDED),
        ANSWERS,
        NO_ANSWER,
    ),
    make_sound_case("nunique", lambda data: nunique(data, 1.0, **UNBOUNDED), [1, 1, 2], [1, 1, 2, 3]),
    _make_pairs_case("nunique, by group", _make_pairs_release(_count_distinct, **FOUR_LEVELS), IDS, OTHER_ID),
    _make_pairs_case(
        "nunique, by group, unbounded",
        _make_pairs_release(_count_distinct, **FOUR_LEVELS, **UNBOUNDED),
        IDS,
        FEWER_IDS,
    ),
    _make_pairs_case(
        "nunique, by group, Gaussian",
        _make_pairs_release(_count_distinct, **FOUR_LEVELS, **GAUSSIAN),
        IDS,
        OTHER_ID,
        APPROXIMATE,
    ),
    _make_pairs_case("nunique, by group, one of several", _make_pairs_release(_count_distinct), IN_ONE, IN_THE_OTHER),
)
