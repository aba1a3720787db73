"""Tests and intervals from blocks, and logistic regression, at their worst neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pydpstat.auditing._cases.case import Case, Release
from pydpstat.inference.blocks import any_interval, any_test
from pydpstat.inference.logit import logit

OPEN: dict[str, Any] = {"neighbors": "unbounded"}
# a block's only record settles whether it rejects, and in which cell its mean is
ZERO, ONE, NOTHING = np.array([0.0]), np.array([1.0]), np.empty(0)
# a response turns and its predictor goes from the end to the middle: the sums move by 1 in their units
END: Any = ([1.0, 0.0], [1.0, 0.0])
MIDDLE: Any = ([0.0, 0.0], [0.5, 0.0])
# the predictors' sums move most where a response stays
STAYS: Any = (END[0], [0.0, 0.0])
# one of two predictors goes to the other end, or to another level
BOTH: Any = ([1.0, 0.0], [[1.0, 1.0], [0.0, 0.0]])
OTHER: Any = ([0.0, 0.0], [[0.0, 1.0], [0.0, 0.0]])
LEVEL: Any = ([1.0, 0.0], {"g": ["a", "b"]})
ANOTHER: Any = ([0.0, 0.0], {"g": ["c", "b"]})


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


def _logit(**options: Any) -> Release:
    return lambda data: logit(data[0], data[1], 1.0, **options).released


def _case(name: str, release: Release, data: object, neighbor: object) -> Case:
    return Case("sound", name, release, data, neighbor, true=1.0)


UNIT: dict[str, Any] = {"bounds": (0, 1)}
CASES = (
    _case("any_test", _test(), ZERO, ONE),
    _case("any_test, unbounded", _test(**OPEN), NOTHING, ONE),
    _case("any_test, two samples", _test(_are_apart), (ZERO, ZERO), (ZERO, ONE)),
    _case("any_interval", _interval(), ZERO, ONE),
    _case("any_interval, unbounded", _interval(**OPEN), NOTHING, ONE),
    _case("any_interval, an error", _interval(), ONE, -ONE),
    _case("any_interval, limits", _interval(limit="lower", level=0.2), ZERO, ONE),
    _case("logit", _logit(**UNIT), END, MIDDLE),
    _case("logit, the response stays", _logit(**UNIT), END, STAYS),
    _case("logit, two predictors", _logit(**UNIT), BOTH, OTHER),
    _case("logit, levels", _logit(levels={"g": ["a", "b", "c"]}), LEVEL, ANOTHER),
)
