"""Comparisons of DPpack's exponential mechanism, quantile and median."""

from __future__ import annotations

from typing import Any

from pydpstat.parity.case import Case, Factor, Inputs, Level

NOTHING = "R returns integer(0), numeric(0), NA or an infinite value; Python stops and says so"
X = [1.0, 2.5, 3.0, 4.0, 7.25, -3.5, 0.1, 0.30000000000000004, 9.875, 2.0]
SHORT = [1.0, 2.5, 3.0, 4.0]
U = [0.0, 1.0, 2.5, 2.5, -4.0]


def _case(
    function: str,
    name: str,
    arguments: str,
    level: Level = "exact",
    inputs: Inputs | None = None,
    *,
    python: str = "",
    reason: str = "",
    seed: int = 123,
    first: str = "",
) -> Case:
    """Return a case; `first` are lines before the call."""
    return Case(
        id=f"{function}/{name}",
        function=function,
        package="DPpack",
        r=f"{first}DPpack::{function}({arguments})",
        python=python,
        inputs={} if inputs is None else inputs,
        level=level,
        reason=reason or (NOTHING if level == "difference" else ""),
        seed=seed,
        recorded_ulp=4.0 if level == "exact" else 0.0,
    )


def _choice(name: str, arguments: str, level: Level = "exact", **options: Any) -> Case:
    options.setdefault("inputs", {"u": U})
    return _case("ExponentialMechanism", name, arguments, level, **options)


_WIDE = "u <- -abs(rnorm(40000)) * 50; m <- runif(40000)\n"
_FIVE = "c('e', 'd', 'c', 'b', 'a')"

