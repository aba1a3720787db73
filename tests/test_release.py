"""The pipeline: the public grid, the sensitivity that pays for it, extreme scales, and when it stops."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import pydpstat
from pydpstat import PydpstatError, RRandom
from pydpstat._release.pipeline import _add_noise_in_floats
from pydpstat.mechanisms import scale_for
from tests.pipeline_calls import on_grid

# a right sample fails once in a million; the entropy is seeded, so that it is the same sample each time
FALSE_ALARM = 1e-6


def quietly(call, *arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **keywords)


def is_power_of_two(number):
    return math.frexp(number)[0] == 0.5


magnitudes = st.floats(1e-12, 1e12)


@given(st.floats(-1e9, 1e9), magnitudes, st.floats(1e-6, 1e6))
def test_a_number_lies_on_the_grid(value, sensitivity, eps):
    result = pydpstat.LaplaceMechanism(value, eps, sensitivity)
    smallest = min(sensitivity / eps, sensitivity)
    assert is_power_of_two(result.grid) and smallest * 2**-21 < result.grid <= smallest * 2**-20
    assert on_grid(result)
    assert result.noise_scale == scale_for(Fraction(sensitivity) + Fraction(result.grid), eps)
    assert result.sensitivity == sensitivity


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9), magnitudes, st.floats(0.01, 10.0))
def test_a_vector_pays_for_each_element(values, sensitivity, eps):
    # rounding moves every element by up to one unit between neighbors, so the L1 change grows by n units
    result = pydpstat.LaplaceMechanism(values, eps, sensitivity)
    assert on_grid(result) and result.grid <= sensitivity / len(values) * 2**-20
    assert result.noise_scale == scale_for(Fraction(sensitivity) + len(values) * Fraction(result.grid), eps)


@given(st.lists(magnitudes, min_size=2, max_size=5), st.floats(0.01, 10.0))
def test_own_sensitivities_pay_each_for_itself(sensitivities, eps):
    values = [0.3] * len(sensitivities)
    joint = pydpstat.LaplaceMechanism(values, eps, sensitivities)
    total = math.fsum(s + joint.grid for s in sensitivities)
    assert joint.noise_scale == pytest.approx(total / eps, rel=1e-14)
    split = pydpstat.LaplaceMechanism(values, eps, sensitivities, [1.0] * len(sensitivities))
    expected = (np.array(sensitivities) + split.grid) / (eps / len(sensitivities))
    assert split.noise_scale == pytest.approx(expected, rel=1e-14) and on_grid(split) and on_grid(joint)
    for result in (joint, split):
        assert result.grid <= 2**-20 * min(min(sensitivities), np.min(result.noise_scale))


@given(
    st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=30),
    st.floats(0.05, 0.95),
    st.sampled_from(["Laplace", "Gaussian", "analytic"]),
)
@settings(max_examples=50)
def test_statistics_lie_on_the_grid(x, eps, mechanism):
    for call, power in ((pydpstat.meanDP, 1), (pydpstat.varDP, 2)):
        result = quietly(call, x, eps, -1000, 1000, mechanism=mechanism, delta=1e-5)
        sensitivity = 2000.0**power / len(x)
        assert on_grid(result) and is_power_of_two(result.grid)
        assert result.grid <= 2**-20 * min(sensitivity, result.noise_scale)
        assert result.sensitivity == pytest.approx(sensitivity, rel=1e-14)
        if mechanism == "Laplace":
            assert result.noise_scale == pytest.approx((sensitivity + result.grid) / eps, rel=1e-14)
        if mechanism == "analytic":
            # the noise keeps the claim for the grown sensitivity
            assert result.noise.delta(eps, sensitivity + result.grid) <= 1e-5 * (1 + 1e-5)


def test_a_root_is_taken_after_the_grid():
    result = quietly(pydpstat.sdDP, [1.0, 2.0, 5.0], 1, 0, 5)
    assert result.postprocessing[-1] == "square root" and result.grid is not None
    units = float(result) ** 2 / result.grid
    # squaring the rounded root is off by two half units in the last place
    assert units == pytest.approx(round(units), rel=3e-16)


def test_counts_need_no_larger_sensitivity():
    result = quietly(pydpstat.tableDP, ["a", "b", "a"], eps=0.5)
    assert result.noise_scale == 4.0 and all(float(count).is_integer() for count in result)


def test_seeded_streams_are_not_on_a_grid():
    result = pydpstat.meanDP([1.0, 2.0], 1, 0, 5, rng=1)
    assert result.grid is None and result.noise_scale == 2.5 and result.reproducible
    assert "seed" in result.guarantee.conditions[-1]
    assert "seed" not in pydpstat.meanDP([1.0, 2.0], 1, 0, 5).guarantee.conditions[-1]


def test_the_value_is_the_rounded_statistic_plus_noise(monkeypatch):
    # all bits 0 but the top ones: the same uniform each time, and so the same noise
    monkeypatch.setattr("pydpstat.random.secure._bits.entropy", lambda size: bytes([0x80]) * size)
    zero, one = (pydpstat.LaplaceMechanism(value, 1, 1) for value in (0.0, 0.3))
    grid = one.grid
    assert float(one) - float(zero) == round(0.3 / grid) * grid


def test_integers_far_above_the_grid_are_summed_exactly(monkeypatch):
    monkeypatch.setattr("pydpstat.random.secure._bits.entropy", lambda size: bytes([0xFF]) * size)
    # noise of almost nothing: the value must come back as it went in
    for value in (1e15 + 0.125, 2.0**60, -3.5e18, 123456789.25):
        assert abs(float(pydpstat.LaplaceMechanism(value, 1, 1e-3)) - value) <= 1e-3


@pytest.mark.parametrize("sign", [1, -1])
def test_a_sum_of_large_units_is_rounded_once(sign):
    # 2^53 + 3 lies between two floats, and the sum is one
    units = np.array([sign * (2**53 + 3)], dtype=object)
    assert _add_noise_in_floats(np.array([-sign * 1.0]), units, 1.0).tolist() == [sign * (2.0**53 + 2.0)]
    assert _add_noise_in_floats(np.array(-sign * 1.0), units[0], 1.0).tolist() == sign * (2.0**53 + 2.0)
    value = np.array([sign * 2.0**53])
    assert _add_noise_in_floats(value, np.array([sign * 3], dtype=object), 1.0).tolist() == [sign * (2.0**53 + 4.0)]


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-9, 1.0, 1e9, 1e200, 1e300])
def test_extreme_scales(scale):
    result = pydpstat.LaplaceMechanism(np.zeros(2000), 1, scale)
    noise = np.asarray(result) / scale
    assert np.isfinite(noise).all() and is_power_of_two(result.grid)
    # mean absolute deviation: 1 with standard error 1 / sqrt(2000)
    assert abs(np.abs(noise).mean() - 1.0) < 5 / math.sqrt(2000)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-150, 1e-9, 1.0, 1e9, 1e150, 1e200, 1e300])
def test_extreme_scales_of_gaussian_noise(scale):
    try:
        result = pydpstat.GaussianMechanism(np.zeros(2000), 1, 1e-5, scale, analytic=True)
    except PydpstatError:
        # R squares the sensitivity, which is 0 or infinite here
        assert not 1e-155 < scale < 1e154
    else:
        sd = pydpstat.calibrate_gaussian(1, 1e-5)
        assert abs((np.asarray(result) / scale).std() / sd - 1.0) < 5 / math.sqrt(4000)


@pytest.mark.parametrize(
    "value, sensitivity",
    [(1e10, 1e-300), (1.0, 5e-324), (1.0, 1e-310), (0.0, 5e-324), (1e300, 1e-10), (1.0, 1.7e308)],
)
@pytest.mark.parametrize("mechanism", ["Laplace", "Gaussian"])
def test_values_and_scales_far_apart(value, sensitivity, mechanism):
    """A finite value, or an error that says so: never an overflow inside."""
    for _ in range(20):
        one_release_far_apart(value, sensitivity, mechanism)


def one_release_far_apart(value, sensitivity, mechanism):
    try:
        if mechanism == "Laplace":
            result = pydpstat.LaplaceMechanism(value, 1, sensitivity)
        else:
            result = pydpstat.GaussianMechanism(value, 1, 1e-5, sensitivity, analytic=True)
    except PydpstatError as error:
        assert "finite" in str(error) or "sensitivit" in str(error) or "grid" in str(error)
    else:
        assert math.isfinite(result) and on_grid(result)


def test_no_values():
    for rng in (None, 1):
        result = pydpstat.LaplaceMechanism([], 1, 1, rng=rng)
        assert np.asarray(result).shape == (0,) and len(result.params) == 0
        # as in R: a sum of no sensitivities is no scale
        with pytest.raises(PydpstatError):
            pydpstat.LaplaceMechanism([], 1, [], rng=rng)


def test_a_long_vector():
    result = pydpstat.LaplaceMechanism(np.zeros(300_000), 1, 1)
    noise = np.asarray(result) / result.noise_scale
    assert stats.kstest(noise, stats.laplace.cdf).pvalue > FALSE_ALARM
    assert np.abs(noise).max() > 10


def test_variance_is_redrawn_until_positive():
    x = [2.0, 2.0]
    values = np.array([float(quietly(pydpstat.varDP, x, 1, 0, 1)) for _ in range(2000)])
    # the true variance is 0 and the scale 1/2: what is left of Laplace noise is exponential
    assert (values > 0).all() and stats.kstest(values / 0.5, stats.expon.cdf).pvalue > FALSE_ALARM


def test_redrawing_draws_the_whole_noise_again():
    rng = RRandom(3)
    result = quietly(pydpstat.varDP, [1.0, 1.0], 0.05, 0, 5, rng=rng)
    again = RRandom(3)
    draws = [float(again.rlaplace(1, 0.0, 12.5 / 0.05)[0])]
    while draws[-1] <= 0:
        draws.append(float(again.rlaplace(1, 0.0, 12.5 / 0.05)[0]))
    assert float(result) == draws[-1] and np.array_equal(rng.state, again.state)


@pytest.mark.parametrize("rng", [None, 1])
@pytest.mark.parametrize(
    "x, message",
    [
        ([1.0, math.nan], "missing or infinite"),
        ([], "not finite"),
        ([math.inf, 1.0], None),
        ([None, 1.0], "missing or infinite"),
    ],
)
def test_missing_and_infinite_data(x, message, rng):
    if message is None:
        assert math.isfinite(pydpstat.meanDP(x, 1, 0, 5, rng=rng))
    else:
        with pytest.raises(PydpstatError, match=message):
            pydpstat.meanDP(x, 1, 0, 5, rng=rng)


def test_a_division_by_a_sum_of_zero_is_an_error():
    with pytest.raises(PydpstatError, match="normalize divides by the sum"):
        pydpstat.histogramDP([1.0, 2.0, 3.0], 0.01, 0, 6, [0, 6], True, rng=RRandom(1))
