"""Intervals for quantiles where the number of records, or of those in a group, is private."""

import numpy as np
import pandas as pd
import pytest
from levels.population import geometric
from scipy import stats

import pydpstat as dp
from pydpstat._null_distributions.quantiles.sample_quantiles import _WeightedDifferences, compute_private_limits


@pytest.mark.parametrize("n, q, rate, cells, below", [(60, 0.5, 1.0, 5, 2), (40, 0.2, 0.5, 4, 3)])
def test_limits_against_enumeration(n, q, rate, cells, below):
    tenths, reach = round(10 * q), int(50 / rate)
    one = np.exp(-rate * np.abs(np.arange(-reach, reach + 1.0)))

    def spread(law, factor):
        out = np.zeros((law.size - 1) * factor + 1)
        out[::factor] = law
        return out

    # all in tenths: 10 (K - q n + (1 - q) N - q N')
    law = spread(stats.binom.pmf(np.arange(n + 1), n, q), 10)
    for factor, number in ((10 - tenths, below), (tenths, cells - below)):
        for _ in range(number):
            law = np.convolve(law, spread(one / one.sum(), factor))
    lowest = -tenths * n - reach * ((10 - tenths) * below + tenths * (cells - below))
    (found,) = _WeightedDifferences(n, q, rate, cells).compute_thresholds(np.array([below]), 0.025)
    probability = law[: int(np.floor(10 * found)) - lowest + 1].sum()
    # the grid widens, and its points are a fraction of the lattice's distance apart
    assert 0.022 < probability < 0.0255


def exponential(n, rng):
    return rng.exponential(0.3, n).clip(0.0, 1.0)


def with_ties(n, rng):
    return np.where(rng.random(n) < 0.4, 0.25, rng.random(n))


LAWS = {"exponential": exponential, "ties": with_ties}
QUANTILES = {("exponential", 0.5): 0.3 * np.log(2.0), ("exponential", 0.1): -0.3 * np.log(0.9)}
QUANTILES |= {("ties", 0.5): 0.25, ("ties", 0.1): 0.1 / 0.6}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "q", "n", "rate", "cells"),
    [
        ("exponential", 0.5, 40, 1.0, 16),
        ("exponential", 0.1, 400, 0.2, 32),
        ("ties", 0.5, 1000, 2.0, 32),
    ],
)
def test_intervals_cover(name, q, n, rate, cells):
    rng = np.random.default_rng(20_261_126)
    true, edges, runs = QUANTILES[name, q], np.linspace(0.0, 1.0, cells + 1), 100
    missed, own = 0, 0
    for _ in range(runs):
        # the number of records is as random as it is private
        x = LAWS[name](rng.poisson(n), rng)
        noisy = np.histogram(x, edges)[0] + geometric(rate, cells, rng)
        low, high = compute_private_limits(noisy, edges, q, 0.1, rate)
        missed += not low <= true <= high
        low, high = compute_private_limits(noisy, edges, q, 0.1, rate, of_sample=True)
        own += not low <= np.quantile(x, q) <= high
    # at most the level by three standard deviations
    most = 0.1 * runs + 3.0 * np.sqrt(0.09 * runs)
    assert missed <= most and own <= most


def test_less_noise_and_more_records_narrow():
    rng, edges = np.random.default_rng(5), np.linspace(0.0, 1.0, 129)
    widths = []
    for n, rate in ((200, 0.05), (2000, 0.05), (20_000, 0.05), (20_000, 1.0)):
        noisy = np.histogram(exponential(n, rng), edges)[0] + geometric(rate, 128, rng)
        low, high = compute_private_limits(noisy, edges, 0.5, 0.05, rate)
        widths.append(high - low)
    assert widths[0] == 1.0 and widths == sorted(widths, reverse=True) and widths[-1] < 0.05


