"""R's normal distribution function and quantiles, without R."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.r_arithmetic.distributions import pnorm, qnorm

# Cody's approximation is good to 18 digits; the split of exp(-x**2/2) leaves a few roundings
ROUNDINGS = 16 * 2.0**-52


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
