"""Elementary functions agree with libm, for scalars and arrays, on the installed scipy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pydpstat.r_arithmetic import elementary, exp, log

RNG = np.random.default_rng(20)


@pytest.mark.parametrize("scale", [1e-300, 1e-5, 1.0, 1e5, 1e300])
def test_log_is_libms(scale):
    x = RNG.random(20_000) * scale
    assert np.array_equal(log(x), [math.log(v) for v in x.tolist()])


@pytest.mark.parametrize("scale", [1e-10, 1e-3, 1.0, 30.0, 200.0])
def test_exp_is_libms(scale):
    x = RNG.normal(0.0, scale, 20_000)
    x = x[x < 709.0]
    assert np.array_equal(exp(x), [math.exp(v) for v in x.tolist()])


def test_edges_warn_nothing_and_agree_for_scalars_and_arrays():
    x = [0.0, -0.0, -1.0, math.inf, -math.inf, math.nan]
    expected = [-math.inf, -math.inf, math.nan, math.inf, math.nan, math.nan]
    assert np.array_equal(log(x), expected, equal_nan=True)
    assert np.array_equal([log(v) for v in x], expected, equal_nan=True)
    x = [1000.0, -1000.0, math.inf, -math.inf, math.nan]
    expected = [math.inf, 0.0, math.inf, 0.0, math.nan]
    assert np.array_equal(exp(x), expected, equal_nan=True)
    assert np.array_equal([exp(v) for v in x], expected, equal_nan=True)


def test_scalars_give_floats_and_arrays_keep_their_shape():
    assert type(log(2)) is float and type(exp(np.float64(1))) is float
    assert type(log(np.array(2.0))) is float
    assert log(np.ones((2, 3))).shape == (2, 3)


@pytest.mark.parametrize("size", [3, 5_000])
@pytest.mark.parametrize(
    ("function", "scalar", "low", "high"),
    [
        (log, math.log, 1e-5, 1e5),
        (exp, math.exp, -700.0, 700.0),
        (elementary.log1p, math.log1p, -0.99, 5.0),
        (elementary.expm1, math.expm1, -5.0, 700.0),
        (elementary.log10, math.log10, 1e-5, 1e5),
        (elementary.tanh, math.tanh, -5.0, 5.0),
    ],
)
def test_arrays_of_any_size_have_the_scalar_functions_values(function, scalar, low, high, size):
    x = RNG.uniform(low, high, size)
    assert np.array_equal(function(x), [scalar(v) for v in x.tolist()])


def test_powers_are_libms_and_overflow_to_infinity():
    x, y = RNG.uniform(0.0, 50.0, 2_000), RNG.integers(0, 20, 2_000)
    assert np.array_equal(elementary.compute_power(x, y), [math.pow(a, b) for a, b in zip(x.tolist(), y.tolist())])
    assert elementary.compute_power([[10.0], [0.0]], [400.0, -1.0]).tolist() == [
        [math.inf, 0.1],
        [0.0, math.inf],
    ]
    assert elementary.compute_power(2.0, 3) == 8.0


def test_edges_of_the_other_functions():
    x = [-1.0, -2.0, math.inf, math.nan, 0.0]
    for values in (x, x * 8):
        expected = [-math.inf, math.nan, math.inf, math.nan, 0.0] * (len(values) // 5)
        assert np.array_equal(elementary.log1p(values), expected, equal_nan=True)
    assert elementary.expm1([1000.0, -math.inf]).tolist() == [math.inf, -1.0]
    assert np.array_equal(elementary.log10([0.0, -1.0, 1000.0]), [-math.inf, math.nan, 3.0], equal_nan=True)
