"""Nash's minimizer: R's numbers, its stops, and what it refuses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pydpstat import PydpstatError
from pydpstat.dppack._models.minimizers import make_numeric_gradient, minimize_variable_metric


def rosenbrock(x):
    return float(100 * (x[1] - x[0] * x[0]) ** 2 + (1 - x[0]) ** 2)


def slopes(x):
    return np.array([-400 * x[0] * (x[1] - x[0] * x[0]) - 2 * (1 - x[0]), 200 * (x[1] - x[0] * x[0])], dtype=float)


def test_the_start_is_left_as_it_is():
    start = np.array([-1.2, 1.0])
    minimize_variable_metric(start, rosenbrock, slopes)
    assert start.tolist() == [-1.2, 1.0]


def test_it_stops_after_maxit_gradients():
    found = minimize_variable_metric(np.array([0.3]), lambda x: -float(x[0] ** 2), lambda x: -2 * x)
    assert found.convergence == 1 and found.counts == (100, 100)
    assert minimize_variable_metric(np.array([-1.2, 1.0]), rosenbrock, slopes, maxit=5).counts[1] == 5


def test_a_minimum_at_the_start():
    found = minimize_variable_metric(np.zeros(3), lambda x: float(x @ x), lambda x: 2 * x)
    assert found.par.tolist() == [0, 0, 0] and found.counts == (1, 1)


def test_it_steps_back_from_where_the_function_is_not_finite():
    def function(x):
        return math.nan if x[0] <= 0 else float(x[0] - math.log(x[0]))

    # the minimum is at 1; the stop is at a relative change of 1.5e-8 in the value, so half of that in x
    assert minimize_variable_metric(np.array([0.05]), function).par[0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_start_that_is_not_finite(value):
    with pytest.raises(PydpstatError, match="not finite at the start"):
        minimize_variable_metric(np.zeros(1), lambda x: value)


def test_a_gradient_of_another_length():
    with pytest.raises(PydpstatError, match="one element for each of the 2 coefficients; got 3"):
        minimize_variable_metric(np.zeros(2), lambda x: 1.0, lambda x: np.zeros(3))


def test_a_numeric_gradient_that_is_not_finite():
    with pytest.raises(PydpstatError, match="element 1"):
        make_numeric_gradient(lambda x: math.inf if x[0] > 0 else 0.0)(np.zeros(1))
