"""Minimization by NLopt: algorithms and stops of R's nloptr, checks, and the hint where it is missing."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from pydpstat import LinearRegressionDP, PydpstatError, RRandom, tune_linear_regression_model
from pydpstat.dppack._models.minimizers import MAXEVAL, minimize_constrained, require_nlopt
from pydpstat.errors import MissingExtraError

CENTER = np.array([1.0, 2.0])


def far(w):
    return float(((w - CENTER) ** 2).sum())


def far_slope(w):
    return 2.0 * (w - CENTER)


def ball(w):
    return float(w @ w) - 1.0


def ball_slope(w):
    return 2.0 * w


@pytest.fixture
def nlopt():
    return pytest.importorskip("nlopt", reason="the package nlopt is not installed")


@pytest.mark.parametrize("gradients", [(far_slope, ball_slope), (None, None)], ids=["MMA", "COBYLA"])
def test_the_minimum_in_a_ball_is_its_nearest_point(nlopt, gradients):
    found = minimize_constrained(far, ball, 2, *gradients)
    # both algorithms stop at a relative step of 1e-4
    assert found == pytest.approx(CENTER / math.sqrt(5.0), abs=1e-3)
    assert found @ found <= 1.0 + 1e-7


def test_several_constraints_hold_together(nlopt):
    found = minimize_constrained(
        far, lambda w: [ball(w), w[0] - 0.1], 2, far_slope, lambda w: np.vstack([ball_slope(w), [1.0, 0.0]])
    )
    assert found == pytest.approx([0.1, math.sqrt(0.99)], abs=1e-3)


def test_it_stops_after_a_hundred_evaluations(nlopt):
    calls = []

    def narrow(w):
        calls.append(1)
        return 100.0 * (w[1] - w[0] ** 2) ** 2 + (1.0 - w[0]) ** 2

    minimize_constrained(narrow, lambda w: w @ w - 9.0, 2)
    # and one more at the start, where R checks the functions
    assert len(calls) == MAXEVAL + 1


def test_a_function_may_keep_its_argument(nlopt):
    kept = []

    def keeping(w):
        kept.append(w)
        return far(w)

    minimize_constrained(keeping, ball, 2, far_slope, ball_slope)
    assert len({tuple(w) for w in kept}) > 3


@pytest.mark.parametrize(
    "functions, text",
    [
        ((lambda w: math.nan, ball, 2), "objective is not a number"),
        ((lambda w: [1.0, 2.0], ball, 2), "one number"),
        ((far, lambda w: math.nan, 2), "constraints is not a number"),
        ((far, ball, 2, lambda w: w[:1], ball_slope), "gradient must have 2 values"),
        ((far, ball, 2, lambda w: w * math.nan, ball_slope), "gradient is not a number"),
        ((far, ball, 2, far_slope, lambda w: [1.0]), "jacobian must have 2 values"),
        ((far, ball, 2, far_slope, lambda w: w * math.nan), "jacobian is not a number"),
        ((lambda w: math.nan if w.any() else 0.0, ball, 2), "never returns"),
        ((lambda w: -1e300 * w[0], ball, 2), "NLopt failed"),
    ],
)
def test_what_cannot_be_minimized_is_refused(nlopt, functions, text):
    with pytest.raises(PydpstatError, match=text):
        minimize_constrained(*functions)


def test_an_error_of_the_caller_comes_through(nlopt):
    def broken(w):
        if w.any():
            raise KeyError("mine")
        return 0.0

    with pytest.raises(KeyError, match="mine"):
        minimize_constrained(broken, ball, 2, far_slope, ball_slope)


def test_require_returns_the_module(nlopt):
    assert require_nlopt("a model") is nlopt


def linear_fit(rng):
    return LinearRegressionDP("l2", 1.0, 0.0, 1.0).fit([[0.1], [0.2]], [0.1, 0.2], [1, 1], [0, 0], rng=rng)


def tuned(rng):
    models = [LinearRegressionDP("l2", 1.0, 0.0, 1.0)]
    X, y = [[0.1], [0.2], [0.3], [0.4]], [0.1, 0.2, 0.3, 0.4]
    return tune_linear_regression_model(models, X, y, [1, 1], [0, 0], rng=rng)


@pytest.mark.filterwarnings("ignore::pydpstat.PrivacyWarning")
@pytest.mark.parametrize("call", [linear_fit, tuned])
def test_without_nlopt_the_hint_comes_before_any_draw(monkeypatch, call):
    monkeypatch.setitem(sys.modules, "nlopt", None)
    rng = RRandom(1)
    with pytest.raises(MissingExtraError) as raised:
        call(rng)
    assert str(raised.value).startswith("LinearRegressionDP needs nlopt: pip install 'pydpstat[models]', or")
    assert rng.runif(1) == RRandom(1).runif(1)
