"""The data sets over a small finite domain, and their pairs of neighbors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product

Place = tuple[int, ...]


class Sequences:
    """Data sets as sequences of codes, in lexicographic order, and their pairs of neighbors.

    Parameters
    ----------
    values : int
        How many values a record can have; its codes are 0, 1, ...
    n : int
        Number of records, or the largest number where they may be added and removed.
    bounded : bool
        Whether neighbors have one record replaced, instead of one added or removed.

    Examples
    --------
    >>> space = Sequences(2, 1, bounded=True)
    >>> list(space.data_sets()), list(space.pairs())
    ([(0,), (1,)], [((0,), (1,))])
    """

    def __init__(self, values: int, n: int, bounded: bool) -> None:
        self.codes, self.bounded = range(values), bounded
        self.sizes = (n,) if bounded else tuple(range(n + 1))
        self.evaluations = sum(self._count(size) for size in self.sizes)
        self.comparisons = self._comparisons(n)

    def _count(self, size: int) -> int:
        return len(self.codes) ** size

    def _comparisons(self, n: int) -> int:
        values = len(self.codes)
        if self.bounded:
            return n * values ** (n - 1) * math.comb(values, 2)
        return sum(size * values**size for size in self.sizes)

    def data_sets(self) -> Iterator[Place]:
        """Every data set once, the smallest first."""
        for size in self.sizes:
            yield from product(self.codes, repeat=size)

    def pairs(self) -> Iterator[tuple[Place, Place]]:
        """Every pair of neighbors once, with those that differ in the last record first."""
        for size in self.sizes:
            for at in reversed(range(size)):
                for rest in product(self.codes, repeat=size - 1):
                    before, after = rest[:at], rest[at:]
                    full = [(*before, code, *after) for code in self.codes]
                    yield from combinations(full, 2) if self.bounded else ((rest, each) for each in full)


class Multisets(Sequences):
    """Data sets as sorted sequences of codes: one order of each.

    Examples
    --------
    >>> list(Multisets(2, 2, bounded=True).data_sets())
    [(0, 0), (0, 1), (1, 1)]
    """

    def _count(self, size: int) -> int:
        return math.comb(len(self.codes) + size - 1, size)

    def _comparisons(self, n: int) -> int:
        values = len(self.codes)
        if self.bounded:
            return self._count(n - 1) * math.comb(values, 2)
        return sum(self._count(size - 1) * values for size in self.sizes if size)

    def data_sets(self) -> Iterator[Place]:
        """Every multiset once, the smallest first."""
        for size in self.sizes:
            yield from combinations_with_replacement(self.codes, size)

    def pairs(self) -> Iterator[tuple[Place, Place]]:
        """Every pair of neighbors once."""
        for size in self.sizes:
            if size:
                for rest in combinations_with_replacement(self.codes, size - 1):
                    full = [tuple(sorted((*rest, code))) for code in self.codes]
                    yield from combinations(full, 2) if self.bounded else ((rest, each) for each in full)
