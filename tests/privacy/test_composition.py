"""Composition of lists fixed beforehand."""

import math
import pickle
import sys
import types
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat import compose
from pydpstat._grid import round_up_multiple, round_up_total
from pydpstat.errors import MissingExtraError, PydpstatError
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
    compose_basic,
)
from pydpstat.privacy._pld import INTERVAL, DistributionLoss, _Counts, _make_curve_masses, _sum_pure_epsilons

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


def test_the_hint_where_dp_accounting_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "dp_accounting", None)
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'pydpstat\[accounting\]'"):
        compose([Guarantee(1.0)] * 2, "pld", delta=1e-6)


class Distribution:
    """The part of dp-accounting's class that is read, for a loss of -1000 and 1000 intervals."""

    _symmetric = True

    def __init__(self):
        self._pmf_remove = self
        self._lower_loss, self._infinity_mass = -1000, 0.0
        self._probs = np.zeros(2001)
        self._probs[[0, -1]] = 0.5

    def to_dense_pmf(self):
        return self


@pytest.fixture
def stand_in(monkeypatch):
    """A module with the functions that dp-accounting documents; the calls that were made."""
    calls: list[tuple] = []

    def maker(name):
        def make(*arguments, value_discretization_interval, **sampling):
            calls.append((name, *arguments, *sampling.items()))
            return Distribution()

        return make

    names = ("gaussian", "laplace", "discrete_laplace", "discrete_gaussian")
    functions = {f"from_{name}_mechanism": maker(name) for name in names}
    pld = types.ModuleType("dp_accounting.pld")
    pld.privacy_loss_distribution = types.SimpleNamespace(**functions)
    modules = {"": types.ModuleType("dp_accounting"), ".pld": pld}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, f"dp_accounting{name}", module)
    from pydpstat.privacy._pld import _get_masses, _make_loss_sums

    for kept in (_get_masses, _make_loss_sums):
        kept.cache_clear()
    yield calls
    for kept in (_get_masses, _make_loss_sums):
        kept.cache_clear()


def test_distributions_of_pairs_agree_with_the_exact_curve(stand_in):
    pairs = [Guarantee(0.5), Guarantee(0.5), Guarantee(0.5)]
    whole, exact = compose(pairs, "pld", delta=0.05), compose(pairs, "exact", delta=0.05)
    assert whole.epsilon == pytest.approx(exact.epsilon, abs=1e-9) and not stand_in
    assert whole.delta_at(0.3) == pytest.approx(exact.delta_at(0.3), rel=1e-9)
    assert compose([Guarantee(0.5, 0.01), Guarantee(0.5)], "pld").epsilon == 1.0
    with pytest.raises(PydpstatError, match="number 2 has ConcentratedLoss"):
        compose([GAUSSIAN, Guarantee(math.inf, loss=ConcentratedLoss(0.1))], "pld", delta=0.1)
    leaking = [Guarantee(0.5, 0.01)] * 2
    assert compose(leaking, "pld", delta=0.2).epsilon == pytest.approx(
        compose(leaking, "exact", delta=0.2).epsilon, abs=1e-9
    )


def test_distributions_of_noise_are_asked_with_their_parameters(stand_in):
    losses = [GaussianLoss(0.5), LaplaceLoss(0.25), GeometricLoss(1.0, 4), DiscreteGaussianLoss(2.0, 3, 2)]
    compose([Guarantee(2.0, 1e-3, loss=loss) for loss in losses], "pld", delta=0.9)
    assert sorted(stand_in, key=repr) == [
        ("discrete_gaussian", 2.0, 3),
        ("discrete_laplace", 0.25, 4),
        ("gaussian", 2.0),
        ("laplace", 4.0),
    ]


def test_distributions_of_sampled_noise_are_asked_with_their_rate(stand_in):
    losses = [GaussianLoss(0.5), LaplaceLoss(0.25), GeometricLoss(1.0, 4), DiscreteGaussianLoss(2.0, 3)]
    sampled = [SubsampledLoss(loss, 0.1) for loss in losses]
    compose([Guarantee(2.0, 1e-3, "unbounded", loss=loss) for loss in sampled], "pld", delta=0.9)
    assert sorted(stand_in, key=repr) == [
        ("discrete_gaussian", 2.0, 3, ("sampling_prob", 0.1)),
        ("discrete_laplace", 0.25, 4, ("sampling_prob", 0.1)),
        ("gaussian", 2.0, ("sampling_prob", 0.1)),
        ("laplace", 4.0, ("sampling_prob", 0.1)),
    ]


