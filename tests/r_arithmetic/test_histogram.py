"""Histogram: values from R, both ways of counting, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic import breaks_fd, hist

TENTHS = [0.1, 0.7, 0.3, 1.9, -0.2, 2.6, 0.1, 5.5]


@given(
    st.lists(st.floats(-100, 100), min_size=1, max_size=60),
    st.integers(1, 30),
    st.integers(-3, 3),
)
def test_counts_are_those_of_the_fuzzy_breaks(x, classes, places):
    x = np.round(x, places)
    h = hist(x, classes)
    widths = np.diff(h.breaks)
    if widths.size >= 5:
        fuzz = 1e-7 * np.median(widths)
    else:
        fuzz = 1e-7 * (np.ptp(x) if widths.size <= 2 else widths.min())
    expected = [int((x <= b + fuzz).sum()) for b in h.breaks[1:]]
    assert np.cumsum(h.counts).tolist() == expected
    assert h.counts.sum() == x.size


def test_many_values_on_and_off_the_breaks():
    rng = np.random.default_rng(3)
    for x in (rng.standard_normal(50_000), np.round(rng.standard_normal(50_000), 1)):
        h = hist(x, 40)
        edges = h.breaks + 1e-7 * np.median(np.diff(h.breaks))
        assert np.cumsum(h.counts).tolist() == np.searchsorted(np.sort(x), edges[1:], "right").tolist()


def test_unequal_breaks_and_not_finite_values():
    h = hist([0.0, 1.0, 1.5, 4.0, math.nan, math.inf, -math.inf], [4.0, 1.0, 0.0])
    assert h.counts.tolist() == [2, 2] and not h.equidist
    assert h.density.tolist() == [0.5, 2 / 12]
    assert hist([], [0.0, 1.0, 2.0]).counts.tolist() == [0, 0]


def test_integers_and_callables():
    x = np.arange(10)
    assert hist(x, 5).counts.tolist() == hist(x.astype(float), 5).counts.tolist()
    assert hist(x, lambda v: v.size / 2).breaks.tolist() == hist(x, 5).breaks.tolist()
    assert hist(x, breaks=lambda v: [0, 4, 9]).counts.tolist() == [5, 5]


@pytest.mark.parametrize("name", ["Sturges", "st", "SCOTT", "sc", "fd", "F", "Freedman-Diaconis"])
def test_rules_may_be_shortened_where_they_are_clear(name):
    if name == "F":
        with pytest.raises(PydpstatError, match="Sturges"):
            hist(TENTHS, name)
    else:
        assert hist(TENTHS, name).counts.sum() == 8


@pytest.mark.parametrize(
    ("x", "breaks", "message"),
    [
        ([1.0, 5.0], [0.0, 2.0, 4.0], "not counted"),
        ([1.0], 0, "at least 1"),
        ([1.0], math.inf, "at least 1"),
        ([1.0], "s", "must be one of"),
        ([1.0], lambda x: [], "two points"),
        ([1.0], lambda x: ["a"], "numeric"),
        ([], "Sturges", "at least 1"),
        ([], 3, "finite values"),
        ([1.0], "Scott", "two values"),
        ([True], "Sturges", "boolean"),
        (["a"], "Sturges", "numeric"),
    ],
)
def test_where_r_stops(x, breaks, message):
    with pytest.raises(PydpstatError, match=message):
        hist(x, breaks)


@pytest.mark.parametrize("x", [[], [math.nan], [math.inf]])
def test_scotts_rule_needs_two_values(x):
    with pytest.raises(PydpstatError, match="two values"):
        hist(x, "Scott")


def test_breaks_that_r_refuses():
    for breaks in (True, [True], lambda x: True):
        with pytest.raises(PydpstatError, match="breaks must be a finite number of at least 1; got"):
            hist([0.1, 0.5], breaks)
    with pytest.raises(PydpstatError, match="missing"):
        hist([0.1, 0.5], [0.0, 1.0, math.nan])
    # R sorts a function's points, and leaves missing ones out
    assert hist([0.1, 0.5], lambda x: [0.0, 1.0, math.nan]).counts.tolist() == [2]


@pytest.mark.parametrize("zeros, more, classes", [(95, 5, 12.0), (99, 1, 21.0), (99_999, 1, 4194.0)])
def test_freedman_and_diaconis_look_further_out_where_the_quartiles_are_equal(zeros, more, classes):
    # as R's nclass.FD; the last is the rule with the standard deviation
    assert breaks_fd(np.append(np.zeros(zeros), np.arange(1.0, more + 1.0))) == classes
