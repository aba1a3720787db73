"""Iterative proportional fitting: margins met, odds ratios kept, and what it says without a solution."""

import copy
import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat
from pydpstat import PydpstatError
from pydpstat.consistency import ConvergenceWarning, ipf, least_squares
from pydpstat.consistency._margins import compute_margin

MARGINS = {
    2: [((0,), (1,)), ((0,),), ((),), ((0, 1),)],
    3: [((0, 1), (0, 2), (1, 2)), ((0,), (1,), (2,)), ((0, 1), (2,)), ((2, 0), ())],
    4: [((0, 1), (2, 3)), ((0, 3), (1,), (2,)), ((0, 1, 2), (1, 2, 3))],
}


def plain(table, margins, times):
    """Scaling cell by cell, as the textbook has it."""
    fitted = np.array(table, dtype=float)
    for _ in range(times):
        for axes, goal in margins.items():
            factors = np.zeros(goal.shape)
            for place in np.ndindex(goal.shape):
                where = [slice(None)] * fitted.ndim
                for axis, index in zip(axes, place):
                    where[axis] = index
                total = fitted[tuple(where)].sum()
                factors[place] = goal[place] / total if total else 0.0
                fitted[tuple(where)] *= factors[place]
    return fitted


@st.composite
def problems(draw):
    dimensions = draw(st.sampled_from([2, 3, 4]))
    shape = tuple(draw(st.integers(1, 4)) for _ in range(dimensions))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    truth, table = (generator.uniform(0.2, 5.0, shape) for _ in range(2))
    axes = draw(st.sampled_from(MARGINS[dimensions]))
    goals = {each: compute_margin(truth, tuple(sorted(each))) for each in axes}
    # the order of the key is that of the goal's axes
    return table, {each: ordered(each, goal) for each, goal in goals.items()}


def ordered(axes, goal):
    return goal if axes == tuple(sorted(axes)) else goal.T


@pytest.mark.slow
@given(problems())
def test_the_margins_are_met(problem):
    table, margins = problem
    result = ipf(table, margins, tolerance=1e-12)
    assert result.converged and result.largest_gap <= 1e-12 * max(goal.max() for goal in margins.values())
    for axes, goal in margins.items():
        sums = compute_margin(result.estimate, tuple(sorted(axes)))
        np.testing.assert_allclose(sums, ordered(axes, goal), rtol=1e-9)


@pytest.mark.slow
@given(problems())
def test_it_is_the_textbook_iteration(problem):
    table, margins = problem
    result = ipf(table, margins)
    ascending = {tuple(sorted(axes)): ordered(axes, goal) for axes, goal in margins.items()}
    np.testing.assert_allclose(result.estimate, plain(table, ascending, result.iterations), rtol=1e-11)


def test_odds_ratios_and_zeros_stay():
    table = np.array([[1.0, 2.0, 0.0], [3.0, 1.0, 5.0], [2.0, 2.0, 2.0]])
    fitted = ipf(table, {0: [10, 20, 30], 1: [15, 25, 20]}).estimate
    assert fitted[0, 2] == 0.0
    for (i, j), (k, m) in itertools.product(itertools.combinations(range(3), 2), repeat=2):
        if 0.0 not in (table[i, m], table[i, k]):
            one, other = (x[i, k] * x[j, m] / (x[i, m] * x[j, k]) for x in (fitted, table))
            np.testing.assert_allclose(one, other, rtol=1e-9)


def test_a_table_of_zeros():
    assert ipf(np.zeros((2, 2)), {0: [0, 0]}).estimate.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert ipf([[1.0, 2.0]], {0: [0]}).estimate.tolist() == [[0.0, 0.0]]


FRAME = pd.DataFrame(
    [[40.0, 30.0], [35.0, 50.0]],
    index=pd.Index(["a", "b"], name="row"),
    columns=pd.Index(["x", "y"], name="col"),
)
CELLS = pd.MultiIndex.from_product([FRAME.index, FRAME.columns])
ROWS, COLUMNS = np.array([80.0, 70.0]), np.array([75.0, 75.0])
WANTED = ipf(FRAME.to_numpy(), {0: ROWS, 1: COLUMNS}).estimate


