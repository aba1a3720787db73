"""Mean, variance and covariance of bounded records, with their global sensitivities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pydpstat import r_arithmetic as r
from pydpstat._release.query import Query
from pydpstat.results._labels import Labels


def clip(x: np.ndarray, lower: float, upper: float) -> np.ndarray:
    """Move values to the bounds: first those below `lower`, then those above `upper`.

    Missing values stay missing. With reversed bounds every value becomes `upper`.
    """
    clipped = np.maximum(x, lower, dtype=np.float64)
    return np.minimum(clipped, upper, out=clipped)


def clipped_mean(x: np.ndarray, lower: float, upper: float, name: str = "mean") -> Query:
    """Ask for the mean; replacing one of n records moves it by at most (upper - lower) / n."""
    return _moment("mean", r.mean(clip(x, lower, upper)), upper - lower, x.size, name)


def clipped_variance(x: np.ndarray, lower: float, upper: float, name: str = "variance") -> Query:
    """Ask for the variance with divisor n - 1; its sensitivity is (upper - lower)^2 / n."""
    width = upper - lower
    return _moment("variance", r.var(clip(x, lower, upper)), width * width, x.size, name)


def clipped_covariance(
    x1: np.ndarray,
    x2: np.ndarray,
    bounds1: tuple[float, float],
    bounds2: tuple[float, float],
    name: str = "covariance",
) -> Query:
    """Ask for the covariance with divisor n - 1; its sensitivity is the ranges' product / n."""
    value = r.cov(clip(x1, *bounds1), clip(x2, *bounds2))
    return _moment("covariance", value, (bounds1[1] - bounds1[0]) * (bounds2[1] - bounds2[0]), x1.size, name)


def _moment(statistic: str, value: float, reach: float, nobs: int, name: Any) -> Query:
    sensitivity = reach / nobs if nobs else math.inf
    return Query(statistic, np.asarray(value, dtype=np.float64), (sensitivity,), Labels(name), nobs=nobs)
