"""Budgets: sums, refusals, charges, and what they print."""

import copy
import math
import pickle
from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat
from pydpstat import Budget, BudgetExceeded, Guarantee, PydpstatError, compose
from pydpstat.budget.amounts import ConcentratedAccountant, add_cost
from pydpstat.privacy import GaussianLoss, PrivacyLoss


def test_ten_tenths_are_one(place):
    budget = Budget(1.0, **place)
    for _ in range(10):
        budget.spend(Guarantee(0.1), "mean(x)")
    assert budget.spent.epsilon == 1.0 and budget.remaining == (0.0, 0.0, None)
    with pytest.raises(BudgetExceeded):
        budget.spend(Guarantee(1e-300), "mean(x)")
    assert len(budget.entries) == 10


def test_a_refusal_says_what_is_missing(place):
    budget = Budget(1.0, 1e-6, **place)
    budget.spend(Guarantee(0.75, 5e-7), "mean(x)")
    with pytest.raises(BudgetExceeded, match="needs epsilon 0.5, delta 1e-06, and epsilon 0.25") as caught:
        budget.spend(Guarantee(0.5, 1e-6), "mean(y)")
    error = caught.value
    assert error.requested == (0.5, 1e-6, None) and error.remaining == (0.25, 5e-7, None)
    assert error.difference == (0.25, 5e-7, None) and isinstance(error, PydpstatError)
    assert "Nothing was released" in str(error)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.difference == error.difference
    # delta alone can be too much, and nothing was spent
    with pytest.raises(BudgetExceeded):
        budget.spend(Guarantee(0.01, 6e-7), "mean(y)")
    assert budget.spent == (0.75, 5e-7, None)


epsilons = st.lists(st.integers(1, 4000).map(lambda k: k / 1000), min_size=1, max_size=20)


@given(epsilons=epsilons, limit=st.integers(1, 9000).map(lambda k: k / 1000))
def test_sums_are_those_of_decimal_numbers(epsilons, limit):
    budget, total = Budget(limit), Fraction(0)
    for epsilon in epsilons:
        new = total + Fraction(str(epsilon))
        try:
            budget.spend(Guarantee(epsilon), "mean(x)")
            total = new
            assert total <= Fraction(str(limit))
        except BudgetExceeded:
            assert new > Fraction(str(limit))
    assert budget.spent.epsilon == float(total)
    # the binary numbers together pass the limit by less than documented
    spent = sum((Fraction(entry.epsilon) for entry in budget.entries), Fraction(0))
    assert spent <= Fraction(limit) * (1 + Fraction(24, 10**17))


@pytest.mark.slow
@given(epsilons=epsilons, delta=st.sampled_from([1e-9, 1e-6, 1e-2]))
def test_concentrated_budgets_keep_epsilon_and_delta(epsilons, delta):
    budget, kept = Budget(2.0, delta, accountant="zcdp"), []
    for epsilon in epsilons:
        for guarantee in (Guarantee(epsilon / 10), Guarantee(epsilon, delta, loss=GaussianLoss(epsilon / 9))):
            try:
                budget.spend(guarantee, "mean(x)")
                kept.append(guarantee)
            except BudgetExceeded as error:
                assert error.requested.rho > error.remaining.rho >= 0.0 < error.difference.rho
    if kept:
        # the search for epsilon rounds up by 1e-12 of delta
        assert compose(kept, "zcdp", delta=delta).epsilon <= 2.0 * (1 + 1e-9)
        assert budget.spent.epsilon <= 2.0 and budget.spent.rho > 0.0
    left = budget.remaining
    if left.epsilon > 1e-6:
        budget.spend(Guarantee(left.epsilon * (1 - 1e-9)), "the rest")
        with pytest.raises(BudgetExceeded):
            budget.spend(Guarantee(1e-3), "more")


def test_concentrated_budgets_allow_more_of_many():
    basic, concentrated = Budget(1.0, 1e-6), Budget(1.0, 1e-6, accountant="zcdp")
    counts = []
    for budget in (basic, concentrated):
        for count in range(10_000):
            try:
                budget.spend(Guarantee(0.005), "mean(x)")
            except BudgetExceeded:
                break
        counts.append(count)
    assert counts[0] == 200 and counts[1] > 1900


