"""Comparisons of diffpriv's releases by Laplace and Gaussian noise, and what all its releases share."""

from __future__ import annotations

from pydpstat.parity.case import Case, Level

NOT_FINITE = "R returns NA, NaN or an infinite value; Python stops and says so"
# logarithms and exponentials of another machine's C library
_LIBM = 4.0

DATA_R = "X <- c(0.3, 0.1, 0.8, 0.5)\n"
_MEAN_R = "f <- function(X) mean(X)\n"


def case(name: str, r: str, python: str = "", level: Level = "exact", reason: str = "", seed: int = 123) -> Case:
    """Return a comparison of a mechanism, by the case's name "function/what"."""
    return Case(
        name,
        name.split("/")[0],
        "diffpriv",
        r,
        python,
        level=level,
        reason=reason,
        seed=seed,
        recorded_ulp=_LIBM if level == "exact" else 0.0,
    )


def release(name: str, slots: str, parameters: str, level: Level = "exact", reason: str = "", seed: int = 123) -> Case:
    """A release on X: the mechanism's slots and the parameters."""
    return case(
        name,
        f"{DATA_R}{_MEAN_R}m <- diffpriv::{name.split('/')[0]}({slots})\n"
        f"diffpriv::releaseResponse(m, diffpriv::{parameters}, X)$response",
        level=level,
        reason=reason,
        seed=seed,
    )


_EPS = "DPParamsEps(epsilon = 0.7)"
_DEL_R = "DPParamsDel(epsilon = 0.5, delta = 0.01)"
_M_R = "sensitivity = 0.25, target = f, dims = 1"

_LAPLACE = (
    release("DPMechLaplace/mean", _M_R, _EPS),
    release("DPMechLaplace/mean, another seed", _M_R, _EPS, seed=-5),
    release("DPMechLaplace/vector", "sensitivity = 2, target = function(X) X, dims = 4", "DPParamsEps()"),
    release(
        "DPMechLaplace/long vector",
        "sensitivity = 2, target = function(X) rep(X, 300), dims = 1200",
        "DPParamsEps(epsilon = 0.3)",
    ),
    case(
        "DPMechLaplace/names",
        f"{DATA_R}f <- function(X) c(low = min(X), high = max(X))\n"
        "m <- diffpriv::DPMechLaplace(sensitivity = 1, target = f, dims = 2)\n"
        "diffpriv::releaseResponse(m, diffpriv::DPParamsEps(), X)$response",
    ),
    release(
        "DPMechLaplace/integer",
        "sensitivity = 1L, target = function(X) length(X), dims = 1L",
        "DPParamsEps(epsilon = 2L)",
    ),
    release(
        "DPMechLaplace/nothing",
        "sensitivity = 1, target = function(X) numeric(0), dims = 0",
        "DPParamsEps()",
    ),
    release(
        "DPMechLaplace/sensitivity 0: the exact value",
        "sensitivity = 0, target = f, dims = 1",
        "DPParamsEps()",
    ),
    release("DPMechLaplace/epsilon infinite: the exact value", _M_R, "DPParamsEps(epsilon = Inf)"),
    release("DPMechLaplace/with delta", _M_R, _DEL_R),
    release("DPMechLaplace/with gamma", _M_R, "DPParamsGam(epsilon = 3, gamma = 0.2)"),
    release(
        "DPMechLaplace/unexpected length",
        "sensitivity = 1, target = function(X) X, dims = 3",
        "DPParamsEps()",
    ),
    release("DPMechLaplace/dims not set", "sensitivity = 1, target = f", "DPParamsEps()", level="error"),
    release(
        "DPMechLaplace/logical response",
        "sensitivity = 1, target = function(X) TRUE, dims = 1",
        "DPParamsEps()",
        level="error",
    ),
    release(
        "DPMechLaplace/text response",
        "sensitivity = 1, target = function(X) 'a', dims = 1",
        "DPParamsEps()",
        level="error",
    ),
    release(
        "DPMechLaplace/no response",
        "sensitivity = 1, target = function(X) NULL, dims = 1",
        "DPParamsEps()",
        level="error",
    ),
    release(
        "DPMechLaplace/matrix response",
        "sensitivity = 1, target = function(X) matrix(X, 2), dims = 4",
        "DPParamsEps()",
        level="error",
    ),
    release(
        "DPMechLaplace/default sensitivity",
        "target = f, dims = 1",
        "DPParamsEps()",
        level="difference",
        reason=NOT_FINITE,
    ),
    release(
        "DPMechLaplace/sensitivity and epsilon infinite",
        "target = f, dims = 1",
        "DPParamsEps(epsilon = Inf)",
        level="error",
    ),
    release(
        "DPMechLaplace/response NA",
        "sensitivity = 1, target = function(X) NA_real_, dims = 1",
        "DPParamsEps()",
        level="difference",
        reason=NOT_FINITE,
    ),
    case(
        "DPMechLaplace/parts of the result",
        "r <- diffpriv::releaseResponse(diffpriv::DPMechLaplace(sensitivity = 2, dims = 1, "
        "gammaSensitivity = 0.1), diffpriv::DPParamsEps(epsilon = 0.5), 1:3)\n"
        "p <- r$privacyParams\n"
        "c(r$response, r$sensitivity, r$dims, p@epsilon, p@delta, p@gamma)",
    ),
    case(
        "DPMechLaplace/gamma of the sampled sensitivity wins",
        "m <- diffpriv::DPMechLaplace(sensitivity = 2, dims = 1, gammaSensitivity = 0.1)\n"
        "p <- diffpriv::DPParamsGam(delta = 0.2, gamma = 0.3)\n"
        "diffpriv::releaseResponse(m, p, 1)$privacyParams@gamma",
    ),
    case(
        "DPMechLaplace/one release after another",
        f"{DATA_R}m <- diffpriv::DPMechLaplace(sensitivity = 1, target = sum, dims = 1)\n"
        "p <- diffpriv::DPParamsEps()\n"
        "v <- diffpriv::releaseResponse(m, p, X)$response\n"
        "c(v, rnorm(1), diffpriv::releaseResponse(m, p, X)$response)",
    ),
)

