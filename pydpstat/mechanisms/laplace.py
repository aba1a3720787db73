"""Laplace noise: distribution, calibration, exact privacy curve, and the cost of redrawing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, overload

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat._grid import round_up_quotient
from pydpstat._search import minimize_unimodal
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import ContinuousNoise, Floats, check_positive_values, to_scalar
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy._curves import check_curve_epsilon, compute_laplace_delta, round_up_delta
from pydpstat.privacy.losses import LaplaceLoss
from pydpstat.r_arithmetic.elementary import Numbers, exp, log

if TYPE_CHECKING:
    from pydpstat.random import Source

# substitute for an infinite epsilon (without noise): a number above all floats
_INFINITE_EPSILON = Fraction(2**1100)
_SENSITIVITY_HINT = "Give the largest L1 change that one record can make."


@dataclass(frozen=True, eq=False)
class LaplaceNoise(ContinuousNoise):
    """The Laplace distribution around 0 with a given scale.

    Its density is ``exp(-|x| / scale) / (2 * scale)``.

    Parameters
    ----------
    scale : float or array_like
        Above 0 and finite, in the units of the statistic. An array has one scale per coordinate.

    Raises
    ------
    PydpstatError
        If a scale is not above 0, or not finite.

    See Also
    --------
    Laplace : the mechanism that calibrates it.

    Notes
    -----
    Added to a statistic with L1 sensitivity ``sensitivity`` it is
    ``(sensitivity / scale, 0)``-differentially private for real numbers, before rounding.

    References
    ----------
    Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to sensitivity in
    private data analysis. TCC 2006, Proposition 1.

    Examples
    --------
    >>> noise = LaplaceNoise(2.0)
    >>> noise.std()
    2.8284271247461903
    >>> noise.cdf(0.0)
    0.5
    >>> noise.epsilon(sensitivity=1.0)
    0.5
    """

    scale: Numbers
    name: ClassVar[str] = "Laplace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", check_positive_values(self.scale, "scale", "Use sensitivity / epsilon."))

    @property
    def _scale(self) -> Numbers:
        return self.scale

    @staticmethod
    def _compute_density(z: Floats) -> Floats:
        return 0.5 * exp(-np.abs(z))

    @staticmethod
    def _compute_lower_tail(z: Floats) -> Floats:
        tail = 0.5 * exp(-np.abs(z))
        return np.where(z < 0.0, tail, 1.0 - tail)

    @staticmethod
    def _compute_quantile(p: Floats, complement: Floats) -> Floats:
        return np.where(p < 0.5, log(2.0 * p), -log(2.0 * complement))

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw noise for `size` elements, in grid units if a grid is given."""
        return source.laplace(size, self.scale, grid)

    def covering(self, sensitivity: float, epsilon: float) -> LaplaceNoise:
        """Return noise with a scale enlarged to cover rounding errors of a calibration in R's arithmetic."""
        if epsilon == math.inf:
            return self
        if isinstance(self.scale, float):
            min_scale = scale_for(sensitivity, epsilon)
            if abs(min_scale - self.scale) <= 2.0**-50 * min_scale:
                return self if min_scale <= self.scale else LaplaceNoise(min_scale)
        # the rounding errors of the sum, the shares and the division are below 2^-50 in total
        return LaplaceNoise(np.nextafter(self.scale * (1.0 + 2.0**-50), math.inf))

    def std(self) -> Numbers:
        """Return the standard deviation, ``sqrt(2) * scale``."""
        return math.sqrt(2.0) * self.scale

    def var(self) -> Numbers:
        """Return the variance, ``2 * scale**2``."""
        return 2.0 * self.scale * self.scale

    def epsilon(self, sensitivity: float) -> Numbers:
        """Return the pure epsilon for a statistic of this L1 sensitivity, rounded up; infinite without noise.

        With several scales there is one epsilon for each, as if each coordinate were released alone.
        """
        change = checks.check_positive(sensitivity, "sensitivity", _SENSITIVITY_HINT)
        each = np.vectorize(lambda scale: scale_for(change, scale) if scale else math.inf, otypes=[np.float64])
        return to_scalar(each(self.scale))

    def delta(self, epsilon: npt.ArrayLike, sensitivity: float) -> Numbers:
        """Return the smallest delta at each epsilon: the exact privacy curve.

        Parameters
        ----------
        epsilon : float or array_like
            At least 0.
        sensitivity : float
            Largest change that one record can make to the statistic, which is one number.

        Returns
        -------
        float or ndarray
            ``1 - exp((epsilon - sensitivity / scale) / 2)``, and 0 from ``sensitivity / scale`` on.

        Raises
        ------
        PydpstatError
            If an epsilon is negative or NaN, the sensitivity is not above 0, or the noise has several scales.

        References
        ----------
        Balle, B., Barthe, G. and Gaboardi, M. (2018). NeurIPS 2018, Theorem 3.

        Examples
        --------
        >>> round(LaplaceNoise(1.0).delta(0.5, sensitivity=1.0), 6)
        0.221199
        """
        if np.ndim(self.scale):
            raise PydpstatError(
                f"scale must be one number for a privacy curve; got {np.size(self.scale)} scales. "
                "Ask the noise of each coordinate and compose them."
            )
        eps = check_curve_epsilon(epsilon)
        change = checks.check_positive(sensitivity, "sensitivity", _SENSITIVITY_HINT)
        pure = Fraction(change) / Fraction(float(self.scale)) if self.scale else _INFINITE_EPSILON
        return to_scalar(np.vectorize(lambda each: compute_laplace_delta(each, pure), otypes=[np.float64])(eps))


