"""People, and estimators of their incomes and of who is retired, for the tests of the estimators."""

import numpy as np
import pandas as pd

from pydpstat.sklearn import LinearRegression, LogisticRegression

N = 4000
_draw = np.random.default_rng(3)
FRAME = pd.DataFrame({"age": _draw.integers(18, 90, N), "hours": _draw.uniform(0, 60, N)})
SEX = pd.Series(_draw.choice(["f", "m"], N), name="sex")
ODDS = 0.06 * (FRAME["age"] - 50) + (SEX == "m") - 0.02 * FRAME["hours"]
RETIRED = pd.Series(np.where(_draw.logistic(size=N) < ODDS, "yes", "no"), name="retired")
INCOME = pd.Series(1000 + 20 * FRAME["age"] + 5 * FRAME["hours"] + _draw.normal(0, 200, N), name="income")
BOUNDS = {"age": (18, 90), "hours": (0, 60)}
# next to no noise
EXACT = 1e6


def logistic(epsilon=1.0, **more):
    return LogisticRegression(epsilon, **{"bounds": BOUNDS, "classes": ("no", "yes"), **more})


def linear(epsilon=1.0, **more):
    return LinearRegression(epsilon, **{"bounds": BOUNDS, "y_bounds": (0, 4000), **more})
