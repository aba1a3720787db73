"""Quantiles, histograms, tables and numbers of units, by group and by unit, at their worst neighbors.

The data are a variable and a group or a unit for each record, or both.
"""

from __future__ import annotations

from typing import Any

from pydpstat.auditing._cases.case import Case, Release
from pydpstat.auditing._cases.groups import APPROXIMATE, in_pairs
from pydpstat.privacy import Guarantee
from pydpstat.statistics.histograms import histogram
from pydpstat.statistics.quantiles import median, quantile, quantiles
from pydpstat.statistics.tables import crosstab
from pydpstat.statistics.uniques import nunique

# few points make a choice quick, and each is seen often
POINTS = 9
Options = dict[str, Any]
PLACES: Options = {"bounds": (0, 1), "grid_points": POINTS}
GAUSSIAN: Options = {"mechanism": "gaussian", "delta": 1e-3}
OPEN: Options = {"neighbors": "unbounded"}
EDGES: Options = {"edges": [0, 1, 2]}
# all records of a unit count, and those of two groups
THREE: Options = {"max_records": 3}
TWO: Options = {"max_records": 2, "max_groups": 2}


def _unit(function: Release, *shares: object, **options: object) -> Release:
    return lambda data: function(data[0], *shares, 1.0, unit=data[1], **options)


def _distinct(values: object, epsilon: float, unit: Any, **scope: Any) -> object:
    return nunique(unit, epsilon, **scope)


def _case(name: str, release: Release, data: object, neighbor: object, true: float = 1.0) -> Case:
    return Case("sound", name, release, data, neighbor, true=true)


def _pairs(
    name: str, release: Release, data: object, neighbor: object, claim: Guarantee = Guarantee(1.0)
) -> Case:
    return Case("sound", f"{name}, many pairs", release, data, neighbor, claim, true=1.0)


# the lowest record of one group goes to the other one: all points above lose a rank, and gain one there
RANKS: Any = ([0.0, 0.9, 1.0, 0.9, 1.0], [*"aaabb"])
MOVED: Any = (RANKS[0], [*"baabb"])
FEWER: Any = (RANKS[0][1:], RANKS[1][1:])
# two records at the bottom and one at the top belong to one person
PERSONS: Any = ([0.0, 0.0, 0.0, 0.9, 1.0, 1.0], [1, 1, 1, 2, 3, 4])
WITHOUT: Any = (PERSONS[0][3:], PERSONS[1][3:])
OTHER: Any = ([1.0, 1.0, 1.0, 0.9, 1.0, 1.0], [5, 5, 5, 2, 3, 4])
# a person in every group
EVERYWHERE: Any = ([0.0, 0.0, 0.9, 1.0, 0.9, 1.0], [*"ababab"], [1, 1, 2, 3, 4, 5])
NOWHERE: Any = tuple(each[2:] for each in EVERYWHERE)
ELSEWHERE: Any = ([1.0, 1.0, 0.9, 1.0, 0.9, 1.0], [*"ababab"], [6, 6, 2, 3, 4, 5])
BINS: Any = ([0.5, 1.5, 0.5, 1.5], [*"aabb"])
OTHER_BIN: Any = (BINS[0], [*"babb"])
ONE_BIN_LESS: Any = (BINS[0][1:], [*"abb"])
ANSWERS: Any = (["a"] * 12 + ["b"] * 3, [*range(12), 20, 20, 20])
ONE_LEVEL: Any = (["a"] * 15, ANSWERS[1])
NO_ANSWER: Any = (["a"] * 12, ANSWERS[1][:12])
# the persons alone count: one is in two groups, another one in two others
IDS: Any = ([0.0] * 4, [*"abab"], [1, 2, 3, 3])
OTHER_ID: Any = ([0.0] * 4, [*"abcd"], [1, 2, 4, 4])
FEWER_IDS: Any = tuple(each[:2] for each in IDS)
IN_ONE: Any = ([0.0] * 3, [*"aba"], [1, 2, 3])
IN_THE_OTHER: Any = ([0.0] * 4, [*"abbb"], [1, 2, 4, 4])
FOUR: Options = {"number": 4, "max_groups": 2}
QUARTILES = [0.25, 0.5, 0.75]
FOUND: Options = {"levels": "discover", "delta": 1e-3}

