"""Power of the noisy tests of means for normal records clipped to the bounds."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.means import group_means
from pydpstat._null_distributions.means.noisy_t import (
    EXCLUDED_PROBABILITY,
    NoisySums,
    NoisyTDistribution,
    bound_square_sum,
    find_plausible_variances,
    make_t_distribution,
    make_variance_grid,
)
from pydpstat._null_distributions.means.noisy_welch import (
    WelchGroup,
    estimate_variance,
    get_shape_pairs,
    make_welch_groups,
)
from pydpstat._null_distributions.simulation import DOWNWARD_SHAPE, SHAPES, UPWARD_SHAPE, simulate_centered_sums
from pydpstat._null_distributions.weight_moments import PARABOLA_BASIS
from pydpstat.r_arithmetic.elementary import Floats

BooleanArray = npt.NDArray[np.bool_]
SIMULATION_RUNS = 2_000
# largest number of records that are drawn; sums of more records are assumed normal
MAX_DRAWN_RECORDS = 300
_SEED = 2_718
_GRID_POINTS = 20_000
_VARIANCE_POINTS = 23
# number of releases from which critical values that depend on a release are computed
TYPICAL_RELEASES = 5


@lru_cache(maxsize=8)
def get_normal_draws(columns: int, stream: int) -> Floats:
    """Return standard normal draws of shape (2000, columns), the same in every call."""
    return freeze_array(np.random.default_rng((_SEED, stream)).normal(size=(SIMULATION_RUNS, columns)))


@lru_cache(maxsize=8)
def _draw_laplace_noises(stream: int) -> Floats:
    return freeze_array(np.random.default_rng((_SEED, stream, 1)).laplace(size=(3, SIMULATION_RUNS)))


def simulate_noisy_sums(
    n: int, mean: float, sd: float, epsilon: float, stream: int = 0, has_private_size: bool = False
) -> tuple[Floats, Floats, Floats]:
    """Return noisy sums of 1, z and z^2 of 2,000 samples of normal records clipped to -1 and 1.

    The first sum has noise if the number of records is private.
    """
    if n <= MAX_DRAWN_RECORDS:
        z = np.clip(mean + sd * get_normal_draws(MAX_DRAWN_RECORDS, stream)[:, :n], -1.0, 1.0)
        first, second = z.sum(axis=1), (z * z).sum(axis=1)
    else:
        values = np.clip(mean + sd * ndtri((np.arange(_GRID_POINTS) + 0.5) / _GRID_POINTS), -1.0, 1.0)
        powers = np.stack([values, values * values])
        drawn = (
            get_normal_draws(MAX_DRAWN_RECORDS, stream)[:, :2] @ compute_matrix_root(n * np.cov(powers, bias=True)).T
        )
        first, second = (n * powers.mean(axis=1) + drawn).T
    noise, size = _draw_laplace_noises(stream), np.full(SIMULATION_RUNS, float(n))
    if has_private_size:
        number, first_noise, square_noise = PARABOLA_BASIS @ noise / epsilon
        return size + number, first + first_noise, second + square_noise
    return size, first + 2.0 / epsilon * noise[0], second + 4.0 / epsilon * noise[1]


def compute_matrix_root(covariance: Floats) -> Floats:
    """Return a matrix whose product with its transpose is a covariance matrix, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    root: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return root


def count_allowed_draws(alpha: float, excluded: float, draws: int) -> int:
    """Return the largest number of draws at least as extreme as a rejected observation; -1 if none is rejected."""
    return math.floor((alpha - excluded) * (draws + 1) + 1e-9) - 1


def find_critical_value(values: Floats, n_beyond: int) -> float:
    """Return the value that is exceeded by observations that at most `n_beyond` of the values reach."""
    index = values.size - 1 - n_beyond
    return float(np.partition(values, index)[index])


def transform_to_alternative(values: Floats, alternative: str) -> Floats:
    """Transform statistics so that large values support the alternative."""
    return {"two-sided": np.abs(values), "less": -values}.get(alternative, values)


def _make_noisy_sums(n: int, epsilon: float, has_private_size: bool, is_normal: bool) -> NoisySums:
    number, first, second = _make_noise_mixing(epsilon, has_private_size).coefficients
    return NoisySums((float(n), 0.0, 0.0), (number, first, second), "laplace", n, is_normal)


def _make_noise_mixing(epsilon: float, has_private_size: bool) -> group_means.NoiseMixing:
    """Return the mixing of noises of scale 1 into the sums of 1, z and z^2."""
    if not has_private_size:
        return group_means.NoiseMixing.from_epsilon(epsilon)
    number, first, second = (tuple(row) for row in (PARABOLA_BASIS / epsilon).tolist())
    return group_means.NoiseMixing((number, first, second))


