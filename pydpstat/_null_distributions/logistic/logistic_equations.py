"""Estimating equations of a logistic regression with steep slopes, and the windows of their weights.

If bounds are wide in relation to a predictor's values, slopes are steep between them, and a line cannot
approximate the logistic function there. The equations here need no line: they are sums of (y - s(v'b)) a, where
a are the predictors minus their noisy means, in units of a few of their noisy standard deviations, clipped
to [-1, 1]. The linear predictor v'b is not clipped. At the true coefficients the expected value is 0 for all
weights a, whatever fraction of the records they clip: a window that is too narrow costs only precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._null_distributions.logistic.logistic_cells import (
    MAX_SLOPE_SUM,
    CellTable,
    LinearApproximation,
    find_start_coefficients,
    raise_eigenvalues,
)
from pydpstat._null_distributions.logistic.noisy_logit import LogitInference, unpack_symmetric
from pydpstat._null_distributions.simulation import NORMAL_SHAPE
from pydpstat.mechanisms.mechanism import split_by_shares
from pydpstat.r_arithmetic.elementary import Floats

# smallest and largest fraction of epsilon for the information, and the factor of its sensitivity over records times
# epsilon in between, with which its noise is about a sixteenth of it
_MIN_INFORMATION_SHARE, _MAX_INFORMATION_SHARE, _INFORMATION_FACTOR = 0.1, 0.4, 250.0
# smallest half width of a window, in standard deviations
_MIN_WINDOW = 2.5
# windows grow while the sampling error of the equations is at least this multiple of their noise
_MIN_ERROR_RATIO = 5.0
# and the information on a slope at least this multiple of its noise
_MIN_INFORMATION_RATIO = 20.0
# approximate standard deviation of y - s(v'b)
_RESIDUAL_SD = 0.4
_MIN_HALF_WIDTH = 2.0**-20
# largest standard deviation of the log odds over the records
_MAX_LOGIT_SD = 8.0
# fraction of the remaining epsilon for stages before the last, and the largest numbers of stages if noise is
# at most a multiple of the sampling error
_STAGE_SHARE = 0.25
_STAGES = ((1.0, 6), (2.5, 3), (math.inf, 1))
# thresholds of curvature over a step, in standard deviations of the equations, above which: the next stage is not the
# last, tests subtract it, there is no estimate
_NEXT_CURVATURE, _SUBTRACTED_CURVATURE, _MAX_CURVATURE = 0.1, 0.25, 0.5
# noise of the equations, relative to their sampling error, below which more stages are used
_NEGLIGIBLE_NOISE = 0.01
# relative noise of variances above which moments within a window are released, and above which
# slopes may be steep although they do not look so
_BLURRING_NOISE, _HIDING_NOISE = 0.05, 0.25
# fraction of the remaining epsilon for moments within a window, and the largest correlation after them
_MOMENTS_SHARE, _MAX_CORRELATION = 0.1, 0.9
# number of records times epsilon per coefficient from which a further step costs little
_ENOUGH_RECORDS = 1000.0


@dataclass(frozen=True, eq=False)
class Scaling(ReadOnlyArrays):
    """Affine scaling of numbers: minus a middle, divided by a half width."""

    middle: Floats
    half_width: Floats

    @property
    def combinations(self) -> Floats:
        """Coefficients of the original numbers, as combinations of those of the scaled ones."""
        size = self.half_width.size + 1
        matrix = np.zeros((size, size))
        matrix[0, 0] = 1.0
        matrix[0, 1:] = -self.middle / self.half_width
        matrix[np.arange(1, size), np.arange(1, size)] = 1.0 / self.half_width
        return matrix

    @property
    def inverse_combinations(self) -> Floats:
        """Coefficients of the scaled numbers, as combinations of those of the original ones."""
        size = self.half_width.size + 1
        matrix = np.zeros((size, size))
        matrix[0, 0] = 1.0
        matrix[0, 1:] = self.middle
        matrix[np.arange(1, size), np.arange(1, size)] = self.half_width
        return matrix


@dataclass(frozen=True, eq=False)
class LogitSums(ReadOnlyArrays):
    """Noisy sums of v (y - 1/2) and of v v' over the records, for v = (1, z) within [-1, 1].

    `noise_sds` are the standard deviations of the noise of the products' diagonal.
    """

    records: float
    response_sums: Floats
    products: Floats
    noise_sds: Floats
    is_numeric: tuple[bool, ...]

    @cached_property
    def mean(self) -> Floats:
        """Means of z."""
        return freeze_array(np.clip(self.products[0, 1:] / self.records, -1.0, 1.0))

    @cached_property
    def spread(self) -> Floats:
        """Covariance matrix of z."""
        return freeze_array(self.products[1:, 1:] / self.records - np.outer(self.mean, self.mean))

    def find_start(self, ridge: float) -> Floats:
        """Return the coefficients of a fit with normal predictors, however steep."""
        mean = self.mean
        share = float(self.response_sums[0]) / self.records + 0.5
        joint = self.response_sums[1:] / self.records + 0.5 * mean - mean * share
        return find_start_coefficients(self.records, share, mean, self.spread, joint, ridge)

    def choose_window(self, equation_noise: float = math.inf, information_noise: float = math.inf) -> Scaling:
        """Return the window of the weights, given the standard deviations of the noise.

        It covers a few standard deviations about the mean, within the bounds. The variance is increased by twice the
        standard deviation of its noise. With less noise the window is wider, since unclipped weights are the most
        precise.
        """
        sampled = _RESIDUAL_SD * math.sqrt(self.records) / (_MIN_ERROR_RATIO * max(equation_noise, 1e-300))
        informed = math.sqrt(_RESIDUAL_SD**2 * self.records / (_MIN_INFORMATION_RATIO * max(information_noise, 1e-300)))
        factor = min(sampled, informed)
        half = np.clip(
            max(_MIN_WINDOW, factor) * np.sqrt(self._variance_limits), _MIN_HALF_WIDTH, 1.0 + np.abs(self.mean)
        )
        numeric = np.array(self.is_numeric)
        return Scaling(np.where(numeric, self.mean, 0.0), np.where(numeric, half, 1.0))

    @property
    def _variance_limits(self) -> Floats:
        """Upper limits of the variances of z: increased by twice the standard deviation of the noise."""
        return np.maximum(np.diag(self.spread), 0.0) + 2.0 * self.noise_sds[1:] / self.records

    def find_noisy_variances(self, ratio: float) -> npt.NDArray[np.bool_]:
        """Return a mask of the numeric predictors for which the noise of the variance exceeds a fraction of it."""
        noise = self.noise_sds[1:] / self.records
        return (noise > ratio * np.diag(self.spread)) & np.array(self.is_numeric, dtype=bool)

    @property
    def has_hidden_variance(self) -> npt.NDArray[np.bool_]:
        """Mask of numeric predictors whose variance is hidden by noise, so that slopes may be steep."""
        return self.find_noisy_variances(_HIDING_NOISE)

    def scale_products(self, window: Scaling) -> Floats:
        """Return the products of the constant and the scaled, unclipped predictors.

        Variances have their upper limits, so that the effect of curvature is not underestimated.
        """
        products = self.products.copy()
        indices = np.arange(1, len(products))
        products[indices, indices] += self.records * (self._variance_limits - np.diag(self.spread))
        combinations = window.combinations.T
        return combinations @ products @ combinations.T

    def shrink_log_odds(self, b: Floats) -> Floats:
        """Return coefficients shrunk so that the log odds have a standard deviation of at most `_MAX_LOGIT_SD`."""
        covariance = raise_eigenvalues(self.spread, 1e-12)
        sd = math.sqrt(max(float(b[1:] @ covariance @ b[1:]), 0.0))
        middle = float(b[0] + self.mean @ b[1:])
        slopes = b[1:] * min(1.0, _MAX_LOGIT_SD / max(sd, 1e-300))
        limit = 2.0 * _MAX_LOGIT_SD
        return np.concatenate([[min(max(middle, -limit), limit) - float(self.mean @ slopes)], slopes])


def sum_over_cells(table: CellTable) -> LogitSums:
    """Return the noisy sums over all cells, with indicators of levels as 0 or 1."""
    rows, numbers = table.rows, list(table.numbers)
    sizes, totals = table.counts.sum(axis=1), table.sums.sum(axis=1)
    products = (rows.T * sizes) @ rows
    crossed = rows.T @ totals
    products[:, numbers] += crossed
    products[numbers, :] += crossed.T
    products[np.ix_(numbers, numbers)] = table.products
    response = rows.T @ (table.counts[:, 1] - table.counts[:, 0])
    response[numbers] = (table.sums[:, 1] - table.sums[:, 0]).sum(axis=0)
    deviations = np.sqrt(2.0 * table.variance * np.square(rows).sum(axis=0))
    deviations[numbers] = math.sqrt(table.products_variance) * np.diag(unpack_symmetric(table.units, len(numbers)))
    numeric = tuple(index in numbers for index in range(1, rows.shape[1]))
    return LogitSums(max(float(sizes.sum()), 1.0), 0.5 * response, products, deviations, numeric)


@dataclass(frozen=True, eq=False)
class EquationInference(LogitInference):
    """Inference from noisy equations, in the units of their window."""

    max_ignored_curvature: ClassVar[float] = _SUBTRACTED_CURVATURE

    @cached_property
    def curvature_shift(self) -> float:
        """Effect of curvature in standard deviations of the equations, for a normal linear predictor."""
        return self._compute_curvature_shift((NORMAL_SHAPE,))

    def _compute_step_length(self, step: Floats) -> float:
        """Return the change of the log odds by a step: at the mean, plus one standard deviation."""
        mean = self._mean_and_covariance[0]
        sd = math.sqrt(max(float(step[1:] @ self._mean_and_covariance[1] @ step[1:]), 0.0))
        return abs(float(mean @ step)) + sd

    def is_identified(self, combination: Floats) -> bool:
        """Return whether the equations were solved, and the information exceeds its noise."""
        return not self.is_limited and super().is_identified(combination)

    def _get_search_unit(self, combination: Floats) -> float:
        """Return the unit of the search for limits: a standard error, since windows may be wide."""
        error = self.compute_standard_error(combination)
        return error if math.isfinite(error) else super()._get_search_unit(combination)

    @property
    def is_limited(self) -> bool:
        """Whether the step was shortened or the curvature is too large, so that the equations are not solved."""
        return self._step_share < 1.0 or self.curvature_shift > _MAX_CURVATURE


@dataclass(frozen=True, eq=False)
class WindowedLogit(ReadOnlyArrays):
    """Inference from the last equations for coefficients of predictors in units of their bounds."""

    inference: EquationInference
    window: Scaling

    @cached_property
    def basis(self) -> Floats:
        """Coefficients as combinations of those in units of the window."""
        return freeze_array(self.window.combinations)

    @cached_property
    def estimate(self) -> Floats:
        """Coefficients after one step from the center."""
        return freeze_array(self.basis @ self.inference.estimate)

    @property
    def is_limited(self) -> bool:
        """Whether the equations are not solved within the limits of a step."""
        return self.inference.is_limited

    def compute_regularized_estimates(self) -> Floats:
        """Return estimates of all coefficients for predictions; the limited steps bound their size."""
        return self.estimate

    def is_identified(self, combination: Floats) -> bool:
        """Return whether the information on the other coefficients exceeds its noise."""
        return self.inference.is_identified(combination @ self.basis)

    def compute_standard_error(self, combination: Floats) -> float:
        """Return the standard error of combination'b from sampling and noise."""
        return self.inference.compute_standard_error(combination @ self.basis)

    def compute_pvalue(self, combination: Floats, value: float) -> float:
        """Return the two-sided p-value of the hypothesis that combination'b is `value`."""
        return self.inference.compute_pvalue(combination @ self.basis, value)

    def compute_limits(self, combination: Floats, alpha: float) -> tuple[float, float]:
        """Return the limits of the values that are not rejected; infinite if unbounded."""
        return self.inference.compute_limits(combination @ self.basis, alpha)


