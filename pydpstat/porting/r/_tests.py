"""R's tests of hypotheses."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import brentq
from scipy.special import gammaln

from pydpstat.errors import PydpstatError
from pydpstat.porting.r import _distributions
from pydpstat.porting.r._formulas import evaluated, sides
from pydpstat.porting.r._groups import table
from pydpstat.porting.r._matrices import as_matrix
from pydpstat.porting.r._shapes import Array, is_table, items, missing, refuse_unknown, vector
from pydpstat.r_arithmetic import cov, mean, var
from pydpstat.r_arithmetic.factor import factor

_SIDES = ("two.sided", "less", "greater")
_SAID = {"two.sided": "not equal to", "less": "less than", "greater": "greater than"}


@dataclass(frozen=True)
class Test:
    """A test's result, with R's names. `estimate` is a Series where R has names of several estimates."""

    method: str
    p_value: float
    statistic: float | None = None
    parameter: Any = None
    conf_int: Array | None = None
    estimate: Any = None
    null_value: float | None = None
    alternative: str | None = None
    letter: str = ""
    meaning: str = ""
    expected: Any = None
    observed: Any = None
    conf_level: float = 0.95

    def __str__(self) -> str:
        degrees = vector(self.parameter).tolist() if self.parameter is not None else []
        words = [""] if len(degrees) == 1 else ["num ", "denom "]
        parts = [f"{self.letter} = {self.statistic:.5g}"] if self.statistic is not None else []
        parts += [f"{word}df = {each:.5g}" for word, each in zip(words, degrees)]
        parts.append(f"p-value = {self.p_value:.4g}" if self.p_value >= 2.2e-16 else "p-value < 2.2e-16")
        text = f"\n\t{self.method}\n\n{', '.join(parts)}\n"
        if self.alternative and self.null_value is not None:
            said = f"true {self.meaning} is {_SAID[self.alternative]} {self.null_value:g}"
            text += f"alternative hypothesis: {said}\n"
        if self.conf_int is not None:
            low, high = self.conf_int
            text += f"{100 * self.conf_level:g} percent confidence interval:\n {low:.7g} {high:.7g}\n"
        if self.estimate is not None:
            found = (
                self.estimate
                if isinstance(self.estimate, pd.Series)
                else pd.Series({self.meaning: self.estimate})
            )
            text += (
                "sample estimates:\n"
                + "\n".join(f"{name} {value:.7g}" for name, value in found.items())
                + "\n"
            )
        return text


def _tails(of: Any, value: float, alternative: str) -> float:
    low, high = float(of.cdf(value)), float(of.sf(value))
    return {"less": low, "greater": high}.get(alternative, 2 * min(low, high))


def _bounds(alternative: str, level: float, ppf: Callable[[float], float], low: float, high: float) -> Array:
    """The interval from quantiles of a pivot, open to `low` or `high` for one-sided alternatives."""
    if not 0 < level < 1:
        raise PydpstatError(f"conf_level must be between 0 and 1; got {level}")
    tail = (1 - level) / (2 if alternative == "two.sided" else 1)
    return np.array(
        [low if alternative == "less" else ppf(tail), high if alternative == "greater" else ppf(1 - tail)]
    )


def _numbers(x: Any, name: str) -> Array:
    values = vector(x, name)
    if values.dtype.kind not in "iufb":
        raise PydpstatError(f"{name} must be numbers; got strings")
    return values.astype(np.float64)


def _samples(x: Any, y: Any, data: Any, paired: bool = False) -> tuple[Array, Array | None, list[str]]:
    """One or two samples without missing values, and the names of the groups of a formula."""
    names = ["x", "y"]
    if isinstance(x, str):
        left, right = sides(x)
        frame = y if data is None else data
        assert left is not None
        found = factor(evaluated(right, frame))
        if len(found.levels) != 2:
            raise PydpstatError(f"the groups must have 2 levels; got {len(found.levels)}")
        values, names = _numbers(evaluated(left, frame), "x"), [f"group {each}" for each in found.levels]
        x, y = values[found.codes == 0], values[found.codes == 1]
    first, second = _numbers(x, "x"), None if y is None else _numbers(y, "y")
    if paired:
        if second is None or len(first) != len(second):
            raise PydpstatError("y must have one value for each of x in a paired test")
        first, second = first - second, None
    first = first[~np.isnan(first)]
    return first, None if second is None else second[~np.isnan(second)], names


def t_test(
    x: Any, y: Any = None, alternative: str = "two.sided", mu: float = 0, paired: bool = False,
    var_equal: bool = False, conf_level: float = 0.95, data: Any = None,
) -> Test:  # fmt: skip
    """Return Student's or Welch's test of one or two samples, or of ``"y ~ group"`` with data.

    Examples
    --------
    >>> round(t_test([1.0, 2.0, 4.0], mu=1).p_value, 6)
    0.270759
    """
    refuse_unknown("alternative", alternative, _SIDES)
    a, b, names = _samples(x, y, data, paired)
    if len(a) < 2 or (b is not None and (len(b) < 1 if var_equal else len(b) < 2)):
        raise PydpstatError("there must be 2 values or more in each sample")
    center, square = mean(a), var(a)
    estimate: Any = center
    if b is None:
        degrees, error = float(len(a) - 1), math.sqrt(square / len(a))
        method, meaning = ("Paired t-test", "mean difference") if paired else ("One Sample t-test", "mean")
    else:
        estimate = pd.Series(
            [center, mean(b)], index=[f"mean {'in' if isinstance(x, str) else 'of'} {n}" for n in names]
        )
        center, other, meaning = center - mean(b), var(b), "difference in means"
        if var_equal:
            degrees = float(len(a) + len(b) - 2)
            pooled = (len(a) - 1) * square / degrees + ((len(b) - 1) * other / degrees if len(b) > 1 else 0)
            error, method = math.sqrt(pooled * (1 / len(a) + 1 / len(b))), " Two Sample t-test"
        else:
            parts = math.sqrt(square / len(a)), math.sqrt(other / len(b))
            error, method = math.hypot(*parts), "Welch Two Sample t-test"
            degrees = (
                error**4 / (parts[0] ** 4 / (len(a) - 1) + parts[1] ** 4 / (len(b) - 1))
                if error
                else math.nan
            )
    if error < 10 * np.finfo(float).eps * abs(center) or error == 0:
        raise PydpstatError("the data are essentially constant: there is no test")
    of = stats.t(degrees)
    value = (center - mu) / error
    half = _bounds(alternative, conf_level, of.ppf, -math.inf, math.inf)
    return Test(
        method, _tails(of, value, alternative), value, degrees, mu + (value + half) * error, estimate, mu, alternative,
        "t", meaning, conf_level=conf_level,
    )  # fmt: skip


def var_test(
    x: Any,
    y: Any = None,
    ratio: float = 1,
    alternative: str = "two.sided",
    conf_level: float = 0.95,
    data: Any = None,
) -> Test:
    """Return the F test of two variances.

    Examples
    --------
    >>> var_test([1.0, 2.0, 3.0], [1.0, 3.0, 5.0]).statistic
    0.25
    """
    refuse_unknown("alternative", alternative, _SIDES)
    a, b, _ = _samples(x, y, data)
    if b is None:
        raise PydpstatError("y must be given")
    degrees = (len(a) - 1, len(b) - 1)
    of = stats.f(*degrees)
    estimate = var(a) / var(b)
    bounds = _bounds(alternative, conf_level, lambda p: estimate / of.ppf(1 - p), 0, math.inf)
    name = pd.Series({"ratio of variances": estimate})
    return Test(
        "F test to compare two variances", min(1.0, _tails(of, estimate / ratio, alternative)), estimate / ratio,
        np.array(degrees), bounds, name, ratio, alternative, "F", "ratio of variances", conf_level=conf_level,
    )  # fmt: skip


def _counted(weights: list[int], most: int) -> Array:
    """How many subsets of weights have each sum, as exact integers."""
    counts = np.array([1] + [0] * most, dtype=object)
    for weight in weights:
        counts[weight:] = counts[weight:] + counts[: most + 1 - weight].copy()
    return counts


def _rank_sums(m: int, n: int) -> Array:
    """How many samples of m among m + n have each value of the rank sum's statistic."""
    counts = np.array([1] + [0] * (m * n), dtype=object)
    for i in range(1, m + 1):
        for place in range(m * n, n + i - 1, -1):
            counts[place] -= counts[place - n - i]
        for place in range(i, m * n + 1):
            counts[place] += counts[place - i]
    return counts


