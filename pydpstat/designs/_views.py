"""Columns of a design's data by name, whatever holds them: frames in memory, and tables of every engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._data.chunk import Chunk
from pydpstat._data.chunk import column_names as checked_names
from pydpstat._data.columns import numbers_of
from pydpstat._data.containers import Column, is_frame, is_series, rows
from pydpstat._data.held import in_memory, read_whole
from pydpstat._data.streams import Stream
from pydpstat._data.table import Mapped, Table, View, table_of
from pydpstat._data.values import way_to_columns
from pydpstat._lazy import pd
from pydpstat.designs._conditions import Condition, expression_of
from pydpstat.designs._expressions import Numbers
from pydpstat.designs._facts import Facts
from pydpstat.errors import PydpstatError

# a column that is true for every record
RECORDS = "records"


@dataclass(frozen=True)
class Subset:
    """Leaves out the records for which a condition is not known to be true, or takes their weight from them.

    Where `weights` is a column it is 0 for the others, which stay as members of their strata.
    """

    condition: Condition
    weights: str | None = None

    makes = ()

    @property
    def drops(self) -> bool:
        """Whether records are left out."""
        return self.weights is None

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the condition, and the weights."""
        return self.condition.names if self.weights is None else (*self.condition.names, self.weights)

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the records that stay."""
        stay, _ = self.condition.truths(chunk.columns)
        if self.weights is not None:
            own = weighed(chunk.columns[self.weights], stay)
            return Chunk({**chunk.columns, self.weights: own}, chunk.size)
        return Chunk({name: rows(column, stay) for name, column in chunk.columns.items()}, int(stay.sum()))


def weighed(column: Column, stay: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Return weights that are 0 but for some records."""
    return np.where(stay, numbers_of(column, "weights").arrays[0], 0.0)


@dataclass(frozen=True)
class Made:
    """Makes a column: numbers or truth values of an expression, or true for every record.

    `undefined` is what an undefined number counts as.
    """

    name: str
    expression: Condition | Numbers | None
    undefined: float = np.nan

    drops = False

    @property
    def makes(self) -> tuple[str, ...]:
        """The column's name."""
        return (self.name,)

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the expression."""
        return () if self.expression is None else self.expression.names

    def column(self, columns: Mapping[str, Column], size: int) -> Column:
        """Return the column."""
        if isinstance(self.expression, Numbers):
            return self.expression.values(columns, self.undefined)
        if self.expression is None:
            return np.ones(size, dtype=bool)
        true, known = self.expression.truths(columns)
        return pd.arrays.BooleanArray(true, ~known)

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the chunk with the column."""
        return Chunk({**chunk.columns, self.name: self.column(chunk.columns, chunk.size)}, chunk.size)


def needed(facts: Facts, names: Iterable[str]) -> list[Made]:
    """Return the assigned columns that some columns are, or are made of, in the order to make them."""
    wanted, found = set(names), []
    for name, text in reversed(list(facts.assigned.items())):
        if name in wanted:
            found.append(Made(name, expression_of(text, facts.clipping), facts.undefined(name)))
            wanted.update(found[-1].needs)
    return found[::-1]


def readable(data: object) -> Any:
    """Return data as a design keeps them: a frame of pandas, or what an engine has."""
    data = in_memory(data)
    if isinstance(data, Mapping):
        try:
            return pd.DataFrame(data)
        except (TypeError, ValueError) as error:
            raise PydpstatError(
                "data must be a data frame, or a dict of columns of the same length; got a dict of "
                "something else. Give for example {'age': ages, 'sex': sexes}."
            ) from error
    if is_series(data) and table_of(data) is None:
        return data.to_frame()
    if is_frame(data) or table_of(data) is not None:
        return data
    way = way_to_columns(data, "Give a DataFrame, or a dict of columns.")
    raise PydpstatError(f"data must have columns with names for a design; got {type(data).__name__}. {way}")


def column_names(data: Any) -> tuple[str, ...]:
    """Return the names of all columns."""
    table = table_of(data)
    return checked_names(list(data.columns)) if table is None else table.names


def view(
    data: Any,
    names: Sequence[str],
    condition: Condition | None,
    made: Sequence[Made],
    single: bool,
    zero: str | None = None,
) -> pd.DataFrame | pd.Series | View:
    """Return some columns: a Series where they are one variable in memory, else a frame or a table's view.

    Records for which a condition is not known to be true are left out; where `zero` is a column they stay,
    and it is 0 for them.
    """
    subset = None if condition is None else Subset(condition, zero)
    table = table_of(data)
    if table is not None:
        return View(_table(table, names, subset, made), single)
    frame = data
    if single and subset is None and [each.name for each in made] == list(names):
        return pd.Series(made[0].column(data, len(data)), name=names[0])
    if made or subset is not None:
        frame = _changed(data, names, subset, made)
    return frame[names[0]] if single else frame[list(names)]


def _changed(
    frame: pd.DataFrame, names: Sequence[str], subset: Subset | None, made: Sequence[Made]
) -> pd.DataFrame:
    asked = {
        *names,
        *(() if subset is None else subset.needs),
        *(name for each in made for name in each.needs),
    }
    frame = frame[[name for name in frame.columns if name in asked]]
    for each in made:
        frame = frame.assign(**{each.name: each.column(frame, len(frame))})
    if subset is None:
        return frame
    stay, _ = subset.condition.truths(frame)
    if subset.weights is None:
        return frame.loc[stay]
    return frame.assign(**{subset.weights: weighed(frame[subset.weights], stay)})


def _table(table: Table, names: Sequence[str], subset: Subset | None, made: Sequence[Made]) -> Table:
    kept = None
    if (
        subset is not None
        and subset.drops
        and isinstance(table, Stream)
        and table.kept
        and set(subset.needs) <= set(table.names)
    ):
        # the engine itself leaves records out, where it compares as pydpstat does
        test = subset.condition.test
        kept = None if test is None else table.kept(test)
    if kept is not None:
        table, subset = kept, None
    for each in made:
        table = Mapped.of(table, each)
    if subset is not None:
        table = Mapped.of(table, subset)
    return table.select(list(names))


def whole(data: object) -> Mapping[str, pd.Series]:
    """Return a view's columns with all of their records in memory, by name."""
    found = read_whole(data, "data")
    if not isinstance(found, Chunk):
        return found
    return {name: pd.Series(column, name=name) for name, column in found.columns.items()}


def group_of(
    columns: Mapping[str, pd.Series], names: Sequence[str], level: object, unit: Sequence[str]
) -> pd.Series | pd.DataFrame:
    """Return the values of a group under the name of its level, beside the ids where there are some."""
    inside = (pd.Series(columns[names[1]]) == level).to_numpy(dtype=bool, na_value=False)
    values = pd.Series(columns[names[0]])[inside].rename(str(level))
    if not unit:
        return values
    return pd.DataFrame({str(level): values, unit[0]: pd.Series(columns[unit[0]])[inside]})


def frame_of(columns: Mapping[str, pd.Series], names: Sequence[str]) -> pd.DataFrame:
    """Return some columns as a frame."""
    return pd.DataFrame({name: columns[name] for name in names})
