"""Releases on a random sample: which records are in it, and what follows for all of them."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat
from pydpstat._records.contributions import SamplingDesign
from pydpstat.errors import PydpstatError
from pydpstat.privacy import LaplaceLoss, SubsampledLoss
from pydpstat.random import source_from
from tests.statistics.calls import CALLS, TABLES, TRUTHS

X = np.linspace(0.0, 1.0, 1000)
OPEN = {"neighbors": "unbounded"}
EVERY = CALLS | TRUTHS | {"crosstab": TABLES["crosstab"]}


def amplified(epsilon, rate):
    return math.log1p(rate * math.expm1(epsilon))


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("name", EVERY)
def test_the_guarantee_is_the_amplified_one(name, neighbors):
    result = EVERY[name](10 * X, sample=0.25, neighbors=neighbors)
    assert result.epsilon == pytest.approx(amplified(1.0, 0.25), rel=1e-12)
    assert result.claim.epsilon == result.epsilon and result.neighbors == neighbors
    how = "without replacement" if neighbors == "bounded" else "with probability 0.25"
    assert any(how in line for line in result.guarantee.conditions)
    assert "sample=0.25" in result.call


def test_the_curve_is_that_of_the_noise():
    loss = pydpstat.mean(X, 1.0, bounds=(0, 1), sample=0.25, **OPEN).guarantee.loss
    assert loss == SubsampledLoss(LaplaceLoss(1.0), 0.25)
    fixed = pydpstat.mean(X, 1.0, bounds=(0, 1), sample=250).guarantee.loss
    assert fixed == SubsampledLoss(LaplaceLoss(1.0), 0.25, symmetric=True)
    how = {"mechanism": "gaussian", "delta": 1e-6, "rng": 1, **OPEN}
    gaussian = pydpstat.mean(X, 1.0, bounds=(0, 1), sample=0.25, **how)
    assert gaussian.delta == 0.25e-6
    assert gaussian.guarantee.delta_at(gaussian.epsilon) == pytest.approx(0.25e-6, rel=1e-6)


def test_a_budget_pays_what_follows_for_all_records():
    budget = pydpstat.Budget(1.0)
    result = pydpstat.mean(X, 1.0, bounds=(0, 1), sample=0.1, budget=budget)
    assert budget.spent.epsilon == pytest.approx(result.epsilon) and result.epsilon < 0.16
    strict = pydpstat.Budget(1.0, 1e-6, accountant="zcdp", neighbors="unbounded")
    with pytest.raises(PydpstatError, match="sample"):
        how = {"mechanism": "gaussian", "delta": 1e-6, **OPEN}
        pydpstat.mean(X, 1.0, bounds=(0, 1), sample=0.1, budget=strict, **how)
    assert strict.spent.epsilon == 0.0


@pytest.mark.parametrize("size,number", [(10, 3), (1, 1), (1000, 999)])
def test_a_number_is_drawn_without_replacement(size, number):
    for rng in (None, 1):
        kept = SamplingDesign(None, number, True, source_from(rng)).draw_records(size)
        assert kept.size == size and int(kept.sum()) == number


@pytest.mark.slow
def test_every_record_has_the_same_probability():
    # both ways, and from both kinds of sources; each of 4 * 2 tests rejects the right rate once in 100,000
    for rng in (None, 7):
        source = source_from(rng)
        for sample in (SamplingDesign(0.3, None, False, source), SamplingDesign(None, 3, True, source)):
            seen = np.sum([sample.draw_records(10) for _ in range(20_000)], axis=0)
            assert stats.chisquare(seen, np.full(10, seen.mean())).pvalue > 1e-5
            total = int(seen.sum())
            if not sample.is_fixed_size:
                assert stats.binomtest(total, 200_000, 0.3).pvalue > 1e-5
                # a rate wrong by 3 % would be seen
                assert stats.binomtest(total, 200_000, 0.291).pvalue < 1e-5
                assert stats.binomtest(total, 200_000, 0.309).pvalue < 1e-5


def test_records_are_drawn_apart_from_each_other():
    sample = SamplingDesign(0.5, None, False, source_from(None))
    seen = np.array([sample.draw_records(2) for _ in range(20_000)]) @ [1, 2]
    assert stats.chisquare(np.bincount(seen, minlength=4)).pvalue > 1e-5


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_totals_are_those_of_all_records(neighbors):
    how = {"sample": 0.5, "neighbors": neighbors, "rng": 3}
    sums = pydpstat.sum(X, 1e6, bounds=(0, 1), **how)
    counts = pydpstat.count(X > 0.5, 1e6, **how)
    bins = pydpstat.histogram(X, 1e6, edges=[0, 0.5, 1], **how)
    cells = pydpstat.crosstab(list("ab") * 500, 1e6, levels=["a", "b"], other=None, **how)
    assert np.abs(np.asarray(bins) - 500.0).max() < 60.0 and np.abs(np.asarray(cells) - 500.0).max() < 60.0
    # sampling errors of 1,000 records, half of them drawn: below 60 in all seeds of this kind
    assert abs(float(sums) - 500.0) < 60.0 and abs(float(counts) - 500.0) < 60.0
    assert sums.bse.item() == pytest.approx(2 * math.sqrt(2.0) * sums.noise_scale)
    assert "divided by the sample's share" in sums.postprocessing


def test_totals_of_groups_and_columns():
    frame = pd.DataFrame({"a": X, "b": 1 - X, "g": np.repeat(["x", "y"], 500)})
    how = {"bounds": {"a": (0, 1), "b": (0, 2)}, "by": "g", "levels": ["x", "y"], "other": None, "rng": 3}
    whole = pydpstat.sum(frame, 1e6, **how, **OPEN)
    half = pydpstat.sum(frame, 1e6, sample=0.5, **how, **OPEN)
    np.testing.assert_allclose(half.bse, 2 * whole.bse, rtol=1e-12)
    np.testing.assert_allclose(half.estimate, whole.estimate, atol=60.0)


def test_a_unit_is_in_the_sample_with_all_of_its_records():
    person = np.repeat(np.arange(200), 5)
    how = {"unit": person, "max_records": 5, "sample": 0.5, "by": person, "levels": range(200)}
    counts = pydpstat.count(np.ones(1000, dtype=bool), 1e6, other=None, rng=1, **how, **OPEN)
    assert set(np.asarray(counts)) == {0.0, 10.0}
    assert counts.unit == "unit" and counts.epsilon < 1e6


def test_a_plan_has_the_sample():
    planned = pydpstat.plan("mean", 1.0, bounds=(0, 1), n=1000, sample=0.1)
    assert planned.noise_scale == pytest.approx(1.0 / 100.0)
    assert planned.guarantee.epsilon == pytest.approx(amplified(1.0, 0.1))


@pytest.mark.parametrize("sample", [0, 1.5, True, math.nan, "half", [0.1, 0.2], 1e-300])
def test_what_is_no_sample(sample):
    budget = pydpstat.Budget(1.0, neighbors="unbounded")
    with pytest.raises(PydpstatError, match="sample must be a share"):
        pydpstat.mean(X, 1.0, bounds=(0, 1), sample=sample, budget=budget)
    assert budget.spent.epsilon == 0.0


def test_samples_that_have_no_guarantee():
    with pytest.raises(PydpstatError, match="sample must be a share for unbounded"):
        pydpstat.mean(X, 1.0, bounds=(0, 1), sample=100, **OPEN)
    with pytest.raises(PydpstatError, match="at most the number of records, 1000; got 2000"):
        pydpstat.mean(X, 1.0, bounds=(0, 1), sample=2000)
    with pytest.raises(PydpstatError, match="unit and bounded"):
        pydpstat.mean(X, 1.0, bounds=(0, 1), sample=0.1, unit=np.arange(1000), max_records=1)
    with pytest.raises(PydpstatError, match="no rng"):
        pydpstat.mean((chunk for chunk in [X]), 1.0, bounds=(0, 1), sample=0.1, rng=1, **OPEN)
    with pytest.raises(PydpstatError, match="sample must be left out"):
        pydpstat.crosstab(list("ab"), 1.0, levels="discover", delta=0.1, sample=0.5)
    streamed = pydpstat.mean((chunk for chunk in [X, X]), 1.0, bounds=(0, 1), sample=0.1, **OPEN)
    assert streamed.epsilon == pytest.approx(amplified(1.0, 0.1))


def test_all_records_are_a_sample():
    whole = pydpstat.mean(X, 1.0, bounds=(0, 1), rng=1)
    assert pydpstat.mean(X, 1.0, bounds=(0, 1), sample=1000, rng=None).epsilon == whole.epsilon == 1.0
