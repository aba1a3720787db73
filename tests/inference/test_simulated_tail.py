"""Exponential tails beyond simulated statistics: never below laws whose hazard does not fall."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pydpstat._null_distributions.simulation import (
    MIN_TAIL_DEGREES,
    PVALUE_FLOOR,
    TAIL_PVALUE,
    SimulatedStatistics,
    compute_simulated_pvalue,
    find_simulated_critical_value,
)

SHARES = (np.arange(4095) + 0.5) / 4095
# laws of a statistic, and how many of its sides count
LAWS = {
    "normal": (stats.norm, 2),
    "Laplace": (stats.expon, 1),
    "uniform": (stats.uniform, 1),
    "t of the fewest degrees": (stats.t(MIN_TAIL_DEGREES), 2),
}


@pytest.mark.parametrize("name", LAWS)
def test_the_tail_is_above_the_law(name):
    law, sides = LAWS[name]
    for alpha in (0.004, 1e-3, 1e-4, 1e-5, 1e-6):
        assert sides * law.sf(float(find_simulated_critical_value(law.isf(SHARES / sides), alpha))) <= alpha


def test_of_independent_draws_it_is_rarely_below():
    rng, alpha, runs = np.random.default_rng(1), 1e-5, 400
    found = find_simulated_critical_value(rng.exponential(size=(runs, 4095)), alpha)
    # the mean excess has two standard errors on top: 2 % of the draws are below
    assert np.count_nonzero(np.exp(-found) > 1.1 * alpha) < 0.05 * runs
    # without them half would be
    assert np.median(-np.log10(np.exp(-found))) < 7.0


@given(st.floats(0.0, 40.0), st.floats(0.0, 40.0), st.integers(400, 3000), st.integers(1, 100))
@settings(max_examples=60)
def test_p_values_fall_and_agree_with_critical_values(one, other, count, seed):
    sizes = np.random.default_rng(seed).exponential(size=count)
    low, high = sorted((one, other))
    first, second = compute_simulated_pvalue(sizes, np.array([low, high]))
    assert PVALUE_FLOOR <= second <= first <= 1.0
    for alpha in (0.05, 0.01, 1e-3, 1e-5):
        at = float(find_simulated_critical_value(sizes, alpha))
        # at the critical value itself a simulated one may lie
        if alpha < TAIL_PVALUE:
            assert compute_simulated_pvalue(sizes, np.array([at * (1.0 - 1e-6)]))[0] > alpha * (1.0 - 1e-6)


def test_without_a_tail_nothing_is_below_one_over_the_draws():
    sizes = np.random.default_rng(1).exponential(size=999)
    assert compute_simulated_pvalue(sizes, np.array([1e6]), has_tail=False)[0] == 1e-3
    assert math.isinf(find_simulated_critical_value(sizes, 5e-4, has_tail=False)) and math.isinf(
        find_simulated_critical_value(sizes, 1e-7)
    )


def test_infinite_statistics_are_no_error():
    sizes = np.append(np.full(3000, np.inf), np.ones(1000))
    assert compute_simulated_pvalue(sizes, np.array([2.0]))[0] == pytest.approx(3001 / 4001)
    some = np.append(np.full(10, np.inf), np.ones(3990))
    # the tail has no end
    assert (
        compute_simulated_pvalue(some, np.array([2.0]))[0] == pytest.approx(11 / 4001, abs=0.003)
        and find_simulated_critical_value(some, 1e-4) > 1e9
    )


def simulated(seed, count, shape=()):
    """Statistics whose least error binds for some, with all that they owe to a normal number beside them."""
    rng = np.random.default_rng(seed)
    middle, t = rng.normal(0.0, 0.7, (*shape, count)), rng.standard_normal((*shape, count))
    spread, rest = rng.uniform(0.3, 1.0, middle.shape), rng.uniform(0.2, 1.5, middle.shape)
    least, part = np.full(middle.shape, 0.3), np.full(middle.shape, 0.05)
    g = middle + spread * t
    sizes = np.abs(g) / np.sqrt(np.maximum(rest + part * g * g, least))
    return SimulatedStatistics(sizes, middle, spread, rest, least, part)


@pytest.mark.slow
@pytest.mark.parametrize("size", [0.0, 0.4, 1.5, 3.0, 4.4, 5.0])
def test_the_normal_number_is_integrated(size):
    one = simulated(1, 40)
    t = stats.norm.isf((np.arange(200_000) + 0.5) / 200_000)[:, None]
    g = one.middle + one.spread * t
    beyond = np.abs(g) >= size * np.sqrt(np.maximum(one.rest + one.error_share * g * g, one.min_square))
    # each share is a step function of so many equal parts
    assert one.compute_tail_probabilities(np.array(size)) == pytest.approx(beyond.mean(), abs=1e-5)


def test_integrated_shares_spread_less_than_drawn_ones():
    many, at = simulated(2, 500, (400,)), np.array(2.2)
    drawn, integrated = (many.absolute_values >= at).mean(axis=-1), many.compute_tail_probabilities(np.full(400, at))
    assert abs(drawn.mean() - integrated.mean()) < 4.0 * drawn.std() / 20.0
    assert integrated.std() < 0.5 * drawn.std()


def test_statistics_without_a_normal_number_are_counted():
    sizes = np.random.default_rng(3).exponential(size=999)
    plain = SimulatedStatistics.from_draws(sizes)
    for size in (0.0, float(sizes[5]), 1.0, 3.0):
        assert plain.compute_tail_probabilities(np.array(size)) == pytest.approx((sizes >= size).mean(), abs=1e-15)
    assert plain.compute_pvalue(np.array([1e6]), has_tail=False)[0] == 1e-3
    assert (
        SimulatedStatistics.from_draws([math.inf, math.nan, 1.0, 2.0]).compute_tail_probabilities(np.array(3.0)) == 0.5
    )


@pytest.mark.parametrize("alpha", [0.95, 0.05, 1e-3])
def test_integrated_p_values_are_alpha_at_the_critical_value(alpha):
    many = simulated(4, 3000, (20,))
    found = many.compute_pvalue(many.compute_critical_value(alpha))
    # two steps on the logarithm; the tail below is exact
    assert found == pytest.approx(np.full(20, alpha), rel=0.005 if alpha >= TAIL_PVALUE else 1e-9)
