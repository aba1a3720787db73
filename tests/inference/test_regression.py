"""Linear regression: against statsmodels without noise, at its edges, and what it reads and refuses."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from levels import regression as levels

import pydpstat
from pydpstat.errors import PydpstatError
from pydpstat.inference._null_distributions.score_tests import ScoreInterval

# noise that no digit shows
SURE = 1e8
BOUNDS = {"y": (-8.0, 12.0), "x": (0.0, 10.0), "z": (-4.0, 4.0)}
LEVELS = {"g": ["a", "b", "c"], "h": [1, 2]}


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
@pytest.mark.parametrize("mechanism", [{}, {"mechanism": "gaussian", "delta": 1e-6}])
@pytest.mark.parametrize(
    "formula", ["y ~ x", "y ~ x + z", "y ~ C(g)", "y ~ x + C(g)", "y ~ x + z + C(g) + C(h)"]
)
def test_without_noise_it_is_least_squares(frame, formula, mechanism, neighbors):
    used = {name: pair for name, pair in BOUNDS.items() if name in formula}
    public = {name: each for name, each in LEVELS.items() if f"C({name})" in formula}
    own = {"bounds": used, "levels": public or None, "neighbors": neighbors, **mechanism}
    fit = pydpstat.ols(formula, frame, SURE, **own, rng=1)
    known = smf.ols(formula, frame).fit()
    assert set(fit.params.index) == set(known.params.index)
    # Laplace's noise is below 1e-6; normal noise falls with epsilon's root, and is below 1e-3 of 400 records
    near = 1e-3 if mechanism else 1e-5
    pd.testing.assert_series_equal(fit.params, known.params[fit.params.index], check_names=False, atol=near)
    assert fit.rsquared == pytest.approx(known.rsquared, abs=near)
    assert fit.scale == pytest.approx(known.scale, abs=near)
    new = frame[:5]
    assert fit.predict(new) == pytest.approx(known.predict(new).to_numpy(), abs=10 * near)
    # a score test, with the variance under the hypothesis and divisor n
    pd.testing.assert_series_equal(fit.bse, known.bse[fit.bse.index], check_names=False, rtol=0.02)


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
    from scipy.stats import kendalltau

    rng = np.random.default_rng(3)
    x, y = rng.uniform(size=(2, 60))
    y += 0.3 * x
    fit = pydpstat.ols(y, x, 1e6, bounds=(-1, 3), method="rank", rng=1)
    assert fit.pvalues["x1"] == pytest.approx(kendalltau(x, y, method="exact").pvalue, rel=1e-9)
    fit = pydpstat.ols(y, x, 1e6, bounds=(-1, 3), method="rank", null=0.3, rng=1)
    assert fit.pvalues["x1"] == pytest.approx(kendalltau(x, y - 0.3 * x, method="exact").pvalue, rel=1e-9)
    assert fit.test("x1", 0.3) == fit.pvalues["x1"]
    with pytest.raises(PydpstatError, match="value must be the one that was tested"):
        fit.test("x1", 0.0)


def test_the_simulated_releases_are_those_of_the_function():
    setting = {"law": "normal", "predictors": 2, "n": 200, "epsilon": 2.0}
    x, y = levels.records(setting, np.random.default_rng(1))
    fit = pydpstat.ols(y, x, 2.0, bounds=(-1, 1), rng=1)
    simulated = levels.noisy_moments(setting, np.random.default_rng(1))
    found = fit.intervals[1]
    assert isinstance(found, ScoreInterval)
    noisy = found.tests.noisy
    assert noisy.noise.scale == pytest.approx(simulated.noise.scale, rel=1e-9)
    assert noisy.blocks == simulated.blocks
    sure = pydpstat.ols(y, x, SURE, bounds=(-1, 1), rng=1).intervals[1]
    quiet = levels.noisy_moments({**setting, "epsilon": SURE}, np.random.default_rng(1))
    assert sure.tests.noisy.matrix == pytest.approx(quiet.matrix, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.001, 100.0])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("how", ["constant", "outside", "collinear", "one level", "random"])
def test_edges_give_whole_lines_and_never_nan(n, epsilon, how):
    rng = np.random.default_rng(n)
    x, y = rng.uniform(-1, 1, (n, 2)), rng.uniform(-1, 1, n)
    if how == "constant":
        x, y = np.full((n, 2), 0.5), np.full(n, 0.25)
    elif how == "outside":
        x, y = x + 9.0, y - 9.0
    elif how == "collinear":
        x[:, 1] = x[:, 0]
    data = {"y": y, "a": x[:, 0], "b": x[:, 1], "g": ["u"] * n}
    bounds = {"y": (-1, 1), "a": (-1, 1), "b": (-1, 1)}
    own = {"bounds": bounds, "levels": {"g": ["u", "v"]} if how == "one level" else None, "rng": 5}
    formula = "y ~ a + C(g)" if how == "one level" else "y ~ a + b"
    if how == "one level":
        del bounds["b"]
    ways = {"neighbors": "unbounded"}, {}, {"cov_type": "HC3"}, {"method": "rank", "interval": True}
    for method in (*ways, {**ways[0], **ways[2]}):
        if not n and "neighbors" not in method:
            continue
        fit = pydpstat.ols(formula, data, epsilon, **own, **method)
        ends = fit.conf_int()
        told = [fit.bse, fit.tvalues, fit.pvalues, ends.stack(), fit.conf_int(1e-6).stack()]
        assert not any(each.isna().any() for each in told)
        # an estimate is missing where nothing is known, and nowhere else
        assert (fit.params.isna() == np.isinf(fit.bse)).all()
        assert fit.pvalues.between(0.0, 1.0).all() and (ends[0] <= ends[1]).all()
        assert pickle.loads(pickle.dumps(fit)).released == fit.released
        if n == 2:
            assert "nan" not in str(fit.summary())
        if epsilon == 0.001:
            # the noise is thousands of times the data
            assert np.isinf(ends.loc["a"]).any()


def test_constant_predictors_are_said_to_be_hidden():
    y = np.linspace(-1, 1, 1000)
    fits = [pydpstat.ols(y, np.full(1000, 0.5), 1.0, bounds=(-1, 1), rng=seed) for seed in range(20)]
    hidden = [fit for fit in fits if math.isinf(fit.bse["x1"])]
    # what is left is noise, above its standard deviation about one time in six: three standard errors
    assert len(hidden) >= 12
    for fit in hidden[:3]:
        assert np.isinf(fit.conf_int().loc["x1"]).all()
        assert any(
            "that the other predictors do not explain: distant values cannot be ruled out" in each
            for each in fit.remarks
        )
    twice = np.column_stack([y, y])
    fit = pydpstat.ols(y, twice, 10.0, bounds=(-1, 1), rng=3)
    assert np.isinf(fit.conf_int().loc[["x1", "x2"]]).to_numpy().any(axis=1).all()


def test_intervals_of_lower_levels_are_inside(frame):
    for method in ({}, {"method": "rank", "interval": True}):
        fit = pydpstat.ols("y ~ x + z", frame, 20.0, bounds=BOUNDS, rng=2, **method)
        wide, narrow = fit.conf_int(0.01), fit.conf_int(0.2)
        assert (wide[0] <= narrow[0]).all() and (narrow[1] <= wide[1]).all()


@pytest.mark.parametrize(
    ("own", "said"),
    [
        (
            {"neighbors": "unbounded", "method": "rank"},
            "neighbors must be 'bounded' for a regression by ranks",
        ),
        ({"missing": "drop"}, "missing must not be 'drop' with neighbors 'bounded'"),
        ({"bounds": {"y": (0, 1)}}, "bounds must name every column"),
        ({"bounds": [(0, 1)]}, "bounds must be one pair, or one for each"),
        ({"method": "lasso"}, "method must be one of"),
        ({"coefficients": "x"}, "left out with method 'moments'"),
        ({"method": "rank", "coefficients": "w"}, "coefficients must be names of slopes"),
        ({"method": "rank", "mechanism": "gaussian", "delta": 1e-6}, "mechanism must be one of"),
        ({"levels": {"w": [1, 2]}}, "levels must be of columns of the model"),
        ({"levels": {"x": [1]}}, "must be two or more"),
        ({"null": math.inf}, "null must be a finite number"),
        ({"missing": 99.0}, "within the bounds"),
    ],
)
def test_what_is_refused_says_what_to_do(frame, own, said):
    with pytest.raises(PydpstatError, match=said):
        pydpstat.ols("y ~ x + z", frame, 1.0, **{"bounds": BOUNDS, **own})


def test_ranks_without_intervals_have_tests_alone(frame):
    fit = pydpstat.ols("y ~ x + z", frame, 1.0, bounds=BOUNDS, method="rank", rng=1)
    assert list(fit.pvalues.index) == ["x", "z"] and set(fit.validity) == {"model"}
    for ask in (lambda: fit.params, fit.conf_int, lambda: fit.predict(frame), lambda: fit.rsquared):
        with pytest.raises(PydpstatError, match="method"):
            ask()
    only = pydpstat.ols("y ~ x + z", frame, 1.0, bounds=BOUNDS, method="rank", coefficients="z", rng=1)
    # the whole of epsilon, and half of the noise
    assert float(np.max(only.noise_scale)) < float(np.max(fit.noise_scale))


def test_containers_and_levels_are_read_alike(frame):
    by_name = {"bounds": {"y": (-8, 12), "x": (0, 10)}, "levels": {"g": LEVELS["g"]}, "rng": 1}
    wanted = pydpstat.ols("y ~ x + C(g)", frame, 1.0, **by_name).released
    columns = {name: frame[name].tolist() for name in frame}
    assert pydpstat.ols("y ~ x + C(g)", columns, 1.0, **by_name).released == wanted
    declared = frame.assign(g=pd.Categorical(frame.g, ["a", "b", "c"]))
    shared = {**by_name, "levels": "declared"}
    fit = pydpstat.ols("y ~ x + C(g)", declared, 1.0, **shared)
    assert fit.released == wanted and any("categories" in each for each in fit.guarantee.conditions)
    plain = pydpstat.ols(frame.y, frame[["x", "g"]], 1.0, **by_name)
    assert plain.released == wanted and list(plain.params.index) == ["const", "x", "g[T.b]", "g[T.c]"]
    # what is no level counts as the reference
    other = frame.assign(g=frame.g.replace("a", "unheard of"))
    assert pydpstat.ols("y ~ x + C(g)", other, 1.0, **by_name).released == wanted
    arrays = pydpstat.ols(frame.y.to_numpy(), frame[["x", "z"]].to_numpy(), 20.0, bounds=(-8, 12), rng=1)
    named = pydpstat.ols(frame.y, frame[["x", "z"]], 20.0, bounds=(-8, 12), rng=1)
    assert [value for _, value in arrays.released] == [value for _, value in named.released]
    assert arrays.predict([[1.0, 2.0]]) == pytest.approx(named.predict({"x": [1.0], "z": [2.0]}))


def test_missing_values_are_an_error_or_get_a_public_number(frame):
    gaps = frame.assign(x=frame.x.where(frame.x > 1))
    own = {"bounds": {"y": (-8, 12), "x": (0, 10)}, "rng": 1}
    with pytest.raises(PydpstatError, match="missing must say how to treat missing"):
        pydpstat.ols("y ~ x", gaps, 1.0, **own)
    filled = pydpstat.ols("y ~ x", gaps, 1.0, **own, missing=3.0)
    assert filled.released == pydpstat.ols("y ~ x", gaps.fillna(3.0), 1.0, **own).released


def test_a_private_number_of_records_is_released_with_noise(frame):
    own = {"bounds": {"y": (-8, 12), "x": (0, 10)}, "neighbors": "unbounded", "rng": 1}
    fit = pydpstat.ols("y ~ x", frame, 1.0, **own)
    assert (
        fit.nobs is None and fit.guarantee.neighbors == "unbounded" and "400" not in fit.summary().as_text()
    )
    (name, number), *_ = fit.released
    assert name == "number" and number != 400.0 and abs(number - 400.0) < 30.0
    # with tables it is the sum of their cells
    tables = pydpstat.ols("y ~ x + C(g)", frame, 1.0, **own, levels={"g": LEVELS["g"]})
    assert "number" not in dict(tables.released)
    # what one record can add is less than what one that is replaced can move
    public = pydpstat.ols("y ~ x", frame, 1.0, **{**own, "neighbors": "bounded"})
    assert float(np.max(fit.noise_scale)) < float(np.max(public.noise_scale))


def test_neighbors_are_the_budgets(frame):
    budget = pydpstat.Budget(1.0, neighbors="unbounded")
    fit = pydpstat.ols("y ~ x", frame, 0.5, bounds={"y": (-8, 12), "x": (0, 10)}, budget=budget)
    assert fit.guarantee.neighbors == "unbounded" and budget.spent.epsilon == pytest.approx(0.5)


def test_records_that_miss_a_variable_are_left_out(frame):
    gaps = frame.assign(x=frame.x.where(frame.x > 1), g=frame.g.where(frame.index % 7 > 0))
    own = {"bounds": {"y": (-8, 12), "x": (0, 10)}, "levels": {"g": LEVELS["g"]}, "neighbors": "unbounded"}
    dropped = pydpstat.ols("y ~ x + C(g)", gaps, 1.0, **own, missing="drop", rng=1)
    rest = gaps.dropna(subset=["x", "g"])
    assert len(rest) < 350
    assert dropped.released == pydpstat.ols("y ~ x + C(g)", rest, 1.0, **own, rng=1).released


def test_a_budget_is_charged_once(frame):
    budget = pydpstat.Budget(1.0)
    pydpstat.ols("y ~ x", frame, 0.25, bounds={"y": (-8, 12), "x": (0, 10)}, budget=budget)
    pydpstat.ols(frame.y, frame.x, 0.5, bounds=(-8, 12), method="rank", interval=True, budget=budget)
    assert budget.spent.epsilon == pytest.approx(0.75)


def test_arrays_have_the_constant_that_statsmodels_adds():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=(100, 2))
    y = x @ [0.3, 0.2] + 0.1
    known = sm.OLS(y, sm.add_constant(x)).fit()
    fit = pydpstat.ols(y, x, SURE, bounds=(0, 1), rng=1)
    assert list(fit.params.index) == ["const", "x1", "x2"]
    assert fit.params.to_numpy() == pytest.approx(known.params, abs=1e-4)


def chunked(frame, size):
    """Return an iterator of a frame's records, so many at a time."""
    return iter([frame.iloc[start : start + size] for start in range(0, len(frame), size)])