def test_distributions_with_dp_accounting():
    pytest.importorskip("dp_accounting")
    nine, exact = compose([GAUSSIAN] * 9, "pld", delta=1e-6), compose([GAUSSIAN] * 9, "exact", delta=1e-6)
    assert exact.epsilon <= nine.epsilon <= exact.epsilon + 0.01


@pytest.mark.parametrize(
    "loss, parts",
    [
        (GaussianLoss(0.5), 1),
        (LaplaceLoss(0.3), 1),
        (GeometricLoss(1.0, 4), 1),
        (DiscreteGaussianLoss(2.0), 1),
        (DiscreteGaussianLoss(3.0, 1, 2), 2),
        (ResponseLoss(0.5, 3), 3),
        (ResponseLoss(0.1, 20, 1e-5), 21),
    ],
    ids=str,
)
def test_the_curves_of_dp_accounting_are_the_exact_ones(loss, parts):
    pytest.importorskip("dp_accounting")
    for epsilon in (0.0, 0.1, 0.29, 0.7, 1.4):
        excess = DistributionLoss((loss,)).delta(epsilon) - loss.delta(epsilon)
        # each part's loss is rounded up by at most an interval, and delta grows no faster than it
        assert -1e-13 <= excess <= parts * INTERVAL + 2e-14


def test_any_list_with_dp_accounting():
    pytest.importorskip("dp_accounting")
    mixed = [GAUSSIAN, Guarantee(0.5), Guarantee(0.2, 1e-7), Guarantee(0.3, loss=LaplaceLoss(0.3))] * 4
    whole = compose(mixed, "pld", delta=1e-5)
    assert whole.epsilon < compose(mixed).epsilon and whole.delta_at(whole.epsilon) <= 1e-5
    # compositions of compositions
    twice = compose([compose(mixed[:8], "pld", delta=1e-5)] * 2, "pld", delta=1e-5)
    assert twice.epsilon == pytest.approx(whole.epsilon, abs=1e-6)
    # one delta alone: nothing better than the sums can be said at it
    assert compose([Guarantee(1.0, 1e-6), Guarantee(0.5)], "pld") == Guarantee(
        1.5, 1e-6, loss=DistributionLoss((ResponseLoss(1.0, 1, 1e-6), ResponseLoss(0.5)))
    )


# what the transform's bound and the grid add, as a share of delta
PLD_EXCESS = 2e-3


@pytest.mark.slow
@pytest.mark.parametrize("delta", [1e-6, 1e-10, 1e-13, 1e-14])
@pytest.mark.parametrize(
    "loss, count",
    [
        (ResponseLoss(0.31), 10),
        (ResponseLoss(0.1), 100),
        (ResponseLoss(0.005), 10_000),
        (ResponseLoss(0.00316), 100_000),
        (GaussianLoss(0.3), 10),
        (GaussianLoss(0.01), 10_000),
    ],
    ids=str,
)
def test_many_parts_are_never_below_the_exact_curve(loss, count, delta):
    pytest.importorskip("dp_accounting")
    whole = DistributionLoss((loss,) * count)
    exact = ResponseLoss(loss.epsilon, count) if isinstance(loss, ResponseLoss) else None
    exact = exact or GaussianLoss(math.hypot(*[loss.mu] * count))
    epsilon = Guarantee(math.inf, loss=exact).epsilon_at(delta)
    if epsilon < 0.99 * exact.pure:
        for at in (epsilon, 0.5 * epsilon, 0.1 * epsilon, 0.0):
            assert exact.delta(at) <= whole.delta(at) <= exact.delta(at) * (1.0 + PLD_EXCESS)


