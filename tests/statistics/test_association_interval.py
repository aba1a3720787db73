"""The interval of a correlation: valid for every number of records, never missing, its quantiles exact."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

import pydpstat
from pydpstat._null_distributions.correlations import (
    _bound_unit_quantile,
    compute_correlation_limits,
    compute_sum_quantile,
)
from pydpstat.mechanisms.gaussian import GaussianNoise
from pydpstat.mechanisms.laplace import LaplaceNoise

NOISE = {"laplace": {}, "gaussian": {"mechanism": "gaussian", "delta": 1e-6}}


def pair(n, slope, seed=7):
    """Two variables between 0 and 100, the second the first times a slope plus its own noise."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    y = slope * x + math.sqrt(1.0 - slope * slope) * rng.normal(size=n)
    return np.clip(50.0 + 15.0 * x, 0.0, 100.0), np.clip(30.0 + 15.0 * y, 0.0, 100.0)


def released(x, y, epsilon=0.5, **options):
    return pydpstat.corr(x, y, epsilon, bounds=(0, 100), **options)


@pytest.mark.parametrize(
    "n, slope, mechanism, neighbors",
    [
        (20, 0.5, "laplace", "unbounded"),
        (100, 0.9, "laplace", "bounded"),
        (100, 0.9, "gaussian", "unbounded"),
        (1_000, 0.0, "laplace", "unbounded"),
        (10_000, 0.7, "laplace", "unbounded"),
        (10_000, 0.7, "gaussian", "bounded"),
    ],
)
def test_it_misses_no_more_often_than_it_says(n, slope, mechanism, neighbors):
    alpha, draws = 0.1, 150
    x, y = pair(n, slope)
    truth, rng = np.corrcoef(x, y)[0, 1], np.random.default_rng(11)
    missed = 0
    for _ in range(draws):
        low, high = released(x, y, neighbors=neighbors, rng=rng, **NOISE[mechanism]).conf_int(alpha).iloc[0]
        missed += not low <= truth <= high
    # a valid interval fails this with a probability below 1e-6
    assert missed <= stats.binom.isf(1e-6, draws, alpha)


@pytest.mark.parametrize("mechanism", NOISE)
def test_it_is_short_where_there_are_many_records(mechanism):
    x, y = pair(100_000, 0.5)
    r = released(x, y, rng=np.random.default_rng(3), **NOISE[mechanism])
    low, high = r.conf_int().iloc[0]
    # a tenth of alpha is for the means and variances: at most a fifth more than the delta method
    assert high - low < 1.2 * 2.0 * 1.96 * r.bse.iloc[0] < 0.03


def test_without_noise_it_closes_on_the_correlation():
    x, y = pair(200, 0.6)
    low, high = released(x, y, 1e9, rng=1).conf_int().iloc[0]
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(low, abs=1e-6) == pytest.approx(high, abs=1e-6)


@pytest.mark.parametrize(
    "n, mechanism, neighbors",
    [
        (2, "laplace", "bounded"),
        (50, "gaussian", "bounded"),
        (2, "gaussian", "unbounded"),
        (100, "laplace", "unbounded"),
    ],
)
def test_it_is_never_missing_and_holds_the_estimate(n, mechanism, neighbors):
    x, y = pair(n, 0.5)
    rng, unknown = np.random.default_rng(5), 0
    for _ in range(30):
        r = released(x, y, neighbors=neighbors, rng=rng, **NOISE[mechanism])
        low, high = r.conf_int().iloc[0]
        if math.isnan(r):
            unknown += 1
            assert -1.0 <= low <= high <= 1.0 and math.isnan(r.accuracy())
            continue
        assert -1.0 <= low <= float(r) <= high <= 1.0
        assert r.accuracy() == max(float(r) - low, high - float(r))
    assert unknown


@pytest.mark.parametrize("epsilon, alpha", [(1e-300, 1e-300), (1e-300, 0.5), (1e-12, 0.05), (1e12, 1e-300)])
def test_extreme_arguments(epsilon, alpha):
    x, y = pair(50, 0.5)
    low, high = released(x, y, epsilon, rng=3).conf_int(alpha).iloc[0]
    assert -1.0 <= low <= high <= 1.0


def test_constant_variables():
    low, high = released(np.full(1000, 40.0), np.arange(1000.0) / 10.0, rng=3).conf_int().iloc[0]
    assert (low, high) == (-1.0, 1.0)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_matrices(neighbors):
    x, y = pair(20_000, 0.8)
    frame = pd.DataFrame({"x": x, "y": y, "z": x[::-1]})
    r = pydpstat.corr(frame, epsilon=1.0, bounds=(0, 100), neighbors=neighbors, rng=1)
    low, high = (end.to_numpy().reshape(3, 3) for _, end in r.conf_int().items())
    truth = frame.corr().to_numpy()
    assert (low == low.T).all() and (high == high.T).all()
    assert (np.diag(low) == 1.0).all() and (np.diag(high) == 1.0).all()
    assert (low <= truth + 1e-12).all() and (truth - 1e-12 <= high).all() and low[0, 1] > 0.5
    assert not r.to_frame().drop(columns="noise sd").isna().any(axis=None)


