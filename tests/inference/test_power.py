"""Plans of tests: their power beside the tests themselves, and what is found from it."""

import itertools
import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from scipy import stats

import pydpstat as dp
from pydpstat._null_distributions.noise import Tulap
from pydpstat._null_distributions.ranks import rank_statistics as ranks
from pydpstat.planning import _count_power, _mean_power
from pydpstat.planning._test_settings import PLANNED_TESTS, make_power_settings

BOUNDS = (-4.0, 4.0)
# in standard errors of both simulations: false alarms in one of 16,000 comparisons
FAR = 4.0
# the same draws serve all n and epsilon, so that powers hardly fall where they should rise
SLACK = 0.012
EFFECTS = {
    "binomtest": 0.1,
    "quantile_test": 0.1,
    "proportions_test": 0.2,
    "chi2_contingency": 0.3,
    "kendalltau": 0.3,
}


def far(planned: float, hits: int, runs: int) -> float:
    """Return how far a simulated power is from the planned one, in standard errors of both."""
    share = hits / runs
    # of their mean, so that shares of 0 and 1 have an error, too
    middle = (planned * _mean_power.SIMULATION_RUNS + hits + 1) / (_mean_power.SIMULATION_RUNS + runs + 2)
    return abs(share - planned) / math.sqrt(middle * (1 - middle) * (1 / runs + 1 / _mean_power.SIMULATION_RUNS))


def _one(test, n, epsilon, effect, rng, seed, how):
    x = rng.normal(effect, 1.0, n)
    if test == "wilcoxon":
        return dp.wilcoxon(x, None, epsilon, rng=seed, **how)
    if test == "ttest_rel":
        first = rng.normal(0.0, 0.1, n)
        return dp.ttest_rel(first + x, first, epsilon, bounds=BOUNDS, rng=seed, **how)
    return dp.ttest_1samp(x, 0.0, epsilon, rng=seed, **{"bounds": BOUNDS, **how})


def _groups(test, n, epsilon, effect, rng, seed, how):
    sizes = n if isinstance(n, tuple) else (n, n)
    x, y = rng.normal(effect / 2, 1.0, sizes[0]), rng.normal(-effect / 2, 1.0, sizes[1])
    if test == "ttest_ind":
        return dp.ttest_ind(x, y, epsilon, bounds=BOUNDS, rng=seed, **how)
    if test == "mannwhitneyu":
        return dp.mannwhitneyu(x, y, epsilon, rng=seed, **how)
    middle = rng.normal(0.0, 1.0, n)
    if test == "kruskal":
        return dp.kruskal(x, middle, y, epsilon=epsilon, rng=seed)
    return dp.f_oneway(x, middle, y, epsilon=epsilon, bounds=BOUNDS, rng=seed)


def _counts(test, n, epsilon, effect, rng, seed, how):
    p = how.get("p", 0.5)
    if test == "proportions_test":
        first, second = rng.random(n) < p + effect, rng.random(n) < p
        return dp.proportions_test(first, second, epsilon, rng=seed)
    below = rng.random(n) < p + effect
    if test == "binomtest":
        return dp.binomtest(below, epsilon, rng=seed, **how)
    return dp.quantile_test(np.where(below, -1.0, 1.0) * (0.1 + rng.random(n)), epsilon, q=0.0, rng=seed, **how)


def _pairs(test, n, epsilon, effect, rng, seed, how):
    if test == "kendalltau":
        x, y = rng.normal(size=(2, n))
        return dp.kendalltau(x, effect * x + math.sqrt(1 - effect**2) * y, epsilon, rng=seed, **how)
    shape = how.get("shape", (2, 2))
    cells = rng.choice(shape[0] * shape[1], n, p=_count_power.make_dependent_shares(shape, effect).ravel())
    levels = [list(range(size)) for size in shape]
    return dp.chi2_contingency(*np.divmod(cells, shape[1]), epsilon, levels=levels, rng=seed)


