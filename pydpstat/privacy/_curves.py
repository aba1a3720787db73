"""Exact privacy curves of randomized responses and of each noise, and what concentrated privacy implies."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import overload

import numpy as np
import numpy.typing as npt

from pydpstat import _checks as checks
from pydpstat._frozen import frozen
from pydpstat._grid import multiple_above
from pydpstat._search import bisect_up, lowest
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.elementary import Floats, Numbers, exp, expm1, log, log1p

# what a positive delta is rounded up to where it would underflow
TINY = 5e-324
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
_MOST_TERMS = 1000
# a term exp(-47) times the first one counts for nothing
_LAST = 47.0
# from here on the sum of all weights is the integral to 1e-60 of it
_WIDE = 3.0


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


@overload
def log_delta(epsilon: float, ratio: float) -> float: ...


@overload
def log_delta(epsilon: npt.ArrayLike, ratio: npt.ArrayLike) -> Numbers: ...


def log_delta(epsilon: npt.ArrayLike, ratio: npt.ArrayLike) -> Numbers:
    """Logarithm of the exact delta of the Gaussian mechanism, where delta itself would underflow as well.

    `ratio` is the L2 sensitivity divided by the noise's standard deviation, above 0; epsilon is at least 0.
    With m the ratio, a = epsilon/m - m/2 and b = a + m (Balle and Wang 2018, Theorem 8),

        delta = Q(a) - exp(epsilon) Q(b),

    where Q is the upper tail of the standard normal. Both terms can be equal to many digits, and
    exp(epsilon) overflows. But b**2 - a**2 = 2 epsilon, so that with the density phi and Mills' ratio
    R = Q / phi (a scaled erfcx, never large from 0 on)

        delta = phi(a) (R(a) - R(b)) = phi(a) * integral of M from a to b,   M(t) = -R'(t) = 1 - t R(t),
        1 - delta = phi(a) (R(-a) + R(b)).

    The integral serves small m, where R(a) and R(b) are nearly equal.
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


def total_sum(sd: float) -> float:
    """Return the sum of w(k) over all integers."""
    if sd > _WIDE:
        return math.sqrt(2.0 * math.pi) * sd
    return 1.0 + 2.0 * upper_sum(1.0, sd)


def variance_sum(sd: float) -> float:
    """Return the variance."""
    if sd > _WIDE:
        # Poisson's summation: the terms from the second on are below exp(-2 pi^2 sd^2) < 1e-77
        return sd * sd
    k = np.arange(1.0, 45.0 * max(sd, 1.0))
    with np.errstate(all="ignore"):
        return float((2.0 * k * k * _weights(k, sd)).sum()) / total_sum(sd)


def upper_sum(first: float, sd: float) -> float:
    """Return the sum of w(k) over k >= first, an integer of at least 0."""
    count = _terms(first, sd)
    if count <= _MOST_TERMS:
        with np.errstate(all="ignore"):
            return float(_weights(first + np.arange(count + 1.0), sd).sum())
    weight = math.exp(-0.5 * (first / sd) ** 2)
    if weight == 0.0:
        return 0.0
    integral = sd * weight * float(mills(np.array([first / sd]))[0])
    return integral + _ends(*_derivatives(first, sd, weight))


def delta_sum(epsilon: float, sd: float, shift: int, cells: int) -> float:
    """Return the exact delta for a shift of one count, or of two at the same time.

    With two cells the loss depends on the sum S of two noises only. P(S = n) is proportional to
    exp(-n^2 / (4 sd^2)) times the sum of exp(-(k - n/2)^2 / sd^2) over all k, which depends on
    whether n is even: so S has the weights of a discrete Gaussian with sd sqrt(2), but for that.
    """
    wide, far = sd * math.sqrt(cells), float(cells * shift)
    # exactly, because where a term begins its size is this difference
    middle = Fraction(epsilon) * Fraction(sd) ** 2 / shift - Fraction(cells * shift, 2)
    whole = math.floor(middle) + 1
    if whole > 1e15:
        return 0.0
    first, gap = float(whole), float(whole - middle)
    count = _terms(max(first, 0.0), wide) - min(first, 0.0)
    if count <= _MOST_TERMS:
        # nothing counts below the far end of the left tail
        skipped = max(-math.ceil(10.0 * wide) - 1.0 - first, 0.0)
        steps = skipped + np.arange(count + 1.0)
        y = first + steps
        with np.errstate(all="ignore"):
            terms = _weights(y, wide) * -expm1(-(gap + steps) / wide * (far / wide))
        if cells == 1 or sd > _WIDE:
            return min(float(terms.sum()) / total_sum(wide), 1.0)
        odd = y % 2.0 != 0.0
        return min(_two_cells(float(terms[~odd].sum()), float(terms[odd].sum()), sd), 1.0)
    return min(_long_delta(epsilon, wide, far, first, gap), 1.0)


def _long_delta(epsilon: float, sd: float, shift: float, first: float, gap: float) -> float:
    """Return the continuous distribution's delta, corrected for the sum's steps."""

    def excess(step: float) -> float:
        return math.exp(-0.5 * ((first + step) / sd) ** 2) * -math.expm1(-(gap + step) / sd * (shift / sd))

    # between the point where the excess begins and the first integer it is a short smooth arc
    places = zip(GAUSS_POINTS.tolist(), GAUSS_WEIGHTS.tolist())
    arc = gap * sum(weight * excess(-gap * point) for point, weight in places)
    weight = math.exp(-0.5 * (first / sd) ** 2)
    here = _derivatives(first, sd, weight)
    there = _derivatives(first + shift, sd, weight * math.exp(-gap / sd * (shift / sd)))
    steps = _ends(excess(0.0), *(a - b for a, b in zip(here[1:], there[1:])))
    with np.errstate(under="ignore"):
        whole = math.exp(log_delta(epsilon, shift / sd))
    return max(whole + (steps - arc) / total_sum(sd), 0.0)


def _two_cells(even: float, odd: float, sd: float) -> float:
    """Return the share of the sums over even and odd n in the distribution of the sum of two noises."""
    narrow = sd / math.sqrt(2.0)
    half = 2.0 * float(_weights(np.arange(0.5, 12.0 * max(narrow, 1.0)), narrow).sum())
    return (total_sum(narrow) * even + half * odd) / total_sum(sd) ** 2


def _terms(first: float, sd: float) -> float:
    """Return how many terms from `first` on count: those with k^2 - first^2 <= 2 * 47 sd^2."""
    reach = 2.0 * _LAST * sd * sd
    return math.ceil(reach / (first + math.sqrt(first * first + reach))) if reach > 0.0 else 1.0


def _weights(k: Floats, sd: float) -> Floats:
    z = k / sd
    return exp(-0.5 * z * z)


def _derivatives(x: float, sd: float, weight: float) -> tuple[float, float, float, float]:
    """Return w and its first, third and fifth derivative, from w itself."""
    z, scale = x / sd, 1.0 / sd
    first = -z
    third = z * (3.0 - z * z)
    fifth = -z * (15.0 - z * z * (10.0 - z * z))
    return weight, weight * first * scale, weight * third * scale**3, weight * fifth * scale**5


def _ends(value: float, first: float, third: float, fifth: float) -> float:
    """Return what Euler and Maclaurin's formula adds to the integral at a sum's first term."""
    return value / 2.0 - first / 12.0 + third / 720.0 - fifth / 30240.0
