"""Intervals for the population on releases: shares, means, spreads, quantiles, and two groups."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from levels.thinned import missed
from pydpstat._null_distributions.means.exact_moments import VarianceInterval
from pydpstat._null_distributions.means.mean_differences import use_noisy_size
from pydpstat._null_distributions.means.noisy_t import NoisySums, compute_t_pvalue
from pydpstat._null_distributions.means.noisy_welch import compute_welch_pvalue
from pydpstat._null_distributions.proportions.one_proportion import NoisyBinaryCounts
from pydpstat._null_distributions.proportions.shares import compute_share_limits
from pydpstat._null_distributions.proportions.two_proportions import ShareDifference
from pydpstat._null_distributions.quantiles.sample_quantiles import (
    choose_bin_number,
    compute_private_limits,
    compute_quantile_limits,
)
from pydpstat._null_distributions.weight_moments import PARABOLA_BASIS
from pydpstat._records.population import DEFAULT_CELL_COUNT, make_cell_edges

Setting = dict[str, Any]
CHUNK = 50
ALPHA = 0.05

LAWS = ("normal", "exponential", "Bernoulli .05", "beta at the edge", "signs", "constant", "three points")


def draw(law: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw records in [-1, 1]."""
    if law == "normal":
        return rng.normal(0.0, 0.25, n).clip(-1.0, 1.0)
    if law == "exponential":
        return (rng.exponential(0.3, n) - 1.0).clip(-1.0, 1.0)
    if law == "Bernoulli .05":
        return np.where(rng.random(n) < 0.05, 1.0, -1.0)
    if law == "beta at the edge":
        return 2.0 * rng.beta(1.0, 50.0, n) - 1.0
    if law == "signs":
        return rng.choice([-1.0, 1.0], n)
    if law == "three points":
        return rng.choice([-1.0, 0.0, 1.0], n, p=[0.01, 0.98, 0.01])
    return np.full(n, 0.3)


def truth(law: str) -> tuple[float, float]:
    """Return the mean and the variance of a law, by quadrature of its quantiles where it is continuous."""
    if law == "normal":
        from scipy import stats

        part = stats.truncnorm(-4.0, 4.0, 0.0, 0.25)
        tail = 2.0 * stats.norm.sf(4.0)
        return 0.0, float((1.0 - tail) * part.var() + tail)
    if law == "exponential":
        b, top = 0.3, 2.0
        rest = math.exp(-top / b)
        first = b * (1.0 - rest)
        second = 2.0 * b * b * (1.0 - rest) - 2.0 * b * top * rest
        return first - 1.0, second - first * first
    if law == "beta at the edge":
        mean = 1.0 / 51.0
        return 2.0 * mean - 1.0, 4.0 * mean * (1.0 - mean) / 52.0
    return {
        "Bernoulli .05": (-0.9, 4.0 * 0.05 * 0.95),
        "signs": (0.0, 1.0),
        "three points": (0.0, 0.02),
        "constant": (0.3, 0.0),
    }[law]


def median_of(law: str) -> tuple[float, float]:
    """Return the smallest and the largest median."""
    if law == "exponential":
        return (0.3 * math.log(2.0) - 1.0,) * 2
    if law == "beta at the edge":
        return (2.0 * (1.0 - 0.5 ** (1.0 / 50.0)) - 1.0,) * 2
    points = {"Bernoulli .05": (-1.0, -1.0), "signs": (-1.0, 1.0), "constant": (0.3, 0.3)}
    return points.get(law, (0.0, 0.0))


def _setting(what: str, law: str, n: int, epsilon: float, **more: Any) -> Setting:
    name = ", ".join([what, law, f"n {n}", f"epsilon {epsilon}", *(f"{k} {v}" for k, v in more.items())])
    return {"name": name, "what": what, "law": law, "n": n, "epsilon": epsilon, **more}