def told(ask):
    """Return what a call shows of texts: the coefficients' names, or its message."""
    try:
        return list(ask().pvalues.index)
    except PydpstatError as error:
        return str(error)


@pytest.mark.parametrize("kind", [object, "string"])
@pytest.mark.parametrize("size", [100, 400])
@pytest.mark.parametrize("levels", [None, "declared", [["a", "b", "c"]], {"g": ["a", "b", "c"]}, [[1, 2]]])
@pytest.mark.parametrize("formula", ["y ~ x + g", "y ~ x + C(g)", None])
@pytest.mark.parametrize("fit", [pydpstat.ols, pydpstat.logit])
def test_one_text_in_a_chunk_changes_no_name_and_no_message(frame, fit, formula, levels, size, kind):
    data = frame[["y", "x", "g"]].iloc[:400].astype({"g": kind})
    if fit is pydpstat.logit:
        data = data.assign(y=data.y > data.y.mean())
    others = data.assign(g=data.g.where(data.index != data.index[-1], "secret"))
    bounds = {"x": (0, 10)} if fit is pydpstat.logit else {"y": (-8, 12), "x": (0, 10)}
    own = {"bounds": bounds, "levels": levels, "rng": 1}

    def asked(records):
        if formula is None:
            return fit(records.y.to_numpy(), chunked(records[["x", "g"]], size), 1.0, **own)
        return fit(formula, chunked(records, size), 1.0, **own)

    one, other = (told(lambda: asked(records)) for records in (data, others))
    assert one == other and "secret" not in str(one)
    # texts of an engine's chunks have no categories that anybody declared
    assert isinstance(one, str) or levels not in (None, "declared")
    if levels == {"g": ["a", "b", "c"]}:
        assert len(one) == 4


