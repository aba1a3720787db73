"""Quantiles by intervals: the bounds and the sorted data cut the range, the utility ranks the pieces."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pydpstat.dppack._arguments import clip
from pydpstat.mechanisms._exponential import Choice

# one record moves each interval's rank distance by at most 1
SENSITIVITY = 1.0
# exp(-UNDERFLOW) is 0: an interval so much worse than the best one is never chosen
UNDERFLOW = 746.0


def rank_utility(first: int, last: int, quant: float, n: int) -> np.ndarray:
    """Return minus the distance of each number of records below, `first` to `last`, from quant * n.

    >>> rank_utility(0, 4, 0.5, 4)
    array([-2., -1., -0., -1., -2.])
    """
    ranks = np.arange(first, last + 1, dtype=np.float64)
    ranks -= quant * n
    np.abs(ranks, out=ranks)
    return np.negative(ranks, out=ranks)


@dataclass(frozen=True, slots=True)
class Intervals:
    """The k intervals that can be chosen, by their k + 1 ascending edges, and their weights. Private.

    The choice's weights are made of the utilities and widths. `before` intervals lie below these,
    `others` is the best utility of one that is not among these, and `everything` returns all intervals,
    where these are not all.
    """

    edges: np.ndarray
    choice: Choice
    utility: np.ndarray
    widths: np.ndarray
    before: int = 0
    others: float = -math.inf
    everything: Callable[[], Intervals] | None = None

    def point(self, uniforms: np.ndarray) -> float:
        """Return a point: the first uniform chooses an interval, the second a place within it."""
        return self.within(self.choice.place(float(uniforms[0])), float(uniforms[1]))

    def within(self, place: int, uniform: float) -> float:
        """Return the point of an interval, by its place among these, that a uniform number chooses."""
        left, right = float(self.edges[place]), float(self.edges[place + 1])
        return uniform * (right - left) + left


def quantile_intervals(x: np.ndarray, quant: float, eps: float, lower: float, upper: float) -> Intervals:
    """Weigh the intervals between the sorted data, as the exponential mechanism does.

    The data have no missing value, and `lower` is at most `upper`. Of many intervals those alone are
    returned whose weights are not 0 in floating point.
    """
    n = x.size
    clipped = clip(x, lower, upper)

    def between(inner: np.ndarray, first: int, last: int) -> Intervals:
        """Weigh the intervals `first` to `last`, whose ends are `inner` and the bounds."""
        edges = np.concatenate([[lower] if first == 0 else [], inner, [upper] if last == n else []])
        with np.errstate(all="ignore"):
            widths = np.diff(edges)
        utility = rank_utility(first, last, quant, n)
        return Intervals(edges, Choice(utility, eps, SENSITIVITY, widths), utility, widths)

    def everything() -> Intervals:
        return between(np.sort(clipped), 0, n)

    first, last = _reached(n, quant, eps) if math.isfinite(upper - lower) else (0, n)
    if last - first >= n // 4:
        return everything()
    # edges i - 1 and i of interval i; only their neighborhood needs an order
    low, high = max(first - 1, 0), min(last, n - 1)
    clipped.partition([low, high])
    nearest = min(
        quant * n - (first - 1) if first else math.inf, last + 1 - quant * n if last < n else math.inf
    )
    some = between(np.sort(clipped[low : high + 1]), first, last)
    return replace(some, before=first, others=-nearest, everything=everything)


def _reached(n: int, quant: float, eps: float) -> tuple[int, int]:
    """Return the first and the last interval whose weight does not underflow to 0."""
    reach = 2.0 * UNDERFLOW / eps + 2.0
    middle = quant * n
    return max(0, math.floor(max(middle - reach, 0.0))), min(n, math.ceil(min(middle + reach, float(n))))
