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
RangeLimit = float | tuple[float, ...] | tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class ParameterRange:
    """The smallest and the largest value that a parameter can have."""

    # of several columns a tuple, of a matrix of columns a tuple of its rows
    low: RangeLimit
    high: RangeLimit

    def clip_values(self, values: npt.ArrayLike) -> Floats:
        """Return the values of the range that are nearest."""
        # adding 0 turns a zero with a minus sign into a plain one
        return np.asarray(np.clip(np.asarray(values), self.low, self.high) + 0.0)

    def clip_interval(self, low: npt.ArrayLike, high: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return what of intervals is in the range: all of it where the noise leaves no interval."""
        ends = np.where(np.isnan(low), self.low, low), np.where(np.isnan(high), self.high, high)
        return self.clip_values(ends[0]), self.clip_values(ends[1])

    def scale_range(self, factor: float) -> ParameterRange:
        """Return the range of the parameter times a factor above 0."""
        ends = (np.multiply(end, factor).tolist() for end in (self.low, self.high))
        return ParameterRange(*(tuple(end) if isinstance(end, list) else end for end in ends))


PROPORTION, CORRELATION = ParameterRange(0.0, 1.0), ParameterRange(-1.0, 1.0)
# what is done to an estimate, in words
CLIPPED_STEP = "clipped to the parameter's range"


def make_count_range(size: int | None) -> ParameterRange:
    """Return the range of counts of records, of which there are so many where their number is public."""
    return ParameterRange(0.0, math.inf if size is None else float(size))


def make_mean_range(bounds: Sequence[tuple[float, float]]) -> ParameterRange:
    """Return that of the columns' means."""
    low, high = zip(*bounds)
    return ParameterRange(_unwrap_single(low), _unwrap_single(high))


def make_sum_range(bounds: Sequence[tuple[float, float]], size: int | None) -> ParameterRange:
    """Return that of the columns' sums; where the number of records is private, bounds tell the sign."""
    if size is not None:
        return make_mean_range([(size * low, size * high) for low, high in bounds])
    signs = [(0.0 if low >= 0.0 else -math.inf, 0.0 if high <= 0.0 else math.inf) for low, high in bounds]
    return make_mean_range(signs)


def make_variance_range(halves: Sequence[float], size: int | None, is_deviation: bool = False) -> ParameterRange:
    """Return that of the columns' variances with divisor n - 1, or of their roots, from half their ranges.

    The largest is n / (n - 1) times the half's square, of records at both bounds (Popoviciu 1935).
    """
    largest = [_bound_covariance(half, half, size) for half in halves]
    return ParameterRange(0.0, _unwrap_single(list(map(math.sqrt, largest)) if is_deviation else largest))


def make_covariance_range(first: float, second: float, size: int | None) -> ParameterRange:
    """Return that of the covariance of two variables, from half their ranges."""
    most = _bound_covariance(first, second, size)
    return ParameterRange(-most, most)


def make_covariance_matrix_range(halves: Sequence[float], size: int | None) -> ParameterRange:
    """Return that of a matrix of covariances, with variances on the diagonal."""
    high = tuple(tuple(_bound_covariance(one, other, size) for other in halves) for one in halves)
    low = tuple(tuple(0.0 if i == j else -most for j, most in enumerate(row)) for i, row in enumerate(high))
    return ParameterRange(low, high)


def _bound_covariance(first: float, second: float, size: int | None) -> float:
    # where the number of records is private there may be two
    n = max(2, 2 if size is None else size)
    return n / (n - 1) * first * second


def _unwrap_single(limits: Sequence[float]) -> RangeLimit:
    return limits[0] if len(limits) == 1 else tuple(limits)
