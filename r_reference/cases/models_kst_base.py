"""Comparisons of DPpack's base class of linear regression, with losses and domains of one's own."""

from __future__ import annotations

from r_reference.cases.models_cms import row_by_row
from r_reference.cases.models_kst import BIAS, NEW, OWN, R_X, kst_case

_BASE = "EmpiricalRiskMinimizationDP.KST"
_GRADIENTS = ", mapXy.gr = DPpack::mapXy.gr.linear, loss.gr = DPpack::loss.gr.squared.error"
_BALL_X = R_X + "ball <- list(constraints = function(w) sum(w^2) - 3, jacobian = function(w) 2 * w)\n"


def _erm(numbers: str, more: str = _GRADIENTS, domain: str = "ball") -> str:
    eps, delta, zeta, bound, gamma = numbers.split(", ")
    return (
        f"DPpack::mapXy.linear, DPpack::loss.squared.error, 'l2', {eps}, {delta}, {domain}, {zeta}, {bound}, "
        f"{gamma}{more}"
    )


_OWN_ERM = (
    _BALL_X
    + "squash <- function(v) v / sqrt(1 + v * v)\n"
    + "mapXy <- function(X, w) squash(X %*% w)\n"
    + "mapXy.gr <- function(X, w) {\n"
    + "  v <- as.numeric(X %*% w)\n"
    + "  t(X * (1 / ((1 + v * v) * sqrt(1 + v * v))))\n}\n"
    + "loss <- function(p, y) (p - y) * (p - y) / (1 + (p - y) * (p - y))\n"
    + "loss.gr <- function(p, y) 2 * (p - y) / ((1 + (p - y) * (p - y)) * (1 + (p - y) * (p - y)))\n"
    + OWN.removeprefix(R_X)
)
_DOMAINS = {
    "two constraints": (
        "ball <- list(constraints = function(w) c(sum(w^2) - 1, w[1] - .1), "
        "jacobian = function(w) rbind(2 * w, c(1, 0, 0)))\n"
    ),
    "small domain": ("ball <- list(constraints = function(w) sum(w^2) - .01, jacobian = function(w) 2 * w)\n"),
}
_ERM = [
    *(
        kst_case(f"eps {eps}, delta {delta}", _erm(f"{eps}, {delta}, 7, 3, 1"), of=_BASE, setup=_BALL_X)
        for eps in (0.5, 4)
        for delta in (0, 0.01)
    ),
    kst_case("bias", _erm("1, 0, 7, 3, 1"), BIAS, of=_BASE, setup=_BALL_X),
    kst_case(
        "by name",
        "mapXy = DPpack::mapXy.linear, loss = DPpack::loss.squared.error, regularizer = 'l2', "
        "eps = 1, delta = 0, domain = ball, zeta = 7, lambda = 3, gamma = 1",
        of=_BASE,
        setup=_BALL_X,
    ),
    kst_case("no gradients", _erm("4, 0, 7, 3, 1", ""), of=_BASE, setup=_BALL_X),
    kst_case("no gradients, delta", _erm("4, 0.1, 7, 3, 1", ""), of=_BASE, setup=_BALL_X),
    kst_case(
        "no gradients, no jacobian",
        _erm("4, 0, 7, 3, 1", ""),
        of=_BASE,
        setup=R_X + "ball <- list(constraints = function(w) sum(w^2) - 3)\n",
    ),
    *(
        kst_case(
            f"{name}, delta {delta}",
            _erm(f"4, {delta}, 7, 3, 1"),
            of=_BASE,
            setup=R_X + domain,
        )
        for name, domain in _DOMAINS.items()
        for delta in (0, 0.1)
    ),
    kst_case(
        "small domain, no gradients",
        _erm("4, 0, 7, 3, 1", ""),
        of=_BASE,
        setup=R_X + _DOMAINS["small domain"],
    ),
    kst_case(
        "own functions",
        "mapXy, loss, reg, 5, 0, ball, 7, 3, 1, mapXy.gr, loss.gr, reg.gr",
        of=_BASE,
        setup=_OWN_ERM,
        python=row_by_row,
    ),
    kst_case("own functions, no gradients", "mapXy, loss, reg, 5, 0, ball, 7, 3, 1", of=_BASE, setup=_OWN_ERM),
    kst_case(
        "wrong gradient of the sigmoid",
        _erm("5, 0, 7, 3, 1", _GRADIENTS.replace("gr.linear", "gr.sigmoid")).replace("mapXy.linear", "mapXy.sigmoid"),
        of=_BASE,
        setup=_BALL_X,
    ),
    kst_case("predict", _erm("4, 0, 7, 3, 1"), of=_BASE, setup=_BALL_X, after=f"{NEW}as.numeric(m$predict(new))"),
    kst_case(
        "predict with bias",
        _erm("4, 0, 7, 3, 1"),
        BIAS,
        of=_BASE,
        setup=_BALL_X,
        after=f"{NEW}as.numeric(m$predict(new, TRUE))",
    ),
    kst_case(
        "public fields",
        _erm("4, 0.1, 7, 3, 2"),
        of=_BASE,
        setup=_BALL_X,
        after="c(m$eps, m$delta, m$zeta, m$lambda, m$gamma, is.null(m$regularizer.gr))",
    ),
    kst_case("eps infinite", _erm("Inf, 0, 7, 3, 1"), of=_BASE, setup=_BALL_X),
    kst_case("zeta 0", _erm("1, 0, 0, 3, 1"), of=_BASE, setup=_BALL_X),
    kst_case("zeta 0, delta", _erm("1, 0.1, 0, 3, 1"), of=_BASE, setup=_BALL_X),
    kst_case("zeta negative, delta", _erm("1, 0.1, -2, 3, 1"), of=_BASE, setup=_BALL_X),
    kst_case("lambda 0", _erm("1, 0, 7, 0, 0"), of=_BASE, setup=_BALL_X),
    kst_case("lambda negative", _erm("1, 0, 7, -0.2, 1"), of=_BASE, setup=_BALL_X),
    kst_case(
        "infinite bounds",
        _erm("4, 0, 7, 3, 1"),
        of=_BASE,
        setup=_BALL_X,
        bounds="rep(Inf, 4), rep(-Inf, 4)",
    ),
    kst_case(
        "bound missing",
        _erm("4, 0, 7, 3, 1"),
        level="refused",
        of=_BASE,
        setup=_BALL_X,
        bounds="c(1, NaN, 4, 2), c(-1, -.8, .5, -1)",
        reason="R does not clip at a missing bound, so that nothing is guaranteed; Python stops",
    ),
    kst_case("zeta negative", _erm("1, 0, -2, 3, 1"), level="error", of=_BASE, setup=_BALL_X),
    kst_case("zeta missing", _erm("1, 0, NaN, 3, 1"), level="error", of=_BASE, setup=_BALL_X),
    kst_case("lambda infinite", _erm("1, 0, 7, Inf, 1"), level="error", of=_BASE, setup=_BALL_X),
    kst_case("lambda NULL", _erm("1, 0, 7, NULL, 1"), level="error", of=_BASE, setup=_BALL_X),
    kst_case(
        "regularizer unknown",
        _erm("1, 0, 7, 3, 1").replace("'l2'", "'l3'"),
        level="error",
        of=_BASE,
        setup=_BALL_X,
    ),
    kst_case(
        "domain without a jacobian",
        _erm("1, 0, 7, 3, 1"),
        level="error",
        of=_BASE,
        setup=R_X + "ball <- list(constraints = function(w) sum(w^2) - 3)\n",
    ),
    kst_case(
        "domain without constraints",
        _erm("1, 0, 7, 3, 1"),
        level="error",
        of=_BASE,
        setup=R_X + "ball <- list(jacobian = function(w) 2 * w)\n",
    ),
    kst_case(
        "wrong length of a gradient",
        _erm("1, 0, 7, 3, 1", _GRADIENTS.replace("DPpack::mapXy.gr.linear", "gr")),
        level="error",
        of=_BASE,
        setup=_BALL_X + "gr <- function(X, w) t(X)[1:2, ]\n",
    ),
    kst_case(
        "objective missing at the start",
        _erm("1, 0, 7, 3, 1", "").replace("DPpack::loss.squared.error", "loss"),
        level="error",
        of=_BASE,
        setup=_BALL_X + "loss <- function(p, y) NaN * p\n",
    ),
    kst_case(
        "upper bounds without y",
        _erm("1, 0, 7, 3, 1"),
        level="error",
        of=_BASE,
        setup=_BALL_X,
        bounds="c(1, 1, 1), c(-1, -1, -1, -1)",
    ),
    kst_case(
        "predict before fit",
        _erm("1, 0, 7, 3, 1"),
        level="error",
        of=_BASE,
        setup=_BALL_X,
        after=f"DPpack::{_BASE}$new({_erm('1, 0, 7, 3, 1')})$predict(X)",
    ),
]

CASES = tuple(_ERM)
