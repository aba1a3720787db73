"""The exact delta of Laplace and geometric noise, as functions of epsilon."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import expm1

Floats = npt.NDArray[np.float64]


def laplace_delta(epsilon: Floats, pure: Floats | float) -> Floats:
    """Return the exact delta of Laplace noise with a pure epsilon: 1 - exp((epsilon - pure) / 2), or 0."""
    return np.maximum(-expm1(0.5 * (epsilon - pure)), 0.0)


def geometric_delta(epsilon: Floats, rate: float, shift: int) -> Floats:
    """Return the exact delta of symmetric geometric noise with P(k) ~ exp(-rate |k|) for a shift.

    The privacy loss of the outcome k is ``rate * (shift - 2k)`` on 0..shift and constant outside. It
    exceeds epsilon up to some K >= 0, and delta is ``P(X <= K) - exp(epsilon) * P(X <= K - shift)``.
    """
    last, alpha = last_exceeding(epsilon, shift, rate), math.exp(-rate)
    with np.errstate(over="ignore", under="ignore"):
        excess = -expm1(epsilon - rate * (shift - last)) - alpha * expm1(-rate * last)
    tail = 1.0 / (1.0 + alpha)
    return np.where(epsilon < rate * shift, np.maximum(excess, 0.0) * tail, 0.0)


def last_exceeding(epsilon: Floats, shift: int, rate: float) -> Floats:
    """Largest k with ``rate * (shift - 2k) > epsilon``, 0 where there is none."""
    last: Floats = np.maximum(np.ceil(0.5 * (shift - epsilon / rate)) - 1.0, 0.0)
    return last


def curve_epsilon(epsilon: npt.ArrayLike) -> Floats:
    """Check the epsilons at which a privacy curve is asked for: finite numbers from 0 on."""
    values = np.asarray(epsilon)
    if values.dtype.kind not in "iuf" or not np.all((values >= 0) & np.isfinite(values)):
        raise PydpstatError(
            f"epsilon must be at least 0 and finite, every one; got {checks.shown(epsilon)}. Give say 1."
        )
    return values.astype(np.float64)
