"""Controlled rounding: whole numbers next to the cells, sums kept."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat import PydpstatError
from pydpstat.consistency import controlled_rounding
from pydpstat.consistency._margins import compute_margin
from pydpstat.consistency.table_adjusted import can_always_round, round_table


@st.composite
def tables(draw, dimensions):
    shape = tuple(draw(st.integers(1, 5)) for _ in range(dimensions))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    return generator.normal(draw(st.sampled_from([0.0, 3.0, 1e6])), 4.0, shape)


@pytest.mark.slow
@given(tables(2))
def test_two_ways_always_succeed(table):
    rounded = controlled_rounding(table).estimate
    assert rounded.dtype == np.int64 and (np.abs(rounded - table) < 1.0).all()
    for axes in ((), (0,), (1,)):
        assert (np.abs(compute_margin(rounded, axes) - compute_margin(table, axes)) < 1.0).all()


@pytest.mark.slow
@given(tables(2), st.integers(0, 1000))
def test_whole_margins_stay(table, seed):
    whole = np.rint(table)
    # a table with the same margins, with parts of units moved around circles
    generator = np.random.default_rng(seed)
    moved = whole.copy()
    for _ in range(6):
        rows, columns = (generator.integers(0, length, 2) for length in table.shape)
        step = generator.random()
        moved[rows[0], columns[0]] += step
        moved[rows[1], columns[1]] += step
        moved[rows[0], columns[1]] -= step
        moved[rows[1], columns[0]] -= step
    rounded = controlled_rounding(moved, [0, 1]).estimate
    for axes in ((0,), (1,)):
        assert (compute_margin(rounded, axes) == compute_margin(whole, axes)).all()


@pytest.mark.slow
@given(tables(3))
def test_three_ways_with_one_way_margins(table):
    result = controlled_rounding(table)
    rounded = result.estimate
    for axes in ((), (0,), (1,), (2,)):
        assert (np.abs(compute_margin(rounded, axes) - compute_margin(table, axes)) < 1.0).all()


def test_the_nearest_is_found():
    # of the two ways to keep all sums, this one is nearer
    assert controlled_rounding([[0.9, 0.1], [0.1, 0.9]]).estimate.tolist() == [[1, 0], [0, 1]]
    values = np.random.default_rng(3).uniform(0, 1, (3, 3))
    best, goals = np.inf, [np.floor(values.sum(axis=1)), np.ceil(values.sum(axis=1))]
    for bits in range(2**9):
        table = np.array([(bits >> place) & 1 for place in range(9)]).reshape(3, 3)
        rows = (table.sum(axis=1) >= goals[0]).all() and (table.sum(axis=1) <= goals[1]).all()
        columns = (np.abs(table.sum(axis=0) - values.sum(axis=0)) < 1.0).all()
        if rows and columns and abs(table.sum() - values.sum()) < 1.0:
            best = min(best, ((table - values) ** 2).sum())
    found = controlled_rounding(values).estimate
    assert ((found - values) ** 2).sum() <= best * 1.002


def test_what_is_always_possible():
    assert can_always_round([(), (0,), (1,)]) and can_always_round([(0,), (0, 1), (2,)]) and can_always_round([(0, 1)])
    assert not can_always_round([(0,), (1,), (2,)]) and not can_always_round([(0, 1), (0, 2), (1, 2)])
    assert can_always_round([(), (0,), (0, 1), (2,), (2, 3)]) and not can_always_round([(0, 1), (0,), (1,), (2,)])


def test_three_ways_that_cannot_be_rounded_to_neighbors():
    # the only table of 0 and 1 with these pairs of margins does not exist
    ones = np.ones((3, 3))
    half = np.full((2, 2, 2), 0.5)
    assert controlled_rounding(half, [(0, 1), (0, 2), (1, 2)]).estimate.sum() == 4
    goals = [np.array([[1, 0], [0, 1]]), np.array([[1, 0], [0, 1]]), np.array([[0, 1], [1, 0]])]
    with pytest.raises(PydpstatError, match="no whole numbers within 3"):
        round_table(half, [(0, 1), (0, 2), (1, 2)], goals, 5.0)
    # further than to the next whole number
    wide = round_table(ones * 0.5, [(0,)], [np.array([3, 5, 0])], 5.0)
    assert not wide.is_adjacent and wide.table.sum(axis=1).tolist() == [3, 5, 0]


def test_forms_and_names():
    rows, columns = pd.Index(["a", "b"], name="row"), pd.Index(["x", "y"], name="col")
    frame = pd.DataFrame([[0.5, 1.5], [1.5, 0.5]], rows, columns)
    result = controlled_rounding(frame, ["row", ("col",), ()])
    assert isinstance(result.estimate, pd.DataFrame) and result.estimate.to_numpy().sum() == 4
    assert result.converged and result.largest_gap == 0.0 and result.method == "controlled rounding"
    assert "below or above" in result.status


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: controlled_rounding([[1e20, 1.0]]), "below 2\\^53"),
        (lambda: controlled_rounding([[1.5]], 3), "margins must be a list"),
        (lambda: controlled_rounding([[1.5]], [2]), "axes from 0 to 1"),
        (lambda: controlled_rounding([[1.5]], ["a"]), "The table has no names"),
        (lambda: controlled_rounding([[np.nan]]), "finite numbers only"),
        (lambda: controlled_rounding([[1.5]], time_limit=-1), "time_limit must be"),
    ],
)
def test_errors(call, words):
    with pytest.raises(PydpstatError, match=words):
        call()
