"""A regression by ranks and signs: tests whose distribution no data can change, and intervals from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pydpstat._release.additive import Query, release
from pydpstat._release.calibration import Calibrated, prepare
from pydpstat._release.statistic import Options
from pydpstat.inference._block_scores import block_values, kendall_statistic, score_statistic
from pydpstat.inference._design import LinearDesign, Regression
from pydpstat.inference._hidden import endless
from pydpstat.inference._laws.rank_values import check_countable
from pydpstat.inference._laws.sign_scores import (
    KendallLaw,
    MedianOfSigns,
    ScoreLaw,
    block_plan,
    cells_for,
    slope_edges,
    two_sided,
)
from pydpstat.inference._pair_slopes import by_slopes
from pydpstat.inference._predictors import clipped, expanded
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.mechanisms.mechanism import SeparateNoise, part_of
from pydpstat.random import Source
from pydpstat.results._labels import Labels
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.record_grid import check_range, half_width

ONE = (
    "the mean of the response is linear in the predictor",
    "errors are independent of the predictor and of each other and identically distributed",
    "no value is beyond its bounds",
)
SEVERAL = (
    "the mean of the response is linear in the predictors",
    "errors are independent given the predictors, and identically or symmetrically distributed",
    "no value is beyond its bounds",
)


def by_ranks(
    regression: Regression,
    how: Options,
    null: float,
    tested: Sequence[str],
    interval: bool,
    source: Source,
    said: dict[str, Any],
) -> RegressionResults:
    """Release a statistic for each coefficient's test, and a histogram of estimates for its interval."""
    design, size = regression.design, len(regression.response)
    for pair in design.bounds:
        check_range(*pair)
    # neither blocks nor ties look at the data
    keys = _keys(source)
    units = _units(design)
    width = len(design.names) - 1
    if width == 1:
        check_countable(size, "data")
    if width == 1 and interval:
        y, matrix = _in_ranges(regression, units)
        scale = units[2] / float(units[1][0])
        return by_slopes(matrix[:, 0], y, scale, design, how, null, keys, source, said, ONE)
    places = [design.names.index(name) - 1 for name in tested]
    share = part_of(how.epsilon, len(tested) * (2 if interval else 1))
    block, top = block_plan(size, width, share)
    blocks = size // block if block else 0
    law: ScoreLaw | KendallLaw = KendallLaw(max(size, 2)) if width == 1 else ScoreLaw(blocks, top)
    cells = cells_for(blocks, share)
    values = _statistics(regression, places, null, units, law, block, interval, cells, keys)
    noises = [SymmetricGeometricNoise(share, max(law.sensitivity, 1))] * len(tested)
    names = [f"statistic of {name}" for name in tested]
    sizes = [1] * len(tested)
    if interval:
        noises += [SymmetricGeometricNoise(share, 2)] * len(tested)
        sizes += [cells] * len(tested)
        names += [f"estimates of {name} in cell {cell}" for name in tested for cell in range(1, cells + 1)]
    query = Query(
        "regression",
        np.array(values, dtype=np.float64),
        tuple(float(noise.sensitivity) for noise in noises),
        Labels("regression", tuple(names)),
        integer=True,
        nobs=size,
    )
    claim, held = how.promise(None, design.conditions)
    spec = Calibrated(SeparateNoise(tuple(noises), tuple(sizes)), claim, held)
    found = release(query, prepare(query.question, spec, source.reproducible), source, **said)
    return _followed(design, null, tested, found, law, share, blocks, cells, interval)


def _keys(source: Source) -> np.random.Generator:
    """Return what draws blocks and breaks ties: random, but no secret."""
    return np.random.default_rng((source.uniform(4) * 2.0**53).astype(np.uint64).tolist())


