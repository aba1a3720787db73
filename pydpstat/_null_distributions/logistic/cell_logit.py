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
        at, center = self.model.evaluate_at(self.expansion.center), self.expansion.center
        more = freeze_array(self.expansion.information - at.information)
        return freeze_array(self.expansion.score + at.expected), more, center

    def _compute_equations(self, b: Floats) -> tuple[Floats, Floats]:
        """Return score and information at b."""
        base, more, center = self._model_correction
        at = self.model.evaluate_at(b)
        return base - at.expected - more @ (b - center), at.information + more

    def _raise_information(self, information: Floats) -> Floats:
        """Return the information with eigenvalues raised to the standard deviation of its noise in their directions."""
        values, vectors = np.linalg.eigh(0.5 * (information + information.T))
        least = np.sqrt(self._compute_information_noise(vectors)) + 1e-9
        return (vectors * np.maximum(values, least)) @ vectors.T

    def _compute_information_noise(self, directions: Floats) -> Floats:
        """Return the variance of the noise of u'I u, for directions u in columns."""
        table, h = self.table, 0.25
        if self.expansion is not None:
            h = float(np.max(self.model.evaluate_at(self.expansion.center).weights))
        inside = np.square(table.rows @ directions)
        along = np.square(directions[list(table.numbers)]).sum(axis=0)
        fourth = inside * inside
        found = 2.0 * table.variance * h * h * fourth.sum(axis=0)
        if not table.numbers:
            return found
        found = found + 8.0 * table.variance * h * h * inside.sum(axis=0) * along
        found = found + table.products_variance * h * h * along * along
        if self.expansion is None:
            return found
        own, whole = self.expansion.cell_noise_units, self.expansion.common_noise_units
        variances = _compute_cube_variance(own.shape[1]) * own * own
        found = found + variances[:, 1] @ fourth + 4.0 * (variances[:, 2] @ inside) * along
        return found + _compute_cube_variance(whole.size) * float(whole[-1]) ** 2 * along * along

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
            moved = b + min(1.0, _MAX_STEP / max(size, 1e-300)) * step
            if size < _STEP_TOLERANCE or self._bound_log_odds(moved) > max(_MAX_LOG_ODDS, self._bound_log_odds(b)):
                break
            b = moved
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
        found = []
        for place in self.table.numbers:
            profile = inverse[:, place] / inverse[place, place]
            noise = float(self._compute_information_noise(profile[:, None])[0])
            if 1.0 / inverse[place, place] < _MIN_SIGNAL_RATIO * math.sqrt(noise):
                found.append(place)
        return tuple(found)

    def is_identified(self, combination: Floats) -> bool:
        """Return whether the other numbers' coefficients, on which the test relies, can be estimated."""
        alone = np.count_nonzero(combination) == 1
        return all(alone and combination[place] for place in self._hidden_numbers)

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
        found = math.sqrt(variance + math.fsum(part.variance for part in self._make_noise_terms(weights, b)))
        # if no coefficients solve the equations, the iteration ended at a limit
        solved = abs(float(weights @ score)) < _SCORE_TOLERANCE * found
        size = max(1.0, float(np.abs(combination).max()))
        return found if solved and found < _MAX_STANDARD_ERROR * size else math.inf

    def compute_pvalue(self, combination: Floats, value: float) -> float:
        """Return the two-sided p-value of combination'b = value."""
        if not self.is_identified(combination):
            return 1.0
        distance, total = self._compute_score_test(combination, value)
        return min(1.0, max(2.0 * total.approximate_tail(distance), SMALLEST_PVALUE))

    def _compute_score_test(self, combination: Floats, value: float) -> tuple[float, WeightedSum]:
        """Return the absolute value of the projected score, and its null distribution."""
        basis, place = make_combination_basis(combination)
        others = np.delete(basis, place, axis=1)
        b, along = self.estimate, basis[:, place]
        away = value - float(combination @ b)
        direction = np.linalg.solve(self._raise_information(self._compute_equations(b)[1]), combination)
        profile = direction / float(combination @ direction)
        # the other coefficients follow their profile if the log odds remain moderate
        started = b + away * (profile if self._bound_log_odds(b + away * profile) < _MAX_LOG_ODDS else along)
        b, score, information = self._solve_newton(started, others)
        weights = along
        if others.shape[1]:
            lifted = self._raise_information(information)
            weights = along - others @ np.linalg.solve(others.T @ lifted @ others, others.T @ lifted @ along)
        distance = float(weights @ score)
        if distance < 0.0:
            distance, weights = -distance, -weights
        counts, variance = self._compute_sampling(weights, b, information)
        noise = self._make_noise_terms(weights, b)
        whole = variance + math.fsum(part.variance for part in noise)
        rest = variance - counts.variance
        parts: list[SumTerms] = [counts]
        for part in noise:
            if isinstance(part, CubeTerms):
                part, small = split_large_terms(part, whole)
                rest += small
            parts.append(part)
        return distance, WeightedSum(max(rest, 0.0), tuple(parts))

    def _compute_sampling(self, weights: Floats, b: Floats, information: Floats) -> tuple[BinomialTerms, float]:
        """Return the binomial part of the score's combination, and its total sampling variance."""
        at, table = self.model.evaluate_at(b), self.table
        inside = table.rows @ weights + self.model.means @ weights[list(table.numbers)]
        off = math.sqrt(float(self._compute_information_noise(weights[:, None])[0]))
        variance = max(float(weights @ information @ weights) + 0.5 * off, off, 0.0)
        sizes = np.maximum(self.model.sizes, 0.0)
        counts = BinomialTerms(sizes, at.probabilities, inside)
        # corrects for negative sizes that were set to 0, and for numbers that are not normal
        factor = variance / counts.variance if counts.variance > 0.0 else 0.0
        if not table.numbers or factor < 1.0:
            counts = counts._replace(sizes=sizes * factor)
        return counts, variance

    def _make_noise_terms(self, weights: Floats, b: Floats) -> list[SumTerms]:
        """Return the noise in the score's combination."""
        table, at = self.table, self.model.evaluate_at(b)
        numbers = list(table.numbers)
        inside, along = table.rows @ weights, weights[numbers]
        if self.expansion is None:
            taken = inside * at.probabilities
            factors = np.column_stack([-taken, inside - taken]).reshape(-1, 1)
            return (
                [GeometricTerms(table.scale, factors[:, 0])] if table.geometric else [CubeTerms(table.scale * factors)]
            )
        own, before = self.expansion, self.model.evaluate_at(self.expansion.center)
        moved = at.probabilities - before.probabilities
        bent = at.weights[:, None] * b[numbers] - before.weights[:, None] * own.center[numbers]
        counts = inside * (own.counts + moved)
        sums = inside[:, None] * (own.sums + bent) + (own.levels + moved)[:, None] * along
        factors = np.stack(
            [
                np.column_stack([-counts, -sums]),
                np.column_stack([inside - counts, along - sums]),
            ],
            axis=1,
        )
        step = b - own.center
        apart = step[numbers]
        mean = float(self.model.shares @ before.weights)
        products = np.outer(along, own.slope * own.center[numbers] + mean * apart)
        steps = table.rows @ step
        mixed = inside[:, None] * apart + steps[:, None] * along
        rest = np.column_stack([inside, inside * steps, mixed]) * own.cell_noise_units
        whole = np.concatenate([along, pack_symmetric(np.outer(along, apart))]) * own.common_noise_units
        return [
            CubeTerms(table.scale * factors.reshape(2 * len(inside), -1)),
            CubeTerms((table.products_scale * table.units * pack_symmetric(products))[None, :]),
            CubeTerms(rest),
            CubeTerms(whole[None, :]),
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
        wanted, most = float(ndtri(0.5 * alpha)), _MAX_LIMIT * float(np.abs(combination).max())

        def compute_excess(step: float) -> float:
            chance = self.compute_pvalue(combination, middle + unit * step)
            return float(ndtri(0.5 * max(chance, 1e-300))) - wanted

        inner, outer = (0.0, -wanted), (-wanted, compute_excess(-wanted))
        last = outer
        # p-values near alpha need not be monotone: the last non-rejected value determines the limit
        while last[1] > -_QUANTILE_TOLERANCE:
            if abs(unit) * last[0] > most:
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
            found = step, compute_excess(step)
            inner, outer = (found, outer) if found[1] > 0.0 else (inner, found)
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
    own, whole = remainders[: cells * (2 + width)].reshape(cells, -1), remainders[cells * (2 + width) :]
    sizes, sums, slopes = table.counts.sum(axis=1), table.sums.sum(axis=1), center[numbers]
    expected = (
        sizes * approximations.level + approximations.slope * (sums @ slopes) + approximations.max_error * own[:, 0]
    )
    score = table.rows.T @ (table.counts[:, 1] - expected)
    taken = sums.T @ approximations.common_level + approximations.common_slope * (table.products @ slopes)
    score[numbers] = table.sums[:, 1].sum(axis=0) - taken - approximations.common_max_error * whole[:width]
    apart = approximations.max_weight_error[:, None]
    counted = approximations.weight * sizes + approximations.max_weight_error * own[:, 1]
    information = (table.rows.T * counted) @ table.rows
    crossed = table.rows.T @ (approximations.weight[:, None] * sums + apart * own[:, 2:])
    information[:, numbers] += crossed
    information[numbers, :] += crossed.T
    pure = approximations.common_weight * table.products
    pure = pure + approximations.common_max_weight_error * unpack_symmetric(whole[width:], width)
    information[np.ix_(numbers, numbers)] = pure
    units = np.column_stack([approximations.max_error, *(approximations.max_weight_error,) * (1 + width)])
    last = np.repeat(
        [approximations.common_max_error, approximations.common_max_weight_error], [width, whole.size - width]
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
        scales[1] * last,
    )


def _compute_cube_variance(columns: int) -> float:
    """Return the variance of one element of cube noise of scale 1."""
    return (columns + 1.0) * (columns + 2.0) / 3.0
