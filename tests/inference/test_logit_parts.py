"""What logistic regression is made of: tails of sums of noise, and lines in the place of its curve."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from pydpstat._null_distributions.logistic.logistic_cells import evaluate_logistic, fit_minimax_line
from pydpstat._null_distributions.logistic.noisy_logit import approximate_sum_tail


@pytest.mark.parametrize(("sd", "scale"), [(0.0, 1.0), (0.3, 0.2), (0.3, 1.0), (2.0, 0.2)])
@pytest.mark.parametrize("x", [0.1, 1.5, 8.0, 20.0])
def test_tails_of_one_laplace_variable(x, sd, scale):
    noise = stats.laplace(scale=scale)
    # the exact tail by integration over the normal variable, right to 1e-9
    points = [each for each in (x / sd - 8.0, x / sd) if abs(each) < 12.0] if sd else None
    exact = integrate.quad(lambda z: stats.norm.pdf(z) * noise.sf(x - sd * z), -12.0, 12.0, points=points, limit=400)[0]
    assert not 1e-14 < exact <= 0.4 or 0.99 < approximate_sum_tail(x, sd, np.array([scale])) / exact < 1.11


def test_tails_of_two_laplace_variables():
    # P(L1 + L2 >= x) = (1/2 + x/4) exp(-x)
    for x in (0.2, 1.0, 5.0, 30.0):
        exact = (0.5 + 0.25 * x) * math.exp(-x)
        assert 1.0 <= approximate_sum_tail(x, 0.0, np.array([1.0, -1.0])) / exact < 1.09
    assert approximate_sum_tail(0.0, 1.0, np.ones(3)) == 0.5


@given(st.floats(-12.0, 12.0), st.floats(0.0, 12.0))
@settings(max_examples=60)
def test_what_lines_leave_is_as_small_as_they_say(low, width):
    line, x = fit_minimax_line(low, low + width), np.linspace(low, low + width, 3001)
    s = evaluate_logistic(x)
    assert np.abs(s - 0.5 - line.level - line.slope * x).max() <= line.max_error
    assert np.abs(s * (1.0 - s) - line.weight).max() <= line.max_weight_error <= 0.14
    # a line leaves less than nothing taken off would
    assert line.max_error <= 0.26
