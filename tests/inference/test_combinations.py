"""Combinations of a regression's coefficients: tests, covariances and predictions in statsmodels' words."""

import copy
import pickle

import numpy as np
import pytest
import statsmodels.formula.api as smf

import pydpstat
from pydpstat.errors import PydpstatError
from pydpstat.results._hypotheses import parse_hypotheses

# noise that no digit shows
SURE = 1e8
BOUNDS = {"y": (-8.0, 12.0), "x": (1.0, 10.0), "z": (-4.0, 4.0)}
FORMULA = "y ~ x * z + C(g)"
NAMES = ["Intercept", "x", "z", "C(g)[T.b]", "C(g)[T.c]", "x:z"]


def fitted(frame, epsilon=SURE, formula=FORMULA, **own):
    usual = {"bounds": BOUNDS, "levels": {"g": ["a", "b", "c"]}, "rng": 1}
    return pydpstat.ols(formula, frame, epsilon, **{**usual, **own})


@pytest.fixture(scope="module")
def sure(frame):
    return fitted(frame)


@pytest.fixture(scope="module")
def known(frame):
    return smf.ols(FORMULA, frame).fit()


@pytest.mark.slow
def test_without_noise_covariances_are_those_of_least_squares(sure, known):
    wanted = known.cov_params().loc[sure.params.index, sure.params.index]
    found = sure.cov_params()
    # the noise of epsilon = 1e8 moves the seventh digit
    assert (found / wanted).to_numpy() == pytest.approx(1.0, abs=1e-5)
    assert np.sqrt(np.diag(found)) == pytest.approx(sure.bse.to_numpy(), rel=1e-9)
    assert sure.rsquared_adj == pytest.approx(known.rsquared_adj, abs=1e-6)
    assert "Adj. R-squared" in str(sure.summary())
    assert sure.tvalues.to_numpy() == pytest.approx((sure.params / sure.bse).to_numpy())


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["x = z", "C(g)[T.b] = C(g)[T.c]", "Intercept + 5*x = 1.4", "x + x:z = 0.3", "z"],
)
def test_without_privacy_a_contrast_is_the_t_test(sure, known, text):
    found, wanted = sure.t_test(text), known.t_test(text)
    frame = found.summary_frame()
    assert found.effect == pytest.approx(wanted.effect, abs=1e-4)
    assert found.sd == pytest.approx(np.ravel(wanted.sd), rel=0.01)
    assert found.statistic == pytest.approx(np.ravel(wanted.tvalue), rel=0.02, abs=0.01)
    # 4,096 draws tell a p-value to within 0.02, and a score test is a t test to within 1 / n
    assert found.pvalue == pytest.approx(np.ravel(wanted.pvalue), abs=0.02)
    assert found.conf_int() == pytest.approx(wanted.conf_int(), abs=0.1 * found.sd[0])
    assert frame.columns.tolist() == ["coef", "std err", "statistic", "p-value", "lower", "upper"]
    assert frame["p-value"].tolist() == found.pvalue.tolist() and text.split(" ")[0] in frame.index[0]
    low, high = found.conf_int()[0]
    inside = pickle.loads(pickle.dumps(found)).parts[0]
    assert inside.compute_pvalue(0.5 * (low + high)) > 0.5 and max(map(inside.compute_pvalue, (low, high))) < 0.07


@pytest.mark.slow
@pytest.mark.parametrize("own", [{}, {"mechanism": "gaussian", "delta": 1e-6}])
def test_a_coefficient_is_tested_alike_in_any_basis(frame, own):
    # noise that is a good part of the errors: the basis changes nothing but the floors of pivots
    fit = fitted(frame, 20.0, formula="y ~ x + z + C(g)", **own)
    for place in (0, 1, 3):
        part = fit._combinations.make_combination(2.0 * np.eye(len(fit.params))[place])
        assert part.estimate == pytest.approx(2.0 * fit.params.iloc[place], rel=1e-9)
        assert part.standard_error == pytest.approx(2.0 * fit.bse.iloc[place], rel=1e-9)
        # critical values of other draws, which tell them to within three in a hundred
        wanted = 2.0 * fit.conf_int().iloc[place]
        assert part.compute_limits(0.05) == pytest.approx(wanted, abs=0.15 * part.standard_error)
    b, c = "C(g)[T.b]", "C(g)[T.c]"
    # noise enters the standard error of a difference as that of the two coefficients together
    cov, sd = fit.cov_params(), fit.t_test(f"{b} = {c}").sd[0]
    assert sd**2 == pytest.approx(cov.loc[b, b] + cov.loc[c, c] - 2 * cov.loc[b, c], rel=1e-6)


