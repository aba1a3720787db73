"""Logistic regression: sums of proven sensitivity, and what follows from them."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as formulas
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pydpstat
from pydpstat._null_distributions.logistic.logistic_cells import (
    MAX_SLOPE_SUM,
    evaluate_logistic,
    find_start_coefficients,
    fit_minimax_line,
    limit_slopes,
)
from pydpstat._null_distributions.logistic.logistic_equations import Scaling
from pydpstat._null_distributions.logistic.noisy_logit import LogitInference, get_triangle_pairs, unpack_symmetric
from pydpstat._null_distributions.simulation import DOWNWARD_SHAPE, UPWARD_SHAPE
from pydpstat.inference.logistic._logit_records import LogitRecords, unscale_moments, unscale_score
from pydpstat.inference.logistic.logit import fit_logit_model, split_epsilon
from pydpstat.inference.regression._design import read_regression
from pydpstat.mechanisms.mechanism import split_by_shares

DRAW = np.random.default_rng(11)
N = 4000
FRAME = pd.DataFrame({"x": DRAW.uniform(0.0, 10.0, N), "w": DRAW.normal(size=N), "g": DRAW.choice(["a", "b", "c"], N)})
ODDS = -2.0 + 0.5 * FRAME.x + 0.3 * FRAME.w + (FRAME.g == "b")
FRAME["y"] = DRAW.uniform(size=N) < 1.0 / (1.0 + np.exp(-ODDS))
ASKED = {"bounds": {"x": (0, 10), "w": (-5, 5)}, "levels": {"g": ["a", "b", "c"]}}
CENTER = np.array([0.4, -1.1, 0.8])


def records(y, z):
    """Records with predictors from -1 to 1."""
    z = np.atleast_2d(z)
    bounds = [(0, 1)] + [(-1, 1)] * z.shape[1]
    own = Scaling(np.zeros(z.shape[1]), np.ones(z.shape[1]))
    return LogitRecords(read_regression(np.atleast_1d(y).astype(float), z, bounds, None, "error"), own)


def query_moments(y, z):
    """The noiseless query of the moments of such records."""
    return records(y, z).make_moments_query()


def distance(one, other):
    """The L1 distance of two queries' exact values."""
    return sum(abs(a - b) for a, b in zip(one.exact, other.exact))


