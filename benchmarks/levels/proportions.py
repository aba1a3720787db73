"""Proportions: one with a public or a private number of records, and two by their difference or ratio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pydpstat._null_distributions.noise import Tulap
from pydpstat._null_distributions.proportions.one_proportion import (
    NoisyBinaryCounts,
    combine_tails,
    compute_noisy_tails,
)
from pydpstat._null_distributions.proportions.two_proportions import NoisyGroupCounts, ProportionLine

Setting = dict[str, Any]
# statistics in standard errors below which nothing is rejected at 0.05
FAR = 1.5
ALPHA = 0.05
# of an interval's alpha this share is for what is not looked at, on either side
OUTSIDE = 0.02 * 0.5 * ALPHA


def _one(n: int, epsilon: float, p: float) -> Setting:
    return {
        "name": f"one, n {n}, epsilon {epsilon}, p {p}",
        "kind": "one",
        "n": n,
        "epsilon": epsilon,
        "p": p,
    }


def _pair(n: int, epsilon: float, p: float) -> Setting:
    return {**_one(n, epsilon, p), "name": f"one, private n {n}, epsilon {epsilon}, p {p}", "kind": "pair"}


def _two(sizes: tuple[int, int], epsilon: float, p: tuple[float, float], ratio: bool = False) -> Setting:
    kind = "ratio" if ratio else "difference"
    name = f"{kind}, n {sizes[0]} and {sizes[1]}, epsilon {epsilon}, p {p[0]} and {p[1]}"
    return {"name": name, "kind": "two", "n": sizes, "epsilon": epsilon, "p": p, "ratio": ratio}


SETTINGS: list[Setting] = [
    *(_one(*each) for each in (
        (20, 0.05, 0.5), (20, 1.0, 0.1), (20, 10.0, 0.02), (50, 1.0, 0.0), (100, 0.5, 0.3), (1000, 0.1, 0.01),
        (1000, 10.0, 0.5), (10**5, 0.05, 0.2), (10**6, 0.1, 1e-5), (10**6, 1.0, 0.5),
    )),
    *(_pair(*each) for each in (
        (20, 0.05, 0.5), (20, 1.0, 0.1), (20, 10.0, 0.3), (50, 1.0, 0.02), (100, 0.5, 0.3), (1000, 0.1, 0.01),
        (1000, 10.0, 0.5), (10**6, 0.1, 1e-5), (10**6, 1.0, 0.5),
    )),
    *(_two(*each) for each in (
        ((20, 20), 0.05, (0.3, 0.3)), ((20, 20), 1.0, (0.1, 0.1)), ((20, 20), 10.0, (0.02, 0.02)),
        ((30, 30), 1.0, (0.0, 0.0)), ((100, 100), 0.5, (0.3, 0.3)), ((100, 100), 1.0, (0.5, 0.5)),
        ((20, 500), 1.0, (0.05, 0.05)), ((20, 500), 10.0, (0.9, 0.9)), ((1000, 1000), 0.1, (0.01, 0.01)),
        ((10**4, 10**6), 0.1, (0.001, 0.001)), ((10**6, 10**6), 1.0, (0.2, 0.2)),
        ((50, 50), 1.0, (0.6, 0.3)), ((50, 50), 10.0, (0.95, 0.05)), ((200, 40), 0.5, (0.2, 0.5)),
        ((50, 50), 1.0, (0.6, 0.3), True), ((50, 50), 10.0, (0.1, 0.05), True),
        ((200, 40), 0.5, (0.02, 0.5), True), ((1000, 5000), 0.3, (0.02, 0.01), True),
        ((30, 30), 1.0, (0.1, 0.1), True), ((10**6, 10**5), 0.05, (0.02, 0.01), True),
    )),
]  # fmt: skip
POWER: list[Setting] = [
    {
        **_two((100, 100), epsilon, (0.3, 0.5)),
        "name": f"difference .3 and .5, n 100, epsilon {epsilon}",
        "figure": figure,
    }
    for epsilon, figure in ((0.5, 0.70), (1.0, 0.79))
]


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Return how many p-values of a true hypothesis are 0.05 at most."""
    rng = np.random.default_rng(seed)
    return int(np.count_nonzero(_pvalues(setting, runs, rng) <= ALPHA))


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Return how many 95 % intervals miss: at their ends one-sided p-values are 0.025."""
    rng = np.random.default_rng(seed)
    return int(np.count_nonzero(_pvalues(setting, runs, rng, interval=True) <= ALPHA))


def power(setting: Setting, runs: int, seed: int) -> int:
    """Return how many p-values of equal proportions are 0.05 at most."""
    noisy = _noisy_counts(setting, runs, np.random.default_rng(seed))
    return int(np.count_nonzero(_twos(noisy, setting, ProportionLine.from_difference(0.0)) <= ALPHA))


def noise(rng: np.random.Generator, rate: float, size: Any) -> np.ndarray:
    """Draw symmetric geometric noise."""
    gone = -np.expm1(-rate)
    return (rng.geometric(gone, size) - rng.geometric(gone, size)).astype(np.float64)


def _pvalues(setting: Setting, runs: int, rng: np.random.Generator, interval: bool = False) -> np.ndarray:
    """Draw p-values of the true hypothesis; those of the interval where asked for."""
    kind, n, epsilon, p = (setting[key] for key in ("kind", "n", "epsilon", "p"))
    if kind == "one":
        z = rng.binomial(n, p, runs) + noise(rng, epsilon, runs) + rng.random(runs) - 0.5
        z = z.clip(0.0, n) if interval else z
        return np.array([combine_tails(*compute_noisy_tails(each, n, p, Tulap(epsilon)), "two-sided") for each in z])
    if kind == "pair":
        met = rng.binomial(n, p, runs)
        pairs = np.column_stack([met, n - met]) + noise(rng, epsilon, (runs, 2))
        pairs = pairs.clip(min=0.0) if interval else pairs

        def one(met: float, unmet: float) -> float:
            pair = NoisyBinaryCounts(met, unmet, epsilon)
            if abs(pair.compute_statistic(p)) < FAR:
                return 1.0
            return combine_tails(*pair.compute_tails(p, OUTSIDE if interval else 1e-6), "two-sided")

        return _each(one, pairs)
    line = ProportionLine.from_difference(p[0] - p[1])
    if setting["ratio"]:
        line = ProportionLine.from_ratio(p[0] / p[1])
    noisy = _noisy_counts(setting, runs, rng)
    noisy = noisy.clip(0.0, np.array(n, dtype=np.float64)) if interval else noisy
    return _twos(noisy, setting, line, OUTSIDE if interval else 1e-6)


def _noisy_counts(setting: Setting, runs: int, rng: np.random.Generator) -> np.ndarray:
    return rng.binomial(setting["n"], setting["p"], (runs, 2)) + noise(rng, setting["epsilon"], (runs, 2))


def _twos(noisy: np.ndarray, setting: Setting, line: ProportionLine, outside: float = 1e-6) -> np.ndarray:
    def one(first: float, second: float) -> float:
        counts = NoisyGroupCounts((first, second), setting["n"], setting["epsilon"])
        if abs(counts.compute_statistic(line)) < FAR:
            return 1.0
        return combine_tails(*counts.compute_tails(line, outside), "two-sided")

    return _each(one, noisy)


def _each(function: Callable[..., float], rows: np.ndarray) -> np.ndarray:
    """Return a function of each row, computed once for equal rows."""
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    return np.array([function(*row) for row in distinct.tolist()])[place.reshape(-1)]
