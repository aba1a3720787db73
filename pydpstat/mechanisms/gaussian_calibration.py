"""Standard deviation of Gaussian noise for a given epsilon and delta, by three methods."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import overload

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._answering import explain_wrong_calls
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms._noise import check_positive_values, to_scalar
from pydpstat.privacy._curves import (
    Floats,
    compute_log_complement,
    compute_log_density,
    compute_mills_difference,
    compute_mills_ratio,
)
from pydpstat.r_arithmetic.distributions import qnorm
from pydpstat.r_arithmetic.elementary import Numbers, exp, log, log1p

METHODS = ("analytic", "classical", "probabilistic")

# relative; far above the solver's rounding error (below 1e-14), so that the exact delta is at most the given one
SAFETY_MARGIN = 1e-12
# Newton's method converges quadratically: after a step this small the next one is below rounding
_STEP_TOLERANCE = 1e-9
_MAX_ITERATIONS = 200
# from this epsilon on the solver's starting value is exact to rounding, and a = epsilon/m - m/2 is inaccurate
_HUGE_EPSILON = 1e20


@overload
def calibrate_gaussian(epsilon: float, delta: float, sensitivity: float = 1.0, method: str = "analytic") -> float: ...


@overload
def calibrate_gaussian(
    epsilon: npt.ArrayLike,
    delta: npt.ArrayLike,
    sensitivity: npt.ArrayLike = 1.0,
    method: str = "analytic",
) -> Numbers: ...


@explain_wrong_calls
def calibrate_gaussian(
    epsilon: npt.ArrayLike, delta: npt.ArrayLike, sensitivity: npt.ArrayLike = 1.0, method: str = "analytic"
) -> Numbers:
    """Return the standard deviation of Gaussian noise for (epsilon, delta).

    Parameters
    ----------
    epsilon : float or array_like
        Privacy parameter; positive and finite. Below 1 for ``"classical"``.
    delta : float or array_like
        Privacy parameter; above 0 and below 1.
    sensitivity : float or array_like, default 1.0
        Largest L2 change that one record can make, in the units of the statistic.
    method : {"analytic", "classical", "probabilistic"}, default "analytic"
        ``"analytic"`` gives the smallest standard deviation with the guarantee. The other two
        are closed formulas of the literature that are larger and agree with R to the bit.

    Returns
    -------
    float or ndarray
        A float for scalars, otherwise an array of the broadcast shape. The analytic one is at most
        a few 1e-12 above the exact value, relatively, and never below it.

    Raises
    ------
    PydpstatError
        If an argument is outside its range, or no finite standard deviation above 0 results.

    See Also
    --------
    calibrateAnalyticGaussianMechanism : R's, with the number that R returns.
    pydpstat.mechanisms.calibrate_laplace, pydpstat.mechanisms.calibrate_discrete_gaussian : other noise.

    Notes
    -----
    The release is (epsilon, delta)-differentially private for real numbers. ``"probabilistic"``
    makes the privacy loss exceed epsilon with a probability of at most delta, which implies it.

    References
    ----------
    analytic: Balle, B. and Wang, Y.-X. (2018). Improving the Gaussian mechanism for differential
    privacy: analytical calibration and optimal denoising. ICML 2018.
    classical: Dwork, C. and Roth, A. (2014). The algorithmic foundations of differential privacy,
    Theorem A.1.
    probabilistic: Liu, F. (2019). Generalized Gaussian mechanism for differential privacy. IEEE
    Transactions on Knowledge and Data Engineering 31.

    Examples
    --------
    >>> round(calibrate_gaussian(1.0, 1e-6), 9)
    4.224678889
    >>> calibrate_gaussian(0.5, [0.1, 0.01], method="classical").round(4)
    array([4.4951, 6.215 ])
    """
    checks.check_choice(method, "method", METHODS)
    eps = check_positive_values(epsilon, "epsilon", "Give for example 1.")
    dlt = check_positive_values(delta, "delta", "Give for example 1e-6.")
    sens = check_positive_values(sensitivity, "sensitivity", "Give the largest L2 change that one record can make.")
    if not np.all(np.asarray(dlt) < 1.0):
        raise PydpstatError(
            f"delta must be above 0 and below 1; got {checks.describe_value(delta)}. "
            "Give a small probability, for example 1e-6."
        )
    if method == "classical" and not np.all(np.asarray(eps) < 1.0):
        raise PydpstatError(
            f"epsilon must be below 1 for method 'classical'; got {checks.describe_value(epsilon)}. Use "
            "method='analytic', which is valid for every epsilon and adds less noise."
        )
    formula = {
        "analytic": compute_analytic_sd,
        "classical": compute_classical_sd,
        "probabilistic": compute_probabilistic_sd,
    }[method]
    try:
        with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
            sd = to_scalar(formula(eps, dlt, sens))
    except (OverflowError, ZeroDivisionError):
        sd = math.inf
    if not np.all((np.asarray(sd) > 0.0) & (np.asarray(sd) < math.inf)):
        raise PydpstatError(
            f"epsilon, delta and sensitivity must lead to a finite standard deviation above 0; got epsilon "
            f"{checks.describe_value(epsilon)}, delta {checks.describe_value(delta)}, sensitivity "
            f"{checks.describe_value(sensitivity)}. Rescale the statistic."
        )
    return sd


@overload
def compute_classical_sd(epsilon: float, delta: float, sensitivity: float) -> float: ...


@overload
def compute_classical_sd(epsilon: Numbers, delta: Numbers, sensitivity: Numbers) -> Numbers: ...


def compute_classical_sd(epsilon: Numbers, delta: Numbers, sensitivity: Numbers) -> Numbers:
    """Compute ``sensitivity * sqrt(2 * log(1.25 / delta)) / epsilon`` with R's rounding, without checks.

    For epsilon below 1 it satisfies (epsilon, delta); for a larger epsilon it may not.
    """
    # callers reject infinite results
    with np.errstate(over="ignore"):
        return sensitivity * np.sqrt(2.0 * log(1.25 / delta)) / epsilon


def compute_probabilistic_sd(epsilon: Numbers, delta: Numbers, sensitivity: Numbers) -> Numbers:
    """Compute the standard deviation for probabilistic privacy with R's rounding, without checks."""
    q = qnorm(0.5 * delta)
    return sensitivity * (np.sqrt(q * q + 2.0 * epsilon) - q) / (2.0 * epsilon)


