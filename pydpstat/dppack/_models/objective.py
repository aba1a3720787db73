"""The regularized, perturbed objective of empirical risk minimization, and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pydpstat import r_arithmetic as r
from pydpstat.dppack._models.linear_algebra import Floats, dot


@dataclass
class Objective:
    """Mean loss plus penalty plus noise: (sum(loss) + gamma penalty + b'w) / n + extra w'w / 2.

    Parameters
    ----------
    n : int
        Number of records.
    predict : callable
        Coefficients to predictions, shape (n,).
    losses : callable
        Predictions to losses, shape (n,).
    loss_slope : callable or None
        Coefficients and predictions to the gradient of the summed loss, shape (d,).
    penalty : callable
        The regularizer: coefficients to a number.
    penalty_slope : callable or None
        Its gradient.
    gamma : float
        Regularization constant.
    extra : float
        Added regularization.
    b : ndarray of shape (d,)
        The noise vector, zeros without noise.
    """

    n: int
    predict: Callable[[Floats], Floats]
    losses: Callable[[Floats], Floats]
    loss_slope: Callable[[Floats, Floats], Floats] | None
    penalty: Callable[[Floats], float]
    penalty_slope: Callable[[Floats], Floats] | None
    gamma: float
    extra: float
    b: Floats

    def __post_init__(self) -> None:
        self._at: Floats | None = None
        self._predicted = self.b

    def value(self, w: Floats) -> float:
        """Return the objective."""
        total = float(r.sum(self.losses(self._prediction(w)))) / self.n
        penalty = float(np.asarray(self.penalty(w), dtype=np.float64).reshape(()))
        total += self.gamma * penalty / self.n
        total += dot(self.b, w) / self.n
        return total + self.extra * dot(w, w) / 2.0

    @property
    def gradient(self) -> Callable[[Floats], Floats] | None:
        """The gradient as a function; None where a part of it is not given."""
        if self.loss_slope is None or self.penalty_slope is None:
            return None
        loss_slope, penalty_slope = self.loss_slope, self.penalty_slope

        def gradient(w: Floats) -> Floats:
            # operations in R's order
            slopes = loss_slope(w, self._prediction(w)) / self.n
            slopes = slopes + self.gamma * np.asarray(penalty_slope(w), dtype=np.float64) / self.n
            return slopes + self.b / self.n + self.extra * w

        return gradient

    def _prediction(self, w: Floats) -> Floats:
        # the minimiser asks for value and gradient at the same array, and numeric gradients change theirs
        if self.loss_slope is None or self.penalty_slope is None:
            return self.predict(w)
        if self._at is not w:
            self._at, self._predicted = w, self.predict(w)
        return self._predicted
