"""Curves against independent arithmetic: exact sums, many digits, other formulas."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat._grid import round_up_multiple
from pydpstat.mechanisms import BoundedLaplaceNoise, LaplaceNoise, SignGeometricNoise, SymmetricGeometricNoise
from pydpstat.privacy import DiscreteGaussianLoss, GaussianLoss, GeometricLoss, Guarantee, LaplaceLoss, ResponseLoss
from pydpstat.privacy._curves import (
    compute_concentrated_delta,
    compute_pure_rho,
    compute_responses_delta,
    find_largest_rho,
)


def exact_responses(each, count, epsilon):
    with mpmath.workdps(60):
        e, at = mpmath.exp(mpmath.mpf(each)), mpmath.exp(mpmath.mpf(epsilon))
        terms = (mpmath.binomial(count, j) * max(mpmath.mpf(0), e ** (count - j) - at * e**j) for j in range(count + 1))
        return mpmath.fsum(terms) / (1 + e) ** count


@pytest.mark.slow
@pytest.mark.parametrize("each", [1e-3, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("count", [1, 2, 7, 300])
def test_randomized_responses(each, count):
    for share in (0.0, 0.05, 0.3, 0.5, 0.9, 0.999):
        epsilon = share * each * count
        exact = exact_responses(each, count, epsilon)
        found = compute_responses_delta(each, count, epsilon)
        # rounded up, by less than 1e-9 of itself up to some hundreds
        assert exact <= found <= exact * (1 + mpmath.mpf("1e-9")) + mpmath.mpf("1e-320")
    assert compute_responses_delta(each, count, round_up_multiple(count, each)) == 0.0


@pytest.mark.slow
def test_a_million_responses_are_finite():
    assert 0.0 < compute_responses_delta(1e-3, 10**6, 5.0) < 1e-3
    assert compute_responses_delta(3.0, 10**6, 0.0) == 1.0


def test_responses_with_leaks_by_enumeration():
    # three outcomes: two answers, or everything is told
    epsilon, delta, count, at = 0.7, 0.05, 3, 0.9
    answer = [math.exp(epsilon) / (1 + math.exp(epsilon)), 1 / (1 + math.exp(epsilon))]
    here = [(1 - delta) * answer[0], (1 - delta) * answer[1], delta, 0.0]
    there = [(1 - delta) * answer[1], (1 - delta) * answer[0], 0.0, delta]
    excess = 0.0
    for index in np.ndindex(*(4,) * count):
        p, q = math.prod(here[i] for i in index), math.prod(there[i] for i in index)
        excess += max(0.0, p - math.exp(at) * q)
    leak = 1.0 - (1.0 - delta) ** count
    assert ResponseLoss(epsilon, count, leak).delta(at) == pytest.approx(excess, rel=1e-12)


@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.1, 2.0, 50.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 10.0, 100.0])
def test_concentrated_privacy(rho, epsilon):
    def bound(x):
        above = mpmath.exp(x)
        a = above + 1
        return above * (a * rho - epsilon) - x + a * (x - mpmath.log(a))

    with mpmath.workdps(40):
        start = min((bound(mpmath.mpf(x) / 10), mpmath.mpf(x) / 10) for x in range(-400, 300))[1]
        best = min(mpmath.mpf(0), min(bound(start + mpmath.mpf(k) / 2000) for k in range(-300, 300)))
        exact = mpmath.exp(best)
    found = compute_concentrated_delta(rho, epsilon)
    # the grid's own minimum is a little too high
    assert float(exact) * (1 - 1e-3) <= found <= float(exact) * (1 + 1e-9) + 1e-320


def test_the_conversion_is_better_than_the_usual_one():
    for rho in (0.01, 0.1, 1.0):
        for delta in (1e-3, 1e-9):
            usual = rho + 2.0 * math.sqrt(rho * math.log(1.0 / delta))
            assert compute_concentrated_delta(rho, usual) < 0.5 * delta


def test_the_largest_rho():
    for epsilon in (0.1, 1.0, 8.0):
        for delta in (1e-3, 1e-12):
            rho = find_largest_rho(epsilon, delta)
            assert (
                compute_concentrated_delta(rho, epsilon)
                <= delta
                < compute_concentrated_delta(rho * (1 + 1e-9), epsilon)
            )
    assert find_largest_rho(1.0, 0.0) == 0.0


@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 1.0, 10.0])
def test_rho_of_a_pure_guarantee_bounds_every_renyi_divergence(epsilon):
    with mpmath.workdps(50):
        p = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon)))
        for excess in (1e-6, 1e-2, 0.5, 1.0, 5.0, 100.0):
            a = 1 + mpmath.mpf(excess)
            moment = p**a * (1 - p) ** (1 - a) + (1 - p) ** a * p ** (1 - a)
            ratio = mpmath.log(moment) / (a - 1) / a / mpmath.mpf(compute_pure_rho(epsilon))
            assert ratio <= 1 + mpmath.mpf("1e-14")
            if excess == 1e-6:
                # attained at the end, so that no smaller rho holds
                assert ratio > 1 - mpmath.mpf("1e-5")
    assert compute_pure_rho(epsilon) < 0.5 * epsilon**2


def masses(rate, shift, reach=400):
    noise = SymmetricGeometricNoise(rate)
    return noise.pmf(np.arange(-reach, reach + 1) - shift)


@pytest.mark.parametrize("first, second", [(1, 1), (1, 3), (2, 2), (5, 20)])
@pytest.mark.parametrize("rate", [0.03, 0.5])
def test_two_shifted_coordinates_tell_less_than_one(first, second, rate):
    here = np.outer(masses(rate, 0), masses(rate, 0))
    there = np.outer(masses(rate, first), masses(rate, second))
    one = GeometricLoss(rate * (first + second), first + second)
    for share in (0.0, 0.2, 0.5, 0.8, 0.95):
        epsilon = share * rate * (first + second)
        two = np.maximum(here - math.exp(epsilon) * there, 0.0).sum()
        assert two <= one.delta(epsilon) + 1e-5
        # one coordinate is where the bound is attained
        alone = np.maximum(masses(rate, 0) - math.exp(epsilon) * masses(rate, first + second), 0.0).sum()
        assert alone == pytest.approx(one.delta(epsilon), abs=1e-4)


def test_laplace_is_the_limit_of_geometric():
    steps = 2**20
    for epsilon in (0.1, 0.5, 0.9):
        fine = GeometricLoss(1.0, steps).delta(epsilon)
        assert LaplaceLoss(1.0).delta(epsilon) == pytest.approx(fine, abs=1.0 / steps)


# far above the functions' roundings, far below a digit that anybody reads
TIGHT = mpmath.mpf("1e-12")


def below(value, steps):
    for _ in range(steps):
        value = math.nextafter(value, 0.0)
    return value


@pytest.mark.parametrize("steps", [1, 2, 7, 1000])
@pytest.mark.parametrize("epsilon", [1e-9, 0.007, 0.3, 1.7, 11.0])
def test_just_below_the_pure_epsilon_nothing_is_lost(epsilon, steps):
    with mpmath.workdps(80):
        at = below(epsilon, steps)
        gap = mpmath.mpf(epsilon) - mpmath.mpf(at)
        found = {
            LaplaceLoss(epsilon).delta(at): -mpmath.expm1(-gap / 2),
            LaplaceNoise(0.5).delta(2.0 * at, epsilon): -mpmath.expm1(-gap),
            ResponseLoss(epsilon).delta(at): exact_responses(epsilon, 1, at),
        }
        for shift in (1, 3, 10):
            ratio = mpmath.exp(-mpmath.mpf(epsilon) / shift)
            # only outcomes up to 0 tell as much
            found[GeometricLoss(epsilon, shift).delta(at)] = -mpmath.expm1(-gap) / (1 + ratio)
        for delta, exact in found.items():
            assert exact <= delta <= exact * (1 + TIGHT)
        for count in (2, 3, 25):
            at = below(count * epsilon, steps)
            exact = exact_responses(epsilon, count, at)
            assert exact <= ResponseLoss(epsilon, count).delta(at) <= exact * (1 + mpmath.mpf("1e-11"))


def test_figures_that_would_underflow_are_above_0():
    assert compute_pure_rho(1e-170) == 5e-324 and compute_pure_rho(0.0) == 0.0
    assert Guarantee(1e-170).rho > 0.0 and GaussianLoss(1e-170).rho == 5e-324
    assert DiscreteGaussianLoss(1e200).rho == 5e-324 and ResponseLoss(1e-170, 3).rho > 0.0


@given(st.floats(1e-12, 1e3))
def test_rhos_are_rounded_up_and_hardly_above(value):
    with mpmath.workdps(60):
        x = mpmath.mpf(value)
        for found, exact in (
            (compute_pure_rho(value), x * mpmath.tanh(x / 2)),
            (GaussianLoss(value).rho, x * x / 2),
            (DiscreteGaussianLoss(value, 3, 2).rho, 9 / (x * x)),
            (ResponseLoss(value, 7).rho, 7 * x * mpmath.tanh(x / 2)),
            (LaplaceNoise(value).epsilon(0.3), mpmath.mpf(0.3) / x),
            (SignGeometricNoise(value).epsilon_kept, x + mpmath.log(2)),
        ):
            assert exact <= found <= exact * (1 + TIGHT)


@pytest.mark.parametrize("share", [1e-3, 0.3, 1.0])
@pytest.mark.parametrize("epsilon", [7e-10, 1e-4, 0.1, 3.0, 20.0])
def test_bounded_laplace_noise_has_no_larger_epsilon(epsilon, share):
    width = 10.0
    scale = share * width / epsilon * 1.5
    with mpmath.workdps(60):
        wide = mpmath.mpf(width) + mpmath.mpf(2.0**-20) * scale
        step, across = min(mpmath.mpf(share * width), wide / 2) / scale, wide / scale
        inside = (-mpmath.expm1(-step) - mpmath.expm1(step - across)) / -mpmath.expm1(-across)
        exact = mpmath.mpf(share * width) / scale + mpmath.log(inside)
        found = BoundedLaplaceNoise(scale, (0.0, width)).epsilon(share * width)
        assert exact <= found <= exact * (1 + TIGHT)


@pytest.mark.parametrize("rho", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("epsilon", [0.5, 3.0, 12.0])
def test_concentrated_privacy_has_the_least_of_its_bounds(rho, epsilon):
    a = 1.0 + np.geomspace(1e-6, 1e4, 200_001)
    with np.errstate(over="ignore"):
        least = np.exp((a - 1.0) * (a * rho - epsilon) - np.log(a - 1.0) + a * np.log1p(-1.0 / a)).min()
    assert compute_concentrated_delta(rho, epsilon) == pytest.approx(min(1.0, least), rel=1e-6)
    assert compute_concentrated_delta(0.0, epsilon) == 0.0
