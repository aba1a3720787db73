"""Losses composed by their privacy loss distributions, with and without dp-accounting."""

import math
import pickle
import sys
import types

import numpy as np
import pytest

from pydpstat import compose
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
)
from pydpstat.privacy._pld import INTERVAL, DistributionLoss, _Counts, _make_curve_masses, _sum_pure_epsilons

GAUSSIAN = Guarantee(1.0, 1e-6, loss=GaussianLoss(1.0 / float(calibrate_gaussian(1.0, 1e-6))))


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
