"""Comparisons of DPpack's linear regression and of the class that it is built on."""

from __future__ import annotations

from typing import Any

from pydpstat.parity.case import Case, Inputs, Level
from r_reference.cases._nlopt_moves import near_reason, near_tolerance

NOT_FINITE = "R returns NaN or an infinite coefficient; Python stops and says so"
_N = 24
_FIRST = [round(-1.1 + 0.095 * i, 3) for i in range(_N)]
_SECOND = [round(((7 * i) % _N) / 11.0 - 1.0, 3) for i in range(_N)]
_THIRD = [round(((5 * i + 3) % 17) / 4.0, 3) for i in range(_N)]
_RESPONSE = [
    round(1.2 * a - 0.5 * b + 0.3 * c + ((11 * i) % 7) / 9.0, 3)
    for i, (a, b, c) in enumerate(zip(_FIRST, _SECOND, _THIRD))
]
DATA = {"x1": _FIRST, "x2": _SECOND, "x3": _THIRD, "y": _RESPONSE}
R_X = "X <- data.frame(x1, x2, x3)\n"
# some values lie outside on either side
BOUNDS = "c(1, 0.8, 4, 2), c(-1, -0.8, 0.5, -1)"
_MATRIX = "X <- cbind(x1, x2, x3)\n"
_ONE, _TWO = "X <- data.frame(x1)\n", "X <- data.frame(x1, x2)\n"
_ONE_BOUNDS, _TWO_BOUNDS = "c(1, 2), c(-1, -1)", "c(1, 0.8, 2), c(-1, -0.8, -1)"


def kst_case(
    name: str,
    new: str,
    fit: str = "",
    level: Level = "rtol",
    *,
    of: str = "LinearRegressionDP",
    setup: str = R_X,
    bounds: str = BOUNDS,
    after: str = "m$coeff",
    data: Inputs | None = None,
    x: str = "X",
    **more: Any,
) -> Case:
    """Return the comparison of a constructor, a fit, and the coefficients or what `after` asks for."""
    settings: dict[str, Any] = {
        "reason": {"rtol": near_reason(f"{of}/{name}"), "difference": NOT_FINITE}.get(level, ""),
        "tolerance": near_tolerance(f"{of}/{name}") if level == "rtol" else 0.0,
        # R draws before it stops, Python does not
        "draws": level in ("rtol", "exact"),
        **more,
    }
    return Case(
        id=f"{of}/{name}",
        function=of,
        package="DPpack",
        r=f"{setup}m <- DPpack::{of}$new({new})\nm$fit({x}, y, {bounds}{fit})\n{after}",
        inputs=DATA if data is None else data,
        level=level,
        **settings,
    )