def _exact(counts: Array, value: float, alternative: str) -> float:
    """The probability of a discrete statistic as far out as `value`; counts are symmetric."""
    total, place = sum(counts), int(round(value))
    low, high = sum(counts[: place + 1]) / total, sum(counts[place:]) / total
    return {"less": low, "greater": high}.get(alternative, min(1.0, 2 * min(low, high)))


def wilcox_test(
    x: Any, y: Any = None, alternative: str = "two.sided", mu: float = 0, paired: bool = False,
    exact: bool | None = None, correct: bool = True, data: Any = None,
) -> Test:  # fmt: skip
    """Return Wilcoxon's signed rank or rank sum test, exact where R's is.

    Examples
    --------
    >>> round(wilcox_test([1.1, 2.2, 3.3], [0.4, 0.5]).p_value, 6)
    0.2
    """
    refuse_unknown("alternative", alternative, _SIDES)
    a, b, _ = _samples(x, y, data, paired)
    shifted = a - mu
    used = shifted[shifted != 0] if b is None else np.concatenate([shifted, b])
    ranks = stats.rankdata(np.abs(used) if b is None else used)
    n, m = len(a), 0 if b is None else len(b)
    ties = np.unique(ranks, return_counts=True)[1].astype(float)
    tied = float((ties**3 - ties).sum())
    if b is None:
        n, zeros = len(used), len(used) < len(a)
        value, kind, letter = float(ranks[used > 0].sum()), "signed rank", "V"
        center, spread = n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24 - tied / 48
        exact = n < 50 if exact is None else exact
    else:
        value, kind, letter, zeros = float(ranks[:n].sum() - n * (n + 1) / 2), "rank sum", "W", False
        center, spread = n * m / 2, n * m / 12 * (n + m + 1 - tied / ((n + m) * (n + m - 1)))
        exact = n < 50 and m < 50 if exact is None else exact
    if exact and not tied and not zeros:
        counts = _counted(list(range(1, n + 1)), n * (n + 1) // 2) if b is None else _rank_sums(n, m)
        p, method = _exact(counts, value, alternative), f"Wilcoxon {kind} exact test"
    else:
        shift = {"greater": 0.5, "less": -0.5}.get(
            alternative, math.copysign(0.5, value - center) * (value != center)
        )
        p = min(1.0, _tails(stats.norm, (value - center - shift * correct) / math.sqrt(spread), alternative))
        method = f"Wilcoxon {kind} test" + " with continuity correction" * correct
    meaning = "location shift" if b is not None or paired else "location"
    return Test(method, p, value, None, None, None, mu, alternative, letter, meaning)


def _table_of(x: Any, y: Any) -> Any:
    """Counts: those given, or the table of two vectors."""
    if y is not None:
        keep = ~(missing(x) | missing(y))
        x = table(vector(np.asarray(x, dtype=object))[keep], vector(np.asarray(y, dtype=object))[keep])
    cells = (
        np.asarray(as_matrix(x), dtype=np.float64)
        if np.ndim(getattr(x, "counts", x)) > 1
        else vector(x).astype(float)
    )
    if (cells < 0).any() or np.isnan(cells).any():
        raise PydpstatError("x must have counts that are not negative and not missing")
    return cells.ravel() if cells.ndim > 1 and 1 in cells.shape else cells


def chisq_test(x: Any, y: Any = None, correct: bool = True, p: Any = None, rescale_p: bool = False) -> Test:
    """Return Pearson's test of a table, of two factors, or of counts against probabilities.

    Examples
    --------
    >>> round(chisq_test([10, 20]).p_value, 6)
    0.067889
    """
    cells = _table_of(x, y)
    if cells.ndim == 1:
        shares = np.full(cells.size, 1 / cells.size) if p is None else _numbers(p, "p")
        if rescale_p:
            shares = shares / shares.sum()
        if (
            cells.size < 2
            or shares.size != cells.size
            or abs(shares.sum() - 1) > 1.5e-8
            or (shares < 0).any()
        ):
            raise PydpstatError("p must have a probability for each of 2 or more counts, with sum 1")
        expected, degrees, method = (
            cells.sum() * shares,
            cells.size - 1,
            "Chi-squared test for given probabilities",
        )
        gap = np.abs(cells - expected)
    else:
        expected = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
        degrees, method = (cells.shape[0] - 1) * (cells.shape[1] - 1), "Pearson's Chi-squared test"
        gap = np.abs(cells - expected)
        yates = min(0.5, gap.min()) if correct and cells.shape == (2, 2) else 0
        method += " with Yates' continuity correction" * bool(yates)
        gap = gap - yates
    with np.errstate(invalid="ignore"):
        value = float((gap**2 / expected).sum())
    return Test(
        method,
        float(stats.chi2.sf(value, degrees)),
        value,
        degrees,
        letter="X-squared",
        expected=expected,
        observed=x,
    )


def prop_test(
    x: Any,
    n: Any = None,
    p: Any = None,
    alternative: str = "two.sided",
    conf_level: float = 0.95,
    correct: bool = True,
) -> Test:
    """Return the test of proportions of successes `x` among `n`, or of a table with two columns.

    Examples
    --------
    >>> round(prop_test(15, 25).p_value, 6)
    0.423711
    """
    refuse_unknown("alternative", alternative, _SIDES)
    if is_table(x):
        x, n = vector(x)[:1], vector(x).sum()
    elif np.ndim(x) == 2:
        cells = np.asarray(x, dtype=np.float64)
        x, n = cells[:, 0], cells.sum(axis=1)
    hits, of = _numbers(x, "x"), _numbers(n, "n")
    k = hits.size
    if of.size != k or (of <= 0).any() or (hits < 0).any() or (hits > of).any():
        raise PydpstatError("x must have successes, and n the trials for each, at least as many")
    null = np.array([0.5]) if p is None and k == 1 else None if p is None else _numbers(p, "p")
    if k > 2 or (k == 2 and null is not None):
        alternative = "two.sided"
    share, yates, bounds = hits / of, 0.5 if correct and k <= 2 else 0.0, None
    tail = (1 + conf_level) / 2 if alternative == "two.sided" else conf_level
    z = float(stats.norm.ppf(tail))
    if k == 1:
        assert null is not None
        yates = min(yates, abs(float((hits - of * null)[0])))
        part, size = z**2 / (2 * of[0]), of[0]
        ends = []
        for sign in (-1, 1):
            middle = share[0] + sign * yates / size
            inner = z * math.sqrt(max(0.0, middle * (1 - middle)) / size + part / (2 * size))
            ends.append((middle + part + sign * inner) / (1 + 2 * part))
        low = 0.0 if share[0] - yates / size <= 0 else max(ends[0], 0.0)
        high = 1.0 if share[0] + yates / size >= 1 else min(ends[1], 1.0)
        bounds = _bounds(alternative, conf_level, lambda q: low if q < 0.5 else high, 0.0, 1.0)
    elif k == 2 and null is None:
        gap = float(share[0] - share[1])
        yates = min(yates, abs(gap) / float((1 / of).sum()))
        half = z * math.sqrt((share * (1 - share) / of).sum()) + yates * (1 / of).sum()
        bounds = _bounds(
            alternative, conf_level, lambda q: max(gap - half, -1) if q < 0.5 else min(gap + half, 1), -1, 1
        )
    degrees, expected = (k - 1, np.full(k, hits.sum() / of.sum())) if null is None else (k, null)
    counts, wanted = np.column_stack([hits, of - hits]), np.column_stack([of * expected, of * (1 - expected)])
    with np.errstate(invalid="ignore"):
        value = float(((np.abs(counts - wanted) - yates) ** 2 / wanted).sum())
    side = float(share[0] - (expected[0] if k == 1 else share[min(1, k - 1)]))
    tails = float(stats.chi2.sf(value, degrees))
    if alternative != "two.sided":
        tails = _tails(stats.norm, math.copysign(math.sqrt(value), side) * (side != 0), alternative)
    names = ["p"] if k == 1 else [f"prop {i + 1}" for i in range(k)]
    method = f"{k}-sample test for {'equality of' if null is None else 'given'} proportions"
    method = (
        "1-sample proportions test" if k == 1 else method
    ) + f" {'with' if yates else 'without'} continuity correction"
    return Test(
        method, tails, value, degrees, bounds, pd.Series(share, index=names), float(null[0]) if k == 1 and null is not None
        else None, alternative, "X-squared", "p", conf_level=conf_level,
    )  # fmt: skip


def binom_test(
    x: Any, n: Any = None, p: float = 0.5, alternative: str = "two.sided", conf_level: float = 0.95
) -> Test:
    """Return the exact binomial test of `x` successes among `n`, or of successes and failures.

    Examples
    --------
    >>> round(binom_test(7, 10).p_value, 6)
    0.34375
    """
    refuse_unknown("alternative", alternative, _SIDES)
    counts = _numbers(x, "x")
    hits, of = int(counts[0]), int(counts.sum() if counts.size == 2 else _numbers(n, "n")[0])
    found = stats.binomtest(hits, of, p, alternative=alternative.replace(".", "-"))
    tail = (1 - conf_level) / (2 if alternative == "two.sided" else 1)
    low = float(stats.beta.ppf(tail, hits, of - hits + 1)) if hits else 0.0
    high = float(stats.beta.ppf(1 - tail, hits + 1, of - hits)) if hits < of else 1.0
    bounds = _bounds(alternative, conf_level, lambda q: low if q < 0.5 else high, 0.0, 1.0)
    name = "probability of success"
    return Test(
        "Exact binomial test", float(found.pvalue), hits, of, bounds, pd.Series({name: hits / of}), p, alternative,
        "number of successes", name, conf_level=conf_level,
    )  # fmt: skip


def cor_test(
    x: Any, y: Any, alternative: str = "two.sided", method: str = "pearson", exact: bool | None = None,
    conf_level: float = 0.95,
) -> Test:  # fmt: skip
    """Return the test of Pearson's or Spearman's correlation; Kendall's is refused.

    Examples
    --------
    >>> round(cor_test([1, 2, 3, 4], [1, 3, 2, 4]).p_value, 6)
    0.2
    """
    refuse_unknown("alternative", alternative, _SIDES)
    refuse_unknown("method", method, ("pearson", "spearman"))
    a, b = _numbers(x, "x"), _numbers(y, "y")
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
        p = _spearman(value, n, alternative, exact is not False and not tied and n <= 1290)
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
        _bounds(
            alternative, conf_level, lambda q: math.atanh(r) + error * stats.norm.ppf(q), -math.inf, math.inf
        )
    )
    return Test(
        "Pearson's product-moment correlation", _tails(stats.t(n - 2), value, alternative), value, n - 2,
        bounds if n > 3 else None, pd.Series({"cor": r}), 0, alternative, "t", "correlation", conf_level=conf_level,
    )  # fmt: skip