_EXPONENTIAL = [
    *(_choice(f"seed {seed}", "u, 1, 1", seed=seed) for seed in (1, 2, 3, 4, 5)),
    _choice("eps small", "u, 0.001, 2", seed=7),
    _choice("eps large", "u, 1000, 1", seed=7),
    _choice("eps tiny", "u, 1e-320, 1", seed=7),
    _choice("sensitivity infinite", "u, 1, Inf", seed=7),
    _choice("sensitivity TRUE", "u, 1, TRUE", seed=7),
    _choice("measure", "u, 1, 0.5, c(1, 2, 0, 3, 1000)", seed=11),
    _choice("measure of logicals", "u, 1, 0.5, c(FALSE, FALSE, TRUE, FALSE, FALSE)"),
    _choice("measure as a matrix", "u[1:2], 1, 1, matrix(1, 2, 1)"),
    _choice("integers", "u, 1, 1", inputs={"u": [3, 1, 2]}),
    _choice("one candidate", "3, 1, 1"),
    _choice("matrix", "matrix(u, 2), 1, 1", inputs={"u": SHORT}, seed=3),
    _choice("minus infinity", "u, 1, 1", inputs={"u": [float("-inf"), 1.0, float("-inf"), 1.0]}),
    _choice("ties", "u, 1, 1", inputs={"u": [1.0] * 8}, seed=9),
    _choice("small measures", "u, 1, 1, rep(1e-320, 5)"),
    _choice("large measures", "u, 1, 1, rep(1e307, 5)"),
    _choice("an infinite sum of measures", "c(1, 2), 1, 1, c(1.5e308, 1.5e308)"),
    _choice("an infinite measure after another", "c(1, 2), 1, 1, c(1, Inf)"),
    _choice("40000 candidates", "u, 1, 1", first=_WIDE),
    _choice("40000 candidates with a measure", "u, 0.01, 1, m", first=_WIDE, seed=5),
    Case(
        id="ExponentialMechanism/500 choices in a row",
        function="ExponentialMechanism",
        package="DPpack",
        r="u <- rnorm(400); replicate(500, DPpack::ExponentialMechanism(u, 1, 1))",
        recorded_ulp=4.0,
    ),
    _choice("names", "c(a = 0, b = 1, c = 2.5), 1, 1", seed=4),
    _choice(
        "names of the measure",
        "c(0, 1, 2.5), 1, 1, c(a = 0, b = 1, c = 2.5)",
        seed=4,
    ),
    _choice("no names", "u, 1, 1", python="dppack.ExponentialMechanism(pd.Series(u), 1, 1, rng=rng)"),
    _choice("candidates, texts", f"u, 1, 1, candidates = {_FIVE}"),
    _choice(
        "candidates, an array of texts",
        f"u, 1, 1, candidates = {_FIVE}",
        python="dppack.ExponentialMechanism(u, 1, 1, candidates=np.array(list('edcba')), rng=rng)",
        seed=2,
    ),
    _choice("candidates, numbers", "u, 1, 1, NULL, u * 1.1", seed=2),
    _choice("candidates, integers", "u, 1, 1, candidates = 2001:2005"),
    _choice("candidates, logicals", "c(0, 1), 1, 1, NULL, c(TRUE, FALSE)"),
    _choice("candidates, a list", "c(0, 1), 1, 1, candidates = list('a', 'b')"),
    _choice(
        "candidates with names",
        "c(0, 1, 0), 1, 1, candidates = c(a = 10, b = 20, c = 30)",
    ),
    _choice("utility logical", "TRUE, 1, 1", "error"),
    _choice("utility NULL", "NULL, 1, 1", "error"),
    _choice("utility text", "'a', 1, 1", "error"),
    _choice("utility factor", "u, 1, 1", "error", inputs={"u": Factor(("1", "2"), ("1", "2"))}),
    _choice(
        "utility list",
        "list(1), 1, 1",
        "error",
        python="dppack.ExponentialMechanism({'a': 1}, 1, 1, rng=rng)",
    ),
    _choice("eps zero", "u, 0, 1", "error"),
    _choice("eps negative", "u, -1, 1", "error"),
    _choice("eps text", "u, '1', 1", "error"),
    _choice("eps TRUE", "u, TRUE, 1", "error"),
    _choice("eps two", "u, c(1, 2), 1", "error"),
    _choice("eps missing", "u, NaN, 1", "error"),
    _choice("sensitivity two", "u, 1, c(1, 2)", "error"),
    _choice("sensitivity zero", "u, 1, 0", "error"),
    _choice("sensitivity negative", "u, 1, -1", "error"),
    _choice("sensitivity missing", "u, 1, NaN", "error"),
    _choice("sensitivity text", "u, 1, '1'", "error"),
    _choice("measure too short", "u, 1, 1, c(1, 2)", "error"),
    _choice("measure negative", "c(1, 2), 1, 1, c(1, -2)", "error"),
    _choice("measure missing", "c(1, 2), 1, 1, c(1, NaN)", "error"),
    _choice("measure text", "c(1, 2), 1, 1, c('1', '2')", "error"),
    _choice("candidates too few", "u, 1, 1, candidates = 1:2", "error"),
    _choice("candidates one", "u, 1, 1, candidates = 1", "error"),
    _choice("utility missing", "c(1, NaN), 1, 1", "difference"),
    _choice("utility infinite", "c(1, Inf), 1, 1", "difference"),
    _choice("all minus infinity", "c(-Inf, -Inf), 1, 1", "difference"),
    _choice("measure all zero", "c(1, 2), 1, 1, c(0, 0)", "difference"),
    _choice("an infinite measure first", "c(1, 2), 1, 1, c(Inf, 1)", "difference"),
    _choice("an infinite measure of weight zero", "c(1, -Inf), 1, 1, c(1, Inf)", "difference"),
    _choice("all weights underflow", "c(0, -5000), 1, 1, c(0, 1)", "difference"),
    _choice("eps infinite", "c(1, 2), Inf, 1", "difference"),
    _choice("no candidates", "numeric(0), 1, 1", "difference"),
]


def _drawn(n: int) -> str:
    return f"x <- rnorm({n}, 5, 3)\n"


