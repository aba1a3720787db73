"""Staircase noise: its distribution, and that a shift by the sensitivity costs epsilon on the grid."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from pydpstat.mechanisms import LaplaceNoise, Staircase, StaircaseNoise
from pydpstat.random.source import SYSTEM

# of each p-value; the bits are seeded, so that it is the same each time
FALSE_ALARM = 1e-6
DRAWS = 200_000
CASES = [(0.3, 1.0), (1.0, 2.0), (4.0, 0.75), (9.0, 1.0)]


def weights(noise, grid, count):
    """Probabilities of the magnitudes 0, 1, ... in grid units, from the definition."""
    period = math.ceil(noise.sensitivity / grid)
    step = max(1, round(noise.share * period))
    m = np.arange(count)
    falls = m // period + (m % period >= step)
    each = np.exp(-noise.epsilon * falls)
    both = np.where(m == 0, 1.0, 2.0)
    # beyond the count, a geometric series of periods
    whole = step + math.exp(-noise.epsilon) * (period - step)
    total = 2.0 * whole / -math.expm1(-noise.epsilon) - 1.0
    return each / total, each * both / total


@pytest.mark.parametrize("epsilon, sensitivity", CASES)
def test_cdf_ppf_and_variance(epsilon, sensitivity):
    noise = StaircaseNoise(epsilon, sensitivity)
    q = np.linspace(0.0005, 0.9995, 1999)
    assert np.allclose(noise.cdf(noise.ppf(q)), q, rtol=1e-12, atol=1e-14)
    assert noise.cdf(-np.inf) == 0.0 and noise.cdf(np.inf) == 1.0 and noise.cdf(0.0) == 0.5
    # the integral of x^2 over the steps, each of constant density
    k = np.arange(math.ceil(60.0 / epsilon))
    edges = sensitivity * np.stack([k, k + noise.share, k + 1.0])
    cubes, falls = np.diff(edges**3, axis=0) / 3.0, np.exp(-epsilon * np.stack([k, k + 1.0]))
    masses = (np.diff(edges, axis=0) * falls).sum()
    assert noise.var() == pytest.approx((cubes * falls).sum() / masses, rel=1e-9)
    assert noise.std() < LaplaceNoise(sensitivity / epsilon).std()
    assert np.isnan(noise.ppf(1.5)) and noise.ppf(0.0) == -np.inf and noise.ppf(1.0) == np.inf


@pytest.mark.parametrize("epsilon, sensitivity", CASES)
def test_no_shift_on_the_grid_costs_more_than_epsilon(epsilon, sensitivity):
    noise, grid = StaircaseNoise(epsilon, sensitivity), sensitivity / 53.7
    period = math.ceil(sensitivity / grid)
    single, _ = weights(noise, grid, 12 * period)
    logs = np.log(np.concatenate([single[:0:-1], single]))
    for shift in range(1, period + 1):
        assert np.abs(logs[shift:] - logs[:-shift]).max() <= epsilon * (1.0 + 1e-12)
    # and it is needed: one unit more costs two steps somewhere
    beyond = period + 1
    assert np.abs(logs[beyond:] - logs[:-beyond]).max() > epsilon * 1.5


@pytest.mark.slow
@pytest.mark.parametrize("rare", [False, True], ids=["often", "seldom"])
@pytest.mark.parametrize("epsilon, sensitivity", CASES)
def test_draws_on_a_coarse_grid_have_the_exact_probabilities(monkeypatch, epsilon, sensitivity, rare):
    if rare:
        # the way of a large epsilon, where all of its branches are taken
        monkeypatch.setattr("pydpstat.mechanisms.staircase._RARE_EPSILON", 0.0)
    size = DRAWS // 10 if rare else DRAWS
    noise, grid = StaircaseNoise(epsilon, sensitivity), sensitivity / 11.3
    drawn = np.asarray(noise.draw(SYSTEM, size, grid), dtype=np.int64)
    assert abs(int((drawn > 0).sum()) - int((drawn < 0).sum())) < 6.0 * math.sqrt(size)
    sizes = np.abs(drawn)

    def p_value(kind):
        _, expected = weights(kind, grid, 4000)
        counts = np.bincount(np.minimum(sizes, 3999), minlength=4000)[:4000]
        keep = expected * size > 10.0
        observed = np.append(counts[keep], size - counts[keep].sum())
        masses = np.append(expected[keep], max(1.0 - expected[keep].sum(), 1e-12))
        if masses[-1] * size < 5.0:
            observed, masses = observed[:-1], masses[:-1] / masses[:-1].sum()
        return stats.chisquare(observed, masses * observed.sum()).pvalue

    assert p_value(noise) > FALSE_ALARM
    for factor in (0.8, 1.25) if rare else (0.95, 1.05):
        assert p_value(StaircaseNoise(epsilon * factor, sensitivity)) < FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("epsilon, sensitivity", CASES)
def test_draws_on_a_fine_grid_and_seeded_ones_have_the_distribution(epsilon, sensitivity):
    noise, grid = StaircaseNoise(epsilon, sensitivity), math.ldexp(1.0, -22)
    exact = np.asarray(noise.draw(SYSTEM, DRAWS, grid), dtype=np.float64) * grid

    class Uniforms:
        def uniform(self, size):
            return np.random.default_rng(3).uniform(size=size)

    for sample in (exact, noise.draw(Uniforms(), DRAWS, None)):
        assert stats.kstest(sample, noise.cdf).pvalue > FALSE_ALARM
        for factor in (0.97, 1.03):
            assert stats.kstest(sample * factor, noise.cdf).pvalue < FALSE_ALARM


def test_large_noise_is_drawn_in_integers():
    noise, grid = StaircaseNoise(1e-4, 2.0**40), 2.0**-20
    drawn = noise.draw(SYSTEM, 100, grid)
    assert all(float(each).is_integer() for each in drawn) and len(set(map(int, drawn))) == 100
    assert stats.kstest(drawn.astype(np.float64) * grid, noise.cdf).pvalue > FALSE_ALARM
    assert stats.kstest(drawn.astype(np.float64) * grid * 2.0, noise.cdf).pvalue < 1e-3


def test_a_vector_divides_epsilon():
    mechanism = Staircase()
    assert mechanism.calibrate_vector(1.0, 0.0, 2.0, 1, False) == StaircaseNoise(1.0, 2.0)
    assert mechanism.calibrate_vector(1.0, 0.0, 2.0, 5, True) == StaircaseNoise(0.5, 1.0)
    assert mechanism.calibrate_vector(1.0, 0.0, 2.0, 4, False) == StaircaseNoise(0.25, 2.0)
    each = mechanism.calibrate_each(1.0, 0.0, (1.0, 3.0))
    assert [noise.epsilon for noise in each.noises] == [0.5, 0.5]
    assert each.scale.tolist() == [2.0, 6.0]


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [30.0, 100.0, 1e9])
def test_a_large_epsilon_is_drawn_at_once(epsilon):
    noise = StaircaseNoise(epsilon, 1.0)
    grid = 2.0 ** math.floor(math.log2(noise.share if epsilon == 30.0 else noise.scale) - 20)
    drawn = np.asarray(noise.draw(SYSTEM, 2000, grid), dtype=np.float64) * grid
    # the middle step, of which nearly all values are
    assert np.abs(drawn).max() <= max(noise.share, grid)
    if epsilon == 30.0:
        uniform = stats.kstest(np.abs(drawn), stats.uniform(0.0, noise.share).cdf)
        wider = stats.kstest(np.abs(drawn), stats.uniform(0.0, 1.2 * noise.share).cdf)
        assert uniform.pvalue > FALSE_ALARM > wider.pvalue


def test_where_few_candidates_would_be_accepted_the_share_outside_of_the_middle_step_is_exact():
    noise, grid, draws = StaircaseNoise(12.0, 1.0), 2.0**-12, 20_000
    middle = max(1, round(noise.share * 2**12))
    share = 1.0 - weights(noise, grid, middle)[1].sum()
    outside = (np.abs(noise.draw(SYSTEM, draws, grid)) >= middle).sum()
    # about 49 of 20,000
    assert stats.binomtest(int(outside), draws, share).pvalue > FALSE_ALARM
    assert stats.binomtest(int(outside), draws, share / 10.0).pvalue < FALSE_ALARM
