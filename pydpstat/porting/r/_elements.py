"""Elementwise functions: arithmetic, tests, conversion and comparison."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from pydpstat import r_arithmetic
from pydpstat.errors import NotSupportedError, PydpstatError
from pydpstat.porting.r._values import (
    Value,
    Vector,
    count_elements,
    expand_by_recycling,
    find_missing,
    get_factor,
    make_elementwise,
    match_shape,
    to_plain_vector,
    to_single_integer,
    to_strings,
)  # fmt: skip
from pydpstat.porting.r._vectors import to_comparable_vectors
from pydpstat.r_arithmetic.elementary import exp as _exp
from pydpstat.r_arithmetic.elementary import expm1 as _expm1
from pydpstat.r_arithmetic.elementary import log as _log
from pydpstat.r_arithmetic.elementary import log1p as _log1p
from pydpstat.r_arithmetic.elementary import log10 as _log10
from pydpstat.r_arithmetic.elementary import tanh as _tanh
from pydpstat.r_arithmetic.factor import make_collation_key
from pydpstat.r_arithmetic.rounding import round_significant

_COMPARISON_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _make_vectorized(function: Callable[..., float]) -> Callable[..., Vector]:
    """Return a function that applies a scalar function elementwise, with NaN where it is undefined."""

    def evaluate_or_nan(*x: float) -> float:
        try:
            return function(*x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return lambda *parts: np.array([evaluate_or_nan(*x) for x in zip(*(part.tolist() for part in parts))], np.float64)


def _compute_r_power(x: float, y: float) -> float:
    if x == 1 or y == 0:
        return 1.0
    if x < 0 and (math.isinf(y) or (math.isinf(x) and y != int(y))):
        return math.nan
    if y == 2:
        return float(x) * x
    if x == 0:
        return 0.0 if y > 0 else math.inf if y < 0 else math.nan
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf


def _compute_binomial(n: float, k: float) -> float:
    if math.isnan(n) or math.isnan(k):
        return math.nan
    k = round(k)
    whole = math.isfinite(n) and math.fabs(n - round(n)) <= 1e-7 * max(1.0, math.fabs(n))
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


_LOG_SQRT_2PI = 0.918938533204672741780329736406


def _compute_gamma(x: float) -> float:
    if 0 < x <= 50 and x == int(x):
        # R multiplies here
        return math.prod(range(2, int(x)), start=1.0)
    if 50 < x < 171.6 and x == int(x):
        return math.exp((x - 0.5) * math.log(x) - x + _LOG_SQRT_2PI + _compute_stirling_error(x))
    return math.inf if x >= 171.7 else math.gamma(x)


def _compute_stirling_error(n: float) -> float:
    """Return the error of Stirling's formula for log(n!), for n above 50, where further terms change no digit."""
    square = n * n
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / n


def _compute_log_gamma(x: float) -> float:
    if x <= 0 and (math.isinf(x) or x == int(x)):
        return math.inf
    return math.log(math.fabs(_compute_gamma(x))) if 1e-306 < math.fabs(x) <= 10 else math.lgamma(x)


def _compute_beta(a: float, b: float) -> float:
    if a + b < 171.6 and min(a, b) > 0:
        return 1 / _compute_gamma(a + b) * _compute_gamma(a) * _compute_gamma(b)
    return math.exp(math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))


def _call_on_doubles(function: Callable[[Vector], Value]) -> Callable[[Vector], Vector]:
    return lambda x: function(x.astype(np.float64))


