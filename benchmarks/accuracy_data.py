"""The sample of the accuracy table, and each statistic of it: its truth, our call, and R's mirror."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import pydpstat
from pydpstat.privacy import Guarantee

EPSILON, DELTA, N = 1.0, 1e-6, 1000
NOISES = ("Laplace", "Gaussian")
INTEGER_NOISES = ("geometric", "Gaussian")
REGIONS = ("north", "east", "south", "west", "abroad")

_draw = np.random.default_rng(2024)
# incomes are top-coded, and heights and weights stay inside their bounds: clipping changes nothing
INCOME_BOUNDS, HEIGHT_BOUNDS, WEIGHT_BOUNDS = (0.0, 150_000.0), (130.0, 220.0), (20.0, 160.0)
INCOME = np.clip(np.rint(_draw.lognormal(np.log(30_000.0), 0.6, N)), *INCOME_BOUNDS)
HEIGHT = np.clip(_draw.normal(170.0, 10.0, N), *HEIGHT_BOUNDS)
WEIGHT = np.clip(70.0 + 0.9 * (HEIGHT - 170.0) + _draw.normal(0.0, 10.0, N), *WEIGHT_BOUNDS)
WELL_PAID = INCOME > 60_000.0
REGION = pd.Categorical(_draw.choice(REGIONS, N, p=[0.4, 0.3, 0.15, 0.1, 0.05]), REGIONS)
BREAKS = np.arange(130.0, 221.0, 10.0)
# quantiles are whole tens
POINTS = 15_001

Options = dict[str, Any]


class Mirrored(NamedTuple):
    """What a mirror's calls gave, and what each of them keeps."""

    value: Any
    guarantees: tuple[Guarantee, ...]


class Statistic(NamedTuple):
    """A line of the table, once for each noise and kind of neighbors.

    Parameters
    ----------
    name : str
    truth : float or ndarray
        The statistic of the raw data.
    own : callable
        Our release; called with the options of the noise, the neighbors and the source.
    mirror : callable
        What a user of DPpack computes; called with a claimed epsilon, and DPpack's options.
    r : str
        The mirror's name.
    noises : tuple of str
    """

    name: str
    truth: Any
    own: Callable[..., Any]
    mirror: Callable[[float, Options], Mirrored]
    r: str
    noises: tuple[str, ...] = NOISES


def _mirror(function: str, *data: Any, bounds: tuple[float, ...]) -> Callable[[float, Options], Mirrored]:
    def call(epsilon: float, options: Options) -> Mirrored:
        result = getattr(pydpstat, function)(*data, epsilon, *bounds, **options)
        return Mirrored(result, (result.guarantee,))

    return call


def _sum(epsilon: float, options: Options) -> Mirrored:
    mean = pydpstat.meanDP(INCOME, epsilon, *INCOME_BOUNDS, **options)
    return Mirrored(N * float(mean), (mean.guarantee,))


def _count(epsilon: float, options: Options) -> Mirrored:
    answer = pd.Categorical(WELL_PAID, [False, True])
    table = pydpstat.tableDP(answer, eps=epsilon, allow_negative=True, **options)
    return Mirrored(np.asarray(table)[1], (table.guarantee,))


def _corr(epsilon: float, options: Options) -> Mirrored:
    """Divide a covariance by two standard deviations, each with a third of epsilon and delta."""
    third = {**options, "delta": options.get("delta", 0.0) / 3.0}
    cov = pydpstat.covDP(HEIGHT, WEIGHT, epsilon / 3.0, *HEIGHT_BOUNDS, *WEIGHT_BOUNDS, **third)
    first = pydpstat.sdDP(HEIGHT, epsilon / 3.0, *HEIGHT_BOUNDS, **third)
    second = pydpstat.sdDP(WEIGHT, epsilon / 3.0, *WEIGHT_BOUNDS, **third)
    value = np.clip(float(cov) / (float(first) * float(second)), -1.0, 1.0)
    return Mirrored(value, (cov.guarantee, first.guarantee, second.guarantee))


def _histogram(epsilon: float, options: Options) -> Mirrored:
    result = pydpstat.histogramDP(HEIGHT, epsilon, *HEIGHT_BOUNDS, breaks=BREAKS, allow_negative=True, **options)
    return Mirrored(result, (result.guarantee,))