def _find_plausible_by_release(observed: Floats, low: Floats, high: Floats) -> BooleanArray:
    """Return a mask of the variances, in rows, that are plausible for each observation.

    A variance is too small if the observation is above `high`, and too large if it is not above `low`.
    """
    is_small, is_large = observed > high[:, None], observed <= low[:, None]
    is_inside = ~(is_small | is_large)
    is_plausible = is_inside.copy()
    is_plausible[1:] |= is_inside[:-1]
    is_plausible[:-1] |= is_inside[1:]
    for column in np.flatnonzero(~is_inside.any(axis=0)).tolist():
        is_plausible[:, column] = find_plausible_variances(is_small[:, column], is_large[:, column])
    return is_plausible


def compute_one_sample_power(
    n: int,
    epsilon: float,
    effect: float,
    sd: float,
    mean: float,
    alpha: float,
    alternative: str,
    has_private_size: bool = False,
    is_normal: bool = False,
) -> float:
    """Compute the power of the noisy t test, which may assume normal records."""
    distribution = make_t_distribution(_make_noisy_sums(n, epsilon, has_private_size, is_normal), mean, n)
    draws, noises, grid = (
        distribution.get_reference_draws(),
        distribution.compute_noises(),
        distribution.make_variance_grid(),
    )
    size = noises[0].size
    # for a private number of records, implausible numbers are excluded, too
    excluded_probability = 2.0 * EXCLUDED_PROBABILITY if has_private_size else EXCLUDED_PROBABILITY
    beyond, n_outside = count_allowed_draws(alpha, excluded_probability, size), int(0.5 * EXCLUDED_PROBABILITY * size)
    if beyond < 0:
        return 0.0
    number, first, second = simulate_noisy_sums(n, mean + effect * sd, sd, epsilon, has_private_size=has_private_size)
    first, second = first - number * mean, second - 2.0 * mean * first + number * mean * mean

    def compute_critical_value(sums: Floats, squares: Floats, variance: float, slack: float = 0.0) -> float:
        min_square_sum = distribution.bound_square_sum(variance)
        noisy_sums = sums + slack * (squares < min_square_sum) + noises[0]
        return find_critical_value(
            transform_to_alternative(
                noisy_sums / np.sqrt(np.maximum(squares, min_square_sum) + distribution.noise_variance), alternative
            ),
            beyond,
        )

    low, high, limits = (np.empty(grid.size) for _ in range(3))
    for index, variance in enumerate(grid.tolist()):
        shape_limits = []
        for shape in distribution.get_shapes(variance):
            sums, squares = simulate_centered_sums(draws, n, mean, variance, shape)
            squares = squares + noises[1]
            shape_limits.append(
                (*find_tail_values(squares, n_outside), compute_critical_value(sums, squares, variance))
            )
        lows, highs, values = zip(*shape_limits)
        low[index], high[index], limits[index] = min(lows), max(highs), max(values)
    is_plausible = _find_plausible_by_release(second, low, high)
    rejected = np.ones(SIMULATION_RUNS, dtype=bool)
    for index in np.flatnonzero(is_plausible.any(axis=1)).tolist():
        statistics = transform_to_alternative(
            _compute_t_statistics(distribution, first, second, float(grid[index])), alternative
        )
        rejected &= ~is_plausible[index] | (statistics > limits[index])
    lowest = grid[is_plausible.argmax(axis=0)]
    highest = grid[grid.size - 1 - is_plausible[::-1].argmax(axis=0)]
    for shape in (UPWARD_SHAPE, DOWNWARD_SHAPE):
        for variance, slack in distribution.get_jump_variances(shape):
            is_tested = rejected & (lowest <= variance) & (variance <= highest)
            if is_tested.any():
                sums, squares = simulate_centered_sums(draws, n, mean, variance, shape)
                statistics = transform_to_alternative(
                    _compute_t_statistics(distribution, first, second, variance), alternative
                )
                rejected &= ~is_tested | (
                    statistics > compute_critical_value(sums, squares + noises[1], variance, slack)
                )
    return float(rejected.mean())


def find_tail_values(squares: Floats, n_outside: int) -> tuple[float, float]:
    """Return the values with ranks `n_outside` + 1 from below and from above."""
    arranged = np.partition(squares, (n_outside, squares.size - 1 - n_outside))
    return float(arranged[n_outside]), float(arranged[squares.size - 1 - n_outside])


def _compute_t_statistics(distribution: NoisyTDistribution, first: Floats, second: Floats, variance: float) -> Floats:
    return first / np.sqrt(np.maximum(second, distribution.bound_square_sum(variance)) + distribution.noise_variance)


class _PlausibleVariances(NamedTuple):
    """Grid of variances of a group, and the releases for which each is plausible."""

    grid: list[float]
    is_plausible: BooleanArray
    means: Floats
    estimates: Floats
    min_squares: list[float]


