"""R's normal distribution function and quantiles, without R."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.r_arithmetic.distributions import _compute_stirling_error, dbinom, pnorm, qnorm

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


@pytest.mark.parametrize("n", [3, 15, 16, 17, 18, 35, 36, 50, 81, 501])
def test_dbinom_is_the_binomial_distribution(n):
    # near the mean, where the deviance is a series, and at both ends
    for p in (0.03125, 0.25, 0.5, 0.75):
        found = dbinom(n, [p])[:, 0]
        with mpmath.workdps(40):
            exact = [mpmath.binomial(n, x) * mpmath.mpf(p) ** x * mpmath.mpf(1 - p) ** (n - x) for x in range(n + 1)]
            errors = [abs(ours / theirs - 1) for ours, theirs in zip(found.tolist(), exact) if theirs > 1e-280]
        # an exponent of 650 has a rounding error of its own
        assert max(errors) < 2e-13 and max(errors[max(0, int(n * p) - 3) : int(n * p) + 4]) < 1e-14


@pytest.mark.parametrize("n", range(16, 40))
def test_stirlings_error_has_sixteen_digits(n):
    with mpmath.workdps(40):
        stirling = 0.5 * mpmath.log(2 * mpmath.pi * n) + n * mpmath.log(n) - n
        exact = float(mpmath.loggamma(n + 1) - stirling)
    assert _compute_stirling_error(n) == pytest.approx(exact, rel=0, abs=2e-16)
