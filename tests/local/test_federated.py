"""Federated values: what leaves the nodes, what it costs, and what stays."""

import copy
import inspect
import json
import pickle

import numpy as np
import pandas as pd
import pytest

from pydpstat import Budget, BudgetExceeded, Guarantee, PydpstatError
from pydpstat.local import (
    FederatedArray,
    GaussianAccess,
    LaplaceAccess,
    RandomizedResponse,
    RandomizedResponseCoins,
    federate_array,
)
from pydpstat.local.access import _find_largest_loss, combine_node_guarantees
from pydpstat.privacy import LaplaceLoss, ResponseLoss

TRUTH = np.arange(400) % 5 == 0
AGES = 20.0 + 13.0 * np.sin(np.arange(50.0))
COINS = RandomizedResponseCoins()
ACCESSES = [
    (TRUTH, COINS),
    (TRUTH, RandomizedResponse(0.3)),
    (AGES, LaplaceAccess(0.5, bounds=(0, 40))),
    (AGES, GaussianAccess(0.5, 1e-5, bounds=(0, 40))),
]


def nodes_of(values, access, **options):
    nodes = federate_array(values)
    nodes.configure_data_access(access, **options)
    return nodes


@pytest.mark.parametrize(("values", "access"), ACCESSES, ids=lambda each: type(each).__name__)
def test_the_same_answers_again(values, access):
    nodes = nodes_of(values, access)
    first = nodes.query()
    assert len(first) == len(nodes) == len(values) and not np.array_equal(first, values)
    assert np.array_equal(nodes.query(), first) and np.array_equal([n.query() for n in nodes], first)
    assert nodes.guarantee.epsilon == access.epsilon
    # another query's answers cannot be changed through the first one's
    expected = first.copy()
    first[:] = 0
    second = nodes.query()
    assert np.array_equal(second, expected)
    second[:] = 0
    assert np.array_equal(nodes.query(), expected)
    # the same definition anew is not asked anew
    nodes.configure_data_access(type(access)(*_arguments(access)))
    assert np.array_equal(nodes.query(), expected) and nodes.guarantee.epsilon == access.epsilon


def _arguments(access):
    if isinstance(access, (LaplaceAccess, GaussianAccess)):
        return [getattr(access, name) for name in access.__slots__]
    return access.__reduce__()[1]


@pytest.mark.parametrize(("values", "access"), ACCESSES, ids=lambda each: type(each).__name__)
def test_other_answers_spend_again(values, access):
    nodes = nodes_of(values, access, repeat="spend")
    answers = [nodes.query() for _ in range(3)]
    assert not np.array_equal(answers[0], answers[1]) and not np.array_equal(answers[1], answers[2])
    assert np.isclose(nodes.guarantee.epsilon, 3 * access.epsilon)
    assert np.isclose(nodes.guarantee.delta, 3 * access.guarantee.delta)
    nodes[7].query()
    nodes[7].query()
    nodes[8].query()
    assert np.isclose(nodes.guarantee.epsilon, 5 * access.epsilon)


def test_another_definition_spends_as_well():
    nodes = nodes_of(TRUTH, COINS)
    nodes.query()
    nodes.configure_data_access(RandomizedResponse(0.5))
    assert nodes.guarantee.epsilon == COINS.epsilon
    nodes.query()
    assert np.isclose(nodes.guarantee.epsilon, COINS.epsilon + 0.5)


def test_a_single_node_of_one_that_answers_the_same():
    nodes = nodes_of(TRUTH, COINS)
    assert nodes.guarantee is None
    one = nodes[3].query()
    assert one == nodes.query()[3] == nodes[-397].query() and nodes.guarantee.epsilon == COINS.epsilon


def test_a_budget_for_the_queries():
    budget = Budget(2.5)
    nodes = nodes_of(TRUTH, COINS, repeat="spend", budget=budget)
    nodes.query(), nodes.query()
    with pytest.raises(BudgetExceeded):
        nodes.query()
    assert np.isclose(budget.spent.epsilon, 2 * COINS.epsilon) and len(budget.entries) == 2
    assert np.isclose(nodes.guarantee.epsilon, 2 * COINS.epsilon)
    same = nodes_of(TRUTH, COINS, budget=Budget(1.2))
    same.query(), same.query()
    gaussian = nodes_of(AGES, ACCESSES[3][1], repeat="spend", budget=Budget(3.0, 1e-4, accountant="zcdp"))
    gaussian.query(), gaussian.query()
    refused = nodes_of(TRUTH, COINS, budget=Budget(1.0))
    with pytest.raises(BudgetExceeded):
        refused.query()
    assert refused.guarantee is None


