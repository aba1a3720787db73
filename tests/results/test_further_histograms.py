"""What follows from a released histogram: quantiles and the distribution function."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat
from pydpstat import PydpstatError
from pydpstat._null_distributions.quantiles.sample_quantiles import QuantileIntervals, compute_sample_limits
from pydpstat.mechanisms import DiscreteGaussianNoise, SymmetricGeometricNoise
from pydpstat.results._cumulation import (
    CumulationIntervals,
    NoisyCumulation,
    QuantileNoiseIntervals,
    compute_noise_sum_quantile,
)

BOTH = ["bounded", "unbounded"]
EDGES = np.linspace(0.0, 100.0, 21)
QUARTILES = (0.25, 0.5, 0.75)
FALSE_ALARMS = 1e-6
X = np.clip(np.random.default_rng(1).gamma(3.0, 12.0, 800), 0.0, 100.0)
TRUE = np.histogram(X, EDGES)[0].astype(float)


def released(epsilon=60.0, **how):
    return pydpstat.histogram(X, epsilon, edges=EDGES, **{"rng": 1, **how})


@pytest.mark.parametrize("neighbors", BOTH)
def test_with_next_to_no_noise_the_bins_of_the_quantiles_are_found(neighbors):
    r = released(neighbors=neighbors)
    found = r.quantile(QUARTILES)
    truth = np.quantile(X, QUARTILES)
    assert found.estimate.to_numpy() == pytest.approx(truth, abs=2.0)
    low, high = found.conf_int().to_numpy().T
    assert (low <= truth).all() and (truth <= high).all() and (high - low <= 10.0).all()
    wide = found.conf_int(kind="population").to_numpy()
    assert (wide[:, 0] <= low).all() and (high <= wide[:, 1]).all()
    assert float(r.quantile()) == found.estimate.iloc[1] and r.quantile(0.5).value.shape == ()
    below = (X[:, None] < EDGES[1:-1]).mean(axis=0)
    assert r.cdf().estimate.to_numpy() == pytest.approx(below, abs=1e-9)
    assert r.cdf().estimate.index.to_list() == EDGES[1:-1].tolist()


def test_the_cells_of_quantiles_give_the_intervals_of_quantiles():
    """With the same counts and a public number of records they are `quantile`'s, bit for bit."""
    cells = np.array([11.0, 19.0, 32.0, 21.0, 10.0, 5.0, 3.0, -1.0])
    row = NoisyCumulation(cells, 100, SymmetricGeometricNoise(0.5))
    for q in (0.1, 0.5, 0.9):
        ends = QuantileNoiseIntervals((row,), np.arange(9.0), (q,), ()).compute_noise_interval(0.05)
        assert tuple(map(float, ends)) == compute_sample_limits(cells, np.arange(9.0), 100, q, 0.05, 0.5)


@pytest.mark.parametrize("size", [None, 800])
@pytest.mark.parametrize("noise", [SymmetricGeometricNoise(0.05), DiscreteGaussianNoise(8.0)])
def test_noise_intervals_of_quantiles_and_shares_cover(size, noise):
    runs, truth = 150, np.quantile(X, QUARTILES)
    below = (X[:, None] < EDGES[1:-1]).mean(axis=0)
    drawn = TRUE + noise.rvs((runs, TRUE.size), 2)
    rows = tuple(NoisyCumulation(each, size, noise) for each in drawn)
    low, high = QuantileNoiseIntervals(rows, EDGES, QUARTILES, (runs, 3)).compute_noise_interval(0.2)
    least = stats.binom.ppf(FALSE_ALARMS, runs, 0.8)
    assert ((low <= truth) & (truth <= high)).sum(axis=0).min() >= least
    assert (high - low < 100.0).mean() > 0.9
    low, high = CumulationIntervals(rows, (runs, below.size)).compute_noise_interval(0.2)
    assert ((low <= below) & (below <= high)).sum(axis=0).min() >= least
    # with the noise of one cell the middle of the distribution function is missed
    one = tuple(NoisyCumulation(each, size, DiscreteGaussianNoise(0.3 * noise.std())) for each in drawn)
    low, high = CumulationIntervals(one, (runs, below.size)).compute_noise_interval(0.2)
    assert ((low <= below) & (below <= high)).sum(axis=0).min() < least


@pytest.mark.parametrize("share, edge, below", [(0.1, 2, 1001.0), (0.9, 18, 9001.0)])
def test_the_limit_of_a_quantile_far_from_the_middle_is_wrong_as_often_as_stated(share, edge, below):
    """Of 10,000 records one more than the share is below an edge, which is then above the quantile."""
    truth, noise, runs = np.zeros(20), SymmetricGeometricNoise(0.05), 1000
    truth[edge - 1], truth[-1] = below, 10_000.0 - below
    drawn = truth + noise.rvs((runs, 20), 5)
    found = [NoisyCumulation(each, None, noise).find_last_edge_below(share, 0.2) for each in drawn]
    wrong = np.mean(np.array(found) >= edge)
    assert 0.05 < wrong < 0.1 + 4.0 * np.sqrt(0.1 * 0.9 / runs)


def test_population_intervals_of_quantiles_with_a_private_size_cover():
    rng, runs, rate = np.random.default_rng(4), 30, 0.5
    law = stats.gamma(3.0, scale=12.0)
    edges, truth = np.linspace(0.0, 100.0, 11), law.ppf(0.5)
    hits, widths = 0, []
    for _ in range(runs):
        cells = np.histogram(np.clip(law.rvs(rng.poisson(150), random_state=rng), 0, 100), edges)[0]
        noisy = cells + SymmetricGeometricNoise(rate).rvs(10, rng)
        low, high = QuantileIntervals(noisy * 1.0, edges, None, rate, (0.5,), ()).compute_interval(0.2)
        hits += low <= truth <= high
        widths.append(high - low)
    assert hits >= stats.binom.ppf(FALSE_ALARMS, runs, 0.8) and np.mean(widths) < 40.0


