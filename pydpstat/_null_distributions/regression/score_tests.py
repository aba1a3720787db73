"""p-values and intervals of all coefficients of a regression, from simulated scores."""

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

# points beside the estimate (an even number)
NUISANCE_POINTS = 8
# bytes of simulated matrices that are kept from one question to the next
_CACHED_BYTES = 2**27
# draws at a time, whose arrays fit in a processor's cache
_CHUNK = 2**17
# standard errors from the estimate where an interval's end is looked for; the last one counts as infinite
_DISTANCES = freeze_array(np.geomspace(0.02, 1e6, 240))
# how far beyond the critical value a statistic may be at an interval's end
_STATISTIC_TOLERANCE = 0.01
_MAX_ITERATIONS = 12


@dataclass(frozen=True, eq=False)
class ScoreTests(ReadOnlyArrays):
    """Tests of all coefficients of a regression, in the data's unit."""

    noisy: NoisyMoments
    units: Floats
    shifts: Floats

    @property
    def observed(self) -> ObservedScores:
        """What the release itself says."""
        return _get_observed_scores(self.noisy)

    def compute_estimates(self) -> tuple[Floats, Floats]:
        """Return the estimates, and the standard errors: infinite for what the noise hides."""
        seen = self.observed
        # less than the noise's standard deviation of it is as good as nothing
        errors = np.where(seen.signal_to_noise > 1.0, seen.standard_errors, math.inf)
        return self.units * seen.coefficients + self.shifts, self.units * errors

    def compute_regularized_estimates(self) -> Floats:
        """Return estimates of all coefficients for predictions, also where the noise hides some."""
        noisy, slopes = self.noisy, len(self.units) - 1
        moments = noisy.matrix / noisy.size
        mean = np.clip(moments[0, 1:], -1.0, 1.0)
        spread = moments[1:, 1:] - np.outer(mean, mean)
        unit = np.eye(slopes + 2)[:, 1:-1]
        i, j = np.triu_indices(slopes)
        ridge = 1.5 * math.sqrt(slopes) * float(noisy.compute_noise_sd(unit[:, i], unit[:, j]).max()) / noisy.size
        b = np.linalg.solve(raise_eigenvalues(spread[:-1, :-1], ridge + 1e-6), spread[:-1, -1])
        level = mean[-1] - mean[:-1] @ b + noisy.origin @ b
        return self.units * np.append(level, b) + self.shifts

    def compute_square_sums(self) -> tuple[float, float]:
        """Return the errors' sum of squares, and the response's about its mean."""
        matrix = self.noisy.matrix
        return self.observed.residual_squares, float(matrix[-1, -1] - matrix[0, -1] ** 2 / self.noisy.size)

    def compute_pvalues(self, value: float) -> Floats:
        """Return for each coefficient the p-value of the hypothesis that it has a value."""
        return _compute_cached_pvalues(self, value)

    def compute_limits(self, alpha: float) -> Floats:
        """Return the intervals' ends, of shape (d, 2); infinite where values however far are not rejected."""
        return _compute_cached_limits(self, alpha)

    @property
    def _indices(self) -> IndexArray:
        return np.arange(len(self.units))

    def _scale_hypothesis(self, value: float) -> Floats:
        return ((value - self.shifts) / self.units)[:, None]


