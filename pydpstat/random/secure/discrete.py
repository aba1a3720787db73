"""Noise on the integers: geometric, discrete Gaussian, and vectors whose probability decreases with a norm.

A vector z (`norm_ball`) has a probability proportional to exp(-rate |z|), exactly. The norm is the largest L1 norm of a
column's parts, over columns of equal numbers of parts: for one part per column the maximum norm, for one column the L1
norm. With a = exp(-rate), ``a^|z|`` is ``1 - a`` times the sum of ``a^r`` over all integers r from |z| on. So a radius
r is drawn with probability proportional to ``a^r`` times the number of points in the ball of radius r, and then a
point of that ball uniformly.

In a column of p parts, the sizes are one of the ``(r + 1) ... (r + p) / p!`` ways to divide at most r among p parts,
and each part has a sign. Draws in which a 0 has a minus sign are rejected, with their radius: each point then results
in one way. The proposed radius is the sum of M + 1 geometric numbers for M parts in total, which has the weight ``a^r
(r + 1) ... (r + M)``, and is accepted with probability ``((r + 1) ... (r + p))^d / ((r + 1) ... (r + M))`` for d = M
/ p columns: nearly always, if the rate is small.

For a larger norm, whose ball of every integer radius is a subset of this one, the draws are the same, and those outside
the ball are rejected, with their radius.

References
----------
Hardt, M. and Talwar, K. (2010). On the geometry of differential privacy. STOC 2010.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import UniformCell, draw_each_below
from pydpstat.random.secure._gaussian_table import draw_from_table, is_table_faster
from pydpstat.random.secure.continuous import LOG_QUANTILE, Integers, draw_rounded
from pydpstat.random.secure.trials import draw_exp_trial, draw_exp_trials, is_cell_below

_ROUNDING = 2.0**-50
Real = TypeVar("Real", float, npt.NDArray[np.float64])


def symmetric_geometric(size: int, rate: float | Fraction) -> Integers:
    """Draw the two-sided geometric distribution: P(k) is proportional to exp(-rate |k|).

    The rate, above 0, is taken as the exact number that it represents. The integers are returned as floats, or as
    Python's integers if one exceeds 2^53.

    P(|X| >= k) = 2 a^k / (1 + a) for k >= 1 with a = exp(-rate). So |X| is the largest k with
    U <= 2 a^k / (1 + a), which is floor((-log U + log(2 / (1 + a))) / rate).

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool(abs(secure.symmetric_geometric(1000, 1.0)).max() < 50)
    True
    """
    exact = Fraction(rate)

    def bound_log_sum(cell: UniformCell, precision: int) -> tuple[int, int]:
        below, above = precise.bound_minus_log(cell, precision)
        low, high = precise.bound_log_share(exact, precision)
        return below + low, above + high

    # log(2 / (1 + a)) without cancellation
    return _draw_floors(size, exact, math.log1p(math.tanh(0.5 * _to_float(exact))), bound_log_sum)


def sign_geometric(size: int, rate: float | Fraction) -> Integers:
    """Draw a random sign times a geometric variable; rate and result as in `symmetric_geometric`.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool(abs(secure.sign_geometric(1000, 1.0)).max() < 50)
    True
    """
    return _draw_floors(size, Fraction(rate), 0.0, precise.bound_minus_log)


def _draw_floors(
    size: int, rate: Fraction, offset: float, bounds: Callable[[UniformCell, int], tuple[int, int]]
) -> Integers:
    """Draw signed floor((-log U + offset) / rate): rounding down is rounding to the nearest after subtracting 1/2."""

    def resolve_draw(cell: UniformCell, place: int) -> int:
        return precise.compute_floor(cell, bounds, 1 / rate, half=False)

    ratio = _to_float(1 / rate)
    with np.errstate(all="ignore"):
        return draw_rounded(size, LOG_QUANTILE, ratio, resolve_draw, shift=ratio * offset - 0.5)


def _to_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def discrete_gaussian(size: int, sd: float) -> Integers:
    """Draw the discrete Gaussian distribution: P(k) is proportional to exp(-k^2 / (2 sd^2)).

    `sd`, at least 0 and finite, is taken as the exact number that it represents; with 0 every value is 0. The integers
    are returned as floats, or as Python's integers if one exceeds 2^53.

    Many draws are found in a table of the distribution function (`draw_from_table`), by inversion. Otherwise, with
    t = floor(sd) + 1, a two-sided geometric number Y of rate 1/t is accepted with probability
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
        return _draw_one(sd)
    if is_table_faster(size, sd):
        return draw_from_table(size, sd)
    draws: list[Integers] = []
    missing = size
    while missing > 0:
        # at least 40 % are accepted, except for small numbers of tries
        candidates = symmetric_geometric(2 * missing + 8, Fraction(1, math.floor(sd) + 1))
        accepted = candidates[_draw_accepted(candidates, sd)][:missing]
        draws.append(accepted)
        missing -= accepted.size
    return draws[0] if len(draws) == 1 else np.concatenate([np.empty(0), *draws])


def _draw_one(sd: float) -> Integers:
    """Draw one value with plain Python numbers, which are faster than short arrays."""
    while True:
        candidate = symmetric_geometric(1, Fraction(1, math.floor(sd) + 1))
        exponent, error = _compute_exponents(float(candidate[0]), sd)
        if draw_exp_trial(exponent, error, lambda: _compute_exact_exponent(candidate[0], sd)):
            return candidate


def _draw_accepted(candidates: Integers, sd: float) -> npt.NDArray[np.bool_]:
    with np.errstate(over="ignore"):
        exponents, errors = _compute_exponents(candidates.astype(np.float64), sd)
    return draw_exp_trials(exponents, errors, lambda place: _compute_exact_exponent(candidates[place], sd))


