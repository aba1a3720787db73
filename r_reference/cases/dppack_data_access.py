"""Comparisons of DPpack's data access functions: values without noise, and their sensitivities."""

from __future__ import annotations

from pydpstat.parity.case import Case, Factor, Inputs, Level

NOT_FINITE = "R returns NA, NaN or an infinite value; Python stops and says so"
X = [1.0, 2.5, 3.0, 4.0, 7.25, -3.5, 0.1, 0.30000000000000004, 9.875, 2.0]
Y = [0.3, -1.2, 2.2, 2.8, 3.1, 3.3, 4.9, 5.0, 5.5, 6.0]
XY = {"x": X, "y": Y}
NAN = float("nan")


def _case(
    function: str,
    name: str,
    arguments: str,
    level: Level = "exact",
    inputs: Inputs | None = None,
    *,
    python: str = "",
    reason: str = "",
    seed: int = 123,
) -> Case:
    return Case(
        id=f"{function}/{name}",
        function=function,
        package="DPpack",
        r=f"DPpack::{function}({arguments})",
        python=python,
        inputs=XY if inputs is None else inputs,
        level=level,
        reason=reason or (NOT_FINITE if level == "difference" else ""),
        seed=seed,
    )


_MOMENTS = [
    _case("meanDataAccess", "numbers are not clipped", "x, 0, 5"),
    _case("meanDataAccess", "integers", "x, 0, 5", inputs={"x": [1, 2, 7, 4]}),
    _case("meanDataAccess", "logicals", "x, 0, 1", inputs={"x": [True, False, True]}),
    _case("meanDataAccess", "reversed bounds", "x, 5, 0"),
    _case("meanDataAccess", "a matrix", "matrix(x, 2), 0, 5"),
    _case("meanDataAccess", "missing value", "x, 0, 5", "difference", {"x": [1.0, NAN]}),
    _case("meanDataAccess", "no data", "x, 0, 5", "difference", {"x": []}),
    _case("meanDataAccess", "infinite bound", "x, 0, Inf", "difference"),
    _case(
        "meanDataAccess",
        "two bounds",
        "x, 0, c(5, 6)",
        "refused",
        reason="R returns a sensitivity for each bound; Python asks for one bound",
    ),
    _case("meanDataAccess", "text bound", "x, '0', 5", "error"),
    _case("varDataAccess", "numbers are not clipped", "x, 0, 5"),
    _case("varDataAccess", "reversed bounds", "x, 5, 0"),
    _case("varDataAccess", "integers", "x, 0, 5", inputs={"x": [1, 2, 7, 4]}),
    _case("varDataAccess", "one record", "x, 0, 5", "difference", {"x": [1.0]}),
    _case("varDataAccess", "missing value", "x, 0, 5", "difference", {"x": [1.0, 2.0, NAN]}),
    _case("varDataAccess", "factor", "x, 0, 5", "error", {"x": Factor(("1", "2"), ("1", "2"))}),
    _case(
        "varDataAccess",
        "a matrix",
        "matrix(x, 2), 0, 5",
        "refused",
        reason="R returns the columns' covariance matrix; Python asks for a vector, as varDP does",
    ),
    _case("covDataAccess", "numbers are not clipped", "x, y, 0, 5, 0, 6"),
    _case("covDataAccess", "one bound reversed", "x, y, 5, 0, 0, 6"),
    _case("covDataAccess", "lengths differ", "x, y[1:3], 0, 5, 0, 6", "error"),
    _case("covDataAccess", "missing value", "x, y, 0, 5, 0, 6", "difference", {"x": [1.0, NAN], "y": [1.0, 2.0]}),
    _case("covDataAccess", "one pair", "x, y, 0, 5, 0, 6", "difference", {"x": [1.0], "y": [1.0]}),
]

