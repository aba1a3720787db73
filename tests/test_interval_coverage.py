"""Every interval covers what it is for, also where values tie, are integers, or are 0 in part.

Coverage is counted over seeded releases. For the noise the records stay the same and the truth is theirs;
for the population each release has another sample of it.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import pydpstat as dp

# a population of which the samples are random draws
SIZE, N = 50_000, 600
_RNG = np.random.default_rng(20)


def _tied(rng):
    return rng.choice([20.0, 38.5, 40.0], SIZE, p=[0.2, 0.5, 0.3])


def _integers(rng):
    return rng.integers(18, 90, SIZE).astype(float)


def _zeros(rng):
    return np.where(rng.random(SIZE) < 0.15, 0.0, rng.lognormal(3.0, 0.6, SIZE).clip(0.0, 100.0))


def _continuous(rng):
    return rng.normal(50.0, 15.0, SIZE).clip(0.0, 100.0)


KINDS = {"tied": _tied, "integers": _integers, "zeros": _zeros, "continuous": _continuous}
POPULATIONS = {
    name: pd.DataFrame({"x": make(_RNG), "y": make(_RNG), "w": _RNG.choice([1.0, 2.5], SIZE)})
    for name, make in KINDS.items()
}
SAMPLES = {name: each.iloc[:N].reset_index(drop=True) for name, each in POPULATIONS.items()}
BOUNDS: dict[str, Any] = {"bounds": (0, 100)}
GROUPS = np.repeat(["a", "b"], N // 2)
BY: dict[str, Any] = {"by": GROUPS, "levels": ["a", "b"], "other": None}
OPEN: dict[str, Any] = {"neighbors": "unbounded"}
EDGES = [0.0, 20.0, 40.0, 70.0, 100.0]
QS = [0.1, 0.5, 0.9]
EPSILON, LEVEL = 1.0, 0.95
# with so little noise cells are narrow, and what is in them tells
LARGE = 20.0
# of each comparison, if the intervals have their level: no more misses than these in so many releases
FALSE_ALARMS = 1e-5


def allowed(runs: int, share: float = 1.0 - LEVEL) -> int:
    return int(stats.binom.isf(FALSE_ALARMS, runs, share))


def weighted_quantile(x: np.ndarray, w: np.ndarray, q: float) -> float:
    """The smallest value with that share of the weight at it and below."""
    order = np.argsort(x, kind="stable")
    at = np.cumsum(w[order])
    return float(x[order][np.searchsorted(at, q * at[-1] - 1e-9)])


def _in_bins(x: np.ndarray) -> np.ndarray:
    return np.histogram(x, EDGES)[0].astype(float)


Release = Callable[[pd.DataFrame, int], Any]
Truth = Callable[[pd.DataFrame], Any]


def _by(name: str, *arguments: Any, of: str = "x", **options: Any) -> Release:
    """Return a release of columns, or of whether x is positive."""

    def call(data: pd.DataFrame, seed: int) -> Any:
        given = [data.x > 0 if column == "positive" else data[column] for column in of.split()]
        return getattr(dp, name)(*given, *arguments, **options, rng=seed)

    return call


POPULATION = {**BOUNDS, "population": True}
WEIGHED: dict[str, Any] = {"max_weight": 4, **BOUNDS}
# what is released, and the truth of the records
STATISTICS: dict[str, tuple[Release, Truth]] = {
    "mean": (_by("mean", EPSILON, **BOUNDS), lambda d: d.x.mean()),
    "mean, unbounded": (_by("mean", EPSILON, **BOUNDS, **OPEN), lambda d: d.x.mean()),
    "mean by group": (_by("mean", EPSILON, **BOUNDS, **BY), lambda d: d.x.groupby(GROUPS).mean()),
    "mean, population": (_by("mean", EPSILON, **POPULATION), lambda d: d.x.mean()),
    "sum": (_by("sum", EPSILON, **BOUNDS), lambda d: d.x.sum()),
    "var": (_by("var", EPSILON, **BOUNDS), lambda d: d.x.var()),
    "var, unbounded": (_by("var", EPSILON, **BOUNDS, **OPEN), lambda d: d.x.var()),
    "std": (_by("std", EPSILON, **BOUNDS), lambda d: d.x.std()),
    "std, population": (_by("std", EPSILON, **POPULATION), lambda d: d.x.std()),
    "cov": (_by("cov", EPSILON, of="x y", **BOUNDS), lambda d: d.x.cov(d.y)),
    "cov, unbounded": (_by("cov", EPSILON, of="x y", **BOUNDS, **OPEN), lambda d: d.x.cov(d.y)),
    "corr": (_by("corr", EPSILON, of="x y", **BOUNDS), lambda d: d.x.corr(d.y)),
    "count": (_by("count", EPSILON, of="positive"), lambda d: (d.x > 0).sum()),
    "proportion": (_by("proportion", EPSILON, of="positive"), lambda d: (d.x > 0).mean()),
    "proportion by group": (
        _by("proportion", EPSILON, of="positive", **BY),
        lambda d: (d.x > 0).groupby(GROUPS).mean(),
    ),
    "histogram": (_by("histogram", EPSILON, edges=EDGES), lambda d: _in_bins(d.x)),
    "nunique": (_by("nunique", EPSILON, **OPEN), lambda d: d.x.nunique()),
    "quantiles": (_by("quantiles", QS, LARGE, **POPULATION), lambda d: d.x.quantile(QS)),
    "median": (_by("median", LARGE, **POPULATION), lambda d: d.x.median()),
    "weighted mean": (
        _by("weighted_mean", EPSILON, of="x w", **WEIGHED),
        lambda d: np.average(d.x, weights=d.w),
    ),
    "weighted proportion": (
        _by("weighted_proportion", EPSILON, of="positive w", max_weight=4),
        lambda d: np.average(d.x > 0, weights=d.w),
    ),
    "weighted total": (_by("weighted_total", EPSILON, of="x w", **WEIGHED), lambda d: (d.x * d.w).sum()),
    **{
        f"weighted quantile {q}": (
            _by("weighted_quantile", q, LARGE, of="x w", **WEIGHED),
            lambda d, q=q: weighted_quantile(d.x.to_numpy(), d.w.to_numpy(), q),
        )
        for q in QS
    },
    "meanDP": (_by("meanDP", EPSILON, 0, 100), lambda d: d.x.mean()),
    "sdDP": (_by("sdDP", EPSILON, 0, 100), lambda d: d.x.std()),
    "covDP": (_by("covDP", EPSILON, 0, 100, 0, 100, of="x y"), lambda d: d.x.cov(d.y)),
}


def misses(intervals: list[np.ndarray], truth: Any) -> np.ndarray:
    """Return how many of the intervals miss, for each value by itself."""
    wanted = np.ravel(truth)
    return sum(((each[:, 0] > wanted) | (each[:, 1] < wanted)).astype(int) for each in intervals)


CASES = [(name, kind) for name in STATISTICS for kind in KINDS if kind != "continuous" or "quantile" in name]


@pytest.mark.parametrize("name, kind", CASES)
def test_noise_intervals_cover_the_records_statistic(name, kind):
    call, truth = STATISTICS[name]
    data, runs = SAMPLES[kind], 25
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dp.PrivacyWarning)
        found = [call(data, seed).conf_int(1.0 - LEVEL).to_numpy() for seed in range(runs)]
    assert misses(found, truth(data)).max() <= allowed(runs)


def _sample(population: pd.DataFrame, seed: int) -> pd.DataFrame:
    places = np.random.default_rng(1000 + seed).integers(0, SIZE, N)
    return population.iloc[places].reset_index(drop=True)


# statistics whose intervals for the population are quick
QUICK: dict[str, Truth] = {
    "corr": lambda d: d.x.corr(d.y),
    "proportion": lambda d: (d.x > 0).mean(),
    "histogram": lambda d: _in_bins(d.x) / SIZE,
    "std, population": lambda d: d.x.std(ddof=0),
    "quantiles": lambda d: d.x.quantile(QS),
    "median": lambda d: d.x.median(),
}


@pytest.mark.parametrize("kind", ["tied", "integers", "zeros"])
@pytest.mark.parametrize("name", QUICK)
def test_population_intervals_cover_the_population(name, kind):
    call, population, runs = STATISTICS[name][0], POPULATIONS[kind], 12
    releases = [call(_sample(population, seed), seed) for seed in range(runs)]
    found = [each.conf_int(1.0 - LEVEL, kind="population").to_numpy() for each in releases]
    assert misses(found, QUICK[name](population)).max() <= allowed(runs)
