"""The records of a release: what is public of them, and a pass over all of them, by group and by unit."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Columns, Data, Placeholder, is_made_up
from pydpstat._data.containers import columns_of, is_frame, name_of, names_of
from pydpstat._data.table import Chunk, Table, table_of
from pydpstat._release.payment import Spender, defaults
from pydpstat._release.statistic import Missing, Options
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.results._group_labels import GroupLabels
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.contributions import Unit, kept
from pydpstat.statistics._kernels.groups import Groups, groups_of
from pydpstat.statistics._kernels.levels import Variables, variables_of
from pydpstat.statistics._kernels.selection import below

Folded = TypeVar("Folded")
# columns of the data by name, or columns of their own
Keys = str | Data
Reader = Callable[[object, str], Columns]


class Scope(NamedTuple):
    """By what groups and units to release, as it was given; `paid_for` is the unit of the budget.

    `crossed` tells that the variables' levels make the groups.
    """

    by: Any = None
    levels: object = None
    other: str | None = "other"
    unit: Any = None
    max_records: int | None = None
    max_groups: int | None = None
    paid_for: str | None = None
    crossed: bool = False

    @classmethod
    def of(
        cls,
        by: Any,
        levels: object,
        other: str | None,
        unit: Any,
        max_records: int | None,
        max_groups: int | None,
        budget: Spender | None,
    ) -> Scope:
        """Return what was given, with the unit of the budget that will pay."""
        paid_for = defaults(budget).unit if unit is None else None
        return cls(by, levels, other, unit, max_records, max_groups, paid_for)

    @property
    def plain(self) -> bool:
        """Whether nothing was given."""
        given = (self.by, self.levels, self.unit, self.max_records, self.max_groups, self.paid_for)
        return all([each is None for each in given])


class Part(NamedTuple):
    """Some records: their variables, and the group that each is in. Private."""

    columns: Columns
    places: np.ndarray | None

    def __repr__(self) -> str:
        return "Part(values withheld)"


class Layout(NamedTuple):
    """How the records of a chunk are read; all of it is public, and can be sent to another process.

    `variables`, `keys` and `ids` are columns' names where the chunk has them all; `single` tells that one
    variable is a single one, and no frame of one.
    """

    read: Reader
    argument: str
    missing: Missing
    groups: Groups | None
    unit: Unit | None
    variables: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    single: bool = False

    def of_chunk(self, chunk: Chunk) -> Part:
        """Read a chunk that has all columns."""
        columns = chunk.columns
        variables = Chunk({name: columns[name] for name in self.variables}, chunk.size)
        ids = None if self.unit is None else columns[self.unit.name]
        return self.part(variables, [columns[name] for name in self.keys], ids)

    def part(self, data: object, keys: Sequence[object], ids: Any) -> Part:
        """Read variables, find each record's group, and leave out what is in none or more than its unit's."""
        columns = self.read(data, self.argument)
        if self.single and len(columns.arrays) == 1 and columns.names is not None:
            name = columns.names[0] or None
            columns = Columns(columns.arrays, columns.missing, None, name, columns.size)
        places = None if self.groups is None else self.groups.places(keys, self.missing)
        if is_made_up(data):
            return Part(columns, None if places is None else places[:0])
        if places is not None and places.size != columns.size or ids is not None and len(ids) != columns.size:
            raise PydpstatError(
                f"by and unit must have a value for each of the {self.argument}'s records; they differ in "
                "length. Give columns of the same table."
            )
        stay = None if places is None or places.size == 0 or int(places.min()) >= 0 else places >= 0
        if self.unit is not None:
            stay = kept(ids, self.unit, places, columns.arrays)
        if stay is None or stay.all():
            return Part(columns, places)
        arrays = tuple(array[stay] for array in columns.arrays)
        gone = tuple(None if mask is None else mask[stay] for mask in columns.missing)
        columns = Columns(arrays, gone, columns.names, columns.name, columns.size)
        return Part(columns, None if places is None else places[stay])


@dataclass(frozen=True, slots=True)
class Records:
    """The records of a release. Public but for the part, and for the size unless neighbors are bounded.

    Parameters
    ----------
    names : tuple of str or None
        The variables' names; None for a single variable.
    name : str or None
        A single variable's name, where it has one.
    width : int
        Number of variables.
    size : int or None
        Number of records; None where it is not known before they are read.
    layout : Layout
        How they are read.
    part : Part or None
        All records, where they are in memory.
    table : Table or None
        Where they are read from otherwise.
    arguments : tuple of (str, value)
        What the call says of groups and units.
    """

    names: tuple[str, ...] | None
    name: str | None
    width: int
    size: int | None
    layout: Layout
    part: Part | None
    table: Table | None
    arguments: tuple[tuple[str, object], ...] = ()

    def __repr__(self) -> str:
        return "Records(values withheld)"

    @property
    def groups(self) -> Groups | None:
        """The groups; None without."""
        return self.layout.groups

    @property
    def group_number(self) -> int | None:
        """How many groups there are; None without."""
        return None if self.groups is None else self.groups.number

    @property
    def conditions(self) -> tuple[str, ...]:
        """What the guarantee rests on."""
        return () if self.groups is None else self.groups.conditions

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one number for each group and variable."""
        inner = () if self.names is None else (self.width,)
        return inner if self.groups is None else (self.groups.number, *inner)

    def fold(
        self,
        partial: Callable[[Part], Folded],
        merge: Callable[[Folded, Folded], Folded],
        whole: str | None = None,
    ) -> Folded:
        """Return what `partial` makes of all records, the parts' results merged.

        All records of a unit are in one part, and so are those of a value of the column `whole`.
        """
        if self.table is None:
            assert self.part is not None
            return partial(self.part)
        if self.layout.unit is not None:
            whole = self.layout.unit.name
        return self.table.fold(functools.partial(_of_chunk, self.layout, partial), merge, whole)

    def labels(self, statistic: str) -> Labels:
        """Return the names of one number for each group and variable."""
        return self.named(Labels(self.name or statistic, self.names))

    def named(self, each: Labels) -> Labels:
        """Return the names of what `each` names of one group."""
        if self.groups is None:
            return each
        return GroupLabels.of(each, self.groups.rows, self.groups.names)


