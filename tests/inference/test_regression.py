"""Linear regression: against statsmodels without noise, at its edges, and what it reads and refuses."""

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from levels import regression as levels
from scipy import stats

import pydpstat
from pydpstat._null_distributions.regression.score_tests import ScoreInterval
from pydpstat.errors import PydpstatError

# noise that no digit shows
SURE = 1e8
BOUNDS = {"y": (-8.0, 12.0), "x": (0.0, 10.0), "z": (-4.0, 4.0)}
LEVELS = {"g": ["a", "b", "c"], "h": [1, 2]}


def ols(formula, data, epsilon=1.0, **own):
    """Fit with the public facts of what the formula names."""
    bounds = {name: pair for name, pair in BOUNDS.items() if name in formula}
    levels = {name: each for name, each in LEVELS.items() if f"C({name})" in formula}
    return pydpstat.ols(formula, data, epsilon, **{"bounds": bounds, "levels": levels or None, "rng": 1, **own})


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(7)
    n = 400
    made = pd.DataFrame({"x": rng.uniform(0, 10, n), "z": rng.normal(size=n).clip(-4, 4)})
    made["g"] = rng.choice(["a", "b", "c"], n)
    made["h"] = rng.choice([1, 2], n)
    errors = rng.normal(size=n).clip(-3, 3)
    made["y"] = 0.3 * made.x - 0.2 * made.z + 0.5 * (made.g == "b") - 0.4 * (made.h == 2) + errors
    return made


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize(
    ("formula", "mechanism"),
    [
        ("y ~ x", {}),
        ("y ~ C(g)", {}),
        ("y ~ x + z + C(g) + C(h)", {}),
        ("y ~ x + z", {"mechanism": "gaussian", "delta": 1e-6}),
        ("y ~ x + C(g)", {"mechanism": "gaussian", "delta": 1e-6}),
    ],
)
def test_without_noise_it_is_least_squares(frame, formula, mechanism, neighbors):
    fit = ols(formula, frame, SURE, neighbors=neighbors, **mechanism)
    known = smf.ols(formula, frame).fit()
    assert set(fit.params.index) == set(known.params.index)
    # Laplace's noise is below 1e-6; normal noise falls with epsilon's root, and is below 1e-3 of 400 records
    near = 1e-3 if mechanism else 1e-5
    pd.testing.assert_series_equal(fit.params, known.params[fit.params.index], check_names=False, atol=near)
    assert fit.rsquared == pytest.approx(known.rsquared, abs=near)
    assert fit.scale == pytest.approx(known.scale, abs=near)
    assert fit.predict(frame[:5]) == pytest.approx(known.predict(frame[:5]).to_numpy(), abs=10 * near)
    # a score test, with the variance under the hypothesis and divisor n
    pd.testing.assert_series_equal(fit.bse, known.bse[fit.bse.index], check_names=False, rtol=0.02)
    assert (fit.nobs is None) == (neighbors == "unbounded")
    n, k = len(frame), len(fit.params)
    assert fit.rsquared_adj == pytest.approx(1.0 - (1.0 - fit.rsquared) * (n - 1) / (n - k), abs=1e-3)


@pytest.mark.parametrize("neighbors", ["bounded", "unbounded"])
@pytest.mark.parametrize(("n", "p"), [(10, 1), (12, 8), (20, 5), (200, 3)])
def test_standard_errors_divide_by_the_degrees_of_freedom(n, p, neighbors):
    rng = np.random.default_rng(n + p)
    x = rng.uniform(-1, 1, (n, p))
    y = 0.3 * x.mean(axis=1) + rng.uniform(-0.5, 0.5, n)
    fit = pydpstat.ols(y, x, 1e8, bounds=(-1, 1), neighbors=neighbors, rng=1)
    known = sm.OLS(y, sm.add_constant(x)).fit()
    # the noise of so large an epsilon, over the little that is left of a predictor
    assert fit.bse.to_numpy() == pytest.approx(known.bse, rel=1e-3)
    assert fit.tvalues.to_numpy() == pytest.approx(known.tvalues, rel=2e-3, abs=1e-3)
    assert fit.scale == pytest.approx(known.scale, rel=1e-3)
    row = np.eye(p + 1)[[-1]] + np.eye(p + 1)[[0]]
    assert fit.t_test(row).sd == pytest.approx(known.t_test(row).sd.ravel(), rel=1e-3)
    assert np.diag(fit.cov_params()) == pytest.approx(np.diag(known.cov_params()), rel=2e-3)


