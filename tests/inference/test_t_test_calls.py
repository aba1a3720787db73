"""Calls of the t tests: private numbers of records, and what results say."""

import pickle

import numpy as np
import pytest

import pydpstat as dp

X = np.linspace(20.0, 60.0, 500)


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
