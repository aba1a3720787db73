"""Fits of linear regressions from noisy moments and by ranks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import numpy as np

from pydpstat._null_distributions.ranks.rank_statistics import check_pair_count
from pydpstat._null_distributions.regression.noisy_moments import NoisyMoments, SparsePredictor, make_moment_matrix
from pydpstat._null_distributions.regression.rare_errors import find_level_partitions
from pydpstat._null_distributions.regression.score_tests import ScoreInterval, ScoreTests
from pydpstat._null_distributions.regression.slopes import (
    BlockScoreDistribution,
    KendallDistribution,
    MedianSlopeInterval,
    choose_block_plan,
    choose_slope_cells,
    compute_two_sided_pvalue,
    make_slope_edges,
)
from pydpstat._records.record_grid import check_bounds_range, compute_half_width
from pydpstat._release.calibration import FixedNoiseCalibrator, calibrate_release
from pydpstat._release.charging import charge_once
from pydpstat._release.options import Options
from pydpstat._release.pipeline import Query, release_query
from pydpstat._release.statistic import make_call, make_stage_guarantees, release_stage, release_statistic
from pydpstat.inference.regression._coefficients import (
    MomentCombinations,
    collect_hidden_coefficients,
    describe_small_levels,
    describe_unbounded_intervals,
    find_empty_levels,
    warn_empty_levels,
)
from pydpstat.inference.regression._design import Regression, RegressionDesign
from pydpstat.inference.regression._predictors import build_design_matrix, clip_to_bounds
from pydpstat.inference.regression._regression_moments import (
    Influences,
    MomentLayout,
    add_sampling_variances,
    make_influence_query,
    make_regression_query,
)
from pydpstat.inference.regression._slopes import (
    compute_block_values,
    compute_kendall_statistic,
    compute_score_statistic,
    fit_by_slopes,
)
from pydpstat.mechanisms.cube import Cube
from pydpstat.mechanisms.geometric import SymmetricGeometricNoise
from pydpstat.mechanisms.mechanism import SeparateNoise, split_by_shares, split_equally
from pydpstat.random import Source
from pydpstat.results._call import Call
from pydpstat.results._labels import Labels
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults

_LINEAR = "the mean of the response is linear in the predictors"
_CLIPPED = "all of this refers to values clipped to the bounds"
_NORMAL = "close to normal if few records determine a coefficient"
ASSUMPTIONS = (_LINEAR, f"errors are independent and homoscedastic, {_NORMAL}", _CLIPPED)
ROBUST_ASSUMPTIONS = (_LINEAR, f"errors are independent, possibly heteroscedastic, and {_NORMAL}", _CLIPPED)
# fractions of epsilon for the moments and for the squared influences
EPSILON_SHARES = (0.75, 0.25)
# function that releases squared influences and returns the moments with sampling variances
SamplingRelease = Callable[[RegressionDesign, MomentLayout, NoisyMoments], NoisyMoments]


def fit_by_moments(
    regression: Regression,
    options: Options,
    null: float,
    arguments: tuple[tuple[str, object], ...],
    robust: bool = False,
) -> RegressionResults:
    """Release the moments and return the fit; if `robust`, with heteroscedasticity-consistent variances."""
    design = regression.design
    layout = MomentLayout.from_design(design, options.has_public_size)
    if options.is_default_mechanism or options.norm == math.inf:
        options = options._replace(mechanism=layout.mechanism)
    query, data = (
        make_regression_query(regression, options.norm, options.has_public_size),
        (regression.formula, "data"),
    )
    if not robust:
        release = release_statistic(
            "ols",
            query,
            options,
            data_names=data,
            public_arguments=arguments,
            bounds=design.bounds,
            conditions=design.conditions,
        )
        return _make_moment_results(design, layout, options.norm, null, [release])
    record = make_call("ols", options, data, arguments)
    claim, guarantee = make_stage_guarantees(options, design.conditions)
    moments_epsilon, influences_epsilon = split_by_shares(options.epsilon, EPSILON_SHARES)
    releases: list[DPResults] = []

    def release_influences(own_design: RegressionDesign, own_layout: MomentLayout, noisy: NoisyMoments) -> NoisyMoments:
        at, pure = Influences.from_release(noisy, own_layout), options._replace(mechanism=Cube(), delta=0.0)
        query = make_influence_query(regression, own_design, at, _get_moment_units(own_design), options.has_public_size)
        releases.append(release_stage(query, pure, influences_epsilon, design.conditions, record))
        return add_sampling_variances(noisy, at, releases[-1].value, releases[-1].noise)

    with charge_once(options.budget, guarantee, record, options.mechanism.name):
        releases.append(release_stage(query, options, moments_epsilon, design.conditions, record))
        fields = {"claim": claim, "guarantee": guarantee, "bounds": design.bounds}
        return _make_moment_results(design, layout, options.norm, null, releases, release_influences, guarantees=fields)


def _make_moment_results(
    design: RegressionDesign,
    layout: MomentLayout,
    norm: float,
    null: float,
    releases: list[DPResults],
    release_influences: SamplingRelease | None = None,
    guarantees: Mapping[str, object] = MappingProxyType({}),
) -> RegressionResults:
    """Return the results of a fit from noisy moments.

    Levels that look empty stay in the design: merging one with the reference because of its noisy number
    would bias the other tests whenever it has records.
    """
    blocks, release = layout.make_blocks(norm), releases[0]
    matrix = make_moment_matrix(release.value, blocks, layout.width)
    if layout.bounded:
        matrix[0, 0] = float(release.nobs or 0)
    centers, factors = _get_moment_units(design)
    low, high = design.response_bounds
    height, middle = 0.5 * high - 0.5 * low, 0.5 * low + 0.5 * high
    units, shifts = height / np.append(1.0, factors), np.zeros(layout.width - 1)
    shifts[0] = middle
    levels = find_level_partitions(matrix, layout.numbers[:-1], layout.factors)
    sparse = tuple(
        SparsePredictor(index, -float(centers[index - 1]), is_indicator)
        for index, is_indicator in design.sparse_coefficients
    )
    noisy = NoisyMoments(matrix, blocks, release.noise, -centers, partitions=levels, sparse_predictors=sparse)
    ones = np.eye(layout.width)
    sds = noisy.compute_noise_sd(ones[:, :1] + 0.0 * ones[:, 1:-1], ones[:, 1:-1])
    empty, level_remarks = find_empty_levels(design, matrix[0, 1:-1], sds, float(noisy.size))
    warn_empty_levels(design, matrix[0, 1:-1], sds, float(noisy.size))
    if release_influences is not None:
        noisy = release_influences(design, layout, noisy)
    tests = ScoreTests(noisy, units, shifts)
    coef, errors = tests.compute_estimates()
    residual_sum, total_sum = tests.compute_square_sums()
    share = max(1.0 - residual_sum / total_sum, 0.0) if min(residual_sum, total_sum) > 0.0 else math.nan
    free = noisy.size - len(design.names)
    chance = (noisy.size - 1) / free if free > 0 else math.nan
    hidden = collect_hidden_coefficients(design.names, np.array(errors))
    remarks = []
    if hidden:
        remarks.append(
            f"The noise hides the part of {hidden} that the other predictors do not explain: distant "
            "values cannot be ruled out. There is no estimate, and the interval is the whole line, "
            "even if some values are rejected."
        )
    remarks += level_remarks + describe_small_levels(design, matrix[0, 1:-1], sds, float(noisy.size))
    if residual_sum <= 0.0:
        remarks.append("The noise is larger than the residuals: there is no R-squared and no scale.")
    errors = np.where(empty, math.inf, errors)
    make_results: Callable[..., RegressionResults] = partial(RegressionResults.of, release)
    if release_influences is not None:
        make_results = partial(RegressionResults.of_several, releases, ["", ""])
    return make_results(
        model="OLS",
        method="moments" if release_influences is None else "moments, HC3",
        response=design.response,
        names=design.names,
        coef=coef,
        errors=errors,
        null=null,
        tested=design.names,
        statistics=(coef - null) / errors,
        probabilities=None,
        pvalue_floor=noisy.pvalue_floor,
        intervals=tuple(ScoreInterval(tests, index) for index in range(len(coef))),
        labels=("measured",) * len(coef),
        design=design,
        # sampling variances were released for the coefficients only
        combinations=MomentCombinations(tests) if release_influences is None else None,
        fit=(
            ("rsquared", share),
            ("rsquared_adj", max(1.0 - (1.0 - share) * chance, 0.0) if share + chance > 0.0 else math.nan),
            ("scale", residual_sum / noisy.degrees * height * height if residual_sum > 0.0 else math.nan),
        ),
        assumptions=(*(ASSUMPTIONS if release_influences is None else ROBUST_ASSUMPTIONS), *design.assumptions),
        remarks=(*remarks, *design.remarks),
        **guarantees,
    )


def _get_moment_units(design: RegressionDesign) -> tuple[np.ndarray, np.ndarray]:
    """Return the middle in half widths and the half width of each coefficient's bounds, without the constant."""
    centers, factors = design.units
    return centers / factors, factors


