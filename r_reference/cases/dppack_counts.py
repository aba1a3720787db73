"""Comparisons of DPpack's histogram and contingency table."""

from __future__ import annotations

from itertools import product

from pydpstat.parity.case import Case, Factor, Inputs, Level

NOT_FINITE = "R returns NaN; Python stops and says so"
X = [0.3, 1.2, 2.2, 2.8, 3.1, 3.3, 4.9, 5.0, 5.5, 6.0]
LETTERS = ["a", "b", "a", "c", "b", "a", "a", "c"]
GROUPS = ["y", "x", "y", "y", "x", "x", "y", "y"]
MECHANISMS = (
    ("Laplace", 1.0, 0.0, "aDP"),
    ("Gaussian", 0.9, 0.01, "aDP"),
    ("Gaussian", 1.5, 1e-5, "pDP"),
    ("analytic", 1.0, 1e-6, "aDP"),
)


def _case(
    function: str,
    name: str,
    arguments: str,
    level: Level = "exact",
    inputs: Inputs | None = None,
    seed: int = 123,
    draws: bool = True,
) -> Case:
    default: Inputs = {"x": X} if function == "histogramDP" else {"x": LETTERS, "y": GROUPS}
    return Case(
        id=f"{function}/{name}",
        function=function,
        package="DPpack",
        r=f"DPpack::{function}({arguments})",
        inputs=default if inputs is None else inputs,
        level=level,
        reason=NOT_FINITE if level == "difference" else "",
        seed=seed,
        draws=draws,
        recorded_ulp=4.0 if level == "exact" else 0.0,
    )


def _grid(function: str, data: str) -> list[Case]:
    """Every mechanism with every kind of sensitivity."""
    cases: list[Case] = []
    for (mechanism, eps, delta, kind), which in product(MECHANISMS, ("bounded", "unbounded", "both")):
        arguments = data.format(eps=eps) + (
            f", which.sensitivity = '{which}', mechanism = '{mechanism}', delta = {delta}, type.DP = '{kind}'"
        )
        cases.append(_case(function, f"{mechanism} {kind} {which}", arguments, seed=len(cases) + 1))
    return cases


_HISTOGRAM = [
    *_grid("histogramDP", "x, {eps}, 0, 6"),
    _case("histogramDP", "clips both sides", "x, 1, 1, 5"),
    _case("histogramDP", "bounds beyond the data", "x, 1, -3, 10"),
    _case("histogramDP", "extended breaks", "x, 1, -3, 10, breaks = c(0, 3, 6)"),
    _case(
        "histogramDP",
        "extended breaks of width 0.1",
        "x, 1, -1, 1, breaks = c(0, .1, .2, .3, .4)",
        inputs={"x": [0.1, 0.2, 0.35]},
    ),
    _case("histogramDP", "breaks span the bounds", "x, 1, 0, 6, breaks = c(0, 2, 4, 6)", seed=9),
    _case("histogramDP", "breaks unsorted", "x, .5, 0, 6, breaks = c(0, 6, 3)"),
    _case("histogramDP", "number of breaks", "x, .5, 0, 6, breaks = 3"),
    _case("histogramDP", "fractional number of breaks", "x, .5, 0, 6, breaks = 5.5"),
    _case("histogramDP", "Scott", "x, .5, 0, 6, breaks = 'Scott'"),
    _case("histogramDP", "FD", "x, .5, 0, 6, breaks = 'FD'"),
    _case("histogramDP", "Scott, no data", "x, 1, 0, 4, breaks = 'Scott'", "error", {"x": []}),
    _case("histogramDP", "breaks TRUE", "x, 1, 0, 6, breaks = TRUE", "error"),
    _case("histogramDP", "a break missing", "x, 1, 0, 6, breaks = c(0, 3, 6, NaN)", "error"),
    _case("histogramDP", "Freedman-Diaconis", "x, .5, 0, 6, breaks = 'freedman-diaconis'"),
    _case("histogramDP", "function", "x, .5, 0, 6, breaks = function(x) 4"),
    _case("histogramDP", "allow negative", "x, .3, 0, 6, breaks = c(0, 2, 4, 6), allow.negative = TRUE"),
    _case("histogramDP", "normalize", "x, 1, 0, 6, normalize = TRUE"),
    _case(
        "histogramDP",
        "normalize, negative",
        "x, .01, 0, 6, breaks = c(0, 2, 4, 6), normalize = TRUE, allow.negative = TRUE",
    ),
    _case("histogramDP", "normalize 1", "x, .5, 0, 6, normalize = 1"),
    _case("histogramDP", "missing values are left out", "x, .5, 0, 6", inputs={"x": [*X, float("nan")]}),
    _case("histogramDP", "integers", "x, .5, 0, 6", inputs={"x": list(range(1, 11))}),
    _case("histogramDP", "logical", "x, .5, 0, 1", inputs={"x": [True, False]}),
    _case("histogramDP", "matrix", "matrix(x, 5), .5, 0, 6"),
    _case("histogramDP", "reversed bounds", "x, .5, 6, 0"),
    _case("histogramDP", "equal bounds", "x, .5, 2, 2", inputs={"x": [2.0] * 5}),
    _case("histogramDP", "lower bound infinite", "x, 1, Inf, 5"),
    _case(
        "histogramDP",
        "one bin, both, Gaussian",
        "x, .5, 0, 6, breaks = c(0, 6), which.sensitivity = 'both', mechanism = 'Gaussian', delta = .2",
    ),
    _case("histogramDP", "breaks unknown", "x, .5, 0, 6, breaks = 'foo'", "error"),
    _case("histogramDP", "breaks too short", "x, .5, 0, 6, breaks = c(1, 2)", "error"),
    _case("histogramDP", "breaks zero", "x, .5, 0, 6, breaks = 0", "error"),
    _case("histogramDP", "breaks not equidistant", "x, 1, -3, 10, breaks = c(-3, 3, 10)", "error"),
    _case("histogramDP", "no data", "x, .5, 0, 6", "error", {"x": []}),
    _case("histogramDP", "text", "x, .5, 0, 6", "error", {"x": ["a"]}),
    _case("histogramDP", "two bounds", "x, .5, 0, c(6, 7)", "error"),
    _case("histogramDP", "eps negative", "x, -.5, 0, 6", "error"),
    _case("histogramDP", "which unknown", "x, 1, 0, 6, which.sensitivity = 'foo'", "error"),
    _case("histogramDP", "mechanism unknown", "x, 1, 0, 6, mechanism = 'foo'", "error"),
    _case("histogramDP", "upper bound minus infinity", "x, 1, 0, -Inf", "error"),
    # R draws before it reads these flags, so the streams are not compared
    _case("histogramDP", "normalize NA", "x, .5, 0, 6, normalize = NA", "error", draws=False),
    _case("histogramDP", "normalize text", "x, .5, 0, 6, normalize = 'a'", "error", draws=False),
    _case("histogramDP", "allow NA", "x, .5, 0, 6, allow.negative = NA", "error", draws=False),
    _case("histogramDP", "upper bound infinite", "x, 1, 0, Inf", "endless"),
    _case("histogramDP", "lower bound minus infinity", "x, 1, -Inf, 5", "endless"),
    _case(
        "histogramDP",
        "normalize zero",
        "x, .01, 0, 6, breaks = c(0, 6), normalize = TRUE",
        "difference",
        seed=1,
    ),
]

