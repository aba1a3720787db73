"""Gamma variables, drawn as in R (Ahrens and Dieter's GS of 1974 and GD of 1982), and Cheng's beta variables."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats, exp, expm1, log
from pydpstat.random.r_stream._standard import (
    MARGIN,
    Real,
    compute_exponential_values,
    compute_normal_at,
    count_exponential_uniforms,
    draw_one_exponential,
    draw_one_normal,
    evaluate_polynomial,
    find_starts,
    run_double_trials,
    split_uniforms,
)
from pydpstat.random.r_stream._stream import (
    SeededStream,
    UniformStream,
    check_nonnegative_integer,
    require_parameter,
    to_numbers,
)

_MAX_SCALAR_DRAWS = 60
_CHUNK_SIZE = 300_000
_E_INVERSE = 0.36787944117144233
_START_SERIES = (2.424e-4, 2.4511e-4, -7.388e-5, 0.00144121, 0.00801191, 0.02083148, 0.04166669)
_LOG_SERIES = (0.1233795, -0.1367177, 0.1423657, -0.1662921, 0.2000062, -0.250003, 0.3333333)


def _evaluate_power_series(coefficients: tuple[float, ...], x: Real) -> Real:
    return evaluate_polynomial(coefficients, x) * x


class SmallShape:
    """Gamma distribution with a shape between 0 and 1 exclusive."""

    def __init__(self, shape: float) -> None:
        self.shape = shape
        self.height = 1.0 + _E_INVERSE * shape

    def draw_one(self, draw: Callable[[], float], scale: float) -> float:
        """Draw one variable."""
        while True:
            p = self.height * draw()
            if p >= 1.0:
                x = -math.log((self.height - p) / self.shape)
                if draw_one_exponential(draw) >= (1.0 - self.shape) * math.log(x):
                    return scale * x
            else:
                x = math.exp(math.log(p) / self.shape)
                if draw_one_exponential(draw) >= x:
                    return scale * x

    def draw_many(self, stream: UniformStream, count: int, scale: float) -> np.ndarray:
        """Draw variables."""
        if count < _MAX_SCALAR_DRAWS:
            return np.array([self.draw_one(stream.draw_one, scale) for _ in range(count)])

        def draw_chunk(uniforms: np.ndarray, missing: int) -> tuple[np.ndarray, int]:
            remainders, halvings = split_uniforms(uniforms)
            length = count_exponential_uniforms(remainders)
            # a trial is a uniform followed by an exponential variable
            total = np.append(1 + length[1:], uniforms.size)
            starts = find_starts(total)
            starts = starts[starts + total[starts] <= uniforms.size]
            starts = starts[starts + 1 < uniforms.size]
            x, bound = self._run_trials(uniforms[starts])
            waiting = compute_exponential_values(uniforms, remainders, halvings, length, starts + 1)
            indices = np.flatnonzero(waiting >= bound)[:missing]
            last = starts[indices[-1]] if indices.size == missing else starts[-1]
            return scale * x[indices], int(last + total[last])

        return stream.collect_draws(count, 4.0, _CHUNK_SIZE, draw_chunk)

    def _run_trials(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return each trial's proposal and the bound that the exponential variable must reach."""
        p = self.height * u
        upper = p >= 1.0
        x = np.empty(p.size)
        x[upper] = -log((self.height - p[upper]) / self.shape)
        x[~upper] = exp(log(p[~upper]) / self.shape)
        bound = x.copy()
        bound[upper] = (1.0 - self.shape) * log(x[upper])
        return x, bound


