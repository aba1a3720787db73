"""Laplace and normal noise: real numbers, rounded to the grid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import UniformCell

Scale = float | Floats
# floats, or Python's integers if one exceeds 2^53
Integers = npt.NDArray[np.float64 | np.object_]

# 64 units in the last place: the C library's logarithm is accurate to one, NumPy's own tests allow 4
LOG_ERROR = 2.0**-46
# 128 units in the last place: Cephes documents 7e-16 to 1.3e-15, about 6, for the function that SciPy uses
NORMAL_ERROR = 2.0**-45


def laplace(size: int, scale: Scale, grid: float) -> Integers:
    """Draw Laplace noise as integers of grid units.

    Parameters
    ----------
    size : int
        Number of values.
    scale : float or array of shape (size,)
        The distribution's scale, in the statistic's unit; at least 0.
    grid : float
        The grid unit, a power of two.

    Returns
    -------
    ndarray of shape (size,)
        Integers, as floats; as Python's integers where one is beyond 2^53.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> noise = secure.laplace(1000, 1.0, 2.0**-20) * 2.0**-20
    >>> bool(abs(abs(noise).mean() - 1.0) < 0.25)
    True
    """

    def resolve_draw(cell: UniformCell, place: int) -> int:
        return precise.compute_floor(cell, precise.bound_minus_log, _compute_exact_ratio(scale, grid, place), half=True)

    return draw_rounded(size, LOG_QUANTILE, _compute_ratio(scale, grid), resolve_draw)


def normal(size: int, sd: Scale, grid: float) -> Integers:
    """Draw normal noise as integers of grid units; parameters and result as in `laplace`.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> noise = secure.normal(1000, 1.0, 2.0**-20) * 2.0**-20
    >>> bool(abs(noise.std() - 1.0) < 0.25)
    True
    """

    def resolve_draw(cell: UniformCell, place: int) -> int:
        return precise.compute_normal_floor(
            cell,
            _compute_exact_ratio(sd, grid, place),
            lambda u: -_compute_minus_normal_one(max(u, 2.0**-1000)),
        )

    return draw_rounded(size, NORMAL_QUANTILE, _compute_ratio(sd, grid), resolve_draw)


def _compute_minus_normal_many(uniform: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    from scipy.special import ndtri

    # the lower half only, where a uniform near 0 keeps its relative accuracy
    half = uniform * 0.5
    return ndtri(half, out=half)


def _compute_minus_normal_one(uniform: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(0.5 * uniform))


def _compute_ratio(scale: Scale, grid: float) -> Scale:
    if isinstance(scale, float):
        # the quotient is exact unless it overflows to infinity or underflows
        return scale / grid
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(scale, dtype=np.float64) / grid


def _compute_exact_ratio(scale: Scale, grid: float, place: int) -> Fraction:
    each = np.asarray(scale, dtype=np.float64)
    return Fraction(float(each[place] if each.ndim else each)) / Fraction(grid)


# grid of a Gamma variable's summands, before they are scaled
_GAMMA_GRID = 2.0**-36


def uniform(size: int) -> npt.NDArray[np.float64]:
    """Draw uniform variables in (0, 1), of 52 bits.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> bool((secure.uniform(100) > 0.0).all())
    True
    """
    return bits.to_midpoints(bits.draw_words(size))


def gamma(shape: int, rate: float) -> float:
    """Draw one Gamma variable with an integer shape: a sum of exponential ones, each the size of a Laplace variable.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> secure.gamma(3, 1.0) > 0.0
    True
    """
    draws = laplace(shape, 1.0, _GAMMA_GRID)
    return float(np.abs(draws.astype(np.float64)).sum() * _GAMMA_GRID) / rate


# the arrays of a chunk fit into the second-level cache
_CHUNK_SIZE = 16384
# up to this number of draws, plain Python numbers are faster
_MAX_SCALAR_DRAWS = 8
# from here on floats do not represent every integer
_LARGEST_EXACT = 2**53
_ROUNDING = 2.0**-50
# a first check uses one bound for all uniforms above this limit, where both f are below 10
_COMMON_UNIFORM, _COMMON_QUANTILE = 2.0**-14, 10.0


@dataclass(frozen=True, slots=True)
class QuantileFunction:
    """A decreasing quantile function f on (0, 1): -f of an array and of a float, and their relative error."""

    minus_many: Callable[[Floats], Floats]
    minus_one: Callable[[float], float]
    error: float


def draw_rounded(
    size: int,
    quantile: QuantileFunction,
    ratio: Scale,
    finish: Callable[[bits.UniformCell, int], int],
    shift: float = 0.0,
) -> Integers:
    """Draw rint(ratio * f(U) + shift) with random signs: floats, or Python's integers if one exceeds 2^53.

    The ratio is at least 0, and may have overflowed, or lost digits by underflow. `finish` maps a uniform's cell and
    the draw's index to the exact integer. With a negative shift, ``ratio * f + shift`` is above -1/2.
    """
    if size <= _MAX_SCALAR_DRAWS:
        return _draw_few(size, quantile, ratio, finish, shift)
    result = np.empty(size)
    large: dict[int, int] = {}
    for start in range(0, size, _CHUNK_SIZE):
        chunk = result[start : start + _CHUNK_SIZE]
        words = bits.draw_words(chunk.size)
        ratios: Scale = ratio if isinstance(ratio, float) else ratio[start : start + _CHUNK_SIZE]
        with np.errstate(all="ignore"):
            undecided = _round_many(quantile, ratios, shift, words, chunk)
        for index in undecided.tolist():
            drawn = int(words[index])
            integer = bits.get_sign(drawn) * finish(bits.make_cell(drawn), start + index)
            if abs(integer) <= _LARGEST_EXACT:
                chunk[index] = integer
            else:
                large[start + index] = integer
    return result if not large else _insert_large(result, large)


def _draw_few(
    size: int,
    quantile: QuantileFunction,
    ratio: Scale,
    finish: Callable[[bits.UniformCell, int], int],
    shift: float,
) -> Integers:
    """Draw as `draw_rounded` does, one value after the other."""
    ratios = (float(ratio),) * size if isinstance(ratio, float) else np.broadcast_to(ratio, size).tolist()
    integers = []
    for index, exact_ratio in enumerate(ratios):
        drawn = bits.draw_word()
        integer = _round_one(quantile, exact_ratio, shift, drawn)
        if integer is None:
            integer = bits.get_sign(drawn) * finish(bits.make_cell(drawn), index)
        integers.append(integer)
    exact = all([abs(integer) <= _LARGEST_EXACT for integer in integers])
    return np.array(integers, dtype=np.float64 if exact else object)


def _insert_large(result: Floats, large: dict[int, int]) -> Integers:
    result[list(large)] = 0.0
    integers = np.empty(result.size, dtype=object)
    integers[:] = [int(number) for number in result.tolist()]
    for index, value in large.items():
        integers[index] = value
    return integers


def bound_error(ratio: Scale, value: Scale, u: Scale, size: Scale, shift: float, error: float) -> Scale:
    """Return a bound of the error of ``ratio * f(U) + shift``; the arguments are floats, or arrays of one shape.

    U is within h of the float u, and the implementation of f has the relative error e. Then ``|x - computed x| <= ratio
    * (2 h / u + e f(u)) + 2^-50 (|x| + |shift| + 1)``. The first term bounds the effect of U's unknown bits: |f'(t)| <=
    1 / t for f = -log, and for f(t) = -Phi^-1(t / 2) it is 1 / (2 phi(f(t))) <= sqrt(pi / 2) / t, because the normal
    tail is at most sqrt(pi / 2) phi. Beyond U's first cell, t >= 2 u / 3 within the cell, so that 1.9 / u bounds both;
    the first cell itself is never decided here. The last term covers the rounding errors of the product, the sum and
    the parameters, which are a few units of 2^-53 each.
    """
    return ratio * (2.0 * bits.get_half_cell() / u + error * value) + (size + abs(shift) + 1.0) * _ROUNDING


def _round_one(quantile: QuantileFunction, ratio: float, shift: float, drawn: int) -> int | None:
    """Return one signed integer, or None if floating point does not decide it."""
    u = bits.to_midpoint(drawn)
    value = -quantile.minus_one(u)
    x = ratio * value + shift
    if not x < _LARGEST_EXACT or u <= bits.get_half_cell():
        return None
    integer = round(x)
    slack = bound_error(ratio, value, u, abs(x), shift, quantile.error)
    if abs(x - integer) < 0.5 - slack or (x < 0.0 and slack < 0.5):
        return bits.get_sign(drawn) * integer
    return None


def _round_many(
    quantile: QuantileFunction, ratio: Scale, shift: float, words: npt.NDArray[np.uint64], result: Floats
) -> npt.NDArray[np.intp]:
    """Write signed integers to `result`, and return the indices of the undecided ones."""
    uniform = bits.to_midpoints(words)
    minus = quantile.minus_many(uniform)
    x = minus * -ratio
    if shift:
        x += shift
    np.rint(x, out=result)
    distance = x - result
    np.abs(distance, out=distance)
    highest = float(np.max(ratio))
    common = bound_error(highest, _COMMON_QUANTILE, _COMMON_UNIFORM, highest * _COMMON_QUANTILE, shift, quantile.error)
    # comparisons with NaN are false, so that overflowed values stay undecided
    decided = distance < 0.5 - common
    decided &= uniform >= _COMMON_UNIFORM
    bits.apply_signs(words, result)
    if decided.all():
        return np.empty(0, dtype=np.intp)
    undecided = np.flatnonzero(~decided)
    u, x = uniform[undecided], x[undecided]
    ratio = ratio if isinstance(ratio, float) else ratio[undecided]
    slack = bound_error(ratio, -minus[undecided], u, np.abs(x), shift, quantile.error)
    decided = (distance[undecided] < 0.5 - slack) | ((x < 0.0) & (slack < 0.5))
    decided &= u > bits.get_half_cell()
    return undecided[~decided]


LOG_QUANTILE = QuantileFunction(np.log, math.log, LOG_ERROR)
NORMAL_QUANTILE = QuantileFunction(_compute_minus_normal_many, _compute_minus_normal_one, NORMAL_ERROR)
