"""Comparisons of diffpriv's releases, norms and Bernstein polynomials."""

from __future__ import annotations

from dataclasses import replace

from pydpstat.parity.case import Case, Level

NOT_FINITE = "R returns NA, NaN or an infinite value; Python stops and says so"
RECYCLED = "R recycles the several numbers that the function returns at each point"
# logarithms and exponentials of another machine's C library
_LIBM = 4.0

_DATA_R = "X <- c(0.3, 0.1, 0.8, 0.5)\n"
_DATA_PYTHON = "X = [0.3, 0.1, 0.8, 0.5]\n"
_MEAN_R = "f <- function(X) mean(X)\n"
_MEAN_PYTHON = "f = r.mean\n"


def _case(name: str, r: str, python: str, level: Level = "exact", reason: str = "", seed: int = 123) -> Case:
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


def _release(
    name: str,
    r: tuple[str, str],
    python: tuple[str, str],
    level: Level = "exact",
    reason: str = "",
    seed: int = 123,
) -> Case:
    """A release on X: the mechanism's slots and the parameters, in R and in Python."""
    function = name.split("/")[0]
    return _case(
        name,
        f"{_DATA_R}{_MEAN_R}m <- diffpriv::{function}({r[0]})\n"
        f"diffpriv::releaseResponse(m, diffpriv::{r[1]}, X)$response",
        f"{_DATA_PYTHON}{_MEAN_PYTHON}m = diffpriv.{function}({python[0]})\n"
        f"diffpriv.releaseResponse(m, diffpriv.{python[1]}, X, rng=rng).response",
        level,
        reason,
        seed,
    )


_EPS, _ONE = "DPParamsEps(epsilon = 0.7)", "DPParamsEps(epsilon=0.7)"
_DEL_R, _DEL = "DPParamsDel(epsilon = 0.5, delta = 0.01)", "DPParamsDel(epsilon=0.5, delta=0.01)"
_M_R, _M = "sensitivity = 0.25, target = f, dims = 1", "sensitivity=0.25, target=f, dims=1"

