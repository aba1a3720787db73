"""A release that has been charged to a budget is not charged to it again."""

import copy
import pickle
import warnings

import numpy as np
import pytest

import pydpstat as dp
from tests.designs.method_calls import CASES

MIRRORS = {
    "meanDP": lambda: dp.meanDP([1, 2, 3, 4], 0.5, 0, 5, rng=1),
    "pair of meanDP": lambda: dp.meanDP([1, 2, 3, 4], 0.5, 0, 5, "both", rng=1),
    "medianDP": lambda: dp.medianDP([1, 2, 3, 4], 0.5, 0, 5, rng=1),
    "LaplaceMechanism": lambda: dp.LaplaceMechanism(1.0, 0.5, 2.0, rng=1),
    "LogisticRegressionDP": lambda: dp.LogisticRegressionDP("l2", 2.0, 1.0).fit(
        [[0.2], [0.4], [0.9]], [0, 0, 1], [1], [0], rng=1
    ),
    "releaseResponse": lambda: dp.releaseResponse(
        dp.DPMechLaplace(target=np.mean, sensitivity=1.0, dims=1), dp.DPParamsEps(epsilon=0.5), X=[1.0, 2.0]
    ),
}
RELEASES = {**{name: alone for name, (_, alone) in CASES.items()}, **MIRRORS}


def spend(budget: dp.Budget, result: object) -> int:
    """Charge a result, and return the number of entries."""
    budget.charge(result)
    return len(budget.entries)


@pytest.mark.parametrize("name", RELEASES)
def test_what_a_block_has_charged_is_not_charged_again(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        probe = RELEASES[name]()
        guarantee = getattr(probe, "guarantee", None)
        if guarantee is None or not np.isfinite(guarantee.epsilon) or guarantee.delta == 1.0:
            pytest.skip("nothing that a budget counts")
        budgets = [dp.Budget.odometer(neighbors=guarantee.neighbors, unit=guarantee.unit) for _ in range(2)]
        with budgets[0]:
            result = RELEASES[name]()
    made = len(budgets[0].entries)
    assert made >= 1
    with pytest.raises(dp.PydpstatError, match="result must not be charged twice; got that of") as caught:
        budgets[0].charge(result)
    assert "Nothing was spent" in str(caught.value) and len(budgets[0].entries) == made
    # another budget may have to cover it, too
    assert spend(budgets[1], result) == 1
    with pytest.raises(dp.PydpstatError, match="must not be charged twice"):
        budgets[1].charge(result)


def test_a_release_with_a_budget_and_one_that_is_charged_twice() -> None:
    budget = dp.Budget(2.0)
    paid = dp.mean([1, 2, 3], 0.5, bounds=(0, 5), budget=budget)
    with pytest.raises(dp.PydpstatError, match="must not be charged twice"):
        budget.charge(paid)
    unpaid = dp.mean([1, 2, 3], 0.5, bounds=(0, 5))
    assert spend(budget, unpaid) == 2
    with pytest.raises(dp.PydpstatError, match="must not be charged twice"):
        budget.charge(unpaid)
    assert budget.spent.epsilon == 1.0


def test_equal_calls_are_different_releases() -> None:
    study = dp.design({"x": [1.0, 2.0, 3.0]}, bounds={"x": (0, 5)}, neighbors="bounded")
    for release in (
        lambda: dp.meanDP([1, 2, 3, 4], 0.5, 0, 5, rng=1),
        lambda: dp.mean([1, 2, 3, 4], 0.5, bounds=(0, 5)),
        lambda: study.mean("x", 0.5),
        lambda: dp.LaplaceMechanism(1.0, 0.5, 2.0, rng=1),
    ):
        budget, results = dp.Budget(2.0), [release() for _ in range(3)]
        assert [spend(budget, result) for result in results] == [1, 2, 3]
        assert results[0].record == results[1].record


def test_a_charge_that_fails_leaves_the_release_to_be_charged() -> None:
    small, large = dp.Budget(0.1), dp.Budget(1.0)
    result = dp.meanDP([1, 2, 3, 4], 0.5, 0, 5, rng=1)
    for _ in range(2):
        with pytest.raises(dp.BudgetExceeded):
            small.charge(result)
    assert spend(large, result) == 1


def test_records_of_calls_are_copied_as_before() -> None:
    record = dp.meanDP([1, 2, 3, 4], 0.5, 0, 5, rng=1).record
    assert pickle.loads(pickle.dumps(record)) == copy.deepcopy(record) == record
