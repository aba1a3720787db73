"""Statistics of every column: bounds checked, records added up exactly, and the release of what follows."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from pydpstat._data.columns import Bounds, Data, GivenBounds, check_filling, column_bounds, numbers_of
from pydpstat._release.additive import Query, Spender
from pydpstat._release.statistic import Options, check_records, for_columns, release_statistic
from pydpstat.random import Source, source_from
from pydpstat.results._postprocessing import Publish
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels import record_grid
from pydpstat.statistics._kernels.asked import asked_sums
from pydpstat.statistics._kernels.group_sums import column_sums, merged
from pydpstat.statistics._kernels.groups import note_unused
from pydpstat.statistics._kernels.record_grid import BITS
from pydpstat.statistics._kernels.records import Reader, Records, records_of
from pydpstat.statistics._kernels.scope import Scope

Ask = Callable[[str, Records, Bounds, Options], tuple[Query, Publish]]


def bounded_columns(
    data: Data, bounds: GivenBounds, how: Options, scope: Scope, source: Source, read: Reader = numbers_of
) -> tuple[Records, Options, Bounds, Any]:
    """Read columns with their public bounds, which are returned as they are shown, too."""
    records, how = records_of(data, how, scope, source, read)
    pairs, shown = column_bounds(bounds, records.names, records.width, records.name)
    check_filling(how.missing, pairs)
    return records, how, pairs, shown


def release_columns(
    name: str,
    ask: Ask,
    data: Data,
    bounds: GivenBounds,
    how: Options,
    scope: Scope,
    rng: object,
    budget: Spender | None,
    read: Reader = numbers_of,
) -> DPResults:
    """Release a statistic of every column; `read` makes the numbers of the data that are asked for."""
    source = source_from(rng)
    records, how, pairs, shown = bounded_columns(data, bounds, how, scope, source, read)
    how = for_columns(how, len(pairs))
    query, publish = ask(name, records, pairs, how)
    released = release_statistic(
        name,
        query,
        how,
        source,
        budget,
        arguments=(("bounds", shown), *records.arguments),
        bounds=shown,
        publish=publish,
        conditions=records.conditions,
        total=name == "sum",
    )
    groups, sizes = records.groups, released._sizes()
    if groups is not None and sizes is not None:
        # the sums of which they are made have three terms at most
        sd = math.sqrt(3.0) * float(np.max(released.noise.std()))
        # the groups come first, of the first variable and then of the others
        counts = np.array(sizes[: groups.number])
        axes = [axis.names for axis in groups.axes]
        named = list(zip(groups.names, axes))
        note_unused(counts.reshape([len(each) for each in axes]), sd, named, scope.other, None)
    return released


def summed(
    statistic: str,
    records: Records,
    pairs: Bounds,
    how: Options,
    least: int,
    products: record_grid.Pairs = (),
    sums: Callable[..., tuple[Any, ...]] = column_sums,
    argument: str = "data",
) -> tuple[list[record_grid.RecordGrid], tuple[Any, ...], int]:
    """Return the grids of columns, exact sums on them, and the number of records where it is public.

    `sums` adds up each column on its own, or all variables together. Under bounded neighbors there must be
    at least so many records. Where their number is known from the sums alone, and asks for a finer grid,
    they are read a second time.
    """
    check = partial(check_records, how, least=least, statistic=statistic, argument=argument)

    def add_up(size: int | None) -> tuple[list[record_grid.RecordGrid], tuple[Any, ...], int]:
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
    sums: Callable[..., tuple[Any, ...]] = column_sums,
) -> tuple[Any, ...]:
    """Return exact sums of columns, by group where there are some: the engine's own, or those of a pass."""
    found = asked_sums(records, grids, how.missing, products) if sums is column_sums else None
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