CALLS = {
    **dict.fromkeys(("ttest_1samp", "ttest_rel", "wilcoxon"), _one),
    **dict.fromkeys(("ttest_ind", "mannwhitneyu", "kruskal", "f_oneway"), _groups),
    **dict.fromkeys(("binomtest", "quantile_test", "proportions_test"), _counts),
    **dict.fromkeys(("kendalltau", "chi2_contingency"), _pairs),
}
SETTINGS = (
    ("ttest_1samp", 200, 1.0, -0.25, {"alternative": "less"}, 30),
    ("ttest_rel", 100, 1.0, 0.4, {}, 30),
    ("wilcoxon", 40, 1.0, 0.5, {}, 250),
    ("wilcoxon", 1000, 0.1, 0.14, {"alternative": "greater"}, 250),
    ("ttest_ind", 100, 1.0, 0.55, {}, 10),
    ("mannwhitneyu", 30, 1.0, 0.8, {}, 250),
    ("mannwhitneyu", (100, 400), 0.5, -0.35, {"alternative": "less"}, 250),
    ("kruskal", 50, 1.0, 0.6, {}, 150),
    ("f_oneway", 50, 2.0, 0.75, {}, 10),
    ("binomtest", 100, 1.0, 0.12, {}, 250),
    ("binomtest", 60, 0.5, -0.15, {"p": 0.3, "alternative": "less"}, 250),
    ("quantile_test", 200, 1.0, -0.09, {"alternative": "greater"}, 250),
    ("quantile_test", 200, 0.5, 0.1, {"ties": False}, 400),
    ("proportions_test", 100, 0.5, 0.2, {"p": 0.3}, 60),
    ("chi2_contingency", 100, 1.0, 0.3, {}, 10),
    ("kendalltau", 40, 1.0, 0.6, {}, 250),
    ("kendalltau", 200, 0.5, -0.25, {}, 150),
)


@pytest.mark.slow
@pytest.mark.parametrize(("test", "n", "epsilon", "effect", "how", "runs"), SETTINGS)
def test_the_power_is_that_of_the_test(test, n, epsilon, effect, how, runs):
    # seeded; a correct plan fails here once in 16,000 seeds
    planned = dp.plan(test, epsilon, n=n, effect=effect, **how).power
    rng = np.random.default_rng(20)
    hits = sum(CALLS[test](test, n, epsilon, effect, rng, 1 + run, how).pvalue <= 0.05 for run in range(runs))
    assert far(planned, hits, runs) < FAR, (planned, hits / runs)
    # the power at half of the effect is another one, or the comparison says little
    other = dp.plan(test, epsilon, n=n, effect=0.5 * effect, **how).power
    assert far(other, hits, runs) > FAR or runs < 60


def test_counts_are_summed_exactly():
    n, p, noise = 7, 0.4, Tulap(0.8)
    k = np.arange(n + 1.0)
    null, true = stats.binom.pmf(k, n, p), stats.binom.pmf(k, n, p + 0.3)
    z = np.linspace(-12.0, 20.0, 320_001)
    # on a fine grid the p-values of all noisy counts, and the probability of those up to 0.05
    upper = sum(m * noise.compute_tail(z - each) for m, each in zip(null, k))
    at = z[np.argmax(upper <= 0.025)], z[np.nonzero(1.0 - upper <= 0.025)[0][-1]]
    power = sum(m * (noise.compute_tail(at[0] - each) + noise.cdf(at[1] - each)) for m, each in zip(true, k))
    planned = dp.plan("binomtest", 0.8, n=n, effect=0.3, p=p).power
    # the grid's step of 1e-4 times a density below 1
    assert planned == pytest.approx(power, abs=2e-4)


def test_the_critical_value_is_the_smallest():
    law, highest = ranks.make_mann_whitney_distribution(9, 8), 72
    for alpha, rate in itertools.product((0.2, 0.025, 1e-6), (0.01, 1.0, 50.0)):
        limit = _count_power.find_critical_integer(law, rate, alpha, highest)
        assert ranks.compute_upper_tail(law, limit, rate) <= alpha < ranks.compute_upper_tail(law, limit - 1, rate) or (
            limit == 73 and rate == 50.0
        )


