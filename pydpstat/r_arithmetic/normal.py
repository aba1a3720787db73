"""Normal probabilities and quantiles, rounded as R's ``pnorm`` and ``qnorm``."""

from __future__ import annotations

import math
import sys
from statistics import NormalDist

import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Numbers, each, elementwise

# Cody's minimax coefficients on three ranges; *_LEAD belongs to the highest power of the numerator.
_CENTRE_TOP = (2.2352520354606839287, 161.02823106855587881, 1067.6894854603709582, 18154.981253343561249)
_CENTRE_LEAD = 0.065682337918207449113
_CENTRE_BOTTOM = (47.20258190468824187, 976.09855173777669322, 10260.932208618978205, 45507.789335026729956)
_MIDDLE_TOP = (
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
_MIDDLE_BOTTOM = (
    22.266688044328115691,
    235.38790178262499861,
    1519.377599407554805,
    6485.558298266760755,
    18615.571640885098091,
    34900.952721145977266,
    38912.003286093271411,
    19685.429676859990727,
)
_FAR_TOP = (
    0.21589853405795699,
    0.1274011611602473639,
    0.022235277870649807,
    0.001421619193227893466,
    2.9112874951168792e-5,
)
_FAR_LEAD = 0.02307344176494017303
_FAR_BOTTOM = (
    1.28426009614491121,
    0.468238212480865118,
    0.0659881378689285515,
    0.00378239633202758244,
    7.29751555083966205e-5,
)

_TINY = 0.5 * sys.float_info.epsilon
_CENTRE_END = 0.67448975
_MIDDLE_END = math.sqrt(32.0)
_LOWEST = -37.5193
_HIGHEST = 8.2924
_INVERSE_SQRT_2PI = 0.398942280401432677939946059934


@elementwise
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
    return each(_lower_tail, _lower_tail, q)


@elementwise
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
    return each(_quantile, _quantile, p)


def _quantile(p: float) -> float:
    if 0.0 < p < 1.0:
        # the standard library evaluates the same approximation in the same order as R
        return NormalDist().inv_cdf(p)
    return {0.0: -math.inf, 1.0: math.inf}.get(p, math.nan)


def _lower_tail(x: float) -> float:
    if math.isnan(x):
        return math.nan
    size = abs(x)
    if size <= _CENTRE_END:
        square = x * x if size > _TINY else 0.0
        return 0.5 + _fraction(x, square, _CENTRE_LEAD * square, _CENTRE_TOP, square, _CENTRE_BOTTOM)
    if x <= _LOWEST:
        return 0.0
    if x >= _HIGHEST:
        return 1.0
    if size <= _MIDDLE_END:
        tail = _fraction(1.0, size, _MIDDLE_LEAD * size, _MIDDLE_TOP, size, _MIDDLE_BOTTOM)
    else:
        square = 1.0 / (x * x)
        tail = _fraction(square, square, _FAR_LEAD * square, _FAR_TOP, square, _FAR_BOTTOM)
        tail = (_INVERSE_SQRT_2PI - tail) / size
    # exp(-x**2 / 2) from a short number, whose square is exact, and a small rest
    short = math.trunc(size * 16.0) / 16.0
    rest = (size - short) * (size + short)
    tail *= math.exp(-short * short * 0.5) * math.exp(-rest * 0.5)
    return tail if x < 0.0 else 1.0 - tail


def _fraction(
    factor: float, x: float, top: float, tops: tuple[float, ...], bottom: float, bottoms: tuple[float, ...]
) -> float:
    """`factor` times a quotient of polynomials, by Horner's rule from the leading terms `top` and `bottom`.

    The factor goes to the numerator before the division: the last bit depends on it.
    """
    for upper, lower in zip(tops[:-1], bottoms[:-1]):
        top = (top + upper) * x
        bottom = (bottom + lower) * x
    return factor * (top + tops[-1]) / (bottom + bottoms[-1])