OWN = R_X + "reg <- function(w) sum(w * w / 2 + .1 * w * w * w * w)\nreg.gr <- function(w) w + .4 * w * w * w\n"
NEW = "new <- data.frame(x1 = c(0, .5, -3), x2 = c(1, -2, .3), x3 = c(2, 2, 9))\n"
BIAS = ", add.bias = TRUE"
_LINEAR = [
    *(
        kst_case(
            f"eps {eps}, delta {delta}, gamma {gamma}{', bias' if bias else ''}",
            f"'l2', {eps}, {delta}, {gamma}",
            BIAS if bias else "",
            seed=7,
        )
        for eps, gamma in ((1, 1), (0.2, 0.01), (5, 20), (10, 0))
        for delta in (0, 0.01)
        for bias in (False, True)
    ),
    *(
        kst_case(
            f"{name}{' and bias' if bias else ''}, delta {delta}",
            f"'l2', 1, {delta}, 1",
            bias,
            setup=setup,
            bounds=bounds,
        )
        for name, setup, bounds in (("1 column", _ONE, _ONE_BOUNDS), ("2 columns", _TWO, _TWO_BOUNDS))
        for delta in (0, 1e-5)
        for bias in ("", BIAS)
    ),
    *(
        kst_case(
            f"5 columns, delta {delta}",
            f"'l2', 2, {delta}, 1",
            setup="X <- cbind(x1, x2, x3, x1 * x2, x2^2)\n",
            bounds="c(1, 1, 4, 1, 1, 2), c(-1, -1, 0, -1, 0, -1)",
        )
        for delta in (0, 0.1)
    ),
    kst_case("defaults by name", "regularizer = 'l2', eps = 1, delta = 0, gamma = 1"),
    kst_case("own regularizer", "reg, 5, 0, 1", setup=OWN),
    kst_case("own regularizer, delta", "reg, 5, 0.1, 1", BIAS, setup=OWN),
    kst_case("own regularizer and gradient", "reg, 1, 0, 1, reg.gr", setup=OWN),
    kst_case("own regularizer and gradient, delta", "reg, 1, 0.01, 1, reg.gr", BIAS, setup=OWN),
    kst_case("eps infinite", "'l2', Inf, 0, 1"),
    kst_case("eps NULL", "'l2', NULL, 0, 1"),
    kst_case("eps infinite, bias", "'l2', Inf, 0, 0.1", BIAS),
    kst_case("delta 1", "'l2', 1, 1, 1"),
    kst_case("delta 2.5", "'l2', 1, 2.5, 1"),
    kst_case("gamma negative", "'l2', 1, 0, -0.5"),
    kst_case("gamma far below 0", "'l2', 1, 0, -10"),
    kst_case("reversed bounds", "'l2', 1, 0, 1", bounds="c(-1, .8, 4, 2), c(1, -.8, .5, -1)"),
    kst_case("reversed bounds of y", "'l2', 1, 0, 1", BIAS, bounds="c(1, .8, 4, -1), c(-1, -.8, .5, 2)"),
    kst_case("equal bounds of y", "'l2', 1, 0, 1", bounds="c(1, .8, 4, 2), c(-1, -.8, .5, 2)"),
    kst_case("one bound infinite", "'l2', 1, 0, 1", bounds="c(Inf, .8, 4, 2), c(-1, -.8, .5, -1)"),
    kst_case(
        "large response",
        "'l2', 1, 0, 1",
        BIAS,
        setup=R_X + "y <- 1e6 * y\n",
        bounds="c(1, .8, 4, 2e6), c(-1, -.8, .5, -1e6)",
    ),
    kst_case("matrix", "'l2', 1, 0, 1", setup=_MATRIX),
    kst_case(
        "integers and logicals",
        "'l2', 1, 0, 1",
        setup="X <- data.frame(round(x1), x2 > 0, as.integer(x3))\n",
        python="X = pd.DataFrame({'a': np.rint(x1), 'b': x2 > 0, 'c': x3.astype(int)})\n"
        "m = dppack.LinearRegressionDP('l2', 1, 0, 1)\n"
        "m.fit(X, y, [1, 0.8, 4, 2], [-1, -0.8, 0.5, -1], rng=rng)\n"
        "m.coeff",
    ),
    kst_case("response in a frame", "'l2', 1, 0, 1", setup=R_X + "y <- data.frame(y)\n"),
    kst_case(
        "response a matrix",
        "'l2', 1, 0, 1",
        setup=R_X + "y <- as.matrix(y)\n",
    ),
    kst_case("one record", "'l2', 1, 0, 1", data={"x1": [0.5], "x2": [0.1], "x3": [2.0], "y": [1.0]}),
    kst_case(
        "infinite data are clipped",
        "'l2', 1, 0, 1",
        data={**DATA, "x1": [float("inf"), *_FIRST[1:]], "y": [float("-inf"), *_RESPONSE[1:]]},
    ),
    kst_case("eps a vector of one", "'l2', c(1), 0, 1"),
    kst_case("predict", "'l2', 1, 0, 1", after=f"{NEW}c(as.numeric(m$predict(new)), m$coeff)"),
    kst_case("predict with bias", "'l2', 1, 0, 1", BIAS, after=f"{NEW}as.numeric(m$predict(new, TRUE))"),
    kst_case(
        "predict from results",
        "'l2', 1, 0, 1",
        after=f"{NEW}as.numeric(m$predict(new))",
        python=lambda text: text.replace("r.as_numeric(m.predict(new))", "m.results.predict(new)"),
    ),
    kst_case(
        "public fields",
        "'l2', 1, 0.1, 2",
        BIAS,
        "exact",
        after="w <- c(1, 2)\n"
        "c(m$zeta, m$lambda, m$gamma, m$eps, m$delta, m$domain$constraints(w), m$domain$jacobian(w))",
    ),
    kst_case(
        "public fields before fit",
        "'l2', 1, 0.1, 2",
        level="exact",
        after="k <- DPpack::LinearRegressionDP$new('l2', 1, 0, 1)\n"
        "c(is.null(k$coeff), is.null(k$zeta), is.null(k$lambda))",
    ),
    kst_case(
        "clone keeps its own",
        "'l2', 1, 0, 1",
        after=f"k <- m$clone()\nm$eps <- 3\nm$fit(X, y, {BOUNDS})\nc(k$coeff, m$coeff, k$eps)",
    ),
    kst_case(
        "bounds of y infinite",
        "'l2', 1, 0, 1",
        level="difference",
        bounds="c(1, .8, 4, Inf), c(-1, -.8, .5, -1)",
    ),
    kst_case("bound missing", "'l2', 1, 0, 1", level="error", bounds="c(1, .8, NaN, 2), c(-1, -.8, .5, -1)"),
    kst_case("eps negative, delta", "'l2', -1, 0.1, 1", level="refused", reason="a negative epsilon has no meaning"),
    *(
        kst_case(name, new, level="error")
        for name, new in (
            ("regularizer unknown", "'l1', 1, 0, 1"),
            ("regularizer a number", "3, 1, 0, 1"),
            ("eps 0", "'l2', 0, 0, 1"),
            ("eps 0, delta", "'l2', 0, 0.1, 1"),
            ("eps negative", "'l2', -1, 0, 1"),
            ("eps missing", "'l2', NaN, 0, 1"),
            ("eps NULL, delta", "'l2', NULL, 0.1, 1"),
            ("eps text", "'l2', 'a', 0, 1"),
            ("eps infinite, delta", "'l2', Inf, 0.1, 1"),
            ("eps tiny", "'l2', 1e-320, 0, 1"),
            ("delta negative", "'l2', 1, -0.1, 1"),
            ("delta missing", "'l2', 1, NaN, 1"),
            ("delta NULL", "'l2', 1, NULL, 1"),
            ("delta 4", "'l2', 1, 4, 1"),
            ("gamma missing", "'l2', 1, 0, NaN"),
            ("gamma infinite", "'l2', 1, 0, Inf"),
        )
    ),
    kst_case("upper bounds without y", "'l2', 1, 0, 1", level="error", bounds="c(1, 1, 1), c(-1, -1, -1, -1)"),
    kst_case(
        "lower bounds too long",
        "'l2', 1, 0, 1",
        level="error",
        bounds="c(1, 1, 1, 1), rep(-1, 5)",
    ),
    kst_case("bounds of a column 0", "'l2', 1, 0, 1", level="error", bounds="c(1, 0, 4, 2), c(-1, 0, .5, -1)"),
    kst_case("bounds of y 0", "'l2', 1, 0, 1", level="error", bounds="c(1, 1, 4, 0), c(-1, 0, .5, 0)"),
    kst_case(
        "equal bounds of y, bias",
        "'l2', 1, 0, 1",
        BIAS,
        level="error",
        bounds="c(1, .8, 4, 2), c(-1, -.8, .5, 2)",
    ),
    kst_case("value missing", "'l2', 1, 0, 1", level="error", data={**DATA, "x2": [float("nan"), *_SECOND[1:]]}),
    kst_case("response missing", "'l2', 1, 0, 1", level="error", data={**DATA, "y": [float("nan"), *_RESPONSE[1:]]}),
    kst_case("lengths differ", "'l2', 1, 0, 1", level="error", setup=R_X + "y <- y[-1]\n"),
    kst_case("bias of a matrix", "'l2', 1, 0, 1", BIAS, level="error", setup=_MATRIX),
    kst_case(
        "bias is a column already",
        "'l2', 1, 0, 1",
        BIAS,
        level="error",
        setup="X <- data.frame(x1, x2, bias = x3)\n",
    ),
    kst_case("X a vector", "'l2', 1, 0, 1", level="error", x="x1", bounds=_ONE_BOUNDS),
    kst_case("X with text", "'l2', 1, 0, 1", level="error", setup="X <- data.frame(x1, x2, x3 = 'a')\n"),
    kst_case(
        "response text",
        "'l2', 1, 0, 1",
        level="error",
        setup=R_X + "y <- as.character(y)\n",
    ),
    kst_case(
        "predict with too few columns",
        "'l2', 1, 0, 1",
        level="error",
        after="m$predict(X[, 1:2])",
    ),
    kst_case(
        "predict before fit",
        "'l2', 1, 0, 1",
        level="error",
        after="DPpack::LinearRegressionDP$new('l2', 1, 0, 1)$predict(X)",
    ),
]

CASES = tuple(_LINEAR)
