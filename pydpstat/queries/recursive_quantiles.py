"""Several quantiles by splitting: the middle one first, then each side on its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pydpstat.queries.order_grid import farthest, public_share, rank_range

Floats = npt.NDArray[np.float64]
# weights of pieces: how many points each has, and its utility times the rate; out comes a piece
Choose = Callable[[npt.NDArray[np.int64], Floats, Fraction], int]
# a whole number from 0 to below its argument
Below = Callable[[int], int]


def levels(quantiles: int) -> int:
    """Return how often the sorted shares are split: the smallest k with 2^k > quantiles.

    Examples
    --------
    >>> [levels(m) for m in (1, 2, 3, 4, 7, 8)]
    [1, 2, 2, 3, 3, 4]
    """
    return quantiles.bit_length()


def split_range(q: float, neighbors: str, alone: bool) -> Fraction:
    """Return the range of one problem's utility that its level's epsilon has to cover.

    Parameters
    ----------
    q : float
        The problem's own share.
    neighbors : {"bounded", "unbounded"}
        Whether a record is replaced, or added or removed.
    alone : bool
        Whether the problem is the only one of its level.

    Notes
    -----
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
    records: npt.NDArray[np.int64],
    points: int,
    shares: Sequence[float],
    epsilon: Fraction,
    neighbors: str,
    choose: Choose,
    below: Below,
) -> list[int]:
    """Choose a point for each share, in ascending order.

    Parameters
    ----------
    records : ndarray of int64, shape (n,)
        The records' points, ascending. Private.
    points : int
        Number of points; the records lie between 0 and points - 1.
    shares : sequence of float
        Ascending, no two equal, each between 0 and 1.
    epsilon : Fraction
        For all choices together.
    neighbors : {"bounded", "unbounded"}
        Whether a record is replaced, or added or removed.
    choose, below : callable
        The random choices.

    Returns
    -------
    list of int
        The chosen points, ascending.

    Notes
    -----
    Each level gets epsilon / levels. The utility of a point z for the share q of n records is
    -|#{records < z} - q n|, which moves as `rank_range` says. A chosen point z sends the records
    below it to the left and all others to the right: which problem a record belongs to depends on
    that record and on published points only.

    References
    ----------
    Kaplan, H., Schnapp, S. and Stemmer, U. (2022). Differentially private approximate quantiles.
    ICML 2022.
    """
    chosen: dict[int, int] = {}
    depth = levels(len(shares))
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
    records: npt.NDArray[np.int64],
    low: int,
    high: int,
    q: float,
    rate: Fraction,
    choose: Choose,
    below: Below,
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
