"""Models, data and fits that the tests of linear regression share."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pydpstat import dppack
from pydpstat.dppack import EmpiricalRiskMinimizationDP_KST, LinearRegressionDP

X = pd.DataFrame({"a": [0.1, -0.4, 0.9, 0.3, -0.8, 0.6], "b": [0.5, 0.2, -0.3, -0.9, 0.4, 0.1]})
Y = np.array([0.2, -0.3, 0.9, 0.1, -1.0, 0.7])
BOX = ([1, 1, 1], [-1, -1, -1])
BALL = {"constraints": lambda w: w @ w - 2.0, "jacobian": lambda w: 2.0 * w}


def linear(eps=1.0, delta=0.0, gamma=1.0, regularizer="l2"):
    return LinearRegressionDP(regularizer, eps, delta, gamma)


def base(eps=1.0, delta=0.0, zeta=4.0, lambda_=2.0, gamma=1.0, gradients=True, **more):
    given = {"mapXy_gr": dppack.mapXy_gr_linear, "loss_gr": dppack.loss_gr_squared_error} if gradients else {}
    settings = {"mapXy": dppack.mapXy_linear, "loss": dppack.loss_squared_error, "regularizer": "l2", **given}
    return EmpiricalRiskMinimizationDP_KST(
        **{**settings, "eps": eps, "delta": delta, "domain": BALL, "zeta": zeta, "lambda_": lambda_}
        | {"gamma": gamma}
        | more
    )


def fit(model, rng=1, **more):
    return model.fit(**{"X": X, "y": Y, "upper_bounds": BOX[0], "lower_bounds": BOX[1], "rng": rng, **more})
