"""Guarantees, their curves and what follows from them."""

import math
import pickle
from fractions import Fraction
from itertools import pairwise

import pytest

from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import calibrate_gaussian
from pydpstat.privacy import (
    ConcentratedLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    GeometricLoss,
    Guarantee,
    LaplaceLoss,
    ResponseLoss,
    SubsampledLoss,
)
from pydpstat.privacy._pld import DistributionLoss
from tests.privacy.losses import LOSSES


def test_prints_in_one_line():
    assert str(Guarantee(1, 1e-6)) == "(epsilon 1, delta 1e-06), bounded neighbors"
    assert str(Guarantee(0.5, neighbors="unbounded")) == "(epsilon 0.5, delta 0), unbounded neighbors"
    person = Guarantee(0.5, neighbors="unbounded", unit="person_id")
    assert str(person) == "(epsilon 0.5, delta 0), unbounded neighbors, unit person_id"
    assert str(Guarantee(math.inf, unit="person_id")) == str(Guarantee(math.inf)) == "none (epsilon infinite)"
    assert str(Guarantee(1.0, 1.0)) == "none (delta 1)"


def test_is_a_value():
    guarantee = Guarantee(1, 0.1, "unbounded", ("the levels are public",))
    assert guarantee == Guarantee(1.0, 0.1, "unbounded", ("the levels are public",))
    assert hash(guarantee) == hash(pickle.loads(pickle.dumps(guarantee)))
    assert isinstance(guarantee.epsilon, float)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"epsilon": -1}, "epsilon must be at least 0; got -1"),
        ({"epsilon": math.nan}, "epsilon must be a number"),
        ({"epsilon": "1"}, "epsilon must be a number"),
        ({"epsilon": 1, "delta": 1.5}, "delta must be between 0 and 1; got 1.5"),
        ({"epsilon": 1, "delta": -1e-9}, "delta must be between 0 and 1"),
        ({"epsilon": 1, "neighbors": "both"}, "neighbors must be one of"),
        ({"epsilon": 1, "conditions": "public"}, "conditions must be a tuple of strings; got 'public'"),
        ({"epsilon": 1, "conditions": (1,)}, "conditions must be a tuple of strings"),
        ({"epsilon": 1, "unit": ""}, "unit must be a column name, a string of printable characters, or None"),
        ({"epsilon": 1, "unit": "a\nb"}, "unit must be a column name"),
        ({"epsilon": 1, "unit": 3}, "unit must be a column name.*got 3"),
        ({"epsilon": 1, "unit": ["Anna", "Bert"]}, "unit must be a column name.*got list of length 2"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(PydpstatError, match=message):
        Guarantee(**arguments)


def test_a_loss_is_checked_and_compared():
    with pytest.raises(PydpstatError, match="loss must be a privacy loss or None; got 1.0"):
        Guarantee(1, loss=1.0)
    assert Guarantee(1, loss=LaplaceLoss(1.0)) == Guarantee(1, loss=LaplaceLoss(1.0)) != Guarantee(1)


@pytest.mark.parametrize(
    "kind, arguments, message",
    [
        (GaussianLoss, (0.0,), "mu must be a positive finite number; got 0.0"),
        (GaussianLoss, (math.inf,), "mu must be a positive finite number"),
        (LaplaceLoss, (-1.0,), "epsilon must be a positive finite number; got -1.0"),
        (LaplaceLoss, ("1",), "epsilon must be a positive finite number;"),
        (GeometricLoss, (math.nan,), "epsilon must be a positive finite number;"),
        (GeometricLoss, (1.0, 0), "sensitivity must be a whole number of at least 1; got 0"),
        (DiscreteGaussianLoss, (-2.0,), "sd must be a positive finite number;"),
        (DiscreteGaussianLoss, (2.0, 1.5), "sensitivity must be a whole number"),
        (DiscreteGaussianLoss, (2.0, 1, 3), "cells must be 1 or 2; got 3"),
        (ResponseLoss, (-0.1,), "epsilon must be at least 0; got -0.1"),
        (ResponseLoss, (0.1, 0), "count must be a whole number"),
        (ResponseLoss, (0.1, 1, -1e-6), "leak must be at least 0"),
        (ResponseLoss, (0.1, 1, 1.5), "leak must be between 0 and 1; got 1.5"),
        (ConcentratedLoss, (-0.5,), "rho must be at least 0; got -0.5"),
        (ConcentratedLoss, (math.nan,), "rho must be a number and not missing"),
        (ConcentratedLoss, (0.5, -1.0), "pure must be at least 0"),
        (DistributionLoss, ((),), "parts must be a tuple of at least one privacy loss"),
        (DistributionLoss, ([LaplaceLoss(1.0)],), "parts must be a tuple .*; got list of length 1"),
        (DistributionLoss, ((1.0,),), "parts must be a tuple"),
    ],
)
def test_losses_check_their_parameters(kind, arguments, message):
    with pytest.raises(PydpstatError, match=message):
        kind(*arguments)


@pytest.mark.parametrize("loss", [*LOSSES, *(SubsampledLoss(each, 0.2) for each in LOSSES)], ids=str)
def test_curves_fall_are_inverted_and_survive_pickling(loss):
    guarantee = Guarantee(50.0, 1.0, "unbounded", loss=loss)
    curve = [guarantee.delta_at(0.05 * k) for k in range(120)]
    assert all(0.0 <= after <= before <= 1.0 for before, after in pairwise(curve))
    for delta in (0.1, 0.03, 1e-3, 2e-5):
        epsilon = guarantee.epsilon_at(delta)
        assert guarantee.delta_at(epsilon) <= delta
        assert epsilon == 0.0 or guarantee.delta_at(epsilon * (1 - 1e-6)) > delta
    assert guarantee.epsilon_at(0.0) == loss.pure and guarantee.epsilon_at(1.0) == 0.0
    again = pickle.loads(pickle.dumps(guarantee))
    assert again == guarantee and hash(again.loss) == hash(loss)
    assert again.delta_at(0.3) == guarantee.delta_at(0.3)


def test_the_curve_of_a_pair():
    pair = Guarantee(1.0, 1e-3)
    # randomized response that tells everything with probability delta
    assert pair.delta_at(0.0) == pytest.approx(1e-3 + (1 - 1e-3) * math.tanh(0.5), rel=1e-14)
    assert pair.delta_at(1.0) == pair.delta_at(7.0) == 1e-3 and pair.delta_at(math.inf) == 0.0
    assert pair.epsilon_at(1e-4) == math.inf and pair.epsilon_at(1e-3) == 1.0
    # two normal distributions that are so near need no epsilon at 0.04
    near = Guarantee(math.inf, loss=GaussianLoss(0.1))
    assert near.delta_at(0.0) == pytest.approx(math.erf(0.05 / math.sqrt(2.0)))
    assert near.epsilon_at(0.04) == 0.0 < near.epsilon_at(0.0398)
    assert Guarantee(math.inf).delta_at(5.0) == 1.0 and Guarantee(math.inf).epsilon_at(0.5) == math.inf
    assert Guarantee(2.0).delta_at(2.0) == 0.0


def test_the_curve_of_calibrated_noise_meets_its_pair():
    for epsilon in (0.01, 1.0, 30.0):
        for delta in (1e-3, 1e-9):
            mu = 1.0 / calibrate_gaussian(epsilon, delta)
            guarantee = Guarantee(epsilon, delta, loss=GaussianLoss(mu))
            assert 0.999 * delta < guarantee.delta_at(epsilon) <= delta
            # the curve is steep at large epsilons: both searches err by about 1e-12 in log delta
            assert guarantee.epsilon_at(delta) == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda g: g.delta_at(-1), "epsilon must be at least 0; got -1"),
        (lambda g: g.delta_at("a"), "epsilon must be a number"),
        (lambda g: g.epsilon_at(2), "delta must be between 0 and 1; got 2"),
        (lambda g: g.group(0), "size must be a whole number of at least 1; got 0"),
        (lambda g: g.group(1.5), "size must be a whole number"),
        (lambda g: g.group(math.inf), "size must be a whole number"),
    ],
)
def test_questions_are_checked(call, message):
    with pytest.raises(PydpstatError, match=message):
        call(Guarantee(1.0))


