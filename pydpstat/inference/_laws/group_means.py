"""Welch's statistic of equal means from noisy sums of groups, and its law under the null hypothesis.

Of each group the sums of z and of z^2 are known with Laplace noise of the scales 2 / epsilon and 4 / epsilon;
z is between -1 and 1, and the groups' sizes are public. The means are weighted by the inverse of their
estimated variances, sampling and noise together. An estimated variance is taken about the common mean, which
keeps it free of the noise's square, and is at least half of its noise's scale: the statistic's law then
hardly depends on the true variances, whatever they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pydpstat._frozen import frozen
from pydpstat.inference._laws.nuisance import Floats, floor_of, generator, largest

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
_MARGIN = 2.0
# errors of the common mean that are allowed for
_ERRORS = 2.5


class Fitted(NamedTuple):
    """Statistics of rows of noisy sums: Welch's, the common mean and the groups' variances."""

    statistic: Floats
    mean: Floats
    variances: Floats


def welch(first: Floats, second: Floats, sizes: Floats, epsilon: float) -> Fitted:
    """Return Welch's statistic of noisy sums of z and z^2, of shape (rows, groups).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> z = [rng.uniform(-1, 1, 50) for _ in range(3)]
    >>> first, second = np.array([[x.sum() for x in z]]), np.array([[(x * x).sum() for x in z]])
    >>> welch(first, second, np.full(3, 50.0), 1e6).statistic.round(3)
    array([0.17])
    """
    means = first / sizes
    noise = 8.0 / (epsilon * sizes) ** 2
    common = (first.sum(axis=1) / sizes.sum()).clip(-1.0, 1.0)
    center = common[:, None]
    variances = (second - 2.0 * center * first + sizes * center * center) / sizes
    weights = 1.0 / (np.maximum(variances, _FLOOR * 4.0 / (epsilon * sizes)) / sizes + noise)
    middle = (weights * means).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)
    return Fitted((weights * (means - middle) ** 2).sum(axis=1), common, variances)


class _Draws(NamedTuple):
    """Reference draws of shape (draws, groups): normal, chi-square, and two Laplace variables of scale 1."""

    normal: Floats
    squares: Floats
    first: Floats
    second: Floats


@lru_cache(maxsize=8)
def _reference(sizes: tuple[int, ...], draws: int, stream: int) -> _Draws:
    rng, shape = generator(3, stream), (draws, len(sizes))
    squares = 2.0 * rng.standard_gamma(np.maximum(0.5 * (np.array(sizes) - 1.0), 0.0), shape)
    noise = rng.laplace(size=(2, *shape))
    return _Draws(frozen(rng.standard_normal(shape)), frozen(squares), frozen(noise[0]), frozen(noise[1]))


class _Point(NamedTuple):
    """A common mean, and a variance for each group."""

    mean: float
    variances: Floats


def _simulated(
    point: _Point, shapes: tuple[int, ...], sizes: Floats, epsilon: float, draws: _Draws, stream: int
) -> Fitted:
    """Return the statistics of simulated releases at a point, each group normal (0) or skewed up or down.

    The skewed laws have two values, one of them the bound: no law within the bounds with this mean and
    variance is more skewed (Bennett's inequality).
    """
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
    return welch(first + 2.0 / epsilon * draws.first, second + 4.0 / epsilon * draws.second, sizes, epsilon)


def draws_for(groups: int) -> int:
    """Return how many releases are simulated at each point."""
    return max(_FEWEST, min(_DRAWS, _CELLS // groups))


def pvalue_floor(groups: int) -> float:
    """Return the smallest p-value that `welch_pvalue` returns for so many groups.

    Examples
    --------
    >>> pvalue_floor(3)
    0.0015
    """
    return floor_of(draws_for(groups), SLACK)


def welch_pvalue(
    first: Floats,
    second: Floats,
    sizes: tuple[int, ...],
    epsilon: float,
    skewed: bool = True,
    draws: int | None = None,
    stream: int = 0,
) -> tuple[float, float]:
    """Return statistic and p-value of equal means for noisy sums of shape (groups,).

    The p-value is the largest over means, variances and shapes that the release leaves possible but for a
    probability of `SLACK`, which is added. The laws are normal or also `skewed` ones. Measurements of the
    level take fewer `draws`, and another `stream` of them for each release.

    References
    ----------
    Welch, B. L. (1951). On the comparison of several mean values: an alternative approach. Biometrika 38.

    Examples
    --------
    >>> statistic, pvalue = welch_pvalue(np.array([-30.0, 30.0]), np.array([20.0, 20.0]), (100, 100), 5.0)
    >>> round(statistic, 2), pvalue < 0.01
    (88.58, True)
    """
    sums = tuple(first.tolist()), tuple(second.tolist())
    return _pvalue(*sums, sizes, epsilon, skewed, draws, stream)


# what was simulated for released sums is not simulated again
@lru_cache(maxsize=64)
def _pvalue(
    first: tuple[float, ...],
    second: tuple[float, ...],
    sizes: tuple[int, ...],
    epsilon: float,
    skewed: bool,
    draws: int | None,
    stream: int,
) -> tuple[float, float]:
    number = np.array(sizes, dtype=np.float64)
    found = welch(np.array([first]), np.array([second]), number, epsilon)
    plausible = _references(found, number, sizes, epsilon, skewed, draws, stream)
    statistic = float(found.statistic[0])
    return statistic, largest(plausible, statistic, SLACK)


def references(first: Floats, second: Floats, sizes: tuple[int, ...], epsilon: float) -> list[Floats]:
    """Return simulated statistics at each point and shape that noisy sums of shape (groups,) leave possible.

    Examples
    --------
    >>> made = references(np.array([-3.0, 3.0]), np.array([20.0, 20.0]), (100, 100), 5.0)
    >>> made[0].shape
    (1999,)
    """
    number = np.array(sizes, dtype=np.float64)
    found = welch(first[None], second[None], number, epsilon)
    return _references(found, number, sizes, epsilon, True, None, 0)


def _references(
    found: Fitted,
    number: Floats,
    sizes: tuple[int, ...],
    epsilon: float,
    skewed: bool,
    draws: int | None,
    stream: int,
) -> list[Floats]:
    size = draws or draws_for(len(sizes))
    reference = _reference(sizes, size, stream)
    shapes = _shapes(len(sizes))[: None if skewed else 1]
    likely: list[Floats] = []
    others: list[Floats] = []
    for family in _families(found, number, epsilon):
        possible, statistics = [], []
        for point in family:
            simulated = [_simulated(point, each, number, epsilon, reference, stream) for each in shapes]
            possible.append(any(_may_be(found, each, number, epsilon) for each in simulated))
            statistics.append([each.statistic for each in simulated])
        for place, each in enumerate(statistics):
            # the truth may lie between a point that is possible and one that is not
            (likely if any(possible[max(place - 1, 0) : place + 2]) else others).extend(each)
    return likely or others


def _shapes(groups: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes tried for each group: all normal, and up and down by turns, either way."""
    turns = tuple(1 - 2 * (group % 2) for group in range(groups))
    return (0,) * groups, turns, tuple(-each for each in turns)


def _families(found: Fitted, sizes: Floats, epsilon: float) -> Iterator[list[_Point]]:
    """Yield points in order of their variances: the same in all groups, and in proportion to the estimates.

    The common mean is the estimated one, and one that is nearer to the middle where that allows variances
    that are clearly larger.
    """
    total, mean = float(sizes.sum()), float(found.mean[0])
    estimates = found.variances[0]
    pooled = float(sizes @ estimates) / total
    noise = np.sqrt(32.0 * sizes.size) / (epsilon * total)
    spread = np.sqrt(8.0 * sizes.size) / (epsilon * total) + np.sqrt(max(pooled, noise) / total)
    nearer = np.copysign(max(abs(mean) - _ERRORS * spread, 0.0), mean)
    means = [mean]
    if 1.0 - nearer * nearer > 1.2 * (1.0 - mean * mean):
        means.append(nearer)
    profile = np.maximum(estimates, 8.0 / (epsilon * sizes))
    profiles = [np.ones(sizes.size)]
    if profile.max() > 1.3 * profile.min():
        profiles.append(profile / profile.max())
    for mean in means:
        for profile in profiles:
            yield [_Point(mean, each) for each in _ladder(pooled, mean, profile, sizes, epsilon)]


def _ladder(pooled: float, mean: float, profile: Floats, sizes: Floats, epsilon: float) -> Iterator[Floats]:
    """Yield variances in proportion to a profile, whose pooled variance may be the one found."""
    total, top = float(sizes.sum()), 1.0 - mean * mean
    share = float(sizes @ profile) / total
    scale = 4.0 / (epsilon * total)
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


def _may_be(found: Fitted, simulated: Fitted, sizes: Floats, epsilon: float) -> bool:
    """Tell whether the variances found, each and pooled, are among simulated ones or hardly outside."""
    margins = np.append(_MARGIN * 4.0 / (epsilon * sizes), _MARGIN * 4.0 / (epsilon * sizes.sum()))
    own, others = (
        np.column_stack([each.variances, each.variances @ sizes / sizes.sum()]) for each in (found, simulated)
    )
    low, high = others.min(axis=0) - margins, others.max(axis=0) + margins
    return bool(((low <= own[0]) & (own[0] <= high)).all())