sqrt = make_elementwise(np.sqrt, "sqrt", "Square root")
abs = make_elementwise(lambda x: np.abs(x) if x.dtype != bool else x.astype(np.int64), "abs", "Absolute value")
floor = make_elementwise(_call_on_doubles(np.floor), "floor", "Largest whole number that is not above")
ceiling = make_elementwise(_call_on_doubles(np.ceil), "ceiling", "Least whole number that is not below")
trunc = make_elementwise(_call_on_doubles(np.trunc), "trunc", "Whole part")
sign = make_elementwise(_call_on_doubles(np.sign), "sign", "Sign, -1, 0 or 1")
exp = make_elementwise(_exp, "exp", "Exponential")
expm1 = make_elementwise(_expm1, "expm1", "Exponential minus 1")
log1p = make_elementwise(_log1p, "log1p", "Logarithm of 1 + x")
log10 = make_elementwise(_log10, "log10", "Logarithm to base 10")
log2 = make_elementwise(
    _make_vectorized(lambda x: -math.inf if x == 0 else math.log2(x)), "log2", "Logarithm to base 2"
)
sin, cos, tan = (
    make_elementwise(_make_vectorized(getattr(math, each)), each, each.title()) for each in ("sin", "cos", "tan")
)
tanh = make_elementwise(_tanh, "tanh", "Hyperbolic tangent")
gamma = make_elementwise(
    _make_vectorized(_compute_gamma),
    "gamma",
    "Gamma function, exact for whole numbers up to 50, else within 1e-14",
)
lgamma = make_elementwise(
    _make_vectorized(_compute_log_gamma), "lgamma", "Logarithm of the gamma function, within 1e-14"
)
beta = make_elementwise(_make_vectorized(_compute_beta), "beta", "Beta function, within 1e-13")
factorial = make_elementwise(
    _make_vectorized(lambda x: _compute_gamma(x + 1)), "factorial", "Factorial, exact up to 49"
)
choose = make_elementwise(
    _make_vectorized(_compute_binomial), "choose", "Number of subsets of k elements, exact below k = 30"
)
power = make_elementwise(_make_vectorized(_compute_r_power), "power", "Power, R's ``x^y``")


def log(x: Value, base: Value = None) -> Value:
    """Return logarithms to a `base`, by default natural ones.

    Examples
    --------
    >>> log(1.0), log([8, 2], 2)
    (0.0, array([3., 1.]))
    """
    if base is None:
        return make_elementwise(_log, "log", "")(x)
    if count_elements(base) == 1 and to_plain_vector(base)[0] in (2, 10):
        return (log2 if to_plain_vector(base)[0] == 2 else log10)(x)
    return make_elementwise(lambda a, b: np.asarray(_log(a)) / _log(b), "log", "")(x, base)


def round(x: Value, digits: Value = 0) -> Value:
    """Round to decimal places; for a data frame, each column.

    Examples
    --------
    >>> round(2.675, 2), round([0.15, 2.5], 0)
    (2.67, array([0., 2.]))
    """
    return make_elementwise(
        _call_on_doubles(partial(r_arithmetic.round, digits=to_single_integer(digits, "digits"))), "round", ""
    )(x)


def signif(x: Value, digits: Value = 6) -> Value:
    """Round to significant digits.

    Examples
    --------
    >>> signif(123.456, 2), signif([0.0123456], 3)
    (120.0, array([0.0123]))
    """
    return make_elementwise(
        _call_on_doubles(partial(round_significant, digits=max(1, to_single_integer(digits, "digits")))),
        "signif",
        "",
    )(x)


def is_na(x: Value) -> Value:
    """Return whether each element is missing; for a data frame, in each column.

    Examples
    --------
    >>> is_na([1, None]), is_na(float("nan"))
    (array([False,  True]), True)
    """
    if isinstance(x, pd.DataFrame):
        return x.isna()
    return match_shape(find_missing(x), x)


def anyNA(x: Value) -> bool:
    """Return whether any element is missing.

    Examples
    --------
    >>> anyNA([1, None])
    True
    """
    return bool(x.isna().any(axis=None)) if isinstance(x, pd.DataFrame) else bool(find_missing(x).any())


def known(x: Value) -> Value:
    """Return a value to compare, or raise an error if an element is missing: R's comparison would be NA.

    Examples
    --------
    >>> known(3)
    3
    """
    gone = int(find_missing(x).sum())
    if gone:
        raise PydpstatError(
            f"what is compared has {gone} missing value{'s' * (gone > 1)}: R's comparison is NA there. "
            "Filter them first, for example with ~r.is_na(x)"
        )
    return x


