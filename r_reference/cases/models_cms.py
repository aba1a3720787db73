"""Comparisons of DPpack's base classes of empirical risk minimization, and what its models' cases share."""

from __future__ import annotations

from collections.abc import Callable

from pydpstat.parity.case import Case, Inputs, Level

NOT_FINITE = "R returns NaN or an infinite coefficient; Python stops and says so"
SUMS = (
    "equal to the bit with the reference BLAS; another BLAS, libm or sum in an own function rounds "
    "otherwise, and the minimiser may stop a step later"
)
_N = 24
_FIRST = [round(-1.0 + 0.083 * i, 3) for i in range(_N)]
_SECOND = [round(((7 * i) % _N) / 11.0 - 1.0, 3) for i in range(_N)]
_THIRD = [round(((5 * i + 3) % 17) / 4.0, 3) for i in range(_N)]
_LABELS = [int(i > 9) if i % 5 else int(i % 2) for i in range(_N)]
WEIGHTS = [round(((3 * i) % 7) / 4.0, 3) for i in range(_N)]
DATA: dict[str, list[float]] = {"x1": _FIRST, "x2": _SECOND, "x3": _THIRD, "y": _LABELS, "w": WEIGHTS}
R_X = "X <- data.frame(x1, x2, x3)\n"
_BOUNDS = "c(1, 0.8, 5), c(-1, -0.8, 0.5)"


def fit_case(
    name: str,
    new: str,
    fit: str = "",
    level: Level = "rtol",
    *,
    of: str = "LogisticRegressionDP",
    after: str = "m$coeff",
    setup: str = R_X,
    data: Inputs | None = None,
    bounds: str = _BOUNDS,
    x: str = "X",
    y: str = "y",
    reason: str = "",
    seed: int = 123,
    python: str | Callable[[str], str] = "",
) -> Case:
    """Return the comparison of a constructor, a fit, and the coefficients or what `after` asks for."""
    stops = level in ("error", "difference", "refused", "endless")
    return Case(
        id=f"{of}/{name}",
        function=of,
        package="DPpack",
        r=f"{setup}m <- DPpack::{of}$new({new})\nm$fit({x}, {y}, {bounds}{fit})\n{after}",
        python=python,
        inputs=DATA if data is None else data,
        level=level,
        tolerance=1e-7 if level == "rtol" else 0.0,
        # R may have drawn before it stops
        draws=not stops,
        reason=reason or {"rtol": SUMS, "difference": NOT_FINITE}.get(level, ""),
        seed=seed,
    )


PREDICT = "new <- data.frame(x1 = c(0, .5, -1), x2 = c(1, -2, .3), x3 = c(2, 2, 9))\n"


def predicted(arguments: str) -> str:
    """Return a call of `predict` with more arguments."""
    return f"{PREDICT}c(as.numeric(m$predict(new{arguments})), m$coeff)"


def _erm(new: str) -> str:
    """Return the arguments of a base class with the Huber loss, which both base classes take."""
    return (
        "DPpack::mapXy.linear, DPpack::generate.loss.huber(0.5), 'l2', "
        f"{new}, mapXy.gr = DPpack::mapXy.gr.linear, loss.gr = DPpack::generate.loss.gr.huber(0.5)"
    )


LABEL = "y <- 2 * y - 1\n" + R_X
OWN = R_X + "reg <- function(w) sum(w^2 / 2 + .1 * w^4)\nreg.gr <- function(w) w + .4 * w^3\n"
_OWN_ERM = (
    OWN
    + "mapXy <- function(X, w) 1 / (1 + exp(-(X %*% w)))\n"
    + "mapXy.gr <- function(X, w) t(X * as.numeric(mapXy(X, w) * (1 - mapXy(X, w))))\n"
    + "loss <- function(p, y) -(y * log(p) + (1 - y) * log(1 - p))\n"
    + "loss.gr <- function(p, y) -y / p + (1 - y) / (1 - p)\n"
)