_GAUSSIAN = (
    release("DPMechGaussian/mean", _M_R, _DEL_R),
    release(
        "DPMechGaussian/vector",
        "sensitivity = 2, target = function(X) X, dims = 4",
        "DPParamsDel(epsilon = 0.9, delta = 1e-6)",
    ),
    release("DPMechGaussian/large epsilon", _M_R, "DPParamsDel(epsilon = 20, delta = 0.01)"),
    release("DPMechGaussian/delta .99", _M_R, "DPParamsDel(epsilon = 0.5, delta = 0.99)"),
    release("DPMechGaussian/with gamma", _M_R, "DPParamsGam(epsilon = 0.5, delta = 0.1, gamma = 0.2)"),
    release("DPMechGaussian/sensitivity 0: the exact value", "sensitivity = 0, target = f, dims = 1", _DEL_R),
    release("DPMechGaussian/epsilon infinite: the exact value", _M_R, "DPParamsDel(epsilon = Inf, delta = 0.1)"),
    release("DPMechGaussian/without delta", _M_R, _EPS, level="error"),
    release("DPMechGaussian/delta 0", _M_R, "DPParamsDel()", level="difference", reason=NOT_FINITE),
    release(
        "DPMechGaussian/default sensitivity",
        "target = f, dims = 1",
        _DEL_R,
        level="difference",
        reason=NOT_FINITE,
    ),
)

_RELEASE_ERRORS = tuple(
    case(f"releaseResponse/{name}", f"diffpriv::{r}", level="error")
    for name, r in (
        ("no mechanism", "releaseResponse('a', diffpriv::DPParamsEps(), 1)"),
        ("no parameters", "releaseResponse(diffpriv::DPMechLaplace(sensitivity = 1, dims = 1), 1, 1)"),
    )
)

# R has drawn its noise when it comes to the gamma
_AFTER_THE_DRAW = Case(
    "DPMechLaplace/gamma of the sensitivity set to one",
    "DPMechLaplace",
    "diffpriv",
    "m <- diffpriv::DPMechLaplace(sensitivity = 1, dims = 1)\n"
    "m@gammaSensitivity <- 1\n"
    "diffpriv::releaseResponse(m, diffpriv::DPParamsEps(), 1)",
    level="error",
    draws=False,
)

_UNDERFLOW = release(
    "DPMechLaplace/scale underflows",
    "sensitivity = 1e-100, target = f, dims = 1",
    "DPParamsEps(epsilon = 1e300)",
    level="refused",
    reason="R's noise scale underflows, and R publishes the value without noise; Python refuses",
)

CASES = (*_LAPLACE, *_GAUSSIAN, *_RELEASE_ERRORS, _UNDERFLOW, _AFTER_THE_DRAW)
