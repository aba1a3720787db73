"""How often the noisy tests of means reject, for normal records that are clipped to the bounds."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pydpstat._frozen import frozen
from pydpstat.inference._null_distributions import group_means
from pydpstat.inference._null_distributions.noisy_t import (
    LEFT_OUT,
    NoisySums,
    NullLaw,
    least_square,
    null_law,
    possible,
    variance_grid,
)
from pydpstat.inference._null_distributions.noisy_welch import (
    Group,
    groups_under,
    together,
    variance_estimate,
)
from pydpstat.inference._null_distributions.simulation import DOWN, SHAPES, UP, centered_sums
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.statistics._kernels.partition import PARABOLA

Flags = npt.NDArray[np.bool_]
RUNS = 2_000
# up to so many records each is drawn; of more the sums are taken as normal
DRAWN = 300
_SEED = 2_718
_GRID = 20_000
_VARIANCES = 23
# critical values that depend on a release are taken from so many
TYPICAL = 5


@lru_cache(maxsize=8)
def scores(columns: int, stream: int) -> Floats:
    """Return standard normal draws of shape (2000, columns), the same ones in every call."""
    return frozen(np.random.default_rng((_SEED, stream)).normal(size=(RUNS, columns)))


@lru_cache(maxsize=8)
def _noises(stream: int) -> Floats:
    return frozen(np.random.default_rng((_SEED, stream, 1)).laplace(size=(3, RUNS)))


def noisy_sums(
    n: int, mean: float, sd: float, epsilon: float, stream: int = 0, private: bool = False
) -> tuple[Floats, Floats, Floats]:
    """Return noisy sums of 1, z and z^2 of 2,000 samples of normal records, moved onto -1 and 1.

    The first has noise where the number of records is private.
    """
    if n <= DRAWN:
        z = np.clip(mean + sd * scores(DRAWN, stream)[:, :n], -1.0, 1.0)
        first, second = z.sum(axis=1), (z * z).sum(axis=1)
    else:
        values = np.clip(mean + sd * ndtri((np.arange(_GRID) + 0.5) / _GRID), -1.0, 1.0)
        both = np.stack([values, values * values])
        drawn = scores(DRAWN, stream)[:, :2] @ root_of(n * np.cov(both, bias=True)).T
        first, second = (n * both.mean(axis=1) + drawn).T
    noise, size = _noises(stream), np.full(RUNS, float(n))
    if private:
        number, one, square = PARABOLA @ noise / epsilon
        return size + number, first + one, second + square
    return size, first + 2.0 / epsilon * noise[0], second + 4.0 / epsilon * noise[1]


def root_of(covariance: Floats) -> Floats:
    """Return a matrix whose product with its transpose is a covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    return vectors * np.sqrt(np.maximum(values, 0.0)) + 0.0


def allowed(alpha: float, left_out: float, draws: int) -> int:
    """Return how many of the draws may be as extreme as an observation that is rejected; -1 if none is."""
    return math.floor((alpha - left_out) * (draws + 1) + 1e-9) - 1


def critical(values: Floats, beyond: int) -> float:
    """Return what is exceeded by an observation that at most `beyond` values reach."""
    place = values.size - 1 - beyond
    return float(np.partition(values, place)[place])


def sided(values: Floats, alternative: str) -> Floats:
    """Return statistics that are large where the alternative holds."""
    return {"two-sided": np.abs(values), "less": -values}.get(alternative, values)


def _known(n: int, epsilon: float, private: bool, normal: bool) -> NoisySums:
    number, first, second = _mixed(epsilon, private).rows
    return NoisySums((float(n), 0.0, 0.0), (number, first, second), "laplace", n, normal)


def _mixed(epsilon: float, private: bool) -> group_means.Mixed:
    """Return how noises of scale 1 are mixed into the sums of 1, z and z^2."""
    if not private:
        return group_means.Mixed.sized(epsilon)
    number, first, second = (tuple(row) for row in (PARABOLA / epsilon).tolist())
    return group_means.Mixed((number, first, second))


