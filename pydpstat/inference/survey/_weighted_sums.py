"""Exact sums of weighted records, as released for survey statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from operator import add
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.alignment import check_equal_indexes
from pydpstat._data.columns import Columns, Data, VariableBounds
from pydpstat._data.containers import Column, get_column_names, get_columns, is_frame
from pydpstat._data.native import name_data_argument, read_all_records, to_pandas_or_numpy, to_series
from pydpstat._data.table import Chunk, as_table
from pydpstat._records.group_sums import GroupSums, add_to_group_totals, iterate_grid_values, split_totals
from pydpstat._records.groups import EMPTY_LIMIT, ColumnOrigin, Keys, read_keys, warn_empty_groups
from pydpstat._records.record_grid import (
    GRID_BITS,
    ExactSums,
    RecordGrid,
    make_standard_grid,
    round_to_unit,
    sum_in_units,
)
from pydpstat._records.records import RecordChunk, Records, read_records
from pydpstat._release.options import NO_FILL, Missing, Options, check_min_records, options
from pydpstat._release.pipeline import Chargeable, Query
from pydpstat._release.scope import Scope
from pydpstat._warn import warn_usage
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import (
    WeightedVariable,
    read_domain_sample,
    read_weighted_products,
    read_weighted_variable,
)
from pydpstat.inference._testing import check_inference_epsilon
from pydpstat.results._labels import Labels

# fraction of epsilon spent on the sums of weights; the rest is spent on those of squared weights
LINEAR_SHARE = Fraction(3, 4)
_GRID_UNIT = 2.0**-GRID_BITS


class WeightedRecords(NamedTuple):
    """Records with weights, and the checked bounds and options."""

    records: Records
    bounds: VariableBounds
    max_weight: float
    options: Options
    is_stratified: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the released values: () or (number of groups,); strata are not groups."""
        return () if self.is_stratified else self.records.shape

    @property
    def arguments(self) -> tuple[tuple[str, object], ...]:
        """Public arguments of the call about weights, groups and strata."""
        record_arguments = [
            ("strata" if self.is_stratified and name == "by" else name, value) for name, value in self.records.arguments
        ]
        return ("max_weight", self.max_weight), *record_arguments

    def make_labels(self, statistic: str) -> Labels:
        """Return the labels of the released values."""
        return Labels(self.records.name or statistic) if self.is_stratified else self.records.make_labels(statistic)

    @property
    def product_bounds(self) -> VariableBounds:
        """Bounds of the products of variable and weight."""
        return min(0.0, self.bounds[0] * self.max_weight), max(0.0, self.bounds[1] * self.max_weight)

    @property
    def grids(self) -> tuple[RecordGrid, RecordGrid]:
        """Standard grids of the variable and of the weights."""
        return make_standard_grid(*self.bounds), make_standard_grid(-self.max_weight, self.max_weight)

    def compute_sums(self, sum_part: Callable[..., GroupSums]) -> tuple[list[ExactSums], int | None]:
        """Compute the exact sums of each group, and the number of records if it is public."""
        argument = self.records.layout.argument
        add_up = partial(sum_part, grids=self.grids, missing=self.options.missing, groups=self.records.n_groups)
        sums, size = self.records.sum_with_size(
            lambda: self.records.fold(add_up, add),
            lambda found: int(found.counts.sum()),
            partial(
                check_min_records,
                self.options,
                min_records=1,
                statistic="weighted statistic",
                argument=argument,
            ),
        )
        return sums.split_groups(), size


