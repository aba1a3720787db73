"""R's tests of counts and proportions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from pydpstat.errors import PydpstatError
from pydpstat.porting.r._matrices import as_matrix
from pydpstat.porting.r._roots import uniroot
from pydpstat.porting.r._shapes import (
    Array,
    MatrixAxisNames,
    find_missing,
    get_dimnames,
    is_one_way_table,
    refuse_unknown,
    to_vector,
    with_dimnames,
    with_names,
)
from pydpstat.porting.r._tables import table
from pydpstat.porting.r._tests import (
    _ALTERNATIVES,
    Test,
    _compute_pivot_interval,
    _compute_tail_probability,
    _to_doubles,
    accept_data_name,
)
from pydpstat.porting.r._values import Value


def _make_count_table(x: Any, y: Value) -> Value:
    """Return the given counts, or the contingency table of two vectors."""
    if y is not None:
        keep = ~(find_missing(x) | find_missing(y))
        x = table(to_vector(np.asarray(x, dtype=object))[keep], to_vector(np.asarray(y, dtype=object))[keep])
    cells = (
        np.asarray(as_matrix(x), dtype=np.float64)
        if np.ndim(getattr(x, "counts", x)) > 1
        else to_vector(x).astype(float)
    )
    if (cells < 0).any() or np.isnan(cells).any():
        raise PydpstatError("x must have counts that are not negative and not missing")
    return cells.ravel() if cells.ndim > 1 and 1 in cells.shape else cells


def _copy_names(cells: Array, x: Value) -> Value:
    """Return cells with the names of the counts."""
    if cells.ndim == 1:
        return with_names(cells, list(x.index) if isinstance(x, pd.Series) else None)
    source = x if x is None else as_matrix(x)
    return (
        cells
        if source is None
        else with_dimnames(cells, get_dimnames(source), MatrixAxisNames(getattr(source, "axes", ())))
    )


@accept_data_name
def chisq_test(x: Value, y: Value = None, correct: bool = True, p: Value = None, rescale_p: bool = False) -> Test:
    """Perform Pearson's chi-squared test of a table, of two factors, or of counts against probabilities.

    Examples
    --------
    >>> round(chisq_test([10, 20]).p_value, 6)
    0.067889
    """
    cells = _make_count_table(x, y)
    if cells.ndim == 1:
        shares = np.full(cells.size, 1 / cells.size) if p is None else _to_doubles(p, "p")
        if rescale_p:
            shares = shares / shares.sum()
        if cells.size < 2 or shares.size != cells.size or abs(shares.sum() - 1) > 1.5e-8 or (shares < 0).any():
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
        expected=_copy_names(expected, x if y is None else None),
        observed=to_vector(x) if isinstance(x, list) else x,
    )


def prop_test(
    x: Value,
    n: Value = None,
    p: Value = None,
    alternative: str = "two.sided",
    conf_level: float = 0.95,
    correct: bool = True,
    data_name: str = "",
) -> Test:
    """Perform the test of proportions of successes `x` among `n`, or of a table with two columns.

    Examples
    --------
    >>> round(prop_test(15, 25).p_value, 6)
    0.423711
    """
    refuse_unknown("alternative", alternative, _ALTERNATIVES)
    if is_one_way_table(x):
        x, n = to_vector(x)[:1], to_vector(x).sum()
    elif np.ndim(x) == 2:
        cells = np.asarray(x, dtype=np.float64)
        x, n = cells[:, 0], cells.sum(axis=1)
    hits, of = _to_doubles(x, "x"), _to_doubles(n, "n")
    k = hits.size
    if of.size != k or (of <= 0).any() or (hits < 0).any() or (hits > of).any():
        raise PydpstatError("x must have successes, and n the trials for each, at least as many")
    data_name += ", null probability 0.5" * bool(data_name and p is None and k == 1)
    null = np.array([0.5]) if p is None and k == 1 else None if p is None else _to_doubles(p, "p")
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
        bounds = _compute_pivot_interval(alternative, conf_level, lambda q: low if q < 0.5 else high, 0.0, 1.0)
    elif k == 2 and null is None:
        gap = float(share[0] - share[1])
        yates = min(yates, abs(gap) / float((1 / of).sum()))
        half = z * math.sqrt((share * (1 - share) / of).sum()) + yates * (1 / of).sum()
        bounds = _compute_pivot_interval(
            alternative, conf_level, lambda q: max(gap - half, -1) if q < 0.5 else min(gap + half, 1), -1, 1
        )
    degrees, expected = (k - 1, np.full(k, hits.sum() / of.sum())) if null is None else (k, null)
    counts, wanted = np.column_stack([hits, of - hits]), np.column_stack([of * expected, of * (1 - expected)])
    with np.errstate(invalid="ignore"):
        value = float(((np.abs(counts - wanted) - yates) ** 2 / wanted).sum())
    side = float(share[0] - (expected[0] if k == 1 else share[min(1, k - 1)]))
    tails = float(stats.chi2.sf(value, degrees))
    if alternative != "two.sided":
        tails = _compute_tail_probability(stats.norm, math.copysign(math.sqrt(value), side) * (side != 0), alternative)
    names = ["p"] if k == 1 else [f"prop {i + 1}" for i in range(k)]
    kind = f"{k}-sample test for {'equality of' if null is None else 'given'} proportions"
    method = "1-sample proportions test" if k == 1 else kind
    method += f" {'with' if yates else 'without'} continuity correction"
    given = None if null is None else float(null[0]) if k == 1 else pd.Series(null, index=names)
    estimate = pd.Series(share, index=names)
    return Test(
        method, tails, value, degrees, bounds, estimate, given, alternative, "X-squared", "p",
        conf_level=conf_level, data_name=data_name,
    )  # fmt: skip


@accept_data_name
def binom_test(
    x: Value, n: Value = None, p: float = 0.5, alternative: str = "two.sided", conf_level: float = 0.95
) -> Test:
    """Perform the exact binomial test of `x` successes among `n`, or of successes and failures.

    Examples
    --------
    >>> round(binom_test(7, 10).p_value, 6)
    0.34375
    """
    refuse_unknown("alternative", alternative, _ALTERNATIVES)
    counts = _to_doubles(x, "x")
    hits, of = int(counts[0]), int(counts.sum() if counts.size == 2 else _to_doubles(n, "n")[0])
    found = stats.binomtest(hits, of, p, alternative=alternative.replace(".", "-"))
    tail = (1 - conf_level) / (2 if alternative == "two.sided" else 1)
    low = float(stats.beta.ppf(tail, hits, of - hits + 1)) if hits else 0.0
    high = float(stats.beta.ppf(1 - tail, hits + 1, of - hits)) if hits < of else 1.0
    bounds = _compute_pivot_interval(alternative, conf_level, lambda q: low if q < 0.5 else high, 0.0, 1.0)
    name = "probability of success"
    return Test(
        "Exact binomial test", float(found.pvalue), hits, of, bounds, pd.Series({name: hits / of}), p,
        alternative,
        "number of successes", name, conf_level=conf_level, degrees=("number of trials",),
    )  # fmt: skip


@accept_data_name
def fisher_test(
    x: Value,
    y: Value = None,
    or_: float = 1,
    alternative: str = "two.sided",
    conf_int: bool = True,
    conf_level: float = 0.95,
) -> Test:
    """Perform Fisher's exact test of a table with 2 rows and 2 columns.

    The odds ratio and its interval have about 4 exact digits, from R's root search.

    Examples
    --------
    >>> round(fisher_test(np.array([[3, 1], [1, 3]])).p_value, 6)
    0.485714
    """
    refuse_unknown("alternative", alternative, _ALTERNATIVES)
    cells = np.rint(_make_count_table(x, y)).astype(int)
    if cells.shape != (2, 2):
        raise PydpstatError(f"x must be a table of 2 rows and 2 columns; got {cells.shape}")
    m, n, k, hit = int(cells[:, 0].sum()), int(cells[:, 1].sum()), int(cells[0].sum()), int(cells[0, 0])
    low, high = max(0, k - n), min(k, m)
    support = np.arange(low, high + 1)
    log_null = stats.hypergeom.logpmf(support, m + n, m, k)

    def compute_weights(ratio: float) -> Array:
        power = log_null + math.log(ratio) * support
        d = np.exp(power - power.max())
        return d / d.sum()

    def compute_tail(ratio: float, upper: bool) -> float:
        if ratio == 0:
            return float(hit <= low if upper else hit >= low)
        return float(compute_weights(ratio)[support >= hit if upper else support <= hit].sum())

    def compute_mean(ratio: float) -> float:
        return float((support * compute_weights(ratio)).sum()) if ratio else low

    def solve_ratio(function: Callable[[float], float], target: float) -> float:
        """Return the ratio, or above 1 the reciprocal of its inverse, from R's root search."""
        gap = function(1) - target
        if gap * (function(0) - target) < 0:
            return uniroot(lambda ratio: function(ratio) - target, [0, 1])["root"]
        least = float(np.finfo(np.float64).eps)
        return 1 / uniroot(lambda x: function(1 / x) - target, [least, 1])["root"] if gap else 1.0

    def compute_limit(upper: bool, tail_probability: float) -> float:
        if hit == (high if upper else low):
            return math.inf if upper else 0.0
        return solve_ratio(lambda ratio: compute_tail(ratio, not upper), tail_probability)

    d = compute_weights(or_)
    p = {"less": compute_tail(or_, False), "greater": compute_tail(or_, True)}.get(
        alternative, d[d <= d[hit - low] * (1 + 1e-7)].sum()
    )
    estimate = 0.0 if hit == low else math.inf if hit == high else solve_ratio(compute_mean, hit)
    bounds = (
        _compute_pivot_interval(alternative, conf_level, lambda q: compute_limit(q > 0.5, min(q, 1 - q)), 0.0, math.inf)
        if conf_int
        else None
    )
    return Test(
        "Fisher's Exact Test for Count Data", float(min(1.0, p)), None, None, bounds,
        pd.Series({"odds ratio": estimate}),
        or_, alternative, "", "odds ratio", conf_level=conf_level,
    )  # fmt: skip