def _spearman(value: float, n: int, alternative: str, exact: bool) -> float:
    def tail(lower: bool) -> float:
        """R's tail: a small S is a large correlation."""
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
        u = (
            x
            * c
            * (
                0.2274
                + c * (0.2531 + 0.1745 * c)
                + y
                * (
                    -0.0758
                    + c * (0.1033 + 0.3932 * c)
                    - y
                    * c
                    * (0.0879 + 0.0151 * c - y * (0.0072 - 0.0831 * c + y * c * (0.0131 - 4.6e-4 * y)))
                )
            )
        )
        y = u / math.exp(y / 2)
        upper = min(1.0, max(0.0, y + float(stats.norm.sf(x))))
        return min(1.0, max(0.0, float(stats.norm.cdf(x)) - y)) if lower else upper

    if alternative != "two.sided":
        return tail(alternative == "greater")
    return min(1.0, 2 * tail(not value > (n**3 - n) / 6))


def shapiro_test(x: Any) -> Test:
    """Return Shapiro and Wilk's test of normality.

    Examples
    --------
    >>> round(shapiro_test([1.0, 2.0, 4.0, 8.0]).p_value, 4)
    0.5104
    """
    values = _numbers(x, "x")
    values = values[~np.isnan(values)]
    if not 3 <= len(values) <= 5000 or values.min() == values.max():
        raise PydpstatError("x must have 3 to 5000 values that are not all equal")
    found = stats.shapiro(values)
    return Test("Shapiro-Wilk normality test", float(found.pvalue), float(found.statistic), letter="W")


