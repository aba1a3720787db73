"""Welch's analysis of variance from noisy sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat._null_distributions.means.group_means import NoiseMixing, run_equal_means_test
from pydpstat._null_distributions.means.noisy_t import NoisySums
from pydpstat._null_distributions.weight_moments import PARABOLA_BASIS

ALPHA = 0.05
# simulated releases for each p-value: fewer than a release gets, and others for each run
DRAWS = 299
CHUNK = 50
# records of all groups that are drawn at once
_AT_ONCE = 2_000_000
Setting = dict[str, Any]
Law = Callable[[np.random.Generator, tuple[int, int]], npt.NDArray[np.float64]]


class _Normal:
    """Normal records, moved onto -1 and 1."""

    def __init__(self, mean: float, sd: float) -> None:
        self.mean, self.sd = mean, sd

    def __call__(self, rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.float64]:
        return rng.normal(self.mean, self.sd, shape).clip(-1.0, 1.0)


class _Two:
    """Records with two values around a mean: one with the probability p, `far` above the mean."""

    def __init__(self, p: float, mean: float = 0.0, far: float = 1.0) -> None:
        self.p, self.mean, self.far = p, mean, far

    def __call__(self, rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.float64]:
        low = self.mean - self.far * self.p / (1.0 - self.p)
        return np.where(rng.random(shape) < self.p, self.mean + self.far, low)


class _Heavy:
    """Student's t with three degrees of freedom, moved onto -1 and 1: symmetric."""

    def __call__(self, rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.float64]:
        return (0.25 * rng.standard_t(3, shape)).clip(-1.0, 1.0)


def _setting(name: str, laws: list[Law], sizes: tuple[int, ...], epsilon: float, **more: Any) -> Setting:
    shown = f"{name}, groups of {' '.join(map(str, sizes))}, epsilon {epsilon}"
    return {
        "name": shown,
        "n": sum(sizes),
        "sizes": sizes,
        "epsilon": epsilon,
        "law": name,
        "laws": laws,
        **more,
    }


_LAWS: dict[str, list[Law]] = {
    "normal": [_Normal(0.0, 0.25)] * 3,
    "normal near a bound": [_Normal(0.9, 0.2)] * 3,
    "heavy tails": [_Heavy()] * 3,
    "0 or 1": [_Two(0.05, -0.9, 1.9)] * 3,
    "skewed": [_Two(0.02, 0.0, 1.0)] * 3,
    "skewed both ways": [_Two(0.05), _Two(0.95, 0.0, 0.05), _Two(0.05)],
    "other variances": [_Normal(0.0, 0.05), _Normal(0.0, 0.3), _Normal(0.0, 0.1)],
    "one large variance": [_Two(0.5), _Normal(0.0, 0.02), _Normal(0.0, 0.02)],
    "constant": [_Normal(0.3, 0.0)] * 3,
}
_SIZES = {"equal": (30, 30, 30), "unequal": (15, 40, 200)}

SETTINGS: list[Setting] = [
    _setting(name, laws, sizes, epsilon)
    for name, laws in _LAWS.items()
    for sizes, epsilon in (((30, 30, 30), 1.0), ((15, 40, 200), 5.0), ((300, 300, 300), 0.2))
]
SETTINGS += [
    _setting("normal", _LAWS["normal"], (7, 7, 6), 0.05),
    _setting("normal", _LAWS["normal"], (7, 7, 6), 10.0),
    _setting("normal", _LAWS["normal"], (20_000, 20_000, 60_000), 0.1),
    _setting("0 or 1", [_Two(0.5)] * 2, (10, 10), 1.0),
    _setting("0 or 1", [_Two(0.5)] * 2, (2, 50), 3.0),
    _setting("0 or 1", [_Two(0.5)] * 6, (20,) * 6, 1.0),
    _setting("0 or 1", [_Two(0.5)] * 3, (30, 30, 30), 0.05),
    _setting("0 or 1", [_Two(0.05, -0.9, 1.9)] * 3, (15, 40, 200), 10.0),
    _setting("one large variance", _LAWS["one large variance"], (40, 15, 200), 1.0),
    _setting("one large variance", _LAWS["one large variance"], (200, 15, 40), 0.5),
    _setting("other variances", _LAWS["other variances"], (2_000, 500, 500), 1.0),
    _setting("skewed", [_Two(0.002)] * 3, (500, 500, 2_000), 1.0),
    _setting("skewed", [_Two(0.3, -0.5, 1.4), _Two(0.5, -0.5, 0.5), _Two(0.1, -0.5, 1.5)], (50, 50, 50), 2.0),
]


