"""p-values of noisy tables below what plain simulation shows, by multilevel splitting."""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from pydpstat.inference._laws import tables
from pydpstat.inference._laws.deep_pvalues import deeper
from pydpstat.inference._laws.geometric_sums import geometric_sum
from pydpstat.inference._laws.nuisance import Floats
from pydpstat.inference._laws.reference import FLOOR
from pydpstat.inference._laws.splitting import small_tail

# from this p-value on the plain one counts
_SMALL = 2.0 * tables.SLACK
# the probability of numbers of records that are left out, and how many points of the margins are looked at
_LEFT_OUT, _POINTS, _DRAWS = 2e-7, 3, 999


def fit_pvalue(noisy: Floats, p: Floats, n: int | None, rate: float) -> tuple[float, float]:
    """Return statistic and p-value of a noisy table of shape (k,) for given probabilities."""
    statistic, first = tables.fit_pvalue(noisy, p, n, rate)
    if first > _SMALL:
        return statistic, first
    return statistic, _fit(tuple(noisy.tolist()), tuple(p.tolist()), n, rate, statistic, first)


@lru_cache(maxsize=64)
def _fit(
    cells: tuple[float, ...],
    p: tuple[float, ...],
    n: int | None,
    rate: float,
    statistic: float,
    first: float,
) -> float:
    """Return the p-value of a table whose first one is small."""
    shares = np.array(p)

    def tail(size: int) -> float:
        of = partial(tables.fit_statistic, p=shares, n=n, rate=rate)
        return small_tail(of, size, shares, rate, statistic)

    if n is not None:
        return min(_SMALL, max(tail(n), FLOOR))
    total, reach = sum(cells), geometric_sum(rate, len(cells)).quantile(0.5 * _LEFT_OUT)
    numbers = {round(max(total + step * reach, 0.0)) for step in (-1.0, 0.0, 1.0)}
    return deeper(first, tables.SLACK, _LEFT_OUT + max(map(tail, sorted(numbers))))


def independence_pvalue(noisy: Floats, n: int | None, rate: float) -> tuple[float, float]:
    """Return statistic and p-value of independence for a noisy table of shape (I, J).

    Of the margins that the plain p-value looks at, these are the ones with the largest 99 % points.
    """
    statistic, first = tables.independence_pvalue(noisy, n, rate)
    if first > _SMALL:
        return statistic, first
    return statistic, _independence(tuple(noisy.ravel().tolist()), noisy.shape, n, rate, statistic)


@lru_cache(maxsize=64)
def _independence(
    cells: tuple[float, ...],
    shape: tuple[int, ...],
    n: int | None,
    rate: float,
    statistic: float,
) -> float:
    """Return the p-value of a table whose first one is small."""
    noisy, found = np.array(cells).reshape(shape), 0.0
    points = list(tables.nuisance_points(noisy, n, rate))
    if len(points) > _POINTS:
        simulated = tables.independence_references(noisy, n, rate, _DRAWS)
        order = np.argsort([-float(np.quantile(each, 0.99)) for each in simulated], kind="stable")
        points = [points[place] for place in order[:_POINTS].tolist()]
    for size, p in points:
        of = partial(tables.independence_statistic, n=n if n is None else size, rate=rate)
        found = max(found, small_tail(of, size, p, rate, statistic))
    return min(_SMALL, max(found, FLOOR))
