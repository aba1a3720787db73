"""Any test on blocks: t tests, the sign test, Welch's test and correlations of few records each."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import bdtrc, stdtr

from pydpstat._null_distributions.quantiles.block_counts import bound_level, choose_blocks, compute_rejections_sf

Setting = dict[str, Any]
# what a block's level is simulated with where a sampler is given
DRAWS = 10_000
LAWS = {
    "normal": lambda g, size: g.standard_normal(size),
    "uniform": lambda g, size: g.uniform(-1.0, 1.0, size),
    "exponential": lambda g, size: g.exponential(size=size) - 1.0,
    "t3 clipped": lambda g, size: np.clip(g.standard_t(3, size), -8.0, 8.0),
    "lognormal clipped": lambda g, size: np.minimum(np.exp(g.standard_normal(size)), 20.0),
    "two points": lambda g, size: np.where(g.random(size) < 0.5, -1.0, 1.0),
    "Bernoulli(.1)": lambda g, size: (g.random(size) < 0.1) - 0.1,
    "Bernoulli(.02)": lambda g, size: (g.random(size) < 0.02) - 0.02,
    "constant": lambda g, size: np.zeros(size),
    "tied": lambda g, size: np.rint(g.standard_normal(size)),
}
# E min(exp(Z), 20)
MEANS = {"lognormal clipped": 1.5770}


def _t(z: np.ndarray) -> np.ndarray:
    """Return the p-values of one-sample t tests, a row a block; where there is no spread, NaN or 0."""
    n = z.shape[-1]
    with np.errstate(all="ignore"):
        t = z.mean(-1) / np.sqrt(z.var(-1, ddof=1) / n)
    return 2.0 * stdtr(n - 1.0, -np.abs(t))


def _sign(z: np.ndarray) -> np.ndarray:
    """Return the p-values of sign tests; zeros are left out."""
    n, k = (z != 0.0).sum(-1), (z > 0.0).sum(-1)
    return np.minimum(1.0, 2.0 * bdtrc(np.maximum(k, n - k) - 1, np.maximum(n, 1), 0.5))


def _welch(z: np.ndarray) -> np.ndarray:
    """Return the p-values of Welch's tests: a quarter of the block has twice the spread."""
    n = z.shape[-1]
    first, second = 2.0 * z[..., : n // 4], z[..., n // 4 :]
    parts = [each.var(-1, ddof=1) / each.shape[-1] for each in (first, second)]
    with np.errstate(all="ignore"):
        t = (first.mean(-1) - second.mean(-1)) / np.sqrt(parts[0] + parts[1])
        freedom = (parts[0] + parts[1]) ** 2 / sum(
            part**2 / (each.shape[-1] - 1) for part, each in zip(parts, (first, second))
        )
    return 2.0 * stdtr(freedom, -np.abs(t))


def _correlation(z: np.ndarray) -> np.ndarray:
    """Return the p-values of Pearson's correlation of each block's halves."""
    half = z.shape[-1] // 2
    x, y = z[..., :half], z[..., half : 2 * half]
    x, y = x - x.mean(-1, keepdims=True), y - y.mean(-1, keepdims=True)
    with np.errstate(all="ignore"):
        r = (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))
        t = r * np.sqrt((half - 2.0) / (1.0 - r * r))
    return 2.0 * stdtr(half - 2.0, -np.abs(t))


TESTS = {"t": _t, "sign": _sign, "Welch": _welch, "correlation": _correlation}


