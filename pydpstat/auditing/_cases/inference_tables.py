"""Tests of tables and of the means of groups, at their worst neighbors."""

from __future__ import annotations

from typing import Any

from pydpstat.auditing._cases.case import Case, Release
from pydpstat.inference.chi_square import chi2_contingency, chisquare
from pydpstat.inference.group_means import f_oneway

Options = dict[str, Any]
OPEN: Options = {"neighbors": "unbounded"}
LEVELS: Options = {"levels": ["a", "b"]}
PAIRS: Options = {"levels": [["a", "b"], ["u", "v"]]}
# a record leaves a cell and enters another; the other records are of the same pair of levels
HERE: Any = (["a", "a"], ["u", "u"])
THERE: Any = (["b", "a"], ["v", "u"])
# a group's only record goes from one bound to the other, and from a bound to the middle
LOW: Any = ([0.0], [0.5, 0.5])
HIGH: Any = ([1.0], LOW[1])
MIDDLE: Any = ([0.5], LOW[1])
# a test simulates; what shows in a draw at all shows in so many
MOST = 20_000


def _one(**options: object) -> Release:
    return lambda data: chisquare(data, 1.0, **LEVELS, **options)


def _two(**options: object) -> Release:
    return lambda data: chi2_contingency(*data, 1.0, **PAIRS, **options)


def _groups(data: Any) -> object:
    return f_oneway(*data, epsilon=1.0, bounds=(0, 1))


def _case(name: str, release: Release, data: object, neighbor: object, most: int = MOST) -> Case:
    return Case("sound", name, release, data, neighbor, true=1.0, most=most)


CASES = (
    _case("chisquare", _one(), ["a", "a"], ["b", "a"]),
    _case("chisquare, unbounded", _one(**OPEN), ["a"], ["a", "b"]),
    _case("chi2_contingency", _two(), HERE, THERE),
    _case("chi2_contingency, unbounded", _two(**OPEN), HERE, tuple(each[1:] for each in HERE)),
    _case("f_oneway", _groups, LOW, HIGH),
    _case("f_oneway, to the middle", _groups, LOW, MIDDLE),
)
