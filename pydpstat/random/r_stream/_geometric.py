"""Geometric variables as R draws them: Poisson with an exponential mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pydpstat.random.r_stream import _exponential as exponential
from pydpstat.random.r_stream import _poisson as poisson
from pydpstat.random.r_stream._mersenne import UniformStream
from pydpstat.random.r_stream._paths import starts

_FEW = 150
_CHUNK = 100_000


def one(draw: Callable[[], float], odds: float) -> float:
    """Draw one geometric variable; `odds` is (1 - prob) / prob."""
    return poisson.one(draw, exponential.one(draw) * odds)


def draw(stream: UniformStream, count: int, odds: float) -> np.ndarray:
    """Draw geometric variables of one probability."""
    if count < _FEW:
        return np.array([one(stream.next, odds) for _ in range(count)])
    if odds == 0.0:
        # the exponential is drawn all the same
        exponential.draw(stream, count)
        return np.zeros(count)
    result = np.empty(count)
    done = 0
    while done < count:
        uniforms = stream.peek(min(_CHUNK, 3 * (count - done) + 200))
        rest, halvings = exponential.remainders(uniforms)
        length = exponential.lengths(rest)
        total = length + 1
        value, is_large = _large(uniforms, rest, halvings, length, total, odds)
        at = starts(total)[: count - done]
        at = at[at + total[at] <= uniforms.size]
        mean = exponential.values(uniforms, rest, halvings, length, at) * odds
        known = np.flatnonzero(is_large[at])
        # those are put right afterwards; any small mean will do for them here
        mean[known] = 1.0
        part = poisson.small(uniforms[at + length[at]], mean)
        part[known] = value[at[known]]
        result[done : done + at.size] = part
        stream.advance(int(at[-1] + total[at[-1]]))
        done += at.size
    return result


def _large(
    uniforms: np.ndarray,
    rest: np.ndarray,
    halvings: np.ndarray,
    length: np.ndarray,
    total: np.ndarray,
    odds: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Work out the variables whose Poisson mean is at least 10, and put their lengths into `total`."""
    value = np.empty(uniforms.size)
    is_large = np.zeros(uniforms.size, dtype=np.bool_)
    # the exponential is below (halvings + 1) log 2
    least = int(poisson.LARGE / odds / exponential.LOG_2 * (1.0 - 1e-9)) - 1
    at = np.flatnonzero(halvings >= least)
    near_end = at[at >= uniforms.size - 3 * poisson.MARGIN]
    total[near_end] = uniforms.size + 1
    at = at[: at.size - near_end.size]
    if at.size:
        mean = exponential.values(uniforms, rest, halvings, length, at) * odds
        at, mean = at[mean >= poisson.LARGE], mean[mean >= poisson.LARGE]
        value[at], end = poisson.large(mean, uniforms, at + length[at], (rest, halvings))
        total[at] = end - at
        is_large[at] = True
    return value, is_large
