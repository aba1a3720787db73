"""Errors of planned releases, computed from their noise and a stated distribution of the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, VariableBounds
from pydpstat._frozen import freeze_array
from pydpstat._records.candidates import CandidateGrid
from pydpstat._records.permute_and_flip import compute_flip_probabilities
from pydpstat._records.quantile_points import QuantileQuery, compute_split_depth, compute_split_range
from pydpstat._records.ranks import compute_rank_range, round_share
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.r_arithmetic.elementary import Floats, exp
from pydpstat.results._postprocessing import PostProcessing

DISTRIBUTION_NAMES = ("uniform", "normal")
DISTRIBUTION_HINT = "Give 'normal', 'uniform', or a frozen SciPy distribution such as scipy.stats.norm(45, 15)."
# the mean is in the middle of a range of 8 standard deviations, as in plans of tests
_RANGE_IN_SDS = 8.0
# more grid points would not change a plan noticeably
_MAX_POINTS = 2**17 + 1
_N_RUNS, _SIMULATION_SEED = 20_000, 31_415


class StatedDistribution(Protocol):
    """Methods of a distribution that a plan needs, as in SciPy's frozen distributions."""

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records at most x."""

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""

    def __hash__(self) -> int:
        """Return a hash, since distributions are cache keys."""


class Uniform(NamedTuple):
    """Uniform distribution between two bounds."""

    lower: float
    upper: float

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records at most x."""
        return ((x - self.lower) / (self.upper - self.lower)).clip(0.0, 1.0)

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""
        return (1.0 - q) * self.lower + q * self.upper


class Normal(NamedTuple):
    """Normal distribution."""

    mean: float
    sd: float

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records at most x."""
        return np.asarray(ndtr((x - self.mean) / self.sd))

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""
        return np.asarray(self.mean + self.sd * ndtri(q))


class TwoPointDistribution(NamedTuple):
    """Distribution of a share of the records at one point, and of the others at a lower one."""

    share: float
    high: float = 1.0
    low: float = 0.0

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records at most x."""
        return np.where(x >= self.high, 1.0, np.where(x >= self.low, 1.0 - self.share, 0.0))

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""
        return np.where(q > 1.0 - self.share, self.high, self.low)


def check_distributions(
    distribution: object, bounds: Bounds, columns: Sequence[str] | None
) -> tuple[StatedDistribution, ...]:
    """Check the stated distributions: one for all columns, or a dict of them by column."""
    if isinstance(distribution, Mapping):
        if columns is None:
            raise PydpstatError(
                "distribution must be a single distribution without columns; got "
                f"{checks.describe_value(distribution)}. {DISTRIBUTION_HINT}"
            )
        column_distributions = checks.select_by_names(distribution, columns, "distribution", "column", "'normal'")
    else:
        column_distributions = [distribution] * len(bounds)
    return tuple(map(_check_distribution, column_distributions, bounds))


def _check_distribution(distribution: Any, bounds: VariableBounds) -> StatedDistribution:
    lower, upper = bounds
    if isinstance(distribution, str):
        if checks.check_choice(distribution, "distribution", DISTRIBUTION_NAMES) == "uniform":
            return Uniform(lower, upper)
        return Normal(0.5 * lower + 0.5 * upper, (upper - lower) / _RANGE_IN_SDS)
    # only a distribution without parameters has `freeze`; a class is not a distribution
    has_methods = all(callable(getattr(distribution, name, None)) for name in ("cdf", "ppf"))
    if has_methods and not isinstance(distribution, type) and not hasattr(distribution, "freeze"):
        quantiles = checks.to_array(distribution.ppf(np.array([0.25, 0.5, 0.75])))
        if quantiles.shape == (3,) and quantiles.dtype.kind in "fiu" and np.isfinite(quantiles).all():
            return distribution  # type: ignore[no-any-return]
    raise PydpstatError(
        "distribution must be a univariate distribution with its parameters; got "
        f"{checks.describe_value(distribution)}. {DISTRIBUTION_HINT} No data are looked at."
    )


