"""Arguments, records on the grid and selection of grid points, shared by the quantile functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, GivenBounds, check_bounds, check_fill_value, is_placeholder, read_single_column
from pydpstat._data.native import to_public_list
from pydpstat._records.candidates import (
    GRID_POINTS,
    CandidateGrid,
    check_grid_points,
    has_integer_bounds,
    has_integer_type,
    make_grid,
    make_integer_grid,
)
from pydpstat._records.ranks import (
    SPARSE_CELLS_PER_RECORD,
    Floats,
    IntegerArray,
    OccupiedPoints,
    PointCounts,
    PointWindow,
    RankTarget,
    compute_rank_range,
    compute_rank_utility,
    compute_utility_limit,
    count_part_points,
    count_window,
    merge_point_counts,
    round_share,
    split_grid_into_runs,
)
from pydpstat._records.records import Records, read_records
from pydpstat._records.selection import PointSelection
from pydpstat._records.value_warnings import warn_quantiles_at_bounds
from pydpstat._release.calibration import INTEGER_MECHANISMS
from pydpstat._release.charging import get_budget_defaults
from pydpstat._release.choice import release_choice
from pydpstat._release.declared_facts import TYPES_CONDITION
from pydpstat._release.options import Missing, Options, check_min_records, options
from pydpstat._release.pipeline import Chargeable
from pydpstat._release.statistic import make_call
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._exponential import Exponential
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy import BoundedRangeLoss
from pydpstat.random import Source
from pydpstat.random._weighted_choice import Runs, draw_integer_below, draw_integers
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults

# returns the selected value and its labels; ignores uniforms of a seeded source
ChoiceFunction = Callable[..., tuple[object, Labels]]
# called with the pieces' numbers of points, their utilities and the rate; returns the index of a piece
PieceChooser = Callable[[IntegerArray, Floats, Fraction], int]
# returns an integer from 0 to below its argument
IntegerDrawer = Callable[[int], int]
# log2 of the number of positions at which ties are put in random order
_TIE_BITS = 16
# groups are processed together until they have this number of runs
_BLOCK = 2**16


class QuantileQuery(NamedTuple):
    """Records, grid points to which they are rounded, and options of a release of quantiles.

    `is_permute_and_flip` tells whether points are selected by permute-and-flip or by the exponential mechanism.
    """

    options: Options
    grid: CandidateGrid
    records: Records
    is_permute_and_flip: bool

    @property
    def name(self) -> str | None:
        """Name of the variable, or None."""
        names = self.records.names
        return (self.records.name if names is None else names[0]) or None

    @property
    def n_epsilon_parts(self) -> int:
        """Number of equal parts into which epsilon is divided.

        It is the number of records, over all groups, by which neighbors differ; 1 if the number of records is public,
        since the range of ranks then accounts for the change.
        """
        return self.options.n_changed_groups * self.options.contribution_bound

    @property
    def neighbors(self) -> str:
        """Neighbors for which each part of epsilon is spent."""
        return "unbounded" if self.options.has_private_group_sizes else self.options.neighbors

    def count_points(self) -> PointCounts:
        """Return the number of records at each point of each group."""
        tally = partial(
            count_part_points, grid=self.grid.parameters, missing=self.options.missing, groups=self.records.n_groups
        )
        counts, _ = self.records.sum_with_size(
            lambda: self.records.fold(tally, merge_point_counts),
            lambda found: found.size,
            partial(check_min_records, self.options, min_records=1, statistic="quantile", argument="x"),
        )
        return counts

    def count_points_near(self, target: RankTarget) -> PointCounts | PointWindow:
        """Return the number of records at each point; for many records, only at the points near the target's rank."""
        grid, part, window = self.grid, self.records.part, None
        if part is not None and part.group_codes is None and part.n_records * SPARSE_CELLS_PER_RECORD > grid.n_points:
            window = count_window(part.columns.arrays[0], grid.parameters, target)
        return self.count_points() if window is None else window


