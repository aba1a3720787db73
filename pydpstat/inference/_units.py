"""One record of each unit, in tests of several samples and in those that hand records to a callable."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._data.containers import has_rows, is_vector, name_of, offers, rows
from pydpstat._data.held import in_memory, read_frame
from pydpstat._release.payment import Spender, defaults
from pydpstat.errors import PydpstatError
from pydpstat.inference._given_columns import has_column
from pydpstat.random import Source
from pydpstat.statistics._kernels.contributions import Hashes, Unit, kept, unit_codes
from pydpstat.statistics._kernels.scope import NOTHING, Scope, origin_of
from pydpstat.statistics._kernels.selection import below

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
    """Return which records of each sample stay: of each unit those in one sample, and at most so many."""
    hashes = [hashes_of(each, name) for each in ids]
    places = np.repeat(np.arange(len(hashes)), [each.size for each in hashes])
    chosen = Unit(name, most, 1, below(1 << 53, source))
    stay = kept(np.concatenate(hashes), chosen, places, ())
    return np.split(stay, np.cumsum([each.size for each in hashes])[:-1])


def samples_of(
    given: Sequence[object], arguments: Sequence[str], unit: Any, source: Source, budget: Spender | None
) -> list[Sample]:
    """Return samples in which each unit is in one at most, for a test that reads one after the other.

    They are frames of a variable and the column that `unit` names, or columns, of which `unit` has the ids.
    """
    paid_for = defaults(budget).unit if unit is None else None
    if unit is None and paid_for is None:
        return [Sample(each, NOTHING) for each in given]
    read = [read_frame(each, argument) for each, argument in zip(given, arguments)]
    origins = [origin_of(each, None, argument) for each, argument in zip(read, arguments)]
    if unit is None:
        if not all(paid_for in (each.names or ()) for each in origins):
            # the budget refuses what protects records
            return [Sample(each, NOTHING) for each in read]
        unit = paid_for
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
    stays = stays_of(ids, name, sys.maxsize, source)
    return [
        Sample(_rows(column, stay), Scope.one(_named(own, stay, name), None))
        for column, own, stay in zip(values, ids, stays)
    ]


class Whose(NamedTuple):
    """Whose data records are, as it was given; the budget that pays; and the source of the choice."""

    unit: Any
    budget: Spender | None
    source: Source


def ids_of(data: Any, whose: Whose) -> tuple[str, Hashes | None] | None:
    """Return the name of a unit, and a hash of each record's id, which is None of a column of the data."""
    given = whose.unit is not None
    unit = whose.unit if given else defaults(whose.budget).unit
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
    unit: tuple[str, Hashes | None], arrays: Sequence[npt.NDArray[Any]], source: Source
) -> list[npt.NDArray[Any]]:
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


def hashes_of(ids: Any, name: str) -> Hashes:
    """Return a hash of each record's id."""
    codes, names = unit_codes(ids, name)
    return names[codes]


def own_ids(unit: Any, samples: Sequence[Any] | None = None) -> list[Any]:
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


def _rows(column: Any, stay: Stays) -> Any:
    if has_rows(column) or isinstance(column, np.ndarray):
        return rows(column, stay)
    import pandas as pd

    return rows(pd.Series(column, dtype=getattr(column, "dtype", object)), stay)


def _named(ids: Any, stay: Stays, name: str) -> Any:
    import pandas as pd

    return pd.Series(_rows(ids, stay), name=name)
