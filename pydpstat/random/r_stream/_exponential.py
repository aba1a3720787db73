"""Exponential and Laplace variables as R draws them (Ahrens and Dieter 1972, algorithm SA)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from pydpstat._frozen import frozen
from pydpstat.r_arithmetic.elementary import Numbers, log
from pydpstat.random.r_stream._mersenne import UniformStream, starts

LOG_2 = math.log(2.0)
# the most uniforms that a draw looks ahead: a normal, a uniform, an exponential, a uniform
MARGIN = 24
_FEW = 200
_CHUNK = 80_000
_FEW_LAPLACE, _LAPLACE_CHUNK = 16, 32_768


def _partial_sums() -> list[float]:
    """Return the sums of log(2)^k / k! for k from 1, until they are 1 in double precision."""
    term, total, sums = 1.0, 0.0, []
    for k in range(1, 17):
        term *= LOG_2 / k
        total += term
        sums.append(total)
    sums[-1] = 1.0
    return sums


# they are compared with multiples of 2^-31, so their last digits never decide
_SUMS = _partial_sums()
_SUMS_ARRAY = frozen(_SUMS)
# adding log(2) again and again rounds differently from a product
_MULTIPLES = frozen(np.append(0.0, np.add.accumulate(np.full(40, LOG_2))))
_MULTIPLES_LIST = _MULTIPLES.tolist()


def one(draw: Callable[[], float]) -> float:
    """Draw one standard exponential variable."""
    mantissa, exponent = math.frexp(draw())
    rest = mantissa + mantissa - 1.0
    if rest == 0.0:
        rest, exponent = 1.0, exponent - 1
    shift = _MULTIPLES_LIST[-exponent]
    if rest <= LOG_2:
        return shift + rest
    least = draw()
    for bound in _SUMS[1:]:
        least = min(least, draw())
        if rest <= bound:
            break
    return shift + least * LOG_2


def remainders(uniforms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Split each uniform u = (1 + rest) / 2^(halvings + 1) into rest, above 0, and halvings."""
    bits = uniforms.view(np.int64)
    halvings = 1022 - (bits >> 52)
    rest = ((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000).view(np.float64)
    rest -= 1.0
    if not rest.all():
        exact = rest == 0.0
        rest[exact] = 1.0
        halvings[exact] += 1
    return rest, halvings


def lengths(rest: np.ndarray) -> np.ndarray:
    """Return the number of uniforms that a draw uses whose first uniform leaves `rest`."""
    result = (rest > _SUMS[0]).astype(np.int64)
    result *= 2
    result += 1
    beyond = np.flatnonzero(rest > _SUMS[1])
    result[beyond] = 2 + np.searchsorted(_SUMS_ARRAY, rest[beyond])
    return result


def values(
    uniforms: np.ndarray, rest: np.ndarray, halvings: np.ndarray, length: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """Return the variables that begin at the positions `at`; the other arrays are by position."""
    result = rest[at]
    longer = np.flatnonzero(result > LOG_2)
    first = at[longer]
    least = np.minimum(uniforms[first + 1], uniforms[first + 2])
    more = np.flatnonzero(length[first] > 3)
    offset = 3
    while more.size:
        place = first[more]
        least[more] = np.minimum(least[more], uniforms[place + offset])
        offset += 1
        more = more[length[place] > offset]
    result[longer] = least * LOG_2
    result += _MULTIPLES[halvings[at]]
    return result


def double_trials(
    index: np.ndarray,
    uniforms: np.ndarray,
    remainders: tuple[np.ndarray, np.ndarray],
    end: np.ndarray,
    accept: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
) -> None:
    """Let the draws of `index` try a double exponential proposal, from `end` on, until all are accepted.

    A trial is an exponential and a uniform in (-1, 1), of which `accept` takes those of some draws and tells
    which draws they end. What comes too close to the end of the uniforms is given an end beyond it.
    """
    rest, halvings = remainders
    length = lengths(rest)
    while index.size:
        short = end[index] > uniforms.size - MARGIN
        end[index[short]] = uniforms.size + 1
        index = index[~short]
        at = end[index]
        e = values(uniforms, rest, halvings, length, at)
        at = at + length[at]
        end[index] = at + 1
        index = index[~accept(index, e, 2.0 * uniforms[at] - 1.0)]


def draw(stream: UniformStream, count: int) -> np.ndarray:
    """Draw standard exponential variables."""
    if count < _FEW:
        return np.array([one(stream.next) for _ in range(count)])

    def draws(uniforms: np.ndarray, missing: int) -> tuple[np.ndarray, int]:
        rest, halvings = remainders(uniforms)
        length = lengths(rest)
        at = starts(length)[:missing]
        if at[-1] + length[at[-1]] > uniforms.size:
            at = at[:-1]
        return values(uniforms, rest, halvings, length, at), int(at[-1] + length[at[-1]])

    # a variable uses 1.9 uniforms on average
    return stream.collect(count, 1.95, _CHUNK, draws)


def laplace_one(q: float, location: float, scale: float) -> float:
    """Return the quantile of a uniform."""
    if q < 0.5:
        return scale * math.log(2.0 * q) + location
    return -scale * math.log(2.0 * (1.0 - q)) + location


def laplace_draw(stream: UniformStream, count: int, location: Numbers, scale: Numbers) -> np.ndarray:
    """Draw Laplace variables; `location` and `scale` are floats, or arrays of the size of the draw."""
    if count < _FEW_LAPLACE and isinstance(location, float) and isinstance(scale, float):
        return np.array([laplace_one(stream.next(), location, scale) for _ in range(count)])
    result = np.empty(count)
    locations, scales = np.broadcast_to(location, count), np.broadcast_to(scale, count)
    with np.errstate(over="ignore", invalid="ignore"):
        for start in range(0, count, _LAPLACE_CHUNK):
            part = result[start : start + _LAPLACE_CHUNK]
            q = stream.take(part.size)
            lower = q < 0.5
            s = scales[start : start + _LAPLACE_CHUNK]
            np.copyto(part, log(2.0 * np.where(lower, q, 1.0 - q)))
            part *= np.where(lower, s, -s)
            part += locations[start : start + _LAPLACE_CHUNK]
    return result
