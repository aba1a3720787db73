"""Disjoint groups of records: one for each of several models, and one to choose among the models."""

from __future__ import annotations

import inspect
from typing import Any

from pydpstat import _checks as checks
from pydpstat.dppack._models.linear_algebra import Floats
from pydpstat.dppack._models.records import response
from pydpstat.errors import PydpstatError
from pydpstat.r_arithmetic._arrays import doubles


class RecordGroups:
    """The records in m + 1 groups, by their places; the last one is for validation.

    Parameters
    ----------
    DPmodels, X, y, weights
        As the tuning functions got them.
    """

    def __init__(self, DPmodels: Any, X: Any, y: Any, weights: Any) -> None:
        if not isinstance(DPmodels, (list, tuple)) or not DPmodels or not all(map(_is_model, DPmodels)):
            raise PydpstatError(
                "DPmodels must be a list of model objects, at least one; "
                f"got {type(DPmodels).__name__}. Give for example [LogisticRegressionDP('l2', 1.0, 1.0)]."
            )
        if hasattr(y, "columns"):
            raise PydpstatError(
                "y must be a vector, not a DataFrame, on which R stops here; give y.iloc[:, 0]."
            )
        self.models = list(DPmodels)
        self.X = X if hasattr(X, "iloc") else checks.array_of(X)
        self.y = response(y)
        self.weights = None if weights is None else doubles(weights, "weights")
        self.n, self.step = self.y.size, len(self.models) + 1
        short = self.weights is not None and self.weights.size < self.n
        # what is longer than y is cut, as R does
        if self.X.ndim != 2 or len(self.X) < self.n or short or self.n < self.step:
            raise PydpstatError(
                "X must be a DataFrame or matrix with a row, and weights an element, for each record of y. "
                f"There must be at least {self.step} records, one more than models; got {self.n} records."
            )

    def require(self, method: str, argument: str, advice: str) -> None:
        """Check that a method of all models has an argument."""
        for model in self.models:
            if argument not in inspect.signature(getattr(model, method)).parameters:
                raise PydpstatError(
                    f"DPmodels: {method} of {type(model).__name__} has no argument {argument}. {advice}"
                )

    def group(self, place: int) -> slice:
        """Return which records the model at a place, from 0, gets; the place m is validation."""
        return slice(place, self.n, self.step)

    def part(self, group: slice) -> tuple[Any, Floats]:
        """Return predictors and responses of a group."""
        rows = self.X.iloc[group] if hasattr(self.X, "iloc") else self.X[group]
        return rows, self.y[group]


def _is_model(model: Any) -> bool:
    return callable(getattr(model, "fit", None)) and callable(getattr(model, "predict", None))