class LargeShape:
    """Gamma distribution with a shape of at least 1."""

    def __init__(self, shape: float) -> None:
        self.s2 = shape - 0.5
        self.s = s = math.sqrt(self.s2)
        self.d = 5.656854 - s * 12.0
        self.q0 = _evaluate_power_series(_START_SERIES, 1.0 / shape)
        if shape <= 3.686:
            self.b = 0.463 + s + 0.178 * self.s2
            self.si = 1.235
            self.c = 0.195 / s - 0.079 + 0.16 * s
        elif shape <= 13.022:
            self.b = 1.654 + 0.0076 * self.s2
            self.si = 1.68 / s + 0.275
            self.c = 0.062 / s + 0.024
        else:
            self.b = 1.77
            self.si = 0.75
            self.c = 0.1515 / s

    def draw_one(self, draw: Callable[[], float], scale: float) -> float:
        """Draw one variable."""
        t = draw_one_normal(draw)
        x = self.s + 0.5 * t
        if t >= 0.0:
            return scale * (x * x)
        u = draw()
        if self.d * u <= t * t * t or (x > 0.0 and math.log(1.0 - u) <= self._compute_quotient(t)):
            return scale * (x * x)
        while True:
            e = draw_one_exponential(draw)
            u = draw()
            u = u + u - 1.0
            t = self.b - self.si * e if u < 0.0 else self.b + self.si * e
            if t >= -0.71874483771719:
                q = self._compute_quotient(t)
                # beyond 700, w is infinite in R as well
                if q > 0.0 and self.c * abs(u) <= expm1(q) * math.exp(e - 0.5 * t * t):
                    x = self.s + 0.5 * t
                    return scale * x * x

    def _compute_quotient(self, t: float) -> float:
        v = t / (self.s + self.s)
        if abs(v) <= 0.25:
            return self.q0 + 0.5 * t * t * _evaluate_power_series(_LOG_SERIES, v)
        return self.q0 - self.s * t + 0.25 * t * t + (self.s2 + self.s2) * math.log(1.0 + v)

    def _compute_quotients(self, t: np.ndarray) -> np.ndarray:
        """Compute the quotient for an array."""
        v = t / (self.s + self.s)
        q = self.q0 + 0.5 * t * t * _evaluate_power_series(_LOG_SERIES, v)
        far = np.flatnonzero(np.abs(v) > 0.25)
        t = t[far]
        q[far] = self.q0 - self.s * t + 0.25 * t * t + (self.s2 + self.s2) * log(1.0 + v[far])
        return q

    def draw_many(self, stream: UniformStream, count: int, scale: float) -> np.ndarray:
        """Draw variables."""
        if count < _MAX_SCALAR_DRAWS:
            return np.array([self.draw_one(stream.draw_one, scale) for _ in range(count)])

        def draw_chunk(uniforms: np.ndarray, missing: int) -> tuple[np.ndarray, int]:
            t, end, doubled = self._transform_positions(uniforms)
            starts = find_starts(end - np.arange(end.size))[:missing]
            starts = starts[end[starts] <= uniforms.size]
            x = self.s + 0.5 * t[starts]
            # R computes (scale x) x in one branch and scale (x x) in the other
            return np.where(doubled[starts], scale * x * x, scale * (x * x)), int(end[starts[-1]])

        return stream.collect_draws(count, 3.0, _CHUNK_SIZE, draw_chunk)

    def _transform_positions(self, uniforms: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return for each start position the deviate, the end, and whether it is from the second method."""
        position = np.arange(uniforms.size - MARGIN)
        t = compute_normal_at(uniforms, position)
        end = position + 2
        doubled = np.zeros(position.size, dtype=np.bool_)
        low = np.flatnonzero(t < 0.0)
        end[low] += 1
        deviate, u = t[low], uniforms[low + 2]
        low = low[self.d * u > deviate * deviate * deviate]
        deviate, u = t[low], uniforms[low + 2]
        refused = (self.s + 0.5 * deviate <= 0.0) | (log(1.0 - u) > self._compute_quotients(deviate))

        def accept_trials(index: np.ndarray, e: np.ndarray, u: np.ndarray) -> np.ndarray:
            t[index], accepted = self._run_trials(e, u)
            return accepted

        doubled[low[refused]] = True
        run_double_trials(low[refused], uniforms, split_uniforms(uniforms), end, accept_trials)
        return t, end, doubled

    def _run_trials(self, e: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return each trial's deviate and whether it is accepted."""
        deviate = self.b + np.where(u < 0.0, -e, e) * self.si
        accepted = np.zeros(e.size, dtype=np.bool_)
        index = np.flatnonzero(deviate >= -0.71874483771719)
        q = self._compute_quotients(deviate[index])
        positive = np.flatnonzero(q > 0.0)
        index, q = index[positive], q[positive]
        t = deviate[index]
        needed, spread = self.c * np.abs(u[index]), exp(e[index] - 0.5 * t * t)
        with np.errstate(over="ignore", invalid="ignore"):
            reached = np.expm1(q) * spread
            accepted[index] = needed <= reached
            # where NumPy's last bits, which differ between processors, could decide, R's operations are used
            near = np.flatnonzero(~(np.abs(needed - reached) > 1e-12 * reached))
            accepted[index[near]] = needed[near] <= expm1(q[near]) * spread[near]
        return deviate, accepted


# cached because computing the constants takes longer than drawing a variable
@lru_cache(maxsize=32)
def get_gamma_distribution(shape: float) -> SmallShape | LargeShape:
    """Return the distribution for a finite shape above 0."""
    return SmallShape(shape) if shape < 1.0 else LargeShape(shape)


_LARGEST_EXPONENT = sys.float_info.max_exp * math.log(2.0)
# log(4) and 1 + log(5), with the digits in Cheng's papers
_LOG_4 = 1.3862944
_ONE_AND_LOG_5 = 2.609438


class BetaDistribution(SeededStream):
    """Method of `RRandom` that returns proportions."""

    def rbeta(self, n: int, shape1: npt.ArrayLike, shape2: npt.ArrayLike) -> Floats:
        """Draw beta variables, as R's ``rbeta`` without a noncentrality.

        If a shape is 0 or infinite the value is 0, 1/2 or 1; only two zeros then use a draw.

        Parameters
        ----------
        n : int
            Number of draws.
        shape1, shape2 : float or array_like
            The shapes, at least 0. Arrays are recycled.

        Returns
        -------
        ndarray of float64, shape (n,)

        Raises
        ------
        PydpstatError
            If R returns NaN.

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
        n = check_nonnegative_integer(n, "n")
        shapes = [np.resize(to_numbers(shape1, "shape1"), n), np.resize(to_numbers(shape2, "shape2"), n)]
        if n == 0:
            return np.empty(0)
        for name, shape in zip(("shape1", "shape2"), shapes):
            require_parameter(shape >= 0.0, name, shape, "at least 0")
        alphas, betas = (shape.tolist() for shape in shapes)
        return np.array([_draw_beta(self._stream.draw_one, a, b) for a, b in zip(alphas, betas)])


def _draw_beta(draw: Callable[[], float], shape1: float, shape2: float) -> float:
    """Draw one beta variable."""
    if shape1 == shape2 == 0.0:
        return 0.0 if draw() < 0.5 else 1.0
    if math.isinf(shape1) and math.isinf(shape2):
        return 0.5
    if math.isinf(shape1) or shape2 == 0.0:
        return 1.0
    if math.isinf(shape2) or shape1 == 0.0:
        return 0.0
    low, high = min(shape1, shape2), max(shape1, shape2)
    w, scale = _draw_beta_bc(draw, low, high) if low <= 1.0 else _draw_beta_bb(draw, low, high)
    # BB's ratio belongs to the smaller shape, BC's to the larger one
    of_first = (shape1 == low) == (low > 1.0)
    return (w if of_first else scale) / (scale + w)


def _compute_beta_ratio(u: float, rate: float, scale: float) -> tuple[float, float]:
    """Return the log odds of u times the rate, and the scale times their exponential."""
    v = rate * float(log(u / (1.0 - u)))
    w = scale * float(exp(v)) if v <= _LARGEST_EXPONENT else math.inf
    return v, min(w, sys.float_info.max)


def _draw_beta_bb(draw: Callable[[], float], low: float, high: float) -> tuple[float, float]:
    total = low + high
    rate = math.sqrt((total - 2.0) / (2.0 * low * high - total))
    gamma = low + 1.0 / rate
    while True:
        u1, u2 = draw(), draw()
        v, w = _compute_beta_ratio(u1, rate, low)
        z = u1 * u1 * u2
        r = gamma * v - _LOG_4
        s = low + r - w
        if s + _ONE_AND_LOG_5 >= 5.0 * z:
            return w, high
        t = float(log(z))
        if s > t or r + total * float(log(total / (high + w))) >= t:
            return w, high


def _draw_beta_bc(draw: Callable[[], float], low: float, high: float) -> tuple[float, float]:
    total, rate, delta = low + high, 1.0 / low, 1.0 + high - low
    k1 = delta * (0.0138889 + 0.0416667 * low) / (high * rate - 0.777778)
    k2 = 0.25 + (0.5 + 0.25 / delta) * low
    while True:
        u1, u2 = draw(), draw()
        if u1 < 0.5:
            y = u1 * u2
            z = u1 * y
            if 0.25 * u2 + z - y >= k1:
                continue
        else:
            z = u1 * u1 * u2
            if z <= 0.25:
                return _compute_beta_ratio(u1, rate, high)[1], low
            if z >= k2:
                continue
        v, w = _compute_beta_ratio(u1, rate, high)
        if total * (float(log(total / (low + w))) + v) - _LOG_4 >= float(log(z)):
            return w, low
