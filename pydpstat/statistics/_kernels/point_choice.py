"""Choices of grid points from exact counts, group after group: one quantile each, or several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain

import numpy as np
import numpy.typing as npt

from pydpstat.random import Source
from pydpstat.statistics._kernels.near_rank import Window
from pydpstat.statistics._kernels.order_grid import Counts, farthest, grid_runs, rank_utility
from pydpstat.statistics._kernels.point_counts import FEW, Occupied, PointCounts
from pydpstat.statistics._kernels.quantile_points import Asked, split_quantiles
from pydpstat.statistics._kernels.selection import (
    Runs,
    below,
    places,
    weighted,
    weighted_above,
    weighted_points,
)

# ties are put in random order among so many places, in powers of two
_PLACES = 16
# groups are gone through together until they have so many runs
_BLOCK = 2**16


def one_share(
    found: PointCounts | Window, asked: Asked, share: float, rate: Fraction
) -> float | npt.NDArray[np.float64]:
    """Choose a point for one share; of groups a point for each, in their order."""
    grid, source, least = asked.grid, asked.source, -farthest(rate)
    if asked.records.groups is None:
        if isinstance(found, PointCounts) and found.size * FEW > grid.points:
            found = Window(found.size, 0, found.counts())
        if isinstance(found, Window):
            utility = np.maximum(rank_utility(found.counts, share), least)
            return grid.at(weighted_above(utility, found.first, grid.points, rate, source, least))
        (occupied,) = found.rows(grid.points)
        (chosen,) = weighted_points([_runs(occupied, grid.points, share, least)], rate, source)
        return grid.at(chosen)
    assert isinstance(found, PointCounts)
    # a group's points go in runs however many records it has, so that one seed says one thing
    runs = (_runs(each, grid.points, share, least) for each in found.rows(grid.points))
    chosen_points = chain.from_iterable(weighted_points(block, rate, source) for block in _blocks(runs))
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


def several_shares(found: PointCounts, asked: Asked, wanted: Sequence[float]) -> npt.NDArray[np.float64]:
    """Choose a point for each share; of groups a row of them for each."""
    grid, source = asked.grid, asked.source
    distinct = sorted(set(wanted))
    epsilon = Fraction(asked.how.epsilon) / asked.split

    def chosen(occupied: Occupied) -> list[float]:
        points = split_quantiles(
            _apart(occupied, source),
            grid.points << _PLACES,
            distinct,
            epsilon,
            asked.neighbors,
            lambda widths, utility, rate: weighted(utility, rate, source, widths),
            lambda limit: below(limit, source),
        )
        at = {share: grid.at(point >> _PLACES) for share, point in zip(distinct, points)}
        return [at[share] for share in wanted]

    if asked.records.groups is None:
        (occupied,) = found.rows(grid.points)
        return np.array(chosen(occupied))
    return np.array([chosen(each) for each in found.rows(grid.points)])


def _apart(occupied: Occupied, source: Source) -> Counts:
    """Return the records in order, each with a random place among its equals."""
    points, counts = occupied
    records = np.repeat(points << _PLACES, counts)
    records += places(records.size, _PLACES, source)
    records.sort()
    return records
