"""Releases on random samples against integrals, exact sums and every pair of small data sets."""

import itertools
import math
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from pydpstat import Budget, compose
from pydpstat.errors import PydpstatError
from pydpstat.privacy import (
    ConcentratedLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    GeometricLoss,
    Guarantee,
    LaplaceLoss,
    PrivacyLoss,
    ResponseLoss,
    SubsampledLoss,
    before_sampling,
)
from pydpstat.privacy._pld import INTERVAL, DistributionLoss, _connected, _corners, _sampled, _several
from pydpstat.privacy.subsampling import amplified_delta, amplified_epsilon, base_epsilon

RATES = (0.003, 0.1, 0.5, 0.97)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)


def laplace(shift):
    """Density of Laplace noise of scale 1, the log ratio of the shifted one to it, and where both bend."""
    return lambda x: 0.5 * np.exp(-np.abs(x)), lambda x: np.abs(x) - np.abs(x - shift), (0.0, shift)


def gaussian(shift):
    """The same for Gaussian noise of standard deviation 1, by its shift."""
    density = lambda x: np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi)  # noqa: E731
    return density, lambda x: shift * x - 0.5 * shift * shift, (0.0, shift)


def integral(noise, rate, epsilon, reverse=False):
    """Integrate what rate P + (1 - rate) Q has above exp(epsilon) Q, or the other way round."""
    density, ratio, bends = noise
    if reverse:

        def excess(x):
            return -math.expm1(epsilon) - math.exp(epsilon) * rate * np.expm1(ratio(x))
    else:

        def excess(x):
            return rate * np.expm1(ratio(x)) - math.expm1(epsilon)

    low, high = -45.0, bends[1] + 45.0
    ends = [low, *bends, high]
    if excess(low) * excess(high) < 0.0:
        ends.append(brentq(excess, low, high, xtol=1e-15, rtol=1e-15))
    total = []
    for start, stop in itertools.pairwise(sorted(ends)):
        pieces = np.linspace(start, stop, 2 + math.ceil(4.0 * (stop - start)))
        half = 0.5 * np.diff(pieces)
        x = pieces[:-1, None] + half[:, None] * (NODES + 1.0)
        total.append((half[:, None] * WEIGHTS * density(x) * np.maximum(excess(x), 0.0)).sum())
    return math.fsum(total)


CASES = [
    (kind, loss, shift, rate)
    for kind, loss in ((laplace, LaplaceLoss), (gaussian, GaussianLoss))
    for shift in (0.2, 1.0, 2.5)
    for rate in RATES
]
NAMES = [f"{kind.__name__}-{shift}-{rate}" for kind, _, shift, rate in CASES]


@pytest.mark.parametrize("kind, loss, shift, rate", CASES, ids=NAMES)
def test_the_curve_is_the_integral_in_both_orders(kind, loss, shift, rate):
    sampled, noise = SubsampledLoss(loss(shift), rate), kind(shift)
    top = sampled.pure if sampled.pure < math.inf else 2.0
    for share in (0.0, 0.01, 0.1, 0.3, 0.6, 0.9):
        epsilon = share * top
        larger, smaller = (integral(noise, rate, epsilon, order) for order in (False, True))
        if larger < 1e-13:
            continue
        # Gauss's rule on pieces of a quarter errs by rounding, which cancels to 1e-10 in the smallest ones
        assert sampled.delta(epsilon) == pytest.approx(larger, rel=1e-9)
        assert smaller <= larger * (1.0 + 1e-12)
        assert sampled.reverse_delta(epsilon) == pytest.approx(smaller, rel=1e-9, abs=1e-14)
        assert sampled.reverse_delta(epsilon) <= sampled.delta(epsilon)


@pytest.mark.parametrize("kind, loss, shift, rate", CASES, ids=NAMES)
def test_a_wrong_rate_is_found(kind, loss, shift, rate):
    exact = integral(kind(shift), rate, 0.02 * rate)
    for wrong in (0.999 * rate, 1.001 * rate):
        found = SubsampledLoss(loss(shift), wrong).delta(0.02 * rate)
        assert found != pytest.approx(exact, rel=1e-5) and (found < exact) == (wrong < rate)


