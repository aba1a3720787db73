"""Discrete Gaussian noise on the integers: distribution, exact privacy curve, calibration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._grid import round_up_to_float
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import get_tail_probabilities, to_scalar
from pydpstat.mechanisms.gaussian_calibration import calibrate_gaussian
from pydpstat.mechanisms.mechanism import Mechanism, Noise
from pydpstat.privacy._curves import SMALLEST_DELTA, check_curve_epsilon, find_largest_rho
from pydpstat.privacy._discrete_gaussian import (
    compute_discrete_delta,
    compute_total_weight,
    compute_upper_sum,
    compute_variance,
)
from pydpstat.privacy.losses import ConcentratedLoss, DiscreteGaussianLoss
from pydpstat.r_arithmetic.elementary import Numbers, exp

if TYPE_CHECKING:
    from pydpstat.random import Source

_SD_HINT = "Use calibrate_discrete_gaussian(epsilon, delta, sensitivity)."
# relative; far above the curve's rounding error (below 1e-13), so that the exact delta is at most the given one
SAFETY_MARGIN = 1e-12
# largest relative distance from the smallest possible standard deviation
_SD_TOLERANCE = 5e-10
# largest unused share of delta, which matters if the curve is steep
_MAX_UNUSED_DELTA = 5e-4
_MAX_ITERATIONS = 200
# largest number of changed counts for which the exact distribution is known
_MAX_EXACT_CELLS = 2


@dataclass(frozen=True, eq=False)
class DiscreteGaussianNoise(Noise):
    """Integer noise with ``P(k)`` proportional to ``exp(-k**2 / (2 * sd**2))``.

    Parameters
    ----------
    sd : float
        Parameter of the distribution, above 0 and finite. It exceeds the standard deviation, by a negligible
        amount from 1 on.

    Raises
    ------
    PydpstatError
        If `sd` is not above 0 or not finite.

    See Also
    --------
    DiscreteGaussian : the mechanism that calibrates it.

    Notes
    -----
    Added to an integer with that sensitivity it is ``(epsilon, noise.delta(epsilon, sensitivity))``
    -differentially private for every epsilon, exactly.

    References
    ----------
    Canonne, C. L., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020.

    Examples
    --------
    >>> noise = DiscreteGaussianNoise(2.0)
    >>> round(noise.pmf(0), 6), round(noise.std(), 6)
    (0.199471, 2.0)
    >>> noise.ppf([0.025, 0.975])
    array([-4.,  4.])
    """

    sd: float
    name: ClassVar[str] = "discrete Gaussian"
    integer: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "sd", checks.check_positive(self.sd, "sd", _SD_HINT))

    def pmf(self, k: npt.ArrayLike) -> Numbers:
        """Return the probability of `k`, which is 0 if `k` is not an integer."""
        x = np.asarray(k, dtype=np.float64)
        with np.errstate(all="ignore"):
            z = x / self.sd
            mass = exp(-0.5 * z * z) / compute_total_weight(self.sd)
            is_integer = np.isfinite(x) & (x == np.floor(x))
        return to_scalar(np.where(np.isnan(x), np.nan, np.where(is_integer, mass, 0.0)))

    def cdf(self, k: npt.ArrayLike) -> Numbers:
        """Return the probability of at most `k`."""
        x = np.floor(np.asarray(k, dtype=np.float64))
        total = compute_total_weight(self.sd)

        def compute_cdf(each: float) -> float:
            if math.isnan(each):
                return math.nan
            if each < 0.0:
                return compute_upper_sum(-each, self.sd) / total
            return 1.0 - compute_upper_sum(each + 1.0, self.sd) / total

        return to_scalar(np.vectorize(compute_cdf, otypes=[np.float64])(x))

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Return the smallest integer with a distribution function of at least `q`, as a float.

        Minus infinity at 0 and infinity at 1, the ends of the support; NaN outside [0, 1].
        """
        from scipy.special import ndtri

        p, complement = get_tail_probabilities(q)
        with np.errstate(invalid="ignore"):
            k = np.floor(np.where(p < 0.5, ndtri(p), -ndtri(complement)) * self.sd + 0.5)
            is_infinite = ~np.isfinite(k)
            k = np.where(is_infinite, 0.0, k)
            # the continuous quantile is a close start, except for small sd
            while np.any(is_low := ~is_infinite & (self.cdf(k) < p)):
                k = np.where(is_low, k + 1.0, k)
            while np.any(is_high := ~is_infinite & (self.cdf(k - 1.0) >= p)):
                k = np.where(is_high, k - 1.0, k)
        k = np.where(p == 0.0, -np.inf, np.where(p == 1.0, np.inf, k))
        return to_scalar(np.where(np.isnan(p), np.nan, k) + 0.0)

    @property
    def scale(self) -> float:  # type: ignore[override]
        """The parameter sigma."""
        return self.sd

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw noise for `size` elements."""
        return source.discrete_gaussian(size, self.sd)

    def var(self) -> float:
        """Return the variance, at most ``sd**2``."""
        return compute_variance(self.sd)

    def std(self) -> float:
        """Return the standard deviation."""
        return math.sqrt(self.var())

    def delta(self, epsilon: npt.ArrayLike, sensitivity: int = 1, cells: int = 1) -> Numbers:
        """Return the smallest delta at each epsilon: the exact privacy curve.

        Parameters
        ----------
        epsilon : float or array_like
            At least 0.
        sensitivity : int, default 1
            Largest change that one record can make to a count.
        cells : {1, 2}, default 1
            Number of counts that change by it at the same time, each with its own noise: 2 for a
            table of disjoint cells if a record is replaced.

        Returns
        -------
        float or ndarray

        Raises
        ------
        PydpstatError
            If an epsilon is negative or NaN, the sensitivity is not an integer above 0, or `cells`
            is neither 1 nor 2.

        Notes
        -----
        The privacy loss of the noise y for a shift s is ``(2 y s + s^2) / (2 sd^2)``, so that delta is
        the sum of ``P(y) (1 - exp(-(y - m) s / sd^2))`` over y > m = epsilon sd^2 / s - s / 2, whose
        terms are all positive. Two cells have the loss of the sum of two noises, whose distribution is known.

        References
        ----------
        Canonne, C. L., Kamath, G. and Steinke, T. (2020). NeurIPS 2020, Theorem 7.

        Examples
        --------
        >>> round(DiscreteGaussianNoise(4.224678889327).delta(1.0) * 1e6, 4)
        1.0197
        """
        eps, shift = check_curve_epsilon(epsilon), _check_integer_sensitivity(sensitivity, "sensitivity")
        if cells not in (1, 2):
            raise PydpstatError(
                f"cells must be 1 or 2, the number of counts that change; got {checks.describe_value(cells)}."
            )
        return to_scalar(
            np.vectorize(lambda each: compute_discrete_delta(each, self.sd, shift, cells), otypes=[np.float64])(eps)
        )


@explain_wrong_calls
def calibrate_discrete_gaussian(epsilon: float, delta: float, sensitivity: int = 1, cells: int = 1) -> float:
    """Return the parameter of discrete Gaussian noise for (epsilon, delta).

    Parameters
    ----------
    epsilon : float
        Privacy parameter; positive and finite.
    delta : float
        Privacy parameter; above 0 and below 1.
    sensitivity : int, default 1
        Largest change that one record can make to a count.
    cells : {1, 2}, default 1
        Number of counts that change by it at the same time, each with its own noise.

    Returns
    -------
    float
        The smallest parameter with the guarantee, at most 1e-9 of it above it and never below.

    Raises
    ------
    PydpstatError
        If an argument is outside its range.

    See Also
    --------
    DiscreteGaussian : the mechanism.
    pydpstat.calibrate_gaussian : continuous noise.

    Notes
    -----
    The release is (epsilon, delta)-differentially private, exactly: the noise's own curve is used.

    References
    ----------
    Canonne, C. L., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020, Theorem 7.

    Examples
    --------
    >>> round(calibrate_discrete_gaussian(1.0, 1e-6), 6)
    4.230779
    """
    shift = _check_integer_sensitivity(sensitivity, "sensitivity")
    if cells not in (1, 2):
        raise PydpstatError(
            f"cells must be 1 or 2, the number of counts that change; got {checks.describe_value(cells)}."
        )
    start = float(calibrate_gaussian(epsilon, delta, shift * math.sqrt(cells)))
    eps, goal = (
        float(checks.unwrap_scalar(epsilon)),
        math.log(float(checks.unwrap_scalar(delta))) - SAFETY_MARGIN,
    )

    def compute_excess(sd: float) -> float:
        exact_delta = compute_discrete_delta(eps, sd, shift, cells)
        return math.log(exact_delta) - goal if exact_delta > SMALLEST_DELTA else -math.inf

    return _solve_smallest_sd(compute_excess, start)


class DiscreteGaussian(Mechanism):
    """The discrete Gaussian mechanism, for counts.

    The noise is integer, in proportion to the L2 sensitivity.

    The square of the sensitivity is the number of counts that one record changes by 1.

    See Also
    --------
    Gaussian : noise for real numbers.
    Geometric : pure differential privacy.

    References
    ----------
    Canonne, C. L., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020.

    Examples
    --------
    >>> round(DiscreteGaussian().calibrate(1.0, 1e-6, 1.0).sd, 6)
    4.230779
    """

    name, norm, approximate, integer = "gaussian", 2, True, True
    joint = True

    def calibrate(self, epsilon: float, delta: float, sensitivity: float) -> DiscreteGaussianNoise:
        """Return noise for (epsilon, delta), by the exact privacy curve for one or two counts."""
        return DiscreteGaussianNoise(_calibrate_for_cells(epsilon, delta, _get_n_changed_counts(sensitivity)))

    def loss(
        self, noise: DiscreteGaussianNoise, epsilon: float, sensitivities: Sequence[float]
    ) -> DiscreteGaussianLoss | ConcentratedLoss:
        """Return the exact privacy loss for one or two counts, and concentrated privacy for more."""
        cells = _get_n_changed_counts(float(sensitivities[0]))
        if cells <= _MAX_EXACT_CELLS:
            return DiscreteGaussianLoss(noise.sd, 1, cells)
        return ConcentratedLoss(round_up_to_float(cells / (2 * Fraction(noise.sd) ** 2)))


@lru_cache(maxsize=256)
def _calibrate_for_cells(epsilon: float, delta: float, cells: int) -> float:
    if cells <= _MAX_EXACT_CELLS:
        return calibrate_discrete_gaussian(epsilon, delta, 1, cells)
    # for more counts only the concentrated privacy is known: rho = cells / (2 sd^2)
    rho = find_largest_rho(epsilon, delta)
    if not rho > 0.0:
        raise PydpstatError(
            "epsilon and delta must lead to a finite standard deviation; got epsilon "
            f"{checks.describe_value(epsilon)}, delta {checks.describe_value(delta)}. Use a smaller epsilon."
        )
    return math.sqrt(cells / (2.0 * rho)) * (1.0 + SAFETY_MARGIN)


def _get_n_changed_counts(sensitivity: float) -> int:
    """Return the number of counts that one record changes by 1, from their L2 sensitivity."""
    return round(sensitivity * sensitivity)


def _solve_smallest_sd(excess: Callable[[float], float], start: float) -> float:
    """Return the smallest sd whose excess is at most 0, for an excess that decreases near its root."""
    low, high = 0.0, math.inf
    x, value = start, excess(start)
    # a small step yields the slope; secants then converge fast because the logarithms are smooth
    previous, previous_value = start * (1.0 + 1e-7), excess(start * (1.0 + 1e-7))
    for turn in range(_MAX_ITERATIONS):
        for point, excess_value in ((x, value), (previous, previous_value)):
            low, high = (max(low, point), high) if excess_value > 0.0 else (low, min(high, point))
        if low > 0.0 and _is_close_bracket(low, high, excess):
            return high
        slope = (previous_value - value) / math.log(previous / x) if x != previous else 0.0
        guess = x * math.exp(min(-value / slope, 1.0)) if -math.inf < slope < 0.0 else math.nan
        # from below and from above in turn, so that the bracket closes from both sides
        guess *= 1.0 + (0.3 if turn % 2 else -0.3) * _SD_TOLERANCE
        if not low < guess < high or turn % 8 == 7:
            guess = _bisect_bracket(low, high)
        previous, previous_value = x, value
        x, value = guess, excess(guess)
    return high


def _is_close_bracket(low: float, high: float, excess: Callable[[float], float]) -> bool:
    """Return whether the upper end is close enough to the root, in sd and in the unused share of delta."""
    if high > low * (1.0 + _SD_TOLERANCE):
        return False
    return high <= math.nextafter(low, math.inf) or excess(high) > -_MAX_UNUSED_DELTA


def _bisect_bracket(low: float, high: float) -> float:
    if low == 0.0:
        return high / 2.0
    return 2.0 * low if high == math.inf else low + (high - low) / 2.0


def _check_integer_sensitivity(value: object, name: str) -> int:
    number = checks.check_positive(value, name, "Give the largest change of a count, for example 1.")
    if not number.is_integer():
        raise PydpstatError(
            f"{name} must be a whole number; got {checks.describe_value(value)}. Give a count's change."
        )
    return int(number)
