"""Binomial variables, drawn as in R (Kachitvichyanukul and Schmeiser 1988, algorithm BTPE)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from pydpstat._frozen import freeze_array
from pydpstat.r_arithmetic.elementary import log
from pydpstat.r_arithmetic.rounding import compute_power_by_squaring
from pydpstat.random.r_stream._stream import WORD_UNIT, ZERO_SUBSTITUTE, UniformStream

INVERSION_BELOW = 30.0
# beyond this value, inversion is abandoned and a new uniform is used
_HIGHEST = 111
_CHUNK_SIZE = 16_384
_MAX_SCALAR_DRAWS = 40


class Inversion:
    """Distribution with size times the smaller probability below 30: one uniform per variable."""

    def __init__(self, size: int, prob: float) -> None:
        self.size = size
        self.is_mirrored = prob > 0.5
        p = min(prob, 1.0 - prob)
        self.none = compute_power_by_squaring(1.0 - p, size)
        self.odds = p / (1.0 - p)
        self.odds_size = self.odds * (size + 1)
        self._table: np.ndarray | None = None

    def _count_successes(self, u: float) -> int:
        """Return the number of successes for a uniform; 112 means that another uniform is needed."""
        k = 0
        mass = self.none
        while u >= mass:
            if k == _HIGHEST:
                return k + 1
            u -= mass
            k += 1
            mass *= self.odds_size / k - self.odds
        return k

    def draw_one(self, draw: Callable[[], float]) -> float:
        """Draw one variable."""
        k = self._count_successes(draw())
        while k > _HIGHEST:
            k = self._count_successes(draw())
        return float(self.size - k if self.is_mirrored else k)

    def draw_many(self, stream: UniformStream, count: int) -> np.ndarray:
        """Draw variables."""
        if count < _MAX_SCALAR_DRAWS:
            return np.array([self.draw_one(stream.draw_one) for _ in range(count)])
        if self._table is None:
            self._table = freeze_array(self._compute_thresholds())
        result = np.empty(count)
        done = 0
        while done < count:
            uniforms = stream.take_uniforms(min(_CHUNK_SIZE, count - done))
            k = np.searchsorted(self._table, uniforms, side="right")
            k = k[k <= _HIGHEST]
            result[done : done + k.size] = k
            done += k.size
        if self.is_mirrored:
            np.subtract(self.size, result, out=result)
        return result

    def _compute_thresholds(self) -> np.ndarray:
        """Return for each k the smallest uniform whose number of successes exceeds k."""
        mass = total = self.none
        thresholds = []
        for k in range(min(self.size, _HIGHEST + 1)):
            bound = total
            # R subtracts term by term, so where rounding could matter, the loop itself is evaluated
            word = round(bound / WORD_UNIT)
            for u in (word * WORD_UNIT, ZERO_SUBSTITUTE):
                if abs(u - total) < 1e-11:
                    bound = u if self._count_successes(u) > k else math.nextafter(u, 2.0)
            thresholds.append(bound)
            mass *= self.odds_size / (k + 1) - self.odds
            total += mass
        return np.maximum.accumulate(thresholds)


class Btpe:
    """Distribution with size times the smaller probability of at least 30: two uniforms per trial."""

    def __init__(self, size: int, prob: float) -> None:
        self.size = size
        self.is_mirrored = prob > 0.5
        self.p = p = min(prob, 1.0 - prob)
        self.q = q = 1.0 - p
        mean = size * p
        self.odds = p / q
        self.odds_size = self.odds * (size + 1)
        fm = mean + p
        self.mode = int(fm)
        self.variance = variance = mean * q
        self.p1 = int(2.195 * math.sqrt(variance) - 4.6 * q) + 0.5
        self.middle = self.mode + 0.5
        self.left = self.middle - self.p1
        self.right = self.middle + self.p1
        self.c = 0.134 + 20.5 / (15.3 + self.mode)
        slope = (fm - self.left) / (fm - self.left * p)
        self.left_rate = slope * (1.0 + 0.5 * slope)
        slope = (self.right - fm) / (self.right * q)
        self.right_rate = slope * (1.0 + 0.5 * slope)
        self.p2 = self.p1 * (1.0 + self.c + self.c)
        self.p3 = self.p2 + self.c / self.left_rate
        self.p4 = self.p3 + self.c / self.right_rate
        self._ratios: dict[int, float] = {}

    def draw_one(self, draw: Callable[[], float]) -> float:
        """Draw one variable."""
        while True:
            u = draw() * self.p4
            v = draw()
            if u <= self.p1:
                k = int(self.middle - self.p1 * v + u)
                break
            if u <= self.p2:
                x = self.left + (u - self.p1) / self.c
                v = v * self.c + 1.0 - abs(self.middle - x) / self.p1
                if v > 1.0 or v <= 0.0:
                    continue
                k = int(x)
            elif u > self.p3:
                k = int(self.right - math.log(v) / self.right_rate)
                if k > self.size:
                    continue
                v = v * (u - self.p3) * self.right_rate
            else:
                k = int(self.left + math.log(v) / self.left_rate)
                if k < 0:
                    continue
                v = v * (u - self.p2) * self.left_rate
            away = abs(k - self.mode)
            if away <= 20 or away >= self.variance / 2.0 - 1.0:
                if v <= self._compute_ratio(k):
                    break
            elif self._is_below_density(np.array([float(k)]), np.array([v]))[0]:
                break
        return float(self.size - k if self.is_mirrored else k)

    def draw_many(self, stream: UniformStream, count: int) -> np.ndarray:
        """Draw variables."""
        if count < _MAX_SCALAR_DRAWS:
            return np.array([self.draw_one(stream.draw_one) for _ in range(count)])

        def draw_chunk(uniforms: np.ndarray, missing: int) -> tuple[np.ndarray, int]:
            pairs = uniforms[: uniforms.size // 2 * 2].reshape(-1, 2)
            k, accepted = self._run_trials(pairs[:, 0] * self.p4, pairs[:, 1].copy())
            indices = np.flatnonzero(accepted)[:missing]
            return k[indices], 2 * (int(indices[-1]) + 1 if indices.size == missing else len(pairs))

        # a variable needs 1.1 to 1.5 trials on average
        result = stream.collect_draws(count, 2.6, 2 * _CHUNK_SIZE, draw_chunk)
        if self.is_mirrored:
            np.subtract(self.size, result, out=result)
        return result

    def _run_trials(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the proposal of each trial and whether it is accepted."""
        k = np.trunc(self.middle - self.p1 * v + u)
        accepted = u <= self.p1
        index = np.flatnonzero(~accepted)
        u, v = u[index], v[index]
        parallelogram = u <= self.p2
        right = u > self.p3
        x = self.left + (u - self.p1) / self.c
        height = v * self.c + 1.0 - np.abs(self.middle - x) / self.p1
        open_trial = ~parallelogram | ((height <= 1.0) & (height > 0.0))
        tails = np.flatnonzero(~parallelogram)
        at_right = right[tails]
        logs = log(v[tails])
        x[tails] = np.where(at_right, self.right - logs / self.right_rate, self.left + logs / self.left_rate)
        height[tails] = np.where(
            at_right,
            v[tails] * (u[tails] - self.p3) * self.right_rate,
            v[tails] * (u[tails] - self.p2) * self.left_rate,
        )
        x = np.trunc(x)
        open_trial &= (x <= self.size) & (x >= 0.0)
        index, x, height = index[open_trial], x[open_trial], height[open_trial]
        k[index] = x
        away = np.abs(x - self.mode)
        near = (away <= 20.0) | (away >= self.variance / 2.0 - 1.0)
        close = np.flatnonzero(near)
        accepted[index[close]] = height[close] <= self._compute_ratios(x[close])
        far = np.flatnonzero(~near)
        accepted[index[far]] = self._is_below_density(x[far], height[far])
        return k, accepted

    def _compute_ratio(self, k: int) -> float:
        """Return the probability of k relative to that of the mode, multiplied in R's order."""
        if k not in self._ratios:
            ratio = 1.0
            for i in range(self.mode + 1, k + 1):
                ratio *= self.odds_size / i - self.odds
            for i in range(k + 1, self.mode + 1):
                ratio /= self.odds_size / i - self.odds
            self._ratios[k] = ratio
        return self._ratios[k]

    def _compute_ratios(self, k: np.ndarray) -> np.ndarray:
        counts = k.astype(np.int64)
        if not counts.size:
            return k
        minimum = int(counts.min())
        if int(counts.max()) - minimum > 4 * _CHUNK_SIZE:
            return np.array([self._compute_ratio(i) for i in counts.tolist()])
        present = np.flatnonzero(np.bincount(counts - minimum))
        table = np.zeros(int(present[-1]) + 1)
        table[present] = [self._compute_ratio(i) for i in (present + minimum).tolist()]
        return table[counts - minimum]

    def _is_below_density(self, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return the mask of v below the probability of k relative to that of the mode."""
        away = np.abs(k - self.mode)
        half_width = (away / self.variance) * ((away * (away / 3.0 + 0.625) + 0.1666666666666) / self.variance + 0.5)
        # R squares a 32-bit integer, which overflows beyond 46340
        square = (away.astype(np.int64) ** 2).astype(np.int32).astype(np.float64)
        normal = -square / (2.0 * self.variance)
        height = log(v)
        accepted = height < normal - half_width
        unsure = np.flatnonzero(~accepted & (height <= normal + half_width))
        if unsure.size:
            accepted[unsure] = height[unsure] <= self._compute_log_ratio(k[unsure])
        return accepted

    def _compute_log_ratio(self, k: np.ndarray) -> np.ndarray:
        f1 = self.mode + 1.0
        z = self.size + 1.0 - self.mode
        x1 = k + 1.0
        w = self.size - k + 1.0
        return (
            self.middle * log(f1 / x1)
            + (self.size - self.mode + 0.5) * log(z / w)
            + (k - self.mode) * log(w * self.p / (x1 * self.q))
            + _compute_stirling_term(f1)
            + _compute_stirling_term(z)
            + _compute_stirling_term(x1)
            + _compute_stirling_term(w)
        )


def _compute_stirling_term(x: np.ndarray | float) -> np.ndarray | float:
    """Return the correction of Stirling's formula."""
    square = x * x
    return (13860.0 - (462.0 - (132.0 - (99.0 - 140.0 / square) / square) / square) / square) / x / 166320.0


# cached because computing the constants takes longer than drawing a variable
@lru_cache(maxsize=32)
def get_binomial_distribution(size: int, prob: float) -> Inversion | Btpe:
    """Return the distribution for a size of at least 1 and a probability strictly between 0 and 1."""
    if size * min(prob, 1.0 - prob) < INVERSION_BELOW:
        return Inversion(size, prob)
    return Btpe(size, prob)
