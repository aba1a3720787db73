"""Welch's analysis of variance from noisy sums: sensitivity, law, levels, limits, edges and refusals."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from levels import group_means as simulated
from scipy import stats

import pydpstat
from pydpstat._null_distributions.means.group_means import NoiseMixing, run_equal_means_test
from pydpstat._null_distributions.means.noisy_t import NoisySums
from pydpstat._records.record_grid import GRID_BITS, make_standard_grid, sum_records
from pydpstat.errors import PydpstatError
from pydpstat.inference.means import one_way_f_test


def moved(one, two):
    """How far the two weighted sums move where one record takes another's place, exactly."""
    grid = (make_standard_grid(-1.0, 1.0),)
    first, second = (sum_records([np.array([each])], grid, "error", ((0, 0),)) for each in (one, two))
    by_sum = Fraction(abs(first.first[0] - second.first[0]), 2 << GRID_BITS)
    return by_sum + Fraction(abs(first.products[0] - second.products[0]), 4 << GRID_BITS)


@settings(max_examples=200)
@given(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
@example(-1.0, 1.0)
def test_no_record_moves_the_sums_by_more_than_1(one, two):
    assert moved(one, two) <= 1
    # what is furthest apart needs all of it
    assert moved(one, two) == 1 or {one, two} != {-1.0, 1.0}


def test_without_noise_it_is_welchs():
    rng = np.random.default_rng(4)
    groups = [rng.normal(0.5 + 0.004 * place, 0.02 * (place + 1), 400) for place in range(3)]
    weights = np.array([400 / (2.0 * each).var(ddof=1) for each in groups])
    means = np.array([2.0 * each.mean() - 1.0 for each in groups])
    expected = float(weights @ (means - weights @ means / weights.sum()) ** 2)
    r = pydpstat.f_oneway(*groups, epsilon=1e6, bounds=(0, 1), shape="normal", rng=1)
    # variances about the common mean, with divisor n
    assert r.statistic == pytest.approx(expected / 2, rel=0.02)
    # at this n the law is close to chi-square; the tolerance is for four errors of the simulation
    assert r.pvalue == pytest.approx(stats.chi2.sf(expected, 2), abs=0.03)


X = np.linspace(20, 60, 300)
USUAL = {"epsilon": 1.0, "bounds": (0, 100), "rng": 3}
OPEN = {**USUAL, "neighbors": "unbounded"}


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_equal_groups_and_groups_far_apart(neighbors):
    how = {**USUAL, "neighbors": neighbors}
    same = pydpstat.f_oneway(X, X, X, **how)
    far = pydpstat.f_oneway(X, X, X + 20, **how)
    assert same.pvalue > 0.05 and far.pvalue < 0.005 and far.epsilon == 1.0
    assert far.validity == "measured" and far.guarantee.neighbors == neighbors
    assert far.nobs == (900 if neighbors == "bounded" else None)
    said = "the groups' sizes and who is in which group are public" in far.guarantee.conditions
    assert said == (neighbors == "bounded")
    assert dict(far.estimates)["mean of group 3"] == pytest.approx(60.0, abs=3.0)
    assert far.call.startswith("f_oneway(sample1, sample2, sample3, epsilon=1.0, bounds=")
    if neighbors == "bounded":
        assert dict(far.released)["sum of z / 2, group 1"] == pytest.approx((X.sum() - 15_000) / 100, abs=12.0)
    else:
        dropped = pydpstat.f_oneway(X, X, np.append(X + 20, np.nan), missing="drop", **how)
        assert len(far.released) == 9 and dropped.released == far.released


# a level of 0.05 has more rejections with the probability 2e-4, and the seed is fixed
RUNS = 60
MOST = stats.binom.isf(2e-4, RUNS, 0.05)
HARD = [
    each
    for each in simulated.SETTINGS
    if each["law"] in ("0 or 1", "one large variance", "other variances") and 5.0 >= each["epsilon"] >= 1.0
][:6:2]


@pytest.mark.slow
@pytest.mark.parametrize("setting", HARD, ids=lambda each: each["name"])
def test_the_level_holds(setting):
    assert simulated.rejections(setting, RUNS, 7) <= MOST


@pytest.mark.slow
def test_a_law_without_all_of_the_noise_is_noticed():
    name = "normal, groups of 7 7 6, epsilon 0.05"
    setting = next(each for each in simulated.SETTINGS if each["name"].startswith(name))
    assert sum(p <= 0.05 for p in simulated._pvalues(setting, RUNS, 2)) <= MOST
    assert sum(p <= 0.05 for p in simulated._pvalues(setting, RUNS, 2, noise=2.0)) > MOST


def welch_pvalue(first, second, sizes, epsilon, draws=None):
    """Statistic and p-value of equal means, for sums of groups of public sizes."""
    noise = NoiseMixing.from_epsilon(epsilon).coefficients
    rows = zip(sizes, first.tolist(), second.tolist())
    return run_equal_means_test([NoisySums((float(n), *each), noise, "laplace", n) for n, *each in rows], draws=draws)[
        :2
    ]


def test_p_values_repeat_and_do_not_depend_on_the_order_of_groups():
    first, second = np.array([3.0, -2.0]), np.array([9.0, 8.0])
    found = welch_pvalue(first, second, (30, 40), 1.0)
    assert welch_pvalue(first + 0.0, second, (30, 40), 1.0) == found
    turned = welch_pvalue(first[::-1], second[::-1], (40, 30), 1.0)
    # other draws for each group: four errors of the simulation
    assert turned[0] == pytest.approx(found[0], rel=1e-12) and turned[1] == pytest.approx(found[1], abs=0.06)


@settings(max_examples=25)
@given(
    st.lists(st.integers(1, 10**6), min_size=2, max_size=5),
    st.sampled_from([1e-3, 0.3, 5.0, 1e4]),
    st.integers(0, 2**32),
)
def test_any_noisy_sums_have_a_p_value(sizes, epsilon, seed):
    rng = np.random.default_rng(seed)
    first = rng.uniform(-1, 1, len(sizes)) * sizes + rng.laplace(0, 2 / epsilon, len(sizes))
    second = rng.uniform(0, 1, len(sizes)) * sizes + rng.laplace(0, 4 / epsilon, len(sizes))
    statistic, pvalue = welch_pvalue(first, second, tuple(sizes), epsilon, draws=99)
    assert 0.0 < pvalue <= 1.0 and math.isfinite(statistic)


def test_nearly_without_noise_private_sizes_change_nothing():
    groups = [X, X + 1.0, X[:200] + 2.0]
    public, private = (
        pydpstat.f_oneway(*groups, **{**OPEN, "epsilon": 1e6, "neighbors": each}, shape="normal")
        for each in ("bounded", "unbounded")
    )
    assert private.statistic == pytest.approx(public.statistic, rel=1e-3)
    # other draws: four errors of the simulation
    assert private.pvalue == pytest.approx(public.pvalue, abs=0.05)


def test_a_group_that_may_be_empty_is_left_out_and_named():
    r = pydpstat.f_oneway(X, X + 20, [], **OPEN)
    assert r.pvalue < 0.01 and r.remarks[0] == "group 3 is left out: it may have no records at all."
    alone = pydpstat.f_oneway(X, [], [], **OPEN)
    assert (alone.pvalue, alone.statistic, alone.pvalue_floor) == (1.0, 0.0, 0.0)


@pytest.mark.slow
def test_series_name_the_groups():
    f, m = (pd.Series(X + shift, name=name) for shift, name in ((0, "f"), (9, "m")))
    r = pydpstat.f_oneway(f, m, **OPEN)
    assert [name for name, _ in r.estimates] == ["mean of f", "mean of m"]
    assert r.released[0][0] == "f: lower" and "mean of m" in r.summary().as_text()
    public = pydpstat.f_oneway(f, m, **{**OPEN, "neighbors": "bounded"})
    assert public.released[0][0] == "sum of z / 2, f"
    assert pydpstat.f_oneway(f, f, **OPEN).estimates[1][0] == "mean of group 2"


def test_a_released_mean_by_group_is_tested_as_the_groups_are():
    region = np.repeat(["north", "south", "west"], 300)
    values = np.concatenate([X, X + 2.0, X + 4.0])
    how = {"epsilon": 1.0, "bounds": (0, 100), "neighbors": "unbounded", "rng": 5}
    keys = {"by": region, "levels": ["north", "south", "west"], "other": None}
    released = pydpstat.mean(values, **how, **keys, population=True)
    r = released.f_oneway()
    known = [each.noisy_sums for each in released.post.population.parts]
    statistic, p, places = run_equal_means_test(known)
    assert (r.statistic, r.pvalue) == (statistic / 2, p) and places == (0, 1, 2)
    assert [name for name, _ in r.released] == ["north", "south", "west"]
    frame = pd.DataFrame({"age": values, "size": np.tile(X, 3)})
    two = pydpstat.mean(frame, **{**how, "epsilon": 4.0, "bounds": [(0, 100)] * 2}, **keys, population=True)
    assert two.f_oneway("age").pvalue < 0.05 < two.f_oneway("size").pvalue
    with pytest.raises(PydpstatError, match="no means of groups that can be compared"):
        pydpstat.mean(values, **how, population=True).f_oneway()


def test_intervals_of_the_means_have_the_unit_of_the_bounds():
    mix = ((1.0, 1.0, 1.0), (-1.0, 0.0, 1.0), (1.0, -1.0, 1.0))
    known = [NoisySums(each, mix, "laplace", None) for each in ((300.0, 10.0, 60.0), (200.0, -9.0, 40.0))]
    release = pydpstat.count(X > 40, 1.0, rng=1)
    make_results = one_way_f_test._make_mean_results
    standard, own = (make_results(release, known, ["f", "m"], pair) for pair in ((-1, 1), (20, 60)))
    wanted = 40.0 + 20.0 * standard.conf_int(kind="population")
    assert own.conf_int(kind="population").to_numpy() == pytest.approx(wanted.to_numpy(), rel=1e-12)


def test_normal_noise_has_its_own_distribution():
    mix = ((1.0, 1.0, 1.0), (-1.0, 0.0, 1.0), (1.0, -1.0, 1.0))
    sums = (300.0, 10.0, 60.0), (200.0, -9.0, 40.0)
    found = [run_equal_means_test([NoisySums(each, mix, law, None) for each in sums]) for law in ("laplace", "normal")]
    # less noise of the same scale
    assert found[1][0] > found[0][0] and found[1][1] < found[0][1]
