"""Intervals of the population's correlation: coverage, Fisher's limit, ranges and edges."""

import pickle

import numpy as np
import pandas as pd
import pytest
from levels import correlations as levels
from scipy import stats

import pydpstat
from pydpstat._null_distributions.proportions.shares import (
    CorrelationIntervals,
    CorrelationSpread,
    compute_population_limits,
    estimate_spread,
)
from pydpstat._null_distributions.weight_moments import PARABOLA_BASIS
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms.laplace import LaplaceNoise

RNG = np.random.default_rng(5)
NORMAL = RNG.multivariate_normal([1.0, -1.0], [[1.0, 0.6], [0.6, 1.0]], 2000)
BOUNDS = {"bounds": ((-5, 7), (-7, 5))}
ALMOST_WITHOUT_NOISE = 1e8
# the false-alarm rate of each simulated coverage, for a true share of misses of 0.05
FALSE_ALARMS = 1e-5
RUNS = 150


def population(release, alpha=0.05):
    return release.conf_int(alpha, kind="population").to_numpy()


WORST = [
    "normal 0, n 5000, epsilon 1000.0, public number",
    "t(4) 0.6, n 5000, epsilon 1000.0, public number",
    "unequal signs, n 1000, epsilon 2.0, public number",
    "normal 0.5, n 2000, epsilon 2.0, private number",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", WORST)
def test_intervals_miss_as_rarely_as_they_say(name):
    (setting,) = [each for each in levels.SETTINGS if each["name"] == name]
    missed = levels.misses(setting, RUNS, 3)
    assert missed <= stats.binom.isf(FALSE_ALARMS, RUNS, 0.05)
    # nor is it so wide that it would hardly miss
    assert name != WORST[0] or missed > stats.binom.ppf(FALSE_ALARMS, RUNS, 0.02)


@pytest.mark.slow
def test_the_simulation_finds_errors_that_are_too_small(monkeypatch):
    right = CorrelationSpread.compute_sd
    monkeypatch.setattr(CorrelationSpread, "compute_sd", lambda self, correlation: 0.5 * right(self, correlation))
    (setting,) = [each for each in levels.SETTINGS if each["name"] == WORST[0]]
    assert levels.misses(setting, RUNS, 4) > stats.binom.isf(FALSE_ALARMS, RUNS, 0.05)


@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-4])
def test_without_noise_it_is_fishers(alpha):
    x, y = NORMAL.T
    r = pydpstat.corr(x, y, ALMOST_WITHOUT_NOISE, **BOUNDS, rng=1)
    fisher = stats.pearsonr(x, y).confidence_interval(1.0 - alpha)
    widest = np.diff(population(r, alpha)[0])[0]
    # the kurtosis of a sample of 2,000 is within a tenth of that of the law
    assert 0.99 < widest / (fisher.high - fisher.low) < 1.06
    np.testing.assert_allclose(population(r, alpha)[0], [fisher.low, fisher.high], atol=0.004)


def test_what_the_sums_say_of_the_spread():
    z = (NORMAL - [1.0, -1.0]) / 6.0
    back = np.linalg.inv(PARABOLA_BASIS).T
    weights = [np.stack([np.ones(2000), each, each * each], axis=1) @ back for each in z.T]
    sums = tuple((weights[0].T @ weights[1]).ravel().tolist())
    u, v = ((each - each.mean()) / each.std() for each in z.T)
    found = estimate_spread(sums, 2000, 0.0)
    assert found.fourth_moment == pytest.approx(np.mean(u * u * v * v), rel=1e-9)
    assert found.fourth_limit == pytest.approx(found.fourth_moment, rel=1e-12) and found.size == 2000.0
    # nine noises are in the number, two standard deviations of which are taken off
    assert estimate_spread(sums, None, 10.0).size == pytest.approx(2000.0 - 2.0 * 3.0 * 10.0)
    assert estimate_spread(sums, None, 10.0).fourth_limit > found.fourth_limit


def test_a_sign_turns_the_interval():
    sums = (3625.0, 250.0, 625.0, 250.0, 500.0, 250.0, 625.0, 250.0, 3625.0)
    turned = tuple(np.array(sums).reshape(3, 3)[:, ::-1].ravel())
    low, high = compute_population_limits(sums, 10_000, LaplaceNoise(2.0), 0.05)
    assert compute_population_limits(turned, 10_000, LaplaceNoise(2.0), 0.05) == pytest.approx((-high, -low), rel=1e-9)


def test_groups_matrices_and_noise_of_other_kinds():
    groups = np.repeat(["u", "v"], 1000)
    frame = pd.DataFrame(NORMAL, columns=["a", "b"]).assign(c=RNG.normal(size=2000), g=groups)
    r = pydpstat.corr(frame, 20.0, bounds=(-7, 7), by="g", levels=["u", "v"], other=None, rng=1)
    (low, high), value = population(r).T, r.params.to_numpy()
    assert (low[value == 1.0] == 1.0).all() and (high[value == 1.0] == 1.0).all()
    related = (value > 0.4) & (value < 1.0)
    # that of a and b and that of b and a, in both groups
    assert related.sum() == 4 and np.unique(low[related]).size == 2
    assert (low[related] > 0.3).all() and (high[related] < 0.8).all()
    gaussian = pydpstat.corr(*NORMAL.T, 50.0, **BOUNDS, mechanism="gaussian", delta=1e-6, rng=1)
    assert 0.45 < population(gaussian)[0, 0] < 0.6 < population(gaussian)[0, 1] < 0.7
    assert (population(pickle.loads(pickle.dumps(gaussian))) == population(gaussian)).all()


def test_intervals_of_several_correlations_are_equal_to_nothing_but_themselves():
    one, other = (CorrelationIntervals(np.zeros(2), (), 10, None, None) for _ in range(2))
    # arrays of two values are neither equal nor not
    assert one == one and one != other and len({one, other}) == 2


def test_records_of_a_unit_are_no_independent_draws():
    persons = np.arange(2000) // 2
    r = pydpstat.corr(*NORMAL.T, 5.0, **BOUNDS, unit=persons, max_records=2, rng=1)
    with pytest.raises(PydpstatError, match="has no confidence interval for the population"):
        population(r)


def test_a_summary_has_both_intervals_and_what_they_rest_on():
    said = pydpstat.corr(*NORMAL.T, 5.0, **BOUNDS, rng=1).summary().as_text()
    assert "population [0.025" in said and "elliptical" in said
