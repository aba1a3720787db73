"""DPpack's empirical risk minimization: fields, checks, the stream."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from pydpstat import PydpstatError
from pydpstat.dppack import EmpiricalRiskMinimizationDP_CMS, LogisticRegressionDP, mapXy_linear, svmDP
from pydpstat.dppack._models.kernels import FourierFeatures
from tests.dppack.cms_models import BOX, MAKE, SMALL, X, Y, fit
from tests.dppack.mirror_calls import refused_before_any_draw

W = np.array([0.5, 1.0, 0.2, 0.7, 1.0, 0.0])
FIELDS = (
    "mapXy mapXy_gr loss loss_gr regularizer regularizer_gr gamma eps perturbation_method c coeff kernel D "
    "sampling phi kernel_param prefilter"
).split()


@pytest.fixture(params=MAKE)
def make(request):
    return MAKE[request.param]


@pytest.mark.live
def test_fields_in_live_r(live_r):
    fields = live_r.r("names(DPpack::EmpiricalRiskMinimizationDP.CMS$public_fields)")
    assert [each.replace(".", "_") for each in fields] == FIELDS


def test_public_fields(make):
    model = make()
    assert all(hasattr(model, name) for name in FIELDS) and model.coeff is None


def test_unit_features_have_norm_1_where_every_cosine_is_1():
    # without frequencies and phases
    features = FourierFeatures(np.zeros((8, 3)))
    records = np.array([[0.5, -1.0], [2.0, 0.0]])
    assert features.compute_unit_features(records) == pytest.approx(np.full((2, 8), 8.0**-0.5), rel=1e-15)
    assert features.compute_features(records) == pytest.approx(np.full((2, 8), 0.5), rel=1e-15)


def test_bias_comes_first():
    result = fit(LogisticRegressionDP("l2", 2, 1), add_bias=True)
    assert result.names == ("bias", "a", "b")
    by_hand = X.assign(bias=1.0)[["bias", "a", "b"]]
    other = LogisticRegressionDP("l2", 2, 1).fit(by_hand, Y, [1, 0.5, 0.5], [1, -0.5, -0.5], rng=1)
    assert np.array_equal(result.coeff, other.coeff)


WRONG = {
    "eps must be above 0": dict(eps=0.0),
    "eps must be above 0 and": dict(eps=-1.0),
    "eps must be a number": dict(eps=math.nan),
    "eps must be a number and": dict(eps="1"),
    "eps must be one number": dict(eps=[1, 2]),
    "gamma finite": dict(gamma=math.inf),
    "gamma must be a number": dict(gamma=math.nan),
    "Use a positive gamma": dict(gamma=0.0, method="output"),
    "the noise has no distribution": dict(gamma=-1.0, method="output"),
    "perturbation_method must be one of": dict(method="input"),
}


@pytest.mark.parametrize("says", WRONG)
def test_wrong_constants(make, says):
    with refused_before_any_draw(says) as stream:
        fit(make(**WRONG[says]), rng=stream)


BAD_DATA = {
    "Length of upper_bounds must be equal to the number of columns of X, 2; got 1": (X, Y, [1], [0, 0]),
    "Length of lower_bounds must be equal to the number of columns of X, 2; got 3": (X, Y, [1, 1], [0, 0, 0]),
    "upper_bounds must not be missing": (X, Y, [1, math.nan], [0, 0]),
    "lower_bounds must be": (X, Y, [1, 1], ["a", "b"]),
    "same number of rows": (X, Y[:3], [1, 1], [0, 0]),
    "X must be a DataFrame or a matrix": (X["a"], Y, 1, 0),
    "numeric columns only": (X.assign(b="u"), Y, [1, 1], [0, 0]),
    "X and y must not have missing values": (X.assign(b=math.nan), Y, [1, 1], [0, 0]),
    "y must have one column": (X, np.ones((6, 2)), [1, 1], [0, 0]),
    "y must be a numeric vector; got Categorical": (X, pd.Categorical(Y), [1, 1], [0, 0]),
    "at least one": (X.iloc[:0], [], [1, 1], [0, 0]),
}


@pytest.mark.parametrize("says", BAD_DATA)
@pytest.mark.parametrize("name", ["LogisticRegressionDP", "svmDP", "WeightedERMDP_CMS"])
def test_wrong_data(says, name):
    with refused_before_any_draw(says) as stream:
        MAKE[name]().fit(*BAD_DATA[says], rng=stream)


@pytest.mark.parametrize("name", ["LogisticRegressionDP", "svmDP", "Gaussian"])
@pytest.mark.parametrize("labels", [2 * Y - 1, Y + 1, Y * 0.5])
def test_labels_are_0_and_1(name, labels):
    with refused_before_any_draw("binary labels 0 and 1; it has other values") as stream:
        MAKE[name]().fit(X, labels, *SMALL, rng=stream)


def test_a_column_whose_bounds_are_0():
    with pytest.raises(PydpstatError, match="must not both be 0 for a column"):
        fit(LogisticRegressionDP("l2", 1, 1), [1, 0], [-1, 0])


@pytest.mark.parametrize(
    "call, says",
    [
        (lambda: LogisticRegressionDP("l1", 1, 1), "regularizer must be one of"),
        (lambda: LogisticRegressionDP(3, 1, 1), "regularizer must be one of"),
        (lambda: svmDP("l2", 1, 1, kernel="radial"), "kernel must be one of"),
        (lambda: svmDP("l2", 1, 1, kernel="Gaussian"), "D must be specified"),
        (lambda: svmDP("l2", 1, 1, kernel="Gaussian", D=0), "D must be a whole number of at least 1"),
        (lambda: svmDP("l2", 1, 1, kernel="Gaussian", D=2.5), "D must be a whole number"),
        (lambda: svmDP("l2", 1, 1, huber_h="a"), "huber_h must be a number"),
        (
            lambda: fit(svmDP("l2", 1, 1, kernel="Gaussian", D=2, kernel_param=-1)),
            "kernel_param must be at least",
        ),
        (lambda: EmpiricalRiskMinimizationDP_CMS(mapXy_linear, len, "l2", 1, 1), "c must be given"),
        (lambda: LogisticRegressionDP("l2", 1, 1).predict(X), "call fit first"),
        (lambda: svmDP("l2", 1, 1).XtoV(X), "svmDP has no features yet"),
    ],
)
def test_what_else_is_refused(call, says):
    with pytest.raises(PydpstatError, match=says):
        call()


@pytest.mark.parametrize("name", ["svmDP", "Gaussian", "WeightedERMDP_CMS"])
def test_weights_are_for_output_only(name):
    with pytest.raises(PydpstatError, match="weights must be None with objective perturbation"):
        fit(MAKE[name](), weights=W, weights_upper_bound=1)
    assert fit(MAKE[name](method="output"), weights=W, weights_upper_bound=1).guarantee.epsilon == 1.0


@pytest.mark.parametrize(
    "weights, bound, says",
    [
        (W, None, "weights_upper_bound must be given"),
        (-W, 1, "Weights must be nonnegative"),
        (np.where(W > 0.9, math.nan, W), 1, "Weights must be nonnegative and not missing"),
        (W[:2], 1, "weights must be same length as label vector y, 6; got 2"),
        (W, "a", "weights_upper_bound must be a number"),
        (W, -1, "the noise has no distribution"),
        (W, math.inf, "the noise has no distribution"),
    ],
)
def test_wrong_weights(weights, bound, says):
    with pytest.raises(PydpstatError, match=says):
        fit(svmDP("l2", 1, 1, "output"), weights=weights, weights_upper_bound=bound)


def test_the_noise_grows_with_the_weights_bound():
    one, three = (fit(svmDP("l2", 1, 1, "output"), weights=W, weights_upper_bound=bound) for bound in (1, 3))
    assert three.bse.tolist() == pytest.approx((3 * one.bse).tolist())


def test_weights_of_one_are_no_weights():
    model, other = svmDP("l2", 1, 1, "output"), svmDP("l2", 1, 1, "output")
    fit(model, weights=np.ones(6), weights_upper_bound=1), fit(other)
    assert np.array_equal(model.coeff, other.coeff)


def test_the_kernels_parameter_is_kept_for_later_fits():
    model = svmDP("l2", 1, 1, kernel="Gaussian", D=3)
    assert model.kernel_param is None
    fit(model)
    assert model.kernel_param == 0.5
    model.fit(X[["a"]], Y, 1, 0, rng=1)
    assert model.kernel_param == 0.5 and model.prefilter.shape == (3, 2)
    given = svmDP("l2", 1, 1, kernel="Gaussian", D=3, kernel_param=2.0)
    fit(given, add_bias=True)
    assert given.kernel_param == 2.0 and given.prefilter.shape == (3, 4)


@pytest.mark.parametrize("method", ["objective", "output"])
def test_the_gaussian_kernel_needs_no_bounds(method):
    model, other = (svmDP("l2", 1, 1, method, kernel="Gaussian", D=3) for _ in range(2))
    result = model.fit(X, Y, rng=1)
    assert np.array_equal(result.coeff, other.fit(X, Y, *SMALL, rng=1).coeff)
    assert result.guarantee.epsilon == 1.0 and result.bounds == ((), ())
    assert "upper_bounds=None" in result.call and "upper.bounds = NULL" in result.r_call


@pytest.mark.parametrize("bounds", [{}, {"upper_bounds": [1, 1]}, {"lower_bounds": [0, 0]}])
def test_the_linear_kernel_needs_bounds(bounds):
    with pytest.raises(PydpstatError, match="er_bounds must be a vector of numbers; got None. Give a public"):
        svmDP("l2", 1, 1).fit(X, Y, **bounds, rng=1)


def test_predictions():
    model = LogisticRegressionDP("l2", 50, 1)
    fit(model)
    raw = model.predict(X, raw_value=True)
    assert np.array_equal(model.predict(X), np.rint(raw)) and ((raw > 0) & (raw < 1)).all()
    machine = svmDP("l2", 50, 1)
    fit(machine)
    assert np.array_equal(machine.predict(X), machine.predict(X, raw_value=True) > 0)
    assert svmDP("l2", 50, 1).fit(X, Y, *SMALL, rng=1).predict([[0.0, 0.0]]).tolist() == [0.0]
    with pytest.raises(PydpstatError, match="X must have 2 columns"):
        model.predict(X[["a"]])


def test_settings_can_be_changed_between_fits():
    model = LogisticRegressionDP("l2", 2, 1)
    fit(model)
    model.eps = 5.0
    assert fit(model).epsilon == 5.0


def test_much_noise_budget_gives_the_minimizer():
    # the gradient of the regularized loss at the released coefficients is 0 up to R's own stop
    result = fit(LogisticRegressionDP("l2", 1e12, 1.0, "output"), *BOX)
    scaled = X.to_numpy() / math.sqrt(2)
    w = result.coeff * math.sqrt(2)
    gradient = scaled.T @ (1 / (1 + np.exp(-scaled @ w)) - Y) + w
    assert np.abs(gradient).max() < 1e-3


def test_frequencies_of_features_have_the_standard_deviation_of_the_kernel():
    model = svmDP("l2", 1, 1, kernel="Gaussian", D=400, kernel_param=0.5)
    fit(model)
    assert model.prefilter.shape == (400, 3)
    # sqrt(2 kernel_param) is 1; 800 normal variables, six standard errors
    assert model.prefilter[:, :2].std() == pytest.approx(1.0, abs=6.0 / math.sqrt(1600))
