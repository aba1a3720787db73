"""Groups, units and samples of a release, and warnings of levels that look misspelled."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, is_placeholder
from pydpstat._data.containers import Column, get_column_names, get_columns, get_series_name, is_frame, is_vector
from pydpstat._data.native import to_pandas_or_numpy
from pydpstat._data.table import Table
from pydpstat._records.contributions import ContributionBounds, SamplingDesign
from pydpstat._records.levels import CrossedVariables, Groups, Level, LevelAxis, make_groups, read_crossed_variables
from pydpstat._release.options import Options
from pydpstat._release.scope import Scope
from pydpstat._warn import warn_usage
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.random._weighted_choice import draw_integer_below

# names of columns of the data, or separate columns
Keys = str | Data
# numbers of standard deviations up to which a noisy number may be noise only, and above which it is large
EMPTY_LIMIT, LARGE_LIMIT = 3.0, 10.0
SPELLING_HINT = "Levels must be spelled exactly as in the data"
UNUSED_LEVELS_TOPIC = "unused levels"


class ColumnOrigin(NamedTuple):
    """Columns that can be found by name: those in memory, or those of a table without records. Private.

    `is_placeholder` tells that there are no data, so that every name has an empty column.
    """

    names: tuple[str, ...] | None
    columns: Mapping[str, Column]
    size: int
    table: Table | None
    is_placeholder: bool = False
    argument: str = "data"


def make_column_origin(data: object, table: Table | None, argument: str) -> ColumnOrigin:
    """Return the columns that can be found by name."""
    if is_placeholder(data):
        return ColumnOrigin(getattr(data, "columns", None), {}, 0, None, is_placeholder=True)
    if table is not None:
        return ColumnOrigin(table.names, table.make_empty_chunk().columns, 0, table, argument=argument)
    if is_frame(data):
        names = get_column_names(data)
        if len(set(names)) != len(names):
            raise PydpstatError(
                f"{argument} must have columns with different names if by or unit are given; some are "
                "equal. Select or rename them first."
            )
        return ColumnOrigin(names, dict(zip(names, get_columns(data))), len(data), None, argument=argument)
    return ColumnOrigin(None, {}, 0, None)


def read_keys(scope: Scope, origin: ColumnOrigin) -> tuple[tuple[str, ...], CrossedVariables]:
    """Return the names of keys that are columns of the data, and the columns of the keys."""
    by: Any = to_pandas_or_numpy(scope.by, "by")
    if by is None:
        return (), CrossedVariables((), (), 0)
    names = (by,) if isinstance(by, str) else by
    if isinstance(names, (list, tuple)) and names and all(isinstance(key, str) for key in names):
        n_columns = -1 if origin.names is None else len(origin.names)
        has_named_levels = isinstance(scope.levels, Mapping) and {*names} <= {*scope.levels}
        if len(names) > n_columns and not isinstance(by, str) and not origin.is_placeholder and not has_named_levels:
            # more strings than columns: a value for each record
            return (), read_crossed_variables(list(names), "by")
        columns = tuple(_get_column(origin, name, "by") for name in names)
        if len(set(names)) != len(names):
            raise PydpstatError(
                f"by must name every column once; got {checks.format_public_value(list(names))}. Leave out the second."
            )
        return tuple(names), CrossedVariables(columns, tuple(names), origin.size)
    if origin.table is not None:
        raise _make_column_name_error("by", by)
    _check_key_column(origin, by, "by")
    return (), read_crossed_variables(by, "by")


def read_unit(scope: Scope, origin: ColumnOrigin, source: Source) -> tuple[object, ContributionBounds | None]:
    """Return the unit of each record, and the contribution bounds of units."""
    if scope.unit is None:
        for name in ("max_records", "max_groups"):
            if getattr(scope, name) is not None:
                raise PydpstatError(f"{name} must not be given without unit. Name the column that identifies units.")
        return None, None
    unit: Any = to_pandas_or_numpy(scope.unit, "unit")
    if isinstance(unit, str):
        ids, name = _get_column(origin, unit, "unit"), unit
    elif origin.table is not None:
        raise _make_column_name_error("unit", unit)
    else:
        _check_key_column(origin, unit, "unit")
        if not is_vector(unit):
            raise PydpstatError(
                "unit must be the name of a column, or a list, array or Series with an id for each record; "
                f"got {type(unit).__name__}. Give for example unit='person'."
            )
        ids, name = unit, get_series_name(unit) or "unit"
    hint = "Give the largest number of records of one unit that count, for example 3."
    max_records = (
        1 if scope.has_one_record_per_unit else checks.check_integer(scope.max_records, "max_records", 1, hint=hint)
    )
    limit = scope.max_groups
    if limit is not None:
        if scope.by is None and not scope.is_table:
            raise PydpstatError("max_groups must not be given without by, whose groups it limits.")
        limit = checks.check_integer(
            limit, "max_groups", 1, hint=("Give the largest number of groups in which one unit counts.")
        )
    return ids, ContributionBounds(name, max_records, limit, draw_integer_below(1 << 53, source))


def make_scope_groups(scope: Scope, keys: CrossedVariables, options: Options) -> Groups | None:
    """Return the groups; None if there are none."""
    if scope.by is not None:
        return make_groups(keys, scope.levels, scope.other, options.missing)
    if scope.levels is not None:
        raise PydpstatError("levels must not be given without by, whose groups they are. Leave them out.")
    return None


def _get_column(origin: ColumnOrigin, name: str, argument: str) -> object:
    if name in origin.columns or origin.is_placeholder:
        return origin.columns.get(name, [])
    if origin.names is None:
        raise PydpstatError(
            f"{argument} must have a value for each record if the data have no named columns; got "
            f"{checks.describe_value(name)}. Give a column, or a data frame that has it."
        )
    raise PydpstatError(
        f"{argument} must be a column of the data; got {checks.describe_option(name)}; the columns are "
        f"{checks.format_public_value(list(origin.names))}. {checks.suggest_spelling(name, origin.names)}"
    )


def _check_key_column(origin: ColumnOrigin, column: object, argument: str) -> None:
    """Raise an error for a number given as a column, since names are strings, or a column of different length."""
    if origin.names is None:
        return
    if checks.is_number(column) or is_vector(column) and len(column) != origin.size:
        raise PydpstatError(
            f"{argument} must be a column name, or a column with a value for each record of "
            f"{origin.argument}; got {type(column).__name__}. The columns are "
            f"{checks.format_public_value(list(origin.names))}."
        )


def _make_column_name_error(argument: str, column: object) -> PydpstatError:
    return PydpstatError(
        f"{argument} must name columns of data that are not in memory; got {type(column).__name__}. "
        "Give a column's name."
    )


def get_scope_arguments(
    scope: Scope,
    keys: tuple[str, ...],
    groups: Groups | None,
    unit: ContributionBounds | None,
    sample: SamplingDesign | None,
) -> tuple[tuple[str, object], ...]:
    """Return the arguments of groups, units and samples for the call record."""
    arguments: list[tuple[str, object]] = []
    if groups is not None:
        names = keys or tuple(name or "by" for name in groups.names)
        arguments.append(("by", names[0] if len(names) == 1 else names))
        declared = any(key_levels.is_closed for key_levels in groups.public)
        arguments.append(("levels", "declared" if declared else groups.call_levels))
        if scope.other != "other":
            arguments.append(("other", scope.other))
    if unit is not None:
        arguments.append(("unit", unit.name))
        if not scope.has_one_record_per_unit:
            arguments.append(("max_records", unit.max_records))
        if unit.max_groups is not None:
            arguments.append(("max_groups", unit.max_groups))
    if sample is not None:
        arguments.append(("sample", sample.call_value))
    return tuple(arguments)


def warn_unused_levels(
    counts: npt.ArrayLike,
    sd: float,
    variables: Sequence[tuple[str, LevelAxis]],
    nobs: int | None = None,
    *,
    has_all_records: bool = True,
    quantity: str = "number of records",
    can_be_rare: bool = True,
) -> None:
    """Warn of levels that look empty, perhaps because they are spelled differently in the data.

    A level looks empty if its number is below three standard deviations of the noise. A warning is given if the
    number outside all levels exceeds ten standard deviations or, if that number is unknown, if that of the other
    of two levels does. With Laplace noise, a warning of a level whose true number is ten standard deviations
    occurs once in 40,000 releases.

    `counts` are noisy, with an axis for each variable; a variable with a closed type has no misspelled level.
    `has_all_records` tells that all records of a group are counted, rather than those that satisfy a condition,
    and `can_be_rare` that an empty level is not unusual if there are more than two levels.
    """
    table = np.asarray(counts, dtype=np.float64)
    total, spread = float(table.sum()), sd * math.sqrt(table.size)
    unnoticed: list[str] = []
    for axis_index, (name, axis) in enumerate(variables):
        along = table.sum(axis=tuple(other for other in range(table.ndim) if other != axis_index)).tolist()
        noise, outside = spread / math.sqrt(len(along)), axis.positions[-2]
        inside = {axis.names[position]: along[position] for position in axis.positions[:-2] if position != outside}
        together = EMPTY_LIMIT * noise * math.sqrt(len(inside))
        # noise may raise one of many levels, but hardly their sum
        alone = sum(inside.values()) < together and max(inside.values(), default=0.0) < LARGE_LIMIT * noise
        empty_limit = math.inf if alone else EMPTY_LIMIT * noise
        empty = {level: number for level, number in inside.items() if number < empty_limit}
        used = [number for number in inside.values() if number >= empty_limit]
        usual = bool(used) and float(np.median(used)) > LARGE_LIMIT * noise
        n_outside = along[outside] if outside >= 0 else None if nobs is None else nobs - total
        why = ""
        if n_outside is not None:
            far = LARGE_LIMIT * (noise * math.sqrt(len(inside)) if outside >= 0 else spread)
            if n_outside > far and (usual or not used):
                also = f"{axis.names[outside]!r} and of " if outside in axis.positions[:-2] else ""
                why = f", and that of {also}values in none of the levels is about {n_outside:,.0f}"
        elif not used:
            unnoticed.append(name)
        elif has_all_records and usual and (len(inside) == 2 or not can_be_rare):
            # among many levels, rare ones are not unusual
            why = f", and the other level{' has' if len(inside) == 2 else 's have'} far more"
        if empty and why:
            description = describe_empty_levels(
                f" of {name}" if name else "", empty, len(inside), EMPTY_LIMIT * noise, quantity
            )
            warn_usage(f"{description}{why}. {SPELLING_HINT}: is one misspelled?", UNUSED_LEVELS_TOPIC)
    if len(unnoticed) == len(variables):
        phrase = " and ".join(filter(None, unnoticed))
        warn_usage(
            f"no level{' of ' * bool(phrase)}{phrase} has a larger {quantity} than noise alone. {SPELLING_HINT}: are "
            "they misspelled? If they are not, there are too few records to tell at this epsilon.",
            UNUSED_LEVELS_TOPIC,
        )


def describe_empty_levels(
    variable_phrase: str, empty: Mapping[Level, float], n_levels: int, noise_limit: float, quantity: str
) -> str:
    """Describe the levels of `n_levels` that look empty; `variable_phrase` names the variable."""
    if len(empty) == n_levels > 1:
        shown = checks.format_public_value(list(empty))
        return f"no level{variable_phrase}, {shown}, has a larger {quantity} than noise alone"
    if len(empty) > 1:
        noise_phrase = f"none has a larger {quantity} than noise alone"
        return f"the levels {checks.format_public_value(list(empty))}{variable_phrase} look empty: {noise_phrase}"
    ((level, noisy_number),) = empty.items()
    noise_phrase = f"its noisy {quantity} is {noisy_number:,.0f}, where noise alone gives up to {noise_limit:,.0f}"
    return f"the level {level!r}{variable_phrase} looks empty: {noise_phrase}"


def warn_empty_groups(
    groups: Groups | None,
    counts: npt.ArrayLike,
    sd: float,
    *,
    has_all_records: bool = True,
    quantity: str = "number of records",
) -> None:
    """Warn of group levels that look empty, given a noisy number of each group; declared levels are not checked."""
    if groups is None or groups.conditions:
        return
    table = np.asarray(counts, dtype=np.float64).reshape([len(axis.names) for axis in groups.axes])
    warn_unused_levels(table, sd, [*zip(groups.names, groups.axes)], has_all_records=has_all_records, quantity=quantity)