_LAPLACE = (
    _release("DPMechLaplace/mean", (_M_R, _EPS), (_M, _ONE)),
    _release("DPMechLaplace/mean, another seed", (_M_R, _EPS), (_M, _ONE), seed=-5),
    _release(
        "DPMechLaplace/vector",
        ("sensitivity = 2, target = function(X) X, dims = 4", "DPParamsEps()"),
        ("sensitivity=2, target=lambda X: X, dims=4", "DPParamsEps()"),
    ),
    _release(
        "DPMechLaplace/long vector",
        ("sensitivity = 2, target = function(X) rep(X, 300), dims = 1200", "DPParamsEps(epsilon = 0.3)"),
        ("sensitivity=2, target=lambda X: np.tile(X, 300), dims=1200", "DPParamsEps(epsilon=0.3)"),
    ),
    _case(
        "DPMechLaplace/names",
        f"{_DATA_R}f <- function(X) c(low = min(X), high = max(X))\n"
        "m <- diffpriv::DPMechLaplace(sensitivity = 1, target = f, dims = 2)\n"
        "diffpriv::releaseResponse(m, diffpriv::DPParamsEps(), X)$response",
        f"{_DATA_PYTHON}f = lambda X: pd.Series([min(X), max(X)], index=['low', 'high'])\n"
        "m = diffpriv.DPMechLaplace(sensitivity=1, target=f, dims=2)\n"
        "diffpriv.releaseResponse(m, diffpriv.DPParamsEps(), X, rng=rng)",
    ),
    _release(
        "DPMechLaplace/integer",
        ("sensitivity = 1L, target = function(X) length(X), dims = 1L", "DPParamsEps(epsilon = 2L)"),
        ("sensitivity=1, target=len, dims=1", "DPParamsEps(epsilon=2)"),
    ),
    _release(
        "DPMechLaplace/nothing",
        ("sensitivity = 1, target = function(X) numeric(0), dims = 0", "DPParamsEps()"),
        ("sensitivity=1, target=lambda X: np.empty(0), dims=0", "DPParamsEps()"),
    ),
    _release(
        "DPMechLaplace/sensitivity 0: the exact value",
        ("sensitivity = 0, target = f, dims = 1", "DPParamsEps()"),
        ("sensitivity=0, target=f, dims=1", "DPParamsEps()"),
    ),
    _release(
        "DPMechLaplace/epsilon infinite: the exact value",
        (_M_R, "DPParamsEps(epsilon = Inf)"),
        (_M, "DPParamsEps(epsilon=math.inf)"),
    ),
    _release("DPMechLaplace/with delta", (_M_R, _DEL_R), (_M, _DEL)),
    _release(
        "DPMechLaplace/with gamma",
        (_M_R, "DPParamsGam(epsilon = 3, gamma = 0.2)"),
        (_M, "DPParamsGam(epsilon=3, gamma=0.2)"),
    ),
    _release(
        "DPMechLaplace/unexpected length",
        ("sensitivity = 1, target = function(X) X, dims = 3", "DPParamsEps()"),
        ("sensitivity=1, target=lambda X: X, dims=3", "DPParamsEps()"),
    ),
    _release(
        "DPMechLaplace/dims not set",
        ("sensitivity = 1, target = f", "DPParamsEps()"),
        ("sensitivity=1, target=f", "DPParamsEps()"),
        "error",
    ),
    _release(
        "DPMechLaplace/logical response",
        ("sensitivity = 1, target = function(X) TRUE, dims = 1", "DPParamsEps()"),
        ("sensitivity=1, target=lambda X: True, dims=1", "DPParamsEps()"),
        "error",
    ),
    _release(
        "DPMechLaplace/text response",
        ("sensitivity = 1, target = function(X) 'a', dims = 1", "DPParamsEps()"),
        ("sensitivity=1, target=lambda X: 'a', dims=1", "DPParamsEps()"),
        "error",
    ),
    _release(
        "DPMechLaplace/no response",
        ("sensitivity = 1, target = function(X) NULL, dims = 1", "DPParamsEps()"),
        ("sensitivity=1, target=lambda X: None, dims=1", "DPParamsEps()"),
        "error",
    ),
    _release(
        "DPMechLaplace/matrix response",
        ("sensitivity = 1, target = function(X) matrix(X, 2), dims = 4", "DPParamsEps()"),
        ("sensitivity=1, target=lambda X: np.reshape(X, (2, 2)), dims=4", "DPParamsEps()"),
        "error",
    ),
    _release(
        "DPMechLaplace/default sensitivity",
        ("target = f, dims = 1", "DPParamsEps()"),
        ("target=f, dims=1", "DPParamsEps()"),
        "difference",
        NOT_FINITE,
    ),
    _release(
        "DPMechLaplace/sensitivity and epsilon infinite",
        ("target = f, dims = 1", "DPParamsEps(epsilon = Inf)"),
        ("target=f, dims=1", "DPParamsEps(epsilon=math.inf)"),
        "error",
    ),
    _release(
        "DPMechLaplace/response NA",
        ("sensitivity = 1, target = function(X) NA_real_, dims = 1", "DPParamsEps()"),
        ("sensitivity=1, target=lambda X: math.nan, dims=1", "DPParamsEps()"),
        "difference",
        NOT_FINITE,
    ),
    _case(
        "DPMechLaplace/parts of the result",
        "r <- diffpriv::releaseResponse(diffpriv::DPMechLaplace(sensitivity = 2, dims = 1, "
        "gammaSensitivity = 0.1), diffpriv::DPParamsEps(epsilon = 0.5), 1:3)\n"
        "p <- r$privacyParams\n"
        "c(r$response, r$sensitivity, r$dims, p@epsilon, p@delta, p@gamma)",
        "v = diffpriv.releaseResponse(diffpriv.DPMechLaplace(sensitivity=2, dims=1, gammaSensitivity=0.1), "
        "diffpriv.DPParamsEps(epsilon=0.5), [1, 2, 3], rng=rng)\n"
        "p = v.privacyParams\n"
        "[v.response, v.sensitivity, v.dims, p.epsilon, p.delta, p.gamma]",
    ),
    _case(
        "DPMechLaplace/gamma of the sampled sensitivity wins",
        "m <- diffpriv::DPMechLaplace(sensitivity = 2, dims = 1, gammaSensitivity = 0.1)\n"
        "p <- diffpriv::DPParamsGam(delta = 0.2, gamma = 0.3)\n"
        "diffpriv::releaseResponse(m, p, 1)$privacyParams@gamma",
        "m = diffpriv.DPMechLaplace(sensitivity=2, dims=1, gammaSensitivity=0.1)\n"
        "p = diffpriv.DPParamsGam(delta=0.2, gamma=0.3)\n"
        "diffpriv.releaseResponse(m, p, 1, rng=rng).privacyParams.gamma",
    ),
    _case(
        "DPMechLaplace/one release after another",
        f"{_DATA_R}m <- diffpriv::DPMechLaplace(sensitivity = 1, target = sum, dims = 1)\n"
        "p <- diffpriv::DPParamsEps()\n"
        "v <- diffpriv::releaseResponse(m, p, X)$response\n"
        "c(v, rnorm(1), diffpriv::releaseResponse(m, p, X)$response)",
        f"{_DATA_PYTHON}m = diffpriv.DPMechLaplace(sensitivity=1, target=r.sum, dims=1)\n"
        "p = diffpriv.DPParamsEps()\n"
        "[diffpriv.releaseResponse(m, p, X, rng=rng).response, rng.rnorm(1)[0], "
        "diffpriv.releaseResponse(m, p, X, rng=rng).response]",
    ),
)

