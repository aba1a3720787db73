"""Variables of a table: which of their public levels each record has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pydpstat.checks import did_you_mean, shown
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.arrays import is_missing
from pydpstat.statistics.data import MadeUp

_PLAIN = (str, bool, int, float)
_SECOND = 10**9
# what of pandas' times, which count nanoseconds, each unit of NumPy's has
_NANOSECONDS = {
    "W": 604_800 * _SECOND,
    "D": 86_400 * _SECOND,
    "h": 3_600 * _SECOND,
    "m": 60 * _SECOND,
    "s": _SECOND,
    "ms": 10**6,
    "us": 1_000,
    "ns": 1,
}
_YEARS = {"Y": 1, "M": 12}


class Variables(NamedTuple):
    """The variables to cross. Private but for their names and, under bounded neighbors, the size."""

    columns: tuple[Any, ...]
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
    levels: tuple[Any, ...]
    closed: bool

    def __repr__(self) -> str:
        return "Coded(values withheld)"


def variables_of(data: Any) -> Variables:
    """Read one variable, or several: a frame, a dict or a tuple of arrays."""
    if isinstance(data, MadeUp):
        names = data.columns or ("",)
        return Variables((data,) * len(names), names, data.size)
    if hasattr(data, "columns") and hasattr(data, "iloc"):
        columns = tuple(data.iloc[:, place] for place in range(data.shape[1]))
        return _checked(columns, tuple(map(str, data.columns)))
    if isinstance(data, Mapping):
        return _checked(tuple(data.values()), tuple(map(str, data)))
    if isinstance(data, tuple) and data and all(_is_vector(each) for each in data):
        return _checked(data, tuple(_name(each) for each in data))
    return _checked((data,), (_name(data),))


def _name(column: Any) -> str:
    name = getattr(column, "name", None) if hasattr(column, "dtype") else None
    return "" if name is None else str(name)


def _is_vector(column: Any) -> bool:
    if isinstance(column, (list, tuple, range)):
        return True
    return hasattr(column, "dtype") and getattr(column, "ndim", 0) == 1


def _checked(columns: tuple[Any, ...], names: tuple[str, ...]) -> Variables:
    for column in columns:
        if not _is_vector(column):
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


def is_categorical(column: Any) -> bool:
    """Tell whether a variable is a Categorical, or a Series or an index of one."""
    return getattr(getattr(column, "dtype", None), "name", "") == "category"


def levels_of(levels: Any, variables: Variables) -> list[tuple[Any, ...] | None]:
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
                f"levels must name every variable and no other; got {shown(list(levels))} for the variables "
                f"{shown(list(variables.names))}. Give levels={{variable: [...], ...}}."
            )
        return [_level_tuple(by_name[name], f"levels[{name!r}]") for name in variables.names]
    if count == 1 and not _nested(levels):
        return [_level_tuple(levels, "levels")]
    if not isinstance(levels, (list, tuple)) or len(levels) != count:
        raise PydpstatError(
            f"levels must be a list of levels for each of the {count} variables; got {shown(levels)}. "
            "Give them in the variables' order, or as a dict by name."
        )
    return [_level_tuple(each, f"levels[{place}]") for place, each in enumerate(levels)]


def _nested(levels: Any) -> bool:
    return isinstance(levels, (list, tuple)) and len(levels) == 1 and isinstance(levels[0], (list, tuple))


def _declared(levels: str, variables: Variables) -> list[tuple[Any, ...] | None]:
    if levels != "declared":
        raise PydpstatError(
            f"levels must be lists of levels, 'declared' or 'discover'; got {shown(levels)}. "
            f"{did_you_mean(levels, ('declared', 'discover'))}"
        )
    if not all(map(is_categorical, variables.columns)):
        raise PydpstatError(
            "levels='declared' needs every variable to be a Categorical, whose categories are public; "
            f"got {', '.join(type(each).__name__ for each in variables.columns)}. Give lists of levels."
        )
    return [None] * len(variables.columns)


def _level_tuple(levels: Any, name: str) -> tuple[Any, ...]:
    values = levels.tolist() if hasattr(levels, "tolist") else levels
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


def plain(level: Any) -> Any:
    """Return a level as a text, truth value or number."""
    if isinstance(level, np.datetime64):
        return str(np.datetime_as_string(level, unit="auto"))
    if isinstance(level, np.generic):
        level = str(level) if level.dtype.kind == "m" else level.item()
    if type(level) is float:
        return level + 0.0  # 0 has one sign
    return level if type(level) in _PLAIN else str(level)


def coded(column: Any, levels: tuple[Any, ...] | None) -> Coded:
    """Find each record's level; None takes a Categorical's categories."""
    if isinstance(column, MadeUp):
        return Coded(None, levels or (), False)
    if is_categorical(column):
        categories = getattr(column, "cat", column).categories
        codes = np.asarray(getattr(column, "cat", column).codes)
        if levels is None:
            return Coded(codes, _level_tuple(list(categories), "the categories"), True)
        places = _places(np.asarray(categories), levels)
        # the last one is for -1, which is missing
        return Coded(np.append(places, -1)[codes], levels, False)
    assert levels is not None
    return Coded(_places(column, levels), levels, False)


def objects(values: Any) -> np.ndarray:
    """Return a list's or an array's values as objects, each as it is."""
    if hasattr(values, "dtype"):
        return np.asarray(values, dtype=object)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def native(values: np.ndarray) -> np.ndarray:
    """Return numbers in the machine's own byte order and full width, which pandas asks for."""
    wide = {"i": np.int64, "u": np.uint64, "f": np.float64}.get(values.dtype.kind)
    return values.astype(wide or values.dtype.newbyteorder("="), copy=False)


