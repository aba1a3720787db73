"""MDAV: exact search for the farthest and nearest of the remaining rows, and their exact means.

Bounding boxes of blocks of rows make most distances unnecessary.

The distance of a row x from a point c is defined as the sum over the columns, in their order, of fl(fl(x_j - c_j)^2),
with each step rounded to a double. Rounding is monotone, so the same steps applied to the edges of a box bound the
rounded distances of all rows in it, without an allowance for errors: excluded boxes cannot contain the result.
"""

from __future__ import annotations

import math

import numpy as np

from pydpstat._data.progress import Progress

# bits of a number in each part: the sum of 2^32 parts fits into 64 bits
_BITS_PER_PART = 31
# rows per block, a compromise between the costs of all boxes and of the rows of a few blocks
BLOCK_SIZE = 192
# smallest number of blocks evaluated together
_MIN_BLOCKS_PER_STEP = 8
# number of rows from which the longest side of a part is estimated
_SAMPLE_SIZE = 4096


class ExactMeans:
    """Means of the remaining rows, each the float nearest to the true mean, independent of the order.

    Every number is split into integers of 31 bits, whose sums are exact. The columns are finite.
    """

    def __init__(self, columns: np.ndarray) -> None:
        self.count = columns.shape[1]
        self._lowest, terms = _split_into_parts(columns)
        # the parts of a row are contiguous, one variable after the other
        self._parts = np.ascontiguousarray(np.concatenate(terms).T)
        self._variables = columns.shape[0]
        self._sums = self._sum_parts(np.s_[:])

    def remove_rows(self, rows: np.ndarray) -> None:
        """Remove rows, given by their positions in the columns."""
        self.count -= rows.size
        self._sums = [total - removed for total, removed in zip(self._sums, self._sum_parts(rows))]

    def compute_means(self) -> np.ndarray:
        """Return the means of the remaining rows."""
        # Python rounds the quotient of two integers correctly
        larger, smaller = max(self._lowest, 0), max(-self._lowest, 0)
        return np.array([(total << larger) / (self.count << smaller) for total in self._sums])

    def _sum_parts(self, rows: np.ndarray | slice) -> list[int]:
        sums = self._parts[rows].sum(axis=0).tolist()
        totals = [0] * self._variables
        for begin in range(0, len(sums), self._variables):
            totals = [(total << _BITS_PER_PART) + add for total, add in zip(totals, sums[begin:])]
        return totals


def _split_into_parts(columns: np.ndarray) -> tuple[int, list[np.ndarray]]:
    """Return the exponent of the last part's unit, and the integer parts, the most significant first."""
    largest = float(np.abs(columns).max(initial=0.0))
    power = math.frexp(largest)[1] - _BITS_PER_PART + 1
    terms, remainder = [], columns
    while True:
        integers = np.rint(_scale_by_power(remainder, -power))
        terms.append(integers.astype(np.int64))
        remainder = remainder - _scale_by_power(integers, power)
        if not remainder.any():
            return power, terms
        power -= _BITS_PER_PART


def _scale_by_power(values: np.ndarray, power: int) -> np.ndarray:
    """Multiply by a power of two, exactly; a product is faster than ldexp if the factor is representable."""
    return values * 2.0**power if abs(power) < 1000 else np.ldexp(values, power)


def sum_squares(steps: np.ndarray) -> np.ndarray:
    """Return the sum of squares over the first axis, one variable after the other; `steps` is overwritten."""
    steps *= steps
    total = steps[0]
    for square in steps[1:]:
        total += square
    return total