def _compute_exponents(candidates: Real, sd: float) -> tuple[Real, Real]:
    """Return the exponent of each candidate's trial and a bound of its error."""
    middle = sd * (sd / (math.floor(sd) + 1))
    size = abs(candidates)
    away = abs(size - middle) / sd
    # the difference's error is a few units in the last place of its terms
    slack = (size + middle) / sd * _ROUNDING
    exponent = 0.5 * away * away
    return exponent, (away + slack) * slack + exponent * _ROUNDING


def _compute_exact_exponent(candidate: float, sd: float) -> Fraction:
    variance = Fraction(sd) ** 2
    return (abs(int(candidate)) - variance / (math.floor(sd) + 1)) ** 2 / (2 * variance)


IntegerArray = np.ndarray
# up to this radius, all integers of a draw are far from the limit of 64 bits
_LARGEST_RADIUS = 2**60
# numbers drawn at a time
_CHUNK_SIZE = 1 << 18


def norm_ball(size: int, rate: Fraction, columns: int, parts: int = 1) -> Integers:
    """Draw integer vectors of ``columns * parts`` elements, with the parts of a column in succession.

    The rate, above 0, is taken as the exact number that it represents. Elements are floats, or Python's integers if one
    exceeds 2^53; the array has the shape (size, columns * parts).

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pydpstat.random import secure
    >>> secure.norm_ball(1000, Fraction(1, 100), 5).shape
    (1000, 5)
    """
    width = columns * parts

    def draw_candidates(count: int) -> IntegerArray:
        radius = draw_radii(count, rate, columns, parts)
        wide = np.repeat(radius[:, None], columns, axis=1)
        magnitudes = draw_each_below(wide + 1)[..., None] if parts == 1 else _split_radii(wide, parts)
        points, stand = draw_signs(magnitudes.reshape(len(radius), width))
        return points[stand]

    return as_floats(collect_accepted(size, width, draw_candidates))


def draw_radii(size: int, rate: Fraction, columns: int, parts: int) -> IntegerArray:
    """Draw `size` radii and return the accepted ones."""
    width = columns * parts
    drawn = np.abs(sign_geometric(size * (width + 1), rate))
    fits_int64 = drawn.dtype != object and float(drawn.max(initial=0.0)) * (width + 1) < _LARGEST_RADIUS
    radius = drawn.astype(np.int64 if fits_int64 else object).reshape(size, -1).sum(axis=1)
    return radius[_draw_acceptance(radius, columns, parts)]


def _draw_acceptance(radius: IntegerArray, columns: int, parts: int) -> npt.NDArray[np.bool_]:
    """Draw the trials of the module's docstring, in which a uniform number is compared with a ratio of products."""
    words = bits.draw_words(radius.size)
    width = columns * parts
    # a lower bound of the ratio, whose factors are (r + j) / (r + i) with j >= 1
    lower_limits = 1.0 - 0.5 * width * (width - 1) / (radius.astype(np.float64) + 1.0) - _ROUNDING
    accepted = words.astype(np.float64) * 2.0**-64 < lower_limits
    for index in np.flatnonzero(~accepted).tolist():
        r = int(radius[index])
        column = math.prod(range(r + 1, r + parts + 1))
        chance = Fraction(column**columns, math.prod(range(r + 1, r + width + 1)))
        accepted[index] = is_cell_below(UniformCell(int(words[index]), 64), chance)
    return accepted


def _split_radii(radius: IntegerArray, parts: int) -> IntegerArray:
    """Divide at most each radius among `parts` parts, uniformly over all ways.

    Of the numbers from 0 to r + p - 1, p distinct ones are drawn; the gaps before each are the parts.
    """
    flat = radius.ravel()
    selected = np.empty((flat.size, parts), dtype=flat.dtype)
    missing = np.arange(flat.size)
    while missing.size:
        drawn = draw_each_below(np.repeat(flat[missing, None] + parts, parts, axis=1))
        drawn.sort(axis=1)
        selected[missing] = drawn
        missing = missing[(drawn[:, 1:] == drawn[:, :-1]).any(axis=1)]
    selected[:, 1:] -= selected[:, :-1] + 1
    return selected.reshape(*radius.shape, parts)


def draw_signs(magnitudes: IntegerArray) -> tuple[IntegerArray, npt.NDArray[np.bool_]]:
    """Return magnitudes with random signs, and the mask of the rows in which no 0 has a minus sign."""
    size = magnitudes.size
    coins = np.unpackbits(np.frombuffer(bits.entropy((size + 7) // 8), dtype=np.uint8), count=size)
    minus = coins.reshape(magnitudes.shape).astype(bool)
    return np.where(minus, -magnitudes, magnitudes), ~(minus & (magnitudes == 0)).any(axis=1)


def collect_accepted(
    size: int, width: int, draw_rows: Callable[[int], IntegerArray], chance: float = 1.0
) -> IntegerArray:
    """Return the first `size` accepted rows of tries, where `chance` is the approximate acceptance rate."""
    max_rows = max(_CHUNK_SIZE // (width + 1), 16)
    accepted: list[IntegerArray] = []
    missing = size
    while missing > 0:
        rows = draw_rows(min(int(1.02 * missing / chance) + 4, max_rows))[:missing]
        accepted.append(rows)
        missing -= len(rows)
    return np.concatenate([np.empty((0, width), dtype=np.int64), *accepted])


def as_floats(points: IntegerArray) -> Integers:
    """Return integers as floats, or as Python's integers if one exceeds 2^53."""
    if points.dtype == object and any(abs(point) > 2**53 for point in points.flat):
        return points
    if points.dtype != object and np.abs(points).max(initial=0) > 2**53:
        return points.astype(object)
    return points.astype(np.float64)
