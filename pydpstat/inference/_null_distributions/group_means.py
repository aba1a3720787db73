"""Several noisy means: statistics that compare them, and their null distributions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pydpstat._frozen import frozen
from pydpstat.inference._null_distributions.mean_differences import deeper, sized
from pydpstat.inference._null_distributions.noisy_t import Floats, NoisySums, Row, possible, variance_grid
from pydpstat.inference._null_distributions.noisy_welch import Quadratic, extreme, mean_above, stretched
from pydpstat.inference._null_distributions.simulation import FLOOR, SHAPES, generator, largest

# the probability that the true variance of any group is left out
LEFT_OUT = 2e-7
_POWER, _DEEP_VARIANCES, _THRESHOLDS, _DEEP_CELLS = 11, 15, 12, 4000
# variances outside of those that the draws show by so many scales of their noise are possible
_MARGIN = 2.0


class Sums(NamedTuple):
    """A group's noisy sum of squares about the common mean, and how its sums' noise is made."""

    n: int
    square: float
    first: Floats
    second: Floats
    spread: float
    floor: float
    law: str


def tail_bound(groups: list[Sums], means: list[float], statistic: float, skewed: bool) -> float:
    """Return an upper bound of the p-value of a statistic, over common means, variances and shapes."""
    known: dict[tuple[int, float], Floats] = {}
    for group in groups:
        if (like := (group.n, group.square)) not in known:
            known[like] = _envelope(group, means, statistic, skewed, LEFT_OUT / len(groups))
    return min(1.0, LEFT_OUT + add_tails([known[each.n, each.square] for each in groups], statistic))


def thresholds(statistic: float) -> Floats:
    """Return the roots of squares at which a group's tail is looked at."""
    return np.linspace(0.0, math.sqrt(statistic), _THRESHOLDS)


def add_tails(tails: Sequence[Floats], statistic: float) -> float:
    """Return a bound of the probability that the sum of squares of independent groups reaches a statistic.

    Each group's tail has probabilities that its square is at least that of a threshold.
    """
    top, masses = np.linspace(0.0, statistic, _DEEP_CELLS + 1), np.ones(1)
    for tail in tails:
        # the logarithm is nearly linear where records decide, and convex where the noise does
        x, heights = np.square(thresholds(statistic)), np.log(np.maximum(tail, 1e-300))
        above = np.exp(np.interp(top, x, heights))
        # what lies in a cell counts at its upper end
        masses = np.convolve(masses, np.append(0.0, above[:-1] - above[1:]))[: _DEEP_CELLS + 1]
    return 1.0 - float(masses[:_DEEP_CELLS].sum())


def _envelope(group: Sums, means: list[float], statistic: float, skewed: bool, left_out: float) -> Floats:
    """Return the largest probabilities of squares from 0 to a statistic, in equal steps of their roots."""
    a, b = group.first, group.second
    place = int(np.abs(a).argmax())
    made = stretched(group.n, group.law, a.size, _POWER)
    noise = np.delete(made.draws.noises, place, axis=0)
    rest, squared = np.delete(a, place) @ noise, np.delete(b, place) @ noise
    last = b[place] * made.draws.noises[place]
    roots = thresholds(statistic)
    margin = _MARGIN * float(np.linalg.norm(b))
    found = np.zeros(_THRESHOLDS)
    for mean in means:
        grid = variance_grid(1.0 - mean * mean, group.floor, group.n, _DEEP_VARIANCES)
        flags, forms = np.zeros((2, grid.size), dtype=bool), []
        for index, variance in enumerate(grid.tolist()):
            above, below = [], []
            for shape in SHAPES if variance > 0.0 and skewed else SHAPES[:1]:
                sums, squares = made.sums(group.n, mean, variance, shape)
                squares = squares + squared
                weights = made.weights(shape)
                above.append(mean_above(weights * (squares + last >= group.square - margin)))
                below.append(mean_above(weights * (squares + last <= group.square + margin)))
                first = math.copysign(1.0, a[place]) * (sums + rest)
                form = Quadratic(first, abs(a[place]), squares + group.spread, float(b[place]), 0.0)
                forms.append((index, form, made.weights(shape, place)))
            flags[:, index] = max(above) <= 0.5 * left_out, max(below) <= 0.5 * left_out
        kept = possible(*flags)
        for index, form, weights in forms:
            if kept[index]:
                for step, root in enumerate(roots.tolist()):
                    found[step] = max(found[step], _beyond(group, form, weights, root))
    found[0] = 1.0
    return np.minimum.accumulate(np.minimum(found, 1.0))


