"""Values that R 4.2.2 drew, written with sprintf("%a"), and the uniform it drew next."""

import math

import numpy as np
import pytest

from pydpstat.random.r_stream import RRandom

# after set.seed(42): call, values, next runif(1), and the units in the last place that another CPU's
# libm may add (a gamma variable of a small shape multiplies them)
FEW = (
    ("runif(3)", "0x1.d461752ep-1 0x1.dfc8593cp-1 0x1.2501c32p-2", "0x1.a9306e66p-1", 0),
    ("runif(2, -1, 3)", "0x1.5461752ep+1 0x1.5fc8593cp+1", "0x1.2501c32p-2", 0),
    (
        "rnorm(4)",
        "0x1.5ef721feab7dap+0 -0x1.21201e6483b03p-1 0x1.73d7ef2bc4ec4p-2 0x1.4406913e568bep-1",
        "0x1.50614b22p-1",
        1,
    ),
    ("rnorm(2, 10, 0.5)", "0x1.55ef721feab7ep+3 0x1.36f6ff0cdbe28p+3", "0x1.4892de6p-1", 1),
    ("rexp(4)", "0x1.96319c41a33e1p-3 0x1.5260dcccp-1 0x1.224b798p-2 0x1.38de374p-5", "0x1.79221a84p-1", 0),
    ("rexp(2, 20)", "0x1.44f47d014f64ep-7 0x1.0eb3e3d666667p-5", "0x1.4892de6p-1", 0),
    ("rgeom(4, 0.3)", "1 1 0 1", "0x1.d4ba429cp-2", 0),
    ("rgeom(4, 0.01)", "0x1.7p+4 0x1.4p+2 0x1.2ap+7 0x1.b8p+6", "0x1.f4da182cp-1", 0),
    ("rpois(4, 2.5)", "0x1.4p+2 0x1.4p+2 0x1p+0 0x1p+2", "0x1.4892de6p-1", 0),
    ("rpois(4, 80)", "0x1.7p+6 0x1.28p+6 0x1.4p+6 0x1.18p+6", "0x1.d4ba429cp-2", 0),
    ("rbinom(4, 10, 0.4)", "0x1.8p+2 0x1.8p+2 0x1.8p+1 0x1.4p+2", "0x1.4892de6p-1", 0),
    ("rbinom(4, 1000, 0.6)", "0x1.328p+9 0x1.258p+9 0x1.358p+9 0x1.28p+9", "0x1.d4ba429cp-2", 0),
    (
        "rgamma(3, 0.4)",
        "0x1.5008e742cef35p-1 0x1.9932b20f485b9p-3 0x1.acbd6d90732efp+0",
        "0x1.d9634a28p-2",
        64,
    ),
    (
        "rgamma(3, 2.5, 3)",
        "0x1.7835bc2c33c41p+0 0x1.b549ba80e7ab6p-2 0x1.60fd13cb5b21ap-1",
        "0x1.13cc14b8p-3",
        2,
    ),
    ("rgamma(2, 40)", "0x1.84b09528e03f4p+5 0x1.203ec4652c8aep+5", "0x1.09c6f1bap-1", 2),
    (
        "rbeta(3, 2, 3)",
        "0x1.1299bd2b8018fp-2 0x1.f9e5f71547df1p-2 0x1.2210b408bd079p-1",
        "0x1.50614b22p-1",
        2,
    ),
    (
        "rbeta(3, 0.5, [0.7, 3])",
        "0x1.74e26ce9b3549p-3 0x1.55ec933f9a81cp-6 0x1.4dc1fc9a7bd8fp-3",
        "0x1.d4ba429cp-2",
        2,
    ),
    ("sample(6)", "1 5 6 4 2 3", "0x1.79221a84p-1", 0),
    ("sample(100000, 3)", "0x1.dfcap+15 0x1.a932p+15 0x1.84e4p+16", "0x1.79221a84p-1", 0),
    ("sample(5, 6, True)", "1 5 1 1 2 4", "0x1.79221a84p-1", 0),
    ("sample(20000000, 3)", "0x1.877f28p+21 0x1.26139p+22 0x1.2244f4p+23", "0x1.50614b22p-1", 0),
    ("sample(8, prob=np.ones(8))", "1 8 3 7 5 4 6 2", "0x1.50614b22p-1", 0),
    ("sample(4, 5, True, [3, 1, 1, 3])", "2 2 1 3 4", "0x1.09c6f1bap-1", 0),
    ("sample(250, 4, True, np.arange(1, 251))", "226 218 74 146", "0x1.50614b22p-1", 0),
    (
        "rlaplace(3, 1, 0.5)",
        "0x1.e284cbac928e6p+0 0x1.04a6a4cadf98cp+1 0x1.711e7d37fe34ep-1",
        "0x1.a9306e66p-1",
        1,
    ),
    ("rlap(3, 0, 2)", "0x1.47fa0e71a33e1p-2 0x1.80729f1p-2 -0x1.2e1d6647a39efp+1", "0x1.50614b22p-1", 0),
    ("rnorm(3, [1, 2], [0, 0.1])", "0x1p+0 0x1.118c5b4cbbc64p+1 0x1p+0", "0x1.2501c32p-2", 1),
    ("rnorm(2, 5, 0)", "5 5", "0x1.d461752ep-1", 0),
    ("rexp(2, np.inf)", "0 0", "0x1.d461752ep-1", 0),
    ("rgeom(2, 1)", "0 0", "0x1.4892de6p-1", 0),
    ("rpois(2, 0)", "0 0", "0x1.d461752ep-1", 0),
    ("rbinom(2, 5, 1)", "5 5", "0x1.d461752ep-1", 0),
    ("rgamma(2, 0)", "0 0", "0x1.d461752ep-1", 0),
    ("runif(2, 3, 3)", "3 3", "0x1.d461752ep-1", 0),
)
# after set.seed(7): call, values 1, 50000 and 100000, next runif(1), units in the last place
MANY = (
    ("rnorm(100000)", "0x1.24c483d5e9c7p+1 -0x1.260484b9125dfp-1 0x1.7c6aa85e2ec8p-3", "0x1.65d063a6p-1", 1),
    ("rexp(100000)", "0x1.8c0d1ecbe14d8p-5 0x1.78dbc11fa39efp-1 0x1.84ca4b5p-3", "0x1.d4bce948p-1", 0),
    ("rgeom(100000, 0.6)", "0 0 1", "0x1.a549de2p-4", 0),
    ("rgeom(100000, 0.01)", "3 7 182", "0x1.6a23790cp-2", 0),
    ("rpois(100000, 3)", "8 1 3", "0x1.48869548p-3", 0),
    ("rpois(100000, 50)", "66 51 47", "0x1.4ada7c2p-2", 0),
    ("rbinom(100000, 20, 0.3)", "11 4 6", "0x1.48869548p-3", 0),
    ("rbinom(100000, 1000, 0.4)", "403 391 408", "0x1.f3047528p-2", 0),
    (
        "rgamma(100000, 0.5)",
        "0x1.d1e0294fde006p+1 0x1.6cf96ae679aafp+1 0x1.fbff2bf8eaed3p-4",
        "0x1.f58758c6p-1",
        64,
    ),
    (
        "rgamma(100000, 3)",
        "0x1.db2839d59f587p+2 0x1.5f679b4f8ae15p+2 0x1.1a5fb6bc59802p+3",
        "0x1.d7540578p-3",
        2,
    ),
    ("sample(100000)", "0x1.65d3p+16 0x1.1d54p+14 0x1.01c4p+15", "0x1.be80a636p-1", 0),
    ("sample(50000, 100000, True)", "0x1.974cp+14 0x1.04fp+15 0x1.8f8cp+14", "0x1.b1f0bedp-4", 0),
    ("sample(300, 100000, True, np.arange(1, 301))", "238 295 74", "0x1.162960dp-2", 0),
    (
        "rlaplace(100000)",
        "0x1.e77cf5d6555eap+1 -0x1.7d2fef7c0cd72p+0 0x1.e74fe02d7ff58p-4",
        "0x1.48869548p-3",
        1,
    ),
    ("runif(100000)", "0x1.fa5251cap-1 0x1.ce04e5cp-4 0x1.1cb70986p-1", "0x1.48869548p-3", 0),
)


