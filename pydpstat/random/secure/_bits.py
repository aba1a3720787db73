"""Bits from the operating system, and the uniform real numbers of which they are the first ones.

Nothing is kept between calls: every bit is asked for by the draw that uses it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# where the bits come from; tests put a seeded source here
entropy = os.urandom

# How many bits of a uniform are known before a draw is decided; at most 52. Fewer leave more draws
# undecided, which changes no distribution: tests lower it.
KNOWN_BITS = 52

_WORD = 64
_MANTISSA = 52
_ONE = np.uint64(0x3FF0_0000_0000_0000)
_DROPPED = np.uint64(_WORD - _MANTISSA)
_TO_SIGN = np.uint64(_WORD - 1)


@dataclass(slots=True)
class Cell:
    """A uniform real number in [place, place + 1] / 2**bits, and nowhere more probable than elsewhere.

    Parameters
    ----------
    place : int
        From 0 to 2**bits - 1.
    bits : int
        How many bits are known.
    """

    place: int
    bits: int

    def refine(self) -> None:
        """Draw 64 more bits."""
        self.place = self.place << _WORD | int.from_bytes(entropy(_WORD // 8), "little")
        self.bits += _WORD


def words(size: int) -> npt.NDArray[np.uint64]:
    """Draw words of 64 bits."""
    return np.frombuffer(entropy(8 * size), dtype="<u8")


def word() -> int:
    """Draw one word of 64 bits."""
    return int.from_bytes(entropy(8), "little")


def half_cell() -> float:
    """Return how far a uniform may lie from its cell's midpoint."""
    return 2.0 ** -(KNOWN_BITS + 1)


def midpoints(drawn: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Return the midpoint of each word's cell, exactly: its upper bits are the uniform's first ones."""
    mantissas = drawn >> _DROPPED
    if KNOWN_BITS < _MANTISSA:
        unknown = np.uint64(_MANTISSA - KNOWN_BITS)
        mantissas = mantissas >> unknown << unknown
    mantissas |= _ONE
    # the numbers from 1 to 2 minus (1 - half a cell): both and their difference are floats
    uniform = mantissas.view(np.float64)
    uniform -= 1.0 - half_cell()
    return uniform


def midpoint(drawn: int) -> float:
    """Return `midpoints` of one word."""
    return ((drawn >> (_WORD - KNOWN_BITS)) + 0.5) * 2.0**-KNOWN_BITS


def cell_of(drawn: int) -> Cell:
    """Return the cell of one word."""
    return Cell(drawn >> (_WORD - KNOWN_BITS), KNOWN_BITS)


def signed(drawn: npt.NDArray[np.uint64], values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Give each value the sign that its word's lowest bit says, in place."""
    return np.copysign(values, (drawn << _TO_SIGN).view(np.float64), out=values)


def sign(drawn: int) -> int:
    """Return the sign that a word's lowest bit says."""
    return -1 if drawn & 1 else 1
