"""The means of columns from which rows leave, correctly rounded at every moment."""

from __future__ import annotations

import math

import numpy as np

# so many bits of a number in each part: the sum of 2^32 parts fits into 64 bits
_BITS = 31


class ExactMeans:
    """The means of the rows that are left, each the float nearest to the true mean.

    A floating-point sum depends on the order of its terms, and so would the partition that is built
    on it. Here every number is cut into integers of 31 bits, whose sums are exact.

    Parameters
    ----------
    columns : ndarray of shape (d, n)
        Finite numbers, one row a variable.

    Examples
    --------
    >>> import numpy as np
    >>> from pydpstat.anonymity._exact_means import ExactMeans
    >>> means = ExactMeans(np.array([[1e16, 1.0, 1.0, -1e16]]))
    >>> means.remove(np.array([2]))
    >>> means.now()
    array([0.33333333])
    """

    def __init__(self, columns: np.ndarray) -> None:
        self.count = columns.shape[1]
        self._lowest, parts = _cut(columns)
        # a row's parts lie together, one variable after the other
        self._parts = np.ascontiguousarray(np.concatenate(parts).T)
        self._variables = columns.shape[0]
        self._sums = self._sums_of(np.s_[:])

    def remove(self, rows: np.ndarray) -> None:
        """Take rows away, given by their places in the columns."""
        self.count -= rows.size
        self._sums = [left - gone for left, gone in zip(self._sums, self._sums_of(rows))]

    def now(self) -> np.ndarray:
        """Return the means of the rows that are left."""
        # Python rounds the quotient of two integers correctly
        if self._lowest >= 0:
            return np.array([(total << self._lowest) / self.count for total in self._sums])
        divisor = self.count << -self._lowest
        return np.array([total / divisor for total in self._sums])

    def _sums_of(self, rows: np.ndarray | slice) -> list[int]:
        sums = self._parts[rows].sum(axis=0).tolist()
        totals = [0] * self._variables
        for begin in range(0, len(sums), self._variables):
            totals = [(total << _BITS) + add for total, add in zip(totals, sums[begin:])]
        return totals


def _cut(columns: np.ndarray) -> tuple[int, list[np.ndarray]]:
    """Return the exponent of the last part's unit, and the parts, integers, the highest first."""
    largest = float(np.abs(columns).max(initial=0.0))
    power = math.frexp(largest)[1] - _BITS + 1
    parts, rest = [], columns
    while True:
        whole = np.rint(_shifted(rest, -power))
        parts.append(whole.astype(np.int64))
        rest = rest - _shifted(whole, power)
        if not rest.any():
            return power, parts
        power -= _BITS


def _shifted(values: np.ndarray, power: int) -> np.ndarray:
    """Multiply by a power of two, exactly; a product is faster than ldexp where the factor is a float."""
    return values * 2.0 ** power if abs(power) < 1000 else np.ldexp(values, power)