_COUNTS = [
    *(
        _case("histogramDataAccess", mechanism, f"x, 'Sturges', '{mechanism}'")
        for mechanism in ("Laplace", "Gaussian", "analytic")
    ),
    _case("histogramDataAccess", "edges", "x, -4:10, 'Laplace'"),
    _case("histogramDataAccess", "bins of two widths", "x, c(-4, 0, 10), 'Laplace'"),
    _case("histogramDataAccess", "a number of bins", "x, 3, 'analytic'"),
    _case("histogramDataAccess", "Scott", "x, 'Scott', 'Gaussian'"),
    _case("histogramDataAccess", "missing values are left out", "x, 'FD', 'Laplace'", inputs={"x": [*X, NAN]}),
    _case("histogramDataAccess", "mechanism unknown", "x, 'Sturges', 'laplace'", "error"),
    _case("histogramDataAccess", "breaks miss the data", "x, 0:1, 'Laplace'", "error"),
    _case("histogramDataAccess", "breaks unknown", "x, 'foo', 'Laplace'", "error"),
    _case("histogramDataAccess", "breaks TRUE", "x, TRUE, 'Laplace'", "error"),
    _case("histogramDataAccess", "a break missing", "x, c(-4, 3, 10, NaN), 'Laplace'", "error"),
    _case("histogramDataAccess", "Scott, no data", "x, 'Scott', 'Laplace'", "error", {"x": []}),
    _case("histogramDataAccess", "no data", "x, 'Sturges', 'Laplace'", "error", {"x": []}),
    _case("tableDataAccess", "one way", "x", inputs={"x": ["b", "a", "b", "c"]}),
    _case(
        "tableDataAccess",
        "two ways, levels kept",
        "x, y, mechanism = 'analytic'",
        python=(
            "t = dppack.tableDataAccess(x, y, mechanism='analytic')\n"
            "[t.True_Values, list(t.True_Values.index), list(t.True_Values.columns), t[1:]]"
        ),
        inputs={"x": Factor(("b", "a", "b"), ("b", "a", "z")), "y": [2.5, 1.0, 2.5]},
    ),
    Case(
        id="tableDataAccess/three ways",
        function="tableDataAccess",
        package="DPpack",
        r="as.vector(DPpack::tableDataAccess(x, y, x, mechanism = 'Gaussian')$True.Values)",
        inputs={"x": ["b", "a", "b"], "y": [1, 2, 2]},
    ),
    _case(
        "tableDataAccess",
        "missing values counted",
        "x, useNA = 'ifany', dnn = 'kind'",
        inputs={"x": [1.0, None, 1.0]},
    ),
    _case("tableDataAccess", "mechanism unknown", "x, mechanism = 'foo'", "error"),
    _case("tableDataAccess", "lengths differ", "x, y[1:3]", "error"),
    _case("tableDataAccess", "nothing", "", "error"),
]

_GROUPS = {"x": X, "y": Y, "z": [1.0, 2.0], "w": [4.0, 8.0]}
_POOLED = [
    *(
        _case(
            "pooledVarDataAccess",
            f"{title}, approx {approx}",
            f"list({data}), 0, 5, {approx}",
            "exact",
            _GROUPS,
        )
        for title, data in (("three groups", "x, y, z"), ("two records a group", "z, w"), ("one group", "x"))
        for approx in ("TRUE", "FALSE")
    ),
    _case("pooledVarDataAccess", "reversed bounds", "list(x, y), 5, 0, FALSE"),
    _case("pooledVarDataAccess", "one record", "list(x, 1), 0, 5, FALSE", "difference"),
    _case("pooledVarDataAccess", "one pair", "list(z), 0, 5, FALSE", "difference", _GROUPS),
    _case("pooledVarDataAccess", "not a list", "x, 0, 5, FALSE", "difference"),
    _case("pooledVarDataAccess", "approx text", "list(x), 0, 5, 'a'", "error"),
    *(
        _case(
            "pooledCovDataAccess",
            f"two groups, approx {approx}",
            f"list(cbind(x, y), cbind(z, w)), 0, 5, 0, 6, {approx}",
            "exact",
            _GROUPS,
        )
        for approx in ("TRUE", "FALSE")
    ),
    _case("pooledCovDataAccess", "two records", "list(cbind(z, w)), 0, 5, 0, 6, FALSE", "difference", _GROUPS),
    _case("pooledCovDataAccess", "a vector", "list(x), 0, 5, 0, 6, FALSE", "error"),
]

_QUANTILE = [
    *(
        _case("quantileDataAccess", f"quant {quant}", f"x, {quant}, -1, 5")
        for quant in ("0", "0.25", "1/3", "0.5", "1", "2", "TRUE", "FALSE")
    ),
    _case("quantileDataAccess", "missing values", "x, 0.5, -1, 5", inputs={"x": [NAN, 1.0, 8.0]}),
    _case("quantileDataAccess", "no data", "x, 0.5, -1, 5", inputs={"x": []}),
    _case("quantileDataAccess", "reversed bounds", "x, 0.5, 5, -1"),
    _case("quantileDataAccess", "integers", "x, 0.5, 0, 5", inputs={"x": [4, 2, 9]}),
    _case("quantileDataAccess", "infinite bound", "x, 0.5, 0, Inf", "difference"),
    _case("quantileDataAccess", "text quant", "x, 'a', 0, 5", "error"),
]

CASES = tuple(_MOMENTS + _COUNTS + _POOLED + _QUANTILE)
