"""Chi-square tests of noisy tables: statistics, levels, limits without noise, edges and refusals."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from levels import tables as simulated
from scipy import stats

import pydpstat
from pydpstat._null_distributions import simulation
from pydpstat._null_distributions.noise import compute_noise_variance
from pydpstat._null_distributions.tables import (
    compute_fit_statistic,
    compute_independence_statistic,
    iterate_nuisance_points,
    project_to_shares,
    simulate_fit_pvalue,
    simulate_independence_pvalue,
)
from pydpstat.errors import PydpstatError

RATE = 0.4
ANSWERS = ["a", "b", "b", "c"] * 30


def least_square(left, covariance, away):
    """The least square of what is left in the covariance's metric, after any of some directions are taken."""
    root = np.linalg.inv(np.linalg.cholesky(covariance))
    found, *_ = np.linalg.lstsq(root @ away, root @ left, rcond=None)
    rest = root @ left - root @ away @ found
    return float(rest @ rest)


def covariance_of(p, n, rate):
    flat = p.ravel()
    return n * (np.diag(flat) - np.outer(flat, flat)) + compute_noise_variance(rate) * np.eye(flat.size)


def test_noise_has_the_variance_and_the_law_that_are_said():
    for rate in (0.01, 0.7, 5.0):
        k = np.arange(-4_000, 4_001)
        law = math.tanh(rate / 2.0) * np.exp(-rate * np.abs(k))
        assert compute_noise_variance(rate) == pytest.approx(float(law @ (k * k)), rel=1e-9)
    drawn = simulation.simulate_geometric_noise(np.random.default_rng(3), 0.7, (200_000,))
    k = np.arange(-3, 4)
    law = math.tanh(0.35) * np.exp(-0.7 * np.abs(k))
    shares_drawn = [(drawn == each).mean() for each in k]
    # five standard errors: a false alarm in 1e5 runs, with one seed none
    assert shares_drawn == pytest.approx(law, abs=5.0 * math.sqrt(0.25 / 200_000))
    assert shares_drawn != pytest.approx(math.tanh(0.4) * np.exp(-0.8 * np.abs(k)), abs=0.005)


def test_the_statistics_are_least_squares_in_the_metric_of_sampling_and_noise():
    noisy = np.array([[31.0, 12.0, -3.0], [44.0, 20.0, 9.0]])
    p, ones = np.array([0.5, 0.3, 0.2]), np.ones(6)
    # to the digits that the arithmetic leaves
    found = [compute_fit_statistic(noisy, p, size, RATE) for size in (60, None)]
    for row, known, private in zip(noisy, *found):
        expected = least_square(row - 60 * p, covariance_of(p, 60, RATE), ones[:3, None])
        assert known == pytest.approx(expected, rel=1e-8)
        diagonal = np.diag(row.sum() * p + compute_noise_variance(RATE))
        assert private == pytest.approx(least_square(row - row.sum() * p, diagonal, p[:, None]), rel=1e-8)
    r, c = (project_to_shares(noisy.sum(axis=axis)[None], np.array([100.0]))[0] for axis in (1, 0))
    cells = np.outer(r, c)
    away = [np.kron(np.eye(2)[0] - np.eye(2)[1], c)]
    away += [np.kron(r, np.eye(3)[place] - np.eye(3)[2]) for place in (0, 1)]
    left, covariance = (noisy - 100 * cells).ravel(), covariance_of(cells, 100, RATE)
    expected = least_square(left, covariance, np.column_stack([*away, ones]))
    assert compute_independence_statistic(noisy[None], 100, RATE) == pytest.approx(expected, rel=1e-6)


@pytest.mark.slow
def test_without_noise_they_are_pearsons_and_the_p_values_those_of_scipy():
    table = np.array([[10.0, 20.0, 30.0], [16.0, 19.0, 25.0]])
    exact = stats.chi2_contingency(table, correction=False)
    statistic, pvalue = simulate_independence_pvalue(table, 120, 5e5)
    assert statistic == pytest.approx(exact.statistic, rel=1e-5)
    # 0.02: the chi-square law's own error here, and four standard errors of the simulation
    assert pvalue == pytest.approx(exact.pvalue, abs=0.03)
    fit = stats.chisquare(table.ravel())
    statistic, pvalue = simulate_fit_pvalue(table.ravel(), np.full(6, 1.0 / 6.0), 120, 5e5)
    assert statistic == pytest.approx(fit.statistic, rel=1e-5)
    assert pvalue == pytest.approx(fit.pvalue, abs=0.01)
    x, y = (np.repeat(each, table.ravel().astype(int)) for each in (["u"] * 3 + ["v"] * 3, [*"abc"] * 2))
    for neighbors in ("bounded", "unbounded"):
        r = pydpstat.chi2_contingency(x, y, 1e6, levels=(["u", "v"], [*"abc"]), neighbors=neighbors)
        assert r.statistic == pytest.approx(exact.statistic, rel=1e-4)
        assert r.pvalue == pytest.approx(exact.pvalue, abs=0.03)
        r = pydpstat.chisquare(y, 1e6, levels=[*"abc"], f_exp={"a": 1, "b": 2, "c": 2}, neighbors=neighbors)
        expected = stats.chisquare([26, 39, 55], [24, 48, 48])
        assert r.statistic == pytest.approx(expected.statistic, rel=1e-4)
        assert r.pvalue == pytest.approx(expected.pvalue, abs=0.02)