class EquationPoint(NamedTuple):
    """Coefficients in a window's units at which equations are evaluated, and the information's fraction of epsilon."""

    center: Floats
    window: Scaling
    information_share: float


# noisy numbers, and the scale of their noise
NoisyNumbers = tuple[Floats, float]


class EquationQueries(NamedTuple):
    """Functions that release equations and moments, and their sensitivities.

    `sensitivities` are those of equations and information, the latter in quarters. `release_moments` releases sums of
    numbers and squares within a window, multiplied by `unit`.
    """

    sensitivities: tuple[int, int]
    unit: float
    release_moments: Callable[[Scaling, float], NoisyNumbers]
    release_equations: Callable[[EquationPoint, float], NoisyNumbers]


def sum_remaining_epsilon(epsilons: tuple[float, ...]) -> float:
    """Return the sum of the epsilons of the remaining stages, rounded down."""
    exact = sum(map(Fraction, epsilons), Fraction(0))
    rounded = float(exact)
    return rounded if rounded <= exact else math.nextafter(rounded, 0.0)


def has_enough_records(records: float, epsilon: float, n_coefficients: int) -> bool:
    """Return whether the noise is small enough for further steps, and for recognizing steep slopes."""
    return records * epsilon >= _ENOUGH_RECORDS * n_coefficients


