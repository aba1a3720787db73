"""Level, coverage and power of the tests by ranks and distances, from the same laws as the public functions.

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

from pydpstat.inference._laws import distance_laws, rank_laws, rank_values, sampled_laws
from pydpstat.inference._laws.largest_variance import LargestVariance
from pydpstat.inference.rank_groups import weights_of

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


def _noise(rate: float, rng: np.random.Generator) -> int:
    share = -math.expm1(-rate)
    return int(rng.geometric(share) - rng.geometric(share)) if NOISY else 0


def _keys(size: int, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(0, 2**52, size)


def _mannwhitneyu(x: np.ndarray, y: np.ndarray, s: Setting, rng: np.random.Generator) -> float:
    reach = max(x.size, y.size)
    z = rank_values.pairs_won(x, y, _keys(x.size + y.size, rng)) + _noise(s["epsilon"] / reach, rng)
    law = rank_laws.mann_whitney_law(x.size, y.size)
    side = s.get("alternative", "two-sided")
    return rank_laws.p_value(law, z, x.size * y.size, s["epsilon"] / reach, side)


def _wilcoxon(x: np.ndarray, s: Setting, rng: np.random.Generator) -> float:
    cap = s.get("cap") or rank_laws.best_cap(x.size, s["epsilon"])
    signs = rng.integers(0, 2, x.size) == 1
    rate = s["epsilon"] / cap
    z = rank_values.positive_ranks(x, signs, _keys(x.size, rng), cap) + _noise(rate, rng)
    law, total = rank_laws.signed_rank_law(x.size, cap), rank_laws.capped_total(x.size, cap)
    return rank_laws.p_value(law, z, total, rate, s.get("alternative", "two-sided"))


def _kendalltau(x: np.ndarray, y: np.ndarray, s: Setting, rng: np.random.Generator) -> float:
    z, rate, pairs = _concordant(x, y, s, rng)
    law = rank_laws.kendall_law(x.size)
    return rank_laws.p_value(law, z, pairs, rate, s.get("alternative", "two-sided"))


def _concordant(
    x: np.ndarray, y: np.ndarray, s: Setting, rng: np.random.Generator
) -> tuple[int, float, int]:
    size, rate = x.size, s["epsilon"] / (x.size - 1)
    keys = _keys(2 * size, rng).reshape(2, size)
    return rank_values.concordant_pairs(x, y, keys) + _noise(rate, rng), rate, size * (size - 1) // 2


def _kruskal(groups: list[np.ndarray], s: Setting, rng: np.random.Generator) -> float:
    sizes = tuple(each.size for each in groups)
    weights = weights_of(sizes, s["epsilon"]) if "weights" not in s else s["weights"](sizes)
    reach = sampled_laws.scaled_reach(sizes, weights)
    found = sampled_laws.scaled_distance(
        rank_values.rank_deviations(groups, _keys(sum(sizes), rng)), weights
    )
    rate = s["epsilon"] / reach
    return rank_laws.upper(sampled_laws.distance_law(sizes, weights), found + _noise(rate, rng), rate)


def _kstest(x: np.ndarray, cdf: Callable[[np.ndarray], np.ndarray], s: Setting, rng: np.random.Generator) -> float:
    side, unit = s.get("alternative", "two-sided"), 2.0**rank_values.UNIT_BITS
    z = rank_values.distance_from(cdf(x), side)
    z += rng.laplace(0.0, unit / s["epsilon"]) if NOISY else 0.0
    return rank_laws.upper(distance_laws.one_sample_law(x.size, side), z, s["epsilon"] / unit)


def _ks_2samp(x: np.ndarray, y: np.ndarray, s: Setting, rng: np.random.Generator) -> float:
    side, rate = s.get("alternative", "two-sided"), s["epsilon"] / max(x.size, y.size)
    z = rank_values.distance_between(x, y, side) + _noise(rate, rng)
    return rank_laws.upper(distance_laws.two_sample_law(x.size, y.size, side), z, rate)


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


def _rng(setting: Setting, seed: int) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(setting["name"].encode()), seed])


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many runs reject at 0.05."""
    rng = _rng(setting, seed)
    return sum(_p_value(setting, rng) <= LEVEL for _ in range(runs))