def test_a_p_value_is_its_place_among_all_outcomes():
    """Two levels, five records: the law by enumeration of counts and noise."""
    p, n, rate = np.array([0.3, 0.7]), 5, 1.5
    noise = np.arange(-30, 31)
    weight = math.tanh(rate / 2.0) * np.exp(-rate * np.abs(noise))
    tables, chances = [], []
    for count in range(n + 1):
        first, second = np.meshgrid(count + noise, n - count + noise, indexing="ij")
        tables.append(np.column_stack([first.ravel(), second.ravel()]))
        chances.append(np.outer(weight, weight).ravel() * stats.binom.pmf(count, n, p[0]))
    law = compute_fit_statistic(np.concatenate(tables).astype(float), p, n, rate)
    chance = np.concatenate(chances)
    for noisy in ([5.0, 0.0], [2.0, 2.0], [-1.0, 9.0]):
        statistic, pvalue = simulate_fit_pvalue(np.array(noisy), p, n, rate)
        exact = float(chance[law >= statistic * (1.0 - 1e-9)].sum())
        # five standard errors of 9,999 tables
        assert pvalue == pytest.approx(exact, abs=5.0 * math.sqrt(exact * (1.0 - exact) / 9_999) + 1e-4)


# those of the search with the highest rates, and some of given shares: a level of 0.05 has more rejections
# with the probability 2e-4, and the seed is fixed
RUNS = 120
MOST = stats.binom.isf(2e-4, RUNS, 0.05)
WORST = [each for each in simulated.SETTINGS if "worst" in each["name"]]
WORST += [each for each in simulated.SETTINGS if each["name"].startswith("given shares, 5 equal")]


@pytest.mark.slow
@pytest.mark.parametrize("setting", WORST[::2], ids=lambda each: each["name"])
def test_the_level_holds_where_it_is_hardest(setting):
    assert simulated.rejections(setting, RUNS, 11) <= MOST


@pytest.mark.slow
@pytest.mark.parametrize("name", ["independence, 2x2 equal, n 20,", "given shares, 2 equal, n 20,"])
def test_a_law_without_all_of_the_noise_is_noticed(name):
    setting = next(each for each in simulated.SETTINGS if each["name"].startswith(name))
    assert sum(p <= 0.05 for p in simulated._pvalues(setting, 300, 5, noise=1.5)) > 29


def test_no_records_where_their_number_is_private():
    r = pydpstat.chi2_contingency([], [], 1.0, levels=(["a", "b"], ["a", "b"]), neighbors="unbounded", rng=1)
    assert 0.0 < r.pvalue <= 1.0 and r.nobs is None
    with pytest.raises(PydpstatError, match="must have at least 1 record"):
        pydpstat.chisquare([], 1.0, levels=["a", "b"])


def test_a_p_value_with_a_private_number_of_records_is_that_of_the_statistic_without_it():
    rng, n, p, rate = np.random.default_rng(6), 60, np.array([0.9, 0.1]), 0.3
    noise = simulation.simulate_geometric_noise(rng, rate, (160_000, 2))
    drawn = compute_fit_statistic(rng.multinomial(n, p, 160_000) + noise, p, None, rate)
    noisy = np.array([40.0, 20.0])
    statistic, pvalue = simulate_fit_pvalue(noisy, p, None, rate)
    share = float((drawn >= statistic).mean())
    assert 0.005 < share < 0.02 and pvalue > share - 4.0 * math.sqrt(share / 160_000)


def test_one_level_leaves_nothing_to_test():
    for neighbors in ("bounded", "unbounded"):
        assert pydpstat.chisquare(["a"] * 9, 1.0, levels=["a"], neighbors=neighbors).pvalue == 1.0
        one = pydpstat.chi2_contingency(["a"] * 9, [*"uvw"] * 3, 1.0, levels=(["a"], [*"uvw"]), neighbors=neighbors)
        assert one.pvalue == 1.0