WHY = "missing, because a noisy variance or number of records is too small to divide by"


@pytest.mark.slow
def test_what_cannot_be_computed_is_missing_and_every_form_says_why():
    x, y = pair(100, 0.5)
    rng = np.random.default_rng(1)
    results = [released(x, y, rng=rng) for _ in range(15)]
    nothing = [r for r in results if math.isnan(r.bse.iloc[0])]
    assert 0 < len(nothing) < len(results)
    for r in results:
        missing = r in nothing
        text = " ".join(r.summary(0.05).as_text().split())
        assert math.isnan(r) == math.isnan(r.to_frame()["estimate"].iloc[0]) == missing
        assert (WHY in text) == (f"<DPResults corr: {WHY}, " in repr(r)) == missing
        assert ("corr - - " in text) == missing and "nan" not in text
        assert (r.to_dict()["estimate"] is None) == missing
        # the noise's interval is valid all the same
        assert not r.conf_int().isna().any(axis=None)
        assert not r.conf_int(kind="population").isna().any(axis=None)


def test_a_matrix_says_how_many_are_missing():
    x, y = pair(30, 0.5)
    frame = pd.DataFrame({"x": x, "y": y, "z": x[::-1]})
    r = pydpstat.corr(frame, epsilon=0.1, bounds=(0, 100), rng=4)
    count = int(np.isnan(np.triu(np.asarray(r.estimate), 1)).sum())
    assert count and r.postprocessing[-1] == f"{WHY}: {count} of 3 pairs"
    assert f"<DPResults corr: 9 values, {r.postprocessing[-1]}, " in repr(r)
    assert (np.diag(r.estimate) == 1.0).all()


def tail(weights, limit):
    """P(sum of weights times Laplace variables > limit), by its characteristic function."""
    weights = np.asarray(weights)

    def integrand(s):
        return limit * np.sinc(limit * s / math.pi) / np.prod(1.0 + (weights * s) ** 2)

    return 0.5 - integrate.quad(integrand, 0.0, 60.0 / limit, limit=2000)[0] / math.pi


@pytest.mark.parametrize("terms, probability", [(4, 5e-4), (6, 0.05), (9, 0.3), (9, 0.004)])
def test_quantiles_of_sums(terms, probability):
    quantile = compute_sum_quantile(LaplaceNoise(1.0), terms, probability)
    assert tail(np.ones(terms), quantile) == pytest.approx(probability, rel=1e-3)
    normal = compute_sum_quantile(GaussianNoise(2.0), terms, probability)
    assert normal == pytest.approx(2.0 * math.sqrt(terms) * stats.norm.isf(probability), rel=1e-12)


@pytest.mark.parametrize("probability", [0.3, 0.1, 0.0225, 0.0045])
def test_no_weights_pass_the_quantile_of_the_worst_ones(probability):
    limit = _bound_unit_quantile(False, probability)
    rng = np.random.default_rng(2)
    worst = 0.0
    for power in (0, 1, 3, 8):
        for _ in range(8):
            weights = np.abs(rng.normal(size=9)) ** power * rng.choice([0.2, 1.0], 9)
            weights /= math.sqrt(2.0 * (weights * weights).sum())
            # the integral's own error is below 1e-3 of it
            worst = max(worst, tail(weights, limit))
    assert 0.5 * probability < worst <= 1.001 * probability


def test_a_range_beyond_its_noise_is_the_widest():
    # sums that no records can have
    assert tuple(compute_correlation_limits((-500.0,) * 9, None, LaplaceNoise(1.0), 0.05)) == (-1.0, 1.0)
    assert tuple(compute_correlation_limits((900.0, *[-300.0] * 8), 100, LaplaceNoise(1.0), 0.05)) == (
        -1.0,
        1.0,
    )


def test_noise_beyond_the_ends_leaves_the_end():
    # the correlation is 1, and half of all noise moves the estimate above it
    x = np.linspace(0.0, 1.0, 50)
    for seed in range(10):
        release = pydpstat.corr(x, x, 1e8, bounds=(0, 1), rng=seed)
        (wide,), (narrow,) = (release.conf_int(alpha).to_numpy() for alpha in (1e-6, 0.5))
        assert 0.999 < wide[0] <= narrow[0] <= narrow[1] <= wide[1] <= 1.0
