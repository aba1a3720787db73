"""Results of private tests: what they show, and what they refuse."""

import json
import pickle

import numpy as np
import pytest

import pydpstat
from pydpstat.errors import PydpstatError


@pytest.fixture
def tested():
    return pydpstat.ttest_1samp(np.linspace(0.0, 1.0, 50), 0.4, 1.0, bounds=(0, 1), rng=1)


def test_levels(tested):
    assert tested.conf_int() == tested.conf_int(0.05) == tested.confidence_interval()
    assert tested.confidence_interval(confidence_level=0.9) == tested.conf_int(0.1) != tested.conf_int()
    for alpha in (0.95, 0.0, float("nan"), "0.05"):
        with pytest.raises(PydpstatError, match="alpha must be above 0 and at most 0.5"):
            tested.conf_int(alpha)
    with pytest.raises(PydpstatError, match="confidence_level must be at least 0.5 and below 1"):
        tested.confidence_interval(0.05)


def test_every_form_has_the_whole_result(tested):
    text = " ".join(tested.summary().as_text().split())
    for shown in ("mean = 0.4", "two-sided", "Validity:", "p-value", "Assumptions:", "Call: ttest_1samp("):
        assert shown in text
    content = json.loads(json.dumps(tested.to_dict()))
    assert content["pvalue"] == tested.pvalue and content["validity"] == tested.validity
    again = pickle.loads(pickle.dumps(tested))
    assert again.to_dict() == tested.to_dict() and again.conf_int(0.1) == tested.conf_int(0.1)


def test_epsilons_whose_noise_no_law_is_computed_for_are_refused_before_anything_is_spent():
    x, y = np.arange(20.0), np.arange(20.0)[::-1]
    pair, budget = {"bounds": (0, 20)}, pydpstat.Budget(epsilon=1.0)
    calls = [
        lambda **how: pydpstat.kstest(x, "norm", **how),
        lambda **how: pydpstat.ks_2samp(x, y, **how),
        lambda **how: pydpstat.mannwhitneyu(x, y, **how),
        lambda **how: pydpstat.kruskal(x, y, **how),
        lambda **how: pydpstat.kendalltau(x, y, **how),
        lambda **how: pydpstat.wilcoxon(x, **how),
        lambda **how: pydpstat.ols(y, x, **pair, **how),
        lambda **how: pydpstat.ols(y, x, **pair, method="rank", **how),
        lambda **how: pydpstat.moments(x, **pair, **how),
        lambda **how: pydpstat.ttest_1samp(x, 3, **pair, **how),
        lambda **how: pydpstat.ttest_ind(x, y, **pair, **how),
        lambda **how: pydpstat.ttest_rel(x, y, bounds=(-20, 20), **how),
        lambda **how: pydpstat.weighted_mean(x, x, **pair, max_weight=20, **how),
        lambda **how: pydpstat.weighted_quantile(x, x, q=0.5, **pair, max_weight=20, **how),
    ]
    for call in calls:
        with pytest.raises(PydpstatError, match="epsilon must be at least 1e-09 for inference; got 1e-10"):
            call(epsilon=1e-10, budget=budget)
    assert budget.spent.epsilon == 0.0


def test_what_a_law_of_one_record_does_is_not_heard(recwarn, capfd):
    def noisy(values):
        print("seen", values)
        if np.ravel(values)[-1] < 0:
            raise SystemExit
        return np.emath.sqrt(values)

    x = [0.1, 0.2, 0.3]
    for last in (0.5, 1e10, -1.0):
        pydpstat.kstest([*x, last], "genhyperbolic", 1.0, args=(0.5, 1.5, -0.5), rng=1)
        pydpstat.kstest([*x, last], noisy, 1.0, rng=1)
    assert not recwarn.list and capfd.readouterr() == ("", "")


def test_rank_regressions_refuse_bounds_that_numbers_cannot_divide():
    x = np.linspace(0.0, 1.0, 50)
    for bounds in ([(0, 1), (0, 5e-324)], [(0, 5e-324), (0, 1)], [(-8e307, 8e307), (0, 1)]):
        with pytest.raises(PydpstatError, match="bounds must be between 1e-290 and 1e[+]302 apart"):
            pydpstat.ols(x, x, 1.0, bounds=bounds, method="rank", interval=True)


def test_coefficients_that_are_no_names_are_refused():
    x = np.linspace(0.0, 1.0, 50)
    for given in ([np.array([1, 2])], [1], [], 3):
        with pytest.raises(PydpstatError, match="coefficients must be names of slopes"):
            pydpstat.ols(x, x, 1.0, bounds=(0, 1), method="rank", coefficients=given)
    # a ragged second sample is none, and no epsilon
    with pytest.raises(PydpstatError, match="epsilon must be"):
        pydpstat.wilcoxon([1.0, 2.0], [[1.0], [1.0, 2.0]])
