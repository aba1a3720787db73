"""Calibration of Gaussian noise: the analytic one against 60 digits, the others against R's operations."""

import math
from statistics import NormalDist

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import GaussianNoise, calibrate_gaussian
from pydpstat.mechanisms.gaussian_calibration import SAFETY_MARGIN

# the solver's own error, measured below 2e-15; the safety margin is 500 times that
SOLVER = 1e-14

epsilons = st.floats(-6, 6).map(lambda power: 10.0**power)
deltas = st.floats(-300, -0.001).map(lambda power: 10.0**power)


def exact_sd(epsilon, delta, start):
    """Root of Balle and Wang's delta for sensitivity 1, by Newton's method with digits enough."""
    digits = 60 + int(-math.log10(delta)) + 2 * max(0, int(-math.log10(epsilon)))
    with mpmath.workdps(digits):
        e, d, m = mpmath.mpf(epsilon), mpmath.mpf(delta), 1 / mpmath.mpf(start)
        root = mpmath.sqrt(2)
        for _ in range(8):
            a, b = e / m - m / 2, e / m + m / 2
            value = (mpmath.erfc(a / root) - mpmath.exp(e) * mpmath.erfc(b / root)) / 2
            step = (value - d) / mpmath.npdf(a)
            m -= step
            if abs(step) < m * mpmath.mpf(10) ** -25:
                return 1 / m
    raise AssertionError("Newton's method did not settle")


POINTS = [(10.0**e, d) for e in (-3, -0.5, 0, 1, 3) for d in (0.999, 0.5 + 2.0**-30, 0.5, 1e-6, 1e-15)]
POINTS += [(1e-6, 1e-300), (1e6, 1e-300), (1e-6, 0.3), (1e6, 0.99), (1.0, 1e-100), (0.3, 1 - 2.0**-50)]


@pytest.mark.parametrize("epsilon, delta", POINTS)
def test_never_below_the_exact_sd_and_hardly_above(epsilon, delta):
    sd = calibrate_gaussian(epsilon, delta)
    excess = float(sd / exact_sd(epsilon, delta, sd) - 1)
    assert excess == pytest.approx(SAFETY_MARGIN, abs=SOLVER)


@given(epsilons, deltas)
def test_keeps_its_promise(epsilon, delta):
    sd = calibrate_gaussian(epsilon, delta)
    # the curve is rounded too, by a few units of the logarithm's last place
    assert GaussianNoise(sd).log_delta(epsilon, 1.0) <= math.log(delta) * (1 - 1e-15) + 1e-13


@pytest.mark.slow
@given(epsilons, deltas)
def test_more_privacy_needs_more_noise(epsilon, delta):
    # steps far above the solver's rounding error
    sd = calibrate_gaussian(epsilon, delta)
    assert calibrate_gaussian(epsilon * 1.01, delta) < sd
    assert calibrate_gaussian(epsilon, delta * 0.9) > sd
    assert calibrate_gaussian(epsilon, delta, 3.0) == pytest.approx(3.0 * sd, rel=1e-15)


def test_arrays_are_the_scalars():
    epsilon, delta = np.array([[0.1], [1.0], [20.0]]), np.array([1e-9, 1e-3, 0.7])
    sensitivity = np.array([1.0, 2.0, 3.0])
    for method, eps in (("analytic", epsilon), ("classical", epsilon / 100), ("probabilistic", epsilon)):
        values = calibrate_gaussian(eps, delta, sensitivity, method)
        assert values.shape == (3, 3)
        for i, j in np.ndindex(3, 3):
            alone = calibrate_gaussian(eps[i, 0], delta[j], sensitivity[j], method)
            assert isinstance(alone, float)
            # an array takes as many steps as its slowest element, and a later step only rounds
            assert values[i, j] == pytest.approx(alone, rel=SOLVER if method == "analytic" else 0, abs=0)
    assert calibrate_gaussian([], 0.1).shape == (0,)


def test_closed_formulas_in_rs_order():
    for delta in (0.5, 0.01, 1e-5, 1e-10):
        by_hand = 0.3 * math.sqrt(2 * math.log(1.25 / delta)) / 0.7
        assert calibrate_gaussian(0.7, delta, 0.3, "classical") == by_hand
        q = NormalDist().inv_cdf(delta / 2)
        by_hand = 0.3 * (math.sqrt(q * q + 2 * 1.7) - q) / (2 * 1.7)
        assert calibrate_gaussian(1.7, delta, 0.3, "probabilistic") == by_hand


@given(st.floats(0.001, 0.999), st.floats(1e-15, 0.9))
def test_closed_formulas_are_sound_and_larger(epsilon, delta):
    analytic = calibrate_gaussian(epsilon, delta)
    for method in ("classical", "probabilistic"):
        sd = calibrate_gaussian(epsilon, delta, method=method)
        assert sd > analytic
        assert GaussianNoise(sd).delta(epsilon, 1.0) < delta


def test_far_outside():
    # the sd of a huge epsilon is 1 / sqrt(2 epsilon), of a huge one up to rounding
    assert calibrate_gaussian(1e300, 1e-6) == pytest.approx(1 / math.sqrt(2e300), rel=2 * SAFETY_MARGIN)
    # and of a negligible one that of epsilon = 0, where delta is 2 Phi(1 / (2 sd)) - 1
    nothing = 0.5 / NormalDist().inv_cdf(0.55)
    assert calibrate_gaussian(1e-300, 0.1) == pytest.approx(nothing, rel=2 * SAFETY_MARGIN)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((0, 0.1), "epsilon must be a positive finite number; got 0. Give for example 1"),
        (([1, -1], 0.1), "epsilon must be positive finite numbers"),
        ((1, 1), "delta must be above 0 and below 1; got 1"),
        ((1, [0.1, 1.5]), "delta must be above 0 and below 1"),
        ((1, 0.1, -1), "sensitivity must be a positive finite number;"),
        ((1, 0.1, 1, "exact"), "method must be one of"),
        ((1, 0.1, 1, "classical"), "epsilon must be below 1 for .* got 1. Use method='analytic'"),
        ((1e-300, 1e-300, 1e300), "must lead to a finite standard deviation"),
        ((1e-200, 5e-324, 1e200, "probabilistic"), "must lead to a finite standard deviation"),
        ((5e-324, 5e-324, 1.0, "probabilistic"), "must lead to a finite standard deviation"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(PydpstatError, match=message):
        calibrate_gaussian(*arguments)
