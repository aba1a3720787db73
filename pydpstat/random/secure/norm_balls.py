"""Integer vectors whose probability falls with a norm: P(z) proportional to exp(-rate |z|), exactly.

The norm is the largest, over columns of so many parts, of the L1 norm of a column's parts: of one part a
column the maximum norm, of one column the L1 norm. With a = exp(-rate), ``a^|z|`` is ``1 - a`` times the sum
of ``a^r`` over all integers r from |z| on. So a radius r is drawn with ``a^r`` times the number of points of
the ball of radius r, and then a point of that ball, each with the same probability.

A ball's column of p parts has its sizes from the ways to divide at most r among p parts, of which there are
``(r + 1) ... (r + p) / p!``, and a sign for each part. Draws in which a 0 has a minus are drawn again,
radius and all: each point then comes in one way. The radius proposed is the sum of M + 1 geometric numbers
for M parts in all, which has the weight ``a^r (r + 1) ... (r + M)``, and is kept with the probability
``((r + 1) ... (r + p))^d / ((r + 1) ... (r + M))`` of d = M / p columns: nearly always, where the rate is
small.

A narrower norm, whose ball of every integer radius is a part of this one, has the same draws but those
outside of it, drawn again with their radius.

References
----------
Hardt, M. and Talwar, K. (2010). On the geometry of differential privacy. STOC 2010.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure._bits import Cell
from pydpstat.random.secure.discrete import Integers, sign_geometric
from pydpstat.random.secure.integers import each_below
from pydpstat.random.secure.trials import cell_below

Whole = npt.NDArray[Any]
# radii from which all integers of a draw are far from the limit of 64 bits
_LARGEST = 2**60
_ROUNDING = 2.0**-50
# numbers that are drawn at a time
_CHUNK = 1 << 18


def norm_ball(size: int, rate: Fraction, columns: int, parts: int = 1) -> Integers:
    """Draw so many integer vectors of ``columns * parts`` elements, a column's parts in succession.

    The rate, above 0, is the exact number that it is. Elements come as floats, as Python's integers where
    one is beyond 2^53; the array's shape is (size, columns * parts).

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pydpstat.random import secure
    >>> secure.norm_ball(1000, Fraction(1, 100), 5).shape
    (1000, 5)
    """
    width = columns * parts

    def tried(count: int) -> Whole:
        radius = radii(count, rate, columns, parts)
        wide = np.repeat(radius[:, None], columns, axis=1)
        magnitudes = each_below(wide + 1)[..., None] if parts == 1 else _divided(wide, parts)
        points, stand = with_signs(magnitudes.reshape(len(radius), width))
        return points[stand]

    return as_floats(kept(size, width, tried))


def radii(size: int, rate: Fraction, columns: int, parts: int) -> Whole:
    """Draw radii and leave out those that are not kept: at most so many."""
    width = columns * parts
    drawn = np.abs(sign_geometric(size * (width + 1), rate))
    few = drawn.dtype != object and float(drawn.max(initial=0.0)) * (width + 1) < _LARGEST
    radius = drawn.astype(np.int64 if few else object).reshape(size, -1).sum(axis=1)
    return radius[_stands(radius, columns, parts)]


def _stands(radius: Whole, columns: int, parts: int) -> npt.NDArray[np.bool_]:
    """Draw the trials of the module's docstring: a uniform number is below a ratio of products."""
    words = bits.words(radius.size)
    width = columns * parts
    # the ratio is at least this, as its factors are (r + j) / (r + i) with j >= 1
    least = 1.0 - 0.5 * width * (width - 1) / (radius.astype(np.float64) + 1.0) - _ROUNDING
    stand = words.astype(np.float64) * 2.0**-64 < least
    for place in np.flatnonzero(~stand).tolist():
        r = int(radius[place])
        column = math.prod(range(r + 1, r + parts + 1))
        chance = Fraction(column**columns, math.prod(range(r + 1, r + width + 1)))
        stand[place] = cell_below(Cell(int(words[place]), 64), chance)
    return stand


def _divided(radius: Whole, parts: int) -> Whole:
    """Divide at most each radius among so many parts, all ways being equally likely.

    Of the numbers from 0 to below r + p, p different ones are drawn; the gaps before each are the parts.
    """
    flat = radius.ravel()
    chosen = np.empty((flat.size, parts), dtype=flat.dtype)
    missing = np.arange(flat.size)
    while missing.size:
        drawn = each_below(np.repeat(flat[missing, None] + parts, parts, axis=1))
        drawn.sort(axis=1)
        chosen[missing] = drawn
        missing = missing[(drawn[:, 1:] == drawn[:, :-1]).any(axis=1)]
    chosen[:, 1:] -= chosen[:, :-1] + 1
    return chosen.reshape(*radius.shape, parts)


def with_signs(magnitudes: Whole) -> tuple[Whole, npt.NDArray[np.bool_]]:
    """Give magnitudes random signs, and tell which rows have no 0 with a minus."""
    size = magnitudes.size
    coins = np.unpackbits(np.frombuffer(bits.entropy((size + 7) // 8), dtype=np.uint8), count=size)
    minus = coins.reshape(magnitudes.shape).astype(bool)
    return np.where(minus, -magnitudes, magnitudes), ~(minus & (magnitudes == 0)).any(axis=1)


def kept(size: int, width: int, tried: Callable[[int], Whole], chance: float = 1.0) -> Whole:
    """Return the first so many rows that stand, of tries that stand with about a chance."""
    most = max(_CHUNK // (width + 1), 16)
    found: list[Whole] = []
    missing = size
    while missing > 0:
        rows = tried(min(int(1.02 * missing / chance) + 4, most))[:missing]
        found.append(rows)
        missing -= len(rows)
    return np.concatenate([np.empty((0, width), dtype=np.int64), *found])


def as_floats(points: Whole) -> Integers:
    """Return integers as floats, as Python's integers where one is beyond 2^53."""
    if points.dtype == object and any(abs(each) > 2**53 for each in points.flat):
        return points
    if points.dtype != object and np.abs(points).max(initial=0) > 2**53:
        return points.astype(object)
    return points.astype(np.float64)
