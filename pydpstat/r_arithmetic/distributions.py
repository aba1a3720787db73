"""Normal and binomial probabilities, rounded as R's ``pnorm``, ``qnorm`` and ``dbinom``."""

from __future__ import annotations

import math
import sys
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats, Numbers, apply_elementwise, cast_elementwise, exp, log

# Cody's minimax coefficients on three ranges; *_LEAD belongs to the highest power of the numerator
_CENTER_NUMERATOR = (
    2.2352520354606839287,
    161.02823106855587881,
    1067.6894854603709582,
    18154.981253343561249,
)
_CENTER_LEAD = 0.065682337918207449113
_CENTER_DENOMINATOR = (
    47.20258190468824187,
    976.09855173777669322,
    10260.932208618978205,
    45507.789335026729956,
)
_MIDDLE_NUMERATOR = (
    0.39894151208813466764,
    8.8831497943883759412,
    93.506656132177855979,
    597.27027639480026226,
    2494.5375852903726711,
    6848.1904505362823326,
    11602.651437647350124,
    9842.7148383839780218,
)
_MIDDLE_LEAD = 1.0765576773720192317e-8
_MIDDLE_DENOMINATOR = (
    22.266688044328115691,
    235.38790178262499861,
    1519.377599407554805,
    6485.558298266760755,
    18615.571640885098091,
    34900.952721145977266,
    38912.003286093271411,
    19685.429676859990727,
)
_FAR_NUMERATOR = (
    0.21589853405795699,
    0.1274011611602473639,
    0.022235277870649807,
    0.001421619193227893466,
    2.9112874951168792e-5,
)
_FAR_LEAD = 0.02307344176494017303
_FAR_DENOMINATOR = (
    1.28426009614491121,
    0.468238212480865118,
    0.0659881378689285515,
    0.00378239633202758244,
    7.29751555083966205e-5,
)

_TINY = 0.5 * sys.float_info.epsilon
_CENTER_END = 0.67448975
_MIDDLE_END = math.sqrt(32.0)
_LOWEST = -37.5193
_HIGHEST = 8.2924
_INVERSE_SQRT_2PI = 0.398942280401432677939946059934


@cast_elementwise
def pnorm(q: npt.ArrayLike) -> Numbers:
    """Standard normal distribution function, as R's ``pnorm(q)``.

    Parameters
    ----------
    q : float or array_like
        Quantiles; NaN stays NaN.

    Returns
    -------
    float or ndarray
        A float for a scalar, otherwise an array of the shape of `q`. Below -37.5193 it is 0.

    See Also
    --------
    qnorm : its inverse.

    References
    ----------
    Cody, W. D. (1969). Rational Chebyshev approximations for the error function. Mathematics of
    Computation 23, 631-637.

    Examples
    --------
    >>> pnorm(0.0)
    0.5
    >>> pnorm([-1.0, 1.0]).round(6)
    array([0.158655, 0.841345])
    """
    return apply_elementwise(_compute_lower_tail, _compute_lower_tail, q)


@cast_elementwise
def qnorm(p: npt.ArrayLike) -> Numbers:
    """Standard normal quantiles, as R's ``qnorm(p)``.

    Parameters
    ----------
    p : float or array_like
        Probabilities. Outside [0, 1] the result is NaN, at 0 and 1 infinite.

    Returns
    -------
    float or ndarray
        A float for a scalar, otherwise an array of the shape of `p`.

    See Also
    --------
    pnorm : its inverse.

    References
    ----------
    Wichura, M. J. (1988). Algorithm AS 241: the percentage points of the normal distribution.
    Applied Statistics 37, 477-484.

    Examples
    --------
    >>> qnorm(0.975)
    1.9599639845400536
    >>> qnorm([0.0, 0.5])
    array([-inf,   0.])
    """
    return apply_elementwise(_compute_quantile, _compute_quantile, p)


def _compute_quantile(p: float) -> float:
    if 0.0 < p < 1.0:
        # the standard library evaluates the same approximation in the same order as R
        return NormalDist().inv_cdf(p)
    return {0.0: -math.inf, 1.0: math.inf}.get(p, math.nan)


def _compute_lower_tail(x: float) -> float:
    if math.isnan(x):
        return math.nan
    size = abs(x)
    if size <= _CENTER_END:
        square = x * x if size > _TINY else 0.0
        return 0.5 + _evaluate_fraction(
            x, square, _CENTER_LEAD * square, _CENTER_NUMERATOR, square, _CENTER_DENOMINATOR
        )
    if x <= _LOWEST:
        return 0.0
    if x >= _HIGHEST:
        return 1.0
    if size <= _MIDDLE_END:
        tail = _evaluate_fraction(1.0, size, _MIDDLE_LEAD * size, _MIDDLE_NUMERATOR, size, _MIDDLE_DENOMINATOR)
    else:
        square = 1.0 / (x * x)
        tail = _evaluate_fraction(square, square, _FAR_LEAD * square, _FAR_NUMERATOR, square, _FAR_DENOMINATOR)
        tail = (_INVERSE_SQRT_2PI - tail) / size
    # exp(-x**2 / 2) is split into a short number, whose square is exact, and a small rest
    truncated = math.trunc(size * 16.0) / 16.0
    remainder = (size - truncated) * (size + truncated)
    tail *= math.exp(-truncated * truncated * 0.5) * math.exp(-remainder * 0.5)
    return tail if x < 0.0 else 1.0 - tail


