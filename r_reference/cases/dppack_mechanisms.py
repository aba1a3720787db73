"""Comparisons of DPpack's Laplace and Gaussian mechanisms."""

from __future__ import annotations

from pydpstat.parity.case import Case, Level

NOT_FINITE = "R returns NA, NaN or an infinite value; Python stops and says so"


def _case(
    name: str,
    r: str,
    python: str = "",
    level: Level = "exact",
    reason: str = "",
    seed: int = 123,
    draws: bool = True,
) -> Case:
    function = r.split("(")[0]
    return Case(
        id=f"{function}/{name}",
        function=function,
        package="DPpack",
        r=f"DPpack::{r}",
        python=python,
        level=level,
        reason=reason,
        seed=seed,
        recorded_ulp=4.0 if level == "exact" else 0.0,
        draws=draws,
    )


_LAPLACE = (
    _case("scalar", "LaplaceMechanism(5, 1, 1)"),
    _case("vector, one sensitivity", "LaplaceMechanism(c(1, 2, 3), 0.5, 2)"),
    _case("vector, own sensitivities", "LaplaceMechanism(c(1, 2, 3), 0.5, c(0.1, 0.2, 0.4))"),
    _case("split", "LaplaceMechanism(c(1, 2), 1, c(1, 2), c(1, 3))", seed=7),
    _case("split of a scalar", "LaplaceMechanism(5, 1, 1, 3)"),
    _case("names", "LaplaceMechanism(c(a = 1, b = 2), 1, 1)"),
    _case("matrix", "LaplaceMechanism(matrix(1:6, 2), 1, 1)"),
    _case("integers", "LaplaceMechanism(1:3, 1L, TRUE)"),
    _case("no values", "LaplaceMechanism(numeric(0), 1, 1)"),
    _case("eps text", "LaplaceMechanism(1, '1', 1)", level="error"),
    _case("eps TRUE", "LaplaceMechanism(1, TRUE, 1)", level="error"),
    _case("eps NA", "LaplaceMechanism(1, NA, 1)", level="error"),
    _case("eps NaN", "LaplaceMechanism(1, NaN, 1)", level="error"),
    _case("eps two", "LaplaceMechanism(1, c(1, 2), 1)", level="error"),
    _case("eps zero", "LaplaceMechanism(1, 0, 1)", level="error"),
    _case("eps negative", "LaplaceMechanism(1, -1, 1)", level="error"),
    _case("eps empty", "LaplaceMechanism(1, numeric(0), 1)", level="error"),
    _case("eps infinite", "LaplaceMechanism(1, Inf, 1)", level="error"),
    _case("values list", "LaplaceMechanism(list(1), 1, 1)", "dppack.LaplaceMechanism({'a': 1}, 1, 1)", "error"),
    _case("values logical", "LaplaceMechanism(TRUE, 1, 1)", level="error"),
    _case("values NULL", "LaplaceMechanism(NULL, 1, 1)", level="error"),
    _case("values text", "LaplaceMechanism('a', 1, 1)", level="error"),
    _case("values factor", "LaplaceMechanism(factor(c('1', '2')), 1, 1)", level="error"),
    _case("sensitivities too many", "LaplaceMechanism(1, 1, c(1, 2))", level="error"),
    _case("sensitivity zero", "LaplaceMechanism(1, 1, 0)", level="error"),
    _case("sensitivity NA", "LaplaceMechanism(1, 1, NA_real_)", level="error"),
    _case("split too short", "LaplaceMechanism(c(1, 2), 1, c(1, 2), 1)", level="error"),
    _case("split zero", "LaplaceMechanism(c(1, 2), 1, c(1, 2), c(1, 0))", level="error"),
    # R draws once before it stops here, so the streams are not compared
    _case("split scalar of vector", "LaplaceMechanism(c(1, 2), 1, 1, 1)", level="error", draws=False),
    _case("value NaN", "LaplaceMechanism(NaN, 1, 1)", level="difference", reason=NOT_FINITE),
    _case("value NA", "LaplaceMechanism(c(1, NA), 1, 1)", level="difference", reason=NOT_FINITE),
    _case("value Inf", "LaplaceMechanism(Inf, 1, 1)", level="difference", reason=NOT_FINITE),
    _case("sensitivity Inf", "LaplaceMechanism(1, 1, Inf)", level="difference", reason=NOT_FINITE),
)