def kruskal_test(x: Any, g: Any = None, data: Any = None) -> Test:
    """Return Kruskal and Wallis's test of a list of samples, of values by groups, or of ``"y ~ group"`` with data.

    Examples
    --------
    >>> round(kruskal_test([1, 2, 3, 4], ["a", "a", "b", "b"]).p_value, 6)
    0.121335
    """
    if isinstance(x, str):
        left, right = sides(x)
        frame = g if data is None else data
        assert left is not None
        x, g = evaluated(left, frame), evaluated(right, frame)
    parts = [_numbers(each, "x") for each in items(x)[1]] if g is None else []
    values = np.concatenate(parts) if g is None else _numbers(x, "x")
    found = factor(np.repeat(np.arange(len(parts)), [len(each) for each in parts]) if g is None else g)
    codes = np.where(np.isnan(values), -1, found.codes)
    samples = [values[codes == i] for i in range(len(found.levels)) if (codes == i).any()]
    result = stats.kruskal(*samples)
    letter = "Kruskal-Wallis chi-squared"
    return Test(
        "Kruskal-Wallis rank sum test", float(stats.chi2.sf(result.statistic, len(samples) - 1)),
        float(result.statistic), len(samples) - 1, letter=letter,
    )  # fmt: skip


def fisher_test(
    x: Any,
    y: Any = None,
    or_: float = 1,
    alternative: str = "two.sided",
    conf_int: bool = True,
    conf_level: float = 0.95,
) -> Test:
    """Return Fisher's exact test of a table of 2 rows and 2 columns.

    The odds ratio and its interval are exact roots: those that R's ``uniroot`` finds have about 4 digits.

    Examples
    --------
    >>> round(fisher_test(np.array([[3, 1], [1, 3]])).p_value, 6)
    0.485714
    """
    refuse_unknown("alternative", alternative, _SIDES)
    cells = np.rint(_table_of(x, y)).astype(int)
    if cells.shape != (2, 2):
        raise PydpstatError(f"x must be a table of 2 rows and 2 columns; got {cells.shape}")
    m, n, k, hit = int(cells[:, 0].sum()), int(cells[:, 1].sum()), int(cells[0].sum()), int(cells[0, 0])
    low, high = max(0, k - n), min(k, m)
    support = np.arange(low, high + 1)
    log_null = stats.hypergeom.logpmf(support, m + n, m, k)

    def weights(ratio: float) -> Array:
        power = log_null + math.log(ratio) * support
        d = np.exp(power - power.max())
        return d / d.sum()

    def tail(ratio: float, upper: bool) -> float:
        return float(weights(ratio)[support >= hit if upper else support <= hit].sum())

    def root(function: Callable[[float], float]) -> float:
        return math.exp(brentq(lambda size: function(math.exp(size)), -700, 700, xtol=1e-13))

    def end(upper: bool, share: float) -> float:
        if hit == (high if upper else low):
            return math.inf if upper else 0.0
        return root(lambda ratio: tail(ratio, not upper) - share)

    d = weights(or_)
    p = {"less": tail(or_, False), "greater": tail(or_, True)}.get(
        alternative, d[d <= d[hit - low] * (1 + 1e-7)].sum()
    )
    estimate = (
        0.0
        if hit == low
        else math.inf
        if hit == high
        else root(lambda s: float((support * weights(s)).sum()) - hit)
    )
    bounds = (
        _bounds(alternative, conf_level, lambda q: end(q > 0.5, min(q, 1 - q)), 0.0, math.inf)
        if conf_int
        else None
    )
    return Test(
        "Fisher's Exact Test for Count Data", float(min(1.0, p)), None, None, bounds, pd.Series({"odds ratio": estimate}),
        or_, alternative, "", "odds ratio", conf_level=conf_level,
    )  # fmt: skip


