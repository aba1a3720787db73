"""Comparisons of DPpack's choice among models that are fitted on groups of their own."""

from __future__ import annotations

from typing import Any

from pydpstat.parity.case import Case, Level
from r_reference.cases._nlopt_moves import near_reason, near_tolerance
from r_reference.cases.models_cms import SUMS

_N = 60
_FIRST = [round(((17 * i) % _N) / 29.5 - 1.05, 3) for i in range(_N)]
_SECOND = [round(((23 * i + 5) % 41) / 20.0 - 1.0, 3) for i in range(_N)]
_LABELS = [int(a + 0.4 * b > 0.1 or i % 11 == 0) for i, (a, b) in enumerate(zip(_FIRST, _SECOND))]
_RESPONSE = [round(0.8 * a - 0.4 * b + ((11 * i) % 7) / 12.0, 3) for i, (a, b) in enumerate(zip(_FIRST, _SECOND))]
_WEIGHTS = [round(((3 * i) % 7) / 4.0, 3) for i in range(_N)]
DATA = {"x1": _FIRST, "x2": _SECOND, "l": _LABELS, "y": _RESPONSE, "w": _WEIGHTS}
_FRAME, _MATRIX = "X <- data.frame(x1, x2)\n", "X <- cbind(x1, x2)\n"
_BOUNDS = {
    "tune_classification_model": "c(1, 0.9), c(-1, -0.9)",
    "tune_linear_regression_model": "c(1, 0.9, 1), c(-1, -0.9, -0.8)",
}
_RESPONSES = {"tune_classification_model": "l", "tune_linear_regression_model": "y"}


def _case(
    of: str,
    name: str,
    models: str,
    more: str = "",
    level: Level = "rtol",
    *,
    setup: str = _FRAME,
    bounds: str = "",
    after: str = "c(k$gamma, k$coeff)",
    listed: str = "list",
    **settings: Any,
) -> Case:
    """Return the comparison of a choice: the chosen model's gamma and coefficients."""
    models = f"list({models})" if listed == "list" else models
    linear = of == "tune_linear_regression_model"
    options: dict[str, Any] = {
        "tolerance": (near_tolerance(f"{of}/{name}") if linear else 1e-7) if level == "rtol" else 0.0,
        "reason": (near_reason(f"{of}/{name}") if linear else SUMS) if level == "rtol" else "",
        # R has fitted models before it stops
        "draws": level == "rtol",
        **settings,
    }
    return Case(
        id=f"{of}/{name}",
        function=of,
        package="DPpack",
        r=f"{setup}m <- {models}\nk <- DPpack::{of}(m, X, {_RESPONSES[of]}, {bounds or _BOUNDS[of]}{more})\n{after}",
        inputs=DATA,
        level=level,
        **options,
    )


def _stops(of: str, name: str, models: str, more: str, settings: Any) -> Case:
    """Return the comparison of a call that both sides refuse."""
    return _case(of, name, models, more, "error", **settings)


def _models(kind: str, eps: float = 1.0, more: str = "") -> str:
    return ", ".join(f"DPpack::{kind}$new('l2', {eps}, {gamma}{more})" for gamma in (20, 1, 0.05))


def _linear(eps: str = "1", delta: str = "0") -> str:
    return ", ".join(f"DPpack::LinearRegressionDP$new('l2', {eps}, {delta}, {gamma})" for gamma in (20, 1, 0.05))


