"""R's rbeta as a method: Cheng's algorithms BB and BC."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats, exp, log
from pydpstat.random.r_stream._seeded import Seeded, numbers, require, whole

_LARGEST_EXPONENT = sys.float_info.max_exp * math.log(2.0)
# log(4) and 1 + log(5), with Cheng's digits
_LOG_4 = 1.3862944
_ONE_AND_LOG_5 = 2.609438


class BetaDistribution(Seeded):
    """The method of `RRandom` that returns proportions."""

    def rbeta(self, n: int, shape1: npt.ArrayLike, shape2: npt.ArrayLike) -> Floats:
        """Draw beta variables, as R's ``rbeta`` without a noncentrality.

        Where a shape is 0 or infinite the value is 0, 1/2 or 1; only two zeros take a draw then.

        Parameters
        ----------
        n : int
            How many.
        shape1, shape2 : float or array_like
            The shapes, at least 0. Arrays are recycled.

        Returns
        -------
        ndarray of float64, shape (n,)

        Raises
        ------
        PydpstatError
            Where R returns NaN.

        References
        ----------
        Cheng, R. C. H. (1978). Generating beta variates with nonintegral shape parameters.
        Communications of the ACM, 21, 317-322.

        Examples
        --------
        >>> from pydpstat.random.r_stream import RRandom
        >>> RRandom(123).rbeta(2, 2, 3)
        array([0.26906866, 0.34377729])
        """
        n = whole(n, "n")
        shapes = [np.resize(numbers(shape1, "shape1"), n), np.resize(numbers(shape2, "shape2"), n)]
        if n == 0:
            return np.empty(0)
        for name, shape in zip(("shape1", "shape2"), shapes):
            require(shape >= 0.0, name, shape, "at least 0")
        first, second = (shape.tolist() for shape in shapes)
        return np.array([_one(self._stream.next, a, b) for a, b in zip(first, second)])


def _one(draw: Callable[[], float], shape1: float, shape2: float) -> float:
    """Draw one variable."""
    if shape1 == shape2 == 0.0:
        return 0.0 if draw() < 0.5 else 1.0
    if math.isinf(shape1) and math.isinf(shape2):
        return 0.5
    if math.isinf(shape1) or shape2 == 0.0:
        return 1.0
    if math.isinf(shape2) or shape1 == 0.0:
        return 0.0
    low, high = min(shape1, shape2), max(shape1, shape2)
    w, other = _bc(draw, low, high) if low <= 1.0 else _bb(draw, low, high)
    # BB's ratio belongs to the smaller shape, BC's to the larger one
    of_first = (shape1 == low) == (low > 1.0)
    return (w if of_first else other) / (other + w)


def _ratio(u: float, rate: float, scale: float) -> tuple[float, float]:
    """Return the logarithm of the odds of u, times the rate, and the scale times its exponential."""
    v = rate * float(log(u / (1.0 - u)))
    w = scale * float(exp(v)) if v <= _LARGEST_EXPONENT else math.inf
    return v, min(w, sys.float_info.max)


def _bb(draw: Callable[[], float], low: float, high: float) -> tuple[float, float]:
    total = low + high
    rate = math.sqrt((total - 2.0) / (2.0 * low * high - total))
    gamma = low + 1.0 / rate
    while True:
        first, second = draw(), draw()
        v, w = _ratio(first, rate, low)
        z = first * first * second
        r = gamma * v - _LOG_4
        s = low + r - w
        if s + _ONE_AND_LOG_5 >= 5.0 * z:
            return w, high
        t = float(log(z))
        if s > t or r + total * float(log(total / (high + w))) >= t:
            return w, high


def _bc(draw: Callable[[], float], low: float, high: float) -> tuple[float, float]:
    total, rate, delta = low + high, 1.0 / low, 1.0 + high - low
    k1 = delta * (0.0138889 + 0.0416667 * low) / (high * rate - 0.777778)
    k2 = 0.25 + (0.5 + 0.25 / delta) * low
    while True:
        first, second = draw(), draw()
        if first < 0.5:
            y = first * second
            z = first * y
            if 0.25 * second + z - y >= k1:
                continue
        else:
            z = first * first * second
            if z <= 0.25:
                return _ratio(first, rate, high)[1], low
            if z >= k2:
                continue
        v, w = _ratio(first, rate, high)
        if total * (float(log(total / (low + w))) + v) - _LOG_4 >= float(log(z)):
            return w, low