ONE_PREDICTOR_ASSUMPTIONS = (
    "the mean of the response is linear in the predictor",
    "errors are independent of the predictor and of each other and identically distributed",
    "no value is beyond its bounds",
)
SEVERAL_PREDICTOR_ASSUMPTIONS = (
    "the mean of the response is linear in the predictors",
    "errors are independent given the predictors, and identically or symmetrically distributed",
    "no value is beyond its bounds",
)


def fit_by_ranks(
    regression: Regression, options: Options, null: float, tested: Sequence[str], interval: bool, record: Call
) -> RegressionResults:
    """Release a test statistic for each coefficient and, for intervals, a histogram of block estimates."""
    design, size = regression.design, len(regression.response)
    for pair in design.bounds:
        check_bounds_range(*pair)
    # blocks and tie-breaking keys do not depend on the data
    keys = _make_tie_generator(options.source)
    units = *design.units, compute_half_width(design.response_bounds)
    width = len(design.names) - 1
    if width == 1:
        check_pair_count(size, "data")
    if width == 1 and interval:
        y, matrix = _standardize_variables(regression, units)
        scale = units[2] / float(units[1][0])
        return fit_by_slopes(matrix[:, 0], y, scale, design, options, null, keys, record, ONE_PREDICTOR_ASSUMPTIONS)
    indices = [design.names.index(name) - 1 for name in tested]
    share = split_equally(options.epsilon, len(tested) * (2 if interval else 1))
    block, top = choose_block_plan(size, width, share)
    blocks = size // block if block else 0
    distribution: BlockScoreDistribution | KendallDistribution = (
        KendallDistribution(max(size, 2)) if width == 1 else BlockScoreDistribution(blocks, top)
    )
    cells = choose_slope_cells(blocks, share)
    values = _compute_statistics(regression, indices, null, units, distribution, block, interval, cells, keys)
    noises = [SymmetricGeometricNoise(share, max(distribution.sensitivity, 1))] * len(tested)
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
    claim, guarantee = options.make_guarantees(None, design.conditions)
    spec = FixedNoiseCalibrator(SeparateNoise(tuple(noises), tuple(sizes)), claim, guarantee)
    prepared = calibrate_release(query.spec, spec, options.source.reproducible)
    release = release_query(query, prepared, options.source, call=record, bounds=design.bounds, budget=options.budget)
    return _make_rank_results(design, null, tested, release, distribution, share, blocks, cells, interval)


