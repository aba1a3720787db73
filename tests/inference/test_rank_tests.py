"""The public tests by ranks and distances: SciPy's answers without noise, edges, refusals, levels."""

import math

import numpy as np
import pytest
from levels import ranks
from scipy import stats

import pydpstat as dp
from pydpstat.errors import PydpstatError

PLAIN = 1e6
X = np.random.default_rng(1).normal(0.3, 1.0, 60)
Y = np.random.default_rng(2).normal(0.0, 1.5, 45)
SIDES = ("two-sided", "less", "greater")

CALLS = {
    "mannwhitneyu": lambda n, **o: dp.mannwhitneyu(X[:n], Y[:n], **o),
    "wilcoxon": lambda n, **o: dp.wilcoxon(X[:n], **o),
    "kruskal": lambda n, **o: dp.kruskal(X[:n], Y[:n], X[:1], **o),
    "kendalltau": lambda n, **o: dp.kendalltau(X[:n], Y[:n], **o),
    "kstest": lambda n, **o: dp.kstest(X[:n], "norm", **o),
    "ks_2samp": lambda n, **o: dp.ks_2samp(X[:n], Y[:n], **o),
}


# with next to no noise


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("sizes", [(5, 8), (45, 30), (1, 20)])
def test_two_samples_beside_scipy(side, sizes):
    x, y = X[: sizes[0]], Y[: sizes[1]]
    own = dp.mannwhitneyu(x, y, PLAIN, alternative=side, rng=1)
    scipys = stats.mannwhitneyu(x, y, alternative=side, method="exact")
    assert own.statistic == scipys.statistic and own.pvalue == pytest.approx(scipys.pvalue, rel=1e-9)
    own = dp.ks_2samp(x, y, PLAIN, alternative=side, rng=1)
    scipys = stats.ks_2samp(x, y, alternative=side, method="exact")
    assert own.statistic == pytest.approx(scipys.statistic, abs=1e-12)
    assert own.pvalue == pytest.approx(scipys.pvalue, abs=0.02)


@pytest.mark.parametrize("side", SIDES)
def test_one_sample_beside_scipy(side):
    for given in ((X[:45],), (X[:45], Y)):
        own = dp.wilcoxon(*given, PLAIN, alternative=side, rng=1)
        scipys = stats.wilcoxon(*given, alternative=side, method="exact")
        assert own.pvalue == pytest.approx(scipys.pvalue, rel=1e-9) and own.test == "Wilcoxon signed-rank test"
    own = dp.kendalltau(X[:45], Y, PLAIN, alternative=side, rng=1)
    scipys = stats.kendalltau(X[:45], Y, alternative=side, method="exact")
    assert (own.statistic, own.pvalue) == pytest.approx(tuple(scipys), rel=1e-9, abs=1e-12)
    assert own.params.to_dict() == pytest.approx({"tau": scipys.statistic}, rel=1e-9)
    norm = stats.norm(0.2, 1.1)
    for cdf, args, known in (
        ("norm", (), stats.norm.cdf),
        ("norm", (0.2, 1.1), norm.cdf),
        (norm, (), norm.cdf),
        (stats.norm.cdf, (0.2,), stats.norm(0.2).cdf),
    ):
        own = dp.kstest(X, cdf, PLAIN, args=args, alternative=side, rng=1)
        scipys = stats.kstest(X, known, alternative=side)
        assert own.statistic == pytest.approx(scipys.statistic, abs=1e-5)
        assert own.pvalue == pytest.approx(scipys.pvalue, abs=1e-3)


def test_the_sign_test_beside_scipy():
    own = dp.wilcoxon(X, PLAIN, cap=1, rng=1)
    assert own.statistic == np.count_nonzero(X > 0.0) and own.test == "Sign test"
    scipys = stats.binomtest(int(own.statistic), 60).pvalue
    assert own.pvalue == pytest.approx(scipys, rel=1e-9)


def test_groups_beside_scipy():
    groups = X[:30], Y[:20], X[30:] + 0.8
    own, scipys = dp.kruskal(*groups, epsilon=PLAIN, rng=1), stats.kruskal(*groups)
    # the root is in units of 2^-11
    assert own.statistic == pytest.approx(scipys.statistic, abs=1e-3)
    assert own.pvalue == pytest.approx(scipys.pvalue, abs=0.01)