def _evaluate_fraction(
    factor: float, x: float, top: float, tops: tuple[float, ...], bottom: float, bottoms: tuple[float, ...]
) -> float:
    """Return `factor` times a ratio of polynomials, by Horner's rule from the leading terms `top` and `bottom`.

    The factor multiplies the numerator before the division because the last bit depends on it.
    """
    for upper, lower in zip(tops[:-1], bottoms[:-1]):
        top = (top + upper) * x
        bottom = (bottom + lower) * x
    return factor * (top + tops[-1]) / (bottom + bottoms[-1])


# log(2 pi), correctly rounded
_LOG_2PI = 1.8378770664093456
# log(n!) minus Stirling's formula, for n from 1 to 15; the entry for 0 is not used
_STIRLING_ERRORS = (
    0.0,
    0.08106146679532726,
    0.0413406959554093,
    0.02767792568499834,
    0.020790672103765093,
    0.016644691189821193,
    0.013876128823070748,
    0.01189670994589177,
    0.010411265261972096,
    0.009255462182712733,
    0.00833056343336287,
    0.007573675487951841,
    0.00694284010720953,
    0.006408994188004207,
    0.0059513701127588475,
    0.005554733551962801,
)
# beyond n = 15: terms of the asymptotic series, as many as needed for the size of n
_STIRLING_TERMS = (1 / 12, 1 / 360, 1 / 1260, 1 / 1680, 1 / 1188)
_STIRLING_TERM_COUNTS = ((500, 2), (80, 3), (35, 4), (15, 5))
_SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)
_MAX_TERMS = 1000


def dbinom(n: int, p: npt.ArrayLike) -> Floats:
    """Return the binomial probabilities of 0, 1, ..., n successes as an array of shape (n + 1, m).

    There is at least one trial, and `p` has m probabilities of success, in [0, 1].

    Loader, C. (2000). Fast and accurate computation of binomial probabilities. R 4.2.2, ``?dbinom``.

    >>> dbinom(2, [0.5, 1.0])
    array([[0.25, 0.  ],
           [0.5 , 0.  ],
           [0.25, 1.  ]])
    """
    prob = np.asarray(p, dtype=np.float64)
    result = np.zeros((n + 1, prob.size))
    certain = (prob == 0.0) | (prob == 1.0)
    result[0, prob == 0.0] = 1.0
    result[n, prob == 1.0] = 1.0
    success = prob[~certain]
    if success.size:
        failure = 1.0 - success
        result[0, ~certain] = _compute_all_successes(n, failure, success)
        result[n, ~certain] = _compute_all_successes(n, success, failure)
        for x in range(1, n):
            result[x, ~certain] = _compute_binomial_mass(x, n, success, failure)
    return result


def _compute_all_successes(n: int, prob: Floats, other: Floats) -> Floats:
    """Return prob ** n."""
    with np.errstate(divide="ignore", under="ignore"):
        power = n * log(prob)
        rare = np.flatnonzero(other < 0.1)
        power[rare] = -_compute_deviance(float(n), n * prob[rare]) - n * other[rare]
        return np.asarray(exp(power))


def _compute_binomial_mass(x: int, n: int, success: Floats, failure: Floats) -> Floats:
    constant = _compute_stirling_error(n) - _compute_stirling_error(x) - _compute_stirling_error(n - x)
    power = constant - _compute_deviance(float(x), n * success) - _compute_deviance(float(n - x), n * failure)
    spread = _LOG_2PI + math.log(x) + math.log1p(-x / n)
    with np.errstate(under="ignore"):
        return np.asarray(exp(power - 0.5 * spread))


def _compute_deviance(x: float, mean: Floats) -> Floats:
    """Return x log(x / mean) + mean - x, by a series if the two are close."""
    with np.errstate(all="ignore"):
        result = x * log(x / mean) + mean - x
        close = np.flatnonzero(np.abs(x - mean) < 0.1 * (x + mean))
        result[close] = [_sum_deviance_series(x, m) for m in mean[close].tolist()]
    return result


def _sum_deviance_series(x: float, mean: float) -> float:
    ratio = (x - mean) / (x + mean)
    total = (x - mean) * ratio
    if abs(total) < _SMALLEST_NORMAL:
        return total
    term = 2.0 * x * ratio
    ratio *= ratio
    for j in range(1, _MAX_TERMS):
        term *= ratio
        before = total
        total += term / (2 * j + 1)
        if total == before:
            return total
    return x * math.log(x / mean) + mean - x


@lru_cache(maxsize=4096)
def _compute_stirling_error(n: int) -> float:
    if n <= 15:
        return _STIRLING_ERRORS[n]
    square = float(n) * n
    terms = _STIRLING_TERMS[: next(count for above, count in _STIRLING_TERM_COUNTS if n > above)]
    total = terms[-1]
    for term in terms[-2::-1]:
        total = term - total / square
    return total / n