def _kept(seen: Floats, low: Floats, high: Floats) -> Flags:
    """Return which variances, in rows, each observation leaves possible.

    One is too small where the observation is above `high`, and too large where it is not above `low`.
    """
    small, large = seen > high[:, None], seen <= low[:, None]
    inside = ~(small | large)
    kept = inside.copy()
    kept[1:] |= inside[:-1]
    kept[:-1] |= inside[1:]
    for place in np.flatnonzero(~inside.any(axis=0)).tolist():
        kept[:, place] = possible(small[:, place], large[:, place])
    return kept


def one_sample_power(
    n: int,
    epsilon: float,
    effect: float,
    sd: float,
    mean: float,
    alpha: float,
    alternative: str,
    private: bool = False,
    normal: bool = False,
) -> float:
    """Return the power of the noisy t test, which may assume normal records."""
    law = null_law(_known(n, epsilon, private, normal), mean, n)
    draws, noises, grid = law.draws(), law.noises(), law.variances()
    size = noises[0].size
    # of a private number of records some are left out, too
    left_out = 2.0 * LEFT_OUT if private else LEFT_OUT
    beyond, outside = allowed(alpha, left_out, size), int(0.5 * LEFT_OUT * size)
    if beyond < 0:
        return 0.0
    number, first, second = noisy_sums(n, mean + effect * sd, sd, epsilon, private=private)
    first, second = first - number * mean, second - 2.0 * mean * first + number * mean * mean

    def limit(sums: Floats, squares: Floats, variance: float, slack: float = 0.0) -> float:
        least = law.least(variance)
        moved = sums + slack * (squares < least) + noises[0]
        return critical(sided(moved / np.sqrt(np.maximum(squares, least) + law.spread), alternative), beyond)

    low, high, limits = (np.empty(grid.size) for _ in range(3))
    for place, variance in enumerate(grid.tolist()):
        drawn = []
        for shape in law.shapes(variance):
            sums, squares = centered_sums(draws, n, mean, variance, shape)
            squares = squares + noises[1]
            drawn.append((*tails(squares, outside), limit(sums, squares, variance)))
        lows, highs, values = zip(*drawn)
        low[place], high[place], limits[place] = min(lows), max(highs), max(values)
    kept = _kept(second, low, high)
    rejected = np.ones(RUNS, dtype=bool)
    for place in np.flatnonzero(kept.any(axis=1)).tolist():
        found = sided(_statistic(law, first, second, float(grid[place])), alternative)
        rejected &= ~kept[place] | (found > limits[place])
    lowest = grid[kept.argmax(axis=0)]
    highest = grid[grid.size - 1 - kept[::-1].argmax(axis=0)]
    for shape in (UP, DOWN):
        for variance, slack in law.steps(shape):
            inside = rejected & (lowest <= variance) & (variance <= highest)
            if inside.any():
                sums, squares = centered_sums(draws, n, mean, variance, shape)
                found = sided(_statistic(law, first, second, variance), alternative)
                rejected &= ~inside | (found > limit(sums, squares + noises[1], variance, slack))
    return float(rejected.mean())


def tails(squares: Floats, outside: int) -> tuple[float, float]:
    """Return what is above all but `outside` + 1 of the values, and below all but so many."""
    arranged = np.partition(squares, (outside, squares.size - 1 - outside))
    return float(arranged[outside]), float(arranged[squares.size - 1 - outside])


def _statistic(law: NullLaw, first: Floats, second: Floats, variance: float) -> Floats:
    return first / np.sqrt(np.maximum(second, law.least(variance)) + law.spread)


class _Variances(NamedTuple):
    """The variances of a group that are looked at, and the releases that leave them possible."""

    grid: list[float]
    kept: Flags
    means: Floats
    estimates: Floats
    least: list[float]


