"""p-values and intervals of all coefficients of a regression, from simulated scores."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._frozen import Frozen, frozen
from pydpstat.inference._null_distributions import noisy_score
from pydpstat.inference._null_distributions.logistic_cells import lifted
from pydpstat.inference._null_distributions.noisy_moments import NoisyMoments
from pydpstat.inference._null_distributions.noisy_score import Inverse, Releases, Responses, Scores
from pydpstat.inference._null_distributions.rare_errors import RareErrors, choose_partition
from pydpstat.inference._null_distributions.simulation import Simulated
from pydpstat.r_arithmetic.elementary import Floats

Places = npt.NDArray[np.intp]

# points beside the estimate (an even number)
POINTS = 8
# bytes of simulated matrices that are kept from one question to the next
_KEPT = 2**27
# draws at a time, whose arrays fit in a processor's cache
_CHUNK = 2**17
# standard errors from the estimate where an interval's end is looked for; the last one counts as infinite
_DISTANCES = frozen(np.geomspace(0.02, 1e6, 240))
# how far beyond the critical value a statistic may be at an interval's end
_NEAR = 0.01
_TURNS = 12


@dataclass(frozen=True, eq=False)
class ScoreTests(Frozen):
    """Tests of all coefficients of a regression, in the data's unit."""

    noisy: NoisyMoments
    units: Floats
    shifts: Floats

    @property
    def seen(self) -> Seen:
        """What the release itself says."""
        return _seen(self.noisy)

    def estimates(self) -> tuple[Floats, Floats]:
        """Return the estimates, and the standard errors: infinite for what the noise hides."""
        seen = self.seen
        # less than the noise's standard deviation of it is as good as nothing
        errors = np.where(seen.left > 1.0, seen.standard_errors, math.inf)
        return self.units * seen.coefficients + self.shifts, self.units * errors

    def regularized(self) -> Floats:
        """Return estimates of all coefficients for predictions, also where the noise hides some."""
        noisy, slopes = self.noisy, len(self.units) - 1
        moments = noisy.matrix / noisy.size
        mean = np.clip(moments[0, 1:], -1.0, 1.0)
        spread = moments[1:, 1:] - np.outer(mean, mean)
        unit = np.eye(slopes + 2)[:, 1:-1]
        i, j = np.triu_indices(slopes)
        ridge = 1.5 * math.sqrt(slopes) * float(noisy.spread(unit[:, i], unit[:, j]).max()) / noisy.size
        b = np.linalg.solve(lifted(spread[:-1, :-1], ridge + 1e-6), spread[:-1, -1])
        level = mean[-1] - mean[:-1] @ b + noisy.origin @ b
        return self.units * np.append(level, b) + self.shifts

    def squares(self) -> tuple[float, float]:
        """Return the errors' sum of squares, and the response's about its mean."""
        matrix = self.noisy.matrix
        return self.seen.rest, float(matrix[-1, -1] - matrix[0, -1] ** 2 / self.noisy.size)

    def pvalues(self, value: float) -> Floats:
        """Return for each coefficient the p-value of the hypothesis that it has a value."""
        return _pvalues(self, value)

    def ends(self, alpha: float) -> Floats:
        """Return the intervals' ends, of shape (d, 2); infinite where values however far are not rejected."""
        return _ends(self, alpha)

    @property
    def _places(self) -> Places:
        return np.arange(len(self.units))

    def _scaled(self, value: float) -> Floats:
        return ((value - self.shifts) / self.units)[:, None]


class Seen:
    """A release's own estimates and scores."""

    def __init__(self, noisy: NoisyMoments) -> None:
        self._noisy = noisy
        self._inverse, self._response = _kept(noisy_score.observed(noisy))
        self.left = frozen(self._inverse.left[:, 0])
        self.rest = float(self._response.rest[0, 0, 0])
        places = np.arange(len(self.left))
        all_of = np.broadcast_to(self._response.estimates, (len(places), *self._response.estimates.shape[1:]))
        self.coefficients = frozen(noisy_score.tested(noisy, all_of, places)[:, 0, 0])
        self._ratio = None
        own = self.at(places, self.coefficients[:, None])
        if noisy.sampling is not None:
            alike = own.variance[:, 0, 0] * self._inverse.own[:, 0]
            # where the noise hides a coefficient nothing is said of it anyway
            self._ratio = frozen(noisy.sampling / np.where(alike > 0.0, alike, math.inf))
            own = self.at(places, self.coefficients[:, None])
        self.errors = frozen(own.error[:, 0, 0])
        # simulated scores also divide by the number of records
        more = 0.0 if noisy.sampling is not None else noisy.size / noisy.degrees - 1.0
        sampling = own.variance[:, 0, 0] * self._inverse.bound[:, 0]
        self.standard_errors = frozen(np.sqrt(np.square(self.errors) + more * sampling))

    @property
    def estimates(self) -> Floats:
        """Least squares' coefficients, that of the constant where the predictors are in their middles."""
        return self._response.estimates[0, 0, :, 0]

    @property
    def forms(self) -> Floats:
        """Of each coefficient the sums of products with the response that it is a combination of."""
        return self._inverse.forms[..., 0]

    def at(self, which: Places, nulls: Floats) -> Scores:
        """Return the scores of hypotheses ``coefficient[which] = nulls``, nulls of shape (j, e)."""
        given = Responses(*(np.broadcast_to(each, (len(which), *each.shape[1:])) for each in self._response))
        found = noisy_score.scores(self._noisy, self._inverse, which, given, nulls)
        if self._ratio is None:
            return found
        # the distribution is that of errors of one variance with which sampling adds as much
        ratio = self._ratio[which][:, None, None]
        more = (ratio - 1.0) * found.variance * self._inverse.bound[which][:, None]
        return found._replace(error=np.sqrt(found.error**2 + more), variance=ratio * found.variance)


