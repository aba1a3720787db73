"""Privacy losses: worst-case distinguishability of two neighbors, with the exact delta(epsilon) curve.

Each is an immutable description of the mechanism by public numbers. Curves are computed on demand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from pydpstat import _checks as checks
from pydpstat._grid import round_up_multiple, round_up_sum, round_up_to_float
from pydpstat.errors import PydpstatError
from pydpstat.privacy._curves import (
    SMALLEST_DELTA,
    check_curve_epsilon,
    compute_concentrated_delta,
    compute_geometric_delta,
    compute_laplace_delta,
    compute_log_delta,
    compute_pure_rho,
    compute_responses_delta,
)
from pydpstat.privacy._discrete_gaussian import compute_discrete_delta

# covers the rounding errors of a few products
_ROUNDING_FACTOR = 1.0 + 2.0**-50


class PrivacyLoss:
    """Base of the privacy losses.

    See Also
    --------
    Guarantee : the guarantee that has it.
    """

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta at a finite epsilon of at least 0."""
        raise NotImplementedError

    @property
    def rho(self) -> float | None:
        """The rho of zero-concentrated privacy; None if there is none."""
        raise NotImplementedError

    @property
    def without_rho(self) -> str:
        """Reason why `rho` is None, for messages."""
        return "its privacy loss is not known in more detail"

    @property
    def pure(self) -> float:
        """Pure epsilon; infinite if there is none."""
        return math.inf

    def group(self, size: int) -> PrivacyLoss | None:
        """Return the loss between data sets that differ in `size` records; None if it is unknown."""
        raise NotImplementedError

    def replaced(self) -> PrivacyLoss | None:
        """Return the loss for the replacement of a record; by default that of a group of two records."""
        return self.group(2)


class _PureLoss(PrivacyLoss):
    """Loss of noise with a pure epsilon, the field `epsilon`."""

    epsilon: float

    @property
    def rho(self) -> float:
        """The rho of a pure guarantee (see `compute_pure_rho`)."""
        return compute_pure_rho(self.epsilon)

    @property
    def pure(self) -> float:
        """Pure epsilon."""
        return self.epsilon


@dataclass(frozen=True, slots=True)
class GaussianLoss(PrivacyLoss):
    """Loss of Gaussian noise.

    Parameters
    ----------
    mu : float
        L2 sensitivity divided by the standard deviation; above 0 and finite.

    See Also
    --------
    DiscreteGaussianLoss : integer noise.

    Notes
    -----
    It is exact, also for vectors and for compositions, whose mu is ``sqrt(sum of mu**2)``.

    References
    ----------
    Balle, B. and Wang, Y.-X. (2018). ICML 2018, Theorem 8. Dong, J., Roth, A. and Su, W. J. (2022).
    Gaussian differential privacy. Journal of the Royal Statistical Society B 84, Corollary 3.3.
    Bun, M. and Steinke, T. (2016). TCC 2016-B, Proposition 1.6 (rho).

    Examples
    --------
    >>> round(GaussianLoss(1.0).delta(1.0), 6)
    0.126937
    """

    mu: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "mu", checks.check_positive(self.mu, "mu", "Give sensitivity / sd."))

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta at an epsilon, from the curve of the analytic Gaussian mechanism."""
        return max(SMALLEST_DELTA, math.nextafter(math.exp(compute_log_delta(epsilon, self.mu)), 1.0))

    @property
    def rho(self) -> float:
        """Half the square of mu, rounded up."""
        return round_up_to_float(Fraction(self.mu) ** 2 / 2)

    def group(self, size: int) -> GaussianLoss:
        """Return the loss with `size` times the sensitivity."""
        return GaussianLoss(round_up_multiple(size, self.mu))


@dataclass(frozen=True, slots=True)
class LaplaceLoss(_PureLoss):
    """Loss of Laplace noise.

    Parameters
    ----------
    epsilon : float
        L1 sensitivity divided by the scale; above 0 and finite.

    See Also
    --------
    GeometricLoss : integer noise.

    Notes
    -----
    It is exact for one number, and an upper bound for a vector of that L1 sensitivity: two coordinates
    shifted by a and b are no more informative than one that is shifted by s = a + b. In units of the scale, the
    loss of a coordinate is ``2 T - a`` where T is its value clipped to [0, a]; both sides hence have the
    same likelihood ratio, as a function of ``U = T_1 + T_2`` here and of T on [0, s] there. Without
    a shift T has the mass 1/2 at 0, the density ``exp(-t) / 2``, and the mass ``exp(-s) / 2`` at s;
    U has the masses 1/4 and ``exp(-s) / 4`` at the ends and a density of at least ``exp(-u) / 2``
    between them. The distribution functions cross once, the mean likelihood ratios are both 1, and
    so every convex function of the ratio, a delta among them, has the larger mean under T. On the
    integers the same comparison holds for geometric noise.

    References
    ----------
    Balle, B., Barthe, G. and Gaboardi, M. (2018). Privacy amplification by subsampling.
    NeurIPS 2018, Theorem 3 (one number); the vector is proven above.

    Examples
    --------
    >>> round(LaplaceLoss(1.0).delta(0.5), 6)
    0.221199
    """

    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checks.check_epsilon(self.epsilon))

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta at an epsilon; 0 from the pure epsilon on."""
        return compute_laplace_delta(float(check_curve_epsilon(epsilon)), Fraction(self.epsilon))

    def group(self, size: int) -> LaplaceLoss:
        """Return the loss with `size` times the sensitivity."""
        return LaplaceLoss(round_up_multiple(size, self.epsilon))


