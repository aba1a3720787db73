"""p-values far below a share of the draws: they agree with simulations, integrals and the others."""

import math

import numpy as np
import pytest
from scipy import stats

from pydpstat._null_distributions import tables
from pydpstat._null_distributions.means import group_means
from pydpstat._null_distributions.means.mean_differences import (
    WelchInterval,
    choose_refined_pvalue,
    compute_refined_t_pvalue,
    compute_two_sample_pvalue,
)
from pydpstat._null_distributions.means.noisy_t import NoisySums, compute_t_pvalue
from pydpstat._null_distributions.means.noisy_welch import (
    QuadraticSums,
    compute_conditional_tail,
    compute_noise_survival,
    compute_upper_mean,
    compute_welch_pvalue,
    draw_importance_sample,
)
from pydpstat._null_distributions.simulation import NORMAL_SHAPE, PVALUE_FLOOR, UPWARD_SHAPE
from pydpstat._null_distributions.tables import _sample_records_again, _sample_waits_again, estimate_small_tail

SIZED = ((0.0, 0.0), (2.0, 0.0), (0.0, 4.0))
PRIVATE = ((1.0, 1.0, 1.0), (-1.0, 0.0, 1.0), (1.0, -1.0, 1.0))


def sums(n, mean, variance=0.06, noise=SIZED, law="laplace"):
    size = n if noise is SIZED else None
    return NoisySums((float(n), n * mean, n * (variance + mean * mean)), noise, law, size)


@pytest.mark.parametrize("law", ["laplace", "normal"])
def test_stretched_points_have_the_probabilities_of_plain_ones(law):
    made = draw_importance_sample(12, law, 2, 13)
    noise = stats.laplace if law == "laplace" else stats.norm
    for drawn, weights, dist, least in (
        (made.draws.normal, made.compute_weights(NORMAL_SHAPE), stats.norm(), 1e-6),
        # whose tails alone are never the only thing that makes a statistic extreme
        (made.draws.chi2, made.compute_weights(NORMAL_SHAPE), stats.chi2(11), 1e-2),
        (made.draws.noises[1], made.compute_weights(UPWARD_SHAPE), noise(), 1e-5),
    ):
        for tail in (0.3, 1e-2, least):
            share = float((weights * (drawn > dist.isf(tail))).mean())
            # 4 standard errors of the weighted draws
            assert share == pytest.approx(tail, rel=0.4 if tail < 0.01 else 0.15), (dist, tail)
    shares = np.empty(8192)
    shares[made.draws.order] = made.draws.shares
    assert float((made.compute_weights(UPWARD_SHAPE) * (shares < 1e-6)).mean()) == pytest.approx(1e-6, rel=0.35)


@pytest.mark.parametrize("two", [0.0, -0.3])
@pytest.mark.parametrize("law", ["laplace", "normal"])
def test_one_noise_is_integrated_exactly(law, two):
    rng = np.random.default_rng(2)
    first, zero, one = rng.normal(0, 2, 40), rng.normal(2, 2, 40), rng.normal(0, 1, 40)
    form = QuadraticSums(first, 0.7, zero, one, two)
    y = np.linspace(-40.0, 40.0, 400_001)
    density = 0.5 * np.exp(-np.abs(y)) if law == "laplace" else np.exp(-0.5 * y * y) / math.sqrt(2 * math.pi)
    for turned in (form, form.invert_signs()):
        found = compute_conditional_tail(turned, 1.3, 0.4, law)
        for place, each in enumerate(found.tolist()):
            top = turned.first[place] + 0.7 * y
            square = turned.constant[place] + turned.linear[place] * y + two * y * y
            extreme = (top >= 0.4) & (top >= 1.3 * np.sqrt(np.maximum(square, 0.0)))
            # the ends of the extreme parts are right to a step of 2e-4
            assert each == pytest.approx(float(density[extreme].sum() * 2e-4), abs=4e-4)
    assert compute_noise_survival(np.array([0.0, 3.0]), law)[0] == 0.5


def test_the_first_p_value_counts_where_it_is_not_mostly_what_was_left_out():
    assert choose_refined_pvalue(0.0021, 0.001, 1e-5) == 0.0021 and choose_refined_pvalue(0.002, 0.001, 1e-5) == 1e-5
    assert (
        choose_refined_pvalue(0.002, 0.001, 0.00101) == 0.002
        and choose_refined_pvalue(0.0011, 0.001, 1e-9) == PVALUE_FLOOR
    )


