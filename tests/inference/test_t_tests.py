"""The t tests: their limits, their level, their intervals, and what they say at the edges."""

import itertools
import math

import numpy as np
import pytest
from levels import means
from scipy import stats

import pydpstat as dp
from pydpstat._null_distributions.means.exact_moments import compute_bentkus_bound, compute_exact_pvalue
from pydpstat._null_distributions.means.mean_differences import WelchInterval
from pydpstat._null_distributions.means.noisy_t import (
    NoisySums,
    NoisyTInterval,
    compute_t_pvalue,
    find_plausible_variances,
    make_t_distribution,
)
from pydpstat._null_distributions.means.noisy_welch import (
    SHAPE_PAIRS,
    _SimulatedGroups,
    compute_welch_pvalue,
    make_welch_groups,
)
from pydpstat._null_distributions.noise import GeometricNoise
from pydpstat._null_distributions.proportions.one_proportion import combine_tails, compute_noisy_tails
from pydpstat._null_distributions.simulation import (
    DOWNWARD_SHAPE,
    NORMAL_SHAPE,
    UPWARD_SHAPE,
    compute_binomial_quantiles,
    draw_reference,
    simulate_centered_sums,
)

X = np.linspace(20.0, 60.0, 500)
NOISE = ((0.0, 0.0), (2.0, 0.0), (0.0, 4.0))
# Monte Carlo, the variances left out, and the skewed shapes, which matter less the more records there are:
# what a p-value is at most off in the non-private limit of 30,000 records
STATED = 0.01


@pytest.mark.parametrize(("alternative", "shift"), [("two-sided", 0.004), ("less", -0.01), ("greater", 0.004)])
def test_without_noise_p_values_meet_scipys(alternative, shift):
    rng = np.random.default_rng(3)
    x, y = rng.normal(shift, 0.25, 40_000).clip(-1, 1), rng.normal(0, 0.3, 30_000).clip(-1, 1)
    how = {"bounds": (-1, 1), "alternative": alternative, "rng": 1}
    one = dp.ttest_1samp(x, 0.0, 1e6, **how)
    assert one.pvalue == pytest.approx(stats.ttest_1samp(x, 0.0, alternative=alternative).pvalue, abs=STATED)
    two = dp.ttest_ind(x, y, 1e6, **how)
    welch = stats.ttest_ind(x, y, equal_var=False, alternative=alternative)
    assert two.pvalue == pytest.approx(welch.pvalue, abs=STATED)
    # studentized about the hypothesis, not about the mean: t is sqrt(n) sin instead of tan
    assert two.statistic == pytest.approx(welch.statistic, rel=1e-4)
    paired = dp.ttest_rel(x[:30_000], y, 1e6, **{**how, "bounds": (-2, 2)})
    expected = stats.ttest_rel(x[:30_000], y, alternative=alternative)
    assert paired.pvalue == pytest.approx(expected.pvalue, abs=STATED)


def test_without_noise_intervals_meet_the_usual_ones():
    x = np.random.default_rng(3).normal(0.1, 0.25, 400).clip(-1, 1)
    low, high = dp.ttest_1samp(x, 0.0, 1e6, bounds=(-1, 1), rng=1).conf_int(0.05)
    usual = stats.ttest_1samp(x, 0.0).confidence_interval(0.95)
    width = usual.high - usual.low
    # skewness that cannot be excluded costs a third at 400 records
    assert width < high - low < 1.4 * width
    assert low < usual.low + 0.02 * width and usual.high - 0.02 * width < high


