"""Statistics of records with survey weights, by group, and totals of private numbers of records."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from levels.survey import ALPHA, LAWS, cells_of, draw, mean_and_quantile, quantile_rejected, sums_of
from levels.thinned import missed
from pydpstat._null_distributions.means.mean_differences import UninformativeInterval
from pydpstat._null_distributions.means.noisy_t import EXCLUDED_PROBABILITY, compute_t_pvalue
from pydpstat._null_distributions.means.noisy_welch import compute_welch_pvalue
from pydpstat._null_distributions.survey.weighted_means import (
    NoisySize,
    PrivateSizeTotal,
    WeightedMeanInterval,
    make_weighted_interval,
)
from pydpstat._null_distributions.survey.weighted_quantiles import WeightedQuantileInterval

Setting = dict[str, Any]
# a record may leave a group and enter another: bounded neighbors move the sums by so much
BOUNDED = 2.0
QUANTILE = 0.5
_DRAWS = 4_000_000


def _setting(kind: str, law: str, n: int, share: float, epsilon: float, groups: int, **own: Any) -> Setting:
    name = f"{kind}, {law}, n {n}, a group of {share:g}, {groups} groups, epsilon {epsilon}"
    name += "".join(f", {value}" for value in own.values())
    given = {"kind": kind, "law": law, "n": n, "share": share, "epsilon": epsilon, "groups": groups}
    return {"name": name, **given, **own}


SETTINGS = [
    *(
        _setting("mean", law, n, share, epsilon, 10)
        for law in LAWS
        for n, share, epsilon in ((100, 0.02, 1.0), (1000, 0.1, 1.0), (10_000, 0.05, 0.4))
    ),
    *(
        _setting("quantile", law, n, 0.1, epsilon, 10)
        for law in ("two weights", "weights by value")
        for n, epsilon in ((1000, 1.0), (10_000, 0.4))
    ),
    *(
        _setting("difference", law, n, share, epsilon, 10, other=other)
        for law, other in (
            ("two weights", "weights by value"),
            ("rare", "rare"),
            ("heavy weights", "equal weights"),
            ("heavy weights", "rare"),
        )
        for n, share, epsilon in ((500, 0.1, 2.0), (3000, 0.1, 1.0), (20_000, 0.05, 0.4))
    ),
    *(
        _setting("total", law, n, share, epsilon, groups, sign=sign)
        for law in LAWS
        for n, share, epsilon, groups in (
            (30, 1.0, 1.0, 1),
            (1000, 1.0, 0.3, 1),
            (10_000, 1.0, 5.0, 1),
            (1000, 0.1, 1.0, 10),
            (20_000, 0.02, 2.0, 50),
        )
        for sign in ("positive", "both signs")
    ),
    # of the records in no group nothing is released
    *(
        _setting("total", law, n, 0.2, epsilon, 1, sign=sign, others="others left out")
        for law in LAWS
        for n, epsilon in ((500, 1.0), (10_000, 1.0))
        for sign in ("positive", "both signs")
    ),
]


def _products(law: str, n: int, sign: str, rng: np.random.Generator) -> np.ndarray:
    z, v = draw(law, n, rng)
    return v * (z if sign == "both signs" else 0.5 + 0.5 * z)


@lru_cache(maxsize=32)
def _mean_product(law: str, sign: str) -> float:
    return float(_products(law, _DRAWS, sign, np.random.default_rng(7)).mean())


def truth(setting: Setting) -> float:
    """Return what the population has."""
    law, kind = setting["law"], setting["kind"]
    if kind == "total":
        return setting["n"] * setting["share"] * _mean_product(law, setting["sign"])
    if kind == "difference":
        return mean_and_quantile(law, 0.0) - mean_and_quantile(setting["other"], 0.0)
    return mean_and_quantile(law, QUANTILE if kind == "quantile" else 0.0)


def release(setting: Setting, rng: np.random.Generator) -> Any:
    """Return what is released: noisy sums of a group, or of two of them."""
    law, n, epsilon, kind = (setting[each] for each in ("law", "n", "epsilon", "kind"))
    size = int(rng.binomial(n, setting["share"]))
    if kind == "total":
        scale, sign, groups = 1.0 / epsilon, setting["sign"], setting["groups"]
        y = _products(law, size, sign, rng)
        bounds = (-1.0, 1.0) if sign == "both signs" else (0.0, 1.0)
        z = y if sign == "both signs" else 2.0 * y - 1.0
        parts = (1.0 - z) ** 2 / 4.0, (1.0 - z * z) / 2.0, (1.0 + z) ** 2 / 4.0
        weights = np.array([part.sum() for part in parts]) + scale * rng.laplace(size=3)
        counted = "others" not in setting
        others = (n - size) * counted + scale * rng.laplace(size=3 * (groups - 1)).sum()
        number = NoisySize(float(weights.sum() + others), scale, 3 * groups, counted)
        return PrivateSizeTotal(tuple(weights.tolist()), scale, bounds, number)
    if kind == "quantile":
        return cells_of(*draw(law, size, rng), BOUNDED / epsilon, None, rng)
    first = sums_of(*draw(law, size, rng), BOUNDED / epsilon, None, rng)
    if kind == "mean":
        return first
    other = int(rng.binomial(n, setting["share"]))
    return first, sums_of(*draw(setting["other"], other, rng), BOUNDED / epsilon, None, rng)


def rejected(setting: Setting, found: Any, at: float) -> bool:
    """Tell whether a release's test rejects the population's value."""
    if setting["kind"] == "mean":
        return compute_t_pvalue(found.compute_centered_sums(at), at, stop_above=ALPHA)[1] <= ALPHA
    if setting["kind"] == "quantile":
        return quantile_rejected(found, QUANTILE, at)
    if setting["kind"] == "difference":
        interval = make_weighted_interval(found, 1.0)
        if isinstance(interval.inner, UninformativeInterval):
            return False
        return compute_welch_pvalue(interval.inner.noisy_sums, at / interval.unit, stop_above=ALPHA)[1] <= ALPHA
    middle, half = 0.5 * sum(found.bounds), 0.5 * (found.bounds[1] - found.bounds[0])
    means = [(size, (at / size - middle) / half) for size in found.noisy_size.find_plausible_sizes()]
    return not any(
        abs(mean) <= 1.0
        and compute_t_pvalue(found.make_sums(size), mean, stop_above=ALPHA)[1] + EXCLUDED_PROBABILITY > ALPHA
        for size, mean in means
    )


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Count intervals of level 0.95 that miss the truth, or whose own test rejects it.

    The few of these that hold it all the same would have to be computed.
    """
    rng, at, kind = np.random.default_rng(seed), truth(setting), setting["kind"]
    count = 0
    for _ in range(runs):
        found = release(setting, rng)
        if rejected(setting, found, at):
            count += 1
            continue
        interval: Any = found
        if kind == "mean":
            interval = WeightedMeanInterval(found, 0.0, 1.0)
        elif kind == "quantile":
            interval = WeightedQuantileInterval(found, QUANTILE)
        elif kind == "difference":
            interval = make_weighted_interval(found, 1.0)
        count += missed(False, partial(interval.compute_limits, ALPHA), at, rng)
    return count