@pytest.mark.parametrize(
    "margins",
    [
        {0: ROWS, 1: COLUMNS},
        {-2: ROWS, -1: COLUMNS},
        {"row": ROWS, "col": COLUMNS},
        {("row",): pd.Series(ROWS, ["a", "b"]), ("col",): pd.Series(COLUMNS, ["x", "y"])},
        # out of order: the labels decide
        {"row": pd.Series(ROWS[::-1], ["b", "a"]), "col": COLUMNS.tolist()},
        {("col", "row"): pd.DataFrame(WANTED.T, ["x", "y"], ["a", "b"])},
        {
            ("col", "row"): pd.DataFrame(
                WANTED[::-1], pd.Index(["b", "a"], name="row"), pd.Index(["x", "y"], name="col")
            )
        },
        {("row", "col"): pd.Series(WANTED.ravel(), CELLS)},
        {("col", "row"): pd.Series(WANTED.ravel(), CELLS)},
    ],
)
def test_ways_to_give_margins(margins):
    fitted = ipf(FRAME, margins).estimate
    assert isinstance(fitted, pd.DataFrame)
    pd.testing.assert_index_equal(fitted.index, FRAME.index)
    pd.testing.assert_index_equal(fitted.columns, FRAME.columns)
    np.testing.assert_allclose(fitted.to_numpy(), WANTED, rtol=1e-9)


def test_ways_to_give_a_table():
    margins = {0: ROWS, 1: COLUMNS}
    long = pd.Series(FRAME.to_numpy().ravel(), CELLS)
    fitted = ipf(long.rename("n"), margins).estimate
    assert fitted.name == "n" and fitted.index.equals(long.index)
    np.testing.assert_allclose(fitted.to_numpy().reshape(2, 2), WANTED, rtol=1e-9)
    shuffled = ipf(long.iloc[[3, 0, 2, 1]], {"col": pd.Series(COLUMNS, ["x", "y"]), "row": ROWS}).estimate
    np.testing.assert_allclose(shuffled.to_numpy(), WANTED.ravel()[[3, 0, 2, 1]], rtol=1e-9)
    # a combination that is not there is 0
    part = ipf(long.iloc[:3], {"row": [70, 35], "col": [65, 40]}).estimate
    assert len(part) == 3 and abs(part.sum() - 105) < 1e-9
    vector = ipf(pd.Series([1, 2, 3], ["a", "b", "c"]), {(): 12}).estimate
    assert vector.to_dict() == {"a": 2.0, "b": 4.0, "c": 6.0}
    integers = ipf(FRAME.astype("Int64"), margins).estimate
    np.testing.assert_allclose(integers.to_numpy(dtype=float), WANTED, rtol=1e-9)


def test_releases_in_and_out():
    answers = pd.DataFrame({"sex": ["m", "f"] * 300, "age": ["old", "young", "young"] * 200})
    levels = {"sex": ["f", "m"], "age": ["young", "old"]}
    table = pydpstat.crosstab(answers, 5.0, levels=levels, other=None, rng=1)
    sex = pydpstat.crosstab(answers[["sex"]], 5.0, levels={"sex": ["m", "f"]}, other=None, rng=2)
    total = sex.estimate.sum()
    fitted = ipf(table, {"sex": sex, (): total})
    assert isinstance(fitted.estimate, pd.DataFrame) and list(fitted.estimate.index) == ["f", "m"]
    np.testing.assert_allclose(fitted.estimate.sum(axis=1)[["m", "f"]], sex.estimate, rtol=1e-9)


def test_a_histogram_is_a_table():
    counts = pydpstat.histogram(np.arange(100.0), 5.0, edges=[0, 20, 50, 100], rng=1)
    assert ipf(counts, {(): 100}).estimate.counts.sum() == pytest.approx(100)
    whole = least_squares(counts, {(): 100}, integer=True)
    assert whole.estimate.counts.dtype == np.int64 and whole.estimate.counts.sum() == 100


def test_copies_are_equal_and_cannot_be_changed():
    result = ipf(FRAME, {"row": ROWS})
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        pd.testing.assert_frame_equal(other.estimate, result.estimate)
        assert other.gaps == result.gaps and not other.values.flags.writeable
    assert not result.values.flags.writeable


