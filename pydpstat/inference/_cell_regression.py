"""Logistic regression from noisy counts and sums by cell, and the results of a fit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pydpstat._release.additive import Query
from pydpstat._release.options import Options
from pydpstat._release.payment import paid
from pydpstat._release.statistic import call, promise_of_stages, release_stage, release_statistic
from pydpstat.inference._coefficients import (
    LawCombinations,
    empty_levels,
    empty_responses,
    hidden_names,
    note_empty,
)
from pydpstat.inference._design import LinearDesign, Regression
from pydpstat.inference._logit_cells import CellRecords, Cells, single_noise
from pydpstat.inference._moment_noise import CellCubes
from pydpstat.inference._null_distributions.cell_logit import CellLogit, expansion_at
from pydpstat.inference._null_distributions.logistic_cells import FARTHEST, CellTable, lines_at
from pydpstat.inference._null_distributions.logistic_equations import (
    LogitSums,
    Queries,
    Scaling,
    WindowedLogit,
    add_up_cells,
    has_enough_records,
    may_be_steep,
    remaining_epsilon,
    solve_equations,
)
from pydpstat.inference._null_distributions.noise import SMALLEST
from pydpstat.inference._null_distributions.noisy_logit import symmetric
from pydpstat.mechanisms.geometric import Geometric
from pydpstat.mechanisms.mechanism import parts_of
from pydpstat.privacy import Guarantee
from pydpstat.r_arithmetic.elementary import Floats
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults

if TYPE_CHECKING:
    from pydpstat.inference._coefficients import Law


def logit_results(
    law: Law,
    releases: list[DPResults],
    design: LinearDesign,
    scaling: Scaling,
    *,
    nothing: str,
    empty: npt.NDArray[np.bool_] | None = None,
    remarks: list[str],
    **own: object,
) -> RegressionResults:
    """Return the results of a fit."""
    if empty is None:
        empty = np.zeros(len(design.names), dtype=bool)
    combinations = LawCombinations(law, scaling.combinations, tuple(empty.tolist()))
    parts = tuple(combinations.of(each) for each in np.eye(empty.size))
    coef, errors = (np.array(each) for each in zip(*((part.estimate, part.error) for part in parts)))
    hidden = hidden_names(design.names, np.where(empty, 0.0, errors))
    reason = LIMITED if law.limited else nothing
    told = [WEIGHTED.format(_places(law.window, scaling, design))] if isinstance(law, WindowedLogit) else []
    return RegressionResults.of_several(
        releases,
        [f"{place}: " if place else "" for place in range(len(releases))],
        model="Logit",
        response=design.response,
        names=design.names,
        coef=coef,
        errors=errors,
        null=0.0,
        tested=design.names,
        statistics=np.where(np.isinf(errors), 0.0, coef / errors),
        probabilities=np.array([each.pvalue(0.0) for each in parts]),
        pvalue_floor=SMALLEST,
        intervals=parts,
        labels=("measured",) * len(design.names),
        design=design,
        link="logit",
        combinations=combinations,
        assumptions=(*ASSUMPTIONS, *design.assumptions),
        remarks=(*([reason.format(hidden)] if hidden else []), *told, *remarks, *design.remarks),
        bounds=design.bounds[1:],
        **own,
    )


def _places(window: Scaling, scaling: Scaling, design: LinearDesign) -> str:
    """Return the windows of numeric predictors as text, in the data's units."""
    ends = [window.middle + side * window.half for side in (-1.0, 1.0)]
    low, high = (scaling.middle + scaling.half * np.clip(each, -1.0, 1.0) for each in ends)
    return ", ".join(
        f"{name} from {float(first):.4g} to {float(last):.4g}"
        for name, numeric, first, last in zip(design.names[1:], _numeric(design), low, high)
        if numeric
    )


def _numeric(design: LinearDesign) -> list[bool]:
    """Tell which coefficients other than the constant belong to numeric predictors."""
    return [each.levels is None for each in design.predictors for _ in each.names]


LIMITED = (
    "There is no estimate of {}: slopes are too steep between the bounds, and the iteration reached its "
    "limit. Give bounds nearer to the predictors' values, more records or a larger epsilon."
)
WEIGHTED = (
    "Slopes are steep between the bounds. The last equations therefore weight predictors within windows, "
    "which follow from noisy means and variances and clip the weights alone: {}. The model has no other "
    "bounds than those that were given."
)
# the shares of epsilon of the table, and of what lines leave, one after another
SHARES = (0.8, 0.08, 0.12)
# slopes whose absolute values add up to more are too steep for lines
_STEEP = 8.0
# releases numbers with a mechanism for a share of epsilon, and tells the scales of its vectors' noise
Ask = Callable[[Query, CellCubes, float], tuple[Floats, tuple[float, float]]]
_NOTHING = (
    "The release is uninformative about {}: too few records of a response, or the noise hides it. "
    "Give more records, a larger epsilon, or fewer predictors."
)
ASSUMPTIONS = (
    "the log odds are linear in the predictors, which are clipped to their bounds",
    "records are independent",
)


