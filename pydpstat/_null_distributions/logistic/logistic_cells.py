"""Logistic function: starting values of coefficients, linear approximations, and a model of cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._null_distributions.noise import compute_noise_variance
from pydpstat._search import bisect_up
from pydpstat.mechanisms._noise import draw_sobol_points
from pydpstat.r_arithmetic.elementary import Floats, exp

# largest sum of absolute slopes in the expansion, at which probabilities are 0.002 and 0.998
MAX_SLOPE_SUM = 6.0
_MAX_LOGIT_SD = 4.0


def evaluate_logistic(x: npt.ArrayLike) -> Floats:
    """Return 1 / (1 + exp(-x)) for moderate x."""
    return 1.0 / (1.0 + np.asarray(exp(-np.asarray(x, dtype=np.float64))))


class LinearApproximation(NamedTuple):
    """Linear approximation of the logistic function s on an interval, subtracted before noise is added.

    ``s(x) - 1/2`` is approximated by ``level + slope x`` with an error of at most `max_error`, and ``s'(x)`` by
    `weight` with an error of at most `max_weight_error`.
    """

    level: float
    slope: float
    max_error: float
    weight: float
    max_weight_error: float


def fit_minimax_line(low: float, high: float) -> LinearApproximation:
    """Return the best uniform linear approximation of s - 1/2 between two points, and the midrange of s'."""
    x = np.linspace(low, high, 257)
    s = evaluate_logistic(x)
    slope = (s[-1] - s[0]) / (high - low) if high > low else 0.25
    # the optimal slope is at most 1/4, and the maximal error is convex in the slope
    lowest, highest = 0.0, 0.25
    for _ in range(40):
        lower_slope, upper_slope = lowest + (highest - lowest) / 3.0, highest - (highest - lowest) / 3.0
        if np.ptp(s - lower_slope * x) <= np.ptp(s - upper_slope * x):
            highest = upper_slope
        else:
            lowest = lower_slope
    slope = 0.5 * (lowest + highest)
    residuals = s - 0.5 - slope * x
    weights = s * (1.0 - s)
    # a small increase covers the points between those of the grid
    max_error = 1.01 * 0.5 * float(np.ptp(residuals)) + 1e-4
    return LinearApproximation(
        0.5 * float(residuals.max() + residuals.min()),
        slope,
        max_error,
        0.5 * float(weights.max() + weights.min()),
        1.01 * 0.5 * float(np.ptp(weights)) + 1e-4,
    )


@lru_cache(maxsize=1)
def get_normal_quadrature() -> tuple[Floats, Floats]:
    """Return nodes and weights of a quadrature for the standard normal distribution."""
    points, weights = np.polynomial.hermite_e.hermegauss(21)
    return freeze_array(points), freeze_array(weights / weights.sum())


def raise_eigenvalues(matrix: Floats, floor: float) -> Floats:
    """Return a symmetric matrix whose eigenvalues are raised to at least `floor`."""
    values, vectors = np.linalg.eigh(0.5 * (matrix + matrix.T))
    return (vectors * np.maximum(values, floor)) @ vectors.T


