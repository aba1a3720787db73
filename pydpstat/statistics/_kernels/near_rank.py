"""Counts at the grid points near one rank: of many records only those that can decide about a quantile."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.statistics._kernels.order_grid import grid_places

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# a piece of values stays in the second-level cache
_PIECE = 2**16
# so many values tell near which ones the rank is; their own ranks err by less than so many standard errors
_SAMPLE, _ERRORS = 2**13, 5.0


class Near(NamedTuple):
    """A quantile's share, and how far from its rank a point's ranks can lie and still count."""

    share: float
    reach: float


class Window(NamedTuple):
    """How many records each of some successive grid points has. Private.

    The points are successive from `first` on. The first has the records of all points before it, too, and the
    last those of all points after it; `size` is the number of all records.
    """

    size: int
    first: int
    counts: Integers

    def __repr__(self) -> str:
        return "Window(values withheld)"


def window_near(x: Floats, grid: tuple[float, float, int], near: Near) -> Window | None:
    """Count the records at the points whose ranks lie within reach of a share's, in one pass.

    A sample tells which values these are. None where it told wrong, or where a value is missing.
    """
    sample = np.sort(x[:: max(x.size // _SAMPLE, 1)].astype(np.float64, copy=False))
    if np.isnan(sample[-1]):
        return None
    low, high = _ends(sample, grid, Near(near.share, near.reach / x.size))
    below, above, inside = _divided(x, low, high)
    if np.isnan(inside).any():
        return None
    first, stop = grid_places(np.array([low, high]), *grid).tolist()
    counts = np.bincount(grid_places(inside, *grid) - first, minlength=stop - first + 1)
    counts[0] += below
    counts[-1] += above
    aim = near.share * x.size
    # the ranks of the points at the ends that hold others' records, and hence of these others, are too far
    if (below and counts[0] > aim - near.reach) or (above and x.size - counts[-1] < aim + near.reach):
        return None
    return Window(x.size, first, counts)


def _ends(sample: Floats, grid: tuple[float, float, int], near: Near) -> tuple[float, float]:
    """Return grid points between which those within reach of the share's rank lie, as a sorted sample tells.

    The reach is a share of all ranks.
    """
    lower, upper, points = grid
    spare = near.reach + _ERRORS / (2.0 * _SAMPLE**0.5)
    ranks = [math.floor((near.share + sign * spare) * sample.size) for sign in (-1.0, 1.0)]
    places = grid_places(sample[np.clip(ranks, 0, sample.size - 1)], *grid)
    # one point further, so that all records at the points between them are known
    first, stop = (places + (-1, 1)).tolist()
    low = lower + first * ((upper - lower) / (points - 1)) if ranks[0] >= 0 and first > 0 else -np.inf
    high = lower + stop * ((upper - lower) / (points - 1))
    return low, high if ranks[1] < sample.size and stop < points - 1 else np.inf


def _divided(x: Floats, low: float, high: float) -> tuple[int, int, Floats]:
    """Return how many values lie below and above two ends, and all others."""
    below = above = 0
    inside = []
    for start in range(0, x.size, _PIECE):
        values = x[start : start + _PIECE].astype(np.float64, copy=False)
        lower, upper = values < low, values > high
        below += int(np.count_nonzero(lower))
        above += int(np.count_nonzero(upper))
        np.logical_or(lower, upper, out=lower)
        inside.append(values[~lower])
    return below, above, np.concatenate(inside)
