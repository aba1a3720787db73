"""Columns of a design's data by name, whatever holds them: frames in memory, and tables of every engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._data.chunk import Chunk
from pydpstat._data.chunk import column_names as checked_names
from pydpstat._data.columns import numbers_of
from pydpstat._data.containers import Column, is_frame, is_pandas_frame, is_series, is_vector, numbered, rows
from pydpstat._data.held import in_memory, read_whole, series_of, variable
from pydpstat._data.streams import Stream
from pydpstat._data.table import Mapped, Table, View, table_of
from pydpstat._data.values import way_to_columns
from pydpstat._lazy import pd
from pydpstat._release.declared import TYPES, compared
from pydpstat.designs._conditions import Condition, expression_of
from pydpstat.designs._expressions import Numbers
from pydpstat.designs._facts import Facts
from pydpstat.errors import PydpstatError
from pydpstat.statistics._kernels.levels import levels_coded

_LISTS = (list, tuple, range)
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


class Listed(NamedTuple):
    """A frame of columns that were lists: values have types, and columns have none."""

    frame: pd.DataFrame

    def __repr__(self) -> str:
        return "Listed(values withheld)"


def readable(data: object) -> Any:
    """Return data as a design keeps them: a frame of pandas, or what an engine has."""
    data = in_memory(data)
    if isinstance(data, Mapping):
        frame = _side_by_side(data)
        return Listed(frame) if all(isinstance(each, _LISTS) for each in data.values()) else frame
    if is_series(data) and table_of(data) is None:
        return data.to_frame()
    if is_pandas_frame(data):
        return _native(data)
    if is_frame(data) or table_of(data) is not None:
        return data
    way = way_to_columns(data, "Give a DataFrame, or a dict of columns.")
    raise PydpstatError(f"data must have columns with names for a design; got {type(data).__name__}. {way}")


def _native(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame in native byte order, since pandas cannot select records in another one."""
    kinds = {name: kind for name, kind in frame.dtypes.items() if isinstance(kind, np.dtype)}
    others = {name: kind.newbyteorder("=") for name, kind in kinds.items() if not kind.isnative}
    return frame.astype(others) if others else frame


def _side_by_side(columns: Mapping[object, object]) -> pd.DataFrame:
    """Return a dict's columns as a frame, a list's values as they are, as functions read lists."""
    read = {name: variable(each, beside=True) for name, each in columns.items()}
    given = [each.index for each in read.values() if is_series(each)]
    if not all(map(is_vector, read.values())) or len({len(each) for each in read.values()}) > 1:
        raise PydpstatError(
            "data must be a data frame, or a dict of columns of the same length; got a dict with other "
            "values or lengths. Give, for example, {'age': ages, 'sex': sexes}."
        )
    if not all(given[0].equals(each) for each in given):
        raise PydpstatError(
            "data must have series with the same index, since a record is one row of all columns; got series "
            "with different indexes. Give one data frame, for example pd.concat([...], axis=1)."
        )
    return pd.DataFrame({name: numbered(series_of(each)) for name, each in read.items()})


def types_of(data: object) -> str | None:
    """Return the condition of a guarantee if records are compared: public types, or None without types."""
    return None if isinstance(data, Listed) else TYPES


def column_names(data: Any) -> tuple[str, ...]:
    """Return the names of all columns."""
    data = data.frame if isinstance(data, Listed) else data
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
    if subset is not None or any(isinstance(each.expression, Condition) for each in made):
        # how a value compares depends on its column's type
        compared()
    table = table_of(data)
    if table is not None:
        return View(_table(table, names, subset, made), single)
    frame = data = data.frame if isinstance(data, Listed) else data
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
    return {name: series_of(column, name) for name, column in found.columns.items()}


def samples_of(
    columns: Mapping[str, pd.Series], names: Sequence[str], levels: Sequence[object], unit: Sequence[str]
) -> list[pd.Series | pd.DataFrame]:
    """Return the values of each group under the name of its level, beside the ids where there are some.

    Each record is in one group at most. In k groups it would count k times: the privacy loss of a test of
    means would be k times epsilon, and that of `kruskal`, whose docstring derives it, sqrt(k (k + 1) / 2)
    times.
    """
    codes = levels_coded(columns[names[1]], levels, f"levels[{names[1]!r}]")
    samples: list[pd.Series | pd.DataFrame] = []
    for place, level in enumerate(levels):
        values, *ids = (columns[name][codes == place] for name in (names[0], *unit))
        values = values.rename(str(level))
        samples.append(pd.DataFrame({str(level): values, unit[0]: ids[0]}) if ids else values)
    return samples


def frame_of(columns: Mapping[str, pd.Series], names: Sequence[str]) -> pd.DataFrame:
    """Return some columns as a frame."""
    return pd.DataFrame({name: columns[name] for name in names})
