"""Welch's test of several noisy means, and its null distribution."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.means.mean_differences import choose_refined_pvalue, use_noisy_size
from pydpstat._null_distributions.means.noisy_t import (
    Floats,
    NoisySums,
    Row,
    find_plausible_variances,
    make_variance_grid,
)
from pydpstat._null_distributions.means.noisy_welch import (
    QuadraticSums,
    compute_upper_mean,
    draw_importance_sample,
    sum_conditional_tails,
)
from pydpstat._null_distributions.simulation import PVALUE_FLOOR, SHAPES, make_generator, maximize_pvalue

# probability that the true variance of some group is excluded
DEEP_EXCLUDED_PROBABILITY = 2e-7
_DRAWS_POWER, _DEEP_VARIANCES, _THRESHOLD_POINTS, _DEEP_CELLS = 11, 15, 12, 4000
# margin around simulated variances within which an estimate is plausible, in noise scales
_NOISE_MARGIN = 2.0
# probability that the true variances are outside those tried
NUISANCE_PROBABILITY = 0.001
# smallest and largest number of simulated releases at a point, and largest number of their groups
_MIN_DRAWS, _MAX_DRAWS, _MAX_CELLS = 499, 1_999, 60_000
# number of variances besides 0, and a larger one for few records
_VARIANCE_POINTS, _FEW_RECORDS, _MORE_VARIANCES = 9, 30, 25
# lower limit of estimated sums of squares, in scales of their noise
_VARIANCE_FLOOR = 0.5
# number of standard errors of the common mean that are covered
_MEAN_ERRORS = 2.5


class GroupSquares(NamedTuple):
    """Noisy sum of squares of a group about the common mean, and coefficients of the noise in its sums."""

    n: int
    square: float
    first_noise: Floats
    second_noise: Floats
    noise_variance: float
    floor: float
    noise_family: str


def bound_pvalue(groups: list[GroupSquares], means: list[float], statistic: float, allow_skewness: bool) -> float:
    """Return an upper bound of the p-value of a statistic, over common means, variances and shapes."""
    tails: dict[tuple[int, float], Floats] = {}
    for group in groups:
        if (like := (group.n, group.square)) not in tails:
            excluded = DEEP_EXCLUDED_PROBABILITY / len(groups)
            tails[like] = _maximize_tails(group, means, statistic, allow_skewness, excluded)
    chance = bound_sum_tail([tails[member.n, member.square] for member in groups], statistic)
    return min(1.0, DEEP_EXCLUDED_PROBABILITY + chance)


def make_thresholds(statistic: float) -> Floats:
    """Return the square roots of the thresholds at which a group's tail is computed."""
    return np.linspace(0.0, math.sqrt(statistic), _THRESHOLD_POINTS)


def bound_sum_tail(tails: Sequence[Floats], statistic: float) -> float:
    """Return an upper bound of the probability that a sum of independent groups' squares reaches a statistic.

    `tails` has for each group the probabilities that its square is at least each threshold.
    """
    edges, masses = np.linspace(0.0, statistic, _DEEP_CELLS + 1), np.ones(1)
    for tail in tails:
        # the log probability is nearly linear where sampling dominates, and convex where noise does
        x, heights = np.square(make_thresholds(statistic)), np.log(np.maximum(tail, 1e-300))
        above = np.exp(np.interp(edges, x, heights))
        # the mass of a cell is moved to its upper edge
        masses = np.convolve(masses, np.append(0.0, above[:-1] - above[1:]))[: _DEEP_CELLS + 1]
    return 1.0 - float(masses[:_DEEP_CELLS].sum())


