"""Models, data and fits that the tests of empirical risk minimization share."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pydpstat.dppack import (
    EmpiricalRiskMinimizationDP_CMS,
    LogisticRegressionDP,
    WeightedERMDP_CMS,
    generate_loss_gr_huber,
    generate_loss_huber,
    mapXy_gr_linear,
    mapXy_linear,
    svmDP,
)

X = pd.DataFrame({"a": [0.1, -0.4, 0.9, 0.3, -0.8, 0.6], "b": [0.5, 0.2, -0.3, -0.9, 0.4, 0.1]})
Y = np.array([0, 0, 1, 1, 0, 1])
BOX = ([1, 1], [-1, -1])
SMALL = ([0.5, 0.5], [-0.5, -0.5])


def base(kind=EmpiricalRiskMinimizationDP_CMS, eps=1.0, gamma=1.0, method="objective", c=1.0):
    return kind(
        mapXy_linear,
        generate_loss_huber(0.5),
        "l2",
        eps,
        gamma,
        method,
        c,
        mapXy_gr_linear,
        generate_loss_gr_huber(0.5),
    )


MAKE = {
    "EmpiricalRiskMinimizationDP_CMS": base,
    "WeightedERMDP_CMS": lambda **options: base(WeightedERMDP_CMS, **options),
    "LogisticRegressionDP": lambda eps=2.0, gamma=1.0, method="objective": LogisticRegressionDP(
        "l2", eps, gamma, method
    ),
    "svmDP": lambda eps=1.0, gamma=1.0, method="objective": svmDP("l2", eps, gamma, method),
    "Gaussian": lambda eps=1.0, gamma=1.0, method="objective": svmDP("l2", eps, gamma, method, "Gaussian", 4),
}


def fit(model, *bounds, rng=1, **options):
    return model.fit(X, Y, *(bounds or SMALL), rng=rng, **options)