def ks_test(
    x: Any, y: Any, *args: Any, alternative: str = "two.sided", exact: bool | None = None, **named: Any
) -> Test:
    """Return Kolmogorov and Smirnov's test of two samples, or of one and a distribution such as ``"pnorm"``.

    Examples
    --------
    >>> round(ks_test([0.1, 0.4, 0.7], "punif").p_value, 6)
    0.888
    """
    refuse_unknown("alternative", alternative, _SIDES)
    a = _numbers(x, "x")
    a = a[~np.isnan(a)]
    n = len(a)
    letter = {"two.sided": "D", "greater": "D^+", "less": "D^-"}[alternative]
    if not isinstance(y, str) and not callable(y):
        b = _numbers(y, "y")
        b = b[~np.isnan(b)]
        m = len(b)
        both = np.sort(np.concatenate([a, b]))
        last = np.append(np.diff(both) != 0, True)
        order = np.argsort(np.concatenate([a, b]), kind="stable")
        steps = np.cumsum(np.where(order < n, 1 / n, -1 / m))[last]
        value = float(
            {"two.sided": np.abs(steps).max(), "greater": steps.max()}.get(alternative, -steps.min())
        )
        exact = n * m < 10000 if exact is None else exact
        size = n * m / (n + m)
        p = _smirnov(value, n, m, last, alternative) if exact else _asymptotic(value, size, alternative)
        return Test(
            f"{'Exact' if exact else 'Asymptotic'} two-sample Kolmogorov-Smirnov test",
            p,
            value,
            letter=letter,
        )
    of = partial(getattr(_distributions, y) if isinstance(y, str) else y, **named)
    gaps = vector(of(np.sort(a), *args)) - np.arange(n) / n
    value = float(
        {"two.sided": max(gaps.max(), (1 / n - gaps).max()), "less": gaps.max()}.get(
            alternative, (1 / n - gaps).max()
        )
    )
    exact = n < 100 and len(set(a)) == n if exact is None else exact
    if not exact:
        p = _asymptotic(value, n, alternative)
    else:
        p = float(stats.kstwo.sf(value, n) if alternative == "two.sided" else stats.ksone.sf(value, n))
    return Test(
        f"{'Exact' if exact else 'Asymptotic'} one-sample Kolmogorov-Smirnov test",
        min(1.0, p),
        value,
        letter=letter,
    )