def _of_chunk(layout: Layout, partial: Callable[[Part], Folded], chunk: Chunk) -> Folded:
    return partial(layout.of_chunk(chunk))


class Origin(NamedTuple):
    """Where columns are found by name: those in memory, or those of a table's sample. Private.

    `made_up` tells that there are no data, and that every column can be had without a record.
    """

    names: tuple[str, ...] | None
    columns: Mapping[str, Any]
    size: int
    table: Table | None
    made_up: bool = False


def records_of(
    data: object, how: Options, scope: Scope, source: Source, read: Reader, argument: str = "data"
) -> tuple[Records, Options]:
    """Read what is public of the records, and say how groups and units change their protection."""
    table = table_of(data)
    if table is None and scope.plain:
        columns = read(data, argument)
        layout = Layout(read, argument, how.missing, None, None)
        return _described(layout, columns, columns.size, how, Part(columns, None)), how
    origin = origin_of(data, table)
    if scope.unit is None and scope.paid_for in (origin.names or ()):
        scope = scope._replace(unit=scope.paid_for)
    keys, key_columns = keys_of(scope, origin)
    ids, unit = _unit(scope, origin, source)
    groups = scope_groups(scope, key_columns, how)
    if unit is not None:
        how = how._replace(unit=unit.name, most=unit.records)
    how = how._replace(scattered=groups is not None or unit is not None)
    used = {*keys, *([scope.unit] if isinstance(scope.unit, str) else [])}
    variables = tuple(name for name in origin.names or () if name not in used)
    if used and origin.names is not None and not variables:
        raise PydpstatError(f"{argument} must have a column besides those of by and unit; it has none.")
    single = origin.names is not None and (bool(used) or variables == ("",))
    layout = Layout(read, argument, how.missing, groups, unit, variables, keys, single)
    shown = shown_scope(scope, keys, groups, unit)
    if table is not None:
        sample = layout.of_chunk(Chunk(origin.columns, 0)).columns
        needed = table.select([name for name in origin.names or () if name in used or name in variables])
        size = needed.count() if how.bounded else None
        return _described(layout, sample, size, how, None, needed, shown), how
    inner = data
    if used and origin.names is not None:
        inner = inside(data, origin, variables)
    part = layout.part(inner, key_columns.columns, ids)
    return _described(layout, part.columns, part.columns.size, how, part, None, shown), how


