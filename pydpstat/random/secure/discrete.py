"""Geometric and discrete Gaussian noise on the integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import Cell
from pydpstat.random.secure.continuous import LOG, Integers, rounded
from pydpstat.random.secure.trials import trial_exp, trials_exp

_ROUNDING = 2.0**-50
Real = TypeVar("Real", float, npt.NDArray[np.float64])


def symmetric_geometric(size: int, rate: float | Fraction) -> Integers:
    """Draw the two-sided geometric distribution: P(k) is proportional to exp(-rate |k|).

    The rate, above 0, is the exact number that it is. The integers come as floats, and as Python's integers
    where one is beyond 2^53.

    P(|X| >= k) = 2 a^k / (1 + a) for k >= 1 with a = exp(-rate). So |X| is the largest k with
    U <= 2 a^k / (1 + a), which is floor((-log U + log(2 / (1 + a))) / rate).

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool(abs(secure.symmetric_geometric(1000, 1.0)).max() < 50)
    True
    """
    exact = Fraction(rate)

    def bounds(cell: Cell, precision: int) -> tuple[int, int]:
        below, above = precise.minus_log(cell, precision)
        least, most = precise.log_share(exact, precision)
        return below + least, above + most

    # log(2 / (1 + a)) without cancellation
    return _floors(size, exact, math.log1p(math.tanh(0.5 * _float(exact))), bounds)


def sign_geometric(size: int, rate: float | Fraction) -> Integers:
    """Draw a random sign times a geometric variable; rate and result as in `symmetric_geometric`.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool(abs(secure.sign_geometric(1000, 1.0)).max() < 50)
    True
    """
    return _floors(size, Fraction(rate), 0.0, precise.minus_log)


def _floors(
    size: int, rate: Fraction, offset: float, bounds: Callable[[Cell, int], tuple[int, int]]
) -> Integers:
    """Draw signed floor((-log U + offset) / rate): down instead of to the nearest, so 1/2 less."""

    def finish(cell: Cell, place: int) -> int:
        return precise.whole(cell, bounds, 1 / rate, half=False)

    ratio = _float(1 / rate)
    with np.errstate(all="ignore"):
        return rounded(size, LOG, ratio, finish, shift=ratio * offset - 0.5)


def _float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def discrete_gaussian(size: int, sd: float) -> Integers:
    """Draw the discrete Gaussian distribution: P(k) is proportional to exp(-k^2 / (2 sd^2)).

    `sd`, at least 0 and finite, is the exact number that it is; with 0 every value is 0. The integers come
    as floats, and as Python's integers where one is beyond 2^53.

    With t = floor(sd) + 1, a two-sided geometric number Y of rate 1/t is kept with probability
    exp(-(|Y| - sd^2/t)^2 / (2 sd^2)). The product of both probabilities is proportional to
    exp(-Y^2 / (2 sd^2)).

    References
    ----------
    Canonne, C. L., Kamath, G. and Steinke, T. (2020). The discrete Gaussian for differential privacy.
    NeurIPS 2020, algorithm 3.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool(abs(secure.discrete_gaussian(1000, 2.0)).max() < 30)
    True
    """
    if sd == 0.0:
        return np.zeros(size)
    if size == 1:
        return _one(sd)
    kept: list[Integers] = []
    missing = size
    while missing > 0:
        # at least four of ten are kept, but for small numbers of tries
        candidates = symmetric_geometric(2 * missing + 8, Fraction(1, math.floor(sd) + 1))
        chosen = candidates[_accepted(candidates, sd)][:missing]
        kept.append(chosen)
        missing -= chosen.size
    return kept[0] if len(kept) == 1 else np.concatenate([np.empty(0), *kept])


def _one(sd: float) -> Integers:
    """Draw one value in plain numbers, which is faster than short arrays."""
    while True:
        candidate = symmetric_geometric(1, Fraction(1, math.floor(sd) + 1))
        exponent, error = _exponents(float(candidate[0]), sd)
        if trial_exp(exponent, error, lambda: _exact_exponent(candidate[0], sd)):
            return candidate


def _accepted(candidates: Integers, sd: float) -> npt.NDArray[np.bool_]:
    with np.errstate(over="ignore"):
        exponents, errors = _exponents(candidates.astype(np.float64), sd)
    return trials_exp(exponents, errors, lambda place: _exact_exponent(candidates[place], sd))


def _exponents(candidates: Real, sd: float) -> tuple[Real, Real]:
    """Return the exponent of each candidate's trial and a bound of its error."""
    middle = sd * (sd / (math.floor(sd) + 1))
    size = abs(candidates)
    away = abs(size - middle) / sd
    # the difference's error is a few units in the last place of its terms
    slack = (size + middle) / sd * _ROUNDING
    exponent = 0.5 * away * away
    return exponent, (away + slack) * slack + exponent * _ROUNDING


def _exact_exponent(candidate: float, sd: float) -> Fraction:
    variance = Fraction(sd) ** 2
    return (abs(int(candidate)) - variance / (math.floor(sd) + 1)) ** 2 / (2 * variance)
