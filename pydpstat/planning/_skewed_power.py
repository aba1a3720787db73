"""Power of tests of means with sums of cubes, by simulation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from pydpstat._frozen import freeze_array
from pydpstat._null_distributions.means.noisy_t import CubeSum, NoisySums, Row, find_plausible_sizes
from pydpstat._null_distributions.means.skewed_groups import make_skewed_groups
from pydpstat._null_distributions.means.skewed_shapes import RARE_VARIANCE_SHARES, CenteredSums, compute_centered_powers
from pydpstat._null_distributions.means.skewed_t import (
    EXCLUDED_PROBABILITY,
    SKEWNESS_SIDES,
    SkewedTDistribution,
    compare_moments,
    make_plausible_variances,
    make_skewed_distribution,
)
from pydpstat.planning._mean_power import (
    MAX_DRAWN_RECORDS,
    SIMULATION_RUNS,
    TYPICAL_RELEASES,
    compute_matrix_root,
    count_allowed_draws,
    find_critical_value,
    get_normal_draws,
    transform_to_alternative,
)
from pydpstat.r_arithmetic.elementary import Floats

_SEED = 2_719
_GRID_POINTS = 20_000
# largest ratio of successive variances, and the largest number of them
_VARIANCE_RATIO, _MAX_VARIANCES = 1.1, 40


def find_rejected_releases(
    distribution: SkewedTDistribution, observed: CenteredSums, alpha: float, alternative: str, excluded: float
) -> npt.NDArray[np.bool_]:
    """Return a mask of the simulated releases that the test rejects at a level."""
    size = distribution.draws.size
    beyond, tail = count_allowed_draws(alpha, excluded, size), 0.25 * EXCLUDED_PROBABILITY
    is_rejected = np.full(observed.first.size, beyond >= 0)
    if beyond < 0:
        return is_rejected
    variances = _make_common_variances(distribution, observed, tail)
    plausible_masks = []
    limits: list[dict[tuple[int, int], float]] = []
    for side in SKEWNESS_SIDES:
        plausible_masks.append(compare_moments(distribution, observed, variances, side, tail).find_plausible())
        side_limits = {}
        for row, column in np.argwhere(plausible_masks[-1].any(axis=-1)).tolist():
            variance = float(variances[column])
            values = distribution.compute_statistic(
                distribution.simulate_sums(variance, side, RARE_VARIANCE_SHARES[row]), variance
            )
            side_limits[row, column] = find_critical_value(transform_to_alternative(values, alternative), beyond)
        limits.append(side_limits)
    # the normal shape has no skewness: count it once
    plausible_masks[0][0] &= plausible_masks[1][0]
    plausible_masks[1][0] = False
    for side, is_plausible, side_limits in zip(SKEWNESS_SIDES, plausible_masks, limits):
        for (row, column), limit in side_limits.items():
            is_tested = is_plausible[row, column] & is_rejected
            if is_tested.any():
                value = transform_to_alternative(
                    distribution.compute_statistic(observed, float(variances[column])), alternative
                )
                is_rejected &= ~is_tested | (value > limit)
        columns = is_plausible[-1].any(axis=-1).nonzero()[0]
        if columns.size == 0:
            continue
        first = variances[is_plausible[-1].argmax(axis=0)]
        last = variances[variances.size - 1 - is_plausible[-1][::-1].argmax(axis=0)]
        for variance, slack in distribution.get_jump_variances(side):
            is_tested = is_rejected & is_plausible[-1].any(axis=0) & (first <= variance) & (variance <= last)
            if is_tested.any():
                drawn_sums = distribution.simulate_sums(variance, side, 1.0)
                moved_sums = drawn_sums._replace(
                    first=drawn_sums.first
                    + slack * (drawn_sums.second < distribution.t_distribution.bound_square_sum(variance))
                )
                limit = find_critical_value(
                    transform_to_alternative(distribution.compute_statistic(moved_sums, variance), alternative),
                    beyond,
                )
                is_rejected &= ~is_tested | (
                    transform_to_alternative(distribution.compute_statistic(observed, variance), alternative) > limit
                )
    return is_rejected


def _make_common_variances(distribution: SkewedTDistribution, observed: CenteredSums, tail: float) -> Floats:
    """Return a grid from the smallest to the largest variance that is plausible for any release."""
    variance_grids = []
    for index in (observed.second.argmin(), observed.second.argmax()):
        variance_grids.append(
            make_plausible_variances(
                distribution, CenteredSums(*(np.asarray(values[index]) for values in observed)), tail
            )
        )
    low, high = (
        min(float(values[values > 0.0].min(initial=1.0)) for values in variance_grids),
        max(float(values.max()) for values in variance_grids),
    )
    if high <= low:
        return np.unique(np.concatenate(variance_grids))
    n_intervals = min(max(int(np.ceil(np.log(high / low) / np.log(_VARIANCE_RATIO))), 4), _MAX_VARIANCES)
    grid = np.geomspace(low, high, n_intervals + 1)
    return np.append(0.0, grid) if min(float(values.min()) for values in variance_grids) == 0.0 else grid


NoiseCoefficients = tuple[Row, Row, Row, Row]


@lru_cache(maxsize=8)
def _draw_laplace_noises(stream: int) -> Floats:
    return freeze_array(np.random.default_rng((_SEED, stream)).laplace(size=(4, SIMULATION_RUNS)))


def _simulate_power_sums(n: int, noise: NoiseCoefficients, center: float, sd: float, stream: int) -> Floats:
    """Return noisy sums of 1, z, z^2 and z^3, in rows, of samples of normal records clipped to the bounds."""
    if n <= MAX_DRAWN_RECORDS:
        z = np.clip(center + sd * get_normal_draws(MAX_DRAWN_RECORDS, stream)[:, :n], -1.0, 1.0)
        exact = np.stack([(z**power).sum(axis=1) for power in (1, 2, 3)])
    else:
        z = np.clip(center + sd * ndtri((np.arange(_GRID_POINTS) + 0.5) / _GRID_POINTS), -1.0, 1.0)
        powers = np.stack([z, z * z, z**3])
        deviations = (
            get_normal_draws(MAX_DRAWN_RECORDS, stream)[:, :3] @ compute_matrix_root(n * np.cov(powers, bias=True)).T
        )
        exact = (n * powers.mean(axis=1) + deviations).T
    sums: Floats = np.vstack([np.full(SIMULATION_RUNS, float(n)), exact])
    return sums + np.array(noise) @ _draw_laplace_noises(stream)[: len(noise[-1])]


def _make_noisy_sums(n: int, noise: NoiseCoefficients, sums: Floats) -> NoisySums:
    *lower_noise, cube_noise = noise
    size, first, second, cubes = sums.tolist()
    return NoisySums(
        (size, first, second),
        (lower_noise[0], lower_noise[1], lower_noise[2]),
        "laplace",
        n,
        cube_sum=CubeSum(cubes, cube_noise),
    )


def compute_skewed_power(
    n: int,
    noise: NoiseCoefficients,
    mean: float,
    shift: float,
    sd: float,
    alpha: float,
    alternative: str,
    has_private_size: bool,
) -> float:
    """Compute the power for normal records clipped to the bounds; `noise` has the coefficients of the noises."""
    noisy_sums = _make_noisy_sums(n, noise, np.array([n, 0.0, 0.0, 0.0]))
    observed = compute_centered_powers(mean, *_simulate_power_sums(n, noise, mean + shift, sd, 0))
    excluded_probability = EXCLUDED_PROBABILITY
    if has_private_size:
        # some values of a private number of records are excluded, too
        excluded_probability += find_plausible_sizes(NoisySums(noisy_sums.sums, noisy_sums.noise, "laplace", None))[1]
    return float(
        find_rejected_releases(
            make_skewed_distribution(noisy_sums, mean, n), observed, alpha, alternative, excluded_probability
        ).mean()
    )


def compute_skewed_groups_power(
    sizes: tuple[int, ...],
    noise: NoiseCoefficients,
    means: Sequence[float],
    sd: float,
    alpha: float,
    alternative: str = "two-sided",
) -> float:
    """Compute the power of the comparison of groups of normal records with given means.

    The critical values of five of the releases are used in turn, and the resulting powers are averaged.
    """
    sums = []
    for stream, (n, mean) in enumerate(zip(sizes, means)):
        statistics = _simulate_power_sums(n, noise, mean, sd, stream)
        # the test scales the sums by the noisy number of records
        sums.append(statistics * (n / np.maximum(statistics[0], 1.0)))
    powers = []
    for run in range(TYPICAL_RELEASES):
        noisy_sums = [_make_noisy_sums(n, noise, group_sums[:, run]) for n, group_sums in zip(sizes, sums)]
        groups, rejected = make_skewed_groups(noisy_sums, 0.0, alternative), np.ones(SIMULATION_RUNS, dtype=bool)
        for shapes in groups.iterate_shapes():
            statistics = groups.simulate_statistics(shapes)
            if len(sizes) == 2:
                statistics = transform_to_alternative(statistics, alternative)
            if (beyond := count_allowed_draws(alpha, EXCLUDED_PROBABILITY, statistics.size)) < 0:
                return 0.0
            observed = groups.compare_releases(sums, shapes)
            observed = transform_to_alternative(observed, alternative) if len(sizes) == 2 else observed
            rejected &= observed > find_critical_value(statistics, beyond)
        powers.append(rejected.mean())
    return float(np.mean(powers))