def has_steep_slopes(slopes: Floats, sums: LogitSums, max_sum: float = MAX_SLOPE_SUM) -> bool:
    """Return whether slopes in units of the bounds are, or may be, too steep for linear approximations."""
    return float(np.abs(slopes).sum()) > max_sum or bool(sums.has_hidden_variance.any())


def refine_moments(sums: LogitSums, epsilon: float, queries: EquationQueries) -> LogitSums:
    """Return sums with more precise means and variances of the numbers, from moments within a window."""
    window = sums.choose_window()
    noisy, scale = queries.release_moments(window, epsilon)
    numeric, n = np.array(sums.is_numeric), sums.records
    first, second = np.split(noisy / (queries.unit * n), 2)
    noise = math.sqrt(2.0) * scale / queries.unit
    half = window.half_width[numeric]
    mean, variance = sums.mean.copy(), np.maximum(np.diag(sums.spread), 0.0)
    mean[numeric] = window.middle[numeric] + half * np.clip(first, -1.0, 1.0)
    variance[numeric] = half * half * np.maximum(second - first * first, 0.0)
    sds = np.sqrt(variance)
    covariance = np.clip(sums.spread, -_MAX_CORRELATION * np.outer(sds, sds), _MAX_CORRELATION * np.outer(sds, sds))
    np.fill_diagonal(covariance, variance)
    products = sums.products.copy()
    products[0, 1:] = products[1:, 0] = n * mean
    products[1:, 1:] = n * (covariance + np.outer(mean, mean))
    deviations = sums.noise_sds.copy()
    deviations[1:][numeric] = half * half * noise
    return replace(sums, products=products, noise_sds=deviations)


