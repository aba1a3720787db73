"""How released coefficients become predictions, from public things only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pydpstat.dppack._models.design import as_records
from pydpstat.dppack._models.kernels import FourierFeatures
from pydpstat.dppack._models.linear_algebra import Floats, matrix_vector
from pydpstat.dppack._models.losses import sigmoid
from pydpstat.errors import PydpstatError


@dataclass(frozen=True, slots=True)
class Prediction:
    """Map from records and coefficients to predictions.

    Parameters
    ----------
    link : {"linear", "sigmoid"}
        What is made of the linear predictor.
    decision : {None, "round", "sign"}
        How a label 0 or 1 is decided: the rounded value, or its sign (a score of exactly 0 is
        label 0). None where there is no decision.
    features : FourierFeatures, optional
        Applied to the records first.

    Examples
    --------
    >>> from pydpstat.dppack._models.prediction import Prediction
    >>> Prediction("linear", "sign")([[1.0, -2.0], [3.0, 1.0]], np.array([1.0, 1.0]))
    array([0., 1.])
    """

    link: str
    decision: str | None = None
    features: FourierFeatures | None = None

    def __call__(self, X: Any, coeff: Floats, *, add_bias: bool = False, raw_value: bool = False) -> Floats:
        """Return the predictions, shape (m,)."""
        records = as_records(X, add_bias)
        if self.features is not None:
            if records.shape[1] != self.features.prefilter.shape[1] - 1:
                raise PydpstatError(
                    f"X must have {self.features.prefilter.shape[1] - 1} columns, the bias included, "
                    f"as in fit; got {records.shape[1]}."
                )
            records = self.features.transform(records)
        if records.shape[1] != coeff.size:
            raise PydpstatError(
                f"X must have {coeff.size} columns, the bias included, as there are coefficients; "
                f"got {records.shape[1]}. Set add_bias as in fit."
            )
        value = matrix_vector(records, coeff)
        if self.link == "sigmoid":
            value = sigmoid(value)
        return value if raw_value or self.decision is None else decide(value, self.decision)


def decide(value: Floats, decision: str) -> Floats:
    """Return labels 0 and 1: the value rounded half to even, or 1 where it is positive."""
    if decision == "round":
        return np.rint(value)
    return np.where(np.isnan(value), np.nan, value > 0.0).astype(np.float64)