_GAUSSIAN = (
    _case("aDP", "GaussianMechanism(5, 0.5, 0.01, 1)"),
    _case("aDP vector", "GaussianMechanism(c(1, 2, 3), 0.9, 1e-6, c(1, 2, 3))"),
    _case("pDP", "GaussianMechanism(5, 2, 0.01, 1, 'pDP')"),
    _case("pDP vector", "GaussianMechanism(c(1, 2), 0.3, 1e-5, c(0.5, 2), type.DP = 'pDP')"),
    _case("analytic", "GaussianMechanism(5, 1, 0.01, 1, analytic = TRUE)"),
    _case("analytic, large eps", "GaussianMechanism(c(1, 2), 12, 1e-5, 0.3, analytic = TRUE)"),
    _case("analytic 1", "GaussianMechanism(1, 0.5, 0.1, 1, analytic = 1)"),
    _case("analytic tol", "GaussianMechanism(1, 0.5, 0.1, 1, analytic = TRUE, tol = 1e-3)"),
    _case("aDP split", "GaussianMechanism(c(1, 2), 0.5, 0.1, c(1, 2), alloc.proportions = c(1, 3))"),
    _case("pDP split", "GaussianMechanism(c(1, 2), 3, 0.1, c(1, 2), 'pDP', c(1, 3))"),
    _case("analytic split", "GaussianMechanism(c(1, 2), 1, 0.1, c(1, 2), 'aDP', c(1, 3), TRUE)"),
    _case("delta above 1", "GaussianMechanism(1, 0.5, 1.1, 1)"),
    _case("delta 1.25: the true value", "GaussianMechanism(1, 0.5, 1.25, 1)"),
    _case("pDP delta 1.5", "GaussianMechanism(1, 0.5, 1.5, 1, 'pDP')"),
    _case("analytic delta 1", "GaussianMechanism(1, 0.5, 1, 1, analytic = TRUE)"),
    _case("integers", "GaussianMechanism(1:3, 0.5, 0.01, 1L)"),
    _case("delta zero", "GaussianMechanism(1, 1, 0, 1)", level="error"),
    _case("delta text", "GaussianMechanism(1, 1, 'a', 1)", level="error"),
    _case("delta two", "GaussianMechanism(1, 1, c(.1, .2), 1)", level="error"),
    _case("delta TRUE", "GaussianMechanism(1, 0.5, TRUE, 1)", level="error"),
    _case("eps 1 with aDP", "GaussianMechanism(1, 1, 0.1, 1)", level="error"),
    _case("type unknown", "GaussianMechanism(1, 1, 0.1, 1, 'x')", level="error"),
    _case("analytic with pDP", "GaussianMechanism(1, 1, .1, 1, 'pDP', analytic = TRUE)", level="error"),
    _case("analytic NA", "GaussianMechanism(1, .5, .1, 1, analytic = NA)", level="error"),
    _case("analytic text", "GaussianMechanism(1, .5, .1, 1, analytic = 'a')", level="error"),
    _case("sensitivity zero", "GaussianMechanism(1, .5, .1, 0)", level="error"),
    _case("sensitivities too many", "GaussianMechanism(1, .5, .1, c(1, 2))", level="error"),
    _case("split too long", "GaussianMechanism(1, .5, .1, 1, alloc.proportions = c(1, 2))", level="error"),
    _case("values NULL", "GaussianMechanism(NULL, .5, .1, 1)", level="error"),
    _case("eps infinite, aDP", "GaussianMechanism(1, Inf, .1, 1)", level="error"),
    _case("eps 710, analytic", "GaussianMechanism(1, 710, .1, 1, analytic = TRUE)", level="error"),
    _case("eps infinite, pDP", "GaussianMechanism(1, Inf, .1, 1, 'pDP')", level="difference", reason=NOT_FINITE),
    _case("delta infinite", "GaussianMechanism(1, .5, Inf, 1)", level="difference", reason=NOT_FINITE),
    _case("delta 1.3", "GaussianMechanism(1, .5, 1.3, 1)", level="difference", reason=NOT_FINITE),
    _case("delta 2, pDP", "GaussianMechanism(1, .5, 2, 1, 'pDP')", level="difference", reason=NOT_FINITE),
    _case("sensitivity infinite", "GaussianMechanism(1, .5, .1, Inf)", level="difference", reason=NOT_FINITE),
    _case(
        "one sensitivity split over three",
        "GaussianMechanism(c(1, 2, 3), .5, .01, 1, alloc.proportions = 1)",
        level="difference",
        reason=NOT_FINITE,
    ),
    _case("analytic delta 1.5", "GaussianMechanism(1, .5, 1.5, 1, analytic = TRUE)", level="endless"),
)

UNDERFLOW = "R's noise scale underflows, and R publishes the value without noise; Python refuses"
_TINY = (
    _case("tiny sensitivity", "GaussianMechanism(7.5, .5, .01, 1e-200)", level="refused", reason=UNDERFLOW),
    _case(
        "tiny sensitivity, analytic",
        "GaussianMechanism(7.5, .5, .01, 1e-200, analytic = TRUE)",
        level="refused",
        reason=UNDERFLOW,
    ),
    _case(
        "tiny sensitivities, pDP",
        "GaussianMechanism(c(7, 8), .5, .01, c(1e-170, 1e-180), type.DP = 'pDP')",
        level="refused",
        reason=UNDERFLOW,
    ),
    _case("small sensitivity", "GaussianMechanism(0, .5, .01, 1e-150)"),
    _case(
        "tiny scale, split",
        "LaplaceMechanism(7.5, 4, 1e-323, alloc.proportions = 1)",
        level="refused",
        reason=UNDERFLOW,
    ),
)

CASES = _LAPLACE + _GAUSSIAN + _TINY
