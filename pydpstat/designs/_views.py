"""Columns of a design's data by name, for frames in memory and tables of all engines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._data.chunks import Chunk
from pydpstat._data.chunks import check_column_names as checked_names
from pydpstat._data.columns import read_numbers
from pydpstat._data.containers import (
    Column,
    is_frame,
    is_pandas_frame,
    is_series,
    is_vector,
    take_rows,
    with_default_index,
)
from pydpstat._data.native import read_all_records, read_variable, to_pandas_or_numpy, to_series
from pydpstat._data.streams import StreamTable
from pydpstat._data.table import ColumnView, Table, TransformedTable, as_table
from pydpstat._data.values import suggest_columns
from pydpstat._frozen import hide_values
from pydpstat._lazy import pd
from pydpstat._records.levels import encode_levels
from pydpstat._release.declared_facts import TYPES_CONDITION, record_comparison
from pydpstat.designs._conditions import Condition, parse_expression
from pydpstat.designs._expressions import NumericExpression
from pydpstat.designs._facts import Facts, is_fill_value
from pydpstat.designs._fills import FilledColumn
from pydpstat.errors import PydpstatError

_LIST_TYPES = (list, tuple, range)
# name of a column that is true for every record
RECORDS_COLUMN = "records"


@dataclass(frozen=True)
class Subset:
    """Transformation that drops the records for which a condition is not known to be true, or sets their weights to 0.

    If `weights` is a column, it is 0 for these records, which remain members of their strata.
    """

    condition: Condition
    weights: str | None = None

    makes = ()

    @property
    def drops(self) -> bool:
        """Whether records are dropped."""
        return self.weights is None

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns of the condition, and the weights."""
        return self.condition.names if self.weights is None else (*self.condition.names, self.weights)

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the transformed chunk."""
        stay, _ = self.condition.evaluate_truths(chunk.columns)
        if self.weights is not None:
            weights = set_weights_to_zero(chunk.columns[self.weights], stay)
            return Chunk({**chunk.columns, self.weights: weights}, chunk.size)
        return Chunk({name: take_rows(column, stay) for name, column in chunk.columns.items()}, int(stay.sum()))


def set_weights_to_zero(column: Column, is_in_subset: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return weights that are 0 outside the subset."""
    return np.where(is_in_subset, read_numbers(column, "weights").arrays[0], 0.0)


