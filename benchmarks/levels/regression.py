"""Levels and power of the tests of a regression coefficient, with simulated releases.

Variables are in the unit of their bounds, -1 to 1. The releases are simulated with the package's own pure
functions and laws; that they agree with `pydpstat.ols` is tested beside it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import wishart

from levels.thinned import missed
from pydpstat._grid import round_up_to_float
from pydpstat._null_distributions.regression.noisy_moments import NoisyMoments, SparsePredictor, make_moment_matrix
from pydpstat._null_distributions.regression.rare_errors import find_level_partitions
from pydpstat._null_distributions.regression.score_tests import compute_score_limits, compute_score_pvalues
from pydpstat._null_distributions.regression.slopes import (
    BlockScoreDistribution,
    KendallDistribution,
    MedianSlopeInterval,
    SlopeInterval,
    choose_block_plan,
    choose_slope_cells,
    compute_two_sided_pvalue,
    make_slope_edges,
)
from pydpstat.inference.regression._linear_regression import EPSILON_SHARES
from pydpstat.inference.regression._regression_moments import Influences, MomentLayout, add_sampling_variances
from pydpstat.inference.regression._slopes import (
    PairSlopes,
    SlopeLook,
    compute_block_values,
    compute_kendall_statistic,
    compute_score_statistic,
    make_looks,
    release_looks,
)
from pydpstat.mechanisms.cube import CubeNoise
from pydpstat.mechanisms.mechanism import split_by_shares

Setting = dict[str, Any]
# from here on the moments of a normal law are drawn as such
_MANY = 3000


def _settings() -> list[Setting]:
    found = []
    moments = [
        ("normal", 1, ((20, 1.0), (100, 0.3), (300, 10.0), (10**6, 0.05))),
        ("normal", 3, ((50, 1.0), (1000, 1.0), (5000, 5.0), (10**5, 0.3))),
        ("correlated", 2, ((100, 5.0), (1000, 2.0), (20000, 1.0), (10**6, 1.0))),
        ("skewed", 1, ((50, 10.0), (300, 2.0), (2000, 10.0))),
        ("skewed", 2, ((300, 5.0), (2000, 2.0))),
        ("rare", 1, ((50, 10.0), (300, 5.0))),
        ("rare", 3, ((300, 2.0), (2000, 5.0))),
        ("near a bound", 1, ((50, 2.0), (50, 10.0), (300, 10.0))),
        ("near a bound", 2, ((300, 10.0), (2000, 1.0))),
        ("uniform", 2, ((20, 10.0), (500, 0.5), (2000, 10.0))),
        ("heavy tails, clipped", 2, ((300, 5.0), (2000, 2.0))),
        ("constant response", 2, ((100, 1.0), (2000, 5.0))),
        ("rounded", 2, ((300, 5.0), (2000, 1.0))),
        ("levels", 2, ((300, 2.0), (2000, 1.0))),
        ("levels", 3, ((1000, 2.0),)),
        ("a rare level", 5, ((1000, 2.0), (20000, 1.0))),
        ("a rare level", 12, ((20000, 2.0),)),
        ("rare ones", 1, ((1000, 50.0), (5000, 50.0), (5000, 5.0))),
        ("rare ones, a rare level", 2, ((1000, 50.0), (5000, 50.0))),
        ("few of no level", 2, ((2080, 0.5), (2080, 2.0))),
    ]
    private = [
        ("normal", 1, ((20, 1.0), (100, 0.3), (100, 2.0), (10**6, 0.05))),
        ("normal", 3, ((50, 1.0), (1000, 1.0), (5000, 5.0))),
        ("correlated", 2, ((100, 5.0), (1000, 2.0))),
        ("skewed", 1, ((50, 10.0), (300, 2.0))),
        ("rare", 3, ((300, 2.0), (2000, 5.0))),
        ("near a bound", 1, ((50, 2.0), (300, 10.0))),
        ("near a bound", 2, ((300, 10.0), (2000, 1.0))),
        ("uniform", 2, ((20, 10.0), (500, 0.5))),
        ("constant response", 2, ((100, 1.0),)),
        ("levels", 2, ((300, 2.0), (2000, 1.0))),
        ("levels", 3, ((300, 2.0), (1000, 2.0))),
        ("a rare level", 5, ((1000, 2.0), (20000, 1.0))),
        ("a rare level", 12, ((20000, 2.0),)),
        ("rare ones, a rare level", 2, ((1000, 50.0),)),
        ("few of no level", 2, ((2080, 0.5),)),
    ]
    robust = [
        ("heteroscedastic", 1, ((100, 10.0), (1000, 2.0), (20000, 1.0))),
        ("heteroscedastic", 3, ((2000, 5.0), (50000, 1.0))),
        ("far out", 1, ((100, 20.0), (300, 10.0), (2000, 5.0), (20000, 1.0))),
        ("far out", 3, ((2000, 10.0), (20000, 5.0))),
        ("skewed", 1, ((300, 10.0), (5000, 2.0))),
        ("narrow where far", 2, ((300, 10.0), (5000, 5.0))),
        ("a rare level, other errors", 3, ((2000, 10.0), (50000, 2.0))),
        ("rare", 3, ((2000, 5.0),)),
        ("normal", 2, ((100, 5.0), (5000, 2.0))),
        ("constant response", 2, ((1000, 5.0),)),
    ]
    ranks = [
        ("normal", 1, ((20, 0.3), (100, 1.0), (1000, 0.1))),
        ("normal", 2, ((20, 5.0), (100, 1.0), (1000, 0.1))),
        ("normal", 3, ((50, 10.0), (300, 1.0), (3000, 0.3))),
        ("correlated", 2, ((100, 5.0), (1000, 1.0))),
        ("skewed", 2, ((100, 1.0), (1000, 5.0), (20000, 10.0))),
        ("rare", 2, ((100, 5.0), (1000, 10.0))),
        ("rare both", 2, ((300, 10.0), (3000, 10.0))),
        ("near a bound", 1, ((300, 5.0),)),
        ("heavy tails, clipped", 2, ((300, 5.0), (3000, 5.0))),
        ("heteroscedastic", 2, ((300, 5.0), (3000, 10.0))),
        ("constant response", 2, ((100, 1.0),)),
        ("rounded", 1, ((100, 5.0), (1000, 1.0))),
        ("rounded", 2, ((100, 5.0), (3000, 10.0))),
        ("levels", 2, ((300, 2.0), (3000, 5.0))),
    ]
    tables = {"moments": moments, "private number": private, "rank": ranks, "robust": robust}
    for method, table in tables.items():
        for law, predictors, pairs in table:
            for n, epsilon in pairs:
                name = f"{method}, {law}, {predictors} predictors, n {n}, epsilon {epsilon:g}"
                setting = {"name": name, "method": method, "law": law, "predictors": predictors}
                found.append({**setting, "n": n, "epsilon": epsilon})
    for method, law, predictors, n, epsilon, place in (
        ("moments", "normal", 2, 1000, 2.0, 0),
        ("moments", "levels", 2, 2000, 1.0, 2),
        ("moments", "a rare level", 5, 5000, 2.0, 5),
        ("private number", "normal", 1, 100, 1.0, 0),
        ("private number", "near a bound", 2, 1000, 2.0, 0),
        ("private number", "levels", 3, 2000, 1.0, 0),
        ("private number", "a rare level", 5, 5000, 2.0, 5),
        ("robust", "heteroscedastic", 2, 2000, 5.0, 0),
        ("robust", "far out", 1, 2000, 5.0, 0),
        ("robust", "a rare level, other errors", 3, 5000, 10.0, 2),
    ):
        name = f"{method}, {law}, {predictors} predictors, n {n}, epsilon {epsilon:g}, coefficient {place}"
        setting = {"name": name, "method": method, "law": law, "predictors": predictors}
        found.append({**setting, "n": n, "epsilon": epsilon, "place": place})
    return found


SETTINGS = _settings()


def _power() -> list[Setting]:
    found = []
    # bounds at 3 standard deviations of the predictors, errors of 0.2: a correlation of 0.38 at slope 0.25
    for n, epsilon, effect, figure in ((100, 1.0, 0.25, 0.06), (5000, 1.0, 0.04, 0.75)):
        for predictors in (1, 2, 3):
            for method in ("moments", "rank"):
                name = f"{method}, {predictors} predictors, n {n}, epsilon {epsilon:g}, slope {effect:g}"
                setting = {"name": name, "method": method, "law": "three sd", "predictors": predictors}
                known = {"figure": 0.77 if n == 100 else 0.9} if method == "rank" else {"figure": figure}
                # several slopes are tested by ranks
                if predictors > 1:
                    known = {"figure": figure} if method == "rank" else {}
                found.append({**setting, "n": n, "epsilon": epsilon, "effect": effect, **known})
    for predictors, n, effect, figure in ((3, 2000, 0.2, 0.65), (6, 20000, 0.06, 0.75)):
        name = f"moments, {predictors} wide predictors, n {n}, epsilon 1, slope {effect:g}"
        setting = {"name": name, "method": "moments", "law": "wide", "predictors": predictors, "n": n}
        found.append({**setting, "epsilon": 1.0, "effect": effect, "figure": figure})
    return found


POWER = _power()


def records(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return predictors and response within their bounds; what is tested is the setting's effect or 0."""
    n, p, law = setting["n"], setting["predictors"], setting["law"]
    x = 0.25 * rng.standard_normal((n, p))
    error = 0.15 * rng.standard_normal(n)
    if law == "three sd":
        x, error = x / 0.75, error / 0.75
    elif law == "wide":
        # a standard deviation of 0.15, and 0.125 of the errors, where the bounds are 0 and 1
        x, error = 1.2 * x, error / 0.6
    elif law == "correlated":
        x[:, 0] = 0.9 * x[:, -1] + 0.44 * x[:, 0]
    elif law == "skewed":
        x, error = rng.exponential(0.25, (n, p)) - 1.0, 0.1 * (rng.exponential(size=n) - 1.0)
    elif law in ("rare", "rare both"):
        x = np.where(rng.random((n, p)) < 0.1, 1.0, -1.0)
        if law == "rare both":
            error = np.where(rng.random(n) < 0.1, 0.3, 0.0)
    elif law == "near a bound":
        x = 0.8 + 0.05 * rng.standard_normal((n, p))
    elif law == "uniform":
        x = rng.uniform(-1.0, 1.0, (n, p))
    elif law == "heavy tails, clipped":
        x, error = 0.25 * rng.standard_t(3, (n, p)), 0.1 * rng.standard_t(2, n)
    elif law == "heteroscedastic":
        error = error * (0.2 + 4.0 * np.abs(x[:, 0]))
    elif law == "far out":
        # a few predictors far out, where errors are as well
        x = 0.12 * rng.standard_t(3, (n, p))
        error = error * (0.3 + 4.0 * np.abs(x[:, 0]).clip(0.0, 1.0))
    elif law == "narrow where far":
        error = error / (1.0 + 8.0 * np.abs(x[:, 0]))
    elif law == "a rare level, other errors":
        x[:, 1:] = rng.choice(p, n, p=[0.95, *[0.05 / (p - 1)] * (p - 1)])[:, None] == np.arange(1, p)
        error = error * np.where(x[:, 1] == 1.0, 3.0, 0.5)
    elif law == "levels":
        x[:, 1:] = rng.integers(0, 2, (n, p - 1))
    elif law == "a rare level":
        x[:, 1:] = rng.choice(p, n, p=[*[0.96 / (p - 1)] * (p - 1), 0.04])[:, None] == np.arange(1, p)
    elif law.startswith("rare ones"):
        # a hundredth of the records, and with levels three tenths in another one, and three ones in 200
        place = rng.choice(3, n, p=[0.69, 0.01, 0.3])
        x = 2.0 * (place[:, None] == 1) - 1.0 if p == 1 else (place[:, None] == np.arange(1, 3)).astype(float)
        return x, np.where(rng.random(n) < 0.015, 1.0, -1.0)
    elif law == "few of no level":
        # 60 of the reference, and 20 of no level at the other end of the bounds
        place = np.repeat([0, 1, 2], [60, n - 80, 20])
        x = (place[:, None] == np.arange(1, 3)).astype(float)
        return x, np.where(place == 2, -1.0, 0.9 + 0.1 * rng.standard_normal(n)).clip(-1.0, 1.0)
    x = x.clip(-1.0, 1.0)
    if law == "constant response":
        return x, np.full(n, 0.3)
    slopes = np.full(p, 0.15)
    if setting.get("place", 1):
        slopes[setting.get("place", 1) - 1] = setting.get("effect", 0.0)
    if law == "heavy tails, clipped":
        # where the response is clipped it is not linear in the other predictors
        slopes[1:] = 0.0
    y = x @ slopes + error
    if law == "rounded":
        # a linear function of rounded predictors with rounded errors: many ties, and still linear
        x = np.round(4.0 * x) / 4.0
        y = x @ np.append(slopes[0], np.full(p - 1, 0.25)) + np.round(8.0 * error) / 8.0
    return x, y.clip(-1.0, 1.0)