def _make_tie_generator(source: Source) -> np.random.Generator:
    """Return a generator for blocks and tie-breaking keys, which need not be secret."""
    return np.random.default_rng((source.uniform(4) * 2.0**53).astype(np.uint64).tolist())


def _compute_statistics(
    regression: Regression,
    indices: Sequence[int],
    null: float,
    units: tuple[np.ndarray, np.ndarray, float],
    distribution: BlockScoreDistribution | KendallDistribution,
    block_size: int,
    interval: bool,
    n_cells: int,
    generator: np.random.Generator,
) -> list[int]:
    """Return the exact statistics, followed by the exact cell counts; private."""
    _, factors, height = units
    y, matrix = _standardize_variables(regression, units)
    statistics, histograms = [], []
    edges = make_slope_edges(n_cells)
    for index in indices:
        at = null * factors[index] / height
        x = np.ascontiguousarray(matrix[:, index])
        block_values = (
            compute_block_values(y, x, np.delete(matrix, index, axis=1), block_size, at, generator)
            if block_size
            else None
        )
        if isinstance(distribution, KendallDistribution):
            statistics.append(compute_kendall_statistic(x, y - at * x, generator))
        else:
            statistics.append(
                0 if block_values is None else compute_score_statistic(block_values, distribution.top_score, generator)
            )
        if interval:
            estimates = np.empty(0) if block_values is None else block_values.estimates
            counts = np.bincount(np.searchsorted(edges, estimates, side="right"), minlength=n_cells)
            histograms += counts.tolist()
    return [*statistics, *histograms]


