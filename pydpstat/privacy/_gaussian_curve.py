"""The Gaussian mechanism's exact privacy curve, free of cancellation.

Gaussian noise with standard deviation sd on a statistic with L2 sensitivity D has (Balle and Wang
2018, Theorem 8), with m = D / sd, a = epsilon/m - m/2 and b = epsilon/m + m/2 = a + m,

    delta = Q(a) - exp(epsilon) Q(b),

where Q is the upper tail of the standard normal. Both terms can be equal to many digits, and
exp(epsilon) overflows. But b**2 - a**2 = 2 epsilon, so that with the density phi and Mills' ratio
R = Q / phi (a scaled erfcx, never large from 0 on)

    delta = phi(a) (R(a) - R(b)) = phi(a) * integral of M from a to b,   M(t) = -R'(t) = 1 - t R(t),
    1 - delta = phi(a) (R(-a) + R(b)).

The integral serves small m, where R(a) and R(b) are nearly equal.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen
from pydpstat.r_arithmetic.elementary import exp, log, log1p

Floats = npt.NDArray[np.float64]

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
# below this ratio the integral is taken: 8 Gauss points are exact to rounding over a length of 1
_SMALL_RATIO = 1.0
# from here on 1 - t R(t) cancels too far and the continued fraction has converged
_FAR = 20.0
_FRACTION_TERMS = 12

# Gauss and Legendre's rule for the unit interval, rounded once: NumPy's goes through LAPACK
_HALF = (
    (0.019855071751231884, 0.05061426814518813),
    (0.10166676129318664, 0.11119051722668724),
    (0.2372337950418355, 0.15685332293894363),
    (0.4082826787521751, 0.181341891689181),
)
GAUSS_POINTS = frozen([point for point, _ in _HALF] + [1.0 - point for point, _ in reversed(_HALF)])
GAUSS_WEIGHTS = frozen([weight for _, weight in (*_HALF, *reversed(_HALF))])


def mills(x: Floats) -> Floats:
    """Mills' ratio: the standard normal's upper tail divided by its density."""
    from scipy.special import erfcx

    # in place: new arrays would take as long as the arithmetic
    ratio: Floats = x / math.sqrt(2.0)
    erfcx(ratio, out=ratio)
    ratio *= math.sqrt(0.5 * math.pi)
    return ratio


def log_density(x: Floats) -> Floats:
    """Logarithm of the standard normal density."""
    return -0.5 * x * x - _LOG_SQRT_2PI


def mills_slope(t: Floats) -> Floats:
    """Minus the derivative of Mills' ratio, ``1 - t * mills(t)``."""
    ratio = mills(t)
    slope: Floats = t * ratio
    np.subtract(1.0, slope, out=slope)
    if t.max() > _FAR:
        far = t > _FAR
        # R(t) = 1/(t + 1/(t + 2/(t + ...))), hence 1/R(t) - t is the inner fraction
        x = t[far]
        inner = x
        for k in range(_FRACTION_TERMS, 1, -1):
            inner = x + k / inner
        slope[far] = ratio[far] / inner
    return slope


def mills_difference(a: Floats, ratio: Floats) -> Floats:
    """Evaluate ``mills(a) - mills(a + ratio)`` for one-dimensional arrays, to full relative accuracy."""
    difference = np.empty_like(a)
    small = ratio < _SMALL_RATIO
    if np.any(small):
        start, length = a[small], ratio[small]
        points = GAUSS_POINTS[:, None] * length
        points += start
        slopes = mills_slope(points)
        slopes *= GAUSS_WEIGHTS[:, None]
        difference[small] = length * slopes.sum(axis=0)
    large = ~small
    if np.any(large):
        start = a[large]
        difference[large] = mills(start) - mills(start + ratio[large])
    return difference


def log_delta(epsilon: npt.ArrayLike, ratio: npt.ArrayLike) -> Any:
    """Logarithm of the exact delta of the Gaussian mechanism.

    Parameters
    ----------
    epsilon : float or array_like
        At least 0.
    ratio : float or array_like
        L2 sensitivity divided by the noise's standard deviation, above 0.

    Returns
    -------
    float or ndarray
        The logarithm of delta, where delta itself would underflow as well.

    References
    ----------
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy:
    analytical calibration and optimal denoising. ICML 2018, Theorem 8.

    Examples
    --------
    >>> round(log_delta(1.0, 1 / 4.224678889327), 6)
    -13.815511
    """
    eps, m = np.broadcast_arrays(np.asarray(epsilon, dtype=np.float64), np.asarray(ratio, dtype=np.float64))
    shape = eps.shape
    eps, m = eps.reshape(-1), m.reshape(-1)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        a = eps / m - 0.5 * m
        result = np.empty_like(a)
        # a < 0 with a large ratio: delta is no longer small, and R(a) may overflow
        near_one = (a < 0.0) & (m >= _SMALL_RATIO)
        rest = ~near_one
        result[rest] = log_density(a[rest]) + log(mills_difference(a[rest], m[rest]))
        result[near_one] = log1p(-exp(log_complement(a[near_one], m[near_one])))
    return result.reshape(shape) if shape else float(result[0])


def log_complement(a: Floats, ratio: Floats) -> Floats:
    """Logarithm of 1 - delta, from ``a = epsilon / ratio - ratio / 2 <= 0``."""
    total: Floats = log_density(a) + log(mills(-a) + mills(a + ratio))
    return total
