"""A call that works for every public function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import pydpstat
from tests.junk import echo

X = np.array([0.2, 0.4, 0.7, 0.9])
Y = np.array([0.1, 0.5, 0.6, 1.0])
PAIRS = np.column_stack([X, Y])
LABELS = np.array([0, 0, 1, 1])


class Base(NamedTuple):
    """A call with its arguments by name, and those that junk must not take the place of.

    Parameters
    ----------
    call : callable
        Takes the arguments by name.
    arguments : dict
        With them it returns.
    spared : tuple of str
        Arguments that go to a function of the caller's own, which may raise what it likes.
    """

    call: Callable[..., Any]
    arguments: dict[str, Any]
    spared: tuple[str, ...] = ()


def _weighted(epsilon: float) -> dict[str, dict[str, Any]]:
    """Arguments of the statistics of records with weights."""
    common = {
        "weights": Y,
        "epsilon": epsilon,
        "max_weight": 1,
        "missing": "error",
        "rng": None,
        "budget": None,
    }
    either = {**common, "neighbors": "bounded"}
    return {
        "weighted_mean": {"data": X, "bounds": (0, 1), **either},
        "weighted_proportion": {"condition": X > 0.5, **either},
        "weighted_quantile": {"data": X, "q": 0.5, "bounds": (0, 1), "bins": 16, **either},
        "weighted_total": {"data": X, "bounds": (0, 1), **common},
    }


def echo_half(block: Any) -> float:
    """Return a p-value whatever the block is."""
    return 0.5


def _own(epsilon: float = 1.0) -> dict[str, Base]:
    d = pydpstat
    common = {"epsilon": epsilon, "delta": 1e-6, "mechanism": "gaussian", "neighbors": "bounded"}
    common |= {"missing": 0.5, "rng": None, "budget": None}
    choice = {key: common[key] for key in ("epsilon", "neighbors", "missing", "rng", "budget")}
    choice |= {"grid_points": 101, "population": False}
    test = {key: common[key] for key in ("epsilon", "neighbors", "missing", "rng", "budget")}
    t_test = {"bounds": (0, 1), "alternative": "less", **test}
    calls = {
        name: {"data": X, "bounds": (0, 1), **common} for name in ("mean", "sum", "var", "std", "moments")
    }
    for name in ("mean", "var", "std"):
        calls[name]["population"] = True
    calls |= {name: {"x": X, "y": Y, "bounds": ((0, 1), (0, 1)), **common} for name in ("cov", "corr")}
    calls |= {name: {"condition": X > 0.5, **common, "missing": True} for name in ("count", "proportion")}
    calls |= {
        "median": {"x": X, "bounds": (0, 1), **choice},
        "quantile": {"x": X, "q": 0.25, "bounds": (0, 1), **choice},
        "quantiles": {"x": X, "qs": [0.25, 0.75], "bounds": (0, 1), **choice},
        "histogram": {"x": X, "edges": [0, 0.5, 1], **common},
        "crosstab": {
            "data": ["a", "b", "b"],
            "levels": ["a", "b"],
            "other": "other",
            **common,
            "missing": "a",
        },
        "nunique": {
            "data": [1, 2, 2, 3],
            "by": LABELS,
            "levels": [0, 1],
            "other": "other",
            "max_groups": 2,
            **common,
            "missing": "error",
        },
        "binomtest": {"condition": X > 0.5, "p": 0.4, "alternative": "less", **test, "missing": True},
        "proportions_test": {
            "condition1": X > 0.5,
            "condition2": Y > 0.5,
            "value": 0.1,
            "compare": "diff",
            "alternative": "less",
            **test,
            "missing": True,
        },
        "quantile_test": {"x": X, "q": 0.3, "p": 0.25, "alternative": "less", "ties": False, **test},
        **_weighted(epsilon),
        "ttest_1samp": {"a": X, "popmean": 0.5, "method": "exact", **t_test},
        "ttest_rel": {"a": X, "b": Y, "method": "exact", **t_test},
        "ttest_ind": {"a": X, "b": Y, "equal_var": False, **t_test},
        "chisquare": {
            "data": ["a", "b", "b"],
            "levels": ["a", "b"],
            "f_exp": [1, 2],
            **{key: common[key] for key in ("epsilon", "neighbors", "rng", "budget")},
            "missing": "a",
        },
        "chi2_contingency": {
            "x": ["a", "b", "b"],
            "y": ["u", "u", "v"],
            "levels": [["a", "b"], ["u", "v"]],
            **{key: common[key] for key in ("epsilon", "neighbors", "rng", "budget")},
            "missing": "error",
        },
        "ols": {
            "formula": Y,
            "data": X,
            "bounds": [(0, 1), (0, 1)],
            "levels": None,
            "method": "rank",
            "coefficients": ["x1"],
            "null": 0.0,
            "interval": True,
            **{**common, "delta": 0, "mechanism": "geometric"},
        },
        "choose": {
            "candidates": ["a", "b"],
            "scores": [1, 2],
            "epsilon": epsilon,
            "sensitivity": 1,
            "mechanism": "noisy max",
            "rng": None,
            "budget": None,
        },
        "any_test": {
            "data": X,
            "test": echo_half,
            "epsilon": epsilon,
            "blocks": 2,
            "level": 0.2,
            "null": None,
            "neighbors": "bounded",
            "rng": None,
            "budget": None,
        },
        "any_interval": {
            "data": X,
            "estimator": np.mean,
            "epsilon": epsilon,
            "range": (0, 1),
            "limit": "lower",
            "level": 0.2,
            "blocks": 2,
            "neighbors": "bounded",
            "rng": None,
            "budget": None,
        },
        "logit": {
            "formula": LABELS,
            "data": PAIRS,
            "epsilon": epsilon,
            "bounds": (0, 1),
            "levels": None,
            "neighbors": "bounded",
            "missing": 0.5,
            "rng": None,
            "budget": None,
        },
        "plan": {
            "function": "mean",
            "epsilon": epsilon,
            "n": 10,
            "columns": None,
            "bounds": (0, 1),
            **{key: common[key] for key in ("delta", "mechanism", "neighbors", "missing", "rng")},
        },
        "compose": {"guarantees": [d.Guarantee(1.0), d.Guarantee(0.5)], "method": "basic", "delta": None},
        "Guarantee": {
            "epsilon": 1.0,
            "delta": 0.0,
            "neighbors": "bounded",
            "conditions": (),
            "loss": None,
        },
        "Budget": {
            "epsilon": 1.0,
            "delta": 1e-6,
            "path": None,
            "accountant": "zcdp",
            "neighbors": "bounded",
        },
        "calibrate_gaussian": {"epsilon": 1.0, "delta": 1e-6, "sensitivity": 1.0, "method": "analytic"},
        "symmetric_geometric": {"value": [1, 2], "epsilon": 1.0, "sensitivity": 1, "rng": None},
        "symmetric_geometric_noise": {
            "size": 3,
            "epsilon": 1.0,
            "sensitivity": 1,
            "method": "difference",
            "rng": 1,
        },
        "RRandom": {"seed": 1},
    }
    test = {key: common[key] for key in ("epsilon", "neighbors", "missing", "rng", "budget")}
    calls |= {
        name: {"x": X, "y": Y, "alternative": "greater", **test}
        for name in ("mannwhitneyu", "wilcoxon", "kendalltau", "ks_2samp")
    }
    calls["wilcoxon"]["cap"] = 2
    calls["kstest"] = {"x": X, "cdf": "norm", "args": (0.0, 1.0), "alternative": "less", **test}
    bases = {name: Base(getattr(d, name), arguments) for name, arguments in calls.items()}
    bases["kruskal"] = Base(_positional(d.kruskal, "first", "second"), {"first": X, "second": Y, **test})
    bases["f_oneway"] = Base(
        lambda **arguments: d.f_oneway(arguments.pop("sample1"), arguments.pop("sample2"), **arguments),
        {
            "sample1": X,
            "sample2": Y,
            "bounds": (0, 1),
            "shape": "any",
            **{key: common[key] for key in ("epsilon", "neighbors", "missing", "rng", "budget")},
        },
    )
    bases["audit"] = Base(
        d.audit,
        {
            "release": echo,
            "data": 0.0,
            "neighbour": 1.0,
            "claim": 1.0,
            "samples": 500,
            "confidence": 0.95,
            "seconds": 1.0,
            "rng": 1,
        },
        # they go to the release, whatever they are
        ("data", "neighbour"),
    )
    return bases


def _positional(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Give some arguments by place."""

    def call(**arguments: Any) -> Any:
        first = [arguments.pop(name) for name in names]
        return function(*first, **arguments)

    return call