@dataclass(frozen=True)
class ComputedColumn:
    """Transformation that adds a column: the numbers or Booleans of an expression, or true for every record.

    `undefined_value` replaces undefined numbers.
    """

    name: str
    expression: Condition | NumericExpression | None
    undefined_value: float = np.nan

    drops = False

    @property
    def makes(self) -> tuple[str, ...]:
        """Name of the column."""
        return (self.name,)

    @property
    def needs(self) -> tuple[str, ...]:
        """Columns of the expression."""
        return () if self.expression is None else self.expression.names

    def compute_column(self, columns: Mapping[str, Column], size: int) -> Column:
        """Compute the column."""
        if isinstance(self.expression, NumericExpression):
            return self.expression.compute_values(columns, self.undefined_value)
        if self.expression is None:
            return np.ones(size, dtype=bool)
        true, is_known = self.expression.evaluate_truths(columns)
        return pd.arrays.BooleanArray(true, ~is_known)

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the chunk with the column added."""
        return Chunk({**chunk.columns, self.name: self.compute_column(chunk.columns, chunk.size)}, chunk.size)


# transformations that add a column, or replace one
NewColumn = ComputedColumn | FilledColumn


def find_computed_columns(facts: Facts, names: Iterable[str]) -> list[ComputedColumn]:
    """Return the assigned columns among `names`, and those from which they are computed, in order of computation."""
    wanted, computed_columns = set(names), []
    for name, text in reversed(list(facts.assigned.items())):
        if name in wanted:
            computed_columns.append(
                ComputedColumn(name, parse_expression(text, facts.clipping_bounds), facts.get_undefined_value(name))
            )
            wanted.update(computed_columns[-1].needs)
    return computed_columns[::-1]


def find_new_columns(
    facts: Facts, names: Sequence[str], condition: Condition | None, requested: Sequence[NewColumn]
) -> list[NewColumn]:
    """Return the requested columns, and the columns that they and a condition need, in order of computation.

    Columns from which others are computed are filled if they have a value for what is missing.
    """
    filled = [column for column in requested if isinstance(column, FilledColumn)]
    computed = [column for column in requested if isinstance(column, ComputedColumn)]
    needed = [*(name for column in computed for name in column.needs), *(() if condition is None else condition.names)]
    computed = [*find_computed_columns(facts, [*names, *needed]), *computed]
    if isinstance(facts.missing, Mapping):
        sources = dict.fromkeys([*(name for column in computed for name in column.needs), *needed])
        rules = {name: facts.missing[name] for name in sources if name in facts.missing}
        done = {column.name for column in filled}
        filled += [FilledColumn(name, rule) for name, rule in rules.items() if is_fill_value(rule) and name not in done]
    return [*filled, *computed]


class ListColumns(NamedTuple):
    """Frame of columns that were lists: values have types, and columns have none."""

    frame: pd.DataFrame

    def __repr__(self) -> str:
        return hide_values(self)


def read_design_data(data: object) -> Any:
    """Read data in the form that a design stores: a pandas frame, or an engine's table."""
    data = to_pandas_or_numpy(data)
    if isinstance(data, Mapping):
        frame = _join_columns(data)
        return ListColumns(frame) if all(isinstance(column, _LIST_TYPES) for column in data.values()) else frame
    if is_series(data) and as_table(data) is None:
        return data.to_frame()
    if is_pandas_frame(data):
        return _convert_to_native_order(data)
    if is_frame(data) or as_table(data) is not None:
        return data
    hint = suggest_columns(data, "Give a DataFrame, or a dict of columns.")
    raise PydpstatError(f"data must have columns with names for a design; got {type(data).__name__}. {hint}")