def test_standard_errors_of_levels_divide_by_the_degrees_of_freedom():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"x": rng.uniform(-1, 1, 24), "g": list("abcd") * 6})
    frame["y"] = 0.2 * frame.x + rng.uniform(-0.5, 0.5, 24)
    fit = pydpstat.ols("y ~ x + C(g)", frame, 1e8, bounds=(-1, 1), levels={"g": list("abcd")}, rng=1)
    known = smf.ols("y ~ x + C(g)", frame).fit()
    assert fit.bse[known.bse.index].to_numpy() == pytest.approx(known.bse.to_numpy(), rel=1e-4)
    assert fit.rsquared_adj == pytest.approx(max(known.rsquared_adj, 0.0), abs=1e-4)
    new = pd.DataFrame({"x": [0.1, -0.4], "g": ["a", "d"]})
    assert fit.get_prediction(new).se_mean == pytest.approx(known.get_prediction(new).se_mean, rel=1e-4)


def test_the_limit_without_privacy_is_the_t_test(frame):
    # what is left to draws is the errors' sum of squares, and a score test is a t test to within 1 / n
    fit = pydpstat.ols("y ~ x + z", frame, 1e6, bounds=BOUNDS, rng=1)
    known = smf.ols("y ~ x + z", frame).fit()
    for value in (-0.35, -0.3, -0.2, -0.15, -0.1):
        t = known.t_test(f"z = {value}").pvalue
        assert fit.test("z", value) == pytest.approx(float(t), abs=1e-4)
    # an end is where the statistic is at most 1 % beyond its critical value
    for alpha in (0.05, 0.5):
        off = np.abs(fit.conf_int(alpha) - known.conf_int(alpha)).max(axis=1)
        assert (off < 0.02 * known.bse).all()


def test_ranks_without_privacy_are_kendalls_test():
    x, y = np.random.default_rng(3).uniform(size=(2, 60))
    y += 0.3 * x
    for null in (0.0, 0.3):
        fit = pydpstat.ols(y, x, 1e6, bounds=(-1, 3), method="rank", null=null, rng=1)
        known = stats.kendalltau(x, y - null * x, method="exact")
        assert fit.pvalues["x1"] == fit.test("x1", null) == pytest.approx(known.pvalue, rel=1e-9)
    with pytest.raises(PydpstatError, match="value must be the one that was tested"):
        fit.test("x1", 0.0)


def test_the_simulated_releases_are_those_of_the_function():
    setting = {"law": "normal", "predictors": 2, "n": 200, "epsilon": 2.0}
    x, y = levels.records(setting, np.random.default_rng(1))
    fit = pydpstat.ols(y, x, 2.0, bounds=(-1, 1), rng=1)
    simulated = levels.noisy_moments(setting, np.random.default_rng(1))
    found = fit._intervals[1]
    assert isinstance(found, ScoreInterval)
    assert found.tests.noisy.noise.scale == pytest.approx(simulated.noise.scale, rel=1e-9)
    assert found.tests.noisy.blocks == simulated.blocks
    sure = pydpstat.ols(y, x, SURE, bounds=(-1, 1), rng=1)._intervals[1]
    quiet = levels.noisy_moments({**setting, "epsilon": SURE}, np.random.default_rng(1))
    assert sure.tests.noisy.matrix == pytest.approx(quiet.matrix, abs=1e-5)


def test_constant_predictors_are_said_to_be_hidden():
    y = np.linspace(-1, 1, 1000)
    fits = [pydpstat.ols(y, np.full(1000, 0.5), 1.0, bounds=(-1, 1), rng=seed) for seed in range(20)]
    hidden = [fit for fit in fits if math.isinf(fit.bse["x1"])]
    # what is left is noise, above its standard deviation about one time in six: three standard errors
    assert len(hidden) >= 12
    said = "that the other predictors do not explain: distant values cannot be ruled out"
    assert np.isinf(hidden[0].conf_int().loc["x1"]).all() and said in " ".join(hidden[0].remarks)
    twice = pydpstat.ols(y, np.column_stack([y, y]), 10.0, bounds=(-1, 1), rng=3)
    assert np.isinf(twice.conf_int().loc[["x1", "x2"]]).to_numpy().any(axis=1).all()