def read_weighted_records(
    data: Data,
    weights: Data | str,
    bounds: VariableBounds,
    max_weight: float,
    options: Options,
    strata: Keys | None = None,
    is_boolean: bool = False,
    products: bool = False,
) -> WeightedRecords:
    """Read a numeric variable, or booleans as 0 and 1, and its weights; strata replace groups.

    With `products`, the records are the products of the clipped variable and the clipped weight.
    """
    largest = check_max_weight(max_weight)
    argument = "condition" if is_boolean else "data"
    groups = ("by", options.scope.by) if strata is None else ("strata", strata)
    check_equal_indexes((argument, data), ("weights", weights), groups, ("unit", options.scope.unit))
    columns: Callable[..., Columns] = partial(read_weighted_variable, argument=argument, is_boolean=is_boolean)
    if strata is not None or products:
        columns = partial(read_domain_sample, read_columns=columns, drop=options.missing == "drop")
    if products:
        columns = partial(read_weighted_products, read_columns=columns, bounds=bounds, largest=largest)
    scope = _apply_strata(options.scope, strata)
    try:
        combined, read, scope = _combine_inputs(data, weights, scope, argument)
        records_and_options = read_records(
            combined, options._replace(scope=scope), partial(columns, get_pair=read), argument
        )
    except PydpstatError as error:
        message = str(error)
        if strata is None or not message.startswith("by "):
            raise
        raise PydpstatError("strata" + message.removeprefix("by")) from error.__cause__
    records, options = records_and_options
    return WeightedRecords(records, bounds, largest, options, strata is not None)


def _apply_strata(scope: Scope, strata: Keys | None) -> Scope:
    """Return the scope with the strata, if given, as groups."""
    if strata is None:
        return scope
    if scope.by is not None:
        raise PydpstatError(
            "strata must be left out with by: within a group the interval assumes independent draws. "
            "Give one of the two; if the groups are the strata, use by."
        )
    if scope.levels is None:
        raise PydpstatError(
            "levels must be given with strata: levels from the data would reveal which values occur. "
            "Give the public names of all strata."
        )
    return scope._replace(by=strata)


def _combine_inputs(
    data: object, weights: object, scope: Scope, argument: str
) -> tuple[object, Callable[[object], WeightedVariable], Scope]:
    """Return the combined data, a function that extracts variable and weights from a part of them, and the scope."""
    data = to_pandas_or_numpy(data, argument)
    with name_data_argument(argument):
        has_names = is_frame(data) or as_table(data) is not None
    if isinstance(weights, str):
        if not has_names:
            raise PydpstatError(
                f"weights must have a weight for each record if {argument} has no named columns; got "
                f"{checks.describe_value(weights)}. Give a column, or a data frame that has it."
            )
        return data, partial(_select_weighted_variable, weights=weights, argument=argument), scope
    keys = (scope.by,) if isinstance(scope.by, str) else scope.by
    by_name = isinstance(keys, (list, tuple)) and all(isinstance(key, str) for key in keys)
    unit = scope.budget_unit if scope.unit is None else scope.unit
    if has_names and (by_name or isinstance(unit, str)):
        # weights are matched to records by order
        columns = _get_columns_by_name(read_all_records(data, argument, needs_order=True))
        size = len(next(iter(columns.values()))) if columns else 0
        used: list[str] = []
        if by_name:
            names, by = read_keys(scope, ColumnOrigin(tuple(columns), columns, size, None, argument=argument))
            used, scope = [*names], scope._replace(by=dict(zip(names, by.columns)))
        if isinstance(unit, str) and unit in columns:
            used, scope = [*used, unit], scope._replace(unit=to_series(columns[unit], unit))
        variable_name = _require_one_name([name for name in columns if name not in used], argument)
        data = Chunk({variable_name: columns[variable_name]}, size)
    return WeightedVariable(data, weights), _get_weighted_variable, scope


def _get_weighted_variable(given: object) -> WeightedVariable:
    assert isinstance(given, WeightedVariable)
    return given


def _select_weighted_variable(given: object, weights: str, argument: str) -> WeightedVariable:
    """Return the variable and the weights of a frame or chunk that has these two columns only."""
    columns = _get_columns_by_name(given)
    if weights not in columns:
        raise PydpstatError(
            f"weights must be a column of the data; got {checks.describe_option(weights)}; the columns "
            f"are {checks.format_public_value(list(columns))}. {checks.suggest_spelling(weights, list(columns))}"
        )
    variable_name = _require_one_name([name for name in columns if name != weights], argument)
    size = len(columns[variable_name])
    return WeightedVariable(
        Chunk({variable_name: columns[variable_name]}, size), Chunk({weights: columns[weights]}, size)
    )


