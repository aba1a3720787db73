"""Linear regression: by noisy moments, and by ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import numpy as np

from pydpstat._release.additive import Query, release
from pydpstat._release.calibration import Calibrated, prepare
from pydpstat._release.options import Options
from pydpstat._release.payment import paid
from pydpstat._release.statistic import call, promise_of_stages, release_stage, release_statistic
from pydpstat.inference._coefficients import (
    MomentCombinations,
    empty_levels,
    endless,
    few_records,
    hidden_names,
    note_empty,
)
from pydpstat.inference._design import LinearDesign, Regression
from pydpstat.inference._null_distributions.noisy_moments import NoisyMoments, Sparse, matrix_of
from pydpstat.inference._null_distributions.ranks import check_countable
from pydpstat.inference._null_distributions.rare_errors import find_partitions
from pydpstat.inference._null_distributions.score_tests import ScoreInterval, ScoreTests
from pydpstat.inference._null_distributions.slopes import (
    KendallLaw,
    MedianOfSigns,
    ScoreLaw,
    block_plan,
    cells_for,
    slope_edges,
    two_sided,
)
from pydpstat.inference._predictors import clipped, expanded
from pydpstat.inference._regression_moments import (
    Influences,
    Layout,
    influence_query,
    moment_query,
    with_sampling,
)
from pydpstat.inference._slopes import block_values, by_slopes, kendall_statistic, score_statistic
from pydpstat.mechanisms.cube import Cube
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.mechanisms.mechanism import SeparateNoise, part_of, parts_of
from pydpstat.random import Source
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.record_grid import check_range, half_width

_LINEAR = "the mean of the response is linear in the predictors"
_WITHIN = "all of this refers to values clipped to the bounds"
_NORMAL = "close to normal if few records determine a coefficient"
ASSUMPTIONS = (_LINEAR, f"errors are independent and homoscedastic, {_NORMAL}", _WITHIN)
ROBUST = (_LINEAR, f"errors are independent, possibly heteroscedastic, and {_NORMAL}", _WITHIN)
# the parts of epsilon for the moments and for the squared influences
SHARES = (0.75, 0.25)
# what the moments leave open, as for a design
Ask = Callable[[LinearDesign, Layout, NoisyMoments], NoisyMoments]


def by_moments(
    regression: Regression,
    how: Options,
    null: float,
    arguments: tuple[tuple[str, object], ...],
    robust: bool = False,
) -> RegressionResults:
    """Release the moments, and return what follows from them; if `robust`, whatever the errors' variances."""
    design = regression.design
    layout = Layout.of(design, how.bounded)
    if how.default or how.norm == math.inf:
        how = how._replace(mechanism=layout.mechanism)
    query, data = moment_query(regression, how.norm, how.bounded), (regression.formula, "data")
    if not robust:
        found = release_statistic(
            "ols",
            query,
            how,
            data=data,
            arguments=arguments,
            bounds=design.bounds,
            conditions=design.conditions,
        )
        return _results_of_moments(design, layout, how.norm, null, [found])
    record = call("ols", how, data, arguments)
    claim, held = promise_of_stages(how, design.conditions)
    first, second = parts_of(how.epsilon, SHARES)
    releases: list[DPResults] = []

    def ask(own: LinearDesign, within: Layout, noisy: NoisyMoments) -> NoisyMoments:
        at, pure = Influences.of(noisy, within), how._replace(mechanism=Cube(), delta=0.0)
        query = influence_query(regression, own, at, _units_of_moments(own), how.bounded)
        releases.append(release_stage(query, pure, second, design.conditions, record))
        return with_sampling(noisy, at, releases[-1].value, releases[-1].noise)

    with paid(how.budget, held, record, how.mechanism.name):
        releases.append(release_stage(query, how, first, design.conditions, record))
        promised = {"claim": claim, "guarantee": held, "bounds": design.bounds}
        return _results_of_moments(design, layout, how.norm, null, releases, ask, promised=promised)


