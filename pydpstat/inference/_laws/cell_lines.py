"""The lines that are taken off a logistic curve in each cell before noise is added, all of it public."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat.inference._laws.logit_start import logistic

Floats = npt.NDArray[np.float64]
_POINTS, _SLOPES = 129, 9
# for points between the grid's
_MORE, _LEAST = 1.01, 1e-4


class CellLines(NamedTuple):
    """What is taken off in each cell, with s the logistic function, m the cell's middle and x'c around it."""

    middle: Floats
    level: Floats
    slope: Floats
    apart: Floats
    weight: Floats
    weight_apart: Floats
    common: Floats
    common_slope: float
    common_apart: float
    common_weight: float
    common_weight_apart: float


def lines_at(middle: Floats, reach: float, shares: Floats) -> CellLines:
    """Return the lines for linear predictors up to `reach` about each cell's middle.

    The cells' shares of the records weigh their slopes in the common one.
    """
    along = np.linspace(-reach, reach, _POINTS)
    s = logistic(middle[:, None] + along)
    steepest = s * (1.0 - s)
    chord = (s[:, -1] - s[:, 0]) / (2.0 * reach) if reach > 0.0 else steepest[:, 0]
    highest = steepest.max(axis=1)
    tried = [chord + part * (highest - chord) for part in np.linspace(0.0, 1.0, _SLOPES).tolist()]
    widths = np.array([np.ptp(s - each[:, None] * along, axis=1) for each in tried])
    slope = np.choose(widths.argmin(axis=0), tried)
    level, apart = _between(s - slope[:, None] * along)
    weight, weight_apart = _between(steepest)
    common_slope = float(shares @ slope)
    common, common_apart = _between(s - common_slope * along)
    low, high = float(steepest.min()), float(steepest.max())
    return CellLines(
        middle,
        level,
        slope,
        _MORE * apart + _LEAST,
        weight,
        _MORE * weight_apart + _LEAST,
        common,
        common_slope,
        _MORE * float(common_apart.max()) + _LEAST,
        0.5 * (low + high),
        _MORE * 0.5 * (high - low) + _LEAST,
    )


def _between(values: Floats) -> tuple[Floats, Floats]:
    """Return the middles of the rows' ranges, and half of the ranges."""
    low, high = values.min(axis=1), values.max(axis=1)
    return 0.5 * (low + high), 0.5 * (high - low)
