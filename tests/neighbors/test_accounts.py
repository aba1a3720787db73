"""No spend lowers what was spent, and a federation's guarantee holds at each of its nodes."""

import itertools
import math
import random
from contextlib import suppress

import pytest

from pydpstat import Budget, Guarantee, PydpstatError, compose
from pydpstat.local import GaussianAccess, LaplaceAccess, RandomizedResponse, federate_array
from pydpstat.privacy import (
    ConcentratedLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    GeometricLoss,
    LaplaceLoss,
    PrivacyLoss,
    ResponseLoss,
)
from tests.neighbors.named import parameters

NUMBERS = (-1.0, -1e-300, 0.0, -0.0, 1.0, math.nan, -math.inf, math.inf)
CLOSE = 1.0 + 1e-9


class Refunding(PrivacyLoss):
    """A loss of somebody's own, whose numbers are not those of any mechanism."""

    def __init__(self, number):
        self.number = number

    def delta(self, epsilon):
        return self.number

    @property
    def rho(self):
        return self.number

    @property
    def pure(self):
        return self.number


LOSSES = {
    "Gaussian": GaussianLoss,
    "Laplace": LaplaceLoss,
    "geometric": GeometricLoss,
    "discrete Gaussian": DiscreteGaussianLoss,
    "responses": ResponseLoss,
    "rho": ConcentratedLoss,
    "rho and a pure epsilon": lambda number: ConcentratedLoss(number, number),
    "somebody's own": Refunding,
}


def guarantees(make):
    """All guarantees with such a loss that can be made."""
    for number, epsilon, delta in itertools.product(NUMBERS, (0.0, 0.5), (0.0, 1e-6)):
        with suppress(PydpstatError):
            yield Guarantee(epsilon, delta, loss=make(number))


@pytest.mark.slow
@pytest.mark.parametrize(
    "make, accountant",
    parameters(
        (f"spends by {accountant}, {name}", (make, accountant))
        for accountant in ("basic", "zcdp")
        for name, make in LOSSES.items()
    ),
)
def test_no_spend_is_a_refund(make, accountant, tmp_path):
    for path in (None, tmp_path / "ledger"):
        assert refunds(Budget(10.0, 1e-3, path=path, accountant=accountant), make) == []


def refunds(budget, make):
    """The guarantees by which a budget's spent cost goes down, or what is left goes up."""
    budget.spend(Guarantee(1.0), "a release")
    found = []
    for guarantee in guarantees(make):
        spent, left = numbers(budget.spent), numbers(budget.remaining)
        try:
            budget.spend(guarantee, "a refund")
        except PydpstatError:
            found += [] if numbers(budget.spent) == spent else [guarantee]
        less = any(now < before for now, before in zip(numbers(budget.spent), spent))
        if less or any(now > before for now, before in zip(numbers(budget.remaining), left)):
            found.append(guarantee)
    return found


def numbers(amount):
    """The numbers of an amount."""
    return amount.epsilon, amount.delta, amount.rho or 0.0


PURE = (LaplaceAccess(1.0, bounds=(0, 1)), LaplaceAccess(1.001, bounds=(0, 1)), RandomizedResponse(0.7))
NORMAL = (GaussianAccess(1.0, 1e-2, bounds=(0, 1)), GaussianAccess(0.5, 1e-4, bounds=(0, 1)))
ORDERS = {
    "one answer a node": [(0, NORMAL[0]), (1, PURE[1])],
    "pure answers": [(0, PURE[0]), (1, PURE[1]), (1, PURE[2])],
    "Gaussian answers": [(0, NORMAL[0]), (1, NORMAL[1]), (1, NORMAL[1])],
    "all nodes and one": [(None, NORMAL[1]), (2, PURE[0]), (1, NORMAL[0])],
    "all nodes twice": [(None, PURE[0]), (None, NORMAL[1]), (0, PURE[1])],
}


@pytest.mark.parametrize("order", parameters((f"federation, {name}", order) for name, order in ORDERS.items()))
def test_a_federations_guarantee_holds_at_each_node(order):
    assert asked(order) == []


def test_federations_in_random_orders():
    drawn = random.Random(3)
    for _ in range(30):
        order = [(drawn.randrange(3), drawn.choice(PURE)) for _ in range(drawn.randrange(1, 5))]
        assert asked(order) == []


def asked(order):
    """Ask nodes in an order, and return those of which too much is said after an answer."""
    nodes = federate_array([1.0, 0.0, 1.0])
    answers, found = {place: [] for place in range(3)}, []
    for node, access in order:
        nodes.configure_data_access(access, repeat="spend")
        nodes.query() if node is None else nodes[node].query()
        for place in answers if node is None else (node,):
            answers[place].append(access.guarantee)
        found += uncovered(nodes.guarantee, answers)
    return found


def uncovered(whole, answers):
    """The nodes of which the guarantee of all says more than holds."""
    found = []
    for place, each in answers.items():
        if each:
            # a single one keeps its curve
            held = compose(each) if len(each) > 1 else each[0]
            pair = held.delta_at(whole.epsilon) <= whole.delta * CLOSE
            curve = all(held.delta_at(at) <= whole.delta_at(at) * CLOSE for at in (0.25, 0.9, 1.5))
            found += [] if pair and curve else [place]
    return found
