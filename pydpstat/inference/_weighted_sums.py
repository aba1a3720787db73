"""Exact sums of records with weights, as they are released for survey statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from operator import add
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Columns, Data, Pair
from pydpstat._data.containers import Column, columns_of, is_frame, names_of
from pydpstat._data.held import about, in_memory, read_whole, series_of
from pydpstat._data.table import Chunk, table_of
from pydpstat._release.additive import Query, Spender
from pydpstat._release.options import NO_VALUE, Missing, Options, check_records, options
from pydpstat._release.scope import Scope
from pydpstat.errors import PydpstatError
from pydpstat.inference._samples import GivenPair, both_of, products_of, whole_sample
from pydpstat.inference._testing import check_epsilon
from pydpstat.results._labels import Labels
from pydpstat.statistics._kernels.group_sums import GroupSums, add_by_group, in_two, placed_by_group
from pydpstat.statistics._kernels.record_grid import BITS, RecordGrid, Sums, rounded, standard_grid, units
from pydpstat.statistics._kernels.records import Part, Records, records_of
from pydpstat.statistics._kernels.scope import Keys, Origin, keys_of, note_groups

# the share of the noise's epsilon that the sums of the weights have; the rest is that of their squares
LINEAR = Fraction(3, 4)
_UNIT = 2.0**-BITS


class Weighted(NamedTuple):
    """Records and their weights, with bounds and options checked."""

    records: Records
    pair: Pair
    largest: float
    how: Options
    stratified: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is published: a number, or one for each group; strata are no groups."""
        return () if self.stratified else self.records.shape

    @property
    def arguments(self) -> tuple[tuple[str, object], ...]:
        """What the call says of weights, groups and strata."""
        said = [
            ("strata" if self.stratified and name == "by" else name, each)
            for name, each in self.records.arguments
        ]
        return ("max_weight", self.largest), *said

    def labels(self, statistic: str) -> Labels:
        """Return the names of what is published."""
        return Labels(self.records.name or statistic) if self.stratified else self.records.labels(statistic)

    @property
    def product_bounds(self) -> Pair:
        """Between which a variable times its weight is."""
        return min(0.0, self.pair[0] * self.largest), max(0.0, self.pair[1] * self.largest)

    @property
    def grids(self) -> tuple[RecordGrid, RecordGrid]:
        """Where records and weights are placed."""
        return standard_grid(*self.pair), standard_grid(-self.largest, self.largest)

    def sums(self, of: Callable[..., GroupSums]) -> tuple[list[Sums], int | None]:
        """Return the exact sums of every group, and the number of records where it is public."""
        argument = self.records.layout.argument
        add_up = partial(of, grids=self.grids, missing=self.how.missing, groups=self.records.group_number)
        found, size = self.records.numbered(
            lambda: self.records.fold(add_up, add),
            lambda found: int(found.counts.sum()),
            partial(check_records, self.how, least=1, statistic="weighted statistic", argument=argument),
        )
        return found.each(), size


def read_weighted(
    data: Data,
    weights: Data | str,
    pair: Pair,
    max_weight: float,
    how: Options,
    strata: Keys | None = None,
    truths: bool = False,
    products: bool = False,
) -> Weighted:
    """Read a variable, or truth values as 0 and 1, and its weights; strata take the place of groups.

    Of `products` the records are the variable times the weight, each moved to its bounds before.
    """
    largest = largest_weight(max_weight)
    argument = "condition" if truths else "data"
    columns: Callable[..., Columns] = partial(both_of, argument=argument, truths=truths)
    if strata is not None or products:
        columns = partial(whole_sample, of=columns, drop=how.missing == "drop")
    if products:
        columns = partial(products_of, of=columns, pair=pair, largest=largest)
    scope = _with_strata(how.scope, strata)
    try:
        given, read, scope = _together(data, weights, scope, argument)
        found = records_of(given, how._replace(scope=scope), partial(columns, pair_of=read), argument)
    except PydpstatError as error:
        said = str(error)
        if strata is None or not said.startswith("by "):
            raise
        raise PydpstatError("strata" + said.removeprefix("by")) from error.__cause__
    records, how = found
    return Weighted(records, pair, largest, how, strata is not None)


def _with_strata(scope: Scope, strata: Keys | None) -> Scope:
    """Return by what to add up: groups, or strata."""
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