class Laplace(Mechanism):
    """The Laplace mechanism: noise in proportion to the L1 sensitivity.

    See Also
    --------
    Geometric : integer noise.
    Cube : noise for vectors.
    Staircase : the least mean absolute noise for one number.

    Notes
    -----
    Each of d numbers with different sensitivities gets epsilon / d, as ``sum(s_j / scale_j)`` is then
    epsilon. Scales are rounded up.

    References
    ----------
    Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to sensitivity in
    private data analysis. TCC 2006, Proposition 1.

    Examples
    --------
    >>> Laplace().calibrate(0.5, 0.0, 1.0)
    LaplaceNoise(scale=2.0)
    """

    name = "laplace"
    joint = True

    def calibrate(self, epsilon: float, delta: float, sensitivity: float) -> LaplaceNoise:
        """Return noise whose scale is the smallest float that is at least sensitivity / epsilon."""
        return LaplaceNoise(_calibrate_scale(sensitivity, epsilon, 1))

    def calibrate_each(self, epsilon: float, delta: float, sensitivities: Sequence[float]) -> LaplaceNoise:
        """Return noise with a scale for each number."""
        scales = [_calibrate_scale(sensitivity, epsilon, len(sensitivities)) for sensitivity in sensitivities]
        return LaplaceNoise(np.array(scales))

    def loss(self, noise: LaplaceNoise, epsilon: float, sensitivities: Sequence[float]) -> LaplaceLoss:
        """Return the exact privacy loss."""
        return LaplaceLoss(epsilon)


def _calibrate_scale(sensitivity: float, epsilon: float, parts: int) -> float:
    """Return the smallest float that is at least parts * sensitivity / epsilon."""
    scale = parts * sensitivity / epsilon
    if scale == math.inf or scale == 0.0:
        raise PydpstatError(
            f"epsilon must suit the bounds; got {epsilon!r}, for which the noise scale is not "
            "representable in floating point. Rescale the data."
        )
    return scale_for(sensitivity if parts == 1 else parts * Fraction(sensitivity), epsilon)


@overload
def calibrate_laplace(epsilon: float, sensitivity: float) -> float: ...


@overload
def calibrate_laplace(epsilon: npt.ArrayLike, sensitivity: npt.ArrayLike) -> Numbers: ...


@explain_wrong_calls
def calibrate_laplace(epsilon: npt.ArrayLike, sensitivity: npt.ArrayLike) -> Numbers:
    """Return the scale of Laplace noise for `epsilon`.

    Parameters
    ----------
    epsilon : float or array_like
        Privacy parameter; positive and finite.
    sensitivity : float or array_like
        Largest L1 change that one record can make, above 0 and finite.

    Returns
    -------
    float or ndarray
        ``sensitivity / epsilon``, rounded up (see `scale_for`).

    Raises
    ------
    PydpstatError
        If an argument is not above 0 or not finite, or the scale is not a positive finite number.

    See Also
    --------
    Laplace : the mechanism.

    Notes
    -----
    The release is (epsilon, 0)-differentially private for real numbers.

    References
    ----------
    Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to sensitivity in
    private data analysis. TCC 2006, Proposition 1.

    Examples
    --------
    >>> calibrate_laplace(0.5, 1.0)
    2.0
    """
    eps = check_positive_values(epsilon, "epsilon", "Give for example 1.")
    change = check_positive_values(sensitivity, "sensitivity", _SENSITIVITY_HINT)
    scale = to_scalar(np.vectorize(scale_for, otypes=[np.float64])(change, eps))
    return check_positive_values(scale, "sensitivity / epsilon", "Choose an epsilon nearer to the sensitivity.")


