"""Bits from the operating system: uniform real numbers of which they are the first ones, and equal integers.

Nothing is kept between calls: every bit is asked for by the draw that uses it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError

# where the bits come from; tests put a seeded source here
entropy = os.urandom

# How many bits of a uniform are known before a draw is decided; at most 52. Fewer leave more draws
# undecided, which changes no distribution: tests lower it.
KNOWN_BITS = 52

_WORD_BITS = 64
_MANTISSA_BITS = 52
_ONE_PATTERN = np.uint64(0x3FF0_0000_0000_0000)
_DROPPED = np.uint64(_WORD_BITS - _MANTISSA_BITS)
_TO_SIGN = np.uint64(_WORD_BITS - 1)


@dataclass(slots=True)
class UniformCell:
    """A uniform real number in [place, place + 1] / 2**bits, and nowhere more probable than elsewhere."""

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
    """Return how far a uniform may lie from its cell's midpoint."""
    return 2.0 ** -(KNOWN_BITS + 1)


def to_midpoints(drawn: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Return the midpoint of each word's cell, exactly: its upper bits are the uniform's first ones."""
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
    """Return `to_midpoints` of one word."""
    return ((drawn >> (_WORD_BITS - KNOWN_BITS)) + 0.5) * 2.0**-KNOWN_BITS


def make_cell(drawn: int) -> UniformCell:
    """Return the cell of one word."""
    return UniformCell(drawn >> (_WORD_BITS - KNOWN_BITS), KNOWN_BITS)


def apply_signs(drawn: npt.NDArray[np.uint64], values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Give each value the sign that its word's lowest bit says, in place."""
    return np.copysign(values, (drawn << _TO_SIGN).view(np.float64), out=values)


def get_sign(drawn: int) -> int:
    """Return the sign that a word's lowest bit says."""
    return -1 if drawn & 1 else 1


_MAX_WORD = np.uint64(2**64 - 1)


def draw_below(limit: int) -> int:
    """Draw an integer from 0 to below `limit`."""
    known = (limit - 1).bit_length()
    size = (known + 7) // 8
    while True:
        number = int.from_bytes(entropy(size), "little") >> (8 * size - known)
        if number < limit:
            return number


def integers(size: int, bound: int) -> npt.NDArray[np.int64]:
    """Draw integers from 0 to bound - 1, all equally likely, exactly; the bound is at most 2**62.

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
    # so wide that few draws are rejected
    width = 2 if bound <= 2**8 else 4 if bound <= 2**24 else 8
    kind = np.dtype(f"<u{width}")
    last = kind.type((1 << 8 * width) // bound * bound - 1)
    drawn = np.frombuffer(entropy(width * size), dtype=kind).copy()
    places = np.flatnonzero(drawn > last)
    while places.size:
        again = np.frombuffer(entropy(width * places.size), dtype=kind)
        drawn[places] = again
        places = places[again > last]
    return (drawn % kind.type(bound)).astype(np.int64)


def draw_each_below(limits: np.ndarray) -> np.ndarray:
    """Draw an integer from 0 to below each limit, as int64 or, as the limits are, Python's; exactly."""
    if limits.dtype == object:
        return np.array([draw_below(limit) for limit in limits.flat], dtype=object).reshape(limits.shape)
    bounds = limits.astype(np.uint64)
    drawn = draw_words(limits.size).reshape(limits.shape).copy()
    # the words from the last whole multiple of the bound on are drawn again; 2^64 - that is 2^64 % bound
    past = np.flatnonzero(drawn > _MAX_WORD - (_MAX_WORD % bounds + np.uint64(1)) % bounds)
    while past.size:
        again, bound = draw_words(past.size), bounds.flat[past]
        drawn.flat[past] = again
        past = past[again > _MAX_WORD - (_MAX_WORD % bound + np.uint64(1)) % bound]
    return (drawn % bounds).astype(np.int64)


def draw_bit_integers(size: int, bits: int) -> npt.NDArray[np.int64]:
    """Draw so many integers from 0 to below 2^bits, at most 2^16."""
    return (np.frombuffer(entropy(2 * size), dtype="<u2") >> (16 - bits)).astype(np.int64)


def draw_permutation(size: int) -> npt.NDArray[np.int64]:
    """Draw an order of so many places."""
    while True:
        keys = draw_words(size)
        order = np.argsort(keys)
        ranked = keys[order]
        # without ties all orders are equally likely
        if not (ranked[1:] == ranked[:-1]).any():
            return order
