"""A call that works for every mirror of DPpack's and diffpriv's functions."""

from collections.abc import Callable
from typing import Any

import numpy as np

import pydpstat
from tests.named_call import LABELS, PAIRS, Base, X, Y, positional


def dppack_calls() -> dict[str, Base]:
    d = pydpstat
    bounds = {"lower_bound": 0, "upper_bound": 1}
    bounds2 = {"lower_bound1": 0, "upper_bound1": 1, "lower_bound2": 0, "upper_bound2": 1}
    tail = dict(which_sensitivity="bounded", mechanism="Gaussian", delta=0.01, type_DP="aDP", rng=1)
    eps = {"eps": 0.5}
    calls = {name: {"x": X, **eps, **bounds, **tail} for name in ("meanDP", "varDP", "sdDP")}
    calls |= {
        "covDP": {"x1": X, "x2": Y, **eps, **bounds2, **tail},
        "histogramDP": dict(x=X, **eps, **bounds, breaks=[0, 0.5, 1], normalize=True, allow_negative=False, **tail),
        "quantileDP": {"x": X, "quant": 0.25, **eps, **bounds, "which_sensitivity": "bounded", "rng": 1},
        "medianDP": dict(x=X, **eps, **bounds, which_sensitivity="bounded", mechanism="exponential", rng=1),
        "LaplaceMechanism": dict(
            true_values=X, **eps, sensitivities=[1, 1, 1, 1], alloc_proportions=[1, 1, 1, 1], rng=1
        ),
        "GaussianMechanism": {
            "true_values": X,
            **{**eps, "delta": 0.01, "sensitivities": [1, 1, 1, 1], "type_DP": "aDP"},
            **{"alloc_proportions": [1, 1, 1, 1], "analytic": True, "tol": 1e-12, "rng": 1},
        },
        "ExponentialMechanism": dict(
            utility=X, **eps, sensitivity=1, measure=[1, 1, 1, 1], candidates=[1, 2, 3, 4], rng=1
        ),
        "calibrateAnalyticGaussianMechanism": {"epsilon": 1.0, "delta": 0.01, "sensitivity": 1, "tol": 1e-12},
        "meanDataAccess": {"x": X, **bounds},
        "varDataAccess": {"x": X, **bounds},
        "covDataAccess": {"x1": X, "x2": Y, **bounds2},
        "histogramDataAccess": {"x": X, "breaks": [0, 0.5, 1], "mechanism": "Laplace"},
        "quantileDataAccess": {"x": X, "quant": 0.25, **bounds},
        "pooledVarDataAccess": {"samples": [X, Y], **bounds, "approx_n_max": False},
        "pooledCovDataAccess": {"samples": [PAIRS, PAIRS], **bounds2, "approx_n_max": False},
    }
    bases = {name: Base(getattr(d, name), arguments) for name, arguments in calls.items()}
    more = {"approx_n_max": False, **eps, **tail}
    bases |= {
        "tableDP": Base(
            positional(d.tableDP, "first"),
            {"first": [1, 2, 2, 1], "second": ["a", "b", "b", "a"], "allow_negative": False, **eps, **tail},
        ),
        "tableDataAccess": Base(
            positional(d.tableDataAccess, "first"), {"first": [1, 2, 2, 1], "mechanism": "Laplace"}
        ),
        "pooledVarDP": Base(positional(d.pooledVarDP, "first", "second"), {"first": X, "second": Y, **bounds, **more}),
        "pooledCovDP": Base(
            positional(d.pooledCovDP, "first", "second"), {"first": PAIRS, "second": PAIRS, **bounds2, **more}
        ),
    }
    return bases | _models()


def _fit(make: Callable[[], Any]) -> Callable[..., Any]:
    return lambda **arguments: make().fit(**arguments)


