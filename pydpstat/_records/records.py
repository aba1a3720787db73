"""Records of a release: their public properties, and passes over all records by group and by unit."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from pydpstat._data.aggregates import AggregateQuery, AggregateRow
from pydpstat._data.alignment import check_equal_indexes
from pydpstat._data.columns import Columns, Placeholder, is_placeholder
from pydpstat._data.containers import Column
from pydpstat._data.native import name_data_argument, to_pandas_or_numpy
from pydpstat._data.table import Chunk, ColumnView, Table, as_table
from pydpstat._frozen import hide_values
from pydpstat._records.contributions import (
    ContributionBounds,
    SamplingDesign,
    check_sample,
    encode_units,
    select_contributions,
)
from pydpstat._records.groups import (
    ColumnOrigin,
    get_scope_arguments,
    make_column_origin,
    make_scope_groups,
    read_keys,
    read_unit,
)
from pydpstat._records.levels import Groups
from pydpstat._release.options import Missing, Options
from pydpstat.errors import PydpstatError
from pydpstat.results._labels import GroupLabels, Labels

Folded = TypeVar("Folded")
Reader = Callable[[object, str], Columns]
_IN_MEMORY = (np.ndarray, list, tuple)


class RecordChunk(NamedTuple):
    """Variables of some records and the group code of each record. Private."""

    columns: Columns
    group_codes: np.ndarray | None

    def __repr__(self) -> str:
        return hide_values(self)

    @property
    def n_records(self) -> int:
        """Number of records, without dropped ones."""
        return int(self.columns.arrays[0].size)


class RecordLayout(NamedTuple):
    """Instructions for reading the records of a chunk; all of it is public and can be sent to another process.

    `variables`, `keys` and `ids` are names of columns if the chunk has all of them. `is_single` tells whether
    a single variable is read, rather than a frame with one column.
    """

    reader: Reader
    argument: str
    missing: Missing
    groups: Groups | None
    unit: ContributionBounds | None
    sample: SamplingDesign | None = None
    variables: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    is_single: bool = False

    def read_chunk(self, chunk: Chunk) -> RecordChunk:
        """Read a chunk that has all columns."""
        columns = chunk.columns
        variables = Chunk({name: columns[name] for name in self.variables}, chunk.size)
        ids = None if self.unit is None else columns[self.unit.name]
        return self.read_part(variables, [columns[name] for name in self.keys], ids)

    def read_part(self, data: object, keys: Sequence[object], ids: Column | None) -> RecordChunk:
        """Read variables and group codes; drop records in no group and those above their unit's contribution bound."""
        columns = self.reader(data, self.argument)
        if self.is_single and len(columns.arrays) == 1 and columns.names is not None:
            name = columns.names[0] or None
            columns = Columns(columns.arrays, columns.missing, None, name, columns.size)
        group_codes = None if self.groups is None else self.groups.compute_group_codes(keys, self.missing)
        if is_placeholder(data):
            return RecordChunk(columns, None if group_codes is None else group_codes[:0])
        for argument, rows in (("by", group_codes), ("unit", ids)):
            if rows is not None and len(rows) != columns.size:
                raise PydpstatError(
                    f"{argument} must have a value for each record of {self.argument}; its length "
                    "differs. Give columns of the same table, or the names of its columns."
                )
        stay = self._select_records(columns, group_codes, ids)
        return (
            RecordChunk(columns, group_codes)
            if stay is None or stay.all()
            else _select_subset(columns, group_codes, stay)
        )

    def _select_records(
        self, columns: Columns, group_codes: np.ndarray | None, ids: Column | None
    ) -> np.ndarray | None:
        """Return a mask of the records in the sample and in a group, within their unit's contribution bounds.

        None selects all records.
        """
        stay = None if group_codes is None or group_codes.size == 0 or int(group_codes.min()) >= 0 else group_codes >= 0
        if self.sample is not None:
            drawn = _draw_sample(self.sample, columns.size, ids, self.unit)
            stay = drawn if stay is None else stay & drawn
        if self.unit is None:
            return stay
        if stay is not None:
            group_codes = np.where(stay, 0 if group_codes is None else group_codes, -1)
        # represent missing values by NaN, in Boolean arrays too
        values = [
            array if is_missing is None else np.where(is_missing, np.nan, array)
            for array, is_missing in zip(columns.arrays, columns.missing)
        ]
        return select_contributions(ids, self.unit, group_codes, values)