def test_ranks_without_intervals_have_tests_alone(frame):
    fit = ols("y ~ x + z", frame, method="rank")
    assert list(fit.pvalues.index) == ["x", "z"] and set(fit.validity) == {"model"}
    for ask in (lambda: fit.params, fit.conf_int, lambda: fit.predict(frame), lambda: fit.rsquared):
        with pytest.raises(PydpstatError, match="method"):
            ask()
    only = ols("y ~ x + z", frame, method="rank", coefficients="z")
    # the whole of epsilon, and half of the noise
    assert float(np.max(only.noise_scale)) < float(np.max(fit.noise_scale))


def test_containers_and_levels_are_read_alike(frame):
    wanted = ols("y ~ x + C(g)", frame).released
    assert ols("y ~ x + C(g)", {name: frame[name].tolist() for name in frame}).released == wanted
    declared = frame.assign(g=pd.Categorical(frame.g, ["a", "b", "c"]))
    fit = ols("y ~ x + C(g)", declared, levels="declared")
    assert fit.released == wanted and any("categories" in each for each in fit.guarantee.conditions)
    own = {"bounds": {"y": BOUNDS["y"], "x": BOUNDS["x"]}, "levels": {"g": LEVELS["g"]}, "rng": 1}
    plain = pydpstat.ols(frame.y, frame[["x", "g"]], 1.0, **own)
    assert plain.released == wanted and list(plain.params.index) == ["const", "x", "g[T.b]", "g[T.c]"]
    # what is no level counts as the reference
    assert ols("y ~ x + C(g)", frame.assign(g=frame.g.replace("a", "unheard of"))).released == wanted
    arrays = pydpstat.ols(frame.y.to_numpy(), frame[["x", "z"]].to_numpy(), 20.0, bounds=(-8, 12), rng=1)
    named = pydpstat.ols(frame.y, frame[["x", "z"]], 20.0, bounds=(-8, 12), rng=1)
    assert list(arrays.params.index) == ["const", "x1", "x2"]
    assert [value for _, value in arrays.released] == [value for _, value in named.released]
    assert arrays.predict([[1.0, 2.0]]) == pytest.approx(named.predict({"x": [1.0], "z": [2.0]}))


def test_missing_values_are_an_error_or_get_a_public_number_or_are_left_out(frame):
    gaps = frame.assign(x=frame.x.where(frame.x > 1), g=frame.g.where(frame.index % 7 > 0))
    with pytest.raises(PydpstatError, match="missing must say how to treat missing"):
        ols("y ~ x", gaps)
    assert ols("y ~ x", gaps, missing=3.0).released == ols("y ~ x", gaps.fillna({"x": 3.0})).released
    private, rest = {"neighbors": "unbounded"}, gaps.dropna(subset=["x", "g"])
    dropped = ols("y ~ x + C(g)", gaps, missing="drop", **private)
    assert len(rest) < 350 and dropped.released == ols("y ~ x + C(g)", rest, **private).released


def test_a_private_number_of_records_is_released_with_noise(frame):
    fit = ols("y ~ x", frame, neighbors="unbounded")
    assert fit.nobs is None and fit.guarantee.neighbors == "unbounded" and "400" not in str(fit.summary())
    (name, number), *_ = fit.released
    assert name == "number" and number != 400.0 and abs(number - 400.0) < 30.0
    # with tables it is the sum of their cells
    assert "number" not in dict(ols("y ~ x + C(g)", frame, neighbors="unbounded").released)
    # what one record can add is less than what one that is replaced can move
    assert float(np.max(fit.noise_scale)) < float(np.max(ols("y ~ x", frame).noise_scale))


def test_neighbors_are_the_budgets(frame):
    budget = pydpstat.Budget(1.0, neighbors="unbounded")
    assert ols("y ~ x", frame, 0.5, budget=budget).guarantee.neighbors == "unbounded"
    assert budget.spent.epsilon == pytest.approx(0.5)


def chunked(frame, size):
    """Return an iterator of a frame's records, so many at a time."""
    return iter([frame.iloc[start : start + size] for start in range(0, len(frame), size)])


