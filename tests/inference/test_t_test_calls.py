"""Calls of the t tests: containers, private numbers of records, results, refusals."""

import pickle

import numpy as np
import pandas as pd
import pytest

import pydpstat as dp

X = np.linspace(20.0, 60.0, 500)


def test_containers_and_missing_values():
    def tested(x, epsilon=1.0, **how):
        return dp.ttest_1samp(x, 40, epsilon, bounds=(0, 100), rng=1, **how)

    expected = tested(X).pvalue
    for given in (X.tolist(), pd.Series(X), pd.DataFrame({"x": X}), pd.array(X)):
        assert tested(given).pvalue == expected
    holes = np.where(np.arange(500) % 5, X, np.nan)
    with pytest.raises(dp.PydpstatError, match="missing"):
        tested(holes)
    assert tested(holes, missing=40).pvalue == tested(np.where(np.isnan(holes), 40, holes)).pvalue
    dropped = tested(holes, 100.0, missing="drop", neighbors="unbounded")
    assert dropped.nobs is None and dropped.estimates[0][1] == pytest.approx(np.nanmean(holes), abs=1)
    infinite = np.array([np.inf, 1.0, -np.inf, 2.0])
    assert abs(dp.ttest_rel(infinite, infinite, 100.0, bounds=(-1, 1), rng=1).estimates[0][1]) < 0.1


def test_a_private_number_of_records_is_served():
    r = dp.ttest_1samp(X, 40, 1.0, bounds=(0, 100), rng=1, neighbors="unbounded")
    assert r.nobs is None and r.guarantee.neighbors == "unbounded" and len(r.released) == 3
    low, high = r.conf_int()
    assert low < 40 < high and high - low < 8
    assert dp.ttest_1samp(X, 30, 1.0, bounds=(0, 100), rng=1, neighbors="unbounded").pvalue < 0.01


def test_two_samples_say_what_they_rest_on():
    two = dp.ttest_ind(X, X[:100], 1.0, bounds=(0, 100), rng=1)
    page = " ".join(two.summary().as_text().split())
    assert "Validity: " in page and "chosen without looking" in page
    assert two.nobs == 600 and any("who is in which group" in each for each in two.guarantee.conditions)
    assert two.call == "ttest_ind(a, b, epsilon=1.0, bounds=[0.0, 100.0])"
    assert pickle.loads(pickle.dumps(two)).conf_int() == two.conf_int()


def test_each_group_has_the_whole_epsilon():
    two = dp.ttest_ind(X, X[:100], 1.0, bounds=(0, 100), rng=1)
    assert np.asarray(two.noise_scale) == pytest.approx([2, 4, 2, 4])
    assert two.epsilon == 1.0
    budget = dp.Budget(1.0)
    dp.ttest_ind(X, X[:100], 1.0, bounds=(0, 100), rng=1, budget=budget)
    with pytest.raises(dp.BudgetExceeded):
        dp.ttest_1samp(X, 40, 0.5, bounds=(0, 100), rng=1, budget=budget)
