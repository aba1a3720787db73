"""Printed tables of coefficients: estimates, standard errors, statistics, and p-values with stars."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pydpstat.porting.r._formats import (
    compute_decimals,
    format_elements,
    format_with_decimals,
    pad_texts,
    round_to_largest,
)
from pydpstat.porting.r._printing import _wrap_columns
from pydpstat.porting.r._values import Value
from pydpstat.r_arithmetic import round

_SMALLEST_PVALUE = float(np.finfo(np.float64).eps)
_SIGNIFICANCE_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"), (0.1, "."), (np.inf, " "))
_SIGNIFICANCE_LEGEND = ["---", "Signif. codes:  0 ‘***’ 0.001 ‘**’ 0.01 ‘*’ 0.05 ‘.’ 0.1 ‘ ’ 1"]


def format_numbers(values: Value, digits: int) -> list[str]:
    """Return numbers as strings of equal width, as R's ``format``.

    Examples
    --------
    >>> format_numbers([0.5, 10], 3)
    [' 0.5', '10.0']
    """
    return pad_texts(format_elements(np.atleast_1d(np.asarray(values, dtype=np.float64)), digits))


def format_p_values(p: Value, digits: int = 4) -> list[str]:
    """Return p-values as strings, small ones as "<2e-16", as R's ``format.pval``.

    Examples
    --------
    >>> format_p_values([0.25, 1e-20], 3), format_p_values([1e-20], 4)
    (['0.25', '<2e-16'], ['< 2.2e-16'])
    """
    values = np.asarray(p, dtype=np.float64)
    tiny, found = values < _SMALLEST_PVALUE, np.empty(values.size, dtype=object)
    power = np.floor(np.log10(np.where(values > 0, values, 1e-50)))
    for group in (fixed := power >= -3 - (digits > 1), ~fixed):
        if (group & ~tiny).any():
            found[group & ~tiny] = format_numbers(values[group & ~tiny], digits)
    wide = max(map(len, found[~tiny]), default=0)
    digits = max(1, digits - 2)
    if wide and digits > 1 and digits + 6 > wide:
        digits = max(1, wide - 7)
    space = "" if digits == 1 and wide <= 6 else " "
    found[tiny] = f"<{space}{format_with_decimals(_SMALLEST_PVALUE, *compute_decimals([_SMALLEST_PVALUE], digits))}"
    return found.tolist()


def format_coefficients(
    x: Value, names: Sequence[str], columns: Sequence[str], digits: int = 4, estimates: int = 0,
    tests: Sequence[int] = (), zap: Sequence[int] = (), missing_text: str = "NA",
) -> list[str]:  # fmt: skip
    """Return the lines of a table of coefficients, as R's ``printCoefmat``.

    The first columns are `estimates`, formatted together. Columns named ``Pr(...)`` are p-values.

    Examples
    --------
    >>> format_coefficients([[1.5, 0.25]], ["a"], ["F", "Pr(>F)"], tests=[0])
    ['    F Pr(>F)', 'a 1.5   0.25']
    """
    values = np.array(x, dtype=np.float64)
    known = ~np.isnan(values)
    has_p, last = columns[-1].startswith("Pr("), len(columns) - 1
    for k in zap:
        values[:, k] = round_to_largest(values[:, k], digits)
    texts = np.empty(values.shape, dtype=object)
    if estimates:
        block = values[:, :estimates]
        sizes = np.abs(block[np.isfinite(block) & (block != 0)])
        least = 1 + int(np.floor(np.log10(sizes.min()))) if sizes.size else 1
        shown = np.asarray(round(block, max(1, digits - least)))
        texts[:, :estimates] = np.reshape(format_numbers(shown.ravel(), digits), shown.shape)
    most = max(1, min(5, digits - 1))
    for k in range(estimates, len(columns) - has_p):
        texts[:, k] = format_numbers(round(values[:, k], most) if k in tests else values[:, k], digits)
    # a nonzero number must not be displayed as 0
    small = known & (values != 0) & [k not in tests and k < len(columns) - has_p for k in range(len(columns))]
    small[small] = [float(each) == 0 for each in texts[small]]
    texts[small] = format_numbers(values[small], max(1, digits - 1)) if small.any() else []
    texts[~known] = missing_text
    body = [[name, *texts[:, k]] for k, name in enumerate(columns)]
    if not has_p or not (own := known[:, last]).any():
        return _wrap_columns(["", *names], body)
    p = values[:, last]
    texts[own, last] = format_p_values(p[own], most)
    body[last] = [columns[last], *texts[:, last]]
    if not (p[own] < 0.1).any():
        return _wrap_columns(["", *names], body)
    stars = [next(star for end, star in _SIGNIFICANCE_STARS if each <= end) if ok else "" for each, ok in zip(p, own)]
    return [*_wrap_columns(["", *names], [*body, pad_texts(["", *stars], left=True)]), *_SIGNIFICANCE_LEGEND]
