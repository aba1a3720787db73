"""Functions of each element: arithmetic, tests, coercion and comparison."""

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
    elementwise,
    factor_of,
    missing,
    plain,
    recycled,
    shaped,
    size,
    texts,
    whole,
)  # fmt: skip
from pydpstat.porting.r._vectors import rows_of
from pydpstat.r_arithmetic.elementary import exp as _exp
from pydpstat.r_arithmetic.elementary import expm1 as _expm1
from pydpstat.r_arithmetic.elementary import log as _log
from pydpstat.r_arithmetic.elementary import log1p as _log1p
from pydpstat.r_arithmetic.elementary import log10 as _log10
from pydpstat.r_arithmetic.elementary import tanh as _tanh
from pydpstat.r_arithmetic.factor import collation_key
from pydpstat.r_arithmetic.rounding import significant

_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _each(function: Callable[..., float]) -> Callable[..., Vector]:
    """Call a function of numbers for each element, NaN where it has no value."""

    def one(*x: float) -> float:
        try:
            return function(*x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return lambda *parts: np.array([one(*x) for x in zip(*(part.tolist() for part in parts))], np.float64)


def _pow(x: float, y: float) -> float:
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


def _choose(n: float, k: float) -> float:
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


def _gamma(x: float) -> float:
    if 0 < x <= 50 and x == int(x):
        # R multiplies
        return math.prod(range(2, int(x)), start=1.0)
    return math.inf if x >= 171.7 else math.gamma(x)


def _lgamma(x: float) -> float:
    if x <= 0 and (math.isinf(x) or x == int(x)):
        return math.inf
    return math.log(math.fabs(_gamma(x))) if 1e-306 < math.fabs(x) <= 10 else math.lgamma(x)


def _beta(a: float, b: float) -> float:
    if a + b < 171.6 and min(a, b) > 0:
        return 1 / _gamma(a + b) * _gamma(a) * _gamma(b)
    return math.exp(math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))


def _doubles(function: Callable[[Vector], Value]) -> Callable[[Vector], Vector]:
    return lambda x: function(x.astype(np.float64))


sqrt = elementwise(np.sqrt, "sqrt", "Square root")
abs = elementwise(lambda x: np.abs(x) if x.dtype != bool else x.astype(np.int64), "abs", "Absolute value")
floor = elementwise(_doubles(np.floor), "floor", "Largest whole number that is not above")
ceiling = elementwise(_doubles(np.ceil), "ceiling", "Least whole number that is not below")
trunc = elementwise(_doubles(np.trunc), "trunc", "Whole part")
sign = elementwise(_doubles(np.sign), "sign", "Sign, -1, 0 or 1")
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
lgamma = elementwise(_each(_lgamma), "lgamma", "Logarithm of the gamma function, within 1e-14")
beta = elementwise(_each(_beta), "beta", "Beta function, within 1e-13")
factorial = elementwise(_each(lambda x: _gamma(x + 1)), "factorial", "Factorial, exact up to 49")
choose = elementwise(_each(_choose), "choose", "Number of subsets of k elements, exact below k = 30")
power = elementwise(_each(_pow), "power", "Power, R's ``x^y``")


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
    return elementwise(_doubles(partial(r_arithmetic.round, digits=whole(digits, "digits"))), "round", "")(x)


def signif(x: Value, digits: Value = 6) -> Value:
    """Round to significant digits.

    Examples
    --------
    >>> signif(123.456, 2), signif([0.0123456], 3)
    (120.0, array([0.0123]))
    """
    return elementwise(_doubles(partial(significant, digits=max(1, whole(digits, "digits")))), "signif", "")(
        x
    )


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


def ordered(x: Value, sign: str, y: Value) -> Value:
    """Tell how strings sort, as R's ``<``, ``<=``, ``>`` and ``>=`` of strings do in a language's order.

    Examples
    --------
    >>> ordered("apple", "<", "Banana"), ordered(["a", "B"], ">=", "b")
    (True, array([False,  True]))
    """
    if factor_of(x) is not None or factor_of(y) is not None:
        raise PydpstatError("x and y must be strings; got a factor. Write as_character of it.")
    first, second = recycled(*rows_of(known(x), known(y)))
    pairs = [(collation_key(str(a)), collation_key(str(b))) for a, b in zip(first, second)]
    return shaped(np.array([_ORDERS[sign](a, b) for a, b in pairs], dtype=bool), x, y)


def unequal(x: Value, y: Value) -> Value:
    """Tell which elements differ, as R's ``!=``.

    Examples
    --------
    >>> unequal(["a", "b"], "a")
    array([False,  True])
    """
    same = equal(x, y)
    return not same if isinstance(same, bool) else ~same


def levels(x: Value) -> Value:
    """Return the levels of a factor; NULL of anything else.

    Examples
    --------
    >>> levels(pd.Categorical(["b", "a"]))
    array(['a', 'b'], dtype=object)
    """
    factor = factor_of(x)
    return None if factor is None else texts(list(factor.categories))


def set_levels(x: Value, value: Value) -> Value:
    """Return what x is after ``levels(x) <- value``, in which equal levels become one.

    Examples
    --------
    >>> set_levels(pd.Categorical(["a", "b", "c"]), ["u", "v", "u"]).tolist()
    ['u', 'v', 'u']
    """
    factor, labels = factor_of(x), texts(value).tolist()
    if factor is None or isinstance(value, dict) or len(labels) != len(factor.categories):
        raise PydpstatError("x must be a factor, and value a vector with one level for each of its levels")
    kept = list(dict.fromkeys(labels))
    place = np.array([*(kept.index(each) for each in labels), -1])
    return pd.Categorical.from_codes(place[factor.codes], categories=kept, ordered=factor.ordered)


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


def nchar(x: Value, type: str = "chars") -> Value:
    """Return how many characters strings have.

    Examples
    --------
    >>> nchar(["abc", ""]), nchar(123)
    (array([3, 0]), 3)
    """
    if type not in ("chars", "bytes") or factor_of(x) is not None:
        raise PydpstatError(f"nchar takes strings and type 'chars' or 'bytes'; got {type!r} for {x!r:.60}")
    counted = [each.encode() if each and type == "bytes" else each for each in texts(x)]
    lengths = [math.nan if each is None else len(each) for each in counted]
    return shaped(np.array(lengths) if lengths else np.empty(0, np.int64), x)
