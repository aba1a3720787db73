"""DPpack's linear regression and its base: results, checks, the stream."""

from __future__ import annotations

import math

import pytest

from pydpstat import PydpstatError, RRandom
from pydpstat.results import ModelResults
from tests.dppack.kst_models import X, Y, base, fit, linear

pytest.importorskip("nlopt", reason="the package nlopt is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::pydpstat.PrivacyWarning")


def test_fit_returns_results_and_sets_the_coefficients():
    model = linear()
    result = fit(model)
    assert isinstance(result, ModelResults) and model.results is result
    assert result.coeff.tolist() == model.coeff.tolist() and result.names == ("a", "b")
    assert (result.perturbation, result.noise, result.nobs, result.model) == (
        "objective",
        None,
        6,
        "LinearRegressionDP",
    )
    assert result.bse.isna().all() and result.r_call.startswith("DPpack::LinearRegressionDP$new(")
    assert result.predict(X) == pytest.approx(model.predict(X), rel=0)


def test_zeta_and_lambda_are_set_by_the_fit():
    model = linear()
    assert (model.zeta, model.lambda_) == (None, None)
    result = fit(model, add_bias=True)
    assert (model.zeta, model.lambda_) == (2.0 * 3**1.5, 3.0)
    assert result.names == ("bias", "a", "b") and result.bounds == ((1.0, 1.0, 1.0), (-1.0, -1.0, -1.0))


def test_no_function_of_the_user_is_reachable_from_the_results():
    secret = Y.copy()
    result = fit(base(loss=lambda y_hat, y: (y_hat - y) ** 2 + 0.0 * secret[0], gradients=False))
    assert result.prediction is not None and "loss" in result.call
    # "l2" needs no gradient, and the call says so
    assert "regularizer_gr=None" in result.call
    with pytest.raises(PydpstatError, match="mapXy"):
        fit(base(mapXy=lambda x, w: x @ w, gradients=False)).predict(X)


@pytest.mark.parametrize(
    "model, text",
    [
        (linear(eps=0.0), "eps must be above 0"),
        (linear(eps=-1.0, delta=0.1), "eps must be above 0"),
        (linear(eps=math.nan), "eps must be a number"),
        (linear(eps=math.inf, delta=0.1), "no variance"),
        (linear(delta=-0.1), "delta at least 0"),
        (linear(delta=4.0), "no variance"),
        (linear(gamma=math.inf), "gamma finite"),
        (linear(eps=1e-320), "eps not too small"),
        (base(zeta=-1.0), "zeta must be at least 0"),
        (base(lambda_=math.inf), "lambda_ must be finite"),
        (base(domain={}), "domain must be a mapping"),
        (base(domain=3), "domain must be a mapping"),
        (base(domain={"constraints": lambda w: -1.0}, regularizer_gr=lambda w: w), "jacobian"),
        (base(mapXy=lambda x, w: [1.0]), "mapXy must return 6 predictions"),
        (base(mapXy_gr=lambda x, w: x), "mapXy_gr must return"),
        (base(loss_gr=lambda p, y: [1.0]), "loss_gr 6 numbers"),
    ],
)
def test_what_r_cannot_fit_is_refused(model, text):
    with pytest.raises(PydpstatError, match=text):
        fit(model)


@pytest.mark.parametrize(
    "more, text",
    [
        ({"upper_bounds": [1, 1]}, "plus 1"),
        ({"lower_bounds": [-1]}, "plus 1"),
        ({"upper_bounds": [1, 0, 1], "lower_bounds": [-1, 0, -1]}, "both be 0"),
        ({"upper_bounds": [1, 1, math.inf]}, "bounds of y"),
        ({"upper_bounds": [1, 1, 0], "lower_bounds": [-1, -1, 0]}, "bounds of y"),
        ({"y": Y[1:]}, "same number of rows"),
        ({"X": X.to_numpy(), "add_bias": True}, "DataFrame"),
        ({"X": X.rename(columns={"a": "bias"}), "add_bias": True}, "bias"),
        ({"X": X.assign(a=math.nan)}, "missing"),
        ({"y": [math.nan, *Y[1:]]}, "missing"),
    ],
)
def test_wrong_data_are_refused_before_any_draw_and_stay_hidden(more, text):
    rng = RRandom(1)
    with pytest.raises(PydpstatError, match=text) as raised:
        fit(linear(), rng=rng, **more)
    assert "-0.3" not in str(raised.value) and "0.9" not in str(raised.value)
    assert rng.runif(1) == RRandom(1).runif(1)


@pytest.mark.parametrize("regularizer", ["l1", 3, None])
def test_an_unknown_regularizer_is_refused(regularizer):
    with pytest.raises(PydpstatError, match="regularizer"):
        linear(regularizer=regularizer)


def test_predict_needs_a_fit_and_its_columns():
    with pytest.raises(PydpstatError, match="call fit first"):
        linear().predict(X)
    model = linear()
    fit(model)
    with pytest.raises(PydpstatError, match="one element for each column"):
        model.predict(X[["a"]])