def solve_equations(sums: LogitSums, center: Floats, epsilon: float, queries: EquationQueries) -> WindowedLogit:
    """Return the inference from the last of several equations, each released at the previous estimates.

    As soon as the effect of curvature is small, the next equations are the last, with all of the remaining
    epsilon. If variances are noisy, moments within a window are released first.
    """
    limits = queries.sensitivities
    d, remaining = center.size, epsilon
    if sums.find_noisy_variances(_BLURRING_NOISE).any():
        remaining, stage_epsilon = split_by_shares(remaining, (1.0 - _MOMENTS_SHARE, _MOMENTS_SHARE))
        sums = refine_moments(sums, stage_epsilon, queries)
        center = sums.find_start(float(sums.noise_sds[1:].min()) / sums.records + 1e-12)
    result: WindowedLogit | None = None
    noise = (
        math.sqrt(2.0) * limits[0] / (_STAGE_SHARE * remaining) / (_RESIDUAL_SD * math.sqrt(sums.records) / _MIN_WINDOW)
    )
    n_stages = next(count for max_noise, count in _STAGES if noise <= max_noise)
    # if the noise is negligible, a further step has no cost
    near_shift = _NEXT_CURVATURE * min(1.0, noise / _NEGLIGIBLE_NOISE)
    for stage in range(n_stages, 0, -1):
        is_last = stage == 1 or (
            result is not None and result.inference.curvature_shift <= near_shift and not result.is_limited
        )
        remaining, stage_epsilon = (
            (0.0, remaining) if is_last else split_by_shares(remaining, (1.0 - _STAGE_SHARE, _STAGE_SHARE))
        )
        share = min(
            max(_INFORMATION_FACTOR * limits[1] / (stage_epsilon * sums.records), _MIN_INFORMATION_SHARE),
            _MAX_INFORMATION_SHARE,
        )
        unit, informed = limits[0] / (1.0 - share), 0.25 * limits[1] / share
        window = sums.choose_window(math.sqrt(2.0) * unit / stage_epsilon, math.sqrt(2.0) * informed / stage_epsilon)
        point = EquationPoint(window.inverse_combinations @ sums.shrink_log_odds(center), window, share)
        noisy, scale = queries.release_equations(point, stage_epsilon)
        number = noisy.size - d
        inference = EquationInference(
            point.center,
            unit * noisy[:d],
            informed * unpack_symmetric(noisy[d:], d),
            sums.scale_products(window),
            sums.records,
            _NO_LINE,
            np.zeros(d),
            np.zeros(number),
            np.full(d, unit * scale),
            np.full(number, informed * scale),
        )
        result = WindowedLogit(inference, window)
        if is_last:
            return result
        center = result.estimate
    raise AssertionError


# no line is subtracted from the equations
_NO_LINE = LinearApproximation(0.0, 0.0, 1.0, 0.0, 1.0)