def told(ask):
    """Return what a call shows of texts: the coefficients' names, or its message."""
    try:
        return list(ask().pvalues.index)
    except PydpstatError as error:
        return str(error)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("formula", "size", "kind"),
    [
        ("y ~ x + g", 100, object),
        ("y ~ x + C(g)", 400, "string"),
        ("y ~ x + C(g)", 100, object),
        (None, 100, object),
    ],
)
@pytest.mark.parametrize("levels", [None, "declared", [["a", "b", "c"]], {"g": ["a", "b", "c"]}, [[1, 2]]])
@pytest.mark.parametrize("fit", [pydpstat.ols, pydpstat.logit])
def test_one_text_in_a_chunk_changes_no_name_and_no_message(frame, fit, formula, levels, size, kind):
    data = frame[["y", "x", "g"]].astype({"g": kind})
    if fit is pydpstat.logit:
        data = data.assign(y=data.y > data.y.mean())
    others = data.assign(g=data.g.where(data.index != data.index[-1], "secret"))
    own = {
        "bounds": {name: BOUNDS[name] for name in "yx"[fit is pydpstat.logit :]},
        "levels": levels,
        "rng": 1,
    }

    def asked(records):
        if formula is None:
            return fit(records.y.to_numpy(), chunked(records[["x", "g"]], size), 1.0, **own)
        return fit(formula, chunked(records, size), 1.0, **own)

    one, other = (told(lambda: asked(records)) for records in (data, others))
    assert one == other and "secret" not in str(one)
    # texts of an engine's chunks have no categories that anybody declared
    assert isinstance(one, str) or levels not in (None, "declared")
    assert levels != {"g": ["a", "b", "c"]} or len(one) == 4


def test_chunks_are_read_like_a_frame(frame):
    wanted = ols("y ~ x + C(g)", frame)
    assert ols("y ~ x + C(g)", chunked(frame, 90)).released == wanted.released
    assert wanted.predict(chunked(frame, 50)) == pytest.approx(wanted.predict(frame))
    declared = frame.assign(g=pd.Categorical(frame.g, ["a", "b", "c"]))
    assert ols("y ~ x + g", chunked(declared, 90), levels="declared").released == wanted.released
    gaps = frame.assign(x=frame.x.where(frame.x > 1))
    filled = ols("y ~ x", chunked(gaps, 90), missing=3.0)
    assert filled.released == ols("y ~ x", gaps, missing=3.0).released
    with pytest.raises(PydpstatError, match="missing must say how to treat missing"):
        ols("y ~ x", chunked(gaps, 90))
    own = {"bounds": {"y": (-8, 12), "x": (0, 10)}, "rng": 1}
    split = pydpstat.ols(chunked(frame[["y"]], 90), chunked(frame[["x"]], 90), 1.0, **own)
    assert split.released == pydpstat.ols(frame.y, frame[["x"]], 1.0, **own).released
    with pytest.raises(PydpstatError, match="formula must be one variable; got 2 columns"):
        pydpstat.ols(chunked(frame[["y", "x"]], 90), frame[["z"]], 1.0, bounds=(-8, 12))


@pytest.mark.parametrize("last", [True, None, "no"])
def test_types_of_truth_values_in_lists_are_not_looked_at(frame, last):
    own = {"bounds": {"y": (-8, 12)}, "levels": {"g": ["no", "yes"]}, "missing": 0.0}
    records = {"y": frame.y.tolist(), "g": [True] * 399 + [last]}
    fit = pydpstat.ols("y ~ C(g)", iter([records]), 1.0, **own)
    assert list(fit.pvalues.index) == ["Intercept", "C(g)[T.yes]"]


@pytest.mark.slow
def test_many_predictors_that_the_noise_hides_have_whole_lines_without_warnings():
    # eliminating thirteen pivots that are noise overflows, which counts as large
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 12))
    fit = pydpstat.ols(5.0 + x[:, 0] + rng.normal(size=500), x, 1.0, bounds=(-1e3, 2e3), rng=1)
    assert (fit.pvalues == 1.0).sum() >= 6 and not fit.pvalues.isna().any()
    hidden = np.isinf(fit.bse)
    assert hidden.any() and np.isinf(fit.conf_int()[hidden]).to_numpy().all()


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ({"x": [np.nan], "g": ["a"]}, r"exog\['x'\] must be numbers, none missing"),
        ({"x": [1.0], "g": [None]}, r"exog\['g'\] must be levels among \['a', 'b', 'c'\], none missing"),
        ({"x": [1.0], "g": ["z"]}, r"exog\['g'\] must be levels among"),
    ],
)
def test_new_records_must_have_what_was_fitted(frame, new, said):
    fit = ols("y ~ x + C(g)", frame)
    assert fit.remarks[-1] == "Values that are none of the levels count as the reference: a of g."
    with pytest.raises(PydpstatError, match=said):
        fit.predict(new)
