"""R's rank tests and tests of distributions."""

from __future__ import annotations

import math
from functools import partial, reduce

import numpy as np
from scipy import stats
from scipy.special import gammaln

from pydpstat.errors import PydpstatError
from pydpstat.porting.r import _distributions
from pydpstat.porting.r._formulas import evaluate_expression, format_expression, parse_formula_sides
from pydpstat.porting.r._shapes import Array, get_names_and_elements, refuse_unknown, to_vector
from pydpstat.porting.r._tests import (
    _ALTERNATIVES,
    Test,
    _compute_tail_probability,
    _read_samples,
    _to_doubles,
    accept_data_name,
)
from pydpstat.porting.r._values import Value
from pydpstat.r_arithmetic import cumsum
from pydpstat.r_arithmetic.factor import factor

# Royston's polynomials: of the two outer weights, and of the mean and log standard deviation of log(1 - W)
_OUTER_WEIGHT_POLYNOMIALS = (
    (-2.706056, 4.434685, -2.07119, -0.147981, 0.221157, 0.0),
    (-3.582633, 5.682633, -1.752461, -0.293762, 0.042981, 0.0),
)
_SMALL_SAMPLE_POLYNOMIALS = (-6.714e-4, 0.025054, -0.39978, 0.544), (-0.0020322, 0.062767, -0.77857, 1.3822)
_LARGE_SAMPLE_POLYNOMIALS = (0.0038915, -0.083751, -0.31082, -1.5861), (0.0030302, -0.082676, -0.4803)


def _count_rank_sums(m: int, n: int) -> Array:
    """Return the number of samples of m among m + n with each value of the rank sum statistic."""
    counts = np.array([1] + [0] * (m * n), dtype=object)
    for i in range(1, m + 1):
        for place in range(m * n, n + i - 1, -1):
            counts[place] -= counts[place - n - i]
        for place in range(i, m * n + 1):
            counts[place] += counts[place - i]
    return counts.astype(np.float64)


def _compute_exact_pvalue(probabilities: Array, value: float, alternative: str) -> float:
    """Return the exact p-value of a symmetric discrete statistic, summed in R's order."""
    place, most = round(value), len(probabilities) - 1
    ends = np.append(0.0, np.cumsum(probabilities))

    def compute_tail(q: int, lower: bool) -> float:
        near = q <= most / 2
        p = float(ends[max(0, q + 1 if near else most - q)])
        return p if lower == near else 0.5 - p + 0.5

    upper = alternative == "greater" or (alternative == "two.sided" and place > most / 2)
    p = compute_tail(place - 1, False) if upper else compute_tail(place, True)
    return min(1.0, 2 * p) if alternative == "two.sided" else p


@accept_data_name
def wilcox_test(
    x: Value, y: Value = None, alternative: str = "two.sided", mu: float = 0, paired: bool = False,
    exact: bool | None = None, correct: bool = True, data: Value = None,
) -> Test:  # fmt: skip
    """Perform Wilcoxon's signed rank or rank sum test, with an exact p-value where R has one.

    Examples
    --------
    >>> round(wilcox_test([1.1, 2.2, 3.3], [0.4, 0.5]).p_value, 6)
    0.2
    """
    refuse_unknown("alternative", alternative, _ALTERNATIVES)
    a, b, _, text = _read_samples(x, y, data, paired)
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
        if b is None:
            counts: Array = reduce(np.convolve, [np.append(1.0, np.eye(w)[-1]) for w in range(1, n + 1)])
            shares = counts * math.exp(-n * math.log(2))
        else:
            shares = _count_rank_sums(n, m) / math.comb(n + m, n)
        p, method = _compute_exact_pvalue(shares, value, alternative), f"Wilcoxon {kind} exact test"
    else:
        shift = {"greater": 0.5, "less": -0.5}.get(alternative, math.copysign(0.5, value - center) * (value != center))
        p = min(
            1.0,
            _compute_tail_probability(stats.norm, (value - center - shift * correct) / math.sqrt(spread), alternative),
        )
        method = f"Wilcoxon {kind} test" + " with continuity correction" * correct
    meaning = "location shift" if b is not None or paired else "location"
    return Test(method, p, value, None, None, None, mu, alternative, letter, meaning, data_name=text)