@pytest.mark.slow
def test_several_hypotheses_are_tested_by_bonferroni(frame):
    fit = fitted(frame, formula="y ~ x + z", levels=None)
    joint = fit.wald_test("x = 0.3, z = 0")
    assert joint.pvalue == min(1.0, 2.0 * joint.parts.pvalue.min()) and "Bonferroni" in repr(joint)
    assert joint.parts.pvalue.tolist() == fit.t_test(["x = 0.3", "z = 0"]).pvalue.tolist()
    assert joint.statistic == np.abs(joint.parts.statistic).max()
    by_matrix = fit.f_test((np.eye(3)[1:], [0.3, 0.0]))
    assert by_matrix.pvalue == joint.pvalue and by_matrix.parts.names == ("x = 0.3", "z = 0")


@pytest.mark.slow
def test_a_joint_test_does_not_depend_on_how_its_hypothesis_is_written(frame):
    fit = fitted(frame, epsilon=5.0, formula="y ~ x + z + C(g)")
    b, c = "C(g)[T.b]", "C(g)[T.c]"
    plain = fit.wald_test(f"{b} = 0, {c} = 0")
    assert plain.parts.names == (f"{b} = 0", f"{c} = 0")
    for same in (
        f"{b} = {c} = 0",
        f"{c} = 0, {b} = 0",
        [f"2*{b} - 0.1*{c} = 0", f"{b}/3 + {c}/3 = 0", f"{b} + {c} = 0"],
        np.outer([1.0, 0.1], fit.params.index == b) + np.outer([1.0, -0.3], fit.params.index == c),
    ):
        found = fit.f_test(same)
        assert (found.pvalue, found.statistic) == (plain.pvalue, plain.statistic)
    assert fit.wald_test(f"x = z, z = 2*{b}").parts.names == (f"x - 2*{b} = 0", f"z - 2*{b} = 0")
    assert len(fit.t_test([f"{b} = {c}", f"{c} = {b}"]).names) == 2
    with pytest.raises(PydpstatError, match="contradict each other"):
        fit.wald_test(f"{b} = 1, 2*{b} = 3")


@pytest.mark.slow
def test_predictions_have_the_intervals_of_the_mean_response(frame, sure, known):
    new = frame[:3]
    found, wanted = sure.get_prediction(new).summary_frame(), known.get_prediction(new).summary_frame()
    assert found["mean"].to_numpy() == pytest.approx(wanted["mean"].to_numpy(), abs=1e-3)
    assert found["mean_se"].to_numpy() == pytest.approx(wanted["mean_se"].to_numpy(), rel=0.01)
    for name in ("mean_ci_lower", "mean_ci_upper"):
        assert found[name].to_numpy() == pytest.approx(wanted[name].to_numpy(), abs=0.01)
    assert found["mean"].to_numpy() == pytest.approx(sure.predict(new))


@pytest.mark.slow
def test_logistic_regressions_have_them_too(frame):
    data = frame.assign(y=frame.y > 1)
    fit = pydpstat.logit("y ~ x + z", data, 1e6, bounds={"x": BOUNDS["x"], "z": BOUNDS["z"]}, rng=1)
    known = smf.logit("y ~ x + z", data.assign(y=data.y.astype(int))).fit(disp=False)
    found, wanted = fit.t_test("x + z = 0"), known.t_test("x + z = 0")
    assert found.effect == pytest.approx(wanted.effect, abs=0.5 * found.sd[0])
    assert found.sd == pytest.approx(np.ravel(wanted.sd), rel=0.3)
    wanted = known.cov_params().loc["x", "z"]
    assert np.sign(fit.cov_params().loc["x", "z"]) == np.sign(wanted)
    table = fit.get_prediction(frame[:4]).summary_frame()
    assert table["mean"].to_numpy() == pytest.approx(fit.predict(frame[:4]))
    assert table.to_numpy().min() > 0.0 and table.to_numpy().max() < 1.0
    assert (table["mean_ci_lower"] < table["mean"]).all() and (table["mean"] < table["mean_ci_upper"]).all()


def test_what_the_noise_hides_has_no_estimate(frame):
    constant = frame.assign(z=1.0)
    fits = [pydpstat.ols("y ~ x + z", constant, 1.0, bounds=BOUNDS, rng=seed) for seed in range(10)]
    fit = next(each for each in fits if np.isinf(each.bse["z"]))
    found = fit.t_test("x = z")
    assert np.isnan(found.effect[0]) and np.isinf(found.sd[0]) and np.isinf(found.conf_int()).all()
    assert np.isnan(fit.cov_params().loc["z"]).all()
    assert np.isnan(fit.get_prediction({"x": [1.0], "z": [1.0]}).predicted_mean[0])


