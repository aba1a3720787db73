"""Any test and any interval on random blocks."""

import math
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat
from pydpstat._null_distributions.quantiles.block_counts import (
    BlockQuantileInterval,
    bound_level,
    choose_blocks,
    choose_interval_blocks,
    compute_rejections_sf,
)
from pydpstat.errors import UsageWarning

X = np.random.default_rng(5).normal(0.3, 1.0, 1000)


def t_test(block):
    return stats.ttest_1samp(block, 0.0)


def fails(block):
    raise ValueError(f"a record is {block[0]}")


@pytest.mark.parametrize("blocks, level, epsilon", [(1, 0.5, 1.0), (7, 0.2, 0.3), (12, 0.05, 4.0)])
def test_the_p_value_is_the_sum_over_all_outcomes(blocks, level, epsilon):
    # the law of the noise, integer by integer, to 1e-15
    integers = np.arange(-math.ceil(40.0 / epsilon), math.ceil(40.0 / epsilon) + 1)
    weights = math.tanh(0.5 * epsilon) * np.exp(-epsilon * np.abs(integers))
    hits = np.arange(blocks + 1)[:, None]
    for noisy in (-3.2, 0.0, 1.7, 5.0, 11.4):
        # of the uniform so much is at least what is missing
        left = np.clip(0.5 - (noisy - hits - integers), 0.0, 1.0)
        exact = stats.binom.pmf(hits[:, 0], blocks, level) @ left @ weights
        assert compute_rejections_sf(noisy, blocks, level, epsilon) == pytest.approx(exact, abs=1e-12)


def test_without_noise_the_p_value_is_that_of_the_binomial_test():
    # a p-value with a uniform number is between those of this and of one rejection more
    for hits in range(8):
        found = compute_rejections_sf(hits - 0.5, 7, 0.2, 1e6)
        expected = stats.binomtest(hits, 7, 0.2, alternative="greater").pvalue
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.filterwarnings("ignore:.*fails on made-up numbers")
def test_what_fails_falls_on_both_sides():
    # 400 coins: fewer than 140 or more than 260 of a kind have a probability below 1e-8
    r = pydpstat.any_interval(X, fails, 1e6, range=(0, 1), blocks=400, rng=1)
    cells = [value for _, value in r.released]
    assert cells[0] + cells[-1] == 400.0 and 140 <= cells[0] <= 260


@pytest.mark.parametrize(
    "data, test",
    [
        (X, t_test),
        (X.tolist(), t_test),
        (pd.Series(X), t_test),
        (pd.DataFrame({"a": X}), lambda block: t_test(block["a"])),
        (np.column_stack([X, 0.5 * X]), lambda block: stats.ttest_rel(block[:, 0], block[:, 1])),
        ((X, -X[:500]), stats.ttest_ind),
        (X, lambda block: t_test(block).pvalue),
        (X, lambda block: bool(t_test(block).pvalue <= 0.2)),
    ],
)
def test_containers_and_results(data, test):
    r = pydpstat.any_test(data, test, 1e3, blocks=10, level=0.2, rng=1)
    assert r.pvalue < 1e-4 and r.validity == "model" and r.guarantee.epsilon == 1e3
    assert pickle.loads(pickle.dumps(r)).pvalue == r.pvalue


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_a_record_moves_one_rejection_or_two_cells(neighbors):
    how = {"blocks": 10, "neighbors": neighbors}
    for seed in range(3):
        r = pydpstat.any_test(X, t_test, 0.5, level=0.2, **how, rng=seed)
        assert r.noise_scale == 2.0
        # the uniform number is between -1/2 and 1/2
        found = dict(r.released)
        assert abs(found["uniform"]) <= 0.5 and r.statistic == found["rejections"] + found["uniform"]
    r = pydpstat.any_interval(X, np.mean, 0.5, range=(0, 1), **how, rng=1)
    assert r.noise_scale == 4.0


