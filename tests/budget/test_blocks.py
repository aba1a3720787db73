"""``with budget:`` pays for every release inside, before its noise is drawn."""

import asyncio
import os

import numpy as np
import pytest

import pydpstat as dp
from pydpstat import Budget, BudgetExceeded, PydpstatError
from pydpstat.budget._blocks import use_budget
from pydpstat.consistency import Hierarchy, release_hierarchy
from pydpstat.local import LaplaceAccess, RandomizedResponse, federate_array, run_n_experiments
from pydpstat.random import secure
from pydpstat.teaching import UniformNoise

pytestmark = pytest.mark.filterwarnings("ignore::pydpstat.errors.PrivacyWarning")
X, BOUNDS = [1.0, 2.0, 3.0, 4.0], (0, 5)
ROWS, CLASSES = [[0.2], [0.4], [0.7], [0.9]], [0, 0, 1, 1]
CELLS = {"y": [True, False] * 2, "x": X, "g": list("abab")}
OF_CELLS = {"bounds": {"x": BOUNDS}, "levels": {"g": ["a", "b"]}}
LINE = np.linspace(0, 1, 90).reshape(-1, 1)


def tuned(rng=None):
    models = [dp.LogisticRegressionDP("l2", 0.4, 1.0, "output") for _ in range(2)]
    return dp.tune_classification_model(models, LINE, LINE[:, 0] > 0.5, [1], [0], rng=rng).results


def mechanism(rng=None):
    made = dp.DPMechLaplace(sensitivity=1 / 4, target=lambda X: sum(X) / len(X), dims=1)
    return dp.releaseResponse(made, dp.DPParamsEps(epsilon=0.5), X, rng=rng)


def pair(rng=None):
    return dp.histogramDP([1, 2, 3], 0.2, 0, 4, breaks=[0, 2, 4], which_sensitivity="both", rng=rng)


RELEASES = {
    "mean": lambda rng=None: dp.mean(X, 0.5, bounds=BOUNDS, rng=rng),
    "var": lambda rng=None: dp.var(X, 0.5, bounds=BOUNDS, rng=rng),
    "count": lambda rng=None: dp.count([True, False], 0.5, rng=rng),
    "crosstab": lambda rng=None: dp.crosstab(list("aab"), 0.5, levels=["a", "b"], rng=rng),
    "discover": lambda rng=None: dp.crosstab(list("aab"), 0.5, levels="discover", delta=1e-6, rng=rng),
    "median": lambda rng=None: dp.median(X, 0.5, bounds=BOUNDS, rng=rng),
    "choose": lambda rng=None: dp.choose(["a", "b"], [1.0, 2.0], 0.5, 1.0, rng=rng),
    "hierarchy": lambda rng=None: release_hierarchy(
        dict.fromkeys("ab", 3), 0.5, hierarchy=Hierarchy(["a", "b"]), rng=rng
    ),
    "integer noise": lambda rng=None: dp.symmetric_geometric(3, 0.5, rng=rng),
    "meanDP": lambda rng=None: dp.meanDP(X, 0.5, 0, 5, rng=rng),
    "varDP": lambda rng=None: dp.varDP(X, 0.5, 0, 5, rng=rng),
    "histogramDP": lambda rng=None: dp.histogramDP([1, 2], 0.5, 0, 4, breaks=[0, 2, 4], rng=rng),
    "pair": pair,
    "pooled pair": lambda rng=None: dp.pooledCovDP(
        *[np.array([[1.0, 2.0], [3.0, 4.0], [2.0, 2.0]])] * 2,
        eps=0.2,
        lower_bound1=0,
        upper_bound1=5,
        lower_bound2=0,
        upper_bound2=5,
        which_sensitivity="both",
        rng=rng,
    ),
    "quantileDP": lambda rng=None: dp.quantileDP(X, 0.5, 0.5, 0, 5, rng=rng),
    "LaplaceMechanism": lambda rng=None: dp.LaplaceMechanism(3.0, 0.5, 1.0, rng=rng),
    "ExponentialMechanism": lambda rng=None: dp.ExponentialMechanism([1.0, 2.0], 0.5, 1.0, rng=rng),
    "releaseResponse": mechanism,
    "model": lambda rng=None: dp.LogisticRegressionDP("l2", 0.5, 1.0, "output").fit(ROWS, CLASSES, [1], [0], rng=rng),
    "kernel model": lambda rng=None: dp.svmDP("l2", 0.5, 1.0, kernel="Gaussian", D=3).fit(
        ROWS, CLASSES, [1], [0], rng=rng
    ),
    "tuning": tuned,
    "weighted mean": lambda rng=None: dp.weighted_mean(X, X, 0.5, bounds=BOUNDS, max_weight=4, rng=rng),
    "moments": lambda rng=None: dp.moments(X, 0.5, bounds=BOUNDS, rng=rng),
    "t test": lambda rng=None: dp.ttest_ind(X, X, 0.5, bounds=BOUNDS, rng=rng),
    "quantile test": lambda rng=None: dp.quantile_test(X, 0.5, q=2.0, rng=rng),
    "regression": lambda rng=None: dp.ols(X, X, 0.5, bounds=BOUNDS, rng=rng),
    "robust": lambda rng=None: dp.ols(X, X, 0.5, bounds=BOUNDS, cov_type="HC3", rng=rng),
    "logit": lambda rng=None: dp.logit([True, False] * 2, X, 0.5, bounds=BOUNDS, rng=rng),
    "logit by cells": lambda rng=None: dp.logit("y ~ x + C(g)", CELLS, 0.5, **OF_CELLS, rng=rng),
}


