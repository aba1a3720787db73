"""Gaussian noise and its exact privacy curve."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import pydpstat
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import Gaussian, GaussianNoise

# scipy's own normal functions are good to a few roundings
ROUNDINGS = 1e-13

sds = st.floats(1e-6, 1e6)


def exact_log_delta(epsilon, ratio):
    """Balle and Wang's two terms with digits enough for their cancellation."""
    with mpmath.workdps(60):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(ratio)
        a, b = e / m - m / 2, e / m + m / 2
        # digits that cancel: those of the terms' common size, and of their relative distance
        lost = max(0.0, float(-mpmath.log10(m))) + float(mpmath.log10(1 + abs(a)))
    with mpmath.workdps(60 + 3 * int(lost) + 40):
        e, m = mpmath.mpf(epsilon), mpmath.mpf(ratio)
        a, b = e / m - m / 2, e / m + m / 2
        root = mpmath.sqrt(2)
        return mpmath.log((mpmath.erfc(a / root) - mpmath.exp(e) * mpmath.erfc(b / root)) / 2)


@given(sds, st.floats(-30, 30), st.floats(0, 1))
def test_is_scipys_normal(sd, z, q):
    noise, reference = GaussianNoise(sd), stats.norm(scale=sd)
    # exp(-z**2/2) magnifies the rounding of z by z**2
    assert noise.pdf(z * sd) == pytest.approx(reference.pdf(z * sd), rel=ROUNDINGS * 10)
    assert noise.cdf(z * sd) == pytest.approx(reference.cdf(z * sd), rel=ROUNDINGS * 10)
    assert noise.ppf(q) == pytest.approx(reference.ppf(q), rel=ROUNDINGS, abs=1e-15 * sd)
    assert noise.std() == sd and noise.var() == sd * sd and noise.ppf(0.25) == -noise.ppf(0.75)


@settings(max_examples=60, deadline=None)
@given(st.floats(0.0, 1e3), st.floats(-6.0, 1.8))
def test_privacy_curve_to_sixty_digits(epsilon, power):
    ratio = 10.0**power
    a = epsilon / ratio - ratio / 2
    if abs(a) > 1e4:
        # mpmath's erfc takes too long there
        return
    exact = float(exact_log_delta(epsilon, ratio))
    # the curve's own sensitivity to the rounding of a, which is of size 2**-52 (epsilon/ratio + ratio),
    # and that of 1 - t R(t), which cancels up to t = 20
    allowed = 1e-13 + 4 * 2.0**-52 * abs(a) * (epsilon / ratio + ratio)
    noise = GaussianNoise(1.0)
    assert noise.log_delta(epsilon, ratio) == pytest.approx(exact, rel=1e-14, abs=allowed)
    assert noise.delta(epsilon, ratio) == pytest.approx(math.exp(exact), rel=1e-14 * (1 + abs(exact)) + allowed)


def test_curve_in_arrays_and_far_out():
    noise = GaussianNoise(0.5)
    epsilon = np.linspace(0, 30, 61)
    deltas = noise.delta(epsilon, 1.0)
    assert deltas.tolist() == [noise.delta(e, 1.0) for e in epsilon.tolist()]
    assert (np.diff(deltas) < 0).all()
    # rounded up, as no Gaussian delta is 0
    assert noise.delta(1e5, 1.0) == 5e-324 and noise.log_delta(1e5, 1.0) < -1e8
    assert GaussianNoise(1e-200).delta(1.0, 1.0) == 1.0
    with pytest.raises(PydpstatError, match="epsilon must be at least 0"):
        noise.delta([1.0, -1.0], 1.0)


@pytest.mark.parametrize("n", [1, 30_000])
@pytest.mark.parametrize("epsilon, delta", [(0.01, 1e-12), (0.1, 1e-3), (1.0, 1e-6), (10.0, 1e-9), (100.0, 1e-6)])
def test_a_release_keeps_its_delta_grid_included_and_wastes_less_than_a_thousandth(epsilon, delta, n):
    r = pydpstat.mean(np.full(n, 1 / 3), epsilon, bounds=(0, 1), mechanism="gaussian", delta=delta)
    moved = Fraction(1, n) + Fraction(r.grid)
    kept = mpmath.exp(exact_log_delta(epsilon, float(moved / Fraction(r.noise_scale))))
    assert 0.999 * delta <= kept <= delta * (1 + 1e-12)


def test_a_vector_of_numbers_has_the_loss_that_it_was_calibrated_for():
    # each sensitivity has noise in proportion, so that 3 of them move by sqrt(3) units together
    noise = Gaussian().calibrate_each(0.7, 1e-6, (1.0, 2.0, 5.0))
    loss = Gaussian().loss(noise, 0.7, (1.0, 2.0, 5.0))
    assert float(loss.delta(0.7)) == pytest.approx(1e-6, rel=1e-6)
