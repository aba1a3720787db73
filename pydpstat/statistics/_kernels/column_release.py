"""Statistics of every column: bounds checked, records added up exactly, and the release of what follows."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import (
    Bounds,
    Data,
    GivenBounds,
    check_filling,
    column_bounds,
    numbers_of,
    several_bounds,
)
from pydpstat._release.additive import Query
from pydpstat._release.options import Options, check_records, for_columns
from pydpstat._release.statistic import release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.results._postprocessing import Publish
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import record_grid
from pydpstat.statistics._kernels.asked import asked_sums
from pydpstat.statistics._kernels.group_sums import Found, column_sums, merged
from pydpstat.statistics._kernels.record_grid import BITS
from pydpstat.statistics._kernels.records import Reader, Records, records_of
from pydpstat.statistics._kernels.scope import note_groups

Ask = Callable[[str, Records, Bounds, Options], tuple[Query, Publish]]
# as id, person, patient_id, userId, uuid or a frame's former index are called
_WHO = "id|pid|uid|uuid|guid|index|person|patient|subject|respondent|household"
_IDENTIFIER = re.compile(rf"^((?i:{_WHO})|(?i:.*[_. -](id|uuid|guid))|.*[a-z](ID|Id))$")


def bounded_columns(
    data: Data, bounds: GivenBounds, how: Options, read: Reader = numbers_of
) -> tuple[Records, Options, Bounds, tuple[object, ...]]:
    """Read columns with their public bounds, which are returned as they are shown, too."""
    records, how = records_of(data, how, read)
    check_no_ids(bounds, records.names)
    pairs, shown = column_bounds(bounds, records.names, records.width, records.name)
    check_filling(how.missing, pairs)
    return records, how, pairs, shown


def check_no_ids(bounds: GivenBounds, names: tuple[str, ...] | None, argument: str = "data") -> None:
    """Refuse columns whose name is an identifier's among several with one pair of bounds for all."""
    if isinstance(bounds, Mapping) or several_bounds(bounds) or names is None or len(names) < 2:
        return
    ids = [name for name in names if _IDENTIFIER.search(name)]
    if ids:
        rest = [name for name in names if name not in ids] or ["income"]
        raise PydpstatError(
            f"{argument} must have variables where one pair of bounds is for all columns; got "
            f"{checks.excerpt(ids[0])}, which looks like an identifier. Select the variables, as in "
            f"frame[{checks.excerpt(rest)}], or name whose data a record is, unit={checks.excerpt(ids[0])}. "
            "If it is a variable, give bounds by column."
        )


def release_columns(
    name: str, ask: Ask, data: Data, bounds: GivenBounds, how: Options, read: Reader = numbers_of
) -> DPResults:
    """Release a statistic of every column; `read` makes the numbers of the data that are asked for."""
    records, how, pairs, shown = bounded_columns(data, bounds, how, read)
    how = for_columns(how, len(pairs))
    query, publish = ask(name, records, pairs, how)
    released = release_statistic(
        name,
        query,
        how,
        arguments=(("bounds", shown), *records.arguments),
        bounds=shown,
        publish=publish,
        conditions=records.conditions,
        total=name == "sum",
    )
    note_released(released, records)
    return released


def note_released(released: DPResults, records: Records) -> None:
    """Say which levels look empty by the noisy numbers of records behind values, or by noisy sums."""
    groups = records.groups
    if groups is None:
        return
    sizes = released._sizes()
    if sizes is not None:
        # the sums of which they are made have three terms at most
        sd = math.sqrt(3.0) * float(np.max(released.noise.std()))
        # the groups come first, of the first variable and then of the others
        note_groups(groups, sizes[: groups.number], sd)
    elif released.statistic == "sum":
        sds = np.asarray(released.post.standard_error(released.noise, released.value))
        values, sds = (each.reshape(groups.number, -1) for each in (released.value, sds))
        # of several columns the one of which most is seen
        group, column = np.unravel_index(np.abs(values / sds).argmax(), values.shape)
        sums = values[:, column] * np.sign(values[group, column])
        note_groups(groups, sums, float(sds[group, column]), of_all=False, what="sum")


def summed(
    statistic: str,
    records: Records,
    pairs: Bounds,
    how: Options,
    least: int,
    products: record_grid.Pairs = (),
    sums: Callable[..., Found] = column_sums,
    argument: str = "data",
) -> tuple[list[record_grid.RecordGrid], Found, int]:
    """Return the grids of columns, exact sums on them, and the number of records where it is public.

    `sums` adds up each column on its own, or all variables together. Under bounded neighbors there must be
    at least so many records. Where their number is known from the sums alone, and asks for a finer grid,
    they are read a second time.
    """
    check = partial(check_records, how, least=least, statistic=statistic, argument=argument)

    def add_up(size: int | None) -> tuple[list[record_grid.RecordGrid], Found, int]:
        grids = record_grid.grids_for(pairs, how, size)
        found, number = records.numbered(
            lambda: added(records, grids, how, products, sums), lambda found: found[0].count, check
        )
        return grids, found, number or 0

    grids, found, size = add_up(records.known)
    if how.bounded and records.known is None and record_grid.bits_for(size, how.epsilon) > BITS:
        if records.size is None:
            raise record_grid.too_coarse(size, how.epsilon)
        return add_up(size)
    return grids, found, size


def added(
    records: Records,
    grids: list[record_grid.RecordGrid],
    how: Options,
    products: record_grid.Pairs = (),
    sums: Callable[..., Found] = column_sums,
) -> Found:
    """Return exact sums of columns, by group where there are some: the engine's own, or those of a pass."""
    # an engine adds up its columns as they are, and not what a reader makes of them
    if sums is column_sums and records.layout.read is numbers_of:
        found = asked_sums(records, grids, how.missing, products)
        if found is not None:
            return found
    groups = records.group_number
    tally = partial(sums, grids=grids, missing=how.missing, pairs=products, groups=groups)
    return records.fold(tally, merged)


def per_column(
    statistic: str,
    records: Records,
    exact: list[Fraction],
    sensitivities: list[Fraction],
    nobs: int | None,
    how: Options,
) -> Query:
    """Ask for one number a column, each with its own sensitivity: for a cube in units of it."""
    units = None
    if how.norm == math.inf:
        units = tuple(each or Fraction(1) for each in sensitivities)
        exact = [each / unit for each, unit in zip(exact, units)]
        sensitivities = [Fraction(1)]
    floats = [each.numerator / each.denominator for each in exact]
    return Query(
        statistic,
        np.array(floats if records.names is not None else floats[0]),
        tuple(sensitivities),
        records.labels(statistic),
        nobs=nobs,
        exact=tuple(exact),
        units=units,
    )
