"""Tests of proportions and quantiles at their worst neighbors.

All that a result shows follows from its noisy counts, which are what the audit looks at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat.auditing._cases.case import Case, Release
from pydpstat.inference.proportions import binomtest, proportions_test
from pydpstat.inference.quantiles import quantile_test
from pydpstat.results.inference_results import InferenceResults

Options = dict[str, Any]
OPEN: Options = {"neighbors": "unbounded"}
# a sum over the laws of both counts in every call
SLOW = 20_000


def _shown(result: InferenceResults) -> dict[str, object]:
    """Return what a result says, its noisy numbers once."""
    found = dict(result.released)
    public = (result.test, result.null, result.claim, result.guarantee, result.nobs, result.record)
    return {**found, "p": result.pvalue, "public": repr((public, result.validity, result.noise_scale))}


def _one(function: Any, **options: Any) -> Release:
    return lambda data: _shown(function(data, 1.0, **options))


def _two(**options: Any) -> Release:
    return lambda data: _shown(proportions_test(data[0], data[1], 1.0, **options))


def _case(
    name: str, release: Release, data: object, neighbor: object, most: int = 100_000, true: float = 1.0
) -> Case:
    return Case("sound", name, release, data, neighbor, true=true, most=most)


NO, YES = np.array([False, False]), np.array([False, True])
# a record goes from below the hypothetical quantile to above it: both counts change
BELOW, ABOVE = np.array([-1.0, -1.0]), np.array([-1.0, 1.0])

CASES = (
    _case("binomtest", _one(binomtest), NO, YES),
    _case("binomtest, unbounded", _one(binomtest, **OPEN), NO, np.array([False, False, True]), SLOW),
    _case("binomtest, missing=True", _one(binomtest, missing=True), [False, False], [False, None]),
    _case("proportions_test", _two(), (NO, NO), (NO, YES), SLOW),
    _case("proportions_test, ratio", _two(compare="ratio"), (YES, NO), (NO, NO), SLOW),
    _case("quantile_test", _one(quantile_test), BELOW, ABOVE),
    # one of both counts falls
    _case("quantile_test, a tie", _one(quantile_test), BELOW, np.array([-1.0, 0.0]), true=0.5),
    _case("quantile_test, no ties", _one(quantile_test, ties=False), BELOW, ABOVE),
    _case("quantile_test, unbounded", _one(quantile_test, **OPEN), BELOW, np.array([-1.0, -1.0, 1.0]), SLOW),
    _case(
        "quantile_test, unbounded, no ties",
        _one(quantile_test, ties=False, **OPEN),
        BELOW,
        np.array([-1.0, -1.0, 1.0]),
        SLOW,
    ),
)
