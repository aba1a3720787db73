"""Laplace variables as ``rmutil::rlaplace`` draws them: the quantile function of one uniform."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pydpstat.r_arithmetic.elementary import log
from pydpstat.random.r_stream.mersenne import UniformStream

_FEW = 16
_CHUNK = 32_768


def one(q: float, location: float, scale: float) -> float:
    """Return the quantile of a uniform."""
    if q < 0.5:
        return scale * math.log(2.0 * q) + location
    return -scale * math.log(2.0 * (1.0 - q)) + location


def draw(stream: UniformStream, count: int, location: Any, scale: Any) -> np.ndarray:
    """Draw Laplace variables; `location` and `scale` are floats, or arrays of the size of the draw."""
    if count < _FEW and isinstance(location, float) and isinstance(scale, float):
        return np.array([one(stream.next(), location, scale) for _ in range(count)])
    result = np.empty(count)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, count, _CHUNK):
            part = result[start : start + _CHUNK]
            q = stream.take(part.size)
            lower = q < 0.5
            s = _slice(scale, start)
            np.copyto(part, log(2.0 * np.where(lower, q, 1.0 - q)))
            part *= np.where(lower, s, -s)
            part += _slice(location, start)
    return result


def _slice(values: Any, start: int) -> Any:
    return values if isinstance(values, float) else values[start : start + _CHUNK]