def compute_analytic_sd(epsilon: Numbers, delta: Numbers, sensitivity: Numbers) -> Numbers:
    """Compute the smallest standard deviation whose exact delta is at most `delta`, without checks."""
    eps, dlt, sens = (np.asarray(v, dtype=np.float64) for v in (epsilon, delta, sensitivity))
    shape = np.broadcast_shapes(eps.shape, dlt.shape)
    eps, dlt = (np.broadcast_to(v, shape).reshape(-1) for v in (eps, dlt))
    ratio = np.empty(eps.shape)
    low = dlt <= 0.5
    for mask, step in ((low, _compute_low_step), (~low, _compute_high_step)):
        ratio[mask] = _solve_ratio(eps[mask], dlt[mask], step)
    return sens / ratio.reshape(shape) * (1.0 + SAFETY_MARGIN)


def _solve_ratio(epsilon: Floats, delta: Floats, step: Callable[[Floats, Floats, Floats], Floats]) -> Floats:
    """Return the largest ratio m = sensitivity / sd that satisfies (epsilon, delta), by Newton's method in log m.

    log delta is concave and increasing in log m: its slope is m / (R(a) - R(b)), one over the mean of the decreasing
    convex M over [a, a + m]; as m increases, the interval's center epsilon/m decreases and its length increases, and
    both increase that mean. log(1 - delta) is concave and decreasing. Newton's method therefore converges from every
    start, from one side after the first step.
    """
    from scipy.special import erfinv, ndtri

    # two lower bounds of m: delta <= Q(a), and delta <= delta at epsilon = 0, which is 2 Phi(m/2) - 1
    z = -ndtri(delta)
    root = np.hypot(z, np.sqrt(2.0 * epsilon))
    ratio = np.where(z > 0.0, 2.0 * epsilon / (z + root), root - z)
    ratio = np.maximum(ratio, 2.0 * math.sqrt(2.0) * erfinv(delta))
    goal, high = log(delta), delta > 0.5
    if high.any():
        goal[high] = log1p(-delta[high])
    for _ in range(_MAX_ITERATIONS):
        change = np.where(epsilon < _HUGE_EPSILON, step(epsilon, ratio, goal), 0.0)
        ratio = ratio * exp(change)
        if not np.any(np.abs(change) > _STEP_TOLERANCE):
            break
    return ratio


def _compute_low_step(epsilon: Floats, ratio: Floats, goal: Floats) -> Floats:
    """Return Newton's step of log m for delta up to 1/2, based on log delta."""
    a = epsilon / ratio - 0.5 * ratio
    difference = compute_mills_difference(a, ratio)
    excess = compute_log_density(a) + log(difference) - goal
    return -excess * difference / ratio


def _compute_high_step(epsilon: Floats, ratio: Floats, goal: Floats) -> Floats:
    """Return Newton's step of log m for delta above 1/2, based on log(1 - delta)."""
    a = epsilon / ratio - 0.5 * ratio
    excess = compute_log_complement(a, ratio) - goal
    return excess * (compute_mills_ratio(-a) + compute_mills_ratio(a + ratio)) / ratio