_GAUSSIAN = (
    _release("DPMechGaussian/mean", (_M_R, _DEL_R), (_M, _DEL)),
    _release(
        "DPMechGaussian/vector",
        ("sensitivity = 2, target = function(X) X, dims = 4", "DPParamsDel(epsilon = 0.9, delta = 1e-6)"),
        ("sensitivity=2, target=lambda X: X, dims=4", "DPParamsDel(epsilon=0.9, delta=1e-6)"),
    ),
    _release(
        "DPMechGaussian/large epsilon",
        (_M_R, "DPParamsDel(epsilon = 20, delta = 0.01)"),
        (_M, "DPParamsDel(epsilon=20, delta=0.01)"),
    ),
    _release(
        "DPMechGaussian/delta .99",
        (_M_R, "DPParamsDel(epsilon = 0.5, delta = 0.99)"),
        (_M, "DPParamsDel(epsilon=0.5, delta=0.99)"),
    ),
    _release(
        "DPMechGaussian/with gamma",
        (_M_R, "DPParamsGam(epsilon = 0.5, delta = 0.1, gamma = 0.2)"),
        (_M, "DPParamsGam(epsilon=0.5, delta=0.1, gamma=0.2)"),
    ),
    _release(
        "DPMechGaussian/sensitivity 0: the exact value",
        ("sensitivity = 0, target = f, dims = 1", _DEL_R),
        ("sensitivity=0, target=f, dims=1", _DEL),
    ),
    _release(
        "DPMechGaussian/epsilon infinite: the exact value",
        (_M_R, "DPParamsDel(epsilon = Inf, delta = 0.1)"),
        (_M, "DPParamsDel(epsilon=math.inf, delta=0.1)"),
    ),
    _release("DPMechGaussian/without delta", (_M_R, _EPS), (_M, _ONE), "error"),
    _release(
        "DPMechGaussian/delta 0",
        (_M_R, "DPParamsDel()"),
        (_M, "DPParamsDel()"),
        "difference",
        NOT_FINITE,
    ),
    _release(
        "DPMechGaussian/default sensitivity",
        ("target = f, dims = 1", _DEL_R),
        ("target=f, dims=1", _DEL),
        "difference",
        NOT_FINITE,
    ),
)

_LETTERS_R = (
    "X <- c('abba', 'cab')\n"
    "q <- function(X) function(r) sum(r == unlist(strsplit(X, '')))\n"
    "p <- diffpriv::DPParamsEps(epsilon = 0.5)\n"
)
_LETTERS = (
    "X = ['abba', 'cab']\n"
    "q = lambda X: lambda r: ''.join(X).count(r)\n"
    "p = diffpriv.DPParamsEps(epsilon=0.5)\n"
)


