"""Logistic regression from noisy counts and sums by cell, and the results of logistic fits."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pydpstat._null_distributions.logistic.cell_logit import CellLogit, expand_score
from pydpstat._null_distributions.logistic.logistic_cells import MAX_SLOPE_SUM, CellTable, fit_cell_lines
from pydpstat._null_distributions.logistic.logistic_equations import (
    EquationQueries,
    LogitSums,
    Scaling,
    WindowedLogit,
    has_enough_records,
    has_steep_slopes,
    solve_equations,
    sum_over_cells,
    sum_remaining_epsilon,
)
from pydpstat._null_distributions.logistic.noisy_logit import unpack_symmetric
from pydpstat._null_distributions.noise import SMALLEST_PVALUE
from pydpstat._records.moment_noise import CellCubes
from pydpstat._release.charging import charge_once
from pydpstat._release.options import Options
from pydpstat._release.pipeline import Query
from pydpstat._release.statistic import make_call, make_stage_guarantees, release_stage, release_statistic
from pydpstat.inference.logistic._logit_cells import CellRecords, DesignCells, make_separate_mechanism
from pydpstat.inference.regression._coefficients import (
    LogitCombinations,
    collect_hidden_coefficients,
    describe_empty_responses,
    find_empty_levels,
    warn_empty_levels,
)
from pydpstat.inference.regression._design import Regression, RegressionDesign
from pydpstat.mechanisms.geometric import Geometric
from pydpstat.mechanisms.mechanism import split_by_shares
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults

if TYPE_CHECKING:
    from pydpstat.inference.regression._coefficients import CoefficientInference


def make_logit_results(
    inference: CoefficientInference,
    releases: list[DPResults],
    design: RegressionDesign,
    scaling: Scaling,
    *,
    hidden_remark: str,
    empty: npt.NDArray[np.bool_] | None = None,
    remarks: list[str],
    **fields: object,
) -> RegressionResults:
    """Return the results of a logistic fit."""
    if empty is None:
        empty = np.zeros(len(design.names), dtype=bool)
    combinations = LogitCombinations(inference, scaling.combinations, tuple(empty.tolist()))
    coefficients = tuple(combinations.make_combination(row) for row in np.eye(empty.size))
    coef, errors = (
        np.array(values)
        for values in zip(*((coefficient.estimate, coefficient.standard_error) for coefficient in coefficients))
    )
    hidden = collect_hidden_coefficients(design.names, np.where(empty, 0.0, errors))
    reason = LIMITED_REMARK if inference.is_limited else hidden_remark
    window_remarks = (
        [WINDOW_REMARK.format(_format_windows(inference.window, scaling, design))]
        if isinstance(inference, WindowedLogit)
        else []
    )
    return RegressionResults.of_several(
        releases,
        [f"{index}: " if index else "" for index in range(len(releases))],
        model="Logit",
        response=design.response,
        names=design.names,
        coef=coef,
        errors=errors,
        null=0.0,
        tested=design.names,
        statistics=np.where(np.isinf(errors), 0.0, coef / errors),
        probabilities=np.array([coefficient.compute_pvalue(0.0) for coefficient in coefficients]),
        pvalue_floor=SMALLEST_PVALUE,
        intervals=coefficients,
        labels=("measured",) * len(design.names),
        design=design,
        link="logit",
        combinations=combinations,
        assumptions=(*ASSUMPTIONS, *design.assumptions),
        remarks=(*([reason.format(hidden)] if hidden else []), *window_remarks, *remarks, *design.remarks),
        bounds=design.bounds[1:],
        **fields,
    )


def _format_windows(window: Scaling, scaling: Scaling, design: RegressionDesign) -> str:
    """Format the windows of the numeric predictors, in the units of the data."""
    limits = [window.middle + side * window.half_width for side in (-1.0, 1.0)]
    low, high = (scaling.middle + scaling.half_width * np.clip(limit, -1.0, 1.0) for limit in limits)
    return ", ".join(
        f"{name} from {float(lower):.4g} to {float(upper):.4g}"
        for name, numeric, lower, upper in zip(design.names[1:], _has_numeric_predictor(design), low, high)
        if numeric
    )


def _has_numeric_predictor(design: RegressionDesign) -> list[bool]:
    """Return whether each coefficient other than the constant belongs to a numeric predictor."""
    return [predictor.levels is None for predictor in design.predictors for _ in predictor.names]


LIMITED_REMARK = (
    "There is no estimate of {}: slopes are too steep between the bounds, and the iteration reached its "
    "limit. Give bounds nearer to the predictors' values, more records or a larger epsilon."
)
WINDOW_REMARK = (
    "Slopes are steep between the bounds. The last equations therefore weight predictors within windows, "
    "which follow from noisy means and variances and clip the weights alone: {}. The model has no other "
    "bounds than those that were given."
)
# fractions of epsilon for the table and for the successive remainders of linear approximations
EPSILON_SHARES = (0.8, 0.08, 0.12)
# largest sum of absolute slopes for which linear approximations are used
_MAX_LINEAR_SLOPE = 8.0
# function that releases a query with a mechanism and an epsilon; it returns values and the first and last noise scale
QueryRelease = Callable[[Query, CellCubes, float], tuple[Floats, tuple[float, float]]]
_UNINFORMATIVE_REMARK = (
    "The release is uninformative about {}: too few records of a response, or the noise hides it. "
    "Give more records, a larger epsilon, or fewer predictors."
)
ASSUMPTIONS = (
    "the log odds are linear in the predictors, which are clipped to their bounds",
    "records are independent",
)


def fit_by_cells(
    regression: Regression, options: Options, arguments: tuple[tuple[str, object], ...]
) -> RegressionResults:
    """Release counts and sums by cell, and return the results of the fit."""
    design = regression.design
    cells = DesignCells.from_design(design)
    records = CellRecords(regression, cells)
    n_changed_cells, nobs = 2 if options.has_public_size else 1, records.size if options.has_public_size else None
    if not cells.numbers:
        release = release_statistic(
            "logit",
            records.make_counts_query(n_changed_cells, nobs),
            options._replace(mechanism=Geometric()),
            data_names=(regression.formula, "data"),
            public_arguments=arguments,
            conditions=design.conditions,
        )
        table = make_cell_table(cells, release.value, (options.epsilon / n_changed_cells, 0.0), n_changed_cells)
        return _make_cell_results(CellLogit(table, None), table, [release], design, cells)
    record = make_call("logit", options, (regression.formula, "data"), arguments)
    claim, guarantee = make_stage_guarantees(options, design.conditions)
    releases: list[DPResults] = []

    def release_query(query: Query, mechanism: CellCubes, share: float) -> tuple[Floats, tuple[float, float]]:
        stage_options = options._replace(mechanism=mechanism)
        releases.append(release_stage(query, stage_options, share, design.conditions, record))
        scales = np.asarray(releases[-1].noise_scale)
        return releases[-1].value, (float(scales[0]), float(scales[-1]))

    with charge_once(options.budget, guarantee, record, CellCubes.name):
        inference, table = fit_cell_model(
            records, split_by_shares(options.epsilon, EPSILON_SHARES), n_changed_cells, nobs, release_query
        )
    return _make_cell_results(inference, table, releases, design, cells, claim=claim, guarantee=guarantee)


def fit_cell_model(
    records: CellRecords,
    epsilons: tuple[float, ...],
    n_changed_cells: int,
    nobs: int | None,
    release_query: QueryRelease,
) -> tuple[CellLogit | WindowedLogit, CellTable]:
    """Return the inference from the last release, and the table from the first one.

    The later releases are remainders of linear approximations at the estimates or, if slopes are too steep for these,
    estimating equations. All queries depend on noisy numbers only.
    """
    cells = records.cells
    table_values = release_query(
        records.make_table_query(n_changed_cells, nobs),
        cells.make_table_mechanism(n_changed_cells),
        epsilons[0],
    )
    table = make_cell_table(cells, *table_values, n_changed_cells)
    numbers = list(cells.numbers)
    inference, sums = CellLogit(table, None), sum_over_cells(table)
    ridge = 1.5 * math.sqrt(len(numbers)) * table.products_scale / sums.records + 1e-6
    # takes longer than the other steps, and is rarely needed
    find_start = cache(partial(sums.find_start, ridge))
    for index, epsilon in enumerate(epsilons[1:], 1):
        n_records, size = float(inference.model.sizes.sum()), cells.rows.shape[1]
        # an estimate at the limit does not tell how steep the slopes are
        slopes = (find_start() if inference.is_limited else inference.estimate)[numbers]
        if has_steep_slopes(slopes, sums, _MAX_LINEAR_SLOPE) and has_enough_records(
            n_records, math.fsum(epsilons), size
        ):
            return _solve_window_equations(
                records,
                sums,
                find_start(),
                sum_remaining_epsilon(epsilons[index:]),
                (n_changed_cells, nobs),
                release_query,
            ), table
        center, shares = bound_slopes(inference)
        half_width = float(np.abs(center[numbers]).sum())
        lines = fit_cell_lines(cells.rows @ center, half_width, shares)
        left, scales = release_query(
            records.make_remainder_query(center, lines, n_changed_cells, nobs),
            cells.make_remainder_mechanism(n_changed_cells),
            epsilon,
        )
        inference = CellLogit(table, expand_score(center, lines, left, scales, table))
    return inference, table


def _solve_window_equations(
    records: CellRecords,
    sums: LogitSums,
    start: Floats,
    epsilon: float,
    changes_and_nobs: tuple[int, int | None],
    release_query: QueryRelease,
) -> WindowedLogit:
    """Return the inference from estimating equations.

    `changes_and_nobs` has the number of changed records, 2 if a record is replaced and else 1, and n if public.
    """
    logit_records = records.to_logit_records()

    def release_noisy_sums(query: Query, share: float) -> tuple[Floats, float]:
        noisy_sums, scales = release_query(query, make_separate_mechanism(query.value.size), share)
        return noisy_sums, scales[0]

    queries = EquationQueries(
        logit_records.compute_sensitivities(changes_and_nobs[0]),
        float(logit_records.compute_window_factor(changes_and_nobs[0])),
        lambda window, share: release_noisy_sums(logit_records.make_window_query(window, *changes_and_nobs), share),
        lambda at, share: release_noisy_sums(logit_records.make_equations_query(at, *changes_and_nobs), share),
    )
    return solve_equations(sums, start, epsilon, queries)


def make_cell_table(cells: DesignCells, noisy: Floats, scales: tuple[float, float], n_changed_cells: int) -> CellTable:
    """Return the noisy table from released values; without numeric predictors the first scale is a noise rate."""
    width, count = len(cells.numbers), len(cells.rows)
    cell_values = noisy[: 2 * count * (width + 1)].reshape(count, 2, width + 1)
    units = np.array([1.0 / n_changed_cells if i == j else 1.0 for i, j in cells.products])
    products = unpack_symmetric(units * noisy[cell_values.size :], width)
    return CellTable(
        cells.rows,
        cells.numbers,
        cell_values[..., 0],
        cell_values[..., 1:],
        products,
        scales[0],
        not width,
        scales[1],
        units,
    )


def bound_slopes(inference: CellLogit) -> tuple[Floats, Floats]:
    """Return coefficients with limited slopes, at which the next release is made, and the shares of the cells."""
    b, numbers = inference.estimate.copy(), list(inference.table.numbers)
    size = float(np.abs(b[numbers]).sum())
    if size > MAX_SLOPE_SUM:
        mean = inference.model.shares @ inference.model.means
        b[0] += mean @ b[numbers] * (1.0 - MAX_SLOPE_SUM / size)
        b[numbers] *= MAX_SLOPE_SUM / size
    return b, inference.model.shares


def _make_cell_results(
    inference: CellLogit | WindowedLogit,
    table: CellTable,
    releases: list[DPResults],
    design: RegressionDesign,
    cells: DesignCells,
    **guarantees: Guarantee,
) -> RegressionResults:
    empty, level_remarks = _find_empty_levels(table, design)
    return make_logit_results(
        inference,
        releases,
        design,
        cells.scaling,
        hidden_remark=_UNINFORMATIVE_REMARK,
        empty=empty,
        remarks=level_remarks,
        method="counts by cell" if not cells.numbers else "noisy scores",
        **guarantees,
    )


def _find_empty_levels(table: CellTable, design: RegressionDesign) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Return a mask of the coefficients of levels that look empty by the noisy counts, and remarks on them."""
    sizes, sd = table.counts.sum(axis=1), math.sqrt(table.variance)
    n_records = float(sizes.sum())
    counts = table.rows.T @ sizes
    sds = sd * np.sqrt(2.0 * np.square(table.rows).sum(axis=0))
    warn_empty_levels(design, counts[1:], sds[1:], n_records)
    empty, level_remarks = find_empty_levels(design, counts[1:], sds[1:], n_records)
    ones = float(table.counts[:, 1].sum())
    return empty, [*level_remarks, *describe_empty_responses(design, ones, sd * math.sqrt(len(sizes)), n_records)]