def _get_columns_by_name(data: object) -> dict[str, Column]:
    """Return the columns of a frame or chunk by name."""
    if isinstance(data, Chunk):
        return dict(data.columns)
    return dict(zip(get_column_names(data), get_columns(data)))


def _require_one_name(names: list[str], argument: str) -> str:
    if len(names) == 1:
        return names[0]
    raise PydpstatError(
        f"{argument} must have one variable apart from the columns of weights and by; got "
        f"{checks.format_public_value(names)}. Select its columns first, as in frame[['income', 'weight', "
        "'region']]."
    )


def compute_mean_sums(
    part: RecordChunk, grids: Sequence[RecordGrid], missing: Missing, groups: int | None
) -> GroupSums:
    """Return the six sums of a weighted mean, by group if there are groups.

    For a record with z in [-1, 1] and weight v in [0, 1], both on the grid, the terms are a = v (1 - z) / 2 and
    b = v (1 + z) / 2, the three parts of v^2, and 1 - v. b is rounded to the grid and at most v, and a = v - b; v^2
    and its parts are rounded likewise. No term is negative, and the parts add up exactly.
    """
    counts = np.zeros(groups or 1, dtype=np.int64)
    totals = np.zeros((6, 2, counts.size), dtype=np.int64)
    for (z, v), at in iterate_grid_values(part.columns.arrays, grids, missing, part.group_codes, counts.size):
        counts += np.bincount(at, minlength=counts.size)
        np.maximum(v, 0.0, out=v)
        upper = np.minimum(round_to_unit(v * (1.0 + z) * 0.5, _GRID_UNIT), v)
        square = round_to_unit(v * v, _GRID_UNIT)
        right = np.minimum(round_to_unit(square * (1.0 + z) ** 2 * 0.25, _GRID_UNIT), square)
        middle = np.minimum(round_to_unit(square * (1.0 - z * z) * 0.5, _GRID_UNIT), square - right)
        terms = (v - upper, upper, square - middle - right, middle, right, 1.0 - v)
        for total, term in zip(totals, terms):
            if groups is None:
                # without groups a plain sum takes a third of the time
                total += split_totals([sum_in_units(term, _GRID_UNIT, GRID_BITS) or 0])
            else:
                add_to_group_totals(total, term, _GRID_UNIT, at)
    return GroupSums(counts, totals, 6)


def compute_cell_sums(
    part: RecordChunk, grids: Sequence[RecordGrid], missing: Missing, groups: int | None, edges: np.ndarray
) -> GroupSums:
    """Return the sums of v and of v^2 in each cell, and the sum of 1 - v, by group if there are groups.

    Cells include their left edges, and the last cell also its right edge.
    """
    number, cells = groups or 1, edges.size - 1
    counts = np.zeros(number, dtype=np.int64)
    inside, complements = np.zeros((2, 2, number * cells), dtype=np.int64), np.zeros((1, 2, number), dtype=np.int64)
    for (z, v), at in iterate_grid_values(part.columns.arrays, grids, missing, part.group_codes, number):
        counts += np.bincount(at, minlength=number)
        np.maximum(v, 0.0, out=v)
        cell = at * cells + (np.searchsorted(edges, z, side="right") - 1).clip(0, cells - 1)
        for total, values in zip(inside, (v, round_to_unit(v * v, _GRID_UNIT))):
            add_to_group_totals(total, values, _GRID_UNIT, cell)
        add_to_group_totals(complements[0], 1.0 - v, _GRID_UNIT, at)
    # one row for each kind of sum and cell
    rows = inside.reshape(2, 2, number, cells).transpose(0, 3, 1, 2).reshape(2 * cells, 2, number)
    return GroupSums(counts, np.concatenate([rows, complements]), 2 * cells + 1)


