"""How many different units there are, by group: each is counted in a few of its groups at most."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._data.columns import Columns, Placeholder
from pydpstat._data.containers import columns_of, is_frame, is_vector, name_of, rows
from pydpstat._data.held import in_memory
from pydpstat._data.table import Chunk, table_of
from pydpstat._data.values import objects
from pydpstat._release.statistic import Missing, Options
from pydpstat.errors import PydpstatError
from pydpstat.random import Source
from pydpstat.statistics._kernels.contributions import Unit, coded, kept
from pydpstat.statistics._kernels.records import Layout, Part, Records, inside
from pydpstat.statistics._kernels.scope import Scope, keys_of, origin_of, scope_groups, shown_scope
from pydpstat.statistics._kernels.selection import below

Counts = npt.NDArray[np.int64]


class Units(NamedTuple):
    """Ids as the records of a release, and in how many groups one of them is counted at most."""

    records: Records
    unit: Unit

    def counted(self, missing: Missing) -> Counts:
        """Return the number of different ids in each group, or of all of them."""
        tally = partial(_distinct, unit=self.unit, missing=missing, groups=self.records.group_number)
        return self.records.fold(tally, np.add, self.unit.name)


def units_of(data: object, how: Options, scope: Scope, most: int, source: Source) -> tuple[Units, Options]:
    """Read what is public of a column of ids, whose values are the units that are protected."""
    data = in_memory(data)
    table = table_of(data)
    origin = origin_of(data, table, "data")
    keys, key_columns = keys_of(scope, origin)
    names = tuple(name for name in origin.names or () if name not in keys)
    if origin.names is not None and len(names) != 1:
        raise PydpstatError(
            f"data must be one column of ids, apart from those of by; got {len(names)} columns. "
            "Select it first."
        )
    groups = scope_groups(scope, key_columns, how)
    name = (names[0] if names else name_of(data)) or None
    layout = Layout(ids_of, "data", how.missing, groups, None, None, names, keys)
    part = needed = None
    if table is not None:
        needed = table.select([each for each in origin.names or () if each in keys or each in names])
    else:
        inner = data if origin.names is None else inside(data, origin, names)
        part = layout.part(inner, key_columns.columns, None)
    records = Records(None, name, 1, None, layout, part, needed, shown_scope(scope, keys, groups, None, None))
    # without groups nothing is chosen
    key = 0 if groups is None else below(1 << 53, source)
    unit = Unit(name or "unit", most, None, key)
    return Units(records, unit), how._replace(unit=unit.name, scattered=groups is not None)


def ids_of(data: Any, argument: str) -> Columns:
    """Read a column of ids as it is; a mask's values become None."""
    if isinstance(data, Placeholder):
        return Columns((np.empty(0),), (None,), None, None, data.size)
    if isinstance(data, Chunk):
        (data,) = data.columns.values()
    elif is_frame(data):
        data = columns_of(data)[0]
    if not is_vector(data):
        raise PydpstatError(
            f"{argument} must be a column of ids (list, array, Series), or a data frame of it and the "
            f"columns of by; got {type(data).__name__}. Give one id for each record."
        )
    if isinstance(data, np.ma.MaskedArray):
        data = np.ma.filled(data.astype(object), np.nan)
    ids = data if hasattr(data, "dtype") else objects(data)
    return Columns((ids,), (None,), None, None, len(ids))


def _distinct(part: Part, unit: Unit, missing: Missing, groups: int | None) -> Counts:
    """Count different ids; a part has all records of an id."""
    ids, places = part.columns.arrays[0], part.places
    codes, found = coded(ids)
    if missing == "error" and codes.size and int(codes.min()) < 0:
        raise PydpstatError(
            "missing must say how to treat missing ids, because the data have some, which this error "
            "reveals. Give every record an id, or use missing='drop' with neighbors='unbounded'."
        )
    if groups is None or places is None:
        return np.array([len(found)], dtype=np.int64)
    # the first record of each id in each group
    _, first = np.unique(codes.astype(np.int64) * groups + places, return_index=True)
    first = first[codes[first] >= 0]
    places = places[first]
    stay = kept(rows(ids, first), unit, places, ())
    return np.bincount(places[stay], minlength=groups)