def _maximize_tails(
    group: GroupSquares, means: list[float], statistic: float, allow_skewness: bool, excluded: float
) -> Floats:
    """Return the largest probabilities of squares from 0 to a statistic, in equal steps of their square roots."""
    a, b = group.first_noise, group.second_noise
    largest = int(np.abs(a).argmax())
    sample = draw_importance_sample(group.n, group.noise_family, a.size, _DRAWS_POWER)
    noise = np.delete(sample.draws.noises, largest, axis=0)
    partial_sums, squared = np.delete(a, largest) @ noise, np.delete(b, largest) @ noise
    open_squares = b[largest] * sample.draws.noises[largest]
    roots = make_thresholds(statistic)
    margin = _NOISE_MARGIN * float(np.linalg.norm(b))
    tails = np.zeros(_THRESHOLD_POINTS)
    for mean in means:
        grid = make_variance_grid(1.0 - mean * mean, group.floor, group.n, _DEEP_VARIANCES)
        flags, forms = np.zeros((2, grid.size), dtype=bool), []
        for index, variance in enumerate(grid.tolist()):
            above, below = [], []
            for shape in SHAPES if variance > 0.0 and allow_skewness else SHAPES[:1]:
                sums, squares = sample.compute_sums(group.n, mean, variance, shape)
                squares = squares + squared
                weights = sample.compute_weights(shape)
                above.append(compute_upper_mean(weights * (squares + open_squares >= group.square - margin)))
                below.append(compute_upper_mean(weights * (squares + open_squares <= group.square + margin)))
                first = math.copysign(1.0, a[largest]) * (sums + partial_sums)
                form = QuadraticSums(first, abs(a[largest]), squares + group.noise_variance, float(b[largest]), 0.0)
                forms.append((index, form, sample.compute_weights(shape, largest)))
            flags[:, index] = max(above) <= 0.5 * excluded, max(below) <= 0.5 * excluded
        is_plausible = find_plausible_variances(*flags)
        for index, form, weights in forms:
            if is_plausible[index]:
                for step, root in enumerate(roots.tolist()):
                    tails[step] = max(tails[step], _compute_group_tail(group, form, weights, root))
    tails[0] = 1.0
    return np.minimum.accumulate(np.minimum(tails, 1.0))


def _compute_group_tail(group: GroupSquares, form: QuadraticSums, weights: Floats, root: float) -> float:
    """Return the probability that a group's studentized sum is at least `root` in absolute value."""
    # W^2 >= t^2 (Q - W^2 / n + var) is equivalent to W^2 (1 + t^2 / n) >= t^2 (Q + var)
    scaled_root = root / math.sqrt(1.0 + root * root / group.n)
    min_sum = root * math.sqrt(group.floor + group.noise_variance)
    chance = sum_conditional_tails(form, (1.0, -1.0), scaled_root, min_sum, group.noise_family)
    return compute_upper_mean(weights * chance)


class WelchFit(NamedTuple):
    """Welch's statistic, common mean and group variances for rows of noisy sums."""

    statistic: Floats
    mean: Floats
    variances: Floats


class NoiseMixing(NamedTuple):
    """Coefficients of unit-scale noises in the sums of 1, z and z^2, equal for all groups."""

    coefficients: tuple[Row, Row, Row]
    noise_family: str = "laplace"

    @classmethod
    def from_epsilon(cls, epsilon: float) -> NoiseMixing:
        """Return the coefficients for groups of public sizes."""
        return cls(((0.0, 0.0), (2.0 / epsilon, 0.0), (0.0, 4.0 / epsilon)))

    @property
    def square_noise_scale(self) -> float:
        """Scale of the noise of the sum of squares."""
        return float(np.linalg.norm(self.coefficients[2]))

    def compute_squared_scale(self, mean: Floats) -> Floats:
        """Return the squared scale of the noise of sums of deviations from these means."""
        number, first, _ = self.coefficients
        return sum((b - mean * a) ** 2 for a, b in zip(number, first)) + 0.0 * mean

    @property
    def variance(self) -> float:
        """Variance of a noise of scale 1."""
        return 2.0 if self.noise_family == "laplace" else 1.0