_ALL = "c(k$gamma, sapply(m, function(each) each$coeff))"
_CHOICE = "tune_classification_model"
_CLASSIFIERS = [
    _case(
        _CHOICE,
        "svmDP, Gaussian, no bounds",
        _models("svmDP", 1.0, ", 'output', 'Gaussian', 3"),
        bounds="add.bias = FALSE",
    ),
    *(
        _case(
            _CHOICE,
            f"{kind}, {method}{bias and ', bias'}, eps {eps}",
            _models(kind, eps, f", '{method}'"),
            bias,
            seed=eps,
        )
        for kind in ("LogisticRegressionDP", "svmDP")
        for method in ("objective", "output")
        for bias, eps in (("", 1), (", add.bias = TRUE", 6))
    ),
    _case(_CHOICE, "all models are fitted", _models("LogisticRegressionDP"), after=_ALL),
    _case(_CHOICE, "one model", "DPpack::LogisticRegressionDP$new('l2', 1, 1)"),
    _case(
        _CHOICE,
        "different kinds",
        "DPpack::svmDP$new('l2', 2, 1), DPpack::LogisticRegressionDP$new('l2', 1, 1)",
    ),
    _case(
        _CHOICE,
        "the same object twice",
        "a, b, a",
        setup=_FRAME + "a <- DPpack::svmDP$new('l2', 1, 1)\nb <- DPpack::svmDP$new('l2', 1, 9)\n",
        after=_ALL,
    ),
    _case(_CHOICE, "Gaussian kernel", _models("svmDP", 3, ", kernel = 'Gaussian', D = 4")),
    _case(_CHOICE, "weights", _models("svmDP", 1, ", 'output'"), ", weights = w, weights.upper.bound = 1"),
    _case(_CHOICE, "weights by place", _models("svmDP", 1, ", 'output'"), ", TRUE, w, 1.2"),
    _case(_CHOICE, "matrix", _models("LogisticRegressionDP"), setup=_MATRIX),
    _case(
        _CHOICE,
        "labels a column of a matrix",
        _models("LogisticRegressionDP"),
        setup=_FRAME + "l <- as.matrix(l)\n",
    ),
    _case(_CHOICE, "labels logical", _models("LogisticRegressionDP"), setup=_FRAME + "l <- l == 1\n"),
    _case(_CHOICE, "fewer labels than rows", _models("LogisticRegressionDP"), setup=_FRAME + "l <- l[1:50]\n"),
    _case(
        _CHOICE,
        "more weights than rows",
        _models("svmDP", 1, ", 'output'"),
        ", weights = c(w, 1), weights.upper.bound = 1",
    ),
    _case(
        _CHOICE,
        "a record for each group",
        _models("LogisticRegressionDP"),
        setup=_FRAME + "X <- X[1:4, ]\nl <- l[1:4]\n",
    ),
    _case(_CHOICE, "predict afterwards", _models("svmDP"), after="as.numeric(k$predict(X))"),
    *(
        _stops(_CHOICE, name, models, more, settings)
        for name, models, more, settings in (
            (
                "too few records",
                _models("svmDP"),
                "",
                {"setup": _FRAME + "X <- X[1:3, ]\nl <- l[1:3]\n"},
            ),
            (
                "more labels than rows",
                _models("svmDP"),
                "",
                {"setup": _FRAME + "X <- X[1:30, ]\n"},
            ),
            (
                "labels in a frame",
                _models("svmDP"),
                "",
                {"setup": _FRAME + "l <- data.frame(l)\n"},
            ),
            (
                "weights for logistic regression",
                _models("LogisticRegressionDP"),
                ", weights = w, weights.upper.bound = 1",
                {},
            ),
            ("weights without a bound", _models("svmDP", 1, ", 'output'"), ", weights = w", {}),
            (
                "too few weights",
                _models("svmDP", 1, ", 'output'"),
                ", weights = w[1:9], weights.upper.bound = 1",
                {"setup": _FRAME},
            ),
            ("no model", "", "", {}),
            ("not a list", "DPpack::svmDP$new('l2', 1, 1)", "", {"listed": "as it is"}),
            ("a number", "3", "", {}),
            (
                "eps infinite",
                _models("svmDP", 1).replace("1.0", "Inf").replace("'l2', 1,", "'l2', Inf,"),
                "",
                {},
            ),
            (
                "base class",
                "DPpack::EmpiricalRiskMinimizationDP.CMS$new("
                "DPpack::mapXy.linear, DPpack::loss.squared.error, 'l2', 1, 1, 'output')",
                "",
                {},
            ),
            ("linear regression", _linear(), "", {"bounds": _BOUNDS["tune_linear_regression_model"]}),
            ("bounds too short", _models("svmDP"), "", {"bounds": "1, -1"}),
            (
                "X a vector",
                _models("svmDP"),
                "",
                {"setup": "X <- x1\n", "bounds": "1, -1"},
            ),
            (
                "validation label missing",
                _models("svmDP"),
                "",
                {"setup": _FRAME + "l[4] <- NA\n"},
            ),
        )
    ),
]
_REGRESSION = "tune_linear_regression_model"
_OUTSIDE = _FRAME + "y[6] <- 40\nx1[6] <- 7\nX <- data.frame(x1, x2)\n"
_LINEAR = [
    *(
        _case(_REGRESSION, f"delta {delta}, eps {eps}{bias and ', bias'}", _linear(eps, delta), bias, seed=3)
        for delta in ("0", "0.01")
        for eps, bias in (("1", ""), ("5", ", add.bias = TRUE"))
    ),
    _case(_REGRESSION, "all models are fitted", _linear(), after=_ALL),
    _case(_REGRESSION, "one model", "DPpack::LinearRegressionDP$new('l2', 1, 0, 1)"),
    _case(_REGRESSION, "matrix", _linear(), setup=_MATRIX),
    _case(_REGRESSION, "validation outside the bounds", _linear("8"), setup=_OUTSIDE),
    _case(
        _REGRESSION,
        "different eps",
        "DPpack::LinearRegressionDP$new('l2', 4, 0, 1), DPpack::LinearRegressionDP$new('l2', 1, 0, 1)",
    ),
    _case(
        _REGRESSION,
        "base class",
        ", ".join(
            "DPpack::EmpiricalRiskMinimizationDP.KST$new("
            f"DPpack::mapXy.linear, DPpack::loss.squared.error, 'l2', 2, 0, ball, 5, 2, {gamma})"
            for gamma in (1, 30)
        ),
        setup=_FRAME + "ball <- list(constraints = function(w) as.numeric(w %*% w) - 2)\n",
        seed=9,
    ),
    _case(_REGRESSION, "predict afterwards", _linear(), after="as.numeric(k$predict(X))"),
    *(
        _stops(_REGRESSION, name, models, more, settings)
        for name, models, more, settings in (
            (
                "too few records",
                _linear(),
                "",
                {"setup": _FRAME + "X <- X[1:3, ]\ny <- y[1:3]\n"},
            ),
            (
                "equal bounds of y",
                _linear(),
                "",
                {"bounds": "c(1, 1, 1), c(-1, -1, 1)"},
            ),
            (
                "infinite bounds of y",
                _linear(),
                "",
                {"bounds": "c(1, 1, Inf), c(-1, -1, 0)"},
            ),
            ("bounds without y", _linear(), "", {"bounds": "c(1, 1), c(-1, -1)"}),
            ("eps infinite", _linear("Inf"), "", {}),
            ("no model", "", "", {}),
            (
                "response text",
                _linear(),
                "",
                {"setup": _FRAME + "y <- as.character(y)\n"},
            ),
            (
                "validation value missing",
                _linear(),
                "",
                {"setup": _FRAME + "X[4, 1] <- NA\n"},
            ),
        )
    ),
]

CASES = tuple(_CLASSIFIERS + _LINEAR)
