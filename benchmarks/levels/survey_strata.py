"""Statistics of records with survey weights that were drawn by strata."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from levels.survey import ALPHA, draw, sums_of
from levels.thinned import missed
from pydpstat._null_distributions.means.noisy_t import EXCLUDED_PROBABILITY, compute_t_pvalue
from pydpstat._null_distributions.survey.weighted_means import (
    NoisySize,
    StratifiedSums,
    StratifiedTotal,
    WeightedMeanInterval,
)
from pydpstat._records.moment_release import make_private_size_sums

Setting = dict[str, Any]
Drawn = tuple[np.ndarray, np.ndarray]
_DRAWS = 400_000
LAWS = ("apart", "same", "rare", "skewed", "weights vary", "constant in strata", "signs")


def _setting(kind: str, law: str, strata: int, n: int, epsilon: float, equal: bool) -> Setting:
    parts = "equal" if equal else "halves"
    name = f"{kind}, {law}, {strata} strata, {parts}, n {n}, epsilon {epsilon:g}"
    return {
        "name": name,
        "kind": kind,
        "law": law,
        "strata": strata,
        "n": n,
        "epsilon": epsilon,
        "equal": equal,
    }


SETTINGS = [
    *(
        _setting("mean", law, *own)
        for law in LAWS
        for own in (
            (5, 25, 1000.0, True),
            (5, 200, 1.0, True),
            (10, 2000, 1.0, True),
            (6, 5000, 2.0, False),
            (20, 20_000, 0.5, True),
            (10, 20_000, 10.0, True),
        )
    ),
    *(
        _setting("total", law, *own)
        for law in LAWS
        for own in ((5, 200, 1.0, True), (6, 5000, 2.0, False), (20, 20_000, 0.5, True))
    ),
    # a subset, whose share of a stratum differs: who is outside counts without weight
    *(
        _setting(kind, "domain", *own)
        for kind in ("mean", "total")
        for own in (
            (5, 200, 1.0, True),
            (10, 2000, 1.0, True),
            (6, 5000, 2.0, False),
            (20, 20_000, 0.5, True),
            (10, 20_000, 10.0, True),
        )
    ),
]


def _sizes(setting: Setting) -> list[int]:
    n, strata = setting["n"], setting["strata"]
    return [max(2, n // strata if setting["equal"] else n >> h + 1) for h in range(strata)]


def _stratum(law: str, place: int, strata: int, n: int, rng: np.random.Generator) -> Drawn:
    """Draw records z in [-1, 1] and weights v in [0, 1] of a stratum."""
    turn = 2.0 * place / (strata - 1) - 1.0
    heavy = 1.0 if place % 2 else 0.3
    if law == "apart":
        return rng.normal(0.5 * turn, 0.15, n).clip(-1.0, 1.0), np.full(n, heavy)
    if law == "same":
        return rng.normal(0.1, 0.3, n).clip(-1.0, 1.0), np.full(n, heavy)
    if law == "rare":
        return np.where(rng.random(n) < (0.02 if place else 0.5), 1.0, -1.0), np.full(n, 1.0 if place else 0.1)
    if law == "skewed":
        z = 2.0 * rng.beta(0.5, 3.0, n) * (0.3 + 0.7 * (place + 1) / strata) - 1.0
        return z, np.full(n, 1.0 if place < strata // 2 else 0.1)
    if law == "weights vary":
        z, v = draw("heavy weights", n, rng)
        return (0.5 * z + 0.4 * turn).clip(-1.0, 1.0), v
    if law == "domain":
        inside = rng.random(n) < 0.3 + 0.25 * turn
        return np.where(inside, rng.normal(0.4 * turn, 0.25, n).clip(-1.0, 1.0), 0.0), heavy * inside
    if law == "constant in strata":
        return np.full(n, 0.6 * turn), np.full(n, 0.5)
    return np.where(rng.random(n) < 0.5 + 0.49 * turn, 1.0, -1.0), np.ones(n)


@lru_cache(maxsize=64)
def _means(law: str, strata: int) -> tuple[tuple[float, float, float], ...]:
    """Return of each stratum the means of v z, of v, and of the products v (1 + z) / 2."""
    rng = np.random.default_rng(7)
    found = [_stratum(law, place, strata, _DRAWS, rng) for place in range(strata)]
    return tuple((float((v * z).mean()), float(v.mean()), float((0.5 * v * (1.0 + z)).mean())) for z, v in found)


def truth(setting: Setting) -> float:
    """Return what the population has."""
    sizes, means = np.array(_sizes(setting)), np.array(_means(setting["law"], setting["strata"]))
    first, weight, product = sizes @ means
    return float(product if setting["kind"] == "total" else first / weight)


def release(setting: Setting, rng: np.random.Generator) -> Any:
    """Return the noisy sums of all strata."""
    sizes, scale = _sizes(setting), 1.0 / setting["epsilon"]
    drawn = [_stratum(setting["law"], i, len(sizes), n, rng) for i, n in enumerate(sizes)]
    if setting["kind"] == "mean":
        return StratifiedSums(tuple(sums_of(z, v, scale, None, rng) for z, v in drawn))
    rows = []
    for z, v in drawn:
        y = v * (1.0 + z) - 1.0
        parts = (1.0 - y) ** 2 / 4.0, (1.0 - y * y) / 2.0, (1.0 + y) ** 2 / 4.0
        rows.append(np.array([part.sum() for part in parts]) + scale * rng.laplace(size=3))
    strata = tuple(make_private_size_sums(row, scale, "laplace") for row in rows)
    return StratifiedTotal(strata, (0.0, 1.0), NoisySize(float(np.sum(rows)), scale, 3 * len(rows)))


def rejected(setting: Setting, found: Any, at: float) -> bool:
    """Tell whether a release's test rejects the population's value."""
    if setting["kind"] == "mean":
        return compute_t_pvalue(found.compute_centered_sums(at), at, stop_above=ALPHA)[1] <= ALPHA
    means = [(size, 2.0 * at / size - 1.0) for size in found.noisy_size.find_plausible_sizes()]
    return not any(
        abs(mean) <= 1.0
        and compute_t_pvalue(found.make_sums(mean, size), mean, stop_above=ALPHA)[1] + EXCLUDED_PROBABILITY > ALPHA
        for size, mean in means
    )


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Count intervals of level 0.95 that miss the truth, or whose own test rejects it.

    The few of these that hold it all the same would have to be computed.
    """
    rng, at = np.random.default_rng(seed), truth(setting)
    count = 0
    for _ in range(runs):
        found = release(setting, rng)
        if rejected(setting, found, at):
            count += 1
            continue
        interval: Any = WeightedMeanInterval(found, 0.0, 1.0) if setting["kind"] == "mean" else found
        count += missed(False, partial(interval.compute_limits, ALPHA), at, rng)
    return count