def compute_welch_statistic(sums: Floats, noise: NoiseMixing) -> WelchFit:
    """Return Welch's statistic of noisy sums of 1, z and z^2, of shape (3, rows, groups).

    The z are between -1 and 1. If the sizes of the groups are public, the first sum has no noise. The means
    are weighted by the inverses of their estimated variances, of sampling and noise. Variances are estimated
    about the common mean, which avoids the square of the noise, and are at least half of their noise's scale:
    the distribution of the statistic then hardly depends on the true variances. A private size is simulated
    as the noisy one, with its noise. (Welch, B. L. (1951). On the comparison of several mean values: an
    alternative approach. Biometrika 38.)
    """
    number, first, second = sums
    sizes = np.maximum(number, 1.0)
    mean = (first.sum(axis=1) / sizes.sum(axis=1)).clip(-1.0, 1.0)
    center = mean[:, None]
    means = (first - center * number) / sizes
    squares = second - 2.0 * center * first + number * center * center
    noise_variance = noise.variance * noise.compute_squared_scale(center)
    weights = sizes * sizes / (np.maximum(squares, _VARIANCE_FLOOR * noise.square_noise_scale) + noise_variance)
    middle = (weights * means).sum(axis=1, keepdims=True) / weights.sum(axis=1, keepdims=True)
    return WelchFit((weights * (means - middle) ** 2).sum(axis=1), mean, squares / sizes)


class _WelchDraws(NamedTuple):
    """Reference draws of shape (draws, groups): normal and chi-square variables, and noises of scale 1."""

    normal: Floats
    squares: Floats
    noises: Floats


@lru_cache(maxsize=8)
def _draw_welch_reference(sizes: tuple[int, ...], noise: NoiseMixing, draws: int, stream: int) -> _WelchDraws:
    rng, shape = make_generator(3, stream), (draws, len(sizes))
    squares = 2.0 * rng.standard_gamma(np.maximum(0.5 * (np.array(sizes) - 1.0), 0.0), shape)
    noise_shape = len(noise.coefficients[0]), *shape
    noises = rng.laplace(size=noise_shape) if noise.noise_family == "laplace" else rng.standard_normal(noise_shape)
    return _WelchDraws(freeze_array(rng.standard_normal(shape)), freeze_array(squares), freeze_array(noises))


class _NuisancePoint(NamedTuple):
    """Common mean, and variance of each group."""

    mean: float
    variances: Floats


def _simulate_welch_fit(
    point: _NuisancePoint, shapes: tuple[int, ...], sizes: Floats, noise: NoiseMixing, draws: _WelchDraws, stream: int
) -> WelchFit:
    """Return the statistics of simulated releases at a point, with each group normal (0) or skewed up or down."""
    mean, variances = point.mean, point.variances
    deviation = np.sqrt(sizes * variances) * draws.normal
    square = variances * (draws.normal**2 + draws.squares)
    rng = make_generator(4, stream)
    for group, shape in enumerate(shapes):
        variance = float(variances[group])
        if shape == 0 or variance == 0.0:
            continue
        far, n = 1.0 - shape * mean, int(sizes[group])
        near = variance / far
        count = rng.binomial(n, variance / (variance + far * far), size=deviation.shape[0])
        deviation[:, group] = shape * (count * far - (n - count) * near)
        square[:, group] = count * far * far + (n - count) * near * near
    first = sizes * mean + deviation
    second = square + 2.0 * mean * deviation + sizes * mean * mean
    exact = np.broadcast_to(sizes, first.shape), first, second
    noisy = [
        sum((scale * values for scale, values in zip(row, draws.noises) if scale), sums)
        for row, sums in zip(noise.coefficients, exact)
    ]
    return compute_welch_statistic(np.array(noisy), noise)