def test_values_that_do_not_suit_cost_nothing():
    budget = Budget(5.0)
    nodes = nodes_of([0, 1, 2], COINS, budget=budget)
    with pytest.raises(PydpstatError, match="^values must be among the design's categories"):
        nodes.query()
    assert budget.spent.epsilon == 0.0 and nodes.guarantee is None


def test_containers():
    column = pd.Series([True, False] * 5, index=list("abcdefghij"), name="smokes")
    nodes = nodes_of(column, COINS)
    answers = nodes.query()
    assert isinstance(answers, pd.Series) and answers.index.equals(column.index)
    assert nodes[4].query() == answers["e"]
    ages = nodes_of(pd.Series(AGES, name="age"), LaplaceAccess(1, bounds=(0, 40))).query()
    assert isinstance(ages, pd.Series) and ages.name == "age"
    labels = pd.Categorical(["no", "yes"] * 5)
    smokes = nodes_of(labels, RandomizedResponse(1.0, ["no", "yes"]))
    assert smokes.query().dtype == "<U3" and smokes[0].query() == smokes.query()[0]
    assert len(federate_array((1, 0, 1))) == 3


def test_nodes_with_several_values():
    nodes = federate_array(TRUTH[:10], 4)
    nodes.configure_data_access(COINS)
    parts = [np.atleast_1d(node.query()) for node in nodes]
    assert sorted(map(len, parts)) == [2, 2, 3, 3]
    assert np.array_equal(np.concatenate(parts), nodes.query())
    # one node's guarantee: all its values
    assert np.isclose(nodes.guarantee.epsilon, 3 * COINS.epsilon)
    assert "all values of one node" in nodes.guarantee.conditions[-1]
    budget = Budget(3.0)
    nodes.configure_data_access(RandomizedResponse(0.5), budget=budget)
    nodes.query()
    assert budget.spent.epsilon == 1.5


def test_the_estimate_from_the_answers():
    truth = np.arange(10_000) % 5 == 0
    nodes = nodes_of(truth, COINS)
    estimate = COINS.estimate(nodes.query(rng=1))
    assert abs(float(estimate) - 0.2) < 4 * estimate.bse.iloc[0]
    *_, seeded, together = nodes.guarantee.conditions
    assert "seeded" in seeded and together == "all answers given so far together"


def test_a_mechanism_of_ones_own():
    class Silent:
        guarantee = Guarantee(0.0)

        def respond(self, values, rng=None):
            return np.zeros(len(values))

    nodes = nodes_of(AGES, Silent())
    assert not nodes.query().any() and nodes.guarantee.epsilon == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("access", [each[1] for each in ACCESSES[2:]], ids=lambda each: type(each).__name__)
def test_noise_is_that_of_the_mechanism(access):
    values = np.concatenate([np.full(2500, 10.0), np.full(2500, 1e9), np.full(2500, -5.0)])
    answers = access.respond(values)
    noise = answers - np.clip(values, 0, 40)
    if isinstance(access, LaplaceAccess):
        sd = np.sqrt(2) * 40 / access.epsilon
    else:
        sd = 40 / access.guarantee.loss.mu
    # standard errors of mean and sd of 7500 draws: 1.2 % and at most 1.4 % of sd
    assert abs(noise.mean()) < 0.06 * sd and abs(noise.std() / sd - 1) < 0.07
    assert np.array_equal(access.respond(values, rng=4), access.respond(values, rng=4))
    assert isinstance(access.respond(10.0), float) and access.respond([]).shape == (0,)


def test_the_guarantees_of_noise():
    laplace, gaussian = (each[1].guarantee for each in ACCESSES[2:])
    assert (laplace.epsilon, laplace.delta) == (0.5, 0.0)
    assert (gaussian.epsilon, gaussian.delta) == (0.5, 1e-5)
    assert gaussian.delta_at(0.5) <= 1e-5 < gaussian.delta_at(0.49)
    assert laplace.delta_at(0.4) < 0.1 and "this person's value replaced" in laplace.conditions[0]
    assert "none missing, is treated as public" in laplace.conditions[2] == gaussian.conditions[2]


def texts_and_numbers(thing):
    """Everything that the public side of an object gives: attributes, texts, elements."""
    yield repr(thing)
    yield str(thing)
    yield format(thing)
    for name in dir(thing):
        assert not name.startswith("_FederatedArray") and not name.startswith("_Node")
        value = getattr(thing, name) if not name.startswith("__") else None
        if not callable(value):
            yield value
    for _, value in inspect.getmembers(thing, lambda each: not callable(each)):
        yield value