@pytest.mark.parametrize("epsilon", [4.0, 0.5])
def test_the_law_that_is_drawn_has_the_p_value_as_its_tail(epsilon):
    # with much noise the statistic is an unweighted distance
    r = dp.kruskal(X[:30], Y[:20], X[30:] + 0.8, epsilon=epsilon, rng=1)
    assert ("unweighted" in r.test) == (epsilon == 0.5)
    assert r.behind.tail(r.statistic) == pytest.approx(r.pvalue, rel=1e-9) and 0.0 < r.pvalue < 1.0


def test_large_samples_beside_scipy():
    rng = np.random.default_rng(4)
    x, y = rng.normal(0.05, 1.0, 4000), rng.normal(size=5000)
    own, scipys = dp.mannwhitneyu(x, y, PLAIN, rng=1), stats.mannwhitneyu(x, y)
    assert own.statistic == scipys.statistic and own.pvalue == pytest.approx(scipys.pvalue, abs=1e-4)
    own = dp.wilcoxon(x, PLAIN, rng=1)
    assert own.pvalue == pytest.approx(stats.wilcoxon(x, correction=True).pvalue, abs=1e-4)
    own, scipys = dp.kendalltau(x, y[:4000], PLAIN, rng=1), stats.kendalltau(x, y[:4000])
    assert own.pvalue == pytest.approx(scipys[1], abs=1e-3)


# edges


def test_an_empty_group_says_nothing():
    for result in (
        dp.mannwhitneyu([], [1.0, 2.0], 1.0),
        dp.ks_2samp([1.0], [], 1.0),
        dp.kruskal([1.0, 2.0], [], epsilon=1.0),
        dp.kruskal([], [], epsilon=1.0),
        dp.kendalltau([1.0], [2.0], 1.0),
    ):
        assert result.pvalue == 1.0 and result.remarks[0].startswith("There is nothing to compare")
    assert dp.mannwhitneyu([], [1.0], 1.0).conf_int() == (0.0, 1.0)
    assert dp.kendalltau([1.0], [1.0], 1.0).conf_int() == (-1.0, 1.0)


def test_a_group_without_records_changes_nothing_else():
    rng = dp.RRandom(5), dp.RRandom(5)
    with_it = dp.kruskal(X, [], Y, epsilon=1.0, rng=rng[0])
    assert with_it.pvalue == dp.kruskal(X, Y, epsilon=1.0, rng=rng[1]).pvalue


def test_small_epsilons_say_so():
    assert "almost uninformative" in dp.mannwhitneyu(X, Y, 1e-3).remarks[0]
    assert not any("hardly" in each for each in dp.mannwhitneyu(X, Y, 1.0).remarks)


def test_a_function_that_fails_for_some_records():
    def picky(x):
        if np.any(np.asarray(x) > 1.0):
            raise ValueError("4242")
        return stats.norm.cdf(x)

    values = np.where(X > 1.0, 0.0, X)
    failing = dp.kstest(X, picky, 2.0, rng=5)
    # the records that it cannot take are at 1/2, the others where they were
    assert failing.statistic == pytest.approx(dp.kstest(values, "norm", 2.0, rng=5).statistic, abs=1e-6)
    for broken in (lambda x: 1 / 0, lambda x: np.full(np.shape(x), np.nan), lambda x: "a"):
        with pytest.raises(PydpstatError, match="cdf must be a function that takes an array"):
            dp.kstest(X, broken, 1.0)


def test_atoms_of_the_law_make_no_distance():
    counts = np.repeat([0.0, 1.0, 2.0], [607, 303, 90])
    law = stats.rv_discrete(values=([0, 1, 2], [0.607, 0.303, 0.09]))
    assert dp.kstest(counts, law, PLAIN, rng=1).statistic == pytest.approx(0.0, abs=1e-6)
    assert dp.kstest(counts, law, PLAIN, rng=1).pvalue > 0.99


# what is refused


@pytest.mark.parametrize("name", CALLS)
def test_private_numbers_of_records_are_refused(name):
    with pytest.raises(PydpstatError, match=f"neighbors must be 'bounded' for {name}"):
        CALLS[name](10, epsilon=1.0, neighbors="unbounded")
    with pytest.raises(PydpstatError, match="neighbors must be 'bounded'"):
        CALLS[name](10, epsilon=1.0, budget=dp.Budget(2.0, neighbors="unbounded"))


