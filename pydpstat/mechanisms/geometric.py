"""Integer noise: the symmetric geometric distribution, and a random sign times a geometric variable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._grid import round_up_to_float
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import get_tail_probabilities, to_scalar
from pydpstat.mechanisms.mechanism import Mechanism, Noise
from pydpstat.privacy._curves import (
    check_curve_epsilon,
    compute_geometric_delta,
    find_last_exceeding,
    round_up_delta,
    to_nearest_float,
)
from pydpstat.privacy.losses import GeometricLoss
from pydpstat.r_arithmetic.elementary import Numbers, exp, log

if TYPE_CHECKING:
    from pydpstat.random import Source


# the logarithm of 2, rounded up, to 60 digits
_LOG_2 = Fraction(693147180559945309417232121458176568075500134360255254120681, 10**60)


def _check_integer_sensitivity(value: object) -> int:
    number = checks.check_positive(value, "sensitivity", "Give the largest change of the count, for example 1.")
    if not number.is_integer():
        raise PydpstatError(
            f"sensitivity must be a whole number; got {checks.describe_value(value)}. Give the change of a count."
        )
    return int(number)


@dataclass(frozen=True, eq=False)
class _IntegerNoise(Noise):
    """Symmetric noise on the integers whose tails are geometric with ratio `alpha`."""

    epsilon: float
    sensitivity: int = 1
    integer: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.check_epsilon(self.epsilon))
        object.__setattr__(self, "sensitivity", _check_integer_sensitivity(self.sensitivity))

    @property
    def alpha(self) -> float:
        """Ratio of neighboring probabilities, ``exp(-epsilon / sensitivity)``."""
        return math.exp(-self._rate)

    @property
    def _rate(self) -> float:
        return self.epsilon / self.sensitivity

    @property
    def _exact_rate(self) -> Fraction:
        return Fraction(self.epsilon) / self.sensitivity

    @property
    def _zero_probability(self) -> float:
        """Probability of 0."""
        raise NotImplementedError

    @property
    def _tail_factor(self) -> float:
        """Factor t in ``P(X >= k) = t * alpha**k`` for k >= 1."""
        raise NotImplementedError

    def pmf(self, k: npt.ArrayLike) -> Numbers:
        """Return the probability of `k`, which is 0 if `k` is not an integer."""
        x = np.abs(np.asarray(k, dtype=np.float64))
        with np.errstate(under="ignore", invalid="ignore"):
            # t alpha^k - t alpha^(k+1)
            mass = -self._tail_factor * math.expm1(-self._rate) * exp(-self._rate * x)
            is_integer = np.isfinite(x) & (x == np.floor(x))
        values = np.where(x == 0.0, self._zero_probability, np.where(is_integer, mass, 0.0))
        return to_scalar(np.where(np.isnan(x), np.nan, values))

    def cdf(self, k: npt.ArrayLike) -> Numbers:
        """Return the probability of at most `k`."""
        x = np.floor(np.asarray(k, dtype=np.float64))
        with np.errstate(under="ignore"):
            tail = self._tail_factor * exp(-self._rate * np.where(x < 0.0, -x, x + 1.0))
        return to_scalar(np.where(x < 0.0, tail, 1.0 - tail))

    def ppf(self, q: npt.ArrayLike) -> Numbers:
        """Return the smallest integer with a distribution function of at least `q`, as a float.

        Minus infinity at 0 and infinity at 1, the ends of the support; NaN outside [0, 1].
        """
        p, complement = get_tail_probabilities(q)
        center = self._tail_factor * self.alpha
        with np.errstate(divide="ignore", invalid="ignore", under="ignore", over="ignore"):
            lower = np.ceil(log(p / self._tail_factor) / self._rate)
            upper = np.ceil(-log(complement / self._tail_factor) / self._rate) - 1.0
            k = np.where(p <= center, lower, np.maximum(upper, 0.0))
            # rounding of the logarithm can cause an error of one in either direction
            k = np.where(self.cdf(k - 1.0) >= p, k - 1.0, k)
            k = np.where(self.cdf(k) < p, k + 1.0, k)
        k = np.where(p == 0.0, -np.inf, np.where(p == 1.0, np.inf, k))
        return to_scalar(np.where(np.isnan(p), np.nan, k) + 0.0)

    @property
    def scale(self) -> float:  # type: ignore[override]
        """The sensitivity divided by epsilon."""
        return self.sensitivity / self.epsilon

    def std(self) -> float:
        """Return the standard deviation."""
        # Var = 2 t (alpha + alpha**2) / (1 - alpha)**2, from the sum of (2k - 1) P(|X| >= k)
        return math.sqrt(2.0 * self._tail_factor * self.alpha * (1.0 + self.alpha)) / -math.expm1(-self._rate)

    def var(self) -> float:
        """Return the variance."""
        std = self.std()
        return std * std

    def _resolve_sensitivity(self, sensitivity: int | None) -> int:
        return self.sensitivity if sensitivity is None else _check_integer_sensitivity(sensitivity)


@dataclass(frozen=True, eq=False, repr=True)
class SymmetricGeometricNoise(_IntegerNoise):
    """Integer noise with ``P(k) = (1 - alpha) / (1 + alpha) * alpha**abs(k)``.

    It is the difference of two geometric numbers, and the integers' counterpart of Laplace noise.

    Parameters
    ----------
    epsilon : float
        Privacy parameter; positive and finite.
    sensitivity : int, default 1
        Largest L1 change that one record can make to the counts; ``alpha`` is
        ``exp(-epsilon / sensitivity)``.

    Raises
    ------
    PydpstatError
        If `epsilon` is not above 0 or not finite, or `sensitivity` is not an integer above 0.

    See Also
    --------
    Geometric : the mechanism that calibrates it.

    Notes
    -----
    Added to integers with that L1 sensitivity it is (epsilon, 0)-differentially private, exactly.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.

    Examples
    --------
    >>> noise = SymmetricGeometricNoise(1.0)
    >>> round(noise.pmf(0), 6)
    0.462117
    >>> noise.ppf([0.025, 0.975])
    array([-3.,  3.])
    >>> noise.epsilon_at(2)
    2.0
    """

    name: ClassVar[str] = "symmetric geometric"

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw noise for `size` elements."""
        return source.symmetric_geometric(size, self._exact_rate)

    @property
    def _zero_probability(self) -> float:
        return math.tanh(0.5 * self._rate)

    @property
    def _tail_factor(self) -> float:
        return 1.0 / (1.0 + self.alpha)

    def epsilon_at(self, sensitivity: int | None = None) -> float:
        """Return the pure epsilon for a statistic of this L1 sensitivity, rounded up.

        The default is the sensitivity of the calibration.
        """
        return round_up_to_float(self._exact_rate * self._resolve_sensitivity(sensitivity))

    def delta(self, epsilon: npt.ArrayLike, sensitivity: int | None = None) -> Numbers:
        """Return the smallest delta at each epsilon: the exact privacy curve.

        Parameters
        ----------
        epsilon : float or array_like
            At least 0.
        sensitivity : int, optional
            Largest change of the count by one record; by default that of the noise.

        Returns
        -------
        float or ndarray
            0 from ``epsilon_at(sensitivity)`` on.

        Raises
        ------
        PydpstatError
            If an epsilon is negative or NaN, or the sensitivity is not an integer above 0.

        Notes
        -----
        With x = epsilon_noise / sensitivity_noise, the privacy loss of the outcome k for a shift s
        is ``x * (s - 2k)`` on 0..s and constant outside. It exceeds epsilon up to some K >= 0, and
        delta is ``P(X <= K) - exp(epsilon) * P(X <= K - s)``.

        References
        ----------
        Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). STOC 2009 (the distribution);
        the curve is derived above.

        Examples
        --------
        >>> round(SymmetricGeometricNoise(1.0).delta(0.5), 6)
        0.287649
        """
        shift, rate = self._resolve_sensitivity(sensitivity), self._exact_rate
        curve = np.vectorize(lambda each: compute_geometric_delta(each, rate, shift), otypes=[np.float64])
        return to_scalar(curve(check_curve_epsilon(epsilon)))