@pytest.mark.slow
def test_an_interval_has_what_the_test_does_not_reject():
    known = NoisySums((200.0, 14.0, 17.0), NOISE, "laplace", 200)
    low, high = NoisyTInterval(known, 0.0, 1.0).compute_limits(0.05)
    error = (high - low) / 4
    assert compute_t_pvalue(known, low)[1] <= 0.05 < compute_t_pvalue(known, low + 0.05 * error)[1]
    assert compute_t_pvalue(known, high)[1] <= 0.05 < compute_t_pvalue(known, high - 0.05 * error)[1]
    _, one_sided = NoisyTInterval(known, 0.0, 1.0, "less").compute_limits(0.025)
    assert one_sided == pytest.approx(high, abs=0.3 * error)
    pair = (known, NoisySums((150.0, 2.0, 12.0), NOISE, "laplace", 150))
    low, high = WelchInterval(pair, 1.0).compute_limits(0.05)
    assert compute_welch_pvalue(pair, low)[1] <= 0.05 < compute_welch_pvalue(pair, 0.9 * low + 0.1 * high)[1]
    assert compute_welch_pvalue(pair, high)[1] <= 0.05 < compute_welch_pvalue(pair, 0.9 * high + 0.1 * low)[1]


def test_possible_variances_keep_their_neighbors():
    small = np.array([True, True, False, False, False])
    large = np.array([False, False, False, True, True])
    assert find_plausible_variances(small, large).tolist() == [False, True, True, True, False]
    # none: the truth lies between the last that is too small and the first that is too large
    assert find_plausible_variances(small, ~small).tolist() == [False, True, True, False, False]
    assert find_plausible_variances(np.ones(3, bool), np.zeros(3, bool)).tolist() == [False, True, True]
    assert find_plausible_variances(np.zeros(3, bool), np.ones(3, bool)).tolist() == [True, False, False]


@pytest.mark.parametrize(("alternative", "difference"), [("two-sided", 0.07), ("less", 0.25), ("greater", -0.2)])
def test_draws_that_are_left_out_are_extreme_for_no_pair_of_variances(alternative, difference):
    noise = ((0.0, 0.0), (2.0, 0.0), (0.0, 2.0))
    known = tuple(NoisySums((float(n), 0.08 * n, 0.07 * n), noise, "laplace", n) for n in (80, 700))
    groups = make_welch_groups(known, difference)
    both = _SimulatedGroups(groups, groups[0].mean - groups[1].mean - difference, alternative)
    is_extreme = {
        "two-sided": lambda ratio, observed: np.abs(ratio) >= abs(observed),
        "less": np.less_equal,
        "greater": np.greater_equal,
    }[alternative]
    some, kept = (slice(None, None, 5),) * 2, []
    for shapes in SHAPE_PAIRS:
        drawn = [[g.simulate_moments(v, s) for v in grid[::5]] for g, grid, s in zip(groups, both.grids, shapes)]
        counts = both.count_exceedances(shapes, *some)
        for (i, (mean1, estimate1)), (j, (mean2, estimate2)) in itertools.product(*map(enumerate, drawn)):
            square = np.maximum(estimate1 / 80 + estimate2 / 700 + both.noise_variance, both.min_variances[some][i, j])
            extreme = is_extreme((mean1 - mean2) / np.sqrt(square), both.observed_statistics[some][i, j])
            # ties but for rounding
            assert abs(counts[i, j] - extreme.sum()) <= 1
            kept.append(counts[i, j])
    assert min(kept) < max(kept)


@pytest.mark.parametrize(("n", "p"), [(30, 0.05), (1000, 0.001), (10**6, 1e-5), (10**6, 0.3), (10**7, 0.999)])
def test_binomial_quantiles_are_scipys(n, p):
    draws = draw_reference(10, "laplace", 2)
    shares = draws.shares[::64]
    found = compute_binomial_quantiles(n, p, shares, draws.scores[::64])
    exact = stats.binom.ppf(shares, n, p)
    if n * p * (1 - p) > 400:
        assert np.abs(found - exact).max() <= 1 and np.mean(found != exact) < 0.05
    else:
        assert np.array_equal(found, exact)


@pytest.mark.parametrize("shape", [NORMAL_SHAPE, UPWARD_SHAPE, DOWNWARD_SHAPE])
def test_shapes_have_their_mean_and_variance_and_stay_within_the_bounds(shape):
    draws = draw_reference(60, "laplace", 2)
    sums, squares = simulate_centered_sums(draws, 60, 0.3, 0.05, shape)
    # low-discrepancy points: their means are off by less than 1 % of the standard deviations
    assert abs(sums.mean()) < 0.02 and squares.mean() == pytest.approx(3.0, rel=0.005)
    assert sums.var() == pytest.approx(3.0, rel=0.02)
    skew = stats.skew(sums)
    assert abs(skew) < 0.02 if shape == NORMAL_SHAPE else np.sign(skew) == (1 if shape == UPWARD_SHAPE else -1)