@dataclass(frozen=True, slots=True)
class GeometricLoss(_PureLoss):
    """Loss of symmetric geometric noise on integers.

    Parameters
    ----------
    epsilon : float
        Pure epsilon at the sensitivity; above 0 and finite.
    sensitivity : int, default 1
        L1 sensitivity.

    See Also
    --------
    LaplaceLoss : continuous noise.

    Notes
    -----
    Exact for one number; for vectors see `LaplaceLoss`.

    Examples
    --------
    >>> round(GeometricLoss(1.0).delta(0.5), 6)
    0.287649
    """

    epsilon: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        sensitivity = checks.check_positive_integer(self.sensitivity, "sensitivity")
        _set_fields(self, epsilon=checks.check_epsilon(self.epsilon), sensitivity=sensitivity)

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta at an epsilon; 0 from the pure epsilon on."""
        rate = Fraction(self.epsilon) / self.sensitivity
        return compute_geometric_delta(float(check_curve_epsilon(epsilon)), rate, self.sensitivity)

    def group(self, size: int) -> GeometricLoss:
        """Return the loss with `size` times the sensitivity."""
        return GeometricLoss(round_up_multiple(size, self.epsilon), size * self.sensitivity)


@dataclass(frozen=True, slots=True)
class DiscreteGaussianLoss(PrivacyLoss):
    """Loss of discrete Gaussian noise on integers.

    Parameters
    ----------
    sd : float
        The parameter sigma of the noise; above 0 and finite.
    sensitivity : int, default 1
        Largest change of an integer.
    cells : {1, 2}, default 1
        Number of integers that change by it at the same time.

    See Also
    --------
    GaussianLoss : continuous noise.

    References
    ----------
    Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020, Theorems 4 (rho) and 7 (the curve).

    Examples
    --------
    >>> DiscreteGaussianLoss(2.0).rho
    0.125
    """

    sd: float
    sensitivity: int = 1
    cells: int = 1

    def __post_init__(self) -> None:
        sd = checks.check_positive(self.sd, "sd", "Use calibrate_discrete_gaussian(epsilon, delta).")
        cells = checks.check_positive_integer(self.cells, "cells")
        if cells > 2:
            raise PydpstatError(f"cells must be 1 or 2; got {cells}. Use ConcentratedLoss(rho) for more.")
        _set_fields(
            self, sd=sd, sensitivity=checks.check_positive_integer(self.sensitivity, "sensitivity"), cells=cells
        )

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta at an epsilon, by an exact sum over the noise's probabilities."""
        return compute_discrete_delta(float(check_curve_epsilon(epsilon)), self.sd, self.sensitivity, self.cells)

    @property
    def rho(self) -> float:
        """Half the square of sensitivity over sd, times the number of cells; rounded up."""
        return round_up_to_float(self.cells * (self.sensitivity / Fraction(self.sd)) ** 2 / 2)

    def group(self, size: int) -> ConcentratedLoss:
        """Return the loss implied by rho, because several records may change several cells in many ways."""
        return ConcentratedLoss(round_up_multiple(size * size, self.rho))