def _layout(setting: Setting) -> MomentLayout:
    p, public = setting["predictors"], setting.get("method") != "private number"
    names = ("1", *(f"x{k}" for k in range(1, p + 1)), "y")
    if setting["law"] == "levels":
        return MomentLayout((1, p + 1), tuple((-1, k) for k in range(2, p + 1)), names, public)
    if setting["law"] in ("few of no level", "rare ones, a rare level"):
        return MomentLayout((p + 1,), ((-1, *range(1, p + 1)),), names, public)
    if setting["law"].startswith("a rare level"):
        return MomentLayout((1, p + 1), ((-1, *range(2, p + 1)),), names, public)
    return MomentLayout(tuple(range(1, p + 2)), (), names, public)


def noisy_moments(setting: Setting, rng: np.random.Generator) -> NoisyMoments:
    """Return a simulated release of the moments."""
    layout, n = _layout(setting), setting["n"]
    blocks = layout.make_blocks(math.inf)
    size = sum(block.size for block in blocks)
    sensitivity = round_up_to_float(layout.compute_sensitivity(math.inf))
    robust = setting.get("method") == "robust"
    first, second = split_by_shares(setting["epsilon"], EPSILON_SHARES) if robust else (setting["epsilon"], 0.0)
    noise = layout.mechanism.calibrate_vector(first, 0.0, sensitivity, size, False)
    p = setting["predictors"]
    if setting["law"] in ("normal", "correlated") and n > _MANY and not robust:
        matrix = _normal_moments(setting, rng)
    else:
        x, y = records(setting, rng)
        v = np.column_stack([np.ones(n), x, y])
        matrix = v.T @ v
    drawn = noise.rvs(size, random_state=rng)
    matrix = matrix + make_moment_matrix(drawn, blocks, p + 2)
    parts = find_level_partitions(matrix, layout.numbers[:-1], layout.factors)
    sparse = tuple(SparsePredictor(place) for levels in layout.factors for place in levels[1:])
    found = NoisyMoments(matrix, blocks, noise, np.zeros(p), partitions=parts, sparse_predictors=sparse)
    if not robust:
        return found
    at, more = Influences.from_release(found, layout), CubeNoise(1.0 / second, p + 1)
    sums = np.array([each.sum() for each in at.iterate_squares(y, [*v.T[:-1]])])
    return add_sampling_variances(found, at, sums + more.rvs(p + 1, random_state=rng), more)


