"""Functions of each element: arithmetic, tests, coercion and comparison."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import NotSupportedError, PydpstatError
from pydpstat.porting._literals import number
from pydpstat.porting.r._values import (
    Value,
    Vector,
    elementwise,
    factor_of,
    missing,
    names_of,
    plain,
    recycled,
    shaped,
    size,
    texts,
    truths,
)  # fmt: skip
from pydpstat.porting.r._vectors import rows_of
from pydpstat.r_arithmetic._arrays import has_length
from pydpstat.r_arithmetic.elementary import exp as _exp
from pydpstat.r_arithmetic.elementary import expm1 as _expm1
from pydpstat.r_arithmetic.elementary import log as _log
from pydpstat.r_arithmetic.elementary import log1p as _log1p
from pydpstat.r_arithmetic.elementary import log10 as _log10
from pydpstat.r_arithmetic.elementary import tanh as _tanh
from pydpstat.r_arithmetic.rounding import significant


def _each(function: Callable[..., float]) -> Callable[..., Vector]:
    """Call a function of numbers for each element, NaN where it raises an error."""

    def one(*x: float) -> float:
        try:
            return function(*x)
        except (ValueError, OverflowError):
            return math.nan

    return lambda *parts: np.array([one(*x) for x in zip(*(part.tolist() for part in parts))], np.float64)


def _pow(x: float, y: float) -> float:
    if x == 1 or y == 0:
        return 1.0
    if y == 2:
        return float(x) * x
    if x == 0:
        return 0.0 if y > 0 else math.inf if y < 0 else math.nan
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf


def _choose(n: float, k: float) -> float:
    if math.isnan(n) or math.isnan(k):
        return math.nan
    k = round(k)
    whole = n == round(n)
    if k < 30:
        k = round(n - k) if whole and n - k < k and n >= 0 else k
        if k <= 0:
            return 1.0 if k == 0 else 0.0
        result = float(n)
        for j in range(2, int(k) + 1):
            result *= (n - j + 1) / j
        return float(round(result)) if whole else result
    if not whole or n < 0:
        raise NotSupportedError(f"choose needs a whole n for k of 30 and more; got {n}")
    return float(math.comb(int(n), int(k)))


def _gamma(x: float) -> float:
    if x == int(x) and 0 < x <= 50:
        # R multiplies
        return math.prod(range(2, int(x)), start=1.0)
    return math.gamma(x) if x < 171.7 else math.inf


def _integers(function: Callable[[Vector], Vector]) -> Callable[[Vector], Vector]:
    return lambda x: function(x) if x.dtype.kind == "f" else x


sqrt = elementwise(np.sqrt, "sqrt", "Square root")
abs = elementwise(lambda x: np.abs(x) if x.dtype != bool else x.astype(np.int64), "abs", "Absolute value")
floor = elementwise(_integers(np.floor), "floor", "Largest whole number that is not above")
ceiling = elementwise(_integers(np.ceil), "ceiling", "Least whole number that is not below")
trunc = elementwise(_integers(np.trunc), "trunc", "Whole part")
sign = elementwise(np.sign, "sign", "Sign, -1, 0 or 1")
exp = elementwise(_exp, "exp", "Exponential")
expm1 = elementwise(_expm1, "expm1", "Exponential minus 1")
log1p = elementwise(_log1p, "log1p", "Logarithm of 1 + x")
log10 = elementwise(_log10, "log10", "Logarithm to base 10")
log2 = elementwise(_each(lambda x: -math.inf if x == 0 else math.log2(x)), "log2", "Logarithm to base 2")
sin, cos, tan = (
    elementwise(_each(getattr(math, each)), each, each.title()) for each in ("sin", "cos", "tan")
)
tanh = elementwise(_tanh, "tanh", "Hyperbolic tangent")
gamma = elementwise(
    _each(_gamma), "gamma", "Gamma function, exact for whole numbers up to 50, else within 1e-14"
)
lgamma = elementwise(_each(math.lgamma), "lgamma", "Logarithm of the gamma function, within 1e-14")
beta = elementwise(
    _each(lambda a, b: math.exp(math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))), "beta",
    "Beta function, within 1e-13",
)  # fmt: skip
factorial = elementwise(_each(lambda x: _gamma(x + 1)), "factorial", "Factorial, exact up to 49")
choose = elementwise(_each(_choose), "choose", "Number of subsets of k elements, exact below k = 30")
power = elementwise(_each(_pow), "power", "Power, R's ``x^y``")
_modulo = elementwise(lambda x, y: np.mod(x, y), "mod", "Rest of the division")


def log(x: Value, base: Value = None) -> Value:
    """Return logarithms, natural ones without a `base`.

    Examples
    --------
    >>> log(1.0), log([8, 2], 2)
    (0.0, array([3., 1.]))
    """
    if base is None:
        return elementwise(_log, "log", "")(x)
    if size(base) == 1 and plain(base)[0] in (2, 10):
        return (log2 if plain(base)[0] == 2 else log10)(x)
    return elementwise(lambda a, b: np.asarray(_log(a)) / _log(b), "log", "")(x, base)


def round(x: Value, digits: Value = 0) -> Value:
    """Round to decimal places; of a frame its columns.

    Examples
    --------
    >>> round(2.675, 2), round([0.15, 2.5], 0)
    (2.67, array([0., 2.]))
    """
    places = float(plain(digits)[0])
    rounding = partial(r_arithmetic.round, digits=places)
    return elementwise(rounding if places < 0 else _integers(rounding), "round", "")(x)


def signif(x: Value, digits: Value = 6) -> Value:
    """Round to significant digits.

    Examples
    --------
    >>> signif(123.456, 2), signif([0.0123456], 3)
    (120.0, array([0.0123]))
    """
    return elementwise(_integers(partial(significant, digits=max(1, int(plain(digits)[0])))), "signif", "")(x)


def is_na(x: Value) -> Value:
    """Tell which elements are missing; of a frame those of its columns.

    Examples
    --------
    >>> is_na([1, None]), is_na(float("nan"))
    (array([False,  True]), True)
    """
    if isinstance(x, pd.DataFrame):
        return x.isna()
    return shaped(missing(x), x)


def anyNA(x: Value) -> bool:
    """Tell whether an element is missing.

    Examples
    --------
    >>> anyNA([1, None])
    True
    """
    return bool(x.isna().any(axis=None)) if isinstance(x, pd.DataFrame) else bool(missing(x).any())


def known(x: Value) -> Value:
    """Return what is compared, if nothing in it is missing: else R's comparison would be NA.

    Examples
    --------
    >>> known(3)
    3
    """
    gone = int(missing(x).sum())
    if gone:
        raise PydpstatError(
            f"what is compared has {gone} missing value{'s' * (gone > 1)}: R's comparison is NA there. "
            "Filter them first, for example with ~r.is_na(x)"
        )
    return x


def equal(x: Value, y: Value) -> Value:
    """Tell which elements are equal, as R's ``==``: numbers beside strings are compared as strings.

    Examples
    --------
    >>> equal([1, 2], "2"), equal(1, 1.0)
    (array([False,  True]), True)
    """
    return shaped(np.equal(*recycled(*rows_of(known(x), known(y)))).astype(bool), x, y)


def unequal(x: Value, y: Value) -> Value:
    """Tell which elements differ, as R's ``!=``.

    Examples
    --------
    >>> unequal(["a", "b"], "a")
    array([False,  True])
    """
    same = equal(x, y)
    return not same if isinstance(same, bool) else ~same


def identical(x: Value, y: Value) -> bool:
    """Tell whether two values are the same, names among them.

    Integers beside equal doubles raise an error: what is one kind here may be two in R.

    Examples
    --------
    >>> identical([1, "a"], [1, "a"]), identical({"a": 1.5}, {"b": 1.5})
    (True, False)
    """
    if isinstance(x, (list, Mapping, pd.DataFrame)) or isinstance(y, (list, Mapping, pd.DataFrame)):
        if type(x) is not type(y) or names_of(x) != names_of(y) or len(x) != len(y):
            return False
        pairs = zip(x, y) if isinstance(x, list) else ((x[key], y[key]) for key in x)
        return all(identical(a, b) for a, b in pairs)
    if (x is None) != (y is None) or (factor_of(x) is None) != (factor_of(y) is None):
        return False
    a, b = plain(x), plain(y)
    if names_of(x) != names_of(y) or a.size != b.size or np.shape(x)[1:] != np.shape(y)[1:]:
        return False
    if factor_of(x) is not None and not identical(levels(x), levels(y)):
        return False
    kinds = {"number" if each.dtype.kind in "if" else each.dtype.kind for each in (a, b)}
    same = len(kinds) == 1 and bool(((a == b) | (missing(a) & missing(b))).all())
    if same and a.dtype != b.dtype:
        raise PydpstatError(
            "identical tells integers from doubles, which may differ here and in R: use all_equal"
        )
    return same


def all_equal(target: Value, current: Value, tolerance: float = 1.5e-8) -> Value:
    """Tell whether numbers are nearly equal: True, or R's sentence on the relative difference.

    Examples
    --------
    >>> all_equal(1.0, 1.0 + 1e-10), all_equal(1.0, 1.1)
    (True, 'Mean relative difference: 0.1')
    """
    a, b = plain(target), plain(current)
    if a.dtype == object or b.dtype == object or a.size != b.size or names_of(target) != names_of(current):
        if a.size == b.size and identical(target, current):
            return True
        raise NotSupportedError("all_equal compares numbers of the same length and names; use identical")
    gone = missing(a)
    if (gone != missing(b)).any():
        return f"'is.NA' value mismatch: {int(missing(b).sum())} in current {int(gone.sum())} in target"
    differ = ~gone & (a != b)
    if not differ.any():
        return True
    a, b = a[differ].astype(np.float64), b[differ].astype(np.float64)
    apart, mean = (r_arithmetic.sum(np.abs(each)) / a.size for each in (a - b, a))
    relative = math.isfinite(mean) and mean > tolerance
    found = apart / mean if relative else apart
    kind = "relative" if relative else "absolute"
    return f"Mean {kind} difference: {_compact(found, False)}" if found > tolerance else True


def _compact(x: float, fixed: bool = True) -> str:
    """A number with 7 significant digits and no zeros at the end."""
    text = f"{x:.7g}"
    if "e" not in text:
        return text
    return (
        f"{float(text):.{max(0, 6 - math.floor(math.log10(x)))}f}".rstrip("0").rstrip(".") if fixed else text
    )


def is_numeric(x: Value) -> bool:
    """Tell whether a value is a vector or matrix of numbers; a factor is none.

    Examples
    --------
    >>> is_numeric([1, 2]), is_numeric("1"), is_numeric(True)
    (True, False, False)
    """
    return _kind(x) == "number"


def is_character(x: Value) -> bool:
    """Tell whether a value is a vector of strings.

    Examples
    --------
    >>> is_character("a")
    True
    """
    return _kind(x) == "string"


def is_logical(x: Value) -> bool:
    """Tell whether a value is a vector of truth values.

    Examples
    --------
    >>> is_logical(True)
    True
    """
    return _kind(x) == "truth"


def _kind(x: Value) -> str:
    if x is None or factor_of(x) is not None or isinstance(x, (list, Mapping, pd.DataFrame)) or callable(x):
        return ""
    try:
        return {"b": "truth", "O": "string"}.get(plain(x).dtype.kind, "number")
    except PydpstatError:
        return ""


def is_function(x: Value) -> bool:
    """Tell whether a value is a function.

    Examples
    --------
    >>> is_function(len)
    True
    """
    return callable(x)


def is_null(x: Value) -> bool:
    """Tell whether a value is NULL.

    Examples
    --------
    >>> is_null(None)
    True
    """
    return x is None or (isinstance(x, (list, Mapping)) and False)


def is_factor(x: Value) -> bool:
    """Tell whether a value is a factor.

    Examples
    --------
    >>> is_factor(pd.Categorical(["a"]))
    True
    """
    return factor_of(x) is not None


def levels(x: Value) -> Value:
    """Return the levels of a factor; NULL of anything else.

    Examples
    --------
    >>> levels(pd.Categorical(["b", "a"]))
    array(['a', 'b'], dtype=object)
    """
    factor = factor_of(x)
    return None if factor is None else texts(list(factor.categories))


def nlevels(x: Value) -> int:
    """Return how many levels a factor has.

    Examples
    --------
    >>> nlevels(pd.Categorical(["b", "a"]))
    2
    """
    return size(levels(x))


def droplevels(x: Value) -> Value:
    """Return a factor, or a frame's factors, without levels that do not occur.

    Examples
    --------
    >>> levels(droplevels(pd.Categorical(["a"], categories=["a", "b"])))
    array(['a'], dtype=object)
    """
    if isinstance(x, pd.DataFrame):
        return x.assign(**{str(key): droplevels(x[key]) for key in x if factor_of(x[key]) is not None})
    factor = factor_of(x)
    if factor is None:
        raise PydpstatError("droplevels needs a factor or a frame: write factor(x)")
    return factor.remove_unused_categories()


_NUMBER = re.compile(r"\s*([-+]?)(0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)\s*")
_INFINITE = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf}


def _read(text: str | None) -> float:
    found = _NUMBER.fullmatch(text or "")
    if found is None:
        return _INFINITE.get((text or "").strip().lower().replace("inity", ""), math.nan)
    value = number(found[2])[0]
    assert not isinstance(value, complex)
    return -float(value) if found[1] == "-" else float(value)


def as_numeric(x: Value) -> Value:
    """Return doubles without names; a string that is no number is NA, a factor gives its codes.

    Examples
    --------
    >>> as_numeric(["1.5", "x"]), as_numeric(True)
    (array([1.5, nan]), 1.0)
    """
    values = plain(x)
    if values.dtype == object:
        return shaped(np.array([_read(each) for each in values], np.float64), _bare(x))
    return shaped(values.astype(np.float64), _bare(x))


def _bare(x: Value) -> Value:
    return plain(x) if has_length(x) else x


def as_integer(x: Value) -> Value:
    """Return whole parts without names; with missing values among them as doubles.

    Examples
    --------
    >>> as_integer([1.9, -1.9]), as_integer("7")
    (array([ 1, -1]), 7)
    """
    values = np.trunc(plain(as_numeric(plain(x))))
    values = np.where(np.abs(values) < 2**31, values, math.nan)
    return shaped(values if missing(values).any() else values.astype(np.int64), _bare(x))


_TRUTH = {
    **dict.fromkeys(("TRUE", "T", "true", "True"), True),
    **dict.fromkeys(("FALSE", "F", "false", "False"), False),
}


def as_logical(x: Value) -> Value:
    """Return truth values without names: of numbers whether they are not 0.

    Examples
    --------
    >>> as_logical([0, 2]), as_logical("T")
    (array([False,  True]), True)
    """
    values = texts(x) if factor_of(x) is not None else plain(x)
    if values.dtype == object and None not in values:
        if unknown := [each for each in values if each not in _TRUTH]:
            raise PydpstatError(
                f"{unknown[0]!r} is neither TRUE nor FALSE, so that R has NA, which is not supported"
            )
        values = np.array([_TRUTH[each] for each in values], bool)
    return shaped(truths(values), _bare(x))


def as_character(x: Value) -> Value:
    """Return strings without names: of numbers up to 15 significant digits, of a factor its labels.

    Examples
    --------
    >>> as_character([1e5, 0.1]), as_character(True)
    (array(['1e+05', '0.1'], dtype=object), 'TRUE')
    """
    return shaped(texts(x), _bare(x))


def as_vector(x: Value) -> Value:
    """Return a vector without names: of a factor its labels, of a matrix its columns; a list remains one.

    Examples
    --------
    >>> as_vector(np.array([[1, 2], [3, 4]]))
    array([1, 3, 2, 4])
    """
    if isinstance(x, (list, Mapping)) or not has_length(x):
        return x
    return texts(x) if factor_of(x) is not None else plain(x)


def nchar(x: Value, type: str = "chars") -> Value:
    """Return how many characters strings have.

    Examples
    --------
    >>> nchar(["abc", ""]), nchar(123)
    (array([3, 0]), 3)
    """
    if type != "chars":
        raise PydpstatError(f"type must be 'chars'; got {type!r}")
    missing_size = math.nan if plain(x).dtype == object else 2
    lengths = [missing_size if each is None else len(each) for each in texts(x)]
    return shaped(np.array(lengths) if lengths else np.empty(0, np.int64), x)
