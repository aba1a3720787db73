"""Laplace noise, its calibration, and what redrawing until positive keeps."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import LaplaceNoise, calibrate_laplace, truncated_positive_delta, truncated_positive_epsilon
from pydpstat.mechanisms.laplace import scale_for

# both sides are a few correctly rounded operations and one exponential or logarithm
ROUNDINGS = 1e-14
# scipy's adaptive quadrature is asked for this absolute error
QUADRATURE = 1e-9

scales = st.floats(1e-6, 1e6)
epsilons = st.floats(1e-6, 50.0)


@pytest.mark.slow
@given(scales, st.floats(-30, 30), st.floats(0, 1))
def test_is_scipys_laplace(scale, z, q):
    noise, reference = LaplaceNoise(scale), stats.laplace(scale=scale)
    assert noise.pdf(z * scale) == pytest.approx(reference.pdf(z * scale), rel=ROUNDINGS)
    assert noise.cdf(z * scale) == pytest.approx(reference.cdf(z * scale), rel=ROUNDINGS)
    # near the median the quantile is near 0 and only as good as the logarithm's argument
    assert noise.ppf(q) == pytest.approx(reference.ppf(q), rel=ROUNDINGS, abs=1e-15 * scale)
    assert noise.std() == pytest.approx(reference.std(), rel=ROUNDINGS)
    assert noise.var() == pytest.approx(reference.var(), rel=ROUNDINGS)


@pytest.mark.slow
@given(st.floats(0.05, 5.0), st.floats(0.05, 5.0), st.floats(0.0, 6.0))
def test_privacy_curve_is_the_integral(scale, sensitivity, epsilon):
    noise = LaplaceNoise(scale)

    def excess(x):
        return max(noise.pdf(x) - math.exp(epsilon) * noise.pdf(x - sensitivity), 0.0)

    # kinks at 0, at the shift, and where the excess ends
    ends = (0.0, sensitivity, 0.5 * (sensitivity - epsilon * scale))
    area, _ = integrate.quad(excess, -45 * scale, sensitivity, points=ends, epsabs=QUADRATURE, limit=200)
    assert noise.delta(epsilon, sensitivity) == pytest.approx(area, abs=10 * QUADRATURE)


def test_privacy_curve_ends_at_epsilon():
    noise = LaplaceNoise(2.0)
    assert noise.epsilon(1.0) == 0.5 and LaplaceNoise([1.0, 2.0]).epsilon(1.0).tolist() == [1.0, 0.5]
    assert LaplaceNoise.mirrored(0.0).epsilon(1.0) == math.inf
    assert noise.delta([0.5, 0.6, 100.0], 1.0).tolist() == [0.0, 0.0, 0.0]
    assert noise.delta(0.49, 1.0) > 0.0
    for wrong in (-1.0, math.nan, math.inf, "1"):
        with pytest.raises(PydpstatError, match="epsilon must be at least 0 and finite"):
            noise.delta(wrong, 1.0)
    with pytest.raises(PydpstatError, match="sensitivity must be a positive finite number;"):
        noise.delta(1.0, 0.0)


def test_calibration_is_rounded_up():
    # the smallest float that is not below the quotient
    assert calibrate_laplace(0.3, 0.1) == scale_for(0.1, 0.3) >= 0.1 / 0.3
    scales = [[scale_for(1.0, 0.3), 1.0], [scale_for(2.0, 0.3), 2.0]]
    assert calibrate_laplace([0.3, 1.0], [[1.0], [2.0]]).tolist() == scales
    with pytest.raises(PydpstatError, match="epsilon must be a positive finite number; got 0"):
        calibrate_laplace(0, 1)
    with pytest.raises(PydpstatError, match="sensitivity must be positive finite numbers"):
        calibrate_laplace(1, [1, math.inf])
    with pytest.raises(PydpstatError, match="sensitivity / epsilon must be"):
        calibrate_laplace(1e-300, 1e300)


@given(st.floats(1e-300, 700.0))
def test_redrawing_epsilon(epsilon):
    with mpmath.workdps(400):
        exact = float(epsilon + mpmath.log(2 - mpmath.exp(-mpmath.mpf(epsilon))))
    assert truncated_positive_epsilon(epsilon) == pytest.approx(exact, rel=ROUNDINGS, abs=0)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 4.0])
def test_redrawing_delta_is_the_largest_integral(epsilon):
    def integral(v):
        def density(y, center):
            mass = 1.0 - 0.5 * math.exp(-center * epsilon)
            return 0.5 * epsilon * math.exp(-epsilon * abs(y - center)) / mass

        def excess(y):
            return max(density(y, v) - math.exp(epsilon) * density(y, v + 1.0), 0.0)

        points = sorted({v, v + 0.5, v + 1.0})
        return integrate.quad(excess, 0.0, v + 1.0, points=points, epsabs=QUADRATURE, limit=400)[0]

    values = [integral(v) for v in np.linspace(0.0, 2.0, 101) / epsilon]
    supremum = truncated_positive_delta(epsilon)
    assert max(values) <= supremum + 10 * QUADRATURE
    # the peak is smooth: a grid of step 0.02 misses at most a quarter of the curvature times 1e-4
    assert max(values) == pytest.approx(supremum, rel=1e-3)


def test_redrawing_delta_far_out():
    # with u = v epsilon both formulas tend to half the maximum of x (1 - x) / (2 (1 - x/2)**2) times epsilon
    x = np.linspace(0, 1, 100001)
    slope = np.max(0.25 * x * (1 - x) / (1 - x / 2) ** 2)
    # the next term is of relative order epsilon
    assert truncated_positive_delta(1e-12) == pytest.approx(slope * 1e-12, rel=1e-9)
    assert truncated_positive_delta(700.0) == pytest.approx(np.max(_limit(x)), rel=1e-9)
    for function in (truncated_positive_delta, truncated_positive_epsilon):
        with pytest.raises(PydpstatError, match="epsilon must be a positive finite number;"):
            function(-1.0)


def _limit(x):
    """Delta for an infinite epsilon: Z' = 1 and Z = 1 - x/2."""
    z = 1 - x / 2
    return 0.5 * (1 - x) * (1 / z - 1) + (1 - np.sqrt(z)) ** 2 / (2 * z)
