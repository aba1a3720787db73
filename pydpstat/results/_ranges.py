"""The range of a parameter, which its estimates and intervals stay within.

The rule. An estimate is clipped to the range, and its interval is made about the clipped estimate and then
clipped, too. This is post-processing. No coverage is lost: whatever value of the range the parameter has, the
clipped estimate is at least as near to it as the noisy one, and what is clipped off the interval is outside
of the range. The interval is never empty, as it holds the clipped estimate. The standard deviation stays that
of the noise before.

Two kinds of estimates are left as they were drawn, and only their intervals obey the rule: counts and sums,
which are to add up without bias, and those of the mirrors, which are R's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats

# a number, or nested tuples of the shape of the values or of their last axes
End = float | tuple[float, ...] | tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class ParameterRange:
    """The smallest and the largest value that a parameter can have."""

    # of several columns a tuple, of a matrix of columns a tuple of its rows
    low: End
    high: End

    def clip(self, values: npt.ArrayLike) -> Floats:
        """Return the values of the range that are nearest."""
        # adding 0 turns a zero with a minus sign into a plain one
        return np.asarray(np.clip(np.asarray(values), self.low, self.high) + 0.0)

    def intersect(self, low: npt.ArrayLike, high: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return what of intervals is in the range: all of it where the noise leaves no interval."""
        ends = np.where(np.isnan(low), self.low, low), np.where(np.isnan(high), self.high, high)
        return self.clip(ends[0]), self.clip(ends[1])

    def scaled(self, factor: float) -> ParameterRange:
        """Return the range of the parameter times a factor above 0."""
        ends = (np.multiply(end, factor).tolist() for end in (self.low, self.high))
        return ParameterRange(*(tuple(end) if isinstance(end, list) else end for end in ends))


PROPORTION, CORRELATION = ParameterRange(0.0, 1.0), ParameterRange(-1.0, 1.0)
# what is done to an estimate, in words
CLIPPED = "clipped to the parameter's range"


def counts(most: int | None) -> ParameterRange:
    """Return the range of counts of records, of which there are so many where their number is public."""
    return ParameterRange(0.0, math.inf if most is None else float(most))


def means(pairs: Sequence[tuple[float, float]]) -> ParameterRange:
    """Return that of the columns' means."""
    low, high = zip(*pairs)
    return ParameterRange(_of_columns(low), _of_columns(high))


def sums(pairs: Sequence[tuple[float, float]], size: int | None) -> ParameterRange:
    """Return that of the columns' sums; where the number of records is private, bounds tell the sign."""
    if size is not None:
        return means([(size * low, size * high) for low, high in pairs])
    signs = [(0.0 if low >= 0.0 else -math.inf, 0.0 if high <= 0.0 else math.inf) for low, high in pairs]
    return means(signs)


def spreads(halves: Sequence[float], size: int | None, root: bool = False) -> ParameterRange:
    """Return that of the columns' variances with divisor n - 1, or of their roots, from half their ranges.

    The largest is n / (n - 1) times the half's square, of records at both bounds (Popoviciu 1935).
    """
    largest = [_largest(half, half, size) for half in halves]
    return ParameterRange(0.0, _of_columns(list(map(math.sqrt, largest)) if root else largest))


def covariance(first: float, second: float, size: int | None) -> ParameterRange:
    """Return that of the covariance of two variables, from half their ranges."""
    most = _largest(first, second, size)
    return ParameterRange(-most, most)


def covariances(halves: Sequence[float], size: int | None) -> ParameterRange:
    """Return that of a matrix of covariances, with variances on the diagonal."""
    high = tuple(tuple(_largest(one, other, size) for other in halves) for one in halves)
    low = tuple(tuple(0.0 if i == j else -most for j, most in enumerate(row)) for i, row in enumerate(high))
    return ParameterRange(low, high)


def _largest(first: float, second: float, size: int | None) -> float:
    # where the number of records is private there may be two
    n = max(2, 2 if size is None else size)
    return n / (n - 1) * first * second


def _of_columns(ends: Sequence[float]) -> End:
    return ends[0] if len(ends) == 1 else tuple(ends)
