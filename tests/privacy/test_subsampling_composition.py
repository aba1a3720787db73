"""Releases on random samples together: sums, budgets, and privacy loss distributions."""

import math

import numpy as np
import pytest

from pydpstat import Budget, compose
from pydpstat.errors import PydpstatError
from pydpstat.privacy import (
    ConcentratedLoss,
    GaussianLoss,
    GeometricLoss,
    Guarantee,
    LaplaceLoss,
    ResponseLoss,
    SubsampledLoss,
)
from pydpstat.privacy._pld import (
    INTERVAL,
    DistributionLoss,
    _approximate_distribution,
    _find_hull_corners,
    _make_subsampled_distribution,
)
from pydpstat.privacy.subsampling import compute_base_epsilon
from tests.privacy.losses import LOSSES
from tests.privacy.outcomes import geometric_masses, mixed, stick


def test_sums_and_what_has_a_rho():
    pure = Guarantee(1.0, neighbors="unbounded", loss=LaplaceLoss(1.0)).subsampled(0.1, "poisson")
    noise = Guarantee(1.0, 1e-6, "unbounded", loss=GaussianLoss(0.2)).subsampled(0.1, "poisson")
    whole = compose([pure, noise])
    assert whole.epsilon == pytest.approx(pure.epsilon + noise.epsilon, rel=1e-14)
    assert whole.delta == noise.delta and len(whole.conditions) == 1
    # a pure release stays one, whatever its epsilon comes from
    assert pure.rho == Guarantee(pure.epsilon).rho
    assert compose([pure] * 9, "exact", delta=1e-6).loss == ResponseLoss(pure.epsilon, 9)
    assert compose([pure] * 9, "zcdp", delta=1e-6).rho == pytest.approx(9 * pure.rho)
    assert noise.rho is None
    with pytest.raises(PydpstatError, match="number 2, .*, has none: it is made on a sample, and sampling"):
        compose([pure, noise], "zcdp", delta=1e-6)
    with pytest.raises(PydpstatError, match="guarantees must have equal and finite epsilons"):
        compose([pure, Guarantee(1.0, neighbors="unbounded")], "exact", delta=1e-6)
    # of the pairs it is the best, whatever they come from
    assert compose([noise] * 2, "exact", delta=1e-6).loss.count == 2
    both = Guarantee(2.0, 0.1, "unbounded", loss=DistributionLoss((pure.loss, noise.loss)))
    with pytest.raises(PydpstatError, match="has none: it is made on a sample"):
        compose([both], "zcdp", delta=1e-6)


def test_budgets():
    noise = Guarantee(1.0, 1e-6, "unbounded", loss=GaussianLoss(0.2)).subsampled(0.1, "poisson")
    basic = Budget(1.0, 1e-5, neighbors="unbounded")
    basic.spend(noise, "a sampled release")
    assert basic.spent.epsilon == noise.epsilon and basic.spent.delta == noise.delta
    with pytest.raises(PydpstatError, match="has none: it is made on a sample, .*accountant='basic'"):
        Budget(1.0, 1e-5, neighbors="unbounded", accountant="zcdp").spend(noise, "a sampled release")


def test_corners_are_the_largest_convex_function_below():
    rng = np.random.default_rng(5)
    for _ in range(50):
        places = np.sort(rng.uniform(0.1, 5.0, 40))
        heights = np.minimum(np.exp(-places) + rng.uniform(0.0, 0.3, 40), 1.0)
        corners = _find_hull_corners(places.tolist(), heights.tolist())
        found = np.interp(places, [0.0, *places[corners]], [1.0, *heights[corners]])
        # it is below every point, convex, and above every convex function that is: the exponential here
        assert np.all(found <= heights + 1e-15) and corners[-1] == 39
        assert np.all(found >= np.exp(-places) - 1e-15)
        slopes = np.diff([1.0, *heights[corners]]) / np.diff([0.0, *places[corners]])
        assert np.all(np.diff(slopes) > 0.0)


def pair_of(loss, rate, reach=60):
    """Return outcome masses with and without the record, for geometric noise on a sample's count."""
    decay = math.exp(-loss.epsilon / loss.sensitivity)
    shift = [geometric_masses(decay, at, reach) for at in (0, loss.sensitivity)]
    return mixed([1.0 - rate, rate], shift), shift[0]


def products(first, second):
    return np.outer(first, second).ravel()


GEOMETRIC = GeometricLoss(1.0, 2)
ORDERS = (0.0, 0.02, 0.1, 0.25, 0.5)


@pytest.mark.parametrize("rate", [0.05, 0.4])
def test_two_sampled_releases_are_composed_in_both_orders(rate):
    pytest.importorskip("dp_accounting")
    more, fewer = pair_of(GEOMETRIC, rate)
    two_more, two_fewer = products(more, more), products(fewer, fewer)
    sampled = SubsampledLoss(GEOMETRIC, rate)
    for composed in (
        _make_subsampled_distribution(sampled).self_compose(2),
        _approximate_distribution(sampled).self_compose(2),
    ):
        for epsilon in ORDERS:
            order = math.exp(epsilon)
            exact = max(stick(order, two_more, two_fewer), stick(order, two_fewer, two_more))
            # each loss is rounded up by at most an interval
            assert -1e-12 <= composed.get_delta_for_epsilon(epsilon) - exact <= 2 * INTERVAL
            wrong = _approximate_distribution(SubsampledLoss(GEOMETRIC, 0.98 * rate)).self_compose(2)
            assert exact < 1e-9 or wrong.get_delta_for_epsilon(epsilon) < exact


