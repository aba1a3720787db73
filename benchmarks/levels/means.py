"""How often the noisy t and Welch tests reject true hypotheses, and how often their intervals miss.

The releases are simulated, and the engine's own functions make of them what they make of a release. Laws are
discrete, with up to 200 values, so that their means are known and sums of many records are quick to draw.
For one sample the null law of a setting is sorted once, and serves all runs.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np
from scipy import stats

from levels.thinned import missed
from pydpstat._null_distributions.means.mean_differences import WelchInterval
from pydpstat._null_distributions.means.noisy_t import (
    EXCLUDED_PROBABILITY,
    NoisySums,
    NoisyTDistribution,
    NoisyTInterval,
    compute_t_pvalue,
    find_plausible_variances,
    make_t_distribution,
)
from pydpstat._null_distributions.means.noisy_welch import compute_welch_pvalue
from pydpstat._null_distributions.simulation import (
    DOWNWARD_SHAPE,
    SHAPES,
    UPWARD_SHAPE,
    NoiseFamily,
    simulate_centered_sums,
)
from pydpstat._records.moment_noise import MomentNoise
from pydpstat._records.moment_release import choose_moment_mechanism, make_unit_noise_family
from pydpstat._release.calibration import VECTOR_MECHANISMS
from pydpstat._release.options import options

Setting = dict[str, Any]
Law = tuple[np.ndarray, np.ndarray]
ALPHA = 0.05
# the null law of a setting is sorted anew for every part
CHUNK = 1000


def discrete(law: Any, low: float, high: float, points: int = 200) -> Law:
    """Return quantiles of a law, cut to bounds that become -1 and 1."""
    values = np.clip(law.ppf((np.arange(points) + 0.5) / points), low, high)
    return (2.0 * values - low - high) / (high - low), np.full(points, 1.0 / points)


def points(values: list[float], shares: list[float]) -> Law:
    """Return a law of few values."""
    return np.array(values), np.array(shares)


LAWS: dict[str, Law] = {
    "normal": discrete(stats.norm(), -4, 4),
    "normal off the middle": discrete(stats.norm(), -2, 6),
    "normal, clipped": discrete(stats.norm(), -1, 1),
    "exponential": discrete(stats.expon(), 0, 8),
    "exponential, wide bounds": discrete(stats.expon(), 0, 50),
    "lognormal, clipped": discrete(stats.lognorm(1.5), 0, 30),
    "t(2), clipped": discrete(stats.t(2), -20, 20),
    "beta(1, 200), at a bound": discrete(stats.beta(1, 200), 0, 1),
    "uniform": discrete(stats.uniform(), 0, 1),
    "constant": points([0.3], [1.0]),
    "coin": points([-1, 1], [0.5, 0.5]),
    "Bernoulli(.05)": points([-1, 1], [0.95, 0.05]),
    "Bernoulli(.01)": points([-1, 1], [0.99, 0.01]),
    "Bernoulli(.001)": points([-1, 1], [0.999, 0.001]),
    "mostly 0": points([-1, 0, 1], [0.02, 0.97, 0.01]),
    # found by a search: its true mean was rejected .07 of the time before variances
    # were looked at in small steps
    "searched": points([0.990755, -0.981415, -1.0], [0.972222, 0.005598, 0.02218]),
    "searched, small": points([-0.503, -0.476, -0.371, -0.932], [0.23, 0.38, 0.05, 0.34]),
}


def _one(law: str, n: int, epsilon: float, noise: str = "laplace") -> Setting:
    name = f"one sample, {law}, n {n}, epsilon {epsilon}, {noise}"
    return {"name": name, "law": law, "n": n, "epsilon": epsilon, "noise": noise}


def _two(laws: tuple[str, str], sizes: tuple[int, int], epsilon: float) -> Setting:
    name = f"two samples, {' and '.join(laws)}, n {sizes[0]} and {sizes[1]}, epsilon {epsilon}"
    return {"name": name, "law": laws, "n": sizes, "epsilon": epsilon, "noise": "laplace"}


# noise of the sums of several variables' moments
COLUMNS = {"3 variables": 3, "5 variables": 5}
_SEARCHED = ((93, 38.475), (90, 44.0), (4, 0.076), (596, 5.15))
_SIZES = ((20, 0.1), (20, 1), (20, 5), (50, 0.5), (50, 10), (200, 0.05), (200, 1), (1000, 5))
_LARGE = ((100_000, 0.05), (1_000_000, 1))
SETTINGS: list[Setting] = [
    *[_one(law, n, epsilon) for law in LAWS for n, epsilon in _SIZES],
    *[_one(law, n, epsilon) for law in ("normal", "Bernoulli(.001)", "coin") for n, epsilon in _LARGE],
    *[_one(law, n, epsilon) for law in ("searched", "searched, small") for n, epsilon in _SEARCHED],
    *[
        _one(law, n, epsilon, noise)
        for noise in COLUMNS
        for law in ("normal", "Bernoulli(.05)", "exponential", "t(2), clipped")
        for n, epsilon in ((50, 10), (500, 1), (5000, 1))
    ],
    *[_one(law, n, 1, "normal") for law in ("normal", "Bernoulli(.05)", "exponential") for n in (20, 500)],
    *[
        _two((law, law), sizes, epsilon)
        for law in ("normal", "exponential", "Bernoulli(.05)", "coin", "constant", "mostly 0")
        for sizes, epsilon in (((30, 30), 1), ((20, 200), 5), ((1000, 1000), 0.1))
    ],
    *[_two(("normal", "coin"), sizes, epsilon) for sizes, epsilon in (((20, 200), 1), ((200, 20), 5), ((40, 40), 10))],
]


def mixing(epsilon: float, noise: str) -> tuple[tuple[float, ...], ...]:
    """Return how the noise of a release with a public number of records is mixed."""
    if noise == "laplace":
        return (0.0, 0.0), (2.0 / epsilon, 0.0), (0.0, 4.0 / epsilon)
    if noise in COLUMNS:
        sums, squares = _several(epsilon, noise).noises
        return (0.0, 0.0), (sums.std(), 0.0), (0.0, squares.std())
    # standard deviation 1 / epsilon for an L2 sensitivity of 1: a delta of its own
    return (0.0, 0.0), (2.0 / epsilon, 0.0), (0.0, 1.2 / epsilon)


def released(
    law: Law, n: int, epsilon: float, noise: str, runs: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return noisy sums of z and z^2 for so many samples."""
    values, shares = law
    counts = rng.multinomial(n, shares, size=runs)
    mix = np.array(mixing(epsilon, noise))
    if noise in COLUMNS:
        vectors = [each.rvs((runs, each.width), rng)[:, 0] for each in _several(epsilon, noise).noises]
        return counts @ values + vectors[0], counts @ values**2 + vectors[1]
    drawn = rng.laplace(size=(2, runs)) if noise == "laplace" else rng.normal(size=(2, runs))
    return counts @ values + mix[1] @ drawn, counts @ values**2 + mix[2] @ drawn