def numbers(text):
    return np.array([float.fromhex(word) if "x" in word else float(word) for word in text.split()])


def draw(rng, call):
    return np.asarray(eval(f"rng.{call}", {"rng": rng, "np": np}), dtype=np.float64)


def assert_units(actual, expected, units):
    assert actual.shape == expected.shape
    assert np.all(np.abs(actual - expected) <= units * np.spacing(np.abs(expected)))


@pytest.mark.parametrize(("call", "values", "following", "units"), FEW, ids=[row[0] for row in FEW])
def test_few(call, values, following, units):
    rng = RRandom(42)
    assert_units(draw(rng, call), numbers(values), units)
    assert rng.runif(1)[0] == float.fromhex(following)


@pytest.mark.parametrize(("call", "values", "following", "units"), MANY, ids=[row[0] for row in MANY])
def test_many(call, values, following, units):
    rng = RRandom(7)
    drawn = draw(rng, call)
    assert drawn.shape == (100000,)
    assert_units(drawn[[0, 49999, 99999]], numbers(values), units)
    assert rng.runif(1)[0] == float.fromhex(following)


def test_mixture():
    rng = RRandom(42)
    rng.runif(1)
    rng.rnorm(1)
    rng.rexp(2)
    rng.rpois(1, 20)
    rng.sample(3)
    assert_units(rng.rgamma(1, 2), numbers("0x1.5f7273ab7f258p+0"), 2)
    assert rng.runif(1)[0] == float.fromhex("0x1.058f223cp-2")


