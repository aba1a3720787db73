"""Chi-square tests of noisy tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat._null_distributions.simulation import simulate_geometric_noise
from pydpstat._null_distributions.tables import simulate_fit_pvalue, simulate_independence_pvalue

ALPHA = 0.05
# simulated tables for each p-value: fewer than a release gets, and others for each run
DRAWS = 299
Setting = dict[str, Any]


def _independent(
    name: str,
    rows: list[float],
    columns: list[float],
    n: int,
    epsilon: float,
    private: bool = False,
) -> Setting:
    told = ", private n" if private else ""
    shape = f"{len(rows)}x{len(columns)}"
    return {
        "name": f"independence, {shape} {name}, n {n}, epsilon {epsilon}{told}",
        "n": n,
        "epsilon": epsilon,
        "law": name,
        "p": np.outer(rows, columns) / (sum(rows) * sum(columns)),
        "private": private,
    }


def _given(name: str, shares: list[float], n: int, epsilon: float, private: bool = False) -> Setting:
    told = ", private n" if private else ""
    return {
        "name": f"given shares, {len(shares)} {name}, n {n}, epsilon {epsilon}{told}",
        "n": n,
        "epsilon": epsilon,
        "law": name,
        "p": np.array(shares) / sum(shares),
        "private": private,
    }


_HALF, _RARE = [0.5, 0.5], [0.01, 0.99]
_THREE, _FOUR = [0.5, 0.3, 0.2], [0.4, 0.3, 0.2, 0.1]
_SPARSE = [0.9, 0.08, 0.015, 0.005]
_TEN = [0.5**place for place in range(10)]

SETTINGS: list[Setting] = [
    *(
        _independent("equal", _HALF, _HALF, n, epsilon)
        for n, epsilon in (
            (20, 0.05),
            (20, 1.0),
            (20, 10.0),
            (100, 0.5),
            (1_000, 0.2),
            (10**6, 0.05),
            (10**6, 10.0),
        )
    ),
    *(
        _independent("rare", _RARE, _RARE, n, epsilon)
        for n, epsilon in ((20, 0.2), (200, 0.05), (200, 10.0), (1_000, 1.0), (10**5, 0.1))
    ),
    *(
        _independent("unequal", _THREE, _FOUR, n, epsilon)
        for n, epsilon in ((20, 0.05), (30, 1.0), (200, 1.0), (2_000, 5.0), (10**6, 1.0))
    ),
    *(
        _independent("sparse", _SPARSE, [0.7, 0.2, 0.1], n, epsilon)
        for n, epsilon in ((30, 0.1), (60, 1.0), (500, 5.0))
    ),
    *(_independent("one level", [1.0, 1e-9], _HALF, n, epsilon) for n, epsilon in ((50, 0.5), (5_000, 0.02))),
    *(_independent("equal", [0.1] * 10, [0.1] * 10, n, epsilon) for n, epsilon in ((100, 1.0), (10**4, 1.0))),
    _independent("falling", _TEN, _TEN, 2_000, 0.5),
    *(
        _independent("equal", _HALF, _HALF, n, epsilon, True)
        for n, epsilon in ((20, 0.05), (100, 0.5), (1_000, 1.0), (10**5, 0.1))
    ),
    *(_independent("rare", _RARE, _RARE, n, epsilon, True) for n, epsilon in ((20, 0.2), (200, 0.05), (10**4, 0.1))),
    *(_independent("unequal", _THREE, _FOUR, n, epsilon, True) for n, epsilon in ((30, 1.0), (2_000, 0.1))),
    # the worst that the search found
    _independent("worst", [0.9718, 0.0282], [1e-6, 1.0], 147, 0.057),
    _independent("worst", [0.0339, 0.0215, 0.9445], [0.9828, 0.0158, 0.0014], 177, 0.065),
    _independent("worst", [4e-4, 0.9996], [1e-6, 1.0], 577, 0.01),
    _independent("worst", [0.7083, 0.2917], [0.8693, 0.0005, 0.1302], 2_104, 0.061),
    _independent("worst", [1e-9, 1e-9, 1.0], [0.9845, 0.0134, 0.0021], 160, 0.032, True),
    *(
        _given("equal", [1.0] * k, n, epsilon)
        for k, n, epsilon in ((2, 20, 0.05), (2, 10**6, 10.0), (5, 100, 1.0), (50, 1_000, 0.5), (5, 20, 10.0))
    ),
    *(_given("falling", _TEN, n, epsilon) for n, epsilon in ((20, 1.0), (300, 0.2), (10**5, 5.0))),
    *(_given("equal", [1.0] * 5, n, epsilon, True) for n, epsilon in ((20, 0.05), (100, 1.0), (10**5, 1.0))),
    *(_given("falling", _TEN, n, epsilon, True) for n, epsilon in ((20, 1.0), (300, 0.2))),
]


def _square(n: int, epsilon: float, figure: float) -> Setting:
    """A table of two by two: each cell is off by 0.1."""
    p = np.array([[0.35, 0.15], [0.15, 0.35]])
    name = f"independence, 2x2 off by 0.1, n {n}, epsilon {epsilon}"
    return {
        "name": name,
        "n": n,
        "epsilon": epsilon,
        "law": "off by 0.1",
        "p": p,
        "private": False,
        "figure": figure,
    }


POWER: list[Setting] = [_square(100, 0.5, 0.53), _square(100, 1.0, 0.91)]


def _pvalues(setting: Setting, runs: int, seed: int, noise: float = 1.0, draws: int | None = DRAWS) -> list[float]:
    """Return p-values of simulated releases, whose noise is so many times as wide as the test believes."""
    rng = np.random.default_rng(seed)
    p, n = setting["p"], setting["n"]
    rate = setting["epsilon"] / (1.0 if setting["private"] else 2.0)
    counts = rng.multinomial(n, p.ravel() / p.sum(), size=runs).reshape(runs, *p.shape)
    tables = counts + simulate_geometric_noise(rng, rate / noise, counts.shape)
    known = None if setting["private"] else n
    if p.ndim == 1:
        return [simulate_fit_pvalue(each, p, known, rate)[1] for each in tables]
    streams = rng.integers(2**62, size=runs).tolist()
    return [simulate_independence_pvalue(each, known, rate, draws, own)[1] for each, own in zip(tables, streams)]


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many p-values are 0.05 at most."""
    return sum(p <= ALPHA for p in _pvalues(setting, runs, seed))


def power(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many p-values are 0.05 at most, each from as many draws as a release gets."""
    return sum(p <= ALPHA for p in _pvalues(setting, runs, seed, draws=None))
