"""Public levels of variables, and the groups of records that they make: read, checked, and looked up."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Placeholder
from pydpstat._data.containers import (
    categorical_of,
    columns_of,
    is_categorical,
    is_frame,
    is_vector,
    name_of,
    names_of,
)
from pydpstat._data.held import in_memory, public_list, variable
from pydpstat._data.lookup import KINDS, has_equal, is_of_kind, kind_of, places
from pydpstat._data.table import Chunk
from pydpstat._data.values import is_missing, missing_values
from pydpstat._release.options import Missing
from pydpstat.errors import PydpstatError

DECLARED = "the declared categories are public"
_PLAIN = (str, bool, int, float)
# a level's name in a table
Level = str | bool | int | float
MOST_GROUPS = 10**7
# a call with more levels than these would be longer than all else in a ledger
_MOST_SHOWN = 100
_CHUNK = 1 << 17


class Variables(NamedTuple):
    """The variables to cross. Private but for their names and, under bounded neighbors, the size."""

    columns: tuple[object, ...]
    names: tuple[str, ...]
    size: int

    def __repr__(self) -> str:
        return "Variables(values withheld)"


class PublicLevels(NamedTuple):
    """A variable's public levels, and whether its type excludes values that are none of them."""

    levels: tuple[object, ...]
    closed: bool


class Axis(NamedTuple):
    """Published levels, and where among them the codes count: each level, what is no level, missing.

    -1 stands for records that are left out.
    """

    names: tuple[Level, ...]
    places: tuple[int, ...]


def variables_of(data: object, argument: str = "data") -> Variables:
    """Read one variable, or several: a frame, a dict or a tuple of arrays."""
    columns: tuple[Any, ...]
    data = in_memory(data, argument)
    if isinstance(data, Placeholder):
        names: tuple[str, ...] = data.columns or ("",)
        return Variables(([],) * len(names), names, data.size)
    if isinstance(data, Chunk):
        columns, names = tuple(data.columns.values()), tuple(data.columns)
    elif is_frame(data):
        columns, names = columns_of(data), names_of(data)
    elif isinstance(data, Mapping):
        columns, names = _each(data.values(), argument), tuple(map(str, data))
    elif isinstance(data, tuple) and data and all(map(is_vector, each := _each(data, argument))):
        columns, names = each, tuple(name_of(column) or "" for column in each)
    else:
        columns, names = (data,), (name_of(data) or "",)
    for column in columns:
        if not is_vector(column):
            raise PydpstatError(
                f"{argument} must be one variable, a DataFrame, or a dict or tuple of variables, each "
                "a list, array, Series or Categorical, with one value for each record; got "
                f"{type(column).__name__}. Give a matrix as a DataFrame, and other data frames or "
                "queries as columns in memory."
            )
    sizes, named = {len(column) for column in columns}, list(filter(None, names))
    if len(sizes) != 1 or len(set(named)) != len(named):
        twice = [name for name in named if named.count(name) > 1]
        told = f"two with the name {checks.excerpt(twice[0])}" if twice else "variables of different lengths"
        raise PydpstatError(
            f"{argument} must have at least one variable, all with the same length and different "
            f"names; got {told if columns else 'none'}."
        )
    return Variables(columns, names, sizes.pop())


def _each(variables: Iterable[object], argument: str) -> tuple[Any, ...]:
    return tuple(variable(each, argument, beside=True) for each in variables)


def levels_of(levels: object, variables: Variables) -> list[PublicLevels]:
    """Check the public levels of each variable; "declared" takes the categories of Categoricals."""
    if levels is None:
        raise PydpstatError(
            "levels must be given: levels from the data would reveal which values occur. Give the "
            "public levels of every variable, or levels='declared' if all are Categoricals whose "
            "categories are public; crosstab also has levels='discover', with a delta."
        )
    if isinstance(levels, str):
        return _declared(levels, variables)
    columns, names = variables.columns, variables.names
    if isinstance(levels, Mapping):
        given = checks.by_name(levels, names, "levels", "variable", "[...]")
        return [_own(each, f"levels[{name!r}]", column) for name, each, column in zip(names, given, columns)]
    lists = levels if isinstance(levels, (list, tuple)) else ()
    nested = len(lists) == 1 and isinstance(lists[0], (list, tuple))
    if len(columns) == 1 and not nested:
        return [_own(levels, "levels", columns[0])]
    if len(lists) != len(columns) or any(isinstance(each, str) for each in lists):
        raise PydpstatError(
            f"levels must be a list of levels for each of the {len(columns)} variables; "
            f"got {checks.shown(levels)}. Give them in the variables' order, or as a dict by name."
        )
    return [_own(each, f"levels[{i}]", column) for i, (each, column) in enumerate(zip(lists, columns))]


