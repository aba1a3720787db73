"""Confidence bounds on probabilities, and a fast forecast of them for the search."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pydpstat._search import bisect_up
from pydpstat.r_arithmetic.elementary import log


def compute_lower_bound(count: int, draws: int, alpha: float) -> float:
    """Compute Clopper and Pearson's lower bound on a probability; too high with probability at most `alpha`."""
    if count == 0:
        return 0.0
    # P(at least count | p) = I_p(count, draws - count + 1) increases in p
    return _invert_beta(float(count), float(draws - count + 1), alpha)


def compute_upper_bound(count: int, draws: int, alpha: float) -> float:
    """Compute Clopper and Pearson's upper bound on a probability; too low with probability at most `alpha`."""
    if count == draws:
        return 1.0
    # P(at most count | p) = I_{1-p}(draws - count, count + 1) decreases in p
    return 1.0 - _invert_beta(float(draws - count), float(count + 1), alpha)


def _invert_beta(a: float, b: float, alpha: float) -> float:
    """Return the largest p with I_p(a, b) <= alpha; library inverses are not reliable at large a and b."""
    from scipy.special import betainc

    return bisect_up(lambda p: bool(betainc(a, b, p) <= alpha), high=1.0)[0]


def compute_epsilon_bound(p_lower: float, q_upper: float, delta: float) -> float:
    """Return the lower bound on epsilon from an event's probabilities: P <= exp(epsilon) Q + delta."""
    if p_lower <= delta:
        return 0.0
    return max(0.0, math.log((p_lower - delta) / q_upper))


@dataclass(frozen=True)
class Forecast:
    """Forecast of the bound that an event will give on fresh draws, from its counts in the search.

    `searched` and `fresh` are the numbers of draws under the data and under the neighbor; `alpha` is the error
    probability of one bound.
    """

    searched: tuple[int, int]
    fresh: tuple[int, int]
    delta: float
    alpha: float

    def predict_both(self, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the forecasts for both directions: more likely under the data, or under the neighbor."""
        return self._predict_direction(first, second, 0), self._predict_direction(second, first, 1)

    def predict_event(self, first: float, second: float) -> tuple[float, float]:
        """Return both forecasts for one event."""
        more, less = self.predict_both(np.array([first], dtype=np.float64), np.array([second], dtype=np.float64))
        return float(more[0]), float(less[0])

    def iterate_best(
        self, first: np.ndarray, second: np.ndarray
    ) -> Iterator[tuple[tuple[int, ...], tuple[float, float]]]:
        """Yield for each direction the index of the highest forecast, and both forecasts there."""
        forecasts = self.predict_both(first, second)
        for values in forecasts:
            position = tuple(map(int, np.unravel_index(int(np.argmax(values)), values.shape)))
            yield position, (float(forecasts[0][position]), float(forecasts[1][position]))

    def _predict_direction(self, more: np.ndarray, less: np.ndarray, side: int) -> np.ndarray:
        low, _ = self._predict_limits(more, side)
        _, high = self._predict_limits(less, 1 - side)
        with np.errstate(divide="ignore"):
            return log(np.maximum(low - self.delta, 0.0)) - log(high)

    def _predict_limits(self, counts: np.ndarray, side: int) -> tuple[np.ndarray, np.ndarray]:
        # square roots of counts have standard deviation 1/2: one for the search, z for the bound
        size = self.searched[side]
        z = math.sqrt(max(0.0, -2.0 * math.log(self.alpha) - 2.5))
        half_width = 0.5 * (1.0 + z * math.sqrt(size / self.fresh[side]))
        counts = np.minimum(counts, size)
        spread = half_width * np.sqrt(1.0 - counts / size)
        low = np.maximum(np.sqrt(counts) - spread, 0.0) ** 2 / size
        return low, np.minimum((np.sqrt(counts + 0.5) + spread) ** 2 / size, 1.0)
