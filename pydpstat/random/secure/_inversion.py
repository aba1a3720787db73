"""Rounded quantiles of uniform real numbers: quickly where floating point decides, else exactly.

A law's positive half is ``x = ratio * f(U) + shift`` with a decreasing f >= 0 and U uniform, and the
draw is x rounded to the nearest whole number. Of U the first bits are known: it lies within h of the
float u. In floating point, with f's implementation right to the relative error e,

    |x - computed x| <= ratio * (2 h / u + e f(u)) + 2^-50 (|x| + |shift| + 1).

The first term bounds what U's unknown bits do: |f'(t)| <= 1 / t for f = -log, and for
f(t) = -Phi^-1(t / 2) it is 1 / (2 phi(f(t))) <= sqrt(pi / 2) / t, because the normal tail is at most
sqrt(pi / 2) phi. From U's first cell on, t >= 2 u / 3 within the cell, so that 1.9 / u bounds both;
the first cell itself is never decided here. The last term covers the roundings of the product, the
sum and the parameters, which are a few units of 2^-53 each.
Where no half-integer lies within the bound, rounding the computed x rounds x itself. Otherwise the
law's `finish` draws more of U's bits and decides with `pydpstat.random.secure._precise`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.random.secure import _bits as bits

Floats = npt.NDArray[np.float64]

# a chunk's arrays stay in the second-level cache
_CHUNK = 16384
# so few draws take less time in Python's numbers
_FEW = 8
# from here on a float no longer holds every whole number
_LARGEST = 2**53
_ROUNDING = 2.0**-50
# a first look takes one bound for all uniforms above it, where both f are below 10
_COMMON, _MOST = 2.0**-14, 10.0


@dataclass(frozen=True, slots=True)
class Quantile:
    """A decreasing quantile function f of (0, 1), as floating point computes it.

    Parameters
    ----------
    minus_many : callable
        -f of an array.
    minus_one : callable
        -f of a float.
    error : float
        Bound of both functions' relative error.
    """

    minus_many: Callable[[Floats], Floats]
    minus_one: Callable[[float], float]
    error: float


def rounded(
    size: int,
    quantile: Quantile,
    ratio: Any,
    finish: Callable[[bits.Cell, int], int],
    shift: float = 0.0,
) -> npt.NDArray[Any]:
    """Draw rint(ratio * f(U) + shift) with random signs.

    Parameters
    ----------
    size : int
        How many draws.
    quantile : Quantile
        f.
    ratio : float or array of shape (size,)
        At least 0; it may have overflowed, or lost digits by underflow.
    finish : callable
        A uniform's cell and the draw's number in, the exact whole number out.
    shift : float, default 0.0
        With a shift below 0, ``ratio * f + shift`` is above -1/2.

    Returns
    -------
    ndarray of shape (size,)
        Whole numbers as floats; as Python's integers where one is beyond 2^53.
    """
    if size <= _FEW:
        return _few(size, quantile, ratio, finish, shift)
    result = np.empty(size)
    large: dict[int, int] = {}
    for start in range(0, size, _CHUNK):
        part = result[start : start + _CHUNK]
        words = bits.words(part.size)
        ratios = ratio if np.ndim(ratio) == 0 else ratio[start : start + _CHUNK]
        with np.errstate(all="ignore"):
            undecided = _many(quantile, ratios, shift, words, part)
        for place in undecided.tolist():
            drawn = int(words[place])
            whole = bits.sign(drawn) * finish(bits.cell_of(drawn), start + place)
            if abs(whole) <= _LARGEST:
                part[place] = whole
            else:
                large[start + place] = whole
    return result if not large else _with_large(result, large)


def _few(
    size: int, quantile: Quantile, ratio: Any, finish: Callable[[bits.Cell, int], int], shift: float
) -> npt.NDArray[Any]:
    """Draw as `rounded` does, one after the other."""
    ratios = (float(ratio),) * size if isinstance(ratio, float) else np.broadcast_to(ratio, size).tolist()
    wholes = []
    for place, each in enumerate(ratios):
        drawn = bits.word()
        whole = _one(quantile, each, shift, drawn)
        if whole is None:
            whole = bits.sign(drawn) * finish(bits.cell_of(drawn), place)
        wholes.append(whole)
    exact = all([abs(whole) <= _LARGEST for whole in wholes])
    return np.array(wholes, dtype=np.float64 if exact else object)


def _with_large(result: Floats, large: dict[int, int]) -> npt.NDArray[Any]:
    result[list(large)] = 0.0
    whole = np.empty(result.size, dtype=object)
    whole[:] = [int(each) for each in result.tolist()]
    for place, value in large.items():
        whole[place] = value
    return whole


def bound(ratio: Any, value: Any, u: Any, x: Any, shift: float, error: float) -> Any:
    """Return the bound of the module's docstring; the arguments are floats, or arrays of one shape."""
    return ratio * (2.0 * bits.half_cell() / u + error * value) + (abs(x) + abs(shift) + 1.0) * _ROUNDING


def _one(quantile: Quantile, ratio: float, shift: float, drawn: int) -> int | None:
    """Return one signed whole number, or None where floating point does not decide it."""
    u = bits.midpoint(drawn)
    value = -quantile.minus_one(u)
    x = ratio * value + shift
    if not x < _LARGEST or u <= bits.half_cell():
        return None
    whole = round(x)
    slack = bound(ratio, value, u, x, shift, quantile.error)
    if abs(x - whole) < 0.5 - slack or (x < 0.0 and slack < 0.5):
        return bits.sign(drawn) * whole
    return None


def _many(
    quantile: Quantile, ratio: Any, shift: float, words: npt.NDArray[np.uint64], result: Floats
) -> npt.NDArray[np.intp]:
    """Fill in signed whole numbers, and return the places of those that are not decided."""
    uniform = bits.midpoints(words)
    minus = quantile.minus_many(uniform)
    x = minus * -ratio
    if shift:
        x += shift
    np.rint(x, out=result)
    distance = x - result
    np.abs(distance, out=distance)
    highest = float(np.max(ratio))
    common = bound(highest, _MOST, _COMMON, highest * _MOST, shift, quantile.error)
    # a comparison with NaN is false, so that what overflowed stays undecided
    decided = distance < 0.5 - common
    decided &= uniform >= _COMMON
    bits.signed(words, result)
    if decided.all():
        return np.empty(0, dtype=np.intp)
    places = np.flatnonzero(~decided)
    u, x = uniform[places], x[places]
    ratio = ratio if np.ndim(ratio) == 0 else ratio[places]
    slack = bound(ratio, -minus[places], u, x, shift, quantile.error)
    decided = (distance[places] < 0.5 - slack) | ((x < 0.0) & (slack < 0.5))
    decided &= u > bits.half_cell()
    return places[~decided]
