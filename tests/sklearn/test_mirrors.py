"""Models of DPpack with scikit-learn's get_params and score."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from pydpstat import LinearRegressionDP, LogisticRegressionDP, PydpstatError, WeightedERMDP_CMS, dppack, svmDP


def length(coeff):
    return float(coeff @ coeff)


MODELS = [
    LogisticRegressionDP("l2", 2.0, 1.0, "output"),
    LogisticRegressionDP(length, 2.0, 1.0, regularizer_gr=np.negative),
    svmDP("l2", 1.0, 1.0),
    svmDP("l2", 1.0, 1.0, "output", "Gaussian", 5, 0.5, None, 0.3),
    LinearRegressionDP("l2", 1.0, 0.0, 2.0),
    LinearRegressionDP(length, None, 0.1, 2.0),
    WeightedERMDP_CMS(dppack.mapXy_sigmoid, dppack.loss_cross_entropy, "l2", 1.0, 1.0, "output"),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_the_parameters_make_the_model_again(model):
    found = model.get_params()
    again = type(model)(**found)
    assert again.get_params() == found and vars(again).keys() == vars(model).keys()
    assert again.regularizer is model.regularizer and again.regularizer_gr is model.regularizer_gr


def test_the_parameters_are_what_the_fields_have_now():
    model = svmDP("l2", 1.0, 1.0, huber_h=0.25)
    model.eps = 3.0
    assert (model.get_params()["eps"], model.get_params(deep=False)["huber_h"]) == (3.0, 0.25)
    # R's gradient of "l2" was left out on purpose
    plain = LogisticRegressionDP(dppack.regularizer_l2, 1.0, 1.0)
    assert plain.get_params()["regularizer"] is dppack.regularizer_l2


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_scikit_learns_clone_has_the_parameters_and_no_fit(model):
    clone = pytest.importorskip("sklearn.base").clone
    model.coeff = np.ones(2)
    twin = clone(model)
    assert twin.get_params() == model.get_params() and twin.coeff is None and type(twin) is type(model)


def test_a_score_is_the_share_of_right_labels():
    X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 1, 1, 1]
    for model in (LogisticRegressionDP("l2", 1.0, 1.0), svmDP("l2", 1.0, 1.0)):
        model.coeff = np.array([1.0])
        assert model.score(X, y) == 0.75
        model.coeff = np.array([3.0, 2.0])
        assert model.score(pd.DataFrame(X), y, add_bias=True) == 1.0


def test_a_linear_models_score_is_r_squared():
    model = LinearRegressionDP("l2", 1.0, 0.0, 1.0)
    model.coeff = np.array([1.0])
    assert model.score([[0.0], [1.0], [2.0]], [0.0, 1.0, 3.0]) == pytest.approx(1 - 1 / (14 / 3))
    assert math.isnan(model.score([[0.0], [1.0]], [2.0, 2.0]))
    assert model.score([[1.0], [2.0]], [[0.0], [1.0]]) == -3.0


def test_a_score_needs_a_fit_and_as_many_responses():
    model = LogisticRegressionDP("l2", 1.0, 1.0)
    with pytest.raises(PydpstatError, match="no coefficients yet"):
        model.score([[1.0]], [1])
    model.coeff = np.array([1.0])
    with pytest.raises(PydpstatError, match="same number of records; got 1 and 2"):
        model.score([[1.0]], [1, 0])