def _convert_to_native_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert a frame to native byte order, which pandas needs to select records."""
    kinds = {name: kind for name, kind in frame.dtypes.items() if isinstance(kind, np.dtype)}
    others = {name: kind.newbyteorder("=") for name, kind in kinds.items() if not kind.isnative}
    return frame.astype(others) if others else frame


def _join_columns(columns: Mapping[object, object]) -> pd.DataFrame:
    """Combine a dict of columns into a frame; values of lists are not converted, as in functions."""
    read = {name: read_variable(each, needs_order=True) for name, each in columns.items()}
    indexes = [each.index for each in read.values() if is_series(each)]
    if not all(map(is_vector, read.values())) or len({len(each) for each in read.values()}) > 1:
        raise PydpstatError(
            "data must be a data frame, or a dict of columns of the same length; got a dict with other "
            "values or lengths. Give, for example, {'age': ages, 'sex': sexes}."
        )
    if not all(indexes[0].equals(each) for each in indexes):
        raise PydpstatError(
            "data must have series with the same index, since a record is one row of all columns; got series "
            "with different indexes. Give one data frame, for example pd.concat([...], axis=1)."
        )
    return pd.DataFrame({name: with_default_index(to_series(each)) for name, each in read.items()})


def get_types_condition(data: object) -> str | None:
    """Return the condition of public types, which applies if records are compared; None without types."""
    return None if isinstance(data, ListColumns) else TYPES_CONDITION


def get_design_columns(data: Any) -> tuple[str, ...]:
    """Return the names of all columns."""
    data = data.frame if isinstance(data, ListColumns) else data
    table = as_table(data)
    return checked_names(list(data.columns)) if table is None else table.names


def select_columns(
    data: Any,
    names: Sequence[str],
    condition: Condition | None,
    computed_columns: Sequence[NewColumn],
    single: bool,
    zero_column: str | None = None,
) -> pd.DataFrame | pd.Series | ColumnView:
    """Return columns: a Series for a single variable in memory, else a frame or a table's view.

    Records for which a condition is not known to be true are dropped; if `zero_column` is given they remain, and
    this column is 0 for them.
    """
    subset = None if condition is None else Subset(condition, zero_column)
    if subset is not None or any(
        isinstance(column, FilledColumn) or isinstance(column.expression, Condition) for column in computed_columns
    ):
        # the result of a comparison depends on the column's type
        record_comparison()
    table = as_table(data)
    if table is not None:
        return ColumnView(_apply_to_table(table, names, subset, computed_columns), single)
    frame = data = data.frame if isinstance(data, ListColumns) else data
    if single and subset is None and [column.name for column in computed_columns] == list(names):
        return pd.Series(computed_columns[0].compute_column(data, len(data)), name=names[0])
    if computed_columns or subset is not None:
        frame = _apply_to_frame(data, names, subset, computed_columns)
    return frame[names[0]] if single else frame[list(names)]


def _apply_to_frame(
    frame: pd.DataFrame,
    names: Sequence[str],
    subset: Subset | None,
    computed_columns: Sequence[NewColumn],
) -> pd.DataFrame:
    needed_names = {
        *names,
        *(() if subset is None else subset.needs),
        *(name for column in computed_columns for name in column.needs),
    }
    frame = frame[[name for name in frame.columns if name in needed_names]]
    for column in computed_columns:
        frame = frame.assign(**{column.name: column.compute_column(frame, len(frame))})
    if subset is None:
        return frame
    stay, _ = subset.condition.evaluate_truths(frame)
    if subset.weights is None:
        return frame.loc[stay]
    return frame.assign(**{subset.weights: set_weights_to_zero(frame[subset.weights], stay)})


def _apply_to_table(
    table: Table, names: Sequence[str], subset: Subset | None, computed_columns: Sequence[NewColumn]
) -> Table:
    filtered_table = None
    if (
        subset is not None
        and subset.drops
        and isinstance(table, StreamTable)
        and table.filter_records
        and set(subset.needs) <= set(table.names)
        and not {*subset.needs} & {column.name for column in computed_columns}
    ):
        # the engine drops records itself if its comparisons agree with pydpstat's
        test = subset.condition.engine_test
        filtered_table = None if test is None else table.filter_records(test)
    if filtered_table is not None:
        table, subset = filtered_table, None
    for column in computed_columns:
        table = TransformedTable.from_table(table, column)
    if subset is not None:
        table = TransformedTable.from_table(table, subset)
    return table.select_columns(list(names))


def read_columns(data: object) -> Mapping[str, pd.Series]:
    """Read the columns of a view into memory, by name."""
    records = read_all_records(data, "data")
    if not isinstance(records, Chunk):
        return records
    return {name: to_series(column, name) for name, column in records.columns.items()}


def split_samples(
    columns: Mapping[str, pd.Series], names: Sequence[str], levels: Sequence[object], unit: Sequence[str]
) -> list[pd.Series | pd.DataFrame]:
    """Return the values of each group under the name of its level, with the ids if there is a unit.

    Each record is in at most one group. In k groups it would count k times: the privacy loss of a test of means
    would be k times epsilon, and that of `kruskal`, whose docstring derives it, sqrt(k (k + 1) / 2) times.
    """
    codes = encode_levels(columns[names[1]], levels, f"levels[{names[1]!r}]")
    samples: list[pd.Series | pd.DataFrame] = []
    for code, level in enumerate(levels):
        values, *ids = (columns[name][codes == code] for name in (names[0], *unit))
        values = values.rename(str(level))
        samples.append(pd.DataFrame({str(level): values, unit[0]: ids[0]}) if ids else values)
    return samples


def select_frame(columns: Mapping[str, pd.Series], names: Sequence[str]) -> pd.DataFrame:
    """Return columns as a frame."""
    return pd.DataFrame({name: columns[name] for name in names})