def _variances(group: Group, n: int, seen: tuple[Floats, Floats]) -> _Variances:
    law = group.law
    grid = variance_grid(1.0 - law.mean * law.mean, law.floor, n, _VARIANCES)
    estimates = variance_estimate(n, *seen, law.spread)
    low, high = np.empty(grid.size), np.empty(grid.size)
    for place, variance in enumerate(grid.tolist()):
        drawn = [group.drawn(variance, shape)[1] for shape in law.shapes(variance)]
        ends = [tails(each, int(0.5 * LEFT_OUT * each.size)) for each in drawn]
        low[place], high[place] = min(each[0] for each in ends), max(each[1] for each in ends)
    kept = _kept(estimates, low, high)
    some = kept.any(axis=1)
    chosen = grid[some].tolist()
    least = [least_square(n, law.mean, variance) / n**2 for variance in chosen]
    return _Variances(chosen, kept[some], seen[0] / n, estimates, least)


def two_sample_power(
    sizes: tuple[int, int],
    epsilon: float,
    effect: float,
    sd: float,
    alpha: float,
    alternative: str,
    private: bool = False,
    normal: bool = False,
) -> float:
    """Return the power of the noisy Welch test, for two groups whose common mean is in the middle.

    The test may assume normal records.
    """
    n1, n2 = sizes
    first_known, second_known = (_known(n, epsilon, private, normal) for n in sizes)
    groups = groups_under((first_known, second_known), 0.0)
    beyond = allowed(alpha, 2.0 * LEFT_OUT, groups[0].noises[0].size)
    if beyond < 0:
        return 0.0
    means = effect * sd * n2 / (n1 + n2), -effect * sd * n1 / (n1 + n2)
    seen = []
    for place, (n, mean) in enumerate(zip(sizes, means)):
        number, *both = noisy_sums(n, mean, sd, epsilon, place, private)
        # the test scales the sums with the noisy number of records
        first_sums, second_sums = (each * (n / np.maximum(number, 1.0)) for each in both)
        seen.append((first_sums, second_sums))
    first, second = (_variances(*each) for each in zip(groups, sizes, seen))
    noise = sum(each.noise for each in groups)
    floor = sum(each.law.floor / each.law.n**2 for each in groups)
    square = first.estimates / n1 + second.estimates / n2
    distance = first.means - second.means
    rejected = np.ones(RUNS, dtype=bool)
    drawn = [
        [[group.drawn(variance, shape) for shape in SHAPES] for variance in each.grid]
        for group, each in zip(groups, (first, second))
    ]
    for i, row in enumerate(drawn[0]):
        for j, column in enumerate(drawn[1]):
            both = first.kept[i] & second.kept[j] & rejected
            if not both.any():
                continue
            least, limit = max(floor, first.least[i] + second.least[j]), -math.inf
            for shapes in together(groups):
                (mean1, part1), (mean2, part2) = row[shapes[0]], column[shapes[1]]
                total = np.maximum(part1 / n1 + part2 / n2, least) + noise
                limit = max(limit, critical(sided((mean1 - mean2) / np.sqrt(total), alternative), beyond))
            found = sided(distance / np.sqrt(np.maximum(square, least) + noise), alternative)
            rejected &= ~both | (found > limit)
    return float(rejected.mean())


def spaced(groups: int, effect: float) -> Floats:
    """Return evenly spaced means around 0, the largest and the smallest a distance apart."""
    return effect * (np.arange(groups) / (groups - 1) - 0.5)


def several_means_power(
    sizes: tuple[int, ...],
    epsilon: float,
    effect: float,
    sd: float,
    alpha: float,
    private: bool = False,
    normal: bool = False,
) -> float:
    """Return the power of the noisy analysis of variance, for evenly spaced means.

    The critical values are of five of the releases, whose powers are averaged.
    """
    means = sd * spaced(len(sizes), effect)
    seen = [
        noisy_sums(n, float(mean), sd, epsilon, i, private) for i, (n, mean) in enumerate(zip(sizes, means))
    ]
    number, first, second = (np.stack(each, axis=1) for each in zip(*seen))
    noise = _mixed(epsilon, private)
    found = group_means.welch(np.array([number, first, second]), noise).statistic
    limits = []
    for row in range(TYPICAL):
        references = group_means.references((number[row], first[row], second[row]), sizes, noise, not normal)
        beyond = allowed(alpha, group_means.SLACK, references[0].size)
        if beyond < 0:
            return 0.0
        limits.append(max(critical(each, beyond) for each in references))
    return float(np.mean([(found > limit).mean() for limit in limits]))
