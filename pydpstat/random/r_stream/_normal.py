"""Normal variables as R draws them: 59 bits of two uniforms through Wichura's algorithm AS 241."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import TypeVar

import numpy as np

from pydpstat.r_arithmetic.elementary import log
from pydpstat.random.r_stream._mersenne import UniformStream

Real = TypeVar("Real", float, np.ndarray)

BIG = 134217728.0
_FEW = 60
_CHUNK = 16384

# Wichura (1988), coefficients of PPND16, highest power first: numerator and denominator
_CENTER = (
    (
        2509.0809287301226727,
        33430.575583588128105,
        67265.770927008700853,
        45921.953931549871457,
        13731.693765509461125,
        1971.5909503065514427,
        133.14166789178437745,
        3.387132872796366608,
    ),
    (
        5226.495278852854561,
        28729.085735721942674,
        39307.89580009271061,
        21213.794301586595867,
        5394.1960214247511077,
        687.1870074920579083,
        42.313330701600911252,
        1.0,
    ),
)
_TAIL = (
    (
        7.7454501427834140764e-4,
        0.0227238449892691845833,
        0.24178072517745061177,
        1.27045825245236838258,
        3.64784832476320460504,
        5.7694972214606914055,
        4.6303378461565452959,
        1.42343711074968357734,
    ),
    (
        1.05075007164441684324e-9,
        5.475938084995344946e-4,
        0.0151986665636164571966,
        0.14810397642748007459,
        0.68976733498510000455,
        1.6763848301838038494,
        2.05319162663775882187,
        1.0,
    ),
)
_inverse = NormalDist().inv_cdf


def one(draw: Callable[[], float]) -> float:
    """Draw one standard normal variable."""
    return _quantile((math.floor(BIG * draw()) + draw()) / BIG)


def _quantile(p: float) -> float:
    # p is 1 where both uniforms are as large as they can be
    return _inverse(p) if p < 1.0 else math.inf


def horner(coefficients: Sequence[float], x: Real) -> Real:
    """Evaluate a polynomial, highest power first, at a number or at an array's."""
    total = coefficients[0] * x + coefficients[1]
    for coefficient in coefficients[2:]:
        total = total * x + coefficient
    return total


def _polynomial(coefficients: Sequence[float], x: np.ndarray, out: np.ndarray) -> np.ndarray:
    np.multiply(x, coefficients[0], out=out)
    for coefficient in coefficients[1:-1]:
        out += coefficient
        out *= x
    out += coefficients[-1]
    return out


def _tails(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Quantiles where p is below 0.075 or above 0.925."""
    r = np.where(q < 0.0, p, 0.5 - p + 0.5)
    np.sqrt(-log(r), out=r)
    far = np.flatnonzero(r > 5.0)
    r -= 1.6
    with np.errstate(invalid="ignore"):
        result = horner(_TAIL[0], r) / horner(_TAIL[1], r)
    # these are too rare for coefficients of their own
    result[far] = [_quantile(each) for each in p[far].tolist()]
    return np.copysign(result, q)


def from_uniforms(first: np.ndarray, second: np.ndarray, out: np.ndarray, scratch: np.ndarray) -> None:
    """Make standard normal variables from pairs of uniforms.

    `scratch` has four rows of the size of `out`.
    """
    p, q, r, denominator = scratch
    np.multiply(first, BIG, out=p)
    np.floor(p, out=p)
    p += second
    p /= BIG
    np.subtract(p, 0.5, out=q)
    np.multiply(q, q, out=r)
    np.subtract(0.180625, r, out=r)
    # the order of R: (q * numerator) / denominator
    _polynomial(_CENTER[0], r, out)
    out *= q
    out /= _polynomial(_CENTER[1], r, denominator)
    np.abs(q, out=r)
    tails = np.flatnonzero(r > 0.425)
    if tails.size:
        out[tails] = _tails(q[tails], p[tails])


def draw(stream: UniformStream, count: int) -> np.ndarray:
    """Draw standard normal variables."""
    if count < _FEW:
        return np.array([one(stream.next) for _ in range(count)])
    result = np.empty(count)
    scratch = np.empty((4, min(count, _CHUNK)))
    for start in range(0, count, _CHUNK):
        out = result[start : start + _CHUNK]
        uniforms = stream.take(2 * out.size)
        from_uniforms(uniforms[0::2], uniforms[1::2], out, scratch[:, : out.size])
    return result


def at(uniforms: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return the standard normal variables that begin at the given positions."""
    result = np.empty(positions.size)
    scratch = np.empty((4, min(positions.size, _CHUNK)))
    for start in range(0, positions.size, _CHUNK):
        out = result[start : start + _CHUNK]
        first = positions[start : start + _CHUNK]
        from_uniforms(uniforms[first], uniforms[first + 1], out, scratch[:, : out.size])
    return result
