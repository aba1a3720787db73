"""Factors: sorted levels and a code for each value, computed without sorting long vectors."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pydpstat._data.containers import get_categorical
from pydpstat._data.values import is_missing
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic.rounding import as_character

_CHUNK_SIZE = 16384
_MAX_DENSE_RANGE = 1 << 20
_LARGEST_INT64 = 2**63 - 1
Label = str | None
Item = TypeVar("Item")
Keys = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.int32]
# with more distinct keys, binary search is slower than a dictionary
_MAX_KEYS = 2048
# odd, from the golden ratio, so that distinct strings rarely share a key; collisions are detected
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Factor:
    """A categorical vector.

    Parameters
    ----------
    codes : ndarray of int, shape (n,)
        Position in `levels`, from 0; -1 for a missing value.
    levels : tuple of str
        The labels in order. None stands for a level NA.

    See Also
    --------
    factor : creates it.

    Examples
    --------
    >>> factor(["b", "a", "b"])
    Factor(codes=array([1, 0, 1], dtype=int32), levels=('a', 'b'))
    """

    codes: npt.NDArray[np.integer]
    levels: tuple[Label, ...]

    def __len__(self) -> int:
        return int(self.codes.size)


def factor(values: object, levels: Iterable[object] | None = None, exclude: object = (None,)) -> Factor:
    """Find the categories of a vector as R's factor() does.

    Numbers sort by value and are labeled with 15 significant digits, so that ``0.1 + 0.2`` and
    ``0.3`` are one level. Strings sort as R sorts them in the environment's locale: by code point in
    the C locale, elsewhere by the language-neutral collation (``make_collation_key``).

    Parameters
    ----------
    values : array_like, pandas Categorical or Series, or Factor
        Categories keep their order, the unused ones among them. None, NaN and ``pandas.NA`` are
        missing.
    levels : iterable, optional
        The levels in order; a value that is not among them becomes missing.
    exclude : iterable, optional
        Values that become missing. Without None or NaN among them, NA is a level.

    Returns
    -------
    Factor

    Raises
    ------
    PydpstatError
        If `values` has more than one dimension.

    See Also
    --------
    Factor : the result.
    table : counts of levels.

    References
    ----------
    R Core Team, R 4.2.2, ``?factor``.

    Examples
    --------
    >>> factor([0.1 + 0.2, 0.3, 1e5]).levels
    ('0.3', '1e+05')
    """
    categories = find_categories(values)
    excluded = to_labels(exclude)
    if levels is None:
        # R drops unused levels of a factor
        used = np.unique(categories.codes) if is_categorical(values) else np.arange(len(categories.levels))
        order = [categories.levels[i] for i in used if i >= 0]
        if (categories.codes < 0).any() and None not in order:
            order.append(None)
    else:
        order = list(dict.fromkeys(to_labels(levels)))
    return convert_levels(categories, tuple(label for label in order if label not in excluded))


def convert_levels(found: Factor, levels: tuple[Label, ...]) -> Factor:
    """Return the values coded with other levels; values that are not among them become missing."""
    position = {label: i for i, label in enumerate(levels)}
    table = [position.get(label, -1) for label in found.levels]
    if table == list(range(len(levels))) and None not in levels:
        return Factor(found.codes, levels)
    # code -1 selects the last entry
    lookup = np.array([*table, position.get(None, -1)], dtype=np.int32)
    return Factor(lookup[found.codes], levels)


def find_categories(values: object) -> Factor:
    """Return the categories of a vector, with code -1 for missing values."""
    if isinstance(values, Factor):
        return values
    if is_categorical(values):
        categorical = get_categorical(values)
        return Factor(np.asarray(categorical.codes), tuple(as_character(c) for c in categorical.categories))
    if isinstance(values, (list, tuple)) and values and isinstance(values[0], str):
        return _order_levels(*encode_objects(values))
    try:
        array = np.atleast_1d(np.asarray(values))
    except ValueError as error:
        raise PydpstatError("a factor has one dimension, but the values are a ragged list") from error
    if array.ndim != 1:
        raise PydpstatError(f"a factor has one dimension, but the values have {array.ndim}. Give one column at a time.")
    kind = array.dtype.kind
    if kind in "iub":
        return _encode_integers(array)
    if kind == "f":
        return _order_levels(*encode_floats(array.astype(np.float64, copy=False)))
    if kind == "U" and isinstance(values, np.ndarray):
        return _order_levels(*encode_strings(array))
    # NumPy converts a list of strings and NaN to an array of strings that contains "nan"
    return _order_levels(*encode_objects(values if kind == "U" else array))  # type: ignore[arg-type]


def is_categorical(values: object) -> bool:
    """Return whether values have categories: a Factor, or a Categorical or Series of pandas."""
    values = get_categorical(values)
    return isinstance(values, Factor) or (hasattr(values, "codes") and hasattr(values, "categories"))


def to_labels(values: object) -> tuple[Label, ...]:
    """Return the labels of a few values, with None for missing ones; a bare None is the empty set, R's NULL."""
    if values is None:
        return ()
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        values = (values,)
    if isinstance(values, np.ndarray):
        values = values.ravel(order="F")
    labels = tuple(values)
    if any(isinstance(value, (list, tuple, np.ndarray)) for value in labels):
        raise PydpstatError("exclude and levels must be single values or lists of them")
    return tuple(None if is_missing(value) else as_character(value) for value in labels)


