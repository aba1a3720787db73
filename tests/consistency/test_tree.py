"""Least squares on trees is that of dense matrices, and all methods add up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat import PydpstatError
from pydpstat.consistency._tree import Tree, estimate_upward, fit_top_down, fit_two_pass, round_tree, scale_to_parents
from tests.consistency.trees import dense, levels, trees

VALUES = st.floats(-1e6, 1e6, allow_subnormal=False)
SPREADS = st.floats(1e-3, 1e3)


@st.composite
def measured(draw, values=VALUES, exact_top=True):
    """A tree with noisy values and variances; parents may not be measured, the top may be exact."""
    tree = draw(trees())
    count = sum(tree.sizes)
    y = draw(st.lists(values, min_size=count, max_size=count))
    v = np.array(draw(st.lists(SPREADS, min_size=count, max_size=count)))
    parents = np.concatenate(tree.parents)
    unmeasured = np.array(draw(st.lists(st.booleans(), min_size=count, max_size=count))) & parents
    v[unmeasured & (np.arange(count) % 3 == 0)] = np.inf
    if exact_top and draw(st.booleans()):
        v[0] = 0.0
    return tree, levels(tree, y), levels(tree, v)


@pytest.mark.slow
@given(measured())
def test_two_passes_are_generalised_least_squares(case):
    tree, values, variances = case
    estimates, spreads = fit_two_pass(tree, values, variances)
    wanted, wanted_spreads = dense(tree, values, variances)
    assert tree.compute_gap(estimates) <= 1e-9 * max(1.0, *(np.abs(each).max() for each in estimates))
    size = max(1.0, np.abs(np.concatenate(values)).max())
    # the dense solver's own error: condition numbers up to 1e3 of squared weights
    np.testing.assert_allclose(np.concatenate(estimates), wanted, atol=1e-7 * size)
    np.testing.assert_allclose(np.concatenate(spreads), wanted_spreads, atol=1e-7, rtol=1e-6)


@pytest.mark.slow
@given(measured(st.integers(-1000, 1000).map(float)))
def test_whole_numbers_add_up_to_the_last_unit(case):
    tree, values, variances = case
    real, _ = fit_two_pass(tree, values, variances)
    whole = round_tree(tree, real)
    assert all(each.dtype == np.int64 for each in whole) and tree.compute_gap(whole) == 0.0
    for mine, theirs in zip(whole, tree.sum_from_leaves(real)):
        assert (np.abs(mine - theirs) <= 1.0).all()


@pytest.mark.slow
@given(measured(st.integers(-50, 50).map(float), exact_top=False))
def test_top_down_is_the_nearest_point_of_each_simplex(case):
    tree, values, variances = case
    estimates, spreads = estimate_upward(tree, values, variances)
    fitted = fit_top_down(tree, values, variances)
    assert all((each >= 0.0).all() for each in fitted)
    assert tree.compute_gap(fitted) <= 1e-9 * max(1.0, *(each.max() for each in fitted))
    whole = round_tree(tree, fitted)
    assert tree.compute_gap(whole) == 0.0 and all((each >= 0).all() for each in whole)
    for level in range(len(fitted) - 1):
        # at the solution (z - x) / u is one number among the positive children, and smaller elsewhere
        pull = (estimates[level + 1] - fitted[level + 1]) / spreads[level + 1]
        for start, count in zip(tree.starts[level], tree.child_counts[level]):
            own = slice(start, start + count)
            positive = fitted[level + 1][own] > 1e-9
            if positive.any():
                multiplier = pull[own][positive]
                scale = 1e-6 * max(1.0, np.abs(multiplier).max())
                assert np.ptp(multiplier) <= scale
                assert (pull[own][~positive] <= multiplier.min() + scale).all()


@pytest.mark.slow
@given(measured(st.integers(0, 1000).map(float), exact_top=False))
def test_ratios_add_up(case):
    tree, values, variances = case
    missing = [np.where(np.isinf(v), np.nan, y) for y, v in zip(values, variances)]
    fitted = scale_to_parents(tree, missing)
    assert fitted[0][0] == max(0.0, np.rint(fitted[0][0]))
    assert tree.compute_gap(fitted) <= 1e-9 * max(1.0, fitted[0][0])
    assert all((each >= 0.0).all() for each in fitted)


def test_exact_values_stay_and_must_add_up():
    tree = Tree((np.array([2]), np.array([0, 0])))
    estimates, _ = fit_two_pass(tree, levels(tree, [10, 4, 7]), levels(tree, [1, 0, 0]))
    assert np.concatenate(estimates).tolist() == [11.0, 4.0, 7.0]
    with pytest.raises(PydpstatError, match="variance 0 must add up"):
        fit_two_pass(tree, levels(tree, [10, 4, 7]), levels(tree, [0, 0, 0]))
    with pytest.raises(PydpstatError, match="variance 0 must add up"):
        fit_top_down(tree, levels(tree, [10, 4, 7]), levels(tree, [0, 0, 0]))


def test_exact_values_add_up_but_for_rounding():
    tree = Tree((np.array([2]), np.array([0, 0])))
    exact = levels(tree, [0, 0, 0])
    # 1e-9 of a parent beyond -1 and 1, of 1 between them
    for parent in (-1e6, -1.0, 0.0, 0.5, 1e6):
        size = max(1.0, abs(parent))
        for gap in (-0.5e-9 * size, 0.5e-9 * size):
            estimates, _ = fit_two_pass(tree, levels(tree, [parent, 7.0, parent - 7.0 + gap]), exact)
            assert estimates[0][0] == parent
        for gap in (-3e-9 * size, 3e-9 * size):
            with pytest.raises(PydpstatError, match="variance 0 must add up"):
                fit_two_pass(tree, levels(tree, [parent, 7.0, parent - 7.0 + gap]), exact)


def test_ratios_where_children_add_up_to_nothing():
    tree = Tree((np.array([2]), np.array([0, 0])))
    assert scale_to_parents(tree, levels(tree, [10, 0, 0]))[1].tolist() == [5.0, 5.0]
    assert scale_to_parents(tree, levels(tree, [10, 3, -3]))[1].tolist() == [5.0, 5.0]
    assert scale_to_parents(tree, levels(tree, [10, 3, -3]), nonnegative=True)[1].tolist() == [10.0, 0.0]
    assert scale_to_parents(tree, levels(tree, [-3, 3, 3]))[1].tolist() == [0.0, 0.0]