def test_the_distribution_function_ascends_and_is_in_its_interval():
    r = released(0.02)
    found = r.cdf()
    value, (low, high) = found.estimate.to_numpy(), found.conf_int().to_numpy().T
    assert (np.diff(value) >= 0.0).all() and 0.0 <= value[0] and value[-1] <= 1.0
    assert (low <= value).all() and (value <= high).all()
    joint = found.conf_int(joint=True).to_numpy().T
    assert (joint[0] <= low).all() and (high <= joint[1]).all()


def test_population_intervals_of_the_distribution_function():
    for neighbors in BOTH:
        few = pydpstat.histogram(X, 1.0, edges=[0, 20, 40, 100], neighbors=neighbors, rng=1).cdf()
        low, high = few.conf_int(kind="population").to_numpy().T
        noise = few.conf_int().to_numpy().T
        assert (low < noise[0]).all() and (noise[1] < high).all()
        # twice the sampling error of a share of 800 records, and some noise
        assert (high - low < 4.0 * np.sqrt(0.25 / 800) + 0.03).all()


def test_groups_have_quantiles_and_distribution_functions_of_their_own():
    frame = pd.DataFrame({"x": np.append(X, X + 20.0), "g": ["a"] * 800 + ["b"] * 800})
    r = pydpstat.histogram(frame, 4.0, edges=EDGES, by="g", levels=["a", "b"], rng=1)
    median = r.quantile()
    assert median.estimate["b"] - median.estimate["a"] == pytest.approx(20.0, abs=2.0)
    both = r.quantile([0.25, 0.75])
    assert both.estimate.shape == (3, 2) and both.conf_int().shape == (6, 2)
    ends = both.conf_int(kind="population")
    assert ends.loc[("other", "0.25")].to_list() == [0.0, 100.0] and r.cdf().estimate.shape == (3, 19)
    alone = pydpstat.histogram(X, 60.0, edges=EDGES, neighbors="unbounded", rng=2)
    expected = alone.quantile([0.25, 0.75]).estimate.to_list()
    assert both.estimate.loc["a"].to_list() == pytest.approx(expected, abs=1.0)


def test_results_keep_the_guarantee_and_say_that_they_are_free():
    r = released(1.0)
    for found in (r.quantile(), r.quantile([0.1, 0.9]), r.cdf()):
        assert (found.guarantee, found.claim) == (r.guarantee, r.claim)
        text = " ".join(found.summary().as_text().split())
        assert "which follows from the released histogram at no additional privacy cost" in text
        assert found.call.startswith(r.call + ".")
        assert np.array_equal(pickle.loads(pickle.dumps(found)).value, found.value)
        assert found.to_frame(kind="noise").shape[1] == 4 and found.bse.notna().all()


def test_noise_intervals_stay_for_units_and_gaussian_noise():
    ids = np.arange(800) // 2
    for how in ({"unit": ids, "max_records": 2}, {"mechanism": "gaussian", "delta": 1e-6}):
        r = released(2.0, **how)
        low, high = r.quantile().conf_int().to_numpy()[0]
        assert low <= np.median(X) <= high and r.cdf().conf_int().shape == (19, 2)
        for found in (r.quantile(), r.cdf()):
            with pytest.raises(PydpstatError, match="geometric noise, and with at most one record of each unit"):
                found.conf_int(kind="population")


def test_a_sample_has_the_quantiles_of_the_sample():
    r = released(8.0, sample=0.5)
    assert float(r.quantile()) == pytest.approx(np.median(X), abs=5.0)
    assert r.cdf().estimate.iloc[-1] == pytest.approx(1.0, abs=0.02)


def test_what_is_no_histogram_says_so():
    mean = pydpstat.mean([1.0, 2.0], 1.0, bounds=(0, 3), rng=1)
    for result, name in ((mean, "quantile"), (mean, "cdf"), (released().quantile(), "cdf")):
        with pytest.raises(AttributeError, match="is not a histogram, so it has no quantiles"):
            getattr(result, name)
    r = released()
    for q in (-0.1, 1.5, "half", [0.5, 2.0]):
        with pytest.raises(PydpstatError, match="q must be from 0 to 1"):
            r.quantile(q)
    with pytest.raises(PydpstatError, match="q must have one or more numbers"):
        r.quantile([])
    one = pydpstat.histogram(X, 1.0, edges=[0, 100], rng=1)
    for kind in ("noise", "population"):
        assert one.quantile().conf_int(kind=kind).to_numpy().tolist() == [[0.0, 100.0]]
    with pytest.raises(PydpstatError, match="one bin"):
        one.cdf()


def test_a_count_below_an_edge_has_as_little_noise_as_possible():
    row = NoisyCumulation(np.array([10.0, 20.0, 30.0, 44.0]), 100, SymmetricGeometricNoise(0.5))
    # from below, as the mean of both sides' counts, and from above
    assert row.compute_shares().tolist() == [0.1, 0.28, 0.56]
    assert row.compute_slopes() == pytest.approx([0.01, 0.5 * 0.01 * 2.0, 0.01], rel=1e-15)
    low, high = row.compute_interval(0.1)
    one, four = (compute_noise_sum_quantile(row.noise, terms, 0.1) for terms in (1, 4))
    assert high - low == pytest.approx(np.array([2.0 * one, four, 2.0 * one]) / 100.0, rel=1e-12)
