"""Constants of objective and output perturbation, and what epsilon a fit with them keeps."""

from __future__ import annotations

import math

import numpy as np

from pydpstat import r_arithmetic as r
from pydpstat.dppack._models.spherical import standard_cdf

# from this linear predictor on 1 / (1 + exp(-x)) is 1 in floating point
SATURATED = 53.0 * math.log(2.0)


def objective_constants(eps: float, gamma: float, c: float, n: int) -> tuple[float, float]:
    """Return the epsilon left for the noise and the added regularization, of objective perturbation.

    Parameters
    ----------
    eps : float
        Privacy parameter, finite.
    gamma : float
        Regularization constant: the objective has gamma / n times the regularizer.
    c : float
        Bound on the loss's second derivative.
    n : int
        Number of records.

    Returns
    -------
    (float, float)
        The noise's length is Gamma with rate half the first; the second times w'w / 2 is added to the
        objective. They may be infinite or NaN where `gamma` is not positive.

    References
    ----------
    Chaudhuri, K., Monteleoni, C. and Sarwate, A. D. (2011). Differentially private empirical risk
    minimization. Journal of Machine Learning Research 12, 1069-1109, Algorithm 2.

    Examples
    --------
    >>> from pydpstat.dppack._models.perturbation import objective_constants
    >>> left, added = objective_constants(1.0, 1.0, 0.25, 100)
    >>> round(left, 4), added
    (0.5537, 0.0)
    """
    with np.errstate(all="ignore"):
        g, k = np.float64(gamma), np.float64(c)
        left = eps - r.log(float(1.0 + 2.0 * k / g + k * k / (g * g)))
        if not left <= 0.0:
            return left, 0.0
        growth = np.float64(r.exp(eps / 4.0)) - 1.0
        return eps / 2.0, float(k / (n * growth) - g / n)


def objective_epsilon(left: float, c: float, strength: float, norm: float = 1.0) -> float:
    """Return the epsilon that objective perturbation keeps for one replaced record.

    The noise vector's density changes by at most exp(norm * left), and the determinant of the
    objective's second derivatives, to which one record adds a matrix of rank one, by at most
    1 + c norm^2 / strength.

    Parameters
    ----------
    left : float
        Epsilon left for the noise.
    c : float
        Bound on the loss's second derivative.
    strength : float
        What the objective times n is strongly convex by, without the records.
    norm : float, default 1.0
        Largest length of a record.

    Returns
    -------
    float
        Infinity where the objective is not strongly convex.

    Examples
    --------
    >>> from pydpstat.dppack._models.perturbation import objective_epsilon
    >>> round(objective_epsilon(0.5, 0.25, 1.0), 4)
    0.7231
    """
    if not strength > 0.0 or not c >= 0.0 or not math.isfinite(left) or not math.isfinite(norm):
        return math.inf
    return norm * left + math.log1p(c * norm * norm / strength)


def output_epsilon(rate: float, strength: float, norm: float = 1.0, weight: float = 1.0) -> float:
    """Return the epsilon that output perturbation keeps for one replaced record.

    The minimiser moves by at most 2 weight norm / strength.

    Parameters
    ----------
    rate : float
        Rate of the noise's length.
    strength : float
        What the objective times n is strongly convex by, without the records.
    norm : float, default 1.0
        Largest length of a record.
    weight : float, default 1.0
        Largest weight of a record.

    Examples
    --------
    >>> from pydpstat.dppack._models.perturbation import output_epsilon
    >>> output_epsilon(5.0, 1.0)
    10.0
    """
    if not strength > 0.0 or not math.isfinite(norm):
        return math.inf
    moved = 2.0 * weight * norm / strength
    return rate * moved if moved > 0.0 else 0.0


def saturation_probability(rate: float, strength: float, size: int) -> float:
    """Return how probable it is that objective perturbation's noise alone saturates a prediction.

    Without records the minimiser is -b / strength. Along a record of length 1 it passes `SATURATED`
    where the noise vector's element in that direction passes strength times as much.

    Parameters
    ----------
    rate : float
        Rate of the noise vector's length.
    strength : float
        What the objective times n is strongly convex by, without the records.
    size : int
        Number of coefficients.

    Examples
    --------
    >>> from pydpstat.dppack._models.perturbation import saturation_probability
    >>> f"{saturation_probability(0.5, 1.0, 1):.3g}", f"{math.exp(-0.5 * SATURATED) / 2:.3g}"
    ('5.27e-09', '5.27e-09')
    """
    return float(standard_cdf(-SATURATED * max(strength, 0.0) * rate, size))
