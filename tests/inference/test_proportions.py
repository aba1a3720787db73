"""Private tests of one proportion and of two: limits without noise, levels, edges and messages."""

import itertools
import math
import pickle

import numpy as np
import pytest
from levels.proportions import noise
from scipy import stats
from statsmodels.stats import proportion as statsmodels

import pydpstat
from pydpstat import binomtest, proportions_test
from pydpstat._null_distributions.noise import SMALLEST_RATE
from pydpstat._null_distributions.proportions.one_proportion import NoisyBinaryCounts, PrivateSizeProportionInterval
from pydpstat._null_distributions.proportions.two_proportions import ContrastInterval, NoisyGroupCounts, ProportionLine

# next to no noise
PLAIN = 1e6


def truths(met, n):
    return np.arange(n) < met


@pytest.mark.parametrize("met, n, p", [(7, 20, 0.5), (0, 12, 0.1), (300, 1000, 0.27), (12, 12, 0.9)])
def test_without_noise_a_pvalue_lies_between_two_of_scipy(met, n, p):
    result = binomtest(truths(met, n), PLAIN, p=p, alternative="greater", rng=1)
    # the uniform number breaks the tie of equal counts
    assert stats.binom.sf(met, n, p) <= result.pvalue <= stats.binomtest(met, n, p, "greater").pvalue + 1e-12
    result = binomtest(truths(met, n), PLAIN, p=p, alternative="less", rng=1)
    assert stats.binom.cdf(met - 1, n, p) <= result.pvalue <= stats.binomtest(met, n, p, "less").pvalue + 1e-12
    exact = stats.binomtest(met, n, p).proportion_ci(0.95)
    low, high = binomtest(truths(met, n), PLAIN, p=p, rng=1).conf_int()
    # Clopper and Pearson's interval is that of the count at either end of the uniform number
    assert exact.low - 1e-9 <= low and high <= exact.high + 1e-9
    assert dict(binomtest(truths(met, n), PLAIN, rng=1).estimates)["proportion"] == met / n


def test_without_noise_private_sizes_give_the_score_test():
    result = binomtest(truths(330, 1000), PLAIN, p=0.3, neighbors="unbounded")
    score = (330 - 300) / np.sqrt(1000 * 0.3 * 0.7)
    assert result.statistic == pytest.approx(score, rel=1e-12)
    # the exact tails of the count, and the numbers of records that are left out
    up = stats.binom.sf(329, 1000, 0.3)
    assert result.pvalue == pytest.approx(2.0 * up + 2e-6, rel=1e-9)
    assert result.nobs is None and result.validity == "model"


@pytest.mark.parametrize("compare, value", [("diff", 0.0), ("diff", 0.05), ("ratio", 1.0), ("ratio", 1.3)])
def test_without_noise_two_proportions_meet_the_score_test(compare, value):
    first, second = truths(380, 900), truths(260, 800)
    result = proportions_test(first, second, PLAIN, compare=compare, value=value)
    score = statsmodels.test_proportions_2indep(
        380, 900, 260, 800, value=value, compare=compare, method="score", correction=False
    )
    # a normal approximation there, and here proportions by least squares in place of the largest likelihood
    assert result.pvalue == pytest.approx(score.pvalue, rel=0.08, abs=2e-5)
    low, high = result.conf_int()
    ends = statsmodels.confint_proportions_2indep(380, 900, 260, 800, compare=compare, method="score")
    assert (low, high) == pytest.approx(ends, rel=0.03)


RUNS = 1200
# 0.05 and 4 standard errors: a false alarm in 30,000 comparisons
HIGHEST = 0.05 + 4.0 * np.sqrt(0.05 * 0.95 / RUNS)


def share_rejected(tests, pvalue, far):
    """The share of tests with p at most 0.05, asked once for equal ones and only where they are far out."""
    known = {test: far(test) and pvalue(test) <= 0.05 for test in set(tests)}
    return np.mean([known[test] for test in tests])


# the highest of the simulated settings
WORST = [
    ((20, 20), (0.3, 0.3), ProportionLine.from_difference(0.0), 0.05),
    ((100, 100), (0.5, 0.5), ProportionLine.from_difference(0.0), 0.5),
    ((200, 40), (0.2, 0.5), ProportionLine.from_difference(-0.3), 0.5),
    ((10**6, 10**5), (0.02, 0.01), ProportionLine.from_ratio(2.0), 0.05),
]


@pytest.mark.slow
@pytest.mark.parametrize("sizes, p, line, epsilon", WORST)
def test_level_of_two(sizes, p, line, epsilon):
    rng = np.random.default_rng(4)
    counts = rng.binomial(sizes, p, (RUNS, 2)) + noise(rng, epsilon, (RUNS, 2))
    noisy = [NoisyGroupCounts((a, b), sizes, epsilon) for a, b in counts.astype(float).tolist()]

    def far(each):
        return abs(each.compute_statistic(line)) > 1.8

    assert share_rejected(noisy, lambda each: each.compute_pvalue(line, "two-sided"), far) < HIGHEST
    # a statistic nearer than that is not rejected
    near = max([each for each in noisy if not far(each)], key=lambda each: abs(each.compute_statistic(line)))
    assert near.compute_pvalue(line, "two-sided") > 0.05
    # without the noise's variance far more are rejected
    plain = [NoisyGroupCounts(each.counts, sizes, 1e3).compute_statistic(line) for each in noisy]
    assert np.mean(np.abs(plain) > 1.96) > HIGHEST


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_nothing_is_rejected_where_noise_is_all(alternative):
    noisy = NoisyGroupCounts((3.0, 90.0), (100, 100), 0.5 * SMALLEST_RATE)
    assert noisy.compute_pvalue(ProportionLine.from_difference(0.0), alternative) == 1.0


