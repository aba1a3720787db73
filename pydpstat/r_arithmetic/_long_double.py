"""Sums in 80-bit long double, added from first to last as R adds, a chunk at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import frozen

Floats = npt.NDArray[np.float64]

# R's long double on x86-64: 64 significant bits.
HAS_80_BIT = bool(np.finfo(np.longdouble).nmant == 63)
# A chunk of long doubles stays in the second-level cache. Its size never changes a result.
CHUNK = 16384
_LARGEST = float(np.finfo(np.float64).max)
_ONES = frozen(np.ones(CHUNK + 1, dtype=np.longdouble))


def wide_sum(x: Floats, center: np.longdouble | None = None) -> np.longdouble:
    """The sum of `x`, or of ``x - center``, in long double.

    ``numpy.sum`` adds pairwise; ``numpy.dot`` on long doubles adds from first to last.
    """
    if x.size <= CHUNK:
        total: np.longdouble = np.dot(_widen(x, center), _ONES[: x.size])
        return total
    total = np.longdouble(0.0)
    buffer = np.empty(CHUNK + 1, dtype=np.longdouble)
    for start in range(0, x.size, CHUNK):
        piece = _fill(buffer, x[start : start + CHUNK], center)
        piece[0] = total
        total = np.dot(piece, _ONES[: piece.size])
    return total


def wide_mean(x: Floats) -> np.longdouble:
    """The mean of `x` in long double, with a second pass over the differences from the first."""
    n = x.size
    if n > CHUNK:
        first = wide_sum(x) / n
        return first + wide_sum(x, first) / n if abs(first) <= _LARGEST else first
    values, ones = x.astype(np.longdouble), _ONES[:n]
    first = np.dot(values, ones) / n
    if abs(first) <= _LARGEST:
        values -= first
        first += np.dot(values, ones) / n
    return first


def wide_products(x: Floats, x_center: float, y: Floats | None, y_center: float) -> np.longdouble:
    """The sum of ``(x - x_center) * (y - y_center)`` in long double; no `y` means `x`."""
    left_center, right_center = np.longdouble(x_center), np.longdouble(y_center)
    if x.size <= CHUNK:
        deviations = _widen(x, left_center)
        others = deviations if y is None else _widen(y, right_center)
        total: np.longdouble = np.dot(deviations, others)
        return total
    total = np.longdouble(0.0)
    left_buffer = np.empty(CHUNK + 1, dtype=np.longdouble)
    right_buffer = np.empty(CHUNK + 1, dtype=np.longdouble)
    for start in range(0, x.size, CHUNK):
        left = _fill(left_buffer, x[start : start + CHUNK], left_center)
        if y is None:
            right = right_buffer[: left.size]
            right[1:] = left[1:]
        else:
            right = _fill(right_buffer, y[start : start + CHUNK], right_center)
        left[0], right[0] = total, 1.0
        total = np.dot(left, right)
    return total


def running_sums(x: Floats) -> Iterator[npt.NDArray[np.longdouble]]:
    """The running sums of `x` in long double, a chunk at a time; the next chunk overwrites it."""
    buffer = np.empty(min(CHUNK, x.size) + 1, dtype=np.longdouble)
    total = np.longdouble(0.0)
    for start in range(0, x.size, CHUNK):
        piece = _fill(buffer, x[start : start + CHUNK], None)
        piece[0] = total
        np.add.accumulate(piece, out=piece)
        total = piece[-1]
        yield piece[1:]


def _widen(x: Floats, center: np.longdouble | None) -> npt.NDArray[np.longdouble]:
    wide = x.astype(np.longdouble)
    if center is not None:
        wide -= center
    return wide


def _fill(
    buffer: npt.NDArray[np.longdouble], x: Floats, center: np.longdouble | None
) -> npt.NDArray[np.longdouble]:
    """The part of the buffer that holds `x`, with its first place free for the carry."""
    part = buffer[: x.size + 1]
    values = part[1:]
    values[:] = x
    if center is not None:
        # in two steps: NumPy 1 would subtract a long double from doubles in double
        values -= center
    return part
