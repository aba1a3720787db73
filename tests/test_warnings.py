"""Which calls warn, at whose line, how often; and as an error a warning stops before any draw."""

import inspect
import re
import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest

import pydpstat
from pydpstat import PrivacyWarning, RRandom
from tests.warning_calls import ANALYTIC, CELLS, GAUSS, X, caught, cov, hist, mean, sd, table, var

# what each text must say
REDRAWN, SCALE = "until the result is positive", "proportional to 1/n"
BREAKS, LEVELS, SAME = "breaks computed", "levels found", "are the same here"
DELTA, LOOSE = "guarantees nothing", "absolute tolerance"
SIGN = "twice the weight of the symmetric geometric"
UNBOUNDED, BOTH = {"which_sensitivity": "unbounded"}, {"which_sensitivity": "both"}


def laplace(**more):
    return pydpstat.LaplaceMechanism([1.0, 2.0], 0.5, **{"sensitivities": [1, 2], **more})


def gauss(**more):
    usual = {"eps": 0.5, "delta": 0.01, "sensitivities": [1, 2]}
    return pydpstat.GaussianMechanism([1.0, 2.0], **{**usual, **more})


SILENT = {
    "mean": mean,
    "mean, Gaussian": partial(mean, **GAUSS),
    "mean, analytic": partial(mean, **ANALYTIC),
    "variance, Gaussian": partial(var, **GAUSS),
    "variance, pDP": partial(var, **GAUSS, type_DP="pDP"),
    "sd, analytic": partial(sd, **ANALYTIC),
    "covariance": cov,
    "histogram, breaks span": hist,
    "histogram, breaks go beyond": partial(hist, breaks=[-2, 0, 2, 4, 6]),
    "histogram, breaks span, unbounded": partial(hist, **UNBOUNDED),
    "histogram, breaks span, both": partial(hist, **BOTH, **GAUSS),
    "histogram, shares": partial(hist, normalize=True, eps=10.0),
    "table of Categoricals": partial(table, CELLS),
    "table of Categoricals, NA always": partial(table, CELLS, useNA="always"),
    "table of Categoricals, exclude": partial(table, CELLS, exclude=["a", None]),
    "table of Categoricals, both": partial(table, CELLS, **BOTH),
    "table of a categorical Series": partial(table, pd.Series(CELLS)),
    "Laplace": laplace,
    "Laplace, split": partial(laplace, alloc_proportions=[1, 2]),
    "Gaussian": gauss,
    "Gaussian, delta .99": partial(gauss, delta=0.99),
    "Gaussian, pDP": partial(gauss, eps=2.0, type_DP="pDP"),
    "Gaussian, analytic": partial(gauss, eps=2.0, delta=1e-9, analytic=True),
    "Gaussian, split": partial(gauss, alloc_proportions=[1, 2]),
    "geometric": lambda **more: pydpstat.symmetric_geometric(3, 1.0, **more),
    "geometric noise": lambda **more: pydpstat.symmetric_geometric_noise(3, 1.0, **more),
}

LOUD = {
    "mean, unbounded": (partial(mean, **UNBOUNDED), [SCALE]),
    "mean, both": (partial(mean, **BOTH), [SAME, SCALE]),
    "mean, unbounded, analytic": (partial(mean, **UNBOUNDED, **ANALYTIC), [SCALE]),
    "mean, delta 1.1": (partial(mean, mechanism="Gaussian", delta=1.1), [DELTA]),
    "variance": (var, [REDRAWN]),
    "variance, unbounded": (partial(var, **UNBOUNDED), [REDRAWN, SCALE]),
    "variance, unbounded, Gaussian": (partial(var, **UNBOUNDED, **GAUSS), [SCALE]),
    "sd": (sd, [REDRAWN]),
    "sd, both, analytic": (partial(sd, **BOTH, **ANALYTIC), [SAME, SCALE]),
    "covariance, both": (partial(cov, **BOTH), [SAME, SCALE]),
    "covariance, unbounded": (partial(cov, **UNBOUNDED), [SCALE]),
    "histogram, Sturges": (partial(hist, breaks="Sturges"), [BREAKS]),
    "histogram, number": (partial(hist, breaks=3), [BREAKS]),
    "histogram, Scott": (partial(hist, breaks="Scott"), [BREAKS]),
    "histogram, function": (partial(hist, breaks=lambda x: [0, 2, 4]), [BREAKS]),
    "histogram, breaks too short above": (partial(hist, upper_bound=5), [BREAKS]),
    "histogram, breaks too short below": (partial(hist, lower_bound=-1), [BREAKS]),
    "table of texts": (partial(table, ["a", "b"]), [LEVELS]),
    "table of numbers": (partial(table, [1, 2]), [LEVELS]),
    "table, one of two": (partial(table, CELLS, ["a", "b", "a", "b"]), [LEVELS]),
    "table, NA if any": (partial(table, CELLS, useNA="ifany"), [LEVELS]),
    "Gaussian, delta 1": (partial(gauss, delta=1.0), [DELTA]),
    "Gaussian, delta 1.25": (partial(gauss, delta=1.25), [DELTA]),
    "Gaussian, pDP, delta 1.5": (partial(gauss, delta=1.5, type_DP="pDP"), [DELTA]),
    "Gaussian, analytic, small delta": (partial(gauss, eps=0.1, delta=1e-15, analytic=True), [LOOSE]),
    "geometric noise, sign": (partial(pydpstat.symmetric_geometric_noise, 3, 1.0, method="sign"), [SIGN]),
}