@pytest.mark.parametrize("sizes, informative", [((9, 30), False), ((30, 30), False), ((30, 31), True), ((31, 9), True)])
def test_one_group_larger_than_the_noise_is_informative(sizes, informative):
    assert stats.dlaplace(0.1).ppf(0.975) == 30
    assert NoisyGroupCounts((10.0, 20.0), sizes, 0.1).is_informative == informative


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_intervals_and_tests_agree(alternative):
    pair, noisy = NoisyBinaryCounts(62.0, 41.0, 1.0), NoisyGroupCounts((62.0, 41.0), (100, 90), 1.0)
    difference = lambda d: noisy.compute_pvalue(ProportionLine.from_difference(d), alternative)  # noqa: E731
    for each, test in (
        (PrivateSizeProportionInterval(pair, alternative), lambda p: pair.compute_pvalue(p, alternative)),
        (ContrastInterval(noisy, False, alternative), difference),
    ):
        low, high = each.compute_limits(0.05)
        # the interval leaves a fiftieth of alpha to what is not looked at
        assert low in (0.0, -1.0) or test(low + 0.005) > 0.05 > test(low - 0.01)
        assert high == 1.0 or test(high - 0.005) > 0.05 > test(high + 0.01)


def test_what_a_result_says():
    x, y = truths(62, 100), truths(41, 90)
    result = proportions_test(x, y, 1.0, rng=1)
    assert result.nobs == 190
    assert "the groups' sizes and who is in which group are public" in result.guarantee.conditions
    assert [name for name, _ in result.released] == ["count 1", "count 2"]
    assert result.guarantee.epsilon == 1.0 and "100 and 90 records" in result.summary().as_text()
    assert pickle.loads(pickle.dumps(result)).conf_int() == result.conf_int()
    one = binomtest(x, 1.0, p=0.4, rng=1)
    assert dict(one.released)["count and a uniform number"] == one.statistic
    assert abs(one.statistic - dict(one.released)["count"]) <= 0.5
    again = binomtest(x, 1.0, p=0.4, rng=1)
    assert one.pvalue == again.pvalue and one.validity == "exact" and one.nobs == 100
    assert "binomtest(condition, epsilon=1.0, p=0.4)" in one.call
    nothing = binomtest(x[:5], 0.01, rng=1)
    assert nothing.conf_int() == (0.0, 1.0) and "uninformative" in nothing.summary().as_text()


def test_missing_values():
    given_ = [True, None, False, None]
    assert dict(binomtest(given_, PLAIN, missing=True).released)["count"] == 3.0
    left = binomtest(given_, PLAIN, missing="drop", neighbors="unbounded")
    assert dict(left.released) == {"true": 1.0, "false": 1.0}


@pytest.mark.parametrize("compare", ["diff", "ratio"])
def test_one_sided_tests_look_at_their_own_side(compare):
    # no pair of equal shares is likely, and the first is the larger one
    a, b = np.arange(200) < 180, np.arange(200) < 60
    how = {"epsilon": 1.0, "compare": compare, "rng": 1}
    assert pydpstat.proportions_test(a, b, alternative="greater", **how).pvalue < 1e-4
    assert pydpstat.proportions_test(a, b, alternative="less", **how).pvalue > 0.99
    assert pydpstat.proportions_test(b, a, alternative="greater", **how).pvalue > 0.99


@pytest.mark.slow
@pytest.mark.parametrize("n, p, rate", [(3, 0.424, 2.17), (6, 0.3, 2.0)])
def test_few_records_whose_number_is_private_keep_the_level_on_one_side(n, p, rate):
    # exact, over all counts and noises: nine numbers of records alone gave 0.069 and 0.060
    noises = np.arange(-12, 13)
    masses = np.exp(-rate * np.abs(noises)) * math.tanh(0.5 * rate)
    pairs: dict[tuple[int, int], float] = {}
    for count, i, j in itertools.product(range(n + 1), range(25), range(25)):
        chance = stats.binom.pmf(count, n, p) * masses[i] * masses[j]
        if chance > 1e-7:
            pair = count + noises[i], n - count + noises[j]
            pairs[pair] = pairs.get(pair, 0.0) + chance
    rejected = [
        chance
        for pair, chance in pairs.items()
        if NoisyBinaryCounts(float(pair[0]), float(pair[1]), rate).compute_pvalue(p, "greater") <= 0.05
    ]
    assert sum(rejected) <= 0.0505
