"""Sums of the discrete Gaussian's weights ``w(k) = exp(-k^2 / (2 sd^2))``, and its privacy curve."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from pydpstat.privacy._curves import (
    GAUSS_POINTS,
    GAUSS_WEIGHTS,
    SMALLEST_DELTA,
    Floats,
    compute_mills_difference,
    compute_mills_ratio,
    to_nearest_float,
)
from pydpstat.r_arithmetic.elementary import exp, expm1

_ROOT_2PI = math.sqrt(2.0 * math.pi)
_MOST_TERMS = 1000
# a term below exp(-47) times the first one is negligible
_NEGLIGIBLE_EXPONENT = 47.0
# from this sd on the sum of all weights equals the integral up to 1e-60 of it
_WIDE = 3.0
# from this sd on the continuous curve has a relative error of at most 2e-12
_HUGE = 2.0**46
# up to this step of the loss the Euler-Maclaurin formula is exact up to rounding for wide noise
_SMOOTH = 1.0 / 32.0
# beyond this many standard deviations below 0 the rest is negligible
_NEGLIGIBLE = 10.0
# from this exponent on a weight is smaller than all positive floats
_UNDERFLOW = 760
# relative errors of a sum with its terms and total, and of the continuous curve (more for a large place)
_SUM, _CURVE = 2.0**-48, 2.0**-51


def compute_total_weight(sd: float) -> float:
    """Return the sum of w(k) over all integers."""
    if sd > _WIDE:
        return _ROOT_2PI * sd
    return 1.0 + 2.0 * compute_upper_sum(1.0, sd)


def compute_variance(sd: float) -> float:
    """Return the variance of the discrete Gaussian."""
    if sd > _WIDE:
        # Poisson's summation: the terms from the second on are below exp(-2 pi^2 sd^2) < 1e-77
        return sd * sd
    k = np.arange(1.0, 45.0 * max(sd, 1.0))
    with np.errstate(all="ignore"):
        return float((2.0 * k * k * _compute_weights(k, sd)).sum()) / compute_total_weight(sd)


def compute_upper_sum(first: float, sd: float) -> float:
    """Return the sum of w(k) over k >= first, an integer of at least 0."""
    count = _count_terms(first, sd)
    if count <= _MOST_TERMS:
        with np.errstate(all="ignore"):
            return float(_compute_weights(first + np.arange(count + 1.0), sd).sum())
    weight = math.exp(-0.5 * (first / sd) ** 2)
    if weight == 0.0:
        return 0.0
    integral = sd * weight * float(compute_mills_ratio(np.array([first / sd]))[0])
    return integral + weight * _compute_end_correction(*_compute_derivatives(first, sd))


def compute_discrete_delta(epsilon: float, sd: float, shift: int, cells: int) -> float:
    """Return delta for a shift of one count, or of two simultaneously; rounded up, above 0.

    For a shift s the loss of the noise y exceeds epsilon above ``m = epsilon sd^2 / s - s / 2``, and with
    ``c = s / sd^2`` delta is the sum over the integers y > m of ``g(y) = w(y) (1 - exp(-c (y - m)))``,
    divided by the sum of all w.

    With two cells the loss depends on the sum S of two noises only. P(S = n) is proportional to
    exp(-n^2 / (4 sd^2)) times the sum of exp(-(k - n/2)^2 / sd^2) over all k, which depends on
    whether n is even: up to this factor S has the weights of a discrete Gaussian with sd sqrt(2). The
    shift is then 2 s, with the same c.

    If there are many terms, the sum is the integral, which is the continuous Gaussian's curve, plus the
    correction of the Euler-Maclaurin formula. If integers may not be floats (sd from 2^46 on), the integral
    alone is used, with a bound. The logarithm of g, ``-y^2 / (2 sd^2) + log(1 - exp(-c (y - m)))``, is
    concave, so that g increases up to some t and decreases from there. For integers, g(k) is at most the
    integral from k to k + 1 if k + 1 <= t, and that from k - 1 to k if k - 1 >= t. Two integers are left, on
    both sides of t; the lower of their values is at most the integral between them. Hence

        sum of g over the integers <= integral of g + G,

    where G is the largest value of g, and by Poisson's summation the sum of all w is
    ``sqrt(2 pi) sd (1 + 2 sum of exp(-2 pi^2 k^2 sd^2))``, at least the integral of w: delta is at most the
    continuous Gaussian's plus ``G / (sqrt(2 pi) sd)``. As ``1 - exp(-x) <= min(1, x)``, with x = y - m,

        G <= w(m) min(1, c max over x of x exp(-m x / sd^2 - x^2 / (2 sd^2)))
          <= w(m) min(1, c sd / sqrt(e), c sd^2 / (e m))                       for m > 0,
        G <= min(1, c (sd / sqrt(e) - m))                                      for m <= 0.

    Relative to delta that is about ``m / (e sd^2)`` or less, at most 2e-12 from 2^46 on for a delta that is a
    float. (Two cells have odd and even n with different weights, by a factor of at most
    1 + 4 exp(-pi^2 sd^2), which is 1.)
    """
    variance, n_cells = cells * Fraction(sd) ** 2, cells * shift
    # exact, since the size of the first term is this difference
    middle = Fraction(epsilon) * variance / n_cells - Fraction(n_cells, 2)
    first_index = math.floor(middle) + 1
    if first_index > 0 and first_index * first_index > 2 * _UNDERFLOW * variance:
        return SMALLEST_DELTA
    wide = sd * math.sqrt(cells)
    if middle < -_NEGLIGIBLE * Fraction(wide):
        # m is at least -s / 2, so the other neighbor's part is negligible, too
        return 1.0
    step = to_nearest_float(Fraction(n_cells) / variance)
    first_float, gap = float(first_index), float(first_index - middle)
    count = _count_terms(max(first_float, 0.0), wide) - min(first_float, 0.0)
    if count <= _MOST_TERMS or not step <= _SMOOTH and wide < _HUGE:
        share = _sum_delta_terms(variance, wide, first_index, gap, step, count, cells, sd)
        slack = _SUM + (0.0 if count <= _MOST_TERMS else _CURVE * (first_float / wide) ** 2)
    else:
        share, slack = _approximate_delta(variance, wide, n_cells, middle, gap, step)
    return min(1.0, max(SMALLEST_DELTA, math.nextafter(share * (1.0 + slack), 1.0)))


def _sum_delta_terms(
    variance: Fraction,
    wide: float,
    first_index: int,
    gap: float,
    step: float,
    count: float,
    cells: int,
    sd: float,
) -> float:
    """Return the sum of the terms, computed relative to the weight of the first term if that is small."""
    first, base = float(first_index), max(first_index, 0)
    if count <= _MOST_TERMS:
        steps = np.arange(count + 1.0)
        y = first + steps
        with np.errstate(all="ignore"):
            # (k^2 - base^2) / (2 variance), from exact integers
            weights = exp(-0.5 * ((y - base) / wide) * ((y + base) / wide))
            terms = weights * -expm1(-(gap + steps) * step)
        factor = _compute_weight(Fraction(base * base) / (2 * variance))
        if cells == 1 or sd > _WIDE:
            return factor * (float(terms.sum()) / compute_total_weight(wide))
        odd = y % 2.0 != 0.0
        return factor * _compute_two_cell_share(float(terms[~odd].sum()), float(terms[odd].sum()), sd)
    # many terms and a large step: the second part of g vanishes within a few of them
    steps = np.arange(math.ceil(_NEGLIGIBLE_EXPONENT / step) + 1.0)
    weights = exp(-0.5 * (steps / wide) * ((2.0 * first + steps) / wide))
    neighbor_sum = float((weights * exp(-(gap + steps) * step)).sum())
    factor = _compute_weight(Fraction(first_index * first_index) / (2 * variance))
    total = wide * float(compute_mills_ratio(np.array([first / wide]))[0]) + _compute_end_correction(
        *_compute_derivatives(first, wide)
    )
    return factor * ((total - neighbor_sum) / compute_total_weight(wide))


def _approximate_delta(
    variance: Fraction, wide: float, far: int, middle: Fraction, gap: float, step: float
) -> tuple[float, float]:
    """Return the continuous distribution's delta, corrected for the discreteness of the sum, and its relative error."""
    position, ratio = to_nearest_float(middle) / wide, to_nearest_float(Fraction(far)) / wide
    weight = _compute_weight(middle * middle / (2 * variance))
    if position < 0.0 and ratio >= 1.0:
        mills_sum = float(
            compute_mills_ratio(np.array([-position]))[0] + compute_mills_ratio(np.array([position + ratio]))[0]
        )
        curve = 1.0 - weight * mills_sum / _ROOT_2PI
    else:
        difference = compute_mills_difference(np.array([position]), np.array([ratio]))
        curve = weight * float(difference[0]) / _ROOT_2PI
    slack = _CURVE * (8.0 + min(max(position, 0.0), 20.0) ** 2)
    if wide >= _HUGE:
        max_error = min(1.0, step * wide / math.sqrt(math.e))
        if position > 0.0:
            max_error = weight * min(max_error, step * wide / (math.e * position))
        else:
            max_error = min(1.0, step * wide * (1.0 / math.sqrt(math.e) - position))
        return curve + max_error * (1.0 + _SUM) / (_ROOT_2PI * wide), slack
    # between the zero of g and the first integer, g is a short smooth arc
    first = float(math.floor(middle) + 1)

    def compute_excess(back: float) -> float:
        """Return g at a distance before the first integer, relative to w there."""
        return math.exp(0.5 * (back / wide) * ((2.0 * first - back) / wide)) * -math.expm1((back - gap) * step)

    nodes = zip(GAUSS_POINTS.tolist(), GAUSS_WEIGHTS.tolist())
    arc = gap * sum(weight * compute_excess(gap * point) for point, weight in nodes)
    derivatives = _compute_derivatives(first, wide)
    shifted_derivatives = (
        math.exp(-gap * step) * derivative for derivative in _compute_derivatives(first + float(far), wide)
    )
    _, *slopes = (a - b for a, b in zip(derivatives, shifted_derivatives))
    end_correction = _compute_end_correction(compute_excess(0.0), *slopes)
    relative = _compute_weight(Fraction(first) ** 2 / (2 * variance))
    return max(curve + relative * ((end_correction - arc) / compute_total_weight(wide)), 0.0), slack


