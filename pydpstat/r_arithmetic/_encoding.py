"""Number the distinct values of a long vector without sorting it."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.int32]

_CHUNK = 16384
# With more distinct keys a binary search is slower than a dictionary.
_MANY = 2048
# Odd, from the golden ratio: distinct strings rarely share a key, and shared keys are found out.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def encode_floats(x: npt.NDArray[np.float64]) -> tuple[Codes, list[float]]:
    """A number for each value, and the values that the numbers stand for."""
    bits = np.ascontiguousarray(x).view(np.uint64)
    found = _by_keys(x.size, lambda start, stop: bits[start:stop])
    if found is not None:
        return found[0], x[found[1]].tolist()
    values, codes = np.unique(x, return_inverse=True)
    return codes.astype(np.int32), values.tolist()


def encode_strings(x: npt.NDArray[np.str_]) -> tuple[Codes, list[str]]:
    """The same for an array of fixed-width strings."""
    width = x.dtype.itemsize // 4
    if width == 0 or not x.dtype.isnative:
        return encode_objects(x.tolist())
    words = np.ascontiguousarray(x).view(np.uint32).reshape(x.size, width)
    found = _by_keys(x.size, lambda start, stop: _string_keys(words[start:stop]))
    if found is None or (width > 2 and not _all_equal(x, x[found[1]], found[0])):
        return encode_objects(x.tolist())
    return found[0], x[found[1]].tolist()


def encode_objects(values: Sequence[Any] | npt.NDArray[Any]) -> tuple[Codes, list[Any]]:
    """The same for any hashable objects; equal ones may have several numbers."""
    if isinstance(values, np.ndarray) and sys.implementation.name == "cpython":
        addresses = np.asarray(_Addresses(values))
        found = _by_keys(values.size, lambda start, stop: addresses[start:stop])
        if found is not None:
            return found[0], values[found[1]].tolist()
    numbering: defaultdict[Any, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(numbering.__getitem__, values), dtype=np.int32, count=len(values))
    return codes, list(numbering)


class _Addresses:
    """The addresses of the objects of an array, which repeat where the objects do."""

    def __init__(self, x: npt.NDArray[Any]) -> None:
        self.owner = x
        self.__array_interface__ = {**x.__array_interface__, "typestr": "<u8", "descr": [("", "<u8")]}


def _by_keys(n: int, keys: Callable[[int, int], Keys]) -> tuple[Codes, npt.NDArray[np.intp]] | None:
    """Number the keys as they come, with where each was first seen; None if they are too many."""
    known = np.empty(0, dtype=np.uint64)
    numbers = np.empty(0, dtype=np.int32)
    first: list[int] = []
    codes = np.empty(n, dtype=np.int32)
    for start in range(0, n, _CHUNK):
        piece = keys(start, start + _CHUNK)
        place = np.searchsorted(known, piece)
        if start == 0 or not np.array_equal(np.take(known, place, mode="clip"), piece):
            fresh, index = np.unique(piece, return_index=True)
            new = ~np.isin(fresh, known)
            added = np.arange(len(first), len(first) + int(new.sum()), dtype=np.int32)
            first.extend((index[new] + start).tolist())
            if len(first) > _MANY:
                return None
            known = np.concatenate([known, fresh[new]])
            order = np.argsort(known)
            known, numbers = known[order], np.concatenate([numbers, added])[order]
            place = np.searchsorted(known, piece)
        np.take(numbers, place, out=codes[start : start + _CHUNK], mode="clip")
    return codes, np.array(first, dtype=np.intp)


def _string_keys(words: npt.NDArray[np.uint32]) -> Keys:
    """The code points of one or two characters, a product sum of more."""
    key = words[:, 0].astype(np.uint64)
    if words.shape[1] == 2:
        return (key << np.uint64(32)) | words[:, 1]
    for column in range(1, words.shape[1]):
        key *= _MULTIPLIER
        key += words[:, column]
    return key


def _all_equal(x: npt.NDArray[Any], distinct: npt.NDArray[Any], codes: Codes) -> bool:
    """Whether each value is the one that its number stands for."""
    for start in range(0, x.size, _CHUNK):
        piece = slice(start, start + _CHUNK)
        if not np.array_equal(x[piece], distinct[codes[piece]]):
            return False
    return True