def by_cells(
    regression: Regression, how: Options, arguments: tuple[tuple[str, object], ...]
) -> RegressionResults:
    """Release counts and sums by cell, and return what follows from them."""
    design = regression.design
    cells = Cells.of(design)
    records = CellRecords(regression, cells)
    ends, nobs = 2 if how.bounded else 1, records.size if how.bounded else None
    if not cells.numbers:
        found = release_statistic(
            "logit",
            records.counts(ends, nobs),
            how._replace(mechanism=Geometric()),
            data=(regression.formula, "data"),
            arguments=arguments,
            conditions=design.conditions,
        )
        table = table_of(cells, found.value, (how.epsilon / ends, 0.0), ends)
        return _results(CellLogit(table, None), table, [found], design, cells)
    record = call("logit", how, (regression.formula, "data"), arguments)
    claim, held = promise_of_stages(how, design.conditions)
    releases: list[DPResults] = []

    def ask(query: Query, mechanism: CellCubes, share: float) -> tuple[Floats, tuple[float, float]]:
        own = how._replace(mechanism=mechanism)
        releases.append(release_stage(query, own, share, design.conditions, record))
        scales = np.asarray(releases[-1].noise_scale)
        return releases[-1].value, (float(scales[0]), float(scales[-1]))

    with paid(how.budget, held, record, CellCubes.name):
        law, table = fit(records, parts_of(how.epsilon, SHARES), ends, nobs, ask)
    return _results(law, table, releases, design, cells, claim=claim, guarantee=held)


def fit(
    records: CellRecords, epsilons: tuple[float, ...], ends: int, nobs: int | None, ask: Ask
) -> tuple[CellLogit | WindowedLogit, CellTable]:
    """Return the law of the last release, and the table, which is the first release.

    The others are remainders of lines at the estimates or, if slopes are too steep for lines, equations. All
    requests depend on noisy numbers alone.
    """
    cells = records.cells
    asked = ask(records.table(ends, nobs), cells.table_noise(ends), epsilons[0])
    table = table_of(cells, *asked, ends)
    numbers = list(cells.numbers)
    law, sums = CellLogit(table, None), add_up_cells(table)
    for place, epsilon in enumerate(epsilons[1:], 1):
        whole, size = float(law.model.sizes.sum()), cells.rows.shape[1]
        if may_be_steep(law.estimate[numbers], sums, _STEEP) and has_enough_records(
            whole, math.fsum(epsilons), size
        ):
            return _steep(records, table, sums, remaining_epsilon(epsilons[place:]), (ends, nobs), ask), table
        center, shares = moderate(law)
        reach = float(np.abs(center[numbers]).sum())
        lines = lines_at(cells.rows @ center, reach, shares)
        left, scales = ask(records.rest(center, lines, ends, nobs), cells.rest_noise(ends), epsilon)
        law = CellLogit(table, expansion_at(center, lines, left, scales, table))
    return law, table


def _steep(
    records: CellRecords,
    table: CellTable,
    sums: LogitSums,
    epsilon: float,
    kind: tuple[int, int | None],
    ask: Ask,
) -> WindowedLogit:
    """Return the law of the last equations; `kind` is 2 for replaced records, else 1, and n if public."""
    own = records.whole()

    def noisy(query: Query, share: float) -> tuple[Floats, float]:
        found, scales = ask(query, single_noise(query.value.size), share)
        return found, scales[0]

    asked = Queries(
        own.limits(kind[0]),
        float(own.unit(kind[0])),
        lambda window, share: noisy(own.near(window, *kind), share),
        lambda at, share: noisy(own.equations(at, *kind), share),
    )
    ridge = 1.5 * math.sqrt(len(table.numbers)) * table.products_scale / sums.records + 1e-6
    return solve_equations(sums, sums.start(ridge), epsilon, asked)


def table_of(cells: Cells, noisy: Floats, scales: tuple[float, float], ends: int) -> CellTable:
    """Return the noisy table of what was released; without numbers the first scale is a rate."""
    width, count = len(cells.numbers), len(cells.rows)
    own = noisy[: 2 * count * (width + 1)].reshape(count, 2, width + 1)
    units = np.array([1.0 / ends if i == j else 1.0 for i, j in cells.products])
    products = symmetric(units * noisy[own.size :], width)
    return CellTable(
        cells.rows, cells.numbers, own[..., 0], own[..., 1:], products, scales[0], not width, scales[1], units
    )


def moderate(law: CellLogit) -> tuple[Floats, Floats]:
    """Return estimates with moderate slopes, at which the next release is made, and the cells' shares."""
    b, numbers = law.estimate.copy(), list(law.table.numbers)
    size = float(np.abs(b[numbers]).sum())
    if size > FARTHEST:
        mean = law.model.shares @ law.model.means
        b[0] += mean @ b[numbers] * (1.0 - FARTHEST / size)
        b[numbers] *= FARTHEST / size
    return b, law.model.shares


def _results(
    law: CellLogit | WindowedLogit,
    table: CellTable,
    releases: list[DPResults],
    design: LinearDesign,
    cells: Cells,
    **promised: Guarantee,
) -> RegressionResults:
    empty, told = _empty(table, design)
    return logit_results(
        law,
        releases,
        design,
        cells.scaling,
        nothing=_NOTHING,
        empty=empty,
        remarks=told,
        method="counts by cell" if not cells.numbers else "noisy scores",
        **promised,
    )


def _empty(table: CellTable, design: LinearDesign) -> tuple[npt.NDArray[np.bool_], list[str]]:
    """Return which coefficients are of levels that look empty by the noisy counts, and remarks on them."""
    sizes, sd = table.counts.sum(axis=1), math.sqrt(table.variance)
    whole = float(sizes.sum())
    counts = table.rows.T @ sizes
    sds = sd * np.sqrt(2.0 * np.square(table.rows).sum(axis=0))
    note_empty(design, counts[1:], sds[1:], whole)
    empty, told = empty_levels(design, counts[1:], sds[1:], whole)
    ones = float(table.counts[:, 1].sum())
    return empty, [*told, *empty_responses(design, ones, sd * math.sqrt(len(sizes)), whole)]