N = 4000
RNG = np.random.default_rng(20_261_127)
FRAME = pd.DataFrame(
    {
        "income": RNG.lognormal(0.0, 0.4, N).clip(0.0, 4.0),
        "region": RNG.choice(["n", "s", "w"], N, p=[0.7, 0.29, 0.01]),
    }
)
BY = {"by": "region", "levels": ["n", "s", "w"], "other": None}


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_medians_by_group_have_intervals(neighbors):
    r = dp.median(FRAME, 2.0, bounds=(0, 4), population=True, neighbors=neighbors, **BY, rng=1)
    ends = r.conf_int(kind="population")
    true = FRAME.groupby("region")["income"].median()
    assert (ends[0] <= 1.0).all() and (ends[1] >= 1.0).all()
    widths = ends[1] - ends[0]
    assert widths["n"] < widths["s"] < widths["w"]
    noise = r.conf_int()
    assert (noise[0] <= true).all() and (noise[1] >= true).all()
    assert abs(r.estimate["n"] - true["n"]) < 0.05


@pytest.mark.slow
def test_quantiles_by_group_are_a_table():
    r = dp.quantiles(FRAME, [0.25, 0.5], 1e6, bounds=(0, 4), population=True, grid_points=1025, **BY, rng=1)
    own = FRAME.groupby("region")["income"].quantile([0.25, 0.5]).unstack()
    # a cell of 4 / 1024 each
    assert np.allclose(r.estimate.iloc[:2], own.iloc[:2], atol=0.004)
    assert r.conf_int(kind="population").shape == (6, 2)
    # a record of a group moves no cell of another
    assert r.sensitivity == 2.0


@pytest.mark.parametrize("points", [8, 1026, 2.5, "129"])
def test_numbers_of_cells_are_checked(points):
    with pytest.raises(dp.PydpstatError, match="grid_points must be a whole number from 9 to 1025"):
        dp.median(FRAME.income, 1.0, bounds=(0, 4), population=True, grid_points=points)


@pytest.mark.slow
def test_moments_of_groups_are_those_of_the_records():
    r = dp.moments(FRAME, 1e6, bounds=(0, 4), **BY, rng=1)
    own = FRAME.groupby("region")["income"]
    assert np.allclose(r.mean.estimate, own.mean(), atol=1e-3)
    assert np.allclose(r.std.estimate, own.std(), atol=1e-3)
    frame = r.to_frame()
    assert list(frame.columns) == ["mean", "lower", "upper", "std"]
    assert (frame.lower < own.mean()).all() and (frame.upper > own.mean()).all()
    alone = dp.ttest_1samp(FRAME.income[FRAME.region == "s"], 1.0, 1e6, bounds=(0, 4), rng=1)
    assert r.ttest(1.0, "s").pvalue == pytest.approx(alone.pvalue, abs=0.03)
    assert r.mean.difference("n", "w").pvalue > 0.001
    assert "ttest(), and" in str(r.summary())


def test_moments_of_groups_refuse_noise_of_all_columns():
    frame = FRAME.assign(other=FRAME.income)
    with pytest.raises(dp.PydpstatError, match="mechanism must be 'laplace' or 'gaussian'"):
        dp.moments(frame, 1.0, bounds=[(0, 4)] * 2, mechanism="linf", **BY)
    with pytest.raises(dp.PydpstatError, match="group must be one of the release's groups"):
        dp.moments(FRAME, 1.0, bounds=(0, 4), **BY, rng=1).ttest(1.0, "x")


def test_the_median_and_a_histogram_of_the_same_cells_have_the_same_interval():
    edges = np.linspace(0.0, 4.0, 33)
    median = dp.median(FRAME.income, 0.05, bounds=(0, 4), population=True, grid_points=33, rng=1)
    own = dp.histogram(FRAME.income, 0.05, edges=edges, rng=1).quantile(0.5)
    for kind in ("population", "noise"):
        found, other = (each.conf_int(kind=kind).to_numpy().tolist() for each in (median, own))
        assert found == other and found[0][1] - found[0][0] < 1.0
