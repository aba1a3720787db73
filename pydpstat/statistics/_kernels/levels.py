"""Variables of a table: which of their public levels each record has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pydpstat._checks import did_you_mean, excerpt, shown, shown_option
from pydpstat._data.columns import Placeholder
from pydpstat._data.containers import (
    categorical_of,
    columns_of,
    is_categorical,
    is_frame,
    is_vector,
    listed,
    name_of,
    names_of,
)
from pydpstat._data.lookup import KINDS, is_of_kind, kind_of, places
from pydpstat._data.values import is_missing
from pydpstat.errors import PydpstatError

_PLAIN = (str, bool, int, float)
# a level's name in a table
Level = str | bool | int | float


class Variables(NamedTuple):
    """The variables to cross. Private but for their names and, under bounded neighbors, the size."""

    columns: tuple[object, ...]
    names: tuple[str, ...]
    size: int

    def __repr__(self) -> str:
        return "Variables(values withheld)"


class Coded(NamedTuple):
    """A variable as codes. Private but for `levels`.

    Parameters
    ----------
    codes : ndarray of int, shape (n,), or None
        -1 for missing, the place of a level, or ``len(levels)`` for a value that is no level. None
        where there are no data.
    levels : tuple
        Public.
    closed : bool
        Whether the type excludes values that are no level.
    """

    codes: np.ndarray | None
    levels: tuple[object, ...]
    closed: bool

    def __repr__(self) -> str:
        return "Coded(values withheld)"


def variables_of(data: object) -> Variables:
    """Read one variable, or several: a frame, a dict or a tuple of arrays."""
    if isinstance(data, Placeholder):
        names = data.columns or ("",)
        return Variables((data,) * len(names), names, data.size)
    if is_frame(data):
        return _checked(columns_of(data), names_of(data))
    if isinstance(data, Mapping):
        return _checked(tuple(data.values()), tuple(map(str, data)))
    if isinstance(data, tuple) and data and all(map(is_vector, data)):
        return _checked(data, tuple(name_of(each) or "" for each in data))
    return _checked((data,), (name_of(data) or "",))


def _checked(columns: tuple[Any, ...], names: tuple[str, ...]) -> Variables:
    for column in columns:
        if not is_vector(column):
            raise PydpstatError(
                "data must be one variable, a DataFrame, or a dict or tuple of variables, each a list, "
                f"array, Series or Categorical, one value a record; got {type(column).__name__}. "
                "Give a matrix as a DataFrame."
            )
    sizes = {len(column) for column in columns}
    if len(sizes) != 1 or len(set(filter(None, names))) != len(list(filter(None, names))):
        raise PydpstatError(
            "data must have at least one variable, all of one length, each with a name of its own; "
            f"got {len(columns)} variables."
        )
    return Variables(columns, names, sizes.pop())


def levels_of(levels: object, variables: Variables) -> list[tuple[object, ...] | None]:
    """Check public levels: for each variable a tuple, or None where its categories are declared public."""
    count = len(variables.columns)
    if levels is None:
        raise PydpstatError(
            "levels must be given: levels that come from the data would tell which values occur. Give the "
            "public levels of every variable, levels='declared' if all are Categoricals whose categories are "
            "public, or levels='discover' with a delta."
        )
    if isinstance(levels, str):
        return _declared(levels, variables)
    if isinstance(levels, Mapping):
        by_name = {str(name): each for name, each in levels.items()}
        if set(by_name) != set(variables.names) or len(by_name) != len(levels):
            raise PydpstatError(
                f"levels must name every variable and no other; got {shown(levels)} for the variables "
                f"{excerpt(list(variables.names))}. Give levels={{variable: [...], ...}}."
            )
        names = [f"levels[{name!r}]" for name in variables.names]
        return _checked_levels([by_name[name] for name in variables.names], names, variables)
    if count == 1 and not _nested(levels):
        return _checked_levels([levels], ["levels"], variables)
    if not isinstance(levels, (list, tuple)) or len(levels) != count:
        raise PydpstatError(
            f"levels must be a list of levels for each of the {count} variables; got {shown(levels)}. "
            "Give them in the variables' order, or as a dict by name."
        )
    return _checked_levels(levels, [f"levels[{place}]" for place in range(count)], variables)


def _checked_levels(
    levels: Sequence[object], names: list[str], variables: Variables
) -> list[tuple[object, ...] | None]:
    """Check the levels of each variable, and that they are of its type."""
    found: list[tuple[object, ...] | None] = []
    for each, name, column in zip(levels, names, variables.columns):
        own, kind = _level_tuple(each, name), kind_of(column)
        other = next((type(level).__name__ for level in own if not is_of_kind(level, kind)), None)
        if kind is not None and other is not None:
            raise PydpstatError(
                f"{name} must be {KINDS[kind]}, as the variable's type has them; got {other} among them, "
                "which no record can be. Give levels of the variable's type, or convert the variable."
            )
        found.append(own)
    return found


def _nested(levels: object) -> bool:
    return isinstance(levels, (list, tuple)) and len(levels) == 1 and isinstance(levels[0], (list, tuple))


def _declared(levels: str, variables: Variables) -> list[tuple[object, ...] | None]:
    if levels != "declared":
        raise PydpstatError(
            f"levels must be lists of levels, 'declared' or 'discover'; got {shown_option(levels)}. "
            f"{did_you_mean(levels, ('declared', 'discover'))}"
        )
    if not all(map(is_categorical, variables.columns)):
        raise PydpstatError(
            "levels='declared' needs every variable to be a Categorical, whose categories are public; "
            f"got {', '.join(type(each).__name__ for each in variables.columns)}. Give lists of levels."
        )
    return [None] * len(variables.columns)


def _level_tuple(levels: Any, name: str) -> tuple[object, ...]:
    # an array's tolist would turn times into numbers of nanoseconds
    times = getattr(getattr(levels, "dtype", None), "kind", "") in ("m", "M") and levels.ndim == 1
    values = list(levels) if times else listed(levels)
    if isinstance(values, (list, tuple, range)) and len(values):
        try:
            distinct = len(set(values)) == len(values)
        except TypeError:
            distinct = False
        if distinct and not any(map(is_missing, values)):
            return tuple(values)
    raise PydpstatError(
        f"{name} must be a list of one or more different values, none missing; got {shown(levels)}. "
        "Give for example ['no', 'yes']."
    )


def plain(level: object) -> Level:
    """Return a level as a text, truth value or number."""
    if isinstance(level, np.datetime64):
        return str(np.datetime_as_string(level, unit="auto"))
    if isinstance(level, np.generic):
        level = str(level) if level.dtype.kind == "m" else level.item()
    if type(level) is float:
        return level + 0.0  # 0 has one sign
    return level if isinstance(level, _PLAIN) and type(level) in _PLAIN else str(level)


def coded(column: object, levels: tuple[object, ...] | None) -> Coded:
    """Find each record's level; None takes a Categorical's categories."""
    if isinstance(column, Placeholder):
        return Coded(None, levels or (), False)
    if levels is not None:
        return Coded(places(column, levels), levels, False)
    own = categorical_of(column)
    return Coded(np.asarray(own.codes), _level_tuple(list(own.categories), "the categories"), True)
