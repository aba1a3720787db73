"""Inference for a logistic regression from the last noisy score."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._null_distributions.logistic.logistic_cells import (
    MAX_SLOPE_SUM,
    LinearApproximation,
    evaluate_logistic,
    get_normal_quadrature,
    limit_slopes,
    raise_eigenvalues,
)
from pydpstat._null_distributions.noise import SMALLEST_PVALUE
from pydpstat._null_distributions.simulation import DOWNWARD_SHAPE, NORMAL_SHAPE, SHAPES, UPWARD_SHAPE
from pydpstat._search import bisect_up
from pydpstat.r_arithmetic.elementary import Floats, log

# largest limit of an interval; larger ones are infinite
_MAX_LIMIT = 64.0
# approximately in units of the largest eigenvalue of the noise
_MIN_SIGNAL_RATIO = 0.5
# per coefficient; ten ones and ten zeros have this information
_MIN_INFORMATION = 5.0
# a standard error requires information of at least this multiple of its noise's standard deviation
_MIN_SLOPE_RATIO = 3.0
_SURCHARGE = 1.05
# standard deviations of the noise at which a shape is ruled out
_SHAPE_DEVIATIONS = 4.0


def approximate_sum_tail(x: float, sd: float, noise_scales: Floats) -> float:
    """Return a saddlepoint approximation of P(sd N + sum of scales L >= x) for x >= 0: N normal and L Laplace.

    Barndorff-Nielsen, O. E. (1986). Inference on full or partial parameters based on the standardized signed
    log likelihood ratio. Biometrika 73 (the form that is used).
    """
    from scipy.special import log_ndtr

    size = np.abs(noise_scales)
    size = size[size > 1e-9 * max(float(size.max(initial=0.0)), sd)]
    variance = sd * sd + 2.0 * float(size @ size)
    if not x > 0.0 or variance == 0.0:
        return 0.5 if not x > 0.0 else 0.0
    squares = size * size
    high = min(1.0 / float(size.max()) if size.size else math.inf, x / (sd * sd) if sd > 0.0 else math.inf)

    def is_below_target(t: float) -> bool:
        factors = 1.0 - squares * (t * t)
        return sd * sd * t + 2.0 * t * float((squares / factors).sum()) < x

    low, high = bisect_up(is_below_target, 0.0, high, steps=50)
    t = low if low > 0.0 else 0.5 * high
    factors = 1.0 - squares * (t * t)
    exponent = 0.5 * sd * sd * t * t - float(np.sum(log(factors)))
    curvature = sd * sd + 2.0 * float((squares * (2.0 - factors) / (factors * factors)).sum())
    root, slope = math.sqrt(max(2.0 * (t * x - exponent), 0.0)), t * math.sqrt(curvature)
    if root < 1e-3:
        return max(0.0, 0.5 - x / math.sqrt(2.0 * math.pi * variance))
    return min(0.5, _SURCHARGE * math.exp(float(log_ndtr(-(root + math.log(slope / root) / root)))))


def make_combination_basis(combination: Floats) -> tuple[Floats, int]:
    """Return a basis of coefficients that includes the combination, and its index."""
    index = int(np.argmax(np.abs(combination)))
    basis = np.eye(combination.size)
    basis[index] = -combination / combination[index]
    basis[index, index] = 1.0 / combination[index]
    return basis, index


def get_triangle_pairs(size: int) -> list[tuple[int, int]]:
    """Return the index pairs of the upper triangle of a symmetric matrix."""
    return [(i, j) for i in range(size) for j in range(i, size)]


def unpack_symmetric(elements: Floats, size: int) -> Floats:
    """Return the symmetric matrix with these elements in its upper triangle."""
    matrix = np.empty((size, size))
    for (i, j), value in zip(get_triangle_pairs(size), elements):
        matrix[i, j] = matrix[j, i] = value
    return matrix


@dataclass(frozen=True, eq=False)
class LogitInference(ReadOnlyArrays):
    """Inference for linear combinations of coefficients from the last noisy score.

    At the true coefficients b, the noisy score minus the noisy information times (b - center) is the score at
    b, whose mean is 0 and whose variance is the information, plus noise that is linear in independent Laplace
    variables with known factors. The other coefficients are estimated, and a combination a of the equations
    is used that does not depend on them to first order (Neyman's C(alpha) tests). If b is far from the center,
    the change of the score is smaller than linear; the ratio is computed from the noisy moments, for linear
    predictors of three shapes: a normal one and the most skewed ones of two values within the bounds. The
    p-value is the largest one of those shapes whose information at the center differs from the noisy
    one by no more than the noise. If there is none, a normal one and two values of the skewness that
    gives the noisy information replace them. If, by one of those shapes, curvature changes the score by more
    than its standard deviation between the center and the estimate, the steps have not converged: that many
    standard deviations are subtracted from the test statistic, since the result depends too much on the shape.
    """

    center: Floats
    score: Floats
    information: Floats
    moments: Floats
    records: float
    approximation: LinearApproximation
    response_scales: Floats
    product_scales: Floats
    remainder_scales: Floats
    information_scales: Floats

    # largest effect of curvature over the last step that is ignored, in standard deviations of the score
    max_ignored_curvature: ClassVar[float] = 1.0

    @property
    def max_noise_sd(self) -> float:
        """Largest standard deviation of the information's noise."""
        return float(
            np.sqrt(2.0 * ((self.approximation.weight * self.product_scales) ** 2 + self.information_scales**2)).max()
        )

    @cached_property
    def plausible_shapes(self) -> tuple[int | float, ...]:
        """Shapes of the linear predictor that the noisy information does not rule out."""
        return self._matching_shapes or self._find_matching_shapes()

    @cached_property
    def _matching_shapes(self) -> tuple[int, ...]:
        off = [abs(self._compute_excess_information(shape)) for shape in SHAPES]
        nearest = min(off)
        # if no shape fits, even the nearest one may be far from that of the records
        if nearest > _SHAPE_DEVIATIONS * self.max_noise_sd:
            return ()
        return tuple(
            shape for shape, value in zip(SHAPES, off) if value <= nearest + _SHAPE_DEVIATIONS * self.max_noise_sd
        )

    @property
    def _tried_shapes(self) -> tuple[int | float, ...]:
        """Shapes that are tried if the steps have not converged."""
        return self._matching_shapes or (*SHAPES, *self.plausible_shapes)

    def _find_matching_shapes(self) -> tuple[int | float, ...]:
        """Return the normal shape and those of two values with the noisy information, or all if there are none."""
        (_, low), (_, high) = (self._make_predictor_points(DOWNWARD_SHAPE), self._make_predictor_points(UPWARD_SHAPE))
        # the upper value's distance from the mean in standard deviations is the square root of the odds against it
        limits = np.sqrt([low[0] / max(low[1], 1e-12), high[1] / max(high[0], 1e-12)])
        grid = np.geomspace(max(limits.min(), 1e-6), max(limits.max(), 1e-6), 33)
        excess = np.array([self._compute_excess_information(ratio) for ratio in grid.tolist()])
        crossings = np.flatnonzero(excess[1:] * excess[:-1] < 0.0)
        fraction = excess[crossings] / (excess[crossings] - excess[crossings + 1])
        matching = (grid[crossings] ** (1.0 - fraction) * grid[crossings + 1] ** fraction).tolist()
        return (NORMAL_SHAPE, *matching) if matching else SHAPES

    def _compute_excess_information(self, shape: int | float) -> float:
        """Return the information of a shape on the constant minus the noisy one at the center."""
        points, masses = self._make_predictor_points(shape)
        s = evaluate_logistic(points)
        return self.records * float(masses @ (s * (1.0 - s))) - float(self.information[0, 0])

    @cached_property
    def curvature_shift(self) -> float:
        """Change of the score by curvature from the center to the estimate, in standard deviations."""
        return self._compute_curvature_shift(self._tried_shapes)

    def _compute_curvature_shift(self, shapes: Sequence[int | float]) -> float:
        step = self.estimate - self.center
        linear, scales = abs(float(step @ self.information @ step)), self._compute_noise_scales(step, step)
        off = max(abs(1.0 - self._compute_curvature(step, shape)[0]) for shape in shapes)
        return off * linear / max(math.sqrt(linear + 2.0 * float(scales @ scales)), 1e-300)

    @property
    def _subtracted_deviations(self) -> float:
        """Standard deviations that are subtracted from test statistics: 0 if the steps have converged."""
        return self.curvature_shift if self.curvature_shift > self.max_ignored_curvature else 0.0

    @cached_property
    def _newton_step(self) -> Floats:
        """Newton's step from the center."""
        return freeze_array(
            np.linalg.solve(
                raise_eigenvalues(self.information, self.max_noise_sd * math.sqrt(self.center.size)), self.score
            )
        )

    @cached_property
    def _step_share(self) -> float:
        """Fraction of the step for which the expansion is accurate."""
        return min(1.0, 2.0 / max(self._compute_step_length(self._newton_step), 1e-300))

    def _compute_step_length(self, step: Floats) -> float:
        """Return the largest change of the log odds within the bounds by a step."""
        return float(np.abs(step).sum())

    @property
    def estimate(self) -> Floats:
        """Coefficients after one step from the center, limited to where the expansion is accurate."""
        return self.center + self._step_share * self._newton_step

    @property
    def is_limited(self) -> bool:
        """Whether the limit on coefficients prevents the solution of the score equations."""
        before, after = (float(np.abs(b[1:]).sum()) for b in (self.center, self.estimate))
        # the center may have been shortened
        return self._step_share < 1.0 or (before >= MAX_SLOPE_SUM * (1.0 - 1e-9) and after > MAX_SLOPE_SUM)

    def compute_regularized_estimates(self) -> Floats:
        """Return estimates of all coefficients for predictions, of moderate size whatever the noise."""
        mean = np.clip(self.moments[0, 1:] / self.records, -1.0, 1.0)
        return limit_slopes(self.estimate, mean)

    def compute_pvalue(self, combination: Floats, value: float) -> float:
        """Return the two-sided p-value of the hypothesis that combination'b is `value`; 1 if it is not identified."""
        if not self.is_identified(combination):
            return 1.0
        # the effect of the shape may be as wrong as the effect of curvature is large
        n_sd = self._subtracted_deviations
        shapes = self._tried_shapes if n_sd else self.plausible_shapes
        statistics = [self._compute_statistic_parts(combination, value, shape) for shape in shapes]
        tails = [
            approximate_sum_tail(abs(distance) - n_sd * math.sqrt(sd * sd + 2.0 * float(scales @ scales)), sd, scales)
            for distance, sd, scales in statistics
        ]
        return min(1.0, max(2.0 * max(tails), SMALLEST_PVALUE))

    def is_identified(self, combination: Floats) -> bool:
        """Return whether the information on the other coefficients exceeds its noise, and is large enough."""
        if self.information[0, 0] < _MIN_INFORMATION * self.center.size:
            return False
        if self.center.size == 1:
            return True
        _, information, _ = self._get_other_information(combination)
        minimum = _MIN_SIGNAL_RATIO * self.max_noise_sd * math.sqrt(information.shape[0])
        return float(np.linalg.eigvalsh(information)[0]) >= minimum

    def compute_standard_error(self, combination: Floats) -> float:
        """Return the standard error of combination'b from sampling and noise."""
        value = float(combination @ self.estimate)
        _, sd, scales = self._compute_statistic_parts(combination, value, NORMAL_SHAPE)
        total = math.sqrt(sd * sd + 2.0 * float(scales @ scales))
        basis, a, _ = self._project_equations(combination)
        slope, weights = self._compute_slope(combination), basis @ a
        noise = math.sqrt(2.0 * float(self._compute_information_noise(weights, basis[:, 0])))
        return (1.0 + self._subtracted_deviations) * total / slope if slope > _MIN_SLOPE_RATIO * noise else math.inf

    def compute_limits(self, combination: Floats, alpha: float) -> tuple[float, float]:
        """Return the limits of the hull of the values that are not rejected at alpha; infinite if unbounded."""
        middle, unit = float(combination @ self.estimate), self._get_search_unit(combination)
        if self.compute_pvalue(combination, middle) <= alpha:
            # the estimate itself is rejected: the expansion is not valid
            return -math.inf, math.inf
        low, high = (self._find_limit(combination, middle, sign * unit, alpha) for sign in (-1.0, 1.0))
        return low, high

    def _get_search_unit(self, combination: Floats) -> float:
        """Return the unit of the search for limits."""
        return float(np.abs(combination).sum())

    def _find_limit(self, combination: Floats, middle: float, unit: float, alpha: float) -> float:
        def is_not_rejected(step: float) -> bool:
            return self.compute_pvalue(combination, middle + unit * step) > alpha

        steps = np.concatenate([[0.0], np.geomspace(0.002, _MAX_LIMIT, 36)])
        last = max((index for index, value in enumerate(steps[1:].tolist(), 1) if is_not_rejected(value)), default=0)
        if last == steps.size - 1:
            return math.copysign(math.inf, unit)
        _, high = bisect_up(is_not_rejected, float(steps[last]), float(steps[last + 1]), steps=16)
        return middle + unit * high

    def _make_basis(self, combination: Floats) -> Floats:
        """Return B with b = B t, where the first element of t is combination'b."""
        basis, index = make_combination_basis(combination)
        order = [index, *(i for i in range(combination.size) if i != index)]
        return basis[:, order]

    def _get_other_information(self, combination: Floats) -> tuple[Floats, Floats, Floats]:
        """Return a basis, the scaled information on all but its first element, and the scales."""
        basis = self._make_basis(combination)
        units = np.sqrt(np.square(basis[:, 1:]).sum(axis=0))
        information = basis[:, 1:].T @ self.information @ basis[:, 1:]
        return basis, information / np.outer(units, units), units

    def _project_equations(self, combination: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the basis, the equations' combination in it, and the others' step from the center."""
        basis, remaining, sizes = self._get_other_information(combination)
        information, score = basis.T @ self.information @ basis, basis.T @ self.score
        scaled = raise_eigenvalues(remaining, self.max_noise_sd * math.sqrt(max(remaining.shape[0], 1)))
        # projection of the tested coefficient on the others, and the solution of their equations
        solved = np.linalg.solve(scaled, np.column_stack([information[1:, 0], score[1:]]) / sizes[:, None])
        solved = solved / sizes[:, None]
        return basis, np.concatenate([[1.0], -solved[:, 0]]), solved[:, 1]

    def _compute_slope(self, combination: Floats) -> float:
        basis, a, _ = self._project_equations(combination)
        return float(a @ basis.T @ self.information @ basis[:, 0])

    def _compute_statistic_parts(
        self, combination: Floats, value: float, shape: int | float
    ) -> tuple[float, float, Floats]:
        """Return the value of the combined equations, its standard deviation and the scales of its noise."""
        basis, a, other_step = self._project_equations(combination)
        distance_b = value - float(combination @ self.center)
        # the others change along their profile: their equations remain solved
        change = np.concatenate([[distance_b], other_step + (a[1:] * distance_b)])
        step, weights = basis @ change, basis @ a
        shrunk, spread = self._compute_curvature(step, shape)
        step = shrunk * step
        distance = float(weights @ (self.score - self.information @ step))
        scales = self._compute_noise_scales(weights, step)
        variance = float(weights @ self.information @ weights)
        noise = math.sqrt(2.0 * float(self._compute_information_noise(weights, weights)))
        return distance, math.sqrt(spread * max(variance + 0.5 * noise, noise)), scales

    def _compute_information_noise(self, left: Floats, right: Floats) -> float:
        factors = pack_symmetric(np.outer(left, right))
        return float(
            (factors**2) @ ((self.approximation.weight * self.product_scales) ** 2 + self.information_scales**2)
        )

    def _compute_noise_scales(self, weights: Floats, step: Floats) -> Floats:
        """Return the factors of the independent Laplace variables in the equations' combination."""
        expected = self.approximation.slope * self.center + self.approximation.weight * step
        expected[0] += self.approximation.level
        matrix, step_scales = (pack_symmetric(np.outer(weights, vector)) for vector in (expected, step))
        return np.concatenate(
            [
                weights * self.response_scales,
                matrix * self.product_scales,
                weights * self.remainder_scales,
                step_scales * self.information_scales,
            ]
        )

    @cached_property
    def _mean_and_covariance(self) -> tuple[Floats, Floats]:
        """Mean of v, and covariance matrix of z."""
        mean = np.clip(self.moments[0] / self.records, -1.0, 1.0)
        mean[0] = 1.0
        covariance = raise_eigenvalues(self.moments[1:, 1:] / self.records - np.outer(mean[1:], mean[1:]), 1e-9)
        return freeze_array(mean), freeze_array(covariance)

    def _make_predictor_points(self, shape: int | float) -> tuple[Floats, Floats]:
        """Return values of the linear predictor at the center, and their probabilities.

        A shape that is a float has two values; it is the upper one's distance from the mean in standard deviations.
        """
        mean, covariance = self._mean_and_covariance
        middle, slopes = float(mean @ self.center), self.center[1:]
        sd = math.sqrt(max(float(slopes @ covariance @ slopes), 1e-18))
        if shape == NORMAL_SHAPE:
            points, masses = get_normal_quadrature()
            return middle + sd * points, masses
        if isinstance(shape, float):
            share = 1.0 / (1.0 + shape * shape)
            return middle + sd * np.array([shape, -1.0 / shape]), np.array([share, 1.0 - share])
        sign = 1.0 if shape == UPWARD_SHAPE else -1.0
        distance = max(float(np.abs(slopes).sum()) + sign * (self.center[0] - middle), 1e-9 * sd)
        share = sd * sd / (sd * sd + distance * distance)
        return middle + sign * np.array([distance, -sd * sd / distance]), np.array([share, 1.0 - share])

    def _compute_curvature(self, step: Floats, shape: int | float) -> tuple[float, float]:
        """Return the score's change over a step relative to its linear one, and the information's relative change."""
        mean, covariance = self._mean_and_covariance
        coefficients = np.column_stack([self.center, step])
        middle = mean @ coefficients
        moments = coefficients[1:].T @ covariance @ coefficients[1:]
        slope = moments[0, 1] / max(moments[0, 0], 1e-36)
        residual_sd = math.sqrt(max(moments[1, 1] - slope * moments[0, 1], 0.0))
        predictors, masses = self._make_predictor_points(shape)
        points, weights = get_normal_quadrature()
        changes = middle[1] + slope * (predictors - middle[0])[:, None] + residual_sd * points[None, :]
        joint = np.outer(masses, weights)
        before = evaluate_logistic(predictors)[:, None]
        after = evaluate_logistic(np.clip(predictors[:, None] + changes, -500.0, 500.0))
        weight = before * (1.0 - before)
        linear = float((joint * weight * changes * changes).sum())
        if linear < 1e-14:
            return 1.0, 1.0
        score_change = float((joint * changes * (after - before)).sum())
        # on the constant and on the change of the linear predictor
        information = joint * after * (1.0 - after)
        constant = float(information.sum()) / float((joint * weight).sum())
        informed = max(constant, float((information * changes * changes).sum()) / linear)
        return score_change / linear, informed


def pack_symmetric(matrix: Floats) -> Floats:
    """Return the coefficients of a symmetric matrix's elements in a bilinear form, added over both positions."""
    rows, columns = np.triu_indices(len(matrix))
    symmetric = matrix + matrix.T
    return np.where(rows == columns, 0.5, 1.0) * symmetric[rows, columns]
