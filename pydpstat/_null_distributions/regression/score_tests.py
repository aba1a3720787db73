"""Tests and confidence intervals of regression coefficients from simulated scores."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import ReadOnlyArrays, freeze_array
from pydpstat._null_distributions.logistic.logistic_cells import raise_eigenvalues
from pydpstat._null_distributions.regression import noisy_score
from pydpstat._null_distributions.regression.noisy_moments import NoisyMoments
from pydpstat._null_distributions.regression.noisy_score import (
    CoefficientScores,
    NoisyInverse,
    ResponseEstimates,
    SimulatedReleases,
)
from pydpstat._null_distributions.regression.rare_errors import RareErrors, choose_partition
from pydpstat._null_distributions.simulation import SimulatedStatistics
from pydpstat.r_arithmetic.elementary import Floats

IndexArray = npt.NDArray[np.intp]

# number of points besides the estimate; even
NUISANCE_POINTS = 8
# largest size in bytes of cached simulated matrices
_CACHED_BYTES = 2**27
# draws per chunk, whose arrays fit in a processor's cache
_CHUNK = 2**17
# search grid of interval limits in standard errors from the estimate; the last one counts as infinite
_DISTANCES = freeze_array(np.geomspace(0.02, 1e6, 240))
# relative tolerance of the statistic above the critical value at an interval limit
_STATISTIC_TOLERANCE = 0.01
_MAX_ITERATIONS = 12


@dataclass(frozen=True, eq=False)
class ScoreTests(ReadOnlyArrays):
    """Tests of all coefficients of a regression, in units of the data."""

    noisy: NoisyMoments
    units: Floats
    shifts: Floats

    @property
    def observed(self) -> ObservedScores:
        """Estimates and scores of the release."""
        return _get_observed_scores(self.noisy)

    def compute_estimates(self) -> tuple[Floats, Floats]:
        """Return the estimates and the standard errors, which are infinite for coefficients hidden by noise."""
        observed = self.observed
        # information below the standard deviation of its noise is treated as none
        errors = np.where(observed.signal_to_noise > 1.0, observed.standard_errors, math.inf)
        return self.units * observed.coefficients + self.shifts, self.units * errors

    def compute_regularized_estimates(self) -> Floats:
        """Return estimates of all coefficients for predictions, including those hidden by noise."""
        noisy, slopes = self.noisy, len(self.units) - 1
        moments = noisy.matrix / noisy.size
        mean = np.clip(moments[0, 1:], -1.0, 1.0)
        covariance = moments[1:, 1:] - np.outer(mean, mean)
        unit = np.eye(slopes + 2)[:, 1:-1]
        i, j = np.triu_indices(slopes)
        ridge = 1.5 * math.sqrt(slopes) * float(noisy.compute_noise_sd(unit[:, i], unit[:, j]).max()) / noisy.size
        b = np.linalg.solve(raise_eigenvalues(covariance[:-1, :-1], ridge + 1e-6), covariance[:-1, -1])
        level = mean[-1] - mean[:-1] @ b + noisy.origin @ b
        return self.units * np.append(level, b) + self.shifts

    def compute_square_sums(self) -> tuple[float, float]:
        """Return the residual sum of squares, and that of the response about its mean."""
        matrix = self.noisy.matrix
        return self.observed.residual_squares, float(matrix[-1, -1] - matrix[0, -1] ** 2 / self.noisy.size)

    def compute_pvalues(self, value: float) -> Floats:
        """Return the p-values of the hypotheses that each coefficient equals `value`."""
        return _compute_cached_pvalues(self, value)

    def compute_limits(self, alpha: float) -> Floats:
        """Return the limits of the intervals, of shape (d, 2); infinite if no distant value is rejected."""
        return _compute_cached_limits(self, alpha)

    @property
    def _indices(self) -> IndexArray:
        return np.arange(len(self.units))

    def _scale_hypothesis(self, value: float) -> Floats:
        return ((value - self.shifts) / self.units)[:, None]


class ObservedScores:
    """Estimates and scores of a release."""

    def __init__(self, noisy: NoisyMoments) -> None:
        self._noisy = noisy
        self._inverse, self._response = _freeze_arrays(noisy_score.compute_observed_release(noisy))
        self.signal_to_noise = freeze_array(self._inverse.signal_to_noise[:, 0])
        self.residual_squares = float(self._response.residual_squares[0, 0, 0])
        indices = np.arange(len(self.signal_to_noise))
        estimates = np.broadcast_to(self._response.estimates, (len(indices), *self._response.estimates.shape[1:]))
        self.coefficients = freeze_array(noisy_score.get_tested_estimates(noisy, estimates, indices)[:, 0, 0])
        self._variance_ratio = None
        scores = self.compute_scores(indices, self.coefficients[:, None])
        if noisy.sampling is not None:
            alike = scores.variance[:, 0, 0] * self._inverse.variances[:, 0]
            # coefficients hidden by noise have infinite errors anyway
            self._variance_ratio = freeze_array(noisy.sampling / np.where(alike > 0.0, alike, math.inf))
            scores = self.compute_scores(indices, self.coefficients[:, None])
        self.errors = freeze_array(scores.error[:, 0, 0])
        # scores divide by the number of records, standard errors by the degrees of freedom
        excess_factor = 0.0 if noisy.sampling is not None else noisy.size / noisy.degrees - 1.0
        sampling = scores.variance[:, 0, 0] * self._inverse.variance_bounds[:, 0]
        self.standard_errors = freeze_array(np.sqrt(np.square(self.errors) + excess_factor * sampling))

    @property
    def estimates(self) -> Floats:
        """Least-squares coefficients, with the constant for centered predictors."""
        return self._response.estimates[0, 0, :, 0]

    @property
    def forms(self) -> Floats:
        """Forms that give each coefficient as a combination of the sums of products with the response."""
        return self._inverse.forms[..., 0]

    def compute_scores(self, tested: IndexArray, nulls: Floats) -> CoefficientScores:
        """Return the scores of hypotheses ``coefficient[tested] = nulls``, with nulls of shape (j, e)."""
        response = ResponseEstimates(
            *(np.broadcast_to(estimates, (len(tested), *estimates.shape[1:])) for estimates in self._response)
        )
        scores = noisy_score.compute_scores(self._noisy, self._inverse, tested, response, nulls)
        if self._variance_ratio is None:
            return scores
        # homoscedastic errors with the same sampling variance
        ratio = self._variance_ratio[tested][:, None, None]
        added_variance = (ratio - 1.0) * scores.variance * self._inverse.variance_bounds[tested][:, None]
        return scores._replace(error=np.sqrt(scores.error**2 + added_variance), variance=ratio * scores.variance)


@lru_cache(maxsize=16)
def _get_observed_scores(noisy: NoisyMoments) -> ObservedScores:
    return ObservedScores(noisy)


class NuisancePoints:
    """Nuisance parameters, and simulated releases for each of them."""

    def __init__(self, noisy: NoisyMoments) -> None:
        self._noisy, self.count = noisy, noisy.draws.n_draws
        width = len(noisy.matrix) - 1
        center = _project_design(noisy.matrix[:width, :width])
        self._designs = [center]
        for k in range(NUISANCE_POINTS // 2):
            simulated = _project_design(center + noisy.draws.noise[:width, :width, k])
            self._designs += [simulated, _project_design(2.0 * center - simulated)]
        self._designs = [freeze_array(design) for design in self._designs]
        # forms of the coefficients' estimates
        forms = np.eye(width)
        forms[0, 1:] = noisy.origin
        self._forms = freeze_array(forms)
        self._is_cached = 8 * width * width * self.count * len(self._designs) <= _CACHED_BYTES
        self._cached_releases: dict[int, SimulatedReleases] = {}

    def _get_releases(self, point: int) -> SimulatedReleases:
        releases = self._cached_releases.get(point)
        if releases is None:
            releases = _freeze_arrays(noisy_score.simulate_releases(self._noisy, self._designs[point]))
            if self._is_cached or point == 0:
                self._cached_releases[point] = releases
        return releases

    def compute_critical_values(
        self, tested: IndexArray, nulls: Floats, alpha: float, all_points: bool = True
    ) -> Floats:
        """Return the largest critical value over all points, or that of the first point."""
        critical_values = np.zeros(nulls.shape)
        for simulated in self.iterate_simulated_scores(tested, nulls):
            for statistics in simulated:
                critical_values = np.maximum(
                    critical_values, statistics.compute_critical_value(alpha, self._noisy.has_tail)
                )
            if not all_points:
                break
        return critical_values

    def iterate_simulated_scores(self, tested: IndexArray, nulls: Floats) -> Iterator[tuple[SimulatedStatistics, ...]]:
        """Yield the studentized scores of simulated releases for each point.

        The first point is the estimate. Each has scores of hypotheses, of shape (j, e, r), for normal errors
        and, if the response's mean is near a bound, for rare ones.
        """
        observed = _get_observed_scores(self._noisy).compute_scores(tested, nulls)
        center = observed.coefficients[..., 0], observed.variance[..., 0]
        yield self._simulate_at_point(0, tested, nulls, *center)
        _, center_scores = self._simulate_scores(
            self._get_releases(0), tested, nulls, *center, slice(0, NUISANCE_POINTS // 2)
        )
        for k in range(NUISANCE_POINTS // 2):
            nearby = center_scores.coefficients[..., k], center_scores.variance[..., k]
            yield self._simulate_at_point(2 * k + 1, tested, nulls, *nearby)
            mirrored = 2.0 * center[0] - nearby[0], np.maximum(2.0 * center[1] - nearby[1], 0.0)
            yield self._simulate_at_point(2 * k + 2, tested, nulls, *mirrored)

    def _simulate_at_point(
        self, point: int, tested: IndexArray, nulls: Floats, coefficients: Floats, variance: Floats
    ) -> tuple[SimulatedStatistics, ...]:
        normal = self._simulate_normal_errors(point, tested, nulls, coefficients, variance)
        rare = self._simulate_rare_errors(point, tested, nulls, coefficients, variance, normal)
        return (normal,) if rare is None else (normal, rare)

    def _simulate_rare_errors(
        self,
        point: int,
        tested: IndexArray,
        nulls: Floats,
        coefficients: Floats,
        variance: Floats,
        normal_scores: SimulatedStatistics,
    ) -> SimulatedStatistics | None:
        """Return the statistics for rare errors, or None if all errors may be normal."""
        releases, noisy, sizes = self._get_releases(point), self._noisy, None
        means = np.clip(coefficients @ releases.design[0] / releases.design[0, 0], -1.0, 1.0)
        for j, e in np.ndindex(*nulls.shape):
            errors = RareErrors.from_moments(float(means[j, e]), float(variance[j, e]))
            if errors is None:
                continue
            levels = choose_partition(noisy.partitions, releases.design, self._forms[tested[j]])
            if levels is None:
                continue
            sums = errors.simulate_sums(releases.design, levels, releases.normal, math.sqrt(variance[j, e]))
            parameters = nulls[[j], [e]][:, None], coefficients[j, e][None, None], variance[j, e][None, None]
            replaced = noisy_score.replace_errors(noisy, releases, *sums)
            _, scores = self._simulate_scores(replaced, tested[[j]], *parameters, slice(None))
            sizes = normal_scores.absolute_values.copy() if sizes is None else sizes
            sizes[j, e] = scores.size[0, 0]
        return None if sizes is None else SimulatedStatistics.from_draws(sizes)

    def _simulate_normal_errors(
        self, point: int, tested: IndexArray, nulls: Floats, coefficients: Floats, variance: Floats
    ) -> SimulatedStatistics:
        chunk = 1 << max(6, int(_CHUNK / max(coefficients.size, 1)).bit_length())
        statistics, releases = [], self._get_releases(point)
        for start in range(0, self.count, chunk):
            draws_slice = slice(start, start + chunk)
            responses, scores = self._simulate_scores(releases, tested, nulls, coefficients, variance, draws_slice)
            statistics.append(
                noisy_score.compute_studentized_scores(releases, tested, responses, scores, variance, draws_slice)
            )
        return SimulatedStatistics.concatenate_parts(statistics)

    def _simulate_scores(
        self,
        releases: SimulatedReleases,
        tested: IndexArray,
        nulls: Floats,
        coefficients: Floats,
        variance: Floats,
        draws_slice: slice,
    ) -> tuple[ResponseEstimates, CoefficientScores]:
        responses = noisy_score.simulate_responses(self._noisy, releases, coefficients, variance, draws_slice)
        inverse = NoisyInverse(*(array[..., draws_slice] for array in releases.inverse))
        return responses, noisy_score.compute_scores(self._noisy, inverse, tested, responses, nulls)


@lru_cache(maxsize=1)
def _get_nuisance_points(noisy: NoisyMoments) -> NuisancePoints:
    return NuisancePoints(noisy)


def _freeze_arrays(value: Any) -> Any:
    """Make arrays, alone or in nested tuples, read-only."""
    if isinstance(value, np.ndarray):
        return freeze_array(value)
    if not isinstance(value, tuple):
        return value
    elements = map(_freeze_arrays, value)
    return type(value)(*elements) if hasattr(value, "_fields") else tuple(elements)


def _project_design(matrix: Floats) -> Floats:
    """Return the nearest moment matrix of the constant and the predictors, with its number of records preserved.

    A noisy number of records below 1 is raised to 1.
    """
    values, vectors = np.linalg.eigh(matrix)
    projected = (vectors * np.maximum(values, 0.0)) @ vectors.T
    size = max(float(matrix[0, 0]), 1.0)
    if projected[0, 0] <= 0.0:
        projected[0, 0] = size
    factor = np.ones(len(matrix))
    factor[0] = math.sqrt(size / projected[0, 0])
    return projected * factor * factor[:, None]


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def compute_score_pvalues(noisy: NoisyMoments, tested: IndexArray, nulls: Floats, stop_above: float = 1.0) -> Floats:
    """Return two-sided p-values of hypotheses ``coefficient[tested] = nulls``, with nulls of shape (j, e)."""
    observed = _get_observed_scores(noisy)
    size = observed.compute_scores(tested, nulls).size
    pvalues = np.zeros(nulls.shape)
    pvalues[observed.signal_to_noise[tested] <= 0.0] = 1.0
    points = _get_nuisance_points(noisy)
    for simulated in points.iterate_simulated_scores(tested, nulls):
        for statistics in simulated:
            pvalues = np.maximum(pvalues, statistics.compute_pvalue(size[..., 0], noisy.has_tail))
        if (pvalues > stop_above).all():
            break
    return np.minimum(pvalues + noisy.excluded, 1.0)


@lru_cache(maxsize=32)
def _compute_cached_pvalues(tests: ScoreTests, value: float) -> Floats:
    return freeze_array(compute_score_pvalues(tests.noisy, tests._indices, tests._scale_hypothesis(value))[:, 0])


@lru_cache(maxsize=32)
def _compute_cached_limits(tests: ScoreTests, alpha: float) -> Floats:
    return freeze_array(tests.units[:, None] * compute_score_limits(tests.noisy, alpha) + tests.shifts[:, None])


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def compute_score_limits(noisy: NoisyMoments, alpha: float, indices: IndexArray | None = None) -> Floats:
    """Return the interval limits of all coefficients, or of those at `indices`, in a joint search.

    They have the shape (d, 2), and are infinite at other indices.
    """
    observed, points = _get_observed_scores(noisy), _get_nuisance_points(noisy)
    limits = np.tile([-math.inf, math.inf], (len(observed.signal_to_noise), 1))
    alpha -= noisy.excluded
    searched = np.flatnonzero((observed.signal_to_noise > 0.0) & np.isfinite(observed.errors))
    searched = searched if indices is None else np.intersect1d(searched, indices)
    if alpha < noisy.pvalue_floor - noisy.excluded or not searched.size:
        return limits
    steps = observed.errors[searched, None] * np.array([-1.0, 1.0])
    middle = observed.coefficients[searched, None]
    grid = middle[..., None] + steps[..., None] * _DISTANCES
    sizes = observed.compute_scores(searched, grid.reshape(len(searched), -1)).size.reshape(grid.shape)
    farthest, size = grid[..., -1], sizes[..., -1]
    limit = points.compute_critical_values(searched, farthest, alpha, False)
    sought = size > limit
    doubtful = (sought & (size < 2.0 * limit)).any(axis=1)
    if doubtful.any():
        sought[doubtful] &= size[doubtful] > points.compute_critical_values(
            searched[doubtful], farthest[doubtful], alpha
        )
    target = points.compute_critical_values(searched, middle + 2.0 * steps, alpha, False)
    for turn in range(_MAX_ITERATIONS):
        active = sought.any(axis=1)
        if not active.any():
            break
        indices, crossings = searched[active], _find_last_crossing(grid[active], sizes[active], target[active])
        # the other points change little, so the first iterations omit them
        limit = points.compute_critical_values(indices, crossings, alpha, turn > 1)
        size = observed.compute_scores(indices, crossings).size[..., 0]
        beyond = sought[active] & (turn > 1) & (size > limit)
        # critical values for rare errors have jumps: the last rejected value may remain the limit
        limits[indices] = np.where(beyond, crossings, limits[indices])
        sought[active] &= ~beyond | (size > (1.0 + _STATISTIC_TOLERANCE) * limit)
        target[active] = (1.0 + 0.5 * _STATISTIC_TOLERANCE) * limit
    return limits


def _find_last_crossing(grid: Floats, sizes: Floats, target: Floats) -> Floats:
    """Return the last points on grid lines, interpolated, where the statistic is at most the target."""
    below = sizes <= target[..., None]
    count = grid.shape[-1]
    last = count - 1 - np.argmax(below[..., ::-1], axis=-1)
    last = np.where(below.any(axis=-1), last, 0).clip(0, count - 2)[..., None]
    low_sizes, high_sizes = (np.take_along_axis(sizes, indices, axis=-1)[..., 0] for indices in (last, last + 1))
    first, second = (np.take_along_axis(grid, indices, axis=-1)[..., 0] for indices in (last, last + 1))
    share = ((target - low_sizes) / np.where(high_sizes > low_sizes, high_sizes - low_sizes, 1.0)).clip(0.0, 1.0)
    return first + share * (second - first)


@dataclass(frozen=True, eq=False)
class ScoreInterval:
    """Confidence interval of a coefficient by its score test, in units of the data."""

    tests: ScoreTests
    index: int

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the limits; infinite if no distant value is rejected."""
        low, high = self.tests.compute_limits(alpha)[self.index].tolist()
        return low, high

    def compute_pvalue(self, value: float) -> float:
        """Return the p-value of the hypothesis that the coefficient equals `value`, in units of the data."""
        return float(self.tests.compute_pvalues(value)[self.index])
