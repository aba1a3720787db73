"""What the quantile functions share: their arguments, records on the grid, and the choice of grid points."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from pydpstat import _checks as checks
from pydpstat._data.columns import Data, GivenBounds, bounds_pair, check_filling, is_made_up, one_column
from pydpstat._data.held import public_list
from pydpstat._release.additive import Spender
from pydpstat._release.calibration import INTEGER
from pydpstat._release.choice import release_choice
from pydpstat._release.declared import TYPES
from pydpstat._release.options import Missing, Options, check_records, options
from pydpstat._release.payment import defaults
from pydpstat._release.statistic import call
from pydpstat._warn import warn_usage
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._exponential import Exponential
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy import BoundedRangeLoss
from pydpstat.random import Source
from pydpstat.results._labels import Labels
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.candidates import (
    GRID_POINTS,
    Grid,
    are_integers,
    check_points,
    grid_of,
    has_integers,
    whole_grid,
)
from pydpstat.statistics._kernels.ranks import (
    FEW,
    Floats,
    Integers,
    Near,
    Occupied,
    PointCounts,
    Window,
    farthest,
    grid_runs,
    merged,
    point_counts,
    public_share,
    rank_range,
    rank_utility,
    window_near,
)
from pydpstat.statistics._kernels.records import Records, records_of
from pydpstat.statistics._kernels.selection import Selection
from pydpstat.statistics.choice import Runs, below, places

# the chosen value with its labels; a seeded source's uniforms are not needed
Choice = Callable[..., tuple[object, Labels]]
# weights of pieces: how many points each has, and its utility times the rate; out comes a piece
Choose = Callable[[Integers, Floats, Fraction], int]
# an integer from 0 to below its argument
Below = Callable[[int], int]
# ties are put in random order among so many places, in powers of two
_PLACES = 16
# groups are gone through together until they have so many runs
_BLOCK = 2**16


class Asked(NamedTuple):
    """The records, the grid points that they are moved to, and the options of the release.

    `flips`: points are chosen by permute-and-flip, else by the exponential mechanism.
    """

    how: Options
    grid: Grid
    records: Records
    flips: bool

    @property
    def name(self) -> str | None:
        """The variable's name, where it has one."""
        names = self.records.names
        return (self.records.name if names is None else names[0]) or None

    @property
    def split(self) -> int:
        """Into how many equal parts epsilon goes: the records of all groups that a neighbor adds or removes.

        1 where the number of records is public, for which ranks have a range of their own.
        """
        return self.how.ends * self.how.most

    @property
    def neighbors(self) -> str:
        """For which neighbors each part of epsilon is."""
        return "unbounded" if self.how.scattered else self.how.neighbors

    def counted(self) -> PointCounts:
        """Return how many records each point of each group has."""
        tally = partial(
            point_counts, grid=self.grid.ends, missing=self.how.missing, groups=self.records.group_number
        )
        found, _ = self.records.numbered(
            lambda: self.records.fold(tally, merged),
            lambda found: found.size,
            partial(check_records, self.how, least=1, statistic="quantile", argument="x"),
        )
        return found

    def counted_near(self, near: Near) -> PointCounts | Window:
        """Return how many records each point has; of many records only those that decide about a share."""
        part, window = self.records.part, None
        if part is not None and part.places is None and part.records * FEW > self.grid.points:
            window = window_near(part.columns.arrays[0], self.grid.ends, near)
        return self.counted() if window is None else window


def quantile_options(
    epsilon: float,
    neighbors: str | None,
    missing: Missing,
    population: bool,
    rng: object = None,
    budget: Spender | None = None,
) -> Options:
    """Check how quantiles are protected: a choice among points, or with `population` counts of cells."""
    named: tuple[Mechanism, ...] = INTEGER[:1] if population else (Exponential(),)
    public = (epsilon, 0, named[0].name, neighbors, missing)
    return options(*public, mechanisms=named, others=False, rng=rng, budget=budget)


def ask(x: Data, bounds: GivenBounds, grid_points: int | None, how: Options) -> Asked:
    """Check what all quantiles share, and read what is public of the records."""
    pair = bounds_pair(bounds)
    check_filling(how.missing, [pair])
    given = None if grid_points is None else check_points(grid_points)
    # bounds that no grid can divide are refused before data are read
    grid = grid_of(pair, given)
    records, how = records_of(x, how, one_column, "x")
    # the rho of a sampled release follows from its pure epsilon alone
    flips = how.sampled is not None or defaults(how.budget).accountant != "zcdp"
    # the made-up records of a plan have no type
    if given is None and not is_made_up(x) and (whole := whole_grid(pair)):
        integral = has_integers(x, records)
        if integral is not None:
            how = how._replace(types=(TYPES,))
        if integral or integral is None and are_integers(bounds, whole):
            grid = whole
    return Asked(how, grid, records, flips)


