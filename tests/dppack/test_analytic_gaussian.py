"""DPpack's calibration loop, without R; the parity cases compare it live."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.dppack._noise import calibrate_analytic_loop
from pydpstat.errors import PydpstatError
from pydpstat.mechanisms import GaussianNoise, calibrate_gaussian


def test_delta_between_the_branches():
    from pydpstat.r_arithmetic.distributions import pnorm
    from pydpstat.r_arithmetic.elementary import exp

    delta = 0.5 - exp(1.0) * pnorm(-math.sqrt(2.0))
    assert calibrate_analytic_loop(1, delta, 1) == 1 / math.sqrt(2.0)


def test_sensitivity_is_only_a_factor():
    one = calibrate_analytic_loop(1, 0.1, 1)
    values = calibrate_analytic_loop(1, 0.1, [[1, 2], [-4, 0]])
    assert values.tolist() == [[one, 2 * one], [-4 * one, 0.0]]
    assert isinstance(one, float) and calibrate_analytic_loop(True, 0.1, np.float64(1)) == one


@given(st.floats(0.01, 50.0), st.floats(1e-6, 0.99))
def test_is_near_the_sound_calibration(epsilon, delta):
    sd = calibrate_analytic_loop(epsilon, delta, 1.0)
    # R's tolerance on delta is 1e-12
    assert GaussianNoise(sd).delta(epsilon, 1.0) == pytest.approx(delta, abs=2e-12)


def test_tiny_delta_is_not_kept():
    sd = calibrate_analytic_loop(0.1, 1e-15, 1.0)
    # up to 713 times the claimed delta were found by evaluation
    assert sd < 0.9 * calibrate_gaussian(0.1, 1e-15)
    assert GaussianNoise(sd).delta(0.1, 1.0) > 100 * 1e-15


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((0, 0.1, 1), "epsilon must be above 0 and below 709.79 here; got 0.0"),
        ((-1, 0.1, 1), "epsilon must be above 0"),
        ((709.79, 0.1, 1), "Use calibrate_gaussian"),
        ((math.inf, 0.1, 1), "epsilon must be above 0"),
        ((math.nan, 0.1, 1), "epsilon must be a number"),
        ((1, -1e-9, 1), "delta must be between 0 and 1; got -1e-09. R never returns"),
        ((1, 1.5, 1), "delta must be between 0 and 1"),
        ((1, math.nan, 1), "delta must be a number"),
        ((1, [0.1, 0.2], 1), "delta must be one number"),
        ((1, 0.1, math.nan), "sensitivity must be one or more finite numbers; got nan"),
        ((1, 0.1, []), "sensitivity must be one or more finite numbers"),
        ((1, 0.1, "a"), "sensitivity must be one or more finite numbers"),
        ((1, 0.1, 1.7e308, 1.0), "sensitivity must lead to a finite standard deviation"),
        ((0.3, 0.01, 1, 0), "tol must be large enough for delta;.* got tol 0.0 with delta 0.01"),
        ((1, 0.1, 1, -1), "tol must be large enough"),
        ((1, 0.1, 1, math.nan), "tol must be a number"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(PydpstatError, match=message):
        calibrate_analytic_loop(*arguments)