def test_draws_as_extreme_as_a_rejected_value_have_at_most_the_level():
    # a p-value is (1 + those) / (1 + all) and what is left out: 0.05 itself is rejected
    assert _mean_power.count_allowed_draws(0.05, 0.0, 1999) == 99
    assert _mean_power.count_allowed_draws(0.05, 0.002, 1999) == 95
    assert _mean_power.count_allowed_draws(0.05, 0.0, 18) == -1


@pytest.mark.parametrize("mean", [0.0, 0.4])
def test_without_noise_the_power_is_that_of_the_t_test_about_any_mean(mean):
    shift, limit = 0.1 * math.sqrt(1000), stats.t.isf(0.025, 999)
    power = stats.nct.sf(limit, 999, shift) + stats.nct.cdf(-limit, 999, shift)
    found = _mean_power.compute_one_sample_power(1000, 1e6, 0.1, 0.1, mean, 0.05, "two-sided", is_normal=True)
    # 2,000 runs, and what is left out of the variances
    assert found == pytest.approx(power, abs=0.03)


def test_without_noise_the_power_of_two_proportions_is_nearly_that_of_normal_ones():
    found = _count_power.compute_two_counts_power((400, 400), 50.0, 0.3, 0.1, 0.05, "two-sided")
    sds = math.sqrt(2 * 0.35 * 0.65 / 400), math.sqrt((0.4 * 0.6 + 0.3 * 0.7) / 400)
    assert found == pytest.approx(stats.norm.sf((1.96 * sds[0] - 0.1) / sds[1]), abs=0.02)
    # a proportion of more than 1 or of less than 0 is none
    both = [_count_power.compute_two_counts_power((9, 9), 1.0, 0.3, each, 0.05, "two-sided") for each in (0.7, 0.9)]
    assert both[0] == both[1] > 0.05


@pytest.mark.parametrize("sizes", [(120, 180), (150, 250)])
def test_rank_sums_have_the_mean_and_the_variance_of_shifted_groups(sizes):
    drawn, pairs = _count_power.simulate_rank_sums(sizes, np.array([0.6, 0.0])), sizes[0] * sizes[1]
    # the first wins a pair with probability P(Z < 0.6 / sqrt(2)), two pairs of one record with that of two Z
    won = stats.norm.cdf(0.6 / math.sqrt(2))
    two = stats.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]]).cdf([0.6 / math.sqrt(2)] * 2)
    variance = pairs * (won * (1 - won) + (sum(sizes) - 2) * (two - won * won))
    # four standard errors of 2,000 draws
    mean = sizes[0] * (sizes[0] + 1) / 2 + pairs * won
    assert drawn[:, 0].mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / 2000))
    assert drawn[:, 0].var() == pytest.approx(variance, rel=4 * math.sqrt(2 / 2000))


def test_the_null_mean_is_the_middle_of_the_bounds_if_none_is_given():
    made = make_power_settings("ttest_1samp", {"bounds": (2, 10), "popmean": 8, "sd": 1})
    assert (made.null_mean, made.sd) == (0.5, 0.25)
    assert make_power_settings("ttest_1samp", {"bounds": (2, 10)}).null_mean == 0.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "n", "effect"),
    [
        ("ttest_1samp", 300, 0.17),
        ("wilcoxon", 300, 0.15),
        ("mannwhitneyu", 150, 0.3),
        ("kruskal", 100, 0.4),
        ("kendalltau", 50, 0.5),
    ],
)
def test_what_is_drawn_and_what_is_normal_meet(test, n, effect):
    # one record more, and the draws are others: both simulations' errors
    drawn, normal = (dp.plan(test, 1.0, n=size, effect=effect).power for size in (n, n + 1))
    assert 0.2 < drawn < 0.9
    assert far(normal, round(drawn * _mean_power.SIMULATION_RUNS), _mean_power.SIMULATION_RUNS) < FAR


