"""The mirrors' calls on long data, used by the timings and by the measurement of memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import pydpstat

Arrays = dict[str, np.ndarray]
LEVELS = 20
PREDICTORS = 20
GAMMAS = tuple(float(10.0**power) for power in np.linspace(-2.0, 2.0, 10))
BREAKS = np.arange(0.0, 101.0, 5.0)


@dataclass(frozen=True)
class Mirror:
    """A mirror's call on both sides.

    Parameters
    ----------
    what : str
        Its name in the table.
    data : callable
        Makes the arrays, of a given length.
    python : callable
        The call; its arguments are what `inputs` returns.
    r : str
        The call in R, on variables of the arrays' names.
    inputs : callable
        Turns the arrays into the call's arguments.
    r_inputs : str
        R code that does the same.
    package : str
        R's package.
    part : int
        The size is divided by this.
    aim : float or None
        The ratio to R aimed at.
    copies : float or None
        Copies of the data aimed at as memory; NaN where memory is not measured.
    """

    what: str
    data: Callable[[int], Arrays]
    python: Callable[..., Any]
    r: str
    inputs: Callable[[Arrays], tuple[Any, ...]] = lambda arrays: tuple(arrays.values())
    r_inputs: str = ""
    package: str = "DPpack"
    part: int = 1
    aim: float | None = 0.5
    copies: float | None = 1.0


def numbers(size: int) -> Arrays:
    """Return numbers of which 1.2 % lie outside the bounds 0 and 100."""
    return {"x": np.random.default_rng(1).normal(50.0, 20.0, size)}


def _codes(size: int) -> Arrays:
    return {"x": np.random.default_rng(1).integers(0, LEVELS, size, dtype=np.int32)}


def two_codes(size: int) -> Arrays:
    return {**_codes(size), "y": np.random.default_rng(2).integers(0, 5, size, dtype=np.int32)}


def _labeled(size: int) -> Arrays:
    """Return 20 predictors between -1 and 1 and a label 0 or 1."""
    generator = np.random.default_rng(1)
    predictors = np.asfortranarray(generator.uniform(-1.0, 1.0, (size, PREDICTORS)))
    score = predictors @ np.linspace(-2.0, 2.0, PREDICTORS)
    labels = (generator.uniform(size=size) < 1.0 / (1.0 + np.exp(-score))).astype(np.float64)
    return {"X": predictors, "y": labels}


def _logistic(X: np.ndarray, y: np.ndarray) -> Any:
    model = pydpstat.LogisticRegressionDP("l2", 1.0, 1.0)
    return model.fit(X, y, np.ones(PREDICTORS), -np.ones(PREDICTORS))


def _tuning(X: np.ndarray, y: np.ndarray) -> Any:
    models = [pydpstat.LogisticRegressionDP("l2", 1.0, gamma) for gamma in GAMMAS]
    return pydpstat.tune_classification_model(models, X, y, np.ones(PREDICTORS), -np.ones(PREDICTORS))


def _sampler(n: np.ndarray) -> Any:
    generator = np.random.default_rng(1)
    mechanism = pydpstat.DPMechLaplace(target=lambda x: float(x.mean()), dims=1)
    return pydpstat.sensitivitySampler(mechanism, generator.standard_normal, 100, m=int(n[0]), gamma=0.2)


def categoricals(arrays: Arrays) -> tuple[Any, ...]:
    import pandas as pd

    levels = [f"level{number}" for number in range(LEVELS)]
    return tuple(pd.Categorical.from_codes(codes, levels) for codes in arrays.values())


def _factor(name: str) -> str:
    return f"{name} <- structure({name} + 1L, levels = paste0('level', 0:{LEVELS - 1}), class = 'factor')"


MIRRORS = (
    Mirror(
        "meanDP",
        numbers,
        lambda x: pydpstat.meanDP(x, 1.0, 0, 100),
        "DPpack::meanDP(x, 1, 0, 100)",
    ),
    Mirror(
        "histogramDP, breaks given",
        numbers,
        lambda x: pydpstat.histogramDP(x, 1.0, 0, 100, breaks=BREAKS),
        "DPpack::histogramDP(x, 1, 0, 100, breaks = seq(0, 100, 5))",
    ),
    Mirror(
        "histogramDP, default breaks",
        numbers,
        lambda x: pydpstat.histogramDP(x, 1.0, 0, 100),
        "DPpack::histogramDP(x, 1, 0, 100)",
    ),
    Mirror(
        "tableDP, integers",
        _codes,
        lambda x: pydpstat.tableDP(x, eps=1.0),
        "DPpack::tableDP(x, eps = 1)",
    ),
    Mirror(
        "tableDP, a factor",
        _codes,
        lambda x: pydpstat.tableDP(x, eps=1.0),
        "DPpack::tableDP(x, eps = 1)",
        categoricals,
        _factor("x"),
    ),
    Mirror(
        "tableDP, two factors",
        two_codes,
        lambda x, y: pydpstat.tableDP(x, y, eps=1.0),
        "DPpack::tableDP(x, y, eps = 1)",
        categoricals,
        f"{_factor('x')}; {_factor('y')}",
    ),
    Mirror(
        "quantileDP",
        numbers,
        lambda x: pydpstat.quantileDP(x, 0.9, 1.0, 0, 100),
        "DPpack::quantileDP(x, .9, 1, 0, 100)",
        part=10,
        copies=None,
    ),
    Mirror(
        "LogisticRegressionDP, 20 predictors",
        _labeled,
        _logistic,
        "m <- DPpack::LogisticRegressionDP$new('l2', 1, 1); m$fit(X, y, rep(1, 20), rep(-1, 20))",
        part=100,
        copies=None,
    ),
    Mirror(
        "tune_classification_model, 10 models",
        _labeled,
        _tuning,
        "m <- lapply(10^seq(-2, 2, length.out = 10), \\(g) DPpack::LogisticRegressionDP$new('l2', 1, g));"
        "DPpack::tune_classification_model(m, X, y, rep(1, 20), rep(-1, 20))",
        part=100,
        copies=None,
    ),
    Mirror(
        "sensitivitySampler, the mean of 100",
        lambda size: {"n": np.array([size], dtype=np.int32)},
        _sampler,
        "suppressMessages(diffpriv::sensitivitySampler("
        "diffpriv::DPMechLaplace(target = mean, dims = 1), rnorm, 100, n, .2))",
        package="diffpriv",
        part=1000,
        aim=None,
        copies=float("nan"),
    ),
)
