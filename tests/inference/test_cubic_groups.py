"""Tests of two and of several means with sums of cubes: what is released, levels, power and intervals."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from levels import cube_intervals
from levels.cubes import SETTINGS, rejections
from scipy import stats

import pydpstat as dp
from pydpstat._null_distributions.means import skewed_t
from pydpstat._null_distributions.means.skewed_groups import (
    compare_group_means,
    make_skewed_groups,
    round_mean_outwards,
)
from pydpstat._null_distributions.means.skewed_shapes import simulate_shape_sums
from pydpstat._null_distributions.means.skewed_t import compare_moments, make_plausible_variances

RNG = np.random.default_rng(5)
BOUNDS = (-4.0, 4.0)
X, Y, Z = (RNG.normal(shift, 1.0, 110) for shift in (0.3, 0.0, 0.1))
HOW = {"epsilon": 5.0, "bounds": BOUNDS, "rng": 1}
NEARLY_EXACT = {"epsilon": 1e6, "bounds": BOUNDS, "rng": 1}


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_both_tests_release_the_same_sums(neighbors):
    two, several = (test(X, Y, **HOW, neighbors=neighbors) for test in (dp.ttest_ind, dp.f_oneway))
    names = [name for name, _ in two.released]
    assert sum("^3" in name for name in names) == 2
    assert [value for _, value in two.released] == [value for _, value in several.released]
    assert several.pvalue == two.pvalue
    assert several.statistic == pytest.approx(two.statistic**2)


def test_the_noise_is_that_of_nine_tenths_and_of_one():
    found = dp.ttest_ind(X, Y, **HOW)
    assert found.noise_scale == pytest.approx(np.tile([2.0, 4.0, 18.0], 2) / 4.5)
    assert found.guarantee.epsilon == 5.0


@pytest.mark.parametrize("test", ["ttest_ind", "f_oneway"])
def test_the_smallest_group_decides(test):
    def cubes(epsilon, *groups, **more):
        found = getattr(dp, test)(*groups, epsilon=epsilon, bounds=BOUNDS, rng=1, **more)
        return sum("^3" in name for name, _ in found.released)

    # 40 / sqrt(16) = 10
    assert cubes(10.0, X, Y[:16]) == 2 and cubes(9.9, X, Y[:16]) == cubes(1e6, X, Y[:7]) == 0
    assert cubes(1e6, X, Y, shape="normal") == 0
    assert cubes(4.0, X, Y[:7], neighbors="unbounded") == 2


def test_a_budget_pays_epsilon_once():
    budget = dp.Budget(10.0)
    dp.f_oneway(X, Y, Z, **HOW, budget=budget)
    dp.ttest_ind(X, Y, **HOW, budget=budget)
    assert budget.remaining.epsilon == 0.0


def test_p_values_without_noise_are_near_those_of_the_ordinary_tests():
    two, several = dp.ttest_ind(X, Y, **NEARLY_EXACT), dp.f_oneway(X, Y, Z, **NEARLY_EXACT)
    ordinary = stats.ttest_ind(X, Y, equal_var=False).pvalue, stats.f_oneway(X, Y, Z).pvalue
    for found, usual in zip((two, several), ordinary):
        assert 0.9 * usual < found.pvalue < 1.3 * usual + 0.02
    # without skewness there is nothing to be corrected
    assert two.statistic == pytest.approx(stats.ttest_ind(X, Y, equal_var=False).statistic, abs=0.05)


def test_one_sided_p_values_add_up():
    less, greater, both = (
        dp.ttest_ind(X + 0.25, Y, **HOW, alternative=each).pvalue for each in ("less", "greater", "two-sided")
    )
    assert greater < both < less and both == pytest.approx(2.0 * greater, rel=0.3)


@pytest.mark.slow
def test_groups_of_equal_records_do_not_differ():
    same = np.full(50, 0.5)
    assert dp.ttest_ind(same, same, **NEARLY_EXACT).pvalue > 0.5
    assert dp.f_oneway(same, same, same, **NEARLY_EXACT).pvalue > 0.5
    assert dp.f_oneway(same, same, same + 2.0, **NEARLY_EXACT).pvalue < 1e-3


@pytest.mark.slow
def test_small_p_values_go_on():
    apart = dp.ttest_ind(X + 1.0, Y, **NEARLY_EXACT).pvalue, dp.f_oneway(X + 1.5, Y, Z, **NEARLY_EXACT).pvalue
    assert max(apart) < 1e-4


def test_a_group_that_may_be_empty_is_left_out():
    found = dp.f_oneway(X, Y, [], **HOW, neighbors="unbounded")
    assert any("left out" in each for each in found.remarks)
    assert any("informative" in each for each in dp.ttest_ind(X, [], **HOW, neighbors="unbounded").remarks)


@pytest.mark.slow
def test_an_interval_has_the_differences_that_are_not_rejected():
    found = dp.ttest_ind(X, Y, **HOW)
    low, high = found.conf_int()
    assert low < float(X.mean() - Y.mean()) < high
    assert (low > 0.0 or high < 0.0) == (found.pvalue < 0.05)
    wider = found.conf_int(0.01)
    assert wider[0] < low and high < wider[1]


def test_the_means_of_an_analysis_of_variance_have_intervals_with_cubes():
    frame = pd.DataFrame({"x": np.concatenate([X, Y]), "g": ["a"] * 110 + ["b"] * 110})
    design = dp.design(frame, bounds={"x": BOUNDS}, levels={"g": ["a", "b"]})
    found = design.f_oneway("x ~ g", 5.0, rng=1)
    assert found.pvalue == design.ttest_ind("x ~ g", 5.0, rng=1).pvalue


@pytest.mark.slow
def test_a_default_interval_draws_few_shapes(monkeypatch):
    drawn = []

    def counted(*arguments):
        drawn.append(1)
        return simulate_shape_sums(*arguments)

    monkeypatch.setattr(skewed_t, "simulate_shape_sums", counted)
    dp.ttest_1samp(RNG.normal(0.2, 1.0, 150), 0, **HOW).conf_int()
    # 14,732 when each variance and share was drawn
    assert len(drawn) < 4_000


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_normal_records_have_the_variances_that_are_plausible_on_both_sides(sign):
    from pydpstat.inference.means._cubic_release import unscale_cubic_sums

    z = sign * (np.random.default_rng(1).exponential(0.2, 60).clip(0, 1) - 0.5)
    known = unscale_cubic_sums([z.sum(), (z**2).sum(), (4 * z**3 - 3 * z).sum()], 60, 1e3)
    groups = make_skewed_groups([known, known])
    for distribution, observed, by_side in zip(groups.distributions, groups.observed_sums, groups.plausible_variances):
        tail = 0.25 * groups.excluded / 2
        variances = make_plausible_variances(distribution, observed, tail)
        up, down = (compare_moments(distribution, observed, variances, side, tail).find_plausible() for side in by_side)
        assert (up[0] != down[0]).any()
        for mask, by_share in zip((up, down), by_side.values()):
            assert by_share.get(0, []) == variances[up[0] & down[0]].tolist()
            assert by_share.get(1, []) == variances[mask[1]].tolist()


def test_means_are_rounded_towards_the_middle():
    means = np.linspace(-1.0, 1.0, 201)
    rounded = np.array([round_mean_outwards(float(mean)) for mean in means])
    assert (np.abs(rounded) <= np.abs(means) + 1e-12).all()
    assert (1.0 - np.abs(rounded) <= 1.0906 * (1.0 - np.abs(means)) + 2e-9).all()


def test_the_statistic_without_cubes_is_that_of_welch():
    from pydpstat.inference.means._cubic_release import unscale_cubic_sums

    known = []
    for each in (X / 4, Y / 4):
        known.append(unscale_cubic_sums([each.sum(), (each**2).sum(), (4 * each**3 - 3 * each).sum()], 110, 1e9))
    groups = make_skewed_groups(known)
    parts = [part._replace(cube=np.zeros(1)) for part in groups.summaries]
    found = float(compare_group_means(groups.distributions, parts, [0.0, 0.0])[0])
    assert found == pytest.approx(stats.ttest_ind(X, Y, equal_var=False).statistic, rel=1e-6)


_CHOSEN = "two means, exponential", "several means, mostly 0", "two means, normal; coin"
CHOSEN = [each for each in SETTINGS if each["name"].startswith(_CHOSEN) and "110 110" in each["name"]]


@pytest.mark.slow
@pytest.mark.parametrize("setting", CHOSEN, ids=lambda each: each["name"])
def test_the_level_is_kept(setting):
    runs = 300
    # three standard errors
    assert rejections(setting, runs, 3) <= runs * (0.05 + 3 * np.sqrt(0.05 * 0.95 / runs))


@pytest.mark.slow
def test_intervals_cover():
    setting = next(each for each in cube_intervals.SETTINGS if "private n" in each and len(each["laws"]) == 2)
    assert cube_intervals.misses(setting, 100, 2) <= 100 * (0.05 + 3 * np.sqrt(0.05 * 0.95 / 100))


@pytest.mark.slow
@pytest.mark.parametrize(("test", "effect"), [("ttest_ind", 0.4), ("f_oneway", 0.45), ("ttest_rel", 0.3)])
def test_the_power_does_not_fall_with_epsilon(test, effect):
    powers = [dp.plan(test, each, n=110, effect=effect).power for each in (0.5, 1, 2, 4, 10, 100, 1000)]
    assert all(later >= earlier - 0.01 for earlier, later in pairwise(powers))
    assert powers[-1] >= dp.plan(test, 1000, n=110, effect=effect, shape="normal").power - 0.03


@pytest.mark.slow
def test_a_plan_of_one_side_has_the_sign_of_its_effect():
    # with sums of cubes from an epsilon of 40 / sqrt(60) on
    powers = [dp.plan("ttest_ind", 6, n=60, effect=0.5, alternative="greater").power]
    powers.append(dp.plan("ttest_ind", 6, n=60, effect=-0.5, alternative="less").power)
    assert min(powers) > 0.6 and powers[0] == pytest.approx(powers[1], abs=0.05)
    assert dp.plan("ttest_ind", 5, n=(40, 90), effect=0.5, neighbors="unbounded").power > 0.3
