"""Bernstein polynomials against scipy's, and R's binomial probabilities against exact ones."""

from __future__ import annotations

import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from scipy.interpolate import BPoly

from pydpstat import PydpstatError, bernstein
from pydpstat.diffpriv import predict
from pydpstat.diffpriv._sampler_plan import compute_lower_lambert_w
from pydpstat.diffpriv.bernstein import Bernstein
from pydpstat.r_arithmetic.distributions import dbinom

# sums of a few dozen rounded terms of size one
CLOSE = 1e-13


def wave(x):
    return x * math.sin(10 * x)


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 2, 10, 25, 90])
def test_values_are_those_of_scipy(k):
    b, x = bernstein(wave, dims=1, k=k), np.linspace(0, 1, 201)
    expected = BPoly(np.array(b.coeffs)[:, np.newaxis], [0, 1])(x)
    np.testing.assert_allclose(b.predict(x), expected, rtol=0, atol=CLOSE)
    np.testing.assert_array_equal(b.predict(x), [b(each) for each in x])


def test_coefficients_are_the_function_at_the_lattice_first_coordinate_fastest():
    b = bernstein(lambda y: y[0] + 10 * y[1], dims=2, k=2)
    np.testing.assert_array_equal(b.coeffs, [0, 0.5, 1, 5, 5.5, 6, 10, 10.5, 11])
    assert (b.dims, b.k) == (2, 2)


def test_products_of_linear_functions_are_exact_polynomials():
    b = bernstein(lambda y: y[0] * (1 - y[1]) * y[2], dims=3, k=2)
    points = np.random.default_rng(1).random((20, 3))
    expected = points[:, 0] * (1 - points[:, 1]) * points[:, 2]
    np.testing.assert_allclose(b(points), expected, rtol=0, atol=CLOSE)
    assert b(points[0]) == b(points)[0] and isinstance(b(points[0]), float)


@pytest.mark.slow
def test_many_points_at_a_time_are_those_one_by_one():
    b = bernstein(lambda y: y[0] - y[1] ** 2, dims=2, k=40)
    points = np.random.default_rng(2).random((3000, 2))
    np.testing.assert_array_equal(b(points)[::500], [b(point) for point in points[::500]])


def test_shapes():
    b = bernstein(wave, 1)
    assert isinstance(b(0.5), float) and b([0.5]).shape == (1,) and b([]).shape == (0,)
    assert b(np.array([[0.5], [0.2]])).shape == (2,) and b(1) == pytest.approx(wave(1.0))


@pytest.mark.parametrize(
    ("dims", "points"),
    [
        (1, -0.1),
        (1, 1.1),
        (1, math.nan),
        (1, True),
        (1, "a"),
        (1, None),
        (1, [[0.1, 0.2]]),
        (1, [[0.1], [0.2, 0.3]]),
        (2, 0.5),
        (2, [0.1, 0.2, 0.3]),
        (2, np.zeros((1, 2, 1))),
    ],
    ids=str,
)
def test_points_outside_are_refused(dims, points):
    with pytest.raises(PydpstatError, match="D must"):
        bernstein(lambda y: 0.0, dims, 2)(points)


def test_wrong_arguments_are_refused():
    for arguments in [(1, 1), (wave, 0), (wave, 1.5), (wave, "1"), (wave, 1, 0), (wave, 1, math.inf)]:
        with pytest.raises(PydpstatError, match="must be"):
            bernstein(*arguments)
    with pytest.raises(PydpstatError, match="one number at each point; it returned list"):
        bernstein(lambda x: [x, x], 1)
    with pytest.raises(PydpstatError, match="object must be a Bernstein polynomial; got int"):
        predict(3, 0.5)


def test_a_polynomial_is_frozen_and_can_be_pickled():
    b = pickle.loads(pickle.dumps(bernstein(wave, 1, 3)))
    assert isinstance(b, Bernstein) and b(0.3) == bernstein(wave, 1, 3)(0.3)
    with pytest.raises(ValueError, match="read-only"):
        b.coeffs[0] = 1.0
    assert repr(b) == "Bernstein(dims=1, k=3, 4 coefficients)"


@pytest.mark.parametrize("n", [1, 2, 7, 15, 16, 36, 81, 501])
def test_binomial_probabilities_are_right_to_rounding(n):
    chances = [0.0, 1e-9, 0.03, 0.5, 0.77, 0.999, 1.0]
    ours = dbinom(n, chances)
    for column, chance in enumerate(map(Fraction, chances)):
        for x in {0, 1, n // 2, n - 1, n}:
            exact = float(math.comb(n, x) * chance**x * (1 - chance) ** (n - x))
            # the exponential of a number of size 1000 at most
            assert ours[x, column] == pytest.approx(exact, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("n", [16, 17, 20])
def test_binomial_probabilities_of_few_trials_are_right_to_their_last_digits(n):
    exact = np.array([math.comb(n, x) / 2.0**n for x in range(n + 1)])
    # the fifth term of the series of log(n!) is 1e-14 at 16
    assert dbinom(n, [0.5])[:, 0] == pytest.approx(exact, rel=3e-15, abs=0.0)


@pytest.mark.parametrize("x", [-0.3678, -0.36, -0.25, -0.1, -1e-3, -1e-6, -1e-9])
def test_lambert_w_solves_its_equation(x):
    w = compute_lower_lambert_w(x)
    assert w <= -1
    # near the branch point the equation is flat, and w is right to the root of the precision
    assert w * math.exp(w) == pytest.approx(x, rel=1e-9)


@pytest.mark.parametrize("dims, k", [(1, 1e300), (2, 1e300), (1e300, 2), (40, 2), (1, 10**8), (1, 10**7)])
def test_a_lattice_that_no_memory_holds(dims, k):
    with pytest.raises(PydpstatError, match="k and dims must yield at most"):
        bernstein(lambda y: 1.0, dims=dims, k=k)
