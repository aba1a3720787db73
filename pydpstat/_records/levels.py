"""Public levels of variables and groups of records: reading, checks and encoding."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.alignment import check_equal_indexes
from pydpstat._data.columns import Placeholder
from pydpstat._data.containers import (
    get_categorical,
    get_column_names,
    get_columns,
    get_series_name,
    is_categorical,
    is_frame,
    is_vector,
)
from pydpstat._data.labels import KIND_DESCRIPTIONS, encode_labels, get_value_kind, has_equal_labels, is_label_of_kind
from pydpstat._data.native import read_variable, to_pandas_or_numpy, to_public_list
from pydpstat._data.table import Chunk
from pydpstat._data.values import is_missing, make_missing_error, suggest_columns
from pydpstat._frozen import hide_values
from pydpstat._release.options import Missing
from pydpstat.errors import PydpstatError

DECLARED_CATEGORIES_CONDITION = "the declared categories are public"
_PLAIN_CLASSES = (str, bool, int, float)
# name of a level in a table
Level = str | bool | int | float
MAX_GROUPS = 10**7
# a call with more levels would make the ledger unreadable
_MAX_LEVELS_IN_CALL = 100
_CODES_PER_CHUNK = 1 << 17
_MATRIX_HINT = "Give a matrix as a DataFrame, and other data frames or queries as columns in memory."


class CrossedVariables(NamedTuple):
    """Variables to cross. Private, except for their names and, under bounded neighbors, the size."""

    columns: tuple[object, ...]
    names: tuple[str, ...]
    size: int

    def __repr__(self) -> str:
        return hide_values(self)


class PublicLevels(NamedTuple):
    """Public levels of a variable, and whether its type excludes other values."""

    levels: tuple[object, ...]
    is_closed: bool


class LevelAxis(NamedTuple):
    """Published levels, and positions among them of each level's code, of values in no level, and of missing values.

    The position -1 is that of records that are left out.
    """

    names: tuple[Level, ...]
    positions: tuple[int, ...]


def read_crossed_variables(data: object, argument: str = "data") -> CrossedVariables:
    """Read one variable, or several: a frame, a dict or a tuple of arrays."""
    columns: tuple[Any, ...]
    data = to_pandas_or_numpy(data, argument)
    check_equal_indexes((argument, data))
    if isinstance(data, Placeholder):
        names: tuple[str, ...] = data.columns or ("",)
        return CrossedVariables(([],) * len(names), names, data.size)
    if isinstance(data, Chunk):
        columns, names = tuple(data.columns.values()), tuple(data.columns)
    elif is_frame(data):
        columns, names = get_columns(data), get_column_names(data)
    elif isinstance(data, Mapping):
        columns, names = _read_variables(data.values(), argument), tuple(map(str, data))
    elif isinstance(data, tuple) and data and all(map(is_vector, variables := _read_variables(data, argument))):
        columns, names = variables, tuple(get_series_name(column) or "" for column in variables)
    else:
        columns, names = (data,), (get_series_name(data) or "",)
    for column in columns:
        if not is_vector(column):
            raise PydpstatError(
                f"{argument} must be one variable, a DataFrame, or a dict or tuple of variables, each "
                "a list, array, Series or Categorical, with one value for each record; got "
                f"{type(column).__name__}. {suggest_columns(column, _MATRIX_HINT)}"
            )
    sizes, nonempty_names = {len(column) for column in columns}, list(filter(None, names))
    if len(sizes) != 1 or len(set(nonempty_names)) != len(nonempty_names):
        twice = [name for name in nonempty_names if nonempty_names.count(name) > 1]
        description = (
            f"two with the name {checks.format_public_value(twice[0])}" if twice else "variables of different lengths"
        )
        raise PydpstatError(
            f"{argument} must have at least one variable, all with the same length and different "
            f"names; got {description if columns else 'none'}."
        )
    return CrossedVariables(columns, names, sizes.pop())


def _read_variables(variables: Iterable[object], argument: str) -> tuple[Any, ...]:
    return tuple(read_variable(variable, argument, needs_order=True) for variable in variables)


def check_levels(levels: object, variables: CrossedVariables) -> list[PublicLevels]:
    """Check the public levels of each variable; "declared" selects the categories of Categoricals."""
    if levels is None:
        raise PydpstatError(
            "levels must be given: levels from the data would reveal which values occur. Give the "
            "public levels of every variable, or levels='declared' if all are Categoricals whose "
            "categories are public; crosstab also has levels='discover', with a delta."
        )
    if isinstance(levels, str):
        return _get_declared_levels(levels, variables)
    columns, names = variables.columns, variables.names
    if isinstance(levels, Mapping):
        selected_levels = checks.select_by_names(levels, names, "levels", "variable", "[...]")
        return [
            _check_variable_levels(each, f"levels[{name!r}]", column)
            for name, each, column in zip(names, selected_levels, columns)
        ]
    lists = levels if isinstance(levels, (list, tuple)) else ()
    nested = len(lists) == 1 and isinstance(lists[0], (list, tuple))
    if len(columns) == 1 and not nested:
        return [_check_variable_levels(levels, "levels", columns[0])]
    if len(lists) != len(columns) or any(isinstance(each, str) for each in lists):
        named = ", ".join(f"{name!r}: [...]" for name in names)
        each_example = f"{{{named}}}" if all(names) else f"[{', '.join(['[...]'] * len(columns))}]"
        raise PydpstatError(
            f"levels must be a list of levels for each of the {len(columns)} variables; "
            f"got {_describe_levels(levels)}. Write levels={each_example}."
        )
    return [
        _check_variable_levels(each, f"levels[{i}]", column) for i, (each, column) in enumerate(zip(lists, columns))
    ]


def _describe_levels(levels: object) -> str:
    """Describe levels in a message, which are public, as one list if they are one."""
    is_flat = isinstance(levels, (list, tuple)) and all(isinstance(level, str) for level in levels)
    return "one list of levels" if is_flat and levels else checks.describe_value(levels)


def _check_variable_levels(levels: object, name: str, column: object) -> PublicLevels:
    """Check the levels of one variable and their type; "declared" selects its categories."""
    if isinstance(levels, str) and levels == "declared" and has_categories(column):
        return _get_category_levels(column)
    checked_levels, kind = check_level_values(levels, name), get_value_kind(column)
    other = next((type(level).__name__ for level in checked_levels if not is_label_of_kind(level, kind)), None)
    if kind == "numbers" and getattr(getattr(column, "dtype", None), "kind", "") in "iu" and other is None:
        other = next(("a fraction" for level in checked_levels if checks.as_integer(level + 0) is None), None)  # type: ignore[operator]
    if kind is not None and other is not None:
        raise PydpstatError(
            f"{name} must be {KIND_DESCRIPTIONS[kind]}, as is the type of the variable; got {other} among them, "
            "which no record can have. Give levels of the variable's type, or convert the variable."
        )
    if has_equal_labels(checked_levels, column):
        raise PydpstatError(
            f"{name} must be different values in the variable's type; got two that are equal there. Leave "
            "one out, since a record counts in one level."
        )
    return PublicLevels(checked_levels, False)


def encode_levels(column: object, levels: object, name: str) -> np.ndarray:
    """Return the code of each record among the levels of a variable: -1 if missing, ``len(levels)`` if in no level.

    All code that assigns records to levels uses this function, so that no record has two levels.
    """
    return encode_public_levels(column, _check_variable_levels(levels, name, column))


def has_categories(column: object) -> bool:
    """Return whether a variable is a Categorical with categories that are known before any record is read.

    Strings encoded by an engine do not count: their categories are the values that occur.
    """
    return is_categorical(column) and len(get_categorical(column).categories) > 0


def _get_declared_levels(levels: str, variables: CrossedVariables) -> list[PublicLevels]:
    if levels != "declared":
        raise PydpstatError(
            f"levels must be lists of levels, 'declared' or 'discover'; got {checks.describe_option(levels)}. "
            f"{checks.suggest_spelling(levels, ('declared', 'discover'))}"
        )
    if not all(map(has_categories, variables.columns)):
        raise PydpstatError(
            "levels='declared' needs every variable to be a Categorical, whose categories are public; "
            f"got {', '.join(type(column).__name__ for column in variables.columns)}. Give lists of levels."
        )
    return list(map(_get_category_levels, variables.columns))


def _get_category_levels(column: object) -> PublicLevels:
    return PublicLevels(check_level_values(list(get_categorical(column).categories), "the categories"), True)


def check_level_values(levels: Any, name: str) -> tuple[object, ...]:
    """Check public levels: at least one, none missing, no two equal or with the same string."""
    # tolist would convert times to numbers of nanoseconds
    times = getattr(getattr(levels, "dtype", None), "kind", "") in ("m", "M") and levels.ndim == 1
    values = list(levels) if times else to_public_list(levels, name)
    if isinstance(values, (list, tuple, range)) and len(values):
        try:
            fits = not any(map(is_missing, values)) and not has_equal_labels(values)
        except TypeError:
            # an unhashable value, which the message below names
            fits = False
        if fits and len({str(convert_to_plain_level(value)) for value in values}) < len(values):
            raise PydpstatError(f"{name} must differ as strings; some do not. Rename them.")
        if fits:
            return tuple(values)
    raise PydpstatError(
        f"{name} must be a list of values without repetition, none missing; got {_describe_invalid_levels(values)}"
    )


def _describe_invalid_levels(values: object) -> str:
    """Describe what is wrong with levels, and what to write instead."""
    several = isinstance(values, (list, tuple, range))
    if not several or not values:
        return f"{'none' if several else checks.describe_value(values)}. Give for example ['no', 'yes']."
    assert isinstance(values, (list, tuple, range))
    if any(map(is_missing, values)):
        return "a missing one. A missing value is not a level: missing= says how it is treated."
    wrong = next((value for value in values if not isinstance(value, Hashable)), None)
    if wrong is not None:
        return f"{checks.describe_value(wrong)} among them. Give for example ['no', 'yes']."
    return f"{checks.describe_duplicate(values)}. Leave one out."


def convert_to_plain_level(level: object) -> Level:
    """Convert a level to a string, Boolean or number."""
    if isinstance(level, np.datetime64):
        return str(np.datetime_as_string(level, unit="auto"))
    if isinstance(level, np.generic):
        level = str(level) if level.dtype.kind == "m" else level.item()
    if type(level) is float:
        return level + 0.0  # -0.0 becomes 0.0
    return level if isinstance(level, _PLAIN_CLASSES) and type(level) in _PLAIN_CLASSES else str(level)


def encode_public_levels(column: object, public: PublicLevels) -> np.ndarray:
    """Return the code of each record's level: -1 if missing, and the number of levels for other values."""
    if public.is_closed and is_categorical(column):
        categorical = get_categorical(column)
        if tuple(categorical.categories) == public.levels:
            return np.asarray(categorical.codes)
    return encode_labels(column, public.levels)