@accept_data_name
def shapiro_test(x: Value) -> Test:
    """Perform Shapiro and Wilk's test of normality.

    Examples
    --------
    >>> round(shapiro_test([1.0, 2.0, 4.0, 8.0]).p_value, 4)
    0.5381
    """
    values = _to_doubles(x, "x")
    values = values[~np.isnan(values)]
    if not 3 <= len(values) <= 5000 or values.min() == values.max():
        raise PydpstatError("x must have 3 to 5000 values that are not all equal")
    w, p = _compute_shapiro_wilk(np.sort(values))
    return Test("Shapiro-Wilk normality test", p, w, letter="W")


def _compute_shapiro_wilk(x: Array) -> tuple[float, float]:
    """Return W and its p-value for sorted values by Royston's algorithm AS R94, computed as in R."""
    n = len(x)
    weights = np.array([math.sqrt(0.5)])
    if n > 3:
        m = stats.norm.ppf((np.arange(1, n // 2 + 1) - 0.375) / (n + 0.25))
        total = 2 * float((m**2).sum())
        first = [
            np.polyval(each, 1 / math.sqrt(n)) - m[k] / math.sqrt(total)
            for k, each in enumerate(_OUTER_WEIGHT_POLYNOMIALS)
        ]
        first = first[: 1 + (n > 5)]
        k = len(first)
        scale = math.sqrt((total - 2 * (m[:k] ** 2).sum()) / (1 - 2 * (np.array(first) ** 2).sum()))
        weights = np.array([*first, *(-m[k:] / scale)])
    a = np.concatenate([-weights, [0.0] * (n % 2), weights[::-1]])
    a, x = a - a.mean(), x / (x[-1] - x[0])
    x = x - x.mean()
    sizes, product = (a**2).sum() * (x**2).sum(), (a * x).sum()
    rest = float((math.sqrt(sizes) - product) * (math.sqrt(sizes) + product) / sizes)
    if n == 3:
        return 1 - rest, max(0.0, 6 / math.pi * (math.asin(math.sqrt(1 - rest)) - math.pi / 3))
    small = n <= 11
    of, y = (n, -2.273 + 0.459 * n - math.log(rest)) if small else (math.log(n), math.log(rest))
    if small and y <= 0:
        return 1 - rest, 1e-99
    center, spread = (
        np.polyval(each, of) for each in (_SMALL_SAMPLE_POLYNOMIALS if small else _LARGE_SAMPLE_POLYNOMIALS)
    )
    y = -math.log(y) if small else y
    return 1 - rest, float(stats.norm.sf((y - center) / math.exp(spread)))


@accept_data_name
def kruskal_test(x: Value, g: Value = None, data: Value = None) -> Test:
    """Perform Kruskal and Wallis's test of samples, of values by group, or of ``"y ~ group"`` with data.

    Examples
    --------
    >>> round(kruskal_test([1, 2, 3, 4], ["a", "a", "b", "b"]).p_value, 6)
    0.121335
    """
    text = ""
    if isinstance(x, str):
        left, right = parse_formula_sides(x)
        frame = g if data is None else data
        assert left is not None
        x, g, text = (
            evaluate_expression(left, frame),
            evaluate_expression(right, frame),
            f"{format_expression(left)} by {format_expression(right)}",
        )
    parts = [_to_doubles(each, "x") for each in get_names_and_elements(x)[1]] if g is None else []
    values = np.concatenate(parts) if g is None else _to_doubles(x, "x")
    found = factor(np.repeat(np.arange(len(parts)), [len(each) for each in parts]) if g is None else g)
    codes = np.where(np.isnan(values), -1, found.codes)
    samples = [values[codes == i] for i in range(len(found.levels)) if (codes == i).any()]
    result = stats.kruskal(*samples)
    letter = "Kruskal-Wallis chi-squared"
    return Test(
        "Kruskal-Wallis rank sum test", float(stats.chi2.sf(result.statistic, len(samples) - 1)),
        float(result.statistic), len(samples) - 1, letter=letter, data_name=text,
    )  # fmt: skip


@accept_data_name
def ks_test(
    x: Value,
    y: Value,
    *args: Value,
    alternative: str = "two.sided",
    exact: bool | None = None,
    **named: Value,
) -> Test:
    """Perform Kolmogorov and Smirnov's test of two samples, or of one and a distribution such as ``"pnorm"``.

    Examples
    --------
    >>> round(ks_test([0.1, 0.4, 0.7], "punif").p_value, 6)
    0.886222
    """
    refuse_unknown("alternative", alternative, _ALTERNATIVES)
    a = _to_doubles(x, "x")
    a = a[~np.isnan(a)]
    n, two = len(a), not isinstance(y, str) and not callable(y)
    if two:
        b = _to_doubles(y, "y")
        b = b[~np.isnan(b)]
        m, pooled = len(b), np.concatenate([a, b])
        last = np.append(np.diff(np.sort(pooled)) != 0, True)
        above = cumsum(np.where(np.argsort(pooled, kind="stable") < n, 1 / n, -1 / m))[last]
        below, exact = -above, n * m < 10000 if exact is None else exact
    else:
        of = partial(getattr(_distributions, y) if isinstance(y, str) else y, **named)
        below = to_vector(of(np.sort(a), *args)) - np.arange(n) / n
        above, exact = 1 / n - below, n < 100 and len(set(a)) == n if exact is None else exact
    sides = {"greater": [above], "less": [below], "two.sided": [above, below]}[alternative]
    value = float(max(each.max() for each in sides))
    if not exact:
        p = _compute_asymptotic_pvalue(value, n * m / (n + m) if two else n, alternative)
    elif two:
        p = _compute_smirnov_pvalue(value, n, m, last, alternative)
    else:
        p = float((stats.kstwo if alternative == "two.sided" else stats.ksone).sf(value, n))
    method = f"{'Exact' if exact else 'Asymptotic'} {'two' if two else 'one'}-sample Kolmogorov-Smirnov test"
    side = {"less": "below", "greater": "above"}.get(alternative)
    said = f"the CDF of x lies {side} {'that of y' if two else 'the null hypothesis'}" if side else "two-sided"
    letter = {"two.sided": "D", "greater": "D^+", "less": "D^-"}[alternative]
    return Test(method, min(1.0, p), value, alternative=said, letter=letter)


def _compute_smirnov_pvalue(value: float, n: int, m: int, is_last_of_tie: Array, alternative: str) -> float:
    """Return the share of the orders of two samples, with ties, whose statistic is at least as large."""
    limit = (0.5 + math.floor(value * n * m - 1e-7)) / (n * m)
    u, ways = np.array([0]), np.array([1.0])
    for k in range(1, n + m + 1):
        u = np.append(u, u[-1] + 1)
        keep = (u <= n) & (k - u <= m)
        ways = (np.append(ways, 0) + np.append(0, ways))[keep]
        u = u[keep]
        gap = u / n - (k - u) / m
        if is_last_of_tie[k - 1]:
            ways = ways * ((np.abs(gap) if alternative == "two.sided" else gap) < limit)
    return min(1.0, max(0.0, 1 - float(ways[0]) / math.exp(gammaln(n + m + 1) - gammaln(n + 1) - gammaln(m + 1))))


def _compute_asymptotic_pvalue(value: float, size: float, alternative: str) -> float:
    """Return the asymptotic p-value by R's series, truncated where a term is below 1e-6."""
    if alternative != "two.sided":
        return math.exp(-2 * size * value**2)
    x = math.sqrt(size) * value
    if x < 1:
        odd = np.arange(1, int(math.sqrt(2 - math.log(1e-6))), 2)
        terms = np.exp(-((odd * math.pi) ** 2) / (8 * x * x) - math.log(x)) if x else np.zeros(1)
        return min(1.0, max(0.0, 1 - math.sqrt(2 * math.pi) * float(terms.sum())))
    k = np.arange(1, 100)
    terms = 2 * np.exp(-2 * (x * k) ** 2)
    last = int(np.argmax(terms <= 1e-6))
    return min(1.0, float(-(terms * (-1.0) ** k)[: last + 1].sum()))
