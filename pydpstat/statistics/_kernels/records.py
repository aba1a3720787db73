"""The records of a release: what is public of them, and a pass over all of them, by group and by unit."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from pydpstat._data.columns import Columns, Placeholder, is_made_up
from pydpstat._data.containers import Column
from pydpstat._data.held import about, in_memory
from pydpstat._data.questions import Question, Row
from pydpstat._data.table import Chunk, Table, View, table_of
from pydpstat._release.options import Missing, Options
from pydpstat.errors import PydpstatError
from pydpstat.results._labels import GroupLabels, Labels
from pydpstat.statistics._kernels.contributions import Sample, Unit, kept, sample_of, unit_codes
from pydpstat.statistics._kernels.levels import Groups
from pydpstat.statistics._kernels.scope import Origin, keys_of, origin_of, scope_groups, shown_scope, unit_of

Folded = TypeVar("Folded")
Reader = Callable[[object, str], Columns]
_IN_MEMORY = (np.ndarray, list, tuple)


class Part(NamedTuple):
    """Some records: their variables, and the group that each is in. Private."""

    columns: Columns
    places: np.ndarray | None

    def __repr__(self) -> str:
        return "Part(values withheld)"

    @property
    def records(self) -> int:
        """How many records there are, without those that were left out."""
        return int(self.columns.arrays[0].size)


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
    sample: Sample | None = None
    variables: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    single: bool = False

    def of_chunk(self, chunk: Chunk) -> Part:
        """Read a chunk that has all columns."""
        columns = chunk.columns
        variables = Chunk({name: columns[name] for name in self.variables}, chunk.size)
        ids = None if self.unit is None else columns[self.unit.name]
        return self.part(variables, [columns[name] for name in self.keys], ids)

    def part(self, data: object, keys: Sequence[object], ids: Column | None) -> Part:
        """Read variables, find each record's group, and leave out what is in none or more than its unit's."""
        columns = self.read(data, self.argument)
        if self.single and len(columns.arrays) == 1 and columns.names is not None:
            name = columns.names[0] or None
            columns = Columns(columns.arrays, columns.missing, None, name, columns.size)
        places = None if self.groups is None else self.groups.places(keys, self.missing)
        if is_made_up(data):
            return Part(columns, None if places is None else places[:0])
        for given, rows in (("by", places), ("unit", ids)):
            if rows is not None and len(rows) != columns.size:
                raise PydpstatError(
                    f"{given} must have a value for each record of {self.argument}; its length "
                    "differs. Give columns of the same table, or the names of its columns."
                )
        stay = self._staying(columns, places, ids)
        return Part(columns, places) if stay is None or stay.all() else _subset(columns, places, stay)

    def _staying(self, columns: Columns, places: np.ndarray | None, ids: Column | None) -> np.ndarray | None:
        """Return which records are in the sample and in a group, and among those of their unit that count."""
        stay = None if places is None or places.size == 0 or int(places.min()) >= 0 else places >= 0
        if self.sample is not None:
            drawn = _sampled(self.sample, columns.size, ids, self.unit)
            stay = drawn if stay is None else stay & drawn
        if self.unit is None:
            return stay
        if stay is not None:
            places = np.where(stay, 0 if places is None else places, -1)
        # one sign for what is missing, whether numbers or truth values
        values = [
            array if gone is None else np.where(gone, np.nan, array)
            for array, gone in zip(columns.arrays, columns.missing)
        ]
        return kept(ids, self.unit, places, values)


def _sampled(sample: Sample, size: int, ids: Column | None, unit: Unit | None) -> np.ndarray:
    """Return which records are in the sample: a unit is in it with all of its records."""
    if unit is None:
        return sample.drawn(size)
    codes, names = unit_codes(ids, unit.name)
    return sample.drawn(names.size)[codes]


def _subset(columns: Columns, places: np.ndarray | None, stay: np.ndarray) -> Part:
    """Return the records that stay; how many there were remains known."""
    arrays = tuple(array[stay] for array in columns.arrays)
    gone = tuple(None if mask is None else mask[stay] for mask in columns.missing)
    inside = Columns(arrays, gone, columns.names, columns.name, columns.size)
    return Part(inside, None if places is None else places[stay])


class Records(NamedTuple):
    """The records of a release. Public but for the part, and for the size unless neighbors are bounded.

    `name` is a single variable's, whose `names` are None. `known` is the number of records where it is public
    and at hand, and `counted` counts a table's, once; `part` has all records that are in memory, `table`
    others.
    """

    names: tuple[str, ...] | None
    name: str | None
    width: int
    known: int | None
    layout: Layout
    part: Part | None
    table: Table | None
    arguments: tuple[tuple[str, object], ...] = ()
    counted: Callable[[], int | None] | None = None

    def __repr__(self) -> str:
        return "Records(values withheld)"

    @property
    def size(self) -> int | None:
        """Number of records, if public; None where it is not known before they are read.

        A table is asked for it here and not before: an engine may have to read for it, and by then all
        arguments are checked. `numbered` has it without.
        """
        if self.counted is None:
            return self.known
        with about(self.layout.argument):
            return self.counted()

    @property
    def groups(self) -> Groups | None:
        """The groups; None without."""
        return self.layout.groups

    @property
    def group_number(self) -> int | None:
        """How many groups there are; None without."""
        return None if self.groups is None else self.groups.number

    @property
    def apart(self) -> bool:
        """Whether there are several groups, of which a record may leave one and enter another."""
        return self.groups is not None and self.groups.number > 1

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
        with about(self.layout.argument):
            return self.table.fold(functools.partial(_of_chunk, self.layout, partial), merge, whole)

    def ask(self, question: Question) -> list[Row] | None:
        """Return what an engine counts and adds up itself; None where the records have to be read."""
        if self.table is None or self.layout.unit is not None or self.layout.sample is not None:
            return None
        with about(self.layout.argument):
            return self.table.select([name for name, _ in question.needs]).ask(question)

    def numbered(
        self, add_up: Callable[[], Folded], number: Callable[[Folded], int], check: Callable[[int], None]
    ) -> tuple[Folded, int | None]:
        """Return what is added up, and the number of records; None where it is private.

        An engine would have to read for the number, which the sums have in them: data are read once.

        `number` tells how many records were added up, and `check` raises an error where there are too few,
        before they are read where their number is at hand.
        """
        if self.known is not None:
            check(self.known)
        found = add_up()
        if self.counted is None:
            return found, self.known
        size = number(found)
        check(size)
        return found, size

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


def records_of(data: object, how: Options, read: Reader, argument: str = "data") -> tuple[Records, Options]:
    """Read what is public of the records, and say how groups and units change their protection."""
    table = None
    # what is surely in memory needs no look at the engines
    if type(data) not in _IN_MEMORY:
        data = in_memory(data, argument)
        with about(argument):
            table = table_of(data)
    scope = how.scope
    if table is None and scope.plain:
        columns = read(data, argument)
        layout = Layout(read, argument, how.missing, None, None)
        return _described(layout, columns, columns.size, how, Part(columns, None)), how
    origin = origin_of(data, table, argument)
    if scope.unit is None and scope.paid_for in (origin.names or ()):
        scope = scope._replace(unit=scope.paid_for)
    keys, own = keys_of(scope, origin)
    ids, unit = unit_of(scope, origin, how.source)
    groups = scope_groups(scope, own, how)
    if unit is not None:
        how = how._replace(unit=unit.name, most=unit.records)
    # of units that have one record each the number is as public as that of records
    how = how._replace(scattered=groups is not None or unit is not None and not scope.alone)
    used = {*keys, *([scope.unit] if isinstance(scope.unit, str) else [])}
    variables = tuple(name for name in origin.names or () if name not in used)
    if unit is not None and unit.name in variables and not isinstance(scope.unit, str):
        raise PydpstatError(
            f"{argument} must not have the unit's column {unit.name!r} among its variables. Give it "
            f"only by name, unit={unit.name!r}, or select the other columns."
        )
    if used and origin.names is not None and not variables:
        raise PydpstatError(f"{argument} must have a column apart from those of by and unit; it has none.")
    single = origin.names is not None and (bool(used) or variables == ("",))
    single = single or isinstance(data, View) and data.single
    sample = None
    if scope.sample is not None:
        once = table is not None
        sample = sample_of(scope.sample, how, by_unit=unit is not None, read_once=once)
    layout = Layout(read, argument, how.missing, groups, unit, sample, variables, keys, single)
    shown = shown_scope(scope, keys, groups, unit, sample)
    if table is not None:
        if sample is not None:
            how = sample.protected(how, 0)
        columns = layout.of_chunk(Chunk(origin.columns, 0)).columns
        needed = table.select([name for name in origin.names or () if name in used or name in variables])
        return _described(layout, columns, None, how, None, needed, shown), how
    inner = data
    if used and origin.names is not None:
        inner = inside(data, origin, variables)
    part = layout.part(inner, own.columns, ids)
    size = part.records if scope.alone else part.columns.size
    if sample is not None:
        how = sample.protected(how, size)
        size = sample.number_of(size) if sample.fixed else size
    return _described(layout, part.columns, size, how, part, None, shown), how


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
    names, width = columns.names, len(columns.arrays)
    records = Records(names, columns.name, width, known, layout, part, table, arguments)
    if table is None or not how.bounded:
        return records
    number = operator.attrgetter("records")
    count = table.count if layout.unit is None else functools.partial(records.fold, number, operator.add)
    return records._replace(counted=functools.cache(count))