def check_other(other: object) -> None:
    """Check the name of the level for values in no level; None is allowed."""
    if other is not None and not isinstance(other, str):
        raise PydpstatError(
            f"other must be the name of a level, or None; got {type(other).__name__}. 'other' is usual."
        )


def make_axis(public: PublicLevels, other: str | None, missing: Missing | None) -> LevelAxis:
    """Return the published levels of a variable, and the positions of its codes.

    Values in no level count in the level `other`, and missing values in the level `missing`; None leaves them out.
    """
    names = list(map(convert_to_plain_level, public.levels))
    level_positions = range(len(names))
    other_position = -1 if public.is_closed or other is None else _add_level(names, other)
    missing_position = -1 if missing is None else _add_level(names, convert_to_plain_level(missing))
    return LevelAxis(tuple(names), (*level_positions, other_position, missing_position))


def _add_level(levels: list[Level], level: Level) -> int:
    """Return the position of a level, which is appended if it is new."""
    if level not in levels:
        levels.append(level)
    return levels.index(level)


class Groups(NamedTuple):
    """Public groups: all combinations of the keys' levels, the last key's fastest."""

    names: tuple[str, ...]
    public: tuple[PublicLevels, ...]
    axes: tuple[LevelAxis, ...]

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return math.prod(len(axis.names) for axis in self.axes)

    @property
    def rows(self) -> tuple[tuple[object, ...], ...]:
        """Levels of each group."""
        return tuple(product(*(axis.names for axis in self.axes)))

    @property
    def call_levels(self) -> object:
        """Levels in the form of the call record."""
        levels = [[convert_to_plain_level(level) for level in key_levels.levels] for key_levels in self.public]
        if sum(map(len, levels)) > _MAX_LEVELS_IN_CALL:
            return f"{' x '.join(str(len(key_levels)) for key_levels in levels)} levels"
        return levels[0] if len(levels) == 1 else levels

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions of the guarantee: declared categories must be public."""
        return (DECLARED_CATEGORIES_CONDITION,) if any(public_levels.is_closed for public_levels in self.public) else ()

    def compute_group_codes(self, keys: Sequence[object], missing: Missing) -> np.ndarray:
        """Return the group code of each record, which depends on this record only; -1 for records that are left out."""
        group_codes = None
        for key, public, axis in zip(keys, self.public, self.axes):
            codes, table = _encode_key(key, public, axis)
            if missing == "error" and codes.size and int(codes.min()) < 0:
                raise make_missing_error()
            group_codes = _combine_codes(group_codes, codes, table, len(axis.names))
        return np.zeros(0, dtype=np.int32) if group_codes is None else group_codes


def _encode_key(column: object, public: PublicLevels, axis: LevelAxis) -> tuple[np.ndarray, np.ndarray]:
    """Return the codes of a key, -1 if missing, and a table of each code's position, that of -1 last."""
    table = np.array(axis.positions, dtype=np.int32)
    if not is_categorical(column):
        return encode_public_levels(column, public), table
    categorical = get_categorical(column)
    if not (public.is_closed and tuple(categorical.categories) == public.levels):
        # encode the categories rather than each record
        table = np.append(table[encode_public_levels(categorical.categories, public)], table[-1])
    return np.asarray(categorical.codes), table


