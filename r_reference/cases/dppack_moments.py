"""Comparisons of DPpack's mean, variance, standard deviation and covariance."""

from __future__ import annotations

from itertools import product

from pydpstat.parity.case import Case, Factor, Inputs, Level

NOT_FINITE = "R returns NA, NaN or an infinite value; Python stops and says so"
X = [1.0, 2.5, 3.0, 4.0, 7.25, -3.5, 0.1, 0.30000000000000004, 9.875, 2.0]
Y = [0.3, -1.2, 2.2, 2.8, 3.1, 3.3, 4.9, 5.0, 5.5, 6.0]
SHORT = [1.0, 2.5, 3.0, 4.0]
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
    reason: str = "",
) -> Case:
    return Case(
        id=f"{function}/{name}",
        function=function,
        package="DPpack",
        r=f"DPpack::{function}({arguments})",
        inputs={"x": X} if inputs is None else inputs,
        level=level,
        reason=NOT_FINITE if level == "difference" else reason,
        seed=seed,
        recorded_ulp=4.0 if level == "exact" else 0.0,
    )


def _grid(function: str, data: str, bounds: str, inputs: Inputs) -> list[Case]:
    """Every mechanism with every kind of sensitivity."""
    cases: list[Case] = []
    for (mechanism, eps, delta, kind), which in product(MECHANISMS, ("bounded", "unbounded", "both")):
        arguments = f"{data}, {eps}, {bounds}, '{which}', '{mechanism}', {delta}, '{kind}'"
        cases.append(_case(function, f"{mechanism} {kind} {which}", arguments, inputs=inputs, seed=len(cases) + 1))
    return cases


_FACTOR = {"x": Factor(("1", "2", "2"), ("1", "2"))}
_MATRIX_CASE = Case(
    id="meanDP/matrix",
    function="meanDP",
    package="DPpack",
    r="DPpack::meanDP(matrix(x, 2), 1, 0, 5)",
    inputs={"x": X},
    recorded_ulp=4.0,
)

_MEAN = [
    *_grid("meanDP", "x", "-1, 5", {"x": X}),
    _MATRIX_CASE,
    _case("meanDP", "clips both sides", "x, 0.7, 0.5, 3.5"),
    _case("meanDP", "defaults by name", "x, eps = 1, lower.bound = 0, upper.bound = 5", seed=5),
    _case("meanDP", "integers", "x, 1, 0, 5", inputs={"x": [1, 2, 7, 4]}),
    _case("meanDP", "logical", "x, 1, 0, 1", inputs={"x": [True, False, True]}),
    _case("meanDP", "infinite data are clipped", "x, 1, 0, 1", inputs={"x": [1.0, float("inf"), float("-inf")]}),
    _case("meanDP", "one value", "x, 1, 0, 5", inputs={"x": [2.0]}),
    _case("meanDP", "logical bound", "x, 1, TRUE, 5"),
    _case("meanDP", "delta ignored with Laplace", "x, 1, 0, 5, delta = -3"),
    _case(
        "meanDP",
        "type ignored with analytic",
        "x, 1, 0, 5, mechanism = 'analytic', delta = 0.1, type.DP = 'pDP'",
    ),
    _case("meanDP", "type unknown, ignored with Laplace", "x, 1, 0, 5, type.DP = 'zzz'"),
    _case("meanDP", "delta 1.25: the true mean", "x, 0.5, 0, 5, mechanism = 'Gaussian', delta = 1.25"),
    _case("meanDP", "tiny noise", "x, 1e300, 0, 5"),
    _case("meanDP", "reversed bounds", "x, 1, 5, 0", "error"),
    _case("meanDP", "equal bounds", "x, 1, 5, 5", "error"),
    _case("meanDP", "two upper bounds", "x, 1, 0, c(5, 6)", "error"),
    _case("meanDP", "two lower bounds", "x, 1, c(0, 1), 5", "error"),
    _case("meanDP", "bound missing", "x, 1, NaN, 5", "error"),
    _case("meanDP", "bound text", "x, 1, '0', 5", "error"),
    _case("meanDP", "which unknown", "x, 1, 0, 5, 'foo'", "error"),
    _case("meanDP", "which partial", "x, 1, 0, 5, 'bound'", "error"),
    _case("meanDP", "two whichs", "x, 1, 0, 5, c('bounded', 'both')", "error"),
    _case("meanDP", "mechanism unknown", "x, 1, 0, 5, mechanism = 'laplace'", "error"),
    _case("meanDP", "eps zero", "x, 0, 0, 5", "error"),
    _case("meanDP", "eps infinite", "x, Inf, 0, 5", "error"),
    _case("meanDP", "delta zero", "x, 1, 0, 5, mechanism = 'Gaussian'", "error"),
    _case("meanDP", "eps 1 with aDP", "x, 1, 0, 5, mechanism = 'Gaussian', delta = 0.1", "error"),
    _case("meanDP", "type unknown", "x, .5, 0, 5, mechanism = 'Gaussian', delta = 0.1, type.DP = 'x'", "error"),
    _case("meanDP", "infinite bound", "x, 1, 0, Inf", "difference"),
    _case("meanDP", "missing value", "x, 1, 0, 5", "difference", {"x": [1.0, float("nan")]}),
    _case("meanDP", "no data", "x, 1, 0, 5", "difference", {"x": []}),
    _case("meanDP", "NULL", "NULL, 1, 0, 5", "difference"),
    _case("meanDP", "text", "x, 1, 0, 5", "difference", {"x": ["1", "2"]}),
    _case("meanDP", "factor", "x, 1, 0, 5", "difference", _FACTOR),
    _case("meanDP", "data frame", "data.frame(x), 1, 0, 5", "difference"),
    _case("meanDP", "eps tiny", "x, 1e-320, 0, 5", "difference"),
    _case("meanDP", "analytic delta 1.5", "x, .5, 0, 5, mechanism = 'analytic', delta = 1.5", "endless"),
]

