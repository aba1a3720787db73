"""Least squares of tables: a dense solver's numbers, margins met, signs, whole numbers, standard errors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pydpstat
from pydpstat import PydpstatError
from pydpstat.consistency import least_squares
from pydpstat.consistency._margins import compute_margin, make_incidence_matrix

MARGINS = {
    1: [((),)],
    2: [((0,), (1,)), ((0,),), ((), (1,)), ((0,), (1,), ())],
    3: [((0, 1), (0, 2), (1, 2)), ((0,), (1,), (2,)), ((0, 1), (2,)), ((0, 1), (0,), ())],
}
KINDS = ("exact", "noisy", "both")


@st.composite
def problems(draw, whole=False, nonnegative=False):
    dimensions = draw(st.sampled_from([1, 2, 3]))
    shape = tuple(draw(st.integers(1, 4)) for _ in range(dimensions))
    generator = np.random.default_rng(draw(st.integers(0, 10_000)))
    axes = draw(st.sampled_from(MARGINS[dimensions]))
    kind = draw(st.sampled_from(KINDS))
    truth = generator.integers(0, 20, shape).astype(float)
    table = truth + generator.normal(0, 4, shape)
    margins, variances = {}, {}
    for place, each in enumerate(axes):
        noisy = kind == "noisy" or kind == "both" and place % 2 == 1
        goal = compute_margin(truth, each)
        if noisy:
            goal = goal + generator.normal(0, 3, goal.shape)
        margins[each], variances[each] = goal, float(generator.uniform(0.5, 9.0)) if noisy else 0.0
    return table, margins, variances, float(generator.uniform(0.5, 9.0)), generator


def dense(table, margins, variances, variance):
    """The table and its cells' variances, by the pseudo-inverse of all sums' covariances."""
    matrix = make_incidence_matrix(table.shape, list(margins)).toarray()
    goals = np.concatenate([np.ravel(goal) for goal in margins.values()])
    spreads = [np.broadcast_to(variances[axes], np.shape(goal)) for axes, goal in margins.items()]
    spread = np.concatenate([each.ravel() for each in spreads])
    own = np.diag(np.broadcast_to(variance, table.shape).ravel())
    gain = own @ matrix.T @ np.linalg.pinv(matrix @ own @ matrix.T + np.diag(spread), rcond=1e-11)
    fitted = table.ravel() + gain @ (goals - matrix @ table.ravel())
    return fitted.reshape(table.shape), np.diag(own - gain @ matrix @ own).reshape(table.shape)


@pytest.mark.slow
@given(problems())
def test_one_variance_for_each_margin(problem):
    table, margins, variances, variance, _ = problem
    result = least_squares(table, margins, variance=variance, margin_variances=variances)
    wanted, spread = dense(table, margins, variances, variance)
    np.testing.assert_allclose(result.estimate, wanted, atol=1e-9)
    np.testing.assert_allclose(result.bse, np.sqrt(np.maximum(spread, 0.0)), atol=1e-6)
    assert result.converged and result.iterations == 0


@pytest.mark.slow
@given(problems())
def test_a_variance_for_each_cell(problem):
    table, margins, variances, _, generator = problem
    cells = generator.uniform(0.1, 5.0, table.shape)
    many = {axes: v and generator.uniform(0.1, 5.0, np.shape(margins[axes])) for axes, v in variances.items()}
    result = least_squares(table, margins, variance=cells, margin_variances=many)
    np.testing.assert_allclose(result.estimate, dense(table, margins, many, cells)[0], atol=1e-8)
    assert result.converged


@pytest.mark.slow
@given(problems())
def test_exact_margins_are_met(problem):
    table, margins, variances, variance, _ = problem
    how = {"variance": variance, "margin_variances": variances}
    for sign in (False, True):
        result = least_squares(table, margins, nonnegative=sign, **how)
        for axes, goal in margins.items():
            if variances[axes] == 0.0:
                close = 1e-9 * max(1, goal.max())
                np.testing.assert_allclose(compute_margin(result.estimate, axes), goal, atol=close)


def test_sums_whose_cells_are_all_negative_are_met():
    table = np.array([[-8.2], [13.2], [-0.1], [12.0]])
    result = least_squares(table, {0: [1.0, 1.0, 7.0, 11.0]}, variance=4.8, nonnegative=True)
    assert result.converged
    np.testing.assert_allclose(result.estimate.ravel(), [1.0, 1.0, 7.0, 11.0], rtol=1e-12)


@pytest.mark.slow
@given(problems())
def test_no_negative_cell_is_optimal(problem):
    """The conditions of Karush, Kuhn and Tucker, which only the solution fulfils."""
    table, margins, variances, variance, _ = problem
    result = least_squares(table, margins, variance=variance, margin_variances=variances, nonnegative=True)
    fitted = result.estimate
    assert (fitted >= 0.0).all() and result.converged
    matrix = make_incidence_matrix(table.shape, list(margins)).toarray()
    goals = np.concatenate([np.ravel(goal) for goal in margins.values()])
    spread = np.concatenate([np.full(np.size(goal), variances[axes]) for axes, goal in margins.items()])
    gap = goals - matrix @ fitted.ravel()
    noisy, positive = spread > 0.0, fitted.ravel() > 1e-9
    # the slope of the squares, but for the exact margins' multipliers
    slope = (fitted - table).ravel() / variance - matrix[noisy].T @ (gap[noisy] / spread[noisy])
    multipliers = np.linalg.lstsq(matrix[~noisy][:, positive].T, slope[positive], rcond=None)[0]
    left = slope - matrix[~noisy].T @ multipliers
    scale = 1e-6 * max(1.0, np.abs(slope).max())
    assert np.abs(left[positive]).max(initial=0.0) <= scale
    exact = matrix[~noisy]
    if not exact.size or np.linalg.matrix_rank(exact[:, positive]) == np.linalg.matrix_rank(exact):
        # otherwise there are more multipliers than the positive cells can tell
        assert (left[~positive] >= -scale).all()


@pytest.mark.slow
@given(problems())
def test_whole_numbers_keep_exact_margins_to_the_unit(problem):
    table, margins, variances, variance, _ = problem
    how = {"variance": variance, "margin_variances": variances}
    result = least_squares(table, margins, nonnegative=True, integer=True, **how)
    assert result.estimate.dtype == np.int64 and (result.estimate >= 0).all()
    for axes, goal in margins.items():
        if variances[axes] == 0.0:
            assert (compute_margin(result.estimate, axes) == goal).all()


def test_weights_by_hand():
    # one number measured twice: as the sum of two cells and by itself
    result = least_squares([3.0, 4.0], {(): 10.0}, variance=1.0, margin_variances=1.0)
    np.testing.assert_allclose(result.estimate, [4.0, 5.0])
    np.testing.assert_allclose(result.bse, np.sqrt([2 / 3, 2 / 3]))


def test_variances_come_from_releases():
    answers = pd.DataFrame({"sex": ["m", "f"] * 300, "age": ["old", "young", "young"] * 200})
    levels = {"sex": ["f", "m"], "age": ["young", "old"]}
    table = pydpstat.crosstab(answers, 0.2, levels=levels, other=None, rng=1)
    sex = pydpstat.crosstab(answers[["sex"]], 2.0, levels={"sex": ["m", "f"]}, other=None, rng=2)
    result = least_squares(table, {"sex": sex, (): 600})
    spread = table.noise.var(), sex.noise.var()
    wanted, variances = dense(
        table.estimate.to_numpy(),
        {(0,): sex.estimate[["f", "m"]].to_numpy(), (): np.array(600.0)},
        {(0,): spread[1], (): 0.0},
        spread[0],
    )
    np.testing.assert_allclose(result.estimate.to_numpy(), wanted, atol=1e-9)
    np.testing.assert_allclose(result.bse.to_numpy(), np.sqrt(variances), atol=1e-9)
    assert result.bse.to_numpy().max() < table.bse.iloc[0]
    # a release in the form of whole numbers
    whole = least_squares(table, {"sex": sex, (): 600}, integer=True).estimate
    assert set(whole.dtypes) == {np.dtype(np.int64)} and whole.to_numpy().sum() == 600


def test_a_dict_of_variances_in_another_order_of_axes():
    table, goal = np.arange(6.0).reshape(2, 3), np.ones((3, 2)) * 4
    spread = np.arange(1.0, 7.0).reshape(3, 2)
    result = least_squares(table, {(1, 0): goal}, margin_variances={(1, 0): spread})
    np.testing.assert_allclose(result.estimate, (table / 1.0 + goal.T / spread.T) / (1.0 + 1.0 / spread.T))


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda t: least_squares(t, {0: [1, 2], 1: [1, 1, 2]}), "the same total"),
        (lambda t: least_squares(t, {0: [1.5, 2]}, integer=True), "must be whole numbers for integer=True"),
        (lambda t: least_squares(t, {0: [-1, 2]}, nonnegative=True), "must not be negative"),
        (lambda t: least_squares(t, {0: [1, 2]}, variance=0), "variance must be above 0"),
        (lambda t: least_squares(t, {0: [1, 2]}, variance=[1, 2]), "must be one number, or have the shape"),
        (lambda t: least_squares(t, {0: [1, 2]}, margin_variances=-1), "variances must not be negative"),
        (lambda t: least_squares(t, {0: [1, 2]}, margin_variances=1.7e308), "must be at most 1e.290; got a"),
        (lambda t: least_squares(t, {0: [1, 2]}, margin_variances={1: 3}), "must have keys of margins"),
        (lambda t: least_squares(t, {0: [1, 2]}, margin_variances={0: [1, 2, 3]}), "must be one number"),
        (lambda t: least_squares(t, {0: [1, 2]}, time_limit=0), "time_limit must be"),
        (
            lambda t: least_squares(
                pd.Series(t.ravel()[:5], pd.MultiIndex.from_product([[0, 1], [0, 1, 2]])[:5]), {0: [1, 2]}
            ),
            "every combination",
        ),
    ],
)
def test_errors(call, words):
    with pytest.raises(PydpstatError, match=words):
        call(np.ones((2, 3)))


def test_no_table_without_negative_cells():
    margins = {(0, 1): np.eye(2), (0, 2): np.eye(2), (1, 2): np.eye(2)[::-1]}
    with pytest.raises(PydpstatError, match="margins must be those of a table with no negative cells"):
        least_squares(np.ones((2, 2, 2)), margins, nonnegative=True)


def test_the_summary():
    text = least_squares(np.ones((2, 3)), {0: [1, 2]}, integer=True).summary().as_text()
    for part in ("controlled rounding", "costs no privacy", "least squares"):
        assert part in text.replace("\n", " ")