@pytest.mark.parametrize("rng", [None, 5, "Generator"])
@pytest.mark.parametrize("name", SILENT)
def test_sound_calls_are_silent(name, rng):
    assert caught(SILENT[name], rng=np.random.default_rng(1) if rng == "Generator" else rng) == []


@pytest.mark.parametrize("rng", [None, 5])
@pytest.mark.parametrize("name", LOUD)
def test_other_calls_warn(name, rng):
    call, expected = LOUD[name]
    seen = caught(call, rng=rng)
    # the same text twice from one line is shown once
    texts = list(dict.fromkeys(str(each.message) for each in seen))
    assert len(texts) == len(expected) and all(part in text for part, text in zip(expected, texts)), texts
    for each in seen:
        wanted = UserWarning if SAME in str(each.message) else PrivacyWarning
        assert each.category is wanted


@pytest.mark.parametrize("which", ["table", "histogram"])
def test_a_pair_warns_once(which):
    call = partial(table, ["a", "b"]) if which == "table" else partial(hist, breaks="Sturges")
    assert len(caught(call, **BOTH, rng=1)) == 1


@pytest.mark.parametrize("name", LOUD)
def test_as_an_error_it_stops_before_any_draw(name):
    rng = RRandom(8)
    before = rng.state
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyWarning)
        with pytest.raises((PrivacyWarning, UserWarning)):
            LOUD[name][0](rng=rng)
    assert np.array_equal(rng.state, before)


@pytest.mark.parametrize("name", LOUD)
def test_a_text_says_what_to_use(name):
    for each in caught(LOUD[name][0], rng=1):
        text = str(each.message)
        assert text.endswith(".") and "\n" not in text and "  " not in text
        if each.category is PrivacyWarning:
            assert re.search(r"\b(Use|Give)\b", text)


def line():
    return inspect.currentframe().f_back.f_lineno


def test_it_points_at_the_callers_line():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        start = line()
        pydpstat.varDP(X, 1, 0, 5, rng=1)
        pydpstat.sdDP(X, 1, 0, 5, rng=1)
        pydpstat.covDP(X, X, 1, 0, 5, 0, 5, "unbounded", rng=1)
        pydpstat.histogramDP(X, 1, 0, 5, rng=1)
        pydpstat.tableDP([1, 2], rng=1)
        pydpstat.GaussianMechanism(1, 0.5, 1.1, 1, rng=1)
        pydpstat.symmetric_geometric_noise(3, 1, method="sign", rng=1)
        pydpstat.meanDP(X, 1, 0, 5, "both", rng=1)
    assert {each.filename for each in seen} == {__file__}
    # the last call warns twice
    assert [each.lineno - start for each in seen] == [*range(1, 9), 8]


def test_it_points_at_the_caller_through_helpers():
    def helper(call):
        return call(X, 1, 0, 5, rng=1)

    first = line() - 2
    released = partial(pydpstat.varDP, eps=1, lower_bound=0, upper_bound=5, rng=1)
    seen = caught(helper, pydpstat.varDP)
    assert [(each.filename, each.lineno) for each in seen] == [(__file__, first)]
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        list(map(released, [X]))
        here = line() - 1
    assert [(each.filename, each.lineno) for each in seen] == [(__file__, here)]


def test_it_can_be_silenced_by_module():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=PrivacyWarning, module=re.escape(__name__))
        pydpstat.varDP(X, 1, 0, 5, rng=1)
    assert seen == []
