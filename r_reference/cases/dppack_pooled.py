"""Comparisons of DPpack's pooled variance and covariance."""

from __future__ import annotations

from itertools import product
from typing import Any

from pydpstat.parity.case import Case, Factor, Inputs, Level

NOT_FINITE = "R returns NA, NaN or an infinite value; Python stops and says so"
X = [1.0, 2.5, 3.0, 4.0, 7.25, -3.5, 0.1]
Y = [0.3, -1.2, 2.2]
Z = [2.0, 4.5]
VECTORS = {"x": X, "y": Y, "z": Z}
TWOS = {"x": [1.0, 4.0], "y": [2.0, 2.5]}
PAIRS = {"x": X, "y": [0.3, -1.2, 2.2, 2.8, 3.1, 3.3, 4.9], "u": [1.0, 2.0, 4.5], "v": [5.0, 4.0, 0.5]}
MECHANISMS = (
    ("Laplace", 1.0, 0.0, "aDP"),
    ("Gaussian", 0.9, 0.01, "aDP"),
    ("Gaussian", 1.5, 1e-5, "pDP"),
    ("analytic", 1.0, 1e-6, "aDP"),
)


def _case(
    function: str,
    name: str,
    samples: str,
    rest: str,
    level: Level = "exact",
    inputs: Inputs | None = None,
    *,
    python: str = "",
    seed: int = 123,
    reason: str = "",
    draws: bool = True,
) -> Case:
    return Case(
        id=f"{function}/{name}",
        function=function,
        package="DPpack",
        r=f"DPpack::{function}({', '.join(part for part in (samples, rest) if part)})",
        python=python,
        inputs=VECTORS if inputs is None else inputs,
        level=level,
        reason=reason or (NOT_FINITE if level == "difference" else ""),
        seed=seed,
        recorded_ulp=4.0 if level == "exact" else 0.0,
        draws=draws,
    )


def _grid(
    function: str,
    samples: str,
    bounds: str,
    inputs: Inputs,
    name: str = "",
) -> list[Case]:
    """Every mechanism with every kind of sensitivity, with and without the largest group's size."""
    cases: list[Case] = []
    for (mechanism, eps, delta, kind), which in product(MECHANISMS, ("bounded", "unbounded", "both")):
        approx = "TRUE" if len(cases) % 2 else "FALSE"
        rest = (
            f"eps = {eps}, {bounds}, which.sensitivity = '{which}', mechanism = '{mechanism}', "
            f"delta = {delta}, type.DP = '{kind}', approx.n.max = {approx}"
        )
        title = f"{name}{mechanism} {kind} {which}"
        cases.append(_case(function, title, samples, rest, inputs=inputs, seed=len(cases) + 1))
    return cases


_B = "lower.bound = 0, upper.bound = 5"
_PRIVACY = (
    ("eps zero", "eps = 0"),
    ("eps text", "eps = '1'"),
    ("eps infinite", "eps = Inf"),
    ("which unknown", "which.sensitivity = 'foo'"),
    ("mechanism unknown", "mechanism = 'laplace'"),
    ("delta zero", "eps = 0.5, mechanism = 'Gaussian'"),
    ("eps 1 with aDP", "mechanism = 'Gaussian', delta = 0.01"),
    ("type unknown", "eps = 0.5, mechanism = 'Gaussian', delta = 0.1, type.DP = 'x'"),
    ("approx text", "approx.n.max = 'a'"),
    ("approx missing", "approx.n.max = NaN"),
)


def _var(name: str, samples: str, rest: str = _B, level: Level = "exact", *more: Any, **options: Any) -> Case:
    return _case("pooledVarDP", name, samples, rest, level, *more, **options)


_VARIANCE = [
    *_grid("pooledVarDP", "x, y, z", "lower.bound = -1, upper.bound = 5", VECTORS),
    *_grid("pooledVarDP", "x, y", _B, TWOS, name="two records a group, "),
    _var("defaults", "x, y"),
    _var("eps TRUE-like approx", "x, y", f"{_B}, approx.n.max = 2"),
    _var("one group", "x", seed=6),
    _var("many groups", "x, y, z, x, y, z", seed=6),
    _var("clips both sides", "x, y", "lower.bound = 0.5, upper.bound = 3", seed=2),
    _var("integers", "x, y", inputs={"x": [1, 2, 7], "y": [4, 4]}),
    _var("logicals", "x, y", inputs={"x": [1.5, 2.0, 4.0], "y": [True, False]}),
    _var("infinite data are clipped", "x, y", inputs={"x": [1.0, float("inf")], "y": [float("-inf"), 2.0, 3.0]}),
    _var("repeated draws", "x, y", f"eps = 0.02, {_B}", seed=4),
    _var("repeated Gaussian draws", "x, y", f"eps = 0.02, {_B}, mechanism = 'Gaussian', delta = 0.01", seed=4),
    _var("constant data", "x, y", inputs={"x": [2.0, 2.0, 2.0], "y": [2.0, 2.0, 2.0]}),
    _var("reversed bounds", "x, y", "lower.bound = 5, upper.bound = 0"),
    _var("one column", "matrix(x, ncol = 1), y"),
    _var("equal bounds", "x, y", "lower.bound = 1, upper.bound = 1", "error"),
    _var("no upper bound", "x, y", "lower.bound = 0, upper.bound = NULL", "error"),
    _var("two lower bounds", "x, y", "lower.bound = c(0, 1), upper.bound = 5", "error"),
    _var("bound missing", "x, y", "lower.bound = NaN, upper.bound = 5", "error"),
    *(_var(name, "x, y", f"{_B}, {rest}", "error") for name, rest in _PRIVACY),
    _var("no groups", "", level="error"),
    _var("a list of groups", "list(x, y)", level="error"),
    _var("factor", "x, y", _B, "error", {"x": X, "y": Factor(("1", "2"), ("1", "2"))}),
    # R draws once before it stops here, so the streams are not compared
    *(
        _var(name, "x, y", _B, "error", {"x": X, "y": data}, draws=False)
        for name, data in (("one record", [1.0]), ("missing value", [1.0, float("nan")]), ("empty group", []))
    ),
    _var("a row", "matrix(x, 1), y", level="error", draws=False),
    _var("NULL", "x, NULL", level="error", draws=False),
    _var("infinite bound", "x, y", "lower.bound = 0, upper.bound = Inf", "difference"),
    _var("one pair, unbounded", "x", f"{_B}, which.sensitivity = 'unbounded'", "difference", TWOS),
    _var("one pair, both", "x", f"{_B}, which.sensitivity = 'both'", "difference", TWOS),
    _var(
        "no noise and no variance",
        "x, x",
        f"eps = 0.5, {_B}, mechanism = 'Gaussian', delta = 1.25",
        "endless",
        {"x": [1.0] * 5},
    ),
    _var(
        "data frame",
        "data.frame(x), y",
        _B,
        "refused",
        reason="R counts a data frame's columns as its records, which gives no pooled variance; Python stops",
    ),
    _var(
        "text",
        "x, y",
        _B,
        "refused",
        {"x": X, "y": ["1", "2"]},
        reason="R clips text in alphabetical order and reads what is left as numbers; Python stops",
    ),
]

