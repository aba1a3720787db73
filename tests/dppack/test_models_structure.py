"""How a fit goes through the package: the modules it enters, and functions it need not check."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from pydpstat import dppack
from pydpstat.dppack import EmpiricalRiskMinimizationDP_CMS, LogisticRegressionDP
from pydpstat.dppack._models import losses, maps
from tests.dppack.cms_models import SMALL, X, Y


def entered(call):
    """Return the modules of the package whose functions run during a call, and how often they do."""
    calls = {}

    def note(frame, event, _):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.split(".")[0] == "pydpstat":
            calls[module] = calls.get(module, 0) + 1

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("method", ["objective", "output"])
def test_a_logistic_regression_passes_through_21_modules(method):
    model = LogisticRegressionDP("l2", 2.0, 1.0, method)
    # the first fit imports what is imported late
    model.fit(X, Y, *SMALL)
    calls = entered(lambda: model.fit(X, Y, *SMALL))
    assert "pydpstat._release.model" in calls
    assert len(calls) <= 21, sorted(calls)


PLAIN = {**losses.PLAIN, **maps.PLAIN, **maps.PLAIN_PENALTIES}
HELPERS = [getattr(dppack, name) for name in dppack.__all__ if id(getattr(dppack, name)) in PLAIN]


def test_every_function_without_a_parameter_has_a_plain_one():
    assert len(HELPERS) == len(PLAIN) == 10


@pytest.mark.parametrize("helper", HELPERS, ids=lambda helper: helper.__name__)
def test_plain_functions_compute_what_the_public_ones_do(helper):
    rng = np.random.default_rng(1)
    matrix, coeff = np.asfortranarray(rng.normal(size=(6, 3))), rng.normal(size=3)
    if helper.__name__.startswith("mapXy"):
        arguments = (matrix, coeff)
    else:
        arguments = (coeff,) if helper.__name__.startswith("regularizer") else (rng.uniform(size=6), Y * 1.0)
    assert np.array_equal(PLAIN[id(helper)](*arguments), helper(*arguments))


@pytest.mark.parametrize("method", ["objective", "output"])
@pytest.mark.parametrize("gradients", [True, False])
def test_functions_of_ones_own_give_the_same_fit(method, gradients):
    def wrapped(function):
        return lambda *arguments: function(*arguments).tolist()

    functions = [dppack.mapXy_sigmoid, dppack.loss_cross_entropy]
    slopes = [dppack.mapXy_gr_sigmoid, dppack.loss_gr_cross_entropy] if gradients else [None, None]

    def fitted(change):
        mapXy, loss = map(change, functions)
        given = [each and change(each) for each in slopes]
        model = EmpiricalRiskMinimizationDP_CMS(mapXy, loss, "l2", 1e3, 1.0, method, 0.25, *given)
        return model.fit(X[["a"]], Y, 0.5, -0.5, rng=1).coeff

    assert np.array_equal(fitted(lambda function: function), fitted(wrapped))