def _normal_moments(setting: Setting, rng: np.random.Generator) -> np.ndarray:
    n, p = setting["n"], setting["predictors"]
    mixing = 0.25 * np.eye(p + 1)
    if setting["law"] == "correlated":
        mixing[0] = 0.0
        mixing[0, 0], mixing[0, p - 1] = 0.25 * 0.44, 0.25 * 0.9
    slopes = np.full(p, 0.15)
    slopes[0] = setting.get("effect", 0.0)
    mixing[p] = 0.0
    mixing[p, :p], mixing[p, p] = slopes @ mixing[:p, :p], 0.15
    covariance = mixing @ mixing.T
    mean = mixing @ rng.standard_normal(p + 1) / math.sqrt(n)
    matrix = np.empty((p + 2, p + 2))
    matrix[0, 0] = n
    matrix[0, 1:] = matrix[1:, 0] = n * mean
    matrix[1:, 1:] = wishart.rvs(n - 1, covariance, random_state=rng) + n * np.outer(mean, mean)
    return matrix


def ranked(setting: Setting, rng: np.random.Generator) -> float:
    """Return the p-value of a simulated release by ranks."""
    n, p, epsilon = setting["n"], setting["predictors"], setting["epsilon"]
    x, y = records(setting, rng)
    if p == 1:
        law: KendallDistribution | BlockScoreDistribution = KendallDistribution(n)
        value = compute_kendall_statistic(x[:, 0], y, rng)
    else:
        size, top = choose_block_plan(n, p, epsilon)
        law = BlockScoreDistribution(n // size, top)
        value = compute_score_statistic(compute_block_values(y, x[:, 0], x[:, 1:], size, 0.0, rng), top, rng)
    return compute_two_sided_pvalue(value + _geometric(epsilon / law.sensitivity, 1, rng)[0], law, epsilon)


def rejected(noisy: NoisyMoments, place: int, value: float) -> bool:
    """Return whether a value of a coefficient is rejected at 0.05."""
    return bool(compute_score_pvalues(noisy, np.array([place]), np.array([[value]]), 0.05)[0, 0] <= 0.05)


def _geometric(rate: float, size: int, rng: np.random.Generator) -> list[int]:
    share = -math.expm1(-rate)
    return (rng.geometric(share, size) - rng.geometric(share, size)).tolist()


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many p-values are at most 0.05."""
    rng = np.random.default_rng(seed)
    if setting["method"] == "rank":
        return sum(ranked(setting, rng) <= 0.05 for _ in range(runs))
    place = setting.get("place", 1)
    return sum(rejected(noisy_moments(setting, rng), place, 0.0) for _ in range(runs))


power = rejections


def both(setting: Setting, runs: int, seed: int) -> tuple[int, int]:
    """Return how many of so many p-values are at most 0.05, and how many intervals of 95 % miss."""
    if setting["method"] == "rank":
        return rejections(setting, runs, seed), misses(setting, runs, seed + 1)
    rng, place, slope = np.random.default_rng(seed), setting.get("place", 1), setting.get("effect", 0.0)
    hits, found = 0, 0
    for _ in range(runs):
        noisy = noisy_moments(setting, rng)
        extreme = rejected(noisy, place, slope)
        hits += extreme
        found += missed(extreme, lambda: compute_score_limits(noisy, 0.05)[place], slope, rng)
    return hits, found


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many intervals of 95 % miss the coefficient."""
    if setting["method"] != "rank":
        return both(setting, runs, seed)[1]
    rng = np.random.default_rng(seed)
    slope, found = setting.get("effect", 0.0), 0
    for _ in range(runs):
        if setting["predictors"] == 1:
            low, high = _slope(setting, rng).compute_limits(0.05)
        else:
            low, high = _histogram(setting, rng).compute_limits(0.05)
        found += not low <= slope <= high
    return found


def _slope(setting: Setting, rng: np.random.Generator) -> SlopeInterval:
    x, y = records(setting, rng)
    slopes = PairSlopes.from_records(x[:, 0], y, rng)

    def ask(edges: np.ndarray, own: SlopeLook) -> np.ndarray:
        counts = slopes.count_cells(edges, own.groups)
        return counts + np.array(_geometric(own.epsilon / own.sensitivity, counts.size, rng))

    return release_looks(make_looks(setting["n"], setting["epsilon"]), ask)


def _histogram(setting: Setting, rng: np.random.Generator) -> MedianSlopeInterval:
    n, p, epsilon = setting["n"], setting["predictors"], setting["epsilon"]
    x, y = records(setting, rng)
    size, _ = choose_block_plan(n, p, epsilon)
    values = compute_block_values(y, x[:, 0], x[:, 1:], size, 0.0, rng)
    cells = choose_slope_cells(n // size, epsilon)
    edges = make_slope_edges(cells)
    counts = np.bincount(np.searchsorted(edges, values.estimates, side="right"), minlength=cells)
    noisy = [each + noise for each, noise in zip(counts.tolist(), _geometric(0.5 * epsilon, cells, rng))]
    return MedianSlopeInterval(tuple(noisy), tuple(edges.tolist()), n // size, epsilon)
