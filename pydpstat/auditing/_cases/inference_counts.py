"""Tests of proportions and quantiles, and of any statistic by its blocks, at their worst neighbors.

All that a result shows follows from its noisy counts, which are what the audit looks at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.auditing._cases.case import Case, Release
from pydpstat.inference.blocks import any_interval, any_test
from pydpstat.inference.proportions import binomtest, proportions_test
from pydpstat.inference.quantiles import quantile_test
from pydpstat.results.inference_results import InferenceResults

Options = dict[str, Any]
OPEN: Options = {"neighbors": "unbounded"}
# a sum over the distributions of both counts in every call
SLOW = 20_000
# blocks take a tenth of a millisecond
MANY = 1_000_000


def _shown(result: InferenceResults) -> dict[str, object]:
    """Return what a result says, its noisy numbers once."""
    found = dict(result.released)
    public = (result.test, result.null, result.claim, result.guarantee, result.nobs, result.record)
    return {**found, "p": result.pvalue, "public": repr((public, result.validity, result.noise_scale))}


def _one(function: Any, **options: Any) -> Release:
    return lambda data: _shown(function(data, 1.0, **options))


def _two(**options: Any) -> Release:
    return lambda data: _shown(proportions_test(data[0], data[1], 1.0, **options))


def _is_large(block: npt.NDArray[np.float64]) -> bool:
    """Reject, or fail where there is no record."""
    return bool(block[0] > 0.5)


def _are_apart(one: npt.NDArray[np.float64], other: npt.NDArray[np.float64]) -> bool:
    return bool(one[0] != other[0])


def _mean(block: npt.NDArray[np.float64]) -> float:
    if block.size and block[0] < 0.0:
        raise ValueError("negative")
    return float(np.mean(block))


def _test(test: Any = _is_large, **options: Any) -> Release:
    return lambda data: any_test(data, test, 1.0, blocks=1, level=0.5, **options)


def _interval(**options: Any) -> Release:
    return lambda data: any_interval(data, _mean, 1.0, range=(0, 1), blocks=1, **options)


def _case(
    name: str, release: Release, data: object, neighbor: object, most: int = 100_000, true: float = 1.0
) -> Case:
    return Case("sound", name, release, data, neighbor, true=true, most=most)


NO, YES = np.array([False, False]), np.array([False, True])
# a record goes from below the hypothetical quantile to above it: both counts change
BELOW, ABOVE = np.array([-1.0, -1.0]), np.array([-1.0, 1.0])
# a block's only record settles whether it rejects, and in which cell its mean is
ZERO, ONE, NOTHING = np.array([0.0]), np.array([1.0]), np.empty(0)

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
    _case("any_test", _test(), ZERO, ONE, MANY),
    _case("any_test, unbounded", _test(**OPEN), NOTHING, ONE, MANY),
    _case("any_test, two samples", _test(_are_apart), (ZERO, ZERO), (ZERO, ONE), MANY),
    _case("any_interval", _interval(), ZERO, ONE, MANY),
    _case("any_interval, unbounded", _interval(**OPEN), NOTHING, ONE, MANY),
    _case("any_interval, an error", _interval(), ONE, -ONE, MANY),
    _case("any_interval, limits", _interval(limit="lower", level=0.2), ZERO, ONE, MANY),
)
