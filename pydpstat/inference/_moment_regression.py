"""A regression by noisy moments: from one release to coefficients, tests and intervals."""

from __future__ import annotations

import math

import numpy as np

from pydpstat._release.additive import Spender
from pydpstat._release.statistic import Options, release_statistic
from pydpstat.inference._combinations import HIDDEN, MomentCombinations
from pydpstat.inference._design import LinearDesign, Regression
from pydpstat.inference._hidden import empty_cells, empty_levels, hidden_names
from pydpstat.inference._laws.noisy_moments import NoisyMoments, matrix_of
from pydpstat.inference._laws.score_tests import ScoreInterval, ScoreTests
from pydpstat.inference._regression_moments import Layout, moment_query
from pydpstat.random import Source
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.record_grid import half_width

ASSUMPTIONS = (
    "the mean of the response is linear in the predictors",
    "errors are independent and of one variance, near to normal where few records tell of a coefficient",
    "all of this speaks of values that were moved to the bounds",
)


def by_moments(
    regression: Regression,
    how: Options,
    null: float,
    source: Source,
    budget: Spender | None,
    arguments: tuple[tuple[str, object], ...],
) -> RegressionResults:
    """Release the moments, and return what follows from them."""
    design = regression.design
    layout = Layout.of(design, how.bounded)
    if how.default or how.norm == math.inf:
        how = how._replace(mechanism=layout.mechanism)
    found = release_statistic(
        "ols",
        moment_query(regression, how.norm, how.bounded),
        how,
        source,
        budget,
        data=(regression.formula, "data"),
        arguments=arguments,
        bounds=design.bounds,
        conditions=design.conditions,
    )
    return _followed(design, layout, how.norm, null, found)


def _followed(
    design: LinearDesign,
    layout: Layout,
    norm: float,
    null: float,
    found: DPResults,
    shown: LinearDesign | None = None,
) -> RegressionResults:
    """Return what follows; `shown` has the levels that look empty and are left out of the design as well."""
    blocks = layout.blocks(norm)
    matrix = matrix_of(found.value, blocks, layout.width)
    if layout.bounded:
        matrix[0, 0] = float(found.nobs or 0)
    centers, factors = _units(design)
    height, middle = half_width(design.response_bounds), _middle(design.response_bounds)
    units, shifts = height / np.append(1.0, factors), np.zeros(layout.width - 1)
    shifts[0] = middle
    noisy = NoisyMoments(matrix, blocks, found.noise, -centers)
    ones = np.eye(layout.width)
    sds = noisy.spread(ones[:, :1] + 0.0 * ones[:, 1:-1], ones[:, 1:-1])
    empty, told = empty_levels(design, matrix[0, 1:-1], sds, float(noisy.size))
    if shown is None:
        gone = empty_cells(design, matrix[0, 1:-1], sds, float(noisy.size))
        shown = design.without(gone)
        fewer = shown.without(gone, declared=True)
        if fewer is not design:
            return _followed(fewer, Layout.of(fewer, layout.bounded), norm, null, found, shown)
    tests = ScoreTests(noisy, units, shifts)
    coef, errors = tests.estimates()
    rest, whole = tests.squares()
    degrees = max(noisy.size - len(design.names), 1)
    hidden = hidden_names(design.names, np.array(errors))
    remarks = []
    if hidden:
        remarks.append(
            f"The noise hides what the other predictors leave of {hidden}: no value that is far enough can "
            "be ruled out. There is no estimate, and the interval is the whole line, even where values are "
            "rejected."
        )
    remarks += told
    if rest <= 0.0:
        remarks.append("The noise is larger than the residuals: R-squared and scale say nothing.")
    errors = np.where(empty, math.inf, errors)
    places = tuple(design.names.index(name) if name in design.names else -1 for name in shown.names)
    kept = np.array(places) >= 0
    return RegressionResults.of(
        found,
        model="OLS",
        method="moments",
        response=design.response,
        names=shown.names,
        coef=np.where(kept, coef[list(places)], math.nan),
        errors=np.where(kept, errors[list(places)], math.inf),
        null=null,
        tested=shown.names,
        statistics=np.where(kept, ((coef - null) / errors)[list(places)], 0.0),
        probabilities=None,
        pvalue_floor=noisy.pvalue_floor,
        intervals=tuple(HIDDEN if place < 0 else ScoreInterval(tests, place) for place in places),
        labels=("measured",) * len(places),
        design=shown,
        combinations=MomentCombinations(tests, places),
        fit=(
            ("rsquared", min(max(1.0 - rest / whole, 0.0), 1.0) if whole > 0.0 else 0.0),
            ("scale", max(rest, 0.0) / degrees * height * height),
        ),
        assumptions=(*ASSUMPTIONS, *design.assumptions),
        remarks=tuple(remarks),
    )


def _units(design: LinearDesign) -> tuple[np.ndarray, np.ndarray]:
    """Return for each coefficient but the constant its column's middle in half-ranges, and the half-range."""
    centers, factors = [], []
    for each in design.predictors:
        if each.bounds is None:
            centers += [0.0] * len(each.names)
            factors += [1.0] * len(each.names)
        elif each.names:
            factors.append(half_width(each.bounds))
            centers.append(_middle(each.bounds) / factors[-1])
    return np.array(centers), np.array(factors)


def _middle(pair: tuple[float, float]) -> float:
    return 0.5 * pair[0] + 0.5 * pair[1]