@dataclass(frozen=True, eq=False, repr=True)
class SignGeometricNoise(_IntegerNoise):
    """Distribution of a random sign times a geometric number on 0, 1, 2, ...

    ``P(0) = 1 - alpha`` and ``P(k) = (1 - alpha) / 2 * alpha**abs(k)``: 0 has twice the weight that the
    tails imply, so the true epsilon is larger than claimed. This class states the true guarantee of such a
    sampler; use `SymmetricGeometricNoise` instead.

    Parameters
    ----------
    epsilon : float
        Privacy parameter; positive and finite. The noise claims it.
    sensitivity : int, default 1
        Largest change of the count by one record; ``alpha`` is ``exp(-epsilon / sensitivity)``.

    Raises
    ------
    PydpstatError
        If `epsilon` is not above 0 or not finite, or `sensitivity` is not an integer above 0.

    See Also
    --------
    SymmetricGeometricNoise : the noise of `Geometric`.

    Notes
    -----
    The release is (epsilon + log 2, 0)-differentially private, and no smaller epsilon holds: the
    outcome 0 is ``2 * exp(epsilon)`` times as probable under the shift 0 as under the full shift.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009 (the sound distribution; the loss is derived above).

    Examples
    --------
    >>> noise = SignGeometricNoise(1.0)
    >>> round(noise.epsilon_kept, 6)
    1.693147
    >>> round(noise.delta(1.0), 6)
    0.31606
    """

    name: ClassVar[str] = "sign times geometric"

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw noise for `size` elements."""
        return source.sign_geometric(size, self._exact_rate)

    @property
    def _zero_probability(self) -> float:
        return -math.expm1(-self._rate)

    @property
    def _tail_factor(self) -> float:
        return 0.5

    @property
    def epsilon_kept(self) -> float:
        """True pure epsilon, ``epsilon + log(2)``, rounded up."""
        return round_up_to_float(Fraction(self.epsilon) + _LOG_2)

    def delta(self, epsilon: npt.ArrayLike, sensitivity: int | None = None) -> Numbers:
        """Return the smallest delta at each epsilon: the exact privacy curve.

        Parameters
        ----------
        epsilon : float or array_like
            At least 0.
        sensitivity : int, optional
            Largest change of the count by one record; by default that of the noise.

        Returns
        -------
        float or ndarray
            At the claimed epsilon ``(1 - exp(-epsilon / sensitivity)) / 2``.

        Raises
        ------
        PydpstatError
            If an epsilon is negative or NaN, or the sensitivity is not an integer above 0.

        Notes
        -----
        As in `SymmetricGeometricNoise`, but from ``x * s`` to ``x * s + log 2`` the outcome 0 alone
        exceeds epsilon and contributes ``(1 - alpha) * (1 - exp(epsilon - x * s) / 2)``.

        References
        ----------
        Derived above.

        Examples
        --------
        >>> round(SignGeometricNoise(1.0).delta(1.5), 6)
        0.111025
        """
        shift = self._resolve_sensitivity(sensitivity)
        curve = np.vectorize(lambda each: self._compute_delta(each, shift), otypes=[np.float64])
        return to_scalar(curve(check_curve_epsilon(epsilon)))

    def _compute_delta(self, epsilon: float, shift: int) -> float:
        last, gap = find_last_exceeding(epsilon, shift, self._exact_rate)
        if last >= 0:
            beyond = math.expm1(-to_nearest_float(gap + last * self._exact_rate))
            return round_up_delta(-0.5 * (math.expm1(-self._rate * (last + 1.0)) + beyond))
        exponent = self._exact_rate * shift + _LOG_2 - Fraction(epsilon)
        return (
            round_up_delta(self._zero_probability * -math.expm1(-to_nearest_float(exponent))) if exponent > 0 else 0.0
        )


class Geometric(Mechanism):
    """The symmetric geometric mechanism, for counts.

    The noise is integer, in proportion to the L1 sensitivity.

    See Also
    --------
    Laplace : noise for real numbers.
    pydpstat.count : a release with it.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2009). Universally utility-maximizing privacy
    mechanisms. STOC 2009.

    Examples
    --------
    >>> Geometric().calibrate(0.5, 0.0, 2.0)
    SymmetricGeometricNoise(epsilon=0.5, sensitivity=2)
    """

    name, integer = "geometric", True
    joint = True

    def calibrate(self, epsilon: float, delta: float, sensitivity: float) -> SymmetricGeometricNoise:
        """Return noise whose log probabilities differ by at most epsilon over the distance `sensitivity`."""
        return SymmetricGeometricNoise(epsilon, int(sensitivity))

    def loss(self, noise: SymmetricGeometricNoise, epsilon: float, sensitivities: Sequence[float]) -> GeometricLoss:
        """Return the exact privacy loss."""
        return GeometricLoss(epsilon, noise.sensitivity)