def _results_of_moments(
    design: LinearDesign,
    layout: Layout,
    norm: float,
    null: float,
    releases: list[DPResults],
    ask: Ask | None = None,
    promised: Mapping[str, object] = MappingProxyType({}),
) -> RegressionResults:
    """Return the results that follow from noisy moments.

    Levels that look empty stay in the design: merging one with the reference because of its noisy number
    would bias the other tests whenever it has records.
    """
    blocks, found = layout.blocks(norm), releases[0]
    matrix = matrix_of(found.value, blocks, layout.width)
    if layout.bounded:
        matrix[0, 0] = float(found.nobs or 0)
    centers, factors = _units_of_moments(design)
    low, high = design.response_bounds
    height, middle = 0.5 * high - 0.5 * low, 0.5 * low + 0.5 * high
    units, shifts = height / np.append(1.0, factors), np.zeros(layout.width - 1)
    shifts[0] = middle
    levels = find_partitions(matrix, layout.numbers[:-1], layout.factors)
    sparse = tuple(Sparse(place, -float(centers[place - 1]), own) for place, own in design.sparse)
    noisy = NoisyMoments(matrix, blocks, found.noise, -centers, partitions=levels, sparse=sparse)
    ones = np.eye(layout.width)
    sds = noisy.spread(ones[:, :1] + 0.0 * ones[:, 1:-1], ones[:, 1:-1])
    empty, told = empty_levels(design, matrix[0, 1:-1], sds, float(noisy.size))
    note_empty(design, matrix[0, 1:-1], sds, float(noisy.size))
    if ask is not None:
        noisy = ask(design, layout, noisy)
    tests = ScoreTests(noisy, units, shifts)
    coef, errors = tests.estimates()
    rest, whole = tests.squares()
    share = max(1.0 - rest / whole, 0.0) if min(rest, whole) > 0.0 else math.nan
    free = noisy.size - len(design.names)
    chance = (noisy.size - 1) / free if free > 0 else math.nan
    hidden = hidden_names(design.names, np.array(errors))
    remarks = []
    if hidden:
        remarks.append(
            f"The noise hides the part of {hidden} that the other predictors do not explain: distant "
            "values cannot be ruled out. There is no estimate, and the interval is the whole line, "
            "even if some values are rejected."
        )
    remarks += told + few_records(design, matrix[0, 1:-1], sds, float(noisy.size))
    if rest <= 0.0:
        remarks.append("The noise is larger than the residuals: there is no R-squared and no scale.")
    errors = np.where(empty, math.inf, errors)
    made: Callable[..., RegressionResults] = partial(RegressionResults.of, found)
    if ask is not None:
        made = partial(RegressionResults.of_several, releases, ["", ""])
    return made(
        model="OLS",
        method="moments" if ask is None else "moments, HC3",
        response=design.response,
        names=design.names,
        coef=coef,
        errors=errors,
        null=null,
        tested=design.names,
        statistics=(coef - null) / errors,
        probabilities=None,
        pvalue_floor=noisy.pvalue_floor,
        intervals=tuple(ScoreInterval(tests, place) for place in range(len(coef))),
        labels=("measured",) * len(coef),
        design=design,
        # of combinations the variances of sampling were not asked for
        combinations=MomentCombinations(tests) if ask is None else None,
        fit=(
            ("rsquared", share),
            ("rsquared_adj", max(1.0 - (1.0 - share) * chance, 0.0) if share + chance > 0.0 else math.nan),
            ("scale", rest / noisy.degrees * height * height if rest > 0.0 else math.nan),
        ),
        assumptions=(*(ASSUMPTIONS if ask is None else ROBUST), *design.assumptions),
        remarks=(*remarks, *design.remarks),
        **promised,
    )


def _units_of_moments(design: LinearDesign) -> tuple[np.ndarray, np.ndarray]:
    """Return for each coefficient but the constant its column's middle in half-ranges, and the half-range."""
    centers, factors = design.units
    return centers / factors, factors


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
    regression: Regression, how: Options, null: float, tested: Sequence[str], interval: bool, record: Call
) -> RegressionResults:
    """Release a statistic for each coefficient's test, and a histogram of estimates for its interval."""
    design, size = regression.design, len(regression.response)
    for pair in design.bounds:
        check_range(*pair)
    # neither blocks nor ties look at the data
    keys = _keys(how.source)
    units = *design.units, half_width(design.response_bounds)
    width = len(design.names) - 1
    if width == 1:
        check_countable(size, "data")
    if width == 1 and interval:
        y, matrix = _in_ranges(regression, units)
        scale = units[2] / float(units[1][0])
        return by_slopes(matrix[:, 0], y, scale, design, how, null, keys, record, ONE)
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
    prepared = prepare(query.question, spec, how.source.reproducible)
    found = release(query, prepared, how.source, record=record, bounds=design.bounds, budget=how.budget)
    return _results_of_ranks(design, null, tested, found, law, share, blocks, cells, interval)


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


def _results_of_ranks(
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
        (_, factors), height = design.units, half_width(design.response_bounds)
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