def test_the_table_that_is_given_stays_as_it_is():
    table, rows = FRAME.to_numpy().copy(), ROWS.copy()
    before = table.copy()
    result = ipf(table, {0: rows})
    result.estimate[:] = 0.0
    assert (table == before).all() and (rows == ROWS).all() and result.estimate.sum() > 0


def test_margins_that_do_not_agree():
    with pytest.raises(PydpstatError, match=r"margins\[0\] and margins\[1\] must have the same total.*up to 1"):
        ipf(np.ones((2, 2)), {0: [1, 1], 1: [1, 2]})
    with pytest.raises(PydpstatError, match=r"the same sums on the axes \(0,\)"):
        ipf(np.ones((2, 2, 2)), {(0, 1): [[1, 1], [1, 1]], (0, 2): [[2, 1], [0, 1]]})


def test_sums_above_0_of_cells_that_are_0():
    with pytest.raises(PydpstatError, match=r"for 1 of 2 of its sums all cells are 0"):
        ipf([[0, 0], [1, 1]], {0: [1, 1]})


def test_zeros_that_leave_no_solution():
    # the first row can only go into the first column, which is too small for it
    with pytest.raises(PydpstatError, match="no table with these zeros has all of the margins"):
        ipf([[1, 0], [1, 1]], {0: [2, 1], 1: [1, 2]}, max_iterations=50)
    # three ways: each pair of margins can be met, all three cannot
    diagonal = np.array([[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(PydpstatError, match="no table with these zeros"):
        margins = {(0, 1): diagonal, (0, 2): diagonal, (1, 2): diagonal[::-1]}
        ipf(np.ones((2, 2, 2)), margins, max_iterations=50)


def test_a_solution_with_more_zeros_is_neared_slowly():
    with pytest.warns(ConvergenceWarning, match="has more zeros than this one"):
        result = ipf([[1, 0], [1, 1]], {0: [1, 1], 1: [1, 1]}, max_iterations=50)
    assert not result.converged and result.iterations == 50 and 0.0 < result.largest_gap < 0.05
    assert "NO" in result.summary().as_text() and "more zeros" in result.status


def test_margins_of_0_are_no_further_zeros():
    table = np.array([[1e3, 1.0, 5.0], [1.0, 1.0, 5.0]])
    with pytest.warns(ConvergenceWarning, match="a solution exists"):
        ipf(table, {0: [1, 1], 1: [1, 1, 0]}, max_iterations=2)


def test_too_few_iterations():
    table = np.array([[1e3, 1.0], [1.0, 1.0]])
    with pytest.warns(ConvergenceWarning, match="a solution exists, so give a larger max_iterations"):
        assert not ipf(table, {0: [1, 1], 1: [1, 1]}, max_iterations=2).converged
    assert ipf(table, {0: [1, 1], 1: [1, 1]}).converged


def test_a_large_table_is_not_examined(monkeypatch):
    monkeypatch.setattr("pydpstat.consistency._margins.MAX_CELLS", 2)
    with pytest.warns(ConvergenceWarning, match="it is unknown"):
        ipf([[1, 0], [1, 1]], {0: [2, 1], 1: [1, 2]}, max_iterations=5)


def test_cells_too_different_in_size():
    with pytest.raises(PydpstatError, match="differ less in size"):
        ipf([[1e-320, 0], [1, 1]], {0: [1e10, 1]}, max_iterations=3)


def test_the_report():
    result = ipf(FRAME, {"row": ROWS, "col": COLUMNS})
    text = result.summary().as_text()
    assert "iterative proportional fitting" in text and "costs no privacy" in text
    assert "2 x 2" in text and "Converged:" in text and "margins['row']" in text
    assert result.to_frame().index.tolist() == ["margins['row']", "margins['col']"]
    assert len(result.gaps) == 2 and result.largest_gap == max(result.gaps)
    assert result.postprocessing[-1].endswith("it costs no privacy budget")
    assert "<table" in result._repr_html_() and repr(result).startswith("<TableFit iterative")
    np.testing.assert_array_equal(np.asarray(result), result.estimate.to_numpy())
