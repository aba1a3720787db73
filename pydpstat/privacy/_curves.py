"""Exact delta of randomized responses, Laplace and geometric noise, and what concentrated privacy implies."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._grid import multiple_above
from pydpstat._search import bisect_up, lowest
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import exp, expm1, log

# what a positive delta is rounded up to where it would underflow
TINY = 5e-324
Floats = npt.NDArray[np.float64]


def responses_delta(each: float, count: int, epsilon: float) -> float:
    """Delta of `count` randomized responses together, `each` the epsilon of one, rounded up.

    With j answers that point away the outcome has the weights
    ``binomial(count, j) exp((count - j) each)`` and ``binomial(count, j) exp(j each)`` under the two
    neighbors, over ``(1 + exp(each))**count``, and the privacy loss ``(count - 2 j) each``.

    (Kairouz, Oh and Viswanath (2017), Theorem 3.3.)
    """
    if epsilon >= multiple_above(count, each):
        return 0.0
    if math.isinf(each):
        return 1.0
    if count == 1:
        return min(1.0, -math.expm1(epsilon - each) / (1.0 + math.exp(-each)) * (1.0 + 2.0**-50))
    from scipy.special import gammaln

    # from this j on the loss is at most epsilon
    stop = min(count + 1, math.ceil(0.5 * (count - epsilon / each)) + 1)
    j = np.arange(float(stop))
    choices = gammaln(count + 1.0) - gammaln(j + 1.0) - gammaln(count - j + 1.0)
    with np.errstate(under="ignore", divide="ignore"):
        excess = log(np.maximum(-expm1(epsilon - (count - 2.0 * j) * each), 0.0))
        # (count - j) each - count log(1 + exp(each)), without overflow
        share = math.fsum(exp(choices - j * each - count * math.log1p(math.exp(-each)) + excess))
    # each exponent errs by a few units in the last place of its largest term
    slack = 2.0**-49 * (4.0 + 3.0 * math.lgamma(count + 1.0) + count * (each + 1.0))
    return min(1.0, max(TINY, share * (1.0 + slack)))


def pure_rho(epsilon: float) -> float:
    """Zero-concentrated privacy of a pure guarantee: ``epsilon * tanh(epsilon / 2)``.

    No smaller number holds for all of them, and it is below the usual ``epsilon**2 / 2``.
    Randomized response is the worst case. With ``g = log cosh`` its Renyi divergence of order a is
    ``(g((a - 1/2) epsilon) - g(epsilon / 2)) / (a - 1)``, which is epsilon times the mean of tanh
    over the interval of length ``(a - 1) epsilon`` that begins at ``epsilon / 2`` and has its middle
    at ``a epsilon / 2``. As tanh is concave there, the mean is at most its value in the middle; as
    ``tanh(x) / x`` falls, that is at most ``a tanh(epsilon / 2)``. For a to 1 it is attained.

    (Bun and Steinke (2016), Proposition 1.4, has ``epsilon**2 / 2``.)
    """
    return epsilon * math.tanh(0.5 * epsilon)


def concentrated_delta(rho: float, epsilon: float) -> float:
    """Smallest delta at an epsilon that follows from zero-concentrated privacy, rounded up.

    The bound ``exp((a-1)(a rho - epsilon)) / (a-1) * (1 - 1/a)**a`` holds for every a > 1, so that
    an a which is not quite the best costs accuracy only. Its logarithm is convex in a.

    (Canonne, Kamath and Steinke (2020), Corollary 13.)
    """
    if rho == 0.0:
        return 0.0
    if math.isinf(rho):
        return 1.0

    def log_bound(x: float) -> float:
        # by x = log(a - 1)
        above = math.exp(x)
        return above * ((above + 1.0) * rho - epsilon) - x - (above + 1.0) * math.log1p(math.exp(-x))

    # where the slope is 0, (2 a - 1) rho = epsilon + log(a / (a - 1)) <= epsilon + 1 / (a - 1)
    gap = epsilon - rho
    top = math.log((gap + math.hypot(gap, math.sqrt(8.0 * rho))) / (4.0 * rho)) + 0.1
    x, _ = lowest(log_bound, -40.0, top, 60)
    above = math.exp(x)
    terms = above * ((above + 1.0) * rho + epsilon) + abs(x) + 2.0
    return max(TINY, math.exp(min(0.0, log_bound(x) + 2.0**-49 * terms)))


def largest_rho(epsilon: float, delta: float) -> float:
    """Largest rho from which (epsilon, delta) follows, rounded down; 0 where delta is 0."""
    if delta == 0.0:
        return 0.0
    most = 1.0 if delta >= 1.0 else None
    # a smaller rho is none, and the curve is not asked for it
    low, _ = bisect_up(lambda rho: rho < 1e-300 or concentrated_delta(rho, epsilon) <= delta, high=most)
    return low if low >= 1e-300 else 0.0


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
            f"epsilon must be at least 0 and finite; got {checks.shown(epsilon)}. Give for example 1."
        )
    return values.astype(np.float64)