def _encode_integers(x: npt.NDArray[np.integer | np.bool_]) -> Factor:
    """Encode integers by a lookup table if their range is small, else by sorting."""
    if x.size == 0:
        return Factor(np.empty(0, dtype=np.int32), ())
    low, high = int(x.min()), int(x.max())
    if high - low >= _MAX_DENSE_RANGE or high > _LARGEST_INT64:
        unique, inverse = np.unique(x, return_inverse=True)
        return Factor(inverse.astype(np.int32), tuple(str(int(v)) for v in unique))
    offsets = np.subtract(x, low, dtype=np.int64)
    is_present = np.bincount(offsets) > 0
    codes = (np.cumsum(is_present) - 1).astype(np.int32).take(offsets)
    if x.dtype.kind == "b":
        return Factor(codes, tuple(as_character(bool(i + low)) for i in np.flatnonzero(is_present)))
    return Factor(codes, tuple(str(int(i) + low) for i in np.flatnonzero(is_present)))


def _order_levels(codes: npt.NDArray[np.int32], found: Sequence[object]) -> Factor:
    """Return the factor with levels in R's order, equal labels merged, and -1 for missing values."""
    present = [value for value in found if not is_missing(value)]
    if all(isinstance(value, (int, float, np.number, np.bool_)) for value in present):
        levels = list(dict.fromkeys(map(as_character, sorted(present))))  # type: ignore[type-var]
    else:
        levels = sorted(set(map(as_character, present)), key=make_collation_key)
    position: dict[Label, int] = {label: i for i, label in enumerate(levels)}
    lookup = [-1 if is_missing(value) else position[as_character(value)] for value in found]
    return Factor(np.array(lookup, dtype=np.int32)[codes], tuple(levels))


# order of white space and ASCII punctuation in the collation, all before digits and letters
_PUNCTUATION = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_RANKS = {char: rank for rank, char in enumerate(_PUNCTUATION + "0123456789abcdefghijklmnopqrstuvwxyz")}
_EXPANSIONS = {"æ": "ae", "œ": "oe", "ø": "o\u0338", "đ": "d\u0335", "ł": "l\u0335"}
# order of common accents in the collation: acute, grave, breve, circumflex, caron, ring, ...
_ACCENTS = "\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0327\u0328\u0304"
Key = tuple[tuple[int, ...], tuple[tuple[int, ...], ...], tuple[int, ...], str]


def make_collation_key(label: str) -> Key | str:
    """Return a key that sorts labels as R's sort() does in the environment's locale.

    In the C or POSIX locale (or with none set) R sorts by code point. Elsewhere letters sort
    regardless of case first, then by accent, then lower case before upper case, and punctuation
    comes before digits. Rules of single languages (the Spanish n with tilde, say) are not applied.

    >>> sorted(["b", "B", "a", "_", "1"], key=_make_neutral_key)
    ['_', '1', 'a', 'b', 'B']
    """
    return label if _has_code_point_order() else _make_neutral_key(label)


def _has_code_point_order() -> bool:
    if os.name == "nt":
        return False
    name = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_COLLATE", "LANG"))), "C")
    return name in ("C", "POSIX")


