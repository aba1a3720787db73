"""Two Gaussian distributions of different widths: how far a privacy claim about one of them can be off."""

from __future__ import annotations

import math


def pair_delta(epsilon: float, shift: float, narrow: float, wide: float) -> float:
    """Smallest delta between ``N(0, narrow^2)`` and ``N(shift, wide^2)``, the larger of the two directions.

    Parameters
    ----------
    epsilon : float
        At least 0.
    shift : float
        Distance of the two means.
    narrow, wide : float
        Standard deviations, above 0, the second one larger.

    Returns
    -------
    float
        Up to rounding, about 1e-15 absolutely.

    Notes
    -----
    The logarithm of the densities' ratio is a quadratic function, so the set where it exceeds
    epsilon lies between its two roots, and for the other direction beyond two others.

    References
    ----------
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy:
    analytical calibration and optimal denoising. ICML 2018, Theorem 5.

    Examples
    --------
    >>> f"{pair_delta(1.0, 1.0, 4.224678889, 4.224678889 * 1000 / 999):.3g}"
    '1.41e-06'
    """
    # log(p / q) = level - (slope * x + curvature * x^2)
    slope = shift / wide**2
    curvature = 0.5 * (wide - narrow) * (wide + narrow) / (wide * narrow) ** 2
    level = 0.5 * (shift / wide) ** 2 + math.log(wide / narrow)
    inside = 0.0
    if slope**2 + 4.0 * curvature * (level - epsilon) > 0.0:
        low, high = _roots(curvature, slope, level - epsilon)
        inside = _between(low / narrow, high / narrow, 0.0) - _between(
            (low - shift) / wide, (high - shift) / wide, epsilon
        )
    low, high = _roots(curvature, slope, level + epsilon)
    outside = _beyond((low - shift) / wide, (high - shift) / wide, 0.0) - _beyond(
        low / narrow, high / narrow, epsilon
    )
    return min(1.0, max(inside, outside, 0.0))


def _roots(a: float, b: float, c: float) -> tuple[float, float]:
    """Roots of ``a x^2 + b x = c`` for a > 0 and b >= 0, free of cancellation."""
    far = -0.5 * (b + math.sqrt(b * b + 4.0 * a * c))
    roots = (far / a, -c / far if far else 0.0)
    return min(roots), max(roots)


def _between(low: float, high: float, log_factor: float) -> float:
    """exp(log_factor) times the standard normal's weight between two points."""
    if low > 0.0:
        low, high = -high, -low
    return _lower(high, log_factor) - _lower(low, log_factor)


def _beyond(low: float, high: float, log_factor: float) -> float:
    return _lower(low, log_factor) + _lower(-high, log_factor)


def _lower(z: float, log_factor: float) -> float:
    from scipy.special import log_ndtr

    # the product of the two may overflow only where the difference is meaningless anyway
    return math.exp(min(700.0, log_factor + float(log_ndtr(z))))
