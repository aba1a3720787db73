"""Releases of a statistic for every column: checks of bounds, exact sums and the release."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import (
    Bounds,
    Data,
    GivenBounds,
    check_bounds,
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
from pydpstat._records.value_warnings import warn_means_at_bounds
from pydpstat._release.options import Options, check_min_records, choose_column_mechanism
from pydpstat._release.pipeline import Query
from pydpstat._release.statistic import release_statistic
from pydpstat.errors import PydpstatError
from pydpstat.results._postprocessing import PostProcessor
from pydpstat.results.results import DPResults

QueryMaker = Callable[[str, Records, Bounds, Options], tuple[Query, PostProcessor]]
# names such as id, person, patient_id, userId, uuid, or that of a frame's former index
_IDENTIFIER_NAMES = "id|pid|uid|uuid|guid|index|person|patient|subject|respondent|household"
# q1 and q2, or income_2019 and income_2020, are measured alike
_DIGITS_PATTERN = re.compile(r"\d+")
_IDENTIFIER_PATTERN = re.compile(rf"^((?i:{_IDENTIFIER_NAMES})|(?i:.*[_. -](id|uuid|guid))|.*[a-z](ID|Id))$")


def read_bounded_columns(
    data: Data, bounds: GivenBounds, options: Options, reader: Reader = read_numbers
) -> tuple[Records, Options, Bounds, tuple[object, ...]]:
    """Read columns with their public bounds; also return the bounds in the form of the call record."""
    records, options = read_records(data, options, reader)
    check_shared_bounds(bounds, records.names)
    pairs, shown = resolve_column_bounds(bounds, records.names, records.width, records.name)
    check_fill_value(options.missing, pairs)
    return records, options, pairs, shown


def check_shared_bounds(
    bounds: object, names: Sequence[str] | None, argument: str = "data", as_list: bool = False
) -> None:
    """Raise an error if several columns share one pair of bounds, and their names say that they are different.

    Names such as x and y, or q1 and q2, say nothing. The error shows bounds by name, or as a list.
    """
    if isinstance(bounds, Mapping) or has_several_bounds(bounds) or names is None or len(names) < 2:
        return
    ids = [name for name in names if _IDENTIFIER_PATTERN.search(name)]
    if ids:
        other_names = [name for name in names if name not in ids] or ["income"]
        raise PydpstatError(
            f"{argument} must have variables where one pair of bounds is for all columns; got "
            f"{checks.format_public_value(ids[0])}, which looks like an identifier. Select the variables, as in "
            f"frame[{checks.format_public_value(other_names)}], or name the column of the units, "
            f"unit={checks.format_public_value(ids[0])}. If it is a variable, give bounds by column."
        )
    stems = {_DIGITS_PATTERN.sub("", name) for name in names}
    if len(stems) < 2 or all(len(stem) < 2 or stem == "response" for stem in stems):
        return
    pair = "({:g}, {:g})".format(*check_bounds(bounds))
    pairs = [pair, *["(lower, upper)"] * (len(names) - 1)]
    if as_list:
        example = f"bounds=[{', '.join(pairs)}]"
    else:
        named = [f"{name!r}: {each}" for name, each in zip(names[:2], pairs)]
        example = f"bounds={{{', '.join([*named, *['...'] * (len(names) > 2)])}}}"
    raise PydpstatError(
        f"bounds must be a pair for each of different variables, {checks.format_public_value(list(names))}; got one "
        f"pair for all, to which each would be clipped. Write {example}. If their ranges are the same, give the pair "
        f"for each, bounds=[{pair}] * {len(names)}."
    )


def release_columns(
    name: str,
    make_query: QueryMaker,
    data: Data,
    bounds: GivenBounds,
    options: Options,
    reader: Reader = read_numbers,
) -> DPResults:
    """Release a statistic of every column; `reader` converts the data to columns of numbers."""
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
    if name == "mean":
        warn_means_at_bounds(released, records.names or (records.name,), pairs)
    return released


def warn_empty_released_groups(result: DPResults, records: Records) -> None:
    """Warn of levels that look empty, based on the noisy numbers of records behind values, or on noisy sums."""
    groups = records.groups
    if groups is None:
        return
    sizes = result._get_noisy_sizes()
    if sizes is not None:
        # each number of records is a sum of at most three noisy weights
        sd = math.sqrt(3.0) * float(np.max(result.noise.std()))
        # the numbers of all groups come first for the first variable
        warn_empty_groups(groups, sizes[: groups.n_groups], sd)
    elif result.statistic == "sum":
        sds = np.asarray(result.post.compute_standard_error(result.noise, result.value))
        values, sds = (each.reshape(groups.n_groups, -1) for each in (result.value, sds))
        # use the column with the largest ratio of value to standard deviation
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
    """Return the grids of columns, exact sums on them, and the number of records, 0 if it is private.

    `sum_part` sums each column separately, or all variables jointly. Under bounded neighbors there must be at
    least `min_records` records. If their number is known from the sums only and requires a finer grid, the records
    are read a second time.
    """
    check = partial(check_min_records, options, min_records=min_records, statistic=statistic, argument=argument)

    def sum_on_grids(size: int | None) -> tuple[list[record_grid.RecordGrid], FoldedSums, int]:
        grids = record_grid.make_grids(bounds, options, size)
        sums, number = records.sum_with_size(
            lambda: compute_exact_sums(records, grids, options, products, sum_part),
            lambda found: found[0].count,
            check,
        )
        return grids, sums, number or 0

    grids, sums, size = sum_on_grids(records.public_size)
    if (
        options.has_public_size
        and records.public_size is None
        and record_grid.compute_grid_bits(size, options.epsilon) > GRID_BITS
    ):
        if records.size is None:
            raise record_grid.make_coarse_grid_error(size, options.epsilon)
        return sum_on_grids(size)
    return grids, sums, size


def compute_exact_sums(
    records: Records,
    grids: list[record_grid.RecordGrid],
    options: Options,
    products: record_grid.IndexPairs = (),
    sum_part: Callable[..., FoldedSums] = sum_each_column,
) -> FoldedSums:
    """Return exact sums of columns by group, computed in the engine if possible, else in one pass over the records."""
    # an engine sums its columns as they are, without the conversion of a special reader
    is_plain = sum_part is sum_each_column and records.layout.reader is read_numbers
    if is_plain and records.engine_table is not None:
        engine_sums = sum_columns_in_engine(records, grids, options.missing, products)
        if engine_sums is not None:
            return engine_sums
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
    """Make the query of one number per column with separate sensitivities; for maximum-norm noise in units of them."""
    units = None
    if options.norm == math.inf:
        units = tuple(number or Fraction(1) for number in sensitivities)
        exact = [number / unit for number, unit in zip(exact, units)]
        sensitivities = [Fraction(1)]
    floats = [number.numerator / number.denominator for number in exact]
    return Query(
        statistic,
        np.array(floats if records.names is not None else floats[0]),
        tuple(sensitivities),
        records.make_labels(statistic),
        nobs=nobs,
        exact=tuple(exact),
        element_units=units,
    )