def _choice(
    name: str, r: str, python: str, level: Level = "exact", reason: str = "", seed: int = 123
) -> Case:
    return _case(
        f"DPMechExponential/{name}",
        f"{_LETTERS_R}m <- diffpriv::DPMechExponential({r})\ndiffpriv::releaseResponse(m, p, X)$response",
        f"{_LETTERS}m = diffpriv.DPMechExponential({python})\n"
        "diffpriv.releaseResponse(m, p, X, rng=rng).response",
        level,
        reason,
        seed,
    )


_EXPONENTIAL = (
    *(
        _choice(
            f"letters, seed {seed}",
            "sensitivity = 5, target = q, responseSet = as.list(letters)",
            "sensitivity=5, target=q, responseSet=list('abcdefghijklmnopqrstuvwxyz')",
            seed=seed,
        )
        for seed in (1, 2, 3, 123)
    ),
    _choice(
        "ties",
        "sensitivity = 1, target = function(X) function(r) 1, responseSet = as.list(1:20)",
        "sensitivity=1, target=lambda X: lambda r: 1, responseSet=list(range(1, 21))",
    ),
    _choice(
        "one response",
        "sensitivity = 1, target = q, responseSet = list('a')",
        "sensitivity=1, target=q, responseSet=['a']",
    ),
    _choice(
        "one number",
        "sensitivity = 1, target = function(X) function(r) r, responseSet = list(7)",
        "sensitivity=1, target=lambda X: lambda r: r, responseSet=[7]",
    ),
    _choice(
        "logical qualities",
        "sensitivity = 1, target = function(X) function(r) r == 'b', responseSet = list('a', 'b', 'c')",
        "sensitivity=1, target=lambda X: lambda r: r == 'b', responseSet=['a', 'b', 'c']",
    ),
    _choice(
        "negative qualities: the worst is preferred",
        "sensitivity = 1, target = function(X) function(r) -r, responseSet = list(1, 2, 100)",
        "sensitivity=1, target=lambda X: lambda r: -r, responseSet=[1, 2, 100]",
    ),
    _choice(
        "both signs",
        "sensitivity = 1, target = function(X) function(r) r, responseSet = list(-1, 2)",
        "sensitivity=1, target=lambda X: lambda r: r, responseSet=[-1, 2]",
        "error",
    ),
    _choice(
        "all zero",
        "sensitivity = 1, target = q, responseSet = list('y', 'z')",
        "sensitivity=1, target=q, responseSet=['y', 'z']",
        "error",
    ),
    _choice(
        "missing quality",
        "sensitivity = 1, target = function(X) function(r) NaN, responseSet = list('y', 'z')",
        "sensitivity=1, target=lambda X: lambda r: math.nan, responseSet=['y', 'z']",
        "error",
    ),
    _choice(
        "text quality",
        "sensitivity = 1, target = function(X) function(r) r, responseSet = list('y', 'z')",
        "sensitivity=1, target=lambda X: lambda r: r, responseSet=['y', 'z']",
        "error",
    ),
    _choice(
        "default sensitivity",
        "target = q, responseSet = list('a', 'b')",
        "target=q, responseSet=['a', 'b']",
        "error",
    ),
    _choice(
        "sensitivity 0",
        "sensitivity = 0, target = q, responseSet = list('a', 'b')",
        "sensitivity=0, target=q, responseSet=['a', 'b']",
        "error",
    ),
    _choice(
        "target no closure",
        "sensitivity = 1, target = function(X) 1, responseSet = list('a', 'b')",
        "sensitivity=1, target=lambda X: 1, responseSet=['a', 'b']",
        "error",
    ),
    _choice("release of an empty object", "", "", "error"),
    _case(
        "DPMechExponential/epsilon and sensitivity cancel",
        f"{_LETTERS_R}draw <- function(eps, sens) {{\n"
        "  m <- diffpriv::DPMechExponential(sensitivity = sens, target = q, responseSet = as.list(letters))\n"
        "  set.seed(9)\n"
        "  replicate(20, diffpriv::releaseResponse(m, diffpriv::DPParamsEps(epsilon = eps), X)$response)\n"
        "}\n"
        "c(draw(0.01, 1), draw(100, 5))",
        f"{_LETTERS}def draw(eps, sens):\n"
        "    letters = list('abcdefghijklmnopqrstuvwxyz')\n"
        "    m = diffpriv.DPMechExponential(sensitivity=sens, target=q, responseSet=letters)\n"
        "    rng.set_seed(9)\n"
        "    p = diffpriv.DPParamsEps(epsilon=eps)\n"
        "    return [diffpriv.releaseResponse(m, p, X, rng=rng).response for _ in range(20)]\n"
        "[draw(0.01, 1), draw(100, 5)]",
    ),
)