_C = "lower.bound1 = 0, upper.bound1 = 5, lower.bound2 = 0, upper.bound2 = 4"
_M = "cbind(x, y), cbind(u, v)"


def _cov(
    name: str,
    rest: str = _C,
    level: Level = "exact",
    samples: str = _M,
    inputs: Inputs = PAIRS,
    **options: Any,
) -> Case:
    return _case("pooledCovDP", name, samples, rest, level, inputs, **options)


_COVARIANCE = [
    *_grid("pooledCovDP", _M, _C, PAIRS),
    _cov("defaults"),
    _cov("one group", samples="cbind(x, y)"),
    _cov("data frames", samples="data.frame(x, y), data.frame(u, v)"),
    _cov("a third column", samples="data.frame(x, y, z = 'a'), cbind(u, v, v)"),
    _cov(
        "lists of pairs",
        samples="cbind(c(1, 2, 4), c(3, 5, 1))",
        inputs={},
        python="dppack.pooledCovDP([[1, 3], [2, 5], [4, 1]], lower_bound1=0, upper_bound1=5, lower_bound2=0, "
        "upper_bound2=4, rng=rng)",
    ),
    _cov("integers", inputs={"x": [1, 2, 3], "y": [3, 1, 2], "u": [4, 4], "v": [1, 0]}),
    _cov("both bounds reversed", "lower.bound1 = 5, upper.bound1 = 0, lower.bound2 = 4, upper.bound2 = 0"),
    _cov(
        "one pair of bounds reversed",
        "lower.bound1 = 5, upper.bound1 = 0, lower.bound2 = 0, upper.bound2 = 4",
        "error",
    ),
    _cov("equal bounds", "lower.bound1 = 5, upper.bound1 = 5, lower.bound2 = 0, upper.bound2 = 4", "error"),
    _cov("two bounds", "lower.bound1 = 0, upper.bound1 = 5, lower.bound2 = 0, upper.bound2 = c(4, 5)", "error"),
    *(_cov(name, f"{_C}, {rest}", "error") for name, rest in _PRIVACY),
    _cov("two records", samples="cbind(1:2, c(3, 1))", inputs={}),
    _cov(
        "two records, unbounded",
        f"{_C}, which.sensitivity = 'unbounded'",
        "error",
        "cbind(1:2, c(3, 1))",
        {},
    ),
    # R draws once before it stops here, so the streams are not compared
    _cov(
        "two records, both",
        f"{_C}, which.sensitivity = 'both'",
        "error",
        "cbind(1:2, c(3, 1))",
        {},
        draws=False,
    ),
    _cov("no groups", level="error", samples=""),
    _cov("a vector", level="error", samples="cbind(x, y), x"),
    _cov("one column", level="error", samples="cbind(x)"),
    _cov("text", level="error", samples="cbind('a', c('b', 'c'))"),
    _cov(
        "missing value in a data frame",
        level="error",
        samples="data.frame(x, y)",
        inputs={"x": [1.0, 2.0, float("nan")], "y": [1.0, 2.0, 3.0]},
    ),
    _cov(
        "missing value in a matrix",
        level="difference",
        samples="cbind(x, y)",
        inputs={"x": [1.0, 2.0, float("nan")], "y": [1.0, 2.0, 3.0]},
    ),
    _cov("one record in a group", level="difference", samples=f"{_M}, cbind(1, 2)"),
    _cov("an empty group", level="difference", samples="cbind(x, y), cbind(x, y)[0, ]"),
    _cov(
        "infinite bound",
        "lower.bound1 = 0, upper.bound1 = Inf, lower.bound2 = 0, upper.bound2 = 4",
        "difference",
    ),
]

CASES = tuple(_VARIANCE + _COVARIANCE)