def make_share_distribution(given: object) -> StatedDistribution:
    """Return the distribution of Booleans with a stated share of true values."""
    hint = "Give the share that you expect, for example 0.3."
    share = checks.check_number(
        given,
        "distribution",
        "a share from 0 to 1 for a proportion",
        lambda x: 0.0 <= x <= 1.0,
        hint,
    )
    return TwoPointDistribution(share)


class PlanErrors(Protocol):
    """Errors of the released values, in the shape of the values."""

    def compute_sd(self) -> Floats:
        """Return the standard deviation of the error by the noise."""

    def compute_error_bound(self, alpha: float) -> Floats:
        """Return the bound that the absolute error does not exceed with probability 1 - alpha."""


class NoiseErrors(NamedTuple):
    """Errors of values that `post` computes from noisy ones, evaluated at `value`."""

    noise: Noise
    post: PostProcessing
    value: Floats
    shape: tuple[int, ...]

    def compute_sd(self) -> Floats:
        """Return the standard deviation of the error by the noise."""
        return np.broadcast_to(self.post.compute_standard_error(self.noise, self.value), self.shape)

    def compute_error_bound(self, alpha: float) -> Floats:
        """Return the bound that the absolute error does not exceed with probability 1 - alpha."""
        return np.broadcast_to(self.post.compute_half_width(self.noise, self.value, alpha), self.shape)


class ChoiceErrors(NamedTuple):
    """Errors of quantiles: distances from the quantiles of the records, with their probabilities."""

    parts: tuple[tuple[Floats, Floats], ...]
    shape: tuple[int, ...]

    def compute_sd(self) -> Floats:
        """Return the root mean squared distance."""
        return self._expand_values([float(np.sqrt(chances @ distances**2)) for distances, chances in self.parts])

    def compute_error_bound(self, alpha: float) -> Floats:
        """Return the distance that is exceeded with probability at most alpha."""
        error_bounds = []
        for distances, chances in self.parts:
            order = distances.argsort()
            index = np.searchsorted(chances[order].cumsum(), 1.0 - alpha)
            error_bounds.append(float(distances[order][min(int(index), order.size - 1)]))
        return self._expand_values(error_bounds)

    def _expand_values(self, values: list[float]) -> Floats:
        return np.broadcast_to(np.array(values) if len(values) > 1 else np.array(values[0]), self.shape)


class GridDistribution(NamedTuple):
    """Points of a grid, and the share of the records below each of them; after the last point it is 1."""

    points: Floats
    shares_below: Floats

    def find_points(self, share: Floats) -> Floats:
        """Return the first points up to which the share of the records is at least `share`."""
        indices = np.searchsorted(self.shares_below[1:], share)
        return self.points[np.minimum(indices, self.points.size - 1)]


@lru_cache(maxsize=8)
def make_grid_distribution(distribution: StatedDistribution, grid: CandidateGrid) -> GridDistribution:
    """Return a distribution of records rounded to the nearest grid points."""
    lower, upper, n_points = grid.lower, grid.upper, min(grid.n_points, _MAX_POINTS)
    fractions = np.arange(n_points) / (n_points - 1)
    positions = (1.0 - fractions) * lower + fractions * upper
    shares_between = np.asarray(distribution.cdf(0.5 * positions[:-1] + 0.5 * positions[1:]), dtype=np.float64)
    return GridDistribution(
        freeze_array(positions), freeze_array(np.concatenate([[0.0], shares_between.clip(0.0, 1.0), [1.0]]))
    )