def test_results_are_charged_with_what_holds(place):
    budget = Budget(10.0, 1e-3, **place)
    with pytest.warns(pydpstat.PrivacyWarning):
        variance = pydpstat.varDP([1, 2, 3, 4], 1.0, 0, 5, rng=1)
    budget.charge(variance)
    assert budget.spent.epsilon == variance.guarantee.epsilon > variance.claim.epsilon == 1.0
    with pytest.warns(pydpstat.PrivacyWarning):
        infinite = pydpstat.tableDP(["a", "b", "a"], rng=1)
    with pytest.raises(PydpstatError, match="guarantees nothing. Do not publish the result"):
        budget.charge(infinite)
    pair = pydpstat.histogramDP([1, 2, 3], 1.0, 0, 4, breaks=[0, 2, 4], which_sensitivity="both", rng=1)
    budget.charge(pair)
    model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0, "output")
    fitted = model.fit([[0.2], [0.4], [0.7], [0.9]], [0, 0, 1, 1], [1], [0], rng=1)
    budget.charge(fitted)
    calls = [entry.call for entry in budget.entries]
    assert calls == [variance.call, pair.Bounded.call, fitted.call]
    assert budget.spent.epsilon == pytest.approx(
        variance.guarantee.epsilon + pair.guarantee.epsilon + fitted.guarantee.epsilon, rel=1e-15
    )


def test_a_charge_that_is_too_much_says_not_to_publish():
    result = pydpstat.meanDP([1, 2, 3, 4], 2.0, 0, 5, rng=1)
    with pytest.raises(BudgetExceeded, match="Do not publish the result"):
        Budget(1.0).charge(result)


def test_own_noise_knows_its_rho():
    budget = Budget(1.0, 1e-6, accountant="zcdp")
    budget.charge(pydpstat.GaussianMechanism(3.0, 0.5, 1e-8, 1.0, analytic=True, rng=1))
    assert 0.0 < budget.spent.rho < 0.02
    budget.charge(pydpstat.symmetric_geometric(3, 0.01, rng=1))
    assert [entry.loss.partition("(")[0] for entry in budget.entries] == ["GaussianLoss", "GeometricLoss"]


@pytest.mark.parametrize(
    "guarantee, message",
    [
        (1.0, "guarantee must be a Guarantee; got float"),
        (Guarantee(math.inf), "no budget covers a release that guarantees nothing"),
        (Guarantee(1.0, 1.0), "no budget covers a release that guarantees nothing"),
        (Guarantee(0.1, neighbors="unbounded"), r"budget.spend\(guarantee.as_bounded\(\), call\)"),
    ],
)
def test_what_cannot_be_spent(place, guarantee, message):
    budget = Budget(1.0, **place)
    with pytest.raises(PydpstatError, match=message):
        budget.spend(guarantee, "mean(x)")
    assert budget.spent.epsilon == 0.0 and not budget.entries


@dataclass(frozen=True, slots=True)
class OwnLoss(PrivacyLoss):
    rho: float


@pytest.mark.parametrize("rho", [-0.5, -1e-300, math.nan, math.inf, 1.7976931348623157e308, "1"])
def test_a_spend_is_no_refund(place, rho):
    budget = Budget(1.0, 1e-6, accountant="zcdp", **place)
    with pytest.raises(PydpstatError, match="rho of guarantee must be at least 0 and finite to be charged"):
        budget.spend(Guarantee(1.0, loss=OwnLoss(rho)), "mean(x)")
    assert budget.spent.rho == 0.0 and not budget.entries


@pytest.mark.parametrize("epsilon", [-0.5, math.nan, "1"])
def test_a_guarantee_that_was_tampered_with_is_no_refund(place, epsilon):
    budget, guarantee = Budget(1.0, **place), Guarantee(1.0)
    object.__setattr__(guarantee, "epsilon", epsilon)
    with pytest.raises(PydpstatError, match="the epsilon of guarantee must be at least 0"):
        budget.spend(guarantee, "mean(x)")
    assert budget.spent.epsilon == 0.0 and not budget.entries


