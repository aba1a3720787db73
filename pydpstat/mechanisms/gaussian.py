"""Gaussian noise: its distribution and its exact privacy curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._grid import round_up_to_float
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import ContinuousNoise, Floats, check_positive_values, to_scalar
from pydpstat.mechanisms.gaussian_calibration import calibrate_gaussian
from pydpstat.mechanisms.mechanism import Mechanism
from pydpstat.privacy._curves import check_curve_epsilon, compute_log_delta
from pydpstat.privacy.losses import GaussianLoss
from pydpstat.r_arithmetic.elementary import Numbers, exp

if TYPE_CHECKING:
    from pydpstat.random import Source

_SD_HINT = "Use calibrate_gaussian(epsilon, delta, sensitivity)."
_SENSITIVITY_HINT = "Give the largest L2 change that one record can make."


@dataclass(frozen=True, eq=False)
class GaussianNoise(ContinuousNoise):
    """Normal distribution around 0.

    Parameters
    ----------
    sd : float or array_like
        Standard deviation, above 0 and finite, in the units of the statistic. An array has one per
        coordinate.

    Raises
    ------
    PydpstatError
        If a standard deviation is not above 0, or not finite.

    See Also
    --------
    Gaussian : the mechanism that calibrates it.

    Notes
    -----
    Added to a statistic with L2 sensitivity ``sensitivity``, a number or a vector, it is
    ``(epsilon, noise.delta(epsilon, sensitivity))``-differentially private for every epsilon. This
    holds for real numbers; rounding and drawing are treated separately.

    References
    ----------
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy:
    analytical calibration and optimal denoising. ICML 2018, Theorem 8.

    Examples
    --------
    >>> noise = GaussianNoise(4.224678889327)
    >>> round(noise.ppf(0.975), 4)
    8.2802
    >>> round(noise.delta(1.0, sensitivity=1.0) * 1e6, 6)
    1.0
    """

    sd: Numbers
    name: ClassVar[str] = "Gaussian"

    def __post_init__(self) -> None:
        object.__setattr__(self, "sd", check_positive_values(self.sd, "sd", _SD_HINT))

    @property
    def _scale(self) -> Numbers:
        return self.sd

    @staticmethod
    def _compute_density(z: Floats) -> Floats:
        return exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)

    @staticmethod
    def _compute_lower_tail(z: Floats) -> Floats:
        from scipy.special import ndtr

        return ndtr(z)

    @staticmethod
    def _compute_quantile(p: Floats, complement: Floats) -> Floats:
        from scipy.special import ndtri

        # from the smaller tail, so that the quantiles are exactly symmetric
        return np.where(p < 0.5, ndtri(p), -ndtri(complement))

    @property
    def scale(self) -> Numbers:  # type: ignore[override]
        """The standard deviation."""
        return self.sd

    def draw(self, source: Source, size: int, grid: float | None) -> npt.NDArray[np.generic]:
        """Draw noise for `size` elements, in grid units if a grid is given."""
        return source.normal(size, self.sd, grid)

    def std(self) -> Numbers:
        """Return the standard deviation."""
        return self.sd

    def var(self) -> Numbers:
        """Return the variance."""
        return self.sd * self.sd

    def delta(self, epsilon: npt.ArrayLike, sensitivity: float) -> Numbers:
        """Return the smallest delta at each epsilon: the exact privacy curve.

        Parameters
        ----------
        epsilon : float or array_like
            At least 0.
        sensitivity : float
            Largest L2 change that one record can make to the statistic.

        Returns
        -------
        float or ndarray
            Rounded up, by a few units in the last place; never 0.

        Raises
        ------
        PydpstatError
            If an epsilon is negative or NaN, the sensitivity is not above 0, or the noise has
            several standard deviations.

        References
        ----------
        Balle, B. and Wang, Y.-X. (2018). ICML 2018, Theorem 8.

        Examples
        --------
        >>> round(GaussianNoise(1.0).delta(0.0, sensitivity=1.0), 6)
        0.382925
        """
        with np.errstate(under="ignore"):
            return to_scalar(np.minimum(np.nextafter(exp(self.log_delta(epsilon, sensitivity)), 2.0), 1.0))

    def log_delta(self, epsilon: npt.ArrayLike, sensitivity: float) -> Numbers:
        """Return the logarithm of `delta`, which remains finite if delta itself would underflow.

        Parameters, errors and reference are those of `delta`.

        Examples
        --------
        >>> round(GaussianNoise(1.0).log_delta(100.0, sensitivity=1.0), 3)
        -4960.255
        """
        if np.ndim(self.sd):
            raise PydpstatError(
                f"sd must be one number for a privacy curve; got {np.size(self.sd)} of them. "
                "Divide each coordinate by its sd and ask GaussianNoise(1.0)."
            )
        eps, change = (
            check_curve_epsilon(epsilon),
            checks.check_positive(sensitivity, "sensitivity", _SENSITIVITY_HINT),
        )
        if self.sd == 0.0:
            # without noise, two neighbors can be distinguished with certainty: delta is 1
            return to_scalar(np.zeros_like(eps))
        return compute_log_delta(eps, round_up_to_float(Fraction(change) / Fraction(float(self.sd))))


class Gaussian(Mechanism):
    """The Gaussian mechanism with the analytic calibration.

    The noise is in proportion to the L2 sensitivity.

    See Also
    --------
    DiscreteGaussian : integer noise.
    Laplace : pure differential privacy.

    Notes
    -----
    For d numbers, each with its own sensitivity, the noise covers the vector of the ``change_j / s_j``,
    whose L2 norm is at most sqrt(d).

    References
    ----------
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy:
    analytical calibration and optimal denoising. ICML 2018, Theorem 8.

    Examples
    --------
    >>> round(Gaussian().calibrate(1.0, 1e-6, 1.0).sd, 6)
    4.224679
    """

    name, norm, approximate = "gaussian", 2, True
    joint = True

    def calibrate(self, epsilon: float, delta: float, sensitivity: float) -> GaussianNoise:
        """Return noise that satisfies (epsilon, delta) exactly."""
        return GaussianNoise(_calibrate_sd(epsilon, delta, sensitivity))

    def calibrate_each(self, epsilon: float, delta: float, sensitivities: Sequence[float]) -> GaussianNoise:
        """Return noise with a standard deviation for each number."""
        joint = compute_root_above(len(sensitivities))
        return GaussianNoise(
            np.array([_calibrate_sd(epsilon, delta, joint * sensitivity) for sensitivity in sensitivities])
        )

    def loss(self, noise: GaussianNoise, epsilon: float, sensitivities: Sequence[float]) -> GaussianLoss:
        """Return the exact privacy loss."""
        sd = noise.sd if isinstance(noise.sd, float) else float(noise.sd[0])
        ratio = Fraction(float(sensitivities[0])) / Fraction(sd)
        return GaussianLoss(round_up_to_float(Fraction(compute_root_above(len(sensitivities))) * ratio))


def compute_root_above(number: int) -> float:
    """Return the smallest float that is at least the square root of an integer, or the next larger one."""
    root = math.sqrt(number)
    top, bottom = root.as_integer_ratio()
    return root if top * top >= number * bottom * bottom else math.nextafter(root, math.inf)


def _calibrate_sd(epsilon: float, delta: float, sensitivity: float) -> float:
    # the analytic calibration has a margin of 1e-12, far above the rounding error of this product
    sd = sensitivity * _calibrate_unit_sd(epsilon, delta)
    if 0.0 < sd < math.inf:
        return sd
    raise PydpstatError(
        f"epsilon and delta must suit the bounds; got {epsilon!r} and {delta!r}, for which the "
        "standard deviation of the noise is not representable in floating point. Rescale the data."
    )


@lru_cache(maxsize=256)
def _calibrate_unit_sd(epsilon: float, delta: float) -> float:
    return float(calibrate_gaussian(epsilon, delta, 1.0))
