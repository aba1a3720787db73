"""The moments' release: values, sensitivity and what follows."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pydpstat as dp
from pydpstat._release.statistic import options
from pydpstat.inference._moment_release import places, reach, weighted, weights
from pydpstat.statistics._kernels.record_grid import BITS, standard_grid, sums

X = np.linspace(20.0, 60.0, 500)


def test_with_next_to_no_noise_moments_are_those_of_the_data():
    r = dp.moments(X, 1e8, bounds=(0, 100), rng=1)
    assert r.mean == pytest.approx(X.mean(), abs=1e-6)
    assert r.var == pytest.approx(X.var(ddof=1), abs=1e-4)
    assert r.std == pytest.approx(X.std(ddof=1), abs=1e-5)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
@pytest.mark.parametrize("columns", [1, 3])
def test_the_matrix_has_the_sums_of_products(columns, mechanism, neighbors):
    data = np.random.default_rng(1).uniform(-1, 1, size=(200, columns))
    delta = 1e-6 if mechanism == "gaussian" else 0
    r = dp.moments(data, 1e9, bounds=(-1, 1), mechanism=mechanism, delta=delta, neighbors=neighbors, rng=1)
    full = np.column_stack([np.ones(200), data])
    # seven standard deviations of the noise, below 0.001, and the grid's rounding
    assert r.noise_sd.max() < 1.5e-4
    assert (np.abs(r.matrix - full.T @ full) <= 7 * r.noise_sd + 200 * 2.0**-40).all()
    assert (r.matrix == r.matrix.T).all() and (r.noise_sd == r.noise_sd.T).all()
    assert (r.nobs == 200) == (neighbors == "bounded") == (r.noise_sd[0, 0] == 0.0)
    for place, known in enumerate(r.sums, start=1):
        assert known.sums == pytest.approx(tuple(r.matrix[[0, 0, place], [0, place, place]]))
        mixed = np.sqrt(known.unit_variance * np.square(np.array(known.noise)).sum(axis=1))
        expected = [r.noise_sd[0, 0], r.noise_sd[0, place], r.noise_sd[place, place]]
        assert mixed == pytest.approx(expected)


def vector(record: tuple[int, ...], how) -> np.ndarray:
    """What one record, in grid units, adds to the weighted sums."""
    grid = standard_grid(-1.0, 1.0)
    columns = [np.array([z * grid.unit]) for z in record]
    found = sums(columns, [grid] * len(record), "error", places(len(record)))
    exact, _ = weighted(found, len(record), how)
    return np.array(exact, dtype=object)


def moved(one: tuple[int, ...], other: tuple[int, ...] | None, how) -> Fraction:
    """How far replacing a record, or adding one, moves the weighted sums; squared for the L2 norm."""
    change = vector(one, how) if other is None else vector(one, how) - vector(other, how)
    return sum((abs(each) for each in change), Fraction(0)) if how.norm == 1 else sum(change * change)


UNITS = 1 << BITS
CORNERS = (-UNITS, 0, UNITS, UNITS // 2, -UNITS // 2, 618 * UNITS // 1000, 3, UNITS - 1)
NOISES = (("laplace", 0.0), ("gaussian", 1e-6))


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize(("mechanism", "delta"), NOISES)
@given(st.data())
@settings(max_examples=60, deadline=None)
def test_no_record_moves_the_sums_by_more_than_the_sensitivity(mechanism, delta, neighbors, data):
    how = options(1.0, delta, mechanism, neighbors, "error")
    variables = data.draw(st.integers(1, 3))
    value = st.one_of(st.sampled_from(CORNERS), st.integers(-UNITS, UNITS))
    one, other = (data.draw(st.tuples(*[value] * variables)) for _ in range(2))
    most = reach(variables, how)
    change = moved(one, other if how.bounded else None, how)
    assert change <= (most if how.norm == 1 else most * most)


@pytest.mark.parametrize("variables", [1, 2, 3, 4])
def test_a_search_over_records_finds_the_whole_sensitivity(variables):
    how = options(1.0, 0, "laplace", "bounded", "error")
    rng = np.random.default_rng(variables)
    best = Fraction(0)
    for _ in range(300):
        one, other = (tuple(int(rng.choice([-UNITS, 0, UNITS])) for _ in range(variables)) for _ in range(2))
        best = max(best, moved(one, other, how))
    # exactly 1 at records of corners: 10 % less noise would not cover it
    assert best == 1
    assert reach(variables, how) - 1 < Fraction(1, 1 << 36)


def test_the_least_favorable_pair_of_one_variable_needs_the_whole_gaussian_sensitivity():
    how = options(1.0, 1e-6, "gaussian", "bounded", "error")
    assert moved((UNITS,), (-UNITS,), how) == 1
    # and next to the golden ratio the square takes part
    golden = round((2 * 0.618034 - 1) * UNITS)
    x = Fraction(618034, 10**6)
    assert moved((UNITS,), (UNITS - 2 * int(x * UNITS),), how) > Fraction(99, 100)
    assert abs(golden) < UNITS


def test_the_sum_has_the_noise_of_a_mean_released_alone():
    r = dp.moments(X, 2.0, bounds=(0, 100), rng=1)
    alone = dp.mean(X, 2.0, bounds=(0, 100), rng=1)
    # a mean's scale is (upper - lower) / (n epsilon); the sum of z is in units of 50
    assert r.sums[0].noise[1][0] * 50 / 500 == pytest.approx(alone.noise_scale, rel=1e-9)
    assert weights(1, 1, True) == (0, Fraction(1, 2), Fraction(1, 2), Fraction(1, 4), 1)


def test_all_follows_from_one_payment():
    budget = dp.Budget(1.0)
    r = dp.moments(X, 1.0, bounds=(0, 100), rng=1, budget=budget)
    r.ttest(40), r.conf_int(0.9), r.ttest(39, alternative="less"), r.mean
    with pytest.raises(dp.BudgetExceeded):
        dp.moments(X, 0.1, bounds=(0, 100), rng=1, budget=budget)
    assert r.ttest(35) == r.ttest(35) or r.ttest(35).pvalue == r.ttest(35).pvalue


def test_columns_are_tested_by_name():
    frame = pd.DataFrame({"x": X, "y": X[::-1] / 2})
    r = dp.moments(frame, 50.0, bounds={"x": (0, 100), "y": (0, 50)}, rng=1)
    assert r.mean["x"] == pytest.approx(40.0, abs=2) and r.mean["y"] == pytest.approx(20.0, abs=1)
    assert r.ttest(20, column="y").pvalue > 0.05 > r.ttest(30, column="x").pvalue
    with pytest.raises(dp.PydpstatError, match="column must be"):
        r.ttest(20)
    with pytest.raises(dp.PydpstatError, match="column must be None"):
        dp.moments(X, 1.0, bounds=(0, 100), rng=1).conf_int(column="x")


def test_results_are_pickled_shown_and_withhold_the_data():
    r = dp.moments(X, 1.0, bounds=(0, 100), rng=1)
    again = pickle.loads(pickle.dumps(r))
    assert again.mean == r.mean and again.conf_int() == r.conf_int()
    assert json.loads(json.dumps(r.to_dict()))["nobs"] == 500
    page = r.summary().as_text()
    assert "Laplace" in page and "epsilon 1" in page and "ttest" in page
    assert repr(r).startswith("<MomentsResults: ")


def test_gaussian_noise_wins_for_many_columns():
    data = np.zeros((100, 6))
    laplace = dp.moments(data, 1.0, bounds=(-1, 1), rng=1).noise_sd
    gaussian = dp.moments(data, 1.0, bounds=(-1, 1), mechanism="gaussian", delta=1e-6, rng=1).noise_sd
    assert gaussian[0, 1] < laplace[0, 1] and gaussian[1, 1] < laplace[1, 1]


@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("value", [-100.0, 0.5, 1e300])
def test_few_and_clipped_records_give_numbers(n, value):
    for neighbors in ("bounded", "unbounded"):
        r = dp.moments(np.full(n, value), 0.001, bounds=(0, 1), neighbors=neighbors, rng=1)
        assert 0 <= r.mean <= 1 and 0 <= r.std < 2


def test_wrong_arguments_are_named():
    with pytest.raises(dp.PydpstatError, match="data must have at least 1 record"):
        dp.moments([], 1.0, bounds=(0, 1))
    with pytest.raises(dp.PydpstatError, match="mechanism must be"):
        dp.moments(X, 1.0, bounds=(0, 1), mechanism="staircase")
    with pytest.raises(dp.PydpstatError, match="popmean must be"):
        dp.moments(X, 1.0, bounds=(0, 100), rng=1).ttest(101)
    with pytest.raises(dp.PydpstatError, match="level must be"):
        dp.moments(X, 1.0, bounds=(0, 100), rng=1).conf_int(1.0)
