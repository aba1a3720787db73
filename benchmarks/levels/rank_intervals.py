"""Coverage of the intervals that come with rank tests: of Kendall's tau, and of P(x > y)."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from scipy import stats

from pydpstat._null_distributions.ranks.distances import PairInterval
from pydpstat._null_distributions.ranks.rank_statistics import count_pairs_won

from .ranks import LEVEL, Setting, concordant, generator_of, keys_of, named, noise_of


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many 95 % intervals miss the parameter."""
    rng, found = generator_of(setting, seed), 0
    for _ in range(runs):
        low, high = _interval(setting, rng).compute_limits(LEVEL)
        found += not low <= setting["truth"] <= high
    return found


def _interval(s: Setting, rng: np.random.Generator) -> PairInterval:
    if s["test"] == "kendalltau":
        x, y = _pair(s, rng)
        z, rate, pairs = concordant(x, y, s, rng)
        return PairInterval(2.0 * z / pairs - 1.0, x.size // 2, 2.0 / (rate * pairs))
    x, y = _samples(s, rng)
    reach, pairs = max(s["n"]), x.size * y.size
    z = count_pairs_won(x, y, keys_of(x.size + y.size, rng)) + noise_of(s["epsilon"] / reach, rng)
    noise = 2.0 * reach / (s["epsilon"] * pairs)
    return PairInterval(2.0 * z / pairs - 1.0, min(s["n"]), noise, scale=0.5, shift=0.5)


def _pair(s: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    match s["law"]:
        case "normal":
            x, e = rng.normal(size=(2, s["n"]))
            return x, s["rho"] * x + math.sqrt(1.0 - s["rho"] ** 2) * e
        case "parabola":
            x = rng.normal(size=s["n"])
            return x, x * x
        case "coins":
            x, e = rng.random((2, s["n"])) < np.array([[0.5], [s["rho"]]])
            return x * 1.0, (x ^ e) * 1.0
    # two blocks in reverse order, each in order: nearly the largest variance
    x = rng.random(s["n"])
    return x, np.where(x < s["rho"], x, x - 2.0)


def _samples(s: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    first, second = s["n"]
    if s["law"] == "coins":
        return (rng.random(first) < s["shift"]) * 1.0, (rng.random(second) < 0.01) * 1.0
    return rng.normal(s["shift"], s["spread"], first), rng.normal(size=second)


def _kendall(law: str, rho: float, n: int, epsilon: float) -> Setting:
    truth = {
        "normal": 2.0 / math.pi * math.asin(rho),
        "parabola": 0.0,
        # two tied records of either variable count half
        "coins": 0.5 * (1.0 - 2.0 * rho),
        "blocks": 1.0 - 4.0 * rho * (1.0 - rho),
    }
    return named("kendalltau", law, n, epsilon, rho=rho, truth=truth[law])


def _won(law: str, shift: float, spread: float, n: tuple[int, int], epsilon: float) -> Setting:
    normal = float(stats.norm.cdf(shift / math.hypot(1.0, spread)))
    truth = 0.5 + 0.5 * (shift - 0.01) if law == "coins" else normal
    return named("mannwhitneyu", law, n, epsilon, shift=shift, spread=spread, truth=truth)


SETTINGS: list[dict[str, Any]] = [
    *(
        _kendall(law, rho, n, epsilon)
        for (law, rho), (n, epsilon) in itertools.product(
            (
                ("normal", 0.0),
                ("normal", 0.5),
                ("normal", -0.95),
                ("normal", 1.0),
                ("parabola", 0.0),
                ("coins", 0.1),
                ("coins", 0.5),
                ("blocks", 0.15),
                ("blocks", 0.02),
                ("blocks", 0.008),
            ),
            ((20, 1.0), (20, 10.0), (20, 100.0), (100, 1.0), (1000, 0.1), (1000, 10.0)),
        )
    ),
    *(
        _won(law, shift, spread, n, epsilon)
        for (law, shift, spread), (n, epsilon) in itertools.product(
            (
                ("normal", 0.0, 1.0),
                ("normal", 2.0, 1.0),
                ("normal", 0.0, 9.0),
                ("normal", 0.0, 0.01),
                ("coins", 0.06, 1.0),
                ("coins", 0.99, 1.0),
            ),
            (
                ((10, 10), 10.0),
                ((12, 30), 100.0),
                ((20, 20), 1.0),
                ((15, 150), 3.0),
                ((150, 15), 10.0),
                ((500, 500), 0.1),
            ),
        )
    ),
]