def compute_quantile_errors(
    query: QuantileQuery, distribution: StatedDistribution, share: float, n: int
) -> tuple[Floats, Floats]:
    """Return the distances of all points from the quantile of n records, and their probabilities.

    The records lie at the distribution's quantiles (i + 1/2) / n. The selection is that of the release.
    """
    line = make_grid_distribution(distribution, query.grid)
    counts = np.floor(n * line.shares_below + 0.5)
    before, up_to, aim = counts[:-1], counts[1:], share * n
    utility = np.minimum(aim - before, up_to - aim)
    rate = query.options.epsilon / float(query.n_epsilon_parts * compute_rank_range(share, query.neighbors))
    chances = np.asarray(exp(rate * (utility - utility.max())))
    first = int(np.searchsorted(up_to, max(aim, 1.0)))
    last = max(first, int(np.searchsorted(before, min(aim, n - 1.0), side="right")) - 1)
    distances = np.maximum(np.maximum(line.points[first] - line.points, line.points - line.points[last]), 0.0)
    is_likely = chances > 1e-18
    likely_chances = chances[is_likely]
    if query.is_permute_and_flip:
        return distances[is_likely], compute_flip_probabilities(
            likely_chances, np.ones(likely_chances.size, dtype=np.int64)
        )
    return distances[is_likely], likely_chances / likely_chances.sum()


def simulate_quantile_errors(
    query: QuantileQuery, distribution: StatedDistribution, shares: Sequence[float], n: int
) -> tuple[tuple[Floats, Floats], ...]:
    """Return simulated distances of quantiles that are released together, and their probabilities.

    Each point is drawn as if the points on either side of it had no error; their errors in ranks are then added to
    its error, weighted by its share between them.
    """
    line, distinct = make_grid_distribution(distribution, query.grid), sorted(set(shares))
    epsilon = Fraction(query.options.epsilon) / query.n_epsilon_parts / compute_split_depth(len(distinct))
    drawn = np.random.default_rng(_SIMULATION_SEED).random((len(distinct), _N_RUNS))
    zeros, chances = np.zeros(_N_RUNS), np.full(_N_RUNS, 1.0 / _N_RUNS)
    errors: dict[int, Floats] = {}
    level = [(0, len(distinct), 0.0, 1.0, zeros, zeros)]
    while level:
        next_level = []
        for first, last, min_share, max_share, left_errors, right_errors in level:
            middle = (first + last) // 2
            q = round_share((distinct[middle] - min_share) / (max_share - min_share))
            rate = float(epsilon / compute_split_range(q, query.neighbors, len(level) == 1))
            share_errors = _draw_share_errors(line, (min_share, distinct[middle], max_share), rate * n, drawn[middle])
            errors[middle] = share_errors = share_errors + (1.0 - q) * left_errors + q * right_errors
            if first < middle:
                next_level.append((first, middle, min_share, distinct[middle], left_errors, share_errors))
            if middle + 1 < last:
                next_level.append((middle + 1, last, distinct[middle], max_share, share_errors, right_errors))
        level = next_level
    quantile_errors = {}
    for index, share in enumerate(distinct):
        released_points = line.find_points((share + errors[index]).clip(0.0, 1.0))
        quantile_errors[share] = np.abs(released_points - line.find_points(np.array(share))), chances
    return tuple(quantile_errors[share] for share in shares)


def _draw_share_errors(
    line: GridDistribution, shares: tuple[float, float, float], rate: float, uniform: Floats
) -> Floats:
    """Return the differences of drawn points' shares from the middle one of `shares`; the others are the limits."""
    min_share, aim, max_share = shares
    selected = slice(
        int(np.searchsorted(line.shares_below[1:], min_share)),
        int(np.searchsorted(line.shares_below[:-1], max_share, "right")),
    )
    before, up_to = line.shares_below[:-1][selected], line.shares_below[1:][selected]
    utility = np.minimum(np.minimum(aim - before, up_to - aim), 0.0)
    chances = np.asarray(exp(rate * (utility - utility.max()))).cumsum()
    indices = np.searchsorted(chances, uniform * chances[-1]).clip(0, chances.size - 1)
    return 0.5 * (before + up_to)[indices] - aim
