"""What equal releases may use, and budgets without a limit."""

import math
import pickle
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat
from pydpstat import Budget, BudgetExceeded, Guarantee, PydpstatError, compose
from pydpstat.privacy import ConcentratedLoss, GaussianLoss

positive = st.floats(1e-3, 1e3)
spends = st.lists(st.floats(1e-6, 0.5), max_size=4)
counts = st.integers(1, 40)


def fit(budget, guarantees):
    """Whether all releases fit, on a budget that is not used again."""
    try:
        for guarantee in guarantees:
            budget.spend(guarantee, "planned")
    except BudgetExceeded:
        return False
    return True


def used(limit, delta, accountant, before):
    """A budget from which something was spent, as often as it is asked for."""
    budget = Budget(limit, delta, accountant=accountant)
    for epsilon in before:
        with suppress(BudgetExceeded):
            budget.spend(Guarantee(epsilon), "before")
    return budget


@pytest.mark.slow
@given(limit=positive, before=spends, count=counts, accountant=st.sampled_from(["basic", "zcdp"]))
def test_so_many_pure_releases_fit_and_larger_ones_do_not(limit, before, count, accountant):
    def budget():
        return used(limit, 1e-6, accountant, before)

    epsilon = budget().plan(count).epsilon
    assert fit(budget(), [Guarantee(epsilon)] * count)
    larger = math.nextafter(epsilon, math.inf) if accountant == "basic" else epsilon * (1 + 1e-12) + 5e-324
    assert not fit(budget(), [Guarantee(larger)] * count)


@given(limit=positive, before=spends, count=counts, delta=st.floats(1e-12, 0.5))
def test_so_many_gaussian_releases_fit_a_basic_budget(limit, before, count, delta):
    def budget():
        return used(limit, delta, "basic", before)

    share = budget().plan(count).gaussian
    assert share.rho is None and fit(budget(), [Guarantee(share.epsilon, share.delta)] * count)
    more = math.nextafter(share.delta, 1.0)
    assert not fit(budget(), [Guarantee(share.epsilon, more)] * count)
    assert count * Fraction(repr(share.delta)) <= Fraction(repr(delta)) < count * Fraction(repr(more))


@pytest.mark.slow
@given(limit=positive, before=spends, count=counts, delta=st.floats(1e-12, 0.5))
def test_so_many_gaussian_releases_fit_a_concentrated_budget(limit, before, count, delta):
    def budget():
        return used(limit, delta, "zcdp", before)

    share = budget().plan(count).gaussian
    for rho, fits in ((share.rho, True), (share.rho * (1 + 1e-12) + 5e-324, False)):
        each = Guarantee(1e9, 1e-9, loss=ConcentratedLoss(rho))
        assert fit(budget(), [each] * count) is fits


@pytest.mark.parametrize("count", [1, 7, 1000])
@pytest.mark.parametrize("mechanism", ["gaussian", "laplace"])
def test_planned_releases_of_a_concentrated_budget_can_be_made(count, mechanism):
    budget = Budget(1.0, 1e-6, accountant="zcdp")
    share = budget.plan(count)
    options = {"delta": share.gaussian.delta} if mechanism == "gaussian" else {}
    epsilon = share.gaussian.epsilon if mechanism == "gaussian" else share.epsilon
    for _ in range(count):
        pydpstat.mean([1, 2, 3], epsilon, bounds=(0, 5), mechanism=mechanism, budget=budget, **options)
    # nothing is left for another one, and what is left is little
    assert budget.remaining.rho < 1e-6 * budget.spent.rho
    with pytest.raises(BudgetExceeded):
        pydpstat.mean([1, 2, 3], epsilon, bounds=(0, 5), mechanism=mechanism, budget=budget, **options)


def test_a_plan_follows_what_is_left():
    budget = Budget(1.0, 1e-6)
    assert budget.plan(10) == (0.1, (0.1, 1e-7, None))
    budget.spend(Guarantee(0.7, 1e-6), "mean(x)")
    assert budget.plan(3) == (0.1, (0.1, 0.0, None)) and budget.plan(3.0).epsilon == 0.1
    budget.spend(Guarantee(0.3), "mean(x)")
    assert budget.plan(1).epsilon == 0.0 and not budget.entries[2:]


@pytest.mark.parametrize("releases", [0, -1, 1.5, "2", None])
def test_a_plan_is_for_whole_numbers(releases):
    with pytest.raises(PydpstatError, match="releases must be"):
        Budget(1.0).plan(releases)


