"""How far planned releases will be off: from their noise, and from a stated distribution of the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import ndtr, ndtri

from pydpstat import _checks as checks
from pydpstat._data.columns import Bounds, Pair
from pydpstat._frozen import frozen
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.mechanism import Noise
from pydpstat.r_arithmetic.elementary import Floats, exp
from pydpstat.results._postprocessing import PostProcessing
from pydpstat.statistics._kernels.candidates import Grid
from pydpstat.statistics._kernels.flip_chances import flip_chances
from pydpstat.statistics._kernels.quantile_points import Asked, split_depth, split_range
from pydpstat.statistics._kernels.ranks import public_share, rank_range

NAMES = ("uniform", "normal")
EXAMPLE = "Give 'normal', 'uniform', or a frozen SciPy distribution such as scipy.stats.norm(45, 15)."
# of a range of 8 standard deviations the middle is the mean, as in plans of tests
_RANGE = 8.0
# more points than a plan can tell from fewer
_MOST_POINTS = 2**17 + 1
_RUNS, _SEED = 20_000, 31_415


class Shape(Protocol):
    """What a plan needs of a distribution: SciPy's frozen distributions have it."""

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records of at most x."""

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""

    def __hash__(self) -> int:
        """Return a number that tells it from others."""


class Uniform(NamedTuple):
    """Uniform from a bound to the other."""

    lower: float
    upper: float

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records of at most x."""
        return ((x - self.lower) / (self.upper - self.lower)).clip(0.0, 1.0)

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""
        return (1.0 - q) * self.lower + q * self.upper


class Normal(NamedTuple):
    """Normal."""

    mean: float
    sd: float

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records of at most x."""
        return np.asarray(ndtr((x - self.mean) / self.sd))

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""
        return np.asarray(self.mean + self.sd * ndtri(q))


class Coin(NamedTuple):
    """A share of the records at one place, and the others at a lower one."""

    share: float
    high: float = 1.0
    low: float = 0.0

    def cdf(self, x: Floats) -> Floats:
        """Return the share of records of at most x."""
        return np.where(x >= self.high, 1.0, np.where(x >= self.low, 1.0 - self.share, 0.0))

    def ppf(self, q: Floats) -> Floats:
        """Return the quantile of a share."""
        return np.where(q > 1.0 - self.share, self.high, self.low)


def shapes_of(given: object, pairs: Bounds, columns: Sequence[str] | None) -> tuple[Shape, ...]:
    """Check the stated distributions: one for all columns, or a dict of them by column."""
    if isinstance(given, Mapping):
        if columns is None:
            raise PydpstatError(
                "distribution must be a single distribution without columns; got "
                f"{checks.shown(given)}. {EXAMPLE}"
            )
        each = checks.by_name(given, columns, "distribution", "column", "'normal'")
    else:
        each = [given] * len(pairs)
    return tuple(map(_shape, each, pairs))


def _shape(given: Any, pair: Pair) -> Shape:
    lower, upper = pair
    if isinstance(given, str):
        if checks.one_of(given, "distribution", NAMES) == "uniform":
            return Uniform(lower, upper)
        return Normal(0.5 * lower + 0.5 * upper, (upper - lower) / _RANGE)
    # a distribution without its parameters has `freeze`; a class is none
    able = all(callable(getattr(given, name, None)) for name in ("cdf", "ppf"))
    if able and not isinstance(given, type) and not hasattr(given, "freeze"):
        tried = checks.array_of(given.ppf(np.array([0.25, 0.5, 0.75])))
        if tried.shape == (3,) and tried.dtype.kind in "fiu" and np.isfinite(tried).all():
            return given  # type: ignore[no-any-return]
    raise PydpstatError(
        "distribution must be a univariate distribution with its parameters; got "
        f"{checks.shown(given)}. {EXAMPLE} No data are looked at."
    )


def share_shape(given: object) -> Shape:
    """Return the distribution of truth values with a stated share of true ones."""
    hint = "Give the share that you expect, for example 0.3."
    share = checks.number(
        given,
        "distribution",
        "a share from 0 to 1 for a proportion",
        lambda x: 0.0 <= x <= 1.0,
        hint,
    )
    return Coin(share)


class Errors(Protocol):
    """How far each released value will be off, in the shape of the values."""

    def sd(self) -> Floats:
        """Return the standard deviation of what the noise does."""

    def reach(self, alpha: float) -> Floats:
        """Return the error that the noise does not exceed, with probability 1 - alpha."""


class NoiseErrors(NamedTuple):
    """Errors of values that are functions of noisy ones: these are `value`, and have the noise."""

    noise: Noise
    post: PostProcessing
    value: Floats
    shape: tuple[int, ...]

    def sd(self) -> Floats:
        """Return the standard deviation of what the noise does."""
        return np.broadcast_to(self.post.standard_error(self.noise, self.value), self.shape)

    def reach(self, alpha: float) -> Floats:
        """Return the error that the noise does not exceed, with probability 1 - alpha."""
        return np.broadcast_to(self.post.reach(self.noise, self.value, alpha), self.shape)


class ChoiceErrors(NamedTuple):
    """Errors of quantiles: for each the distances from the records' own, and their probabilities."""

    parts: tuple[tuple[Floats, Floats], ...]
    shape: tuple[int, ...]

    def sd(self) -> Floats:
        """Return the root of the mean squared distance."""
        return self._each([float(np.sqrt(chances @ distances**2)) for distances, chances in self.parts])

    def reach(self, alpha: float) -> Floats:
        """Return the distance that is exceeded with a probability of alpha at most."""
        found = []
        for distances, chances in self.parts:
            order = distances.argsort()
            place = np.searchsorted(chances[order].cumsum(), 1.0 - alpha)
            found.append(float(distances[order][min(int(place), order.size - 1)]))
        return self._each(found)

    def _each(self, found: list[float]) -> Floats:
        return np.broadcast_to(np.array(found) if len(found) > 1 else np.array(found[0]), self.shape)