@explain_wrong_calls
def scale_for(sensitivity: float | Fraction, epsilon: float | Fraction) -> float:
    """Return the smallest float that is at least ``sensitivity / epsilon``.

    Parameters
    ----------
    sensitivity : float or Fraction
        Largest L1 change that one record can make; above 0.
    epsilon : float or Fraction
        Privacy parameter; positive and finite.

    Returns
    -------
    float
        Infinite if the quotient exceeds the largest float.

    See Also
    --------
    LaplaceNoise : noise of this scale.

    Examples
    --------
    >>> scale_for(1.0, 0.5), scale_for(1.0, 3.0) > 1.0 / 3.0
    (2.0, True)
    """
    if sensitivity == math.inf:
        return math.inf
    top, bottom = sensitivity.as_integer_ratio()
    upper, lower = epsilon.as_integer_ratio()
    return round_up_quotient(top * lower, bottom * upper)


@explain_wrong_calls
def truncated_positive_epsilon(epsilon: float) -> float:
    """Return the true epsilon of Laplace noise redrawn for a positive result.

    Parameters
    ----------
    epsilon : float
        Privacy parameter; positive and finite. The noise scale claims it: ``sensitivity / scale``.

    Returns
    -------
    float
        ``epsilon + log(2 - exp(-epsilon))``, rounded up: at most twice the claim, and at most log 2 above it.

    Raises
    ------
    PydpstatError
        If `epsilon` is not above 0 or not finite.

    See Also
    --------
    truncated_positive_delta : the delta.

    Notes
    -----
    For a true value v >= 0 (in units of the sensitivity) the result has the Laplace density around
    v divided by ``Z(v) = P(v + noise > 0) = 1 - exp(-v * epsilon) / 2``. The densities of v and
    v + 1 at a small y differ by ``exp(epsilon) * Z(v + 1) / Z(v)``, which is largest at v = 0, where
    Z(0) = 1/2 and Z(1) = 1 - exp(-epsilon) / 2: the factor is ``exp(epsilon) * (2 - exp(-epsilon))``.

    References
    ----------
    Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy, Definition
    3.3 (the untruncated mechanism); the factor is derived above.

    Examples
    --------
    >>> round(truncated_positive_epsilon(1.0), 4)
    1.4899
    """
    eps = checks.check_positive(epsilon, "epsilon", "Give for example 1.")
    return math.nextafter((eps + math.log1p(-math.expm1(-eps))) * (1.0 + 2.0**-49), math.inf)


@explain_wrong_calls
def truncated_positive_delta(epsilon: float) -> float:
    """Return the delta of Laplace noise redrawn for a positive result.

    Parameters
    ----------
    epsilon : float
        Privacy parameter; positive and finite. The noise scale claims it: ``sensitivity / scale``.

    Returns
    -------
    float
        The supremum of delta over all pairs of true values v and v + 1 with v >= 0, rounded up.

    Raises
    ------
    PydpstatError
        If `epsilon` is not above 0 or not finite.

    See Also
    --------
    truncated_positive_epsilon : the epsilon.

    Notes
    -----
    With Z(v) as in `truncated_positive_epsilon`, Z = Z(v) and Z' = Z(v + 1), integrating the excess
    of the density of v over ``exp(epsilon)`` times that of v + 1 gives, below v and above v,
    ``(1 - exp(-v * epsilon)) * (1/Z - 1/Z') / 2 + (1 - sqrt(Z/Z'))**2 / (2 * Z)``.

    References
    ----------
    Dwork, C. and Roth, A. (2014), Lemma 3.17 (delta as the excess probability); the curve is derived above.

    Examples
    --------
    >>> round(truncated_positive_delta(1.0), 4)
    0.0729
    """
    eps = checks.check_positive(epsilon, "epsilon", "Give for example 1.")
    # in terms of x = exp(-v epsilon) in (0, 1]; differences are formed before rounding
    share = -0.5 * math.expm1(-eps)

    def compute_negative_delta(x: float) -> float:
        z, gap = 1.0 - 0.5 * x, share * x
        far = z + gap
        near = gap / (far + math.sqrt(z * far))
        return -(0.5 * (1.0 - x) * gap / (z * far) + 0.5 * near * near / z)

    # 40 sections leave a bracket of 4e-9, over which a smooth peak is flat to rounding
    return round_up_delta(-minimize_unimodal(compute_negative_delta, 0.0, 1.0, 40, leftmost=True)[1])