def _statistics(
    regression: Regression,
    places: Sequence[int],
    null: float,
    units: tuple[np.ndarray, np.ndarray, float],
    law: ScoreLaw | KendallLaw,
    block: int,
    interval: bool,
    cells: int,
    keys: np.random.Generator,
) -> list[int]:
    """Return the true statistics, and then the true cells. Private."""
    _, factors, height = units
    y, matrix = _in_ranges(regression, units)
    statistics, histograms = [], []
    edges = slope_edges(cells)
    for place in places:
        at = null * factors[place] / height
        x = np.ascontiguousarray(matrix[:, place])
        found = block_values(y, x, np.delete(matrix, place, axis=1), block, at, keys) if block else None
        if isinstance(law, KendallLaw):
            statistics.append(kendall_statistic(x, y - at * x, keys))
        else:
            statistics.append(0 if found is None else score_statistic(found, law.top, keys))
        if interval:
            estimates = np.empty(0) if found is None else found.estimates
            counts = np.bincount(np.searchsorted(edges, estimates, side="right"), minlength=cells)
            histograms += counts.tolist()
    return [*statistics, *histograms]


def _in_ranges(
    regression: Regression, units: tuple[np.ndarray, np.ndarray, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the response and the coefficients' columns in the unit of their ranges. Private."""
    centers, factors, height = units
    predictors = regression.design.predictors
    matrix = expanded(predictors, clipped(predictors, regression.predictors))[:, 1:]
    low, high = regression.design.response_bounds
    y = (regression.response.clip(low, high) - (0.5 * low + 0.5 * high)) / height
    return y, (matrix - centers) / factors


def _units(design: LinearDesign) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the middles and half-ranges of the coefficients' columns, and the response's half-range."""
    pairs = [
        each.bounds if each.bounds is not None else (-1.0, 1.0)
        for each in design.predictors
        for _ in each.names
    ]
    centers = np.array([0.5 * low + 0.5 * high for low, high in pairs])
    return centers, np.array(list(map(half_width, pairs))), half_width(design.response_bounds)


def _followed(
    design: LinearDesign,
    null: float,
    tested: Sequence[str],
    found: DPResults,
    law: ScoreLaw | KendallLaw,
    share: float,
    blocks: int,
    cells: int,
    interval: bool,
) -> RegressionResults:
    released = [round(each) for each in found.value.tolist()]
    statistics, counts = released[: len(tested)], released[len(tested) :]
    spread = math.sqrt(law.variance + SymmetricGeometricNoise(share, max(law.sensitivity, 1)).var())
    # without blocks there is nothing but noise, and every statistic is as likely
    chances = [
        two_sided(each, law, share) if blocks or isinstance(law, KendallLaw) else 1.0 for each in statistics
    ]
    coef, errors, intervals = None, np.full(len(tested), math.inf), [None] * len(tested)
    remarks: list[str] = []
    if not blocks and (interval or isinstance(law, ScoreLaw)):
        remarks.append("There are too few records for a block: the result is uninformative.")
    if interval:
        _, factors, height = _units(design)
        scales = [height / factors[design.names.index(name) - 1] for name in tested]
        each = [
            MedianOfSigns(tuple(counts[k * cells : (k + 1) * cells]), _scaled(cells, scale), blocks, share)
            for k, scale in enumerate(scales)
        ]
        coef = np.array([one.estimate() for one in each])
        ends = [one.ends(0.05) for one in each]
        errors = np.array([(high - low) / 3.92 for low, high in ends])
        intervals = each  # type: ignore[assignment]
        remarks += endless(tested, errors)
    return RegressionResults.of(
        found,
        model="OLS",
        method="rank",
        response=design.response,
        names=tuple(tested),
        coef=coef,
        errors=errors,
        null=null,
        tested=tuple(tested),
        statistics=np.array(statistics) / max(spread, 1.0),
        probabilities=np.array(chances),
        intervals=tuple(intervals),
        labels=("model",) * len(tested),
        design=design,
        assumptions=(*(ONE if isinstance(law, KendallLaw) else SEVERAL), *design.assumptions),
        remarks=(*remarks, *design.remarks),
    )


def _scaled(cells: int, scale: float) -> tuple[float, ...]:
    return tuple((slope_edges(cells) * scale).tolist())