@lru_cache(maxsize=16)
def _seen(noisy: NoisyMoments) -> Seen:
    return Seen(noisy)


class Points:
    """Nuisance parameters, and simulated releases for each set of them."""

    def __init__(self, noisy: NoisyMoments) -> None:
        self._noisy, self.count = noisy, noisy.draws.number
        width = len(noisy.matrix) - 1
        center = _design(noisy.matrix[:width, :width])
        self._designs = [center]
        for k in range(POINTS // 2):
            near = _design(center + noisy.draws.noise[:width, :width, k])
            self._designs += [near, _design(2.0 * center - near)]
        self._designs = [frozen(design) for design in self._designs]
        # the form of each coefficient's estimate
        forms = np.eye(width)
        forms[0, 1:] = noisy.origin
        self._forms = frozen(forms)
        self._keeps = 8 * width * width * self.count * len(self._designs) <= _KEPT
        self._made: dict[int, Releases] = {}

    def _releases(self, point: int) -> Releases:
        found = self._made.get(point)
        if found is None:
            found = _kept(noisy_score.releases(self._noisy, self._designs[point]))
            if self._keeps or point == 0:
                self._made[point] = found
        return found

    def critical(self, which: Places, nulls: Floats, alpha: float, several: bool = True) -> Floats:
        """Return the largest of the points' critical values; that of the first point or of all."""
        found = np.zeros(nulls.shape)
        for simulated in self.simulated(which, nulls):
            for each in simulated:
                found = np.maximum(found, each.critical(alpha, self._noisy.tailed))
            if not several:
                break
        return found

    def simulated(self, which: Places, nulls: Floats) -> Iterator[tuple[Simulated, ...]]:
        """Return the studentized scores of simulated releases for one point after the other.

        The first point is the estimate. Each has scores of hypotheses, of shape (j, e, r), for normal errors
        and, if the response's mean is near a bound, for rare ones.
        """
        seen = _seen(self._noisy).at(which, nulls)
        center = seen.coefficients[..., 0], seen.variance[..., 0]
        yield self._at(0, which, nulls, *center)
        _, first = self._scores(self._releases(0), which, nulls, *center, slice(0, POINTS // 2))
        for k in range(POINTS // 2):
            near = first.coefficients[..., k], first.variance[..., k]
            yield self._at(2 * k + 1, which, nulls, *near)
            far = 2.0 * center[0] - near[0], np.maximum(2.0 * center[1] - near[1], 0.0)
            yield self._at(2 * k + 2, which, nulls, *far)

    def _at(
        self, point: int, which: Places, nulls: Floats, coefficients: Floats, variance: Floats
    ) -> tuple[Simulated, ...]:
        normal = self._normal(point, which, nulls, coefficients, variance)
        rare = self._rare(point, which, nulls, coefficients, variance, normal)
        return (normal,) if rare is None else (normal, rare)

    def _rare(
        self,
        point: int,
        which: Places,
        nulls: Floats,
        coefficients: Floats,
        variance: Floats,
        normal: Simulated,
    ) -> Simulated | None:
        """Return the statistics for rare errors, or None if all errors may be normal."""
        made, noisy, sizes = self._releases(point), self._noisy, None
        means = np.clip(coefficients @ made.design[0] / made.design[0, 0], -1.0, 1.0)
        for j, e in np.ndindex(*nulls.shape):
            errors = RareErrors.of(float(means[j, e]), float(variance[j, e]))
            if errors is None:
                continue
            levels = choose_partition(noisy.partitions, made.design, self._forms[which[j]])
            if levels is None:
                continue
            sums = errors.sums(made.design, levels, made.normal, math.sqrt(variance[j, e]))
            given = nulls[[j], [e]][:, None], coefficients[j, e][None, None], variance[j, e][None, None]
            replaced = noisy_score.replaced(noisy, made, *sums)
            _, own = self._scores(replaced, which[[j]], *given, slice(None))
            sizes = normal.sizes.copy() if sizes is None else sizes
            sizes[j, e] = own.size[0, 0]
        return None if sizes is None else Simulated.drawn(sizes)

    def _normal(
        self, point: int, which: Places, nulls: Floats, coefficients: Floats, variance: Floats
    ) -> Simulated:
        chunk = 1 << max(6, int(_CHUNK / max(coefficients.size, 1)).bit_length())
        found, made = [], self._releases(point)
        for start in range(0, self.count, chunk):
            part = slice(start, start + chunk)
            given, own = self._scores(made, which, nulls, coefficients, variance, part)
            found.append(noisy_score.studentized(made, which, given, own, variance, part))
        return Simulated.joined(found)

    def _scores(
        self,
        made: Releases,
        which: Places,
        nulls: Floats,
        coefficients: Floats,
        variance: Floats,
        part: slice,
    ) -> tuple[Responses, Scores]:
        given = noisy_score.simulated(self._noisy, made, coefficients, variance, part)
        found = Inverse(*(each[..., part] for each in made.found))
        return given, noisy_score.scores(self._noisy, found, which, given, nulls)


@lru_cache(maxsize=1)
def _points(noisy: NoisyMoments) -> Points:
    return Points(noisy)


def _kept(value: Any) -> Any:
    """Return arrays, alone or in tuples, whose memory nobody can write to."""
    if isinstance(value, np.ndarray):
        return frozen(value)
    if not isinstance(value, tuple):
        return value
    parts = map(_kept, value)
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def _design(matrix: Floats) -> Floats:
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
def pvalues(noisy: NoisyMoments, which: Places, nulls: Floats, enough: float = 1.0) -> Floats:
    """Return the p-values of hypotheses ``coefficient[which] = nulls``, two-sided, nulls of shape (j, e)."""
    seen = _seen(noisy)
    size = seen.at(which, nulls).size
    found = np.zeros(nulls.shape)
    found[seen.left[which] <= 0.0] = 1.0
    points = _points(noisy)
    for simulated in points.simulated(which, nulls):
        for each in simulated:
            found = np.maximum(found, each.pvalue(size[..., 0], noisy.tailed))
        if (found > enough).all():
            break
    return np.minimum(found + noisy.left_out, 1.0)


@lru_cache(maxsize=32)
def _pvalues(tests: ScoreTests, value: float) -> Floats:
    return frozen(pvalues(tests.noisy, tests._places, tests._scaled(value))[:, 0])


@lru_cache(maxsize=32)
def _ends(tests: ScoreTests, alpha: float) -> Floats:
    return frozen(tests.units[:, None] * ends(tests.noisy, alpha) + tests.shifts[:, None])


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def ends(noisy: NoisyMoments, alpha: float, places: Places | None = None) -> Floats:
    """Return the ends of coefficients' intervals, all or those at some places, which are searched together.

    They have the shape (d, 2), infinite at other places.
    """
    seen, points = _seen(noisy), _points(noisy)
    found = np.tile([-math.inf, math.inf], (len(seen.left), 1))
    alpha -= noisy.left_out
    which = np.flatnonzero((seen.left > 0.0) & np.isfinite(seen.errors))
    which = which if places is None else np.intersect1d(which, places)
    if alpha < noisy.pvalue_floor - noisy.left_out or not which.size:
        return found
    steps = seen.errors[which, None] * np.array([-1.0, 1.0])
    middle = seen.coefficients[which, None]
    grid = middle[..., None] + steps[..., None] * _DISTANCES
    sizes = seen.at(which, grid.reshape(len(which), -1)).size.reshape(grid.shape)
    far, size = grid[..., -1], sizes[..., -1]
    limit = points.critical(which, far, alpha, False)
    sought = size > limit
    doubtful = (sought & (size < 2.0 * limit)).any(axis=1)
    if doubtful.any():
        sought[doubtful] &= size[doubtful] > points.critical(which[doubtful], far[doubtful], alpha)
    target = points.critical(which, middle + 2.0 * steps, alpha, False)
    for turn in range(_TURNS):
        active = sought.any(axis=1)
        if not active.any():
            break
        places, at = which[active], _last(grid[active], sizes[active], target[active])
        # the other points change little: the first turns are without them
        limit = points.critical(places, at, alpha, turn > 1)
        size = seen.at(places, at).size[..., 0]
        beyond = sought[active] & (turn > 1) & (size > limit)
        # critical values for rare errors have steps: the last rejected value may remain the end
        found[places] = np.where(beyond, at, found[places])
        sought[active] &= ~beyond | (size > (1.0 + _NEAR) * limit)
        target[active] = (1.0 + 0.5 * _NEAR) * limit
    return found


def _last(grid: Floats, sizes: Floats, target: Floats) -> Floats:
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
    place: int

    def ends(self, alpha: float) -> tuple[float, float]:
        """Return the ends; infinite where values however far are not rejected."""
        low, high = self.tests.ends(alpha)[self.place].tolist()
        return low, high

    def pvalue(self, value: float) -> float:
        """Return the p-value of the hypothesis that the coefficient has a value, in the data's unit."""
        return float(self.tests.pvalues(value)[self.place])