def _combine_codes(
    previous_codes: np.ndarray | None, codes: np.ndarray, table: np.ndarray, n_levels: int
) -> np.ndarray:
    """Return the codes of the combinations of the earlier keys with a key of `n_levels` levels."""
    combined_codes = np.empty(codes.size, dtype=np.int32)
    for start in range(0, codes.size, _CODES_PER_CHUNK):
        piece = combined_codes[start : start + _CODES_PER_CHUNK]
        # the code -1 selects the last position
        table.take(codes[start : start + _CODES_PER_CHUNK], out=piece, mode="wrap")
        if previous_codes is not None:
            earlier = previous_codes[start : start + _CODES_PER_CHUNK]
            out = None
            if int(piece.min()) < 0 or int(earlier.min()) < 0:
                out = (piece < 0) | (earlier < 0)
            piece += earlier * np.int32(n_levels)
            if out is not None:
                piece[out] = -1
    return combined_codes


def make_groups(keys: CrossedVariables, levels: object, other: str | None, missing: Missing) -> Groups:
    """Make groups from the checked levels of the keys; "declared" selects the categories of Categoricals."""
    check_other(other)
    if levels is None:
        each = ", ".join(f"{name!r}: [...]" for name in keys.names if name)
        example = f"levels={{{each}}}" if each else "levels=['f', 'm']"
        raise PydpstatError(
            "levels must be given with by: groups from the data would reveal which values occur. "
            f"Give the public levels of every key, {example[:60]}, or levels='declared' if all keys are "
            "Categoricals whose categories are public."
        )
    if isinstance(levels, str) and levels == "discover":
        raise PydpstatError(
            "levels must be public with by; got 'discover'. Find them with a separate release, "
            "crosstab(key, epsilon, levels='discover', delta=...), and give its index as the levels."
        )
    if isinstance(levels, str) and levels != "declared":
        raise PydpstatError(
            f"levels must be lists of public levels, or 'declared'; got {checks.describe_option(levels)}. "
            "Give for example ['f', 'm']."
        )
    public = check_levels(levels, keys)
    # a number that replaces missing values is not a level
    fill_value = None if missing == "drop" else other
    axes = tuple(_make_key_axis(each, other, fill_value) for each in public)
    groups = Groups(keys.names, tuple(public), axes)
    if groups.n_groups > MAX_GROUPS:
        raise PydpstatError(
            f"levels must make at most {MAX_GROUPS} groups; they make {groups.n_groups}. Cross fewer keys."
        )
    return groups


def _make_key_axis(public: PublicLevels, other: str | None, rest: str | None) -> LevelAxis:
    """Return the axis of a key; missing values count as values in no level do, unless they are dropped."""
    axis = make_axis(public, other, None)
    if public.is_closed or rest is None:
        return axis
    return LevelAxis(axis.names, (*axis.positions[:-1], axis.positions[-2]))