def check_quantile_options(
    epsilon: float,
    neighbors: str | None,
    missing: Missing,
    population: bool,
    rng: object = None,
    budget: Chargeable | None = None,
) -> Options:
    """Check the options of quantiles: a selection of points or, with `population`, counts of cells."""
    mechanisms: tuple[Mechanism, ...] = INTEGER_MECHANISMS[:1] if population else (Exponential(),)
    public = (epsilon, 0, mechanisms[0].name, neighbors, missing)
    return options(*public, mechanisms=mechanisms, allow_objects=False, rng=rng, budget=budget)


def read_quantile_query(x: Data, bounds: GivenBounds, grid_points: int | None, options: Options) -> QuantileQuery:
    """Check the arguments shared by all quantiles, and read the public properties of the records."""
    pair = check_bounds(bounds)
    check_fill_value(options.missing, [pair])
    checked_points = None if grid_points is None else check_grid_points(grid_points)
    # check that a grid can divide the bounds before data are read
    grid = make_grid(pair, checked_points)
    records, options = read_records(x, options, read_single_column, "x")
    # the rho of a sampled release is computed from its pure epsilon
    flips = options.sampling_rate is not None or get_budget_defaults(options.budget).accountant != "zcdp"
    # the artificial records of a plan have no type
    if checked_points is None and not is_placeholder(x) and (integer_grid := make_integer_grid(pair)):
        integral = has_integer_type(x, records)
        if integral is not None:
            options = options._replace(type_conditions=(TYPES_CONDITION,))
        if integral or integral is None and has_integer_bounds(bounds, integer_grid):
            grid = integer_grid
    return QuantileQuery(options, grid, records, flips)


def check_share(q: float) -> float:
    """Check the share of a quantile, and round it to a multiple of 2^-20."""
    number = checks.unwrap_scalar(q)
    if _is_share(number):
        return round_share(float(number))
    raise PydpstatError(
        f"q must be a number from 0 to 1; got {checks.describe_value(q)}. The median is 0.5. "
        "For several use quantiles()."
    )


def _is_share(value: object) -> bool:
    return checks.is_number(value) and 0.0 <= checks.as_float(value) <= 1.0


def check_shares(qs: object) -> list[float]:
    """Check the shares of several quantiles, and round them as `check_share` does."""
    return [round_share(float(q)) for q in check_raw_shares(qs)]


def check_raw_shares(qs: object) -> list[float]:
    """Check the shares of several quantiles, and return them without rounding."""
    # R passes a vector of length one as a number
    values = [qs] if checks.is_number(qs) else to_public_list(qs, "qs")
    if not isinstance(values, (list, tuple)) or not values or not all(map(_is_share, values)):
        raise PydpstatError(
            f"qs must be one or more numbers from 0 to 1; got {checks.describe_value(qs)}. Give for example "
            "[0.25, 0.5, 0.75]."
        )
    return list(values)


def release_points(
    function: str,
    query: QuantileQuery,
    choose: ChoiceFunction,
    own_arguments: tuple[tuple[str, object], ...],
    sensitivity: float,
    nobs: int,
    shares: Sequence[float],
    n_parts: int = 1,
) -> DPResults:
    """Release a selection of grid points for some shares; an array of them becomes the value of the result.

    It consists of `n_parts` selections in sequence, each with an equal part of epsilon.
    """
    options, grid, records, flips = query
    public = (*own_arguments, ("bounds", (grid.lower, grid.upper)))
    if grid.n_points != GRID_POINTS:
        public = (*public, ("grid_points", grid.n_points))
    loss = None if flips else BoundedRangeLoss(options.epsilon, n_parts)
    claim, guarantee = options.make_guarantees(loss, records.conditions)
    released = release_choice(
        function,
        choose,
        options.source,
        n_draws=0,
        sensitivity=sensitivity,
        claim=claim,
        guarantee=guarantee,
        call=make_call(function, options, ("x",), (*public, *records.arguments)),
        bounds=(grid.lower, grid.upper),
        nobs=nobs if options.has_public_size else None,
        grid=grid.step,
        mechanism="permute-and-flip" if flips else "exponential",
        choose_exactly=choose,
        budget=options.budget,
        steps=grid.steps,
        describe_subject=lambda: records.make_labels(function).describe_variables(function),
    )
    warn_quantiles_at_bounds(
        released,
        query.name,
        np.asarray(shares, dtype=np.float64),
        n_groups=records.n_groups or 1,
        n_points=grid.n_points,
        n_parts=n_parts,
    )
    return released


