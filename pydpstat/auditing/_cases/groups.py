"""Releases by group and by unit at neighbors that show their worst case.

By group each column of a wide matrix is a release of its own with its own share of epsilon, whose draw is
the values of both groups. By unit a person has a record in every group: each group then has its own share
of epsilon, and is a draw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pydpstat.auditing._cases.case import Case, Release
from pydpstat.auditing._cases.statistics import GAUSSIAN, OPEN, UNIT, Options
from pydpstat.privacy import Guarantee
from pydpstat.statistics.association import corr, cov
from pydpstat.statistics.counts import count, proportion
from pydpstat.statistics.mean import mean, sum
from pydpstat.statistics.spread import std, var

TWO: Options = {"levels": ["a", "b"], "other": None}
# a power of two: the shares of epsilon are exact
COLUMNS = 1_024
# a call for each draw takes a third of a millisecond
SINGLE = 100_000
BOUNDED: Options = {}
NUMBERS: dict[str, Release] = {"mean": mean, "sum": sum, "var": var, "std": std}
TRUTHS: dict[str, Release] = {"count": count, "proportion": proportion}
PAIRS: dict[str, Release] = {"cov": cov, "corr": corr}
# values with their groups: one more record in a group, and one that leaves a group and enters another
Keyed = tuple[list[float], list[str]]
LESS: Keyed = [0.0, 0.0, 0.0, 0.0], ["a", "a", "b", "b"]
MORE: Keyed = [*LESS[0], 1.0], [*LESS[1], "a"]
HERE: Keyed = [*LESS[0], 1.0], [*LESS[1], "a"]
THERE: Keyed = [*LESS[0], 1.0], [*LESS[1], "b"]
# what others have in every group, and what the person has
Owned = tuple[list[float], list[float]]
ABSENT: Owned = [0.0, 0.0], []
PRESENT: Owned = [0.0, 0.0], [1.0]
REPLACED: Owned = [0.0, 0.0], [0.0]


def _by_group(function: Callable[..., Any], kind: type = float, **options: object) -> Release:
    """Return a release by group of many copies of one column, each with epsilon 1."""

    def release(data: Keyed, size: int) -> np.ndarray:
        wide: np.ndarray = np.repeat(np.array(data[0], dtype=kind)[:, None], COLUMNS, axis=1)
        draws = [
            function(wide, float(COLUMNS), by=data[1], **TWO, **options).value.T
            for _ in range(-(-size // COLUMNS))
        ]
        return np.concatenate(draws)[:size]

    return release


def _pair_by_group(function: Release, **options: object) -> Release:
    return lambda data: function(data[0], data[0], 1.0, by=data[1], **UNIT, **TWO, **options)


def _single_by_group(function: Release, kind: type = float, **options: object) -> Release:
    return lambda data: function(np.array(data[0], dtype=kind), 1.0, by=data[1], **TWO, **options)


def _by_unit(
    function: Callable[..., Any], kind: type = float, pair: bool = False, **options: object
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
        scope: dict[str, Any] = {"by": groups, "levels": range(COLUMNS), "other": None, "unit": ids}
        draws = [
            function(*given, float(COLUMNS), **scope, max_records=COLUMNS, **options).value
            for _ in range(-(-size // COLUMNS))
        ]
        return np.concatenate(draws)[:size]

    return release


def _cases(
    name: str, functions: Sequence[Release], most: int = 1_000_000, claimed: bool = True
) -> list[Case]:
    """Return the cases of a release by group, whose functions are those for either kind of neighbors."""
    claim = Guarantee(1.0) if claimed else None
    wide = ", many columns" if claimed else ""
    open_, bounded = functions
    return [
        Case("sound", f"{name} by group, unbounded{wide}", open_, LESS, MORE, claim, true=1.0, most=most),
        Case("sound", f"{name} by group{wide}", bounded, HERE, THERE, claim, true=1.0, most=most),
    ]


def _unit_cases(name: str, functions: Sequence[Release]) -> list[Case]:
    claim, (open_, bounded) = Guarantee(1.0), functions
    return [
        Case("sound", f"{name} by unit, unbounded, many groups", open_, ABSENT, PRESENT, claim, true=1.0),
        Case("sound", f"{name} by unit, many groups", bounded, REPLACED, PRESENT, claim, true=1.0),
    ]


_KINDS: tuple[Options, Options] = (OPEN, BOUNDED)


def _all() -> tuple[Case, ...]:
    found: list[Case] = []
    for name, function in NUMBERS.items():
        found += _cases(name, [_by_group(function, **UNIT, **kind) for kind in _KINDS])
        found += _unit_cases(name, [_by_unit(function, **UNIT, **kind) for kind in _KINDS])
    for name, function in TRUTHS.items():
        found += _cases(name, [_by_group(function, bool, **kind) for kind in _KINDS])
        found += _unit_cases(name, [_by_unit(function, bool, **kind) for kind in _KINDS])
    for name, function in PAIRS.items():
        found += _cases(name, [_pair_by_group(function, **kind) for kind in _KINDS], SINGLE, False)
        found += _unit_cases(name, [_by_unit(function, pair=True, **UNIT, **kind) for kind in _KINDS])
    gauss = [_single_by_group(mean, **UNIT, **GAUSSIAN, **kind) for kind in _KINDS]
    found += _cases("mean, Gaussian,", gauss, SINGLE, False)
    gauss = [_single_by_group(count, bool, **GAUSSIAN, **kind) for kind in _KINDS]
    found += _cases("count, Gaussian,", gauss, SINGLE, False)
    return tuple(found)


CASES = _all()
