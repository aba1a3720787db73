"""Releases by group and by unit at neighbors that show their worst case.

By group each column of a wide matrix is a release of its own with its own share of epsilon, whose draw is
the values of both groups; of what takes one column there are many pairs of groups, each with records of its
own, and a pair is a draw. By unit a person has a record in every group: each group then has its own share of
epsilon, and is a draw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pydpstat._data.columns import Data
from pydpstat.auditing._cases.case import GAUSSIAN, OPEN, UNIT, Case, Options, Release, many, sound
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

TWO: Options = {"levels": ["a", "b"], "other": None}
# a power of two: the shares of epsilon are exact
COLUMNS = 1_024
PAIRS_OF_GROUPS = 512
LETTERS = "abcd"
# unbounded and bounded neighbors
_KINDS: tuple[Options, Options] = (OPEN, {})
_ONE, APPROXIMATE = Guarantee(1.0), Guarantee(1.0, float(GAUSSIAN["delta"]))
NUMBERS: dict[str, Callable[..., DPResults]] = {"mean": mean, "sum": sum, "var": var, "std": std}
TRUTHS: dict[str, Callable[..., DPResults]] = {"count": count, "proportion": proportion}
PAIRS: dict[str, Callable[..., DPResults]] = {"cov": cov, "corr": corr}
# values with their groups: one more record in a group, and one that leaves a group and enters another
Keyed = tuple[list[float], list[str]]
# and with their persons
Personal = tuple[list[float], list[str], list[int]]
LESS: Keyed = [0.0, 0.0, 0.0, 0.0], ["a", "a", "b", "b"]
MORE: Keyed = [*LESS[0], 1.0], [*LESS[1], "a"]
HERE: Keyed = [*LESS[0], 1.0], [*LESS[1], "a"]
THERE: Keyed = [*LESS[0], 1.0], [*LESS[1], "b"]
# what others have in every group, and what the person has
Owned = tuple[list[float], list[float]]
ABSENT: Owned = [0.0, 0.0], []
PRESENT: Owned = [0.0, 0.0], [1.0]
REPLACED: Owned = [0.0, 0.0], [0.0]


def _by_group(function: Callable[..., DPResults], kind: type = float, **options: object) -> Release:
    """Return a release by group of many copies of one column, each with epsilon 1."""

    def release(data: Keyed, size: int) -> np.ndarray:
        wide: np.ndarray = np.repeat(np.array(data[0], dtype=kind)[:, None], COLUMNS, axis=1)
        own = {"by": data[1], **TWO, **options}
        return many(lambda: function(wide, float(COLUMNS), **own).value.T, COLUMNS, size)

    return release


def _two(function: Callable[..., DPResults], **options: object) -> Release:
    """Return a release by group of the same column twice."""
    return lambda data: function(np.transpose([data[0]] * 2), 1.0, by=data[1], **TWO, **options)


def _in_pairs(
    function: Callable[..., DPResults],
    *shares: object,
    kind: type = float,
    twice: bool = False,
    number: int = 2,
    **options: object,
) -> Release:
    """Return a release of many pairs of groups with epsilon 1, each of which has the records of both.

    No record is in two pairs, and no person: what one of them says follows from its records alone, and is a
    draw. `twice` gives the values as both variables, and `number` takes so many groups together. Data with
    persons have the person's number, below 100, for each record.
    """

    def release(data: Keyed | Personal, size: int) -> np.ndarray:
        one: np.ndarray = np.array(data[0], dtype=kind)
        values = np.tile(one, PAIRS_OF_GROUPS)
        place = np.tile([LETTERS.index(name) for name in data[1]], PAIRS_OF_GROUPS)
        pair = np.repeat(np.arange(PAIRS_OF_GROUPS), one.size)
        given = (values, values) if twice else (values,)
        levels = range(number * PAIRS_OF_GROUPS)
        scope: Options = {"by": number * pair + place, "levels": levels, "other": None}
        if len(data) > 2:
            scope["unit"] = 100 * pair + np.tile(np.array(data[2], dtype=int), PAIRS_OF_GROUPS)
        own, rows = {**scope, **options}, (PAIRS_OF_GROUPS, -1)
        return many(lambda: function(*given, *shares, 1.0, **own).value.reshape(rows), rows[0], size)

    return release


def _by_unit(
    function: Callable[..., DPResults], kind: type = float, pair: bool = False, **options: object
) -> Release:
    """Return a release of many groups, in each of which a person has what is said, each with epsilon 1."""

    def release(data: Owned, size: int) -> np.ndarray:
        rest, own = data
        values: np.ndarray = np.tile(np.array([*rest, *own], dtype=kind), COLUMNS)
        groups = np.repeat(np.arange(COLUMNS), len(rest) + len(own))
        # others have one record each
        ids = np.arange(1, values.size + 1)
        ids[np.tile(np.arange(len(rest) + len(own)) >= len(rest), COLUMNS)] = 0
        given = (values, values) if pair else (values,)
        scope: Options = {"by": groups, "levels": range(COLUMNS), "other": None, "unit": ids}
        own_options = {**scope, "max_records": COLUMNS, **options}
        return many(lambda: function(*given, float(COLUMNS), **own_options).value, COLUMNS, size)

    return release


def _cases(name: str, functions: Sequence[Release], many: str, claim: Guarantee = _ONE) -> list[Case]:
    """Return the cases of a release by group, whose functions are those for either kind of neighbors."""
    open_, bounded = functions
    return [
        sound(f"{name} by group, unbounded{many}", open_, LESS, MORE, claim=claim),
        sound(f"{name} by group{many}", bounded, HERE, THERE, claim=claim),
    ]


def _unit_cases(name: str, functions: Sequence[Release]) -> list[Case]:
    open_, bounded = functions
    return [
        sound(f"{name} by unit, unbounded, many groups", open_, ABSENT, PRESENT, claim=_ONE),
        sound(f"{name} by unit, many groups", bounded, REPLACED, PRESENT, claim=_ONE),
    ]


def _sums() -> tuple[Case, ...]:
    found: list[Case] = []
    for name, function in NUMBERS.items():
        alone = {**UNIT, "mechanism": "laplace"}
        found += _cases(name, [_by_group(function, **alone, **kind) for kind in _KINDS], ", many columns")
        found += _cases(f"{name} of two columns", [_two(function, **UNIT, **kind) for kind in _KINDS], "")
        found += _unit_cases(name, [_by_unit(function, **UNIT, **kind) for kind in _KINDS])
    for name, function in TRUTHS.items():
        found += _cases(name, [_by_group(function, bool, **kind) for kind in _KINDS], ", many columns")
        found += _unit_cases(name, [_by_unit(function, bool, **kind) for kind in _KINDS])
    for name, function in PAIRS.items():
        paired = [_in_pairs(function, twice=True, **UNIT, **kind) for kind in _KINDS]
        found += _cases(name, paired, ", many pairs")
        found += _unit_cases(name, [_by_unit(function, pair=True, **UNIT, **kind) for kind in _KINDS])
    gauss = [_in_pairs(mean, **UNIT, **GAUSSIAN, **kind) for kind in _KINDS]
    found += _cases("mean, Gaussian,", gauss, ", many pairs", APPROXIMATE)
    gauss = [_in_pairs(count, kind=bool, **GAUSSIAN, **kind) for kind in _KINDS]
    found += _cases("count, Gaussian,", gauss, ", many pairs", APPROXIMATE)
    return tuple(found)


# of quantiles, histograms, tables and numbers of units the data are a variable and a group or a unit for each
# record, or both; few points make a choice quick, and each is seen often
POINTS = 9
PLACES: Options = {"bounds": (0, 1), "grid_points": POINTS}
EDGES: Options = {"edges": [0, 1, 2]}
# all records of a unit count, and those of two groups
THREE: Options = {"max_records": 3}
EVERY_GROUP: Options = {"max_records": 2, "max_groups": 2}


def _unit(function: Release, *shares: object, **options: object) -> Release:
    return lambda data: function(data[0], *shares, 1.0, unit=data[1], **options)


def _distinct(values: object, epsilon: float, unit: Data, **scope: Any) -> DPResults:
    return nunique(unit, epsilon, **scope)


def _pairs(name: str, release: Release, data: object, neighbor: object, claim: Guarantee = _ONE) -> Case:
    return sound(f"{name}, many pairs", release, data, neighbor, claim=claim)


# the lowest record of one group goes to the other one: all points above lose a rank, and gain one there
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
# the persons alone count: one is in two groups, another one in two others
IDS = ([0.0] * 4, [*"abab"], [1, 2, 3, 3])
OTHER_ID = ([0.0] * 4, [*"abcd"], [1, 2, 4, 4])
FEWER_IDS = tuple(each[:2] for each in IDS)
IN_ONE = ([0.0] * 3, [*"aba"], [1, 2, 3])
IN_THE_OTHER = ([0.0] * 4, [*"abbb"], [1, 2, 4, 4])
FOUR: Options = {"number": 4, "max_groups": 2}
QUARTILES = [0.25, 0.5, 0.75]
FOUND: Options = {"levels": "discover", "delta": 1e-3}

CASES = (
    *_sums(),
    _pairs("median, by group", _in_pairs(median, **PLACES), RANKS, MOVED),
    _pairs("median, by group, unbounded", _in_pairs(median, **PLACES, **OPEN), RANKS, FEWER),
    _pairs("quantile, by group", _in_pairs(quantile, 1 / 3, **PLACES), RANKS, MOVED),
    _pairs("quantile, by group, the minimum", _in_pairs(quantile, 0, **PLACES), RANKS, MOVED),
    _pairs("quantiles, by group", _in_pairs(quantiles, QUARTILES, **PLACES), RANKS, MOVED),
    _pairs("quantiles, by group, unbounded", _in_pairs(quantiles, QUARTILES, **PLACES, **OPEN), RANKS, FEWER),
    sound("median, by unit", _unit(median, **PLACES, **THREE), PERSONS, OTHER_PERSON),
    sound("median, by unit, unbounded", _unit(median, **PLACES, **THREE, **OPEN), PERSONS, WITHOUT),
    sound("quantiles, by unit", _unit(quantiles, QUARTILES, **PLACES, **THREE), PERSONS, OTHER_PERSON),
    _pairs(
        "median, a person in every group", _in_pairs(median, **EVERY_GROUP, **PLACES), EVERYWHERE, ELSEWHERE
    ),
    _pairs(
        "median, a person in every group, unbounded",
        _in_pairs(median, **EVERY_GROUP, **PLACES, **OPEN),
        EVERYWHERE,
        NOWHERE,
    ),
    _pairs("histogram, by group", _in_pairs(histogram, **EDGES), BINS, OTHER_BIN),
    _pairs("histogram, by group, unbounded", _in_pairs(histogram, **EDGES, **OPEN), BINS, ONE_BIN_LESS),
    _pairs(
        "histogram, by group, Gaussian",
        _in_pairs(histogram, **EDGES, **GAUSSIAN),
        BINS,
        OTHER_BIN,
        APPROXIMATE,
    ),
    sound("histogram, by unit", _unit(histogram, **EDGES, **THREE), PERSONS, OTHER_PERSON),
    sound(
        "histogram, by unit, Gaussian", _unit(histogram, **EDGES, **THREE, **GAUSSIAN), PERSONS, OTHER_PERSON
    ),
    _pairs(
        "histogram, a person in every group",
        _in_pairs(histogram, **EVERY_GROUP, **EDGES),
        EVERYWHERE,
        ELSEWHERE,
    ),
    sound("crosstab, by unit", _unit(crosstab, levels=["a", "b"], **THREE), ANSWERS, ONE_LEVEL),
    sound(
        "crosstab, by unit, unbounded",
        _unit(crosstab, levels=["a", "b"], **THREE, **OPEN),
        ANSWERS,
        NO_ANSWER,
    ),
    sound("crosstab, by unit, levels='discover'", _unit(crosstab, **FOUND, **THREE), ANSWERS, ONE_LEVEL),
    sound(
        "crosstab, by unit, levels='discover', unbounded",
        _unit(crosstab, **FOUND, **THREE, **OPEN),
        ANSWERS,
        NO_ANSWER,
    ),
    sound("nunique", lambda data: nunique(data, 1.0, **OPEN), [1, 1, 2], [1, 1, 2, 3]),
    _pairs("nunique, by group", _in_pairs(_distinct, **FOUR), IDS, OTHER_ID),
    _pairs("nunique, by group, unbounded", _in_pairs(_distinct, **FOUR, **OPEN), IDS, FEWER_IDS),
    _pairs(
        "nunique, by group, Gaussian", _in_pairs(_distinct, **FOUR, **GAUSSIAN), IDS, OTHER_ID, APPROXIMATE
    ),
    _pairs("nunique, by group, one of several", _in_pairs(_distinct), IN_ONE, IN_THE_OTHER),
)
