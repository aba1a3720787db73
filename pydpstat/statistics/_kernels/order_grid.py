"""Ranks on a public grid of points: what the exponential mechanism needs for a quantile."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

# a point whose weight is exp(-750) of the best one's is as good as never chosen
_FARTHEST = 750
# a share is a whole multiple of 2^-20: its product with any number of records below 2^33 is exact
_SHARE = 2.0**20


def public_share(q: float) -> float:
    """Round a quantile's share to a multiple of 2^-20, so that q * n is exact up to n = 2^33."""
    return round(q * _SHARE) / _SHARE


def grid_places(x: Floats, lower: float, upper: float, points: int) -> np.ndarray:
    """Return each value's nearest grid point, from 0; values outside the bounds are clipped to them."""
    place = x.clip(lower, upper)
    place -= lower
    place *= (points - 1) / (upper - lower)
    place += 0.5
    return place.astype(np.intp)


def grid_runs(occupied: Counts, records: Counts, points: int) -> tuple[Counts, Counts, Counts]:
    """Divide a grid into its occupied points and the runs of empty points before, between and after.

    The points of a run have the same ranks. With few records there are far fewer runs than points.
    `occupied` are the points that have records, ascending, and `records` how many each has. Of each run
    come the number of records, the first point, and the number of points, which can be 0.
    """
    counts = np.zeros(2 * occupied.size + 1, dtype=np.int64)
    counts[1::2] = records
    ends = np.zeros(counts.size + 1, dtype=np.int64)
    ends[1:-1:2] = occupied
    ends[2::2] = occupied + 1
    ends[-1] = points
    return counts, ends[:-1], ends[1:] - ends[:-1]


def rank_utility(counts: Counts, q: float) -> Floats:
    """Return minus the distance of q n from the ranks that each grid point has, exactly.

    That is ``-max(0, #{x < z} - q n, q n - #{x <= z})`` for a share q from `public_share`. `counts` are the
    records at each point, or in each run of `grid_runs`.
    """
    up_to = counts.cumsum()
    aim = q * float(up_to[-1])
    utility = np.minimum(aim - (up_to - counts), up_to - aim)
    return np.minimum(utility, 0.0, out=utility)


def farthest(rate: Fraction) -> float:
    """Return a public limit: utilities that are lower can be raised to its negative.

    That saves time where there are many, and it brings no two utilities further apart, so that
    their sensitivity stays. Weights are proportional to exp(rate * utility), the best one's near 1.
    """
    return float(min(-(-_FARTHEST // min(rate, Fraction(1))), 2**53))


@lru_cache(maxsize=256)
def rank_range(q: float, neighbors: str) -> Fraction:
    """Return how far the changes of two points' utilities can lie apart when one record changes.

    It is 2 where a record is replaced, 2 max(q, 1 - q) where one is added or removed, and 1 for the
    minimum and the maximum (q 0 or 1) under both. Weights proportional to exp(epsilon / range * utility)
    keep epsilon. q is a share from `public_share`.

    A record that is added at x changes #{y < z} - q n by -q for z <= x and by 1 - q for z > x, and
    q n - #{y <= z} by q for z < x and by q - 1 for z >= x. The maximum of these two and 0 moves by
    at most max(q, 1 - q) either way. A record that is replaced leaves q n and moves each rank by at
    most 1, so the utility by at most 1 either way. With q = 0 the utility is -#{y < z}, which one
    record moves to one side only, by 0 or 1; with q = 1 it is #{y <= z} - n, likewise.
    If all changes of the utility lie in an interval of length r, weights exp(c u) change by factors
    of which any two differ by at most exp(c r), and so does their mean, the total: each probability
    changes by a factor of at most exp(c r).

    (Dong, J., Durfee, D. and Rogers, R. (2020). Optimal differential privacy composition for exponential
    mechanisms. ICML 2020: bounded range.)
    """
    share = Fraction(q)
    if share in (0, 1):
        return Fraction(1)
    return Fraction(2) if neighbors == "bounded" else 2 * max(share, 1 - share)