def compute_split_depth(n_quantiles: int) -> int:
    """Return the number of times the sorted shares are split: the smallest k with 2^k > `n_quantiles`."""
    return n_quantiles.bit_length()


def compute_split_range(q: float, neighbors: str, is_only_problem: bool) -> Fraction:
    """Return the range of a problem's utility to which its level's epsilon is calibrated.

    `q` is the share within the problem, and `is_only_problem` tells whether it is the only one of its level.

    The problems of a level have disjoint records. Adding or removing a record changes one of them. Replacing a
    record changes one of them, with a range of at most 2, or moves a record between two: to both, this is one
    record added or removed, so each may spend half of the level's epsilon, and its range counts twice. That
    covers the first case too, since 2 * 2 max(q, 1 - q) >= 2.
    """
    if neighbors == "bounded" and not is_only_problem:
        return 2 * compute_rank_range(q, "unbounded")
    return compute_rank_range(q, neighbors)


def split_quantiles(
    records: IntegerArray,
    n_points: int,
    shares: Sequence[float],
    epsilon: Fraction,
    neighbors: str,
    choose_piece: PieceChooser,
    draw_below: IntegerDrawer,
) -> list[int]:
    """Select a point for each share, both in ascending order; `epsilon` is that of all selections together.

    `records` are the records' points, ascending, between 0 and n_points - 1. Private. The `shares` are distinct.
    `choose_piece` and `draw_below` make the random choices.

    Each level gets epsilon / levels. The utility of a point z for the share q of n records is
    -|#{records < z} - q n|, with the range of `compute_rank_range`. A selected point z sends the records below it
    to the left and all others to the right: the problem of a record depends only on that record and on published
    points.

    (Kaplan, H., Schnapp, S. and Stemmer, U. (2022). Differentially private approximate quantiles. ICML 2022.)
    """
    chosen: dict[int, int] = {}
    depth = compute_split_depth(len(shares))
    # ranges of records, points and shares, and the shares at both ends
    level = [(0, records.size, 0, n_points - 1, 0, len(shares), 0.0, 1.0)]
    while level:
        following = []
        for start, stop, low, high, first_index, stop_index, lower_share, upper_share in level:
            middle = (first_index + stop_index) // 2
            q = round_share((shares[middle] - lower_share) / (upper_share - lower_share))
            rate = epsilon / depth / compute_split_range(q, neighbors, len(level) == 1)
            inside = records[start:stop]
            point = _choose_point(inside, low, high, q, rate, choose_piece, draw_below)
            chosen[middle] = point
            cut = start + int(inside.searchsorted(point))
            if first_index < middle:
                following.append((start, cut, low, point, first_index, middle, lower_share, shares[middle]))
            if middle + 1 < stop_index:
                following.append((cut, stop, point, high, middle + 1, stop_index, shares[middle], upper_share))
        level = following
    return [chosen[index] for index in range(len(shares))]