_DECLARED = {"x": Factor(("a", "b", None, "a"), ("b", "a", "c"))}
_TABLE = [
    *_grid("tableDP", "x, y, eps = {eps}"),
    _case("tableDP", "one variable", "x"),
    _case("tableDP", "small eps", "x, y, eps = .1", seed=8),
    _case("tableDP", "allow negative", "x, y, eps = .1, allow.negative = TRUE", seed=8),
    _case(
        "tableDP",
        "three variables",
        "A = x, B = y, C = z",
        inputs={"x": LETTERS, "y": GROUPS, "z": [True, False, True, True, False, False, True, True]},
    ),
    _case("tableDP", "names", "x, k = y"),
    _case("tableDP", "levels kept", "x", inputs=_DECLARED),
    _case("tableDP", "levels kept, NA always", "x, useNA = 'always'", inputs=_DECLARED),
    _case("tableDP", "NA if any", "c(1.5, NA, 2), useNA = 'ifany'"),
    _case("tableDP", "exclude", "x, exclude = 'a'"),
    _case("tableDP", "dnn", "x, y, dnn = c('k', 'l')"),
    _case("tableDP", "numbers", "x", inputs={"x": [2.0, 10.0, 1.0, 10.0, 0.1 + 0.2, 0.3]}),
    _case("tableDP", "integers and logical", "x, y", inputs={"x": [100000, 2, 2], "y": [True, False, False]}),
    _case("tableDP", "data frame", "data.frame(x, y)"),
    _case("tableDP", "no records", "x", inputs={"x": []}),
    _case("tableDP", "lengths differ", "x, y", "error", {"x": LETTERS, "y": ["a", "b"]}),
    _case("tableDP", "nothing", "eps = 1", "error"),
    _case("tableDP", "two eps", "x, eps = c(1, 2)", "error"),
    _case("tableDP", "eps zero", "x, eps = 0", "error"),
    _case("tableDP", "which unknown", "x, which.sensitivity = 'bot'", "error"),
    _case("tableDP", "mechanism unknown", "x, mechanism = 'laplace'", "error"),
    _case("tableDP", "useNA unknown", "x, useNA = 'foo'", "error"),
    _case("tableDP", "dnn too long", "x, dnn = c('k', 'l')", "error"),
    _case("tableDP", "delta zero", "x, mechanism = 'analytic'", "error"),
    _case("tableDP", "no partial matching", "x, eps = 1, ep = 2", "error"),
    _case("tableDP", "allow NA", "x, allow.negative = NA", "error", draws=False),
]

CASES = tuple(_HISTOGRAM + _TABLE)