_COEFFS = "environment(diffpriv::releaseResponse(m, p, X)$response)$appFunc$coeffs"


def _function(
    name: str, slots: str, python: str, level: Level = "exact", reason: str = "", r: str = ""
) -> Case:
    return _case(
        f"DPMechBernstein/{name}",
        f"{_DATA_R}p <- diffpriv::DPParamsEps(epsilon = 2)\nm <- diffpriv::DPMechBernstein({slots})\n"
        + (r or _COEFFS),
        f"{_DATA_PYTHON}p = diffpriv.DPParamsEps(epsilon=2)\nm = diffpriv.DPMechBernstein({python})\n"
        "v = diffpriv.releaseResponse(m, p, X, rng=rng)\n"
        + ("v.response([0, 0.2, 0.9, 1])" if r else "v.response.coeffs"),
        level,
        reason,
    )


_LINE_R, _LINE = "function(X) function(y) y * sum(X)", "lambda X: lambda y: y * r.sum(X)"
_PLANE_R = "function(X) function(y) y[1] * sum(X) - y[2]"
_PLANE = "lambda X: lambda y: y[0] * r.sum(X) - y[1]"

_BERNSTEIN = (
    _function(
        "coefficients",
        f"sensitivity = 0.1, target = {_LINE_R}, latticeK = 5, dims = 1",
        f"sensitivity=0.1, target={_LINE}, latticeK=5, dims=1",
    ),
    _function(
        "coefficients of two coordinates",
        f"sensitivity = 0.1, target = {_PLANE_R}, latticeK = 4, dims = 2",
        f"sensitivity=0.1, target={_PLANE}, latticeK=4, dims=2",
    ),
    _function(
        "values",
        f"sensitivity = 0.1, target = {_LINE_R}, latticeK = 20, dims = 1",
        f"sensitivity=0.1, target={_LINE}, latticeK=20, dims=1",
        r="diffpriv::releaseResponse(m, p, X)$response(c(0, 0.2, 0.9, 1))",
    ),
    _function(
        "sensitivity 0: the exact coefficients",
        f"sensitivity = 0, target = {_LINE_R}, latticeK = 3, dims = 1",
        f"sensitivity=0, target={_LINE}, latticeK=3, dims=1",
    ),
    _function(
        "default sensitivity",
        f"target = {_LINE_R}, latticeK = 3, dims = 1",
        f"target={_LINE}, latticeK=3, dims=1",
        "difference",
        NOT_FINITE,
    ),
    _function(
        "target no closure",
        "sensitivity = 1, target = mean, latticeK = 3, dims = 1",
        "sensitivity=1, target=r.mean, latticeK=3, dims=1",
        "error",
    ),
    _function("release of an empty object", "", "", "error"),
    _case(
        "DPMechBernstein/parts of the result",
        f"m <- diffpriv::DPMechBernstein(sensitivity = 2, target = {_LINE_R}, latticeK = 3, dims = 1)\n"
        "v <- diffpriv::releaseResponse(m, diffpriv::DPParamsEps(), 1)\n"
        "c(v$sensitivity, v$latticeK, v$dims, v$privacyParams@epsilon)",
        f"m = diffpriv.DPMechBernstein(sensitivity=2, target={_LINE}, latticeK=3, dims=1)\n"
        "v = diffpriv.releaseResponse(m, diffpriv.DPParamsEps(), [1], rng=rng)\n"
        "[v.sensitivity, v.latticeK, v.dims, v.privacyParams.epsilon]",
    ),
)