def _together(
    data: object, weights: object, scope: Scope, argument: str
) -> tuple[object, Callable[[object], GivenPair], Scope]:
    """Return the records, what makes a variable and its weights of some of them, and by what groups."""
    data = in_memory(data, argument)
    with about(argument):
        named = is_frame(data) or table_of(data) is not None
    if isinstance(weights, str):
        if not named:
            raise PydpstatError(
                f"weights must have a weight for each record if {argument} has no named columns; got "
                f"{checks.shown(weights)}. Give a column, or a data frame that has it."
            )
        return data, partial(_by_name, weights=weights, argument=argument), scope
    keys = (scope.by,) if isinstance(scope.by, str) else scope.by
    by_name = isinstance(keys, (list, tuple)) and all(isinstance(each, str) for each in keys)
    unit = scope.paid_for if scope.unit is None else scope.unit
    if named and (by_name or isinstance(unit, str)):
        # weights are given in the records' order
        columns = _named(read_whole(data, argument, beside=True))
        size = len(next(iter(columns.values()))) if columns else 0
        used: list[str] = []
        if by_name:
            names, by = keys_of(scope, Origin(tuple(columns), columns, size, None, argument=argument))
            used, scope = [*names], scope._replace(by=dict(zip(names, by.columns)))
        if isinstance(unit, str) and unit in columns:
            used, scope = [*used, unit], scope._replace(unit=series_of(columns[unit], unit))
        rest = _only([name for name in columns if name not in used], argument)
        data = Chunk({rest: columns[rest]}, size)
    return GivenPair(data, weights), _as_given, scope


def _as_given(given: object) -> GivenPair:
    assert isinstance(given, GivenPair)
    return given


def _by_name(given: object, weights: str, argument: str) -> GivenPair:
    """Return the variable and the weights of a frame or a chunk that has both and nothing else."""
    columns = _named(given)
    if weights not in columns:
        raise PydpstatError(
            f"weights must be a column of the data; got {checks.shown_option(weights)}; the columns "
            f"are {checks.excerpt(list(columns))}. {checks.did_you_mean(weights, list(columns))}"
        )
    rest = _only([name for name in columns if name != weights], argument)
    size = len(columns[rest])
    return GivenPair(Chunk({rest: columns[rest]}, size), Chunk({weights: columns[weights]}, size))


def _named(data: object) -> dict[str, Column]:
    """Return columns by name."""
    if isinstance(data, Chunk):
        return dict(data.columns)
    return dict(zip(names_of(data), columns_of(data)))


def _only(names: list[str], argument: str) -> str:
    if len(names) == 1:
        return names[0]
    raise PydpstatError(
        f"{argument} must have one variable apart from the columns of weights and by; got "
        f"{checks.excerpt(names)}. Select its columns first, as in frame[['income', 'weight', "
        "'region']]."
    )


def mean_sums(part: Part, grids: Sequence[RecordGrid], missing: Missing, groups: int | None) -> GroupSums:
    """Return the six sums of a weighted mean, by group where there are some.

    For each record, z in [-1, 1] with a weight v in [0, 1] on the grid, they are a = v (1 - z) / 2 and
    b = v (1 + z) / 2, the three parts of v^2, and 1 - v. b is rounded to the grid and at most v, a is the
    rest of v; so with v^2, which is on the grid at most v, and its parts. None is negative, and the parts add
    up exactly.
    """
    counts = np.zeros(groups or 1, dtype=np.int64)
    totals = np.zeros((6, 2, counts.size), dtype=np.int64)
    for (z, v), at in placed_by_group(part.columns.arrays, grids, missing, part.places, counts.size):
        counts += np.bincount(at, minlength=counts.size)
        np.maximum(v, 0.0, out=v)
        upper = np.minimum(rounded(v * (1.0 + z) * 0.5, _UNIT), v)
        square = rounded(v * v, _UNIT)
        right = np.minimum(rounded(square * (1.0 + z) ** 2 * 0.25, _UNIT), square)
        middle = np.minimum(rounded(square * (1.0 - z * z) * 0.5, _UNIT), square - right)
        parts = (v - upper, upper, square - middle - right, middle, right, 1.0 - v)
        for total, each in zip(totals, parts):
            if groups is None:
                # of all records a sum takes a third of the time
                total += in_two([units(each, _UNIT, BITS) or 0])
            else:
                add_by_group(total, each, _UNIT, at)
    return GroupSums(counts, totals, 6)