def equal(x: Value, y: Value) -> Value:
    """Return whether elements are equal, as R's ``==``: numbers are compared with strings as strings.

    Examples
    --------
    >>> equal([1, 2], "2"), equal(1, 1.0)
    (array([False,  True]), True)
    """
    return match_shape(np.equal(*expand_by_recycling(*to_comparable_vectors(known(x), known(y)))).astype(bool), x, y)


def ordered(x: Value, sign: str, y: Value) -> Value:
    """Compare strings by ``<``, ``<=``, ``>`` or ``>=`` in the collation order of the locale, as R.

    Examples
    --------
    >>> ordered("apple", "<", "Banana"), ordered(["a", "B"], ">=", "b")
    (True, array([False,  True]))
    """
    if get_factor(x) is not None or get_factor(y) is not None:
        raise PydpstatError("x and y must be strings; got a factor. Write as_character of it.")
    first, second = expand_by_recycling(*to_comparable_vectors(known(x), known(y)))
    pairs = [(make_collation_key(str(a)), make_collation_key(str(b))) for a, b in zip(first, second)]
    return match_shape(np.array([_COMPARISON_OPERATORS[sign](a, b) for a, b in pairs], dtype=bool), x, y)


def unequal(x: Value, y: Value) -> Value:
    """Return whether elements differ, as R's ``!=``.

    Examples
    --------
    >>> unequal(["a", "b"], "a")
    array([False,  True])
    """
    same = equal(x, y)
    return not same if isinstance(same, bool) else ~same


def levels(x: Value) -> Value:
    """Return the levels of a factor, or NULL for any other value.

    Examples
    --------
    >>> levels(pd.Categorical(["b", "a"]))
    array(['a', 'b'], dtype=object)
    """
    factor = get_factor(x)
    return None if factor is None else to_strings(list(factor.categories))


def set_levels(x: Value, value: Value) -> Value:
    """Return a factor after R's ``levels(x) <- value``, which merges equal levels.

    Examples
    --------
    >>> set_levels(pd.Categorical(["a", "b", "c"]), ["u", "v", "u"]).tolist()
    ['u', 'v', 'u']
    """
    factor, labels = get_factor(x), to_strings(value).tolist()
    if factor is None or isinstance(value, dict) or len(labels) != len(factor.categories):
        raise PydpstatError("x must be a factor, and value a vector with one level for each of its levels")
    kept = list(dict.fromkeys(labels))
    place = np.array([*(kept.index(each) for each in labels), -1])
    return pd.Categorical.from_codes(place[factor.codes], categories=kept, ordered=factor.ordered)


def nlevels(x: Value) -> int:
    """Return the number of levels of a factor.

    Examples
    --------
    >>> nlevels(pd.Categorical(["b", "a"]))
    2
    """
    return count_elements(levels(x))


def droplevels(x: Value) -> Value:
    """Return a factor, or a data frame with its factors, without unused levels.

    Examples
    --------
    >>> levels(droplevels(pd.Categorical(["a"], categories=["a", "b"])))
    array(['a'], dtype=object)
    """
    if isinstance(x, pd.DataFrame):
        return x.assign(**{str(key): droplevels(x[key]) for key in x if get_factor(x[key]) is not None})
    factor = get_factor(x)
    if factor is None:
        raise PydpstatError("droplevels needs a factor or a frame: write factor(x)")
    return factor.remove_unused_categories()


def nchar(x: Value, type: str = "chars") -> Value:
    """Return the number of characters of each string.

    Examples
    --------
    >>> nchar(["abc", ""]), nchar(123)
    (array([3, 0]), 3)
    """
    if type not in ("chars", "bytes") or get_factor(x) is not None:
        raise PydpstatError(f"nchar takes strings and type 'chars' or 'bytes'; got {type!r} for {x!r:.60}")
    counted = [each.encode() if each and type == "bytes" else each for each in to_strings(x)]
    lengths = [math.nan if each is None else len(each) for each in counted]
    return match_shape(np.array(lengths) if lengths else np.empty(0, np.int64), x)