_RELEASE_ERRORS = tuple(
    _case(f"releaseResponse/{name}", f"diffpriv::{r}", f"diffpriv.{python}", "error")
    for name, r, python in (
        (
            "no mechanism",
            "releaseResponse('a', diffpriv::DPParamsEps(), 1)",
            "releaseResponse('a', diffpriv.DPParamsEps(), 1, rng=rng)",
        ),
        (
            "no parameters",
            "releaseResponse(diffpriv::DPMechLaplace(sensitivity = 1, dims = 1), 1, 1)",
            "releaseResponse(diffpriv.DPMechLaplace(sensitivity=1, dims=1), 1, 1, rng=rng)",
        ),
    )
)

_TWO = "c(1.1, 2.7, 3.3), c(1.2, 2.5, 9.1)"
_TWO_PYTHON = "[1.1, 2.7, 3.3], [1.2, 2.5, 9.1]"


def _norm(name: str, r: str, python: str, level: Level = "exact", reason: str = "") -> Case:
    return _case(
        f"sensitivityNorm/{name}",
        f"diffpriv::sensitivityNorm(diffpriv::{r}, {_TWO})",
        f"diffpriv.sensitivityNorm(diffpriv.{python}, {_TWO_PYTHON})",
        level,
        reason,
    )


_NORMS = (
    _norm("Laplace", "DPMechLaplace(target = mean, dims = 1)", "DPMechLaplace(target=r.mean, dims=1)"),
    _norm(
        "Laplace, vector",
        "DPMechLaplace(target = function(X) X, dims = 3)",
        "DPMechLaplace(target=lambda X: X, dims=3)",
    ),
    _norm(
        "Gaussian, vector",
        "DPMechGaussian(target = function(X) X, dims = 3)",
        "DPMechGaussian(target=lambda X: X, dims=3)",
    ),
    _norm("dims not set", "DPMechGaussian(target = sum)", "DPMechGaussian(target=r.sum)"),
    _norm(
        "another length than dims",
        "DPMechLaplace(target = sum, dims = 2)",
        "DPMechLaplace(target=r.sum, dims=2)",
    ),
    _norm(
        "no values",
        "DPMechLaplace(target = function(X) numeric(0), dims = 0)",
        "DPMechLaplace(target=lambda X: [], dims=0)",
    ),
    _norm(
        "exponential",
        "DPMechExponential(target = function(X) function(r) r * sum(X), responseSet = list(1, -3, 2))",
        "DPMechExponential(target=lambda X: lambda q: q * r.sum(X), responseSet=[1, -3, 2])",
    ),
    _norm(
        "Bernstein",
        f"DPMechBernstein(target = {_LINE_R}, latticeK = 7, dims = 1)",
        f"DPMechBernstein(target={_LINE}, latticeK=7, dims=1)",
    ),
    _norm(
        "Bernstein, two coordinates",
        f"DPMechBernstein(target = {_PLANE_R}, latticeK = 3, dims = 2)",
        f"DPMechBernstein(target={_PLANE}, latticeK=3, dims=2)",
    ),
    _norm(
        "different lengths",
        "DPMechLaplace(target = function(X) X[X > 2.6], dims = 2)",
        "DPMechLaplace(target=lambda X: [x for x in X if x > 2.6], dims=2)",
        "error",
    ),
    _norm(
        "text",
        "DPMechLaplace(target = function(X) 'a', dims = 1)",
        "DPMechLaplace(target=str, dims=1)",
        "error",
    ),
    _norm(
        "logical",
        "DPMechLaplace(target = function(X) TRUE, dims = 1)",
        "DPMechLaplace(target=lambda X: True, dims=1)",
        "error",
    ),
    _norm(
        "no closure",
        "DPMechExponential(target = sum, responseSet = list(1))",
        "DPMechExponential(target=r.sum, responseSet=[1])",
        "error",
    ),
    _norm(
        "no closure, Bernstein",
        "DPMechBernstein(target = sum, latticeK = 2, dims = 1)",
        "DPMechBernstein(target=r.sum, latticeK=2, dims=1)",
        "error",
    ),
)


