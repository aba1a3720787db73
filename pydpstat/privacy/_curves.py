"""Exact privacy curves of randomized responses and of noise distributions, and bounds from concentrated privacy."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import overload

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import freeze_array
from pydpstat._search import bisect_up, minimize_unimodal
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats, Numbers, compute_exact_product, exp, expm1, log, log1p

# result for a positive delta that would underflow
SMALLEST_DELTA = 5e-324
_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
# below this ratio the integral is used: 8 Gauss points are exact up to rounding over a length of 1
_SMALL_RATIO = 1.0
# from here on 1 - t R(t) suffers from cancellation, and the continued fraction has converged
_FAR = 20.0
_FRACTION_TERMS = 12

# Gauss-Legendre rule for the unit interval, rounded once; NumPy's rule depends on LAPACK
_HALF_RULE = (
    (0.019855071751231884, 0.05061426814518813),
    (0.10166676129318664, 0.11119051722668724),
    (0.2372337950418355, 0.15685332293894363),
    (0.4082826787521751, 0.181341891689181),
)
GAUSS_POINTS = freeze_array([point for point, _ in _HALF_RULE] + [1.0 - point for point, _ in reversed(_HALF_RULE)])
GAUSS_WEIGHTS = freeze_array([weight for _, weight in (*_HALF_RULE, *reversed(_HALF_RULE))])
_MOST_TERMS = 1000
# a term below exp(-47) times the first one is negligible
_NEGLIGIBLE_EXPONENT = 47.0
# from here on the sum of all weights equals the integral up to 1e-60 of it
_WIDE = 3.0


def compute_responses_delta(each: float, count: int, epsilon: float) -> float:
    """Return delta of `count` randomized responses together, `each` the epsilon of one, rounded up.

    If j answers favor the other neighbor, the outcome has the weights ``binomial(count, j) exp((count - j) each)`` and
    ``binomial(count, j) exp(j each)`` under the two neighbors, over ``(1 + exp(each))**count``, and the privacy loss
    ``(count - 2 j) each``.

    (Kairouz, Oh and Viswanath (2017), Theorem 3.3.)
    """
    if math.isinf(each):
        return 1.0
    # the excess of the largest loss over epsilon, exact because rounding would dominate it near the end
    gap = count * Fraction(each) - Fraction(epsilon)
    if gap <= 0:
        return 0.0
    if count == 1:
        return round_up_delta(-math.expm1(-float(gap)) / (1.0 + math.exp(-each)))
    from scipy.special import gammaln

    # the last j with a loss above epsilon, and its excess
    last = min(count, math.ceil(gap / (2 * Fraction(each))) - 1)
    min_excess = float(gap - 2 * last * Fraction(each))
    j = np.arange(last + 1.0)
    choices = gammaln(count + 1.0) - gammaln(j + 1.0) - gammaln(count - j + 1.0)
    with np.errstate(under="ignore", divide="ignore"):
        excess = log(-expm1(-(min_excess + 2.0 * (last - j) * each)))
        # (count - j) each - count log(1 + exp(each)), without overflow
        share = math.fsum(exp(choices - j * each - count * math.log1p(math.exp(-each)) + excess))
    # the error of each exponent is a few units in the last place of its largest term
    slack = 2.0**-49 * (4.0 + 3.0 * math.lgamma(count + 1.0) + count * (each + 1.0))
    return round_up_delta(share, slack)


def compute_pure_rho(epsilon: float) -> float:
    """Return the rho of a pure guarantee, ``epsilon * tanh(epsilon / 2)``, rounded up.

    It is the smallest rho valid for all pure guarantees, and below the common bound ``epsilon**2 / 2``. Randomized
    response is the worst case. With ``g = log cosh`` its Renyi divergence of order a is ``(g((a - 1/2) epsilon) -
    g(epsilon / 2)) / (a - 1)``, which is epsilon times the mean of tanh over the interval of length ``(a - 1) epsilon``
    that begins at ``epsilon / 2`` and has its midpoint at ``a epsilon / 2``. As tanh is concave there, the mean is at
    most its value at the midpoint; as ``tanh(x) / x`` decreases, that is at most ``a tanh(epsilon / 2)``. The bound is
    attained as a tends to 1.

    (Bun and Steinke (2016), Proposition 1.4, has ``epsilon**2 / 2``.)
    """
    if epsilon == 0.0 or math.isinf(epsilon):
        return epsilon
    return math.nextafter(epsilon * math.tanh(0.5 * epsilon) * (1.0 + 2.0**-51), math.inf)


def compute_concentrated_delta(rho: float, epsilon: float) -> float:
    """Return the smallest delta at an epsilon implied by zero-concentrated privacy, rounded up.

    The bound ``exp((a-1)(a rho - epsilon)) / (a-1) * (1 - 1/a)**a`` holds for every a > 1, so an a that is not exactly
    optimal costs accuracy only. Its logarithm is convex in a.

    (Canonne, Kamath and Steinke (2020), Corollary 13.)
    """
    if rho == 0.0:
        return 0.0
    if math.isinf(rho):
        return 1.0

    def compute_log_bound(x: float) -> float:
        # in terms of x = log(a - 1)
        above = math.exp(x)
        return above * ((above + 1.0) * rho - epsilon) - x - (above + 1.0) * math.log1p(math.exp(-x))

    # where the slope is 0, (2 a - 1) rho = epsilon + log(a / (a - 1)) <= epsilon + 1 / (a - 1)
    gap = epsilon - rho
    top = math.log((gap + math.hypot(gap, math.sqrt(8.0 * rho))) / (4.0 * rho)) + 0.1
    x, _ = minimize_unimodal(compute_log_bound, -40.0, top, 60)
    above = math.exp(x)
    terms = above * ((above + 1.0) * rho + epsilon) + abs(x) + 2.0
    return max(SMALLEST_DELTA, math.exp(min(0.0, compute_log_bound(x) + 2.0**-49 * terms)))


def find_largest_rho(epsilon: float, delta: float) -> float:
    """Return the largest rho that implies (epsilon, delta), rounded down; 0 if delta is 0."""
    if delta == 0.0:
        return 0.0
    max_rho = 1.0 if delta >= 1.0 else None
    # a smaller rho is treated as 0, so the curve is not evaluated there
    low, _ = bisect_up(lambda rho: rho < 1e-300 or compute_concentrated_delta(rho, epsilon) <= delta, high=max_rho)
    return low if low >= 1e-300 else 0.0


def compute_laplace_delta(epsilon: float, pure: Fraction) -> float:
    """Return delta of Laplace noise with a pure epsilon: 1 - exp((epsilon - pure) / 2), or 0; rounded up."""
    gap = pure - Fraction(epsilon)
    return round_up_delta(-math.expm1(-0.5 * to_nearest_float(gap))) if gap > 0 else 0.0


def compute_geometric_delta(epsilon: float, rate: Fraction, shift: int) -> float:
    """Return delta of symmetric geometric noise with P(k) ~ exp(-rate |k|) for a shift, rounded up.

    The privacy loss of the outcome k is ``rate * (shift - 2k)`` on 0..shift and constant outside. It exceeds epsilon up
    to some K >= 0, and delta is ``P(X <= K) - exp(epsilon) * P(X <= K - shift)``. With ``alpha = exp(-rate)`` that is
    ``1 - exp(epsilon - rate * (shift - K)) + alpha * (1 - alpha**K)`` over ``1 + alpha``, without cancellation.
    """
    last, gap = find_last_exceeding(epsilon, shift, rate)
    if last < 0:
        return 0.0
    step = to_nearest_float(rate)
    alpha = math.exp(-step)
    excess = -math.expm1(-to_nearest_float(gap + last * rate)) - alpha * math.expm1(-step * last)
    return round_up_delta(excess / (1.0 + alpha))


def find_last_exceeding(epsilon: float, shift: int, rate: Fraction) -> tuple[int, Fraction]:
    """Return the largest k >= 0 with ``rate * (shift - 2k) > epsilon``, or -1, and the excess over epsilon."""
    gap = rate * shift - Fraction(epsilon)
    last = max(math.ceil(gap / (2 * rate)) - 1, -1)
    return last, gap - 2 * last * rate


def to_nearest_float(value: Fraction) -> float:
    """Return the nearest float; infinite beyond the range of floats."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def round_up_delta(share: float, slack: float = 2.0**-50) -> float:
    """Return a positive delta, rounded up by more than its relative rounding error `slack`."""
    return min(1.0, max(SMALLEST_DELTA, math.nextafter(share * (1.0 + slack), 1.0)))