def test_other_errors_of_use():
    with pytest.raises(PydpstatError, match="It implies nothing for unbounded neighbors"):
        Budget(1.0, neighbors="unbounded").spend(Guarantee(0.1), "mean(x)")
    with pytest.raises(PydpstatError, match="has none: its privacy loss is not known in more detail"):
        Budget(1.0, 1e-6, accountant="zcdp").spend(Guarantee(0.1, 1e-9), "mean(x)")
    with pytest.raises(PydpstatError, match="call must be a string; got int"):
        Budget(1.0).spend(Guarantee(0.1), 1)
    with pytest.raises(PydpstatError, match=r"got an object of type Guarantee. Use spend\(guarantee, call\)"):
        Budget(1.0).charge(Guarantee(0.1))
    with pytest.raises(PydpstatError, match="result must have a guarantee; got 1.0"):
        Budget(1.0).charge(1.0)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"epsilon": 0}, "epsilon must be a positive finite number;"),
        ({"epsilon": math.inf}, "epsilon must be a positive finite number"),
        ({"epsilon": "1"}, "epsilon must be"),
        ({"epsilon": 1, "delta": 1}, "delta must be at least 0 and below 1"),
        ({"epsilon": 1, "delta": -1}, "delta must be at least 0 and below 1"),
        ({"epsilon": 1, "delta": [43.25]}, "delta must be at least 0 and below 1; got list of length 1"),
        ({"epsilon": 1, "accountant": "pld"}, "accountant must be one of {'basic', 'zcdp'}"),
        ({"epsilon": 1, "accountant": "zcdp"}, "delta must be above 0 for the accountant 'zcdp'"),
        ({"epsilon": 1, "neighbors": "both"}, "neighbors must be one of"),
        ({"epsilon": 1, "unit": ""}, "unit must be a column name"),
        ({"epsilon": 1, "unit": [43.25]}, "unit must be a column name.*got list of length 1"),
        ({"epsilon": 1, "path": 1}, "path must be a file name or None; got 1"),
        ({"epsilon": 1, "path": ""}, "path must be a file name"),
        ({"epsilon": 1, "path": b"a"}, "path must be a file name"),
    ],
)
def test_arguments_are_checked(arguments, message):
    with pytest.raises(PydpstatError, match=message):
        Budget(**arguments)


def test_a_budget_in_memory_has_no_copies():
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(PydpstatError, match="cannot be copied or pickled"):
            copied(Budget(1.0))


@pytest.mark.parametrize("accountant", ["basic", "zcdp"])
def test_summary(place, accountant):
    budget = Budget(1.0, 1e-6, accountant=accountant, **place)
    for number in range(70):
        budget.spend(Guarantee(0.01, conditions=("n is public",)), f"mean(x{number}, {'a' * 99})")
    text = budget.summary().as_text()
    assert "Privacy budget" in text and "The last 60 of 70 releases" in text and "- n is public" in text
    assert "mean(x69, aaa" in text and "mean(x9," not in text
    assert ("Rho left:" if accountant == "zcdp" else "Delta left:") in text
    assert max(map(len, text.split("\n- ")[0].splitlines())) <= 80
    assert "<table" in budget._repr_html_() and "mean(x69" in budget.summary().as_csv()
    assert repr(budget).startswith("Budget(1.0, 1e-06") and accountant in repr(budget)


def test_an_empty_ledger_has_a_summary(place):
    assert "No. Releases:" in Budget(1.0, **place).summary().as_text()


@given(st.floats(1e-12, 50.0))
def test_the_epsilon_that_is_left_can_be_paid(rho):
    accountant = ConcentratedAccountant(math.inf, 1e-6)
    left = Fraction(rho), Fraction(0)
    epsilon = accountant.to_amount(left).epsilon
    # to the last bit, and no less than what can be paid but for the search's own steps
    assert accountant.compute_cost(Guarantee(epsilon)) <= left
    assert accountant.compute_cost(Guarantee(epsilon * (1.0 + 1e-9))) > left


def test_each_part_of_a_cost_is_added():
    spent, limit = (Fraction(1, 2), Fraction(1, 10)), (Fraction(1), Fraction(1, 5))
    some = Fraction(1, 20)
    assert add_cost(spent, (Fraction(0), some), limit) == (spent[0], spent[1] + some)
    assert add_cost(spent, (some, Fraction(0)), limit) == (spent[0] + some, spent[1])
    assert add_cost(spent, (Fraction(0), Fraction(1, 5)), limit) is add_cost(spent, limit, limit) is None