def test_no_true_value_is_reached():
    values = np.array([123456.75, 987654.25, 555555.5])
    nodes = nodes_of(values, LaplaceAccess(1.0, bounds=(0, 1e6)))
    nodes.query()
    for thing in (nodes, *nodes, nodes[0]):
        for given in texts_and_numbers(thing):
            assert "123456" not in str(given) and "987654" not in str(given) and "555555" not in str(given)
        for way in (copy.copy, copy.deepcopy, pickle.dumps, json.dumps, vars):
            with pytest.raises((PydpstatError, TypeError)):
                way(thing)
        for attribute in "values array data _values __values __dict__ __array__ __weakref__".split():
            assert not hasattr(thing, attribute)
        with pytest.raises(PydpstatError, match="cannot be copied or pickled"):
            thing.__getstate__()
        with pytest.raises(AttributeError):
            thing.values = 3
    assert not set(values) & set(nodes.query())
    assert np.asarray(nodes, dtype=object).tolist() != values.tolist()
    assert list(nodes) and all(type(node).__name__ == "Node" for node in nodes)


def test_later_changes_do_not_reach_the_nodes():
    truth = np.zeros(50, dtype=bool)
    nodes = nodes_of(truth, RandomizedResponse(700.0))
    truth[:] = True
    assert not nodes.query().any()


def test_texts():
    nodes = federate_array([1, 0])
    assert repr(nodes) == "<FederatedArray: 2 nodes, no access configured>"
    assert repr(nodes[1]) == "<Node 1 of 2>"
    nodes.configure_data_access(COINS)
    assert repr(nodes) == "<FederatedArray: 2 nodes, access by RandomizedResponseCoins(0.5, 0.5)>"
    assert isinstance(nodes, FederatedArray)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: federate_array(3), "^array must be a vector of one or more values"),
        (lambda: federate_array([]), "^array must be a vector of one or more values"),
        (lambda: federate_array(np.eye(2)), "^array must be a vector of one or more values"),
        (lambda: federate_array([1, 0], 3), "^n_nodes must be a whole number from 1"),
        (lambda: federate_array([1, 0], 0), "^n_nodes must be a whole number from 1"),
        (lambda: federate_array([1, 0]).query(), r"^query\(\) needs a data access"),
        (lambda: nodes_of([1, 0], RandomizedResponseCoins), "^definition must be a design or an access"),
        (lambda: nodes_of([1, 0], COINS, repeat="sme"), "Did you mean 'same'"),
        (lambda: nodes_of([1, 0], COINS, budget=3), "^budget must be None or a Budget"),
        (
            lambda: nodes_of([np.nan], ACCESSES[2][1]).query(),
            "^values must be .* vector of numbers, none missing",
        ),
        (lambda: ACCESSES[2][1].respond(np.eye(2)), "^values must be one variable"),
        (lambda: LaplaceAccess(0, bounds=(0, 1)), "^epsilon must be"),
        (lambda: LaplaceAccess(1, bounds=(1, 0)), "^bounds must be a pair"),
        (lambda: GaussianAccess(1, 0, bounds=(0, 1)), "^delta must be above 0"),
        (lambda: COINS.respond([0], rng=1.5), "^rng must be None"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(PydpstatError, match=message):
        call()


def test_a_nodes_number():
    nodes = federate_array([1, 0])
    for wrong, error in ((2, IndexError), (-3, IndexError), ("0", TypeError), (slice(1), TypeError)):
        with pytest.raises(error, match="a node's number must be a whole number below 2"):
            nodes[wrong]


def test_nodes_with_one_guarantee_each_keep_the_largest_loss():
    weak, strong = (GaussianAccess(epsilon, 1e-5, bounds=(0, 40)).guarantee for epsilon in (0.5, 0.25))
    together = combine_node_guarantees([[weak], [strong]])
    assert weak.loss is not None and together.loss == weak.loss
    assert (together.epsilon, together.delta) == (0.5, 1e-5)
    # two guarantees of one node add up, and a mixture has no largest loss
    assert combine_node_guarantees([[weak, strong], [strong]]).epsilon > 0.5
    laplace, other = LaplaceLoss(0.5), ResponseLoss(0.5, 1)
    assert _find_largest_loss([laplace, weak.loss]) is None and _find_largest_loss([other, other]) is None
    assert _find_largest_loss([other]) is other and _find_largest_loss([None]) is None
