"""Sum, mean, variance, covariance and cumulative sum, in long double and in R's order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import repeat

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import freeze_array
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import Numeric, to_doubles, to_numeric
from pydpstat.r_arithmetic.elementary import Floats, compute_exact_mean, sum_exact_products, sum_exactly

_LARGEST = float(np.finfo(np.float64).max)
_R_INTEGER = 2**31


def sum(x: npt.ArrayLike) -> float:
    """Sum, accumulated in order in 80-bit long double.

    Parameters
    ----------
    x : array_like
        Numbers. NaN gives NaN.

    Returns
    -------
    float or int
        An exact Python int for integers and booleans; R gives NA where it exceeds 2147483647.

    Raises
    ------
    PydpstatError
        If `x` is not numeric.

    See Also
    --------
    mean : per value.
    pydpstat.sum : a private one.

    References
    ----------
    R Core Team, R 4.2.2, ``?sum``.

    Examples
    --------
    >>> sum([0.1] * 10)
    1.0
    >>> sum([1, 2, 3])
    6
    """
    values = to_numeric(x)
    if values.dtype.kind != "f":
        return _sum_integers(values)
    if not HAS_80_BIT:
        return sum_exactly(values)
    total = sum_long_doubles(values)
    # R converts values beyond the largest double to infinity before rounding
    if abs(total) > _LARGEST:
        return math.inf if total > 0 else -math.inf
    return float(total)


def mean(x: npt.ArrayLike) -> float:
    """Mean, with R's second pass over the differences from the first mean.

    Integers need no second pass: their mean is one long-double division.

    Parameters
    ----------
    x : array_like
        Numbers. NaN gives NaN, and so does an empty `x`.

    Returns
    -------
    float

    Raises
    ------
    PydpstatError
        If `x` is not numeric.

    See Also
    --------
    sum : the total.
    pydpstat.mean : a private one.

    References
    ----------
    R Core Team, R 4.2.2, ``?mean``.

    Examples
    --------
    >>> mean([1.0, 2.0, 4.0])
    2.3333333333333335
    """
    values = to_numeric(x)
    if values.size == 0:
        return math.nan
    if values.dtype.kind != "f":
        if _is_r_integer(values):
            return float(np.longdouble(_sum_integers(values)) / np.longdouble(values.size))
        values = values.astype(np.float64)
    return compute_double_mean(values)


def var(x: npt.ArrayLike) -> float:
    """Variance with denominator n - 1.

    Parameters
    ----------
    x : array_like
        Numbers.

    Returns
    -------
    float
        NaN, where R has NA, for fewer than two values or with a NaN among them.

    Raises
    ------
    PydpstatError
        If `x` is not numeric.

    See Also
    --------
    cov : two variables.
    pydpstat.var : a private one.

    References
    ----------
    R Core Team, R 4.2.2, ``?var``.

    Examples
    --------
    >>> var([1.0, 2.0, 4.0])
    2.3333333333333335
    """
    values = to_doubles(x)
    return _compute_covariance(values, values)


def cov(x: npt.ArrayLike, y: npt.ArrayLike) -> float:
    """Covariance with denominator n - 1.

    Parameters
    ----------
    x, y : array_like
        Numbers, equally many.

    Returns
    -------
    float
        NaN, where R has NA, for fewer than two pairs or with a NaN among the values.

    Raises
    ------
    PydpstatError
        If `x` and `y` differ in length or are not numeric.

    See Also
    --------
    var : one variable.
    pydpstat.cov : a private one.

    References
    ----------
    R Core Team, R 4.2.2, ``?cov``.

    Examples
    --------
    >>> cov([1.0, 2.0, 4.0], [1.0, 3.0, 2.0])
    0.5
    """
    xs, ys = to_doubles(x), to_doubles(y, "y")
    if xs.size != ys.size:
        raise PydpstatError(
            f"x and y must have the same length, but they have {xs.size} and {ys.size}: give one y for each x"
        )
    return _compute_covariance(xs, ys)


def cumsum(x: npt.ArrayLike) -> Numeric:
    """Cumulative sums in 80-bit long doubles, each rounded to a double.

    Parameters
    ----------
    x : array_like
        Numbers. From the first NaN on, the result is NaN.

    Returns
    -------
    ndarray, shape (n,)
        float64, or int64 for integers and booleans.

    Raises
    ------
    PydpstatError
        If `x` is not numeric.

    See Also
    --------
    sum : the last of them.

    References
    ----------
    R Core Team, R 4.2.2, ``?cumsum``.

    Examples
    --------
    >>> cumsum([0.5, 0.25, 1.0])
    array([0.5 , 0.75, 1.75])
    """
    values = to_numeric(x)
    if values.dtype.kind != "f":
        return np.add.accumulate(values, dtype=np.int64)
    out = np.empty(values.size)
    total = np.longdouble(0.0)
    with np.errstate(all="ignore"):
        for start, piece in zip(range(0, values.size, CHUNK_SIZE), _iter_centered_chunks(values)):
            piece[0] = total
            np.add.accumulate(piece, out=piece)
            total = piece[-1]
            out[start : start + CHUNK_SIZE] = piece[1:]
    return out


def compute_double_mean(x: Floats) -> float:
    """Return the mean of doubles as `mean` computes it."""
    # infinities of both signs give NaN, as in R
    with np.errstate(all="ignore"):
        return float(compute_long_double_mean(x)) if HAS_80_BIT else compute_exact_mean(x)


def _compute_covariance(x: Floats, y: Floats) -> float:
    if x.size < 2:
        return math.nan
    x_mean = compute_double_mean(x)
    y_mean = x_mean if y is x else compute_double_mean(y)
    with np.errstate(all="ignore"):
        if not HAS_80_BIT:
            return sum_exact_products(x, x_mean, y, y_mean) / (x.size - 1)
        return float(sum_long_double_products(x, x_mean, y, y_mean) / (x.size - 1))


def _sum_integers(x: Numeric) -> int:
    """Return the exact sum of integers of any width."""
    if x.dtype.itemsize <= 4:
        return int(np.add.reduce(x, dtype=np.int64))
    # two halves of 32 bits, so that neither sum can overflow
    total = 0
    for start in range(0, x.size, 65536):
        piece = x[start : start + 65536]
        total += int(np.add.reduce(piece >> 32)) * 2**32 + int(np.add.reduce(piece & 0xFFFFFFFF))
    return total


def _is_r_integer(x: Numeric) -> bool:
    """Return whether R can represent these integers as integers rather than doubles."""
    return x.dtype.kind == "b" or x.dtype.itemsize < 4 or (int(x.max()) < _R_INTEGER and int(x.min()) > -_R_INTEGER)


# R's long double on x86-64 has 64 significant bits
HAS_80_BIT = bool(np.finfo(np.longdouble).nmant == 63)
# a chunk of long doubles fits into the second-level cache; its size does not affect results
CHUNK_SIZE = 16384
_ONES = freeze_array(np.ones(CHUNK_SIZE + 1, dtype=np.longdouble))


def sum_long_doubles(x: Floats, center: np.longdouble | float = 0.0) -> np.longdouble:
    """Return the sum of ``x - center`` in long double.

    ``numpy.sum`` adds pairwise; ``numpy.dot`` on long doubles adds in order.
    """
    total = np.longdouble(0.0)
    for piece in _iter_centered_chunks(x, center):
        piece[0] = total
        total = np.dot(piece, _ONES[: piece.size])
    return total


def compute_long_double_mean(x: Floats) -> np.longdouble:
    """Return the mean in long double, with a second pass over the differences from the first mean."""
    n = x.size
    if n > CHUNK_SIZE:
        center = sum_long_doubles(x) / n
        return center + sum_long_doubles(x, center) / n if abs(center) <= _LARGEST else center
    # the common case, in half the time
    values, ones = x.astype(np.longdouble), _ONES[:n]
    center = np.dot(values, ones) / n
    if abs(center) <= _LARGEST:
        values -= center
        center += np.dot(values, ones) / n
    return center


def sum_long_double_products(x: Floats, x_center: float, y: Floats, y_center: float) -> np.longdouble:
    """Return the sum of ``(x - x_center) * (y - y_center)`` in long double."""
    total = np.longdouble(0.0)
    y_chunks = repeat(None) if y is x else _iter_centered_chunks(y, y_center)
    for x_chunk, y_chunk in zip(_iter_centered_chunks(x, x_center), y_chunks):
        # for a single variable, a copy is faster than another subtraction
        factors = x_chunk.copy() if y_chunk is None else y_chunk
        x_chunk[0], factors[0] = total, 1.0
        total = np.dot(x_chunk, factors)
    return total


def _iter_centered_chunks(x: Floats, center: np.longdouble | float = 0.0) -> Iterator[npt.NDArray[np.longdouble]]:
    """Yield chunks of ``x - center`` after a free element for the carry; each overwrites the last."""
    buffer = np.empty(min(CHUNK_SIZE, x.size) + 1, dtype=np.longdouble)
    for start in range(0, x.size, CHUNK_SIZE):
        chunk = x[start : start + CHUNK_SIZE]
        piece = buffer[: chunk.size + 1]
        piece[1:] = chunk
        if center:
            # in two steps because NumPy 1 would subtract a long double from doubles in double precision
            piece[1:] -= np.longdouble(center)
        yield piece
