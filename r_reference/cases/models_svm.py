"""Comparisons of DPpack's support vector machine."""

from __future__ import annotations

from r_reference.cases.models_cms import DATA, LABEL, OWN, PREDICT, WEIGHTS, fit_case, predicted

CASES = (
    *(
        fit_case(
            f"{method}, eps {eps}, gamma {gamma}{', bias' if bias else ''}",
            f"'l2', {eps}, {gamma}, '{method}'",
            ", add.bias = TRUE" if bias else "",
            of="svmDP",
            seed=11,
        )
        for method in ("objective", "output")
        for eps, gamma in ((1, 1), (0.3, 0.01), (5, 20))
        for bias in (False, True)
    ),
    *(
        fit_case(
            f"Gaussian, {method}{extra}{', bias' if bias else ''}",
            f"'l2', 1, 1, '{method}', kernel = 'Gaussian', D = 5{extra}",
            ", add.bias = TRUE" if bias else "",
            of="svmDP",
            after="c(m$coeff, m$kernel.param, m$prefilter)",
        )
        for method in ("objective", "output")
        for extra in ("", ", kernel.param = 0.3")
        for bias in (False, True)
    ),
    fit_case(
        "Gaussian: XtoV and predictions",
        "'l2', 1, 1, kernel = 'Gaussian', D = 4",
        of="svmDP",
        after=f"{PREDICT}c(m$XtoV(as.matrix(new)), m$predict(new), m$predict(new, raw.value = TRUE))",
    ),
    fit_case(
        "Gaussian: predictions with bias",
        "'l2', 1, 1, kernel = 'Gaussian', D = 4",
        ", TRUE",
        of="svmDP",
        after=f"{PREDICT}c(m$predict(new, TRUE), m$predict(new, TRUE, TRUE))",
    ),
    fit_case(
        "Gaussian: the first fit's parameter is kept",
        "'l2', 1, 1, kernel = 'Gaussian', D = 4",
        of="svmDP",
        after="k1 <- m$kernel.param\nm$fit(data.frame(x1, x2), y, c(1, 1), c(-1, -1))\n"
        "c(k1, m$kernel.param, m$coeff, m$sampling(2))",
    ),
    fit_case("Gaussian: bounds ignored", "'l2', 1, 1, kernel = 'Gaussian', D = 4", of="svmDP", bounds="NULL, 3"),
    *(
        fit_case(
            f"Gaussian, {method}: no bounds",
            f"'l2', 1, 1, '{method}', kernel = 'Gaussian', D = 4",
            of="svmDP",
            bounds="weights = NULL",
        )
        for method in ("objective", "output")
    ),
    fit_case("no bounds", "'l2', 1, 1", of="svmDP", level="error", bounds="weights = NULL"),
    fit_case(
        "Gaussian, weights",
        "'l2', 1, 1, 'output', 'Gaussian', 4",
        ", weights = w, weights.upper.bound = 1",
        of="svmDP",
    ),
    fit_case("weights", "'l2', 1, 1, 'output'", ", FALSE, w, 1", of="svmDP"),
    fit_case("weights below the bound", "'l2', 1, 1, 'output'", ", FALSE, w, 3", of="svmDP"),
    fit_case("weights all 0, bound 0", "'l2', 1, 1, 'output'", ", FALSE, 0 * w, 0", of="svmDP"),
    fit_case("bound of weights without weights", "'l2', 1, 1, 'output'", ", weights.upper.bound = 7", of="svmDP"),
    fit_case("huber.h 2", "'l2', 1, 1, huber.h = 2", of="svmDP"),
    fit_case("huber.h 0.05, output", "'l2', 1, 1, 'output', huber.h = 0.05", of="svmDP"),
    fit_case("predict", "'l2', 1, 1", of="svmDP", after=predicted("")),
    fit_case("predict raw", "'l2', 1, 1", of="svmDP", after=predicted(", raw.value = TRUE")),
    fit_case("predict with bias", "'l2', 1, 1", ", TRUE", of="svmDP", after=predicted(", TRUE")),
    fit_case("own regularizer", "reg, 1, 1", of="svmDP", setup=OWN),
    fit_case(
        "public fields",
        "'l2', 1, 2, kernel = 'Gaussian', D = 2",
        of="svmDP",
        after="c(m$c, m$gamma, m$eps, m$D, m$kernel.param, dim(m$prefilter), m$phi(1, c(2, 3)))",
    ),
    fit_case("eps infinite, output", "'l2', Inf, 1, 'output'", of="svmDP"),
    fit_case("eps infinite, Gaussian", "'l2', Inf, 1, kernel = 'Gaussian', D = 3", of="svmDP"),
    fit_case("gamma 0", "'l2', 1, 0", of="svmDP"),
    fit_case("gamma -0.001", "'l2', 1, -0.001", of="svmDP"),
    fit_case("gamma -1, output", "'l2', 1, -1, 'output'", of="svmDP", level="difference"),
    fit_case("huber.h 0", "'l2', 1, 1, huber.h = 0", of="svmDP", level="error"),
    fit_case("weights with objective", "'l2', 1, 1", ", FALSE, w, 1", of="svmDP", level="error"),
    fit_case("weights without a bound", "'l2', 1, 1, 'output'", ", FALSE, w", of="svmDP", level="error"),
    fit_case("weights negative", "'l2', 1, 1, 'output'", ", FALSE, -w, 1", of="svmDP", level="error"),
    fit_case(
        "weight missing",
        "'l2', 1, 1, 'output'",
        ", FALSE, w, 1",
        of="svmDP",
        level="error",
        data={**DATA, "w": [float("nan"), *WEIGHTS[1:]]},
    ),
    fit_case("too few weights", "'l2', 1, 1, 'output'", ", FALSE, c(1, 1), 1", of="svmDP", level="error"),
    fit_case("bound of weights infinite", "'l2', 1, 1, 'output'", ", FALSE, w, Inf", of="svmDP", level="difference"),
    fit_case("bound of weights negative", "'l2', 1, 1, 'output'", ", FALSE, w, -1", of="svmDP", level="difference"),
    fit_case("kernel unknown", "'l2', 1, 1, kernel = 'radial'", of="svmDP", level="error"),
    fit_case("D missing", "'l2', 1, 1, kernel = 'Gaussian'", of="svmDP", level="error"),
    fit_case("D 0", "'l2', 1, 1, kernel = 'Gaussian', D = 0", of="svmDP", level="error"),
    fit_case(
        "D 2.5",
        "'l2', 1, 1, kernel = 'Gaussian', D = 2.5",
        of="svmDP",
        level="refused",
        reason="R makes two features and scales them as if they were 2.5; Python stops",
    ),
    fit_case(
        "kernel.param negative",
        "'l2', 1, 1, kernel = 'Gaussian', D = 2, kernel.param = -1",
        of="svmDP",
        level="error",
    ),
    fit_case("labels -1 and 1", "'l2', 1, 1", of="svmDP", level="error", setup=LABEL),
    fit_case("upper bounds too short", "'l2', 1, 1", of="svmDP", level="error", bounds="c(1, 2), c(-1, -2, 0)"),
    fit_case(
        "Gaussian: predict with too few columns",
        "'l2', 1, 1, kernel = 'Gaussian', D = 2",
        of="svmDP",
        level="refused",
        after="c(m$predict(X[, 1:2]))",
        reason="R takes a frequency for the phase and goes on; Python stops",
    ),
)
