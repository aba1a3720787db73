"""Exponential tails beyond simulated statistics: never below laws whose hazard does not fall."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from pydpstat.inference._laws.reference import FLOOR
from pydpstat.inference._laws.simulated_tail import DEEP, DEGREES, critical, pvalue

SHARES = (np.arange(4095) + 0.5) / 4095
# laws of a statistic, and how many of its sides count
LAWS = {
    "normal": (stats.norm, 2),
    "Laplace": (stats.expon, 1),
    "uniform": (stats.uniform, 1),
    "t of the fewest degrees": (stats.t(DEGREES), 2),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("alpha", [0.004, 1e-3, 1e-4, 1e-5, 1e-6])
def test_the_tail_is_above_the_law(name, alpha):
    law, sides = LAWS[name]
    assert sides * law.sf(float(critical(law.isf(SHARES / sides), alpha))) <= alpha


@pytest.mark.parametrize("alpha", [1e-4, 1e-5, 1e-6])
def test_a_law_with_a_falling_hazard_is_not_covered(alpha):
    # why few records have no such tail
    at = float(critical(stats.t(4).isf(SHARES / 2.0), alpha))
    assert 2.0 * stats.t(4).sf(at) > 2.0 * alpha


def test_of_independent_draws_it_is_rarely_below():
    rng, alpha, runs = np.random.default_rng(1), 1e-5, 400
    found = critical(rng.exponential(size=(runs, 4095)), alpha)
    # the mean excess has two standard errors on top: 2 % of the draws are below
    assert np.count_nonzero(np.exp(-found) > 1.1 * alpha) < 0.05 * runs
    # without them half would be
    assert np.median(-np.log10(np.exp(-found))) < 7.0


@given(st.floats(0.0, 40.0), st.floats(0.0, 40.0), st.integers(400, 3000), st.integers(1, 100))
@settings(max_examples=60, deadline=None)
def test_p_values_fall_and_agree_with_critical_values(one, other, count, seed):
    sizes = np.random.default_rng(seed).exponential(size=count)
    low, high = sorted((one, other))
    first, second = pvalue(sizes, np.array([low, high]))
    assert FLOOR <= second <= first <= 1.0
    for alpha in (0.05, 0.01, 1e-3, 1e-5):
        at = float(critical(sizes, alpha))
        # at the critical value itself a simulated one may lie
        if alpha < DEEP:
            assert pvalue(sizes, np.array([at * (1.0 - 1e-6)]))[0] > alpha * (1.0 - 1e-6)


def test_without_a_tail_nothing_is_below_one_over_the_draws():
    sizes = np.random.default_rng(1).exponential(size=999)
    assert pvalue(sizes, np.array([1e6]), tail=False)[0] == 1e-3
    assert math.isinf(critical(sizes, 5e-4, tail=False)) and math.isinf(critical(sizes, 1e-7))


def test_infinite_statistics_are_no_error():
    sizes = np.append(np.full(3000, np.inf), np.ones(1000))
    assert pvalue(sizes, np.array([2.0]))[0] == pytest.approx(3001 / 4001)
    some = np.append(np.full(10, np.inf), np.ones(3990))
    # the tail has no end
    assert (
        pvalue(some, np.array([2.0]))[0] == pytest.approx(11 / 4001, abs=0.003) and critical(some, 1e-4) > 1e9
    )