def _shifted(size: int, shift: float, figure: float) -> Setting:
    """Three groups, each mean so many standard deviations above the last; bounds of four of them."""
    laws: list[Law] = [_Normal(shift / 4.0 * place, 0.25) for place in (-1, 0, 1)]
    return _setting(f"normal, shifts of {shift}", laws, (size,) * 3, 1.0, figure=figure)


SETTINGS += [
    _setting(f"skewed both ways, {p}", [_Two(p), _Two(p, 0.0, -1.0)], sizes, epsilon)
    for p, sizes, epsilon in ((0.1, (3, 3), 100.0), (0.12, (3, 3), 100.0), (0.1, (5, 5), 20.0))
]

# sizes that are private, small ones and such as noise may hide
_PRIVATE: list[tuple[str, tuple[int, ...], float]] = [
    ("normal", (300, 300, 300), 0.2),
    ("normal", (20_000, 20_000, 60_000), 0.1),
    ("normal near a bound", (30, 30, 30), 1.0),
    ("0 or 1", (30, 30, 30), 1.0),
    ("0 or 1", (15, 40, 200), 1.0),
    ("0 or 1", (15, 40, 200), 5.0),
    ("0 or 1", (130, 400, 2_000), 0.1),
    ("0 or 1", (200, 200, 200), 0.1),
    ("0 or 1", (8, 8, 8), 5.0),
    ("skewed", (15, 40, 200), 5.0),
    ("skewed both ways", (30, 30, 30), 1.0),
    ("other variances", (15, 40, 200), 1.0),
    ("one large variance", (15, 40, 200), 5.0),
    ("constant", (15, 15, 15), 1.0),
]
SETTINGS += [
    _setting(f"{name}, private sizes", _LAWS[name], sizes, epsilon, private=True) for name, sizes, epsilon in _PRIVATE
]

POWER: list[Setting] = [_shifted(30, 0.7, 0.24), _shifted(400, 0.2, 0.99)]


def _pvalues(setting: Setting, runs: int, seed: int, noise: float = 1.0, draws: int = DRAWS) -> list[float]:
    """Return p-values of simulated releases, whose noise is so many times as wide as the test believes."""
    rng = np.random.default_rng(seed)
    sizes, epsilon = setting["sizes"], setting["epsilon"]
    first, second = np.zeros((2, runs, len(sizes)))
    for group, (law, size) in enumerate(zip(setting["laws"], sizes)):
        step = max(1, _AT_ONCE // size)
        for start in range(0, runs, step):
            rows = slice(start, min(start + step, runs))
            z = law(rng, (rows.stop - start, size))
            first[rows, group], second[rows, group] = z.sum(axis=1), (z * z).sum(axis=1)
    if setting.get("private"):
        return _private(np.array([np.broadcast_to(sizes, first.shape), first, second]), epsilon, rng, draws)
    first += rng.laplace(0.0, 2.0 * noise / epsilon, first.shape)
    second += rng.laplace(0.0, 4.0 * noise / epsilon, second.shape)
    streams = rng.integers(2**62, size=runs).tolist()
    rows, found = NoiseMixing.from_epsilon(epsilon).coefficients, []
    for *sums, own in zip(first.tolist(), second.tolist(), streams):
        known = [NoisySums((float(n), *each), rows, "laplace", n) for n, *each in zip(sizes, *sums)]
        found.append(run_equal_means_test(known, draws, own)[1])
    return found


def _private(sums: npt.NDArray[np.float64], epsilon: float, rng: np.random.Generator, draws: int) -> list[float]:
    """Return p-values of releases that add noise to the sums of three weights, sizes among them."""
    mix = PARABOLA_BASIS / epsilon
    sums = sums + np.einsum("ij,jrg->irg", mix, rng.laplace(size=sums.shape))
    noise = tuple(tuple(row) for row in mix.tolist())
    found = []
    for run in range(sums.shape[1]):
        each = sums[:, run].T.tolist()
        known = [NoisySums(tuple(group), noise, "laplace", None) for group in each]  # type: ignore[arg-type]
        found.append(run_equal_means_test(known, draws, int(rng.integers(2**62)))[1])
    return found


def rejections(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many p-values are 0.05 at most."""
    return sum(p <= ALPHA for p in _pvalues(setting, runs, seed))


def power(setting: Setting, runs: int, seed: int) -> int:
    """Return how many of so many p-values are 0.05 at most, each from as many draws as a release gets."""
    return sum(p <= ALPHA for p in _pvalues(setting, runs, seed, draws=1_999))
