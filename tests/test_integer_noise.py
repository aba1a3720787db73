"""Counts with symmetric geometric noise."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pydpstat import PydpstatError, RRandom, symmetric_geometric, symmetric_geometric_noise
from pydpstat.mechanisms import SymmetricGeometricNoise

FALSE_ALARM = 1e-6


@given(st.integers(-(10**9), 10**9), st.floats(1e-3, 20.0), st.integers(1, 100), st.sampled_from([None, 7, "R"]))
def test_whole_numbers_stay_whole(value, epsilon, sensitivity, rng):
    result = symmetric_geometric(value, epsilon, sensitivity=sensitivity, rng=RRandom(3) if rng == "R" else rng)
    assert float(result).is_integer() and result.epsilon == epsilon == result.guarantee.epsilon
    assert result.delta == 0 and result.sensitivity == sensitivity and result.grid in (None, 1.0)
    assert result.noise == SymmetricGeometricNoise(epsilon, sensitivity)
    assert result.noise_scale == sensitivity / epsilon
    # noise beyond 60 scales has probability 1e-26
    assert abs(float(result) - value) <= 60 * sensitivity / epsilon + 60


def test_shapes():
    assert type(symmetric_geometric(3, 1.0).estimate) is float
    assert symmetric_geometric([1, 2, 3], 1.0).estimate.shape == (3,)
    assert symmetric_geometric(np.ones((2, 3), dtype=int), 1.0).estimate.shape == (2, 3)
    series = symmetric_geometric(pd.Series([1, 2], index=["a", "b"], name="n"), 1.0)
    assert series.estimate.index.tolist() == ["a", "b"] and series.estimate.name == "n"
    assert series.params.name == "count"
    assert symmetric_geometric(np.array([], dtype=int), 1.0).estimate.shape == (0,)


def test_a_matrix_keeps_its_places():
    counts = np.arange(6).reshape(2, 3) * 10**6
    assert np.abs(np.asarray(symmetric_geometric(counts, 1.0)) - counts).max() < 100
    assert np.abs(np.asarray(symmetric_geometric(pd.DataFrame(counts), 1.0)) - counts).max() < 100


def test_streams():
    prob = 1 - math.exp(-0.25)
    stream = RRandom(5)
    expected = stream.rgeom(4, prob) - stream.rgeom(4, prob)
    assert symmetric_geometric_noise(4, 0.5, sensitivity=2, rng=RRandom(5)).tolist() == expected.tolist()
    released = symmetric_geometric([10] * 4, 0.5, sensitivity=2, rng=RRandom(5))
    assert np.asarray(released).tolist() == (expected + 10).tolist()
    # an int is NumPy's seed here, unlike in the mirrors
    by_int, by_generator = (symmetric_geometric_noise(9, 0.1, rng=rng) for rng in (5, np.random.default_rng(5)))
    of_r = symmetric_geometric_noise(9, 0.1, rng=RRandom(5))
    assert by_int.tolist() == by_generator.tolist() != of_r.tolist()
    assert symmetric_geometric_noise(9, 0.1).tolist() != symmetric_geometric_noise(9, 0.1).tolist()


def test_the_sign_method():
    stream = RRandom(5)
    signs = stream.sample([-1, 1], 6, replace=True)
    expected = np.multiply(signs, stream.rgeom(6, 1 - math.exp(-1.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert symmetric_geometric_noise(6, 1.0, method="sign", rng=RRandom(5)).tolist() == expected.tolist()


@pytest.mark.parametrize("method", ["difference", "sign"])
@pytest.mark.parametrize("rng", [None, 3, "R"])
def test_noise_is_int64(method, rng):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for size in (0, 1, 5, np.int64(3), 4.0):
            noise = symmetric_geometric_noise(size, 1.0, method=method, rng=RRandom(1) if rng == "R" else rng)
            assert noise.dtype == np.int64 and noise.shape == (int(size),)


def test_law():
    noise = symmetric_geometric_noise(200_000, 0.5)
    law = SymmetricGeometricNoise(0.5)
    edges = np.arange(-8, 9)
    expected = np.diff(np.concatenate([[0.0], law.cdf(edges), [1.0]])) * noise.size
    seen = np.bincount(np.searchsorted(edges, noise), minlength=expected.size)
    assert stats.chisquare(seen, expected).pvalue > FALSE_ALARM


@pytest.mark.slow
def test_the_largest_spread_fits_into_64_bits():
    noise = symmetric_geometric_noise(10_000, 2.0**-56)
    assert abs(np.abs(noise.astype(float)).mean() / 2.0**56 - 1.0) < 5 / math.sqrt(10_000)
    with pytest.raises(PydpstatError, match="^epsilon must be large enough"):
        symmetric_geometric_noise(1, 2.0**-57)
    with pytest.raises(PydpstatError, match="^epsilon must be large enough"):
        symmetric_geometric(1, 1.0, sensitivity=2**57)


def test_conf_int():
    result = symmetric_geometric(100, 0.1)
    low, high = result.conf_int(0.05).iloc[0]
    assert high - float(result) == float(result) - low == result.noise.ppf(0.975)


WRONG_VALUES = [
    1.5,
    math.nan,
    math.inf,
    None,
    True,
    "3",
    [1, 2.5],
    ["a"],
    [None],
    [[1], [2, 3]],
    1j,
    {"a": 1},
    np.array([True]),
    pd.Series(["a"]),
    pd.NA,
    {1},
    b"3",
]


@pytest.mark.parametrize("value", WRONG_VALUES, ids=repr)
def test_other_values_are_refused(value):
    stream = RRandom(1)
    before = stream.state
    with pytest.raises(PydpstatError, match="^value must be"):
        symmetric_geometric(value, 1.0, rng=stream)
    assert np.array_equal(stream.state, before)


def test_counts_that_a_float_cannot_hold_are_refused():
    """Counts one apart must stay one apart: 2^53 + 1 would become 2^53, and 2^53 + 2 stays."""
    with pytest.raises(PydpstatError, match="^value must be"):
        symmetric_geometric(2**53 + 1, 1.0)
    assert math.isfinite(symmetric_geometric(2**53 - 1, 1.0))


@pytest.mark.parametrize("size", [-1, 1.5, math.nan, math.inf, None, "3", True, [3], 1j], ids=repr)
def test_other_sizes_are_refused(size):
    with pytest.raises(PydpstatError, match="^size must be a whole number of at least 0; got"):
        symmetric_geometric_noise(size, 1.0)


@pytest.mark.parametrize(
    "call",
    [lambda **k: symmetric_geometric(1, **k), lambda **k: symmetric_geometric_noise(1, **k)],
    ids=["release", "noise"],
)
def test_other_parameters_are_refused(call):
    for epsilon in (0, -1, math.nan, math.inf, None, "1", True, [1, 2], 10**400):
        with pytest.raises(PydpstatError, match="^epsilon must be"):
            call(epsilon=epsilon)
    for sensitivity in (0, -1, 1.5, math.nan, math.inf, None, "1", [1, 2], 10**400):
        with pytest.raises(PydpstatError, match="^sensitivity must be"):
            call(epsilon=1.0, sensitivity=sensitivity)
    with pytest.raises(PydpstatError, match="^rng must be"):
        call(epsilon=1.0, rng=-1)


def test_other_methods_are_refused():
    for method in ("foo", "Sign", None, 1, ["sign"]):
        with pytest.raises(PydpstatError, match="^method must be one of {'difference', 'sign'}; got"):
            symmetric_geometric_noise(1, 1.0, method=method)


def test_options_are_keywords_only():
    with pytest.raises(TypeError):
        symmetric_geometric(1, 1.0, 2)
    with pytest.raises(TypeError):
        symmetric_geometric_noise(1, 1.0, 2)
