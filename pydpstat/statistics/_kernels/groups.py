"""Groups of records with public levels: which there are, and which of them each record is in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.containers import categorical_of, is_categorical
from pydpstat._data.values import missing_values
from pydpstat._release.statistic import Missing
from pydpstat.errors import PydpstatError
from pydpstat.statistics._kernels.levels import (
    DECLARED,
    Axis,
    PublicLevels,
    Variables,
    axis_of,
    check_other,
    codes_of,
    levels_of,
    plain,
)

MOST_GROUPS = 10**7
# a call with more levels than these would be longer than all else in a ledger
_MOST_SHOWN = 100
_CHUNK = 1 << 17


class Groups(NamedTuple):
    """Public groups: every combination of the keys' levels, the last key's fastest."""

    names: tuple[str, ...]
    public: tuple[PublicLevels, ...]
    axes: tuple[Axis, ...]

    @property
    def number(self) -> int:
        """How many groups there are."""
        return math.prod(len(axis.names) for axis in self.axes)

    @property
    def rows(self) -> tuple[tuple[object, ...], ...]:
        """The levels of each group."""
        return tuple(product(*(axis.names for axis in self.axes)))

    @property
    def shown(self) -> object:
        """What the call says of the levels."""
        levels = [[plain(level) for level in each.levels] for each in self.public]
        if sum(map(len, levels)) > _MOST_SHOWN:
            return f"{' x '.join(str(len(each)) for each in levels)} levels"
        return levels[0] if len(levels) == 1 else levels

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the guarantee rests on."""
        return (DECLARED,) if any(each.closed for each in self.public) else ()

    def places(self, keys: Sequence[object], missing: Missing) -> np.ndarray:
        """Return each record's group, -1 for a record that is left out. It depends on this record alone."""
        found = None
        for key, public, axis in zip(keys, self.public, self.axes):
            codes, table = _coded(key, public, axis)
            if missing == "error" and codes.size and int(codes.min()) < 0:
                raise missing_values()
            found = _combined(found, codes, table, len(axis.names))
        return np.zeros(0, dtype=np.int32) if found is None else found


def _coded(column: object, public: PublicLevels, axis: Axis) -> tuple[np.ndarray, np.ndarray]:
    """Return each record's code, -1 for missing, and the place that each code has; the last is that of -1."""
    table = np.array(axis.places, dtype=np.int32)
    if not is_categorical(column):
        return codes_of(column, public), table
    own = categorical_of(column)
    if not (public.closed and tuple(own.categories) == public.levels):
        # the categories are looked up, and not each record's
        table = np.append(table[codes_of(own.categories, public)], table[-1])
    return np.asarray(own.codes), table


def _combined(before: np.ndarray | None, codes: np.ndarray, table: np.ndarray, number: int) -> np.ndarray:
    """Return the places among the combinations of the earlier keys and this one, of so many levels."""
    found = np.empty(codes.size, dtype=np.int32)
    for start in range(0, codes.size, _CHUNK):
        piece = found[start : start + _CHUNK]
        # the code -1 is the last one's
        table.take(codes[start : start + _CHUNK], out=piece, mode="wrap")
        if before is not None:
            earlier = before[start : start + _CHUNK]
            out = None
            if int(piece.min()) < 0 or int(earlier.min()) < 0:
                out = (piece < 0) | (earlier < 0)
            piece += earlier * np.int32(number)
            if out is not None:
                piece[out] = -1
    return found


def groups_of(keys: Variables, levels: object, other: str | None, missing: Missing) -> Groups:
    """Check the levels of the keys; "declared" takes the categories of Categoricals."""
    check_other(other)
    if levels is None:
        each = ", ".join(f"{name!r}: [...]" for name in keys.names if name)
        given = f"levels={{{each}}}" if each else "levels=['f', 'm']"
        raise PydpstatError(
            "levels must be given with by: groups from the data would reveal which values occur. "
            f"Give the public levels of every key, {given[:60]}, or levels='declared' if all keys are "
            "Categoricals whose categories are public."
        )
    if isinstance(levels, str) and levels == "discover":
        raise PydpstatError(
            "levels must be public with by; got 'discover'. Find them with a separate release, "
            "crosstab(key, epsilon, levels='discover', delta=...), and give its index as the levels."
        )
    if isinstance(levels, str) and levels != "declared":
        raise PydpstatError(
            f"levels must be lists of public levels, or 'declared'; got {checks.shown_option(levels)}. "
            "Give for example ['f', 'm']."
        )
    public = levels_of(levels, keys)
    # a number that replaces missing values is no level
    rest = None if missing == "drop" else other
    axes = tuple(_axis(each, other, rest) for each in public)
    groups = Groups(keys.names, tuple(public), axes)
    if groups.number > MOST_GROUPS:
        raise PydpstatError(
            f"levels must make at most {MOST_GROUPS} groups; they make {groups.number}. Cross fewer keys."
        )
    return groups


def _axis(public: PublicLevels, other: str | None, rest: str | None) -> Axis:
    """Return a key's axis: what is missing counts as what is no level does, if anything may be."""
    axis = axis_of(public, other, None)
    if public.closed or rest is None:
        return axis
    return Axis(axis.names, (*axis.places[:-1], axis.places[-2]))