def _choose_point(
    records: IntegerArray,
    low: int,
    high: int,
    q: float,
    rate: Fraction,
    choose_piece: PieceChooser,
    draw_below: IntegerDrawer,
) -> int:
    """Select a piece between two records, whose points have equal utility, then one of its points.

    Pieces whose utility is at the limit are merged into one piece on either side.
    """
    aim, limit = q * records.size, compute_utility_limit(rate)
    first_record = int(max(0.0, math.floor(aim - limit)))
    last_record = int(min(float(records.size), math.ceil(aim + limit)))
    edges = np.concatenate((np.array([low - 1]), records[first_record:last_record], np.array([high])))
    widths = np.diff(edges)
    utility = -np.minimum(np.abs(np.arange(first_record, last_record + 1) - aim), limit)
    wide = np.flatnonzero(widths)
    piece = int(wide[choose_piece(widths[wide], utility[wide], rate)])
    return int(edges[piece]) + 1 + draw_below(int(widths[piece]))


def choose_points_for_share(
    counts: PointCounts | PointWindow, query: QuantileQuery, share: float, rate: Fraction
) -> float | Floats:
    """Select a point for one share; with groups, one for each group in their order."""
    grid, lower_limit = query.grid, -compute_utility_limit(rate)
    selection = PointSelection(rate, query.options.source, query.is_permute_and_flip)
    if query.records.groups is None:
        if isinstance(counts, PointCounts) and counts.size * SPARSE_CELLS_PER_RECORD > grid.n_points:
            counts = PointWindow(counts.size, 0, counts.get_counts())
        if isinstance(counts, PointWindow):
            utility = np.maximum(compute_rank_utility(counts.counts, share), lower_limit)
            return grid.get_point(selection.choose_point_above(utility, counts.first, grid.n_points, lower_limit))
        (occupied,) = counts.iterate_groups(grid.n_points)
        (chosen,) = selection.choose_points([_make_runs(occupied, grid.n_points, share, lower_limit)])
        return grid.get_point(chosen)
    assert isinstance(counts, PointCounts)
    # always use runs for groups, so that a seeded result does not depend on the number of records
    runs = (_make_runs(points, grid.n_points, share, lower_limit) for points in counts.iterate_groups(grid.n_points))
    chosen_points = chain.from_iterable(map(selection.choose_points, _split_into_blocks(runs)))
    return np.array([grid.get_point(point) for point in chosen_points])


def _make_runs(occupied: OccupiedPoints, n_points: int, share: float, lower_limit: float) -> Runs:
    counts, starts, widths = split_grid_into_runs(*occupied, n_points)
    return np.maximum(compute_rank_utility(counts, share), lower_limit), starts, widths


def _split_into_blocks(runs: Iterable[Runs]) -> Iterator[list[Runs]]:
    block: list[Runs] = []
    size = 0
    for group_runs in runs:
        block.append(group_runs)
        size += group_runs[0].size
        if size >= _BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


def choose_points_for_shares(counts: PointCounts, query: QuantileQuery, shares: Sequence[float]) -> Floats:
    """Select a point for each share; with groups, a row of points for each group."""
    grid, source = query.grid, query.options.source
    distinct = sorted(set(shares))
    epsilon = Fraction(query.options.epsilon) / query.n_epsilon_parts

    def choose_group_points(occupied: OccupiedPoints) -> list[float]:
        points = split_quantiles(
            _split_ties_at_random(occupied, source),
            grid.n_points << _TIE_BITS,
            distinct,
            epsilon,
            query.neighbors,
            lambda widths, utility, rate: PointSelection(rate, source, query.is_permute_and_flip).choose_piece(
                widths, utility
            ),
            lambda limit: draw_integer_below(limit, source),
        )
        at = {share: grid.get_point(point >> _TIE_BITS) for share, point in zip(distinct, points)}
        return [at[share] for share in shares]

    if query.records.groups is None:
        (occupied,) = counts.iterate_groups(grid.n_points)
        return np.array(choose_group_points(occupied))
    return np.array([choose_group_points(group_points) for group_points in counts.iterate_groups(grid.n_points)])


def _split_ties_at_random(occupied: OccupiedPoints, source: Source) -> IntegerArray:
    """Return the records in order, with ties at random positions."""
    points, counts = occupied
    records = np.repeat(points << _TIE_BITS, counts)
    records += draw_integers(records.size, _TIE_BITS, source)
    records.sort()
    return records