def _beyond(group: Sums, form: Quadratic, weights: Floats, root: float) -> float:
    """Return how probable it is that a group's studentized sum has at least this size."""
    # W^2 >= t^2 (Q - W^2 / n + var) where W^2 (1 + t^2 / n) >= t^2 (Q + var)
    lean = root / math.sqrt(1.0 + root * root / group.n)
    low = root * math.sqrt(group.floor + group.spread)
    chance = extreme(form, (1.0, -1.0), lean, low, group.law)
    return mean_above(weights * chance)


# probability that the true variances are outside those tried
SLACK = 0.001
_DRAWS = 1_999
# of all simulated groups
_CELLS = 60_000
_FEWEST = 499
# variances from next to none to the largest that the bounds allow, and 0; more for few records
_VARIANCES, _FEW, _MORE = 9, 30, 25
# an estimated variance is at least this part of its noise's scale
_FLOOR = 0.5
# variances outside the simulated ones by so many scales of their noise rule a point out
# errors of the common mean that are allowed for
_ERRORS = 2.5


class Fitted(NamedTuple):
    """Statistics of rows of noisy sums: Welch's, the common mean and the groups' variances."""

    statistic: Floats
    mean: Floats
    variances: Floats


class Mixed(NamedTuple):
    """How noise of scale 1 is mixed into the sums of 1, z and z^2, the same way in each group."""

    rows: tuple[Row, Row, Row]
    law: str = "laplace"

    @classmethod
    def sized(cls, epsilon: float) -> Mixed:
        """Return the noise of groups of public sizes."""
        return cls(((0.0, 0.0), (2.0 / epsilon, 0.0), (0.0, 4.0 / epsilon)))

    @property
    def square(self) -> float:
        """The scale of the noise of the sum of squares."""
        return float(np.linalg.norm(self.rows[2]))

    def about(self, mean: Floats) -> Floats:
        """Return the squared scale of the noise of sums of distances from these means."""
        number, first, _ = self.rows
        return sum((b - mean * a) ** 2 for a, b in zip(number, first)) + 0.0 * mean

    @property
    def variance(self) -> float:
        """The variance of a noise of scale 1."""
        return 2.0 if self.law == "laplace" else 1.0


def welch(sums: Floats, noise: Mixed) -> Fitted:
    """Return Welch's statistic of noisy sums of 1, z and z^2, of shape (3, rows, groups).

    Of each group the sums of 1, z and z^2 are known with noise; z is between -1 and 1. Where the groups'
    sizes are public, the first has no noise. The means are weighted by the inverse of their estimated
    variances, sampling and noise together. An estimated variance is taken about the common mean, which keeps
    it free of the noise's square, and is at least half of its noise's scale: the statistic's distribution
    then hardly depends on the true variances, whatever they are. A private size is simulated as the noisy
    one, with its noise. (Welch, B. L. (1951). On the comparison of several mean values: an alternative
    approach. Biometrika 38.)
    """
    number, first, second = sums
    sizes = np.maximum(number, 1.0)
    common = (first.sum(axis=1) / sizes.sum(axis=1)).clip(-1.0, 1.0)
    center = common[:, None]
    means = (first - center * number) / sizes
    squares = second - 2.0 * center * first + number * center * center
    spread = noise.variance * noise.about(center)
    weights = sizes * sizes / (np.maximum(squares, _FLOOR * noise.square) + spread)
    middle = (weights * means).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)
    return Fitted((weights * (means - middle) ** 2).sum(axis=1), common, squares / sizes)


class _Draws(NamedTuple):
    """Reference draws of shape (draws, groups): normal and chi-square, and noises of scale 1 before these."""

    normal: Floats
    squares: Floats
    noises: Floats


@lru_cache(maxsize=8)
def _reference(sizes: tuple[int, ...], noise: Mixed, draws: int, stream: int) -> _Draws:
    rng, shape = generator(3, stream), (draws, len(sizes))
    squares = 2.0 * rng.standard_gamma(np.maximum(0.5 * (np.array(sizes) - 1.0), 0.0), shape)
    each = len(noise.rows[0]), *shape
    noises = rng.laplace(size=each) if noise.law == "laplace" else rng.standard_normal(each)
    return _Draws(frozen(rng.standard_normal(shape)), frozen(squares), frozen(noises))


class _Point(NamedTuple):
    """A common mean, and a variance for each group."""

    mean: float
    variances: Floats