def _draw_sample(sample: SamplingDesign, size: int, ids: Column | None, unit: ContributionBounds | None) -> np.ndarray:
    """Return a mask of the records in the sample; a unit is sampled with all of its records."""
    if unit is None:
        return sample.draw_records(size)
    codes, names = encode_units(ids, unit.name)
    return sample.draw_records(names.size)[codes]


def _select_subset(columns: Columns, group_codes: np.ndarray | None, is_selected: np.ndarray) -> RecordChunk:
    """Return the selected records; `columns.size` remains the number of all records."""
    arrays = tuple(array[is_selected] for array in columns.arrays)
    missing = tuple(None if mask is None else mask[is_selected] for mask in columns.missing)
    inside = Columns(arrays, missing, columns.names, columns.name, columns.size)
    return RecordChunk(inside, None if group_codes is None else group_codes[is_selected])


class Records(NamedTuple):
    """Records of a release. Public except for `part`, and for the size unless neighbors are bounded.

    `name` is the name of a single variable, for which `names` is None. `public_size` is the number of records
    if it is public and known, and `count_records` counts the records of a table, once. `part` has the records of
    data in memory, and `table` is the table of other data.
    """

    names: tuple[str, ...] | None
    name: str | None
    width: int
    public_size: int | None
    layout: RecordLayout
    part: RecordChunk | None
    table: Table | None
    arguments: tuple[tuple[str, object], ...] = ()
    count_records: Callable[[], int | None] | None = None

    def __repr__(self) -> str:
        return hide_values(self)

    @property
    def size(self) -> int | None:
        """Number of records; None if it is private, or unknown before a pass over the data.

        The records of a table are counted here, since an engine may have to read the data for it, and all arguments
        are checked by then. `sum_with_size` avoids this extra pass.
        """
        if self.count_records is None:
            return self.public_size
        with name_data_argument(self.layout.argument):
            return self.count_records()

    @property
    def groups(self) -> Groups | None:
        """Groups; None if there are none."""
        return self.layout.groups

    @property
    def n_groups(self) -> int | None:
        """Number of groups; None if there are none."""
        return None if self.groups is None else self.groups.n_groups

    @property
    def has_several_groups(self) -> bool:
        """Whether there are at least two groups, so that a replaced record may change groups."""
        return self.groups is not None and self.groups.n_groups > 1

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions of the guarantee that come from the groups."""
        return () if self.groups is None else self.groups.conditions

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an array with one number for each group and variable."""
        inner = () if self.names is None else (self.width,)
        return inner if self.groups is None else (self.groups.n_groups, *inner)

    def fold(
        self,
        map_part: Callable[[RecordChunk], Folded],
        merge: Callable[[Folded, Folded], Folded],
        undivided_column: str | None = None,
    ) -> Folded:
        """Apply `map_part` to each part of the records and merge the results.

        All records of a unit are in one part, and so are all records with equal values in the column
        `undivided_column`.
        """
        if self.table is None:
            assert self.part is not None
            return map_part(self.part)
        if self.layout.unit is not None:
            undivided_column = self.layout.unit.name
        with name_data_argument(self.layout.argument):
            return self.table.fold(functools.partial(_map_chunk, self.layout, map_part), merge, undivided_column)

    @property
    def engine_table(self) -> Table | None:
        """Table in which counts and sums may be computed; None in memory, by unit and of a sample."""
        return self.table if self.layout.unit is None and self.layout.sample is None else None

    def compute_in_engine(self, question: AggregateQuery) -> list[AggregateRow] | None:
        """Compute counts and sums in the engine; return None if the records must be read."""
        table = self.engine_table
        if table is None:
            return None
        with name_data_argument(self.layout.argument):
            return table.select_columns([name for name, _ in question.required_columns]).compute_aggregates(question)

    def sum_with_size(
        self,
        sum_records: Callable[[], Folded],
        get_size: Callable[[Folded], int],
        check_size: Callable[[int], None],
    ) -> tuple[Folded, int | None]:
        """Return the sums and, if public, the number of records, in one pass over the data.

        `get_size` returns the number of records from the sums. `check_size` raises an error if there are too few
        records; it is called before the pass if the number is known by then.
        """
        if self.public_size is not None:
            check_size(self.public_size)
        sums = sum_records()
        if self.count_records is None:
            return sums, self.public_size
        size = get_size(sums)
        check_size(size)
        return sums, size

    def make_labels(self, statistic: str) -> Labels:
        """Return labels for one number for each group and variable."""
        return self.label_groups(Labels(self.name or statistic, self.names))

    def label_groups(self, labels: Labels) -> Labels:
        """Return labels by group, given the labels of one group."""
        if self.groups is None:
            return labels
        return GroupLabels.from_labels(labels, self.groups.rows, self.groups.names)


