"""Statistics of records with weights: values, sensitivities, intervals, and what is refused."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pydpstat
from pydpstat._null_distributions.survey.weighted_means import NoisySize, PrivateSizeTotal
from pydpstat._null_distributions.survey.weighted_quantiles import WeightedCells, bound_laplace_sum_cdf
from pydpstat._release.options import options
from pydpstat.inference.survey._weighted_sums import (
    compute_cell_sums,
    compute_mean_sums,
    compute_noise_scales,
    make_weighted_query,
    read_weighted_records,
)

RNG = np.random.default_rng(5)
X = RNG.normal(50.0, 15.0, 5000)
W = RNG.choice([1.0, 2.5], X.size) + (X > 60)
NEIGHBORS = ("bounded", "unbounded")
ALMOST_WITHOUT_NOISE = 1e8


def sums_of(x, w, neighbors, edges=None, groups=None):
    """Return what is asked of values in [0, 1], weights up to 2, and groups "a" and "b"."""
    how = options(1.0, 0, "laplace", neighbors, "error")
    how = how if groups is None else how.add_scope(np.array(groups), ["a", "b"], None)
    known = read_weighted_records(np.array(x), np.array(w), (0.0, 1.0), 2.0, how)
    if edges is None:
        sums, size = known.compute_sums(compute_mean_sums)
        return make_weighted_query("weighted_mean", sums, 2, known, size)
    sums, size = known.compute_sums(partial(compute_cell_sums, edges=edges))
    return make_weighted_query("weighted_quantile", sums, edges.size - 1, known, size)


def test_records_outside_a_domain_are_zeros_within_the_bounds():
    # of 50 records 30 are in the domain, with z of 0.2 on average and z^2 of 0.3; a y of 0 is a z of -1.5
    weights = np.linalg.solve([[1.0, 1.0, 1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 1.0]], [30.0, 6.0, 9.0])
    found = PrivateSizeTotal(tuple(weights), 0.0, (2.0, 10.0), NoisySize(50.0, 1.0, 1)).make_sums(50)
    assert found.sums == pytest.approx((50.0, 6.0 - 1.5 * 20, 9.0 + 1.5**2 * 20)) and found.size == 50


@pytest.mark.parametrize("edge", [1, 3, 9])
def test_the_noise_of_a_weight_below_an_edge_is_that_of_all_cells(edge):
    cells = WeightedCells((5.0,) * 10, (5.0,) * 10, 0.0, tuple(range(11)), (2.0, 3.0), 60)
    noise = np.array(cells.compute_edge_sums(edge, 0.3).noise)
    # records are 1 below the edge and -1 above, less a mean of -0.4
    squares = edge * 1.4**2 + (10 - edge) * 0.6**2
    assert np.square(noise[1]).sum() == pytest.approx(2.0**2 * squares)


@pytest.mark.slow
def test_the_interval_of_a_quantile_covers_the_noise_or_says_nothing():
    x, w = np.linspace(0.0, 100.0, 1000), np.tile([1.0, 3.0], 500)
    truth = x[np.searchsorted(np.cumsum(w), 0.5 * w.sum())]
    found = [
        pydpstat.weighted_quantile(x, w, 0.5, 1.0, bounds=(0, 100), max_weight=4, rng=seed).conf_int()
        for seed in range(100)
    ]
    # at a rate of 0.95 fewer than 88 have a probability of 0.4 per cent
    assert sum(each.iloc[0, 0] <= truth <= each.iloc[0, 1] for each in found) >= 88
    # the noise of 64 cells is as large as the weight of 50 records
    few = pydpstat.weighted_quantile(x[:50], w[:50], 0.5, 0.1, bounds=(0, 100), max_weight=4, rng=1)
    assert np.isnan(few.bse).all() and np.isfinite(few.conf_int(kind="population")).all().all()


@pytest.mark.parametrize(
    "weights, terms",
    [((1.0, 0.0), (1, 9)), ((0.5, 0.5), (2, 4)), ((0.98, 0.02), (1, 63)), ((0.4, 0.6), (30, 9))],
)
def test_the_law_of_a_sum_of_laplace_variables(weights, terms):
    rng, draws = np.random.default_rng(2), 100_000
    gammas = [rng.gamma(each, size=draws) - rng.gamma(each, size=draws) for each in terms]
    drawn = weights[0] * gammas[0] + weights[1] * gammas[1]
    for x in np.array([-3.0, -1.0, 0.0, 0.5, 2.0]) * drawn.std():
        # 5 standard errors of 100,000 draws
        assert bound_laplace_sum_cdf(x, weights, terms) == pytest.approx(
            (drawn <= x).mean(), abs=5.0 * 0.5 / np.sqrt(draws)
        )
    if weights[1] == 0.0:
        exact = [0.5 * np.exp(-3.0), 0.5, 1.0 - 0.5 * np.exp(-3.0)]
        found = [bound_laplace_sum_cdf(x, weights, terms) for x in (-3.0, 0.0, 3.0)]
        # of one variable the series falls slowest; what is found is below
        assert found == pytest.approx(exact, abs=1e-6) and np.all(np.array(found) <= exact)
    assert bound_laplace_sum_cdf(-1e9, weights, terms) == 0.0 and bound_laplace_sum_cdf(1e9, weights, terms) == 1.0


@pytest.mark.parametrize("neighbors", NEIGHBORS)
def test_with_next_to_no_noise_it_is_numpy_s_average(neighbors):
    x, w = X.clip(0.0, 100.0), W
    public = {"bounds": (0, 100), "max_weight": 4, "neighbors": neighbors, "rng": 1}
    r = pydpstat.weighted_mean(X, W, ALMOST_WITHOUT_NOISE, **public)
    # the grid of 2^-40 and noise of 1e-8
    assert float(r) == pytest.approx(np.average(x, weights=w), abs=1e-6)
    low, high = r.conf_int(kind="population").to_numpy()[0]
    residual = w * (x - float(r))
    half = 1.959964 * np.sqrt((residual**2).sum()) / w.sum()
    # the reference draws are 8,192 and their quantiles right to two per cent
    assert (high - float(r), float(r) - low) == pytest.approx((half, half), rel=0.06)
    p = pydpstat.weighted_proportion(X > 60, W, ALMOST_WITHOUT_NOISE, max_weight=4, neighbors=neighbors, rng=1)
    assert float(p) == pytest.approx(np.average(X > 60, weights=w), abs=1e-6)


@pytest.mark.parametrize(
    ("neighbors", "bounds"), [("bounded", (0, 100)), ("unbounded", (0, 100)), ("unbounded", (-50, 100))]
)
def test_totals(neighbors, bounds):
    x = (X - 20.0).clip(*bounds)
    public = {"bounds": bounds, "max_weight": 4, "neighbors": neighbors, "rng": 1}
    r = pydpstat.weighted_total(X - 20.0, W, ALMOST_WITHOUT_NOISE, **public)
    assert float(r) == pytest.approx((W * x).sum(), rel=1e-7)
    low, high = r.conf_int(kind="population").to_numpy()[0]
    half = 1.96 * np.sqrt(x.size) * (W * x).std()
    # the reference draws are 8,192 and their quantiles right to two per cent
    assert (high - float(r), float(r) - low) == pytest.approx((half, half), rel=0.07)
    noisy = pydpstat.weighted_total([20.0], [2.0], 1.0, **public)
    if neighbors == "bounded":
        # a product from 0 to 400 with noise of that scale, at no greater a scale than the sum's alone
        assert noisy.noise_scale == 400.0 and noisy.bse.iloc[0] == pytest.approx(400.0 * np.sqrt(2.0), rel=1e-12)
    else:
        places = np.array([4 * bounds[0], 2 * (bounds[0] + bounds[1]), 4 * bounds[1]])
        assert noisy.sensitivity == 1.0 and noisy.nobs is None
        assert noisy.bse.iloc[0] == pytest.approx(np.sqrt(2 * (places**2).sum()))


REGION = np.where(np.arange(X.size) % 5 == 0, "a", np.where(np.arange(X.size) % 2 == 0, "b", "c"))
FRAME = pd.DataFrame({"x": X, "w": W, "region": REGION, "sex": np.arange(X.size) % 3 == 0})
GROUPS = {"levels": ["a", "b"], "other": None}
TABLE = {"bounds": (0, 100), "max_weight": 4, **GROUPS}
INSIDE = {level: (X.clip(0.0, 100.0)[level == REGION], W[level == REGION]) for level in "ab"}


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", NEIGHBORS)
def test_with_next_to_no_noise_a_domain_table_is_that_of_the_groups_alone(neighbors):
    def table(call, *q, **own):
        how = {**TABLE, "by": REGION, "neighbors": neighbors, "rng": 1, **own}
        r = call(X, W, *q, ALMOST_WITHOUT_NOISE, **how)
        return r.params, r.conf_int(kind="population")

    means, mean_ends = table(pydpstat.weighted_mean)
    totals, total_ends = table(pydpstat.weighted_total)
    medians, median_ends = table(pydpstat.weighted_quantile, 0.5, bins=200)
    _, counted_ends = table(pydpstat.weighted_total, other="other")
    alone = {"bounds": (0, 100), "max_weight": 4, "neighbors": "unbounded", "rng": 1}
    assert list(mean_ends.index) == list(total_ends.index) == list(median_ends.index) == ["a", "b"]
    for level, (x, w) in INSIDE.items():
        assert means[level] == pytest.approx(np.average(x, weights=w), abs=1e-6)
        assert totals[level] == pytest.approx((x * w).sum(), rel=1e-7)
        # ends are found to a fiftieth of a standard error
        own = pydpstat.weighted_mean(x, w, ALMOST_WITHOUT_NOISE, **alone).conf_int(kind="population")
        assert mean_ends.loc[level].to_numpy() == pytest.approx(own.to_numpy()[0], abs=0.05)
        # nobody says how many records are in no group: any number, each with the product 0
        squares = (x * w).dot(x * w)
        # the reference draws are 8,192 and their quantiles right to two per cent
        for ends, variance in ((total_ends, squares), (counted_ends, squares - (x * w).sum() ** 2 / X.size)):
            assert np.diff(ends.loc[level])[0] / 2 == pytest.approx(1.96 * np.sqrt(variance), rel=0.06)
        low, high = median_ends.loc[level]
        order = np.argsort(x)
        at = x[order][np.searchsorted(np.cumsum(w[order]), 0.5 * w.sum())]
        assert abs(medians[level] - at) < 0.5 and low <= at <= high < low + 8.0


def test_names_of_columns_stand_for_them():
    frame = FRAME[["w", "region", "x"]]
    calls = {
        "a column of its own": (X, W, REGION),
        "keys by name": (FRAME[["x", "region"]], W, "region"),
        "weights by name": (FRAME[["x", "w"]], "w", REGION),
        "all by name": (frame, "w", "region"),
        "an iterator of frames": (iter([frame[:9], frame[9:]]), "w", "region"),
    }
    found = [pydpstat.weighted_mean(x, w, 1.0, by=by, **TABLE, rng=1).value for x, w, by in calls.values()]
    assert all(np.array_equal(each, found[0]) for each in found)
    own = {"bounds": (0, 100), "max_weight": 4, "rng": 1}
    named = pydpstat.weighted_mean(FRAME[["w", "x"]], "w", 1.0, **own)
    assert float(named) == float(pydpstat.weighted_mean(X, W, 1.0, **own))
    high = pd.DataFrame({"high": X > 60, "region": REGION, "sex": FRAME.sex})
    levels = [["a", "b", "c"], [False, True]]
    how = {"max_weight": 4, "by": ["region", "sex"], "levels": levels}
    crossed = pydpstat.weighted_proportion(high, W, 1.0, **how, rng=1)
    assert crossed.params.index.names == ["region", "sex"] and crossed.params.size == 4 * 3


@pytest.mark.slow
def test_two_groups_are_compared():
    x, w = np.concatenate([X, X + 3.0]), np.concatenate([W, W])
    groups = np.repeat(["a", "b"], X.size)
    r = pydpstat.weighted_mean(x, w, ALMOST_WITHOUT_NOISE, by=groups, **TABLE, rng=1)
    found = r.difference("b", "a")
    errors = []
    for each in (x[groups == "a"].clip(0, 100), x[groups == "b"].clip(0, 100)):
        mean = np.average(each, weights=W)
        errors.append(np.sqrt(((W * (each - mean)) ** 2).sum()) / W.sum())
    low, high = found.conf_int(0.05)
    assert dict(found.estimates)["difference of b and a"] == pytest.approx(r.params["b"] - r.params["a"])
    # the reference draws are 8,192 and their quantiles right to two per cent
    assert (high - low) / 2 == pytest.approx(1.96 * np.hypot(*errors), rel=0.06)
    assert found.pvalue < 0.003 and r.difference("a", "b").statistic == -found.statistic
    few = pydpstat.weighted_mean(x[:40], w[:40], 0.1, by=groups[:40], **TABLE, rng=1)
    nothing = few.difference("a", "b")
    assert nothing.pvalue == 1.0 and nothing.conf_int(0.05) == (-100.0, 100.0)


@pytest.mark.parametrize(("q", "neighbors"), [(0.1, "bounded"), (0.5, "unbounded"), (0.9, "bounded")])
def test_quantiles_by_weight(q, neighbors):
    order = np.argsort(X)
    at = X[order][np.searchsorted(np.cumsum(W[order]), q * W.sum())]
    how = {"bounds": (0, 100), "max_weight": 4, "neighbors": neighbors, "bins": 200, "rng": 1}
    r = pydpstat.weighted_quantile(X, W, q, ALMOST_WITHOUT_NOISE, **how)
    low, high = r.conf_int(kind="population").to_numpy()[0]
    assert abs(float(r) - at) < 0.5 and low <= at <= high and high - low < 5.0


STRATUM = np.where(X > 65.0, "high", np.where(X > 40.0, "middle", "low"))
STRATA = {"strata": STRATUM, "levels": ["low", "middle", "high"], "bounds": (0, 100), "max_weight": 4}


@pytest.mark.parametrize("neighbors", NEIGHBORS)
def test_strata_leave_the_variance_within_them(neighbors):
    x = X.clip(0.0, 100.0)
    public = {**STRATA, "neighbors": neighbors, "rng": 1}
    mean = pydpstat.weighted_mean(X, W, ALMOST_WITHOUT_NOISE, **public)
    total = pydpstat.weighted_total(X, W, ALMOST_WITHOUT_NOISE, **public)
    assert float(mean) == pytest.approx(np.average(x, weights=W), abs=1e-6)
    assert float(total) == pytest.approx((W * x).sum(), rel=1e-7)
    inside = [STRATUM == level for level in STRATA["levels"]]
    for r, y, over in ((mean, W * (x - float(mean)), W.sum()), (total, W * x, 1.0)):
        low, high = r.conf_int(kind="population").to_numpy()[0]
        half = 1.96 * np.sqrt(sum(part.sum() * y[part].var(ddof=1) for part in inside)) / over
        # the reference draws are 8,192, and the smallest possible skewness is not known
        assert half < (high - low) / 2 < 1.12 * half
        assert "within strata" in r.post.population.assumptions[0]


@pytest.mark.parametrize("neighbors", NEIGHBORS)
def test_the_sums_share_epsilon(neighbors):
    how = options(2.0, 0, "laplace", neighbors, "error")
    linear, squares = compute_noise_scales(how)
    sensitivity = sums_of([1.0], [2.0], neighbors).sensitivities[0]
    # three quarters are for the sums of weights, a quarter for those of their squares
    assert (sensitivity / linear, sensitivity / squares) == pytest.approx((1.5, 0.5), rel=1e-12)


def test_the_noise_of_strata_adds_up():
    one = pydpstat.weighted_mean(X, W, 1.0, bounds=(0, 100), max_weight=4, neighbors="unbounded", rng=1)
    four = pydpstat.weighted_mean(X, W, 1.0, neighbors="unbounded", rng=1, **STRATA)
    # with that of other values; the slope is taken at the noisy sums
    assert four.bse.iloc[0] == pytest.approx(2.0 * one.bse.iloc[0], rel=0.02)
    named = pydpstat.weighted_mean(
        pd.DataFrame({"x": X, "w": W, "s": STRATUM}),
        "w",
        1.0,
        neighbors="unbounded",
        rng=1,
        **{**STRATA, "strata": "s"},
    )
    assert float(named) == float(four) and named.labels.name == "x" and "strata='s'" in str(named.summary())


RECORD = st.tuples(st.floats(-0.2, 1.2), st.floats(-0.5, 2.5), st.sampled_from("abc"))


@pytest.mark.slow
@settings(max_examples=150)
@given(st.lists(RECORD, min_size=1, max_size=4), RECORD, st.sampled_from(NEIGHBORS), st.booleans(), st.booleans())
def test_no_neighbor_moves_the_sums_by_more_than_the_sensitivity(records, other, neighbors, cells, grouped):
    edges = np.linspace(-1.0, 1.0, 9) if cells else None
    others = [other, *records[1:]] if neighbors == "bounded" else [*records, other]
    before, after = (
        sums_of(x, w, neighbors, edges, keys if grouped else None)
        for x, w, keys in ((list(each) for each in zip(*some)) for some in (records, others))
    )
    moved = sum(abs(one - two) for one, two in zip(before.exact, after.exact))
    assert moved <= before.sensitivities[0]


@pytest.mark.parametrize("edges", [None, np.linspace(-1.0, 1.0, 9)], ids=["means", "cells"])
def test_a_record_that_leaves_a_group_and_enters_another_attains_the_sensitivity(edges):
    for start, neighbors, most in (("a", "bounded", 2), ("c", "unbounded", 1)):
        before, after = (sums_of([1.0], [2.0], neighbors, edges, [group]) for group in (start, "b"))
        assert sum(abs(one - two) for one, two in zip(before.exact, after.exact)) == most
        assert before.sensitivities == (most,)


@pytest.mark.parametrize(("neighbors", "records"), [("bounded", [0.0]), ("unbounded", [])])
def test_the_sensitivity_is_attained(neighbors, records):
    before = sums_of(records, [2.0] * len(records), neighbors)
    after = sums_of([1.0], [2.0], neighbors)
    assert sum(abs(a - b) for a, b in zip(before.exact, after.exact)) == before.sensitivities[0]