@pytest.mark.slow
@pytest.mark.parametrize("noise", [SIZED, PRIVATE])
def test_p_values_fall_on_below_the_old_floor(noise):
    found = []
    for mean in (0.01, 0.03, 0.2):
        statistic, p = compute_refined_t_pvalue(sums(2000, mean, noise=noise), 0.0)
        plain = compute_t_pvalue(sums(2000, mean, noise=noise), 0.0)
        assert statistic == plain[0] and (p == plain[1] or plain[1] <= 0.004)
        found.append(p)
    assert found == sorted(found, reverse=True) and found[0] > 0.01 and found[-1] == PVALUE_FLOOR
    assert 1e-6 < found[1] < 2e-3


@pytest.mark.slow
def test_small_p_values_are_those_of_many_draws():
    # normal records and the noise of a public number: what a simulation of two million says, with 5 errors
    n, variance, mean = 1000, 0.06, 0.0345
    rng, draws = np.random.default_rng(3), 2_000_000
    normal = rng.standard_normal(draws)
    w = math.sqrt(n * variance) * normal + 2.0 * rng.laplace(size=draws)
    q = variance * (normal**2 + rng.chisquare(n - 1, draws)) + 4.0 * rng.laplace(size=draws)
    known = sums(n, mean, variance)
    statistic, p = compute_refined_t_pvalue(known, 0.0)
    plain = float((np.abs(w) >= statistic * np.sqrt(np.maximum(q, 4.0) + 8.0)).mean())
    assert plain - 5.0 * math.sqrt(plain / draws) < p < 20.0 * plain


def test_means_far_apart_have_a_p_value_below_what_the_first_sets_leave_out():
    pair = sums(1500, 0.03), sums(1000, -0.03)
    statistic, pvalue = compute_two_sample_pvalue(pair)
    # the statistic has longer tails than a normal variable
    assert max(PVALUE_FLOOR, 2.0 * stats.norm.sf(statistic)) < pvalue < 1e-4 < compute_welch_pvalue(pair)[1]


def test_the_bound_of_a_statistic_out_of_reach_is_what_the_wider_sets_leave_out():
    noise = np.array([2.0, 0.0]), np.array([0.0, 4.0])
    groups = [group_means.GroupSquares(40, 2.4, *noise, 8.0, 2.0, "laplace")] * 3
    assert group_means.bound_pvalue(groups, [0.0], 1e4, False) == pytest.approx(2e-7, rel=1e-6)


def test_a_one_sided_interval_of_a_difference_reaches_the_end_of_the_bounds_in_the_unit_of_the_data():
    pair = sums(300, 0.05), sums(200, -0.05)
    low, high = WelchInterval(pair, 3.0, "greater").compute_limits(0.05)
    assert -6.0 < low < 0.3 and high == 6.0


@pytest.mark.slow
def test_two_groups_and_one_sided_alternatives():
    pair = sums(1500, 0.03), sums(1000, -0.03)
    statistic, both = compute_two_sample_pvalue(pair)
    assert statistic == compute_welch_pvalue(pair)[0] and PVALUE_FLOOR < both < 1e-3
    _, greater = compute_two_sample_pvalue(pair, "greater")
    # half of it but for the most skewed records
    assert 0.4 * both < greater < both
    assert compute_two_sample_pvalue(pair, "less")[1] > 0.9
    assert compute_two_sample_pvalue((pair[1], pair[0]))[1] == pytest.approx(both, rel=0.2)
    _, one_sided = compute_refined_t_pvalue(sums(1000, -0.05), 0.0, "less")
    assert 0.45 < one_sided / compute_refined_t_pvalue(sums(1000, -0.05), 0.0)[1] < 1.0


