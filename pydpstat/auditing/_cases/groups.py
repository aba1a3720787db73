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
PAIRS_OF_GROUPS = 512
LETTERS = "abcd"
BOUNDED: Options = {}
_ONE, APPROXIMATE = Guarantee(1.0), Guarantee(1.0, float(GAUSSIAN["delta"]))
NUMBERS: dict[str, Release] = {"mean": mean, "sum": sum, "var": var, "std": std}
TRUTHS: dict[str, Release] = {"count": count, "proportion": proportion}
PAIRS: dict[str, Release] = {"cov": cov, "corr": corr}
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


def _two(function: Callable[..., Any], **options: object) -> Release:
    """Return a release by group of the same column twice."""
    return lambda data: function(np.transpose([data[0]] * 2), 1.0, by=data[1], **TWO, **options)


def in_pairs(
    function: Callable[..., Any],
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
        scope: dict[str, Any] = {"by": number * pair + place, "levels": levels, "other": None}
        if len(data) > 2:
            scope["unit"] = 100 * pair + np.tile(np.array(data[2], dtype=int), PAIRS_OF_GROUPS)
        draws = [
            function(*given, *shares, 1.0, **scope, **options).value.reshape(PAIRS_OF_GROUPS, -1)
            for _ in range(-(-size // PAIRS_OF_GROUPS))
        ]
        return np.concatenate(draws)[:size]

    return release


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


def _cases(name: str, functions: Sequence[Release], many: str, claim: Guarantee = _ONE) -> list[Case]:
    """Return the cases of a release by group, whose functions are those for either kind of neighbors."""
    open_, bounded = functions
    return [
        Case("sound", f"{name} by group, unbounded{many}", open_, LESS, MORE, claim, true=1.0),
        Case("sound", f"{name} by group{many}", bounded, HERE, THERE, claim, true=1.0),
    ]


def _unit_cases(name: str, functions: Sequence[Release]) -> list[Case]:
    open_, bounded = functions
    return [
        Case("sound", f"{name} by unit, unbounded, many groups", open_, ABSENT, PRESENT, _ONE, true=1.0),
        Case("sound", f"{name} by unit, many groups", bounded, REPLACED, PRESENT, _ONE, true=1.0),
    ]


_KINDS: tuple[Options, Options] = (OPEN, BOUNDED)


def _all() -> tuple[Case, ...]:
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
        paired = [in_pairs(function, twice=True, **UNIT, **kind) for kind in _KINDS]
        found += _cases(name, paired, ", many pairs")
        found += _unit_cases(name, [_by_unit(function, pair=True, **UNIT, **kind) for kind in _KINDS])
    gauss = [in_pairs(mean, **UNIT, **GAUSSIAN, **kind) for kind in _KINDS]
    found += _cases("mean, Gaussian,", gauss, ", many pairs", APPROXIMATE)
    gauss = [in_pairs(count, kind=bool, **GAUSSIAN, **kind) for kind in _KINDS]
    found += _cases("count, Gaussian,", gauss, ", many pairs", APPROXIMATE)
    return tuple(found)


CASES = _all()