_SIZES = ((20, 1.0), (100, 0.3), (500, 1.0), (5000, 0.5), (1_000_000, 0.05))
SETTINGS = [
    _setting("share", f"p {p}", n, epsilon, number=number)
    for p in (0.0, 0.02, 0.5)
    for number in ("public", "private")
    for n, epsilon in _SIZES
]
SETTINGS += [
    _setting("std", law, n, epsilon, number="public")
    for law in LAWS
    for n, epsilon in ((30, 5.0), (300, 0.5), (300, 5.0), (5000, 0.5), (5000, 5.0))
]
SETTINGS += [_setting("std", law, 2000, 1.0, number="private") for law in LAWS]
SETTINGS += [
    _setting("mean", law, n, epsilon, number="private")
    for law in LAWS
    for n, epsilon in ((30, 5.0), (300, 0.5), (3000, 1.0))
]
SETTINGS += [_setting("median", law, n, epsilon) for law in LAWS for n, epsilon in ((20, 1.0), (500, 0.3), (5000, 1.0))]
SETTINGS += [
    _setting("two means", law, n, epsilon, other=other)
    for law in ("normal", "exponential", "Bernoulli .05", "three points")
    for n, other, epsilon in ((30, 30, 5.0), (20, 200, 2.0), (250, 250, 0.5), (2500, 500, 0.1))
]
SETTINGS += [
    _setting("two shares", f"p {p}", n, epsilon, other=other)
    for p in (0.0, 0.05, 0.3, 0.5)
    for n, other, epsilon in ((20, 20, 2.0), (20, 200, 1.0), (250, 250, 0.2), (2500, 500, 1.0))
]
# shares next to both ends, where no count of either is likely but one
SETTINGS += [
    _setting("two shares", f"p {p}", n, epsilon, other=n, second=q)
    for p, q, n, epsilon in (
        (0.0275, 0.97, 10, 20.0),
        (0.0275, 0.97, 10, 5.0),
        (0.02, 0.98, 20, 3.0),
        (0.003, 0.997, 100, 8.0),
        (5.8e-5, 1.0 - 5.8e-5, 5000, 20.0),
        (0.05, 0.95, 2, 60.0),
        (0.1, 0.6, 20, 20.0),
        (0.3, 0.5, 1000, 0.5),
        # of many records limits are close together
        (0.4078, 0.4388, 100_000, 0.1),
        (0.5, 0.498, 1_000_000, 1.0),
        (0.02, 0.023, 20_000, 0.05),
    )
]
# a number of records that is private, and may be that of a group
SETTINGS += [
    _setting("median", law, n, epsilon, number="private")
    for law in LAWS
    for n, epsilon in ((20, 1.0), (500, 0.3), (5000, 1.0))
]


def noisy_sums(z: np.ndarray, epsilon: float, public: bool, rng: np.random.Generator) -> NoisySums:
    """Release the sums of z and z^2 as `mean(..., population=True)` does, bounded or unbounded."""
    first, second = float(z.sum()), float((z * z).sum())
    if public:
        b = 2.0 / epsilon
        sums = (float(z.size), first + b * rng.laplace(), second + 2.0 * b * rng.laplace())
        return NoisySums(sums, ((0.0, 0.0), (b, 0.0), (0.0, 2.0 * b)), "laplace", z.size)
    one, two, three = (PARABOLA_BASIS @ rng.laplace(0.0, 1.0 / epsilon, 3)).tolist()
    noise = tuple(tuple(row) for row in (PARABOLA_BASIS / epsilon).tolist())
    return NoisySums((z.size + one, first + two, second + three), (noise[0], noise[1], noise[2]), "laplace", None)


