"""Variance and covariance within groups, with the sensitivities that DPpack claims for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pydpstat import r_arithmetic as r


class Pooled(NamedTuple):
    """A pooled statistic, whose value is private, and the number of records of all groups.

    The value is NaN where a group has fewer than two records. The sensitivities are that for one record
    replaced within its group, and DPpack's for one added or removed.
    """

    value: float
    bounded: float
    unbounded: float
    nobs: int


def pooled_variance(samples: Sequence[np.ndarray], lower: float, upper: float, approx: bool) -> Pooled:
    """Return the pooled variance of groups of shape (n_j,), already clipped.

    With `approx` the factor 1 - 1 / max(n_j), which tells the largest group's size, is left out.

    >>> pooled_variance([np.array([1.0, 2.0]), np.array([4.0, 8.0])], 0.0, 10.0, False)
    Pooled(value=4.25, bounded=25.0, unbounded=37.5, nobs=4)
    """
    reach = (upper - lower) * (upper - lower)
    value, bounded, n, groups = _within(samples, [r.var(sample) for sample in samples], reach, approx)
    # every group may have two records: then adding one to a group moves the statistic further
    unbounded = bounded if n != 2 * groups else _divided(reach * (n - 1.0), n * (n - 2.0))
    return Pooled(value, bounded, unbounded, n)


def pooled_covariance(
    samples: Sequence[np.ndarray],
    bounds1: tuple[float, float],
    bounds2: tuple[float, float],
    approx: bool,
) -> Pooled:
    """Return the pooled covariance of groups of shape (n_j, 2), already clipped.

    With `approx` the factor 1 - 1 / max(n_j) of the bounded sensitivity is left out.

    >>> group = np.array([[1.0, 2.0], [3.0, 6.0], [5.0, 4.0]])
    >>> pooled_covariance([group], (0.0, 6.0), (0.0, 6.0), True)
    Pooled(value=2.0, bounded=18.0, unbounded=13.5, nobs=3)
    """
    reach = (bounds1[1] - bounds1[0]) * (bounds2[1] - bounds2[0])
    spreads = [r.cov(pairs[:, 0], pairs[:, 1]) for pairs in samples]
    value, bounded, n, groups = _within(samples, spreads, reach, approx)
    free, unbounded = n - groups - 1, math.nan
    if free > 0:
        factor = 1.0 + n / (4.0 * (n - 1.0 - groups)) - 1.0 / math.sqrt(free)
        unbounded = reach * factor / (n - groups)
    return Pooled(value, bounded, unbounded, n)


def _within(
    samples: Sequence[np.ndarray], spreads: Sequence[float], reach: float, approx: bool
) -> tuple[float, float, int, int]:
    """Return the spreads' mean by degrees of freedom, its sensitivity, how many records and groups."""
    sizes = [len(sample) for sample in samples]
    n, groups = sum(sizes), len(sizes)
    total = 0.0
    for size, spread in zip(sizes, spreads):
        total = total + (size - 1) * spread
    most = reach if approx else reach * (1.0 - _divided(1.0, max(sizes)))
    return _divided(total, n - groups), _divided(most, n - groups), n, groups


def _divided(a: float, b: float) -> float:
    """Divide as R does, without an error at 0."""
    if b == 0:
        return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a)
    return a / b