@pytest.mark.parametrize("mu", [0.05, 1.0, 6.0])
@pytest.mark.parametrize("rate", [1e-4, 0.2, 0.9])
def test_gaussian_deltas_are_rounded_up(mu, rate):
    with mpmath.workdps(50):
        q, m = mpmath.mpf(rate), mpmath.mpf(mu)
        for epsilon in (0.0, 1e-3, 0.3, 2.0, 7.0):
            order = 1 + mpmath.expm1(mpmath.mpf(epsilon)) / q
            a = mpmath.log(order) / m - m / 2
            exact = q * (mpmath.ncdf(-a) - order * mpmath.ncdf(-a - m))
            found = SubsampledLoss(GaussianLoss(mu), rate).delta(epsilon)
            # an exponent of up to 700 is rounded by 1e-13 of delta
            assert exact * (1 - mpmath.mpf("1e-12")) <= found
            if exact > 1e-300:
                assert exact <= found <= exact * (1 + mpmath.mpf("1e-11"))


# exact sums: outcomes below 0, from 0 to some number, and above it, where likelihood ratios no longer change


def geometric_masses(decay, at, reach):
    """Return masses of symmetric geometric noise around `at`, the tails beyond 0..reach lumped together."""
    tail = decay / (1 + decay)
    inside = [(1 - decay) / (1 + decay) * decay ** abs(x - at) for x in range(reach + 1)]
    return [tail * decay**at, *inside, tail * decay ** (reach - at)]


def mixed(weights, rows):
    return [sum(weight * row[place] for weight, row in zip(weights, rows)) for place in range(len(rows[0]))]


def stick(order, here, there):
    return sum(max(p - order * q, 0) for p, q in zip(here, there))


def binomial(count, rate):
    return [math.comb(count, k) * rate**k * (1 - rate) ** (count - k) for k in range(count + 1)]


def hypergeometric(marked, total, drawn):
    ways = math.comb(total, drawn)
    rest = total - marked
    return [Fraction(math.comb(marked, k) * math.comb(rest, drawn - k), ways) for k in range(drawn + 1)]


@pytest.mark.parametrize("order", [Fraction(1), Fraction(21, 20), Fraction(5, 4), Fraction(7, 5)])
def test_noisy_counts_of_a_sample_in_whole_numbers(order):
    decay, rate = Fraction(1, 2), Fraction(2, 5)
    base = GeometricLoss(math.log(2.0))
    sampled = SubsampledLoss(base, rate)
    larger = smaller = without = Fraction(0)
    for count in range(5):
        rows = [geometric_masses(decay, k, 6) for k in range(7)]
        fewer, more = mixed(binomial(count, rate), rows), mixed(binomial(count + 1, rate), rows)
        larger, smaller = max(larger, stick(order, more, fewer)), max(smaller, stick(order, fewer, more))
    for found, exact in ((sampled.delta, larger), (sampled.reverse_delta, smaller)):
        assert found(math.log(order)) == pytest.approx(float(exact), rel=1e-11, abs=1e-14)
        # log(order) is rounded, by less than the curve is rounded up
        assert found(math.log(order)) >= exact
    assert larger >= smaller
    for marked in range(5):
        rows = [geometric_masses(decay, k, 2) for k in range(3)]
        first, second = (mixed(hypergeometric(each, 5, 2), rows) for each in (marked, marked + 1))
        without = max(without, stick(order, first, second), stick(order, second, first))
    # two of five: the same rate, and the same worst
    assert without == larger


# any mechanism: a table with a distribution for every sample, and every pair of neighbors


def samples(records, sizes):
    return [frozenset(each) for size in sizes for each in itertools.combinations(records, size)]


def table(keys, rng, spread):
    return {key: rng.dirichlet(np.full(3, spread)) for key in keys}


def worst(mechanism, order, near):
    pairs = itertools.permutations(mechanism, 2)
    return max(stick(order, mechanism[a], mechanism[b]) for a, b in pairs if near(a, b))