def test_chunks_are_read_like_a_frame(frame):
    own = {"bounds": {"y": (-8, 12), "x": (0, 10)}, "rng": 1}
    levels = {"g": ["a", "b", "c"]}
    wanted = pydpstat.ols("y ~ x + C(g)", frame, 1.0, levels=levels, **own)
    found = pydpstat.ols("y ~ x + C(g)", chunked(frame, 90), 1.0, levels=levels, **own)
    assert found.released == wanted.released
    declared = frame.assign(g=pd.Categorical(frame.g, ["a", "b", "c"]))
    shared = pydpstat.ols("y ~ x + g", chunked(declared, 90), 1.0, levels="declared", **own)
    assert shared.released == wanted.released
    gaps = frame.assign(x=frame.x.where(frame.x > 1))
    filled = pydpstat.ols("y ~ x", chunked(gaps, 90), 1.0, missing=3.0, **own)
    assert filled.released == pydpstat.ols("y ~ x", gaps, 1.0, missing=3.0, **own).released
    with pytest.raises(PydpstatError, match="missing must say how to treat missing"):
        pydpstat.ols("y ~ x", chunked(gaps, 90), 1.0, **own)
    assert wanted.predict(chunked(frame, 50)) == pytest.approx(wanted.predict(frame))
    response, rest = chunked(frame[["y"]], 90), chunked(frame[["x"]], 90)
    split = pydpstat.ols(response, rest, 1.0, **own)
    assert split.released == pydpstat.ols(frame.y, frame[["x"]], 1.0, **own).released
    with pytest.raises(PydpstatError, match="formula must be one variable; got 2 columns"):
        pydpstat.ols(chunked(frame[["y", "x"]], 90), frame[["z"]], 1.0, bounds=(-8, 12))