def test_state_is_random_seed():
    rng = RRandom(42)
    assert rng.state.dtype == np.int32
    assert rng.state[:5].tolist() == [10403, 624, 507561766, 1260545903, 1362917092]
    rng.runif(700)
    assert rng.state[[0, 1, 2, 625]].tolist() == [10403, 76, 574646033, 1858507720]


def test_extreme_uniforms():
    # words of 0 and of 2^32 - 1, as R turns them into uniforms and a normal variable
    rng = RRandom(1)
    state = rng.state
    zero, largest = 0, _key_word(0xFFFFFFFF)
    state[1] = 600
    state[602:] = zero
    rng.state = state
    assert rng.runif(1)[0] == 0.5 * 2.328306437080797e-10
    assert rng.rnorm(2)[0] == rng.rnorm(1)[0] < -6.0
    state[602:] = largest
    rng.state = state
    assert rng.runif(1)[0] == 1.0 - 2.0**-32
    for n in (1, 2):
        rng.state = state
        assert rng.rnorm(n)[0] == math.inf
    rng.state = state
    assert np.isposinf(rng.rnorm(100)[:12]).all()


def _key_word(output):
    """Find the key word behind an output word by solving the linear map bit by bit."""
    columns = [_tempered(1 << bit) for bit in range(32)]
    pivots = {}
    for bit, column in enumerate(columns):
        source = 1 << bit
        while column and column.bit_length() in pivots:
            other, other_source = pivots[column.bit_length()]
            column, source = column ^ other, source ^ other_source
        pivots[column.bit_length()] = (column, source)
    word = 0
    while output:
        column, source = pivots[output.bit_length()]
        output, word = output ^ column, word ^ source
    return word - 2**32 if word >= 2**31 else word


def _tempered(y):
    y ^= y >> 11
    y ^= (y << 7) & 0x9D2C5680
    y ^= (y << 15) & 0xEFC60000
    return (y ^ (y >> 18)) & 0xFFFFFFFF
