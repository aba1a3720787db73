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
    check_fill_value,
    has_several_bounds,
    read_numbers,
    resolve_column_bounds,
)
from pydpstat._records import record_grid
from pydpstat._records.aggregates import sum_columns_in_engine
from pydpstat._records.group_sums import FoldedSums, merge_sums, sum_each_column
from pydpstat._records.groups import warn_empty_groups
from pydpstat._records.record_grid import GRID_BITS
from pydpstat._records.records import Reader, Records, read_records
from pydpstat._release.options import Options, check_min_records, choose_column_mechanism
from pydpstat._release.pipeline import Query
from pydpstat._release.statistic import release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.results._postprocessing import PostProcessor
from pydpstat.results.results import DPResults

QueryMaker = Callable[[str, Records, Bounds, Options], tuple[Query, PostProcessor]]
# as id, person, patient_id, userId, uuid or a frame's former index are called
_IDENTIFIER_NAMES = "id|pid|uid|uuid|guid|index|person|patient|subject|respondent|household"
_IDENTIFIER_PATTERN = re.compile(rf"^((?i:{_IDENTIFIER_NAMES})|(?i:.*[_. -](id|uuid|guid))|.*[a-z](ID|Id))$")


def read_bounded_columns(
    data: Data, bounds: GivenBounds, options: Options, reader: Reader = read_numbers
) -> tuple[Records, Options, Bounds, tuple[object, ...]]:
    """Read columns with their public bounds, which are returned as they are shown, too."""
    records, options = read_records(data, options, reader)
    refuse_identifiers(bounds, records.names)
    pairs, shown = resolve_column_bounds(bounds, records.names, records.width, records.name)
    check_fill_value(options.missing, pairs)
    return records, options, pairs, shown


def refuse_identifiers(bounds: GivenBounds, names: tuple[str, ...] | None, argument: str = "data") -> None:
    """Refuse columns whose name is an identifier's among several with one pair of bounds for all."""
    if isinstance(bounds, Mapping) or has_several_bounds(bounds) or names is None or len(names) < 2:
        return
    ids = [name for name in names if _IDENTIFIER_PATTERN.search(name)]
    if ids:
        rest = [name for name in names if name not in ids] or ["income"]
        raise PydpstatError(
            f"{argument} must have variables where one pair of bounds is for all columns; got "
            f"{checks.format_public_value(ids[0])}, which looks like an identifier. Select the variables, as in "
            f"frame[{checks.format_public_value(rest)}], or name whose data a record is, "
            f"unit={checks.format_public_value(ids[0])}. If it is a variable, give bounds by column."
        )


def release_columns(
    name: str,
    make_query: QueryMaker,
    data: Data,
    bounds: GivenBounds,
    options: Options,
    reader: Reader = read_numbers,
) -> DPResults:
    """Release a statistic of every column; `reader` makes the numbers of the data that are asked for."""
    records, options, pairs, shown = read_bounded_columns(data, bounds, options, reader)
    options = choose_column_mechanism(options, len(pairs))
    query, publish = make_query(name, records, pairs, options)
    released = release_statistic(
        name,
        query,
        options,
        public_arguments=(("bounds", shown), *records.arguments),
        bounds=shown,
        postprocess=publish,
        conditions=records.conditions,
        is_total=name == "sum",
    )
    warn_empty_released_groups(released, records)
    return released


def warn_empty_released_groups(result: DPResults, records: Records) -> None:
    """Say which levels look empty by the noisy numbers of records behind values, or by noisy sums."""
    groups = records.groups
    if groups is None:
        return
    sizes = result._get_noisy_sizes()
    if sizes is not None:
        # the sums of which they are made have three terms at most
        sd = math.sqrt(3.0) * float(np.max(result.noise.std()))
        # the groups come first, of the first variable and then of the others
        warn_empty_groups(groups, sizes[: groups.n_groups], sd)
    elif result.statistic == "sum":
        sds = np.asarray(result.post.compute_standard_error(result.noise, result.value))
        values, sds = (each.reshape(groups.n_groups, -1) for each in (result.value, sds))
        # of several columns the one of which most is seen
        group, column = np.unravel_index(np.abs(values / sds).argmax(), values.shape)
        sums = values[:, column] * np.sign(values[group, column])
        warn_empty_groups(groups, sums, float(sds[group, column]), has_all_records=False, quantity="sum")


def sum_on_grid(
    statistic: str,
    records: Records,
    bounds: Bounds,
    options: Options,
    min_records: int,
    products: record_grid.IndexPairs = (),
    sum_part: Callable[..., FoldedSums] = sum_each_column,
    argument: str = "data",
) -> tuple[list[record_grid.RecordGrid], FoldedSums, int]:
    """Return the grids of columns, exact sums on them, and the number of records where it is public.

    `sum_part` adds up each column on its own, or all variables together. Under bounded neighbors there must be
    at least so many records. Where their number is known from the sums alone, and asks for a finer grid,
    they are read a second time.
    """
    check = partial(check_min_records, options, min_records=min_records, statistic=statistic, argument=argument)

    def sum_on_grids(size: int | None) -> tuple[list[record_grid.RecordGrid], FoldedSums, int]:
        grids = record_grid.make_grids(bounds, options, size)
        found, number = records.sum_with_size(
            lambda: compute_exact_sums(records, grids, options, products, sum_part),
            lambda found: found[0].count,
            check,
        )
        return grids, found, number or 0

    grids, found, size = sum_on_grids(records.public_size)
    if (
        options.has_public_size
        and records.public_size is None
        and record_grid.compute_grid_bits(size, options.epsilon) > GRID_BITS
    ):
        if records.size is None:
            raise record_grid.make_coarse_grid_error(size, options.epsilon)
        return sum_on_grids(size)
    return grids, found, size


def compute_exact_sums(
    records: Records,
    grids: list[record_grid.RecordGrid],
    options: Options,
    products: record_grid.IndexPairs = (),
    sum_part: Callable[..., FoldedSums] = sum_each_column,
) -> FoldedSums:
    """Return exact sums of columns, by group where there are some: the engine's own, or those of a pass."""
    # an engine adds up its columns as they are, and not what a reader makes of them
    if sum_part is sum_each_column and records.layout.reader is read_numbers:
        found = sum_columns_in_engine(records, grids, options.missing, products)
        if found is not None:
            return found
    groups = records.n_groups
    tally = partial(sum_part, grids=grids, missing=options.missing, pairs=products, groups=groups)
    return records.fold(tally, merge_sums)


def make_column_query(
    statistic: str,
    records: Records,
    exact: list[Fraction],
    sensitivities: list[Fraction],
    nobs: int | None,
    options: Options,
) -> Query:
    """Ask for one number a column, each with its own sensitivity: for a cube in units of it."""
    units = None
    if options.norm == math.inf:
        units = tuple(each or Fraction(1) for each in sensitivities)
        exact = [each / unit for each, unit in zip(exact, units)]
        sensitivities = [Fraction(1)]
    floats = [each.numerator / each.denominator for each in exact]
    return Query(
        statistic,
        np.array(floats if records.names is not None else floats[0]),
        tuple(sensitivities),
        records.make_labels(statistic),
        nobs=nobs,
        exact=tuple(exact),
        element_units=units,
    )