def _table(epsilon: float, options: Options) -> Mirrored:
    result = pydpstat.tableDP(REGION, eps=epsilon, allow_negative=True, **options)
    return Mirrored(result, (result.guarantee,))


STATISTICS = (
    Statistic(
        "mean, income",
        INCOME.mean(),
        lambda **how: pydpstat.mean(INCOME, EPSILON, bounds=INCOME_BOUNDS, **how),
        _mirror("meanDP", INCOME, bounds=INCOME_BOUNDS),
        "meanDP",
    ),
    Statistic(
        "sum, income",
        INCOME.sum(),
        lambda **how: pydpstat.sum(INCOME, EPSILON, bounds=INCOME_BOUNDS, **how),
        _sum,
        "n * meanDP",
    ),
    Statistic(
        "var, height",
        HEIGHT.var(ddof=1),
        lambda **how: pydpstat.var(HEIGHT, EPSILON, bounds=HEIGHT_BOUNDS, **how),
        _mirror("varDP", HEIGHT, bounds=HEIGHT_BOUNDS),
        "varDP",
    ),
    Statistic(
        "std, height",
        HEIGHT.std(ddof=1),
        lambda **how: pydpstat.std(HEIGHT, EPSILON, bounds=HEIGHT_BOUNDS, **how),
        _mirror("sdDP", HEIGHT, bounds=HEIGHT_BOUNDS),
        "sdDP",
    ),
    Statistic(
        "cov, height and weight",
        np.cov(HEIGHT, WEIGHT)[0, 1],
        lambda **how: pydpstat.cov(HEIGHT, WEIGHT, EPSILON, bounds=(HEIGHT_BOUNDS, WEIGHT_BOUNDS), **how),
        _mirror("covDP", HEIGHT, WEIGHT, bounds=(*HEIGHT_BOUNDS, *WEIGHT_BOUNDS)),
        "covDP",
    ),
    Statistic(
        "corr, height and weight",
        np.corrcoef(HEIGHT, WEIGHT)[0, 1],
        lambda **how: pydpstat.corr(HEIGHT, WEIGHT, EPSILON, bounds=(HEIGHT_BOUNDS, WEIGHT_BOUNDS), **how),
        _corr,
        "covDP / (sdDP * sdDP)",
    ),
    Statistic(
        "median, income",
        np.median(INCOME),
        lambda **how: pydpstat.median(INCOME, EPSILON, bounds=INCOME_BOUNDS, grid_points=POINTS, **how),
        _mirror("medianDP", INCOME, bounds=INCOME_BOUNDS),
        "medianDP",
        ("exponential",),
    ),
    Statistic(
        "0.9 quantile, income",
        np.quantile(INCOME, 0.9),
        lambda **how: pydpstat.quantile(INCOME, 0.9, EPSILON, bounds=INCOME_BOUNDS, grid_points=POINTS, **how),
        _mirror("quantileDP", INCOME, 0.9, bounds=INCOME_BOUNDS),
        "quantileDP",
        ("exponential",),
    ),
    Statistic(
        "count, income > 60,000",
        WELL_PAID.sum(),
        lambda **how: pydpstat.count(WELL_PAID, EPSILON, **how),
        _count,
        "tableDP",
        INTEGER_NOISES,
    ),
    Statistic(
        "proportion, income > 60,000",
        WELL_PAID.mean(),
        lambda **how: pydpstat.proportion(WELL_PAID, EPSILON, **how),
        _mirror("meanDP", WELL_PAID.astype(np.float64), bounds=(0.0, 1.0)),
        "meanDP of 0 and 1",
        INTEGER_NOISES,
    ),
    Statistic(
        "histogram, height, a cell",
        np.histogram(HEIGHT, BREAKS)[0],
        lambda **how: pydpstat.histogram(HEIGHT, EPSILON, edges=BREAKS, **how),
        _histogram,
        "histogramDP, breaks given",
        INTEGER_NOISES,
    ),
    Statistic(
        "crosstab, region, a cell",
        np.bincount(REGION.codes, minlength=len(REGIONS)),
        lambda **how: pydpstat.crosstab(REGION, EPSILON, levels="declared", **how),
        _table,
        "tableDP, levels given",
        INTEGER_NOISES,
    ),
)