def test_a_small_delta_is_never_none():
    # below the smallest float, but Gaussian noise keeps no pure epsilon
    gaussian = Guarantee(1.0, 1e-6, loss=GaussianLoss(0.2))
    assert 0.0 < gaussian.delta_at(1000.0) < 1e-300 and not gaussian.implies(Guarantee(1000.0))
    assert 0.0 < ConcentratedLoss(1e-3).delta(1000.0) < 1e-300


def test_groups():
    assert Guarantee(0.5).group(3) == Guarantee(1.5)
    assert Guarantee(1.0).group(1) == Guarantee(1.0) and Guarantee(math.inf).group(9).epsilon == math.inf
    pair = Guarantee(0.5, 1e-6).group(3)
    # delta (1 + e^epsilon + e^(2 epsilon)), one step after the other
    assert pair.delta == pytest.approx(1e-6 * (1 + math.exp(0.5) + math.exp(1.0)), rel=1e-11)
    assert Guarantee(0.0, 1e-6).group(4).delta == pytest.approx(4e-6, rel=1e-11)
    assert Guarantee(500.0, 1e-6).group(2).delta == 1.0
    gaussian = Guarantee(1.0, 1e-6, loss=GaussianLoss(0.25)).group(2)
    assert gaussian.loss == GaussianLoss(0.5) and gaussian.epsilon == 2.0
    assert gaussian.delta == min(GaussianLoss(0.5).delta(2.0), Guarantee(1.0, 1e-6).group(2).delta)
    assert Guarantee(1.0, loss=LaplaceLoss(1.0)).group(2) == Guarantee(2.0, loss=LaplaceLoss(2.0))
    geometric = Guarantee(1.0, loss=GeometricLoss(1.0, 2)).group(3)
    assert geometric == Guarantee(3.0, loss=GeometricLoss(3.0, 6))
    two_cells = Guarantee(1.0, 0.3, loss=DiscreteGaussianLoss(2.0, 1, 2)).group(2)
    assert two_cells.loss == ConcentratedLoss(4 * 0.25) and two_cells.rho == 1.0
    # a leak has no exact curve for groups, only the pair
    leaking = Guarantee(1.0, 1e-6, loss=ResponseLoss(1.0, 1, 1e-6)).group(2)
    assert leaking.loss is None and leaking.delta == Guarantee(1.0, 1e-6).group(2).delta


