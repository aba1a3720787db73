"""Samples of a test: selection of columns, reading of weights and one record of each unit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence, Sized
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.alignment import check_equal_indexes
from pydpstat._data.columns import Columns, VariableBounds, read_booleans, read_numbers, read_single_column
from pydpstat._data.containers import (
    Column,
    get_series_name,
    has_attributes,
    has_rows,
    is_frame,
    is_series,
    is_vector,
    take_rows,
    with_default_index,
)
from pydpstat._data.native import name_data_argument, read_frame, require_row_order, to_pandas_or_numpy, to_series
from pydpstat._data.table import Chunk, Table, as_table
from pydpstat._frozen import hide_values
from pydpstat._records.association import check_lengths
from pydpstat._records.contributions import ContributionBounds, Hashes, encode_units, select_contributions
from pydpstat._records.groups import make_column_origin
from pydpstat._records.levels import read_crossed_variables
from pydpstat._release.options import Options
from pydpstat._release.scope import EMPTY_SCOPE, Scope
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.random._weighted_choice import draw_integer_below

Array = np.ndarray
Reader = Callable[["Column"], Array]


class InputColumns(NamedTuple):
    """Selected columns, in memory or of a table; private except for their names and types."""

    names: tuple[str, ...]
    columns: tuple[Any, ...]
    table: Table | None = None

    def __repr__(self) -> str:
        return hide_values(self)

    def drop_column(self, name: str | None) -> InputColumns:
        """Return the columns without the one called `name`."""
        if name not in self.names:
            return self
        stay = [index for index, column_name in enumerate(self.names) if column_name != name]
        names, columns = (tuple(items[index] for index in stay) for items in (self.names, self.columns))
        return InputColumns(names, columns, self.table)

    def read_columns(self, readers: Sequence[Reader]) -> list[Array]:
        """Apply a reader to each column, chunk by chunk for a table; readers must work element by element."""
        if self.table is None:
            return [reader(column) for reader, column in zip(readers, self.columns)]
        names = self.names

        def read_chunk(chunk: Chunk) -> list[list[Array]]:
            return [[reader(chunk.columns[name])] for reader, name in zip(readers, names)]

        chunks_by_column = self.table.select_columns(names).fold(
            read_chunk, lambda one, other: [a + b for a, b in zip(one, other)]
        )
        return [np.concatenate(chunks) for chunks in chunks_by_column]


def select_columns(data: object, names: Sequence[str], argument: str) -> InputColumns:
    """Select columns by name; those of an array must match `names` in number and order."""
    data = to_pandas_or_numpy(data, argument)
    table = as_table(data)
    if table is not None or isinstance(data, Mapping) or is_frame(data):
        columns = _get_columns(data, table, argument)
        missing_names = [name for name in names if name not in columns.names]
        if missing_names:
            shown = checks.format_public_value(list(columns.names))
            raise PydpstatError(f"{argument} must have a column {missing_names[0]!r}; it has {shown}.")
        by_name = dict(zip(columns.names, columns.columns))
        return InputColumns(tuple(names), tuple(by_name[name] for name in names), table)
    arrays = read_numbers(data, argument).arrays
    if argument == "data" or len(arrays) != len(names):
        raise PydpstatError(
            f"{argument} must have the columns {checks.format_public_value(list(names))}; got {len(arrays)} "
            f"column{'s' * (len(arrays) != 1)} without names. Give a DataFrame, or a dict of columns."
        )
    return InputColumns(tuple(names), arrays)


def has_column(data: object, name: str) -> bool:
    """Return whether the data have a column called `name`; False for arrays."""
    data = to_pandas_or_numpy(data)
    table = as_table(data)
    if table is not None or isinstance(data, Mapping) or is_frame(data):
        return name in _get_columns(data, table, "data").names
    return False


def get_all_columns(data: object) -> InputColumns:
    """Return all columns of the predictors; unnamed columns of an array are called x1, x2, ..."""
    data = to_pandas_or_numpy(data)
    unordered_table = as_table(data)
    table = None if unordered_table is None else require_row_order(unordered_table, data)
    if table is not None or isinstance(data, Mapping) or is_frame(data):
        return _get_columns(data, table, "data")
    arrays = read_numbers(data).arrays
    single = is_vector(data) and has_rows(data) and get_series_name(data)
    names = [str(single)] if single else [f"x{index + 1}" for index in range(len(arrays))]
    return InputColumns(tuple(names), arrays)


def get_response_column(response: object, predictors: Sequence[str], binary: bool = False) -> tuple[str, InputColumns]:
    """Return the name and the single column of a response that is passed as an array instead of a formula.

    It must be numeric unless `binary`. An unnamed response is called y, or response if a predictor is called y.
    """
    unnamed = "response" if "y" in predictors else "y"
    response = to_pandas_or_numpy(response, "formula")
    with name_data_argument("formula"):
        unordered_table = as_table(response)
        table = None if unordered_table is None else require_row_order(unordered_table, response)
    if binary:
        variables = read_crossed_variables(response if table is None else table.make_empty_chunk(), "formula")
        if len(variables.columns) != 1:
            raise PydpstatError(
                f"formula must be one variable; got {len(variables.columns)} columns. Give one column at a time."
            )
        name = variables.names[0] or unnamed
        return name, InputColumns((name,), variables.columns, table)
    column = read_single_column(response if table is None else table.make_empty_chunk(), "formula")
    if table is None:
        return get_series_name(response) or unnamed, InputColumns(("y",), column.arrays)
    return table.names[0] or unnamed, InputColumns(table.names, column.arrays, table)


def _get_columns(data: object, table: Table | None, argument: str) -> InputColumns:
    if table is not None:
        types = table.make_empty_chunk().columns
        return InputColumns(table.names, tuple(types[name] for name in table.names), table)
    variables = read_crossed_variables(data, argument)
    return InputColumns(variables.names, variables.columns)


class WeightedVariable(NamedTuple):
    """Variable and weights as passed by the user; private."""

    data: object
    weights: object


def read_weighted_variable(
    given: object, _: str, get_pair: Callable[[object], WeightedVariable], argument: str, is_boolean: bool
) -> Columns:
    """Read a variable and its weights as two columns of equal length."""
    pair = get_pair(given)
    variable, weights = (
        _read_variable(pair.data, argument, is_boolean),
        read_single_column(pair.weights, "weights"),
    )
    check_lengths(variable.size, weights.size, f"{argument} and weights")
    arrays = variable.arrays + weights.arrays
    return Columns(arrays, variable.missing + weights.missing, None, variable.name, variable.size)


def read_domain_sample(
    given: object,
    argument: str,
    get_pair: Callable[[object], WeightedVariable],
    read_columns: Callable[..., Columns],
    drop: bool,
) -> Columns:
    """Read a variable and its weights, both set to 0 for records outside a domain.

    Records with weights of at most 0 are outside; with `drop`, so are those with missing values.
    """
    columns = read_columns(given, argument, get_pair=get_pair)
    values, weights = (array.astype(np.float64) for array in columns.arrays)
    outside = weights <= 0.0
    if drop:
        outside |= np.isnan(values) | np.isnan(weights)
    values[outside] = weights[outside] = 0.0
    return Columns((values, weights), columns.missing, None, columns.name, columns.size)


def _read_variable(data: object, argument: str, is_boolean: bool) -> Columns:
    columns = read_single_column(data, argument, read_booleans if is_boolean else read_numbers)
    if not is_boolean:
        return columns
    values, absent = columns.arrays[0].astype(np.float64), columns.missing[0]
    if absent is not None:
        values[absent] = np.nan
    return Columns((values,), (None,), None, columns.name, columns.size)


def read_weighted_products(
    given: object,
    argument: str,
    get_pair: Callable[[object], WeightedVariable],
    read_columns: Callable[..., Columns],
    bounds: VariableBounds,
    largest: float,
) -> Columns:
    """Read the products of the clipped variable and the weights clipped to [0, `largest`]."""
    columns = read_columns(given, argument, get_pair=get_pair)
    values, times = columns.arrays
    # each rounded product depends on one record only, so rounding does not increase the sensitivity
    product = np.clip(values, *bounds) * np.clip(times, 0.0, largest)
    return Columns((product,), (None,), None, columns.name, columns.size)


RecordMask = npt.NDArray[np.bool_]


class Sample(NamedTuple):
    """A sample and the scope with the privacy unit of its records; private."""

    data: Any
    scope: Scope

    def __repr__(self) -> str:
        return hide_values(self)

    @property
    def name(self) -> str | None:
        """Name of the sample if it is a named series, else None; public like a column name."""
        return get_series_name(self.data) if has_attributes(self.data, "dtype") else None


def assign_units_to_samples(ids: Sequence[object], name: str, max_records: int, source: Source) -> list[RecordMask]:
    """Return a mask of the contributing records of each sample.

    Each unit contributes to one sample only, with at most `max_records` records. A keyed hash of the unit and
    of the samples that contain it selects the sample, independently of the unit's values: if membership in the
    samples is public, so are the resulting sample sizes. The records of a unit are selected by their order.
    """
    hashes = [compute_id_hashes(sample_ids, name) for sample_ids in ids]
    sample_indices = np.repeat(np.arange(len(hashes)), [sample_hashes.size for sample_hashes in hashes])
    chosen = ContributionBounds(name, max_records, 1, draw_integer_below(1 << 53, source))
    stay = select_contributions(np.concatenate(hashes), chosen, sample_indices, ())
    return np.split(stay, np.cumsum([sample_hashes.size for sample_hashes in hashes])[:-1])


def read_samples_by_unit(
    given: Sequence[object], arguments: Sequence[str], unit: object, options: Options
) -> list[Sample]:
    """Return the samples, reduced so that each unit is in at most one of them; the test then reads them in turn.

    If `unit` is a column name, each sample is a data frame of a variable and that column. Otherwise each sample
    is a column and `unit` has the ids of its records.
    """
    scope = options.use_one_record_per_unit(unit).scope
    if scope is EMPTY_SCOPE:
        return [Sample(sample, EMPTY_SCOPE) for sample in given]
    read = [read_frame(sample, argument) for sample, argument in zip(given, arguments)]
    origins = [make_column_origin(sample, None, argument) for sample, argument in zip(read, arguments)]
    if unit is None:
        if not all(scope.budget_unit in (origin.names or ()) for origin in origins):
            # without ids the release protects records, which the budget refuses
            return [Sample(sample, EMPTY_SCOPE) for sample in read]
        unit = scope.budget_unit
    if isinstance(unit, str):
        name, ids, values = unit, [], []
        for argument, origin in zip(arguments, origins):
            if origin.names is None or unit not in origin.names or len(origin.names) != 2:
                raise PydpstatError(
                    f"{argument} must be a data frame with a variable and the column {unit!r}, which "
                    "unit names; got "
                    f"{'no frame' if origin.names is None else checks.format_public_value(list(origin.names))}. "
                    "Give such a data frame, or a list of columns with ids for each sample."
                )
            ids.append(origin.columns[unit])
            values += [column for label, column in origin.columns.items() if label != unit]
    else:
        ids, values = check_sample_ids(unit, read), read
        name = get_series_name(ids[0]) or "unit"
    stays = assign_units_to_samples(ids, name, sys.maxsize, options.source)
    return [
        Sample(
            _select_rows(column, stay), Scope.from_one_record_per_unit(_make_id_series(sample_ids, stay, name), None)
        )
        for column, sample_ids, stay in zip(values, ids, stays)
    ]


def read_unit_ids(data: object, scope: Scope) -> tuple[str, Hashes | None] | None:
    """Return the unit's name and the hashes of the ids, or None if there is no unit.

    The hashes are None if the ids are a column of the data, which is read with the other columns.
    """
    is_given = scope.unit is not None
    unit = scope.unit if is_given else scope.budget_unit
    if unit is None:
        return None
    if not isinstance(unit, str):
        (ids,) = check_sample_ids([unit])
        return get_series_name(ids) or "unit", compute_id_hashes(ids, get_series_name(ids) or "unit")
    if has_column(data, unit):
        return unit, None
    if is_given:
        raise make_unit_error(unit)
    return None


def make_unit_error(unit: str) -> PydpstatError:
    """Return the error for a unit that is not a column of the data."""
    return PydpstatError(
        f"unit must be a column of the data, or an id for each record; got {unit!r}, which is not a "
        "column. Give for example unit=frame['person']."
    )


def select_one_per_unit(
    unit: tuple[str, Hashes | None], arrays: Sequence[np.ndarray], source: Source
) -> list[np.ndarray]:
    """Select one record of each unit by a keyed hash of the values that are read.

    If `unit` has no ids, they are the last array.
    """
    name, ids = unit
    if ids is None:
        *arrays, ids = arrays
    if ids.size != arrays[0].size:
        raise PydpstatError(
            "unit must have an id for each record of the data; its length differs. Give a column of "
            "the same table, or its name."
        )
    stay = select_contributions(
        ids, ContributionBounds(name, 1, None, draw_integer_below(1 << 53, source)), None, arrays
    )
    return [array[stay] for array in arrays]


def compute_id_hashes(ids: object, name: str) -> Hashes:
    """Return a hash of the id of each record."""
    codes, names = encode_units(ids, name)
    return names[codes]


def check_sample_ids(unit: object, samples: Sequence[Sized] | None = None) -> list[Column]:
    """Check that `unit` is a list of id columns, one for each sample and of its length, and return them.

    Without `samples` it must have one column, whose length is not checked.
    """
    id_columns = unit if isinstance(unit, (list, tuple)) else ()
    columns = [to_pandas_or_numpy(id_column, "unit") for id_column in id_columns]
    fits = all(map(is_vector, columns)) and len(columns) == (1 if samples is None else len(samples))
    needed, example = "a column with an id for each record", "unit=frame['person']"
    if samples is not None and len(samples) > 1:
        needed = f"a list of {len(samples)} columns, with an id for each record of each sample"
        example = "unit=[first['person'], second['person']]"
    if not fits or any(len(ids) != len(sample) for ids, sample in zip(columns, samples or ())):
        raise PydpstatError(
            f"unit must be {needed}, or a column's name; got {checks.describe_value(unit)}. Give for example {example}."
        )
    for ids, sample in zip(columns, samples or ()):
        check_equal_indexes(("sample", sample), ("unit", ids))
    return columns


def _select_rows(column: Column, mask: RecordMask) -> Column:
    rows = take_rows(column if isinstance(column, np.ndarray) else to_series(column), mask)
    # the sample and its ids are selected alike, but one of them may have had no index
    return with_default_index(rows) if is_series(rows) else rows


def _make_id_series(ids: Column, mask: RecordMask, name: str) -> Column:
    return to_series(_select_rows(ids, mask), name)