class Line(NamedTuple):
    """Points of a grid, and the share of the records below each of them; after the last point it is 1."""

    at: Floats
    below: Floats

    def place(self, share: Floats) -> Floats:
        """Return the points that have so large a share of the records up to them."""
        found = np.searchsorted(self.below[1:], share)
        return self.at[np.minimum(found, self.at.size - 1)]


@lru_cache(maxsize=8)
def line_of(shape: Shape, grid: Grid) -> Line:
    """Return the records of a distribution on a grid, where each is moved to its nearest point."""
    lower, upper, points = grid.lower, grid.upper, min(grid.points, _MOST_POINTS)
    parts = np.arange(points) / (points - 1)
    at = (1.0 - parts) * lower + parts * upper
    between = np.asarray(shape.cdf(0.5 * at[:-1] + 0.5 * at[1:]), dtype=np.float64)
    return Line(frozen(at), frozen(np.concatenate([[0.0], between.clip(0.0, 1.0), [1.0]])))


def quantile_errors(asked: Asked, shape: Shape, share: float, n: int) -> tuple[Floats, Floats]:
    """Return the distances of all points from the quantile of n records, and the probability of each.

    The records lie at the distribution's quantiles (i + 1/2) / n. The choice is that of the release.
    """
    line = line_of(shape, asked.grid)
    counts = np.floor(n * line.below + 0.5)
    before, up_to, aim = counts[:-1], counts[1:], share * n
    utility = np.minimum(aim - before, up_to - aim)
    rate = asked.how.epsilon / float(asked.split * rank_range(share, asked.neighbors))
    chances = np.asarray(exp(rate * (utility - utility.max())))
    first = int(np.searchsorted(up_to, max(aim, 1.0)))
    last = max(first, int(np.searchsorted(before, min(aim, n - 1.0), side="right")) - 1)
    distances = np.maximum(np.maximum(line.at[first] - line.at, line.at - line.at[last]), 0.0)
    kept = chances > 1e-18
    likely = chances[kept]
    if asked.flips:
        return distances[kept], flip_chances(likely, np.ones(likely.size, dtype=np.int64))
    return distances[kept], likely / likely.sum()


def quantiles_errors(
    asked: Asked, shape: Shape, shares: Sequence[float], n: int
) -> tuple[tuple[Floats, Floats], ...]:
    """Return simulated distances of quantiles that are chosen together, and the probability of each.

    Each point is drawn as if those that it lies between were right; their errors in ranks then add to its
    own, with the weights that its share has of them.
    """
    line, distinct = line_of(shape, asked.grid), sorted(set(shares))
    epsilon = Fraction(asked.how.epsilon) / asked.split / split_depth(len(distinct))
    drawn = np.random.default_rng(_SEED).random((len(distinct), _RUNS))
    nothing, chances = np.zeros(_RUNS), np.full(_RUNS, 1.0 / _RUNS)
    errors: dict[int, Floats] = {}
    level = [(0, len(distinct), 0.0, 1.0, nothing, nothing)]
    while level:
        following = []
        for first, last, least, most, left, right in level:
            middle = (first + last) // 2
            q = public_share((distinct[middle] - least) / (most - least))
            rate = float(epsilon / split_range(q, asked.neighbors, len(level) == 1))
            own = _drawn_shares(line, (least, distinct[middle], most), rate * n, drawn[middle])
            errors[middle] = own = own + (1.0 - q) * left + q * right
            if first < middle:
                following.append((first, middle, least, distinct[middle], left, own))
            if middle + 1 < last:
                following.append((middle + 1, last, distinct[middle], most, own, right))
        level = following
    found = {}
    for place, share in enumerate(distinct):
        moved = line.place((share + errors[place]).clip(0.0, 1.0))
        found[share] = np.abs(moved - line.place(np.array(share))), chances
    return tuple(found[share] for share in shares)


def _drawn_shares(line: Line, shares: tuple[float, float, float], rate: float, uniform: Floats) -> Floats:
    """Return how far the shares of drawn points are from the middle one of these; the others are the ends."""
    least, aim, most = shares
    inside = slice(
        int(np.searchsorted(line.below[1:], least)), int(np.searchsorted(line.below[:-1], most, "right"))
    )
    before, up_to = line.below[:-1][inside], line.below[1:][inside]
    utility = np.minimum(np.minimum(aim - before, up_to - aim), 0.0)
    chances = np.asarray(exp(rate * (utility - utility.max()))).cumsum()
    place = np.searchsorted(chances, uniform * chances[-1]).clip(0, chances.size - 1)
    return 0.5 * (before + up_to)[place] - aim