def _quantile_cases(function: str, q: str) -> list[Case]:
    """Return the cases that a quantile and a median share; `q` is the argument that only one has."""

    def case(name: str, rest: str, level: Level = "exact", x: str = "x", **options: Any) -> Case:
        options = {"inputs": {"x": X}, **options}
        return _case(function, name, f"{x}, {q}{rest}", level, **options)

    return [
        *(case(f"seed {seed}", "1, -5, 10", seed=seed) for seed in (1, 2, 3)),
        *(case(f"{which}, eps 0.5", f"0.5, 0, 5, '{which}'", seed=4) for which in ("bounded", "unbounded", "both")),
        case("by name", "eps = 2, lower.bound = 0, upper.bound = 5, mechanism = 'exponential'", seed=8),
        case("clips both sides", "0.7, 0.5, 3.5"),
        case("integers", "1, 0, 5", inputs={"x": [1, 2, 7, 4]}),
        case("logical", "1, 0, 1", inputs={"x": [True, False, True]}),
        case("infinite data are clipped", "1, 0, 5", inputs={"x": [1.0, float("inf"), float("-inf")]}),
        case("no data", "1, 0, 5", inputs={"x": []}),
        case("one record", "1, 0, 5", inputs={"x": [2.0]}),
        case("ties", "0.3, 0, 10", inputs={"x": [5.0] * 40}),
        case("a matrix", "1, 0, 5", x="matrix(x, 2)"),
        case("eps tiny", "1e-320, 0, 5", seed=6),
        case("wide bounds", "1, -1e308, 1e308"),
        case("3000 records", "1, 0, 10", first=_drawn(3000)),
        case("20000 records of which few can be chosen", "1, 0, 10", first=_drawn(20000)),
        case("20000 records, eps small", "0.01, 0, 10", first=_drawn(20000)),
        case("20000 records, eps large", "25, 0, 10", first=_drawn(20000)),
        case("20000 whole numbers", "1, 0, 10", first="x <- round(rnorm(20000, 5, 3))\n"),
        case("upper bound infinite", "1, 0, Inf"),
        case("which unknown", "1, 0, 5, 'foo'", "error"),
        case("two whichs", "1, 0, 5, c('both', 'bounded')", "error"),
        case("mechanism unknown", "1, 0, 5, mechanism = 'Laplace'", "error"),
        case("two bounds", "1, 0, c(5, 6)", "error"),
        case("two lower bounds", "1, c(0, 1), 5", "error"),
        case("bound missing", "1, NaN, 5", "error"),
        case("bound text", "1, '0', 5", "error"),
        case("reversed bounds", "1, 5, 0", "error"),
        case("eps zero", "0, 0, 5", "error"),
        case("eps text", "'1', 0, 5", "error"),
        case("missing value", "1, 0, 5", "error", inputs={"x": [1.0, float("nan")]}),
        case("text", "1, 0, 5", "error", inputs={"x": ["1", "2"]}),
        case("data frame", "1, 0, 5", "error", x="data.frame(x)"),
        case("infinite data at an infinite bound", "1, 0, Inf", "error", inputs={"x": [1.0, float("inf")]}),
        case("equal bounds", "1, 5, 5", "difference"),
        case("lower bound infinite", "1, -Inf, 5", "difference"),
        case("eps infinite", "Inf, 0, 5", "difference"),
        case(
            "so many ties that all weights underflow",
            "1, 0, 10",
            "difference",
            first="x <- rep(5, 8000)\n",
        ),
        case("upper bound infinite, underflow", "1, 0, Inf", "difference", first=_drawn(8000)),
        case(
            "factor",
            "1, 0, 5",
            "refused",
            inputs={"x": Factor(("1", "2", "2"), ("1", "2"))},
            reason="R takes the codes of a factor as numbers; Python stops",
        ),
        case("NULL", "1, 0, 5", "refused", x="NULL", reason="R takes NULL as no records; Python asks for data"),
    ]


_QUANTILE = [
    *_quantile_cases("quantileDP", "0.75, "),
    *(
        _case("quantileDP", f"quant {quant}", f"x, {quant}, 1, -5, 10", inputs={"x": X}, seed=10)
        for quant in ("0", "1", "0.25", "1/3", "TRUE")
    ),
    *(
        _case("quantileDP", f"quant {quant}, many", f"x, {quant}, 1, 0, 10", first=_drawn(20000))
        for quant in ("0", "1", "0.001", "0.98")
    ),
    _case("quantileDP", "quant negative", "x, -1e-9, 1, 0, 5", "error", {"x": X}),
    _case("quantileDP", "quant above 1", "x, 1.1, 1, 0, 5", "error", {"x": X}),
    _case("quantileDP", "quant missing", "x, NaN, 1, 0, 5", "error", {"x": X}),
    _case("quantileDP", "quant text", "x, '0.5', 1, 0, 5", "error", {"x": X}),
    _case(
        "quantileDP",
        "two quants",
        "x, c(.5, .6), 1, 0, 5",
        "refused",
        {"x": X},
        reason="R recycles a vector of quants over the ranks, which means nothing; Python stops",
    ),
]

CASES = tuple(_EXPONENTIAL + _QUANTILE + _quantile_cases("medianDP", ""))