def geometric(epsilon: float, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw symmetric geometric noise."""
    p = -math.expm1(-epsilon)
    return (rng.geometric(p, size) - rng.geometric(p, size)).astype(np.float64)


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Count intervals of level 0.95 that miss; they leave a mean out where the test at 0.05 rejects it."""
    rng = np.random.default_rng(seed)
    return sum(_missed(setting, rng) for _ in range(runs))


def _missed(setting: Setting, rng: np.random.Generator) -> int:
    what, law, n, epsilon = (setting[key] for key in ("what", "law", "n", "epsilon"))
    if what in ("share", "two shares"):
        p = float(law[2:])
        if what == "share":
            return _share_missed(p, n, epsilon, setting["number"] == "public", rng)
        pairs, second = [], setting.get("second", p)
        for size, share in ((n, p), (setting["other"], second)):
            count, noise = rng.binomial(size, share), geometric(epsilon, 2, rng)
            pairs.append(NoisyBinaryCounts(count + noise[0], size - count + noise[1], epsilon))
        difference = ShareDifference(*pairs)
        # an interval reaches further than that to each side, but for rare cases
        error = math.sqrt(sum(_share_variance(each) for each in pairs))
        apart = p - second
        # counts below 0 say more than their share of 0
        first, other = (each.successes / max(each.successes + each.failures, 1.0) for each in pairs)
        far = max(abs(difference.estimate - apart), abs(first - other - apart)) > 1.7 * error
        return missed(far, partial(difference.compute_limits, ALPHA), apart, rng)
    z = draw(law, n, rng)
    if what == "median" and setting.get("number") == "private":
        edges = make_cell_edges((-1.0, 1.0), DEFAULT_CELL_COUNT)
        cells = np.histogram(z, edges)[0] + geometric(epsilon, edges.size - 1, rng)
        low, high = compute_private_limits(cells, edges, 0.5, ALPHA, epsilon)
        least, most = median_of(law)
        return low > most or high < least
    if what == "median":
        edges = make_cell_edges((-1.0, 1.0), choose_bin_number(n, epsilon))
        cells = np.histogram(z, edges)[0] + geometric(0.5 * epsilon, edges.size - 1, rng)
        low, high = compute_quantile_limits(cells, edges, n, 0.5, ALPHA, 0.5 * epsilon)
        least, most = median_of(law)
        return low > most or high < least
    if what == "two means":
        known = [
            use_noisy_size(noisy_sums(each, epsilon, False, rng)) for each in (z, draw(law, setting["other"], rng))
        ]
        first, second = known
        if first is None or second is None:
            return False
        return compute_welch_pvalue((first, second), stop_above=ALPHA)[1] <= ALPHA
    known_sums = noisy_sums(z, epsilon, setting["number"] == "public", rng)
    mean, variance = truth(law)
    if what == "mean":
        return compute_t_pvalue(known_sums, mean, stop_above=ALPHA)[1] <= ALPHA
    return missed(_is_far(known_sums, mean, variance), partial(_spread_ends, known_sums), variance, rng)


def _spread_ends(known: NoisySums) -> tuple[float, float]:
    low, high = VarianceInterval(known, 1.0, False).compute_limits(ALPHA)
    # rounding
    return low - 1e-12, high + 1e-12


def _is_far(known: NoisySums, mean: float, variance: float) -> bool:
    """Tell whether noisy squares about the mean are off by more than an error that the interval allows."""
    size, first, second = known.sums
    scales = np.array([mean * mean - variance, -2.0 * mean, 1.0]) @ np.array(known.noise)
    largest = (1.0 + abs(mean)) ** 2
    error = math.sqrt(max(size, 1.0) * variance * (largest - variance) + 2.0 * float(scales @ scales))
    return abs(second - 2.0 * mean * first + (mean * mean - variance) * size) > 1.2 * error


def _share_variance(pair: NoisyBinaryCounts) -> float:
    size, share = max(pair.successes + pair.failures, 1.0), min(max(pair.proportion, 0.0), 1.0)
    noise = 2.0 * (share * share + (1.0 - share) ** 2) / pair.rate**2
    return share * (1.0 - share) / size + noise / size**2


def _share_missed(p: float, n: int, epsilon: float, public: bool, rng: np.random.Generator) -> bool:
    count, noise = rng.binomial(n, p), geometric(epsilon, 2, rng)
    if not public:
        # the ends are where a tail has half of alpha, of which a fiftieth is for the numbers of records
        pair = NoisyBinaryCounts(max(count + noise[0], 0.0), max(n - count + noise[1], 0.0), epsilon)
        return min(pair.compute_tails(p, 0.01 * ALPHA)) < 0.5 * ALPHA
    low, high = compute_share_limits(float(count + noise[0]), 0.0, n, epsilon, (1, 1), ALPHA)
    return not low <= p <= high
