"""Integers from the operating system's bits, all equally probable."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.errors import PydpstatError
from pydpstat.random.secure import _bits

_MOST = np.uint64(2**64 - 1)


def below(limit: int) -> int:
    """Draw an integer from 0 to below `limit`."""
    known = (limit - 1).bit_length()
    size = (known + 7) // 8
    while True:
        number = int.from_bytes(_bits.entropy(size), "little") >> (8 * size - known)
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
    drawn = np.frombuffer(_bits.entropy(width * size), dtype=kind).copy()
    places = np.flatnonzero(drawn > last)
    while places.size:
        again = np.frombuffer(_bits.entropy(width * places.size), dtype=kind)
        drawn[places] = again
        places = places[again > last]
    return (drawn % kind.type(bound)).astype(np.int64)


def each_below(limits: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Draw an integer from 0 to below each limit, as int64 or, as the limits are, Python's; exactly."""
    if limits.dtype == object:
        return np.array([below(limit) for limit in limits.flat], dtype=object).reshape(limits.shape)
    bounds = limits.astype(np.uint64)
    drawn = _bits.words(limits.size).reshape(limits.shape).copy()
    # the words from the last whole multiple of the bound on are drawn again; 2^64 - that is 2^64 % bound
    past = np.flatnonzero(drawn > _MOST - (_MOST % bounds + np.uint64(1)) % bounds)
    while past.size:
        again, bound = _bits.words(past.size), bounds.flat[past]
        drawn.flat[past] = again
        past = past[again > _MOST - (_MOST % bound + np.uint64(1)) % bound]
    return (drawn % bounds).astype(np.int64)


def places(size: int, bits: int) -> npt.NDArray[np.int64]:
    """Draw so many integers from 0 to below 2^bits, at most 2^16."""
    return (np.frombuffer(_bits.entropy(2 * size), dtype="<u2") >> (16 - bits)).astype(np.int64)


def permutation(size: int) -> npt.NDArray[np.int64]:
    """Draw an order of so many places."""
    while True:
        keys = _bits.words(size)
        order = np.argsort(keys)
        ranked = keys[order]
        # without ties all orders are equally likely
        if not (ranked[1:] == ranked[:-1]).any():
            return order
