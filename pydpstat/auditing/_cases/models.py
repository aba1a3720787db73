"""The known defects of the originals' models."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from pydpstat import dppack
from pydpstat.auditing._cases.case import Case
from pydpstat.privacy import Guarantee

ONE = Guarantee(1.0)
# a fit takes milliseconds
FITS = 1_000
_X = np.ones((9, 1))


def _other_gamma(y: Any) -> Any:
    return dppack.LogisticRegressionDP("l2", 1.0, 100.0, "output").fit([[1.0]], y, [1], [0])


def _tuned(y: Any) -> Any:
    models = [dppack.LinearRegressionDP("l2", 1.0, 0.0, gamma) for gamma in (1.0, 1_000.0)]
    return dppack.tune_linear_regression_model(models, _X, y, [1, 1], [-1, -1]).results


CASES = (
    Case(
        name="LogisticRegressionDP, gamma 100",
        kind="defect",
        row="C1",
        release=_other_gamma,
        data=[0.0],
        neighbour=[1.0],
        claim=ONE,
        # a lower bound; at most 100
        true=40.1,
        most=FITS,
    ),
    Case(
        name="tune_linear_regression_model, a record outside",
        kind="defect",
        row="C2",
        release=_tuned,
        data=[1.0] * 8 + [1e6],
        neighbour=[1.0] * 8 + [-1e6],
        claim=ONE,
        true=math.inf,
        most=4 * FITS,
    ),
)
