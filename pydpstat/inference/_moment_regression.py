"""A regression by noisy moments: from one release to coefficients, tests and intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from pydpstat._release.additive import Spender
from pydpstat._release.payment import paid
from pydpstat._release.statistic import Options, call, promise_of_stages, release_stage, release_statistic
from pydpstat.inference._combinations import HIDDEN, MomentCombinations
from pydpstat.inference._design import LinearDesign, Regression
from pydpstat.inference._hidden import empty_cells, empty_levels, hidden_names, note_empty
from pydpstat.inference._influences import Influences, influence_query, with_sampling
from pydpstat.inference._laws.noisy_moments import NoisyMoments, matrix_of
from pydpstat.inference._laws.score_tests import ScoreInterval, ScoreTests
from pydpstat.inference._regression_moments import Layout, moment_query
from pydpstat.mechanisms.cube import Cube
from pydpstat.mechanisms.mechanism import parts_of
from pydpstat.random import Source
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults
from pydpstat.statistics._kernels.record_grid import half_width

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
    source: Source,
    budget: Spender | None,
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
            source,
            budget,
            data=data,
            arguments=arguments,
            bounds=design.bounds,
            conditions=design.conditions,
        )
        return _followed(design, layout, how.norm, null, [found])
    record = call("ols", how, data, arguments)
    claim, held = promise_of_stages(how, design.conditions, source)
    first, second = parts_of(how.epsilon, SHARES)
    releases: list[DPResults] = []

    def ask(own: LinearDesign, within: Layout, noisy: NoisyMoments) -> NoisyMoments:
        at, pure = Influences.of(noisy, within), how._replace(mechanism=Cube(), delta=0.0)
        query = influence_query(regression, own, at, _units(own), how.bounded)
        releases.append(release_stage(query, pure, second, design.conditions, source, record))
        return with_sampling(noisy, at, releases[-1].value, releases[-1].noise)

    with paid(budget, held, record, how.mechanism.name):
        releases.append(release_stage(query, how, first, design.conditions, source, record))
        promised = {"claim": claim, "guarantee": held, "bounds": design.bounds}
        return _followed(design, layout, how.norm, null, releases, ask, promised=promised)


def _followed(
    design: LinearDesign,
    layout: Layout,
    norm: float,
    null: float,
    releases: list[DPResults],
    ask: Ask | None = None,
    shown: LinearDesign | None = None,
    promised: Mapping[str, Any] = MappingProxyType({}),
) -> RegressionResults:
    """Return what follows; `shown` has the levels that look empty and are left out of the design as well."""
    blocks, found = layout.blocks(norm), releases[0]
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
        note_empty(design, matrix[0, 1:-1], sds, float(noisy.size))
        gone = empty_cells(design, matrix[0, 1:-1], sds, float(noisy.size))
        shown = design.without(gone)
        fewer = shown.without(gone, declared=True)
        if fewer is not design:
            layout = Layout.of(fewer, layout.bounded)
            return _followed(fewer, layout, norm, null, releases, ask, shown, promised)
    if ask is not None:
        noisy = ask(design, layout, noisy)
    tests = ScoreTests(noisy, units, shifts)
    coef, errors = tests.estimates()
    rest, whole = tests.squares()
    degrees = max(noisy.size - len(design.names), 1)
    hidden = hidden_names(design.names, np.array(errors))
    remarks = []
    if hidden:
        remarks.append(
            f"The noise hides the part of {hidden} that the other predictors do not explain: distant "
            "values cannot be ruled out. There is no estimate, and the interval is the whole line, "
            "even if some values are rejected."
        )
    remarks += told
    if rest <= 0.0:
        remarks.append("The noise is larger than the residuals: there is no R-squared and no scale.")
    errors = np.where(empty, math.inf, errors)
    places = tuple(design.names.index(name) if name in design.names else -1 for name in shown.names)
    kept = np.array(places) >= 0
    made: Callable[..., RegressionResults] = partial(RegressionResults.of, found)
    if ask is not None:
        scales = [np.broadcast_to(each.noise_scale, each.value.shape) for each in releases]
        promised = {**promised, "noise_scale": np.concatenate(scales)}
        made = partial(RegressionResults.of_several, releases, ["", ""])
    return made(
        model="OLS",
        method="moments" if ask is None else "moments, HC3",
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
        # of combinations the variances of sampling were not asked for
        combinations=MomentCombinations(tests, places) if ask is None else None,
        fit=(
            ("rsquared", max(1.0 - rest / whole, 0.0) if min(rest, whole) > 0.0 else math.nan),
            ("scale", rest / degrees * height * height if rest > 0.0 else math.nan),
        ),
        assumptions=(*(ASSUMPTIONS if ask is None else ROBUST), *design.assumptions),
        remarks=(*remarks, *shown.remarks),
        **promised,
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
