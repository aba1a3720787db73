"""Curves of releases on random samples against integrals, exact sums and every pair of small data sets."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.optimize import brentq

from pydpstat.errors import PydpstatError
from pydpstat.privacy import GaussianLoss, GeometricLoss, Guarantee, LaplaceLoss, PrivacyLoss, SubsampledLoss
from pydpstat.privacy.subsampling import compute_amplified_epsilon
from tests.privacy.outcomes import geometric_masses, mixed, stick

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
    assert stick(math.exp(compute_amplified_epsilon(epsilon, rate)), here, there) > 0.01
    with pytest.raises(PydpstatError, match="suit bounded neighbors; got 'poisson'.*may reveal it"):
        Guarantee(epsilon).subsampled(rate, "poisson")


def test_why_a_fixed_size_does_not_serve_unbounded_neighbors():
    # the sample's sum of records 1 and -1 with noise for one record more or less, one drawn of one or two
    rows = [geometric_masses(Fraction(1, 2), at, 2) for at in range(3)]
    alone, both = rows[2], mixed([Fraction(1, 2), 0, Fraction(1, 2)], rows)
    # the record -1 takes the other's place: twice the noise's epsilon
    pure = compute_amplified_epsilon(math.log(2.0), 0.5)
    assert stick(Fraction(math.exp(pure)), both, alone) > 0.1
    with pytest.raises(PydpstatError, match="got 'without replacement'.*guarantee.as_bounded\\(\\) first"):
        Guarantee(1.0, neighbors="unbounded").subsampled(0.5, "without replacement")