def test_empty_blocks_reject_nothing():
    r = pydpstat.any_test(np.empty(0), lambda block: len(block) < 1, 1e4, blocks=3, level=0.2, neighbors="unbounded")
    # the callable itself says that an empty block rejects: that is its own affair
    assert dict(r.released)["rejections"] == 3.0 and r.nobs is None
    r = pydpstat.any_test(np.empty(0), t_test, 1e4, blocks=3, level=0.2, neighbors="unbounded")
    assert dict(r.released)["rejections"] == 0.0


def test_a_sampler_finds_the_level_that_a_test_has():
    def null(rng, size):
        return rng.random(size) < 0.1

    # a block of ten Bernoulli(.1) records has a one with the probability 0.651
    share = 1.0 - 0.9**10
    r = pydpstat.any_test(np.zeros(100, dtype=bool), np.any, 1.0, blocks=10, level=0.2, null=null)
    (_, limit), *_ = r.null
    # the upper 99.9 % limit of 10,000 draws lies 3.1 standard errors above what was drawn
    error = math.sqrt(share * (1.0 - share) / 10_000)
    assert share < limit < share + 6.0 * error and "have the distribution of null" in r.assumptions[0]
    # 1 - (1 - p)^n at no hits
    assert bound_level(0, 100) == pytest.approx(1.0 - 0.001 ** (1.0 / 100.0), rel=1e-12)


@pytest.mark.slow
def test_a_sampler_of_two_samples_and_of_unequal_blocks():
    asked = set()

    def null(rng, sizes):
        asked.add(sizes)
        return tuple(rng.random(size) for size in sizes)

    def first_is_low(one, other):
        return one[0] < 0.2

    r = pydpstat.any_test((X[:61], X[:40]), first_is_low, 1.0, blocks=4, level=0.2, null=null, rng=1)
    # six standard errors around 0.2
    assert 0.2 < dict(r.null)["share of rejecting blocks"] < 0.224 and asked == {(15, 10), (16, 10)}


def test_errors_of_a_sampler_are_seen():
    with pytest.raises(ValueError, match="made up"):
        pydpstat.any_test(X, t_test, 1.0, null=lambda rng, size: fails(["made up"]))


@pytest.mark.slow
def test_remarks():
    few = pydpstat.any_test(X[:100], t_test, 1.0, rng=1)
    assert any("many tests reject too often" in line for line in few.remarks)
    assert not any("reject too often" in line for line in pydpstat.any_test(X, t_test, 1.0, rng=1).remarks)
    lost = pydpstat.any_test(X[:20], t_test, 0.01, rng=1)
    assert any("almost uninformative" in line for line in lost.remarks)
    conditions = pydpstat.any_test((X, X), stats.ttest_ind, 1.0).guarantee.conditions
    assert any("sizes" in line for line in conditions) and any("time" in line for line in conditions)


@pytest.mark.slow
def test_designs():
    # about ten blocks at epsilon 1, more where the noise is larger, and no more than there may be
    assert choose_blocks(500, 1.0, None, None, 100) == (8, 0.2)
    assert choose_blocks(500, 0.1, None, None, 100)[0] > 40
    assert choose_blocks(100, 0.01, None, None, 20)[0] == 20
    assert choose_blocks(None, 1.0, 15, None, 1)[0] == 15
    assert choose_blocks(100, 1.0, None, 0.3, 20)[1] == 0.3
    assert choose_interval_blocks(1.0, 5) == 5 and choose_interval_blocks(1.0, 10**6) < 1000


