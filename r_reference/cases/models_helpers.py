"""Comparisons of the models' helper functions and of the minimiser."""

from __future__ import annotations

from typing import Any

from pydpstat.parity.case import Case, Inputs, Level

P = [0.1, 0.88, 0.02, 0.5, 0.999999, 1e-300, 0.3]
Y = [0, 1, 0, 1, 1, 0, 0.25]
SIGNS = [-1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0]
SCORES = [-0.5, 1.2, -0.9, 0.5, 1.5, 3.0, -0.25]
WEIGHTS = [0.1, 0.5, 1.0, 0.0, 2.5, 0.3, 1.0]
X = [1.5, -2.25, 3.1, 4.0, 0.1, 0.7, -0.3, 2.0, 1e-3, 5.5, -1.25, 0.30000000000000004]
COEFF = [0.5, -1.1, 2.3]
NOT_FINITE = "R returns NaN or an infinite value; Python stops and says so"
LENGTHS = "R recycles the shorter vector; Python stops"


def _case(
    function: str,
    name: str,
    r: str,
    inputs: Inputs | None = None,
    level: Level = "exact",
    package: str = "DPpack",
    **more: Any,
) -> Case:
    return Case(
        id=f"{function}/{name}",
        function=function,
        package=package,
        r=r,
        inputs=inputs or {},
        level=level,
        recorded_ulp=4.0 if level == "exact" else 0.0,
        **more,
    )


_LOSSES = [
    case
    for dotted in (
        "loss.cross.entropy",
        "loss.gr.cross.entropy",
        "loss.squared.error",
        "loss.gr.squared.error",
    )
    for case in (
        _case(dotted, "seven values", f"DPpack::{dotted}(p, y)", inputs={"p": P, "y": Y}),
        _case(dotted, "integers", f"DPpack::{dotted}(p, y)", inputs={"p": [2, -3], "y": [0, 1]})
        if "squared" in dotted
        else _case(
            dotted,
            "certain",
            f"DPpack::{dotted}(p, y)",
            inputs={"p": [0.0, 1.0, 0.0, 1.0], "y": [0.0, 1.0, 1.0, 0.0]},
        ),
        _case(dotted, "text", f"DPpack::{dotted}(p, y)", inputs={"p": ["a"], "y": [1.0]}, level="error"),
        _case(
            dotted,
            "lengths differ",
            f"DPpack::{dotted}(p, y)",
            inputs={"p": P, "y": [1.0]},
            level="refused",
            reason=LENGTHS,
        ),
    )
]
_HUBER = [
    case
    for dotted in ("generate.loss.huber", "generate.loss.gr.huber")
    for case in (
        *(
            _case(
                dotted,
                f"h {h}{', weights' if w else ''}",
                f"DPpack::{dotted}({h})(s, y{', w' if w else ''})",
                inputs={"s": SCORES, "y": SIGNS, **({"w": WEIGHTS} if w else {})},
            )
            for h in (0.5, 1, 0.1, -0.5)
            for w in (False, True)
        ),
        _case(
            dotted,
            "too few weights",
            f"DPpack::{dotted}(1)(s, y, 1)",
            {"s": SCORES, "y": SIGNS},
            "error",
        ),
        _case(dotted, "text", f"DPpack::{dotted}('a')(s, s)", inputs={"s": SCORES}, level="error"),
        _case(dotted, "h 0", f"DPpack::{dotted}(0)(s, y)", inputs={"s": [0.5, 1.0, 2.0], "y": [1.0, 1.0, 1.0]}),
    )
]
_R_X = "matrix(x, 4)"
_MAPS = [
    case
    for dotted in ("mapXy.linear", "mapXy.gr.linear", "mapXy.sigmoid", "mapXy.gr.sigmoid")
    for case in (
        _case(dotted, "three columns", f"DPpack::{dotted}({_R_X}, w)", inputs={"x": X, "w": COEFF}),
        _case(dotted, "one column", f"DPpack::{dotted}(matrix(x), 0.7)", {"x": X}),
        _case(dotted, "integers", f"DPpack::{dotted}(matrix(1:4, 2), 1:2)"),
        _case(dotted, "large values", f"DPpack::{dotted}(matrix(c(800, -800, 40, -40), 2), c(1, 1))"),
    )
] + [
    _case(
        dotted,
        "columns and coefficients differ",
        f"DPpack::{dotted}({_R_X}, w)",
        inputs={"x": X, "w": [1.0, 2.0]},
        level="error",
    )
    for dotted in ("mapXy.linear", "mapXy.sigmoid", "mapXy.gr.sigmoid")
]
_REGULARIZERS = [
    case
    for dotted in ("regularizer.l2", "regularizer.gr.l2")
    for case in (
        _case(dotted, "three", f"DPpack::{dotted}(w)", inputs={"w": COEFF}),
        _case(dotted, "twelve", f"DPpack::{dotted}(w)", inputs={"w": X}),
        _case(dotted, "integer", f"DPpack::{dotted}(3L)"),
    )
]
_KERNEL = [
    _case("phi.gaussian", "three", "DPpack::phi.gaussian(w, x)", {"w": COEFF, "x": X}),
    _case("phi.gaussian", "one", "DPpack::phi.gaussian(2, c(.3, 9))"),
    _case(
        "phi.gaussian",
        "phase missing",
        "DPpack::phi.gaussian(w, c(1, 2, 3))",
        inputs={"w": COEFF},
        level="difference",
        reason=NOT_FINITE,
    ),
    *(
        _case(
            "generate.sampling",
            f"kernel.param {width}, d {d}",
            f"f <- DPpack::generate.sampling({width})\nc(f({d}), f({d}))",
        )
        for width, d in ((0.1, 5), (2, 1), (0, 3))
    ),
    _case(
        "generate.sampling",
        "source of the generator",
        "f <- DPpack::generate.sampling(0.5)\nc(f(2), f(2))",
    ),
    _case(
        "generate.sampling",
        "negative",
        "DPpack::generate.sampling(-1)(2)",
        level="difference",
        reason=NOT_FINITE,
    ),
    _case("generate.sampling", "text", "DPpack::generate.sampling('a')(2)", level="error"),
]

