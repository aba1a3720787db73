"""Level and power of the tests by ranks and distances, from the same distributions as the public functions.

Each run makes data, their exact statistic and its noise; only the pipeline around them is left out.
"""

from __future__ import annotations

import itertools
import math
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from pydpstat._null_distributions.ranks import distances
from pydpstat._null_distributions.ranks import rank_statistics as ranks
from pydpstat.inference.ranks.rank_groups import choose_group_weights

Setting = dict[str, Any]
LEVEL = 0.05
NOISY = True


def _draw(law: str, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw records of a law."""
    match law:
        case "normal":
            return rng.normal(size=size)
        case "skewed":
            return rng.lognormal(0.0, 1.5, size)
        case "heavy":
            return rng.standard_cauchy(size)
        case "clipped":
            return rng.standard_cauchy(size).clip(-2.0, 2.0)
        case "edge":
            return rng.beta(0.2, 20.0, size)
        case "tied":
            return rng.poisson(0.1, size).astype(float)
        case "coin":
            return rng.choice([-1.0, 1.0], size)
        case "discrete":
            return rng.integers(-3, 4, size).astype(float)
        case "uneven":
            # symmetric, each record with a spread of its own
            return rng.normal(size=size) * np.exp(3.0 * np.arange(size) / size)
    return np.zeros(size)


def noise_of(rate: float, rng: np.random.Generator) -> int:
    share = -math.expm1(-rate)
    return int(rng.geometric(share) - rng.geometric(share)) if NOISY else 0


def keys_of(size: int, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 2**52, size)


def _mannwhitneyu(x: np.ndarray, y: np.ndarray, s: Setting, rng: np.random.Generator) -> float:
    reach = max(x.size, y.size)
    z = ranks.count_pairs_won(x, y, keys_of(x.size + y.size, rng)) + noise_of(s["epsilon"] / reach, rng)
    law = ranks.make_mann_whitney_distribution(x.size, y.size)
    side = s.get("alternative", "two-sided")
    return ranks.compute_rank_pvalue(law, z, x.size * y.size, s["epsilon"] / reach, side)


def _wilcoxon(x: np.ndarray, s: Setting, rng: np.random.Generator) -> float:
    cap = s.get("cap") or ranks.choose_rank_cap(x.size, s["epsilon"])
    signs = rng.integers(0, 2, x.size) == 1
    rate = s["epsilon"] / cap
    z = ranks.sum_positive_ranks(x, signs, keys_of(x.size, rng), cap) + noise_of(rate, rng)
    law, total = (
        ranks.make_signed_rank_distribution(x.size, cap),
        ranks.sum_capped_ranks(x.size, cap),
    )
    return ranks.compute_rank_pvalue(law, z, total, rate, s.get("alternative", "two-sided"))


def _kendalltau(x: np.ndarray, y: np.ndarray, s: Setting, rng: np.random.Generator) -> float:
    z, rate, pairs = concordant(x, y, s, rng)
    law = ranks.make_kendall_distribution(x.size)
    return ranks.compute_rank_pvalue(law, z, pairs, rate, s.get("alternative", "two-sided"))


def concordant(x: np.ndarray, y: np.ndarray, s: Setting, rng: np.random.Generator) -> tuple[int, float, int]:
    size, rate = x.size, s["epsilon"] / (x.size - 1)
    keys = keys_of(2 * size, rng).reshape(2, size)
    return ranks.count_concordant_pairs(x, y, keys) + noise_of(rate, rng), rate, size * (size - 1) // 2


def _kruskal(groups: list[np.ndarray], s: Setting, rng: np.random.Generator) -> float:
    sizes = tuple(each.size for each in groups)
    weights = choose_group_weights(sizes, s["epsilon"]) if "weights" not in s else s["weights"](sizes)
    reach = distances.compute_distance_sensitivity(sizes, weights)
    found = distances.compute_scaled_distance(ranks.compute_rank_deviations(groups, keys_of(sum(sizes), rng)), weights)
    rate = s["epsilon"] / reach
    return ranks.compute_upper_tail(
        distances.make_distance_distribution(sizes, weights), found + noise_of(rate, rng), rate
    )


def _kstest(x: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray], s: Setting, rng: np.random.Generator) -> float:
    side, unit = s.get("alternative", "two-sided"), 2.0**ranks.UNIT_BITS
    z = ranks.compute_ks_distance(cdf(x), cdf(np.nextafter(x, -np.inf)), side)
    z += rng.laplace(0.0, unit / s["epsilon"]) if NOISY else 0.0
    return ranks.compute_upper_tail(distances.make_one_sample_distribution(x.size, side), z, s["epsilon"] / unit)


def _ks_2samp(x: np.ndarray, y: np.ndarray, s: Setting, rng: np.random.Generator) -> float:
    side, rate = s.get("alternative", "two-sided"), s["epsilon"] / max(x.size, y.size)
    z = ranks.compute_two_sample_ks_distance(x, y, side) + noise_of(rate, rng)
    return ranks.compute_upper_tail(distances.make_two_sample_distribution(x.size, y.size, side), z, rate)


_CDFS = {"normal": stats.norm.cdf, "heavy": stats.cauchy.cdf, "tied": lambda x: stats.poisson.cdf(x, 0.1)}


def _p_value(s: Setting, rng: np.random.Generator) -> float:
    """Return the p-value of one run."""
    law, shift = s["law"], s.get("shift", 0.0)
    match s["test"]:
        case "mannwhitneyu":
            return _mannwhitneyu(_draw(law, s["n"][0], rng) + shift, _draw(law, s["n"][1], rng), s, rng)
        case "ks_2samp":
            return _ks_2samp(_draw(law, s["n"][0], rng) + shift, _draw(law, s["n"][1], rng), s, rng)
        case "wilcoxon":
            return _wilcoxon(_draw(law, s["n"], rng) + shift, s, rng)
        case "kstest":
            return _kstest(_draw(law, s["n"], rng) + shift, _CDFS[law], s, rng)
        case "kendalltau":
            x = _draw(law, s["n"], rng)
            r = s.get("rho", 0.0)
            return _kendalltau(x, r * x + math.sqrt(1.0 - r * r) * _draw(s.get("other", law), s["n"], rng), s, rng)
    ends = s.get("ends", (0.0,) * len(s["n"]))
    return _kruskal([_draw(law, n, rng) + end for n, end in zip(s["n"], ends)], s, rng)


def generator_of(setting: Setting, seed: int) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(setting["name"].encode()), seed])


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many runs reject at 0.05."""
    rng = generator_of(setting, seed)
    return sum(_p_value(setting, rng) <= LEVEL for _ in range(runs))


power = rejections


def named(test: str, law: str, n: Any, epsilon: float, **more: Any) -> Setting:
    """Return a setting, with all that tells it apart in its name."""
    shown = [f"{key} {value}" for key, value in more.items() if key not in ("figure", "truth")]
    name = ", ".join((test, law, f"n {n}", f"epsilon {epsilon}", *shown))
    return {"name": name, "test": test, "law": law, "n": n, "epsilon": epsilon, **more}


_LAWS = ("normal", "skewed", "heavy", "clipped", "edge", "tied", "constant")
SETTINGS: list[Setting] = [
    *(
        named("mannwhitneyu", law, n, epsilon)
        for law, (n, epsilon) in itertools.product(
            _LAWS, (((20, 20), 1.0), ((10, 200), 0.3), ((30, 30), 10.0), ((250, 400), 0.05))
        )
    ),
    named("mannwhitneyu", "tied", (3, 20_000), 1.0),
    named("mannwhitneyu", "tied", (10_000, 10_000), 0.1),
    named("mannwhitneyu", "heavy", (400_000, 600_000), 0.05),
    named("mannwhitneyu", "normal", (20, 30), 1.0, alternative="greater"),
    *(
        named("wilcoxon", law, n, epsilon)
        for law, (n, epsilon) in itertools.product(
            ("normal", "heavy", "clipped", "discrete", "coin", "uneven", "constant"),
            ((20, 1.0), (30, 10.0), (100, 0.5), (500, 0.05), (2000, 1.0)),
        )
    ),
    named("wilcoxon", "discrete", 100_000, 0.05),
    named("wilcoxon", "normal", 25, 2.0, alternative="less"),
    *(
        named("kruskal", law, n, epsilon)
        for law, (n, epsilon) in itertools.product(
            ("normal", "tied", "constant"),
            (((10, 10, 10), 1.0), ((15, 40, 200), 1.0), ((15, 40, 200), 10.0), ((5, 500, 800, 900), 0.3)),
        )
    ),
    *(
        named("kendalltau", law, n, epsilon, other=other)
        for (law, other), (n, epsilon) in itertools.product(
            (("normal", "normal"), ("tied", "skewed"), ("coin", "tied"), ("constant", "heavy")),
            ((20, 1.0), (50, 10.0), (300, 0.1), (2000, 1.0)),
        )
    ),
    *(
        named("kstest", law, n, epsilon)
        for law, (n, epsilon) in itertools.product(
            ("normal", "heavy", "tied"), ((20, 1.0), (50, 10.0), (500, 0.1), (10_000, 1.0))
        )
    ),
    *(
        named("ks_2samp", law, n, epsilon)
        for law, (n, epsilon) in itertools.product(
            ("normal", "tied"), (((20, 20), 1.0), ((10, 200), 10.0), ((600, 900), 0.3), ((700, 700), 10.0))
        )
    ),
    named("ks_2samp", "normal", (20, 40), 3.0, alternative="less"),
]


_SHIFTED = (
    ("wilcoxon", 30, 0.7, ((1.0, 0.70), (5.0, 0.94))),
    ("wilcoxon", 100, 0.4, ((0.5, 0.78), (1.0, 0.93), (5.0, 0.97))),
    ("wilcoxon", 500, 0.2, ((0.1, 0.37), (0.5, 0.98), (1.0, 0.99))),
    ("mannwhitneyu", (30, 30), 1.0, ((1.0, 0.85),)),
    ("mannwhitneyu", (100, 100), 0.6, ((0.5, 0.92), (1.0, 0.99))),
)
POWER: list[Setting] = [
    *(
        named(test, "normal", n, epsilon, shift=shift, figure=figure)
        for test, n, shift, pairs in _SHIFTED
        for epsilon, figure in pairs
    ),
    named("kruskal", "normal", (30, 30, 30), 1.0, ends=(0.0, 0.0, 0.7)),
    named("kruskal", "normal", (30, 30, 30), 1.0, ends=(0.0, 0.7, 1.4), figure=0.93),
    named("kruskal", "normal", (400, 400, 400), 1.0, ends=(0.0, 0.2, 0.4), figure=1.0),
    *(
        named("kendalltau", "normal", 100, epsilon, rho=0.38, figure=figure)
        for epsilon, figure in ((0.5, 0.41), (1.0, 0.77))
    ),
]
