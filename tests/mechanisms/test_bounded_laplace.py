"""Laplace noise within limits: the epsilon it keeps, its distribution, and its interval."""

import math

import numpy as np
import pytest
from scipy import stats

import pydpstat
from pydpstat import PydpstatError
from pydpstat.mechanisms import BoundedLaplace, BoundedLaplaceNoise, LaplaceNoise
from tests.pipeline_calls import on_grid

FALSE_ALARM = 1e-6


def truncated_cdf(noise, truth):
    lower, upper = noise.limits
    plain = LaplaceNoise(noise.scale)
    low, high = plain.cdf(lower - truth), plain.cdf(upper - truth)
    return lambda y: np.clip((plain.cdf(np.asarray(y) - truth) - low) / (high - low), 0.0, 1.0)


def worst(noise, sensitivity):
    """The largest log ratio of densities between truths that are at most the sensitivity apart."""
    lower, upper = noise.limits
    plain, y = LaplaceNoise(noise.scale), np.linspace(lower, upper, 401)
    found = 0.0
    for truth in np.linspace(lower, upper, 101):
        for other in truth + sensitivity * np.array([1.0, 0.7, 0.2]):
            if other <= upper:
                one, two = (
                    np.abs(y - each) / noise.scale + np.log(plain.cdf(upper - each) - plain.cdf(lower - each))
                    for each in (truth, other)
                )
                found = max(found, float(np.abs(one - two).max()))
    return found


@pytest.mark.parametrize(
    "epsilon, sensitivity", [(0.01, 0.1), (0.01, 9.0), (1.0, 2.0), (3.0, 9.0), (20.0, 0.1), (20.0, 2.0)]
)
def test_the_epsilon_asked_for_is_kept_and_used(epsilon, sensitivity):
    noise = BoundedLaplace(-3, 7).calibrate(epsilon, 0.0, sensitivity)
    assert noise.epsilon(sensitivity) <= epsilon
    assert worst(noise, sensitivity) <= epsilon
    # the grid's share is left to spare, and where one record can move all the way the midpoint counts
    if sensitivity <= 5.0:
        assert worst(noise, sensitivity) >= 0.999 * epsilon
    assert sensitivity / epsilon < noise.scale <= 2.0 * sensitivity / epsilon * (1.0 + 1e-9)


def test_plain_laplace_noise_within_limits_would_not_keep_it():
    assert worst(BoundedLaplaceNoise(1.0, (0.0, 10.0)), 1.0) > 1.48


@pytest.mark.slow
def test_the_draws_have_the_truncated_distribution():
    values, draws, how = [10.0, 30.0], 1500, {"bounds": (0, 40), "mechanism": BoundedLaplace(0, 40)}
    results = [pydpstat.mean(values, 5.0, **how) for _ in range(draws)]
    noise, sample = results[0].noise, np.array([float(each) for each in results])
    assert all(on_grid(each) for each in results[:50]) and sample.min() >= 0.0 and sample.max() <= 40.0
    assert stats.kstest(sample, truncated_cdf(noise, 20.0)).pvalue > FALSE_ALARM
    for factor in (0.5, 2.0):
        other = BoundedLaplaceNoise(noise.scale * factor, noise.limits)
        assert stats.kstest(sample, truncated_cdf(other, 20.0)).pvalue < FALSE_ALARM
    ends = np.array([noise.interval(np.array(each), 0.1) for each in sample])
    assert ends.min() >= 0.0 and ends.max() <= 40.0
    assert results[0].conf_int(0.1).iloc[0].tolist() == ends[0].tolist()
    covered = np.mean((ends[:, 0] <= 20.0) & (ends[:, 1] >= 20.0))
    # binomial trials of 0.9, five standard deviations
    assert abs(covered - 0.9) < 5.0 * math.sqrt(0.09 / draws)


def test_the_interval_has_the_truths_with_neither_tail():
    noise = BoundedLaplaceNoise(3.0, (0.0, 10.0))
    low, _ = noise.interval(np.array(8.0), 0.2)
    assert truncated_cdf(noise, float(low))(8.0) == pytest.approx(0.9, abs=1e-9)
    _, high = noise.interval(np.array(2.0), 0.2)
    assert truncated_cdf(noise, float(high))(2.0) == pytest.approx(0.1, abs=1e-9)
    # at a limit every truth on that side is possible
    assert noise.interval(np.array([0.0, 10.0]), 0.2)[0][0] == 0.0


def test_seeded_draws_are_drawn_again_too():
    call = dict(bounds=(0, 40), mechanism=BoundedLaplace(0, 40))
    sample = [float(pydpstat.mean([1.0, 2.0], 0.5, **call, rng=seed)) for seed in range(200)]
    assert min(sample) >= 0.0 and max(sample) <= 40.0


@pytest.mark.parametrize("limits", [(1, 1), (2, 1), (0, math.inf), (math.nan, 1), ("a", 1)])
def test_wrong_limits(limits):
    with pytest.raises(PydpstatError, match="limit"):
        BoundedLaplace(*limits)


def test_a_vector_is_refused_before_anything_is_spent():
    budget = pydpstat.Budget(1.0)
    with pytest.raises(PydpstatError, match="one number"):
        pydpstat.histogram([1, 2, 3], 1.0, edges=[0, 2, 4], mechanism=BoundedLaplace(0, 3), budget=budget)
    assert budget.spent.epsilon == 0.0
