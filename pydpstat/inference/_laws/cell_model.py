"""The mean response by cell, for numbers with a beta distribution within cells: from a noisy table alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen, frozen
from pydpstat.inference._laws.geometric_sums import noise_variance
from pydpstat.inference._laws.logit_start import lifted, logistic
from pydpstat.mechanisms._radial import sobol

Floats = npt.NDArray[np.float64]
_POINTS, _SEVERAL = 21, 128
# of the largest variance that bounds allow a mean
_WIDEST = 0.995


@dataclass(frozen=True, eq=False)
class CellTable(Frozen):
    """Noisy counts and sums by cell and response, and noisy products."""

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
            return noise_variance(self.scale)
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
    """Numbers that have distributions like beta variables on their bounds within each cell."""

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
        self._known: dict[bytes, At] = {}
        if table.numbers:
            self._points, self._masses = self._within(mean, n)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(self, name, frozen(value))

    def _within(self, mean: Floats, n: float) -> tuple[Floats, Floats]:
        """Return points of the numbers within cells, and their masses."""
        table = self._table
        between = (self.shares[:, None] * self.means).T @ self.means
        spread = lifted(np.clip(table.products / n, -1.0, 1.0) - between, 1e-6)
        return _beta_points(self.means, spread) if len(table.numbers) == 1 else _copula(mean, spread)

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
            self._known[key] = At(*map(frozen, self._at(b)))
        return self._known[key]

    def _at(self, b: Floats) -> At:
        rows, numbers, n = self._table.rows, list(self._table.numbers), self.sizes
        if not numbers:
            s = logistic(rows @ b)
            weights = s * (1.0 - s)
            return At(s, weights, rows.T @ (n * s), (rows.T * (n * weights)) @ rows)
        slopes, points, masses, m = b[numbers], self._points, self._masses, self.means
        s = logistic((rows @ b + m @ slopes)[:, None] + points @ slopes)
        steep = s * (1.0 - s)
        chances, weights = s @ masses, steep @ masses
        held = n[:, None] * masses
        expected = rows.T @ (n * chances)
        expected[numbers] = self._sums.T @ chances + _moment(held * s, points)
        information = (rows.T * (n * weights)) @ rows
        mixed = np.einsum("cq,cqj->cj", held * steep, points + np.zeros((len(n), 1, 1)))
        crossed = rows.T @ (weights[:, None] * self._sums + mixed)
        information[:, numbers] += crossed
        information[numbers, :] += crossed.T
        pure = (m * (n * weights)[:, None]).T @ m + m.T @ mixed + mixed.T @ m
        pure = pure + _moment(held * steep, points[..., :, None] * points[..., None, :])
        information[np.ix_(numbers, numbers)] = pure
        return At(chances, weights, expected, information)


def _moment(masses: Floats, values: Floats) -> Floats:
    """Return the sum over cells and points, whose values may be the same in all cells."""
    if len(values) == 1:
        masses = masses.sum(axis=0, keepdims=True)
    return np.tensordot(masses, values, axes=2)


def _quantiles(means: Floats, variances: Floats, chances: Floats) -> Floats:
    """Return quantiles of beta variables on [-1, 1]; a variance that is too large for the mean is reduced."""
    from scipy.special import betaincinv

    middle = np.clip(0.5 + 0.5 * means, 0.001, 0.999)
    most = middle * (1.0 - middle)
    size = most / np.minimum(0.25 * variances, _WIDEST * most) - 1.0
    return betaincinv(middle * size, (1.0 - middle) * size, chances)


def _beta_points(means: Floats, spread: Floats) -> tuple[Floats, Floats]:
    """Return points of one number about each cell's mean, of shape (cells, points, 1), and their masses."""
    nodes, masses = np.polynomial.legendre.leggauss(_POINTS)
    masses = 0.5 * masses
    points = _quantiles(means, spread[0], 0.5 + 0.5 * nodes)
    points = points - (points @ masses)[:, None]
    sd = np.sqrt(np.maximum(points**2 @ masses, 1e-18))
    return (points * (math.sqrt(spread[0, 0]) / sd)[:, None])[:, :, None], masses


def _copula(mean: Floats, spread: Floats) -> tuple[Floats, Floats]:
    """Return points of several numbers about their means, of shape (1, points, numbers), and their masses."""
    from scipy.special import ndtr, ndtri

    sds = np.sqrt(np.diag(spread))
    root = np.linalg.cholesky(lifted(spread / np.outer(sds, sds), 1e-6))
    points = _quantiles(mean, sds**2, ndtr(ndtri(sobol(_SEVERAL, mean.size)) @ root.T))
    points = points - points.mean(axis=0)
    # of the very covariance
    own = np.linalg.cholesky(lifted(points.T @ points / _SEVERAL, 1e-9))
    points = np.linalg.solve(own, points.T).T @ np.linalg.cholesky(spread).T
    return points[None], np.full(_SEVERAL, 1.0 / _SEVERAL)
