"""Binomial probabilities as R's ``dbinom`` rounds them: Loader's saddle-point expansion."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import exp, log

Floats = npt.NDArray[np.float64]

# log(2 pi), correctly rounded
_LOG_2PI = 1.8378770664093456
# log(n!) minus Stirling's formula, for n from 1 to 15; 0 stands for no successes and is not used
_STIRLING = (
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
# beyond n = 15: terms of the asymptotic series, as many as the size of n asks for
_TERMS = (1 / 12, 1 / 360, 1 / 1260, 1 / 1680, 1 / 1188)
_ENOUGH = ((500, 2), (80, 3), (35, 4), (15, 5))
_TINIEST = float(np.finfo(np.float64).tiny)
_MOST_TERMS = 1000


def dbinom(n: int, p: npt.ArrayLike) -> Floats:
    """Return the binomial probabilities of 0, 1, ..., n successes.

    Parameters
    ----------
    n : int
        Number of trials, at least 1.
    p : array_like of shape (m,)
        Probabilities of success, in [0, 1].

    Returns
    -------
    ndarray of float64, shape (n + 1, m)

    References
    ----------
    Loader, C. (2000). Fast and accurate computation of binomial probabilities. R 4.2.2, ``?dbinom``.

    Examples
    --------
    >>> from pydpstat.r_arithmetic._binomial import dbinom
    >>> dbinom(2, [0.5, 1.0])
    array([[0.25, 0.  ],
           [0.5 , 0.  ],
           [0.25, 1.  ]])
    """
    prob = np.asarray(p, dtype=np.float64)
    result = np.empty((n + 1, prob.size))
    certain = (prob == 0.0) | (prob == 1.0)
    result[:, certain] = 0.0
    result[0, prob == 0.0] = 1.0
    result[n, prob == 1.0] = 1.0
    success = prob[~certain]
    if success.size:
        failure = 1.0 - success
        result[0, ~certain] = _all_the_same(n, failure, success)
        result[n, ~certain] = _all_the_same(n, success, failure)
        for x in range(1, n):
            result[x, ~certain] = _between(x, n, success, failure)
    return result


def _all_the_same(n: int, prob: Floats, other: Floats) -> Floats:
    """Return prob ** n."""
    with np.errstate(divide="ignore", under="ignore"):
        power = n * log(prob)
        rare = np.flatnonzero(other < 0.1)
        power[rare] = -_deviance(float(n), n * prob[rare]) - n * other[rare]
        return np.asarray(exp(power))


def _between(x: int, n: int, success: Floats, failure: Floats) -> Floats:
    constant = _stirling_error(n) - _stirling_error(x) - _stirling_error(n - x)
    power = constant - _deviance(float(x), n * success) - _deviance(float(n - x), n * failure)
    spread = _LOG_2PI + math.log(x) + math.log1p(-x / n)
    with np.errstate(under="ignore"):
        return np.asarray(exp(power - 0.5 * spread))


def _deviance(x: float, mean: Floats) -> Floats:
    """Return x log(x / mean) + mean - x, by a series where the two are close."""
    with np.errstate(all="ignore"):
        result = x * log(x / mean) + mean - x
        close = np.flatnonzero(np.abs(x - mean) < 0.1 * (x + mean))
        result[close] = [_deviance_series(x, each) for each in mean[close].tolist()]
    return result


def _deviance_series(x: float, mean: float) -> float:
    ratio = (x - mean) / (x + mean)
    total = (x - mean) * ratio
    if abs(total) < _TINIEST:
        return total
    term = 2.0 * x * ratio
    ratio *= ratio
    for j in range(1, _MOST_TERMS):
        term *= ratio
        before = total
        total += term / (2 * j + 1)
        if total == before:
            return total
    return x * math.log(x / mean) + mean - x


@lru_cache(maxsize=4096)
def _stirling_error(n: int) -> float:
    if n <= 15:
        return _STIRLING[n]
    square = float(n) * n
    terms = _TERMS[: next(count for above, count in _ENOUGH if n > above)]
    total = terms[-1]
    for term in terms[-2::-1]:
        total = term - total / square
    return total / n