def find_start_coefficients(
    records: float, mean_response: float, mean: Floats, spread: Floats, joint: Floats, ridge: float
) -> Floats:
    """Return the coefficients of a logistic regression on normal predictors with these moments.

    For normal x, cov(x, y) = cov(x) b E s'(b0 + x'b) (Stein's lemma): the direction is that of least squares,
    and two numbers, the factor and the intercept, are found by search. The log odds' standard deviation is
    at most 4; the slopes may be arbitrarily steep.
    """
    spread = raise_eigenvalues(spread, ridge)
    direction = np.linalg.solve(spread, joint)
    length = math.sqrt(max(float(direction @ spread @ direction), 0.0))
    min_share = min(0.5, 1.0 / records + 0.1 / math.sqrt(records))
    share = min(max(mean_response, min_share), 1.0 - min_share)
    points, weights = get_normal_quadrature()

    def solve_intercept(sd: float) -> float:
        low, high = -30.0, 30.0
        # the logistic distribution is close to a normal one of variance 2.9
        intercept = math.log(share / (1.0 - share)) * math.sqrt(1.0 + sd * sd / 2.9)
        for _ in range(60):
            s = evaluate_logistic(intercept + sd * points)
            above = float(weights @ s) - share
            low, high = (intercept, high) if above < 0.0 else (low, intercept)
            step = above / float(weights @ (s * (1.0 - s)))
            if abs(step) < 1e-12:
                break
            # Newton's step, or bisection if it leaves the bracket
            intercept = intercept - step if low < intercept - step < high else 0.5 * (low + high)
        return intercept

    def is_too_small(factor: float) -> bool:
        s = evaluate_logistic(solve_intercept(factor * length) + factor * length * points)
        return factor * float(weights @ (s * (1.0 - s))) < 1.0

    low, _ = bisect_up(is_too_small, 0.0, _MAX_LOGIT_SD / max(length, 1e-12), steps=30)
    slopes = low * direction
    return np.concatenate([[solve_intercept(low * length) - mean @ slopes], slopes])


def limit_slopes(b: Floats, mean: Floats) -> Floats:
    """Return coefficients with absolute slopes that add up to at most `MAX_SLOPE_SUM`, and the same log odds at `mean`.

    If no predictors have log odds between -`MAX_SLOPE_SUM` and `MAX_SLOPE_SUM`, the intercept is clipped, too.
    """
    size = float(np.abs(b[1:]).sum())
    if size > MAX_SLOPE_SUM:
        # about the mean, since scaling about 0 would change the expected responses of predictors far from 0
        slopes = b[1:] * (MAX_SLOPE_SUM / size)
        b = np.concatenate([[b[0] + mean @ (b[1:] - slopes)], slopes])
    max_intercept = MAX_SLOPE_SUM + min(size, MAX_SLOPE_SUM)
    return np.concatenate([np.clip(b[:1], -max_intercept, max_intercept), b[1:]])


_LINE_POINTS, _TRIED_SLOPES = 129, 9
# increase of errors for points between those of the grid
_ERROR_FACTOR, _ADDED_ERROR = 1.01, 1e-4


class CellApproximations(NamedTuple):
    """Linear approximations in each cell, for the logistic function s, the cell's middle m and x'c around it."""

    middle: Floats
    level: Floats
    slope: Floats
    max_error: Floats
    weight: Floats
    max_weight_error: Floats
    common_level: Floats
    common_slope: float
    common_max_error: float
    common_weight: float
    common_max_weight_error: float


def fit_cell_lines(middle: Floats, half_width: float, shares: Floats) -> CellApproximations:
    """Return linear approximations for linear predictors within `half_width` of each cell's middle.

    The common slope is the mean of the cells' slopes, weighted by their shares of the records.
    """
    offsets = np.linspace(-half_width, half_width, _LINE_POINTS)
    s = evaluate_logistic(middle[:, None] + offsets)
    steepest = s * (1.0 - s)
    chord = (s[:, -1] - s[:, 0]) / (2.0 * half_width) if half_width > 0.0 else steepest[:, 0]
    highest = steepest.max(axis=1)
    slopes = [chord + fraction * (highest - chord) for fraction in np.linspace(0.0, 1.0, _TRIED_SLOPES).tolist()]
    widths = np.array([np.ptp(s - candidate[:, None] * offsets, axis=1) for candidate in slopes])
    slope = np.choose(widths.argmin(axis=0), slopes)
    level, error = _compute_midranges(s - slope[:, None] * offsets)
    weight, weight_error = _compute_midranges(steepest)
    common_slope = float(shares @ slope)
    common_level, common_error = _compute_midranges(s - common_slope * offsets)
    low, high = float(steepest.min()), float(steepest.max())
    return CellApproximations(
        middle,
        level,
        slope,
        _ERROR_FACTOR * error + _ADDED_ERROR,
        weight,
        _ERROR_FACTOR * weight_error + _ADDED_ERROR,
        common_level,
        common_slope,
        _ERROR_FACTOR * float(common_error.max()) + _ADDED_ERROR,
        0.5 * (low + high),
        _ERROR_FACTOR * 0.5 * (high - low) + _ADDED_ERROR,
    )


