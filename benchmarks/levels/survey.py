"""Statistics of records with survey weights."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from levels.thinned import missed
from pydpstat._null_distributions.means.noisy_t import compute_t_pvalue
from pydpstat._null_distributions.survey.weighted_means import WeightedMeanInterval, WeightedSums
from pydpstat._null_distributions.survey.weighted_quantiles import WeightedCells, WeightedQuantileInterval

Setting = dict[str, Any]
ALPHA = 0.05
_SHARE = 0.75


def draw(law: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw records z in [-1, 1] and weights v in [0, 1]."""
    if law == "two weights":
        v = np.where(rng.random(n) < 0.2, 1.0, 0.1)
        return np.clip(rng.normal(0.2 - 0.3 * v, 0.25), -1.0, 1.0), v
    if law == "heavy weights":
        v = np.minimum(1.0, 0.05 / rng.random(n) ** 0.7)
        return np.where(rng.random(n) < 0.1 + 0.3 * v, 1.0, -1.0), v
    if law == "weights by value":
        z = 2.0 * rng.beta(0.5, 3.0, n) - 1.0
        return z, 0.05 + 0.95 * (z + 1.0) / 2.0
    if law == "rare":
        return np.where(rng.random(n) < 0.02, 1.0, -1.0), rng.choice([0.25, 1.0], n)
    if law == "equal weights":
        return rng.uniform(-1.0, 1.0, n), np.ones(n)
    return np.full(n, 0.3), rng.uniform(0.2, 1.0, n)


LAWS = ("two weights", "heavy weights", "weights by value", "rare", "equal weights", "constant")


@lru_cache(maxsize=16)
def mean_and_quantile(law: str, q: float) -> float:
    """Return the weighted mean of the population, or its quantile by weight where q is above 0."""
    z, v = draw(law, 4_000_000, np.random.default_rng(7))
    if not q:
        return float((z * v).sum() / v.sum())
    order = np.argsort(z, kind="stable")
    weight = np.cumsum(v[order])
    return float(z[order][np.searchsorted(weight, q * weight[-1])])


def _name(law: str, n: int, epsilon: float, bounded: bool, q: float) -> Setting:
    what = f"quantile {q}" if q else "mean"
    side = "bounded" if bounded else "unbounded"
    name = f"{what}, {law}, n {n}, epsilon {epsilon}, {side}"
    return {"name": name, "law": law, "n": n, "epsilon": epsilon, "bounded": bounded, "q": q}


SIZES = ((20, 1.0), (100, 0.3), (500, 1.0), (2000, 0.05), (10_000, 5.0))
SETTINGS = [_name(law, n, epsilon, True, 0.0) for law in LAWS for n, epsilon in SIZES]
SETTINGS += [_name(law, n, epsilon, False, 0.0) for law in LAWS for n, epsilon in ((200, 1.0), (3000, 0.5))]
SETTINGS += [
    _name(law, n, epsilon, bounded, q)
    for law in ("two weights", "weights by value", "equal weights")
    for n, epsilon, bounded, q in ((300, 1.0, True, 0.5), (3000, 0.5, True, 0.1), (2000, 1.0, False, 0.75))
]


def sums_of(z: np.ndarray, v: np.ndarray, scale: float, size: int | None, rng: np.random.Generator) -> WeightedSums:
    """Return the noisy sums of records; `scale` is how far a neighbor moves them over epsilon."""
    first, second = scale / _SHARE, scale / (1.0 - _SHARE)
    noise = rng.laplace(size=6)
    line = (v * (1.0 - z) / 2.0).sum() + first * noise[0], (v * (1.0 + z) / 2.0).sum() + first * noise[1]
    parts = (1.0 - z) ** 2 / 4.0, (1.0 - z * z) / 2.0, (1.0 + z) ** 2 / 4.0
    squares = [(v * v * part).sum() + second * each for part, each in zip(parts, noise[2:5])]
    rest = 0.0 if size is not None else (1.0 - v).sum() + first * noise[5]
    return WeightedSums(line, tuple(squares), rest, (first, second), size)


def cells_of(
    z: np.ndarray,
    v: np.ndarray,
    scale: float,
    size: int | None,
    rng: np.random.Generator,
    bins: int = 64,
) -> WeightedCells:
    """Return the noisy sums in cells; `scale` is how far a neighbor moves them over epsilon."""
    first, second = scale / _SHARE, scale / (1.0 - _SHARE)
    edges = np.linspace(-1.0, 1.0, bins + 1)
    cell = (np.searchsorted(edges, z, side="right") - 1).clip(0, bins - 1)
    weights = np.bincount(cell, v, bins) + first * rng.laplace(size=bins)
    squares = np.bincount(cell, v * v, bins) + second * rng.laplace(size=bins)
    rest = 0.0 if size is not None else (1.0 - v).sum() + first * rng.laplace()
    scales = first, second
    return WeightedCells(tuple(weights), tuple(squares), rest, tuple(edges.tolist()), scales, size)


def _release(setting: Setting, rng: np.random.Generator) -> Any:
    n, bounded = setting["n"], setting["bounded"]
    of, scale = cells_of if setting["q"] else sums_of, (2.0 if bounded else 1.0) / setting["epsilon"]
    return of(*draw(setting["law"], n, rng), scale, n if bounded else None, rng)


def _rejected(found: Any, q: float, truth: float) -> bool:
    """Tell whether a release's test rejects the true mean, or one of the quantile's tells it elsewhere."""
    if q:
        return quantile_rejected(found, q, truth)
    return compute_t_pvalue(found.compute_centered_sums(truth), truth, stop_above=ALPHA)[1] <= ALPHA


def quantile_rejected(found: WeightedCells, q: float, truth: float) -> bool:
    """Tell whether a test tells the quantile to be elsewhere."""
    first, last = (int(np.searchsorted(found.edges, truth, side)) for side in ("left", "right"))
    chances = (
        compute_t_pvalue(found.compute_edge_sums(place, q), 2.0 * q - 1.0, beyond, 0.5 * ALPHA)[1]
        for place, beyond in ((first, "less"), (last - 1, "greater"))
    )
    return min(chances) <= 0.5 * ALPHA


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Count tests at 0.05 that reject the true mean or quantile."""
    rng, q = np.random.default_rng(seed), setting["q"]
    truth = mean_and_quantile(setting["law"], q)
    return sum(_rejected(_release(setting, rng), q, truth) for _ in range(runs))


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Count intervals of level 0.95 that miss the true mean or quantile."""
    rng, q = np.random.default_rng(seed), setting["q"]
    truth = mean_and_quantile(setting["law"], q)
    count = 0
    for _ in range(runs):
        found = _release(setting, rng)
        interval: Any = WeightedQuantileInterval(found, q) if q else WeightedMeanInterval(found, 0.0, 1.0)
        count += missed(_rejected(found, q, truth), partial(interval.compute_limits, ALPHA), truth, rng)
    return count