def share_of(q: float) -> float:
    """Check a quantile's share, and round it to a multiple of 2^-20."""
    number = checks.unwrap(q)
    if _is_share(number):
        return public_share(float(number))
    raise PydpstatError(
        f"q must be a number from 0 to 1; got {checks.shown(q)}. The median is 0.5. "
        "For several use quantiles()."
    )


def _is_share(number: object) -> bool:
    return checks.is_number(number) and 0.0 <= checks.as_float(number) <= 1.0


def shares_of(qs: object) -> list[float]:
    """Check the shares of several quantiles, and round them as `share_of` does."""
    return [public_share(float(q)) for q in shares_given(qs)]


def shares_given(qs: object) -> list[float]:
    """Check the shares of several quantiles, and return them as they are."""
    # R has a single number for a vector of one
    values = [qs] if checks.is_number(qs) else public_list(qs, "qs")
    if not isinstance(values, (list, tuple)) or not values or not all(map(_is_share, values)):
        raise PydpstatError(
            f"qs must be one or more numbers from 0 to 1; got {checks.shown(qs)}. Give for example "
            "[0.25, 0.5, 0.75]."
        )
    return list(values)


def released(
    function: str,
    asked: Asked,
    choose: Choice,
    own: tuple[tuple[str, object], ...],
    sensitivity: float,
    nobs: int,
    parts: int = 1,
) -> DPResults:
    """Release a choice among grid points; an array of them becomes the result's value.

    It consists of `parts` choices in sequence, each with an equal part of epsilon.
    """
    how, grid, records, flips = asked
    public = (*own, ("bounds", (grid.lower, grid.upper)))
    if grid.points != GRID_POINTS:
        public = (*public, ("grid_points", grid.points))
    loss = None if flips else BoundedRangeLoss(how.epsilon, parts)
    claim, held = how.promise(loss, records.conditions)
    return release_choice(
        function,
        choose,
        how.source,
        draws=0,
        sensitivity=sensitivity,
        claim=claim,
        guarantee=held,
        record=call(function, how, ("x",), (*public, *records.arguments)),
        bounds=(grid.lower, grid.upper),
        nobs=nobs if how.bounded else None,
        grid=grid.step,
        mechanism="permute-and-flip" if flips else "exponential",
        exactly=choose,
        budget=how.budget,
        steps=grid.steps,
        named=lambda: records.labels(function).about(function),
    )


def split_depth(quantiles: int) -> int:
    """Return how often the sorted shares are split: the smallest k with 2^k > quantiles."""
    return quantiles.bit_length()


def split_range(q: float, neighbors: str, alone: bool) -> Fraction:
    """Return the range of one problem's utility that its level's epsilon has to cover.

    `q` is the problem's own share, and `alone` tells whether it is the only one of its level.

    The problems of a level have disjoint records. A record that is added or removed touches one of
    them. A record that is replaced touches one, with a range of at most 2, or leaves one and enters
    another: both problems then pay for one record added or removed, so each may spend half of the
    level's epsilon, and its range counts twice. That covers the first case too, since
    2 * 2 max(q, 1 - q) >= 2.
    """
    if neighbors == "bounded" and not alone:
        return 2 * rank_range(q, "unbounded")
    return rank_range(q, neighbors)


def split_quantiles(
    records: Integers,
    points: int,
    shares: Sequence[float],
    epsilon: Fraction,
    neighbors: str,
    choose: Choose,
    below: Below,
) -> list[int]:
    """Choose a point for each share, both in ascending order; epsilon is that of all choices together.

    `records` are the records' points, ascending, between 0 and points - 1. Private. No two of the
    `shares` are equal. `choose` and `below` are the random choices.

    Each level gets epsilon / levels. The utility of a point z for the share q of n records is
    -|#{records < z} - q n|, which moves as `rank_range` says. A chosen point z sends the records
    below it to the left and all others to the right: which problem a record belongs to depends on
    that record and on published points only.

    (Kaplan, H., Schnapp, S. and Stemmer, U. (2022). Differentially private approximate quantiles. ICML 2022.)
    """
    chosen: dict[int, int] = {}
    depth = split_depth(len(shares))
    # records first to last, points first to last, shares first to last, the shares at both ends
    level = [(0, records.size, 0, points - 1, 0, len(shares), 0.0, 1.0)]
    while level:
        following = []
        for start, stop, low, high, first, last, least, most in level:
            middle = (first + last) // 2
            q = public_share((shares[middle] - least) / (most - least))
            rate = epsilon / depth / split_range(q, neighbors, len(level) == 1)
            inside = records[start:stop]
            point = _chosen_point(inside, low, high, q, rate, choose, below)
            chosen[middle] = point
            cut = start + int(inside.searchsorted(point))
            if first < middle:
                following.append((start, cut, low, point, first, middle, least, shares[middle]))
            if middle + 1 < last:
                following.append((cut, stop, point, high, middle + 1, last, shares[middle], most))
        level = following
    return [chosen[place] for place in range(len(shares))]


