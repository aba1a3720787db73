"""Releases with intervals for the population at neighbors that show their worst case."""

from __future__ import annotations

from pydpstat.auditing._cases.case import Case, Release
from pydpstat.statistics.mean import mean
from pydpstat.statistics.quantiles import median
from pydpstat.statistics.spread import std, var


def _call(function: Release, **options: object) -> Release:
    return lambda data: function(data, 1.0, bounds=(-1, 1), population=True, **options)


def _case(name: str, release: Release, data: object, neighbor: object) -> Case:
    return Case("sound", name, release, data, neighbor, true=1.0)


# a record from one bound to the middle moves both sums, from one bound to the other that of z alone
CASES = (
    _case("mean, population", _call(mean), [-1.0], [1.0]),
    _case("mean, population, unbounded", _call(mean, neighbors="unbounded"), [], [1.0]),
    _case("var, population", _call(var), [-1.0, 0.0], [0.0, 0.0]),
    _case("std, population", _call(std), [-1.0, 0.0], [0.0, 0.0]),
    _case("median, population", _call(median), [-1.0], [1.0]),
)