def _compute_two_cell_share(even: float, odd: float, sd: float) -> float:
    """Return the sums over even and odd n as a share of the distribution of the sum of two noises."""
    narrow = sd / math.sqrt(2.0)
    half = 2.0 * float(_compute_weights(np.arange(0.5, 12.0 * max(narrow, 1.0)), narrow).sum())
    return (compute_total_weight(narrow) * even + half * odd) / compute_total_weight(sd) ** 2


def _count_terms(first: float, sd: float) -> float:
    """Return the number of terms from `first` on that are not negligible: k^2 - first^2 <= 2 * 47 sd^2."""
    square_width = 2.0 * _NEGLIGIBLE_EXPONENT * sd * sd
    return math.ceil(square_width / (first + math.sqrt(first * first + square_width))) if square_width > 0.0 else 1.0


def _compute_weight(exponent: Fraction) -> float:
    """Return exp(-exponent), to a unit in the last place even if the exponent is large."""
    if exponent > _UNDERFLOW:
        return 0.0
    nearest = float(exponent)
    return math.exp(-nearest) * (1.0 - float(exponent - Fraction(nearest)))


def _compute_weights(k: Floats, sd: float) -> Floats:
    z = k / sd
    return exp(-0.5 * z * z)


def _compute_derivatives(x: float, sd: float) -> tuple[float, float, float, float]:
    """Return w and its first, third and fifth derivative, divided by w."""
    z, scale = x / sd, 1.0 / sd
    first = -z
    third = z * (3.0 - z * z)
    fifth = -z * (15.0 - z * z * (10.0 - z * z))
    return 1.0, first * scale, third * scale**3, fifth * scale**5


def _compute_end_correction(value: float, first: float, third: float, fifth: float) -> float:
    """Return the Euler-Maclaurin correction to the integral at a sum's first term."""
    return value / 2.0 - first / 12.0 + third / 720.0 - fifth / 30240.0
