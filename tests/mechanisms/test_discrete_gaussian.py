"""Discrete Gaussian noise against sums in multiple precision, its calibration against its curve."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest

from pydpstat import PydpstatError
from pydpstat.mechanisms import (
    DiscreteGaussian,
    DiscreteGaussianNoise,
    GaussianNoise,
    calibrate_discrete_gaussian,
    calibrate_gaussian,
)
from pydpstat.mechanisms.discrete_gaussian import _solve_smallest_sd
from pydpstat.privacy import DiscreteGaussianLoss, Guarantee
from pydpstat.privacy._curves import find_largest_rho

SDS = [0.05, 0.7, 2.5, 3.5, 60.0, 400.0]


def exact_delta(epsilon, sd, shift):
    """The sum's positive terms, from the first one on."""
    eps, s = mpmath.mpf(epsilon), mpmath.mpf(sd)
    total = mpmath.jtheta(3, 0, mpmath.exp(-1 / (2 * s * s))) if sd < 5 else mpmath.sqrt(2 * mpmath.pi) * s
    middle = eps * s * s / shift - mpmath.mpf(shift) / 2
    y, result = max(int(mpmath.floor(middle)) + 1, int(-12 * sd) - 10), mpmath.mpf(0)
    while True:
        term = mpmath.exp(-(mpmath.mpf(y) ** 2) / (2 * s * s)) * -mpmath.expm1(-(y - middle) * shift / s**2)
        result += term
        if y > 0 and term <= result * mpmath.mpf(10) ** -25:
            return result / total
        y += 1


