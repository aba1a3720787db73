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
# what is released, and the truth of the records
STATISTICS: dict[str, tuple[Release, Truth]] = {
    "mean": (lambda d, s: dp.mean(d.x, EPSILON, **BOUNDS, rng=s), lambda d: d.x.mean()),
    "mean, unbounded": (lambda d, s: dp.mean(d.x, EPSILON, **BOUNDS, **OPEN, rng=s), lambda d: d.x.mean()),
    "mean by group": (
        lambda d, s: dp.mean(d.x, EPSILON, **BOUNDS, **BY, rng=s),
        lambda d: d.x.groupby(GROUPS).mean(),
    ),
    "mean, population": (
        lambda d, s: dp.mean(d.x, EPSILON, **BOUNDS, population=True, rng=s),
        lambda d: d.x.mean(),
    ),
    "sum": (lambda d, s: dp.sum(d.x, EPSILON, **BOUNDS, rng=s), lambda d: d.x.sum()),
    "var": (lambda d, s: dp.var(d.x, EPSILON, **BOUNDS, rng=s), lambda d: d.x.var()),
    "var, unbounded": (lambda d, s: dp.var(d.x, EPSILON, **BOUNDS, **OPEN, rng=s), lambda d: d.x.var()),
    "std": (lambda d, s: dp.std(d.x, EPSILON, **BOUNDS, rng=s), lambda d: d.x.std()),
    "std, population": (
        lambda d, s: dp.std(d.x, EPSILON, **BOUNDS, population=True, rng=s),
        lambda d: d.x.std(),
    ),
    "cov": (lambda d, s: dp.cov(d.x, d.y, EPSILON, **BOUNDS, rng=s), lambda d: d.x.cov(d.y)),
    "cov, unbounded": (
        lambda d, s: dp.cov(d.x, d.y, EPSILON, **BOUNDS, **OPEN, rng=s),
        lambda d: d.x.cov(d.y),
    ),
    "corr": (lambda d, s: dp.corr(d.x, d.y, EPSILON, **BOUNDS, rng=s), lambda d: d.x.corr(d.y)),
    "count": (lambda d, s: dp.count(d.x > 0, EPSILON, rng=s), lambda d: (d.x > 0).sum()),
    "proportion": (lambda d, s: dp.proportion(d.x > 0, EPSILON, rng=s), lambda d: (d.x > 0).mean()),
    "proportion by group": (
        lambda d, s: dp.proportion(d.x > 0, EPSILON, **BY, rng=s),
        lambda d: (d.x > 0).groupby(GROUPS).mean(),
    ),
    "histogram": (lambda d, s: dp.histogram(d.x, EPSILON, edges=EDGES, rng=s), lambda d: _in_bins(d.x)),
    "nunique": (lambda d, s: dp.nunique(d.x, EPSILON, **OPEN, rng=s), lambda d: d.x.nunique()),
    "quantiles": (
        lambda d, s: dp.quantiles(d.x, QS, LARGE, **BOUNDS, population=True, rng=s),
        lambda d: d.x.quantile(QS),
    ),
    "median": (lambda d, s: dp.median(d.x, LARGE, **BOUNDS, population=True, rng=s), lambda d: d.x.median()),
    "weighted mean": (
        lambda d, s: dp.weighted_mean(d.x, d.w, EPSILON, **BOUNDS, max_weight=4, rng=s),
        lambda d: np.average(d.x, weights=d.w),
    ),
    "weighted proportion": (
        lambda d, s: dp.weighted_proportion(d.x > 0, d.w, EPSILON, max_weight=4, rng=s),
        lambda d: np.average(d.x > 0, weights=d.w),
    ),
    "weighted total": (
        lambda d, s: dp.weighted_total(d.x, d.w, EPSILON, **BOUNDS, max_weight=4, rng=s),
        lambda d: (d.x * d.w).sum(),
    ),
    **{
        f"weighted quantile {q}": (
            lambda d, s, q=q: dp.weighted_quantile(d.x, d.w, q, LARGE, **BOUNDS, max_weight=4, rng=s),
            lambda d, q=q: weighted_quantile(d.x.to_numpy(), d.w.to_numpy(), q),
        )
        for q in QS
    },
    "meanDP": (lambda d, s: dp.meanDP(d.x, EPSILON, 0, 100, rng=s), lambda d: d.x.mean()),
    "sdDP": (lambda d, s: dp.sdDP(d.x, EPSILON, 0, 100, rng=s), lambda d: d.x.std()),
    "covDP": (lambda d, s: dp.covDP(d.x, d.y, EPSILON, 0, 100, 0, 100, rng=s), lambda d: d.x.cov(d.y)),
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
    found = [
        call(_sample(population, seed), seed).conf_int(1.0 - LEVEL, kind="population").to_numpy()
        for seed in range(runs)
    ]
    assert misses(found, QUICK[name](population)).max() <= allowed(runs)