# the others are searched in the same way
@pytest.mark.slow
@pytest.mark.parametrize("test", ["ttest_1samp", "wilcoxon", "binomtest", "proportions_test", "kendalltau"])
def test_what_is_found_has_the_power(test):
    # the others are searched in the same way
    effect, aim = EFFECTS.get(test, 0.5), 0.7
    found = dp.plan(test, 1.0, effect=effect, power=aim)
    assert found.solved == "n" and found.power >= aim
    assert dp.plan(test, 1.0, effect=effect, n=math.floor(0.9 * found.n)).power < aim
    assert dp.plan(test, 1.0, effect=effect, n=found.n).power == found.power
    if test not in ("wilcoxon", "binomtest"):
        return
    back = dp.plan(test, n=found.n, effect=effect, power=aim)
    assert back.solved == "epsilon" and back.power >= aim - SLACK
    assert 0.85 < back.epsilon <= 1.01
    back = dp.plan(test, 1.0, n=found.n, power=aim)
    assert back.solved == "effect" and back.power >= aim - SLACK
    assert 0.9 * effect < back.effect <= 1.01 * effect


def test_an_effect_that_is_found_has_the_sign_of_the_alternative():
    found = dp.plan("binomtest", 1.0, n=200, power=0.8, alternative="less", p=0.3)
    assert found.effect < 0.0 and found.solved == "effect" and 0.8 <= found.power < 0.81


@pytest.mark.slow
def test_effects_have_the_sign_of_the_alternative():
    assert dp.plan("wilcoxon", 1.0, n=100, power=0.8, alternative="less").effect < 0.0
    assert dp.plan("quantile_test", 1.0, n=200, power=0.8, alternative="greater").effect < 0.0
    assert dp.plan("kendalltau", 1.0, n=100, power=0.8).effect > 0.0
    two = [dp.plan("ttest_1samp", 1.0, n=100, effect=sign * 0.4).power for sign in (1, -1)]
    assert abs(two[0] - two[1]) < 0.05


@pytest.mark.slow
def test_bounds_matter_to_means_alone():
    wide = dp.plan("ttest_1samp", 1.0, n=200, effect=0.3, bounds=(0, 100), sd=5)
    usual = dp.plan("ttest_1samp", 1.0, n=200, effect=0.3)
    same = dp.plan("ttest_1samp", 1.0, n=200, effect=0.3, bounds=(0, 8), sd=1, popmean=4)
    assert wide.power < usual.power - 0.2 and usual.power == same.power
    assert dict(wide.powers)["wilcoxon"] == dict(usual.powers)["wilcoxon"]
    off = dp.plan("ttest_1samp", 1.0, n=200, effect=0.3, bounds=(0, 8), popmean=1)
    assert off.power != usual.power


def test_the_stronger_test_is_named():
    planned = dp.plan(dp.ttest_1samp, 1.0, n=100, effect=0.4)
    assert planned.stronger == "wilcoxon" and [name for name, _ in planned.powers][-1] == "any_test"
    assert planned.power == planned.powers[0][1] < dict(planned.powers)["wilcoxon"]
    assert "wilcoxon has" in repr(planned)
    assert dp.plan("wilcoxon", 1.0, n=100, effect=0.4).stronger == "wilcoxon"
    assert dp.plan("binomtest", 1.0, n=100, effect=0.1).stronger == "binomtest"
    # where epsilon is large the t test is the one for normal records
    assert dp.plan("proportions_test", 1.0, n=100, effect=0.2).stronger == "proportions_test"


@pytest.mark.slow
def test_a_plan_is_a_small_frozen_value():
    planned = dp.plan("mannwhitneyu", 1.0, n=(40, 80), effect=0.6, alpha=0.01)
    assert planned.n == (40, 80) and planned.alpha == 0.01
    assert pickle.loads(pickle.dumps(planned)) == planned
    with pytest.raises(FrozenInstanceError):
        planned.power = 1.0
    text = " ".join(planned.summary().as_text().split())
    for word in ("mannwhitneyu", "40, 80", "any_test", f"{planned.power:.3f}", "standard deviations"):
        assert word in text
    assert "simulated" not in dp.plan("binomtest", 1.0, n=100, effect=0.1).summary().as_text()
    assert dp.plan("mannwhitneyu", 1.0, n=(40, 80), effect=0.6, alpha=0.01) == planned


