"""Whole numbers from the operating system's bits, all equally probable."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pydpstat.random import secure
from pydpstat.random.secure.bits import words


def below(limit: int) -> int:
    """Draw a whole number from 0 to below `limit`."""
    known = (limit - 1).bit_length()
    size = (known + 7) // 8
    while True:
        number = int.from_bytes(secure.entropy(size), "little") >> (8 * size - known)
        if number < limit:
            return number


def places(size: int, bits: int) -> npt.NDArray[np.int64]:
    """Draw so many whole numbers from 0 to below 2^bits, at most 2^16."""
    return (np.frombuffer(secure.entropy(2 * size), dtype="<u2") >> (16 - bits)).astype(np.int64)


def permutation(size: int) -> npt.NDArray[np.int64]:
    """Draw an order of so many places."""
    while True:
        keys = words(size)
        order = np.argsort(keys)
        ranked = keys[order]
        # without ties all orders are equally likely
        if not (ranked[1:] == ranked[:-1]).any():
            return order