_SPREAD = (
    [
        case
        for function in ("varDP", "sdDP")
        for case in (
            *_grid(function, "x", "-1, 5", {"x": X}),
            _case(function, "repeated draws", "x, 0.05, 0, 5", inputs={"x": SHORT}, seed=3),
            _case(
                function,
                "repeated Gaussian draws",
                "x, 0.05, 0, 5, mechanism = 'Gaussian', delta = 0.01",
                inputs={"x": SHORT},
                seed=4,
            ),
            _case(function, "constant data", "x, 1, 0, 5", inputs={"x": [2.0, 2.0]}),
            _case(function, "reversed bounds", "x, 1, 5, 0"),
            _case(function, "integers", "x, 1, 0, 5", inputs={"x": [1, 2, 7, 4]}),
            _case(function, "logical", "x, 1, 0, 1", inputs={"x": [True, False, True]}),
            _case(function, "infinite data are clipped", "x, 1, 0, 5", inputs={"x": [*SHORT, float("inf")]}),
            _case(
                function,
                "delta 1.2",
                "x, .5, 0, 5, mechanism = 'Gaussian', delta = 1.2",
                inputs={"x": [1.0] * 5},
            ),
            _case(function, "matrix", "matrix(x, 2), 1, 0, 5", "error"),
            _case(function, "factor", "x, 1, 0, 5", "error", _FACTOR),
            _case(function, "data frame", "data.frame(x), 1, 0, 5", "error"),
            _case(function, "NULL", "NULL, 1, 0, 5", "error"),
            _case(function, "equal bounds", "x, 1, 0, 0", "error"),
            _case(function, "which unknown", "x, 1, 0, 5, 'foo'", "error"),
            _case(function, "mechanism unknown", "x, 1, 0, 5, mechanism = 'gauss'", "error"),
            _case(function, "eps zero", "x, 0, 0, 5", "error"),
            _case(function, "sensitivity underflows", "x, 1, 0, 1e-300", "error"),
            _case(function, "infinite bound", "x, 1, 0, Inf", "difference"),
        )
    ]
    + [
        # R draws once before it stops here, so the streams are not compared
        Case(
            id=f"{function}/{name}",
            function=function,
            package="DPpack",
            r=f"DPpack::{function}(x, 1, 0, 5)",
            inputs={"x": data},
            level="error",
            draws=False,
        )
        for function in ("varDP", "sdDP")
        for name, data in (
            ("missing value", [1.0, float("nan"), 2.0]),
            ("one value", [1.0]),
        )
    ]
    + [
        _case(
            "varDP",
            "text",
            "x, 1, 0, 5",
            "refused",
            {"x": ["a", "b"]},
            reason="R clips text in alphabetical order and reads what is left as numbers; Python stops",
        ),
        _case(
            "varDP",
            "no noise and no variance",
            "x, .5, 0, 5, mechanism = 'Gaussian', delta = 1.25",
            "endless",
            {"x": [1.0] * 5},
        ),
        _case("varDP", "no noise", "x, .5, 0, 5, mechanism = 'Gaussian', delta = 1.25"),
    ]
)

_PAIR = {"x": X, "y": Y}
_COV = [
    *_grid("covDP", "x, y", "-1, 5, 0, 5.5", _PAIR),
    _case("covDP", "with itself", "x, x, 1, 0, 5, 0, 5"),
    _case("covDP", "both bounds reversed", "x, y, 1, 5, 0, 5, 0", inputs=_PAIR),
    _case("covDP", "integers", "x, y, 1, 0, 5, 0, 5", inputs={"x": [1, 2, 3], "y": [3, 1, 2]}),
    _case("covDP", "one bound reversed", "x, y, 1, 5, 0, 0, 5", "error", _PAIR),
    _case("covDP", "lengths differ", "x, y, 1, 0, 5, 0, 5", "error", {"x": SHORT, "y": Y}),
    _case("covDP", "matrix", "matrix(x, 2), y, 1, 0, 5, 0, 5", "error", _PAIR),
    _case("covDP", "two bounds", "x, y, 1, 0, 5, 0, c(5, 6)", "error", _PAIR),
    _case("covDP", "which unknown", "x, y, 1, 0, 5, 0, 5, 'foo'", "error", _PAIR),
    _case("covDP", "mechanism unknown", "x, y, 1, 0, 5, 0, 5, 'both', 'x'", "error", _PAIR),
    _case("covDP", "eps negative", "x, y, -1, 0, 5, 0, 5", "error", _PAIR),
    _case("covDP", "one pair", "x, y, 1, 0, 5, 0, 5", "difference", {"x": [1.0], "y": [2.0]}),
    _case(
        "covDP",
        "missing value",
        "x, y, 1, 0, 5, 0, 5",
        "difference",
        {"x": [1.0, float("nan")], "y": [1.0, 2.0]},
    ),
]

CASES = tuple(_MEAN + _SPREAD + _COV)