def test_a_tail_of_many_parts_is_not_lost_in_the_transform():
    pytest.importorskip("dp_accounting")
    # 3.5755 with the transform's rounding, of 1e-16 of the largest mass, in place of the tail
    found = compose([Guarantee(0.005)] * 10_000, "pld", delta=1e-13)
    assert found.epsilon == pytest.approx(3.60993516, rel=1e-7) and found.epsilon >= 3.60993516


def test_the_order_of_the_parts_does_not_count():
    pytest.importorskip("dp_accounting")
    parts = [
        ResponseLoss(0.1),
        ResponseLoss(0.3),
        LaplaceLoss(0.2),
        GaussianLoss(0.3),
        ResponseLoss(0.1, 1, 1e-9),
    ] * 20
    first = DistributionLoss(tuple(parts))
    deltas = [first.delta(epsilon) for epsilon in (0.0, 1.0, 5.0, 9.0)]
    rng = np.random.default_rng(5)
    for _ in range(3):
        shuffled = DistributionLoss(tuple(parts[place] for place in rng.permutation(len(parts))))
        nested = DistributionLoss((DistributionLoss(shuffled.parts[:30]), *shuffled.parts[30:]))
        for other in (shuffled, nested):
            assert [other.delta(epsilon) for epsilon in (0.0, 1.0, 5.0, 9.0)] == deltas
            assert other.pure == first.pure


def test_a_distribution_that_is_kept_cannot_be_written_to():
    pytest.importorskip("dp_accounting")
    from pydpstat.privacy import _pld

    compose([Guarantee(1.0, loss=LaplaceLoss(1.0))] * 3, "pld", delta=1e-6)
    (whole,) = _pld._make_loss_sums(((LaplaceLoss(1.0), 3),))
    arrays = [part.values for part, _ in whole._parts]
    arrays += [array for curve in whole._curves.values() for array in (curve._masses, curve._others)]
    assert arrays
    for array in arrays:
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.setflags(write=True)


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


def test_the_parts_are_hashed_once():
    hashed = []

    class Part:
        def __hash__(self):
            hashed.append(self)
            return 5

    parts = (Part(), 2), (Part(), 3)
    counts = _Counts(parts)
    assert [hash(counts) for _ in range(3)] == [hash(parts)] * 3
    assert len(hashed) == 4 and counts == parts and {counts: 1}[counts] == 1
    # a hash of texts would be another one in another process
    copied = pickle.loads(pickle.dumps(_Counts([(GaussianLoss(1.0), 2)])))
    assert copied == ((GaussianLoss(1.0), 2),) and not vars(copied)


def test_a_curve_becomes_masses_at_both_signs_of_the_loss(monkeypatch):
    """Of a pure epsilon, whose curve is a line in exp(epsilon) between -epsilon and epsilon."""
    taken = []
    pld = types.ModuleType("dp_accounting.pld")
    pld.pld_pmf = types.SimpleNamespace(create_pmf_pessimistic_connect_dots=lambda *given: taken.append(given))
    monkeypatch.setitem(sys.modules, "dp_accounting", types.ModuleType("dp_accounting"))
    monkeypatch.setitem(sys.modules, "dp_accounting.pld", pld)
    places = np.arange(6) * 2000
    pure = places[-2] * INTERVAL

    def curve(epsilon):
        return np.maximum(np.exp(pure) - np.exp(epsilon), 0.0) / (1.0 + np.exp(pure))

    _make_curve_masses(places, curve(places * INTERVAL), curve(places * INTERVAL))
    ((interval, found, deltas),) = taken
    # places on a line may be left out
    assert interval == INTERVAL and found[0] in (-places[-1], -places[-2]) and places[-2] in found
    # below -epsilon delta is 1 - exp of the place, above it is on the line
    expected = np.where(found < -places[-2], -np.expm1(found * INTERVAL), curve(found * INTERVAL))
    assert deltas == pytest.approx(expected, abs=1e-14)


def test_pure_epsilons_of_repeated_losses_add_up():
    counts = ((LaplaceLoss(0.5), 3), (LaplaceLoss(0.25), 2))
    assert _sum_pure_epsilons(counts) == 2.0 and _sum_pure_epsilons(()) == 0.0
    assert _sum_pure_epsilons((*counts, (GaussianLoss(1.0), 1))) == math.inf