_R_FUNCTIONS = {
    "Rosenbrock": "100 * (x[2] - x[1] * x[1])^2 + (1 - x[1])^2",
    "Powell": "(x[1] + 10 * x[2])^2 + 5 * (x[3] - x[4])^2 + (x[2] - 2 * x[3])^4 + 10 * (x[1] - x[4])^4",
    "downhill for ever": "-x[1]^2",
    "finite in places": "if (x[1] <= 0) NaN else x[1] - log(x[1]) + (x[2] - 2)^2",
}
_PY_FUNCTIONS = {
    "Rosenbrock": "100 * (x[1] - x[0] * x[0]) ** 2 + (1 - x[0]) ** 2",
    "Powell": "(x[0] + 10 * x[1]) ** 2 + 5 * (x[2] - x[3]) ** 2 + (x[1] - 2 * x[2]) ** 4 + 10 * (x[0] - x[3]) ** 4",
    "downhill for ever": "-x[0] ** 2",
    "finite in places": "math.nan if x[0] <= 0 else x[0] - math.log(x[0]) + (x[1] - 2) ** 2",
}
_STARTS = {
    "Rosenbrock": [-1.2, 1.0],
    "Powell": [3.0, -1.0, 0.0, 1.0],
    "downhill for ever": [0.3],
    "finite in places": [0.5, 0.0],
}
_GRADIENTS = {
    "Rosenbrock": (
        "c(-400 * x[1] * (x[2] - x[1] * x[1]) - 2 * (1 - x[1]), 200 * (x[2] - x[1] * x[1]))",
        "np.array([-400 * x[0] * (x[1] - x[0] * x[0]) - 2 * (1 - x[0]), 200 * (x[1] - x[0] * x[0])])",
    ),
    "downhill for ever": ("-2 * x", "-2 * x"),
}
_MINIMISER = [
    _case(
        "optim",
        f"BFGS, {name}, {'own' if gradient else 'numeric'} gradient",
        f"fn <- function(x) {_R_FUNCTIONS[name]}\n"
        f"gr <- {f'function(x) {gradient[0]}' if gradient else 'NULL'}\n"
        "o <- stats::optim(start, fn, gr, method = 'BFGS')\n"
        "c(o$par, o$value, unname(o$counts), o$convergence)",
        python="from pydpstat.dppack._models.minimizers import minimize_variable_metric\n"
        f"fn = lambda x: float({_PY_FUNCTIONS[name]})\n"
        f"gr = {f'lambda x: {gradient[1]}' if gradient else 'None'}\n"
        "o = minimize_variable_metric(start, fn, gr)\n"
        "[o.par, o.value, o.counts, o.convergence]",
        inputs={"start": _STARTS[name]},
        package="stats",
    )
    for name in _R_FUNCTIONS
    for gradient in ([_GRADIENTS[name], None] if name in _GRADIENTS else [None])
]

CASES = tuple(_LOSSES + _HUBER + _MAPS + _REGULARIZERS + _KERNEL + _MINIMISER)
