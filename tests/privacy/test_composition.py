"""Composition of lists fixed beforehand."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat import compose
from pydpstat._grid import round_up_multiple, round_up_total
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import calibrate_gaussian
from pydpstat.privacy import ConcentratedLoss, GaussianLoss, Guarantee, LaplaceLoss, ResponseLoss, compose_basic

GAUSSIAN = Guarantee(1.0, 1e-6, loss=GaussianLoss(1.0 / float(calibrate_gaussian(1.0, 1e-6))))


def test_basic_composition_adds():
    first = Guarantee(0.1, 1e-6, conditions=("a", "b"))
    both = compose_basic(first, Guarantee(0.2, 2e-6, conditions=("b", "c")))
    assert both == Guarantee(round_up_total((0.1, 0.2)), round_up_total((1e-6, 2e-6)), conditions=("a", "b", "c"))
    assert compose_basic(*[Guarantee(0.1)] * 10).epsilon == math.nextafter(1.0, 2.0)
    assert compose_basic(*[Guarantee(0.125)] * 8).epsilon == 1.0
    assert compose_basic(Guarantee(1e308), Guarantee(1e308)).epsilon == math.inf
    assert compose_basic(Guarantee(1, 0.7), Guarantee(1, 0.7)).delta == 1.0
    assert compose_basic(Guarantee(math.inf), Guarantee(1)).epsilon == math.inf
    assert compose_basic(Guarantee(1)) == Guarantee(1)
    assert compose([first, first]) == compose_basic(first, first)


pairs = st.tuples(st.floats(0.0, 1e6), st.floats(0.0, 0.01))


@pytest.mark.slow
@given(st.lists(pairs, min_size=1, max_size=12))
def test_basic_sums_are_the_smallest_floats_that_are_not_below(each):
    whole = compose_basic(*(Guarantee(epsilon, delta) for epsilon, delta in each))
    for found, values in zip((whole.epsilon, whole.delta), zip(*each)):
        exact = sum(map(Fraction, values))
        assert exact <= Fraction(found) and Fraction(math.nextafter(found, -1.0)) < exact


@given(st.integers(1, 10**6), st.floats(0.0, 1e6))
def test_multiples_are_the_smallest_floats_that_are_not_below(count, value):
    found = round_up_multiple(count, value)
    assert count * Fraction(value) <= Fraction(found)
    assert Fraction(math.nextafter(found, -1.0)) < count * Fraction(value)
    assert Guarantee(value).group(count).epsilon == ResponseLoss(value, count).pure == found


def test_composition_needs_the_same_neighbors():
    with pytest.raises(PydpstatError, match="got neighbors bounded, unbounded"):
        compose_basic(Guarantee(1), Guarantee(1, neighbors="unbounded"))
    with pytest.raises(PydpstatError, match="got nothing"):
        compose_basic()


def test_exact_is_best_and_every_method_is_valid():
    many = [Guarantee(0.1)] * 100
    exact, zcdp = compose(many, "exact", delta=1e-6), compose(many, "zcdp", delta=1e-6)
    assert exact.epsilon < zcdp.epsilon < compose(many).epsilon == round_up_total([0.1] * 100)
    assert exact.loss == ResponseLoss(0.1, 100) and exact.delta == zcdp.delta == 1e-6
    for epsilon in (0.0, 1.0, 5.0, 9.99):
        assert exact.delta_at(epsilon) <= zcdp.delta_at(epsilon)
    pure = compose(many).epsilon
    assert exact.delta_at(pure) == zcdp.delta_at(pure) == 0.0
    assert compose(many, "exact").epsilon == compose(many, "zcdp").epsilon == pytest.approx(10.0)


def test_exact_by_simulation_of_two_responses():
    # two mechanisms with e^epsilon = 3: outcomes with the odds 9, 1, 1, 1/9
    two = compose([Guarantee(math.log(3.0))] * 2, "exact", delta=0.25)
    assert two.delta_at(math.log(9.0) - 1e-12) == pytest.approx(0.0, abs=1e-10)
    # delta = 9/16 - e^epsilon / 16 is 1/4 at e^epsilon = 5
    assert two.epsilon == pytest.approx(math.log(5.0), rel=1e-9)


def test_deltas_leak():
    both = compose([Guarantee(0.5, 0.01), Guarantee(0.5, 0.02)], "exact", delta=0.1)
    assert both.loss.leak == pytest.approx(1 - 0.99 * 0.98, rel=1e-14)
    assert both.delta_at(1.0) >= 0.0298


@pytest.mark.parametrize("deltas", [(1e-6,), (1e-6, 0.0, 0.0), (0.0, 5e-324), (0.3, 0.0)])
def test_one_delta_leaks_itself_and_no_more(deltas):
    whole = compose([Guarantee(1.0, delta) for delta in deltas], "exact")
    # nothing better can be said at that delta
    assert (whole.epsilon, whole.delta) == (float(len(deltas)), sum(deltas))
    assert whole.loss.leak == sum(deltas)


def test_a_loss_without_a_pair_is_composed():
    bare = Guarantee(math.inf, loss=GaussianLoss(1.0))
    for method in ("zcdp", "exact"):
        known = compose([Guarantee(9.0, 0.1, loss=GaussianLoss(1.0))] * 2, method, delta=1e-6)
        assert compose([bare] * 2, method, delta=1e-6) == known and known.epsilon < math.inf
        with pytest.raises(PydpstatError, match="delta must be larger"):
            compose([bare], method)
    pure = Guarantee(math.inf, loss=LaplaceLoss(1.0))
    assert compose([pure] * 2, "exact").epsilon == 2.0
    with pytest.raises(PydpstatError, match="finite epsilons.*from inf to inf"):
        compose([Guarantee(math.inf, loss=ConcentratedLoss(0.1))] * 2, "exact", delta=1e-6)


def test_gaussian_releases_compose_exactly():
    nine = compose([GAUSSIAN] * 9, "exact", delta=1e-6)
    assert nine.loss.mu == pytest.approx(3.0 * GAUSSIAN.loss.mu, rel=1e-15)
    three = compose([GAUSSIAN, GAUSSIAN.group(2)], "exact")
    assert three.loss.mu == pytest.approx(math.sqrt(5.0) * GAUSSIAN.loss.mu, rel=1e-15)
    assert nine.epsilon < compose([GAUSSIAN] * 9, "zcdp", delta=1e-6).epsilon < 9.0
    assert nine.rho == pytest.approx(9 * GAUSSIAN.rho, rel=1e-14)


def test_concentrated_sums():
    mixed = [GAUSSIAN, Guarantee(0.3), Guarantee(0.2, loss=LaplaceLoss(0.2))]
    whole = compose(mixed, "zcdp", delta=1e-5)
    assert whole.rho == pytest.approx(sum(each.rho for each in mixed), rel=1e-14)
    assert isinstance(whole.loss, ConcentratedLoss) and whole.delta == 1e-5
    assert compose([whole, GAUSSIAN], "zcdp", delta=1e-5).rho == pytest.approx(whole.rho + GAUSSIAN.rho)


def test_infinite_stays_infinite():
    for method in ("basic", "zcdp", "exact"):
        assert compose([Guarantee(math.inf), Guarantee(1.0)], method).epsilon == math.inf


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((1.0,), "guarantees must be a list of Guarantee objects; got 1.0"),
        (([1.0],), "guarantees must be Guarantee objects; got float"),
        (([],), "got nothing"),
        (([Guarantee(1.0)], "best"), "method must be one of"),
        (([Guarantee(1.0), Guarantee(1.0, 1e-6)], "zcdp"), "number 2, .*has none"),
        (([Guarantee(1.0), Guarantee(2.0)], "exact"), "from 1 to 2"),
        (([GAUSSIAN, Guarantee(2.0)], "exact"), "from 1 to 2"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(PydpstatError, match=message):
        compose(*arguments)


@pytest.mark.parametrize(
    "method, delta, message",
    [
        ("basic", 1e-6, "delta must be None for method 'basic'"),
        ("zcdp", 1.0, "delta must be at least 0 and below 1"),
        ("zcdp", 0.0, "delta must be larger"),
        ("exact", 0.0, "delta must be larger"),
    ],
)
def test_delta_is_checked(method, delta, message):
    with pytest.raises(PydpstatError, match=message):
        compose([GAUSSIAN] * 2, method, delta=delta)


@pytest.mark.parametrize("method", ["basic", "zcdp", "exact"])
def test_a_composition_is_for_one_unit(method):
    one, ten = (Guarantee(0.1, unit=unit, neighbors="unbounded") for unit in ("person", "person"))
    delta = None if method == "basic" else 1e-6
    together = compose([one, ten], method, delta=delta)
    assert together.unit == "person" and together.neighbors == "unbounded"
    record = [Guarantee(0.1, neighbors="unbounded")] * 2
    alone = compose(record, method, delta=delta)
    assert (together.epsilon, together.delta, together.loss) == (alone.epsilon, alone.delta, alone.loss)


@pytest.mark.parametrize("method", ["basic", "zcdp", "exact", "pld"])
@pytest.mark.parametrize(
    "first, second, named",
    [
        ("person", None, "got unit 'person' and a single record"),
        (None, "person", "got a single record and unit 'person'"),
        ("person", "household", "got unit 'person' and unit 'household'"),
    ],
)
def test_units_do_not_mix(method, first, second, named):
    mixed = [Guarantee(0.1, unit=first), Guarantee(0.1, unit=second), Guarantee(0.1, unit=first)]
    with pytest.raises(PydpstatError, match=f"must all be for the same unit; {named}"):
        compose(mixed, method, delta=None if method == "basic" else 1e-6)
    with pytest.raises(PydpstatError, match=named):
        compose_basic(*mixed)
