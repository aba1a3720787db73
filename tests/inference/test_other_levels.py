"""Values that are none of a predictor's levels: a level of their own, or the reference."""

import math

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

import pydpstat
from pydpstat.errors import PydpstatError

SURE = 1e8
DRAW = np.random.default_rng(3)
N = 4000
FRAME = pd.DataFrame({"x": DRAW.uniform(0, 10, N), "g": DRAW.choice(["a", "b", "u", "v"], N)})
FRAME["y"] = 0.3 * FRAME.x + (FRAME.g == "b") - 2.0 * FRAME.g.isin(["u", "v"]) + DRAW.normal(0, 1, N).clip(-3, 3)
# as many records of no level as the noise may hide
FEW = FRAME.assign(g=FRAME.g.replace({"u": "a", "v": "b"}))
BOUNDS = {"y": (-8.0, 8.0), "x": (0.0, 10.0)}


def fitted(data, formula="y ~ x + C(g)", epsilon=SURE, **own):
    usual = {"bounds": BOUNDS, "levels": {"g": ["a", "b"]}, "other": "other", "rng": 1}
    return pydpstat.ols(formula, data, epsilon, **{**usual, **own})


def test_a_further_level_has_the_values_of_no_level():
    fit = fitted(FRAME)
    told = FRAME.assign(g=FRAME.g.replace({"u": "other", "v": "other"}))
    known = smf.ols("y ~ x + C(g)", told).fit().params
    assert list(fit.params.index) == ["Intercept", "x", "C(g)[T.b]", "C(g)[T.other]"]
    assert fit.params.to_numpy() == pytest.approx(known[fit.params.index].to_numpy(), abs=1e-4)
    assert fit.call.endswith("levels={'g': ['a', 'b']}, other='other')")
    assert any("none of the levels counts as 'other'" in each for each in fit.assumptions)
    new = fit.predict({"x": [1.0, 1.0, 1.0], "g": ["never seen", "other", "u"]})
    assert np.ptp(new) == 0.0 and new[0] == pytest.approx(0.3 - 2.0, abs=0.2)


def test_by_default_they_count_as_the_reference():
    plain = fitted(FRAME, other=None)
    replaced = FRAME.assign(g=FRAME.g.replace({"u": "a", "v": "a"}))
    assert plain.released == fitted(replaced, other=None).released
    assert list(plain.params.index)[-1] == "C(g)[T.b]"
    assert plain.remarks[-1] == "Values that are none of the levels count as the reference: a of g."


def test_a_level_of_that_name_has_them_too():
    levels = {"g": ["a", "other", "b"]}
    fit = fitted(FRAME, levels=levels)
    told = fitted(FRAME.assign(g=FRAME.g.replace({"u": "other", "v": "other"})), levels=levels, other=None)
    assert fit.released == told.released and list(fit.params.index) == list(told.params.index)


def test_types_without_other_values_have_no_further_level():
    truth = FRAME.assign(g=FRAME.g == "b")
    fit = fitted(truth, levels={"g": [False, True]})
    assert list(fit.params.index)[-1] == "C(g)[T.True]"
    declared = FRAME.assign(g=pd.Categorical(FRAME.g, ["a", "b", "u", "v"]))
    assert list(fitted(declared, levels="declared").params.index)[-1] == "C(g)[T.v]"


MANY = FEW.sample(20_000, replace=True, random_state=1)


def errors_of(formula, epsilon, **own):
    """The standard errors of all coefficients but the further level's, the median over releases."""
    found = pd.DataFrame([fitted(MANY, formula, epsilon, rng=seed, **own).bse for seed in range(9)])
    return found.median()[[name for name in found if "other" not in name and "unheard" not in name]]


def test_a_further_level_that_looks_empty_has_no_estimate_and_costs_the_others_little():
    fit = fitted(FEW, epsilon=2.0)
    assert fit.params.isna().to_dict() == {name: name == "C(g)[T.other]" for name in fit.params.index}
    assert any("not a level of C(g): C(g) = other has no estimate" in each for each in fit.remarks)
    assert not any("cannot be distinguished from 0" in each for each in fit.remarks)
    predicted = fit.predict({"x": [1.0, 1.0], "g": ["other", "a"]})
    assert np.isnan(predicted).tolist() == [True, False]
    # released are the numbers of the further level, too, which cost the others little
    assert any(name == "count(0=2)" for name, _ in fit.released)
    spread, alone = (errors_of("y ~ x + C(g)", 1.0, other=other) for other in ("other", None))
    assert (spread < 1.3 * alone).all()


