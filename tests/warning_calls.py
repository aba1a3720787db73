"""Calls that warn and calls that do not."""

import warnings

import pandas as pd

import pydpstat

X = [1.0, 2.5, 3.0, 4.0, 2.0]
CELLS = pd.Categorical(["a", "b", "a", None], categories=["a", "b", "c"])
GAUSS = {"mechanism": "Gaussian", "delta": 0.01}
ANALYTIC = {"mechanism": "analytic", "delta": 1e-5}


def spread(call):
    return lambda **more: call(X, **{"eps": 0.5, "lower_bound": 0, "upper_bound": 5, **more})


mean, var, sd = (spread(call) for call in (pydpstat.meanDP, pydpstat.varDP, pydpstat.sdDP))


def cov(**more):
    return pydpstat.covDP(
        X,
        X,
        **{"eps": 0.5, "lower_bound1": 0, "upper_bound1": 5, "lower_bound2": 0, "upper_bound2": 5, **more},
    )


def hist(**more):
    usual = {"eps": 0.5, "lower_bound": 0, "upper_bound": 4, "breaks": [0, 2, 4]}
    return pydpstat.histogramDP(X, **{**usual, **more})


def table(*columns, **more):
    return pydpstat.tableDP(*columns, **{"eps": 0.5, **more})


def caught(call, *arguments, **keywords):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        call(*arguments, **keywords)
    return seen
