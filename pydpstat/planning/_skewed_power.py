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
    found = np.full(observed.first.size, beyond >= 0)
    if beyond < 0:
        return found
    variances = _make_common_variances(distribution, observed, tail)
    kept = []
    limits: list[dict[tuple[int, int], float]] = []
    for side in SKEWNESS_SIDES:
        kept.append(compare_moments(distribution, observed, variances, side, tail).find_plausible())
        own = {}
        for row, column in np.argwhere(kept[-1].any(axis=-1)).tolist():
            variance = float(variances[column])
            values = distribution.compute_statistic(
                distribution.simulate_sums(variance, side, RARE_VARIANCE_SHARES[row]), variance
            )
            own[row, column] = find_critical_value(transform_to_alternative(values, alternative), beyond)
        limits.append(own)
    # the normal shape has no skewness: count it once
    kept[0][0] &= kept[1][0]
    kept[1][0] = False
    for side, some, own in zip(SKEWNESS_SIDES, kept, limits):
        for (row, column), limit in own.items():
            there = some[row, column] & found
            if there.any():
                value = transform_to_alternative(
                    distribution.compute_statistic(observed, float(variances[column])), alternative
                )
                found &= ~there | (value > limit)
        columns = some[-1].any(axis=-1).nonzero()[0]
        if columns.size == 0:
            continue
        first = variances[some[-1].argmax(axis=0)]
        last = variances[variances.size - 1 - some[-1][::-1].argmax(axis=0)]
        for variance, slack in distribution.get_jump_variances(side):
            there = found & some[-1].any(axis=0) & (first <= variance) & (variance <= last)
            if there.any():
                drawn = distribution.simulate_sums(variance, side, 1.0)
                moved = drawn._replace(
                    first=drawn.first + slack * (drawn.second < distribution.t_distribution.bound_square_sum(variance))
                )
                limit = find_critical_value(
                    transform_to_alternative(distribution.compute_statistic(moved, variance), alternative),
                    beyond,
                )
                found &= ~there | (
                    transform_to_alternative(distribution.compute_statistic(observed, variance), alternative) > limit
                )
    return found


def _make_common_variances(distribution: SkewedTDistribution, observed: CenteredSums, tail: float) -> Floats:
    """Return a grid from the smallest to the largest variance that is plausible for any release."""
    ends = []
    for place in (observed.second.argmin(), observed.second.argmax()):
        ends.append(
            make_plausible_variances(distribution, CenteredSums(*(np.asarray(each[place]) for each in observed)), tail)
        )
    low, high = (
        min(float(each[each > 0.0].min(initial=1.0)) for each in ends),
        max(float(each.max()) for each in ends),
    )
    if high <= low:
        return np.unique(np.concatenate(ends))
    points = min(max(int(np.ceil(np.log(high / low) / np.log(_VARIANCE_RATIO))), 4), _MAX_VARIANCES)
    fine = np.geomspace(low, high, points + 1)
    return np.append(0.0, fine) if min(float(each.min()) for each in ends) == 0.0 else fine


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
        drawn = (
            get_normal_draws(MAX_DRAWN_RECORDS, stream)[:, :3] @ compute_matrix_root(n * np.cov(powers, bias=True)).T
        )
        exact = (n * powers.mean(axis=1) + drawn).T
    found: Floats = np.vstack([np.full(SIMULATION_RUNS, float(n)), exact])
    return found + np.array(noise) @ _draw_laplace_noises(stream)[: len(noise[-1])]


def _make_noisy_sums(n: int, noise: NoiseCoefficients, sums: Floats) -> NoisySums:
    *others, third = noise
    size, first, second, cubes = sums.tolist()
    return NoisySums(
        (size, first, second), (others[0], others[1], others[2]), "laplace", n, cube_sum=CubeSum(cubes, third)
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
    known = _make_noisy_sums(n, noise, np.array([n, 0.0, 0.0, 0.0]))
    seen = compute_centered_powers(mean, *_simulate_power_sums(n, noise, mean + shift, sd, 0))
    left_out = EXCLUDED_PROBABILITY
    if has_private_size:
        # some values of a private number of records are excluded, too
        left_out += find_plausible_sizes(NoisySums(known.sums, known.noise, "laplace", None))[1]
    return float(
        find_rejected_releases(make_skewed_distribution(known, mean, n), seen, alpha, alternative, left_out).mean()
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
        drawn = _simulate_power_sums(n, noise, mean, sd, stream)
        # the test scales the sums by the noisy number of records
        sums.append(drawn * (n / np.maximum(drawn[0], 1.0)))
    powers = []
    for run in range(TYPICAL_RELEASES):
        known = [_make_noisy_sums(n, noise, each[:, run]) for n, each in zip(sizes, sums)]
        groups, rejected = make_skewed_groups(known, 0.0, alternative), np.ones(SIMULATION_RUNS, dtype=bool)
        for points in groups.iterate_shapes():
            drawn = groups.simulate_statistics(points)
            if len(sizes) == 2:
                drawn = transform_to_alternative(drawn, alternative)
            if (beyond := count_allowed_draws(alpha, EXCLUDED_PROBABILITY, drawn.size)) < 0:
                return 0.0
            found = groups.compare_releases(sums, points)
            found = transform_to_alternative(found, alternative) if len(sizes) == 2 else found
            rejected &= found > find_critical_value(drawn, beyond)
        powers.append(rejected.mean())
    return float(np.mean(powers))