def make_weighted_query(
    statistic: str, sums: Sequence[ExactSums], n_linear: int, weighted: WeightedRecords, size: int | None
) -> Query:
    """Return a query for sums: the first `n_linear` of weights v, the last of 1 - v, the others of v^2.

    A record adds to the sums of its group a vector without negative elements, whose parts are multiplied by the
    fractions c and 1 - c of epsilon. Its L1 norm is c v + (1 - c) v^2, or c (v + 1 - v) + (1 - c) v^2 if the number of
    records is private: at most 1. The sensitivity is therefore 1 if a record is added or removed, and 2 if it is
    replaced, whether or not its group changes.
    """
    exact: list[Fraction] = []
    for group_sums in sums:
        row = group_sums.first[:-1] if weighted.options.has_public_size else group_sums.first
        shares = (
            [LINEAR_SHARE] * n_linear + [1 - LINEAR_SHARE] * (len(group_sums.first) - n_linear - 1) + [LINEAR_SHARE]
        )
        exact += [share * Fraction(total, 1 << GRID_BITS) for share, total in zip(shares, row)]
    return Query.from_exact(
        statistic, exact, get_sum_sensitivity(weighted.options), weighted.make_labels(statistic), size
    )


def get_sum_sensitivity(options: Options) -> Fraction:
    """Return the sensitivity of nonnegative sums to which a record adds at most 1 in the L1 norm."""
    return Fraction(2 if options.neighbors == "bounded" else 1)


def make_weighted_options(
    epsilon: float,
    neighbors: str | None,
    missing: Missing,
    rng: object,
    budget: Chargeable | None,
) -> Options:
    """Check the privacy options of a statistic with survey weights."""
    if not isinstance(missing, str) or missing not in ("error", "drop"):
        # a number would replace missing values and missing weights alike
        got = checks.describe_option(missing)
        raise PydpstatError(
            f"missing must be 'error' or 'drop' for records with weights; got {got}. Fill the missing "
            "values first, by a rule that uses each record alone."
        )
    checked_options = options(epsilon, 0, "laplace", neighbors, missing, fill_type=NO_FILL, rng=rng, budget=budget)
    check_inference_epsilon(checked_options)
    return checked_options


def check_max_weight(max_weight: float) -> float:
    """Check the public upper bound of the weights."""
    hint = "Rescale the weights."
    return checks.check_number(max_weight, "max_weight", "from 1e-100 to 1e100", lambda x: 1e-100 <= x <= 1e100, hint)


def compute_noise_scales(options: Options) -> tuple[float, float]:
    """Return the noise scales of the unscaled sums of weights and of squared weights."""
    scale = float(get_sum_sensitivity(options)) / options.epsilon
    return scale / float(LINEAR_SHARE), scale / float(1 - LINEAR_SHARE)


def warn_empty_weighted_groups(
    weighted: WeightedRecords, sums: Sequence[tuple[tuple[float, ...], tuple[float, ...], float]], size: int | None
) -> None:
    """Warn of levels that look empty by the noisy sums of weights v and of 1 - v in their groups.

    Without groups and with a public number of records `size`, warn of weights that add up to no more than noise.
    """
    sd = math.sqrt(2.0 * (len(sums[0][0]) + 1)) * compute_noise_scales(weighted.options)[0]
    if weighted.records.groups is None and size is not None and math.fsum(sums[0][0]) < EMPTY_LIMIT * sd < 0.1 * size:
        warn_usage(
            "the weights add up to no more than noise. Those below 0 count as 0: are there negative weights, or is "
            f"max_weight={weighted.max_weight:g} far above them?"
        )
    warn_empty_groups(weighted.records.groups, [math.fsum(linear) + complement for linear, _, complement in sums], sd)


def unscale_weighted_sums(
    noisy: np.ndarray, n_linear: int, n_squares: int
) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Return the noisy sums of weights, of squared weights and of 1 - v (0 if not released) of a group."""
    last = n_linear + n_squares
    shares = float(LINEAR_SHARE), float(1 - LINEAR_SHARE)
    complement = float(noisy[last]) / shares[0] if noisy.size > last else 0.0
    linear, squares = noisy[:n_linear] / shares[0], noisy[n_linear:last] / shares[1]
    return tuple(linear.tolist()), tuple(squares.tolist()), complement