def known(first: float, second: float, n: int, epsilon: float, noise: str) -> NoisySums:
    """Return a release as the engine takes it."""
    return NoisySums((float(n), float(first), float(second)), mixing(epsilon, noise), _law(noise), n)


@lru_cache(maxsize=16)
def _several(epsilon: float, noise: str) -> MomentNoise:
    variables = COLUMNS[noise]
    how = options(epsilon, 0, None, "bounded", "error", mechanisms=VECTOR_MECHANISMS)
    size = variables * (variables + 3) // 2
    return choose_moment_mechanism(how, variables).mechanism.calibrate_vector(epsilon, 0.0, 1.0, size, False)


@lru_cache(maxsize=16)
def _law(noise: str) -> NoiseFamily:
    if noise in COLUMNS:
        return make_unit_noise_family(_several(1.0, noise))
    return "laplace" if noise == "laplace" else "normal"


class Table:
    """The null law of a setting, sorted: p-values of many releases at once."""

    def __init__(self, law: NoisyTDistribution, alternative: str = "two-sided") -> None:
        self.law, self.alternative = law, alternative
        self.variances = law.make_variance_grid()
        self.squares: list[np.ndarray] = []
        self.statistics: list[np.ndarray] = []
        for variance in self.variances.tolist():
            for shape in SHAPES:
                squares, statistics = self._drawn(variance, shape)
                self.squares.append(squares)
                self.statistics.append(statistics)
        self.steps = [
            (v, self._drawn(v, shape, s)[1])
            for shape in (UPWARD_SHAPE, DOWNWARD_SHAPE)
            for v, s in law.get_jump_variances(shape)
        ]

    def _drawn(self, variance: float, shape: int, slack: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        law, (noise1, noise2) = self.law, self.law.compute_noises()
        sums, squares = simulate_centered_sums(law.get_reference_draws(), law.n, law.mean, variance, shape)
        squares = squares + noise2
        sums = sums + noise1 + slack * (squares < law.bound_square_sum(variance))
        return np.sort(squares), np.sort(self._statistic(sums, squares, variance))

    def _statistic(self, first: np.ndarray, second: np.ndarray, variance: float) -> np.ndarray:
        value = first / np.sqrt(np.maximum(second, self.law.bound_square_sum(variance)) + self.law.noise_variance)
        return {"two-sided": np.abs(value), "greater": value, "less": -value}[self.alternative]

    def _beyond(self, statistics: np.ndarray, first: np.ndarray, second: np.ndarray, v: float) -> np.ndarray:
        return statistics.size - np.searchsorted(statistics, self._statistic(first, second, v))

    def pvalues(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Return the p-values of sums about the hypothetical mean."""
        size, count = self.squares[0].size, self.variances.size
        above = np.array([size - np.searchsorted(each, second) for each in self.squares])
        above = above.reshape(count, 3, -1)
        least = 0.5 * EXCLUDED_PROBABILITY * size
        small, large = above.max(axis=1) <= least, (size - above).max(axis=1) <= least
        kept = np.array([find_plausible_variances(a, b) for a, b in zip(small.T, large.T)]).T
        beyond = [
            self._beyond(each, first, second, float(self.variances[place // 3]))
            for place, each in enumerate(self.statistics)
        ]
        worst = np.where(kept, np.array(beyond).reshape(count, 3, -1).max(axis=1), 0).max(axis=0)
        low = self.variances[kept.argmax(axis=0)]
        high = self.variances[count - 1 - kept[::-1].argmax(axis=0)]
        for v, statistics in self.steps:
            inside = (low <= v) & (v <= high)
            worst = np.maximum(worst, np.where(inside, self._beyond(statistics, first, second, v), 0))
        return np.minimum(1.0, EXCLUDED_PROBABILITY + (1 + worst) / (size + 1))


@lru_cache(maxsize=4)
def table(mean: float, n: int, epsilon: float, noise: str, alternative: str = "two-sided") -> Table:
    """Return the null law of a setting."""
    return Table(make_t_distribution(known(0.0, 0.0, n, epsilon, noise), mean, n), alternative)


def one_sample(law: Law, mean: float, setting: Setting, runs: int, rng: np.random.Generator) -> np.ndarray:
    """Return p-values of a hypothetical mean for so many samples of a law."""
    sums = released(law, setting["n"], setting["epsilon"], setting["noise"], runs, rng)
    return _tested(sums, mean, setting)


def _tested(sums: tuple[np.ndarray, np.ndarray], mean: float, setting: Setting) -> np.ndarray:
    n, (first, second) = setting["n"], sums
    made = table(mean, n, setting["epsilon"], setting["noise"])
    return made.pvalues(first - n * mean, second - 2.0 * mean * first + n * mean * mean)


def two_samples(laws: list[Law], setting: Setting, runs: int, rng: np.random.Generator) -> int:
    """Return how many of so many pairs of samples are told apart."""
    epsilon, noise, sizes = setting["epsilon"], setting["noise"], setting["n"]
    sums = [released(law, n, epsilon, noise, runs, rng) for law, n in zip(laws, sizes)]
    found = 0
    for run in range(runs):
        pair = [known(a[run], b[run], n, epsilon, noise) for (a, b), n in zip(sums, sizes)]
        found += compute_welch_pvalue((pair[0], pair[1]), stop_above=ALPHA)[1] <= ALPHA
    return found


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many true hypotheses have a p-value of at most .05."""
    rng = np.random.default_rng(seed)
    if isinstance(setting["n"], tuple):
        laws = [LAWS[name] for name in setting["law"]]
        return two_samples([_about_zero(law) for law in laws], setting, runs, rng)
    law = LAWS[setting["law"]]
    return int((one_sample(law, float(law[0] @ law[1]), setting, runs, rng) <= ALPHA).sum())


def _about_zero(law: Law) -> Law:
    """Return a law of the shape that has the mean 0, or near it, within the bounds."""
    values, shares = law
    mean = float(values @ shares)
    return values / (1.0 + abs(mean)) - mean / (1.0 + abs(mean)), shares


def misses(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many intervals of level .95 miss the parameter."""
    rng = np.random.default_rng(seed)
    epsilon, noise = setting["epsilon"], setting["noise"]
    found = 0
    if isinstance(setting["n"], tuple):
        laws = [_about_zero(LAWS[name]) for name in setting["law"]]
        sums = [released(law, n, epsilon, noise, runs, rng) for law, n in zip(laws, setting["n"])]
        for run in range(runs):
            pair = [known(a[run], b[run], n, epsilon, noise) for (a, b), n in zip(sums, setting["n"])]
            both = pair[0], pair[1]
            rejected = compute_welch_pvalue(both, stop_above=ALPHA)[1] <= ALPHA
            found += missed(rejected, partial(WelchInterval(both, 1.0).compute_limits, ALPHA), 0.0, rng)
        return found
    law, n = LAWS[setting["law"]], setting["n"]
    mean = float(law[0] @ law[1])
    sums_of = released(law, n, epsilon, noise, runs, rng)
    for chance, first, second in zip(_tested(sums_of, mean, setting), *sums_of):
        interval = NoisyTInterval(known(first, second, n, epsilon, noise), 0.0, 1.0)
        found += missed(chance <= ALPHA, partial(interval.compute_limits, ALPHA), mean, rng)
    return found


def _power(n: Any, effect: float, epsilon: float, figure: float) -> Setting:
    name = f"normal, n {n}, {effect} sd, epsilon {epsilon}"
    return {"name": name, "n": n, "effect": effect, "epsilon": epsilon, "noise": "laplace", "figure": figure}


POWER: list[Setting] = [
    *[_power(30, 0.7, epsilon, figure) for epsilon, figure in ((1, 0.22), (5, 0.77))],
    *[_power(100, 0.4, epsilon, figure) for epsilon, figure in ((0.5, 0.24), (1, 0.67), (5, 0.90))],
    *[_power(500, 0.2, epsilon, figure) for epsilon, figure in ((0.1, 0.08), (0.5, 0.87), (1, 0.97))],
    _power((30, 30), 1.0, 1, 0.21),
    *[_power((100, 100), 0.6, epsilon, figure) for epsilon, figure in ((0.5, 0.28), (1, 0.74))],
]


def power(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many shifts are found; the bounds are 4 standard deviations off."""
    rng = np.random.default_rng(seed)
    if isinstance(setting["n"], tuple):
        half = setting["effect"] / 2
        laws = [discrete(stats.norm(shift), -4, 4) for shift in (half, -half)]
        return two_samples(laws, setting, runs, rng)
    law = discrete(stats.norm(setting["effect"]), -4, 4)
    return int((one_sample(law, 0.0, setting, runs, rng) <= ALPHA).sum())


def agrees(setting: Setting, seed: int) -> bool:
    """Tell whether the sorted null law and the engine give one release the same p-value."""
    rng = np.random.default_rng(seed)
    law, n, epsilon, noise = LAWS[setting["law"]], setting["n"], setting["epsilon"], setting["noise"]
    first, second = released(law, n, epsilon, noise, 1, rng)
    _, one = compute_t_pvalue(known(first[0], second[0], n, epsilon, noise), 0.1)
    made = table(0.1, n, epsilon, noise)
    many = made.pvalues(first - n * 0.1, second - 0.2 * first + n * 0.01)
    return abs(one - float(many[0])) < 1e-9
