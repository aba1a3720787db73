"""Standard errors for errors of any variances: influences within their reach, levels, and what is refused."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from levels import regression as levels
from statsmodels.formula.api import ols as least_squares

import pydpstat as dp
from pydpstat._null_distributions.regression.noisy_moments import NoisyMoments, make_moment_matrix
from pydpstat._null_distributions.regression.score_tests import ScoreTests
from pydpstat.errors import PydpstatError
from pydpstat.inference.regression._design import Predictor, Regression, RegressionDesign
from pydpstat.inference.regression._regression_moments import Influences, MomentLayout, make_influence_query

BOUNDS = {"y": (-30.0, 30.0), "x": (-20.0, 20.0), "z": (-4.0, 4.0)}
KNOWN = {"bounds": BOUNDS, "levels": {"g": list("abc")}}
FORMULA = "y ~ x + z + C(g)"


@pytest.fixture(scope="module")
def far() -> pd.DataFrame:
    """Predictors far out, and errors that vary with them."""
    rng, n = np.random.default_rng(3), 4000
    x = (2.0 * rng.standard_t(3, n)).clip(-20.0, 20.0)
    z, g = rng.normal(size=n).clip(-4.0, 4.0), rng.choice(list("abc"), n)
    y = 1.0 + 0.5 * z + (g == "b") + rng.normal(size=n) * (0.5 + np.abs(x))
    return pd.DataFrame({"x": x, "z": z, "g": g, "y": y.clip(-30.0, 30.0)})


def test_without_noise_they_are_those_of_statsmodels(far):
    ours = dp.ols(FORMULA, far, 1e7, **KNOWN, cov_type="HC3", rng=1)
    theirs = least_squares(FORMULA, far).fit(cov_type="HC3")
    # the noise of 1e7, and p-values' share of variances that are larger, are less than that
    np.testing.assert_allclose(ours.bse[theirs.bse.index], theirs.bse, rtol=1e-3)
    plain = least_squares(FORMULA, far).fit()
    assert ours.bse["x"] > 2.0 * plain.bse["x"]


def _influences(noise: float, seed: int, size: int = 40) -> tuple[RegressionDesign, Influences]:
    """Influences at a noisy release of two numbers and a variable with three levels."""
    rng = np.random.default_rng(seed)
    predictors = (
        *(Predictor(name, name, (-1.0, 1.0), None) for name in ("x", "z")),
        Predictor("g", "g", None, ("a", "b", "c")),
    )
    design = RegressionDesign("y", (-1.0, 1.0), predictors, "const")
    layout = MomentLayout.from_design(design)
    blocks = layout.make_blocks(math.inf)
    numbers = sum(block.size for block in blocks)
    v = np.column_stack([np.ones(size), rng.uniform(-1, 1, (size, 2)), np.zeros((size, 2))])
    code = rng.integers(0, 3, size)
    v[:, 3], v[:, 4] = code == 1, code == 2
    v = np.column_stack([v, rng.uniform(-1, 1, size)])
    mechanism = layout.mechanism.calibrate_vector(1.0, 0.0, 1.0, numbers, False)
    drawn = noise * rng.standard_normal(numbers)
    matrix = v.T @ v + make_moment_matrix(drawn, blocks, layout.width)
    matrix[0, 0] = size
    return design, Influences.from_release(NoisyMoments(matrix, blocks, mechanism, np.zeros(4)), layout)


def _ask(design: RegressionDesign, at: Influences, y: list[float], x: list[list[float]], g: list[int]) -> tuple:
    columns = (*(np.array(each) for each in x), np.array(g))
    regression = Regression(design, np.array(y), columns)
    return make_influence_query(regression, design, at, (np.zeros(4), np.ones(4)), True).exact


@pytest.mark.parametrize("noise", [0.0, 2.0, 50.0])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_record_is_beyond_the_reach_and_a_corner_comes_near_it(noise, seed):
    _, at = _influences(noise, seed)
    corners = np.array(list(itertools.product((-1.0, 1.0), (-1.0, 1.0), (0, 1, 2), (-1.0, 1.0))))
    x, z, g, y = corners.T
    columns = np.array([np.ones(len(x)), x, z, g == 1.0, g == 2.0])
    # reach is the largest |a'x| of any corner times the largest residual that its leverage allows
    largest = np.abs(at.forms @ columns).max(axis=1)
    residual = 1.0 + min(np.abs(at.center @ columns).max(), 1.0)
    np.testing.assert_allclose(at.max_influence, largest * residual / (1.0 - at.leverage), rtol=1e-12)
    found = np.array(list(at.iterate_squares(y, list(columns))))
    assert found.max() <= 1.0 and (found >= 0.0).all()
    leverages = np.einsum("kr,kl,lr->r", columns, at.inverse, columns)
    assert at.leverage == 0.5 or leverages.max() <= at.leverage * (1.0 + 1e-12)


_record = st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1), st.integers(0, 2))


@given(_record, _record, st.lists(_record, max_size=6), st.sampled_from([0.0, 2.0, 50.0]))
@settings(max_examples=60)
def test_a_record_moves_no_sum_by_more_than_one(first, second, others, noise):
    design, at = _influences(noise, 1)
    sums = []
    for records in ([first, *others], [second, *others], others):
        y, x, z, g = map(list, zip(*records)) if records else ([], [], [], [])
        sums.append(_ask(design, at, y, [x, z], g))
    replaced, other, removed = sums
    for one, two, rest in zip(replaced, other, removed):
        assert one.denominator <= 2**30 and abs(one - two) <= 1 and 0 <= one - rest <= 1


def test_where_records_stand_does_not_matter(far):
    how = {**KNOWN, "cov_type": "HC3", "rng": 1}
    # beyond one chunk of records
    long = pd.concat([far] * 20)
    whole = dp.ols(FORMULA, long, 1.0, **how)
    turned = dp.ols(FORMULA, long[::-1], 1.0, **how)
    assert whole.released == turned.released


@pytest.mark.slow
@pytest.mark.parametrize("law", ["far out", "heteroscedastic"])
def test_the_level_holds_where_that_of_one_variance_does_not(law):
    name, runs = f"robust, {law}, 1 predictors, n 20000, epsilon 1", 60
    setting = next(each for each in levels.SETTINGS if each["name"] == name)
    # of a level of 0.05 that is above three standard errors
    most = runs * (0.05 + 3.0 * math.sqrt(0.05 * 0.95 / runs))
    assert levels.rejections(setting, runs, 1) <= most
    assert levels.rejections({**setting, "method": "moments", "epsilon": 5.0}, runs, 1) > most


@pytest.mark.slow
def test_a_sum_of_influences_that_is_too_small_is_noticed():
    setting = {"method": "robust", "law": "far out", "predictors": 1, "n": 20000, "epsilon": 20.0}
    rng, hits, runs = np.random.default_rng(2), [0, 0], 60
    for _ in range(runs):
        noisy = levels.noisy_moments(setting, rng)
        hits[0] += levels.rejected(noisy, 1, 0.0)
        hits[1] += levels.rejected(replace(noisy, sampling=noisy.sampling / 4.0), 1, 0.0)
    # three standard errors of a level of 0.05
    assert hits[0] <= runs * (0.05 + 3.0 * math.sqrt(0.05 * 0.95 / runs)) < hits[1]


def test_the_simulated_release_is_the_functions_own():
    rng = np.random.default_rng(5)
    setting = {"method": "robust", "law": "heteroscedastic", "predictors": 2, "n": 3000, "epsilon": 3.0}
    errors = []
    for seed in range(12):
        x, y = levels.records(setting, rng)
        data = pd.DataFrame({"y": y, "x1": x[:, 0], "x2": x[:, 1]})
        fit = dp.ols("y ~ x1 + x2", data, 3.0, bounds=(-1, 1), cov_type="HC3", rng=seed)
        noisy = levels.noisy_moments(setting, rng)
        errors.append((fit.bse["x1"], ScoreTests(noisy, np.ones(3), np.zeros(3)).compute_estimates()[1][1]))
    ours, simulated = np.log(np.array(errors)).mean(axis=0)
    # the standard deviation of a mean of 12 logarithms is below 0.05
    assert abs(ours - simulated) < 0.2


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize("noise", [{}, {"mechanism": "gaussian", "delta": 1e-6}])
def test_both_parts_are_paid_for_at_once(far, noise, neighbors):
    budget, delta = dp.Budget(1.0, noise.get("delta", 0.0), neighbors=neighbors), noise.get("delta", 0.0)
    fit = dp.ols(FORMULA, far, 1.0, **KNOWN, **noise, cov_type="HC3", budget=budget)
    assert (fit.guarantee.epsilon, fit.guarantee.delta) == (1.0, delta) and np.isfinite(fit.bse["z"])
    assert budget.remaining.epsilon == 0.0 and len(budget.entries) == 1
    names = [name for name, _ in fit.released]
    assert names[-5:] == [f"influence({name}^2)" for name in fit.params.index]
    with pytest.raises(PydpstatError, match="budget"):
        dp.ols(FORMULA, far, 0.1, **KNOWN, cov_type="HC3", budget=budget)


@pytest.mark.slow
def test_p_values_and_intervals_agree(far):
    fit = dp.ols(FORMULA, far, 2.0, **KNOWN, cov_type="HC3", rng=4)
    assert fit.pvalue_floor == 0.001 + 9.9e-7
    low, high = fit.conf_int().loc["z"]
    width = high - low
    for end, outwards in ((low, -1.0), (high, 1.0)):
        assert fit.test("z", end + 0.05 * outwards * width) <= 0.05
        assert fit.test("z", end - 0.05 * outwards * width) >= 0.05
    # variances that are larger are left out with 0.001: nothing is rejected at less
    assert np.isinf(fit.conf_int(0.0005)).to_numpy().all()


def test_a_level_without_records_is_left_out(far):
    fit = dp.ols(FORMULA, far, 3.0, bounds=BOUNDS, levels={"g": list("abcd")}, cov_type="HC3", rng=1)
    assert np.isinf(fit.bse["C(g)[T.d]"]) and np.isfinite(fit.bse["C(g)[T.b]"])


@pytest.mark.slow
def test_it_says_what_it_rests_on_and_what_it_has_not(far):
    fit = dp.ols(FORMULA, far, 2.0, **KNOWN, cov_type="HC3", rng=4)
    text = str(fit.summary())
    assert "moments, HC3" in text and "possibly heteroscedastic" in text and "cov_type='HC3'" in text
    with pytest.raises(PydpstatError, match="cov_type='nonrobust'"):
        fit.t_test("x = z")