def check_curve_epsilon(epsilon: npt.ArrayLike) -> Floats:
    """Check the epsilons at which a privacy curve is evaluated: finite numbers of at least 0."""
    values = np.asarray(epsilon)
    if values.dtype.kind not in "iuf" or not np.all((values >= 0) & np.isfinite(values)):
        raise PydpstatError(
            f"epsilon must be at least 0 and finite; got {checks.describe_value(epsilon)}. Give for example 1."
        )
    return values.astype(np.float64)


def compute_mills_ratio(x: Floats) -> Floats:
    """Return Mills' ratio: the standard normal's upper tail divided by its density."""
    from scipy.special import erfcx

    # in place because allocating arrays would take as long as the arithmetic
    ratio: Floats = x / math.sqrt(2.0)
    erfcx(ratio, out=ratio)
    ratio *= math.sqrt(0.5 * math.pi)
    return ratio


def compute_log_density(x: Floats) -> Floats:
    """Return the logarithm of the standard normal density."""
    return -0.5 * x * x - _LOG_SQRT_2PI


def compute_mills_slope(t: Floats) -> Floats:
    """Return minus the derivative of Mills' ratio, ``1 - t * compute_mills_ratio(t)``."""
    ratio = compute_mills_ratio(t)
    slope: Floats = t * ratio
    np.subtract(1.0, slope, out=slope)
    if t.max() > _FAR:
        is_far = t > _FAR
        # R(t) = 1/(t + 1/(t + 2/(t + ...))), hence 1/R(t) - t is the inner fraction
        x = t[is_far]
        inner = x
        for k in range(_FRACTION_TERMS, 1, -1):
            inner = x + k / inner
        slope[is_far] = ratio[is_far] / inner
    return slope


