"""Any interval from blocks: means, medians, trimmed means, correlations, and t limits of few records each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import stdtrit

from pydpstat._null_distributions.quantiles.block_counts import (
    BlockQuantileInterval,
    choose_histogram_cells,
    choose_interval_blocks,
)

Setting = dict[str, Any]
# the estimators' parameters are those of the law itself: 0, but for what says another
LAWS = {
    "normal": lambda g, size: g.standard_normal(size),
    "uniform": lambda g, size: g.uniform(-1.0, 1.0, size),
    "t3": lambda g, size: g.standard_t(3, size),
    "exponential": lambda g, size: g.exponential(size=size) - math.log(2.0),
    "constant": lambda g, size: np.zeros(size),
    "tied": lambda g, size: np.rint(2.0 * g.standard_normal(size)),
}


def _trimmed(z: np.ndarray) -> np.ndarray:
    cut = z.shape[-1] // 5
    return np.sort(z, axis=-1)[..., cut : z.shape[-1] - cut].mean(-1)


def _correlation(z: np.ndarray) -> np.ndarray:
    half = z.shape[-1] // 2
    x, y = z[..., :half], z[..., half : 2 * half]
    x, y = x - x.mean(-1, keepdims=True), y - y.mean(-1, keepdims=True)
    with np.errstate(all="ignore"):
        return (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))


def _t_limit(z: np.ndarray) -> np.ndarray:
    """Return lower t limits of the mean that miss with probability 0.2."""
    n = z.shape[-1]
    return z.mean(-1) - stdtrit(n - 1.0, 0.8) * z.std(-1, ddof=1) / math.sqrt(n)


ESTIMATORS = {
    "mean": lambda z: z.mean(-1),
    "median": lambda z: np.median(z, axis=-1),
    "trimmed mean": _trimmed,
    "correlation": _correlation,
    "t limit": _t_limit,
}
_SIZES = ((20, 0.05), (50, 10.0), (200, 1.0), (1000, 0.3), (5000, 1.0), (20_000, 0.05))
_CASES = (
    ("mean", "normal"),
    ("mean", "t3"),
    ("median", "tied"),
    ("median", "uniform"),
    ("trimmed mean", "t3"),
    ("correlation", "normal"),
    ("mean", "constant"),
    ("t limit", "normal"),
)
SETTINGS: list[Setting] = [
    {
        "name": f"{estimator}, {law}, n {n}, epsilon {eps:g}",
        "estimator": estimator,
        "law": law,
        "n": n,
        "epsilon": eps,
    }
    for estimator, law in _CASES
    for n, eps in _SIZES
]


def ends(setting: Setting, runs: int, seed: int, level: float = 0.95) -> np.ndarray:
    """Return the ends of so many simulated intervals, of shape (runs, 2)."""
    generator = np.random.default_rng(seed)
    epsilon, low, high = setting["epsilon"], -4.0, 4.0
    number = choose_interval_blocks(epsilon, max(1, setting["n"] // 10))
    cells = choose_histogram_cells(number, epsilon)
    inner, size = np.linspace(low, high, cells + 1)[1:-1], setting["n"] // number
    limit = setting["estimator"] == "t limit"
    found = []
    for _ in range(runs):
        z = LAWS[setting["law"]](generator, (number, size))
        estimates = ESTIMATORS[setting["estimator"]](z)
        coins = generator.integers(0, 2, number) * (cells - 1)
        places = np.where(np.isnan(estimates), coins, inner.searchsorted(estimates, "right"))
        noise = np.floor(generator.standard_exponential((2, cells)) / (epsilon / 2.0))
        noisy = np.bincount(places, minlength=cells) + noise[0] - noise[1]
        share, side = (0.8, "low") if limit else (0.5, "both")
        law = BlockQuantileInterval(low, high, tuple(noisy.tolist()), number, share, epsilon / 2.0, side)
        found.append(law.compute_limits(1.0 - level))
    return np.array(found)


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Return how many intervals of level 0.95 do not have the parameter, 0."""
    low, high = ends(setting, runs, seed).T
    return int(((low > 0.0) | (high < 0.0)).sum())
