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
    LawCombination,
    LawCombinations,
    empty_levels,
    empty_responses,
    hidden_names,
    note_empty,
)
from pydpstat.inference._design import LinearDesign, Regression
from pydpstat.inference._logit_records import CellRecords, Cells
from pydpstat.inference._moment_noise import CellCubes
from pydpstat.inference._null_distributions.cell_logit import CellLogit, expansion_at
from pydpstat.inference._null_distributions.logistic_cells import FARTHEST, CellTable, lines_at
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
    scaled: Floats,
    *,
    nothing: str,
    empty: npt.NDArray[np.bool_] | None = None,
    remarks: list[str],
    **own: object,
) -> RegressionResults:
    """Return the results of a fit."""
    coef = scaled @ law.estimate
    parts = tuple(LawCombination(law, each) for each in scaled)
    errors = np.array([each.error for each in parts])
    hidden = hidden_names(design.names, errors)
    return RegressionResults.of_several(
        releases,
        [f"{place}: " if place else "" for place in range(len(releases))],
        model="Logit",
        response=design.response,
        names=design.names,
        coef=coef,
        errors=errors if empty is None else np.where(empty, np.inf, errors),
        null=0.0,
        tested=design.names,
        statistics=coef / errors,
        probabilities=np.array([each.pvalue(0.0) for each in parts]),
        pvalue_floor=SMALLEST,
        intervals=parts,
        labels=("measured",) * len(design.names),
        design=design,
        link="logit",
        combinations=LawCombinations(law, scaled),
        assumptions=(*ASSUMPTIONS, *design.assumptions),
        remarks=(*([nothing.format(hidden)] if hidden else []), *remarks, *design.remarks),
        bounds=design.bounds[1:],
        **own,
    )


# the shares of epsilon of the table, and of what lines leave, one after another
SHARES = (0.8, 0.08, 0.12)
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
        law = CellLogit(table_of(cells, found.value, (how.epsilon / ends, 0.0), ends), None)
        return _results(law, [found], design, cells)
    record = call("logit", how, (regression.formula, "data"), arguments)
    claim, held = promise_of_stages(how, design.conditions)
    releases: list[DPResults] = []

    def ask(query: Query, mechanism: CellCubes, share: float) -> tuple[Floats, tuple[float, float]]:
        own = how._replace(mechanism=mechanism)
        releases.append(release_stage(query, own, share, design.conditions, record))
        scales = np.asarray(releases[-1].noise_scale)
        return releases[-1].value, (float(scales[0]), float(scales[-1]))

    with paid(how.budget, held, record, CellCubes.name):
        law = fit(records, parts_of(how.epsilon, SHARES), ends, nobs, ask)
    return _results(law, releases, design, cells, claim=claim, guarantee=held)


def fit(
    records: CellRecords, epsilons: tuple[float, ...], ends: int, nobs: int | None, ask: Ask
) -> CellLogit:
    """Return what the last of the releases says: a table, then what lines leave at its estimates."""
    cells = records.cells
    asked = ask(records.table(ends, nobs), cells.table_noise(ends), epsilons[0])
    table = table_of(cells, *asked, ends)
    numbers = list(cells.numbers)
    law = CellLogit(table, None)
    for epsilon in epsilons[1:]:
        center, shares = moderate(law)
        reach = float(np.abs(center[numbers]).sum())
        lines = lines_at(cells.rows @ center, reach, shares)
        left, scales = ask(records.rest(center, lines, ends, nobs), cells.rest_noise(ends), epsilon)
        law = CellLogit(table, expansion_at(center, lines, left, scales, table))
    return law


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
    law: CellLogit, releases: list[DPResults], design: LinearDesign, cells: Cells, **promised: Guarantee
) -> RegressionResults:
    empty, told = _empty(law.table, design)
    return logit_results(
        law,
        releases,
        design,
        cells.scaling.combinations,
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