@pytest.mark.slow
def test_interactions_of_a_level_that_looks_empty_have_no_estimate():
    fit = fitted(MANY, "y ~ x * C(g)", 5.0)
    gone = fit.params.index[fit.params.isna()].tolist()
    assert gone == ["C(g)[T.other]", "x:C(g)[T.other]"]
    # columns that are 0 cost the others little
    known = errors_of("y ~ x * C(g)", 5.0, other=None)
    assert (errors_of("y ~ x * C(g)", 5.0) < 1.7 * known).all()
    unheard = {"levels": {"g": ["a", "b", "unheard"]}, "other": None}
    assert (errors_of("y ~ x * C(g)", 5.0, **unheard) < 1.7 * known).all()
    fit = fitted(MANY, "y ~ x * C(g)", 5.0, **unheard)
    gone = fit.params.index[fit.params.isna()].tolist()
    assert gone == ["C(g)[T.unheard]", "x:C(g)[T.unheard]"]
    predicted = fit.predict({"x": [1.0, 1.0], "g": ["a", "unheard"]})
    assert np.isnan(predicted).tolist() == [False, True]
    found = fit.t_test(["C(g)[T.unheard] = 0", "x + C(g)[T.b] = 0"])
    assert np.isnan(found.effect).tolist() == [True, False] and found.pvalue[0] == 1.0
    assert fit.pvalues["C(g)[T.unheard]"] == 1.0 and np.isinf(fit.conf_int().loc["C(g)[T.unheard]"]).all()
    crossed = FEW.assign(h=DRAW.choice(["u", "v"], N))
    public = {"g": ["a", "b"], "h": ["u", "v"]}
    fit = fitted(crossed, "x ~ C(g) * C(h)", 20.0, levels=public, bounds={"x": (0, 10)})
    assert fit.params.notna().to_dict() == {name: "other" not in name for name in fit.params.index}
    # nobody is in one of the cells
    alone = crossed.assign(h=crossed.h.where(crossed.g == "a", "u"))
    fit = fitted(alone, "x ~ C(g) * C(h)", 20.0, levels=public, bounds={"x": (0, 10)}, other=None)
    assert fit.params.isna().tolist() == [False, False, False, True]
    assert any("C(g):C(h) = b:v cannot be distinguished from 0" in each for each in fit.remarks)


@pytest.mark.slow
@pytest.mark.parametrize("own", [{}, {"levels": {"g": ["a", "b", "z"]}, "other": None}])
def test_few_records_of_no_level_do_not_bias_the_reference(own):
    # the reference had them after a look at their noisy number, and the test rejected 0.10 of true hypotheses
    rng, rejected, runs = np.random.default_rng(5), 0, 300
    g = np.repeat(["a", "b", "z"], [60, 2000, 20])
    for seed in range(runs):
        y = np.where(g == "z", -1.0, 0.9 + 0.1 * rng.standard_normal(g.size)).clip(-1.0, 1.0)
        fit = fitted({"y": y, "g": g}, "y ~ C(g)", 0.5, bounds=(-1.0, 1.0), rng=seed, **own)
        rejected += fit.test("C(g)[T.b]", 0.0) <= 0.05
    # 0.05 and 3 standard errors
    assert rejected <= runs * 0.05 + 3.0 * math.sqrt(runs * 0.05 * 0.95)


def test_logistic_regressions_have_it_too():
    data = FRAME.assign(y=DRAW.random(N) < 1 / (1 + np.exp(1.5 * FRAME.g.isin(["u", "v"]))))
    fit = pydpstat.logit("y ~ C(g)", data, 50.0, levels={"g": ["a", "b"]}, other="rest", rng=1)
    assert list(fit.params.index) == ["Intercept", "C(g)[T.b]", "C(g)[T.rest]"]
    assert fit.params["C(g)[T.rest]"] == pytest.approx(-1.5, abs=0.3)
    with pytest.raises(PydpstatError, match="other must be None for logit with numeric predictors"):
        pydpstat.logit("y ~ x + C(g)", data, 50.0, bounds={"x": (0, 10)}, levels={"g": ["a", "b"]}, other="rest")


def test_the_name_must_be_a_text():
    with pytest.raises(PydpstatError, match="other must be the name of a level"):
        fitted(FRAME, other=3)


def test_a_private_number_of_records_is_noisy_in_the_smaller_design_as_well():
    fit = fitted(FEW, epsilon=5.0, levels={"g": ["a", "b", "unheard"]}, neighbors="unbounded")
    assert fit.nobs is None
    gone = fit.params.index[fit.params.isna()].tolist()
    assert gone == ["C(g)[T.unheard]", "C(g)[T.other]"]
    number = fit._combinations.tests.noisy.matrix[0, 0]
    assert number == pytest.approx(N, abs=50.0) and number != N
