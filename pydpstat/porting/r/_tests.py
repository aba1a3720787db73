"""R's tests of means, variances and correlations."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial, wraps
from itertools import permutations

import numpy as np
import pandas as pd
from scipy import stats

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._attributed import with_attributes
from pydpstat.porting.r._coefficients import format_numbers, format_p_values
from pydpstat.porting.r._distributions import compute_t_quantile
from pydpstat.porting.r._formulas import evaluate_expression, format_expression, parse_formula_sides
from pydpstat.porting.r._printing import format_lines as printed
from pydpstat.porting.r._shapes import Array, refuse_unknown, to_vector
from pydpstat.porting.r._values import Value, make_named_number
from pydpstat.r_arithmetic import cov, mean, var
from pydpstat.r_arithmetic.factor import factor

_ALTERNATIVES = ("two.sided", "less", "greater")
_ALTERNATIVE_WORDS = {"two.sided": "not equal to", "less": "less than", "greater": "greater than"}


@dataclass(frozen=True)
class Test:
    """Result of a test, with R's names. `estimate` is a Series if R names several estimates."""

    method: str
    p_value: float
    statistic: float | None = None
    parameter: Value = None
    conf_int: Array | None = None
    estimate: Value = None
    null_value: Value = None
    alternative: str | None = None
    letter: str = ""
    meaning: str = ""
    expected: Value = None
    observed: Value = None
    conf_level: float = 0.95
    label: str = ""
    degrees: tuple[str, ...] = ()
    data_name: str = ""

    def __post_init__(self) -> None:
        """Set R's names of single numbers, and the level of the interval."""
        words = self.degrees or ("df",)
        names = {"statistic": self.letter, "null_value": self.meaning, "estimate": self.label or self.meaning}
        names |= {"parameter": words[0]} if len(words) == 1 else {}
        for field, name in names.items():
            value = getattr(self, field)
            if name and isinstance(value, (int, float)):
                value = value if field == "parameter" else float(value)
                object.__setattr__(self, field, make_named_number(value, name))
        if self.conf_int is not None:
            interval = with_attributes(self.conf_int, {"conf.level": self.conf_level})
            object.__setattr__(self, "conf_int", interval)

    def __str__(self) -> str:
        """Return R's printed output, without the data line if `data_name` is empty."""
        degrees = to_vector(self.parameter).tolist() if self.parameter is not None else []
        words = self.degrees or (("df",) if len(degrees) == 1 else ("num df", "denom df"))
        found = [] if self.statistic is None else [(self.letter, self.statistic)]
        parts = [f"{word} = {format_numbers(each, 5)[0]}" for word, each in [*found, *zip(words, degrees)]]
        p = format_p_values([self.p_value])[0]
        parts.append(f"p-value {p}" if p.startswith("<") else f"p-value = {p}")
        lines = [
            "",
            f"\t{self.method.strip()}",
            "",
            *[f"data:  {self.data_name}"] * bool(self.data_name),
            ", ".join(parts),
        ]
        if self.alternative:
            said = self.alternative
            if isinstance(self.null_value, pd.Series):
                said = "\n".join([said, "null values:", *printed(self.null_value)])
            elif self.null_value is not None:
                said = f"true {self.meaning} is {_ALTERNATIVE_WORDS[said]} {format_numbers(self.null_value, 7)[0]}"
            lines.append(f"alternative hypothesis: {said}")
        if self.conf_int is not None:
            lines.append(f"{format_numbers(100 * self.conf_level, 7)[0]} percent confidence interval:")
            lines.append(" " + " ".join(format_numbers(self.conf_int, 7)))
        if self.estimate is not None:
            found = self.estimate
            named = found if isinstance(found, pd.Series) else pd.Series({self.label or self.meaning: found})
            lines += ["sample estimates:", *printed(named)]
        return "\n".join([*lines, ""])


def accept_data_name(test: Callable[..., Test]) -> Callable[..., Test]:
    """Return a test with the parameter ``data_name``, the text of the data that R takes from the call."""

    @wraps(test)
    def call_test(*given: Value, data_name: str = "", **options: Value) -> Test:
        found = test(*given, **options)
        return replace(found, data_name=data_name) if data_name else found

    own = inspect.signature(test)
    more = inspect.Parameter("data_name", inspect.Parameter.KEYWORD_ONLY, default="", annotation="str")
    parameters = sorted([*own.parameters.values(), more], key=lambda each: each.kind)
    call_test.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return call_test


def _compute_tail_probability(distribution: Value, value: float, alternative: str) -> float:
    low, high = float(distribution.cdf(value)), float(distribution.sf(value))
    return {"less": low, "greater": high}.get(alternative, 2 * min(low, high))


