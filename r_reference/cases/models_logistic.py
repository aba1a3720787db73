"""Comparisons of DPpack's logistic regression."""

from __future__ import annotations

from r_reference.cases.models_cms import DATA, OWN, PREDICT, R_X, fit_case, predicted

CASES = (
    *(
        fit_case(
            f"{method}, eps {eps}, gamma {gamma}{', bias' if bias else ''}",
            f"'l2', {eps}, {gamma}, '{method}'",
            ", add.bias = TRUE" if bias else "",
            seed=7,
        )
        for method in ("objective", "output")
        for eps, gamma in ((1, 1), (0.3, 0.01), (5, 20), (0.1, 100))
        for bias in (False, True)
    ),
    fit_case("defaults by name", "regularizer = 'l2', eps = 1, gamma = 1"),
    fit_case("own regularizer", "reg, 1, 1", setup=OWN),
    fit_case("own regularizer and gradient", "reg, 1, 1, 'output', reg.gr", setup=OWN),
    fit_case("predict", "'l2', 1, 1", after=predicted("")),
    fit_case("predict raw", "'l2', 1, 1", after=predicted(", raw.value = TRUE")),
    fit_case("predict with bias", "'l2', 1, 1", ", TRUE", after=predicted(", TRUE, TRUE")),
    fit_case(
        "predict where bias is a column",
        "'l2', 1, 1",
        ", TRUE",
        after=f"{PREDICT}new$bias <- 3\nas.numeric(m$predict(new, TRUE, TRUE))",
    ),
    fit_case(
        "clone keeps its own",
        "'l2', 1, 1",
        after=("k <- m$clone()\nm$eps <- 3\nm$fit(X, y, c(1, 0.8, 5), c(-1, -0.8, 0.5))\nc(k$coeff, m$coeff, k$eps)"),
    ),
    fit_case(
        "public fields",
        "'l2', 1, 2",
        after="c(m$c, m$gamma, m$eps, is.null(m$kernel), is.null(m$D), is.null(m$prefilter), "
        "is.null(m$sampling), is.null(m$phi), is.null(m$kernel.param))",
    ),
    fit_case("matrix", "'l2', 1, 1", setup="X <- cbind(x1, x2, x3)\n"),
    fit_case("labels in a frame", "'l2', 1, 1", setup=R_X + "y <- data.frame(y)\n"),
    fit_case("labels logical", "'l2', 1, 1", setup=R_X + "y <- y == 1\n"),
    fit_case("one record", "'l2', 1, 1", data={"x1": [0.5], "x2": [0.1], "x3": [2.0], "y": [1]}),
    fit_case("one column", "'l2', 1, 1", setup="X <- data.frame(x1)\n", bounds="1, -1"),
    fit_case("reversed bounds", "'l2', 1, 1", bounds="c(-1, .8, 5), c(1, -.8, .5)"),
    fit_case("one bound infinite", "'l2', 1, 1", bounds="c(Inf, .8, 5), c(-1, -.8, .5)"),
    fit_case("eps infinite, objective", "'l2', Inf, 1"),
    fit_case("eps infinite, output", "'l2', Inf, 1, 'output'"),
    fit_case("gamma -1/4: no noise", "'l2', 1, -0.25"),
    fit_case("gamma -10", "'l2', 1, -10"),
    fit_case("gamma 0", "'l2', 1, 0"),
    fit_case("infinite data are clipped", "'l2', 1, 1", data={**DATA, "x1": [float("inf"), *DATA["x1"][1:]]}),
    fit_case("eps as a vector of one", "'l2', c(1), c(1)"),
    fit_case("gamma -1, output", "'l2', 1, -1, 'output'", level="difference"),
    fit_case("gamma 0, output", "'l2', 1, 0, 'output'", level="difference"),
    fit_case("eps 0", "'l2', 0, 1", level="error"),
    fit_case("eps negative", "'l2', -1, 1", level="error"),
    fit_case("eps 0, output", "'l2', 0, 1, 'output'", level="difference"),
    fit_case("eps negative, output", "'l2', -1, 1, 'output'", level="difference"),
    fit_case("eps missing", "'l2', NaN, 1", level="error"),
    fit_case("eps text", "'l2', 'a', 1", level="error"),
    fit_case("gamma missing", "'l2', 1, NaN", level="error"),
    fit_case("regularizer unknown", "'l1', 1, 1", level="error"),
    fit_case("regularizer a number", "3, 1, 1", level="error"),
    fit_case("method unknown", "'l2', 1, 1, 'input'", level="error"),
    fit_case("upper bounds too short", "'l2', 1, 1", level="error", bounds="c(1, 2), c(-1, -2, 0)"),
    fit_case("lower bounds too long", "'l2', 1, 1", level="error", bounds="c(1, 2, 3), c(-1, -2, 0, 1)"),
    fit_case("bounds 0", "'l2', 1, 1", level="error", bounds="c(1, 0, 3), c(-1, 0, 0)"),
    fit_case("bound missing", "'l2', 1, 1", level="error", bounds="c(1, NaN, 3), c(-1, 0, 0)"),
    fit_case("labels 1 and 2", "'l2', 1, 1", level="error", setup="y <- y + 1\n" + R_X),
    fit_case(
        "label missing",
        "'l2', 1, 1",
        level="error",
        data={**DATA, "y": [float("nan"), *map(float, DATA["y"][1:])]},
    ),
    fit_case("value missing", "'l2', 1, 1", level="error", data={**DATA, "x2": [float("nan"), *DATA["x2"][1:]]}),
    fit_case("lengths differ", "'l2', 1, 1", level="error", setup=R_X + "y <- y[-1]\n"),
    fit_case("bias of a matrix", "'l2', 1, 1", ", TRUE", level="error", setup="X <- cbind(x1, x2, x3)\n"),
    fit_case(
        "bias is a column already",
        "'l2', 1, 1",
        ", TRUE",
        level="error",
        setup="X <- data.frame(x1, x2, bias = x3)\n",
    ),
    fit_case("X a vector", "'l2', 1, 1", level="error", x="x1", bounds="1, -1"),
    fit_case("X with text", "'l2', 1, 1", level="error", setup="X <- data.frame(x1, x2, x3 = 'a')\n"),
    fit_case(
        "labels a factor",
        "'l2', 1, 1",
        level="error",
        setup=R_X + "y <- factor(y)\n",
    ),
    fit_case(
        "predict with too few columns",
        "'l2', 1, 1",
        level="error",
        after="m$predict(X[, 1:2])",
    ),
    fit_case("NaN bounds", "'l2', 1, 1", level="error", bounds="c(1, 1, 1), NaN"),
)
