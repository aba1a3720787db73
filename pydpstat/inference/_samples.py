"""The samples of a test: columns, weights, and one record of each unit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence, Sized
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.columns import Columns, Pair, numbers_of, one_column, truths_of
from pydpstat._data.containers import Column, has_rows, is_frame, is_vector, name_of, offers, rows
from pydpstat._data.held import about, aligned, in_memory, read_frame, series_of
from pydpstat._data.table import Chunk, Table, table_of
from pydpstat._release.options import Options
from pydpstat._release.scope import NOTHING, Scope
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.statistics._kernels.association import check_lengths
from pydpstat.statistics._kernels.contributions import Hashes, Unit, kept, unit_codes
from pydpstat.statistics._kernels.levels import variables_of
from pydpstat.statistics._kernels.scope import origin_of
from pydpstat.statistics.choice import below

Array = np.ndarray
Reader = Callable[["Column"], Array]


class Given(NamedTuple):
    """Columns in memory or of a table. Private but for their names and types."""

    names: tuple[str, ...]
    columns: tuple[Any, ...]
    table: Table | None = None

    def __repr__(self) -> str:
        return "Given(values withheld)"

    def without(self, name: str | None) -> Given:
        """Return all columns but the one of this name."""
        if name not in self.names:
            return self
        stay = [place for place, each in enumerate(self.names) if each != name]
        names, columns = (tuple(each[place] for place in stay) for each in (self.names, self.columns))
        return Given(names, columns, self.table)

    def read(self, readers: Sequence[Reader]) -> list[Array]:
        """Return what a function for each column makes of it: of each value by itself."""
        if self.table is None:
            return [reader(column) for reader, column in zip(readers, self.columns)]
        names = self.names

        def taken(chunk: Chunk) -> list[list[Array]]:
            return [[reader(chunk.columns[name])] for reader, name in zip(readers, names)]

        parts = self.table.select(names).fold(taken, lambda one, other: [a + b for a, b in zip(one, other)])
        return [np.concatenate(part) for part in parts]


def columns_by_name(data: object, names: Sequence[str], argument: str) -> Given:
    """Return the columns of these names, or those of an array in their order."""
    data = in_memory(data, argument)
    table = table_of(data)
    if table is not None or isinstance(data, Mapping) or is_frame(data):
        given = _columns_named(data, table, argument)
        gone = [name for name in names if name not in given.names]
        if gone:
            shown = checks.excerpt(list(given.names))
            raise PydpstatError(f"{argument} must have a column {gone[0]!r}; it has {shown}.")
        by_name = dict(zip(given.names, given.columns))
        return Given(tuple(names), tuple(by_name[name] for name in names), table)
    arrays = numbers_of(data, argument).arrays
    if argument == "data" or len(arrays) != len(names):
        raise PydpstatError(
            f"{argument} must have the columns {checks.excerpt(list(names))}; got {len(arrays)} "
            f"column{'s' * (len(arrays) != 1)} without names. Give a DataFrame, or a dict of columns."
        )
    return Given(tuple(names), arrays)


def has_column(data: object, name: str) -> bool:
    """Tell whether data have a column of this name."""
    data = in_memory(data)
    table = table_of(data)
    if table is not None or isinstance(data, Mapping) or is_frame(data):
        return name in _columns_named(data, table, "data").names
    return False


def all_columns(data: object) -> Given:
    """Return all columns of the predictors; those of an array are called x1, x2 and so on."""
    data = in_memory(data)
    found = table_of(data)
    table = None if found is None else aligned(found, data)
    if table is not None or isinstance(data, Mapping) or is_frame(data):
        return _columns_named(data, table, "data")
    arrays = numbers_of(data).arrays
    single = is_vector(data) and has_rows(data) and name_of(data)
    names = [str(single)] if single else [f"x{place + 1}" for place in range(len(arrays))]
    return Given(tuple(names), arrays)


def response_column(response: object, predictors: Sequence[str], binary: bool = False) -> tuple[str, Given]:
    """Return the name and the one column of a response that is given by itself, in `formula`'s place.

    It has numbers, or anything where it is `binary`. Without a name it is y, or response beside a y.
    """
    unnamed = "response" if "y" in predictors else "y"
    response = in_memory(response, "formula")
    with about("formula"):
        found = table_of(response)
        table = None if found is None else aligned(found, response)
    if binary:
        given = variables_of(response if table is None else table.sample(), "formula")
        if len(given.columns) != 1:
            raise PydpstatError(
                f"formula must be one variable; got {len(given.columns)} columns. Give one column at a time."
            )
        name = given.names[0] or unnamed
        return name, Given((name,), given.columns, table)
    column = one_column(response if table is None else table.sample(), "formula")
    if table is None:
        return name_of(response) or unnamed, Given(("y",), column.arrays)
    return table.names[0] or unnamed, Given(table.names, column.arrays, table)


def _columns_named(data: object, table: Table | None, argument: str) -> Given:
    if table is not None:
        types = table.sample().columns
        return Given(table.names, tuple(types[name] for name in table.names), table)
    found = variables_of(data, argument)
    return Given(found.names, found.columns)


class GivenPair(NamedTuple):
    """A variable and the weights as they were given. Private."""

    data: object
    weights: object


def both_of(
    given: object, _: str, pair_of: Callable[[object], GivenPair], argument: str, truths: bool
) -> Columns:
    """Read the variable and the weights."""
    pair = pair_of(given)
    first, second = _variable(pair.data, argument, truths), one_column(pair.weights, "weights")
    check_lengths(first.size, second.size, f"{argument} and weights")
    arrays = first.arrays + second.arrays
    return Columns(arrays, first.missing + second.missing, None, first.name, first.size)


def whole_sample(
    given: object,
    argument: str,
    pair_of: Callable[[object], GivenPair],
    of: Callable[..., Columns],
    drop: bool,
) -> Columns:
    """Read the variable and the weights of a sample, with what is outside of a domain."""
    found = of(given, argument, pair_of=pair_of)
    values, weights = (each.astype(np.float64) for each in found.arrays)
    outside = weights <= 0.0
    if drop:
        outside |= np.isnan(values) | np.isnan(weights)
    values[outside] = weights[outside] = 0.0
    return Columns((values, weights), found.missing, None, found.name, found.size)


def _variable(data: object, argument: str, truths: bool) -> Columns:
    found = one_column(data, argument, truths_of if truths else numbers_of)
    if not truths:
        return found
    values, absent = found.arrays[0].astype(np.float64), found.missing[0]
    if absent is not None:
        values[absent] = np.nan
    return Columns((values,), (None,), None, found.name, found.size)


def products_of(
    given: object,
    argument: str,
    pair_of: Callable[[object], GivenPair],
    of: Callable[..., Columns],
    pair: Pair,
    largest: float,
) -> Columns:
    """Read the products of the variable and the weights, each moved to its bounds before."""
    found = of(given, argument, pair_of=pair_of)
    values, times = found.arrays
    # a record's product depends on this record alone, whatever is rounded in it
    product = np.clip(values, *pair) * np.clip(times, 0.0, largest)
    return Columns((product,), (None,), None, found.name, found.size)


Stays = npt.NDArray[np.bool_]


class Sample(NamedTuple):
    """A sample, and whose data its records are. Private."""

    data: Any
    scope: Scope

    def __repr__(self) -> str:
        return "Sample(values withheld)"

    @property
    def name(self) -> str | None:
        """The sample's own name, which is public as a column's is; None where it has none."""
        return name_of(self.data) if offers(self.data, "dtype") else None


def stays_of(ids: Sequence[object], name: str, most: int, source: Source) -> list[Stays]:
    """Return which records of each sample stay: of each unit those in one sample, and at most so many.

    A keyed hash of the unit and the samples that it is in chooses the sample, whatever its records are:
    where it is public who is in which sample, so are the samples' sizes afterwards. The records of a unit are
    chosen by their order.
    """
    hashes = [hashes_of(each, name) for each in ids]
    places = np.repeat(np.arange(len(hashes)), [each.size for each in hashes])
    chosen = Unit(name, most, 1, below(1 << 53, source))
    stay = kept(np.concatenate(hashes), chosen, places, ())
    return np.split(stay, np.cumsum([each.size for each in hashes])[:-1])


def samples_of(given: Sequence[object], arguments: Sequence[str], unit: object, how: Options) -> list[Sample]:
    """Return samples in which each unit is in one at most, for a test that reads one after the other.

    They are frames of a variable and the column that `unit` names, or columns, of which `unit` has the ids.
    """
    scope = how.one_record(unit).scope
    if scope is NOTHING:
        return [Sample(each, NOTHING) for each in given]
    read = [read_frame(each, argument) for each, argument in zip(given, arguments)]
    origins = [origin_of(each, None, argument) for each, argument in zip(read, arguments)]
    if unit is None:
        if not all(scope.paid_for in (each.names or ()) for each in origins):
            # the budget refuses what protects records
            return [Sample(each, NOTHING) for each in read]
        unit = scope.paid_for
    if isinstance(unit, str):
        name, ids, values = unit, [], []
        for argument, origin in zip(arguments, origins):
            if origin.names is None or unit not in origin.names or len(origin.names) != 2:
                raise PydpstatError(
                    f"{argument} must be a data frame with a variable and the column {unit!r}, which "
                    "unit names; got "
                    f"{'no frame' if origin.names is None else checks.excerpt(list(origin.names))}. "
                    "Give such a data frame, or a list of columns with ids for each sample."
                )
            ids.append(origin.columns[unit])
            values += [column for label, column in origin.columns.items() if label != unit]
    else:
        ids, values = own_ids(unit, read), read
        name = name_of(ids[0]) or "unit"
    stays = stays_of(ids, name, sys.maxsize, how.source)
    return [
        Sample(_rows(column, stay), Scope.one(_named(own, stay, name), None))
        for column, own, stay in zip(values, ids, stays)
    ]


def ids_of(data: object, scope: Scope) -> tuple[str, Hashes | None] | None:
    """Return the name of a unit, and a hash of each record's id, which is None of a column of the data."""
    given = scope.unit is not None
    unit = scope.unit if given else scope.paid_for
    if unit is None:
        return None
    if not isinstance(unit, str):
        (ids,) = own_ids([unit])
        return name_of(ids) or "unit", hashes_of(ids, name_of(ids) or "unit")
    if has_column(data, unit):
        return unit, None
    if given:
        raise no_column(unit)
    return None


