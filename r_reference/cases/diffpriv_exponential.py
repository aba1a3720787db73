"""Comparisons of diffpriv's exponential mechanism."""

from __future__ import annotations

from pydpstat.parity.case import Case, Level
from r_reference.cases.diffpriv_mechanisms import case, release

_LETTERS_R = (
    "X <- c('abba', 'cab')\n"
    "q <- function(X) function(r) sum(r == unlist(strsplit(X, '')))\n"
    "p <- diffpriv::DPParamsEps(epsilon = 0.5)\n"
)


def _choice(name: str, r: str, level: Level = "exact", seed: int = 123) -> Case:
    return case(
        f"DPMechExponential/{name}",
        f"{_LETTERS_R}m <- diffpriv::DPMechExponential({r})\ndiffpriv::releaseResponse(m, p, X)$response",
        level=level,
        seed=seed,
    )


_EXPONENTIAL = (
    *(
        _choice(
            f"letters, seed {seed}",
            "sensitivity = 5, target = q, responseSet = as.list(letters)",
            seed=seed,
        )
        for seed in (1, 2, 3, 123)
    ),
    _choice(
        "ties",
        "sensitivity = 1, target = function(X) function(r) 1, responseSet = as.list(1:20)",
    ),
    _choice("one response", "sensitivity = 1, target = q, responseSet = list('a')"),
    _choice("one number", "sensitivity = 1, target = function(X) function(r) r, responseSet = list(7)"),
    _choice(
        "logical qualities",
        "sensitivity = 1, target = function(X) function(r) r == 'b', responseSet = list('a', 'b', 'c')",
    ),
    _choice(
        "negative qualities: the worst is preferred",
        "sensitivity = 1, target = function(X) function(r) -r, responseSet = list(1, 2, 100)",
    ),
    _choice(
        "both signs",
        "sensitivity = 1, target = function(X) function(r) r, responseSet = list(-1, 2)",
        level="error",
    ),
    _choice("all zero", "sensitivity = 1, target = q, responseSet = list('y', 'z')", level="error"),
    _choice(
        "missing quality",
        "sensitivity = 1, target = function(X) function(r) NaN, responseSet = list('y', 'z')",
        level="error",
    ),
    _choice(
        "text quality",
        "sensitivity = 1, target = function(X) function(r) r, responseSet = list('y', 'z')",
        level="error",
    ),
    _choice("default sensitivity", "target = q, responseSet = list('a', 'b')", level="error"),
    _choice("sensitivity 0", "sensitivity = 0, target = q, responseSet = list('a', 'b')", level="error"),
    _choice(
        "target no closure",
        "sensitivity = 1, target = function(X) 1, responseSet = list('a', 'b')",
        level="error",
    ),
    _choice("release of an empty object", "", level="error"),
    case(
        "DPMechExponential/epsilon and sensitivity cancel",
        f"{_LETTERS_R}draw <- function(eps, sens) {{\n"
        "  m <- diffpriv::DPMechExponential(sensitivity = sens, target = q, responseSet = as.list(letters))\n"
        "  set.seed(9)\n"
        "  replicate(20, diffpriv::releaseResponse(m, diffpriv::DPParamsEps(epsilon = eps), X)$response)\n"
        "}\n"
        "c(draw(0.01, 1), draw(100, 5))",
    ),
)

_OVERFLOW = release(
    "DPMechExponential/qualities overflow",
    "sensitivity = 1e-308, target = function(X) function(r) 1, responseSet = list('a', 'b', 'c')",
    "DPParamsEps(epsilon = 2)",
    level="error",
)

CASES = (*_EXPONENTIAL, _OVERFLOW)
