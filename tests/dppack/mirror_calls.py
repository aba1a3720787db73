"""A good call of every mirror, R's signatures, and what the contract's tests share."""

from __future__ import annotations

import inspect
import warnings

import numpy as np

from pydpstat import DPResultsPair, dppack

X = [1.0, 2.5, 3.0, 4.0, 7.25, -3.5, 0.1, 2.0]
Y = [0.3, -1.2, 2.2, 2.8, 3.1, 3.3, 4.9, 5.0]
PAIRS = np.column_stack([X, Y])
TAIL = {"which.sensitivity": "bounded", "mechanism": "Laplace", "delta": 0, "type.DP": "aDP"}
REQUIRED = inspect.Parameter.empty
CHOICE_TAIL = {"which.sensitivity": "bounded", "mechanism": "exponential"}
BOUNDS2 = ("lower.bound1", "upper.bound1", "lower.bound2", "upper.bound2")

# R's formals: DPpack 0.2.2
FORMALS = {
    "meanDP": {"x": REQUIRED, "eps": REQUIRED, "lower.bound": REQUIRED, "upper.bound": REQUIRED, **TAIL},
    "varDP": {"x": REQUIRED, "eps": REQUIRED, "lower.bound": REQUIRED, "upper.bound": REQUIRED, **TAIL},
    "sdDP": {"x": REQUIRED, "eps": REQUIRED, "lower.bound": REQUIRED, "upper.bound": REQUIRED, **TAIL},
    "covDP": {
        **dict.fromkeys(
            ("x1", "x2", "eps", "lower.bound1", "upper.bound1", "lower.bound2", "upper.bound2"), REQUIRED
        ),
        **TAIL,
    },
    "histogramDP": {
        **dict.fromkeys(("x", "eps", "lower.bound", "upper.bound"), REQUIRED),
        "breaks": "Sturges",
        "normalize": False,
        **TAIL,
        "allow.negative": False,
    },
    "tableDP": {"...": REQUIRED, "eps": 1, **TAIL, "allow.negative": False},
    "LaplaceMechanism": {
        **dict.fromkeys(("true.values", "eps", "sensitivities"), REQUIRED),
        "alloc.proportions": None,
    },
    "GaussianMechanism": {
        **dict.fromkeys(("true.values", "eps", "delta", "sensitivities"), REQUIRED),
        "type.DP": "aDP",
        "alloc.proportions": None,
        "analytic": False,
        "tol": 1e-12,
    },
    "calibrateAnalyticGaussianMechanism": {
        **dict.fromkeys(("epsilon", "delta", "sensitivity"), REQUIRED),
        "tol": 1e-12,
    },
    "ExponentialMechanism": {
        **dict.fromkeys(("utility", "eps", "sensitivity"), REQUIRED),
        "measure": None,
        "candidates": None,
    },
    "quantileDP": {
        **dict.fromkeys(("x", "quant", "eps", "lower.bound", "upper.bound"), REQUIRED),
        **CHOICE_TAIL,
    },
    "medianDP": {**dict.fromkeys(("x", "eps", "lower.bound", "upper.bound"), REQUIRED), **CHOICE_TAIL},
    "pooledVarDP": {
        "...": REQUIRED,
        "eps": 1,
        **dict.fromkeys(("lower.bound", "upper.bound"), REQUIRED),
        **TAIL,
        "approx.n.max": False,
    },
    "pooledCovDP": {
        "...": REQUIRED,
        "eps": 1,
        **dict.fromkeys(BOUNDS2, REQUIRED),
        **TAIL,
        "approx.n.max": False,
    },
    "meanDataAccess": dict.fromkeys(("x", "lower.bound", "upper.bound"), REQUIRED),
    "varDataAccess": dict.fromkeys(("x", "lower.bound", "upper.bound"), REQUIRED),
    "covDataAccess": dict.fromkeys(("x1", "x2", *BOUNDS2), REQUIRED),
    "histogramDataAccess": dict.fromkeys(("x", "breaks", "mechanism"), REQUIRED),
    "tableDataAccess": {"...": REQUIRED, "mechanism": "Laplace"},
    "pooledVarDataAccess": dict.fromkeys(("samples", "lower.bound", "upper.bound", "approx.n.max"), REQUIRED),
    "pooledCovDataAccess": dict.fromkeys(("samples", *BOUNDS2, "approx.n.max"), REQUIRED),
    "quantileDataAccess": dict.fromkeys(("x", "quant", "lower.bound", "upper.bound"), REQUIRED),
}
DRAWING = [name for name in FORMALS if not name.startswith("calibrate") and not name.endswith("DataAccess")]

