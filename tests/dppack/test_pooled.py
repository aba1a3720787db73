"""pooledVarDP and pooledCovDP: values, sensitivities, guarantees, the two releases of "both"."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pydpstat import DPResultsPair, PrivacyWarning, pooledCovDP, pooledVarDP
from pydpstat.dppack._values import compute_pooled_covariance, compute_pooled_variance
from pydpstat.mechanisms.laplace import truncated_positive_epsilon
from pydpstat.privacy import compose_basic
from tests.dppack.mirror_calls import refused_before_any_draw

A, B = [1.0, 2.5, 3.0, 4.0, -3.5], [0.3, 6.2, 2.2]
BOUNDS = {"lower_bound": 0, "upper_bound": 5}
BOUNDS2 = {"lower_bound1": 0, "upper_bound1": 5, "lower_bound2": -1, "upper_bound2": 3}
M, N = np.column_stack([A, A[::-1]]), np.column_stack([B, B[::-1]])
GAUSS = {"mechanism": "analytic", "delta": 1e-6}
GROUPS = st.lists(st.lists(st.floats(0, 1), min_size=2, max_size=5), min_size=1, max_size=4)


def quiet(function, *samples, **arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*samples, **arguments)


# the numbers


@pytest.mark.slow
@given(GROUPS)
def test_the_pooled_variance(groups):
    arrays = [np.array(group) for group in groups]
    n, j = sum(map(len, groups)), len(groups)
    expected = sum((len(x) - 1) * np.var(x, ddof=1) for x in arrays) / (n - j)
    # sums in another order
    assert math.isclose(compute_pooled_variance(arrays, 0, 1, False).value, expected, rel_tol=1e-12, abs_tol=1e-300)


@given(GROUPS, st.integers(0, 99), st.integers(0, 99), st.floats(0, 1))
def test_no_replaced_record_moves_the_variance_further(groups, group, record, other):
    arrays = [np.array(group) for group in groups]
    before = compute_pooled_variance(arrays, 0, 1, False)
    target = arrays[group % len(arrays)]
    target[record % target.size] = other
    # rounding of the variances
    assert abs(compute_pooled_variance(arrays, 0, 1, False).value - before.value) <= before.bounded_sensitivity + 1e-14


@pytest.mark.slow
@given(st.lists(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=5), min_size=1, max_size=3))
def test_no_replaced_pair_moves_the_covariance_further(groups):
    arrays = [np.array(group) for group in groups]
    before = compute_pooled_covariance(arrays, (0, 1), (0, 1), False)
    for corner in itertools.product((0.0, 1.0), repeat=2):
        changed = [array.copy() for array in arrays]
        changed[0][0] = corner
        moved = compute_pooled_covariance(changed, (0, 1), (0, 1), False).value - before.value
        # rounding of the covariances
        assert abs(moved) <= before.bounded_sensitivity + 1e-14


@given(st.lists(st.integers(2, 9), min_size=1, max_size=6), st.booleans())
def test_the_unbounded_sensitivity_covers_a_replaced_record(sizes, approx):
    """So what holds for bounded neighbors holds with the unbounded scale as well."""
    arrays = [np.zeros((size, 2)) for size in sizes]
    exact = compute_pooled_covariance(arrays, (0, 1), (0, 1), False)
    claimed = compute_pooled_covariance(arrays, (0, 1), (0, 1), approx)
    assert math.isnan(claimed.unbounded_sensitivity) or claimed.unbounded_sensitivity >= exact.bounded_sensitivity
    variance = compute_pooled_variance([array[:, 0] for array in arrays], 0, 1, approx)
    exact_variance = compute_pooled_variance([array[:, 0] for array in arrays], 0, 1, False)
    assert (
        variance.unbounded_sensitivity >= exact_variance.bounded_sensitivity
        and claimed.bounded_sensitivity >= exact.bounded_sensitivity
    )


def test_clipping_comes_first():
    result = quiet(pooledVarDP, [-100.0, 100.0, 3.0], B, **BOUNDS, **GAUSS, rng=3)
    assert float(result) == float(quiet(pooledVarDP, [0.0, 5.0, 3.0], [0.3, 5.0, 2.2], **BOUNDS, **GAUSS, rng=3))


def test_frames_lists_and_matrices_are_the_same():
    frames = [pd.DataFrame(group, columns=["u", "v"]).assign(w="x") for group in (M, N)]
    expected = float(pooledCovDP(M, N, **BOUNDS2, rng=3))
    assert float(pooledCovDP(*frames, **BOUNDS2, rng=3)) == expected
    assert float(pooledCovDP(M.tolist(), N.tolist(), **BOUNDS2, rng=3)) == expected
    assert float(pooledCovDP(*(np.asfortranarray(group) for group in (M, N)), **BOUNDS2, rng=3)) == expected
    assert float(quiet(pooledVarDP, pd.Series(A), tuple(B), **BOUNDS, rng=3)) == float(
        quiet(pooledVarDP, np.reshape(A, (-1, 1)), B, **BOUNDS, rng=3)
    )


def test_the_data_are_not_modified():
    before, frame = M.copy(), pd.DataFrame(M)
    pooledCovDP(M, frame, **BOUNDS2)
    assert np.array_equal(M, before) and np.array_equal(frame, before)


# what holds


def test_redrawn_laplace_keeps_less():
    with pytest.warns(PrivacyWarning, match="pooledVarDP with Laplace noise repeats") as caught:
        result = pooledVarDP(A, B, **BOUNDS, rng=1)
    assert caught[0].message.row == "2" and len(caught) == 1
    assert result.guarantee.epsilon == truncated_positive_epsilon(1.0) and result.claim.epsilon == 1
    assert result.postprocessing == ("redrawn until positive",) and result.nobs == 8
    assert "the size of every group is public, and no record changes groups" in result.guarantee.conditions


def test_sound_releases_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pooledVarDP(A, B, **BOUNDS, **GAUSS).guarantee.epsilon == 1
        assert pooledCovDP(M, N, **BOUNDS2).guarantee.epsilon == 1


@pytest.mark.parametrize("which", ["unbounded", "both"])
def test_the_noise_scale_tells_n(which):
    for function, samples, bounds in ((pooledVarDP, (A, B), BOUNDS), (pooledCovDP, (M, N), BOUNDS2)):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = function(*samples, **bounds, which_sensitivity=which, **GAUSS, rng=1)
        rows = [each.message.row for each in caught if isinstance(each.message, PrivacyWarning)]
        # once for the call, also where it releases twice
        assert rows == ["5"]
        for each in result.values() if isinstance(result, DPResultsPair) else [result]:
            assert each.nobs is None and each.guarantee.neighbors == "bounded"
            assert any("reveals their number" in line for line in each.guarantee.conditions)


def test_both_is_one_release_or_two():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        with pytest.warns(UserWarning, match="one value is returned"):
            one = pooledVarDP(A, B, **BOUNDS, which_sensitivity="both", **GAUSS, rng=1)
    assert not isinstance(one, DPResultsPair)
    two = quiet(pooledVarDP, A[:2], B[:2], **BOUNDS, which_sensitivity="both", rng=1)
    assert isinstance(two, DPResultsPair) and two["Unbounded"].noise_scale > two["Bounded"].noise_scale
    pair = quiet(pooledCovDP, M, N, **BOUNDS2, which_sensitivity="both", rng=1)
    assert list(pair) == ["Bounded", "Unbounded"] and pair.guarantee.epsilon == 2.0
    assert pair.guarantee == compose_basic(pair.Bounded.guarantee, pair.Unbounded.guarantee)


def test_the_largest_group_can_stay_unknown():
    plain, approx = (quiet(pooledVarDP, A, B, **BOUNDS, approx_n_max=each, rng=1) for each in (False, True))
    assert plain.noise_scale == 25 * (1 - 1 / 5) / 6 and approx.noise_scale == 25 / 6
    assert approx.r_call.endswith("approx.n.max = TRUE)") and "sample1, sample2, eps" in approx.call


# what is refused


@pytest.mark.parametrize("samples", [(), ([1.0],), (A, [1.0]), (A, [1.0, math.nan]), (A, []), ([A, B],), (None,)])
def test_groups_of_no_use(samples):
    with refused_before_any_draw() as stream:
        quiet(pooledVarDP, *samples, **BOUNDS, rng=stream)


@pytest.mark.parametrize(
    "samples",
    [
        *[(), (A,), (M[:, :1],), (M, N[:1]), (M[:, :, None],)],
        *[({"a": 1},), ("ab",), ([[1, "a"], [2, "b"]],), (None,)],
    ],
)
def test_pairs_of_no_use(samples):
    with refused_before_any_draw() as stream:
        pooledCovDP(*samples, **BOUNDS2, rng=stream)


@pytest.mark.parametrize("which", ["unbounded", "both"])
def test_no_unbounded_sensitivity_stops_before_any_draw(which):
    for function, sample, bounds in ((pooledVarDP, [1.0, 2.0], BOUNDS), (pooledCovDP, M[:2], BOUNDS2)):
        with refused_before_any_draw("unbounded sensitivity is not finite") as stream:
            quiet(function, sample, **bounds, which_sensitivity=which, rng=stream)


def test_bounds_are_required_by_name():
    with pytest.raises(TypeError, match="upper_bound"):
        pooledVarDP(A, B, lower_bound=0)