CASES = (
    _pairs("median, by group", in_pairs(median, **PLACES), RANKS, MOVED),
    _pairs("median, by group, unbounded", in_pairs(median, **PLACES, **OPEN), RANKS, FEWER),
    _pairs("quantile, by group", in_pairs(quantile, 1 / 3, **PLACES), RANKS, MOVED),
    _pairs("quantile, by group, the minimum", in_pairs(quantile, 0, **PLACES), RANKS, MOVED),
    _pairs("quantiles, by group", in_pairs(quantiles, QUARTILES, **PLACES), RANKS, MOVED),
    _pairs("quantiles, by group, unbounded", in_pairs(quantiles, QUARTILES, **PLACES, **OPEN), RANKS, FEWER),
    _case("median, by unit", _unit(median, **PLACES, **THREE), PERSONS, OTHER),
    _case("median, by unit, unbounded", _unit(median, **PLACES, **THREE, **OPEN), PERSONS, WITHOUT),
    _case("quantiles, by unit", _unit(quantiles, QUARTILES, **PLACES, **THREE), PERSONS, OTHER),
    _pairs("median, a person in every group", in_pairs(median, **TWO, **PLACES), EVERYWHERE, ELSEWHERE),
    _pairs(
        "median, a person in every group, unbounded",
        in_pairs(median, **TWO, **PLACES, **OPEN),
        EVERYWHERE,
        NOWHERE,
    ),
    _pairs("histogram, by group", in_pairs(histogram, **EDGES), BINS, OTHER_BIN),
    _pairs("histogram, by group, unbounded", in_pairs(histogram, **EDGES, **OPEN), BINS, ONE_BIN_LESS),
    _pairs(
        "histogram, by group, Gaussian",
        in_pairs(histogram, **EDGES, **GAUSSIAN),
        BINS,
        OTHER_BIN,
        APPROXIMATE,
    ),
    _case("histogram, by unit", _unit(histogram, **EDGES, **THREE), PERSONS, OTHER),
    _case("histogram, by unit, Gaussian", _unit(histogram, **EDGES, **THREE, **GAUSSIAN), PERSONS, OTHER),
    _pairs("histogram, a person in every group", in_pairs(histogram, **TWO, **EDGES), EVERYWHERE, ELSEWHERE),
    _case("crosstab, by unit", _unit(crosstab, levels=["a", "b"], **THREE), ANSWERS, ONE_LEVEL),
    _case(
        "crosstab, by unit, unbounded",
        _unit(crosstab, levels=["a", "b"], **THREE, **OPEN),
        ANSWERS,
        NO_ANSWER,
    ),
    _case("crosstab, by unit, levels='discover'", _unit(crosstab, **FOUND, **THREE), ANSWERS, ONE_LEVEL),
    _case(
        "crosstab, by unit, levels='discover', unbounded",
        _unit(crosstab, **FOUND, **THREE, **OPEN),
        ANSWERS,
        NO_ANSWER,
    ),
    _case("nunique", lambda data: nunique(data, 1.0, **OPEN), [1, 1, 2], [1, 1, 2, 3]),
    _pairs("nunique, by group", in_pairs(_distinct, **FOUR), IDS, OTHER_ID),
    _pairs("nunique, by group, unbounded", in_pairs(_distinct, **FOUR, **OPEN), IDS, FEWER_IDS),
    _pairs(
        "nunique, by group, Gaussian",
        in_pairs(_distinct, **FOUR, **GAUSSIAN),
        IDS,
        OTHER_ID,
        APPROXIMATE,
    ),
    _pairs("nunique, by group, one of several", in_pairs(_distinct), IN_ONE, IN_THE_OTHER),
)