def _standardize_variables(
    regression: Regression, units: tuple[np.ndarray, np.ndarray, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the response and the design matrix without constant in units of the bounds; private."""
    centers, factors, height = units
    predictors = regression.design.predictors
    matrix = build_design_matrix(predictors, clip_to_bounds(predictors, regression.predictors))[:, 1:]
    low, high = regression.design.response_bounds
    y = (regression.response.clip(low, high) - (0.5 * low + 0.5 * high)) / height
    return y, (matrix - centers) / factors


def _make_rank_results(
    design: RegressionDesign,
    null: float,
    tested: Sequence[str],
    found: DPResults,
    distribution: BlockScoreDistribution | KendallDistribution,
    share: float,
    n_blocks: int,
    n_cells: int,
    interval: bool,
) -> RegressionResults:
    released = [round(number) for number in found.value.tolist()]
    statistics, counts = released[: len(tested)], released[len(tested) :]
    spread = math.sqrt(distribution.variance + SymmetricGeometricNoise(share, max(distribution.sensitivity, 1)).var())
    # without blocks the statistic is noise only
    chances = [
        compute_two_sided_pvalue(statistic, distribution, share)
        if n_blocks or isinstance(distribution, KendallDistribution)
        else 1.0
        for statistic in statistics
    ]
    coef, errors, intervals = None, np.full(len(tested), math.inf), [None] * len(tested)
    remarks: list[str] = []
    if not n_blocks and (interval or isinstance(distribution, BlockScoreDistribution)):
        remarks.append("There are too few records for a block: the result is uninformative.")
    if interval:
        (_, factors), height = design.units, compute_half_width(design.response_bounds)
        scales = [height / factors[design.names.index(name) - 1] for name in tested]
        slopes = [
            MedianSlopeInterval(
                tuple(counts[k * n_cells : (k + 1) * n_cells]), _scale_edges(n_cells, scale), n_blocks, share
            )
            for k, scale in enumerate(scales)
        ]
        coef = np.array([slope.compute_estimate() for slope in slopes])
        limits = [slope.compute_limits(0.05) for slope in slopes]
        errors = np.array([(high - low) / 3.92 for low, high in limits])
        intervals = slopes  # type: ignore[assignment]
        remarks += describe_unbounded_intervals(tested, errors)
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
        assumptions=(
            *(
                ONE_PREDICTOR_ASSUMPTIONS
                if isinstance(distribution, KendallDistribution)
                else SEVERAL_PREDICTOR_ASSUMPTIONS
            ),
            *design.assumptions,
        ),
        remarks=(*remarks, *design.remarks),
    )


def _scale_edges(n_cells: int, scale: float) -> tuple[float, ...]:
    return tuple((make_slope_edges(n_cells) * scale).tolist())
