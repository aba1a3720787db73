"""DPpack's choice among models: groups, the guarantee of the whole, warnings, the stream."""

from __future__ import annotations

import math
import pickle
import warnings
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest

from pydpstat import PrivacyWarning, PydpstatError, RRandom, dppack
from pydpstat.dppack import (
    LinearRegressionDP,
    LogisticRegressionDP,
    svmDP,
    tune_classification_model,
    tune_linear_regression_model,
)
from tests.dppack.mirror_calls import refused_before_any_draw

pytestmark = pytest.mark.filterwarnings("ignore::pydpstat.PrivacyWarning")
needs_nlopt = pytest.mark.skipif(find_spec("nlopt") is None, reason="the package nlopt is not installed")

N = 40
X = pd.DataFrame({"a": np.linspace(-1.0, 1.0, N), "b": np.cos(np.arange(N))})
LABELS = (X["a"] > 0).to_numpy().astype(float)
Y = (0.5 * X["a"] - 0.2 * X["b"]).to_numpy()
BOX, BOX_Y = ([1, 1], [-1, -1]), ([1, 1, 1], [-1, -1, -1])


def classifiers(eps=1.0, kind=LogisticRegressionDP, count=3):
    return [kind("l2", eps, 1.0) for _ in range(count)]


def regressions(eps=1.0, delta=0.0, count=3):
    return [LinearRegressionDP("l2", eps, delta, gamma) for gamma in (1.0, 5.0, 30.0)[:count]]


def classify(models, rng=1, **more):
    given = {"X": X, "y": LABELS, "upper_bounds": BOX[0], "lower_bounds": BOX[1], "rng": rng}
    return tune_classification_model(models, **{**given, **more})


def regress(models, rng=1, **more):
    given = {"X": X, "y": Y, "upper_bounds": BOX_Y[0], "lower_bounds": BOX_Y[1], "rng": rng}
    return tune_linear_regression_model(models, **{**given, **more})


def test_the_chosen_object_is_returned_and_all_are_fitted_in_order():
    models = classifiers()
    rng = RRandom(5)
    chosen = classify(models, rng=rng)
    assert any(chosen is model for model in models)
    stream = RRandom(5)
    for place, model in enumerate(models):
        alone = LogisticRegressionDP("l2", 1.0, 1.0)
        alone.fit(X.iloc[place::4], LABELS[place::4], *BOX, rng=stream)
        assert alone.coeff.tolist() == model.coeff.tolist()
    # one uniform more for the choice
    stream.runif(1)
    assert rng.runif(1) == stream.runif(1)


def test_the_best_model_is_nearly_always_chosen_with_a_large_epsilon():
    # output perturbation with this gamma has hardly any noise, and the fit does not use it
    x = np.tile(np.linspace(-1.0, 1.0, 50), 6).reshape(-1, 1)
    y = (x[:, 0] > 0).astype(float)
    wrong = y.copy()
    wrong[0::3] = 1.0 - y[0::3]
    models = [LogisticRegressionDP("l2", 2.0, 1e9, "output") for _ in range(2)]
    chosen = [classify(models, X=x, y=wrong, upper_bounds=[1], lower_bounds=[-1], rng=seed) for seed in range(20)]
    assert all(each is models[1] for each in chosen)


def test_the_guarantee_is_the_largest_of_all_groups():
    models = [svmDP("l2", 0.5, 1.0), svmDP("l2", 3.0, 1.0)]
    chosen = classify(models)
    held = chosen.results.guarantee
    assert (held.epsilon, held.delta, held.neighbors) == (3.0, 0.0, "bounded")
    assert chosen.results.claim.epsilon == 3.0 and "disjoint" in held.conditions[0]
    assert sum("seeded stream" in line for line in held.conditions) == 1
    assert chosen.results.coeff.tolist() == chosen.coeff.tolist()


def test_a_model_that_keeps_less_counts_with_what_it_keeps():
    # the optimizer uses a gamma of 1 whatever is given
    models = [LogisticRegressionDP("l2", 1.0, 1.0), LogisticRegressionDP("l2", 1.0, 50.0, "output")]
    assert classify(models).results.guarantee.epsilon > 10.0


def test_the_results_name_the_choice_and_hold_no_model():
    chosen = classify(classifiers())
    results = chosen.results
    assert results.r_call.startswith("DPpack::tune_classification_model(DPmodels, X, y, upper.bounds = c(1, 1)")
    assert results.nobs == N and ("Chosen among:", "3 models") in results.facts
    assert "Chosen among" in results.summary().as_text()
    assert pickle.loads(pickle.dumps(results)).guarantee == results.guarantee
    assert not any(isinstance(getattr(results, name), LogisticRegressionDP) for name in results.__slots__)


def test_the_last_fit_counts_where_an_object_occurs_twice():
    model = svmDP("l2", 1.0, 1.0)
    chosen = classify([model, model])
    assert chosen is model and chosen.results.coeff.tolist() == model.coeff.tolist()


@pytest.mark.parametrize("rng", [None, np.random.default_rng(1)], ids=["operating system", "numpy"])
def test_other_sources_of_randomness(rng):
    chosen = classify(classifiers(), rng=rng)
    assert chosen.results.reproducible is (rng is not None)
    assert np.isfinite(chosen.coeff).all()


def test_data_stay_as_they_are():
    x, y = X.to_numpy() * 2.0, LABELS.copy()
    kept = x.copy()
    classify(classifiers(), X=x, y=y)
    assert (x == kept).all() and (y == LABELS).all()


