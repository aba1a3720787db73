"""Losses and guarantees on random samples: their rates, their pairs, their groups, and bad arguments."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.errors import PydpstatError
from pydpstat.privacy import GaussianLoss, Guarantee, LaplaceLoss, ResponseLoss, SubsampledLoss, before_sampling
from pydpstat.privacy._pld import DistributionLoss
from pydpstat.privacy.subsampling import compute_amplified_delta, compute_amplified_epsilon, compute_base_epsilon
from tests.privacy.losses import LOSSES

any_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)
rates = st.floats(1e-9, 1.0)


@pytest.mark.slow
@any_loss
@given(rates, rates, st.floats(0.0, 5.0))
def test_a_larger_rate_keeps_less(loss, first, second, epsilon):
    low, high = sorted((first, second))
    rarely, often = SubsampledLoss(loss, low), SubsampledLoss(loss, high)
    assert rarely.pure <= often.pure * (1.0 + 1e-14)
    # both are rounded up by at most 1e-11
    assert rarely.delta(epsilon) <= often.delta(epsilon) * (1.0 + 1e-11)
    assert rarely.reverse_delta(epsilon) <= rarely.delta(epsilon) <= loss.delta(epsilon) * (1.0 + 1e-11)


@any_loss
def test_at_rate_1_it_is_the_base(loss):
    for whole in (SubsampledLoss(loss, 1), SubsampledLoss(loss, Fraction(7, 7), symmetric=True)):
        assert whole.pure == loss.pure
        for epsilon in (0.0, 0.1, 1.0, 30.0):
            assert whole.delta(epsilon) == whole.reverse_delta(epsilon) == loss.delta(epsilon)


def test_a_small_delta_is_never_none():
    sampled = SubsampledLoss(GaussianLoss(0.2), 1e-6)
    assert 0.0 < sampled.delta(1000.0) < 1e-300 and sampled.pure == math.inf
    assert SubsampledLoss(LaplaceLoss(1.0), 0.5).delta(1.0) == 0.0


amounts = st.one_of(st.floats(1e-12, 50.0), st.floats(1e-300, 1e300))
any_rate = st.one_of(rates, st.floats(1e-300, 1.0))


@given(amounts, any_rate)
def test_pure_epsilons_are_rounded_up_and_their_inverse_down(epsilon, rate):
    with mpmath.workdps(60 + 2 * math.ceil(abs(math.log10(epsilon)) + abs(math.log10(rate)))):
        grown = mpmath.expm1(mpmath.mpf(epsilon)) if epsilon < 1e4 else None
        if grown is not None:
            exact = mpmath.log1p(grown * mpmath.mpf(rate))
            back = mpmath.log1p(grown / mpmath.mpf(rate))
        else:
            # what is left out is below exp(-1e4) / rate
            exact = mpmath.mpf(epsilon) + mpmath.log(mpmath.mpf(rate))
            back = mpmath.mpf(epsilon) - mpmath.log(mpmath.mpf(rate))
        found = compute_amplified_epsilon(epsilon, rate)
        near = mpmath.mpf("1e-11") if epsilon > 700.0 else mpmath.mpf("1e-14")
        assert exact <= found <= exact * (1 + near) + mpmath.mpf("1e-323")
        # the reference is itself rounded, far beyond 50 digits
        most = back * (1 + mpmath.mpf("1e-50"))
        assert back * (1 - mpmath.mpf("1e-14")) <= compute_base_epsilon(epsilon, rate) <= most


@given(amounts, any_rate, st.floats(0.0, 1.0))
def test_what_may_be_spent_keeps_the_whole(epsilon, rate, delta):
    spent, leak = before_sampling(epsilon, rate, delta)
    whole = Guarantee(spent, leak, "unbounded").subsampled(rate, "poisson")
    assert whole.epsilon <= epsilon and whole.delta <= delta and spent >= epsilon and leak >= delta
    # and nothing is given away
    near = 1e-11 if spent > 700.0 else 1e-13
    assert compute_amplified_epsilon(spent * (1.0 + near), rate) > epsilon
    assert leak == 1.0 or compute_amplified_delta(math.nextafter(leak * (1.0 + 2.0**-52), 2.0), rate) > delta


def test_gaussian_noise_for_what_may_be_spent_meets_the_pair():
    from pydpstat.mechanisms import calibrate_gaussian

    for rate in (0.001, 0.3):
        spent, leak = before_sampling(0.5, rate, 1e-6)
        noise = GaussianLoss(1.0 / float(calibrate_gaussian(spent, leak)))
        whole = Guarantee(spent, leak, "unbounded", loss=noise).subsampled(rate, "poisson")
        assert whole.epsilon <= 0.5 and whole.delta <= 1e-6
        assert 0.9999e-6 < whole.loss.delta(0.5) <= 1e-6 * (1 + 1e-11)


def test_the_pair_and_the_conditions():
    base = Guarantee(1.0, 1e-6, "unbounded", ("the levels are public",))
    sampled = base.subsampled(0.1, "poisson")
    assert sampled.epsilon == pytest.approx(math.log1p(0.1 * math.expm1(1.0)), rel=1e-14)
    exact = Fraction(0.1) * Fraction(1e-6)
    assert Fraction(sampled.delta) >= exact > Fraction(math.nextafter(sampled.delta, 0.0))
    assert sampled.neighbors == "unbounded" and sampled.conditions[0] == "the levels are public"
    assert "independently with probability 0.1" in sampled.conditions[1] and len(sampled.conditions) == 2
    assert sampled.loss == SubsampledLoss(ResponseLoss(1.0, 1, 1e-6), 0.1)
    assert sampled.delta_at(sampled.epsilon) == sampled.delta
    bounded = Guarantee(1.0, loss=LaplaceLoss(1.0)).subsampled(Fraction(1, 3), "without replacement")
    assert bounded.loss == SubsampledLoss(LaplaceLoss(1.0), math.nextafter(1 / 3, 1.0), symmetric=True)
    assert "a share of 0.333333 of the records" in bounded.conditions[0]
    assert (bounded.epsilon, bounded.delta) == (bounded.loss.pure, 0.0) == (bounded.epsilon_at(0.0), 0.0)
    twice = base.subsampled(0.5, "poisson").subsampled(0.2, "poisson")
    assert twice.delta_at(0.05) == pytest.approx(base.subsampled(0.1, "poisson").delta_at(0.05), rel=1e-11)


def test_where_nothing_is_known_nothing_is_gained():
    nothing = Guarantee(math.inf, neighbors="unbounded").subsampled(0.1, "poisson")
    assert nothing.epsilon == math.inf and nothing.loss is None and nothing.delta_at(3.0) == 1.0
    bare = Guarantee(math.inf, loss=GaussianLoss(1.0)).subsampled(0.1, "without replacement")
    assert bare.epsilon == math.inf and 0.0 < bare.epsilon_at(1e-6) < GaussianLoss(1.0).rho + 4.0


@pytest.mark.parametrize("rate", [0, -0.1, 1.0001, 2, math.nan, math.inf, "0.1", None, True, [0.1, 0.2]])
def test_rates_are_checked(rate):
    message = "rate must be above 0 and at most 1; got .*Give for example 0.1"
    with pytest.raises(PydpstatError, match=message):
        SubsampledLoss(LaplaceLoss(1.0), rate)
    with pytest.raises(PydpstatError, match=message):
        Guarantee(1.0).subsampled(rate, "without replacement")
    with pytest.raises(PydpstatError, match=message):
        before_sampling(1.0, rate)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: SubsampledLoss(1.0, 0.1), "base must be a privacy loss; got 1.0"),
        (lambda: SubsampledLoss(LaplaceLoss(1.0), 0.1, 1), "symmetric must be True or False; got 1"),
        (lambda: SubsampledLoss(LaplaceLoss(1.0), 0.1).delta(-1.0), "epsilon must be at least 0"),
        (lambda: SubsampledLoss(LaplaceLoss(1.0), 0.1).reverse_delta(math.inf), "epsilon must be at least 0"),
        (lambda: Guarantee(1.0).subsampled(0.1, "Poisson"), "sampling must be one of .*got 'Poisson'"),
        (lambda: before_sampling(0.0, 0.1), "epsilon must be a positive finite number;"),
        (lambda: before_sampling(1.0, 0.1, 1.5), "delta must be between 0 and 1; got 1.5"),
    ],
)
def test_arguments_are_checked(call, message):
    with pytest.raises(PydpstatError, match=message):
        call()


def test_groups():
    one = SubsampledLoss(LaplaceLoss(0.5), 0.1)
    assert one.group(1) == one
    three = one.group(3)
    assert three.base == LaplaceLoss(1.5) and three.symmetric
    assert 0.0 <= three.rate - (1 - 0.9**3) < 1e-11
    assert SubsampledLoss(GaussianLoss(1.0), 0.4, symmetric=True).group(3) == SubsampledLoss(
        GaussianLoss(3.0), 1.0, symmetric=True
    )
    assert SubsampledLoss(ResponseLoss(1.0, 1, 1e-6), 0.1).group(2) is None
    guarantee = Guarantee(0.5, neighbors="unbounded", loss=LaplaceLoss(0.5)).subsampled(0.1, "poisson")
    both = guarantee.as_bounded()
    assert both.neighbors == "bounded" and both.epsilon == 2.0 * guarantee.epsilon
    assert both.loss == SubsampledLoss(LaplaceLoss(1.0), 0.1, symmetric=True)
    two = DistributionLoss((guarantee.loss, LaplaceLoss(0.1)))
    assert two.replaced().parts == (both.loss, LaplaceLoss(0.2))
    leaking = Guarantee(0.5, 1e-6, "unbounded").subsampled(0.1, "poisson")
    assert leaking.as_bounded().loss is None and DistributionLoss((leaking.loss,)).replaced() is None
    assert both.delta_at(both.epsilon) == 0.0 and both.epsilon_at(0.0) == both.epsilon
