"""DPpack's empirical risk minimization: what its models keep, and what they warn of."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pandas as pd
import pytest

from pydpstat import PrivacyWarning, PydpstatError, RRandom, dppack
from pydpstat.dppack import (
    EmpiricalRiskMinimizationDP_CMS,
    LogisticRegressionDP,
    generate_loss_huber,
    loss_cross_entropy,
    loss_gr_cross_entropy,
    mapXy_gr_sigmoid,
    mapXy_linear,
    mapXy_sigmoid,
    svmDP,
)
from tests.dppack.cms_models import BOX, MAKE, X, Y, base, fit


@pytest.fixture(params=MAKE)
def make(request):
    return MAKE[request.param]


def caught(call):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        result = call()
    # at the caller's line, which is here or in the shared `fit`
    assert all(each.filename in (__file__, fit.__code__.co_filename) for each in seen)
    return result, [each.message.row for each in seen if isinstance(each.message, PrivacyWarning)]


@pytest.mark.parametrize("method", ["objective", "output"])
@pytest.mark.parametrize("gamma", [0.01, 0.5, 1.0])
def test_silent(make, method, gamma):
    result, rows = caught(lambda: fit(make(eps=2.0, gamma=gamma, method=method)))
    assert rows == [] and result.guarantee.epsilon == result.claim.epsilon == 2.0


@pytest.mark.parametrize(
    "gamma, method, kept",
    [
        (100.0, "output", 100.0),
        (1.5, "output", 1.5),
        (100.0, "objective", 1 - 2 * math.log(1.0025) + math.log(1.25)),
        (2.2, "objective", 1 - 2 * math.log(1 + 0.25 / 2.2) + math.log(1.25)),
        (-10.0, "objective", 1 - 2 * math.log(0.975) + math.log(1.25)),
        (-0.25, "objective", math.inf),
    ],
)
def test_c1_the_gamma_of_logistic_regression(gamma, method, kept):
    result, rows = caught(lambda: fit(LogisticRegressionDP("l2", 1.0, gamma, method)))
    assert rows == ["C1"] and result.guarantee.epsilon == pytest.approx(kept) and result.claim.epsilon == 1.0
    assert ("Gamma of the fit:", "1") in result.facts


@pytest.mark.parametrize("gamma", [1.0, 2.0, 2.11])
def test_c1_is_silent_up_to_2_118(gamma):
    assert caught(lambda: fit(LogisticRegressionDP("l2", 2.0, gamma)))[1] == []


def test_c1_the_text_has_the_figure():
    with pytest.warns(PrivacyWarning, match=r"up to epsilon 100, not 1\. Use gamma=1") as seen:
        fit(LogisticRegressionDP("l2", 1.0, 100.0, "output"))
    assert seen[0].message.use == "LogisticRegressionDP"


def test_c1_no_noise_at_all():
    # two seeds, one result: R adds nothing
    with pytest.warns(PrivacyWarning, match="infinite epsilon"):
        first, second = (fit(LogisticRegressionDP("l2", 1.0, -0.25), rng=seed) for seed in (1, 2))
    assert np.array_equal(first.coeff, second.coeff)


def sigmoid_model(gradient, gamma=1.0):
    gradients = (gradient, loss_gr_cross_entropy) if gradient else (None, None)
    return EmpiricalRiskMinimizationDP_CMS(
        mapXy_sigmoid, loss_cross_entropy, "l2", 2.0, gamma, "objective", 0.25, *gradients
    )


def test_c3_a_wrong_gradient():
    result, rows = caught(lambda: fit(sigmoid_model(mapXy_gr_sigmoid)))
    assert rows == ["C3"] and math.isinf(result.guarantee.epsilon)
    assert caught(lambda: fit(sigmoid_model(None)))[1] == []
    alone = caught(lambda: sigmoid_model(mapXy_gr_sigmoid).fit(X[["a"]], Y, 1, -1, rng=1))
    assert alone[1] == [] and alone[0].guarantee.epsilon == 2.0


def test_c3_moves_the_fit():
    # next to no noise: they differ by far more than either misses its stop by, about 1e-6
    wrong, right = sigmoid_model(mapXy_gr_sigmoid), sigmoid_model(None)
    wrong.eps = right.eps = 1e9
    with pytest.warns(PrivacyWarning):
        fit(wrong, *BOX)
        fit(right, *BOX)
    assert np.abs(wrong.coeff - right.coeff).max() > 1e-3


@pytest.mark.parametrize("method", ["objective", "output"])
def test_c4_long_records(method):
    for name in ("EmpiricalRiskMinimizationDP_CMS", "WeightedERMDP_CMS"):
        result, rows = caught(lambda: fit(MAKE[name](method=method, eps=3.0), *BOX))
        assert rows == ["C4"]
        left = 3 - 2 * math.log(2)
        kept = math.sqrt(2) * (3.0 if method == "output" else left)
        kept += 0.0 if method == "output" else math.log(1 + 2)
        assert result.guarantee.epsilon == pytest.approx(kept)
    for name in ("LogisticRegressionDP", "svmDP", "Gaussian"):
        assert caught(lambda: fit(MAKE[name](method=method), *BOX))[1] == []


# where the noise alone saturates a prediction: by hand for one column, -log(2) - rate * 36.74 * strength
@pytest.mark.parametrize("eps, warned", [(0.5, True), (1.0, True), (2.0, False)])
def test_c9_a_saturated_prediction(eps, warned):
    model = LogisticRegressionDP("l2", eps, 1.0)
    result, rows = caught(lambda: model.fit(X[["a"]], Y, 1, -1, rng=1))
    assert rows == (["C9"] if warned else [])
    assert result.claim.epsilon == eps and math.isinf(result.guarantee.epsilon) == warned
    assert any("36.74" in line for line in result.guarantee.conditions)


def test_c9_the_text_has_the_figure():
    # eps 1: what is left is 1 - 2 log 1.25, the strength 1
    probability = 0.5 * math.exp(-53 * math.log(2) * (1 - 2 * math.log(1.25)) / 2)
    with pytest.warns(PrivacyWarning, match=f"with probability {probability:.2g}\\. Use"):
        LogisticRegressionDP("l2", 1.0, 1.0).fit(X[["a"]], Y, 1, -1, rng=1)


@pytest.mark.slow
def test_c9_the_data_decide_which_coefficients_can_come_out():
    # one record: 36.74 is passed on the side where it has no prediction of 1, and never on the other
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        stream = RRandom(1)
        coefficients = {
            x: np.array(
                [
                    LogisticRegressionDP("l2", 0.5, 1.0).fit([[x]], [1], [1], [-1], rng=stream).coeff[0]
                    for _ in range(200)
                ]
            )
            for x in (1.0, -1.0)
        }
    assert coefficients[1.0].max() < 36.75 and (coefficients[1.0] < -36.75).any()
    assert coefficients[-1.0].min() > -36.75 and (coefficients[-1.0] > 36.75).any()


def test_output_perturbation_and_other_losses_have_no_c9():
    for model in (LogisticRegressionDP("l2", 0.5, 1.0, "output"), svmDP("l2", 0.5, 1.0)):
        assert caught(lambda: fit(model))[1] == []


def test_a_negative_gamma_of_an_own_regularizer():
    # 1-strongly convex says nothing of how much a negative multiple takes away
    model = svmDP(lambda w: float(9 * (w @ w)), 1.0, -0.05, huber_h=2.0, regularizer_gr=lambda w: 18 * w)
    result, rows = caught(lambda: model.fit([[1.0]], [1], [1], [-1], rng=1))
    assert rows == ["C8"] and math.isinf(result.guarantee.epsilon)


def test_infinite_predictors_of_the_gaussian_kernel():
    model = svmDP("l2", 1.0, 1.0, kernel="Gaussian", D=2)
    stream = RRandom(1)
    before = stream.state
    with pytest.raises(PydpstatError, match="X must be finite with the Gaussian kernel"):
        model.fit([[math.inf], [1.0]], [0, 1], [1], [0], rng=stream)
    assert np.array_equal(stream.state, before)
    model.fit([[0.2], [1.0]], [0, 1], [1], [0], rng=stream)
    assert np.isnan(model.XtoV([[math.inf]])).all() and np.isnan(model.predict([[math.inf]])).all()


def test_a_bias_column_alone():
    with pytest.raises(PydpstatError, match="a column 'bias'"):
        svmDP("l2", 1.0, 1.0).fit(pd.DataFrame({"bias": [0.2, 0.9]}), [0, 1], [1], [0], add_bias=True, rng=1)


def test_the_package_s_own_functions_keep_their_names_in_the_call():
    model = EmpiricalRiskMinimizationDP_CMS(mapXy_linear, generate_loss_huber(0.5), "l2", 1.0, 1.0, "output")
    result = fit(model)
    assert "mapXy=mapXy_linear" in result.call and "regularizer_gr=None" in result.call
    assert "mapXy = mapXy.linear" in result.r_call


def test_c4_infinite_bounds():
    result, rows = caught(lambda: fit(base(method="output"), [math.inf, 1], [-1, -1]))
    assert rows == ["C4"] and math.isinf(result.guarantee.epsilon)


@pytest.mark.parametrize("method", ["objective", "output"])
def test_c8_an_infinite_eps(make, method):
    result, rows = caught(lambda: fit(make(eps=math.inf, method=method)))
    assert rows == ["C8"] and math.isinf(result.guarantee.epsilon) and math.isinf(result.claim.epsilon)


@pytest.mark.parametrize("name", ["svmDP", "Gaussian", "WeightedERMDP_CMS"])
def test_c8_a_negative_gamma(name):
    result, rows = caught(lambda: fit(MAKE[name](eps=2.0, gamma=-1e-3 if name != "svmDP" else -1.0)))
    if name == "svmDP":
        # gamma = -c: no noise at all
        assert rows == ["C8"] and math.isinf(result.guarantee.epsilon)
    else:
        # the added regularization makes up for it
        assert rows == [] and result.guarantee.epsilon == 2.0


def test_c8_a_negative_half_width():
    result, rows = caught(lambda: fit(svmDP("l2", 1.0, 1.0, "output", huber_h=-0.5)))
    assert rows == ["C8"] and math.isinf(result.guarantee.epsilon)


def test_a_warning_as_an_error_stops_before_any_draw():
    stream = RRandom(1)
    before = stream.state
    for model in (
        LogisticRegressionDP("l2", 1.0, 100.0, "output"),
        svmDP("l2", math.inf, 1.0, kernel="Gaussian", D=2),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(PrivacyWarning):
                fit(model, rng=stream)
        assert model.coeff is None
    assert np.array_equal(stream.state, before)


def test_an_own_regularizer_is_a_condition():
    model = LogisticRegressionDP(lambda w: float(w @ w), 1.0, 1.0, "output", lambda w: 2 * w)
    assert any("1-strongly convex" in line for line in fit(model).guarantee.conditions)
    assert not any("1-strongly convex" in line for line in fit(LogisticRegressionDP("l2", 2, 1)).guarantee.conditions)


def test_a_generator_has_its_own_source():
    first = dppack.generate_sampling(0.5, rng=3)
    stream = RRandom(3)
    again = dppack.generate_sampling(0.5)
    for _ in range(2):
        assert np.array_equal(first(2), again(2, rng=stream))
    assert again(2).shape == (3,) and not np.array_equal(again(2), again(2))


def test_lengths_of_helpers():
    with pytest.raises(PydpstatError, match="same length"):
        loss_cross_entropy([0.5], [0, 1])
    with pytest.raises(PydpstatError, match="Weight vector w must be same length"):
        generate_loss_huber(0.5)([0.5], [1], [1, 2])
    with pytest.raises(PydpstatError, match="theta must have one element more than x"):
        dppack.phi_gaussian([1, 2], [1, 2])
