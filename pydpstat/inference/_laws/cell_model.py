"""The mean response by cell, for numbers that are normal within cells: from a noisy table alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen
from pydpstat.inference._laws.logit_start import lifted, logistic, normal_points
from pydpstat.inference._laws.sum_tails import geometric_variance

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CellTable(Frozen):
    """Noisy counts and sums by cell and response, and noisy products.

    Parameters
    ----------
    rows : ndarray of shape (cells, d)
        The cells' predictors, 0 for numbers.
    numbers : tuple of int
        The places of the numbers.
    counts : ndarray of shape (cells, 2)
        Of responses 0 and 1.
    sums : ndarray of shape (cells, 2, numbers)
        Of the numbers.
    products : ndarray of shape (numbers, numbers)
        Sums of z z'.
    scale : float
        The scale of the cube's noise of each cell's vector; with `geometric` the rate of the counts' noise.
    geometric : bool
        Whether there are counts alone.
    products_scale : float
        The scale of the products' noise, of squares times `units`.
    units : ndarray
        What the products' noise is in units of, in the order of an upper triangle.
    """

    rows: Floats
    numbers: tuple[int, ...]
    counts: Floats
    sums: Floats
    products: Floats
    scale: float
    geometric: bool
    products_scale: float
    units: Floats

    @property
    def variance(self) -> float:
        """The variance of the noise of one count, or of one sum in a cell."""
        if self.geometric:
            return geometric_variance(self.scale)
        columns = len(self.numbers) + 1
        return (columns + 1) * (columns + 2) / 3.0 * self.scale**2

    @property
    def products_variance(self) -> float:
        """The variance of the noise of one product."""
        columns = self.units.size
        return (columns + 1) * (columns + 2) / 3.0 * self.products_scale**2


class At(NamedTuple):
    """The model at coefficients: in each cell the mean response, and of s'; what is expected, in all."""

    chances: Floats
    weights: Floats
    expected: Floats
    information: Floats


class CellModel:
    """Numbers that are normal within each cell, with the cell's mean and one covariance matrix.

    Cells of few records have means near the mean of all, as their noise would be divided by their number.
    """

    def __init__(self, table: CellTable) -> None:
        self._table = table
        self.sizes = table.counts.sum(axis=1)
        self._sums = table.sums.sum(axis=1)
        held = np.maximum(self.sizes, 0.0)
        n = max(float(self.sizes.sum()), 1.0)
        self.shares = held / max(float(held.sum()), 1.0)
        least = 2.0 * np.sqrt(2.0 * table.variance)
        mean = np.clip(self._sums.sum(axis=0) / n, -1.0, 1.0)
        self.means = np.clip((self._sums + least * mean) / (held + least)[:, None], -1.0, 1.0)
        between = (self.shares[:, None] * self.means).T @ self.means
        self._spread = lifted(table.products / n - between, 1e-6) if table.numbers else table.products
        self._known: dict[bytes, At] = {}

    @property
    def responses(self) -> Floats:
        """The noisy sums of v y."""
        found = self._table.rows.T @ self._table.counts[:, 1]
        found[list(self._table.numbers)] = self._table.sums[:, 1].sum(axis=0)
        return found

    def at(self, b: Floats) -> At:
        """Return the model at coefficients; the last ones are remembered."""
        key = b.tobytes()
        if key not in self._known:
            while len(self._known) > 3:
                self._known.pop(next(iter(self._known)))
            self._known[key] = self._at(b)
        return self._known[key]

    def _at(self, b: Floats) -> At:
        rows, numbers, n = self._table.rows, list(self._table.numbers), self.sizes
        if not numbers:
            s = logistic(rows @ b)
            weights = s * (1.0 - s)
            return At(s, weights, rows.T @ (n * s), (rows.T * (n * weights)) @ rows)
        slopes = b[numbers]
        along = self._spread @ slopes
        sd = float(np.sqrt(max(slopes @ along, 1e-18)))
        points, masses = normal_points()
        s = logistic((rows @ b + self.means @ slopes)[:, None] + sd * points)
        chances, steep = s @ masses, s * (1.0 - s)
        weights, first, second = steep @ masses, steep @ (masses * points), steep @ (masses * points**2)
        unit = along / sd
        expected = rows.T @ (n * chances)
        expected[numbers] = self._sums.T @ chances + float(n @ weights) * along
        information = (rows.T * (n * weights)) @ rows
        crossed = rows.T @ (weights[:, None] * self._sums + np.outer(n * first, unit))
        information[:, numbers] += crossed
        information[numbers, :] += crossed.T
        m = self.means
        pure = (m * (n * weights)[:, None]).T @ m
        mixed = np.outer((n * first) @ m, unit)
        pure = pure + mixed + mixed.T + float(n @ weights) * (self._spread - np.outer(unit, unit))
        information[np.ix_(numbers, numbers)] += pure + float(n @ second) * np.outer(unit, unit)
        return At(chances, weights, expected, information)
