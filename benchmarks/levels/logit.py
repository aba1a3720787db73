"""Logistic regression: balanced and rare ones, correlated, skewed and two-valued predictors."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from levels import coefficients
from pydpstat._null_distributions.logistic.logistic_cells import evaluate_logistic
from pydpstat._null_distributions.logistic.logistic_equations import WindowedLogit
from pydpstat._null_distributions.logistic.noisy_logit import LogitInference
from pydpstat._release.pipeline import Query
from pydpstat.inference.logistic.logit import fit_logit_model, make_logit_records, split_epsilon
from pydpstat.inference.regression._design import read_regression

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


def law(setting: Setting, generator: np.random.Generator) -> LogitInference | WindowedLogit:
    """Return what a simulated release says."""
    b = np.array(setting["coefficients"])
    n, p = setting["n"], b.size - 1
    z = predictors(generator, n, p, setting["design"])
    y = generator.random(n) < evaluate_logistic(b[0] + z @ b[1:])
    records = make_logit_records(read_regression(y, z, [(-1, 1)] * p, None, "error", binary=True))

    def ask(query: Query, share: float) -> tuple[np.ndarray, float]:
        return query.value + generator.laplace(0.0, 1.0 / share, query.value.size), 1.0 / share

    return fit_logit_model(records, split_epsilon(setting["epsilon"], n, p), ask)


rejections = partial(coefficients.rejections, law)
misses = partial(coefficients.misses, law)
both = partial(coefficients.both, law)
power = partial(coefficients.power, law)


def widths(setting: Setting, runs: int, seed: int) -> tuple[float, float]:
    """Return the median width of the first slope's intervals, and the share of infinite ones."""
    generator = np.random.default_rng(seed)
    combination = np.eye(len(setting["coefficients"]))[1]
    found = [law(setting, generator).compute_limits(combination, 0.05) for _ in range(runs)]
    size = [high - low for low, high in found]
    return float(np.median(size)), float(np.mean([math.isinf(each) for each in size]))
