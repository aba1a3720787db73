"""A release that names no neighbors takes those of the budget that pays for it."""

import inspect
from functools import partial

import numpy as np
import pytest

import pydpstat as dp
from pydpstat import Budget, Guarantee, PydpstatError
from pydpstat._release.charging import BudgetDefaults, charge_once, get_budget_defaults, preview_guarantee
from pydpstat.consistency import Hierarchy, release_hierarchy
from tests.ledger import Ledger
from tests.statistics.calls import BOUNDS, CALLS, TABLES, TRUTHS

X = np.array([1.0, 3.0, 5.5, 8.0])
OPEN = {"neighbors": "unbounded"}
RELEASES = {
    **{name: partial(call, X) for name, call in {**CALLS, **TABLES, **TRUTHS}.items()},
    "release_hierarchy": partial(release_hierarchy, [3, 3], 1.0, hierarchy=Hierarchy(["a", "b"])),
}


def budget_of(**how):
    return Budget(10.0, 1e-3, **how)


def same(result, asked):
    """Whether a release is the one that was asked for in words, its noise and its call included."""
    words = ("neighbors", "guarantee", "claim", "call", "nobs")
    return all(getattr(result, name) == getattr(asked, name) for name in words)


@pytest.fixture(params=RELEASES)
def asks(request):
    return RELEASES[request.param]


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
def test_the_budget_that_is_named_or_around_says_it(asks, neighbors):
    asked, budget = asks(neighbors=neighbors, rng=1), budget_of(neighbors=neighbors)
    named = asks(budget=budget, rng=1)
    with budget:
        around = asks(rng=1)
    assert same(named, asked) and same(around, asked)
    assert ("neighbors='unbounded'" in named.call) is (neighbors == "unbounded")
    assert [each.neighbors for each in budget.entries] == [neighbors] * 2
    assert [each.call for each in budget.entries] == [asked.call] * 2


def test_without_a_budget_it_is_bounded(asks):
    result = asks(rng=1)
    assert same(result, asks(neighbors="bounded", rng=1)) and result.neighbors == "bounded"
    assert "neighbors" not in result.call


def test_what_was_asked_for_stays_and_is_refused(asks):
    budget = budget_of(**OPEN)
    with pytest.raises(PydpstatError, match="must be for unbounded neighbors, as the budget is"):
        asks(neighbors="bounded", budget=budget)
    with budget, pytest.raises(PydpstatError, match="must be for unbounded neighbors, as the budget is"):
        asks(neighbors="bounded")
    with budget_of(), pytest.raises(PydpstatError, match="must be for bounded neighbors, as the budget is"):
        asks(neighbors="unbounded")
    assert not budget.entries


def test_a_foreign_budget_has_none_of_its_own(asks):
    ledger = Ledger()
    assert asks(budget=ledger, rng=1).neighbors == "bounded"
    # also where the block around has others
    with budget_of(**OPEN) as budget:
        assert asks(budget=ledger, rng=1).neighbors == "bounded"
    assert len(ledger.spent) == 2 and not budget.entries


def test_every_own_function_with_neighbors_is_here():
    own = [name for name in dp.__all__ if hasattr(dp, name)]
    functions = [getattr(dp, each) for each in own if inspect.isfunction(getattr(dp, each))]
    takes = {each.__name__: inspect.signature(each).parameters for each in functions}
    found = {name for name, each in takes.items() if {"neighbors", "budget"} <= set(each)}
    # a number of units needs a budget for this unit
    tests = {name for name, home in dp._HOMES.items() if home.startswith("pydpstat.inference.")}
    # a design is asked for its own
    assert found - tests - {"design"} == set(RELEASES) - {"crosstab, discover", "release_hierarchy"} | {"nunique"}
    assert all(takes[name]["neighbors"].default is None for name in found)


def test_nested_blocks():
    outer, inner = budget_of(**OPEN), budget_of()

    def kept(**budget):
        return dp.count(X > 2, 0.5, rng=1, **budget).neighbors[0]

    with outer:
        found = [kept()]
        with inner:
            found += [kept(), kept(budget=outer)]
            with outer:
                found.append(kept())
            found.append(kept())
        found.append(kept())
    assert [*found, kept()] == [*"ubuubub"]
    assert len(outer.entries) == 4 and len(inner.entries) == 2


def test_inside_of_what_was_paid_for_they_are_the_payer_s():
    with budget_of(**OPEN) as budget:
        with charge_once(None, Guarantee(1.0, neighbors="unbounded"), "a whole"):
            assert get_budget_defaults(None) == BudgetDefaults("unbounded")
            assert dp.count(X > 2, 0.5, rng=1).neighbors == "unbounded"
        assert [each.call for each in budget.entries] == ["a whole"]


def test_what_is_foreseen_is_what_will_be_released():
    with budget_of(**OPEN):
        seen = preview_guarantee(lambda: dp.mean(X, 0.5, bounds=BOUNDS))
        assert seen == dp.mean(X, 0.5, bounds=BOUNDS).guarantee and seen.neighbors == "unbounded"
    assert preview_guarantee(lambda: dp.mean(X, 0.5, bounds=BOUNDS)).neighbors == "bounded"


def test_the_unit_follows_the_same_rule():
    person, record = budget_of(unit="person_id", **OPEN), budget_of()
    assert (
        get_budget_defaults(None)
        == get_budget_defaults(record)
        == get_budget_defaults(Ledger())
        == ("bounded", None, "basic")
    )
    assert get_budget_defaults(person) == ("unbounded", "person_id", "basic")
    with person:
        assert get_budget_defaults(None) == ("unbounded", "person_id", "basic")
        assert get_budget_defaults(record) == ("bounded", None, "basic")
        with record:
            assert get_budget_defaults(None) == ("bounded", None, "basic")


@pytest.mark.parametrize("function", ["mean", "count", "var", "histogram"])
def test_a_plan_in_a_block_is_what_the_release_uses_and_costs_nothing(function):
    public = {"edges": [0, 5, 10]} if function == "histogram" else {"bounds": BOUNDS}
    public = {} if function == "count" else public
    with budget_of(**OPEN) as budget:
        # the number of records is private, and needed for nothing
        planned = dp.plan(function, 1.0, **public)
        assert planned.guarantee.neighbors == "unbounded" and not budget.entries
        result = RELEASES[function]()
    assert planned.noise == result.noise and planned.guarantee == result.guarantee
    with budget_of() as budget:
        bounded = dp.plan(function, 1.0, n=4, **public)
    assert bounded.guarantee.neighbors == "bounded" and not budget.entries
    with budget_of(**OPEN), pytest.raises(PydpstatError, match="n must be given"):
        dp.plan("mean", 0.5, bounds=BOUNDS, neighbors="bounded")


def test_missing_records_may_be_dropped_where_the_budget_is_unbounded():
    gaps = [1.0, float("nan"), 3.0]
    with pytest.raises(PydpstatError, match="missing must not be 'drop' with neighbors 'bounded'"):
        dp.mean(gaps, 0.5, bounds=BOUNDS, missing="drop")
    with budget_of(**OPEN):
        assert dp.mean(gaps, 0.5, bounds=BOUNDS, missing="drop").nobs is None


def test_neighbors_are_words(asks):
    with budget_of(**OPEN), pytest.raises(PydpstatError, match="Did you mean 'bounded'"):
        asks(neighbors="bouned")
