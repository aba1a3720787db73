"""A table's numbers as a matrix, one row a variable: scaled, compared, and replaced by means of groups."""

from __future__ import annotations

import math

import numpy as np

from pydpstat.anonymity._groups import by_group

# squares of numbers up to 2^500 in size, and their sums, are far from the ends of the floats
_WIDE = 500


def standardized(values: np.ndarray) -> np.ndarray:
    """Return columns with mean 0 and standard deviation 1; a constant one is 0."""
    centered = values - values.mean(axis=1, keepdims=True)
    constant = values.min(axis=1) == values.max(axis=1)
    centered[constant] = 0.0
    spread = np.sqrt((centered * centered).mean(axis=1, keepdims=True))
    return centered / np.where(spread > 0.0, spread, 1.0)


def group_means(values: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return each row's mean over its group, the very same number for all rows of a group."""
    order, begins, sizes = by_group(groups)
    # rows in one piece are moved about faster than columns
    rows = np.ascontiguousarray(values.T)
    ordered = rows.take(order, axis=0)
    means = np.add.reduceat(ordered, begins, axis=0) / sizes[:, None]
    # rounding must not carry a mean out of its group
    means = np.maximum(means, np.minimum.reduceat(ordered, begins, axis=0))
    means = np.minimum(means, np.maximum.reduceat(ordered, begins, axis=0))
    rows[order] = np.repeat(means, sizes, axis=0)
    return np.ascontiguousarray(rows.T)


def within_reach(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Return numbers whose squares neither overflow nor vanish, and the power of two to bring them back."""
    power = math.frexp(float(np.abs(values).max()))[1]
    if abs(power) <= _WIDE:
        return values, 0
    return np.ldexp(values, -power), power


def equal_rows(columns: np.ndarray) -> np.ndarray:
    """Number rows so that equal ones have the same number, from 0."""
    order = np.lexsort(columns)
    ordered = columns[:, order]
    fresh = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    labels = np.zeros(order.size, dtype=np.int64)
    labels[order[1:]] = fresh.cumsum()
    return labels
