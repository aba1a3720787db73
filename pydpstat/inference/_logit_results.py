"""What a logistic regression says of its coefficients, however its sums were released."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.inference._combinations import Law, LawCombination, LawCombinations
from pydpstat.inference._design import LinearDesign
from pydpstat.inference._hidden import hidden_names
from pydpstat.inference._laws.sum_tails import SMALLEST
from pydpstat.results.regression_results import RegressionResults
from pydpstat.results.results import DPResults

Floats = npt.NDArray[np.float64]


def logit_results(
    law: Law,
    releases: list[DPResults],
    design: LinearDesign,
    scaled: Floats,
    *,
    nothing: str,
    empty: npt.NDArray[np.bool_] | None = None,
    assumptions: tuple[str, ...],
    remarks: list[str],
    **own: Any,
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
        assumptions=(*assumptions, *design.assumptions),
        remarks=(*([nothing.format(hidden)] if hidden else []), *remarks, *design.remarks),
        bounds=design.bounds[1:],
        **own,
    )