@pytest.mark.slow
def test_several_groups_have_a_bound_that_is_no_less_than_what_is_simulated():
    rng, k, n, draws = np.random.default_rng(4), 3, 400, 400_000
    noise = group_means.NoiseMixing.from_epsilon(1.0)
    variance = 0.06
    normal = rng.standard_normal((draws, k))
    first = math.sqrt(n * variance) * normal + 2.0 * rng.laplace(size=(draws, k))
    second = variance * (normal**2 + rng.chisquare(n - 1, (draws, k))) + 4.0 * rng.laplace(size=(draws, k))
    found = group_means.compute_welch_statistic(
        np.array([np.full((draws, k), float(n)), first, second]), noise
    ).statistic
    groups = [
        group_means.GroupSquares(n, n * variance, np.array([2.0, 0.0]), np.array([0.0, 4.0]), 8.0, 2.0, "laplace")
    ]
    for share in (1e-2, 1e-3, 1e-4):
        f = float(np.quantile(found, 1.0 - share))
        bound = group_means.bound_pvalue(groups * k, [0.0], f, True)
        # one more degree of freedom, and the worst variance and shape
        assert 0.9 * share < bound < 40.0 * share


def test_errors_of_weighted_draws_are_added():
    values = np.array([0.0, 0.0, 0.0, 4.0])
    assert compute_upper_mean(values) == pytest.approx(1.0 + 2.0 * math.sqrt(3.0 / 4.0))


@pytest.mark.parametrize("part", [0.3, 0.95])
def test_steps_leave_the_law_of_tables_as_it_is(part):
    rng, p = np.random.default_rng(1), np.array([0.2, 0.5, 0.3])
    counts, waits = rng.multinomial(40, p, size=20_000), rng.standard_exponential(20_000)
    for _ in range(5):
        counts, waits = _sample_records_again(rng, counts, 40, p, part), _sample_waits_again(rng, waits, part)
    assert (counts.sum(axis=1) == 40).all()
    # 5 standard errors
    assert np.abs(counts.mean(axis=0) - 40 * p).max() < 5 * math.sqrt(10.0 / 20_000)
    assert np.cov(counts.T)[0, 1] == pytest.approx(-40 * 0.2 * 0.5, abs=5 * 0.07)
    assert stats.kstest(waits, "expon").pvalue > 1e-4


@pytest.mark.parametrize(("far", "rate"), [(60, 50.0), (75, 50.0), (75, 1.0)])
def test_splitting_finds_small_probabilities(far, rate):
    p = np.full(2, 0.5)
    found = estimate_small_tail(lambda drawn: np.abs(drawn[:, 0] - 500.0), 1000, p, rate, float(far))
    k = np.arange(-400, 401)
    noise = np.exp(-rate * np.abs(k)) * math.tanh(0.5 * rate)
    exact = 2.0 * float(noise @ stats.binom.sf(500 + far - 1 - k, 1000, 0.5))
    assert exact < found < 3.0 * exact


@pytest.mark.slow
def test_tables_have_small_p_values_where_few_simulated_ones_are_as_extreme():
    p, rate = np.array([0.2, 0.3, 0.5]), 1.0
    for n in (200, None):
        found = []
        for first in (40.0, 52.0, 65.0, 200.0):
            noisy = np.array([first, 0.375 * (200.0 - first), 0.625 * (200.0 - first)])
            statistic, pvalue = tables.compute_fit_pvalue(noisy, p, n, rate)
            plain = tables.simulate_fit_pvalue(noisy, p, n, rate)
            assert statistic == plain[0] and (pvalue == plain[1] or plain[1] <= 0.002)
            found.append(pvalue)
        assert found == sorted(found, reverse=True) and found[-1] == PVALUE_FLOOR
        assert PVALUE_FLOOR < found[2] < 1e-3
    table = np.array([[80.0, 20.0], [55.0, 45.0]])
    for size in (200, None):
        statistic, pvalue = tables.compute_independence_pvalue(table, size, rate)
        assert statistic == tables.compute_independence_statistic(table[None], size, rate)[0]
        # close to chi-square's, and a bound
        assert 0.5 < pvalue / stats.chi2.sf(statistic, 1) < 10.0


@pytest.mark.slow
def test_an_interval_of_a_small_alpha_has_what_its_test_does_not_reject():
    known = tuple(NoisySums((400.0, first, 36.0), SIZED, "laplace", 400) for first in (60.0, 0.0))
    found = WelchInterval(known, 1.0)
    (low, high), wider = found.compute_limits(0.01), found.compute_limits(0.0005)
    assert -1.0 < wider[0] < low < high < wider[1] < 1.0
    # the test of no difference, which is well outside of both
    assert compute_two_sample_pvalue(known)[1] < 0.0005 and wider[0] > 0.0
