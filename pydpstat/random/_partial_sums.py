"""Which of many weights' cumulative sums is the first to reach a number, in floating point.

Rounding moves the sums. The caller proves by how much at most (`slack`); where the number lies closer
than that to one of the two sums that enclose it, there is no answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
# Gives at most CHUNK weights from a place on, in an array that may be overwritten.
Weights = Callable[[int], Floats]

# a chunk of weights stays in the second-level cache
CHUNK = 16384
# sums in this range have neither lost small weights to underflow nor overflowed
_SMALLEST, _LARGEST = 1e-280, 1e300


def chunk_sums(size: int, weights: Weights) -> Floats:
    """Return the sums of all weights up to the end of each chunk.

    Examples
    --------
    >>> chunk_sums(3, lambda start: np.array([1.0, 2.0, 3.0])).tolist()
    [6.0]
    """
    return np.cumsum([weights(start).sum() for start in range(0, size, CHUNK)])


def in_range(sums: Floats) -> bool:
    """Tell whether the sums have lost nothing to underflow or overflow, and are numbers."""
    return bool(sums.size) and _SMALLEST < float(sums[-1]) < _LARGEST


def first_reaching(
    aim: float, sums: Floats, weights: Weights, slack: float, floor: float = -math.inf
) -> int | None:
    """Return the first place whose cumulative sum is at least `aim`, or None where `slack` leaves a doubt.

    `sums` are the weights' `chunk_sums`, and `slack` is how far a cumulative sum and `aim` together may lie
    from the real ones. `floor` is the sum before the first place: minus infinity where nothing comes before.

    Examples
    --------
    >>> weights = lambda start: np.array([1.0, 2.0, 3.0])
    >>> first_reaching(2.5, chunk_sums(3, weights), weights, 0.1)
    1
    >>> first_reaching(2.95, chunk_sums(3, weights), weights, 0.1)
    """
    chunk = int(np.searchsorted(sums, aim))
    if chunk == sums.size:
        return None
    start, before = chunk * CHUNK, float(sums[chunk - 1]) if chunk else 0.0
    inside = weights(start)
    np.cumsum(inside, out=inside)
    inside += before
    place = int(np.searchsorted(inside, aim))
    if place == inside.size or not inside[place] - aim > slack:
        return None
    if place:
        before = inside[place - 1]
    elif not chunk:
        before = floor
    return start + place if aim - before > slack else None