class ObservedScores:
    """A release's own estimates and scores."""

    def __init__(self, noisy: NoisyMoments) -> None:
        self._noisy = noisy
        self._inverse, self._response = _freeze_arrays(noisy_score.compute_observed_release(noisy))
        self.signal_to_noise = freeze_array(self._inverse.signal_to_noise[:, 0])
        self.residual_squares = float(self._response.residual_squares[0, 0, 0])
        places = np.arange(len(self.signal_to_noise))
        all_of = np.broadcast_to(self._response.estimates, (len(places), *self._response.estimates.shape[1:]))
        self.coefficients = freeze_array(noisy_score.get_tested_estimates(noisy, all_of, places)[:, 0, 0])
        self._variance_ratio = None
        own = self.compute_scores(places, self.coefficients[:, None])
        if noisy.sampling is not None:
            alike = own.variance[:, 0, 0] * self._inverse.variances[:, 0]
            # where the noise hides a coefficient nothing is said of it anyway
            self._variance_ratio = freeze_array(noisy.sampling / np.where(alike > 0.0, alike, math.inf))
            own = self.compute_scores(places, self.coefficients[:, None])
        self.errors = freeze_array(own.error[:, 0, 0])
        # simulated scores also divide by the number of records
        more = 0.0 if noisy.sampling is not None else noisy.size / noisy.degrees - 1.0
        sampling = own.variance[:, 0, 0] * self._inverse.variance_bounds[:, 0]
        self.standard_errors = freeze_array(np.sqrt(np.square(self.errors) + more * sampling))

    @property
    def estimates(self) -> Floats:
        """Least squares' coefficients, that of the constant where the predictors are in their middles."""
        return self._response.estimates[0, 0, :, 0]

    @property
    def forms(self) -> Floats:
        """Of each coefficient the sums of products with the response that it is a combination of."""
        return self._inverse.forms[..., 0]

    def compute_scores(self, tested: IndexArray, nulls: Floats) -> CoefficientScores:
        """Return the scores of hypotheses ``coefficient[which] = nulls``, nulls of shape (j, e)."""
        given = ResponseEstimates(*(np.broadcast_to(each, (len(tested), *each.shape[1:])) for each in self._response))
        found = noisy_score.compute_scores(self._noisy, self._inverse, tested, given, nulls)
        if self._variance_ratio is None:
            return found
        # the distribution is that of errors of one variance with which sampling adds as much
        ratio = self._variance_ratio[tested][:, None, None]
        more = (ratio - 1.0) * found.variance * self._inverse.variance_bounds[tested][:, None]
        return found._replace(error=np.sqrt(found.error**2 + more), variance=ratio * found.variance)


@lru_cache(maxsize=16)
def _get_observed_scores(noisy: NoisyMoments) -> ObservedScores:
    return ObservedScores(noisy)