def _map_chunk(layout: RecordLayout, map_part: Callable[[RecordChunk], Folded], chunk: Chunk) -> Folded:
    return map_part(layout.read_chunk(chunk))


def read_records(data: object, options: Options, reader: Reader, argument: str = "data") -> tuple[Records, Options]:
    """Read the public properties of the records; return them with the options adjusted for groups and units."""
    table = None
    # skip the check for engines if the data are certainly in memory
    if type(data) not in _IN_MEMORY:
        data = to_pandas_or_numpy(data, argument)
        with name_data_argument(argument):
            table = as_table(data)
    scope = options.scope
    check_equal_indexes((argument, data), ("by", scope.by), ("unit", scope.unit))
    if table is None and scope.is_empty:
        columns = reader(data, argument)
        layout = RecordLayout(reader, argument, options.missing, None, None)
        return _make_records(layout, columns, columns.size, options, RecordChunk(columns, None)), options
    origin = make_column_origin(data, table, argument)
    if scope.unit is None and scope.budget_unit in (origin.names or ()):
        scope = scope._replace(unit=scope.budget_unit)
    keys, key_variables = read_keys(scope, origin)
    ids, unit = read_unit(scope, origin, options.source)
    groups = make_scope_groups(scope, key_variables, options)
    if unit is not None:
        options = options._replace(unit=unit.name, contribution_bound=unit.max_records)
    # with one record per unit, the number of records is as public as the number of units
    options = options._replace(
        has_private_group_sizes=groups is not None or unit is not None and not scope.has_one_record_per_unit
    )
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
    single = single or isinstance(data, ColumnView) and data.is_single
    sample = None
    if scope.sample is not None:
        once = table is not None
        sample = check_sample(scope.sample, options, has_unit=unit is not None, is_read_once=once)
    layout = RecordLayout(reader, argument, options.missing, groups, unit, sample, variables, keys, single)
    shown = get_scope_arguments(scope, keys, groups, unit, sample)
    if table is not None:
        if sample is not None:
            options = sample.add_sampling_rate(options, 0)
        columns = layout.read_chunk(Chunk(origin.columns, 0)).columns
        needed = table.select_columns([name for name in origin.names or () if name in used or name in variables])
        return _make_records(layout, columns, None, options, None, needed, shown), options
    inner = data
    if used and origin.names is not None:
        inner = select_variables(data, origin, variables)
    chunk = layout.read_part(inner, key_variables.columns, ids)
    size = chunk.n_records if scope.has_one_record_per_unit else chunk.columns.size
    if sample is not None:
        options = sample.add_sampling_rate(options, size)
        size = sample.compute_sample_size(size) if sample.is_fixed_size else size
    return _make_records(layout, chunk.columns, size, options, chunk, None, shown), options


def select_variables(data: object, origin: ColumnOrigin, variables: tuple[str, ...]) -> object:
    """Return columns of a frame in memory, or a placeholder for them."""
    if isinstance(data, Placeholder):
        return Placeholder(data.size, variables)
    return Chunk({name: origin.columns[name] for name in variables}, origin.size)


def _make_records(
    layout: RecordLayout,
    columns: Columns,
    size: int | None,
    options: Options,
    part: RecordChunk | None,
    table: Table | None = None,
    arguments: tuple[tuple[str, object], ...] = (),
) -> Records:
    public_size = size if options.has_public_size else None
    names, width = columns.names, len(columns.arrays)
    records = Records(names, columns.name, width, public_size, layout, part, table, arguments)
    if table is None or not options.has_public_size:
        return records
    number = operator.attrgetter("n_records")
    count = table.count_records if layout.unit is None else functools.partial(records.fold, number, operator.add)
    return records._replace(count_records=functools.cache(count))