class RemainingRows:
    """Rows that can be searched and removed; `count` is the number of remaining rows.

    Neighboring rows are adjacent, as ordered by `order_in_blocks`. Of rows at the same distance, the one with the
    lowest number comes first.
    """

    def __init__(self, columns: np.ndarray, numbers: np.ndarray, block: int) -> None:
        self._block, self._numbers = block, numbers
        self.count = numbers.size
        self._position = np.empty(self.count, dtype=np.int64)
        self._build_blocks(np.arange(self.count), columns)

    def _build_blocks(self, rows: np.ndarray, columns: np.ndarray) -> None:
        """Divide rows into blocks, padded with NaN, which also marks removed rows."""
        blocks = -(-rows.size // self._block)
        padded = np.zeros(blocks * self._block, dtype=np.int64)
        padded[: rows.size] = rows
        self._rows = padded.reshape(blocks, self._block)
        self._position[rows] = np.arange(rows.size)
        numbers = np.full((len(columns), blocks * self._block), np.nan)
        numbers[:, : rows.size] = columns
        values = numbers.reshape(len(columns), blocks, self._block)
        # the rows of a block are contiguous
        self._values = np.ascontiguousarray(values.swapaxes(0, 1))
        self._built, self._n_left = rows.size, np.full(blocks, self._block)
        self._n_left[-1] = rows.size - (blocks - 1) * self._block
        self._low, self._high = np.fmin.reduce(values, axis=2), np.fmax.reduce(values, axis=2)

    def get_rows(self) -> np.ndarray:
        """Return the remaining rows, by their positions in the columns."""
        return self._rows[~np.isnan(self._values[:, 0])]

    def find_farthest(self, point: np.ndarray) -> int:
        """Return the row farthest from a point, by its position in the columns."""
        bound = self._bound_distances_above(point)
        # a few of the most promising blocks often exclude all others
        row, max_distance, blocks = (
            -1,
            -1.0,
            np.argpartition(-bound, min(_MIN_BLOCKS_PER_STEP, bound.size) - 1)[:_MIN_BLOCKS_PER_STEP],
        )
        while blocks.size:
            distances = self._compute_distances(blocks, point)
            top = float(np.fmax.reduce(distances, axis=None))
            if top >= max_distance:
                rows = self._rows[blocks][distances == top]
                if top == max_distance:
                    rows = np.append(rows, row)
                row, max_distance = int(rows[self._numbers[rows].argmin()]), top
            bound[blocks] = np.nan
            blocks = (bound >= max_distance).nonzero()[0]
            if blocks.size > _MIN_BLOCKS_PER_STEP:
                blocks = blocks[np.argpartition(-bound[blocks], _MIN_BLOCKS_PER_STEP)[:_MIN_BLOCKS_PER_STEP]]
        return row

    def find_nearest(self, point: np.ndarray, count: int) -> np.ndarray:
        """Return the rows nearest to a point, by their positions in the columns."""
        if count >= self.count:
            return self.get_rows()
        bound = self._bound_distances_below(point)
        rows, distances = np.empty(0, dtype=np.int64), np.empty(0)
        radius, n_blocks, n_found = np.inf, _MIN_BLOCKS_PER_STEP + 2 * count // self._block, 0
        blocks = (bound <= radius).nonzero()[0]
        while blocks.size:
            if blocks.size > n_blocks:
                blocks = blocks[np.argpartition(bound[blocks], n_blocks)[:n_blocks]]
                n_blocks *= 2
            rows = np.concatenate([rows, self._rows[blocks].ravel()])
            distances = np.concatenate([distances, self._compute_distances(blocks, point).ravel()])
            bound[blocks] = np.nan
            n_found += int(self._n_left[blocks].sum())
            if n_found >= count:
                # enough rows are within this distance, so blocks with a larger lower bound are excluded
                radius = np.partition(distances, count - 1)[count - 1]
                close = distances <= radius
                rows, distances = rows[close], distances[close]
            blocks = (bound <= radius).nonzero()[0]
        if rows.size == count:
            return rows
        ties = rows[distances == radius]
        ties = ties[self._numbers[ties].argsort()]
        inside = rows[distances < radius]
        return np.concatenate([inside, ties[: count - inside.size]])

    def remove_rows(self, rows: np.ndarray) -> None:
        """Remove rows, given by their positions in the columns."""
        self.count -= rows.size
        blocks, offsets = np.divmod(self._position[rows], self._block)
        self._values[blocks, :, offsets] = np.nan
        if 2 * self.count < self._built and self.count:
            # the order is preserved, so that neighbors stay adjacent
            is_left = ~np.isnan(self._values[:, 0])
            self._build_blocks(self._rows[is_left], self._values.swapaxes(0, 1)[:, is_left])
            return
        n_removed = np.bincount(blocks, minlength=self._n_left.size)
        self._n_left -= n_removed
        changed = n_removed.nonzero()[0]
        values = self._values[changed]
        self._low[:, changed] = np.fmin.reduce(values, axis=2).T
        self._high[:, changed] = np.fmax.reduce(values, axis=2).T

    def _compute_distances(self, blocks: np.ndarray, point: np.ndarray) -> np.ndarray:
        """Return the squared distances of the rows of blocks; NaN for missing rows."""
        return sum_squares((self._values[blocks] - point[:, None]).swapaxes(0, 1))

    def _bound_distances_above(self, point: np.ndarray) -> np.ndarray:
        """Return an upper bound of the squared distances for each block; -1 for an empty block."""
        center = point[:, None]
        bound = sum_squares(np.maximum(self._high - center, center - self._low))
        bound[self._n_left == 0] = -1.0
        return bound

    def _bound_distances_below(self, point: np.ndarray) -> np.ndarray:
        """Return a lower bound of the squared distances for each block; NaN for an empty block."""
        center = point[:, None]
        return sum_squares(np.maximum(np.maximum(self._low - center, center - self._high), 0.0))


def order_in_blocks(columns: np.ndarray, block: int) -> tuple[np.ndarray, np.ndarray]:
    """Order rows so that each block of `block` rows has neighbors, by halving along the longest side.

    Only the last block may have fewer. The ordered values are also returned.
    """
    rows, values = np.arange(columns.shape[1]), columns.copy()
    segments = [(0, rows.size)]
    while segments:
        start, end = segments.pop()
        half = ((end - start) // block + 1) // 2 * block
        if not 0 < half < end - start:
            continue
        segment = values[:, start:end]
        some = segment[:, :: 1 + (end - start) // _SAMPLE_SIZE]
        order = _order_halves(segment[int((some.max(axis=1) - some.min(axis=1)).argmax())], half)
        # in place because a new array for each part would cost more than the copies
        rows[start:end] = rows[start:end][order]
        for column in segment:
            column[:] = column[order]
        segments += [(start, start + half), (start + half, end)]
    return rows, values


def _order_halves(values: np.ndarray, half: int) -> np.ndarray:
    """Return the indices of the `half` lowest values, then the others; of equal values the first are lower.

    The choice of `numpy.argpartition` among equal values depends on the processor.
    """
    cut = np.partition(values, half)[half]
    low = values < cut
    equal = np.flatnonzero(values == cut)
    low[equal[: half - np.count_nonzero(low)]] = True
    return np.concatenate([np.flatnonzero(low), np.flatnonzero(~low)])


def group_by_mdav(columns: np.ndarray, k: int) -> np.ndarray:
    """Partition rows by MDAV; groups are numbered in order of creation."""
    numbers, columns = order_in_blocks(columns, BLOCK_SIZE)
    remaining, means = RemainingRows(columns, numbers, BLOCK_SIZE), ExactMeans(columns)
    groups, n_groups = np.empty(numbers.size, dtype=np.int64), 0

    def record_group(rows: np.ndarray) -> None:
        nonlocal n_groups
        groups[rows] = n_groups
        n_groups += 1
        remaining.remove_rows(rows)
        means.remove_rows(rows)

    with Progress(lambda: numbers.size) as progress:
        while remaining.count >= 3 * k:
            first = columns[:, remaining.find_farthest(means.compute_means())]
            second = columns[:, remaining.find_farthest(first)]
            record_group(remaining.find_nearest(first, k))
            record_group(remaining.find_nearest(second, k))
            progress.done = numbers.size - remaining.count
    if remaining.count >= 2 * k:
        record_group(remaining.find_nearest(columns[:, remaining.find_farthest(means.compute_means())], k))
    groups[remaining.get_rows()] = n_groups
    result = np.empty_like(groups)
    result[numbers] = groups
    return result
