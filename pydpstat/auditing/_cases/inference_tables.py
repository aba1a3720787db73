"""Releases for tests of tables and of the means of groups, at their worst neighbors.

The tests themselves are functions of what is released, and simulate: that is left out.
"""

from __future__ import annotations

import math
from typing import Any

from pydpstat._release.statistic import options
from pydpstat.auditing._cases.case import Case, Release
from pydpstat.inference._noisy_tables import noisy_table
from pydpstat.inference._samples import Sample
from pydpstat.inference.group_means import noisy_sums, unsized_sums
from pydpstat.random import source_from
from pydpstat.statistics._kernels.scope import NOTHING

Options = dict[str, Any]
OPEN: Options = {"neighbors": "unbounded"}
FIXED: Options = {"neighbors": "bounded", "missing": "error", "rng": None, "budget": None, "unit": None}
LAPLACE = options(1.0, 0, "laplace", "bounded", "error", others=False)
UNSIZED = options(1.0, 0, "laplace", "unbounded", "error", others=False)
# a record leaves a cell and enters another; the other records are of the same pair of levels
HERE: Any = (["a", "a"], ["u", "u"])
THERE: Any = (["b", "a"], ["v", "u"])
# a group's only record goes from one bound to the other, and from a bound to the middle
LOW: Any = ([0.0], [0.5, 0.5])
HIGH: Any = ([1.0], LOW[1])
MIDDLE: Any = ([0.5], LOW[1])
INFINITE: Any = ([math.inf], LOW[1])
# a group has one more record, at a bound
MORE: Any = ([0.0, 1.0], LOW[1])


def _one(**options: Any) -> Release:
    return lambda data: noisy_table("chisquare", ("data",), data, 1.0, ["a", "b"], **FIXED | options).release


def _two(**options: Any) -> Release:
    levels = [["a", "b"], ["u", "v"]]
    return lambda data: (
        noisy_table("chi2_contingency", ("x", "y"), data, 1.0, levels, **FIXED | options).release
    )


def _groups(data: Any) -> object:
    samples = [Sample(each, NOTHING) for each in data]
    return noisy_sums(samples, (0.0, 1.0), LAPLACE, source_from(None), None)[0]


def _unsized(data: Any) -> object:
    samples = [Sample(each, NOTHING) for each in data]
    return unsized_sums(samples, (0.0, 1.0), UNSIZED, source_from(None), None)[0]


def _case(name: str, release: Release, data: object, neighbor: object) -> Case:
    return Case("sound", name, release, data, neighbor, true=1.0)


CASES = (
    _case("chisquare", _one(), ["a", "a"], ["b", "a"]),
    _case("chisquare, unbounded", _one(**OPEN), ["a"], ["a", "b"]),
    _case("chisquare, no level and none", _one(missing="b"), ["a", "a"], ["a", "zebra"]),
    _case("chisquare, a missing value", _one(missing="b"), ["a", "a"], ["a", None]),
    _case("chisquare, a level for others", _one(other="other"), ["a", "a"], ["a", "zebra"]),
    _case("chi2_contingency", _two(), HERE, THERE),
    _case("chi2_contingency, one variable", _two(), HERE, (THERE[0], HERE[1])),
    _case("chi2_contingency, unbounded", _two(**OPEN), HERE, tuple(each[1:] for each in HERE)),
    _case("f_oneway", _groups, LOW, HIGH),
    _case("f_oneway, to the middle", _groups, LOW, MIDDLE),
    _case("f_oneway, an infinity", _groups, LOW, INFINITE),
    _case("f_oneway, unbounded", _unsized, LOW, MORE),
    _case("f_oneway, the larger group", _groups, ([0.5], [0.0, 0.5]), ([0.5], [1.0, 0.5])),
)