def times(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return times or durations in nanoseconds, and which of them are too far away for these.

    Whether one is depends on itself and the array's type alone; pandas would raise an error that shows it.
    """
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    unit, count = np.datetime_data(values.dtype)
    least, most = -(2**63) + 1, 2**63 - 1
    if unit in _YEARS:
        if values.dtype.kind == "m":
            raise PydpstatError(
                "data must not be durations in months or years, which have no fixed length. Give days."
            )
        # from 1678 to 2261, all of which nanoseconds can hold
        least, most = -292 * _YEARS[unit] // count + 1, 292 * _YEARS[unit] // count - 1
    elif unit in _NANOSECONDS:
        most = most // (_NANOSECONDS[unit] * count)
        least = -most
    whole = values.view(np.int64)
    far = ((whole < least) | (whole > most)) & ~np.isnat(values)
    near = np.where(far, np.zeros(1, dtype=values.dtype), values)
    return near.astype(f"{values.dtype.kind}8[ns]"), far


def _places(values: Any, levels: tuple[Any, ...]) -> np.ndarray:
    """Return -1 for missing values, a level's place, or the number of levels.

    A value's place depends on this value and the array's type alone.
    """
    import pandas as pd

    kind = getattr(values, "dtype", None)
    far = None
    if isinstance(kind, np.dtype) and kind.kind in "mM":
        values, far = times(np.asarray(values))
    if isinstance(kind, np.dtype) and kind.kind in "iufmM" and not any(type(each) is bool for each in levels):
        places = pd.Index(list(levels)).get_indexer(pd.Index(native(np.asarray(values))))
    else:
        # pandas would look at all objects together to find out what they are
        values = objects(values)
        places = _places_of_objects(values, {level: place for place, level in enumerate(levels)})
    places = np.where(places < 0, len(levels), places)
    places[np.asarray(pd.isna(values), dtype=bool)] = -1
    if far is not None:
        places[far] = len(levels)
    return places


def _places_of_objects(values: np.ndarray, known: dict[Any, int]) -> np.ndarray:
    """Return each value's place by Python's equality, -1 for others."""
    flat = values.tolist()
    try:
        return np.array([known.get(value, -1) for value in flat], dtype=np.int64)
    except TypeError:
        # a value that cannot be hashed is no level
        return np.array([_place(value, known) for value in flat], dtype=np.int64)


def _place(value: Any, known: dict[Any, int]) -> int:
    try:
        return known.get(value, -1)
    except TypeError:
        return -1