def test_the_noise_of_the_reference_has_its_law():
    draws = draw_reference(20, "laplace", 2)
    for noise in draws.noises:
        assert stats.kstest(noise, "laplace").statistic < 0.002
    assert stats.kstest(draw_reference(20, "normal", 2).noises[1], "norm").statistic < 0.002
    # tail: 8,192 points reach the quantiles beyond 1 / 8192
    assert draws.noises.max() > 8 and draws.noises.min() < -8


WORST = [
    setting
    for setting in means.SETTINGS
    if isinstance(setting["n"], int)
    and (setting["n"], setting["epsilon"])
    in ((20, 1), (50, 10), (1000, 5), (93, 38.475), (90, 44.0), (4, 0.076), (596, 5.15))
    and setting["law"] in ("coin", "Bernoulli(.01)", "mostly 0", "searched", "searched, small")
]


@pytest.mark.parametrize("setting", WORST, ids=lambda each: each["name"])
def test_a_true_mean_is_rejected_at_most_as_often_as_stated(setting):
    # 4 standard errors: fails by chance once in 30,000 where the level is exactly .05
    runs = 2_500
    assert means.rejections(setting, runs, 1) / runs <= 0.05 + 4 * (0.0475 / runs) ** 0.5


def test_a_law_without_the_noise_is_found_out(monkeypatch):
    setting = {"name": "", "law": "normal", "n": 50, "epsilon": 0.5, "noise": "laplace"}
    assert means.rejections(setting, 2_000, 1) / 2_000 <= 0.07
    made = means.Table(make_t_distribution(means.known(0, 0, 50, 1e6, "laplace"), 0.0, 50))
    first, second = means.released(means.LAWS["normal"], 50, 0.5, "laplace", 2_000, np.random.default_rng(1))
    assert np.mean(made.pvalues(first, second) <= 0.05) > 0.2


def test_the_sorted_law_and_the_engine_agree():
    assert all(means.agrees(setting, place) for place, setting in enumerate(means.SETTINGS[:128:16]))


@pytest.mark.slow
def test_equal_means_are_told_apart_at_most_as_often_as_stated():
    settings = [each for each in means.SETTINGS if each["name"].startswith("two samples, normal and coin")]
    for setting in settings:
        # 5 standard errors of 40 runs
        assert means.rejections(setting, 40, 2) <= 40 * (0.05 + 5 * (0.0475 / 40) ** 0.5)


def test_intervals_cover():
    for law, n, epsilon in (("Bernoulli(.05)", 50, 1), ("exponential", 40, 5), ("constant", 30, 1)):
        setting = {"law": law, "n": n, "epsilon": epsilon, "noise": "laplace"}
        # 10 runs: five misses have a probability of 6e-5 where the level is true
        assert means.misses(setting, 10, 3) < 5


@pytest.mark.parametrize("setting", means.POWER[:8], ids=lambda each: each["name"])
def test_shifts_are_found_as_often_as_they_were(setting):
    # the figures are rounded and have a standard error of their own
    assert means.power(setting, 2_000, 1) / 2_000 > setting["figure"] - 0.04


def test_few_records_and_little_noise_do_not_leave_the_test_without_power():
    # 30 records, 0.7 standard deviations, epsilon 100: a statistic without `least_square` finds none
    setting = {"n": 30, "effect": 0.7, "epsilon": 100, "noise": "laplace"}
    assert means.power(setting, 1_000, 1) > 600


