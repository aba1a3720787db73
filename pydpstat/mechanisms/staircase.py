"""Staircase noise, which for the same epsilon is less than Laplace noise if epsilon is large."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat.mechanisms._noise import to_scalar
from pydpstat.mechanisms.mechanism import Mechanism, Noise
from pydpstat.r_arithmetic.elementary import Floats, Numbers, exp, log
from pydpstat.random.secure import choose

if TYPE_CHECKING:
    from pydpstat.random import Source

# periods, positions within them, and the mask of accepted candidates
_Candidates = tuple[np.ndarray, np.ndarray, npt.NDArray[np.bool_]]
# below this limit, doubles represent every integer and the sum of two of them
_EXACT_INTEGER_LIMIT = 2.0**52
# from this epsilon on, choosing a step is faster than drawing from whole periods, of which 1 in 400 is accepted
_RARE_EPSILON = 12.0


@dataclass(frozen=True, eq=False)
class StaircaseNoise(Noise):
    """Noise with a density that decreases by exp(-epsilon) at each step.

    Parameters
    ----------
    epsilon : float
        Privacy parameter; positive and finite.
    sensitivity : float
        The steps' period, in the unit of the statistic: the largest change by one record; above 0.

    Raises
    ------
    PydpstatError
        If a parameter is not above 0 or not finite.

    See Also
    --------
    Staircase : the mechanism that calibrates it.

    Notes
    -----
    The density at x is proportional to ``exp(-epsilon * k)`` with k the number of steps that end at
    or before ``|x|``; they end at ``(j + share) * sensitivity`` for j = 0, 1, 2, ... The share with
    the least mean absolute noise is ``1 / (1 + exp(epsilon / 2))``.

    From the operating system it is drawn on a grid, exactly: the period is an integer K of grid units
    (rounded up) and the share an integer k of them (at least 1). The magnitude m has
    ``P(m) ~ exp(-epsilon * (m // K + (m % K >= k)))`` and a random sign; a negative 0 is
    redrawn. A shift by at most K units changes the exponent by at most one step, so the ratio of two
    probabilities is at most exp(epsilon).

    References
    ----------
    Geng, Q., Kairouz, P., Oh, S. and Viswanath, P. (2015). The staircase mechanism in differential
    privacy. IEEE Journal of Selected Topics in Signal Processing 9, 1176-1184.

    Examples
    --------
    >>> noise = StaircaseNoise(5.0, 1.0)
    >>> round(noise.std(), 4), round(noise.cdf(0.0), 4)
    (0.1924, 0.5)
    """

    epsilon: float
    sensitivity: float
    name: ClassVar[str] = "staircase"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.check_epsilon(self.epsilon))
        object.__setattr__(self, "sensitivity", checks.check_positive(self.sensitivity, "sensitivity"))

    @property
    def scale(self) -> float:  # type: ignore[override]
        """The sensitivity divided by epsilon."""
        return self.sensitivity / self.epsilon

    @property
    def share(self) -> float:
        """Share of a period with the higher density: ``1 / (1 + exp(epsilon / 2))``."""
        return 1.0 / (1.0 + math.exp(min(0.5 * self.epsilon, 700.0)))

    def var(self) -> float:
        """Return the variance."""
        # |x| / sensitivity = k + t, with k geometric with ratio b, and t uniform on two parts
        b, share = exp(-self.epsilon), self.share
        high = share + b * (1.0 - share)
        mean = (0.5 * share**2 + b * 0.5 * (1.0 - share**2)) / high
        square = (share**3 / 3.0 + b * (1.0 - share**3) / 3.0) / high
        steps, squares = b / (1.0 - b), b * (1.0 + b) / (1.0 - b) ** 2
        return self.sensitivity**2 * (squares + 2.0 * steps * mean + square)

    def std(self) -> float:
        """Return the standard deviation."""
        return math.sqrt(self.var())

    def cdf(self, x: npt.ArrayLike) -> Numbers:
        """Return the probability of at most `x`."""
        values = np.asarray(x, dtype=np.float64)
        tail = 0.5 * self._compute_tail(np.abs(values) / self.sensitivity)
        return to_scalar(np.where(values < 0.0, tail, 1.0 - tail))

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Return the quantile of the probability `q`; NaN outside [0, 1]."""
        p = np.asarray(q, dtype=np.float64)
        with np.errstate(all="ignore"):
            outer = 2.0 * np.minimum(p, 1.0 - p)
            sizes = self._invert_tail(np.where((outer >= 0.0) & (outer <= 1.0), outer, np.nan))
        return to_scalar(np.where(p < 0.5, -sizes, sizes) * self.sensitivity + 0.0)

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw noise: on the grid, exactly, or as real numbers from a seeded source."""
        if grid is None:
            return np.asarray(self.ppf(source.uniform(size)))
        period = math.ceil(self.sensitivity / grid)
        step = max(1, round(self.share * period))
        candidates = self._draw_common_candidates if self.epsilon < _RARE_EPSILON else self._draw_rare_candidates
        return _collect_accepted(
            size, lambda count: _apply_signs(source, candidates(source, count, period, step), period)
        )

    def _draw_common_candidates(self, source: Source, count: int, period: int, step: int) -> _Candidates:
        """Draw periods, positions and acceptance: always in the higher part, else with probability exp(-epsilon)."""
        within = source.integers(count, period)
        lower = np.flatnonzero(within >= step)
        accepted = np.ones(count, dtype=np.bool_)
        accepted[lower] = source.bernoulli_exp(np.full(lower.size, self.epsilon))
        return np.abs(source.sign_geometric(count, self.epsilon)), within, accepted

    def _draw_rare_candidates(self, source: Source, count: int, period: int, step: int) -> _Candidates:
        """Draw the same if few would be accepted: first whether a value lies in the middle step.

        With b = exp(-epsilon) the middle step has the weight `step`. Each further level of density, the higher part of
        one period with the lower part of the one before, has the weight `period` times a power of b: in total period b
        / (1 - b). The choice has the weights step and period b, and values in the middle step are accepted with
        probability 1 - b.
        """
        choices = [choose([0.0, -1.0], self.epsilon, [step, period]) == 1 for _ in range(count)]
        out = np.array(choices, dtype=np.bool_)
        accepted = out | ~source.bernoulli_exp(np.full(count, self.epsilon))
        within = np.where(out, source.integers(count, period), source.integers(count, step))
        level = np.abs(source.sign_geometric(count, self.epsilon))
        return np.where(out & (within < step), level + 1, np.where(out, level, 0)), within, accepted

    def _compute_tail(self, t: Floats) -> Floats:
        """Return the probability that |x| exceeds t periods."""
        b, share = exp(-self.epsilon), self.share
        period_mass = share + b * (1.0 - share)
        with np.errstate(under="ignore", invalid="ignore"):
            k = np.floor(t)
            fraction = t - k
            period_tail = np.where(fraction < share, period_mass - fraction, b * (1.0 - fraction))
            inside = (1.0 - b) * period_tail / period_mass + b
            return np.where(np.isinf(t), 0.0, exp(-self.epsilon * k) * inside)

    def _invert_tail(self, outer: Floats) -> Floats:
        """Return the number of periods that |x| exceeds with the given probability."""
        b, share = exp(-self.epsilon), self.share
        period_mass = share + b * (1.0 - share)
        k = np.maximum(np.floor(-log(outer) / self.epsilon), 0.0)
        period_tail = (outer * exp(self.epsilon * k) - b) * period_mass / (1.0 - b)
        fraction = np.where(period_tail > b * (1.0 - share), period_mass - period_tail, 1.0 - period_tail / b)
        return np.where(outer == 0.0, np.inf, k + np.clip(fraction, 0.0, 1.0))


class Staircase(Mechanism):
    """The staircase mechanism, for one number.

    Of all mechanisms with pure epsilon it has the least mean absolute noise.

    See Also
    --------
    Laplace : the usual noise.
    StaircaseNoise : its noise.

    Notes
    -----
    Two numbers that change by half a period each may both cross an edge of a step. Each element of a vector
    hence gets its share of epsilon, as divided by `Mechanism.calibrate_vector`.

    References
    ----------
    Geng, Q., Kairouz, P., Oh, S. and Viswanath, P. (2015). The staircase mechanism in differential
    privacy. IEEE Journal of Selected Topics in Signal Processing 9, 1176-1184.

    Examples
    --------
    >>> import pydpstat
    >>> from pydpstat.mechanisms import Staircase
    >>> r = pydpstat.count([True] * 40, 4.0, mechanism=Staircase())
    >>> r.mechanism, r.guarantee.epsilon
    ('staircase', 4.0)
    """

    name = "staircase"

    def calibrate(self, epsilon: float, delta: float, sensitivity: float) -> StaircaseNoise:
        """Return noise with this epsilon, whose period is the sensitivity."""
        return StaircaseNoise(epsilon, sensitivity)


def _apply_signs(source: Source, candidates: _Candidates, period: int) -> npt.NDArray[np.generic]:
    """Return the accepted values with random signs; one of the two zeros is rejected."""
    periods, within, accepted = candidates
    sizes: np.ndarray
    if periods.max(initial=0) * period < _EXACT_INTEGER_LIMIT:
        sizes = periods.astype(np.float64) * period + within
    else:
        sizes = np.array([int(n_periods) * period for n_periods in periods], dtype=object) + within
    negative = source.integers(sizes.size, 2) == 1
    return np.where(negative, -sizes, sizes)[accepted & ~(negative & (sizes == 0))]


def _collect_accepted(size: int, candidates: Callable[[int], npt.NDArray[np.generic]]) -> npt.NDArray[np.generic]:
    """Return the first `size` accepted candidates, drawing until there are enough."""
    draws = np.empty(0)
    while draws.size < size:
        draws = np.concatenate([draws, candidates(2 * (size - draws.size) + 8)])
    return draws[:size]