def test_an_odometer_only_adds_up():
    odometer = Budget.odometer()
    for epsilon in (0.1, 0.2, 100.0):
        odometer.spend(Guarantee(epsilon, 0.5), "mean(x)")
    assert odometer.spent == (100.3, 1.5, None) and odometer.remaining == (math.inf, math.inf, None)
    assert odometer.epsilon == math.inf and repr(odometer).startswith("Budget.odometer(0.0, ")
    with pytest.raises(PydpstatError, match="guarantees nothing"):
        odometer.spend(Guarantee(math.inf), "tableDP(x)")
    with pytest.raises(PydpstatError, match="an odometer has no limit"):
        odometer.plan(3)
    assert '"epsilon": null' in odometer.to_json() and "Privacy budget" in odometer.summary().as_text()
    with odometer:
        pydpstat.count([True], 0.5)
    assert len(odometer.entries) == 4


@pytest.mark.slow
@given(rhos=st.lists(st.floats(1e-9, 10.0), min_size=1, max_size=6), delta=st.sampled_from([1e-9, 1e-3]))
def test_a_concentrated_odometer_states_no_less_than_a_budget_would(rhos, delta):
    odometer, last = Budget.odometer(delta, accountant="zcdp"), 0.0
    for rho in rhos:
        odometer.spend(Guarantee(1e9, 1e-9, loss=ConcentratedLoss(rho)), "a release")
        spent = odometer.spent
        assert spent.rho >= sum(rhos[: len(odometer.entries)]) * (1 - 1e-12) and spent.delta == delta
        # a list that was fixed beforehand keeps less or as much
        whole = Guarantee(math.inf, loss=ConcentratedLoss(spent.rho))
        assert spent.epsilon >= max(last, whole.epsilon_at(delta))
        # within twice the rho, and a delta that pays for the levels
        level = max(0.0, math.ceil(math.log2(spent.rho * 2**16)))
        loose = Guarantee(math.inf, loss=ConcentratedLoss(max(2.0 * spent.rho, 2.0**-16)))
        assert spent.epsilon <= loose.epsilon_at(delta / ((level + 2) * (level + 3)))
        last = spent.epsilon
    assert odometer.remaining.rho == odometer.remaining.epsilon == math.inf


def test_the_levels_of_an_odometer_share_its_delta():
    shares = [Fraction(1, (place + 1) * (place + 2)) for place in range(2000)]
    assert 0.999 < sum(shares) < 1
    for place in (0, 3, 12):
        odometer, level = Budget.odometer(1e-6, accountant="zcdp"), ConcentratedLoss(2.0 ** (place - 16))
        odometer.spend(Guarantee(1e9, 1e-9, loss=ConcentratedLoss(level.rho * 0.75)), "a release")
        of_level = Guarantee(math.inf, loss=level).epsilon_at(1e-6 * float(shares[place]))
        assert odometer.spent.epsilon == pytest.approx(of_level, rel=1e-9)
    odometer, steps = Budget.odometer(1e-6, accountant="zcdp"), []
    for _ in range(64):
        odometer.spend(Guarantee(0.02, loss=GaussianLoss(2.0**-10)), "a release")
        steps.append(odometer.spent.epsilon)
    # 64 times 2**-21 is 2**-15: the first level up to the 31st, then the second
    assert len(set(steps)) == 3 and steps == sorted(steps) and steps[30] < steps[32] < steps[63]
    assert compose([Guarantee(1.0, loss=GaussianLoss(2.0**-10))] * 64, "zcdp", delta=1e-6).epsilon < steps[-1]


def test_an_odometer_in_a_file(tmp_path):
    path = tmp_path / "a.ledger"
    odometer = Budget.odometer(path=path)
    odometer.spend(Guarantee(5.0), "mean(x)")
    for again in (Budget.open(path), Budget.odometer(path=path), pickle.loads(pickle.dumps(odometer))):
        assert again.spent.epsilon == 5.0 and again.epsilon == math.inf
    with pytest.raises(PydpstatError, match="was created with epsilon inf,.*; got epsilon 1.0"):
        Budget(1.0, path=path)
    with pytest.raises(PydpstatError, match="delta must be above 0 for the accountant 'zcdp'"):
        Budget.odometer(accountant="zcdp")
