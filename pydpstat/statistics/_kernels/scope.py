"""By what groups, units and samples to release, and which levels look misspelled afterwards."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, is_made_up
from pydpstat._data.containers import Column, columns_of, is_frame, is_vector, name_of, names_of
from pydpstat._data.held import in_memory
from pydpstat._data.table import Table
from pydpstat._release.options import Options
from pydpstat._release.scope import Scope
from pydpstat._warn import warn_usage
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.statistics._kernels.contributions import Sample, Unit
from pydpstat.statistics._kernels.levels import Axis, Groups, Level, Variables, groups_of, variables_of
from pydpstat.statistics.choice import below

# columns of the data by name, or columns of their own
Keys = str | Data
# standard deviations of its noise up to which a number may be noise alone, and from which on it is large
EMPTY, LARGE = 3.0, 10.0
SPELLING = "Levels must be spelled exactly as in the data"
TOPIC = "unused levels"


class Origin(NamedTuple):
    """Where columns are found by name: those in memory, or those of a table's sample. Private.

    `made_up` tells that there are no data, and that every column can be had without a record.
    """

    names: tuple[str, ...] | None
    columns: Mapping[str, Column]
    size: int
    table: Table | None
    made_up: bool = False
    argument: str = "data"


def origin_of(data: object, table: Table | None, argument: str) -> Origin:
    """Return where columns are found by name."""
    if is_made_up(data):
        return Origin(getattr(data, "columns", None), {}, 0, None, made_up=True)
    if table is not None:
        return Origin(table.names, table.sample().columns, 0, table, argument=argument)
    if is_frame(data):
        names = names_of(data)
        if len(set(names)) != len(names):
            raise PydpstatError(
                f"{argument} must have columns with different names if by or unit are given; some are "
                "equal. Select or rename them first."
            )
        return Origin(names, dict(zip(names, columns_of(data))), len(data), None, argument=argument)
    return Origin(None, {}, 0, None)


def keys_of(scope: Scope, origin: Origin) -> tuple[tuple[str, ...], Variables]:
    """Return the keys that are columns of the data, and the keys' columns."""
    by: Any = in_memory(scope.by, "by")
    if by is None:
        return (), Variables((), (), 0)
    names = (by,) if isinstance(by, str) else by
    if isinstance(names, (list, tuple)) and names and all(isinstance(each, str) for each in names):
        own = -1 if origin.names is None else len(origin.names)
        named = isinstance(scope.levels, Mapping) and {*names} <= {*scope.levels}
        if len(names) > own and not isinstance(by, str) and not origin.made_up and not named:
            # more texts than columns, or beside an array: a value for each record
            return (), variables_of(list(names), "by")
        columns = tuple(_column(origin, name, "by") for name in names)
        if len(set(names)) != len(names):
            raise PydpstatError(
                f"by must name every column once; got {checks.excerpt(list(names))}. Leave out the second."
            )
        return tuple(names), Variables(columns, tuple(names), origin.size)
    if origin.table is not None:
        raise _no_column("by", by)
    _check_named(origin, by, "by")
    return (), variables_of(by, "by")


def unit_of(scope: Scope, origin: Origin, source: Source) -> tuple[object, Unit | None]:
    """Return whose data each record is, and how many records of a unit count."""
    if scope.unit is None:
        for name in ("max_records", "max_groups"):
            if getattr(scope, name) is not None:
                raise PydpstatError(
                    f"{name} must not be given without unit. Name the column that identifies units."
                )
        return None, None
    unit: Any = in_memory(scope.unit, "unit")
    if isinstance(unit, str):
        ids, name = _column(origin, unit, "unit"), unit
    elif origin.table is not None:
        raise _no_column("unit", unit)
    else:
        _check_named(origin, unit, "unit")
        if not is_vector(unit):
            raise PydpstatError(
                "unit must be the name of a column, or a list, array or Series with an id for each record; "
                f"got {type(unit).__name__}. Give for example unit='person'."
            )
        ids, name = unit, name_of(unit) or "unit"
    hint = "Give the largest number of records of one unit that count, for example 3."
    most = 1 if scope.alone else checks.integer(scope.max_records, "max_records", 1, hint=hint)
    limit = scope.max_groups
    if limit is not None:
        if scope.by is None and not scope.crossed:
            raise PydpstatError("max_groups must not be given without by, whose groups it limits.")
        limit = checks.integer(
            limit, "max_groups", 1, hint=("Give the largest number of groups in which one unit counts.")
        )
    return ids, Unit(name, most, limit, below(1 << 53, source))


def scope_groups(scope: Scope, keys: Variables, how: Options) -> Groups | None:
    """Return the groups; None without."""
    if scope.by is not None:
        return groups_of(keys, scope.levels, scope.other, how.missing)
    if scope.levels is not None:
        raise PydpstatError("levels must not be given without by, whose groups they are. Leave them out.")
    return None


def _column(origin: Origin, name: str, argument: str) -> object:
    if name in origin.columns or origin.made_up:
        return origin.columns.get(name, [])
    if origin.names is None:
        raise PydpstatError(
            f"{argument} must have a value for each record if the data have no named columns; got "
            f"{checks.shown(name)}. Give a column, or a data frame that has it."
        )
    raise PydpstatError(
        f"{argument} must be a column of the data; got {checks.shown_option(name)}; the columns are "
        f"{checks.excerpt(list(origin.names))}. {checks.did_you_mean(name, origin.names)}"
    )