def _compute_pivot_interval(
    alternative: str, level: float, ppf: Callable[[float], Value], low: float, high: float
) -> Array:
    """Return the interval from quantiles of a pivot, bounded by `low` or `high` if one-sided."""
    if not 0 < level < 1:
        raise PydpstatError(f"conf_level must be between 0 and 1; got {level}")
    tail = (1 - level) / (2 if alternative == "two.sided" else 1)
    ends = [low if alternative == "less" else ppf(tail), high if alternative == "greater" else ppf(1 - tail)]
    return np.array(ends, dtype=np.float64)


def _to_doubles(x: Value, name: str) -> Array:
    values = to_vector(x, name)
    if values.dtype.kind not in "iufb":
        raise PydpstatError(f"{name} must be numbers; got strings")
    return values.astype(np.float64)


def _read_samples(x: Value, y: Value, data: Value, paired: bool = False) -> tuple[Array, Array | None, list[str], str]:
    """Return one or two samples without missing values, their group names, and the text of a formula."""
    names, text = ["x", "y"], ""
    if isinstance(x, str):
        left, right = parse_formula_sides(x)
        frame = y if data is None else data
        assert left is not None
        found = factor(evaluate_expression(right, frame))
        if len(found.levels) != 2:
            raise PydpstatError(f"the groups must have 2 levels; got {len(found.levels)}")
        values, names = (
            _to_doubles(evaluate_expression(left, frame), "x"),
            [f"group {each}" for each in found.levels],
        )
        text = f"{format_expression(left)} by {format_expression(right)}"
        x, y = values[found.codes == 0], values[found.codes == 1]
    first, second = _to_doubles(x, "x"), None if y is None else _to_doubles(y, "y")
    if paired:
        if second is None or len(first) != len(second):
            raise PydpstatError("y must have one value for each of x in a paired test")
        first, second = first - second, None
    first = first[~np.isnan(first)]
    return first, None if second is None else second[~np.isnan(second)], names, text


@accept_data_name
def t_test(
    x: Value, y: Value = None, alternative: str = "two.sided", mu: float = 0, paired: bool = False,
    var_equal: bool = False, conf_level: float = 0.95, data: Value = None,
) -> Test:  # fmt: skip
    """Perform Student's or Welch's t-test of one or two samples, or of ``"y ~ group"`` with data.

    Examples
    --------
    >>> round(t_test([1.0, 2.0, 4.0], mu=1).p_value, 6)
    0.269703
    """
    refuse_unknown("alternative", alternative, _ALTERNATIVES)
    a, b, names, text = _read_samples(x, y, data, paired)
    if len(a) < 2 or (b is not None and (len(b) < 1 if var_equal else len(b) < 2)):
        raise PydpstatError("there must be 2 values or more in each sample")
    center, square = mean(a), var(a)
    estimate: Value = center
    if b is None:
        degrees, error = float(len(a) - 1), math.sqrt(square / len(a))
        method, meaning = ("Paired t-test", "mean difference") if paired else ("One Sample t-test", "mean")
    else:
        estimate = pd.Series(
            [center, mean(b)], index=[f"mean {'in' if isinstance(x, str) else 'of'} {n}" for n in names]
        )
        center, other, meaning = center - mean(b), var(b), "difference in means"
        meaning += f" between {names[0]} and {names[1]}" * bool(text)
        if var_equal:
            degrees = float(len(a) + len(b) - 2)
            pooled = (len(a) - 1) * square / degrees + ((len(b) - 1) * other / degrees if len(b) > 1 else 0)
            error, method = math.sqrt(pooled * (1 / len(a) + 1 / len(b))), " Two Sample t-test"
        else:
            parts = math.sqrt(square / len(a)), math.sqrt(other / len(b))
            error, method = math.hypot(*parts), "Welch Two Sample t-test"
            degrees = error**4 / (parts[0] ** 4 / (len(a) - 1) + parts[1] ** 4 / (len(b) - 1)) if error else math.nan
    if error < 10 * np.finfo(float).eps * abs(center) or error == 0:
        raise PydpstatError("the data are essentially constant: there is no test")
    of = stats.t(degrees)
    value = (center - mu) / error
    quantile = partial(compute_t_quantile, df=degrees)
    half = _compute_pivot_interval(alternative, conf_level, quantile, -math.inf, math.inf)
    p = _compute_tail_probability(of, value, alternative)
    return Test(
        method, p, value, degrees, mu + (value + half) * error, estimate, mu, alternative,
        "t", meaning, conf_level=conf_level, data_name=text,
        label="mean of x" if meaning == "mean" else meaning,
    )  # fmt: skip


