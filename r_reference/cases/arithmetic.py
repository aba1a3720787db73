"""Cases for R's arithmetic: sums, order statistics, rounding, histograms and tables."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydpstat.parity.case import Case, Cell, Factor, Input, Level

_NAN = math.nan
_INF = math.inf

# Spread by exact integer arithmetic, so that they are the same on every machine.
_SPREAD = [(i * 7919 % 1009) / 1009 - 0.5 for i in range(30)]
_OTHER = [(i * 6007 % 997) / 997 for i in range(30)]
_LONG = [(i * 104729 % 9973) / 97 for i in range(300)]
_CENTS = [(i * 317 % 401) / 100 for i in range(40)]
_TIES = [3.0, 1.0, 2.0, 2.0, 3.0, 2.0, 5.0, 1.0, 2.0]
_ZEROS = [0.0, -0.0, 1.0, -1.0, -0.0, 0.0]
_SIGNED = [-2.5, -1.5, -0.5, -0.4, -0.0, 0.0, 0.4, 0.5, 1.5, 2.5, 3.5]
_DECIMALS = [0.15, 0.25, 0.35, 0.45, 0.55, 1.005, 2.675, -1.115, 5.015, 1234.5678, 0.1 + 0.2]
_INTEGERS = [5, 3, 9, 1, 1, 7, -4, 0]
_LARGE_INTEGERS = [2147483647, 2147483646, 2147483645, -2147483647, 12345, 2147483640]

_VECTORS: dict[str, list[float]] = {
    "thirty values": _SPREAD,
    "300 values": _LONG,
    "one value": [0.1],
    "two values": [0.1, 0.7],
    "decimal values": _CENTS,
    "ties": _TIES,
    "zeros of both signs": [0.0, -0.0, -0.0],
    "huge": [x * 1e300 for x in _SPREAD],
    "tiny": [x * 1e-300 for x in _SPREAD],
    "far from zero": [x + 1e9 for x in _SPREAD],
    "cancellation": [1e17, 1.0, -1e17, 0.1, 1e16, 0.3, -1e16],
    "integers": _INTEGERS,
}


def _case(
    function: str, package: str, what: str, r: str, python: str = "", level: Level = "exact", **inputs: Input
) -> Case:
    """A case without random numbers."""
    return Case(f"{function}/{what}", function, package, r, python, inputs, level=level, draws=False)


def _over(function: str, package: str, *names: str) -> list[Case]:
    """One case of a function of one vector for each of the named vectors."""
    return [_case(function, package, name, f"{function}(x)", x=_VECTORS[name]) for name in names or _VECTORS]


def _hist(what: str, x: Sequence[Cell], breaks: Input = None, level: Level = "exact") -> Case:
    """A histogram with given or default breaks."""
    if breaks is None:
        return _case("hist", "graphics", what, "hist(x, plot = FALSE)", level=level, x=x)
    return _case("hist", "graphics", what, "hist(x, breaks = b, plot = FALSE)", level=level, x=x, b=breaks)


def _table(what: str, r: str, **inputs: Input) -> Case:
    return _case("table", "base", what, f"table({r})", **inputs)


_ELEMENTARY = [
    _case(
        "log",
        "base",
        "from tiny to huge",
        "log(x)",
        x=[5e-324, 1e-300, 0.1, 0.5, 1.0, 1.0000000001, 2.0, math.pi, 1e10, 1.7e308],
    ),
    _case("log", "base", "spread values", "log(x)", x=_LONG[1:]),
    _case("log", "base", "edges", "suppressWarnings(log(x))", x=[0.0, -0.0, -1.0, _INF]),
    _case(
        "exp",
        "base",
        "from -745 to 709",
        "exp(x)",
        x=[-800.0, -745.0, -1.5, -0.0, 1e-17, 0.1, 1.0, 100.5, 709.7, 710.0, _INF, -_INF],
    ),
    _case("exp", "base", "spread values", "exp(x)", x=_SPREAD),
]  # fmt: skip

_MOMENTS = [
    *_over("sum", "base"),
    *_over("mean", "base"),
    *_over("var", "stats"),
    *_over("cumsum", "base", "thirty values", "300 values", "huge", "cancellation", "integers"),
    _case("sum", "base", "beyond the largest double", "sum(x)", x=[1e308] * 3),
    _case("sum", "base", "back from beyond the largest double", "sum(x)", x=[1e308, 1e308, -1e308]),
    _case("sum", "base", "booleans", "sum(x)", x=[True, False, True]),
    _case("mean", "base", "large integers", "mean(x)", x=_LARGE_INTEGERS),
    _case("mean", "base", "booleans", "mean(x)", x=[True, False, True]),
    _case("mean", "base", "infinity", "mean(x)", x=[1.0, _INF, 2.0]),
    _case("mean", "base", "largest doubles", "mean(x)", x=[1.7e308, 1.6e308, 1.5e308]),
    _case("var", "stats", "constant", "var(x)", x=[0.1] * 7),
    _case("var", "stats", "a missing value", "var(x)", x=[1.0, _NAN, 2.0]),
    _case("cov", "stats", "thirty pairs", "cov(x, y)", x=_SPREAD, y=_OTHER),
    _case("cov", "stats", "two pairs", "cov(x, y)", x=[0.1, 0.7], y=[1.3, -2.9]),
    _case("cov", "stats", "integers with doubles", "cov(x, y)", x=_INTEGERS, y=_OTHER[:8]),
    _case(
        "cov",
        "stats",
        "far from zero",
        "cov(x, y)",
        x=[v + 1e8 for v in _SPREAD],
        y=[v - 1e7 for v in _OTHER],
    ),
    _case("cov", "stats", "different lengths", "cov(x, y)", level="error", x=[1.0, 2.0, 3.0], y=[1.0, 2.0]),
]  # fmt: skip

_PROBABILITIES = [0.0, 0.05, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.9, 0.975, 1.0]
_QUANTILE = "quantile(x, p, names = FALSE)"
_ORDER = [
    *_over("sort", "base", "thirty values", "decimal values", "ties", "integers"),
    _case("sort", "base", "zeros of both signs", "sort(x)", x=_ZEROS),
    _case("sort", "base", "decreasing", "sort(x, decreasing = TRUE)", x=_ZEROS),
    _case("sort", "base", "missing values are dropped", "sort(x)", x=[2.0, _NAN, -_INF, 1.0, _NAN, _INF]),
    *_over("median", "stats", "thirty values", "one value", "two values", "decimal values", "ties",
           "huge", "far from zero", "integers"),
    _case("median", "stats", "a missing value", "median(x)", x=[1.0, _NAN, 2.0]),
    _case("median", "stats", "two middle values of 0.1 and 0.7", "median(x)", x=[0.7, -1.0, 0.1, 9.0]),
    *[_case("quantile", "stats", name, _QUANTILE, x=_VECTORS[name], p=_PROBABILITIES)
      for name in ("thirty values", "300 values", "one value", "two values", "ties", "integers",
                   "far from zero")],
    _case("quantile", "stats", "infinite values", _QUANTILE, x=[-_INF, 1.0, 2.0, _INF],
          p=[0.0, 0.1, 0.5, 0.9, 1.0]),
    _case("quantile", "stats", "slightly outside", _QUANTILE, x=_SPREAD, p=[-1e-14, 1 + 1e-14]),
    _case("quantile", "stats", "outside", _QUANTILE, level="error", x=_SPREAD, p=[0.5, 1.1]),
    _case("quantile", "stats", "a missing value", _QUANTILE, level="error", x=[1.0, _NAN], p=[0.5]),
]  # fmt: skip

_ROUND = "round(x, d)"
_ROUNDING = [
    _case("round", "base", "halves to even, signed zeros", "round(x)", x=_SIGNED),
    *[_case("round", "base", f"{d} digits", _ROUND, x=x, d=d)
      for d, x in ((1, _DECIMALS), (2, _DECIMALS), (3, _LONG[:60]), (7, _SPREAD), (14, _DECIMALS),
                   (15, _DECIMALS), (16, _SPREAD))],
    _case("round", "base", "-1 digits", _ROUND, x=[5.0, 15.0, 25.0, 149.9, -35.0, -4.0], d=-1),
    _case("round", "base", "-3 digits", _ROUND, x=[500.0, 1500.0, 2500.0, 1e10 + 500.0, -1.0], d=-3),
    _case("round", "base", "many digits of tiny values", _ROUND, x=[v * 1e-300 for v in _SPREAD],
          d=305),
    _case("round", "base", "huge, infinite and missing values", _ROUND,
          x=[1.7e308, 2.0**53 + 2, _INF, -_INF, _NAN], d=2),
]  # fmt: skip

_PRETTY = [
    _case("pretty", "base", f"from {low:g} to {high:g} with n = {n}", "pretty(c(a, b), n)",
          a=low, b=high, n=n)
    for low, high, n in (
        (0.0, 9.3, 5), (-1.0, 1.0, 5), (0.1, 0.7, 8), (-0.3, 0.31, 3), (1e-300, 9e-300, 5),
        (1e9, 1e9 + 1.0, 6), (3.0, 3.0, 5), (0.0, 0.0, 5), (-1e308, 1e308, 5), (0.0, 1.0, 0),
        (1234.5, 99876.0, 17), (5.0, 5.0 + 1e-13, 4),
    )
] + [
    _case("pretty", "base", "at least one interval", "pretty(c(a, b), n, min.n = 1)",
          a=7.0, b=7.0, n=3),
    _case("pretty", "base", "at least as many intervals as wanted", "pretty(c(a, b), n, min.n = n)",
          a=-0.2, b=5.1, n=9),
]  # fmt: skip

_FIFTHS = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
_HISTOGRAM = [
    *[_hist(name, _VECTORS[name])
      for name in ("thirty values", "300 values", "one value", "two values", "decimal values",
                   "ties", "zeros of both signs", "huge", "tiny", "far from zero", "integers")],
    _hist("infinite and missing values are dropped", [0.5, _INF, 2.5, _NAN, 3.5, -_INF, 1.0]),
    *[_hist(f"rule {rule} of {what}", x, rule)
      for what, x in (("300 values", _LONG), ("ties", _TIES))
      for rule in ("Scott", "FD", "freedman", "st")],
    _hist("rule FD of mostly equal values", [1.0] * 9 + [2.0], "FD"),
    *[_hist(f"{n} classes", _LONG, n) for n in (1, 2, 3, 12, 100)],
    _hist("a fractional number of classes", _LONG, 4.7),
    _hist("values on the breaks", [*_FIFTHS, 0.1 + 0.1, 0.6000000000000001, 0.5], _FIFTHS),
    _hist("values near the breaks, six breaks", [v + d for v in _FIFTHS[1:-1]
          for d in (-3e-8, -1e-8, 1e-8, 1.99e-8, 2.01e-8, 3e-8)], _FIFTHS),
    _hist("values near the breaks, four breaks", [1.0, 1 + 9e-8, 1 + 1.1e-7, 2 + 9e-8, 2 + 1.1e-7],
          [0.0, 1.0, 2.0, 5.0]),
    _hist(
        "values near the breaks, three breaks", [0.0, 1 + 9e-8, 1 + 2.9e-7, 1 + 3.1e-7, 3.0], [0.0, 1.0, 3.0]
    ),
    _hist("two breaks", [0.0, 1.0, 3.0], [0.0, 3.0]),
    _hist("unsorted breaks", _SPREAD, [0.6, -0.5, 0.1, 0.0]),
    _hist("repeated breaks", [0.5, 1.0, 1.5, 2.0], [0.0, 1.0, 1.0, 2.0, 3.0]),
    _hist("breaks beyond the values", [1.0, 2.0, 3.5], [-10.0, 0.0, 1.0, 2.0, 3.0, 4.0, 50.0]),
    _case("hist", "graphics", "a function that counts classes",
          "hist(x, breaks = function(x) length(x) / 3, plot = FALSE)", x=_SPREAD),
    _case("hist", "graphics", "a function that returns breaks",
          "hist(x, breaks = function(x) c(min(x), 0, max(x)), plot = FALSE)", x=_SPREAD),
    _case("hist", "graphics", "densities and equal widths",
          "with(hist(x, plot = FALSE), c(density, equidist))",
          "h = r.hist(x, plot=False)\n[h.density, h.equidist]", x=_LONG),
    _case("hist", "graphics", "densities of unequal widths",
          "with(hist(x, breaks = b, plot = FALSE), c(density, equidist))",
          "h = r.hist(x, b, plot=False)\n[h.density, h.equidist]", x=_SPREAD, b=[-0.5, 0.0, 0.1, 0.5]),
    _hist("values outside the breaks", [0.5, 2.5], [0.0, 1.0, 2.0], "error"),
    _hist("no classes", _SPREAD, 0, "error"),
    _hist("an unknown rule", _SPREAD, "wide", "error"),
    _hist("no values", [], None, "error"),
    _hist("booleans", [True, False], None, "error"),
    _hist("strings", ["a", "b"], None, "error"),
    *[_case(f"nclass.{name}", "graphics", what, f"nclass.{name}(x)", x=x)
      for name in ("Sturges", "scott", "FD")
      for what, x in (("300 values", _LONG), ("ties", _TIES), ("constant", [2.0] * 5))],
]  # fmt: skip

_WORDS = ["b", "a", "c", "b", "a", "b"]
_GAPS = ["b", None, "c", "b", None, "b"]
_NUMBERS = [2.5, 0.3, 0.1 + 0.2, 1e5, 2.5, -1.0]
_SHORT = [1, 1, 2, 2, 1, 3]
_LEVELS = Factor(("low", "high", "low", None, "high", "low"), ("low", "middle", "high"))
_TABLE = [
    _table("strings", "x", x=_WORDS),
    _table("strings and integers", "x, y", x=_WORDS, y=_SHORT),
    _table("three vectors", "x, y, z", x=_WORDS, y=_SHORT, z=[True, False, True, True, False, False]),
    _table("doubles of 15 digits", "x", x=_NUMBERS),
    _table(
        "doubles, fixed and scientific",
        "x",
        x=[1e5, 123456.0, 1e-4, 0.00012, 1e15, 1234567890123456.0, 1 / 3, -2e-300, 100.0],
    ),
    _table("integers", "x", x=[100000, 5, -3, 100000, 12]),
    _table("infinite values and zeros", "x", x=[_INF, -0.0, 0.0, -_INF]),
    _table("booleans", "x", x=[True, False, True]),
    _table("an unused level", "x", x=_LEVELS),
    _table("a factor and strings", "x, y", x=_LEVELS, y=_WORDS),
    _table("missing values dropped", "x, y", x=_GAPS, y=_SHORT),
    *[_table(f"useNA {use}", f"x, y, useNA = '{use}'", x=_GAPS, y=_SHORT)
      for use in ("no", "ifany", "always")],
    _table("useNA ifany of a factor", "x, useNA = 'ifany'", x=_LEVELS),
    _table("useNA always of a factor", "x, useNA = 'always'", x=_LEVELS),
    _table("missing doubles", "x, useNA = 'ifany'", x=[1.5, None, 2.5, None]),
    _table("exclude a string", "x, exclude = 'b'", x=_GAPS),
    _table("exclude nothing", "x, exclude = NULL", x=_GAPS),
    _table("exclude a missing value and a string", "x, exclude = c(NA, 'b')", x=_GAPS),
    _table("exclude a number", "x, exclude = 2", x=_SHORT),
    _table("exclude a level", "x, exclude = 'low'", x=_LEVELS),
    _table("exclude a level, useNA always", "x, exclude = 'low', useNA = 'always'", x=_LEVELS),
    _case("table", "base", "names of the dimensions", "names(dimnames(table(x, y, dnn = d)))",
          "list(r.table(x, y, dnn=d).axes)", x=_WORDS, y=_SHORT, d=["word", "number"]),
    _case("table", "base", "different lengths", "table(x, y)", level="error", x=_WORDS, y=[1, 2]),
    _case("table", "base", "nothing", "table()", level="error"),
    _case("factor", "base", "levels of doubles", "levels(factor(x))", x=_NUMBERS),
    _case("factor", "base", "codes of doubles", "as.integer(factor(x))", x=_NUMBERS),
    _case("factor", "base", "given levels", "as.integer(factor(x, levels = l))",
          x=_WORDS, l=["c", "b", "unused", "a"]),
    _case("factor", "base", "unused levels are dropped", "levels(factor(x))", x=_LEVELS),
]  # fmt: skip

CASES: tuple[Case, ...] = (
    *_ELEMENTARY,
    *_MOMENTS,
    *_ORDER,
    *_ROUNDING,
    *_PRETTY,
    *_HISTOGRAM,
    *_TABLE,
)