def _own(levels: object, name: str, column: object) -> PublicLevels:
    """Check the levels of one variable, and that they are of its type; "declared" takes its categories."""
    if isinstance(levels, str) and levels == "declared" and has_categories(column):
        return _categories(column)
    own, kind = level_tuple(levels, name), kind_of(column)
    other = next((type(level).__name__ for level in own if not is_of_kind(level, kind)), None)
    if kind == "numbers" and getattr(getattr(column, "dtype", None), "kind", "") in "iu" and other is None:
        other = next(("a fraction" for level in own if checks.as_integer(level + 0) is None), None)  # type: ignore[operator]
    if kind is not None and other is not None:
        raise PydpstatError(
            f"{name} must be {KINDS[kind]}, as is the type of the variable; got {other} among them, "
            "which no record can have. Give levels of the variable's type, or convert the variable."
        )
    if has_equal(own, column):
        raise PydpstatError(
            f"{name} must be different values in the variable's type; got two that are equal there. Leave "
            "one out, since a record counts in one level."
        )
    return PublicLevels(own, False)


def levels_coded(column: object, levels: object, name: str) -> np.ndarray:
    """Return each record's place among the levels of one variable: -1 for missing, their number for none.

    All code that assigns records to levels uses it, so that no record has two levels.
    """
    return codes_of(column, _own(levels, name, column))


def has_categories(column: object) -> bool:
    """Tell whether a variable is a Categorical that has its categories before any record is read.

    Texts that an engine holds are none: theirs are those that occur.
    """
    return is_categorical(column) and len(categorical_of(column).categories) > 0


def _declared(levels: str, variables: Variables) -> list[PublicLevels]:
    if levels != "declared":
        raise PydpstatError(
            f"levels must be lists of levels, 'declared' or 'discover'; got {checks.shown_option(levels)}. "
            f"{checks.did_you_mean(levels, ('declared', 'discover'))}"
        )
    if not all(map(has_categories, variables.columns)):
        raise PydpstatError(
            "levels='declared' needs every variable to be a Categorical, whose categories are public; "
            f"got {', '.join(type(each).__name__ for each in variables.columns)}. Give lists of levels."
        )
    return list(map(_categories, variables.columns))


def _categories(column: object) -> PublicLevels:
    return PublicLevels(level_tuple(list(categorical_of(column).categories), "the categories"), True)


def level_tuple(levels: Any, name: str) -> tuple[object, ...]:
    """Check public levels: at least one, none missing, no two equal or with the same string."""
    # an array's tolist would turn times into numbers of nanoseconds
    times = getattr(getattr(levels, "dtype", None), "kind", "") in ("m", "M") and levels.ndim == 1
    values = list(levels) if times else public_list(levels, name)
    if isinstance(values, (list, tuple, range)) and len(values):
        try:
            fits = not any(map(is_missing, values)) and not has_equal(values)
        except TypeError:
            # an unhashable value, which the message below names
            fits = False
        if fits and len({str(plain(each)) for each in values}) < len(values):
            raise PydpstatError(f"{name} must differ as strings; some do not. Rename them.")
        if fits:
            return tuple(values)
    raise PydpstatError(
        f"{name} must be a list of values without repetition, none missing; got {_wrong(values)}"
    )


def _wrong(values: object) -> str:
    """Return what is wrong with levels, and what to do."""
    several = isinstance(values, (list, tuple, range))
    if not several or not values:
        return f"{'none' if several else checks.shown(values)}. Give for example ['no', 'yes']."
    assert isinstance(values, (list, tuple, range))
    if any(map(is_missing, values)):
        return "a missing one. A missing value is not a level: missing= says how it is treated."
    wrong = next((each for each in values if not isinstance(each, Hashable)), None)
    if wrong is not None:
        return f"{checks.shown(wrong)} among them. Give for example ['no', 'yes']."
    return f"{checks.repeated(values)}. Leave one out."


def plain(level: object) -> Level:
    """Return a level as a text, truth value or number."""
    if isinstance(level, np.datetime64):
        return str(np.datetime_as_string(level, unit="auto"))
    if isinstance(level, np.generic):
        level = str(level) if level.dtype.kind == "m" else level.item()
    if type(level) is float:
        return level + 0.0  # 0 has one sign
    return level if isinstance(level, _PLAIN) and type(level) in _PLAIN else str(level)


def codes_of(column: object, public: PublicLevels) -> np.ndarray:
    """Return each record's level: -1 for missing, and the number of levels for what is none of them."""
    if public.closed and is_categorical(column):
        own = categorical_of(column)
        if tuple(own.categories) == public.levels:
            return np.asarray(own.codes)
    return places(column, public.levels)


def check_other(other: object) -> None:
    """Check the name of the level for values that are in none, or None."""
    if other is not None and not isinstance(other, str):
        raise PydpstatError(
            f"other must be the name of a level, or None; got {type(other).__name__}. 'other' is usual."
        )


def axis_of(public: PublicLevels, other: str | None, missing: Missing | None) -> Axis:
    """Return a variable's published levels, and where its codes count.

    What is no level is counted as `other`, and what is missing as `missing`; None leaves both out.
    """
    names = list(map(plain, public.levels))
    known = range(len(names))
    rest = -1 if public.closed or other is None else _place(names, other)
    gone = -1 if missing is None else _place(names, plain(missing))
    return Axis(tuple(names), (*known, rest, gone))


def _place(names: list[Level], name: Level) -> int:
    """Return a level's place, after adding it where it is new."""
    if name not in names:
        names.append(name)
    return names.index(name)


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
