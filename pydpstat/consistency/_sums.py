"""Sums of a table over some of its axes, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

Axes = tuple[int, ...]


class Margin(NamedTuple):
    """What a table's sums over all axes but some are to be.

    Parameters
    ----------
    axes : tuple of int
        The axes that stay, ascending; none for the table's total.
    goal : ndarray
        One number for each combination of their places.
    variance : ndarray of float64
        Variances of the goal's noise, 0 where it is exact; of the goal's shape, or one for all.
    name : str
        What the margin is called in messages.
    """

    axes: Axes
    goal: np.ndarray
    variance: np.ndarray
    name: str


def over(axes: Axes, dimensions: int) -> Axes:
    """Return the other axes, which a margin is summed over."""
    return tuple(axis for axis in range(dimensions) if axis not in axes)


def margin(values: np.ndarray, axes: Axes) -> np.ndarray:
    """Return a table's sums for each combination of places on some axes."""
    return np.add.reduce(values, axis=over(axes, values.ndim))


def expanded(sums: np.ndarray, axes: Axes, dimensions: int) -> np.ndarray:
    """Return a margin with length 1 on the axes that it has not, so that it meets the table's cells."""
    places = iter(sums.shape)
    return sums.reshape([next(places) if axis in axes else 1 for axis in range(dimensions)])


def incidence(shape: tuple[int, ...], axes: Sequence[Axes]) -> object:
    """Return the sparse matrix that takes a table's cells (in C order) to its margins' sums."""
    from scipy import sparse

    cells = int(np.prod(shape))
    blocks = []
    for each in axes:
        lengths = [shape[axis] for axis in each]
        size = int(np.prod(lengths))
        rows = np.broadcast_to(expanded(np.arange(size).reshape(lengths), each, len(shape)), shape)
        blocks.append(
            sparse.csr_matrix((np.ones(cells), (rows.ravel(), np.arange(cells))), shape=(size, cells))
        )
    return sparse.vstack(blocks).tocsc()