# a call that works for each: what is named, positional arguments excepted
GOOD = {
    "meanDP": {
        "x": X,
        "eps": 0.5,
        "lower_bound": 0,
        "upper_bound": 5,
        "mechanism": "Gaussian",
        "delta": 0.01,
    },
    "varDP": {"x": X, "eps": 0.5, "lower_bound": 0, "upper_bound": 5, "mechanism": "Gaussian", "delta": 0.01},
    "sdDP": {"x": X, "eps": 0.5, "lower_bound": 0, "upper_bound": 5, "mechanism": "Gaussian", "delta": 0.01},
    "covDP": {
        "x1": X,
        "x2": Y,
        "eps": 0.5,
        "lower_bound1": 0,
        "upper_bound1": 5,
        "lower_bound2": 0,
        "upper_bound2": 6,
        "mechanism": "Gaussian",
        "delta": 0.01,
    },
    "histogramDP": {
        "x": X,
        "eps": 0.5,
        "lower_bound": 0,
        "upper_bound": 5,
        "breaks": [0, 2.5, 5],
        "mechanism": "Gaussian",
        "delta": 0.01,
    },
    "tableDP": {"a": [1, 2, 2], "eps": 0.5, "mechanism": "Gaussian", "delta": 0.01},
    "LaplaceMechanism": {
        "true_values": [1.0, 2.0, 3.0],
        "eps": 0.5,
        "sensitivities": [1, 2, 3],
        "alloc_proportions": [1, 1, 1],
    },
    "GaussianMechanism": {
        "true_values": [1.0, 2.0, 3.0],
        "eps": 0.5,
        "delta": 0.01,
        "sensitivities": [1, 2, 3],
        "alloc_proportions": [1, 1, 1],
    },
    "ExponentialMechanism": {"utility": X, "eps": 0.5, "sensitivity": 1, "measure": [1, 1, 1, 1, 2, 2, 2, 2]},
    "quantileDP": {"x": X, "quant": 0.75, "eps": 0.5, "lower_bound": 0, "upper_bound": 5},
    "medianDP": {"x": X, "eps": 0.5, "lower_bound": 0, "upper_bound": 5},
    "pooledVarDP": {
        "samples": (X, Y),
        "eps": 0.5,
        "lower_bound": 0,
        "upper_bound": 5,
        "mechanism": "Gaussian",
        "delta": 0.01,
    },
    "pooledCovDP": {
        "samples": (PAIRS, PAIRS),
        "eps": 0.5,
        "lower_bound1": 0,
        "upper_bound1": 5,
        "lower_bound2": 0,
        "upper_bound2": 6,
        "mechanism": "Gaussian",
        "delta": 0.01,
    },
}


def call(name, arguments, rng=None):
    """Call a mirror without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        named = dict(arguments)
        samples = named.pop("samples", ())
        groups = samples if isinstance(samples, tuple) else (samples,)
        return getattr(dppack, name)(*groups, **named, rng=rng)


def values(result):
    results = result.values() if isinstance(result, DPResultsPair) else [result]
    return np.concatenate([np.ravel(each.value, order="F") for each in results])