@pytest.mark.parametrize(
    "more, text",
    [
        ({"models": []}, "list of model objects"),
        ({"models": classifiers()[0]}, "list of model objects"),
        ({"models": [3]}, "list of model objects"),
        ({"y": LABELS[:3]}, "at least 4 records"),
        ({"X": X[:10]}, "a row"),
        ({"X": X["a"]}, "a row"),
        ({"y": pd.DataFrame({"y": LABELS})}, "vector, not a DataFrame"),
        ({"weights": np.ones(N), "weights_upper_bound": 1}, "no argument weights"),
        ({"models": classifiers(math.inf)}, "eps of the first model"),
        ({"upper_bounds": [1]}, "upper_bounds"),
        ({"rng": "a"}, "rng must be"),
    ],
)
def test_what_r_cannot_tune_is_refused_before_any_draw(more, text):
    with refused_before_any_draw(text) as stream:
        classify(**{"models": classifiers(), "rng": stream, **more})


def test_a_regression_is_no_classifier():
    with pytest.raises(PydpstatError, match="predict of LinearRegressionDP has no argument raw_value"):
        classify(regressions())


def test_a_missing_value_for_validation_is_refused_and_stays_hidden():
    y = LABELS.copy()
    y[3] = math.nan
    with pytest.raises(PydpstatError, match="records for validation"):
        classify(classifiers(), y=y)


# ------------------------------------------------------------------ linear regression


def c2(models, **more):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        chosen = regress(models, **more)
    (text,) = [str(each.message) for each in caught if getattr(each.message, "row", "") == "C2"]
    return chosen, text


@needs_nlopt
@pytest.mark.parametrize(
    "more, kept",
    [
        ({}, 5.0),
        ({"add_bias": True, "upper_bounds": [1, 1, 3]}, 5.0),
        ({"upper_bounds": [1, 1, 3]}, 5.0 * (6.0 / 4.0) ** 2),
        ({"upper_bounds": [1, 1, 100], "lower_bounds": [-1, -1, 99]}, 5.0 * 4e4),
    ],
)
def test_c2_nothing_holds_but_inside_the_bounds(more, kept):
    chosen, text = c2(regressions(5.0), **more)
    assert f"epsilon {kept:.4g}." in text or f"epsilon {kept:.4g}," in text
    held = chosen.results.guarantee
    assert math.isinf(held.epsilon)
    assert f"if every record lies inside the bounds: (epsilon {kept:.6g}, delta 0)" in " ".join(held.conditions)
    assert not any("added or removed" in line for line in held.conditions)


@needs_nlopt
def test_c2_is_told_before_any_draw():
    rng = RRandom(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        with pytest.raises(PrivacyWarning) as raised:
            regress(regressions(), rng=rng)
    assert (raised.value.row, raised.value.use) == ("C2", "tune_linear_regression_model")
    assert rng.runif(1) == RRandom(1).runif(1)


@needs_nlopt
def test_c2_one_record_outside_decides():
    """The defect itself: the chosen model depends on a single validation record, at any epsilon."""
    models = regressions(1.0, count=2)
    for seed in range(10):
        chosen = []
        for sign in (1.0, -1.0):
            x, y = np.zeros((N, 2)), np.zeros(N)
            # the third group of three is for validation, so the fits do not see this record
            x[2], y[2] = sign * 1e9, 1e9
            chosen.append(regress(models, X=x, y=y, rng=seed))
            assert chosen[-1] is max(models, key=lambda model: sign * model.coeff.sum())
        assert chosen[0] is not chosen[1]


@needs_nlopt
def test_delta_of_the_models_is_in_the_figure():
    chosen, _ = c2(regressions(5.0, 0.01))
    assert "delta 0.01" in " ".join(chosen.results.guarantee.conditions)


@needs_nlopt
def test_predictions_lie_inside_the_bounds_of_y_with_a_bias():
    """What the figure with a bias rests on: the domain keeps predictions inside the bounds of y."""
    for seed in range(30):
        model = LinearRegressionDP("l2", 0.1, 0.0, 0.01)
        model.fit(X, Y * 3.0, [1, 1, 2], [-1, -1, 0.5], add_bias=True, rng=seed)
        corners = pd.DataFrame({"a": [1, 1, -1, -1], "b": [1, -1, 1, -1]})
        predicted = model.predict(corners, add_bias=True)
        # NLopt allows the constraint 1e-8
        assert predicted.max() <= 2.0 + 1e-7 and predicted.min() >= 0.5 - 1e-7


@needs_nlopt
@pytest.mark.parametrize(
    "more, text",
    [
        ({"upper_bounds": [1, 1, -1]}, "must be finite and differ"),
        ({"upper_bounds": [1, 1, math.inf]}, "must be finite and differ"),
        ({"y": Y.astype(str)}, "y must be numeric"),
    ],
)
def test_wrong_regression_arguments(more, text):
    with pytest.raises(PydpstatError, match=text):
        regress(regressions(), **more)


@needs_nlopt
def test_models_of_the_base_class_keep_nothing():
    base = dppack.EmpiricalRiskMinimizationDP_KST(
        dppack.mapXy_linear,
        dppack.loss_squared_error,
        "l2",
        1.0,
        0.0,
        {"constraints": lambda w: w @ w - 2.0},
        4.0,
        2.0,
        1.0,
    )
    _, text = c2([base])
    assert "no finite epsilon" in text
