"""Quantiles: tests of the true one, and intervals from noisy histograms."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from levels.proportions import ALPHA, noise
from pydpstat._null_distributions.noise import Tulap
from pydpstat._null_distributions.proportions.one_proportion import (
    NoisyBinaryCounts,
    combine_tails,
    compute_noisy_tails,
)
from pydpstat._null_distributions.quantiles.sample_quantiles import choose_bin_number, compute_quantile_limits

Setting = dict[str, Any]
# for bounds of -1 and 1; the heavy-tailed one goes beyond both
CONTINUOUS = {
    "normal": stats.norm(0.03, 0.25),
    "skewed": stats.expon(-1.0, 0.25),
    "heavy-tailed": stats.cauchy(0.0, 0.2),
    "near a bound": stats.beta(1.0, 200.0, -1.0, 2.0),
}
# values with their probabilities
DISCRETE = {"atoms": {-0.5: 0.45, 0.2: 0.2, 0.75: 0.35}, "constant": {0.3: 1.0}}


def _setting(law: str, n: int, epsilon: float, q: float, test: str = "public n") -> Setting:
    name = f"{law}, n {n}, epsilon {epsilon}, quantile {q}, {test}"
    return {"name": name, "law": law, "n": n, "epsilon": epsilon, "q": q, "test": test}


SETTINGS: list[Setting] = [
    *(_setting(*each) for each in (
        ("normal", 20, 0.05, 0.5), ("normal", 30, 1.0, 0.5), ("normal", 100, 10.0, 0.25), ("normal", 500, 0.1,
        0.5), ("normal", 5000, 1.0, 0.9), ("normal", 10**5, 0.1, 0.5), ("normal", 10**6, 1.0, 0.01),
        ("skewed", 100, 1.0, 0.25), ("skewed", 1000, 0.3, 0.99), ("heavy-tailed", 500, 0.5, 0.75),
        ("heavy-tailed", 10**4, 10.0, 0.95), ("near a bound", 1000, 10.0, 0.05), ("atoms", 20, 1.0, 0.5),
        ("atoms", 200, 1.0, 0.65), ("atoms", 10**4, 5.0, 0.45), ("constant", 50, 1.0, 0.5), ("normal", 30,
        1.0, 0.5, "no ties"), ("skewed", 500, 0.1, 0.75, "no ties"), ("normal", 100, 1.0, 0.5, "private n"),
        ("skewed", 1000, 0.1, 0.9, "private n"), ("atoms", 200, 0.3, 0.65, "private n"), ("normal", 20, 5.0,
        0.5, "private n"),
    )),
]  # fmt: skip


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Return how many p-values of the true quantile are 0.05 at most."""
    rng = np.random.default_rng(seed)
    below, above = _sides(setting["law"], true_quantile(setting["law"], setting["q"]))
    cells = rng.multinomial(setting["n"], [below, max(0.0, 1.0 - below - above), above], runs)
    pvalue = {"public n": _public, "no ties": _untied, "private n": _private}[setting["test"]]
    return sum([pvalue(each, setting, rng) <= ALPHA for each in cells])


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Return how many 95 % intervals from a histogram on (-1, 1) miss; n is public."""
    rng = np.random.default_rng(seed)
    n, epsilon, q = setting["n"], setting["epsilon"], setting["q"]
    true, bins = true_quantile(setting["law"], q), choose_bin_number(n, epsilon)
    edges = np.linspace(-1.0, 1.0, bins + 1)
    inner = np.array([_sides(setting["law"], float(edge))[0] for edge in edges[1:-1]])
    shares = np.diff(np.concatenate([[0.0], inner, [1.0]])).clip(min=0.0)
    counts = rng.multinomial(n, shares / shares.sum(), runs) + noise(rng, 0.5 * epsilon, (runs, bins))
    # beyond the outer edges there may be values
    edges[0], edges[-1] = -np.inf, np.inf
    ends = [compute_quantile_limits(each, edges, n, q, ALPHA, 0.5 * epsilon) for each in counts]
    return sum([not low <= true <= high for low, high in ends])


def true_quantile(law: str, q: float) -> float:
    """Return a law's quantile."""
    if law in CONTINUOUS:
        return float(CONTINUOUS[law].ppf(q))
    values = list(DISCRETE[law])
    return values[int(np.searchsorted(np.cumsum(list(DISCRETE[law].values())), q - 1e-12))]


def _sides(law: str, x: float) -> tuple[float, float]:
    """Return the probabilities of values below and above."""
    if law in CONTINUOUS:
        below = float(CONTINUOUS[law].cdf(x))
        return below, 1.0 - below
    atoms = DISCRETE[law].items()
    return sum([p for value, p in atoms if value < x]), sum([p for value, p in atoms if value > x])


def _public(cells: np.ndarray, setting: Setting, rng: np.random.Generator) -> float:
    n, q, law = setting["n"], setting["q"], Tulap(0.5 * setting["epsilon"])
    below, above = (cells[[0, 2]] + noise(rng, law.rate, 2) + rng.random(2) - 0.5).tolist()
    sides = compute_noisy_tails(below, n, q, law)[0], compute_noisy_tails(above, n, 1.0 - q, law)[0]
    return combine_tails(*sides, "two-sided")


def _untied(cells: np.ndarray, setting: Setting, rng: np.random.Generator) -> float:
    law = Tulap(setting["epsilon"])
    below = float(cells[0] + noise(rng, law.rate, 1)[0] + rng.random() - 0.5)
    return combine_tails(*compute_noisy_tails(below, setting["n"], setting["q"], law), "two-sided")


def _private(cells: np.ndarray, setting: Setting, rng: np.random.Generator) -> float:
    q, epsilon = setting["q"], setting["epsilon"]
    below, equal, above = (cells + noise(rng, epsilon, 3)).tolist()
    tests = (below, equal + above, q), (above, equal + below, 1.0 - q)
    sides = [
        NoisyBinaryCounts(met, unmet, epsilon, (1, 2)).compute_tails(share, 1e-6)[0] for met, unmet, share in tests
    ]
    return combine_tails(*sides, "two-sided")
