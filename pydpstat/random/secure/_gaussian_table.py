"""Discrete Gaussian noise by inversion, with a table of its distribution function.

A draw is the k with P(X < k) <= U < P(X < k + 1), for a uniform number U whose bits are drawn as far as they are
needed: 16 at first, `KNOWN_BITS` if these do not decide, and more for the few draws that are still undecided. The
probabilities are bounded by integers, computed with integers alone. So a draw is returned only if all U with the bits
drawn so far result in it.

With a = 1 / (2 sd^2), the weights exp(-a k^2) are products: the next one is that of k times exp(-a (2 k + 1)), and this
ratio is multiplied by exp(-2 a). The weights from k on are at most the first of them divided by 1 minus its ratio.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import freeze_array
from pydpstat.random.secure import _bits as bits
from pydpstat.random.secure import _precise as precise
from pydpstat.random.secure._bits import UniformCell

_HEAD_BITS, _WORD_BITS = 16, 64
# standard deviations for which a table is small
_MIN_SD, _MAX_SD = 2.0**-4, 2.0**10
# bits computed beyond those of the bounds
_GUARD_BITS = 64
# the largest k has a weight of this many bits less
_TAIL_BITS = 24
# draws at a time, so that arrays fit into the processor's cache
_CHUNK_SIZE = 1 << 16


def is_table_faster(size: int, sd: float) -> bool:
    """Return whether `size` draws take less time with a table, which has to be made first."""
    return _MIN_SD <= sd <= _MAX_SD and size >= 5000 + 100 * sd


def draw_from_table(size: int, sd: float) -> npt.NDArray[np.float64]:
    """Draw the discrete Gaussian distribution with a table; `sd` is from 1/16 to 1024."""
    n_bits = bits.KNOWN_BITS
    n_head_bits = min(_HEAD_BITS, n_bits)
    low, high, value_by_head = _make_table(sd, n_bits)
    result = np.empty(size)
    for start in range(0, size, _CHUNK_SIZE):
        chunk = result[start : start + _CHUNK_SIZE]
        heads = np.frombuffer(bits.entropy(2 * chunk.size), dtype="<u2")
        np.take(value_by_head, heads >> np.uint16(_HEAD_BITS - n_head_bits), out=chunk)
        missing = np.flatnonzero(np.isnan(chunk))
        if not missing.size:
            continue
        words = heads[missing].astype(np.uint64) << np.uint64(_WORD_BITS - _HEAD_BITS)
        words |= bits.draw_words(missing.size) >> np.uint64(_HEAD_BITS)
        words >>= np.uint64(_WORD_BITS - n_bits)
        chunk[missing] = _look_up(low, high, words, words)
        for place, word in zip(missing.tolist(), words.tolist()):
            if math.isnan(chunk[place]):
                chunk[place] = resolve_draw(UniformCell(word, n_bits), sd)
    return result


def resolve_draw(cell: UniformCell, sd: float) -> int:
    """Return the draw of a U, of which the cell is not enough."""
    while True:
        cell.draw_more_bits()
        low, high = bound_distribution(sd, cell.bits)
        place = bisect_left(low, cell.place)
        if 0 < place < len(low) and high[place - 1] < cell.place < low[place]:
            return place - len(low) // 2


@lru_cache(maxsize=8)
def _make_table(
    sd: float, n_bits: int
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.float64]]:
    """Return the bounds of the distribution function, and the draw for each value of U's first bits, or NaN."""
    low, high = (freeze_array(np.array(bound, dtype=np.uint64)) for bound in bound_distribution(sd, n_bits))
    n_head_bits = min(_HEAD_BITS, n_bits)
    rest = np.uint64(n_bits - n_head_bits)
    first = np.arange(1 << n_head_bits, dtype=np.uint64)
    table = _look_up(low, high, first << rest, ((first + np.uint64(1)) << rest) - np.uint64(1))
    return low, high, freeze_array(table)


def _look_up(
    low: npt.NDArray[np.uint64],
    high: npt.NDArray[np.uint64],
    first: npt.NDArray[np.uint64],
    last: npt.NDArray[np.uint64],
) -> npt.NDArray[np.float64]:
    """Return the draw if U is in one of the cells from `first` to `last`, and NaN if it depends on where."""
    place = np.searchsorted(low, first)
    inside = np.clip(place, 1, low.size - 1)
    decided = (place == inside) & (high[inside - 1] < first) & (last < low[inside])
    return np.where(decided, place - low.size // 2, np.nan)


@lru_cache(maxsize=8)
def bound_distribution(sd: float, precision: int) -> tuple[list[int], list[int]]:
    """Return bounds a, b of floor(2**precision P(X < k)), for k from -m to m + 1.

    The probability beyond these k is less than 2**-precision.

    Examples
    --------
    >>> low, high = bound_distribution(1.0, 10)
    >>> low[len(low) // 2] / 2**10, high[len(low) // 2] / 2**10
    (0.69921875, 0.69921875)
    """
    below, above, total_below, total_above = _bound_tails(sd, precision)
    unit = 1 << precision
    # from the largest k on: P(X < -k) = P(X >= k + 1)
    left_low = [(tail << precision) // total_above for tail in below]
    left_high = [(tail << precision) // total_below for tail in above]
    right_low = [unit + (-tail << precision) // total_below for tail in reversed(above)]
    right_high = [unit + (-tail << precision) // total_above for tail in reversed(below)]
    return left_low + right_low, left_high + right_high


def _bound_tails(sd: float, precision: int) -> tuple[list[int], list[int], int, int]:
    """Return bounds of the sums of the weights from k = m + 1, m, ..., 1 on, and of the sum of all weights."""
    scale = precision + _GUARD_BITS
    half_rate = 1 / (2 * Fraction(sd) ** 2)
    ratio, change = precise.compute_exponentials([-half_rate, -2 * half_rate], scale)
    ratio_low, ratio_high, change_low, change_high = max(ratio - 1, 0), ratio + 1, max(change - 1, 0), change + 1
    low, high = [1 << scale], [1 << scale]
    # the weights left out are so small that few bounds differ
    for _ in range(math.ceil(sd * math.sqrt(2.0 * math.log(2.0) * (precision + _TAIL_BITS))) + 1):
        low.append(low[-1] * ratio_low >> scale)
        high.append((high[-1] * ratio_high >> scale) + 1)
        ratio_low = ratio_low * change_low >> scale
        ratio_high = (ratio_high * change_high >> scale) + 1
    below, above = [low[-1]], [(high[-1] << scale) // ((1 << scale) - ratio_high) + 1]
    for smaller, larger in zip(low[-2:0:-1], high[-2:0:-1]):
        below.append(below[-1] + smaller)
        above.append(above[-1] + larger)
    return below, above, low[0] + 2 * below[-1], high[0] + 2 * above[-1]