def choose_draws(groups: int) -> int:
    """Return the number of simulated releases at each point."""
    return max(_MIN_DRAWS, min(_MAX_DRAWS, _MAX_CELLS // groups))


def get_equal_means_floor(groups: int) -> float:
    """Return the smallest possible p-value of `run_equal_means_test`; 0 for fewer than two groups."""
    return PVALUE_FLOOR if groups > 1 else 0.0


def run_equal_means_test(
    noisy_sums: Sequence[NoisySums], draws: int | None = None, stream: int = 0
) -> tuple[float, float, tuple[int, ...]]:
    """Return the statistic, the p-value of equal means, and the indices of the groups that are compared.

    Groups whose noisy number of records may be noise alone are excluded. With fewer than two groups the p-value is 1.
    """
    indices = tuple(index for index, group in enumerate(noisy_sums) if group.size or use_noisy_size(group) is not None)
    if len(indices) < 2:
        return 0.0, 1.0, indices
    sums = [noisy_sums[index] for index in indices]
    family = sums[0].noise_family
    assert isinstance(family, str), "groups have Laplace or normal noise"
    number, first, second = zip(*(group.sums for group in sums))
    sizes = tuple(max(round(count), 1) for count in number)
    noise = NoiseMixing(sums[0].noise, family)
    return *_compute_welch_pvalue((number, first, second), sizes, noise, not sums[0].is_normal, draws, stream), indices


# simulations for released sums are cached
@lru_cache(maxsize=64)
def _compute_welch_pvalue(
    sums: tuple[Row, ...],
    sizes: tuple[int, ...],
    noise: NoiseMixing,
    allow_skewness: bool,
    draws: int | None,
    stream: int,
) -> tuple[float, float]:
    fit = compute_welch_statistic(np.array(sums)[:, None], noise)
    plausible = _simulate_at_points(fit, sizes, noise, allow_skewness, draws, stream)
    statistic = float(fit.statistic[0])
    simulated = maximize_pvalue(plausible, statistic, NUISANCE_PROBABILITY)
    if simulated > 2.0 * NUISANCE_PROBABILITY:
        return statistic, simulated
    deep = _bound_welch_pvalue(fit, sizes, noise, allow_skewness)
    return statistic, choose_refined_pvalue(simulated, NUISANCE_PROBABILITY, deep)


def _bound_welch_pvalue(fit: WelchFit, sizes: tuple[int, ...], noise: NoiseMixing, allow_skewness: bool) -> float:
    """Return an upper bound of the p-value from the tails of the groups."""
    number, mean = np.array(sizes, dtype=np.float64), float(fit.mean[0])
    first, second = np.array(noise.coefficients[1]), np.array(noise.coefficients[2])
    first = first - mean * np.array(noise.coefficients[0])
    second = second - 2.0 * mean * np.array(noise.coefficients[1]) + mean * mean * np.array(noise.coefficients[0])
    noise_variance, floor = noise.variance * float(first @ first), _VARIANCE_FLOOR * noise.square_noise_scale
    groups = [
        GroupSquares(n, float(n * variance), first, second, noise_variance, floor, noise.noise_family)
        for n, variance in zip(sizes, fit.variances[0])
    ]
    return bound_pvalue(groups, _choose_common_means(fit, number, noise), float(fit.statistic[0]), allow_skewness)


def simulate_references(
    sums: Sequence[Floats], sizes: tuple[int, ...], noise: NoiseMixing, allow_skewness: bool = True
) -> list[Floats]:
    """Return simulated statistics at each plausible point and shape for noisy sums of shape (groups,)."""
    fit = compute_welch_statistic(np.array(sums)[:, None], noise)
    return _simulate_at_points(fit, sizes, noise, allow_skewness, None, 0)


def _simulate_at_points(
    fit: WelchFit, sizes: tuple[int, ...], noise: NoiseMixing, allow_skewness: bool, draws: int | None, stream: int
) -> list[Floats]:
    size, number = draws or choose_draws(len(sizes)), np.array(sizes, dtype=np.float64)
    reference = _draw_welch_reference(sizes, noise, size, stream)
    shapes = _make_shape_assignments(len(sizes))[: None if allow_skewness else 1]
    likely: list[Floats] = []
    others: list[Floats] = []
    for family in _iterate_point_families(fit, number, noise):
        possible, statistics = [], []
        for point in family:
            simulated = [_simulate_welch_fit(point, shape, number, noise, reference, stream) for shape in shapes]
            possible.append(any(_is_plausible(fit, release, number, noise) for release in simulated))
            statistics.append([release.statistic for release in simulated])
        for index, values in enumerate(statistics):
            # the true point may lie between a plausible one and an implausible one
            (likely if any(possible[max(index - 1, 0) : index + 2]) else others).extend(values)
    return likely or others


def _make_shape_assignments(groups: int) -> tuple[tuple[int, ...], ...]:
    """Return the shapes tried for the groups: all normal, or alternating up and down in both orders."""
    turns = tuple(1 - 2 * (group % 2) for group in range(groups))
    return (0,) * groups, turns, tuple(-turn for turn in turns)


def _iterate_point_families(fit: WelchFit, sizes: Floats, noise: NoiseMixing) -> Iterator[list[_NuisancePoint]]:
    """Yield lists of points with increasing variances, equal in all groups or proportional to the estimates."""
    total = float(sizes.sum())
    estimates = fit.variances[0]
    pooled = float(sizes @ estimates) / total
    profile = np.maximum(estimates, 2.0 * noise.square_noise_scale / sizes)
    profiles = [np.ones(sizes.size)]
    if profile.max() > 1.3 * profile.min():
        profiles.append(profile / profile.max())
    for mean in _choose_common_means(fit, sizes, noise):
        for profile in profiles:
            variances = _iterate_variances(pooled, mean, profile, sizes, noise.square_noise_scale)
            yield [_NuisancePoint(mean, values) for values in variances]


def _choose_common_means(fit: WelchFit, sizes: Floats, noise: NoiseMixing) -> list[float]:
    """Return the estimated common mean and, if it matters, one nearer to 0."""
    total, mean = float(sizes.sum()), float(fit.mean[0])
    pooled = float(sizes @ fit.variances[0]) / total
    # standard deviations for Laplace noise
    square = np.sqrt(2.0 * sizes.size) * noise.square_noise_scale / total
    error = np.sqrt(2.0 * sizes.size * float(noise.compute_squared_scale(fit.mean)[0])) / total
    error += np.sqrt(max(pooled, square) / total)
    nearer = np.copysign(max(abs(mean) - _MEAN_ERRORS * error, 0.0), mean)
    means = [mean]
    if 1.0 - nearer * nearer > 1.2 * (1.0 - mean * mean):
        means.append(nearer)
    return means


def _iterate_variances(
    pooled: float, mean: float, profile: Floats, sizes: Floats, square_noise_scale: float
) -> Iterator[Floats]:
    """Yield variances proportional to a profile that are plausible for the pooled estimate."""
    total, maximum = float(sizes.sum()), 1.0 - mean * mean
    share = float(sizes @ profile) / total
    scale = square_noise_scale / total
    noise = np.sqrt(2.0 * sizes.size) * 2.0 * scale
    error = noise + np.sqrt(max(pooled, noise) / total)
    nearby = [min(max((pooled + step * error) / share, 0.0), maximum) for step in (-1.0, 0.0, 1.0)]
    minimum = max(1e-9, min(0.02 * scale, 0.1 / total, 0.1 * maximum))
    number = _VARIANCE_POINTS if total > _FEW_RECORDS else _MORE_VARIANCES
    steps = [0.0, *np.geomspace(minimum, max(maximum, 2.0 * minimum), number), *nearby]
    # Bernstein's inequality; the noise has two Laplace variables per group
    t, widest = np.log(1e4), (1.0 + abs(mean)) ** 2
    for step in sorted({min(step_size, maximum) for step_size in steps}):
        variances = np.minimum(step * profile, maximum)
        expected = float(sizes @ variances) / total
        limit = np.sqrt(2.0 * t * (widest * expected / total + noise * noise)) + t * (widest / total + 2.0 * scale)
        if abs(pooled - expected) <= 2.0 * limit or step in nearby:
            yield variances


def _is_plausible(fit: WelchFit, simulated: WelchFit, sizes: Floats, noise: NoiseMixing) -> bool:
    """Return whether the estimated variances, single and pooled, are in the range of simulated ones or close to it."""
    margins = _NOISE_MARGIN * noise.square_noise_scale / np.append(sizes, sizes.sum())
    observed, drawn = (
        np.column_stack([moments.variances, moments.variances @ sizes / sizes.sum()]) for moments in (fit, simulated)
    )
    low, high = drawn.min(axis=0) - margins, drawn.max(axis=0) + margins
    return bool(((low <= observed[0]) & (observed[0] <= high)).all())
