"""Integer noise against direct sums over its support."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pydpstat
from pydpstat.mechanisms import Geometric, SignGeometricNoise, SymmetricGeometricNoise

# sums of some thousand rounded terms against a few rounded operations
SUMS = 1e-12
NOISES = (SymmetricGeometricNoise, SignGeometricNoise)
epsilons = st.floats(0.05, 30.0)
sensitivities = st.integers(1, 7)


def support(noise):
    """Integers outside of which there is less than 1e-17 of probability."""
    end = int(40 * noise.sensitivity / noise.epsilon) + 2
    return np.arange(-end, end + 1)


@pytest.mark.parametrize("distribution", NOISES)
@settings(max_examples=40)
@given(epsilon=epsilons, sensitivity=sensitivities)
def test_sums(distribution, epsilon, sensitivity):
    noise = distribution(epsilon, sensitivity)
    k = support(noise)
    p = noise.pmf(k)
    assert p.sum() == pytest.approx(1.0, abs=SUMS)
    assert noise.cdf(k) == pytest.approx(np.cumsum(p), abs=SUMS)
    assert noise.var() == pytest.approx(np.sum(k.astype(float) ** 2 * p), rel=SUMS)
    assert noise.std() == pytest.approx(math.sqrt(noise.var()), rel=SUMS)


@settings(max_examples=40)
@given(epsilon=epsilons, sensitivity=sensitivities)
def test_distributions(epsilon, sensitivity):
    k = np.arange(-20, 21)
    alpha = math.exp(-epsilon / sensitivity)
    symmetric = SymmetricGeometricNoise(epsilon, sensitivity)
    assert symmetric.alpha == alpha
    # 1 - alpha cancels here, by a factor of at most 200
    assert symmetric.pmf(k) == pytest.approx((1 - alpha) / (1 + alpha) * alpha ** np.abs(k), rel=SUMS)
    sign = SignGeometricNoise(epsilon, sensitivity)
    expected = np.where(k == 0, 1.0, 0.5) * (1 - alpha) * alpha ** np.abs(k)
    assert sign.pmf(k) == pytest.approx(expected, rel=SUMS)


@pytest.mark.parametrize("distribution", NOISES)
@given(epsilon=st.floats(1e-9, 700.0), sensitivity=sensitivities, q=st.floats(1e-300, 1.0 - 2.0**-53))
def test_ppf_is_the_smallest_integer(distribution, epsilon, sensitivity, q):
    noise = distribution(epsilon, sensitivity)
    k = noise.ppf(q)
    # far out neighboring integers have the same rounded distribution function; its exponent's rounding
    # costs up to 745 units in the last place
    assert k == math.floor(k)
    assert noise.cdf(k) >= q * (1 - 745 * 2.0**-52) and noise.cdf(k - 1) <= q * (1 + 745 * 2.0**-52)


@pytest.mark.parametrize("distribution", NOISES)
def test_small_and_large_epsilon(distribution):
    small, large = distribution(1e-9), distribution(700.0)
    with mpmath.workdps(40):
        alpha = mpmath.exp(-mpmath.mpf(1e-9))
        zero = (1 - alpha) / (1 + alpha) if distribution is SymmetricGeometricNoise else 1 - alpha
        factor = 2 / (1 + alpha) if distribution is SymmetricGeometricNoise else 1
        variance = factor * alpha * (1 + alpha) / (1 - alpha) ** 2
    # a few roundings
    assert small.pmf(0) == pytest.approx(float(zero), rel=1e-15)
    assert small.var() == pytest.approx(float(variance), rel=1e-15)
    assert large.pmf(0) == 1.0 and large.ppf([1e-300, 0.5, 1 - 1e-16]).tolist() == [0.0, 0.0, 0.0]
    # P(-1) is alpha times t (1 - alpha), which is alpha or half of it to rounding
    share = 1.0 if distribution is SymmetricGeometricNoise else 0.5
    assert large.pmf(-1) == pytest.approx(share * math.exp(-700.0), rel=1e-15, abs=0)
    assert small.delta([0.1, 0.2]).shape == (2,) and isinstance(small.delta(0.1), float)
    assert distribution(1e-300).std() > 1e299 and distribution(1e5).pmf([0, 1]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("distribution", NOISES)
@settings(max_examples=60)
@given(noise_epsilon=st.floats(0.1, 8.0), sensitivity=sensitivities, shift=sensitivities, epsilon=st.floats(0, 9))
def test_privacy_curve_is_the_largest_sum(distribution, noise_epsilon, sensitivity, shift, epsilon):
    noise = distribution(noise_epsilon, sensitivity)
    k, factor = support(noise), math.exp(epsilon)
    each = [np.sum(np.maximum(noise.pmf(k) - factor * noise.pmf(k - s), 0.0)) for s in range(1, shift + 1)]
    # where the loss equals epsilon up to rounding, terms of either sign and size 1e-16 times exp(9) remain
    assert noise.delta(epsilon, shift) == pytest.approx(max(each), abs=SUMS * 10)


@settings(max_examples=60)
@given(epsilon=st.floats(1e-6, 30.0), sensitivity=sensitivities)
def test_what_each_distribution_keeps(epsilon, sensitivity):
    symmetric, sign = (distribution(epsilon, sensitivity) for distribution in NOISES)
    k = np.arange(-3 * sensitivity, 3 * sensitivity + 1)
    loss = np.log(symmetric.pmf(k) / symmetric.pmf(k - sensitivity))
    # a logarithm of a rounded ratio
    assert loss.max() == pytest.approx(epsilon, abs=1e-13 + 1e-14 * epsilon)
    assert symmetric.epsilon_at() == epsilon and symmetric.epsilon_at(2 * sensitivity) == 2 * epsilon
    assert symmetric.delta(epsilon) == pytest.approx(0.0, abs=1e-15 * (1 + epsilon))
    loss = np.log(sign.pmf(k) / sign.pmf(k - sensitivity))
    assert loss.max() == pytest.approx(sign.epsilon_kept, abs=1e-13 + 1e-14 * epsilon)
    # rounded up: the smallest float that is not below
    kept = sign.epsilon_kept
    with mpmath.workdps(60):
        assert math.nextafter(kept, 0.0) < mpmath.mpf(epsilon) + mpmath.log(2) <= kept
    assert sign.delta(epsilon) == pytest.approx(-math.expm1(-epsilon / sensitivity) / 2, rel=1e-13)
    assert sign.delta(kept) == 0.0 < sign.delta(math.nextafter(kept, 0.0))


def test_integer_noise_is_for_counts():
    how = {"mechanism": Geometric(), "rng": 1}
    with pytest.raises(pydpstat.PydpstatError, match="mechanism must be for real numbers here; got Geometric"):
        pydpstat.mean([1.0, 2.0], 1.0, bounds=(0, 3), **how)
    assert pydpstat.count([True, False], 1.0, **how).mechanism == "symmetric geometric"
