"""Order statistics, rounding and round break points."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic import median, pretty, quantile, round, sort
from pydpstat.r_arithmetic.rounding import _make_spaced_values, round_significant

TENTHS = [0.1, 0.7, 0.3, 1.9, -0.2, 2.6, 0.1, 5.5]
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def hexes(text: str) -> list[float]:
    return [float.fromhex(v) for v in text.split()]


def signs(x) -> list[bool]:
    return np.signbit(x).tolist()


def test_sort_drops_nan_and_keeps_the_order_of_zeros():
    x = [0.0, math.nan, -0.0, 1.0, 0.0, -1.0]
    assert sort(x).tolist() == [-1, 0, 0, 0, 1]
    assert signs(sort(x)) == [True, False, True, False, False]
    assert signs(sort(x, decreasing=True)) == [False, False, True, False, True]
    assert sort([]).size == 0
    original = np.array([3, 1, 2])
    assert sort(original, decreasing=True).tolist() == [3, 2, 1]
    assert original.tolist() == [3, 1, 2]


@given(st.lists(st.floats(allow_infinity=True), max_size=30))
def test_sort_is_stable(x):
    ours = sort(np.array(x))
    theirs = sorted(v for v in x if v == v)
    assert ours.tolist() == theirs and signs(ours) == signs(theirs)


def test_median_from_r():
    assert median(TENTHS) == 0.5
    assert median([0.3, 0.2, 7.7, -1.1, 0.9, 0.4, 3.3, 2.2]) == float.fromhex("0x1.4cccccccccccdp-1")
    assert median([1, 2]) == 1.5 and median([3, 1, 2]) == 2.0
    assert math.isfinite(median([1.7e308, 1.6e308]))
    assert math.isnan(median([])) and math.isnan(median([1.0, math.nan, 2.0]))


def test_quantile_from_r():
    expected = hexes("0x1.47ae147ae1498p-7 0x1.5555555555553p-3 0x1.bc28f5c28f5c2p+1")
    assert quantile(TENTHS, [0.1, 1 / 3, 0.9]).tolist() == expected
    assert quantile(TENTHS, 0.5).tolist() == [0.5]
    assert np.isnan(quantile([], [0.5])).all()
    assert np.isnan(quantile([1.0], [math.nan])).all()


@pytest.mark.parametrize(("x", "p"), [([1.0, math.nan], 0.5), ([1.0], 1.1), ([1.0], -0.1)])
def test_quantile_refuses(x, p):
    with pytest.raises(PydpstatError):
        quantile(x, p)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20), st.floats(0, 1))
def test_quantile_lies_within_the_range(x, p):
    value = quantile(x, p)[0]
    slack = 1e-15 * max(map(abs, x))
    assert min(x) - slack <= value <= max(x) + slack


def test_round_keeps_negative_zero_shape_and_scalars():
    assert signs(round([-0.5, -0.0, 0.5])) == [True, True, False]
    assert type(round(2.5)) is float and round(2.5) == 2.0
    assert round(np.array([[1.25, 2.35], [3.45, 4.55]]), 1).tolist() == [[1.2, 2.4], [3.5, 4.6]]
    assert round([1.5], 400).tolist() == [1.5] and round([1.5], -400).tolist() == [0.0]
    assert round([math.inf, math.nan], 2)[0] == math.inf


@given(FLOATS, st.integers(-5, 20))
def test_round_is_odd_and_near(x, digits):
    value = round(x, digits)
    assert round(-x, digits) == -value
    assert abs(value - x) <= 0.5000001 * 10.0**-digits + 2 * math.ulp(x)


def test_significant():
    assert round_significant([123456.0, 0.00123456, -1.0, 0.0], 3).tolist() == [123000, 0.00123, -1, 0]


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300), st.integers(1, 40))
def test_pretty_covers_the_range(a, b, n):
    breaks = pretty(a, b, n, 1)
    slack = 1e-9 * (breaks[-1] - breaks[0])
    assert breaks[0] <= min(a, b) + slack and breaks[-1] >= max(a, b) - slack
    assert (np.diff(breaks) > 0).all() or max(abs(a), abs(b)) > 1e-300


def test_pretty_makes_about_five_intervals():
    # R's pretty(c(0, 37)) and pretty(c(0, 37), 6)
    assert pretty(0.0, 37.0).tolist() == [0, 10, 20, 30, 40]
    assert pretty(0.0, 37.0, 6).tolist() == [0, 5, 10, 15, 20, 25, 30, 35, 40]


@pytest.mark.parametrize("arguments", [(0.0, math.inf), (0.0, 1.0, -1), (0.0, 1.0, 2, 3)])
def test_pretty_refuses(arguments):
    with pytest.raises(PydpstatError):
        pretty(*arguments)


def test_pretty_asks_for_five_intervals_where_nothing_is_given():
    # R's pretty(c(0, 8)); pretty(c(0, 8), 6) is 0, 1, ..., 8
    assert pretty(0.0, 8.0).tolist() == [0.0, 2.0, 4.0, 6.0, 8.0]
    assert pretty(0.0, 8.0, 6).tolist() == list(range(9))


@pytest.mark.parametrize(
    ("low", "high", "values"),
    [
        (0.0, 1.79, [0.0, 0.5966667, 1.193333, 1.79]),
        (1.0, 1.79, [1.0, 1.263333, 1.526667, 1.79]),
        (-1.79, 1.79, [-1.79, 0.0, 1.79]),
        (-1.79, 1.7, [-1.79, -1.208333, -0.6266667, -0.045, 0.5366667, 1.118333, 1.7]),
        (-1.0, 1.79, [-1.0, -0.442, 0.116, 0.674, 1.232, 1.79]),
        (1.0, 1.7, [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]),
    ],
)
def test_pretty_near_the_largest_numbers_is_as_in_r(low, high, values):
    """In units of 1e308; the next multiple of the step would be infinite."""
    assert (pretty(low * 1e308, high * 1e308) / 1e308).tolist() == pytest.approx(values, rel=1e-6, abs=1e-12)
    mirrored = (pretty(-high * 1e308, -low * 1e308) / 1e308).tolist()
    assert mirrored == pytest.approx([-value for value in reversed(values)], rel=1e-6, abs=1e-12)


def test_zeros_of_both_signs_keep_their_order_in_either_direction():
    assert signs(sort([0.0, -0.0])) == [False, True] and signs(sort([-0.0, 0.0])) == [True, False]
    assert signs(sort([0.0, -0.0], decreasing=True)) == [False, True]
    assert signs(sort([1.0, -0.0, 0.0], decreasing=True)) == [False, True, False]


def test_what_is_less_than_1e_14_of_a_step_is_zero():
    for low, first in ((1e-14, 1e-14), (0.999e-14, 0.0), (-0.999e-14, 0.0)):
        assert _make_spaced_values(low, 1.0 + low, 1)[0] == first