def test_a_group_of_a_loss_without_a_pair_is_a_group():
    bare = Guarantee(math.inf, neighbors="unbounded", loss=GaussianLoss(0.5))
    assert bare.group(2) == Guarantee(math.inf, neighbors="unbounded", loss=GaussianLoss(1.0))
    assert bare.as_bounded() == Guarantee(math.inf, loss=GaussianLoss(1.0))
    assert Guarantee(math.inf, 0.5, loss=GaussianLoss(0.5)).group(2).delta == 1.0
    assert Guarantee(math.inf, loss=ResponseLoss(1.0, 1, 0.1)).group(3) == Guarantee(math.inf)


def test_bounded_neighbors_are_two_unbounded_steps():
    one = Guarantee(0.5, neighbors="unbounded", conditions=("c",), loss=LaplaceLoss(0.5))
    assert one.as_bounded() == Guarantee(1.0, conditions=("c",), loss=LaplaceLoss(1.0))
    assert Guarantee(1.0).as_bounded() == Guarantee(1.0)


def test_which_guarantee_is_stronger():
    gaussian = Guarantee(1.0, 1e-6, loss=GaussianLoss(1.0 / calibrate_gaussian(1.0, 1e-6)))
    assert gaussian.implies(gaussian) and gaussian.implies(Guarantee(2.0, 1e-16))
    assert not Guarantee(1.0, 1e-6).implies(Guarantee(2.0, 1e-16))
    assert Guarantee(1.0).implies(gaussian) and not gaussian.implies(Guarantee(1.0))
    assert Guarantee(0.5, neighbors="unbounded").implies(Guarantee(1.0))
    assert not Guarantee(0.6, neighbors="unbounded").implies(Guarantee(1.0))
    assert not Guarantee(0.1).implies(Guarantee(1.0, neighbors="unbounded"))
    assert Guarantee(1.0).implies(Guarantee(math.inf)) and not Guarantee(math.inf).implies(Guarantee(9.0))