def _compute_midranges(values: Floats) -> tuple[Floats, Floats]:
    """Return the midranges and half ranges of rows."""
    low, high = values.min(axis=1), values.max(axis=1)
    return 0.5 * (low + high), 0.5 * (high - low)


_BETA_POINTS, _COPULA_POINTS = 21, 128
# limit of a variance as a fraction of the largest one for a given mean within the bounds
_MAX_VARIANCE_SHARE = 0.995


@dataclass(frozen=True, eq=False)
class CellTable(ReadOnlyArrays):
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
        """Noise variance of one count, or of one sum in a cell."""
        if self.geometric:
            return compute_noise_variance(self.scale)
        columns = len(self.numbers) + 1
        return (columns + 1) * (columns + 2) / 3.0 * self.scale**2

    @property
    def products_variance(self) -> float:
        """Noise variance of one product."""
        columns = self.units.size
        return (columns + 1) * (columns + 2) / 3.0 * self.products_scale**2


class ModelState(NamedTuple):
    """Model at given coefficients: means of s and s' in each cell, expected sums, and information."""

    probabilities: Floats
    weights: Floats
    expected: Floats
    information: Floats


class CellModel:
    """Model in which numbers have beta distributions on their bounds within each cell."""

    def __init__(self, table: CellTable) -> None:
        self._table = table
        self.sizes = table.counts.sum(axis=1)
        self._sums = table.sums.sum(axis=1)
        nonnegative_sizes = np.maximum(self.sizes, 0.0)
        n = max(float(self.sizes.sum()), 1.0)
        self.shares = nonnegative_sizes / max(float(nonnegative_sizes.sum()), 1.0)
        noise_sds = 2.0 * np.sqrt(2.0 * table.variance)
        mean = np.clip(self._sums.sum(axis=0) / n, -1.0, 1.0)
        self.means = np.clip((self._sums + noise_sds * mean) / (nonnegative_sizes + noise_sds)[:, None], -1.0, 1.0)
        self._cached_states: dict[bytes, ModelState] = {}
        if table.numbers:
            self._points, self._masses = self._make_number_points(mean, n)
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(self, name, freeze_array(value))

    def _make_number_points(self, mean: Floats, n: float) -> tuple[Floats, Floats]:
        """Return points of the numbers within cells, and their masses."""
        table = self._table
        between_cells = (self.shares[:, None] * self.means).T @ self.means
        within_cells = raise_eigenvalues(np.clip(table.products / n, -1.0, 1.0) - between_cells, 1e-6)
        return (
            _make_beta_points(self.means, within_cells)
            if len(table.numbers) == 1
            else _make_copula_points(mean, within_cells)
        )

    @property
    def responses(self) -> Floats:
        """Noisy sums of v y."""
        sums = self._table.rows.T @ self._table.counts[:, 1]
        sums[list(self._table.numbers)] = self._table.sums[:, 1].sum(axis=0)
        return sums

    def evaluate_at(self, b: Floats) -> ModelState:
        """Return the model at given coefficients; the last few results are cached."""
        key = b.tobytes()
        if key not in self._cached_states:
            while len(self._cached_states) > 3:
                self._cached_states.pop(next(iter(self._cached_states)))
            self._cached_states[key] = ModelState(*map(freeze_array, self._evaluate_at(b)))
        return self._cached_states[key]

    def _evaluate_at(self, b: Floats) -> ModelState:
        rows, numbers, n = self._table.rows, list(self._table.numbers), self.sizes
        if not numbers:
            s = evaluate_logistic(rows @ b)
            weights = s * (1.0 - s)
            return ModelState(s, weights, rows.T @ (n * s), (rows.T * (n * weights)) @ rows)
        slopes, points, masses, m = b[numbers], self._points, self._masses, self.means
        s = evaluate_logistic((rows @ b + m @ slopes)[:, None] + points @ slopes)
        steep = s * (1.0 - s)
        chances, weights = s @ masses, steep @ masses
        point_sizes = n[:, None] * masses
        expected = rows.T @ (n * chances)
        expected[numbers] = self._sums.T @ chances + _sum_over_points(point_sizes * s, points)
        information = (rows.T * (n * weights)) @ rows
        mixed = np.einsum("cq,cqj->cj", point_sizes * steep, points + np.zeros((len(n), 1, 1)))
        crossed = rows.T @ (weights[:, None] * self._sums + mixed)
        information[:, numbers] += crossed
        information[numbers, :] += crossed.T
        number_products = (m * (n * weights)[:, None]).T @ m + m.T @ mixed + mixed.T @ m
        number_products = number_products + _sum_over_points(
            point_sizes * steep, points[..., :, None] * points[..., None, :]
        )
        information[np.ix_(numbers, numbers)] = number_products
        return ModelState(chances, weights, expected, information)


