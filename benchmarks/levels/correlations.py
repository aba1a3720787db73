"""Intervals for the population on releases of a correlation.

A law is a fixed population of a million pairs that samples are drawn from, so that its correlation is known.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from levels.thinned import missed
from pydpstat._null_distributions.correlations import compute_correlation_limits
from pydpstat._null_distributions.proportions.shares import compute_population_limits, estimate_spread
from pydpstat._null_distributions.weight_moments import PARABOLA_BASIS
from pydpstat.mechanisms.laplace import LaplaceNoise

Setting = dict[str, Any]
CHUNK = 100
ALPHA = 0.05
POPULATION = 1 << 20
# the weights of a record from 1, z and z^2
_WEIGHTS = np.linalg.inv(PARABOLA_BASIS)


def _normal(rho: float, rng: np.random.Generator, sd: float = 0.25) -> tuple[np.ndarray, np.ndarray]:
    one, two = rng.normal(0.0, sd, (2, POPULATION))
    return one, rho * one + np.sqrt(1.0 - rho * rho) * two


def _pairs(law: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw pairs, most of them within [-1, 1]."""
    if law.startswith("normal"):
        return _normal(float(law.split()[1]), rng)
    if law.startswith("t(4)"):
        one, two = _normal(float(law.split()[1]), rng, 0.1)
        wide = np.sqrt(4.0 / rng.chisquare(4, POPULATION))
        return one * wide, two * wide
    if law == "clipped":
        one, two = _normal(0.7, rng, 0.8)
        return one, two
    if law.startswith("lognormal"):
        one, two = _normal(float(law.split()[1]), rng, 0.6)
        return 0.2 * np.exp(one) - 1.0, 0.2 * np.exp(two) - 1.0
    if law == "exponential, common part":
        parts = rng.exponential(0.1, (3, POPULATION))
        return parts[0] + parts[1] - 1.0, parts[0] + parts[2] - 1.0
    if law == "square":
        one = rng.normal(0.0, 0.3, POPULATION)
        return one, one * one
    if law == "spread grows":
        one = rng.uniform(0.0, 1.0, POPULATION)
        return one, 0.5 * one * (1.0 + rng.normal(0.0, 0.7, POPULATION)) - 0.2
    if law == "signs":
        one = rng.choice([-1.0, 1.0], POPULATION)
        return one, np.where(rng.random(POPULATION) < 0.75, one, -one)
    if law == "unequal signs":
        one = rng.choice([-1.0, 1.0], POPULATION)
        return one, np.where((one > 0.0) & (rng.random(POPULATION) < 0.4), 1.0, -1.0)
    if law == "five points":
        one, two = _normal(-0.6, rng, 0.4)
        return np.rint(2.0 * one) / 2.0, np.rint(2.0 * two) / 2.0
    if law == "rare signs":
        one = np.where(rng.random(POPULATION) < 0.05, 1.0, -1.0)
        return one, np.where(rng.random(POPULATION) < 0.9, one, -one)
    if law == "uniform":
        one, two = rng.uniform(-0.5, 0.5, (2, POPULATION))
        return one, one + two
    one, two = _normal(0.0, rng, 0.05)
    far = rng.random(POPULATION) < 0.02
    both = rng.normal(0.0, 0.4, POPULATION)
    return np.where(far, both, one), np.where(far, both, two)


@lru_cache(maxsize=2)
def population(law: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the weights of all pairs, and their correlation."""
    one, two = (each.clip(-1.0, 1.0) for each in _pairs(law, np.random.default_rng(7)))
    weights = [np.stack([np.ones_like(each), each, each * each], axis=1) @ _WEIGHTS.T for each in (one, two)]
    return weights[0], weights[1], float(np.corrcoef(one, two)[0, 1])


ELLIPTICAL = (
    "normal 0",
    "normal 0.5",
    "normal 0.95",
    "normal -0.8",
    "t(4) 0",
    "t(4) 0.6",
    "clipped",
    "uniform",
    "square",
)
# no elliptical laws, or clipped where they are far from one
OTHERS = (
    "lognormal 0.5",
    "lognormal 0.9",
    "exponential, common part",
    "spread grows",
    "signs",
    "rare signs",
    "unequal signs",
    "five points",
    "mostly apart",
)
_SIZES = ((200, 5.0), (1000, 2.0), (5000, 1000.0))
_MORE = ((30, 20.0), (5000, 0.5), (50_000, 1.0))


def _setting(law: str, n: int, epsilon: float, number: str) -> Setting:
    name = f"{law}, n {n}, epsilon {epsilon}, {number} number"
    return {"name": name, "law": law, "n": n, "epsilon": epsilon, "number": number}


SETTINGS: list[Setting] = [
    *[_setting(law, n, epsilon, "public") for law in (*ELLIPTICAL, *OTHERS) for n, epsilon in _SIZES],
    *[_setting(law, n, epsilon, "public") for law in ("normal 0.5", "signs") for n, epsilon in _MORE],
    *[_setting(law, n, 2.0, "private") for law in ("normal 0.5", "t(4) 0.6") for n in (100, 2000)],
]


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many intervals of level 0.95 miss the correlation."""
    rng = np.random.default_rng(seed)
    first, second, truth = population(setting["law"])
    n, public = setting["n"], setting["number"] == "public"
    # a replaced record takes one vector of weights away and adds another
    noise = LaplaceNoise((2.0 if public else 1.0) / setting["epsilon"])
    found = 0
    for _ in range(runs):
        drawn = rng.integers(0, POPULATION, n)
        sums = (first[drawn].T @ second[drawn]).ravel() + rng.laplace(0.0, noise.scale, 9)
        given = tuple(sums.tolist()), n if public else None, noise
        found += missed(_is_far(truth, *given), lambda: _ends(*given), truth, rng)
    return found


def _ends(sums: tuple[float, ...], size: int | None, noise: Any) -> tuple[float, float]:
    low, high = compute_population_limits(sums, size, noise, ALPHA)
    # rounding
    return low - 1e-12, high + 1e-12


def _is_far(truth: float, sums: tuple[float, ...], size: int | None, noise: Any) -> bool:
    """Tell whether a correlation is so far off that neither noise nor sampling reaches it by itself."""
    spread = estimate_spread(sums, size, noise.std())
    if spread is None:
        return False
    low, high = compute_correlation_limits(sums, size, noise, 0.2)
    center = math.tanh(0.5 * (_z(low) + _z(high)))
    error = 1.1 * spread.compute_sd(center)
    return not _z(low) - error <= _z(truth) <= _z(high) + error


def _z(correlation: float) -> float:
    return math.atanh(min(max(correlation, -1.0 + 1e-12), 1.0 - 1e-12))