@pytest.mark.slow
@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_no_record_moves_the_moments_by_more_than_1(p):
    draw, worst = np.random.default_rng(p), Fraction(0)
    reach = query_moments(0, np.zeros(p)).sensitivities[0]
    assert 1 < reach < 1 + Fraction(1, 10**8)
    for turn in range(300):
        z, other = draw.uniform(-1.0, 1.0, (2, p))
        if turn % 2:
            # the proof's worst records: responses differ, predictors are at an end and in the middle
            z, other = np.ones(p), draw.choice([0.0, 1.0, -1.0], p)
        y = draw.integers(0, 2, 2)
        worst = max(worst, distance(query_moments(y[0], z), query_moments(y[1], other)))
    assert worst <= reach
    # half of X = p / 2 or (p + 2) / 2 is among the middles and ends of an even p, and next to it else
    ends = np.where(np.arange(p) < p // 2, -1.0, 1.0)
    tight = [
        distance(query_moments(1, np.ones(p)), query_moments(0, np.where(np.arange(p) < k, 0.0, 1.0)))
        for k in range(p + 1)
    ]
    tight.append(distance(query_moments(1, np.ones(p)), query_moments(0, ends)))
    assert max(tight) > 0.97


@pytest.mark.parametrize("p", [1, 2, 4])
def test_no_record_moves_the_scores_by_more_than_1(p):
    draw, worst = np.random.default_rng(p), Fraction(0)
    center = draw.uniform(-2.0, 2.0, p + 1)
    reach = float(np.abs(center[1:]).sum())
    line = fit_minimax_line(center[0] - reach, center[0] + reach)
    corners = [np.sign(center[1:]), -np.sign(center[1:])]
    for _ in range(200):
        z = corners[draw.integers(2)] * draw.choice([1.0, 0.5, 0.0]) if draw.random() < 0.5 else None
        one, other = draw.uniform(-1.0, 1.0, (2, p)) if z is None else (z, draw.uniform(-1.0, 1.0, p))
        worst = max(
            worst,
            distance(records(0, one).make_score_query(center, line), records(1, other).make_score_query(center, line)),
        )
    assert 0.1 < worst <= 1
    # a line far too near is no way around it: addends are cut
    near = line._replace(max_error=1e-9, max_weight_error=1e-9)
    assert (
        distance(
            records(0, corners[0]).make_score_query(center, near),
            records(0, -corners[0]).make_score_query(center, near),
        )
        <= 1
    )


def test_sums_without_noise_are_those_of_the_records():
    z, y = DRAW.uniform(-1.0, 1.0, (500, 2)), DRAW.integers(0, 2, 500)
    given_, v = records(y, z), np.column_stack([np.ones(500), z])
    found = unscale_moments(given_.make_moments_query().value, 0.0, 500, 2)
    # every addend is rounded to 2^-30
    assert found.response == pytest.approx(v.T @ (y - 0.5), abs=500 * 2.0**-30)
    assert unpack_symmetric(found.products, 3) == pytest.approx(v.T @ v, abs=500 * 2.0**-30)
    line, s = fit_minimax_line(-3.0, 3.0), evaluate_logistic(v @ CENTER)
    left, informed, _, _ = unscale_score(given_.make_score_query(CENTER, line).value, 0.0, line, 3)
    assert left == pytest.approx(v.T @ (s - 0.5 - line.level - line.slope * (v @ CENTER)), abs=1e-5)
    expected = (v * (s * (1.0 - s) - line.weight)[:, None]).T @ v
    assert unpack_symmetric(informed, 3) == pytest.approx(expected, abs=1e-5)


def test_a_record_is_placed_by_itself():
    y, z = DRAW.integers(0, 2, 300), DRAW.uniform(-1.0, 1.0, (300, 3))
    one, line = records(y, z), fit_minimax_line(-3.0, 3.0)
    center = np.array([0.1, 1.0, -1.0, 0.5])
    order = DRAW.permutation(300)
    other = records(y[order], z[order])
    assert one.make_moments_query().exact == other.make_moments_query().exact
    assert one.make_score_query(center, line).exact == other.make_score_query(center, line).exact


@given(st.floats(1e-3, 100.0))
def test_shares_are_no_more_than_epsilon(epsilon):
    for n in (1, 10**6):
        shares = split_epsilon(epsilon, n, 2)
        assert sum(map(Fraction, shares)) <= Fraction(epsilon) and min(shares) > 0.0
    assert math.fsum(split_by_shares(epsilon, (0.5, 0.5))) == pytest.approx(epsilon, rel=1e-12)


def test_normal_predictors_are_where_it_starts():
    draw = np.random.default_rng(3)
    z = draw.multivariate_normal([0.1, -0.2], [[0.09, 0.03], [0.03, 0.06]], 400_000)
    y = draw.random(400_000) < evaluate_logistic(-0.7 + z @ [2.0, -3.0])
    joint = (z - z.mean(0)).T @ (y - y.mean()) / len(y)
    found = find_start_coefficients(len(y), y.mean(), z.mean(0), np.cov(z.T), joint, 1e-6)
    # four standard errors of so many records
    assert found == pytest.approx([-0.7, 2.0, -3.0], abs=0.12)


def test_coefficients_are_cut_about_the_predictors_mean():
    b, mean = np.array([9.0, 5.0, -5.0]), np.array([-0.9, 0.2])
    cut = limit_slopes(b, mean)
    assert cut[1:].tolist() == [3.0, -3.0] and cut[0] + mean @ cut[1:] == pytest.approx(b[0] + mean @ b[1:])
    # an intercept far from the middle of the bounds is none far from the predictors
    assert limit_slopes(np.array([-9.0, -4.0, 0.0]), mean).tolist() == [-9.0, -4.0, 0.0]
    assert limit_slopes(np.array([-90.0, 5.0, -5.0]), mean)[0] == -2.0 * MAX_SLOPE_SUM


@pytest.mark.parametrize("shape, sign", [(UPWARD_SHAPE, 1.0), (DOWNWARD_SHAPE, -1.0)])
def test_the_most_skewed_linear_predictor_reaches_an_end(shape, sign):
    mean, covariance = np.array([1.0, 0.2, -0.3]), np.array([[0.09, 0.02], [0.02, 0.16]])
    moments = 100.0 * np.outer(mean, mean)
    moments[1:, 1:] += 100.0 * covariance
    scales = (np.zeros(6),) * 4
    law = LogitInference(CENTER, np.zeros(3), np.eye(3), moments, 100.0, fit_minimax_line(-3.0, 3.0), *scales)
    points, masses = law._make_predictor_points(shape)
    assert points[0] == pytest.approx(CENTER[0] + sign * (1.1 + 0.8))
    assert masses.sum() == pytest.approx(1.0) and masses @ points == pytest.approx(mean @ CENTER)
    variance = CENTER[1:] @ covariance @ CENTER[1:]
    assert masses @ (points - mean @ CENTER) ** 2 == pytest.approx(variance, rel=1e-6)


@pytest.mark.slow
def test_without_noise_it_is_that_of_statsmodels():
    r = pydpstat.logit("y ~ x + w + C(g)", FRAME, 1e7, **ASKED, rng=1)
    m = formulas.logit("y ~ x + w + C(g)", FRAME.assign(y=FRAME.y.astype(int))).fit(disp=0)
    names = list(r.names)
    error = m.bse[names]
    # one step more of Newton's would be 0.01 standard errors
    assert ((r.params - m.params[names]).abs() < 0.03 * error).all()
    assert r.bse.to_numpy() == pytest.approx(error.to_numpy(), rel=0.02)
    # score intervals beside Wald's
    assert r.conf_int().to_numpy() == pytest.approx(m.conf_int().loc[names], abs=0.06 * error.max())
    assert r.predict(FRAME.head()) == pytest.approx(m.predict(FRAME.head()), abs=2e-3)
    assert r.test("x", r.params["x"]) > 0.95 and r.test("x", 0.0) == r.pvalues["x"] < 1e-30
    assert r.nobs == N and r.validity["w"] == "measured" and r.summary(0.1).as_text()


@pytest.mark.slow
def test_without_noise_few_records_have_the_score_test():
    from statsmodels.api import GLM, families

    draw, apart = np.random.default_rng(107), []
    for _ in range(60):
        x, y = draw.uniform(-1.0, 1.0, 100), draw.random(100) < 0.5
        own = stats.norm.isf(0.5 * pydpstat.logit(y, x, 1e6, bounds=(-1, 1), rng=1).pvalues["x1"])
        null = GLM(y.astype(float), np.ones(100), family=families.Binomial()).fit()
        if not hasattr(null, "score_test"):
            pytest.skip("statsmodels before 0.14 has no score test")
        apart.append(own - stats.norm.isf(0.5 * float(np.squeeze(null.score_test(exog_extra=x[:, None])[1]))))
    # the information is that of the fit, moved to the hypothesis for normal predictors
    assert np.abs(apart).max() < 0.1


@pytest.mark.slow
def test_of_few_ones_nothing_is_said():
    x = np.linspace(-1.0, 1.0, 200)
    few = np.isin(np.arange(200), np.linspace(5, 190, 8).astype(int))
    many = np.random.default_rng(1).random(200) < evaluate_logistic(-2.0 + 4.0 * x)
    for y, told in ((few, False), (many, True)):
        r = pydpstat.logit(y, x, 1e6, bounds=(-1, 1), rng=1)
        assert (r.pvalues["x1"] < 0.05) == told and np.isinf(r.conf_int().loc["x1"]).all() != told
        assert ("too few records of a response" in str(r.remarks)) != told


@pytest.mark.parametrize("ones", [8, 60])
def test_where_a_predictor_separates_the_responses_there_is_no_estimate(ones):
    r = pydpstat.logit(np.arange(200) >= 200 - ones, np.linspace(-1, 1, 200), 1e6, bounds=(-1, 1), rng=1)
    assert "There is no estimate of const, x1" in str(r.remarks)
    assert np.isnan(r.params["x1"]) and np.isinf([r.bse["x1"], *r.conf_int().loc["x1"]]).all()
    assert r.pvalues["x1"] == 1.0


def test_arrays_are_a_formula_without_words():
    one = pydpstat.logit("y ~ x + w", FRAME, 2.0, bounds={"x": (0, 10), "w": (-5, 5)}, rng=1)
    other = pydpstat.logit(FRAME.y, FRAME[["x", "w"]], 2.0, bounds=[(0, 10), (-5, 5)], rng=1)
    y = FRAME.y.to_numpy()
    third = pydpstat.logit(y, FRAME[["x", "w"]].to_numpy(), 2.0, bounds=[(0, 10), (-5, 5)], rng=1)
    assert one.params.tolist() == other.params.tolist() == third.params.tolist()
    assert list(one.params.index) == ["Intercept", "x", "w"]
    assert list(third.params.index) == ["const", "x1", "x2"]
    single = pydpstat.logit(FRAME.y, FRAME.x, 2.0, bounds=(0, 10), rng=1)
    named = pydpstat.logit(FRAME.y, FRAME[["x"]], 2.0, bounds={"x": (0, 10)}, rng=1)
    assert single.params.tolist() == named.params.tolist()


@pytest.mark.slow
def test_the_unit_of_a_predictor_is_nothing_but_a_unit():
    one = pydpstat.logit(FRAME.y, FRAME.x, 2.0, bounds=(0, 10), rng=1)
    other = pydpstat.logit(FRAME.y, 1000.0 * FRAME.x, 2.0, bounds=(0, 10_000), rng=1)
    assert other.params["x"] * 1000.0 == pytest.approx(one.params["x"], rel=1e-6)
    assert other.pvalues["x"] == pytest.approx(one.pvalues["x"], rel=1e-4)
    ends = other.conf_int().loc["x"].to_numpy() * 1000.0
    assert ends == pytest.approx(one.conf_int().loc["x"].to_numpy(), rel=1e-4)


def test_collinear_predictors_have_no_ends():
    both = np.column_stack([FRAME.x, FRAME.x])
    r = pydpstat.logit(FRAME.y, both, 1.0, bounds=(0, 10), rng=1)
    assert np.isinf(r.conf_int().loc["x1":].to_numpy()).all() and (r.pvalues["x1":] > 0.05).all()
    few = pydpstat.logit(FRAME.y[:30], FRAME[["x", "w"]][:30], 0.1, bounds=[(0, 10), (-5, 5)], rng=1)
    assert (few.pvalues == 1.0).all() and np.isinf(few.bse).all() and "The release is uninformative" in few.remarks[0]


def simulated(n, b, epsilon, draw, spread):
    """What a release says of uniform predictors; `spread` multiplies the noise, not what is known of it."""
    return released(draw.uniform(-1.0, 1.0, (n, len(b) - 1)), b, epsilon, draw, spread)


def released(z, b, epsilon, draw, spread):
    """What a release says of these predictors."""
    n, p, d = len(z), len(b) - 1, len(b)
    y = draw.random(n) < evaluate_logistic(b[0] + z @ b[1:])
    own, shares = records(y, z), split_epsilon(epsilon, n, p)

    def noisy(query, share):
        return query.value + spread * draw.laplace(0.0, 1.0 / share, query.value.size), 1.0 / share

    assert len(get_triangle_pairs(d)) == d * (d + 1) // 2
    return fit_logit_model(own, shares, noisy)


@pytest.mark.slow
def test_true_coefficients_are_rejected_as_often_as_stated():
    draw, b = np.random.default_rng(4), np.array([-1.0, 2.0])

    def rejected(spread, runs):
        laws = [simulated(500, b, 1.0, draw, spread) for _ in range(runs)]
        return [sum(law.compute_pvalue(np.eye(2)[place], b[place]) <= 0.05 for law in laws) for place in (0, 1)]

    # three standard errors of 100 runs, whose false alarm is 0.3 %; the seed is fixed
    assert max(rejected(1.0, 100)) <= 100 * (0.05 + 3.0 * math.sqrt(0.05 * 0.95 / 100))
    # where three times as much noise was added as is known, more often: 60 runs at 0.05 have more than 10
    # with a probability of 1 in 3,000
    assert rejected(3.0, 60)[1] > 10
    # and where next to nothing was, hardly ever: fewer than 2 of 100 runs once in 27 times
    assert rejected(0.05, 100)[1] < 2


NARROW = {
    "near a bound": lambda draw, n: draw.exponential(0.05, n) - 1.0,
    "rare level": lambda draw, n: np.where(draw.random(n) < 0.03, 1.0, -1.0),
    "mixture": lambda draw, n: np.where(
        draw.random(n) < 0.02, draw.uniform(-1.0, 1.0, n), 0.02 * np.abs(draw.standard_normal(n)) - 1.0
    ),
}
# the intercept is far from what is expected at 0; the steps do not arrive; no shape has the information
HARD = [
    ("near a bound", (-3.0, 1.0), 2000, 1000.0),
    ("rare level", (-2.1, 2.0), 2000, 20.0),
    ("mixture", (-3.5, 0.0), 5000, 1000.0),
]


@pytest.mark.slow
@pytest.mark.parametrize("name, b, n, epsilon", HARD)
def test_slopes_of_predictors_in_a_part_of_their_bounds_are_not_rejected_more_often(name, b, n, epsilon):
    draw, found = np.random.default_rng(5), 0
    for _ in range(100):
        z = np.clip(NARROW[name](draw, n), -1.0, 1.0)[:, None]
        found += released(z, np.array(b), epsilon, draw, 1.0).compute_pvalue(np.eye(2)[1], b[1]) <= 0.05
    # three standard errors of 100 runs
    assert found <= 11


@pytest.mark.parametrize("shape", [UPWARD_SHAPE, DOWNWARD_SHAPE])
def test_the_score_of_a_predictor_of_two_values_moves_as_the_skewed_shapes_say(shape):
    draw, step = np.random.default_rng(12), np.array([0.3, -0.5])
    z = np.where(draw.random((5000, 1)) < 0.3, 1.0, -1.0)
    law = released(z, np.array([0.0, 4.0]), 1.0, draw, 0.0)
    v = np.column_stack([np.ones(5000), z])
    before, after = evaluate_logistic(v @ law.center), evaluate_logistic(v @ (law.center + step))
    linear = ((v @ step) ** 2 * before * (1.0 - before)).sum()
    moved, informed = law._compute_curvature(step, shape)
    # moments are rounded to 2^-30 of a record
    assert moved == pytest.approx(((v @ step) * (after - before)).sum() / linear, rel=1e-6)
    along = ((v @ step) ** 2 * after * (1.0 - after)).sum() / linear
    assert informed == pytest.approx(
        max(along, (after * (1.0 - after)).sum() / (before * (1.0 - before)).sum()), rel=1e-6
    )


@pytest.mark.parametrize("ratio, finite", [(1.01, True), (0.99, False), (-1.01, False)])
def test_a_standard_error_needs_information_of_three_standard_deviations_of_its_noise(ratio, finite):
    line, zero, scale = fit_minimax_line(-3.0, 3.0), np.zeros(1), np.array([7.0])
    # a constant alone, whose information has Laplace noise; one below 0 is none
    information = np.array([[ratio * 3.0 * math.sqrt(2.0) * 7.0]])
    law = LogitInference(zero, zero, information, np.array([[100.0]]), 100.0, line, zero, zero, zero, scale)
    assert math.isfinite(law.compute_standard_error(np.ones(1))) == finite


def test_curvature_is_counted_in_standard_deviations_of_the_noisy_score():
    n, center, step, scale = 400.0, 0.7, 0.9, 3.0
    before, after = evaluate_logistic([center, center + step])
    weight, zero = before * (1.0 - before), np.zeros(1)
    information = np.array([[n * weight]])
    scales = np.array([scale]), zero, zero, zero
    line = fit_minimax_line(-3.0, 3.0)
    law = LogitInference(np.array([center]), step * information[0], information, np.array([[n]]), n, line, *scales)
    assert law.estimate == pytest.approx([center + step])
    # of a constant alone: the score changes by n (s(after) - s(before)), and its variance is that of y and of the noise
    missed, variance = n * (weight * step - (after - before)), n * weight + 2.0 * scale**2
    assert law.curvature_shift == pytest.approx(missed / math.sqrt(variance), rel=1e-6)


@pytest.mark.slow
def test_intervals_have_what_is_not_rejected():
    law = simulated(2000, np.array([-0.5, 1.0]), 1.0, np.random.default_rng(9), 1.0)
    assert isinstance(law, LogitInference)
    assert law.information @ (law.estimate - law.center) == pytest.approx(law.score, rel=1e-9)
    slope = np.array([0.0, 1.0])
    low, high = law.compute_limits(slope, 0.05)
    assert law.compute_pvalue(slope, low) == pytest.approx(0.05, abs=1e-3)
    assert law.compute_pvalue(slope, high) == pytest.approx(0.05, abs=1e-3)
    wider = law.compute_limits(slope, 1e-6)
    assert wider[0] < low < law.estimate[1] < high < wider[1]
    # a sum of coefficients has an interval, too, and half of it half of that
    both = np.array([1.0, 1.0])
    ends = law.compute_limits(both, 0.05)
    assert ends[0] < law.estimate.sum() < ends[1]
    assert law.compute_pvalue(both, ends[1]) == pytest.approx(0.05, abs=1e-3)
    assert law.compute_limits(0.5 * both, 0.05) == pytest.approx((0.5 * ends[0], 0.5 * ends[1]), rel=1e-3)