# privacy


@pytest.mark.parametrize("interval", [None, False, True])
def test_more_records_than_can_be_counted_exactly_are_refused(monkeypatch, interval):
    monkeypatch.setattr("pydpstat._null_distributions.ranks.rank_statistics._MAX_COUNTED_RECORDS", 44)
    with pytest.raises(PydpstatError, match="at most 44 records, so that pairs"):
        if interval is None:
            dp.kendalltau(X[:45], Y, 1.0)
        else:
            dp.ols(Y, X[:45], 1.0, bounds=(-9, 9), method="rank", interval=interval)


@pytest.mark.parametrize("name, scale", [("mannwhitneyu", 45), ("wilcoxon", 3), ("kendalltau", 44), ("ks_2samp", 45)])
def test_noise_has_the_scale_of_the_sensitivity(name, scale):
    options = {"cap": 3} if name == "wilcoxon" else {}
    result = CALLS[name](45, epsilon=0.5, **options)
    assert result.noise_scale == 2.0 * scale and result.epsilon == 0.5
    assert not result.reproducible


def test_the_condition_of_given_groups_is_stated():
    for name in ("mannwhitneyu", "kruskal", "ks_2samp"):
        assert "who is in which group" in " ".join(CALLS[name](9, epsilon=1.0).guarantee.conditions)
    assert "from that record alone" in " ".join(dp.kstest(X, np.tanh, 1.0).guarantee.conditions)


# levels


# by their names, as the simulated ones that had the largest levels or are the hardest
HARD = (
    "mannwhitneyu, tied, n (10, 200), epsilon 0.3",
    "mannwhitneyu, clipped, n (20, 20), epsilon 1.0",
    "wilcoxon, coin, n 500, epsilon 0.05",
    "wilcoxon, discrete, n 30, epsilon 10.0",
    "kruskal, constant, n (15, 40, 200), epsilon 1.0",
    "kendalltau, coin, n 50, epsilon 10.0, other tied",
    "kstest, normal, n 50, epsilon 10.0",
    "ks_2samp, normal, n (20, 20), epsilon 1.0",
)


@pytest.mark.parametrize("name", HARD)
def test_levels(name):
    (setting,) = (each for each in ranks.SETTINGS if each["name"] == name)
    # of 600 runs at 0.05 more than 52 come with probability 5e-5
    assert ranks.rejections(setting, 600, 17) <= 52


@pytest.mark.slow
@pytest.mark.parametrize("name", ["wilcoxon, coin, n 500, epsilon 0.05", "ks_2samp, normal, n (20, 20), epsilon 1.0"])
def test_a_law_without_the_noise_is_noticed(name, monkeypatch):
    (setting,) = (each for each in ranks.SETTINGS if each["name"] == name)
    whole = ranks.ranks.compute_upper_tail
    monkeypatch.setattr(ranks.ranks, "compute_upper_tail", lambda law, z, rate: whole(law, z, 1e3))
    assert ranks.rejections(setting, 600, 17) > 52


def test_the_benchmark_draws_what_the_functions_release():
    # both ways to a p-value: their shares below .2 and .5 differ by less than four standard errors
    setting = {"name": "both", "test": "mannwhitneyu", "law": "skewed", "n": (12, 15), "epsilon": 1.0}
    setting["shift"] = 2.0
    rng, runs = ranks.generator_of(setting, 3), 600
    simulated = np.array([ranks._p_value(setting, rng) for _ in range(runs)])
    samples = [(ranks._draw("skewed", 12, rng) + 2.0, ranks._draw("skewed", 15, rng)) for _ in range(runs)]
    released = np.array([dp.mannwhitneyu(x, y, 1.0).pvalue for x, y in samples])
    for level in (0.2, 0.5):
        assert abs(np.mean(simulated <= level) - np.mean(released <= level)) < 4.0 * math.sqrt(0.5 / runs)


def test_the_cap_gives_power():
    (setting,) = (each for each in ranks.POWER if each["n"] == 500 and each["epsilon"] == 0.1)
    capped, whole = (ranks.power({**setting, "cap": cap}, 400, 5) for cap in (None, 500))
    # 0.60 beside 0.36: a difference of 60 of 400 is 4.4 standard errors from none
    assert capped - whole > 60
