"""Range of a parameter, to which its estimates and intervals are clipped.

An estimate is clipped to the range, and its interval is centered at the clipped estimate and then clipped,
too. This is post-processing. No coverage is lost: for every parameter in the range, the clipped estimate is at
least as near to it as the noisy one, and only values outside the range are removed from the interval. The
interval is never empty, as it contains the clipped estimate. The standard deviation is that of the noise
before clipping.

Two kinds of estimates are not clipped, only their intervals: counts and sums, which must add up without bias,
and those of the mirrored functions, which are R's.
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
    """Smallest and largest possible value of a parameter."""

    # a tuple for several columns, a tuple of rows for a matrix of columns
    low: RangeLimit
    high: RangeLimit

    def clip_values(self, values: npt.ArrayLike) -> Floats:
        """Return the values clipped to the range."""
        # adding 0 turns negative zero into zero
        return np.asarray(np.clip(np.asarray(values), self.low, self.high) + 0.0)

    def clip_interval(self, low: npt.ArrayLike, high: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return intervals clipped to the range; the whole range where the limits are NaN."""
        limits = np.where(np.isnan(low), self.low, low), np.where(np.isnan(high), self.high, high)
        return self.clip_values(limits[0]), self.clip_values(limits[1])

    def scale_range(self, factor: float) -> ParameterRange:
        """Return the range of the parameter times a factor above 0."""
        limits = (np.multiply(limit, factor).tolist() for limit in (self.low, self.high))
        return ParameterRange(*(tuple(limit) if isinstance(limit, list) else limit for limit in limits))


PROPORTION, CORRELATION = ParameterRange(0.0, 1.0), ParameterRange(-1.0, 1.0)
# post-processing step in words
CLIPPED_STEP = "clipped to the parameter's range"


def make_count_range(size: int | None) -> ParameterRange:
    """Return the range of counts of records, bounded by `size` if it is public."""
    return ParameterRange(0.0, math.inf if size is None else float(size))


def make_mean_range(bounds: Sequence[tuple[float, float]]) -> ParameterRange:
    """Return the range of the columns' means."""
    low, high = zip(*bounds)
    return ParameterRange(_unwrap_single(low), _unwrap_single(high))


def make_sum_range(bounds: Sequence[tuple[float, float]], size: int | None) -> ParameterRange:
    """Return the range of the columns' sums; with a private size only the bounds' signs limit it."""
    if size is not None:
        return make_mean_range([(size * low, size * high) for low, high in bounds])
    signs = [(0.0 if low >= 0.0 else -math.inf, 0.0 if high <= 0.0 else math.inf) for low, high in bounds]
    return make_mean_range(signs)


def make_variance_range(halves: Sequence[float], size: int | None, is_deviation: bool = False) -> ParameterRange:
    """Return the range of the columns' variances (divisor n - 1) or deviations.

    The largest variance is n / (n - 1) times the squared half-width of the bounds (Popoviciu 1935).
    """
    largest = [_bound_covariance(half, half, size) for half in halves]
    return ParameterRange(0.0, _unwrap_single(list(map(math.sqrt, largest)) if is_deviation else largest))


def make_covariance_range(first: float, second: float, size: int | None) -> ParameterRange:
    """Return the range of the covariance of two variables from the half-widths of their bounds."""
    maximum = _bound_covariance(first, second, size)
    return ParameterRange(-maximum, maximum)


def make_covariance_matrix_range(halves: Sequence[float], size: int | None) -> ParameterRange:
    """Return the range of a covariance matrix, with variances on the diagonal."""
    high = tuple(tuple(_bound_covariance(row_half, column_half, size) for column_half in halves) for row_half in halves)
    low = tuple(tuple(0.0 if i == j else -maximum for j, maximum in enumerate(row)) for i, row in enumerate(high))
    return ParameterRange(low, high)


def _bound_covariance(first: float, second: float, size: int | None) -> float:
    # a private number of records may be as small as two, the worst case
    n = max(2, 2 if size is None else size)
    return n / (n - 1) * first * second


def _unwrap_single(limits: Sequence[float]) -> RangeLimit:
    return limits[0] if len(limits) == 1 else tuple(limits)
