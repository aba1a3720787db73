"""Level and power of the t test with a sum of cubes."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from levels.means import LAWS, points
from scipy import stats

import pydpstat as dp
from pydpstat._null_distributions.means.mean_differences import compute_refined_t_pvalue
from pydpstat._null_distributions.means.noisy_t import CubeSum, NoisySums
from pydpstat._null_distributions.means.skewed_shapes import (
    RARE_VARIANCE_SHARES,
    CenteredSums,
    compute_shape_moments,
    compute_skewness_quantiles,
    draw_shape_reference,
    simulate_shape_sums,
)
from pydpstat._null_distributions.means.skewed_t import (
    EXCLUDED_PROBABILITY,
    compute_skewed_pvalue,
    make_skewed_distribution,
)
from pydpstat.inference.means._cubic_release import make_noise_mixing
from pydpstat.planning._skewed_power import find_rejected_releases

RUNS = 4_000
# normal records, and rare ones at a bound
_QUANTILES = LAWS["normal"][0].tolist()
RARE = {
    "one in 30": points([*_QUANTILES, 1.0], [*[0.97 / 200] * 200, 0.03]),
    "one in 15": points([*_QUANTILES, -1.0], [*[0.93 / 200] * 200, 0.07]),
}
LAWS_HERE = {**{name: LAWS[name] for name in ("normal", "exponential", "Bernoulli(.05)", "mostly 0")}, **RARE}


def released(law, n, epsilon, rng, noise=1.0):
    values, shares = law
    counts = rng.multinomial(n, shares, size=RUNS)
    mix = np.array(make_noise_mixing(epsilon, True))
    exact = np.stack([np.full(RUNS, float(n)), *(counts @ values**power for power in (1, 2, 3))])
    size, first, second, third = exact + noise * mix @ rng.laplace(size=(3, RUNS))
    mean = float(values @ shares)
    seen = CenteredSums(
        first - mean * size,
        second - 2 * mean * first + mean**2 * size,
        third - 3 * mean * second + 3 * mean**2 * first - mean**3 * size,
    )
    *rows, cubes = (tuple(row) for row in mix.tolist())
    known = NoisySums((float(n), 0.0, 0.0), tuple(rows), "laplace", n, cube_sum=CubeSum(0.0, cubes))
    return make_skewed_distribution(known, mean, n), seen


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS_HERE)
@pytest.mark.parametrize(("n", "epsilon"), [(30, 10.0), (110, 5.0), (110, 1000.0), (1000, 5.0)])
def test_the_level_is_kept(law, n, epsilon):
    rng = np.random.default_rng(n)
    share = find_rejected_releases(
        *released(LAWS_HERE[law], n, epsilon, rng), 0.05, "two-sided", EXCLUDED_PROBABILITY
    ).mean()
    # three standard errors
    assert share <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / RUNS)


@pytest.mark.slow
def test_too_much_noise_is_found():
    rng = np.random.default_rng(1)
    # where noise decides, 0.002 are rejected: the same noise is in the sum of squares
    law, seen = released(LAWS["beta(1, 200), at a bound"], 110, 5.0, rng, noise=3.0)
    assert find_rejected_releases(law, seen, 0.05, "two-sided", EXCLUDED_PROBABILITY).mean() > 0.1


@pytest.mark.slow
def test_the_power_does_not_fall_with_epsilon():
    powers = [dp.plan("ttest_1samp", each, n=110, effect=0.3).power for each in (0.5, 1, 2, 4, 10, 100, 1000)]
    # the same records for each, and another reference from 4 on
    assert all(later >= earlier - 0.01 for earlier, later in pairwise(powers))
    assert powers[-1] >= dp.plan("ttest_1samp", 1000, n=110, effect=0.3, shape="normal").power - 0.03


@pytest.mark.parametrize("share", [0.0, 0.35, 1.0])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_sums_have_the_moments_of_their_records(share, side):
    n, mean, variance = 400, 0.1, 0.06
    draws = draw_shape_reference(n, "laplace", 3, 13)
    sums = simulate_shape_sums(draws, n, mean, variance, side, share)
    far = 1.0 - side * mean
    part = share * variance
    third = side * part * (far - part / far)
    assert sums.first.mean() == pytest.approx(0.0, abs=0.02)
    assert sums.first.var() == pytest.approx(n * variance, rel=0.02)
    assert sums.second.mean() == pytest.approx(n * variance, rel=0.01)
    assert sums.third.mean() == pytest.approx(n * third, abs=0.05)
    # the mean of y^4, of two values and a normal variable in between
    fourth = part * (far**2 - part + (part / far) ** 2) + 6.0 * part * (variance - part) + 3.0 * (variance - part) ** 2
    assert np.cov(sums.first, sums.third)[0, 1] == pytest.approx(n * fourth, rel=0.03)
    moments = compute_shape_moments(mean, np.array([variance]), side)
    place = int(np.argmin(np.abs(np.array(RARE_VARIANCE_SHARES) - share)))
    if RARE_VARIANCE_SHARES[place] == share:
        usual = sums.second - side * sums.third / far
        assert usual.mean() == pytest.approx(n * moments.usual[place, 0], rel=0.02)


def test_a_normal_sample_has_this_skewness():
    scores = np.random.default_rng(1).normal(size=20_000)
    z = np.random.default_rng(2).normal(size=(20_000, 30))
    centered = z - z.mean(axis=1, keepdims=True)
    drawn = (centered**3).mean(axis=1) / (centered**2).mean(axis=1) ** 1.5
    shares = [0.01, 0.1, 0.5, 0.9, 0.99]
    assert np.allclose(
        np.quantile(compute_skewness_quantiles(30, scores), shares), np.quantile(drawn, shares), atol=0.05
    )


def test_small_p_values_go_on():
    rows = make_noise_mixing(100.0, True)
    z = np.random.default_rng(1).normal(0.2, 0.25, 400).clip(-1, 1)
    third = CubeSum(float((z**3).sum()), rows[3])
    known = NoisySums((400.0, float(z.sum()), float((z * z).sum())), rows[:3], "laplace", 400, cube_sum=third)
    assert compute_skewed_pvalue(known, 0.0)[1] < 1e-5
    far = float(z.mean()) - 4 * 0.0125
    ordinary = stats.ttest_1samp(z, far).pvalue
    # without cubes more skewed shapes are possible
    assert (
        ordinary
        < compute_skewed_pvalue(known, far)[1]
        < compute_refined_t_pvalue(replace(known, cube_sum=None), far)[1]
    )