def of_poisson(mechanism, data, rate):
    every = samples(data, range(len(data) + 1))
    chances = [rate ** len(each) * (1 - rate) ** (len(data) - len(each)) for each in every]
    return mixed(chances, [mechanism[each] for each in every])


def without_replacement(mechanism, data, size):
    every = samples(data, [size])
    return mixed([1.0 / len(every)] * len(every), [mechanism[each] for each in every])


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("distance", [1, 2])
def test_no_mechanism_keeps_less_on_a_sample(seed, distance):
    rng = np.random.default_rng(seed)
    poisson = table(samples("xyabc", range(6)), rng, 3.0)
    drawn = table(samples("xyuvab", [2]), rng, 3.0)
    for order in (1.0, 1.05, 1.2):
        for rate in (0.2, 0.6):
            level = SubsampledLoss(_Table(poisson, "added"), rate)
            loss = level.group(distance)
            limit = loss.delta(math.log(order)) + 1e-12
            one, two = of_poisson(poisson, "abc", rate), of_poisson(poisson, "abcxy"[: 3 + distance], rate)
            assert max(stick(order, one, two), stick(order, two, one)) <= limit
            if distance == 2:
                # a record for another is a step of two, and only one of them can be in the sample
                limit = level.replaced().delta(math.log(order)) + 1e-12
                there, here = of_poisson(poisson, "abx", rate), of_poisson(poisson, "aby", rate)
                assert max(stick(order, there, here), stick(order, here, there)) <= limit
        loss = SubsampledLoss(_Table(drawn, "replaced"), Fraction(2, 4), symmetric=True).group(distance)
        others = "uyab" if distance == 1 else "uvab"
        first, second = (without_replacement(drawn, data, 2) for data in ("xyab", others))
        limit = loss.delta(math.log(order)) + 1e-12
        assert max(stick(order, first, second), stick(order, second, first)) <= limit


class _Table(PrivacyLoss):
    """The loss of a table, between samples that differ in up to so many records."""

    def __init__(self, mechanism, kind, size=1):
        self.mechanism, self.kind, self.size = mechanism, kind, size

    def delta(self, epsilon):
        steps = 1 if self.kind == "added" else 2
        return worst(self.mechanism, math.exp(epsilon), lambda a, b: len(a ^ b) <= steps * self.size)

    def group(self, size):
        return _Table(self.mechanism, self.kind, size * self.size)


def test_why_poisson_sampling_does_not_serve_bounded_neighbors():
    # it tells the sample's size, and a randomized response of one kind where every record is in the sample
    rate, epsilon = 0.5, 1.0
    said = 1.0 / (1.0 + math.exp(-epsilon))
    here = [1.0 - rate**2, rate**2 * said, rate**2 * (1.0 - said)]
    there = [here[0], here[2], here[1]]
    assert stick(math.exp(amplified_epsilon(epsilon, rate)), here, there) > 0.01
    with pytest.raises(PydpstatError, match="serves bounded neighbors; got 'poisson'.*may tell it"):
        Guarantee(epsilon).subsampled(rate, "poisson")


def test_why_a_fixed_size_does_not_serve_unbounded_neighbors():
    # the sample's sum of records 1 and -1 with noise for one record more or less, one drawn of one or two
    rows = [geometric_masses(Fraction(1, 2), at, 2) for at in range(3)]
    alone, both = rows[2], mixed([Fraction(1, 2), 0, Fraction(1, 2)], rows)
    # the record -1 takes the other's place: twice the noise's epsilon
    pure = amplified_epsilon(math.log(2.0), 0.5)
    assert stick(Fraction(math.exp(pure)), both, alone) > 0.1
    with pytest.raises(PydpstatError, match="got 'without replacement'.*guarantee.as_bounded\\(\\) first"):
        Guarantee(1.0, neighbors="unbounded").subsampled(0.5, "without replacement")