class NuisancePoints:
    """Nuisance parameters, and simulated releases for each set of them."""

    def __init__(self, noisy: NoisyMoments) -> None:
        self._noisy, self.count = noisy, noisy.draws.n_draws
        width = len(noisy.matrix) - 1
        center = _project_design(noisy.matrix[:width, :width])
        self._designs = [center]
        for k in range(NUISANCE_POINTS // 2):
            near = _project_design(center + noisy.draws.noise[:width, :width, k])
            self._designs += [near, _project_design(2.0 * center - near)]
        self._designs = [freeze_array(design) for design in self._designs]
        # the form of each coefficient's estimate
        forms = np.eye(width)
        forms[0, 1:] = noisy.origin
        self._forms = freeze_array(forms)
        self._is_cached = 8 * width * width * self.count * len(self._designs) <= _CACHED_BYTES
        self._cached_releases: dict[int, SimulatedReleases] = {}

    def _get_releases(self, point: int) -> SimulatedReleases:
        found = self._cached_releases.get(point)
        if found is None:
            found = _freeze_arrays(noisy_score.simulate_releases(self._noisy, self._designs[point]))
            if self._is_cached or point == 0:
                self._cached_releases[point] = found
        return found

    def compute_critical_values(
        self, tested: IndexArray, nulls: Floats, alpha: float, all_points: bool = True
    ) -> Floats:
        """Return the largest of the points' critical values; that of the first point or of all."""
        found = np.zeros(nulls.shape)
        for simulated in self.iterate_simulated_scores(tested, nulls):
            for each in simulated:
                found = np.maximum(found, each.compute_critical_value(alpha, self._noisy.has_tail))
            if not all_points:
                break
        return found

    def iterate_simulated_scores(self, tested: IndexArray, nulls: Floats) -> Iterator[tuple[SimulatedStatistics, ...]]:
        """Return the studentized scores of simulated releases for one point after the other.

        The first point is the estimate. Each has scores of hypotheses, of shape (j, e, r), for normal errors
        and, if the response's mean is near a bound, for rare ones.
        """
        seen = _get_observed_scores(self._noisy).compute_scores(tested, nulls)
        center = seen.coefficients[..., 0], seen.variance[..., 0]
        yield self._simulate_at_point(0, tested, nulls, *center)
        _, first = self._simulate_scores(self._get_releases(0), tested, nulls, *center, slice(0, NUISANCE_POINTS // 2))
        for k in range(NUISANCE_POINTS // 2):
            near = first.coefficients[..., k], first.variance[..., k]
            yield self._simulate_at_point(2 * k + 1, tested, nulls, *near)
            far = 2.0 * center[0] - near[0], np.maximum(2.0 * center[1] - near[1], 0.0)
            yield self._simulate_at_point(2 * k + 2, tested, nulls, *far)

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
        made, noisy, sizes = self._get_releases(point), self._noisy, None
        means = np.clip(coefficients @ made.design[0] / made.design[0, 0], -1.0, 1.0)
        for j, e in np.ndindex(*nulls.shape):
            errors = RareErrors.from_moments(float(means[j, e]), float(variance[j, e]))
            if errors is None:
                continue
            levels = choose_partition(noisy.partitions, made.design, self._forms[tested[j]])
            if levels is None:
                continue
            sums = errors.simulate_sums(made.design, levels, made.normal, math.sqrt(variance[j, e]))
            given = nulls[[j], [e]][:, None], coefficients[j, e][None, None], variance[j, e][None, None]
            replaced = noisy_score.replace_errors(noisy, made, *sums)
            _, own = self._simulate_scores(replaced, tested[[j]], *given, slice(None))
            sizes = normal_scores.absolute_values.copy() if sizes is None else sizes
            sizes[j, e] = own.size[0, 0]
        return None if sizes is None else SimulatedStatistics.from_draws(sizes)

    def _simulate_normal_errors(
        self, point: int, tested: IndexArray, nulls: Floats, coefficients: Floats, variance: Floats
    ) -> SimulatedStatistics:
        chunk = 1 << max(6, int(_CHUNK / max(coefficients.size, 1)).bit_length())
        found, made = [], self._get_releases(point)
        for start in range(0, self.count, chunk):
            part = slice(start, start + chunk)
            given, own = self._simulate_scores(made, tested, nulls, coefficients, variance, part)
            found.append(noisy_score.compute_studentized_scores(made, tested, given, own, variance, part))
        return SimulatedStatistics.concatenate_parts(found)

    def _simulate_scores(
        self,
        releases: SimulatedReleases,
        tested: IndexArray,
        nulls: Floats,
        coefficients: Floats,
        variance: Floats,
        draws_slice: slice,
    ) -> tuple[ResponseEstimates, CoefficientScores]:
        given = noisy_score.simulate_responses(self._noisy, releases, coefficients, variance, draws_slice)
        found = NoisyInverse(*(each[..., draws_slice] for each in releases.inverse))
        return given, noisy_score.compute_scores(self._noisy, found, tested, given, nulls)


@lru_cache(maxsize=1)
def _get_nuisance_points(noisy: NoisyMoments) -> NuisancePoints:
    return NuisancePoints(noisy)


def _freeze_arrays(value: Any) -> Any:
    """Return arrays, alone or in tuples, whose memory nobody can write to."""
    if isinstance(value, np.ndarray):
        return freeze_array(value)
    if not isinstance(value, tuple):
        return value
    parts = map(_freeze_arrays, value)
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def _project_design(matrix: Floats) -> Floats:
    """Return the nearest matrix of moments of the constant and the predictors, its number of records kept.

    A noisy number of records below 1 is moved up to 1.
    """
    values, vectors = np.linalg.eigh(matrix)
    whole = (vectors * np.maximum(values, 0.0)) @ vectors.T
    size = max(float(matrix[0, 0]), 1.0)
    if whole[0, 0] <= 0.0:
        whole[0, 0] = size
    factor = np.ones(len(matrix))
    factor[0] = math.sqrt(size / whole[0, 0])
    return whole * factor * factor[:, None]


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def compute_score_pvalues(noisy: NoisyMoments, tested: IndexArray, nulls: Floats, stop_above: float = 1.0) -> Floats:
    """Return the p-values of hypotheses ``coefficient[which] = nulls``, two-sided, nulls of shape (j, e)."""
    seen = _get_observed_scores(noisy)
    size = seen.compute_scores(tested, nulls).size
    found = np.zeros(nulls.shape)
    found[seen.signal_to_noise[tested] <= 0.0] = 1.0
    points = _get_nuisance_points(noisy)
    for simulated in points.iterate_simulated_scores(tested, nulls):
        for each in simulated:
            found = np.maximum(found, each.compute_pvalue(size[..., 0], noisy.has_tail))
        if (found > stop_above).all():
            break
    return np.minimum(found + noisy.excluded, 1.0)


@lru_cache(maxsize=32)
def _compute_cached_pvalues(tests: ScoreTests, value: float) -> Floats:
    return freeze_array(compute_score_pvalues(tests.noisy, tests._indices, tests._scale_hypothesis(value))[:, 0])


@lru_cache(maxsize=32)
def _compute_cached_limits(tests: ScoreTests, alpha: float) -> Floats:
    return freeze_array(tests.units[:, None] * compute_score_limits(tests.noisy, alpha) + tests.shifts[:, None])


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def compute_score_limits(noisy: NoisyMoments, alpha: float, indices: IndexArray | None = None) -> Floats:
    """Return the ends of coefficients' intervals, all or those at some places, which are searched together.

    They have the shape (d, 2), infinite at other places.
    """
    seen, points = _get_observed_scores(noisy), _get_nuisance_points(noisy)
    found = np.tile([-math.inf, math.inf], (len(seen.signal_to_noise), 1))
    alpha -= noisy.excluded
    which = np.flatnonzero((seen.signal_to_noise > 0.0) & np.isfinite(seen.errors))
    which = which if indices is None else np.intersect1d(which, indices)
    if alpha < noisy.pvalue_floor - noisy.excluded or not which.size:
        return found
    steps = seen.errors[which, None] * np.array([-1.0, 1.0])
    middle = seen.coefficients[which, None]
    grid = middle[..., None] + steps[..., None] * _DISTANCES
    sizes = seen.compute_scores(which, grid.reshape(len(which), -1)).size.reshape(grid.shape)
    far, size = grid[..., -1], sizes[..., -1]
    limit = points.compute_critical_values(which, far, alpha, False)
    sought = size > limit
    doubtful = (sought & (size < 2.0 * limit)).any(axis=1)
    if doubtful.any():
        sought[doubtful] &= size[doubtful] > points.compute_critical_values(which[doubtful], far[doubtful], alpha)
    target = points.compute_critical_values(which, middle + 2.0 * steps, alpha, False)
    for turn in range(_MAX_ITERATIONS):
        active = sought.any(axis=1)
        if not active.any():
            break
        indices, at = which[active], _find_last_crossing(grid[active], sizes[active], target[active])
        # the other points change little: the first turns are without them
        limit = points.compute_critical_values(indices, at, alpha, turn > 1)
        size = seen.compute_scores(indices, at).size[..., 0]
        beyond = sought[active] & (turn > 1) & (size > limit)
        # critical values for rare errors have steps: the last rejected value may remain the end
        found[indices] = np.where(beyond, at, found[indices])
        sought[active] &= ~beyond | (size > (1.0 + _STATISTIC_TOLERANCE) * limit)
        target[active] = (1.0 + 0.5 * _STATISTIC_TOLERANCE) * limit
    return found


def _find_last_crossing(grid: Floats, sizes: Floats, target: Floats) -> Floats:
    """Return the last values on a grid's line where a size is at most the target, between its points."""
    below = sizes <= target[..., None]
    count = grid.shape[-1]
    last = count - 1 - np.argmax(below[..., ::-1], axis=-1)
    last = np.where(below.any(axis=-1), last, 0).clip(0, count - 2)[..., None]
    low, high = (np.take_along_axis(sizes, at, axis=-1)[..., 0] for at in (last, last + 1))
    first, second = (np.take_along_axis(grid, at, axis=-1)[..., 0] for at in (last, last + 1))
    share = ((target - low) / np.where(high > low, high - low, 1.0)).clip(0.0, 1.0)
    return first + share * (second - first)


@dataclass(frozen=True, eq=False)
class ScoreInterval:
    """The values of a coefficient that its score test does not reject, in the data's unit."""

    tests: ScoreTests
    index: int

    def compute_limits(self, alpha: float) -> tuple[float, float]:
        """Return the ends; infinite where values however far are not rejected."""
        low, high = self.tests.compute_limits(alpha)[self.index].tolist()
        return low, high

    def compute_pvalue(self, value: float) -> float:
        """Return the p-value of the hypothesis that the coefficient has a value, in the data's unit."""
        return float(self.tests.compute_pvalues(value)[self.index])