def inside(data: object, origin: Origin, variables: tuple[str, ...]) -> object:
    """Return some columns of a frame in memory, or what stands for them."""
    if isinstance(data, Placeholder):
        return Placeholder(data.size, variables)
    return Chunk({name: origin.columns[name] for name in variables}, origin.size)


def _described(
    layout: Layout,
    columns: Columns,
    size: int | None,
    how: Options,
    part: Part | None,
    table: Table | None = None,
    arguments: tuple[tuple[str, object], ...] = (),
) -> Records:
    known = size if how.bounded else None
    return Records(columns.names, columns.name, len(columns.arrays), known, layout, part, table, arguments)


def origin_of(data: object, table: Table | None) -> Origin:
    """Return where the columns of data are found by name."""
    if is_made_up(data):
        return Origin(getattr(data, "columns", None), {}, 0, None, made_up=True)
    if table is not None:
        return Origin(table.names, table.sample().columns, 0, table)
    if is_frame(data):
        names = names_of(data)
        return Origin(names, dict(zip(names, columns_of(data))), len(data), None)
    return Origin(None, {}, 0, None)


def keys_of(scope: Scope, origin: Origin) -> tuple[tuple[str, ...], Variables]:
    """Return the keys that are columns of the data, and the keys' columns."""
    by: Any = scope.by
    if by is None:
        return (), Variables((), (), 0)
    names = (by,) if isinstance(by, str) else by
    if isinstance(names, (list, tuple)) and names and all(isinstance(each, str) for each in names):
        if origin.names is None and not isinstance(by, str) and not origin.made_up:
            # a list of texts beside an array: a value for each record
            return (), variables_of(list(names), "by")
        columns = tuple(_column(origin, name, "by") for name in names)
        return tuple(names), Variables(columns, tuple(names), origin.size)
    if origin.table is not None:
        raise _no_column("by", by)
    return (), variables_of(by, "by")


def _unit(scope: Scope, origin: Origin, source: Source) -> tuple[object, Unit | None]:
    """Return whose data each record is, and how many records of a unit count."""
    if scope.unit is None:
        for name in ("max_records", "max_groups"):
            if getattr(scope, name) is not None:
                raise PydpstatError(f"{name} must not be given without unit. Say whose data the records are.")
        return None, None
    if isinstance(scope.unit, str):
        ids, name = _column(origin, scope.unit, "unit"), scope.unit
    elif origin.table is not None:
        raise _no_column("unit", scope.unit)
    else:
        ids, name = scope.unit, name_of(scope.unit) or "unit"
    hint = "Give the most records that count of one unit, for example 3."
    most = checks.integer(scope.max_records, "max_records", 1, hint=hint)
    limit = scope.max_groups
    if limit is not None:
        if scope.by is None and not scope.crossed:
            raise PydpstatError("max_groups must not be given without by, whose groups it limits.")
        limit = checks.integer(limit, "max_groups", 1, hint="Give the most groups that one unit counts in.")
    return ids, Unit(name, most, limit, below(1 << 53, source))


def scope_groups(scope: Scope, keys: Variables, how: Options) -> Groups | None:
    """Return the public groups; None without any."""
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
            f"{argument} must hold a value for each record where the data have no named columns; "
            f"got {checks.shown(name)}. Give a column, or a frame that has it."
        )
    raise PydpstatError(
        f"{argument} must be a column of the data; got {checks.shown(name)}, and they have "
        f"{checks.excerpt(list(origin.names))}. {checks.did_you_mean(name, origin.names)}"
    )


def _no_column(argument: str, given: object) -> PydpstatError:
    return PydpstatError(
        f"{argument} must name columns of data that are not in memory; got {type(given).__name__}. "
        "Give a column's name."
    )


def shown_scope(
    scope: Scope, keys: tuple[str, ...], groups: Groups | None, unit: Unit | None
) -> tuple[tuple[str, object], ...]:
    """Return what the call says of groups and units."""
    said: list[tuple[str, object]] = []
    if groups is not None:
        names = keys or tuple(name or "by" for name in groups.names)
        said.append(("by", names[0] if len(names) == 1 else names))
        if not any(each.closed for each in groups.public):
            said.append(("levels", groups.shown))
        if scope.other != "other":
            said.append(("other", scope.other))
    if unit is not None:
        said += [("unit", unit.name), ("max_records", unit.records)]
        if unit.groups is not None:
            said.append(("max_groups", unit.groups))
    return tuple(said)