LOSSES = [
    GaussianLoss(0.7),
    LaplaceLoss(1.3),
    GeometricLoss(0.9, 2),
    ResponseLoss(0.2, 30),
    ResponseLoss(0.5, 1, 1e-5),
    ConcentratedLoss(0.3),
    DiscreteGaussianLoss(1.5),
    DiscreteGaussianLoss(2.0, 1, 2),
    SubsampledLoss(LaplaceLoss(1.0), 0.5),
]
any_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)
rates = st.floats(1e-9, 1.0)


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


@any_loss
def test_curves_fall_and_are_inverted(loss):
    guarantee = Guarantee(math.inf, 1.0, "unbounded", loss=SubsampledLoss(loss, 0.2))
    curve = [guarantee.delta_at(0.05 * k) for k in range(60)]
    assert all(0.0 <= after <= before <= 1.0 for before, after in zip(curve, curve[1:]))
    for delta in (0.03, 1e-3, 2e-5):
        epsilon = guarantee.epsilon_at(delta)
        assert guarantee.delta_at(epsilon) <= delta
        assert epsilon == 0.0 or guarantee.delta_at(epsilon * (1 - 1e-6)) > delta
    assert guarantee.epsilon_at(0.0) == guarantee.loss.pure
    again = pickle.loads(pickle.dumps(guarantee))
    assert again == guarantee and hash(again.loss) == hash(guarantee.loss)


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
        found = amplified_epsilon(epsilon, rate)
        near = mpmath.mpf("1e-11") if epsilon > 700.0 else mpmath.mpf("1e-14")
        assert exact <= found <= exact * (1 + near) + mpmath.mpf("1e-323")
        assert back * (1 - mpmath.mpf("1e-14")) <= base_epsilon(epsilon, rate) <= back


@given(amounts, any_rate, st.floats(0.0, 1.0))
def test_what_may_be_spent_keeps_the_whole(epsilon, rate, delta):
    spent, leak = before_sampling(epsilon, rate, delta)
    whole = Guarantee(spent, leak, "unbounded").subsampled(rate, "poisson")
    assert whole.epsilon <= epsilon and whole.delta <= delta and spent >= epsilon and leak >= delta
    # and nothing is given away
    near = 1e-11 if spent > 700.0 else 1e-13
    assert amplified_epsilon(spent * (1.0 + near), rate) > epsilon
    assert leak == 1.0 or amplified_delta(math.nextafter(leak * (1.0 + 2.0**-52), 2.0), rate) > delta


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
    assert "on its own with probability 0.1" in sampled.conditions[1] and len(sampled.conditions) == 2
    assert sampled.loss == SubsampledLoss(ResponseLoss(1.0, 1, 1e-6), 0.1)
    assert sampled.delta_at(sampled.epsilon) == sampled.delta
    bounded = Guarantee(1.0, loss=LaplaceLoss(1.0)).subsampled(Fraction(1, 3), "without replacement")
    assert bounded.loss == SubsampledLoss(LaplaceLoss(1.0), math.nextafter(1 / 3, 1.0), symmetric=True)
    assert "the share 0.333333 of the records" in bounded.conditions[0]
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
    message = "rate must be above 0 and at most 1; got .*Give say 0.1"
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
        (lambda: before_sampling(0.0, 0.1), "epsilon must be a scalar > 0"),
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


# composition


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
        corners = _corners(places.tolist(), heights.tolist())
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
    for composed in (_several(_sampled(sampled), 2), _several(_connected(sampled), 2)):
        for epsilon in ORDERS:
            order = math.exp(epsilon)
            exact = max(stick(order, two_more, two_fewer), stick(order, two_fewer, two_more))
            # each loss is rounded up by at most an interval
            assert -1e-12 <= composed.get_delta_for_epsilon(epsilon) - exact <= 2 * INTERVAL
            wrong = _several(_connected(SubsampledLoss(GEOMETRIC, 0.98 * rate)), 2)
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
    noise, lines = _several(_sampled(loss), 20), _several(_connected(loss), 20)
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
    assert sampled.delta_at(0.05) <= 0.1 * same.delta_at(base_epsilon(0.05, 0.1)) * (1 + 1e-11)