def _sum_over_points(masses: Floats, values: Floats) -> Floats:
    """Return the sum over cells and points of values, which may be the same in all cells."""
    if len(values) == 1:
        masses = masses.sum(axis=0, keepdims=True)
    return np.tensordot(masses, values, axes=2)


def _compute_beta_quantiles(means: Floats, variances: Floats, probabilities: Floats) -> Floats:
    """Return quantiles of beta variables on [-1, 1]; a variance that is too large for the mean is reduced."""
    from scipy.special import betaincinv

    middle = np.clip(0.5 + 0.5 * means, 0.001, 0.999)
    max_variances = middle * (1.0 - middle)
    size = max_variances / np.minimum(0.25 * variances, _MAX_VARIANCE_SHARE * max_variances) - 1.0
    return betaincinv(middle * size, (1.0 - middle) * size, probabilities)


def _make_beta_points(means: Floats, spread: Floats) -> tuple[Floats, Floats]:
    """Return points of one number about each cell's mean, of shape (cells, points, 1), and their masses."""
    nodes, masses = np.polynomial.legendre.leggauss(_BETA_POINTS)
    masses = 0.5 * masses
    points = _compute_beta_quantiles(means, spread[0], 0.5 + 0.5 * nodes)
    points = points - (points @ masses)[:, None]
    sd = np.sqrt(np.maximum(points**2 @ masses, 1e-18))
    return (points * (math.sqrt(spread[0, 0]) / sd)[:, None])[:, :, None], masses


def _make_copula_points(mean: Floats, spread: Floats) -> tuple[Floats, Floats]:
    """Return points of several numbers about their means, of shape (1, points, numbers), and their masses."""
    from scipy.special import ndtr, ndtri

    sds = np.sqrt(np.diag(spread))
    root = np.linalg.cholesky(raise_eigenvalues(spread / np.outer(sds, sds), 1e-6))
    points = _compute_beta_quantiles(mean, sds**2, ndtr(ndtri(draw_sobol_points(_COPULA_POINTS, mean.size)) @ root.T))
    points = points - points.mean(axis=0)
    # transformed to the exact covariance
    sample_root = np.linalg.cholesky(raise_eigenvalues(points.T @ points / _COPULA_POINTS, 1e-9))
    points = np.linalg.solve(sample_root, points.T).T @ np.linalg.cholesky(spread).T
    return points[None], np.full(_COPULA_POINTS, 1.0 / _COPULA_POINTS)