@accept_data_name
def var_test(
    x: Value,
    y: Value = None,
    ratio: float = 1,
    alternative: str = "two.sided",
    conf_level: float = 0.95,
    data: Value = None,
) -> Test:
    """Perform the F-test of two variances.

    Examples
    --------
    >>> var_test([1.0, 2.0, 3.0], [1.0, 3.0, 5.0]).statistic
    0.25
    """
    refuse_unknown("alternative", alternative, _ALTERNATIVES)
    a, b, _, text = _read_samples(x, y, data)
    if b is None:
        raise PydpstatError("y must be given")
    degrees = (len(a) - 1, len(b) - 1)
    of = stats.f(*degrees)
    estimate = var(a) / var(b)
    bounds = _compute_pivot_interval(alternative, conf_level, lambda p: estimate / of.ppf(1 - p), 0, math.inf)
    name = pd.Series({"ratio of variances": estimate})
    return Test(
        "F test to compare two variances", min(1.0, _compute_tail_probability(of, estimate / ratio, alternative)),
        estimate / ratio,
        np.array(degrees), bounds, name, ratio, alternative, "F", "ratio of variances", conf_level=conf_level,
        data_name=text,
    )  # fmt: skip


@accept_data_name
def cor_test(
    x: Value, y: Value, alternative: str = "two.sided", method: str = "pearson", exact: bool | None = None,
    conf_level: float = 0.95,
) -> Test:  # fmt: skip
    """Perform the test of Pearson's or Spearman's correlation; Kendall's is refused.

    Examples
    --------
    >>> round(cor_test([1, 2, 3, 4], [1, 3, 2, 4]).p_value, 6)
    0.2
    """
    refuse_unknown("alternative", alternative, _ALTERNATIVES)
    refuse_unknown("method", method, ("pearson", "spearman"))
    a, b = _to_doubles(x, "x"), _to_doubles(y, "y")
    if len(a) != len(b):
        raise PydpstatError(f"x and y must have the same length; got {len(a)} and {len(b)}")
    keep = ~(np.isnan(a) | np.isnan(b))
    a, b = a[keep], b[keep]
    n = len(a)
    if n < 3:
        raise PydpstatError(f"there must be 3 pairs or more; got {n}")
    tied = min(len(set(a)), len(set(b))) < n
    if method == "spearman":
        a, b = stats.rankdata(a), stats.rankdata(b)
    r = cov(a, b) / math.sqrt(var(a) * var(b))
    if method == "spearman":
        value = (n**3 - n) * (1 - r) / 6
        p = _compute_spearman_pvalue(value, n, alternative, exact is not False and not tied and n <= 1290)
        return Test(
            "Spearman's rank correlation rho",
            p,
            value,
            None,
            None,
            pd.Series({"rho": r}),
            0,
            alternative,
            "S",
            "rho",
        )
    r = max(-1.0, min(1.0, r))
    value = math.sqrt(n - 2) * r / math.sqrt(1 - r**2) if abs(r) < 1 else math.copysign(math.inf, r)
    error = 1 / math.sqrt(n - 3) if n > 3 else math.nan
    bounds = np.tanh(
        _compute_pivot_interval(
            alternative, conf_level, lambda q: math.atanh(r) + error * stats.norm.ppf(q), -math.inf, math.inf
        )
    )
    p = _compute_tail_probability(stats.t(n - 2), value, alternative)
    return Test(
        "Pearson's product-moment correlation", p, value, n - 2,
        bounds if n > 3 else None, pd.Series({"cor": r}), 0, alternative, "t", "correlation",
        conf_level=conf_level,
    )  # fmt: skip


def _compute_spearman_pvalue(value: float, n: int, alternative: str, exact: bool) -> float:
    def compute_tail(lower: bool) -> float:
        """Return R's tail probability: a small S is a large correlation."""
        if not exact:
            r = 1 - value / (n * (n**2 - 1) / 6)
            size = r / math.sqrt((1 - r**2) / (n - 2)) if abs(r) < 1 else math.copysign(math.inf, r)
            return float(stats.t.sf(size, n - 2) if lower else stats.t.cdf(size, n - 2))
        whole = round(value) + 2 * lower
        if n <= 9:
            own = np.arange(n)
            sums = np.array([((own - np.array(each)) ** 2).sum() for each in permutations(range(n))])
            return float((sums < whole).mean() if lower else (sums >= whole).mean())
        most = n * (n**2 - 1) / 3
        if whole <= 0 or whole > most:
            return float(whole > most) if lower else float(whole <= 0)
        c = 1 / n
        x = (6 * (whole - 1) * c / (n**2 - 1.0) - 1) * math.sqrt(n - 1)
        y = x * x
        inner = 0.0879 + 0.0151 * c - y * (0.0072 - 0.0831 * c + y * c * (0.0131 - 4.6e-4 * y))
        outer = -0.0758 + c * (0.1033 + 0.3932 * c) - y * c * inner
        u = x * c * (0.2274 + c * (0.2531 + 0.1745 * c) + y * outer)
        y = u / math.exp(y / 2)
        upper = min(1.0, max(0.0, y + float(stats.norm.sf(x))))
        return min(1.0, max(0.0, float(stats.norm.cdf(x)) - y)) if lower else upper

    if alternative != "two.sided":
        return compute_tail(alternative == "greater")
    return min(1.0, 2 * compute_tail(not value > (n**3 - n) / 6))
