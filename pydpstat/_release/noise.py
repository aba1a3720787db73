"""From sensitivities to noise: the one place where the package's own statistics are calibrated."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from pydpstat._release.calibration import Noise
from pydpstat._release.options import Options
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.discrete_gaussian import DiscreteGaussianNoise, calibrate_discrete_gaussian
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.gaussian_calibration import SAFETY, calibrate_gaussian
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.mechanisms.laplace import LaplaceNoise, scale_for
from pydpstat.privacy import GaussianLoss, GeometricLoss, LaplaceLoss
from pydpstat.privacy._curves import largest_rho
from pydpstat.privacy.losses import ConcentratedLoss, DiscreteGaussianLoss

# of this many discrete Gaussian noises together the exact law is known
_EXACT_CELLS = 2


def calibrate(options: Options, sensitivities: tuple[float, ...], integer: bool = False) -> Noise:
    """Return the noise that keeps the options' epsilon and delta.

    Parameters
    ----------
    options : Options
        What is to be kept.
    sensitivities : tuple of float
        One for the whole value: its L1 sensitivity, or L2 for Gaussian noise. Or one for each of d
        elements, which share the budget: with Laplace noise each gets epsilon / d, as
        ``sum(s_j / scale_j)`` is then epsilon; Gaussian noise covers the vector of the ``change_j / s_j``,
        whose L2 norm is at most sqrt(d). For integers always one; the square of an L2 sensitivity is
        the number of counts that one record changes by 1.
    integer : bool, default False
        Whether the value is made of whole numbers.

    Examples
    --------
    >>> from pydpstat._release.options import options
    >>> calibrate(options(0.5, 0, "laplace", "bounded", "error"), (1.0, 2.0)).scale
    array([4., 8.])
    """
    count = len(sensitivities)
    if integer:
        return _integer_noise(options, sensitivities[0])
    if options.mechanism == "laplace":
        scales = [laplace_scale(each, options.epsilon, count) for each in sensitivities]
        return LaplaceNoise(scales[0] if count == 1 else np.array(scales))
    if count == 1:
        return GaussianNoise(_gaussian_sd(options, sensitivities[0]))
    joint = root_above(count)
    return GaussianNoise(np.array([_gaussian_sd(options, joint * each) for each in sensitivities]))


def _gaussian_sd(options: Options, sensitivity: float) -> float:
    # the analytic calibration keeps a margin of 1e-12, far above the rounding of this product
    sd = sensitivity * _unit_sd(options.epsilon, options.delta)
    if 0.0 < sd < math.inf:
        return sd
    raise PydpstatError(
        f"epsilon and delta must suit the bounds; got {options.epsilon!r} and {options.delta!r}, for which "
        "the noise has no standard deviation that a floating-point number can hold. Rescale the data."
    )


@lru_cache(maxsize=256)
def _unit_sd(epsilon: float, delta: float) -> float:
    return float(calibrate_gaussian(epsilon, delta, 1.0))


def loss(noise: Noise, options: Options, sensitivities: tuple[Any, ...]) -> Any:
    """Return the exact privacy loss of calibrated noise, or None where only the pair is known."""
    if isinstance(noise, LaplaceNoise):
        return LaplaceLoss(options.epsilon)
    if isinstance(noise, SymmetricGeometricNoise):
        return GeometricLoss(options.epsilon, noise.sensitivity)
    if isinstance(noise, GaussianNoise):
        ratio = float(sensitivities[0]) / (noise.sd if isinstance(noise.sd, float) else float(noise.sd[0]))
        return GaussianLoss(root_above(len(sensitivities)) * ratio)
    if isinstance(noise, DiscreteGaussianNoise):
        cells = _cells(float(sensitivities[0]))
        if cells <= _EXACT_CELLS:
            return DiscreteGaussianLoss(noise.sd, 1, cells)
        return ConcentratedLoss(cells / (2.0 * noise.sd * noise.sd))
    return None


def laplace_scale(sensitivity: float, epsilon: float, parts: int = 1) -> float:
    """Return the smallest float that is at least parts * sensitivity / epsilon.

    Examples
    --------
    >>> laplace_scale(1.0, 0.3) * 0.3 >= 1.0
    True
    """
    near = parts * sensitivity / epsilon
    if near == math.inf or near == 0.0:
        raise PydpstatError(
            f"epsilon must suit the bounds; got {epsilon!r}, for which the noise has no scale that a "
            "floating-point number can hold. Rescale the data."
        )
    return scale_for(sensitivity if parts == 1 else parts * Fraction(sensitivity), epsilon)


def root_above(number: int) -> float:
    """Return a float that is at least the square root, and at most a unit in the last place above."""
    root = math.sqrt(number)
    top, bottom = root.as_integer_ratio()
    return root if top * top >= number * bottom * bottom else math.nextafter(root, math.inf)


def _integer_noise(options: Options, sensitivity: float) -> Noise:
    if options.mechanism == "geometric":
        return SymmetricGeometricNoise(options.epsilon, int(sensitivity))
    return DiscreteGaussianNoise(_discrete_sd(options.epsilon, options.delta, _cells(sensitivity)))


@lru_cache(maxsize=256)
def _discrete_sd(epsilon: float, delta: float, cells: int) -> float:
    if cells <= _EXACT_CELLS:
        return calibrate_discrete_gaussian(epsilon, delta, 1, cells)
    # of more noises together only the concentrated privacy is known: rho = cells / (2 sd^2)
    return math.sqrt(cells / (2.0 * largest_rho(epsilon, delta))) * (1.0 + SAFETY)


def _cells(sensitivity: float) -> int:
    """Return how many counts one record changes by 1, from their L2 sensitivity."""
    return round(sensitivity * sensitivity)
