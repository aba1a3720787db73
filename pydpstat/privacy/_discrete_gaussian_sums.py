"""Sums over the discrete Gaussian's weights w(k) = exp(-k^2 / (2 sd^2)), to full relative accuracy.

Short sums are taken term by term, with positive terms only. Long ones vary slowly from term to term,
and Euler and Maclaurin's formula gives them from the integral and the first derivatives; with more
than 1,000 terms to the relative size 1e-20 its error is below 1e-18.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pydpstat.privacy._gaussian_curve import GAUSS_POINTS, GAUSS_WEIGHTS, log_delta, mills
from pydpstat.r_arithmetic.elementary import exp, expm1

Floats = npt.NDArray[np.float64]

_MOST_TERMS = 1000
# a term exp(-47) times the first one counts for nothing
_LAST = 47.0
# from here on the sum of all weights is the integral to 1e-60 of it
_WIDE = 3.0


def total_sum(sd: float) -> float:
    """Return the sum of w(k) over all whole numbers."""
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
    """Return the sum of w(k) over k >= first, a whole number of at least 0."""
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
    """Return the continuous law's delta, corrected for the sum's steps."""

    def excess(step: float) -> float:
        return math.exp(-0.5 * ((first + step) / sd) ** 2) * -math.expm1(-(gap + step) / sd * (shift / sd))

    # between the point where the excess begins and the first whole number it is a short smooth arc
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
    """Return the share of the sums over even and odd n in the law of the sum of two noises."""
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