@dataclass(frozen=True, slots=True)
class ResponseLoss(PrivacyLoss):
    """Loss of randomized responses, the worst for an epsilon and a delta.

    Parameters
    ----------
    epsilon : float
        Epsilon of each mechanism; at least 0.
    count : int, default 1
        Number of mechanisms.
    leak : float, default 0.0
        Probability that the data are revealed: ``1 - product of (1 - delta)``.

    See Also
    --------
    pydpstat.local.RandomizedResponse : a mechanism with it.

    Notes
    -----
    Every (epsilon, delta) mechanism is a randomized function of a randomized response that reveals
    the data with probability delta, so that this loss is the worst case for `count` of them.

    References
    ----------
    Kairouz, P., Oh, S. and Viswanath, P. (2017). The composition theorem for differential privacy.
    IEEE Transactions on Information Theory 63, Theorems 3.3 and 3.5.

    Examples
    --------
    >>> round(ResponseLoss(0.1, 100).delta(3.0), 6)
    0.001361
    """

    epsilon: float
    count: int = 1
    leak: float = 0.0

    def __post_init__(self) -> None:
        leak = check_nonnegative(self.leak, "leak")
        if leak > 1.0:
            raise PydpstatError(
                f"leak must be between 0 and 1; got {checks.describe_value(self.leak)}. Give 0 if nothing leaks."
            )
        count = checks.check_positive_integer(self.count, "count")
        _set_fields(self, epsilon=check_nonnegative(self.epsilon, "epsilon"), count=count, leak=leak)

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta at an epsilon."""
        value = compute_responses_delta(self.epsilon, self.count, epsilon)
        return min(1.0, round_up_sum(self.leak, (1.0 - self.leak) * value * _ROUNDING_FACTOR)) if self.leak else value

    @property
    def rho(self) -> float | None:
        """Sum of the rhos of the pure guarantees; None if there is a leak."""
        return None if self.leak else round_up_multiple(self.count, compute_pure_rho(self.epsilon))

    @property
    def pure(self) -> float:
        """Pure epsilon of all responses; infinite if there is a leak."""
        return math.inf if self.leak else round_up_multiple(self.count, self.epsilon)

    def group(self, size: int) -> ResponseLoss | None:
        """Return the loss with `size` times the epsilon; None if there is a leak."""
        return None if self.leak else ResponseLoss(round_up_multiple(size, self.epsilon), self.count)


@dataclass(frozen=True, slots=True)
class ConcentratedLoss(PrivacyLoss):
    """Loss of which only zero-concentrated privacy is known.

    Parameters
    ----------
    rho : float
        At least 0: the Renyi divergence of any order a > 1 is at most ``a * rho``.
    pure : float, default inf
        Pure epsilon that also holds.

    See Also
    --------
    GaussianLoss, DiscreteGaussianLoss : exact losses of known noise.

    References
    ----------
    Bun, M. and Steinke, T. (2016). Concentrated differential privacy: simplifications, extensions,
    and lower bounds. TCC 2016-B. Canonne, C., Kamath, G. and Steinke, T. (2020). The discrete
    Gaussian for differential privacy. NeurIPS 2020, Corollary 13 (the curve).

    Examples
    --------
    >>> ConcentratedLoss(0.5).delta(4.0) < 0.0015
    True
    """

    rho: float
    pure: float = math.inf

    def __post_init__(self) -> None:
        _set_fields(self, rho=check_nonnegative(self.rho, "rho"), pure=check_nonnegative(self.pure, "pure"))

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta implied by rho."""
        return 0.0 if epsilon >= self.pure else compute_concentrated_delta(self.rho, epsilon)

    def group(self, size: int) -> ConcentratedLoss:
        """Return the loss with the square of `size` times rho."""
        return ConcentratedLoss(round_up_multiple(size * size, self.rho), round_up_multiple(size, self.pure))


def _set_fields(loss: PrivacyLoss, **values: float) -> None:
    """Set the checked fields of a frozen loss."""
    for name, value in values.items():
        object.__setattr__(loss, name, value)


def check_nonnegative(value: object, name: str, hint: str = "A privacy loss is never negative.") -> float:
    """Check a number of at least 0."""
    number = checks.check_scalar(value, name)
    if number < 0.0:
        raise PydpstatError(f"{name} must be at least 0; got {checks.describe_value(value)}. {hint}")
    return number