def test_small_noise_is_told_from_large_noise_in_words():
    assert "hardly any mean" in dp.ttest_1samp(X, 40, 0.001, bounds=(0, 100), rng=1).remarks[0]
    assert dp.ttest_1samp(X, 40, 1.0, bounds=(0, 100), rng=1).remarks == ()
    assert "The variance of one record" in dp.ttest_1samp([1.0], 0.5, 1.0, bounds=(0, 1), rng=1).remarks[0]


def test_the_bound_on_tails_holds_and_is_near():
    x = np.arange(1, 30) + 0.0
    bound, tail = compute_bentkus_bound(100, 0.3, x), stats.binom.sf(np.ceil(30 + x) - 1, 100, 0.3)
    assert (bound >= tail).all()
    # Bentkus: at most e^2 / 2 times the tail's log-concave hull
    assert (bound <= 8 * np.maximum(stats.binom.sf(np.floor(30 + x) - 1, 100, 0.3), 1e-16)).all()
    assert compute_bentkus_bound(10, 0.5, np.array([-1.0, 5.5])).tolist() == [1.0, 0.0]


def test_the_exact_test_is_wider_than_the_t_test_and_not_much():
    known = NoisySums((1000.0, 30.0, 62.0), NOISE, "laplace", 1000)
    assert compute_exact_pvalue(known, 0.0)[1] > compute_t_pvalue(known, 0.0)[1]
    r = dp.ttest_1samp(X, 40, 1.0, bounds=(0, 100), rng=1, method="exact")
    t = dp.ttest_1samp(X, 40, 1.0, bounds=(0, 100), rng=1)
    assert r.validity == "exact" and r.released == t.released
    width, usual = np.diff(r.conf_int())[0], np.diff(t.conf_int())[0]
    assert usual < width < 2.5 * usual


def test_coins_fall_with_the_places_and_their_law_is_exact():
    n, rate, counts = 20, 0.7, np.arange(-200, 221)
    masses = np.exp(-rate * np.abs(counts - np.arange(n + 1)[:, None])) * math.tanh(0.5 * rate)
    law = stats.binom.pmf(np.arange(n + 1), n, 0.6) @ masses
    up, down = compute_noisy_tails(14.0, n, 0.6, GeometricNoise(rate))
    assert up == pytest.approx(law[counts >= 14].sum(), rel=1e-12)
    assert down == pytest.approx(law[counts <= 14].sum())
    # hardly any noise: the binomial test's equal tails
    tails = compute_noisy_tails(14.0, 20, 0.5, GeometricNoise(50.0))
    assert combine_tails(*tails, "greater") == pytest.approx(stats.binomtest(14, 20).pvalue / 2)
    how = {"bounds": (0, 1), "method": "exact"}
    r = dp.ttest_1samp(np.ones(50), 1.0, 50.0, **how, rng=1)
    assert r.statistic == 50 and r.pvalue == 1.0 and r.validity == "exact"
    r = dp.ttest_1samp(np.full(10_000, 15.0), 30.0, 50.0, bounds=(10, 30), method="exact", rng=1)
    # the noise of so many records is below 0.01
    assert r.estimates[0][1] == pytest.approx(15.0, abs=0.01) and 14.4 < r.conf_int().low < r.conf_int().high < 15.6
    x = np.full(100, 0.3)
    heads = [dp.ttest_1samp(x, 0.3, 60.0, **how, rng=seed).statistic for seed in range(100)]
    # the mean of 10,000 coins has a standard deviation of .46: 5 of them, and another probability is found
    assert abs(np.mean(heads) - 30) < 2.3 and 3.3 < np.std(heads) < 6.1


def test_the_mean_of_coins_is_that_of_their_heads_within_the_bounds():
    x, how = np.full(100, 15.0), {"bounds": (10, 30), "method": "exact"}
    for seed, epsilon in [(1, 1.0), *((seed, 0.01) for seed in range(6))]:
        r = dp.ttest_1samp(x, 15.0, epsilon, **how, rng=seed)
        assert r.estimates == (("mean", pytest.approx(min(max(10.0 + 20.0 * r.statistic / 100, 10.0), 30.0))),)
    assert dp.ttest_1samp(x, 15.0, 60.0, **how, rng=1).estimates[0][1] < 20.0
