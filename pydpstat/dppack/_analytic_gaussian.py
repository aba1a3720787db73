"""DPpack's own loop for the analytic Gaussian mechanism, for its numbers to the bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.distributions import pnorm
from pydpstat.r_arithmetic.elementary import exp


def analytic_gaussian_loop(
    epsilon: float, delta: float, sensitivity: npt.ArrayLike, tol: float = 1e-12
) -> Any:
    """Standard deviation that DPpack's ``calibrateAnalyticGaussianMechanism`` returns.

    It bisects until delta is met within the absolute tolerance `tol`. For a delta near `tol` or
    below it the result is arbitrary and can be far too small: `calibrate_gaussian` is the sound one.

    Parameters
    ----------
    epsilon : float
        Above 0 and below 709.79, where the exponential overflows.
    delta : float
        Between 0 and 1.
    sensitivity : float or array_like
        L2 sensitivity. As in R it is only multiplied with: an array, 0 and negative numbers pass.
    tol : float, default 1e-12
        Absolute tolerance of delta.

    Returns
    -------
    float or ndarray
        Of the shape of `sensitivity`.

    Raises
    ------
    PydpstatError
        Where R stops, never returns, or returns no finite number.

    Notes
    -----
    With A(s) = Phi(sqrt(eps s)) - exp(eps) Phi(-sqrt(eps (s + 2))) and B(s) with Phi(-sqrt(eps s)) in
    front, delta is A(s) for the noise ``sqrt(1 + s/2) - sqrt(s/2)`` times sensitivity / sqrt(2 eps),
    and B(s) for ``sqrt(1 + s/2) + sqrt(s/2)`` times the same.

    References
    ----------
    Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential privacy:
    analytical calibration and optimal denoising. ICML 2018, Algorithm 1.

    Examples
    --------
    >>> round(analytic_gaussian_loop(0.5, 0.01, 1), 6)
    3.146913
    """
    eps, dlt, tolerance = (
        checks.scalar(value, name) for value, name in ((epsilon, "epsilon"), (delta, "delta"), (tol, "tol"))
    )
    sens = checks.array_of(sensitivity)
    if sens.dtype.kind not in "biuf" or not sens.size or not np.all(np.isfinite(sens)):
        raise PydpstatError(
            f"sensitivity must be one or more finite numbers; got {checks.shown(sensitivity)}. Give one."
        )
    growth = exp(eps)
    if not eps > 0.0 or math.isinf(growth):
        raise PydpstatError(
            f"epsilon must be above 0 and below 709.79 here; got {eps!r}. R stops, or returns infinity. "
            "Use calibrate_gaussian(), which takes every epsilon above 0."
        )
    if not 0.0 <= dlt <= 1.0:
        raise PydpstatError(f"delta must be between 0 and 1; got {dlt!r}. R never returns.")
    alpha = _alpha(eps, dlt, growth, tolerance)
    with np.errstate(over="ignore"):
        sd = alpha * sens.astype(np.float64) / math.sqrt(2.0 * eps)
    if not np.all(np.isfinite(sd)):
        raise PydpstatError(
            f"sensitivity must lead to a finite standard deviation; got {checks.shown(sensitivity)}. "
            "Rescale the statistic."
        )
    return sd if sens.ndim else float(sd)


def _alpha(epsilon: float, delta: float, growth: float, tol: float) -> float:
    """Noise relative to ``sensitivity / sqrt(2 * epsilon)``."""

    def far_tail(s: float) -> float:
        return float(growth * pnorm(-math.sqrt(epsilon * (s + 2.0))))

    def above(s: float) -> float:
        return float(pnorm(math.sqrt(epsilon * s)) - far_tail(s))

    def below(s: float) -> float:
        return float(pnorm(-math.sqrt(epsilon * s)) - far_tail(s))

    middle = above(0.0)
    if delta == middle:
        return 1.0
    if delta > middle:
        s = _bisect(above, 1.0, delta, tol)
        return math.sqrt(1.0 + s / 2.0) - math.sqrt(s / 2.0)
    s = _bisect(below, -1.0, delta, tol)
    return math.sqrt(1.0 + s / 2.0) + math.sqrt(s / 2.0)


def _bisect(function: Callable[[float], float], sign: float, delta: float, tol: float) -> float:
    """Argument at which a monotone function, times `sign` increasing, is within `tol` of delta."""
    low, high = 0.0, 1.0
    while sign * function(high) < sign * delta:
        low, high = high, 2.0 * high
        if math.isinf(high):
            raise _endless(delta, tol)
    while True:
        middle = low + (high - low) / 2.0
        value = function(middle)
        if abs(value - delta) <= tol:
            return middle
        before = low, high
        if sign * value > sign * delta:
            high = middle
        else:
            low = middle
        if (low, high) == before:
            # the bracket is down to neighboring numbers: R's loop never leaves it
            raise _endless(delta, tol)


def _endless(delta: float, tol: float) -> PydpstatError:
    return PydpstatError(
        f"tol must be large enough for delta to be met within it; got tol {tol!r} with delta {delta!r}. "
        "R never returns. Use calibrate_gaussian(), which needs no tolerance."
    )