def _check_named(origin: Origin, given: object, argument: str) -> None:
    """Refuse numbers where a column's name is meant: names are texts, as in bounds and results."""
    if origin.names is None:
        return
    if checks.is_number(given) or is_vector(given) and len(given) != origin.size:
        raise PydpstatError(
            f"{argument} must be a column name, or a column with a value for each record of "
            f"{origin.argument}; got {type(given).__name__}. The columns are "
            f"{checks.excerpt(list(origin.names))}."
        )


def _no_column(argument: str, given: object) -> PydpstatError:
    return PydpstatError(
        f"{argument} must name columns of data that are not in memory; got {type(given).__name__}. "
        "Give a column's name."
    )


def shown_scope(
    scope: Scope, keys: tuple[str, ...], groups: Groups | None, unit: Unit | None, sample: Sample | None
) -> tuple[tuple[str, object], ...]:
    """Return what the call says of groups and units."""
    said: list[tuple[str, object]] = []
    if groups is not None:
        names = keys or tuple(name or "by" for name in groups.names)
        said.append(("by", names[0] if len(names) == 1 else names))
        declared = any(each.closed for each in groups.public)
        said.append(("levels", "declared" if declared else groups.shown))
        if scope.other != "other":
            said.append(("other", scope.other))
    if unit is not None:
        said.append(("unit", unit.name))
        if not scope.alone:
            said.append(("max_records", unit.records))
        if unit.groups is not None:
            said.append(("max_groups", unit.groups))
    if sample is not None:
        said.append(("sample", sample.shown))
    return tuple(said)


def note_unused(
    counts: npt.ArrayLike,
    sd: float,
    variables: Sequence[tuple[str, Axis]],
    nobs: int | None = None,
    *,
    of_all: bool = True,
    what: str = "number of records",
    rare: bool = True,
) -> None:
    """Say which variable has levels that look empty, where their records may be elsewhere.

    A level looks empty below three standard deviations of its number's noise. It is told of where ten of
    them are in no level or, if that is unknown, where the other one of two levels has as many. With Laplace
    noise a level that has ten itself is told of once in 40,000 releases.

    `counts` are noisy, with an axis for each variable; a variable whose type has no other values has no
    misspelled level. `of_all` tells that all records of a group are counted, and not those that meet a
    condition, `rare` that a level without records is usual where there are more than two.
    """
    table = np.asarray(counts, dtype=np.float64)
    total, spread = float(table.sum()), sd * math.sqrt(table.size)
    nothing: list[str] = []
    for place, (name, axis) in enumerate(variables):
        along = table.sum(axis=tuple(other for other in range(table.ndim) if other != place)).tolist()
        noise, outside = spread / math.sqrt(len(along)), axis.places[-2]
        inside = {axis.names[each]: along[each] for each in axis.places[:-2] if each != outside}
        together = EMPTY * noise * math.sqrt(len(inside))
        # noise alone may lift one of many levels, but not all together
        alone = sum(inside.values()) < together and max(inside.values(), default=0.0) < LARGE * noise
        least = math.inf if alone else EMPTY * noise
        empty = {level: number for level, number in inside.items() if number < least}
        used = [number for number in inside.values() if number >= least]
        usual = bool(used) and float(np.median(used)) > LARGE * noise
        rest = along[outside] if outside >= 0 else None if nobs is None else nobs - total
        why = ""
        if rest is not None:
            far = LARGE * (noise * math.sqrt(len(inside)) if outside >= 0 else spread)
            if rest > far and (usual or not used):
                also = f"{axis.names[outside]!r} and of " if outside in axis.places[:-2] else ""
                why = f", and that of {also}values in none of the levels is about {rest:,.0f}"
        elif of_all and not used:
            nothing.append(name)
        elif of_all and usual and (len(inside) == 2 or not rare):
            # among many levels a rare one is usual
            why = f", and the other level{' has' if len(inside) == 2 else 's have'} far more"
        if empty and why:
            told = told_of(f" of {name}" if name else "", empty, len(inside), EMPTY * noise, what)
            warn_usage(f"{told}{why}. {SPELLING}: is one misspelled?", TOPIC)
    if len(nothing) == len(variables):
        named = " and ".join(filter(None, nothing))
        warn_usage(
            f"no level{' of ' * bool(named)}{named} has a larger {what} than noise alone. {SPELLING}: are "
            "they misspelled? If they are not, there are too few records to tell at this epsilon.",
            TOPIC,
        )


def told_of(of: str, empty: Mapping[Level, float], number: int, most: float, what: str) -> str:
    """Say that some of so many levels look empty; `of` says of what."""
    if len(empty) == number > 1:
        return f"no level{of}, {checks.excerpt(list(empty))}, has a larger {what} than noise alone"
    if len(empty) > 1:
        told = f"none has a larger {what} than noise alone"
        return f"the levels {checks.excerpt(list(empty))}{of} look empty: {told}"
    ((level, found),) = empty.items()
    told = f"its noisy {what} is {found:,.0f}, where noise alone gives up to {most:,.0f}"
    return f"the level {level!r}{of} looks empty: {told}"


def note_groups(
    groups: Groups | None,
    counts: npt.ArrayLike,
    sd: float,
    *,
    of_all: bool = True,
    what: str = "number of records",
) -> None:
    """Say which levels of groups look empty, from a noisy number of each group; not of declared ones."""
    if groups is None or groups.conditions:
        return
    table = np.asarray(counts, dtype=np.float64).reshape([len(axis.names) for axis in groups.axes])
    note_unused(table, sd, [*zip(groups.names, groups.axes)], of_all=of_all, what=what)