@pytest.mark.slow
@pytest.mark.parametrize("test", PLANNED_TESTS)
def test_edges(test):
    for n, epsilon, alpha in ((2, 0.001, 0.5), (5, 100.0, 1e-6), (3, 1.0, 1e-300)):
        planned = dp.plan(test, epsilon, n=n, effect=EFFECTS.get(test, 0.5), alpha=alpha)
        assert all(0.0 <= power <= 1.0 for _, power in planned.powers)
        # hardly any information: no more than a few times the level
        assert epsilon > 0.01 or planned.power <= 1.1 * alpha


@pytest.mark.slow
@pytest.mark.parametrize(("test", "effect"), [("ttest_1samp", 0.005), ("binomtest", 0.002)])
def test_large_numbers(test, effect):
    assert 100_000 < dp.plan(test, 1.0, effect=effect, power=0.8).n < 2_000_000


def test_the_neighbors_are_those_of_the_block_around():
    budget = dp.Budget(1.0, neighbors="unbounded")
    with budget:
        with pytest.raises(
            dp.PydpstatError, match="'bounded' for the plan of wilcoxon.*With a guess of n, ttest_1samp"
        ):
            dp.plan("wilcoxon", 1.0, n=100, effect=0.4)
        planned = dp.plan("binomtest", 1.0, n=100, effect=0.1)
    assert budget.spent.epsilon == 0.0 and planned.neighbors == "unbounded"
    assert planned == dp.plan("binomtest", 1.0, n=100, effect=0.1, neighbors="unbounded")
    assert "unbounded" in str(planned.summary()) and planned.to_dict()["neighbors"] == "unbounded"
    design = dp.design(bounds={"x": (0, 1)})
    assert design.plan("binomtest", None, 1.0, n=100, effect=0.1) == planned


# by how many seeded tests a plan with a guess of the number of records is checked
PRIVATE_RUNS = {"binomtest": 200, "quantile_test": 150, "ttest_1samp": 15, "ttest_ind": 15}


@pytest.mark.slow
@pytest.mark.parametrize("test", PRIVATE_RUNS)
def test_the_power_with_a_private_number_of_records(test):
    how, runs, hits = {"neighbors": "unbounded"}, PRIVATE_RUNS[test], 0
    effect = {"ttest_1samp": 0.4, "ttest_ind": 0.6}.get(test, 0.12)
    planned = dp.plan(test, 0.8, n=110, effect=effect, **how)
    assert 0.5 < planned.power < 0.98 and "any_test" not in dict(planned.powers)
    rng = np.random.default_rng(11)
    for seed in range(runs):
        x, y = rng.normal(effect, 1.0, 110), rng.normal(0.0, 1.0, 110)
        share, how["rng"] = rng.random(110) - 0.5 - effect, seed
        hits += (
            0.05
            >= {
                "binomtest": lambda: dp.binomtest(share < 0, 0.8, **how),
                "quantile_test": lambda: dp.quantile_test(share, 0.8, **how),
                "ttest_1samp": lambda: dp.ttest_1samp(x, 0.0, 0.8, bounds=BOUNDS, **how),
                "ttest_ind": lambda: dp.ttest_ind(x, y, 0.8, bounds=BOUNDS, **how),
            }[test]().pvalue
        )
    assert far(planned.power, hits, runs) < FAR


@pytest.mark.slow
@pytest.mark.parametrize("test", ["ttest_1samp", "binomtest"])
def test_with_a_guess_of_n_the_fourth_number_is_found(test):
    effect = EFFECTS.get(test, 0.5)
    planned = dp.plan(test, 1.0, effect=effect, power=0.7, neighbors="unbounded")
    again = dp.plan(test, 1.0, n=planned.n, effect=effect, neighbors="unbounded")
    assert planned.power >= 0.7 and again.power == planned.power


@pytest.mark.slow
@pytest.mark.parametrize("test", ["f_oneway", "chi2_contingency"])
def test_a_private_number_of_records_has_a_power_of_its_own(test):
    at = {"epsilon": 0.6, "n": 100, "effect": EFFECTS.get(test, 0.6)}
    public, private = (dp.plan(test, **at, neighbors=each).power for each in ("bounded", "unbounded"))
    # a record that is added or removed moves less than one that is replaced
    assert public + 0.02 < private < 1.0