def test_types_of_truth_values_in_lists_are_not_looked_at(frame):
    own = {"bounds": {"y": (-8, 12)}, "levels": {"g": ["no", "yes"]}, "rng": 1}
    y = frame.y.tolist()
    for last in (True, None, "no"):
        g = [True] * (len(y) - 1) + [last]
        fit = pydpstat.ols("y ~ C(g)", iter([{"y": y, "g": g}]), 1.0, missing=0.0, **own)
        assert list(fit.pvalues.index) == ["Intercept", "C(g)[T.yes]"]


def test_many_predictors_that_the_noise_hides_have_whole_lines_without_warnings():
    # eliminating thirteen pivots that are noise overflows, which counts as large
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 12))
    fit = pydpstat.ols(5.0 + x[:, 0] + rng.normal(size=500), x, 1.0, bounds=(-1e3, 2e3), rng=1)
    assert (fit.pvalues == 1.0).sum() >= 6 and not fit.pvalues.isna().any()
    hidden = np.isinf(fit.bse)
    assert hidden.any() and np.isinf(fit.conf_int()[hidden]).to_numpy().all()


def test_a_logistic_regression_needs_bounds_of_numbers_and_its_response_none():
    rng = np.random.default_rng(1)
    x, g = rng.uniform(0, 100, 500), rng.choice(["a", "b"], 500)
    data = pd.DataFrame({"y": rng.random(500) < 0.5, "x": x, "z": x[::-1], "g": g})
    levels = {"levels": {"g": ["a", "b"]}, "rng": 1}
    assert list(pydpstat.logit("y ~ C(g)", data, 1.0, **levels).params.index) == ["Intercept", "C(g)[T.b]"]
    for formula, own, said in (
        ("y ~ x + C(g)", levels, "bounds must be a pair"),
        ("y ~ x + z", {"bounds": {"x": (0, 100)}}, r"it lacks 'z', for the columns \['x', 'z'\]"),
        ("y ~ x + z", {"bounds": [(0, 100)]}, r"each numeric variable of the data, \['x', 'z'\]; got 1"),
    ):
        with pytest.raises(PydpstatError, match=said):
            pydpstat.logit(formula, data, 1.0, **own)