def _models() -> dict[str, Base]:
    d = pydpstat
    form = {"mapXy_gr": d.mapXy_gr_linear, "regularizer_gr": None}
    huber = {"loss": d.generate_loss_huber(0.5), "loss_gr": d.generate_loss_gr_huber(0.5)}
    cms = {"regularizer": "l2", "eps": 1.0, "gamma": 1.0, "perturbation_method": "output"}
    domain = {"constraints": lambda w: w @ w - 1.0, "jacobian": lambda w: 2.0 * w}
    kst = {"regularizer": "l2", "eps": 1.0, "delta": 0.0, "gamma": 1.0}
    calls = {
        "EmpiricalRiskMinimizationDP_CMS": {"mapXy": d.mapXy_linear, **huber, **cms, "c": 1.0, **form},
        "WeightedERMDP_CMS": {"mapXy": d.mapXy_linear, **huber, **cms, "c": 1.0, **form},
        "EmpiricalRiskMinimizationDP_KST": {
            **{"mapXy": d.mapXy_linear, "loss": d.loss_squared_error, "loss_gr": d.loss_gr_squared_error},
            **{**kst, "domain": domain, "zeta": 2.0, "lambda_": 1.0, **form},
        },
        "LinearRegressionDP": {**kst, "regularizer_gr": None},
        "LogisticRegressionDP": {**cms, "regularizer_gr": None},
        "svmDP": dict(**cms, kernel="Gaussian", D=3, kernel_param=1.0, regularizer_gr=None, huber_h=0.5),
        "loss_cross_entropy": {"y_hat": X, "y": LABELS},
        "loss_gr_cross_entropy": {"y_hat": X, "y": LABELS},
        "loss_squared_error": {"y_hat": X, "y": Y},
        "loss_gr_squared_error": {"y_hat": X, "y": Y},
        "mapXy_linear": {"X": PAIRS, "coeff": [1.0, 2.0]},
        "mapXy_gr_linear": {"X": PAIRS, "coeff": [1.0, 2.0]},
        "mapXy_sigmoid": {"X": PAIRS, "coeff": [1.0, 2.0]},
        "mapXy_gr_sigmoid": {"X": PAIRS, "coeff": [1.0, 2.0]},
        "regularizer_l2": {"coeff": [1.0, 2.0]},
        "regularizer_gr_l2": {"coeff": [1.0, 2.0]},
        "phi_gaussian": {"x": [1.0, 2.0], "theta": [0.5, -0.25, 0.0]},
        "generate_loss_huber": {"h": 0.5},
        "generate_loss_gr_huber": {"h": 0.5},
        "generate_sampling": {"kernel_param": 0.1, "rng": 1},
    }
    bases = {name: Base(getattr(d, name), arguments) for name, arguments in calls.items()}
    table = {"X": PAIRS, "y": LABELS, "upper_bounds": [1, 1], "lower_bounds": [0, 0], "add_bias": False}
    three = {"upper_bounds": [1, 1, 1], "lower_bounds": [0, 0, 0]}
    bases |= {
        "LogisticRegressionDP.fit": Base(_fit(lambda: d.LogisticRegressionDP("l2", 1.0, 1.0)), {**table, "rng": 1}),
        "LinearRegressionDP.fit": Base(
            _fit(lambda: d.LinearRegressionDP("l2", 1.0, 0.0, 1.0)),
            {**table, "y": Y, **three, "rng": 1},
        ),
        "svmDP.fit": Base(
            _fit(lambda: d.svmDP("l2", 1.0, 1.0, "output")),
            {**table, "weights": [1, 1, 0.5, 1], "weights_upper_bound": 1, "rng": 1},
        ),
        "tune_classification_model": Base(
            d.tune_classification_model,
            {
                "DPmodels": [d.LogisticRegressionDP("l2", 1.0, gamma, "output") for gamma in (1.0, 0.5)],
                **{**table, "X": np.tile(PAIRS, (4, 1)), "y": np.tile(LABELS, 4)},
                **{"weights": None, "weights_upper_bound": None, "rng": 1},
            },
        ),
        "tune_linear_regression_model": Base(
            d.tune_linear_regression_model,
            {
                "DPmodels": [d.LinearRegressionDP("l2", 1.0, 0.0, gamma) for gamma in (1.0, 10.0)],
                **{**table, "X": np.tile(PAIRS, (4, 1)), "y": np.tile(Y, 4), **three, "rng": 1},
            },
        ),
    }
    return bases


def _target(X: Any) -> float:
    return float(np.mean(X))


def diffpriv_calls() -> dict[str, Base]:
    d = pydpstat
    mechanism = {"sensitivity": 0.25, "target": _target, "gammaSensitivity": None}
    laplace = d.DPMechLaplace(sensitivity=0.25, target=_target, dims=1)

    def oracle(n: int, rng: Any = None) -> np.ndarray:
        return np.linspace(0, 1, n)

    calls = {
        "DPMechLaplace": {**mechanism, "dims": 1},
        "DPMechGaussian": {**mechanism, "dims": 1},
        "DPMechExponential": {**mechanism, "responseSet": ["a", "b"]},
        "DPMechBernstein": {**mechanism, "latticeK": 2, "dims": 1},
        "DPParamsEps": {"epsilon": 1.0},
        "DPParamsDel": {"epsilon": 0.5, "delta": 0.01},
        "DPParamsGam": {"epsilon": 0.5, "delta": 0.01, "gamma": 0.05},
    }
    bases = {name: Base(getattr(d, name), arguments) for name, arguments in calls.items()}
    bases |= {
        "bernstein": Base(d.bernstein, {"f": lambda x: x * x, "dims": 1, "k": 3}),
        "releaseResponse": Base(
            d.releaseResponse,
            {"mechanism": laplace, "privacyParams": d.DPParamsEps(epsilon=1), "X": X, "rng": 1},
            ("X",),
        ),
        "sensitivityNorm": Base(d.sensitivityNorm, {"mechanism": laplace, "X1": X, "X2": Y}, ("X1", "X2")),
        "sensitivitySampler": Base(
            d.sensitivitySampler,
            {"object": laplace, "oracle": oracle, "n": 5, "m": 10, "gamma": 0.5, "rng": 1},
        ),
        "sensitivitySamplerManual": Base(
            d.sensitivitySamplerManual,
            {"object": laplace, "oracle": oracle, "n": 5, "m": 5, "k": 5, "rng": 1},
        ),
    }
    return bases