def _settings() -> list[Setting]:
    plain = [
        ("t", "normal", n, eps)
        for n, eps in ((20, 0.05), (20, 10.0), (30, 1.0), (100, 0.5), (500, 0.1), (5000, 1.0), (10**6, 0.05))
    ]
    plain += [("t", law, n, 1.0) for law in ("uniform", "tied") for n in (200, 2000)]
    plain += [("t", "constant", 100, eps) for eps in (0.05, 1.0, 10.0)]
    plain += [("sign", law, n, eps) for law in ("normal", "tied") for n, eps in ((20, 1.0), (300, 5.0))]
    plain += [("Welch", law, n, eps) for law in ("normal", "uniform") for n, eps in ((400, 1.0), (4000, 0.1))]
    plain += [("correlation", "normal", n, eps) for n, eps in ((60, 1.0), (1000, 0.5), (3000, 10.0))]
    plain += [("t", "t3 clipped", n, eps) for n, eps in ((100, 1.0), (1000, 0.3), (20_000, 2.0))]
    # skewed records and coins, of which a block's test rejects more often than it says: with a sampler
    drawn = [("t", "two points", n, 1.0) for n in (200, 2000)]
    drawn += [
        ("t", law, n, eps)
        for law in ("exponential", "Bernoulli(.1)", "Bernoulli(.02)", "lognormal clipped")
        for n, eps in ((50, 1.0), (200, 5.0), (1000, 0.5))
    ]
    # many of them in a block: without one
    large = [("t", "exponential", 20_000, 1.0), ("t", "Bernoulli(.1)", 20_000, 1.0)]
    found = [(*each, False) for each in [*plain, *large]] + [(*each, True) for each in drawn]
    return [
        {
            "name": f"{test}, {law}, n {n}, epsilon {eps:g}{', null' * null}",
            "test": test,
            "law": law,
            "n": n,
            "epsilon": eps,
            "null": null,
        }
        for test, law, n, eps, null in found
    ]


SETTINGS = _settings()
# one sample: shifts in standard deviations, and what the best number of blocks and level for each has
POWER = [
    {
        "name": f"t, n {n}, shift {shift:g}, epsilon {eps:g}",
        "test": "t",
        "law": "normal",
        "n": n,
        "epsilon": eps,
        "null": False,
        "shift": shift,
        "figure": figure,
    }
    for n, shift, eps, figure in (
        (30, 0.7, 1.0, 0.35),
        (30, 0.7, 5.0, 0.90),
        (100, 0.4, 0.5, 0.21),
        (100, 0.4, 1.0, 0.43),
        (100, 0.4, 5.0, 0.94),
        (500, 0.2, 0.1, 0.08),
        (500, 0.2, 0.5, 0.30),
        (500, 0.2, 1.0, 0.57),
    )
]


def pvalues(setting: Setting, runs: int, seed: int) -> np.ndarray:
    """Return the p-values of so many simulated releases."""
    generator = np.random.default_rng(seed)
    n, epsilon, law = setting["n"], setting["epsilon"], setting["law"]
    number, level = choose_blocks(n, epsilon, None, None, max(1, n // 5))
    size, test = n // number, TESTS[setting["test"]]

    def rejections(blocks: int, source: np.random.Generator) -> np.ndarray:
        if law == "normal" and setting["test"] == "t" and n > 10**5:
            # such a block's p-value is uniform
            return source.random(blocks) <= level
        z = LAWS[law](source, (blocks, size)) - MEANS.get(law, 0.0) + setting.get("shift", 0.0)
        return test(z) <= level

    limit = level
    if setting["null"]:
        limit = bound_level(int(rejections(DRAWS, np.random.default_rng(1)).sum()), DRAWS)
    hits = np.concatenate([rejections(number, generator).sum(keepdims=True) for _ in range(runs)])
    geometric = np.floor(generator.standard_exponential((2, runs)) / epsilon)
    noisy = hits + geometric[0] - geometric[1] + generator.uniform(-0.5, 0.5, runs)
    return np.array([compute_rejections_sf(each, number, limit, epsilon) for each in noisy.tolist()])


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Return how many p-values of a true hypothesis are 0.05 at most."""
    return int((pvalues(setting, runs, seed) <= 0.05).sum())


def power(setting: Setting, runs: int, seed: int) -> int:
    """Return how many p-values of a false hypothesis are 0.05 at most."""
    return rejections(setting, runs, seed)