def _dppack() -> dict[str, Base]:
    d = pydpstat
    bounds = {"lower_bound": 0, "upper_bound": 1}
    bounds2 = {"lower_bound1": 0, "upper_bound1": 1, "lower_bound2": 0, "upper_bound2": 1}
    tail = {
        "which_sensitivity": "bounded",
        "mechanism": "Gaussian",
        "delta": 0.01,
        "type_DP": "aDP",
        "rng": 1,
    }
    eps = {"eps": 0.5}
    calls = {name: {"x": X, **eps, **bounds, **tail} for name in ("meanDP", "varDP", "sdDP")}
    calls |= {
        "covDP": {"x1": X, "x2": Y, **eps, **bounds2, **tail},
        "histogramDP": {
            "x": X,
            **eps,
            **bounds,
            "breaks": [0, 0.5, 1],
            "normalize": True,
            "allow_negative": False,
            **tail,
        },
        "quantileDP": {"x": X, "quant": 0.25, **eps, **bounds, "which_sensitivity": "bounded", "rng": 1},
        "medianDP": {
            "x": X,
            **eps,
            **bounds,
            "which_sensitivity": "bounded",
            "mechanism": "exponential",
            "rng": 1,
        },
        "LaplaceMechanism": {
            "true_values": X,
            **eps,
            "sensitivities": [1, 1, 1, 1],
            "alloc_proportions": [1, 1, 1, 1],
            "rng": 1,
        },
        "GaussianMechanism": {
            "true_values": X,
            **eps,
            "delta": 0.01,
            "sensitivities": [1, 1, 1, 1],
            "type_DP": "aDP",
            "alloc_proportions": [1, 1, 1, 1],
            "analytic": True,
            "tol": 1e-12,
            "rng": 1,
        },
        "ExponentialMechanism": {
            "utility": X,
            **eps,
            "sensitivity": 1,
            "measure": [1, 1, 1, 1],
            "candidates": [1, 2, 3, 4],
            "rng": 1,
        },
        "calibrateAnalyticGaussianMechanism": {
            "epsilon": 1.0,
            "delta": 0.01,
            "sensitivity": 1,
            "tol": 1e-12,
        },
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
            _positional(d.tableDP, "first"),
            {"first": [1, 2, 2, 1], "second": ["a", "b", "b", "a"], "allow_negative": False, **eps, **tail},
        ),
        "tableDataAccess": Base(
            _positional(d.tableDataAccess, "first"), {"first": [1, 2, 2, 1], "mechanism": "Laplace"}
        ),
        "pooledVarDP": Base(
            _positional(d.pooledVarDP, "first", "second"), {"first": X, "second": Y, **bounds, **more}
        ),
        "pooledCovDP": Base(
            _positional(d.pooledCovDP, "first", "second"),
            {"first": PAIRS, "second": PAIRS, **bounds2, **more},
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
            "mapXy": d.mapXy_linear,
            "loss": d.loss_squared_error,
            "loss_gr": d.loss_gr_squared_error,
            **kst,
            "domain": domain,
            "zeta": 2.0,
            "lambda_": 1.0,
            **form,
        },
        "LinearRegressionDP": {**kst, "regularizer_gr": None},
        "LogisticRegressionDP": {**cms, "regularizer_gr": None},
        "svmDP": {
            **cms,
            "kernel": "Gaussian",
            "D": 3,
            "kernel_param": 1.0,
            "regularizer_gr": None,
            "huber_h": 0.5,
        },
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
    bases |= {
        "LogisticRegressionDP.fit": Base(
            _fit(lambda: d.LogisticRegressionDP("l2", 1.0, 1.0)), {**table, "rng": 1}
        ),
        "LinearRegressionDP.fit": Base(
            _fit(lambda: d.LinearRegressionDP("l2", 1.0, 0.0, 1.0)),
            {**table, "y": Y, "upper_bounds": [1, 1, 1], "lower_bounds": [0, 0, 0], "rng": 1},
        ),
        "svmDP.fit": Base(
            _fit(lambda: d.svmDP("l2", 1.0, 1.0, "output")),
            {**table, "weights": [1, 1, 0.5, 1], "weights_upper_bound": 1, "rng": 1},
        ),
        "tune_classification_model": Base(
            d.tune_classification_model,
            {
                "DPmodels": [d.LogisticRegressionDP("l2", 1.0, gamma, "output") for gamma in (1.0, 0.5)],
                **{
                    key: (
                        np.tile(value, (4, 1)) if key == "X" else np.tile(value, 4) if key == "y" else value
                    )
                    for key, value in table.items()
                },
                "weights": None,
                "weights_upper_bound": None,
                "rng": 1,
            },
        ),
        "tune_linear_regression_model": Base(
            d.tune_linear_regression_model,
            {
                "DPmodels": [d.LinearRegressionDP("l2", 1.0, 0.0, gamma) for gamma in (1.0, 10.0)],
                "X": np.tile(PAIRS, (4, 1)),
                "y": np.tile(Y, 4),
                "upper_bounds": [1, 1, 1],
                "lower_bounds": [0, 0, 0],
                "add_bias": False,
                "rng": 1,
            },
        ),
    }
    return bases


def _target(X: Any) -> float:
    return float(np.mean(X))


def _diffpriv() -> dict[str, Base]:
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


BASES: dict[str, Base] = {**_own(), **_dppack(), **_diffpriv()}
# what is no function of its arguments: results, errors, virtual classes, the version
NO_CALLS = (
    "__version__",
    "AuditResults",
    "BudgetExceeded",
    "DPResults",
    "DPResultsPair",
    "DPMech",
    "DPMechNumeric",
    "InferenceResults",
    "ModelResults",
    "PrivacyWarning",
    "PydpstatError",
    "RegressionResults",
)
