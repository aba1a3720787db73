"""R's normal distribution function and quantiles, without R."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.r_arithmetic.distributions import pnorm, qnorm

# written by R 4.2.2 with sprintf("%a"); the arguments are short binary numbers, which R reads exactly
FROM_R = [
    (-37.25, "0x1.7407c86b70753p-1008"),
    (-20.25, "0x1.72807f4327171p-302"),
    (-8.375, "0x1.fd59ae3f7142fp-56"),
    (-5.75, "0x1.32a35e335e12cp-28"),
    (-1.96875, "0x1.91424b2470bf6p-6"),
    (-0.6875, "0x1.f791f3bffb743p-3"),
    (-0.5, "0x1.3bf143b9aa713p-2"),
    (-(2.0**-60), "0x1p-1"),
    (0.25, "0x1.3289a2b16ed6cp-1"),
    (1.0, "0x1.aec4bd120d37dp-1"),
    (3.3125, "0x1.ffc366c220761p-1"),
    (5.75, "0x1.ffffffd9ab944p-1"),
    (8.25, "0x1.fffffffffffffp-1"),
]
QUANTILES_FROM_R = [
    (2.0**-1000, "-0x1.28e35a39fcb5p+5"),
    (2.0**-20, "-0x1.30d5024a3fa4dp+2"),
    (0.0625, "-0x1.88bc1fbe1dabcp+0"),
    (0.4375, "-0x1.422c1aadb2492p-3"),
    (0.625, "0x1.464965bdc7eafp-2"),
    (1.0 - 2.0**-40, "0x1.c30d8560989abp+2"),
]
# another C library may round exp and log differently in the last bit
LIBM = 4 * 2.0**-52
# Cody's approximation is good to 18 digits; the split of exp(-x**2/2) leaves a few roundings
ROUNDINGS = 16 * 2.0**-52


@pytest.mark.parametrize("x, expected", FROM_R)
def test_pnorm_is_r(x, expected):
    assert pnorm(x) == pytest.approx(float.fromhex(expected), rel=LIBM, abs=0)


@pytest.mark.parametrize("p, expected", QUANTILES_FROM_R)
def test_qnorm_is_r(p, expected):
    assert qnorm(p) == pytest.approx(float.fromhex(expected), rel=LIBM, abs=0)


@given(st.floats(-37.5, 40.0))
def test_pnorm_is_the_normal_distribution(x):
    with mpmath.workdps(30):
        exact = float(mpmath.ncdf(x))
    assert pnorm(x) == pytest.approx(exact, rel=ROUNDINGS, abs=0)


def test_ends():
    assert pnorm(-37.5193) == 0.0 and pnorm(-math.inf) == 0.0
    assert pnorm(8.2924) == 1.0 and pnorm(math.inf) == 1.0
    assert math.isnan(pnorm(math.nan))
    assert qnorm(0.0) == -math.inf and qnorm(1.0) == math.inf
    assert all(math.isnan(qnorm(p)) for p in (-0.1, 1.1, math.nan))


def test_arrays_are_the_scalars():
    x = np.linspace(-9, 9, 24).reshape(4, 6)
    assert (pnorm(x) == np.vectorize(pnorm)(x)).all()
    assert (qnorm(pnorm(x)) == np.vectorize(qnorm)(pnorm(x))).all()
    assert isinstance(pnorm(0), float) and pnorm([]).shape == (0,)