def row_by_row(python: str) -> str:
    """Return lines that multiply each row of a plain array, as R does."""
    return python.replace("r.t(X * ", "(X.T * ")


CASES = (
    *[
        case
        for of in ("EmpiricalRiskMinimizationDP.CMS", "WeightedERMDP.CMS")
        for case in (
            *(
                fit_case(
                    f"{method}, eps {eps}, gamma {gamma}",
                    _erm(f"{eps}, {gamma}, '{method}', 1"),
                    of=of,
                    setup=LABEL,
                    seed=123 if of.startswith("Emp") else 5,
                )
                for method in ("objective", "output")
                for eps, gamma in ((1, 1), (0.2, 0.1), (4, 10))
            ),
            fit_case("bias", _erm("1, 1, 'output'"), ", TRUE", of=of, setup=LABEL),
            fit_case(
                "numeric gradient",
                "DPpack::mapXy.linear, DPpack::generate.loss.huber(0.5), 'l2', 1, 1, 'objective', 1",
                of=of,
                setup=LABEL,
            ),
            fit_case("predict", _erm("1, 1, 'output'"), of=of, setup=LABEL, after=predicted("")),
            fit_case("eps infinite", _erm("Inf, 1, 'objective', 1"), of=of, setup=LABEL),
            fit_case("c missing", _erm("1, 1"), of=of, setup=LABEL, level="error"),
            fit_case("method unknown", _erm("1, 1, 'both'"), of=of, setup=LABEL, level="error"),
            fit_case(
                "regularizer unknown",
                _erm("1, 1, 'output'").replace("'l2'", "'l3'"),
                of=of,
                setup=LABEL,
                level="error",
            ),
            fit_case(
                "lower bounds too short",
                _erm("1, 1, 'output'"),
                of=of,
                setup=LABEL,
                level="error",
                bounds="c(1, 2, 3), c(-1, -2)",
            ),
            fit_case(
                "bound missing",
                _erm("1, 1, 'output'"),
                of=of,
                setup=LABEL,
                level="refused",
                bounds="c(1, NaN, 3), c(-1, 0, 0)",
                reason="R does not clip at a missing bound, so that nothing is guaranteed; Python stops",
            ),
        )
    ],
    *[
        fit_case(
            f"own functions, {name}",
            f"mapXy, loss, reg, 1, 1, 'objective', 0.25{gradients}",
            of="EmpiricalRiskMinimizationDP.CMS",
            setup=_OWN_ERM,
            python=row_by_row,
        )
        for name, gradients in (("gradients", ", mapXy.gr, loss.gr, reg.gr"), ("numeric gradient", ""))
    ],
    fit_case(
        "wrong gradient of the sigmoid",
        "DPpack::mapXy.sigmoid, DPpack::loss.cross.entropy, 'l2', 1, 1, 'objective', 0.25, "
        "DPpack::mapXy.gr.sigmoid, DPpack::loss.gr.cross.entropy",
        of="EmpiricalRiskMinimizationDP.CMS",
        after=predicted(""),
    ),
    fit_case("weights", _erm("1, 1, 'output'"), ", FALSE, w, 1", of="WeightedERMDP.CMS", setup=LABEL),
    fit_case(
        "weights with objective",
        _erm("1, 1, 'objective', 1"),
        ", FALSE, w, 1",
        of="WeightedERMDP.CMS",
        setup=LABEL,
        level="error",
    ),
    fit_case(
        "weights without a bound",
        _erm("1, 1, 'output'"),
        ", FALSE, w",
        of="WeightedERMDP.CMS",
        setup=LABEL,
        level="error",
    ),
    fit_case(
        "weights negative",
        _erm("1, 1, 'output'"),
        ", FALSE, -w, 1",
        of="WeightedERMDP.CMS",
        setup=LABEL,
        level="error",
    ),
)