def two_cells_delta(epsilon, sd, shift):
    """Both noises one by one."""
    reach = int(10 * sd) + 8
    total = mpmath.jtheta(3, 0, mpmath.exp(-1 / (2 * mpmath.mpf(sd) ** 2)))

    def mass(k):
        return mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * mpmath.mpf(sd) ** 2)) / total

    plain = [mass(k) for k in range(-reach, reach + 1)]
    moved = [mass(k + shift) for k in range(-reach, reach + 1)]
    factor = mpmath.exp(epsilon)
    pairs = product(zip(plain, moved), zip(plain, reversed(moved)))
    return sum(max(a * b - factor * c * d, 0) for (a, c), (b, d) in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("sd", SDS)
@pytest.mark.parametrize("shift", [1, 3])
def test_the_curve_is_exact(sd, shift):
    noise = DiscreteGaussianNoise(sd)
    with mpmath.workdps(50):
        for epsilon in (0.0, 1e-3, 0.1, 1.0, 5.0, 30.0):
            exact = exact_delta(epsilon, sd, shift) if epsilon * sd / shift < 25 else 0
            if exact > 1e-290:
                assert float(noise.delta(epsilon, shift) / exact - 1) == pytest.approx(0.0, abs=1e-13)


def test_a_large_loss_has_its_second_part_in_the_first_terms():
    # the sum has thousands of terms, with steps of the loss of 0.3
    sd, shift, epsilon = 200.0, 12_000, 1785.0
    with mpmath.workdps(30):
        exact = exact_delta(epsilon, sd, shift)
    assert float(DiscreteGaussianNoise(sd).delta(epsilon, shift) / exact - 1) == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize("sd, shift", [(0.2, 1), (0.8, 2), (1.3, 1)])
def test_two_cells(sd, shift):
    with mpmath.workdps(40):
        for epsilon in (0.0, 0.5, 2.0):
            exact = two_cells_delta(epsilon, sd, shift)
            found = DiscreteGaussianNoise(sd).delta(epsilon, shift, cells=2)
            assert float(found / exact - 1) == pytest.approx(0.0, abs=1e-13)


def test_wide_noise_is_as_the_continuous_one():
    for sd in (300.0, 1e5, 1e12):
        for epsilon in (0.5 / sd, 3.0 / sd):
            near = GaussianNoise(sd).delta(epsilon, 1.0)
            # the relative difference is of the order 1 / sd
            assert DiscreteGaussianNoise(sd).delta(epsilon) == pytest.approx(near, rel=10.0 / sd)


def test_the_distribution():
    for sd in (0.3, 1.0, 2.9, 3.1, 40.0, 4000.0):
        noise, k = DiscreteGaussianNoise(sd), np.arange(-60.0 * max(sd, 1.0), 60.0 * max(sd, 1.0) + 1.0)
        mass = noise.pmf(k)
        assert mass.sum() == pytest.approx(1.0, abs=1e-13)
        assert noise.var() == pytest.approx((k * k * mass).sum(), rel=1e-12)
        assert noise.std() ** 2 == pytest.approx(noise.var())
        near = k[np.abs(k) <= 40][::7]
        sums = [mass[k <= each].sum() for each in near]
        assert noise.cdf(near) == pytest.approx(sums, rel=1e-11, abs=1e-13)
        p = np.array([1e-9, 0.02, 0.3, 0.5, 0.77, 0.999])
        found = noise.ppf(p)
        assert (noise.cdf(found) >= p).all() and (noise.cdf(found - 1) < p).all()


@pytest.mark.parametrize(
    "epsilon, delta", [(0.01, 1e-3), (0.1, 1e-12), (1.0, 1e-3), (1.0, 1e-9), (10.0, 1e-6), (100.0, 1e-12)]
)
def test_the_calibration_is_the_smallest(epsilon, delta):
    for shift in (1, 2) if epsilon >= 0.1 else (1,):
        sd = calibrate_discrete_gaussian(epsilon, delta, shift)
        with mpmath.workdps(50):
            kept, less = exact_delta(epsilon, sd, shift), exact_delta(epsilon, sd * (1 - 1e-9), shift)
            steepest = exact_delta(epsilon, math.nextafter(sd, 0.0), shift)
        assert kept <= delta < less
        # where one step of a float changes delta by more than a thousandth, no float is nearer
        assert kept >= 0.999 * delta or steepest > delta


def test_two_cells_need_more_noise():
    sd = calibrate_discrete_gaussian(1.0, 1e-6, 1, cells=2)
    assert DiscreteGaussianNoise(sd).delta(1.0, 1, cells=2) <= 1e-6
    assert sd == pytest.approx(calibrate_gaussian(1.0, 1e-6, math.sqrt(2.0)), rel=1e-2)


def test_what_is_refused():
    for call in (
        lambda: calibrate_discrete_gaussian(1.0, 0.0),
        lambda: calibrate_discrete_gaussian(0.0, 0.1),
        lambda: calibrate_discrete_gaussian(1.0, 0.1, 0.5),
        lambda: calibrate_discrete_gaussian(1.0, 0.1, 1, 0),
    ):
        with pytest.raises(PydpstatError):
            call()


@pytest.mark.parametrize("cells", [1, 2])
def test_one_count_and_two_have_the_exact_loss(cells):
    mechanism, moved = DiscreteGaussian(), math.sqrt(cells)
    noise = mechanism.calibrate(1.0, 1e-6, moved)
    assert mechanism.loss(noise, 1.0, (moved,)).delta(1.0) == pytest.approx(1e-6, rel=1e-3)
    # with more of them concentrated privacy is all that is known, and what is claimed
    noise = mechanism.calibrate(1.0, 1e-6, math.sqrt(3.0))
    rho = mechanism.loss(noise, 1.0, (math.sqrt(3.0),)).rho
    assert rho == pytest.approx(find_largest_rho(1.0, 1e-6), rel=1e-9)


def test_noise_that_underflows_hides_nothing():
    for sd in (1e-150, 1e-170, 5e-324):
        assert DiscreteGaussianNoise(sd).delta(1.0) == 1.0


def huge_delta(epsilon, sd, shift, cells=1):
    """The continuous curve, and what the steps add by Euler and Maclaurin's formula around the kink."""
    e, v, far = mpmath.mpf(epsilon), cells * mpmath.mpf(sd) ** 2, mpmath.mpf(cells * shift)
    w = mpmath.sqrt(v)
    m = e * v / far - far / 2
    a, b, terms = m / w, (m + far) / w, 12
    curve = (mpmath.erfc(a / mpmath.sqrt(2)) - mpmath.exp(e) * mpmath.erfc(b / mpmath.sqrt(2))) / 2
    first, second = [mpmath.mpf(1), a], [mpmath.mpf(1), b]
    for k in range(1, terms):
        for hermite, z in ((first, a), (second, b)):
            hermite.append(z * hermite[k] - k * hermite[k - 1])
    here, there = mpmath.exp(-a * a / 2), mpmath.exp(e - b * b / 2)
    added, gap = mpmath.mpf(0), mpmath.floor(m) + 1 - m
    for n in range(terms):
        slope = (-1) ** n * (here * first[n] - there * second[n]) / w**n
        added += mpmath.bernpoly(n + 1, gap) / mpmath.factorial(n + 1) * slope
    return curve - added / (w * mpmath.sqrt(2 * mpmath.pi))


# where the sum cannot be taken (sd from 2**46 on) the bound is at most 2e-12 above
@pytest.mark.slow
@pytest.mark.parametrize("power", [4, 8, 11, 13, 14, 15, 16, 18])
@pytest.mark.parametrize("epsilon, delta", [(1e-6, 1e-12), (1e-3, 1e-9), (1.0, 1e-6), (10.0, 1e-3)])
def test_large_sensitivities(power, epsilon, delta):
    shift = 10**power
    with mpmath.workdps(80):
        for cells in (1, 2):
            sd = calibrate_discrete_gaussian(epsilon, delta, shift, cells)
            assert sd / shift == pytest.approx(calibrate_gaussian(epsilon, delta, math.sqrt(cells)), rel=1e-3)
            kept = huge_delta(epsilon, sd, shift, cells)
            assert 0.999 * delta < kept <= delta
            for scale in (0.5 * sd, sd):
                exact = huge_delta(epsilon, scale, shift, cells)
                found = DiscreteGaussianNoise(scale).delta(epsilon, shift, cells)
                assert exact <= found <= exact * (1 + mpmath.mpf("2e-12"))


def test_what_is_implied_with_a_large_sensitivity():
    loss = DiscreteGaussianLoss(1e16, 10**16)
    assert loss.delta(1.0) == DiscreteGaussianNoise(1e16).delta(1.0, 10**16)
    assert loss.delta(1.0) == pytest.approx(0.1269367, rel=1e-6)
    assert not Guarantee(9.0, 0.5, loss=loss).implies(Guarantee(1.0, 0.12))


@pytest.mark.slow
@pytest.mark.parametrize("z", [-2.8, 0.3, 5.0, 25.0])
@pytest.mark.parametrize("sd, shift", [(60.0, 900), (160.0, 1_000), (160.25, 15_000), (2.0**46, 10**16)])
def test_a_shift_that_is_many_times_the_noise(sd, shift, z):
    epsilon = shift * (z * sd + shift / 2) / sd**2
    with mpmath.workdps(1500 if sd > 1e6 else 40):
        exact = exact_delta(epsilon, sd, shift) if sd < 1e6 else huge_delta(epsilon, sd, shift)
        found = DiscreteGaussianNoise(sd).delta(epsilon, shift)
        assert exact <= found <= exact * (1 + mpmath.mpf("2e-12"))


def test_no_delta_is_0():
    for sd, epsilon in ((1.0, 100.0), (1e20, 1e-15), (1e-170, 1e300)):
        assert DiscreteGaussianNoise(sd).delta(epsilon) >= 5e-324


def test_the_search_for_the_smallest_sd_ends_near_the_root():
    asked = []

    def excess(sd):
        asked.append(sd)
        return math.log(2.0 / sd)

    assert 2.0 <= _solve_smallest_sd(excess, 1.0) <= 2.0 * (1.0 + 1e-9) and len(asked) < 40
