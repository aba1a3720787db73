"""Tests and intervals from blocks, and logistic regression, at their worst neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np

from pydpstat.auditing._cases.case import Case, Release
from pydpstat.inference.blocks import any_interval, any_test
from pydpstat.inference.logit import logit

OPEN: dict[str, Any] = {"neighbors": "unbounded"}
# a block's only record settles whether it rejects, and in which cell its mean is
ZERO, ONE, NOTHING = np.array([0.0]), np.array([1.0]), np.empty(0)
# a response turns and its predictor goes from the end to the middle: the sums move by 1 in their units
END: Any = (np.array([1.0, 0.0]), np.array([1.0, 0.0]))
MIDDLE: Any = (np.array([0.0, 0.0]), np.array([0.5, 0.0]))
# the predictors' sums move most where a response stays
STAYS: Any = (END[0], np.array([0.0, 0.0]))


def _test(**options: object) -> Release:
    return lambda data: any_test(data, lambda block: block[0] > 0.5, 1.0, blocks=1, level=0.5, **options)


def _interval(**options: object) -> Release:
    return lambda data: any_interval(data, np.mean, 1.0, range=(0, 1), blocks=1, **options)


def _logit(data: Any) -> object:
    return logit(*data, 1.0, bounds=(0, 1)).released


def _case(name: str, release: Release, data: object, neighbor: object) -> Case:
    return Case("sound", name, release, data, neighbor, true=1.0)


CASES = (
    _case("any_test", _test(), ZERO, ONE),
    _case("any_test, unbounded", _test(**OPEN), NOTHING, ONE),
    _case("any_interval", _interval(), ZERO, ONE),
    _case("any_interval, unbounded", _interval(**OPEN), NOTHING, ONE),
    _case("logit", _logit, END, MIDDLE),
    _case("logit, the response stays", _logit, END, STAYS),
)