def cell_sums(
    part: Part, grids: Sequence[RecordGrid], missing: Missing, groups: int | None, edges: np.ndarray
) -> GroupSums:
    """Return the sums of v and of v^2 in each cell, and that of 1 - v, by group where there are some.

    Cells hold their left edges, the last one both.
    """
    number, cells = groups or 1, edges.size - 1
    counts = np.zeros(number, dtype=np.int64)
    inside, rest = np.zeros((2, 2, number * cells), dtype=np.int64), np.zeros((1, 2, number), dtype=np.int64)
    for (z, v), at in placed_by_group(part.columns.arrays, grids, missing, part.places, number):
        counts += np.bincount(at, minlength=number)
        np.maximum(v, 0.0, out=v)
        cell = at * cells + (np.searchsorted(edges, z, side="right") - 1).clip(0, cells - 1)
        for total, each in zip(inside, (v, rounded(v * v, _UNIT))):
            add_by_group(total, each, _UNIT, cell)
        add_by_group(rest[0], 1.0 - v, _UNIT, at)
    # of each kind a row for each cell
    rows = inside.reshape(2, 2, number, cells).transpose(0, 3, 1, 2).reshape(2 * cells, 2, number)
    return GroupSums(counts, np.concatenate([rows, rest]), 2 * cells + 1)


def weighted_query(
    statistic: str, sums: Sequence[Sums], linear: int, known: Weighted, size: int | None
) -> Query:
    """Ask for sums of which the first `linear` ones are of weights v, the last of 1 - v, the others of
    v^2.

    A record adds to those of its group, each in its share c or 1 - c of the noise, a vector without negative
    elements and of L1 norm c v + (1 - c) v^2, where the number of records is private
    c (v + 1 - v) + (1 - c) v^2: at most 1. Adding or removing it moves them by 1 at most, replacing it, in
    its group or to enter another, by 2.
    """
    exact: list[Fraction] = []
    for each in sums:
        row = each.first[:-1] if known.how.bounded else each.first
        shares = [LINEAR] * linear + [1 - LINEAR] * (len(each.first) - linear - 1) + [LINEAR]
        exact += [share * Fraction(total, 1 << BITS) for share, total in zip(shares, row)]
    return Query.of(statistic, exact, reach(known.how), known.labels(statistic), size)


def reach(how: Options) -> Fraction:
    """Return how far a neighbor moves nonnegative sums to which a record adds 1 at most."""
    return Fraction(2 if how.neighbors == "bounded" else 1)


def weighted_options(
    epsilon: float,
    neighbors: str | None,
    missing: Missing,
    rng: object,
    budget: Spender | None,
) -> Options:
    """Check how a statistic of records with weights is to be protected."""
    if not isinstance(missing, str) or missing not in ("error", "drop"):
        # a number would stand for values and weights alike
        got = checks.shown_option(missing)
        raise PydpstatError(
            f"missing must be 'error' or 'drop' for records with weights; got {got}. Fill the missing "
            "values first, by a rule that uses each record alone."
        )
    how = options(epsilon, 0, "laplace", neighbors, missing, fill=NO_VALUE, rng=rng, budget=budget)
    check_epsilon(how)
    return how


def largest_weight(max_weight: float) -> float:
    """Check the public bound of the weights."""
    hint = "Rescale the weights."
    return checks.number(
        max_weight, "max_weight", "from 1e-100 to 1e100", lambda x: 1e-100 <= x <= 1e100, hint
    )


def noise_scales(how: Options) -> tuple[float, float]:
    """Return the noise's scales of the sums of weights and of their squares."""
    scale = float(reach(how)) / how.epsilon
    return scale / float(LINEAR), scale / float(1 - LINEAR)


def note_counted(known: Weighted, sums: Sequence[tuple[tuple[float, ...], tuple[float, ...], float]]) -> None:
    """Say which levels look empty by the groups' noisy sums of weights and of what they lack to 1."""
    sd = math.sqrt(2.0 * (len(sums[0][0]) + 1)) * noise_scales(known.how)[0]
    note_groups(known.records.groups, [math.fsum(linear) + rest for linear, _, rest in sums], sd)


def sums_of(
    noisy: np.ndarray, linear: int, squares: int
) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Return a group's noisy sums of weights, of their squares, and of what they lack to 1, if there."""
    last = linear + squares
    shares = float(LINEAR), float(1 - LINEAR)
    rest = float(noisy[last]) / shares[0] if noisy.size > last else 0.0
    first, second = noisy[:linear] / shares[0], noisy[linear:last] / shares[1]
    return tuple(first.tolist()), tuple(second.tolist()), rest