@pytest.mark.parametrize("rate, epsilon", [(0.05, 0.05), (0.4, 0.5)])
def test_without_replacement_a_record_may_come_first_and_second(rate, epsilon):
    pytest.importorskip("dp_accounting")
    # the first release counts those like x, the second those like y: each order is the larger one once
    more, fewer = pair_of(GEOMETRIC, rate)
    here, there = products(more, fewer), products(fewer, more)
    whole = DistributionLoss((SubsampledLoss(GEOMETRIC, rate, symmetric=True),) * 2)
    for at in ORDERS:
        order = math.exp(at)
        assert stick(order, here, there) <= whole.delta(at)
        assert stick(order, products(more, more), products(fewer, fewer)) <= whole.delta(at)
    # what two releases after Poisson sampling keep is too little here
    poisson = DistributionLoss((SubsampledLoss(GEOMETRIC, rate),) * 2)
    assert stick(math.exp(epsilon), here, there) > poisson.delta(epsilon) + 5e-4


@pytest.mark.parametrize("rate", [0.01, 0.3])
@pytest.mark.parametrize("base", LOSSES, ids=str)
def test_the_distribution_has_the_curve(base, rate):
    pytest.importorskip("dp_accounting")
    for symmetric in (False, True):
        loss = SubsampledLoss(base, rate, symmetric)
        for epsilon in (0.0, 0.01, 0.1, 0.29, 0.7):
            excess = DistributionLoss((loss,)).delta(epsilon) - loss.delta(epsilon)
            # curves are rounded up by 1e-12 of themselves, losses by an interval; and what follows from a
            # rho is no delta of any pair of distributions, so that the largest convex function is below it
            assert excess <= INTERVAL and (excess >= -1e-12 or isinstance(base, ConcentratedLoss))


@pytest.mark.parametrize("rate", [1e-6, 0.3, 0.999])
@pytest.mark.parametrize(
    "base",
    [
        GaussianLoss(50.0),
        GaussianLoss(1e-4),
        LaplaceLoss(1e-6),
        LaplaceLoss(200.0),
        ResponseLoss(0.0),
        ResponseLoss(0.0, 1, 0.1),
        ResponseLoss(math.inf),
    ],
    ids=str,
)
def test_distributions_of_very_much_and_very_little(base, rate):
    pytest.importorskip("dp_accounting")
    loss = SubsampledLoss(base, rate, symmetric=True)
    both = DistributionLoss((loss, loss))
    for epsilon in (0.0, 0.1, 2.0):
        # at least what one of the two has, at most the sums
        assert loss.delta(epsilon) <= both.delta(epsilon) + 1e-12
        assert both.delta(epsilon) <= 2.0 * loss.delta(0.5 * epsilon) + 2 * INTERVAL


@pytest.mark.parametrize("base", [GaussianLoss(0.7), ResponseLoss(0.5, 2, 1e-3)], ids=str)
def test_the_distribution_of_all_records_is_the_base_s(base):
    pytest.importorskip("dp_accounting")
    whole = DistributionLoss((SubsampledLoss(base, 1, symmetric=True), LaplaceLoss(0.5)))
    for epsilon in ORDERS:
        assert whole.delta(epsilon) == DistributionLoss((base, LaplaceLoss(0.5))).delta(epsilon)


@pytest.mark.parametrize("base", [GaussianLoss(0.7), LaplaceLoss(1.3)], ids=str)
def test_lines_through_the_curve_compose_as_the_noise_itself(base):
    pytest.importorskip("dp_accounting")
    loss = SubsampledLoss(base, 0.1)
    noise, lines = (
        _make_subsampled_distribution(loss).self_compose(20),
        _approximate_distribution(loss).self_compose(20),
    )
    for epsilon in (0.0, 0.2, 1.0):
        known = noise.get_delta_for_epsilon(epsilon)
        assert lines.get_delta_for_epsilon(epsilon) == pytest.approx(known, rel=1e-5)


def test_many_sampled_releases_with_dp_accounting():
    pytest.importorskip("dp_accounting")
    one = Guarantee(1.0, 1e-6, "unbounded", loss=GaussianLoss(0.2)).subsampled(0.01, "poisson")
    many = compose([one] * 200, "pld", delta=1e-6)
    assert many.epsilon < 0.1 * compose([one] * 200).epsilon
    assert many.delta_at(many.epsilon) <= 1e-6 and len(many.conditions) == 1
    pair = Guarantee(1.0, 1e-8, "unbounded").subsampled(0.01, "poisson")
    several = [one, pair, Guarantee(0.1, neighbors="unbounded")] * 3
    assert one.epsilon < compose(several, "pld", delta=1e-6).epsilon < compose(several).epsilon
    # several releases on one sample: first together, then on the sample
    same = compose([Guarantee(0.2, neighbors="unbounded", loss=LaplaceLoss(0.2))] * 5, "pld", delta=1e-6)
    sampled = same.subsampled(0.1, "poisson")
    assert sampled.delta == pytest.approx(1e-7) and sampled.epsilon < 0.17
    assert sampled.delta_at(0.05) <= 0.1 * same.delta_at(compute_base_epsilon(0.05, 0.1)) * (1 + 1e-11)