def test_the_interval_without_noise_is_that_of_order_statistics():
    cells = np.zeros(64)
    cells[20:40] = 2.0
    found = BlockQuantileInterval(0.0, 64.0, tuple(cells.tolist()), 40, 0.5, 200.0).compute_limits(0.05)
    # of 40 values the 14th and the 27th, whose ranks are the binomial law's quantiles
    lower = int(stats.binom(40, 0.5).ppf(0.025))
    assert found[0] == pytest.approx(20.0 + lower // 2, abs=1.0)
    assert found[1] == pytest.approx(20.0 + (40 - lower) / 2, abs=1.0)


def test_limits_give_intervals_with_one_end():
    x = np.random.default_rng(1).normal(2.0, 1.0, 20_000)

    def lower(block):
        return block.mean() - stats.t(block.size - 1).ppf(0.8) * block.std(ddof=1) / math.sqrt(block.size)

    r = pydpstat.any_interval(x, lower, 1.0, range=(0, 4), limit="lower", level=0.2, rng=1)
    low, high = r.conf_int()
    assert 1.5 < low < 2.0 and high == math.inf
    r = pydpstat.any_interval(-x, lambda z: -lower(-z), 1.0, range=(-4, 0), limit="upper", level=0.2, rng=1)
    low, high = r.conf_int()
    assert low == -math.inf and -2.0 < high < -1.5


def test_beyond_the_range_there_is_no_end():
    r = pydpstat.any_interval(X + 100.0, np.mean, 5.0, range=(0, 1), rng=1)
    low, high = r.conf_int()
    assert 0.0 < low < 1.0 and high == math.inf


def test_a_callable_that_fails_on_made_up_blocks_is_told_of_before_anything_is_charged():
    x = np.random.default_rng(0).normal(size=300)
    frame = pd.DataFrame({"v": np.abs(x), "n": np.arange(300), "b": x > 0.0})

    def told(call):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            call()
        return [str(each.message) for each in seen if each.category is UsageWarning]

    def fail(block):
        raise ValueError("secret of the block")

    for data in (x, np.column_stack([x, x]), pd.Series(x), frame, frame["n"], frame["b"], (x, x[:100])):
        for call in (
            lambda test: pydpstat.any_test(data, test, 1.0, rng=1),
            lambda test: pydpstat.any_test(data, test, 1.0, blocks=10, neighbors="unbounded", rng=1),
        ):
            function = (lambda *blocks: fail(blocks)) if isinstance(data, tuple) else fail
            (one,) = told(lambda: call(function))
            assert one.startswith("test fails on made-up numbers (ValueError), in blocks of") and "secret" not in one
            assert told(lambda: call(lambda *blocks: 0.5)) == []
    (one,) = told(lambda: pydpstat.any_interval(x, lambda block: block.missing, 1.0, range=(0, 1), rng=1))
    assert "estimator fails on made-up numbers (AttributeError)" in one and "decided by a coin" in one
    (one,) = told(lambda: pydpstat.any_test(x, lambda block: "no p-value", 1.0, rng=1))
    assert "fails on made-up numbers, in blocks of" in one
    # what has a value for positive numbers only, or for the data's own columns
    assert (
        told(lambda: pydpstat.any_test(frame["v"], lambda block: float(np.log(block).mean() > 0.0), 1.0, rng=1)) == []
    )
    assert told(lambda: pydpstat.any_test(frame, lambda block: block["n"].mean() > block["v"].max(), 1.0, rng=1)) == []
    # the values of texts and of lists are not known
    for data in (frame.assign(t="a"), x.tolist(), frame["b"].map({True: "a", False: "b"})):
        assert told(lambda: pydpstat.any_test(data, fail, 1.0, rng=1)) == []
    budget = pydpstat.Budget(1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UsageWarning)
        with pytest.raises(UsageWarning):
            pydpstat.any_test(x, fail, 1.0, budget=budget)
    assert not budget.entries


def test_the_warning_is_the_same_on_neighboring_data():
    texts = []
    for last in (0.0, np.nan, np.inf, 1e300):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            pydpstat.any_test(np.append(np.zeros(99), last), lambda block: 1 / 0, 1.0, rng=1)
        texts.append([str(each.message) for each in seen])
    assert texts[0] and all(each == texts[0] for each in texts)