def test_ranks_have_no_combinations(frame):
    fit = pydpstat.ols("y ~ x + z", frame, 5.0, bounds=BOUNDS, method="rank", interval=True, rng=1)
    for ask in (fit.cov_params, lambda: fit.t_test("x = z"), lambda: fit.wald_test("x = z")):
        with pytest.raises(PydpstatError, match="each coefficient, but no linear combinations."):
            ask()


@pytest.mark.parametrize("name", ["fittedvalues", "resid", "get_influence", "aic", "bic", "llf", "prsquared"])
def test_what_would_be_the_data_is_refused_with_the_reason(sure, name):
    with pytest.raises(PydpstatError, match=f"{name}.*(has a number for each record|needs the likelihood)"):
        getattr(sure, name)
    assert not hasattr(sure, name) and name not in dir(sure)
    assert copy.copy(sure).names == sure.names
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sure.nothing


@pytest.mark.parametrize(
    ("given", "labels", "rows", "values"),
    [
        ("x = z", ["x = z"], [[0, 1, -1, 0, 0, 0]], [0]),
        ("2*(x - z)/4 = 1", ["2*(x - z)/4 = 1"], [[0, 0.5, -0.5, 0, 0, 0]], [1]),
        ("x = z = 1", ["x = z = 1"] * 2, [[0, 1, -1, 0, 0, 0], [0, 0, 1, 0, 0, 0]], [0, 1]),
        (
            "x:z, C(g)[T.b] = x + 1",
            ["x:z", "C(g)[T.b] = x + 1"],
            [[0] * 5 + [1], [0, -1, 0, 1, 0, 0]],
            [0, 1],
        ),
        (np.eye(6)[1], ["c0"], [[0, 1, 0, 0, 0, 0]], [0]),
        ((np.eye(6)[:2], [3, 4]), ["c0", "c1"], np.eye(6)[:2], [3, 4]),
    ],
)
def test_hypotheses_are_read(given, labels, rows, values):
    found = parse_hypotheses(given, NAMES)
    assert list(found.labels) == labels and found.matrix.tolist() == np.array(rows, dtype=float).tolist()
    assert found.values.tolist() == values


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("x * z = 0", "must have linear combinations of coefficients"),
        ("w = 0", "must have linear combinations of coefficients; got 'w = 0'. The coefficients are"),
        ("x1 = 0", "must have linear combinations"),
        ("__import__('os') = 0", "must have linear combinations"),
        ("1 / 0 = x", "must have linear combinations"),
        ("x = x", "must have coefficients in every hypothesis"),
        ("", "must have linear combinations"),
        ("-" * 90_000 + "x = 0", "must have linear combinations"),
        (np.eye(5), r"a column for each of the 6 coefficients; got the shape \(5, 5\)"),
        (np.full((1, 6), np.nan), "finite numbers"),
        ({"x": 1}, "r_matrix must be a string"),
    ],
)
def test_other_hypotheses_are_refused(given, said):
    with pytest.raises(PydpstatError, match=said):
        parse_hypotheses(given, NAMES)


@pytest.mark.slow
def test_combinations_do_not_depend_on_the_responses_unit(frame):
    bounds = {"y": (-8e4, 12e4), "x": BOUNDS["x"]}
    fit = fitted(frame.assign(y=1e4 * frame.y), 20.0, "y ~ x + C(g)", bounds=bounds)
    alone = fit.t_test(np.eye(4)).summary_frame()
    assert alone["std err"].to_numpy() == pytest.approx(fit.bse.to_numpy(), rel=1e-6)
    assert alone["coef"].to_numpy() == pytest.approx(fit.params.to_numpy(), rel=1e-6)
    covariances = fit.cov_params().to_numpy()
    sds = np.sqrt(np.diag(covariances))
    assert np.all(np.abs(covariances / np.outer(sds, sds)) < 1.0 + 1e-9)


def test_a_covariance_needs_the_errors_of_the_sum_and_of_the_difference(monkeypatch):
    x = np.linspace(0.0, 1.0, 400)
    fit = pydpstat.ols(0.2 + 0.5 * x, x, 5.0, bounds=[(-1, 2), (0, 1)], rng=1)
    for errors, expected in (([2.0, 1.0], 0.75), ([2.0, np.inf], np.nan), ([np.inf, 1.0], np.nan)):
        monkeypatch.setattr(type(fit), "_combine_coefficients", lambda *_, each=errors: ((), None, np.array(each)))
        # in units of both standard errors
        found = fit.cov_params().loc["const", "x1"] / (fit.bse["const"] * fit.bse["x1"])
        assert found == pytest.approx(expected, nan_ok=True)