def _smirnov(value: float, n: int, m: int, last: Array, alternative: str) -> float:
    """The share of the orders of two samples, with their ties, whose statistic is at least as large."""
    limit = (0.5 + math.floor(value * n * m - 1e-7)) / (n * m)
    u, ways = np.array([0]), np.array([1.0])
    for k in range(1, n + m + 1):
        u = np.append(u, u[-1] + 1)
        keep = (u <= n) & (k - u <= m)
        ways = (np.append(ways, 0) + np.append(0, ways))[keep]
        u = u[keep]
        gap = u / n - (k - u) / m
        if last[k - 1]:
            ways = ways * ((np.abs(gap) if alternative == "two.sided" else gap) < limit)
    return min(
        1.0, max(0.0, 1 - float(ways[0]) / math.exp(gammaln(n + m + 1) - gammaln(n + 1) - gammaln(m + 1)))
    )


def _asymptotic(value: float, size: float, alternative: str) -> float:
    """R's sums of the limit's series, which end where a term is below 1e-6."""
    if alternative != "two.sided":
        return math.exp(-2 * size * value**2)
    x = math.sqrt(size) * value
    if x < 1:
        powers = np.arange(1, int(math.sqrt(2 - math.log(1e-6))), 2)
        below = (
            np.exp(-(powers**2) * math.pi**2 / (8 * x * x) - math.log(x)).sum() * math.sqrt(2 * math.pi)
            if x > 0
            else 0
        )
        return min(1.0, max(0.0, 1 - float(below)))
    total, before, sign, k = 1.0, 0.0, -1, 1
    while abs(before - total) > 1e-6:
        before = total
        total += 2 * sign * math.exp(-2 * x * x * k * k)
        sign, k = -sign, k + 1
    return min(1.0, max(0.0, 1 - total))
