"""The argument `rng`, and the distributions of each source."""

import math

import numpy as np
import pytest

from pydpstat.errors import PydpstatError
from pydpstat.random import source_from
from pydpstat.random._seeded import NumpySource, RSource
from pydpstat.random.r_stream import RRandom
from pydpstat.random.source import SYSTEM

FALSE_ALARM, N = 1e-6, 100_000


def test_what_stands_for_what():
    assert source_from(None) is source_from(None, int_seeds_r=True) is SYSTEM
    assert isinstance(source_from(1, int_seeds_r=True), RSource) and isinstance(source_from(1), NumpySource)
    assert isinstance(source_from(np.int32(1)), NumpySource)
    assert isinstance(source_from(-1, int_seeds_r=True), RSource)
    stream, generator = RRandom(1), np.random.default_rng(1)
    assert source_from(stream).stream is stream and source_from(generator).generator is generator
    assert source_from(stream).reproducible and source_from(generator).reproducible


@pytest.mark.slow
@pytest.mark.parametrize(
    "rng",
    [
        True,
        np.True_,
        1.5,
        "1",
        [1],
        (),
        np.array([1]),
        -1,
        np.random,
        np.random.RandomState(1),
        np.random.PCG64(1),
        RRandom,
        object(),
    ],
)
def test_anything_else_is_refused(rng):
    with pytest.raises(PydpstatError, match="^rng must be None, an int, a numpy.random.Generator or an RRandom; got"):
        source_from(rng)


def test_a_refused_stream_does_not_show_its_state():
    class Wrapped:
        def __init__(self):
            self.stream = RRandom(42424242)

        def __repr__(self):
            return f"Wrapped({self.stream!r})"

    with pytest.raises(PydpstatError) as error:
        source_from(Wrapped())
    assert "42424242" not in str(error.value)


def test_rs_distributions_are_rs_own_calls():
    source, stream = RSource(RRandom(9)), RRandom(9)
    assert np.array_equal(source.laplace(5, 2.0), stream.rlaplace(5, 0.0, 2.0))
    assert np.array_equal(source.normal(5, 2.0), stream.rnorm(5, 0.0, 2.0))
    prob = 1.0 - math.exp(-0.3)
    first, second = stream.rgeom(5, prob), stream.rgeom(5, prob)
    assert np.array_equal(source.symmetric_geometric(5, 0.3), first - second)
    signs = stream.sample([-1.0, 1.0], 5, replace=True)
    assert np.array_equal(source.sign_geometric(5, 0.3), np.multiply(signs, stream.rgeom(5, prob)))
    assert np.array_equal(source.stream.state, stream.state)


SOURCES = {"R": lambda: RSource(RRandom(3)), "NumPy": lambda: NumpySource(np.random.default_rng(3))}


def test_numpys_far_tail():
    # Generator.geometric stops at 2^63 and loses digits for small rates; the mean must be 1/rate
    noise = NumpySource(np.random.default_rng(1)).symmetric_geometric(N, 1e-12)
    assert abs(np.abs(noise).mean() * 1e-12 - 1.0) < 5 / math.sqrt(N)


@pytest.mark.parametrize("name", SOURCES)
def test_geometric_noise_has_two_sides(name):
    rate, draws = 0.5, 10_000
    noise = SOURCES[name]().symmetric_geometric(draws, rate)
    for k in range(-3, 4):
        share = math.tanh(0.5 * rate) * math.exp(-rate * abs(k))
        assert abs((noise == k).mean() - share) < 5 * math.sqrt(share * (1 - share) / draws)


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_continues(name):
    source = SOURCES[name]()
    assert not np.array_equal(source.laplace(5, 1.0), source.laplace(5, 1.0))


def test_scales_of_their_own():
    for name in SOURCES:
        scales = np.array([1e-9, 1.0, 1e9])
        noise = np.abs(np.concatenate([SOURCES[name]().laplace(3, scales)]))
        assert noise[0] < 1e-6 and noise[2] > 1e3


@pytest.mark.parametrize("name", SOURCES)
def test_discrete_gaussian_noise_has_its_probabilities(name):
    sd, draws = 1.5, 10_000
    noise, support = SOURCES[name]().discrete_gaussian(draws, sd), np.arange(-20, 21)
    weights = np.exp(-0.5 * (support / sd) ** 2)
    for k in range(-3, 4):
        share = weights[k + 20] / weights.sum()
        assert abs((noise == k).mean() - share) < 5 * math.sqrt(share * (1 - share) / draws)
