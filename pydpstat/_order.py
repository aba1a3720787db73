"""Orders of many records by two keys, and the pairs that two orders disagree on.

A record's first key, as far as it varies, the leading bits of the second key and the record's position are one number
of 64 bits. These numbers are sorted, which takes a fraction of the time of two stable sorts. All of them differ, so
that the order depends on neither the algorithm nor the processor. Records whose numbers are equal up to the position
are put in order by their whole keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
_WORD_BITS = 64
_SIGN = np.uint64(1 << 63)
_BLOCK_SIZE = 1 << 16
# the rows in which all pairs are compared have at most this length
_LEAF_SIZE = 32


def widen(values: np.ndarray) -> Words:
    """Convert integers from 0 on to words."""
    return values.astype(np.uint64)


def convert_floats(values: npt.NDArray[np.float64]) -> Words:
    """Convert floats, except NaN, to words in the same order, equal for 0.0 and -0.0."""
    bits = (values + 0.0).view(np.uint64)
    sizes = bits & ~_SIGN
    # whole numbers keep their last zeros, which need no bits of a sorted number
    return np.where(bits & _SIGN, _SIGN - sizes, _SIGN + sizes)


def order_by_two_keys(
    first: np.ndarray, second: np.ndarray, convert: Callable[[np.ndarray], Words] = widen
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.bool_]]:
    """Return the stable order by two keys, and which records in it differ from the previous one in them.

    The order is ``np.lexsort((second, convert(first)))``.

    Parameters
    ----------
    first : ndarray of shape (n,)
        The key that is compared first.
    second : ndarray of shape (n,)
        Integers from 0 on.
    convert : callable
        Converts first keys to words, whose order is that of the keys.

    Examples
    --------
    >>> order, is_new = order_by_two_keys(np.array([1, 0, 1, 1]), np.array([5, 9, 2, 5]))
    >>> order.tolist(), is_new.tolist()
    ([1, 2, 0, 3], [True, True, True, False])
    """
    size = first.size
    is_new = np.ones(size, dtype=bool)
    if not size:
        return np.empty(0, dtype=np.intp), is_new
    position_bits = (size - 1).bit_length()
    packed = _pack_keys(first, second, convert, position_bits)
    packed.sort()
    for rows in make_blocks(size - 1):
        block = packed[1:][rows] ^ packed[:-1][rows]
        is_new[1:][rows] = block >= np.uint64(1 << position_bits)
    packed &= np.uint64((1 << position_bits) - 1)
    order = packed.view(np.int64)
    tied = np.flatnonzero(~is_new)

    def find_changes() -> npt.NDArray[np.bool_]:
        here, before = order[tied], order[tied - 1]
        return (convert(first[here]) != convert(first[before])) | (second[here] != second[before])

    changes = find_changes()
    if changes.any():
        # records that follow each other and have the same number up to the position
        runs = np.cumsum(np.append(True, tied[1:] != tied[:-1] + 1)) - 1
        is_changing = np.zeros(int(runs[-1]) + 1, dtype=bool)
        is_changing[runs[changes]] = True
        later = tied[is_changing[runs]]
        places = np.union1d(later - 1, later)
        rows_there = order[places]
        order[places] = rows_there[np.lexsort((second[rows_there], convert(first[rows_there])))]
        changes = find_changes()
    is_new[tied] = changes
    return order, is_new


def make_blocks(size: int) -> Iterator[slice]:
    """Yield slices of all positions, of which arrays fit into the processor's cache."""
    return (slice(start, min(start + _BLOCK_SIZE, size)) for start in range(0, size, _BLOCK_SIZE))


def _pack_keys(
    first: np.ndarray, second: np.ndarray, convert: Callable[[np.ndarray], Words], position_bits: int
) -> Words:
    """Return each record's number of 64 bits."""
    sample = convert(first[:1])[0]
    low = high = int(sample)
    varying = 0
    for rows in make_blocks(first.size):
        block = convert(first[rows])
        low, high = min(low, int(block.min())), max(high, int(block.max()))
        varying |= int(np.bitwise_or.reduce(block ^ sample))
    # the last bits that are the same in all keys, such as those of whole numbers
    common = (varying & -varying).bit_length() - 1 if varying else 0
    n_bits = _WORD_BITS - position_bits
    # bits of the first key that do not fit, or those left for the second one
    surplus = ((high - low) >> common).bit_length() - n_bits
    second_surplus = int(second.max()).bit_length() + min(surplus, 0)
    packed = np.empty(first.size, dtype=np.uint64)
    for rows in make_blocks(first.size):
        block = packed[rows]
        np.right_shift(convert(first[rows]) - np.uint64(low), np.uint64(common + max(surplus, 0)), out=block)
        if surplus < 0:
            block <<= np.uint64(-surplus)
            part = second[rows].astype(np.uint64)
            block |= part >> np.uint64(second_surplus) if second_surplus > 0 else part << np.uint64(-second_surplus)
        block <<= np.uint64(position_bits)
        block |= np.arange(rows.start, rows.stop, dtype=np.uint64)
    return packed


def count_discordant_pairs(ranks: npt.NDArray[np.int64]) -> int:
    """Return the number of pairs i < j with a larger rank of i, of different ranks from 0 to n - 1.

    All pairs of short rows of records are compared. Then rows are sorted, each time twice as long, and the pairs
    between the halves of a row follow from the sum of the places that the second half has in the sorted row.

    Examples
    --------
    >>> count_discordant_pairs(np.array([2, 0, 1]))
    2
    """
    size = ranks.size
    if size < 2:
        return 0
    depth = max(-(-size // _LEAF_SIZE) - 1, 0).bit_length()
    width = -(-size // (1 << depth))
    # the last positions are filled in with ranks in order
    padded = np.arange(width << depth, dtype=np.uint64)
    padded[:size] = ranks
    leaves = padded.reshape(-1, width)
    n_leaves = 1 << min(depth, max(_BLOCK_SIZE // width, 1).bit_length() - 1)
    discordant = 0
    for start in range(0, 1 << depth, n_leaves):
        block = leaves[start : start + n_leaves]
        discordant += sum(int(np.count_nonzero(block[:, :-lag] > block[:, lag:])) for lag in range(1, width))
        block <<= np.uint64(depth)
        block |= np.arange(start, start + n_leaves, dtype=np.uint64)[:, None]
        discordant += sum(_merge_halves(block, level) for level in range(n_leaves.bit_length() - 1))
    return discordant + sum(_merge_halves(leaves, level) for level in range(n_leaves.bit_length() - 1, depth))


def _merge_halves(leaves: Words, level: int) -> int:
    """Sort rows of ``2**(level + 1)`` leaves, and return the number of discordant pairs between their halves."""
    rows = leaves.reshape(-1, leaves.shape[1] << (level + 1))
    rows.sort(axis=1)
    n_rows, length = rows.shape
    is_second = (rows >> np.uint64(level) & np.uint64(1)).astype(bool)
    places = int(np.count_nonzero(is_second, axis=0) @ np.arange(length))
    half = length // 2
    return n_rows * (length * (length - 1) // 2 - half * (half - 1) // 2) - places