def _make_neutral_key(label: str) -> Key:
    primary: list[int] = []
    accents: list[tuple[int, ...]] = []
    cases: list[int] = []
    for char in unicodedata.normalize("NFD", label):
        folded = char.casefold()
        for base in _EXPANSIONS.get(folded, folded):
            if unicodedata.combining(base) and accents:
                accent_index = _ACCENTS.find(base)
                accents[-1] += (accent_index if accent_index >= 0 else len(_ACCENTS) + ord(base),)
                continue
            primary.append(_RANKS.get(base, len(_RANKS) + ord(base)))
            accents.append(())
            cases.append(int(char != folded))
    return tuple(primary), tuple(accents), tuple(cases), label


def encode_floats(x: npt.NDArray[np.float64]) -> tuple[Codes, list[float]]:
    """Return a code for each value, and the value of each code."""
    bits = np.ascontiguousarray(x).view(np.uint64)
    encoded = _encode_keys(x.size, lambda start, stop: bits[start:stop])
    if encoded is not None:
        return encoded[0], x[encoded[1]].tolist()
    values, codes = np.unique(x, return_inverse=True)
    return codes.astype(np.int32), values.tolist()


def encode_strings(x: npt.NDArray[np.str_]) -> tuple[Codes, list[str]]:
    """Encode an array of fixed-width strings, as `encode_floats` does."""
    width = x.dtype.itemsize // 4
    if width == 0 or not x.dtype.isnative:
        return encode_objects(x.tolist())
    words = np.ascontiguousarray(x).view(np.uint32).reshape(x.size, width)
    encoded = _encode_keys(x.size, lambda start, stop: _compute_string_keys(words[start:stop]))
    # strings of more than two characters may share a key
    if encoded is None or (width > 2 and not np.array_equal(x, x[encoded[1]][encoded[0]])):
        return encode_objects(x.tolist())
    return encoded[0], x[encoded[1]].tolist()


def encode_objects(values: Sequence[Item] | npt.NDArray[np.object_]) -> tuple[Codes, list[Item]]:
    """Encode hashable objects, as `encode_floats` does; equal objects may have several codes."""
    if isinstance(values, np.ndarray) and sys.implementation.name == "cpython":
        addresses = np.asarray(_Addresses(values))
        encoded = _encode_keys(values.size, lambda start, stop: addresses[start:stop])
        if encoded is not None:
            return encoded[0], values[encoded[1]].tolist()
    numbering: defaultdict[Item, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(numbering.__getitem__, values), dtype=np.int32, count=len(values))
    return codes, list(numbering)


class _Addresses:
    """Memory addresses of the objects of an array, which are equal for the same object."""

    def __init__(self, x: npt.NDArray[np.object_]) -> None:
        self.owner = x
        self.__array_interface__ = {**x.__array_interface__, "typestr": "<u8", "descr": [("", "<u8")]}


def _encode_keys(n: int, keys: Callable[[int, int], Keys]) -> tuple[Codes, npt.NDArray[np.intp]] | None:
    """Return codes of keys in order of occurrence, and the first index of each key; None if there are too many."""
    known_keys = np.empty(0, dtype=np.uint64)
    numbers = np.empty(0, dtype=np.int32)
    first_indices: list[int] = []
    codes = np.empty(n, dtype=np.int32)
    for start in range(0, n, _CHUNK_SIZE):
        piece = keys(start, start + _CHUNK_SIZE)
        positions = np.searchsorted(known_keys, piece)
        if start == 0 or not np.array_equal(np.take(known_keys, positions, mode="clip"), piece):
            fresh, index = np.unique(piece, return_index=True)
            new = ~np.isin(fresh, known_keys)
            added = np.arange(len(first_indices), len(first_indices) + int(new.sum()), dtype=np.int32)
            first_indices.extend((index[new] + start).tolist())
            if len(first_indices) > _MAX_KEYS:
                return None
            known_keys = np.concatenate([known_keys, fresh[new]])
            order = np.argsort(known_keys)
            known_keys, numbers = known_keys[order], np.concatenate([numbers, added])[order]
            positions = np.searchsorted(known_keys, piece)
        np.take(numbers, positions, out=codes[start : start + _CHUNK_SIZE], mode="clip")
    return codes, np.array(first_indices, dtype=np.intp)


def _compute_string_keys(words: npt.NDArray[np.uint32]) -> Keys:
    """Return keys of strings: the code points of one or two characters, else a polynomial hash."""
    key = words[:, 0].astype(np.uint64)
    if words.shape[1] == 2:
        return (key << np.uint64(32)) | words[:, 1]
    for column in range(1, words.shape[1]):
        key *= _MULTIPLIER
        key += words[:, column]
    return key