@pytest.mark.slow
def test_what_is_no_level_is_missing():
    with pytest.raises(PydpstatError, match="must have a level in each record"):
        pydpstat.chisquare([*ANSWERS, "z"], 1.0, levels=["a", "b", "c"])
    named = pd.DataFrame({"sex": [*ANSWERS, "z"], "region": [*ANSWERS, "a"]})
    levels = {"sex": ["a", "b", "c"], "region": ["a", "b", "c"]}
    with pytest.raises(PydpstatError, match="^'sex' and 'region' must have a level in each record"):
        pydpstat.design(named, levels=levels, other=None).chi2_contingency(["sex", "region"], 1.0)
    kept = pydpstat.chisquare([*ANSWERS, "z", None], 1e6, levels=["a", "b", "c"], missing="c")
    assert dict(kept.released) == {"a": 30.0, "b": 60.0, "c": 32.0} and kept.nobs == 122
    left = pydpstat.chisquare([*ANSWERS, "z", None], 1e6, levels=["a", "b", "c"], missing="drop", neighbors="unbounded")
    assert dict(left.released) == {"a": 30.0, "b": 60.0, "c": 30.0} and left.nobs is None
    added = pydpstat.chi2_contingency(ANSWERS, ANSWERS, 1e6, levels=(["a", "b"], ["a", "b"]), missing="c")
    assert dict(added.released)["c:c"] == 30.0


@pytest.mark.slow
def test_what_a_result_says():
    x = pd.Series(pd.Categorical(ANSWERS), name="answer")
    r = pydpstat.chisquare(x, 1.0, levels="declared", rng=1)
    assert r.validity == "model" and r.nobs == 120 and r.epsilon == 1.0
    assert "the declared categories are public" in r.guarantee.conditions
    assert r.call == "chisquare(data, epsilon=1.0, levels='declared')"
    assert pydpstat.chisquare(x, 1.0, levels="declared", neighbors="unbounded").validity == "measured"
    tested = pydpstat.chi2_contingency(ANSWERS, ANSWERS, 5.0, levels=([*"abc"], [*"abc"]), rng=1)
    assert tested.validity == "measured" and tested.pvalue < 0.001
    assert [name for name, _ in tested.estimates][:2] == ["share of x = a", "share of x = b"]
    assert dict(tested.estimates)["share of y = b"] == pytest.approx(0.5, abs=0.05)
    assert "The test returns no p-value below 9.9e-07." in tested.summary().as_text()
    with pytest.raises(PydpstatError, match="has no interval"):
        tested.conf_int()
    faint = pydpstat.chisquare(x, 0.001, levels="declared", rng=1)
    assert any("almost uninformative" in each for each in faint.remarks)


@settings(max_examples=20)
@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(1, 200),
    st.sampled_from([1e-3, 0.1, 1.0, 40.0]),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_any_noisy_table_has_a_p_value(rows, columns, n, rate, known, seed):
    noisy = simulation.simulate_geometric_noise(np.random.default_rng(seed), rate, (rows, columns)) + n // (
        rows * columns
    )
    size = n if known else None
    statistic, pvalue = simulate_independence_pvalue(noisy, size, rate, 99)
    assert 0.0 < pvalue <= 1.0 and math.isfinite(statistic)
    for number, p in iterate_nuisance_points(noisy, size, rate):
        assert number >= 1 and p.shape == noisy.shape
        assert p.min() > 0.0 and p.sum() == pytest.approx(1.0, rel=1e-9)
    # it does not matter in what order the levels are
    turned = compute_independence_statistic(noisy[None, ::-1, ::-1], size, rate)[0]
    assert turned == pytest.approx(statistic, rel=1e-6, abs=1e-6)


def test_p_values_of_few_records_have_the_errors_of_their_draws_on_top():
    table = np.array([[9.0, 5.0], [4.0, 12.0]])
    bare = simulate_independence_pvalue(table, 30, 1.0, 4999)[1]
    careful = bare + 3.0 * math.sqrt(bare * (1.0 - bare) / 4999)
    assert simulate_independence_pvalue(table, 30, 1.0)[1] == pytest.approx(careful)
    table[1, 1] += 1.0
    found = [simulate_independence_pvalue(table, 31, 1.0, draws) for draws in (None, 4999)]
    assert found[0] == found[1]


@pytest.mark.slow
def test_the_level_of_few_records_without_noise_is_held():
    # over the tables of ten records that make up nearly all of the probability, of which some are likely
    n, shares = 10, np.outer([0.18, 0.82], [0.82, 0.18]).ravel()
    divided = itertools.combinations(range(n + 3), 3)
    tables = np.array([np.diff([-1, *bars, n + 3]) - 1 for bars in divided])
    masses = stats.multinomial(n, shares).pmf(tables)
    rejected = masses[masses <= 2e-4].sum()
    assert rejected < 0.01
    for table, mass in zip(tables[masses > 2e-4], masses[masses > 2e-4]):
        pvalue = simulate_independence_pvalue(table.reshape(2, 2).astype(float), n, 50.0)[1]
        rejected += mass * (pvalue <= 0.05)
    assert rejected <= 0.05
