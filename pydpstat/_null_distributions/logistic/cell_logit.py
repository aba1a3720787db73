"""Inference for a logistic regression from noisy counts and sums by cell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._null_distributions.logistic.logistic_cells import CellApproximations, CellModel, CellTable
from pydpstat._null_distributions.logistic.logistic_equations import sum_over_cells
from pydpstat._null_distributions.logistic.noisy_logit import make_combination_basis, pack_symmetric, unpack_symmetric
from pydpstat._null_distributions.noise import (
    SMALLEST_PVALUE,
    BinomialTerms,
    CubeTerms,
    GeometricTerms,
    SumTerms,
    WeightedSum,
    split_large_terms,
)
from pydpstat.r_arithmetic.elementary import Floats

# largest limit of an interval; larger ones are infinite
_MAX_LIMIT = 64.0
# distance of normal quantiles within which a p-value is near alpha: from 0.027 for an alpha of 0.05
_QUANTILE_TOLERANCE = 0.25
# largest standard error of an informative estimate
_MAX_STANDARD_ERROR = 4.0
# largest score, in standard errors, at which the equations count as solved
_SCORE_TOLERANCE = 0.1
# smallest information on numbers, in standard deviations of its noise
_MIN_SIGNAL_RATIO = 1.5
# largest change of the log odds by a Newton step, and largest log odds
_MAX_STEP, _MAX_LOG_ODDS = 2.0, 14.0
_MAX_ITERATIONS, _STEP_TOLERANCE = 40, 1e-7


@dataclass(frozen=True, eq=False)
class ScoreExpansion(ReadOnlyArrays):
    """Noisy score and information at public coefficients, with the subtracted linear approximations added again."""

    center: Floats
    score: Floats
    information: Floats
    counts: Floats
    sums: Floats
    levels: Floats
    slope: float
    cell_noise_units: Floats
    common_noise_units: Floats


@dataclass(frozen=True, eq=False)
class CellLogit(ReadOnlyArrays):
    """Inference for linear combinations of coefficients from a noisy table.

    Without numbers the score is linear in the noisy counts at every b: its distribution is that of binomial
    counts and of the noise, with known factors. With numbers the score was released at a center. Its change
    from there is computed for numbers with beta distributions within cells, and corrected by the
    released information.

    The test of a'b = v estimates the other coefficients under the hypothesis from their equations, and
    uses the combination of the score that does not depend on them to first order (Neyman's C(alpha) test).
    Its tail is a saddlepoint approximation: binomial counts with the noisy sizes of the cells, a normal
    variable for the variation of numbers within cells, and the noise. The variance from the noisy information
    is increased by half a standard deviation of its own noise.
    """

    table: CellTable
    expansion: ScoreExpansion | None

    @cached_property
    def model(self) -> CellModel:
        """Model of the numbers within cells."""
        return CellModel(self.table)

    @cached_property
    def _model_correction(self) -> tuple[Floats, Floats, Floats]:
        """Corrections of the model's score and information, and the coefficients at which they apply."""
        d = self.table.rows.shape[1]
        if self.expansion is None:
            return (
                freeze_array(self.model.responses),
                freeze_array(np.zeros((d, d))),
                freeze_array(np.zeros(d)),
            )
        state, center = self.model.evaluate_at(self.expansion.center), self.expansion.center
        added_information = freeze_array(self.expansion.information - state.information)
        return freeze_array(self.expansion.score + state.expected), added_information, center

    def _compute_equations(self, b: Floats) -> tuple[Floats, Floats]:
        """Return score and information at b."""
        base, added_information, center = self._model_correction
        state = self.model.evaluate_at(b)
        return base - state.expected - added_information @ (b - center), state.information + added_information

    def _raise_information(self, information: Floats) -> Floats:
        """Return the information with eigenvalues raised to the standard deviation of its noise in their directions."""
        values, vectors = np.linalg.eigh(0.5 * (information + information.T))
        min_values = np.sqrt(self._compute_information_noise(vectors)) + 1e-9
        return (vectors * np.maximum(values, min_values)) @ vectors.T

    def _compute_information_noise(self, directions: Floats) -> Floats:
        """Return the variance of the noise of u'I u, for directions u in columns."""
        table, h = self.table, 0.25
        if self.expansion is not None:
            h = float(np.max(self.model.evaluate_at(self.expansion.center).weights))
        cell_squares = np.square(table.rows @ directions)
        slope_squares = np.square(directions[list(table.numbers)]).sum(axis=0)
        fourth = cell_squares * cell_squares
        noise_variance = 2.0 * table.variance * h * h * fourth.sum(axis=0)
        if not table.numbers:
            return noise_variance
        noise_variance = noise_variance + 8.0 * table.variance * h * h * cell_squares.sum(axis=0) * slope_squares
        noise_variance = noise_variance + table.products_variance * h * h * slope_squares * slope_squares
        if self.expansion is None:
            return noise_variance
        cell_units, common_units = self.expansion.cell_noise_units, self.expansion.common_noise_units
        variances = _compute_cube_variance(cell_units.shape[1]) * cell_units * cell_units
        noise_variance = (
            noise_variance + variances[:, 1] @ fourth + 4.0 * (variances[:, 2] @ cell_squares) * slope_squares
        )
        return (
            noise_variance
            + _compute_cube_variance(common_units.size) * float(common_units[-1]) ** 2 * slope_squares * slope_squares
        )

    @cached_property
    def estimate(self) -> Floats:
        """Coefficients at which the score is 0."""
        d = self.table.rows.shape[1]
        start = np.zeros(d) if self.expansion is None else self.expansion.center
        return freeze_array(self._solve_newton(start, np.eye(d))[0])

    def _solve_newton(self, b: Floats, basis: Floats) -> tuple[Floats, Floats, Floats]:
        """Solve the equations by Newton's method within a basis; return the coefficients, score and information."""
        numbers = list(self.table.numbers)
        score, information = self._compute_equations(b)
        for _ in range(_MAX_ITERATIONS if basis.shape[1] else 0):
            lifted = basis.T @ self._raise_information(information) @ basis
            step = basis @ np.linalg.solve(lifted, basis.T @ score)
            size = float(np.abs(self.table.rows @ step).max() + np.abs(step[numbers]).sum())
            next_b = b + min(1.0, _MAX_STEP / max(size, 1e-300)) * step
            if size < _STEP_TOLERANCE or self._bound_log_odds(next_b) > max(_MAX_LOG_ODDS, self._bound_log_odds(b)):
                break
            b = next_b
            score, information = self._compute_equations(b)
        return b, score, information

    def _bound_log_odds(self, b: Floats) -> float:
        return float(np.abs(self.table.rows @ b).max() + np.abs(b[list(self.table.numbers)]).sum())

    @property
    def is_limited(self) -> bool:
        """Whether the limit on coefficients prevents the solution of the equations."""
        score, information = self._compute_equations(self.estimate)
        step = np.linalg.solve(self._raise_information(information), score)
        return (
            self._bound_log_odds(self.estimate + step) > _MAX_LOG_ODDS and abs(float(step @ score)) > _SCORE_TOLERANCE
        )

    @cached_property
    def _hidden_numbers(self) -> tuple[int, ...]:
        """Numbers whose information, given all other coefficients, does not exceed its noise clearly."""
        inverse = np.linalg.inv(self._raise_information(self._compute_equations(self.estimate)[1]))
        hidden = []
        for index in self.table.numbers:
            profile = inverse[:, index] / inverse[index, index]
            noise = float(self._compute_information_noise(profile[:, None])[0])
            if 1.0 / inverse[index, index] < _MIN_SIGNAL_RATIO * math.sqrt(noise):
                hidden.append(index)
        return tuple(hidden)

    def is_identified(self, combination: Floats) -> bool:
        """Return whether the other numbers' coefficients, on which the test relies, can be estimated."""
        is_single = np.count_nonzero(combination) == 1
        return all(is_single and combination[index] for index in self._hidden_numbers)

    def _has_hidden_variance(self, combination: Floats) -> bool:
        """Return whether the combination involves the slope of a number whose variance is hidden by noise."""
        return bool(self.table.numbers) and bool(
            (combination[1:] != 0.0)[sum_over_cells(self.table).has_hidden_variance].any()
        )

    def compute_standard_error(self, combination: Floats) -> float:
        """Return the standard error of combination'b from sampling and noise; infinite if uninformative."""
        if not self.is_identified(combination) or self._has_hidden_variance(combination):
            return math.inf
        b = self.estimate
        score, information = self._compute_equations(b)
        weights = np.asarray(np.linalg.solve(self._raise_information(information), combination), dtype=np.float64)
        _, variance = self._compute_sampling(weights, b, information)
        standard_error = math.sqrt(variance + math.fsum(term.variance for term in self._make_noise_terms(weights, b)))
        # if no coefficients solve the equations, the iteration ended at a limit
        is_solved = abs(float(weights @ score)) < _SCORE_TOLERANCE * standard_error
        size = max(1.0, float(np.abs(combination).max()))
        return standard_error if is_solved and standard_error < _MAX_STANDARD_ERROR * size else math.inf

    def compute_pvalue(self, combination: Floats, value: float) -> float:
        """Return the two-sided p-value of combination'b = value."""
        if not self.is_identified(combination):
            return 1.0
        distance, total = self._compute_score_test(combination, value)
        return min(1.0, max(2.0 * total.approximate_tail(distance), SMALLEST_PVALUE))

    def _compute_score_test(self, combination: Floats, value: float) -> tuple[float, WeightedSum]:
        """Return the absolute value of the projected score, and its null distribution."""
        basis, index = make_combination_basis(combination)
        other_basis = np.delete(basis, index, axis=1)
        b, direction_b = self.estimate, basis[:, index]
        distance_b = value - float(combination @ b)
        direction = np.linalg.solve(self._raise_information(self._compute_equations(b)[1]), combination)
        profile = direction / float(combination @ direction)
        # the other coefficients follow their profile if the log odds remain moderate
        start_b = b + distance_b * (
            profile if self._bound_log_odds(b + distance_b * profile) < _MAX_LOG_ODDS else direction_b
        )
        b, score, information = self._solve_newton(start_b, other_basis)
        weights = direction_b
        if other_basis.shape[1]:
            lifted = self._raise_information(information)
            weights = direction_b - other_basis @ np.linalg.solve(
                other_basis.T @ lifted @ other_basis, other_basis.T @ lifted @ direction_b
            )
        distance = float(weights @ score)
        if distance < 0.0:
            distance, weights = -distance, -weights
        counts, variance = self._compute_sampling(weights, b, information)
        noise = self._make_noise_terms(weights, b)
        total_variance = variance + math.fsum(term.variance for term in noise)
        normal_variance = variance - counts.variance
        terms: list[SumTerms] = [counts]
        for term in noise:
            if isinstance(term, CubeTerms):
                term, small_variance = split_large_terms(term, total_variance)
                normal_variance += small_variance
            terms.append(term)
        return distance, WeightedSum(max(normal_variance, 0.0), tuple(terms))

    def _compute_sampling(self, weights: Floats, b: Floats, information: Floats) -> tuple[BinomialTerms, float]:
        """Return the binomial part of the score's combination, and its total sampling variance."""
        state, table = self.model.evaluate_at(b), self.table
        cell_weights = table.rows @ weights + self.model.means @ weights[list(table.numbers)]
        noise_sd = math.sqrt(float(self._compute_information_noise(weights[:, None])[0]))
        variance = max(float(weights @ information @ weights) + 0.5 * noise_sd, noise_sd, 0.0)
        sizes = np.maximum(self.model.sizes, 0.0)
        counts = BinomialTerms(sizes, state.probabilities, cell_weights)
        # corrects for negative sizes that were set to 0, and for numbers that are not normal
        factor = variance / counts.variance if counts.variance > 0.0 else 0.0
        if not table.numbers or factor < 1.0:
            counts = counts._replace(sizes=sizes * factor)
        return counts, variance

    def _make_noise_terms(self, weights: Floats, b: Floats) -> list[SumTerms]:
        """Return the noise in the score's combination."""
        table, state = self.table, self.model.evaluate_at(b)
        numbers = list(table.numbers)
        cell_weights, slopes = table.rows @ weights, weights[numbers]
        if self.expansion is None:
            expected = cell_weights * state.probabilities
            factors = np.column_stack([-expected, cell_weights - expected]).reshape(-1, 1)
            return (
                [GeometricTerms(table.scale, factors[:, 0])] if table.geometric else [CubeTerms(table.scale * factors)]
            )
        expansion, center_state = self.expansion, self.model.evaluate_at(self.expansion.center)
        probability_steps = state.probabilities - center_state.probabilities
        weighted_steps = state.weights[:, None] * b[numbers] - center_state.weights[:, None] * expansion.center[numbers]
        counts = cell_weights * (expansion.counts + probability_steps)
        sums = (
            cell_weights[:, None] * (expansion.sums + weighted_steps)
            + (expansion.levels + probability_steps)[:, None] * slopes
        )
        factors = np.stack(
            [
                np.column_stack([-counts, -sums]),
                np.column_stack([cell_weights - counts, slopes - sums]),
            ],
            axis=1,
        )
        step = b - expansion.center
        slope_steps = step[numbers]
        mean = float(self.model.shares @ center_state.weights)
        products = np.outer(slopes, expansion.slope * expansion.center[numbers] + mean * slope_steps)
        steps = table.rows @ step
        mixed = cell_weights[:, None] * slope_steps + steps[:, None] * slopes
        cell_terms = np.column_stack([cell_weights, cell_weights * steps, mixed]) * expansion.cell_noise_units
        common_terms = (
            np.concatenate([slopes, pack_symmetric(np.outer(slopes, slope_steps))]) * expansion.common_noise_units
        )
        return [
            CubeTerms(table.scale * factors.reshape(2 * len(cell_weights), -1)),
            CubeTerms((table.products_scale * table.units * pack_symmetric(products))[None, :]),
            CubeTerms(cell_terms),
            CubeTerms(common_terms[None, :]),
        ]

    def compute_limits(self, combination: Floats, alpha: float) -> tuple[float, float]:
        """Return the limits of the values that are not rejected at alpha; infinite if unbounded."""
        middle = float(combination @ self.estimate)
        if self.compute_pvalue(combination, middle) <= alpha:
            return -math.inf, math.inf
        unit = self.compute_standard_error(combination)
        unit = unit if math.isfinite(unit) else float(np.abs(combination).max())
        low, high = (self._find_limit(combination, middle, sign * unit, alpha) for sign in (-1.0, 1.0))
        return low, high

    def _find_limit(self, combination: Floats, middle: float, unit: float, alpha: float) -> float:
        target, max_distance = float(ndtri(0.5 * alpha)), _MAX_LIMIT * float(np.abs(combination).max())

        def compute_excess(step: float) -> float:
            chance = self.compute_pvalue(combination, middle + unit * step)
            return float(ndtri(0.5 * max(chance, 1e-300))) - target

        inner, outer = (0.0, -target), (-target, compute_excess(-target))
        last = outer
        # p-values near alpha need not be monotone: the last non-rejected value determines the limit
        while last[1] > -_QUANTILE_TOLERANCE:
            if abs(unit) * last[0] > max_distance:
                return math.copysign(math.inf, unit)
            last = 1.6 * last[0], compute_excess(1.6 * last[0])
            if outer[1] > 0.0:
                inner, outer = outer, last
            elif last[1] > 0.0:
                inner, outer = last, last
        for _ in range(40):
            if outer[0] - inner[0] < 1e-5 * outer[0]:
                break
            step = inner[0] + (outer[0] - inner[0]) * inner[1] / (inner[1] - outer[1])
            margin = 0.02 * (outer[0] - inner[0])
            step = min(max(step, inner[0] + margin), outer[0] - margin)
            tried = step, compute_excess(step)
            inner, outer = (tried, outer) if tried[1] > 0.0 else (inner, tried)
        return middle + unit * outer[0]


def expand_score(
    center: Floats,
    approximations: CellApproximations,
    remainders: Floats,
    scales: tuple[float, float],
    table: CellTable,
) -> ScoreExpansion:
    """Return score and information at a center, from the noisy remainders of the linear approximations."""
    numbers, cells = list(table.numbers), len(table.rows)
    width = len(numbers)
    cell_remainders, common_remainders = (
        remainders[: cells * (2 + width)].reshape(cells, -1),
        remainders[cells * (2 + width) :],
    )
    sizes, sums, slopes = table.counts.sum(axis=1), table.sums.sum(axis=1), center[numbers]
    expected = (
        sizes * approximations.level
        + approximations.slope * (sums @ slopes)
        + approximations.max_error * cell_remainders[:, 0]
    )
    score = table.rows.T @ (table.counts[:, 1] - expected)
    expected_sums = sums.T @ approximations.common_level + approximations.common_slope * (table.products @ slopes)
    score[numbers] = (
        table.sums[:, 1].sum(axis=0) - expected_sums - approximations.common_max_error * common_remainders[:width]
    )
    weight_errors = approximations.max_weight_error[:, None]
    cell_weights = approximations.weight * sizes + approximations.max_weight_error * cell_remainders[:, 1]
    information = (table.rows.T * cell_weights) @ table.rows
    crossed = table.rows.T @ (approximations.weight[:, None] * sums + weight_errors * cell_remainders[:, 2:])
    information[:, numbers] += crossed
    information[numbers, :] += crossed.T
    number_products = approximations.common_weight * table.products
    number_products = number_products + approximations.common_max_weight_error * unpack_symmetric(
        common_remainders[width:], width
    )
    information[np.ix_(numbers, numbers)] = number_products
    units = np.column_stack([approximations.max_error, *(approximations.max_weight_error,) * (1 + width)])
    common_units = np.repeat(
        [approximations.common_max_error, approximations.common_max_weight_error],
        [width, common_remainders.size - width],
    )
    return ScoreExpansion(
        center,
        score,
        information,
        approximations.level,
        approximations.slope[:, None] * slopes,
        approximations.common_level,
        approximations.common_slope,
        scales[0] * units,
        scales[1] * common_units,
    )


def _compute_cube_variance(columns: int) -> float:
    """Return the variance of one element of cube noise of scale 1."""
    return (columns + 1.0) * (columns + 2.0) / 3.0