def test_rho():
    # rounded up, by a few units in the last place
    assert math.tanh(0.5) < Guarantee(1.0).rho <= math.tanh(0.5) * (1.0 + 2.0**-50)
    assert Guarantee(math.inf).rho is None
    assert Guarantee(1.0, 1e-6).rho is None
    assert Guarantee(1.0, 1e-6, loss=GaussianLoss(0.5)).rho == 0.125
    assert Guarantee(1.0, loss=LaplaceLoss(1.0)).rho == Guarantee(1.0).rho


def test_conditions_are_added_and_the_loss_is_kept():
    guarantee = Guarantee(1.0, loss=LaplaceLoss(1.0), conditions=("a",)).with_conditions("b", "c")
    assert guarantee == Guarantee(1.0, loss=LaplaceLoss(1.0), conditions=("a", "b", "c"))


def test_large_groups_are_exact_and_no_error():
    one = Guarantee(0.5)
    # a float holds the first of these, and rounds it down
    assert one.group(2**53 + 1).epsilon > one.group(2**53).epsilon
    for loss in (DiscreteGaussianLoss(2.0), ConcentratedLoss(0.5)):
        assert loss.group(10**200).rho == math.inf
        assert loss.group(3).rho >= 9 * Fraction(loss.rho)


def test_a_small_curve_beside_a_leak_is_not_rounded_down():
    leak, epsilon = 1e-3, 0.999
    rest = ResponseLoss(1.0).delta(epsilon)
    assert ResponseLoss(1.0, 1, leak).delta(epsilon) >= leak + (1 - Fraction(leak)) * Fraction(rest)


def test_a_unit_goes_through_everything_that_follows():
    person = Guarantee(0.5, 1e-6, "unbounded", ("n is public",), GaussianLoss(0.2), "person_id")
    for follows in (person.with_conditions("more"), person.group(1), person.group(3), person.as_bounded()):
        assert follows.unit == "person_id"
    assert person.as_bounded().neighbors == "bounded" and person.as_bounded().conditions == ("n is public",)
    assert person.as_bounded().epsilon == person.group(2).epsilon == 1.0
    assert pickle.loads(pickle.dumps(person)) == person and type(person.unit) is str
    # the figures are those of a record
    record = Guarantee(0.5, 1e-6, "unbounded", ("n is public",), GaussianLoss(0.2))
    assert person.delta_at(0.3) == record.delta_at(0.3) and person.rho == record.rho


def test_another_unit_is_another_guarantee():
    record, person, household = (Guarantee(1.0, unit=unit) for unit in (None, "person", "household"))
    assert len({record, person, household}) == 3 and person == Guarantee(1.0, unit="person")
    weaker = Guarantee(2.0, unit="person")
    assert person.implies(weaker) and not weaker.implies(person)
    for one in (record, person, household):
        for other in (record, person, household):
            assert one.implies(other) is (one is other)
    open_person = Guarantee(0.5, neighbors="unbounded", unit="person")
    assert open_person.implies(person) and not open_person.implies(record)