def _poly(name: str, r: str, python: str, level: Level = "exact", reason: str = "") -> Case:
    return _case(f"bernstein/{name}", r, python, level, reason)


_WAVE_R, _WAVE = "function(x) x * sin(10 * x)", "lambda x: x * math.sin(10 * x)"
_POLYNOMIALS = (
    _poly(
        "coefficients",
        f"diffpriv::bernstein({_WAVE_R}, dims = 1)$coeffs",
        f"diffpriv.bernstein({_WAVE}, dims=1).coeffs",
    ),
    _poly(
        "parts",
        f"b <- diffpriv::bernstein({_WAVE_R}, 1, 3L)\nc(b$dims, b$k)",
        f"b = diffpriv.bernstein({_WAVE}, 1, 3)\n[b.dims, b.k]",
    ),
    *(
        _poly(
            f"values, degree {k}",
            f"predict(diffpriv::bernstein({_WAVE_R}, 1, {k}), seq(0, 1, length = 101))",
            f"diffpriv.predict(diffpriv.bernstein({_WAVE}, 1, {k}), np.arange(101) * 0.01)",
        )
        for k in (1, 2, 10, 25, 90)
    ),
    _poly(
        "one value",
        f"predict(diffpriv::bernstein({_WAVE_R}, 1, 25), 0.2)",
        f"diffpriv.bernstein({_WAVE}, 1, 25)(0.2)",
    ),
    _poly(
        "two coordinates",
        "b <- diffpriv::bernstein(function(y) y[1] * y[2] - y[2], 2, 6)\n"
        "c(predict(b, c(0.3, 0.9)), predict(b, matrix(runif(20), 10)))",
        "b = diffpriv.bernstein(lambda y: y[0] * y[1] - y[1], 2, 6)\n"
        "[b([0.3, 0.9]), b(rng.runif(20).reshape(2, 10).T)]",
    ),
    _poly(
        "three coordinates",
        "b <- diffpriv::bernstein(function(y) y[1] + 2 * y[2] - 0.1 * y[3], 3, 4)\n"
        "c(b$coeffs, predict(b, matrix(runif(30), 10)))",
        "b = diffpriv.bernstein(lambda y: y[0] + 2 * y[1] - 0.1 * y[2], 3, 4)\n"
        "[b.coeffs, b(rng.runif(30).reshape(3, 10).T)]",
    ),
    _poly(
        "no points",
        "predict(diffpriv::bernstein(function(x) x, 1), numeric(0))",
        "diffpriv.bernstein(lambda x: x, 1)([])",
    ),
    _poly(
        "logical function",
        "predict(diffpriv::bernstein(function(x) x > 0, 1, 3), 0.5)",
        "diffpriv.bernstein(lambda x: x > 0, 1, 3)(0.5)",
    ),
    _poly(
        "integer point",
        "predict(diffpriv::bernstein(function(x) 2 - x, 1, 3), 1L)",
        "diffpriv.bernstein(lambda x: 2 - x, 1, 3)(1)",
    ),
    _poly(
        "several numbers at a point",
        "predict(diffpriv::bernstein(function(x) c(x, x), 1, 3), 0.5)",
        "diffpriv.bernstein(lambda x: [x, x], 1, 3)(0.5)",
        "refused",
        RECYCLED,
    ),
    *(
        _poly(name, f"diffpriv::bernstein({r})", f"diffpriv.bernstein({python})", "error")
        for name, r, python in (
            ("no function", "1, 1", "1, 1"),
            ("dims zero", "sum, 0", "sum, 0"),
            ("dims 1.5", "sum, 1.5", "sum, 1.5"),
            ("dims text", "sum, '1'", "sum, '1'"),
            ("dims NA", "sum, NA_real_", "sum, math.nan"),
            ("k zero", "sum, 1, 0", "sum, 1, 0"),
            ("k 1.5", "sum, 1, 1.5", "sum, 1, 1.5"),
            ("k infinite", "sum, 1, Inf", "sum, 1, math.inf"),
        )
    ),
    *(
        _poly(
            f"predict, {name}",
            f"predict(diffpriv::bernstein(function(x) x[1], {dims}), {r})",
            f"diffpriv.predict(diffpriv.bernstein(lambda x: np.ravel(x)[0], {dims}), {python})",
            "error",
        )
        for name, dims, r, python in (
            ("below 0", 1, "-0.1", "-0.1"),
            ("above 1", 1, "c(0.5, 1.1)", "[0.5, 1.1]"),
            ("NA", 1, "NA_real_", "math.nan"),
            ("logical", 1, "TRUE", "True"),
            ("text", 1, "'a'", "'a'"),
            ("data frame", 1, "data.frame(a = 0.5)", "pd.DataFrame({'a': [0.5]})"),
            ("columns", 1, "matrix(c(0.1, 0.2), 1)", "np.array([[0.1, 0.2]])"),
            ("too few coordinates", 2, "0.5", "0.5"),
            ("too many coordinates", 2, "c(0.1, 0.2, 0.3)", "[0.1, 0.2, 0.3]"),
            ("columns of two", 2, "matrix(0.5, 1, 3)", "np.full((1, 3), 0.5)"),
        )
    ),
)

