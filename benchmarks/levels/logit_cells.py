"""Logistic regression with factors, or a private number of records: rare levels, crossed factors, numbers."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from levels import coefficients
from levels.logit import predictors
from pydpstat._null_distributions.logistic.cell_logit import CellLogit
from pydpstat._null_distributions.logistic.logistic_cells import evaluate_logistic
from pydpstat._null_distributions.logistic.logistic_equations import WindowedLogit
from pydpstat._records.moment_noise import CellCubes
from pydpstat.inference.logistic._cell_regression import EPSILON_SHARES, fit_cell_model, make_cell_table
from pydpstat.inference.logistic._logit_cells import CellRecords, DesignCells
from pydpstat.inference.regression._design import Regression, read_regression
from pydpstat.mechanisms.mechanism import split_by_shares
from pydpstat.random import source_from

Setting = dict[str, Any]
# the levels' shares in each factor, the numbers' design, and the coefficients: constant, factors, numbers
_DESIGNS: dict[str, tuple[tuple[tuple[float, ...], ...], str, tuple[float, ...]]] = {
    "two levels": (((0.5, 0.5),), "", (0.0, 0.5)),
    "rare level": (((0.95, 0.05),), "", (0.5, -0.5)),
    "rare reference": (((0.05, 0.55, 0.4),), "", (-1.0, 0.5, 0.0)),
    "rare ones": (((0.4, 0.3, 0.2, 0.1),), "", (-3.0, 0.0, 0.5, 1.0)),
    "nine in ten ones": (((0.7, 0.2, 0.1),), "", (2.2, 0.0, 1.0)),
    "two factors": (((0.5, 0.5), (0.5, 0.25, 0.15, 0.1)), "", (-0.5, 0.5, 0.0, 0.5, -1.0)),
    "many cells": (((0.2,) * 5, (0.25,) * 4), "", (-1.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0, -0.5)),
    "a number": (((0.6, 0.3, 0.1),), "normal", (-0.5, 0.5, 0.0, 1.0)),
    "a skewed number": (((0.6, 0.3, 0.1),), "skewed", (-0.5, 0.5, 0.0, 2.0)),
    "a steep number": (((0.7, 0.3),), "uniform", (0.0, 1.0, 4.0)),
    "two values": (((0.7, 0.3),), "two values", (-1.0, 0.5, 2.0)),
    "two numbers": (((0.5, 0.5), (0.7, 0.3)), "correlated", (-1.5, 0.5, 0.0, 1.0, -1.0)),
    "no factor": ((), "uniform", (0.0, 1.0)),
    "no factor, skewed": ((), "skewed", (-1.0, 2.0, 0.0)),
}
_FACTORS = ("two levels", "rare level", "rare reference", "rare ones", "nine in ten ones", "two factors")
_FACTORS += ("many cells",)
_NUMBERS = ("a number", "a skewed number", "a steep number", "two values", "two numbers")
_SIZES = ((30, 5.0), (100, 1.0), (100, 100.0), (300, 0.5), (1000, 0.2), (1000, 2.0), (10_000, 0.4))
_LARGER = ((200, 5.0), (1000, 1.0), (1000, 100.0), (5000, 0.4), (5000, 5.0), (50_000, 0.4))


def _setting(design: str, n: int, eps: float, neighbors: str = "bounded") -> Setting:
    name = f"{design}, n {n}, epsilon {eps:g}" + (", unbounded" if neighbors != "bounded" else "")
    found = {"name": name, "design": design, "n": n, "epsilon": eps, "neighbors": neighbors}
    return found | {"coefficients": _DESIGNS[design][2]}


SETTINGS: list[Setting] = [
    *(_setting(design, *size) for design in _FACTORS for size in _SIZES),
    *(_setting(design, *size) for design in _NUMBERS for size in _LARGER),
    *(_setting(design, *size, "unbounded") for design in ("rare level", "two factors") for size in _SIZES[::3]),
    *(
        _setting(design, *size, "unbounded")
        for design in ("a number", "no factor", "no factor, skewed")
        for size in _LARGER[::2]
    ),
]
# for the first coefficient after the constant
POWER: list[Setting] = [
    _setting(design, n, eps)
    for design in ("two levels", "two factors", "a number")
    for n, eps in ((500, 1.0), (5000, 0.4))
]


def law(setting: Setting, generator: np.random.Generator) -> CellLogit | WindowedLogit:
    """Return what a simulated release says."""
    factors, design, b = _DESIGNS[setting["design"]]
    n, bounded = setting["n"], setting["neighbors"] == "bounded"
    codes = [generator.choice(len(each), n, p=each) for each in factors]
    width = len(b) - 1 - sum(len(each) - 1 for each in factors)
    z = predictors(generator, n, width, design) if width else np.empty((n, 0))
    indicators = [own[:, None] == np.arange(1, len(each)) for own, each in zip(codes, factors)]
    v = np.column_stack([np.ones(n), *indicators, z])
    records = _records(generator.random(n) < evaluate_logistic(v @ np.array(b)), codes, factors, z)
    ends, eps = 2 if bounded else 1, setting["epsilon"]
    if not width:
        found = records.make_counts_query(ends, None)
        noise = generator.geometric(-math.expm1(-eps / ends), (2, found.value.size))
        noisy = found.value + noise[0] - noise[1]
        return CellLogit(make_cell_table(records.cells, noisy, (eps / ends, 0.0), ends), None)
    source = source_from(generator)

    def ask(query: Any, mechanism: CellCubes, share: float) -> tuple[np.ndarray, tuple[float, float]]:
        noise = mechanism.calibrate_vector(share, 0.0, 1.0, query.value.size)
        return query.value + noise.draw(source, query.value.size, None), (noise.scale[0], noise.scale[-1])

    return fit_cell_model(records, split_by_shares(eps, EPSILON_SHARES), ends, None, ask)[0]


def _records(y: np.ndarray, codes: list[np.ndarray], factors: Any, z: np.ndarray) -> CellRecords:
    """Return records by cell."""
    names = [f"g{place}" for place in range(len(codes))]
    data: dict[str, np.ndarray] = {"y": y, **dict(zip(names, codes))}
    data |= {f"x{place}": column for place, column in enumerate(z.T)}
    terms = [*(f"C({name})" for name in names), *(f"x{place}" for place in range(z.shape[1]))]
    levels = {name: [*range(len(each))] for name, each in zip(names, factors)}
    bounds = (-1, 1) if z.shape[1] else None
    regression: Regression = read_regression(
        "y ~ " + " + ".join(terms), data, bounds, levels or None, "error", binary=True
    )
    return CellRecords(regression, DesignCells.from_design(regression.design))


rejections = partial(coefficients.rejections, law)
misses = partial(coefficients.misses, law)
both = partial(coefficients.both, law)
power = partial(coefficients.power, law)