def test_new_records_must_have_what_was_fitted(frame):
    public = {"bounds": {"y": (-8, 12), "x": (0, 10)}, "levels": {"g": ["a", "b", "c"]}, "rng": 1}
    fit = pydpstat.ols("y ~ x + C(g)", frame, 1.0, **public)
    assert fit.remarks[-1] == "Values that are none of the levels count as the reference: a of g."
    for new, said in (
        ({"x": [np.nan], "g": ["a"]}, r"exog\['x'\] must be numbers, none missing"),
        ({"x": [1.0], "g": [None]}, r"exog\['g'\] must be levels among \['a', 'b', 'c'\], none missing"),
        ({"x": [1.0], "g": ["z"]}, r"exog\['g'\] must be levels among"),
    ):
        with pytest.raises(PydpstatError, match=said):
            fit.predict(new)


def test_r_squared_is_adjusted_by_the_noisy_number_of_records(frame):
    public = {"bounds": {"y": (-8, 12), "x": (0, 10)}, "levels": {"g": ["a", "b", "c"]}, "rng": 1}
    fits = [
        pydpstat.ols("y ~ x + C(g)", frame, 1e6, neighbors=each, **public)
        for each in ("bounded", "unbounded")
    ]
    assert fits[1].nobs is None and 0.0 < fits[1].rsquared_adj < fits[1].rsquared
    assert fits[1].rsquared_adj == pytest.approx(fits[0].rsquared_adj, abs=1e-3)
    n, k = fits[0].nobs, len(fits[0].params)
    assert fits[0].rsquared_adj == pytest.approx(1.0 - (1.0 - fits[0].rsquared) * (n - 1) / (n - k))