# R has drawn its noise when it comes to the gamma
_AFTER_THE_DRAW = replace(
    _case(
        "DPMechLaplace/gamma of the sensitivity set to one",
        "m <- diffpriv::DPMechLaplace(sensitivity = 1, dims = 1)\n"
        "m@gammaSensitivity <- 1\n"
        "diffpriv::releaseResponse(m, diffpriv::DPParamsEps(), 1)",
        "m = diffpriv.DPMechLaplace(sensitivity=1, dims=1)\n"
        "m.gammaSensitivity = 1\n"
        "diffpriv.releaseResponse(m, diffpriv.DPParamsEps(), 1, rng=rng)",
        "error",
    ),
    draws=False,
)

_TOO_LARGE = (
    *(
        _poly(
            f"degree {k}, {dims} coordinates",
            f"diffpriv::bernstein(function(y) 1, dims = {dims}, k = {k})$coeffs",
            f"diffpriv.bernstein(lambda y: 1.0, dims={dims}, k={k}).coeffs",
            "error",
        )
        for dims, k in (("1", "1e300"), ("2", "1e300"), ("1e300", "2"), ("40", "2"))
    ),
    _release(
        "DPMechBernstein/latticeK 1e300",
        (
            "sensitivity = 1, target = function(X) function(y) 1, latticeK = 1e300, dims = 1",
            "DPParamsEps(epsilon = 1)",
        ),
        (
            "sensitivity=1, target=lambda X: lambda y: 1.0, latticeK=1e300, dims=1",
            "DPParamsEps(epsilon=1)",
        ),
        "error",
    ),
    _release(
        "DPMechExponential/qualities overflow",
        (
            "sensitivity = 1e-308, target = function(X) function(r) 1, responseSet = list('a', 'b', 'c')",
            "DPParamsEps(epsilon = 2)",
        ),
        (
            "sensitivity=1e-308, target=lambda X: lambda r: 1, responseSet=['a', 'b', 'c']",
            "DPParamsEps(epsilon=2)",
        ),
        "error",
    ),
    _release(
        "DPMechLaplace/scale underflows",
        ("sensitivity = 1e-100, target = f, dims = 1", "DPParamsEps(epsilon = 1e300)"),
        ("sensitivity=1e-100, target=f, dims=1", "DPParamsEps(epsilon=1e300)"),
        "refused",
        "R's noise scale underflows, and R publishes the value without noise; Python refuses",
    ),
)

CASES = (
    *_LAPLACE,
    *_GAUSSIAN,
    *_EXPONENTIAL,
    *_BERNSTEIN,
    *_RELEASE_ERRORS,
    *_NORMS,
    *_POLYNOMIALS,
    *_TOO_LARGE,
    _AFTER_THE_DRAW,
)
