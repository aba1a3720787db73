"""Intervals, starts and powers that equal what defines them, computed another way."""

import math

import numpy as np
import pytest
from scipy import integrate, stats
from statsmodels.stats import power
from statsmodels.stats.proportion import power_proportions_2indep

from pydpstat._null_distributions.logistic.logistic_cells import find_start_coefficients
from pydpstat._null_distributions.means.exact_moments import bound_noise_by_steps
from pydpstat._null_distributions.means.noisy_t import NoisySums, compute_t_pvalue
from pydpstat._null_distributions.means.noisy_welch import make_welch_groups
from pydpstat._null_distributions.survey.weighted_quantiles import WeightedCells, WeightedQuantileInterval
from pydpstat.planning._count_power import compute_block_power

LAPLACE, BOTH = stats.laplace(scale=2.0), (2.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.2, 0.02])
def test_a_weighted_quantile_ends_where_edges_are_told_to_be_beyond(alpha):
    cells = WeightedCells((25.0,) * 40, (25.0,) * 40, 0.0, tuple(range(41)), (4.0, 4.0), 1000)
    told = {
        side: [
            at
            for at in range(12, 29)
            if compute_t_pvalue(cells.compute_edge_sums(at, 0.5), 0.0, side)[1] <= 0.5 * alpha
        ]
        for side in ("less", "greater")
    }
    found = WeightedQuantileInterval(cells, 0.5).compute_limits(alpha)
    assert found == (max(told["less"]), min(told["greater"]))
    assert found[1] - found[0] >= 4


@pytest.mark.parametrize("response", [0.005, 0.2, 0.995])
def test_logistic_steps_start_at_a_share_that_the_records_can_show(response):
    # without predictors that matter, the start has the share of ones
    found = find_start_coefficients(10_000, response, np.zeros(1), np.eye(1) / 3.0, np.zeros(1), 0.01)
    assert found == pytest.approx([math.log(response / (1.0 - response)), 0.0], abs=1e-9)


def test_groups_share_a_mean_that_is_nearer_to_the_middle_by_two_errors():
    noise = ((0.0, 0.0), (2.0, 0.0), (0.0, 4.0))
    pair = tuple(NoisySums((100.0, first, 9.0), noise, "laplace", 100) for first in (26.0, 16.0))
    # a Laplace noise of scale 2 has the variance 8, and so has the other group's
    expected = 42.0 / 200.0 - 2.0 * math.sqrt(16.0) / 200.0
    assert [each.distribution.mean for each in make_welch_groups(pair, 0.0)] == pytest.approx([expected] * 2)
    above, below = make_welch_groups(pair, 0.1)
    assert (above.distribution.mean, below.distribution.mean) == pytest.approx((expected + 0.05, expected - 0.05))


@pytest.mark.slow
@pytest.mark.parametrize(
    "scales, law, survival",
    [
        ((2.0, 0.0), "laplace", LAPLACE.sf),
        ((2.0, 2.0), "laplace", lambda x: 0.25 * math.exp(-x / 2.0) * (2.0 + x / 2.0)),
        (
            BOTH,
            "laplace",
            lambda x: integrate.quad(
                lambda t: stats.laplace.pdf(t) * LAPLACE.sf(x - t), -40, 40, points=[0.0, x], limit=200
            )[0],
        ),
        ((2.0, 1.0), "normal", stats.norm(scale=math.sqrt(5.0)).sf),
    ],
)
def test_noise_is_above_its_values_as_seldom_as_said(scales, law, survival):
    weights, values, rest = bound_noise_by_steps(scales, law)
    assert math.fsum(weights) + rest == pytest.approx(1.0)
    said = 1.0 - np.cumsum(weights)
    # steps of the grid go upwards: seldom less, and hardly ever less by more than one step of 1/40 scale
    for tail, value in list(zip(said, values))[25::20]:
        if tail > 1e-9:
            assert survival(value) <= tail * (1.0 + 1e-6) and tail * 0.95 <= survival(value)


# SciPy 1.10 divides by 0 for one degree of freedom, and returns the right power
@pytest.mark.filterwarnings("ignore:divide by zero encountered in _nct_(sf|cdf):RuntimeWarning")
@pytest.mark.parametrize("alternative, statsmodels", [("two-sided", "two-sided"), ("greater", "larger")])
def test_power_without_privacy_is_statsmodels(alternative, statsmodels):
    one = compute_block_power((30,), "one", 0.4, (), 0.05, alternative)
    assert one == pytest.approx(power.TTestPower().power(0.4, 30, 0.05, alternative=statsmodels), abs=1e-6)
    two = compute_block_power((20, 35), "two", 0.5, (), 0.05, alternative)
    expected = power.TTestIndPower().power(0.5, 20, 0.05, ratio=35 / 20, alternative=statsmodels)
    assert two == pytest.approx(expected, abs=1e-6)
    # one degree of freedom
    least = compute_block_power((2,), "one", 5.0, (), 0.05, alternative)
    assert least == pytest.approx(power.TTestPower().power(5.0, 2, 0.05, alternative=statsmodels), abs=1e-6)


@pytest.mark.parametrize(
    "alternative, statsmodels", [("two-sided", "two-sided"), ("greater", "larger"), ("less", "smaller")]
)
def test_power_of_two_shares_and_of_correlations_is_statsmodels(alternative, statsmodels):
    for effect in (0.04, -0.15):
        found = compute_block_power((60, 90), "shares", effect, (0.4,), 0.05, alternative)
        how = {"ratio": 90 / 60, "alternative": statsmodels, "return_results": False}
        expected = power_proportions_2indep(effect, 0.4, 60, **how)
        assert found == pytest.approx(expected, abs=1e-9)
        found = compute_block_power((50,), "correlation", effect, (), 0.05, alternative)
        # Fisher's transformation has the standard deviation 1 / sqrt(n - 3)
        expected = power.normal_power(math.atanh(effect), 50 - 3, 0.05, statsmodels)
        assert found == pytest.approx(expected, abs=1e-9)


def test_power_of_several_groups_and_of_tables_is_statsmodels():
    # means at -0.4, 0, 0.4: their standard deviation is the effect
    found = compute_block_power((20, 20, 20), "several", 0.8, (), 0.05, "two-sided")
    expected = power.FTestAnovaPower().power(math.sqrt(0.32 / 3.0), 60, 0.05, k_groups=3)
    assert found == pytest.approx(expected, abs=1e-6)
    # unequal groups: the mean of all records is 0.4 / 3
    found = compute_block_power((10, 20, 30), "several", 0.8, (), 0.05, "two-sided")
    squares = [n * (mean - 0.4 / 3.0) ** 2 for n, mean in zip((10, 20, 30), (-0.4, 0.0, 0.4))]
    expected = power.FTestAnovaPower().power(math.sqrt(sum(squares) / 60.0), 60, 0.05, k_groups=3)
    assert found == pytest.approx(expected, abs=1e-6)
    found = compute_block_power((150,), "table", 0.3, (3.0, 4.0), 0.05, "two-sided")
    assert found == pytest.approx(power.GofChisquarePower().power(0.3, 150, 0.05, n_bins=7), abs=1e-6)