def _chosen_point(
    records: Integers, low: int, high: int, q: float, rate: Fraction, choose: Choose, below: Below
) -> int:
    """Choose a piece between two records, whose points all have the same utility, then one of its points.

    Pieces whose utility is at the limit are one piece on either side.
    """
    aim, limit = q * records.size, farthest(rate)
    first = int(max(0.0, math.floor(aim - limit)))
    last = int(min(float(records.size), math.ceil(aim + limit)))
    ends = np.concatenate((np.array([low - 1]), records[first:last], np.array([high])))
    widths = np.diff(ends)
    utility = -np.minimum(np.abs(np.arange(first, last + 1) - aim), limit)
    wide = np.flatnonzero(widths)
    piece = int(wide[choose(widths[wide], utility[wide], rate)])
    return int(ends[piece]) + 1 + below(int(widths[piece]))


def note_order(function: str, name: str, share: float, epsilon: object, also: str = "epsilon") -> None:
    """Say in which order the share of a quantile and epsilon stand, where R's order may be meant."""
    if share == 1 and checks.is_number(epsilon) and checks.as_float(epsilon) < 1.0:
        warn_usage(
            f"{function} was given {name}=1, the maximum, and {also}={epsilon:g}. The order is "
            f"{function}(x, {name}, {also}): if you meant the other order, write {function}(x, "
            f"{name}={epsilon:g}, {also}=1, ...)."
        )


def one_share(found: PointCounts | Window, asked: Asked, share: float, rate: Fraction) -> float | Floats:
    """Choose a point for one share; of groups a point for each, in their order."""
    grid, least = asked.grid, -farthest(rate)
    selection = Selection(rate, asked.how.source, asked.flips)
    if asked.records.groups is None:
        if isinstance(found, PointCounts) and found.size * FEW > grid.points:
            found = Window(found.size, 0, found.counts())
        if isinstance(found, Window):
            utility = np.maximum(rank_utility(found.counts, share), least)
            return grid.at(selection.point_above(utility, found.first, grid.points, least))
        (occupied,) = found.rows(grid.points)
        (chosen,) = selection.points([_runs(occupied, grid.points, share, least)])
        return grid.at(chosen)
    assert isinstance(found, PointCounts)
    # a group's points go in runs however many records it has, so that one seed says one thing
    runs = (_runs(each, grid.points, share, least) for each in found.rows(grid.points))
    chosen_points = chain.from_iterable(map(selection.points, _blocks(runs)))
    return np.array([grid.at(point) for point in chosen_points])


def _runs(occupied: Occupied, points: int, share: float, least: float) -> Runs:
    counts, starts, widths = grid_runs(*occupied, points)
    return np.maximum(rank_utility(counts, share), least), starts, widths


def _blocks(runs: Iterable[Runs]) -> Iterator[list[Runs]]:
    block: list[Runs] = []
    size = 0
    for each in runs:
        block.append(each)
        size += each[0].size
        if size >= _BLOCK:
            yield block
            block, size = [], 0
    if block:
        yield block


def several_shares(found: PointCounts, asked: Asked, wanted: Sequence[float]) -> Floats:
    """Choose a point for each share; of groups a row of them for each."""
    grid, source = asked.grid, asked.how.source
    distinct = sorted(set(wanted))
    epsilon = Fraction(asked.how.epsilon) / asked.split

    def chosen(occupied: Occupied) -> list[float]:
        points = split_quantiles(
            _apart(occupied, source),
            grid.points << _PLACES,
            distinct,
            epsilon,
            asked.neighbors,
            lambda widths, utility, rate: Selection(rate, source, asked.flips).piece(widths, utility),
            lambda limit: below(limit, source),
        )
        at = {share: grid.at(point >> _PLACES) for share, point in zip(distinct, points)}
        return [at[share] for share in wanted]

    if asked.records.groups is None:
        (occupied,) = found.rows(grid.points)
        return np.array(chosen(occupied))
    return np.array([chosen(each) for each in found.rows(grid.points)])


def _apart(occupied: Occupied, source: Source) -> Integers:
    """Return the records in order, each with a random place among its equals."""
    points, counts = occupied
    records = np.repeat(points << _PLACES, counts)
    records += places(records.size, _PLACES, source)
    records.sort()
    return records