def _find_group_variances(group: WelchGroup, n: int, observed_sums: tuple[Floats, Floats]) -> _PlausibleVariances:
    distribution = group.distribution
    grid = make_variance_grid(1.0 - distribution.mean * distribution.mean, distribution.floor, n, _VARIANCE_POINTS)
    estimates = estimate_variance(n, *observed_sums, distribution.noise_variance)
    low, high = np.empty(grid.size), np.empty(grid.size)
    for index, variance in enumerate(grid.tolist()):
        estimate_draws = [group.simulate_moments(variance, shape)[1] for shape in distribution.get_shapes(variance)]
        limits = [find_tail_values(drawn, int(0.5 * EXCLUDED_PROBABILITY * drawn.size)) for drawn in estimate_draws]
        low[index], high[index] = (
            min(limit[0] for limit in limits),
            max(limit[1] for limit in limits),
        )
    is_plausible = _find_plausible_by_release(estimates, low, high)
    is_ever_plausible = is_plausible.any(axis=1)
    variances = grid[is_ever_plausible].tolist()
    min_squares = [bound_square_sum(n, distribution.mean, variance) / n**2 for variance in variances]
    return _PlausibleVariances(variances, is_plausible[is_ever_plausible], observed_sums[0] / n, estimates, min_squares)


def compute_two_sample_power(
    sizes: tuple[int, int],
    epsilon: float,
    effect: float,
    sd: float,
    alpha: float,
    alternative: str,
    has_private_size: bool = False,
    is_normal: bool = False,
) -> float:
    """Compute the power of the noisy Welch test for two groups whose overall mean is in the middle of the bounds.

    The test may assume normal records.
    """
    n1, n2 = sizes
    first_known, second_known = (_make_noisy_sums(n, epsilon, has_private_size, is_normal) for n in sizes)
    groups = make_welch_groups((first_known, second_known), 0.0)
    beyond = count_allowed_draws(alpha, 2.0 * EXCLUDED_PROBABILITY, groups[0].noises[0].size)
    if beyond < 0:
        return 0.0
    means = effect * sd * n2 / (n1 + n2), -effect * sd * n1 / (n1 + n2)
    observed_sums = []
    for index, (n, mean) in enumerate(zip(sizes, means)):
        number, *sums = simulate_noisy_sums(n, mean, sd, epsilon, index, has_private_size)
        # the test scales the sums by the noisy number of records
        first_sums, second_sums = (noisy * (n / np.maximum(number, 1.0)) for noisy in sums)
        observed_sums.append((first_sums, second_sums))
    first, second = (_find_group_variances(*arguments) for arguments in zip(groups, sizes, observed_sums))
    noise = sum(group.noise_variance for group in groups)
    floor = sum(group.distribution.floor / group.distribution.n**2 for group in groups)
    square = first.estimates / n1 + second.estimates / n2
    distance = first.means - second.means
    rejected = np.ones(SIMULATION_RUNS, dtype=bool)
    drawn = [
        [[group.simulate_moments(variance, shape) for shape in SHAPES] for variance in plausible.grid]
        for group, plausible in zip(groups, (first, second))
    ]
    for i, row in enumerate(drawn[0]):
        for j, column in enumerate(drawn[1]):
            sums = first.is_plausible[i] & second.is_plausible[j] & rejected
            if not sums.any():
                continue
            min_square, limit = max(floor, first.min_squares[i] + second.min_squares[j]), -math.inf
            for shapes in get_shape_pairs(groups):
                (mean1, part1), (mean2, part2) = row[shapes[0]], column[shapes[1]]
                total = np.maximum(part1 / n1 + part2 / n2, min_square) + noise
                limit = max(
                    limit,
                    find_critical_value(
                        transform_to_alternative((mean1 - mean2) / np.sqrt(total), alternative), beyond
                    ),
                )
            statistics = transform_to_alternative(
                distance / np.sqrt(np.maximum(square, min_square) + noise), alternative
            )
            rejected &= ~sums | (statistics > limit)
    return float(rejected.mean())


def make_spaced_means(groups: int, effect: float) -> Floats:
    """Return evenly spaced means around 0, the largest less the smallest being `effect`."""
    return effect * (np.arange(groups) / (groups - 1) - 0.5)


def compute_several_means_power(
    sizes: tuple[int, ...],
    epsilon: float,
    effect: float,
    sd: float,
    alpha: float,
    has_private_size: bool = False,
    is_normal: bool = False,
) -> float:
    """Compute the power of the noisy analysis of variance for evenly spaced means.

    The critical values of five of the releases are used in turn, and the resulting powers are averaged.
    """
    means = sd * make_spaced_means(len(sizes), effect)
    releases = [
        simulate_noisy_sums(n, float(mean), sd, epsilon, i, has_private_size)
        for i, (n, mean) in enumerate(zip(sizes, means))
    ]
    number, first, second = (np.stack(values, axis=1) for values in zip(*releases))
    noise = _make_noise_mixing(epsilon, has_private_size)
    statistics = group_means.compute_welch_statistic(np.array([number, first, second]), noise).statistic
    limits = []
    for row in range(TYPICAL_RELEASES):
        references = group_means.simulate_references(
            (number[row], first[row], second[row]), sizes, noise, not is_normal
        )
        beyond = count_allowed_draws(alpha, group_means.NUISANCE_PROBABILITY, references[0].size)
        if beyond < 0:
            return 0.0
        limits.append(max(find_critical_value(values, beyond) for values in references))
    return float(np.mean([(statistics > limit).mean() for limit in limits]))
