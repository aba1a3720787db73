"""Comparisons of diffpriv's Bernstein mechanism and of its polynomials."""

from __future__ import annotations

from pydpstat.parity.case import Case, Level
from r_reference.cases.diffpriv_mechanisms import DATA_R, NOT_FINITE, case, release

RECYCLED = "R recycles the several numbers that the function returns at each point"
LINE_R = "function(X) function(y) y * sum(X)"
PLANE_R = "function(X) function(y) y[1] * sum(X) - y[2]"

_RELEASE = "diffpriv::releaseResponse(m, p, X)$response"
_LINE = "lambda X: lambda y: y * r.sum(X)"


def _lines(slots: str) -> str:
    return f"{DATA_R}p <- diffpriv::DPParamsEps(epsilon = 2)\nm <- diffpriv::DPMechBernstein({slots})\n"


def _coefficients(name: str, slots: str, python: str, level: Level = "exact", reason: str = "") -> Case:
    return case(
        f"DPMechBernstein/{name}",
        f"{_lines(slots)}environment({_RELEASE})$appFunc$coeffs",
        "X = [0.3, 0.1, 0.8, 0.5]\np = diffpriv.DPParamsEps(epsilon=2)\n"
        f"m = diffpriv.DPMechBernstein({python})\n"
        "diffpriv.releaseResponse(m, p, X, rng=rng).response.coeffs",
        level,
        reason,
    )


_BERNSTEIN = (
    _coefficients(
        "coefficients",
        f"sensitivity = 0.1, target = {LINE_R}, latticeK = 5, dims = 1",
        f"sensitivity=0.1, target={_LINE}, latticeK=5, dims=1",
    ),
    _coefficients(
        "coefficients of two coordinates",
        f"sensitivity = 0.1, target = {PLANE_R}, latticeK = 4, dims = 2",
        "sensitivity=0.1, target=lambda X: lambda y: y[0] * r.sum(X) - y[1], latticeK=4, dims=2",
    ),
    case(
        "DPMechBernstein/values",
        _lines(f"sensitivity = 0.1, target = {LINE_R}, latticeK = 20, dims = 1") + f"{_RELEASE}(c(0, 0.2, 0.9, 1))",
    ),
    _coefficients(
        "sensitivity 0: the exact coefficients",
        f"sensitivity = 0, target = {LINE_R}, latticeK = 3, dims = 1",
        f"sensitivity=0, target={_LINE}, latticeK=3, dims=1",
    ),
    _coefficients(
        "default sensitivity",
        f"target = {LINE_R}, latticeK = 3, dims = 1",
        f"target={_LINE}, latticeK=3, dims=1",
        level="difference",
        reason=NOT_FINITE,
    ),
    _coefficients(
        "target no closure",
        "sensitivity = 1, target = mean, latticeK = 3, dims = 1",
        "sensitivity=1, target=r.mean, latticeK=3, dims=1",
        level="error",
    ),
    _coefficients("release of an empty object", "", "", level="error"),
    case(
        "DPMechBernstein/parts of the result",
        f"m <- diffpriv::DPMechBernstein(sensitivity = 2, target = {LINE_R}, latticeK = 3, dims = 1)\n"
        "v <- diffpriv::releaseResponse(m, diffpriv::DPParamsEps(), 1)\n"
        "c(v$sensitivity, v$latticeK, v$dims, v$privacyParams@epsilon)",
    ),
)


def _poly(name: str, r: str, level: Level = "exact", reason: str = "") -> Case:
    return case(f"bernstein/{name}", r, level=level, reason=reason)


_WAVE_R = "function(x) x * sin(10 * x)"
_POLYNOMIALS = (
    _poly("coefficients", f"diffpriv::bernstein({_WAVE_R}, dims = 1)$coeffs"),
    _poly("parts", f"b <- diffpriv::bernstein({_WAVE_R}, 1, 3L)\nc(b$dims, b$k)"),
    *(
        _poly(
            f"values, degree {k}",
            f"predict(diffpriv::bernstein({_WAVE_R}, 1, {k}), seq(0, 1, length = 101))",
        )
        for k in (1, 2, 10, 25, 90)
    ),
    _poly("one value", f"predict(diffpriv::bernstein({_WAVE_R}, 1, 25), 0.2)"),
    _poly(
        "two coordinates",
        "b <- diffpriv::bernstein(function(y) y[1] * y[2] - y[2], 2, 6)\n"
        "c(predict(b, c(0.3, 0.9)), predict(b, matrix(runif(20), 10)))",
    ),
    _poly(
        "three coordinates",
        "b <- diffpriv::bernstein(function(y) y[1] + 2 * y[2] - 0.1 * y[3], 3, 4)\n"
        "c(b$coeffs, predict(b, matrix(runif(30), 10)))",
    ),
    _poly("no points", "predict(diffpriv::bernstein(function(x) x, 1), numeric(0))"),
    _poly("logical function", "predict(diffpriv::bernstein(function(x) x > 0, 1, 3), 0.5)"),
    _poly("integer point", "predict(diffpriv::bernstein(function(x) 2 - x, 1, 3), 1L)"),
    _poly(
        "several numbers at a point",
        "predict(diffpriv::bernstein(function(x) c(x, x), 1, 3), 0.5)",
        level="refused",
        reason=RECYCLED,
    ),
    *(
        _poly(name, f"diffpriv::bernstein({r})", level="error")
        for name, r in (
            ("no function", "1, 1"),
            ("dims zero", "sum, 0"),
            ("dims 1.5", "sum, 1.5"),
            ("dims text", "sum, '1'"),
            ("dims NA", "sum, NA_real_"),
            ("k zero", "sum, 1, 0"),
            ("k 1.5", "sum, 1, 1.5"),
            ("k infinite", "sum, 1, Inf"),
        )
    ),
    *(
        _poly(f"predict, {name}", f"predict(diffpriv::bernstein(function(x) x[1], {dims}), {r})", level="error")
        for name, dims, r in (
            ("below 0", 1, "-0.1"),
            ("above 1", 1, "c(0.5, 1.1)"),
            ("NA", 1, "NA_real_"),
            ("logical", 1, "TRUE"),
            ("text", 1, "'a'"),
            ("data frame", 1, "data.frame(a = 0.5)"),
            ("columns", 1, "matrix(c(0.1, 0.2), 1)"),
            ("too few coordinates", 2, "0.5"),
            ("too many coordinates", 2, "c(0.1, 0.2, 0.3)"),
            ("columns of two", 2, "matrix(0.5, 1, 3)"),
        )
    ),
)

_TOO_LARGE = (
    *(
        _poly(
            f"degree {k}, {dims} coordinates",
            f"diffpriv::bernstein(function(y) 1, dims = {dims}, k = {k})$coeffs",
            level="error",
        )
        for dims, k in (("1", "1e300"), ("2", "1e300"), ("1e300", "2"), ("40", "2"))
    ),
    release(
        "DPMechBernstein/latticeK 1e300",
        "sensitivity = 1, target = function(X) function(y) 1, latticeK = 1e300, dims = 1",
        "DPParamsEps(epsilon = 1)",
        "error",
    ),
)

CASES = (*_BERNSTEIN, *_POLYNOMIALS, *_TOO_LARGE)