def no_column(unit: str) -> PydpstatError:
    """Return the error for a unit that the data do not have as a column."""
    return PydpstatError(
        f"unit must be a column of the data, or an id for each record; got {unit!r}, which is not a "
        "column. Give for example unit=frame['person']."
    )


def first_of_each(
    unit: tuple[str, Hashes | None], arrays: Sequence[np.ndarray], source: Source
) -> list[np.ndarray]:
    """Return one record of each unit, chosen by a keyed hash of all that is read of it.

    Ids that were read with the other columns are the last of these.
    """
    name, ids = unit
    if ids is None:
        *arrays, ids = arrays
    if ids.size != arrays[0].size:
        raise PydpstatError(
            "unit must have an id for each record of the data; its length differs. Give a column of "
            "the same table, or its name."
        )
    stay = kept(ids, Unit(name, 1, None, below(1 << 53, source)), None, arrays)
    return [each[stay] for each in arrays]


def hashes_of(ids: object, name: str) -> Hashes:
    """Return a hash of each record's id."""
    codes, names = unit_codes(ids, name)
    return names[codes]


def own_ids(unit: object, samples: Sequence[Sized] | None = None) -> list[Column]:
    """Return the ids of each sample's records, from a column for each; of one sample alone of any length."""
    given = unit if isinstance(unit, (list, tuple)) else ()
    columns = [in_memory(each, "unit") for each in given]
    fits = all(map(is_vector, columns)) and len(columns) == (1 if samples is None else len(samples))
    told, example = "a column with an id for each record", "unit=frame['person']"
    if samples is not None and len(samples) > 1:
        told = f"a list of {len(samples)} columns, with an id for each record of each sample"
        example = "unit=[first['person'], second['person']]"
    if not fits or any(len(ids) != len(sample) for ids, sample in zip(columns, samples or ())):
        raise PydpstatError(
            f"unit must be {told}, or a column's name; got {checks.shown(unit)}. Give for example {example}."
        )
    return columns


def _rows(column: Column, stay: Stays) -> Column:
    return rows(column if isinstance(column, np.ndarray) else series_of(column), stay)


def _named(ids: Column, stay: Stays, name: str) -> Column:
    return series_of(_rows(ids, stay), name)