class Refusing:
    def spend(self, guarantee, call):
        raise PydpstatError("nothing is left")


@pytest.mark.parametrize("name", RELEASES)
def test_a_release_is_paid_for_once_with_what_it_keeps(name):
    budget = Budget(100.0, 0.5)
    with budget:
        result = RELEASES[name]()
    assert len(budget.entries) == 1
    entry, guarantee = budget.entries[0], result.guarantee
    assert (entry.epsilon, entry.delta) == (guarantee.epsilon, guarantee.delta)
    # outside nobody pays
    RELEASES[name]()
    assert len(budget.entries) == 1


@pytest.mark.parametrize("name", RELEASES)
def test_a_refused_release_draws_nothing(name, monkeypatch):
    refusing, generator = Refusing(), np.random.default_rng(1)
    before = repr(generator.bit_generator.state)
    with use_budget(refusing), pytest.raises(PydpstatError, match="nothing is left"):
        RELEASES[name](generator)
    assert repr(generator.bit_generator.state) == before
    with monkeypatch.context() as patch:
        for function in ("laplace", "normal", "uniform", "gamma", "symmetric_geometric", "choose"):
            patch.setattr(secure, function, lambda *_, **__: pytest.fail("drawn"))
        with use_budget(refusing), pytest.raises(PydpstatError, match="nothing is left"):
            RELEASES[name]()


@pytest.mark.parametrize(
    "use",
    [
        lambda: dp.tableDP(["a", "b", "a"]),
        lambda: UniformNoise().answer(6),
        lambda: dp.LogisticRegressionDP("l2", 1.0, 1.0).fit(ROWS, CLASSES, [1], [0]),
    ],
    ids=["levels from the data", "uniform noise", "a logistic regression"],
)
def test_what_guarantees_nothing_is_refused_with_the_reason(use):
    reason = "guarantees nothing. Nothing was released. If there was a warning"
    with Budget(100.0) as budget, pytest.raises(PydpstatError, match=reason):
        use()
    assert not budget.entries


def test_a_tuning_of_others_models_is_refused():
    class Other:
        eps = 1.0

        def fit(self, *arguments, **options):
            pytest.fail("fitted")

        def predict(self, X, bias, raw_value=False):
            return np.zeros(len(X))

    with Budget(10.0), pytest.raises(PydpstatError, match="not all models are pydpstat's"):
        dp.tune_classification_model([Other(), Other()], LINE, LINE[:, 0] > 0.5, [1], [0])


def test_nested_blocks_and_named_budgets():
    outer, inner, named = Budget(1.0), Budget(1.0), Budget(1.0)
    with outer as entered:
        assert entered is outer
        dp.count([True], 0.1)
        with inner:
            dp.count([True], 0.2)
            dp.count([True], 0.3, budget=named)
            with outer:
                dp.count([True], 0.25)
            dp.count([True], 0.4)
        dp.count([True], 0.5)
    dp.count([True], 0.6)
    spent = [[each.epsilon for each in budget.entries] for budget in (outer, inner, named)]
    assert spent == [[0.1, 0.25, 0.5], [0.2, 0.4], [0.3]]


def test_a_block_ends_with_an_error():
    budget = Budget(0.1)
    with pytest.raises(BudgetExceeded), budget:
        dp.count([True], 0.2)
    dp.count([True], 0.2)
    assert not budget.entries


def test_a_task_starts_with_the_block():
    def count():
        dp.count([True], 0.1)

    async def inside():
        await asyncio.gather(*(asyncio.create_task(asyncio.to_thread(count)) for _ in range(2)))

    with Budget(1.0) as budget:
        asyncio.run(inside())
    assert len(budget.entries) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_the_block_of_its_parent(tmp_path):
    with Budget(1.0, path=tmp_path / "a.ledger") as budget:
        child = os.fork()
        if not child:
            code = 1
            try:
                dp.count([True], 0.1)
                code = 0
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [each.process for each in budget.entries] == [child]


def test_local_answers_are_paid_for_once():
    with Budget(10.0) as budget:
        RandomizedResponse(0.5).respond([1, 0, 1])
        LaplaceAccess(0.25, (0, 1)).respond([0.5, 0.1])
        nodes = federate_array([1, 0, 1])
        nodes.configure_data_access(RandomizedResponse(0.75))
        nodes.query()
        nodes.query()
    assert [each.epsilon for each in budget.entries] == [0.5, 0.25, 0.75]


def test_made_up_persons_cost_nothing():
    with Budget(0.1) as budget:
        run_n_experiments(0.5, 10, n_runs=3, rng=1)
    assert not budget.entries


def test_noise_alone_is_paid_for():
    with Budget(10.0) as budget:
        dp.symmetric_geometric_noise(3, 0.5)
        dp.symmetric_geometric_noise(3, 0.5, method="sign")
    assert np.allclose([each.epsilon for each in budget.entries], [0.5, 0.5 + np.log(2)])


def test_a_pair_costs_its_rho():
    # both together, not the first alone
    assert pair().guarantee.rho > 2 * dp.Guarantee(0.2).rho
