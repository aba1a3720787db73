"""Logistic regression: balanced and rare ones, correlated, skewed and two-valued predictors."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from levels import coefficients
from pydpstat.inference._logit_records import SCORE_SHARE
from pydpstat.inference._null_distributions.logistic_cells import logistic
from pydpstat.inference._null_distributions.noisy_logit import LogitLaw, pairs
from pydpstat.inference.logit import fit, stages_for

Setting = dict[str, Any]
DESIGNS = ("uniform", "normal", "correlated", "skewed", "two values", "heavy tails")


def predictors(generator: np.random.Generator, n: int, p: int, design: str) -> np.ndarray:
    """Return predictors within the bounds, which are -1 and 1."""
    normal = generator.standard_normal((n, p))
    if design == "correlated":
        normal = 0.6 * normal + 0.8 * generator.standard_normal((n, 1))
    found = {
        "uniform": lambda: generator.uniform(-1.0, 1.0, (n, p)),
        "normal": lambda: 0.35 * normal,
        "correlated": lambda: 0.35 * normal,
        "skewed": lambda: generator.exponential(0.3, (n, p)) - 1.0,
        "two values": lambda: np.where(generator.random((n, p)) < 0.3, 1.0, -1.0),
        "heavy tails": lambda: 0.2 * generator.standard_t(2, (n, p)),
        "near a bound": lambda: generator.exponential(0.05, (n, p)) - 1.0,
        "rare level": lambda: np.where(generator.random((n, p)) < 0.03, 1.0, -1.0),
        "mixture": lambda: np.where(
            generator.random((n, p)) < 0.1, generator.uniform(-1.0, 1.0, (n, p)), 0.05 * np.abs(normal) - 1.0
        ),
    }[design]()
    return np.clip(found, -1.0, 1.0)


_COEFFICIENTS = {
    "one": (0.0, 1.0),
    "steep": (0.0, 4.0),
    "rare": (-3.0, 1.0),
    "none": (-1.0, 0.0),
    "two": (-1.0, 2.0, -1.0),
    "rare two": (-3.0, 1.0, 0.0),
    "five": (0.0, 1.0, 0.0, -1.0, 0.5, 0.0),
    "rare none": (-3.0, 0.0),
    "rare, of a level": (-2.1, 2.0),
}
_CASES = (
    ("uniform", "one"),
    ("normal", "rare"),
    ("skewed", "steep"),
    ("two values", "steep"),
    ("heavy tails", "none"),
    ("correlated", "two"),
    ("skewed", "rare two"),
    ("two values", "five"),
)
# little noise and much curvature: no shape fits, or the steps do not arrive
_NARROW_CASES = (
    ("near a bound", "rare", 2000, 100.0),
    ("near a bound", "rare", 2000, 1_000.0),
    ("near a bound", "rare none", 2000, 1_000.0),
    ("rare level", "rare, of a level", 2000, 20.0),
    ("mixture", "rare none", 5000, 1_000.0),
    ("mixture", "rare, of a level", 5000, 1_000.0),
)
_SIZES = (
    (20, 10.0),
    (50, 1_000.0),
    (100, 100.0),
    (200, 1.0),
    (200, 5.0),
    (1000, 0.5),
    (1000, 2.0),
    (5000, 1.0),
    (5000, 5.0),
    (50_000, 1.0),
)
SETTINGS: list[Setting] = [
    {
        "name": f"{design}, {coefficients}, n {n}, epsilon {eps:g}",
        "design": design,
        "coefficients": _COEFFICIENTS[coefficients],
        "n": n,
        "epsilon": eps,
    }
    for design, coefficients, n, eps in (
        *((*case, *size) for case in _CASES for size in _SIZES),
        *_NARROW_CASES,
    )
]
# the power for a slope of 1 beside that without noise, and half of it
POWER: list[Setting] = [
    {"name": f"uniform, one, n {n}, epsilon {eps:g}", "design": "uniform", "coefficients": (0.0, 0.5), "n": n}
    | {"epsilon": eps}
    for n, eps in ((500, 1.0), (1000, 1.0), (1000, 5.0), (5000, 0.5))
]


def law(setting: Setting, generator: np.random.Generator) -> LogitLaw:
    """Return what a simulated release says."""
    b = np.array(setting["coefficients"])
    n, p, d = setting["n"], b.size - 1, b.size
    z = predictors(generator, n, p, setting["design"])
    y = np.where(generator.random(n) < logistic(b[0] + z @ b[1:]), 1.0, -1.0)
    v = np.column_stack([np.ones(n), z])
    places = pairs(d)
    unit = 2.0 / (p + 2) ** 2

    def moments(scale: float) -> np.ndarray:
        squares = z.T @ z
        weights = [1.0] * (1 + 2 * p) + [0.5 if i == j else 1.0 for i, j in places if i > 0]
        totals = [y.sum(), *(y @ z), *z.sum(0), *(squares[i - 1, j - 1] for i, j in places if i > 0)]
        return unit * np.array(weights) * totals + generator.laplace(0.0, scale, len(totals))

    def score(center: np.ndarray, line: Any, scale: float) -> np.ndarray:
        eta = v @ center
        s = logistic(eta)
        rest = np.clip((s - 0.5 - line.level - line.slope * eta) / line.apart, -1.0, 1.0)
        weight = np.clip((s * (1.0 - s) - line.weight) / line.weight_apart, -1.0, 1.0)
        informed = (v * weight[:, None]).T @ v
        first = float(SCORE_SHARE) / (2 * d) * (rest @ v)
        second = float(1 - SCORE_SHARE) / (d * (d + 1)) * np.array([informed[i, j] for i, j in places])
        found = np.concatenate([first, second])
        return found + generator.laplace(0.0, scale, found.size)

    shares = stages_for(setting["epsilon"], n, p)
    return fit(
        n,
        p,
        lambda: (moments(1.0 / shares[0]), 1.0 / shares[0]),
        [lambda center, line, e=e: (score(center, line, 1.0 / e), 1.0 / e) for e in shares[1:]],
    )


rejections = partial(coefficients.rejections, law)
misses = partial(coefficients.misses, law)
both = partial(coefficients.both, law)
power = partial(coefficients.power, law)


def widths(setting: Setting, runs: int, seed: int) -> tuple[float, float]:
    """Return the median width of the first slope's intervals, and the share of infinite ones."""
    generator = np.random.default_rng(seed)
    combination = np.eye(len(setting["coefficients"]))[1]
    found = [law(setting, generator).ends(combination, 0.05) for _ in range(runs)]
    size = [high - low for low, high in found]
    return float(np.median(size)), float(np.mean([math.isinf(each) for each in size]))