def _simulated(
    point: _Point, shapes: tuple[int, ...], sizes: Floats, noise: Mixed, draws: _Draws, stream: int
) -> Fitted:
    """Return the statistics of simulated releases at a point, each group normal (0) or skewed up or down."""
    mean, variances = point.mean, point.variances
    deviation = np.sqrt(sizes * variances) * draws.normal
    square = variances * (draws.normal**2 + draws.squares)
    rng = generator(4, stream)
    for group, shape in enumerate(shapes):
        variance = float(variances[group])
        if shape == 0 or variance == 0.0:
            continue
        up, n = 1.0 - shape * mean, int(sizes[group])
        down = variance / up
        hits = rng.binomial(n, variance / (variance + up * up), size=deviation.shape[0])
        deviation[:, group] = shape * (hits * up - (n - hits) * down)
        square[:, group] = hits * up * up + (n - hits) * down * down
    first = sizes * mean + deviation
    second = square + 2.0 * mean * deviation + sizes * mean * mean
    exact = np.broadcast_to(sizes, first.shape), first, second
    noisy = [
        sum((scale * drawn for scale, drawn in zip(row, draws.noises) if scale), each)
        for row, each in zip(noise.rows, exact)
    ]
    return welch(np.array(noisy), noise)


def draws_for(groups: int) -> int:
    """Return how many releases are simulated at each point."""
    return max(_FEWEST, min(_DRAWS, _CELLS // groups))


def pvalue_floor(groups: int) -> float:
    """Return the smallest p-value that `equal_means` returns for so many groups; 0 where it is 1."""
    return FLOOR if groups > 1 else 0.0


def equal_means(
    known: Sequence[NoisySums], draws: int | None = None, stream: int = 0
) -> tuple[float, float, tuple[int, ...]]:
    """Return statistic and p-value of equal means, and the places of the groups that are compared.

    Left out are groups whose noisy number of records may be noise alone. With fewer than two left, p is 1.
    """
    places = tuple(place for place, each in enumerate(known) if each.size or sized(each) is not None)
    if len(places) < 2:
        return 0.0, 1.0, places
    found = [known[place] for place in places]
    law = found[0].law
    assert isinstance(law, str), "groups have Laplace or normal noise"
    number, first, second = zip(*(each.sums for each in found))
    sizes = tuple(max(round(each), 1) for each in number)
    noise = Mixed(found[0].noise, law)
    return *_pvalue((number, first, second), sizes, noise, not found[0].normal, draws, stream), places


# what was simulated for released sums is not simulated again
@lru_cache(maxsize=64)
def _pvalue(
    sums: tuple[Row, ...], sizes: tuple[int, ...], noise: Mixed, skewed: bool, draws: int | None, stream: int
) -> tuple[float, float]:
    found = welch(np.array(sums)[:, None], noise)
    plausible = _references(found, sizes, noise, skewed, draws, stream)
    statistic = float(found.statistic[0])
    first = largest(plausible, statistic, SLACK)
    if first > 2.0 * SLACK:
        return statistic, first
    return statistic, deeper(first, SLACK, _bound(found, sizes, noise, skewed))


def _bound(found: Fitted, sizes: tuple[int, ...], noise: Mixed, skewed: bool) -> float:
    """Return an upper bound of the p-value from the groups' own tails."""
    number, mean = np.array(sizes, dtype=np.float64), float(found.mean[0])
    first, second = np.array(noise.rows[1]), np.array(noise.rows[2])
    first = first - mean * np.array(noise.rows[0])
    second = second - 2.0 * mean * np.array(noise.rows[1]) + mean * mean * np.array(noise.rows[0])
    spread, floor = noise.variance * float(first @ first), _FLOOR * noise.square
    groups = [
        Sums(n, float(n * variance), first, second, spread, floor, noise.law)
        for n, variance in zip(sizes, found.variances[0])
    ]
    return tail_bound(groups, _means(found, number, noise), float(found.statistic[0]), skewed)


def references(
    sums: Sequence[Floats], sizes: tuple[int, ...], noise: Mixed, skewed: bool = True
) -> list[Floats]:
    """Return simulated statistics at each point and shape that noisy sums of shape (groups,) leave
    possible.
    """
    found = welch(np.array(sums)[:, None], noise)
    return _references(found, sizes, noise, skewed, None, 0)


def _references(
    found: Fitted, sizes: tuple[int, ...], noise: Mixed, skewed: bool, draws: int | None, stream: int
) -> list[Floats]:
    size, number = draws or draws_for(len(sizes)), np.array(sizes, dtype=np.float64)
    reference = _reference(sizes, noise, size, stream)
    shapes = _shapes(len(sizes))[: None if skewed else 1]
    likely: list[Floats] = []
    others: list[Floats] = []
    for family in _families(found, number, noise):
        possible, statistics = [], []
        for point in family:
            simulated = [_simulated(point, each, number, noise, reference, stream) for each in shapes]
            possible.append(any(_may_be(found, each, number, noise) for each in simulated))
            statistics.append([each.statistic for each in simulated])
        for place, each in enumerate(statistics):
            # the truth may lie between a point that is possible and one that is not
            (likely if any(possible[max(place - 1, 0) : place + 2]) else others).extend(each)
    return likely or others


def _shapes(groups: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes tried for each group: all normal, and up and down by turns, either way."""
    turns = tuple(1 - 2 * (group % 2) for group in range(groups))
    return (0,) * groups, turns, tuple(-each for each in turns)


def _families(found: Fitted, sizes: Floats, noise: Mixed) -> Iterator[list[_Point]]:
    """Yield points in order of their variances: the same in all groups, and in proportion to the
    estimates.
    """
    total = float(sizes.sum())
    estimates = found.variances[0]
    pooled = float(sizes @ estimates) / total
    profile = np.maximum(estimates, 2.0 * noise.square / sizes)
    profiles = [np.ones(sizes.size)]
    if profile.max() > 1.3 * profile.min():
        profiles.append(profile / profile.max())
    for mean in _means(found, sizes, noise):
        for profile in profiles:
            yield [_Point(mean, each) for each in _ladder(pooled, mean, profile, sizes, noise.square)]


def _means(found: Fitted, sizes: Floats, noise: Mixed) -> list[float]:
    """Return common means: the estimated one, and one nearer to the middle."""
    total, mean = float(sizes.sum()), float(found.mean[0])
    pooled = float(sizes @ found.variances[0]) / total
    # standard deviations where the noise is Laplace's
    square = np.sqrt(2.0 * sizes.size) * noise.square / total
    spread = np.sqrt(2.0 * sizes.size * float(noise.about(found.mean)[0])) / total
    spread += np.sqrt(max(pooled, square) / total)
    nearer = np.copysign(max(abs(mean) - _ERRORS * spread, 0.0), mean)
    means = [mean]
    if 1.0 - nearer * nearer > 1.2 * (1.0 - mean * mean):
        means.append(nearer)
    return means


def _ladder(pooled: float, mean: float, profile: Floats, sizes: Floats, square: float) -> Iterator[Floats]:
    """Yield variances in proportion to a profile, whose pooled variance may be the one found."""
    total, top = float(sizes.sum()), 1.0 - mean * mean
    share = float(sizes @ profile) / total
    scale = square / total
    noise = np.sqrt(2.0 * sizes.size) * 2.0 * scale
    error = noise + np.sqrt(max(pooled, noise) / total)
    near = [min(max((pooled + step * error) / share, 0.0), top) for step in (-1.0, 0.0, 1.0)]
    least = max(1e-9, min(0.02 * scale, 0.1 / total, 0.1 * top))
    number = _VARIANCES if total > _FEW else _MORE
    steps = [0.0, *np.geomspace(least, max(top, 2.0 * least), number), *near]
    # Bernstein's inequality; the noise has two Laplace variables a group
    far, widest = np.log(1e4), (1.0 + abs(mean)) ** 2
    for step in sorted({min(each, top) for each in steps}):
        variances = np.minimum(step * profile, top)
        expected = float(sizes @ variances) / total
        reach = np.sqrt(2.0 * far * (widest * expected / total + noise * noise)) + far * (
            widest / total + 2.0 * scale
        )
        if abs(pooled - expected) <= 2.0 * reach or step in near:
            yield variances


def _may_be(found: Fitted, simulated: Fitted, sizes: Floats, noise: Mixed) -> bool:
    """Tell whether the variances found, each and pooled, are among simulated ones or hardly outside."""
    margins = _MARGIN * noise.square / np.append(sizes, sizes.sum())
    own, others = (
        np.column_stack([each.variances, each.variances @ sizes / sizes.sum()]) for each in (found, simulated)
    )
    low, high = others.min(axis=0) - margins, others.max(axis=0) + margins
    return bool(((low <= own[0]) & (own[0] <= high)).all())
