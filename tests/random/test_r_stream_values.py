"""Values that R 4.2.2 drew, written with sprintf("%a"), and the uniform it drew next."""

import math

import numpy as np
import pytest

from pydpstat.random.r_stream import RRandom
from pydpstat.random.r_stream._poisson import _compute_hat

# after set.seed(7), or 42 where there are three: call; values 1, 50000 and 100000; the next runif(1); and the
# units in the last place that another CPU's libm may add (a gamma variable of a small shape multiplies them)
DRAWN = """
rbeta(3, 2, 3); 0x1.1299bd2b8018fp-2 0x1.f9e5f71547df1p-2 0x1.2210b408bd079p-1; 0x1.50614b22p-1; 2
rbeta(3, 0.5, [0.7, 3]); 0x1.74e26ce9b3549p-3 0x1.55ec933f9a81cp-6 0x1.4dc1fc9a7bd8fp-3; 0x1.d4ba429cp-2; 2
rbeta(3, 0, 0); 1 1 0; 0x1.a9306e66p-1; 0
rnorm(100000); 0x1.24c483d5e9c7p+1 -0x1.260484b9125dfp-1 0x1.7c6aa85e2ec8p-3; 0x1.65d063a6p-1; 1
rexp(100000); 0x1.8c0d1ecbe14d8p-5 0x1.78dbc11fa39efp-1 0x1.84ca4b5p-3; 0x1.d4bce948p-1; 0
rgeom(100000, 0.6); 0 0 1; 0x1.a549de2p-4; 0
rgeom(100000, 0.01); 3 7 182; 0x1.6a23790cp-2; 0
rpois(100000, 3); 8 1 3; 0x1.48869548p-3; 0
rpois(100000, 50); 66 51 47; 0x1.4ada7c2p-2; 0
rbinom(100000, 20, 0.3); 11 4 6; 0x1.48869548p-3; 0
rbinom(100000, 1000, 0.4); 403 391 408; 0x1.f3047528p-2; 0
rgamma(100000, 0.5); 0x1.d1e0294fde006p+1 0x1.6cf96ae679aafp+1 0x1.fbff2bf8eaed3p-4; 0x1.f58758c6p-1; 64
rgamma(100000, 3); 0x1.db2839d59f587p+2 0x1.5f679b4f8ae15p+2 0x1.1a5fb6bc59802p+3; 0x1.d7540578p-3; 2
sample(100000); 0x1.65d3p+16 0x1.1d54p+14 0x1.01c4p+15; 0x1.be80a636p-1; 0
sample(50000, 100000, True); 0x1.974cp+14 0x1.04fp+15 0x1.8f8cp+14; 0x1.b1f0bedp-4; 0
sample(300, 100000, True, np.arange(1, 301)); 238 295 74; 0x1.162960dp-2; 0
rlaplace(100000); 0x1.e77cf5d6555eap+1 -0x1.7d2fef7c0cd72p+0 0x1.e74fe02d7ff58p-4; 0x1.48869548p-3; 1
runif(100000); 0x1.fa5251cap-1 0x1.ce04e5cp-4 0x1.1cb70986p-1; 0x1.48869548p-3; 0
"""
ROWS = [row.split("; ") for row in DRAWN.strip().splitlines()]


def numbers(text):
    return np.array([float.fromhex(word) if "x" in word else float(word) for word in text.split()])


@pytest.mark.parametrize(("call", "values", "following", "units"), ROWS, ids=[row[0] for row in ROWS])
def test_values_are_those_of_r(call, values, following, units):
    few = "(3, " in call
    rng, expected = RRandom(42 if few else 7), numbers(values)
    drawn = np.asarray(eval(f"rng.{call}", {"rng": rng, "np": np}), dtype=np.float64)
    assert drawn.shape == ((3,) if few else (100_000,))
    chosen = drawn[[0, (drawn.size - 1) // 2, -1]]
    assert np.all(np.abs(chosen - expected) <= int(units) * np.spacing(np.abs(expected)))
    assert rng.runif(1)[0] == float.fromhex(following)


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


def test_a_weighted_sample_without_replacement_is_rs():
    rng = RRandom(42)
    # the weight of what was drawn is no longer in the total
    assert np.asarray(rng.sample(10, 10, False, np.arange(1, 11))).tolist() == [3, 4, 9, 5, 7, 8, 6, 10, 2, 1]
    assert rng.runif(1)[0] == float.fromhex("0x1.d4ba429cp-2")


@pytest.mark.parametrize("mean", [10.0, 37.5])
def test_the_hat_of_poisson_variables_is_an_expansion_in_hermite_polynomials(mean):
    """Ahrens and Dieter's (1982) corrections of the normal density; each integrates to 0."""
    x, sd = np.linspace(-4.0, 4.0, 9), math.sqrt(mean)
    first = 1.0 / (24.0 * mean)
    second = 0.3 * first * first
    third = first * second / 7.0
    series = np.polynomial.hermite_e.hermeval(x, [1.0, 0.0, first, 0.0, second, 0.0, third])
    exponent, factor = _compute_hat(x, mean, sd)
    assert exponent == pytest.approx(-0.5 * x * x, rel=1e-15)
    assert factor == pytest.approx(series / (sd * math.sqrt(2.0 * math.pi)), rel=1e-13)