power = rejections


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many 95 % intervals miss the parameter."""
    rng = _rng(setting, seed)
    found = 0
    for _ in range(runs):
        low, high = _interval(setting, rng).ends(LEVEL)
        found += not low <= setting["truth"] <= high
    return found


def _interval(s: Setting, rng: np.random.Generator) -> LargestVariance:
    if s["test"] == "kendalltau":
        x, y = s["draw"](s["n"], rng)
        z, rate, pairs = _concordant(x, y, s, rng)
        return LargestVariance(2.0 * z / pairs - 1.0, 2.0 / x.size, 2.0 / (rate * pairs))
    x, y = s["draw"](s["n"], rng)
    reach, pairs = max(s["n"]), x.size * y.size
    z = rank_values.pairs_won(x, y, _keys(x.size + y.size, rng)) + _noise(s["epsilon"] / reach, rng)
    noise = 2.0 * reach / (s["epsilon"] * pairs)
    return LargestVariance(2.0 * z / pairs - 1.0, 1.0 / min(s["n"]), noise, scale=0.5, shift=0.5)


def _named(test: str, law: str, n: Any, epsilon: float, **more: Any) -> Setting:
    extra = "".join(f", {key} {value}" for key, value in more.items() if isinstance(value, (str, float, int)))
    return {"name": f"{test}, {law}, n {n}, epsilon {epsilon}{extra}", "test": test, "law": law, "n": n} | {
        "epsilon": epsilon,
        **more,
    }


_LAWS = ("normal", "skewed", "heavy", "clipped", "edge", "tied", "constant")
SETTINGS: list[Setting] = [
    *(
        _named("mannwhitneyu", law, n, epsilon)
        for law, (n, epsilon) in itertools.product(
            _LAWS, (((20, 20), 1.0), ((10, 200), 0.3), ((30, 30), 10.0), ((250, 400), 0.05))
        )
    ),
    _named("mannwhitneyu", "tied", (3, 20_000), 1.0),
    _named("mannwhitneyu", "tied", (10_000, 10_000), 0.1),
    _named("mannwhitneyu", "normal", (20, 30), 1.0, alternative="greater"),
    *(
        _named("wilcoxon", law, n, epsilon)
        for law, (n, epsilon) in itertools.product(
            ("normal", "heavy", "clipped", "discrete", "coin", "uneven", "constant"),
            ((20, 1.0), (30, 10.0), (100, 0.5), (500, 0.05), (2000, 1.0)),
        )
    ),
    _named("wilcoxon", "discrete", 100_000, 0.05),
    _named("wilcoxon", "normal", 25, 2.0, alternative="less"),
    *(
        _named("kruskal", law, n, epsilon)
        for law, (n, epsilon) in itertools.product(
            ("normal", "tied", "constant"),
            (((10, 10, 10), 1.0), ((15, 40, 200), 1.0), ((15, 40, 200), 10.0), ((5, 500, 800, 900), 0.3)),
        )
    ),
    *(
        _named("kendalltau", law, n, epsilon, other=other)
        for (law, other), (n, epsilon) in itertools.product(
            (("normal", "normal"), ("tied", "skewed"), ("coin", "tied"), ("constant", "heavy")),
            ((20, 1.0), (50, 10.0), (300, 0.1), (2000, 1.0)),
        )
    ),
    *(
        _named("kstest", law, n, epsilon)
        for law, (n, epsilon) in itertools.product(
            ("normal", "heavy", "tied"), ((20, 1.0), (50, 10.0), (500, 0.1), (10_000, 1.0))
        )
    ),
    *(
        _named("ks_2samp", law, n, epsilon)
        for law, (n, epsilon) in itertools.product(
            ("normal", "tied"), (((20, 20), 1.0), ((10, 200), 10.0), ((600, 900), 0.3), ((700, 700), 10.0))
        )
    ),
    _named("ks_2samp", "normal", (20, 40), 3.0, alternative="less"),
]


def _bivariate(rho: float) -> Callable[..., Any]:
    def draw(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        x, e = rng.normal(size=(2, n))
        return x, rho * x + math.sqrt(1.0 - rho * rho) * e

    return draw


def _square(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.normal(size=n)
    return x, x * x


def _blocks(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    # the largest variance: the order is right but for whole halves of the records
    x = rng.random(n)
    return x, np.where(x < 0.85, x, x - 2.0)


def _shifted(shift: float, spread: float = 1.0) -> Callable[..., Any]:
    def draw(n: tuple[int, int], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return rng.normal(shift, spread, n[0]), rng.normal(size=n[1])

    return draw


def _coins(first: float, second: float) -> Callable[..., Any]:
    def draw(n: tuple[int, int], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return (rng.random(n[0]) < first) * 1.0, (rng.random(n[1]) < second) * 1.0

    return draw


def _covered(test: str, kind: str, draw: Callable[..., Any], truth: float, n: Any, epsilon: float) -> Setting:
    return _named(test, kind, n, epsilon, draw=draw, truth=truth)


# pairs of one block are in order: all but one of the low and one of the high records
_BLOCK_TAU = 1.0 - 4.0 * 0.85 * 0.15
COVERAGE: list[Setting] = [
    *(
        _covered("kendalltau", f"normal, rho {rho}", _bivariate(rho), 2.0 / math.pi * math.asin(rho), n, epsilon)
        for rho, (n, epsilon) in itertools.product(
            (0.0, 0.5, -0.95, 1.0), ((20, 1.0), (20, 10.0), (100, 1.0), (1000, 0.1), (1000, 10.0))
        )
    ),
    *(
        _covered("kendalltau", kind, draw, truth, n, epsilon)
        for (kind, draw, truth), (n, epsilon) in itertools.product(
            (("parabola", _square, 0.0), ("blocks", _blocks, _BLOCK_TAU)), ((20, 3.0), (200, 1.0), (200, 10.0))
        )
    ),
    *(
        _covered("mannwhitneyu", kind, draw, truth, n, epsilon)
        for (kind, draw, truth), (n, epsilon) in itertools.product(
            (
                ("normal", _shifted(0.0), 0.5),
                ("normal, shift 2", _shifted(2.0), float(stats.norm.cdf(math.sqrt(2.0)))),
                ("normal, spread 9", _shifted(0.0, 9.0), 0.5),
                ("coins .1 .05", _coins(0.1, 0.05), 0.525),
                ("coins .99 .01", _coins(0.99, 0.01), 0.99),
            ),
            (((10, 10), 10.0), ((20, 20), 1.0), ((15, 150), 3.0), ((150, 15), 3.0), ((500, 500), 0.1)),
        )
    ),
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
        _named(test, "normal", n, epsilon, shift=shift, figure=figure)
        for test, n, shift, pairs in _SHIFTED
        for epsilon, figure in pairs
    ),
    _named("kruskal", "normal", (30, 30, 30), 1.0, ends=(0.0, 0.0, 0.7), figure=0.93),
    _named("kruskal", "normal", (30, 30, 30), 1.0, ends=(0.0, 0.7, 1.4), figure=0.93),
    _named("kruskal", "normal", (400, 400, 400), 1.0, ends=(0.0, 0.2, 0.4), figure=1.0),
    *(
        _named("kendalltau", "normal", 100, epsilon, rho=0.38, figure=figure)
        for epsilon, figure in ((0.5, 0.41), (1.0, 0.77))
    ),
]
