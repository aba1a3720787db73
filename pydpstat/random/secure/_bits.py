"""Bits from the operating system: uniform real numbers, known by their first bits, and uniform integers.

No state is kept between calls: every draw requests its own bits.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError

# source of the bits; tests replace it by a seeded one
entropy = os.urandom

# bits of a uniform that are known before a draw is decided, at most 52; tests use fewer, which leaves more draws
# undecided
KNOWN_BITS = 52

_WORD_BITS = 64
_MANTISSA_BITS = 52
_ONE_PATTERN = np.uint64(0x3FF0_0000_0000_0000)
_DROPPED = np.uint64(_WORD_BITS - _MANTISSA_BITS)
_TO_SIGN = np.uint64(_WORD_BITS - 1)


@dataclass(slots=True)
class UniformCell:
    """A uniform real number known to be in [place, place + 1] / 2**bits, and uniform there."""

    place: int
    bits: int

    def draw_more_bits(self) -> None:
        """Draw 64 more bits."""
        self.place = self.place << _WORD_BITS | int.from_bytes(entropy(_WORD_BITS // 8), "little")
        self.bits += _WORD_BITS


def draw_words(size: int) -> npt.NDArray[np.uint64]:
    """Draw words of 64 bits."""
    return np.frombuffer(entropy(8 * size), dtype="<u8")


def draw_word() -> int:
    """Draw one word of 64 bits."""
    return int.from_bytes(entropy(8), "little")


def get_half_cell() -> float:
    """Return the largest distance of a uniform from its cell's midpoint."""
    return 2.0 ** -(KNOWN_BITS + 1)


def to_midpoints(drawn: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Return the exact midpoint of each word's cell: the upper bits are the first ones of the uniform."""
    mantissas = drawn >> _DROPPED
    if KNOWN_BITS < _MANTISSA_BITS:
        unknown = np.uint64(_MANTISSA_BITS - KNOWN_BITS)
        mantissas = mantissas >> unknown << unknown
    mantissas |= _ONE_PATTERN
    # the numbers from 1 to 2 minus (1 - half a cell): both and their difference are floats
    uniform = mantissas.view(np.float64)
    uniform -= 1.0 - get_half_cell()
    return uniform


def to_midpoint(drawn: int) -> float:
    """Return the exact midpoint of the cell of one word."""
    return ((drawn >> (_WORD_BITS - KNOWN_BITS)) + 0.5) * 2.0**-KNOWN_BITS


def make_cell(drawn: int) -> UniformCell:
    """Return the cell of one word."""
    return UniformCell(drawn >> (_WORD_BITS - KNOWN_BITS), KNOWN_BITS)


def apply_signs(drawn: npt.NDArray[np.uint64], values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Set the sign of each value by the lowest bit of its word, in place."""
    return np.copysign(values, (drawn << _TO_SIGN).view(np.float64), out=values)


def get_sign(drawn: int) -> int:
    """Return the sign determined by a word's lowest bit."""
    return -1 if drawn & 1 else 1


_MAX_WORD = np.uint64(2**64 - 1)


def draw_below(limit: int) -> int:
    """Draw an integer from 0 to `limit` - 1, uniformly and exactly."""
    n_bits = (limit - 1).bit_length()
    size = (n_bits + 7) // 8
    while True:
        number = int.from_bytes(entropy(size), "little") >> (8 * size - n_bits)
        if number < limit:
            return number


def integers(size: int, bound: int) -> npt.NDArray[np.int64]:
    """Draw integers from 0 to bound - 1, uniformly and exactly; the bound is at most 2**62.

    Examples
    --------
    >>> from pydpstat.random import secure
    >>> secure.integers(3, 1).tolist()
    [0, 0, 0]
    """
    if not 1 <= bound <= 2**62:
        raise PydpstatError("bound must be from 1 to 2**62.")
    if bound == 1:
        return np.zeros(size, dtype=np.int64)
    # wide enough that few draws are rejected
    width = 2 if bound <= 2**8 else 4 if bound <= 2**24 else 8
    kind = np.dtype(f"<u{width}")
    last = kind.type((1 << 8 * width) // bound * bound - 1)
    drawn = np.frombuffer(entropy(width * size), dtype=kind).copy()
    rejected = np.flatnonzero(drawn > last)
    while rejected.size:
        redrawn = np.frombuffer(entropy(width * rejected.size), dtype=kind)
        drawn[rejected] = redrawn
        rejected = rejected[redrawn > last]
    return (drawn % kind.type(bound)).astype(np.int64)


def draw_each_below(limits: np.ndarray) -> np.ndarray:
    """Draw an integer from 0 to below each limit, exactly; int64, or Python's integers if the limits are."""
    if limits.dtype == object:
        return np.array([draw_below(limit) for limit in limits.flat], dtype=object).reshape(limits.shape)
    bounds = limits.astype(np.uint64)
    drawn = draw_words(limits.size).reshape(limits.shape).copy()
    # words from the last multiple of the bound on are redrawn; 2^64 minus that multiple is 2^64 % bound
    past = np.flatnonzero(drawn > _MAX_WORD - (_MAX_WORD % bounds + np.uint64(1)) % bounds)
    while past.size:
        redrawn, bound = draw_words(past.size), bounds.flat[past]
        drawn.flat[past] = redrawn
        past = past[redrawn > _MAX_WORD - (_MAX_WORD % bound + np.uint64(1)) % bound]
    return (drawn % bounds).astype(np.int64)


def draw_bit_integers(size: int, bits: int) -> npt.NDArray[np.int64]:
    """Draw `size` integers from 0 to 2^bits - 1; `bits` is at most 16."""
    return (np.frombuffer(entropy(2 * size), dtype="<u2") >> (16 - bits)).astype(np.int64)


def draw_permutation(size: int) -> npt.NDArray[np.int64]:
    """Draw a uniform permutation of `size` indices."""
    while True:
        keys = draw_words(size)
        order = np.argsort(keys)
        ranked = keys[order]
        # without ties, all orders are equally likely
        if not (ranked[1:] == ranked[:-1]).any():
            return order