def compute_mills_difference(a: Floats, ratio: Floats) -> Floats:
    """Compute ``compute_mills_ratio(a) - compute_mills_ratio(a + ratio)`` to full relative accuracy."""
    difference = np.empty_like(a)
    small = ratio < _SMALL_RATIO
    if np.any(small):
        start, length = a[small], ratio[small]
        points = GAUSS_POINTS[:, None] * length
        points += start
        slopes = compute_mills_slope(points)
        slopes *= GAUSS_WEIGHTS[:, None]
        difference[small] = length * slopes.sum(axis=0)
    large = ~small
    if np.any(large):
        start = a[large]
        difference[large] = compute_mills_ratio(start) - compute_mills_ratio(start + ratio[large])
    return difference


@overload
def compute_log_delta(epsilon: float, ratio: float) -> float: ...


@overload
def compute_log_delta(epsilon: npt.ArrayLike, ratio: npt.ArrayLike) -> Numbers: ...


def compute_log_delta(epsilon: npt.ArrayLike, ratio: npt.ArrayLike) -> Numbers:
    """Return the logarithm of the exact delta of the Gaussian mechanism without underflow, rounded up.

    `ratio` is the L2 sensitivity divided by the noise's standard deviation, above 0; epsilon is at least 0. With m the
    ratio, a = epsilon/m - m/2 and b = a + m (Balle and Wang 2018, Theorem 8),

        delta = Q(a) - exp(epsilon) Q(b),

    where Q is the upper tail of the standard normal. Both terms can be equal to many digits, and exp(epsilon)
    overflows. But b**2 - a**2 = 2 epsilon, so that with the density phi and Mills' ratio R = Q / phi (a scaled erfcx,
    at most sqrt(pi / 2) for nonnegative arguments)

        delta = phi(a) (R(a) - R(b)) = phi(a) * integral of M from a to b,   M(t) = -R'(t) = 1 - t R(t),
        1 - delta = phi(a) (R(-a) + R(b)).

    The integral is used for small m, where R(a) and R(b) are nearly equal.

    The difference a is computed without cancellation, to a unit in the last place. Its relative error is multiplied by
    ``m R(b) / (R(a) - R(b))``, below a + 2, and ``a**2 / 2`` contributes as much again. The errors of the functions are
    a few units, and that of 1 - t R(t) is 1 + t**2 times as large up to t = 20. These, and half a unit of the
    logarithm, are added.
    """
    eps, m = np.broadcast_arrays(np.asarray(epsilon, dtype=np.float64), np.asarray(ratio, dtype=np.float64))
    shape = eps.shape
    eps, m = eps.reshape(-1), m.reshape(-1)
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        a = _compute_difference(eps, m)
        result = np.empty_like(a)
        # for a < 0 with a large ratio delta is not small, and R(a) may overflow
        near_one = (a < 0.0) & (m >= _SMALL_RATIO)
        regular = ~near_one
        result[regular] = compute_log_density(a[regular]) + log(compute_mills_difference(a[regular], m[regular]))
        result[near_one] = log1p(-exp(compute_log_complement(a[near_one], m[near_one])))
        positive_part = np.maximum(a, 0.0)
        slack = 8.0 + 2.0 * positive_part * positive_part + np.minimum(positive_part, _FAR) ** 2 + 0.5 * np.abs(result)
        result = np.minimum(result + 2.0**-52 * slack, 0.0)
    return result.reshape(shape) if shape else float(result[0])


def _compute_difference(epsilon: Floats, ratio: Floats) -> Floats:
    """Return ``epsilon / ratio - ratio / 2`` for arrays, to a unit in the last place."""
    quotient = epsilon / ratio
    high, low = compute_exact_product(quotient, ratio)
    remainder = (epsilon - high - low) / ratio
    # Knuth's error-free sum of the rounded quotient and the half
    half = -0.5 * ratio
    total = quotient + half
    back = total - quotient
    lost = (quotient - (total - back)) + (half - back)
    difference: Floats = total + (lost + remainder)
    # beyond the range of the splitting, the plain difference is infinite or one term dominates
    return np.where(np.isfinite(difference), difference, total)


def compute_log_complement(a: Floats, ratio: Floats) -> Floats:
    """Return the logarithm of 1 - delta, from ``a = epsilon / ratio - ratio / 2 <= 0``."""
    total: Floats = compute_log_density(a) + log(compute_mills_ratio(-a) + compute_mills_ratio(a + ratio))
    return total
