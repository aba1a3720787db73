"""Comparisons of diffpriv's Bernstein mechanism and of its polynomials."""

from __future__ import annotations

from pydpstat.parity.case import Case, Level
from pydpstat.parity.translate import translate
from r_reference.cases.diffpriv_mechanisms import DATA_PYTHON, DATA_R, NOT_FINITE, case, release

RECYCLED = "R recycles the several numbers that the function returns at each point"
LINE_R = "function(X) function(y) y * sum(X)"
PLANE_R = "function(X) function(y) y[1] * sum(X) - y[2]"

_COEFFS = "environment(diffpriv::releaseResponse(m, p, X)$response)$appFunc$coeffs"


def _function(
    name: str, slots: str, python: str = "", level: Level = "exact", reason: str = "", r: str = ""
) -> Case:
    return case(
        f"DPMechBernstein/{name}",
        f"{DATA_R}p <- diffpriv::DPParamsEps(epsilon = 2)\nm <- diffpriv::DPMechBernstein({slots})\n"
        + (r or _COEFFS),
        f"{DATA_PYTHON}p = diffpriv.DPParamsEps(epsilon=2)\n"
        f"m = diffpriv.DPMechBernstein({python or translate(slots)})\n"
        "v = diffpriv.releaseResponse(m, p, X, rng=rng)\n"
        + ("v.response([0, 0.2, 0.9, 1])" if r else "v.response.coeffs"),
        level,
        reason,
    )


_BERNSTEIN = (
    _function("coefficients", f"sensitivity = 0.1, target = {LINE_R}, latticeK = 5, dims = 1"),
    _function(
        "coefficients of two coordinates", f"sensitivity = 0.1, target = {PLANE_R}, latticeK = 4, dims = 2"
    ),
    _function(
        "values",
        f"sensitivity = 0.1, target = {LINE_R}, latticeK = 20, dims = 1",
        r="diffpriv::releaseResponse(m, p, X)$response(c(0, 0.2, 0.9, 1))",
    ),
    _function(
        "sensitivity 0: the exact coefficients", f"sensitivity = 0, target = {LINE_R}, latticeK = 3, dims = 1"
    ),
    _function(
        "default sensitivity",
        f"target = {LINE_R}, latticeK = 3, dims = 1",
        level="difference",
        reason=NOT_FINITE,
    ),
    _function("target no closure", "sensitivity = 1, target = mean, latticeK = 3, dims = 1", level="error"),
    _function("release of an empty object", "", level="error"),
    case(
        "DPMechBernstein/parts of the result",
        f"m <- diffpriv::DPMechBernstein(sensitivity = 2, target = {LINE_R}, latticeK = 3, dims = 1)\n"
        "v <- diffpriv::releaseResponse(m, diffpriv::DPParamsEps(), 1)\n"
        "c(v$sensitivity, v$latticeK, v$dims, v$privacyParams@epsilon)",
        f"m = diffpriv.DPMechBernstein(sensitivity=2, target={translate(LINE_R)}, latticeK=3, dims=1)\n"
        "v = diffpriv.releaseResponse(m, diffpriv.DPParamsEps(), [1], rng=rng)\n"
        "[v.sensitivity, v.latticeK, v.dims, v.privacyParams.epsilon]",
    ),
)


def _poly(name: str, r: str, python: str = "", level: Level = "exact", reason: str = "") -> Case:
    return case(f"bernstein/{name}", r, python, level, reason)


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
)

CASES = (*_BERNSTEIN, *_POLYNOMIALS, *_TOO_LARGE)
